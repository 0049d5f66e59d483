//! The order of methods, and the assembly of all optima.
//!
//! A problem is presolved and split; each connected piece is tightened, solved or taken apart further; what comes back is
//! a canonical value per variable and the *parts* that have several optima.

use super::buckets;
use super::conflict;
use super::dual;
use super::engine::{Engine, INF, Problem};
use super::exact::{self, Found, Leaf};
use super::face;
use super::ilp;
use super::merge::Stop;
use super::presolve::{Presolved, presolve, problem_of};
use super::relax;
use super::system::{System, Var, verify};
use super::types::{self, Completion};
use super::{Component, Conflict, Method, Options, RankOutcome, Solution, Stats, TooHard};

/// Sites with several optima, and the values that go with each.
#[derive(Clone, Debug)]
struct Part {
    gates: Vec<u32>,
    optima: Vec<Vec<(i64, i64)>>,
    values: Vec<Vec<(u32, i64)>>,
    complete: bool,
}

/// The canonical values of a problem and its ambiguous parts.
#[derive(Clone, Debug, Default)]
struct Answer {
    values: Vec<i64>,
    parts: Vec<Part>,
}

/// Why there is no answer.
#[derive(Clone, Debug)]
enum Fail {
    Infeasible,
    TooHard(TooHard),
}

impl From<Stop> for Fail {
    fn from(stop: Stop) -> Fail {
        match stop {
            Stop::Clash => Fail::Infeasible,
            Stop::TooLarge => Fail::TooHard(TooHard::LargeNumbers),
        }
    }
}

struct Context<'a> {
    options: &'a Options,
    stats: Stats,
    budget: ilp::Budget,
}

/// See [`super::solve`].
pub(super) fn solve_system(system: &System, options: &Options) -> RankOutcome {
    let mut ctx = Context { options, stats: Stats::default(), budget: ilp::Budget::new() };
    ctx.stats.applications = system.sites.len();
    ctx.stats.variables = system.kinds.len();
    ctx.stats.constraints = system.equations.len() + system.sites.len();
    match ctx.system(system) {
        Ok(answer) => finish(system, answer, Stats { ilp_solves: ctx.budget.runs, ..ctx.stats }),
        Err(Fail::TooHard(why)) => RankOutcome::TooHard(why),
        Err(Fail::Infeasible) if options.explain => RankOutcome::Infeasible(conflict::explain(system)),
        Err(Fail::Infeasible) => {
            RankOutcome::Infeasible(Conflict { equations: (0..system.equations.len()).collect(), sites: (0..system.sites.len()).collect() })
        }
    }
}

/// Whether all frames are sums of maps, so that without maps no rep is free.
fn frames_are_maps(system: &System) -> bool {
    let is_map = |var: &Var| system.kinds.get(var.index()) == Some(&super::VarKind::Map);
    system.sites.iter().all(|site| site.frame.constant <= 0 && site.frame.terms.iter().all(|(var, c)| *c < 0 || is_map(var)))
}

impl Context<'_> {
    fn system(&mut self, system: &System) -> Result<Answer, Fail> {
        let problem = problem_of(system, None)?;
        let mut presolved = presolve(problem.clone())?;
        if presolved.undecided() > 0 && frames_are_maps(system) {
            // A whole system that is feasible with everything zero is unique: "size zero" (paper, section 4.6.3).
            let base = presolved.base();
            let sides = || system.sites.iter().flat_map(|site| [site.map.index(), site.rep.index()]);
            if sides().all(|var| base[var] == 0) {
                let mut zero = problem;
                sides().for_each(|var| zero.hi[var] = 0);
                match self.problem(zero, true) {
                    Err(Fail::Infeasible) => {}
                    decided => return decided,
                }
            }
        }
        self.presolved(presolved, false)
    }

    /// Presolves and solves a problem. `counted`: its undecided sites are in the statistics already.
    fn problem(&mut self, problem: Problem, counted: bool) -> Result<Answer, Fail> {
        let presolved = presolve(problem)?;
        self.presolved(presolved, counted)
    }

    fn presolved(&mut self, presolved: Presolved, counted: bool) -> Result<Answer, Fail> {
        piecewise(presolved, |problem| self.connected(problem, counted).map(Some)).map(Option::unwrap_or_default)
    }

    /// The optima as the solutions of a problem without costs; `None` when that takes too long.
    fn on_face(&self, problem: &Problem, face: Problem) -> Result<Option<Answer>, Fail> {
        let (nodes, most) = (self.options.exact_nodes, self.options.max_optima);
        let answer = piecewise(presolve(face)?, |piece| {
            if piece.gates.is_empty() {
                return types_only(piece).map(Some);
            }
            match exact::solutions(&piece, nodes, most) {
                Found::Optima { leaves, complete, .. } => Ok(Some(factor(&piece, leaves, complete))),
                Found::Infeasible => Err(Fail::Infeasible),
                Found::Unknown => Ok(None),
            }
        })?;
        Ok(answer.map(|mut answer| {
            let own = |var: u32| (var as usize) < problem.lo.len();
            answer.values.truncate(problem.lo.len());
            for part in &mut answer.parts {
                part.values.iter_mut().for_each(|values| values.retain(|(var, _)| own(*var)));
            }
            answer
        }))
    }

    /// A connected problem.
    fn connected(&mut self, problem: Problem, counted: bool) -> Result<Answer, Fail> {
        if problem.gates.is_empty() {
            return types_only(problem);
        }
        let method = self.options.method;
        if matches!(method, Method::Auto | Method::Presolve)
            && let Some(tighter) = face::lower_face(&problem)
        {
            return self.problem(tighter, counted);
        }
        if !counted {
            self.stats.undecided += problem.gates.len();
            self.stats.components += 1;
        }
        match method {
            Method::Presolve => Err(Fail::TooHard(TooHard::OnlyPresolved)),
            Method::Exact => match self.exact(&problem, self.options.exact_nodes.saturating_mul(100))? {
                Some(answer) => Ok(answer),
                None => Err(Fail::TooHard(TooHard::Branching)),
            },
            Method::Ilp => self.integer_program(problem),
            Method::Auto => self.automatic(problem),
        }
    }

    fn automatic(&mut self, problem: Problem) -> Result<Answer, Fail> {
        if problem.gates.len() <= self.options.exact_sites
            && let Some(answer) = self.exact(&problem, self.options.exact_nodes)?
        {
            return Ok(answer);
        }
        match buckets::narrow(&problem) {
            buckets::Found::Narrowed(narrowed) => return self.problem(narrowed, true),
            buckets::Found::Infeasible => return Err(Fail::Infeasible),
            buckets::Found::Unknown => {}
        }
        if !self.options.use_ilp {
            return match self.exact(&problem, self.options.exact_nodes.saturating_mul(10))? {
                Some(answer) => Ok(answer),
                None => Err(Fail::TooHard(TooHard::Branching)),
            };
        }
        self.integer_program(problem)
    }

    /// All optima by branching; `None` when it gives up.
    fn exact(&mut self, problem: &Problem, nodes: usize) -> Result<Option<Answer>, Fail> {
        match exact::optima(problem, nodes, self.options.max_optima) {
            Found::Infeasible => Err(Fail::Infeasible),
            Found::Unknown => Ok(None),
            Found::Optima { cost, leaves, complete } => {
                if !complete
                    && self.options.method == Method::Auto
                    && let Some(smaller) = without_backbone(problem, cost, &leaves, nodes)
                {
                    return self.problem(smaller, true).map(Some);
                }
                Ok(Some(factor(problem, leaves, complete)))
            }
        }
    }

    fn integer_program(&mut self, problem: Problem) -> Result<Answer, Fail> {
        if !self.options.use_ilp {
            return Err(Fail::TooHard(TooHard::SolverOff));
        }
        ilp::load().map_err(|error| Fail::TooHard(TooHard::NoSolver(error)))?;
        if self.options.method == Method::Auto {
            return self.decomposed(problem);
        }
        let values = self.integer_optimum(&problem)?;
        let cost = ilp::cost(&problem, &values);
        self.integer_optima(&problem, cost, values)
    }

    /// Takes a problem apart by prices, or else by optima that are as different as possible.
    fn decomposed(&mut self, problem: Problem) -> Result<Answer, Fail> {
        // A solution of the relaxation is only as good as the prices that prove it.
        let relaxed = relax::relaxed(&problem, &mut self.budget).map(|values| ilp::cost(&problem, &values));
        if let Some(cost) = relaxed
            && let Some(answer) = self.by_prices(&problem, cost)?
        {
            return Ok(answer);
        }
        // What prices prove may be reached although the solution of the relaxation is none.
        if relaxed.is_none()
            && let Some(cost) = relax::prices(&problem, None, &mut self.budget).and_then(|prices| dual::least(&problem, &prices))
            && let Ok(Some(answer)) = self.by_prices(&problem, cost)
            && ilp::cost(&problem, &answer.values) == cost
        {
            return Ok(answer);
        }
        let values = self.integer_optimum(&problem)?;
        let cost = ilp::cost(&problem, &values);
        if relaxed != Some(cost)
            && let Some(answer) = self.by_prices(&problem, cost)?
        {
            return Ok(answer);
        }
        if let Some(smaller) = self.backbone(&problem, cost, &values)? {
            return self.problem(smaller, true);
        }
        self.integer_optima(&problem, cost, values)
    }

    /// The answer by prices that narrow the problem to what costs as much as a known solution, or that leave nothing but to find the
    /// solutions that cost as much; `None` when prices do not help.
    fn by_prices(&mut self, problem: &Problem, cost: i64) -> Result<Option<Answer>, Fail> {
        // Where the relaxation does not reach the cost some variables may still be too expensive.
        let tight = relax::prices(problem, Some(cost), &mut self.budget);
        let Some(prices) = tight.or_else(|| relax::prices(problem, None, &mut self.budget)) else { return Ok(None) };
        if let Some(tighter) = dual::tighten(problem, &prices, cost) {
            return self.problem(tighter, true).map(Some);
        }
        match dual::face(problem, &prices, cost) {
            Some(face) => self.on_face(problem, face),
            None => Ok(None),
        }
    }

    /// A cheapest solution by the integer program.
    fn integer_optimum(&mut self, problem: &Problem) -> Result<Vec<i64>, Fail> {
        let goal = ilp::Goal { bound: None, cuts: &[], away: None, plain: false };
        let mut answer = ilp::solve(problem, goal, &mut self.budget);
        let again = match answer {
            ilp::Answer::Optimal(_) => false,
            ilp::Answer::Failed(_) => true,
            ilp::Answer::Infeasible => match exact::infeasible(problem, self.options.exact_nodes) {
                Some(true) => return Err(Fail::Infeasible),
                Some(false) => true,
                None => return Err(Fail::TooHard(TooHard::Refutation)),
            },
        };
        if again {
            answer = ilp::solve(problem, ilp::Goal { plain: true, ..goal }, &mut self.budget);
        }
        match answer {
            ilp::Answer::Optimal(values) => Ok(values),
            ilp::Answer::Infeasible => Err(Fail::TooHard(TooHard::Missed)),
            // Bounds that creep upwards without end are beyond floating point, and may say that there is no solution.
            ilp::Answer::Failed(_) if exact::infeasible(problem, self.options.exact_nodes) == Some(true) => Err(Fail::Infeasible),
            ilp::Answer::Failed(why) => Err(Fail::TooHard(why)),
        }
    }

    /// Lists optima with no-good cuts on the vectors of `(M, R)`.
    fn integer_optima(&mut self, problem: &Problem, cost: i64, first: Vec<i64>) -> Result<Answer, Fail> {
        let mut cuts = vec![ilp::sides(problem, &first)];
        let (mut complete, mut plain) = (true, false);
        loop {
            let goal = ilp::Goal { bound: Some(cost), cuts: &cuts, away: None, plain };
            match ilp::solve(problem, goal, &mut self.budget) {
                ilp::Answer::Infeasible => break,
                // Its own changes may also make a program much larger for the search than it is.
                ilp::Answer::Failed(_) if !plain => plain = true,
                ilp::Answer::Failed(why) => return Err(Fail::TooHard(why)),
                ilp::Answer::Optimal(values) => {
                    let sides = ilp::sides(problem, &values);
                    match ilp::cost(problem, &values).cmp(&cost) {
                        std::cmp::Ordering::Equal if !cuts.contains(&sides) => cuts.push(sides),
                        // What was excluded has come again: the solver's own changes to the program have lost a constraint.
                        std::cmp::Ordering::Equal | std::cmp::Ordering::Greater if !plain => plain = true,
                        _ => return Err(Fail::TooHard(TooHard::Contradiction)),
                    }
                }
            }
            if cuts.len() > self.options.max_optima {
                complete = false;
                break;
            }
        }
        let mut leaves = Vec::with_capacity(cuts.len());
        for sides in cuts {
            let values = ilp::complete(problem, &sides).ok_or(Fail::TooHard(TooHard::TypeRanks))?;
            leaves.push(Leaf { sides, values });
        }
        leaves.sort_by_cached_key(Leaf::key);
        leaves.truncate(self.options.max_optima);
        Ok(factor(problem, leaves, complete))
    }

    /// Finds the gates that are the same in all optima by asking for optima as different as possible, and fixes them.
    /// `None`: nothing was gained.
    fn backbone(&mut self, problem: &Problem, cost: i64, first: &[i64]) -> Result<Option<Problem>, Fail> {
        let sides = ilp::sides(problem, first);
        let (mut same, mut plain) = (vec![true; sides.len()], false);
        loop {
            let goal = ilp::Goal { bound: Some(cost), cuts: &[], away: Some((&sides, &same)), plain };
            let values = match ilp::solve(problem, goal, &mut self.budget) {
                ilp::Answer::Optimal(values) => values,
                // The first optimum is a solution.
                ilp::Answer::Infeasible if !plain => {
                    plain = true;
                    continue;
                }
                ilp::Answer::Infeasible => return Err(Fail::TooHard(TooHard::Contradiction)),
                ilp::Answer::Failed(why) => return Err(Fail::TooHard(why)),
            };
            let mut moved = false;
            for ((here, there), same) in ilp::sides(problem, &values).iter().zip(&sides).zip(&mut same) {
                moved |= *same && here != there;
                *same &= here == there;
            }
            if !moved {
                break;
            }
        }
        Ok(fix_gates(problem, &sides, &same))
    }
}

/// Solves the pieces of a presolved problem, and puts the answers together; `None` if one has none.
fn piecewise(mut presolved: Presolved, mut solve: impl FnMut(Problem) -> Result<Option<Answer>, Fail>) -> Result<Option<Answer>, Fail> {
    let mut answer = Answer { values: presolved.base(), parts: Vec::new() };
    for index in 0..presolved.pieces.len() {
        let problem = std::mem::take(&mut presolved.pieces[index].problem);
        let Some(solved) = solve(problem)? else { return Ok(None) };
        let values: Vec<(u32, i64)> = (0..).zip(solved.values).collect();
        for (var, value) in presolved.lift(index, &values) {
            answer.values[var as usize] = value;
        }
        for mut part in solved.parts {
            part.values.iter_mut().for_each(|values| *values = presolved.lift(index, values));
            answer.parts.push(part);
        }
    }
    Ok(Some(answer))
}

/// Fixes the flagged gates of a problem; `None` when that changes nothing.
fn fix_gates(problem: &Problem, sides: &[(i64, i64)], flags: &[bool]) -> Option<Problem> {
    let mut fixed = problem.clone();
    let mut changed = false;
    for ((gate, &(m, r)), _) in problem.gates.iter().zip(sides).zip(flags).filter(|(_, flag)| **flag) {
        for ((var, offset), value) in [(gate.m, m), (gate.r, r)] {
            let (var, value) = (var as usize, value - offset);
            changed |= fixed.lo[var] != value || fixed.hi[var] != value;
            (fixed.lo[var], fixed.hi[var]) = (value, value);
        }
    }
    changed.then_some(fixed)
}

/// Fixes the gates that no optimum changes, by asking for each; `None` when that changes nothing.
fn without_backbone(problem: &Problem, cost: i64, leaves: &[Leaf], nodes: usize) -> Option<Problem> {
    let sides = &leaves.first()?.sides;
    let differs = |at: usize| leaves.iter().any(|leaf| leaf.sides[at] != sides[at]);
    let excluded = |at: usize, more: bool| {
        let gate = &problem.gates[at];
        let difference = sides[at].0 - sides[at].1;
        let mut problem = problem.clone();
        // M - R >= difference + 1, or M - R <= difference - 1.
        let (raised, lowered, bound) = if more { (gate.m, gate.r, difference + 1) } else { (gate.r, gate.m, 1 - difference) };
        if bound > 0 {
            let lo = &mut problem.lo[raised.0 as usize];
            *lo = (*lo).max(bound - raised.1);
        } else {
            let hi = &mut problem.hi[lowered.0 as usize];
            *hi = (*hi).min(-bound - lowered.1);
        }
        let crossed = (0..problem.lo.len()).any(|var| problem.lo[var] > problem.hi[var]);
        crossed || matches!(exact::optima_at(&problem, cost, nodes, 0), Found::Infeasible)
    };
    let same: Vec<bool> = (0..sides.len()).map(|at| !differs(at) && excluded(at, true) && excluded(at, false)).collect();
    fix_gates(problem, sides, &same)
}

/// A problem without gates: the smallest type ranks.
fn types_only(problem: Problem) -> Result<Answer, Fail> {
    let mut engine = Engine::new(problem);
    if engine.propagate().is_err() {
        return Err(Fail::Infeasible);
    }
    match types::complete(&mut engine) {
        Completion::Values(values) => Ok(Answer { values, parts: Vec::new() }),
        Completion::None => Err(Fail::Infeasible),
        Completion::Unknown => Err(Fail::TooHard(TooHard::TypeRanks)),
    }
}

/// Splits a set of optima into independent parts: gates that are linked by variables that vary. The split is used only
/// when the set really is the product of its projections.
fn factor(problem: &Problem, leaves: Vec<Leaf>, complete: bool) -> Answer {
    let Some(first) = leaves.first() else { return Answer::default() };
    let values = first.values.clone();
    let varies: Vec<bool> = (0..values.len()).map(|var| leaves.iter().any(|leaf| leaf.values[var] != values[var])).collect();
    let groups = if complete { groups(problem, &varies) } else { Vec::new() };
    let mut parts: Vec<Part> = groups.iter().map(|group| project(problem, &leaves, group, true)).collect();
    let product = parts.iter().map(|part| part.optima.len()).try_fold(1usize, usize::checked_mul);
    if !complete || product != Some(leaves.len()) {
        let all: Vec<u32> = (0..values.len() as u32).filter(|&var| varies[var as usize]).collect();
        parts = vec![project(problem, &leaves, &all, complete)];
    }
    parts.retain(|part| part.optima.len() > 1 || !part.complete);
    Answer { values, parts }
}

/// Varying variables, grouped by the rows and gates that link them.
fn groups(problem: &Problem, varies: &[bool]) -> Vec<Vec<u32>> {
    let mut group_of: Vec<u32> = (0..varies.len() as u32).collect();
    fn find(group_of: &[u32], mut var: u32) -> u32 {
        while group_of[var as usize] != var {
            var = group_of[var as usize];
        }
        var
    }
    let mut join = |vars: &mut dyn Iterator<Item = u32>| {
        let mut last: Option<u32> = None;
        for var in vars.filter(|&var| varies[var as usize]) {
            let root = find(&group_of, var);
            if let Some(last) = last {
                let last = find(&group_of, last);
                group_of[root.max(last) as usize] = root.min(last);
            }
            last = Some(var);
        }
    };
    for row in &problem.rows {
        join(&mut row.terms.iter().map(|term| term.0));
    }
    for gate in &problem.gates {
        join(&mut [gate.m.0, gate.r.0].into_iter().chain(gate.frame.iter().map(|term| term.0)));
    }
    let mut groups: Vec<Vec<u32>> = vec![Vec::new(); varies.len()];
    for var in (0..varies.len() as u32).filter(|&var| varies[var as usize]) {
        groups[find(&group_of, var) as usize].push(var);
    }
    groups.retain(|group| !group.is_empty());
    groups
}

/// The optima as seen by a group of variables, in canonical order, each once.
fn project(problem: &Problem, leaves: &[Leaf], vars: &[u32], complete: bool) -> Part {
    let inside = |var: u32| vars.binary_search(&var).is_ok();
    let gates: Vec<usize> = (0..problem.gates.len()).filter(|&at| inside(problem.gates[at].m.0) || inside(problem.gates[at].r.0)).collect();
    let mut seen: Vec<Leaf> = Vec::new();
    let mut known = std::collections::BTreeSet::new();
    for leaf in leaves {
        let sides: Vec<(i64, i64)> = gates.iter().map(|&at| leaf.sides[at]).collect();
        if known.insert(sides.clone()) {
            seen.push(Leaf { sides, values: leaf.values.clone() });
        }
    }
    seen.sort_by_cached_key(Leaf::key);
    Part {
        gates: gates.iter().map(|&at| problem.gates[at].id).collect(),
        values: seen.iter().map(|leaf| vars.iter().map(|&var| (var, leaf.values[var as usize])).collect()).collect(),
        optima: seen.into_iter().map(|leaf| leaf.sides).collect(),
        complete,
    }
}

/// Checks everything in exact arithmetic and puts it in the form of the interface.
fn finish(system: &System, answer: Answer, stats: Stats) -> RankOutcome {
    match checked(system, answer, stats) {
        Some(solution) => RankOutcome::Solved(solution),
        None => RankOutcome::TooHard(TooHard::Unverified),
    }
}

fn checked(system: &System, answer: Answer, stats: Stats) -> Option<Solution> {
    let natural = |x: i64| u32::try_from(x).ok().filter(|_| x < INF);
    let values: Vec<u32> = answer.values.iter().map(|&x| natural(x)).collect::<Option<_>>()?;
    if !verify(system, &values) {
        return None;
    }
    let cost = system.cost(&values)?;
    let mut components = Vec::with_capacity(answer.parts.len());
    for part in answer.parts {
        let side = |&(m, r): &(i64, i64)| Some((natural(m)?, natural(r)?));
        let optima = part.optima.iter().map(|sides| sides.iter().map(side).collect()).collect::<Option<Vec<Vec<_>>>>()?;
        let assign = |part: &Vec<(u32, i64)>| {
            let mut part = part.iter().map(|&(var, x)| Some((Var(var), natural(x)?))).collect::<Option<Vec<_>>>()?;
            part.sort_unstable();
            Some(part)
        };
        let assigned = part.values.iter().map(assign).collect::<Option<Vec<_>>>()?;
        let sites = part.gates.iter().map(|&id| id as usize).collect();
        components.push(Component { sites, optima, complete: part.complete, values: assigned });
    }
    components.sort_by(|a, b| a.sites.cmp(&b.sites));
    alternatives_hold(system, &values, &components).then_some(Solution { values, cost, components, stats })
}

/// Whether every optimum of every component satisfies the system at the same cost, the others at their canonical one.
fn alternatives_hold(system: &System, values: &[u32], components: &[Component]) -> bool {
    if components.is_empty() {
        return true;
    }
    let mut equations_of = vec![Vec::new(); values.len()];
    let mut sites_of = vec![Vec::new(); values.len()];
    for (at, equation) in system.equations.iter().enumerate() {
        equation.expr.terms.iter().for_each(|term| equations_of[term.0.index()].push(at));
    }
    for (at, site) in system.sites.iter().enumerate() {
        [site.map, site.rep].into_iter().chain(site.frame.terms.iter().map(|term| term.0)).for_each(|var| sites_of[var.index()].push(at));
    }
    let mut current = values.to_vec();
    components.iter().all(|component| {
        let collect = |lists: &[Vec<usize>]| {
            let vars = component.values.first().into_iter().flatten();
            let mut all: Vec<usize> = vars.flat_map(|(var, _)| lists[var.index()].iter().copied()).collect();
            all.sort_unstable();
            all.dedup();
            all
        };
        let (equations, sites) = (collect(&equations_of), collect(&sites_of));
        let cost = |values: &[u32]| -> Option<i128> {
            sites.iter().try_fold(0, |sum, &at| {
                let site = &system.sites[at];
                let (m, r) = (i128::from(values[site.map.index()]), i128::from(values[site.rep.index()]));
                (m == 0 || r == 0).then_some(())?;
                Some(sum + m + (r - site.frame.eval(values)?).max(0))
            })
        };
        let canonical = cost(values);
        let holds = component.values.iter().zip(&component.optima).all(|(assigned, optimum)| {
            assigned.iter().for_each(|&(var, value)| current[var.index()] = value);
            let sides = component.sites.iter().map(|&at| &system.sites[at]);
            cost(&current) == canonical
                && equations.iter().all(|&at| system.equations[at].expr.eval(&current) == Some(0))
                && sides.zip(optimum).all(|(site, &side)| side == (current[site.map.index()], current[site.rep.index()]))
        });
        component.values.iter().flatten().for_each(|&(var, _)| current[var.index()] = values[var.index()]);
        holds
    })
}
