//! What is wrong with a text of soac, and in which words it is said.

use crate::base::{Code, Span, Symbol};
use crate::diag::Diagnostic;

/// Something wrong, with its place.
pub(super) struct Error {
    pub at: Span,
    pub kind: ErrorKind,
}

/// What is wrong.
pub(super) enum ErrorKind {
    /// Something else than this, in the notation of the language.
    Expected(&'static str),
    /// Something else than a form with this keyword.
    ExpectedHead(&'static str),
    /// Something behind the last part of a form.
    NothingMore,
    /// A variable of this name is there already.
    BoundTwice(Symbol),
    /// No variable has this name.
    Unbound(Symbol),
    /// No earlier function has this name.
    NoFunction(Symbol),
    /// What the validator says of the whole program.
    Invalid(String),
}

/// An error in words.
pub(super) fn report(error: &Error) -> Diagnostic {
    let message = match &error.kind {
        ErrorKind::Expected(what) => format!("expected {what}"),
        ErrorKind::ExpectedHead(word) => format!("expected `({word} ..)`"),
        ErrorKind::NothingMore => "nothing more is expected here".to_string(),
        ErrorKind::BoundTwice(name) => format!("`{name}` is bound twice"),
        ErrorKind::Unbound(name) => format!("`{name}` is not bound"),
        ErrorKind::NoFunction(name) => format!("there is no earlier function `{name}`"),
        ErrorKind::Invalid(problem) => format!("the program is not valid: {problem}"),
    };
    Diagnostic::error(Code::CoreForm, error.at, message)
}
