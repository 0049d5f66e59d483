//! Ragged arrays from outside: what their rows consist of in first-order programs ([`crate::ir::core::rows`]).

use super::super::failure::broken;
use super::super::{Failure, Outcome};
use super::Sizes;
use crate::base::{Scalar, Symbol};
use crate::ir::core::rows::{self, Column, Leaf};
use crate::ir::core::{Atom, Dim, DimAtom, Shape, ShapeItem, Type};
use crate::runtime::{Array, Boxed, Buffer, Builder, Cells, Value};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// What sizes are by their names.
type Known = FxHashMap<DimAtom, i64>;

fn unfit() -> Box<Failure> {
    broken("a ragged array was expected")
}

fn rest(ty: &Type) -> Type {
    Type::new(ty.atom().clone(), Shape { items: ty.shape().items[1..].to_vec() })
}

/// What a size is, by those that are known here and those of the surroundings.
fn evaluated(dim: &Dim, size: Sizes, known: &Known) -> Option<i64> {
    dim.evaluate(&mut |atom| known.get(&atom).copied().or_else(|| size(&Dim::atom(atom))))
}

fn extent(dim: &Dim, size: Sizes, known: &Known) -> Outcome<usize> {
    evaluated(dim, size, known).and_then(|n| usize::try_from(n).ok()).ok_or_else(|| broken("the size of a row is not known"))
}

/// Adds the components of a box or of an array of boxes.
pub(super) fn add(ty: &Type, value: &Value, size: Sizes, out: &mut Vec<Value>) -> Outcome<()> {
    let Atom::Sigma(names, content) = ty.atom() else { return Err(unfit()) };
    if ty.shape().is_scalar() {
        let Value::Box(boxed) = value else { return Err(unfit()) };
        out.extend(boxed.indices.iter().cloned());
        let known: Known = names.iter().zip(&boxed.indices).filter_map(|(name, n)| Some((DimAtom::Var(*name), n.as_i64()?))).collect();
        return super::add(content, &boxed.value, &|dim| evaluated(dim, size, &known), out);
    }
    let cell = rest(ty);
    let leaves = rows::leaves(&cell).ok_or_else(unfit)?;
    let columns = rows::columns(&leaves);
    let width = value.outer().ok_or_else(unfit)?;
    let mut parts: Vec<Vec<Value>> = vec![Vec::with_capacity(width); leaves.len()];
    for i in 0..width {
        let mut own = Vec::with_capacity(leaves.len());
        add(&cell, &value.cell(i).ok_or_else(unfit)?, size, &mut own)?;
        parts.iter_mut().zip(own).for_each(|(part, leaf)| part.push(leaf));
    }
    for ((leaf, column), parts) in leaves.iter().zip(&columns).zip(parts) {
        match column {
            Column::Regular => out.push(stacked(leaf, width, &parts, size)?),
            Column::Rows { inner } => add_rows(leaf, *inner, &parts, size, out)?,
        }
    }
    Ok(())
}

/// One array of cells.
fn stacked(leaf: &Leaf, width: usize, cells: &[Value], size: Sizes) -> Outcome<Value> {
    if width == 0 {
        let shape = leaf
            .shape
            .iter()
            .map(|dim| extent(dim, size, &Known::default()))
            .collect::<Outcome<Vec<_>>>()
            .unwrap_or_else(|_| vec![0; leaf.shape.len()]);
        return Array::empty(&[&[0], &shape[..]].concat(), leaf.prim).map(Value::Array).ok_or_else(unfit);
    }
    let mut builder = Builder::new(width);
    cells.iter().try_for_each(|cell| builder.push(cell)).map_err(|_| broken("cells of different sizes"))?;
    builder.finish(&[width]).ok_or_else(unfit)
}

/// The number of elements of rows, where they begin, and the elements.
fn add_rows(leaf: &Leaf, inner: usize, rows: &[Value], size: Sizes, out: &mut Vec<Value>) -> Outcome<()> {
    let memory = |_| broken("no memory for rows");
    let same = match rows.first().and_then(Value::as_array) {
        Some(row) => row.dims()[row.dims().len() - inner..].to_vec(),
        None => leaf.shape[leaf.shape.len() - inner..]
            .iter()
            .map(|dim| extent(dim, size, &Known::default()))
            .collect::<Outcome<_>>()
            .unwrap_or_else(|_| vec![0; inner]),
    };
    let (mut starts, mut total) = (Vec::with_capacity(rows.len()), 0usize);
    let mut data = Buffer::with_capacity(leaf.prim, 0).map_err(memory)?;
    for row in rows {
        let row = row.as_array().ok_or_else(unfit)?;
        let cells: usize = row.dims()[..row.dims().len() - inner].iter().product();
        if row.dims()[row.dims().len() - inner..] != same {
            return Err(broken("rows of different kinds"));
        }
        starts.push(total as i64);
        total += cells;
        let (items, from) = row.raw();
        data.extend(items, from..from + row.count()).map_err(memory)?;
    }
    out.push(Value::Scalar(Scalar::I64(total as i64)));
    out.push(Value::vector(starts));
    out.push(Array::new(&[&[total], &same[..]].concat(), data).map(Value::Array).ok_or_else(unfit)?);
    Ok(())
}

/// The value of an array of boxes made of its components.
pub(super) fn rebuild(ty: &Type, width: Option<usize>, parts: &mut dyn Iterator<Item = Value>, size: Sizes) -> Outcome<Value> {
    let cell = rest(ty);
    let leaves = rows::leaves(&cell).ok_or_else(unfit)?;
    let columns = rows::columns(&leaves);
    let mut arrays = Vec::with_capacity(leaves.len());
    for column in &columns {
        let mut next = || parts.next().ok_or_else(unfit);
        arrays.push(match column {
            Column::Regular => (next()?, None),
            Column::Rows { .. } => {
                next()?;
                let starts = next()?;
                (next()?, Some(starts))
            }
        });
    }
    let found = arrays.iter().find_map(|(data, starts)| starts.as_ref().unwrap_or(data).outer());
    let width = found.or(width).ok_or_else(unfit)?;
    let mut items = Vec::with_capacity(width);
    for i in 0..width {
        let mut known = Known::default();
        let mut own = Vec::with_capacity(leaves.len());
        for ((leaf, column), (data, starts)) in leaves.iter().zip(&columns).zip(&arrays) {
            let value = match (column, starts) {
                (Column::Rows { inner }, Some(starts)) => {
                    let outer = leaf.shape.len() - inner;
                    let dims = leaf.shape[..outer].iter().map(|dim| extent(dim, size, &known)).collect::<Outcome<Vec<_>>>()?;
                    let count = dims.iter().try_fold(1usize, |all, n| all.checked_mul(*n)).ok_or_else(unfit)?;
                    let from = starts.cell(i).and_then(|n| n.as_i64()).and_then(|n| usize::try_from(n).ok()).ok_or_else(unfit)?;
                    let to = from.checked_add(count).ok_or_else(unfit)?;
                    // Nothing lies nowhere.
                    let (from, to) = if count == 0 { (0, 0) } else { (from, to) };
                    data.slice(from, to).and_then(|row| row.reframed(1, &dims)).ok_or_else(unfit)?
                }
                _ => data.cell(i).ok_or_else(unfit)?,
            };
            if let (Some(name), Some(n)) = (leaf.name, value.as_i64()) {
                known.insert(DimAtom::Var(name), n);
            }
            own.push(value);
        }
        let inner = |dim: &Dim| evaluated(dim, size, &known);
        items.push(cell_value(&cell, &mut own.into_iter(), &inner)?);
    }
    let dims = match items.first() {
        Some(first) if !cell.shape().is_scalar() => [&[width], first.dims()].concat(),
        _ => [&[width][..], &vec![0; cell.shape().items.len()]].concat(),
    };
    if cell.shape().is_scalar() {
        return Cells::new(&[width], items).map(Value::Cells).ok_or_else(unfit);
    }
    let flat = items.iter().flat_map(|item| if let Value::Cells(cells) = item { cells.items().to_vec() } else { Vec::new() }).collect();
    Cells::new(&dims, flat).map(Value::Cells).ok_or_else(unfit)
}

fn cell_value(cell: &Type, parts: &mut dyn Iterator<Item = Value>, size: Sizes) -> Outcome<Value> {
    let Atom::Sigma(names, content) = cell.atom() else { return Err(unfit()) };
    if let Some(ShapeItem::Dim(dim)) = cell.shape().items.first() {
        return rebuild(cell, extent(dim, size, &Known::default()).ok(), parts, size);
    }
    let indices = names.iter().map(|_| parts.next().ok_or_else(unfit)).collect::<Outcome<Vec<_>>>()?;
    let value = super::rebuild(content, &[], parts, size)?;
    Ok(Value::Box(Arc::new(Boxed { indices, value })))
}

/// The boxes in a value that was read get the sizes that they hide.
pub fn with_sizes(ty: &Type, value: &Value) -> Outcome<Value> {
    if !rows::has_rows(ty) {
        return Ok(value.clone());
    }
    match (ty.atom(), value) {
        (Atom::Sigma(..), Value::Box(_)) => with_box_sizes(ty, value),
        (Atom::Sigma(..), Value::Cells(cells)) => {
            let cell = Type::scalar(ty.atom().clone());
            let items = cells.items().iter().map(|item| with_box_sizes(&cell, item)).collect::<Outcome<_>>()?;
            Cells::new(cells.dims(), items).map(Value::Cells).ok_or_else(unfit)
        }
        (Atom::Tuple(types), Value::Tuple(tuple)) => {
            let parts = types.iter().zip(&tuple.parts).map(|(ty, part)| with_sizes(ty, part)).collect::<Outcome<_>>()?;
            Ok(Value::tuples(tuple.frame.clone(), tuple.labels.clone(), parts))
        }
        (Atom::Record(fields), Value::Tuple(tuple)) => {
            let parts = fields.iter().zip(&tuple.parts).map(|((_, ty), part)| with_sizes(ty, part)).collect::<Outcome<_>>()?;
            Ok(Value::tuples(tuple.frame.clone(), tuple.labels.clone(), parts))
        }
        _ => Ok(value.clone()),
    }
}

fn with_box_sizes(ty: &Type, value: &Value) -> Outcome<Value> {
    let (Atom::Sigma(names, content), Value::Box(boxed)) = (ty.atom(), value) else { return Ok(value.clone()) };
    let value = with_sizes(content, &boxed.value)?;
    let indices = names.iter().map(|name| hidden(content, &value, *name).map(|n| Value::Scalar(Scalar::I64(n)))).collect::<Option<_>>();
    Ok(Value::Box(Arc::new(Boxed { indices: indices.ok_or_else(|| broken("a hidden size that no array has"))?, value })))
}

/// Whether a dimension is just this size.
fn is_size(item: &ShapeItem, name: Symbol) -> bool {
    match item {
        ShapeItem::Dim(dim) => dim.as_atom() == Some(DimAtom::Var(name)),
        ShapeItem::Var(_) => false,
    }
}

/// A size, found in a value.
fn hidden(ty: &Type, value: &Value, name: Symbol) -> Option<i64> {
    let own = ty.shape().items.iter().zip(value.dims()).find(|(item, _)| is_size(item, name)).map(|(_, n)| *n as i64);
    own.or_else(|| match (ty.atom(), value) {
        (Atom::Tuple(types), Value::Tuple(tuple)) => types.iter().zip(&tuple.parts).find_map(|(ty, part)| hidden(ty, part, name)),
        (Atom::Record(fields), Value::Tuple(tuple)) => fields.iter().zip(&tuple.parts).find_map(|((_, ty), part)| hidden(ty, part, name)),
        _ => None,
    })
}

/// Whether each hidden size of a type can be found in values of it.
pub fn is_read(ty: &Type) -> bool {
    fn found(ty: &Type, name: Symbol) -> bool {
        ty.shape().items.iter().any(|item| is_size(item, name))
            || match ty.atom() {
                Atom::Tuple(types) if ty.shape().is_scalar() => types.iter().any(|ty| found(ty, name)),
                Atom::Record(fields) if ty.shape().is_scalar() => fields.iter().any(|(_, ty)| found(ty, name)),
                Atom::Prim(_)
                | Atom::Var(_)
                | Atom::Fun(..)
                | Atom::Forall(..)
                | Atom::Pi(..)
                | Atom::Sigma(..)
                | Atom::Tuple(_)
                | Atom::Record(_)
                | Atom::Sum(_) => false,
            }
    }
    match ty.atom() {
        Atom::Sigma(names, content) => names.iter().all(|name| found(content, *name)) && is_read(content),
        Atom::Tuple(parts) => parts.iter().all(is_read),
        Atom::Record(fields) => fields.iter().all(|(_, part)| is_read(part)),
        Atom::Sum(fields) => fields.iter().all(|(_, part)| !rows::has_rows(part)),
        Atom::Prim(_) => true,
        Atom::Var(_) | Atom::Fun(..) | Atom::Forall(..) | Atom::Pi(..) => false,
    }
}
