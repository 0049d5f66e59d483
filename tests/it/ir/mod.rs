//! Intermediate languages.

mod core;
