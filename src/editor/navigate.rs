//! Where things are declared and used.

use super::Analysis;
use super::places::{Meaning, Occurrence};
use crate::base::{FileId, Span};
use crate::ir::surface::ImportDecl;
use crate::ir::surface::modules::imports_of;
use lsp_types::{DocumentHighlight, DocumentHighlightKind, Position};

/// Where the things under the pointer are declared; for an import, the beginning of its file.
pub fn definition(analysis: &Analysis, position: Position) -> Vec<Span> {
    let offset = analysis.offset(position);
    if analysis.is_core() {
        return super::core::definition(analysis, offset).into_iter().collect();
    }
    if analysis.is_apl() {
        return super::apl::definition(analysis, offset).into_iter().collect();
    }
    if let Some(file) = imported(analysis, offset) {
        return vec![Span::new(file, 0, 0)];
    }
    let mut places: Vec<Span> = analysis.names_at(offset).iter().filter_map(|name| name.declared).collect();
    places.sort_unstable();
    places.dedup();
    places
}

/// The file that the import at a place names.
fn imported(analysis: &Analysis, offset: usize) -> Option<FileId> {
    let mut imports = Vec::new();
    analysis.unit()?.decls.iter().for_each(|decl| imports_of(decl, &mut imports));
    let here = |import: &&&ImportDecl| import.path_span.start as usize <= offset && offset <= import.path_span.end as usize;
    let path = imports.iter().find(here)?.path.as_str();
    let bare = path.strip_suffix(".rem").unwrap_or(path);
    let library = format!("stdlib/{bare}.rem");
    let own = &analysis.sources.file(analysis.file).name;
    let folder = own.rsplit_once('/').map_or("", |(folder, _)| folder);
    let beside = crate::front::resolve::normalise(&format!("{folder}/{path}"));
    let fits = |name: &str| name == library || [".rem", ".fut", ""].iter().any(|ending| name == format!("{beside}{ending}"));
    analysis.sources.files().find(|(id, file)| *id != analysis.file && fits(&file.name)).map(|(id, _)| id)
}

/// The things under the pointer: where they are declared. Where one name stands for an old and a new variable, `let a[i] = v`, they are one
/// thing, and so on.
pub fn things(analysis: &Analysis, position: Position) -> Vec<Span> {
    if analysis.is_apl() {
        return super::apl::definition(analysis, analysis.offset(position)).into_iter().collect();
    }
    let mut found: Vec<Span> = analysis.names_at(analysis.offset(position)).iter().filter_map(|name| name.declared).collect();
    let all = analysis.occurrences();
    loop {
        let before = found.len();
        let places: Vec<Span> = all.iter().filter(|o| o.declared.is_some_and(|d| found.contains(&d))).map(|o| o.span).collect();
        for occurrence in all.iter().filter(|o| places.binary_search(&o.span).is_ok()) {
            if let Some(declared) = occurrence.declared
                && !found.contains(&declared)
            {
                found.push(declared);
            }
        }
        if found.len() == before {
            return found;
        }
    }
}

/// Where the document names things that are declared at these places, the declarations included.
pub fn references(analysis: &Analysis, things: &[Span]) -> Vec<Span> {
    if analysis.is_apl() {
        return things.iter().flat_map(|thing| super::apl::uses(analysis, thing.start as usize)).map(|(span, _)| span).collect();
    }
    let all = analysis.occurrences();
    let mut places: Vec<Span> = named(&all, things).map(|o| o.span).collect();
    places.dedup();
    places
}

pub(super) fn named<'a>(all: &'a [Occurrence], things: &'a [Span]) -> impl Iterator<Item = &'a Occurrence> {
    all.iter().filter(|o| o.declared.is_some_and(|declared| things.contains(&declared)))
}

/// The places in the document that name what is under the pointer.
pub fn highlights(analysis: &Analysis, position: Position) -> Vec<DocumentHighlight> {
    if analysis.is_apl() {
        let each = super::apl::uses(analysis, analysis.offset(position)).into_iter().map(|(span, given)| DocumentHighlight {
            range: analysis.range(span),
            kind: Some(if given { DocumentHighlightKind::WRITE } else { DocumentHighlightKind::READ }),
        });
        return each.collect();
    }
    let things = things(analysis, position);
    let all = analysis.occurrences();
    let mut out: Vec<DocumentHighlight> = Vec::new();
    for occurrence in named(&all, &things) {
        let kind = if occurrence.declares() { DocumentHighlightKind::WRITE } else { DocumentHighlightKind::READ };
        let highlight = DocumentHighlight { range: analysis.range(occurrence.span), kind: Some(kind) };
        if out.last().is_none_or(|last| last.range != highlight.range) {
            out.push(highlight);
        }
    }
    out
}

/// The same place in another program: the file of the same name.
pub fn in_program(span: Span, of: &Analysis, other: &Analysis) -> Option<Span> {
    let file = of.sources.file(span.file);
    let (id, _) = other.sources.files().find(|(_, known)| known.name == file.name && known.text == file.text)?;
    Some(Span { file: id, ..span })
}

/// Whether something that is declared at one of these places may be named in other files.
pub fn is_offered(analysis: &Analysis, things: &[Span]) -> bool {
    let all = analysis.occurrences();
    named(&all, things).any(|o| !matches!(o.meaning, Meaning::Local(_) | Meaning::TypeParam))
}
