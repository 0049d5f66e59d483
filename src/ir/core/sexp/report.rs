//! Errors of s-expressions in words.

use super::error::{Error, ErrorKind};
use crate::base::Code;
use crate::diag::Diagnostic;

/// An error in words.
pub fn report(error: &Error) -> Diagnostic {
    use ErrorKind as E;
    let brackets = |message: &str| Diagnostic::error(Code::CoreBrackets, error.at, message);
    let word = |message: &str| Diagnostic::error(Code::CoreWord, error.at, message);
    match &error.kind {
        E::Character(c) => word(&format!("unexpected character `{}`", c.escape_default())),
        E::NotOfType { number, prim } => word(&format!("`{number}` is not a value of type `{prim}`")),
        E::NotANumber(text) => word(&format!("`{text}` is not a number")),
        E::Escape(c) => word(&format!("unknown escape `\\{}`", c.escape_default())),
        E::UnclosedString => word("this string is never closed"),
        E::UnclosedComment => word("this comment is never closed: `|#` is missing"),
        E::Unclosed(closer) => brackets(&format!("this is never closed: `{closer}` is missing")),
        E::ClosesNothing(found) => brackets(&format!("`{found}` closes nothing")),
        E::WrongCloser { found, wanted, opened } => {
            brackets(&format!("`{found}` where `{wanted}` is expected")).label(*opened, "opened here")
        }
        E::BracesWithoutBase => brackets("`{` follows what it instantiates"),
        E::MissingBar => brackets("the bar is missing: `{types | indices}`"),
        E::MisplacedBar => brackets("`|` stands once between `{` and `}`"),
    }
}
