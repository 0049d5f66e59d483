//! What values of core consist of in first-order programs: scalars and arrays of scalars. Tuples and records are their parts, sums a tag and
//! [`slots`].

pub mod rows;

use super::Outcome;
use super::entry::{MeasuredSizes, measured};
use super::failure::broken;
use crate::base::{Scalar, Span, Symbol};
use crate::ir::core;
use crate::ir::core::slots::{self, Layout, Leaf};
use crate::runtime::{Array, Builder, Cells, Sum, Value};
use std::sync::Arc;

/// What sizes are.
type Sizes<'a> = &'a dyn Fn(&core::Dim) -> Option<i64>;

/// What an entry point made from a definition of this type takes: the sizes of its index parameters, then the components of its arguments.
///
/// # Errors
/// Those of [`measured`].
pub fn operands(
    ty: &core::Type,
    name: Symbol,
    args: &[Value],
    called: &[Option<Symbol>],
    span: Span,
) -> Outcome<(Vec<Value>, MeasuredSizes)> {
    let (sizes, measured) = measured(ty, name, args, called, span)?;
    let mut operands: Vec<Value> = sizes.into_iter().map(|size| Value::Scalar(Scalar::I64(size))).collect();
    for (param, arg) in ty.interface().0.iter().zip(args) {
        add(&param.ty, arg, &|dim| measured.value(dim), &mut operands)?;
    }
    Ok((operands, measured))
}

/// The result of a definition of this type made of its components, boxes opened.
///
/// # Errors
/// E0599 where the components are not those of the type.
pub fn result(ty: &core::Type, parts: &mut dyn Iterator<Item = Value>, measured: &MeasuredSizes) -> Outcome<Value> {
    rebuild(ty.interface().1, &[], parts, &|dim| measured.value(dim))
}

/// Adds the components of a value.
fn add(ty: &core::Type, value: &Value, size: Sizes, out: &mut Vec<Value>) -> Outcome<()> {
    match (ty.atom(), value) {
        (core::Atom::Tuple(types), Value::Tuple(tuple)) => {
            types.iter().zip(&tuple.parts).try_for_each(|(ty, part)| add(ty, part, size, out))?;
        }
        (core::Atom::Record(fields), Value::Tuple(tuple)) => {
            fields.iter().zip(&tuple.parts).try_for_each(|((_, ty), part)| add(ty, part, size, out))?;
        }
        (core::Atom::Sum(payloads), _) => add_sum(&layout(payloads)?, value, size, out)?,
        (core::Atom::Sigma(..), _) => rows::add(ty, value, size, out)?,
        _ => out.push(value.clone()),
    }
    Ok(())
}

fn layout(payloads: &[(Symbol, core::Type)]) -> Outcome<Layout> {
    slots::layout(payloads).ok_or_else(|| broken("a sum that is no data"))
}

/// Adds the tag and the slots of a value of a sum type, or of an array of them.
fn add_sum(layout: &Layout, value: &Value, size: Sizes, out: &mut Vec<Value>) -> Outcome<()> {
    let unfit = || broken("a sum was expected");
    let tag = slots::tag(layout.constructors.len());
    let extent = |dim: &core::Dim| size(dim).and_then(|n| usize::try_from(n).ok()).ok_or_else(|| broken("the size of a slot is not known"));
    let shape = |leaf: &Leaf| leaf.shape.iter().map(extent).collect::<Outcome<Vec<usize>>>();
    match value {
        Value::Sum(sum) => {
            let at = layout.constructors.iter().position(|(label, ..)| *label == sum.label).ok_or_else(unfit)?;
            let (_, payload, places) = &layout.constructors[at];
            out.push(Value::Scalar(Scalar::from_i128(tag, at as i128)));
            let mut leaves = Vec::with_capacity(places.len());
            add(payload, &sum.payload, size, &mut leaves)?;
            let mut slots: Vec<Option<Value>> = vec![None; layout.slots.len()];
            places.iter().zip(leaves).for_each(|(place, leaf)| slots[*place] = Some(leaf));
            for (slot, leaf) in slots.into_iter().zip(&layout.slots) {
                out.push(match slot {
                    Some(value) => value,
                    None => Value::Scalar(Scalar::from_i128(leaf.prim, 0))
                        .replicated(&shape(leaf)?)
                        .map_err(|_| broken("no memory for a slot"))?,
                });
            }
        }
        Value::Cells(cells) if cells.items().is_empty() => {
            let empty = |dims: &[usize], prim| Array::empty(dims, prim).map(Value::Array).ok_or_else(unfit);
            out.push(empty(cells.dims(), tag)?);
            for leaf in &layout.slots {
                out.push(empty(&[cells.dims(), &shape(leaf)?].concat(), leaf.prim)?);
            }
        }
        Value::Cells(cells) => {
            let mut columns: Vec<Builder> = (0..=layout.slots.len()).map(|_| Builder::new(cells.items().len())).collect();
            for item in cells.items() {
                let mut leaves = Vec::with_capacity(columns.len());
                add_sum(layout, item, size, &mut leaves)?;
                for (column, leaf) in columns.iter_mut().zip(&leaves) {
                    column.push(leaf).map_err(|_| broken("payloads of different sizes"))?;
                }
            }
            for column in columns {
                out.push(column.finish(cells.dims()).ok_or_else(unfit)?);
            }
        }
        Value::Scalar(_) | Value::Array(_) | Value::Tuple(_) | Value::Box(_) | Value::Opaque(_) => return Err(unfit()),
    }
    Ok(())
}

/// A value of a sum type, or an array of them, made of its tag and its slots.
fn sum(layout: &Layout, tag: &Value, slots: &[Value], size: Sizes) -> Outcome<Value> {
    let unfit = || broken("the tag of a sum");
    if let Value::Scalar(tag) = tag {
        let at = tag.as_i128().and_then(|at| usize::try_from(at).ok()).ok_or_else(unfit)?;
        let (label, payload, places) = layout.constructors.get(at).ok_or_else(unfit)?;
        let mut leaves = places.iter().map(|place| slots[*place].clone());
        return Ok(Value::Sum(Arc::new(Sum { label: *label, payload: rebuild(payload, &[], &mut leaves, size)? })));
    }
    let dims = tag.dims();
    let count = dims.iter().product();
    let flat = |value: &Value| value.reframed(dims.len(), &[count]).ok_or_else(unfit);
    let tags = flat(tag)?;
    let slots = slots.iter().map(flat).collect::<Outcome<Vec<_>>>()?;
    let mut items = Vec::with_capacity(count);
    for i in 0..count {
        let cells: Vec<Value> = slots.iter().map(|slot| slot.cell(i).ok_or_else(unfit)).collect::<Outcome<_>>()?;
        items.push(sum(layout, &tags.cell(i).ok_or_else(unfit)?, &cells, size)?);
    }
    Cells::new(dims, items).map(Value::Cells).ok_or_else(unfit)
}

/// The value of a type made of its components, boxes opened. `outer` sizes stand in front of its own: it is a component of an array.
fn rebuild(ty: &core::Type, outer: &[core::ShapeItem], parts: &mut dyn Iterator<Item = Value>, size: Sizes) -> Outcome<Value> {
    let missing = || broken("a result is missing");
    let frame = [outer, &ty.shape().items].concat();
    let mut tuple = |labels: Option<Vec<Symbol>>, types: &mut dyn Iterator<Item = &core::Type>| {
        let parts = types.map(|ty| rebuild(ty, &frame, parts, size)).collect::<Outcome<Vec<_>>>()?;
        let frame = match parts.first() {
            Some(part) => part.dims().get(..frame.len()).ok_or_else(missing)?.to_vec(),
            None => {
                let sizes = frame.iter().map(|item| match item {
                    core::ShapeItem::Dim(dim) => size(dim).and_then(|n| usize::try_from(n).ok()),
                    core::ShapeItem::Var(_) => None,
                });
                sizes.collect::<Option<Vec<_>>>().ok_or_else(missing)?
            }
        };
        Ok(Value::tuples(frame, labels.map(Into::into), parts))
    };
    match ty.atom() {
        core::Atom::Prim(_) => parts.next().ok_or_else(missing),
        core::Atom::Tuple(types) => tuple(None, &mut types.iter()),
        core::Atom::Record(fields) => {
            let labels = fields.iter().map(|(label, _)| *label).collect();
            tuple(Some(labels), &mut fields.iter().map(|(_, ty)| ty))
        }
        core::Atom::Sigma(..) if !frame.is_empty() => {
            let width = match &frame[0] {
                core::ShapeItem::Dim(dim) => size(dim).and_then(|n| usize::try_from(n).ok()),
                core::ShapeItem::Var(_) => None,
            };
            let framed = core::Type::new(ty.atom().clone(), core::Shape { items: frame });
            rows::rebuild(&framed, width, parts, size)
        }
        core::Atom::Sigma(names, content) => {
            let mut hidden = Vec::with_capacity(names.len());
            for name in names {
                let n = parts.next().and_then(|n| n.as_i64()).ok_or_else(missing)?;
                hidden.push((core::DimAtom::Var(*name), n));
            }
            let known = |atom: core::DimAtom| hidden.iter().find(|(own, _)| *own == atom).map(|(_, n)| *n);
            let inner = |dim: &core::Dim| dim.evaluate(&mut |atom| known(atom).or_else(|| size(&core::Dim::atom(atom))));
            rebuild(content, outer, parts, &inner)
        }
        core::Atom::Sum(payloads) => {
            let layout = layout(payloads)?;
            let tag = parts.next().ok_or_else(missing)?;
            let slots: Vec<Value> = parts.take(layout.slots.len()).collect();
            if slots.len() < layout.slots.len() {
                return Err(missing());
            }
            sum(&layout, &tag, &slots, size)
        }
        core::Atom::Var(_) | core::Atom::Fun(..) | core::Atom::Forall(..) | core::Atom::Pi(..) => Err(broken("a result that is no data")),
    }
}
