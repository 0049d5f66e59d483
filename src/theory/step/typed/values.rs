//! Values of core as arrays of atoms.

use crate::base::{Scalar, Span};
use crate::ir::core::{Atom, Expr, ExprKind, Type};
use crate::runtime::block::{Atomic, Block};
use crate::theory::step::sizes::{literal_dims, usizes};

/// A scalar.
pub(super) fn lit(value: Scalar, span: Span) -> Expr {
    Expr::new(ExprKind::Lit(value), span)
}

/// The atoms of a value.
pub(super) fn block_of(value: &Expr) -> Block<Expr> {
    match value.kind() {
        ExprKind::Array { dims, items, .. } => {
            Block { dims: usizes(dims), atoms: items.iter().map(|item| lit(*item, value.span())).collect() }
        }
        ExprKind::Frame { dims, cells, .. } => Block { dims: usizes(dims), atoms: cells.clone() },
        _ => Block::atom(value.clone()),
    }
}

/// The value with these atoms, of this type: a literal for scalars, a frame for others.
pub(super) fn from_block(block: Block<Expr>, atom: &Atom, span: Span) -> Expr {
    if let ([], [only]) = (&block.dims[..], &block.atoms[..]) {
        return only.clone();
    }
    let dims = literal_dims(&block.dims);
    if let Atom::Prim(elem) = atom {
        let items: Vec<Scalar> = block.atoms.iter().filter_map(Atomic::scalar).collect();
        return Expr::new(ExprKind::Array { dims, elem: *elem, items }, span);
    }
    Expr::new(ExprKind::Frame { dims, cell: Type::scalar(atom.clone()), cells: block.atoms }, span)
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
            (ExprKind::Array { .. } | ExprKind::Frame { .. }, ExprKind::Array { .. } | ExprKind::Frame { .. }) => {
                block_of(self).same(&block_of(other))
            }
            (ExprKind::Tuple(a), ExprKind::Tuple(b)) => a.iter().zip(b).all(|(a, b)| a.same(b)),
            (ExprKind::Record(a), ExprKind::Record(b)) => a.iter().zip(b).all(|((_, a), (_, b))| a.same(b)),
            (ExprKind::Inject { label: k, payload: a, .. }, ExprKind::Inject { label: l, payload: b, .. }) => k == l && a.same(b),
            (ExprKind::Box { body: a, .. }, ExprKind::Box { body: b, .. }) => a.same(b),
            _ => false,
        }
    }
}
