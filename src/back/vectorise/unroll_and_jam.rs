//! Unroll-and-jam: rows that are added to the same sums, several at a time.
//!
//! ```text
//! for i { s = 0; for j { s += f(i, j); sums[j] += g(i, j) }; out[i] = s }
//! ==>
//! for i by 4 { s = 0; t = 0; ..; for j { s += f(i, j); t += f(i + 1, j); ..; sums[j] = sums[j] + g(i, j) + g(i + 1, j) + .. }; .. }
//! ```
//!
//! Memory is read in several places at a time, and the sums are read and written once for several rows.
//!
//! **Law.** All iterations of the outer loop run the inner one over the same range, read no variable that another has set, and share memory
//! only in buffers that are known to overlap with no other and of which step `j` of the inner loop reads and writes element `j`. So all
//! that is written and read again stays in its order: an element is added to in the order of the rows. (Allen and Kennedy, Optimizing
//! Compilers for Modern Architectures, 2001, section 8.4: unroll-and-jam.)

use super::rename::Renaming;
use super::{Vectorise, plan};
use crate::base::PrimType;
use crate::base::mutation::mutated;
use crate::ir::imp::visit::{self, Mention};
use crate::ir::imp::{Expr, Fun, Int, Local, Order, Param, Ptr, Stmt};
use rustc_hash::{FxHashMap, FxHashSet};

/// Rows at a time.
const ROWS: i64 = 4;
/// Inner loops with more statements have enough parallelism between instructions.
const STATEMENTS: usize = 12;

/// What pointers of a function point at: nothing that another one does.
#[derive(Default)]
pub struct Apart {
    /// Parameters, which are only read.
    lent: FxHashSet<Ptr>,
    /// The starts of buffers.
    own: FxHashSet<Ptr>,
    /// How often the function mentions each variable.
    mentions: FxHashMap<Local, usize>,
}

impl Apart {
    /// Finds those of a function.
    pub fn new(fun: &Fun, body: &[Stmt]) -> Apart {
        let mut points: FxHashMap<Ptr, usize> = FxHashMap::default();
        let mut out = Apart::default();
        let mut see = |mention| match mention {
            Mention::Point(ptr) => *points.entry(ptr).or_default() += 1,
            Mention::Read(local) | Mention::Set(local) => *out.mentions.entry(local).or_default() += 1,
            Mention::Use(_) | Mention::Handle(_) => {}
        };
        visit::stmts(body, &mut see);
        for result in &fun.results {
            if let crate::ir::imp::Result::Scalar(_, e) = result {
                visit::expr(e, &mut see);
            }
        }
        for param in &fun.params {
            if let Param::Ptr(ptr) = param
                && !points.contains_key(ptr)
            {
                out.lent.insert(*ptr);
            }
        }
        out.buffers(body);
        out.own.retain(|ptr| points.get(ptr) == Some(&1));
        out
    }
    /// Whether it is the start of a buffer that no other pointer points into.
    pub fn is_own(&self, ptr: Ptr) -> bool {
        self.own.contains(&ptr)
    }
    /// Whether it is a parameter's, which nothing is written to.
    pub fn is_lent(&self, ptr: Ptr) -> bool {
        self.lent.contains(&ptr)
    }
    fn buffers(&mut self, list: &[Stmt]) {
        for stmt in list {
            match stmt {
                Stmt::Alloc { ptr, .. } => {
                    self.own.insert(*ptr);
                }
                Stmt::For { body, .. } => self.buffers(body),
                Stmt::While(first, _, second) | Stmt::If(_, first, second) => {
                    self.buffers(first);
                    self.buffers(second);
                }
                Stmt::Parallel(parallel) => self.buffers(&parallel.body),
                Stmt::Comment(_)
                | Stmt::Set(..)
                | Stmt::Point(..)
                | Stmt::Stack(_)
                | Stmt::Move { .. }
                | Stmt::Transfer { .. }
                | Stmt::Release(_)
                | Stmt::Store(..)
                | Stmt::Prefetch(..)
                | Stmt::Copy { .. }
                | Stmt::Scan(_)
                | Stmt::Check(..)
                | Stmt::Call { .. }
                | Stmt::Launch(_)
                | Stmt::Atomic(_)
                | Stmt::Ghost(_)
                | Stmt::Probe(_) => {}
            }
        }
    }
}

/// The inner loop of a row, and what is done before and after it.
struct Row<'s> {
    before: &'s [Stmt],
    after: &'s [Stmt],
    var: Local,
    from: &'s Expr,
    to: &'s Expr,
    sums: &'s [(Local, crate::base::scalar::ScalarOp)],
    body: &'s [Stmt],
}

/// The loops of statements, those of which several rows can be done at a time rewritten.
pub fn unroll_and_jam(all: &mut Vectorise, list: Vec<Stmt>) -> Vec<Stmt> {
    let apart = std::mem::take(&mut all.apart);
    inside(all, &apart, list)
}
fn inside(all: &mut Vectorise, apart: &Apart, list: Vec<Stmt>) -> Vec<Stmt> {
    let mut out = Vec::with_capacity(list.len());
    for stmt in list {
        if let Stmt::For { var, from, to, order: Order::Sequential, body } = &stmt
            && let Some(row) = Row::of(&stmt, body, apart)
        {
            let from = row.several(all, *var, from, to, &mut out);
            out.push(Stmt::For { var: *var, from, to: to.clone(), order: Order::Sequential, body: body.clone() });
            continue;
        }
        out.push(visit::inside(stmt, &mut |body| inside(all, apart, body)));
    }
    out
}

/// Whether statements read nothing that the loop sets but what has been set; takes note of what they set.
fn in_order(list: &[Stmt], own: &FxHashSet<Local>, set: &mut FxHashSet<Local>) -> bool {
    let mut right = true;
    visit::stmts(list, &mut |mention| match mention {
        Mention::Read(local) => right = right && (!own.contains(&local) || set.contains(&local)),
        Mention::Set(local) => {
            set.insert(local);
        }
        Mention::Use(_) | Mention::Point(_) | Mention::Handle(_) => {}
    });
    right
}

impl<'s> Row<'s> {
    /// The parts of an iteration, if the law holds.
    fn of(whole: &Stmt, body: &'s [Stmt], apart: &Apart) -> Option<Row<'s>> {
        let at = body.iter().position(|stmt| matches!(stmt, Stmt::For { .. }))?;
        let (before, after) = (&body[..at], &body[at + 1..]);
        let Stmt::For { var, from, to, order: Order::Reduce(sums), body } = &body[at] else { return None };
        let plain = |list: &[Stmt]| list.iter().all(|stmt| matches!(stmt, Stmt::Comment(_) | Stmt::Set(..) | Stmt::Store(..)));
        if !(plain(before) && plain(after) && plain(body)) || body.len() > STATEMENTS || plan::has_slow(body) {
            return None;
        }
        let row = Row { before, after, var: *var, from, to, sums, body };
        (row.has_own_variables(whole, apart) && row.has_own_elements(apart)).then_some(row)
    }

    /// Whether what an iteration sets is read in this iteration only, and the inner loop is the same in all.
    fn has_own_variables(&self, whole: &Stmt, apart: &Apart) -> bool {
        let mut mentions: FxHashMap<Local, usize> = FxHashMap::default();
        let mut own = FxHashSet::default();
        visit::stmts(std::slice::from_ref(whole), &mut |mention| {
            if let Mention::Read(local) | Mention::Set(local) = mention {
                *mentions.entry(local).or_default() += 1;
            }
            if let Mention::Set(local) = mention {
                own.insert(local);
            }
        });
        let nowhere_else = own.iter().all(|local| mentions.get(local) == apart.mentions.get(local));
        let mut even = true;
        for e in [self.from, self.to] {
            visit::expr(e, &mut |mention| even = even && !matches!(mention, Mention::Read(local) if own.contains(&local)));
        }
        let Stmt::For { var, .. } = whole else { return false };
        let mut set: FxHashSet<Local> = [*var].into_iter().collect();
        let begins = in_order(self.before, &own, &mut set);
        let has_sums = self.sums.iter().all(|(sum, _)| set.contains(sum));
        let mut inside = set.clone();
        inside.insert(self.var);
        let goes_on = in_order(self.body, &own, &mut inside);
        nowhere_else && even && begins && has_sums && goes_on && in_order(self.after, &own, &mut set)
    }

    /// Whether iterations share memory in the way that the law asks for.
    fn has_own_elements(&self, apart: &Apart) -> bool {
        let here = Expr::Local(self.var);
        let mut added: Vec<Ptr> = Vec::new();
        let mut right = true;
        let mut loads = Vec::new();
        plan::accesses(self.body, &mut |ptr, index, store| {
            right = right && (apart.own.contains(&ptr) || !store && apart.lent.contains(&ptr));
            if store {
                right = right && *index == here && !added.contains(&ptr);
                added.push(ptr);
            } else {
                loads.push((ptr, *index == here));
                // What has been written is read by the next row only.
                right = right && !added.contains(&ptr);
            }
        });
        right = right && !added.is_empty() && loads.iter().all(|(ptr, here)| *here || mutated!(JamNeighbours, !added.contains(ptr), true));
        let mut kept = Vec::new();
        for list in [self.before, self.after] {
            plan::accesses(list, &mut |ptr, _, store| {
                right = right && (apart.own.contains(&ptr) || !store && apart.lent.contains(&ptr)) && !added.contains(&ptr);
                if store {
                    kept.push(ptr);
                } else {
                    loads.push((ptr, false));
                }
            });
        }
        right && loads.iter().all(|(ptr, _)| !kept.contains(ptr))
    }

    /// Writes the iterations, [`ROWS`] at a time, and returns the number of the first that is left.
    fn several(&self, all: &mut Vectorise, var: Local, first: &Expr, end: &Expr, out: &mut Vec<Stmt>) -> Expr {
        let count = all.set("count", end.clone().minus(first.clone()), out);
        let blocks = all.set("blocks", Expr::arith(Int::Div, count, Expr::int(ROWS)), out);
        let block = all.local("block", PrimType::I64);
        let mut body = Vec::new();
        let base = first.clone().plus(Expr::Local(block).times(Expr::int(ROWS)));
        let base = all.set("base", base, &mut body);
        let counter = all.like(self.var);
        let (mut inner, mut last, mut sums) = (Vec::new(), Vec::new(), Vec::new());
        // What the rows so far have made of the element of a pointer.
        let mut now: FxHashMap<Ptr, Expr> = FxHashMap::default();
        for r in 0..ROWS {
            let mut renaming = Renaming::default();
            for list in [self.before, self.body, self.after] {
                visit::stmts(list, &mut |mention| {
                    if let Mention::Set(local) = mention {
                        renaming.locals.entry(local).or_insert_with(|| all.like(local));
                    }
                });
            }
            let own = all.like(var);
            renaming.locals.insert(var, own);
            renaming.locals.insert(self.var, counter);
            body.push(Stmt::Set(own, base.clone().plus(Expr::int(r))));
            body.extend(renaming.stmts(self.before));
            for stmt in renaming.stmts(self.body) {
                if let Stmt::Set(local, e) = stmt {
                    inner.push(Stmt::Set(local, known(&e, counter, &now)));
                } else if let Stmt::Store(ptr, _, e) = stmt {
                    let new = all.local("sum", all.fun.ptrs[ptr].elem);
                    inner.push(Stmt::Set(new, known(&e, counter, &now)));
                    now.insert(ptr, Expr::Local(new));
                    if r + 1 == ROWS {
                        inner.push(Stmt::Store(ptr, Expr::Local(counter), Expr::Local(new)));
                    }
                } else {
                    inner.push(stmt);
                }
            }
            sums.extend(self.sums.iter().map(|(sum, op)| (renaming.locals.get(sum).copied().unwrap_or(*sum), *op)));
            last.extend(renaming.stmts(self.after));
        }
        let (from, to) = (self.from.clone(), self.to.clone());
        body.push(Stmt::For { var: counter, from, to, order: Order::Reduce(sums), body: inner });
        body.extend(last);
        out.push(Stmt::For { var: block, from: Expr::int(0), to: blocks.clone(), order: Order::Sequential, body });
        all.set("rest", first.clone().plus(blocks.times(Expr::int(ROWS))).plus(Expr::int(mutated!(JamRest, 0, 1))), out)
    }
}

/// An expression with what is known of elements in their places.
fn known(e: &Expr, counter: Local, now: &FxHashMap<Ptr, Expr>) -> Expr {
    if let Expr::Load(ptr, index) = e
        && **index == Expr::Local(counter)
        && let Some(value) = now.get(ptr)
    {
        return value.clone();
    }
    e.with_parts(&mut |e| known(e, counter, now))
}
