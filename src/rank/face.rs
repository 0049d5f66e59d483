//! The cheapest choice is local: sites that can all have their least cost at once.

use super::engine::{Engine, Problem, Reason};
use super::exact;
use super::types::{self, Completion};

/// When every site can have its least cost at once, every optimum gives every site its least cost.
///
/// This is the "cheapest choice is local" bound: it decides sites whose ranks are not known. `None`: nothing was gained.
pub(super) fn lower_face(problem: &Problem) -> Option<Problem> {
    let mut engine = Engine::new(problem.clone());
    engine.propagate().ok()?;
    let least: i64 = engine.problem.gates.iter().map(|gate| engine.least_cost(gate)).sum();
    for at in 0..problem.gates.len() {
        let gate = &engine.problem.gates[at];
        for side in [gate.m, gate.r] {
            let lo = engine.interval(side).0;
            engine.fix(side, lo, Reason::CHOICE).ok()?;
        }
    }
    engine.propagate().ok()?;
    let Completion::Values(values) = types::complete(&mut engine) else { return None };
    if super::ilp::cost(problem, &values) != least {
        return None;
    }
    exact::bounded(problem, least)
}
