//! NumPy's `.npy` files: versions 1 to 3, both byte orders, C and Fortran order, zero-dimensional arrays.

use super::{At, Expected, Place, Result, decode, encode, storable};
use crate::base::{Code, MAX_RANK, PrimType};
use crate::runtime::{Array, Buffer, Element, Shortage, Value, dims};
use crate::{each_buffer, runtime::buffer::vector};

/// The first bytes of every `.npy` file.
pub const MAGIC: &[u8] = b"\x93NUMPY";

/// What a header says.
struct Header {
    descr: String,
    fortran: bool,
    shape: Vec<usize>,
}

/// Element type and rank of the array that begins here.
pub(super) fn kind(bytes: &[u8]) -> Option<(PrimType, usize)> {
    let (begin, length) = match (bytes.get(6)?, bytes.get(8..10)?, bytes.get(8..12)) {
        (1, &[a, b], _) => (10, usize::from(u16::from_le_bytes([a, b]))),
        (2 | 3, _, Some(&[a, b, c, d])) => (12, u32::from_le_bytes([a, b, c, d]) as usize),
        _ => return None,
    };
    let header = Parser { bytes: bytes.get(begin..begin + length)?, at: 0 }.header()?;
    Some((element(&header.descr)?.0, header.shape.len()))
}

/// Reads the array at the start of `bytes`; returns it with the number of bytes it takes.
pub(super) fn read(source: &str, bytes: &[u8], expected: &Expected) -> Result<(Value, usize)> {
    let at = |at: usize| Place { source, at: At::Byte(at) };
    let truncated = |at: Place, what: &str, wanted: u128, found: usize| {
        at.problem(Code::DataLength, expected, format!("the file ends too early: {what} needs {wanted} bytes, {found} are there"))
    };
    let Some(&[major, _]) = bytes.get(6..8) else { return Err(truncated(at(0), "the header", 10, bytes.len())) };
    let (begin, length) = match (major, bytes.get(8..10), bytes.get(8..12)) {
        (1, Some(&[a, b]), _) => (10, usize::from(u16::from_le_bytes([a, b]))),
        (2 | 3, _, Some(&[a, b, c, d])) => (12, u32::from_le_bytes([a, b, c, d]) as usize),
        (1..=3, ..) => return Err(truncated(at(8), "the header", 12, bytes.len())),
        _ => return Err(at(6).problem(Code::MalformedData, expected, format!("version {major} of the .npy format is not known"))),
    };
    let Some(header) = bytes.get(begin..begin + length) else {
        return Err(truncated(at(begin), "the header", (begin + length) as u128, bytes.len()));
    };
    let Some(header) = Parser { bytes: header, at: 0 }.header() else {
        return Err(at(begin).problem(Code::MalformedData, expected, "the header of the .npy file cannot be understood"));
    };
    let Some((prim, swap)) = element(&header.descr) else {
        let shown = header.descr.replace(char::is_control, "?");
        let message = format!("expected {}, found an array with elements of the NumPy type `{shown}`", expected.shown());
        return Err(at(begin).problem(Code::ElementType, expected, message));
    };
    let shape = header.shape;
    if prim != expected.prim || shape.len() != expected.rank {
        let error = at(begin).wrong_type(expected, prim, shape.len());
        return Err(if prim == expected.prim { error } else { Box::new(error.help(converted(prim, expected))) });
    }
    let body = begin + length;
    let wanted = dims::count(&shape) as u128 * prim.bytes() as u128;
    let data = usize::try_from(wanted).ok().and_then(|n| bytes.get(body..body.checked_add(n)?));
    let Some(data) = data else {
        let what = format!("an array of shape {shape:?}");
        return Err(truncated(at(body), &what, wanted, bytes.len() - body));
    };
    let shortage = |shortage| at(body).shortage(expected, shortage);
    let mut buffer = decode(prim, data, swap).map_err(shortage)?;
    if header.fortran && shape.len() > 1 {
        buffer = each_buffer!(&buffer, items => row_major(items, &shape)).map_err(shortage)?;
    }
    let value = if shape.is_empty() { buffer.get(0).map(Value::Scalar) } else { Array::new(&shape, buffer).map(Value::Array) };
    value.map(|value| (value, body + data.len())).ok_or_else(|| at(begin).wrong_type(expected, prim, shape.len()))
}

/// How an array of another element type is made to fit.
fn converted(prim: PrimType, expected: &Expected) -> String {
    let numpy = match expected.prim {
        PrimType::F16 => "float16",
        PrimType::F32 => "float32",
        PrimType::F64 => "float64",
        PrimType::C64 => "complex64",
        PrimType::C128 => "complex128",
        PrimType::I8 => "int8",
        PrimType::I16 => "int16",
        PrimType::I32 => "int32",
        PrimType::I64 => "int64",
        PrimType::U8 => "uint8",
        PrimType::U16 => "uint16",
        PrimType::U32 => "uint32",
        PrimType::U64 => "uint64",
        PrimType::Bool => "bool",
    };
    format!("save it as `a.astype(np.{numpy})`, or make the parameter `{}`", super::shown(prim, expected.rank))
}

/// Column-major elements in row-major order.
fn row_major<T: Element>(items: &[T], shape: &[usize]) -> std::result::Result<Buffer, Shortage> {
    let mut out = vector::<T>(items.len())?;
    if items.is_empty() {
        // The other sizes may be anything.
        return Ok(Buffer::new(out));
    }
    let mut strides = Vec::with_capacity(shape.len());
    let mut stride = 1;
    for n in shape {
        strides.push(stride);
        stride *= n;
    }
    let mut index = vec![0; shape.len()];
    let mut from = 0;
    for _ in 0..items.len() {
        out.push(items.get(from).copied().unwrap_or_default());
        for axis in (0..shape.len()).rev() {
            index[axis] += 1;
            from += strides[axis];
            if index[axis] < shape[axis] {
                break;
            }
            from -= strides[axis] * shape[axis];
            index[axis] = 0;
        }
    }
    Ok(Buffer::new(out))
}

/// The scalar type of a NumPy type string and whether it is big endian.
fn element(descr: &str) -> Option<(PrimType, bool)> {
    let (order, code) = match descr.chars().next()? {
        c @ ('<' | '>' | '|' | '=') => (c, &descr[1..]),
        _ => ('=', descr),
    };
    let prim = match code {
        "b1" | "?" => PrimType::Bool,
        "i1" => PrimType::I8,
        "i2" => PrimType::I16,
        "i4" => PrimType::I32,
        "i8" => PrimType::I64,
        "u1" => PrimType::U8,
        "u2" => PrimType::U16,
        "u4" => PrimType::U32,
        "u8" => PrimType::U64,
        "f2" => PrimType::F16,
        "f4" => PrimType::F32,
        "f8" => PrimType::F64,
        "c8" => PrimType::C64,
        "c16" => PrimType::C128,
        _ => return None,
    };
    Some((prim, order == '>'))
}

fn descr(prim: PrimType) -> String {
    let kind = match prim {
        PrimType::Bool => 'b',
        p if p.is_float() => 'f',
        p if p.is_complex() => 'c',
        p if p.is_signed() => 'i',
        _ => 'u',
    };
    format!("{}{kind}{}", if prim.bytes() == 1 { '|' } else { '<' }, prim.bytes())
}

/// Reads the Python dictionary of a header.
struct Parser<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Parser<'_> {
    fn eat(&mut self, byte: u8) -> bool {
        while self.bytes.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
        let found = self.bytes.get(self.at) == Some(&byte);
        self.at += usize::from(found);
        found
    }
    fn header(mut self) -> Option<Header> {
        let (mut descr, mut fortran, mut shape) = (None, None, None);
        self.eat(b'{').then_some(())?;
        while !self.eat(b'}') {
            let key = self.string()?;
            self.eat(b':').then_some(())?;
            match key.as_str() {
                "descr" => descr = Some(self.descr()?),
                "fortran_order" => fortran = Some(self.truth()?),
                "shape" => shape = Some(self.shape()?),
                _ => return None,
            }
            if !self.eat(b',') {
                self.eat(b'}').then_some(())?;
                break;
            }
        }
        Some(Header { descr: descr?, fortran: fortran?, shape: shape? })
    }
    fn string(&mut self) -> Option<String> {
        let quote = if self.eat(b'\'') {
            b'\''
        } else if self.eat(b'"') {
            b'"'
        } else {
            return None;
        };
        let rest = &self.bytes[self.at..];
        let length = rest.iter().position(|&b| b == quote)?;
        self.at += length + 1;
        std::str::from_utf8(&rest[..length]).ok().map(str::to_string)
    }
    /// A type string; a list, which describes a structure, is returned as it stands up to its end or 40 bytes.
    fn descr(&mut self) -> Option<String> {
        if !self.eat(b'[') {
            return self.string();
        }
        let rest = &self.bytes[self.at..];
        let length = rest.iter().position(|&b| b == b']')?;
        self.at += length + 1;
        Some(format!("[{}]", String::from_utf8_lossy(&rest[..length.min(40)])))
    }
    fn truth(&mut self) -> Option<bool> {
        self.eat(0);
        let rest = &self.bytes[self.at..];
        let (truth, length) = if rest.starts_with(b"True") {
            (true, 4)
        } else if rest.starts_with(b"False") {
            (false, 5)
        } else {
            return None;
        };
        self.at += length;
        Some(truth)
    }
    fn shape(&mut self) -> Option<Vec<usize>> {
        self.eat(b'(').then_some(())?;
        let mut sizes = Vec::new();
        while !self.eat(b')') {
            let digits: Vec<u8> = self.bytes[self.at..].iter().copied().take_while(u8::is_ascii_digit).collect();
            self.at += digits.len();
            // Sizes are numbers of type `i64` in programs.
            sizes.push(usize::try_from(std::str::from_utf8(&digits).ok()?.parse::<i64>().ok()?).ok()?);
            if sizes.len() > MAX_RANK {
                return None;
            }
            self.eat(b'L');
            if !self.eat(b',') {
                self.eat(b')').then_some(())?;
                break;
            }
        }
        Some(sizes)
    }
}

/// A `.npy` file, version 1, little endian, C order. `None` for values that are not arrays of scalars or scalars.
pub fn write(value: &Value) -> Option<Vec<u8>> {
    let (prim, shape) = storable(value)?;
    let sizes = match shape {
        [n] => format!("({n},)"),
        _ => format!("({})", shape.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")),
    };
    let dictionary = format!("{{'descr': '{}', 'fortran_order': False, 'shape': {sizes}, }}", descr(prim));
    // The data begins at a multiple of 64 bytes.
    let length = (10 + dictionary.len() + 1).next_multiple_of(64) - 10;
    let mut out = Vec::with_capacity(10 + length + dims::count(shape) * prim.bytes());
    out.extend(MAGIC);
    out.extend([1, 0]);
    out.extend(u16::try_from(length).ok()?.to_le_bytes());
    out.extend(format!("{dictionary:<width$}\n", width = length - 1).bytes());
    encode(value, &mut out);
    Some(out)
}
