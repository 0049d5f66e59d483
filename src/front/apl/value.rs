//! Values while a script is executed without its numbers: kinds, shapes, and where the numbers will be.

use super::error::{Error, MixtureError, NestingError, Origin, Result, Role};
use crate::base::{PrimType, Scalar, Span};
use crate::ir::core::{Dim, DimAtom, Expr};
use std::rc::Rc;

/// The kinds of elements, narrow to wide; characters stand apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// 0 or 1.
    Bool,
    /// A whole number of 64 bits.
    Int,
    /// A float of 64 bits.
    Double,
    /// A complex number of two of these.
    Complex,
    /// A character, by its code point.
    Char,
}

impl Kind {
    /// Its type in core.
    pub fn prim(self) -> PrimType {
        match self {
            Kind::Bool => PrimType::Bool,
            Kind::Int => PrimType::I64,
            Kind::Double => PrimType::F64,
            Kind::Complex => PrimType::C128,
            Kind::Char => PrimType::U32,
        }
    }
    /// The kind with this type.
    pub fn of(prim: PrimType) -> Option<Kind> {
        [Kind::Bool, Kind::Int, Kind::Double, Kind::Complex, Kind::Char].into_iter().find(|kind| kind.prim() == prim)
    }
    /// In types that are shown.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Bool => "bool",
            Kind::Int => "i64",
            Kind::Double => "f64",
            Kind::Complex => "c128",
            Kind::Char => "char",
        }
    }
    /// In messages.
    pub fn words(self) -> &'static str {
        match self {
            Kind::Bool => "truth values",
            Kind::Int => "whole numbers",
            Kind::Double => "floats",
            Kind::Complex => "complex numbers",
            Kind::Char => "characters",
        }
    }
    /// Whether it is a kind of number.
    pub fn is_number(self) -> bool {
        self != Kind::Char
    }
    /// The narrowest kind that holds both.
    pub fn join(self, other: Kind) -> Option<Kind> {
        if self == other {
            return Some(self);
        }
        (self.is_number() && other.is_number()).then(|| self.max(other))
    }
    /// What stands where an array has no elements.
    pub fn fill(self) -> Scalar {
        if self == Kind::Char { Scalar::U32(32) } else { Scalar::from_i128(self.prim(), 0) }
    }
}

/// An array: all elements of one kind.
#[derive(Debug, Clone)]
pub struct Arr {
    /// The kind of its elements.
    pub kind: Kind,
    /// All sizes, those of nested arrays included.
    pub shape: Vec<Dim>,
    /// How many of them belong to each level of nesting, the outermost first. A simple array has one level.
    pub levels: Vec<usize>,
    /// What it is in core: a variable or a literal.
    pub expr: Expr,
    /// Elements of a short vector or scalar of whole numbers, as far as they are sizes.
    pub known: Option<Rc<Vec<Dim>>>,
    /// The whole number that all elements are, if that is known.
    pub same: Option<i64>,
    /// All elements, if they are constants.
    pub lit: Option<Rc<Vec<Scalar>>>,
}

/// A value.
#[derive(Debug, Clone)]
pub enum Val {
    /// An array, perhaps one of arrays of the same shape.
    Arr(Arr),
    /// A vector of arrays that differ in kind or shape.
    Tup(Rc<Vec<Val>>),
    /// A vector of vectors whose lengths are found out when the program runs.
    Rag(Rc<Rag>),
}

/// A vector of vectors: their elements one after the other.
#[derive(Debug, Clone)]
pub struct Rag {
    /// The length of each.
    pub lengths: Arr,
    /// All elements.
    pub data: Arr,
}

impl Rag {
    /// Other elements in rows of the same lengths.
    pub fn with_data(&self, data: Arr) -> Val {
        Val::Rag(Rc::new(Rag { lengths: self.lengths.clone(), data }))
    }
}

impl Arr {
    /// An array without anything known of its elements.
    pub fn new(kind: Kind, shape: Vec<Dim>, expr: Expr) -> Arr {
        let levels = vec![shape.len()];
        Arr { kind, shape, levels, expr, known: None, same: None, lit: None }
    }
    /// How many axes its outermost level has.
    pub fn rank(&self) -> usize {
        self.levels[0]
    }
    /// The sizes of its outermost level.
    pub fn outer(&self) -> &[Dim] {
        &self.shape[..self.rank()]
    }
    /// The sizes of what is nested in it.
    pub fn cell(&self) -> &[Dim] {
        &self.shape[self.rank()..]
    }
    /// Whether nothing is nested in it.
    pub fn is_simple(&self) -> bool {
        self.levels.len() == 1
    }
    /// Without its nesting: one level of all axes.
    pub fn flat(mut self) -> Arr {
        self.levels = vec![self.shape.len()];
        self
    }
    /// The same elements with these levels.
    pub fn levelled(mut self, levels: Vec<usize>) -> Arr {
        debug_assert_eq!(levels.iter().sum::<usize>(), self.shape.len());
        self.levels = levels;
        self
    }
    /// The levels below the outermost.
    pub fn inner_levels(&self) -> Vec<usize> {
        if self.is_simple() { vec![0] } else { self.levels[1..].to_vec() }
    }
    /// Puts `axes` axes in front of the levels of cells with these levels.
    pub fn with_outer(axes: usize, inner: &[usize]) -> Vec<usize> {
        if inner == [0] { vec![axes] } else { std::iter::once(axes).chain(inner.iter().copied()).collect() }
    }
    /// The constant that it is, for scalars and vectors of one element.
    pub fn constant(&self) -> Option<Scalar> {
        self.lit.as_ref().filter(|lit| lit.len() == 1).map(|lit| lit[0])
    }
    /// The whole number that it is.
    pub fn constant_int(&self) -> Option<i64> {
        match self.constant()? {
            Scalar::F64(value) if value.fract() == 0.0 && value.abs() < 9e15 => Some(value as i64),
            Scalar::F64(_) | Scalar::C128(_) | Scalar::U32(_) => None,
            other => other.as_i128().and_then(|value| i64::try_from(value).ok()),
        }
    }
    /// The whole numbers that it is.
    pub fn constant_ints(&self) -> Option<Vec<i64>> {
        let lit = self.lit.as_ref().filter(|_| self.kind <= Kind::Double)?;
        lit.iter()
            .map(|item| match item {
                Scalar::F64(value) if value.fract() == 0.0 && value.abs() < 9e15 => Some(*value as i64),
                Scalar::F64(_) => None,
                other => other.as_i128().and_then(|value| i64::try_from(value).ok()),
            })
            .collect()
    }
    /// How many elements it has, if that is a constant.
    pub fn count(&self) -> Option<i64> {
        self.shape.iter().try_fold(1i64, |product, dim| product.checked_mul(dim.as_constant()?))
    }
    /// Its shape and where it comes from, for messages.
    pub fn origin(&self) -> Origin {
        Origin { shape: self.shape.clone(), at: self.expr.span() }
    }
    /// The same of its outermost level.
    pub fn outer_origin(&self) -> Origin {
        Origin { shape: self.outer().to_vec(), at: self.expr.span() }
    }
    /// Its type as it is shown.
    pub fn shown(&self) -> String {
        let mut out = String::new();
        let mut at = 0;
        for (level, axes) in self.levels.iter().enumerate() {
            if level > 0 {
                out.push('⊂');
            }
            for dim in &self.shape[at..at + axes] {
                out.push_str(&format!("[{}]", dim_shown(dim)));
            }
            at += axes;
        }
        out + self.kind.name()
    }
}

impl Val {
    /// Whether it consists of more arrays than this, which are written out one by one: items may be shared, and be many more than there is memory for.
    pub fn has_more_parts_than(&self, most: usize) -> bool {
        fn count(val: &Val, left: &mut usize) -> bool {
            match val {
                Val::Arr(_) | Val::Rag(_) => match left.checked_sub(1) {
                    Some(fewer) => {
                        *left = fewer;
                        true
                    }
                    None => false,
                },
                Val::Tup(items) => items.iter().all(|item| count(item, left)),
            }
        }
        let mut left = most;
        !count(self, &mut left)
    }
    /// Its type as it is shown.
    pub fn shown(&self) -> String {
        match self {
            Val::Arr(arr) => arr.shown(),
            Val::Tup(items) => format!("({})", items.iter().map(Val::shown).collect::<Vec<_>>().join(", ")),
            Val::Rag(rag) => format!("[{}]⊂[..]{}", dim_shown(&rag.lengths.shape[0]), rag.data.kind.name()),
        }
    }
    /// An array, not a tuple.
    pub fn arr(self, span: Span, role: Role) -> Result<Arr> {
        match self {
            Val::Arr(arr) => Ok(arr),
            Val::Rag(_) => Err(Error::at(span, NestingError::Rows { role, found: self.shown() })),
            Val::Tup(_) => Err(Error::at(span, MixtureError::Undefined { role, found: self.shown() })),
        }
    }
    /// An array without nesting.
    pub fn simple(self, span: Span, role: Role) -> Result<Arr> {
        let arr = self.arr(span, role)?;
        if arr.is_simple() { Ok(arr) } else { Err(Error::at(span, NestingError::Nested { role, found: arr.shown() })) }
    }
    /// Every array in it.
    pub fn leaves<'a>(&'a self, out: &mut Vec<&'a Arr>) {
        match self {
            Val::Arr(arr) => out.push(arr),
            Val::Tup(items) => items.iter().for_each(|item| item.leaves(out)),
            Val::Rag(rag) => out.extend([&rag.lengths, &rag.data]),
        }
    }
}

/// A size as it is shown.
pub fn dim_shown(dim: &Dim) -> String {
    if let Some(constant) = dim.as_constant() {
        return constant.to_string();
    }
    let mut out = String::new();
    for (factors, coefficient) in dim.terms() {
        let name = |atom: &DimAtom| match atom {
            DimAtom::Var(name) | DimAtom::Size(name) => name.to_string(),
            DimAtom::Meta(_) => "?".to_string(),
        };
        let product = factors.iter().map(name).collect::<Vec<_>>().join("*");
        let sign = if coefficient < 0 {
            "-"
        } else if out.is_empty() {
            ""
        } else {
            "+"
        };
        let number = coefficient.unsigned_abs();
        out.push_str(&match (product.is_empty(), number) {
            (true, _) => format!("{sign}{number}"),
            (false, 1) => format!("{sign}{product}"),
            (false, _) => format!("{sign}{number}*{product}"),
        });
    }
    out
}

/// Sizes as they are shown.
pub fn shape_shown(shape: &[Dim]) -> String {
    if shape.is_empty() {
        return "a scalar".into();
    }
    format!("shape {}", shape.iter().map(dim_shown).collect::<Vec<_>>().join(" "))
}
