//! The validator: types fit, everything is set before it is read on every path, memory is released once and not used afterwards, nothing
//! leaks, iterations that may run in any order do not depend on each other through variables, and kernels keep to what kernels may do.
//!
//! The variants of a kernel use what the host has set and what they are given, nothing else; vectors are of elements that the code for a cell
//! reads or writes.
//!
//! Paths are followed abstractly: after a branch is set what both parts have set; a loop is entered with what holds before it and after
//! each iteration. Where a handle has memory on some paths only, it may be released or consumed, but nothing else may be put into it.

use super::{
    Arg, Atomic, Combine, Expr, Fun, FunId, Handle, Hist, Int, Launch, Local, Order, Parallel, Param, Place, Program, Ptr, Receiver,
    Result, Scan, Segments, Stmt, Work, print,
    visit::{self, Mention},
};
use crate::base::PrimType;
use crate::base::scalar::ScalarOp;
use rustc_hash::FxHashSet;

mod probes;
mod variants;

/// What is wrong with a program, with the statement where it is.
type Checked<T = ()> = std::result::Result<T, String>;

/// Validates a program.
///
/// # Errors
/// The first contract that is broken, and where.
pub fn validate(program: &Program) -> Checked {
    for (k, table) in program.tables.iter().enumerate() {
        ensure(table.items.iter().all(|item| item.prim() == table.elem), || format!("table {k} has an element of another type"))?;
    }
    for (id, fun) in program.funs.iter() {
        let checker = Checker { program, fun, id, kernel: false, heap: false };
        checker.fun().map_err(|problem| format!("{}: {problem}", fun.name))?;
    }
    Ok(())
}

/// `Err` with a message unless the condition holds.
fn ensure(condition: bool, message: impl FnOnce() -> String) -> Checked {
    if condition { Ok(()) } else { Err(message()) }
}

/// What a handle has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Held {
    Nothing,
    Memory,
    /// Memory on some of the paths that lead here.
    Either,
}

/// What is known at a point of a function.
#[derive(Debug, Clone, PartialEq)]
struct State {
    locals: Vec<bool>,
    /// The handles that own what a pointer may point at, none for memory that outlives the function or its frame; nothing before it is
    /// set, and after the memory has been released.
    ptrs: Vec<Option<Vec<Handle>>>,
    handles: Vec<Held>,
}

impl State {
    /// What holds on both paths.
    fn join(&mut self, other: &State) {
        self.locals.iter_mut().zip(&other.locals).for_each(|(a, b)| *a &= b);
        for (a, b) in self.ptrs.iter_mut().zip(&other.ptrs) {
            match (&mut *a, b) {
                (Some(owners), Some(others)) => {
                    owners.extend(others);
                    owners.sort_unstable();
                    owners.dedup();
                }
                _ => *a = None,
            }
        }
        for (a, b) in self.handles.iter_mut().zip(&other.handles) {
            if *a != *b {
                *a = Held::Either;
            }
        }
    }
    /// Forgets what a body sets: another iteration may be the one that set it, at another time.
    fn forget(&mut self, body: &[Stmt]) {
        visit::stmts(body, &mut |mention| match mention {
            Mention::Set(local) => self.locals[local.raw()] = false,
            Mention::Point(ptr) => self.ptrs[ptr.raw()] = None,
            Mention::Read(_) | Mention::Use(_) | Mention::Handle(_) => {}
        });
    }
    /// The memory of a handle is released: what points at it may not be used any more.
    fn release(&mut self, handle: Handle) {
        if self.handles[handle.raw()] != Held::Nothing {
            self.ptrs.iter_mut().filter(|owners| owners.as_ref().is_some_and(|all| all.contains(&handle))).for_each(|ptr| *ptr = None);
        }
        self.handles[handle.raw()] = Held::Nothing;
    }
    /// What points at the memory of one handle points at that of another.
    fn moved(&mut self, from: Handle, to: Handle) {
        for owners in self.ptrs.iter_mut().flatten() {
            if owners.contains(&from) {
                owners.retain(|owner| *owner != from);
                owners.push(to);
            }
        }
    }
}

struct Checker<'p> {
    program: &'p Program,
    fun: &'p Fun,
    id: FunId,
    /// Whether statements are those of a kernel.
    kernel: bool,
    /// Whether its threads make buffers.
    heap: bool,
}

impl Checker<'_> {
    fn local(&self, local: Local) -> String {
        format!("{}.{}", self.fun.locals[local].name, local.raw())
    }
    fn handle(&self, handle: Handle) -> String {
        format!("@{}.{}", self.fun.handles[handle].name, handle.raw())
    }
    fn elem(&self, ptr: Ptr) -> PrimType {
        self.fun.ptrs[ptr].elem
    }
    fn prim(&self, local: Local) -> PrimType {
        self.fun.locals[local].prim
    }

    fn fun(&self) -> Checked {
        let fun = self.fun;
        let mut state = State {
            locals: vec![false; fun.locals.len()],
            ptrs: vec![None; fun.ptrs.len()],
            handles: vec![Held::Nothing; fun.handles.len()],
        };
        for param in &fun.params {
            match param {
                Param::Local(local) => state.locals[local.raw()] = true,
                Param::Ptr(ptr) => state.ptrs[ptr.raw()] = Some(Vec::new()),
            }
        }
        let mut whole = (0..fun.ptrs.len()).any(|k| self.elem(Ptr::new(k)).is_complex());
        visit::stmts(&fun.body, &mut |mention| {
            if let Mention::Read(local) | Mention::Set(local) = mention {
                whole = whole || self.prim(local).is_complex();
            }
        });
        ensure(!whole, || "a complex number that has not become its parts".into())?;
        ensure(fun.counts.len() == fun.params.len(), || "a parameter has no number of elements".into())?;
        fun.counts.iter().try_for_each(|count| self.int(count, &state))?;
        self.stmts(&fun.body, &mut state)?;
        for result in &fun.results {
            match result {
                Result::Scalar(prim, e) => self.typed(e, *prim, &state)?,
                Result::Array(ptr, handle) => {
                    self.pointed(*ptr, &state)?;
                    ensure(state.handles[handle.raw()] == Held::Memory, || {
                        format!("{} is returned and has no memory", self.handle(*handle))
                    })?;
                    state.handles[handle.raw()] = Held::Nothing;
                }
            }
        }
        let leak = (0..fun.handles.len()).map(Handle::new).find(|handle| state.handles[handle.raw()] != Held::Nothing);
        leak.map_or(Ok(()), |handle| Err(format!("{} is not released at the end", self.handle(handle))))
    }

    // Expressions

    fn typed(&self, e: &Expr, prim: PrimType, state: &State) -> Checked {
        let found = self.expr(e, state)?;
        ensure(found == prim, || format!("an expression of type {found} where {prim} is needed"))
    }
    fn int(&self, e: &Expr, state: &State) -> Checked {
        self.typed(e, PrimType::I64, state)
    }
    fn pointed(&self, ptr: Ptr, state: &State) -> Checked {
        ensure(state.ptrs[ptr.raw()].is_some(), || {
            format!("&{}.{} is used before it is set or after its memory is released", self.fun.ptrs[ptr].name, ptr.raw())
        })
    }
    fn expr(&self, e: &Expr, state: &State) -> Checked<PrimType> {
        Ok(match e {
            Expr::Const(value) => value.prim(),
            Expr::Local(local) => {
                ensure(state.locals[local.raw()], || format!("{} is read before it is set", self.local(*local)))?;
                self.prim(*local)
            }
            Expr::Load(ptr, index) => {
                self.pointed(*ptr, state)?;
                self.int(index, state)?;
                self.elem(*ptr)
            }
            Expr::Op(op, args) => {
                ensure(op.params.len() == args.len(), || format!("{} has {} operands", op.name(), args.len()))?;
                args.iter().zip(op.params).try_for_each(|(arg, prim)| self.typed(arg, *prim, state))?;
                op.result
            }
            Expr::Int(op, a, b) => {
                let (operand, result) = match op {
                    Int::And | Int::Or => (PrimType::Bool, PrimType::Bool),
                    Int::Lt | Int::Le | Int::Eq | Int::Ne => (PrimType::I64, PrimType::Bool),
                    Int::Add | Int::Sub | Int::Mul | Int::Count | Int::Div | Int::Rem | Int::Min => (PrimType::I64, PrimType::I64),
                };
                self.typed(a, operand, state)?;
                self.typed(b, operand, state)?;
                result
            }
            Expr::Select(cond, a, b) => {
                self.typed(cond, PrimType::Bool, state)?;
                let prim = self.expr(a, state)?;
                self.typed(b, prim, state)?;
                prim
            }
            Expr::Blend(prim, mask, a, b) => {
                let mask = self.expr(mask, state)?;
                ensure(mask.is_int(), || format!("a mask of type {mask}"))?;
                self.typed(a, *prim, state)?;
                self.typed(b, *prim, state)?;
                *prim
            }
            Expr::Quotient(prim, x, y, r) => {
                [x, y, r].into_iter().try_for_each(|e| self.typed(e, *prim, state))?;
                *prim
            }
            Expr::Chunks { width, .. } => {
                self.int(width, state)?;
                ensure(!self.kernel, || "a kernel divides a loop into pieces".into())?;
                PrimType::I64
            }
            Expr::Threads | Expr::Registers => PrimType::I64,
            Expr::Thread => {
                ensure(self.kernel, || "the number of a thread outside of a kernel".into())?;
                PrimType::I64
            }
        })
    }

    // Statements

    fn stmts(&self, list: &[Stmt], state: &mut State) -> Checked {
        list.iter().try_for_each(|stmt| {
            self.stmt(stmt, state).map_err(|problem| {
                // The innermost statement is shown.
                if problem.contains('\n') { problem } else { format!("{problem}\nin: {}", print::stmt(self.program, self.fun, stmt)) }
            })
        })
    }
    fn set(&self, local: Local, prim: PrimType, state: &mut State) -> Checked {
        state.locals[local.raw()] = true;
        ensure(self.prim(local) == prim, || format!("{} is set to a value of type {prim}", self.local(local)))
    }
    /// A handle into which memory is put.
    fn fill(&self, handle: Handle, state: &mut State) -> Checked {
        ensure(state.handles[handle.raw()] == Held::Nothing, || format!("{} has memory already", self.handle(handle)))?;
        state.handles[handle.raw()] = Held::Memory;
        Ok(())
    }
    fn stmt(&self, stmt: &Stmt, state: &mut State) -> Checked {
        let host = matches!(
            stmt,
            Stmt::Alloc { .. }
                | Stmt::Move { .. }
                | Stmt::Transfer { .. }
                | Stmt::Release(_)
                | Stmt::Call { .. }
                | Stmt::Parallel(_)
                | Stmt::Launch(_)
        );
        let memory = matches!(stmt, Stmt::Alloc { .. } | Stmt::Move { .. } | Stmt::Transfer { .. } | Stmt::Release(_));
        ensure(!(host && self.kernel) || memory && self.heap, || "a kernel cannot do this".into())?;
        match stmt {
            Stmt::Comment(_) | Stmt::Ghost(_) => Ok(()),
            Stmt::Probe(probe) => self.probe(probe, state),
            Stmt::Set(local, e) => {
                let prim = self.expr(e, state)?;
                self.set(*local, prim, state)
            }
            Stmt::Point(ptr, place) => self.point(*ptr, place, state),
            Stmt::Alloc { handle, ptr, count, .. } => {
                self.int(count, state)?;
                self.fill(*handle, state)?;
                state.ptrs[ptr.raw()] = Some(vec![*handle]);
                Ok(())
            }
            Stmt::Stack(ptr) => {
                state.ptrs[ptr.raw()] = Some(Vec::new());
                ensure(self.fun.ptrs[*ptr].stack.is_some(), || "a pointer without elements in the frame".into())
            }
            Stmt::Move { to, from } => {
                state.release(*to);
                state.handles[to.raw()] = std::mem::replace(&mut state.handles[from.raw()], Held::Nothing);
                state.moved(*from, *to);
                ensure(to != from, || format!("{} is moved to itself", self.handle(*to)))
            }
            Stmt::Transfer { to, ptr, from, count, .. } => {
                self.int(count, state)?;
                self.pointed(*ptr, state)?;
                self.fill(*to, state)?;
                for owner in from {
                    if state.handles[owner.raw()] == Held::Memory {
                        state.handles[owner.raw()] = Held::Either;
                    }
                    // Others that point there may from now on belong to the new owner.
                    state.ptrs.iter_mut().flatten().filter(|owners| owners.contains(owner)).for_each(|owners| owners.push(*to));
                }
                state.ptrs[ptr.raw()] = Some(vec![*to]);
                Ok(())
            }
            Stmt::Release(handle) => {
                state.release(*handle);
                Ok(())
            }
            Stmt::Store(ptr, index, value) => {
                self.pointed(*ptr, state)?;
                self.int(index, state)?;
                self.typed(value, self.elem(*ptr), state)
            }
            Stmt::Prefetch(ptr, index) => {
                self.pointed(*ptr, state)?;
                self.int(index, state)
            }
            Stmt::Copy { to: (to, at), from: (from, start), count } => {
                self.pointed(*to, state)?;
                self.pointed(*from, state)?;
                [at, start, count].into_iter().try_for_each(|e| self.int(e, state))?;
                ensure(self.elem(*to) == self.elem(*from), || "elements of two types".into())
            }
            Stmt::For { var, from, to, order, body } => self.for_loop(*var, from, to, order, body, state),
            Stmt::Scan(scan) => self.scan(scan, state),
            Stmt::While(first, cond, second) => self.repeat(state, |state| {
                self.stmts(first, state)?;
                self.typed(cond, PrimType::Bool, state)?;
                let end = state.clone();
                self.stmts(second, state)?;
                Ok(end)
            }),
            Stmt::If(cond, then, els) => {
                self.typed(cond, PrimType::Bool, state)?;
                let mut other = state.clone();
                self.stmts(then, state)?;
                self.stmts(els, &mut other)?;
                state.join(&other);
                Ok(())
            }
            Stmt::Check(cond, failure) => {
                self.typed(cond, PrimType::Bool, state)?;
                failure.args.iter().try_for_each(|(prim, arg)| self.typed(arg, *prim, state))
            }
            Stmt::Call { fun, args, results, .. } => self.call(*fun, args, results, state),
            Stmt::Parallel(parallel) => self.parallel(parallel, state),
            Stmt::Launch(launch) => self.launch(launch, state),
            Stmt::Atomic(atomic) => self.atomic(atomic, state),
        }
    }

    fn point(&self, ptr: Ptr, place: &Place, state: &mut State) -> Checked {
        let (elem, owners) = match place {
            Place::Ptr(base, offset) => {
                self.pointed(*base, state)?;
                self.int(offset, state)?;
                (self.elem(*base), state.ptrs[base.raw()].clone())
            }
            Place::Table(k) => {
                let table = self.program.tables.get(*k).ok_or_else(|| format!("there is no table {k}"))?;
                (table.elem, Some(Vec::new()))
            }
        };
        state.ptrs[ptr.raw()] = owners;
        ensure(elem == self.elem(ptr), || format!("it points at elements of type {elem}"))
    }

    /// A loop: `run` changes the state at the start of an iteration to that at its end, and returns that with which the loop ends.
    fn repeat(&self, state: &mut State, mut run: impl FnMut(&mut State) -> Checked<State>) -> Checked {
        loop {
            let mut after = state.clone();
            let end = run(&mut after)?;
            let mut start = state.clone();
            start.join(&after);
            if start == *state {
                *state = end;
                return Ok(());
            }
            *state = start;
        }
    }

    fn for_loop(&self, var: Local, from: &Expr, to: &Expr, order: &Order, body: &[Stmt], state: &mut State) -> Checked {
        self.int(from, state)?;
        self.int(to, state)?;
        let sums = if let Order::Reduce(all) = order { self.collects(all, state)? } else { FxHashSet::default() };
        self.repeat(state, |state| {
            // Without an iteration everything is as it was.
            let end = state.clone();
            if *order != Order::Sequential {
                state.forget(body);
                sums.iter().for_each(|local| state.locals[local.raw()] = true);
            }
            self.set(var, PrimType::I64, state)?;
            self.stmts(body, state)?;
            Ok(end)
        })?;
        if *order != Order::Sequential {
            state.forget(body);
            sums.iter().for_each(|local| state.locals[local.raw()] = true);
        }
        Ok(())
    }

    /// The locals that collect values: they are set, and of the type of their operations.
    fn collects(&self, sums: &[(Local, ScalarOp)], state: &State) -> Checked<FxHashSet<Local>> {
        for (local, op) in sums {
            ensure(state.locals[local.raw()], || format!("{} is read before it is set", self.local(*local)))?;
            ensure(op.result == self.prim(*local) && op.params.len() == 2, || format!("{} collects by {}", self.local(*local), op.name()))?;
        }
        Ok(sums.iter().map(|(local, _)| *local).collect())
    }

    fn scan(&self, scan: &Scan, state: &mut State) -> Checked {
        self.int(&scan.from, state)?;
        self.int(&scan.to, state)?;
        let sums = self.collects(&scan.sums, state)?;
        let straight = |list: &[Stmt]| list.iter().all(|stmt| matches!(stmt, Stmt::Comment(_) | Stmt::Set(..) | Stmt::Store(..)));
        ensure(straight(&scan.cell) && straight(&scan.done), || "a scan does more than set and store".into())?;
        let sets = |list: &[Stmt], local| list.iter().any(|stmt| matches!(stmt, Stmt::Set(set, _) if *set == local));
        for local in &sums {
            ensure(sets(&scan.cell, *local), || format!("{} collects nothing", self.local(*local)))?;
            ensure(!sets(&scan.done, *local), || format!("{} is set where it is used", self.local(*local)))?;
        }
        // Neither an iteration nor the second part of one knows of the others, or of the first part, but by the sums.
        for part in [&scan.cell, &scan.done] {
            state.forget(&scan.cell);
            state.forget(&scan.done);
            sums.iter().for_each(|local| state.locals[local.raw()] = true);
            self.set(scan.var, PrimType::I64, state)?;
            self.stmts(part, state)?;
        }
        state.forget(&scan.cell);
        state.forget(&scan.done);
        sums.iter().for_each(|local| state.locals[local.raw()] = true);
        Ok(())
    }

    fn call(&self, fun: FunId, args: &[Arg], results: &[Receiver], state: &mut State) -> Checked {
        let itself = fun == self.id && self.program.funs[fun].recursive;
        ensure(fun < self.id || itself, || "a function that comes later is called".into())?;
        let callee = &self.program.funs[fun];
        ensure(callee.params.len() == args.len() && callee.results.len() == results.len(), || format!("{} has others", callee.name))?;
        for (arg, param) in args.iter().zip(&callee.params) {
            match (arg, param) {
                (Arg::Scalar(e), Param::Local(local)) => self.typed(e, callee.locals[*local].prim, state)?,
                (Arg::Array(ptr, offset), Param::Ptr(param)) => {
                    self.pointed(*ptr, state)?;
                    self.int(offset, state)?;
                    ensure(self.elem(*ptr) == callee.ptrs[*param].elem, || "an array of another type".into())?;
                }
                _ => return Err("an array and a scalar".into()),
            }
        }
        for (target, result) in results.iter().zip(&callee.results) {
            match (target, result) {
                (Receiver::Local(local), Result::Scalar(prim, _)) => self.set(*local, *prim, state)?,
                (Receiver::Array(ptr, handle), Result::Array(result, _)) => {
                    self.fill(*handle, state)?;
                    state.ptrs[ptr.raw()] = Some(vec![*handle]);
                    ensure(self.elem(*ptr) == callee.ptrs[*result].elem, || "an array of another type".into())?;
                }
                _ => return Err("an array and a scalar".into()),
            }
        }
        Ok(())
    }

    fn parallel(&self, par: &Parallel, state: &mut State) -> Checked {
        self.int(&par.width, state)?;
        self.int(&par.chunks, state)?;
        state.forget(&par.body);
        let mut own = state.clone();
        for local in [par.lo, par.hi, par.chunk] {
            self.set(local, PrimType::I64, &mut own)?;
        }
        self.stmts(&par.body, &mut own)?;
        let mut handles = FxHashSet::default();
        visit::stmts(&par.body, &mut |mention| {
            if let Mention::Handle(handle) = mention {
                handles.insert(handle);
            }
        });
        for handle in handles {
            ensure(state.handles[handle.raw()] == Held::Nothing, || format!("{} belongs to the surroundings", self.handle(handle)))?;
            ensure(own.handles[handle.raw()] == Held::Nothing, || {
                format!("{} is not released at the end of a piece", self.handle(handle))
            })?;
        }
        Ok(())
    }

    // Kernels

    fn launch(&self, launch: &Launch, state: &State) -> Checked {
        let kernel = Checker { kernel: true, heap: launch.heap, ..*self };
        variants::check(&kernel, launch, state)?;
        ensure(launch.span.is_none() || launch.span.start <= launch.span.end, || "a place that is none".into())?;
        if let Some(local) = launch.threads {
            self.int(&Expr::Local(local), state)?;
        }
        match &launch.work {
            Work::Map { width, index, body } => {
                self.int(width, state)?;
                let mut own = state.clone();
                own.forget(body);
                self.set(*index, PrimType::I64, &mut own)?;
                kernel.stmts(body, &mut own)
            }
            Work::Reduce(segments) | Work::Scan(segments) => {
                self.int(&segments.segments, state)?;
                self.int(&segments.width, state)?;
                kernel.segments(segments, state)
            }
            Work::Hist(hist) => {
                self.int(&hist.width, state)?;
                self.int(&hist.bins, state)?;
                kernel.hist(hist, state)
            }
            Work::Transpose(work) => {
                [&work.planes, &work.rows, &work.columns].into_iter().try_for_each(|e| self.int(e, state))?;
                for (ptr, offset) in [&work.from, &work.to] {
                    self.pointed(*ptr, state)?;
                    self.int(offset, state)?;
                }
                ensure(self.elem(work.from.0) == self.elem(work.to.0), || "elements of two types".into())
            }
        }
    }
    fn segments(&self, s: &Segments, state: &State) -> Checked {
        let mut own = state.clone();
        [&s.cell, &s.combine.body, &s.done].into_iter().for_each(|body| own.forget(body));
        s.combine.left.iter().chain(&s.combine.right).chain(&s.sum).for_each(|local| own.locals[local.raw()] = false);
        let values: Vec<PrimType> = s.sum.iter().map(|local| self.prim(*local)).collect();
        self.set(s.segment, PrimType::I64, &mut own)?;
        s.neutral.iter().zip(&values).try_for_each(|(e, prim)| self.typed(e, *prim, &own))?;
        self.combine(&s.combine, &values, &own)?;
        let mut cell = own.clone();
        self.set(s.index, PrimType::I64, &mut cell)?;
        self.stmts(&s.cell, &mut cell)?;
        s.values.iter().zip(&values).try_for_each(|(e, prim)| self.typed(e, *prim, &cell))?;
        ensure(s.values.len() == values.len() && s.neutral.len() == values.len(), || "another number of values".into())?;
        self.set(s.index, PrimType::I64, &mut own)?;
        s.sum.iter().for_each(|local| own.locals[local.raw()] = true);
        self.stmts(&s.done, &mut own)
    }
    fn hist(&self, h: &Hist, state: &State) -> Checked {
        let mut own = state.clone();
        [&h.cell, &h.combine.body, &h.update].into_iter().for_each(|body| own.forget(body));
        h.combine.left.iter().chain(&h.combine.right).chain(&h.sum).for_each(|local| own.locals[local.raw()] = false);
        let values: Vec<PrimType> = h.sum.iter().map(|local| self.prim(*local)).collect();
        ensure(h.values.len() == values.len() && h.neutral.len() == values.len(), || "another number of values".into())?;
        h.neutral.iter().zip(&values).try_for_each(|(e, prim)| self.typed(e, *prim, &own))?;
        self.combine(&h.combine, &values, &own)?;
        if let Some(ops) = &h.each {
            let fits = ops.len() == values.len() && ops.iter().zip(&values).all(|(op, prim)| op.result == *prim && op.params.len() == 2);
            ensure(fits, || "operations of other components".into())?;
        }
        let mut cell = own.clone();
        self.set(h.index, PrimType::I64, &mut cell)?;
        self.stmts(&h.cell, &mut cell)?;
        self.int(&h.bin, &cell)?;
        h.values.iter().zip(&values).try_for_each(|(e, prim)| self.typed(e, *prim, &cell))?;
        self.set(h.place, PrimType::I64, &mut own)?;
        h.sum.iter().for_each(|local| own.locals[local.raw()] = true);
        self.stmts(&h.update, &mut own)
    }
    fn combine(&self, combine: &Combine, values: &[PrimType], state: &State) -> Checked {
        let mut own = state.clone();
        own.forget(&combine.body);
        for side in [&combine.left, &combine.right] {
            ensure(side.len() == values.len(), || "an operator of another number of values".into())?;
            side.iter().zip(values).try_for_each(|(local, prim)| self.set(*local, *prim, &mut own))?;
        }
        self.stmts(&combine.body, &mut own)?;
        ensure(combine.results.len() == values.len(), || "an operator with another number of results".into())?;
        combine.results.iter().zip(values).try_for_each(|(e, prim)| self.typed(e, *prim, &own))
    }
    fn atomic(&self, atomic: &Atomic, state: &mut State) -> Checked {
        ensure(self.kernel, || "only kernels need this".into())?;
        match atomic {
            Atomic::Op(op, ptr, index, value) => {
                self.pointed(*ptr, state)?;
                self.int(index, state)?;
                ensure(op.params.len() == 2 && op.result == self.elem(*ptr), || format!("{} on {}", op.name(), self.elem(*ptr)))?;
                self.typed(value, op.params[1], state)
            }
            Atomic::Combine(combine, ptr, index, value) => {
                self.pointed(*ptr, state)?;
                self.int(index, state)?;
                self.typed(value, self.elem(*ptr), state)?;
                self.combine(combine, &[self.elem(*ptr)], state)
            }
            Atomic::Locked(locks, number, body) => {
                self.pointed(*locks, state)?;
                self.int(number, state)?;
                self.stmts(body, state)
            }
        }
    }
}
