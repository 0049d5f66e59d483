//! Reductions with multiple accumulators.
//!
//! A loop that adds to one vector register is bound by the latency of the addition. Values are collected in the elements of an array that
//! fills several registers, and these are combined at the end: halves are added until there are two. Several sums in one loop, as those of
//! some rows side by side, share the registers; each then has an order of its own that needs no step for each lane, as the sums of lanes
//! that compilers make do.
//!
//! **Law.** The order in which an [`Order::Reduce`] collects is free, and its operations have identities.

use super::{Vectorise, extrema, plan};
use crate::base::PrimType;
use crate::base::mutation::mutated;
use crate::base::scalar::{FoldOp, ScalarOp};
use crate::ir::imp::visit::{self, Mention};
use crate::ir::imp::{Expr, Int, Local, Order, Ptr, Stmt};

/// Bytes of all accumulators.
const BYTES: i64 = 256;
/// Fewer elements are not worth a vector register.
const FEW: i64 = 16;
/// Bodies with more statements have enough to do while they wait.
const STATEMENTS: usize = 16;
/// So many sums in a loop, each of which fills all registers.
const ALONE: usize = 2;
/// Most sums in a loop that share the registers, and statements for each.
const SHARING: usize = 4;
const STATEMENTS_OF_EACH: usize = 6;

/// The loops of statements, those of [`Order::Reduce`] that are short enough rewritten.
pub fn accumulators(all: &mut Vectorise, list: Vec<Stmt>) -> Vec<Stmt> {
    let mut out = Vec::with_capacity(list.len());
    for stmt in list {
        let fitting = matches!(&stmt, Stmt::For { from, to, order: Order::Reduce(sums), body, .. } if fits(from, to, sums, body));
        if fitting && let Stmt::For { var, from, to, order: Order::Reduce(sums), body } = stmt {
            spread(all, var, from, to, &sums, body, &mut out);
        } else {
            out.push(visit::inside(stmt, &mut |body| accumulators(all, body)));
        }
    }
    out
}

fn fits(from: &Expr, to: &Expr, sums: &[(Local, ScalarOp)], body: &[Stmt]) -> bool {
    let known = from.as_int().zip(to.as_int()).map(|(from, to)| to.saturating_sub(from));
    let sets = body.iter().all(|stmt| matches!(stmt, Stmt::Set(..) | Stmt::Store(..) | Stmt::Comment(_)));
    let statements = if sums.len() <= ALONE { STATEMENTS } else { STATEMENTS_OF_EACH * sums.len() };
    sets && !is_lanes(to) && known.is_none_or(|n| n > BYTES) && sums.len() <= SHARING && body.len() <= statements && !plan::has_slow(body)
}

/// Whether it is some number of lanes.
fn is_lanes(e: &Expr) -> bool {
    let mut lanes = *e == Expr::Registers;
    e.parts(&mut |e| lanes = lanes || is_lanes(e));
    lanes
}

fn spread(all: &mut Vectorise, var: Local, from: Expr, to: Expr, sums: &[(Local, ScalarOp)], body: Vec<Stmt>, out: &mut Vec<Stmt>) {
    let widest = sums.iter().map(|(sum, _)| all.fun.locals[*sum].prim.bytes() as i64).max().unwrap_or(8);
    let lanes = BYTES / widest.max(4) / if sums.len() <= ALONE { 1 } else { SHARING as i64 };
    let count = all.set("count", to.clone().minus(from.clone()), out);
    let blocks = all.set("blocks", Expr::arith(Int::Div, count, Expr::int(lanes)), out);
    let compared = extrema::fits(sums, &body);
    let (mut wide, mut inits) = (Vec::new(), Vec::new());
    let [first, lane] = ["lane", "lane"].map(|name| all.local(name, PrimType::I64));
    let parts: Vec<Ptr> = sums
        .iter()
        .map(|(sum, _)| {
            let info = all.fun.locals[*sum].clone();
            all.stack(info.name, info.prim, lanes as u64)
        })
        .collect();
    for ((_, op), part) in sums.iter().zip(&parts) {
        wide.push(Stmt::Stack(*part));
        let identity = if compared { extrema::start(*op) } else { FoldOp { op: op.op, prim: op.prim }.neutral() };
        let identity = Expr::Const(mutated!(AccumulatorsFromZero, identity, crate::base::Scalar::from_i128(op.prim, 0)));
        inits.push(Stmt::Store(*part, Expr::Local(first), identity));
    }
    wide.push(Stmt::For { var: first, from: Expr::int(0), to: Expr::int(lanes), order: Order::Any, body: inits });
    // An iteration of a block in a lane: with fresh variables, and accumulators instead of the sums.
    let mut renaming = super::rename::Renaming::default();
    visit::stmts(&body, &mut |mention| {
        if let Mention::Set(local) = mention {
            renaming.locals.entry(local).or_insert_with(|| all.like(local));
        }
    });
    let own = all.like(var);
    renaming.locals.insert(var, own);
    let block = all.local("block", PrimType::I64);
    let base = from.clone().plus(Expr::Local(block).times(Expr::int(lanes)));
    let mut step = Vec::new();
    let base = all.set("base", base, &mut step);
    let mut each = vec![Stmt::Set(own, base.plus(Expr::Local(lane)))];
    let local = |sum: Local, renaming: &super::rename::Renaming| renaming.locals.get(&sum).copied().unwrap_or(sum);
    for ((sum, _), part) in sums.iter().zip(&parts) {
        each.push(Stmt::Set(local(*sum, &renaming), Expr::Load(*part, Box::new(Expr::Local(lane)))));
    }
    let own_body = renaming.stmts(&body);
    let own_sums: Vec<(Local, ScalarOp)> = sums.iter().map(|(sum, op)| (local(*sum, &renaming), *op)).collect();
    each.extend(if compared { extrema::compared(all, &own_sums, own_body) } else { own_body });
    for ((sum, _), part) in sums.iter().zip(&parts) {
        each.push(Stmt::Store(*part, Expr::Local(lane), Expr::Local(local(*sum, &renaming))));
    }
    step.push(Stmt::For { var: lane, from: Expr::int(0), to: Expr::int(lanes), order: Order::Any, body: each });
    wide.push(Stmt::For { var: block, from: Expr::int(0), to: blocks.clone(), order: Order::Sequential, body: step });
    let join = if compared { extrema::beyond } else { |op, a, b| Expr::Op(op, vec![a, b]) };
    let found = combine(all, sums, &parts, lanes, join, &mut wide);
    let sets = sums.iter().zip(&found).map(|((sum, op), found)| Stmt::Set(*sum, Expr::Op(*op, vec![Expr::Local(*sum), found.clone()])));
    if compared {
        let decided = sums.iter().zip(&found).map(|((_, op), found)| extrema::decides(found, *op)).reduce(Expr::and);
        let whole = from.clone().plus(blocks.clone().times(Expr::int(lanes)));
        let again = renamed(all, &body, sums);
        let again = vec![Stmt::For { var, from: from.clone(), to: whole, order: Order::Reduce(sums.to_vec()), body: again }];
        wide.extend(decided.map(|decided| Stmt::If(decided, sets.collect(), again)));
    } else {
        wide.extend(sets);
    }
    out.push(Stmt::If(Expr::int(0).less(blocks.clone()), wide, Vec::new()));
    let rest = all.set("rest", from.plus(blocks.times(Expr::int(lanes))).plus(Expr::int(mutated!(AccumulatorsRest, 0, 1))), out);
    // Few are added one after the other: a vector register would have to be filled and added up for them.
    if lanes <= FEW {
        return out.push(Stmt::For { var, from: rest, to, order: Order::Sequential, body });
    }
    let left = all.set("left", to.clone().minus(rest.clone()), out);
    let again = renamed(all, &body, sums);
    let one = vec![Stmt::For { var, from: rest.clone(), to: to.clone(), order: Order::Sequential, body }];
    let side = vec![Stmt::For { var, from: rest, to, order: Order::Reduce(sums.to_vec()), body: again }];
    out.push(Stmt::If(left.less(Expr::int(FEW)), one, side));
}

/// What the elements of the accumulators for each sum come to, halves first.
fn combine(
    all: &mut Vectorise,
    sums: &[(Local, ScalarOp)],
    parts: &[Ptr],
    lanes: i64,
    join: fn(ScalarOp, Expr, Expr) -> Expr,
    out: &mut Vec<Stmt>,
) -> Vec<Expr> {
    let load = |part: &Ptr, at: Expr| Expr::Load(*part, Box::new(at));
    let mut half = lanes / mutated!(AccumulatorsHalf, 2, 4);
    while half > 1 {
        let lane = all.local("lane", PrimType::I64);
        let pairs = sums.iter().zip(parts).map(|((_, op), part)| {
            let (one, other) = (load(part, Expr::Local(lane)), load(part, Expr::Local(lane).plus(Expr::int(half))));
            Stmt::Store(*part, Expr::Local(lane), join(*op, one, other))
        });
        out.push(Stmt::For { var: lane, from: Expr::int(0), to: Expr::int(half), order: Order::Any, body: pairs.collect() });
        half /= 2;
    }
    let last = sums.iter().zip(parts).map(|((sum, op), part)| {
        let found = all.like(*sum);
        out.push(Stmt::Set(found, join(*op, load(part, Expr::int(0)), load(part, Expr::int(1)))));
        Expr::Local(found)
    });
    last.collect()
}

/// The same body with fresh variables, but the same sums.
pub(super) fn renamed(all: &mut Vectorise, body: &[Stmt], sums: &[(Local, ScalarOp)]) -> Vec<Stmt> {
    let mut renaming = super::rename::Renaming::default();
    visit::stmts(body, &mut |mention| {
        if let Mention::Set(local) = mention
            && !sums.iter().any(|(sum, _)| *sum == local)
        {
            renaming.locals.entry(local).or_insert_with(|| all.like(local));
        }
    });
    renaming.stmts(body)
}
