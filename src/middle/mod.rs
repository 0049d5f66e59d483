//! From core to first-order programs, and transformations of these: [`specialise`] leaves no types, functions and boxes,
//! [`differentiate`] makes the derivatives that were asked for, [`optimise`] rewrites by laws, [`flatten`] puts the parallelism of nests into kernels for devices.

#![cfg_attr(not(test), deny(clippy::wildcard_enum_match_arm))]

pub mod differentiate;
pub mod flatten;
pub mod optimise;
pub mod specialise;
