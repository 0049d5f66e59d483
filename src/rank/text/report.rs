//! What is wrong with the text of a rank system, and in which words it is said.

use super::read::LARGEST;
use std::fmt;

/// A mistake in the text of a rank system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextError {
    /// Line, counted from 1.
    pub line: usize,
    /// Column in characters, counted from 1.
    pub column: usize,
    /// What is wrong.
    pub mistake: ErrorKind,
}

/// What is wrong with a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// It is not UTF-8.
    Encoding,
    /// A line goes on where it should end.
    Rest,
    /// Something else should come here.
    Wanted(Wanted),
    /// A line begins with no statement.
    Statement,
    /// An expectation that there is not.
    Expectation,
    /// A number is too large.
    Number,
    /// A number of a sum is too large once it has been put together.
    Sum,
    /// A variable is declared twice.
    DeclaredTwice(String),
    /// A variable is of another kind than its place.
    OtherKind(String),
    /// A variable is not declared.
    Undeclared(String),
    /// There is no equation of this number.
    NoEquation(usize),
    /// There is no site of this label.
    NoSite(String),
}

/// What should come at some place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// A number.
    Number,
    /// A variable.
    Variable,
    /// The label of a site.
    Label,
    /// The frame of a site, or the end.
    Frame,
    /// `=`.
    Equals,
    /// `cost`.
    Cost,
}

impl fmt::Display for TextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.mistake)
    }
}

impl std::error::Error for TextError {}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ErrorKind::Encoding => f.write_str("the text is not UTF-8"),
            ErrorKind::Rest => f.write_str("the line should end here"),
            ErrorKind::Wanted(wanted) => {
                let wanted = match wanted {
                    Wanted::Number => "a number",
                    Wanted::Variable => "a variable",
                    Wanted::Label => "a label",
                    Wanted::Frame => "`frame` or the end of the line",
                    Wanted::Equals => "`=`",
                    Wanted::Cost => "`cost`",
                };
                write!(f, "{wanted} should come here")
            }
            ErrorKind::Statement => f.write_str("expected type, map, rep, site, eq, expect, presolve, components, optimum or conflict"),
            ErrorKind::Expectation => f.write_str("expected unique, ambiguous, many or infeasible"),
            ErrorKind::Number => write!(f, "numbers must be at most {LARGEST}"),
            ErrorKind::Sum => write!(f, "numbers must be at most {LARGEST}, also those of sums"),
            ErrorKind::DeclaredTwice(name) => write!(f, "{name} is declared twice"),
            ErrorKind::OtherKind(name) => write!(f, "{name} is of another kind"),
            ErrorKind::Undeclared(name) => write!(f, "{name} is not declared"),
            ErrorKind::NoEquation(number) => write!(f, "there is no equation {number}"),
            ErrorKind::NoSite(label) => write!(f, "there is no site {label}"),
        }
    }
}
