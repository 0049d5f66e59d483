//! The smallest ranks of type variables once all `M` and `R` are known.

use super::engine::{Engine, Reason};
use super::linear;

/// Search nodes for one completion.
const NODES: usize = 2_000;

/// What completing an assignment led to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Completion {
    /// A value for each variable; the weighted sum of the type ranks is least, ties go to the lexicographically least.
    Values(Vec<i64>),
    /// There is none.
    None,
    /// Gave up.
    Unknown,
}

/// Completes an assignment. The engine must be propagated; it is left as it was.
pub(super) fn complete(engine: &mut Engine) -> Completion {
    if at_lo(engine) {
        return Completion::Values(engine.problem.lo.clone());
    }
    if linear::solvable(&engine.problem) == Some(false) {
        return Completion::None;
    }
    let mut search = Search { engine, best: None, nodes: 0, unknown: false };
    search.descend();
    match search {
        Search { nodes, .. } if nodes > NODES => Completion::Unknown,
        Search { best: Some((_, values)), unknown: false, .. } => Completion::Values(values),
        Search { unknown: true, .. } => Completion::Unknown,
        Search { best: None, .. } => Completion::None,
    }
}

/// Lower bounds that satisfy all rows are the least solution.
fn at_lo(engine: &Engine) -> bool {
    engine.problem.rows.iter().all(|row| engine.holds_at_lo(row))
}

struct Search<'a> {
    engine: &'a mut Engine,
    best: Option<(i128, Vec<i64>)>,
    nodes: usize,
    unknown: bool,
}

impl Search<'_> {
    fn weight(&self) -> i128 {
        let problem = &self.engine.problem;
        problem.lo.iter().zip(&problem.weight).map(|(&lo, &weight)| i128::from(lo) * i128::from(weight)).sum()
    }

    /// Branches on the first open variable: its lower bound, or more.
    fn descend(&mut self) {
        self.nodes += 1;
        if self.nodes > NODES {
            return;
        }
        if self.engine.propagate().is_err() {
            return;
        }
        let weight = self.weight();
        if self.best.as_ref().is_some_and(|best| best.0 <= weight) {
            return;
        }
        if at_lo(self.engine) {
            self.best = Some((weight, self.engine.problem.lo.clone()));
            return;
        }
        let Some(var) = (0..self.engine.problem.lo.len() as u32).find(|&var| !self.engine.fixed(var)) else {
            // Everything is fixed and some row does not hold: only possible when propagation was cut off.
            self.unknown |= self.engine.capped;
            return;
        };
        let lo = self.engine.lo(var);
        for lower in [true, false] {
            let mark = self.engine.mark();
            let narrowed =
                if lower { self.engine.set_hi(var, lo, Reason::CHOICE) } else { self.engine.set_lo(var, lo + 1, Reason::CHOICE) };
            // A bound that is not tracked would branch for ever.
            if narrowed.is_ok() && (self.engine.fixed(var) || self.engine.lo(var) > lo) {
                self.descend();
            } else if narrowed.is_ok() {
                self.unknown = true;
            }
            self.engine.undo(mark);
        }
    }
}
