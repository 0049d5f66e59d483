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
use crate::base::poly::Poly;

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

/// A size in normal form.
pub type Dim = Poly<DimAtom>;

impl Dim {
    /// An index variable.
    pub fn var(name: Symbol) -> Dim {
        Dim::atom(DimAtom::Var(name))
    }
    /// The value of a term variable.
    pub fn size(name: Symbol) -> Dim {
        Dim::atom(DimAtom::Size(name))
    }
    /// Whether no assignment of natural numbers makes the sizes equal: their difference is a nonzero constant plus terms
    /// that all have the constant's sign, or has no integer root for divisibility reasons.
    pub fn never_equal(&self, other: &Dim) -> bool {
        let diff = self.sub(other);
        let constant = diff.terms().find(|(m, _)| m.is_empty()).map_or(0, |(_, c)| c);
        if constant == 0 {
            return false;
        }
        // An opaque value may be negative, an index variable may not.
        let natural = |m: &[DimAtom]| m.iter().all(|a| matches!(a, DimAtom::Var(_)));
        let rest = || diff.terms().filter(|(m, _)| !m.is_empty());
        let same_sign = rest().all(|(m, c)| natural(m) && (c > 0) == (constant > 0));
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

/// Whether an index variable stands for a shape: the names of these begin with `@`.
pub fn is_shape(variable: Symbol) -> bool {
    variable.as_str().starts_with('@')
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
