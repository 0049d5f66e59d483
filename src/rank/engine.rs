//! Interval propagation over rows (linear equations) and gates (sites), with a trail for undoing and for explanations.
//!
//! All arithmetic is exact: bounds are `i64` far from overflow, sums are `i128`. Propagation that would creep upwards
//! without end (as `x = x + y + 1` does) is cut off after a number of steps per variable, which loses strength, not truth.

use std::collections::VecDeque;

/// An upper bound that stands for "none".
pub(super) const INF: i64 = 1 << 60;
/// Bounds beyond this are not tracked.
const TRACKED: i64 = 1 << 40;
/// Bound updates per variable and call of [`Engine::propagate`].
const UPDATES: u32 = 120;
/// No row, no gate.
pub(super) const NONE: u32 = u32::MAX;

/// A variable plus a constant.
pub(super) type Affine = (u32, i64);

/// `constant + sum of coefficient * variable = 0`.
#[derive(Clone, Debug, Default)]
pub(super) struct Row {
    pub(super) terms: Vec<(u32, i64)>,
    pub(super) constant: i64,
    /// Gates whose two sides both occur in the row, with the coefficients of M and R.
    pub(super) pairs: Vec<(u32, i64, i64)>,
}

/// A site: one of `m`, `r` is zero.
#[derive(Clone, Debug)]
pub(super) struct Gate {
    /// Index of the site in the system.
    pub(super) id: u32,
    pub(super) m: Affine,
    pub(super) r: Affine,
    pub(super) frame: Vec<(u32, i64)>,
    pub(super) frame_constant: i64,
}

/// A rank problem in solver form. All variables lie in `lo..=hi`.
#[derive(Clone, Debug, Default)]
pub(super) struct Problem {
    pub(super) lo: Vec<i64>,
    pub(super) hi: Vec<i64>,
    /// How many type variables a variable stands for: its weight when type ranks are minimised.
    pub(super) weight: Vec<u32>,
    pub(super) rows: Vec<Row>,
    pub(super) gates: Vec<Gate>,
}

/// Why a bound holds or clashes: a row, a gate, or both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Reason {
    pub(super) row: u32,
    pub(super) gate: u32,
}

impl Reason {
    pub(super) const CHOICE: Reason = Reason { row: NONE, gate: NONE };

    fn gate(gate: u32) -> Reason {
        Reason { row: NONE, gate }
    }
}

/// A contradiction: its reason and the variable whose bounds crossed, if it was one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clash {
    pub(super) reason: Reason,
    pub(super) var: u32,
}

/// A bound that was changed: the old interval and the reason of the change.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub(super) var: u32,
    lo: i64,
    hi: i64,
    pub(super) reason: Reason,
}

/// The range of a sum, with the number of unbounded parts on each side.
#[derive(Clone, Copy, Debug)]
pub(super) struct Range {
    lo: i128,
    hi: i128,
    lo_open: u32,
    hi_open: u32,
}

impl Range {
    pub(super) fn point(value: i64) -> Range {
        Range { lo: value.into(), hi: value.into(), lo_open: 0, hi_open: 0 }
    }

    /// Adds (`sign` 1) or takes away (`sign` -1) the range of `c * [lo, hi]`.
    fn add(&mut self, c: i64, lo: i64, hi: i64, sign: i128) {
        let (low, high) = if c > 0 { (lo, hi) } else { (hi, lo) };
        let count = |open: &mut u32| *open = if sign > 0 { *open + 1 } else { *open - 1 };
        if low >= INF {
            count(&mut self.lo_open);
        } else {
            self.lo += sign * i128::from(c) * i128::from(low);
        }
        if high >= INF {
            count(&mut self.hi_open);
        } else {
            self.hi += sign * i128::from(c) * i128::from(high);
        }
    }

    pub(super) fn low(&self) -> Option<i128> {
        (self.lo_open == 0).then_some(self.lo)
    }

    pub(super) fn high(&self) -> Option<i128> {
        (self.hi_open == 0).then_some(self.hi)
    }

    /// The bounds of `x` where `c * x + self = 0`.
    fn solve_for(&self, c: i64) -> (Option<i128>, Option<i128>) {
        let c = i128::from(c);
        let (from, to) = if c > 0 { (self.high().map(|high| -high), self.low().map(|low| -low)) } else { (self.low(), self.high()) };
        (from.map(|x| -((-x).div_euclid(c.abs()))), to.map(|x| x.div_euclid(c.abs())))
    }
}

/// Narrows `[lo, hi]` by optional bounds.
fn intersect((lo, hi): (i64, i64), (from, to): (Option<i128>, Option<i128>)) -> (i128, i128) {
    (from.map_or(lo.into(), |x| x.max(lo.into())), to.map_or(hi.into(), |x| x.min(hi.into())))
}

/// The propagation state of a problem.
#[derive(Clone, Debug)]
pub(super) struct Engine {
    pub(super) problem: Problem,
    /// Rows by variable.
    pub(super) rows_of: Vec<Vec<u32>>,
    /// Gates by variable (as M or R).
    pub(super) gates_of: Vec<Vec<u32>>,
    row_queue: VecDeque<u32>,
    row_queued: Vec<bool>,
    gate_queue: Vec<u32>,
    pub(super) trail: Vec<Entry>,
    /// Whether changes are recorded on the trail.
    pub(super) record: bool,
    updates: Vec<(u32, u32)>,
    epoch: u32,
    /// Some bound was too far out to be tracked: the state is weaker than it could be.
    pub(super) capped: bool,
}

impl Engine {
    /// The state before any propagation, with everything queued.
    pub(super) fn new(problem: Problem) -> Engine {
        let vars = problem.lo.len();
        let mut rows_of = vec![Vec::new(); vars];
        let mut gates_of = vec![Vec::new(); vars];
        for (at, row) in problem.rows.iter().enumerate() {
            for &(var, _) in &row.terms {
                rows_of[var as usize].push(at as u32);
            }
        }
        for (at, gate) in problem.gates.iter().enumerate() {
            gates_of[gate.m.0 as usize].push(at as u32);
            if gate.r.0 != gate.m.0 {
                gates_of[gate.r.0 as usize].push(at as u32);
            }
        }
        let rows = problem.rows.len();
        let mut engine = Engine {
            row_queue: (0..rows as u32).collect(),
            row_queued: vec![true; rows],
            gate_queue: (0..problem.gates.len() as u32).rev().collect(),
            problem,
            rows_of,
            gates_of,
            trail: Vec::new(),
            record: true,
            updates: vec![(0, 0); vars],
            epoch: 1,
            capped: false,
        };
        for row in 0..rows as u32 {
            engine.find_pairs(row);
        }
        engine
    }

    /// Records which gates have both sides in a row.
    pub(super) fn find_pairs(&mut self, row: u32) {
        let mut pairs = std::mem::take(&mut self.problem.rows[row as usize].pairs);
        pairs.clear();
        let terms = &self.problem.rows[row as usize].terms;
        // Rows come sorted from `merge`; a linear search suffices for the usual handful of terms.
        let sorted = terms.is_sorted_by_key(|&(var, _)| var);
        let coefficient = |var: u32| match sorted {
            true => terms.binary_search_by_key(&var, |&(var, _)| var).ok().map(|at| terms[at].1),
            false => terms.iter().find(|term| term.0 == var).map(|term| term.1),
        };
        for &(var, c) in terms {
            // A variable of very many gates is not worth the walk.
            if self.gates_of[var as usize].len() > 16 {
                continue;
            }
            for &at in &self.gates_of[var as usize] {
                let gate = &self.problem.gates[at as usize];
                if gate.m.0 == var
                    && gate.r.0 != var
                    && let Some(other) = coefficient(gate.r.0)
                {
                    pairs.push((at, c, other));
                }
            }
        }
        self.problem.rows[row as usize].pairs = pairs;
    }

    pub(super) fn lo(&self, var: u32) -> i64 {
        self.problem.lo[var as usize]
    }

    pub(super) fn hi(&self, var: u32) -> i64 {
        self.problem.hi[var as usize]
    }

    pub(super) fn fixed(&self, var: u32) -> bool {
        self.lo(var) == self.hi(var)
    }

    /// The interval of a variable plus a constant; the upper end stays `INF`.
    pub(super) fn interval(&self, (var, offset): Affine) -> (i64, i64) {
        let hi = self.hi(var);
        (self.lo(var) + offset, if hi >= INF { INF } else { hi + offset })
    }

    /// The range of the frame of a gate, cut off below at zero.
    pub(super) fn frame(&self, gate: &Gate) -> (i64, i64) {
        let mut range = Range::point(gate.frame_constant);
        for &(var, c) in &gate.frame {
            range.add(c, self.lo(var), self.hi(var), 1);
        }
        let clamp = |x: i128| x.clamp(-i128::from(TRACKED), i128::from(INF)) as i64;
        (range.low().map_or(-TRACKED, clamp), range.high().map_or(INF, clamp))
    }

    /// The least cost that a gate can have in the present intervals.
    pub(super) fn least_cost(&self, gate: &Gate) -> i64 {
        self.interval(gate.m).0 + (self.interval(gate.r).0 - self.frame(gate).1).max(0)
    }

    pub(super) fn queue_row(&mut self, row: u32) {
        if !self.row_queued[row as usize] {
            self.row_queued[row as usize] = true;
            self.row_queue.push_back(row);
        }
    }

    pub(super) fn queue_gate(&mut self, gate: u32) {
        self.gate_queue.push(gate);
    }

    pub(super) fn next_gate(&mut self) -> Option<u32> {
        self.gate_queue.pop()
    }

    pub(super) fn next_row(&mut self) -> Option<u32> {
        let row = self.row_queue.pop_front()?;
        self.row_queued[row as usize] = false;
        Some(row)
    }

    fn change(&mut self, var: u32, lo: i64, hi: i64, reason: Reason) -> Result<(), Clash> {
        let at = var as usize;
        if lo <= hi && lo < hi {
            if lo > TRACKED {
                self.capped = true;
                return Ok(());
            }
            let (epoch, count) = &mut self.updates[at];
            if *epoch != self.epoch {
                (*epoch, *count) = (self.epoch, 0);
            }
            *count += 1;
            if *count > UPDATES {
                self.capped = true;
                return Ok(());
            }
        }
        if self.record {
            self.trail.push(Entry { var, lo: self.problem.lo[at], hi: self.problem.hi[at], reason });
        }
        if lo > hi {
            return Err(Clash { reason, var });
        }
        (self.problem.lo[at], self.problem.hi[at]) = (lo, hi);
        for index in 0..self.rows_of[at].len() {
            self.queue_row(self.rows_of[at][index]);
        }
        for index in 0..self.gates_of[at].len() {
            self.queue_gate(self.gates_of[at][index]);
        }
        Ok(())
    }

    /// Raises the lower bound of a variable.
    pub(super) fn set_lo(&mut self, var: u32, lo: i64, reason: Reason) -> Result<(), Clash> {
        if lo > self.lo(var) { self.change(var, lo, self.hi(var), reason) } else { Ok(()) }
    }

    /// Lowers the upper bound of a variable.
    pub(super) fn set_hi(&mut self, var: u32, hi: i64, reason: Reason) -> Result<(), Clash> {
        if hi < self.hi(var) { self.change(var, self.lo(var), hi, reason) } else { Ok(()) }
    }

    /// Sets `var + offset = value`.
    pub(super) fn fix(&mut self, (var, offset): Affine, value: i64, reason: Reason) -> Result<(), Clash> {
        self.set_lo(var, value - offset, reason)?;
        self.set_hi(var, value - offset, reason)
    }

    fn narrow(&mut self, var: u32, from: i128, to: i128, reason: Reason) -> Result<(), Clash> {
        let bound = |x: i128| x.clamp(-i128::from(INF), i128::from(INF)) as i64;
        self.set_lo(var, bound(from), reason)?;
        self.set_hi(var, bound(to), reason)
    }

    /// Runs rows and gates until nothing changes.
    pub(super) fn propagate(&mut self) -> Result<(), Clash> {
        self.epoch += 1;
        loop {
            if let Some(gate) = self.next_gate() {
                self.run_gate(gate)?;
            } else if let Some(row) = self.next_row() {
                self.run_row(row)?;
            } else {
                return Ok(());
            }
        }
    }

    /// A new round: variables may be updated [`UPDATES`] times again.
    pub(super) fn new_round(&mut self) {
        self.epoch += 1;
    }

    /// One side positive makes the other zero.
    pub(super) fn run_gate(&mut self, at: u32) -> Result<(), Clash> {
        let gate = &self.problem.gates[at as usize];
        let (m, r) = (gate.m, gate.r);
        let reason = Reason::gate(at);
        if m.0 == r.0 {
            // M and R differ by a constant, so the smaller one is zero.
            let zero = if r.1 >= m.1 { m } else { r };
            return self.fix(zero, 0, reason);
        }
        if self.interval(m).0 > 0 {
            self.fix(r, 0, reason)?;
        }
        if self.interval(r).0 > 0 {
            self.fix(m, 0, reason)?;
        }
        Ok(())
    }

    /// Narrows every variable of a row by the others.
    pub(super) fn run_row(&mut self, at: u32) -> Result<(), Clash> {
        let row = std::mem::take(&mut self.problem.rows[at as usize]);
        let result = self.tighten(&row, at);
        self.problem.rows[at as usize] = row;
        result
    }

    /// The range of the left-hand side of a row.
    pub(super) fn range(&self, row: &Row) -> Range {
        let mut sum = Range::point(row.constant);
        for &(var, c) in &row.terms {
            sum.add(c, self.lo(var), self.hi(var), 1);
        }
        sum
    }

    fn tighten(&mut self, row: &Row, at: u32) -> Result<(), Clash> {
        let reason = Reason { row: at, gate: NONE };
        let mut sum = self.range(row);
        if sum.low().is_some_and(|low| low > 0) || sum.high().is_some_and(|high| high < 0) || !self.divisible(row) {
            return Err(Clash { reason, var: NONE });
        }
        if sum.lo_open < 2 || sum.hi_open < 2 {
            for &(var, c) in &row.terms {
                let (lo, hi) = (self.lo(var), self.hi(var));
                if lo == hi {
                    continue;
                }
                let mut rest = sum;
                rest.add(c, lo, hi, -1);
                let (from, to) = intersect((lo, hi), rest.solve_for(c));
                self.narrow(var, from, to, reason)?;
                rest.add(c, self.lo(var), self.hi(var), 1);
                sum = rest;
            }
        }
        for &(gate, cm, cr) in &row.pairs {
            self.run_pair(row, Reason { row: at, gate }, cm, cr)?;
        }
        Ok(())
    }

    /// Whether the greatest common divisor of the open coefficients divides the rest.
    fn divisible(&self, row: &Row) -> bool {
        if row.terms.iter().any(|&(var, c)| c.abs() == 1 && !self.fixed(var)) {
            return true;
        }
        let (mut divisor, mut rest) = (0i128, i128::from(row.constant));
        for &(var, c) in &row.terms {
            if self.fixed(var) {
                rest += i128::from(c) * i128::from(self.lo(var));
            } else {
                divisor = gcd(divisor, c.into());
            }
        }
        if divisor == 0 { rest == 0 } else { rest % divisor == 0 }
    }

    /// In a row with both sides of a gate, either `R = 0` and `M` solves the row, or the other way round: the sides stay
    /// within the hull of the two cases. With `d` the range of the rest this is `M <= max(d, 0)`, `R <= max(-d, 0)`.
    fn run_pair(&mut self, row: &Row, reason: Reason, cm: i64, cr: i64) -> Result<(), Clash> {
        let gate = &self.problem.gates[reason.gate as usize];
        let (m, r) = (gate.m, gate.r);
        if self.fixed(m.0) || self.fixed(r.0) {
            return Ok(());
        }
        let mut rest = self.range(row);
        rest.add(cm, self.lo(m.0), self.hi(m.0), -1);
        rest.add(cr, self.lo(r.0), self.hi(r.0), -1);
        let case = |side: Affine, c: i64, zero: Affine, czero: i64| {
            let at = -zero.1;
            let mut rest = rest;
            rest.add(czero, at, at, 1);
            let (from, to) = intersect((self.lo(side.0), self.hi(side.0)), rest.solve_for(c));
            (from <= to && self.lo(zero.0) <= at && at <= self.hi(zero.0)).then_some((from, to))
        };
        let (zero_m, zero_r) = (-i128::from(m.1), -i128::from(r.1));
        match (case(m, cm, r, cr), case(r, cr, m, cm)) {
            (None, None) => Err(Clash { reason, var: NONE }),
            (Some((from, to)), None) => {
                self.fix(r, 0, reason)?;
                self.narrow(m.0, from, to, reason)
            }
            (None, Some((from, to))) => {
                self.fix(m, 0, reason)?;
                self.narrow(r.0, from, to, reason)
            }
            (Some(maps), Some(reps)) => {
                self.narrow(m.0, maps.0.min(zero_m), maps.1.max(zero_m), reason)?;
                self.narrow(r.0, reps.0.min(zero_r), reps.1.max(zero_r), reason)
            }
        }
    }

    /// A point to return to.
    pub(super) fn mark(&self) -> usize {
        self.trail.len()
    }

    /// Undoes all changes since a mark.
    pub(super) fn undo(&mut self, mark: usize) {
        while self.trail.len() > mark {
            let Some(Entry { var, lo, hi, reason: _ }) = self.trail.pop() else { break };
            (self.problem.lo[var as usize], self.problem.hi[var as usize]) = (lo, hi);
        }
        while self.next_row().is_some() {}
        self.gate_queue.clear();
    }

    /// Whether a row holds when every open variable takes its lower bound.
    pub(super) fn holds_at_lo(&self, row: &Row) -> bool {
        let at_lo = |&(var, c): &(u32, i64)| i128::from(c) * i128::from(self.lo(var));
        i128::from(row.constant) + row.terms.iter().map(at_lo).sum::<i128>() == 0
    }
}

/// Greatest common divisor, not negative.
pub(super) fn gcd(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.abs(), b.abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}
