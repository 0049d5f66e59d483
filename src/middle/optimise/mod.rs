//! Optimisation of first-order programs. Every transformation is a function from programs to programs in a file of its own, with its law;
//! [`PIPELINE`] is the order in which they run.

mod ahead;
pub mod alias;
mod both_ways;
mod columns;
mod cse;
mod dead;
mod facts;
mod fuse;
mod hoist;
mod in_place;
mod inline;
mod logs;
mod over;
mod rebuild;
mod segments;
mod simplify;
mod streams;
#[cfg(test)]
mod testing;
mod unroll;

pub use both_ways::both_ways;
pub use columns::columns;
pub use cse::cse;
pub use dead::dead;
pub use fuse::fuse;
pub use hoist::hoist;
pub use in_place::in_place;
pub use inline::{inline, inline_all};
pub use logs::logs;
pub use over::over;
pub use rebuild::rebuild;
pub use segments::segments;
pub use simplify::simplify;
pub use streams::streams;
pub use unroll::unroll;

use crate::ir::soac::{Program, check, visit_mut::renumber};

/// A transformation.
pub type Pass = fn(Program) -> Program;

/// A step of the pipeline.
#[derive(Debug, Clone, Copy)]
pub enum Step {
    /// A pass with its name.
    Run(&'static str, Pass),
    /// Steps for programs of which something holds.
    Where(fn(&Program) -> bool, &'static [Step]),
}
use Step::{Run, Where};

/// The passes in their order, for processors.
pub const PIPELINE: &[Step] = &[
    Where(|_| true, FUSED),
    Where(
        both_ways::applies,
        &[
            Run("both ways", both_ways),
            Run("fuse", fuse),
            Run("simplify", simplify),
            Run("common subexpressions", cse),
            Run("fuse", fuse),
            Run("simplify", simplify),
            Run("dead code", dead),
        ],
    ),
    Where(|_| true, PLACED),
];

/// The passes in their order, for devices.
pub const DEVICE: &[Step] = &[Where(|_| true, FUSED), Where(|_| true, PLACED)];

/// What is computed, and how often.
const FUSED: &[Step] = &[
    Run("inline", inline),
    Run("simplify", simplify),
    Where(logs::applies, &[Run("logs", logs), Run("simplify", simplify)]),
    Run("streams", streams),
    Run("common subexpressions", cse),
    Run("dead code", dead),
    Run("fuse", fuse),
    Run("simplify", simplify),
    Run("common subexpressions", cse),
    Run("dead code", dead),
    Run("segments", segments),
    Where(
        unroll::applies,
        &[
            Run("unroll", unroll),
            Run("simplify", simplify),
            Run("common subexpressions", cse),
            Run("dead code", dead),
            Run("fuse", fuse),
            Run("simplify", simplify),
            Run("dead code", dead),
        ],
    ),
    Run("hoist", hoist),
    Run("common subexpressions", cse),
    Run("simplify", simplify),
    Run("dead code", dead),
];

/// Where it is kept.
const PLACED: &[Step] = &[Run("columns", columns), Run("rebuild", rebuild), Run("over", over), Run("in place", in_place)];

/// Runs the passes for processors. In debug builds the validator runs after each.
///
/// # Panics
/// In debug builds, where a pass breaks the rules of the language; the message names it.
pub fn optimise(program: Program) -> Program {
    validated(PIPELINE, program)
}

/// Runs the passes for devices.
///
/// # Panics
/// As [`optimise`].
pub fn optimise_for_device(program: Program) -> Program {
    validated(DEVICE, program)
}

fn validated(steps: &[Step], program: Program) -> Program {
    let mut program = optimise_by(steps, program, &mut |name, program| {
        if cfg!(debug_assertions)
            && let Err(problem) = check::validate(program)
        {
            panic!("the pass `{name}` broke its contract: {problem}");
        }
    });
    renumber(&mut program);
    program
}

/// Runs the passes of a list and shows the program after each, with the name of the pass.
pub fn optimise_by(steps: &[Step], mut program: Program, see: &mut dyn FnMut(&str, &Program)) -> Program {
    for step in steps {
        match step {
            Run(name, pass) => {
                program = pass(program);
                see(name, &program);
            }
            Where(holds, steps) if holds(&program) => program = optimise_by(steps, program, see),
            Where(..) => {}
        }
    }
    program
}
