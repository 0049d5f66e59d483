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
mod ops;
mod partial;

pub use apply::convert;
pub use cost::Cost;
pub use float::{Float, half_of};
pub use int::Int;
pub use ops::Op;
pub(crate) use ops::function_op;
pub use partial::{Condition, OpError};

use super::{PrimType, Scalar, Span};
use half::f16;
use ops::{OPS, signature};
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

#[cfg(test)]
mod tests;
