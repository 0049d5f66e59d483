//! The functions of a device, as `src/back/cuda/table.h` declares them.

use std::ffi::{c_char, c_int, c_void};

/// What `alloc` returns where there is no memory.
pub const NO_MEMORY: c_int = 2;

/// `remora_device`.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Table {
    /// Goes to each function.
    pub this: *mut c_void,
    /// Memory of so many bytes; [`NO_MEMORY`] if there is none.
    pub alloc: unsafe extern "C" fn(*mut c_void, i64, *mut *mut c_void) -> c_int,
    /// Gives memory back, behind all that was launched.
    pub release: unsafe extern "C" fn(*mut c_void, *mut c_void, i64),
    /// To the device.
    pub put: unsafe extern "C" fn(*mut c_void, *mut c_void, *const c_void, i64) -> c_int,
    /// From the device; waits.
    pub get: unsafe extern "C" fn(*mut c_void, *mut c_void, *const c_void, i64) -> c_int,
    /// On the device; the places may overlap.
    pub copy: unsafe extern "C" fn(*mut c_void, *mut c_void, *const c_void, i64) -> c_int,
    /// Sets bytes.
    pub fill: unsafe extern "C" fn(*mut c_void, *mut c_void, c_int, i64) -> c_int,
    /// Starts a kernel.
    pub launch: unsafe extern "C" fn(*mut c_void, *const c_char, i64, i32, i64, *mut *mut c_void, i32) -> c_int,
    /// A property.
    pub ask: unsafe extern "C" fn(*mut c_void, i32) -> i64,
    /// What went wrong last.
    pub message: unsafe extern "C" fn(*mut c_void) -> *const c_char,
}
