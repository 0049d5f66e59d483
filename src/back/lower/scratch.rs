//! Scratch memory of threads. A kernel cannot make buffers: the host makes one for all threads before it launches the kernel, and each
//! thread uses the part with its number. That is possible where the host can compute how much a thread needs; where only threads know, each gets
//! some room, from which it makes its buffers by itself ([`Launch::heap`]).

use crate::base::{PrimType, Span, Symbol};
use crate::ir::imp::visit::{self, Mention};
use crate::ir::imp::{Atomic, Expr, Fun, HandleInfo, Int, Launch, Local, LocalInfo, Place, PtrInfo, Stmt, Work, leaf_stmt};
use rustc_hash::{FxHashMap, FxHashSet};

/// Blocks have this many threads.
const BLOCK: i64 = 256;

/// Hoists the buffers of all kernels of a function to the host, except for those whose sizes only their threads know.
pub(super) fn hoist(fun: &mut Fun) {
    let body = std::mem::take(&mut fun.body);
    fun.body = host(fun, body);
}

/// Statements of the host.
fn host(fun: &mut Fun, stmts: Vec<Stmt>) -> Vec<Stmt> {
    let mut out = Vec::with_capacity(stmts.len());
    for stmt in stmts {
        out.push(match stmt {
            Stmt::Launch(launch) => {
                kernel(fun, *launch, &mut out);
                continue;
            }
            Stmt::For { var, from, to, order, body } => Stmt::For { var, from, to, order, body: host(fun, body) },
            Stmt::While(first, cond, second) => Stmt::While(host(fun, first), cond, host(fun, second)),
            Stmt::If(cond, then, els) => Stmt::If(cond, host(fun, then), host(fun, els)),
            other @ (Stmt::Set(..) | Stmt::Store(..) | Stmt::Scan(_) | Stmt::Parallel(_) | Stmt::Atomic(_) | leaf_stmt!()) => other,
        });
    }
    out
}

/// Only a thread knows how much memory it needs.
struct Unknown;

struct Hoist<'f> {
    fun: &'f mut Fun,
    span: Span,
    /// What is set in the kernel.
    own: FxHashSet<Local>,
    /// What is set only once, in terms of what the host knows.
    known: FxHashMap<Local, Expr>,
    before: Vec<Stmt>,
    after: Vec<Stmt>,
    threads: Option<Local>,
}

fn kernel(fun: &mut Fun, mut launch: Launch, out: &mut Vec<Stmt>) {
    let mut sets: FxHashMap<Local, usize> = FxHashMap::default();
    let mut allocates = false;
    visit::kernel(&launch, &mut |mention| match mention {
        Mention::Set(local) => *sets.entry(local).or_default() += 1,
        Mention::Handle(_) => allocates = true,
        Mention::Read(_) | Mention::Use(_) | Mention::Point(_) => {}
    });
    if !allocates {
        out.push(Stmt::Launch(Box::new(launch)));
        return;
    }
    let mut hoist = Hoist {
        fun,
        span: launch.span,
        own: sets.keys().copied().collect(),
        known: FxHashMap::default(),
        before: Vec::new(),
        after: Vec::new(),
        threads: None,
    };
    let whole = launch.clone();
    if hoist.launch(&mut launch, &sets).is_err() {
        launch = Launch { heap: true, ..whole };
        bodies(&mut launch.work).into_iter().for_each(until_the_end);
        out.push(Stmt::Launch(Box::new(launch)));
        return;
    }
    let Hoist { before, after, threads, .. } = hoist;
    launch.threads = threads;
    out.extend(before);
    out.push(Stmt::Launch(Box::new(launch)));
    out.extend(after);
}

/// The code of a kernel.
fn bodies(work: &mut Work) -> Vec<&mut Vec<Stmt>> {
    match work {
        Work::Map { body, .. } => vec![body],
        Work::Reduce(work) | Work::Scan(work) => vec![&mut work.cell, &mut work.combine.body, &mut work.done],
        Work::Hist(work) => vec![&mut work.cell, &mut work.combine.body, &mut work.update],
        Work::Transpose(_) => Vec::new(),
    }
}
/// What a cell has at its end it keeps: what is returned may be in it, and then all of it is forgotten.
fn until_the_end(body: &mut Vec<Stmt>) {
    let end = body.iter().rposition(|stmt| !matches!(stmt, Stmt::Release(_) | Stmt::Ghost(_))).map_or(0, |last| last + 1);
    let rest = body.split_off(end);
    body.extend(rest.into_iter().filter(|stmt| matches!(stmt, Stmt::Ghost(_))));
}

impl Hoist<'_> {
    /// Hoists the buffers of a kernel to the host.
    fn launch(&mut self, launch: &mut Launch, sets: &FxHashMap<Local, usize>) -> Result<(), Unknown> {
        let once = |local: &Local| sets.get(local) == Some(&1);
        let width = match &launch.work {
            Work::Map { width, .. } => width.clone(),
            Work::Reduce(work) | Work::Scan(work) => Expr::arith(Int::Count, work.segments.clone(), work.width.clone()),
            Work::Hist(work) => work.width.clone(),
            Work::Transpose(_) => return Ok(()),
        };
        for code in bodies(&mut launch.work) {
            self.learn(code, &once);
            *code = self.code(std::mem::take(code), &width)?;
        }
        Ok(())
    }

    /// Finds out what locals are.
    fn learn(&mut self, stmts: &[Stmt], once: &dyn Fn(&Local) -> bool) {
        for stmt in stmts {
            match stmt {
                Stmt::Set(local, e) if once(local) => {
                    if let Some(e) = self.on_host(e) {
                        self.known.insert(*local, e);
                    }
                }
                Stmt::For { body, .. } => self.learn(body, once),
                Stmt::While(first, _, second) => {
                    self.learn(first, once);
                    self.learn(second, once);
                }
                Stmt::If(_, then, els) => {
                    self.learn(then, once);
                    self.learn(els, once);
                }
                Stmt::Atomic(atomic) => {
                    if let Atomic::Locked(_, _, body) = atomic.as_ref() {
                        self.learn(body, once);
                    }
                }
                Stmt::Set(..) | Stmt::Store(..) | Stmt::Scan(_) | Stmt::Parallel(_) | Stmt::Launch(_) | leaf_stmt!() => {}
            }
        }
    }
    /// An expression as the host can compute it.
    fn on_host(&self, e: &Expr) -> Option<Expr> {
        Some(match e {
            Expr::Const(_) => e.clone(),
            Expr::Local(local) if self.own.contains(local) => self.known.get(local)?.clone(),
            Expr::Local(_) => e.clone(),
            Expr::Int(op, a, b) => Expr::Int(*op, Box::new(self.on_host(a)?), Box::new(self.on_host(b)?)),
            Expr::Op(op, args) => Expr::Op(*op, args.iter().map(|arg| self.on_host(arg)).collect::<Option<_>>()?),
            Expr::Select(a, b, c) => Expr::Select(Box::new(self.on_host(a)?), Box::new(self.on_host(b)?), Box::new(self.on_host(c)?)),
            Expr::Load(..)
            | Expr::Blend(..)
            | Expr::Quotient(..)
            | Expr::Chunks { .. }
            | Expr::Threads
            | Expr::Registers
            | Expr::Thread => {
                return None;
            }
        })
    }
    /// The number of threads that have memory, as a local of the host.
    fn threads(&mut self, width: &Expr) -> Local {
        *self.threads.get_or_insert_with(|| {
            let local = self.fun.locals.alloc(LocalInfo { name: Symbol::new("threads"), prim: PrimType::I64 });
            let blocks = Expr::arith(Int::Div, width.clone().plus(Expr::int(BLOCK - 1)), Expr::int(BLOCK));
            let all = blocks.times(Expr::int(BLOCK));
            self.before.push(Stmt::Set(local, Expr::arith(Int::Min, all, Expr::Threads)));
            local
        })
    }

    fn code(&mut self, stmts: Vec<Stmt>, width: &Expr) -> Result<Vec<Stmt>, Unknown> {
        let mut out = Vec::with_capacity(stmts.len());
        for stmt in stmts {
            out.push(match stmt {
                Stmt::Alloc { ptr, count, span, .. } => {
                    let place = if span.is_none() { self.span } else { span };
                    let each = self.on_host(&count).ok_or(Unknown)?;
                    let threads = self.threads(width);
                    let info = self.fun.ptrs[ptr].clone();
                    let all = self.fun.ptrs.alloc(PtrInfo { name: Symbol::new("scratch"), elem: info.elem, stack: None });
                    let handle = self.fun.handles.alloc(HandleInfo { name: Symbol::new("scratch") });
                    let each_local = self.fun.locals.alloc(LocalInfo { name: Symbol::new("each"), prim: PrimType::I64 });
                    // Sizes of what is never made may be negative.
                    let each =
                        Expr::Select(Box::new(Expr::arith(Int::Lt, Expr::int(0), each.clone())), Box::new(each), Box::new(Expr::int(0)));
                    self.before.push(Stmt::Set(each_local, each));
                    let total = Expr::Int(Int::Count, Box::new(Expr::Local(threads)), Box::new(Expr::Local(each_local)));
                    self.before.push(Stmt::Alloc { handle, ptr: all, count: total, span: place });
                    self.after.push(Stmt::Release(handle));
                    let offset = Expr::Int(Int::Mul, Box::new(Expr::Thread), Box::new(Expr::Local(each_local)));
                    Stmt::Point(ptr, Place::Ptr(all, offset))
                }
                Stmt::Release(_) => continue,
                Stmt::Move { .. } | Stmt::Transfer { .. } => return Err(Unknown),
                Stmt::For { var, from, to, order, body } => Stmt::For { var, from, to, order, body: self.code(body, width)? },
                Stmt::While(first, cond, second) => Stmt::While(self.code(first, width)?, cond, self.code(second, width)?),
                Stmt::If(cond, then, els) => Stmt::If(cond, self.code(then, width)?, self.code(els, width)?),
                Stmt::Atomic(atomic) => Stmt::Atomic(match *atomic {
                    Atomic::Locked(ptr, bin, body) => Box::new(Atomic::Locked(ptr, bin, self.code(body, width)?)),
                    other @ (Atomic::Op(..) | Atomic::Combine(..)) => Box::new(other),
                }),
                other @ (Stmt::Comment(_)
                | Stmt::Set(..)
                | Stmt::Point(..)
                | Stmt::Stack(_)
                | Stmt::Store(..)
                | Stmt::Prefetch(..)
                | Stmt::Copy { .. }
                | Stmt::Scan(_)
                | Stmt::Check(..)
                | Stmt::Call { .. }
                | Stmt::Parallel(_)
                | Stmt::Launch(_)
                | Stmt::Ghost(_)
                | Stmt::Probe(_)) => other,
            });
        }
        Ok(out)
    }
}
