//! What is known about sizes and indices: polynomials that are not negative.
//!
//! Facts come from statements that have run (an array that exists has no negative outer size, a check that did not fail holds) and from
//! counters. A polynomial is proved by taking facts away from it until what is left has only products of natural numbers with
//! positive coefficients. Numbers beyond 2^62, which no array can have as its size, are not considered: sums are taken not to wrap around.

use crate::base::mutation::mutated;
use crate::ir::soac::{Size, Var};
use rustc_hash::FxHashSet;

/// How many facts may be combined for one proof.
const DEPTH: usize = 3;
/// How many of the latest facts are looked at.
const RECENT: usize = 96;

/// Facts, those of inner scopes last.
#[derive(Debug, Default)]
pub(super) struct Facts {
    /// Variables that are not negative.
    naturals: FxHashSet<Var>,
    /// The same in the order in which they became known.
    order: Vec<Var>,
    /// Other polynomials that are not negative.
    sizes: Vec<Size>,
}

/// How much was known at some point.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mark(usize, usize);

impl Facts {
    /// How much is known now.
    pub fn mark(&self) -> Mark {
        Mark(self.order.len(), self.sizes.len())
    }
    /// Forgets what became known since.
    pub fn forget(&mut self, mark: Mark) {
        for var in self.order.drain(mark.0..) {
            self.naturals.remove(&var);
        }
        self.sizes.truncate(mutated!(FactsOutliveBranches, mark.1, usize::MAX));
    }
    /// A size is not negative.
    pub fn learn(&mut self, size: Size) {
        if self.trivial(&size) {
            return;
        }
        match size.as_var() {
            Some(var) if self.naturals.insert(var) => self.order.push(var),
            Some(_) => {}
            None if size.as_constant().is_none() && size.extent().0 <= 8 && !self.sizes.iter().rev().take(RECENT).any(|s| *s == size) => {
                self.sizes.push(size);
            }
            None => {}
        }
    }
    /// The first is at most the second.
    pub fn learn_at_most(&mut self, small: &Size, large: &Size) {
        self.learn(large.sub(small));
    }
    /// Whether the size is known not to be negative.
    pub fn natural(&self, size: &Size) -> bool {
        self.prove(size, DEPTH)
    }
    /// Whether the first is known to be at most the second.
    pub fn at_most(&self, small: &Size, large: &Size) -> bool {
        self.natural(&large.sub(small))
    }
    /// Whether `0 <= index < size` is known.
    pub fn in_bounds(&self, index: &Size, size: &Size) -> bool {
        mutated!(IndexIsNatural, self.natural(index), true)
            && self.natural(&size.sub(index).sub(&Size::constant(mutated!(IndexOffByOne, 1, 0))))
    }
    fn all_natural(&self, monomial: &[Var]) -> bool {
        monomial.iter().all(|var| self.naturals.contains(var))
    }
    fn trivial(&self, size: &Size) -> bool {
        size.terms().all(|(monomial, coefficient)| coefficient >= 0 && self.all_natural(monomial))
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
        self.sizes.iter().rev().take(RECENT).any(|fact| {
            fact.terms().any(|(monomial, c)| {
                if (c < 0) != (coefficient < 0) || monomial.is_empty() != bad.is_empty() {
                    return false;
                }
                if bad.is_empty() {
                    return self.prove(&size.sub(fact), depth - 1);
                }
                if coefficient % c != 0 {
                    return false;
                }
                let Some(quotient) = divide(bad, monomial) else { return false };
                if !self.all_natural(&quotient) {
                    return false;
                }
                let factor = quotient.iter().fold(Size::constant(coefficient / c), |product, var| product.mul(&Size::var(*var)));
                self.prove(&size.sub(&fact.mul(&factor)), depth - 1)
            })
        })
    }
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
