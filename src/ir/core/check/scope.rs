//! Scopes, and what annotations mean in them.

use super::error::{Binder, FormError};
use super::{Checker, Entry, Result};
use crate::base::{PrimType, Span, Symbol};
use crate::ir::core::free::{FreeVars, Name, NameSet, add_dim, add_index};
use crate::ir::core::sizes::SizeEnv;
use crate::ir::core::subst::{Replacement, Subst, TooLarge};
use crate::ir::core::{Atom, Dim, DimAtom, Index, Param, Shape, ShapeItem, Type, is_shape, prims};
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// A binding that is to be undone.
pub(super) struct Bound {
    name: Name,
    /// What types call the variable.
    pub(super) internal: Name,
    hidden: Option<Entry>,
    hidden_meaning: Option<Replacement>,
}

/// Whether a type is `i64`.
pub(super) fn is_i64(ty: &Type) -> bool {
    matches!(ty.atom(), Atom::Prim(PrimType::I64)) && ty.shape().is_scalar()
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

fn with_symbol(name: Name, symbol: Symbol) -> Name {
    match name {
        Name::Index(_) => Name::Index(symbol),
        Name::Size(_) => Name::Size(symbol),
        Name::Type(_) => Name::Type(symbol),
    }
}

impl Checker {
    /// Brings a variable into scope. `dim` is the size it stands for, if that is known.
    pub(super) fn bind(&mut self, name: Name, ty: Option<Type>, dim: Option<Dim>) -> Bound {
        let internal = self.internal_name(name);
        self.used.insert(internal);
        let meaning = match dim {
            Some(dim) => Some(Replacement::Dim(dim)),
            None if internal != name => Some(variable(internal)),
            None => None,
        };
        if internal != name {
            self.origins.insert(internal, name);
        }
        let hidden = self.scope.insert(name, Entry { internal, ty });
        let hidden_meaning = match meaning {
            Some(meaning) => self.meanings.insert(name, meaning),
            None => self.meanings.remove(&name),
        };
        Bound { name, internal, hidden, hidden_meaning }
    }

    /// Undoes the last binding.
    pub(super) fn unbind(&mut self, bound: Bound) {
        let Bound { name, internal, hidden, hidden_meaning } = bound;
        self.used.remove(&internal);
        self.origins.remove(&internal);
        match hidden {
            Some(entry) => self.scope.insert(name, entry),
            None => self.scope.remove(&name),
        };
        match hidden_meaning {
            Some(meaning) => self.meanings.insert(name, meaning),
            None => self.meanings.remove(&name),
        };
    }

    /// Undoes bindings, given from the first to the last.
    pub(super) fn unbind_all(&mut self, bound: Vec<Bound>) {
        bound.into_iter().rev().for_each(|bound| self.unbind(bound));
    }

    fn internal_name(&mut self, name: Name) -> Name {
        let free = |checker: &Checker, name: Name| {
            let global = matches!(name, Name::Size(x) if checker.globals.contains_key(&x));
            !global && !checker.used.contains(&name)
        };
        if free(self, name) {
            return name;
        }
        loop {
            let count = self.fresh.entry(name.symbol()).or_insert(0);
            *count += 1;
            let candidate = with_symbol(name, Symbol::new(&format!("{}'{count}", name.symbol())));
            if free(self, candidate) {
                return candidate;
            }
        }
    }

    /// The type of a term variable, definition or primitive.
    pub(super) fn lookup(&mut self, name: Symbol) -> Option<Type> {
        if let Some(entry) = self.scope.get(&Name::Size(name)) {
            return entry.ty.clone();
        }
        if let Some(ty) = self.globals.get(&name) {
            return Some(ty.clone());
        }
        self.prims.entry(name).or_insert_with(|| prims::type_of(name)).clone()
    }

    /// What is wrong with a free variable of an annotation.
    fn fault(&mut self, name: Name) -> Option<FormError> {
        match name {
            Name::Index(_) | Name::Type(_) => (!self.scope.contains_key(&name)).then_some(FormError::NotInScope(name)),
            Name::Size(x) => match self.lookup(x) {
                None => Some(FormError::NotInScope(name)),
                Some(ty) if !is_i64(&ty) => Some(FormError::VariableIsNoSize(x)),
                Some(_) => None,
            },
        }
    }

    /// All names are in scope. Reports the first that is not: sizes of values, shapes, sizes, types, each in alphabetical order.
    fn in_scope(&mut self, names: &FxHashSet<Name>, span: Span) -> Result<()> {
        let mut first: Option<(u8, Symbol, FormError)> = None;
        for name in names {
            let Some(fault) = self.fault(*name) else { continue };
            let space = match name {
                Name::Size(_) => 0,
                Name::Index(s) if is_shape(*s) => 1,
                Name::Index(_) => 2,
                Name::Type(_) => 3,
            };
            if first.as_ref().is_none_or(|(before, symbol, _)| (space, name.symbol()) < (*before, *symbol)) {
                first = Some((space, name.symbol(), fault));
            }
        }
        first.map_or(Ok(()), |(.., fault)| self.error(span, fault))
    }

    /// The part of the meanings that concerns these names.
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

    /// A type written in the program: well formed, in scope; returned with internal names.
    pub(super) fn annotation(&mut self, ty: &Type, span: Span) -> Result<Type> {
        if let Err(error) = self.well_formed(ty) {
            return self.error(span, error);
        }
        let names = self.free.of(ty);
        self.in_scope(&names, span)?;
        let subst = self.meanings_of(&names);
        self.substituted(&subst, ty, span)
    }

    /// An atom type written in the program.
    pub(super) fn atom_annotation(&mut self, atom: &Atom, span: Span) -> Result<Atom> {
        self.annotation(&Type::scalar(atom.clone()), span).map(|ty| ty.atom().clone())
    }

    /// An index written in the program.
    pub(super) fn index_annotation(&mut self, index: &Index, span: Span) -> Result<Index> {
        let checked = match index {
            Index::Dim(dim) => dim_form(dim),
            Index::Shape(shape) => shape_form(shape),
        };
        if let Err(error) = checked {
            return self.error(span, error);
        }
        let mut names = FxHashSet::default();
        add_index(&mut names, index);
        self.in_scope(&names, span)?;
        self.small(self.meanings_of(&names).index(index), span)
    }

    /// A size written in the program.
    pub(super) fn dim_annotation(&mut self, dim: &Dim, span: Span) -> Result<Dim> {
        match self.index_annotation(&Index::Dim(dim.clone()), span)? {
            Index::Dim(dim) => Ok(dim),
            Index::Shape(_) => self.error(span, FormError::SizeWanted),
        }
    }

    /// A shape written in the program.
    pub(super) fn shape_annotation(&mut self, shape: &Shape, span: Span) -> Result<Shape> {
        match self.index_annotation(&Index::Shape(shape.clone()), span)? {
            Index::Shape(shape) => Ok(shape),
            Index::Dim(_) => self.error(span, FormError::ShapeWanted),
        }
    }

    pub(super) fn small<T>(&self, result: std::result::Result<T, TooLarge>, span: Span) -> Result<T> {
        match result {
            Ok(value) => Ok(value),
            Err(TooLarge) => self.error(span, FormError::TooLarge),
        }
    }

    pub(super) fn substituted(&mut self, subst: &Subst, ty: &Type, span: Span) -> Result<Type> {
        let result = subst.ty(&mut self.free, ty);
        self.small(result, span)
    }

    /// None of the variables occurs in the type that leaves their scope.
    pub(super) fn no_escape(&mut self, ty: &Type, bound: &[Bound]) -> std::result::Result<(), Name> {
        let names: NameSet = self.free.of(ty);
        match bound.iter().find(|bound| names.contains(&bound.internal)) {
            Some(bound) => Err(bound.name),
            None => Ok(()),
        }
    }

    /// The type with the names that the program uses at this place; none if one of them is hidden.
    pub(super) fn with_program_names(&mut self, ty: &Type) -> Option<Type> {
        let names = self.free.of(ty);
        let mut subst = Subst::default();
        for internal in names.iter() {
            let name = self.origins.get(internal).copied().unwrap_or(*internal);
            let visible = match self.scope.get(&name) {
                Some(entry) => entry.internal == *internal,
                None => matches!(name, Name::Size(_)),
            };
            if !visible {
                return None;
            }
            if name != *internal {
                subst.insert(*internal, variable(name));
            }
        }
        subst.ty(&mut self.free, ty).ok()
    }

    /// The rules of types that do not depend on the scope.
    fn well_formed(&mut self, ty: &Type) -> Result<(), FormError> {
        let key = Arc::as_ptr(&ty.0);
        if self.well_formed.contains(&key) {
            return Ok(());
        }
        shape_form(ty.shape())?;
        match ty.atom() {
            Atom::Prim(_) => return Ok(()),
            Atom::Var(name) if is_shape(*name) => return Err(FormError::ShapeForType(*name)),
            Atom::Var(_) => {}
            Atom::Fun(params, ret) => self.function_form(params, ret)?,
            Atom::Forall(names, body) => {
                binder_form(Binder::Forall, names)?;
                if let Some(name) = names.iter().find(|name| is_shape(**name)) {
                    return Err(FormError::ShapeSigil(*name));
                }
                self.well_formed(body)?;
            }
            Atom::Pi(names, body) => {
                binder_form(Binder::Pi, names)?;
                self.well_formed(body)?;
            }
            Atom::Sigma(names, body) => {
                distinct(names)?;
                self.well_formed(body)?;
            }
            Atom::Tuple(types) => types.iter().try_for_each(|ty| self.well_formed(ty))?,
            Atom::Record(fields) => {
                labels_form(fields.iter().map(|(label, _)| *label))?;
                fields.iter().try_for_each(|(_, ty)| self.well_formed(ty))?;
            }
            Atom::Sum(payloads) => {
                if payloads.is_empty() {
                    return Err(FormError::EmptySum);
                }
                labels_form(payloads.iter().map(|(label, _)| *label))?;
                payloads.iter().try_for_each(|(_, ty)| self.well_formed(ty))?;
            }
        }
        // Keeps the type alive, so that its address is not used again.
        self.free.of(ty);
        self.well_formed.insert(key);
        Ok(())
    }

    fn function_form(&mut self, params: &[Param], ret: &Type) -> Result<(), FormError> {
        if params.is_empty() {
            return Err(FormError::NoParameters);
        }
        if matches!(ret.atom(), Atom::Fun(..)) && ret.shape().is_scalar() {
            return Err(FormError::NotJoined);
        }
        self.well_formed(ret)?;
        params.iter().try_for_each(|param| self.well_formed(&param.ty))?;
        let mut later = (*self.free.of(ret)).clone();
        for param in params.iter().rev() {
            if let Some(name) = param.name
                && later.remove(&Name::Size(name))
                && !is_i64(&param.ty)
            {
                return Err(FormError::ParameterIsNoSize(name));
            }
            later.extend(self.free.of(&param.ty).iter().copied());
        }
        Ok(())
    }
}

impl SizeEnv for Checker {
    fn variable(&self, name: Symbol) -> Option<Dim> {
        let key = Name::Size(name);
        match self.scope.get(&key) {
            Some(entry) if entry.ty.as_ref().is_some_and(is_i64) => match self.meanings.get(&key) {
                Some(Replacement::Dim(dim)) => Some(dim.clone()),
                _ => Some(Dim::size(entry.internal.symbol())),
            },
            Some(_) => None,
            None => match self.globals.get(&name) {
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

fn dim_form(dim: &Dim) -> Result<(), FormError> {
    for atom in dim.atoms() {
        match atom {
            DimAtom::Var(name) if is_shape(name) => return Err(FormError::ShapeForSize(name)),
            DimAtom::Meta(number) => return Err(FormError::UnknownSize(number)),
            DimAtom::Var(_) | DimAtom::Size(_) => {}
        }
    }
    Ok(())
}

fn shape_form(shape: &Shape) -> Result<(), FormError> {
    for item in &shape.items {
        match item {
            ShapeItem::Dim(dim) => dim_form(dim)?,
            ShapeItem::Var(name) if !is_shape(*name) => return Err(FormError::SizeForShape(*name)),
            ShapeItem::Var(_) => {}
        }
    }
    Ok(())
}

pub(super) fn distinct(names: &[Symbol]) -> Result<(), FormError> {
    let mut seen = FxHashSet::default();
    match names.iter().find(|name| !seen.insert(**name)) {
        Some(name) => Err(FormError::BoundTwice(*name)),
        None => Ok(()),
    }
}

pub(super) fn binder_form(binder: Binder, names: &[Symbol]) -> Result<(), FormError> {
    if names.is_empty() {
        return Err(FormError::BindsNothing(binder));
    }
    distinct(names)
}

pub(super) fn labels_form(labels: impl Iterator<Item = Symbol>) -> Result<(), FormError> {
    let mut last: Option<Symbol> = None;
    for label in labels {
        if last.is_some_and(|last| last >= label) {
            return Err(FormError::LabelOrder(label));
        }
        last = Some(label);
    }
    Ok(())
}

/// For each parameter whether a later one or the result mentions it.
pub(super) fn used_names(free: &mut FreeVars, types: &[(Name, Type)], ret: &Type) -> Vec<bool> {
    let mut later = (*free.of(ret)).clone();
    let mut used = vec![false; types.len()];
    for (at, (name, ty)) in types.iter().enumerate().rev() {
        used[at] = later.remove(name);
        later.extend(free.of(ty).iter().copied());
    }
    used
}
