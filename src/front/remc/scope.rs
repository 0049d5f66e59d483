//! What is in scope, and names that are new.
//!
//! Every variable gets a name of its own within a definition, different from those of all definitions and primitives. So no
//! binder of the explicit program hides another, and types can be moved between scopes.

use crate::base::{PrimType, Symbol};
use crate::ir::core::free::Name;
use crate::ir::core::read::TypeVariable;
use crate::ir::core::{Atom, Dim, Index, Shape, Type, is_shape};
use rustc_hash::{FxHashMap, FxHashSet};

/// A term variable.
#[derive(Debug, Clone)]
pub(super) struct Term {
    /// Its name in the explicit program.
    pub(super) inner: Symbol,
    /// Its type; none if what it is bound to is wrong.
    pub(super) ty: Option<Type>,
    /// The size that its value is, for an `i64`.
    pub(super) dim: Option<Dim>,
}

/// A binding that is to be undone.
#[derive(Debug, Clone, Copy)]
#[must_use]
pub(super) struct Bound {
    name: Name,
    /// The names that types may mention.
    inner: [Option<Name>; 2],
}

/// The variables of one definition.
#[derive(Debug, Default)]
pub(super) struct Scope {
    terms: FxHashMap<Symbol, Vec<Term>>,
    indices: FxHashMap<Symbol, Vec<Index>>,
    types: FxHashMap<Symbol, Vec<TypeVariable>>,
    /// Names in the explicit program, those that are no longer in scope included.
    used: FxHashSet<Symbol>,
    counts: FxHashMap<Symbol, u64>,
    /// Names that are in scope now.
    live: FxHashSet<Name>,
}

/// Whether a type is that of an `i64`.
pub(super) fn is_i64(ty: &Type) -> bool {
    matches!(ty.atom(), Atom::Prim(PrimType::I64)) && ty.shape().is_scalar()
}

/// An index variable as an index.
pub(super) fn index_variable(name: Symbol) -> Index {
    if is_shape(name) { Index::Shape(Shape::var(name)) } else { Index::Dim(Dim::var(name)) }
}

impl Scope {
    /// A name that nothing else in the definition has: `wanted` where that is possible.
    pub(super) fn fresh(&mut self, wanted: Symbol, taken: impl Fn(Symbol) -> bool) -> Symbol {
        let text = wanted.as_str();
        let stem = text.rsplit_once('\'').filter(|(_, n)| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit())).map_or(text, |(s, _)| s);
        let mut name = wanted;
        while self.used.contains(&name) || taken(name) {
            let count = self.counts.entry(Symbol::new(stem)).or_insert(0);
            *count += 1;
            name = Symbol::new(&format!("{stem}'{count}"));
        }
        self.used.insert(name);
        name
    }

    /// Brings a term variable into scope; its name in the explicit program comes from [`Scope::fresh`].
    pub(super) fn bind_term(&mut self, name: Symbol, inner: Symbol, ty: Option<Type>, dim: Option<Dim>) -> Bound {
        let own = ty.as_ref().is_some_and(is_i64).then(|| Dim::size(inner));
        self.terms.entry(name).or_default().push(Term { inner, ty, dim: dim.or(own) });
        self.bound(Name::Size(name), [Some(Name::Size(inner)), None])
    }

    /// Brings an index variable into scope.
    pub(super) fn bind_index(&mut self, name: Symbol, inner: Symbol) -> Bound {
        self.indices.entry(name).or_default().push(index_variable(inner));
        self.bound(Name::Index(name), [Some(Name::Index(inner)), None])
    }

    /// Brings a type variable into scope.
    pub(super) fn bind_type(&mut self, name: Symbol, variable: TypeVariable) -> Bound {
        self.types.entry(name).or_default().push(variable);
        let inner = match variable {
            TypeVariable::Atom(atom) => [Some(Name::Type(atom)), None],
            TypeVariable::Array { atom, shape } => [Some(Name::Type(atom)), Some(Name::Index(shape))],
        };
        self.bound(Name::Type(name), inner)
    }

    fn bound(&mut self, name: Name, inner: [Option<Name>; 2]) -> Bound {
        self.live.extend(inner.into_iter().flatten());
        Bound { name, inner }
    }

    /// Ends the scope of variables, given from the first to the last.
    pub(super) fn unbind(&mut self, bound: Vec<Bound>) {
        for Bound { name, inner } in bound.into_iter().rev() {
            inner.into_iter().flatten().for_each(|name| {
                self.live.remove(&name);
            });
            match name {
                Name::Size(name) => self.terms.get_mut(&name).and_then(Vec::pop).map(drop),
                Name::Index(name) => self.indices.get_mut(&name).and_then(Vec::pop).map(drop),
                Name::Type(name) => self.types.get_mut(&name).and_then(Vec::pop).map(drop),
            };
        }
    }

    pub(super) fn term(&self, name: Symbol) -> Option<&Term> {
        self.terms.get(&name)?.last()
    }
    pub(super) fn index(&self, name: Symbol) -> Option<&Index> {
        self.indices.get(&name)?.last()
    }
    pub(super) fn type_variable(&self, name: Symbol) -> Option<TypeVariable> {
        self.types.get(&name)?.last().copied()
    }
    /// Whether the explicit program has a variable of this name.
    pub(super) fn is_used(&self, name: Symbol) -> bool {
        self.used.contains(&name)
    }
    pub(super) fn is_live(&self, name: Name) -> bool {
        self.live.contains(&name)
    }

    /// The names of the text that are in scope and are of the kind of `like`.
    pub(super) fn names(&self, like: Name) -> Vec<Symbol> {
        fn visible<T>(map: &FxHashMap<Symbol, Vec<T>>) -> Vec<Symbol> {
            let mut names: Vec<Symbol> = map.iter().filter(|(_, stack)| !stack.is_empty()).map(|(name, _)| *name).collect();
            names.sort_unstable();
            names
        }
        match like {
            Name::Size(_) => visible(&self.terms),
            Name::Index(_) => visible(&self.indices),
            Name::Type(_) => visible(&self.types),
        }
    }
}

impl Bound {
    /// The names that types of the explicit program may mention.
    pub(super) fn inner(&self) -> impl Iterator<Item = Name> {
        self.inner.into_iter().flatten()
    }
    /// The name in the text.
    pub(super) fn name(&self) -> Symbol {
        self.name.symbol()
    }
}
