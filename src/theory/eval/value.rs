//! Values of erased core.

use super::run::Env;
use crate::base::scalar::{FoldOp, ScalarOp};
use crate::base::{Scalar, Symbol};
use crate::ir::core::Prim;
use crate::runtime::block::{Atomic, Block, Index};
use crate::runtime::{self};
use crate::theory::erased::Expr;
use std::sync::Arc;

/// A value: an atom, or an array of atoms of rank 1 or more.
#[derive(Debug, Clone)]
pub enum Value {
    /// A scalar, which brings its own type.
    Scalar(Scalar),
    /// An array.
    Array(Arc<Block<Value>>),
    /// A tuple.
    Tuple(Arc<[Value]>),
    /// A record.
    Record(Arc<[(Symbol, Value)]>),
    /// A value of a sum type: the constructor and its payload.
    Sum(Symbol, Arc<Value>),
    /// A box.
    Box(Arc<Boxed>),
    /// A function.
    Function(Arc<Closure>),
}

/// A box: its indices and its content.
#[derive(Debug, Clone)]
pub struct Boxed {
    /// The hidden indices.
    pub indices: Vec<Index>,
    /// The content.
    pub value: Value,
}

/// A function and the arguments it already has.
#[derive(Debug, Clone)]
pub struct Closure {
    pub(super) callee: Callee,
    pub(super) args: Vec<Value>,
}

/// Something to call.
#[derive(Debug, Clone)]
pub(super) enum Callee {
    /// An abstraction, a `Fn` or an `IFn`, with the variables of its scope.
    Code(Expr, Arc<Env>),
    /// A scalar operation.
    Op(ScalarOp),
    /// A fold.
    Fold(FoldOp),
    /// A primitive with the indices it was given.
    Prim(Prim, Vec<Index>),
}

impl From<Callee> for Value {
    fn from(callee: Callee) -> Value {
        Value::Function(Arc::new(Closure { callee, args: Vec::new() }))
    }
}

impl Atomic for Value {
    fn scalar(&self) -> Option<Scalar> {
        if let Value::Scalar(scalar) = self { Some(*scalar) } else { None }
    }
    fn unit() -> Value {
        Value::Tuple(Arc::new([]))
    }
    fn from_scalar(scalar: Scalar) -> Value {
        Value::Scalar(scalar)
    }
    fn same(&self, other: &Value) -> bool {
        match (self, other) {
            (Value::Scalar(a), Value::Scalar(b)) => a == b,
            (Value::Array(a), Value::Array(b)) => a.same(b),
            (Value::Tuple(a), Value::Tuple(b)) => a.iter().zip(b.iter()).all(|(a, b)| a.same(b)),
            (Value::Record(a), Value::Record(b)) => a.iter().zip(b.iter()).all(|((_, a), (_, b))| a.same(b)),
            (Value::Sum(k, a), Value::Sum(l, b)) => k == l && a.same(b),
            (Value::Box(a), Value::Box(b)) => a.value.same(&b.value),
            _ => false,
        }
    }
}

impl Value {
    /// The value that an array of atoms is.
    pub fn from_block(mut block: Block<Value>) -> Value {
        match (block.dims.is_empty(), block.atoms.len()) {
            (true, 1) => block.atoms.swap_remove(0),
            _ => Value::Array(Arc::new(block)),
        }
    }

    /// A value of the evaluator of core without the types of its empty arrays. An array of tuples becomes an array whose atoms are tuples.
    /// `None` for types passed as values and for values that are no well-formed arrays.
    pub fn from_runtime(value: &runtime::Value) -> Option<Value> {
        let dims = value.dims();
        Some(match value {
            runtime::Value::Scalar(scalar) => Value::Scalar(*scalar),
            runtime::Value::Array(array) => {
                let atoms = (0..array.count()).map(|i| array.at(i).map(Value::Scalar)).collect::<Option<_>>()?;
                Value::Array(Arc::new(Block { dims: dims.to_vec(), atoms }))
            }
            runtime::Value::Cells(cells) => {
                let atoms = cells.items().iter().map(Value::from_runtime).collect::<Option<_>>()?;
                Value::Array(Arc::new(Block { dims: dims.to_vec(), atoms }))
            }
            runtime::Value::Tuple(tuple) if dims.is_empty() => {
                let parts = tuple.parts.iter().map(Value::from_runtime).collect::<Option<Vec<_>>>()?;
                match &tuple.labels {
                    None => Value::Tuple(parts.into()),
                    Some(labels) => Value::Record(labels.iter().copied().zip(parts).collect()),
                }
            }
            runtime::Value::Tuple(_) => {
                let total = runtime::dims::count(dims);
                let flat = value.reframed(dims.len(), &[total])?;
                let atoms = (0..total).map(|i| Value::from_runtime(&flat.cell(i)?)).collect::<Option<_>>()?;
                Value::Array(Arc::new(Block { dims: dims.to_vec(), atoms }))
            }
            runtime::Value::Box(boxed) => {
                let indices = boxed.indices.iter().map(index).collect::<Option<_>>()?;
                Value::Box(Arc::new(Boxed { indices, value: Value::from_runtime(&boxed.value)? }))
            }
            runtime::Value::Sum(sum) => Value::Sum(sum.label, Arc::new(Value::from_runtime(&sum.payload)?)),
            // What it computes cannot be seen; any function stands for it.
            runtime::Value::Opaque(_) => Callee::Prim(Prim::Iota, Vec::new()).into(),
        })
    }

    /// The value with boxes opened, but for arrays of boxes: what an entry point returns.
    pub fn opened(&self) -> Value {
        match self {
            Value::Box(boxed) => boxed.value.opened(),
            Value::Tuple(parts) => Value::Tuple(parts.iter().map(Value::opened).collect()),
            Value::Record(fields) => Value::Record(fields.iter().map(|(label, field)| (*label, field.opened())).collect()),
            other => other.clone(),
        }
    }

    /// Whether two values are the same as far as can be seen: scalars by their bits, any two functions alike.
    pub fn agrees(&self, other: &Value) -> bool {
        match (self, other) {
            (Value::Scalar(a), Value::Scalar(b)) => a.same_bits(*b),
            (Value::Array(a), Value::Array(b)) => {
                a.dims == b.dims && a.atoms.len() == b.atoms.len() && a.atoms.iter().zip(&b.atoms).all(|(a, b)| a.agrees(b))
            }
            (Value::Tuple(a), Value::Tuple(b)) => a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| a.agrees(b)),
            (Value::Record(a), Value::Record(b)) => {
                a.len() == b.len() && a.iter().zip(b.iter()).all(|((k, a), (l, b))| k == l && a.agrees(b))
            }
            (Value::Sum(k, a), Value::Sum(l, b)) => k == l && a.agrees(b),
            (Value::Box(a), Value::Box(b)) => a.indices == b.indices && a.value.agrees(&b.value),
            (Value::Function(_), Value::Function(_)) => true,
            _ => false,
        }
    }
}

fn index(value: &runtime::Value) -> Option<Index> {
    match value {
        runtime::Value::Scalar(Scalar::I64(n)) => Some(Index::Dim(*n)),
        runtime::Value::Array(array) => array.items::<i64>().map(|items| Index::Shape(items.to_vec())),
        _ => None,
    }
}
