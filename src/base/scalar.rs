//! The members of the scalar modules (`i32.+`, `f64.sqrt`, `u8.highest`, ...) and what each of them computes.
//!
//! # Meaning
//!
//! * Integers wrap around. `/` and `%` floor, `//` and `%%` truncate; all four fail when the divisor is zero. The lowest
//!   signed integer divided by `-1` is itself, its remainder is 0.
//! * `**` on integers is repeated wrapping multiplication, `0 ** 0` is 1; a negative exponent fails. On floats it is `pow`.
//! * Shifts by a negative amount (seen as unsigned) or by the width or more give 0, or for `>>` on signed types the sign.
//! * `/` on floats is IEEE division, `%` on floats is the remainder with the sign of the dividend (C's `fmod`).
//! * `min` and `max` return the other operand when one is NaN, and order `-0.0` below `0.0`.
//! * Comparisons with NaN are false, except `!=`.
//! * `round` rounds ties to even. `sgn` of NaN is NaN.
//! * Conversions from floats to integers truncate and saturate, NaN gives 0. A conversion to `bool` is `x != 0`.
//! * `f16` operations compute in `f32` and round once.
//! * `highest` and `lowest` of float types are the infinities; `smallest` is the smallest positive normal number.
//! * `mad a b c` is `a * b + c` with two roundings, `fma` with one; `mul_hi` is the high word of the double-width product;
//!   `lerp a b t` is `a + (b - a) * t`.
//! * `get_bit i x` is bit `i` of `x` (0 outside the width); `set_bit i x b` sets it to `b`'s lowest bit.
//! * Complex numbers: `+`, `-` and `neg` act on the parts, `*` and `/` are NumPy's formulas ([`complex`]). `abs` is a float and does not
//!   overflow on the way; the functions have the branch cuts and the special values of C (ISO C11, annex G). Numbers without order have no `<`.
//! * Folds start from the identity of their operation (`maximum []` is `lowest`) and go from left to right.

mod apply;
pub mod complex;
mod cost;
pub mod decimal;
mod float;
mod int;
mod partial;

pub use apply::convert;
pub use cost::Cost;
pub use float::{Float, half_of};
pub use int::Int;
pub use partial::{Condition, OpError};

use super::{PrimType, Scalar, Span};
use half::f16;
use rustc_hash::FxHashMap;
use std::fmt;
use std::sync::OnceLock;

/// A member of a scalar module.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Member {
    /// A value.
    Constant(Scalar),
    /// A function of one to three scalars.
    Op(ScalarOp),
    /// A function of a vector.
    Fold(FoldOp),
}

/// A function of scalars.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct ScalarOp {
    /// What it does.
    pub op: Op,
    /// The module it is a member of.
    pub prim: PrimType,
    /// The types of its parameters: one to three.
    pub params: &'static [PrimType],
    /// The type of its result.
    pub result: PrimType,
}

impl ScalarOp {
    /// The operation `op` of the module `prim`, which has to have it.
    pub fn new(op: Op, prim: PrimType) -> ScalarOp {
        let (params, result) = signature(op, prim);
        ScalarOp { op, prim, params, result }
    }
    /// The qualified name, `i32.+`, `f32.i64`.
    pub fn name(self) -> String {
        let name = match self.op {
            Op::Convert(from) => from.name(),
            what => match OPS.iter().find(|(_, op, class)| *op == what && class.has(self.prim)) {
                Some((name, ..)) => name,
                None => crate::ice!(Span::default(), "there is no operation {self:?}"),
            },
        };
        format!("{}.{name}", self.prim)
    }
}

impl fmt::Debug for ScalarOp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:?}", self.prim, self.op)
    }
}

/// A fold over a vector of `prim`, `[n]t -> t`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FoldOp {
    /// The operation that is folded.
    pub op: Op,
    /// The type of elements and result.
    pub prim: PrimType,
}

impl FoldOp {
    /// The operation as a scalar operation.
    pub fn step(self) -> ScalarOp {
        ScalarOp::new(self.op, self.prim)
    }
    /// What the fold starts from.
    pub fn identity(self) -> Scalar {
        match self.op {
            Op::Mul => Scalar::from_i128(self.prim, 1),
            Op::Min => highest(self.prim),
            Op::Max => lowest(self.prim),
            // All bits of an integer, and true.
            Op::And => Scalar::from_i128(self.prim, -1),
            Op::Add | Op::Or | Op::Xor => Scalar::from_i128(self.prim, 0),
            other => crate::ice!(Span::default(), "nothing is folded with {other:?}"),
        }
    }
    /// What partial results that a program knows nothing of start from: neutral beside every value. Of floats NaN gives way to every number,
    /// and -0 plus 0 is 0.
    pub fn neutral(self) -> Scalar {
        match self.op {
            Op::Min | Op::Max if self.prim.is_float() => Scalar::from_f64(self.prim, f64::NAN),
            Op::Add if self.prim.is_float() => Scalar::from_f64(self.prim, -0.0),
            Op::Add => complex::minus_zero(self.prim).unwrap_or_else(|| self.identity()),
            _ => self.identity(),
        }
    }
}

/// What a scalar operation computes, for operands of the types that [`ScalarOp::params`] says.
#[allow(missing_docs)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Op {
    // t -> t -> t
    Add,
    Sub,
    Mul,
    Div,
    Mod,
    Quot,
    Rem,
    Pow,
    And,
    Or,
    Xor,
    Shl,
    Shr,
    UShr,
    Min,
    Max,
    MulHi,
    Atan2,
    Atan2Pi,
    Hypot,
    CopySign,
    NextAfter,
    /// Two floats -> the complex number with these parts.
    Complex,
    /// Two floats, the magnitude and the angle -> a complex number.
    Polar,
    // t -> t -> bool
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    // t -> t
    Neg,
    Not,
    Abs,
    Sgn,
    Sqrt,
    Rsqrt,
    Recip,
    Cbrt,
    Exp,
    Exp2,
    Exp10,
    Expm1,
    Log,
    Log2,
    Log10,
    Log1p,
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Sinh,
    Cosh,
    Tanh,
    Asinh,
    Acosh,
    Atanh,
    SinPi,
    CosPi,
    TanPi,
    AsinPi,
    AcosPi,
    AtanPi,
    Floor,
    Ceil,
    Round,
    Trunc,
    Gamma,
    Lgamma,
    Erf,
    Erfc,
    /// complex -> complex
    Conj,
    // complex -> float
    Re,
    Im,
    Arg,
    /// The square of the magnitude.
    Norm,
    // t -> bool
    IsNan,
    IsInf,
    // t -> i32
    Popc,
    Clz,
    Ctz,
    /// float -> unsigned integer of the same width
    ToBits,
    /// unsigned integer of the same width -> float
    FromBits,
    /// `from` -> t
    Convert(PrimType),
    /// t -> i64
    ToI64,
    /// t -> f64
    ToF64,
    /// t -> i32 -> t
    Ldexp,
    /// i64 -> i64 -> t
    FromFraction,
    /// i32 -> t -> i32
    GetBit,
    // t -> t -> t -> t
    Fma,
    Mad,
    Lerp,
    MadHi,
    /// i32 -> t -> i32 -> t
    SetBit,
}

/// A pattern: analytic functions of one number, but for gamma functions. A match that treats operations alike names this group and the others
/// one by one, so that it stays exhaustive.
macro_rules! function_op {
    () => {
        $crate::base::scalar::Op::Sqrt
            | $crate::base::scalar::Op::Rsqrt
            | $crate::base::scalar::Op::Recip
            | $crate::base::scalar::Op::Cbrt
            | $crate::base::scalar::Op::Exp
            | $crate::base::scalar::Op::Exp2
            | $crate::base::scalar::Op::Exp10
            | $crate::base::scalar::Op::Expm1
            | $crate::base::scalar::Op::Log
            | $crate::base::scalar::Op::Log2
            | $crate::base::scalar::Op::Log10
            | $crate::base::scalar::Op::Log1p
            | $crate::base::scalar::Op::Sin
            | $crate::base::scalar::Op::Cos
            | $crate::base::scalar::Op::Tan
            | $crate::base::scalar::Op::Asin
            | $crate::base::scalar::Op::Acos
            | $crate::base::scalar::Op::Atan
            | $crate::base::scalar::Op::Sinh
            | $crate::base::scalar::Op::Cosh
            | $crate::base::scalar::Op::Tanh
            | $crate::base::scalar::Op::Asinh
            | $crate::base::scalar::Op::Acosh
            | $crate::base::scalar::Op::Atanh
            | $crate::base::scalar::Op::SinPi
            | $crate::base::scalar::Op::CosPi
            | $crate::base::scalar::Op::TanPi
            | $crate::base::scalar::Op::AsinPi
            | $crate::base::scalar::Op::AcosPi
            | $crate::base::scalar::Op::AtanPi
            | $crate::base::scalar::Op::Erf
            | $crate::base::scalar::Op::Erfc
    };
}
pub(crate) use function_op;

/// Which types have an operation.
#[derive(Clone, Copy, PartialEq)]
enum Class {
    All,
    Numeric,
    Int,
    Float,
    Bool,
    IntBool,
    /// Types with an order.
    Ordered,
    /// Integers and floats.
    Real,
    Complex,
    /// Floats and complex numbers.
    Inexact,
}

impl Class {
    fn has(self, prim: PrimType) -> bool {
        match self {
            Class::All => true,
            Class::Numeric => prim.is_numeric(),
            Class::Int => prim.is_int(),
            Class::Float => prim.is_float(),
            Class::Bool => prim == PrimType::Bool,
            Class::IntBool => prim.is_int() || prim == PrimType::Bool,
            Class::Ordered => !prim.is_complex(),
            Class::Real => prim.is_real(),
            Class::Complex => prim.is_complex(),
            Class::Inexact => prim.is_inexact(),
        }
    }
}

/// Every operation by name; conversions apart.
const OPS: &[(&str, Op, Class)] = &[
    ("+", Op::Add, Class::Numeric),
    ("-", Op::Sub, Class::Numeric),
    ("*", Op::Mul, Class::Numeric),
    ("/", Op::Div, Class::Numeric),
    ("%", Op::Mod, Class::Real),
    ("//", Op::Quot, Class::Int),
    ("%%", Op::Rem, Class::Int),
    ("**", Op::Pow, Class::Numeric),
    ("&", Op::And, Class::Int),
    ("|", Op::Or, Class::Int),
    ("^", Op::Xor, Class::Int),
    ("&&", Op::And, Class::Bool),
    ("||", Op::Or, Class::Bool),
    ("<<", Op::Shl, Class::Int),
    (">>", Op::Shr, Class::Int),
    (">>>", Op::UShr, Class::Int),
    ("min", Op::Min, Class::Real),
    ("max", Op::Max, Class::Real),
    ("mul_hi", Op::MulHi, Class::Int),
    ("atan2", Op::Atan2, Class::Float),
    ("atan2pi", Op::Atan2Pi, Class::Float),
    ("hypot", Op::Hypot, Class::Float),
    ("copysign", Op::CopySign, Class::Float),
    ("nextafter", Op::NextAfter, Class::Float),
    ("==", Op::Eq, Class::All),
    ("!=", Op::Ne, Class::All),
    ("<", Op::Lt, Class::Ordered),
    ("<=", Op::Le, Class::Ordered),
    (">", Op::Gt, Class::Ordered),
    (">=", Op::Ge, Class::Ordered),
    ("neg", Op::Neg, Class::Numeric),
    ("!", Op::Not, Class::IntBool),
    ("not", Op::Not, Class::IntBool),
    ("abs", Op::Abs, Class::Numeric),
    ("sgn", Op::Sgn, Class::Numeric),
    ("sqrt", Op::Sqrt, Class::Inexact),
    ("rsqrt", Op::Rsqrt, Class::Float),
    ("recip", Op::Recip, Class::Inexact),
    ("cbrt", Op::Cbrt, Class::Float),
    ("exp", Op::Exp, Class::Inexact),
    ("exp2", Op::Exp2, Class::Inexact),
    ("exp10", Op::Exp10, Class::Float),
    ("expm1", Op::Expm1, Class::Inexact),
    ("log", Op::Log, Class::Inexact),
    ("log2", Op::Log2, Class::Inexact),
    ("log10", Op::Log10, Class::Inexact),
    ("log1p", Op::Log1p, Class::Inexact),
    ("sin", Op::Sin, Class::Inexact),
    ("cos", Op::Cos, Class::Inexact),
    ("tan", Op::Tan, Class::Inexact),
    ("asin", Op::Asin, Class::Inexact),
    ("acos", Op::Acos, Class::Inexact),
    ("atan", Op::Atan, Class::Inexact),
    ("sinh", Op::Sinh, Class::Inexact),
    ("cosh", Op::Cosh, Class::Inexact),
    ("tanh", Op::Tanh, Class::Inexact),
    ("asinh", Op::Asinh, Class::Inexact),
    ("acosh", Op::Acosh, Class::Inexact),
    ("atanh", Op::Atanh, Class::Inexact),
    ("sinpi", Op::SinPi, Class::Float),
    ("cospi", Op::CosPi, Class::Float),
    ("tanpi", Op::TanPi, Class::Float),
    ("asinpi", Op::AsinPi, Class::Float),
    ("acospi", Op::AcosPi, Class::Float),
    ("atanpi", Op::AtanPi, Class::Float),
    ("floor", Op::Floor, Class::Float),
    ("ceil", Op::Ceil, Class::Float),
    ("round", Op::Round, Class::Float),
    ("trunc", Op::Trunc, Class::Float),
    ("gamma", Op::Gamma, Class::Float),
    ("lgamma", Op::Lgamma, Class::Float),
    ("erf", Op::Erf, Class::Float),
    ("erfc", Op::Erfc, Class::Float),
    ("isnan", Op::IsNan, Class::Inexact),
    ("isinf", Op::IsInf, Class::Inexact),
    ("popc", Op::Popc, Class::Int),
    ("clz", Op::Clz, Class::Int),
    ("ctz", Op::Ctz, Class::Int),
    ("to_bits", Op::ToBits, Class::Float),
    ("from_bits", Op::FromBits, Class::Float),
    ("to_i64", Op::ToI64, Class::Real),
    ("to_f64", Op::ToF64, Class::Float),
    ("ldexp", Op::Ldexp, Class::Float),
    ("from_fraction", Op::FromFraction, Class::Float),
    ("get_bit", Op::GetBit, Class::Real),
    ("set_bit", Op::SetBit, Class::Real),
    ("fma", Op::Fma, Class::Float),
    ("mad", Op::Mad, Class::Float),
    ("lerp", Op::Lerp, Class::Float),
    ("mad_hi", Op::MadHi, Class::Int),
    ("mk", Op::Complex, Class::Complex),
    ("polar", Op::Polar, Class::Complex),
    ("conj", Op::Conj, Class::Complex),
    ("re", Op::Re, Class::Complex),
    ("im", Op::Im, Class::Complex),
    ("arg", Op::Arg, Class::Complex),
    ("norm", Op::Norm, Class::Complex),
];

const FOLDS: [(&str, Op); 4] = [("sum", Op::Add), ("product", Op::Mul), ("maximum", Op::Max), ("minimum", Op::Min)];

type Table = FxHashMap<(PrimType, &'static str), Member>;

fn table() -> &'static Table {
    static TABLE: OnceLock<Table> = OnceLock::new();
    TABLE.get_or_init(|| {
        let mut table = Table::default();
        for prim in PrimType::ALL {
            for name in members(prim) {
                if let Some(member) = find(prim, name) {
                    table.insert((prim, name), member);
                }
            }
        }
        table
    })
}

/// The member `name` of the module `prim`.
pub fn member(prim: PrimType, name: &str) -> Option<Member> {
    table().get(&(prim, name)).copied()
}

/// The member with this qualified name, such as `i32.+`: the names that core uses.
pub fn qualified(name: &str) -> Option<Member> {
    let (prim, name) = name.split_once('.')?;
    member(PrimType::from_name(prim)?, name)
}

/// The names of all members of the module `prim`.
pub fn members(prim: PrimType) -> Vec<&'static str> {
    let mut names: Vec<&'static str> = OPS.iter().filter(|(.., class)| class.has(prim)).map(|(name, ..)| *name).collect();
    names.extend(PrimType::ALL.iter().filter(|from| converts(**from, prim)).map(|from| from.name()));
    names.extend(FOLDS.iter().filter(|(_, op)| folds(*op, prim)).map(|(name, _)| *name));
    if prim.is_real() {
        names.extend(["highest", "lowest", "num_bits"]);
    }
    if prim.is_float() {
        names.extend(["pi", "e", "inf", "nan", "epsilon", "smallest"]);
    }
    names
}

/// Whether there is a conversion: none drops an imaginary part.
fn converts(from: PrimType, to: PrimType) -> bool {
    !from.is_complex() || to.is_complex()
}

/// Whether vectors of a type can be folded with an operation.
fn folds(op: Op, prim: PrimType) -> bool {
    prim.is_real() || prim.is_complex() && matches!(op, Op::Add | Op::Mul)
}

fn find(prim: PrimType, name: &str) -> Option<Member> {
    if let Some((_, what, _)) = OPS.iter().find(|(n, _, class)| *n == name && class.has(prim)) {
        return Some(Member::Op(ScalarOp::new(*what, prim)));
    }
    if let Some(from) = PrimType::from_name(name).filter(|from| converts(*from, prim)) {
        return Some(Member::Op(ScalarOp::new(Op::Convert(from), prim)));
    }
    if let Some((_, what)) = FOLDS.iter().find(|(n, op)| *n == name && folds(*op, prim)) {
        return Some(Member::Fold(FoldOp { op: *what, prim }));
    }
    let float = |value: f64| prim.is_float().then(|| Scalar::from_f64(prim, value));
    let value = match name {
        "highest" if prim.is_real() => Some(highest(prim)),
        "lowest" if prim.is_real() => Some(lowest(prim)),
        "num_bits" if prim.is_real() => Some(Scalar::I32(prim.bytes() as i32 * 8)),
        "pi" => float(std::f64::consts::PI),
        "e" => float(std::f64::consts::E),
        "inf" => float(f64::INFINITY),
        "nan" => float(f64::NAN),
        "epsilon" => match prim {
            PrimType::F16 => Some(Scalar::F16(f16::EPSILON)),
            PrimType::F32 => Some(Scalar::F32(f32::EPSILON)),
            PrimType::F64 => Some(Scalar::F64(f64::EPSILON)),
            _ => None,
        },
        "smallest" => match prim {
            PrimType::F16 => Some(Scalar::F16(f16::MIN_POSITIVE)),
            PrimType::F32 => Some(Scalar::F32(f32::MIN_POSITIVE)),
            PrimType::F64 => Some(Scalar::F64(f64::MIN_POSITIVE)),
            _ => None,
        },
        _ => None,
    };
    value.map(Member::Constant)
}

/// The greatest value: infinity for floats.
pub fn highest(prim: PrimType) -> Scalar {
    match prim {
        PrimType::I8 => Scalar::I8(i8::MAX),
        PrimType::I16 => Scalar::I16(i16::MAX),
        PrimType::I32 => Scalar::I32(i32::MAX),
        PrimType::I64 => Scalar::I64(i64::MAX),
        PrimType::U8 => Scalar::U8(u8::MAX),
        PrimType::U16 => Scalar::U16(u16::MAX),
        PrimType::U32 => Scalar::U32(u32::MAX),
        PrimType::U64 => Scalar::U64(u64::MAX),
        PrimType::Bool => Scalar::Bool(true),
        PrimType::F16 | PrimType::F32 | PrimType::F64 => Scalar::from_f64(prim, f64::INFINITY),
        PrimType::C64 | PrimType::C128 => crate::ice!(Span::default(), "{prim} has no order"),
    }
}

/// The least value: minus infinity for floats.
pub fn lowest(prim: PrimType) -> Scalar {
    match prim {
        PrimType::I8 => Scalar::I8(i8::MIN),
        PrimType::I16 => Scalar::I16(i16::MIN),
        PrimType::I32 => Scalar::I32(i32::MIN),
        PrimType::I64 => Scalar::I64(i64::MIN),
        PrimType::Bool => Scalar::Bool(false),
        PrimType::F16 | PrimType::F32 | PrimType::F64 => Scalar::from_f64(prim, f64::NEG_INFINITY),
        PrimType::C64 | PrimType::C128 => crate::ice!(Span::default(), "{prim} has no order"),
        PrimType::U8 | PrimType::U16 | PrimType::U32 | PrimType::U64 => Scalar::from_i128(prim, 0),
    }
}

const COUNT: usize = PrimType::ALL.len();

/// Three times each type, in the order of [`PrimType::ALL`], so that parameter lists are slices of it.
static THRICE: [[PrimType; 3]; COUNT] = {
    let mut table = [[PrimType::I8; 3]; COUNT];
    let mut i = 0;
    while i < COUNT {
        table[i] = [PrimType::ALL[i]; 3];
        i += 1;
    }
    table
};

fn times(prim: PrimType, count: usize) -> &'static [PrimType] {
    &THRICE[prim as usize][..count]
}

/// `i32 t`, `t i32` and `i32 t i32` for each type.
static WITH_I32: [[PrimType; 4]; COUNT] = {
    let mut table = [[PrimType::I32; 4]; COUNT];
    let mut i = 0;
    while i < COUNT {
        table[i][1] = PrimType::ALL[i];
        i += 1;
    }
    table
};

/// The types of the parameters and of the result of `op` at type `prim`.
fn signature(op: Op, prim: PrimType) -> (&'static [PrimType], PrimType) {
    use PrimType::{Bool, F64, I32, I64, U16, U32, U64};
    let bits = match prim.bytes() {
        2 => U16,
        4 => U32,
        _ => U64,
    };
    let mixed = &WITH_I32[prim as usize];
    // Of a float type itself: nothing asks for it.
    let part = prim.part().unwrap_or(prim);
    match op {
        Op::Complex | Op::Polar => (times(part, 2), prim),
        Op::Re | Op::Im | Op::Arg | Op::Norm | Op::Abs => (times(prim, 1), part),
        Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge => (times(prim, 2), Bool),
        Op::IsNan | Op::IsInf => (times(prim, 1), Bool),
        Op::Popc | Op::Clz | Op::Ctz => (times(prim, 1), I32),
        Op::ToBits => (times(prim, 1), bits),
        Op::FromBits => (times(bits, 1), prim),
        Op::Convert(from) => (times(from, 1), prim),
        Op::ToI64 => (times(prim, 1), I64),
        Op::ToF64 => (times(prim, 1), F64),
        Op::Ldexp => (&mixed[1..3], prim),
        Op::FromFraction => (times(I64, 2), prim),
        Op::GetBit => (&mixed[0..2], I32),
        Op::SetBit => (&mixed[0..3], prim),
        Op::Fma | Op::Mad | Op::Lerp | Op::MadHi => (times(prim, 3), prim),
        Op::Add
        | Op::Sub
        | Op::Mul
        | Op::Div
        | Op::Mod
        | Op::Quot
        | Op::Rem
        | Op::Pow
        | Op::And
        | Op::Or
        | Op::Xor
        | Op::Shl
        | Op::Shr
        | Op::UShr
        | Op::Min
        | Op::Max
        | Op::MulHi
        | Op::Atan2
        | Op::Atan2Pi
        | Op::Hypot
        | Op::CopySign
        | Op::NextAfter => (times(prim, 2), prim),
        Op::Neg | Op::Not | Op::Conj | Op::Sgn | Op::Floor | Op::Ceil | Op::Round | Op::Trunc | Op::Gamma | Op::Lgamma | function_op!() => {
            (times(prim, 1), prim)
        }
    }
}

#[cfg(test)]
mod tests;
