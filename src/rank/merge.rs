//! Presolve's second half: rewriting rows while variables are merged that differ by a constant.
//!
//! Union-find with offsets: each variable is its root plus a constant. Rows are rewritten over open roots whenever one of
//! their variables changes; the smaller side's rows move at a merge, so the work is near linear in the size of the system.

use super::engine::{Affine, Clash, Engine, NONE, Problem, Reason, Row, gcd};

/// Coefficients beyond this are refused.
pub(super) const LARGEST: i128 = 1 << 40;

/// Why presolve stopped early.
#[derive(Debug)]
pub(super) enum Stop {
    /// A contradiction.
    Clash,
    /// Numbers became too large to be handled exactly.
    TooLarge,
}

impl From<Clash> for Stop {
    fn from(_: Clash) -> Stop {
        Stop::Clash
    }
}

/// A problem under presolve.
#[derive(Clone, Debug)]
pub(super) struct Merger {
    pub(super) engine: Engine,
    parent: Vec<Affine>,
}

impl Merger {
    pub(super) fn new(problem: Problem) -> Merger {
        let parent = (0..problem.lo.len() as u32).map(|var| (var, 0)).collect();
        let mut engine = Engine::new(problem);
        engine.record = false;
        Merger { engine, parent }
    }

    /// The root of a variable and what to add to it.
    pub(super) fn find(&mut self, var: u32) -> Affine {
        let (mut root, mut offset) = (var, 0);
        while self.parent[root as usize].0 != root {
            let (next, step) = self.parent[root as usize];
            (root, offset) = (next, offset + step);
        }
        let (mut at, mut left) = (var, offset);
        while self.parent[at as usize].0 != root {
            let (next, step) = self.parent[at as usize];
            self.parent[at as usize] = (root, left);
            (at, left) = (next, left - step);
        }
        (root, offset)
    }

    /// Runs everything that is queued to the end.
    pub(super) fn run(&mut self) -> Result<(), Stop> {
        self.engine.new_round();
        loop {
            if let Some(gate) = self.engine.next_gate() {
                self.engine.run_gate(gate)?;
            } else if let Some(row) = self.engine.next_row() {
                self.rewrite(row)?;
                self.engine.run_row(row)?;
            } else {
                return Ok(());
            }
        }
    }

    /// Writes a row over open roots, and turns `x = y + constant` into a merge.
    fn rewrite(&mut self, at: u32) -> Result<(), Stop> {
        let Row { terms, constant, pairs } = std::mem::take(&mut self.engine.problem.rows[at as usize]);
        let (mut terms, constant) = self.resolve(terms, constant)?;
        let divisor = terms.iter().fold(0, |divisor, &(_, c)| gcd(divisor, c.into()));
        let mut constant = i128::from(constant);
        if divisor > 1 {
            if constant % divisor != 0 {
                return Err(Stop::Clash);
            }
            constant /= divisor;
            terms.iter_mut().for_each(|term| term.1 = (i128::from(term.1) / divisor) as i64);
        }
        let constant = constant as i64;
        match terms[..] {
            [] if constant != 0 => return Err(Stop::Clash),
            [(x, a), (y, b)] if a + b == 0 && a.abs() == 1 => {
                // a x - a y + constant = 0, so x = y - a constant.
                return self.merge(x, y, -a * constant);
            }
            _ => {}
        }
        self.engine.problem.rows[at as usize] = Row { terms, constant, pairs };
        self.engine.find_pairs(at);
        Ok(())
    }

    /// A sum over open roots: sorted, added up, without zeros.
    pub(super) fn resolve(&mut self, terms: Vec<(u32, i64)>, constant: i64) -> Result<(Vec<(u32, i64)>, i64), Stop> {
        let mut constant = i128::from(constant);
        let mut open: Vec<(u32, i64)> = terms;
        open.retain_mut(|(var, c)| {
            let (root, offset) = self.find(*var);
            constant += i128::from(*c) * i128::from(offset);
            *var = root;
            let fixed = self.engine.fixed(root);
            if fixed {
                constant += i128::from(*c) * i128::from(self.engine.lo(root));
            }
            !fixed
        });
        open.sort_unstable_by_key(|&(var, _)| var);
        open.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 = kept.1.saturating_add(next.1);
            }
            same
        });
        open.retain(|&(_, c)| c != 0);
        if constant.abs() > LARGEST || open.iter().any(|&(_, c)| i128::from(c).abs() > LARGEST) {
            return Err(Stop::TooLarge);
        }
        Ok((open, constant as i64))
    }

    /// Records `x = y + offset` of two different roots.
    fn merge(&mut self, x: u32, y: u32, offset: i64) -> Result<(), Stop> {
        let weigh = |var: u32| self.engine.rows_of[var as usize].len() + self.engine.gates_of[var as usize].len();
        let (root, child, offset) = if weigh(x) > weigh(y) { (x, y, -offset) } else { (y, x, offset) };
        let reason = Reason { row: NONE, gate: NONE };
        let (lo, hi) = self.engine.interval((child, -offset));
        self.engine.set_lo(root, lo, reason)?;
        self.engine.set_hi(root, hi, reason)?;
        self.parent[child as usize] = (root, offset);
        self.engine.problem.weight[root as usize] += self.engine.problem.weight[child as usize];
        for row in std::mem::take(&mut self.engine.rows_of[child as usize]) {
            self.engine.queue_row(row);
            self.engine.rows_of[root as usize].push(row);
        }
        for at in std::mem::take(&mut self.engine.gates_of[child as usize]) {
            let gate = &mut self.engine.problem.gates[at as usize];
            for side in [&mut gate.m, &mut gate.r] {
                if side.0 == child {
                    *side = (root, side.1 + offset);
                }
            }
            self.engine.queue_gate(at);
            self.engine.gates_of[root as usize].push(at);
            // The other side may now stand in a row with this one.
            for index in 0..self.engine.rows_of[root as usize].len().min(16) {
                let row = self.engine.rows_of[root as usize][index];
                self.engine.queue_row(row);
            }
        }
        Ok(())
    }
}
