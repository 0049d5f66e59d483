//! Buffers whose cells know who wrote them.

use super::fault::{Run, fault};
use super::race::Contexts;
use crate::base::{PrimType, Scalar, Symbol};

/// A buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct BufferId(pub u32);

/// A scalar, or nothing where it is undefined.
pub(super) type Val = Option<Scalar>;

/// What is known of a cell besides its value.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Shadow {
    /// When it was written; 0 if its value is undefined.
    pub time: u64,
    /// The number of the statement that wrote it, 0 for the caller.
    pub by: u32,
    /// The context of the last write, and of a read since then.
    write: u32,
    read: u32,
    /// Whether the write was atomic.
    atomic: bool,
}

/// Who is responsible for a buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A handle.
    Owned,
    /// The caller, or the program: it is not written.
    Lent,
    /// The frame of a function.
    Frame,
}

/// A buffer.
#[derive(Debug)]
pub(super) struct Buffer {
    pub name: Symbol,
    pub kind: Kind,
    pub live: bool,
    /// Its elements, meaningless where the shadow has no time.
    pub cells: Vec<Scalar>,
    pub shadow: Vec<Shadow>,
}

/// More cells than this are no memory for an evaluator.
const MOST: usize = 1 << 28;

/// All memory.
#[derive(Debug, Default)]
pub(super) struct Memory {
    buffers: Vec<Buffer>,
    pub contexts: Contexts,
    /// Grows with each write.
    pub time: u64,
    /// Whether writes are those of one atomic operation or under a lock.
    pub atomic: bool,
    cells: usize,
    /// The statement that wrote the cell of the last race.
    pub raced: Option<u32>,
}

impl Memory {
    pub fn buffer(&self, id: BufferId) -> &Buffer {
        &self.buffers[id.0 as usize]
    }
    /// A new buffer, if there is room for it.
    pub fn alloc(&mut self, name: Symbol, elem: PrimType, count: usize, kind: Kind) -> Option<BufferId> {
        let total = self.cells.checked_add(count).filter(|total| *total <= MOST)?;
        self.cells = total;
        let cells = vec![Scalar::from_i128(elem, 0); count];
        self.buffers.push(Buffer { name, kind, live: true, cells, shadow: vec![Shadow::default(); count] });
        Some(BufferId(self.buffers.len() as u32 - 1))
    }
    /// The buffer must not be used any more.
    pub fn release(&mut self, id: BufferId) -> Run {
        let buffer = &mut self.buffers[id.0 as usize];
        if !buffer.live {
            return fault(format!("the buffer `{}` is released twice", buffer.name));
        }
        buffer.live = false;
        self.cells -= buffer.cells.len();
        buffer.cells = Vec::new();
        buffer.shadow = Vec::new();
        Ok(())
    }
    /// What is in cells of a buffer is forgotten: they are memory for something else.
    pub fn fresh(&mut self, id: BufferId, at: i64, count: i64) {
        let shadow = &mut self.buffers[id.0 as usize].shadow;
        let end = usize::try_from(at.saturating_add(count)).unwrap_or(0).min(shadow.len());
        let from = usize::try_from(at).unwrap_or(end).min(end);
        shadow[from..end].fill(Shadow::default());
    }
    /// From here on the buffer is not written.
    pub fn lend(&mut self, id: BufferId) {
        self.buffers[id.0 as usize].kind = Kind::Lent;
    }
    /// Buffers that handles have.
    pub fn owned(&self) -> impl Iterator<Item = &Buffer> {
        self.buffers.iter().filter(|buffer| buffer.live && buffer.kind == Kind::Owned)
    }

    /// The number of a cell, if there is such a cell.
    pub fn position(&self, id: BufferId, at: i64, what: &str) -> Run<usize> {
        let buffer = self.buffer(id);
        if !buffer.live {
            return fault(format!("element {at} of the buffer `{}` is {what} after the buffer was released", buffer.name));
        }
        match usize::try_from(at) {
            Ok(k) if k < buffer.cells.len() => Ok(k),
            _ => fault(format!("element {at} of the buffer `{}`, which has {} elements, is {what}", buffer.name, buffer.cells.len())),
        }
    }
    /// The value of a cell, with nothing noted.
    pub fn peek(&self, id: BufferId, k: usize) -> Val {
        let buffer = self.buffer(id);
        (buffer.shadow[k].time > 0).then(|| buffer.cells[k])
    }
    /// When a cell was written last, if there is such a cell.
    pub fn written(&self, id: BufferId, at: i64) -> Option<u64> {
        let buffer = self.buffer(id);
        let shadow = buffer.shadow.get(usize::try_from(at).ok()?)?;
        buffer.live.then_some(shadow.time)
    }
    pub fn shadow(&self, id: BufferId, k: usize) -> &Shadow {
        &self.buffer(id).shadow[k]
    }
    /// Reads a cell.
    pub fn load(&mut self, id: BufferId, at: i64) -> Run<Val> {
        let k = self.position(id, at, "read")?;
        let buffer = &mut self.buffers[id.0 as usize];
        let shadow = &mut buffer.shadow[k];
        if self.contexts.concurrent(shadow.write) && !(self.atomic && shadow.atomic) {
            self.raced = Some(shadow.by);
            return fault(format!("a race: element {at} of the buffer `{}` is read, and another iteration writes it", buffer.name));
        }
        if !self.atomic && !self.contexts.concurrent(shadow.read) {
            shadow.read = self.contexts.now();
        }
        Ok((shadow.time > 0).then(|| buffer.cells[k]))
    }
    /// Writes a cell.
    pub fn store(&mut self, id: BufferId, at: i64, value: Val, by: u32) -> Run {
        let k = self.position(id, at, "written")?;
        self.time += 1;
        let buffer = &mut self.buffers[id.0 as usize];
        let shadow = &mut buffer.shadow[k];
        if buffer.kind == Kind::Lent {
            return fault(format!("element {at} of `{}` is written, which the caller has lent or which is a constant", buffer.name));
        }
        let both_atomic = self.atomic && shadow.atomic;
        if self.contexts.concurrent(shadow.write) && !both_atomic {
            self.raced = Some(shadow.by);
            return fault(format!("a race: element {at} of the buffer `{}` is written, and another iteration writes it", buffer.name));
        }
        if self.contexts.concurrent(shadow.read) {
            return fault(format!("a race: element {at} of the buffer `{}` is written, and another iteration reads it", buffer.name));
        }
        let time = if value.is_some() { self.time } else { 0 };
        *shadow = Shadow { time, by, write: self.contexts.now(), read: 0, atomic: self.atomic };
        if let Some(value) = value {
            buffer.cells[k] = value;
        }
        Ok(())
    }
}
