//! Functions as other languages see them: what arguments and results look like, and how their sizes are measured. Calls from outside
//! ([`embed`](crate::embed)) and packages that are made for other languages go by this.

mod form;
mod plan;

pub use form::{Form, Leaf, Named, Returned, Signature};
pub use plan::{Extent, Plan, Taken};

use crate::base::PrimType;

/// What an argument looks like: its scalars and arrays, in the order of the form of the parameter, with their types and ranks.
pub type Given = Vec<(PrimType, usize)>;

/// What NumPy calls a scalar type.
pub fn numpy_name(prim: PrimType) -> &'static str {
    match prim {
        PrimType::I8 => "int8",
        PrimType::I16 => "int16",
        PrimType::I32 => "int32",
        PrimType::I64 => "int64",
        PrimType::U8 => "uint8",
        PrimType::U16 => "uint16",
        PrimType::U32 => "uint32",
        PrimType::U64 => "uint64",
        PrimType::F16 => "float16",
        PrimType::F32 => "float32",
        PrimType::F64 => "float64",
        PrimType::C64 => "complex64",
        PrimType::C128 => "complex128",
        PrimType::Bool => "bool",
    }
}
