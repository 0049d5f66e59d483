//! Optimisation of first-order programs. Every transformation is a function from programs to programs in a file of its own, with its law;
//! [`PIPELINE`] is the order in which they run.

pub mod alias;
mod cse;
mod dead;
mod facts;
mod fuse;
mod hoist;
mod in_place;
mod inline;
mod simplify;
#[cfg(test)]
mod testing;
mod unroll;

pub use cse::cse;
pub use dead::dead;
pub use fuse::fuse;
pub use hoist::hoist;
pub use in_place::in_place;
pub use inline::inline;
pub use simplify::simplify;
pub use unroll::unroll;

use crate::ir::soac::{Program, check, visit_mut::renumber};

/// A transformation.
pub type Pass = fn(Program) -> Program;

/// The passes with their names, first to last.
pub const PIPELINE: &[(&str, Pass)] = &[
    ("inline", inline),
    ("simplify", simplify),
    ("common subexpressions", cse),
    ("simplify", simplify),
    ("dead code", dead),
    ("fuse", fuse),
    ("simplify", simplify),
    ("common subexpressions", cse),
    ("dead code", dead),
    ("unroll", unroll),
    ("simplify", simplify),
    ("common subexpressions", cse),
    ("dead code", dead),
    ("fuse", fuse),
    ("simplify", simplify),
    ("dead code", dead),
    ("hoist", hoist),
    ("common subexpressions", cse),
    ("simplify", simplify),
    ("dead code", dead),
    ("in place", in_place),
];

/// Runs all passes. In debug builds the validator runs after each.
///
/// # Panics
/// In debug builds, where a pass breaks the rules of the language; the message names it.
pub fn optimise(mut program: Program) -> Program {
    for (name, pass) in PIPELINE {
        program = pass(program);
        if cfg!(debug_assertions)
            && let Err(problem) = check::validate(&program)
        {
            panic!("the pass `{name}` broke its contract: {problem}");
        }
    }
    renumber(&mut program);
    program
}
