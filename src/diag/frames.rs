//! How applications take their arguments apart into frames and cells, as data for pictures.

use crate::base::Span;

/// An application with insertions.
#[derive(Debug, Clone, PartialEq)]
pub struct Frames {
    /// The function or operator, as written.
    pub function: String,
    /// Where it stands.
    pub place: Span,
    /// The sizes of the frame, outermost first; empty where a size is not known.
    pub frame: Vec<String>,
    /// The function, where it is an array of functions, and the arguments.
    pub parts: Vec<Part>,
    /// The result, unless an operand is missing.
    pub result: Option<Part>,
}

/// An argument of an application, or its result.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// As written.
    pub text: String,
    /// Where it is written.
    pub place: Option<Span>,
    /// Its type; empty where it is not known.
    pub ty: String,
    /// Over how many of the innermost dimensions of the frame it is mapped; for all others it is the same.
    pub mapped: usize,
    /// How many dimensions are put in front of it because the function wants so many more.
    pub replicated: usize,
    /// The sizes of the dimensions that the function gets, without those that are put in front.
    pub cell: Vec<String>,
}

impl Frames {
    /// The sizes over which a part is mapped.
    pub fn mapped<'a>(&'a self, part: &Part) -> &'a [String] {
        &self.frame[self.frame.len().saturating_sub(part.mapped)..]
    }
}
