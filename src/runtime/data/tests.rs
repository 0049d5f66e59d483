//! Each data format: values that are written and read again, bad texts, headers that lie.

use super::*;
use crate::base::{Code, Scalar};
use crate::runtime::Array;
use PrimType::*;

fn text(input: &str, prim: PrimType, rank: usize) -> std::result::Result<String, String> {
    match read("standard input", input.as_bytes(), &Expected::new("argument `x`", prim, rank)) {
        Ok(value) => Ok(text::write(&value)),
        Err(error) => Err(format!("{} {} ({})", error.code, error.message, error.notes.join("; "))),
    }
}

#[test]
fn text_values() {
    for (input, prim, rank, output) in [
        ("3", I32, 0, "3i32"),
        ("-3", F64, 0, "-3.0f64"),
        ("[1, 2,\n-- two\n3,]", I64, 1, "[1i64, 2i64, 3i64]"),
        ("[[1.5, 2e3f32], [-.5, 1_0]]", F32, 2, "[[1.5f32, 2000.0f32], [-0.5f32, 10.0f32]]"),
        ("true", Bool, 0, "true"),
        ("[f32.nan, -f32.inf, f32.inf]", F32, 1, "[f32.nan, -f32.inf, f32.inf]"),
        ("0xffu8", U8, 0, "255u8"),
        ("0xffffffff", I32, 0, "-1i32"),
        ("-128i8", I8, 0, "-128i8"),
        ("empty([0][3]f32)", F32, 2, "empty([0][3]f32)"),
        ("[]", I32, 2, "empty([0][0]i32)"),
        ("[[], []]", I32, 2, "empty([2][0]i32)"),
        ("\"a\\n\"", U8, 1, "[97u8, 10u8]"),
        ("1e400", F64, 0, "f64.inf"),
        ("0b101", I16, 0, "5i16"),
        ("18446744073709551615", U64, 0, "18446744073709551615u64"),
    ] {
        assert_eq!(text(input, prim, rank), Ok(output.to_string()), "{input}");
    }
}

#[test]
fn bad_text() {
    for (input, prim, rank, message) in [
        ("[1, 2", I32, 1, "E0604 argument `x`: expected `,` or `]`, found the end of the data (in standard input, line 1, column 6)"),
        (
            "[[1, 2], [3]]",
            I32,
            2,
            "E0608 argument `x`: a row of 1 elements stands beside rows of 2: arrays must be regular (in standard input, line 1, column 10)",
        ),
        ("[1, [2]]", I32, 2, "E0608 argument `x`: an array stands beside scalars (in standard input, line 1, column 5)"),
        ("[[2], 1]", I32, 2, "E0608 argument `x`: a scalar stands beside arrays (in standard input, line 1, column 7)"),
        ("[[], 1]", I32, 2, "E0608 argument `x`: a scalar stands beside arrays (in standard input, line 1, column 6)"),
        ("[1]", I32, 2, "E0606 argument `x`: expected [][]i32, found []i32 (in standard input, line 1, column 1)"),
        ("[1]", I32, 0, "E0606 argument `x`: expected i32, found []i32 (in standard input, line 1, column 1)"),
        ("1.5", I32, 0, "E0605 argument `x`: expected i32, found `1.5`, which is not an integer (in standard input, line 1, column 1)"),
        ("[1,\n 2i64]", I32, 1, "E0605 argument `x`: expected []i32, found []i64 (in standard input, line 2, column 2)"),
        ("300", U8, 0, "E0605 argument `x`: `300` is out of range for u8 (in standard input, line 1, column 1)"),
        ("-1", U8, 0, "E0605 argument `x`: `-1` is out of range for u8 (in standard input, line 1, column 1)"),
        ("", U8, 0, "E0604 argument `x`: expected a value of type u8, found the end of the data (in standard input, line 1, column 1)"),
        ("1", Bool, 0, "E0605 argument `x`: expected bool, found i32 (in standard input, line 1, column 1)"),
        ("1 2", I32, 0, "E0607 input: expected 1 value, found more data after them (in standard input, line 1, column 3)"),
        ("empty([3]f32)", F32, 1, "E0604 argument `x`: an `empty` array needs a size that is 0 (in standard input, line 1, column 1)"),
        ("1x", I32, 0, "E0604 argument `x`: expected a value of type i32, found `1x` (in standard input, line 1, column 1)"),
    ] {
        assert_eq!(text(input, prim, rank), Err(message.to_string()), "{input}");
    }
    assert!(text(&"[".repeat(100_000), I32, 1).unwrap_err().contains("255 deep"));
}

#[test]
fn binary_round_trip() {
    let values = [
        Value::vector(vec![1.5f32, -2.0]),
        Value::Scalar(Scalar::Bool(true)),
        Value::Array(Array::new(&[2, 1, 2], Buffer::new(vec![1u16, 2, 3, 4])).unwrap()),
        Value::Array(Array::empty(&[0, 7], I64).unwrap()),
    ];
    let bytes = binary::write(&Value::tuple(values.to_vec())).unwrap();
    let mut stream = Stream::new("x", &bytes);
    for (value, (prim, rank)) in values.iter().zip([(F32, 1), (Bool, 0), (U16, 3), (I64, 2)]) {
        assert_eq!(stream.next(&Expected::new("a", prim, rank)).unwrap(), *value);
    }
    stream.finish(4).unwrap();
    for cut in 0..7 + 8 + 8 {
        assert!(read("x", &bytes[..cut], &Expected::new("a", F32, 1)).is_err(), "{cut}");
    }
}

#[test]
fn lying_headers() {
    let mut huge = b"b\x02\x02 f64".to_vec();
    huge.extend([0xff; 7]);
    huge.push(0x7f);
    huge.extend(8u64.to_le_bytes());
    let error = read("x", &huge, &Expected::new("a", F64, 2)).unwrap_err();
    assert_eq!(error.code, Code::DataLength);
    assert!(error.message.contains("too early"), "{}", error.message);
    let npy = npy::write(&Value::vector(vec![1i32, 2])).unwrap();
    let lie = String::from_utf8_lossy(&npy[10..]).replace("(2,)", "(99999999999999999999,)");
    let lie = [&npy[..10], lie.as_bytes()].concat();
    assert_eq!(read("x", &lie, &Expected::new("a", I32, 1)).unwrap_err().code, Code::MalformedData);
    for cut in 6..npy.len() {
        assert!(read("x", &npy[..cut], &Expected::new("a", I32, 1)).is_err(), "{cut}");
    }
    let mut flipped = npy.clone();
    for i in 0..npy.len() * 8 {
        flipped[i / 8] ^= 1 << (i % 8);
        let _ = read("x", &flipped, &Expected::new("a", I32, 1));
        flipped[i / 8] ^= 1 << (i % 8);
    }
}

fn npy_file(version: u8, descr: &str, fortran: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    let header = format!("{{'descr': {descr}, 'fortran_order': {fortran}, 'shape': {shape}, }}\n");
    let mut out = [npy::MAGIC, &[version, 0]].concat();
    match version {
        1 => out.extend((header.len() as u16).to_le_bytes()),
        _ => out.extend((header.len() as u32).to_le_bytes()),
    }
    out.extend(header.bytes());
    out.extend(data);
    out
}

#[test]
fn npy_variants() {
    let check = |file: Vec<u8>, prim, rank| text::write(&read("x", &file, &Expected::new("a", prim, rank)).unwrap());
    assert_eq!(
        check(npy_file(1, "'<i2'", "True", "(2, 3)", &[1, 0, 4, 0, 2, 0, 5, 0, 3, 0, 6, 0]), I16, 2),
        "[[1i16, 2i16, 3i16], [4i16, 5i16, 6i16]]"
    );
    assert_eq!(check(npy_file(2, "'>u4'", "False", "(1,)", &[0, 0, 1, 2]), U32, 1), "[258u32]");
    assert_eq!(check(npy_file(3, "'<f2'", "False", "()", &[0, 0x3c]), F16, 0), "1.0f16");
    assert_eq!(check(npy_file(1, "'|b1'", "False", "(2,)", &[0, 1]), Bool, 1), "[false, true]");
    assert_eq!(check(npy_file(1, "'<f8'", "False", "(0, 5)", &[]), F64, 2), "empty([0][5]f64)");
    let wrong = read("`a.npy`", &npy_file(1, "'<f4'", "False", "(2, 1)", &[0; 8]), &Expected::new("argument `m`", F64, 2)).unwrap_err();
    assert_eq!((wrong.code, wrong.message.as_str()), (Code::ElementType, "argument `m`: expected [][]f64, found [][]f32"));
    let odd = read("x", &npy_file(1, "[('a', '<f4')]", "False", "(2,)", &[0; 8]), &Expected::new("a", F64, 1)).unwrap_err();
    assert!(odd.message.contains("[('a', '<f4')]"), "{}", odd.message);
    for value in [Value::vector(vec![1.5f64]), Value::Scalar(Scalar::U64(7)), Value::vector(Vec::<f32>::new())] {
        let (prim, shape) = storable(&value).unwrap();
        let file = npy::write(&value).unwrap();
        assert_eq!((file.len() - encoded(&value)) % 64, 0);
        assert_eq!(read("x", &file, &Expected::new("a", prim, shape.len())).unwrap(), value);
    }
}

fn encoded(value: &Value) -> usize {
    let mut out = Vec::new();
    encode(value, &mut out);
    out.len()
}

#[test]
fn images() {
    let grey = Value::Array(Array::new(&[2, 3], Buffer::new(vec![0u8, 50, 100, 150, 200, 255])).unwrap());
    let file = image::write(&grey).unwrap();
    assert_eq!(read("x", &file, &Expected::new("a", U8, 2)).unwrap(), grey);
    let colour = read("x", &file, &Expected::new("a", U8, 3)).unwrap();
    assert_eq!(colour.dims(), [2, 3, 3]);
    assert_eq!(read("x", &image::write(&colour).unwrap(), &Expected::new("a", U8, 3)).unwrap(), colour);
    assert_eq!(read("x", &file, &Expected::new("a", F32, 2)).unwrap_err().code, Code::ElementType);
    for cut in 8..file.len() - 12 {
        assert!(read("x", &file[..cut], &Expected::new("a", U8, 2)).is_err(), "{cut}");
    }
    assert!(image::write(&Value::vector(vec![1u8])).is_err());
}
