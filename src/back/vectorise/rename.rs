//! Renaming of the variables of statements.

use crate::ir::imp::{Expr, Local, Order, Place, Ptr, Scan, Stmt, leaf_stmt};
use rustc_hash::FxHashMap;

/// Variables that get other names, and arrays that get an element for each lane.
#[derive(Default)]
pub struct Renaming {
    /// The new variable for each that is renamed.
    pub locals: FxHashMap<Local, Local>,
    /// Arrays of an iteration: those of all lanes, the number of lanes, and the lane.
    pub arrays: FxHashMap<Ptr, (Ptr, i64, Local)>,
}

impl Renaming {
    fn local(&self, local: Local) -> Local {
        self.locals.get(&local).copied().unwrap_or(local)
    }
    fn element(&self, ptr: Ptr, index: Expr) -> (Ptr, Expr) {
        match self.arrays.get(&ptr) {
            None => (ptr, index),
            Some((wide, lanes, lane)) => (*wide, index.times(Expr::int(*lanes)).plus(Expr::Local(*lane))),
        }
    }

    /// An expression with its variables renamed.
    pub fn expr(&self, e: &Expr) -> Expr {
        if let Expr::Local(local) = e {
            return Expr::Local(self.local(*local));
        }
        if let Expr::Load(ptr, index) = e {
            let (ptr, index) = self.element(*ptr, self.expr(index));
            return Expr::Load(ptr, Box::new(index));
        }
        e.with_parts(&mut |e| self.expr(e))
    }
    /// Statements of the kinds that plans consist of; others stay as they are.
    pub fn stmts(&self, list: &[Stmt]) -> Vec<Stmt> {
        list.iter().map(|stmt| self.stmt(stmt)).collect()
    }
    /// A statement with its variables renamed.
    pub fn stmt(&self, stmt: &Stmt) -> Stmt {
        match stmt {
            Stmt::Set(local, e) => Stmt::Set(self.local(*local), self.expr(e)),
            Stmt::Point(ptr, Place::Ptr(base, offset)) => Stmt::Point(*ptr, Place::Ptr(*base, self.expr(offset))),
            Stmt::Store(ptr, index, value) => {
                let (ptr, index) = self.element(*ptr, self.expr(index));
                Stmt::Store(ptr, index, self.expr(value))
            }
            Stmt::For { var, from, to, order, body } => {
                let order = match order {
                    Order::Reduce(sums) => Order::Reduce(sums.iter().map(|(local, op)| (self.local(*local), *op)).collect()),
                    other @ (Order::Sequential | Order::Any) => other.clone(),
                };
                Stmt::For { var: self.local(*var), from: self.expr(from), to: self.expr(to), order, body: self.stmts(body) }
            }
            Stmt::Scan(scan) => Stmt::Scan(Box::new(Scan {
                var: self.local(scan.var),
                from: self.expr(&scan.from),
                to: self.expr(&scan.to),
                sums: scan.sums.iter().map(|(local, op)| (self.local(*local), *op)).collect(),
                cell: self.stmts(&scan.cell),
                done: self.stmts(&scan.done),
            })),
            Stmt::While(first, cond, second) => Stmt::While(self.stmts(first), self.expr(cond), self.stmts(second)),
            Stmt::If(cond, then, els) => Stmt::If(self.expr(cond), self.stmts(then), self.stmts(els)),
            other @ (Stmt::Parallel(_) | Stmt::Launch(_) | Stmt::Atomic(_) | leaf_stmt!()) => other.clone(),
        }
    }
}
