//! Reductions of columns: the cells of a segment lie far from each other in memory, and those of neighbouring segments next to each other.
//! Neighbouring threads then take neighbouring segments.

use super::values::{Touched, Values, accesses};
use super::{each_launch, is_known, known_outside};
use crate::ir::imp::visit::Mention;
use crate::ir::imp::{Expr, Int, Program, Segments, Work};
use rustc_hash::FxHashSet;

/// Bytes of values of which each thread of a block may have one in shared memory.
const LARGEST: usize = 64;

/// Marks reductions of columns.
pub(super) fn columns(program: Program) -> Program {
    each_launch(program, &mut |fun, launch| {
        let outside = known_outside(launch);
        if let Work::Reduce(work) = &launch.work {
            let bytes: usize = work.sum.iter().map(|local| fun.locals[*local].prim.bytes()).sum();
            launch.variants.columns = bytes <= LARGEST && by_columns(work, &outside);
        }
    })
}

/// Whether neighbours in memory are cells of neighbouring segments of a reduction, not of the same one.
fn by_columns(work: &Segments, outside: &FxHashSet<Mention>) -> bool {
    let mut known = Values::default();
    known.learn(&work.cell);
    let host = |e: &Expr| is_known(e, outside);
    // With several dimensions in front, the innermost of them is the remainder.
    let inner = known.part(Int::Rem, work.segment, &host).map_or(work.segment, |(local, _)| local);
    let mut balance = 0;
    for Touched { index, .. } in accesses(&work.cell) {
        // What does not depend on both is read by several threads at a time anyhow.
        match (known.unit(index, work.index), known.unit(index, inner)) {
            (Some(true), None) => balance -= 1,
            (None, Some(true)) => balance += 1,
            _ => {}
        }
    }
    balance > 0
}
