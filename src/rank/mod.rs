//! Rank systems: how many `map`s and `rep`s does every application need?
//!
//! Rank inference (Schenck et al., *AUTOMAP*, OOPSLA 2024, sections 4.6 and 4.8) annotates each application with two
//! unknown natural numbers `M` (implicit maps) and `R` (implicit reps) of which at least one is zero. Equality of types
//! gives linear equations over them and over the ranks of type variables. This module finds *every* cheapest way to
//! satisfy such a system, exactly. It knows nothing of syntax or types.
//!
//! Glossary:
//! - **site**: one application, with its `M`, its `R` and its *frame*, the rank that maps on earlier arguments of the same
//!   curried application contributed;
//! - **cost** of a site: `M + max(0, R - frame)`. A rep up to the frame is *induced* by earlier maps and free;
//! - **optimum**: a vector of all `(M, R)` of least total cost. Type ranks are not part of it: they are the smallest
//!   ones that go with the vector;
//! - **component**: sites that influence each other. Components are independent questions: two components with two
//!   optima each are two small ambiguities, not four readings.
//!
//! How a system is solved, in reading order:
//! 1. `presolve` propagates intervals and merges variables that differ by a constant; `face` decides sites whose cheapest
//!    choice is local; ordinary annotated programs end here;
//! 2. `exact` answers small components by branching on `M = 0` / `R = 0`, in integer arithmetic;
//! 3. `buckets` narrows larger ones of small width to what occurs in optima, by dynamic programming, so that small ones remain;
//! 4. `relax` and `dual` take wide components apart: prices from the dual of the linear relaxation, checked in integers,
//!    prove the least cost and fix what is the same in all optima, so that small components remain;
//! 5. `ilp` hands what resists to CBC for a limited number of steps, with bounds derived from the system, never a large constant;
//! 6. `strategy` orders these methods and lists all optima; `conflict` names an irreducible infeasible subset.
//!
//! Invariants: every solution that leaves [`solve`] has passed [`verify`] in exact arithmetic; the answer does not depend
//! on the order of the equations; a failure of the integer program is [`RankOutcome::TooHard`], never a guess.

mod buckets;
mod conflict;
mod dual;
mod engine;
mod exact;
mod face;
mod hard;
mod ilp;
mod lattice;
mod linear;
mod merge;
mod presolve;
mod relax;
mod strategy;
mod system;
pub mod text;
mod types;

use crate::base::ice;

pub use hard::TooHard;
pub use ilp::{look_for_solver_in, solver_version};
pub use system::{Equation, LinExpr, Site, System, Var, VarKind, verify};

/// Most optima of one component that are listed; a component with more is reported as incomplete.
pub const MAX_OPTIMA: usize = 256;

/// What solving a system led to.
#[derive(Clone, Debug)]
pub enum RankOutcome {
    /// The system has solutions; the cheapest are listed.
    Solved(Solution),
    /// The system has no solution, because of the conflict.
    Infeasible(Conflict),
    /// The solver gave up, for this reason. It never answers wrongly instead.
    TooHard(TooHard),
}

/// The cheapest solutions of a system.
#[derive(Clone, Debug)]
pub struct Solution {
    /// A value for each variable: the canonical optimum.
    pub values: Vec<u32>,
    /// The least cost.
    pub cost: u64,
    /// The components with two or more optima, ordered by their first site. Empty: the solution is unique.
    pub components: Vec<Component>,
    /// How much work it was.
    pub stats: Stats,
}

/// Sites that influence each other and have several optima of equal cost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Component {
    /// Indices into [`System::sites`], ascending: the sites whose `(M, R)` is not the same in all optima.
    pub sites: Vec<usize>,
    /// Each optimum as `(M, R)` per site of the component. The first is the canonical one: least total `M + R`, then the
    /// lexicographically greatest vector of `M` in site order, then the least vector of `R`. The rest follow in this order. Where not
    /// all are listed, the canonical one may be the first of those that were found.
    pub optima: Vec<Vec<(u32, u32)>>,
    /// False when there are more optima than are listed.
    pub complete: bool,
    /// For each optimum, the variables of the component with their values, type ranks included and smallest. Variables
    /// that are not mentioned keep the value of the canonical solution.
    pub values: Vec<Vec<(Var, u32)>>,
}

/// Parts of an infeasible system that cannot all hold; without any one of them, the rest can.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Conflict {
    /// Indices into [`System::equations`].
    pub equations: Vec<usize>,
    /// Indices into [`System::sites`]: those whose "`M = 0` or `R = 0`" is needed for the contradiction.
    pub sites: Vec<usize>,
}

/// How much work solving was.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Sites of the system.
    pub applications: usize,
    /// Sites that presolve left undecided.
    pub undecided: usize,
    /// Variables of the system.
    pub variables: usize,
    /// Equations and site disjunctions of the system.
    pub constraints: usize,
    /// Connected components with undecided sites after presolve.
    pub components: usize,
    /// Runs of the integer program solver.
    pub ilp_solves: usize,
}

/// Which method answers what presolve leaves open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// Own exact methods first, the integer program for what is too large for them.
    #[default]
    Auto,
    /// The integer program for every component (for cross-checks).
    Ilp,
    /// Branching in integer arithmetic only (for cross-checks).
    Exact,
    /// Nothing: whatever presolve leaves undecided is too hard (for tests of presolve).
    Presolve,
}

/// Limits and choices of [`solve`].
#[derive(Clone, Debug)]
pub struct Options {
    /// Whether the integer program solver may run at all.
    pub use_ilp: bool,
    /// Which method to use.
    pub method: Method,
    /// Components of at most this many undecided sites are solved by branching, larger ones are first taken apart.
    pub exact_sites: usize,
    /// Search nodes that branching may visit per question before it gives up.
    pub exact_nodes: usize,
    /// Most optima listed per component.
    pub max_optima: usize,
    /// Whether an infeasible system is reduced to an irreducible conflict; otherwise the conflict is the whole system.
    pub explain: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options { use_ilp: true, method: Method::Auto, exact_sites: 12, exact_nodes: 20_000, max_optima: MAX_OPTIMA, explain: true }
    }
}

/// Finds the least cost of a system and all its optima, component by component.
pub fn solve(system: &System, options: &Options) -> RankOutcome {
    ice::named("rank", || strategy::solve_system(system, options))
}
