//! Verdicts on programs, and normal forms of terms.

mod laws;
mod verdicts;
