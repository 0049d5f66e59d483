//! Types during inference: a rank expression around a base that is no array, bases shared in a graph with union-find.

use crate::base::{PrimType, Symbol};
use crate::ir::tables::{TypeDefId, TypeParamId};
use crate::rank::LinExpr;
use std::sync::Arc;

/// A node of the graph of bases.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Base(pub(super) u32);

/// A type: `rank` array dimensions around `base`.
#[derive(Clone, Debug)]
pub(super) struct Ty {
    pub(super) rank: LinExpr,
    pub(super) base: Base,
}

impl Ty {
    pub(super) fn new(rank: LinExpr, base: Base) -> Ty {
        Ty { rank, base }
    }
    /// A type of rank 0.
    pub(super) fn cell(base: Base) -> Ty {
        Ty { rank: LinExpr::zero(), base }
    }
}

/// What a base is. Cloning is cheap.
#[derive(Clone, Debug)]
pub(super) enum Node {
    /// Not known yet, but one of a class.
    Var(Class),
    /// The same as another base.
    Link(Base),
    /// A scalar type.
    Prim(PrimType),
    /// A declared type parameter, rigid.
    Param(TypeParamId),
    /// A function.
    Arrow(Arc<(Ty, Ty)>),
    /// A tuple.
    Tuple(Arc<[Ty]>),
    /// A record, labels in ascending order.
    Record(Arc<[(Symbol, Ty)]>),
    /// An abstract type with its type arguments.
    Abstract(TypeDefId, Symbol, Arc<[Ty]>),
    /// A sum, constructors in ascending order.
    Sum(Arc<[(Symbol, Arc<[Ty]>)]>),
    /// Something that was reported already: equal to everything.
    Error,
}

impl Node {
    /// The types that it consists of.
    pub(super) fn parts(&self) -> impl Iterator<Item = &Ty> {
        let mut arrow: Option<[&Ty; 2]> = None;
        let mut plain: &[Ty] = &[];
        let mut labelled: &[(Symbol, Ty)] = &[];
        let mut payloads: &[(Symbol, Arc<[Ty]>)] = &[];
        match self {
            Node::Arrow(parts) => arrow = Some([&parts.0, &parts.1]),
            Node::Tuple(parts) | Node::Abstract(_, _, parts) => plain = parts,
            Node::Record(fields) => labelled = fields,
            Node::Sum(constructors) => payloads = constructors,
            Node::Var(_) | Node::Link(_) | Node::Prim(_) | Node::Param(_) | Node::Error => {}
        }
        let payloads = payloads.iter().flat_map(|(_, payload)| payload.iter());
        let labelled = labelled.iter().map(|(_, part)| part);
        arrow.into_iter().flatten().chain(plain).chain(labelled).chain(payloads)
    }
}

/// The bases that a variable may stand for: a bit for each scalar type and for each other form.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Class {
    mask: u32,
    /// Whether the default is `i64` rather than `i32`.
    prefer_i64: bool,
}

const PARAM: u32 = 1 << 16;
const PRODUCT: u32 = 1 << 17;
const ARROW: u32 = 1 << 18;
const ALL: u32 = u32::MAX;

impl Class {
    /// Everything.
    pub(super) const ANY: Class = Class { mask: ALL, prefer_i64: false };
    /// Everything without functions.
    pub(super) const EQUALITY: Class = Class { mask: ALL & !ARROW, prefer_i64: false };

    /// The scalar types with a property.
    pub(super) fn scalars(accept: impl Fn(PrimType) -> bool) -> Class {
        let mask = PrimType::ALL.into_iter().filter(|p| accept(*p)).fold(0, |mask, p| mask | bit(p));
        Class { mask, prefer_i64: false }
    }
    /// Integer types.
    pub(super) fn integral() -> Class {
        Class::scalars(PrimType::is_int)
    }
    /// Integer, float and complex types.
    pub(super) fn numeric() -> Class {
        Class::scalars(PrimType::is_numeric)
    }
    /// Integer and float types.
    pub(super) fn real() -> Class {
        Class::scalars(PrimType::is_real)
    }
    /// Float and complex types.
    pub(super) fn inexact() -> Class {
        Class::scalars(PrimType::is_inexact)
    }
    /// Complex types.
    pub(super) fn complex() -> Class {
        Class::scalars(PrimType::is_complex)
    }
    /// Float types.
    pub(super) fn float() -> Class {
        Class::scalars(PrimType::is_float)
    }
    /// The class with `i64` as default.
    pub(super) fn prefer_i64(self) -> Class {
        Class { prefer_i64: true, ..self }
    }
    /// What is in both; `None` when nothing is.
    pub(super) fn meet(self, other: Class) -> Option<Class> {
        let mask = self.mask & other.mask;
        (mask != 0).then_some(Class { mask, prefer_i64: self.prefer_i64 || other.prefer_i64 })
    }
    /// Whether nothing is excluded.
    pub(super) fn is_any(self) -> bool {
        self.mask == Class::ANY.mask
    }
    /// Whether nothing but floats and complex numbers is in it.
    pub(super) fn is_inexact(self) -> bool {
        self.mask & !Class::inexact().mask == 0
    }
    /// Whether functions are allowed.
    pub(super) fn allows_functions(self) -> bool {
        self.mask & ARROW != 0
    }
    /// Whether the class contains this form of base (not looking at its parts).
    pub(super) fn allows(self, node: &Node) -> bool {
        match node {
            Node::Prim(p) => self.mask & bit(*p) != 0,
            Node::Param(_) | Node::Abstract(..) => self.mask & PARAM != 0,
            Node::Tuple(_) | Node::Record(_) | Node::Sum(_) => self.mask & PRODUCT != 0,
            Node::Arrow(_) => self.mask & ARROW != 0,
            Node::Var(_) | Node::Link(_) | Node::Error => true,
        }
    }
    /// The scalar type that an undetermined variable of this class becomes.
    pub(super) fn default(self) -> PrimType {
        let preferred: &[PrimType] = if self.prefer_i64 {
            &[PrimType::I64, PrimType::I32, PrimType::F64, PrimType::C128]
        } else {
            &[PrimType::I32, PrimType::F64, PrimType::C128]
        };
        let all = preferred.iter().copied().chain(PrimType::ALL);
        all.into_iter().find(|p| self.mask & bit(*p) != 0).unwrap_or(PrimType::I32)
    }
    /// In words, with an article.
    pub(super) fn describe(self) -> &'static str {
        let within = |class: Class| self.mask & !class.mask == 0;
        if within(Class::float()) {
            "a float type"
        } else if within(Class::complex()) {
            "a complex type"
        } else if within(Class::inexact()) {
            "a float or complex type"
        } else if within(Class::integral()) {
            "an integer type"
        } else if within(Class::real()) {
            "an integer or float type"
        } else if within(Class::numeric()) {
            "a numeric type"
        } else if within(Class::scalars(|p| p.is_int() || p == PrimType::Bool)) {
            "an integer type or bool"
        } else if within(Class::scalars(|p| !p.is_complex())) {
            "a scalar type with an order"
        } else if within(Class::scalars(|_| true)) {
            "a scalar type"
        } else if within(Class::EQUALITY) {
            "a type without functions"
        } else {
            "any type"
        }
    }
    /// The placeholder by which an undetermined base of this class is printed.
    pub(super) fn placeholder(self) -> &'static str {
        let within = |class: Class| self.mask & !class.mask == 0;
        if within(Class::float()) {
            "float"
        } else if within(Class::complex()) {
            "complex"
        } else if within(Class::inexact()) {
            "float"
        } else if within(Class::integral()) {
            "integer"
        } else if within(Class::numeric()) {
            "number"
        } else if within(Class::scalars(|_| true)) {
            "scalar"
        } else {
            "_"
        }
    }
}

fn bit(prim: PrimType) -> u32 {
    1 << (prim as u32)
}
