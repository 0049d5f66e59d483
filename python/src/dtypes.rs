//! The scalar types of the language and NumPy's.

use numpy::npyffi::NPY_TYPES;
use remora::embed::PrimType;
use std::ffi::c_int;

/// Each scalar type with the number and the name that NumPy has for it.
#[rustfmt::skip]
const TABLE: [(PrimType, NPY_TYPES, &str); 14] = [
    (PrimType::Bool, NPY_TYPES::NPY_BOOL, "bool"),
    (PrimType::I8, NPY_TYPES::NPY_BYTE, "int8"), (PrimType::U8, NPY_TYPES::NPY_UBYTE, "uint8"),
    (PrimType::I16, NPY_TYPES::NPY_SHORT, "int16"), (PrimType::U16, NPY_TYPES::NPY_USHORT, "uint16"),
    (PrimType::I32, NPY_TYPES::NPY_INT, "int32"), (PrimType::U32, NPY_TYPES::NPY_UINT, "uint32"),
    (PrimType::I64, NPY_TYPES::NPY_LONG, "int64"), (PrimType::U64, NPY_TYPES::NPY_ULONG, "uint64"),
    (PrimType::F16, NPY_TYPES::NPY_HALF, "float16"),
    (PrimType::F32, NPY_TYPES::NPY_FLOAT, "float32"), (PrimType::F64, NPY_TYPES::NPY_DOUBLE, "float64"),
    (PrimType::C64, NPY_TYPES::NPY_CFLOAT, "complex64"), (PrimType::C128, NPY_TYPES::NPY_CDOUBLE, "complex128"),
];

/// The scalar type of a NumPy type with this number. `long long` is another number for the same as `long`: it is converted, which copies
/// nothing.
pub fn of_number(number: c_int) -> Option<PrimType> {
    TABLE.iter().find(|(_, other, _)| *other as c_int == number).map(|(prim, ..)| *prim)
}

/// The scalar type that NumPy calls so.
pub fn of_name(name: &str) -> Option<PrimType> {
    TABLE.iter().find(|(.., other)| *other == name).map(|(prim, ..)| *prim)
}

/// NumPy's number of a type.
pub fn number(prim: PrimType) -> c_int {
    TABLE.iter().find(|(other, ..)| *other == prim).map_or(NPY_TYPES::NPY_VOID as c_int, |(_, number, _)| *number as c_int)
}

/// NumPy's name of a type.
pub fn name(prim: PrimType) -> &'static str {
    TABLE.iter().find(|(other, ..)| *other == prim).map_or("void", |(.., name)| name)
}

/// Stands for a type in the keys of instances.
pub fn letter(prim: PrimType) -> u8 {
    number(prim) as u8
}
