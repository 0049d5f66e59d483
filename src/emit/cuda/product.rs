//! Maps whose threads are products of rows and columns: each loops over a depth, and what it reads there depends on its row or on its column but
//! not on both, as in a product of matrices. A tile of such threads reads both sides once, together (`remora_product` of the device
//! library); the loop over a thread's own row and column stays for sizes where tiles do not pay.

use super::kernel::Functor;
use crate::base::Scalar;
use crate::emit::c::{Emitter, c_type};
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

/// What is known of locals while the statements of a map are looked at.
#[derive(Default)]
struct Known<'a> {
    depends: FxHashMap<Local, u8>,
    values: FxHashMap<Local, &'a Expr>,
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
        self.values.insert(local, e);
    }
    /// Whether an index grows by one with a local.
    fn unit(&self, e: &Expr, of: Local) -> Option<bool> {
        match e {
            Expr::Local(local) if *local == of => Some(true),
            Expr::Local(local) => self.values.get(local).map_or(Some(false), |e| self.unit(e, of)),
            Expr::Int(Int::Add, a, b) => match (self.unit(a, of)?, self.unit(b, of)?) {
                (true, true) => None,
                (a, b) => Some(a || b),
            },
            Expr::Const(_) => Some(false),
            e => {
                let mut mentioned = false;
                visit::expr(e, &mut |mention| mentioned |= matches!(mention, Mention::Read(local) if self.reaches(local, of)));
                (!mentioned).then_some(false)
            }
        }
    }
    fn reaches(&self, local: Local, of: Local) -> bool {
        let mut found = local == of;
        if let Some(e) = self.values.get(&local) {
            visit::expr(e, &mut |mention| found = found || matches!(mention, Mention::Read(read) if self.reaches(read, of)));
        }
        found
    }
}

/// The indices of the loads in an expression.
fn loads<'e>(e: &'e Expr, out: &mut Vec<&'e Expr>) {
    match e {
        Expr::Load(_, index) => {
            out.push(index);
            loads(index, out);
        }
        Expr::Const(_) | Expr::Local(_) | Expr::Threads | Expr::Thread => {}
        Expr::Op(_, args) => args.iter().for_each(|arg| loads(arg, out)),
        Expr::Int(_, a, b) => [a, b].into_iter().for_each(|e| loads(e, out)),
        Expr::Select(a, b, c) | Expr::Blend(_, a, b, c) => [a, b, c].into_iter().for_each(|e| loads(e, out)),
        Expr::Pieces(width, ..) => loads(width, out),
    }
}

/// The sets in a list that has nothing else.
fn sets(stmts: &[Stmt]) -> Option<Vec<(Local, &Expr)>> {
    let set = |stmt| match stmt {
        &Stmt::Set(local, ref e) => Some(Some((local, e))),
        Stmt::Comment(_) => Some(None),
        _ => None,
    };
    stmts.iter().map(set).collect::<Option<Vec<_>>>().map(|found| found.into_iter().flatten().collect())
}

/// The map as a product, if it is one.
fn find<'a>(emitter: &Emitter, launch: &'a Launch, outside: &FxHashSet<Mention>) -> Option<Product<'a>> {
    let Work::Map { index, body, .. } = &launch.work else { return None };
    let at = body.iter().position(|stmt| matches!(stmt, Stmt::For { .. }))?;
    let Stmt::For { var, from: Expr::Const(zero), to, body: inner, .. } = &body[at] else { return None };
    let first = sets(&body[..at])?;
    let inner = sets(inner)?;
    let captured = |e: &Expr| {
        let mut all = true;
        visit::expr(e, &mut |mention| {
            all &= match mention {
                Mention::Read(local) => outside.contains(&Mention::Set(local)),
                _ => false,
            }
        });
        all
    };
    // Row and column are the quotient and the remainder of the number of the thread by what the host knows.
    let part = |wanted: Int| {
        first.iter().find_map(|(local, e)| match e {
            Expr::Int(op, number, n) if *op == wanted && matches!(**number, Expr::Local(of) if of == *index) && captured(n) => {
                Some((*local, n.as_ref()))
            }
            _ => None,
        })
    };
    let ((row, rows_by), (column, columns)) = (part(Int::Div)?, part(Int::Rem)?);
    if launch.threads.is_some() || *zero != Scalar::I64(0) || !captured(to) || emitter.expr(rows_by) != emitter.expr(columns) {
        return None;
    }
    let mut known = Known::default();
    known.depends.extend([(*index, ROW | COLUMN), (row, ROW), (column, COLUMN), (*var, DEPTH)]);
    let carried: FxHashSet<Local> = inner.iter().map(|(local, _)| *local).collect();
    let (mut totals, mut before) = (Vec::new(), Vec::new());
    for (local, e) in first {
        if local == row || local == column {
            continue;
        }
        let depends = known.of(e);
        if carried.contains(&local) {
            if !captured(e) {
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
    Some(Product { index: *index, row, column, step: *var, columns, depth: to, totals, before, left, right, along, combine, after })
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
            loads(e, &mut indices);
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
                        along[side] = Some(self.known.unit(index, self.step) == Some(true));
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
            Mention::Read(local) if self.known.values.contains_key(&local) => {
                let depends = self.known.depends.get(&local).copied().unwrap_or(0);
                // What was computed before the loop is not at hand here.
                good &= depends & DEPTH != 0;
                let side = if depends & COLUMN != 0 { &mut *right } else { &mut *left };
                if !side.contains(&local) {
                    side.push(local);
                }
            }
            _ => good = false,
        });
        good.then_some(())
    }
}

impl Emitter<'_> {
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
            let _ = write!(self.kernels.types, "\ntypedef struct {ty} {{\n{}}} {ty};\n", fields.collect::<String>());
            ty
        });
        let mut params = params.to_vec();
        params.extend(["int64_t rows", "int64_t columns", "int64_t depth"].map(String::from));
        self.begin_kernel(&kernel, &params, launch);
        let neutral: Vec<String> = product.totals.iter().map(|(_, e)| self.expr(e)).collect();
        let _ = writeln!(self.kernels.text, "  const {total} neutral = {{{}}};", neutral.join(", "));
        self.product_functors(&product, &totals, [&left, &right, &total], outside);
        let [a, b] = product.along;
        let _ = writeln!(
            self.kernels.text,
            "  remora_product<{left}, {right}, {total}, {a}, {b}>(1, rows, columns, depth, neutral, left, right, step, done);"
        );
        self.end_kernel(&kernel);
        let (width, columns, depth) = (self.nested(width), self.nested(product.columns), self.nested(product.depth));
        let pays = format!("remora_product_pays({width}, {columns}, {depth})");
        Some((pays, format!("remora_launch_product(th, \"{kernel}\", {width}, {columns}, {depth}, sizeof({total})")))
    }

    fn product_functors(&mut self, product: &Product, totals: &[Local], types: [&str; 3], outside: &FxHashSet<Mention>) {
        let [left, right, total] = types;
        let [row, column, step, index] = [product.row, product.column, product.step, product.index].map(|local| self.local(local));
        let with = |locals: &[Local]| outside.iter().copied().chain(locals.iter().map(|local| Mention::Set(*local))).collect();
        let fields = |this: &Self, locals: &[Local]| locals.iter().map(|local| this.local(*local)).collect::<Vec<_>>().join(", ");
        for (what, ty, (body, values), across, name) in
            [("left", left, &product.left, product.row, &row), ("right", right, &product.right, product.column, &column)]
        {
            let own = |stmt: &&Stmt| !mentions(stmt, if across == product.row { product.column } else { product.row }, &product.before);
            let body: Vec<Stmt> =
                product.before.iter().filter(own).filter(|s| !mentions(s, product.index, &product.before)).chain(body).cloned().collect();
            let last = format!("return {ty}{{{}}};", fields(self, values));
            self.functor(Functor {
                head: format!("auto {what} = [&](int64_t, int64_t {name}, int64_t {step}) -> {ty}"),
                first: Vec::new(),
                outside: with(&[across, product.step]),
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
            body: &product.combine,
            also: &[],
            last: Some(last),
            exit: "return total_;",
            order: "INT64_MAX".into(),
        });
        let mut first = take(self, totals, "sum_", true);
        first.push(format!("const int64_t {index} = {row} * columns + {column};"));
        let own: Vec<Local> = totals.iter().chain(&[product.row, product.column, product.index]).copied().collect();
        let body: Vec<Stmt> = product.before.iter().chain(product.after).cloned().collect();
        self.functor(Functor {
            head: format!("auto done = [&](int64_t, int64_t {row}, int64_t {column}, {total} sum_)"),
            first,
            outside: with(&own),
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
