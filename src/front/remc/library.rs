//! The libraries of core: the names that every `.remc` file sees, defined in core.
//!
//! A file that begins with `(use semantics)` sees the library of that name before the default one; one that begins with `(use core)` sees
//! primitives only, which is what the printer writes. A definition of a library sees those of its own library and of the ones after
//! it; its own name means in it what it hides. Only what is used becomes part of a program.

use crate::base::{SourceMap, Symbol};
use crate::ir::core::sexp::{self, Sexp, SexpKind};
use crate::ir::surface::Ident;
use rustc_hash::FxHashMap;

/// The names of the libraries with their texts.
const TEXTS: [(&str, &str); 3] = [
    ("semantics", include_str!("../../../stdlib/core/semantics.remc")),
    ("default", include_str!("../../../stdlib/core/default.remc")),
    ("base", include_str!("../../../stdlib/core/base.remc")),
];

/// The names that a file can `use`.
pub fn known() -> impl Iterator<Item = &'static str> {
    ["semantics", "default", "core"].into_iter()
}

/// The libraries that a file sees, the first one first.
#[derive(Debug, Default)]
pub struct Library {
    layers: Vec<Layer>,
}

#[derive(Debug)]
struct Layer {
    definitions: FxHashMap<Symbol, Sexp>,
    /// In the order of the file.
    names: Vec<Symbol>,
}

impl Library {
    /// What a file that uses this library sees; `None` if there is no such library. The errors are in the library itself.
    pub fn load(sources: &mut SourceMap, name: &str) -> Option<(Library, Vec<sexp::Error>)> {
        let from = match name {
            "core" => TEXTS.len(),
            _ => TEXTS.iter().position(|(known, _)| *known == name)?,
        };
        let mut library = Library::default();
        let mut errors = Vec::new();
        for (name, text) in &TEXTS[from..] {
            let file = sources.add(format!("stdlib/core/{name}.remc"), *text);
            let (items, wrong) = sexp::parse(file, text);
            errors.extend(wrong);
            let mut layer = Layer { definitions: FxHashMap::default(), names: Vec::new() };
            for item in items {
                if let Some(name) = defined(&item) {
                    layer.names.push(name);
                    layer.definitions.insert(name, item);
                }
            }
            library.layers.push(layer);
        }
        Some((library, errors))
    }

    /// How many libraries there are.
    pub fn layers(&self) -> usize {
        self.layers.len()
    }

    /// The definition of a name in one of them.
    pub fn definition(&self, layer: usize, name: Symbol) -> Option<&Sexp> {
        self.layers.get(layer)?.definitions.get(&name)
    }

    /// Whether the libraries define this name, those before `layer` left aside.
    pub fn defines(&self, layer: usize, name: Symbol) -> bool {
        (layer..self.layers.len()).any(|layer| self.definition(layer, name).is_some())
    }

    /// All names, those of the first library first.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.layers.iter().flat_map(|layer| layer.names.iter().map(|name| name.as_str()))
    }
}

/// The name that a form defines.
pub(super) fn defined(item: &Sexp) -> Option<Symbol> {
    Some(defined_at(item)?.name)
}

/// The name that a form defines, with its place.
pub fn defined_at(item: &Sexp) -> Option<Ident> {
    let SexpKind::Paren(parts) = &item.kind else { return None };
    let [head, name, ..] = parts.as_slice() else { return None };
    if !matches!(head.keyword(), Some("define" | "entry" | "define-rec" | "entry-rec")) {
        return None;
    }
    let name = match &name.kind {
        SexpKind::Paren(parts) => parts.first()?,
        _ => name,
    };
    let name = match &name.kind {
        SexpKind::Inst { base, .. } => base,
        _ => name,
    };
    Some(Ident { name: name.name()?, span: name.span })
}
