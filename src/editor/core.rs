//! Core written by hand: what a name stands for. Names that are bound inside of a definition hide others of the same name there.

use super::Analysis;
use crate::base::{FileId, Span, Symbol};
use crate::front::remc::defined_at;
use crate::ir::core::sexp::{Sexp, SexpKind};
use crate::ir::core::{print, sexp};
use crate::ir::surface::Ident;

/// The name at a place of the document.
pub(super) fn name_at(analysis: &Analysis, offset: usize) -> Option<Ident> {
    let items = sexp::parse(analysis.file, analysis.text()).0;
    find(&items, offset as u32)
}

fn find(items: &[Sexp], offset: u32) -> Option<Ident> {
    let item = items.iter().filter(|item| item.span.start <= offset && offset <= item.span.end).max_by_key(|item| item.span.start)?;
    match &item.kind {
        SexpKind::Paren(parts) | SexpKind::Bracket(parts) => find(parts, offset),
        SexpKind::Inst { base, .. } => find(std::slice::from_ref(&**base), offset),
        _ => Some(Ident { name: item.name()?, span: item.span }),
    }
}

/// Where a name is defined: in the document, or in the library.
pub(super) fn definition(analysis: &Analysis, offset: usize) -> Option<Span> {
    let name = name_at(analysis, offset)?.name;
    let own = std::iter::once(analysis.file);
    let library = analysis.sources.files().filter(|(id, _)| *id != analysis.file).map(|(id, _)| id);
    own.chain(library).find_map(|file| defined_in(analysis, file, name))
}

fn defined_in(analysis: &Analysis, file: FileId, name: Symbol) -> Option<Span> {
    let items = sexp::parse(file, &analysis.sources.file(file).text).0;
    items.iter().filter_map(defined_at).find(|ident| ident.name == name).map(|ident| ident.span)
}

/// The type of what a name stands for, where it is used in the program.
pub(super) fn hover(analysis: &Analysis, offset: usize) -> Option<(Span, String)> {
    let ident = name_at(analysis, offset)?;
    let known = analysis.checked.core.defs.iter().find(|define| analysis.checked.source_name(define.name) == ident.name)?;
    Some((ident.span, format!("```remora-core\n{} : {}\n```", ident.name, print::ty(&known.ty))))
}
