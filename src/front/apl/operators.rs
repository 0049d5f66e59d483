//! Operators: each, reductions, scans, products, power, rank, and those that put functions together.

use super::error::{
    Agreement, Applied, Arity, Constant, Error, ErrorKind, KindError, NestingError, NotationError, OperandError, RankError, Result, Role,
    SentenceError, Wanted,
};
use super::functions::{Derived, Func, Operand};
use super::lift::never_agree;
use super::machine::Machine;
use super::scalar::is_dyadic;
use super::value::{Arr, Kind, Val};
use crate::base::scalar::{Op, highest, lowest};
use crate::base::{PrimType, Scalar, Span};
use crate::ir::core::{Dim, ExprKind, Shape};
use std::rc::Rc;

/// Passes that are written out where types change from one to the next.
const MAX_WRITTEN: i64 = 64;

/// What is done with cells of two arguments, or of one.
pub type Pairs<'a> = &'a mut dyn FnMut(&mut Machine, Option<Val>, Val) -> Result<Val>;

/// What maps do with cells.
pub type Cells<'a> = &'a mut dyn FnMut(&mut Machine, Vec<Val>) -> Result<Val>;

/// The element that changes nothing, for the functions that have one.
pub fn neutral(glyph: char, kind: Kind) -> Option<Scalar> {
    let p = kind.prim();
    Some(match glyph {
        '+' | '-' | '|' | '∨' | '<' | '>' | '≠' | '⊤' => Scalar::from_i128(p, 0),
        '×' | '÷' | '*' | '∧' | '≤' | '=' | '≥' | '!' => Scalar::from_i128(p, 1),
        '⌈' if kind.is_number() && kind != Kind::Complex => {
            if kind == Kind::Bool {
                Scalar::Bool(false)
            } else {
                lowest(p)
            }
        }
        '⌊' if kind.is_number() && kind != Kind::Complex => {
            if kind == Kind::Bool {
                Scalar::Bool(true)
            } else {
                highest(p)
            }
        }
        _ => return None,
    })
}

/// Whether a scalar function may be grouped in any way.
pub fn is_associative(glyph: char, kind: Kind) -> bool {
    match glyph {
        '+' | '×' | '⌈' | '⌊' => true,
        '∧' | '∨' => kind <= Kind::Int,
        '=' | '≠' => kind == Kind::Bool,
        _ => false,
    }
}

impl Machine {
    /// Does something with the cells of arrays over a frame. `nested`: each result becomes an item, whatever its shape.
    pub fn mapped(&mut self, frame: &[Dim], arrays: &[Arr], nested: bool, body: Cells<'_>) -> Result<Val> {
        let span = self.b.at;
        let cut = |arr: &Arr| {
            let mut levels = arr.levels.clone();
            levels[0] -= frame.len();
            (arr.shape[frame.len()..].to_vec(), levels)
        };
        self.b.open();
        let names: Vec<_> = arrays.iter().map(|_| self.b.fresh("c")).collect();
        self.b.own(names.iter().copied());
        let cells = arrays
            .iter()
            .zip(&names)
            .map(|(arr, name)| {
                let (shape, levels) = cut(arr);
                let expr = if frame.is_empty() { arr.expr.clone() } else { self.b.var(*name) };
                let mut cell = self.b.named(arr.kind, shape, expr).levelled(levels);
                if nested {
                    cell = cell.levelled_inner();
                }
                Val::Arr(cell)
            })
            .collect();
        self.looped += usize::from(!frame.is_empty());
        let made = body(self, cells)?;
        self.looped -= usize::from(!frame.is_empty());
        self.b.at = span;
        let Val::Arr(made) = made else {
            return Err(Error::at(span, NestingError::Results));
        };
        if frame.is_empty() {
            self.b.merge();
            let levels = if nested && !made.shape.is_empty() { Arr::with_outer(0, &made.levels) } else { made.levels.clone() };
            return Ok(Val::Arr(made.levelled(levels)));
        }
        let row = made.shape.len() == 1 && (nested && made.levels == [1] || !nested && made.levels == [0, 1]);
        if row && frame.len() == 1 && self.b.is_local(&made.shape[0]) && (!nested || self.ragged) {
            let args = names.into_iter().zip(arrays.iter().map(|arr| arr.expr.clone())).collect();
            return self.rows_made(&frame[0], args, made.flat());
        }
        if made.shape.iter().any(|dim| self.b.is_local(dim)) {
            return Err(Error::at(span, NestingError::Sizes));
        }
        let body = self.b.close(made.expr);
        let args = names.into_iter().zip(arrays.iter().map(|arr| arr.expr.clone())).collect();
        let expr = self.b.node(ExprKind::Map { frame: Shape::dims(frame.iter().cloned()), args, body });
        let shape = frame.iter().cloned().chain(made.shape.iter().cloned()).collect();
        let levels = match (nested, made.shape.is_empty()) {
            (true, true) => vec![frame.len()],
            (true, false) => Arr::with_outer(frame.len(), &made.levels),
            (false, _) => {
                let mut levels = made.levels.clone();
                levels[0] += frame.len();
                levels
            }
        };
        Ok(Val::Arr(self.b.named(made.kind, shape, expr).levelled(levels)))
    }

    /// Applies something to cells: `frames` axes of each argument are gone through.
    pub fn framed(&mut self, left: Option<Val>, right: Val, frames: (usize, usize), span: Span, apply: Pairs<'_>) -> Result<Val> {
        let (fl, fr) = frames;
        let Some(left) = left else {
            if fr == 0 {
                return apply(self, None, right);
            }
            let right = right.arr(span, Role::Cells)?;
            let frame = right.shape[..fr].to_vec();
            return self.mapped(&frame, &[right], false, &mut |m, mut cells| apply(m, None, cells.remove(0)));
        };
        if fl == 0 && fr == 0 {
            return apply(self, Some(left), right);
        }
        if fl == 0 {
            let right = right.arr(span, Role::Cells)?;
            let frame = right.shape[..fr].to_vec();
            return self.mapped(&frame, &[right], false, &mut |m, mut cells| apply(m, Some(left.clone()), cells.remove(0)));
        }
        if fr == 0 {
            let left = left.arr(span, Role::Cells)?;
            let frame = left.shape[..fl].to_vec();
            return self.mapped(&frame, &[left], false, &mut |m, mut cells| apply(m, Some(cells.remove(0)), right.clone()));
        }
        let (left, right) = (left.arr(span, Role::Cells)?, right.arr(span, Role::Cells)?);
        let common = fl.min(fr);
        let mut wanted = right.shape.clone();
        wanted[..common].clone_from_slice(&left.shape[..common]);
        for (x, y) in left.shape[..common].iter().zip(&right.shape[..common]) {
            if x.never_equal(y) {
                return Err(never_agree(&left, &right, (x.clone(), y.clone()), Agreement::First, span));
            }
        }
        let right = self.coerced(right, &wanted, span)?;
        let frame = left.shape[..common].to_vec();
        self.mapped(&frame, &[left, right], false, &mut |m, mut cells| {
            let r = cells.pop().expect("two cells");
            let l = cells.pop().expect("two cells");
            m.framed(Some(l), r, (fl - common, fr - common), span, apply)
        })
    }

    /// An operator applied to its operands and arguments.
    pub fn operator(&mut self, derived: &Derived, left: Option<Val>, right: Val, span: Span) -> Result<Val> {
        let fun = |operand: &Operand, m: &Machine| match operand {
            Operand::Fun(func) => Ok(func.clone()),
            Operand::Val(_) => Err(Error::at(m.b.at, OperandError::NoFunction { operator: derived.op })),
        };
        let arguments = |function: Applied, takes: Arity| Err(Error::at(span, SentenceError::Arguments { function, takes }));
        match derived.op {
            '⍁' => {
                let f = fun(&derived.left, self)?;
                let Some(left) = left else {
                    return arguments(Applied::OuterProduct, Arity::Two);
                };
                self.outer(&f, left, right, span)
            }
            '/' | '⌿' => {
                let f = fun(&derived.left, self)?;
                self.reduction(&f, left, right, derived.op == '/', derived.axis.as_ref(), span)
            }
            '\\' | '⍀' => {
                let f = fun(&derived.left, self)?;
                if left.is_some() {
                    return arguments(Applied::Scan, Arity::One);
                }
                self.scan(&f, right, derived.op == '\\', derived.axis.as_ref(), span)
            }
            '¨' => {
                let f = fun(&derived.left, self)?;
                self.each(&f, left, right, span)
            }
            '⍨' => match (&derived.left, left) {
                (Operand::Val(val), _) => Ok(val.clone()),
                (Operand::Fun(f), None) => self.call(f, Some(right.clone()), right),
                (Operand::Fun(f), Some(left)) => self.call(f, Some(right), left),
            },
            '.' => {
                let (f, g) = (fun(&derived.left, self)?, fun(derived.right.as_ref().expect("two operands"), self)?);
                let Some(left) = left else {
                    return arguments(Applied::InnerProduct, Arity::Two);
                };
                self.inner(&f, &g, left, right, span)
            }
            '∘' => match (&derived.left, derived.right.as_ref().expect("two operands")) {
                (Operand::Fun(f), Operand::Fun(g)) => {
                    let inner = self.call(g, None, right)?;
                    self.call(f, left, inner)
                }
                (Operand::Val(val), Operand::Fun(f)) if left.is_none() => self.call(f, Some(val.clone()), right),
                (Operand::Fun(f), Operand::Val(val)) if left.is_none() => self.call(f, Some(right), val.clone()),
                _ => arguments(Applied::Bound, Arity::One),
            },
            '⍥' => {
                let (f, g) = (fun(&derived.left, self)?, fun(derived.right.as_ref().expect("two operands"), self)?);
                let right = self.call(&g, None, right)?;
                let left = left.map(|left| self.call(&g, None, left)).transpose()?;
                self.call(&f, left, right)
            }
            '⍤' => {
                let f = fun(&derived.left, self)?;
                match derived.right.as_ref().expect("two operands") {
                    Operand::Fun(g) => {
                        let inner = self.call(g, left, right)?;
                        self.call(&f, None, inner)
                    }
                    Operand::Val(ranks) => self.rank(&f, ranks, left, right, span),
                }
            }
            '⍣' => {
                let f = fun(&derived.left, self)?;
                self.power(&f, derived.right.as_ref().expect("two operands"), left, right, span)
            }
            '⌸' => {
                let f = fun(&derived.left, self)?;
                self.key(&f, left, right, span)
            }
            '⌺' => {
                let f = fun(&derived.left, self)?;
                match derived.right.as_ref().expect("two operands") {
                    Operand::Val(sizes) if left.is_none() => self.stencil(&f, sizes, right, span),
                    _ => Err(Error::at(span, OperandError::Stencil)),
                }
            }
            '@' => self.at_places(derived, left, right, span),
            other => Err(Error::at(span, NotationError::Operator(other))),
        }
    }

    fn rank(&mut self, f: &Func, ranks: &Val, left: Option<Val>, right: Val, span: Span) -> Result<Val> {
        let ranks = match ranks {
            Val::Arr(arr) => arr.constant_ints().filter(|ranks| (1..=3).contains(&ranks.len())),
            Val::Tup(_) | Val::Rag(_) => None,
        };
        let Some(ranks) = ranks else {
            return Err(Error::at(span, Constant::Ranks));
        };
        let (one, l, r) = match ranks.as_slice() {
            [k] => (*k, *k, *k),
            [l, r] => (*r, *l, *r),
            other => (other[0], other[1], other[2]),
        };
        let frame = |val: &Val, k: i64| {
            let rank = if let Val::Arr(arr) = val { arr.rank() as i64 } else { 1 };
            if k < 0 { (-k).min(rank) as usize } else { (rank - k).max(0) as usize }
        };
        let frames = match &left {
            None => (0, frame(&right, one)),
            Some(left) => (frame(left, l), frame(&right, r)),
        };
        if let (Val::Tup(_) | Val::Rag(_), 1) = (&right, frames.1) {
            return self.each(f, left, right, span);
        }
        self.framed(left, right, frames, span, &mut |m, l, r| m.call(f, l, r))
    }

    /// `f¨`.
    pub fn each(&mut self, f: &Func, left: Option<Val>, right: Val, span: Span) -> Result<Val> {
        if matches!(left, Some(Val::Rag(_))) || matches!(right, Val::Rag(_)) {
            return self.each_of_rows(f, left, right, span);
        }
        let Some(left) = left else {
            let Val::Arr(arr) = &right else {
                let Val::Tup(items) = &right else { unreachable!("an array or a tuple") };
                let items = items.iter().map(|item| self.call(f, None, item.clone())).collect::<Result<Vec<_>>>()?;
                return self.strand(items);
            };
            let frame = arr.outer().to_vec();
            let tried =
                self.attempt(|m| m.mapped(&frame, std::slice::from_ref(arr), true, &mut |m, mut cells| m.call(f, None, cells.remove(0))));
            return match tried {
                Err(error) if may_be_written_out(&error) => match written_out(arr) {
                    Some(count) => {
                        let mut out = Vec::new();
                        for at in 0..count {
                            let item = self.item(&right, at, span)?;
                            out.push(self.call(f, None, item)?);
                        }
                        self.strand(out)
                    }
                    None => self.with_rows(|m| {
                        m.mapped(&frame, std::slice::from_ref(arr), true, &mut |m, mut cells| m.call(f, None, cells.remove(0)))
                    }),
                },
                other => other,
            };
        };
        let (a, b) = match (&left, &right) {
            (Val::Arr(a), Val::Arr(b)) => (a.clone(), b.clone()),
            _ => return self.itemwise(left, right, span, &mut |m, l, r| m.call(f, Some(l), r)),
        };
        let tried = self.attempt(|m| m.each_pair(f, a.clone(), b.clone(), span));
        match tried {
            Err(error) if may_be_written_out(&error) => {
                if written_out(if a.rank() == 0 { &b } else { &a }).is_none() {
                    return self.with_rows(|m| m.each_pair(f, a.clone(), b.clone(), span));
                }
                self.itemwise(left, right, span, &mut |m, l, r| m.call(f, Some(l), r))
            }
            other => other,
        }
    }
    fn each_pair(&mut self, f: &Func, a: Arr, b: Arr, span: Span) -> Result<Val> {
        if a.rank() == 0 {
            let item = Val::Arr(a.levelled_inner());
            let frame = b.outer().to_vec();
            return self.mapped(&frame, &[b], true, &mut |m, mut cells| m.call(f, Some(item.clone()), cells.remove(0)));
        }
        if b.rank() == 0 {
            let item = Val::Arr(b.levelled_inner());
            let frame = a.outer().to_vec();
            return self.mapped(&frame, &[a], true, &mut |m, mut cells| m.call(f, Some(cells.remove(0)), item.clone()));
        }
        if a.rank() != b.rank() {
            return Err(Error::at(span, RankError::Each { left: a.outer_origin(), right: b.outer_origin() }));
        }
        let wanted: Vec<Dim> = a.outer().iter().chain(b.cell()).cloned().collect();
        let b = self.coerced(b, &wanted, span)?;
        let frame = a.outer().to_vec();
        self.mapped(&frame, &[a, b], true, &mut |m, mut cells| {
            let r = cells.pop().expect("two cells");
            m.call(f, cells.pop(), r)
        })
    }

    /// `∘.f`.
    fn outer(&mut self, f: &Func, left: Val, right: Val, span: Span) -> Result<Val> {
        if let (Val::Arr(a), Val::Arr(b)) = (&left, &right) {
            let (fa, fb) = (a.outer().to_vec(), b.outer().to_vec());
            return self.mapped(&fa, std::slice::from_ref(a), false, &mut |m, mut l| {
                let l = l.remove(0);
                let l = if let Val::Arr(arr) = l { Val::Arr(arr.levelled_inner()) } else { l };
                m.mapped(&fb, std::slice::from_ref(b), true, &mut |m, mut r| m.call(f, Some(l.clone()), r.remove(0)))
            });
        }
        let _ = right.arr(span, Role::OuterProduct)?;
        let _ = left.arr(span, Role::OuterProduct)?;
        Err(self.silent())
    }

    /// `f.g`.
    pub fn inner(&mut self, f: &Func, g: &Func, left: Val, right: Val, span: Span) -> Result<Val> {
        let (mut a, mut b) = (left.simple(span, Role::InnerProduct)?, right.simple(span, Role::InnerProduct)?);
        if a.rank() == 0 && b.rank() == 0 {
            return self.call(g, Some(Val::Arr(a)), Val::Arr(b));
        }
        if a.count() == Some(1) && a.rank() <= 1 && b.rank() > 0 {
            let one = self.first_element(a);
            a = self.reshaped(&[b.shape[0].clone()], &one, span)?;
        } else if b.count() == Some(1) && b.rank() <= 1 && a.rank() > 0 {
            let one = self.first_element(b);
            b = self.reshaped(&[a.shape[a.rank() - 1].clone()], &one, span)?;
        }
        let (x, y) = (a.shape[a.rank() - 1].clone(), b.shape[0].clone());
        if x.never_equal(&y) {
            return Err(never_agree(&a, &b, (x, y), Agreement::LastAndFirst, span));
        }
        let mut wanted = b.shape.clone();
        wanted[0] = x;
        let b = self.coerced(b, &wanted, span)?;
        let columns = self.axis_last(&b, 0)?;
        let (fa, fb) = (a.shape[..a.rank() - 1].to_vec(), columns.shape[..b.rank() - 1].to_vec());
        self.mapped(&fa, &[a], false, &mut |m, mut rows| {
            let row = rows.remove(0);
            m.mapped(&fb, std::slice::from_ref(&columns), false, &mut |m, mut column| {
                let column = column.remove(0);
                let pairs = match g.glyph().filter(|c| is_dyadic(*c)) {
                    Some(_) => m.call(g, Some(row.clone()), column)?,
                    None => m.each(g, Some(row.clone()), column, span)?,
                };
                let pairs = pairs.arr(span, Role::InnerProduct)?;
                m.reduce_row(f, pairs, span)
            })
        })
    }

    /// `f⍣n`, `f⍣g`.
    fn power(&mut self, f: &Func, how: &Operand, left: Option<Val>, right: Val, span: Span) -> Result<Val> {
        match how {
            Operand::Fun(until) => self.until(f, until, left, right),
            Operand::Val(count) => {
                let count = count.clone().simple(span, Role::PowerCount)?;
                let count = if count.count() == Some(1) { self.first_element(count) } else { count };
                if !count.shape.is_empty() || count.kind > Kind::Int && count.constant_int().is_none() {
                    return Err(Error::at(
                        span,
                        KindError::Takes { role: Role::PowerCount, wanted: Wanted::WholeNumber, found: count.shown() },
                    ));
                }
                match count.constant_int() {
                    Some(0) => return Ok(right),
                    Some(1) => return self.call(f, left, right),
                    Some(n) if n < 0 => return Err(Error::at(span, NotationError::Inverse)),
                    _ => {}
                }
                if count.kind == Kind::Bool {
                    return self.branch(count.expr, &mut |m| m.call(f, left.clone(), right.clone()), &mut |_| Ok(right.clone()));
                }
                let tried = self.attempt(|m| {
                    m.repeat(right.clone(), Some(count.expr.clone()), &mut |m, _| Err(m.silent()), &mut |m, state, _| {
                        m.call(f, left.clone(), state)
                    })
                });
                match (tried, count.constant_int()) {
                    (Err(_), Some(n)) if n <= MAX_WRITTEN => {
                        let mut state = right;
                        for _ in 0..n {
                            state = self.call(f, left.clone(), state)?;
                        }
                        Ok(state)
                    }
                    (other, _) => other,
                }
            }
        }
    }
    fn until(&mut self, f: &Func, until: &Func, left: Option<Val>, right: Val) -> Result<Val> {
        let span = self.b.at;
        let start = self.b.literal(Kind::Bool, &[], vec![Scalar::Bool(false)]);
        let init = Val::Tup(Rc::new(vec![right, Val::Arr(start)]));
        let parts = |val: Val| match val {
            Val::Tup(items) => (items[0].clone(), items[1].clone()),
            other => (other.clone(), other),
        };
        let out = self.repeat(
            init,
            None,
            &mut |m, state| {
                let done = m.truth(parts(state).1, span, Role::PowerCondition)?;
                Ok(m.b.op1(Op::Not, PrimType::Bool, done.expr))
            },
            &mut |m, state, _| {
                let (now, _) = parts(state);
                let next = m.call(f, left.clone(), now.clone())?;
                let done = m.call(until, Some(next.clone()), now)?;
                let done = m.truth(done, span, Role::PowerCondition)?;
                Ok(Val::Tup(Rc::new(vec![next, Val::Arr(done)])))
            },
        )?;
        Ok(parts(out).0)
    }
}

/// Whether a map that is refused for this may be possible item by item.
fn may_be_written_out(error: &Error) -> bool {
    matches!(error.kind, ErrorKind::Nesting(_) | ErrorKind::Static(_))
}

/// How many items a vector has, if they can be written out.
fn written_out(arr: &Arr) -> Option<usize> {
    match arr.outer() {
        [n] => n.as_constant().filter(|n| (0..=MAX_WRITTEN).contains(n)).map(|n| n as usize),
        _ => None,
    }
}
