//! What belongs to one call of a function.

use super::fault::{Run, fault};
use super::ghost::Ghosts;
use super::memory::{BufferId, Val};
use crate::ir::imp::{Fun, FunId, Handle, Local, Ptr};
use rustc_hash::FxHashMap;

/// A place in a buffer.
pub(super) type Address = (BufferId, i64);

/// What belongs to one call of a function.
pub(super) struct Frame<'p> {
    pub id: FunId,
    pub fun: &'p Fun,
    pub locals: Vec<Val>,
    pub ptrs: Vec<Option<Address>>,
    pub handles: Vec<Option<BufferId>>,
    /// Arrays that are part of the frame.
    pub stacks: FxHashMap<Ptr, BufferId>,
    /// What ghosts say about arrays.
    pub ghosts: Ghosts,
    /// In a kernel: the number of the thread.
    pub thread: Option<i64>,
    /// Buffers that the cell of a kernel has made.
    pub heap: Option<Vec<BufferId>>,
}

impl<'p> Frame<'p> {
    pub fn new(id: FunId, fun: &'p Fun) -> Frame<'p> {
        Frame {
            id,
            fun,
            locals: vec![None; fun.locals.len()],
            ptrs: vec![None; fun.ptrs.len()],
            handles: vec![None; fun.handles.len()],
            stacks: FxHashMap::default(),
            ghosts: Ghosts::default(),
            thread: None,
            heap: None,
        }
    }
    pub fn local(&self, local: Local) -> Val {
        self.locals[local.raw()]
    }
    pub fn set(&mut self, local: Local, value: Val) {
        self.locals[local.raw()] = value;
    }
    /// What a pointer points at.
    pub fn address(&self, ptr: Ptr) -> Run<Address> {
        match self.ptrs[ptr.raw()] {
            Some(address) => Ok(address),
            None => fault(format!("the pointer `{}.{}` is used before it is set", self.fun.ptrs[ptr].name, ptr.raw())),
        }
    }
    /// Makes a handle the owner of a buffer.
    pub fn own(&mut self, handle: Handle, buffer: BufferId) -> Run {
        match self.handles[handle.raw()].replace(buffer) {
            None => Ok(()),
            Some(_) => fault(format!("the handle `{}.{}` has memory already", self.fun.handles[handle].name, handle.raw())),
        }
    }
}
