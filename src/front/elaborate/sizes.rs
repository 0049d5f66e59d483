//! Unknown sizes and their unification.
//!
//! A size that is not written is a [`DimAtom::Meta`]. Equations between sizes are solved when they are met if an
//! unknown stands alone in one of the terms, and are put off otherwise. Every unknown and every indeterminate has the level of the
//! scope it belongs to; an unknown of an outer scope cannot be an indeterminate of an inner one.

use super::types::{Rewrite, rewrite};
use crate::base::{Span, Symbol};
use crate::ir::core::{Atom, Dim, DimAtom, Expr, Param, Shape, ShapeItem, Type};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Ordering;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Why an unknown exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MetaKind {
    /// `[]`, or a type that was not written.
    Anonymous,
    /// The length of an inserted or written `rep`.
    Rep,
}

#[derive(Debug, Clone)]
struct Meta {
    solution: Option<Dim>,
    level: u32,
    born: u32,
    /// For a size of a parameter: indeterminates of its own level that are bound after this time are not visible there.
    until: Option<u32>,
    kind: MetaKind,
    span: Span,
}

/// Why two types have no common instance.
#[derive(Debug, Clone)]
pub(super) enum Clash {
    /// Two sizes: never equal (`definite`), or not known to be equal.
    Sizes { left: Dim, right: Dim, definite: bool },
    /// A size that would have to be known outside of the scope in which it arises.
    Escape { size: Dim, atom: DimAtom },
    /// An array of existential size where a regular one is needed.
    Irregular,
    /// Types that differ otherwise: excluded by inference.
    Shape,
}

#[derive(Debug, Clone)]
enum Undo {
    Solved { meta: u32 },
    Level { meta: u32, level: u32, until: Option<u32> },
}

/// A state to return to.
#[derive(Debug, Clone)]
pub(super) struct Snapshot {
    undo: usize,
    deferred: Vec<SizeEquation>,
    wanted: Vec<SizeEquation>,
}

/// Two sizes that are to be equal.
#[derive(Debug, Clone)]
pub(super) struct SizeEquation {
    pub(super) left: Dim,
    pub(super) right: Dim,
    /// The place that asks for it.
    pub(super) span: Span,
}

impl Snapshot {
    /// The equation from this place that was put off.
    pub(super) fn put_off(&self, span: Span) -> Option<&SizeEquation> {
        self.deferred.iter().find(|equation| equation.span == span)
    }
}

/// All unknown sizes of a definition.
#[derive(Debug, Default)]
pub(super) struct Sizes {
    metas: Vec<Meta>,
    undo: Vec<Undo>,
    deferred: Vec<SizeEquation>,
    /// Level and time of the binding of every indeterminate.
    atoms: FxHashMap<DimAtom, (u32, u32)>,
    /// Where an indeterminate comes from, for messages.
    origins: FxHashMap<DimAtom, Span>,
    clock: u32,
    /// The names that unknowns have where they are declared, for messages.
    names: FxHashMap<u32, Symbol>,
    /// The constants of the program among them.
    pub(super) globals: Vec<Symbol>,
    /// Whether an unknown was solved with an indeterminate bound after it: then bindings may have to be reordered.
    pub(super) late: bool,
    /// Whether sizes of parameters are left as they are: `:>` checks them at run time.
    pub(super) rigid_parameters: bool,
    bound_names: u32,
    /// Time spent on unification.
    pub(super) time: Duration,
    /// Equations with sums and products of unknowns, whose parts nothing else may determine.
    pub(super) wanted: Vec<SizeEquation>,
    /// What computes the sizes that results of functions hide, by the names that these have in the functions' types.
    pub(super) computed: FxHashMap<Symbol, Expr>,
}

impl Sizes {
    pub(super) fn fresh(&mut self, level: u32, kind: MetaKind, span: Span) -> Dim {
        self.clock += 1;
        self.metas.push(Meta { solution: None, level, born: self.clock, until: None, kind, span });
        Dim::atom(DimAtom::Meta(self.metas.len() as u32 - 1))
    }
    /// Gives an unknown a name for messages.
    pub(super) fn name_unknown(&mut self, dim: &Dim, name: Symbol) {
        if let Some(DimAtom::Meta(meta)) = dim.as_atom() {
            self.names.insert(meta, name);
        }
    }
    /// The name that an unknown has where it is declared.
    pub(super) fn unknown_name(&self, meta: u32) -> Option<Symbol> {
        self.names.get(&meta).copied()
    }
    pub(super) fn bind_atom(&mut self, atom: DimAtom, level: u32, origin: Span) {
        self.clock += 1;
        self.atoms.insert(atom, (level, self.clock));
        self.origins.insert(atom, origin);
    }
    /// Makes a constant of the program a size of the outermost scope.
    pub(super) fn bind_global(&mut self, name: Symbol, origin: Span) {
        if !self.atoms.contains_key(&DimAtom::Size(name)) {
            self.globals.push(name);
            self.bind_atom(DimAtom::Size(name), 0, origin);
        }
    }
    pub(super) fn origin(&self, atom: DimAtom) -> Option<Span> {
        self.origins.get(&atom).copied()
    }
    /// Level of an indeterminate; those bound inside types are deeper than any scope.
    pub(super) fn level(&self, atom: DimAtom) -> u32 {
        match atom {
            DimAtom::Meta(m) => self.metas[m as usize].level,
            _ => self.atoms.get(&atom).map_or(u32::MAX, |(level, _)| *level),
        }
    }
    pub(super) fn meta_span(&self, meta: u32) -> Span {
        self.metas[meta as usize].span
    }
    pub(super) fn snapshot(&self) -> Snapshot {
        Snapshot { undo: self.undo.len(), deferred: self.deferred.clone(), wanted: self.wanted.clone() }
    }
    pub(super) fn rollback(&mut self, to: Snapshot) {
        while self.undo.len() > to.undo {
            match self.undo.pop().expect("checked: longer") {
                Undo::Solved { meta } => self.metas[meta as usize].solution = None,
                Undo::Level { meta, level, until } => {
                    self.metas[meta as usize].level = level;
                    self.metas[meta as usize].until = until;
                }
            }
        }
        self.deferred = to.deferred;
        self.wanted = to.wanted;
    }
    /// The unknowns since `first` came of an attempt that was given up: nothing has to determine them.
    pub(super) fn give_up(&mut self, first: usize) {
        for meta in &mut self.metas[first..] {
            meta.kind = MetaKind::Anonymous;
        }
    }
    pub(super) fn zonk(&self, dim: &Dim) -> Dim {
        self.zonk_in(dim, &mut FxHashMap::default())
    }
    /// The same, with the solutions that were met: unknowns share them.
    fn zonk_in(&self, dim: &Dim, met: &mut FxHashMap<u32, Dim>) -> Dim {
        if !dim.atoms().any(|a| matches!(a, DimAtom::Meta(_))) {
            return dim.clone();
        }
        dim.subst(&mut |atom| {
            let DimAtom::Meta(m) = atom else { return None };
            if let Some(done) = met.get(&m) {
                return Some(done.clone());
            }
            let done = self.zonk_in(self.metas[m as usize].solution.as_ref()?, met);
            met.insert(m, done.clone());
            Some(done)
        })
    }
    pub(super) fn zonk_shape(&self, shape: &Shape) -> Shape {
        let items = shape.items.iter().map(|i| match i {
            ShapeItem::Dim(d) => ShapeItem::Dim(self.zonk(d)),
            ShapeItem::Var(v) => ShapeItem::Var(*v),
        });
        Shape { items: items.collect() }
    }
    pub(super) fn zonk_type(&self, ty: &Type) -> Type {
        rewrite(ty, &mut Zonk(self))
    }
    pub(super) fn solve(&mut self, meta: u32, dim: Dim) {
        self.metas[meta as usize].solution = Some(dim);
        self.undo.push(Undo::Solved { meta });
    }
    /// Makes unsolved unknowns in `ty` belong to at most this level.
    pub(super) fn lower(&mut self, ty: &Type, level: u32) {
        for atom in free_atoms(&self.zonk_type(ty)) {
            self.lower_atom(atom, level, None);
        }
    }
    fn lower_atom(&mut self, atom: DimAtom, level: u32, until: Option<u32>) {
        if let DimAtom::Meta(m) = atom {
            let (old, old_until) = (self.metas[m as usize].level, self.metas[m as usize].until);
            let until = match old.cmp(&level) {
                Ordering::Less => return,
                Ordering::Equal => [old_until, until].into_iter().flatten().min(),
                Ordering::Greater => until,
            };
            if (old, old_until) != (level, until) {
                self.undo.push(Undo::Level { meta: m, level: old, until: old_until });
                self.metas[m as usize].level = level;
                self.metas[m as usize].until = until;
            }
        }
    }
    /// The unknowns since `first` are sizes of a parameter: what is bound from now on is not visible to them.
    pub(super) fn close_parameter(&mut self, first: usize) {
        for meta in &mut self.metas[first..] {
            meta.until = Some(self.clock);
        }
    }
    /// Whether an unsolved unknown occurs in an equation that was put off.
    pub(super) fn is_deferred(&self, meta: u32) -> bool {
        self.deferred.iter().any(|SizeEquation { left, right, .. }| {
            let diff = self.zonk(left).sub(&self.zonk(right));
            diff.atoms().any(|x| x == DimAtom::Meta(meta))
        })
    }

    /// Makes two sizes equal.
    pub(super) fn unify_dim(&mut self, left: &Dim, right: &Dim, span: Span) -> Result<(), Clash> {
        let (left, right) = (self.zonk(left), self.zonk(right));
        if left == right {
            return Ok(());
        }
        self.want_parts(&left, &right, span);
        let diff = left.sub(&right);
        let mut candidates: Vec<(u32, i64)> = Vec::new();
        let mut unknowns = false;
        for (monomial, coefficient) in diff.terms() {
            unknowns |= monomial.iter().any(|a| matches!(a, DimAtom::Meta(_)));
            if let [DimAtom::Meta(m)] = monomial
                && diff.terms().all(|(_, other)| other % coefficient == 0)
            {
                let occurrences = diff.atoms().filter(|a| *a == DimAtom::Meta(*m)).count();
                if occurrences == 1 {
                    candidates.push((*m, coefficient));
                }
            }
        }
        // The innermost unknown first: it may be anything that is visible where it belongs.
        candidates.sort_by_key(|(m, _)| std::cmp::Reverse((self.metas[*m as usize].level, *m)));
        let mut escape = None;
        for (meta, coefficient) in candidates {
            let until = self.metas[meta as usize].until;
            if self.rigid_parameters && until.is_some() {
                continue;
            }
            // What an unknown that stands alone is equal to remembers its parts.
            let alone =
                |dim: &Dim, other: &Dim| dim.as_atom() == Some(DimAtom::Meta(meta)) && other.atoms().all(|a| a != DimAtom::Meta(meta));
            let rest = match (alone(&left, &right), alone(&right, &left)) {
                (true, _) => right.clone(),
                (_, true) => left.clone(),
                _ => divided(&diff.sub(&Dim::atom(DimAtom::Meta(meta)).scale(coefficient)), -coefficient),
            };
            let level = self.metas[meta as usize].level;
            let outside = rest.atoms().find(|a| !matches!(a, DimAtom::Meta(_)) && self.level(*a) > level);
            let time = |atom: &DimAtom| self.atoms.get(atom).copied();
            let later = until.is_some_and(|until| rest.atoms().any(|a| time(&a).is_some_and(|(l, t)| l == level && t > until)));
            match outside {
                Some(atom) => escape = Some(Clash::Escape { size: rest, atom }),
                None if later => escape = Some(Clash::Sizes { left: left.clone(), right: right.clone(), definite: false }),
                None => {
                    self.assign(meta, rest, level);
                    return Ok(());
                }
            }
        }
        match escape {
            Some(clash) => Err(clash),
            None if unknowns && no_solution(&diff) => Err(Clash::Sizes { definite: true, left, right }),
            None if unknowns => {
                self.deferred.push(SizeEquation { left, right, span });
                Ok(())
            }
            None => Err(Clash::Sizes { definite: left.never_equal(&right), left, right }),
        }
    }
    fn assign(&mut self, meta: u32, dim: Dim, level: u32) {
        let Meta { born, until, .. } = self.metas[meta as usize];
        for atom in dim.atoms().collect::<Vec<_>>() {
            self.lower_atom(atom, level, until);
            self.late |= self.atoms.get(&atom).is_some_and(|(_, time)| *time > born);
        }
        self.solve(meta, dim);
    }
    /// Tries again what was put off; at the `end` nothing may be left.
    pub(super) fn retry(&mut self, end: bool) -> Result<(), (Clash, Span)> {
        let start = Instant::now();
        let out = self.retry_deferred(end);
        self.time += start.elapsed();
        out
    }
    fn retry_deferred(&mut self, end: bool) -> Result<(), (Clash, Span)> {
        loop {
            let before = self.undo.len();
            for SizeEquation { left, right, span } in std::mem::take(&mut self.deferred) {
                self.unify_dim(&left, &right, span).map_err(|clash| (clash, span))?;
            }
            if self.undo.len() == before {
                break;
            }
        }
        match self.deferred.first() {
            Some(SizeEquation { left, right, span }) if end => {
                let (left, right) = (self.zonk(left), self.zonk(right));
                Err((Clash::Sizes { left, right, definite: false }, *span))
            }
            _ => Ok(()),
        }
    }

    /// How many unknowns there are.
    pub(super) fn count(&self) -> usize {
        self.metas.len()
    }
    /// The unknowns that have no solution.
    pub(super) fn unsolved(&self) -> Vec<u32> {
        self.metas.iter().enumerate().filter(|(_, m)| m.solution.is_none()).map(|(i, _)| i as u32).collect()
    }
    /// The place of a `rep` whose length nothing determines.
    pub(super) fn undetermined_rep(&self) -> Option<Span> {
        let unknown = |i: usize| self.zonk(&Dim::atom(DimAtom::Meta(i as u32))).atoms().any(|a| matches!(a, DimAtom::Meta(_)));
        self.metas.iter().enumerate().find(|(i, m)| m.kind == MetaKind::Rep && unknown(*i)).map(|(_, m)| m.span)
    }
    /// Whether an unknown has a solution.
    pub(super) fn is_solved(&self, meta: u32) -> bool {
        self.metas[meta as usize].solution.is_some()
    }
    /// Whether nothing was put off since.
    pub(super) fn same_deferred(&self, since: &Snapshot) -> bool {
        self.deferred.len() == since.deferred.len()
    }
    /// Gives unknowns of one type the sizes of the other, where that is possible; other differences are left.
    pub(super) fn unify_loosely(&mut self, left: &Type, right: &Type, span: Span) {
        self.unify_loosely_in(left, right, span, &mut FxHashSet::default());
    }
    fn unify_loosely_in(&mut self, left: &Type, right: &Type, span: Span, seen: &mut FxHashSet<(usize, usize)>) {
        if !seen.insert((Arc::as_ptr(&left.0) as usize, Arc::as_ptr(&right.0) as usize)) {
            return;
        }
        for (x, y) in left.shape().items.iter().zip(&right.shape().items) {
            if let (ShapeItem::Dim(x), ShapeItem::Dim(y)) = (x, y) {
                let before = self.snapshot();
                if self.unify_dim(x, y, span).is_err() || !self.same_deferred(&before) {
                    self.rollback(before);
                }
            }
        }
        match (left.atom(), right.atom()) {
            (Atom::Tuple(xs), Atom::Tuple(ys)) => xs.iter().zip(ys).for_each(|(x, y)| self.unify_loosely_in(x, y, span, seen)),
            (Atom::Record(xs), Atom::Record(ys)) => xs.iter().zip(ys).for_each(|((_, x), (_, y))| self.unify_loosely_in(x, y, span, seen)),
            _ => {}
        }
    }

    /// Makes two types equal.
    pub(super) fn unify(&mut self, left: &Type, right: &Type, span: Span) -> Result<(), Clash> {
        let start = Instant::now();
        let out = self.unify_types(left, right, span, &mut FxHashSet::default());
        self.time += start.elapsed();
        out
    }
    fn unify_types(&mut self, left: &Type, right: &Type, span: Span, seen: &mut FxHashSet<(usize, usize)>) -> Result<(), Clash> {
        if Arc::ptr_eq(&left.0, &right.0) || !seen.insert((Arc::as_ptr(&left.0) as usize, Arc::as_ptr(&right.0) as usize)) {
            return Ok(());
        }
        let (a, b) = (&left.shape().items, &right.shape().items);
        if a.len() != b.len() {
            let boxed = |t: &Type| matches!(t.atom(), Atom::Sigma(..));
            return Err(if boxed(left) || boxed(right) { Clash::Irregular } else { Clash::Shape });
        }
        for (x, y) in a.iter().zip(b) {
            match (x, y) {
                (ShapeItem::Dim(x), ShapeItem::Dim(y)) => self.unify_dim(x, y, span)?,
                (ShapeItem::Var(x), ShapeItem::Var(y)) if x == y => {}
                _ => return Err(Clash::Shape),
            }
        }
        match (left.atom(), right.atom()) {
            (Atom::Prim(x), Atom::Prim(y)) if x == y => Ok(()),
            (Atom::Var(x), Atom::Var(y)) if x == y => Ok(()),
            (Atom::Tuple(xs), Atom::Tuple(ys)) if xs.len() == ys.len() => {
                xs.iter().zip(ys).try_for_each(|(x, y)| self.unify_types(x, y, span, seen))
            }
            (Atom::Record(xs), Atom::Record(ys)) | (Atom::Sum(xs), Atom::Sum(ys)) if xs.len() == ys.len() => {
                xs.iter().zip(ys).try_for_each(|((_, x), (_, y))| self.unify_types(x, y, span, seen))
            }
            (Atom::Fun(ps, r), Atom::Fun(qs, s)) => self.unify_functions((ps, r), (qs, s), span, seen),
            (Atom::Sigma(xs, t), Atom::Sigma(ys, u)) if xs.len() == ys.len() => {
                xs.iter().zip(ys).try_for_each(|(x, y)| self.unify_computed(*x, *y, span))?;
                let fresh: Vec<Symbol> = xs.iter().map(|_| self.bound_name()).collect();
                let rename = |names: &[Symbol], ty: &Type| {
                    let map = names.iter().zip(&fresh).map(|(n, f)| (DimAtom::Var(*n), Dim::var(*f))).collect();
                    rewrite(ty, &mut super::types::Substitution::sizes(map))
                };
                self.unify_types(&rename(xs, t), &rename(ys, u), span, &mut FxHashSet::default())
            }
            (Atom::Sigma(..), _) | (_, Atom::Sigma(..)) => Err(Clash::Irregular),
            _ => Err(Clash::Shape),
        }
    }
    fn unify_functions(
        &mut self,
        (ps, r): (&[Param], &Type),
        (qs, s): (&[Param], &Type),
        span: Span,
        seen: &mut FxHashSet<(usize, usize)>,
    ) -> Result<(), Clash> {
        if ps.len() == qs.len() && ps.iter().chain(qs).all(|param| param.name.is_none()) {
            ps.iter().zip(qs).try_for_each(|(p, q)| self.unify_types(&p.ty, &q.ty, span, seen))?;
            return self.unify_types(r, s, span, seen);
        }
        let shared = ps.len().min(qs.len());
        let rest = |params: &[Param], ret: &Type| Type::fun(params[shared..].to_vec(), ret.clone());
        let (r, s) = self.unify_named(ps, rest(ps, r), qs, rest(qs, s), span)?;
        if ps.len() != qs.len() && !matches!((r.atom(), s.atom()), (Atom::Sigma(..), _) | (_, Atom::Sigma(..))) {
            return Err(Clash::Shape);
        }
        self.unify_types(&r, &s, span, &mut FxHashSet::default())
    }
    /// Makes parameters equal of which some have names; returns what follows them, with the same names on both sides.
    fn unify_named(&mut self, ps: &[Param], r: Type, qs: &[Param], s: Type, span: Span) -> Result<(Type, Type), Clash> {
        let mut left = super::types::Substitution::default();
        let mut right = super::types::Substitution::default();
        for (p, q) in ps.iter().zip(qs) {
            let (p_ty, q_ty) = (rewrite(&p.ty, &mut left), rewrite(&q.ty, &mut right));
            self.unify_types(&p_ty, &q_ty, span, &mut FxHashSet::default())?;
            if p.name.is_some() || q.name.is_some() {
                let name = self.bound_name();
                for (param, subst) in [(p, &mut left), (q, &mut right)] {
                    if let Some(old) = param.name {
                        subst.atoms.insert(DimAtom::Size(old), Dim::size(name));
                        subst.clear();
                    }
                }
            }
        }
        Ok((self.put_in(&r, &mut left), self.put_in(&s, &mut right)))
    }
    /// A name for a variable bound in a type, equal to no other and visible in no scope.
    pub(super) fn bound_name(&mut self) -> Symbol {
        self.bound_names += 1;
        Symbol::new(&format!("{BOUND}.{}", self.bound_names))
    }
}

/// What names of [`Sizes::bound_name`] begin with, before a number. Names of programs have no such letter.
const BOUND: &str = "ζ";

/// Whether a name was made by [`Sizes::bound_name`].
pub(super) fn is_bound_name(name: Symbol) -> bool {
    name.as_str().split_once('.').is_some_and(|(stem, number)| stem == BOUND && is_number(number))
}

/// Whether this is the number that tells a name of core from others.
pub(super) fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

struct Zonk<'a>(&'a Sizes);

impl Rewrite for Zonk<'_> {
    fn dim(&mut self, dim: &Dim) -> Option<Dim> {
        dim.atoms().any(|a| matches!(a, DimAtom::Meta(_))).then(|| self.0.zonk(dim))
    }
}

/// Whether no whole numbers for the unknowns make a difference 0: their coefficients have a common divisor that the rest has not.
fn no_solution(diff: &Dim) -> bool {
    let (mut common, mut rest) = (0u64, 0u64);
    for (monomial, coefficient) in diff.terms() {
        match monomial.is_empty() {
            true => rest = coefficient.unsigned_abs(),
            false => common = gcd(common, coefficient.unsigned_abs()),
        }
    }
    common > 1 && rest % common != 0
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// Whether a size is no negative number whatever its indeterminates are. The value of a variable may be negative, the size of an array
/// is not.
pub(super) fn evidently_natural(dim: &Dim) -> bool {
    dim.terms().all(|(monomial, coefficient)| coefficient >= 0 && monomial.iter().all(|atom| matches!(atom, DimAtom::Var(_))))
}

/// A size divided by a number that divides all its coefficients.
fn divided(dim: &Dim, by: i64) -> Dim {
    dim.terms().fold(Dim::constant(0), |sum, (monomial, coefficient)| {
        let product = monomial.iter().fold(Dim::constant(coefficient / by), |product, atom| product.mul(&Dim::atom(*atom)));
        sum.add(&product)
    })
}

/// The indeterminates of the sizes in a type that are not bound inside it.
pub(super) fn free_atoms(ty: &Type) -> Vec<DimAtom> {
    fn walk(ty: &Type, bound: &mut Vec<DimAtom>, seen: &mut FxHashSet<usize>, out: &mut Vec<DimAtom>) {
        // A node met again under other binders has the same free indeterminates or fewer: binders are unique.
        if !seen.insert(Arc::as_ptr(&ty.0) as usize) {
            return;
        }
        for item in &ty.shape().items {
            if let ShapeItem::Dim(d) = item {
                out.extend(d.atoms().filter(|a| !bound.contains(a)));
            }
        }
        let depth = bound.len();
        match ty.atom() {
            Atom::Prim(_) | Atom::Var(_) => {}
            Atom::Fun(params, ret) => {
                for p in params {
                    walk(&p.ty, bound, seen, out);
                    bound.extend(p.name.map(DimAtom::Size));
                }
                walk(ret, bound, seen, out);
            }
            Atom::Forall(_, t) => walk(t, bound, seen, out),
            Atom::Pi(vars, t) | Atom::Sigma(vars, t) => {
                bound.extend(vars.iter().map(|v| DimAtom::Var(*v)));
                walk(t, bound, seen, out);
            }
            Atom::Tuple(ts) => ts.iter().for_each(|t| walk(t, bound, seen, out)),
            Atom::Record(fs) | Atom::Sum(fs) => fs.iter().for_each(|(_, t)| walk(t, bound, seen, out)),
        }
        bound.truncate(depth);
    }
    let mut out = Vec::new();
    walk(ty, &mut Vec::new(), &mut FxHashSet::default(), &mut out);
    let mut unique = FxHashSet::default();
    out.retain(|a| unique.insert(*a));
    out
}
