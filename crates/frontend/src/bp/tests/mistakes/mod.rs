//! What is said about mistakes.

mod blocks;
mod characters;
mod expressions;
mod items;
mod statements;
