//! The values of every variable in all optima, by dynamic programming: bucket elimination.
//!
//! Chains of `let`s give systems of small width: with a variable per shared sum, few variables need to be looked at together.
//! Variables are eliminated one by one, those with the fewest neighbours first; each leaves a table with the least cost for
//! every assignment of its neighbours (Bertele and Brioschi, *Nonserial Dynamic Programming*, 1972; Dechter, *Bucket
//! elimination*, 1999). A pass back through the tables gives the least total cost for each value of each variable.
//!
//! Ranks have no upper bound, tables do. A variable's first few values stand for themselves, one more stands for all that
//! are larger: rows then hold when they can, and costs are the least possible. That only adds solutions and lowers costs, so
//! - if nothing is left, the problem is infeasible;
//! - if no cheapest assignment contains a "larger", the cheapest assignments are exactly the optima.
//!
//! Otherwise more values are tried. All arithmetic is in integers.

use std::collections::{BTreeSet, HashMap};

use super::engine::{Affine, INF, Problem};

/// Cost of what is impossible.
const NEVER: u32 = 1 << 28;
/// Largest table, and largest sum of all tables: what each variable may have is the same in small and in large systems.
const TABLE: usize = 1 << 17;
const TABLES: usize = 1 << 24;
const TABLES_PER_VARIABLE: usize = 1 << 10;
/// How many values stand for themselves, beyond the smallest.
const REACHES: [i64; 4] = [1, 2, 5, 11];

/// What elimination found.
pub(super) enum Found {
    /// The problem with each variable's interval narrowed to its values in optima.
    Narrowed(Problem),
    /// There is no solution.
    Infeasible,
    /// The tables are too large, or the ranks, or nothing was gained.
    Unknown,
}

/// Narrows every interval to what occurs in optima.
pub(super) fn narrow(problem: &Problem) -> Found {
    let sums = Sums::new(problem);
    for reach in REACHES {
        let Some(found) = sums.marginals(reach) else { return Found::Unknown };
        let Some(ranges) = found else { return Found::Infeasible };
        let Some(ranges) = ranges.into_iter().collect::<Option<Vec<_>>>() else { continue };
        let mut narrowed = problem.clone();
        for (var, (lo, hi)) in ranges.into_iter().take(problem.lo.len()).enumerate() {
            (narrowed.lo[var], narrowed.hi[var]) = (lo, hi);
        }
        let changed = narrowed.lo != problem.lo || narrowed.hi != problem.hi;
        return if changed { Found::Narrowed(narrowed) } else { Found::Unknown };
    }
    Found::Unknown
}

type Terms = Vec<(u32, i64)>;

/// A problem whose shared sums are variables of their own.
struct Sums<'a> {
    problem: &'a Problem,
    lo: Vec<i64>,
    hi: Vec<i64>,
    /// `constant + terms = 0`.
    rows: Vec<(Terms, i64)>,
    /// Frames by gate.
    frames: Vec<(Terms, i64)>,
}

impl Sums<'_> {
    fn new(problem: &Problem) -> Sums<'_> {
        let mut sums = Sums { problem, lo: problem.lo.clone(), hi: problem.hi.clone(), rows: Vec::new(), frames: Vec::new() };
        sums.rows = problem.rows.iter().map(|row| sums.open(&row.terms, row.constant)).collect();
        sums.frames = problem.gates.iter().map(|gate| sums.open(&gate.frame, gate.frame_constant)).collect();
        while sums.share() {}
        sums
    }

    /// A sum over variables that are not fixed.
    fn open(&self, terms: &[(u32, i64)], mut constant: i64) -> (Terms, i64) {
        let mut terms = terms.to_vec();
        terms.retain(|&(var, c)| {
            let fixed = self.lo[var as usize] == self.hi[var as usize];
            constant += if fixed { c * self.lo[var as usize] } else { 0 };
            !fixed
        });
        terms.sort_unstable();
        debug_assert!(terms.is_sorted_by(|a, b| a.0 < b.0), "presolve leaves each variable once");
        (terms, constant)
    }

    /// Gives sums of two variables that occur several times, or in a long row, a variable; the most frequent ones first.
    fn share(&mut self) -> bool {
        let mut places: HashMap<(u32, u32), Vec<u32>> = HashMap::new();
        for (at, (terms, _)) in self.rows.iter().chain(&self.frames).enumerate() {
            for (index, &(a, c)) in terms.iter().enumerate() {
                for &(b, _) in terms[index + 1..].iter().filter(|other| other.1 == c) {
                    places.entry((a.min(b), a.max(b))).or_default().push(at as u32);
                }
            }
        }
        let mut pairs: Vec<_> = places.into_iter().collect();
        pairs.sort_unstable_by_key(|(pair, places)| (std::cmp::Reverse(places.len()), *pair));
        let rows = self.rows.len();
        let mut touched = vec![false; rows + self.frames.len()];
        let mut changed = false;
        for ((a, b), places) in pairs {
            if places.iter().any(|&at| touched[at as usize]) || (places.len() < 2 && self.terms(places[0] as usize, rows).len() <= 4) {
                continue;
            }
            let sum = self.lo.len() as u32;
            let (x, y) = (a as usize, b as usize);
            self.lo.push(self.lo[x] + self.lo[y]);
            self.hi.push(if self.hi[x] >= INF || self.hi[y] >= INF { INF } else { self.hi[x] + self.hi[y] });
            for at in places {
                touched[at as usize] = true;
                let terms = self.terms(at as usize, rows);
                let c = terms.iter().find(|term| term.0 == a).map_or(0, |term| term.1);
                terms.retain(|term| term.0 != a && term.0 != b);
                terms.push((sum, c));
            }
            self.rows.push((vec![(a, 1), (b, 1), (sum, -1)], 0));
            changed = true;
        }
        changed
    }

    /// The terms of a row, or of a frame, counted behind the first `rows` rows.
    fn terms(&mut self, at: usize, rows: usize) -> &mut Terms {
        if at < rows { &mut self.rows[at].0 } else { &mut self.frames[at - rows].0 }
    }

    /// For each variable the range of its values in cheapest assignments; `None` inside where "larger" is among them.
    /// `Some(None)`: there are none. `None`: the tables are too large.
    #[allow(clippy::type_complexity, reason = "the three layers are what the comment says")]
    fn marginals(&self, reach: i64) -> Option<Option<Vec<Option<(i64, i64)>>>> {
        let domains = Domains { lo: &self.lo, hi: &self.hi, reach };
        let mut tree = Tree::new((0..self.lo.len()).map(|var| domains.size(var)).collect());
        for (terms, constant) in &self.rows {
            let vars: Vec<u32> = terms.iter().map(|term| term.0).collect();
            tree.add(vars, |values| {
                let (lo, hi) = domains.sum(terms, *constant, values);
                if lo <= 0 && 0 <= hi { 0 } else { NEVER }
            })?;
        }
        for (gate, (frame, constant)) in self.problem.gates.iter().zip(&self.frames) {
            let mut vars: Vec<u32> = frame.iter().map(|term| term.0).collect();
            let mut index_of = |(var, _): Affine| {
                (domains.size(var as usize) > 1).then(|| {
                    vars.iter().position(|&other| other == var).unwrap_or_else(|| {
                        vars.push(var);
                        vars.len() - 1
                    })
                })
            };
            let (m, r) = (index_of(gate.m), index_of(gate.r));
            let side = |(var, offset): Affine, index: Option<usize>, values: &[u32]| {
                let (lo, hi) = domains.range(var as usize, index.map_or(0, |index| values[index]));
                (lo + offset, if hi >= INF { INF } else { hi + offset })
            };
            tree.add(vars, |values| {
                let (m, r) = (side(gate.m, m, values), side(gate.r, r, values));
                if m.1 < 0 || r.1 < 0 || (m.0 > 0 && r.0 > 0) {
                    return NEVER;
                }
                let frame = domains.sum(frame, *constant, values).1;
                let cost = m.0.max(0) + (r.0.max(0) - frame).max(0);
                u32::try_from(cost).unwrap_or(u32::MAX)
            })?;
        }
        let Some(cheapest) = tree.solve()? else { return Some(None) };
        let range = |(var, values): (usize, Vec<bool>)| {
            let (first, last) = (values.iter().position(|&value| value)?, values.iter().rposition(|&value| value)?);
            let (lo, hi) = (domains.range(var, first as u32).0, domains.range(var, last as u32));
            (hi.0 == hi.1).then_some((lo, hi.1))
        };
        Some(Some(cheapest.into_iter().enumerate().map(range).collect()))
    }
}

/// What the values in tables stand for.
struct Domains<'a> {
    lo: &'a [i64],
    hi: &'a [i64],
    reach: i64,
}

impl Domains<'_> {
    /// How many values a variable has in tables.
    fn size(&self, var: usize) -> usize {
        (self.hi[var] - self.lo[var]).min(self.reach + 1) as usize + 1
    }

    /// What a value stands for.
    fn range(&self, var: usize, value: u32) -> (i64, i64) {
        let value = self.lo[var] + i64::from(value);
        (value, if value > self.lo[var] + self.reach { self.hi[var] } else { value })
    }

    /// The range of a sum; `INF` stands for none.
    fn sum(&self, terms: &[(u32, i64)], constant: i64, values: &[u32]) -> (i64, i64) {
        let (mut least, mut most) = (i128::from(constant), i128::from(constant));
        let open = i128::from(INF) * i128::from(INF);
        for (&(var, c), &value) in terms.iter().zip(values) {
            let (lo, hi) = self.range(var as usize, value);
            let end = |x: i64| if x >= INF { open * i128::from(c.signum()) } else { i128::from(c) * i128::from(x) };
            let (a, b) = (end(lo), end(hi));
            (least, most) = (least + a.min(b), most + a.max(b));
        }
        let cut = |x: i128| x.clamp(-i128::from(INF), i128::from(INF)) as i64;
        (cut(least), cut(most))
    }
}

/// A table of costs over some variables, the last of which changes fastest.
#[derive(Default)]
struct Table {
    vars: Vec<u32>,
    costs: Vec<u32>,
}

/// The tables of an elimination.
struct Tree {
    sizes: Vec<usize>,
    tables: Vec<Table>,
    /// Tables by variable.
    tables_of: Vec<Vec<u32>>,
    entries: usize,
    /// No assignment that is possible costs more.
    most: u64,
}

/// A variable's table with all that was joined for it, and the table that it left.
struct Bucket {
    joined: Table,
    left: Table,
    /// The bucket that took the table that was left.
    parent: Option<usize>,
}

impl Tree {
    fn new(sizes: Vec<usize>) -> Tree {
        Tree { tables_of: vec![Vec::new(); sizes.len()], sizes, tables: Vec::new(), entries: 0, most: 0 }
    }

    /// The number of entries of a table; `None` when it or all together are too large.
    fn room(&mut self, vars: &[u32]) -> Option<usize> {
        let size = vars.iter().try_fold(1usize, |size, &var| size.checked_mul(self.sizes[var as usize])).filter(|&size| size <= TABLE)?;
        self.entries += size;
        (self.entries <= TABLES.max(self.sizes.len().saturating_mul(TABLES_PER_VARIABLE))).then_some(size)
    }

    fn add(&mut self, vars: Vec<u32>, cost: impl Fn(&[u32]) -> u32) -> Option<()> {
        let size = self.room(&vars)?;
        let mut costs = Vec::with_capacity(size);
        let mut values = vec![0u32; vars.len()];
        for _ in 0..size {
            costs.push(cost(&values));
            for (value, &var) in values.iter_mut().zip(&vars).rev() {
                *value += 1;
                if (*value as usize) < self.sizes[var as usize] {
                    break;
                }
                *value = 0;
            }
        }
        // What is possible must not cost as much as what is impossible.
        let most = costs.iter().copied().filter(|&cost| cost != NEVER).max().unwrap_or(0);
        self.most += u64::from(most);
        if self.most >= u64::from(NEVER) {
            return None;
        }
        self.push(Table { vars, costs });
        Some(())
    }

    fn push(&mut self, table: Table) {
        let at = self.tables.len() as u32;
        table.vars.iter().for_each(|&var| self.tables_of[var as usize].push(at));
        self.tables.push(table);
    }

    /// Calls `f` with an index into a table over `all` and the one into a table over some of these variables.
    fn walk(&self, all: &[u32], some: &[u32], mut f: impl FnMut(usize, usize)) {
        let mut strides = vec![0usize; all.len()];
        let mut stride = 1;
        for &var in some.iter().rev() {
            if let Some(at) = all.iter().position(|&other| other == var) {
                strides[at] = stride;
            }
            stride *= self.sizes[var as usize];
        }
        let sizes: Vec<usize> = all.iter().map(|&var| self.sizes[var as usize]).collect();
        let (last, last_stride) = (sizes.last().copied().unwrap_or(1), strides.last().copied().unwrap_or(0));
        let outer = sizes.len().saturating_sub(1);
        let mut values = vec![0usize; outer];
        let (mut index, mut other) = (0, 0);
        loop {
            for value in 0..last {
                f(index + value, other + value * last_stride);
            }
            index += last;
            let mut at = outer;
            loop {
                if at == 0 {
                    return;
                }
                at -= 1;
                values[at] += 1;
                other += strides[at];
                if values[at] < sizes[at] {
                    break;
                }
                other -= strides[at] * sizes[at];
                values[at] = 0;
            }
        }
    }

    /// For each variable, which values occur in cheapest assignments. `Some(None)`: there are no assignments.
    fn solve(mut self) -> Option<Option<Vec<Vec<bool>>>> {
        let buckets = self.eliminate()?;
        let mut cheapest: Vec<Vec<bool>> = self.sizes.iter().map(|&size| vec![true; size]).collect();
        // For each bucket the least total cost of its entries, and the least of all.
        let mut totals: Vec<(Vec<u32>, u32)> = Vec::new();
        totals.resize_with(buckets.len(), Default::default);
        for (at, bucket) in buckets.iter().enumerate().rev() {
            let mut through = vec![NEVER; bucket.left.costs.len()];
            let least = match bucket.parent {
                None => {
                    through.clone_from(&bucket.left.costs);
                    through[0]
                }
                Some(parent) => {
                    let (costs, least) = &totals[parent];
                    self.walk(&buckets[parent].joined.vars, &bucket.left.vars, |from, to| through[to] = through[to].min(costs[from]));
                    *least
                }
            };
            if least >= NEVER {
                return Some(None);
            }
            let mut costs = bucket.joined.costs.clone();
            self.walk(&bucket.joined.vars, &bucket.left.vars, |here, sep| {
                let (inner, whole) = (bucket.left.costs[sep], through[sep]);
                costs[here] = if inner >= NEVER || whole >= NEVER { NEVER } else { (costs[here] - inner + whole).min(NEVER) };
            });
            let var = bucket.joined.vars.last().copied().unwrap_or(0) as usize;
            let size = self.sizes[var];
            cheapest[var] = (0..size).map(|value| costs.iter().skip(value).step_by(size).any(|&cost| cost == least)).collect();
            totals[at] = (costs, least);
        }
        Some(Some(cheapest))
    }

    /// The order of elimination: each variable with those that are left around it. `None` when the tables would be too large.
    fn order(&mut self) -> Option<Vec<(u32, Vec<u32>)>> {
        let vars = self.sizes.len();
        let mut neighbours: Vec<BTreeSet<u32>> = vec![BTreeSet::new(); vars];
        for table in &self.tables {
            for &a in &table.vars {
                neighbours[a as usize].extend(table.vars.iter().copied().filter(|&b| a != b));
            }
        }
        let open = (0..vars as u32).filter(|&var| self.sizes[var as usize] > 1);
        // Logarithms of table sizes, in 1/64: integers, so that the order is the same everywhere.
        let weights: Vec<u32> = self.sizes.iter().map(|&size| (64.0 * (size as f64).log2()) as u32).collect();
        let weight = |around: &BTreeSet<u32>| around.iter().map(|&var| weights[var as usize]).sum::<u32>();
        let mut queue: BTreeSet<(u32, u32)> = open.map(|var| (weight(&neighbours[var as usize]), var)).collect();
        let mut order = Vec::with_capacity(queue.len());
        while let Some((_, var)) = queue.pop_first() {
            let around = std::mem::take(&mut neighbours[var as usize]);
            let rest: Vec<u32> = around.into_iter().collect();
            for &a in &rest {
                queue.remove(&(weight(&neighbours[a as usize]), a));
                neighbours[a as usize].remove(&var);
                neighbours[a as usize].extend(rest.iter().copied().filter(|&b| a != b));
                queue.insert((weight(&neighbours[a as usize]), a));
            }
            self.room(&[&rest[..], &[var]].concat())?;
            order.push((var, rest));
        }
        Some(order)
    }

    /// Joins and leaves the tables, in order.
    fn eliminate(&mut self) -> Option<Vec<Bucket>> {
        let mut used = vec![false; self.tables.len()];
        // The bucket that left a table.
        let mut origin: Vec<Option<usize>> = vec![None; self.tables.len()];
        let mut buckets: Vec<Bucket> = Vec::new();
        for (var, rest) in self.order()? {
            let all = [&rest[..], &[var]].concat();
            let mut costs = vec![0u32; all.iter().map(|&var| self.sizes[var as usize]).product()];
            for table in std::mem::take(&mut self.tables_of[var as usize]) {
                let table = table as usize;
                if std::mem::replace(&mut used[table], true) {
                    continue;
                }
                let Table { vars, costs: added } = std::mem::take(&mut self.tables[table]);
                self.walk(&all, &vars, |to, from| costs[to] = (costs[to] + added[from]).min(NEVER));
                if let Some(from) = origin[table] {
                    buckets[from].parent = Some(buckets.len());
                    buckets[from].left = Table { vars, costs: added };
                }
            }
            let size = self.sizes[var as usize];
            let left: Vec<u32> = costs.chunks(size).map(|chunk| chunk.iter().copied().min().unwrap_or(NEVER)).collect();
            let joined = Table { vars: all, costs };
            if rest.is_empty() {
                buckets.push(Bucket { joined, left: Table { vars: rest, costs: left }, parent: None });
            } else {
                origin.push(Some(buckets.len()));
                used.push(false);
                self.push(Table { vars: rest, costs: left });
                buckets.push(Bucket { joined, left: Table::default(), parent: None });
            }
        }
        Some(buckets)
    }
}
