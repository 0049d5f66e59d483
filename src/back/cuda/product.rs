//! Maps whose threads are products of rows and columns: each loops over a depth, and what it reads there depends on its row or on its column but
//! not on both, as in a product of matrices. A tile of such threads reads both sides once, together (`remora_product` of the device
//! library); the loop over a thread's own row and column stays for sizes where tiles do not pay. Of several products in a row, the planes, each
//! is cut into tiles by itself; where only one side differs from plane to plane, the rows of all planes are rows of one product.

use super::Host;
use super::access::Values;
use super::thread::Functor;
use super::wide::captured;
use crate::back::text::{Emitter, c_type};
use crate::base::Scalar;
use crate::ir::imp::visit::{self, Mention};
use crate::ir::imp::{Expr, Int, Launch, Local, Stmt, Work};
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt::Write;

/// What a value depends on.
const ROW: u8 = 1;
const COLUMN: u8 = 2;
const DEPTH: u8 = 4;
/// What was accumulated so far.
const TOTAL: u8 = 8;

/// Elements of a side and totals have at most so many bytes.
const MOST_BYTES: usize = 16;

/// A map as a product.
struct Product<'a> {
    index: Local,
    planes: Option<Planes<'a>>,
    row: Local,
    column: Local,
    /// Runs over the depth.
    step: Local,
    columns: &'a Expr,
    depth: &'a Expr,
    /// What is accumulated, with what it begins with.
    totals: Vec<(Local, &'a Expr)>,
    /// What is set before the loop, but for row, column and totals.
    before: Vec<Stmt>,
    /// What is read for a row and a step, and which of it is used for the totals.
    left: (Vec<Stmt>, Vec<Local>),
    /// The same for a column.
    right: (Vec<Stmt>, Vec<Local>),
    /// Whether neighbours in memory are neighbours along the depth.
    along: [bool; 2],
    /// A step of the totals.
    combine: Vec<Stmt>,
    /// What comes after the loop.
    after: &'a [Stmt],
}

/// Where there are several products in a row.
#[derive(Clone, Copy)]
struct Planes<'a> {
    /// The number of the product.
    plane: Local,
    /// The number of the row among those of all products.
    all: Local,
    /// Rows of a product.
    rows: &'a Expr,
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
fn find<'a>(emitter: &Emitter<Host>, launch: &'a Launch, outside: &FxHashSet<Mention>) -> Option<Product<'a>> {
    let Work::Map { index, body, .. } = &launch.work else { return None };
    // Threads with memory of their own are not as many as tiles.
    if launch.threads.is_some() || launch.heap {
        return None;
    }
    let at = body.iter().position(|stmt| matches!(stmt, Stmt::For { .. }))?;
    let mut known = Values::default();
    known.learn(&body[..at]);
    let host = |e: &Expr| captured(e, outside);
    let split = |of: Local| {
        let ((quotient, by), (rest, other)) = (known.part(Int::Div, of, &host)?, known.part(Int::Rem, of, &host)?);
        (emitter.expr(by) == emitter.expr(other)).then_some((quotient, rest, by))
    };
    // Row and column are the quotient and the remainder of the number of the thread by what the host knows; plane and row those of the row
    // among all.
    let (all, column, columns) = split(*index)?;
    in_planes(emitter, launch, outside, (at, all, column, columns), None).or_else(|| {
        let (plane, row, rows) = split(all)?;
        in_planes(emitter, launch, outside, (at, row, column, columns), Some(Planes { plane, all, rows }))
    })
}

fn in_planes<'a>(
    emitter: &Emitter<Host>,
    launch: &'a Launch,
    outside: &FxHashSet<Mention>,
    (at, row, column, columns): (usize, Local, Local, &'a Expr),
    planes: Option<Planes<'a>>,
) -> Option<Product<'a>> {
    let Work::Map { index, body, .. } = &launch.work else { return None };
    let Stmt::For { var, from: Expr::Const(zero), to, body: inner, .. } = &body[at] else { return None };
    let first = sets(&body[..at])?;
    let inner = sets(inner)?;
    if *zero != Scalar::I64(0) || !captured(to, outside) {
        return None;
    }
    let mut known = Known::default();
    known.depends.extend([(*index, ROW | COLUMN), (row, ROW), (column, COLUMN), (*var, DEPTH)]);
    let mut given = vec![row, column];
    if let Some(Planes { plane, all, .. }) = planes {
        known.depends.extend([(all, ROW | COLUMN), (plane, 0)]);
        given.extend([plane, all]);
    }
    let carried: FxHashSet<Local> = inner.iter().map(|(local, _)| *local).collect();
    let (mut totals, mut before) = (Vec::new(), Vec::new());
    for (local, e) in first {
        if given.contains(&local) {
            continue;
        }
        let depends = known.of(e);
        if carried.contains(&local) {
            if !captured(e, outside) {
                return None;
            }
            totals.push((local, e));
            known.depends.insert(local, TOTAL);
        } else {
            before.push(Stmt::Set(local, e.clone()));
            known.set(local, e, depends);
        }
    }
    let sides = Sides { known, step: *var, row, column, totals: &totals, outside };
    let (left, right, combine, along) = sides.split(&inner)?;
    let bytes = |locals: &mut dyn Iterator<Item = Local>| locals.map(|local| emitter.fun.locals[local].prim.bytes()).sum::<usize>();
    let small = |sum: usize| 0 < sum && sum <= MOST_BYTES;
    let fits = small(bytes(&mut left.1.iter().copied())) && small(bytes(&mut right.1.iter().copied()));
    if !fits || !small(bytes(&mut totals.iter().map(|(local, _)| *local))) {
        return None;
    }
    let after = &body[at + 1..];
    Some(Product { index: *index, planes, row, column, step: *var, columns, depth: to, totals, before, left, right, along, combine, after })
}

/// The statements of a loop as they are divided.
struct Sides<'a, 's> {
    known: Known<'a>,
    step: Local,
    row: Local,
    column: Local,
    totals: &'s [(Local, &'a Expr)],
    outside: &'s FxHashSet<Mention>,
}

type Side = (Vec<Stmt>, Vec<Local>);

impl<'a> Sides<'a, '_> {
    /// Statements for rows, for columns, and for both together; and which sides are read along the depth.
    fn split(mut self, inner: &[(Local, &'a Expr)]) -> Option<(Side, Side, Vec<Stmt>, [bool; 2])> {
        let (mut left, mut right, mut combine) = ((Vec::new(), Vec::new()), (Vec::new(), Vec::new()), Vec::new());
        let (mut sides, mut along) = ([false; 2], [None; 2]);
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
                self.operands(e, &own, &mut left.1, &mut right.1)?;
                combine.push(Stmt::Set(*local, (*e).clone()));
                if !total {
                    own.insert(*local);
                    self.known.set(*local, e, depends | TOTAL);
                }
                continue;
            }
            for (side, (statements, by)) in [(&mut left.0, ROW), (&mut right.0, COLUMN)].into_iter().enumerate() {
                if depends & (ROW | COLUMN) & !by == 0 {
                    statements.push(Stmt::Set(*local, (*e).clone()));
                    if depends & by != 0 && depends & DEPTH != 0 && !indices.is_empty() {
                        sides[side] = true;
                    }
                    if let (Some(index), None, true) = (indices.first(), along[side], depends & by != 0) {
                        along[side] = Some(self.known.values.unit(index, self.step) == Some(true));
                    }
                }
            }
            self.known.set(*local, e, depends);
        }
        // A side that is not read again and again has nothing to share.
        (sides == [true; 2] && self.row != self.column).then_some((left, right, combine, along.map(|along| along == Some(true))))
    }
    /// Notes what a step of the totals takes from the sides.
    fn operands(&self, e: &Expr, own: &FxHashSet<Local>, left: &mut Vec<Local>, right: &mut Vec<Local>) -> Option<()> {
        let mut good = true;
        visit::expr(e, &mut |mention| match mention {
            Mention::Read(local) if own.contains(&local) || self.outside.contains(&Mention::Set(local)) => {}
            Mention::Read(local) if self.known.values.values.contains_key(&local) => {
                let depends = self.known.depends.get(&local).copied().unwrap_or(0);
                // What was computed before the loop is not at hand here.
                good &= depends & DEPTH != 0;
                let side = if depends & COLUMN != 0 { &mut *right } else { &mut *left };
                if !side.contains(&local) {
                    side.push(local);
                }
            }
            Mention::Read(_) | Mention::Set(_) | Mention::Use(_) | Mention::Point(_) | Mention::Handle(_) => good = false,
        });
        good.then_some(())
    }
}

impl Emitter<'_, Host> {
    /// Writes the kernel of a map that is a product. Returns a condition of the host for its launch, and the launch.
    pub(super) fn product(
        &mut self,
        name: &str,
        params: &[String],
        launch: &Launch,
        outside: &FxHashSet<Mention>,
    ) -> Option<(String, String)> {
        let product = find(self, launch, outside)?;
        let Work::Map { width, .. } = &launch.work else { return None };
        let kernel = format!("{name}_product");
        let totals: Vec<Local> = product.totals.iter().map(|(local, _)| *local).collect();
        let [left, right, total] = [("left", &product.left.1), ("right", &product.right.1), ("total", &totals)].map(|(what, locals)| {
            let fields = locals.iter().enumerate().map(|(k, local)| format!("  {} v{k};\n", c_type(self.fun.locals[*local].prim)));
            let ty = format!("{name}_{what}");
            let _ = write!(self.dialect.types, "\ntypedef struct {ty} {{\n{}}} {ty};\n", fields.collect::<String>());
            ty
        });
        let mut params = params.to_vec();
        params.extend(["int64_t planes", "int64_t rows", "int64_t columns", "int64_t depth"].map(String::from));
        self.begin_kernel(&kernel, &params, launch);
        let neutral: Vec<String> = product.totals.iter().map(|(_, e)| self.expr(e)).collect();
        let _ = writeln!(self.dialect.text, "  const {total} neutral = {{{}}};", neutral.join(", "));
        self.product_functors(&product, &totals, [&left, &right, &total], outside);
        let [a, b] = product.along;
        let _ = writeln!(
            self.dialect.text,
            "  remora_product<{left}, {right}, {total}, {a}, {b}>(planes, rows, columns, depth, neutral, left, right, step, done);"
        );
        self.end_kernel(&kernel);
        let rows = product.planes.map_or("0".to_string(), |planes| self.expr(planes.rows));
        let sizes = format!("{}, {rows}, {}, {}", self.expr(width), self.expr(product.columns), self.expr(product.depth));
        let pays = format!("remora_product_pays({sizes})");
        Some((pays, format!("remora_launch_product(th, \"{kernel}\", {sizes}, sizeof({total})")))
    }

    fn product_functors(&mut self, product: &Product, totals: &[Local], types: [&str; 3], outside: &FxHashSet<Mention>) {
        let [left, right, total] = types;
        let [row, column, step, index] = [product.row, product.column, product.step, product.index].map(|local| self.local(local));
        let planes = product.planes.map(|planes| (self.local(planes.plane), self.local(planes.all)));
        // A functor has the number of the plane where there are several.
        let plane = planes.as_ref().map_or("int64_t".to_string(), |(plane, _)| format!("int64_t {plane}"));
        let given: Vec<Local> = product.planes.iter().map(|planes| planes.plane).collect();
        let with = |locals: &[Local]| outside.iter().copied().chain(locals.iter().map(|local| Mention::Set(*local))).collect();
        let fields = |this: &Self, locals: &[Local]| locals.iter().map(|local| this.local(*local)).collect::<Vec<_>>().join(", ");
        for (what, ty, (body, values), across, name) in
            [("left", left, &product.left, product.row, &row), ("right", right, &product.right, product.column, &column)]
        {
            let own = |stmt: &&Stmt| !mentions(stmt, if across == product.row { product.column } else { product.row }, &product.before);
            // Not at hand here either.
            let whole = |stmt: &&Stmt| {
                let all = product.planes.is_some_and(|planes| mentions(stmt, planes.all, &product.before));
                !all && !mentions(stmt, product.index, &product.before)
            };
            let body: Vec<Stmt> = product.before.iter().filter(own).filter(whole).chain(body).cloned().collect();
            let last = format!("return {ty}{{{}}};", fields(self, values));
            self.functor(Functor {
                head: format!("auto {what} = [&]({plane}, int64_t {name}, int64_t {step}) -> {ty}"),
                first: Vec::new(),
                outside: with(&[&[across, product.step], &given[..]].concat()),
                elements: &[],
                body: &body,
                also: &[],
                last: Some(last),
                exit: "return {};",
                order: "INT64_MAX".into(),
            });
        }
        let take = |this: &Self, locals: &[Local], from: &str, changes: bool| -> Vec<String> {
            let fixed = if changes { "" } else { "const " };
            let each = locals.iter().enumerate();
            each.map(|(k, local)| format!("{fixed}{} {} = {from}.v{k};", c_type(this.fun.locals[*local].prim), this.local(*local)))
                .collect()
        };
        let mut first = take(self, totals, "total_", true);
        first.extend(take(self, &product.left.1, "a_", false));
        first.extend(take(self, &product.right.1, "b_", false));
        let operands: Vec<Local> = totals.iter().chain(&product.left.1).chain(&product.right.1).copied().collect();
        let last = format!("return {total}{{{}}};", fields(self, totals));
        self.functor(Functor {
            head: format!("auto step = [&]({total} total_, {left} a_, {right} b_) -> {total}"),
            first,
            outside: with(&operands),
            elements: &[],
            body: &product.combine,
            also: &[],
            last: Some(last),
            exit: "return total_;",
            order: "INT64_MAX".into(),
        });
        let mut first = take(self, totals, "sum_", true);
        let all = planes.as_ref().map_or(&row, |(_, all)| all);
        if let Some((plane, all)) = &planes {
            first.push(format!("const int64_t {all} = {plane} * rows + {row};"));
        }
        first.push(format!("const int64_t {index} = {all} * columns + {column};"));
        let mut own = [totals, &given[..], &[product.row, product.column, product.index]].concat();
        own.extend(product.planes.map(|planes| planes.all));
        let body: Vec<Stmt> = product.before.iter().chain(product.after).cloned().collect();
        self.functor(Functor {
            head: format!("auto done = [&]({plane}, int64_t {row}, int64_t {column}, {total} sum_)"),
            first,
            outside: with(&own),
            elements: &[],
            body: &body,
            also: &[],
            last: None,
            exit: "return;",
            order: index,
        });
    }
}

/// Whether a statement needs a local, by way of those before it or not.
fn mentions(stmt: &Stmt, wanted: Local, before: &[Stmt]) -> bool {
    let Stmt::Set(_, e) = stmt else { return false };
    let mut found = false;
    visit::expr(e, &mut |mention| {
        if let Mention::Read(local) = mention {
            let by_way = || before.iter().find(|other| matches!(other, Stmt::Set(set, _) if *set == local));
            found = found || local == wanted || by_way().is_some_and(|other| mentions(other, wanted, before));
        }
    });
    found
}
