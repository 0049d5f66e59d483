//! Exact refutation of linear systems: over the rational numbers, and from there over the integers.
//!
//! Interval propagation cannot see that `b = a + c + 1` and `a = b + d` contradict each other: bounds creep upwards for
//! ever. Phase one of the simplex method with Bland's rule, in exact fractions, does. Nor can either see that a system has
//! fractional solutions only: [`solvable`] branches on the fractional parts of the point that the simplex method ends at.
//! This serves as the last word on leaves of the branching over `M = 0` / `R = 0`, so an answer "infeasible" never rests on
//! floating-point numbers.

use super::engine::{Engine, INF, Problem, Reason, gcd};
use super::lattice;

/// Largest tableau that is attempted.
const CELLS: usize = 40_000;
/// Nodes of the branching over fractional values.
const NODES: usize = 200;

/// A reduced fraction with positive denominator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fraction(i128, i128);

impl Fraction {
    const ZERO: Fraction = Fraction(0, 1);

    /// The largest integer that is not larger.
    pub(super) fn floor(self) -> Option<i64> {
        i64::try_from(self.0.div_euclid(self.1)).ok()
    }

    /// Whether it is no integer.
    pub(super) fn is_fractional(self) -> bool {
        self.1 != 1
    }

    /// Whether the sum with an integer is positive.
    pub(super) fn exceeds(self, offset: i64) -> bool {
        i128::from(offset).checked_mul(self.1).and_then(|offset| self.0.checked_add(offset)).is_none_or(|sum| sum > 0)
    }

    fn new(numerator: i128, denominator: i128) -> Option<Fraction> {
        let divisor = gcd(numerator, denominator);
        if divisor == 0 {
            return None;
        }
        let sign = if denominator < 0 { -1 } else { 1 };
        Some(Fraction(sign * numerator / divisor, sign * denominator / divisor))
    }

    fn mul(self, other: Fraction) -> Option<Fraction> {
        Fraction::new(self.0.checked_mul(other.0)?, self.1.checked_mul(other.1)?)
    }

    fn div(self, other: Fraction) -> Option<Fraction> {
        Fraction::new(self.0.checked_mul(other.1)?, self.1.checked_mul(other.0)?)
    }

    fn sub(self, other: Fraction) -> Option<Fraction> {
        let left = self.0.checked_mul(other.1)?;
        let right = other.0.checked_mul(self.1)?;
        Fraction::new(left.checked_sub(right)?, self.1.checked_mul(other.1)?)
    }

    fn less(self, other: Fraction) -> Option<bool> {
        Some(self.0.checked_mul(other.1)? < other.0.checked_mul(self.1)?)
    }
}

/// What the rational relaxation of a problem says, gates aside.
pub(super) enum Relaxed {
    /// No solution in fractions, hence none in integers.
    Refuted,
    /// A solution in fractions: a value per variable.
    Point(Vec<Fraction>),
}

/// Whether the rows of a problem have an integer solution within the intervals, gates aside. `None`: not decided within the
/// budget. Branch and bound over the exact relaxation; what has no solution in integers of any sign is refuted first, as
/// branching would not end there.
pub(super) fn solvable(problem: &Problem) -> Option<bool> {
    let mut nodes = NODES;
    branch(problem.clone(), &mut nodes)
}

fn branch(problem: Problem, nodes: &mut usize) -> Option<bool> {
    *nodes = nodes.checked_sub(1)?;
    let mut engine = Engine::new(problem);
    if engine.propagate().is_err() || lattice::refuted(&engine.problem) {
        return Some(false);
    }
    let problem = engine.problem.clone();
    let point = match relaxed(&problem)? {
        Relaxed::Refuted => return Some(false),
        Relaxed::Point(point) => point,
    };
    let Some(var) = fractional(&problem, &point) else { return Some(true) };
    let below = point[var].floor()?;
    let mut undecided = false;
    for up in [false, true] {
        let mut half = Engine::new(problem.clone());
        let cut = if up { half.set_lo(var as u32, below + 1, Reason::CHOICE) } else { half.set_hi(var as u32, below, Reason::CHOICE) };
        match cut.map(|()| branch(half.problem, nodes)) {
            Ok(Some(true)) => return Some(true),
            Ok(None) => undecided = true,
            Ok(Some(false)) | Err(_) => {}
        }
    }
    if undecided { None } else { Some(false) }
}

/// The variable to branch on: one whose value is no integer. Variables with two bounds come first: they make the search finite.
pub(super) fn fractional(problem: &Problem, point: &[Fraction]) -> Option<usize> {
    let bounded = |var: &usize| problem.hi[*var] < INF;
    (0..point.len()).filter(|&var| point[var].is_fractional()).min_by_key(|var| (!bounded(var), *var))
}

/// Solves the relaxation; `None` when it is too large.
pub(super) fn relaxed(problem: &Problem) -> Option<Relaxed> {
    let tableau = Tableau::new(problem)?;
    let mut point: Vec<Fraction> = problem.lo.iter().map(|&lo| Fraction(lo.into(), 1)).collect();
    let open: Vec<usize> = (0..problem.lo.len()).filter(|&var| problem.lo[var] < problem.hi[var]).collect();
    let Some(shifts) = tableau.solve()? else { return Some(Relaxed::Refuted) };
    for (&var, shift) in open.iter().zip(shifts) {
        point[var] = shift.sub(Fraction(-i128::from(problem.lo[var]), 1))?;
    }
    Some(Relaxed::Point(point))
}

/// Rows `x_basic + .. = rhs`; the last column is the right-hand side, the last row the objective (sum of artificials).
struct Tableau {
    cells: Vec<Vec<Fraction>>,
    basis: Vec<usize>,
}

impl Tableau {
    /// Shifts variables to start at zero, adds slacks for upper bounds and one artificial per row.
    fn new(problem: &Problem) -> Option<Tableau> {
        let open: Vec<u32> = (0..problem.lo.len() as u32).filter(|&v| problem.lo[v as usize] < problem.hi[v as usize]).collect();
        let bounded: Vec<usize> = (0..open.len()).filter(|&at| problem.hi[open[at] as usize] < INF).collect();
        let mut column = vec![usize::MAX; problem.lo.len()];
        open.iter().enumerate().for_each(|(at, &var)| column[var as usize] = at);
        let used = |row: &&super::engine::Row| row.terms.iter().any(|term| column[term.0 as usize] != usize::MAX);
        let rows = problem.rows.iter().filter(used).count() + bounded.len();
        let columns = open.len() + bounded.len() + 1;
        if rows.checked_mul(columns)? > CELLS {
            return None;
        }
        let mut cells = Vec::with_capacity(rows + 1);
        for row in problem.rows.iter().filter(used) {
            let mut line = vec![0i128; columns];
            let mut constant = i128::from(row.constant);
            for &(var, c) in &row.terms {
                constant += i128::from(c) * i128::from(problem.lo[var as usize]);
                if column[var as usize] != usize::MAX {
                    line[column[var as usize]] += i128::from(c);
                }
            }
            line[columns - 1] = -constant;
            cells.push(line);
        }
        for (slack, &at) in bounded.iter().enumerate() {
            let mut line = vec![0i128; columns];
            (line[at], line[open.len() + slack]) = (1, 1);
            let var = open[at] as usize;
            line[columns - 1] = i128::from(problem.hi[var] - problem.lo[var]);
            cells.push(line);
        }
        let mut objective = vec![0i128; columns];
        for line in &mut cells {
            if line[columns - 1] < 0 {
                line.iter_mut().for_each(|cell| *cell = -*cell);
            }
            objective.iter_mut().zip(&*line).for_each(|(sum, cell)| *sum += cell);
        }
        cells.push(objective);
        let cells = cells.into_iter().map(|line| line.into_iter().map(|cell| Fraction(cell, 1)).collect()).collect();
        // Artificials are never entered again, so they need no columns: basis indices beyond the columns stand for them.
        Some(Tableau { cells, basis: (0..rows).map(|row| columns + row).collect() })
    }

    /// Drives the artificials out; they cannot leave when the minimum of their sum is positive. The values of the columns, `None`
    /// when there are none.
    fn solve(mut self) -> Option<Option<Vec<Fraction>>> {
        let rows = self.basis.len();
        let last = self.cells[rows].len() - 1;
        for _ in 0..2_000 {
            if self.cells[rows][last] == Fraction::ZERO {
                return Some(Some(self.point()));
            }
            let Some(enter) = (0..last).find(|&column| self.cells[rows][column].0 > 0) else {
                return Some(None);
            };
            let mut leave: Option<(usize, Fraction)> = None;
            for row in 0..rows {
                let cell = self.cells[row][enter];
                if cell.0 <= 0 {
                    continue;
                }
                let ratio = self.cells[row][last].div(cell)?;
                let better = match leave {
                    None => true,
                    Some((best, least)) => ratio.less(least)? || (ratio == least && self.basis[row] < self.basis[best]),
                };
                if better {
                    leave = Some((row, ratio));
                }
            }
            let (row, _) = leave?;
            self.pivot(row, enter)?;
        }
        None
    }

    /// The values of the columns in the present basis.
    fn point(&self) -> Vec<Fraction> {
        let last = self.cells[self.basis.len()].len() - 1;
        let mut point = vec![Fraction::ZERO; last];
        for (row, &column) in self.basis.iter().enumerate() {
            if let Some(value) = point.get_mut(column) {
                *value = self.cells[row][last];
            }
        }
        point
    }

    fn pivot(&mut self, row: usize, column: usize) -> Option<()> {
        let pivot = self.cells[row][column];
        for cell in &mut self.cells[row] {
            *cell = cell.div(pivot)?;
        }
        let line = self.cells[row].clone();
        for (at, other) in self.cells.iter_mut().enumerate() {
            let factor = other[column];
            if at != row && factor != Fraction::ZERO {
                for (cell, &base) in other.iter_mut().zip(&line) {
                    if base != Fraction::ZERO {
                        *cell = cell.sub(factor.mul(base)?)?;
                    }
                }
            }
        }
        self.basis[row] = column;
        Some(())
    }
}
