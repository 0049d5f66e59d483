//! Functions of complex numbers, by their parts `x` and `y`.

use super::{Floats, On};
use crate::base::PrimType;
use crate::base::scalar::Op;

impl<V: Clone, F: Floats<Value = V>> On<'_, F> {
    pub(super) fn polar(&mut self, r: &V, angle: &V) -> (V, V) {
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

    pub(super) fn sqrt(&mut self, x: &V, y: &V) -> (V, V) {
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

    pub(super) fn exp(&mut self, x: &V, y: &V) -> (V, V) {
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

    pub(super) fn expm1(&mut self, x: &V, y: &V) -> (V, V) {
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
    pub(super) fn log_magnitude(&mut self, x: &V, y: &V) -> V {
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
    pub(super) fn log(&mut self, x: &V, y: &V) -> (V, V) {
        (self.log_magnitude(x, y), self.op(Op::Atan2, &[y, x]))
    }
    /// Near 0 by the square of the magnitude of the number and 1, without the 1.
    pub(super) fn log1p(&mut self, x: &V, y: &V) -> (V, V) {
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
    pub(super) fn scaled_log(&mut self, (x, y): &(V, V), factor: f64) -> (V, V) {
        let (re, im) = self.log(x, y);
        (self.times(&re, factor), self.times(&im, factor))
    }

    /// By the functions of half the real part: what overflows is multiplied last.
    pub(super) fn halves(&mut self, x: &V, y: &V) -> [V; 4] {
        let half = self.times(x, 0.5);
        [self.op(Op::Sinh, &[&half]), self.op(Op::Cosh, &[&half]), self.op(Op::Sin, &[y]), self.op(Op::Cos, &[y])]
    }
    pub(super) fn sinh(&mut self, x: &V, y: &V) -> (V, V) {
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
    pub(super) fn cosh(&mut self, x: &V, y: &V) -> (V, V) {
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
    pub(super) fn tanh(&mut self, x: &V, y: &V) -> (V, V) {
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
    pub(super) fn far(&mut self, x: &V, y: &V) -> (V, V) {
        let (limit, _) = self.range();
        let (abs_x, abs_y) = (self.abs(x), self.abs(y));
        let most = self.op(Op::Max, &[&abs_x, &abs_y]);
        let far = self.is(Op::Gt, &most, 2f64.powi(limit));
        let log = self.log_magnitude(x, y);
        (far, self.plus(&log, std::f64::consts::LN_2))
    }
    pub(super) fn asinh(&mut self, x: &V, y: &V) -> (V, V) {
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
    pub(super) fn acos(&mut self, x: &V, y: &V) -> (V, V) {
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
        let log = self.signed(&log, y);
        let (angle, log) = (self.op(Op::Atan2, &[&abs_y, x]), self.neg(&log));
        let (re, im) = (self.select(&far, &angle, &re), self.select(&far, &log, &im));
        // On the imaginary axis the real part is known even where the imaginary part is not.
        let upright = self.is_zero(x);
        let quarter = self.num(std::f64::consts::FRAC_PI_2);
        (self.select(&upright, &quarter, &re), im)
    }
    pub(super) fn acosh(&mut self, x: &V, y: &V) -> (V, V) {
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
    pub(super) fn atanh(&mut self, x: &V, y: &V) -> (V, V) {
        let (abs_x, square) = (self.abs(x), self.mul(y, y));
        let (less, more) = (self.neg(&abs_x), self.plus(&abs_x, 1.0));
        let less = self.plus(&less, 1.0);
        let inner = self.mul(&less, &less);
        let distance = self.add(&inner, &square);
        let four = self.times(&abs_x, 4.0);
        let ratio = self.div(&four, &distance);
        let log = self.op(Op::Log1p, &[&ratio]);
        let near = self.times(&log, 0.25);
        // Beside the poles the distance is no square any more; the other pole is 2 away.
        let pole = self.is(Op::Lt, &distance, if self.prim == PrimType::F32 { 2f64.powi(-60) } else { 2f64.powi(-120) });
        let (two, gap) = (self.num(std::f64::consts::LN_2), self.log_magnitude(&less, y));
        let beside = self.sub(&two, &gap);
        let beside = self.times(&beside, 0.5);
        let near = self.select(&pole, &beside, &near);
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
