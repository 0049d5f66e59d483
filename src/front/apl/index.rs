//! Indices and assignment.

use super::build::Build;
use super::error::{self, Result, fail};
use super::functions::{Derived, Func, Operand};
use super::machine::{Binding, Frame, Machine};
use super::sentence::{Item, Noun};
use super::value::{Arr, Kind, Val, shape_shown};
use crate::base::scalar::Op;
use crate::base::{Code, PrimType, Scalar, Span};
use crate::ir::core::{Dim, Expr, Prim};
use std::rc::Rc;

const I: PrimType = PrimType::I64;

/// An index of an axis: numbers from 0, or everything.
type Along = Option<Arr>;

impl Machine {
    /// Indices from 0 for an axis; constants are checked.
    fn zero_based(&mut self, index: &Option<Val>, size: &Dim, span: Span) -> Result<Along> {
        let Some(index) = index else { return Ok(None) };
        if let Val::Arr(arr) = index
            && !arr.is_simple()
        {
            return fail(
                Code::AplNesting,
                span,
                format!("an index is a simple array of whole numbers, not {}", arr.shown()),
                "separate the axes by `;`",
            );
        }
        let index = index.clone().simple(span, "an index")?;
        let index = self.whole(index, span, "an index")?;
        if let (Some(ints), Some(size)) = (index.constant_ints(), size.as_constant())
            && let Some(wrong) = ints.iter().find(|at| !(self.origin..self.origin + size).contains(at))
        {
            let last = size + self.origin - 1;
            let what = format!("the index {wrong} is not one of {}..{last} (INDEX ERROR)", self.origin);
            return fail(Code::AplIndex, span, what, format!("indices begin with ⎕IO, which is {}", self.origin));
        }
        if self.origin == 0 {
            return Ok(Some(index));
        }
        let one = Val::Arr(self.b.literal(Kind::Int, &[], vec![Scalar::I64(self.origin)]));
        self.pervade2('-', Val::Arr(index), one, span)?.arr(span, "an index").map(Some)
    }
    fn all_along(&mut self, arr: &Arr, indices: &[Option<Val>], span: Span) -> Result<Vec<Along>> {
        if indices.len() != arr.rank() {
            let what = format!("{} indices for an array of {} (RANK ERROR)", indices.len(), shape_shown(arr.outer()));
            return Err(error::at(Code::AplRank, span, what)
                .label(arr.expr.span(), "the array comes from here")
                .help(match arr.rank() {
                    0 => "in `1 2 3[2]` the bracket belongs to the last number: write `(1 2 3)[2]`",
                    _ => "an index for each axis, separated by `;`; one left out takes all of its axis",
                })
                .boxed());
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
                    return fail(Code::AplRank, span, "a vector of vectors has one index (RANK ERROR)", "`i⊃v` is an element of a vector");
                };
                let index = Val::Arr(index.clone()).simple(span, "an index")?;
                let size = rag.lengths.shape[0].clone();
                let zero = self.zero_based(&Some(Val::Arr(index)), &size, span)?;
                let Some(at) = zero else { return Ok(Val::Rag(rag)) };
                if at.rank() == 0 {
                    let row = self.row(&rag, &at.expr)?;
                    return Ok(Val::Arr(row.levelled(vec![0, 1])));
                }
                if at.rank() > 1 {
                    return fail(
                        Code::AplNesting,
                        span,
                        "items of a vector of vectors are taken by a scalar or a vector",
                        "ravel the indices",
                    );
                }
                return self.rows_at(&rag, &at);
            }
            Val::Tup(items) => {
                let [Some(Val::Arr(index))] = indices else {
                    return fail(Code::AplMixture, span, "a nested vector of different items is indexed by constants only", "");
                };
                let Some(ats) = index.constant_ints() else {
                    if let Some(rag) = self.rows_of_tuple(&items, false)? {
                        return self.indexed(Val::Rag(Rc::new(rag)), indices, span);
                    }
                    let what = "a nested vector of different items is indexed by constants only: what is found decides the type";
                    return fail(Code::AplMixture, span, what, "make one array of them with `↑`, or use a guard");
                };
                let mut found = Vec::new();
                for at in ats {
                    match usize::try_from(at - self.origin).ok().and_then(|at| items.get(at)) {
                        Some(item) => found.push(item.clone()),
                        None => {
                            return fail(
                                Code::AplIndex,
                                span,
                                format!("the index {at} is outside of {} items (INDEX ERROR)", items.len()),
                                "",
                            );
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
        let along = self.all_along(&arr, indices, span)?;
        self.selected(&arr, &along).map(Val::Arr)
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
        let right_rank = if let Val::Arr(arr) = &right { arr.rank() } else { 1 };
        let mut indices: Vec<Option<Val>> = match left {
            Val::Tup(items) => items.iter().map(|item| Some(item.clone())).collect(),
            Val::Rag(_) => return fail(Code::AplNesting, span, "the indices of `⌷` are numbers, or vectors of known lengths", ""),
            Val::Arr(arr) if arr.rank() == 0 => vec![Some(Val::Arr(arr.levelled_inner()))],
            Val::Arr(arr) => {
                let Some(count) = arr.outer()[0].as_constant().filter(|_| arr.rank() == 1) else {
                    return fail(Code::AplStatic, span, "how many indices `⌷` has must be known", "");
                };
                let all = Val::Arr(arr);
                (0..count as usize).map(|at| self.item(&all, at, span).map(Some)).collect::<Result<_>>()?
            }
        };
        if indices.len() > right_rank {
            return fail(Code::AplRank, span, format!("{} indices for an array of rank {right_rank} (RANK ERROR)", indices.len()), "");
        }
        indices.resize(right_rank, None);
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
            other => {
                return fail(
                    Code::AplStatic,
                    span,
                    format!("the left argument of `⊃` is a path of known length, not {}", other.shown()),
                    "",
                );
            }
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
                        return fail(Code::AplSelective, *at, "only names are assigned side by side", "assign one after the other");
                    };
                    self.assign(name, *at, Binding::Val(part), frame)?;
                }
                Ok(value)
            }
            Some(Item::Array(Noun::Indexed(target, parts, _), span)) => {
                let Noun::Name(name) = &target.0 else {
                    return fail(Code::AplSelective, span, "only a name with indices is assigned", "give the array a name");
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
                        return fail(Code::AplSelective, span, "only a name with indices is assigned", "give the array a name");
                    };
                    let indices = self.indices_of(&parts, frame)?;
                    self.assign_indexed(name, &indices, value.clone(), Some(func), span, frame)?;
                    Ok(value)
                }
                _ => fail(Code::AplSelective, at, "`f←` changes a name, perhaps with indices", "write `name f←value`"),
            },
            Some(Item::Array(_, span)) => fail(
                Code::AplSelective,
                span,
                "a part of an array that a function selects is assigned, which is not supported",
                "write `name[indices]←value`, or use the operator `@`",
            ),
            _ => fail(Code::AplSentence, at, "there is no name in front of the arrow", "write `name←value`"),
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
            return fail(Code::AplLength, span, format!("{count} names are assigned the items of {} (LENGTH ERROR)", value.shown()), "");
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
            return fail(Code::AplClass, span, format!("`{name}` is an argument and cannot be assigned"), "choose another name");
        }
        if let (Some(Binding::Fun(_) | Binding::Op(_)), Binding::Val(_)) = (frame.find(name).filter(|_| frame.has(name)), &binding) {
            return fail(
                Code::AplClass,
                span,
                format!("`{name}` is a function already, and a name keeps its class"),
                "choose another name",
            );
        }
        frame.set(name, binding);
        Ok(())
    }
    /// Gives a function a name.
    pub fn assign_function(&mut self, name: &Rc<str>, span: Span, binding: Binding, frame: &Rc<Frame>) -> Result<()> {
        if let Some(Binding::Val(_)) = frame.find(name).filter(|_| frame.has(name)) {
            return fail(Code::AplClass, span, format!("`{name}` is an array already, and a name keeps its class"), "choose another name");
        }
        frame.set(name, binding);
        Ok(())
    }
    /// Names of outer functions are not changed.
    fn may_change(&mut self, name: &str, span: Span, frame: &Rc<Frame>) -> Result<()> {
        if frame.has(name) || frame.find(name).is_none() {
            return Ok(());
        }
        fail(
            Code::AplOuter,
            span,
            format!("`{name}` is a name outside of this dfn, which cannot change it"),
            "return the new value, and assign it outside",
        )
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
                return fail(Code::AplMixture, span, "an item of a nested vector is changed at a constant index only", "");
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
        let arr = before.arr(span, "assignment to indices")?;
        let value = match change {
            None => value,
            Some(func) => {
                let now = self.indexed(Val::Arr(arr.clone()), indices, span)?;
                self.call(&func, Some(now), value)?
            }
        };
        let value = value.arr(span, "assignment to indices")?;
        let made = self.updated(arr, indices, value, span)?;
        self.assign(name, span, Binding::Val(Val::Arr(made)), frame)
    }
    /// An array with other elements at some places.
    pub fn updated(&mut self, arr: Arr, indices: &[Option<Val>], value: Arr, span: Span) -> Result<Arr> {
        let Some(kind) = arr.kind.join(value.kind) else {
            let what = format!("{} cannot stand among {} (DOMAIN ERROR)", value.kind.words(), arr.kind.words());
            return fail(Code::AplKind, span, what, "an array has elements of one kind");
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
            let what = format!("{} cannot stand among {}", items_shown(&value), items_shown(&arr));
            return fail(Code::AplNesting, span, what, "all items of an array have one shape; `⊂` encloses a value, `⊃` takes it out");
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
                let what =
                    format!("values of {} are assigned to places of {} (LENGTH ERROR)", shape_shown(value.outer()), shape_shown(&places));
                return Err(error::at(Code::AplLength, span, what).label(value.expr.span(), "the values come from here").boxed());
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
        let arr = right.arr(span, "`@`")?;
        let places = match derived.right.as_ref().expect("two operands") {
            Operand::Val(val) => val.clone(),
            Operand::Fun(which) => {
                let mask = self.call(which, None, Val::Arr(arr.clone()))?;
                self.call(&Func::prim('⍸', span), None, mask)?
            }
        };
        if arr.rank() == 0 {
            return fail(Code::AplRank, span, "`@` changes an array, not a scalar (RANK ERROR)", "");
        }
        let (arr, outer) = match &places {
            // Indices of several axes: places in the ravel.
            Val::Arr(index) if !index.is_simple() => {
                let outer = arr.outer().to_vec();
                if index.cell().len() != 1 || index.cell()[0].as_constant() != Some(outer.len() as i64) {
                    return fail(Code::AplRank, span, "an index of `@` has a number for each axis (RANK ERROR)", "");
                }
                (self.ravelled(&arr)?, Some(outer))
            }
            _ => (arr, None),
        };
        let places = match (places, &outer) {
            (Val::Arr(index), Some(outer)) => Val::Arr(self.ravel_places(index, outer)?),
            (places, _) => places,
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
        let value = value.arr(span, "`@`")?;
        let made = self.updated(arr, &indices, value, span)?;
        Ok(Val::Arr(match outer {
            Some(outer) => self.shaped(&made, &outer)?,
            None => made,
        }))
    }
    fn ravel_places(&mut self, index: Arr, outer: &[Dim]) -> Result<Arr> {
        let places = index.outer().to_vec();
        let origin = self.origin;
        let shape = index.shape.clone();
        let converted = self.b.convert(&index, Kind::Int)?;
        let made = self.b.tabulate(&places, &mut |b, at| {
            let mut position = b.int(0);
            for (axis, size) in outer.iter().enumerate() {
                let mut place = at.to_vec();
                place.push(b.int(axis as i64));
                let number = b.index(Kind::Int, &shape, converted.expr.clone(), &place);
                let number = b.op2(Op::Sub, I, number, b.int(origin));
                let size = b.size(size);
                let scaled = b.op2(Op::Mul, I, position, size);
                position = b.op2(Op::Add, I, scaled, number);
            }
            Ok(b.op2(Op::Add, I, position, b.int(origin)))
        })?;
        Ok(self.b.named(Kind::Int, places, made))
    }
}

/// The items of an array, in words.
fn items_shown(arr: &Arr) -> String {
    match arr.levels.len() {
        0 | 1 => format!("simple {}", arr.kind.words()),
        2 => format!("enclosed {} of {}", arr.kind.words(), shape_shown(arr.cell())),
        levels => format!("{} that are enclosed {} times", arr.kind.words(), levels - 1),
    }
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
