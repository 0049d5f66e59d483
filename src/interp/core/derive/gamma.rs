//! The logarithmic derivative of the gamma function, of numbers that may have derivatives.

use super::Number;
use super::partials::Formula;
use crate::base::PrimType;
use crate::base::scalar::{Op, ScalarOp};
use crate::interp::failure::Outcome;
use std::f64::consts::PI;

/// From here on six terms of the asymptotic series are exact.
const FAR: f64 = 20.0;

/// `gamma' x / gamma x`, computed in f64: the recurrence, as often as it takes, and the reflection formula for negative numbers (Abramowitz and
/// Stegun 1964, 6.3.5, 6.3.7 and 6.3.18).
pub(super) fn digamma(f: &mut Formula, x: &Number) -> Outcome<Number> {
    let (prim, float) = (f.prim, PrimType::F64);
    let (to, from) = (ScalarOp::new(Op::Convert(prim), float), ScalarOp::new(Op::Convert(float), prim));
    let x = if prim == float { x.clone() } else { f.on.apply(to, std::slice::from_ref(x), f.span)? };
    let value = of_f64(&mut Formula { on: &mut *f.on, prim: float, span: f.span }, &x)?;
    if prim == float { Ok(value) } else { f.on.apply(from, &[value], f.span) }
}

fn of_f64(f: &mut Formula, x: &Number) -> Outcome<Number> {
    if f.real(x) < 0.0 {
        let mirror = f.rest(x)?;
        let value = of_f64(f, &mirror)?;
        // A tangent would be infinite at -1/2.
        let (sine, cosine) = (f.of(Op::SinPi, &[x])?, f.of(Op::CosPi, &[x])?);
        let cotangent = f.div(&cosine, &sine)?;
        let scaled = f.mul(&cotangent, &f.num(PI))?;
        return f.sub(&value, &scaled);
    }
    let (mut z, mut before) = (x.clone(), f.num(0.0));
    while f.real(&z) < FAR {
        let step = f.over(1.0, &z)?;
        before = f.add(&before, &step)?;
        z = f.plus(&z, 1.0)?;
    }
    let square = f.square(&z)?;
    let mut series = f.num(0.0);
    for divisor in [-32760.0 / 691.0, 132.0, -240.0, 252.0, -120.0, 12.0] {
        let sum = f.plus(&series, 1.0 / divisor)?;
        series = f.div(&sum, &square)?;
    }
    let (log, half) = (f.of(Op::Log, &[&z])?, f.over(0.5, &z)?);
    let value = f.sub(&log, &half)?;
    let value = f.sub(&value, &series)?;
    f.sub(&value, &before)
}
