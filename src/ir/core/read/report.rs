//! Errors of the reader of core in words.

use super::error::{Advice, BinderKind, Error, ErrorKind, Wanted};
use super::expr::form_syntax;
use crate::base::{Code, Span};
use crate::diag::Diagnostic;
use crate::ir::core::free::Name;
use crate::ir::core::sexp;

/// An error in words.
pub fn report(error: &Error) -> Diagnostic {
    use ErrorKind as E;
    let at = error.at;
    let form = |message: &str| Diagnostic::error(Code::CoreForm, at, message);
    match &error.kind {
        E::Notation(kind) => sexp::report(&sexp::Error { at, kind: kind.clone() }),
        E::Expected(notation) => form(&format!("expected {notation}")),
        E::Form(word) => form(&format!("expected {}", form_syntax(word).unwrap_or(word))),
        E::Wanted(wanted) => form(wanted_in_words(*wanted)),
        E::SecondForm => form("only one form is expected here"),
        E::ShapeAsExpression(name) => form(&format!("`{name}` is a shape variable, an expression is expected here")),
        E::TextAsExpression => form("strings are not expressions"),
        E::UntypedCells => form("the type of these cells is not evident: write (frame [n] : T e ..)"),
        E::EmptyVector => form("an empty array needs a type: write (array [0] t) or (frame [0] : T)"),
        E::EmptyArray => form("an empty array needs an element type: (array [0] t)"),
        E::ArrayOfNoScalars => form("literal arrays hold scalars; write (frame [n ..] : T e ..)"),
        E::ArrayOfNoLiterals => form("literal arrays hold scalar literals; write (frame [n ..] : T e ..)"),
        E::LiteralShape => form("the shape of a literal consists of numbers"),
        E::NotAnIndex(name) => form(&format!("`{name}` is not an index")),
        E::SizeForShape => Diagnostic::error(Code::CoreSort, at, "this is a size, a shape is expected here")
            .help("a shape of one dimension is written in brackets, `[n]` or `(Shp n)`"),
        E::ShapeForSize => Diagnostic::error(Code::CoreSort, at, "this is a shape, a size is expected here"),
        E::SizeTooLarge => form("this size is too large to write out"),
        E::ParameterIsNoSize(name) => form(&format!("(size {name}): the parameter `{name}` is not of type i64")),
        E::NotAType(name) => form(&format!("`{name}` is not a type")),
        E::ArrayForAtom => Diagnostic::error(Code::CoreKind, at, "this is an array type; the elements of an array are atoms")
            .help("an array of arrays has one shape, `[t i .. j ..]`; an array of boxes holds arrays of different shapes"),
        E::ArrayType(notation) => form(&format!("an array type is written {notation}")),
        E::UniqueType => form("a unique type is written (Uniq T)"),
        E::LabelTwice(label) => form(&format!("the label `{label}` occurs twice")),
        E::BindsNothing(head) => form(&format!("`{head}` binds at least one variable")),
        E::Binder(kind) => {
            let (small, large) = kind.words();
            form(&format!("expected a variable, (x {small}) or (x {large})"))
        }
        E::BinderWord(kind) => {
            let (small, large) = kind.words();
            form(&format!("expected `{small}` or `{large}`"))
        }
        E::BinderSigil { name, kind } => {
            let (small, large) = kind.words();
            let code = match kind {
                BinderKind::Index => Code::CoreSort,
                BinderKind::Type => Code::CoreKind,
            };
            Diagnostic::error(code, at, format!("`{name}` has the sigil of what is `{large}`, not `{small}`"))
        }
        E::BoundTwice { name, first } => form(&format!("`{name}` is bound twice by one binder")).label(*first, "first bound here"),
        E::NotAnAtomVariable(name) => form(&format!("`{name}` is not a type variable of kind Atom")),
        E::Unknown { name, advice } => unknown(at, *name, *advice),
        E::VariableIsNoSize(x) => Diagnostic::error(Code::CoreTypeMismatch, at, format!("(size {x}): `{x}` is not an i64")),
    }
}

fn wanted_in_words(wanted: Wanted) -> &'static str {
    match wanted {
        Wanted::Form => "a form is expected here",
        Wanted::Name => "a name is expected here",
        Wanted::Variable => "the name of a variable is expected here",
        Wanted::Expression => "an expression is expected here; the unit value is (tuple)",
        Wanted::Component => "the number of a component is expected here",
        Wanted::Text => "a string is expected here",
        Wanted::Index => "an index is expected here: a size or a shape",
        Wanted::IndexForm => {
            "an index is expected here: a number, a variable, (size x), (+ d ..), (* d ..), (- d d), [i ..], (Shp d ..) or (++ s ..)"
        }
        Wanted::Type => "a type is expected here",
        Wanted::TypeForm => {
            "a type is expected here: (-> (T ..) T), (Forall (t ..) T), (Pi (n ..) T), (Sigma (n ..) T), (Tup T ..), (Rec (l T) ..), (Sum (l T) ..)"
        }
    }
}

fn unknown(at: Span, name: Name, advice: Option<Advice>) -> Diagnostic {
    let what = match name {
        Name::Index(_) => "index variable",
        Name::Type(_) => "type",
        Name::Size(_) => "variable",
    };
    let diagnostic = Diagnostic::error(Code::CoreUnknownName, at, format!("the {what} `{}` is not in scope", name.symbol()));
    match advice {
        Some(Advice::Similar(near)) => diagnostic.did_you_mean(name.symbol().as_str(), near, at),
        Some(Advice::SizeOf(x)) => diagnostic.help(format!("the value of the variable `{x}` as a size is (size {x})")),
        None => diagnostic,
    }
}
