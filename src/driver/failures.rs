//! Failures of running programs, and bugs of ours, as messages.

use super::Checked;
use crate::base::{Code, Span, ice::Bug};
use crate::diag::Diagnostic;
use crate::interp;
use crate::ir::soac;
use crate::ir::surface::view;
use rustc_hash::FxHashMap;

/// A place in the source that failures of compiled programs name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FailurePlace {
    /// The place itself, perhaps in a library.
    pub span: Span,
    /// The innermost place in the user's own files: itself, or the call through which it was reached.
    pub own: Option<Span>,
    /// How an index there counts, if not from 0 as in messages.
    pub counting: Option<Counting>,
}

/// How indices of a program count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counting {
    /// A literal index `-k` from the end: this `k`.
    FromEnd(i64),
    /// Those of a script in APL from `⎕IO`.
    FromOrigin,
}

pub(super) fn place(checked: &Checked, program: &soac::Program, span: Span) -> FailurePlace {
    let mut places = std::iter::once(span).chain(program.chains.calls(span));
    let own = places.find(|place| !checked.is_library(*place)).map(Span::bare);
    FailurePlace { span: span.bare(), own: own.filter(|_| !span.is_none()), counting: None }
}

/// The places of a compiled program, for its failures.
pub(super) fn failure_places(checked: &Checked, program: &soac::Program, spans: impl Iterator<Item = Span>) -> Vec<FailurePlace> {
    let from_end: FxHashMap<Span, i64> = from_end(checked).collect();
    let place = |span| place(checked, program, span);
    let counting = |span| from_end.get(&span).map(|count| Counting::FromEnd(*count)).or_else(|| from_origin(checked, span));
    spans.map(place).map(|place| FailurePlace { counting: counting(place.span), ..place }).collect()
}

/// The places of literal indices that count from the end, and from which `k` on.
fn from_end(checked: &Checked) -> impl Iterator<Item = (Span, i64)> {
    let ast = &checked.program.ast;
    ast.exprs.iter().filter_map(|(id, expr)| Some((expr.span, view::counts_from_end(ast, id)?)))
}

fn from_origin(checked: &Checked, span: Span) -> Option<Counting> {
    (checked.apl.is_some() && !checked.is_library(span)).then_some(Counting::FromOrigin)
}

/// A failure with what is to be known of indices and shapes there.
fn counted(diagnostic: Diagnostic, code: Code, counting: Option<Counting>) -> Diagnostic {
    match (counting, code == Code::OutOfBounds) {
        (Some(Counting::FromEnd(count)), true) => {
            diagnostic.note(format!("a literal index such as `-{count}` counts from the end of the array"))
        }
        (Some(Counting::FromOrigin), true) => {
            diagnostic.note("the message counts from 0, and the script from `⎕IO`, which is 1 if it is not set")
        }
        (Some(Counting::FromOrigin), false) if code == Code::SizesDiffer => {
            diagnostic.note("two arrays meet here: one has the first shape, and the other one needs the second (LENGTH ERROR)")
        }
        (Some(Counting::FromEnd(_) | Counting::FromOrigin), false) | (None, _) => diagnostic,
    }
}

/// A failure of a compiled program with this code and message, at places of its table: where it happened, and the calls that it left.
pub fn compiled_failure(code: Code, message: String, places: &[FailurePlace]) -> Diagnostic {
    let Some(place) = places.first().filter(|place| !place.span.is_none()) else { return Diagnostic::bare(code, message) };
    let diagnostic = counted(Diagnostic::error(code, place.span, message), code, place.counting);
    match places.iter().find_map(|place| place.own) {
        Some(own) if own != place.span => diagnostic.label(own, "called from here"),
        _ => diagnostic,
    }
}

/// An internal error as a message.
pub fn internal(bug: &Bug) -> Diagnostic {
    let at = bug.place.as_ref().map_or(String::new(), |place| format!(" at {place}"));
    Diagnostic::bare(Code::Internal, format!("internal error in the pass `{}`{at}: {}", bug.pass, bug.what))
        .note("this is a mistake in remora, not in the program")
        .help("please report it, with the program, its input and the output of `remora --version`")
}

/// A failure of a running program as a message.
pub fn failed(failure: &interp::Failure) -> Diagnostic {
    let nowhere = failure.span.is_none();
    if nowhere { Diagnostic::bare(failure.code, failure.message.clone()) } else { failure.diagnostic() }
}

pub(super) fn failure_diagnostic(checked: &Checked, failure: &interp::Failure) -> Diagnostic {
    if failure.span.is_none() {
        return Diagnostic::bare(failure.code, failure.message.clone());
    }
    let from_end = from_end(checked).filter(|(span, _)| *span == failure.span).last().map(|(_, count)| Counting::FromEnd(count));
    let counting = from_end.or_else(|| from_origin(checked, failure.span));
    let diagnostic = counted(failure.diagnostic(), failure.code, counting);
    match failure.calls.iter().find(|call| !checked.is_library(**call)) {
        Some(call) if checked.is_library(failure.span) => diagnostic.label(*call, "called from here"),
        _ => diagnostic,
    }
}
