//! What is wrong with a script, and in which words it is said.

use super::super::super::values::Form;
use crate::base::{Code, PrimType, Span, Symbol};
use crate::diag::{Diagnostic, Label};
use crate::runtime::data::Expected;

/// Why a script gives no arguments.
#[derive(Debug)]
pub(super) enum Error {
    /// It is wrong itself, at this place.
    Script { at: Span, mistake: Box<ErrorKind> },
    /// A function or a file says so.
    Other(Box<Diagnostic>),
}

impl From<Box<Diagnostic>> for Error {
    fn from(diagnostic: Box<Diagnostic>) -> Error {
        Error::Other(diagnostic)
    }
}

/// What is wrong.
#[derive(Debug)]
pub(super) enum ErrorKind {
    // Notation.
    /// It goes on with this word, where it should end.
    Rest(String),
    /// Something else than this token; nothing at the end.
    Token {
        wanted: &'static str,
        found: String,
    },
    Name,
    Expression,
    /// A text without its closing quote.
    UnclosedText,
    /// `empty(` without end.
    UnclosedEmpty,
    // Functions.
    ArgumentCount {
        function: Symbol,
        takes: usize,
        given: usize,
    },
    /// A value that is applied.
    Applied(String),
    UnknownBuiltin(String),
    /// `$loaddata` and the like of something else than one text; of this literal, if it is one.
    FileName {
        builtin: String,
        found: Option<String>,
    },
    // Values.
    /// `let (..)` of something else than a tuple of so many components.
    TupleWanted(usize),
    /// A scalar or an array has another type, if it is one.
    Type {
        expected: Expected,
        found: Option<(PrimType, usize)>,
    },
    NoField(Symbol),
    /// What is named so cannot be an array of tuples.
    ArrayOfTuples(String),
    Form {
        expected: Form,
        found: Found,
    },
}

/// What a script gives.
#[derive(Debug)]
pub(super) enum Found {
    Literal(String),
    Array,
    Tuple(usize),
    Record(usize),
    Value,
}

/// An error in words.
pub(super) fn report(error: Error) -> Box<Diagnostic> {
    let (at, mistake) = match error {
        Error::Script { at, mistake } => (at, mistake),
        Error::Other(diagnostic) => return diagnostic,
    };
    let message = match &*mistake {
        ErrorKind::Rest(word) => format!("the script goes on here with `{}`, where it should end", word.escape_debug()),
        ErrorKind::Token { wanted, found } if found.is_empty() => format!("`{wanted}` is expected here, found the end of the script"),
        ErrorKind::Token { wanted, found } => format!("`{wanted}` is expected here, found `{}`", found.escape_debug()),
        ErrorKind::Name => "a name is expected here".to_string(),
        ErrorKind::Expression => {
            "an expression is expected here: a function with arguments, a literal, a tuple, an array or a record".to_string()
        }
        ErrorKind::UnclosedText => "this text has no closing quote".to_string(),
        ErrorKind::UnclosedEmpty => "`)` is expected here".to_string(),
        ErrorKind::ArgumentCount { function, takes, given } => {
            let plural = if *takes == 1 { "" } else { "s" };
            format!("`{function}` takes {takes} argument{plural}, {given} given by the script")
        }
        ErrorKind::Applied(name) => format!("`{name}` is a value and takes no arguments"),
        ErrorKind::UnknownBuiltin(name) => {
            let message = format!("a test has no `${}`", name.escape_debug());
            let known = "it has `$loaddata \"file\"` and `$loadbytes \"file\"`";
            return Box::new(Diagnostic::error(Code::TestScript, at, message).note(known));
        }
        ErrorKind::FileName { builtin, found: None } => format!("`${builtin}` takes the name of a file in quotes"),
        ErrorKind::FileName { builtin, found: Some(found) } => {
            format!("`${builtin}` takes the name of a file in quotes, found `{found}`")
        }
        ErrorKind::TupleWanted(count) => format!("this has to be a tuple of {count}"),
        ErrorKind::Type { expected, found } => {
            let found = found.map_or("something else".to_string(), |(prim, rank)| Expected::new("", prim, rank).shown());
            format!("{}: expected {}, found {found}", expected.what, expected.shown())
        }
        ErrorKind::NoField(label) => format!("the record has no field `{label}`"),
        ErrorKind::ArrayOfTuples(what) => format!("{what}: arrays of tuples cannot be given"),
        ErrorKind::Form { expected, found } => {
            let found = match found {
                Found::Literal(text) => format!("`{text}`"),
                Found::Array => "an array".to_string(),
                Found::Tuple(count) => format!("a tuple of {count}"),
                Found::Record(count) => format!("a record of {count}"),
                Found::Value => "a value of another type".to_string(),
            };
            format!("expected {}, found {found}", form(expected))
        }
    };
    Box::new(Diagnostic::error(Code::TestScript, at, message))
}

/// What another part says, at a place in the script where it names none itself, or with `always` in any case.
pub(super) fn placed(at: Span, mut inner: Box<Diagnostic>, always: bool) -> Error {
    if always || inner.labels.is_empty() {
        inner.labels = vec![Label { span: at, text: String::new() }];
    }
    Error::Other(inner)
}

fn form(form: &Form) -> String {
    match form {
        Form::Leaf(expected) => format!("{} of type {}", expected.what, expected.shown()),
        Form::Sum(sum) => format!("{} of type {}", sum.what, sum.shape.shown()),
        Form::Tuple(None, parts) => format!("a tuple of {}", parts.len()),
        Form::Tuple(Some(labels), _) => {
            format!("a record with {}", labels.iter().map(Symbol::to_string).collect::<Vec<_>>().join(", "))
        }
    }
}
