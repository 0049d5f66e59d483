//! Scalar operations on [`Scalar`]s.

use super::{Float, Int, Op, OpError, ScalarOp, complex};
use crate::base::{PrimType, Scalar};
use half::f16;

/// Applies `$body` to the payloads of two operands of the same type, by class of type.
macro_rules! same2 {
    ($a:expr, $b:expr; int($x:ident, $y:ident, $make:ident) => $int:expr; float => $float:expr; bool => $bool:expr) => {
        match ($a, $b) {
            (Scalar::F64($x), Scalar::F64($y)) => {
                #[allow(unused_variables)]
                let $make = Scalar::F64;
                $float
            }
            (Scalar::I64($x), Scalar::I64($y)) => {
                #[allow(unused_variables)]
                let $make = Scalar::I64;
                $int
            }
            (Scalar::I32($x), Scalar::I32($y)) => {
                #[allow(unused_variables)]
                let $make = Scalar::I32;
                $int
            }
            (Scalar::F32($x), Scalar::F32($y)) => {
                #[allow(unused_variables)]
                let $make = Scalar::F32;
                $float
            }
            (Scalar::I8($x), Scalar::I8($y)) => {
                #[allow(unused_variables)]
                let $make = Scalar::I8;
                $int
            }
            (Scalar::I16($x), Scalar::I16($y)) => {
                #[allow(unused_variables)]
                let $make = Scalar::I16;
                $int
            }
            (Scalar::U8($x), Scalar::U8($y)) => {
                #[allow(unused_variables)]
                let $make = Scalar::U8;
                $int
            }
            (Scalar::U16($x), Scalar::U16($y)) => {
                #[allow(unused_variables)]
                let $make = Scalar::U16;
                $int
            }
            (Scalar::U32($x), Scalar::U32($y)) => {
                #[allow(unused_variables)]
                let $make = Scalar::U32;
                $int
            }
            (Scalar::U64($x), Scalar::U64($y)) => {
                #[allow(unused_variables)]
                let $make = Scalar::U64;
                $int
            }
            (Scalar::F16($x), Scalar::F16($y)) => {
                #[allow(unused_variables)]
                let $make = Scalar::F16;
                $float
            }
            (Scalar::Bool($x), Scalar::Bool($y)) => $bool,
            _ => Err(OpError::Operands),
        }
    };
}

/// `same!` for one operand.
macro_rules! same1 {
    ($a:expr; int($x:ident, $make:ident) => $int:expr; float => $float:expr; bool => $bool:expr) => {
        match $a {
            Scalar::F64($x) => {
                #[allow(unused_variables)]
                let $make = Scalar::F64;
                $float
            }
            Scalar::I64($x) => {
                #[allow(unused_variables)]
                let $make = Scalar::I64;
                $int
            }
            Scalar::I32($x) => {
                #[allow(unused_variables)]
                let $make = Scalar::I32;
                $int
            }
            Scalar::F32($x) => {
                #[allow(unused_variables)]
                let $make = Scalar::F32;
                $float
            }
            Scalar::I8($x) => {
                #[allow(unused_variables)]
                let $make = Scalar::I8;
                $int
            }
            Scalar::I16($x) => {
                #[allow(unused_variables)]
                let $make = Scalar::I16;
                $int
            }
            Scalar::U8($x) => {
                #[allow(unused_variables)]
                let $make = Scalar::U8;
                $int
            }
            Scalar::U16($x) => {
                #[allow(unused_variables)]
                let $make = Scalar::U16;
                $int
            }
            Scalar::U32($x) => {
                #[allow(unused_variables)]
                let $make = Scalar::U32;
                $int
            }
            Scalar::U64($x) => {
                #[allow(unused_variables)]
                let $make = Scalar::U64;
                $int
            }
            Scalar::F16($x) => {
                #[allow(unused_variables)]
                let $make = Scalar::F16;
                $float
            }
            Scalar::Bool($x) => $bool,
            Scalar::C64(_) | Scalar::C128(_) => Err(OpError::Operands),
        }
    };
}

#[inline(always)]
fn compare<T: PartialOrd>(op: Op, a: T, b: T) -> Option<bool> {
    Some(match op {
        Op::Eq => a == b,
        Op::Ne => a != b,
        Op::Lt => a < b,
        Op::Le => a <= b,
        Op::Gt => a > b,
        Op::Ge => a >= b,
        _ => return None,
    })
}

impl ScalarOp {
    /// The result for these operands. Fails with [`OpError::Operands`] where they do not fit [`ScalarOp::params`].
    pub fn apply(&self, operands: &[Scalar]) -> Result<Scalar, OpError> {
        match *operands {
            [a] => self.apply1(a),
            [a, b] => self.apply2(a, b),
            [a, b, c] => self.apply3(a, b, c),
            _ => Err(OpError::Operands),
        }
    }

    /// The result of a unary operation.
    #[inline]
    pub fn apply1(&self, a: Scalar) -> Result<Scalar, OpError> {
        let op = self.op;
        if self.prim.is_complex() {
            return complex::apply(*self, &[a]);
        }
        match op {
            Op::Convert(_) | Op::ToI64 | Op::ToF64 => return Ok(convert(self.result, a)),
            Op::ToBits | Op::FromBits => return bits(self.prim, op, a),
            Op::IsNan => return a.as_f64().map(|x| Scalar::Bool(x.is_nan())).ok_or(OpError::Operands),
            Op::IsInf => return a.as_f64().map(|x| Scalar::Bool(x.is_infinite())).ok_or(OpError::Operands),
            _ => {}
        }
        same1!(a;
            int(x, make) => Int::unary(op, x).map(make).or_else(|| Int::count(op, x).map(Scalar::I32)).ok_or(OpError::Operands);
            float => Float::unary(op, x).map(make).ok_or(OpError::Operands);
            bool => if op == Op::Not { Ok(Scalar::Bool(!x)) } else { Err(OpError::Operands) })
    }

    /// The result of a binary operation.
    #[inline]
    pub fn apply2(&self, a: Scalar, b: Scalar) -> Result<Scalar, OpError> {
        let op = self.op;
        if self.prim.is_complex() {
            return complex::apply(*self, &[a, b]);
        }
        match op {
            Op::Ldexp | Op::GetBit | Op::FromFraction => return self.mixed2(a, b),
            _ => {}
        }
        same2!(a, b;
        int(x, y, make) => match compare(op, x, y) {
            Some(truth) => Ok(Scalar::Bool(truth)),
            None => Int::binary(op, x, y).map(make),
        };
        float => match compare(op, x, y) {
            Some(truth) => Ok(Scalar::Bool(truth)),
            None => Float::binary(op, x, y).map(make),
        };
        bool => match (op, compare(op, x, y)) {
            (_, Some(truth)) => Ok(Scalar::Bool(truth)),
            (Op::And, _) => Ok(Scalar::Bool(x && y)),
            (Op::Or, _) => Ok(Scalar::Bool(x || y)),
            _ => Err(OpError::Operands),
        })
    }

    fn mixed2(&self, a: Scalar, b: Scalar) -> Result<Scalar, OpError> {
        match (self.op, a, b) {
            (Op::FromFraction, Scalar::I64(x), Scalar::I64(y)) => Ok(match self.prim {
                PrimType::F32 => Scalar::F32(x as f32 / y as f32),
                other => Scalar::from_f64(other, x as f64 / y as f64),
            }),
            (Op::Ldexp, Scalar::F16(x), Scalar::I32(e)) => Ok(Scalar::F16(f16::ldexp(x, e))),
            (Op::Ldexp, Scalar::F32(x), Scalar::I32(e)) => Ok(Scalar::F32(<f32 as Float>::ldexp(x, e))),
            (Op::Ldexp, Scalar::F64(x), Scalar::I32(e)) => Ok(Scalar::F64(<f64 as Float>::ldexp(x, e))),
            (Op::GetBit, Scalar::I32(i), value) => same1!(value;
                int(x, _make) => Ok(Scalar::I32(Int::get_bit(i, x)));
                float => self.mixed2(a, bits(self.prim, Op::ToBits, { let _ = x; value })?);
                bool => { let _ = x; Err(OpError::Operands) }),
            _ => Err(OpError::Operands),
        }
    }

    /// The result of an operation with three operands.
    pub fn apply3(&self, a: Scalar, b: Scalar, c: Scalar) -> Result<Scalar, OpError> {
        let op = self.op;
        match (op, a, b, c) {
            (Op::SetBit, Scalar::I32(i), value, Scalar::I32(bit)) => same1!(value;
                int(x, make) => Ok(make(Int::set_bit(i, x, bit)));
                float => {
                    let _ = x;
                    let word = self.apply3(a, bits(self.prim, Op::ToBits, value)?, c)?;
                    bits(self.prim, Op::FromBits, word)
                };
                bool => { let _ = x; Err(OpError::Operands) }),
            (_, Scalar::F16(x), Scalar::F16(y), Scalar::F16(z)) => f16::ternary(op, x, y, z).map(Scalar::F16).ok_or(OpError::Operands),
            (_, Scalar::F32(x), Scalar::F32(y), Scalar::F32(z)) => f32::ternary(op, x, y, z).map(Scalar::F32).ok_or(OpError::Operands),
            (_, Scalar::F64(x), Scalar::F64(y), Scalar::F64(z)) => f64::ternary(op, x, y, z).map(Scalar::F64).ok_or(OpError::Operands),
            (Op::MadHi, ..) => {
                let high = ScalarOp { op: Op::MulHi, ..*self }.apply2(a, b)?;
                ScalarOp { op: Op::Add, ..*self }.apply2(high, c)
            }
            _ => Err(OpError::Operands),
        }
    }
}

/// The value as a value of type `to`.
#[inline]
pub fn convert(to: PrimType, a: Scalar) -> Scalar {
    match (to, a) {
        (PrimType::I64, Scalar::I64(_)) | (PrimType::F64, Scalar::F64(_)) => a,
        (PrimType::F32, Scalar::F16(x)) => Scalar::F32(x.to_f32()),
        (PrimType::F16, Scalar::F32(x)) => Scalar::F16(f16::from_f32(x)),
        (PrimType::F64, Scalar::I64(x)) => Scalar::F64(x as f64),
        (PrimType::F64, Scalar::I32(x)) => Scalar::F64(x.into()),
        (PrimType::F32, Scalar::I32(x)) => Scalar::F32(x as f32),
        (PrimType::I64, Scalar::I32(x)) => Scalar::I64(x.into()),
        (PrimType::I32, Scalar::I64(x)) => Scalar::I32(x as i32),
        _ => match (a.as_f64(), a.as_i128()) {
            (Some(x), _) => Scalar::from_f64(to, x),
            (None, Some(x)) => Scalar::from_i128(to, x),
            (None, None) => a,
        },
    }
}

fn bits(prim: PrimType, op: Op, a: Scalar) -> Result<Scalar, OpError> {
    match (op, prim, a) {
        (Op::ToBits, PrimType::F16, Scalar::F16(x)) => Ok(Scalar::U16(x.to_bits())),
        (Op::ToBits, PrimType::F32, Scalar::F32(x)) => Ok(Scalar::U32(x.to_bits())),
        (Op::ToBits, PrimType::F64, Scalar::F64(x)) => Ok(Scalar::U64(x.to_bits())),
        (Op::FromBits, PrimType::F16, Scalar::U16(x)) => Ok(Scalar::F16(f16::from_bits(x))),
        (Op::FromBits, PrimType::F32, Scalar::U32(x)) => Ok(Scalar::F32(f32::from_bits(x))),
        (Op::FromBits, PrimType::F64, Scalar::U64(x)) => Ok(Scalar::F64(f64::from_bits(x))),
        _ => Err(OpError::Operands),
    }
}
