//! Where operations make infinities or NaNs of finite numbers, and what that means for derivatives: an adjoint or a tangent of 0 hands on 0,
//! however steep the operation is. So numbers that are computed and not used, such as a root of 0 behind `where`, do not spoil a derivative, and it
//! does not depend on the order in which a program computes.
//!
//! The product of 0 with a slope that is infinite or NaN is the only one that is NaN although what is handed on is 0. It is looked for where the
//! slope may be such a number: at operations that have poles of their own, and where operands come from such operations.

use super::build::{Build, is_zero};
use super::partials::flat_op;
use crate::base::PrimType;
use crate::base::mutation::mutated;
use crate::base::scalar::{Op, ScalarOp};
use crate::ir::soac::Operand;

/// A pattern: operations without poles, whose slopes are finite where their operands are, or that have none: among them those that are flat.
macro_rules! entire_op {
    () => {
        flat_op!()
            | Op::Add
            | Op::Sub
            | Op::Mul
            | Op::Min
            | Op::Max
            | Op::CopySign
            | Op::NextAfter
            | Op::ZeroOr
            | Op::Complex
            | Op::Polar
            | Op::Neg
            | Op::Abs
            | Op::Sgn
            | Op::Sin
            | Op::Cos
            | Op::Tan
            | Op::Tanh
            | Op::SinPi
            | Op::CosPi
            | Op::Erf
            | Op::Erfc
            | Op::Conj
            | Op::Re
            | Op::Im
            | Op::Norm
            | Op::Convert(_)
            | Op::ToF64
            | Op::Ldexp
            | Op::Fma
            | Op::Mad
            | Op::Lerp
    };
}
/// A pattern: operations without poles that are infinitely steep somewhere, or have no slope there, or whose slopes overflow.
macro_rules! steep_op {
    () => {
        Op::Cbrt | Op::Exp | Op::Exp2 | Op::Exp10 | Op::Expm1 | Op::Sinh | Op::Cosh | Op::Atan2 | Op::Atan2Pi | Op::Hypot
    };
}
/// A pattern: the same, of complex numbers only.
macro_rules! complex_op {
    () => {
        Op::Arg | Op::Atan | Op::AtanPi | Op::Asinh
    };
}

/// Whether the value of an operation may be infinite or NaN where all operands are finite. Overflow does not count.
pub(super) fn of_value(op: ScalarOp, args: &[Operand]) -> bool {
    match op.op {
        Op::Sqrt | Op::Acosh | Op::Asin | Op::Acos | Op::AsinPi | Op::AcosPi => op.prim.is_float(),
        Op::Rsqrt | Op::Recip | Op::Log | Op::Log2 | Op::Log10 | Op::Log1p | Op::Atanh | Op::TanPi | Op::Gamma | Op::Lgamma => true,
        Op::Div | Op::Mod => op.prim.is_inexact() && !args.get(1).is_some_and(|divisor| is_constant(*divisor) && !is_zero(*divisor)),
        Op::Pow => op.prim.is_inexact() && !args.get(1).is_some_and(|exponent| is_whole(*exponent)),
        entire_op!() | steep_op!() | complex_op!() => false,
    }
}

/// Whether a slope of an operation may be infinite or NaN where all operands are finite; by overflow, too, where that is exponential.
pub(super) fn of_slope(op: ScalarOp, args: &[Operand]) -> bool {
    match op.op {
        Op::Sqrt | Op::Acosh | Op::Asin | Op::Acos | Op::AsinPi | Op::AcosPi | steep_op!() => true,
        complex_op!() => op.prim.is_complex(),
        Op::Rsqrt | Op::Recip | Op::Log | Op::Log2 | Op::Log10 | Op::Log1p | Op::Atanh | Op::TanPi | Op::Gamma | Op::Lgamma => true,
        Op::Div | Op::Mod | Op::Pow => of_value(op, args),
        entire_op!() => false,
    }
}

fn is_constant(a: Operand) -> bool {
    matches!(a, Operand::Const(scalar) if scalar.is_finite())
}
/// Whether it is a constant whole number, not negative.
fn is_whole(a: Operand) -> bool {
    matches!(a, Operand::Const(scalar) if scalar.as_f64().is_some_and(|value| value >= 0.0 && value.fract() == 0.0))
}

impl Build<'_> {
    /// The product of `x`, a tangent or an adjoint, with a slope that may be infinite or NaN: 0 where `x` is.
    pub fn handed_on(&mut self, x: Operand, product: Operand) -> Operand {
        if mutated!(ZeroTimesInfinity, is_constant(x) && !is_zero(x), true) {
            return product;
        }
        let (from, to) = (self.ty(x).elem, self.ty(product).elem);
        if from == to && from.is_float() {
            return self.op(Op::ZeroOr, from, &[x, product]);
        }
        let nothing = self.op(Op::Eq, from, &[x, Self::number(from, 0.0)]);
        let number = self.op(Op::Eq, to, &[product, product]);
        // Two choices: where there is one with both conditions, GCC 12 makes branches of a chain of them, and no vectors.
        let stopped = self.select(number, product, Self::number(to, 0.0));
        self.select(nothing, stopped, product)
    }
    /// Whether [`handed_on`](Self::handed_on) is the product, so that its derivative is the product's: also where both are 0, and the slope is a number.
    pub fn is_handed_on(&mut self, x: Operand, product: Operand, prim: PrimType) -> Operand {
        let something = self.op(Op::Ne, prim, &[x, Self::number(prim, 0.0)]);
        let number = self.op(Op::Eq, prim, &[product, product]);
        self.op(Op::Or, PrimType::Bool, &[something, number])
    }
}
