//! `remora`: a compiler for array programs written without `map`.
//!
//! ```text
//! surface --resolve--> names --infer--> types, ranks --elaborate--> core --eval--> values
//! ```

pub mod ambiguity;
pub mod base;
pub mod cli;
pub mod consume;
pub mod diag;
pub mod driver;
pub mod elaborate;
pub mod emit;
pub mod erase;
pub mod erased_eval;
pub mod eval;
pub mod explicit;
pub mod flatten;
pub mod infer;
pub mod ir;
pub mod lower;
pub mod optimise;
pub mod rank;
pub mod remc;
pub mod resolve;
pub mod runtime;
pub mod specialise;
pub mod step;
pub mod syntax;
pub mod vectorise;
