//! Structural unification modulo rank: bases are unified at once, every pair of ranks becomes one linear equation.

use super::context::{Context, Sides};
use super::reason::{Kind, ReasonId};
use super::types::{Base, Class, Node, Ty};
use crate::base::{Span, Symbol};
use crate::ir::surface::Ident;
use crate::rank::{LinExpr, VarKind};
use rustc_hash::FxHashSet;
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

impl Context<'_> {
    /// A new base.
    pub(super) fn base(&mut self, node: Node) -> Base {
        let base = Base(self.nodes.len() as u32);
        self.nodes.push(node);
        base
    }
    /// An unknown base of a class.
    pub(super) fn base_var(&mut self, class: Class) -> Base {
        self.base(Node::Var(class))
    }
    /// An unknown rank.
    pub(super) fn rank_var(&mut self) -> LinExpr {
        LinExpr::var(self.system.var(VarKind::Type))
    }
    /// An unknown type.
    pub(super) fn fresh(&mut self) -> Ty {
        let base = self.base_var(Class::ANY);
        Ty::new(self.rank_var(), base)
    }
    /// The function type `from -> to`.
    pub(super) fn arrow(&mut self, from: Ty, to: Ty) -> Ty {
        Ty::cell(self.base(Node::Arrow(Arc::new((from, to)))))
    }
    /// The representative of a base.
    pub(super) fn find(&mut self, base: Base) -> Base {
        let mut root = base;
        while let Node::Link(next) = self.nodes[root.0 as usize] {
            root = next;
        }
        let mut at = base;
        while let Node::Link(next) = self.nodes[at.0 as usize] {
            self.nodes[at.0 as usize] = Node::Link(root);
            at = next;
        }
        root
    }
    /// What a base is; never a link.
    pub(super) fn node(&mut self, base: Base) -> Node {
        let root = self.find(base);
        self.nodes[root.0 as usize].clone()
    }
    /// A rank with the variables replaced that are known already, in normal form.
    pub(super) fn reduce(&self, rank: &LinExpr) -> LinExpr {
        if rank.terms.is_empty() {
            return LinExpr::constant(rank.constant);
        }
        let mut reduced = LinExpr::constant(rank.constant);
        for &(var, coefficient) in &rank.terms {
            match self.known.get(&var) {
                Some(value) => reduced.constant += coefficient * value,
                None => reduced.terms.push((var, coefficient)),
            }
        }
        reduced.normalise();
        reduced
    }
    /// Demands that two ranks are equal; the types say what the ranks belong to.
    pub(super) fn equate(&mut self, expected: LinExpr, found: LinExpr, reason: ReasonId, types: (&Ty, &Ty)) {
        let difference = self.reduce(&expected.clone().sub(&found));
        if difference.terms.is_empty() && difference.constant == 0 && (self.local || expected == found) {
            return;
        }
        if self.local
            && let [(var, sign @ (1 | -1))] = difference.terms[..]
            && self.system.kinds.get(var.index()) == Some(&VarKind::Type)
        {
            let value = -difference.constant * sign;
            if value >= 0 {
                self.known.insert(var, value);
            }
        }
        self.sides.push(Sides { expected: types.0.clone(), found: types.1.clone() });
        self.system.equate(difference, LinExpr::zero(), reason.0);
    }
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
        self.equate(expected.rank.clone(), found.rank.clone(), reason, (expected, found));
        self.unify_bases(expected.base, found.base, reason)
    }

    /// First-order unification. Nodes are linked before their parts are visited, so that shared and even cyclic graphs are visited
    /// once; a link is taken back where the parts differ.
    pub(super) fn unify_bases(&mut self, left: Base, right: Base, reason: ReasonId) -> Result<(), Mismatch> {
        let (left, right) = (self.find(left), self.find(right));
        if left == right {
            return Ok(());
        }
        let mismatch = Mismatch { left, right };
        match (self.node(left), self.node(right)) {
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
                self.nodes[left.0 as usize] = Node::Var(class);
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
        let saved = std::mem::replace(&mut self.nodes[from.0 as usize], Node::Link(to));
        let result = parts(self);
        if result.is_err() {
            self.nodes[from.0 as usize] = saved;
        }
        result
    }

    /// Walks down the results of both functions. Where it comes back to where it was, a type contains itself, which is reported at the
    /// end ([`Context::check_cycles`]).
    fn lift_bases(&mut self, param: Base, arg: Base, lift: &LinExpr, reason: ReasonId) -> Result<(), Mismatch> {
        let (mut param, mut arg, mut lift) = (param, arg, lift.clone());
        let mut seen = FxHashSet::default();
        while !(lift.terms.is_empty() && lift.constant == 0) && seen.insert((self.find(param), self.find(arg))) {
            let (Node::Arrow(p), Node::Arrow(a)) = (self.node(param), self.node(arg)) else { break };
            let from = Ty::new(a.0.rank.clone().add(&lift), a.0.base);
            self.unify_types(&p.0, &from, reason)?;
            if !matches!((self.node(p.1.base), self.node(a.1.base)), (Node::Arrow(_), Node::Arrow(_))) {
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
        let difference = self.reduce(&arg.rank.clone().sub(&param.rank));
        if difference.terms.is_empty() && difference.constant == 0 {
            return lift.clone();
        }
        let inner = self.rank_var();
        self.equate(param.rank.clone().add(&inner), arg.rank.clone().add(lift), reason, (param, arg));
        inner
    }

    /// Makes sure that a base is of a class. A variable gets the class, a structure is searched for what the class excludes.
    pub(super) fn restrict(&mut self, base: Base, class: Class) -> Result<(), ()> {
        if class.is_any() {
            return Ok(());
        }
        let base = self.find(base);
        let node = self.node(base);
        if let Node::Var(own) = node {
            let class = own.meet(class).ok_or(())?;
            self.nodes[base.0 as usize] = Node::Var(class);
            return Ok(());
        }
        if !class.allows(&node) {
            return Err(());
        }
        if class.allows_functions() || !self.function_free.insert(base) {
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
        self.nodes[var.0 as usize] = Node::Link(target);
        if !matches!(self.nodes[target.0 as usize], Node::Var(_)) {
            self.bindings.push((target, reason));
        }
        if let Some(waiting) = self.waiting.remove(&var) {
            if matches!(self.nodes[target.0 as usize], Node::Var(_)) {
                self.waiting.entry(target).or_default().extend(waiting);
            } else {
                self.woken.extend(waiting.into_iter().map(|(index, own)| (index, own, reason)));
            }
        }
    }

    /// The type of a field of a type of rank 0. Where the record is not known yet the result is settled later.
    pub(super) fn field(&mut self, record: Base, field: Ident, reason: ReasonId) -> Ty {
        let root = self.find(record);
        match self.node(root) {
            Node::Var(_) => {
                let result = self.fresh();
                self.waiting.entry(root).or_default().push((self.pending.len(), reason));
                self.pending.push(Pending { base: root, wanted: Wanted::Field(field, result.clone()), done: false });
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
        let base = self.base_var(Class::ANY);
        let reason = self.reason(Kind::Payload(name.name), name.span, name.span);
        self.waiting.entry(base).or_default().push((self.pending.len(), reason));
        self.pending.push(Pending { base, wanted: Wanted::Constructor(name, payload), done: false });
        Ty::cell(base)
    }

    /// Compares a constructor with the type that it turned out to belong to.
    fn constructor_of(&mut self, base: Base, name: Ident, payload: &[(Ty, Span)], source: ReasonId) {
        let node = self.node(base);
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
            declared => self.no_such_constructor(&node, base, name, payload.len(), declared.map(|d| d.len()), source),
        }
    }

    /// Settles the projections and constructors whose types became known.
    fn settle_fields(&mut self) {
        while let Some((index, reason, source)) = self.woken.pop() {
            let Pending { base, wanted, done } = self.pending[index].clone();
            if done {
                continue;
            }
            self.pending[index].done = true;
            match wanted {
                Wanted::Field(field, result) => {
                    let node = self.node(base);
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
