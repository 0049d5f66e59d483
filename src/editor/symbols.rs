//! The declarations of a document.

use super::Analysis;
use super::places::decl_span;
use crate::base::Span;
use crate::ir::core::sexp;
use crate::ir::surface::modules::{ModuleExpr, ModuleExprKind};
use crate::ir::surface::{Decl, Ident};
use lsp_types::{DocumentSymbol, SymbolKind};

/// The declarations, those of modules inside of them.
pub fn document_symbols(analysis: &Analysis) -> Vec<DocumentSymbol> {
    if analysis.is_core() {
        return core(analysis);
    }
    if analysis.is_apl() {
        return apl(analysis);
    }
    let Some(unit) = analysis.unit() else { return Vec::new() };
    unit.decls.iter().filter_map(|decl| symbol(analysis, decl)).collect()
}

fn symbol(analysis: &Analysis, decl: &Decl) -> Option<DocumentSymbol> {
    let span = decl_span(decl)?;
    let (name, kind, children) = match decl {
        Decl::Def(def) if def.params.is_empty() => (def.name, SymbolKind::CONSTANT, Vec::new()),
        Decl::Def(def) => (def.name, SymbolKind::FUNCTION, Vec::new()),
        Decl::Val(val) => (val.name, SymbolKind::FUNCTION, Vec::new()),
        Decl::Type(ty) => (ty.name, SymbolKind::CLASS, Vec::new()),
        Decl::Module(module) => (module.name, SymbolKind::MODULE, members(analysis, &module.body)),
        Decl::ModuleType(decl) => (decl.name, SymbolKind::INTERFACE, Vec::new()),
        Decl::Local(inner) => return symbol(analysis, inner),
        Decl::Import(_) | Decl::Open(_) | Decl::Error(_) => return None,
    };
    Some(made(analysis, name, kind, span, children))
}

fn members(analysis: &Analysis, module: &ModuleExpr) -> Vec<DocumentSymbol> {
    match &module.kind {
        ModuleExprKind::Struct(decls) => decls.iter().filter_map(|decl| symbol(analysis, decl)).collect(),
        ModuleExprKind::Ascribe { module: inner, .. } | ModuleExprKind::Paren(inner) | ModuleExprKind::Lambda { body: inner, .. } => {
            members(analysis, inner)
        }
        ModuleExprKind::Error | ModuleExprKind::Name(_) | ModuleExprKind::Import(_) | ModuleExprKind::Apply { .. } => Vec::new(),
    }
}

#[allow(deprecated, reason = "the type of the protocol has a field that nobody uses any more")]
fn made(analysis: &Analysis, name: Ident, kind: SymbolKind, span: Span, children: Vec<DocumentSymbol>) -> DocumentSymbol {
    let detail = analysis.definition_at(name.span).and_then(|def| analysis.checked.type_of(def));
    // A declaration may begin with what stands before its name, but the name is in it.
    let whole = span.to(name.span);
    DocumentSymbol {
        name: if name.name.as_str().is_empty() { "?".to_string() } else { name.name.to_string() },
        detail,
        kind,
        tags: None,
        deprecated: None,
        range: analysis.range(whole),
        selection_range: analysis.range(name.span),
        children: (!children.is_empty()).then_some(children),
    }
}

fn core(analysis: &Analysis) -> Vec<DocumentSymbol> {
    let (items, _) = sexp::parse(analysis.file, analysis.text());
    let named = items.iter().filter_map(|item| Some((item.span, crate::front::remc::defined_at(item)?)));
    named.map(|(span, name)| made(analysis, name, SymbolKind::FUNCTION, span, Vec::new())).collect()
}

#[allow(deprecated, reason = "the type of the protocol has a field that nobody uses any more")]
fn apl(analysis: &Analysis) -> Vec<DocumentSymbol> {
    let named = super::apl::symbols(analysis).into_iter().map(|(name, kind, span, whole, detail)| DocumentSymbol {
        name,
        detail,
        kind,
        tags: None,
        deprecated: None,
        range: analysis.range(whole),
        selection_range: analysis.range(span),
        children: None,
    });
    named.collect()
}

/// A declaration of a program.
pub struct FoundSymbol {
    /// Its name with the modules around it.
    pub name: String,
    /// What it is.
    pub kind: SymbolKind,
    /// Where its name stands.
    pub span: Span,
}

/// The definitions of the user's files of a program whose names have the letters of the query, in this order.
pub fn workspace_symbols(analysis: &Analysis, query: &str) -> Vec<FoundSymbol> {
    let query = query.to_lowercase();
    let program = &analysis.checked.program;
    let own = program.defs.iter().filter(|(_, def)| def.is_written() && !def.stdlib);
    let mut out: Vec<FoundSymbol> = own
        .map(|(_, def)| FoundSymbol { name: def.name.to_string(), kind: SymbolKind::FUNCTION, span: def.span })
        .chain(program.types.iter().map(|(_, ty)| FoundSymbol {
            name: ty.name.to_string(),
            kind: SymbolKind::CLASS,
            span: ty.decl.name.span,
        }))
        .filter(|found| !analysis.sources.file(found.span.file).name.starts_with("stdlib/") && matches(&found.name, &query))
        .collect();
    out.sort_by(|a, b| (a.span, &a.name).cmp(&(b.span, &b.name)));
    out.dedup_by(|a, b| a.span == b.span);
    out
}

/// Whether the letters of the query are in the name, in this order.
pub fn matches(name: &str, query: &str) -> bool {
    let mut letters = name.chars().flat_map(char::to_lowercase);
    query.chars().all(|wanted| letters.any(|letter| letter == wanted))
}
