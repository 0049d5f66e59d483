//! How a result differs from what was expected.

use crate::base::{PrimType, Scalar};
use crate::runtime::{Array, Value};

/// Error allowed for a float type, relative to the largest finite magnitude in the expected array.
fn tolerance(prim: PrimType) -> f64 {
    match prim {
        PrimType::F16 => 1e-2,
        PrimType::F32 => 1e-4,
        _ => 1e-9,
    }
}

/// What is wrong with `got`, in words; `None` when it is as expected.
pub fn difference(want: &Value, got: &Value) -> Option<String> {
    match (want, got) {
        (Value::Scalar(a), Value::Scalar(b)) if a.prim() != b.prim() => Some(format!("type {}, expected {}", b.prim(), a.prim())),
        (Value::Scalar(a), Value::Scalar(b)) => {
            if close(*a, *b, magnitude(*a)) {
                return None;
            }
            Some(format!("{b}, expected {a}{}", error_words(error(*a, *b))))
        }
        (Value::Array(a), Value::Array(b)) => array_difference(a, b),
        (Value::Tuple(a), Value::Tuple(b)) if a.frame == b.frame && a.labels == b.labels && a.parts.len() == b.parts.len() => {
            let parts = a.parts.iter().zip(&b.parts).enumerate();
            parts.filter_map(|(i, (a, b))| difference(a, b).map(|text| format!("component {i}: {text}"))).next()
        }
        _ if want == got => None,
        _ => Some(format!("{}, expected {}", kind(got), kind(want))),
    }
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

fn array_difference(want: &Array, got: &Array) -> Option<String> {
    if want.prim() != got.prim() || want.dims() != got.dims() {
        return Some(format!("{}{}, expected {}{}", brackets(got.dims()), got.prim(), brackets(want.dims()), want.prim()));
    }
    let pairs = || (0..want.count()).filter_map(|i| Some((i, want.at(i)?, got.at(i)?)));
    let largest = pairs().map(|(_, a, _)| magnitude(a)).fold(0.0, f64::max);
    let mut wrong = pairs().filter(|(_, a, b)| !close(*a, *b, largest));
    let (first, a, b) = wrong.next()?;
    let mut worst = error(a, b);
    let mut count = 1usize;
    for (_, a, b) in wrong {
        count += 1;
        worst = worst.max(error(a, b));
    }
    let place = position(want.dims(), first);
    let total = want.count();
    Some(format!("{count} of {total} elements differ, the first at {place}: {b}, expected {a}{}", error_words(worst)))
}

fn error_words(worst: f64) -> String {
    if worst > 0.0 { format!(" (largest error {worst:.3e})") } else { String::new() }
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

/// The magnitude of a finite float, 0 for everything else.
fn magnitude(scalar: Scalar) -> f64 {
    scalar.as_f64().filter(|v| v.is_finite()).map_or(0.0, f64::abs)
}

/// The error of a finite float, 0 for everything else.
fn error(want: Scalar, got: Scalar) -> f64 {
    match (want.as_f64(), got.as_f64()) {
        (Some(a), Some(b)) if a.is_finite() && b.is_finite() => (a - b).abs(),
        _ => 0.0,
    }
}

fn close(want: Scalar, got: Scalar, largest: f64) -> bool {
    match (want.as_f64(), got.as_f64()) {
        (Some(a), Some(b)) => a == b || (a.is_nan() && b.is_nan()) || (a - b).abs() <= tolerance(want.prim()) * largest,
        _ => want == got,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_say_what_where_and_how_much() {
        let floats = |items: Vec<f64>| Value::vector(items);
        let want = floats(vec![1.0, f64::NAN, f64::INFINITY, 4.0]);
        assert_eq!(difference(&want, &floats(vec![1.0 + 1e-10, f64::NAN, f64::INFINITY, 4.0])), None);
        assert_eq!(
            difference(&want, &floats(vec![1.0, f64::NAN, f64::NEG_INFINITY, 4.5])).as_deref(),
            Some("2 of 4 elements differ, the first at [2]: -f64.inf, expected f64.inf (largest error 5.000e-1)")
        );
        assert_eq!(difference(&want, &floats(vec![1.0])).as_deref(), Some("[1]f64, expected [4]f64"));
        assert_eq!(difference(&Scalar::I32(3).into(), &Scalar::I32(4).into()).as_deref(), Some("4i32, expected 3i32"));
        assert_eq!(difference(&Scalar::I32(3).into(), &Scalar::I64(3).into()).as_deref(), Some("type i64, expected i32"));
        assert_eq!(position(&[2, 3], 5), "[1, 2]");
    }
}
