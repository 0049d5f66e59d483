//! What can be wrong with patterns, as data; [`report`](super::report) has the words.

use crate::base::{Span, Symbol};

/// Something that is wrong with the patterns of a definition.
#[derive(Debug, Clone, PartialEq)]
pub struct CaseError {
    /// Where.
    pub at: Span,
    /// What.
    pub kind: CaseErrorKind,
}

/// What is wrong with the patterns of a definition.
#[allow(missing_docs, reason = "the line above each variant says what its fields are")]
#[derive(Debug, Clone, PartialEq)]
pub enum CaseErrorKind {
    /// A pattern that has to match every value does not match this.
    Refutable { place: PatternPlace, missing: Shape },
    /// There are values without a case, such as these; the place is that of the last case. There may be more of them.
    Missing { values: Vec<Shape>, more: bool, last: Span },
    /// No value comes to this case. All of them go to the case at the other place, if it is one.
    Unreachable { covering: Option<Span> },
    /// There are too many combinations of patterns to see.
    TooMany,
}

/// Where a pattern stands that has to match every value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PatternPlace {
    /// In a `let`.
    Let,
    /// As a parameter.
    Parameter,
    /// As a variable of a loop.
    Loop,
}

impl CaseError {
    /// Whether the definition is refused for it.
    pub fn refuses(&self) -> bool {
        !matches!(self.kind, CaseErrorKind::Unreachable { .. })
    }
}

/// A pattern without names and annotations.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// Matches everything.
    Any,
    /// A constructor with its parts.
    Made(Maker, Vec<Shape>),
}

/// What makes values.
#[derive(Debug, Clone, PartialEq)]
pub enum Maker {
    /// The only form of a tuple; of a record, with its labels.
    Tuple(Option<Vec<Symbol>>),
    /// `#c`.
    Constr(Symbol),
    /// A truth value.
    Bool(bool),
    /// A whole number.
    Int(i128),
    /// A number with a fraction, by its bits.
    Float(u64),
    /// An imaginary number, as bits.
    Imaginary(u64),
    /// Whole numbers without a case, such as this one.
    Other(i128),
}

impl Shape {
    /// The pattern with all numbers in the place of those that are examples.
    pub(super) fn generalised(&self) -> Shape {
        match self {
            Shape::Any | Shape::Made(Maker::Other(_), _) => Shape::Any,
            Shape::Made(maker, parts) => Shape::Made(maker.clone(), parts.iter().map(Shape::generalised).collect()),
        }
    }
}
