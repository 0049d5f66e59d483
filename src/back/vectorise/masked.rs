//! Masked loops: they run as long as one of the lanes is in them.
//!
//! Each iteration ends with the test for the next, which sets the mask of the lanes that are still in the loop. The others keep the values
//! that are live behind the loop; all else may change in them. Where the test is a conjunction, uniform conditions end the loop for all
//! lanes; and what is computed from uniform values, such as the number of an iteration, is the same in all lanes that are still in the
//! loop: it has one variable, and lanes that leave keep a copy.

use super::Vectorise;
use super::plan::Planner;
use super::rename::Renaming;
use super::write::Block;
use crate::base::mutation::mutated;
use crate::base::scalar::{Op, ScalarOp};
use crate::base::{PrimType, Scalar, Symbol};
use crate::ir::imp::visit::{self, Mention};
use crate::ir::imp::{Expr, Int, Local, Order, Ptr, Stmt};
use rustc_hash::{FxHashMap, FxHashSet};

/// A loop that ends when it has ended in all lanes.
pub struct Masked {
    pub first: Vec<Stmt>,
    pub cond: Expr,
    pub second: Vec<Stmt>,
    /// Variables that are uniform among the lanes in the loop, in order, with their values before it where those are live.
    shared: Vec<(Local, Option<Expr>)>,
    /// What is live behind the loop.
    kept: FxHashSet<Local>,
    /// The uniform conditions of the test.
    even: Vec<Expr>,
    /// The conditions that differ between lanes.
    uneven: Vec<Expr>,
    /// The variable, live behind the loop, that holds in the lanes in which the last iteration found the uneven conditions true.
    pub test: Option<Local>,
}

/// What lanes are in a loop, and what they share.
pub struct Step<'m> {
    masked: &'m Masked,
    /// The variables that all lanes share.
    shared: &'m FxHashMap<Local, Local>,
    /// Which lanes are still in the loop, if not all.
    live: Option<Expr>,
}

/// How it is found which lanes go on.
struct Test<'m> {
    masked: &'m Masked,
    /// The variables that all lanes share.
    shared: &'m FxHashMap<Local, Local>,
    /// Has an element for each lane: all bits set where it is in the loop, else none.
    live: Ptr,
    /// Collects the elements of `live`, by the operation `or`.
    any: Local,
    or: ScalarOp,
}

/// The conditions that must hold for another iteration.
pub fn conjuncts(first: &[Stmt], cond: &Expr) -> Vec<Expr> {
    fn split(defs: &FxHashMap<Local, &Expr>, e: &Expr, out: &mut Vec<Expr>) {
        if let Expr::Local(local) = e
            && let Some(def) = defs.get(local)
            && is_and(def)
        {
            split(defs, def, out);
        } else if is_and(e) {
            e.parts(&mut |e| split(defs, e, out));
        } else {
            out.push(e.clone());
        }
    }
    let mut defs: FxHashMap<Local, &Expr> = FxHashMap::default();
    for stmt in first {
        visit::stmts(std::slice::from_ref(stmt), &mut |mention| {
            if let Mention::Set(local) = mention {
                defs.retain(|of, e| *of != local && !reads(e, local));
            }
        });
        if let Stmt::Set(local, e) = stmt
            && !reads(e, *local)
        {
            defs.insert(*local, e);
        }
    }
    let mut out = Vec::new();
    split(&defs, cond, &mut out);
    out
}

fn is_and(e: &Expr) -> bool {
    let on_bools = |op: &ScalarOp| op.op == Op::And && op.prim == PrimType::Bool;
    matches!(e, Expr::Int(Int::And, ..)) || matches!(e, Expr::Op(op, _) if on_bools(op))
}

/// Whether an expression reads a variable.
pub fn reads(e: &Expr, local: Local) -> bool {
    let mut found = false;
    visit::expr(e, &mut |mention| found = found || mention == Mention::Read(local));
    found
}

/// How often statements read variables.
pub fn readers(list: &[Stmt]) -> FxHashMap<Local, usize> {
    let mut found = FxHashMap::default();
    visit::stmts(list, &mut |mention| {
        if let Mention::Read(local) = mention {
            *found.entry(local).or_default() += 1;
        }
    });
    found
}

impl Planner<'_> {
    /// A loop behind the statements `before`.
    pub fn masked(&self, before: &[Stmt], first: &[Stmt], cond: &Expr, second: &[Stmt]) -> Masked {
        let shared = self.shared(before, first, cond, second);
        let is_even = |e: &Expr| {
            let mut same = !e.has_loads();
            visit::expr(e, &mut |mention| {
                if let Mention::Read(local) = mention {
                    same = same && (shared.iter().any(|(other, _)| *other == local) || self.is_uniform(&Expr::Local(local)));
                }
            });
            same
        };
        let (even, uneven): (Vec<Expr>, Vec<Expr>) = conjuncts(first, cond).into_iter().partition(is_even);
        let own = readers(&[Stmt::While(first.to_vec(), cond.clone(), second.to_vec())]);
        let outside = |local: &Local| self.readers.get(local) > own.get(local);
        let mut kept: FxHashSet<Local> = self.readers.keys().copied().filter(outside).collect();
        let found = |local: Local| first.iter().any(|stmt| matches!(stmt, Stmt::Set(other, _) if *other == local));
        let test = match uneven.as_slice() {
            [Expr::Local(local)] if kept.contains(local) && found(*local) && self.facts.is_set_once(*local) => Some(*local),
            _ => None,
        };
        kept.retain(|local| test != Some(*local));
        Masked { first: first.to_vec(), cond: cond.clone(), second: second.to_vec(), shared, kept, even, uneven, test }
    }

    /// What a loop sets to the same value in all lanes that are in it.
    fn shared(&self, before: &[Stmt], first: &[Stmt], cond: &Expr, second: &[Stmt]) -> Vec<(Local, Option<Expr>)> {
        let test = Stmt::If(cond.clone(), Vec::new(), Vec::new());
        let list: Vec<&Stmt> = first.iter().chain([&test]).chain(second).collect();
        let mut sets: FxHashMap<Local, Vec<usize>> = FxHashMap::default();
        let mut read: FxHashMap<Local, usize> = FxHashMap::default();
        for (at, stmt) in list.iter().enumerate() {
            visit::stmts(std::slice::from_ref(*stmt), &mut |mention| match mention {
                Mention::Set(local) => sets.entry(local).or_default().push(at),
                Mention::Read(local) => _ = read.entry(local).or_insert(at),
                Mention::Use(_) | Mention::Point(_) | Mention::Handle(_) => {}
            });
        }
        let mut found = Vec::new();
        for (at, stmt) in list.iter().enumerate() {
            let Stmt::Set(local, e) = stmt else { continue };
            if sets[local].len() > 1 || e.has_loads() || self.sums.iter().any(|(sum, _)| sum == local) {
                continue;
            }
            // What is read before it is set has the value of the iteration before, or that from before the loop.
            let carried = read.get(local).is_some_and(|first| *first <= at);
            let init = if carried { self.value_behind(before, *local) } else { None };
            if carried == init.is_some() {
                found.push((*local, e, init));
            }
        }
        loop {
            let good = |(_, e, _): &(Local, &Expr, Option<Expr>)| {
                let mut same = true;
                visit::expr(e, &mut |mention| {
                    if let Mention::Read(local) = mention {
                        let shared = found.iter().any(|(other, ..)| *other == local);
                        same = same && (shared || !sets.contains_key(&local) && self.is_uniform(&Expr::Local(local)));
                    }
                });
                same
            };
            let left: Vec<_> = found.iter().filter(|one| good(one)).cloned().collect();
            if left.len() == found.len() {
                return left.into_iter().map(|(local, _, init)| (local, init)).collect();
            }
            found = left;
        }
    }
    /// The value of a variable behind statements, if it is the same in all lanes.
    fn value_behind(&self, list: &[Stmt], local: Local) -> Option<Expr> {
        let sets = |stmt: &&Stmt| {
            let mut found = false;
            visit::stmts(std::slice::from_ref(*stmt), &mut |mention| found = found || mention == Mention::Set(local));
            found
        };
        let Stmt::Set(_, e) = list.iter().rev().find(sets)? else { return None };
        (self.is_uniform(e) && !e.has_loads()).then(|| e.clone())
    }
}

impl Masked {
    /// Whether lanes need no variable of their own for this one.
    pub fn is_common(&self, local: Local) -> bool {
        self.test == Some(local) || (self.is_shared(local) && !self.kept.contains(&local))
    }
    /// Whether all lanes in the loop have the same value.
    pub fn is_shared(&self, local: Local) -> bool {
        self.shared.iter().any(|(other, _)| *other == local)
    }
}

impl Step<'_> {
    /// The variable of all lanes for this one.
    pub fn shared(&self, local: Local) -> Option<Local> {
        self.shared.get(&local).copied()
    }
    /// Which lanes change a variable, if not all.
    pub fn live(&self, local: Local) -> Option<Expr> {
        self.live.clone().filter(|_| mutated!(LanesGoOn, self.masked.kept.contains(&local), false))
    }
}

impl Block<'_> {
    /// A loop that runs as long as one lane is in it. Each iteration ends with the test for the next.
    pub fn masked(&self, all: &mut Vectorise, masked: &Masked, out: &mut Vec<Stmt>) {
        let prim = self.mask;
        let (or, differs) = (ScalarOp::new(Op::Or, prim), ScalarOp::new(Op::Ne, prim));
        let known = masked.test.and_then(|local| self.tests.get(&local).copied());
        let live = known.unwrap_or_else(|| {
            let live = all.stack(Symbol::new("live"), prim, self.lanes as u64);
            out.push(Stmt::Stack(live));
            live
        });
        let mut shared = FxHashMap::default();
        for (local, init) in &masked.shared {
            let new = all.like(*local);
            shared.insert(*local, new);
            out.extend(init.clone().map(|init| Stmt::Set(new, init)));
        }
        let any = all.local("any", prim);
        let zero = Expr::Const(Scalar::from_i128(prim, 0));
        out.push(Stmt::Set(any, zero.clone()));
        let test = Test { masked, shared: &shared, live, any, or };
        let first = self.test(all, &masked.first, &test, false);
        out.push(first);
        let once = Renaming { locals: shared.clone(), ..Renaming::default() };
        let common = |list: &[Stmt]| -> Vec<Stmt> {
            list.iter()
                .filter(|stmt| matches!(stmt, Stmt::Set(local, _) if shared.contains_key(local)))
                .map(|stmt| once.stmt(stmt))
                .collect()
        };
        out.extend(common(&masked.first));
        let some = Expr::Op(differs, vec![Expr::Local(any), zero.clone()]);
        let goes_on = masked.even.iter().fold(some, |all, e| all.and(once.expr(e)));
        let list: Vec<Stmt> = masked.second.iter().chain(&masked.first).cloned().collect();
        let mut body = vec![Stmt::Set(any, zero), self.test(all, &list, &test, true)];
        body.extend(common(&masked.second));
        body.extend(common(&masked.first));
        out.push(Stmt::While(Vec::new(), goes_on, body));
    }

    /// Statements in those lanes that are `live` (in all, if it is not `known` yet), then which of them go on.
    fn test(&self, all: &mut Vectorise, list: &[Stmt], test: &Test, known: bool) -> Stmt {
        let Test { masked, shared, live, any, or } = *test;
        let prim = all.fun.ptrs[live].elem;
        let (set, unset) = (Expr::Const(Scalar::from_i128(prim, -1)), Expr::Const(Scalar::from_i128(prim, 0)));
        let lane = all.local("lane", PrimType::I64);
        let at = Expr::Local(lane);
        let alive = known.then(|| Expr::Load(live, Box::new(at.clone())));
        let step = Step { masked, shared, live: alive.clone() };
        let again = all.local("again", PrimType::Bool);
        let mut list = list.to_vec();
        let whole = masked.uneven.iter().cloned().reduce(Expr::and).unwrap_or(Expr::Const(Scalar::Bool(true)));
        list.push(Stmt::Set(again, whole));
        let (renaming, mut body, after) = self.lane(all, &list, lane, at.clone(), Some(&step));
        body.extend(renaming.stmts(&list));
        body.extend(after);
        let again = Expr::Local(renaming.locals.get(&again).copied().unwrap_or(again));
        let on = all.local("on", prim);
        let goes_on = Expr::Select(Box::new(again), Box::new(set), Box::new(unset.clone()));
        body.push(Stmt::Set(
            on,
            match alive {
                Some(alive) => Expr::Blend(
                    prim,
                    Box::new(mutated!(LanesComeBack, alive, Expr::Const(Scalar::from_i128(prim, -1)))),
                    Box::new(goes_on),
                    Box::new(unset),
                ),
                None => goes_on,
            },
        ));
        body.push(Stmt::Store(live, at, Expr::Local(on)));
        body.push(Stmt::Set(any, Expr::Op(or, vec![Expr::Local(any), Expr::Local(on)])));
        Stmt::For { var: lane, from: Expr::int(0), to: self.width(), order: Order::Reduce(vec![(any, or)]), body }
    }
}
