//! The derivative of every scalar operation against central differences, and its transpose against it.

use super::*;
use crate::base::Complex;
use crate::base::scalar::{Member, Op, member, members};
use std::collections::BTreeSet;

/// The tangent of the result for a tangent of operand `k`.
fn tangent(op: ScalarOp, args: &[Scalar], k: usize, d: Scalar) -> Outcome<Scalar> {
    let mut on = Operators::default();
    let tag = on.enter(None);
    let mut numbers: Vec<Number> = args.iter().copied().map(Number::Plain).collect();
    numbers[k] = Number::Active(Arc::new(Active { tag, primal: numbers[k].clone(), change: Change::Tangent(Number::Plain(d)) }));
    let result = on.apply(op, &numbers, Span::default())?;
    assert!(result.scalar().same_bits(op.apply(args).expect("a result")), "{op:?} {args:?}: {result:?}");
    Ok(match result {
        Number::Active(active) => match &active.change {
            Change::Tangent(tangent) => tangent.scalar(),
            Change::Entry(_) => panic!("an entry in forward mode"),
        },
        Number::Plain(_) => Scalar::from_i128(op.result, 0),
    })
}

/// The adjoint of operand `k` for an adjoint of the result.
fn adjoint(op: ScalarOp, args: &[Scalar], k: usize, a: Scalar) -> Scalar {
    let mut on = Operators::default();
    let tag = on.enter(Some(Tape::default()));
    let mut numbers: Vec<Number> = args.iter().copied().map(Number::Plain).collect();
    numbers[k] = on.record(tag, numbers[k].clone(), Vec::new(), Span::default()).expect("room");
    on.apply(op, &numbers, Span::default()).expect("a result");
    let tape = on.open.pop().and_then(|operator| operator.tape).expect("a tape");
    match tape.operands.as_slice() {
        [] => Scalar::from_i128(op.params[k], 0),
        [(0, slope)] => slope.backward(&mut on, &Number::Plain(a), Span::default()).expect("an adjoint").scalar(),
        other => panic!("{other:?}"),
    }
}

/// Real and imaginary part.
fn parts(x: Scalar) -> [f64; 2] {
    match x.parts() {
        Some((re, im)) => [re, im].map(|part| part.as_f64().expect("a float")),
        None => [x.as_f64().or(x.as_i128().map(|n| n as f64)).expect("a number"), 0.0],
    }
}

/// A number of a type with these parts.
fn number(prim: PrimType, [re, im]: [f64; 2]) -> Scalar {
    match prim.part() {
        Some(part) => Scalar::complex(Scalar::from_f64(part, re), Scalar::from_f64(part, im)).expect("parts of one type"),
        None => Scalar::from_f64(prim, re),
    }
}

/// Equal within a tolerance, or both NaN.
fn close(a: [f64; 2], b: [f64; 2], tolerance: f64) -> bool {
    let scale = a.iter().chain(&b).fold(1.0f64, |most, x| most.max(x.abs()));
    (0..2).all(|i| (a[i] - b[i]).abs() <= tolerance * scale || a[i].is_nan() && b[i].is_nan())
}

/// All operations of a type with floats or complex numbers among their operands, and results that may change with them.
fn operations(prim: PrimType) -> Vec<ScalarOp> {
    let all = members(prim).into_iter().filter_map(|name| match member(prim, name) {
        Some(Member::Op(op)) => Some(op),
        Some(Member::Constant(_) | Member::Fold(_)) | None => None,
    });
    all.filter(|op| op.params.iter().any(|param| param.is_inexact())).collect()
}

/// Where operations are tried: no kinks of any of them.
const POINTS: [[f64; 3]; 7] =
    [[0.3, 0.7, -0.4], [0.6, -0.35, 1.2], [-0.45, 0.55, 2.1], [1.7, 2.3, 0.25], [-1.3, 1.9, -0.8], [2.6, -1.4, 0.6], [-0.2, -0.9, -1.1]];

/// The operands of an operation at a point. Those of complex types have imaginary parts, integers are small.
fn operands(op: ScalarOp, point: [f64; 3]) -> Vec<Scalar> {
    let operand = |(i, param): (usize, &PrimType)| {
        let imaginary = point[(i + 1) % 3] * 0.7;
        if param.is_inexact() { number(*param, [point[i], imaginary]) } else { Scalar::from_i128(*param, i as i128 + 2) }
    };
    op.params.iter().enumerate().map(operand).collect()
}

/// The change of the result in a direction of operand `k`, by a central difference; nothing where there is no finite one.
fn difference(op: ScalarOp, args: &[Scalar], k: usize, direction: [f64; 2]) -> Option<[f64; 2]> {
    let h = 1e-6;
    let at = |step: f64| {
        let mut args = args.to_vec();
        let [re, im] = parts(args[k]);
        args[k] = number(op.params[k], [re + step * direction[0], im + step * direction[1]]);
        parts(op.apply(&args).expect("a result"))
    };
    let (less, more) = (at(-h), at(h));
    let slope = [0, 1].map(|i| (more[i] - less[i]) / (2.0 * h));
    slope.iter().all(|x| x.is_finite()).then_some(slope)
}

fn directions(prim: PrimType) -> &'static [[f64; 2]] {
    if prim.is_complex() { &[[1.0, 0.0], [0.0, 1.0], [0.6, -0.8]] } else { &[[1.0, 0.0]] }
}

/// What is not continuous as a function of bits.
fn of_bits(op: ScalarOp) -> bool {
    matches!(op.op, Op::ToBits | Op::FromBits | Op::GetBit | Op::SetBit)
}

#[test]
fn derivatives_of_all_operations_are_central_differences() {
    let mut tried: BTreeSet<String> = BTreeSet::new();
    for prim in [PrimType::F64, PrimType::C128, PrimType::I64, PrimType::F32] {
        for op in operations(prim) {
            // Single precision has no differences worth the name: conversions from and to it apart, see below.
            if of_bits(op) || (prim == PrimType::F32 && !matches!(op.op, Op::Convert(PrimType::F64))) {
                continue;
            }
            for (k, param) in op.params.iter().enumerate().filter(|(_, param)| matches!(param, PrimType::F64 | PrimType::C128)) {
                let mut points = 0;
                for args in POINTS.map(|point| operands(op, point)) {
                    for direction in directions(*param) {
                        let Some(expected) = difference(op, &args, k, *direction) else { continue };
                        let found = tangent(op, &args, k, number(*param, *direction)).expect("a tangent");
                        assert_eq!(found.prim(), op.result);
                        let expected = if op.result.is_inexact() { expected } else { [0.0, 0.0] };
                        let tolerance = if op.result == PrimType::F32 { 0.3 } else { 1e-7 };
                        assert!(close(parts(found), expected, tolerance), "{} by operand {k} at {args:?}: {found} {expected:?}", op.name());
                        points += 1;
                    }
                }
                assert!(points >= 2, "{} by operand {k} was tried at {points} points", op.name());
                tried.insert(op.name());
            }
        }
    }
    assert!(tried.len() > 100, "{tried:?}");
}

#[test]
fn derivatives_of_small_floats_are_those_of_large_ones() {
    for (prim, tolerance) in [(PrimType::F32, 1e-4), (PrimType::F16, 0.15), (PrimType::C64, 1e-4)] {
        for op in operations(prim) {
            let wide = if prim.is_complex() { PrimType::C128 } else { PrimType::F64 };
            let large = match op.op {
                Op::Convert(_) | Op::ToF64 | Op::ToI64 => continue,
                what => ScalarOp::new(what, wide),
            };
            if of_bits(op) || !op.result.is_inexact() {
                continue;
            }
            for (k, param) in op.params.iter().enumerate().filter(|(_, param)| param.is_inexact()) {
                for point in POINTS {
                    let args = operands(op, point);
                    let same: Vec<Scalar> = args
                        .iter()
                        .zip(large.params)
                        .map(|(arg, param)| if param.is_inexact() { number(*param, parts(*arg)) } else { *arg })
                        .collect();
                    for direction in directions(*param) {
                        let found = parts(tangent(op, &args, k, number(*param, *direction)).expect("a tangent"));
                        let expected = parts(tangent(large, &same, k, number(large.params[k], *direction)).expect("a tangent"));
                        let name = op.name();
                        assert!(close(found, expected, tolerance), "{name} by operand {k} at {args:?}: {found:?} {expected:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn adjoints_are_the_transposes_of_tangents() {
    for prim in PrimType::ALL {
        for op in operations(prim) {
            if !op.result.is_inexact() {
                continue;
            }
            for (k, param) in op.params.iter().enumerate().filter(|(_, param)| param.is_inexact()) {
                for args in POINTS.map(|point| operands(op, point)) {
                    for direction in directions(*param) {
                        for weight in directions(op.result) {
                            let t = parts(tangent(op, &args, k, number(*param, *direction)).expect("a tangent"));
                            let found = adjoint(op, &args, k, number(op.result, *weight));
                            assert_eq!(found.prim(), *param);
                            let a = parts(found);
                            let inner = |u: [f64; 2], v: [f64; 2]| u[0] * v[0] + u[1] * v[1];
                            let (one, other) = (inner(t, *weight), inner(a, *direction));
                            let tolerance = if op.params.iter().chain([&op.result]).any(|p| *p == PrimType::F16) { 0.02 } else { 1e-5 };
                            let same = close([one, 0.0], [other, 0.0], tolerance);
                            assert!(same || one == other, "{} by operand {k} at {args:?}: {one} {other}", op.name());
                        }
                    }
                }
            }
        }
    }
}

/// The derivative of a binary operation by its first and by its second operand.
fn both(op: Op, a: f64, b: f64) -> [f64; 2] {
    let op = ScalarOp::new(op, PrimType::F64);
    [0, 1].map(|k| parts(tangent(op, &[Scalar::F64(a), Scalar::F64(b)], k, Scalar::F64(1.0)).expect("a tangent"))[0])
}

fn of(op: Op, a: f64) -> f64 {
    parts(tangent(ScalarOp::new(op, PrimType::F64), &[Scalar::F64(a)], 0, Scalar::F64(1.0)).expect("a tangent"))[0]
}

#[test]
fn kinks_have_the_derivative_of_the_branch_taken() {
    let nan = f64::NAN;
    for (a, b, min, max) in [(1.0, 2.0, [1.0, 0.0], [0.0, 1.0]), (2.0, 1.0, [0.0, 1.0], [1.0, 0.0]), (1.0, 1.0, [1.0, 0.0], [1.0, 0.0])] {
        assert_eq!((both(Op::Min, a, b), both(Op::Max, a, b)), (min, max));
    }
    for zeros in [(0.0, -0.0), (-0.0, 0.0)] {
        assert_eq!((both(Op::Min, zeros.0, zeros.1), both(Op::Max, zeros.0, zeros.1)), ([1.0, 0.0], [1.0, 0.0]));
    }
    for op in [Op::Min, Op::Max] {
        assert_eq!((both(op, nan, 1.0), both(op, 1.0, nan), both(op, nan, nan)), ([0.0, 1.0], [1.0, 0.0], [1.0, 0.0]));
    }
    assert_eq!((of(Op::Abs, 0.0), of(Op::Abs, -3.0), of(Op::Abs, f64::NEG_INFINITY)), (0.0, -1.0, -1.0));
    assert!(of(Op::Abs, nan).is_nan());
    for op in [Op::Floor, Op::Ceil, Op::Round, Op::Trunc, Op::Sgn] {
        assert_eq!((of(op, 1.0), of(op, 0.5), of(op, 0.0)), (0.0, 0.0, 0.0), "{op:?}");
    }
    assert_eq!((of(Op::Sqrt, 0.0), of(Op::Cbrt, 0.0), of(Op::Log, 0.0)), (f64::INFINITY, f64::INFINITY, f64::INFINITY));
    assert_eq!(both(Op::CopySign, -2.0, 0.0), [-1.0, 0.0]);
    assert_eq!(both(Op::CopySign, 0.0, -1.0)[0], 0.0);
}

#[test]
fn powers_have_derivatives_at_zero() {
    assert_eq!(both(Op::Pow, 0.0, 3.0), [0.0, 0.0]);
    assert_eq!(both(Op::Pow, 0.0, 1.0), [1.0, 0.0]);
    assert_eq!(both(Op::Pow, 0.0, 0.5), [0.0, 0.0]);
    assert_eq!(both(Op::Pow, 0.0, 0.0), [0.0, 0.0]);
    assert_eq!(both(Op::Pow, 0.0, -1.0), [0.0, 0.0]);
    assert_eq!(both(Op::Pow, -2.0, 3.0), [12.0, 0.0]);
    let z = |re, im| Scalar::C128(Complex { re, im });
    let op = ScalarOp::new(Op::Pow, PrimType::C128);
    for (a, b, expected) in [(z(0.0, 0.0), z(2.0, 0.0), 0.0), (z(0.0, 0.0), z(1.0, 0.0), 1.0), (z(0.0, 0.0), z(0.0, 0.0), 0.0)] {
        assert_eq!(parts(tangent(op, &[a, b], 0, z(1.0, 0.0)).expect("a tangent")), [expected, 0.0]);
        assert_eq!(parts(tangent(op, &[a, b], 1, z(1.0, 0.0)).expect("a tangent")), [0.0, 0.0]);
    }
}

#[test]
fn gamma() {
    let slope = |op: Op, x: f64| {
        let op = ScalarOp::new(op, PrimType::F64);
        parts(tangent(op, &[Scalar::F64(x)], 0, Scalar::F64(1.0)).expect("a tangent"))[0]
    };
    // Minus Euler's number, and values of digamma that follow from it.
    let euler = 0.577_215_664_901_532_9;
    let known = [
        (1.0, -euler),
        (2.0, 1.0 - euler),
        (0.5, -euler - 2.0 * 2f64.ln()),
        (-0.5, 2.0 - euler - 2.0 * 2f64.ln()),
        (4.0, 1.0 + 1.0 / 2.0 + 1.0 / 3.0 - euler),
        (1e300, 1e300f64.ln()),
    ];
    for (x, expected) in known {
        let found = slope(Op::Lgamma, x);
        assert!((found - expected).abs() <= 1e-14 * (1.0 + expected.abs()), "{x}: {found} {expected}");
    }
    assert!((slope(Op::Gamma, 4.0) - 6.0 * known[4].1).abs() < 1e-13);
    assert_eq!(slope(Op::Lgamma, 0.0), f64::NEG_INFINITY);
    assert_eq!(slope(Op::Lgamma, f64::INFINITY), f64::INFINITY);
    assert!(slope(Op::Lgamma, f64::NAN).is_nan() && slope(Op::Lgamma, f64::NEG_INFINITY).is_nan());
}
