//! Rewriting of core types, and where their sizes occur.

use crate::base::Symbol;
use crate::ir::core::{Atom, Dim, DimAtom, Param, Shape, ShapeItem, Type};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// A bottom-up rewriting of the sizes and variables in a type. Types are shared graphs: every node is rewritten once.
pub(super) trait Rewrite {
    /// A replacement for a size.
    fn dim(&mut self, _dim: &Dim) -> Option<Dim> {
        None
    }
    /// A replacement for a shape variable.
    fn shape_var(&mut self, _var: Symbol) -> Option<Shape> {
        None
    }
    /// A replacement for a type variable.
    fn type_var(&mut self, _var: Symbol) -> Option<Atom> {
        None
    }
    /// A replacement for a named parameter's name or a variable bound by Sigma.
    fn binder(&mut self, _name: Symbol) -> Option<Symbol> {
        None
    }
    /// Results for nodes seen earlier, if this rewriting outlives one call.
    fn memo(&mut self) -> Option<&mut FxHashMap<usize, (Type, Type)>> {
        None
    }
}

/// Applies a rewriting.
pub(super) fn rewrite(ty: &Type, by: &mut dyn Rewrite) -> Type {
    let mut memo = by.memo().map(std::mem::take).unwrap_or_default();
    let out = rewrite_type(ty, by, &mut memo);
    if let Some(kept) = by.memo() {
        *kept = memo;
    }
    out
}

// The memo keeps the old node alive, so that its address stays its own.
fn rewrite_type(ty: &Type, by: &mut dyn Rewrite, memo: &mut FxHashMap<usize, (Type, Type)>) -> Type {
    let key = Arc::as_ptr(&ty.0) as usize;
    if let Some((_, done)) = memo.get(&key) {
        return done.clone();
    }
    let mut changed = false;
    let mut items = Vec::with_capacity(ty.shape().items.len());
    for item in &ty.shape().items {
        match item {
            ShapeItem::Dim(d) => {
                let new = by.dim(d);
                changed |= new.is_some();
                items.push(ShapeItem::Dim(new.unwrap_or_else(|| d.clone())));
            }
            ShapeItem::Var(v) => match by.shape_var(*v) {
                Some(shape) => {
                    changed = true;
                    items.extend(shape.items);
                }
                None => items.push(item.clone()),
            },
        }
    }
    let shape = Shape { items };
    let mut inner = |t: &Type, by: &mut dyn Rewrite| {
        let new = rewrite_type(t, by, memo);
        changed |= !Arc::ptr_eq(&new.0, &t.0);
        new
    };
    let out = match ty.atom() {
        Atom::Prim(_) => None,
        Atom::Var(v) => by.type_var(*v).inspect(|_| changed = true),
        Atom::Fun(params, ret) => {
            let mut new = Vec::with_capacity(params.len());
            for p in params {
                let ty = inner(&p.ty, by);
                let name = p.name.map(|n| by.binder(n).unwrap_or(n));
                new.push(Param { name, ty });
            }
            let ret = inner(ret, by);
            Some(Type::fun(new, ret).atom().clone())
        }
        Atom::Forall(vars, t) => Some(Atom::Forall(vars.clone(), inner(t, by))),
        Atom::Pi(vars, t) => Some(Atom::Pi(vars.clone(), inner(t, by))),
        Atom::Sigma(vars, t) => {
            let vars = vars.iter().map(|v| by.binder(*v).unwrap_or(*v)).collect();
            Some(Atom::Sigma(vars, inner(t, by)))
        }
        Atom::Tuple(ts) => Some(Atom::Tuple(ts.iter().map(|t| inner(t, by)).collect())),
        Atom::Record(fs) => Some(Atom::Record(fs.iter().map(|(l, t)| (*l, inner(t, by))).collect())),
        Atom::Sum(ps) => Some(Atom::Sum(ps.iter().map(|(l, t)| (*l, inner(t, by))).collect())),
    };
    let out = if changed { Type::new(out.unwrap_or_else(|| ty.atom().clone()), shape) } else { ty.clone() };
    memo.insert(key, (ty.clone(), out.clone()));
    out
}

/// Replaces variables. The caller sees to it that nothing is captured: bound names are unique, or renamed by `binders`.
#[derive(Debug, Default)]
pub(super) struct Substitution {
    /// For indeterminates of sizes.
    pub(super) atoms: FxHashMap<DimAtom, Dim>,
    /// For shape variables.
    pub(super) shapes: FxHashMap<Symbol, Shape>,
    /// For type variables.
    pub(super) types: FxHashMap<Symbol, Atom>,
    /// New names for binders.
    pub(super) binders: FxHashMap<Symbol, Symbol>,
    memo: FxHashMap<usize, (Type, Type)>,
}

impl Substitution {
    /// Replaces indeterminates of sizes only.
    pub(super) fn sizes(atoms: FxHashMap<DimAtom, Dim>) -> Substitution {
        Substitution { atoms, ..Substitution::default() }
    }
    /// To be called after a change.
    pub(super) fn clear(&mut self) {
        self.memo.clear();
    }
}

impl Rewrite for Substitution {
    fn dim(&mut self, dim: &Dim) -> Option<Dim> {
        dim.atoms().any(|a| self.atoms.contains_key(&a)).then(|| dim.subst(&mut |a| self.atoms.get(&a).cloned()))
    }
    fn shape_var(&mut self, var: Symbol) -> Option<Shape> {
        self.shapes.get(&var).cloned()
    }
    fn type_var(&mut self, var: Symbol) -> Option<Atom> {
        self.types.get(&var).cloned()
    }
    fn binder(&mut self, name: Symbol) -> Option<Symbol> {
        self.binders.get(&name).copied()
    }
    fn memo(&mut self) -> Option<&mut FxHashMap<usize, (Type, Type)>> {
        Some(&mut self.memo)
    }
}

/// The positions of the size parameters that are not by themselves the size of an array that the function is applied to: what they are follows from
/// an equation, if at all.
pub(super) fn unwitnessed(sizes: &[Symbol], ty: &Type) -> Vec<usize> {
    let (Atom::Fun(params, _), true, false) = (ty.atom(), ty.shape().is_scalar(), sizes.is_empty()) else { return Vec::new() };
    let (seen, mentioned) = sizes_of_data(params);
    let hidden = |name: &Symbol| mentioned.contains(&DimAtom::Var(*name)) && !seen.contains(&DimAtom::Var(*name));
    sizes.iter().enumerate().filter(|(_, name)| hidden(name)).map(|(i, _)| i).collect()
}

/// The positions of the size parameters that only the result mentions: where such a function is used has to say what they are.
pub(super) fn only_in_result(sizes: &[Symbol], ty: &Type) -> Vec<usize> {
    let Atom::Fun(params, _) = ty.atom() else { return Vec::new() };
    let given: FxHashSet<DimAtom> = params.iter().flat_map(|param| super::sizes::free_atoms(&param.ty)).collect();
    sizes.iter().enumerate().filter(|(_, name)| !given.contains(&DimAtom::Var(**name))).map(|(i, _)| i).collect()
}

/// The positions of the size parameters that are sizes only of what is given to functions that the function is applied to.
pub(super) fn only_in_functions(sizes: &[Symbol], ty: &Type) -> Vec<usize> {
    let (Atom::Fun(params, _), true, false) = (ty.atom(), ty.shape().is_scalar(), sizes.is_empty()) else { return Vec::new() };
    let (_, data) = sizes_of_data(params);
    let functions =
        || params.iter().filter_map(|param| if let Atom::Fun(params, ret) = param.ty.atom() { Some((params, ret)) } else { None });
    // What such a function returns says what its sizes are.
    let told: FxHashSet<DimAtom> = functions().flat_map(|(_, ret)| super::sizes::free_atoms(ret)).collect();
    let given = functions().flat_map(|(params, _)| params).flat_map(|param| super::sizes::free_atoms(&param.ty));
    let all: FxHashSet<DimAtom> = given.filter(|atom| !told.contains(atom)).collect();
    let hidden = |name: &Symbol| all.contains(&DimAtom::Var(*name)) && !data.contains(&DimAtom::Var(*name));
    sizes.iter().enumerate().filter(|(_, name)| hidden(name)).map(|(i, _)| i).collect()
}

/// The sizes of the arrays that a function is applied to: those that are an indeterminate, and all indeterminates in them.
fn sizes_of_data(params: &[Param]) -> (FxHashSet<DimAtom>, FxHashSet<DimAtom>) {
    let mut seen: FxHashSet<DimAtom> = FxHashSet::default();
    let mut stack: Vec<Type> = params.iter().map(|param| param.ty.clone()).collect();
    let mut visited: FxHashSet<usize> = FxHashSet::default();
    let mut mentioned: FxHashSet<DimAtom> = FxHashSet::default();
    while let Some(ty) = stack.pop() {
        if !visited.insert(Arc::as_ptr(&ty.0) as usize) {
            continue;
        }
        for item in &ty.shape().items {
            if let ShapeItem::Dim(dim) = item {
                seen.extend(dim.as_atom());
                mentioned.extend(dim.atoms());
            }
        }
        match ty.atom() {
            // A function is no array that there is.
            Atom::Prim(_) | Atom::Var(_) | Atom::Fun(..) => {}
            Atom::Forall(_, t) | Atom::Pi(_, t) | Atom::Sigma(_, t) => stack.push(t.clone()),
            Atom::Tuple(ts) => stack.extend(ts.iter().cloned()),
            Atom::Record(fs) | Atom::Sum(fs) => stack.extend(fs.iter().map(|(_, t)| t.clone())),
        }
    }
    (seen, mentioned)
}

/// Names bound inside a type: parameters that sizes mention, and variables of Sigma.
pub(super) fn binders(ty: &Type) -> Vec<(Symbol, bool)> {
    fn walk(ty: &Type, seen: &mut rustc_hash::FxHashSet<usize>, out: &mut Vec<(Symbol, bool)>) {
        if !seen.insert(Arc::as_ptr(&ty.0) as usize) {
            return;
        }
        match ty.atom() {
            Atom::Prim(_) | Atom::Var(_) => {}
            Atom::Fun(params, ret) => {
                for p in params {
                    out.extend(p.name.map(|n| (n, true)));
                    walk(&p.ty, seen, out);
                }
                walk(ret, seen, out);
            }
            Atom::Sigma(vars, t) => {
                out.extend(vars.iter().map(|v| (*v, false)));
                walk(t, seen, out);
            }
            Atom::Forall(_, t) | Atom::Pi(_, t) => walk(t, seen, out),
            Atom::Tuple(ts) => ts.iter().for_each(|t| walk(t, seen, out)),
            Atom::Record(fs) | Atom::Sum(fs) => fs.iter().for_each(|(_, t)| walk(t, seen, out)),
        }
    }
    let mut out = Vec::new();
    walk(ty, &mut rustc_hash::FxHashSet::default(), &mut out);
    out
}

/// Whether the type variable `var` occurs inside an array: then its instances must all have the same sizes.
pub(super) fn under_array(ty: &Type, var: Symbol) -> bool {
    fn walk(ty: &Type, var: Symbol, inside: bool, seen: &mut FxHashSet<(usize, bool)>) -> bool {
        if !seen.insert((Arc::as_ptr(&ty.0) as usize, inside)) {
            return false;
        }
        let inside = inside || ty.shape().items.iter().any(|i| matches!(i, ShapeItem::Dim(_)));
        match ty.atom() {
            Atom::Prim(_) => false,
            Atom::Var(v) => *v == var && inside,
            Atom::Fun(params, ret) => params.iter().any(|p| walk(&p.ty, var, inside, seen)) || walk(ret, var, inside, seen),
            Atom::Forall(_, t) | Atom::Pi(_, t) | Atom::Sigma(_, t) => walk(t, var, inside, seen),
            Atom::Tuple(ts) => ts.iter().any(|t| walk(t, var, inside, seen)),
            Atom::Record(fs) | Atom::Sum(fs) => fs.iter().any(|(_, t)| walk(t, var, inside, seen)),
        }
    }
    walk(ty, var, false, &mut FxHashSet::default())
}

/// Whether the type variable `var` occurs in the results of a function and of functions that it is given only: then its instances may be
/// boxes, of which the function makes an array.
pub(super) fn only_results(ty: &Type, var: Symbol) -> bool {
    fn occurs(ty: &Type, var: Symbol, seen: &mut FxHashSet<usize>) -> bool {
        if !seen.insert(Arc::as_ptr(&ty.0) as usize) {
            return false;
        }
        match ty.atom() {
            Atom::Prim(_) => false,
            Atom::Var(v) => *v == var,
            Atom::Fun(params, ret) => params.iter().any(|p| occurs(&p.ty, var, seen)) || occurs(ret, var, seen),
            Atom::Forall(_, t) | Atom::Pi(_, t) | Atom::Sigma(_, t) => occurs(t, var, seen),
            Atom::Tuple(ts) => ts.iter().any(|t| occurs(t, var, seen)),
            Atom::Record(fs) | Atom::Sum(fs) => fs.iter().any(|(_, t)| occurs(t, var, seen)),
        }
    }
    let Atom::Fun(params, _) = ty.atom() else { return false };
    params.iter().all(|param| match param.ty.atom() {
        Atom::Fun(given, _) if param.ty.shape().is_scalar() => !given.iter().any(|p| occurs(&p.ty, var, &mut FxHashSet::default())),
        _ => !occurs(&param.ty, var, &mut FxHashSet::default()),
    })
}
