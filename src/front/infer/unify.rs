//! Structural unification modulo rank: bases are unified at once, every pair of ranks becomes one linear equation.

use super::context::Context;
use super::reason::{Kind, ReasonId};
use super::types::{Base, Class, Node, Ty};
use crate::base::{Span, Symbol};
use crate::ir::surface::Ident;
use crate::rank::LinExpr;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// Two bases that cannot be equal.
pub(super) struct Mismatch {
    left: Base,
    right: Base,
}

/// Something about a base that is to be settled when the base is known.
#[derive(Clone, Debug)]
pub(super) struct Pending {
    pub(super) base: Base,
    pub(super) wanted: Wanted,
    pub(super) done: bool,
}

/// What is to be settled.
#[derive(Clone, Debug)]
pub(super) enum Wanted {
    /// The field of this name has this type.
    Field(Ident, Ty),
    /// There is a constructor of this name with this payload; its parts stand at these places.
    Constructor(Ident, Arc<[(Ty, Span)]>),
}

/// What is settled once the bases in question are known.
#[derive(Default)]
pub(super) struct Delayed {
    pub(super) all: Vec<Pending>,
    /// Which wait for a variable, with their own reasons.
    waiting: FxHashMap<Base, Vec<(usize, ReasonId)>>,
    /// What became known, with its own reason and the reason why it became known.
    woken: Vec<(usize, ReasonId, ReasonId)>,
}

impl Delayed {
    fn wait(&mut self, base: Base, wanted: Wanted, reason: ReasonId) {
        self.waiting.entry(base).or_default().push((self.all.len(), reason));
        self.all.push(Pending { base, wanted, done: false });
    }
    /// A variable was bound to another base, of which something may be known.
    fn bound(&mut self, var: Base, target: Base, known: bool, reason: ReasonId) {
        if let Some(waiting) = self.waiting.remove(&var) {
            if known {
                self.woken.extend(waiting.into_iter().map(|(index, own)| (index, own, reason)));
            } else {
                self.waiting.entry(target).or_default().extend(waiting);
            }
        }
    }
}

impl Context<'_> {
    /// Demands that two types are equal.
    pub(super) fn unify(&mut self, expected: &Ty, found: &Ty, reason: ReasonId) {
        let result = self.unify_types(expected, found, reason);
        self.report_mismatch(result, expected, found, reason);
        self.settle_fields();
    }
    /// Demands that an argument fits a parameter. Where both are functions, an array of functions of the argument may serve as
    /// a function on arrays: `lift` is the number of dimensions that are moved inside. The ranks of the two types themselves are
    /// the caller's business.
    pub(super) fn unify_argument(&mut self, param: &Ty, arg: &Ty, lift: &LinExpr, reason: ReasonId) {
        let result = self.lift_bases(param.base, arg.base, lift, reason);
        self.report_mismatch(result, param, arg, reason);
        self.settle_fields();
    }

    fn report_mismatch(&mut self, result: Result<(), Mismatch>, expected: &Ty, found: &Ty, reason: ReasonId) {
        if let Err(mismatch) = result {
            self.mismatch(expected, found, mismatch.left, mismatch.right, reason);
        }
    }

    fn unify_types(&mut self, expected: &Ty, found: &Ty, reason: ReasonId) -> Result<(), Mismatch> {
        self.ranks.equate(&expected.rank, &found.rank, reason, (expected, found));
        self.unify_bases(expected.base, found.base, reason)
    }

    /// First-order unification. Nodes are linked before their parts are visited, so that shared and even cyclic graphs are visited
    /// once; a link is taken back where the parts differ.
    pub(super) fn unify_bases(&mut self, left: Base, right: Base, reason: ReasonId) -> Result<(), Mismatch> {
        let (left, right) = (self.bases.find(left), self.bases.find(right));
        if left == right {
            return Ok(());
        }
        let mismatch = Mismatch { left, right };
        match (self.bases.node(left), self.bases.node(right)) {
            (Node::Var(_), Node::Error) => {
                self.bind(left, right, reason);
                Ok(())
            }
            (Node::Error, Node::Var(_)) => {
                self.bind(right, left, reason);
                Ok(())
            }
            (Node::Error, _) | (_, Node::Error) => Ok(()),
            (Node::Var(a), Node::Var(b)) => {
                let class = a.meet(b).ok_or(mismatch)?;
                self.bases.replace(left, Node::Var(class));
                self.bind(right, left, reason);
                Ok(())
            }
            (Node::Var(class), _) => {
                self.restrict(right, class).map_err(|()| mismatch)?;
                self.bind(left, right, reason);
                Ok(())
            }
            (_, Node::Var(class)) => {
                self.restrict(left, class).map_err(|()| mismatch)?;
                self.bind(right, left, reason);
                Ok(())
            }
            (Node::Prim(p), Node::Prim(q)) if p == q => Ok(()),
            (Node::Param(p), Node::Param(q)) if p == q => Ok(()),
            (Node::Abstract(t, _, a), Node::Abstract(u, _, b)) if t == u && a.len() == b.len() => {
                self.linked(right, left, |this| a.iter().zip(b.iter()).try_for_each(|(x, y)| this.unify_types(x, y, reason)))
            }
            (Node::Arrow(f), Node::Arrow(g)) => self.linked(right, left, |this| {
                this.unify_types(&f.0, &g.0, reason)?;
                this.unify_types(&f.1, &g.1, reason)
            }),
            (Node::Tuple(a), Node::Tuple(b)) if a.len() == b.len() => {
                self.linked(right, left, |this| a.iter().zip(b.iter()).try_for_each(|(x, y)| this.unify_types(x, y, reason)))
            }
            (Node::Record(a), Node::Record(b)) if a.len() == b.len() && a.iter().zip(b.iter()).all(|(x, y)| x.0 == y.0) => {
                self.linked(right, left, |this| a.iter().zip(b.iter()).try_for_each(|(x, y)| this.unify_types(&x.1, &y.1, reason)))
            }
            (Node::Sum(a), Node::Sum(b)) if a.len() == b.len() && a.iter().zip(b.iter()).all(|(x, y)| same_constructor(x, y)) => self
                .linked(right, left, |this| {
                    let parts = |sum: &[(Symbol, Arc<[Ty]>)]| sum.iter().flat_map(|(_, payload)| payload.to_vec()).collect::<Vec<Ty>>();
                    parts(&a).iter().zip(&parts(&b)).try_for_each(|(x, y)| this.unify_types(x, y, reason))
                }),
            _ => Err(mismatch),
        }
    }

    fn linked(&mut self, from: Base, to: Base, parts: impl FnOnce(&mut Self) -> Result<(), Mismatch>) -> Result<(), Mismatch> {
        let saved = self.bases.replace(from, Node::Link(to));
        let result = parts(self);
        if result.is_err() {
            self.bases.replace(from, saved);
        }
        result
    }

    /// Walks down the results of both functions. Where it comes back to where it was, a type contains itself, which is reported at the
    /// end ([`Context::check_cycles`]).
    fn lift_bases(&mut self, param: Base, arg: Base, lift: &LinExpr, reason: ReasonId) -> Result<(), Mismatch> {
        let (mut param, mut arg, mut lift) = (param, arg, lift.clone());
        let mut seen = FxHashSet::default();
        while !(lift.terms.is_empty() && lift.constant == 0) && seen.insert((self.bases.find(param), self.bases.find(arg))) {
            let (Node::Arrow(p), Node::Arrow(a)) = (self.bases.node(param), self.bases.node(arg)) else { break };
            let from = Ty::new(a.0.rank.clone().add(&lift), a.0.base);
            self.unify_types(&p.0, &from, reason)?;
            if !matches!((self.bases.node(p.1.base), self.bases.node(a.1.base)), (Node::Arrow(_), Node::Arrow(_))) {
                let to = Ty::new(a.1.rank.clone().add(&lift), a.1.base);
                return self.unify_types(&p.1, &to, reason);
            }
            lift = self.inner_lift(&p.1, &a.1, &lift, reason);
            (param, arg) = (p.1.base, a.1.base);
        }
        self.unify_bases(param, arg, reason)
    }

    /// How many dimensions are left to move inside the result of a curried function.
    fn inner_lift(&mut self, param: &Ty, arg: &Ty, lift: &LinExpr, reason: ReasonId) -> LinExpr {
        let difference = self.ranks.reduce(&arg.rank.clone().sub(&param.rank));
        if difference.terms.is_empty() && difference.constant == 0 {
            return lift.clone();
        }
        let inner = self.ranks.var();
        self.ranks.equate(&param.rank.clone().add(&inner), &arg.rank.clone().add(lift), reason, (param, arg));
        inner
    }

    /// Makes sure that a base is of a class. A variable gets the class, a structure is searched for what the class excludes.
    pub(super) fn restrict(&mut self, base: Base, class: Class) -> Result<(), ()> {
        if class.is_any() {
            return Ok(());
        }
        let base = self.bases.find(base);
        let node = self.bases.node(base);
        if let Node::Var(own) = node {
            let class = own.meet(class).ok_or(())?;
            self.bases.replace(base, Node::Var(class));
            return Ok(());
        }
        if !class.allows(&node) {
            return Err(());
        }
        if class.allows_functions() || !self.bases.function_free.insert(base) {
            return Ok(());
        }
        match node {
            Node::Abstract(ty, ..) if self.program.hides_functions(ty) => Err(()),
            Node::Abstract(_, _, args) => args.iter().try_for_each(|arg| self.restrict(arg.base, Class::EQUALITY)),
            Node::Tuple(parts) => parts.iter().try_for_each(|part| self.restrict(part.base, Class::EQUALITY)),
            Node::Record(fields) => fields.iter().try_for_each(|(_, part)| self.restrict(part.base, Class::EQUALITY)),
            Node::Sum(constructors) => {
                constructors.iter().flat_map(|(_, payload)| payload.iter()).try_for_each(|part| self.restrict(part.base, Class::EQUALITY))
            }
            Node::Var(_) | Node::Link(_) | Node::Prim(_) | Node::Param(_) | Node::Arrow(_) | Node::Error => Ok(()),
        }
    }

    fn bind(&mut self, var: Base, target: Base, reason: ReasonId) {
        let known = self.bases.bind(var, target, reason);
        self.delayed.bound(var, target, known, reason);
    }

    /// The type of a field of a type of rank 0. Where the record is not known yet the result is settled later.
    pub(super) fn field(&mut self, record: Base, field: Ident, reason: ReasonId) -> Ty {
        let root = self.bases.find(record);
        match self.bases.node(root) {
            Node::Var(_) => {
                let result = self.fresh();
                self.delayed.wait(root, Wanted::Field(field, result.clone()), reason);
                result
            }
            node => self.field_of(&node, record, field),
        }
    }

    fn field_of(&mut self, node: &Node, record: Base, field: Ident) -> Ty {
        let found = match node {
            Node::Record(fields) => lookup(fields, field.name),
            Node::Tuple(parts) => field.name.as_str().parse::<usize>().ok().and_then(|i| parts.get(i).cloned()),
            _ => None,
        };
        found.unwrap_or_else(|| {
            self.no_such_field(node, record, field);
            self.error_type()
        })
    }

    /// The type that has a constructor with this payload. It becomes known later.
    pub(super) fn constructor(&mut self, name: Ident, payload: Arc<[(Ty, Span)]>) -> Ty {
        let base = self.bases.var(Class::ANY);
        let reason = self.reason(Kind::Payload(name.name), name.span, name.span);
        self.delayed.wait(base, Wanted::Constructor(name, payload), reason);
        Ty::cell(base)
    }

    /// Compares a constructor with the type that it turned out to belong to.
    fn constructor_of(&mut self, base: Base, name: Ident, payload: &[(Ty, Span)], source: ReasonId) {
        let node = self.bases.node(base);
        let declared = match &node {
            Node::Sum(constructors) => constructors.iter().find(|(label, _)| *label == name.name).map(|(_, payload)| payload.clone()),
            Node::Error => return,
            _ => None,
        };
        match declared {
            Some(declared) if declared.len() == payload.len() => {
                let from = self.reasons[source.0 as usize];
                let from = if from.expected.contains(name.span) { from.found } else { from.expected };
                for (wanted, (found, span)) in declared.iter().zip(payload) {
                    let reason = self.reason(Kind::Payload(name.name), from, *span);
                    let unified = self.unify_types(wanted, found, reason);
                    self.report_mismatch(unified, wanted, found, reason);
                }
            }
            _ => self.wrong_constructor(&node, base, name, payload.len(), source),
        }
    }

    /// Settles the projections and constructors whose types became known.
    fn settle_fields(&mut self) {
        while let Some((index, reason, source)) = self.delayed.woken.pop() {
            let Pending { base, wanted, done } = self.delayed.all[index].clone();
            if done {
                continue;
            }
            self.delayed.all[index].done = true;
            match wanted {
                Wanted::Field(field, result) => {
                    let node = self.bases.node(base);
                    let ty = self.field_of(&node, base, field);
                    let unified = self.unify_types(&ty, &result, reason);
                    self.report_mismatch(unified, &ty, &result, reason);
                }
                Wanted::Constructor(name, payload) => self.constructor_of(base, name, &payload, source),
            }
        }
    }
}

fn same_constructor(a: &(Symbol, Arc<[Ty]>), b: &(Symbol, Arc<[Ty]>)) -> bool {
    a.0 == b.0 && a.1.len() == b.1.len()
}

fn lookup(fields: &[(Symbol, Ty)], name: Symbol) -> Option<Ty> {
    fields.iter().find(|(label, _)| *label == name).map(|(_, ty)| ty.clone())
}
