//! Loop exit values: what the test of a loop has computed is reused behind the loop.
//!
//! ```text
//! while { t = f(x) } g(y) && t { .. }  u = f(x)  ==>  while { t = f(x) } g(y) && t { .. }  u = t
//! ```
//!
//! That saves little by itself. But a variable that is dead behind the loop may change in lanes that have left it.
//!
//! **Law.** A loop ends right behind its test, so what that has computed of variables that it does not set afterwards still holds.

use super::Vectorise;
use super::masked::{conjuncts, reads};
use crate::base::mutation::mutated;
use crate::ir::imp::visit::{self, Mention};
use crate::ir::imp::{Expr, Local, Result, Stmt};
use rustc_hash::{FxHashMap, FxHashSet};

/// The statements of a function without such computations.
pub fn exit_values(all: &Vectorise, list: Vec<Stmt>) -> Vec<Stmt> {
    let mut known = FxHashSet::default();
    let mut list = replaced(list, &mut known);
    // The computations that are replaced leave dead code. Each round finds what became dead in the one before.
    while !known.is_empty() {
        let mut idle = known.clone();
        let mut see = |mention| {
            if let Mention::Read(local) = mention {
                idle.remove(&local);
            }
        };
        visit::stmts(&list, &mut see);
        for result in &all.fun.results {
            if let Result::Scalar(_, e) = result {
                visit::expr(e, &mut see);
            }
        }
        if idle.is_empty() {
            break;
        }
        list = without(list, &idle);
        known.retain(|local| !idle.contains(local));
    }
    list
}

fn without(list: Vec<Stmt>, idle: &FxHashSet<Local>) -> Vec<Stmt> {
    list.into_iter()
        .filter(|stmt| !matches!(stmt, Stmt::Set(local, _) if idle.contains(local)))
        .map(|stmt| visit::inside(stmt, &mut |body| without(body, idle)))
        .collect()
}

/// What is known behind a loop.
struct Behind {
    /// What its test has computed.
    found: Vec<(Expr, Local)>,
    /// Variables with the values of others.
    same: FxHashMap<Local, Local>,
    /// What the test asks for.
    asked: Vec<Expr>,
}

/// The statements with what is asked for twice replaced; adds the variables whose values are known to `known`.
fn replaced(list: Vec<Stmt>, known: &mut FxHashSet<Local>) -> Vec<Stmt> {
    let mut out = Vec::with_capacity(list.len());
    let mut behind: Option<Behind> = None;
    for stmt in list {
        match (stmt, &mut behind) {
            (Stmt::Set(local, e), Some(at)) => out.push(at.set(local, e, known)),
            (stmt @ (Stmt::Comment(_) | Stmt::Probe(_) | Stmt::Store(..)), _) => out.push(stmt),
            (stmt, _) => {
                behind = if let Stmt::While(first, cond, second) = &stmt { Behind::new(first, cond, second) } else { None };
                out.push(visit::inside(stmt, &mut |body| replaced(body, known)));
            }
        }
    }
    out
}

impl Behind {
    fn new(first: &[Stmt], cond: &Expr, second: &[Stmt]) -> Option<Behind> {
        let mut sets: FxHashMap<Local, usize> = FxHashMap::default();
        let mut see = |mention| {
            if let Mention::Set(local) = mention {
                *sets.entry(local).or_default() += 1;
            }
        };
        visit::stmts(first, &mut see);
        visit::stmts(second, &mut see);
        let mut at = Behind { found: Vec::new(), same: FxHashMap::default(), asked: Vec::new() };
        for stmt in first {
            visit::stmts(std::slice::from_ref(stmt), &mut |mention| {
                if let Mention::Set(local) = mention {
                    at.forget(local);
                }
            });
            if let Stmt::Set(local, e) = stmt
                && sets.get(local) == Some(&1)
                && is_pure(e)
            {
                at.found.push((e.clone(), *local));
            }
        }
        at.asked = conjuncts(first, cond);
        (!at.found.is_empty()).then_some(at)
    }
    /// A variable is about to be set.
    fn forget(&mut self, local: Local) {
        self.found.retain(|(e, of)| *of != local && mutated!(ExitValueStale, !reads(e, local), true));
        self.same.retain(|a, b| *a != local && *b != local);
        self.asked.retain(|e| !reads(e, local));
    }
    fn set(&mut self, local: Local, e: Expr, known: &mut FxHashSet<Local>) -> Stmt {
        let value = self.canonical(&e);
        self.forget(local);
        let Some((_, other)) = self.found.iter().find(|(e, _)| *e == value) else { return Stmt::Set(local, e) };
        let other = *other;
        self.same.insert(local, other);
        known.insert(local);
        let asked = self.asked.contains(&Expr::Local(other));
        Stmt::Set(local, if asked { Expr::Local(other) } else { e })
    }
    fn canonical(&self, e: &Expr) -> Expr {
        if let Expr::Local(local) = e {
            return Expr::Local(self.same.get(local).copied().unwrap_or(*local));
        }
        e.with_parts(&mut |e| self.canonical(e))
    }
}

fn is_pure(e: &Expr) -> bool {
    !e.is_atom() && !e.has_loads()
}
