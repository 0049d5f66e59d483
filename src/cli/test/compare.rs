//! How a result differs from what was expected.

use crate::base::{PrimType, Scalar};
use crate::runtime::{Array, Value, data};
use std::fmt::Write;

/// The error of floats that is allowed, relative to the largest finite magnitude in the expected array.
#[derive(Debug, Clone, Copy)]
pub enum Tolerance {
    /// What rounding explains.
    Exact,
    /// As in `futhark test`, but relative to the numbers, however small they are.
    Usual,
    /// As in `futhark test`: of numbers below 1 by as much as of 1.
    Futhark,
    /// This.
    Given(f64),
}

impl Tolerance {
    fn of(self, prim: PrimType) -> f64 {
        let exact = match prim {
            PrimType::F16 => 1e-2,
            PrimType::F32 | PrimType::C64 => 1e-4,
            _ => 1e-9,
        };
        match self {
            Tolerance::Exact => exact,
            Tolerance::Usual | Tolerance::Futhark => f64::max(exact, 0.002),
            Tolerance::Given(error) => error,
        }
    }
}

/// What is wrong with `got`, in words; `None` when it is as expected.
pub fn difference(want: &Value, got: &Value, tolerance: Tolerance) -> Option<String> {
    match (want, got) {
        (Value::Scalar(a), Value::Scalar(b)) if a.prim() != b.prim() => Some(format!("type {}, expected {}", b.prim(), a.prim())),
        (Value::Scalar(a), Value::Scalar(b)) => {
            if close(*a, *b, magnitude(*a), tolerance) {
                return None;
            }
            let worst = error(*a, *b);
            let words = if worst > 0.0 { format!(" (difference {worst:.3e}{})", share(worst, magnitude(*a))) } else { String::new() };
            Some(format!("{b}, expected {a}{words}"))
        }
        (Value::Array(a), Value::Array(b)) => array_difference(a, b, tolerance),
        (Value::Tuple(a), Value::Tuple(b)) if a.frame == b.frame && a.labels == b.labels && a.parts.len() == b.parts.len() => {
            let parts = a.parts.iter().zip(&b.parts).enumerate();
            parts.filter_map(|(i, (a, b))| difference(a, b, tolerance).map(|text| format!("component {i}: {text}"))).next()
        }
        // The sizes that rows hide are those of their arrays.
        (Value::Box(a), Value::Box(b)) => difference(&a.value, &b.value, tolerance),
        // Where there are no rows nothing says how many there would be in each.
        (Value::Cells(a), Value::Cells(b)) if a.items().is_empty() && b.items().is_empty() && a.dims().first() == b.dims().first() => None,
        (Value::Cells(a), Value::Cells(b)) if a.dims() != b.dims() => {
            Some(format!("{} cells, expected {}", brackets(b.dims()), brackets(a.dims())))
        }
        (Value::Sum(a), Value::Sum(b)) if a.label == b.label => {
            difference(&a.payload, &b.payload, tolerance).map(|text| format!("`#{}` of {text}", a.label))
        }
        (Value::Cells(a), Value::Cells(b)) if a.dims() == b.dims() => {
            let cells = a.items().iter().zip(b.items()).enumerate();
            cells.filter_map(|(i, (a, b))| difference(a, b, tolerance).map(|text| format!("element {i}: {text}"))).next()
        }
        _ if want == got => None,
        (Value::Sum(_), Value::Sum(_)) => Some(format!("{}, expected {}", written(got), written(want))),
        _ => Some(format!("{}, expected {}", kind(got), kind(want))),
    }
}

fn written(value: &Value) -> String {
    data::text::write(value)
}

/// Type and shape of a value.
fn kind(value: &Value) -> String {
    match value {
        Value::Scalar(scalar) => scalar.prim().to_string(),
        Value::Array(array) => format!("{}{}", brackets(array.dims()), array.prim()),
        Value::Tuple(tuple) if tuple.frame.is_empty() => {
            format!("({})", tuple.parts.iter().map(kind).collect::<Vec<_>>().join(", "))
        }
        Value::Tuple(tuple) => format!("an array of shape {} of tuples of {}", brackets(&tuple.frame), tuple.parts.len()),
        Value::Cells(_) | Value::Box(_) | Value::Sum(_) | Value::Opaque(_) => "a value that cannot be compared".into(),
    }
}

/// `[2][3]`.
fn brackets(dims: &[usize]) -> String {
    dims.iter().map(|d| format!("[{d}]")).collect()
}

fn array_difference(want: &Array, got: &Array, tolerance: Tolerance) -> Option<String> {
    if want.prim() != got.prim() || want.dims() != got.dims() {
        return Some(format!("{}{}, expected {}{}", brackets(got.dims()), got.prim(), brackets(want.dims()), want.prim()));
    }
    let pairs = || (0..want.count()).filter_map(|i| Some((i, want.at(i)?, got.at(i)?)));
    let largest = pairs().map(|(_, a, _)| magnitude(a)).fold(0.0, f64::max);
    let mut wrong = pairs().filter(|(_, a, b)| !close(*a, *b, largest, tolerance));
    let (first, a, b) = wrong.next()?;
    let (mut worst, mut at) = (error(a, b), (first, a, b));
    let mut count = 1usize;
    for (i, a, b) in wrong {
        count += 1;
        if error(a, b) > worst {
            (worst, at) = (error(a, b), (i, a, b));
        }
    }
    let place = |i: usize| position(want.dims(), i);
    let total = want.count();
    let mut text = format!("different in {count} of {total} elements, the first at {}: {b}, expected {a}", place(first));
    if worst > 0.0 {
        let _ = write!(text, "; the largest difference is {worst:.3e}{}", share(worst, magnitude(at.1)));
        if at.0 != first {
            let _ = write!(text, ", at {}: {}, expected {}", place(at.0), at.2, at.1);
        }
    }
    Some(text)
}

/// A difference as a part of what was expected.
fn share(worst: f64, of: f64) -> String {
    if of > 0.0 { format!(", {:.2e} of the value", worst / of) } else { String::new() }
}

/// The index `[i, j]` of a position in row-major order.
fn position(dims: &[usize], mut at: usize) -> String {
    let mut index = Vec::new();
    for size in dims.iter().rev() {
        index.push((at % (*size).max(1)).to_string());
        at /= (*size).max(1);
    }
    index.reverse();
    format!("[{}]", index.join(", "))
}

/// The magnitude of a finite number, 0 for everything else; of a complex number that of its larger part.
fn magnitude(scalar: Scalar) -> f64 {
    if let Some((re, im)) = scalar.parts() {
        return magnitude(re).max(magnitude(im));
    }
    scalar.as_f64().filter(|v| v.is_finite()).or(scalar.as_i128().map(|v| v as f64)).map_or(0.0, f64::abs)
}

/// The distance of two finite numbers, 0 for everything else.
fn error(want: Scalar, got: Scalar) -> f64 {
    if let (Some((a, b)), Some((c, d))) = (want.parts(), got.parts()) {
        return error(a, c).max(error(b, d));
    }
    match (want.as_f64(), got.as_f64()) {
        (Some(a), Some(b)) if a.is_finite() && b.is_finite() => (a - b).abs(),
        _ => match (want.as_i128(), got.as_i128()) {
            (Some(a), Some(b)) if want.prim() != PrimType::Bool => (a - b).unsigned_abs() as f64,
            _ => 0.0,
        },
    }
}

fn close(want: Scalar, got: Scalar, largest: f64, tolerance: Tolerance) -> bool {
    if let (Some((a, b)), Some((c, d))) = (want.parts(), got.parts()) {
        return close(a, c, largest, tolerance) && close(b, d, largest, tolerance);
    }
    match (want.as_f64(), got.as_f64()) {
        (Some(a), Some(b)) => {
            let allowed = tolerance.of(want.prim());
            let largest = if matches!(tolerance, Tolerance::Futhark) { largest.max(1.0) } else { largest };
            a == b || (a.is_nan() && b.is_nan()) || (a - b).abs() <= allowed * largest
        }
        _ => want == got,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_say_what_where_and_how_much() {
        let difference = |want: &Value, got: &Value| difference(want, got, Tolerance::Exact);
        let floats = |items: Vec<f64>| Value::vector(items);
        let want = floats(vec![1.0, f64::NAN, f64::INFINITY, 4.0]);
        assert_eq!(difference(&want, &floats(vec![1.0 + 1e-10, f64::NAN, f64::INFINITY, 4.0])), None);
        assert_eq!(
            difference(&want, &floats(vec![1.0, f64::NAN, f64::NEG_INFINITY, 4.5])).as_deref(),
            Some(
                "different in 2 of 4 elements, the first at [2]: -f64.inf, expected f64.inf; the largest difference is 5.000e-1, 1.25e-1 of the \
                 value, at [3]: 4.5f64, expected 4.0f64"
            )
        );
        assert_eq!(difference(&want, &floats(vec![1.0])).as_deref(), Some("[1]f64, expected [4]f64"));
        assert_eq!(
            difference(&Scalar::I32(3).into(), &Scalar::I32(4).into()).as_deref(),
            Some("4i32, expected 3i32 (difference 1.000e0, 3.33e-1 of the value)")
        );
        assert_eq!(difference(&Scalar::I32(3).into(), &Scalar::I64(3).into()).as_deref(), Some("type i64, expected i32"));
        assert_eq!(super::difference(&floats(vec![1.0]), &floats(vec![1.01]), Tolerance::Given(0.1)), None);
        assert_eq!(super::difference(&floats(vec![1.0]), &floats(vec![1.001]), Tolerance::Usual), None);
        assert!(difference(&floats(vec![1.0]), &floats(vec![1.001])).is_some());
        let small = |tolerance| super::difference(&floats(vec![1e-5]), &floats(vec![1.1e-5]), tolerance);
        assert_eq!(small(Tolerance::Futhark), None);
        assert!(small(Tolerance::Usual).is_some());
        assert!(super::difference(&floats(vec![10.0]), &floats(vec![10.1]), Tolerance::Futhark).is_some());
        assert_eq!(position(&[2, 3], 5), "[1, 2]");
    }
}
