//! Derivatives of one scalar by another: linear maps, and their transposes.
//!
//! Complex numbers are pairs of floats with the inner product `<u, v> = re (u * conj v)`: the transpose of a product with `w` is one with
//! `conj w`.

use super::{Number, Operators};
use crate::base::scalar::{Op, ScalarOp};
use crate::base::{PrimType, Scalar, Span};
use crate::interp::failure::{Outcome, broken};

/// How a result changes with an operand.
#[derive(Debug, Clone)]
pub(super) enum Slope {
    /// Not at all.
    Zero,
    /// By as much.
    Keep,
    /// By the opposite.
    Flip,
    /// By a multiple.
    Times(Number),
    /// By a power of two, whose exponent is an `i32`.
    Scale(Number),
    /// As its conversion from a type to another.
    Convert(PrimType, PrimType),
    /// As the conjugate.
    Conj,
    /// As the real part.
    Re,
    /// As the imaginary part.
    Im,
    /// As a real part.
    Real,
    /// As an imaginary part.
    Imag,
    /// A complex result of a real operand: by a multiple of this number.
    Along(Number),
    /// A real result of a complex operand: by the inner product with this number.
    Onto(Number),
    /// The direction of a complex number: by what is orthogonal to this direction, over this magnitude.
    Turn(Number, Number),
}

impl Slope {
    /// The tangent of the result for that of the operand. A tangent of 0 hands on 0, also where the slope is infinite or NaN.
    pub fn forward(&self, on: &mut Operators, d: &Number, span: Span) -> Outcome<Number> {
        self.product(on, d, span).map(|product| handed_on(d, product))
    }
    /// The adjoint of the operand for that of the result, in the same way.
    pub fn backward(&self, on: &mut Operators, a: &Number, span: Span) -> Outcome<Number> {
        self.transposed(on, a, span).map(|product| handed_on(a, product))
    }
    fn product(&self, on: &mut Operators, d: &Number, span: Span) -> Outcome<Number> {
        let prim = d.prim();
        let mut do_it = |op: Op, prim: PrimType, operands: &[&Number]| operate(on, op, prim, operands, span);
        match self {
            Slope::Zero => Ok(Number::Plain(Scalar::from_i128(prim, 0))),
            Slope::Keep => Ok(d.clone()),
            Slope::Flip => do_it(Op::Neg, prim, &[d]),
            Slope::Times(w) => do_it(Op::Mul, prim, &[w, d]),
            Slope::Scale(k) => do_it(Op::Ldexp, prim, &[d, k]),
            Slope::Convert(from, to) => do_it(Op::Convert(*from), *to, &[d]),
            Slope::Conj => do_it(Op::Conj, prim, &[d]),
            Slope::Re => do_it(Op::Re, prim, &[d]),
            Slope::Im => do_it(Op::Im, prim, &[d]),
            Slope::Real => do_it(Op::Complex, whole(prim)?, &[d, &nothing(prim)]),
            Slope::Imag => do_it(Op::Complex, whole(prim)?, &[&nothing(prim), d]),
            Slope::Along(w) => stretched(on, w, d, span),
            Slope::Onto(w) => inner(on, d, w, span),
            Slope::Turn(unit, size) => turned(on, d, unit, size, span),
        }
    }
    fn transposed(&self, on: &mut Operators, a: &Number, span: Span) -> Outcome<Number> {
        let prim = a.prim();
        match self {
            Slope::Zero | Slope::Keep | Slope::Flip | Slope::Scale(_) | Slope::Conj | Slope::Turn(..) => self.product(on, a, span),
            Slope::Times(w) if prim.is_complex() => {
                let w = operate(on, Op::Conj, prim, &[w], span)?;
                operate(on, Op::Mul, prim, &[&w, a], span)
            }
            Slope::Times(w) => operate(on, Op::Mul, prim, &[w, a], span),
            Slope::Convert(from, to) => match (to.part(), from.is_complex()) {
                // The imaginary part came from nowhere.
                (Some(part), false) => {
                    let re = operate(on, Op::Re, *to, &[a], span)?;
                    operate(on, Op::Convert(part), *from, &[&re], span)
                }
                _ => operate(on, Op::Convert(*to), *from, &[a], span),
            },
            Slope::Re => Slope::Real.product(on, a, span),
            Slope::Im => Slope::Imag.product(on, a, span),
            Slope::Real => Slope::Re.product(on, a, span),
            Slope::Imag => Slope::Im.product(on, a, span),
            Slope::Along(w) => inner(on, a, w, span),
            Slope::Onto(w) => stretched(on, w, a, span),
        }
    }
}

/// What a tangent or an adjoint hands on: the product with a slope, but 0 where 0 times an infinite slope is no number.
fn handed_on(from: &Number, product: Number) -> Number {
    let prim = product.prim();
    let zero = from.scalar() == Scalar::from_i128(from.prim(), 0);
    if zero && product.scalar().is_nan() { nothing(prim) } else { product }
}

fn operate(on: &mut Operators, op: Op, prim: PrimType, operands: &[&Number], span: Span) -> Outcome<Number> {
    let operands: Vec<Number> = operands.iter().map(|operand| (*operand).clone()).collect();
    on.apply(ScalarOp::new(op, prim), &operands, span)
}

fn nothing(prim: PrimType) -> Number {
    Number::Plain(Scalar::from_i128(prim, 0))
}

/// The complex type with parts of a type.
fn whole(part: PrimType) -> Outcome<PrimType> {
    PrimType::ALL.into_iter().find(|prim| prim.part() == Some(part)).ok_or_else(|| broken("a part of a complex number was expected"))
}

/// A complex number times a real one.
fn stretched(on: &mut Operators, w: &Number, by: &Number, span: Span) -> Outcome<Number> {
    let (prim, part) = (w.prim(), by.prim());
    let (re, im) = (operate(on, Op::Re, prim, &[w], span)?, operate(on, Op::Im, prim, &[w], span)?);
    let (re, im) = (operate(on, Op::Mul, part, &[&re, by], span)?, operate(on, Op::Mul, part, &[&im, by], span)?);
    operate(on, Op::Complex, prim, &[&re, &im], span)
}

/// `re (u * conj v)`.
fn inner(on: &mut Operators, u: &Number, v: &Number, span: Span) -> Outcome<Number> {
    let prim = u.prim();
    let part = prim.part().ok_or_else(|| broken("a complex number was expected"))?;
    let mut of = |op: Op| {
        let (u, v) = (operate(on, op, prim, &[u], span)?, operate(on, op, prim, &[v], span)?);
        operate(on, Op::Mul, part, &[&u, &v], span)
    };
    let (re, im) = (of(Op::Re)?, of(Op::Im)?);
    operate(on, Op::Add, part, &[&re, &im], span)
}

/// `(d - unit * <d, unit>) / size`.
fn turned(on: &mut Operators, d: &Number, unit: &Number, size: &Number, span: Span) -> Outcome<Number> {
    let prim = d.prim();
    let along = inner(on, d, unit, span)?;
    let along = stretched(on, unit, &along, span)?;
    let across = operate(on, Op::Sub, prim, &[d, &along], span)?;
    let inverse = operate(on, Op::Recip, size.prim(), &[size], span)?;
    stretched(on, &across, &inverse, span)
}
