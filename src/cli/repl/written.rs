//! Values that were kept, as source text: definitions, which have no parameters for them, know them so.

use crate::runtime::Value;

/// Values of more scalars than this are not written into programs, which would be checked slowly.
pub const MOST: usize = 4096;

/// A value as an expression, where its type is annotated; `None` for what is too large or cannot be written.
pub fn source(value: &Value) -> Option<String> {
    if scalars(value)? > MOST {
        return None;
    }
    let mut out = String::new();
    write(value, &mut out)?;
    Some(out)
}

/// How many scalars a value consists of.
fn scalars(value: &Value) -> Option<usize> {
    match value {
        Value::Scalar(_) => Some(1),
        Value::Array(array) => Some(array.count()),
        Value::Tuple(tuple) => {
            let parts = tuple.parts.iter().map(scalars).sum::<Option<usize>>()?;
            // Arrays of `()` have places too.
            Some(parts.max(tuple.frame.iter().product()))
        }
        Value::Cells(_) | Value::Box(_) | Value::Sum(_) | Value::Opaque(_) => None,
    }
}

fn write(value: &Value, out: &mut String) -> Option<()> {
    if let Some(count) = value.outer() {
        out.push('[');
        for at in 0..count {
            out.push_str(if at > 0 { ", " } else { "" });
            write(&value.cell(at)?, out)?;
        }
        out.push(']');
        return Some(());
    }
    match value {
        Value::Scalar(scalar) if scalar.prim().part().is_none() => out.push_str(&scalar.to_string()),
        Value::Tuple(tuple) => {
            let (open, close) = if tuple.labels.is_some() { ('{', '}') } else { ('(', ')') };
            out.push(open);
            for (at, part) in tuple.parts.iter().enumerate() {
                out.push_str(if at > 0 { ", " } else { "" });
                if let Some(label) = tuple.labels.as_ref().and_then(|labels| labels.get(at)) {
                    out.push_str(&format!("{label} = "));
                }
                write(part, out)?;
            }
            out.push(close);
        }
        // Complex numbers have no literals for infinite parts and signs of zeros.
        Value::Scalar(_) | Value::Array(_) | Value::Cells(_) | Value::Box(_) | Value::Sum(_) | Value::Opaque(_) => return None,
    }
    Some(())
}
