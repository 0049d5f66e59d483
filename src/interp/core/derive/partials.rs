//! The derivative of each scalar operation by each of its operands.
//!
//! Where an operation is not smooth it is that of the branch taken: `min` and `max` follow the left one of equal operands, `abs` has 0 at 0.

use super::gamma::digamma;
use super::slope::Slope;
use super::{Number, Operators};
use crate::base::scalar::{Op, ScalarOp};
use crate::base::{PrimType, Scalar, Span};
use crate::interp::failure::Outcome;
use std::f64::consts::{LN_2, LN_10, PI};

/// Formulas over numbers of a type.
pub(super) struct Formula<'o> {
    pub on: &'o mut Operators,
    pub prim: PrimType,
    pub span: Span,
}

impl Formula<'_> {
    pub fn of(&mut self, op: Op, operands: &[&Number]) -> Outcome<Number> {
        let operands: Vec<Number> = operands.iter().map(|operand| (*operand).clone()).collect();
        self.on.apply(ScalarOp::new(op, self.prim), &operands, self.span)
    }
    pub fn num(&self, value: f64) -> Number {
        Number::Plain(Scalar::from_f64(self.prim, value))
    }
    pub fn add(&mut self, a: &Number, b: &Number) -> Outcome<Number> {
        self.of(Op::Add, &[a, b])
    }
    pub fn sub(&mut self, a: &Number, b: &Number) -> Outcome<Number> {
        self.of(Op::Sub, &[a, b])
    }
    pub fn mul(&mut self, a: &Number, b: &Number) -> Outcome<Number> {
        self.of(Op::Mul, &[a, b])
    }
    pub fn div(&mut self, a: &Number, b: &Number) -> Outcome<Number> {
        self.of(Op::Div, &[a, b])
    }
    fn neg(&mut self, a: &Number) -> Outcome<Number> {
        self.of(Op::Neg, &[a])
    }
    fn scaled(&mut self, a: &Number, by: f64) -> Outcome<Number> {
        let by = self.num(by);
        self.mul(a, &by)
    }
    pub fn plus(&mut self, a: &Number, b: f64) -> Outcome<Number> {
        let b = self.num(b);
        self.add(a, &b)
    }
    /// `1 - a`.
    pub fn rest(&mut self, a: &Number) -> Outcome<Number> {
        let one = self.num(1.0);
        self.sub(&one, a)
    }
    pub fn square(&mut self, a: &Number) -> Outcome<Number> {
        self.mul(a, a)
    }
    /// `c / a`.
    pub fn over(&mut self, c: f64, a: &Number) -> Outcome<Number> {
        let c = self.num(c);
        self.div(&c, a)
    }
    /// `c / a`, as a slope.
    fn inverse(&mut self, c: f64, a: &Number) -> Outcome<Slope> {
        self.over(c, a).map(Slope::Times)
    }
    /// `c / (a * by)`, as a slope.
    fn inverse_scaled(&mut self, c: f64, a: &Number, by: f64) -> Outcome<Slope> {
        let a = self.scaled(a, by)?;
        self.inverse(c, &a)
    }
    /// `c / sqrt (1 - a * a)`.
    fn arc(&mut self, c: f64, a: &Number) -> Outcome<Slope> {
        let square = self.square(a)?;
        let rest = self.rest(&square)?;
        let root = self.of(Op::Sqrt, &[&rest])?;
        self.inverse(c, &root)
    }
    /// `c / (a * a + 1)`.
    fn bell(&mut self, c: f64, a: &Number) -> Outcome<Slope> {
        let square = self.square(a)?;
        let sum = self.plus(&square, 1.0)?;
        self.inverse(c, &sum)
    }
    /// `c * (1 + y * y)`.
    fn tangent(&mut self, c: f64, y: &Number) -> Outcome<Slope> {
        let square = self.square(y)?;
        let sum = self.plus(&square, 1.0)?;
        self.scaled(&sum, c).map(Slope::Times)
    }
    /// `c * f a`.
    fn times(&mut self, c: f64, f: Op, a: &Number) -> Outcome<Slope> {
        let value = self.of(f, &[a])?;
        self.scaled(&value, c).map(Slope::Times)
    }
    /// `c / sqrt pi * exp (-a * a)`.
    fn gauss(&mut self, c: f64, a: &Number) -> Outcome<Slope> {
        let square = self.square(a)?;
        let negated = self.neg(&square)?;
        self.times(c / PI.sqrt(), Op::Exp, &negated)
    }
    /// The number without its derivatives, if it is a float.
    pub fn real(&self, a: &Number) -> f64 {
        a.scalar().as_f64().unwrap_or_else(|| crate::ice!(self.span, "a float is expected"))
    }
    /// For the number, whether it is 0.
    fn is_nan(&self, a: &Number) -> bool {
        a.scalar().as_f64().is_some_and(f64::is_nan)
    }
    fn is_zero(&self, a: &Number) -> bool {
        a.scalar() == Scalar::from_i128(self.prim, 0)
    }
}

/// How the result `y` of an operation changes with its operand `k`.
pub(super) fn slope(on: &mut Operators, op: ScalarOp, args: &[Number], y: &Number, k: usize, span: Span) -> Outcome<Slope> {
    let prim = op.prim;
    let mut f = Formula { on, prim, span };
    let a = &args[0];
    if prim.is_int() {
        return of_integers(&mut f, op.op, args, k);
    }
    match op.op {
        Op::Add => Ok(Slope::Keep),
        Op::Sub => Ok(if k == 0 { Slope::Keep } else { Slope::Flip }),
        Op::Mul => Ok(Slope::Times(args[1 - k].clone())),
        Op::Div if k == 0 => f.inverse(1.0, &args[1]),
        Op::Div => {
            let quotient = f.div(y, &args[1])?;
            f.neg(&quotient).map(Slope::Times)
        }
        Op::Mod if k == 0 => Ok(Slope::Keep),
        Op::Mod => {
            let quotient = f.div(a, &args[1])?;
            let whole = f.of(Op::Trunc, &[&quotient])?;
            f.neg(&whole).map(Slope::Times)
        }
        Op::Pow if k == 0 => by_base(&mut f, a, &args[1]),
        Op::Pow => by_exponent(&mut f, a, y),
        Op::Min | Op::Max => Ok(if follows_left(op.op, a, &args[1]) == (k == 0) { Slope::Keep } else { Slope::Zero }),
        Op::Atan2 => angle(&mut f, args, k, 1.0),
        Op::Atan2Pi => angle(&mut f, args, k, 1.0 / PI),
        Op::Hypot => f.div(&args[k], y).map(Slope::Times),
        Op::CopySign if k == 0 => {
            let (unit, one) = (f.of(Op::Sgn, &[a])?, f.num(1.0));
            let sign = f.of(Op::CopySign, &[&one, &args[1]])?;
            f.mul(&unit, &sign).map(Slope::Times)
        }
        Op::ZeroOr => Ok(if k == 1 && (!f.is_zero(a) || !f.is_nan(&args[1])) { Slope::Keep } else { Slope::Zero }),
        // As rounding does, it changes nothing much.
        Op::NextAfter if k == 0 => Ok(Slope::Keep),
        Op::Complex => Ok(if k == 0 { Slope::Real } else { Slope::Imag }),
        Op::Polar => polar(&mut f, &args[1], y, k),
        Op::Neg => Ok(Slope::Flip),
        Op::Abs if prim.is_complex() => {
            // 0 at 0.
            f.of(Op::Sgn, &[a]).map(Slope::Onto)
        }
        Op::Abs => f.of(Op::Sgn, &[a]).map(Slope::Times),
        Op::Sgn if prim.is_complex() && !f.is_zero(a) => {
            let size = f.of(Op::Abs, &[a])?;
            Ok(Slope::Turn(y.clone(), size))
        }
        Op::Conj => Ok(Slope::Conj),
        Op::Re => Ok(Slope::Re),
        Op::Im => Ok(Slope::Im),
        Op::Norm => f.scaled(a, 2.0).map(Slope::Onto),
        Op::Arg => argument(&mut f, a),
        Op::Lgamma => digamma(&mut f, a).map(Slope::Times),
        Op::Gamma => {
            let logarithmic = digamma(&mut f, a)?;
            f.mul(y, &logarithmic).map(Slope::Times)
        }
        Op::Convert(from) if from == prim => Ok(Slope::Keep),
        Op::Convert(from) if !from.is_inexact() => Ok(Slope::Zero),
        Op::Convert(from) => Ok(Slope::Convert(from, prim)),
        Op::ToF64 if prim == PrimType::F64 => Ok(Slope::Keep),
        Op::ToF64 => Ok(Slope::Convert(prim, PrimType::F64)),
        Op::Ldexp => Ok(Slope::Scale(args[1].clone())),
        Op::Fma | Op::Mad => Ok(if k == 2 { Slope::Keep } else { Slope::Times(args[1 - k].clone()) }),
        Op::Lerp if k == 0 => f.rest(&args[2]).map(Slope::Times),
        Op::Lerp if k == 1 => Ok(Slope::Times(args[2].clone())),
        Op::Lerp => f.sub(&args[1], a).map(Slope::Times),
        // The slope is 0 almost everywhere, or these are operations on integers.
        Op::CopySign | Op::NextAfter | Op::Sgn | Op::Floor | Op::Ceil | Op::Round | Op::Trunc => Ok(Slope::Zero),
        Op::Quot | Op::Rem | Op::And | Op::Or | Op::Xor | Op::Not | Op::Shl | Op::Shr | Op::UShr | Op::MulHi | Op::MadHi => Ok(Slope::Zero),
        Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge | Op::IsNan | Op::IsInf | Op::Popc | Op::Clz | Op::Ctz => Ok(Slope::Zero),
        Op::ToBits | Op::FromBits | Op::ToI64 | Op::FromFraction | Op::GetBit | Op::SetBit => Ok(Slope::Zero),
        other @ (Op::Sqrt | Op::Rsqrt | Op::Recip | Op::Cbrt | Op::Exp | Op::Exp2 | Op::Exp10 | Op::Expm1) => power(&mut f, other, a, y),
        other @ (Op::Log | Op::Log2 | Op::Log10 | Op::Log1p | Op::Erf | Op::Erfc) => power(&mut f, other, a, y),
        other @ (Op::Sin | Op::Cos | Op::Tan | Op::Asin | Op::Acos | Op::Atan) => circular(&mut f, other, a, y),
        other @ (Op::SinPi | Op::CosPi | Op::TanPi | Op::AsinPi | Op::AcosPi | Op::AtanPi) => circular(&mut f, other, a, y),
        other @ (Op::Sinh | Op::Cosh | Op::Tanh | Op::Asinh | Op::Acosh | Op::Atanh) => hyperbolic(&mut f, other, a, y),
    }
}

/// The operations on integers that are polynomials, and choices. What rounds and what looks at bits is constant between its steps.
#[expect(clippy::wildcard_enum_match_arm, reason = "the derivative of all others is 0")]
fn of_integers(f: &mut Formula, op: Op, args: &[Number], k: usize) -> Outcome<Slope> {
    let a = &args[0];
    match op {
        Op::Add => Ok(Slope::Keep),
        Op::Sub => Ok(if k == 0 { Slope::Keep } else { Slope::Flip }),
        Op::Neg => Ok(Slope::Flip),
        Op::Mul => Ok(Slope::Times(args[1 - k].clone())),
        Op::Mod | Op::Rem if k == 0 => Ok(Slope::Keep),
        Op::Pow if k == 0 => {
            // An exponent of 0 makes a constant; there is no power with the exponent before that.
            let one = f.num(1.0);
            let exponent = f.of(Op::Max, &[&args[1], &one])?;
            let less = f.sub(&exponent, &one)?;
            let power = f.of(Op::Pow, &[a, &less])?;
            f.mul(&args[1], &power).map(Slope::Times)
        }
        Op::Min | Op::Max => {
            let better = f.of(if op == Op::Min { Op::Le } else { Op::Ge }, &[a, &args[1]])?;
            Ok(if (better.scalar() == Scalar::Bool(true)) == (k == 0) { Slope::Keep } else { Slope::Zero })
        }
        Op::Abs => f.of(Op::Sgn, &[a]).map(Slope::Times),
        Op::Convert(from) if from == f.prim => Ok(Slope::Keep),
        Op::Convert(from) if from.is_int() => Ok(Slope::Convert(from, f.prim)),
        _ => Ok(Slope::Zero),
    }
}

/// Roots, exponentials, logarithms, and the error function.
#[expect(clippy::wildcard_enum_match_arm, reason = "`slope` lists all operations")]
fn power(f: &mut Formula, op: Op, a: &Number, y: &Number) -> Outcome<Slope> {
    match op {
        Op::Sqrt => f.inverse_scaled(1.0, y, 2.0),
        Op::Rsqrt => {
            let half = f.scaled(y, -0.5)?;
            f.div(&half, a).map(Slope::Times)
        }
        Op::Recip => {
            let square = f.square(y)?;
            f.neg(&square).map(Slope::Times)
        }
        Op::Cbrt => {
            let square = f.square(y)?;
            f.inverse_scaled(1.0, &square, 3.0)
        }
        Op::Exp => Ok(Slope::Times(y.clone())),
        Op::Exp2 => f.scaled(y, LN_2).map(Slope::Times),
        Op::Exp10 => f.scaled(y, LN_10).map(Slope::Times),
        Op::Expm1 => f.plus(y, 1.0).map(Slope::Times),
        Op::Log => f.inverse(1.0, a),
        Op::Log2 => f.inverse_scaled(1.0, a, LN_2),
        Op::Log10 => f.inverse_scaled(1.0, a, LN_10),
        Op::Log1p => {
            let sum = f.plus(a, 1.0)?;
            f.inverse(1.0, &sum)
        }
        Op::Erf => f.gauss(2.0, a),
        Op::Erfc => f.gauss(-2.0, a),
        other => crate::ice!(f.span, "{other:?} is no power"),
    }
}

/// Circular functions and their inverses.
#[expect(clippy::wildcard_enum_match_arm, reason = "`slope` lists all operations")]
fn circular(f: &mut Formula, op: Op, a: &Number, y: &Number) -> Outcome<Slope> {
    match op {
        Op::Sin => f.times(1.0, Op::Cos, a),
        Op::Cos => f.times(-1.0, Op::Sin, a),
        Op::Tan => f.tangent(1.0, y),
        Op::Asin => f.arc(1.0, a),
        Op::Acos => f.arc(-1.0, a),
        Op::Atan => f.bell(1.0, a),
        Op::SinPi => f.times(PI, Op::CosPi, a),
        Op::CosPi => f.times(-PI, Op::SinPi, a),
        Op::TanPi => f.tangent(PI, y),
        Op::AsinPi => f.arc(1.0 / PI, a),
        Op::AcosPi => f.arc(-1.0 / PI, a),
        Op::AtanPi => f.bell(1.0 / PI, a),
        other => crate::ice!(f.span, "{other:?} is not circular"),
    }
}

/// Hyperbolic functions and their inverses.
#[expect(clippy::wildcard_enum_match_arm, reason = "`slope` lists all operations")]
fn hyperbolic(f: &mut Formula, op: Op, a: &Number, y: &Number) -> Outcome<Slope> {
    match op {
        Op::Sinh => f.times(1.0, Op::Cosh, a),
        Op::Cosh => f.times(1.0, Op::Sinh, a),
        Op::Tanh => {
            let square = f.square(y)?;
            f.rest(&square).map(Slope::Times)
        }
        Op::Asinh => {
            let square = f.square(a)?;
            let sum = f.plus(&square, 1.0)?;
            let root = f.of(Op::Sqrt, &[&sum])?;
            f.inverse(1.0, &root)
        }
        Op::Acosh => {
            // Two roots: the one of the product has other branches.
            let (less, more) = (f.plus(a, -1.0)?, f.plus(a, 1.0)?);
            let (less, more) = (f.of(Op::Sqrt, &[&less])?, f.of(Op::Sqrt, &[&more])?);
            let product = f.mul(&less, &more)?;
            f.inverse(1.0, &product)
        }
        Op::Atanh => {
            let square = f.square(a)?;
            let rest = f.rest(&square)?;
            f.inverse(1.0, &rest)
        }
        other => crate::ice!(f.span, "{other:?} is not hyperbolic"),
    }
}

/// `a ** b` by `a`: 0 where it would be infinite at 0.
fn by_base(f: &mut Formula, a: &Number, b: &Number) -> Outcome<Slope> {
    if f.is_zero(a) && f.prim.is_float() && b.scalar().as_f64().is_some_and(|b| b < 1.0) {
        return Ok(Slope::Zero);
    }
    if f.prim.is_complex() && f.is_zero(b) {
        return Ok(Slope::Zero);
    }
    let less = f.plus(b, -1.0)?;
    let power = f.of(Op::Pow, &[a, &less])?;
    f.mul(b, &power).map(Slope::Times)
}

/// `a ** b` by `b`: 0 where `a` has no logarithm.
fn by_exponent(f: &mut Formula, a: &Number, y: &Number) -> Outcome<Slope> {
    let has_log = if f.prim.is_complex() { !f.is_zero(a) } else { a.scalar().as_f64().is_some_and(|a| a > 0.0) };
    if !has_log {
        return Ok(Slope::Zero);
    }
    let log = f.of(Op::Log, &[a])?;
    f.mul(y, &log).map(Slope::Times)
}

/// Whether the least or greatest one is the left one: of equal ones it is, and beside NaN.
fn follows_left(op: Op, a: &Number, b: &Number) -> bool {
    let (Some(a), Some(b)) = (a.scalar().as_f64(), b.scalar().as_f64()) else { return true };
    b.is_nan() || if op == Op::Min { a <= b } else { a >= b }
}

/// `c * atan2 a b`.
fn angle(f: &mut Formula, args: &[Number], k: usize, c: f64) -> Outcome<Slope> {
    let (aa, bb) = (f.square(&args[0])?, f.square(&args[1])?);
    let sum = f.add(&aa, &bb)?;
    let part = f.scaled(&args[1 - k], if k == 0 { c } else { -c })?;
    f.div(&part, &sum).map(Slope::Times)
}

/// The number with a magnitude and an angle, by either.
fn polar(f: &mut Formula, angle: &Number, y: &Number, k: usize) -> Outcome<Slope> {
    if k == 0 {
        let one = Number::Plain(Scalar::from_i128(angle.prim(), 1));
        return f.of(Op::Polar, &[&one, angle]).map(Slope::Along);
    }
    let i = imaginary_unit(f.prim);
    f.mul(&i, y).map(Slope::Along)
}

fn imaginary_unit(prim: PrimType) -> Number {
    let part = prim.part().unwrap_or(prim);
    let unit = Scalar::complex(Scalar::from_i128(part, 0), Scalar::from_i128(part, 1));
    Number::Plain(unit.unwrap_or(Scalar::from_i128(prim, 0)))
}

/// The angle of `z`: `i * z / |z|**2`.
fn argument(f: &mut Formula, z: &Number) -> Outcome<Slope> {
    // `1 / conj z` is `z / |z|**2`.
    let conj = f.of(Op::Conj, &[z])?;
    let inverse = f.of(Op::Recip, &[&conj])?;
    let i = imaginary_unit(f.prim);
    f.mul(&i, &inverse).map(Slope::Onto)
}
