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

mod functions;

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

/// What a quotient by a complex number needs (Smith 1962): the sizes of the parts, whether the real one is the greater, the lesser over
/// the greater, and the greater plus the lesser times that.
struct Divisor<V> {
    sizes: (V, V),
    wide: V,
    ratio: V,
    sum: V,
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
    /// The magnitude of `a` with the sign of `sign`. That of a NaN says nothing, and is not the same on all machines: it counts as plus.
    fn signed(&mut self, a: &V, sign: &V) -> V {
        let signed = self.op(Op::CopySign, &[a, sign]);
        let (nan, plain) = (self.op(Op::IsNan, &[sign]), self.abs(a));
        self.select(&nan, &plain, &signed)
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
        // The minus of a NaN counts as plus, so its result is not negated.
        let (nan, plus, negative) = (self.op(Op::IsNan, &[y]), self.abs(&re), self.neg(&re));
        (im, self.select(&nan, &plus, &negative))
    }

    fn product(&mut self, (ax, ay): &(V, V), (bx, by): &(V, V)) -> (V, V) {
        let (xx, yy, xy, yx) = (self.mul(ax, bx), self.mul(ay, by), self.mul(ax, by), self.mul(ay, bx));
        (self.sub(&xx, &yy), self.add(&xy, &yx))
    }

    fn divisor(&mut self, x: &V, y: &V) -> Divisor<V> {
        let sizes = (self.abs(x), self.abs(y));
        let wide = self.op(Op::Ge, &[&sizes.0, &sizes.1]);
        let (most, least) = (self.select(&wide, x, y), self.select(&wide, y, x));
        let ratio = self.div(&least, &most);
        let rest = self.mul(&least, &ratio);
        let sum = self.add(&most, &rest);
        Divisor { sizes, wide, ratio, sum }
    }
    /// No square of a part overflows. By 0 it is the quotient of the parts and +0.
    fn quotient(&mut self, (ax, ay): &(V, V), (bx, by): &(V, V)) -> (V, V) {
        let Divisor { sizes: (abs_x, abs_y), wide, ratio, sum } = self.divisor(bx, by);
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
        let Divisor { wide, ratio, sum, .. } = self.divisor(x, y);
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
}
