//! The derivatives of scalar operations.
//!
//! Where an operation has a kink the derivative is that of one of its sides: `min` and `max` take their left operand when both are equal, `abs`
//! has 0 at 0. Complex numbers are pairs of real ones with the inner product `Re (u * conj v)`: the reverse of an analytic function is the
//! product with the conjugate of its derivative (Kreutz-Delgado, "The complex gradient operator and the CR-calculus", 2009, section 4).

use super::build::{Build, is_one, is_zero};
use super::poles;
use crate::base::mutation::mutated;
use crate::base::scalar::{Op, ScalarOp, function_op};
use crate::base::{PrimType, Scalar};
use crate::ir::soac::Operand;

/// A linear function of a tangent.
#[derive(Debug, Clone, Copy)]
enum Linear {
    Zero,
    One,
    MinusOne,
    Times(Operand),
    Over(Operand),
    /// The negated quotient.
    MinusOver(Operand),
    /// It, where this is true, and else 0.
    When(Operand),
}

/// A pattern: operations whose derivative is 0 nearly everywhere, or that are no functions of floats. [`is_polynomial`] has those on integers.
macro_rules! flat_op {
    () => {
        Op::Quot
            | Op::Rem
            | Op::And
            | Op::Or
            | Op::Xor
            | Op::Shl
            | Op::Shr
            | Op::UShr
            | Op::MulHi
            | Op::Eq
            | Op::Ne
            | Op::Lt
            | Op::Le
            | Op::Gt
            | Op::Ge
            | Op::Not
            | Op::Floor
            | Op::Ceil
            | Op::Round
            | Op::Trunc
            | Op::IsNan
            | Op::IsInf
            | Op::Popc
            | Op::Clz
            | Op::Ctz
            | Op::ToBits
            | Op::FromBits
            | Op::ToI64
            | Op::FromFraction
            | Op::GetBit
            | Op::MadHi
            | Op::SetBit
    };
}
pub(super) use flat_op;
/// A pattern: arithmetic, and other operations on several numbers of one type.
macro_rules! arithmetic_op {
    () => {
        Op::Add
            | Op::Sub
            | Op::Mul
            | Op::Div
            | Op::Mod
            | Op::Pow
            | Op::Min
            | Op::Max
            | Op::Atan2
            | Op::Atan2Pi
            | Op::Hypot
            | Op::CopySign
            | Op::NextAfter
            | Op::ZeroOr
            | Op::Neg
            | Op::Ldexp
            | Op::Fma
            | Op::Mad
            | Op::Lerp
    };
}
/// A pattern: what changes the type, or is no analytic function of complex numbers; `abs` is one of these for complex numbers only.
macro_rules! mixed_op {
    () => {
        Op::Complex | Op::Polar | Op::Conj | Op::Re | Op::Im | Op::Arg | Op::Norm | Op::Convert(_) | Op::ToF64
    };
}

/// Whether an operation has a derivative that is not 0 nearly everywhere.
pub(super) fn is_differentiable(op: ScalarOp) -> bool {
    if !op.prim.is_inexact() {
        return op.prim.is_int() && is_polynomial(op.op);
    }
    match op.op {
        // Between integers and floats, as rounding.
        Op::Convert(from) if !from.is_inexact() => false,
        flat_op!() => false,
        // Of a complex number it is the direction.
        Op::Sgn => op.prim.is_complex(),
        function_op!() | arithmetic_op!() | mixed_op!() | Op::Abs | Op::Gamma | Op::Lgamma => true,
    }
}

/// Whether an operation on integers has a derivative: it is a polynomial, or a choice. What rounds is constant between its steps.
#[expect(clippy::wildcard_enum_match_arm, reason = "few have one")]
fn is_polynomial(op: Op) -> bool {
    match op {
        Op::Add | Op::Sub | Op::Mul | Op::Neg | Op::Mod | Op::Rem | Op::Pow | Op::Min | Op::Max | Op::Abs => true,
        Op::Convert(from) => from.is_int(),
        _ => false,
    }
}

/// An operation with its operands and its result.
#[derive(Debug, Clone, Copy)]
pub(super) struct Applied<'a> {
    pub op: ScalarOp,
    pub args: &'a [Operand],
    pub result: Operand,
    /// Whether an operand may be infinite or NaN, although all arguments are finite.
    pub wild: bool,
}

impl Applied<'_> {
    /// Whether a slope may be infinite or NaN.
    fn is_steep(&self) -> bool {
        self.op.prim.is_inexact() && (self.wild || poles::of_slope(self.op, self.args))
    }
}

impl Build<'_> {
    /// The tangent of the result for those of the operands; none where it is 0.
    pub fn scalar_tangent(&mut self, applied: &Applied, tangents: &[Option<Operand>]) -> Option<Operand> {
        let mut sum: Option<Operand> = None;
        for (k, tangent) in tangents.iter().enumerate() {
            let Some(tangent) = *tangent else { continue };
            let term = match self.pushed(applied, k, tangent) {
                Some(term) if applied.is_steep() => Some(self.handed_on(tangent, term)),
                Some(term) => Some(term),
                None => {
                    let linear = self.partial(applied, k);
                    self.apply(linear, applied, tangent)
                }
            };
            sum = match (sum, term) {
                (Some(sum), Some(term)) => Some(self.add(sum, term)),
                (sum, term) => sum.or(term),
            };
        }
        sum
    }
    /// What operand `k` gets of the adjoint of the result; none where that is 0.
    pub fn scalar_adjoint(&mut self, applied: &Applied, k: usize, adjoint: Operand) -> Option<Operand> {
        if let Some(part) = self.pulled(applied, k, adjoint) {
            return Some(if applied.is_steep() { self.handed_on(adjoint, part) } else { part });
        }
        let prim = applied.op.prim;
        let mut linear = self.partial(applied, k);
        if prim.is_complex()
            && let Linear::Times(factor) | Linear::Over(factor) | Linear::MinusOver(factor) = &mut linear
        {
            *factor = self.op(Op::Conj, prim, &[*factor]);
        }
        self.apply(linear, applied, adjoint)
    }

    fn apply(&mut self, linear: Linear, applied: &Applied, x: Operand) -> Option<Operand> {
        let prim = applied.op.prim;
        let product = match linear {
            Linear::Zero => return None,
            Linear::One => return Some(x),
            Linear::MinusOne => return Some(self.op(Op::Neg, prim, &[x])),
            Linear::When(cond) => return Some(self.select(cond, x, Self::number(prim, 0.0))),
            _ if is_zero(x) => return None,
            Linear::Times(factor) if is_one(factor) => return Some(x),
            Linear::Times(factor) if is_one(x) => return Some(factor),
            Linear::Times(factor) => self.op(Op::Mul, prim, &[x, factor]),
            Linear::Over(divisor) => self.op(Op::Div, prim, &[x, divisor]),
            Linear::MinusOver(divisor) => {
                let quotient = self.op(Op::Div, prim, &[x, divisor]);
                self.op(Op::Neg, prim, &[quotient])
            }
        };
        let constant = matches!(linear, Linear::Times(Operand::Const(by)) | Linear::Over(Operand::Const(by)) if by.is_finite());
        Some(if applied.is_steep() && !constant { self.handed_on(x, product) } else { product })
    }

    /// Tangents of what is no analytic function of operands of its own type.
    fn pushed(&mut self, applied: &Applied, k: usize, dx: Operand) -> Option<Operand> {
        let Applied { op, args, result: y, .. } = *applied;
        let prim = op.prim;
        let part = prim.part().unwrap_or(prim);
        Some(match op.op {
            Op::Convert(_) | Op::ToF64 => self.scalar(op, &[dx]),
            Op::Re | Op::Im | Op::Conj => self.scalar(op, &[dx]),
            Op::Complex if k == 0 => self.op(Op::Complex, prim, &[dx, Self::number(part, 0.0)]),
            Op::Complex => self.op(Op::Complex, prim, &[Self::number(part, 0.0), dx]),
            Op::Polar => {
                let direction = self.polar_direction(k, args, y, prim);
                let (re, im) = self.parts(direction, prim);
                let (re, im) = (self.op(Op::Mul, part, &[re, dx]), self.op(Op::Mul, part, &[im, dx]));
                self.op(Op::Complex, prim, &[re, im])
            }
            Op::Sgn if prim.is_complex() => self.turned(args[0], y, dx, prim),
            Op::Abs | Op::Norm | Op::Arg if prim.is_complex() => {
                let gradient = self.gradient(op.op, args[0], y, prim);
                self.inner(gradient, dx, prim)
            }
            function_op!() | arithmetic_op!() | flat_op!() | Op::Sgn | Op::Abs | Op::Norm | Op::Arg | Op::Gamma | Op::Lgamma => {
                return None;
            }
        })
    }
    /// `pushed` in reverse.
    fn pulled(&mut self, applied: &Applied, k: usize, ay: Operand) -> Option<Operand> {
        let Applied { op, args, result: y, .. } = *applied;
        let prim = op.prim;
        let part = prim.part().unwrap_or(prim);
        Some(match op.op {
            Op::Convert(from) if prim.is_complex() && !from.is_complex() => {
                let re = self.op(Op::Re, prim, &[ay]);
                self.op(Op::Convert(part), from, &[re])
            }
            Op::Convert(from) => self.op(Op::Convert(prim), from, &[ay]),
            Op::ToF64 => self.op(Op::Convert(PrimType::F64), prim, &[ay]),
            Op::Re => self.op(Op::Complex, prim, &[ay, Self::number(part, 0.0)]),
            Op::Im => self.op(Op::Complex, prim, &[Self::number(part, 0.0), ay]),
            Op::Conj => self.scalar(op, &[ay]),
            Op::Complex if k == 0 => self.op(Op::Re, prim, &[ay]),
            Op::Complex => self.op(Op::Im, prim, &[ay]),
            Op::Polar => {
                let direction = self.polar_direction(k, args, y, prim);
                self.inner(direction, ay, prim)
            }
            Op::Sgn if prim.is_complex() => self.turned(args[0], y, ay, prim),
            Op::Abs | Op::Norm | Op::Arg if prim.is_complex() => {
                let gradient = self.gradient(op.op, args[0], y, prim);
                let (re, im) = self.parts(gradient, prim);
                let (re, im) = (self.op(Op::Mul, part, &[re, ay]), self.op(Op::Mul, part, &[im, ay]));
                self.op(Op::Complex, prim, &[re, im])
            }
            function_op!() | arithmetic_op!() | flat_op!() | Op::Sgn | Op::Abs | Op::Norm | Op::Arg | Op::Gamma | Op::Lgamma => {
                return None;
            }
        })
    }
    fn parts(&mut self, z: Operand, prim: PrimType) -> (Operand, Operand) {
        (self.op(Op::Re, prim, &[z]), self.op(Op::Im, prim, &[z]))
    }
    /// The real inner product of two complex numbers.
    fn inner(&mut self, u: Operand, v: Operand, prim: PrimType) -> Operand {
        let part = prim.part().unwrap_or(prim);
        let ((a, b), (c, d)) = (self.parts(u, prim), self.parts(v, prim));
        let (re, im) = (self.op(Op::Mul, part, &[a, c]), self.op(Op::Mul, part, &[b, d]));
        self.op(Op::Add, part, &[re, im])
    }
    /// The tangent of the direction `y` of a complex number: the part of its tangent across `y`, by the magnitude; 0 at 0. It is its own reverse.
    fn turned(&mut self, z: Operand, y: Operand, dz: Operand, prim: PrimType) -> Operand {
        let part = prim.part().unwrap_or(prim);
        let along = self.inner(y, dz, prim);
        let ((yr, yi), (dr, di)) = (self.parts(y, prim), self.parts(dz, prim));
        let size = self.op(Op::Abs, prim, &[z]);
        let zero = self.op(Op::Eq, part, &[size, Self::number(part, 0.0)]);
        let across = [(yr, dr), (yi, di)].map(|(y, d)| {
            let shadow = self.op(Op::Mul, part, &[along, y]);
            let across = self.op(Op::Sub, part, &[d, shadow]);
            let turned = self.op(Op::Div, part, &[across, size]);
            self.select(zero, Self::number(part, 0.0), turned)
        });
        self.op(Op::Complex, prim, &across)
    }
    /// The derivative of `polar r t` by one of its operands.
    fn polar_direction(&mut self, k: usize, args: &[Operand], y: Operand, prim: PrimType) -> Operand {
        let part = prim.part().unwrap_or(prim);
        if k == 0 {
            return self.op(Op::Polar, prim, &[Self::number(part, 1.0), args[1]]);
        }
        let (re, im) = self.parts(y, prim);
        let minus = self.op(Op::Neg, part, &[im]);
        self.op(Op::Complex, prim, &[minus, re])
    }
    /// The gradient of a real function of a complex number `z` with value `y`.
    fn gradient(&mut self, op: Op, z: Operand, y: Operand, prim: PrimType) -> Operand {
        let part = prim.part().unwrap_or(prim);
        let (re, im) = self.parts(z, prim);
        let (x, y) = if op == Op::Abs {
            // 0 at 0, and constant there.
            let nothing = Self::number(part, 0.0);
            let zero = self.op(Op::Eq, part, &[y, nothing]);
            let (re, im) = (self.op(Op::Div, part, &[re, y]), self.op(Op::Div, part, &[im, y]));
            (self.select(zero, nothing, re), self.select(zero, nothing, im))
        } else if op == Op::Norm {
            (self.op(Op::Add, part, &[re, re]), self.op(Op::Add, part, &[im, im]))
        } else {
            let norm = self.op(Op::Norm, prim, &[z]);
            let minus = self.op(Op::Neg, part, &[im]);
            (self.op(Op::Div, part, &[minus, norm]), self.op(Op::Div, part, &[re, norm]))
        };
        self.op(Op::Complex, prim, &[x, y])
    }

    /// The derivative of an operation by operand `k`.
    fn partial(&mut self, applied: &Applied, k: usize) -> Linear {
        let Applied { op, args, result: y, .. } = *applied;
        let prim = op.prim;
        let a = args[0];
        let num = |value: f64| Self::number(prim, value);
        if prim.is_int() && matches!(op.op, Op::Mod | Op::Rem) {
            return if k == 0 { Linear::One } else { Linear::Zero };
        }
        match op.op {
            Op::Add => Linear::One,
            Op::Sub => [Linear::One, Linear::MinusOne][k],
            Op::Mul => Linear::Times(args[1 - k]),
            Op::Div if k == 0 => Linear::Over(args[1]),
            Op::Div => {
                let quotient = self.op(Op::Div, prim, &[y, args[1]]);
                Linear::Times(mutated!(QuotientGrows, self.op(Op::Neg, prim, &[quotient]), quotient))
            }
            Op::Mod if k == 0 => Linear::One,
            Op::Mod => {
                let quotient = self.op(Op::Div, prim, &[a, args[1]]);
                let whole = self.op(Op::Trunc, prim, &[quotient]);
                Linear::Times(self.op(Op::Neg, prim, &[whole]))
            }
            Op::Pow => self.power(applied, k),
            Op::Min => self.side(Op::Le, k, args, prim),
            Op::Max => self.side(Op::Ge, k, args, prim),
            Op::Atan2 | Op::Atan2Pi => {
                let norm = self.sum_of_squares(args, prim);
                let norm = if op.op == Op::Atan2 { norm } else { self.op(Op::Mul, prim, &[norm, num(std::f64::consts::PI)]) };
                let slope = self.op(Op::Div, prim, &[args[1 - k], norm]);
                Linear::Times(if k == 0 { slope } else { self.op(Op::Neg, prim, &[slope]) })
            }
            Op::Hypot => Linear::Times(self.op(Op::Div, prim, &[args[k], y])),
            Op::CopySign if k == 0 => {
                let sign = self.op(Op::Sgn, prim, &[a]);
                let other = self.op(Op::CopySign, prim, &[num(1.0), args[1]]);
                Linear::Times(self.op(Op::Mul, prim, &[sign, other]))
            }
            Op::NextAfter if k == 0 => Linear::One,
            Op::CopySign | Op::NextAfter => Linear::Zero,
            Op::ZeroOr if k == 0 => Linear::Zero,
            Op::ZeroOr => Linear::When(self.is_handed_on(args[0], args[1], prim)),
            Op::Neg => Linear::MinusOne,
            Op::Abs => Linear::Times(self.op(Op::Sgn, prim, &[a])),
            Op::Ldexp if k == 0 => Linear::Times(self.op(Op::Ldexp, prim, &[num(1.0), args[1]])),
            Op::Ldexp => Linear::Zero,
            Op::Fma | Op::Mad => match k {
                2 => Linear::One,
                _ => Linear::Times(args[1 - k]),
            },
            Op::Lerp => match k {
                0 => Linear::Times(self.op(Op::Sub, prim, &[num(1.0), args[2]])),
                1 => Linear::Times(args[2]),
                _ => Linear::Times(self.op(Op::Sub, prim, &[args[1], a])),
            },
            Op::Lgamma => Linear::Times(self.digamma(prim, a)),
            Op::Gamma => {
                let logarithmic = self.digamma(prim, a);
                Linear::Times(self.op(Op::Mul, prim, &[y, logarithmic]))
            }
            function_op!() => self.of_one(op.op, prim, a, y),
            Op::Sgn | flat_op!() => Linear::Zero,
            mixed_op!() => crate::ice!(self.span, "{op:?} has a rule of its own"),
        }
    }

    /// Functions of one number.
    fn of_one(&mut self, op: Op, prim: PrimType, a: Operand, y: Operand) -> Linear {
        use std::f64::consts::{LN_2, LN_10, PI};
        let num = |value: f64| Self::number(prim, value);
        let times = |this: &mut Self, x: Operand, by: f64| this.op(Op::Mul, prim, &[x, num(by)]);
        let squared = |this: &mut Self, x: Operand| this.op(Op::Mul, prim, &[x, x]);
        match op {
            Op::Sqrt => Linear::Over(self.op(Op::Add, prim, &[y, y])),
            Op::Rsqrt => {
                let twice = self.op(Op::Add, prim, &[a, a]);
                let slope = self.op(Op::Div, prim, &[y, twice]);
                Linear::Times(self.op(Op::Neg, prim, &[slope]))
            }
            Op::Recip => {
                let square = squared(self, y);
                Linear::Times(self.op(Op::Neg, prim, &[square]))
            }
            Op::Cbrt => {
                let square = squared(self, y);
                Linear::Over(times(self, square, 3.0))
            }
            Op::Exp => Linear::Times(y),
            Op::Exp2 => Linear::Times(times(self, y, LN_2)),
            Op::Exp10 => Linear::Times(times(self, y, LN_10)),
            // Not y + 1, which cancels.
            Op::Expm1 => Linear::Times(self.op(Op::Exp, prim, &[a])),
            Op::Log => Linear::Over(a),
            Op::Log2 => Linear::Over(times(self, a, LN_2)),
            Op::Log10 => Linear::Over(times(self, a, LN_10)),
            Op::Log1p => Linear::Over(self.op(Op::Add, prim, &[num(1.0), a])),
            Op::Sin => Linear::Times(self.op(Op::Cos, prim, &[a])),
            Op::Cos => {
                let sin = self.op(Op::Sin, prim, &[a]);
                Linear::Times(self.op(Op::Neg, prim, &[sin]))
            }
            Op::Tan | Op::TanPi => {
                let square = squared(self, y);
                let slope = self.op(Op::Add, prim, &[num(1.0), square]);
                Linear::Times(if op == Op::Tan { slope } else { times(self, slope, PI) })
            }
            Op::Asin | Op::Acos | Op::AsinPi | Op::AcosPi => {
                let square = squared(self, a);
                let rest = self.op(Op::Sub, prim, &[num(1.0), square]);
                let root = self.op(Op::Sqrt, prim, &[rest]);
                let root = if matches!(op, Op::AsinPi | Op::AcosPi) { times(self, root, PI) } else { root };
                if matches!(op, Op::Asin | Op::AsinPi) { Linear::Over(root) } else { Linear::MinusOver(root) }
            }
            Op::Atan | Op::AtanPi => {
                let square = squared(self, a);
                let sum = self.op(Op::Add, prim, &[num(1.0), square]);
                Linear::Over(if op == Op::Atan { sum } else { times(self, sum, PI) })
            }
            Op::Sinh => Linear::Times(self.op(Op::Cosh, prim, &[a])),
            Op::Cosh => Linear::Times(self.op(Op::Sinh, prim, &[a])),
            Op::Tanh => {
                let square = squared(self, y);
                Linear::Times(self.op(Op::Sub, prim, &[num(1.0), square]))
            }
            Op::Asinh => {
                let square = squared(self, a);
                let sum = self.op(Op::Add, prim, &[square, num(1.0)]);
                Linear::Over(self.op(Op::Sqrt, prim, &[sum]))
            }
            Op::Acosh => self.acosh(prim, a),
            Op::Atanh => {
                let square = squared(self, a);
                Linear::Over(self.op(Op::Sub, prim, &[num(1.0), square]))
            }
            Op::SinPi => {
                let cos = self.op(Op::CosPi, prim, &[a]);
                Linear::Times(times(self, cos, PI))
            }
            Op::CosPi => {
                let sin = self.op(Op::SinPi, prim, &[a]);
                Linear::Times(times(self, sin, -PI))
            }
            Op::Erf | Op::Erfc => {
                let square = squared(self, a);
                let minus = self.op(Op::Neg, prim, &[square]);
                let bell = self.op(Op::Exp, prim, &[minus]);
                let slope = std::f64::consts::FRAC_2_SQRT_PI;
                Linear::Times(times(self, bell, if op == Op::Erf { slope } else { -slope }))
            }
            arithmetic_op!() | mixed_op!() | flat_op!() | Op::Sgn | Op::Abs | Op::Gamma | Op::Lgamma => {
                crate::ice!(self.span, "{op:?} is no function of one number")
            }
        }
    }
    /// By two roots: their product has the branch cut of the function, and is no number where it is none.
    fn acosh(&mut self, prim: PrimType, a: Operand) -> Linear {
        let one = Self::number(prim, 1.0);
        let (below, above) = (self.op(Op::Sub, prim, &[a, one]), self.op(Op::Add, prim, &[a, one]));
        let (below, above) = (self.op(Op::Sqrt, prim, &[below]), self.op(Op::Sqrt, prim, &[above]));
        Linear::Over(self.op(Op::Mul, prim, &[below, above]))
    }
    fn sum_of_squares(&mut self, args: &[Operand], prim: PrimType) -> Operand {
        let (a, b) = (self.op(Op::Mul, prim, &[args[0], args[0]]), self.op(Op::Mul, prim, &[args[1], args[1]]));
        self.op(Op::Add, prim, &[a, b])
    }
    /// Which operand `min` or `max` returns: the left one of a tie, and the one that is a number where the other is not.
    fn side(&mut self, better: Op, k: usize, args: &[Operand], prim: PrimType) -> Linear {
        let first = self.returns_left(better, args[0], args[1], prim);
        Linear::When(if k == 0 { first } else { self.op(Op::Not, PrimType::Bool, &[first]) })
    }
    /// Whether `min` (with `<=`) or `max` (with `>=`) returns its left operand.
    pub fn returns_left(&mut self, better: Op, a: Operand, b: Operand, prim: PrimType) -> Operand {
        let wins = self.op(better, prim, &[a, b]);
        let no_number = self.op(Op::Ne, prim, &[b, b]);
        self.op(Op::Or, PrimType::Bool, &[wins, no_number])
    }
    fn power(&mut self, applied: &Applied, k: usize) -> Linear {
        let Applied { op, args, result: y, .. } = *applied;
        let (prim, a, b) = (op.prim, args[0], args[1]);
        let (zero, one) = (Self::number(prim, 0.0), Self::number(prim, 1.0));
        if prim.is_int() {
            if k == 1 {
                return Linear::Zero;
            }
            // An exponent of 0 makes a constant; there is no power with the exponent before that.
            let exponent = self.op(Op::Max, prim, &[b, one]);
            let less = self.op(Op::Sub, prim, &[exponent, one]);
            let power = self.op(Op::Pow, prim, &[a, less]);
            return Linear::Times(self.op(Op::Mul, prim, &[b, power]));
        }
        if k == 0 {
            let less = self.op(Op::Sub, prim, &[b, one]);
            let power = self.op(Op::Pow, prim, &[a, less]);
            let slope = self.op(Op::Mul, prim, &[b, power]);
            // Real powers are infinitely steep at 0, or have no derivative there; of complex ones those with the exponent 0 are constant.
            let flat = if prim.is_complex() { self.op(Op::Eq, prim, &[b, zero]) } else { self.op(Op::Lt, prim, &[b, one]) };
            if flat == Operand::Const(Scalar::Bool(false)) {
                return Linear::Times(slope);
            }
            let flat = if prim.is_complex() {
                flat
            } else {
                let at_zero = self.op(Op::Eq, prim, &[a, zero]);
                self.op(Op::And, PrimType::Bool, &[at_zero, flat])
            };
            return Linear::Times(self.select(flat, zero, slope));
        }
        let log = self.op(Op::Log, prim, &[a]);
        let slope = self.op(Op::Mul, prim, &[y, log]);
        let positive = if prim.is_complex() { self.op(Op::Ne, prim, &[a, zero]) } else { self.op(Op::Gt, prim, &[a, zero]) };
        Linear::Times(self.select(positive, slope, zero))
    }
}
