//! # Flow graphs
