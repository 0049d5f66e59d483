//! Evaluation of programs with memory ([`ir::imp`](crate::ir::imp)): a checker for what lowering and vectorisation make.
//!
//! Memory is made of buffers that know their bounds; each cell knows what wrote it, and when. A **fault** is what a program with memory
//! must never do, whatever it is given:
//!
//! * it reads or writes outside of a buffer, or in one that was released; a buffer is not released at the end;
//! * a value depends on a cell that was never written, or on arithmetic that is not defined. Cells and results may be *undefined*; what is
//!   computed of them is undefined as well, and only a branch, an index, a check or a result of the program must not be;
//! * two iterations of a parallel loop, of a loop whose iterations may run in any order, or of a kernel access one cell, and one of them
//!   writes it (`race`);
//! * an array is used, and its cells are not what they were when it was made (`ghost`).
//!
//! Faults are failures with the code E0599 that name the pass, the statement and the place in the source.

mod entry;
mod expr;
mod fault;
mod frame;
mod ghost;
mod kernel;
mod memory;
mod quick;
mod race;
mod stmt;

pub use entry::call;

use crate::base::Span;
use crate::ir::imp::{Program, Stmt};
use memory::Memory;
use rustc_hash::FxHashMap;

/// How a program is run.
#[derive(Debug, Clone, Copy)]
pub struct Plan<'a> {
    /// Who made the program: faults name it.
    pub pass: &'a str,
    /// How many threads there are.
    pub threads: i64,
    /// Whether what may be done in any order is done from the last to the first.
    pub backwards: bool,
    /// How many statements are run at most; a run that takes more fails with E0620.
    pub most: u64,
}

/// A run of a program.
struct Machine<'p> {
    program: &'p Program,
    plan: Plan<'p>,
    memory: Memory,
    /// Statements that have written, and their numbers.
    writers: Vec<(&'p Stmt, usize)>,
    numbers: FxHashMap<*const Stmt, u32>,
    /// The buffers with the constant arrays.
    tables: Vec<memory::BufferId>,
    /// Whether a parallel loop is running: those inside of it are not divided.
    divided: bool,
    /// How many statements have been run.
    steps: u64,
    /// How many calls of functions that call themselves have not returned.
    depth: usize,
    /// How many cells were looked at because of ghosts.
    looked: std::cell::Cell<u64>,
    /// The statement of the source that is being run, as far as ghosts say.
    place: Span,
}
