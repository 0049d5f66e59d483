//! What the C compiler is told about loops. Jumps out of a loop and calls cannot be vectorised.

use super::Processor;
use crate::back::text::{Emitter, Text, expr};
use crate::base::mutation::mutated;
use crate::base::scalar::ScalarOp;
use crate::ir::imp::visit::{self, Mention};
use crate::ir::imp::{Expr, Int, Local, Order, Ptr, Stmt, leaf_stmt};

impl Emitter<'_, Processor> {
    /// What the C compiler is told about a loop. Jumps out of it and calls cannot be vectorised.
    pub(super) fn pragma(&self, text: &Text, var: Local, order: &Order, body: &[Stmt]) -> Option<String> {
        // Arrays in the frame that iterations share are written by all of them, unless each has an element of its own.
        let mut shared = false;
        writes(body, &mut |ptr, index| {
            let last: &Expr = if let Expr::Int(Int::Add, _, last) = index { last } else { index };
            let own = *last == Expr::Local(var);
            shared = shared || (!own && self.fun.ptrs[ptr].stack.is_some() && !text.belongs_to_next(ptr));
        });
        // The neighbours in vector registers are those of the innermost loop; `vectorise` has taken the others.
        if shared || !body.iter().all(few) {
            return None;
        }
        if checked(body) {
            return Some("REMORA_SEVERAL".into());
        }
        if torn(body) {
            return (*order == Order::Any && straight(body)).then(|| "REMORA_TORN".into());
        }
        // What is collected is seen by nothing else: `s = s * s` is no sum of products.
        if matches!(order, Order::Reduce(sums) if !sums.iter().all(|(local, _)| reads(body, *local) == 1)) {
            return None;
        }
        match order {
            Order::Any if straight(body) => Some("REMORA_ANY_ORDER".into()),
            Order::Sequential if mutated!(AnyOrderAlways, false, straight(body)) => Some("REMORA_ANY_ORDER".into()),
            // Sums of signed integers wrap around, which partial sums that the compiler adds up for a clause may not. Integers need none,
            // and what a clause adds up at the end of a loop is a loop of its own, which nobody marks.
            Order::Reduce(sums) if straight(body) && (sums.iter().any(|(_, op)| expr::wraps(*op)) || whole(sums)) => {
                Some("REMORA_ANY_ORDER".into())
            }
            Order::Reduce(sums) if straight(body) => {
                let clauses: Vec<String> = sums
                    .iter()
                    .filter_map(|(local, op)| Some(format!("reduction({} : {})", expr::sign(*op)?, self.local(*local))))
                    .collect();
                (clauses.len() == sums.len()).then(|| format!("#pragma omp simd {}", clauses.join(" ")))
            }
            Order::Sequential | Order::Any | Order::Reduce(_) => None,
        }
    }
}

/// Whether a statement has no loops in it but some that the C compiler unrolls.
fn few(stmt: &Stmt) -> bool {
    match stmt {
        Stmt::For { from, to, body, .. } => {
            let count = from.as_int().zip(to.as_int()).and_then(|(from, to)| to.checked_sub(from));
            count.is_some_and(|count| count <= 8) && body.iter().all(few)
        }
        Stmt::If(_, then, els) => then.iter().chain(els).all(few),
        Stmt::While(..) => false,
        Stmt::Set(..) | Stmt::Store(..) | Stmt::Scan(_) | Stmt::Parallel(_) | Stmt::Launch(_) | Stmt::Atomic(_) | leaf_stmt!() => true,
    }
}

/// Whether a body is a few sets, stores and checks, so that what it costs is mostly the loop.
fn checked(body: &[Stmt]) -> bool {
    let plain = |stmt: &Stmt| matches!(stmt, Stmt::Comment(_) | Stmt::Set(..) | Stmt::Store(..) | Stmt::Check(..));
    body.len() <= 8 && body.iter().all(plain) && body.iter().any(|stmt| matches!(stmt, Stmt::Check(..)))
}

/// Whether branches read several elements of one row, as the parts of complex numbers.
fn torn(body: &[Stmt]) -> bool {
    let mut read = Vec::new();
    in_branches(body, false, &mut read);
    read.iter().enumerate().any(|(k, (ptr, index))| {
        read[..k].iter().any(|(other, before)| ptr == other && index != before && base(index) == base(before) && strided(index))
    })
}

/// An index without what is added that is known.
fn base(index: &Expr) -> &Expr {
    if let Expr::Int(Int::Add, base, offset) = index
        && offset.as_int().is_some()
    {
        return base;
    }
    index
}

/// What branches read.
fn in_branches<'e>(body: &'e [Stmt], inside: bool, read: &mut Vec<(Ptr, &'e Expr)>) {
    for stmt in body {
        match stmt {
            Stmt::If(_, then, els) => {
                in_branches(then, true, read);
                in_branches(els, true, read);
            }
            Stmt::For { body, .. } => in_branches(body, inside, read),
            Stmt::Set(_, value) | Stmt::Store(_, _, value) if inside => value.loads(&mut |ptr, index| read.push((ptr, index))),
            Stmt::Set(..)
            | Stmt::Store(..)
            | Stmt::Scan(_)
            | Stmt::While(..)
            | Stmt::Parallel(_)
            | Stmt::Launch(_)
            | Stmt::Atomic(_)
            | leaf_stmt!() => {}
        }
    }
}

/// Whether an index goes in steps of more than one element.
fn strided(index: &Expr) -> bool {
    let mut found = matches!(index, Expr::Int(Int::Mul, _, step) if step.as_int().is_some_and(|step| step > 1));
    index.parts(&mut |part| found = found || strided(part));
    found
}

/// Whether all that is collected is integers.
fn whole(sums: &[(Local, ScalarOp)]) -> bool {
    sums.iter().all(|(_, op)| op.prim.is_int())
}

/// How often a body reads a local.
fn reads(body: &[Stmt], local: Local) -> usize {
    let mut count = 0;
    visit::stmts(body, &mut |mention| count += usize::from(mention == Mention::Read(local)));
    count
}

/// The pointers through which a body writes, and where.
fn writes(body: &[Stmt], see: &mut dyn FnMut(Ptr, &Expr)) {
    for stmt in body {
        match stmt {
            Stmt::Store(ptr, index, _) => see(*ptr, index),
            Stmt::If(_, then, els) => {
                writes(then, see);
                writes(els, see);
            }
            Stmt::For { body, .. } => writes(body, see),
            Stmt::Set(..) | Stmt::Scan(_) | Stmt::While(..) | Stmt::Parallel(_) | Stmt::Launch(_) | Stmt::Atomic(_) | leaf_stmt!() => {}
        }
    }
}

/// Whether a body has no way out of it and calls nothing.
fn straight(body: &[Stmt]) -> bool {
    body.iter().all(|stmt| match stmt {
        Stmt::Comment(_) | Stmt::Set(..) | Stmt::Point(..) | Stmt::Stack(_) | Stmt::Store(..) => true,
        Stmt::If(_, then, els) => straight(then) && straight(els),
        Stmt::For { body, .. } => straight(body),
        Stmt::Alloc { .. }
        | Stmt::Move { .. }
        | Stmt::Transfer { .. }
        | Stmt::Release(_)
        | Stmt::Prefetch(..)
        | Stmt::Copy { .. }
        | Stmt::Scan(_)
        | Stmt::While(..)
        | Stmt::Check(..)
        | Stmt::Call { .. }
        | Stmt::Parallel(_)
        | Stmt::Launch(_)
        | Stmt::Atomic(_)
        | Stmt::Ghost(_)
        | Stmt::Probe(_) => false,
    })
}
