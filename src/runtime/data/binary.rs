//! Futhark's binary format, version 2: `b`, the byte 2, the rank, the element type as four characters, the sizes as little-endian
//! 64-bit words, the elements in little-endian row-major order.

use super::{At, Expected, Place, Result, decode, encode, storable};
use crate::base::{Code, PrimType};
use crate::runtime::{Array, Value, dims};

const VERSION: u8 = 2;

/// Whether a value in this format begins here: text that begins with `b` has no such second byte.
pub(super) fn starts(bytes: &[u8]) -> bool {
    bytes.first() == Some(&b'b') && bytes.get(1).is_none_or(|version| *version < 9)
}

/// Element type and rank of the value that begins here.
pub(super) fn kind(bytes: &[u8]) -> Option<(PrimType, usize)> {
    let name = std::str::from_utf8(bytes.get(3..7)?).ok()?;
    Some((PrimType::from_name(name.trim_start())?, usize::from(*bytes.get(2)?)))
}

/// Reads the value that begins at `at`; returns it with the number of bytes it takes.
pub(super) fn read(source: &str, bytes: &[u8], at: usize, expected: &Expected) -> Result<(Value, usize)> {
    let place = Place { source, at: At::Byte(at) };
    let truncated = |wanted: u128, found: usize| {
        let message = format!("the data ends too early: {wanted} bytes are needed for it, {found} are there");
        place.problem(Code::DataLength, expected, message)
    };
    let rest = &bytes[at..];
    let (&[_, version, rank, ..], Some(name)) = (rest.get(..3).unwrap_or(&[0; 0]), rest.get(3..7)) else {
        return Err(truncated(7, rest.len()));
    };
    if version != VERSION {
        return Err(place.problem(
            Code::MalformedData,
            expected,
            format!("version {version} of the binary format is not known, only version {VERSION}"),
        ));
    }
    let name = std::str::from_utf8(name).unwrap_or("?").trim_start();
    let Some(prim) = PrimType::from_name(name) else {
        return Err(place.problem(Code::MalformedData, expected, format!("`{}` is no element type", name.escape_debug())));
    };
    let rank = usize::from(rank);
    if prim != expected.prim || rank != expected.rank {
        return Err(place.wrong_type(expected, prim, rank));
    }
    let header = 7 + 8 * rank;
    let Some(sizes) = rest.get(7..header) else { return Err(truncated(header as u128, rest.len())) };
    let mut shape = Vec::with_capacity(rank);
    for chunk in sizes.chunks_exact(8) {
        let mut word = [0; 8];
        word.copy_from_slice(chunk);
        let Some(size) = usize::try_from(i64::from_le_bytes(word)).ok() else {
            return Err(place.problem(Code::DataLength, expected, format!("the size {} is negative", i64::from_le_bytes(word))));
        };
        shape.push(size);
    }
    let length = dims::count(&shape) as u128 * prim.bytes() as u128;
    let data = usize::try_from(length).ok().and_then(|length| rest.get(header..header.checked_add(length)?));
    let Some(data) = data else { return Err(truncated(header as u128 + length, rest.len())) };
    let buffer = decode(prim, data, false).map_err(|shortage| place.shortage(expected, shortage))?;
    let value = if rank == 0 { buffer.get(0).map(Value::Scalar) } else { Array::new(&shape, buffer).map(Value::Array) };
    value.map(|value| (value, header + data.len())).ok_or_else(|| place.wrong_type(expected, prim, rank))
}

/// Writes a value; parts of tuples one after the other. `None` for functions and arrays of boxes.
pub fn write(value: &Value) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    for result in super::results(value) {
        let (prim, shape) = storable(&result)?;
        out.extend([b'b', VERSION, u8::try_from(shape.len()).ok()?]);
        out.extend(format!("{:>4}", prim.name()).bytes());
        shape.iter().for_each(|&n| out.extend((n as u64).to_le_bytes()));
        encode(&result, &mut out);
    }
    Some(out)
}
