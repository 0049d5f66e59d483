//! Size expressions: the terms of type `i64` that are understood as sizes.
//!
//! A term is a *size expression* when it is
//!
//! * a literal of type `i64`;
//! * a variable of type `i64`: the size recorded for it if it is bound by a `let` to a size expression, else `(size x)`;
//! * `(reify-dimension d)`;
//! * `(i64.+ a b)`, `(i64.- a b)` or `(i64.* a b)` of size expressions, the operator being the primitive, with both arguments in
//!   one application.
//!
//! Sizes grow when they are multiplied or substituted. A size of more than [`MAX_TERMS`] terms or of a degree above
//! [`MAX_DEGREE`] is not written out: such a term is no size expression, and a `let` of it is opaque.

use super::{Dim, DimAtom, Expr, ExprKind, prims};
use crate::base::poly::Operation;
use crate::base::scalar::Op;
use crate::base::{Scalar, Symbol};

/// The most terms a size may have.
pub const MAX_TERMS: usize = 64;
/// The highest degree a size may have.
pub const MAX_DEGREE: usize = 32;

/// What [`size_of`] asks about variables.
pub trait SizeEnv {
    /// The size that the variable stands for, if its type is `i64`.
    fn variable(&self, name: Symbol) -> Option<Dim>;
    /// Whether the name means the primitive of this name, not a local variable or definition.
    fn is_primitive(&self, name: Symbol) -> bool;
    /// The size with variables of the program replaced by what they stand for.
    fn resolve(&self, dim: &Dim) -> Option<Dim>;
}

/// The size that an expression denotes, if it is a size expression.
#[expect(clippy::wildcard_enum_match_arm, reason = "size expressions have few forms")]
pub fn size_of(env: &dyn SizeEnv, expr: &Expr) -> Option<Dim> {
    match expr.kind() {
        ExprKind::Lit(Scalar::I64(value)) => Some(Dim::constant(*value)),
        ExprKind::Var(name) => env.variable(*name),
        ExprKind::ReifyDim(dim) => env.resolve(dim),
        ExprKind::App { fun, args } => {
            let (ExprKind::Var(name), [a, b]) = (fun.kind(), args.as_slice()) else { return None };
            let op = SizeOp::named(*name).filter(|_| env.is_primitive(*name))?;
            op.apply(&size_of(env, a)?, &size_of(env, b)?)
        }
        _ => None,
    }
}

/// An operation that makes a size of two sizes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SizeOp {
    /// `i64.+`
    Add,
    /// `i64.-`
    Sub,
    /// `i64.*`
    Mul,
}

impl SizeOp {
    /// The operation of this name, where nothing hides the primitive.
    #[expect(clippy::wildcard_enum_match_arm, reason = "sizes are sums and products")]
    pub fn named(name: Symbol) -> Option<SizeOp> {
        match prims::int_op(name)? {
            Op::Add => Some(SizeOp::Add),
            Op::Sub => Some(SizeOp::Sub),
            Op::Mul => Some(SizeOp::Mul),
            _ => None,
        }
    }
    /// The size, which remembers what it was added and multiplied from, unless it is too large to write out.
    pub fn apply(self, a: &Dim, b: &Dim) -> Option<Dim> {
        match self {
            SizeOp::Add => sum(a, b),
            SizeOp::Sub => limited(a.sub(b)),
            SizeOp::Mul => product(a, b),
        }
    }
}

/// The size, unless it is too large to write out.
pub fn limited(dim: Dim) -> Option<Dim> {
    let small = dim.terms().count() <= MAX_TERMS && dim.terms().all(|(monomial, _)| monomial.len() <= MAX_DEGREE);
    small.then_some(dim)
}

/// The sum, which remembers its parts, unless it is too large to write out.
fn sum(a: &Dim, b: &Dim) -> Option<Dim> {
    limited(Dim::joined(Operation::Sum, a.clone(), b.clone()))
}

/// The product, which remembers its parts, unless it is too large to write out.
pub fn product(a: &Dim, b: &Dim) -> Option<Dim> {
    let degree = |dim: &Dim| dim.terms().map(|(monomial, _)| monomial.len()).max().unwrap_or(0);
    let terms = |dim: &Dim| dim.terms().count();
    if degree(a) + degree(b) > MAX_DEGREE || terms(a).saturating_mul(terms(b)) > MAX_TERMS * MAX_TERMS {
        return None;
    }
    limited(Dim::joined(Operation::Product, a.clone(), b.clone()))
}

/// [`Dim::subst`], unless the result is too large to write out.
pub fn subst(dim: &Dim, replace: &mut dyn FnMut(DimAtom) -> Option<Dim>) -> Option<Dim> {
    let mut out = Dim::default();
    for (monomial, coefficient) in dim.terms() {
        let mut term = Dim::constant(coefficient);
        for &atom in monomial {
            term = product(&term, &replace(atom).unwrap_or_else(|| Dim::atom(atom)))?;
        }
        out = limited(out.add(&term))?;
    }
    Some(out)
}
