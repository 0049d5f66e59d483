//! Names and types as C has them.

use crate::base::{PrimType, Span};

/// The name of a type in C.
pub(in crate::back) fn c_type(prim: PrimType) -> &'static str {
    match prim {
        PrimType::I8 => "int8_t",
        PrimType::I16 => "int16_t",
        PrimType::I32 => "int32_t",
        PrimType::I64 => "int64_t",
        PrimType::U8 => "uint8_t",
        PrimType::U16 => "uint16_t",
        PrimType::U32 => "uint32_t",
        PrimType::U64 => "uint64_t",
        PrimType::F16 => "_Float16",
        PrimType::F32 => "float",
        PrimType::F64 => "double",
        PrimType::Bool => "bool",
        PrimType::C64 | PrimType::C128 => crate::ice!(Span::default(), "{prim} has not been split into its parts"),
    }
}

/// A name of the program as one of C.
pub(in crate::back) fn sanitized(name: &str) -> String {
    let out: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    if out.starts_with(|c: char| c.is_ascii_digit()) { format!("v{out}") } else { out }
}
