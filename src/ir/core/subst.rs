//! Substitution of indices, sizes and types in types: without capture, each node of a graph once, what is not touched is
//! shared with the input.

use super::free::{FreeVars, Name, add_dim, add_shape, name_of};
use super::{Atom, Dim, Index, Param, Shape, ShapeItem, Type, is_shape, sizes};
use crate::base::Symbol;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// What a variable is replaced by.
#[derive(Debug, Clone, PartialEq)]
pub enum Replacement {
    /// For `n` and `(size x)`.
    Dim(Dim),
    /// For `@s`.
    Shape(Shape),
    /// For a type variable.
    Atom(Atom),
}

impl From<Index> for Replacement {
    fn from(index: Index) -> Replacement {
        match index {
            Index::Dim(dim) => Replacement::Dim(dim),
            Index::Shape(shape) => Replacement::Shape(shape),
        }
    }
}

/// The substituted sizes are too large to write out (see [`sizes`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooLarge;

/// A simultaneous substitution.
#[derive(Debug, Clone, Default)]
pub struct Subst {
    map: FxHashMap<Name, Replacement>,
}

impl Subst {
    /// Adds a replacement.
    pub fn insert(&mut self, name: Name, by: Replacement) {
        self.map.insert(name, by);
    }
    /// Takes a replacement out.
    pub fn remove(&mut self, name: Name) {
        self.map.remove(&name);
    }
    /// What a variable is replaced by.
    pub fn get(&self, name: Name) -> Option<&Replacement> {
        self.map.get(&name)
    }
    /// Whether nothing is replaced.
    pub fn is_empty(&self) -> bool {
        self.map.is_empty()
    }
    /// The size of `dim` after substitution.
    pub fn dim(&self, dim: &Dim) -> Result<Dim, TooLarge> {
        apply_dim(dim, |name| self.map.get(&name))
    }
    /// The shape after substitution.
    pub fn shape(&self, shape: &Shape) -> Result<Shape, TooLarge> {
        apply_shape(shape, |name| self.map.get(&name))
    }
    /// The index after substitution.
    pub fn index(&self, index: &Index) -> Result<Index, TooLarge> {
        Ok(match index {
            Index::Dim(dim) => Index::Dim(self.dim(dim)?),
            Index::Shape(shape) => Index::Shape(self.shape(shape)?),
        })
    }
    /// The type after substitution.
    pub fn ty(&self, free: &mut FreeVars, ty: &Type) -> Result<Type, TooLarge> {
        if self.map.is_empty() {
            return Ok(ty.clone());
        }
        let mut pass = Pass::new(self, free);
        let root = pass.root.clone();
        pass.ty(ty, &root)
    }
    /// The atom type after substitution.
    pub fn atom(&self, free: &mut FreeVars, atom: &Atom) -> Result<Atom, TooLarge> {
        if self.map.is_empty() {
            return Ok(atom.clone());
        }
        let mut pass = Pass::new(self, free);
        let root = pass.root.clone();
        pass.atom(atom, &root)
    }
}

fn apply_dim<'a>(dim: &Dim, lookup: impl Fn(Name) -> Option<&'a Replacement>) -> Result<Dim, TooLarge> {
    let mut replace = |atom| match name_of(atom).and_then(&lookup) {
        Some(Replacement::Dim(by)) => Some(by.clone()),
        _ => None,
    };
    sizes::subst(dim, &mut replace).ok_or(TooLarge)
}

fn apply_shape<'a>(shape: &Shape, lookup: impl Fn(Name) -> Option<&'a Replacement> + Copy) -> Result<Shape, TooLarge> {
    let mut items = Vec::with_capacity(shape.items.len());
    for item in &shape.items {
        match item {
            ShapeItem::Dim(dim) => items.push(ShapeItem::Dim(apply_dim(dim, lookup)?)),
            ShapeItem::Var(name) => match lookup(Name::Index(*name)) {
                Some(Replacement::Shape(by)) => items.extend(by.items.iter().cloned()),
                _ => items.push(item.clone()),
            },
        }
    }
    Ok(Shape { items })
}

/// The part of the substitution that concerns a node: variables with the number of their replacement in [`Pass::by`].
#[derive(Clone, Default)]
struct Part {
    items: Vec<(Name, u32)>,
    /// Where there are many, the same as a map.
    index: Option<FxHashMap<Name, u32>>,
}

/// Parts of at most this many variables are searched one by one.
const FEW: usize = 8;

impl Part {
    fn new(items: Vec<(Name, u32)>) -> Part {
        let index = (items.len() > FEW).then(|| items.iter().copied().collect());
        Part { items, index }
    }
    fn get(&self, name: Name) -> Option<u32> {
        match &self.index {
            Some(index) => index.get(&name).copied(),
            None => self.items.iter().find(|(n, _)| *n == name).map(|(_, number)| *number),
        }
    }
    /// What concerns these variables.
    fn of(&self, names: &FxHashSet<Name>) -> Vec<(Name, u32)> {
        if names.len() >= self.items.len() {
            return self.items.iter().copied().filter(|(name, _)| names.contains(name)).collect();
        }
        let mut out: Vec<(Name, u32)> = names.iter().filter_map(|name| Some((*name, self.get(*name)?))).collect();
        out.sort_unstable_by_key(|(_, number)| *number);
        out
    }
}

struct Pass<'a> {
    free: &'a mut FreeVars,
    /// All replacements: those of the substitution, then renamings of bound variables, each with its free variables.
    by: Vec<(Replacement, FxHashSet<Name>)>,
    root: Part,
    /// Numbers of parts, so that results can be remembered by (node, part).
    parts: FxHashMap<Vec<(Name, u32)>, u32>,
    memo: FxHashMap<(*const super::ArrType, u32), Type>,
    renamed: FxHashMap<Name, (Symbol, u32)>,
}

impl<'a> Pass<'a> {
    fn new(subst: &Subst, free: &'a mut FreeVars) -> Pass<'a> {
        let mut pass = Pass {
            free,
            by: Vec::new(),
            root: Part::default(),
            parts: FxHashMap::default(),
            memo: FxHashMap::default(),
            renamed: FxHashMap::default(),
        };
        let items = subst.map.iter().map(|(name, by)| (*name, pass.add(by.clone()))).collect();
        pass.root = Part::new(items);
        pass
    }

    fn add(&mut self, by: Replacement) -> u32 {
        let mut names = FxHashSet::default();
        match &by {
            Replacement::Dim(dim) => add_dim(&mut names, dim),
            Replacement::Shape(shape) => add_shape(&mut names, shape),
            Replacement::Atom(atom) => self.free.add_atom(&mut names, atom),
        }
        self.by.push((by, names));
        self.by.len() as u32 - 1
    }

    fn ty(&mut self, ty: &Type, part: &Part) -> Result<Type, TooLarge> {
        let names = self.free.of(ty);
        let part = Part::new(part.of(&names));
        if part.items.is_empty() {
            return Ok(ty.clone());
        }
        let next = self.parts.len() as u32;
        let key = (Arc::as_ptr(&ty.0), *self.parts.entry(part.items.clone()).or_insert(next));
        if let Some(done) = self.memo.get(&key) {
            return Ok(done.clone());
        }
        let by = &self.by;
        let lookup = |name| part.get(name).map(|number| &by[number as usize].0);
        let shape = apply_shape(ty.shape(), lookup)?;
        let atom = self.atom(ty.atom(), &part)?;
        let done = Type::new(atom, shape);
        self.memo.insert(key, done.clone());
        Ok(done)
    }

    fn atom(&mut self, atom: &Atom, part: &Part) -> Result<Atom, TooLarge> {
        Ok(match atom {
            Atom::Prim(_) => atom.clone(),
            Atom::Var(name) => match part.get(Name::Type(*name)) {
                Some(number) => match &self.by[number as usize].0 {
                    Replacement::Atom(by) => by.clone(),
                    Replacement::Dim(_) | Replacement::Shape(_) => atom.clone(),
                },
                None => atom.clone(),
            },
            Atom::Fun(params, ret) => self.fun(params, ret, part)?,
            Atom::Forall(bound, body) => {
                let (bound, part) = self.under(bound, Name::Type, body, part);
                Atom::Forall(bound, self.ty(body, &part)?)
            }
            Atom::Pi(bound, body) => {
                let (bound, part) = self.under(bound, Name::Index, body, part);
                Atom::Pi(bound, self.ty(body, &part)?)
            }
            Atom::Sigma(bound, body) => {
                let (bound, part) = self.under(bound, Name::Index, body, part);
                Atom::Sigma(bound, self.ty(body, &part)?)
            }
            Atom::Tuple(types) => Atom::Tuple(types.iter().map(|ty| self.ty(ty, part)).collect::<Result<_, _>>()?),
            Atom::Record(fields) => {
                Atom::Record(fields.iter().map(|(label, ty)| Ok((*label, self.ty(ty, part)?))).collect::<Result<_, _>>()?)
            }
            Atom::Sum(payloads) => {
                Atom::Sum(payloads.iter().map(|(label, ty)| Ok((*label, self.ty(ty, part)?))).collect::<Result<_, _>>()?)
            }
        })
    }

    fn fun(&mut self, params: &[Param], ret: &Type, part: &Part) -> Result<Atom, TooLarge> {
        let mut part = part.clone();
        let mut out = Vec::with_capacity(params.len());
        for (at, param) in params.iter().enumerate() {
            let ty = self.ty(&param.ty, &part)?;
            let mut name = param.name;
            if let Some(bound) = name {
                let scope = Type::fun(params[at + 1..].to_vec(), ret.clone());
                let (bound, inner) = self.under(&[bound], Name::Size, &scope, &part);
                name = bound.first().copied();
                part = inner;
            }
            out.push(Param { name, ty });
        }
        let ret = self.ty(ret, &part)?;
        Ok(Type::fun(out, ret).atom().clone())
    }

    /// The bound names, renamed where they would capture, and the substitution below them.
    fn under(&mut self, bound: &[Symbol], kind: fn(Symbol) -> Name, body: &Type, part: &Part) -> (Vec<Symbol>, Part) {
        let names = self.free.of(body);
        let own: FxHashSet<Name> = bound.iter().map(|b| kind(*b)).collect();
        let mut inner = part.of(&names);
        inner.retain(|(name, _)| !own.contains(name));
        let captured: Vec<bool> =
            (bound.iter()).map(|b| inner.iter().any(|(_, number)| self.by[*number as usize].1.contains(&kind(*b)))).collect();
        let bound = bound.iter().zip(captured).map(|(b, captured)| {
            if !captured {
                return *b;
            }
            let (fresh, number) = self.rename(kind(*b), kind, &names);
            inner.push((kind(*b), number));
            fresh
        });
        let bound = bound.collect();
        (bound, Part::new(inner))
    }

    fn rename(&mut self, name: Name, kind: fn(Symbol) -> Name, taken: &FxHashSet<Name>) -> (Symbol, u32) {
        if let Some((fresh, number)) = self.renamed.get(&name)
            && !taken.contains(&kind(*fresh))
        {
            return (*fresh, *number);
        }
        let used = |by: &[(Replacement, FxHashSet<Name>)], name| taken.contains(&name) || by.iter().any(|(_, names)| names.contains(&name));
        let fresh = fresh_symbol(name.symbol(), |symbol| used(&self.by, kind(symbol)));
        let number = self.add(match name {
            Name::Type(_) => Replacement::Atom(Atom::Var(fresh)),
            Name::Size(_) => Replacement::Dim(Dim::size(fresh)),
            Name::Index(symbol) if is_shape(symbol) => Replacement::Shape(Shape::var(fresh)),
            Name::Index(_) => Replacement::Dim(Dim::var(fresh)),
        });
        self.renamed.insert(name, (fresh, number));
        (fresh, number)
    }
}

/// A name like `base` that is not taken.
pub fn fresh_symbol(base: Symbol, taken: impl Fn(Symbol) -> bool) -> Symbol {
    let stem = base.as_str().rsplit_once('\'').filter(|(_, n)| n.bytes().all(|b| b.is_ascii_digit())).map_or(base.as_str(), |(s, _)| s);
    (1u64..).map(|n| Symbol::new(&format!("{stem}'{n}"))).find(|name| !taken(*name)).unwrap_or(base)
}
