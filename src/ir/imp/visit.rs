//! Walks over statements: what they mention.

use super::{Arg, Atomic, Combine, Expr, Handle, Launch, Local, Order, Place, Probe, Ptr, Receiver, Scan, Stmt, Work, leaf_stmt};
use rustc_hash::FxHashSet;

/// Something that a statement mentions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Mention {
    /// A local that is read.
    Read(Local),
    /// A local that is set.
    Set(Local),
    /// A pointer that is used.
    Use(Ptr),
    /// A pointer that is set.
    Point(Ptr),
    /// A handle.
    Handle(Handle),
}

/// Calls `see` with all that an expression mentions.
pub fn expr(e: &Expr, see: &mut dyn FnMut(Mention)) {
    match e {
        Expr::Local(local) => see(Mention::Read(*local)),
        Expr::Load(ptr, _) => see(Mention::Use(*ptr)),
        Expr::Const(_)
        | Expr::Op(..)
        | Expr::Int(..)
        | Expr::Select(..)
        | Expr::Blend(..)
        | Expr::Quotient(..)
        | Expr::Chunks { .. }
        | Expr::Threads
        | Expr::Registers
        | Expr::Thread => {}
    }
    e.parts(&mut |e| expr(e, see));
}

/// The statement with its inner statements changed, one list after the other; kernels stay.
pub fn inside(stmt: Stmt, change: &mut dyn FnMut(Vec<Stmt>) -> Vec<Stmt>) -> Stmt {
    match stmt {
        Stmt::For { var, from, to, order, body } => Stmt::For { var, from, to, order, body: change(body) },
        Stmt::Scan(scan) => Stmt::Scan(Box::new(Scan { cell: change(scan.cell), done: change(scan.done), ..*scan })),
        Stmt::While(first, cond, second) => Stmt::While(change(first), cond, change(second)),
        Stmt::If(cond, then, els) => Stmt::If(cond, change(then), change(els)),
        Stmt::Parallel(mut parallel) => {
            parallel.body = change(std::mem::take(&mut parallel.body));
            Stmt::Parallel(parallel)
        }
        other @ (Stmt::Set(..) | Stmt::Store(..) | Stmt::Launch(_) | Stmt::Atomic(_) | leaf_stmt!()) => other,
    }
}

/// Calls `see` with all that statements mention, those in inner bodies included.
pub fn stmts(list: &[Stmt], see: &mut dyn FnMut(Mention)) {
    list.iter().for_each(|s| stmt(s, see));
}

#[expect(clippy::too_many_lines, reason = "one match over all forms, a few lines each")]
fn stmt(s: &Stmt, see: &mut dyn FnMut(Mention)) {
    match s {
        // What only the evaluator looks at changes nothing for anybody else.
        Stmt::Comment(_) | Stmt::Ghost(_) => {}
        Stmt::Probe(probe) => match probe.as_ref() {
            Probe::Begin(..) | Probe::End(..) => {}
            Probe::Count(_, count, _) => expr(count, see),
            Probe::CountUnless(_, count, _, ptr, owners) => {
                expr(count, see);
                see(Mention::Use(*ptr));
                owners.iter().for_each(|handle| see(Mention::Handle(*handle)));
            }
        },
        Stmt::Set(local, e) => {
            expr(e, see);
            see(Mention::Set(*local));
        }
        Stmt::Point(ptr, place) => {
            if let Place::Ptr(base, offset) = place {
                see(Mention::Use(*base));
                expr(offset, see);
            }
            see(Mention::Point(*ptr));
        }
        Stmt::Alloc { handle, ptr, count, .. } => {
            expr(count, see);
            see(Mention::Handle(*handle));
            see(Mention::Point(*ptr));
        }
        Stmt::Stack(ptr) => see(Mention::Point(*ptr)),
        Stmt::Move { to: a, from: b } => {
            see(Mention::Handle(*a));
            see(Mention::Handle(*b));
        }
        Stmt::Transfer { to, ptr, from, count, .. } => {
            expr(count, see);
            see(Mention::Handle(*to));
            from.iter().for_each(|handle| see(Mention::Handle(*handle)));
            see(Mention::Use(*ptr));
            see(Mention::Point(*ptr));
        }
        Stmt::Release(handle) => see(Mention::Handle(*handle)),
        Stmt::Store(ptr, index, value) => {
            see(Mention::Use(*ptr));
            expr(index, see);
            expr(value, see);
        }
        Stmt::Prefetch(ptr, index) => {
            see(Mention::Use(*ptr));
            expr(index, see);
        }
        Stmt::Copy { to: (to, at), from: (from, start), count } => {
            see(Mention::Use(*to));
            see(Mention::Use(*from));
            [at, start, count].into_iter().for_each(|e| expr(e, see));
        }
        Stmt::For { var, from, to, order, body } => {
            expr(from, see);
            expr(to, see);
            see(Mention::Set(*var));
            if let Order::Reduce(locals) = order {
                locals.iter().for_each(|(local, _)| see(Mention::Read(*local)));
            }
            stmts(body, see);
        }
        Stmt::Scan(scan) => {
            expr(&scan.from, see);
            expr(&scan.to, see);
            see(Mention::Set(scan.var));
            scan.sums.iter().for_each(|(local, _)| see(Mention::Read(*local)));
            stmts(&scan.cell, see);
            stmts(&scan.done, see);
        }
        Stmt::While(first, cond, second) => {
            stmts(first, see);
            expr(cond, see);
            stmts(second, see);
        }
        Stmt::If(cond, then, els) => {
            expr(cond, see);
            stmts(then, see);
            stmts(els, see);
        }
        Stmt::Check(cond, failure) => {
            expr(cond, see);
            failure.args.iter().for_each(|(_, arg)| expr(arg, see));
        }
        Stmt::Call { args, results, .. } => {
            for arg in args {
                match arg {
                    Arg::Scalar(e) => expr(e, see),
                    Arg::Array(ptr, offset) => {
                        see(Mention::Use(*ptr));
                        expr(offset, see);
                    }
                }
            }
            for target in results {
                match target {
                    Receiver::Local(local) => see(Mention::Set(*local)),
                    Receiver::Array(ptr, handle) => {
                        see(Mention::Point(*ptr));
                        see(Mention::Handle(*handle));
                    }
                }
            }
        }
        Stmt::Parallel(par) => {
            expr(&par.width, see);
            expr(&par.chunks, see);
            [par.lo, par.hi, par.chunk].into_iter().for_each(|local| see(Mention::Set(local)));
            stmts(&par.body, see);
        }
        Stmt::Launch(launch) => {
            sizes(&launch.work, see);
            launch.threads.iter().for_each(|local| see(Mention::Read(*local)));
            kernel(launch, see);
        }
        Stmt::Atomic(atomic) => match atomic.as_ref() {
            Atomic::Op(_, ptr, index, value) => {
                see(Mention::Use(*ptr));
                expr(index, see);
                expr(value, see);
            }
            Atomic::Combine(operator, ptr, index, value) => {
                see(Mention::Use(*ptr));
                expr(index, see);
                expr(value, see);
                combine(operator, see);
            }
            Atomic::Locked(ptr, index, body) => {
                see(Mention::Use(*ptr));
                expr(index, see);
                stmts(body, see);
            }
        },
    }
}

/// Calls `see` with what the host needs to know how many threads there are.
pub fn sizes(work: &Work, see: &mut dyn FnMut(Mention)) {
    match work {
        Work::Map { width, .. } => expr(width, see),
        Work::Reduce(segments) | Work::Scan(segments) => {
            expr(&segments.segments, see);
            expr(&segments.width, see);
        }
        Work::Hist(hist) => [&hist.width, &hist.bins].into_iter().for_each(|e| expr(e, see)),
        Work::Transpose(work) => [&work.planes, &work.rows, &work.columns].into_iter().for_each(|e| expr(e, see)),
    }
}

fn combine(operator: &Combine, see: &mut dyn FnMut(Mention)) {
    operator.left.iter().chain(&operator.right).for_each(|local| see(Mention::Set(*local)));
    stmts(&operator.body, see);
    operator.results.iter().for_each(|e| expr(e, see));
}

/// Calls `see` with all that the code of a kernel mentions.
pub fn kernel(launch: &Launch, see: &mut dyn FnMut(Mention)) {
    match &launch.work {
        Work::Map { index, body, .. } => {
            see(Mention::Set(*index));
            stmts(body, see);
        }
        Work::Reduce(work) | Work::Scan(work) => {
            see(Mention::Set(work.segment));
            see(Mention::Set(work.index));
            stmts(&work.cell, see);
            work.values.iter().chain(&work.neutral).for_each(|e| expr(e, see));
            combine(&work.combine, see);
            work.sum.iter().for_each(|local| see(Mention::Set(*local)));
            stmts(&work.done, see);
        }
        Work::Hist(work) => {
            see(Mention::Set(work.index));
            see(Mention::Set(work.place));
            stmts(&work.cell, see);
            work.values.iter().chain(&work.neutral).chain([&work.bin]).for_each(|e| expr(e, see));
            combine(&work.combine, see);
            work.sum.iter().for_each(|local| see(Mention::Set(*local)));
            stmts(&work.update, see);
        }
        Work::Transpose(work) => {
            for (ptr, offset) in [&work.from, &work.to] {
                see(Mention::Use(*ptr));
                expr(offset, see);
            }
        }
    }
}

/// What a body mentions of its surroundings: locals and pointers that it does not set first. Loop counters and what is declared in it are
/// its own.
pub fn captured(body: &[Stmt], own: &[Local]) -> Vec<Mention> {
    free(own, |see| stmts(body, see))
}

/// [`captured`] for whatever a walk sees.
pub fn free(own: &[Local], walk: impl FnOnce(&mut dyn FnMut(Mention))) -> Vec<Mention> {
    let (mut set, mut seen, mut out) = (FxHashSet::default(), FxHashSet::default(), Vec::new());
    own.iter().for_each(|local| {
        set.insert(Mention::Set(*local));
    });
    walk(&mut |mention| match mention {
        Mention::Set(_) | Mention::Point(_) => {
            set.insert(mention);
        }
        Mention::Read(local) => {
            let key = Mention::Set(local);
            if !set.contains(&key) && seen.insert(key) {
                out.push(key);
            }
        }
        Mention::Use(ptr) => {
            let key = Mention::Point(ptr);
            if !set.contains(&key) && seen.insert(key) {
                out.push(key);
            }
        }
        Mention::Handle(_) => {}
    });
    out
}

/// Calls `see` with statements and those in them.
pub fn each<'a>(stmts: &'a [Stmt], see: &mut dyn FnMut(&'a Stmt)) {
    for stmt in stmts {
        see(stmt);
        match stmt {
            Stmt::For { body, .. } => each(body, see),
            Stmt::While(first, _, second) => [first, second].into_iter().for_each(|body| each(body, see)),
            Stmt::If(_, then, els) => [then, els].into_iter().for_each(|body| each(body, see)),
            Stmt::Atomic(atomic) => {
                if let Atomic::Locked(_, _, body) = atomic.as_ref() {
                    each(body, see);
                }
            }
            Stmt::Set(..) | Stmt::Store(..) | Stmt::Scan(_) | Stmt::Parallel(_) | Stmt::Launch(_) | leaf_stmt!() => {}
        }
    }
}
