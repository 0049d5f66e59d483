//! Closed sizes and shapes, which both machines compute with.

use super::Stuck;
use crate::base::Span;
use crate::ir::core::{Dim, DimAtom, Index, Shape, ShapeItem, prims};
use crate::runtime::block;

/// The value of a closed size.
pub(super) fn constant(dim: &Dim) -> Option<i64> {
    let known = |atom| if let DimAtom::Size(name) = atom { prims::constant_size(name) } else { None };
    dim.as_constant().or_else(|| dim.subst(&mut |atom| known(atom)).as_constant())
}

/// The sizes of a closed shape.
pub(super) fn constants(shape: &Shape, span: Span) -> Result<Vec<i64>, Stuck> {
    let constant = |item: &ShapeItem| if let ShapeItem::Dim(dim) = item { constant(dim) } else { None };
    shape.items.iter().map(constant).collect::<Option<_>>().ok_or_else(|| Stuck::malformed("a shape with variables", span))
}

/// The value of a closed index.
pub(super) fn closed(index: &Index, span: Span) -> Result<block::Index, Stuck> {
    match index {
        Index::Dim(dim) => constants(&Shape::dims([dim.clone()]), span).map(|sizes| block::Index::Dim(sizes[0])),
        Index::Shape(shape) => constants(shape, span).map(block::Index::Shape),
    }
}

/// The sizes of a closed shape; none may be negative.
pub(super) fn sizes(shape: &Shape, span: Span) -> Result<Vec<usize>, Stuck> {
    block::sizes(&constants(shape, span)?).map_err(|fault| Stuck::at(fault, span))
}

pub(super) fn literal_dims(dims: &[usize]) -> Vec<u64> {
    dims.iter().map(|n| *n as u64).collect()
}

pub(super) fn usizes(dims: &[u64]) -> Vec<usize> {
    dims.iter().map(|n| usize::try_from(*n).unwrap_or(usize::MAX)).collect()
}

/// A literal size.
pub(super) fn size(n: usize) -> Dim {
    Dim::constant(n as i64)
}
