//! Every scalar operation on numbers at the ends of its type, and when it fails.

use super::*;
use crate::base::Complex;
use PrimType::*;

fn call(prim: PrimType, name: &str, operands: &[Scalar]) -> Result<Scalar, OpError> {
    match member(prim, name) {
        Some(Member::Op(op)) => op.apply(operands),
        other => panic!("{prim}.{name} is {other:?}"),
    }
}

fn i32s(name: &str, a: i32, b: i32) -> i32 {
    match call(I32, name, &[Scalar::I32(a), Scalar::I32(b)]) {
        Ok(Scalar::I32(v)) => v,
        other => panic!("{other:?}"),
    }
}

#[test]
fn integer_division_floors_or_truncates() {
    for (a, b, div, modulo, quot, rem) in [
        (7, 2, 3, 1, 3, 1),
        (-7, 2, -4, 1, -3, -1),
        (7, -2, -4, -1, -3, 1),
        (-7, -2, 3, -1, 3, -1),
        (i32::MIN, -1, i32::MIN, 0, i32::MIN, 0),
    ] {
        assert_eq!((i32s("/", a, b), i32s("%", a, b), i32s("//", a, b), i32s("%%", a, b)), (div, modulo, quot, rem), "{a} {b}");
    }
    for name in ["/", "%", "//", "%%"] {
        assert_eq!(call(U8, name, &[Scalar::U8(1), Scalar::U8(0)]), Err(OpError::DivisionByZero));
    }
}

#[test]
fn powers() {
    assert_eq!(i32s("**", 3, 4), 81);
    assert_eq!(i32s("**", 0, 0), 1);
    assert_eq!(i32s("**", 2, 32), 0);
    assert_eq!(call(I32, "**", &[Scalar::I32(2), Scalar::I32(-1)]), Err(OpError::NegativeExponent));
    assert_eq!(call(U64, "**", &[Scalar::U64(3), Scalar::U64(u64::MAX)]), Ok(Scalar::U64(12297829382473034411)));
}

#[test]
fn shifts_beyond_the_width() {
    assert_eq!(i32s("<<", 1, 31), i32::MIN);
    assert_eq!(i32s("<<", 1, 32), 0);
    assert_eq!(i32s("<<", 1, -1), 0);
    assert_eq!(i32s(">>", -8, 1), -4);
    assert_eq!(i32s(">>", -8, 40), -1);
    assert_eq!(i32s(">>>", -8, 1), 0x7fff_fffc);
    assert_eq!(i32s(">>>", -8, 32), 0);
    assert_eq!(call(U8, ">>", &[Scalar::U8(200), Scalar::U8(9)]), Ok(Scalar::U8(0)));
}

#[test]
fn conversions_saturate() {
    assert_eq!(call(I32, "f64", &[Scalar::F64(1e20)]), Ok(Scalar::I32(i32::MAX)));
    assert_eq!(call(U8, "f32", &[Scalar::F32(-3.9)]), Ok(Scalar::U8(0)));
    assert_eq!(call(I64, "f64", &[Scalar::F64(f64::NAN)]), Ok(Scalar::I64(0)));
    assert_eq!(call(I8, "i32", &[Scalar::I32(200)]), Ok(Scalar::I8(-56)));
    assert_eq!(call(Bool, "f32", &[Scalar::F32(0.5)]), Ok(Scalar::Bool(true)));
    assert_eq!(call(F16, "bool", &[Scalar::Bool(true)]), Ok(Scalar::F16(f16::ONE)));
    assert_eq!(call(U64, "i64", &[Scalar::I64(-1)]), Ok(Scalar::U64(u64::MAX)));
    assert_eq!(call(F32, "i64", &[Scalar::I64(16_777_217)]), Ok(Scalar::F32(16_777_216.0)));
}

#[test]
fn what_is_less_than_1_has_no_acosh() {
    for x in [-1.5, -170.5, -13996.997, -71653.179, -8361498.2112611, f64::NEG_INFINITY, f64::NAN] {
        let Ok(Scalar::F64(y)) = call(F64, "acosh", &[Scalar::F64(x)]) else { panic!("f64.acosh") };
        let Ok(Scalar::F32(z)) = call(F32, "acosh", &[Scalar::F32(x as f32)]) else { panic!("f32.acosh") };
        assert!(y.is_nan() && z.is_nan(), "{x}: {y}, {z}");
    }
}

#[test]
fn minimum_ignores_nan() {
    let f = |name: &str, a: f64, b: f64| call(F64, name, &[Scalar::F64(a), Scalar::F64(b)]).unwrap();
    assert!(f("min", f64::NAN, 1.0).same_bits(Scalar::F64(1.0)));
    assert!(f("max", 1.0, f64::NAN).same_bits(Scalar::F64(1.0)));
    for (a, b) in [(0.0, -0.0), (-0.0, 0.0)] {
        assert!(f("min", a, b).same_bits(Scalar::F64(-0.0)));
        assert!(f("max", a, b).same_bits(Scalar::F64(0.0)));
    }
    for (a, b, result) in [(0.0, f64::NAN, 0.0), (-0.0, f64::INFINITY, 0.0), (0.5, f64::INFINITY, f64::INFINITY), (f64::NAN, 2.0, 2.0)] {
        assert!(f("zero_or", a, b).same_bits(Scalar::F64(result)));
    }
    assert_eq!(f("max", 3.0, 2.0), Scalar::F64(3.0));
    assert_eq!(f("min", 3.0, 2.0), Scalar::F64(2.0));
}

#[test]
fn float_functions() {
    let f = |name: &str, a: f64| call(F64, name, &[Scalar::F64(a)]).unwrap().as_f64().unwrap();
    assert_eq!(f("round", 2.5), 2.0);
    assert_eq!(f("round", -3.5), -4.0);
    assert_eq!(f("sinpi", 1.0), 0.0);
    assert_eq!(f("sinpi", 2.5), 1.0);
    assert_eq!(f("cospi", 0.5), 0.0);
    assert_eq!(f("cospi", 1.0), -1.0);
    assert_eq!(f("tanpi", 1.0), 0.0);
    assert_eq!(f("gamma", 5.0), 24.0);
    assert!((f("erf", 1.0) - 0.8427007929497149).abs() < 1e-15);
    assert_eq!(f("exp10", 2.0), 100.0);
    assert_eq!(call(F64, "isinf", &[Scalar::F64(f64::NEG_INFINITY)]), Ok(Scalar::Bool(true)));
    assert_eq!(call(F32, "from_bits", &[Scalar::U32(0x3f80_0000)]), Ok(Scalar::F32(1.0)));
    assert_eq!(call(F32, "lerp", &[Scalar::F32(1.0), Scalar::F32(3.0), Scalar::F32(0.25)]), Ok(Scalar::F32(1.5)));
    assert_eq!(call(F16, "nextafter", &[Scalar::F16(f16::ONE), Scalar::F16(f16::ZERO)]), Ok(Scalar::F16(f16::from_bits(0x3bff))));
    assert_eq!(call(F64, "from_fraction", &[Scalar::I64(1), Scalar::I64(4)]), Ok(Scalar::F64(0.25)));
    assert_eq!(call(F64, "ldexp", &[Scalar::F64(0.75), Scalar::I32(3)]), Ok(Scalar::F64(6.0)));
}

#[test]
fn bits_of_words() {
    assert_eq!(call(I64, "mul_hi", &[Scalar::I64(-1), Scalar::I64(5)]), Ok(Scalar::I64(-1)));
    assert_eq!(call(U32, "mad_hi", &[Scalar::U32(u32::MAX), Scalar::U32(2), Scalar::U32(7)]), Ok(Scalar::U32(8)));
    assert_eq!(call(U8, "clz", &[Scalar::U8(1)]), Ok(Scalar::I32(7)));
    assert_eq!(call(I16, "popc", &[Scalar::I16(-1)]), Ok(Scalar::I32(16)));
    assert_eq!(call(I32, "get_bit", &[Scalar::I32(31), Scalar::I32(-1)]), Ok(Scalar::I32(1)));
    assert_eq!(call(I32, "set_bit", &[Scalar::I32(0), Scalar::I32(6), Scalar::I32(1)]), Ok(Scalar::I32(7)));
    assert_eq!(call(F32, "set_bit", &[Scalar::I32(31), Scalar::F32(1.0), Scalar::I32(1)]), Ok(Scalar::F32(-1.0)));
    assert_eq!(call(Bool, "!", &[Scalar::Bool(true)]), Ok(Scalar::Bool(false)));
    assert_eq!(call(Bool, "<", &[Scalar::Bool(false), Scalar::Bool(true)]), Ok(Scalar::Bool(true)));
}

/// Every member of every module applies to operands of its parameters' types and gives its result type.
#[test]
fn members_have_their_types() {
    for prim in PrimType::ALL {
        for name in members(prim) {
            match member(prim, name) {
                None => panic!("{prim}.{name}"),
                Some(Member::Op(op)) => {
                    for value in [-3, 0, 1, 77] {
                        let operands: Vec<Scalar> = op.params.iter().map(|&p| Scalar::from_i128(p, value)).collect();
                        match op.apply(&operands) {
                            Ok(result) => assert_eq!(result.prim(), op.result, "{prim}.{name}"),
                            Err(error) => assert_ne!(error, OpError::Operands, "{prim}.{name}"),
                        }
                    }
                }
                Some(Member::Fold(fold)) => {
                    let one = Scalar::from_i128(prim, 1);
                    assert_eq!(fold.step().apply2(fold.identity(), one), Ok(one), "{prim}.{name}");
                    let floats = [0.0, -0.0, 1.0, f64::NAN, f64::INFINITY, -f64::INFINITY].map(|x| Scalar::from_f64(prim, x));
                    for x in if prim.is_float() { floats.to_vec() } else { vec![one] } {
                        let combined = fold.step().apply2(fold.neutral(), x);
                        assert!(combined.is_ok_and(|y| y.same_bits(x)), "{prim}.{name} {x:?}");
                        let combined = fold.step().apply2(x, fold.neutral());
                        assert!(combined.is_ok_and(|y| y.same_bits(x)), "{prim}.{name} {x:?}");
                    }
                }
                Some(Member::Constant(_)) => {}
            }
        }
    }
    assert_eq!(qualified("i32.num_bits"), Some(Member::Constant(Scalar::I32(32))));
    assert_eq!(qualified("i32.sqrt"), None);
    assert_eq!(qualified("nonsense"), None);
}

#[test]
fn doubles_become_halves_with_one_rounding() {
    // Around each number in the middle between two halves, and around both.
    for bits in 0..0x7bff_u16 {
        let (low, high) = (f16::from_bits(bits), f16::from_bits(bits + 1));
        let middle = (low.to_f64() + high.to_f64()) / 2.0;
        let even = if bits & 1 == 0 { low } else { high };
        for (x, expected) in
            [(middle.next_down(), low), (middle, even), (middle.next_up(), high), (low.to_f64(), low), (low.to_f64().next_up(), low)]
        {
            assert_eq!((half_of(x).to_bits(), half_of(-x).to_bits()), (expected.to_bits(), expected.to_bits() | 0x8000), "{x:e}");
        }
    }
    assert_eq!(half_of(65519.99999999999), f16::MAX);
    assert_eq!(half_of(65520.0), f16::INFINITY);
    assert_eq!(half_of(f64::MAX), f16::INFINITY);
    assert_eq!(half_of(f64::from_bits(1)), f16::from_bits(0));
    assert!(half_of(f64::NAN).is_nan());
}

#[test]
fn fma_of_halves_rounds_once() {
    let fma = |a: f64, b: f64, c: f64| match call(F16, "fma", &[a, b, c].map(|x| Scalar::F16(half_of(x)))) {
        Ok(Scalar::F16(x)) => x.to_bits(),
        other => panic!("{other:?}"),
    };
    assert_eq!(fma(-1.5, 2.001953125, 5.960464477539063e-8), 49665);
    assert_eq!(fma(1.5, 2.001953125, -5.960464477539063e-8), 49665 & 0x7fff);
    // What is added is too small for the last bit of the double sum.
    let (big, tiny) = (32768.0 + 16.0, 5.960464477539063e-8);
    assert_eq!(fma(big, 1.0, tiny), half_of(big).to_bits());
    assert_eq!(
        fma(big, 0.00048828125 + 0.0000001, 0.0),
        half_of(half_of(big).to_f64() * half_of(0.00048828125 + 0.0000001).to_f64()).to_bits()
    );
}

#[test]
fn operations_fail_exactly_where_their_conditions_do_not_hold() {
    for prim in PrimType::ALL {
        for name in members(prim) {
            let Some(Member::Op(op)) = member(prim, name) else { continue };
            let Some(second) = op.params.get(1).filter(|second| second.is_int()) else { continue };
            for n in [-2, -1, 0, 1, 2] {
                let mut operands: Vec<Scalar> = op.params.iter().map(|param| Scalar::from_i128(*param, 3)).collect();
                operands[1] = Scalar::from_i128(*second, n);
                let n = operands[1].as_i128().expect("an integer");
                let expected = op.condition().filter(|condition| !condition.holds(n)).map(Condition::error);
                assert_eq!(op.apply(&operands).err(), expected, "{op:?} {operands:?}");
            }
        }
    }
}

fn c128(re: f64, im: f64) -> Scalar {
    Scalar::C128(Complex { re, im })
}

#[test]
fn complex_numbers() {
    let (a, b) = (c128(1.0, 2.0), c128(3.0, -1.0));
    assert_eq!(call(C128, "*", &[a, b]), Ok(c128(5.0, 5.0)));
    assert_eq!(call(C128, "/", &[c128(4.0, 2.0), c128(2.0, 2.0)]), Ok(c128(1.5, -0.5)));
    assert_eq!(call(C128, "**", &[c128(1.0, 1.0), c128(2.0, 0.0)]), Ok(c128(0.0, 2.0)));
    assert_eq!(call(C128, "abs", &[c128(3.0 * 2f64.powi(1000), 4.0 * 2f64.powi(1000))]), Ok(Scalar::F64(5.0 * 2f64.powi(1000))));
    let tiny = 2f32.powi(-120);
    assert_eq!(call(C64, "abs", &[Scalar::C64(Complex { re: 3.0 * tiny, im: 4.0 * tiny })]), Ok(Scalar::F32(5.0 * tiny)));
    assert_eq!(call(C128, "mk", &[Scalar::F64(1.0), Scalar::F64(2.0)]), Ok(a));
    assert_eq!(call(C64, "c128", &[a]), Ok(Scalar::C64(Complex { re: 1.0, im: 2.0 })));
    assert_eq!(call(C128, "==", &[a, a]), Ok(Scalar::Bool(true)));
    assert_eq!(call(C128, "!=", &[c128(f64::NAN, 0.0), c128(f64::NAN, 0.0)]), Ok(Scalar::Bool(true)));
    assert_eq!(call(C128, "*", &[a, Scalar::F64(1.0)]), Err(OpError::Operands));
    assert_eq!((member(C128, "<"), member(C128, "max"), member(F64, "c128")), (None, None, None));
}

/// On the negative real axis the sign of the zero says on which side of the cut a number is.
#[test]
fn cuts_of_complex_functions() {
    let at = |name: &str, re: f64, im: f64| match call(C128, name, &[c128(re, im)]) {
        Ok(Scalar::C128(z)) => (z.re, z.im),
        other => panic!("{name}: {other:?}"),
    };
    for side in [0.0, -0.0] {
        let up = 1.0f64.copysign(side);
        assert_eq!(at("sqrt", -4.0, side), (0.0, 2.0 * up));
        assert_eq!(at("log", -1.0, side), (0.0, std::f64::consts::PI * up));
        assert_eq!(at("asin", 2.0, side).1.signum(), up);
        assert_eq!(at("acos", 2.0, side).1.signum(), -up);
        assert_eq!(at("atanh", 2.0, side).1, std::f64::consts::FRAC_PI_2 * up);
        assert_eq!(at("acosh", -2.0, side).1, std::f64::consts::PI * up);
        assert_eq!(at("asinh", side, 2.0).0.signum(), up);
        assert_eq!(at("atan", side, 2.0).0, std::f64::consts::FRAC_PI_2 * up);
    }
}

/// The poles of inverse hyperbolic tangents are approached as logarithms are, until nothing is nearer.
#[test]
fn beside_the_poles_of_complex_functions() {
    let real = |name: &str, re: f64, im: f64| match call(C128, name, &[c128(re, im)]) {
        Ok(Scalar::C128(z)) => {
            if name == "atan" {
                z.im
            } else {
                z.re
            }
        }
        other => panic!("{name}: {other:?}"),
    };
    for tiny in [1e-18, 1e-30, 1e-170, 5e-324] {
        let expected = 0.5 * (2.0f64.ln() - f64::ln(tiny));
        for found in [real("atanh", 1.0, tiny), -real("atanh", -1.0, tiny), real("atan", tiny, 1.0), -real("atan", tiny, -1.0)] {
            assert!((found - expected).abs() <= 4e-16 * expected, "{tiny}: {found}, {expected}");
        }
    }
    let single = Scalar::complex(Scalar::F32(1.0), Scalar::F32(1e-30)).expect("complex");
    let Ok(Scalar::C64(z)) = call(C64, "atanh", &[single]) else { panic!("c64.atanh") };
    assert!((z.re - 34.885).abs() < 1e-3, "{}", z.re);
    assert_eq!(real("atanh", 1.0, 0.0), f64::INFINITY);
}
