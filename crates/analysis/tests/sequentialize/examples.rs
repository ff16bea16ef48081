//! The examples of the repository.
