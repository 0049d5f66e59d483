//! The optimiser.

mod alex;
mod optimise;
