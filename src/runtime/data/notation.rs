//! Values in the notation of core: `[[1 2] [3 4]]`, `(box 3 [0 1 2])`, `"text"`.
//!
//! * Numbers of type `i64` and `f64` have no suffix, all others have the name of their type.
//! * A row of printable characters (`u8`) is a string.
//! * An array without elements is `(array [0 3] i64)`; one of boxes or functions, whose type the value does not know, shows its dimensions
//!   only, `[]`.
//! * A box shows its hidden sizes and shapes and then its content: `(box [2 2] [[1 2] [3 4]])`.
//! * A value of a sum type shows its constructor and its payload: `(inject a (tuple 1))`.
//! * Tuples are `(tuple a b)`, records `(rec (x a) (y b))`, arrays of them show the arrays that they consist of. A function is `<function>`.

use crate::base::{PrimType, Scalar};
use crate::ir::core::sexp::{quoted_text, scalar_text};
use crate::runtime::{Array, Value};
use std::fmt::Write;

/// The value as text on one line.
pub fn write(value: &Value) -> String {
    let mut out = String::new();
    any(value, &mut out);
    out
}

fn any(value: &Value, out: &mut String) {
    match value {
        Value::Scalar(scalar) => out.push_str(&number(*scalar)),
        Value::Array(array) => whole(array, out),
        Value::Box(boxed) => {
            out.push_str("(box ");
            for index in &boxed.indices {
                match index.as_array() {
                    // A shape of no dimensions.
                    Some(shape) if shape.count() == 0 => out.push_str("[]"),
                    _ => any(index, out),
                }
                out.push(' ');
            }
            any(&boxed.value, out);
            out.push(')');
        }
        Value::Sum(sum) => {
            let _ = write!(out, "(inject {} ", sum.label);
            any(&sum.payload, out);
            out.push(')');
        }
        Value::Cells(cells) => {
            let mut items = cells.items().iter();
            nested(cells.dims(), out, &mut |out| {
                if let Some(item) = items.next() {
                    any(item, out);
                }
            });
        }
        Value::Tuple(tuple) => {
            out.push_str(if tuple.labels.is_some() { "(rec" } else { "(tuple" });
            for (i, part) in tuple.parts.iter().enumerate() {
                match tuple.labels.as_ref().and_then(|labels| labels.get(i)) {
                    None => {
                        out.push(' ');
                        any(part, out);
                    }
                    Some(label) => {
                        // Writing to a string does not fail.
                        let _ = write!(out, " ({label} ");
                        any(part, out);
                        out.push(')');
                    }
                }
            }
            out.push(')');
        }
        Value::Opaque(_) => out.push_str("<function>"),
    }
}

/// A scalar as a literal of core.
fn number(scalar: Scalar) -> String {
    let text = scalar_text(scalar);
    let plain = match scalar.prim() {
        PrimType::I64 => text.strip_suffix("i64"),
        PrimType::F64 => text.strip_suffix("f64").filter(|_| scalar.as_f64().is_some_and(f64::is_finite)),
        _ => None,
    };
    match plain {
        // `1` would be an integer.
        Some(plain) if scalar.prim() == PrimType::F64 && !plain.contains(['.', 'e', 'E']) => format!("{plain}.0"),
        Some(plain) => plain.to_string(),
        None => text,
    }
}

fn whole(array: &Array, out: &mut String) {
    let dims = array.dims();
    if array.count() == 0 {
        let sizes: Vec<String> = dims.iter().map(usize::to_string).collect();
        let _ = write!(out, "(array [{}] {})", sizes.join(" "), array.prim());
        return;
    }
    let mut next = 0;
    if let (Some(bytes), Some((length, frame))) = (array.items::<u8>(), dims.split_last()) {
        let is_text = |row: &[u8]| std::str::from_utf8(row).is_ok_and(|text| text.chars().all(|c| !c.is_control() || "\n\t\r".contains(c)));
        if bytes.chunks(*length).all(is_text) {
            let mut rows = bytes.chunks(*length);
            return nested(frame, out, &mut |out| {
                let row = rows.next().unwrap_or_default();
                out.push_str(&quoted_text(&String::from_utf8_lossy(row)));
            });
        }
    }
    nested(dims, out, &mut |out| {
        if let Some(scalar) = array.at(next) {
            out.push_str(&number(scalar));
        }
        next += 1;
    });
}

fn nested(dims: &[usize], out: &mut String, item: &mut dyn FnMut(&mut String)) {
    let Some((size, inner)) = dims.split_first() else { return item(out) };
    out.push('[');
    for i in 0..*size {
        if i > 0 {
            out.push(' ');
        }
        nested(inner, out, item);
    }
    out.push(']');
}
