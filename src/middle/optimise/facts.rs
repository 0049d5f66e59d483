//! What is known of numbers: polynomials that are not negative.
//!
//! Facts come from statements that have run (an array that exists has no negative outer size, a check that did not fail holds) and from
//! counters. A polynomial is proved by taking facts away from it until what is left has only products of natural numbers with
//! positive coefficients, or is too small to make a difference.
//!
//! Facts are about integers, while programs compute modulo 2^64. What a program computes is a polynomial over the integers, its **exact form**,
//! only if that is between the ends of `i64`; otherwise it is a number of its own, of which nothing is known but what is learned ([`Facts::form`]).
//! That is where sizes count: none is above [`MAX_SIZE`], so that their sums do not overflow.

use crate::base::MAX_SIZE;
use crate::base::mutation::mutated;
use crate::ir::soac::{Size, Var};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;

/// How many facts may be combined for one proof.
const MAX_PROOF_DEPTH: usize = 3;
/// How many of the latest facts are looked at.
const MAX_FACTS_SCANNED: usize = 96;
/// How many numbers without an exact form are looked at.
const MAX_INEXACT_SCANNED: usize = 16;
/// What sizes and counters are known to be at most. Checks let nothing through that is above [`MAX_SIZE`]; what is put together of arrays that
/// need no memory may be larger.
const SMALL_LIMIT: i64 = MAX_SIZE << 8;
/// A size that is at most this much larger than one that is small counts as small without a check. Each such step takes a statement that runs, and from
/// [`MAX_SIZE`] to [`SMALL_LIMIT`] there are more steps than a program can take.
const GROWTH_WITHOUT_CHECK: i64 = 1 << 10;
/// Numbers that stand for what has no exact form come behind those of the program.
const SYNTHETIC_VAR_BASE: usize = 1 << 31;

/// Facts, those of inner scopes last.
#[derive(Debug, Default)]
pub(super) struct Facts {
    /// Variables that are not negative.
    naturals: FxHashSet<Var>,
    /// `naturals` in the order in which they became known.
    order: Vec<Var>,
    /// Variables between -[`SMALL_LIMIT`] and [`SMALL_LIMIT`], and the order in which they became known.
    small: FxHashSet<Var>,
    small_order: Vec<Var>,
    /// Other polynomials that are not negative.
    sizes: Vec<Size>,
    /// Numbers without an exact form, and the same in the order of their variables.
    own: RefCell<FxHashMap<Size, Var>>,
    own_order: RefCell<Vec<Size>>,
}

/// How much was known at some point.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mark {
    naturals: usize,
    sizes: usize,
    small: usize,
}

/// The least and the greatest value.
type Range = (i128, i128);

impl Facts {
    /// How much is known now.
    pub fn mark(&self) -> Mark {
        Mark { naturals: self.order.len(), sizes: self.sizes.len(), small: self.small_order.len() }
    }
    /// Forgets what became known since.
    pub fn forget(&mut self, mark: Mark) {
        for var in self.order.drain(mark.naturals..) {
            self.naturals.remove(&var);
        }
        for var in self.small_order.drain(mark.small..) {
            self.small.remove(&var);
        }
        self.sizes.truncate(mutated!(FactsOutliveBranches, mark.sizes, usize::MAX));
    }

    /// What a number that a program computes modulo 2^64 is as an integer: the polynomial, or one in which variables stand for parts of it. A number
    /// without an exact form gets a variable of its own when it is first asked for, behind the shared reference.
    pub fn form(&self, size: &Size) -> Size {
        if self.is_exact(size) {
            return size.clone();
        }
        self.by_numbers(size, &|form| self.is_exact(form)).unwrap_or_else(|| Size::var(self.number(size)))
    }
    fn number(&self, size: &Size) -> Var {
        let mut order = self.own_order.borrow_mut();
        *self.own.borrow_mut().entry(size.clone()).or_insert_with(|| {
            order.push(size.clone());
            Var::new(SYNTHETIC_VAR_BASE + order.len() - 1)
        })
    }
    /// A number as the sum of a multiple of one that is small and of something else.
    fn by_numbers(&self, size: &Size, accept: &dyn Fn(&Size) -> bool) -> Option<Size> {
        let order = self.own_order.borrow();
        self.small_order.iter().rev().filter(|var| var.raw() >= SYNTHETIC_VAR_BASE).take(MAX_INEXACT_SCANNED).find_map(|var| {
            let part = order.get(var.raw() - SYNTHETIC_VAR_BASE)?;
            let (monomial, c) = part.terms().max_by_key(|(monomial, _)| monomial.len())?;
            let (_, coefficient) = size.terms().find(|(other, _)| *other == monomial)?;
            let factor = exact_quotient(coefficient, c)?;
            let form = size.checked_add(part, factor.checked_neg()?)?.checked_add(&Size::var(*var), factor)?;
            accept(&form).then_some(form)
        })
    }
    /// Whether a polynomial is between the ends of `i64`.
    pub fn is_exact(&self, size: &Size) -> bool {
        let between = || {
            let (far, zero) = (Size::constant(1 << 62), Size::default());
            size.checked_add(&far, 1).is_some_and(|size| self.prove(&size, MAX_PROOF_DEPTH))
                && zero
                    .checked_add(size, -1)
                    .and_then(|size| size.checked_add(&far, 1))
                    .is_some_and(|size| self.prove(&size, MAX_PROOF_DEPTH))
        };
        self.range(size).is_some_and(fits) || between()
    }
    /// Between what the value is, by what is known of the variables alone.
    fn range(&self, size: &Size) -> Option<Range> {
        size.terms().try_fold((0i128, 0i128), |(low, high), (monomial, coefficient)| {
            let coefficient = i128::from(coefficient);
            let (a, b) = monomial.iter().try_fold((coefficient, coefficient), |product, var| times(product, self.range_of(*var)))?;
            Some((low.checked_add(a)?, high.checked_add(b)?))
        })
    }
    fn range_of(&self, var: Var) -> Range {
        let small = self.small.contains(&var);
        let high = if small { SMALL_LIMIT } else { i64::MAX };
        let low = if self.naturals.contains(&var) { 0 } else { if small { -SMALL_LIMIT } else { i64::MIN } };
        (low.into(), high.into())
    }

    /// A polynomial is not negative.
    pub fn learn(&mut self, size: Size) {
        if self.trivial(&size) {
            return;
        }
        match size.as_var() {
            Some(var) if self.naturals.insert(var) => self.order.push(var),
            Some(_) => {}
            None if size.as_constant().is_none()
                && size.extent().0 <= 8
                && !self.sizes.iter().rev().take(MAX_FACTS_SCANNED).any(|s| *s == size) =>
            {
                self.sizes.push(size);
            }
            None => {}
        }
    }
    /// The first is at most the second.
    pub fn learn_at_most(&mut self, small: &Size, large: &Size) {
        large.checked_add(small, -1).into_iter().for_each(|size| self.learn(size));
    }
    /// The first is less than the second.
    pub fn learn_less(&mut self, small: &Size, large: &Size) {
        let distance = large.checked_add(small, -1).and_then(|size| size.checked_add(&Size::constant(-1), 1));
        distance.into_iter().for_each(|size| self.learn(size));
    }
    /// The first is a natural number less than the second.
    pub fn learn_bounds(&mut self, index: &Size, size: &Size) {
        self.learn(index.clone());
        self.learn_less(index, size);
        self.learn_small(index);
    }
    /// There is an array of this size, which was computed modulo 2^64.
    pub fn learn_size(&mut self, size: &Size) {
        // Of the integers that differ by multiples of 2^64 only one can be a size.
        let one = 1i128 << 64;
        let only = |form: &Size| self.range(form).is_some_and(|(low, high)| i128::from(SMALL_LIMIT) - one < low && high < one);
        let form = if only(size) { size.clone() } else { self.by_numbers(size, &only).unwrap_or_else(|| self.form(size)) };
        self.learn(form.clone());
        match form.as_var() {
            Some(var) => self.mark_small(var),
            None => self.learn_at_most(&form, &Size::constant(SMALL_LIMIT)),
        }
    }
    /// Takes note that a natural number is small, if that can be proved.
    pub fn learn_small(&mut self, size: &Size) {
        if let Some(var) = size.as_var()
            && self.naturals.contains(&var)
            && self.at_most(size, &Size::constant(SMALL_LIMIT))
        {
            self.mark_small(var);
        }
    }
    fn mark_small(&mut self, var: Var) {
        if self.small.insert(var) {
            self.small_order.push(var);
        }
    }

    /// Whether the polynomial is known not to be negative.
    pub fn natural(&self, size: &Size) -> bool {
        self.prove(size, MAX_PROOF_DEPTH)
    }
    /// Whether the first is known to be at most the second.
    pub fn at_most(&self, small: &Size, large: &Size) -> bool {
        large.checked_add(small, -1).is_some_and(|size| self.natural(&size))
    }
    /// Whether the first is known to be less than the second.
    pub fn less(&self, small: &Size, large: &Size) -> bool {
        small.checked_add(&Size::constant(1), 1).is_some_and(|small| self.at_most(&small, large))
    }
    /// Whether `0 <= index < size` is known.
    pub fn in_bounds(&self, index: &Size, size: &Size) -> bool {
        mutated!(IndexIsNatural, self.natural(index), true) && mutated!(IndexOffByOne, self.less(index, size), self.at_most(index, size))
    }
    /// Whether a polynomial is known to be a size that an array can have.
    pub fn is_size(&self, size: &Size) -> bool {
        self.natural(size) && self.at_most(size, &Size::constant(SMALL_LIMIT + GROWTH_WITHOUT_CHECK))
    }
    fn all_natural(&self, monomial: &[Var]) -> bool {
        monomial.iter().all(|var| self.naturals.contains(var))
    }
    fn trivial(&self, size: &Size) -> bool {
        size.terms().all(|(monomial, coefficient)| coefficient >= 0 && self.all_natural(monomial))
            || self.range(size).is_some_and(|(low, _)| low >= 0)
    }
    fn prove(&self, size: &Size, depth: usize) -> bool {
        if self.trivial(size) {
            return true;
        }
        if depth == 0 || size.extent().0 > 12 {
            return false;
        }
        // What stands in the way must be cancelled by a fact.
        let Some((bad, coefficient)) =
            size.terms().find(|(m, c)| !m.is_empty() && (*c < 0 || !self.all_natural(m))).or_else(|| size.terms().find(|(_, c)| *c < 0))
        else {
            return false;
        };
        self.sizes.iter().rev().take(MAX_FACTS_SCANNED).any(|fact| {
            fact.terms().any(|(monomial, c)| {
                if (c < 0) != (coefficient < 0) || monomial.is_empty() != bad.is_empty() {
                    return false;
                }
                let rest =
                    if bad.is_empty() { size.checked_add(fact, -1) } else { self.without(size, bad, coefficient, fact, monomial, c) };
                rest.is_some_and(|rest| self.prove(&rest, depth - 1))
            })
        })
    }
    /// What is left of a polynomial when a multiple of a fact is taken away that has this monomial in common with it.
    fn without(&self, size: &Size, bad: &[Var], coefficient: i64, fact: &Size, monomial: &[Var], c: i64) -> Option<Size> {
        let quotient = divide(bad, monomial).filter(|quotient| self.all_natural(quotient))?;
        let factor = exact_quotient(coefficient, c)?;
        size.checked_add(&fact.times(&quotient), factor.checked_neg()?)
    }
}

/// Whether all values between two are numbers of type `i64`.
fn fits((low, high): Range) -> bool {
    i128::from(i64::MIN) <= low && high <= i128::from(i64::MAX)
}

/// The quotient, if there is no remainder.
fn exact_quotient(a: i64, b: i64) -> Option<i64> {
    a.checked_div(b).filter(|quotient| quotient.checked_mul(b) == Some(a))
}

/// Between what a product is.
fn times((a, b): Range, (c, d): Range) -> Option<Range> {
    let products = [a.checked_mul(c)?, a.checked_mul(d)?, b.checked_mul(c)?, b.checked_mul(d)?];
    Some((products.into_iter().min()?, products.into_iter().max()?))
}

/// The factors that are left of the first when those of the second are taken away. Both are in ascending order.
fn divide(product: &[Var], by: &[Var]) -> Option<Vec<Var>> {
    let mut rest = Vec::with_capacity(product.len());
    let mut by = by.iter().peekable();
    for var in product {
        if by.peek() == Some(&var) {
            by.next();
        } else {
            rest.push(*var);
        }
    }
    by.next().is_none().then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn var(n: usize) -> Size {
        Size::var(Var::new(n))
    }
    fn int(n: i64) -> Size {
        Size::constant(n)
    }

    #[test]
    fn counters_are_in_bounds() {
        let (n, i) = (var(0), var(1));
        let mut facts = Facts::default();
        facts.learn(n.clone());
        assert!(!facts.in_bounds(&i, &n));
        let mark = facts.mark();
        facts.learn(i.clone());
        facts.learn(n.sub(&i).sub(&int(1)));
        assert!(facts.in_bounds(&i, &n));
        assert!(facts.in_bounds(&n.sub(&i).sub(&int(1)), &n), "backwards");
        assert!(facts.in_bounds(&i.add(&int(1)), &n.add(&int(1))));
        assert!(!facts.in_bounds(&i.add(&int(1)), &n));
        facts.forget(mark);
        assert!(!facts.in_bounds(&i, &n));
    }

    #[test]
    fn rows_of_a_matrix() {
        let (n, m, i, j) = (var(0), var(1), var(2), var(3));
        let mut facts = Facts::default();
        [&n, &m, &i, &j].into_iter().for_each(|v| facts.learn(v.clone()));
        facts.learn(n.sub(&i).sub(&int(1)));
        facts.learn(m.sub(&j).sub(&int(1)));
        assert!(facts.in_bounds(&i.mul(&m).add(&j), &n.mul(&m)));
        assert!(!facts.in_bounds(&i.mul(&n).add(&j), &n.mul(&m)));
    }

    #[test]
    fn sums_and_products_of_any_numbers_are_not_exact() {
        let (n, m, i, j) = (var(0), var(1), var(2), var(3));
        let mut facts = Facts::default();
        [&n, &m].into_iter().for_each(|v| facts.learn_size(v));
        facts.learn_bounds(&i, &n);
        assert!(facts.is_exact(&i.add(&n).sub(&m).scale(10)));
        assert!(facts.is_exact(&j) && !facts.is_exact(&j.add(&i)) && !facts.is_exact(&i.scale(6_364_136_223_846_793_005)));
        assert!(!facts.is_exact(&n.mul(&m)) && !facts.is_exact(&i.mul(&m).add(&j)));
        facts.learn_at_most(&n.mul(&m), &int(MAX_SIZE));
        facts.learn_bounds(&j, &m);
        assert!(facts.is_exact(&n.mul(&m)) && facts.is_exact(&i.mul(&m).add(&j)));
        assert!(!facts.natural(&facts.form(&i.mul(&i).mul(&i))));
    }

    #[test]
    fn what_is_not_exact_has_differences_that_are() {
        // from is i * block, for any block; a part from there on has a size, and counters below it are in bounds.
        let (n, i, block, to, k, any) = (var(0), var(1), var(2), var(3), var(4), var(5));
        let from = i.mul(&block);
        let mut facts = Facts::default();
        facts.learn_size(&n);
        facts.learn_bounds(&facts.form(&from), &n);
        facts.learn_bounds(&to, &n);
        let size = facts.form(&to.sub(&from));
        facts.learn(size.clone());
        facts.learn_bounds(&k, &size);
        assert!(facts.in_bounds(&facts.form(&from.add(&k)), &n));
        assert!(!facts.in_bounds(&facts.form(&from.scale(2)), &n));
        assert!(!facts.natural(&any));
        facts.learn_size(&any.sub(&from));
        assert!(facts.natural(&any));
    }

    #[test]
    fn the_ends_of_the_numbers() {
        let i = var(0);
        let mut facts = Facts::default();
        facts.learn(i.scale(-1).add(&int(3)));
        assert!(!facts.natural(&i.scale(i64::MIN)) && !facts.natural(&i.scale(i64::MIN + 1)));
        assert!(!facts.less(&int(i64::MAX), &i) && !facts.less(&i, &int(i64::MIN)));
        assert!(facts.at_most(&i, &int(i64::MAX)) && facts.at_most(&i, &int(3)));
    }

    #[test]
    fn sizes_of_parts() {
        // A part that begins at a natural number and ends anywhere has the size that the difference has as an integer.
        let (a, b, n) = (var(0), var(1), var(2));
        let mut facts = Facts::default();
        facts.learn_size(&n);
        facts.learn_size(&b.sub(&a));
        assert!(!facts.at_most(&a, &b));
        facts.learn_bounds(&a, &n);
        facts.learn_size(&b.sub(&a));
        assert!(facts.at_most(&a, &b));
    }

    #[test]
    fn windows() {
        // i < n - p + 1, so i + p <= n.
        let (n, p, i) = (var(0), var(1), var(2));
        let mut facts = Facts::default();
        [&n, &p, &i].into_iter().for_each(|v| facts.learn(v.clone()));
        facts.learn(n.sub(&p).sub(&i));
        assert!(facts.at_most(&i.add(&p), &n));
        assert!(!facts.at_most(&i.add(&p).add(&int(1)), &n));
    }
}
