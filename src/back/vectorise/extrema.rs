//! Minima and maxima of floats by one comparison for each element.
//!
//! That NaN gives way to every number, and that -0 comes before 0, takes five more operations. In an accumulator that begins with the value
//! beyond all others neither counts for most elements: `x > most ? x : most` leaves out NaN, and takes the number. What comes out is right
//! where it is neither 0, of which there are two, nor still the value that it began with, as of nothing but NaN. Then the loop runs again,
//! with the whole operation.
//!
//! **Law.** The loop may run twice, since it sets variables of its own only; of values that are no zero and not NaN the greater one is
//! `x > y ? x : y`, whichever comes first.

use super::Vectorise;
use crate::base::mutation::mutated;
use crate::base::scalar::{FoldOp, Op, ScalarOp};
use crate::base::{PrimType, Scalar};
use crate::ir::imp::visit::{self, Mention};
use crate::ir::imp::{Expr, Int, Local, Stmt};

/// Whether all that a loop collects are extrema of floats, and there is nothing else that it does.
pub fn fits(sums: &[(Local, ScalarOp)], body: &[Stmt]) -> bool {
    let is_extremum = |op: &ScalarOp| matches!(op.op, Op::Min | Op::Max) && matches!(op.prim, PrimType::F32 | PrimType::F64);
    let mut reads = 0;
    visit::stmts(body, &mut |mention| reads += usize::from(sums.iter().any(|(sum, _)| mention == Mention::Read(*sum))));
    sums.iter().all(|(sum, op)| is_extremum(op) && body.iter().filter(|stmt| collects(stmt, *sum, *op)).count() == 1)
        && reads == sums.len()
        && body.iter().all(|stmt| matches!(stmt, Stmt::Set(..) | Stmt::Comment(_)))
}

/// Whether a statement sets something to the extremum of a sum and an element.
fn collects(stmt: &Stmt, sum: Local, op: ScalarOp) -> bool {
    matches!(stmt, Stmt::Set(_, Expr::Op(own, args)) if *own == op && args.contains(&Expr::Local(sum)))
}

/// The body of such a loop with a comparison in the place of each extremum.
pub fn compared(all: &mut Vectorise, sums: &[(Local, ScalarOp)], body: Vec<Stmt>) -> Vec<Stmt> {
    let mut out = Vec::with_capacity(body.len());
    for stmt in body {
        let of = sums.iter().find(|(sum, op)| collects(&stmt, *sum, *op));
        match (of, stmt) {
            (Some((sum, op)), Stmt::Set(local, Expr::Op(_, args))) => {
                let collected = Expr::Local(*sum);
                let element = args.into_iter().find(|arg| *arg != collected).unwrap_or(collected.clone());
                let element = all.set("x", element, &mut out);
                out.push(Stmt::Set(local, beyond(*op, element, collected)));
            }
            (_, stmt) => out.push(stmt),
        }
    }
    out
}

/// The extremum of an element and of what is collected, by one comparison.
pub fn beyond(op: ScalarOp, element: Expr, collected: Expr) -> Expr {
    let sign = if op.op == Op::Max { Op::Gt } else { Op::Lt };
    let is_beyond = Expr::Op(ScalarOp::new(sign, op.prim), vec![element.clone(), collected.clone()]);
    Expr::Select(Box::new(is_beyond), Box::new(element), Box::new(collected))
}

/// The value beyond all others, with which accumulators begin.
pub fn start(op: ScalarOp) -> Scalar {
    FoldOp { op: op.op, prim: op.prim }.identity()
}

/// Whether what comes out is right for sure.
pub fn decides(found: &Expr, op: ScalarOp) -> Expr {
    let is = |sign: Op, bound: Scalar| Expr::Op(ScalarOp::new(sign, op.prim), vec![found.clone(), Expr::Const(bound)]);
    let zero = Scalar::from_f64(op.prim, 0.0);
    let (towards, away) = if op.op == Op::Max { (Op::Gt, Op::Lt) } else { (Op::Lt, Op::Gt) };
    let other = mutated!(ExtremaOfNothing, is(away, zero).and(is(towards, start(op))), is(away, zero));
    mutated!(ExtremaOfZeros, Expr::arith(Int::Or, is(towards, zero), other), is(towards, start(op)))
}
