//! What has no derivative, as data; [`report`](super::report) has the words.

use crate::base::{Span, Symbol};
use crate::ir::core::Type;

/// Something that has no derivative.
#[derive(Debug, Clone, PartialEq)]
pub struct Error {
    /// The function that differentiates, as core calls it.
    pub operator: Symbol,
    /// What it differentiates, or the function itself where that is no argument.
    pub at: Span,
    /// Of the differentiated function.
    pub part: Part,
    /// The type of that.
    pub ty: Type,
    /// What is wrong with it.
    pub fault: ErrorKind,
}

/// Of a differentiated function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// What it takes.
    Argument,
    /// What it returns.
    Result,
}

/// Why a type has no derivatives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// It has functions in it.
    Functions,
    /// It has sums of several constructors in it.
    Sums,
    /// It hides sizes.
    HiddenSizes,
    /// It is not a single float, where a gradient is asked for.
    NoFloat,
}
