//! How much kernels compute: what takes many registers.

use super::visit::each;
use super::{Expr, Stmt};

/// Whether there are floating-point operations that take many registers: calls on a GPU.
pub fn heavy(stmts: &[Stmt]) -> bool {
    weight(stmts) > 0
}

/// How many such operations there are.
pub fn weight(stmts: &[Stmt]) -> usize {
    fn of(e: &Expr) -> usize {
        match e {
            Expr::Op(op, args) => usize::from(op.cost().gpu_call) + args.iter().map(of).sum::<usize>(),
            Expr::Load(_, index) => of(index),
            Expr::Select(a, b, c) => of(a) + of(b) + of(c),
            Expr::Const(_)
            | Expr::Local(_)
            | Expr::Int(..)
            | Expr::Blend(..)
            | Expr::Quotient(..)
            | Expr::Chunks { .. }
            | Expr::Threads
            | Expr::Registers
            | Expr::Thread => 0,
        }
    }
    let mut sum = 0;
    each(stmts, &mut |stmt| {
        if let Stmt::Set(_, e) | Stmt::Store(_, _, e) = stmt {
            sum += of(e);
        }
    });
    sum
}
