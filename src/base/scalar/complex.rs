//! Operations on complex numbers, by operations on their parts. There is one definition for all that compute with them: evaluators apply it to
//! scalars, lowering to expressions. So results are the same everywhere, as far as those of floats are.
//!
//! Nothing branches: what depends on values is chosen, so that loops over complex numbers can be vectorised.
//!
//! * Products are by the formula: with infinite parts they are often NaN. Quotients are by Smith's ("Algorithm 116: Complex division", 1962).
//! * Roots, exponentials, logarithms, and circular and hyperbolic functions have the branch cuts, the signs of zeros and the special values of ISO
//!   C11, annex G. The inverse functions are Kahan's ("Branch cuts for complex elementary functions", 1987, section "Ten elementary functions").
//! * What would overflow or underflow on the way is scaled by a power of two.
//! * `**` with whole real exponents below 100 is repeated multiplication, as NumPy does; else `exp (b * log a)`.

use super::{Op, OpError, ScalarOp};
use crate::base::{PrimType, Scalar};

/// What computes with floats and truth values.
pub trait Floats {
    /// A float or a truth value. Cloning is cheap: it is a variable or a number.
    type Value: Clone;
    /// A number.
    fn constant(&mut self, scalar: Scalar) -> Self::Value;
    /// The result of an operation.
    fn op(&mut self, op: ScalarOp, args: Vec<Self::Value>) -> Self::Value;
    /// The first value where the condition holds, else the second.
    fn select(&mut self, condition: Self::Value, then: Self::Value, otherwise: Self::Value) -> Self::Value;
}

/// An operand or a result.
#[derive(Debug, Clone)]
pub enum Number<V> {
    /// A float, an integer, or a truth value.
    Real(V),
    /// Real and imaginary part.
    Complex(V, V),
}

impl<V> Number<V> {
    fn real(self) -> Option<V> {
        if let Number::Real(value) = self { Some(value) } else { None }
    }
    fn complex(self) -> Option<(V, V)> {
        if let Number::Complex(re, im) = self { Some((re, im)) } else { None }
    }
}

/// The sum with this is always the other operand.
pub(super) fn minus_zero(prim: PrimType) -> Option<Scalar> {
    let zero = Scalar::from_f64(prim.part()?, -0.0);
    Scalar::complex(zero, zero)
}

/// Evaluates.
struct Evaluator(Option<OpError>);

impl Floats for Evaluator {
    type Value = Scalar;
    fn constant(&mut self, scalar: Scalar) -> Scalar {
        scalar
    }
    fn op(&mut self, op: ScalarOp, args: Vec<Scalar>) -> Scalar {
        op.apply(&args).unwrap_or_else(|error| {
            self.0 = Some(error);
            Scalar::Bool(false)
        })
    }
    fn select(&mut self, condition: Scalar, then: Scalar, otherwise: Scalar) -> Scalar {
        if condition == Scalar::Bool(true) { then } else { otherwise }
    }
}

/// The result of an operation of a complex type.
pub(super) fn apply(op: ScalarOp, operands: &[Scalar]) -> Result<Scalar, OpError> {
    if operands.len() != op.params.len() || operands.iter().zip(op.params).any(|(operand, param)| operand.prim() != *param) {
        return Err(OpError::Operands);
    }
    let args = operands.iter().map(|scalar| match scalar.parts() {
        Some((re, im)) => Number::Complex(re, im),
        None => Number::Real(*scalar),
    });
    let mut evaluator = Evaluator(None);
    let result = expand(&mut evaluator, op, args.collect());
    match (evaluator.0, result) {
        (Some(error), _) => Err(error),
        (None, Some(Number::Real(scalar))) => Ok(scalar),
        (None, Some(Number::Complex(re, im))) => Scalar::complex(re, im).ok_or(OpError::Operands),
        (None, None) => Err(OpError::Operands),
    }
}

/// The result of an operation of a complex type; `None` where there is no such operation of these operands.
pub fn expand<F: Floats>(floats: &mut F, op: ScalarOp, args: Vec<Number<F::Value>>) -> Option<Number<F::Value>> {
    let prim = op.prim.part()?;
    let mut on = On { floats, prim };
    let mut args = args.into_iter();
    let first = args.next()?;
    match op.op {
        Op::Complex => return Some(Number::Complex(first.real()?, args.next()?.real()?)),
        Op::Polar => {
            let (r, angle) = (first.real()?, args.next()?.real()?);
            return Some(on.polar(&r, &angle).into());
        }
        Op::Convert(from) => return Some(on.converted(from, first).into()),
        _ => {}
    }
    let a = first.complex()?;
    if let Some(b) = args.next() {
        return on.binary(op.op, &a, &b.complex()?);
    }
    on.unary(op.op, &a)
}

impl<V> From<(V, V)> for Number<V> {
    fn from((re, im): (V, V)) -> Number<V> {
        Number::Complex(re, im)
    }
}

/// A magnitude that was scaled, so that nothing overflowed or underflowed.
struct Magnitude<V> {
    /// What is out of the range: whether the magnitude is huge, whether it is tiny.
    huge: V,
    tiny: V,
    /// The parts and the magnitude, scaled.
    x: V,
    y: V,
    size: V,
}

/// Computes with parts of a type.
struct On<'f, F> {
    floats: &'f mut F,
    prim: PrimType,
}

/// Formulas. Parts are called `x` and `y`.
impl<V: Clone, F: Floats<Value = V>> On<'_, F> {
    fn op(&mut self, op: Op, args: &[&V]) -> V {
        let args = args.iter().map(|v| (*v).clone()).collect();
        self.floats.op(ScalarOp::new(op, self.prim), args)
    }
    fn num(&mut self, value: f64) -> V {
        self.floats.constant(Scalar::from_f64(self.prim, value))
    }
    fn add(&mut self, a: &V, b: &V) -> V {
        self.op(Op::Add, &[a, b])
    }
    fn sub(&mut self, a: &V, b: &V) -> V {
        self.op(Op::Sub, &[a, b])
    }
    fn mul(&mut self, a: &V, b: &V) -> V {
        self.op(Op::Mul, &[a, b])
    }
    fn div(&mut self, a: &V, b: &V) -> V {
        self.op(Op::Div, &[a, b])
    }
    fn neg(&mut self, a: &V) -> V {
        self.op(Op::Neg, &[a])
    }
    fn abs(&mut self, a: &V) -> V {
        self.op(Op::Abs, &[a])
    }
    fn signed(&mut self, a: &V, sign: &V) -> V {
        self.op(Op::CopySign, &[a, sign])
    }
    fn times(&mut self, a: &V, factor: f64) -> V {
        let factor = self.num(factor);
        self.mul(a, &factor)
    }
    fn plus(&mut self, a: &V, b: f64) -> V {
        let b = self.num(b);
        self.add(a, &b)
    }
    fn is(&mut self, op: Op, a: &V, value: f64) -> V {
        let value = self.num(value);
        self.op(op, &[a, &value])
    }
    fn is_zero(&mut self, a: &V) -> V {
        self.is(Op::Eq, a, 0.0)
    }
    fn truth(&mut self, op: Op, a: &V, b: &V) -> V {
        self.floats.op(ScalarOp::new(op, PrimType::Bool), vec![a.clone(), b.clone()])
    }
    fn both(&mut self, a: &V, b: &V) -> V {
        self.truth(Op::And, a, b)
    }
    fn either(&mut self, a: &V, b: &V) -> V {
        self.truth(Op::Or, a, b)
    }
    fn infinite(&mut self, a: &V) -> V {
        self.op(Op::IsInf, &[a])
    }
    /// Whether it is infinite or NaN: then its difference from itself is no 0.
    fn not_finite(&mut self, a: &V) -> V {
        let difference = self.sub(a, a);
        self.is(Op::Ne, &difference, 0.0)
    }
    fn select(&mut self, condition: &V, then: &V, otherwise: &V) -> V {
        self.floats.select(condition.clone(), then.clone(), otherwise.clone())
    }
    /// The first number where the first condition holds, the second where the second does, else the third.
    fn one_of(&mut self, first: &V, second: &V, numbers: [f64; 3]) -> V {
        let [a, b, c] = numbers.map(|number| self.num(number));
        let rest = self.select(second, &b, &c);
        self.select(first, &a, &rest)
    }
    /// The exponents of two from which on squares are scaled, and by which they are.
    fn range(&self) -> (i32, i32) {
        if self.prim == PrimType::F32 { (60, 100) } else { (500, 800) }
    }

    fn converted(&mut self, from: PrimType, a: Number<V>) -> (V, V) {
        let part = |on: &mut Self, of: PrimType, value: V| {
            if of == on.prim { value } else { on.floats.op(ScalarOp::new(Op::Convert(of), on.prim), vec![value]) }
        };
        match (a, from.part()) {
            (Number::Complex(x, y), Some(of)) => (part(self, of, x), part(self, of, y)),
            (Number::Complex(x, _) | Number::Real(x), _) => (part(self, from, x), self.num(0.0)),
        }
    }

    fn binary(&mut self, op: Op, a: &(V, V), b: &(V, V)) -> Option<Number<V>> {
        let ((ax, ay), (bx, by)) = (a, b);
        Some(match op {
            Op::Add | Op::Sub => Number::Complex(self.op(op, &[ax, bx]), self.op(op, &[ay, by])),
            Op::Mul => self.product(a, b).into(),
            Op::Div => self.quotient(a, b).into(),
            Op::Pow => self.power(a, b).into(),
            Op::Eq => {
                let (re, im) = (self.op(op, &[ax, bx]), self.op(op, &[ay, by]));
                Number::Real(self.both(&re, &im))
            }
            Op::Ne => {
                let (re, im) = (self.op(op, &[ax, bx]), self.op(op, &[ay, by]));
                Number::Real(self.either(&re, &im))
            }
            _ => return None,
        })
    }

    fn unary(&mut self, op: Op, a: &(V, V)) -> Option<Number<V>> {
        let (x, y) = a;
        Some(match op {
            Op::Re => Number::Real(x.clone()),
            Op::Im => Number::Real(y.clone()),
            Op::Conj => Number::Complex(x.clone(), self.neg(y)),
            Op::Neg => Number::Complex(self.neg(x), self.neg(y)),
            Op::Abs => Number::Real(self.magnitude(x, y)),
            Op::Arg => Number::Real(self.op(Op::Atan2, &[y, x])),
            Op::Norm => {
                let (xx, yy) = (self.mul(x, x), self.mul(y, y));
                Number::Real(self.add(&xx, &yy))
            }
            Op::IsNan | Op::IsInf => {
                let (re, im) = (self.op(op, &[x]), self.op(op, &[y]));
                Number::Real(self.either(&re, &im))
            }
            Op::Recip => self.reciprocal(x, y).into(),
            Op::Sgn => self.sign(x, y).into(),
            Op::Sqrt => self.sqrt(x, y).into(),
            Op::Exp => self.exp(x, y).into(),
            Op::Exp2 => {
                let (x, y) = (self.times(x, std::f64::consts::LN_2), self.times(y, std::f64::consts::LN_2));
                self.exp(&x, &y).into()
            }
            Op::Expm1 => self.expm1(x, y).into(),
            Op::Log => self.log(x, y).into(),
            Op::Log2 => self.scaled_log(a, std::f64::consts::LOG2_E).into(),
            Op::Log10 => self.scaled_log(a, std::f64::consts::LOG10_E).into(),
            Op::Log1p => self.log1p(x, y).into(),
            Op::Sinh => self.sinh(x, y).into(),
            Op::Cosh => self.cosh(x, y).into(),
            Op::Tanh => self.tanh(x, y).into(),
            Op::Asinh => self.asinh(x, y).into(),
            Op::Acosh => self.acosh(x, y).into(),
            Op::Atanh => self.atanh(x, y).into(),
            Op::Acos => self.acos(x, y).into(),
            Op::Cos => {
                let y = self.neg(y);
                self.cosh(&y, x).into()
            }
            Op::Sin => self.turned(a, Self::sinh).into(),
            Op::Tan => self.turned(a, Self::tanh).into(),
            Op::Asin => self.turned(a, Self::asinh).into(),
            Op::Atan => self.turned(a, Self::atanh).into(),
            _ => return None,
        })
    }

    /// `-i f(i z)`: circular functions by hyperbolic ones.
    fn turned(&mut self, (x, y): &(V, V), f: fn(&mut Self, &V, &V) -> (V, V)) -> (V, V) {
        let minus = self.neg(y);
        let (re, im) = f(self, &minus, x);
        (im, self.neg(&re))
    }

    fn product(&mut self, (ax, ay): &(V, V), (bx, by): &(V, V)) -> (V, V) {
        let (xx, yy, xy, yx) = (self.mul(ax, bx), self.mul(ay, by), self.mul(ax, by), self.mul(ay, bx));
        (self.sub(&xx, &yy), self.add(&xy, &yx))
    }

    /// No square of a part overflows. By 0 it is the quotient of the parts and +0.
    fn quotient(&mut self, (ax, ay): &(V, V), (bx, by): &(V, V)) -> (V, V) {
        let (abs_x, abs_y) = (self.abs(bx), self.abs(by));
        let wide = self.op(Op::Ge, &[&abs_x, &abs_y]);
        let (most, least) = (self.select(&wide, bx, by), self.select(&wide, by, bx));
        let ratio = self.div(&least, &most);
        let rest = self.mul(&least, &ratio);
        let sum = self.add(&most, &rest);
        let one = self.num(1.0);
        let scale = self.div(&one, &sum);
        let (p, q) = (self.select(&wide, ax, ay), self.select(&wide, ay, ax));
        let (pr, qr) = (self.mul(&p, &ratio), self.mul(&q, &ratio));
        let re = self.add(&p, &qr);
        let (one_way, other_way) = (self.sub(&q, &pr), self.sub(&pr, &q));
        let im = self.select(&wide, &one_way, &other_way);
        let (re, im) = (self.mul(&re, &scale), self.mul(&im, &scale));
        let (zero_x, zero_y) = (self.is_zero(&abs_x), self.is_zero(&abs_y));
        let zero = self.both(&zero_x, &zero_y);
        let (by_zero_x, by_zero_y) = (self.div(ax, &abs_x), self.div(ay, &abs_x));
        (self.select(&zero, &by_zero_x, &re), self.select(&zero, &by_zero_y, &im))
    }

    /// As [`Self::quotient`] for 1, but for the signs of zeros.
    fn reciprocal(&mut self, x: &V, y: &V) -> (V, V) {
        let (abs_x, abs_y) = (self.abs(x), self.abs(y));
        let wide = self.op(Op::Ge, &[&abs_x, &abs_y]);
        let (most, least) = (self.select(&wide, x, y), self.select(&wide, y, x));
        let ratio = self.div(&least, &most);
        let rest = self.mul(&least, &ratio);
        let sum = self.add(&most, &rest);
        let one = self.num(1.0);
        let (scale, part) = (self.div(&one, &sum), self.div(&ratio, &sum));
        let (re, im) = (self.select(&wide, &scale, &part), self.select(&wide, &part, &scale));
        (re, self.neg(&im))
    }

    fn power(&mut self, a: &(V, V), b: &(V, V)) -> (V, V) {
        let log = self.log(&a.0, &a.1);
        let exponent = self.product(b, &log);
        let mut out = self.exp(&exponent.0, &exponent.1);
        // The base 0.
        let (zero_x, zero_y) = (self.is_zero(&a.0), self.is_zero(&a.1));
        let zero = self.both(&zero_x, &zero_y);
        let positive = self.is(Op::Gt, &b.0, 0.0);
        let (nan, nothing) = (self.num(f64::NAN), self.num(0.0));
        let of_zero = self.select(&positive, &nothing, &nan);
        out = (self.select(&zero, &of_zero, &out.0), self.select(&zero, &of_zero, &out.1));
        // Whole exponents: a product of squares. The base 0 has no negative powers.
        let whole = self.op(Op::Trunc, &[&b.0]);
        let (is_whole, is_real) = (self.op(Op::Eq, &[&whole, &b.0]), self.is_zero(&b.1));
        let size = self.abs(&b.0);
        let small = self.is(Op::Lt, &size, 100.0);
        let (one, none) = (self.num(1.0), self.num(0.0));
        let (mut square, mut power, mut left) = (a.clone(), (one.clone(), none.clone()), size);
        let mut started = self.is(Op::Ne, &none, 0.0);
        for bit in 0..7 {
            if bit > 0 {
                square = self.product(&square, &square);
            }
            let half = self.times(&left, 0.5);
            let rest = self.op(Op::Floor, &[&half]);
            let odd = self.op(Op::Ne, &[&half, &rest]);
            let product = self.product(&power, &square);
            let next = (self.select(&started, &product.0, &square.0), self.select(&started, &product.1, &square.1));
            power = (self.select(&odd, &next.0, &power.0), self.select(&odd, &next.1, &power.1));
            started = self.either(&started, &odd);
            left = rest;
        }
        let inverse = self.reciprocal(&power.0, &power.1);
        let negative = self.is(Op::Lt, &b.0, 0.0);
        let of_zero = self.both(&negative, &zero);
        let whole_power = (self.select(&negative, &inverse.0, &power.0), self.select(&negative, &inverse.1, &power.1));
        let by_products = self.both(&is_whole, &is_real);
        let by_products = self.both(&by_products, &small);
        let re = self.select(&by_products, &whole_power.0, &out.0);
        let im = self.select(&by_products, &whole_power.1, &out.1);
        (self.select(&of_zero, &nan, &re), self.select(&of_zero, &nan, &im))
    }

    fn scaled(&mut self, x: &V, y: &V) -> Magnitude<V> {
        let (limit, by) = self.range();
        let (abs_x, abs_y) = (self.abs(x), self.abs(y));
        let most = self.op(Op::Max, &[&abs_x, &abs_y]);
        let huge = self.is(Op::Gt, &most, 2f64.powi(limit));
        let tiny = self.is(Op::Lt, &most, 2f64.powi(-limit));
        let scale = self.one_of(&huge, &tiny, [2f64.powi(-by), 2f64.powi(by), 1.0]);
        let (x, y) = (self.mul(&abs_x, &scale), self.mul(&abs_y, &scale));
        let (xx, yy) = (self.mul(&x, &x), self.mul(&y, &y));
        let sum = self.add(&xx, &yy);
        let root = self.op(Op::Sqrt, &[&sum]);
        // Infinite, even beside NaN.
        let infinity = self.num(f64::INFINITY);
        let infinite = self.op(Op::Eq, &[&most, &infinity]);
        let size = self.select(&infinite, &infinity, &root);
        Magnitude { huge, tiny, x, y, size }
    }
    fn magnitude(&mut self, x: &V, y: &V) -> V {
        let (_, by) = self.range();
        let m = self.scaled(x, y);
        let back = self.one_of(&m.huge, &m.tiny, [2f64.powi(by), 2f64.powi(-by), 1.0]);
        self.mul(&m.size, &back)
    }

    /// The number over its magnitude. An infinite number has a sign where only one part is infinite.
    fn sign(&mut self, x: &V, y: &V) -> (V, V) {
        let m = self.scaled(x, y);
        let zero = self.is_zero(&m.size);
        let (infinite_x, infinite_y) = (self.infinite(x), self.infinite(y));
        let (far, nowhere) = (self.either(&infinite_x, &infinite_y), self.both(&infinite_x, &infinite_y));
        let (one, none, nan) = (self.num(1.0), self.num(0.0), self.num(f64::NAN));
        let mut part = |v: &V, scaled: &V, infinite: &V| {
            let (unit, flat) = (self.signed(&one, v), self.signed(&none, v));
            let end = self.select(infinite, &unit, &flat);
            let end = self.select(&nowhere, &nan, &end);
            let unit = self.div(scaled, &m.size);
            let unit = self.signed(&unit, v);
            let unit = self.select(&far, &end, &unit);
            self.select(&zero, v, &unit)
        };
        (part(x, &m.x, &infinite_x), part(y, &m.y, &infinite_y))
    }

    fn polar(&mut self, r: &V, angle: &V) -> (V, V) {
        let (cos, sin) = (self.op(Op::Cos, &[angle]), self.op(Op::Sin, &[angle]));
        let (re, im) = (self.mul(r, &cos), self.mul(r, &sin));
        // With angle 0 the number is real, however great it is.
        let real = self.is_zero(angle);
        let zero = self.signed(angle, r);
        let negative = self.neg(&zero);
        let down = self.is(Op::Lt, angle, 0.0);
        let zero = self.select(&down, &negative, &zero);
        (re, self.select(&real, &zero, &im))
    }

    fn sqrt(&mut self, x: &V, y: &V) -> (V, V) {
        let (_, by) = self.range();
        let m = self.scaled(x, y);
        let sum = self.add(&m.x, &m.size);
        let half = self.times(&sum, 0.5);
        let root = self.op(Op::Sqrt, &[&half]);
        let back = self.one_of(&m.huge, &m.tiny, [2f64.powi(by / 2), 2f64.powi(-by / 2), 1.0]);
        let most = self.mul(&root, &back);
        let (abs_y, twice) = (self.abs(y), self.add(&most, &most));
        let least = self.div(&abs_y, &twice);
        let right = self.is(Op::Ge, x, 0.0);
        let (re, im) = (self.select(&right, &most, &least), self.select(&right, &least, &most));
        let im = self.signed(&im, y);
        // Of 0, and of what is infinitely far up or down.
        let zero = self.is_zero(&most);
        let infinite = self.infinite(y);
        let (nothing, infinity) = (self.num(0.0), self.num(f64::INFINITY));
        let re = self.select(&zero, &nothing, &re);
        let re = self.select(&infinite, &infinity, &re);
        let special = self.either(&zero, &infinite);
        (re, self.select(&special, y, &im))
    }

    fn exp(&mut self, x: &V, y: &V) -> (V, V) {
        // Exponentials that overflow although the parts may not are products of two.
        let most = if self.prim == PrimType::F32 { 87.0 } else { 700.0 };
        let huge = self.is(Op::Gt, x, most);
        let less = self.plus(x, -most);
        let rest = self.select(&huge, &less, x);
        let factor = self.one_of(&huge, &huge, [f64::exp(most), 1.0, 1.0]);
        let size = self.op(Op::Exp, &[&rest]);
        let (cos, sin) = (self.op(Op::Cos, &[y]), self.op(Op::Sin, &[y]));
        let (re, im) = (self.mul(&size, &cos), self.mul(&size, &sin));
        let (re, im) = (self.mul(&re, &factor), self.mul(&im, &factor));
        // On the real axis, and with no angle at all.
        let real = self.is_zero(y);
        let length = self.mul(&size, &factor);
        let (re, im) = (self.select(&real, &length, &re), self.select(&real, y, &im));
        let (infinite, turning) = (self.infinite(x), self.not_finite(y));
        let special = self.both(&infinite, &turning);
        let nothing = self.is_zero(&size);
        let zero = self.num(0.0);
        let ends = self.both(&special, &nothing);
        (self.select(&special, &size, &re), self.select(&ends, &zero, &im))
    }

    fn expm1(&mut self, x: &V, y: &V) -> (V, V) {
        let (_, im) = self.exp(x, y);
        let half = self.times(y, 0.5);
        let (less, cos, sin) = (self.op(Op::Expm1, &[x]), self.op(Op::Cos, &[y]), self.op(Op::Sin, &[&half]));
        let (first, square) = (self.mul(&less, &cos), self.mul(&sin, &sin));
        let twice = self.add(&square, &square);
        let re = self.sub(&first, &twice);
        let real = self.is_zero(y);
        (self.select(&real, &less, &re), im)
    }

    /// The logarithm of the magnitude: near 1 by its difference from 1.
    fn log_magnitude(&mut self, x: &V, y: &V) -> V {
        let (_, by) = self.range();
        let m = self.scaled(x, y);
        let log = self.op(Op::Log, &[&m.size]);
        let shift = f64::from(by) * std::f64::consts::LN_2;
        let back = self.one_of(&m.huge, &m.tiny, [shift, -shift, 0.0]);
        let log = self.add(&log, &back);
        let (most, least) = (self.op(Op::Max, &[&m.x, &m.y]), self.op(Op::Min, &[&m.x, &m.y]));
        let (above, beside) = (self.plus(&most, -1.0), self.plus(&most, 1.0));
        let (product, square) = (self.mul(&above, &beside), self.mul(&least, &least));
        let difference = self.add(&product, &square);
        let near = self.op(Op::Log1p, &[&difference]);
        let near = self.times(&near, 0.5);
        let (over, under) = (self.is(Op::Gt, &m.size, 0.5), self.is(Op::Lt, &m.size, 2.0));
        let close = self.both(&over, &under);
        let scaled = self.either(&m.huge, &m.tiny);
        let far = self.select(&scaled, &log, &near);
        self.select(&close, &far, &log)
    }
    fn log(&mut self, x: &V, y: &V) -> (V, V) {
        (self.log_magnitude(x, y), self.op(Op::Atan2, &[y, x]))
    }
    /// Near 0 by the square of the magnitude of the number and 1, without the 1.
    fn log1p(&mut self, x: &V, y: &V) -> (V, V) {
        let (beside, beyond) = (self.plus(x, 1.0), self.plus(x, 2.0));
        let (far, angle) = self.log(&beside, y);
        let (product, square) = (self.mul(x, &beyond), self.mul(y, y));
        let difference = self.add(&product, &square);
        let log = self.op(Op::Log1p, &[&difference]);
        let near = self.times(&log, 0.5);
        let (abs_x, abs_y) = (self.abs(x), self.abs(y));
        let (small_x, small_y) = (self.is(Op::Lt, &abs_x, 0.5), self.is(Op::Lt, &abs_y, 0.5));
        let small = self.both(&small_x, &small_y);
        (self.select(&small, &near, &far), angle)
    }
    fn scaled_log(&mut self, (x, y): &(V, V), factor: f64) -> (V, V) {
        let (re, im) = self.log(x, y);
        (self.times(&re, factor), self.times(&im, factor))
    }

    /// By the functions of half the real part: what overflows is multiplied last.
    fn halves(&mut self, x: &V, y: &V) -> [V; 4] {
        let half = self.times(x, 0.5);
        [self.op(Op::Sinh, &[&half]), self.op(Op::Cosh, &[&half]), self.op(Op::Sin, &[y]), self.op(Op::Cos, &[y])]
    }
    fn sinh(&mut self, x: &V, y: &V) -> (V, V) {
        let [sh, ch, sin, cos] = self.halves(x, y);
        let turned = self.mul(&sh, &cos);
        let re = self.mul(&turned, &ch);
        let re = self.add(&re, &re);
        let turned = self.mul(&sh, &sin);
        let more = self.mul(&turned, &sh);
        let twice = self.add(&more, &more);
        let im = self.add(&twice, &sin);
        let real = self.is_zero(y);
        let full = self.op(Op::Sinh, &[x]);
        let (re, im) = (self.select(&real, &full, &re), self.select(&real, y, &im));
        let turning = self.not_finite(y);
        let (zero, infinite) = (self.is_zero(x), self.infinite(x));
        // Which of the infinities it is nobody can say.
        let abs_x = self.abs(x);
        let (zero, infinite) = (self.both(&turning, &zero), self.both(&turning, &infinite));
        let re = self.select(&infinite, &abs_x, &re);
        (self.select(&zero, x, &re), im)
    }
    fn cosh(&mut self, x: &V, y: &V) -> (V, V) {
        let [sh, ch, sin, cos] = self.halves(x, y);
        let turned = self.mul(&sh, &cos);
        let more = self.mul(&turned, &sh);
        let twice = self.add(&more, &more);
        let re = self.add(&twice, &cos);
        let turned = self.mul(&sh, &sin);
        let im = self.mul(&turned, &ch);
        let im = self.add(&im, &im);
        let abs_x = self.abs(x);
        let one = self.num(1.0);
        // On the axes the imaginary part is a zero with the sign of the product.
        let (sign_x, sign_y) = (self.signed(&one, x), self.signed(&one, y));
        let (below, beside) = (self.mul(y, &sign_x), self.mul(x, &sign_y));
        let (real, upright, turning) = (self.is_zero(y), self.is_zero(x), self.not_finite(y));
        let im = self.select(&real, &below, &im);
        let both = self.both(&upright, &turning);
        let im = self.select(&both, &beside, &im);
        let infinite = self.infinite(x);
        let flat = self.either(&real, &turning);
        let special = self.both(&infinite, &flat);
        (self.select(&special, &abs_x, &re), im)
    }
    fn tanh(&mut self, x: &V, y: &V) -> (V, V) {
        let (sh, sin, cos) = (self.op(Op::Sinh, &[x]), self.op(Op::Sin, &[y]), self.op(Op::Cos, &[y]));
        let (square, cos_square) = (self.mul(&sh, &sh), self.mul(&cos, &cos));
        let more = self.plus(&square, 1.0);
        let ch = self.op(Op::Sqrt, &[&more]);
        let divisor = self.add(&square, &cos_square);
        let (top, side) = (self.mul(&sh, &ch), self.mul(&sin, &cos));
        let (re, im) = (self.div(&top, &divisor), self.div(&side, &divisor));
        let one = self.num(1.0);
        let (abs_x, unit) = (self.abs(x), self.signed(&one, x));
        let far = self.is(Op::Gt, &abs_x, if self.prim == PrimType::F32 { 12.0 } else { 22.0 });
        let (real, upright, turning) = (self.is_zero(y), self.is_zero(x), self.not_finite(y));
        let re = self.select(&far, &unit, &re);
        let none = self.both(&far, &turning);
        let infinite = self.infinite(x);
        // No angle makes a NaN of what is not infinite.
        let (nan, zero) = (self.num(f64::NAN), self.num(0.0));
        let lost = self.select(&infinite, &unit, &nan);
        let re = self.select(&none, &lost, &re);
        let flat = self.both(&upright, &turning);
        let re = self.select(&flat, x, &re);
        let nothing = self.signed(&zero, y);
        let ends = self.both(&infinite, &turning);
        let im = self.select(&ends, &nothing, &im);
        (re, self.select(&real, y, &im))
    }

    /// Whether it is so far from 0 that the functions are logarithms, and the logarithm of twice the magnitude.
    fn far(&mut self, x: &V, y: &V) -> (V, V) {
        let (limit, _) = self.range();
        let (abs_x, abs_y) = (self.abs(x), self.abs(y));
        let most = self.op(Op::Max, &[&abs_x, &abs_y]);
        let far = self.is(Op::Gt, &most, 2f64.powi(limit));
        let log = self.log_magnitude(x, y);
        (far, self.plus(&log, std::f64::consts::LN_2))
    }
    fn asinh(&mut self, x: &V, y: &V) -> (V, V) {
        let (far, log) = self.far(x, y);
        let (below, above, minus) = (self.neg(y), self.plus(y, 1.0), self.neg(x));
        let below = self.plus(&below, 1.0);
        let (a, b) = (self.sqrt(&below, x), self.sqrt(&above, &minus));
        let (ab, ba) = (self.mul(&b.0, &a.1), self.mul(&b.1, &a.0));
        let cross = self.sub(&ab, &ba);
        let re = self.op(Op::Asinh, &[&cross]);
        let (xx, yy) = (self.mul(&a.0, &b.0), self.mul(&a.1, &b.1));
        let along = self.sub(&xx, &yy);
        let im = self.op(Op::Atan2, &[y, &along]);
        let abs_x = self.abs(x);
        let (log, angle) = (self.signed(&log, x), self.op(Op::Atan2, &[y, &abs_x]));
        let (re, im) = (self.select(&far, &log, &re), self.select(&far, &angle, &im));
        let real = self.is_zero(y);
        (re, self.select(&real, y, &im))
    }
    fn acos(&mut self, x: &V, y: &V) -> (V, V) {
        let (far, log) = self.far(x, y);
        let (left, right, minus) = (self.neg(x), self.plus(x, 1.0), self.neg(y));
        let left = self.plus(&left, 1.0);
        let (a, b) = (self.sqrt(&left, &minus), self.sqrt(&right, y));
        let half = self.op(Op::Atan2, &[&a.0, &b.0]);
        let re = self.add(&half, &half);
        let (ab, ba) = (self.mul(&b.0, &a.1), self.mul(&b.1, &a.0));
        let cross = self.sub(&ab, &ba);
        let im = self.op(Op::Asinh, &[&cross]);
        let abs_y = self.abs(y);
        let (angle, log) = (self.op(Op::Atan2, &[&abs_y, x]), self.signed(&log, &minus));
        let (re, im) = (self.select(&far, &angle, &re), self.select(&far, &log, &im));
        // On the imaginary axis the real part is known even where the imaginary part is not.
        let upright = self.is_zero(x);
        let quarter = self.num(std::f64::consts::FRAC_PI_2);
        (self.select(&upright, &quarter, &re), im)
    }
    fn acosh(&mut self, x: &V, y: &V) -> (V, V) {
        let (far, log) = self.far(x, y);
        let (left, right) = (self.plus(x, -1.0), self.plus(x, 1.0));
        let (a, b) = (self.sqrt(&left, y), self.sqrt(&right, y));
        let (xx, yy) = (self.mul(&a.0, &b.0), self.mul(&a.1, &b.1));
        let along = self.add(&xx, &yy);
        let re = self.op(Op::Asinh, &[&along]);
        let half = self.op(Op::Atan2, &[&a.1, &b.0]);
        let im = self.add(&half, &half);
        let angle = self.op(Op::Atan2, &[y, x]);
        let (re, im) = (self.select(&far, &log, &re), self.select(&far, &angle, &im));
        let (upright, quarter) = (self.is_zero(x), self.num(std::f64::consts::FRAC_PI_2));
        let quarter = self.signed(&quarter, y);
        (re, self.select(&upright, &quarter, &im))
    }
    fn atanh(&mut self, x: &V, y: &V) -> (V, V) {
        let (abs_x, square) = (self.abs(x), self.mul(y, y));
        let (less, more) = (self.neg(&abs_x), self.plus(&abs_x, 1.0));
        let less = self.plus(&less, 1.0);
        let inner = self.mul(&less, &less);
        let distance = self.add(&inner, &square);
        let four = self.times(&abs_x, 4.0);
        let ratio = self.div(&four, &distance);
        let log = self.op(Op::Log1p, &[&ratio]);
        let near = self.times(&log, 0.25);
        let product = self.mul(&less, &more);
        let (along, across) = (self.sub(&product, &square), self.add(y, y));
        let angle = self.op(Op::Atan2, &[&across, &along]);
        let im = self.times(&angle, 0.5);
        // Far from 0 the real part is that of one over the number.
        let m = self.scaled(x, y);
        let (_, by) = self.range();
        let once = self.div(&m.x, &m.size);
        let twice = self.div(&once, &m.size);
        let small = self.times(&twice, 2f64.powi(-by));
        let re = self.select(&m.huge, &small, &near);
        let (infinite_x, infinite_y) = (self.infinite(x), self.infinite(y));
        let infinite = self.either(&infinite_x, &infinite_y);
        let zero = self.num(0.0);
        let re = self.select(&infinite, &zero, &re);
        let re = self.signed(&re, x);
        let upright = self.is_zero(x);
        let quarter = self.num(std::f64::consts::FRAC_PI_2);
        let quarter = self.signed(&quarter, y);
        // A NaN stays one.
        let none = self.op(Op::IsNan, &[y]);
        let quarter = self.select(&none, y, &quarter);
        (self.select(&upright, x, &re), self.select(&m.huge, &quarter, &im))
    }
}
