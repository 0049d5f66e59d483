//! Outer-loop vectorisation: loops whose iterations are independent and contain further loops run several iterations at a time.
//!
//! C compilers fill vector registers with neighbouring iterations of an innermost loop. Where that is a short sum, a sum over elements
//! that lie far apart, or an iteration that ends early, the neighbours to choose are those of the loop around it:
//!
//! ```text
//! for i { sum = 0; for k { sum += f(i, k) }; out[i] = g(sum) }
//! ==>
//! for blocks of i {
//!   for l { sum[l] = 0 }
//!   for k { for l { sum[l] += f(i + l, k) } }
//!   for l { out[i + l] = g(sum[l]) }
//! }
//! ```
//!
//! **Law.** Iterations of a loop of [`Order::Any`] or [`Order::Reduce`] may be interleaved in any way; each statement still runs once for
//! each iteration, and those of one iteration run in their order. So nothing changes but the order in which an [`Order::Reduce`] collects,
//! which is free. Sums of inner loops are made in the same order as before. Where all that a loop writes is in buffers that it does not
//! read, iterations may run twice: the last block then begins earlier, so that it has all its lanes.
//!
//! What an iteration sets becomes an array with an element for each lane, if it is needed beyond one block of straight code. Inner
//! loops are interchanged with the lanes, or stay in each lane where their own elements are the ones that are neighbours in memory
//! (four lanes at a time then share what they read); a `while` is masked: it runs as long as one of the lanes is in it, and the
//! others keep what is live behind it. (Allen and Kennedy, Optimizing Compilers for Modern Architectures, 2001, chapters 5 and 8: loop distribution, scalar
//! expansion, unroll-and-jam; Nuzman and Zaks, Outer-loop vectorization revisited for short SIMD architectures, PACT 2008.)

mod accumulators;
mod affine;
mod exit_values;
mod extrema;
mod masked;
mod packing;
mod plan;
mod reciprocals;
mod rename;
mod schedule;
#[cfg(test)]
mod tests;
mod unroll_and_jam;
mod write;

use crate::base::{Arena, PrimType, Symbol};
use crate::ir::imp::visit::{self, Mention};
use crate::ir::imp::{Expr, Fun, HandleInfo, Int, Local, LocalInfo, Order, Program, Ptr, PtrInfo, Stmt, leaf_stmt};
use crate::ir::pass::{self, Step, Step::Last, Step::Run};
use packing::Pack;
use plan::Plan;
use rename::Renaming;
use write::Iterations;

/// Bytes of the widest vector registers that there are.
const WIDEST: i64 = 64;
/// Bytes of one variable in all lanes, at most: four of the widest vector registers.
const WIDE: u64 = 256;
/// Bytes of the lanes of all variables that an inner loop works on, so that they stay in registers.
const REGISTERS: u64 = 1280;

/// The steps, in order.
pub const STEPS: &[Step<Program>] = &[
    Run("loop exit values", |program| each(program, |all, body| exit_values::exit_values(all, body))),
    Run("lanes", |program| each(program, |all, body| all.stmts(body).0)),
    Run("reciprocals", |program| each(program, reciprocals::reciprocals)),
    Run("unroll and jam", |program| each(program, unroll_and_jam::unroll_and_jam)),
    Run("multiple accumulators", |program| each(program, accumulators::accumulators)),
    Last("schedule", |program| each(program, |_, body| schedule::schedule(body))),
];

/// Rewrites the statements of each function.
fn each(mut program: Program, step: fn(&mut Vectorise, Vec<Stmt>) -> Vec<Stmt>) -> Program {
    for k in 0..program.funs.len() {
        let fun = &mut program.funs[crate::ir::imp::FunId::new(k)];
        let body = std::mem::take(&mut fun.body);
        let apart = unroll_and_jam::Apart::new(fun, &body);
        let mut all = Vectorise { fun, apart };
        fun.body = step(&mut all, body);
    }
    program
}

/// The same program with such loops rewritten.
pub fn vectorise(program: Program) -> Program {
    vectorise_by(program, &mut |_, _| {})
}

/// [`vectorise`]; `see` gets the program after each step, with the step's name.
pub fn vectorise_by(program: Program, see: &mut dyn FnMut(&'static str, &Program)) -> Program {
    pass::run_seen(STEPS, program, see)
}

/// A loop with independent iterations.
#[derive(Clone)]
struct Loop {
    var: Local,
    from: Expr,
    to: Expr,
    order: Order,
    body: Vec<Stmt>,
}

/// What has been done with the loops in some statements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Done {
    Nothing,
    /// There are lanes, and inner loops in them.
    Kept,
    /// Lanes are inside of all loops.
    Interchanged,
}

struct Vectorise<'f> {
    fun: &'f mut Fun,
    /// What pointers of the function as it was point at.
    apart: unroll_and_jam::Apart,
}

impl Vectorise<'_> {
    /// Vectorises the innermost loops for which it pays; says what has been done.
    fn stmts(&mut self, list: Vec<Stmt>) -> (Vec<Stmt>, Done) {
        let mut out = Vec::with_capacity(list.len());
        let mut done = Done::Nothing;
        for stmt in list {
            done = done.max(self.stmt(stmt, &mut out));
        }
        (out, done)
    }
    fn stmt(&mut self, stmt: Stmt, out: &mut Vec<Stmt>) -> Done {
        match stmt {
            Stmt::For { var, from, to, order, body } => {
                let (inner, done) = self.stmts(body.clone());
                // Inner loops that stay in their lanes make way for those that do not.
                if order != Order::Sequential && done <= Done::Kept {
                    let whole = Loop { var, from: from.clone(), to: to.clone(), order: order.clone(), body };
                    if let Some((new, own)) = self.lanes(whole)
                        && own > done
                    {
                        out.extend(new);
                        return own;
                    }
                }
                out.push(Stmt::For { var, from, to, order, body: inner });
                done
            }
            Stmt::While(first, cond, second) => {
                let ((first, a), (second, b)) = (self.stmts(first), self.stmts(second));
                out.push(Stmt::While(first, cond, second));
                a.max(b)
            }
            Stmt::If(cond, then, els) => {
                let ((then, a), (els, b)) = (self.stmts(then), self.stmts(els));
                out.push(Stmt::If(cond, then, els));
                a.max(b)
            }
            Stmt::Parallel(mut parallel) => {
                let (body, done) = self.stmts(std::mem::take(&mut parallel.body));
                parallel.body = body;
                out.push(Stmt::Parallel(parallel));
                done
            }
            other @ (Stmt::Set(..) | Stmt::Store(..) | Stmt::Scan(_) | Stmt::Launch(_) | Stmt::Atomic(_) | leaf_stmt!()) => {
                out.push(other);
                Done::Nothing
            }
        }
    }

    /// The loop in blocks of lanes, if that pays.
    fn lanes(&mut self, whole: Loop) -> Option<(Vec<Stmt>, Done)> {
        if !whole.body.iter().any(plan::is_loop) {
            return None;
        }
        let (loop_, packs, plan) = self.plan(&whole)?;
        let loop_ = &loop_;
        let lanes = plan.lanes();
        let side = plan.side(lanes);
        let done = if plan.keeps() { Done::Kept } else { Done::Interchanged };
        let width = loop_.to.clone().minus(loop_.from.clone());
        let known = match (loop_.from.as_int(), loop_.to.as_int()) {
            (Some(from), Some(to)) => Some(to.saturating_sub(from)),
            _ => None,
        };
        if known.is_some_and(|n| n < lanes) {
            return None;
        }
        let (mut out, mut allocated) = (Vec::new(), Vec::new());
        let count = self.set("count", width, &mut out);
        // Iterations that may be run again fill the last block, which begins before the one before it has ended.
        let whole_blocks = known.is_some_and(|n| n % lanes == 0);
        let again = !whole_blocks && packs.is_empty() && plan.is_even() && self.may_run_again(&loop_.body);
        let full = if again { count.clone().plus(Expr::int(lanes - 1)) } else { count.clone() };
        let blocks = self.set("blocks", Expr::arith(Int::Div, full, side.clone()), &mut out);
        // All blocks use the same buffers for packed elements.
        let mut owners = Vec::new();
        for pack in &packs {
            let handle = self.fun.handles.alloc(HandleInfo { name: Symbol::new("packed") });
            let ptr = self.fun.ptrs.alloc(self.fun.ptrs[pack.ptr].clone());
            let count = Expr::arith(Int::Count, pack.width.clone(), Expr::int(lanes));
            owners.push((handle, ptr));
            allocated.push(Stmt::Alloc { handle, ptr, count, span: self.fun.span });
        }
        let places: Vec<Ptr> = owners.iter().map(|(_, ptr)| *ptr).collect();
        let block = self.local("block", PrimType::I64);
        let start = |index: Expr| loop_.from.clone().plus(index.times(side.clone()));
        let mut body = Vec::new();
        let first = start(Expr::Local(block));
        let last = loop_.to.clone().minus(Expr::int(lanes));
        let base = self.set("base", if again { Expr::arith(Int::Min, first, last) } else { first }, &mut body);
        plan.write(self, loop_, &packs, &places, Iterations { base, count: None, lanes }, &mut body);
        let mut wide = allocated;
        wide.push(Stmt::For { var: block, from: Expr::int(0), to: blocks.clone(), order: Order::Sequential, body });
        let has_rest = if again { known.is_none() } else { !whole_blocks };
        if has_rest {
            let mut tail = Vec::new();
            let (base, rest) = if again {
                (loop_.from.clone(), count.clone())
            } else {
                let base = self.set("base", start(blocks), &mut wide);
                let rest = self.set("rest", loop_.to.clone().minus(base.clone()), &mut wide);
                (base, rest)
            };
            let (rest_loop, packs, plan) = self.plan(&whole)?;
            let iterations = Iterations { base, count: Some(rest.clone()), lanes };
            plan.write(self, &rest_loop, &packs, &places, iterations, &mut tail);
            if again {
                wide = vec![Stmt::If(count.clone().less(Expr::int(lanes)), tail, wide)];
            } else {
                wide.push(Stmt::If(Expr::int(0).less(rest), tail, Vec::new()));
            }
        }
        wide.extend(owners.into_iter().map(|(handle, _)| Stmt::Release(handle)));
        if known.is_some() {
            out.extend(wide);
            return Some((out, done));
        }
        let few = count.less(Expr::int(lanes / 4));
        let Loop { var, from, to, order, body } = whole;
        out.push(Stmt::If(few, vec![Stmt::For { var, from, to, order, body }], wide));
        Some((out, done))
    }

    /// Whether iterations write the same when they are run again: what they write they do not read.
    fn may_run_again(&self, body: &[Stmt]) -> bool {
        let (mut written, mut read) = (Vec::new(), Vec::new());
        plan::accesses(body, &mut |ptr, _, store| if store { written.push(ptr) } else { read.push(ptr) });
        let stacks = |ptr: &Ptr| self.fun.ptrs[*ptr].stack.is_some();
        let apart = |ptr: &Ptr| !read.contains(ptr) && self.apart.is_own(*ptr);
        let known = |ptr: &Ptr| self.apart.is_own(*ptr) || self.apart.is_lent(*ptr);
        written.iter().all(apart) && read.iter().all(known) && !written.iter().any(stacks)
    }

    /// A plan for the loop with fresh variables, with or without packing.
    fn plan(&mut self, whole: &Loop) -> Option<(Loop, Vec<Pack>, Plan)> {
        let loop_ = self.fresh(whole);
        if let Some((packed, packs)) = packing::packing(self, &loop_)
            && let Some(plan) = Plan::new(self, &packed, &packs)
            && plan.interchanges(&packs)
        {
            return Some((packed, packs, plan));
        }
        let plan = Plan::new(self, &loop_, &[])?;
        Some((loop_, Vec::new(), plan))
    }
    /// The same loop with fresh variables, so that the versions share none.
    fn fresh(&mut self, whole: &Loop) -> Loop {
        let mut renaming = Renaming::default();
        let sums: &[_] = if let Order::Reduce(sums) = &whole.order { sums } else { &[] };
        let mut own = Vec::new();
        visit::stmts(&whole.body, &mut |mention| {
            if let Mention::Set(local) = mention
                && !sums.iter().any(|(sum, _)| *sum == local)
            {
                own.push(local);
            }
        });
        for local in own {
            renaming.locals.entry(local).or_insert_with(|| self.like(local));
        }
        Loop { body: renaming.stmts(&whole.body), ..whole.clone() }
    }

    fn local(&mut self, name: &str, prim: PrimType) -> Local {
        self.fun.locals.alloc(LocalInfo { name: Symbol::new(name), prim })
    }
    fn like(&mut self, local: Local) -> Local {
        let info = self.fun.locals[local].clone();
        self.fun.locals.alloc(info)
    }
    fn stack(&mut self, name: Symbol, elem: PrimType, count: u64) -> Ptr {
        self.fun.ptrs.alloc(PtrInfo { name, elem, stack: Some(count) })
    }
    /// A new variable with this value.
    fn set(&mut self, name: &str, value: Expr, out: &mut Vec<Stmt>) -> Expr {
        if value.is_atom() {
            return value;
        }
        let local = self.local(name, PrimType::I64);
        out.push(Stmt::Set(local, value));
        Expr::Local(local)
    }
    fn locals(&self) -> &Arena<LocalInfo> {
        &self.fun.locals
    }
}
