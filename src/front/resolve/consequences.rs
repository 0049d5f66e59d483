//! Diagnostics that only follow from others: where a declaration could not be read, or has words of another language, its names mean nothing.

use super::peel;
use crate::base::{Code, Span};
use crate::diag::{Diagnostic, Severity};
use crate::ir::surface::Decl;
use crate::ir::tables::Unit;
use rustc_hash::FxHashSet;

/// What is to be reported of syntax and of names: for each declaration at the top of a file the words of other languages (`foreign`, by
/// their places), if there are some; else what could not be read; else the names.
pub(super) fn without(units: &[Unit], syntax: Vec<Diagnostic>, names: Vec<Diagnostic>, foreign: &FxHashSet<Span>) -> Vec<Diagnostic> {
    let starts: Vec<Span> = units.iter().flat_map(|unit| &unit.source.decls).map(start).collect();
    // The declaration to which a place belongs: the last that begins before it in its file.
    let around = |place: Span| {
        let before = starts.iter().filter(|start| start.file == place.file && start.start <= place.start);
        before.map(|start| start.start).max().map(|start| (place.file, start))
    };
    let place = |d: &Diagnostic| d.labels.first().map(|label| label.span);
    let words: FxHashSet<_> = foreign.iter().filter_map(|place| around(*place)).collect();
    let misread = syntax.iter().filter(|d| d.severity == Severity::Error && !about_files(d));
    let misread: FxHashSet<_> = misread.filter_map(place).filter_map(around).collect();
    let syntax = syntax.into_iter().filter(|d| about_files(d) || place(d).and_then(around).is_none_or(|decl| !words.contains(&decl)));
    let names = names.into_iter().filter(|d| {
        let Some((place, decl)) = place(d).and_then(|place| Some((place, around(place)?))) else { return true };
        match words.contains(&decl) {
            true => foreign.contains(&place) || !unknown(d),
            false => !misread.contains(&decl) || !unknown(d),
        }
    });
    syntax.chain(names).collect()
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

/// Whether a diagnostic is about imports, which are read with the syntax.
fn about_files(diagnostic: &Diagnostic) -> bool {
    [Code::UnreadableImport, Code::CyclicImports].contains(&diagnostic.code)
}

/// Whether a diagnostic is about a name or type that is not known.
fn unknown(diagnostic: &Diagnostic) -> bool {
    [Code::UnknownName, Code::UnknownType].contains(&diagnostic.code)
}
