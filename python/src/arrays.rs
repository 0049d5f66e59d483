//! NumPy arrays and scalars: those of the caller, read where they lie, and those that own what a program made.

use crate::dtypes;
use numpy::npyffi::{NpyTypes, PY_ARRAY_API, PyArray_CheckExact, PyArrayObject, get_type_object, npy_intp};
use pyo3::ffi;
use pyo3::prelude::*;
use remora::embed::{Owned, PrimType, Scalar};
use std::ffi::c_int;

const C_CONTIGUOUS: c_int = 0x0001;
const ALIGNED: c_int = 0x0100;
const WRITEABLE: c_int = 0x0400;

/// The memory that an array of NumPy's stands in: its base.
#[pyclass(frozen, module = "remora._remora", name = "Memory")]
struct Memory(#[allow(dead_code, reason = "kept for as long as the array")] Owned);

/// An array of the caller's whose elements lie in row-major order.
pub struct Borrowed<'py> {
    array: Bound<'py, PyAny>,
    /// As long as there is a weak reference to an array NumPy does not change its size, whatever other threads ask for.
    _fixed: Bound<'py, PyAny>,
    pub prim: PrimType,
}

/// What NumPy knows of an array.
fn fields<'a>(array: &'a Bound<'_, PyAny>) -> &'a PyArrayObject {
    // SAFETY: the callers have seen that it is an array; it is not changed while the interpreter is held.
    unsafe { &*array.as_ptr().cast::<PyArrayObject>() }
}

impl<'py> Borrowed<'py> {
    /// The array, if it is one of exactly NumPy's class whose elements are of a type of the language, in the byte order of the machine,
    /// aligned and in row-major order, and truth values are 0 or 1.
    pub fn new(value: &Bound<'py, PyAny>) -> PyResult<Option<Borrowed<'py>>> {
        let py = value.py();
        // SAFETY: the interpreter is held.
        if unsafe { PyArray_CheckExact(py, value.as_ptr()) } == 0 {
            return Ok(None);
        }
        let of = &fields(value).fields;
        // SAFETY: an array has a description of its elements, and all versions of that begin in the same way.
        let (number, order) = unsafe { ((*of.descr).fields.type_num, (*of.descr).fields.byteorder as u8) };
        let other = if cfg!(target_endian = "little") { b'>' } else { b'<' };
        let (Some(prim), true) = (dtypes::of_number(number), of.flags & (C_CONTIGUOUS | ALIGNED) == C_CONTIGUOUS | ALIGNED) else {
            return Ok(None);
        };
        if order == other {
            return Ok(None);
        }
        // SAFETY: the object is one that can be referred to weakly.
        let fixed = unsafe { Bound::from_owned_ptr_or_err(py, ffi::PyWeakref_NewRef(value.as_ptr(), std::ptr::null_mut()))? };
        let borrowed = Borrowed { array: value.clone(), _fixed: fixed, prim };
        let truths = prim != PrimType::Bool || borrowed.bytes().iter().all(|byte| *byte < 2);
        Ok(truths.then_some(borrowed))
    }
    /// Where the elements are.
    pub fn data(&self) -> *const u8 {
        fields(&self.array).fields.data.cast::<u8>().cast_const()
    }
    /// The sizes.
    pub fn dims(&self) -> &[usize] {
        let of = &fields(&self.array).fields;
        if of.nd == 0 {
            return &[];
        }
        // SAFETY: an array has so many sizes, none of which is negative.
        unsafe { std::slice::from_raw_parts(of.dimensions.cast::<usize>(), of.nd as usize) }
    }
    fn count(&self) -> usize {
        self.dims().iter().product()
    }
    /// All bytes of the elements.
    pub fn bytes(&self) -> &[u8] {
        // SAFETY: the elements lie side by side.
        unsafe { std::slice::from_raw_parts(self.data(), self.count() * self.prim.bytes()) }
    }
    /// The only element of an array of rank 0.
    pub fn scalar(&self) -> Option<Scalar> {
        Scalar::of_bytes(self.bytes(), self.prim)
    }
}

/// An array of NumPy's that owns what a program made.
pub fn owned(py: Python<'_>, owned: Owned) -> PyResult<Bound<'_, PyAny>> {
    let mut dims: Vec<npy_intp> = owned.dims().iter().map(|size| *size as npy_intp).collect();
    let (data, prim) = (owned.data(), owned.prim());
    let memory = Py::new(py, Memory(owned))?;
    // SAFETY: the memory has room for the elements and lives as long as the array, whose base it is.
    unsafe {
        let array = new(py, prim, &mut dims, data)?;
        match PY_ARRAY_API.PyArray_SetBaseObject(py, array.as_ptr().cast(), memory.into_ptr()) {
            0 => Ok(array),
            _ => Err(PyErr::fetch(py)),
        }
    }
}

/// An array of NumPy's with these elements: in memory that outlives it, or in its own where `data` is null.
///
/// # Safety
/// There are as many elements as the sizes say.
unsafe fn new<'py>(py: Python<'py>, prim: PrimType, dims: &mut [npy_intp], data: *mut u8) -> PyResult<Bound<'py, PyAny>> {
    let flags = if data.is_null() { 0 } else { C_CONTIGUOUS | ALIGNED | WRITEABLE };
    let (rank, sizes, none) = (dims.len() as c_int, dims.as_mut_ptr(), std::ptr::null_mut());
    // SAFETY: see above; the description of the elements is given away.
    unsafe {
        let descr = PY_ARRAY_API.PyArray_DescrFromType(py, dtypes::number(prim));
        let class = get_type_object(py, NpyTypes::PyArray_Type);
        let made = PY_ARRAY_API.PyArray_NewFromDescr(py, class, descr, rank, sizes, none, data.cast(), flags, std::ptr::null_mut());
        Bound::from_owned_ptr_or_err(py, made)
    }
}

/// An array of NumPy's whose elements are still to be written.
pub fn uninitialised<'py>(py: Python<'py>, prim: PrimType, dims: &[usize]) -> PyResult<Bound<'py, PyAny>> {
    let mut dims: Vec<npy_intp> = dims.iter().map(|size| *size as npy_intp).collect();
    // SAFETY: the array has memory of its own.
    unsafe { new(py, prim, &mut dims, std::ptr::null_mut()) }
}

/// Where the elements of an array of NumPy's are.
pub fn place(array: &Bound<'_, PyAny>) -> *mut u8 {
    fields(array).fields.data.cast::<u8>()
}

/// An array of NumPy's with a copy of these elements.
pub fn copied<'py>(py: Python<'py>, prim: PrimType, dims: &[usize], bytes: &[u8]) -> PyResult<Bound<'py, PyAny>> {
    let array = uninitialised(py, prim, dims)?;
    // SAFETY: the array has as many bytes as there are, and nobody else has it.
    unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), place(&array), bytes.len()) }
    Ok(array)
}

/// A scalar of NumPy's.
pub fn scalar(py: Python<'_>, scalar: Scalar) -> PyResult<Bound<'_, PyAny>> {
    let (mut bytes, _) = scalar.bytes();
    // SAFETY: the bytes are those of an element of this type.
    unsafe {
        let descr = PY_ARRAY_API.PyArray_DescrFromType(py, dtypes::number(scalar.prim()));
        let made = PY_ARRAY_API.PyArray_Scalar(py, bytes.as_mut_ptr().cast(), descr, std::ptr::null_mut());
        ffi::Py_DECREF(descr.cast());
        Bound::from_owned_ptr_or_err(py, made)
    }
}
