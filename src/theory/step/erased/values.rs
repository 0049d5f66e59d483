//! Values of erased core as arrays of atoms.

use crate::base::{Scalar, Span};
use crate::runtime::block::{Atomic, Block};
use crate::theory::erased::{Expr, ExprKind};
use crate::theory::step::sizes::{literal_dims, usizes};

/// A scalar.
pub(super) fn lit(value: Scalar, span: Span) -> Expr {
    Expr::new(ExprKind::Lit(value), span)
}

/// The atoms of a value.
pub(super) fn block_of(value: &Expr) -> Block<Expr> {
    match value.kind() {
        ExprKind::Array { dims, atoms } => Block { dims: usizes(dims), atoms: atoms.clone() },
        _ => Block::atom(value.clone()),
    }
}

/// The value with these atoms.
pub(super) fn from_block(block: Block<Expr>, span: Span) -> Expr {
    match (&block.dims[..], &block.atoms[..]) {
        ([], [only]) => only.clone(),
        _ => Expr::new(ExprKind::Array { dims: literal_dims(&block.dims), atoms: block.atoms }, span),
    }
}

impl Atomic for Expr {
    fn scalar(&self) -> Option<Scalar> {
        if let ExprKind::Lit(scalar) = self.kind() { Some(*scalar) } else { None }
    }
    fn unit() -> Expr {
        Expr::new(ExprKind::Tuple(Vec::new()), Span::default())
    }
    fn from_scalar(scalar: Scalar) -> Expr {
        lit(scalar, Span::default())
    }
    fn same(&self, other: &Expr) -> bool {
        match (self.kind(), other.kind()) {
            (ExprKind::Lit(a), ExprKind::Lit(b)) => a == b,
            (ExprKind::Array { .. }, ExprKind::Array { .. }) => block_of(self).same(&block_of(other)),
            (ExprKind::Tuple(a), ExprKind::Tuple(b)) => a.iter().zip(b).all(|(a, b)| a.same(b)),
            (ExprKind::Record(a), ExprKind::Record(b)) => a.iter().zip(b).all(|((_, a), (_, b))| a.same(b)),
            (ExprKind::Inject(k, a), ExprKind::Inject(l, b)) => k == l && a.same(b),
            (ExprKind::Box { body: a, .. }, ExprKind::Box { body: b, .. }) => a.same(b),
            _ => false,
        }
    }
}
