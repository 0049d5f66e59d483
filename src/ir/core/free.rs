//! Free variables of types and indices, remembered for each node of a type graph.

use super::{Atom, Dim, DimAtom, Index, Shape, ShapeItem, Type};
use crate::base::Symbol;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// A variable that a type can mention.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Name {
    /// An index variable, `n` or `@s`.
    Index(Symbol),
    /// A term variable, in `(size x)`.
    Size(Symbol),
    /// A type variable.
    Type(Symbol),
}

impl Name {
    /// The name itself.
    pub fn symbol(self) -> Symbol {
        match self {
            Name::Index(name) | Name::Size(name) | Name::Type(name) => name,
        }
    }
}

/// A set of free variables.
pub type NameSet = Rc<FxHashSet<Name>>;

/// Computes free variables, each node of a graph once. Keeps the types it has seen alive.
#[derive(Default)]
pub struct FreeVars {
    memo: FxHashMap<*const super::ArrType, (Type, NameSet)>,
    empty: NameSet,
}

impl FreeVars {
    /// The free variables of a type.
    pub fn of(&mut self, ty: &Type) -> NameSet {
        if let (Atom::Prim(_), true) = (ty.atom(), ty.shape().is_scalar()) {
            return self.empty.clone();
        }
        let key = std::sync::Arc::as_ptr(&ty.0);
        if let Some((_, names)) = self.memo.get(&key) {
            return names.clone();
        }
        let mut names = FxHashSet::default();
        add_shape(&mut names, ty.shape());
        self.add_atom(&mut names, ty.atom());
        let names = if names.is_empty() { self.empty.clone() } else { Rc::new(names) };
        self.memo.insert(key, (ty.clone(), names.clone()));
        names
    }

    /// Adds the free variables of an atom type.
    pub fn add_atom(&mut self, names: &mut FxHashSet<Name>, atom: &Atom) {
        match atom {
            Atom::Prim(_) => {}
            Atom::Var(name) => {
                names.insert(Name::Type(*name));
            }
            Atom::Fun(params, ret) => {
                let mut inner = (*self.of(ret)).clone();
                for param in params.iter().rev() {
                    if let Some(name) = param.name {
                        inner.remove(&Name::Size(name));
                    }
                    inner.extend(self.of(&param.ty).iter().copied());
                }
                names.extend(inner);
            }
            Atom::Forall(bound, body) => self.add_bound(names, body, bound, Name::Type),
            Atom::Pi(bound, body) | Atom::Sigma(bound, body) => self.add_bound(names, body, bound, Name::Index),
            Atom::Tuple(types) => types.iter().for_each(|ty| names.extend(self.of(ty).iter().copied())),
            Atom::Record(fields) | Atom::Sum(fields) => fields.iter().for_each(|(_, ty)| names.extend(self.of(ty).iter().copied())),
        }
    }

    fn add_bound(&mut self, names: &mut FxHashSet<Name>, body: &Type, bound: &[Symbol], kind: fn(Symbol) -> Name) {
        let mut inner = (*self.of(body)).clone();
        for name in bound {
            inner.remove(&kind(*name));
        }
        names.extend(inner);
    }

    /// Number of types remembered.
    pub fn len(&self) -> usize {
        self.memo.len()
    }
    /// Whether none is remembered.
    pub fn is_empty(&self) -> bool {
        self.memo.is_empty()
    }
}

/// The variable that an indeterminate is; none for a size not yet known.
pub fn name_of(atom: DimAtom) -> Option<Name> {
    match atom {
        DimAtom::Var(name) => Some(Name::Index(name)),
        DimAtom::Size(name) => Some(Name::Size(name)),
        DimAtom::Meta(_) => None,
    }
}

/// Adds the variables of a size.
pub fn add_dim(names: &mut FxHashSet<Name>, dim: &Dim) {
    names.extend(dim.atoms().filter_map(name_of));
}

/// Adds the variables of a shape.
pub fn add_shape(names: &mut FxHashSet<Name>, shape: &Shape) {
    for item in &shape.items {
        match item {
            ShapeItem::Dim(dim) => add_dim(names, dim),
            ShapeItem::Var(name) => {
                names.insert(Name::Index(*name));
            }
        }
    }
}

/// Adds the variables of an index.
pub fn add_index(names: &mut FxHashSet<Name>, index: &Index) {
    match index {
        Index::Dim(dim) => add_dim(names, dim),
        Index::Shape(shape) => add_shape(names, shape),
    }
}
