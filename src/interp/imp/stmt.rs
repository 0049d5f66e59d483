//! Runs statements of imp: each changes locals, pointers or the memory, and stops where the program fails or breaks a rule.

use super::Machine;
use super::fault::{Run, Stop, fault};
use super::frame::{Address, Frame};
use super::memory::{BufferId, Kind, Val};
use crate::base::{Code, PrimType, Scalar, Span};
use crate::interp::Failure;
use crate::interp::failure::{DEPTH, too_deep};
use crate::ir::imp::{self, Arg, Expr, FunId, Handle, Int, Local, Order, Parallel, Param, Place, Ptr, Receiver, Scan, Stmt};

/// What functions are passed and return.
pub(super) enum Passed {
    Scalar(Val),
    Array(BufferId),
}

impl<'p> Machine<'p> {
    /// Runs a function.
    pub fn function(&mut self, id: FunId, args: Vec<Passed>, starts: &[i64]) -> Run<Vec<Passed>> {
        let program = self.program;
        let fun = &program.funs[id];
        if fun.recursive {
            if self.depth >= DEPTH {
                return Err(Stop::Failure(too_deep(fun.name, self.depth, &[], fun.span)));
            }
            self.depth += 1;
            let done = self.activation(id, args, starts);
            self.depth -= 1;
            return done;
        }
        self.activation(id, args, starts)
    }
    fn activation(&mut self, id: FunId, args: Vec<Passed>, starts: &[i64]) -> Run<Vec<Passed>> {
        let program = self.program;
        let fun = &program.funs[id];
        let mut frame = Frame::new(id, fun);
        for ((param, arg), start) in fun.params.iter().zip(args).zip(starts) {
            match (param, arg) {
                (Param::Local(local), Passed::Scalar(value)) => frame.set(*local, value),
                (Param::Ptr(ptr), Passed::Array(buffer)) => frame.ptrs[ptr.raw()] = Some((buffer, *start)),
                _ => return fault(format!("an argument of `{}` of the wrong kind", fun.name)),
            }
        }
        let done = self.stmts(&fun.body, &mut frame);
        for buffer in frame.stacks.values() {
            self.memory.release(*buffer)?;
        }
        done?;
        let mut results = Vec::with_capacity(fun.results.len());
        for result in &fun.results {
            results.push(match result {
                imp::Result::Scalar(_, e) => Passed::Scalar(self.expr(e, &frame)?),
                imp::Result::Array(ptr, handle) => {
                    let (buffer, start) = frame.address(*ptr)?;
                    if frame.handles[handle.raw()].take() != Some(buffer) || start != 0 {
                        return fault(format!("a result of `{}` is not at the beginning of the buffer that is consumed", fun.name));
                    }
                    Passed::Array(buffer)
                }
            });
        }
        if let Some(k) = frame.handles.iter().position(Option::is_some) {
            return fault(format!("a leak: `{}` ends, and the handle `{}` has memory", fun.name, fun.handles[Handle::new(k)].name));
        }
        Ok(results)
    }

    pub fn stmts(&mut self, list: &'p [Stmt], frame: &mut Frame<'p>) -> Run {
        for stmt in list {
            if let Err(stop) = self.stmt(stmt, frame) {
                return Err(self.located(stop, frame.fun, stmt));
            }
        }
        Ok(())
    }

    /// The number of a statement that writes.
    fn number(&mut self, stmt: &'p Stmt, frame: &Frame<'p>) -> u32 {
        let next = self.writers.len() as u32 + 1;
        let number = *self.numbers.entry(std::ptr::from_ref(stmt)).or_insert(next);
        if number == next {
            self.writers.push((stmt, frame.id.raw()));
        }
        number
    }

    fn stmt(&mut self, stmt: &'p Stmt, frame: &mut Frame<'p>) -> Run {
        self.steps += u64::from(!matches!(stmt, Stmt::Ghost(_) | Stmt::Probe(_)));
        if self.steps > self.plan.most {
            return Err(Stop::Long);
        }
        match stmt {
            Stmt::Comment(_) | Stmt::Prefetch(..) | Stmt::Probe(_) => Ok(()),
            Stmt::Ghost(ghost) => self.ghost(ghost, frame),
            Stmt::Set(local, e) => {
                #[expect(clippy::wildcard_enum_match_arm, reason = "two types have a shortcut")]
                let value = match frame.fun.locals[*local].prim {
                    PrimType::I64 => self.quick_number(e, frame).map(Scalar::I64),
                    PrimType::Bool => self.quick_truth(e, frame).map(Scalar::Bool),
                    _ => None,
                };
                let value = if value.is_some() { value } else { self.expr(e, frame)? };
                frame.set(*local, value);
                Ok(())
            }
            Stmt::Point(ptr, place) => {
                let address = match place {
                    Place::Ptr(base, offset) => {
                        let (buffer, start) = frame.address(*base)?;
                        let offset = self.index(offset, frame)?;
                        let Some(at) = start.checked_add(offset) else { return fault("an offset overflows") };
                        if let Some(count) = own_memory(place) {
                            let count = self.index(count, frame)?;
                            self.memory.fresh(buffer, at, count);
                        }
                        (buffer, at)
                    }
                    Place::Table(k) => (self.tables[*k], 0),
                };
                frame.ptrs[ptr.raw()] = Some(address);
                Ok(())
            }
            Stmt::Alloc { handle, ptr, count, span } => {
                let buffer = self.alloc(*ptr, count, *span, frame)?;
                frame.own(*handle, buffer)?;
                frame.ptrs[ptr.raw()] = Some((buffer, 0));
                Ok(())
            }
            Stmt::Stack(ptr) => self.stack(*ptr, frame),
            Stmt::Move { to, from } => {
                self.release(*to, frame)?;
                frame.handles[to.raw()] = frame.handles[from.raw()].take();
                Ok(())
            }
            Stmt::Transfer { to, ptr, from, count, span } => {
                let buffer = match self.taken(*ptr, from, frame)? {
                    Some(buffer) => buffer,
                    None => self.moved(stmt, *ptr, count, *span, frame)?,
                };
                frame.own(*to, buffer)
            }
            Stmt::Release(handle) => self.release(*handle, frame),
            Stmt::Store(ptr, index, value) => {
                let (buffer, start) = frame.address(*ptr)?;
                let index = self.index(index, frame)?;
                let value = self.expr(value, frame)?;
                let by = self.number(stmt, frame);
                self.memory.store(buffer, start.wrapping_add(index), value, by)
            }
            Stmt::Copy { to: (to, at), from: (from, start), count } => {
                let (to, from) = (self.place(*to, at, frame)?, self.place(*from, start, frame)?);
                self.copy(stmt, to, from, count, frame)
            }
            Stmt::For { var, from, to, order, body } => self.for_loop(*var, from, to, order, body, frame),
            Stmt::Scan(scan) => self.scan(scan, frame),
            Stmt::While(first, cond, second) => loop {
                self.stmts(first, frame)?;
                if !self.truth(cond, frame)? {
                    return Ok(());
                }
                self.stmts(second, frame)?;
            },
            Stmt::If(cond, then, els) => {
                let body = if self.truth(cond, frame)? { then } else { els };
                self.stmts(body, frame)
            }
            Stmt::Check(cond, failure) => {
                if self.truth(cond, frame)? {
                    return Ok(());
                }
                Err(Stop::Failure(self.failure(failure, frame)?))
            }
            Stmt::Call { fun, args, results, span } => self.call(*fun, args, results, *span, frame),
            Stmt::Parallel(parallel) => self.parallel(parallel, frame),
            Stmt::Launch(launch) => self.launch(launch, frame),
            Stmt::Atomic(atomic) => {
                let by = self.number(stmt, frame);
                self.atomic(atomic, by, frame)
            }
        }
    }

    /// The failure of a check.
    fn failure(&mut self, failure: &'p imp::Failure, frame: &Frame<'p>) -> Run<Box<Failure>> {
        let mut message = String::new();
        for piece in failure.pieces() {
            match piece {
                imp::Piece::Char(c) => message.push(c),
                imp::Piece::Argument(_, arg, typed) => {
                    let value = self.defined(arg, frame, "a message")?;
                    let number = || value.as_i128().unwrap_or_else(|| crate::ice!(failure.span, "{value:?} is no integer"));
                    message.push_str(&if typed { value.to_string() } else { number().to_string() });
                }
            }
        }
        Ok(Failure::new(failure.code, failure.span, message))
    }

    // Memory

    fn alloc(&mut self, ptr: Ptr, count: &'p Expr, span: Span, frame: &mut Frame<'p>) -> Run<BufferId> {
        // Whoever would make elements of an impossible size fails before.
        let count = self.index(count, frame)?.max(0);
        let info = &frame.fun.ptrs[ptr];
        let bytes = i128::from(count) * info.elem.bytes() as i128;
        let shortage = || Stop::Failure(Failure::new(Code::OutOfMemory, span, format!("out of memory: {bytes} bytes were requested")));
        let cells = usize::try_from(count).map_err(|_| shortage())?;
        let buffer = self.memory.alloc(info.name, info.elem, cells, Kind::Owned).ok_or_else(shortage)?;
        if let Some(heap) = &mut frame.heap {
            heap.push(buffer);
        }
        Ok(buffer)
    }
    fn stack(&mut self, ptr: Ptr, frame: &mut Frame<'p>) -> Run {
        let info = &frame.fun.ptrs[ptr];
        let buffer = match frame.stacks.get(&ptr) {
            Some(buffer) => {
                self.memory.fresh(*buffer, 0, i64::MAX);
                *buffer
            }
            None => {
                let Some(count) = info.stack else { return fault("a pointer without elements in the frame") };
                let Some(buffer) = self.memory.alloc(info.name, info.elem, count as usize, Kind::Frame) else {
                    return fault("no memory for an array in a frame");
                };
                frame.stacks.insert(ptr, buffer);
                buffer
            }
        };
        frame.ptrs[ptr.raw()] = Some((buffer, 0));
        Ok(())
    }
    fn release(&mut self, handle: Handle, frame: &mut Frame<'p>) -> Run {
        match frame.handles[handle.raw()].take() {
            Some(buffer) => self.memory.release(buffer),
            None => Ok(()),
        }
    }
    /// The buffer that a pointer points at, if one of these handles owns it: then no more.
    fn taken(&mut self, ptr: Ptr, from: &[Handle], frame: &mut Frame<'p>) -> Run<Option<BufferId>> {
        let address = frame.address(ptr)?;
        for owner in from {
            if let Some(buffer) = frame.handles[owner.raw()]
                && address == (buffer, 0)
            {
                frame.handles[owner.raw()] = None;
                return Ok(Some(buffer));
            }
        }
        Ok(None)
    }
    /// A new buffer with the elements that a pointer points at; the pointer points at it.
    fn moved(&mut self, stmt: &'p Stmt, ptr: Ptr, count: &'p Expr, span: Span, frame: &mut Frame<'p>) -> Run<BufferId> {
        let address = frame.address(ptr)?;
        let buffer = self.alloc(ptr, count, span, frame)?;
        let cells = self.memory.buffer(buffer).cells.len() as i64;
        let by = self.number(stmt, frame);
        self.move_cells((buffer, 0), address, cells, by)?;
        frame.ptrs[ptr.raw()] = Some((buffer, 0));
        Ok(buffer)
    }
    /// The address of an element.
    fn place(&mut self, ptr: Ptr, index: &'p Expr, frame: &Frame<'p>) -> Run<Address> {
        let (buffer, start) = frame.address(ptr)?;
        Ok((buffer, start.wrapping_add(self.index(index, frame)?)))
    }
    fn copy(&mut self, stmt: &'p Stmt, to: Address, from: Address, count: &'p Expr, frame: &mut Frame<'p>) -> Run {
        let count = self.index(count, frame)?;
        if count < 0 {
            return fault(format!("{count} elements are copied"));
        }
        let by = self.number(stmt, frame);
        self.move_cells(to, from, count, by)
    }
    /// As if all were read before any is written.
    fn move_cells(&mut self, to: Address, from: Address, count: i64, by: u32) -> Run {
        let mut values = Vec::new();
        for k in 0..count {
            values.push(self.memory.load(from.0, from.1.wrapping_add(k))?);
        }
        for (k, value) in values.into_iter().enumerate() {
            self.memory.store(to.0, to.1.wrapping_add(k as i64), value, by)?;
        }
        Ok(())
    }

    // Loops

    fn for_loop(&mut self, var: Local, from: &'p Expr, to: &'p Expr, order: &'p Order, body: &'p [Stmt], frame: &mut Frame<'p>) -> Run {
        let (from, to) = (self.index(from, frame)?, self.index(to, frame)?);
        if *order == Order::Sequential {
            for i in from..to {
                frame.set(var, Some(Scalar::I64(i)));
                self.stmts(body, frame)?;
            }
            return Ok(());
        }
        self.memory.contexts.enter();
        // What fails first must be the first in order that fails.
        let backwards = self.plan.backwards && !may_fail(body);
        let done = (from..to).try_for_each(|i| {
            let i = if backwards { to - 1 - (i - from) } else { i };
            self.memory.contexts.next();
            frame.set(var, Some(Scalar::I64(i)));
            self.stmts(body, frame)
        });
        self.memory.contexts.leave();
        done
    }
    fn scan(&mut self, scan: &'p Scan, frame: &mut Frame<'p>) -> Run {
        let (from, to) = (self.index(&scan.from, frame)?, self.index(&scan.to, frame)?);
        self.memory.contexts.enter();
        let done = (from..to).try_for_each(|i| {
            self.memory.contexts.next();
            frame.set(scan.var, Some(Scalar::I64(i)));
            self.stmts(&scan.cell, frame)?;
            self.stmts(&scan.done, frame)
        });
        self.memory.contexts.leave();
        done
    }

    /// Chunks see what the function has set before, and nothing that another chunk sets.
    fn parallel(&mut self, parallel: &'p Parallel, frame: &mut Frame<'p>) -> Run {
        let (width, chunks) = (self.index(&parallel.width, frame)?, self.index(&parallel.chunks, frame)?);
        let chunks = chunks.max(1);
        let divided = std::mem::replace(&mut self.divided, true);
        let (locals, ptrs) = (frame.locals.clone(), frame.ptrs.clone());
        let (stacks, handles) = (std::mem::take(&mut frame.stacks), frame.handles.clone());
        let mut failed: Option<(i64, Stop)> = None;
        self.memory.contexts.enter();
        for k in 0..chunks {
            let k = if self.plan.backwards { chunks - 1 - k } else { k };
            self.memory.contexts.next();
            frame.locals.clone_from(&locals);
            frame.ptrs.clone_from(&ptrs);
            let bound = |k: i64| if chunks == 1 { k * width } else { (i128::from(width) * i128::from(k) / i128::from(chunks)) as i64 };
            for (local, value) in [(parallel.lo, bound(k)), (parallel.hi, bound(k + 1)), (parallel.chunk, k)] {
                frame.set(local, Some(Scalar::I64(value)));
            }
            let done = self.stmts(&parallel.body, frame);
            for (_, buffer) in std::mem::take(&mut frame.stacks) {
                self.memory.release(buffer)?;
            }
            match done {
                Ok(()) if frame.handles != handles => return fault("a leak: a piece of a parallel loop ends, and a handle has memory"),
                Ok(()) => {}
                Err(stop @ (Stop::Fault(_) | Stop::Long)) => return Err(stop),
                // What the chunk has is released on the way out.
                Err(stop) if failed.as_ref().is_none_or(|(first, _)| k < *first) => failed = Some((k, stop)),
                Err(_) => {}
            }
            frame.handles.clone_from(&handles);
        }
        self.memory.contexts.leave();
        (frame.locals, frame.ptrs, frame.stacks, self.divided) = (locals, ptrs, stacks, divided);
        failed.map_or(Ok(()), |(_, stop)| Err(stop))
    }

    fn call(&mut self, id: FunId, args: &'p [Arg], results: &'p [Receiver], span: Span, frame: &mut Frame<'p>) -> Run {
        let (mut passed, mut starts) = (Vec::with_capacity(args.len()), Vec::with_capacity(args.len()));
        for arg in args {
            let (value, start) = match arg {
                Arg::Scalar(e) => (Passed::Scalar(self.expr(e, frame)?), 0),
                Arg::Array(ptr, offset) => {
                    let (buffer, start) = frame.address(*ptr)?;
                    (Passed::Array(buffer), start.wrapping_add(self.index(offset, frame)?))
                }
            };
            passed.push(value);
            starts.push(start);
        }
        let values = self.function(id, passed, &starts).map_err(|stop| match stop {
            Stop::Failure(mut failure) => {
                failure.calls.push(span);
                Stop::Failure(failure)
            }
            fault @ (Stop::Long | Stop::Fault(_)) => fault,
        })?;
        for (target, value) in results.iter().zip(values) {
            match (target, value) {
                (Receiver::Local(local), Passed::Scalar(value)) => frame.set(*local, value),
                (Receiver::Array(ptr, handle), Passed::Array(buffer)) => {
                    frame.own(*handle, buffer)?;
                    frame.ptrs[ptr.raw()] = Some((buffer, 0));
                }
                _ => return fault("a result of the wrong kind"),
            }
        }
        Ok(())
    }

    /// The sum of a number and another, for atomic operations.
    pub(super) fn applied(&self, op: crate::base::scalar::ScalarOp, a: Val, b: Val) -> Run<Val> {
        match (a, b) {
            (Some(a), Some(b)) => super::expr::apply(op, &[a, b]),
            _ => Ok(None),
        }
    }
}

/// How much memory a thread has of what the host has made for all of them, if a place is where that of this thread begins.
fn own_memory(place: &Place) -> Option<&Expr> {
    match place {
        Place::Ptr(_, Expr::Int(Int::Mul, thread, count)) if **thread == Expr::Thread => Some(count),
        Place::Ptr(..) | Place::Table(_) => None,
    }
}

/// Whether statements may end the program.
fn may_fail(list: &[Stmt]) -> bool {
    list.iter().any(|stmt| match stmt {
        Stmt::Check(..) | Stmt::Alloc { .. } | Stmt::Transfer { .. } | Stmt::Call { .. } => true,
        Stmt::For { body, .. } => may_fail(body),
        Stmt::While(first, _, second) => may_fail(first) || may_fail(second),
        Stmt::If(_, then, els) => may_fail(then) || may_fail(els),
        Stmt::Scan(scan) => may_fail(&scan.cell) || may_fail(&scan.done),
        Stmt::Comment(_)
        | Stmt::Set(..)
        | Stmt::Point(..)
        | Stmt::Stack(_)
        | Stmt::Move { .. }
        | Stmt::Release(_)
        | Stmt::Store(..)
        | Stmt::Prefetch(..)
        | Stmt::Copy { .. }
        | Stmt::Parallel(_)
        | Stmt::Launch(_)
        | Stmt::Atomic(_)
        | Stmt::Ghost(_)
        | Stmt::Probe(_) => false,
    })
}
