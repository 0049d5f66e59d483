//! The first step: types are compared by structure, which binds unknown atom types and leaves equations between words and sizes.

use super::words::{Context, Failure, State, Stop, WordEquation};
use super::{Equation, Problem, Reason, Solution, Unsolved};
use crate::base::Symbol;
use crate::ir::core::equal::Equality;
use crate::ir::core::free::{FreeVars, Name};
use crate::ir::core::subst::{Replacement, Subst};
use crate::ir::core::{ArrType, Atom, Dim, Param, Shape, ShapeItem, Type, is_shape};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// What unknown atom types were bound to, each by which equation.
#[derive(Default)]
pub(super) struct Atoms {
    unknown: FxHashSet<Symbol>,
    bound: FxHashMap<Symbol, (Atom, usize)>,
    /// The bound ones in the order in which they were bound.
    names: Vec<Symbol>,
}

impl Atoms {
    /// The bound ones, each after those in what it is bound to.
    fn order(&self, free: &mut FreeVars) -> Vec<Symbol> {
        let mut order = Vec::with_capacity(self.names.len());
        let mut seen = FxHashSet::default();
        let mut todo: Vec<(Symbol, bool)> = self.names.iter().rev().map(|name| (*name, false)).collect();
        while let Some((name, inner_done)) = todo.pop() {
            if inner_done {
                order.push(name);
                continue;
            }
            let Some((atom, _)) = self.bound.get(&name) else { continue };
            if !seen.insert(name) {
                continue;
            }
            todo.push((name, true));
            let mut names = FxHashSet::default();
            free.add_atom(&mut names, atom);
            todo.extend(names.into_iter().filter(|name| matches!(name, Name::Type(_))).map(|name| (name.symbol(), false)));
        }
        order
    }
}

type Pair = (*const ArrType, *const ArrType);

struct Unifier {
    context: Context,
    state: State,
    atoms: Atoms,
    free: FreeVars,
    equality: Equality,
    /// Names that a new variable must not have.
    used: FxHashSet<Symbol>,
    /// Pairs of types that were compared; the types are kept alive.
    seen: FxHashMap<Pair, (Type, Type)>,
    /// The equation at work.
    from: usize,
}

/// Decomposes the equations of a problem.
pub(super) fn unify(problem: &Problem) -> Result<(Context, State, Atoms), Unsolved> {
    let mut unifier = Unifier {
        context: Context::default(),
        state: State::default(),
        atoms: Atoms { unknown: problem.atoms.iter().copied().collect(), ..Atoms::default() },
        free: FreeVars::default(),
        equality: Equality::default(),
        used: FxHashSet::default(),
        seen: FxHashMap::default(),
        from: 0,
    };
    unifier.context.dims.extend(&problem.dims);
    unifier.context.shapes.extend(&problem.shapes);
    unifier.context.order = problem.dims.iter().chain(&problem.shapes).copied().collect();
    for (at, equation) in problem.equations.iter().enumerate() {
        let (Equation::Exact { param, arg } | Equation::Cell { param, arg, .. }) = equation;
        for ty in [param, arg] {
            let names = unifier.free.of(ty);
            unifier.used.extend(names.iter().map(|name| name.symbol()));
        }
        if let Equation::Cell { frame, .. } = equation {
            unifier.context.shapes.insert(*frame);
            unifier.context.order.push(*frame);
            unifier.context.frames.push((*frame, at));
            unifier.used.insert(*frame);
        }
        let dims = arg.shape().items.iter().filter_map(|item| match item {
            ShapeItem::Dim(dim) => Some(dim.clone()),
            ShapeItem::Var(_) => None,
        });
        unifier.context.natural.extend(dims);
    }
    for (at, equation) in problem.equations.iter().enumerate() {
        unifier.from = at;
        let done = match equation {
            Equation::Exact { param, arg } => unifier.types(param, arg),
            Equation::Cell { param, arg, frame } => {
                unifier.words(Shape::var(*frame).append(param.shape()), arg.shape().clone());
                unifier.atoms(param.atom(), arg.atom())
            }
        };
        done.map_err(Unsolved::from)?;
    }
    Ok((unifier.context, unifier.state, unifier.atoms))
}

impl Unifier {
    fn fail<T>(&self, reason: Reason) -> Result<T, Stop> {
        Err(Stop::Failure(Failure { from: self.from, reason }))
    }

    fn words(&mut self, left: Shape, right: Shape) {
        if left != right {
            self.state.words.push(WordEquation { left, right, from: self.from });
        }
    }

    fn has_unknowns(&mut self, ty: &Type) -> bool {
        let (context, atoms) = (&self.context, &self.atoms.unknown);
        self.free.of(ty).iter().any(|name| match name {
            Name::Index(name) => context.is_unknown(*name),
            Name::Type(name) => atoms.contains(name),
            Name::Size(_) => false,
        })
    }

    fn types(&mut self, a: &Type, b: &Type) -> Result<(), Stop> {
        if Arc::ptr_eq(&a.0, &b.0) {
            return Ok(());
        }
        if !self.has_unknowns(a) && !self.has_unknowns(b) {
            if self.equality.equal(&mut self.free, a, b) {
                return Ok(());
            }
            return self.fail(Reason::Types { expected: a.clone(), found: b.clone() });
        }
        let pair = (Arc::as_ptr(&a.0), Arc::as_ptr(&b.0));
        if self.seen.insert(pair, (a.clone(), b.clone())).is_some() {
            return Ok(());
        }
        self.words(a.shape().clone(), b.shape().clone());
        self.atoms(a.atom(), b.atom())
    }

    fn head(&self, atom: &Atom) -> Atom {
        let mut atom = atom;
        while let Atom::Var(name) = atom
            && let Some((by, _)) = self.atoms.bound.get(name)
        {
            atom = by;
        }
        atom.clone()
    }

    fn atoms(&mut self, a: &Atom, b: &Atom) -> Result<(), Stop> {
        let (a, b) = (self.head(a), self.head(b));
        match (&a, &b) {
            (Atom::Var(x), Atom::Var(y)) if x == y => Ok(()),
            (Atom::Var(x), other) | (other, Atom::Var(x)) if self.atoms.unknown.contains(x) => self.bind(*x, other),
            (Atom::Prim(x), Atom::Prim(y)) if x == y => Ok(()),
            (Atom::Fun(p, r), Atom::Fun(q, s)) => self.functions((p, r), (q, s)),
            (Atom::Forall(v, a), Atom::Forall(w, b)) => self.binders(v, a, w, b, false),
            (Atom::Pi(v, a), Atom::Pi(w, b)) | (Atom::Sigma(v, a), Atom::Sigma(w, b)) => self.binders(v, a, w, b, true),
            (Atom::Tuple(p), Atom::Tuple(q)) if p.len() == q.len() => p.iter().zip(q).try_for_each(|(a, b)| self.types(a, b)),
            (Atom::Record(p), Atom::Record(q)) | (Atom::Sum(p), Atom::Sum(q))
                if p.len() == q.len() && p.iter().zip(q).all(|((k, _), (l, _))| k == l) =>
            {
                p.iter().zip(q).try_for_each(|((_, a), (_, b))| self.types(a, b))
            }
            _ => self.mismatch(&a, &b),
        }
    }

    fn mismatch(&self, a: &Atom, b: &Atom) -> Result<(), Stop> {
        self.fail(Reason::Elements { expected: a.clone(), found: b.clone() })
    }

    fn bind(&mut self, name: Symbol, to: &Atom) -> Result<(), Stop> {
        if self.occurs(name, to) {
            return self.fail(Reason::Infinite(name));
        }
        self.atoms.bound.insert(name, (to.clone(), self.from));
        self.atoms.names.push(name);
        Ok(())
    }

    fn occurs(&mut self, name: Symbol, atom: &Atom) -> bool {
        let mut open = FxHashSet::default();
        self.free.add_atom(&mut open, atom);
        let mut seen = FxHashSet::default();
        let mut todo: Vec<Name> = open.into_iter().collect();
        while let Some(next) = todo.pop() {
            let Name::Type(next) = next else { continue };
            if next == name {
                return true;
            }
            if seen.insert(next)
                && let Some((by, _)) = self.atoms.bound.get(&next)
            {
                let mut more = FxHashSet::default();
                self.free.add_atom(&mut more, by);
                todo.extend(more);
            }
        }
        false
    }

    /// A variable that stands for one bound on both sides.
    fn fresh(&mut self, like: Symbol) -> Symbol {
        let mut number = 1;
        loop {
            let name = Symbol::new(&format!("{like}'{number}"));
            if self.used.insert(name) {
                return name;
            }
            number += 1;
        }
    }

    fn substituted(&mut self, subst: &Subst, ty: &Type) -> Result<Type, Stop> {
        subst.ty(&mut self.free, ty).map_err(|_| Stop::too_large(self.from))
    }

    /// Functions of several parameters are functions that return functions, so the counts may differ.
    fn functions(&mut self, (p, r): (&[Param], &Type), (q, s): (&[Param], &Type)) -> Result<(), Stop> {
        let (mut left, mut right) = (Subst::default(), Subst::default());
        let common = p.len().min(q.len());
        for (p, q) in p.iter().zip(q) {
            let (a, b) = (self.substituted(&left, &p.ty)?, self.substituted(&right, &q.ty)?);
            self.types(&a, &b)?;
            if let Some(like) = p.name.or(q.name) {
                let name = self.fresh(like);
                self.context.bound.insert(Name::Size(name));
                for (subst, old) in [(&mut left, p.name), (&mut right, q.name)] {
                    if let Some(old) = old {
                        subst.insert(Name::Size(old), Replacement::Dim(Dim::size(name)));
                    }
                }
            }
        }
        let a = self.substituted(&left, &Type::fun(p[common..].to_vec(), r.clone()))?;
        let b = self.substituted(&right, &Type::fun(q[common..].to_vec(), s.clone()))?;
        self.types(&a, &b)
    }

    fn binders(&mut self, v: &[Symbol], a: &Type, w: &[Symbol], b: &Type, index: bool) -> Result<(), Stop> {
        if v.len() != w.len() || v.iter().zip(w).any(|(v, w)| is_shape(*v) != is_shape(*w)) {
            return self.fail(Reason::Binders(a.clone(), b.clone()));
        }
        let (mut left, mut right) = (Subst::default(), Subst::default());
        for (v, w) in v.iter().zip(w) {
            let name = self.fresh(*v);
            let (kind, by): (fn(Symbol) -> Name, _) = match (index, is_shape(*v)) {
                (true, true) => (Name::Index, Replacement::Shape(Shape::var(name))),
                (true, false) => (Name::Index, Replacement::Dim(Dim::var(name))),
                (false, _) => (Name::Type, Replacement::Atom(Atom::Var(name))),
            };
            self.context.bound.insert(kind(name));
            left.insert(kind(*v), by.clone());
            right.insert(kind(*w), by);
        }
        let (a, b) = (self.substituted(&left, a)?, self.substituted(&right, b)?);
        self.types(&a, &b)
    }
}

/// The atom types with everything put in that was found, and the unknowns in whose values something is still unknown.
pub(super) fn resolve(
    context: &Context,
    atoms: &Atoms,
    solution: &Solution,
) -> Result<(FxHashMap<Symbol, Atom>, FxHashSet<Symbol>), Unsolved> {
    let mut free = FreeVars::default();
    let indices = solution.subst();
    let mut done: FxHashMap<Symbol, Atom> = FxHashMap::default();
    let mut open = FxHashSet::default();
    for name in atoms.order(&mut free) {
        let Some((atom, from)) = atoms.bound.get(&name) else { continue };
        let mut subst = indices.clone();
        let mut names = FxHashSet::default();
        free.add_atom(&mut names, atom);
        for inner in &names {
            if let Name::Type(inner) = inner
                && let Some(by) = done.get(inner)
            {
                subst.insert(Name::Type(*inner), Replacement::Atom(by.clone()));
            }
        }
        let atom = subst.atom(&mut free, atom).map_err(|_| Unsolved::from(Stop::too_large(*from)))?;
        let mut names = FxHashSet::default();
        free.add_atom(&mut names, &atom);
        if let Some(bound) = names.iter().filter(|name| context.bound.contains(name)).map(|name| name.symbol()).min() {
            return Err(Unsolved::Contradiction { equation: *from, reason: Reason::Bound { name, bound } });
        }
        let unknown = |name: &Name| match name {
            Name::Index(name) => context.is_unknown(*name),
            Name::Type(name) => atoms.unknown.contains(name),
            Name::Size(_) => false,
        };
        if names.iter().any(unknown) {
            open.insert(name);
        }
        done.insert(name, atom);
    }
    Ok((done, open))
}
