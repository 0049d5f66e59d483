//! Statements about which array is where. They do nothing; only the evaluator looks at them, to see that lowering keeps arrays apart. They
//! are there only in programs that are made for it ([`lower::with_ghosts`](crate::back::lower::with_ghosts)): those that are compiled are the same
//! programs without them.
//!
//! Who uses which array follows from the first-order program alone, not from what lowering thinks of memory. So an array that is overwritten
//! too early is found where it is used.

use super::{Expr, Fun, Program, Ptr, Stmt, Work, leaf_stmt};
use crate::base::{Idx, Span, Symbol};

/// An array, by its number and its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Name {
    /// Its number.
    pub number: usize,
    /// What the program calls it.
    pub name: Symbol,
}

/// Cells of a buffer.
#[derive(Debug, Clone)]
pub struct View {
    /// Points into it.
    pub ptr: Ptr,
    /// The first of them.
    pub offset: Expr,
    /// The number of cells and the distance of two for each dimension.
    pub dims: Vec<(Expr, Expr)>,
}

/// What the elements of an array are.
#[derive(Debug, Clone, Copy)]
pub enum Origin {
    /// Those that are in its cells now.
    New,
    /// Some of those of another array, in the same cells.
    Of(Name),
    /// Those of another array. The cells may be others; they hold the same.
    Same(Name),
}

/// Such a statement.
#[derive(Debug, Clone)]
pub enum Ghost {
    /// From here on the array is in these cells.
    Array(Name, View, Origin),
    /// Nothing is known of the array from here on: it is not in memory.
    Forget(Name),
    /// The arrays are used: their elements are still those that they were made of.
    Use(Vec<Name>, Span),
    /// The same, but for these cells.
    UseRest(Name, View, Span),
    /// This element of the array is read next.
    Read(Name, Ptr, Expr),
}

/// The program without them.
pub fn without(mut program: Program) -> Program {
    for k in 0..program.funs.len() {
        let fun: &mut Fun = &mut program.funs[Idx::new(k)];
        fun.body = real(std::mem::take(&mut fun.body));
    }
    program
}

fn real(list: Vec<Stmt>) -> Vec<Stmt> {
    let kept = list.into_iter().filter(|stmt| !matches!(stmt, Stmt::Ghost(_)));
    let mut out = Vec::with_capacity(kept.size_hint().1.unwrap_or(0));
    for stmt in kept {
        out.push(match super::visit::inside(stmt, &mut real) {
            Stmt::Launch(mut launch) => {
                match &mut launch.work {
                    Work::Map { body, .. } => strip(body),
                    Work::Reduce(work) | Work::Scan(work) => {
                        [&mut work.cell, &mut work.combine.body, &mut work.done].into_iter().for_each(strip);
                    }
                    Work::Hist(work) => [&mut work.cell, &mut work.combine.body, &mut work.update].into_iter().for_each(strip),
                    Work::Transpose(_) => {}
                }
                Stmt::Launch(launch)
            }
            Stmt::Atomic(mut atomic) => {
                match atomic.as_mut() {
                    super::Atomic::Op(..) => {}
                    super::Atomic::Combine(operator, ..) => strip(&mut operator.body),
                    super::Atomic::Locked(_, _, body) => strip(body),
                }
                Stmt::Atomic(atomic)
            }
            other @ (Stmt::Set(..)
            | Stmt::Store(..)
            | Stmt::For { .. }
            | Stmt::Scan(_)
            | Stmt::While(..)
            | Stmt::If(..)
            | Stmt::Parallel(_)
            | leaf_stmt!()) => other,
        });
    }
    out
}
fn strip(list: &mut Vec<Stmt>) {
    *list = real(std::mem::take(list));
}
