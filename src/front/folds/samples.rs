//! Values to try operators on, and whether results are the same.

use super::evaluate::Val;
use crate::base::scalar::{convert, highest, lowest};
use crate::base::{PrimType, Scalar};
use crate::ir::core::{Atom, Type};

/// Numbers to try: positive, since operators may be meant for counts and lengths, and small, since products of three are to fit any type.
const NUMBERS: [i64; 3] = [1, 2, 5];
/// Components of tuples and records, and operands of operators with conditions, may be truth values written as numbers.
const TRUTHS: [i64; 2] = [0, 1];
/// Values of variables in the surroundings of an operator.
const OUTSIDE: [f64; 3] = [0.25, 3.0, 0.75];

/// Values of a type that an operator is tried on. `None` if the type has no values that are tried: functions, sums, hidden sizes, type
/// parameters. Arrays are looked at element by element, so shapes make no difference.
pub fn samples(ty: &Type) -> Option<Vec<Val>> {
    match ty.atom() {
        Atom::Prim(PrimType::Bool) => truths(ty),
        Atom::Prim(_) => (0..NUMBERS.len()).map(|number| made(ty, &mut |prim| convert(prim, Scalar::I64(NUMBERS[number])))).collect(),
        _ => truths(ty),
    }
}

/// [`samples`] that consist of 0 and 1.
pub fn truths(ty: &Type) -> Option<Vec<Val>> {
    let count = if matches!(ty.atom(), Atom::Prim(_)) { TRUTHS.len() } else { 2 * TRUTHS.len() };
    (0..count)
        .map(|number| {
            let mut component = 0;
            made(ty, &mut |prim| {
                component += 1;
                // All pairs of truth values at neighbouring components.
                truth(prim, number * component + component / 2 + number / 2)
            })
        })
        .collect()
}

fn truth(prim: PrimType, number: usize) -> Scalar {
    match prim {
        PrimType::Bool => Scalar::Bool(number.is_multiple_of(2)),
        _ => convert(prim, Scalar::I64(TRUTHS[number % TRUTHS.len()])),
    }
}

/// Values that a start which swallows all others has to be told apart by: the greatest, the least, and some between.
pub fn extremes(ty: &Type) -> Option<Vec<Val>> {
    let Atom::Prim(prim) = ty.atom() else { return None };
    if !prim.is_real() {
        return samples(ty);
    }
    let ends = [highest(*prim), lowest(*prim)].map(Val::Scalar);
    samples(ty).map(|between| between.into_iter().chain(ends).collect())
}

/// A value of a variable outside of an operator, of which a few are told apart.
pub fn outside(ty: &Type, number: usize) -> Option<Val> {
    made(ty, &mut |prim| match prim {
        PrimType::Bool => Scalar::Bool(number.is_multiple_of(2)),
        _ if prim.is_int() => convert(prim, Scalar::I64(NUMBERS[(number + 1) % NUMBERS.len()])),
        _ => convert(prim, Scalar::F64(OUTSIDE[number % OUTSIDE.len()])),
    })
}

fn made(ty: &Type, scalar: &mut dyn FnMut(PrimType) -> Scalar) -> Option<Val> {
    match ty.atom() {
        Atom::Prim(prim) => Some(Val::Scalar(scalar(*prim))),
        Atom::Tuple(parts) => parts.iter().map(|part| made(part, scalar)).collect::<Option<_>>().map(Val::Tuple),
        Atom::Record(fields) => {
            fields.iter().map(|(label, part)| Some((*label, made(part, scalar)?))).collect::<Option<_>>().map(Val::Record)
        }
        Atom::Var(_) | Atom::Fun(..) | Atom::Forall(..) | Atom::Pi(..) | Atom::Sigma(..) | Atom::Sum(_) => None,
    }
}

/// Whether a result is the start, or nothing that says otherwise.
pub fn swallows(start: &Val, result: &Val) -> bool {
    match (start, result) {
        (Val::Scalar(start), Val::Scalar(result)) => start == result || is_nan(*result) && !is_nan(*start),
        _ => false,
    }
}

fn is_nan(value: Scalar) -> bool {
    value.as_f64().is_some_and(f64::is_nan)
}

/// Whether two results may be the same: floats may differ by rounding, and NaN and infinities say nothing.
pub fn agree(a: &Val, b: &Val) -> bool {
    match (a, b) {
        (Val::Scalar(a), Val::Scalar(b)) => scalars_agree(*a, *b),
        (Val::Tuple(a), Val::Tuple(b)) => a.iter().zip(b).all(|(a, b)| agree(a, b)),
        (Val::Record(a), Val::Record(b)) => a.iter().zip(b).all(|((_, a), (_, b))| agree(a, b)),
        // What is no data is not judged.
        _ => true,
    }
}

fn scalars_agree(a: Scalar, b: Scalar) -> bool {
    let tolerance = match a.prim() {
        PrimType::F16 => 2e-2,
        PrimType::F32 => 1e-3,
        PrimType::F64 => 1e-6,
        PrimType::C64 | PrimType::C128 => return complex_agree(a, b),
        _ => return a == b,
    };
    match (a.as_f64(), b.as_f64()) {
        (Some(a), Some(b)) => near(a, b, tolerance),
        _ => a == b,
    }
}

fn complex_agree(a: Scalar, b: Scalar) -> bool {
    let parts = |value: Scalar| match value {
        Scalar::C64(z) => Some([f64::from(z.re), f64::from(z.im)]),
        Scalar::C128(z) => Some([z.re, z.im]),
        _ => None,
    };
    match (parts(a), parts(b)) {
        (Some(a), Some(b)) => a.iter().zip(b).all(|(a, b)| near(*a, b, 1e-3)),
        _ => a == b,
    }
}

fn near(a: f64, b: f64, tolerance: f64) -> bool {
    !a.is_finite() || !b.is_finite() || (a - b).abs() <= tolerance * (1.0 + a.abs() + b.abs())
}
