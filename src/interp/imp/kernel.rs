//! Kernels: what their threads do, one thread after the other.
//!
//! A thread goes over the cells whose numbers are its own plus a multiple of the number of threads. What is done for two cells may happen at
//! the same time: they may be those of two threads. The memory of a thread is new for each of its cells.

use super::Machine;
use super::fault::{Run, Stop, fault};
use super::frame::Frame;
use super::memory::Val;
use crate::base::Scalar;
use crate::ir::imp::visit::{self, Mention};
use crate::ir::imp::{Atomic, Combine, Expr, Hist, Launch, Local, Segments, Stmt, Transpose, Work};

/// The failure of the first cell that fails.
#[derive(Default)]
struct Failed(Option<(i64, Stop)>);

impl Failed {
    /// Takes note of what came of a cell. Faults end the run.
    fn note<T>(&mut self, cell: i64, result: Run<T>) -> Run<Option<T>> {
        match result {
            Ok(value) => Ok(Some(value)),
            Err(stop @ (Stop::Fault(_) | Stop::Long)) => Err(stop),
            Err(stop) => {
                if self.0.as_ref().is_none_or(|(first, _)| cell < *first) {
                    self.0 = Some((cell, stop));
                }
                Ok(None)
            }
        }
    }
    fn result(self) -> Run {
        self.0.map_or(Ok(()), |(_, stop)| Err(stop))
    }
}

/// A body with what it sets: it starts with nothing of that.
struct Cells {
    own: Vec<Local>,
    heap: bool,
    /// How many threads there are, if each has memory of its own.
    threads: Option<i64>,
}

impl<'p> Machine<'p> {
    /// Runs the plain code of a kernel. Its variants mean the same, and which of them a device takes depends on sizes that do not matter here.
    pub fn launch(&mut self, launch: &'p Launch, frame: &mut Frame<'p>) -> Run {
        let mut own = Vec::new();
        visit::kernel(launch, &mut |mention| {
            if let Mention::Set(local) = mention {
                own.push(local);
            }
        });
        own.sort_unstable();
        own.dedup();
        let threads = match launch.threads {
            Some(local) => Some(self.index_of(local, frame)?),
            None => None,
        };
        let cells = Cells { own, heap: launch.heap, threads };
        let (ptrs, stacks) = (frame.ptrs.clone(), std::mem::take(&mut frame.stacks));
        self.memory.contexts.enter();
        let done = match &launch.work {
            Work::Map { width, index, body } => self.map(&cells, width, *index, body, frame),
            Work::Reduce(work) => self.reduce(&cells, work, frame),
            Work::Scan(work) => self.scan_segments(&cells, work, frame),
            Work::Hist(work) => self.hist(&cells, work, frame),
            Work::Transpose(work) => self.transpose(work, frame),
        };
        if !matches!(done, Err(Stop::Fault(_) | Stop::Long)) {
            self.memory.contexts.leave();
        }
        for (_, buffer) in std::mem::replace(&mut frame.stacks, stacks) {
            self.memory.release(buffer)?;
        }
        frame.ptrs = ptrs;
        (frame.thread, frame.heap) = (None, None);
        cells.own.iter().for_each(|local| frame.set(*local, None));
        done
    }
    fn index_of(&mut self, local: Local, frame: &Frame<'p>) -> Run<i64> {
        match frame.local(local) {
            Some(Scalar::I64(n)) => Ok(n),
            _ => fault("the number of threads is not known"),
        }
    }

    /// Calls `work` for each number below `width`, in the order of the threads.
    fn each(
        &mut self,
        cells: &Cells,
        width: i64,
        frame: &mut Frame<'p>,
        work: &mut dyn FnMut(&mut Self, &mut Frame<'p>, i64) -> Run,
    ) -> Run {
        let threads = cells.threads.unwrap_or(width).min(width);
        if width > 0 && threads <= 0 {
            return fault("a kernel has cells and no threads");
        }
        for thread in 0..threads {
            let thread = if self.plan.backwards { threads - 1 - thread } else { thread };
            let mut at = thread;
            while at < width {
                self.memory.contexts.next();
                frame.thread = Some(thread);
                work(self, frame, at)?;
                at += threads;
            }
        }
        Ok(())
    }
    /// Runs part of a kernel by itself: it sees only what the host has set, and this.
    fn part<T>(
        &mut self,
        cells: &Cells,
        sets: &[(Local, Val)],
        frame: &mut Frame<'p>,
        work: &mut dyn FnMut(&mut Self, &mut Frame<'p>) -> Run<T>,
    ) -> Run<T> {
        cells.own.iter().for_each(|local| frame.set(*local, None));
        sets.iter().for_each(|(local, value)| frame.set(*local, *value));
        frame.heap = cells.heap.then(Vec::new);
        let result = work(self, frame);
        for buffer in frame.heap.take().unwrap_or_default() {
            if self.memory.buffer(buffer).live {
                self.memory.release(buffer)?;
            }
            frame.handles.iter_mut().filter(|handle| **handle == Some(buffer)).for_each(|handle| *handle = None);
        }
        result
    }

    fn map(&mut self, cells: &Cells, width: &'p Expr, index: Local, body: &'p [Stmt], frame: &mut Frame<'p>) -> Run {
        let width = self.index(width, frame)?;
        let mut failed = Failed::default();
        self.each(cells, width, frame, &mut |this, frame, t| {
            let done = this.part(cells, &[(index, number(t))], frame, &mut |this, frame| this.stmts(body, frame));
            failed.note(t, done).map(|_| ())
        })?;
        failed.result()
    }

    /// The values of expressions.
    fn values(&mut self, list: &'p [Expr], frame: &Frame<'p>) -> Run<Vec<Val>> {
        list.iter().map(|e| self.expr(e, frame)).collect()
    }
    fn combine(&mut self, cells: &Cells, operator: &'p Combine, left: &[Val], right: &[Val], frame: &mut Frame<'p>) -> Run<Vec<Val>> {
        let all = operator.left.iter().zip(left).chain(operator.right.iter().zip(right));
        let sets: Vec<(Local, Val)> = all.map(|(local, value)| (*local, *value)).collect();
        self.part(cells, &sets, frame, &mut |this, frame| {
            this.stmts(&operator.body, frame)?;
            this.values(&operator.results, frame)
        })
    }
    /// The values of a cell.
    fn cell(&mut self, cells: &Cells, work: &'p Segments, segment: i64, i: i64, frame: &mut Frame<'p>) -> Run<Vec<Val>> {
        self.part(cells, &[(work.segment, number(segment)), (work.index, number(i))], frame, &mut |this, frame| {
            this.stmts(&work.cell, frame)?;
            this.values(&work.values, frame)
        })
    }
    fn done(&mut self, cells: &Cells, work: &'p Segments, at: (i64, Val), sum: &[Val], frame: &mut Frame<'p>) -> Run {
        let mut sets = vec![(work.segment, number(at.0)), (work.index, at.1)];
        sets.extend(work.sum.iter().copied().zip(sum.iter().copied()));
        self.part(cells, &sets, frame, &mut |this, frame| this.stmts(&work.done, frame))
    }

    /// The cells of a segment are combined from the first to the last, or, backwards, in groups that are combined afterwards.
    fn reduce(&mut self, cells: &Cells, work: &'p Segments, frame: &mut Frame<'p>) -> Run {
        let (segments, width) = (self.index(&work.segments, frame)?, self.index(&work.width, frame)?);
        let neutral = self.values(&work.neutral, frame)?;
        let group = if self.plan.backwards { 3 } else { i64::MAX };
        let mut failed = Failed::default();
        for segment in 0..segments {
            self.memory.contexts.next();
            let (mut sum, mut own) = (neutral.clone(), neutral.clone());
            self.memory.contexts.enter();
            for i in 0..width {
                self.memory.contexts.next();
                let order = segment.wrapping_mul(width).wrapping_add(i);
                frame.thread = Some(order % cells.threads.unwrap_or(i64::MAX));
                let made = self.cell(cells, work, segment, i, frame);
                let Some(values) = failed.note(order, made)? else { continue };
                let new = self.combine(cells, &work.combine, &own, &values, frame);
                let Some(new) = failed.note(order, new)? else { continue };
                own = new;
                if (i + 1) % group == 0 {
                    let new = self.combine(cells, &work.combine, &sum, &own, frame);
                    sum = failed.note(order, new)?.unwrap_or_else(|| sum.clone());
                    own.clone_from(&neutral);
                }
            }
            self.memory.contexts.leave();
            let order = segment.wrapping_mul(width);
            if width > 0 {
                let new = self.combine(cells, &work.combine, &sum, &own, frame);
                sum = failed.note(order, new)?.unwrap_or_else(|| sum.clone());
            }
            if failed.0.is_none() {
                let done = self.done(cells, work, (segment, None), &sum, frame);
                failed.note(order, done)?;
            }
        }
        failed.result()
    }

    fn scan_segments(&mut self, cells: &Cells, work: &'p Segments, frame: &mut Frame<'p>) -> Run {
        let (segments, width) = (self.index(&work.segments, frame)?, self.index(&work.width, frame)?);
        let neutral = self.values(&work.neutral, frame)?;
        let mut failed = Failed::default();
        for segment in 0..segments {
            let mut sum = neutral.clone();
            for i in 0..width {
                self.memory.contexts.next();
                let order = segment.wrapping_mul(width).wrapping_add(i);
                frame.thread = Some(order % cells.threads.unwrap_or(i64::MAX));
                let made = self.cell(cells, work, segment, i, frame);
                let Some(values) = failed.note(order, made)? else { continue };
                let new = self.combine(cells, &work.combine, &sum, &values, frame);
                let Some(new) = failed.note(order, new)? else { continue };
                sum = new;
                if failed.0.is_none() {
                    let done = self.done(cells, work, (segment, number(i)), &sum, frame);
                    failed.note(order, done)?;
                }
            }
        }
        failed.result()
    }

    /// Values are combined with their bins one by one, or, backwards, first with each other.
    fn hist(&mut self, cells: &Cells, work: &'p Hist, frame: &mut Frame<'p>) -> Run {
        let (width, bins) = (self.index(&work.width, frame)?, self.index(&work.bins, frame)?);
        let neutral = self.values(&work.neutral, frame)?;
        let Ok(count) = usize::try_from(bins) else { return fault("a histogram has a negative number of bins") };
        let mut sums: Vec<Option<Vec<Val>>> = vec![None; if self.plan.backwards { count } else { 0 }];
        let mut failed = Failed::default();
        self.each(cells, width, frame, &mut |this, frame, i| {
            let made = this.part(cells, &[(work.index, number(i))], frame, &mut |this, frame| {
                this.stmts(&work.cell, frame)?;
                let bin = this.index(&work.bin, frame)?;
                Ok((bin, this.values(&work.values, frame)?))
            });
            let Some((bin, values)) = failed.note(i, made)? else { return Ok(()) };
            let Some(at) = usize::try_from(bin).ok().filter(|at| *at < count) else { return Ok(()) };
            let Some(sum) = sums.get_mut(at) else {
                let done = this.update(cells, work, bin, &values, frame);
                return failed.note(i, done).map(|_| ());
            };
            let before = sum.take().unwrap_or_else(|| neutral.clone());
            let new = this.combine(cells, &work.combine, &before, &values, frame);
            *sum = failed.note(i, new)?;
            Ok(())
        })?;
        for (bin, sum) in sums.into_iter().enumerate() {
            if let Some(sum) = sum {
                self.memory.contexts.next();
                let done = self.update(cells, work, bin as i64, &sum, frame);
                failed.note(i64::MAX, done)?;
            }
        }
        failed.result()
    }
    fn update(&mut self, cells: &Cells, work: &'p Hist, bin: i64, values: &[Val], frame: &mut Frame<'p>) -> Run {
        let mut sets = vec![(work.place, number(bin))];
        sets.extend(work.sum.iter().copied().zip(values.iter().copied()));
        self.part(cells, &sets, frame, &mut |this, frame| this.stmts(&work.update, frame))
    }

    fn transpose(&mut self, work: &'p Transpose, frame: &mut Frame<'p>) -> Run {
        let planes = self.index(&work.planes, frame)?;
        let (rows, columns) = (self.index(&work.rows, frame)?, self.index(&work.columns, frame)?);
        let place = |this: &mut Self, (ptr, offset): &'p (crate::ir::imp::Ptr, Expr), frame: &Frame<'p>| {
            let (buffer, start) = frame.address(*ptr)?;
            Ok((buffer, start.wrapping_add(this.index(offset, frame)?)))
        };
        let (from, to) = (place(self, &work.from, frame)?, place(self, &work.to, frame)?);
        for p in 0..planes {
            for r in 0..rows {
                for c in 0..columns {
                    self.memory.contexts.next();
                    let value = self.memory.load(from.0, from.1 + (p * rows + r) * columns + c)?;
                    self.memory.store(to.0, to.1 + (p * columns + c) * rows + r, value, 0)?;
                }
            }
        }
        Ok(())
    }

    /// What no other thread sees half of.
    pub fn atomic(&mut self, atomic: &'p Atomic, by: u32, frame: &mut Frame<'p>) -> Run {
        let outer = std::mem::replace(&mut self.memory.atomic, true);
        let done = self.atomically(atomic, by, frame);
        self.memory.atomic = outer;
        done
    }
    fn atomically(&mut self, atomic: &'p Atomic, by: u32, frame: &mut Frame<'p>) -> Run {
        match atomic {
            Atomic::Op(op, ptr, index, value) => {
                let value = self.expr(value, frame)?;
                self.change(*ptr, index, by, frame, &mut |this, _, old| this.applied(*op, old, value))
            }
            Atomic::Combine(operator, ptr, index, value) => {
                let value = self.expr(value, frame)?;
                self.change(*ptr, index, by, frame, &mut |this, frame, old| {
                    operator.left.iter().for_each(|local| frame.set(*local, old));
                    operator.right.iter().for_each(|local| frame.set(*local, value));
                    this.stmts(&operator.body, frame)?;
                    match operator.results.first() {
                        Some(result) => this.expr(result, frame),
                        None => fault("an operator without a result"),
                    }
                })
            }
            Atomic::Locked(locks, index, body) => {
                let (buffer, start) = frame.address(*locks)?;
                let index = self.index(index, frame)?;
                match self.memory.load(buffer, start.wrapping_add(index))? {
                    Some(value) if value.as_i128() == Some(0) => self.stmts(body, frame),
                    _ => fault("a lock that is not free before it is taken"),
                }
            }
        }
    }
    fn change(
        &mut self,
        ptr: crate::ir::imp::Ptr,
        index: &'p Expr,
        by: u32,
        frame: &mut Frame<'p>,
        new: &mut dyn FnMut(&mut Self, &mut Frame<'p>, Val) -> Run<Val>,
    ) -> Run {
        let (buffer, start) = frame.address(ptr)?;
        let at = start.wrapping_add(self.index(index, frame)?);
        let old = self.memory.load(buffer, at)?;
        let value = new(self, frame, old)?;
        self.memory.store(buffer, at, value, by)
    }
}

fn number(n: i64) -> Val {
    Some(Scalar::I64(n))
}
