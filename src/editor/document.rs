//! What a file documents: its declarations with their types, comments and sources, for pages about libraries.

use super::Analysis;
use super::hover::signature;
use super::places::decl_span;
use crate::base::{Span, Symbol};
use crate::ir::surface::modules::{ModuleDecl, ModuleExpr, ModuleExprKind, ModuleType, ModuleTypeKind, Spec};
use crate::ir::surface::{Decl, Ident, PatId, PatKind};
use std::collections::HashMap;

/// A declaration that others can use.
#[derive(Debug, Clone)]
pub struct Item {
    /// What it is.
    pub kind: Kind,
    /// Its name.
    pub name: String,
    /// Its name with the modules around it.
    pub path: String,
    /// What its place on a page is called: its path, but for module types that are called as modules of the file are.
    pub anchor: String,
    /// Its name with its type, or what is written of it before its body.
    pub signature: String,
    /// What its comment says.
    pub doc: Vec<Part>,
    /// Its text.
    pub source: String,
    /// The line where it begins, from 1.
    pub line: usize,
    /// What is in it, if it is a module or the type of one.
    pub items: Vec<Item>,
}

/// Kinds of declarations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A function or a constant.
    Value,
    /// A type.
    Type,
    /// A module, with parameters or without.
    Module,
    /// What modules consist of.
    ModuleType,
}

/// A part of a comment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// A paragraph.
    Text(String),
    /// `> expression`, with the values that are its results on the lines after it.
    Example {
        /// Which line of the comment it is, from 0.
        line: usize,
        /// What is computed.
        expression: String,
        /// Its results; empty where none are said.
        results: String,
    },
}

/// What a documentation comment says, without its dashes. Examples end at an empty line, or where another one begins.
pub fn parts(doc: &str) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    // Whether the next line belongs to the last part.
    let mut open = false;
    for (line, text) in doc.lines().enumerate() {
        let text = text.trim();
        if let Some(expression) = text.strip_prefix("> ") {
            parts.push(Part::Example { line, expression: expression.trim().to_string(), results: String::new() });
            open = true;
        } else if text.is_empty() {
            open = false;
        } else if let Some(Part::Text(more) | Part::Example { results: more, .. }) = parts.last_mut().filter(|_| open) {
            let between = if more.is_empty() { "" } else { " " };
            more.push_str(between);
            more.push_str(text);
        } else {
            parts.push(Part::Text(text.to_string()));
            open = true;
        }
    }
    parts
}

/// The examples in the documentation comments of a text: for each the line where it stands, from 1, the expression, and the results.
pub fn examples(text: &str) -> Vec<(usize, String, String)> {
    let mut found = Vec::new();
    let lines: Vec<&str> = text.lines().map(str::trim_start).collect();
    let mut at = 0;
    while at < lines.len() {
        let Some(first) = lines[at].strip_prefix("-- |") else {
            at += 1;
            continue;
        };
        let more = lines[at + 1..].iter().take_while(|line| line.starts_with("--") && !line.starts_with("-- |"));
        // Blocks of tests are no documentation.
        let more: Vec<&str> = more.map(|line| line.trim_start_matches('-')).take_while(|line| line.trim() != "==").collect();
        let doc = std::iter::once(first).chain(more.iter().copied()).collect::<Vec<_>>().join("\n");
        for part in parts(&doc) {
            if let Part::Example { line, expression, results } = part {
                found.push((at + line + 1, expression, results));
            }
        }
        at += 1 + more.len();
    }
    found
}

/// What the first comment of a file says of it.
pub fn about(text: &str) -> Vec<Part> {
    let lines = text.lines().take_while(|line| line.starts_with("--") && !line.starts_with("-- |"));
    parts(&lines.map(|line| line.trim_start_matches('-')).collect::<Vec<_>>().join("\n"))
}

/// The declarations of the document that are not local to it.
pub fn items(analysis: &Analysis) -> Vec<Item> {
    let Some(unit) = analysis.unit() else { return Vec::new() };
    let mut items: Vec<Item> = unit.decls.iter().filter_map(|decl| item(analysis, decl, "")).collect();
    tell_apart(&mut items);
    items
}

/// Types, module types and the rest have names of their own: a type may be called as a function is, a module type as a module.
fn tell_apart(items: &mut [Item]) {
    fn prefix(item: &mut Item, with: &str) {
        item.anchor.insert_str(0, with);
        item.items.iter_mut().for_each(|inner| prefix(inner, with));
    }
    let of = |kinds: &[Kind]| items.iter().filter(|item| kinds.contains(&item.kind)).map(|item| item.path.clone()).collect::<Vec<_>>();
    let (values, others) = (of(&[Kind::Value]), of(&[Kind::Value, Kind::Type, Kind::Module]));
    for item in &mut *items {
        match item.kind {
            Kind::Type if values.contains(&item.path) => prefix(item, "type:"),
            Kind::ModuleType if others.contains(&item.path) => prefix(item, "module-type:"),
            Kind::Type | Kind::ModuleType | Kind::Value | Kind::Module => {}
        }
    }
    items.iter_mut().for_each(|item| tell_apart(&mut item.items));
}

/// What the types of a module say of its members.
#[derive(Default)]
struct Specified {
    /// The names that can be seen from outside, with what is said of them.
    names: HashMap<String, Option<Symbol>>,
    /// Whether the module has a type, all of which is in `names`.
    complete: bool,
}

/// Members that the type of a module hides are left out; those that have no comment of their own say what the type says of them.
fn specify(analysis: &Analysis, module: &ModuleDecl, items: &mut Vec<Item>) {
    let mut body = &module.body;
    let mut sigs: Vec<&ModuleType> = module.sig.iter().collect();
    while let ModuleExprKind::Ascribe { module: inner, sig } = &body.kind {
        sigs.push(sig);
        body = inner;
    }
    for sig in sigs {
        let mut found = Specified { complete: true, ..Specified::default() };
        read_specs(analysis, sig, MOST_NESTED, &mut found);
        if found.complete {
            items.retain(|item| found.names.contains_key(&item.name));
        }
        for item in items.iter_mut().filter(|item| item.doc.is_empty()) {
            item.doc = found.names.get(&item.name).copied().flatten().map_or_else(Vec::new, |doc| parts(doc.as_str()));
        }
    }
}

/// Module types are followed so far through their names.
const MOST_NESTED: usize = 16;

fn read_specs(analysis: &Analysis, sig: &ModuleType, depth: usize, found: &mut Specified) {
    let Some(depth) = depth.checked_sub(1) else {
        found.complete = false;
        return;
    };
    match &sig.kind {
        ModuleTypeKind::Specs(specs) => {
            for spec in specs {
                let (name, doc) = match spec {
                    Spec::Val(val) => (val.name, val.doc),
                    Spec::Type(ty) => (ty.name, ty.doc),
                    Spec::Abstract(ty) => (ty.name, ty.doc),
                    Spec::Module(module) => (module.name, None),
                    Spec::Include(inner) => {
                        read_specs(analysis, inner, depth, found);
                        continue;
                    }
                    Spec::Error(_) => continue,
                };
                found.names.insert(name.name.to_string(), doc);
            }
        }
        ModuleTypeKind::Name(path) => {
            let named = |decl: &Decl| matches!(decl, Decl::ModuleType(ty) if path.len() == 1 && ty.name.name == path[0].name);
            // Later ones hide earlier ones, and those of a file come after those that it imports.
            match analysis.checked.program.units.iter().flat_map(|unit| &unit.source.decls).rfind(|d| named(d)) {
                Some(Decl::ModuleType(named)) => read_specs(analysis, &named.sig, depth, found),
                _ => found.complete = false,
            }
        }
        ModuleTypeKind::Paren(inner) | ModuleTypeKind::With { sig: inner, .. } => read_specs(analysis, inner, depth, found),
        ModuleTypeKind::Arrow { .. } | ModuleTypeKind::Error => found.complete = false,
    }
}

fn item(analysis: &Analysis, decl: &Decl, outer: &str) -> Option<Item> {
    let whole = decl_span(decl)?;
    match decl {
        Decl::Def(def) => {
            let body = analysis.checked.program.ast.exprs[def.body].span;
            let head = Span { end: body.start.max(whole.start), ..whole };
            let made = made(analysis, outer, Kind::Value, (def.name, def.doc), whole, head);
            // Types that are written have the names that their author gave them.
            let typed = def.ret.is_some() && def.params.iter().all(|pat| has_type(analysis, *pat));
            Some(if typed { Item { signature: written(analysis, head), ..made } } else { made })
        }
        Decl::Val(val) => Some(made(analysis, outer, Kind::Value, (val.name, val.doc), whole, whole)),
        Decl::Type(ty) => Some(made(analysis, outer, Kind::Type, (ty.name, ty.doc), whole, whole)),
        Decl::Module(module) => {
            let head = Span { end: module.body.span.start, ..whole };
            let mut inside = members(analysis, &module.body, &path(outer, module.name));
            specify(analysis, module, &mut inside);
            // What is put together from others is short, and says it all.
            let head = if inside.is_empty() { whole } else { head };
            Some(Item { items: inside, ..made(analysis, outer, Kind::Module, (module.name, module.doc), whole, head) })
        }
        Decl::ModuleType(decl) => {
            let inside = specs(analysis, &decl.sig, &path(outer, decl.name));
            let head = if inside.is_empty() { whole } else { Span { end: decl.sig.span.start, ..whole } };
            let mut made = made(analysis, outer, Kind::ModuleType, (decl.name, decl.doc), whole, head);
            if !inside.is_empty() {
                made.signature.push_str(&nameless(analysis, &decl.sig));
            }
            Some(Item { items: inside, ..made })
        }
        Decl::Local(_) | Decl::Import(_) | Decl::Open(_) | Decl::Error(_) => None,
    }
}

fn members(analysis: &Analysis, module: &ModuleExpr, outer: &str) -> Vec<Item> {
    match &module.kind {
        ModuleExprKind::Struct(decls) => decls.iter().filter_map(|decl| item(analysis, decl, outer)).collect(),
        ModuleExprKind::Ascribe { module: inner, .. } | ModuleExprKind::Paren(inner) | ModuleExprKind::Lambda { body: inner, .. } => {
            members(analysis, inner, outer)
        }
        ModuleExprKind::Error | ModuleExprKind::Name(_) | ModuleExprKind::Import(_) | ModuleExprKind::Apply { .. } => Vec::new(),
    }
}

fn specs(analysis: &Analysis, sig: &ModuleType, outer: &str) -> Vec<Item> {
    let specs = match &sig.kind {
        ModuleTypeKind::Specs(specs) => specs,
        ModuleTypeKind::Paren(inner) | ModuleTypeKind::With { sig: inner, .. } => return specs(analysis, inner, outer),
        ModuleTypeKind::Error | ModuleTypeKind::Name(_) | ModuleTypeKind::Arrow { .. } => return Vec::new(),
    };
    let found = specs.iter().filter_map(|spec| match spec {
        // A type that is abstract here is none of those that modules have for it.
        Spec::Val(val) => {
            let made = made(analysis, outer, Kind::Value, (val.name, val.doc), val.span, val.span);
            Some(Item { signature: written(analysis, val.span), ..made })
        }
        Spec::Type(ty) => Some(made(analysis, outer, Kind::Type, (ty.name, ty.doc), ty.span, ty.span)),
        Spec::Abstract(_) | Spec::Module(_) | Spec::Include(_) | Spec::Error(_) => None,
    });
    found.collect()
}

/// What a module type has beside that which is described by itself: abstract types, modules, and what it includes.
fn nameless(analysis: &Analysis, sig: &ModuleType) -> String {
    let specs = match &sig.kind {
        ModuleTypeKind::Specs(specs) => specs,
        ModuleTypeKind::Paren(inner) | ModuleTypeKind::With { sig: inner, .. } => return nameless(analysis, inner),
        ModuleTypeKind::Error | ModuleTypeKind::Name(_) | ModuleTypeKind::Arrow { .. } => return String::new(),
    };
    let lines = specs.iter().filter_map(|spec| match spec {
        Spec::Abstract(ty) => Some(written(analysis, ty.span)),
        Spec::Include(inner) => Some(format!("include {}", written(analysis, inner.span))),
        Spec::Module(module) => Some(written(analysis, module.span)),
        Spec::Val(_) | Spec::Type(_) | Spec::Error(_) => None,
    });
    let lines: Vec<String> = lines.map(|line| format!("  {line}\n")).collect();
    if lines.is_empty() { String::new() } else { format!(" = {{\n{}  ..\n}}", lines.concat()) }
}

fn path(outer: &str, name: Ident) -> String {
    if outer.is_empty() { name.name.to_string() } else { format!("{outer}.{}", name.name) }
}

/// Whether the type of a parameter is written.
fn has_type(analysis: &Analysis, pat: PatId) -> bool {
    match analysis.checked.program.ast.pats[pat].kind {
        PatKind::Ascribe(..) => true,
        PatKind::Paren(inner) => has_type(analysis, inner),
        _ => false,
    }
}

/// A text in one line, without what begins a body.
fn written(analysis: &Analysis, head: Span) -> String {
    let text = analysis.sources.snippet(head).trim_end().trim_end_matches('=');
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A declaration with this name and documentation; `head` is what is shown of it where there is no type.
fn made(analysis: &Analysis, outer: &str, kind: Kind, (name, doc): (Ident, Option<Symbol>), whole: Span, head: Span) -> Item {
    let known = analysis.definition_at(name.span).filter(|_| kind == Kind::Value);
    Item {
        kind,
        name: name.name.to_string(),
        path: path(outer, name),
        anchor: path(outer, name),
        signature: known.map_or_else(|| written(analysis, head), |def| signature(analysis, name.name, def)),
        doc: doc.map_or(Vec::new(), |doc| parts(doc.as_str())),
        source: analysis.sources.snippet(whole).to_string(),
        line: analysis.range(whole).start.line as usize + 1,
        items: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_have_paragraphs_and_examples() {
        let text = "-- About\n-- it.\n\n-- | One\n-- two.\n-- > f 1\n-- 2 3\n--\n-- After.\n-- > f 2\n-- ==\n-- input { } output { 9 }\ndef f x = x\n";
        let example =
            |line, expression: &str, results: &str| Part::Example { line, expression: expression.into(), results: results.into() };
        assert_eq!(
            parts(" One\n two.\n > f 1\n 2 3\n\n After.\n > f 2"),
            [Part::Text("One two.".into()), example(2, "f 1", "2 3"), Part::Text("After.".into()), example(6, "f 2", "")]
        );
        assert_eq!(examples(text), [(6, "f 1".to_string(), "2 3".to_string()), (10, "f 2".to_string(), String::new())]);
        assert_eq!(about(text), [Part::Text("About it.".into())]);
    }
}
