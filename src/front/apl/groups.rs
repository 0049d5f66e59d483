//! Groups, windows and parts of arrays; number systems and linear equations.

use super::build::{Build, SizeKey};
use super::error::{Agreement, Constant, Error, KindError, LengthError, RankError, Result, Role, StaticError, Wanted};
use super::functions::Func;
use super::lift::never_agree;
use super::machine::Machine;
use super::structure::filled;
use super::value::{Kind, Val};
use crate::base::scalar::Op;
use crate::base::{PrimType, Scalar, Span};
use crate::ir::core::{Dim, Expr, ExprKind, Prim, Shape};

const I: PrimType = PrimType::I64;
const B: PrimType = PrimType::Bool;

/// Digits of a number system, which are computed one by one.
const MAX_DIGITS: i64 = 1024;

impl Machine {
    /// `f⌸`: the function of each key and of where it stands, or of what belongs to it.
    pub fn key(&mut self, f: &Func, left: Option<Val>, right: Val, span: Span) -> Result<Val> {
        let (keys, values) = match left {
            Some(left) => (left, Some(right.arr(span, Role::Of('⌸'))?)),
            None => (right, None),
        };
        let keys = self.set(keys, span, '⌸')?;
        if let Some(values) = &values
            && (values.rank() == 0 || values.shape[0].never_equal(&keys.shape[0]))
        {
            let sizes = (keys.shape[0].clone(), values.shape.first().cloned().unwrap_or(Dim::constant(1)));
            return Err(never_agree(&keys, values, sizes, Agreement::Cells, span));
        }
        // Positions in the order of the first that is equal: what belongs to a key is a part of them.
        let len = keys.shape[0].clone();
        let first = self.first_equal(&keys, span)?;
        let order = self.library_call("apl_by_place", std::slice::from_ref(&len), vec![first.expr.clone()]);
        let order = self.b.named(Kind::Int, keys.shape.clone(), order);
        let (add, zero) = (Expr::op(Op::Add, I, self.b.at), self.b.int(0));
        let ones = self.b.node(ExprKind::Rep { frame: Shape::dims([len.clone()]), arg: self.b.int(1) });
        let bins = vec![add.clone(), zero.clone(), self.b.size(&len), first.expr, ones];
        let counts = self.b.prim(Prim::Hist, Kind::Int, std::slice::from_ref(&len), &[], bins);
        let counts = self.b.named(Kind::Int, keys.shape.clone(), counts);
        let ends = self.b.prim(Prim::Scan, Kind::Int, std::slice::from_ref(&len), &[], vec![add, zero, counts.expr.clone()]);
        let ends = self.b.named(Kind::Int, keys.shape.clone(), ends);
        let some = self.b.map(&keys.shape, vec![counts.expr.clone()], |b, n| Ok(b.op2(Op::Gt, I, n[0].clone(), b.int(0))))?;
        let some = self.b.named(Kind::Bool, keys.shape.clone(), some);
        let at = self.where_true(&some);
        let groups = self.gathered(&keys, 0, &at)?;
        let frame = groups.shape.clone();
        self.mapped(&frame, &[groups, at], false, &mut |m, mut cells| {
            let at = cells.remove(1).arr(span, Role::Of('⌸'))?.expr;
            let count = m.b.index(Kind::Int, &counts.shape, counts.expr.clone(), std::slice::from_ref(&at));
            let count = m.b.bind(count);
            let end = m.b.index(Kind::Int, &ends.shape, ends.expr.clone(), &[at]);
            let start = m.b.op2(Op::Sub, I, end, count.clone());
            let start = m.b.bind(start);
            let size = m.b.size_of(count);
            let places = m.b.tabulate(std::slice::from_ref(&size), &mut |b, at| {
                let at = b.op2(Op::Add, I, start.clone(), at[0].clone());
                Ok(b.index(Kind::Int, &order.shape, order.expr.clone(), &[at]))
            })?;
            let places = m.b.named(Kind::Int, vec![size], places);
            let members = match &values {
                None => m.with_origin(places)?,
                Some(values) => Val::Arr(m.gathered(values, 0, &places)?),
            };
            m.call(f, Some(cells.remove(0)), members)
        })
    }

    /// `f⌺sizes`: the function of the window around each element.
    pub fn stencil(&mut self, f: &Func, sizes: &Val, right: Val, span: Span) -> Result<Val> {
        let arr = right.simple(span, Role::Of('⌺'))?;
        let spec = match sizes {
            Val::Arr(sizes) => {
                sizes.constant_ints().filter(|_| sizes.rank() <= 1 || sizes.shape.first().and_then(Dim::as_constant) == Some(2))
            }
            Val::Tup(_) | Val::Rag(_) => None,
        };
        let rows = matches!(sizes, Val::Arr(sizes) if sizes.rank() == 2);
        let Some(spec) = spec.filter(|spec| spec.iter().all(|size| (1..=1 << 20).contains(size))) else {
            return Err(Error::at(span, Constant::Stencil));
        };
        let count = if rows { spec.len() / 2 } else { spec.len() };
        let (sizes, steps) = spec.split_at(count);
        let (sizes, steps) = (sizes.to_vec(), if rows { steps.to_vec() } else { vec![1; count] });
        if sizes.len() > arr.rank() {
            return Err(Error::at(span, RankError::Windows { axes: sizes.len(), array: arr.shown() }));
        }
        let mut frame = Vec::new();
        for (axis, (size, step)) in sizes.iter().zip(&steps).enumerate() {
            frame.push(self.windows(&arr.shape[axis], *size, *step));
        }
        let rest = arr.shape[sizes.len()..].to_vec();
        let indices = self.b.tabulate(&frame, &mut |b, at| {
            Ok(b.node(ExprKind::Frame { dims: vec![at.len() as u64], cell: Build::ty(Kind::Int, &[]), cells: at.to_vec() }))
        })?;
        let mut shape = frame.clone();
        shape.push(Dim::constant(sizes.len() as i64));
        let indices = self.b.named(Kind::Int, shape, indices);
        self.mapped(&frame, &[indices], false, &mut |m, mut cells| {
            let at = cells.remove(0).arr(span, Role::Of('⌺'))?;
            let mut starts = Vec::new();
            let mut paddings = Vec::new();
            for (axis, size) in sizes.iter().enumerate() {
                let index = m.b.int(axis as i64);
                let centre = m.b.index(Kind::Int, &at.shape, at.expr.clone(), &[index]);
                let centre = m.b.op2(Op::Mul, I, centre, m.b.int(steps[axis]));
                let start = m.b.op2(Op::Sub, I, centre, m.b.int((size - 1) / 2));
                let start = m.b.bind(start);
                let front = m.b.op1(Op::Neg, I, start.clone());
                let front = m.b.op2(Op::Max, I, front, m.b.int(0));
                let end = m.b.op2(Op::Add, I, start.clone(), m.b.int(*size));
                let have = m.b.size(&arr.shape[axis]);
                let beyond = m.b.op2(Op::Sub, I, end, have);
                let back = m.b.op2(Op::Max, I, beyond, m.b.int(0));
                paddings.push(m.b.op2(Op::Sub, I, front, back));
                starts.push(start);
            }
            let count = sizes.len();
            let padding = m.b.node(ExprKind::Frame { dims: vec![count as u64], cell: Build::ty(Kind::Int, &[]), cells: paddings });
            let padding = m.b.named(Kind::Int, vec![Dim::constant(count as i64)], padding);
            let window: Vec<Dim> = sizes.iter().map(|size| Dim::constant(*size)).collect();
            let made = m.b.tabulate(&window, &mut |b, at| {
                let mut inside = b.lit(Scalar::Bool(true));
                let mut index = Vec::new();
                for (axis, at) in at.iter().enumerate() {
                    let source = b.op2(Op::Add, I, starts[axis].clone(), at.clone());
                    let source = b.bind(source);
                    let low = b.op2(Op::Ge, I, source.clone(), b.int(0));
                    let have = b.size(&arr.shape[axis]);
                    let high = b.op2(Op::Lt, I, source.clone(), have);
                    let both = b.op2(Op::And, B, low, high);
                    inside = b.op2(Op::And, B, inside, both);
                    index.push(source);
                }
                let found = b.index(arr.kind, &arr.shape, arr.expr.clone(), &index);
                let fill = filled(b, arr.kind, &rest);
                Ok(b.choose(inside, found, fill))
            })?;
            let shape = window.into_iter().chain(rest.iter().cloned()).collect();
            let window = m.b.named(arr.kind, shape, made);
            m.call(f, Some(Val::Arr(padding)), Val::Arr(window))
        })
    }

    /// How many windows there are along an axis: one around each element, or, if its size is even, around each gap; each `step`th of these.
    fn windows(&mut self, len: &Dim, size: i64, step: i64) -> Dim {
        let gap = i64::from(size % 2 == 0);
        if step == 1 && gap == 0 {
            return len.clone();
        }
        if let Some(len) = len.as_constant() {
            return Dim::constant(((len - gap).max(0) + step - 1) / step);
        }
        let len = len.clone();
        self.b.memo(SizeKey::Windows { gap, step, of: len.clone() }, |b| {
            let places = b.op2(Op::Sub, I, b.size(&len), b.int(gap));
            let places = b.op2(Op::Max, I, places, b.int(0));
            let places = b.op2(Op::Add, I, places, b.int(step - 1));
            let made = b.op2(Op::Div, I, places, b.int(step));
            b.bind(made)
        })
    }

    /// `base⊥digits`.
    pub fn decode(&mut self, left: Val, right: Val, span: Span) -> Result<Val> {
        let (base, digits) = (left.simple(span, Role::Of('⊥'))?, right.simple(span, Role::Of('⊥'))?);
        if base.rank() > 1 {
            return Err(Error::at(span, RankError::Takes { role: Role::Left('⊥'), wanted: Wanted::ScalarOrVector, found: base.shown() }));
        }
        let base = if base.count() == Some(1) { self.first_element(base) } else { base };
        if digits.rank() == 0 {
            let row = if base.rank() == 1 { self.reshaped(&[base.shape[0].clone()], &digits, span)? } else { self.ravelled(&digits)? };
            return self.decode(Val::Arr(base), Val::Arr(row), span);
        }
        if digits.rank() > 1 {
            let order: Vec<usize> = std::iter::once(digits.rank() - 1).chain(0..digits.rank() - 1).collect();
            let columns = self.transposed(&order, &digits)?;
            let frame = columns.shape[..digits.rank() - 1].to_vec();
            return self.mapped(&frame, &[columns], false, &mut |m, mut cells| m.decode(Val::Arr(base.clone()), cells.remove(0), span));
        }
        let (kind, len) = (base.kind.join(digits.kind).map(|kind| kind.max(Kind::Int)), digits.shape[0].clone());
        let Some(kind) = kind else {
            return Err(Error::at(span, KindError::Undefined { glyph: '⊥', kind: Kind::Char }));
        };
        let base = if base.rank() == 1 { self.coerced(base, &digits.shape, span)? } else { base };
        let zero = Val::Arr(self.b.literal(kind, &[], vec![Scalar::from_i128(kind.prim(), 0)]));
        let count = self.b.size(&len);
        self.repeat(zero, Some(count), &mut |m, _| Err(m.silent()), &mut |m, sum, i| {
            let digit = m.cell_at(&digits, std::slice::from_ref(i))?;
            let factor = if base.rank() == 1 { m.cell_at(&base, std::slice::from_ref(i))? } else { base.clone() };
            let scaled = m.pervade2('×', sum, Val::Arr(factor), span)?;
            let sum = m.pervade2('+', scaled, Val::Arr(digit), span)?.arr(span, Role::Of('⊥'))?;
            m.b.convert(&sum, kind).map(Val::Arr)
        })
    }

    /// `base⊤number`.
    pub fn encode(&mut self, left: Val, right: Val, span: Span) -> Result<Val> {
        let (base, number) = (left.simple(span, Role::Of('⊤'))?, right.simple(span, Role::Of('⊤'))?);
        if base.rank() == 0 {
            return self.pervade2('|', Val::Arr(base), Val::Arr(number), span);
        }
        let Some(count) = base.shape[0].as_constant().filter(|n| base.rank() == 1 && (1..=MAX_DIGITS).contains(n)) else {
            let found = base.shown();
            return Err(Error::at(span, StaticError::Length { role: Role::Left('⊤'), found, most: Some(MAX_DIGITS) }));
        };
        let mut digits = Vec::new();
        let mut rest = Val::Arr(number);
        for at in (0..count).rev() {
            let index = self.b.int(at);
            let radix = self.cell_at(&base, &[index])?;
            let digit = self.pervade2('|', Val::Arr(radix.clone()), rest.clone(), span)?;
            if at > 0 {
                let left_over = self.pervade2('-', rest, digit.clone(), span)?;
                // A radix of 0 takes all that is left.
                let zero = Val::Arr(self.b.literal(Kind::Bool, &[], vec![Scalar::Bool(false)]));
                let none = self.pervade2('=', Val::Arr(radix.clone()), zero, span)?;
                let divisor = self.pervade2('+', Val::Arr(radix), none, span)?;
                rest = self.divided(left_over, divisor, span)?;
            }
            digits.push(digit);
        }
        digits.reverse();
        let mut kinds = Vec::new();
        for digit in digits {
            kinds.push(digit.arr(span, Role::Of('⊤'))?);
        }
        let kind = kinds.iter().fold(Kind::Bool, |kind, digit| kind.max(digit.kind));
        let made = self.stacked(kind, kinds)?;
        Ok(Val::Arr(made.flat()))
    }

    /// A quotient that is whole where both are whole numbers.
    fn divided(&mut self, a: Val, b: Val, span: Span) -> Result<Val> {
        let whole = |val: &Val| matches!(val, Val::Arr(arr) if arr.kind <= Kind::Int);
        if !whole(&a) || !whole(&b) {
            return self.pervade2('÷', a, b, span);
        }
        let (a, b) = (a.arr(span, Role::Of('⊤'))?, b.arr(span, Role::Of('⊤'))?);
        let (mut a, mut b) = (self.b.convert(&a, Kind::Int)?, self.b.convert(&b, Kind::Int)?);
        self.agree(&mut a, &mut b, span)?;
        self.zip(&a, &b, Kind::Int, &mut |b, x, y| Ok(b.op2(Op::Div, I, x, y))).map(Val::Arr)
    }

    /// `⌹`: an inverse, or the solution of equations.
    pub fn domino(&mut self, left: Option<Val>, right: Val, span: Span) -> Result<Val> {
        let matrix = right.simple(span, Role::Of('⌹'))?;
        if matrix.kind > Kind::Double {
            return Err(Error::at(span, KindError::Takes { role: Role::Of('⌹'), wanted: Wanted::RealNumbers, found: matrix.shown() }));
        }
        let matrix = self.b.convert(&matrix, Kind::Double)?;
        if matrix.rank() == 0 {
            return match left {
                None => self.pervade1('÷', Val::Arr(matrix), span),
                Some(left) => self.pervade2('÷', left, Val::Arr(matrix), span),
            };
        }
        if matrix.rank() > 2 {
            return Err(Error::at(span, RankError::Takes { role: Role::Of('⌹'), wanted: Wanted::Matrix, found: matrix.shown() }));
        }
        // A vector is one column.
        let vector = matrix.rank() == 1;
        let matrix = if vector { self.reshaped(&[matrix.shape[0].clone(), Dim::constant(1)], &matrix, span)? } else { matrix };
        let (n, k) = (matrix.shape[0].clone(), matrix.shape[1].clone());
        if let (Some(rows), Some(columns)) = (n.as_constant(), k.as_constant())
            && rows < columns
        {
            return Err(Error::at(span, LengthError::Wide(matrix.shape)));
        }
        let square = n == k;
        let Some(left) = left else {
            let made = if square {
                self.library_call("apl_inverse", std::slice::from_ref(&n), vec![matrix.expr])
            } else {
                self.library_call("apl_left_inverse", &[n.clone(), k.clone()], vec![matrix.expr])
            };
            let made = self.b.named(Kind::Double, vec![k, n.clone()], made);
            return if vector { self.reshaped(&[n], &made, span).map(Val::Arr) } else { Ok(Val::Arr(made)) };
        };
        let sides = left.simple(span, Role::Of('⌹'))?;
        if sides.kind > Kind::Double {
            return Err(Error::at(span, KindError::Takes { role: Role::Left('⌹'), wanted: Wanted::RealNumbers, found: sides.shown() }));
        }
        let sides = self.b.convert(&sides, Kind::Double)?;
        if sides.rank() == 0 || sides.rank() > 2 {
            return Err(Error::at(span, RankError::Takes { role: Role::Left('⌹'), wanted: Wanted::VectorOrMatrix, found: sides.shown() }));
        }
        let mut wanted = sides.shape.clone();
        wanted[0] = n.clone();
        if sides.shape[0].never_equal(&n) {
            return Err(never_agree(&sides, &matrix, (sides.shape[0].clone(), n), Agreement::Cells, span));
        }
        let sides = self.coerced(sides, &wanted, span)?;
        let columns = if sides.rank() == 1 { self.reshaped(&[n.clone(), Dim::constant(1)], &sides, span)? } else { sides.clone() };
        let m = columns.shape[1].clone();
        let made = if square {
            self.library_call("apl_solve", &[n, m.clone()], vec![matrix.expr, columns.expr])
        } else {
            self.library_call("apl_least_squares", &[n, k.clone(), m.clone()], vec![matrix.expr, columns.expr])
        };
        let solved = self.b.named(Kind::Double, vec![k.clone(), m.clone()], made);
        let mut shape = if vector { Vec::new() } else { vec![k] };
        if sides.rank() == 2 {
            shape.push(m);
        }
        self.reshaped(&shape, &solved, span).map(Val::Arr)
    }

    /// `⊂` and `⊆` with a constant left argument: parts of a vector.
    pub fn parts(&mut self, left: Val, right: Val, nested: bool, span: Span) -> Result<Val> {
        let (marks, arr) = (left.simple(span, Role::Cut)?, right.arr(span, Role::Cut)?);
        if arr.rank() != 1 || marks.rank() > 1 {
            return Err(Error::at(span, RankError::Marks { marks: marks.shown(), array: arr.shown() }));
        }
        let outer = arr.outer().to_vec();
        let marks = if marks.rank() == 0 { self.reshaped(&outer, &marks, span)? } else { marks };
        if marks.shape[0].never_equal(&arr.shape[0]) {
            return Err(never_agree(&marks, &arr, (marks.shape[0].clone(), arr.shape[0].clone()), Agreement::Cells, span));
        }
        let marks = self.coerced(marks, &outer, span)?;
        let marks = self.whole(marks, span, Role::Left(if nested { '⊆' } else { '⊂' }))?;
        let Some(ints) = marks.constant_ints() else { return self.cut(&marks, &arr, nested, span) };
        let mut cuts: Vec<(usize, usize)> = Vec::new();
        if nested {
            let mut before = 0;
            for (at, mark) in ints.iter().enumerate() {
                if *mark > 0 && (*mark > before || cuts.is_empty()) {
                    cuts.push((at, at + 1));
                } else if *mark > 0 {
                    cuts.last_mut().expect("one was begun").1 = at + 1;
                }
                before = *mark;
            }
        } else {
            for (at, mark) in ints.iter().enumerate() {
                match (mark, cuts.last_mut()) {
                    (0, Some(last)) => last.1 = at + 1,
                    (0, None) => {}
                    (1, _) => cuts.push((at, at + 1)),
                    (mark, _) => return Err(Error::at(span, KindError::Mark(*mark))),
                }
            }
        }
        let mut out = Vec::new();
        for (from, to) in cuts {
            let items = (from..to).map(|at| Scalar::I64(at as i64)).collect::<Vec<_>>();
            let at = self.b.literal(Kind::Int, &[items.len() as u64], items);
            out.push(Val::Arr(self.gathered(&arr, 0, &at)?));
        }
        if out.is_empty() {
            return self.cut(&marks, &arr, nested, span);
        }
        self.strand(out)
    }
}
