//! Scalar operations.

use super::Simplifier;
use crate::base::mutation::mutated;
use crate::base::scalar::{Op, ScalarOp};
use crate::base::{PrimType, Scalar};
use crate::ir::soac::{Exp, Operand, Size, parallel_exp, same, single_exp};

fn constant(a: Operand) -> Option<Scalar> {
    if let Operand::Const(scalar) = a { Some(scalar) } else { None }
}
fn is_int(a: Operand, value: i128) -> bool {
    constant(a).and_then(Scalar::as_i128) == Some(value)
}
fn is_float(a: Operand, prim: PrimType, value: f64) -> bool {
    constant(a).is_some_and(|scalar| scalar.same_bits(Scalar::from_f64(prim, value)))
}
fn is_bool(a: Operand, value: bool) -> bool {
    matches!(constant(a), Some(Scalar::Bool(found)) if found == value)
}

impl Simplifier<'_> {
    /// What the operation computes, if that is known or one of its operands.
    pub(super) fn known_scalar(&self, op: ScalarOp, args: &[Operand]) -> Option<Operand> {
        let constants: Option<Vec<Scalar>> = args.iter().map(|a| constant(*a)).collect();
        if let Some(constants) = constants
            && let Ok(value) = op.apply(&constants)
        {
            return Some(Operand::Const(value));
        }
        match *args {
            [a] => self.unary(op, a),
            [a, b] if op.prim.is_int() => integers(op, a, b).or_else(|| self.compared(op, a, b)),
            [a, b] if op.prim.is_float() => floats(op, a, b),
            [a, b] if op.prim.is_complex() => complex(op, a, b),
            [a, b] => truths(op, a, b),
            _ => None,
        }
    }

    fn unary(&self, op: ScalarOp, a: Operand) -> Option<Operand> {
        if op.op == Op::Convert(op.prim) {
            return Some(a);
        }
        // Twice the same involution.
        let involution = matches!(op.op, Op::Neg) || (op.op == Op::Not);
        match self.definition(a)? {
            Exp::Scalar(inner, args) if involution && *inner == op => args.first().copied(),
            single_exp!() | parallel_exp!() | Exp::Check(_) | Exp::If { .. } | Exp::Loop { .. } | Exp::Call(..) => None,
        }
    }

    /// Comparisons of sizes and counters.
    #[expect(clippy::wildcard_enum_match_arm, reason = "identities of some operations; the others have none")]
    fn compared(&self, op: ScalarOp, a: Operand, b: Operand) -> Option<Operand> {
        if op.prim != PrimType::I64 {
            return None;
        }
        // Operands of others need not be of this type: the number of a bit, for example.
        let of_both = matches!(op.op, Op::Eq | Op::Ne | Op::Lt | Op::Ge | Op::Le | Op::Gt | Op::Max | Op::Min | Op::Mod | Op::Rem);
        if !of_both {
            return None;
        }
        let truth = |value: bool| Some(Operand::Const(Scalar::Bool(value)));
        // Modulo 2^64, as numbers are.
        let difference = self.size_of(b).sub(&self.size_of(a)).as_constant();
        let (x, y) = (self.form_of(a), self.form_of(b));
        let less = |x: &Size, y: &Size| self.facts.less(x, y);
        match op.op {
            Op::Eq | Op::Ne => {
                let equal = match difference {
                    Some(d) => d == 0,
                    None if less(&x, &y) || less(&y, &x) => false,
                    None => return None,
                };
                truth(equal == (op.op == Op::Eq))
            }
            Op::Lt | Op::Ge => {
                let less = if less(&x, &y) {
                    true
                } else if self.facts.at_most(&y, &x) {
                    false
                } else {
                    return None;
                };
                truth(less == (op.op == Op::Lt))
            }
            Op::Gt | Op::Le => {
                let more = if less(&y, &x) {
                    true
                } else if self.facts.at_most(&x, &y) {
                    false
                } else {
                    return None;
                };
                truth(more == (op.op == Op::Gt))
            }
            Op::Max if self.facts.at_most(&x, &y) => Some(b),
            Op::Max if self.facts.at_most(&y, &x) => Some(a),
            Op::Min if self.facts.at_most(&x, &y) => Some(a),
            Op::Min if self.facts.at_most(&y, &x) => Some(b),
            Op::Mod | Op::Rem if self.facts.in_bounds(&x, &y) => Some(a),
            _ => None,
        }
    }

    /// An operation on `i64` as a size.
    #[expect(clippy::wildcard_enum_match_arm, reason = "sizes are sums and products")]
    pub(in crate::middle::optimise) fn size_of_scalar(&self, op: ScalarOp, args: &[Operand]) -> Option<Size> {
        let [a, b] = *args else { return None };
        // As in comparisons.
        if op.prim != PrimType::I64 || !matches!(op.op, Op::Add | Op::Sub | Op::Mul) {
            return None;
        }
        let (x, y) = (self.size_of(a), self.size_of(b));
        let size = match op.op {
            Op::Add => x.add(&y),
            Op::Sub => x.sub(&y),
            Op::Mul if x.extent().0 * y.extent().0 <= 16 => x.mul(&y),
            _ => return None,
        };
        (size.extent().0 <= 16 && size.extent().1 <= 8).then_some(size)
    }

    /// A sum, with as little code as possible.
    pub(super) fn add(&mut self, a: Operand, b: Operand, prim: PrimType, at: &mut super::At) -> Operand {
        self.binary(Op::Add, a, b, prim, at)
    }
    /// A product.
    pub(super) fn mul(&mut self, a: Operand, b: Operand, prim: PrimType, at: &mut super::At) -> Operand {
        self.binary(Op::Mul, a, b, prim, at)
    }
    fn binary(&mut self, op: Op, a: Operand, b: Operand, prim: PrimType, at: &mut super::At) -> Operand {
        let op = ScalarOp::new(op, prim);
        self.emit(Exp::Scalar(op, vec![a, b]), crate::ir::soac::Type::scalar(op.result), "t", at)
    }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "identities of some operations; the others have none")]
fn integers(op: ScalarOp, a: Operand, b: Operand) -> Option<Operand> {
    let zero = || Some(Operand::Const(Scalar::from_i128(op.prim, 0)));
    let truth = |value: bool| Some(Operand::Const(Scalar::Bool(value)));
    match op.op {
        Op::Add | Op::Or | Op::Xor if is_int(a, 0) => Some(b),
        Op::Sub if mutated!(ZeroMinus, false, is_int(a, 0)) => Some(b),
        Op::Add | Op::Sub | Op::Or | Op::Xor | Op::Shl | Op::Shr | Op::UShr if is_int(b, 0) => Some(a),
        Op::Mul if is_int(a, 1) => Some(b),
        Op::Mul | Op::Div | Op::Quot if is_int(b, 1) => Some(a),
        Op::Mul | Op::And if is_int(a, 0) || is_int(b, 0) => zero(),
        Op::Pow if is_int(b, 1) => Some(a),
        Op::Mod | Op::Rem if is_int(b, 1) => zero(),
        Op::Sub | Op::Xor if same(a, b) => zero(),
        Op::And | Op::Or | Op::Min | Op::Max if same(a, b) => Some(a),
        Op::Eq | Op::Le | Op::Ge if same(a, b) => truth(true),
        Op::Ne | Op::Lt | Op::Gt if same(a, b) => truth(false),
        _ => None,
    }
}

/// Only what is exact for all values: `x + 0` is not (`-0.0 + 0.0` is `0.0`), `x - 0` is.
#[expect(clippy::wildcard_enum_match_arm, reason = "identities of some operations; the others have none")]
fn floats(op: ScalarOp, a: Operand, b: Operand) -> Option<Operand> {
    let is = |a: Operand, value: f64| is_float(a, op.prim, value);
    match op.op {
        Op::Add if is(a, -0.0) => Some(b),
        Op::Add if mutated!(PlusZero, is(b, -0.0), is(b, -0.0) || is(b, 0.0)) => Some(a),
        Op::Sub if is(b, 0.0) => Some(a),
        Op::Mul if is(a, 1.0) => Some(b),
        Op::Mul | Op::Div | Op::Pow if is(b, 1.0) => Some(a),
        Op::ZeroOr => constant(a).and_then(|a| a.as_f64()).filter(|a| *a != 0.0).map(|_| b),
        _ => None,
    }
}

/// Sums and differences are those of the parts. A product with 1 is no identity: it makes a NaN of an infinity beside 0.
#[expect(clippy::wildcard_enum_match_arm, reason = "identities of some operations; the others have none")]
fn complex(op: ScalarOp, a: Operand, b: Operand) -> Option<Operand> {
    let part = op.prim.part()?;
    let is = |a: Operand, value: f64| {
        let zero = Scalar::from_f64(part, value);
        constant(a).zip(Scalar::complex(zero, zero)).is_some_and(|(scalar, zero)| scalar.same_bits(zero))
    };
    match op.op {
        Op::Add if is(a, -0.0) => Some(b),
        Op::Add if is(b, -0.0) => Some(a),
        Op::Sub if is(b, 0.0) => Some(a),
        _ => None,
    }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "identities of some operations; the others have none")]
fn truths(op: ScalarOp, a: Operand, b: Operand) -> Option<Operand> {
    let truth = |value: bool| Some(Operand::Const(Scalar::Bool(value)));
    match op.op {
        Op::And if is_bool(a, true) => Some(b),
        Op::And if is_bool(b, true) => Some(a),
        Op::And if is_bool(a, false) || is_bool(b, false) => truth(false),
        Op::Or if is_bool(a, false) => Some(b),
        Op::Or if is_bool(b, false) => Some(a),
        Op::Or if is_bool(a, true) || is_bool(b, true) => truth(true),
        Op::And | Op::Or if same(a, b) => Some(a),
        Op::Eq if is_bool(a, true) => Some(b),
        Op::Eq if is_bool(b, true) => Some(a),
        Op::Eq if same(a, b) => truth(true),
        Op::Ne if same(a, b) => truth(false),
        _ => None,
    }
}
