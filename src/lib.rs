//! `remora`: a compiler for array programs written without `map`.
//!
//! ```text
//! surface --resolve--> names --infer--> types, ranks --elaborate--> core --eval--> values
//! ```

pub mod ambiguity;
pub mod base;
pub mod diag;
pub mod explicit;
pub mod ir;
