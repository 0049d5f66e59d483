//! Names and types as C has them.

use crate::base::{PrimType, Span, Symbol};
use std::fmt::Display;

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

/// A function of the program as one of C. Other names of the run-time support may begin with `remora_` and end with a number (tables, entry
/// points, kernels, ..), but none begins so: whatever a function is called, it has no name of theirs, and none of another function.
pub(in crate::back) fn function_name(name: Symbol, number: usize) -> String {
    format!("remora_fun{number}_{}", sanitized(name.as_str()))
}

/// A variable of a function as one of C: its `mark` is a number of its own, which no other variable ends with. What C and its headers mean by names of
/// this form are macros, without small letters (`M_PI_2`), or begin with `_` (`__x86_64`); functions begin with `remora_`.
pub(in crate::back) fn variable_name(name: Symbol, mark: impl Display) -> String {
    let name = sanitized(name.as_str());
    let is_macro = name.len() > 1 && !name.contains(|c: char| c.is_ascii_lowercase());
    let start = if is_macro || name.starts_with('_') || name.starts_with("remora") { "v_" } else { "" };
    format!("{start}{name}_{mark}")
}
