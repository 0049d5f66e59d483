//! What holds for all values of the variables: equations of indices, prefixes, joins of frames.
//!
//! Shapes are words in the free monoid over sizes and shape variables, which is cancellative; so prefixes, suffixes and differences of words in
//! normal form are those of lists, and equations are decided by comparing normal forms (Slepak, Shivers, Manolios: The Semantics of
//! Rank Polymorphism, sections 2.2 and 2.3.4). That different normal forms have different values for some assignment is shown by
//! giving one, [`Difference`].

use super::{Dim, DimAtom, Index, Shape, ShapeItem};
use crate::base::Symbol;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// How far beyond the least possible values natural sizes are looked for.
const TRIES: i64 = 8;

/// Values of variables.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Assignment {
    /// Sizes, natural numbers.
    pub dims: BTreeMap<DimAtom, i64>,
    /// Shapes.
    pub shapes: BTreeMap<Symbol, Vec<i64>>,
}

impl fmt::Display for Assignment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut dims: Vec<(String, i64)> = self.dims.iter().map(|(atom, value)| (shown(*atom), *value)).collect();
        dims.sort();
        let mut shapes: Vec<(&str, &Vec<i64>)> = self.shapes.iter().map(|(name, sizes)| (name.as_str(), sizes)).collect();
        shapes.sort();
        let dims = dims.into_iter().map(|(name, value)| format!("{name} = {value}"));
        let parts: Vec<String> = dims.chain(shapes.into_iter().map(|(name, sizes)| format!("{name} = {}", list(sizes)))).collect();
        f.write_str(&parts.join(", "))
    }
}

fn shown(atom: DimAtom) -> String {
    match atom {
        DimAtom::Var(name) => name.to_string(),
        DimAtom::Size(name) => format!("(size {name})"),
        DimAtom::Meta(number) => format!("?{number}"),
    }
}

fn list(sizes: &[i64]) -> String {
    let sizes: Vec<String> = sizes.iter().map(i64::to_string).collect();
    format!("[{}]", sizes.join(" "))
}

/// Why two shapes are not the same for all values of their variables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The position of the leftmost item in which the words differ.
    pub at: usize,
    /// Values of all variables with which the shapes differ.
    pub assignment: Assignment,
    /// The left shape with these values.
    pub left: Vec<i64>,
    /// The right shape with these values.
    pub right: Vec<i64>,
}

impl fmt::Display for Difference {
    /// `for n = 1 they are [1] and [2]`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.assignment != Assignment::default() {
            write!(f, "for {} ", self.assignment)?;
        }
        write!(f, "they are {} and {}", list(&self.left), list(&self.right))
    }
}

/// Frames that have no join: their positions among those given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoJoin {
    /// One of them.
    pub left: usize,
    /// Another one; neither is a prefix of the other.
    pub right: usize,
}

impl Dim {
    /// The value; sizes without a value are 0.
    pub fn value(&self, assignment: &Assignment) -> i64 {
        self.evaluate(&mut |atom| Some(assignment.dims.get(&atom).copied().unwrap_or(0))).unwrap_or(0)
    }

    /// Whether it is a natural number for all natural values of its index variables, as far as the signs of the coefficients show:
    /// enough for sums and products of natural numbers. The value of a term variable may be negative.
    pub fn is_natural(&self) -> bool {
        self.terms().all(|(monomial, c)| c >= 0 && monomial.iter().all(|atom| matches!(atom, DimAtom::Var(_))))
    }

    /// Natural values for which the sizes differ; `None` if they are equal.
    pub fn difference(&self, other: &Dim) -> Option<Assignment> {
        // A nonzero polynomial has at most as many roots in one variable as its degree, so one variable after the other can be given a
        // value that leaves a nonzero polynomial in the others.
        let mut rest = self.sub(other);
        if rest == Dim::default() {
            return None;
        }
        let atoms: BTreeSet<DimAtom> = rest.atoms().collect();
        let mut assignment = Assignment::default();
        for atom in atoms {
            let degree = rest.terms().map(|(monomial, _)| monomial.iter().filter(|a| **a == atom).count()).max().unwrap_or(0);
            let put = |value: i64| rest.subst(&mut |a| (a == atom).then(|| Dim::constant(value)));
            let value = (0..=degree as i64).find(|value| put(*value) != Dim::default()).unwrap_or(0);
            rest = put(value);
            assignment.dims.insert(atom, value);
        }
        Some(assignment)
    }
}

impl Index {
    /// A size in it that is a negative number.
    pub fn negative_size(&self) -> Option<i64> {
        let negative = |dim: &Dim| dim.as_constant().filter(|value| *value < 0);
        match self {
            Index::Dim(dim) => negative(dim),
            Index::Shape(shape) => shape.items.iter().find_map(|item| match item {
                ShapeItem::Dim(dim) => negative(dim),
                ShapeItem::Var(_) => None,
            }),
        }
    }
}

impl Shape {
    /// The value; variables without a value are `[]` and 0.
    pub fn value(&self, assignment: &Assignment) -> Vec<i64> {
        let mut sizes = Vec::new();
        for item in &self.items {
            match item {
                ShapeItem::Dim(dim) => sizes.push(dim.value(assignment)),
                ShapeItem::Var(name) => sizes.extend(assignment.shapes.get(name).into_iter().flatten()),
            }
        }
        sizes
    }

    /// `self - prefix`: the shape `c` with `prefix ++ c = self`, if there is one for all values of the variables.
    pub fn without_prefix(&self, prefix: &Shape) -> Option<Shape> {
        self.items.strip_prefix(prefix.items.as_slice()).map(|items| Shape { items: items.to_vec() })
    }

    /// The shape `f` with `f ++ suffix = self`, if there is one: the frame of an argument whose cells have shape `suffix`.
    pub fn without_suffix(&self, suffix: &Shape) -> Option<Shape> {
        self.items.strip_suffix(suffix.items.as_slice()).map(|items| Shape { items: items.to_vec() })
    }

    /// Whether `prefix ++ c = self` for some `c`.
    pub fn has_prefix(&self, prefix: &Shape) -> bool {
        self.items.starts_with(&prefix.items)
    }

    /// Decides whether the shapes are equal for all values of their variables.
    pub fn same(&self, other: &Shape) -> Result<(), Difference> {
        if self == other {
            return Ok(());
        }
        let common = self.items.iter().zip(&other.items).take_while(|(a, b)| a == b).count();
        let mut assignment = leftmost(&self.items[common..], &other.items[common..]);
        for item in self.items.iter().chain(&other.items) {
            match item {
                ShapeItem::Dim(dim) => dim.atoms().for_each(|atom| {
                    assignment.dims.entry(atom).or_insert(0);
                }),
                ShapeItem::Var(name) => {
                    assignment.shapes.entry(*name).or_default();
                }
            }
        }
        let values = |assignment: &Assignment| (self.value(assignment), other.value(assignment));
        // Values for which no size is negative are better understood.
        let fits = |assignment: &Assignment| {
            let (left, right) = values(assignment);
            left != right && left.iter().chain(&right).all(|n| *n >= 0)
        };
        if !fits(&assignment) {
            let larger = (1..=TRIES).map(|by| {
                let dims = assignment.dims.iter().map(|(atom, value)| (*atom, value.wrapping_add(by)));
                Assignment { dims: dims.collect(), shapes: assignment.shapes.clone() }
            });
            let found = larger.into_iter().find(|larger| fits(larger));
            assignment = found.unwrap_or(assignment);
        }
        let (left, right) = values(&assignment);
        Err(Difference { at: common, assignment, left, right })
    }
}

/// Values for which two words with different first items (or one empty) differ, whatever stands in front of both.
fn leftmost(a: &[ShapeItem], b: &[ShapeItem]) -> Assignment {
    let mut assignment = Assignment::default();
    match (a.first(), b.first()) {
        (Some(ShapeItem::Dim(a)), Some(ShapeItem::Dim(b))) => assignment = a.difference(b).unwrap_or_default(),
        (Some(ShapeItem::Var(s)), Some(ShapeItem::Var(t))) => {
            assignment.shapes.insert(*s, vec![1]);
            assignment.shapes.insert(*t, vec![2]);
        }
        (Some(ShapeItem::Dim(dim)), Some(ShapeItem::Var(s))) | (Some(ShapeItem::Var(s)), Some(ShapeItem::Dim(dim))) => {
            assignment.dims.extend(dim.atoms().map(|atom| (atom, 1)));
            assignment.shapes.insert(*s, vec![dim.value(&assignment).wrapping_add(1).max(0)]);
        }
        // One word ends: without shapes it is shorter, unless the other consists of shapes only.
        (Some(_), None) | (None, Some(_)) => {
            let longer = if a.is_empty() { b } else { a };
            if let (true, Some(ShapeItem::Var(s))) = (longer.iter().all(|item| matches!(item, ShapeItem::Var(_))), longer.first()) {
                assignment.shapes.insert(*s, vec![1]);
            }
        }
        (None, None) => {}
    }
    assignment
}

/// The join of frames in the prefix order: the longest, if all others are prefixes of it (the principal frame of an application); the join of no
/// frames is `[]`. Otherwise two of them that have no join.
pub fn join<'a>(frames: impl IntoIterator<Item = &'a Shape>) -> Result<Shape, NoJoin> {
    let empty = Shape::default();
    let mut longest: (usize, &Shape) = (0, &empty);
    for (at, frame) in frames.into_iter().enumerate() {
        if frame.has_prefix(longest.1) {
            longest = (at, frame);
        } else if !longest.1.has_prefix(frame) {
            return Err(NoJoin { left: longest.0, right: at });
        }
    }
    Ok(longest.1.clone())
}
