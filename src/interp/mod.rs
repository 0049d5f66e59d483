//! The meaning of every program: evaluators of [`core`], of first-order programs and kernels ([`soac`]) and of loops and buffers ([`imp`]).
//! Compiled programs are compared with them.

#![cfg_attr(not(test), deny(clippy::wildcard_enum_match_arm))]

mod arrays;
pub mod components;
pub mod core;
pub mod entry;
mod failure;
pub mod imp;
pub mod interrupt;
pub mod soac;

pub use failure::{Failure, Outcome};
