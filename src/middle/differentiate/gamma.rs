//! The logarithmic derivative of the gamma function, as a formula of other operations, so that it has derivatives itself.

use super::build::Build;
use crate::base::PrimType;
use crate::base::scalar::{Op, ScalarOp};
use crate::ir::soac::{Body, Operand};
use std::f64::consts::PI;

/// How many steps lead to a number for which the series is exact.
const STEPS: u32 = 8;

/// `B_2n / 2n` for n = 1, 2, ..
const SERIES: [f64; 8] = [1.0 / 12.0, -1.0 / 120.0, 1.0 / 252.0, -1.0 / 240.0, 1.0 / 132.0, -691.0 / 32760.0, 1.0 / 12.0, -3617.0 / 8160.0];

impl Build<'_> {
    /// `gamma' x / gamma x` of a float, computed in f64: the recurrence up to where the asymptotic series has 16 digits, and the reflection
    /// formula below 1/2 (NIST Digital Library of Mathematical Functions, 5.5.2, 5.5.4 and 5.11.2).
    pub(super) fn digamma(&mut self, prim: PrimType, x: Operand) -> Operand {
        let float = PrimType::F64;
        let num = |value: f64| Self::number(float, value);
        let x = if prim == float { x } else { self.scalar(ScalarOp::new(Op::Convert(prim), float), &[x]) };
        let mirrored = self.op(Op::Lt, float, &[x, num(0.5)]);
        let mirror = self.op(Op::Sub, float, &[num(1.0), x]);
        let z = self.select(mirrored, mirror, x);
        let mut steps = self.op(Op::Div, float, &[num(1.0), z]);
        for k in 1..STEPS {
            let next = self.op(Op::Add, float, &[z, num(f64::from(k))]);
            let step = self.op(Op::Div, float, &[num(1.0), next]);
            steps = self.op(Op::Add, float, &[steps, step]);
        }
        let far = self.op(Op::Add, float, &[z, num(f64::from(STEPS))]);
        let inverse = self.op(Op::Div, float, &[num(1.0), far]);
        let w = self.op(Op::Mul, float, &[inverse, inverse]);
        let series = SERIES.iter().rev().fold(num(0.0), |sum, term| {
            let sum = self.op(Op::Add, float, &[sum, num(*term)]);
            self.op(Op::Mul, float, &[sum, w])
        });
        let log = self.op(Op::Log, float, &[far]);
        let half = self.op(Op::Mul, float, &[inverse, num(0.5)]);
        let value = [half, series, steps].iter().fold(log, |sum, part| self.op(Op::Sub, float, &[sum, *part]));
        // In a branch, so that what is infinite at 1, 2, .. has no part in further derivatives.
        let then = self.body(|this| {
            // A tangent would be infinite at -1/2.
            let (sine, cosine) = (this.op(Op::SinPi, float, &[x]), this.op(Op::CosPi, float, &[x]));
            let cotangent = this.op(Op::Div, float, &[cosine, sine]);
            let scaled = this.op(Op::Mul, float, &[cotangent, num(PI)]);
            vec![this.op(Op::Sub, float, &[value, scaled])]
        });
        let els = Body { stms: Vec::new(), result: vec![value] };
        let value = self.either("digamma", mirrored, then, els)[0];
        if prim == float { value } else { self.scalar(ScalarOp::new(Op::Convert(float), prim), &[value]) }
    }
}
