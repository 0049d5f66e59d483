//! Scalar types and scalar values. What operations on them compute is in [`scalar`](super::scalar).

use super::scalar::half_of;
use half::f16;
use std::fmt;

/// A scalar type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum PrimType {
    /// Signed 8-bit integer.
    I8,
    /// Signed 16-bit integer.
    I16,
    /// Signed 32-bit integer.
    I32,
    /// Signed 64-bit integer.
    I64,
    /// Unsigned 8-bit integer.
    U8,
    /// Unsigned 16-bit integer.
    U16,
    /// Unsigned 32-bit integer.
    U32,
    /// Unsigned 64-bit integer.
    U64,
    /// Half precision float.
    F16,
    /// Single precision float.
    F32,
    /// Double precision float.
    F64,
    /// Complex number of two single precision floats.
    C64,
    /// Complex number of two double precision floats.
    C128,
    /// Truth value.
    Bool,
}

impl PrimType {
    /// All scalar types.
    pub const ALL: [PrimType; 14] = [
        PrimType::I8,
        PrimType::I16,
        PrimType::I32,
        PrimType::I64,
        PrimType::U8,
        PrimType::U16,
        PrimType::U32,
        PrimType::U64,
        PrimType::F16,
        PrimType::F32,
        PrimType::F64,
        PrimType::C64,
        PrimType::C128,
        PrimType::Bool,
    ];
    /// The name in source text, such as `f32`.
    pub fn name(self) -> &'static str {
        match self {
            PrimType::I8 => "i8",
            PrimType::I16 => "i16",
            PrimType::I32 => "i32",
            PrimType::I64 => "i64",
            PrimType::U8 => "u8",
            PrimType::U16 => "u16",
            PrimType::U32 => "u32",
            PrimType::U64 => "u64",
            PrimType::F16 => "f16",
            PrimType::F32 => "f32",
            PrimType::F64 => "f64",
            PrimType::C64 => "c64",
            PrimType::C128 => "c128",
            PrimType::Bool => "bool",
        }
    }
    /// The type with this name.
    pub fn from_name(name: &str) -> Option<PrimType> {
        PrimType::ALL.into_iter().find(|t| t.name() == name)
    }
    /// Bytes of one value.
    pub fn bytes(self) -> usize {
        match self {
            PrimType::I8 | PrimType::U8 | PrimType::Bool => 1,
            PrimType::I16 | PrimType::U16 | PrimType::F16 => 2,
            PrimType::I32 | PrimType::U32 | PrimType::F32 => 4,
            PrimType::I64 | PrimType::U64 | PrimType::F64 | PrimType::C64 => 8,
            PrimType::C128 => 16,
        }
    }
    /// Whether it is one of the eight integer types.
    pub fn is_int(self) -> bool {
        self.is_signed() || matches!(self, PrimType::U8 | PrimType::U16 | PrimType::U32 | PrimType::U64)
    }
    /// Whether it is a signed integer type.
    pub fn is_signed(self) -> bool {
        matches!(self, PrimType::I8 | PrimType::I16 | PrimType::I32 | PrimType::I64)
    }
    /// Whether it is one of the three float types.
    pub fn is_float(self) -> bool {
        matches!(self, PrimType::F16 | PrimType::F32 | PrimType::F64)
    }
    /// Whether it is one of the two complex types.
    pub fn is_complex(self) -> bool {
        self.part().is_some()
    }
    /// The type of the real and the imaginary part of a complex type.
    pub fn part(self) -> Option<PrimType> {
        match self {
            PrimType::C64 => Some(PrimType::F32),
            PrimType::C128 => Some(PrimType::F64),
            PrimType::I8
            | PrimType::I16
            | PrimType::I32
            | PrimType::I64
            | PrimType::U8
            | PrimType::U16
            | PrimType::U32
            | PrimType::U64
            | PrimType::F16
            | PrimType::F32
            | PrimType::F64
            | PrimType::Bool => None,
        }
    }
    /// Whether arithmetic is defined on it (everything but `bool`).
    pub fn is_numeric(self) -> bool {
        self != PrimType::Bool
    }
    /// Whether arithmetic on it is rounded: floats and complex numbers, whose sums depend on the order.
    pub fn is_inexact(self) -> bool {
        self.is_float() || self.is_complex()
    }
    /// Whether its values are numbers in an order: integers and floats.
    pub fn is_real(self) -> bool {
        self.is_int() || self.is_float()
    }
}
impl fmt::Display for PrimType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A complex number: its parts lie one behind the other in memory.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Complex<T> {
    /// The real part.
    pub re: T,
    /// The imaginary part.
    pub im: T,
}

/// A scalar value.
#[derive(Clone, Copy, Debug)]
pub enum Scalar {
    /// An `i8`.
    I8(i8),
    /// An `i16`.
    I16(i16),
    /// An `i32`.
    I32(i32),
    /// An `i64`.
    I64(i64),
    /// A `u8`.
    U8(u8),
    /// A `u16`.
    U16(u16),
    /// A `u32`.
    U32(u32),
    /// A `u64`.
    U64(u64),
    /// An `f16`.
    F16(f16),
    /// An `f32`.
    F32(f32),
    /// An `f64`.
    F64(f64),
    /// A `c64`.
    C64(Complex<f32>),
    /// A `c128`.
    C128(Complex<f64>),
    /// A `bool`.
    Bool(bool),
}

impl Scalar {
    /// Its bits in the low bytes of words: how compiled programs take and return scalars. A complex number is two words, its parts.
    pub fn words(self) -> impl Iterator<Item = u64> {
        let (first, second) = match self {
            Scalar::I8(x) => (u64::from(x as u8), None),
            Scalar::I16(x) => (u64::from(x as u16), None),
            Scalar::I32(x) => (u64::from(x as u32), None),
            Scalar::I64(x) => (x as u64, None),
            Scalar::U8(x) => (u64::from(x), None),
            Scalar::U16(x) => (u64::from(x), None),
            Scalar::U32(x) => (u64::from(x), None),
            Scalar::U64(x) => (x, None),
            Scalar::F16(x) => (u64::from(x.to_bits()), None),
            Scalar::F32(x) => (u64::from(x.to_bits()), None),
            Scalar::F64(x) => (x.to_bits(), None),
            Scalar::C64(z) => (u64::from(z.re.to_bits()), Some(u64::from(z.im.to_bits()))),
            Scalar::C128(z) => (z.re.to_bits(), Some(z.im.to_bits())),
            Scalar::Bool(x) => (u64::from(x), None),
        };
        std::iter::once(first).chain(second)
    }
    /// The scalar whose bits are in the low bytes of words; nothing if there are too few.
    pub fn of_words(words: &[u64], prim: PrimType) -> Option<Scalar> {
        let word = *words.first()?;
        if let Some(part) = prim.part() {
            return Scalar::complex(Scalar::of_words(words, part)?, Scalar::of_words(words.get(1..)?, part)?);
        }
        Some(match prim {
            PrimType::I8 => Scalar::I8(word as i8),
            PrimType::I16 => Scalar::I16(word as i16),
            PrimType::I32 => Scalar::I32(word as i32),
            PrimType::I64 => Scalar::I64(word as i64),
            PrimType::U8 => Scalar::U8(word as u8),
            PrimType::U16 => Scalar::U16(word as u16),
            PrimType::U32 => Scalar::U32(word as u32),
            PrimType::U64 => Scalar::U64(word),
            PrimType::F16 => Scalar::F16(f16::from_bits(word as u16)),
            PrimType::F32 => Scalar::F32(f32::from_bits(word as u32)),
            PrimType::F64 => Scalar::F64(f64::from_bits(word)),
            PrimType::Bool => Scalar::Bool(word & 0xff != 0),
            PrimType::C64 | PrimType::C128 => return None,
        })
    }
    /// Its bytes as they lie in an array on this machine, and how many there are.
    pub fn bytes(self) -> ([u8; 16], usize) {
        let (mut bytes, size) = ([0; 16], self.prim().bytes());
        let part = self.prim().part().map_or(size, PrimType::bytes);
        for (to, word) in bytes.chunks_mut(part).zip(self.words()) {
            to.copy_from_slice(&word.to_le_bytes()[..part]);
        }
        (bytes, size)
    }
    /// The scalar with these bytes; nothing if there are too few.
    pub fn of_bytes(bytes: &[u8], prim: PrimType) -> Option<Scalar> {
        let part = prim.part().unwrap_or(prim).bytes();
        let words =
            bytes.get(..prim.bytes())?.chunks(part).map(|bytes| bytes.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte)));
        Scalar::of_words(&words.collect::<Vec<u64>>(), prim)
    }
    /// Its type.
    pub fn prim(self) -> PrimType {
        match self {
            Scalar::I8(_) => PrimType::I8,
            Scalar::I16(_) => PrimType::I16,
            Scalar::I32(_) => PrimType::I32,
            Scalar::I64(_) => PrimType::I64,
            Scalar::U8(_) => PrimType::U8,
            Scalar::U16(_) => PrimType::U16,
            Scalar::U32(_) => PrimType::U32,
            Scalar::U64(_) => PrimType::U64,
            Scalar::F16(_) => PrimType::F16,
            Scalar::F32(_) => PrimType::F32,
            Scalar::F64(_) => PrimType::F64,
            Scalar::C64(_) => PrimType::C64,
            Scalar::C128(_) => PrimType::C128,
            Scalar::Bool(_) => PrimType::Bool,
        }
    }
    /// The same bits: equality that tells `0.0` from `-0.0` and finds NaN equal to itself (for round-trip tests).
    pub fn same_bits(self, other: Scalar) -> bool {
        match (self, other) {
            (Scalar::F16(a), Scalar::F16(b)) => a.to_bits() == b.to_bits(),
            (Scalar::F32(a), Scalar::F32(b)) => a.to_bits() == b.to_bits(),
            (Scalar::F64(a), Scalar::F64(b)) => a.to_bits() == b.to_bits(),
            (Scalar::C64(a), Scalar::C64(b)) => a.re.to_bits() == b.re.to_bits() && a.im.to_bits() == b.im.to_bits(),
            (Scalar::C128(a), Scalar::C128(b)) => a.re.to_bits() == b.re.to_bits() && a.im.to_bits() == b.im.to_bits(),
            _ => self == other,
        }
    }
    /// The parts of a complex number, floats.
    pub fn parts(self) -> Option<(Scalar, Scalar)> {
        match self {
            Scalar::C64(z) => Some((Scalar::F32(z.re), Scalar::F32(z.im))),
            Scalar::C128(z) => Some((Scalar::F64(z.re), Scalar::F64(z.im))),
            Scalar::I8(_)
            | Scalar::I16(_)
            | Scalar::I32(_)
            | Scalar::I64(_)
            | Scalar::U8(_)
            | Scalar::U16(_)
            | Scalar::U32(_)
            | Scalar::U64(_)
            | Scalar::F16(_)
            | Scalar::F32(_)
            | Scalar::F64(_)
            | Scalar::Bool(_) => None,
        }
    }
    /// The complex number with these parts, both of the same float type.
    pub fn complex(re: Scalar, im: Scalar) -> Option<Scalar> {
        match (re, im) {
            (Scalar::F32(re), Scalar::F32(im)) => Some(Scalar::C64(Complex { re, im })),
            (Scalar::F64(re), Scalar::F64(im)) => Some(Scalar::C128(Complex { re, im })),
            _ => None,
        }
    }
    /// An integer of type `prim` from `value`, wrapped around; for float types the nearest float, for complex types that as real part; for
    /// `bool`, `value != 0`.
    pub fn from_i128(prim: PrimType, value: i128) -> Scalar {
        match prim {
            PrimType::I8 => Scalar::I8(value as i8),
            PrimType::I16 => Scalar::I16(value as i16),
            PrimType::I32 => Scalar::I32(value as i32),
            PrimType::I64 => Scalar::I64(value as i64),
            PrimType::U8 => Scalar::U8(value as u8),
            PrimType::U16 => Scalar::U16(value as u16),
            PrimType::U32 => Scalar::U32(value as u32),
            PrimType::U64 => Scalar::U64(value as u64),
            PrimType::F16 => Scalar::F16(half_of(value as f64)),
            PrimType::F32 => Scalar::F32(value as f32),
            PrimType::F64 => Scalar::F64(value as f64),
            PrimType::C64 => Scalar::C64(Complex { re: value as f32, im: 0.0 }),
            PrimType::C128 => Scalar::C128(Complex { re: value as f64, im: 0.0 }),
            PrimType::Bool => Scalar::Bool(value != 0),
        }
    }
    /// A float of type `prim` nearest to `value`, or the complex number with that as real part; for integer types the truncated, saturated value.
    pub fn from_f64(prim: PrimType, value: f64) -> Scalar {
        match prim {
            PrimType::I8 => Scalar::I8(value as i8),
            PrimType::I16 => Scalar::I16(value as i16),
            PrimType::I32 => Scalar::I32(value as i32),
            PrimType::I64 => Scalar::I64(value as i64),
            PrimType::U8 => Scalar::U8(value as u8),
            PrimType::U16 => Scalar::U16(value as u16),
            PrimType::U32 => Scalar::U32(value as u32),
            PrimType::U64 => Scalar::U64(value as u64),
            PrimType::F16 => Scalar::F16(half_of(value)),
            PrimType::F32 => Scalar::F32(value as f32),
            PrimType::F64 => Scalar::F64(value),
            PrimType::C64 => Scalar::C64(Complex { re: value as f32, im: 0.0 }),
            PrimType::C128 => Scalar::C128(Complex { re: value, im: 0.0 }),
            PrimType::Bool => Scalar::Bool(value != 0.0),
        }
    }
    /// The value as an integer, where it is an integer or a truth value.
    pub fn as_i128(self) -> Option<i128> {
        match self {
            Scalar::I8(v) => Some(v.into()),
            Scalar::I16(v) => Some(v.into()),
            Scalar::I32(v) => Some(v.into()),
            Scalar::I64(v) => Some(v.into()),
            Scalar::U8(v) => Some(v.into()),
            Scalar::U16(v) => Some(v.into()),
            Scalar::U32(v) => Some(v.into()),
            Scalar::U64(v) => Some(v.into()),
            Scalar::Bool(v) => Some(v.into()),
            Scalar::F16(_) | Scalar::F32(_) | Scalar::F64(_) | Scalar::C64(_) | Scalar::C128(_) => None,
        }
    }
    /// The value as a float, where it is a float.
    pub fn as_f64(self) -> Option<f64> {
        match self {
            Scalar::F16(v) => Some(v.to_f64()),
            Scalar::F32(v) => Some(v.into()),
            Scalar::F64(v) => Some(v),
            _ => None,
        }
    }
    /// Whether it is a number: neither infinite nor NaN, nor are its parts.
    pub fn is_finite(self) -> bool {
        match self.parts() {
            Some((re, im)) => re.is_finite() && im.is_finite(),
            None => self.as_f64().is_none_or(f64::is_finite),
        }
    }
    /// Whether it is NaN, or a part of it.
    pub fn is_nan(self) -> bool {
        match self.parts() {
            Some((re, im)) => re.is_nan() || im.is_nan(),
            None => self.as_f64().is_some_and(f64::is_nan),
        }
    }
}
impl PartialEq for Scalar {
    fn eq(&self, other: &Scalar) -> bool {
        match (self.as_f64(), other.as_f64()) {
            (Some(a), Some(b)) => self.prim() == other.prim() && a == b,
            (None, None) if self.prim().is_complex() => self.parts() == other.parts(),
            _ => self.prim() == other.prim() && self.as_i128() == other.as_i128(),
        }
    }
}
impl fmt::Display for Scalar {
    /// With its suffix, as the language reads it back: `3i32`, `1.0f64`, `true`, `f32.nan`, `f32.inf`, `-f32.inf`. A complex number is
    /// written as data has it: `1.0+2.0jc128`, `nan-infjc64`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fn float(f: &mut fmt::Formatter<'_>, name: &str, finite: bool, nan: bool, negative: bool, text: &str) -> fmt::Result {
            match (finite, nan, negative) {
                (true, ..) if text.contains(['.', 'e']) => write!(f, "{text}{name}"),
                (true, ..) => write!(f, "{text}.0{name}"),
                (_, true, _) => write!(f, "{name}.nan"),
                (_, _, true) => write!(f, "-{name}.inf"),
                _ => write!(f, "{name}.inf"),
            }
        }
        /// A part of a complex number; the second one has a sign in any case.
        fn part(value: f64, text: &str, second: bool) -> String {
            let plus = if second && (value.is_nan() || value.is_sign_positive()) { "+" } else { "" };
            format!("{plus}{}", if value.is_nan() { "nan" } else { text })
        }
        match *self {
            Scalar::Bool(v) => write!(f, "{v}"),
            Scalar::F16(v) => float(f, "f16", v.is_finite(), v.is_nan(), v.is_sign_negative(), &format!("{:?}", v.to_f32())),
            Scalar::F32(v) => float(f, "f32", v.is_finite(), v.is_nan(), v.is_sign_negative(), &format!("{v:?}")),
            Scalar::F64(v) => float(f, "f64", v.is_finite(), v.is_nan(), v.is_sign_negative(), &format!("{v:?}")),
            Scalar::C64(v) => {
                write!(f, "{}{}jc64", part(v.re.into(), &format!("{:?}", v.re), false), part(v.im.into(), &format!("{:?}", v.im), true))
            }
            Scalar::C128(v) => write!(f, "{}{}jc128", part(v.re, &format!("{:?}", v.re), false), part(v.im, &format!("{:?}", v.im), true)),
            _ => write!(f, "{}{}", self.as_i128().expect("floats are handled above"), self.prim()),
        }
    }
}
