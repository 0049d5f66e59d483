//! Data formats: text values, with those of sum types, the binary format of Futhark (version 2), NumPy's `.npy`, PNG images, tables. For
//! people also the display of APL and the notation of core.
//!
//! Readers work on bytes in memory and never trust a header: sizes are compared with the length of the data before
//! anything is allocated. A [`Stream`] recognises the format of each value by its first bytes.

pub mod apl;
pub mod binary;
pub mod csv;
pub mod image;
pub mod notation;
pub mod npy;
pub mod structured;
pub mod text;

use super::{Buffer, Element, Shortage, Value};
use crate::base::{Code, Complex, PrimType};
use crate::diag::Diagnostic;

/// Data could not be read: always one of the codes E0604 to E0609.
pub type Result<T> = std::result::Result<T, Box<Diagnostic>>;

/// What a value is read for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expected {
    /// Named in messages, such as ``argument `xs` ``.
    pub what: String,
    /// The type of the elements; literals without suffix take it.
    pub prim: PrimType,
    /// The number of dimensions.
    pub rank: usize,
}

impl Expected {
    /// A value of this element type and rank.
    pub fn new(what: impl Into<String>, prim: PrimType, rank: usize) -> Expected {
        Expected { what: what.into(), prim, rank }
    }
    /// The type in words, `[][]f64`.
    pub fn shown(&self) -> String {
        shown(self.prim, self.rank)
    }
}

fn shown(prim: PrimType, rank: usize) -> String {
    if rank > 8 { format!("an array of rank {rank} of {prim}") } else { format!("{}{prim}", "[]".repeat(rank)) }
}

/// A place in data.
#[derive(Debug, Clone, Copy)]
struct Place<'a> {
    source: &'a str,
    at: At,
}

#[derive(Debug, Clone, Copy)]
enum At {
    Byte(usize),
    Text { line: usize, column: usize },
}

impl Place<'_> {
    fn problem(self, code: Code, expected: &Expected, message: impl AsRef<str>) -> Box<Diagnostic> {
        let place = match self.at {
            At::Byte(at) => format!("in {}, at byte {at}", self.source),
            At::Text { line, column } => format!("in {}, line {line}, column {column}", self.source),
        };
        Box::new(Diagnostic::bare(code, format!("{}: {}", expected.what, message.as_ref())).note(place))
    }
    fn wrong_type(self, expected: &Expected, prim: PrimType, rank: usize) -> Box<Diagnostic> {
        let message = format!("expected {}, found {}", expected.shown(), shown(prim, rank));
        let same = prim == expected.prim;
        let mut problem = self.problem(if same { Code::DataRank } else { Code::ElementType }, expected, message);
        if same && rank > expected.rank {
            let help = "entry points take just what their types say; a program maps them where it applies them: `entry all xs = f xs`, with a type for `xs`";
            problem.help.push(help.to_string());
        }
        problem
    }
    fn shortage(self, expected: &Expected, shortage: Shortage) -> Box<Diagnostic> {
        self.problem(Code::DataTooLarge, expected, format!("{} bytes of memory cannot be had", shortage.bytes))
    }
}

/// Several values one after the other, as on standard input or in a data file.
#[derive(Debug)]
pub struct Stream<'a> {
    bytes: &'a [u8],
    position: usize,
    source: &'a str,
}

impl<'a> Stream<'a> {
    /// The values in `bytes`; `source` names the file in messages, for example ``standard input`` or `` `in.data` ``.
    pub fn new(source: &'a str, bytes: &'a [u8]) -> Stream<'a> {
        Stream { bytes, position: 0, source }
    }
    /// The next value.
    pub fn next(&mut self, expected: &Expected) -> Result<Value> {
        self.position += text::blank(&self.bytes[self.position..]);
        let rest = &self.bytes[self.position..];
        let (value, used) = if rest.starts_with(npy::MAGIC) {
            npy::read(self.source, rest, expected)?
        } else if rest.starts_with(image::MAGIC) {
            (image::read(self.source, rest, expected)?, rest.len())
        } else if binary::starts(rest) {
            binary::read(self.source, self.bytes, self.position, expected)?
        } else {
            text::read(self.source, self.bytes, self.position, expected)?
        };
        self.position += used;
        Ok(value)
    }
    /// The next value, which is of a sum type or an array of such; messages call it `what`.
    pub fn next_sum(&mut self, what: &str, shape: &structured::Shape) -> Result<Value> {
        self.position += text::blank(&self.bytes[self.position..]);
        let (value, used) = structured::read(self.source, self.bytes, self.position, what, shape)?;
        self.position += used;
        Ok(value)
    }
    /// Fails unless everything was read; `values` is the number of values that were wanted.
    pub fn finish(mut self, values: usize) -> Result<()> {
        self.position += text::blank(&self.bytes[self.position..]);
        if self.position == self.bytes.len() {
            return Ok(());
        }
        let place = text::place(self.source, self.bytes, self.position);
        let expected = Expected::new("input", PrimType::Bool, 0);
        let plural = if values == 1 { "value" } else { "values" };
        Err(place.problem(Code::DataLength, &expected, format!("expected {values} {plural}, found more data after them")))
    }
    /// Element type and rank of the next value, for readers that expect nothing: as the data say, or, for text without suffixes, `i32`,
    /// `f64` or `bool`. An image is `[][][]u8`.
    pub fn kind(&mut self) -> Option<(PrimType, usize)> {
        self.position += text::blank(&self.bytes[self.position..]);
        let rest = &self.bytes[self.position..];
        if rest.starts_with(npy::MAGIC) {
            npy::kind(rest)
        } else if rest.starts_with(image::MAGIC) {
            Some((PrimType::U8, 3))
        } else if binary::starts(rest) {
            binary::kind(rest)
        } else {
            text::kind(rest)
        }
    }
    /// Whether nothing but blanks and comments is left.
    pub fn at_end(&self) -> bool {
        self.position + text::blank(&self.bytes[self.position..]) == self.bytes.len()
    }
}

/// Reads the only value in `bytes`, in whatever format.
pub fn read(source: &str, bytes: &[u8], expected: &Expected) -> Result<Value> {
    let mut stream = Stream::new(source, bytes);
    let value = stream.next(expected)?;
    stream.finish(1)?;
    Ok(value)
}

/// Elements from bytes, `swap` for big endian. The length must be a multiple of the size; truth values are nonzero bytes.
fn decode(prim: PrimType, bytes: &[u8], swap: bool) -> std::result::Result<Buffer, Shortage> {
    macro_rules! decode {
        ($t:ty, $bits:ty, $make:expr) => {{
            const SIZE: usize = size_of::<$bits>();
            let mut items = super::buffer::vector::<$t>(bytes.len() / SIZE)?;
            let make = $make;
            items.extend(bytes.chunks_exact(SIZE).map(|chunk| {
                let mut word = [0; SIZE];
                word.copy_from_slice(chunk);
                make(if swap { <$bits>::from_be_bytes(word) } else { <$bits>::from_le_bytes(word) })
            }));
            Ok(Buffer::new(items))
        }};
    }
    /// Complex numbers from their parts.
    fn pairs<T: Element>(parts: Buffer) -> std::result::Result<Buffer, Shortage>
    where
        Complex<T>: Element,
    {
        let items = T::of(&parts).map_or(&[][..], |items| items.as_slice());
        let mut out = super::buffer::vector::<Complex<T>>(items.len() / 2)?;
        out.extend(items.chunks_exact(2).map(|pair| Complex { re: pair[0], im: pair[1] }));
        Ok(Buffer::new(out))
    }
    match prim {
        PrimType::C64 => pairs::<f32>(decode(PrimType::F32, bytes, swap)?),
        PrimType::C128 => pairs::<f64>(decode(PrimType::F64, bytes, swap)?),
        PrimType::I8 => decode!(i8, i8, |x| x),
        PrimType::I16 => decode!(i16, i16, |x| x),
        PrimType::I32 => decode!(i32, i32, |x| x),
        PrimType::I64 => decode!(i64, i64, |x| x),
        PrimType::U8 => decode!(u8, u8, |x| x),
        PrimType::U16 => decode!(u16, u16, |x| x),
        PrimType::U32 => decode!(u32, u32, |x| x),
        PrimType::U64 => decode!(u64, u64, |x| x),
        PrimType::F16 => decode!(half::f16, u16, half::f16::from_bits),
        PrimType::F32 => decode!(f32, u32, f32::from_bits),
        PrimType::F64 => decode!(f64, u64, f64::from_bits),
        PrimType::Bool => decode!(bool, u8, |x: u8| x != 0),
    }
}

/// The elements of a scalar or array of scalars as little-endian bytes.
fn encode(value: &Value, out: &mut Vec<u8>) {
    use crate::base::Scalar;
    let mut one = |scalar: Scalar| match scalar {
        Scalar::I8(x) => out.extend(x.to_le_bytes()),
        Scalar::I16(x) => out.extend(x.to_le_bytes()),
        Scalar::I32(x) => out.extend(x.to_le_bytes()),
        Scalar::I64(x) => out.extend(x.to_le_bytes()),
        Scalar::U8(x) => out.extend(x.to_le_bytes()),
        Scalar::U16(x) => out.extend(x.to_le_bytes()),
        Scalar::U32(x) => out.extend(x.to_le_bytes()),
        Scalar::U64(x) => out.extend(x.to_le_bytes()),
        Scalar::F16(x) => out.extend(x.to_le_bytes()),
        Scalar::F32(x) => out.extend(x.to_le_bytes()),
        Scalar::F64(x) => out.extend(x.to_le_bytes()),
        Scalar::C64(z) => [z.re, z.im].into_iter().for_each(|x| out.extend(x.to_le_bytes())),
        Scalar::C128(z) => [z.re, z.im].into_iter().for_each(|x| out.extend(x.to_le_bytes())),
        Scalar::Bool(x) => out.push(x.into()),
    };
    match value {
        Value::Scalar(scalar) => one(*scalar),
        Value::Array(array) => (0..array.count()).filter_map(|i| array.at(i)).for_each(one),
        _ => crate::ice!(crate::base::Span::default(), "a value without elements, for which a header was written"),
    }
}

/// Element type and shape of what the formats can hold: scalars and arrays of scalars.
fn storable(value: &Value) -> Option<(PrimType, &[usize])> {
    match value {
        Value::Scalar(scalar) => Some((scalar.prim(), &[])),
        Value::Array(array) => Some((array.prim(), array.dims())),
        _ => None,
    }
}

/// The results that a value consists of: tuples and records are taken apart, boxes opened.
pub fn results(value: &Value) -> Vec<Value> {
    match value {
        Value::Tuple(tuple) => tuple.parts.iter().flat_map(results).collect(),
        Value::Box(boxed) => results(&boxed.value),
        _ => vec![value.clone()],
    }
}

#[cfg(test)]
mod tests;
