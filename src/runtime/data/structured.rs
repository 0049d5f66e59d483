//! Values of sum types as text: `#none`, `#some 3i32`, `#rect 1.0 2.0`, `#line (0, 0) (1, 2)`, `#at {x = 1, y = 2}`, `[#some 3, #none]`. What
//! a constructor takes stands behind it; what consists of several parts itself, and constructors that take something, stand in parentheses.

use super::{Expected, Result, text};
use crate::base::{Code, PrimType, Symbol};
use crate::runtime::{Boxed, Cells, Sum, Value};
use std::fmt::Write;
use std::sync::Arc;

/// What a type looks like from outside, as far as data can give its values.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// A scalar or an array of scalars of this rank.
    Array(PrimType, usize),
    /// A tuple or record with its labels; each part counts as one value from outside.
    Tuple(Option<Vec<Symbol>>, Vec<Shape>),
    /// A value of a sum type, or an array of this rank of them: the constructors with their payloads.
    Sum(usize, Vec<(Symbol, Shape)>),
    /// An array of this rank of what has sizes of its own in each cell.
    Rows(usize, Box<Shape>),
    /// A function or something else that no data can stand for.
    Other,
}

impl Shape {
    /// Whether data can stand for all of it.
    pub fn is_data(&self) -> bool {
        match self {
            Shape::Array(..) => true,
            Shape::Tuple(_, parts) => parts.iter().all(Shape::is_data),
            Shape::Sum(_, constructors) => constructors.iter().all(|(_, payload)| payload.is_data()),
            Shape::Rows(_, row) => row.is_data(),
            Shape::Other => false,
        }
    }
    /// The type in words.
    pub fn shown(&self) -> String {
        let list = |parts: &[Shape]| parts.iter().map(Shape::shown).collect::<Vec<_>>();
        match self {
            Shape::Array(prim, rank) => super::shown(*prim, *rank),
            Shape::Tuple(None, parts) => format!("({})", list(parts).join(", ")),
            Shape::Tuple(Some(labels), parts) => {
                let fields: Vec<String> = labels.iter().zip(list(parts)).map(|(label, part)| format!("{label}: {part}")).collect();
                format!("{{{}}}", fields.join(", "))
            }
            Shape::Sum(rank, constructors) => {
                let one = |(label, payload): &(Symbol, Shape)| match payload {
                    Shape::Tuple(None, parts) => list(parts).into_iter().fold(format!("#{label}"), |all, part| all + " " + &part),
                    payload => format!("#{label} {}", payload.shown()),
                };
                let all = constructors.iter().map(one).collect::<Vec<_>>().join(" | ");
                if *rank > 0 { format!("{}({all})", "[]".repeat(*rank)) } else { all }
            }
            Shape::Rows(rank, row) => format!("{}(rows of {})", "[]".repeat(*rank), row.shown()),
            Shape::Other => "something that is no data".into(),
        }
    }
}

/// Deepest nesting of constructors, tuples and arrays that is read.
const MAX_DEPTH: usize = 255;

/// Reads the value that begins at `at`; returns it with the number of bytes it takes. Messages call it `what`.
pub(super) fn read(source: &str, bytes: &[u8], at: usize, what: &str, shape: &Shape) -> Result<(Value, usize)> {
    let mut reader = Reader { source, bytes, at, what, depth: 0 };
    let value = reader.value(shape)?;
    Ok((value, reader.at - at))
}

struct Reader<'a> {
    source: &'a str,
    bytes: &'a [u8],
    at: usize,
    what: &'a str,
    depth: usize,
}

impl<'a> Reader<'a> {
    fn problem<T>(&self, code: Code, message: &str) -> Result<T> {
        let place = text::place(self.source, self.bytes, self.at);
        Err(place.problem(code, &Expected::new(self.what, PrimType::Bool, 0), message))
    }
    fn expected<T>(&self, wanted: &str) -> Result<T> {
        let rest = &self.bytes[self.at.min(self.bytes.len())..];
        let length = rest.iter().position(|b| b.is_ascii_whitespace() || b",[](){}".contains(b)).unwrap_or(rest.len()).clamp(1, 24);
        let found = match rest.get(..length) {
            Some(word) => format!("`{}`", String::from_utf8_lossy(word).escape_debug()),
            None => "the end of the data".into(),
        };
        self.problem(Code::MalformedData, &format!("expected {wanted}, found {found}"))
    }
    fn skip(&mut self) {
        self.at += text::blank(&self.bytes[self.at..]);
    }
    fn eat(&mut self, byte: u8) -> bool {
        self.skip();
        let found = self.bytes.get(self.at) == Some(&byte);
        self.at += usize::from(found);
        found
    }
    fn need(&mut self, byte: u8) -> Result<()> {
        if self.eat(byte) { Ok(()) } else { self.expected(&format!("`{}`", char::from(byte))) }
    }
    fn name(&mut self) -> &'a str {
        let rest = &self.bytes[self.at..];
        let length = rest.iter().position(|b| !(b.is_ascii_alphanumeric() || *b == b'_' || *b == b'\'')).unwrap_or(rest.len());
        self.at += length;
        std::str::from_utf8(&rest[..length]).unwrap_or("")
    }

    /// A value with everything that belongs to it.
    fn value(&mut self, shape: &Shape) -> Result<Value> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return self.problem(Code::MalformedData, "the value is nested too deeply");
        }
        let value = match shape {
            Shape::Sum(0, constructors) if !self.parenthesis() => self.constructor(constructors, true),
            _ => self.part(shape),
        };
        self.depth -= 1;
        value
    }
    fn parenthesis(&mut self) -> bool {
        self.skip();
        self.bytes.get(self.at) == Some(&b'(')
    }
    /// `#c` and, if they may stand here, its arguments.
    fn constructor(&mut self, constructors: &[(Symbol, Shape)], arguments: bool) -> Result<Value> {
        self.skip();
        let start = self.at;
        let names = || constructors.iter().map(|(label, _)| format!("`#{label}`")).collect::<Vec<_>>().join(" or ");
        if !self.eat(b'#') {
            return self.expected(&names());
        }
        let name = self.name();
        let Some((label, payload)) = constructors.iter().find(|(label, _)| label.as_str() == name) else {
            self.at = start;
            return self.expected(&names());
        };
        let payload = match payload {
            Shape::Tuple(None, parts) if parts.is_empty() => Value::unit(),
            _ if !arguments => {
                self.at = start;
                return self.expected(&format!("parentheses around `#{name}` and what it takes"));
            }
            Shape::Tuple(None, parts) => {
                // `#c 1 2` takes two arguments, `#c (1, 2)` a pair: both are written for the same type.
                let before = self.at;
                let several = parts.iter().map(|part| self.part(part)).collect::<Result<Vec<_>>>();
                match several {
                    Ok(parts) => Value::tuple(parts),
                    Err(error) => {
                        self.at = before;
                        if !self.parenthesis() {
                            return Err(error);
                        }
                        self.part(payload).map_err(|_| error)?
                    }
                }
            }
            payload => self.part(payload)?,
        };
        Ok(Value::Sum(Arc::new(Sum { label: *label, payload })))
    }
    /// A value that needs no parentheses.
    fn part(&mut self, shape: &Shape) -> Result<Value> {
        self.skip();
        match shape {
            Shape::Array(prim, rank) => {
                if *rank == 0 && self.parenthesis() {
                    return self.in_parentheses(shape);
                }
                if self.at == self.bytes.len() {
                    return self.expected("a value");
                }
                let (value, used) = text::read(self.source, self.bytes, self.at, &Expected::new(self.what, *prim, *rank))?;
                self.at += used;
                Ok(value)
            }
            Shape::Tuple(None, parts) => {
                self.need(b'(')?;
                let mut values = Vec::with_capacity(parts.len());
                for (i, part) in parts.iter().enumerate() {
                    if i > 0 {
                        self.need(b',')?;
                    }
                    values.push(self.value(part)?);
                }
                self.need(b')')?;
                Ok(Value::tuple(values))
            }
            Shape::Tuple(Some(labels), parts) => {
                self.need(b'{')?;
                let mut values: Vec<Option<Value>> = vec![None; parts.len()];
                for i in 0..parts.len() {
                    if i > 0 {
                        self.need(b',')?;
                    }
                    self.skip();
                    let start = self.at;
                    let name = self.name();
                    let place = labels.iter().position(|label| label.as_str() == name).filter(|k| values[*k].is_none());
                    let Some(place) = place else {
                        self.at = start;
                        let left: Vec<String> =
                            labels.iter().zip(&values).filter(|(_, v)| v.is_none()).map(|(label, _)| format!("`{label}`")).collect();
                        return self.expected(&format!("the field {}", left.join(" or ")));
                    };
                    self.need(b'=')?;
                    values[place] = Some(self.value(&parts[place])?);
                }
                self.need(b'}')?;
                Ok(Value::tuples(Vec::new(), Some(labels.iter().copied().collect()), values.into_iter().flatten().collect()))
            }
            Shape::Sum(0, _) if self.parenthesis() => self.in_parentheses(shape),
            Shape::Sum(0, constructors) => self.constructor(constructors, false),
            Shape::Sum(rank, constructors) => {
                let start = self.at;
                if self.bytes[self.at..].starts_with(b"empty") {
                    return self.empty(*rank, constructors);
                }
                let (mut items, mut sizes) = (Vec::new(), vec![None; *rank]);
                let one = Shape::Sum(0, constructors.clone());
                self.cells(&mut |reader| reader.value(&one), &mut sizes, &mut items)?;
                let dims: Vec<usize> = sizes.into_iter().map(Option::unwrap_or_default).collect();
                match Cells::new(&dims, items) {
                    Some(cells) => Ok(Value::Cells(cells)),
                    None => {
                        self.at = start;
                        self.problem(Code::IrregularData, "the rows have different sizes")
                    }
                }
            }
            Shape::Rows(rank, row) => {
                let start = self.at;
                let (mut items, mut sizes) = (Vec::new(), vec![None; *rank]);
                let one = |reader: &mut Self| Ok(Value::Box(Arc::new(Boxed { indices: Vec::new(), value: reader.value(row)? })));
                self.cells(&mut { one }, &mut sizes, &mut items)?;
                let dims: Vec<usize> = sizes.into_iter().map(Option::unwrap_or_default).collect();
                match Cells::new(&dims, items) {
                    Some(cells) => Ok(Value::Cells(cells)),
                    None => {
                        self.at = start;
                        self.problem(Code::IrregularData, "the rows have different sizes")
                    }
                }
            }
            Shape::Other => self.problem(Code::MalformedData, "no data can stand for this"),
        }
    }
    /// `empty([0][3](#none | #some i32))`: the sizes and the type of the elements.
    fn empty(&mut self, rank: usize, constructors: &[(Symbol, Shape)]) -> Result<Value> {
        let start = self.at;
        self.at += "empty".len();
        self.need(b'(')?;
        let mut dims = Vec::new();
        while self.eat(b'[') {
            self.skip();
            let digits = self.name();
            // Sizes are numbers of type `i64` in programs.
            let Some(size) = digits.parse::<i64>().ok().and_then(|size| usize::try_from(size).ok()) else {
                self.at -= digits.len();
                return self.expected("a size");
            };
            dims.push(size);
            self.need(b']')?;
        }
        let element = Shape::Sum(0, constructors.to_vec()).shown();
        let parentheses = self.eat(b'(');
        for part in element.split(' ') {
            self.skip();
            if !self.bytes[self.at..].starts_with(part.as_bytes()) {
                return self.expected(&format!("the type of the elements, `{element}`"));
            }
            self.at += part.len();
        }
        if parentheses {
            self.need(b')')?;
        }
        self.need(b')')?;
        if dims.len() != rank {
            self.at = start;
            return self.problem(Code::DataRank, &format!("expected an array of rank {rank}, found one of rank {}", dims.len()));
        }
        match Cells::new(&dims, Vec::new()) {
            Some(cells) => Ok(Value::Cells(cells)),
            None => {
                self.at = start;
                self.problem(Code::MalformedData, "an `empty` array needs a size that is 0")
            }
        }
    }
    fn in_parentheses(&mut self, shape: &Shape) -> Result<Value> {
        self.need(b'(')?;
        let value = self.value(shape)?;
        self.need(b')')?;
        Ok(value)
    }
    /// The cells of an array in brackets.
    fn cells(
        &mut self,
        one: &mut dyn FnMut(&mut Self) -> Result<Value>,
        sizes: &mut [Option<usize>],
        items: &mut Vec<Value>,
    ) -> Result<()> {
        let Some((size, inner)) = sizes.split_first_mut() else {
            items.push(one(self)?);
            return Ok(());
        };
        self.need(b'[')?;
        let mut count = 0;
        if !self.eat(b']') {
            loop {
                self.cells(one, inner, items)?;
                count += 1;
                if self.eat(b']') {
                    break;
                }
                if !self.eat(b',') {
                    return self.expected("`,` or `]`");
                }
                // A comma may stand behind the last.
                if self.eat(b']') {
                    break;
                }
            }
        }
        if *size.get_or_insert(count) != count {
            return self.problem(Code::IrregularData, "the rows have different sizes");
        }
        Ok(())
    }
}

/// Writes a value of a sum type, or an array of them.
pub(super) fn write(value: &Value, out: &mut String) {
    match value {
        Value::Sum(sum) => {
            let _ = write!(out, "#{}", sum.label);
            match &sum.payload {
                Value::Tuple(tuple) if tuple.frame.is_empty() && tuple.labels.is_none() => tuple.parts.iter().for_each(|part| {
                    out.push(' ');
                    self::part(part, out);
                }),
                payload => {
                    out.push(' ');
                    part(payload, out);
                }
            }
        }
        value => part(value, out),
    }
}

/// Writes a value so that it needs no parentheses.
fn part(value: &Value, out: &mut String) {
    match value {
        Value::Sum(sum) if sum.payload != Value::unit() => {
            out.push('(');
            write(value, out);
            out.push(')');
        }
        Value::Tuple(tuple) if tuple.frame.is_empty() => {
            out.push(if tuple.labels.is_some() { '{' } else { '(' });
            for (i, part) in tuple.parts.iter().enumerate() {
                out.push_str(if i > 0 { ", " } else { "" });
                let _ = tuple.labels.as_ref().and_then(|labels| labels.get(i)).map(|label| write!(out, "{label} = "));
                write(part, out);
            }
            out.push(if tuple.labels.is_some() { '}' } else { ')' });
        }
        Value::Cells(_) | Value::Tuple(_) => {
            out.push('[');
            for i in 0..value.outer().unwrap_or(0) {
                out.push_str(if i > 0 { ", " } else { "" });
                value.cell(i).iter().for_each(|cell| write(cell, out));
            }
            out.push(']');
        }
        Value::Sum(_) => write(value, out),
        Value::Box(boxed) => part(&boxed.value, out),
        // A row without elements.
        Value::Array(array) if array.dims() == [0] => out.push_str("[]"),
        Value::Scalar(_) | Value::Array(_) | Value::Opaque(_) => text::one(value, out),
    }
}

/// Whether a value is of a sum type, an array of such, or a ragged array.
pub(super) fn is_sum(value: &Value) -> bool {
    match value {
        Value::Sum(_) => true,
        Value::Cells(cells) => cells.items().iter().all(|item| matches!(item, Value::Sum(_) | Value::Box(_))),
        _ => false,
    }
}
