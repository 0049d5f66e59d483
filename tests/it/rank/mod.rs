//! Rank analysis.

mod conjecture;
mod fixtures;
mod properties;
