//! `remora test`.
pub mod blocks;
