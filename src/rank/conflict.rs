//! Irreducible infeasible subsets, by deletion.

use super::engine::Problem;
use super::exact;
use super::presolve::{self, problem_of};
use super::system::System;
use super::{Conflict, Options};

/// Search nodes per question of the deletion filter.
const NODES: usize = 2_000;

/// A subset of an infeasible system that is still infeasible and of which nothing can be spared.
pub(super) fn explain(system: &System, _options: &Options) -> Conflict {
    let all: Vec<Item> = (0..system.equations.len()).map(Item::Equation).chain((0..system.sites.len()).map(Item::Site)).collect();
    split_up(quick(system, &[], all, false))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
