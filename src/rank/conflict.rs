//! Irreducible infeasible subsets: the reasons of a contradiction, reduced by deletion.

use std::collections::BTreeSet;

use super::Conflict;
use super::engine::{Engine, NONE, Problem, Reason};
use super::exact;
use super::presolve::{self, problem_of};
use super::system::System;

/// Search nodes per question of the deletion filter.
const NODES: usize = 2_000;

/// A subset of an infeasible system that is still infeasible and of which nothing can be spared.
pub(super) fn explain(system: &System) -> Conflict {
    let all = || (0..system.equations.len()).map(Item::Equation).chain((0..system.sites.len()).map(Item::Site)).collect();
    let start = propagation(system).filter(|items| infeasible(system, &[items])).unwrap_or_else(all);
    split_up(quick(system, &[], start, false))
}

/// The equations and sites that a contradiction of plain interval propagation rests on, found backwards along the trail;
/// `None` when propagation finds no contradiction.
fn propagation(system: &System) -> Option<Vec<Item>> {
    let mut engine = Engine::new(problem_of(system, None).ok()?);
    let clash = engine.propagate().err()?;
    let mut trace = Trace { engine: &engine, needed: vec![false; engine.problem.lo.len()], items: BTreeSet::new() };
    trace.reason(clash.reason);
    if clash.var != NONE {
        trace.needed[clash.var as usize] = true;
    }
    for entry in engine.trail.iter().rev() {
        if trace.needed[entry.var as usize] {
            trace.reason(entry.reason);
        }
    }
    Some(trace.items.into_iter().collect())
}

struct Trace<'a> {
    engine: &'a Engine,
    /// Variables whose bounds matter.
    needed: Vec<bool>,
    items: BTreeSet<Item>,
}

impl Trace<'_> {
    fn reason(&mut self, Reason { row, gate }: Reason) {
        if row != NONE && self.items.insert(Item::Equation(row as usize)) {
            self.engine.problem.rows[row as usize].terms.iter().for_each(|term| self.needed[term.0 as usize] = true);
        }
        if gate != NONE && self.items.insert(Item::Site(gate as usize)) {
            let gate = &self.engine.problem.gates[gate as usize];
            [gate.m, gate.r].iter().for_each(|side| self.needed[side.0 as usize] = true);
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Item {
    Equation(usize),
    Site(usize),
}

fn split_up(items: Vec<Item>) -> Conflict {
    let mut conflict = Conflict::default();
    for item in items {
        match item {
            Item::Equation(at) => conflict.equations.push(at),
            Item::Site(at) => conflict.sites.push(at),
        }
    }
    conflict.equations.sort_unstable();
    conflict.sites.sort_unstable();
    conflict
}

/// Whether the items have provably no solution.
fn infeasible(system: &System, items: &[&[Item]]) -> bool {
    let Conflict { equations, sites } = split_up(items.concat());
    let Ok(problem) = problem_of(system, Some((&equations, &sites))) else { return false };
    refuted(problem)
}

fn refuted(problem: Problem) -> bool {
    let Ok(presolved) = presolve::presolve(problem) else { return true };
    presolved.pieces.iter().any(|piece| exact::infeasible(&piece.problem, NODES) == Some(true))
}

/// Junker's QuickXplain: the items of `all` that are needed beside `base`. `fresh`: `base` grew since it was last tested.
fn quick(system: &System, base: &[Item], all: Vec<Item>, fresh: bool) -> Vec<Item> {
    if fresh && infeasible(system, &[base]) {
        return Vec::new();
    }
    if all.len() <= 1 {
        return all;
    }
    let (left, right) = all.split_at(all.len() / 2);
    let with_left = [base, left].concat();
    let right = quick(system, &with_left, right.to_vec(), !left.is_empty());
    let with_right = [base, &right[..]].concat();
    let mut left = quick(system, &with_right, left.to_vec(), !right.is_empty());
    left.extend(right);
    left
}
