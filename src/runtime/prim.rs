//! The primitives besides scalar operations: names and numbers of parameters. Their types are in [`crate::ir::core::prims`].

use crate::base::Symbol;
use crate::base::scalar::{self, Member};

/// A primitive.
#[allow(missing_docs)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Prim {
    Index,
    Slice,
    SliceStep,
    Update,
    UpdateSlice,
    Iota,
    Range,
    RangeUpto,
    RangeDownto,
    RangeThrough,
    Reduce,
    Scan,
    Filter,
    Scatter,
    Hist,
    ReduceByIndex,
    Transpose,
    Flatten,
    Unflatten,
    Concat,
    Reverse,
    Rotate,
    Equal,
    NotEqual,
    ShapeIota,
    Recycle,
    LiftShape,
    Subarray,
    ScatterNew,
    ReadNums,
}

impl Prim {
    /// The primitive of this name.
    pub fn from_name(name: &str) -> Option<Prim> {
        Some(match name {
            "index" => Prim::Index,
            "slice" => Prim::Slice,
            "slice_step" => Prim::SliceStep,
            "update" => Prim::Update,
            "update_slice" => Prim::UpdateSlice,
            "iota" => Prim::Iota,
            "range" => Prim::Range,
            "range_upto" => Prim::RangeUpto,
            "range_downto" => Prim::RangeDownto,
            "range_through" => Prim::RangeThrough,
            "reduce" | "reduce_comm" => Prim::Reduce,
            "scan" => Prim::Scan,
            "filter" => Prim::Filter,
            "scatter" => Prim::Scatter,
            "hist" => Prim::Hist,
            "reduce_by_index" => Prim::ReduceByIndex,
            "transpose" => Prim::Transpose,
            "flatten" => Prim::Flatten,
            "unflatten" => Prim::Unflatten,
            "concat" => Prim::Concat,
            "reverse" => Prim::Reverse,
            "rotate" => Prim::Rotate,
            "equal" => Prim::Equal,
            "notequal" => Prim::NotEqual,
            "shape_iota" => Prim::ShapeIota,
            "recycle" => Prim::Recycle,
            "lift_shape" => Prim::LiftShape,
            "subarray" => Prim::Subarray,
            "scatter_new" => Prim::ScatterNew,
            "read_nums" => Prim::ReadNums,
            _ => return None,
        })
    }
    /// The number of its arguments.
    pub fn arity(self) -> usize {
        match self {
            Prim::ShapeIota => 0,
            Prim::Iota | Prim::Transpose | Prim::Flatten | Prim::Unflatten | Prim::Reverse => 1,
            Prim::Recycle | Prim::LiftShape | Prim::ReadNums => 1,
            Prim::Index | Prim::Range | Prim::Filter | Prim::Concat | Prim::Rotate | Prim::Equal | Prim::NotEqual => 2,
            Prim::Subarray | Prim::ScatterNew => 2,
            Prim::Slice
            | Prim::Update
            | Prim::RangeUpto
            | Prim::RangeDownto
            | Prim::RangeThrough
            | Prim::Reduce
            | Prim::Scan
            | Prim::Scatter => 3,
            Prim::SliceStep | Prim::UpdateSlice => 4,
            Prim::Hist | Prim::ReduceByIndex => 5,
        }
    }
    /// Whether its indices matter at run time; those of the others follow from the arguments.
    pub fn needs_indices(self) -> bool {
        matches!(self, Prim::Unflatten | Prim::ShapeIota | Prim::Recycle | Prim::Subarray | Prim::ScatterNew)
    }
}

/// What a name that is no variable and no definition stands for.
pub enum Primitive {
    /// A member of a scalar module.
    Member(Member),
    /// Another primitive.
    Prim(Prim),
}

/// The primitive of this name.
pub fn lookup(name: Symbol) -> Option<Primitive> {
    let text = name.as_str();
    Prim::from_name(text).map(Primitive::Prim).or_else(|| scalar::qualified(text).map(Primitive::Member))
}
