//! Scopes. A binder that hides a name in scope is renamed in the result, so that a shape computed under it never means the
//! wrong variable.

use super::{Eraser, Result, malformed};
use crate::base::{PrimType, Span, Symbol};
use crate::ir::core::free::{Name, add_dim, add_index};
use crate::ir::core::sizes::SizeEnv;
use crate::ir::core::subst::{Replacement, Subst, TooLarge};
use crate::ir::core::{Atom, Dim, Index, Shape, Type, is_shape, prims};
use rustc_hash::FxHashSet;

/// A variable in scope.
pub(super) struct Entry {
    /// Its name in the result and in types.
    pub(super) internal: Name,
    /// Its type, for term variables.
    pub(super) ty: Option<Type>,
}

/// A binding that is to be undone.
pub(super) struct Bound {
    name: Name,
    pub(super) internal: Name,
    hidden: Option<Entry>,
    hidden_meaning: Option<Replacement>,
}

pub(super) fn is_i64(ty: &Type) -> bool {
    matches!(ty.atom(), Atom::Prim(PrimType::I64)) && ty.shape().is_scalar()
}

fn with_symbol(name: Name, symbol: Symbol) -> Name {
    match name {
        Name::Index(_) => Name::Index(symbol),
        Name::Size(_) => Name::Size(symbol),
        Name::Type(_) => Name::Type(symbol),
    }
}

/// A variable as what replaces another.
pub(super) fn variable(name: Name) -> Replacement {
    match name {
        Name::Size(x) => Replacement::Dim(Dim::size(x)),
        Name::Type(t) => Replacement::Atom(Atom::Var(t)),
        Name::Index(s) if is_shape(s) => Replacement::Shape(Shape::var(s)),
        Name::Index(n) => Replacement::Dim(Dim::var(n)),
    }
}

impl Eraser {
    /// Brings a variable into scope. `dim` is the size it stands for, if that is known.
    pub(super) fn bind(&mut self, name: Name, ty: Option<Type>, dim: Option<Dim>) -> Bound {
        let internal = self.unused(name);
        self.used.insert(internal);
        let meaning = match dim {
            Some(dim) => Some(Replacement::Dim(dim)),
            None if internal != name => Some(variable(internal)),
            None => None,
        };
        let hidden = self.scope.insert(name, Entry { internal, ty });
        let hidden_meaning = match meaning {
            Some(meaning) => self.meanings.insert(name, meaning),
            None => self.meanings.remove(&name),
        };
        Bound { name, internal, hidden, hidden_meaning }
    }

    /// Undoes bindings, given from the first to the last.
    pub(super) fn unbind(&mut self, bound: Vec<Bound>) {
        for Bound { name, internal, hidden, hidden_meaning } in bound.into_iter().rev() {
            self.used.remove(&internal);
            match hidden {
                Some(entry) => self.scope.insert(name, entry),
                None => self.scope.remove(&name),
            };
            match hidden_meaning {
                Some(meaning) => self.meanings.insert(name, meaning),
                None => self.meanings.remove(&name),
            };
        }
    }

    /// The name, or one like it that nothing in scope has.
    pub(super) fn unused(&mut self, name: Name) -> Name {
        let global = |eraser: &Eraser, name| matches!(name, Name::Size(x) if eraser.globals.contains_key(&x));
        let mut candidate = name;
        while self.used.contains(&candidate) || global(self, candidate) {
            let count = self.fresh.entry(name.symbol()).or_insert(0);
            *count += 1;
            candidate = with_symbol(name, Symbol::new(&format!("{}'{count}", name.symbol())));
        }
        candidate
    }

    fn meanings_of(&self, names: &FxHashSet<Name>) -> Subst {
        let mut subst = Subst::default();
        for name in names {
            match (self.meanings.get(name), name) {
                (Some(meaning), _) => subst.insert(*name, meaning.clone()),
                (None, Name::Size(x)) if !self.scope.contains_key(name) && !self.globals.contains_key(x) => {
                    if let Some(value) = prims::constant_size(*x) {
                        subst.insert(*name, Replacement::Dim(value));
                    }
                }
                (None, _) => {}
            }
        }
        subst
    }

    fn small<T>(result: std::result::Result<T, TooLarge>, span: Span) -> Result<T> {
        result.or_else(|TooLarge| malformed(span, "a size in this type is too large to write out"))
    }

    pub(super) fn substituted(&mut self, subst: &Subst, ty: &Type, span: Span) -> Result<Type> {
        Eraser::small(subst.ty(&mut self.free, ty), span)
    }

    /// A type written in the program, with the names of the result.
    pub(super) fn annotation(&mut self, ty: &Type, span: Span) -> Result<Type> {
        let names = self.free.of(ty);
        if names.is_empty() {
            return Ok(ty.clone());
        }
        let subst = self.meanings_of(&names);
        self.substituted(&subst, ty, span)
    }

    pub(super) fn index(&mut self, index: &Index, span: Span) -> Result<Index> {
        let mut names = FxHashSet::default();
        add_index(&mut names, index);
        Eraser::small(self.meanings_of(&names).index(index), span)
    }

    pub(super) fn shape(&mut self, shape: &Shape, span: Span) -> Result<Shape> {
        match self.index(&Index::Shape(shape.clone()), span)? {
            Index::Shape(shape) => Ok(shape),
            Index::Dim(_) => malformed(span, "a shape is expected here"),
        }
    }

    pub(super) fn dim(&mut self, dim: &Dim, span: Span) -> Result<Dim> {
        match self.index(&Index::Dim(dim.clone()), span)? {
            Index::Dim(dim) => Ok(dim),
            Index::Shape(_) => malformed(span, "a size is expected here"),
        }
    }

    /// The type of a term variable, definition or primitive, and its name in the result.
    pub(super) fn lookup(&self, name: Symbol) -> Option<(Symbol, Type)> {
        if let Some(entry) = self.scope.get(&Name::Size(name)) {
            return entry.ty.clone().map(|ty| (entry.internal.symbol(), ty));
        }
        let ty = self.globals.get(&name).cloned().or_else(|| prims::type_of(name))?;
        Some((name, ty))
    }
}

impl SizeEnv for Eraser {
    fn variable(&self, name: Symbol) -> Option<Dim> {
        let key = Name::Size(name);
        match (self.scope.get(&key), self.meanings.get(&key)) {
            (Some(entry), _) if !entry.ty.as_ref().is_some_and(is_i64) => None,
            (Some(_), Some(Replacement::Dim(dim))) => Some(dim.clone()),
            (Some(entry), _) => Some(Dim::size(entry.internal.symbol())),
            (None, _) => match self.globals.get(&name) {
                Some(ty) => is_i64(ty).then(|| Dim::size(name)),
                None => prims::constant_size(name),
            },
        }
    }

    fn is_primitive(&self, name: Symbol) -> bool {
        !self.scope.contains_key(&Name::Size(name)) && !self.globals.contains_key(&name)
    }

    fn resolve(&self, dim: &Dim) -> Option<Dim> {
        let mut names = FxHashSet::default();
        add_dim(&mut names, dim);
        self.meanings_of(&names).dim(dim).ok()
    }
}
