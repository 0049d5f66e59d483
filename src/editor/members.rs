//! What can be named at a place.

use super::Analysis;
use super::hover::{doc, signature};
use crate::base::{PrimType, Span, Symbol, scalar};
use crate::driver;
use crate::ir::surface::children::{Node, children_of, decl_children};
use crate::ir::surface::{Decl, PatKind};
use crate::ir::tables::{DefId, RBase};
use lsp_types::{CompletionItem, CompletionItemKind, Documentation, MarkupContent, MarkupKind};
use std::collections::BTreeMap;

/// Items by label: a later one of the same label hides the earlier.
pub(super) type Items = BTreeMap<String, CompletionItem>;

/// Adds an item.
pub(super) fn add(items: &mut Items, label: &str, kind: CompletionItemKind, detail: Option<String>, doc: Option<Symbol>) {
    let markdown = |text: Symbol| MarkupContent { kind: MarkupKind::Markdown, value: text.to_string() };
    let item = CompletionItem {
        label: label.to_string(),
        kind: Some(kind),
        detail,
        documentation: doc.map(|text| Documentation::MarkupContent(markdown(text))),
        ..CompletionItem::default()
    };
    items.insert(label.to_string(), item);
}

impl Analysis {
    /// The members of modules of this path: definitions, types, modules in it.
    pub(super) fn members(&self, path: &str, items: &mut Items) {
        let program = &self.checked.program;
        let prefix = format!("{path}.");
        let known = |name: &str| name.strip_prefix(&prefix).map(str::to_string);
        for (id, def) in program.defs.iter() {
            if let Some(rest) = known(def.name.as_str()) {
                match rest.split_once('.') {
                    Some((module, _)) if !module.is_empty() => add(items, module, CompletionItemKind::MODULE, None, None),
                    _ => self.item(&rest, id, items),
                }
            }
        }
        for (_, ty) in program.types.iter() {
            if let Some(rest) = known(ty.name.as_str()).filter(|rest| !rest.contains('.')) {
                add(items, &rest, CompletionItemKind::CLASS, None, ty.decl.doc);
            }
        }
        let hidden = self.visible_modules().contains_key(path);
        if let Some(prim) = PrimType::from_name(path).filter(|_| !hidden) {
            for name in scalar::members(prim) {
                let detail = driver::scalar_type(prim, Symbol::new(name));
                add(items, name, CompletionItemKind::FUNCTION, detail, None);
            }
        }
    }

    fn item(&self, label: &str, def: DefId, items: &mut Items) {
        if label.starts_with(|c: char| c.is_alphabetic() || c == '_') {
            let name = self.checked.program.defs[def].name;
            add(items, label, CompletionItemKind::FUNCTION, Some(signature(self, name, def)), doc(self, def));
        }
    }

    /// The modules that are declared outside of others, with their places.
    pub(super) fn visible_modules(&self) -> BTreeMap<String, Span> {
        let mut out = BTreeMap::new();
        for unit in &self.checked.program.units {
            for decl in &unit.source.decls {
                if let Decl::Module(module) = decl {
                    out.insert(module.name.name.to_string(), module.name.span);
                }
            }
        }
        out
    }

    /// Definitions, types and modules that are visible at a place.
    pub(super) fn globals(&self, offset: u32, items: &mut Items) {
        let program = &self.checked.program;
        let before = |span: Span| span.file != self.file || span.end < offset;
        for (id, def) in program.defs.iter() {
            if def.is_plain() && before(def.span) {
                self.item(def.name.as_str(), id, items);
            }
        }
        for (_, ty) in program.types.iter() {
            let name = ty.name.as_str();
            if !name.contains('.') && before(ty.decl.name.span) {
                add(items, name, CompletionItemKind::CLASS, None, ty.decl.doc);
            }
        }
        for (name, span) in self.visible_modules() {
            if before(span) {
                add(items, &name, CompletionItemKind::MODULE, None, None);
            }
        }
        for prim in PrimType::ALL {
            add(items, prim.name(), CompletionItemKind::MODULE, Some(format!("the type {prim}, and the module of its functions")), None);
        }
    }

    /// Local variables that are bound before a place in the definition around it. Those whose scope has ended are among them: where the text
    /// is half written, scopes are not known.
    pub(super) fn locals(&self, offset: u32, items: &mut Items) {
        let Some(unit) = self.unit() else { return };
        let starts = |decl: &&Decl| super::places::decl_span(decl).is_some_and(|span| span.start <= offset);
        let Some(decl) = unit.decls.iter().rfind(starts) else { return };
        let mut nodes = Vec::new();
        decl_children(decl, &mut nodes);
        while let Some(node) = nodes.pop() {
            if let Node::Pat(id) = node {
                let pat = &self.checked.program.ast.pats[id];
                if let PatKind::Name(name) = pat.kind
                    && pat.span.end < offset
                    && !name.as_str().contains('.')
                {
                    let around = self.definition_around(pat.span);
                    let ty = self.checked.tables.pats.get(id).zip(around).map(|(ty, def)| self.show(def, ty));
                    add(items, name.as_str(), CompletionItemKind::VARIABLE, ty, None);
                }
            }
            children_of(&self.checked.program.ast, node, &mut nodes);
        }
    }

    /// The fields of the variables of this name, as far as their types are known.
    pub(super) fn fields_of(&self, name: &str, items: &mut Items) {
        for (id, pat) in self.checked.program.ast.pats.iter() {
            if pat.span.file != self.file || !matches!(pat.kind, PatKind::Name(known) if known.as_str() == name) {
                continue;
            }
            let Some((ty, def)) = self.checked.tables.pats.get(id).zip(self.definition_around(pat.span)) else { continue };
            match &*ty.base {
                RBase::Record(fields) => {
                    for (field, ty) in fields {
                        add(items, field.as_str(), CompletionItemKind::FIELD, Some(self.show(def, ty)), None);
                    }
                }
                RBase::Tuple(parts) => {
                    for (at, ty) in parts.iter().enumerate() {
                        add(items, &at.to_string(), CompletionItemKind::FIELD, Some(self.show(def, ty)), None);
                    }
                }
                RBase::Prim(_) | RBase::Param(_) | RBase::Arrow(..) | RBase::Abstract { .. } | RBase::Sum(_) => {}
            }
        }
    }
}
