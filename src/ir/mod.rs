//! The intermediate languages, each with its definition and meaning, printer and validator.

#![cfg_attr(not(test), deny(clippy::wildcard_enum_match_arm))]

pub mod attributes;
pub mod core;
pub mod imp;
pub mod kernel;
pub mod pass;
pub mod profile;
pub mod soac;
pub mod surface;
pub mod tables;
pub mod tuning;
