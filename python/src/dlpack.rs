//! DLPack, the protocol by which libraries hand arrays to each other: its structures are those of `dlpack.h`, version 1.0.

use pyo3::ffi;
use pyo3::prelude::*;
use remora::embed::{OnDevice, PrimType};
use std::ffi::{CStr, c_void};
use std::sync::Arc;

/// `kDLCPU`.
pub const PROCESSOR: i32 = 1;
/// `kDLCUDA`.
pub const CUDA: i32 = 2;
const CUDA_MANAGED: i32 = 13;

/// Whether an array on a device of this kind is where a program for CUDA reads it.
pub fn is_cuda(kind: i32) -> bool {
    kind == CUDA || kind == CUDA_MANAGED
}

const PLAIN: &CStr = c"dltensor";
const VERSIONED: &CStr = c"dltensor_versioned";

#[repr(C)]
#[derive(Clone, Copy)]
struct Type {
    code: u8,
    bits: u8,
    lanes: u16,
}

/// What the codes of types mean: signed, unsigned, floating-point and complex numbers, truth values.
const CODES: [(u8, &str); 6] = [(0, "int"), (1, "uint"), (2, "float"), (4, "bfloat"), (5, "complex"), (6, "bool")];

#[repr(C)]
struct Tensor {
    data: *mut c_void,
    device_type: i32,
    device_id: i32,
    ndim: i32,
    dtype: Type,
    shape: *mut i64,
    strides: *mut i64,
    byte_offset: u64,
}

#[repr(C)]
struct Managed {
    tensor: Tensor,
    manager: *mut c_void,
    deleter: Option<unsafe extern "C" fn(*mut Managed)>,
}

#[repr(C)]
struct ManagedVersioned {
    major: u32,
    minor: u32,
    manager: *mut c_void,
    deleter: Option<unsafe extern "C" fn(*mut ManagedVersioned)>,
    flags: u64,
    tensor: Tensor,
}

/// What a capsule holds.
pub struct Found {
    /// The type of the elements, if the language has it, and its name.
    pub prim: Option<PrimType>,
    pub dtype: String,
    pub dims: Vec<usize>,
    pub place: *const u8,
    pub row_major: bool,
}

/// The tensor of a capsule, which owns it still: it is there as long as the capsule is. Nothing if the capsule is another, or used up.
pub fn read(capsule: &Bound<'_, PyAny>) -> PyResult<Option<Found>> {
    let pointer = |name: &CStr| {
        // SAFETY: the interpreter is held; the name is compared with that of the capsule.
        unsafe {
            match ffi::PyCapsule_IsValid(capsule.as_ptr(), name.as_ptr()) {
                1 => Some(ffi::PyCapsule_GetPointer(capsule.as_ptr(), name.as_ptr())),
                _ => None,
            }
        }
    };
    // SAFETY: capsules of these names hold these structures.
    let tensor = unsafe {
        match (pointer(VERSIONED), pointer(PLAIN)) {
            (Some(versioned), _) if (*versioned.cast::<ManagedVersioned>()).major == 1 => &(*versioned.cast::<ManagedVersioned>()).tensor,
            (None, Some(plain)) => &(*plain.cast::<Managed>()).tensor,
            _ => return Ok(None),
        }
    };
    let rank = usize::try_from(tensor.ndim).unwrap_or(0);
    // SAFETY: there is a size for each dimension, and a stride unless there are none at all.
    let (dims, strides) = unsafe {
        let row = |place: *mut i64| if rank == 0 || place.is_null() { &[] } else { std::slice::from_raw_parts(place, rank) };
        (row(tensor.shape), row(tensor.strides))
    };
    let mut step = 1i64;
    let mut row_major = true;
    for (size, stride) in dims.iter().zip(strides).rev() {
        row_major &= *size == 1 || *stride == step;
        step = step.saturating_mul(*size);
    }
    let Type { code, bits, lanes } = tensor.dtype;
    let of_code = CODES.iter().find(|(number, _)| *number == code).map_or("type", |(_, name)| name);
    let dtype = if code == 6 { "bool".to_string() } else { format!("{of_code}{bits}") };
    let prim = PrimType::ALL.into_iter().find(|prim| self::code(*prim) == (code, bits) && lanes == 1);
    let dims: Vec<usize> = dims.iter().map(|size| usize::try_from(*size).unwrap_or(0)).collect();
    let place = (tensor.data as usize).wrapping_add(tensor.byte_offset as usize) as *const u8;
    let row_major = row_major || dims.contains(&0);
    Ok(Some(Found { prim, dtype, dims, place, row_major }))
}

/// The code of a type and the bits of an element.
fn code(prim: PrimType) -> (u8, u8) {
    let code = match prim {
        PrimType::I8 | PrimType::I16 | PrimType::I32 | PrimType::I64 => 0,
        PrimType::U8 | PrimType::U16 | PrimType::U32 | PrimType::U64 => 1,
        PrimType::F16 | PrimType::F32 | PrimType::F64 => 2,
        PrimType::C64 | PrimType::C128 => 5,
        PrimType::Bool => 6,
    };
    (code, 8 * prim.bytes() as u8)
}

/// An array that is lent, with what its tensor points to.
struct Lent<M> {
    managed: M,
    _array: Arc<OnDevice>,
    /// The sizes, then the strides.
    _numbers: Vec<i64>,
}

/// A capsule with an array, which keeps it.
pub fn lend(py: Python<'_>, array: Arc<OnDevice>, versioned: bool) -> PyResult<Bound<'_, PyAny>> {
    let dims = array.dims();
    let mut numbers: Vec<i64> = dims.iter().map(|size| *size as i64).collect();
    let strides = (0..dims.len()).map(|axis| dims[axis + 1..].iter().map(|size| *size as i64).product::<i64>());
    numbers.extend(strides.collect::<Vec<_>>());
    let (code, bits) = code(array.prim());
    let shape = numbers.as_mut_ptr();
    let tensor = Tensor {
        data: array.lend().cast(),
        device_type: CUDA,
        device_id: array.number(),
        ndim: dims.len() as i32,
        dtype: Type { code, bits, lanes: 1 },
        shape,
        // SAFETY: there are twice as many numbers as dimensions.
        strides: unsafe { shape.add(dims.len()) },
        byte_offset: 0,
    };
    let manager = std::ptr::null_mut();
    match versioned {
        true => {
            let managed = ManagedVersioned { major: 1, minor: 0, manager, deleter: Some(delete_versioned), flags: 0, tensor };
            let lent = Box::into_raw(Box::new(Lent { managed, _array: array, _numbers: numbers }));
            // SAFETY: the structure was just made.
            unsafe { (*lent).managed.manager = lent.cast() };
            capsule(py, unsafe { &raw mut (*lent).managed }.cast(), VERSIONED, drop_versioned)
        }
        false => {
            let managed = Managed { tensor, manager, deleter: Some(delete) };
            let lent = Box::into_raw(Box::new(Lent { managed, _array: array, _numbers: numbers }));
            // SAFETY: as above.
            unsafe { (*lent).managed.manager = lent.cast() };
            capsule(py, unsafe { &raw mut (*lent).managed }.cast(), PLAIN, drop_plain)
        }
    }
}

fn capsule<'py>(
    py: Python<'py>,
    pointer: *mut c_void,
    name: &'static CStr,
    destructor: unsafe extern "C" fn(*mut ffi::PyObject),
) -> PyResult<Bound<'py, PyAny>> {
    // SAFETY: the interpreter is held; the destructor is for such capsules.
    unsafe { Bound::from_owned_ptr_or_err(py, ffi::PyCapsule_New(pointer, name.as_ptr(), Some(destructor))) }
}

unsafe extern "C" fn delete(managed: *mut Managed) {
    // SAFETY: whoever has the structure calls this once.
    drop(unsafe { Box::from_raw((*managed).manager.cast::<Lent<Managed>>()) });
}
unsafe extern "C" fn delete_versioned(managed: *mut ManagedVersioned) {
    // SAFETY: as above.
    drop(unsafe { Box::from_raw((*managed).manager.cast::<Lent<ManagedVersioned>>()) });
}

// Whoever takes what is in a capsule gives it another name, and calls the deleter. Otherwise it goes with the capsule.
unsafe extern "C" fn drop_plain(capsule: *mut ffi::PyObject) {
    // SAFETY: capsules of this name hold this structure.
    unsafe {
        if ffi::PyCapsule_IsValid(capsule, PLAIN.as_ptr()) == 1 {
            delete(ffi::PyCapsule_GetPointer(capsule, PLAIN.as_ptr()).cast());
        }
    }
}
unsafe extern "C" fn drop_versioned(capsule: *mut ffi::PyObject) {
    // SAFETY: as above.
    unsafe {
        if ffi::PyCapsule_IsValid(capsule, VERSIONED.as_ptr()) == 1 {
            delete_versioned(ffi::PyCapsule_GetPointer(capsule, VERSIONED.as_ptr()).cast());
        }
    }
}
