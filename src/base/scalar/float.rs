//! Float operations.

use super::{Op, OpError};
use half::f16;

/// What the three float types share.
pub trait Float: Copy + PartialOrd + Send + Sync + 'static {
    /// A binary operation with result of the same type. Operations that floats lack give [`OpError::Operands`].
    fn binary(op: Op, a: Self, b: Self) -> Result<Self, OpError>;
    /// A unary operation with result of the same type; `None` for operations that floats lack.
    fn unary(op: Op, a: Self) -> Option<Self>;
    /// `fma`, `mad`, `lerp`.
    fn ternary(op: Op, a: Self, b: Self, c: Self) -> Option<Self>;
    /// `a * 2^exponent`.
    fn ldexp(a: Self, exponent: i32) -> Self;
}

macro_rules! float {
    ($t:ident, $consts:ident, $tgamma:ident, $lgamma:ident, $erf:ident, $erfc:ident, $exp10:ident, $nextafter:ident, $ldexp:ident, $asinh:ident, $acosh:ident, $atanh:ident) => {
        impl Float for $t {
            #[inline(always)]
            fn binary(op: Op, a: $t, b: $t) -> Result<$t, OpError> {
                Ok(match op {
                    Op::Add => a + b,
                    Op::Sub => a - b,
                    Op::Mul => a * b,
                    Op::Div => a / b,
                    Op::Mod => a % b,
                    Op::Pow => a.powf(b),
                    Op::Min => {
                        if b.is_nan() || a < b || (a == b && a.is_sign_negative()) {
                            a
                        } else {
                            b
                        }
                    }
                    Op::Max => {
                        if b.is_nan() || a > b || (a == b && b.is_sign_negative()) {
                            a
                        } else {
                            b
                        }
                    }
                    Op::Atan2 => a.atan2(b),
                    Op::Atan2Pi => a.atan2(b) / std::$consts::consts::PI,
                    Op::Hypot => a.hypot(b),
                    Op::CopySign => a.copysign(b),
                    Op::ZeroOr => {
                        if a == 0.0 {
                            0.0
                        } else {
                            b
                        }
                    }
                    Op::NextAfter => libm::$nextafter(a, b),
                    _ => return Err(OpError::Operands),
                })
            }
            #[inline(always)]
            fn unary(op: Op, a: $t) -> Option<$t> {
                const PI: $t = std::$consts::consts::PI;
                // x - 2 * round(x / 2) is exact and lies in [-1, 1]; sin and cos of its product with pi equal those of x.
                let turn = |x: $t| x - 2.0 * (x / 2.0).round_ties_even();
                let sinpi = |x: $t| {
                    let r = turn(x);
                    let folded = if r.abs() > 0.5 { (1.0 as $t).copysign(r) - r } else { r };
                    (folded * PI).sin()
                };
                let cospi = |x: $t| ((0.5 - turn(x).abs()) * PI).sin();
                Some(match op {
                    Op::Neg => -a,
                    Op::Abs => a.abs(),
                    Op::Sgn => {
                        if a > 0.0 {
                            1.0
                        } else if a < 0.0 {
                            -1.0
                        } else {
                            a
                        }
                    }
                    Op::Sqrt => a.sqrt(),
                    Op::Rsqrt => 1.0 / a.sqrt(),
                    Op::Recip => 1.0 / a,
                    Op::Cbrt => a.cbrt(),
                    Op::Exp => a.exp(),
                    Op::Exp2 => a.exp2(),
                    Op::Exp10 => libm::$exp10(a),
                    Op::Expm1 => a.exp_m1(),
                    Op::Log => a.ln(),
                    Op::Log2 => a.log2(),
                    Op::Log10 => a.log10(),
                    Op::Log1p => a.ln_1p(),
                    Op::Sin => a.sin(),
                    Op::Cos => a.cos(),
                    Op::Tan => a.tan(),
                    Op::Asin => a.asin(),
                    Op::Acos => a.acos(),
                    Op::Atan => a.atan(),
                    Op::Sinh => a.sinh(),
                    Op::Cosh => a.cosh(),
                    Op::Tanh => a.tanh(),
                    Op::Asinh => libm::$asinh(a),
                    // `libm` has numbers for some large negative ones.
                    Op::Acosh => {
                        if a < 1.0 {
                            $t::NAN
                        } else {
                            libm::$acosh(a)
                        }
                    }
                    Op::Atanh => libm::$atanh(a),
                    Op::SinPi => sinpi(a),
                    Op::CosPi => cospi(a),
                    Op::TanPi => sinpi(a) / cospi(a),
                    Op::AsinPi => a.asin() / PI,
                    Op::AcosPi => a.acos() / PI,
                    Op::AtanPi => a.atan() / PI,
                    Op::Floor => a.floor(),
                    Op::Ceil => a.ceil(),
                    Op::Round => a.round_ties_even(),
                    Op::Trunc => a.trunc(),
                    Op::Gamma => libm::$tgamma(a),
                    Op::Lgamma => libm::$lgamma(a),
                    Op::Erf => libm::$erf(a),
                    Op::Erfc => libm::$erfc(a),
                    _ => return None,
                })
            }
            #[inline(always)]
            fn ternary(op: Op, a: $t, b: $t, c: $t) -> Option<$t> {
                Some(match op {
                    Op::Fma => a.mul_add(b, c),
                    Op::Mad => a * b + c,
                    Op::Lerp => a + (b - a) * c,
                    _ => return None,
                })
            }
            fn ldexp(a: $t, exponent: i32) -> $t {
                libm::$ldexp(a, exponent)
            }
        }
    };
}

float!(f32, f32, tgammaf, lgammaf, erff, erfcf, exp10f, nextafterf, ldexpf, asinhf, acoshf, atanhf);
float!(f64, f64, tgamma, lgamma, erf, erfc, exp10, nextafter, ldexp, asinh, acosh, atanh);

impl Float for f16 {
    #[inline(always)]
    fn binary(op: Op, a: f16, b: f16) -> Result<f16, OpError> {
        if op == Op::NextAfter {
            return Ok(next_after(a, b));
        }
        f32::binary(op, a.to_f32(), b.to_f32()).map(f16::from_f32)
    }
    #[inline(always)]
    fn unary(op: Op, a: f16) -> Option<f16> {
        f32::unary(op, a.to_f32()).map(f16::from_f32)
    }
    /// `fma` and the others: products of halves are exact in doubles, and sums are rounded to odd there.
    #[inline(always)]
    fn ternary(op: Op, a: f16, b: f16, c: f16) -> Option<f16> {
        match op {
            Op::Fma => Some(half_of(sum_to_odd(a.to_f64() * b.to_f64(), c.to_f64()))),
            Op::Mad => Some(a * b + c),
            Op::Lerp => Some(a + (b - a) * c),
            _ => None,
        }
    }
    fn ldexp(a: f16, exponent: i32) -> f16 {
        half_of(libm::ldexp(a.to_f64(), exponent))
    }
}

/// The half nearest to a double, rounded once. (Converting by way of a single rounds twice; it does no harm where the single is rounded to odd,
/// since it has more than two bits more than a half: Boldo and Melquiond, 2008, "Emulation of FMA and correctly rounded sums", section III.)
pub fn half_of(x: f64) -> f16 {
    let near = x as f32;
    if !x.is_finite() || f64::from(near) == x {
        return f16::from_f32(near);
    }
    let toward_zero = if f64::from(near).abs() > x.abs() { near.to_bits() - 1 } else { near.to_bits() };
    f16::from_f32(f32::from_bits(toward_zero | 1))
}

/// The sum rounded to odd: where it is not exact, the one of the two doubles next to it whose last bit is 1 (Boldo and Melquiond, as above).
fn sum_to_odd(a: f64, b: f64) -> f64 {
    let sum = a + b;
    // What the rounding has lost (Knuth's exact sum of two).
    let part = sum - a;
    let lost = (a - (sum - part)) + (b - part);
    if !sum.is_finite() || lost == 0.0 || sum.to_bits() & 1 == 1 {
        return sum;
    }
    f64::from_bits(if (lost > 0.0) == (sum > 0.0) { sum.to_bits() + 1 } else { sum.to_bits() - 1 })
}

fn next_after(a: f16, b: f16) -> f16 {
    if a.is_nan() || b.is_nan() {
        return f16::NAN;
    }
    if a == b {
        return b;
    }
    if a == f16::from_bits(0) {
        return f16::from_bits(1 | (b.to_bits() & 0x8000));
    }
    let away = (a < b) == a.is_sign_positive();
    f16::from_bits(if away { a.to_bits() + 1 } else { a.to_bits() - 1 })
}
