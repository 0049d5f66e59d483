//! Ranges of text that belong together: what can be folded, and what a selection grows to.

use super::Analysis;
use super::places::decl_span;
use crate::base::Span;
use crate::ir::core::sexp::{self, Sexp, SexpKind};
use crate::ir::surface::Decl;
use crate::ir::surface::modules::{ModuleExpr, ModuleExprKind};
use lsp_types::{FoldingRange, FoldingRangeKind, Position, SelectionRange};

/// Declarations of several lines, comments of several lines, and imports that follow each other.
pub fn folding(analysis: &Analysis) -> Vec<FoldingRange> {
    let mut spans = Vec::new();
    if analysis.is_core() {
        spans.extend(sexp::parse(analysis.file, analysis.text()).0.iter().map(|item| (item.span, None)));
    } else if analysis.is_apl() {
        spans.extend(super::apl::folding(analysis).into_iter().map(|span| (span, None)));
    } else if let Some(unit) = analysis.unit() {
        declarations(&unit.decls, &mut spans);
        spans.extend(imports(analysis, &unit.decls).map(|span| (span, Some(FoldingRangeKind::Imports))));
    }
    let mut out: Vec<FoldingRange> = spans.into_iter().filter_map(|(span, kind)| folded(analysis, span, kind)).collect();
    out.extend(comments(analysis));
    out.sort_by_key(|range| (range.start_line, std::cmp::Reverse(range.end_line)));
    out.dedup_by_key(|range| (range.start_line, range.end_line));
    out
}

fn declarations(decls: &[Decl], out: &mut Vec<(Span, Option<FoldingRangeKind>)>) {
    for decl in decls {
        out.extend(decl_span(decl).map(|span| (span, None)));
        let mut inner = decl;
        while let Decl::Local(local) = inner {
            inner = local;
        }
        if let Decl::Module(module) = inner {
            members(&module.body, out);
        }
    }
}

fn members(module: &ModuleExpr, out: &mut Vec<(Span, Option<FoldingRangeKind>)>) {
    match &module.kind {
        ModuleExprKind::Struct(decls) => declarations(decls, out),
        ModuleExprKind::Ascribe { module: inner, .. } | ModuleExprKind::Paren(inner) | ModuleExprKind::Lambda { body: inner, .. } => {
            members(inner, out);
        }
        ModuleExprKind::Error | ModuleExprKind::Name(_) | ModuleExprKind::Import(_) | ModuleExprKind::Apply { .. } => {}
    }
}

/// Imports that follow each other.
fn imports<'a>(analysis: &'a Analysis, decls: &'a [Decl]) -> impl Iterator<Item = Span> + 'a {
    let groups = decls.chunk_by(|a, b| matches!((a, b), (Decl::Import(_), Decl::Import(_))));
    groups.filter(|group| group.len() > 1).filter_map(|group| {
        let (first, last) = (decl_span(group.first()?)?, decl_span(group.last()?)?);
        (first.file == analysis.file).then(|| first.to(last))
    })
}

fn folded(analysis: &Analysis, span: Span, kind: Option<FoldingRangeKind>) -> Option<FoldingRange> {
    let range = analysis.range(span);
    lines(range.start.line, range.end.line, kind)
}

fn lines(start_line: u32, end_line: u32, kind: Option<FoldingRangeKind>) -> Option<FoldingRange> {
    let range = FoldingRange { start_line, end_line, kind, start_character: None, end_character: None, collapsed_text: None };
    (start_line < end_line).then_some(range)
}

fn comments(analysis: &Analysis) -> Vec<FoldingRange> {
    let sign = match (analysis.is_core(), analysis.is_apl()) {
        (true, _) => ";",
        (_, true) => "⍝",
        _ => "--",
    };
    let mut out = Vec::new();
    let mut start = None;
    let last = analysis.text().lines().count();
    let all = analysis.text().lines().map(|line| line.trim_start().starts_with(sign)).chain(std::iter::once(false));
    for (at, comment) in all.enumerate().take(last + 1) {
        match (comment, start) {
            (true, None) => start = Some(at),
            (false, Some(first)) => {
                out.extend(lines(first as u32, at as u32 - 1, Some(FoldingRangeKind::Comment)));
                start = None;
            }
            (true, Some(_)) | (false, None) => {}
        }
    }
    out
}

/// The ranges around a place, each inside of its parent.
pub fn selection(analysis: &Analysis, position: Position) -> SelectionRange {
    let offset = analysis.offset(position);
    let whole = Span::new(analysis.file, 0, analysis.text().len());
    let mut spans = vec![whole];
    if analysis.is_core() {
        around(&sexp::parse(analysis.file, analysis.text()).0, offset as u32, &mut spans);
    } else {
        let here = |span: &Span| span.start as usize <= offset && offset <= span.end as usize;
        let decls = analysis.unit().into_iter().flat_map(|unit| &unit.decls);
        spans.extend(decls.filter_map(decl_span).filter(here));
        spans.extend(analysis.path_at(offset).into_iter().map(|node| analysis.node_span(node)));
        spans.extend(analysis.names_at(offset).first().map(|name| name.span));
    }
    let mut nested: Vec<Span> = Vec::new();
    for span in spans {
        if nested.last().is_none_or(|outer| outer.contains(span) && *outer != span) {
            nested.push(span);
        }
    }
    let mut range = SelectionRange { range: analysis.range(whole), parent: None };
    for span in nested.into_iter().skip(1) {
        range = SelectionRange { range: analysis.range(span), parent: Some(Box::new(range)) };
    }
    range
}

fn around(items: &[Sexp], offset: u32, out: &mut Vec<Span>) {
    let Some(item) = items.iter().find(|item| item.span.start <= offset && offset <= item.span.end) else { return };
    out.push(item.span);
    if let SexpKind::Paren(parts) | SexpKind::Bracket(parts) = &item.kind {
        around(parts, offset, out);
    }
}
