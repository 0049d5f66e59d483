//! Looking elements up: where they are in others, whether they are, which come first; sets.
//!
//! Elements that may be many are sorted once and found by bisection. Few are compared with all, which fuses with what is around it, and so
//! are complex numbers, which have no order.

use super::build::Build;
use super::error::{Agreement, Error, KindError, RankError, Result, Role, Wanted};
use super::lift::never_agree;
use super::machine::Machine;
use super::value::{Arr, Kind, Val};
use crate::base::scalar::Op;
use crate::base::{PrimType, Scalar, Span, Symbol};
use crate::ir::core::{Dim, Expr, ExprKind, Index, Prim, Shape};

const I: PrimType = PrimType::I64;
const B: PrimType = PrimType::Bool;

/// So few elements are not sorted.
const FEW: i64 = 16;

impl Machine {
    /// Two arrays whose elements can be compared, converted to one kind.
    pub fn comparable(&mut self, a: Arr, b: Arr) -> Result<Option<(Arr, Arr)>> {
        match a.kind.join(b.kind) {
            Some(kind) => Ok(Some((self.b.convert(&a, kind)?, self.b.convert(&b, kind)?))),
            None => Ok(None),
        }
    }
    /// Whether looking `what` up in a vector is worth sorting that.
    fn is_sorted_first(vector: &Arr, what: &Arr) -> bool {
        let few = |arr: &Arr| arr.count().is_some_and(|count| count <= FEW);
        vector.kind != Kind::Complex && !few(vector) && !what.shape.is_empty() && !few(what)
    }
    /// Numbers that are equal where elements are. A NaN has one, too.
    fn keys(&mut self, arr: &Arr) -> Result<Arr> {
        let kind = arr.kind;
        let shape = arr.shape.clone();
        let arr = if kind == Kind::Bool { self.b.convert(arr, Kind::Int)? } else { arr.clone() };
        let made = match kind {
            Kind::Double => {
                self.found.library.insert("apl_key");
                let key = self.b.node(ExprKind::Var(Symbol::new("apl_key")));
                self.b.map(&shape, vec![arr.expr], |b, x| Ok(b.app(key, vec![x[0].clone()])))?
            }
            Kind::Bool | Kind::Int | Kind::Complex | Kind::Char => {
                let from = arr.kind.prim();
                self.b.map(&shape, vec![arr.expr], |b, x| Ok(b.op1(Op::Convert(from), PrimType::U64, x[0].clone())))?
            }
        };
        Ok(self.b.named(Kind::Int, shape, made))
    }
    /// `in⍳what`: positions from 0 of the first equal elements, the length of `in` where there is none. A NaN is equal to nothing.
    fn positions_in(&mut self, vector: Arr, what: Arr, span: Span) -> Result<Arr> {
        if vector.rank() != 1 || !vector.is_simple() {
            return Err(Error::at(span, RankError::Takes { role: Role::Left('⍳'), wanted: Wanted::Vector, found: vector.shown() }));
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
        if Machine::is_sorted_first(&vector, &what) {
            let row = self.ravelled(&what)?;
            let (xs, ys) = (self.keys(&vector)?, self.keys(&row)?);
            let found = self.library_call("apl_places", &[len, row.shape[0].clone()], vec![xs.expr, ys.expr]);
            let found = self.b.named(Kind::Int, row.shape.clone(), found);
            let found = match kind {
                Kind::Double => {
                    let made = self.b.map(&row.shape, vec![row.expr.clone(), found.expr], |b, x| {
                        let number = b.op2(Op::Eq, kind.prim(), x[0].clone(), x[0].clone());
                        Ok(b.choose(number, x[1].clone(), size.clone()))
                    })?;
                    self.b.named(Kind::Int, row.shape.clone(), made)
                }
                Kind::Bool | Kind::Int | Kind::Complex | Kind::Char => found,
            };
            return self.shaped(&found, &shape);
        }
        let made = self.b.map(&what.shape, vec![what.expr.clone()], |b, x| {
            let numbers = b.iota(&len);
            let hits = b.map(std::slice::from_ref(&len), vec![vector.expr.clone(), numbers], |b, cells| {
                let same = b.op2(Op::Eq, kind.prim(), cells[0].clone(), x[0].clone());
                Ok(b.choose(same, cells[1].clone(), size.clone()))
            })?;
            Ok(least(b, &len, hits, &size))
        })?;
        Ok(self.b.named(Kind::Int, what.shape.clone(), made))
    }
    /// Dyadic `⍳`.
    pub fn index_of(&mut self, left: Val, right: Val, span: Span) -> Result<Val> {
        let (vector, what) = (left.simple(span, Role::Of('⍳'))?, right.simple(span, Role::Of('⍳'))?);
        let found = if vector.rank() > 1 { self.cells_in(vector, what, span)? } else { self.positions_in(vector, what, span)? };
        self.with_origin(found)
    }
    /// Positions of cells among those along the first axis of an array: each is compared with all.
    fn cells_in(&mut self, arr: Arr, what: Arr, span: Span) -> Result<Arr> {
        let axes = arr.rank() - 1;
        if what.rank() < axes {
            return Err(Error::at(span, RankError::Cells { cell: arr.shape[1..].to_vec(), found: what.shown() }));
        }
        let frame = what.shape[..what.rank() - axes].to_vec();
        let mut wanted = frame.clone();
        wanted.extend(arr.shape[1..].iter().cloned());
        for (x, y) in wanted.iter().zip(&what.shape) {
            if x.never_equal(y) {
                return Err(never_agree(&arr, &what, (x.clone(), y.clone()), Agreement::Cells, span));
            }
        }
        let what = self.coerced(what, &wanted, span)?;
        let len = arr.shape[0].clone();
        let size = self.b.size(&len);
        let size = self.b.bind(size);
        let Some((arr, what)) = self.comparable(arr, what)? else {
            let made = self.b.node(ExprKind::Rep { frame: Shape::dims(frame.iter().cloned()), arg: size.clone() });
            let made = if frame.is_empty() { size } else { made };
            return Ok(self.b.named(Kind::Int, frame, made));
        };
        let width = super::structure::product(&arr.shape[1..], span)?;
        let rows = self.reshaped(&[len.clone(), width.clone()], &arr, span)?;
        let mut sizes = frame.clone();
        sizes.push(width.clone());
        let what = self.reshaped(&sizes, &what, span)?;
        let kind = arr.kind;
        let made = self.b.map(&frame, vec![what.expr.clone()], |b, wanted| {
            let numbers = b.iota(&len);
            let hits = b.map(std::slice::from_ref(&len), vec![rows.expr.clone(), numbers], |b, cells| {
                let pairs = vec![cells[0].clone(), wanted[0].clone()];
                let same = b.map(std::slice::from_ref(&width), pairs, |b, x| Ok(b.op2(Op::Eq, kind.prim(), x[0].clone(), x[1].clone())))?;
                let (and, yes) = (Expr::op(Op::And, B, b.at), b.lit(Scalar::Bool(true)));
                let all = b.prim(Prim::Reduce, Kind::Bool, std::slice::from_ref(&width), &[], vec![and, yes, same]);
                Ok(b.choose(all, cells[1].clone(), size.clone()))
            })?;
            Ok(least(b, &len, hits, &size))
        })?;
        Ok(self.b.named(Kind::Int, frame, made))
    }
    /// `bounds⍸what`: in which of the intervals that begin at the bounds elements are.
    pub fn interval_of(&mut self, left: Val, right: Val, span: Span) -> Result<Val> {
        let (bounds, what) = (left.simple(span, Role::Of('⍸'))?, right.simple(span, Role::Of('⍸'))?);
        if bounds.rank() != 1 {
            return Err(Error::at(span, RankError::Takes { role: Role::Left('⍸'), wanted: Wanted::Ascending, found: bounds.shown() }));
        }

        let kind = match bounds.kind.join(what.kind) {
            Some(Kind::Bool | Kind::Int | Kind::Char) => Kind::Int,
            Some(Kind::Double) => Kind::Double,
            Some(Kind::Complex) | None => return Err(Error::at(span, KindError::Unordered { what: what.kind, among: bounds.kind })),
        };
        let (bounds, row) = (self.ordinal(&bounds, kind)?, self.ravelled(&what)?);
        let row = self.ordinal(&row, kind)?;
        let name = if kind == Kind::Int { "apl_intervals_i64" } else { "apl_intervals_f64" };
        let found = self.library_call(name, &[bounds.shape[0].clone(), row.shape[0].clone()], vec![bounds.expr, row.expr]);
        let before = self.origin - 1;
        let made = self.b.map(&row.shape, vec![found], |b, at| Ok(b.op2(Op::Add, I, at[0].clone(), b.int(before))))?;
        let found = self.b.named(Kind::Int, row.shape.clone(), made);
        self.shaped(&found, &what.shape).map(Val::Arr)
    }
    /// Numbers in the order of the elements.
    fn ordinal(&mut self, arr: &Arr, kind: Kind) -> Result<Arr> {
        if arr.kind != Kind::Char {
            return self.b.convert(arr, kind);
        }
        let made = self.b.map(&arr.shape, vec![arr.expr.clone()], |b, x| Ok(b.converted(Kind::Char, Kind::Int, x[0].clone())))?;
        Ok(self.b.named(Kind::Int, arr.shape.clone(), made))
    }
    /// `what∊set`.
    pub fn member(&mut self, what: Arr, set: Arr, span: Span) -> Result<Arr> {
        let set = self.ravelled(&set)?;
        let shape = what.shape.clone();
        let Some((what, set)) = self.comparable(what, set)? else {
            let no = self.b.lit(Scalar::Bool(false));
            let made =
                if shape.is_empty() { no } else { self.b.node(ExprKind::Rep { frame: Shape::dims(shape.iter().cloned()), arg: no }) };
            return Ok(self.b.named(Kind::Bool, shape, made));
        };
        let (kind, len) = (set.kind, set.shape[0].clone());
        if Machine::is_sorted_first(&set, &what) {
            let found = self.positions_in(set, what, span)?;
            let size = self.b.size(&len);
            let made = self.b.map(&shape, vec![found.expr], |b, at| Ok(b.op2(Op::Lt, I, at[0].clone(), size.clone())))?;
            return Ok(self.b.named(Kind::Bool, shape, made));
        }
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
    /// For each element of a vector the position of the first that is equal to it; a NaN is the first of its own.
    pub fn first_equal(&mut self, arr: &Arr, span: Span) -> Result<Arr> {
        let first = self.positions_in(arr.clone(), arr.clone(), span)?;
        if arr.kind < Kind::Double || arr.kind == Kind::Char {
            return Ok(first);
        }
        let numbers = self.b.iota(&arr.shape[0]);
        let made = self.b.map(&arr.shape, vec![first.expr, numbers], |b, x| Ok(b.op2(Op::Min, I, x[0].clone(), x[1].clone())))?;
        Ok(self.b.named(Kind::Int, arr.shape.clone(), made))
    }
    /// Which elements are the first of equal ones.
    fn is_first(&mut self, arr: &Arr, span: Span) -> Result<Arr> {
        let first = self.first_equal(arr, span)?;
        let numbers = self.b.iota(&arr.shape[0]);
        let mask = self.b.map(&arr.shape, vec![first.expr, numbers], |b, x| Ok(b.op2(Op::Eq, I, x[0].clone(), x[1].clone())))?;
        Ok(self.b.named(Kind::Bool, arr.shape.clone(), mask))
    }
    /// A vector for functions of sets.
    pub fn set(&mut self, val: Val, span: Span, glyph: char) -> Result<Arr> {
        let role = Role::Of(glyph);
        let arr = val.simple(span, role)?;
        let arr = if arr.rank() == 0 { self.ravelled(&arr)? } else { arr };
        if arr.rank() != 1 {
            return Err(Error::at(span, RankError::Takes { role, wanted: Wanted::Vector, found: arr.shown() }));
        }
        Ok(arr)
    }
    /// `∪`.
    pub fn unique(&mut self, right: Val, span: Span) -> Result<Val> {
        let arr = self.set(right, span, '∪')?;
        let mask = self.is_first(&arr, span)?;
        let at = self.where_true(&mask);
        self.gathered(&arr, 0, &at).map(Val::Arr)
    }
    /// `≠`, one argument: which elements come first.
    pub fn unique_mask(&mut self, right: Val, span: Span) -> Result<Val> {
        let arr = self.set(right, span, '≠')?;
        self.is_first(&arr, span).map(Val::Arr)
    }
    /// Elements of `a` that are, or are not, in `b`.
    pub fn kept(&mut self, a: Val, b: Val, inside: bool, glyph: char, span: Span) -> Result<Val> {
        let a = self.set(a, span, glyph)?;
        let b = b.simple(span, Role::Of(glyph))?;
        let mask = Val::Arr(self.member(a.clone(), b, span)?);
        let mask = if inside { mask } else { self.pervade1('~', mask, span)? };
        let mask = mask.arr(span, Role::Of(glyph))?;
        let at = self.where_true(&mask);
        self.gathered(&a, 0, &at).map(Val::Arr)
    }
    /// A call of a function of the library.
    pub fn library_call(&mut self, name: &'static str, sizes: &[Dim], args: Vec<Expr>) -> Expr {
        self.found.library.insert(name);
        let fun = self.b.node(ExprKind::Var(Symbol::new(name)));
        let fun = self.b.node(ExprKind::Inst { fun, types: Vec::new(), indices: sizes.iter().cloned().map(Index::Dim).collect() });
        self.b.app(fun, args)
    }
}

/// The least of some positions and a size.
fn least(b: &mut Build, len: &Dim, hits: Expr, size: &Expr) -> Expr {
    let least = Expr::op(Op::Min, I, b.at);
    // The neutral element of the minimum; what is not found is at the end.
    let most = b.int(i64::MAX);
    let found = b.prim(Prim::Reduce, Kind::Int, std::slice::from_ref(len), &[], vec![least, most, hits]);
    b.op2(Op::Min, I, found, size.clone())
}
