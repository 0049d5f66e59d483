//! What tests share. Each binary compiles all of it and uses a part.

#![allow(dead_code, reason = "no binary uses all of this")]

pub mod batch;
pub mod commands;
pub mod cuda;
pub mod generate;
pub mod laws;
pub mod programs;
pub mod rank;
pub mod sanitizers;
pub mod shim;
pub mod structure;
pub mod syntax;
pub mod terms;
pub mod torture;
