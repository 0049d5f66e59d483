//! The operations: their names, the types that have them, and the types of their operands and results.

use super::PrimType;

/// What a scalar operation computes, for operands of the types that [`params`](super::ScalarOp::params) says.
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
    /// 0 where the first operand is 0, and else the second one. Derivatives are made of it; programs cannot call it.
    ZeroOr,
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
pub(super) enum Class {
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
    pub(super) fn has(self, prim: PrimType) -> bool {
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
pub(super) const OPS: &[(&str, Op, Class)] = &[
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
    // Of truth values these are others of the language's operators: the names above and below are those that core has.
    ("&", Op::And, Class::Bool),
    ("|", Op::Or, Class::Bool),
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
    ("zero_or", Op::ZeroOr, Class::Float),
    ("==", Op::Eq, Class::All),
    ("!=", Op::Ne, Class::All),
    ("^", Op::Ne, Class::Bool),
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

/// The types of the parameters and of the result of `op` at type `prim`.
pub(super) fn signature(op: Op, prim: PrimType) -> (&'static [PrimType], PrimType) {
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
        | Op::NextAfter
        | Op::ZeroOr => (times(prim, 2), prim),
        Op::Neg | Op::Not | Op::Conj | Op::Sgn | Op::Floor | Op::Ceil | Op::Round | Op::Trunc | Op::Gamma | Op::Lgamma | function_op!() => {
            (times(prim, 1), prim)
        }
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
