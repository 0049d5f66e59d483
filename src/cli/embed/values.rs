//! Arrays of the caller's as values, and back: copies, for what does not take arrays where they lie.

#![allow(unsafe_code, reason = "reads the elements of arrays of the caller's")]

use super::Refused;
use crate::base::{PrimType, SourceMap};
use crate::cli::native::OnDevice;
use crate::runtime::{Array, Buffer, Element, Value};
use crate::{each_buffer, each_prim};

/// An array as a value.
///
/// # Safety
/// There are so many elements of this type at `data`, aligned and in row-major order; truth values are 0 or 1.
pub unsafe fn copied(prim: PrimType, dims: &[usize], data: *const u8) -> Option<Value> {
    /// # Safety
    /// As above.
    unsafe fn buffer<T: Element>(data: *const u8, count: usize) -> Buffer {
        // SAFETY: see above.
        Buffer::new(unsafe { std::slice::from_raw_parts(data.cast::<T>(), count) }.to_vec())
    }
    let count = dims.iter().product();
    // SAFETY: see above.
    let buffer = each_prim!(prim, T => unsafe { buffer::<T>(data, count) });
    Array::new(dims, buffer).map(Value::Array)
}

/// The bytes of the elements of an array in row-major order.
pub fn bytes(array: &Array) -> &[u8] {
    fn of<T>(items: &[T]) -> &[u8] {
        // SAFETY: scalars have no bytes between them.
        unsafe { std::slice::from_raw_parts(items.as_ptr().cast::<u8>(), size_of_val(items)) }
    }
    let (buffer, offset) = array.raw();
    each_buffer!(buffer, v => of(v.get(offset..offset + array.count()).unwrap_or_default()))
}

/// Copies the elements of an array on a device to the memory of the processor, as many as there is room for.
///
/// # Errors
/// E0810: the device fails, or belongs to the process that this one was forked off from.
pub fn fetch(array: &OnDevice, to: &mut [u8]) -> Result<(), Refused> {
    array.get(to).map_err(|failure| Refused::one(&SourceMap::default(), &failure))
}
