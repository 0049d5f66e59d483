//! Maps whose threads are products of rows and columns: each loops over a depth, and what it reads there depends on its row or on its column but
//! not on both, as in a product of matrices. A tile of such threads reads both sides once, together (`remora_product` of the device
//! library); the loop over a thread's own row and column stays for sizes where tiles do not pay. Of several products in a row, the planes, each
//! is cut into tiles by itself; where only one side differs from plane to plane, the rows of all planes are rows of one product.

use super::values::Values;
use super::{each_launch, is_known, known_outside};
use crate::base::Scalar;
use crate::ir::imp::variants::{Planes, Product, Side};
use crate::ir::imp::visit::{self, Mention};
use crate::ir::imp::{Expr, Fun, Launch, Local, Program, Stmt, Work};
use rustc_hash::{FxHashMap, FxHashSet};

/// What a value depends on.
const ROW: u8 = 1;
const COLUMN: u8 = 2;
const DEPTH: u8 = 4;
/// What was accumulated so far.
const TOTAL: u8 = 8;

/// Elements of a side and totals have at most so many bytes.
const MOST_BYTES: usize = 16;

/// Finds products.
pub(super) fn products(program: Program) -> Program {
    each_launch(program, &mut |fun, launch| launch.variants.product = find(fun, launch).map(Box::new))
}

/// What is known of locals while the statements of a map are looked at.
#[derive(Default)]
struct Known<'a> {
    depends: FxHashMap<Local, u8>,
    values: Values<'a>,
}

impl<'a> Known<'a> {
    fn of(&self, e: &Expr) -> u8 {
        let mut found = 0;
        visit::expr(e, &mut |mention| {
            if let Mention::Read(local) = mention {
                found |= self.depends.get(&local).copied().unwrap_or(0);
            }
        });
        found
    }
    fn set(&mut self, local: Local, e: &'a Expr, depends: u8) {
        self.depends.insert(local, depends);
        self.values.values.insert(local, e);
    }
}

/// The sets in a list that has nothing else.
fn sets(stmts: &[Stmt]) -> Option<Vec<(Local, &Expr)>> {
    let said = stmts.iter().filter(|stmt| !matches!(stmt, Stmt::Comment(_)));
    said.map(|stmt| if let Stmt::Set(local, e) = stmt { Some((*local, e)) } else { None }).collect()
}

/// The map as a product, if it is one, or as several.
fn find(fun: &Fun, launch: &Launch) -> Option<Product> {
    let Work::Map { index, body, .. } = &launch.work else { return None };
    // Threads with memory of their own are not as many as tiles.
    if launch.threads.is_some() || launch.heap {
        return None;
    }
    let at = body.iter().position(|stmt| matches!(stmt, Stmt::For { .. }))?;
    let (before, [looped, after @ ..]) = body.split_at(at) else { return None };
    let outside = known_outside(launch);
    let map = Map { fun, index: *index, before, looped, after, outside: &outside };
    let mut known = Values::default();
    known.learn(before);
    let host = |e: &Expr| is_known(e, &outside);
    // Row and column are the quotient and the remainder of the number of the thread by what the host knows; plane and row those of the row
    // among all.
    let outer = known.split(*index, &host)?;
    let (column, columns) = (outer.rest, outer.by);
    map.product(&Cells { row: outer.quotient, column, columns, planes: None }).or_else(|| {
        let inner = known.split(outer.quotient, &host)?;
        let planes = Planes { plane: inner.quotient, all: outer.quotient, rows: inner.by.clone() };
        map.product(&Cells { row: inner.rest, column, columns, planes: Some(planes) })
    })
}

/// A map with a loop.
struct Map<'a> {
    fun: &'a Fun,
    index: Local,
    before: &'a [Stmt],
    looped: &'a Stmt,
    after: &'a [Stmt],
    outside: &'a FxHashSet<Mention>,
}

/// How the cells of a map are numbered.
struct Cells<'a> {
    row: Local,
    column: Local,
    columns: &'a Expr,
    planes: Option<Planes>,
}

impl<'a> Map<'a> {
    /// The map as a product of these rows and columns.
    fn product(&self, cells: &Cells<'a>) -> Option<Product> {
        let Stmt::For { var, from: Expr::Const(zero), to, body: inner, .. } = self.looped else { return None };
        let first = sets(self.before)?;
        let inner = sets(inner)?;
        if *zero != Scalar::I64(0) || !is_known(to, self.outside) {
            return None;
        }
        let Cells { row, column, columns, planes } = cells;
        let (row, column) = (*row, *column);
        let mut known = Known::default();
        known.depends.extend([(self.index, ROW | COLUMN), (row, ROW), (column, COLUMN), (*var, DEPTH)]);
        let mut given = vec![row, column];
        if let Some(Planes { plane, all, .. }) = planes {
            known.depends.extend([(*all, ROW | COLUMN), (*plane, 0)]);
            given.extend([*plane, *all]);
        }
        let carried: FxHashSet<Local> = inner.iter().map(|(local, _)| *local).collect();
        let (mut totals, mut before) = (Vec::new(), Vec::new());
        for (local, e) in first {
            if given.contains(&local) {
                continue;
            }
            let depends = known.of(e);
            if carried.contains(&local) {
                if !is_known(e, self.outside) {
                    return None;
                }
                totals.push((local, e.clone()));
                known.depends.insert(local, TOTAL);
            } else {
                before.push(Stmt::Set(local, e.clone()));
                known.set(local, e, depends);
            }
        }
        let sides = Sides { known, step: *var, totals: &totals, outside: self.outside, left: Side::default(), right: Side::default() };
        let Parts { mut left, mut right, combine } = sides.split(&inner)?;
        // A side that is not read again and again has nothing to share.
        if row == column
            || !self.fits(&left.values)
            || !self.fits(&right.values)
            || !self.fits(&totals.iter().map(|(local, _)| *local).collect::<Vec<_>>())
        {
            return None;
        }
        // What is set before the loop and needs the number of the thread, or the other side, is not at hand there.
        for (side, other) in [(&mut left, column), (&mut right, row)] {
            let missing: Vec<Local> = [self.index, other].into_iter().chain(planes.as_ref().map(|planes| planes.all)).collect();
            let own = before.iter().filter(|stmt| !missing.iter().any(|local| needs(stmt, *local, &before)));
            side.body.splice(..0, own.cloned().collect::<Vec<_>>());
        }
        let done = before.into_iter().chain(self.after.iter().cloned()).collect();
        let (planes, columns, depth) = (planes.clone(), (*columns).clone(), to.clone());
        Some(Product { planes, row, column, columns, step: *var, depth, totals, left, right, combine, done })
    }
    /// Whether locals are something, and not too much for tiles.
    fn fits(&self, locals: &[Local]) -> bool {
        (1..=MOST_BYTES).contains(&locals.iter().map(|local| self.fun.locals[*local].prim.bytes()).sum())
    }
}

/// The statements of a loop as they are divided.
struct Sides<'a, 's> {
    known: Known<'a>,
    step: Local,
    totals: &'s [(Local, Expr)],
    outside: &'s FxHashSet<Mention>,
    left: Side,
    right: Side,
}

/// A loop that has been divided: statements for rows, for columns, and for both together.
struct Parts {
    left: Side,
    right: Side,
    combine: Vec<Stmt>,
}

impl<'a> Sides<'a, '_> {
    fn split(mut self, inner: &[(Local, &'a Expr)]) -> Option<Parts> {
        let (mut shared, mut along, mut combine) = ([false; 2], [None; 2], Vec::new());
        let mut own: FxHashSet<Local> = self.totals.iter().map(|(local, _)| *local).collect();
        let mut seen: FxHashSet<Local> = FxHashSet::default();
        for (local, e) in inner {
            let total = self.totals.iter().any(|(total, _)| total == local);
            if !total && !seen.insert(*local) {
                return None;
            }
            let depends = self.known.of(e);
            let both = depends & TOTAL != 0 || depends & (ROW | COLUMN) == ROW | COLUMN || total;
            let mut indices = Vec::new();
            e.loads(&mut |_, index| indices.push(index));
            if both {
                if !indices.is_empty() {
                    return None;
                }
                self.operands(e, &own)?;
                combine.push(Stmt::Set(*local, (*e).clone()));
                if !total {
                    own.insert(*local);
                    self.known.set(*local, e, depends | TOTAL);
                }
                continue;
            }
            for (side, (statements, by)) in [(&mut self.left.body, ROW), (&mut self.right.body, COLUMN)].into_iter().enumerate() {
                if depends & (ROW | COLUMN) & !by == 0 {
                    statements.push(Stmt::Set(*local, (*e).clone()));
                    if depends & by != 0 && depends & DEPTH != 0 && !indices.is_empty() {
                        shared[side] = true;
                    }
                    if let (Some(index), None, true) = (indices.first(), along[side], depends & by != 0) {
                        along[side] = Some(self.known.values.unit(index, self.step) == Some(true));
                    }
                }
            }
            self.known.set(*local, e, depends);
        }
        let [left_along, right_along] = along.map(|along| along == Some(true));
        let (left, right) = (Side { along: left_along, ..self.left }, Side { along: right_along, ..self.right });
        (shared == [true; 2]).then_some(Parts { left, right, combine })
    }
    /// Notes what a step of the totals takes from the sides.
    fn operands(&mut self, e: &Expr, own: &FxHashSet<Local>) -> Option<()> {
        let mut good = true;
        visit::expr(e, &mut |mention| match mention {
            Mention::Read(local) if own.contains(&local) || self.outside.contains(&Mention::Set(local)) => {}
            Mention::Read(local) if self.known.values.values.contains_key(&local) => {
                let depends = self.known.depends.get(&local).copied().unwrap_or(0);
                // What was computed before the loop is not at hand here.
                good &= depends & DEPTH != 0;
                let side = if depends & COLUMN != 0 { &mut self.right } else { &mut self.left };
                if !side.values.contains(&local) {
                    side.values.push(local);
                }
            }
            Mention::Read(_) | Mention::Set(_) | Mention::Use(_) | Mention::Point(_) | Mention::Handle(_) => good = false,
        });
        good.then_some(())
    }
}

/// Whether a statement needs a local, by way of those before it or not.
fn needs(stmt: &Stmt, wanted: Local, before: &[Stmt]) -> bool {
    let Stmt::Set(_, e) = stmt else { return false };
    let mut found = false;
    visit::expr(e, &mut |mention| {
        if let Mention::Read(local) = mention {
            let by_way = || before.iter().find(|other| matches!(other, Stmt::Set(set, _) if *set == local));
            found = found || local == wanted || by_way().is_some_and(|other| needs(other, wanted, before));
        }
    });
    found
}
