//! Indices and assignment.

use super::build::Build;
use super::error::{
    Computed, Error, IndexError, Items, KindError, LengthError, MixtureError, NameClass, NameError, NestingError, Origin, RankError,
    Result, Role, SentenceError, StaticError, TargetError, Wanted,
};
use super::functions::{Derived, Func, Operand};
use super::machine::{Binding, Frame, Machine};
use super::sentence::{Item, Noun};
use super::value::{Arr, Kind, Val};
use crate::base::scalar::Op;
use crate::base::{PrimType, Scalar, Span};
use crate::ir::core::{Dim, Expr, Prim};
use std::rc::Rc;

const I: PrimType = PrimType::I64;

/// An index of an axis: numbers from 0, or everything.
type Along = Option<Arr>;

impl Machine {
    /// Indices from 0 for an axis; constants are checked.
    fn zero_based(&mut self, index: &Option<Val>, size: &Dim, span: Span) -> Result<Along> {
        let Some(index) = index else { return Ok(None) };
        let index = index.clone().simple(span, Role::Index)?;
        let index = self.whole(index, span, Role::Index)?;
        if let (Some(ints), Some(size)) = (index.constant_ints(), size.as_constant())
            && let Some(wrong) = ints.iter().find(|at| !(self.origin..self.origin + size).contains(at))
        {
            return Err(Error::at(span, IndexError::Outside { index: *wrong, origin: self.origin, count: size }));
        }
        if self.origin == 0 {
            return Ok(Some(index));
        }
        let one = Val::Arr(self.b.literal(Kind::Int, &[], vec![Scalar::I64(self.origin)]));
        self.pervade2('-', Val::Arr(index), one, span)?.arr(span, Role::Index).map(Some)
    }
    fn all_along(&mut self, arr: &Arr, indices: &[Option<Val>], span: Span) -> Result<Vec<Along>> {
        if indices.len() != arr.rank() {
            if let [Some(Val::Tup(_))] = indices {
                return Err(Error::at(span, RankError::MixedIndex { array: arr.outer_origin() }));
            }
            return Err(Error::at(span, RankError::Indices { count: indices.len(), array: arr.outer_origin(), brackets: true }));
        }
        let sizes = arr.outer().to_vec();
        indices.iter().zip(sizes).map(|(index, size)| self.zero_based(index, &size, span)).collect()
    }

    /// `array[..]`.
    pub fn indexed(&mut self, value: Val, indices: &[Option<Val>], span: Span) -> Result<Val> {
        let arr = match value {
            Val::Arr(arr) => arr,
            Val::Rag(rag) => {
                let [Some(Val::Arr(index))] = indices else {
                    return Err(Error::at(span, RankError::RowIndices));
                };
                let index = Val::Arr(index.clone()).simple(span, Role::Index)?;
                let size = rag.lengths.shape[0].clone();
                let zero = self.zero_based(&Some(Val::Arr(index)), &size, span)?;
                let Some(at) = zero else { return Ok(Val::Rag(rag)) };
                if at.rank() == 0 {
                    let row = self.row(&rag, &at.expr)?;
                    return Ok(Val::Arr(row.levelled(vec![0, 1])));
                }
                if at.rank() > 1 {
                    return Err(Error::at(span, NestingError::RowsIndexed { rank: at.rank() }));
                }
                return self.rows_at(&rag, &at);
            }
            Val::Tup(items) => {
                let [Some(Val::Arr(index))] = indices else {
                    return Err(Error::at(span, MixtureError::OneIndex));
                };
                if !index.is_simple() {
                    return Err(Error::at(span, RankError::Places { index: index.cell().to_vec(), rank: 1 }));
                }
                let Some(ats) = index.constant_ints() else {
                    if let Some(rag) = self.rows_of_tuple(&items, false)? {
                        return self.indexed(Val::Rag(Rc::new(rag)), indices, span);
                    }
                    return Err(Error::at(span, MixtureError::Computed(Computed::Indexed)));
                };
                let mut found = Vec::new();
                for at in ats {
                    match usize::try_from(at - self.origin).ok().and_then(|at| items.get(at)) {
                        Some(item) => found.push(item.clone()),
                        None => {
                            let count = items.len() as i64;
                            return Err(Error::at(span, IndexError::Outside { index: at, origin: self.origin, count }));
                        }
                    }
                }
                if index.shape.is_empty() {
                    // What is indexed stays an item.
                    return Ok(match found.remove(0) {
                        Val::Arr(arr) if !arr.shape.is_empty() => {
                            let levels = Arr::with_outer(0, &arr.levels);
                            Val::Arr(arr.levelled(levels))
                        }
                        other => other,
                    });
                }
                return self.strand(found);
            }
        };
        if let Some((flat, places)) = self.chosen(&arr, indices, span)? {
            return self.indexed(Val::Arr(flat), &[Some(places)], span);
        }
        let along = self.all_along(&arr, indices, span)?;
        self.selected(&arr, &along).map(Val::Arr)
    }
    /// One index of vectors, each of which has a number for each axis: the ravel of an array, and places in it.
    fn chosen(&mut self, arr: &Arr, indices: &[Option<Val>], span: Span) -> Result<Option<(Arr, Val)>> {
        let [Some(Val::Arr(index))] = indices else { return Ok(None) };
        if index.is_simple() {
            return Ok(None);
        }
        let outer = arr.outer();
        if index.levels.len() != 2 || index.cell().len() != 1 || index.cell()[0].as_constant() != Some(outer.len() as i64) {
            return Err(Error::at(span, RankError::Places { index: index.cell().to_vec(), rank: outer.len() }));
        }
        let places = self.ravel_places(index, outer, span)?;
        Ok(Some((self.ravelled(arr)?, Val::Arr(places))))
    }
    fn selected(&mut self, arr: &Arr, along: &[Along]) -> Result<Arr> {
        // A constant vector at a constant place is a constant.
        if let ([Some(index)], Some(lit)) = (along, &arr.lit)
            && let Some(ats) = index.constant_ints()
            && arr.is_simple()
        {
            let items: Option<Vec<Scalar>> = ats.iter().map(|at| usize::try_from(*at).ok().and_then(|at| lit.get(at)).copied()).collect();
            if let Some(items) = items {
                return Ok(self.literal_like(arr.kind, index, items));
            }
        }
        let mut shape = Vec::new();
        let made = select(&mut self.b, arr.kind, &arr.shape, arr.expr.clone(), along, &mut shape)?;
        let outer = shape.len() - arr.cell().len();
        let levels = match (outer, arr.is_simple()) {
            (0, false) => Arr::with_outer(0, &arr.inner_levels()),
            _ => Arr::with_outer(outer, &arr.inner_levels()),
        };
        let mut out = self.b.named(arr.kind, shape, made).levelled(levels);
        if let ([Some(index)], Some(known)) = (along, &arr.known)
            && let Some(ats) = index.constant_ints()
        {
            let found = ats.iter().map(|at| usize::try_from(*at).ok().and_then(|at| known.get(at)).cloned());
            out.known = found.collect::<Option<Vec<_>>>().map(Rc::new);
        }
        Ok(out)
    }

    /// `I⌷array`.
    pub fn squad(&mut self, left: Val, right: Val, span: Span) -> Result<Val> {
        let whole = match &right {
            Val::Arr(arr) => arr.outer_origin(),
            Val::Tup(_) | Val::Rag(_) => Origin { shape: super::prims::outer_of(&right), at: span },
        };
        let rank = whole.shape.len();
        let mut indices: Vec<Option<Val>> = match left {
            Val::Tup(items) => items.iter().map(|item| Some(item.clone())).collect(),
            Val::Rag(_) => return Err(Error::at(span, NestingError::Rows { role: Role::Left('⌷'), found: left.shown() })),
            Val::Arr(arr) if arr.rank() == 0 => vec![Some(Val::Arr(arr.levelled_inner()))],
            Val::Arr(arr) => {
                let Some(count) = arr.outer()[0].as_constant().filter(|_| arr.rank() == 1) else {
                    return Err(Error::at(span, StaticError::Length { role: Role::Left('⌷'), found: arr.shown(), most: None }));
                };
                let all = Val::Arr(arr);
                (0..count as usize).map(|at| self.item(&all, at, span).map(Some)).collect::<Result<_>>()?
            }
        };
        if indices.len() > rank {
            return Err(Error::at(span, RankError::Indices { count: indices.len(), array: whole, brackets: false }));
        }
        indices.resize(rank, None);
        self.indexed(right, &indices, span)
    }
    /// `path⊃array`.
    pub fn pick(&mut self, left: Val, right: Val, span: Span) -> Result<Val> {
        let path = match left {
            Val::Arr(arr) if arr.shape.is_empty() => vec![Val::Arr(arr)],
            Val::Arr(arr) if arr.shape.len() == 1 && arr.shape[0].as_constant().is_some() => {
                let count = arr.shape[0].as_constant().unwrap_or(0) as usize;
                let all = Val::Arr(arr);
                (0..count).map(|at| self.item(&all, at, span)).collect::<Result<_>>()?
            }
            other => return Err(Error::at(span, StaticError::Length { role: Role::Left('⊃'), found: other.shown(), most: None })),
        };
        let mut value = right;
        for step in path {
            let found = self.indexed(value, &[Some(step)], span)?;
            value = match found {
                Val::Arr(arr) => Val::Arr(arr.levelled_inner()),
                other => other,
            };
        }
        Ok(value)
    }

    /// `target←value`.
    pub fn assignment(&mut self, items: &mut Vec<Item>, value: Val, at: Span, frame: &Rc<Frame>) -> Result<Val> {
        match items.pop() {
            Some(Item::Array(Noun::Name(name), span)) => {
                let shown = value.shown();
                self.note(span, || format!("{name} : {shown}"));
                self.assign(&name, span, Binding::Val(value.clone()), frame)?;
                Ok(value)
            }
            Some(Item::Array(Noun::Quad(name), span)) => {
                self.assign_system(&name, &value, span)?;
                Ok(value)
            }
            Some(Item::Array(Noun::Strand(targets), span)) => {
                let parts = self.itemised(&value, targets.len(), span)?;
                for ((target, at), part) in targets.iter().zip(parts) {
                    let Noun::Name(name) = target else {
                        return Err(Error::at(*at, TargetError::Strand));
                    };
                    self.assign(name, *at, Binding::Val(part), frame)?;
                }
                Ok(value)
            }
            Some(Item::Array(Noun::Indexed(target, parts, _), span)) => {
                let Noun::Name(name) = &target.0 else {
                    return Err(Error::at(span, TargetError::Indexed));
                };
                let indices = self.indices_of(&parts, frame)?;
                self.assign_indexed(name, &indices, value.clone(), None, span, frame)?;
                Ok(value)
            }
            Some(Item::Function(func)) => match items.pop() {
                Some(Item::Array(Noun::Name(name), span)) => {
                    let before = self.noun(&Noun::Name(name.clone()), span, frame)?;
                    let made = self.call(&func, Some(before), value.clone())?;
                    self.may_change(&name, span, frame)?;
                    self.assign(&name, span, Binding::Val(made), frame)?;
                    Ok(value)
                }
                Some(Item::Array(Noun::Indexed(target, parts, _), span)) => {
                    let Noun::Name(name) = &target.0 else {
                        return Err(Error::at(span, TargetError::Indexed));
                    };
                    let indices = self.indices_of(&parts, frame)?;
                    self.assign_indexed(name, &indices, value.clone(), Some(func), span, frame)?;
                    Ok(value)
                }
                _ => Err(Error::at(at, TargetError::Modified)),
            },
            Some(Item::Array(_, span)) => Err(Error::at(span, TargetError::Selection)),
            _ => Err(Error::at(at, SentenceError::NoTarget)),
        }
    }
    fn itemised(&mut self, value: &Val, count: usize, span: Span) -> Result<Vec<Val>> {
        let have = match value {
            Val::Tup(items) => Some(items.len()),
            Val::Arr(arr) if arr.rank() == 0 => Some(count),
            Val::Arr(arr) => arr.outer()[0].as_constant().filter(|_| arr.rank() == 1).map(|n| n as usize),
            Val::Rag(_) => None,
        };
        if have != Some(count) {
            return Err(Error::at(span, LengthError::Names { count, value: value.shown() }));
        }
        (0..count).map(|at| self.item(value, at, span)).collect()
    }
    fn indices_of(&mut self, parts: &[Vec<super::tree::Node>], frame: &Rc<Frame>) -> Result<Vec<Option<Val>>> {
        let mut out = Vec::new();
        for part in parts.iter().rev() {
            out.push(if part.is_empty() { None } else { Some(self.value_of(part, frame)?) });
        }
        out.reverse();
        Ok(out)
    }
    fn assign(&mut self, name: &Rc<str>, span: Span, binding: Binding, frame: &Rc<Frame>) -> Result<()> {
        if name.starts_with('⍵') || &**name == "⍺⍺" {
            return Err(Error::at(span, NameError::AssignsArgument(name.clone())));
        }
        if let (Some(Binding::Fun(_) | Binding::Op(_)), Binding::Val(_)) = (frame.find(name).filter(|_| frame.has(name)), &binding) {
            return Err(Error::at(span, NameError::ClassChange { name: name.clone(), was: NameClass::Function }));
        }
        frame.set(name, binding);
        Ok(())
    }
    /// Gives a function a name.
    pub fn assign_function(&mut self, name: &Rc<str>, span: Span, binding: Binding, frame: &Rc<Frame>) -> Result<()> {
        if let Some(Binding::Val(_)) = frame.find(name).filter(|_| frame.has(name)) {
            return Err(Error::at(span, NameError::ClassChange { name: name.clone(), was: NameClass::Array }));
        }
        frame.set(name, binding);
        Ok(())
    }
    /// Names of outer functions are not changed.
    fn may_change(&mut self, name: &Rc<str>, span: Span, frame: &Rc<Frame>) -> Result<()> {
        if frame.has(name) || frame.find(name).is_none() {
            return Ok(());
        }
        Err(Error::at(span, NameError::Outer(name.clone())))
    }

    fn assign_indexed(
        &mut self,
        name: &Rc<str>,
        indices: &[Option<Val>],
        value: Val,
        change: Option<Func>,
        span: Span,
        frame: &Rc<Frame>,
    ) -> Result<()> {
        let before = self.noun(&Noun::Name(name.clone()), span, frame)?;
        self.may_change(name, span, frame)?;
        self.b.at = span;
        if let (Val::Tup(items), [Some(Val::Arr(index))]) = (&before, indices) {
            let at = index.constant_int().map(|at| at - self.origin).and_then(|at| usize::try_from(at).ok()).filter(|at| *at < items.len());
            let Some(at) = at else {
                return Err(Error::at(span, MixtureError::Computed(Computed::Changed)));
            };
            let mut items = items.to_vec();
            let value = match value {
                Val::Arr(arr) => Val::Arr(arr.levelled_inner()),
                other => other,
            };
            items[at] = match &change {
                Some(func) => self.call(func, Some(items[at].clone()), value)?,
                None => value,
            };
            let made = self.strand(items)?;
            return self.assign(name, span, Binding::Val(made), frame);
        }
        let arr = before.arr(span, Role::Assignment)?;
        let value = match change {
            None => value,
            Some(func) => {
                let now = self.indexed(Val::Arr(arr.clone()), indices, span)?;
                self.call(&func, Some(now), value)?
            }
        };
        let value = value.arr(span, Role::Assignment)?;
        let made = match self.chosen(&arr, indices, span)? {
            Some((flat, places)) => {
                let made = self.updated(flat, &[Some(places)], value, span)?;
                self.shaped(&made, arr.outer())?
            }
            None => self.updated(arr, indices, value, span)?,
        };
        self.assign(name, span, Binding::Val(Val::Arr(made)), frame)
    }
    /// An array with other elements at some places.
    pub fn updated(&mut self, arr: Arr, indices: &[Option<Val>], value: Arr, span: Span) -> Result<Arr> {
        let Some(kind) = arr.kind.join(value.kind) else {
            return Err(Error::at(span, KindError::Assigned { value: value.kind, among: arr.kind }));
        };
        let (arr, value) = (self.b.convert(&arr, kind)?, self.b.convert(&value, kind)?);
        let along = self.all_along(&arr, indices, span)?;
        let cell = arr.cell().to_vec();
        let mut places = Vec::new();
        for (index, size) in along.iter().zip(arr.outer()) {
            places.extend(match index {
                Some(index) => index.shape.clone(),
                None => vec![size.clone()],
            });
        }
        let alike = arr.levels[1..] == value.levels[1..];
        if places.is_empty() && value.shape == cell && (alike || value.is_simple()) {
            let at: Vec<Expr> = along.iter().flatten().map(|index| index.expr.clone()).collect();
            let made = update(&mut self.b, kind, &arr.shape, arr.expr.clone(), &at, value.expr);
            return Ok(self.b.named(kind, arr.shape.clone(), made).levelled(arr.levels));
        }
        if !alike {
            return Err(Error::at(span, NestingError::Items { value: items_of(&value), among: items_of(&arr) }));
        }
        // Places in the ravel, and a value for each.
        let positions = self.positions(&arr, &along, &places)?;
        let values = if value.shape.is_empty() || value.rank() == 0 {
            let values = self.reshaped(&places, &value, span)?;
            self.coerced(values, &[&places[..], &cell].concat(), span)?
        } else {
            let unit = |dims: &[Dim]| dims.iter().filter(|dim| dim.as_constant() != Some(1)).cloned().collect::<Vec<_>>();
            let (have, want) = (unit(value.outer()), unit(&places));
            if have.len() != want.len() {
                return Err(Error::at(span, LengthError::Places { values: value.outer_origin(), places }));
            }
            let values = if value.rank() == places.len() { value } else { self.reshaped(&places, &value, span)? };
            self.coerced(values, &[&places[..], &cell].concat(), span)?
        };
        let (flat, values) = (self.ravelled(&arr)?, self.ravelled(&values)?);
        let sizes = [flat.shape[0].clone(), values.shape[0].clone()];
        let made = self.b.prim(Prim::Scatter, kind, &sizes, &cell, vec![flat.expr.clone(), positions.expr, values.expr]);
        let flat = self.b.named(kind, flat.shape.clone(), made).levelled(flat.levels.clone());
        let outer = arr.outer().to_vec();
        self.shaped(&flat, &outer)
    }
    /// Positions in the ravel of an array; indices out of bounds fail.
    fn positions(&mut self, arr: &Arr, along: &[Along], places: &[Dim]) -> Result<Arr> {
        let outer = arr.outer().to_vec();
        let mut ranges = Vec::new();
        for size in &outer {
            let numbers = self.b.iota(size);
            ranges.push(self.b.bind(numbers));
        }
        let made = self.b.tabulate(places, &mut |b, at| {
            let mut used = 0;
            let mut position = b.int(0);
            for (axis, (index, size)) in along.iter().zip(&outer).enumerate() {
                let place = match index {
                    None => {
                        used += 1;
                        at[used - 1].clone()
                    }
                    Some(index) => {
                        let mine = &at[used..used + index.shape.len()];
                        used += index.shape.len();
                        let number = b.index(Kind::Int, &index.shape, index.expr.clone(), mine);
                        b.index(Kind::Int, &outer[axis..=axis], ranges[axis].clone(), &[number])
                    }
                };
                let size = b.size(size);
                let scaled = b.op2(Op::Mul, I, position, size);
                position = b.op2(Op::Add, I, scaled, place);
            }
            Ok(position)
        })?;
        let made = self.b.named(Kind::Int, places.to_vec(), made);
        self.ravelled(&made)
    }

    /// `f@places` and `values@places`.
    pub fn at_places(&mut self, derived: &Derived, left: Option<Val>, right: Val, span: Span) -> Result<Val> {
        let arr = right.arr(span, Role::Of('@'))?;
        let places = match derived.right.as_ref().expect("two operands") {
            Operand::Val(val) => val.clone(),
            Operand::Fun(which) => {
                let mask = self.call(which, None, Val::Arr(arr.clone()))?;
                self.call(&Func::prim('⍸', span), None, mask)?
            }
        };
        if arr.rank() == 0 {
            return Err(Error::at(span, RankError::Takes { role: Role::Of('@'), wanted: Wanted::Axes, found: arr.shown() }));
        }
        let (arr, places, outer) = match self.chosen(&arr, std::slice::from_ref(&Some(places.clone())), span)? {
            Some((flat, places)) => (flat, places, Some(arr.outer().to_vec())),
            None => (arr, places, None),
        };
        let mut indices = vec![None; arr.rank()];
        indices[0] = Some(places);
        let value = match &derived.left {
            Operand::Val(val) => val.clone(),
            Operand::Fun(f) => {
                let now = self.indexed(Val::Arr(arr.clone()), &indices, span)?;
                self.call(f, left, now)?
            }
        };
        let value = value.arr(span, Role::Of('@'))?;
        let made = self.updated(arr, &indices, value, span)?;
        Ok(Val::Arr(match outer {
            Some(outer) => self.shaped(&made, &outer)?,
            None => made,
        }))
    }
    /// Places in the ravel of an array of this shape; indices out of bounds are refused, or fail.
    fn ravel_places(&mut self, index: &Arr, outer: &[Dim], span: Span) -> Result<Arr> {
        let places = index.outer().to_vec();
        let origin = self.origin;
        let shape = index.shape.clone();
        let converted = self.whole(index.clone(), span, Role::Index)?;
        for (at, number) in converted.constant_ints().unwrap_or_default().into_iter().enumerate() {
            if let Some(count) = outer[at % outer.len()].as_constant()
                && !(origin..origin + count).contains(&number)
            {
                return Err(Error::at(span, IndexError::Outside { index: number, origin, count }));
            }
        }
        let mut ranges = Vec::new();
        for size in outer {
            let numbers = self.b.iota(size);
            ranges.push(self.b.bind(numbers));
        }
        let made = self.b.tabulate(&places, &mut |b, at| {
            let mut position = b.int(0);
            for (axis, size) in outer.iter().enumerate() {
                let mut place = at.to_vec();
                place.push(b.int(axis as i64));
                let number = b.index(Kind::Int, &shape, converted.expr.clone(), &place);
                let number = b.op2(Op::Sub, I, number, b.int(origin));
                let number = b.index(Kind::Int, std::slice::from_ref(size), ranges[axis].clone(), &[number]);
                let size = b.size(size);
                let scaled = b.op2(Op::Mul, I, position, size);
                position = b.op2(Op::Add, I, scaled, number);
            }
            Ok(b.op2(Op::Add, I, position, b.int(origin)))
        })?;
        Ok(self.b.named(Kind::Int, places, made))
    }
}

/// The items of an array, for messages.
fn items_of(arr: &Arr) -> Items {
    Items { kind: arr.kind, depth: arr.levels.len().saturating_sub(1), cell: arr.cell().to_vec() }
}

fn select(build: &mut Build, kind: Kind, shape: &[Dim], expr: Expr, along: &[Along], out: &mut Vec<Dim>) -> Result<Expr> {
    let Some((first, rest)) = along.split_first() else {
        out.extend(shape.iter().cloned());
        return Ok(expr);
    };
    match first {
        None => {
            out.push(shape[0].clone());
            build.map(&shape[..1], vec![expr], |build, cells| select(build, kind, &shape[1..], cells[0].clone(), rest, out))
        }
        Some(index) => {
            out.extend(index.shape.iter().cloned());
            build.map(&index.shape, vec![index.expr.clone()], |build, cells| {
                let cell = build.index(kind, shape, expr, &cells[..1]);
                let cell = build.bind(cell);
                select(build, kind, &shape[1..], cell, rest, out)
            })
        }
    }
}

fn update(build: &mut Build, kind: Kind, shape: &[Dim], expr: Expr, at: &[Expr], value: Expr) -> Expr {
    let expr = build.bind(expr);
    let value = match at {
        [] => return value,
        [_] => value,
        [first, rest @ ..] => {
            let row = build.index(kind, shape, expr.clone(), std::slice::from_ref(first));
            update(build, kind, &shape[1..], row, rest, value)
        }
    };
    let value = build.bind(value);
    build.prim(Prim::Update, kind, &shape[..1], &shape[1..], vec![expr, at[0].clone(), value])
}
