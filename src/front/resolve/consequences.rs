//! Errors that only follow from others: where a declaration could not be read, or has words of another language, its names mean nothing.

use super::error::Error;
use super::files::Problem;
use super::peel;
use super::report::report;
use crate::base::Span;
use crate::diag::{Diagnostic, Severity};
use crate::ir::surface::Decl;
use crate::ir::tables::Unit;
use rustc_hash::FxHashSet;

/// What is to be reported of syntax and of names: for each declaration at the top of a file the words of other languages (`foreign`, by
/// their places), if there are some; else what could not be read; else the names.
pub(super) fn without(units: &[Unit], files: Vec<Problem>, names: Vec<Error>, foreign: &FxHashSet<Span>) -> Vec<Diagnostic> {
    let starts: Vec<Span> = units.iter().flat_map(|unit| &unit.source.decls).map(start).collect();
    // The declaration to which a place belongs: the last that begins before it in its file.
    let around = |place: Span| {
        let before = starts.iter().filter(|start| start.file == place.file && start.start <= place.start);
        before.map(|start| start.start).max().map(|start| (place.file, start))
    };
    let place = |d: &Diagnostic| d.labels.first().map(|label| label.span);
    let words: FxHashSet<_> = foreign.iter().filter_map(|place| around(*place)).collect();
    let misread = files.iter().filter_map(|problem| match problem {
        Problem::Syntax(diagnostic) if diagnostic.severity == Severity::Error => place(diagnostic),
        Problem::Syntax(_) | Problem::Import(_) => None,
    });
    let misread: FxHashSet<_> = misread.filter_map(around).collect();
    let files = files.into_iter().filter_map(|problem| match problem {
        Problem::Syntax(d) => place(&d).and_then(around).is_none_or(|decl| !words.contains(&decl)).then_some(d),
        Problem::Import(error) => Some(report(&error)),
    });
    let names = names.iter().filter(|error| {
        let Some(decl) = around(error.at) else { return true };
        match words.contains(&decl) {
            true => foreign.contains(&error.at) || !error.kind.is_unknown_name(),
            false => !misread.contains(&decl) || !error.kind.is_unknown_name(),
        }
    });
    files.chain(names.map(report)).collect()
}

fn start(decl: &Decl) -> Span {
    match peel(decl).0 {
        Decl::Def(decl) => decl.span,
        Decl::Val(decl) => decl.span,
        Decl::Type(decl) => decl.span,
        Decl::Import(decl) => decl.span,
        Decl::Module(decl) => decl.span,
        Decl::ModuleType(decl) => decl.span,
        Decl::Open(decl) => decl.span,
        Decl::Local(_) => Span::default(),
        Decl::Error(span) => *span,
    }
}
