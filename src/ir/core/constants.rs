//! Constants: definitions that are no functions. Those that an entry point needs, also by way of what it uses, are computed when it starts,
//! each once and in the order of the program; one that fails ends the run, whether its value would have been used or not.

use super::names::FreeNames;
use super::{Define, ExprKind};
use crate::base::Symbol;
use rustc_hash::FxHashSet;

impl Define {
    /// Whether it is a constant.
    pub fn is_constant(&self) -> bool {
        is_constant(self)
    }
}

/// Whether a definition is a constant.
pub fn is_constant(define: &Define) -> bool {
    !matches!(define.body.kind(), ExprKind::Fn { .. } | ExprKind::IFn { .. } | ExprKind::TFn { .. })
}

/// The numbers of the constants that a definition needs, ascending. `find` knows all definitions by name, with their numbers.
pub fn needed<'p>(define: &'p Define, free: &mut FreeNames, find: &dyn Fn(Symbol) -> Option<(usize, &'p Define)>) -> Vec<usize> {
    let mut seen: FxHashSet<usize> = FxHashSet::default();
    let mut found = Vec::new();
    let mut work = vec![define];
    while let Some(define) = work.pop() {
        for (number, define) in free.of(&define.body).terms.iter().filter_map(|name| find(*name)) {
            if seen.insert(number) {
                work.push(define);
                if is_constant(define) {
                    found.push(number);
                }
            }
        }
    }
    found.sort_unstable();
    found
}
