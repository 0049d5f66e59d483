//! Parts of arrays by masks and counts, positions, orders, and where patterns stand.

use super::build::{Build, MAX_LITERAL};
use super::error::{Agreement, Error, KindError, LengthError, LimitError, RankError, Result, Role, Wanted};
use super::lift::never_agree;
use super::machine::Machine;
use super::structure::filled;
use super::value::{Arr, Kind, Val};
use crate::base::scalar::Op;
use crate::base::{PrimType, Scalar, Span, Symbol};
use crate::ir::core::{Dim, Expr, ExprKind, Index, Prim, Shape, Type};

const I: PrimType = PrimType::I64;
const B: PrimType = PrimType::Bool;

/// Cells that constant counts make, whose places are written out.
const MAX_EXPANDED: u64 = 1 << 16;

impl Machine {
    /// A function of core of scalars.
    fn function(&mut self, params: &[Kind], ret: Kind, body: impl FnOnce(&mut Build, &[Expr]) -> Expr) -> Expr {
        let names: Vec<Symbol> = params.iter().map(|_| self.b.fresh("x")).collect();
        let vars: Vec<Expr> = names.iter().map(|name| self.b.var(*name)).collect();
        self.b.open();
        let made = body(&mut self.b, &vars);
        let body = self.b.close(made);
        let params = names.into_iter().zip(params.iter().map(|kind| Build::ty(*kind, &[]))).collect();
        self.b.node(ExprKind::Fn { params, ret: Build::ty(ret, &[]), body })
    }
    /// Positions, from 0, where a vector of truth values is 1.
    pub fn where_true(&mut self, mask: &Arr) -> Arr {
        let len = mask.shape[0].clone();
        let (expr, shape) = (mask.expr.clone(), mask.shape.clone());
        let test = self.function(&[Kind::Int], Kind::Bool, |b, at| b.index(Kind::Bool, &shape, expr, at));
        let numbers = self.b.iota(&len);
        let boxed = self.b.prim(Prim::Filter, Kind::Int, std::slice::from_ref(&len), &[], vec![test, numbers]);
        let (found, names) = self.b.unbox(boxed, 1);
        self.b.named(Kind::Int, vec![Dim::var(names[0])], found)
    }
    /// Cells of an axis at positions from 0.
    pub fn gathered(&mut self, arr: &Arr, axis: usize, positions: &Arr) -> Result<Arr> {
        let kind = arr.kind;
        let len = positions.shape[0].clone();
        let at = positions.expr.clone();
        self.along(arr, axis, len.clone(), &mut |b, row| {
            let shape: Vec<Dim> = std::iter::once(row.len).chain(row.cell).collect();
            let expr = row.expr;
            b.map(std::slice::from_ref(&len), vec![at.clone()], |b, cells| Ok(b.index(kind, &shape, expr, &cells)))
        })
    }

    /// Cells of an axis at positions from 0, fills where a position is negative.
    fn gathered_or_filled(&mut self, arr: &Arr, axis: usize, positions: &Arr) -> Result<Arr> {
        let kind = arr.kind;
        let len = positions.shape[0].clone();
        let at = positions.expr.clone();
        self.along(arr, axis, len.clone(), &mut |b, row| {
            let shape: Vec<Dim> = std::iter::once(row.len).chain(row.cell.iter().cloned()).collect();
            let expr = row.expr;
            b.map(std::slice::from_ref(&len), vec![at.clone()], |b, cells| {
                let none = b.op2(Op::Lt, I, cells[0].clone(), b.int(0));
                let found = b.index(kind, &shape, expr, &cells);
                let fill = filled(b, kind, &row.cell);
                Ok(b.choose(none, fill, found))
            })
        })
    }

    /// `mask/arr` along an axis: compress and replicate.
    pub fn replicated(&mut self, left: Val, right: Val, axis: Option<&Val>, last: bool, span: Span) -> Result<Val> {
        let role = Role::Left('/');
        let counts = left.simple(span, role)?;
        let mut arr = right.arr(span, Role::Of('/'))?;
        let counts = if counts.kind == Kind::Bool { counts } else { self.whole(counts, span, role)? };
        if arr.rank() == 0 {
            arr = self.ravelled(&arr)?;
        }
        let axis = self.axis_or_end(axis, arr.rank(), last, span)?;
        let mut counts =
            if counts.count() == Some(1) && arr.shape[axis].as_constant() != Some(1) { self.first_element(counts) } else { counts };
        if counts.shape.len() > 1 {
            return Err(Error::at(span, RankError::Takes { role, wanted: Wanted::Vector, found: counts.shown() }));
        }
        if counts.shape.is_empty() {
            counts = self.reshaped(&[arr.shape[axis].clone()], &counts, span)?;
        } else if arr.shape[axis].as_constant() == Some(1) && counts.shape[0].as_constant() != Some(1) {
            // A single cell goes with every count.
            let zeros = Arr::new(Kind::Int, vec![counts.shape[0].clone()], self.b.int(0));
            let rep = self.b.node(ExprKind::Rep { frame: Shape::dims([counts.shape[0].clone()]), arg: zeros.expr });
            let zeros = self.b.named(Kind::Int, vec![counts.shape[0].clone()], rep);
            arr = self.gathered(&arr, axis, &zeros)?;
        }
        if counts.shape[0].never_equal(&arr.shape[axis]) {
            return Err(never_agree(&counts, &arr, (counts.shape[0].clone(), arr.shape[axis].clone()), Agreement::Cells, span));
        }
        let counts = self.coerced(counts, &arr.shape[axis..=axis], span)?;
        let total = |ints: &[i64]| ints.iter().fold(0u64, |sum, n| sum.saturating_add(n.unsigned_abs()));
        if let Some(ints) = counts.constant_ints().filter(|ints| total(ints) <= MAX_LITERAL as u64) {
            let source =
                |(at, n): (usize, &i64)| std::iter::repeat_n(Scalar::I64(if *n < 0 { -1 } else { at as i64 }), n.unsigned_abs() as usize);
            let at = ints.iter().enumerate().flat_map(source).collect::<Vec<_>>();
            if let (Some(lit), 1, true) = (&arr.lit, arr.shape.len(), arr.is_simple()) {
                let item = |at: i128| usize::try_from(at).map_or(arr.kind.fill(), |at| lit[at]);
                let items: Vec<Scalar> = at.iter().filter_map(|at| at.as_i128()).map(item).collect();
                return Ok(Val::Arr(self.b.literal(arr.kind, &[items.len() as u64], items)));
            }
            let positions = self.b.literal(Kind::Int, &[at.len() as u64], at);
            if ints.iter().any(|n| *n < 0) {
                return self.gathered_or_filled(&arr, axis, &positions).map(Val::Arr);
            }
            return self.gathered(&arr, axis, &positions).map(Val::Arr);
        }
        if counts.kind == Kind::Bool {
            let positions = self.where_true(&counts);
            return self.gathered(&arr, axis, &positions).map(Val::Arr);
        }
        let lengths = self.b.map(&counts.shape, vec![counts.expr.clone()], |b, n| Ok(b.op1(Op::Abs, I, n[0].clone())))?;
        let lengths = self.b.named(Kind::Int, counts.shape.clone(), lengths);
        let positions = self.repeated(&lengths)?;
        let made = self.b.map(&positions.shape, vec![positions.expr.clone()], |b, at| {
            let n = b.index(Kind::Int, &counts.shape, counts.expr.clone(), at.as_slice());
            let gone = b.op2(Op::Lt, I, n, b.int(0));
            Ok(b.choose(gone, b.int(-1), at[0].clone()))
        })?;
        let positions = self.b.named(Kind::Int, positions.shape.clone(), made);
        self.gathered_or_filled(&arr, axis, &positions).map(Val::Arr)
    }
    /// Counts that are at least 0, or the program stops.
    fn natural(&mut self, counts: &Arr, message: &str) -> Result<Arr> {
        let message = Symbol::new(message);
        let made = self.b.map(&counts.shape, vec![counts.expr.clone()], |b, n| {
            let cond = b.op2(Op::Ge, I, n[0].clone(), b.int(0));
            Ok(b.node(ExprKind::Assert { cond, message, expr: n[0].clone() }))
        })?;
        Ok(self.b.named(Kind::Int, counts.shape.clone(), made))
    }
    /// Each position as often as its count says; no count is negative.
    fn repeated(&mut self, counts: &Arr) -> Result<Arr> {
        let len = counts.shape[0].clone();
        let (add, zero) = (Expr::op(Op::Add, I, self.b.at), self.b.int(0));
        let counts = counts.expr.clone();
        let ends = self.b.prim(Prim::Scan, Kind::Int, std::slice::from_ref(&len), &[], vec![add.clone(), zero.clone(), counts.clone()]);
        let ends = self.b.bind(ends);
        let total = self.b.prim(Prim::Reduce, Kind::Int, std::slice::from_ref(&len), &[], vec![add.clone(), zero.clone(), counts]);
        let total = self.b.bind(total);
        let size = self.b.size_of(total.clone());
        let ones = self.b.node(ExprKind::Rep { frame: Shape::dims([len.clone()]), arg: self.b.int(1) });
        let marks = self.b.prim(Prim::Hist, Kind::Int, std::slice::from_ref(&len), &[], vec![add.clone(), zero.clone(), total, ends, ones]);
        let at = self.b.prim(Prim::Scan, Kind::Int, std::slice::from_ref(&size), &[], vec![add, zero, marks]);
        Ok(self.b.named(Kind::Int, vec![size], at))
    }
    /// `counts\\arr`: each cell as often as its positive count says; fills where counts are 0, one, or negative.
    pub fn expanded(&mut self, left: Val, right: Val, axis: Option<&Val>, last: bool, span: Span) -> Result<Val> {
        let role = Role::Left('\\');
        let counts = left.simple(span, role)?;
        let counts = self.whole(counts, span, role)?;
        let mut arr = right.arr(span, Role::Of('\\'))?;
        if counts.shape.len() > 1 {
            return Err(Error::at(span, RankError::Takes { role, wanted: Wanted::Vector, found: counts.shown() }));
        }
        let counts = self.ravelled(&counts)?;
        if arr.rank() == 0 {
            arr = self.ravelled(&arr)?;
        }
        let axis = self.axis_or_end(axis, arr.rank(), last, span)?;
        let have = arr.shape[axis].clone();
        // A single cell goes with every count.
        let single = have.as_constant() == Some(1);
        let positions = match counts.constant_ints() {
            Some(ints) => {
                let used = ints.iter().filter(|n| **n > 0).count() as i64;
                let total = ints.iter().fold(0u64, |sum, n| sum.saturating_add(n.unsigned_abs().max(1)));
                if have.as_constant().is_some_and(|have| have != used) && !single {
                    return Err(Error::at(span, LengthError::Mask { takes: used, have }));
                }
                if total > MAX_EXPANDED {
                    return Err(Error::at(span, LimitError::Expanded { most: MAX_EXPANDED }));
                }
                let mut at = -1;
                let mut out = Vec::new();
                for n in &ints {
                    at += i64::from(*n > 0);
                    let source = if *n <= 0 {
                        -1
                    } else if single {
                        0
                    } else {
                        at
                    };
                    out.extend(std::iter::repeat_n(Scalar::I64(source), n.unsigned_abs().max(1) as usize));
                }
                if have.as_constant().is_none() {
                    arr = self.of_length(arr, axis, used, span)?;
                }
                self.b.literal(Kind::Int, &[out.len() as u64], out)
            }
            None => self.expansion(&counts, &have, single)?,
        };
        self.gathered_or_filled(&arr, axis, &positions).map(Val::Arr)
    }
    /// An array whose axis has this length, or the program stops.
    fn of_length(&mut self, arr: Arr, axis: usize, length: i64, span: Span) -> Result<Arr> {
        let mut wanted = arr.shape.clone();
        wanted[axis] = Dim::constant(length);
        self.coerced(arr, &wanted, span)
    }
    /// Where the cells of an expansion by computed counts come from: positions from 0, or -1.
    fn expansion(&mut self, counts: &Arr, have: &Dim, single: bool) -> Result<Arr> {
        let len = counts.shape[0].clone();
        let (add, zero) = (Expr::op(Op::Add, I, self.b.at), self.b.int(0));
        let taken = self.b.map(&counts.shape, vec![counts.expr.clone()], |b, n| {
            let positive = b.op2(Op::Gt, I, n[0].clone(), b.int(0));
            Ok(b.choose(positive, b.int(1), b.int(0)))
        })?;
        let taken = self.b.bind(taken);
        let ends = self.b.prim(Prim::Scan, Kind::Int, std::slice::from_ref(&len), &[], vec![add.clone(), zero.clone(), taken.clone()]);
        let ends = self.b.named(Kind::Int, vec![len.clone()], ends);
        let used = self.b.prim(Prim::Reduce, Kind::Int, std::slice::from_ref(&len), &[], vec![add, zero, taken]);
        let used = self.b.bind(used);
        let size = self.b.size(have);
        let fits = if single { self.b.lit(Scalar::Bool(true)) } else { self.b.op2(Op::Eq, I, used, size) };
        let message = Symbol::new("the left argument of `\\` does not take as many cells as there are (LENGTH ERROR)");
        let made = self.b.map(&counts.shape, vec![counts.expr.clone()], |b, n| {
            let size = b.op1(Op::Abs, I, n[0].clone());
            let size = b.op2(Op::Max, I, size, b.int(1));
            Ok(b.node(ExprKind::Assert { cond: fits, message, expr: size }))
        })?;
        let lengths = self.b.named(Kind::Int, counts.shape.clone(), made);
        let positions = self.repeated(&lengths)?;
        let made = self.b.map(&positions.shape, vec![positions.expr.clone()], |b, at| {
            let n = b.index(Kind::Int, &counts.shape, counts.expr.clone(), at.as_slice());
            let end = b.index(Kind::Int, &counts.shape, ends.expr.clone(), at.as_slice());
            let positive = b.op2(Op::Gt, I, n, b.int(0));
            let source = if single { b.int(0) } else { b.op2(Op::Sub, I, end, b.int(1)) };
            Ok(b.choose(positive, source, b.int(-1)))
        })?;
        Ok(self.b.named(Kind::Int, positions.shape.clone(), made))
    }
    /// `⍸`.
    pub fn where_(&mut self, right: Val, span: Span) -> Result<Val> {
        let mask = right.simple(span, Role::Of('⍸'))?;
        if mask.kind > Kind::Int {
            return Err(Error::at(span, KindError::Takes { role: Role::Of('⍸'), wanted: Wanted::TruthsOrCounts, found: mask.shown() }));
        }
        let flat = self.ravelled(&mask)?;
        let found = match mask.kind {
            Kind::Bool => self.where_true(&flat),
            _ => {
                let counts = self.natural(&flat, "a count of `⍸` is negative (DOMAIN ERROR)")?;
                self.repeated(&counts)?
            }
        };
        let count = found.shape[0].clone();
        let origin = self.origin;
        if mask.rank() <= 1 {
            let made = self.b.map(&found.shape, vec![found.expr.clone()], |b, at| Ok(b.op2(Op::Add, I, at[0].clone(), b.int(origin))))?;
            return Ok(Val::Arr(self.b.named(Kind::Int, vec![count], made)));
        }
        let outer = mask.shape.clone();
        let axes = outer.len();
        let made = self.b.map(&found.shape, vec![found.expr.clone()], |b, at| {
            let mut rest = at[0].clone();
            let mut cells = Vec::new();
            for size in outer.iter().rev() {
                let size = b.size(size);
                let digit = b.op2(Op::Mod, I, rest.clone(), size.clone());
                cells.push(b.op2(Op::Add, I, digit, b.int(origin)));
                rest = b.op2(Op::Div, I, rest, size);
                rest = b.bind(rest);
            }
            cells.reverse();
            Ok(b.node(ExprKind::Frame { dims: vec![axes as u64], cell: Build::ty(Kind::Int, &[]), cells }))
        })?;
        let shape = vec![count, Dim::constant(axes as i64)];
        Ok(Val::Arr(self.b.named(Kind::Int, shape, made).levelled(vec![1, 1])))
    }

    /// `⍋` and `⍒`: the order of the cells of the first axis.
    pub fn grade(&mut self, right: Val, down: bool, span: Span) -> Result<Val> {
        let arr = right.simple(span, Role::Sorting)?;
        if arr.rank() == 0 || arr.kind == Kind::Complex {
            return Err(Error::at(span, RankError::Takes { role: Role::Sorting, wanted: Wanted::Sortable, found: arr.shown() }));
        }
        let len = arr.shape[0].clone();
        if arr.rank() == 1 {
            return self.grade_numbers(&arr, down);
        }
        let width = super::structure::product(&arr.shape[1..], span)?;
        let rows = self.reshaped(&[len.clone(), width], &arr, span)?;
        let (kind, width) = (arr.kind, rows.shape[1].clone());
        let (shape, expr) = (rows.shape.clone(), rows.expr.clone());
        let before = self.function(&[Kind::Int, Kind::Int], Kind::Bool, |b, at| {
            let ordered = |b: &mut Build, x: Expr, y: Expr| match (kind, down) {
                (Kind::Bool, false) => {
                    let x = b.op1(Op::Not, B, x);
                    b.op2(Op::Or, B, x, y)
                }
                (Kind::Bool, true) => {
                    let y = b.op1(Op::Not, B, y);
                    b.op2(Op::Or, B, x, y)
                }
                (_, false) => b.op2(Op::Le, kind.prim(), x, y),
                (_, true) => b.op2(Op::Ge, kind.prim(), x, y),
            };
            // The first place where the rows differ decides.
            let size = b.size(&width);
            let pair = |b: &Build, k: &Expr| {
                (
                    b.index(kind, &shape, expr.clone(), &[at[0].clone(), k.clone()]),
                    b.index(kind, &shape, expr.clone(), &[at[1].clone(), k.clone()]),
                )
            };
            let name = b.fresh("k");
            let k = b.var(name);
            let cond = {
                let more = b.op2(Op::Lt, I, k.clone(), size.clone());
                let (x, y) = pair(b, &k);
                let same = b.op2(Op::Eq, kind.prim(), x, y);
                b.choose(more, same, b.lit(Scalar::Bool(false)))
            };
            let next = b.op2(Op::Add, I, k, b.int(1));
            let params = vec![crate::ir::core::LoopParam { name, ty: Type::prim(I), init: b.int(0) }];
            let made = b.node(ExprKind::Loop { params, form: crate::ir::core::LoopForm::While(cond), body: next });
            let found = b.bind(made);
            let all = b.op2(Op::Ge, I, found.clone(), size);
            let (x, y) = pair(b, &found);
            let order = ordered(b, x, y);
            b.choose(all, b.lit(Scalar::Bool(true)), order)
        });
        let numbers = self.b.iota(&len);
        self.found.library.insert("apl_order");
        let fun = self.b.node(ExprKind::Var(Symbol::new("apl_order")));
        let fun = self.b.node(ExprKind::Inst { fun, types: Vec::new(), indices: vec![Index::Dim(len.clone())] });
        let made = self.b.app(fun, vec![before, numbers]);
        let order = self.b.named(Kind::Int, vec![len], made);
        self.with_origin(order)
    }
    /// `⍋` and `⍒` of a vector, by the bits of its elements.
    fn grade_numbers(&mut self, arr: &Arr, down: bool) -> Result<Val> {
        let kind = if arr.kind == Kind::Double { Kind::Double } else { Kind::Int };
        let numbers = if arr.kind == Kind::Char {
            let made = self.b.map(&arr.shape, vec![arr.expr.clone()], |b, x| Ok(b.op1(Op::Convert(PrimType::U32), I, x[0].clone())))?;
            self.b.named(Kind::Int, arr.shape.clone(), made)
        } else {
            self.b.convert(arr, kind)?
        };
        let name = if kind == Kind::Double { "apl_grade_f64" } else { "apl_grade_i64" };
        let down = self.b.lit(Scalar::Bool(down));
        let made = self.library_call(name, &arr.shape, vec![down, numbers.expr]);
        let order = self.b.named(Kind::Int, arr.shape.clone(), made);
        self.with_origin(order)
    }
    /// Positions from 0 as indices.
    pub fn with_origin(&mut self, positions: Arr) -> Result<Val> {
        let origin = self.origin;
        if origin == 0 {
            return Ok(Val::Arr(positions));
        }
        let made =
            self.b.map(&positions.shape, vec![positions.expr.clone()], |b, at| Ok(b.op2(Op::Add, I, at[0].clone(), b.int(origin))))?;
        Ok(Val::Arr(self.b.named(Kind::Int, positions.shape.clone(), made)))
    }

    /// `pattern⍷arr`.
    pub fn find(&mut self, left: Val, right: Val, span: Span) -> Result<Val> {
        let (mut pattern, arr) = (left.simple(span, Role::Of('⍷'))?, right.simple(span, Role::Of('⍷'))?);
        if pattern.rank() > arr.rank() {
            return Err(Error::at(span, RankError::Pattern { pattern: pattern.shown(), array: arr.shown() }));
        }
        let mut outer = pattern.outer().to_vec();
        while outer.len() < arr.rank() {
            outer.insert(0, Dim::constant(1));
        }
        pattern = self.reshaped(&outer, &pattern, span)?;
        let shape = arr.shape.clone();
        let Some((pattern, arr)) = self.comparable(pattern, arr)? else {
            let no = self.b.lit(Scalar::Bool(false));
            let made = self.b.node(ExprKind::Rep { frame: Shape::dims(shape.iter().cloned()), arg: no });
            return Ok(Val::Arr(self.b.named(Kind::Bool, shape, made)));
        };
        let made = self.b.tabulate(&shape, &mut |b, at| all_match(b, &pattern, &arr, at, &mut Vec::new()))?;
        Ok(Val::Arr(self.b.named(Kind::Bool, shape, made)))
    }
}

/// Whether a pattern stands at a place.
fn all_match(b: &mut Build, pattern: &Arr, arr: &Arr, at: &[Expr], inner: &mut Vec<Expr>) -> Result<Expr> {
    let axis = inner.len();
    if axis == pattern.shape.len() {
        let mut inside = b.lit(Scalar::Bool(true));
        let mut index = Vec::new();
        for (axis, (from, off)) in at.iter().zip(inner.iter()).enumerate() {
            let place = b.op2(Op::Add, I, from.clone(), off.clone());
            let place = b.bind(place);
            let size = b.size(&arr.shape[axis]);
            let fits = b.op2(Op::Lt, I, place.clone(), size);
            inside = b.op2(Op::And, B, inside, fits);
            index.push(place);
        }
        let x = b.index(pattern.kind, &pattern.shape, pattern.expr.clone(), inner);
        let y = b.index(arr.kind, &arr.shape, arr.expr.clone(), &index);
        let same = b.op2(Op::Eq, arr.kind.prim(), x, y);
        return Ok(b.choose(inside, same, b.lit(Scalar::Bool(false))));
    }
    let len = pattern.shape[axis].clone();
    let numbers = b.iota(&len);
    let hits = b.map(std::slice::from_ref(&len), vec![numbers], |b, k| {
        inner.push(k[0].clone());
        let made = all_match(b, pattern, arr, at, inner);
        inner.pop();
        made
    })?;
    let and = Expr::op(Op::And, B, b.at);
    let yes = b.lit(Scalar::Bool(true));
    Ok(b.prim(Prim::Reduce, Kind::Bool, std::slice::from_ref(&len), &[], vec![and, yes, hits]))
}
