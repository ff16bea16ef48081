//! # Processes that find each other
//! `hosts` says where they are, `secret` what they have in common, `meet` connects them: whoever connects shows that it knows the secret, and that it has the same file, version and options,
//! before anything else is read. `link` is a connection from then on: what timely sends, and signs of life between.

mod hosts;
mod link;
mod meet;
mod secret;

pub use hosts::Hosts;
pub(crate) use link::{Health, Link, Writer};
pub use meet::{Identity, PATIENCE};
pub(crate) use meet::{Meeting, meet};
pub use secret::Secret;
