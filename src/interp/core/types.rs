//! Types while compiling: free variables are replaced by unique ones, so that no binder can capture them.

use crate::base::Symbol;
use crate::ir::core::index::{Dim, DimAtom, Index, Shape, ShapeItem};
use crate::ir::core::{ArrType, Atom, Param, Type};
use rustc_hash::FxHashMap;

/// What the free variables of a type are replaced by; `None` keeps one.
pub trait Replace {
    /// For a size variable or an opaque size.
    fn dim(&self, atom: DimAtom) -> Option<Dim>;
    /// For a shape variable.
    fn shape(&self, name: Symbol) -> Option<Shape>;
    /// For a type variable.
    fn atom(&self, name: Symbol) -> Option<Atom>;
}

/// Replaces a few variables by name.
#[derive(Default)]
pub struct Names {
    /// Index variables.
    pub indices: Vec<(Symbol, Index)>,
    /// Term variables.
    pub sizes: Vec<(Symbol, Dim)>,
    /// Type variables.
    pub types: Vec<(Symbol, Atom)>,
}

impl Replace for Names {
    fn dim(&self, atom: DimAtom) -> Option<Dim> {
        match atom {
            DimAtom::Var(name) => self.indices.iter().find_map(|(n, index)| match index {
                Index::Dim(dim) if *n == name => Some(dim.clone()),
                Index::Dim(_) | Index::Shape(_) => None,
            }),
            DimAtom::Size(name) => self.sizes.iter().find(|(n, _)| *n == name).map(|(_, dim)| dim.clone()),
            DimAtom::Meta(_) => None,
        }
    }
    fn shape(&self, name: Symbol) -> Option<Shape> {
        self.indices.iter().find_map(|(n, index)| match index {
            Index::Shape(shape) if *n == name => Some(shape.clone()),
            Index::Dim(_) | Index::Shape(_) => None,
        })
    }
    fn atom(&self, name: Symbol) -> Option<Atom> {
        self.types.iter().find(|(n, _)| *n == name).map(|(_, atom)| atom.clone())
    }
}

/// Replaces free variables; sharing within the type is kept.
pub fn replace(ty: &Type, by: &dyn Replace) -> Type {
    Replacer { by, indices: Vec::new(), sizes: Vec::new(), types: Vec::new(), done: FxHashMap::default() }.ty(ty)
}

/// Replaces free variables of a shape.
pub fn replace_shape(shape: &Shape, by: &dyn Replace) -> Shape {
    Replacer { by, indices: Vec::new(), sizes: Vec::new(), types: Vec::new(), done: FxHashMap::default() }.shape(shape)
}

/// Replaces free variables of a size.
pub fn replace_dim(dim: &Dim, by: &dyn Replace) -> Dim {
    dim.subst(&mut |atom| by.dim(atom))
}

/// Replaces free variables of an element type.
pub fn replace_atom(atom: &Atom, by: &dyn Replace) -> Atom {
    Replacer { by, indices: Vec::new(), sizes: Vec::new(), types: Vec::new(), done: FxHashMap::default() }.atom(atom)
}

struct Replacer<'a> {
    by: &'a dyn Replace,
    indices: Vec<Symbol>,
    sizes: Vec<Symbol>,
    types: Vec<Symbol>,
    done: FxHashMap<*const ArrType, Type>,
}

impl Replacer<'_> {
    fn ty(&mut self, ty: &Type) -> Type {
        let key = std::sync::Arc::as_ptr(&ty.0);
        if let Some(done) = self.done.get(&key) {
            return done.clone();
        }
        let result = match ty.atom() {
            Atom::Prim(_) if ty.shape().is_scalar() => ty.clone(),
            Atom::Var(name) if !self.types.contains(name) => {
                let atom = self.by.atom(*name).unwrap_or_else(|| ty.atom().clone());
                Type::new(atom, self.shape(ty.shape()))
            }
            atom @ (Atom::Prim(_)
            | Atom::Var(_)
            | Atom::Fun(..)
            | Atom::Forall(..)
            | Atom::Pi(..)
            | Atom::Sigma(..)
            | Atom::Tuple(_)
            | Atom::Record(_)
            | Atom::Sum(_)) => Type::new(self.atom(atom), self.shape(ty.shape())),
        };
        self.done.insert(key, result.clone());
        result
    }
    fn atom(&mut self, atom: &Atom) -> Atom {
        match atom {
            Atom::Prim(prim) => Atom::Prim(*prim),
            Atom::Var(name) if self.types.contains(name) => atom.clone(),
            Atom::Var(name) => self.by.atom(*name).unwrap_or_else(|| atom.clone()),
            Atom::Tuple(parts) => Atom::Tuple(parts.iter().map(|part| self.ty(part)).collect()),
            Atom::Record(fields) => Atom::Record(fields.iter().map(|(label, ty)| (*label, self.ty(ty))).collect()),
            Atom::Sum(payloads) => Atom::Sum(payloads.iter().map(|(label, ty)| (*label, self.ty(ty))).collect()),
            Atom::Fun(params, ret) if params.iter().all(|p| p.name.is_none()) => {
                let params = params.iter().map(|p| Param { name: None, ty: self.ty(&p.ty) }).collect();
                match Type::fun(params, self.ty(ret)).atom() {
                    Atom::Fun(params, ret) => Atom::Fun(params.clone(), ret.clone()),
                    other @ (Atom::Prim(_)
                    | Atom::Var(_)
                    | Atom::Forall(..)
                    | Atom::Pi(..)
                    | Atom::Sigma(..)
                    | Atom::Tuple(_)
                    | Atom::Record(_)
                    | Atom::Sum(_)) => other.clone(),
                }
            }
            Atom::Fun(params, ret) => self.scoped(|this| {
                let params = params
                    .iter()
                    .map(|p| {
                        let ty = this.ty(&p.ty);
                        if let Some(name) = p.name {
                            this.sizes.push(name);
                            this.done.clear();
                        }
                        Param { name: p.name, ty }
                    })
                    .collect();
                Atom::Fun(params, this.ty(ret))
            }),
            Atom::Forall(names, body) => self.scoped(|this| {
                this.types.extend(names);
                Atom::Forall(names.clone(), this.ty(body))
            }),
            Atom::Pi(names, body) => self.scoped(|this| {
                this.indices.extend(names);
                Atom::Pi(names.clone(), this.ty(body))
            }),
            Atom::Sigma(names, body) => self.scoped(|this| {
                this.indices.extend(names);
                Atom::Sigma(names.clone(), this.ty(body))
            }),
        }
    }
    /// Inside a binder other replacements hold, so that finished types must not be mixed.
    fn scoped(&mut self, inside: impl FnOnce(&mut Self) -> Atom) -> Atom {
        let (indices, sizes, types) = (self.indices.len(), self.sizes.len(), self.types.len());
        let done = std::mem::take(&mut self.done);
        let atom = inside(self);
        self.done = done;
        self.indices.truncate(indices);
        self.sizes.truncate(sizes);
        self.types.truncate(types);
        atom
    }
    fn shape(&mut self, shape: &Shape) -> Shape {
        let mut items = Vec::with_capacity(shape.items.len());
        for item in &shape.items {
            match item {
                ShapeItem::Dim(dim) if dim.as_constant().is_some() => items.push(item.clone()),
                ShapeItem::Dim(dim) => {
                    let replaced = dim.subst(&mut |atom| match atom {
                        DimAtom::Var(name) if self.indices.contains(&name) => None,
                        DimAtom::Size(name) if self.sizes.contains(&name) => None,
                        DimAtom::Var(_) | DimAtom::Size(_) | DimAtom::Meta(_) => self.by.dim(atom),
                    });
                    items.push(ShapeItem::Dim(replaced));
                }
                ShapeItem::Var(name) if self.indices.contains(name) => items.push(item.clone()),
                ShapeItem::Var(name) => match self.by.shape(*name) {
                    Some(shape) => items.extend(shape.items),
                    None => items.push(item.clone()),
                },
            }
        }
        Shape { items }
    }
}
