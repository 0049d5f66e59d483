//! Polynomials with integer coefficients, always in normal form, so that equal polynomials are equal values: what sizes are, in core over
//! index variables and in first-order programs over variables.

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// How two parts are put together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// Their sum.
    Sum,
    /// Their product.
    Product,
}

/// What a polynomial was put together from, in the order in which that was written: not a part of its value, so that any two are equal.
#[derive(Clone)]
struct Written<A: Ord>(Option<Arc<Joined<A>>>);

struct Joined<A: Ord> {
    operation: Operation,
    left: Poly<A>,
    right: Poly<A>,
}

impl<A: Ord> fmt::Debug for Written<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("..")
    }
}

impl<A: Ord> PartialEq for Written<A> {
    fn eq(&self, _other: &Written<A>) -> bool {
        true
    }
}

impl<A: Ord> Eq for Written<A> {}

impl<A: Ord> PartialOrd for Written<A> {
    fn partial_cmp(&self, other: &Written<A>) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<A: Ord> Ord for Written<A> {
    fn cmp(&self, _other: &Written<A>) -> Ordering {
        Ordering::Equal
    }
}

impl<A: Ord> Hash for Written<A> {
    fn hash<H: Hasher>(&self, _state: &mut H) {}
}

/// A polynomial over indeterminates `A`: monomials (sorted lists of indeterminates) with nonzero coefficients. Coefficients wrap around
/// like `i64`, as run-time sizes do. The normal form does not say which factor of `n*m` comes first; what was made by [`Poly::joined`] remembers that.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Poly<A: Ord> {
    terms: BTreeMap<Vec<A>, i64>,
    written: Written<A>,
}

impl<A: Ord> Default for Poly<A> {
    fn default() -> Poly<A> {
        Poly { terms: BTreeMap::new(), written: Written(None) }
    }
}

impl<A: Ord + Copy> Poly<A> {
    /// A number.
    pub fn constant(value: i64) -> Poly<A> {
        let mut out = Poly::default();
        out.add_term(Vec::new(), value);
        out
    }
    /// A single indeterminate.
    pub fn atom(atom: A) -> Poly<A> {
        Poly { terms: BTreeMap::from([(vec![atom], 1)]), written: Written(None) }
    }
    /// A sum or product that remembers its parts, if no indeterminate of theirs cancels out.
    pub fn joined(operation: Operation, left: Poly<A>, right: Poly<A>) -> Poly<A> {
        let mut out = match operation {
            Operation::Sum => left.add(&right),
            Operation::Product => left.mul(&right),
        };
        if left.atoms().chain(right.atoms()).all(|atom| out.atoms().any(|own| own == atom)) {
            out.written = Written(Some(Arc::new(Joined { operation, left, right })));
        }
        out
    }
    /// What it was put together from, if that was remembered.
    pub fn parts(&self) -> Option<(Operation, &Poly<A>, &Poly<A>)> {
        self.written.0.as_deref().map(|joined| (joined.operation, &joined.left, &joined.right))
    }
    /// Whether it is equal and remembers the same.
    fn is_same(&self, other: &Poly<A>) -> bool {
        self.parts_id() == other.parts_id() && self == other
    }
    /// What tells apart two memories of how a polynomial was put together: parts are shared.
    pub fn parts_id(&self) -> Option<usize> {
        self.written.0.as_ref().map(|joined| Arc::as_ptr(joined) as usize)
    }
    /// The monomials with their coefficients, none of which is 0; the constant is the empty monomial and comes first.
    pub fn terms(&self) -> impl Iterator<Item = (&[A], i64)> {
        self.terms.iter().map(|(monomial, coefficient)| (monomial.as_slice(), *coefficient))
    }
    /// The value, if it has no indeterminates.
    pub fn as_constant(&self) -> Option<i64> {
        match self.terms.len() {
            0 => Some(0),
            1 => self.terms.get(&Vec::new()).copied(),
            _ => None,
        }
    }
    /// The indeterminate, if it is one.
    pub fn as_atom(&self) -> Option<A> {
        match self.terms.iter().next() {
            Some((monomial, 1)) if self.terms.len() == 1 && monomial.len() == 1 => Some(monomial[0]),
            _ => None,
        }
    }
    fn add_term(&mut self, monomial: Vec<A>, coefficient: i64) {
        let entry = self.terms.entry(monomial);
        match entry {
            std::collections::btree_map::Entry::Vacant(slot) => {
                if coefficient != 0 {
                    slot.insert(coefficient);
                }
            }
            std::collections::btree_map::Entry::Occupied(mut slot) => {
                let sum = slot.get().wrapping_add(coefficient);
                if sum == 0 {
                    slot.remove();
                } else {
                    slot.insert(sum);
                }
            }
        }
    }
    /// The sum.
    pub fn add(&self, other: &Poly<A>) -> Poly<A> {
        let mut sum = Poly { terms: self.terms.clone(), written: Written(None) };
        for (monomial, coefficient) in &other.terms {
            sum.add_term(monomial.clone(), *coefficient);
        }
        sum
    }
    /// The product with a number.
    pub fn scale(&self, factor: i64) -> Poly<A> {
        let mut out = Poly::default();
        for (monomial, coefficient) in &self.terms {
            out.add_term(monomial.clone(), coefficient.wrapping_mul(factor));
        }
        out
    }
    /// The difference.
    pub fn sub(&self, other: &Poly<A>) -> Poly<A> {
        self.add(&other.scale(-1))
    }
    /// The product.
    pub fn mul(&self, other: &Poly<A>) -> Poly<A> {
        let mut out = Poly::default();
        for (m1, c1) in &self.terms {
            for (m2, c2) in &other.terms {
                let mut monomial = [m1.as_slice(), m2.as_slice()].concat();
                monomial.sort_unstable();
                out.add_term(monomial, c1.wrapping_mul(*c2));
            }
        }
        out
    }
    /// The sum with a multiple of another, if its coefficients fit: over the integers, where [`Poly::add`] is modulo 2^64.
    pub fn checked_add(&self, other: &Poly<A>, factor: i64) -> Option<Poly<A>> {
        let mut sum = Poly { terms: self.terms.clone(), written: Written(None) };
        for (monomial, coefficient) in &other.terms {
            let more = coefficient.checked_mul(factor)?;
            sum.terms.get(monomial).copied().unwrap_or(0).checked_add(more)?;
            sum.add_term(monomial.clone(), more);
        }
        Some(sum)
    }
    /// The product, if its coefficients fit.
    pub fn checked_mul(&self, other: &Poly<A>) -> Option<Poly<A>> {
        let mut terms = other.terms.iter();
        terms.try_fold(Poly::default(), |sum, (monomial, coefficient)| sum.checked_add(&self.times(monomial), *coefficient))
    }
    /// The product with a monomial; coefficients stay as they are.
    pub fn times(&self, factors: &[A]) -> Poly<A> {
        let mut out = Poly::default();
        for (monomial, coefficient) in &self.terms {
            let mut monomial = [monomial.as_slice(), factors].concat();
            monomial.sort_unstable();
            out.add_term(monomial, *coefficient);
        }
        out
    }
    /// The number of terms and the highest degree: how large it is when written out.
    pub fn extent(&self) -> (usize, usize) {
        (self.terms.len(), self.terms.keys().map(Vec::len).max().unwrap_or(0))
    }
    /// All indeterminates, with repetitions.
    pub fn atoms(&self) -> impl Iterator<Item = A> {
        self.terms.keys().flatten().copied()
    }
    /// Replaces indeterminates; `None` keeps one. What it was put together from is remembered. Parts may be shared, so that written out they
    /// are exponentially many: each is gone through once, and stays shared.
    pub fn subst(&self, replace: &mut dyn FnMut(A) -> Option<Poly<A>>) -> Poly<A> {
        self.subst_parts(replace, &mut HashMap::new())
    }
    /// `subst`, with what became of the parts that were met.
    fn subst_parts(&self, replace: &mut dyn FnMut(A) -> Option<Poly<A>>, met: &mut HashMap<*const Joined<A>, Poly<A>>) -> Poly<A> {
        if let Some(atom) = self.as_atom() {
            return replace(atom).unwrap_or_else(|| self.clone());
        }
        let Some(joined) = &self.written.0 else { return self.subst_terms(replace) };
        if let Some(done) = met.get(&Arc::as_ptr(joined)) {
            return done.clone();
        }
        let (left, right) = (joined.left.subst_parts(replace, met), joined.right.subst_parts(replace, met));
        let same = left.is_same(&joined.left) && right.is_same(&joined.right);
        let done = if same { self.clone() } else { Poly::joined(joined.operation, left, right) };
        met.insert(Arc::as_ptr(joined), done.clone());
        done
    }
    fn subst_terms(&self, replace: &mut dyn FnMut(A) -> Option<Poly<A>>) -> Poly<A> {
        let mut out = Poly::default();
        for (monomial, coefficient) in &self.terms {
            let mut product = Poly::constant(*coefficient);
            for &atom in monomial {
                product = product.mul(&replace(atom).unwrap_or_else(|| Poly::atom(atom)));
            }
            out = out.add(&product);
        }
        out
    }
    /// The value where those of the indeterminates are known.
    pub fn evaluate(&self, of: &mut dyn FnMut(A) -> Option<i64>) -> Option<i64> {
        let mut sum = 0i64;
        for (monomial, coefficient) in &self.terms {
            let mut product = *coefficient;
            for &atom in monomial {
                product = product.wrapping_mul(of(atom)?);
            }
            sum = sum.wrapping_add(product);
        }
        Some(sum)
    }
}

#[cfg(test)]
mod tests {
    use super::{Operation, Poly};

    /// A sum of `2^doublings` indeterminates whose halves are shared.
    fn doubled(doublings: usize) -> Poly<u32> {
        (0..doublings).fold(Poly::atom(0), |half, _| Poly::joined(Operation::Sum, half.clone(), half))
    }

    #[test]
    fn replacing_goes_through_shared_parts_once() {
        for doublings in [10, 20, 60] {
            let mut calls = 0;
            let replaced = doubled(doublings).subst(&mut |_| {
                calls += 1;
                Some(Poly::atom(1))
            });
            assert_eq!((calls, replaced.terms().collect::<Vec<_>>()), (2, vec![(&[1][..], 1 << doublings)]));
            let (_, left, right) = replaced.parts().expect("it remembers its parts");
            assert_eq!(left.parts_id(), right.parts_id(), "they are still shared");
        }
    }

    #[test]
    fn replacing_nothing_copies_nothing() {
        let sum = doubled(60);
        assert_eq!(sum.subst(&mut |_| None).parts_id(), sum.parts_id());
    }
}
