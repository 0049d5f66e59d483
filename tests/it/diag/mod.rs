//! Diagnostics.

mod explanations;
