//! Values as APL prints them: columns aligned, planes apart, nested arrays in boxes.

use crate::base::{PrimType, Scalar};
use crate::runtime::Value;

/// How a value is nested.
#[derive(Debug, Clone)]
pub enum Nesting {
    /// An array whose axes belong to these levels, the outermost first.
    Array(Vec<usize>),
    /// A vector of arrays that differ.
    Tuple(Vec<Nesting>),
    /// A vector of vectors: their lengths, and all elements.
    Rows,
}

/// A value as text, with a newline at the end of each line. `None` if the value is not of this form.
pub fn write(value: &Value, nesting: &Nesting, digits: usize) -> Option<String> {
    let mut leaves = leaves(value).into_iter();
    let lines = block(&mut leaves, nesting, digits)?;
    Some(lines.iter().map(|line| format!("{}\n", line.trim_end_matches('\0'))).collect())
}

/// The arrays of a result, in order.
pub fn leaves(value: &Value) -> Vec<Value> {
    match value {
        Value::Tuple(tuple) => tuple.parts.iter().flat_map(leaves).collect(),
        Value::Box(boxed) => leaves(&boxed.value),
        other => vec![other.clone()],
    }
}

/// The lines of a value.
fn block(leaves: &mut dyn Iterator<Item = Value>, nesting: &Nesting, digits: usize) -> Option<Vec<String>> {
    match nesting {
        Nesting::Tuple(parts) => {
            let items = parts.iter().map(|part| block(leaves, part, digits)).collect::<Option<Vec<_>>>()?;
            if parts.iter().all(|part| matches!(part, Nesting::Array(levels) if levels.iter().sum::<usize>() == 0)) {
                // Scalars of several kinds.
                return Some(vec![items.concat().join(" ")]);
            }
            Some(boxes(&items, items.len()))
        }
        Nesting::Rows => {
            let (lengths, data) = (Flat::of(&leaves.next()?)?, Flat::of(&leaves.next()?)?);
            let mut rest = data.items.as_slice();
            let mut items = Vec::new();
            for length in &lengths.items {
                let (row, after) = rest.split_at_checked(usize::try_from(length.as_i128()?).ok()?)?;
                items.push(Flat { prim: data.prim, dims: vec![row.len()], items: row.to_vec() }.simple(digits));
                rest = after;
            }
            Some(if items.is_empty() { vec![String::new()] } else { boxes(&items, items.len()) })
        }
        Nesting::Array(levels) => {
            let flat = Flat::of(&leaves.next()?)?;
            Some(flat.lines(levels, digits))
        }
    }
}

struct Flat {
    prim: PrimType,
    dims: Vec<usize>,
    items: Vec<Scalar>,
}

impl Flat {
    fn of(value: &Value) -> Option<Flat> {
        match value {
            Value::Scalar(scalar) => Some(Flat { prim: scalar.prim(), dims: Vec::new(), items: vec![*scalar] }),
            Value::Array(array) => {
                let items = (0..array.count()).map(|at| array.at(at)).collect::<Option<_>>()?;
                Some(Flat { prim: array.prim(), dims: array.dims().to_vec(), items })
            }
            _ => None,
        }
    }

    fn lines(&self, levels: &[usize], digits: usize) -> Vec<String> {
        let outer = levels.first().copied().unwrap_or(self.dims.len());
        if levels.len() <= 1 || outer >= self.dims.len() {
            return self.simple(digits);
        }
        let size: usize = self.dims[outer..].iter().product();
        let count: usize = self.dims[..outer].iter().product();
        if count == 0 && outer <= 1 {
            return vec![String::new()];
        }
        let items: Vec<Vec<String>> = (0..count)
            .map(|at| {
                let items = self.items[at * size..(at + 1) * size].to_vec();
                Flat { prim: self.prim, dims: self.dims[outer..].to_vec(), items }.lines(&levels[1..], digits)
            })
            .collect();
        let width = if outer == 0 { 1 } else { self.dims[outer - 1] };
        let plane = if outer >= 2 { self.dims[outer - 2] * width } else { width };
        apart(&items, plane, |items| boxes(items, width), outer)
    }

    /// Planes of rows.
    fn simple(&self, digits: usize) -> Vec<String> {
        let rank = self.dims.len();
        let width = self.dims.last().copied().unwrap_or(1);
        if self.prim == PrimType::U32 {
            let text: Vec<char> = self.items.iter().map(|item| character(*item)).collect();
            if rank <= 1 {
                return vec![text.into_iter().collect()];
            }
            let plane = self.dims[rank - 2] * width;
            return apart(&text, plane, |chars| chars.chunks(width.max(1)).map(|row| row.iter().collect()).collect(), rank);
        }
        let words: Vec<String> = self.items.iter().map(|item| number(*item, digits)).collect();
        match rank {
            0 | 1 => vec![words.join(" ")],
            _ => {
                let rows = columns(&words, width);
                apart(&rows, self.dims[rank - 2], <[String]>::to_vec, rank)
            }
        }
    }
}

/// Planes one below the other, with blank lines between them.
fn apart<T>(items: &[T], plane: usize, lines: impl Fn(&[T]) -> Vec<String>, rank: usize) -> Vec<String> {
    if plane == 0 || items.is_empty() {
        return Vec::new();
    }
    let mut out = Vec::new();
    for (at, part) in items.chunks(plane).enumerate() {
        if at > 0 && rank > 2 {
            out.push(String::new());
        }
        out.extend(lines(part));
    }
    out
}

/// Rows of numbers, points below points.
fn columns(words: &[String], width: usize) -> Vec<String> {
    let whole = |word: &str| word.split('.').next().map_or(0, |part| part.chars().count());
    let rest = |word: &str| word.chars().count() - whole(word);
    let mut left = vec![0; width];
    let mut right = vec![0; width];
    for (at, word) in words.iter().enumerate() {
        left[at % width] = left[at % width].max(whole(word));
        right[at % width] = right[at % width].max(rest(word));
    }
    words
        .chunks(width.max(1))
        .map(|row| {
            let padded = row.iter().enumerate().map(|(at, word)| {
                let before = " ".repeat(left[at] - whole(word));
                let after = " ".repeat(right[at] - rest(word));
                format!("{before}{word}{after}")
            });
            padded.collect::<Vec<_>>().join(" ")
        })
        .collect()
}

/// Items in boxes, so many in a row.
fn boxes(items: &[Vec<String>], width: usize) -> Vec<String> {
    if items.is_empty() || width == 0 {
        return vec!["┌┐".into(), "└┘".into()];
    }
    let length = |line: &String| line.chars().count();
    let mut widths = vec![0; width];
    for (at, item) in items.iter().enumerate() {
        widths[at % width] = widths[at % width].max(item.iter().map(length).max().unwrap_or(0));
    }
    let rule = |left: char, middle: &str, right: char| {
        let parts: Vec<String> = widths.iter().map(|width| "─".repeat(*width)).collect();
        format!("{left}{}{right}", parts.join(middle))
    };
    let mut out = vec![rule('┌', "┬", '┐')];
    for (at, row) in items.chunks(width).enumerate() {
        if at > 0 {
            out.push(rule('├', "┼", '┤'));
        }
        let height = row.iter().map(Vec::len).max().unwrap_or(0).max(1);
        for line in 0..height {
            let cells = row.iter().zip(&widths).map(|(item, width)| {
                let text = item.get(line).cloned().unwrap_or_default();
                let gap = " ".repeat(width - length(&text));
                format!("{text}{gap}")
            });
            out.push(format!("│{}│", cells.collect::<Vec<_>>().join("│")));
        }
    }
    out.push(rule('└', "┴", '┘'));
    out
}

fn character(item: Scalar) -> char {
    let Scalar::U32(code) = item else { return '?' };
    char::from_u32(code).unwrap_or('\u{fffd}')
}

/// A number with so many significant digits.
pub fn number(item: Scalar, digits: usize) -> String {
    match item {
        Scalar::Bool(value) => i32::from(value).to_string(),
        Scalar::F64(value) => float(value, digits),
        Scalar::C128(value) if value.im == 0.0 => float(value.re, digits),
        Scalar::C128(value) => format!("{}J{}", float(value.re, digits), float(value.im, digits)),
        other => other.as_i128().map_or_else(|| other.to_string(), |value| value.to_string().replace('-', "¯")),
    }
}

fn float(value: f64, digits: usize) -> String {
    if !value.is_finite() {
        return if value.is_nan() {
            "NaN".into()
        } else if value > 0.0 {
            "∞".into()
        } else {
            "¯∞".into()
        };
    }
    if value == 0.0 {
        return "0".into();
    }
    // Rounded to the digits, as digits and an exponent.
    let text = format!("{:.*e}", digits.saturating_sub(1), value.abs());
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let all: String = mantissa.chars().filter(|c| *c != '.').collect();
    let all = all.trim_end_matches('0');
    let all = if all.is_empty() { "0" } else { all };
    let sign = if value < 0.0 { "¯" } else { "" };
    if exponent < -6 || exponent >= digits as i32 {
        let rest = &all[1..];
        let point = if rest.is_empty() { "" } else { "." };
        return format!("{sign}{}{point}{rest}E{}", &all[..1], exponent.to_string().replace('-', "¯"));
    }
    let shown = if exponent < 0 {
        format!("0.{}{all}", "0".repeat((-exponent - 1) as usize))
    } else {
        let whole = exponent as usize + 1;
        match all.len() > whole {
            true => format!("{}.{}", &all[..whole], &all[whole..]),
            false => format!("{all}{}", "0".repeat(whole - all.len())),
        }
    };
    format!("{sign}{shown}")
}
