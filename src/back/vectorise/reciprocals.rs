//! Divisions by a loop-invariant number.
//!
//! A division takes a vector unit as long as many multiplications. With the reciprocal, which is computed once, a quotient takes a
//! multiplication and two steps that correct its rounding.
//!
//! **Law.** [`Expr::Quotient`] has the value of the division, to the last bit but where it is about to overflow or less than the smallest
//! normal number, if the divisor is neither very small nor very large; else the loop divides.

use super::Vectorise;
use crate::base::mutation::mutated;
use crate::base::scalar::{Op, ScalarOp};
use crate::base::{PrimType, Scalar};
use crate::ir::imp::visit::{self, Mention};
use crate::ir::imp::{Expr, Int, Local, Order, Stmt, leaf_stmt};
use rustc_hash::FxHashSet;

/// With fewer iterations the reciprocal does not pay.
const FEW: i64 = 16;

/// The loops of statements, those with such divisions in two versions.
pub fn reciprocals(all: &mut Vectorise, list: Vec<Stmt>) -> Vec<Stmt> {
    let mut out = Vec::with_capacity(list.len());
    for stmt in list {
        if let Stmt::For { var, from, to, order, body } = stmt {
            let straight = body.iter().all(|stmt| matches!(stmt, Stmt::Set(..) | Stmt::Store(..) | Stmt::Comment(_)));
            let divisors = if straight && order != Order::Sequential { divisors(&body) } else { Vec::new() };
            let long = match from.as_int().zip(to.as_int()) {
                Some((from, to)) => to.saturating_sub(from) >= FEW,
                None => true,
            };
            if divisors.is_empty() || !long {
                out.push(Stmt::For { var, from, to, order, body: reciprocals(all, body) });
                continue;
            }
            let mut fine = Expr::int(FEW - 1).less(to.clone().minus(from.clone()));
            let mut pairs = Vec::with_capacity(divisors.len());
            for (divisor, prim) in divisors {
                let (test, one) = (moderate(divisor, prim), reciprocal(divisor, prim));
                let local = all.local("reciprocal", prim);
                out.push(Stmt::Set(local, one));
                fine = Expr::arith(Int::And, fine, mutated!(AnyDivisor, test, Expr::Const(Scalar::Bool(true))));
                pairs.push((divisor, local));
            }
            let again = renamed(all, &body, &order);
            let again = again.iter().map(|stmt| replaced(stmt, &pairs)).collect();
            let (from1, to1, order1) = (from.clone(), to.clone(), order.clone());
            let fast = vec![Stmt::For { var, from: from1, to: to1, order: order1, body: again }];
            out.push(Stmt::If(fine, fast, vec![Stmt::For { var, from, to, order, body }]));
        } else {
            out.push(visit::inside(stmt, &mut |body| reciprocals(all, body)));
        }
    }
    out
}

fn divides(op: &ScalarOp) -> bool {
    op.op == Op::Div && matches!(op.prim, PrimType::F32 | PrimType::F64)
}

/// Calls `see` with an expression and what it consists of.
fn each(e: &Expr, see: &mut dyn FnMut(&Expr)) {
    see(e);
    e.parts(&mut |e| each(e, see));
}

/// The numbers by which a body divides and which it does not set.
fn divisors(body: &[Stmt]) -> Vec<(Local, PrimType)> {
    let mut set: FxHashSet<Local> = FxHashSet::default();
    visit::stmts(body, &mut |mention| {
        if let Mention::Set(local) = mention {
            set.insert(local);
        }
    });
    let mut found: Vec<(Local, PrimType)> = Vec::new();
    let mut see = |e: &Expr| {
        if let Expr::Op(op, args) = e
            && let ([x, Expr::Local(divisor)], true) = (args.as_slice(), divides(op))
            && !matches!(x, Expr::Const(_))
            && mutated!(DivisorChanges, !set.contains(divisor), true)
            && !found.iter().any(|(other, _)| other == divisor)
        {
            found.push((*divisor, op.prim));
        }
    };
    for stmt in body {
        match stmt {
            Stmt::Set(_, e) => each(e, &mut see),
            Stmt::Store(_, index, value) => [index, value].into_iter().for_each(|e| each(e, &mut see)),
            Stmt::For { .. }
            | Stmt::Scan(_)
            | Stmt::While(..)
            | Stmt::If(..)
            | Stmt::Parallel(_)
            | Stmt::Launch(_)
            | Stmt::Atomic(_)
            | leaf_stmt!() => {}
        }
    }
    found
}

fn reciprocal(x: Local, prim: PrimType) -> Expr {
    Expr::Op(ScalarOp::new(Op::Div, prim), vec![Expr::Const(Scalar::from_f64(prim, 1.0)), Expr::Local(x)])
}
/// Whether a number and its reciprocal are far from the ends of the range.
fn moderate(x: Local, prim: PrimType) -> Expr {
    let power = if prim == PrimType::F32 { 120 } else { 1000 };
    let size = Expr::Op(ScalarOp::new(Op::Abs, prim), vec![Expr::Local(x)]);
    let bound = |power: i32| Expr::Const(Scalar::from_f64(prim, 2f64.powi(power)));
    let (large, small) = (ScalarOp::new(Op::Ge, prim), ScalarOp::new(Op::Le, prim));
    Expr::arith(Int::And, Expr::Op(large, vec![size.clone(), bound(-power)]), Expr::Op(small, vec![size, bound(power)]))
}

/// The same body with fresh variables, but the same sums.
fn renamed(all: &mut Vectorise, body: &[Stmt], order: &Order) -> Vec<Stmt> {
    let sums: &[(Local, ScalarOp)] = if let Order::Reduce(sums) = order { sums } else { &[] };
    super::accumulators::renamed(all, body, sums)
}

fn replaced(stmt: &Stmt, pairs: &[(Local, Local)]) -> Stmt {
    if let Stmt::Set(local, e) = stmt {
        Stmt::Set(*local, quotient(e, pairs))
    } else if let Stmt::Store(ptr, index, value) = stmt {
        Stmt::Store(*ptr, index.clone(), quotient(value, pairs))
    } else {
        stmt.clone()
    }
}
fn quotient(e: &Expr, pairs: &[(Local, Local)]) -> Expr {
    let boxed = |e: &Expr| Box::new(quotient(e, pairs));
    match e {
        Expr::Op(op, args) => {
            if let ([x, Expr::Local(divisor)], true) = (args.as_slice(), divides(op))
                && let Some((_, reciprocal)) = pairs.iter().find(|(other, _)| other == divisor)
                && !matches!(x, Expr::Const(_))
            {
                return Expr::Quotient(op.prim, boxed(x), Box::new(Expr::Local(*divisor)), Box::new(Expr::Local(*reciprocal)));
            }
            Expr::Op(*op, args.iter().map(|arg| quotient(arg, pairs)).collect())
        }
        Expr::Select(a, b, c) => Expr::Select(boxed(a), boxed(b), boxed(c)),
        Expr::Blend(prim, a, b, c) => Expr::Blend(*prim, boxed(a), boxed(b), boxed(c)),
        Expr::Int(op, a, b) => Expr::Int(*op, boxed(a), boxed(b)),
        other @ (Expr::Const(_)
        | Expr::Local(_)
        | Expr::Load(..)
        | Expr::Quotient(..)
        | Expr::Chunks { .. }
        | Expr::Threads
        | Expr::Registers
        | Expr::Thread) => other.clone(),
    }
}
