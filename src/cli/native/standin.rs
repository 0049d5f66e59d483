//! A device from elsewhere: a shared library with the function
//! `const remora_device *remora_device_open(const char *kernels)`, which gets the text of the kernels and returns a table of functions
//! (`back/cuda/table.h`), or nothing when it cannot. Tests run kernels on the processor that way.

#![allow(unsafe_code, reason = "calls of the device")]

use super::Device;
use super::table::Table;
use crate::base::Code;
use crate::diag::Diagnostic;
use std::ffi::{CString, c_char};

struct StandIn {
    table: *const Table,
    close: Option<unsafe extern "C" fn(*const Table)>,
    _library: libloading::Library,
}

impl Device for StandIn {
    fn table(&self) -> *const Table {
        self.table
    }
    fn name(&self) -> String {
        "stand-in".into()
    }
}

impl Drop for StandIn {
    fn drop(&mut self) {
        if let Some(close) = self.close {
            // SAFETY: nobody uses the table after this.
            unsafe { close(self.table) }
        }
    }
}

/// The variable that names the library.
pub const VARIABLE: &str = "REMORA_DEVICE";

/// Whether the environment names one.
pub fn wanted() -> bool {
    std::env::var_os(VARIABLE).is_some_and(|path| !path.is_empty())
}

/// Opens the device of the library that the environment names.
pub fn open(kernels: &str) -> Result<Box<dyn Device>, Box<Diagnostic>> {
    let path = std::env::var_os(VARIABLE).unwrap_or_default();
    let refuse = |what: String| Box::new(Diagnostic::bare(Code::DeviceFailed, what));
    let text = CString::new(kernels).map_err(|error| refuse(error.to_string()))?;
    // SAFETY: whoever sets the variable says that the library can be loaded and has the function with this type.
    unsafe {
        let library = libloading::Library::new(&path).map_err(|error| refuse(error.to_string()))?;
        let close = library.get::<unsafe extern "C" fn(*const Table)>(b"remora_device_close\0").ok().map(|close| *close);
        let table = {
            let open = library.get::<unsafe extern "C" fn(*const c_char) -> *const Table>(b"remora_device_open\0");
            open.map_err(|error| refuse(error.to_string()))?(text.as_ptr())
        };
        if table.is_null() {
            return Err(refuse(format!("`{}` has no device for these kernels", path.display())));
        }
        Ok(Box::new(StandIn { table, close, _library: library }))
    }
}
