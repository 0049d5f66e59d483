//! Sizes: polynomials over variables.

use super::{Operand, Var};
use crate::base::poly::Poly;

/// A size; equal sizes are equal values.
pub type Size = Poly<Var>;

impl Size {
    /// The value of a variable of type `i64`.
    pub fn var(var: Var) -> Size {
        Size::atom(var)
    }
    /// The variable, if it is one.
    pub fn as_var(&self) -> Option<Var> {
        self.as_atom()
    }
    /// The constant or the variable that it is, if it is one: what else it is has to be computed.
    pub fn as_operand(&self) -> Option<Operand> {
        self.as_constant().map(Operand::int).or_else(|| self.as_var().map(Operand::Var))
    }
    /// The product of sizes; 1 if there are none.
    pub fn product<'s>(sizes: impl IntoIterator<Item = &'s Size>) -> Size {
        sizes.into_iter().fold(Size::constant(1), |product, size| product.mul(size))
    }
    /// The product of constants, if all of these sizes are, and if it fits.
    pub fn constant_product<'s>(sizes: impl IntoIterator<Item = &'s Size>) -> Option<i64> {
        sizes.into_iter().try_fold(1i64, |product, size| product.checked_mul(size.as_constant()?))
    }
    /// All variables, with repetitions.
    pub fn vars(&self) -> impl Iterator<Item = Var> {
        self.atoms()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Idx;

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
        assert_eq!(size.evaluate(&mut |v| Some(v.raw() as i64 + 2)), Some(7));
        assert_eq!(size.evaluate(&mut |_| None), None);
        let replaced = size.subst(&mut |v| (v.raw() == 0).then(|| Size::constant(5)));
        assert_eq!(replaced, var(1).scale(5).add(&Size::constant(1)));
    }
}
