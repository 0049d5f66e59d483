//! Values: scalars, flat arrays with views, tuples and records with a common frame, boxes and functions.
//!
//! An array of tuples is a tuple of arrays whose shapes begin with the same frame. Arrays of functions or boxes hold a value
//! per cell. Taking a cell or a slice of the outermost dimension copies nothing. Empty arrays know their full shape and
//! the type of their elements.

use super::buffer::{Buffer, Element, vector};
use super::dims::{Dims, count};
use crate::base::{PrimType, Scalar, Span, Symbol};
use std::any::Any;
use std::fmt;
use std::sync::Arc;

/// Memory could not be had.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shortage {
    /// How much was asked for.
    pub bytes: u128,
}

/// A value.
#[derive(Clone)]
pub enum Value {
    /// A scalar.
    Scalar(Scalar),
    /// An array of scalars, of rank 1 or more.
    Array(Array),
    /// A tuple or record, or an array of them.
    Tuple(Arc<Tuple>),
    /// An array of functions, boxes or sums; of scalars only where others are beside them that an evaluator follows.
    Cells(Cells),
    /// A box.
    Box(Arc<Boxed>),
    /// A value of a sum type.
    Sum(Arc<Sum>),
    /// A function or whatever else the evaluator alone understands.
    Opaque(Arc<dyn Any + Send + Sync>),
}

/// An array of scalars: a view of a buffer in row-major order.
#[derive(Clone, Debug)]
pub struct Array {
    data: Buffer,
    dims: Dims,
    offset: usize,
}

/// Components with a common frame.
#[derive(Clone, Debug)]
pub struct Tuple {
    /// The shape of the array of tuples; empty for a single tuple.
    pub frame: Vec<usize>,
    /// For records: the labels, ascending.
    pub labels: Option<Arc<[Symbol]>>,
    /// The components, each of a shape that begins with the frame.
    pub parts: Vec<Value>,
}

/// An array with a value per cell, of rank 1 or more.
#[derive(Clone, Debug)]
pub struct Cells {
    items: Arc<Vec<Value>>,
    dims: Dims,
    offset: usize,
}

/// A value of a sum type.
#[derive(Clone, Debug, PartialEq)]
pub struct Sum {
    /// The constructor that made it.
    pub label: Symbol,
    /// What it was made of.
    pub payload: Value,
}

/// A box: values of the hidden indices and the content.
#[derive(Clone, Debug)]
pub struct Boxed {
    /// A scalar for each size, a vector for each shape.
    pub indices: Vec<Value>,
    /// The content.
    pub value: Value,
}

impl Array {
    /// An array of this shape; `None` unless the buffer has exactly its number of elements.
    pub fn new(dims: &[usize], data: Buffer) -> Option<Array> {
        (count(dims) == data.len()).then(|| Array { data, dims: Dims::new(dims), offset: 0 })
    }
    /// A vector of these elements.
    pub fn vector<T: Element>(items: Vec<T>) -> Array {
        Array { dims: Dims::new(&[items.len()]), data: Buffer::new(items), offset: 0 }
    }
    /// An array without elements: some size is 0.
    pub fn empty(dims: &[usize], prim: PrimType) -> Option<Array> {
        Array::new(dims, Buffer::with_capacity(prim, 0).ok()?)
    }
    /// The sizes.
    pub fn dims(&self) -> &[usize] {
        &self.dims
    }
    /// The type of the elements.
    pub fn prim(&self) -> PrimType {
        self.data.prim()
    }
    /// Number of elements.
    pub fn count(&self) -> usize {
        self.dims.count()
    }
    /// The elements in row-major order, if they have this type.
    pub fn items<T: Element>(&self) -> Option<&[T]> {
        T::of(&self.data)?.get(self.offset..self.offset + self.count())
    }
    /// The buffer and where in it the array begins.
    pub fn raw(&self) -> (&Buffer, usize) {
        (&self.data, self.offset)
    }
    /// The element at a position in row-major order.
    #[inline]
    pub fn at(&self, i: usize) -> Option<Scalar> {
        self.data.get(self.offset + i)
    }
    /// The elements for writing, copied first if anyone else holds the buffer or it is mostly unused.
    pub fn items_mut<T: Element>(&mut self) -> Result<Option<&mut [T]>, Shortage> {
        self.own()?;
        let (from, to) = (self.offset, self.offset + self.count());
        Ok(T::of_mut(&mut self.data).and_then(|items| Arc::get_mut(items)).and_then(|items| items.get_mut(from..to)))
    }
    /// Makes the buffer the array's own.
    fn own(&mut self) -> Result<(), Shortage> {
        if !self.data.is_unique() {
            let mut data = Buffer::with_capacity(self.prim(), self.count())?;
            data.extend(&self.data, self.offset..self.offset + self.count())?;
            *self = Array { data, dims: self.dims.clone(), offset: 0 };
        }
        Ok(())
    }
    /// The same elements in another shape with as many.
    pub fn reshaped(mut self, dims: &[usize]) -> Option<Array> {
        if count(dims) != self.count() {
            return None;
        }
        self.dims = Dims::new(dims);
        Some(self)
    }
    /// The array with a value for each element: what an evaluator follows is put beside scalars.
    pub fn cells(&self) -> Result<Cells, Shortage> {
        let mut items = vector(self.count())?;
        items.extend((0..self.count()).filter_map(|i| self.at(i)).map(Value::Scalar));
        Ok(Cells { items: Arc::new(items), dims: self.dims.clone(), offset: 0 })
    }
    /// The `i`-th cell of the outermost dimension; the caller has checked `i`.
    #[inline]
    fn cell(&self, i: usize) -> Value {
        match self.dims.as_slice() {
            [_] => match self.data.get(self.offset + i) {
                Some(scalar) => Value::Scalar(scalar),
                None => crate::ice!(Span::default(), "cell {i} of an array without it"),
            },
            [_, inner @ ..] => {
                Value::Array(Array { data: self.data.clone(), dims: Dims::new(inner), offset: self.offset + i * count(inner) })
            }
            [] => crate::ice!(Span::default(), "a cell of a scalar"),
        }
    }
}

impl Cells {
    /// An array of these cells; `None` unless their number fits the shape.
    pub fn new(dims: &[usize], items: Vec<Value>) -> Option<Cells> {
        (count(dims) == items.len()).then(|| Cells { dims: Dims::new(dims), items: Arc::new(items), offset: 0 })
    }
    /// The sizes.
    pub fn dims(&self) -> &[usize] {
        &self.dims
    }
    /// The cells in row-major order.
    pub fn items(&self) -> &[Value] {
        self.items.get(self.offset..self.offset + self.dims.count()).unwrap_or(&[])
    }
}

/// The value of a component under a new frame: `old` sizes are taken away, `new` ones put in front.
fn reframe(value: &Value, old: usize, new: &[usize]) -> Option<Value> {
    let dims = [new, value.dims().get(old..)?].concat();
    Some(match value {
        Value::Array(array) if dims.is_empty() => Value::Scalar(array.at(0)?),
        Value::Array(array) => Value::Array(array.clone().reshaped(&dims)?),
        Value::Cells(cells) if dims.is_empty() => cells.items().first()?.clone(),
        Value::Cells(cells) if count(&dims) == cells.dims.count() => Value::Cells(Cells { dims: Dims::new(&dims), ..cells.clone() }),
        Value::Tuple(tuple) => {
            let parts = tuple.parts.iter().map(|part| reframe(part, old, new)).collect::<Option<_>>()?;
            Value::tuples(dims, tuple.labels.clone(), parts)
        }
        Value::Scalar(scalar) => Value::Array(Array::new(&dims, Buffer::filled(*scalar, 1).ok()?)?),
        Value::Box(_) | Value::Sum(_) | Value::Opaque(_) => Value::Cells(Cells::new(&dims, vec![value.clone()])?),
        Value::Cells(_) => return None,
    })
}

impl Value {
    /// The tuple without components: also what stands in places that hold nothing yet.
    pub fn unit() -> Value {
        Value::tuple(Vec::new())
    }
    /// A tuple.
    pub fn tuple(parts: Vec<Value>) -> Value {
        Value::tuples(Vec::new(), None, parts)
    }
    /// An array of tuples or records.
    pub fn tuples(frame: Vec<usize>, labels: Option<Arc<[Symbol]>>, parts: Vec<Value>) -> Value {
        Value::Tuple(Arc::new(Tuple { frame, labels, parts }))
    }
    /// A vector of these elements.
    pub fn vector<T: Element>(items: Vec<T>) -> Value {
        Value::Array(Array::vector(items))
    }
    /// Its sizes: those of an array, the frame of an array of tuples, none for anything else.
    pub fn dims(&self) -> &[usize] {
        match self {
            Value::Array(array) => &array.dims,
            Value::Cells(cells) => &cells.dims,
            Value::Tuple(tuple) => &tuple.frame,
            Value::Scalar(_) | Value::Box(_) | Value::Sum(_) | Value::Opaque(_) => &[],
        }
    }
    /// The size of the outermost dimension.
    pub fn outer(&self) -> Option<usize> {
        self.dims().first().copied()
    }
    /// As a scalar.
    #[inline]
    pub fn as_scalar(&self) -> Option<Scalar> {
        if let Value::Scalar(scalar) = self { Some(*scalar) } else { None }
    }
    /// As a truth value.
    pub fn as_bool(&self) -> Option<bool> {
        if let Value::Scalar(Scalar::Bool(truth)) = self { Some(*truth) } else { None }
    }
    /// As an `i64`.
    #[inline]
    pub fn as_i64(&self) -> Option<i64> {
        if let Value::Scalar(Scalar::I64(n)) = self { Some(*n) } else { None }
    }
    /// As an array of scalars.
    pub fn as_array(&self) -> Option<&Array> {
        if let Value::Array(array) = self { Some(array) } else { None }
    }
    /// The `i`-th cell of the outermost dimension; `None` when `i` is out of bounds.
    #[inline]
    pub fn cell(&self, i: usize) -> Option<Value> {
        if i >= self.outer()? {
            return None;
        }
        match self {
            Value::Array(array) => Some(array.cell(i)),
            Value::Cells(cells) => match cells.dims.get(1..)? {
                [] => cells.items().get(i).cloned(),
                inner => {
                    let offset = cells.offset + i * count(inner);
                    Some(Value::Cells(Cells { items: cells.items.clone(), dims: Dims::new(inner), offset }))
                }
            },
            Value::Tuple(tuple) => {
                let parts = tuple.parts.iter().map(|part| part.cell(i)).collect::<Option<_>>()?;
                Some(Value::tuples(tuple.frame[1..].to_vec(), tuple.labels.clone(), parts))
            }
            Value::Scalar(_) | Value::Box(_) | Value::Sum(_) | Value::Opaque(_) => None,
        }
    }
    /// The cells `from..to` of the outermost dimension; `None` unless `from <= to <= n`.
    pub fn slice(&self, from: usize, to: usize) -> Option<Value> {
        if from > to || to > self.outer()? {
            return None;
        }
        let cut = |dims: &[usize], offset: usize| {
            let inner = dims.get(1..).unwrap_or(&[]);
            let offset = if from == to { offset } else { offset + from * count(inner) };
            (Dims::new(inner).prefixed(&[to - from]), offset)
        };
        match self {
            Value::Array(array) => {
                let (dims, offset) = cut(&array.dims, array.offset);
                Some(Value::Array(Array { data: array.data.clone(), dims, offset }))
            }
            Value::Cells(cells) => {
                let (dims, offset) = cut(&cells.dims, cells.offset);
                Some(Value::Cells(Cells { items: cells.items.clone(), dims, offset }))
            }
            Value::Tuple(tuple) => {
                let parts = tuple.parts.iter().map(|part| part.slice(from, to)).collect::<Option<_>>()?;
                let mut frame = tuple.frame.clone();
                frame[0] = to - from;
                Some(Value::tuples(frame, tuple.labels.clone(), parts))
            }
            Value::Scalar(_) | Value::Box(_) | Value::Sum(_) | Value::Opaque(_) => None,
        }
    }
    /// The value with the first `old` sizes of its frame replaced by `new`, as many cells as before.
    pub fn reframed(&self, old: usize, new: &[usize]) -> Option<Value> {
        reframe(self, old, new)
    }
    /// An array of `frame` all of whose cells are this value.
    pub fn replicated(&self, frame: &[usize]) -> Result<Value, Shortage> {
        if frame.is_empty() {
            return Ok(self.clone());
        }
        let copies = count(frame);
        Ok(match self {
            Value::Scalar(scalar) => Value::Array(Array { data: Buffer::filled(*scalar, copies)?, dims: Dims::new(frame), offset: 0 }),
            Value::Array(array) => {
                let size = array.count();
                let total = copies.saturating_mul(size);
                let mut data = Buffer::with_capacity(array.prim(), total)?;
                for _ in 0..if size == 0 { 0 } else { copies } {
                    data.extend(&array.data, array.offset..array.offset + size)?;
                }
                Value::Array(Array { data, dims: array.dims.prefixed(frame), offset: 0 })
            }
            Value::Tuple(tuple) => {
                let parts = tuple.parts.iter().map(|part| part.replicated(frame)).collect::<Result<_, _>>()?;
                Value::tuples([frame, &tuple.frame].concat(), tuple.labels.clone(), parts)
            }
            Value::Cells(cells) => {
                let mut items = vector(copies.saturating_mul(cells.items().len()))?;
                for _ in 0..if cells.items().is_empty() { 0 } else { copies } {
                    items.extend_from_slice(cells.items());
                }
                Value::Cells(Cells { items: Arc::new(items), dims: cells.dims.prefixed(frame), offset: 0 })
            }
            Value::Box(_) | Value::Sum(_) | Value::Opaque(_) => {
                let mut items = vector(copies)?;
                items.resize(copies, self.clone());
                Value::Cells(Cells { items: Arc::new(items), dims: Dims::new(frame), offset: 0 })
            }
        })
    }
    /// Writes `cell` over the `i`-th cell of the outermost dimension, in place where nobody else holds the memory. `Ok(false)`
    /// when the index is out of bounds or the cell does not fit.
    pub fn set_cell(&mut self, i: usize, cell: &Value) -> Result<bool, Shortage> {
        match self.outer() {
            Some(n) if i < n => {}
            _ => return Ok(false),
        }
        match (self, cell) {
            (Value::Array(array), Value::Scalar(scalar)) if array.dims.len() == 1 => {
                array.own()?;
                Ok(array.data.set(array.offset + i, *scalar))
            }
            (Value::Array(array), Value::Array(cell)) if array.dims[1..] == *cell.dims => {
                array.own()?;
                let size = cell.count();
                Ok(array.data.write(array.offset + i * size, &cell.data, cell.offset..cell.offset + size))
            }
            (Value::Tuple(tuple), Value::Tuple(cell)) if tuple.parts.len() == cell.parts.len() && tuple.frame[1..] == *cell.frame => {
                let tuple = Arc::make_mut(tuple);
                for (part, cell) in tuple.parts.iter_mut().zip(&cell.parts) {
                    if !part.set_cell(i, cell)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            (array @ Value::Array(_), Value::Cells(_) | Value::Opaque(_)) => {
                if let Value::Array(scalars) = &*array {
                    *array = Value::Cells(scalars.cells()?);
                }
                array.set_cell(i, cell)
            }
            (Value::Cells(cells), cell) => {
                let inner = &cells.dims[1..];
                let size = count(inner);
                let scalars;
                let source = match cell {
                    Value::Cells(other) if other.dims() == inner => other.items(),
                    Value::Array(array) if array.dims() == inner => {
                        scalars = array.cells()?;
                        scalars.items()
                    }
                    Value::Scalar(_) | Value::Box(_) | Value::Sum(_) | Value::Opaque(_) if inner.is_empty() => std::slice::from_ref(cell),
                    _ => return Ok(false),
                };
                let start = cells.offset + i * size;
                match Arc::make_mut(&mut cells.items).get_mut(start..start + size) {
                    Some(target) => target.clone_from_slice(source),
                    None => return Ok(false),
                }
                Ok(true)
            }
            _ => Ok(false),
        }
    }
}

impl From<Scalar> for Value {
    fn from(scalar: Scalar) -> Value {
        Value::Scalar(scalar)
    }
}

impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Scalar(scalar) => write!(f, "{scalar}"),
            Value::Box(boxed) => write!(f, "box({:?}, {:?})", boxed.indices, boxed.value),
            Value::Sum(sum) => write!(f, "#{}({:?})", sum.label, sum.payload),
            Value::Opaque(_) => f.write_str("<function>"),
            Value::Tuple(tuple) if tuple.frame.is_empty() => {
                let mut out = f.debug_tuple("");
                tuple.parts.iter().for_each(|part| {
                    out.field(part);
                });
                out.finish()
            }
            Value::Tuple(tuple) => write!(f, "{:?} of {:?}", tuple.frame, tuple.parts),
            Value::Array(array) if array.count() == 0 => write!(f, "empty({}{})", array.dims, array.prim()),
            Value::Cells(cells) if cells.items().is_empty() => write!(f, "empty({})", cells.dims),
            Value::Array(_) | Value::Cells(_) => {
                f.debug_list().entries((0..self.outer().unwrap_or(0)).filter_map(|i| self.cell(i))).finish()
            }
        }
    }
}

impl PartialEq for Value {
    /// Same shapes and same elements, floats compared by bits so that NaN equals itself. Functions are never equal.
    fn eq(&self, other: &Value) -> bool {
        match (self, other) {
            (Value::Scalar(a), Value::Scalar(b)) => a.same_bits(*b),
            (Value::Array(a), Value::Array(b)) => {
                a.prim() == b.prim()
                    && a.dims == b.dims
                    && (0..a.count()).all(|i| matches!((a.at(i), b.at(i)), (Some(x), Some(y)) if x.same_bits(y)))
            }
            (Value::Tuple(a), Value::Tuple(b)) => a.frame == b.frame && a.labels == b.labels && a.parts == b.parts,
            (Value::Cells(a), Value::Cells(b)) => a.dims == b.dims && a.items() == b.items(),
            (Value::Box(a), Value::Box(b)) => a.indices == b.indices && a.value == b.value,
            (Value::Sum(a), Value::Sum(b)) => a == b,
            _ => false,
        }
    }
}
