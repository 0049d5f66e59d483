//! The integer program of a problem, handed to CBC through `good_lp`.
//!
//! Per gate (paper, table 4.2): binaries `bM`, `bR` with `b <= side <= U b` and `bM + bR <= 1`; `max(0, R - frame)` is a
//! variable `t >= R - frame` with cost 1. `U` is the upper bound that interval propagation found. A side without one gets
//! a cap that starts from the constants of the system and doubles until no value comes near it: a cap that is too small
//! changes answers, and a huge constant makes floating-point solvers give wrong ones.
//!
//! Nothing here is trusted: values are rounded and checked against all rows and gates in integer arithmetic by the caller
//! or by [`check`].

use good_lp::solvers::{SolutionStatus, coin_cbc::CoinCbcProblem};
use good_lp::{Expression, ProblemVariables, ResolutionError, Solution as _, SolverModel, Variable, variable};

use super::engine::{Affine, Engine, Gate, INF, Problem, Reason, Row};
use super::exact;
use super::hard::TooHard;
use super::types::{self, Completion};

/// Largest cap; beyond it floating-point feasibility tolerances are no longer safe.
pub(super) const LARGEST_CAP: i64 = 1 << 14;

/// Cells (rows times columns, those of the dual program included) that all runs of the solver for one system may have together.
const CELLS: usize = 8_000_000;
/// Large systems may have so many runs for the whole of them.
const RUNS: usize = 40;
/// A run that branches counts as so many.
const BRANCHING: usize = 4;
/// Most nodes of a run; programs with many cells have fewer, at least so many.
const NODES: usize = 2_000;
const FEWEST_NODES: usize = 10;
/// Cells of all nodes of a run.
const NODE_CELLS: usize = 10_000_000;

/// What the solver may still do. Limits count cells and nodes, so that an answer does not depend on how fast a machine is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Budget {
    /// Runs so far.
    pub(super) runs: usize,
    cells: usize,
}

impl Budget {
    pub(super) fn new() -> Budget {
        Budget { runs: 0, cells: CELLS }
    }

    /// Counts a run for a problem; the nodes that it may visit, `None` when there are none left.
    pub(super) fn run(&mut self, problem: &Problem) -> Option<usize> {
        self.count(problem, 0, 1)
    }

    /// `run` with integer variables, and with so many solutions excluded.
    pub(super) fn branching(&mut self, problem: &Problem, cuts: usize) -> Option<usize> {
        self.count(problem, cuts, BRANCHING)
    }

    fn count(&mut self, problem: &Problem, cuts: usize, weight: usize) -> Option<usize> {
        // A cut has up to two binaries for each gate, and a row for each of them.
        let binaries = 2 * problem.gates.len() * cuts;
        let cells = (problem.rows.len() + problem.gates.len() + 1 + binaries) * (problem.lo.len() + 1 + binaries);
        if self.runs == 0 {
            self.cells = CELLS.max(RUNS.saturating_mul(cells));
        }
        self.runs += 1;
        self.cells = self.cells.checked_sub(cells.saturating_mul(weight))?;
        Some((NODE_CELLS / cells).clamp(FEWEST_NODES, NODES))
    }

    /// Counts the iterations of a run that branched: nodes are no measure of what they take where many solutions are excluded.
    fn iterated(&mut self, iterations: usize, size: usize) {
        self.cells = self.cells.saturating_sub(iterations.saturating_mul(size).saturating_mul(BRANCHING));
    }
}

/// Loads the solver's library, which is not done before a system needs it: it takes longer than all the rest of checking a small program.
pub(super) fn load() -> Result<(), String> {
    coin_cbc_sys::load().map_err(str::to_string)
}

/// A folder where the solver's library is looked for first: of a package that brings it along.
pub fn look_for_solver_in(folder: &std::path::Path) {
    coin_cbc_sys::look_in(folder);
}

/// The version of the solver.
///
/// # Errors
/// Its library cannot be loaded, in the words of the loader.
pub fn solver_version() -> Result<String, String> {
    coin_cbc_sys::version().map_err(str::to_string)
}

/// Prepares a model for silent runs of limited length.
pub(super) fn limit(model: &mut CoinCbcProblem, nodes: usize) {
    model.set_log_level(0);
    model.set_parameter("maxNodes", &nodes.to_string());
    // Off: whole subtrees that are searched within one node, of small programs, would not be counted.
    model.set_parameter("depthMiniBab", "-999");
}

/// What the integer program answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// Values that satisfy the problem exactly, and that the solver holds optimal for the goal.
    Optimal(Vec<i64>),
    /// The solver holds the problem (with the cuts and the largest useful cap) infeasible.
    Infeasible,
    /// The solver failed, or its values did not pass the exact check.
    Failed(TooHard),
}

/// A solution to get away from, and the gates that count.
pub(super) type Away<'a> = (&'a [(i64, i64)], &'a [bool]);

/// What to minimise, and what to exclude.
#[derive(Clone, Copy, Debug)]
pub(super) struct Goal<'a> {
    /// Solutions may cost at most this.
    pub(super) bound: Option<i64>,
    /// Vectors of `(M, R)` by gate that must not come again.
    pub(super) cuts: &'a [Vec<(i64, i64)>],
    /// Find a solution that differs from this one in as many of the flagged gates as possible, instead of the cheapest.
    pub(super) away: Option<Away<'a>>,
    /// Without the solver's own changes to the program before it branches: what it is asked again when its answer cannot be.
    pub(super) plain: bool,
}

/// Solves with growing caps.
pub(super) fn solve(problem: &Problem, goal: Goal, budget: &mut Budget) -> Answer {
    // A bound on the cost bounds sides, which makes the program much stronger than a cap does.
    let bounded = goal.bound.and_then(|cost| exact::bounded(problem, cost));
    let problem = bounded.as_ref().unwrap_or(problem);
    if has_large_numbers(problem) {
        return Answer::Failed(TooHard::SolverNumbers);
    }
    let open = problem.hi.iter().any(|&hi| hi >= INF);
    let mut cap = first_cap(problem);
    loop {
        let Some(nodes) = budget.branching(problem, goal.cuts.len()) else { return Answer::Failed(TooHard::SolverLimit) };
        let answer = match solve_with(problem, goal, cap, nodes, budget) {
            // The program leaves type ranks anywhere below the cap: only the smallest ones say whether it was large enough.
            Answer::Optimal(values) => Answer::Optimal(complete(problem, &sides(problem, &values)).unwrap_or(values)),
            other => other,
        };
        let doubtful = match &answer {
            Answer::Optimal(values) => open && near_cap(problem, values, cap),
            Answer::Infeasible => open,
            Answer::Failed(_) => false,
        };
        if !doubtful {
            return answer;
        }
        if cap >= LARGEST_CAP {
            return match answer {
                Answer::Optimal(_) => Answer::Failed(TooHard::SolverRanks),
                other => other,
            };
        }
        // An infeasible program may only need room, but rarely does: grow faster.
        cap *= if answer == Answer::Infeasible { 16 } else { 2 };
        cap = cap.min(LARGEST_CAP);
    }
}

/// Values with the given sides and the smallest type ranks.
pub(super) fn complete(problem: &Problem, sides: &[(i64, i64)]) -> Option<Vec<i64>> {
    let mut engine = Engine::new(problem.clone());
    for (gate, &(m, r)) in problem.gates.iter().zip(sides) {
        engine.fix(gate.m, m, Reason::CHOICE).ok()?;
        engine.fix(gate.r, r, Reason::CHOICE).ok()?;
    }
    engine.propagate().ok()?;
    match types::complete(&mut engine) {
        Completion::Values(values) => Some(values),
        Completion::None | Completion::Unknown => None,
    }
}

/// Whether a number of the system is too large for the tolerances of floating point.
fn has_large_numbers(problem: &Problem) -> bool {
    let large = |value: i64| value.saturating_abs() > LARGEST_CAP;
    let rows = problem.rows.iter().any(|row| large(row.constant) || row.terms.iter().any(|&(_, c)| large(c)));
    let gates = problem.gates.iter().any(|gate| large(gate.frame_constant) || gate.frame.iter().any(|&(_, c)| large(c)));
    rows || gates || problem.lo.iter().any(|&lo| large(lo))
}

/// Twice the sum of the absolute constants, and a little.
fn first_cap(problem: &Problem) -> i64 {
    let rows: i64 = problem.rows.iter().map(|row| row.constant.abs()).fold(4, i64::saturating_add);
    let bounds = problem.lo.iter().fold(0, |sum: i64, lo| sum.saturating_add(lo.abs()));
    rows.saturating_add(bounds).saturating_mul(2).clamp(8, 256)
}

/// Whether a variable without a bound of its own came near the cap.
fn near_cap(problem: &Problem, values: &[i64], cap: i64) -> bool {
    (0..values.len()).any(|at| problem.hi[at] >= INF && values[at] - problem.lo[at] > cap / 2)
}

/// Whether values satisfy a problem, in exact arithmetic.
pub(super) fn check(problem: &Problem, values: &[i64]) -> bool {
    let sum = |terms: &[(u32, i64)], constant: i64| {
        let part = |&(var, c): &(u32, i64)| i128::from(c) * i128::from(values[var as usize]);
        i128::from(constant) + terms.iter().map(part).sum::<i128>()
    };
    let side = |(var, offset): Affine| values[var as usize] + offset;
    (0..values.len()).all(|at| problem.lo[at] <= values[at] && values[at] <= problem.hi[at])
        && problem.rows.iter().all(|row| sum(&row.terms, row.constant) == 0)
        && problem.gates.iter().all(|gate| {
            let (m, r) = (side(gate.m), side(gate.r));
            m >= 0 && r >= 0 && (m == 0 || r == 0)
        })
}

/// The cost of values.
pub(super) fn cost(problem: &Problem, values: &[i64]) -> i64 {
    let side = |(var, offset): Affine| values[var as usize] + offset;
    let frame = |gate: &Gate| gate.frame.iter().fold(gate.frame_constant, |sum, &(var, c)| sum + c * values[var as usize]);
    problem.gates.iter().map(|gate| side(gate.m) + (side(gate.r) - frame(gate)).max(0)).sum()
}

/// `(M, R)` by gate.
pub(super) fn sides(problem: &Problem, values: &[i64]) -> Vec<(i64, i64)> {
    let side = |(var, offset): Affine| values[var as usize] + offset;
    problem.gates.iter().map(|gate| (side(gate.m), side(gate.r))).collect()
}

/// A program under construction.
struct Program<'a> {
    problem: &'a Problem,
    vars: ProblemVariables,
    columns: Vec<Variable>,
    upper: Vec<i64>,
    /// Expressions that must be at most zero.
    at_most_zero: Vec<Expression>,
    equal_zero: Vec<Expression>,
    /// Whether some row has a variable for what is divisible.
    quotients: bool,
}

impl Program<'_> {
    fn affine(&self, (var, offset): Affine) -> Expression {
        self.columns[var as usize] + offset as f64
    }

    fn sum(&self, terms: &[(u32, i64)], constant: i64) -> Expression {
        terms.iter().fold(Expression::from(constant as f64), |sum, &(var, c)| sum + c as f64 * self.columns[var as usize])
    }

    fn top(&self, (var, offset): Affine) -> i64 {
        self.upper[var as usize] + offset
    }

    fn binary(&mut self) -> Variable {
        self.vars.add(variable().binary())
    }

    /// A row. Where coefficients of variables without a bound have a divisor that others do not have, as in `2x + m = 2y + r`, what is
    /// divisible is a multiple of a variable of its own: to find out that `m - r` is even by branching on `x` and `y` takes as many
    /// nodes as these have values.
    fn row(&mut self, row: &Row) {
        let open = |var: u32| self.problem.hi[var as usize] >= INF;
        let divisor = row.terms.iter().filter(|(var, c)| open(*var) && c.abs() > 1).map(|(_, c)| c.abs()).min();
        let (multiples, rest): (Vec<_>, Vec<_>) = row.terms.iter().partition(|(_, c)| divisor.is_some_and(|d| c % d == 0));
        let Some(divisor) = divisor.filter(|_| !rest.is_empty()) else {
            let sum = self.sum(&row.terms, row.constant);
            return self.equal_zero.push(sum);
        };
        let quotients: Vec<(u32, i64)> = multiples.iter().map(|(var, c)| (*var, c / divisor)).collect();
        let most: f64 = quotients.iter().map(|(var, c)| c.abs() as f64 * self.upper[*var as usize] as f64).sum();
        let quotient = self.vars.add(variable().integer().min(-most).max(most));
        let defined = self.sum(&quotients, 0) - quotient;
        let sum = self.sum(&rest, row.constant) + divisor as f64 * quotient;
        self.quotients = true;
        self.equal_zero.extend([defined, sum]);
    }

    /// The gate's disjunction and its cost.
    fn gate(&mut self, gate: &Gate) -> Expression {
        let (m, r) = (self.affine(gate.m), self.affine(gate.r));
        let (top_m, top_r) = (self.top(gate.m), self.top(gate.r));
        if top_m > 0 && top_r > 0 {
            let (bm, br) = (self.binary(), self.binary());
            for (side, top, b) in [(&m, top_m, bm), (&r, top_r, br)] {
                self.at_most_zero.push(side.clone() - top as f64 * b);
                self.at_most_zero.push(b - side.clone());
            }
            self.at_most_zero.push(bm + br - 1.0);
        }
        if top_r <= 0 && gate.frame.is_empty() && gate.frame_constant >= 0 {
            return m;
        }
        let excess = self.vars.add(variable().min(0.0));
        self.at_most_zero.push(r - self.sum(&gate.frame, gate.frame_constant) - excess);
        m + excess
    }

    /// A binary that may only be 1 when `M - R` of the gate differs from that of the given sides.
    fn differs(&mut self, gate: &Gate, (m, r): (i64, i64)) -> Expression {
        let here = self.affine(gate.m) - self.affine(gate.r);
        let there = m - r;
        let (most, least) = (self.top(gate.m), -self.top(gate.r));
        let mut sum = Expression::from(0.0);
        if there < most {
            // up = 1 forces here >= there + 1; up = 0 leaves here >= least.
            let up = self.binary();
            self.at_most_zero.push((there + 1 - least) as f64 * up + least as f64 - here.clone());
            sum += up;
        }
        if there > least {
            let down = self.binary();
            self.at_most_zero.push(here + (most - there + 1) as f64 * down - most as f64);
            sum += down;
        }
        sum
    }
}

fn solve_with(problem: &Problem, goal: Goal, cap: i64, nodes: usize, budget: &mut Budget) -> Answer {
    let mut vars = ProblemVariables::new();
    let upper: Vec<i64> =
        (0..problem.lo.len()).map(|at| if problem.hi[at] >= INF { problem.lo[at].saturating_add(cap) } else { problem.hi[at] }).collect();
    let columns = (0..problem.lo.len()).map(|at| vars.add(variable().integer().min(problem.lo[at] as f64).max(upper[at] as f64))).collect();
    let mut program = Program { problem, vars, columns, upper, at_most_zero: Vec::new(), equal_zero: Vec::new(), quotients: false };
    for row in &program.problem.rows {
        program.row(row);
    }
    let mut total = Expression::from(0.0);
    for gate in &program.problem.gates {
        total += program.gate(gate);
    }
    if let Some(bound) = goal.bound {
        program.at_most_zero.push(total.clone() - bound as f64);
    }
    for cut in goal.cuts {
        let mut sum = Expression::from(1.0);
        for (gate, &sides) in program.problem.gates.iter().zip(cut) {
            sum -= program.differs(gate, sides);
        }
        program.at_most_zero.push(sum);
    }
    let mut objective = total;
    if let Some((from, flags)) = goal.away {
        objective = Expression::from(0.0);
        for ((gate, &sides), _) in program.problem.gates.iter().zip(from).zip(flags).filter(|(_, flag)| **flag) {
            objective -= program.differs(gate, sides);
        }
    }
    run(program, objective, goal.plain, nodes, budget)
}

fn run(program: Program, objective: Expression, plain: bool, nodes: usize, budget: &mut Budget) -> Answer {
    let Program { problem, vars, columns, upper: _, at_most_zero, equal_zero, quotients } = program;
    let size = columns.len() + at_most_zero.len() + equal_zero.len();
    let mut model = good_lp::coin_cbc(vars.minimise(objective));
    limit(&mut model, nodes);
    // Optimal means optimal: no gap is acceptable.
    model.set_parameter("ratioGap", "0");
    model.set_parameter("allowableGap", "0");
    if quotients || plain {
        // It would replace quotients by what they stand for.
        model.set_parameter("preprocess", "off");
    }
    if plain {
        model.set_parameter("presolve", "off");
        model.set_parameter("cutsOnOff", "off");
        model.set_parameter("heuristicsOnOff", "off");
    }
    for expression in equal_zero {
        model.add_constraint(expression.eq(0.0));
    }
    for expression in at_most_zero {
        model.add_constraint(expression.leq(0.0));
    }
    let solution = match model.solve() {
        Ok(solution) => solution,
        Err(ResolutionError::Infeasible) => return Answer::Infeasible,
        Err(error) => return Answer::Failed(TooHard::SolverSteps(error.to_string())),
    };
    budget.iterated(usize::try_from(solution.model().iteration_count()).unwrap_or(0), size);
    match solution.status() {
        SolutionStatus::Optimal => {}
        _ => return Answer::Failed(TooHard::SolverStopped),
    }
    let mut values = Vec::with_capacity(columns.len());
    for column in columns {
        let value = solution.value(column);
        if !value.is_finite() || (value - value.round()).abs() > 1e-4 {
            return Answer::Failed(TooHard::NotInteger(value.to_string()));
        }
        values.push(value.round() as i64);
    }
    if check(problem, &values) { Answer::Optimal(values) } else { Answer::Failed(TooHard::WrongValues) }
}
