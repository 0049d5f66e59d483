//! Core written by hand.

pub mod instantiate;
