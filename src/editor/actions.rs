//! Code actions: help of diagnostics that is an exact change, readings of ambiguities, and rewritings of what is selected.

use super::Analysis;
use super::diagnostics::place;
use super::rewrite::{Rewriting, explicit};
use crate::base::{Code, Span};
use crate::diag::{Change, Diagnostic};
use crate::ir::surface::children::Node;
use crate::ir::surface::{PatKind, TypeKind};
use lsp_types::Range;

/// A change that is offered.
#[derive(Debug, Clone, PartialEq)]
pub struct Action {
    /// What it does.
    pub title: String,
    /// The changes of the document, in order.
    pub edits: Vec<(Span, String)>,
    /// The diagnostic that it is help for, by its number in the program; none for rewritings.
    pub diagnostic: Option<usize>,
}

/// What is offered for a range of the document. `refactor` says whether rewritings are wanted too.
pub fn actions(analysis: &Analysis, range: Range, refactor: bool) -> Vec<Action> {
    let span = analysis.span(range);
    let mut out = Vec::new();
    for (at, diagnostic) in analysis.checked.diagnostics.iter().enumerate() {
        let near = |place: Span| place.start <= span.end && span.start <= place.end;
        if place(analysis, diagnostic).is_some_and(near) {
            for (title, edits) in fixes(analysis, diagnostic) {
                out.push(Action { title, edits, diagnostic: Some(at) });
            }
        }
    }
    if refactor && !analysis.is_core() {
        let rewritings = explicit(analysis, span).into_iter();
        out.extend(rewritings.map(|Rewriting { title, edits }| Action { title, edits, diagnostic: None }));
    }
    out
}

fn fixes(analysis: &Analysis, diagnostic: &Diagnostic) -> Vec<(String, Vec<(Span, String)>)> {
    let mut out = Vec::new();
    if let Some(def) = place(analysis, diagnostic).and_then(|place| analysis.definition_around(place))
        && diagnostic.code == Code::Ambiguous
    {
        let decl = analysis.checked.program.defs[def].decl_span();
        // One that would be refused is no help.
        for (at, reading) in diagnostic.readings.iter().enumerate().filter(|(_, reading)| !reading.open) {
            let title = format!("reading {}: {}", at + 1, reading.fragment);
            out.push((title, vec![(decl, reading.source.trim_end().to_string())]));
        }
    }
    for fix in &diagnostic.fixes {
        let edits = match &fix.change {
            Change::Replace(edits) => edits.clone(),
            Change::Consume(parameter) => star(analysis, *parameter).into_iter().collect(),
        };
        if !edits.is_empty() && edits.iter().all(|(span, _)| span.file == analysis.file) {
            let mut edits = edits;
            edits.sort_by_key(|(span, _)| (span.start, span.end));
            out.push((fix.title.clone(), edits));
        }
    }
    out
}

/// The `*` before the type of the parameter that stands here.
fn star(analysis: &Analysis, parameter: Span) -> Option<(Span, String)> {
    let ast = &analysis.checked.program.ast;
    let path = analysis.path_at(parameter.start as usize);
    let ty = path.into_iter().rev().find_map(|node| match node {
        Node::Pat(pat) => match ast.pats[pat].kind {
            PatKind::Ascribe(_, ty) => Some(ty),
            _ => None,
        },
        Node::Expr(_) | Node::Type(_) => None,
    })?;
    let ty = &ast.types[ty];
    let start = Span { end: ty.span.start, ..ty.span };
    (!matches!(ty.kind, TypeKind::Unique(_))).then(|| (start, "*".to_string()))
}
