//! The linear relaxation of a problem and its dual, as programs for the same solver.

use good_lp::{Expression, ProblemVariables, Solution as _, SolverModel, Variable, variable};

use super::engine::{INF, Problem};
use super::ilp::{self, Budget, check};

/// Largest price that is considered.
const LARGEST_PRICE: f64 = 1e6;

/// Dual values: what a unit of each row, and of `t >= R - frame` of each gate, is worth.
pub(super) struct Prices {
    pub(super) rows: Vec<f64>,
    pub(super) frames: Vec<f64>,
}

/// Solves the relaxation without the disjunctions. Values, if they happen to satisfy the problem exactly.
pub(super) fn relaxed(problem: &Problem, budget: &mut Budget) -> Option<Vec<i64>> {
    let nodes = budget.run(problem)?;
    let mut vars = ProblemVariables::new();
    let column = |at: usize| {
        let column = variable().min(problem.lo[at] as f64);
        if problem.hi[at] >= INF { column } else { column.max(problem.hi[at] as f64) }
    };
    let columns: Vec<Variable> = (0..problem.lo.len()).map(|at| vars.add(column(at))).collect();
    let sum = |terms: &[(u32, i64)], constant: i64| {
        terms.iter().fold(Expression::from(constant as f64), |sum, &(var, c)| sum + c as f64 * columns[var as usize])
    };
    let excesses: Vec<Variable> = problem.gates.iter().map(|_| vars.add(variable().min(0.0))).collect();
    let mut objective = Expression::from(0.0);
    for (gate, &excess) in problem.gates.iter().zip(&excesses) {
        objective += columns[gate.m.0 as usize] + excess;
    }
    let mut model = good_lp::coin_cbc(vars.minimise(objective));
    ilp::limit(&mut model, nodes);
    for row in &problem.rows {
        model.add_constraint(sum(&row.terms, row.constant).eq(0.0));
    }
    for (gate, &excess) in problem.gates.iter().zip(&excesses) {
        let over = columns[gate.r.0 as usize] + gate.r.1 as f64 - sum(&gate.frame, gate.frame_constant) - excess;
        model.add_constraint(over.leq(0.0));
    }
    let solution = model.solve().ok()?;
    let values: Vec<f64> = columns.iter().map(|&column| solution.value(column)).collect();
    let whole = values.iter().all(|value| value.is_finite() && (value - value.round()).abs() < 1e-6);
    let values: Vec<i64> = values.iter().map(|value| value.round() as i64).collect();
    (whole && check(problem, &values)).then_some(values)
}

/// Prices with the best bound; or, given a cost, prices whose bound reaches it, chosen such that as many variables as possible cost something beyond their lower
/// bound (strict complementarity): those are the same in all optima. `None`: the relaxation does not reach the cost.
pub(super) fn prices(problem: &Problem, cost: Option<i64>, budget: &mut Budget) -> Option<Prices> {
    let nodes = budget.run(problem)?;
    let mut vars = ProblemVariables::new();
    let price = || variable().min(-LARGEST_PRICE).max(LARGEST_PRICE);
    let rows: Vec<Variable> = problem.rows.iter().map(|_| vars.add(price())).collect();
    let frames: Vec<Variable> = problem.gates.iter().map(|_| vars.add(variable().min(0.0).max(1.0))).collect();
    let mut weights = vec![Expression::from(0.0); problem.lo.len()];
    let mut least = Expression::from(0.0);
    for (row, &price) in problem.rows.iter().zip(&rows) {
        least += row.constant as f64 * price;
        row.terms.iter().for_each(|&(var, c)| weights[var as usize] += c as f64 * price);
    }
    for (gate, &share) in problem.gates.iter().zip(&frames) {
        weights[gate.m.0 as usize] += 1.0;
        weights[gate.r.0 as usize] += share;
        least += gate.m.1 as f64 + (gate.r.1 - gate.frame_constant) as f64 * share;
        gate.frame.iter().for_each(|&(var, c)| weights[var as usize] -= c as f64 * share);
    }
    let mut at_most_zero = Vec::new();
    let mut objective = Expression::from(0.0);
    for (var, weight) in weights.into_iter().enumerate() {
        let (lo, hi) = (problem.lo[var], problem.hi[var]);
        least += lo as f64 * weight.clone();
        if lo == hi {
            continue;
        }
        let worth = vars.add(variable().min(0.0).max(1.0));
        objective += worth;
        let mut lowest = Expression::from(worth);
        if hi < INF {
            let negative = vars.add(variable().min(0.0));
            least -= (hi - lo) as f64 * negative;
            lowest -= negative;
        }
        at_most_zero.push(lowest - weight);
    }
    match cost {
        Some(cost) => at_most_zero.push(cost as f64 - least),
        None => objective = least,
    }
    let mut model = good_lp::coin_cbc(vars.maximise(objective));
    ilp::limit(&mut model, nodes);
    for expression in at_most_zero {
        model.add_constraint(expression.leq(0.0));
    }
    let solution = model.solve().ok()?;
    let values = |vars: &[Variable]| vars.iter().map(|&var| solution.value(var)).collect();
    Some(Prices { rows: values(&rows), frames: values(&frames) })
}
