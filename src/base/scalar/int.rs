//! Integer operations.

use super::{Op, OpError};

/// What the eight integer types share.
pub trait Int: Copy + Ord + Send + Sync + 'static {
    /// Number of bits.
    const BITS: u32;
    /// A binary operation with result of the same type. Operations that integers lack give [`OpError::Operands`].
    fn binary(op: Op, a: Self, b: Self) -> Result<Self, OpError>;
    /// A unary operation with result of the same type; `None` for operations that integers lack.
    fn unary(op: Op, a: Self) -> Option<Self>;
    /// `popc`, `clz`, `ctz`.
    fn count(op: Op, a: Self) -> Option<i32>;
    /// Bit `i`.
    fn get_bit(i: i32, a: Self) -> i32;
    /// `a` with bit `i` replaced.
    fn set_bit(i: i32, a: Self, bit: i32) -> Self;
}

macro_rules! int {
    ($t:ident, $unsigned:ident, $wide:ident, signed: $signed:tt) => {
        impl Int for $t {
            const BITS: u32 = $t::BITS;
            #[inline(always)]
            fn binary(op: Op, a: $t, b: $t) -> Result<$t, OpError> {
                Ok(match op {
                    Op::Add => a.wrapping_add(b),
                    Op::Sub => a.wrapping_sub(b),
                    Op::Mul => a.wrapping_mul(b),
                    Op::Div if b == 0 => return Err(OpError::DivisionByZero),
                    Op::Mod if b == 0 => return Err(OpError::DivisionByZero),
                    Op::Quot if b == 0 => return Err(OpError::DivisionByZero),
                    Op::Rem if b == 0 => return Err(OpError::DivisionByZero),
                    Op::Div => {
                        let (quotient, remainder) = (a.wrapping_div(b), a.wrapping_rem(b));
                        if remainder != 0 && int!(@negative $signed, remainder ^ b) { quotient.wrapping_sub(1) } else { quotient }
                    }
                    Op::Mod => {
                        let remainder = a.wrapping_rem(b);
                        if remainder != 0 && int!(@negative $signed, remainder ^ b) { remainder.wrapping_add(b) } else { remainder }
                    }
                    Op::Quot => a.wrapping_div(b),
                    Op::Rem => a.wrapping_rem(b),
                    Op::Pow if int!(@negative $signed, b) => return Err(OpError::NegativeExponent),
                    Op::Pow => {
                        let (mut base, mut exponent, mut result) = (a, b, 1 as $t);
                        while exponent != 0 {
                            if exponent & 1 == 1 {
                                result = result.wrapping_mul(base);
                            }
                            base = base.wrapping_mul(base);
                            exponent >>= 1;
                        }
                        result
                    }
                    Op::And => a & b,
                    Op::Or => a | b,
                    Op::Xor => a ^ b,
                    Op::Shl => if (b as $unsigned) < $t::BITS as $unsigned { a << b } else { 0 },
                    Op::Shr => if (b as $unsigned) < $t::BITS as $unsigned { a >> b } else { int!(@sign $signed, a) },
                    Op::UShr => if (b as $unsigned) < $t::BITS as $unsigned { ((a as $unsigned) >> b) as $t } else { 0 },
                    Op::Min => a.min(b),
                    Op::Max => a.max(b),
                    Op::MulHi => ((a as $wide).wrapping_mul(b as $wide) >> $t::BITS) as $t,
                    _ => return Err(OpError::Operands),
                })
            }
            #[inline(always)]
            fn unary(op: Op, a: $t) -> Option<$t> {
                Some(match op {
                    Op::Neg => a.wrapping_neg(),
                    Op::Not => !a,
                    Op::Abs => int!(@abs $signed, a),
                    Op::Sgn => int!(@signum $signed, a),
                    _ => return None,
                })
            }
            #[inline(always)]
            fn count(op: Op, a: $t) -> Option<i32> {
                Some(match op {
                    Op::Popc => a.count_ones() as i32,
                    Op::Clz => a.leading_zeros() as i32,
                    Op::Ctz => a.trailing_zeros() as i32,
                    _ => return None,
                })
            }
            fn get_bit(i: i32, a: $t) -> i32 {
                if (i as u32) < $t::BITS { ((a >> i) & 1) as i32 } else { 0 }
            }
            fn set_bit(i: i32, a: $t, bit: i32) -> $t {
                if (i as u32) < $t::BITS { (a & !((1 as $t) << i)) | (((bit & 1) as $t) << i) } else { a }
            }
        }
    };
    (@negative true, $e:expr) => { $e < 0 };
    (@negative false, $e:expr) => { { let _ = $e; false } };
    (@sign true, $e:expr) => { if $e < 0 { -1 } else { 0 } };
    (@sign false, $e:expr) => { 0 };
    (@abs true, $e:expr) => { $e.wrapping_abs() };
    (@abs false, $e:expr) => { $e };
    (@signum true, $e:expr) => { $e.signum() };
    (@signum false, $e:expr) => { if $e == 0 { 0 } else { 1 } };
}

int!(i8, u8, i16, signed: true);
int!(i16, u16, i32, signed: true);
int!(i32, u32, i64, signed: true);
int!(i64, u64, i128, signed: true);
int!(u8, u8, u16, signed: false);
int!(u16, u16, u32, signed: false);
int!(u32, u32, u64, signed: false);
int!(u64, u64, u128, signed: false);
