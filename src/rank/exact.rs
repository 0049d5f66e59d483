//! Branching in integer arithmetic: the optima of a small connected problem.
//!
//! Depth-first over the sites in order: both sides zero, then `M >= 1`, then `R >= 1`, then values from below, with
//! propagation, a bound on the cost, and the smallest type ranks at the leaves. The bound starts at what the intervals allow
//! and grows until a solution appears, so every pass is finite; "infeasible" comes from branch and bound over the exact
//! relaxation ([`super::linear`]), without any bound. Independent of the integer program, and used to certify it.

use std::collections::BTreeSet;

use super::engine::{Affine, Clash, Engine, Gate, INF, Problem, Reason};
use super::lattice;
use super::linear::{self, Relaxed};
use super::types::{self, Completion};

/// The largest cost above the first bound that is tried.
const FURTHEST: i64 = 1 << 16;
/// Deepest branching.
const DEEPEST: usize = 600;
/// After so many cuts at fractions open gates are chosen first.
const FRACTIONS: usize = 4;
/// A relaxation of so many cells counts as a node.
const CELLS_PER_NODE: usize = 500;
/// Rounds of narrowing by the bound at one node.
const ROUNDS: usize = 40;

/// One optimum: `(M, R)` by gate, and a value for each variable of the problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Leaf {
    pub(super) sides: Vec<(i64, i64)>,
    pub(super) values: Vec<i64>,
}

impl Leaf {
    /// The order of optima: total, M descending, R ascending.
    pub(super) fn key(&self) -> (i64, Vec<std::cmp::Reverse<i64>>, Vec<i64>) {
        let total = self.sides.iter().map(|(m, r)| m + r).sum();
        let maps = self.sides.iter().map(|&(m, _)| std::cmp::Reverse(m)).collect();
        (total, maps, self.sides.iter().map(|&(_, r)| r).collect())
    }
}

/// What a search found.
#[derive(Clone, Debug)]
pub(super) enum Found {
    /// All optima (or the first so many), with the canonical one first.
    Optima {
        /// The least cost.
        cost: i64,
        /// The optima in order.
        leaves: Vec<Leaf>,
        /// Whether these are all.
        complete: bool,
    },
    /// There is no solution.
    Infeasible,
    /// The budget did not suffice.
    Unknown,
}

/// All optima of a problem, up to `limit`.
pub(super) fn optima(problem: &Problem, nodes: usize, limit: usize) -> Found {
    let mut engine = Engine::new(problem.clone());
    if engine.propagate().is_err() {
        return Found::Infeasible;
    }
    // Without a solution in integers of any sign the search would go through ever larger values.
    if lattice::refuted(&engine.problem) {
        return Found::Infeasible;
    }
    let first: i64 = engine.problem.gates.iter().map(|gate| engine.least_cost(gate)).sum();
    // Bounds that creep without end are a sign of infeasibility, and would be raised step by step at every node.
    let creeping = engine.capped;
    let mut search = Search::new(engine, nodes);
    if creeping && signs_infeasible(&mut search) {
        return Found::Infeasible;
    }
    let mut gap = 0;
    let cost = loop {
        search.restart(Goal::Cheapest, first + gap);
        search.descend();
        if search.gave_up() {
            // Values that grow without end within the bound are another sign, unless the proof was tried already.
            let untried = gap <= 1 && !creeping;
            return if untried && signs_infeasible(&mut search) { Found::Infeasible } else { Found::Unknown };
        }
        match search.best.take() {
            Some(cost) => break cost,
            None if !search.bounded => return Found::Infeasible,
            None => {}
        }
        if gap == 1 && !creeping && signs_infeasible(&mut search) {
            return Found::Infeasible;
        }
        gap = (gap * 2).max(1);
        if gap > FURTHEST {
            return Found::Unknown;
        }
    };
    collect(search, cost, limit)
}

/// All optima of a problem whose least cost is known.
pub(super) fn optima_at(problem: &Problem, cost: i64, nodes: usize, limit: usize) -> Found {
    let mut engine = Engine::new(problem.clone());
    if engine.propagate().is_err() {
        return Found::Infeasible;
    }
    collect(Search::new(engine, nodes), cost, limit)
}

/// All solutions of a problem of which all cost the same, up to `limit`.
pub(super) fn solutions(problem: &Problem, nodes: usize, limit: usize) -> Found {
    let mut engine = Engine::new(problem.clone());
    if engine.propagate().is_err() {
        return Found::Infeasible;
    }
    collect(Search::new(engine, nodes), INF, limit)
}

fn collect(mut search: Search, cost: i64, limit: usize) -> Found {
    search.restart(Goal::All { limit }, cost);
    search.descend();
    if search.gave_up() {
        return Found::Unknown;
    }
    let mut leaves = std::mem::take(&mut search.leaves);
    let complete = leaves.len() <= limit;
    if !complete {
        // The canonical optimum should be first even if not all are listed. Where finding it takes too long, the first of those that
        // were found stands for it: what there are too many of is not decided by the first.
        search.restart(Goal::Least, cost);
        search.descend();
        // One shows that there are solutions even where none is asked for.
        let limit = limit.max(1);
        leaves.truncate(limit);
        let least = std::mem::take(&mut search.leaves).into_iter().min_by_key(Leaf::key);
        if let Some(least) = least.filter(|_| !search.gave_up()) {
            leaves.retain(|leaf| leaf.sides != least.sides);
            leaves.truncate(limit - 1);
            leaves.push(least);
        }
    }
    leaves.sort_by_cached_key(Leaf::key);
    if leaves.is_empty() { Found::Infeasible } else { Found::Optima { cost, leaves, complete } }
}

/// Whether there is provably no solution, at any cost.
pub(super) fn signs_infeasible(search: &mut Search) -> bool {
    search.restart(Goal::Signs, INF);
    search.signs();
    !search.gave_up() && search.best.is_none()
}

/// Whether a problem has provably no solution (`Some(true)`) or provably one (`Some(false)`).
pub(super) fn infeasible(problem: &Problem, nodes: usize) -> Option<bool> {
    let mut engine = Engine::new(problem.clone());
    if engine.propagate().is_err() {
        return Some(true);
    }
    let mut search = Search::new(engine, nodes);
    if signs_infeasible(&mut search) {
        return Some(true);
    }
    if search.best.is_some() { Some(false) } else { None }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Goal {
    /// The least cost, below the bound.
    Cheapest,
    /// All vectors up to the bound.
    All {
        /// Stop after one more than this.
        limit: usize,
    },
    /// The vectors up to the bound with the least total `M + R`.
    Least,
    /// Any solution.
    Signs,
}

/// The state of a depth-first search.
pub(super) struct Search {
    engine: Engine,
    goal: Goal,
    /// The most a solution may cost.
    bound: i64,
    /// The most a solution's `M + R` may sum to.
    total: i64,
    /// Whether the bound ever cut anything off.
    bounded: bool,
    best: Option<i64>,
    leaves: Vec<Leaf>,
    seen: BTreeSet<Vec<(i64, i64)>>,
    nodes: usize,
    budget: usize,
    unknown: bool,
    done: bool,
    depth: usize,
    /// How many of the choices made were cuts at a fraction.
    fractions: usize,
}

/// A way to narrow a variable: raise its lower or lower its upper bound.
#[derive(Clone, Copy, Debug)]
enum Cut {
    AtLeast(Affine, i64),
    AtMost(Affine, i64),
}

impl Search {
    /// A search from a propagated state, which becomes its root.
    pub(super) fn new(mut engine: Engine, budget: usize) -> Search {
        engine.trail.clear();
        Search {
            engine,
            goal: Goal::Cheapest,
            bound: INF,
            total: INF,
            bounded: false,
            best: None,
            leaves: Vec::new(),
            seen: BTreeSet::new(),
            nodes: 0,
            budget,
            unknown: false,
            done: false,
            depth: 0,
            fractions: 0,
        }
    }

    fn restart(&mut self, goal: Goal, bound: i64) {
        self.engine.undo(0);
        (self.goal, self.bound, self.total, self.bounded) = (goal, bound, INF, false);
        (self.best, self.nodes, self.unknown, self.done) = (None, 0, false, false);
        self.leaves.clear();
        self.seen.clear();
    }

    fn gave_up(&self) -> bool {
        self.nodes > self.budget || self.unknown
    }

    fn descend(&mut self) {
        self.nodes += 1;
        if self.done || self.nodes > self.budget {
            return;
        }
        if !matches!(self.tighten(), Ok(true)) {
            return;
        }
        match self.choices() {
            Some(choices) => {
                for cuts in choices {
                    let mark = self.engine.mark();
                    match cuts.iter().try_for_each(|&cut| self.cut(cut)) {
                        Ok(()) if self.depth < DEEPEST && cuts.iter().all(|&cut| self.holds(cut)) => {
                            self.depth += 1;
                            self.descend();
                            self.depth -= 1;
                        }
                        // The cut lies beyond what is tracked, or values grow without end.
                        Ok(()) => self.unknown = true,
                        Err(_) => {}
                    }
                    self.engine.undo(mark);
                }
            }
            None => self.leaf(),
        }
    }

    fn cut(&mut self, cut: Cut) -> Result<(), Clash> {
        match cut {
            Cut::AtLeast((var, offset), value) => self.engine.set_lo(var, value - offset, Reason::CHOICE),
            Cut::AtMost((var, offset), value) => self.engine.set_hi(var, value - offset, Reason::CHOICE),
        }
    }

    fn holds(&self, cut: Cut) -> bool {
        match cut {
            Cut::AtLeast(side, value) => self.engine.interval(side).0 >= value,
            Cut::AtMost(side, value) => self.engine.interval(side).1 <= value,
        }
    }

    /// Propagates rows and bounds. `Ok(false)`: the bound is exceeded.
    fn tighten(&mut self) -> Result<bool, Clash> {
        // Bounds may creep; a few rounds give what there is to gain.
        for _ in 0..ROUNDS {
            self.engine.propagate()?;
            if self.bound >= INF {
                return Ok(true);
            }
            let mark = self.engine.mark();
            let gates = self.engine.problem.gates.len();
            let (mut least, mut total) = (0, 0);
            for gate in &self.engine.problem.gates {
                least += self.engine.least_cost(gate);
                total += self.engine.interval(gate.m).0 + self.engine.interval(gate.r).0;
            }
            let (slack, spare) = (self.bound - least, self.total.saturating_sub(total));
            if slack < 0 || spare < 0 {
                self.bounded = true;
                return Ok(false);
            }
            for at in 0..gates {
                self.tighten_gate(at, slack, spare)?;
            }
            if self.engine.mark() == mark {
                return Ok(true);
            }
            self.bounded = true;
        }
        self.engine.propagate()?;
        Ok(true)
    }

    fn tighten_gate(&mut self, at: usize, slack: i64, spare: i64) -> Result<(), Clash> {
        let gate = &self.engine.problem.gates[at];
        let (m, r) = (gate.m, gate.r);
        let most = self.engine.least_cost(gate) + slack;
        let frame = self.engine.frame(gate).1;
        let (maps, reps) = (self.engine.interval(m).0, self.engine.interval(r).0);
        let limit = maps.saturating_add(spare);
        self.cut(Cut::AtMost(m, most.min(limit)))?;
        if frame < INF {
            self.cut(Cut::AtMost(r, frame + most - maps))?;
        }
        if spare < INF {
            self.cut(Cut::AtMost(r, reps.saturating_add(spare)))?;
        }
        Ok(())
    }

    /// Looks for any solution, or for the proof that there is none: branch and bound over the relaxation. Branches on a gate with both
    /// sides positive in the relaxation's solution, then on a value that is no integer.
    fn signs(&mut self) {
        let Problem { rows, lo, .. } = &self.engine.problem;
        // A relaxation of many cells counts as several nodes.
        self.nodes += 1 + rows.len() * lo.len() / CELLS_PER_NODE;
        if self.done || self.nodes > self.budget || self.engine.propagate().is_err() || lattice::refuted(&self.engine.problem) {
            return;
        }
        let mut fraction = 0;
        let cuts = match linear::relaxed(&self.engine.problem) {
            Some(Relaxed::Refuted) => return,
            Some(Relaxed::Point(point)) => {
                let positive = |(var, offset): Affine| point[var as usize].exceeds(offset);
                let violated = self.engine.problem.gates.iter().find(|gate| positive(gate.m) && positive(gate.r));
                let fractional = linear::fractional(&self.engine.problem, &point);
                // Cuts at fractions may go on for ever where variables have no bounds; equations without open gates are refuted at once.
                let gate = if self.fractions < FRACTIONS { None } else { self.open_gate() };
                match (violated, fractional, gate) {
                    (Some(gate), ..) => [Cut::AtMost(gate.m, 0), Cut::AtMost(gate.r, 0)],
                    (None, None, _) => {
                        (self.best, self.done) = (Some(0), true);
                        return;
                    }
                    (None, Some(_), Some(cuts)) => cuts,
                    (None, Some(var), None) => {
                        fraction = 1;
                        let Some(below) = point[var].floor() else {
                            self.unknown = true;
                            return;
                        };
                        [Cut::AtMost((var as u32, 0), below), Cut::AtLeast((var as u32, 0), below + 1)]
                    }
                }
            }
            None => match self.open_gate() {
                Some(cuts) => cuts,
                None => {
                    self.unknown = true;
                    return;
                }
            },
        };
        self.fractions += fraction;
        for cut in cuts {
            let mark = self.engine.mark();
            match self.cut(cut) {
                Ok(()) if self.depth < DEEPEST && self.holds(cut) => {
                    self.depth += 1;
                    self.signs();
                    self.depth -= 1;
                }
                // The cut lies beyond what is tracked, or values grow without end.
                Ok(()) => self.unknown = true,
                Err(_) => {}
            }
            self.engine.undo(mark);
        }
        self.fractions -= fraction;
    }

    /// The two ways to choose the zero side of the first gate that is open.
    fn open_gate(&self) -> Option<[Cut; 2]> {
        let open = |gate: &&Gate| self.engine.interval(gate.m).1 > 0 && self.engine.interval(gate.r).1 > 0;
        self.engine.problem.gates.iter().find(open).map(|gate| [Cut::AtMost(gate.m, 0), Cut::AtMost(gate.r, 0)])
    }

    /// The ways to go on, in order; `None` at a leaf.
    fn choices(&self) -> Option<Vec<Vec<Cut>>> {
        for gate in &self.engine.problem.gates {
            let (m, r) = (self.engine.interval(gate.m), self.engine.interval(gate.r));
            let zero = |side| Cut::AtMost(side, 0);
            if m.1 > 0 && r.1 > 0 {
                return Some(vec![
                    vec![zero(gate.m), zero(gate.r)],
                    vec![Cut::AtLeast(gate.m, 1), zero(gate.r)],
                    vec![zero(gate.m), Cut::AtLeast(gate.r, 1)],
                ]);
            }
            for (side, (lo, hi)) in [(gate.m, m), (gate.r, r)] {
                if lo < hi {
                    return Some(vec![vec![Cut::AtMost(side, lo)], vec![Cut::AtLeast(side, lo + 1)]]);
                }
            }
        }
        self.frame_choices()
    }

    /// All sides are fixed; a frame that contains other variables may still leave the cost open.
    fn frame_choices(&self) -> Option<Vec<Vec<Cut>>> {
        for gate in &self.engine.problem.gates {
            let (low, high) = self.engine.frame(gate);
            let rep = self.engine.interval(gate.r).0;
            if low >= high || rep <= low {
                continue;
            }
            let open = gate.frame.iter().find(|term| !self.engine.fixed(term.0));
            if let Some(&(var, _)) = open {
                let lo = self.engine.lo(var);
                return Some(vec![vec![Cut::AtMost((var, 0), lo)], vec![Cut::AtLeast((var, 0), lo + 1)]]);
            }
        }
        None
    }

    fn leaf(&mut self) {
        let gates = &self.engine.problem.gates;
        let side = |side| self.engine.interval(side).0;
        let sides: Vec<(i64, i64)> = gates.iter().map(|gate| (side(gate.m), side(gate.r))).collect();
        if self.seen.contains(&sides) {
            return;
        }
        let cost = gates.iter().map(|gate| self.engine.least_cost(gate)).sum();
        let mark = self.engine.mark();
        let completion = types::complete(&mut self.engine);
        self.engine.undo(mark);
        let values = match completion {
            Completion::Values(values) => values,
            Completion::None => return,
            Completion::Unknown => {
                self.unknown = true;
                return;
            }
        };
        match self.goal {
            Goal::Cheapest => {
                self.best = Some(cost);
                self.bound = cost - 1;
                self.bounded = true;
            }
            Goal::All { limit } => {
                self.seen.insert(sides.clone());
                self.leaves.push(Leaf { sides, values });
                self.done = self.leaves.len() > limit;
            }
            Goal::Least => {
                let total: i64 = sides.iter().map(|(m, r)| m + r).sum();
                let leaf = Leaf { sides, values };
                if total < self.total {
                    self.total = total;
                    self.leaves.clear();
                }
                // Only the first in order is wanted.
                if self.leaves.first().is_none_or(|kept| leaf.key() < kept.key()) {
                    self.leaves = vec![leaf];
                }
            }
            Goal::Signs => {}
        }
    }
}

/// Narrows the intervals of a problem to what solutions up to a cost can have; `None` when nothing changes.
pub(super) fn bounded(problem: &Problem, cost: i64) -> Option<Problem> {
    let mut engine = Engine::new(problem.clone());
    engine.propagate().ok()?;
    let mut search = Search::new(engine, 0);
    search.bound = cost;
    search.engine.record = true;
    if !search.tighten().ok()? {
        return None;
    }
    let Problem { lo, hi, .. } = search.engine.problem;
    if lo == problem.lo && hi == problem.hi {
        return None;
    }
    Some(Problem { lo, hi, ..problem.clone() })
}
