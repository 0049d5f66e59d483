//! Instruction scheduling: functions with a long latency are issued first.
//!
//! A processor's reorder window holds some hundred instructions. Instructions that wait for a long function fill it and keep independent ones
//! out, unless those come first: so the functions that depend on no other one are moved up, in the order in which their operands are ready.
//!
//! **Law.** What statements compute that set different variables, and read no memory that is written in between, does not depend on their
//! order, as long as each stands behind those whose variables it reads.

use super::plan::has_slow;
use crate::base::mutation::mutated;
use crate::ir::imp::visit::{self, Mention};
use crate::ir::imp::{Expr, Local, Order, Stmt};
use rustc_hash::FxHashMap;

/// The statements with the bodies of innermost vector loops scheduled.
pub fn schedule(list: Vec<Stmt>) -> Vec<Stmt> {
    list.into_iter()
        .map(|stmt| {
            let mut stmt = visit::inside(stmt, &mut schedule);
            if let Stmt::For { order: Order::Any | Order::Reduce(_), body, .. } = &mut stmt {
                *body = ordered(std::mem::take(body));
            }
            stmt
        })
        .collect()
}

fn ordered(body: Vec<Stmt>) -> Vec<Stmt> {
    let sets = body.iter().take_while(|stmt| matches!(stmt, Stmt::Set(..))).count();
    let Some(firsts) = firsts(&body, sets) else { return body };
    let mut places: FxHashMap<Local, usize> = FxHashMap::default();
    for (at, stmt) in body[..sets].iter().enumerate() {
        if let Stmt::Set(local, _) = stmt {
            places.insert(*local, at);
        }
    }
    let mut done = vec![false; body.len()];
    let mut out = Vec::with_capacity(body.len());
    for at in firsts {
        let mut needed = vec![at];
        let mut all = vec![false; sets];
        while let Some(at) = needed.pop() {
            if !std::mem::replace(&mut all[at], true) {
                operands(&body[at], &mut |local| {
                    needed.extend(places.get(&local).filter(|_| mutated!(ScheduledBeforeOperands, true, false)))
                });
            }
        }
        for at in (0..sets).filter(|at| all[*at]) {
            if !std::mem::replace(&mut done[at], true) {
                out.push(body[at].clone());
            }
        }
    }
    out.extend(body.into_iter().enumerate().filter(|(at, _)| !done[*at]).map(|(_, stmt)| stmt));
    out
}

/// The long functions that depend on no other one, in the order in which they can begin; `None` unless there are several, or if a variable
/// is set twice.
fn firsts(body: &[Stmt], sets: usize) -> Option<Vec<usize>> {
    let mut count: FxHashMap<Local, usize> = FxHashMap::default();
    visit::stmts(body, &mut |mention| {
        if let Mention::Set(local) = mention {
            *count.entry(local).or_default() += 1;
        }
    });
    // The latency of each variable that depends on no long function.
    let mut ready: FxHashMap<Local, Option<u32>> = FxHashMap::default();
    let mut found = Vec::new();
    for (at, stmt) in body[..sets].iter().enumerate() {
        let Stmt::Set(local, e) = stmt else { continue };
        let mut before = Some(0);
        let mut again = count[local] > 1;
        operands(stmt, &mut |operand| {
            let known = ready.get(&operand).copied();
            again = again || (known.is_none() && count.contains_key(&operand));
            before = before.zip(known.unwrap_or(Some(0))).map(|(a, b)| a.max(b));
        });
        if again {
            return None;
        }
        let slow = has_slow(std::slice::from_ref(stmt));
        if let (true, Some(before)) = (slow, before) {
            found.push((before, at));
        }
        ready.insert(*local, if slow { None } else { before.map(|before| before + cost(e)) });
    }
    found.sort_unstable();
    (found.len() > 1).then(|| found.into_iter().map(|(_, at)| at).collect())
}

fn operands(stmt: &Stmt, see: &mut dyn FnMut(Local)) {
    visit::stmts(std::slice::from_ref(stmt), &mut |mention| {
        if let Mention::Read(local) = mention {
            see(local);
        }
    });
}

/// The latency of an expression in cycles, about.
fn cost(e: &Expr) -> u32 {
    let mut parts = 0;
    e.parts(&mut |e| parts = parts.max(cost(e)));
    parts
        + match e {
            Expr::Const(_) | Expr::Local(_) => 0,
            Expr::Op(op, _) => op.cost().latency,
            Expr::Load(..)
            | Expr::Int(..)
            | Expr::Select(..)
            | Expr::Blend(..)
            | Expr::Quotient(..)
            | Expr::Chunks { .. }
            | Expr::Threads
            | Expr::Registers
            | Expr::Thread => 4,
        }
}
