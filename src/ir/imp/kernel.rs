//! Kernels: what the threads of a launch do.

use super::variants::Variants;
use super::{Expr, Local, Ptr, Stmt};
use crate::base::scalar::{Op, ScalarOp};
use crate::base::{Span, Symbol};

/// A kernel and the threads that run it.
#[derive(Debug, Clone)]
pub struct Launch {
    /// The name of the definition that it comes from.
    pub name: Symbol,
    /// Where in the source.
    pub span: Span,
    /// At most so many threads run it, if that matters: each has memory of its own.
    pub threads: Option<Local>,
    /// Whether threads make buffers of their own. They last until the cell is done, and the program is run again with more room where
    /// there was too little.
    pub heap: bool,
    /// What the threads do.
    pub work: Work,
    /// Faster ways to do the same.
    pub variants: Variants,
}

/// What the threads of a kernel do.
#[derive(Debug, Clone)]
pub enum Work {
    /// Something for each number.
    Map {
        /// How many there are.
        width: Expr,
        /// The number.
        index: Local,
        /// What is done.
        body: Vec<Stmt>,
    },
    /// A reduction of each segment.
    Reduce(Segments),
    /// An inclusive scan of each segment.
    Scan(Segments),
    /// A histogram.
    Hist(Hist),
    /// A copy of planes whose rows and columns change places.
    Transpose(Transpose),
}

/// `to[p][c][r] = from[p][r][c]`, both in row-major order.
#[derive(Debug, Clone)]
pub struct Transpose {
    /// How many planes there are.
    pub planes: Expr,
    /// How many rows `from` has in each.
    pub rows: Expr,
    /// How many columns.
    pub columns: Expr,
    /// Where they are.
    pub from: (Ptr, Expr),
    /// Where they go.
    pub to: (Ptr, Expr),
}

/// A histogram of scalars with a commutative operator.
#[derive(Debug, Clone)]
pub struct Hist {
    /// How many cells there are.
    pub width: Expr,
    /// How many bins there are.
    pub bins: Expr,
    /// The number of the cell.
    pub index: Local,
    /// Makes a cell.
    pub cell: Vec<Stmt>,
    /// Its bin. A cell whose bin does not exist is left out.
    pub bin: Expr,
    /// What is combined with the bin.
    pub values: Vec<Expr>,
    /// The operator.
    pub combine: Combine,
    /// The operations of the components, if the operator consists of one for each.
    pub each: Option<Vec<ScalarOp>>,
    /// The neutral element.
    pub neutral: Vec<Expr>,
    /// The number of the bin that `update` changes.
    pub place: Local,
    /// What `update` combines with it.
    pub sum: Vec<Local>,
    /// Combines values with a bin of the result, while others do the same.
    pub update: Vec<Stmt>,
}

/// A segmented reduction or scan of scalars.
#[derive(Debug, Clone)]
pub struct Segments {
    /// How many segments there are.
    pub segments: Expr,
    /// How many cells each of them has.
    pub width: Expr,
    /// The number of the segment.
    pub segment: Local,
    /// The number of the cell in its segment.
    pub index: Local,
    /// Makes a cell.
    pub cell: Vec<Stmt>,
    /// The components of the cell that are combined.
    pub values: Vec<Expr>,
    /// The operator.
    pub combine: Combine,
    /// The neutral element.
    pub neutral: Vec<Expr>,
    /// The sum of a segment, or of its cells up to this one.
    pub sum: Vec<Local>,
    /// What is done with it, once for each segment or cell.
    pub done: Vec<Stmt>,
    /// Whether the order of the cells does not matter.
    pub commutative: bool,
}

/// An operator.
#[derive(Debug, Clone)]
pub struct Combine {
    /// The left operand.
    pub left: Vec<Local>,
    /// The right operand.
    pub right: Vec<Local>,
    /// What is computed first.
    pub body: Vec<Stmt>,
    /// The results.
    pub results: Vec<Expr>,
}

/// A change of memory that other threads see as a whole.
#[derive(Debug, Clone)]
pub enum Atomic {
    /// An element becomes the result of an operation on it and the value.
    Op(ScalarOp, Ptr, Expr, Expr),
    /// An element becomes the result of an operator on it and the value.
    Combine(Combine, Ptr, Expr, Expr),
    /// Statements under the lock with this number; locks are 0 before.
    Locked(Ptr, Expr, Vec<Stmt>),
}

impl Atomic {
    /// Whether memory can do an operation by itself.
    #[expect(clippy::wildcard_enum_match_arm, reason = "memory has few operations")]
    pub fn in_hardware(op: &ScalarOp) -> bool {
        let wide = op.prim.bytes() >= 4;
        match op.op {
            Op::Add => wide,
            Op::Min | Op::Max | Op::And | Op::Or | Op::Xor => wide && op.prim.is_int(),
            _ => false,
        }
    }
}
