//! Faster variants of kernels ([`crate::ir::imp::variants`]): passes from programs for devices to such programs, which add to kernels what
//! other code does the same. They decide; the printer of kernels only writes what it finds.

mod columns;
mod products;
mod values;
mod vectors;

use crate::ir::imp::visit::{self, Mention, free};
use crate::ir::imp::{Expr, Fun, FunId, Launch, Program, Stmt};
use crate::ir::pass::{Step, Step::Last, Step::Run};
use rustc_hash::FxHashSet;

/// The steps, in order.
pub const STEPS: &[Step<Program>] =
    &[Run("products", products::products), Run("vectors", vectors::vectors), Last("columns", columns::columns)];

/// The program with the launches of each function changed.
fn each_launch(mut program: Program, change: &mut dyn FnMut(&Fun, &mut Launch)) -> Program {
    for k in 0..program.funs.len() {
        let fun = &mut program.funs[FunId::new(k)];
        let body = std::mem::take(&mut fun.body);
        fun.body = stmts(body, &mut |launch| change(fun, launch));
    }
    program
}
fn stmts(list: Vec<Stmt>, change: &mut dyn FnMut(&mut Launch)) -> Vec<Stmt> {
    let changed = list.into_iter().map(|stmt| {
        if let Stmt::Launch(mut launch) = stmt {
            change(&mut launch);
            return Stmt::Launch(launch);
        }
        visit::inside(stmt, &mut |list| stmts(list, change))
    });
    changed.collect()
}

/// What the code of a kernel has from the host.
fn known_outside(launch: &Launch) -> FxHashSet<Mention> {
    free(&[], |see| visit::kernel(launch, see)).into_iter().collect()
}

/// Whether an expression consists of what the host knows.
fn is_known(e: &Expr, outside: &FxHashSet<Mention>) -> bool {
    let mut all = true;
    visit::expr(e, &mut |mention| {
        all &= matches!(mention, Mention::Read(local) if outside.contains(&Mention::Set(local)));
    });
    all
}
