//! Names in scope: maps with a log of what they hid, so that leaving a scope restores it.

use super::Globals;
use crate::base::Symbol;
use crate::ir::surface::PatId;
use crate::ir::tables::{Res, TypeRes};
use rustc_hash::FxHashMap;

/// A place to go back to.
#[derive(Clone, Copy)]
pub(super) struct Mark {
    terms: usize,
    types: usize,
}

/// Everything that is visible at one place.
pub(super) struct Scope<'a> {
    prelude: &'a Globals,
    /// Imported definitions and earlier ones of this file.
    pub globals: Globals,
    locals: FxHashMap<Symbol, PatId>,
    local_types: FxHashMap<Symbol, TypeRes>,
    hidden_terms: Vec<(Symbol, Option<PatId>)>,
    hidden_types: Vec<(Symbol, Option<TypeRes>)>,
}

impl<'a> Scope<'a> {
    pub fn new(prelude: &'a Globals) -> Scope<'a> {
        Scope {
            prelude,
            globals: Globals::default(),
            locals: FxHashMap::default(),
            local_types: FxHashMap::default(),
            hidden_terms: Vec::new(),
            hidden_types: Vec::new(),
        }
    }

    pub fn mark(&self) -> Mark {
        Mark { terms: self.hidden_terms.len(), types: self.hidden_types.len() }
    }

    /// Forgets all locals bound since the mark.
    pub fn leave(&mut self, mark: Mark) {
        for (name, hidden) in self.hidden_terms.drain(mark.terms..).rev() {
            match hidden {
                Some(pat) => self.locals.insert(name, pat),
                None => self.locals.remove(&name),
            };
        }
        for (name, hidden) in self.hidden_types.drain(mark.types..).rev() {
            match hidden {
                Some(ty) => self.local_types.insert(name, ty),
                None => self.local_types.remove(&name),
            };
        }
    }

    /// Makes the definitions of another file visible.
    pub fn import(&mut self, other: &Globals) {
        self.globals.terms.extend(other.terms.iter().map(|(name, def)| (*name, *def)));
        self.globals.types.extend(other.types.iter().map(|(name, ty)| (*name, *ty)));
    }

    pub fn bind(&mut self, name: Symbol, pat: PatId) {
        let hidden = self.locals.insert(name, pat);
        self.hidden_terms.push((name, hidden));
    }

    pub fn bind_type(&mut self, name: Symbol, ty: TypeRes) {
        let hidden = self.local_types.insert(name, ty);
        self.hidden_types.push((name, hidden));
    }

    pub fn term(&self, name: Symbol) -> Option<Res> {
        if let Some(pat) = self.locals.get(&name) {
            return Some(Res::Local(*pat));
        }
        self.globals.terms.get(&name).or_else(|| self.prelude.terms.get(&name)).map(|def| Res::Global(*def))
    }

    pub fn ty(&self, name: Symbol) -> Option<TypeRes> {
        let known = self.local_types.get(&name).or_else(|| self.globals.types.get(&name));
        known.or_else(|| self.prelude.types.get(&name)).copied()
    }

    /// All visible names of variables and definitions.
    pub fn term_names(&self) -> impl Iterator<Item = &'static str> {
        self.locals.keys().chain(self.globals.terms.keys()).chain(self.prelude.terms.keys()).map(|name| name.as_str())
    }

    /// All visible names of types but the scalar ones.
    pub fn type_names(&self) -> impl Iterator<Item = &'static str> {
        self.local_types.keys().chain(self.globals.types.keys()).chain(self.prelude.types.keys()).map(|name| name.as_str())
    }
}

/// Hands out names that are unique in the program.
#[derive(Default)]
pub(super) struct Uniques {
    used: FxHashMap<Symbol, u32>,
}

impl Uniques {
    /// The name itself the first time, then `f.1`, `f.2`, ..: no name of the language looks so.
    pub fn next(&mut self, name: Symbol) -> Symbol {
        let count = self.used.entry(name).or_insert(0);
        *count += 1;
        match *count {
            1 => name,
            n => Symbol::new(&format!("{name}.{}", n - 1)),
        }
    }
}
