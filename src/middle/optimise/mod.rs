//! Optimisation of first-order programs. Every transformation is a function from programs to programs in a file of its own, with its law;
//! [`FOR_PROCESSORS`] and [`FOR_DEVICES`] are the orders in which they run.

pub mod alias;
mod branches_for_devices;
mod choice_fission;
mod concat_updates;
mod cse;
mod dead;
mod facts;
mod fuse;
mod hoist;
mod in_place;
mod in_place_maps;
mod index_to_input;
mod inline;
mod loops_to_histograms;
mod product_fission;
mod recursion;
mod replicated_results;
mod row_column_fusion;
mod rows_to_loops;
mod segment_fusion;
mod simplify;
mod speculate;
mod strided_updates;
#[cfg(test)]
mod testing;
mod unroll;

pub use branches_for_devices::branches_for_devices;
pub use choice_fission::choice_fission;
pub use concat_updates::concat_updates;
pub use cse::cse;
pub use dead::dead;
pub use fuse::fuse;
pub use hoist::hoist;
pub use in_place::in_place;
pub use in_place_maps::in_place_maps;
pub use index_to_input::index_to_input;
pub use inline::{inline, inline_all, inline_into};
pub use loops_to_histograms::loops_to_histograms;
pub use product_fission::product_fission;
pub use recursion::recursion_to_loops;
pub use replicated_results::replicated_results;
pub use row_column_fusion::row_column_fusion;
pub use rows_to_loops::rows_to_loops;
pub use segment_fusion::segment_fusion;
pub use simplify::simplify;
pub use strided_updates::strided_updates;
pub use unroll::unroll;

use crate::ir::pass;
use crate::ir::soac::{Program, check, visit_mut};

/// A transformation.
pub type Pass = pass::Pass<Program>;

/// A step of the pipeline.
pub type Step = pass::Step<Program>;
use pass::Step::{Group, Last, Run, Where};

/// The passes in their order, for processors.
pub const FOR_PROCESSORS: &[Step] = &[
    Where(recursion::applies, &[Run("inline", inline), Group(RECURSION)]),
    Group(SIMPLIFY_AND_FUSE),
    Where(
        row_column_fusion::applies,
        &[
            Run("row-column fusion", row_column_fusion),
            Run("fuse", fuse),
            Run("simplify", simplify),
            Run("common subexpressions", cse),
            Run("fuse", fuse),
            Run("simplify", simplify),
            Run("dead code", dead),
        ],
    ),
    Where(product_fission::applies, &[Run("product fission", product_fission), Run("simplify", simplify), Run("dead code", dead)]),
    Group(MEMORY),
];

/// The passes in their order, for devices.
pub const FOR_DEVICES: &[Step] = &[
    Where(branches_for_devices::applies, &[Run("branches for devices", branches_for_devices), Run("simplify", simplify)]),
    Run("inline all", inline_all),
    Where(recursion::applies, &[Group(RECURSION), Run("inline all", inline_all)]),
    Run("rows to loops", rows_to_loops),
    Group(SIMPLIFY_AND_FUSE),
    Group(MEMORY_OF_DEVICES),
];

/// What makes loops of functions that call themselves: the parts of what they return are seen when they are simple.
const RECURSION: &[Step] =
    &[Run("simplify", simplify), Run("common subexpressions", cse), Run("dead code", dead), Run("recursion to loops", recursion_to_loops)];

/// What makes a function simple before it is differentiated: maps are apart from what is folded still, and loops that write are histograms. Branches
/// for processors may make ragged arrays, which have no derivative.
pub const BEFORE_DERIVATIVES: &[Step] = &[
    Where(branches_for_devices::applies, &[Run("branches for devices", branches_for_devices)]),
    Run("simplify", simplify),
    Where(loops_to_histograms::applies, &[Run("loops to histograms", loops_to_histograms), Run("simplify", simplify)]),
    Run("index to input", index_to_input),
    Run("common subexpressions", cse),
    Run("dead code", dead),
];

/// What makes a return sweep small.
pub const AFTER_DERIVATIVES: &[Step] = &[
    Run("simplify", simplify),
    Run("index to input", index_to_input),
    Run("common subexpressions", cse),
    Run("dead code", dead),
    Run("replicated results", replicated_results),
    Run("choice fission", choice_fission),
];

/// What is computed, and how often.
const SIMPLIFY_AND_FUSE: &[Step] = &[
    Run("inline", inline),
    Run("simplify", simplify),
    Where(loops_to_histograms::applies, &[Run("loops to histograms", loops_to_histograms), Run("simplify", simplify)]),
    Run("index to input", index_to_input),
    Run("common subexpressions", cse),
    Run("dead code", dead),
    Run("fuse", fuse),
    Run("simplify", simplify),
    Run("common subexpressions", cse),
    Run("dead code", dead),
    Run("segment fusion", segment_fusion),
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
    // Where the elements of rows are read one after the other is seen when all else is done.
    Where(index_to_input::of_rows, &[Run("index to input", index_to_input), Run("simplify", simplify)]),
    Run("dead code", dead),
];

/// Where it is kept.
const MEMORY: &[Step] = &[
    Run("strided updates", strided_updates),
    Run("updates to concatenation", concat_updates),
    Run("in-place maps", in_place_maps),
    Run("in place", in_place),
    Last("renumber", renumber),
];

/// Where it is kept on devices, where a kernel makes a whole array: written as an update it would be copied into the old one, while two buffers only
/// change their places.
const MEMORY_OF_DEVICES: &[Step] = &[
    Run("strided updates", strided_updates),
    Run("updates to concatenation", concat_updates),
    Run("in place", in_place),
    Last("renumber", renumber),
];

/// Numbers variables in the order in which they are bound, without gaps.
fn renumber(mut program: Program) -> Program {
    visit_mut::renumber(&mut program);
    program
}

/// Runs the passes for processors. In debug builds the validator runs after each.
///
/// # Panics
/// In debug builds, where a pass breaks the rules of the language; the message names it.
pub fn optimise(program: Program) -> Program {
    validated(FOR_PROCESSORS, program)
}

/// Runs the passes for devices.
///
/// # Panics
/// As [`optimise`].
pub fn optimise_for_device(program: Program) -> Program {
    validated(FOR_DEVICES, program)
}

fn validated(steps: &[Step], program: Program) -> Program {
    optimise_by(steps, program, &mut |name, program| {
        if cfg!(debug_assertions)
            && let Err(problem) = check::validate(program)
        {
            panic!("the pass `{name}` broke its contract: {problem}");
        }
    })
}

/// Runs the passes of a list and shows the program after each, with the name of the pass.
pub fn optimise_by(steps: &[Step], program: Program, see: &mut dyn FnMut(&'static str, &Program)) -> Program {
    pass::run_seen(steps, program, see)
}
