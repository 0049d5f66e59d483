//! Tests on programs: text in, text out.

mod fixpoint;
mod nests;
pub(crate) mod support;
