//! How fast operations are: to be measured.

fn main() {}
