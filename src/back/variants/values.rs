//! What the threads of a kernel read and write next to each other.

use crate::ir::imp::visit::{self, Mention, each};
use crate::ir::imp::{Expr, Int, Local, Ptr, Stmt};
use rustc_hash::FxHashMap;

/// What locals are, as far as each is set once by a statement that was looked at.
#[derive(Default)]
pub(super) struct Values<'a> {
    pub values: FxHashMap<Local, &'a Expr>,
}

/// The quotient and the remainder of a local, and by what.
#[derive(Debug, Clone, Copy)]
pub(super) struct Split<'a> {
    pub quotient: Local,
    pub rest: Local,
    pub by: &'a Expr,
}

impl<'a> Values<'a> {
    /// By how much an index grows with a local: by 0 (`Some(false)`), by one (`Some(true)`), or otherwise.
    pub fn unit(&self, e: &Expr, of: Local) -> Option<bool> {
        match e {
            Expr::Local(local) if *local == of => Some(true),
            Expr::Local(local) => self.values.get(local).map_or(Some(false), |e| self.unit(e, of)),
            Expr::Int(Int::Add, a, b) => match (self.unit(a, of)?, self.unit(b, of)?) {
                (true, true) => None,
                (a, b) => Some(a || b),
            },
            Expr::Const(_) => Some(false),
            e @ (Expr::Load(..)
            | Expr::Op(..)
            | Expr::Int(..)
            | Expr::Select(..)
            | Expr::Blend(..)
            | Expr::Quotient(..)
            | Expr::Chunks { .. }
            | Expr::Threads
            | Expr::Registers
            | Expr::Thread) => {
                let mut mentioned = false;
                visit::expr(e, &mut |mention| mentioned |= matches!(mention, Mention::Read(local) if self.reaches(local, of)));
                (!mentioned).then_some(false)
            }
        }
    }
    /// Whether the value of a local depends on another.
    pub fn reaches(&self, local: Local, of: Local) -> bool {
        let mut found = local == of;
        if let Some(e) = self.values.get(&local) {
            visit::expr(e, &mut |mention| found = found || matches!(mention, Mention::Read(read) if self.reaches(read, of)));
        }
        found
    }
    /// Learns from statements and those in them.
    pub fn learn(&mut self, stmts: &'a [Stmt]) {
        each(stmts, &mut |stmt| {
            if let Stmt::Set(local, e) = stmt {
                self.values.entry(*local).or_insert(e);
            }
        });
    }
    /// The quotient and the remainder of a local by the same, which satisfies a condition.
    pub fn split(&self, of: Local, known: &dyn Fn(&Expr) -> bool) -> Option<Split<'a>> {
        let ((quotient, by), (rest, other)) = (self.part(Int::Div, of, known)?, self.part(Int::Rem, of, known)?);
        (by == other).then_some(Split { quotient, rest, by })
    }
    /// The local that is the quotient (the remainder) of another local by what satisfies a condition, and that divisor.
    pub fn part(&self, wanted: Int, of: Local, known: &dyn Fn(&Expr) -> bool) -> Option<(Local, &'a Expr)> {
        let found = self.values.iter().filter_map(|(local, e)| {
            let Expr::Int(op, number, n) = e else { return None };
            (*op == wanted && **number == Expr::Local(of) && known(n)).then_some((*local, n.as_ref()))
        });
        found.min_by_key(|(local, _)| local.raw())
    }
}

/// An element that a statement reads or writes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Touched<'a> {
    pub ptr: Ptr,
    pub index: &'a Expr,
    pub is_store: bool,
}

/// The elements that statements read and write.
pub(super) fn accesses(stmts: &[Stmt]) -> Vec<Touched<'_>> {
    let mut out = Vec::new();
    each(stmts, &mut |stmt| {
        let (place, e) = match stmt {
            Stmt::Store(ptr, index, value) => (Some(Touched { ptr: *ptr, index, is_store: true }), value),
            Stmt::Set(_, e) | Stmt::If(e, ..) | Stmt::While(_, e, _) | Stmt::Check(e, _) => (None, e),
            Stmt::Comment(_)
            | Stmt::Point(..)
            | Stmt::Alloc { .. }
            | Stmt::Stack(_)
            | Stmt::Move { .. }
            | Stmt::Transfer { .. }
            | Stmt::Release(_)
            | Stmt::Prefetch(..)
            | Stmt::Copy { .. }
            | Stmt::For { .. }
            | Stmt::Scan(_)
            | Stmt::Call { .. }
            | Stmt::Parallel(_)
            | Stmt::Launch(_)
            | Stmt::Atomic(_)
            | Stmt::Ghost(_)
            | Stmt::Probe(_) => return,
        };
        out.extend(place);
        e.loads(&mut |ptr, index| out.push(Touched { ptr, index, is_store: false }));
    });
    out
}
