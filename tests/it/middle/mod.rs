//! The optimiser.

mod optimise;
