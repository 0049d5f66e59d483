//! Are several cheapest solutions of a rank system the same program?
//!
//! Ambiguity is about meaning: for each component of the system that has several optima, every optimum is written out as a term
//! of the smallest expression that contains all applications that differ, and the terms' normal forms are compared.

pub mod normal;
pub mod term;
pub mod translate;
