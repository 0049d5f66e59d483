//! What is wrong with a text of s-expressions, as data. [`super::report()`] puts it into words.

use crate::base::{PrimType, Span};

/// Something wrong, with its place.
#[derive(Debug, Clone, PartialEq)]
pub struct Error {
    /// The place.
    pub at: Span,
    /// What is wrong.
    pub kind: ErrorKind,
}

/// What is wrong.
#[derive(Debug, Clone, PartialEq)]
pub enum ErrorKind {
    /// A character that is part of no word.
    Character(char),
    /// A number that its type does not hold: its digits.
    NotOfType {
        /// The number without its type.
        number: String,
        /// The type.
        prim: PrimType,
    },
    /// A word of the form of a number that is none.
    NotANumber(String),
    /// A backslash before this.
    Escape(char),
    /// A string without end.
    UnclosedString,
    /// A comment without end.
    UnclosedComment,
    /// A bracket that this would close.
    Unclosed(char),
    /// This closes nothing.
    ClosesNothing(char),
    /// A bracket that closes another one.
    WrongCloser {
        /// What is there.
        found: char,
        /// What would close the innermost bracket.
        wanted: char,
        /// Where that opens.
        opened: Span,
    },
    /// Braces after nothing.
    BracesWithoutBase,
    /// Braces without a bar.
    MissingBar,
    /// A bar outside of braces, or a second one.
    MisplacedBar,
}
