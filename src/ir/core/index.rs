//! Indices: sizes and shapes, always in normal form.
//!
//! A [`Dim`] is a polynomial with integer coefficients; two sizes are equal for all values of their variables exactly
//! when their normal forms are equal. A [`Shape`] is a word in the free monoid over sizes and shape variables, equal
//! when equal item by item (Slepak, Shivers, Manolios: The Semantics of Rank Polymorphism, section 2.2; products are
//! our extension). `theory.rs` decides equations, prefixes and joins; `docs/theory.md` says what is decided and what is not.

#[cfg(test)]
mod tests;
mod theory;

pub use theory::{Assignment, Difference, NoJoin, join};

use crate::base::Symbol;
use std::collections::BTreeMap;

/// An indeterminate of a size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DimAtom {
    /// An index variable bound by Pi, Sigma or `unbox`.
    Var(Symbol),
    /// `(size x)`: the value of a term variable of type `i64`.
    Size(Symbol),
    /// A size not yet known; only while elaborating.
    Meta(u32),
}

/// A size in normal form: monomials (sorted lists of indeterminates) with nonzero coefficients.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Dim {
    terms: BTreeMap<Vec<DimAtom>, i64>,
}

impl Dim {
    /// A literal size.
    pub fn constant(value: i64) -> Dim {
        let mut terms = BTreeMap::new();
        if value != 0 {
            terms.insert(Vec::new(), value);
        }
        Dim { terms }
    }
    /// A single indeterminate.
    pub fn atom(atom: DimAtom) -> Dim {
        Dim { terms: BTreeMap::from([(vec![atom], 1)]) }
    }
    /// An index variable.
    pub fn var(name: Symbol) -> Dim {
        Dim::atom(DimAtom::Var(name))
    }
    /// The value of a term variable.
    pub fn size(name: Symbol) -> Dim {
        Dim::atom(DimAtom::Size(name))
    }
    /// The monomials with their coefficients; the constant is the empty monomial.
    pub fn terms(&self) -> impl Iterator<Item = (&[DimAtom], i64)> {
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
    pub fn as_atom(&self) -> Option<DimAtom> {
        match self.terms.iter().next() {
            Some((monomial, 1)) if self.terms.len() == 1 && monomial.len() == 1 => Some(monomial[0]),
            _ => None,
        }
    }
    fn add_term(&mut self, monomial: Vec<DimAtom>, coefficient: i64) {
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
    /// The sum. Coefficients wrap around like `i64`, as run-time sizes do.
    pub fn add(&self, other: &Dim) -> Dim {
        let mut sum = self.clone();
        for (monomial, coefficient) in &other.terms {
            sum.add_term(monomial.clone(), *coefficient);
        }
        sum
    }
    /// The product with a number.
    pub fn scale(&self, factor: i64) -> Dim {
        let mut out = Dim::default();
        for (monomial, coefficient) in &self.terms {
            out.add_term(monomial.clone(), coefficient.wrapping_mul(factor));
        }
        out
    }
    /// The difference.
    pub fn sub(&self, other: &Dim) -> Dim {
        self.add(&other.scale(-1))
    }
    /// The product.
    pub fn mul(&self, other: &Dim) -> Dim {
        let mut out = Dim::default();
        for (m1, c1) in &self.terms {
            for (m2, c2) in &other.terms {
                let mut monomial = [m1.as_slice(), m2.as_slice()].concat();
                monomial.sort();
                out.add_term(monomial, c1.wrapping_mul(*c2));
            }
        }
        out
    }
    /// All indeterminates, with repetitions.
    pub fn atoms(&self) -> impl Iterator<Item = DimAtom> {
        self.terms.keys().flatten().copied()
    }
    /// Replaces indeterminates by sizes; `None` keeps one.
    pub fn subst(&self, replace: &mut dyn FnMut(DimAtom) -> Option<Dim>) -> Dim {
        let mut out = Dim::default();
        for (monomial, coefficient) in &self.terms {
            let mut product = Dim::constant(*coefficient);
            for &atom in monomial {
                product = product.mul(&replace(atom).unwrap_or_else(|| Dim::atom(atom)));
            }
            out = out.add(&product);
        }
        out
    }
    /// Whether no assignment of natural numbers makes the sizes equal: their difference is a nonzero constant plus terms
    /// that all have the constant's sign, or has no integer root for divisibility reasons.
    pub fn never_equal(&self, other: &Dim) -> bool {
        let diff = self.sub(other);
        let constant = diff.terms.get(&Vec::new()).copied().unwrap_or(0);
        if constant == 0 {
            return false;
        }
        // An opaque value may be negative, an index variable may not.
        let natural = |m: &Vec<DimAtom>| m.iter().all(|a| matches!(a, DimAtom::Var(_)));
        let rest = || diff.terms.iter().filter(|(m, _)| !m.is_empty());
        let same_sign = rest().all(|(m, c)| natural(m) && (*c > 0) == (constant > 0));
        let gcd = rest().fold(0u64, |g, (_, c)| gcd(g, c.unsigned_abs()));
        same_sign || (gcd > 1 && constant.unsigned_abs() % gcd != 0)
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// An item of a shape.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum ShapeItem {
    /// One dimension.
    Dim(Dim),
    /// A shape variable; the name includes the `@`.
    Var(Symbol),
}

/// A shape in normal form, outermost dimension first.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Shape {
    /// Its items.
    pub items: Vec<ShapeItem>,
}

impl Shape {
    /// A shape of these dimensions.
    pub fn dims(dims: impl IntoIterator<Item = Dim>) -> Shape {
        Shape { items: dims.into_iter().map(ShapeItem::Dim).collect() }
    }
    /// A shape that is one shape variable.
    pub fn var(name: Symbol) -> Shape {
        Shape { items: vec![ShapeItem::Var(name)] }
    }
    /// Whether it is `[]`.
    pub fn is_scalar(&self) -> bool {
        self.items.is_empty()
    }
    /// Concatenation.
    pub fn append(&self, other: &Shape) -> Shape {
        Shape { items: self.items.iter().chain(&other.items).cloned().collect() }
    }
}

/// An argument of a Pi.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Index {
    /// For a size parameter `n`.
    Dim(Dim),
    /// For a shape parameter `@s`.
    Shape(Shape),
}
