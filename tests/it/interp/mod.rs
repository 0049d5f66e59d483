//! Evaluators.

mod memory;
