//! Sizes: polynomials over variables, always in normal form, so that equal sizes are equal values.

use super::{Var, VarInfo};
use crate::base::Idx;
use std::collections::BTreeMap;

/// Variables multiplied with each other, in ascending order.
pub type Monomial = Vec<Var>;

/// A polynomial with integer coefficients; arithmetic wraps around like that of `i64`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Size {
    terms: BTreeMap<Monomial, i64>,
}

impl Size {
    /// A number.
    pub fn constant(value: i64) -> Size {
        let mut size = Size::default();
        size.add_term(Vec::new(), value);
        size
    }
    /// The value of a variable of type `i64`.
    pub fn var(var: Var) -> Size {
        Size { terms: BTreeMap::from([(vec![var], 1)]) }
    }
    /// The monomials with their coefficients, none of which is 0; the constant is the empty monomial and comes first.
    pub fn terms(&self) -> impl Iterator<Item = (&[Var], i64)> {
        self.terms.iter().map(|(monomial, coefficient)| (monomial.as_slice(), *coefficient))
    }
    /// The number, if it mentions no variables.
    pub fn as_constant(&self) -> Option<i64> {
        match self.terms.len() {
            0 => Some(0),
            1 => self.terms.get(&Vec::new()).copied(),
            _ => None,
        }
    }
    /// The variable, if it is one.
    pub fn as_var(&self) -> Option<Var> {
        match self.terms.iter().next() {
            Some((monomial, 1)) if self.terms.len() == 1 && monomial.len() == 1 => Some(monomial[0]),
            _ => None,
        }
    }
    fn add_term(&mut self, monomial: Monomial, coefficient: i64) {
        let sum = self.terms.get(&monomial).copied().unwrap_or(0).wrapping_add(coefficient);
        if sum == 0 {
            self.terms.remove(&monomial);
        } else {
            self.terms.insert(monomial, sum);
        }
    }
    /// The sum.
    pub fn add(&self, other: &Size) -> Size {
        let mut sum = self.clone();
        for (monomial, coefficient) in &other.terms {
            sum.add_term(monomial.clone(), *coefficient);
        }
        sum
    }
    /// The product with a number.
    pub fn scale(&self, factor: i64) -> Size {
        let mut out = Size::default();
        for (monomial, coefficient) in &self.terms {
            out.add_term(monomial.clone(), coefficient.wrapping_mul(factor));
        }
        out
    }
    /// The difference.
    pub fn sub(&self, other: &Size) -> Size {
        self.add(&other.scale(-1))
    }
    /// The product.
    pub fn mul(&self, other: &Size) -> Size {
        let mut out = Size::default();
        for (m1, c1) in &self.terms {
            for (m2, c2) in &other.terms {
                let mut monomial: Monomial = m1.iter().chain(m2).copied().collect();
                monomial.sort_unstable();
                out.add_term(monomial, c1.wrapping_mul(*c2));
            }
        }
        out
    }
    /// The number of terms and the highest degree: how large it is when written out.
    pub fn extent(&self) -> (usize, usize) {
        (self.terms.len(), self.terms.keys().map(Vec::len).max().unwrap_or(0))
    }
    /// All variables, with repetitions.
    pub fn vars(&self) -> impl Iterator<Item = Idx<VarInfo>> {
        self.terms.keys().flatten().copied()
    }
    /// Replaces variables by sizes; `None` keeps one.
    pub fn subst(&self, replace: &mut dyn FnMut(Var) -> Option<Size>) -> Size {
        let mut out = Size::default();
        for (monomial, coefficient) in &self.terms {
            let mut product = Size::constant(*coefficient);
            for &var in monomial {
                product = product.mul(&replace(var).unwrap_or_else(|| Size::var(var)));
            }
            out = out.add(&product);
        }
        out
    }
    /// The value where those of the variables are known.
    pub fn value(&self, of: &mut dyn FnMut(Var) -> Option<i64>) -> Option<i64> {
        let mut sum = 0i64;
        for (monomial, coefficient) in &self.terms {
            let mut product = *coefficient;
            for &var in monomial {
                product = product.wrapping_mul(of(var)?);
            }
            sum = sum.wrapping_add(product);
        }
        Some(sum)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn var(n: usize) -> Size {
        Size::var(Idx::new(n))
    }

    #[test]
    fn normal_forms() {
        let (n, m) = (var(0), var(1));
        assert_eq!(n.add(&m), m.add(&n));
        assert_eq!(n.mul(&m), m.mul(&n));
        assert_eq!(n.add(&m).mul(&n.sub(&m)), n.mul(&n).sub(&m.mul(&m)));
        assert_eq!(n.sub(&n).as_constant(), Some(0));
        assert_eq!(Size::constant(3).add(&Size::constant(-3)), Size::default());
        assert_eq!(n.as_var(), Some(Idx::new(0)));
        assert_eq!(n.scale(2).as_var(), None);
    }

    #[test]
    fn values() {
        let size = var(0).mul(&var(1)).add(&Size::constant(1));
        assert_eq!(size.value(&mut |v| Some(v.raw() as i64 + 2)), Some(7));
        assert_eq!(size.value(&mut |_| None), None);
        let replaced = size.subst(&mut |v| (v.raw() == 0).then(|| Size::constant(5)));
        assert_eq!(replaced, var(1).scale(5).add(&Size::constant(1)));
    }
}
