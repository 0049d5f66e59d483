//! Memory of threads. A kernel cannot make buffers: the host makes one for all threads before it launches the kernel, and each thread
//! takes the part with its number. That is possible where the host can compute how much a thread needs.

use crate::base::{PrimType, Span, Symbol};
use crate::ir::imp::visit::{self, Mention};
use crate::ir::imp::{Atomic, Expr, Fun, HandleInfo, Int, Launch, Local, LocalInfo, Place, PtrInfo, Stmt, Work};
use rustc_hash::{FxHashMap, FxHashSet};

/// Blocks have this many threads.
const BLOCK: i64 = 256;

/// Takes the buffers of all kernels of a function out of them.
///
/// # Errors
/// The place of a buffer whose size only the kernel knows.
pub(super) fn hoist(fun: &mut Fun) -> Result<(), Span> {
    let body = std::mem::take(&mut fun.body);
    fun.body = host(fun, body)?;
    Ok(())
}

/// Statements of the host.
fn host(fun: &mut Fun, stmts: Vec<Stmt>) -> Result<Vec<Stmt>, Span> {
    let mut out = Vec::with_capacity(stmts.len());
    for stmt in stmts {
        out.push(match stmt {
            Stmt::Launch(launch) => {
                kernel(fun, *launch, &mut out)?;
                continue;
            }
            Stmt::For { var, from, to, order, body } => Stmt::For { var, from, to, order, body: host(fun, body)? },
            Stmt::While(first, cond, second) => Stmt::While(host(fun, first)?, cond, host(fun, second)?),
            Stmt::If(cond, then, els) => Stmt::If(cond, host(fun, then)?, host(fun, els)?),
            other => other,
        });
    }
    Ok(out)
}

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

fn kernel(fun: &mut Fun, mut launch: Launch, out: &mut Vec<Stmt>) -> Result<(), Span> {
    let mut sets: FxHashMap<Local, usize> = FxHashMap::default();
    let mut allocates = false;
    visit::kernel(&launch, &mut |mention| match mention {
        Mention::Set(local) => *sets.entry(local).or_default() += 1,
        Mention::Handle(_) => allocates = true,
        _ => {}
    });
    if !allocates {
        out.push(Stmt::Launch(Box::new(launch)));
        return Ok(());
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
    let once = |local: &Local| sets.get(local) == Some(&1);
    match &mut launch.work {
        Work::Map { width, body, .. } => {
            hoist.learn(body, &once);
            *body = hoist.code(std::mem::take(body), width)?;
        }
        Work::Reduce(work) | Work::Scan(work) => {
            let total = Expr::arith(Int::Count, work.segments.clone(), work.width.clone());
            for code in [&mut work.cell, &mut work.combine.body, &mut work.done] {
                hoist.learn(code, &once);
                *code = hoist.code(std::mem::take(code), &total)?;
            }
        }
    }
    let Hoist { before, after, threads, .. } = hoist;
    launch.threads = threads;
    out.extend(before);
    out.push(Stmt::Launch(Box::new(launch)));
    out.extend(after);
    Ok(())
}

impl Hoist<'_> {
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
                _ => {}
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
            Expr::Load(..) | Expr::Blend(..) | Expr::Pieces(..) | Expr::Threads | Expr::Thread => return None,
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

    fn code(&mut self, stmts: Vec<Stmt>, width: &Expr) -> Result<Vec<Stmt>, Span> {
        let mut out = Vec::with_capacity(stmts.len());
        for stmt in stmts {
            out.push(match stmt {
                Stmt::Alloc { ptr, count, span, .. } => {
                    let place = if span == Span::default() { self.span } else { span };
                    let each = self.on_host(&count).ok_or(place)?;
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
                Stmt::Move(..) => return Err(self.span),
                Stmt::Give { span, .. } => return Err(if span == Span::default() { self.span } else { span }),
                Stmt::For { var, from, to, order, body } => Stmt::For { var, from, to, order, body: self.code(body, width)? },
                Stmt::While(first, cond, second) => Stmt::While(self.code(first, width)?, cond, self.code(second, width)?),
                Stmt::If(cond, then, els) => Stmt::If(cond, self.code(then, width)?, self.code(els, width)?),
                Stmt::Atomic(atomic) => Stmt::Atomic(match *atomic {
                    Atomic::Locked(ptr, bin, body) => Box::new(Atomic::Locked(ptr, bin, self.code(body, width)?)),
                    other => Box::new(other),
                }),
                other => other,
            });
        }
        Ok(out)
    }
}
