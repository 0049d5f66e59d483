//! Values that are copied on their way in and out: those of sum types, and everything where the evaluator runs a program.

use crate::arrays::{self, Borrowed};
use crate::dtypes;
use crate::failures;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyList, PyTuple};
use remora::embed::{self, Cells, Shape, Sum, Value};
use std::sync::Arc;

static SUPPORT: PyOnceLock<Py<PyModule>> = PyOnceLock::new();

/// A function of `remora/_support.py`.
pub fn support<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    SUPPORT.get_or_try_init(py, || Ok::<_, PyErr>(py.import("remora._support")?.unbind()))?.bind(py).getattr(name)
}

/// An array of the caller's as a value: a copy.
pub fn array(borrowed: &Borrowed) -> Option<Value> {
    // SAFETY: that is what a borrowed array is.
    unsafe { embed::copied(borrowed.prim, borrowed.dims(), borrowed.data()) }
}

/// A value of a sum type, or an array of them, from a variant or from nested lists of variants.
pub fn sum(value: &Bound<'_, PyAny>, shape: &Shape, what: &str) -> PyResult<Value> {
    let py = value.py();
    let refuse = |found: &str| failures::argument(py, &format!("{what}: expected {}, found {found}", shape.shown()));
    let Shape::Sum(rank, constructors) = shape else { return Err(refuse("something else")) };
    if *rank > 0 {
        // Lists of lists as far as the rank goes, arrays of objects among them.
        let (dims, items): (Vec<usize>, Vec<Bound<'_, PyAny>>) = support(py, "cells")?.call1((value, *rank, what))?.extract()?;
        let element = Shape::Sum(0, constructors.clone());
        let items = items.iter().map(|item| sum(item, &element, what)).collect::<PyResult<Vec<_>>>()?;
        return Cells::new(&dims, items).map(Value::Cells).ok_or_else(|| refuse("rows of different sizes"));
    }
    let (Ok(label), Ok(payload)) = (value.getattr("label"), value.getattr("payload")) else {
        return Err(refuse(&format!("{}", value.get_type().name()?)));
    };
    let (label, payload): (String, Bound<'_, PyTuple>) = (label.extract()?, payload.extract()?);
    let found = constructors.iter().find(|(name, _)| name.as_str() == label);
    let Some((label, shape)) = found else { return Err(refuse(&format!("#{label}"))) };
    let what = format!("{what}.{label}");
    let parts = match shape {
        Shape::Tuple(None, parts) => {
            if parts.len() != payload.len() {
                return Err(failures::argument(py, &format!("{what} takes {} values, {} were given", parts.len(), payload.len())));
            }
            let parts = parts.iter().zip(payload.iter()).map(|(part, value)| data(&value, part, &what)).collect::<PyResult<_>>()?;
            Value::tuple(parts)
        }
        shape => data(&payload.get_item(0)?, shape, &what)?,
    };
    Ok(Value::Sum(Arc::new(Sum { label: *label, payload: parts })))
}

/// Any value from outside: what is in a sum.
fn data(value: &Bound<'_, PyAny>, shape: &Shape, what: &str) -> PyResult<Value> {
    let py = value.py();
    match shape {
        Shape::Array(prim, rank) => {
            let found = support(py, "leaf")?.call1((value, what, dtypes::name(*prim), py.None()))?;
            let found = found.get_item(0)?;
            let borrowed = Borrowed::new(&found)?.ok_or_else(|| failures::argument(py, &format!("{what}: no array")))?;
            if borrowed.dims().len() != *rank {
                let found = borrowed.dims().len();
                return Err(failures::argument(py, &format!("{what}: expected {}, found an array of rank {found}", shape.shown())));
            }
            if *rank == 0 {
                let scalar = borrowed.scalar().ok_or_else(|| failures::argument(py, &format!("{what}: no number")))?;
                return Ok(Value::Scalar(scalar));
            }
            array(&borrowed).ok_or_else(|| failures::argument(py, &format!("{what}: no array")))
        }
        Shape::Tuple(labels, parts) => {
            let labels: Option<Vec<&str>> = labels.as_ref().map(|labels| labels.iter().map(|label| label.as_str()).collect());
            let found: Vec<Bound<'_, PyAny>> = support(py, "parts")?.call1((value, what, labels.clone(), parts.len()))?.extract()?;
            let parts = parts.iter().zip(&found).map(|(part, value)| data(value, part, what)).collect::<PyResult<_>>()?;
            let labels = labels.map(|labels| labels.into_iter().map(embed::Symbol::new).collect());
            Ok(Value::tuples(Vec::new(), labels, parts))
        }
        Shape::Sum(..) => sum(value, shape, what),
        Shape::Rows(..) => {
            Err(failures::argument(py, &format!("{what}: arrays whose rows have different lengths are not taken from Python yet")))
        }
        Shape::Other => Err(failures::argument(py, &format!("{what}: no data can stand for this"))),
    }
}

/// A value for Python: arrays of NumPy's, tuples, named tuples, variants.
pub fn python<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    match value {
        Value::Scalar(scalar) => arrays::scalar(py, *scalar),
        Value::Array(array) => arrays::copied(py, array.prim(), array.dims(), embed::bytes(array)),
        Value::Tuple(tuple) => {
            let parts = tuple.parts.iter().map(|part| python(py, part)).collect::<PyResult<Vec<_>>>()?;
            let labels = tuple.labels.as_ref().map(|labels| labels.iter().map(|label| label.as_str()).collect());
            tupled(py, labels, parts)
        }
        Value::Sum(sum) => {
            let payload = match &sum.payload {
                Value::Tuple(tuple) if tuple.labels.is_none() && tuple.frame.is_empty() => {
                    tuple.parts.iter().map(|part| python(py, part)).collect::<PyResult<Vec<_>>>()?
                }
                payload => vec![python(py, payload)?],
            };
            support(py, "variant")?.call1((sum.label.as_str(), PyTuple::new(py, payload)?))
        }
        Value::Cells(cells) => {
            let items = cells.items().iter().map(|item| python(py, item)).collect::<PyResult<Vec<_>>>()?;
            support(py, "objects")?.call1((PyTuple::new(py, cells.dims())?, PyList::new(py, items)?))
        }
        Value::Box(boxed) => python(py, &boxed.value),
        Value::Opaque(_) => Err(failures::argument(py, "the result is a function")),
    }
}

/// A tuple, or a named one.
pub fn tupled<'py>(py: Python<'py>, labels: Option<Vec<&str>>, parts: Vec<Bound<'py, PyAny>>) -> PyResult<Bound<'py, PyAny>> {
    let parts = PyTuple::new(py, parts)?;
    match labels {
        None => Ok(parts.into_any()),
        Some(labels) => support(py, "record")?.call1((PyTuple::new(py, labels)?, parts)),
    }
}
