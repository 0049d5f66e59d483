//! What is shown about the thing under the pointer.

use super::Analysis;
use super::hints::{brackets, words};
use super::places::{Meaning, Occurrence, decl_span};
use crate::base::{Span, Symbol};
use crate::driver;
use crate::front::explicit::nest::nest;
use crate::front::explicit::{Printer, frames_of, head_span};
use crate::ir::surface::children::Node;
use crate::ir::surface::{Decl, ExprId, ExprKind, view};
use crate::ir::tables::{DefId, DefKind, RType};
use lsp_types::{Hover, HoverContents, MarkupContent, MarkupKind, Position, Range};

/// Longest explicit form that is shown, in bytes.
const LONGEST_FORM: usize = 2_000;

/// What is known about the place: type, documentation, what was inserted, and the explicit form.
pub fn hover(analysis: &Analysis, position: Position) -> Option<Hover> {
    let offset = analysis.offset(position);
    if analysis.is_core() {
        let (span, value) = super::core::hover(analysis, offset)?;
        return Some(shown(value, Some(analysis.range(span))));
    }
    if analysis.is_apl() {
        let (span, value) = super::apl::hover(analysis, offset)?;
        return Some(shown(value, Some(analysis.range(span))));
    }
    let names = analysis.names_at(offset);
    let mut parts = Vec::new();
    let mut span = None;
    // Of an old and a new variable at one place the new one is meant.
    if let Some(name) = names.iter().find(|name| name.meaning != Meaning::Field).or(names.first()) {
        parts.extend(about(analysis, name));
        span = Some(name.span);
    }
    let innermost = analysis.path_at(offset).into_iter().rev().find_map(|node| if let Node::Expr(id) = node { Some(id) } else { None });
    if parts.is_empty()
        && let Some(expr) = innermost
    {
        let ast = &analysis.checked.program.ast;
        let here = ast.exprs[expr].span;
        if let (Some(ty), Some(def)) = (analysis.checked.tables.exprs.get(expr), analysis.definition_around(here)) {
            let sized = analysis.inner(def).exprs.get(&view::strip(ast, expr)).map(|sized| sized.text.clone());
            parts.push(ranked(&sized.unwrap_or_else(|| analysis.show(def, ty)), ty));
            span = Some(here);
        }
    }
    if let Some(part) = application(analysis, offset) {
        parts.push(part);
    }
    if parts.is_empty() {
        return None;
    }
    Some(shown(parts.join("\n\n---\n\n"), span.map(|span| analysis.range(span))))
}

fn shown(value: String, range: Option<Range>) -> Hover {
    Hover { contents: HoverContents::Markup(MarkupContent { kind: MarkupKind::Markdown, value }), range }
}

fn code(text: &str) -> String {
    format!("```remora\n{text}\n```")
}

/// A type, with its rank where it is that of an array.
fn ranked(text: &str, ty: &RType) -> String {
    let rank = if ty.rank == 0 { String::new() } else { format!("\n\nrank {}", ty.rank) };
    code(text) + &rank
}

fn about(analysis: &Analysis, name: &Occurrence) -> Vec<String> {
    let checked = &analysis.checked;
    match name.meaning {
        Meaning::Global(def) => definition(analysis, name.name, def),
        Meaning::Local(pat) => {
            let around = analysis.definition_around(name.span);
            let Some((ty, def)) = checked.tables.pats.get(pat).zip(around) else { return Vec::new() };
            let sized = analysis.inner(def).pats.get(&pat).map(|sized| sized.text.clone());
            vec![ranked(&format!("{} : {}", name.name, sized.unwrap_or_else(|| analysis.show(def, ty))), ty)]
        }
        Meaning::Scalar(prim, member) => match driver::scalar_type(prim, member) {
            Some(ty) => vec![code(&format!("{prim}.{member} : {ty}"))],
            None => Vec::new(),
        },
        Meaning::Operator(_) => {
            let ty = name.node.and_then(|node| checked.tables.ops.get(node)).zip(analysis.definition_around(name.span));
            ty.map(|(ty, def)| code(&format!("({}) on {}", name.name, analysis.show(def, ty)))).into_iter().collect()
        }
        Meaning::Prim(prim) => vec![code(&format!("type {prim}"))],
        Meaning::ScalarModule(prim) => vec![code(&format!("module {prim}"))],
        Meaning::Type | Meaning::Module => name.declared.map_or(Vec::new(), |declared| declaration(analysis, declared)),
        Meaning::TypeParam => vec![code(&format!("'{}", name.name))],
        Meaning::Field | Meaning::Constructor => Vec::new(),
    }
}

/// The type of a definition with its name, or what is written of it where it has not been checked.
pub(super) fn signature(analysis: &Analysis, name: Symbol, def: DefId) -> String {
    let checked = &analysis.checked;
    let name = if name.as_str().starts_with(|c: char| c.is_alphabetic() || c == '_') { name.to_string() } else { format!("({name})") };
    if let Some(ty) = checked.type_of(def) {
        return format!("{name} : {ty}");
    }
    if checked.tables.defs.get(def).is_some() {
        let printer = Printer::new(&checked.program, &analysis.sources);
        return format!("{name} : {}", printer.type_of(&checked.tables, def));
    }
    head(analysis, def)
}

/// The declaration of a definition without its body.
fn head(analysis: &Analysis, def: DefId) -> String {
    let program = &analysis.checked.program;
    let span = match &program.defs[def].decl {
        DefKind::Val(decl) => decl.span,
        DefKind::Def(decl) => Span { end: program.ast.exprs[decl.body].span.start.max(decl.span.start), ..decl.span },
    };
    let text = analysis.sources.snippet(span).trim_end().trim_end_matches('=').trim_end();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The documentation of a definition.
pub(super) fn doc(analysis: &Analysis, def: DefId) -> Option<Symbol> {
    match &analysis.checked.program.defs[def].decl {
        DefKind::Def(decl) => decl.doc,
        DefKind::Val(decl) => decl.doc,
    }
}

fn definition(analysis: &Analysis, name: Symbol, def: DefId) -> Vec<String> {
    let checked = &analysis.checked;
    let mut parts = vec![code(&signature(analysis, name, def))];
    parts.extend(doc(analysis, def).map(|doc| doc.to_string()));
    let own = checked.program.defs[def].span.file == analysis.file;
    if own && checked.ranked(def) {
        let all = crate::front::explicit::applications(&checked.program, &analysis.sources, &checked.tables, def);
        let cost: u32 = all.iter().map(|a| a.maps + a.reps - a.induced).sum();
        let plural = if cost == 1 { "" } else { "s" };
        parts.push(format!("cost: {cost} insertion{plural}"));
        let text = Printer::new(&checked.program, &analysis.sources).source(&checked.tables, def);
        if cost > 0 && text.len() <= LONGEST_FORM {
            parts.push(format!("written out:\n{}", code(text.trim_end())));
        }
    }
    parts
}

/// What is written of a type or module.
fn declaration(analysis: &Analysis, declared: Span) -> Vec<String> {
    let program = &analysis.checked.program;
    let Some(unit) = program.units.iter().find(|unit| unit.source.file == declared.file) else { return Vec::new() };
    let around = |decl: &&Decl| decl_span(decl).is_some_and(|span| span.contains(declared));
    let Some(mut decl) = unit.source.decls.iter().find(around) else { return Vec::new() };
    while let Decl::Local(inner) = decl {
        decl = inner;
    }
    let (span, doc) = match decl {
        Decl::Type(ty) => (ty.span, ty.doc),
        // The first line: the rest may be long.
        Decl::Module(module) => (Span { end: module.body.span.start, ..module.span }, module.doc),
        Decl::ModuleType(decl) => (Span { end: decl.sig.span.start, ..decl.span }, decl.doc),
        Decl::Def(_) | Decl::Val(_) | Decl::Import(_) | Decl::Open(_) | Decl::Local(_) | Decl::Error(_) => return Vec::new(),
    };
    let text = analysis.sources.snippet(span).trim_end().trim_end_matches('=').trim_end();
    std::iter::once(code(text)).chain(doc.map(|doc| doc.to_string())).collect()
}

/// The insertions of the application whose function stands here.
fn application(analysis: &Analysis, offset: usize) -> Option<String> {
    let checked = &analysis.checked;
    let program = &checked.program;
    let at = offset as u32;
    let around = analysis.path_at(offset).into_iter().rev();
    let mut around = around.filter_map(|node| if let Node::Expr(id) = node { Some(id) } else { None });
    let node = around.find_map(|id| {
        let nest = nest(&program.ast, &program.names, &checked.tables, id).filter(|nest| !nest.is_plain())?;
        let head = head_span(program, &nest);
        (head.start <= at && at <= head.end).then_some(id)
    })?;
    let def = analysis.definition_around(program.ast.exprs[node].span)?;
    if !checked.ranked(def) {
        return None;
    }
    let info = checked.tables.apps.get(node)?;
    let printer = Printer::new(program, &analysis.sources);
    let frames = frames_of(&printer, &checked.tables, &analysis.inner(def), def, node)?;
    let mut said = format!("inserted here (cost {}), frame `{}`:", info.cost(), brackets(&frames.frame));
    words(&frames).into_iter().for_each(|line| said.push_str(&format!("\n- {line}")));
    if let Some(result) = frames.result.filter(|result| !result.ty.is_empty()) {
        said.push_str(&format!("\n- result: `{}`", result.ty));
    }
    let text = printer.expression(&checked.tables, def, node);
    let shown = if text.len() > LONGEST_FORM { String::new() } else { code(&text) };
    Some(format!("{said}\n\n{shown}"))
}

impl Analysis {
    /// The head of an application, and its arguments, as written.
    pub(super) fn application_parts(&self, node: ExprId) -> Option<(ExprId, Vec<ExprId>)> {
        match &self.checked.program.ast.exprs[node].kind {
            ExprKind::Apply { fun, args } => Some((*fun, args.clone())),
            _ => None,
        }
    }
}
