//! The functions that are glyphs: which of the others' functions each is with one argument and with two.

use super::build::SizeKey;
use super::error::{
    Applied, Arity, Axis, Computed, Constant, Error, IndexError, MixtureError, NestingError, NotationError, RankError, Result, Role,
    SentenceError,
};
use super::machine::Machine;
use super::scalar;
use super::structure::{APL_MAX_RANK, Place, product};
use super::value::{Arr, Kind, Val};
use crate::base::scalar::Op;
use crate::base::{PrimType, Scalar, Span, Symbol};
use crate::ir::core::{Dim, ExprKind, Index, Prim, Shape};

impl Machine {
    /// Applies a glyph.
    pub fn primitive(&mut self, glyph: char, axis: Option<&Val>, left: Option<Val>, right: Val, span: Span) -> Result<Val> {
        let takes_axis = if left.is_some() { ",⍪⌽⊖/⌿\\⍀↑↓" } else { "⌽⊖" }.contains(glyph);
        match (left, axis) {
            (Some(left), Some(axes)) if scalar::is_dyadic(glyph) => self.pervade_along(glyph, axes, left, right, span),
            (_, Some(_)) if !takes_axis => Err(Error::at(span, NotationError::Axis(glyph))),
            (Some(left), axis) => self.dyadic(glyph, axis, left, right, span),
            (None, axis) => self.monadic(glyph, axis, right, span),
        }
    }

    fn monadic(&mut self, glyph: char, axis: Option<&Val>, right: Val, span: Span) -> Result<Val> {
        if glyph == '~' || glyph != '≠' && scalar::is_monadic(glyph) {
            return self.pervade1(glyph, right, span);
        }
        match glyph {
            '⊢' | '⊣' | '⌷' => Ok(right),
            '⍴' => {
                let outer = outer_of(&right);
                Ok(Val::Arr(self.b.numbers(&outer)))
            }
            '≢' => {
                let count = outer_of(&right).first().cloned().unwrap_or(Dim::constant(1));
                let vector = self.b.numbers(&[count]);
                Ok(Val::Arr(self.first_known(vector)))
            }
            '≡' => {
                let depth = depth(&right);
                Ok(Val::Arr(self.b.literal(Kind::Int, &[], vec![Scalar::I64(depth)])))
            }
            ',' => match right {
                Val::Tup(_) | Val::Rag(_) => Ok(right),
                Val::Arr(arr) => self.ravelled(&arr).map(Val::Arr),
            },
            '⍪' => {
                let arr = right.arr(span, Role::Of('⍪'))?;
                let outer = arr.outer().to_vec();
                let sizes = match outer.split_first() {
                    None => vec![Dim::constant(1), Dim::constant(1)],
                    Some((first, rest)) => vec![first.clone(), product(rest, span)?],
                };
                self.reshaped(&sizes, &arr, span).map(Val::Arr)
            }
            '⍳' => self.indices(right, span),
            '↑' => self.mix(right, span),
            '↓' => self.split(right, span),
            '⌽' | '⊖' => match right {
                Val::Rag(rag) => {
                    let len = rag.lengths.shape[0].clone();
                    let numbers = self.b.iota(&len);
                    let numbers = self.b.named(Kind::Int, vec![len], numbers);
                    let at = self.reversed(&numbers, 0)?;
                    self.rows_at(&rag, &at)
                }
                Val::Tup(items) => {
                    let items = items.iter().rev().cloned().collect();
                    self.strand(items)
                }
                Val::Arr(arr) if arr.rank() == 0 => Ok(Val::Arr(arr)),
                Val::Arr(arr) => {
                    let axis = self.axis_or_end(axis, arr.rank(), glyph == '⌽', span)?;
                    self.reversed(&arr, axis).map(Val::Arr)
                }
            },
            '⍉' => {
                let arr = right.arr(span, Role::Of('⍉'))?;
                let order: Vec<usize> = (0..arr.rank()).rev().collect();
                self.transposed(&order, &arr).map(Val::Arr)
            }
            '⊂' => self.enclose(right, span),
            '⊆' => Ok(match right {
                Val::Arr(arr) if arr.is_simple() => self.enclose(Val::Arr(arr), span)?,
                other => other,
            }),
            '⊃' => self.first(right, span),
            '∊' => match right {
                Val::Rag(rag) => Ok(Val::Arr(rag.data.clone())),
                Val::Arr(arr) => {
                    let flat = arr.flat();
                    self.ravelled(&flat).map(Val::Arr)
                }
                Val::Tup(items) => {
                    let mut out: Option<Val> = None;
                    for item in items.iter() {
                        let flat = self.monadic('∊', None, item.clone(), span)?;
                        out = Some(match out {
                            None => flat,
                            Some(before) => self.catenated(before, flat, Place::Last, span)?,
                        });
                    }
                    out.ok_or_else(|| self.silent())
                }
            },
            '⍸' => self.where_(right, span),
            '∪' => self.unique(right, span),
            '≠' => self.unique_mask(right, span),
            '⍋' | '⍒' => self.grade(right, glyph == '⍒', span),
            '⌹' => self.domino(None, right, span),
            '?' => self.roll(right, span),
            '⍕' => self.format(right, span),
            _ => Err(Error::at(span, SentenceError::Arguments { function: Applied::Glyph(glyph), takes: Arity::Two })),
        }
    }

    fn dyadic(&mut self, glyph: char, axis: Option<&Val>, left: Val, right: Val, span: Span) -> Result<Val> {
        if scalar::is_dyadic(glyph) {
            return self.pervade2(glyph, left, right, span);
        }
        match glyph {
            '⊢' => Ok(right),
            '⊣' => Ok(left),
            '⍴' => {
                let sizes = self.sizes(left, span, Role::Left('⍴'))?;
                match right {
                    Val::Rag(_) => right.arr(span, Role::Of('⍴')).map(Val::Arr),
                    Val::Arr(arr) => self.reshaped(&sizes, &arr, span).map(Val::Arr),
                    Val::Tup(items) => {
                        let n = match sizes.as_slice() {
                            [n] => n.as_constant().filter(|n| (0..=64).contains(n)),
                            _ => None,
                        };
                        let Some(n) = n else {
                            return Err(Error::at(span, MixtureError::Computed(Computed::Reshaped)));
                        };
                        let items = (0..n as usize).map(|at| items[at % items.len()].clone()).collect();
                        self.strand(items)
                    }
                }
            }
            '≡' | '≢' => {
                let same = self.matches(&left, &right, span)?;
                if glyph == '≡' { Ok(same) } else { self.pervade1('~', same, span) }
            }
            ',' | '⍪' => {
                let place = self.place(axis, glyph == ',', span)?;
                self.catenated(left, right, place, span)
            }
            '⍳' => self.index_of(left, right, span),
            '↑' | '↓' => self.take_drop(glyph == '↑', left, right, axis, span),
            '⌽' | '⊖' => {
                let arr = right.arr(span, Role::Rotation)?;
                if arr.rank() == 0 {
                    return Ok(Val::Arr(arr));
                }
                let axis = self.axis_or_end(axis, arr.rank(), glyph == '⌽', span)?;
                let by = left.simple(span, Role::RotationBy)?;
                self.rotated(by, &arr, axis, span).map(Val::Arr)
            }
            '⍉' => self.with_axes_in_order(left, right, span),
            '/' | '⌿' => match right {
                Val::Rag(rag) => self.rows_kept(left, &rag, span),
                Val::Tup(items) => match self.rows_of_tuple(&items, false)? {
                    Some(rag) => self.rows_kept(left, &rag, span),
                    None => self.replicated(left, Val::Tup(items), axis, glyph == '/', span),
                },
                right => self.replicated(left, right, axis, glyph == '/', span),
            },
            '\\' | '⍀' => self.expanded(left, right, axis, glyph == '\\', span),
            '⌷' => self.squad(left, right, span),
            '⊃' => self.pick(left, right, span),
            '∊' => {
                let what = left.simple(span, Role::Of('∊'))?;
                let set = right.simple(span, Role::Of('∊'))?;
                self.member(what, set, span).map(Val::Arr)
            }
            '~' => self.kept(left, right, false, '~', span),
            '∩' => self.kept(left, right, true, '∩', span),
            '∪' => {
                let left = Val::Arr(self.set(left, span, '∪')?);
                let more = self.kept(right, left.clone(), false, '∪', span)?;
                self.catenated(left, more, Place::Last, span)
            }
            '⍸' => self.interval_of(left, right, span),
            '⍷' => self.find(left, right, span),
            '⊥' => self.decode(left, right, span),
            '⊤' => self.encode(left, right, span),
            '⌹' => self.domino(Some(left), right, span),
            '⊂' | '⊆' => self.parts(left, right, glyph == '⊆', span),
            '?' => self.deal(left, right, span),
            '⍕' => self.format_fixed(left, right, span),
            '⍋' | '⍒' => Err(Error::at(span, NotationError::CharacterOrder(glyph))),
            _ => Err(Error::at(span, SentenceError::Arguments { function: Applied::Glyph(glyph), takes: Arity::One })),
        }
    }

    /// `order⍉array`.
    fn with_axes_in_order(&mut self, left: Val, right: Val, span: Span) -> Result<Val> {
        let arr = right.arr(span, Role::Of('⍉'))?;
        let order = left.simple(span, Role::Left('⍉'))?;
        let Some(written) = order.constant_ints() else {
            return Err(Error::at(span, Constant::AxisOrder));
        };
        let order: Option<Vec<usize>> = written.iter().map(|at| usize::try_from(at - self.origin).ok()).collect();
        let most = order.as_ref().and_then(|order| order.iter().max().copied()).map_or(0, |most| most + 1);
        let order = order.filter(|order| order.len() == arr.rank() && (0..most).all(|axis| order.contains(&axis)));
        let Some(order) = order else {
            return Err(Error::at(span, IndexError::AxisOrder { order: written, rank: arr.rank() }));
        };
        self.transposed(&order, &arr).map(Val::Arr)
    }

    /// A scalar of what is known of a vector of one element.
    fn first_known(&mut self, vector: Arr) -> Arr {
        let known = vector.known.clone();
        let mut out = self.first_element(vector);
        if let Some(dim) = known.as_ref().map(|known| known[0].clone()).filter(|dim| dim.as_constant().is_none()) {
            let expr = self.b.size(&dim);
            out = self.b.named(Kind::Int, Vec::new(), expr);
        }
        out.known = known;
        out
    }
    fn place(&mut self, axis: Option<&Val>, last: bool, span: Span) -> Result<Place> {
        let Some(axis) = axis else { return Ok(if last { Place::Last } else { Place::First }) };
        let constant = match axis {
            Val::Arr(arr) => arr.constant(),
            Val::Tup(_) | Val::Rag(_) => None,
        };
        let number = match constant {
            Some(Scalar::F64(value)) => value - self.origin as f64,
            Some(other) => match other.as_i128() {
                Some(value) => (value - i128::from(self.origin)) as f64,
                None => return Err(Error::at(span, Constant::Axis { between: true })),
            },
            None => return Err(Error::at(span, Constant::Axis { between: true })),
        };
        if number <= -1.0 || number > APL_MAX_RANK as f64 {
            let counted = (number.ceil() as i64).saturating_add(self.origin);
            let axis = if number.fract() == 0.0 { Axis::At(counted) } else { Axis::Before(counted) };
            return Err(Error::at(span, IndexError::NoAxis { axis, rank: None }));
        }
        Ok(if number.fract() == 0.0 { Place::Axis(number as usize) } else { Place::Before(number.ceil() as usize) })
    }
    /// An array as an item.
    fn enclose(&mut self, val: Val, span: Span) -> Result<Val> {
        match val {
            Val::Arr(arr) if arr.shape.is_empty() => Ok(Val::Arr(arr)),
            Val::Arr(arr) => {
                let levels = Arr::with_outer(0, &arr.levels);
                Ok(Val::Arr(arr.levelled(levels)))
            }
            other => Err(Error::at(span, NestingError::Enclosed(other.shown()))),
        }
    }
    fn first(&mut self, val: Val, span: Span) -> Result<Val> {
        let arr = match val {
            Val::Tup(items) => return items.first().cloned().ok_or_else(|| self.silent()),
            Val::Rag(rag) => {
                let at = self.b.int(0);
                return self.row(&rag, &at).map(Val::Arr);
            }
            Val::Arr(arr) => arr,
        };
        if arr.rank() == 0 {
            return Ok(Val::Arr(arr.levelled_inner()));
        }
        let empty = arr.outer().iter().any(|dim| dim.as_constant() == Some(0));
        if empty {
            let cell = arr.cell().to_vec();
            let made = super::structure::filled(&self.b, arr.kind, &cell);
            let levels = arr.inner_levels();
            return Ok(Val::Arr(self.b.named(arr.kind, cell, made).levelled(levels)));
        }
        if arr.outer().iter().any(|dim| dim.as_constant().is_none()) && arr.is_simple() {
            // An empty array gives a fill.
            let flat = self.ravelled(&arr)?;
            let one = self.b.literal(Kind::Int, &[], vec![Scalar::I64(1)]);
            let taken = self.take_drop(true, Val::Arr(one), Val::Arr(flat), None, span)?.arr(span, Role::Of('⊃'))?;
            return Ok(Val::Arr(self.first_element(taken)));
        }
        let zeros: Vec<_> = arr.outer().iter().map(|_| self.b.int(0)).collect();
        self.cell_at(&arr, &zeros).map(Val::Arr)
    }
    /// `↑`: an array of the items, shorter ones filled.
    fn mix(&mut self, val: Val, span: Span) -> Result<Val> {
        let items = match val {
            Val::Arr(arr) => {
                let mut levels = arr.levels.clone();
                if levels.len() > 1 {
                    let first = levels.remove(0);
                    levels[0] += first;
                }
                return Ok(Val::Arr(arr.levelled(levels)));
            }
            Val::Tup(items) => items,
            Val::Rag(rag) => return self.padded(&rag).map(Val::Arr),
        };
        let mut arrays = Vec::new();
        for item in items.iter() {
            arrays.push(item.clone().simple(span, Role::MixedItem)?);
        }
        let rank = arrays.iter().map(Arr::rank).max().unwrap_or(0);
        let mut kind = arrays[0].kind;
        for arr in &arrays[1..] {
            let Some(joined) = kind.join(arr.kind) else {
                return Err(Error::at(span, MixtureError::Kinds(kind, arr.kind)));
            };
            kind = joined;
        }
        let mut shape: Vec<Dim> = vec![Dim::constant(1); rank];
        let mut raised = Vec::new();
        for arr in arrays {
            let mut outer = vec![Dim::constant(1); rank - arr.rank()];
            outer.extend(arr.outer().iter().cloned());
            let arr = if arr.rank() < rank { self.reshaped(&outer, &arr, span)? } else { arr };
            for (most, dim) in shape.iter_mut().zip(&outer) {
                *most = match (most.as_constant(), dim.as_constant()) {
                    (Some(a), Some(b)) => Dim::constant(a.max(b)),
                    _ if most == dim => dim.clone(),
                    _ => {
                        let (x, y) = (most.clone(), dim.clone());
                        self.b.memo(SizeKey::Max(x.clone(), y.clone()), |b| {
                            let (x, y) = (b.size(&x), b.size(&y));
                            let made = b.op2(Op::Max, PrimType::I64, x, y);
                            b.bind(made)
                        })
                    }
                };
            }
            raised.push(arr);
        }
        let mut same = Vec::new();
        for arr in raised {
            if arr.shape == shape {
                same.push(arr);
            } else {
                let sizes = Val::Arr(self.b.numbers(&shape));
                let taken = self.take_drop(true, sizes, Val::Arr(arr), None, span)?.arr(span, Role::Of('↑'))?;
                same.push(self.coerced(taken, &shape, span)?);
            }
        }
        Ok(Val::Arr(self.stacked(kind, same)?.flat()))
    }
    fn split(&mut self, val: Val, span: Span) -> Result<Val> {
        let arr = val.arr(span, Role::Of('↓'))?;
        match arr.rank() {
            0 => Ok(Val::Arr(arr)),
            rank => {
                let mut levels = arr.levels.clone();
                levels[0] = rank - 1;
                levels.insert(1, 1);
                Ok(Val::Arr(arr.levelled(levels)))
            }
        }
    }

    /// Dyadic `≡`.
    fn matches(&mut self, a: &Val, b: &Val, span: Span) -> Result<Val> {
        let answer = |m: &mut Machine, value: bool| Val::Arr(m.b.literal(Kind::Bool, &[], vec![Scalar::Bool(value)]));
        match (a, b) {
            (Val::Tup(x), Val::Tup(y)) => {
                if x.len() != y.len() {
                    return Ok(answer(self, false));
                }
                let mut all = answer(self, true);
                for (x, y) in x.iter().zip(y.iter()) {
                    let one = self.matches(x, y, span)?;
                    all = self.pervade2('∧', all, one, span)?;
                }
                Ok(all)
            }
            (Val::Arr(x), Val::Arr(y)) => {
                let impossible = x.levels != y.levels || x.shape.iter().zip(&y.shape).any(|(a, b)| a.never_equal(b));
                let (Some(kind), false) = (x.kind.join(y.kind), impossible) else { return Ok(answer(self, false)) };
                let (x, y) = (self.b.convert(x, kind)?, self.b.convert(y, kind)?);
                let differing: Vec<(Dim, Dim)> = x.shape.iter().cloned().zip(y.shape.iter().cloned()).filter(|(a, b)| a != b).collect();
                let compare = |m: &mut Machine, y: &Arr| {
                    let shape = Shape::dims(x.shape.iter().cloned());
                    let types = vec![crate::ir::core::Atom::Prim(kind.prim())];
                    let fun = m.b.node(ExprKind::Inst {
                        fun: crate::ir::core::Expr::prim(Prim::Equal, span),
                        types,
                        indices: vec![Index::Shape(shape)],
                    });
                    let made = m.b.app(fun, vec![x.expr.clone(), y.expr.clone()]);
                    Ok(Val::Arr(m.b.named(Kind::Bool, Vec::new(), made)))
                };
                if differing.is_empty() {
                    return compare(self, &y);
                }
                let mut same = self.b.lit(Scalar::Bool(true));
                for (a, b) in &differing {
                    let (a, b) = (self.b.size(a), self.b.size(b));
                    let equal = self.b.op2(Op::Eq, PrimType::I64, a, b);
                    same = self.b.op2(Op::And, PrimType::Bool, same, equal);
                }
                let shape = x.shape.clone();
                self.branch(
                    same,
                    &mut |m| {
                        let y = m.coerced(y.clone(), &shape, span)?;
                        compare(m, &y)
                    },
                    &mut |m| Ok(answer(m, false)),
                )
            }
            (a, b) => {
                let (Some(x), Some(y)) = (self.as_rows(a)?, self.as_rows(b)?) else { return Ok(answer(self, false)) };
                let lengths = self.matches(&Val::Arr(x.lengths), &Val::Arr(y.lengths), span)?;
                let data = self.matches(&Val::Arr(x.data), &Val::Arr(y.data), span)?;
                self.pervade2('∧', lengths, data, span)
            }
        }
    }

    /// `?n`.
    fn roll(&mut self, right: Val, span: Span) -> Result<Val> {
        let arr = right.simple(span, Role::Of('?'))?;
        let zero = arr.same == Some(0) || arr.constant_ints().is_some_and(|ints| !ints.is_empty() && ints.iter().all(|n| *n == 0));
        let arr = self.whole(arr, span, Role::Argument('?'))?;
        if !zero && arr.constant_ints().is_some_and(|ints| ints.contains(&0)) {
            return Err(Error::at(span, MixtureError::Rolls));
        }
        let site = self.site(span)?;
        let (name, kind) = if zero { ("apl_unit", Kind::Double) } else { ("apl_roll", Kind::Int) };
        self.found.library.insert(name);
        let origin = self.origin;
        let count = arr.shape.clone();
        let flat = self.ravelled(&arr)?;
        let numbers = self.b.iota(&flat.shape[0]);
        let made = self.b.map(&flat.shape, vec![flat.expr.clone(), numbers], |b, cells| {
            let fun = b.node(ExprKind::Var(Symbol::new(name)));
            let mut args = vec![b.int(site), cells[1].clone()];
            if kind == Kind::Double {
                return Ok(b.app(fun, args));
            }
            args.push(cells[0].clone());
            let number = b.app(fun, args);
            Ok(b.op2(Op::Add, PrimType::I64, number, b.int(origin)))
        })?;
        let row = self.b.named(kind, flat.shape.clone(), made);
        self.shaped(&row, &count).map(Val::Arr)
    }
    /// The number of a place where random numbers are made.
    fn site(&mut self, span: Span) -> Result<i64> {
        if self.looped > 0 {
            return Err(Error::at(span, NotationError::Random));
        }
        self.rolls += 1;
        Ok(self.rolls)
    }
    /// `k?n`.
    fn deal(&mut self, left: Val, right: Val, span: Span) -> Result<Val> {
        let of = self.sizes(right, span, Role::Right('?'))?;
        let count = self.sizes(left, span, Role::Left('?'))?;
        let ([n], [k]) = (of.as_slice(), count.as_slice()) else {
            return Err(Error::at(span, RankError::Deal(count.len(), of.len())));
        };
        if let (Some(n), Some(k)) = (n.as_constant(), k.as_constant())
            && k > n
        {
            return Err(Error::at(span, IndexError::Deal { count: k, of: n }));
        }
        let zeros = self.b.literal(Kind::Int, &[1], vec![Scalar::I64(0)]);
        let zeros = self.reshaped(std::slice::from_ref(n), &zeros, span)?;
        let keys = if zeros.lit.is_some() || zeros.same == Some(0) { self.roll(Val::Arr(zeros), span)? } else { return Err(self.silent()) };
        let order = self.grade(keys, false, span)?;
        let number = self.b.numbers(std::slice::from_ref(k));
        self.take_drop(true, Val::Arr(number), order, None, span)
    }
}

/// The sizes of the outermost level of a value.
pub fn outer_of(val: &Val) -> Vec<Dim> {
    match val {
        Val::Arr(arr) => arr.outer().to_vec(),
        Val::Tup(items) => vec![Dim::constant(items.len() as i64)],
        Val::Rag(rag) => rag.lengths.shape.clone(),
    }
}

/// How deep arrays are nested in a value; negative if not all parts are equally deep.
fn depth(val: &Val) -> i64 {
    match val {
        Val::Arr(arr) if arr.shape.is_empty() => 0,
        Val::Rag(_) => 2,
        Val::Arr(arr) => arr.levels.len() as i64,
        Val::Tup(items) => {
            let depths: Vec<i64> = items.iter().map(depth).collect();
            let most = depths.iter().map(|depth| depth.abs()).max().unwrap_or(0) + 1;
            let even = depths.iter().all(|depth| *depth == depths[0] && *depth >= 0);
            if even { most } else { -most }
        }
    }
}
