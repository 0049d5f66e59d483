//! Functions that look for elements: sorting, searching, sets, groups, windows; and those of number systems.

use super::build::{Build, MAX_LITERAL};
use super::error::{Result, fail};
use super::machine::Machine;
use super::structure::filled;
use super::value::{Arr, Kind, Val, shape_shown};
use crate::base::scalar::Op;
use crate::base::{Code, PrimType, Scalar, Span, Symbol};
use crate::ir::core::{Dim, Expr, ExprKind, Index, Prim, Shape, Type};

const I: PrimType = PrimType::I64;
const B: PrimType = PrimType::Bool;

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

    /// `mask/arr` along an axis: compress and replicate.
    pub fn replicated(&mut self, left: Val, right: Val, axis: Option<&Val>, last: bool, span: Span) -> Result<Val> {
        let counts = left.simple(span, "the left argument of `/`")?;
        let mut arr = right.arr(span, "`/`")?;
        let counts = if counts.kind == Kind::Bool { counts } else { self.whole(counts, span, "the left argument of `/`")? };
        if arr.rank() == 0 {
            arr = self.ravelled(&arr)?;
        }
        let axis = self.axis_number(axis, arr.rank(), if last { arr.rank() - 1 } else { 0 }, span)?;
        let mut counts =
            if counts.count() == Some(1) && arr.shape[axis].as_constant() != Some(1) { self.first_element(counts) } else { counts };
        if counts.shape.len() > 1 {
            return fail(
                Code::AplRank,
                span,
                format!("the left argument of `/` is a vector, not an array of {} (RANK ERROR)", shape_shown(&counts.shape)),
                "",
            );
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
            return Err(super::lift::length_error(&counts, &arr, &counts.shape[0].clone(), &arr.shape[axis].clone(), span));
        }
        let counts = self.coerced(counts, &arr.shape[axis..=axis], span)?;
        if let Some(ints) = counts
            .constant_ints()
            .filter(|ints| ints.iter().all(|n| *n >= 0) && ints.iter().fold(0i64, |sum, n| sum.saturating_add(*n)) <= MAX_LITERAL as i64)
        {
            let at =
                ints.iter().enumerate().flat_map(|(at, n)| std::iter::repeat_n(Scalar::I64(at as i64), *n as usize)).collect::<Vec<_>>();
            if let (Some(lit), 1, true) = (&arr.lit, arr.shape.len(), arr.is_simple()) {
                let items: Vec<Scalar> = at.iter().filter_map(|at| at.as_i128()).map(|at| lit[at as usize]).collect();
                return Ok(Val::Arr(self.b.literal(arr.kind, &[items.len() as u64], items)));
            }
            let positions = self.b.literal(Kind::Int, &[at.len() as u64], at);
            return self.gathered(&arr, axis, &positions).map(Val::Arr);
        }
        let positions = match counts.kind {
            Kind::Bool => self.where_true(&counts),
            _ => self.repeated(&counts)?,
        };
        self.gathered(&arr, axis, &positions).map(Val::Arr)
    }
    /// Each position as often as its count says.
    fn repeated(&mut self, counts: &Arr) -> Result<Arr> {
        let len = counts.shape[0].clone();
        let counts = counts.clone();
        let checked = self.b.map(&counts.shape, vec![counts.expr.clone()], |b, n| {
            let cond = b.op2(Op::Ge, I, n[0].clone(), b.int(0));
            let message = Symbol::new("a count of `/` is negative (DOMAIN ERROR)");
            Ok(b.node(ExprKind::Assert { cond, message, expr: n[0].clone() }))
        })?;
        let checked = self.b.bind(checked);
        let (add, zero) = (Expr::op(Op::Add, I, self.b.at), self.b.int(0));
        let ends = self.b.prim(Prim::Scan, Kind::Int, std::slice::from_ref(&len), &[], vec![add.clone(), zero.clone(), checked.clone()]);
        let ends = self.b.bind(ends);
        let total = self.b.prim(Prim::Reduce, Kind::Int, std::slice::from_ref(&len), &[], vec![add.clone(), zero.clone(), checked]);
        let total = self.b.bind(total);
        let size = self.b.size_of(total.clone());
        let ones = self.b.node(ExprKind::Rep { frame: Shape::dims([len.clone()]), arg: self.b.int(1) });
        let marks = self.b.prim(Prim::Hist, Kind::Int, std::slice::from_ref(&len), &[], vec![add.clone(), zero.clone(), total, ends, ones]);
        let at = self.b.prim(Prim::Scan, Kind::Int, std::slice::from_ref(&size), &[], vec![add, zero, marks]);
        Ok(self.b.named(Kind::Int, vec![size], at))
    }
    /// `mask\arr`: fills where the mask is 0.
    pub fn expanded(&mut self, left: Val, right: Val, axis: Option<&Val>, last: bool, span: Span) -> Result<Val> {
        let mask = left.simple(span, "the left argument of `\\`")?;
        let mut arr = right.arr(span, "`\\`")?;
        if mask.kind != Kind::Bool || mask.shape.len() != 1 {
            return fail(Code::AplKind, span, format!("the left argument of `\\` is a vector of truth values, not {}", mask.shown()), "");
        }
        let len = mask.shape[0].clone();
        let as_ints = self.b.convert(&mask, Kind::Int)?;
        let (add, zero) = (Expr::op(Op::Add, I, self.b.at), self.b.int(0));
        let ends = self.b.prim(Prim::Scan, Kind::Int, std::slice::from_ref(&len), &[], vec![add, zero, as_ints.expr]);
        let ends = self.b.named(Kind::Int, vec![len.clone()], ends);
        if arr.rank() == 0 {
            arr = self.ravelled(&arr)?;
            let used = mask.constant_ints().map(|ints| ints.iter().sum::<i64>());
            let count = Dim::constant(used.unwrap_or(1).max(1));
            if used.is_none() {
                return fail(Code::AplStatic, span, "a scalar is expanded by a constant mask only", "");
            }
            arr = self.reshaped(&[count], &arr, span)?;
        }
        let axis = self.axis_number(axis, arr.rank(), if last { arr.rank() - 1 } else { 0 }, span)?;
        if let (Some(ints), Some(have)) = (mask.constant_ints(), arr.shape[axis].as_constant()) {
            let used: i64 = ints.iter().sum();
            if used != have {
                return fail(Code::AplLength, span, format!("the mask takes {used} cells, and there are {have} (LENGTH ERROR)"), "");
            }
        }
        let kind = arr.kind;
        let made = self.along(&arr, axis, len.clone(), &mut |b, row| {
            let shape: Vec<Dim> = std::iter::once(row.len).chain(row.cell.iter().cloned()).collect();
            let expr = row.expr;
            b.map(std::slice::from_ref(&len), vec![mask.expr.clone(), ends.expr.clone()], |b, cells| {
                let at = b.op2(Op::Sub, I, cells[1].clone(), b.int(1));
                let found = b.index(kind, &shape, expr, &[at]);
                let fill = filled(b, kind, &row.cell);
                Ok(b.choose(cells[0].clone(), found, fill))
            })
        })?;
        Ok(Val::Arr(made))
    }
    /// `⍸`.
    pub fn where_(&mut self, right: Val, span: Span) -> Result<Val> {
        let mask = right.simple(span, "`⍸`")?;
        if mask.kind > Kind::Int {
            return fail(Code::AplKind, span, format!("`⍸` needs truth values or counts, not {}", mask.shown()), "");
        }
        let flat = self.ravelled(&mask)?;
        let found = if mask.kind == Kind::Bool { self.where_true(&flat) } else { self.repeated(&flat)? };
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
        let arr = right.simple(span, "sorting")?;
        if arr.rank() == 0 || arr.kind == Kind::Complex {
            return fail(
                Code::AplRank,
                span,
                format!("what is sorted is a vector, or the rows of an array, not {} (RANK ERROR)", arr.shown()),
                "",
            );
        }
        let len = arr.shape[0].clone();
        let rows = if arr.rank() == 1 {
            self.reshaped(&[len.clone(), Dim::constant(1)], &arr, span)?
        } else {
            let width = super::structure::product(&arr.shape[1..], span)?;
            self.reshaped(&[len.clone(), width], &arr, span)?
        };
        let (kind, width) = (arr.kind, rows.shape[1].clone());
        let single = arr.rank() == 1;
        let (shape, expr) =
            (if single { arr.shape.clone() } else { rows.shape.clone() }, if single { arr.expr.clone() } else { rows.expr.clone() });
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
            if single {
                let x = b.index(kind, &shape, expr.clone(), &at[..1]);
                let y = b.index(kind, &shape, expr.clone(), &at[1..]);
                return ordered(b, x, y);
            }
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
        self.library.insert("apl_order");
        let fun = self.b.node(ExprKind::Var(Symbol::new("apl_order")));
        let fun = self.b.node(ExprKind::Inst { fun, types: Vec::new(), indices: vec![Index::Dim(len.clone())] });
        let made = self.b.app(fun, vec![before, numbers]);
        let order = self.b.named(Kind::Int, vec![len], made);
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

    /// Two arrays whose elements can be compared, converted to one kind.
    fn comparable(&mut self, a: Arr, b: Arr) -> Result<Option<(Arr, Arr)>> {
        match a.kind.join(b.kind) {
            Some(kind) => Ok(Some((self.b.convert(&a, kind)?, self.b.convert(&b, kind)?))),
            None => Ok(None),
        }
    }
    /// `in⍳what`: positions from 0 of the first equal elements, the length of `in` where there is none.
    fn positions_in(&mut self, vector: Arr, what: Arr, span: Span) -> Result<Arr> {
        if vector.rank() != 1 || !vector.is_simple() {
            let shown = format!("elements are searched for in a vector, not in {} (RANK ERROR)", vector.shown());
            return fail(Code::AplRank, span, shown, "ravel it with `,`, or search in each row with `⍤1`");
        }
        let len = vector.shape[0].clone();
        let size = self.b.size(&len);
        let size = self.b.bind(size);
        let shape = what.shape.clone();
        let Some((vector, what)) = self.comparable(vector, what)? else {
            let made = self.b.node(ExprKind::Rep { frame: Shape::dims(shape.iter().cloned()), arg: size.clone() });
            let made = if shape.is_empty() { size } else { made };
            return Ok(self.b.named(Kind::Int, shape, made));
        };
        let kind = vector.kind;
        let made = self.b.map(&what.shape, vec![what.expr.clone()], |b, x| {
            let numbers = b.iota(&len);
            let hits = b.map(std::slice::from_ref(&len), vec![vector.expr.clone(), numbers], |b, cells| {
                let same = b.op2(Op::Eq, kind.prim(), cells[0].clone(), x[0].clone());
                Ok(b.choose(same, cells[1].clone(), size.clone()))
            })?;
            let least = Expr::op(Op::Min, I, b.at);
            // The neutral element of the minimum; what is not found is at the end.
            let most = b.int(i64::MAX);
            let found = b.prim(Prim::Reduce, Kind::Int, std::slice::from_ref(&len), &[], vec![least, most, hits]);
            Ok(b.op2(Op::Min, I, found, size.clone()))
        })?;
        Ok(self.b.named(Kind::Int, what.shape.clone(), made))
    }
    /// Dyadic `⍳`.
    pub fn index_of(&mut self, left: Val, right: Val, span: Span) -> Result<Val> {
        let (vector, what) = (left.simple(span, "`⍳`")?, right.simple(span, "`⍳`")?);
        let found = self.positions_in(vector, what, span)?;
        self.with_origin(found)
    }
    /// `what∊set`.
    pub fn member(&mut self, what: Arr, set: Arr, span: Span) -> Result<Arr> {
        let set = self.ravelled(&set)?;
        let shape = what.shape.clone();
        let _ = span;
        let Some((what, set)) = self.comparable(what, set)? else {
            let no = self.b.lit(Scalar::Bool(false));
            let made =
                if shape.is_empty() { no } else { self.b.node(ExprKind::Rep { frame: Shape::dims(shape.iter().cloned()), arg: no }) };
            return Ok(self.b.named(Kind::Bool, shape, made));
        };
        let (kind, len) = (set.kind, set.shape[0].clone());
        let made = self.b.map(&what.shape, vec![what.expr.clone()], |b, x| {
            let hits = b.map(std::slice::from_ref(&len), vec![set.expr.clone()], |b, y| {
                Ok(b.op2(Op::Eq, kind.prim(), y[0].clone(), x[0].clone()))
            })?;
            let or = Expr::op(Op::Or, B, b.at);
            let none = b.lit(Scalar::Bool(false));
            Ok(b.prim(Prim::Reduce, Kind::Bool, std::slice::from_ref(&len), &[], vec![or, none, hits]))
        })?;
        Ok(self.b.named(Kind::Bool, shape, made))
    }
    /// Positions from 0 of the first of each of equal elements.
    pub fn first_of_each(&mut self, arr: &Arr, span: Span) -> Result<Arr> {
        let first = self.positions_in(arr.clone(), arr.clone(), span)?;
        let numbers = self.b.iota(&arr.shape[0]);
        let mask =
            self.b.map(&arr.shape, vec![first.expr, numbers], |b, cells| Ok(b.op2(Op::Eq, I, cells[0].clone(), cells[1].clone())))?;
        let mask = self.b.named(Kind::Bool, arr.shape.clone(), mask);
        Ok(self.where_true(&mask))
    }
    /// A vector for functions of sets.
    pub fn set(&mut self, val: Val, span: Span, what: &str) -> Result<Arr> {
        let arr = val.simple(span, what)?;
        let arr = if arr.rank() == 0 { self.ravelled(&arr)? } else { arr };
        if arr.rank() != 1 {
            return fail(Code::AplRank, span, format!("{what} takes vectors, not {} (RANK ERROR)", arr.shown()), "ravel it with `,`");
        }
        Ok(arr)
    }
    /// `∪`.
    pub fn unique(&mut self, right: Val, span: Span) -> Result<Val> {
        let arr = self.set(right, span, "`∪`")?;
        let at = self.first_of_each(&arr, span)?;
        self.gathered(&arr, 0, &at).map(Val::Arr)
    }
    /// `≠`, one argument: which elements come first.
    pub fn unique_mask(&mut self, right: Val, span: Span) -> Result<Val> {
        let arr = self.set(right, span, "`≠`")?;
        let first = self.positions_in(arr.clone(), arr.clone(), span)?;
        let numbers = self.b.iota(&arr.shape[0]);
        let mask =
            self.b.map(&arr.shape, vec![first.expr, numbers], |b, cells| Ok(b.op2(Op::Eq, I, cells[0].clone(), cells[1].clone())))?;
        Ok(Val::Arr(self.b.named(Kind::Bool, arr.shape.clone(), mask)))
    }
    /// Elements of `a` that are, or are not, in `b`.
    pub fn kept(&mut self, a: Val, b: Val, inside: bool, what: &str, span: Span) -> Result<Val> {
        let a = self.set(a, span, what)?;
        let b = b.simple(span, what)?;
        let mask = Val::Arr(self.member(a.clone(), b, span)?);
        let mask = if inside { mask } else { self.pervade1('~', mask, span)? };
        let mask = mask.arr(span, what)?;
        let at = self.where_true(&mask);
        self.gathered(&a, 0, &at).map(Val::Arr)
    }

    /// `pattern⍷arr`.
    pub fn find(&mut self, left: Val, right: Val, span: Span) -> Result<Val> {
        let (mut pattern, arr) = (left.simple(span, "`⍷`")?, right.simple(span, "`⍷`")?);
        if pattern.rank() > arr.rank() {
            return fail(Code::AplRank, span, format!("{} is searched for in {} (RANK ERROR)", pattern.shown(), arr.shown()), "");
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
