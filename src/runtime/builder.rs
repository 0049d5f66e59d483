//! Putting cells of equal shape together into one array.

use super::buffer::{Buffer, vector};
use super::dims::{Dims, count};
use super::value::{Array, Cells, Shortage, Value};
use crate::base::{PrimType, Symbol};
use std::sync::Arc;

/// Collects cells. The first one decides on layout and shape.
#[derive(Debug)]
pub enum Builder {
    /// Nothing yet; room for this many cells will be made.
    Empty(usize),
    /// Arrays of scalars, or scalars.
    Flat(Dims, Buffer),
    /// Tuples or records of this frame.
    Tuple(Vec<usize>, Option<Arc<[Symbol]>>, Vec<Builder>),
    /// Functions or boxes.
    Cells(Dims, Vec<Value>),
}

/// Why a cell could not be added.
#[derive(Debug, Clone, PartialEq)]
pub enum Misfit {
    /// No memory.
    Shortage(Shortage),
    /// Its shape is not that of the cells before it.
    Irregular {
        /// The shape of the cells before.
        expected: Vec<usize>,
        /// The shape of the cell.
        found: Vec<usize>,
    },
}

impl From<Shortage> for Misfit {
    fn from(shortage: Shortage) -> Misfit {
        Misfit::Shortage(shortage)
    }
}

/// The elements as values.
fn scalars(buffer: &Buffer) -> Result<Vec<Value>, Shortage> {
    let mut items = vector(buffer.len())?;
    items.extend((0..buffer.len()).filter_map(|i| buffer.get(i)).map(Value::Scalar));
    Ok(items)
}

fn irregular(expected: &[usize], found: &[usize]) -> Result<(), Misfit> {
    Err(Misfit::Irregular { expected: expected.to_vec(), found: found.to_vec() })
}

impl Builder {
    /// An empty builder that will make room for `cells` cells.
    pub fn new(cells: usize) -> Builder {
        Builder::Empty(cells)
    }
    /// A builder for scalars of one type.
    pub fn scalars(prim: PrimType, cells: usize) -> Result<Builder, Shortage> {
        Ok(Builder::Flat(Dims::new(&[]), Buffer::with_capacity(prim, cells)?))
    }
    /// Adds a cell.
    pub fn push(&mut self, cell: &Value) -> Result<(), Misfit> {
        match (&mut *self, cell) {
            (Builder::Flat(dims, buffer), Value::Scalar(scalar)) => {
                if dims.is_empty() && buffer.push(*scalar) {
                    Ok(())
                } else {
                    irregular(dims, &[])
                }
            }
            (Builder::Flat(dims, buffer), Value::Array(array)) => {
                let (data, offset) = array.raw();
                if **dims == *array.dims() && buffer.extend(data, offset..offset + array.count())? {
                    Ok(())
                } else {
                    irregular(dims, array.dims())
                }
            }
            (Builder::Tuple(frame, _, parts), Value::Tuple(tuple)) if parts.len() == tuple.parts.len() => {
                if *frame != tuple.frame {
                    return irregular(frame, &tuple.frame);
                }
                parts.iter_mut().zip(&tuple.parts).try_for_each(|(builder, part)| builder.push(part))
            }
            (Builder::Cells(dims, items), Value::Cells(cells)) => {
                if **dims != *cells.dims() {
                    return irregular(dims, cells.dims());
                }
                items.extend_from_slice(cells.items());
                Ok(())
            }
            (Builder::Cells(dims, items), Value::Array(array)) if **dims == *array.dims() => {
                items.extend_from_slice(array.cells()?.items());
                Ok(())
            }
            (Builder::Cells(dims, items), Value::Scalar(_) | Value::Box(_) | Value::Sum(_) | Value::Opaque(_)) if dims.is_empty() => {
                items.push(cell.clone());
                Ok(())
            }
            (Builder::Flat(dims, buffer), Value::Cells(_) | Value::Opaque(_)) => {
                // Scalars beside others that an evaluator follows.
                *self = Builder::Cells(dims.clone(), scalars(buffer)?);
                self.push(cell)
            }
            (Builder::Empty(room), _) => {
                *self = Builder::for_cells_like(cell, *room)?;
                self.push(cell)
            }
            (Builder::Flat(dims, _) | Builder::Cells(dims, _), _) => irregular(dims, cell.dims()),
            (Builder::Tuple(frame, ..), _) => irregular(frame, cell.dims()),
        }
    }
    fn for_cells_like(cell: &Value, room: usize) -> Result<Builder, Shortage> {
        Ok(match cell {
            Value::Scalar(scalar) => Builder::scalars(scalar.prim(), room)?,
            Value::Array(array) => {
                let buffer = Buffer::with_capacity(array.prim(), room.saturating_mul(array.count()))?;
                Builder::Flat(Dims::new(array.dims()), buffer)
            }
            Value::Tuple(tuple) => {
                let parts = tuple.parts.iter().map(|part| Builder::for_cells_like(part, room)).collect::<Result<_, _>>()?;
                Builder::Tuple(tuple.frame.clone(), tuple.labels.clone(), parts)
            }
            Value::Cells(cells) => Builder::Cells(Dims::new(cells.dims()), vector(room.saturating_mul(cells.items().len()))?),
            Value::Box(_) | Value::Sum(_) | Value::Opaque(_) => Builder::Cells(Dims::new(&[]), vector(room)?),
        })
    }
    /// Adds the cells of another builder.
    pub fn append(&mut self, other: Builder) -> Result<(), Misfit> {
        match (&mut *self, other) {
            (_, Builder::Empty(_)) => Ok(()),
            (Builder::Empty(_), other) => {
                *self = other;
                Ok(())
            }
            (Builder::Flat(dims, buffer), Builder::Flat(more, items)) => {
                if *dims == more && buffer.extend(&items, 0..items.len())? {
                    Ok(())
                } else {
                    irregular(dims, &more)
                }
            }
            (Builder::Tuple(frame, _, parts), Builder::Tuple(more, _, others)) if parts.len() == others.len() => {
                if *frame != more {
                    return irregular(frame, &more);
                }
                parts.iter_mut().zip(others).try_for_each(|(builder, part)| builder.append(part))
            }
            (Builder::Cells(dims, items), Builder::Cells(more, others)) => {
                if *dims != more {
                    return irregular(dims, &more);
                }
                items.extend(others);
                Ok(())
            }
            (Builder::Flat(dims, _) | Builder::Cells(dims, _), Builder::Tuple(more, ..)) => irregular(dims, &more),
            (Builder::Tuple(frame, ..), Builder::Flat(dims, _) | Builder::Cells(dims, _)) => irregular(frame, &dims),
            (Builder::Tuple(frame, ..), Builder::Tuple(more, ..)) => irregular(frame, &more),
            (Builder::Flat(dims, _), Builder::Cells(more, _)) | (Builder::Cells(dims, _), Builder::Flat(more, _)) => irregular(dims, &more),
        }
    }
    /// The array of all cells, in the order in which they came, with `frame` as its outer shape; `None` when their number is not
    /// that of the frame or nothing was added.
    pub fn finish(self, frame: &[usize]) -> Option<Value> {
        match self {
            Builder::Empty(_) => None,
            Builder::Flat(dims, buffer) => Array::new(&dims.prefixed(frame), buffer).map(Value::Array),
            Builder::Cells(dims, items) => Cells::new(&dims.prefixed(frame), items).map(Value::Cells),
            Builder::Tuple(inner, labels, parts) => {
                let parts = parts.into_iter().map(|part| part.finish(frame)).collect::<Option<_>>()?;
                debug_assert!(count(frame) > 0);
                Some(Value::tuples([frame, &inner].concat(), labels, parts))
            }
        }
    }
}
