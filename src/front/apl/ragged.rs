//! Vectors of vectors whose lengths are found out when the program runs: their elements one after the other, and the lengths.

use super::build::{Form, Layout};
use super::error::{Error, LengthError, NestingError, Result, Role};
use super::functions::Func;
use super::machine::Machine;
use super::structure::Place;
use super::value::{Arr, Kind, Rag, Val};
use crate::base::scalar::Op;
use crate::base::{PrimType, Scalar, Span, Symbol};
use crate::ir::core::{Dim, Expr, ExprKind, Prim, Shape};
use std::rc::Rc;

const I: PrimType = PrimType::I64;

impl Machine {
    /// Does something where items of different lengths make a vector of vectors.
    pub fn with_rows<T>(&mut self, action: impl FnOnce(&mut Machine) -> Result<T>) -> Result<T> {
        let before = std::mem::replace(&mut self.ragged, true);
        let out = self.attempt(action);
        self.ragged = before;
        out
    }
    /// The rows that a map makes, whose scope is open: a vector for each element of its frame.
    pub fn rows_made(&mut self, frame: &Dim, args: Vec<(Symbol, Expr)>, row: Arr) -> Result<Val> {
        let hidden = self.b.fresh("h");
        let form = Form::Arr { kind: row.kind, shape: vec![Dim::var(hidden)], levels: vec![1] };
        let kind = row.kind;
        let packed = self.b.pack(&Val::Arr(row), &Layout { form, hidden: vec![hidden] })?;
        let body = self.b.close(packed);
        let rows = self.b.node(ExprKind::Map { frame: Shape::dims([frame.clone()]), args, body });
        let name = match kind {
            Kind::Bool => "apl_rows_bool",
            Kind::Int => "apl_rows_i64",
            Kind::Double => "apl_rows_f64",
            Kind::Complex => "apl_rows_c128",
            Kind::Char => "apl_rows_u32",
        };
        let made = self.library_call(name, std::slice::from_ref(frame), vec![rows]);
        let (made, sizes) = self.b.unbox(made, 1);
        let lengths = self.b.node(ExprKind::Proj(0, made.clone()));
        let data = self.b.node(ExprKind::Proj(1, made));
        let lengths = self.b.named(Kind::Int, vec![frame.clone()], lengths);
        let data = self.b.named(kind, vec![Dim::var(sizes[0])], data);
        Ok(Val::Rag(Rc::new(Rag { lengths, data })))
    }
    /// Sums of numbers up to each, and of all.
    fn sums(&mut self, numbers: &Arr) -> (Arr, Expr) {
        let len = numbers.shape[..1].to_vec();
        let (add, zero) = (Expr::op(Op::Add, I, self.b.at), self.b.int(0));
        let ends = self.b.prim(Prim::Scan, Kind::Int, &len, &[], vec![add.clone(), zero.clone(), numbers.expr.clone()]);
        let ends = self.b.named(Kind::Int, len.clone(), ends);
        let total = self.b.prim(Prim::Reduce, Kind::Int, &len, &[], vec![add, zero, numbers.expr.clone()]);
        (ends, self.b.bind(total))
    }
    /// A part of a vector from a place on.
    fn part(&mut self, data: &Arr, start: Expr, count: Expr) -> Result<Arr> {
        let size = self.b.size_of(count);
        let start = self.b.bind(start);
        let made = self.b.tabulate(std::slice::from_ref(&size), &mut |b, at| {
            let at = b.op2(Op::Add, I, start.clone(), at[0].clone());
            Ok(b.index(data.kind, &data.shape, data.expr.clone(), &[at]))
        })?;
        Ok(self.b.named(data.kind, vec![size], made))
    }
    /// A row by its number, from 0.
    pub fn row(&mut self, rag: &Rag, at: &Expr) -> Result<Arr> {
        let (ends, _) = self.sums(&rag.lengths);
        self.row_of(rag, &ends, at)
    }
    fn row_of(&mut self, rag: &Rag, ends: &Arr, at: &Expr) -> Result<Arr> {
        let count = self.b.index(Kind::Int, &rag.lengths.shape, rag.lengths.expr.clone(), std::slice::from_ref(at));
        let count = self.b.bind(count);
        let end = self.b.index(Kind::Int, &ends.shape, ends.expr.clone(), std::slice::from_ref(at));
        let start = self.b.op2(Op::Sub, I, end, count.clone());
        self.part(&rag.data, start, count)
    }
    /// Rows by their numbers, from 0.
    pub fn rows_at(&mut self, rag: &Rag, at: &Arr) -> Result<Val> {
        let (ends, _) = self.sums(&rag.lengths);
        let frame = at.shape.clone();
        self.with_rows(|m| {
            m.mapped(&frame, std::slice::from_ref(at), true, &mut |m, mut cells| {
                let at = cells.remove(0).arr(m.b.at, Role::Index)?;
                m.row_of(rag, &ends, &at.expr).map(Val::Arr)
            })
        })
    }
    /// A tuple of vectors of one kind as rows, for what only the run decides.
    pub fn rows_of_tuple(&mut self, items: &[Val], widened: bool) -> Result<Option<Rag>> {
        let mut arrays = Vec::new();
        for item in items {
            match item {
                Val::Arr(arr) if arr.levels == [1] => arrays.push(arr.clone()),
                _ => return Ok(None),
            }
        }
        let kind = arrays[0].kind;
        let joined = arrays.iter().try_fold(kind, |kind, arr| kind.join(arr.kind));
        if joined.is_none() || !widened && arrays.iter().any(|arr| arr.kind != kind) {
            return Ok(None);
        }
        let sizes: Vec<Dim> = arrays.iter().map(|arr| arr.shape[0].clone()).collect();
        let lengths = self.b.numbers(&sizes);
        let mut data = arrays[0].clone();
        for arr in &arrays[1..] {
            let joined = self.catenated(Val::Arr(data), Val::Arr(arr.clone()), Place::Last, self.b.at)?;
            data = joined.arr(self.b.at, Role::Row)?;
        }
        Ok(Some(Rag { lengths, data }))
    }
    /// A value as rows, if it is a vector of vectors of one kind; kinds of numbers are widened.
    pub fn as_rows(&mut self, val: &Val) -> Result<Option<Rag>> {
        match val {
            Val::Rag(rag) => Ok(Some((**rag).clone())),
            Val::Tup(items) => self.rows_of_tuple(items, true),
            Val::Arr(arr) if arr.levels == [1, 1] => {
                let frame = Shape::dims(arr.shape[..1].iter().cloned());
                let lengths = self.b.node(ExprKind::Rep { frame, arg: self.b.size(&arr.shape[1]) });
                let lengths = self.b.named(Kind::Int, arr.shape[..1].to_vec(), lengths);
                let data = self.ravelled(&arr.clone().flat())?;
                Ok(Some(Rag { lengths, data }))
            }
            Val::Arr(_) => Ok(None),
        }
    }
    /// `mask/rows`.
    pub fn rows_kept(&mut self, left: Val, rag: &Rag, span: Span) -> Result<Val> {
        let len = rag.lengths.shape[0].clone();
        let numbers = self.b.iota(&len);
        let numbers = self.b.named(Kind::Int, vec![len], numbers);
        if let Val::Arr(counts) = &left
            && counts.kind != Kind::Bool
        {
            return Err(Error::at(span, NestingError::RowsRepeated(counts.kind)));
        }
        let at = self.replicated(left, Val::Arr(numbers), None, true, span)?.arr(span, Role::Of('/'))?;
        self.rows_at(rag, &at)
    }
    /// `↑rows`: shorter ones are filled.
    pub fn padded(&mut self, rag: &Rag) -> Result<Arr> {
        let len = rag.lengths.shape[..1].to_vec();
        let (most, zero) = (Expr::op(Op::Max, I, self.b.at), self.b.int(0));
        let width = self.b.prim(Prim::Reduce, Kind::Int, &len, &[], vec![most, zero, rag.lengths.expr.clone()]);
        let width = self.b.bind(width);
        let width = self.b.size_of(width);
        let (ends, _) = self.sums(&rag.lengths);
        let (data, kind) = (rag.data.clone(), rag.data.kind);
        let made = self.b.map(&len, vec![rag.lengths.expr.clone(), ends.expr], |b, row| {
            let start = b.op2(Op::Sub, I, row[1].clone(), row[0].clone());
            let start = b.bind(start);
            b.tabulate(std::slice::from_ref(&width), &mut |b, at| {
                let inside = b.op2(Op::Lt, I, at[0].clone(), row[0].clone());
                let place = b.op2(Op::Add, I, start.clone(), at[0].clone());
                let found = b.index(kind, &data.shape, data.expr.clone(), &[place]);
                Ok(b.choose(inside, found, b.lit(kind.fill())))
            })
        })?;
        Ok(self.b.named(kind, vec![len[0].clone(), width], made))
    }
    /// `f¨` where one argument at least is a vector of vectors.
    pub fn each_of_rows(&mut self, f: &Func, left: Option<Val>, right: Val, span: Span) -> Result<Val> {
        let count = |val: &Val| match val {
            Val::Rag(rag) => Some(rag.lengths.shape[0].clone()),
            Val::Arr(arr) => arr.outer().first().cloned(),
            Val::Tup(items) => Some(Dim::constant(items.len() as i64)),
        };
        let Some(len) = count(&right).or_else(|| left.as_ref().and_then(count)) else { return Err(self.silent()) };
        let mut arrays = Vec::new();
        let mut makers = Vec::new();
        for val in left.into_iter().chain([right]) {
            makers.push(self.item_maker(val, &len, &mut arrays, span)?);
        }
        self.with_rows(|m| {
            m.mapped(std::slice::from_ref(&len), &arrays, true, &mut |m, cells| {
                let mut items = Vec::new();
                for maker in &makers {
                    items.push(match maker {
                        Maker::Same(val) => val.clone(),
                        Maker::Cell(at) => cells[*at].clone(),
                        Maker::Row(rag, at) => {
                            let (count, end) =
                                (cells[*at].clone().arr(span, Role::RowLength)?, cells[*at + 1].clone().arr(span, Role::RowEnd)?);
                            let start = m.b.op2(Op::Sub, I, end.expr, count.expr.clone());
                            Val::Arr(m.part(&rag.data, start, count.expr)?)
                        }
                    });
                }
                let right = items.pop().expect("there is a right argument");
                m.call(f, items.pop(), right)
            })
        })
    }
    /// How the items of an argument come about in a map over `arrays`, which what is needed is added to.
    fn item_maker(&mut self, val: Val, len: &Dim, arrays: &mut Vec<Arr>, span: Span) -> Result<Maker> {
        let at = arrays.len();
        match val {
            Val::Rag(rag) => {
                let lengths = self.coerced(rag.lengths.clone(), std::slice::from_ref(len), span)?;
                let (ends, _) = self.sums(&lengths);
                arrays.extend([lengths, ends]);
                Ok(Maker::Row(rag, at))
            }
            Val::Arr(arr) if arr.rank() == 0 => Ok(Maker::Same(Val::Arr(arr.levelled_inner()))),
            Val::Arr(arr) if arr.rank() == 1 => {
                let mut wanted = arr.shape.clone();
                if wanted[0].never_equal(len) {
                    return Err(Error::at(span, LengthError::Items(wanted[0].clone(), len.clone())));
                }
                wanted[0] = len.clone();
                arrays.push(self.coerced(arr, &wanted, span)?);
                Ok(Maker::Cell(at))
            }
            other => Err(Error::at(span, NestingError::RowsWith(other.shown()))),
        }
    }
    /// `⊂` and `⊆` with computed marks: parts of a vector.
    pub fn cut(&mut self, marks: &Arr, arr: &Arr, nested: bool, span: Span) -> Result<Val> {
        if !arr.is_simple() {
            return Err(Error::at(span, NestingError::Cut(arr.shown())));
        }
        let len = arr.shape[0].clone();
        let numbers = self.b.iota(&len);
        let message = Symbol::new("the left argument of `⊂` is 0 or 1, that of `⊆` at least 0 (DOMAIN ERROR)");
        let (shape, expr) = (marks.shape.clone(), marks.expr.clone());
        // Where a part begins.
        let begins = self.b.map(std::slice::from_ref(&len), vec![numbers.clone(), marks.expr.clone()], |b, x| {
            let low = b.op2(Op::Ge, I, x[1].clone(), b.int(0));
            let high = if nested { b.lit(Scalar::Bool(true)) } else { b.op2(Op::Le, I, x[1].clone(), b.int(1)) };
            let cond = b.choose(low, high, b.lit(Scalar::Bool(false)));
            let mark = b.node(ExprKind::Assert { cond, message, expr: x[1].clone() });
            let mark = b.bind(mark);
            let before = if nested {
                let first = b.op2(Op::Eq, I, x[0].clone(), b.int(0));
                let at = b.op2(Op::Sub, I, x[0].clone(), b.int(1));
                let found = b.index(Kind::Int, &shape, expr, &[at]);
                b.choose(first, b.int(0), found)
            } else {
                b.int(0)
            };
            Ok(b.op2(Op::Gt, I, mark, before))
        })?;
        let begins = self.b.named(Kind::Bool, vec![len.clone()], begins);
        let counted = self.b.convert(&begins, Kind::Int)?;
        let (parts, total) = self.sums(&counted);
        // Elements before the first part, and between those of `⊆`, are in none.
        let kept = self.b.map(std::slice::from_ref(&len), vec![parts.expr.clone(), marks.expr.clone()], |b, x| {
            let begun = b.op2(Op::Gt, I, x[0].clone(), b.int(0));
            let marked = b.op2(Op::Gt, I, x[1].clone(), b.int(0));
            Ok(if nested { b.choose(begun, marked, b.lit(Scalar::Bool(false))) } else { begun })
        })?;
        let kept = self.b.named(Kind::Bool, vec![len], kept);
        let at = self.where_true(&kept);
        let data = self.gathered(arr, 0, &at)?;
        let numbers = self.gathered(&parts, 0, &at)?;
        let count = self.b.size_of(total.clone());
        let places = self.b.map(&numbers.shape, vec![numbers.expr.clone()], |b, x| Ok(b.op2(Op::Sub, I, x[0].clone(), b.int(1))))?;
        let ones = self.b.node(ExprKind::Rep { frame: Shape::dims(numbers.shape.iter().cloned()), arg: self.b.int(1) });
        let (add, zero) = (Expr::op(Op::Add, I, self.b.at), self.b.int(0));
        let lengths = self.b.prim(Prim::Hist, Kind::Int, &numbers.shape, &[], vec![add, zero, total, places, ones]);
        let lengths = self.b.named(Kind::Int, vec![count], lengths);
        Ok(Val::Rag(Rc::new(Rag { lengths, data })))
    }
}

/// How an item of an argument of `¨` comes about.
enum Maker {
    /// It is the same for all.
    Same(Val),
    /// The cell of an array.
    Cell(usize),
    /// A row whose length and end are cells of two arrays.
    Row(Rc<Rag>, usize),
}
