//! `remora test FILE...`: runs the expectations in the comments of programs.

pub mod blocks;
pub mod compare;
