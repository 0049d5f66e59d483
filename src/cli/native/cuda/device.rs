//! The CUDA device as what the host plan asks of one: `src/back/cuda/driver.c`, the same text that is in programs made by `remora build`,
//! compiled once as a library of its own, kept in the cache, and loaded.

#![allow(unsafe_code, reason = "calls of the library")]

use super::super::load::{self, LoadedLibrary};
use super::super::table::Table;
use super::super::{build, load_made};
use crate::base::{Code, Span};
use crate::diag::Diagnostic;
use crate::{driver, ice};
use std::ffi::{CStr, c_char, c_int, c_void};

/// What `remora_driver_load` returns for kernels that this device and driver do not take, but may take otherwise compiled.
const UNFIT: c_int = 2;

/// What `src/back/cuda/loaded.c` has, with its types.
struct Functions {
    open: unsafe extern "C" fn(i64) -> *const Table,
    load: unsafe extern "C" fn(*const Table, *const c_void) -> c_int,
    close: unsafe extern "C" fn(*const Table),
    architecture: unsafe extern "C" fn(*const Table) -> c_int,
    name: unsafe extern "C" fn(*const Table) -> *const c_char,
    number: unsafe extern "C" fn(*const Table) -> c_int,
    enter: unsafe extern "C" fn(*const Table),
    leave: unsafe extern "C" fn(),
    reach: unsafe extern "C" fn(*const Table, *const c_void) -> c_int,
    wait_for: unsafe extern "C" fn(*const Table, *mut c_void) -> c_int,
    finish: unsafe extern "C" fn(*const Table) -> c_int,
    code: unsafe extern "C" fn() -> *const c_char,
    message: unsafe extern "C" fn() -> *const c_char,
}

/// A CUDA device.
pub struct Device {
    /// A `remora_device`.
    table: *const Table,
    driver: Functions,
    /// Outlives the device.
    _library: LoadedLibrary,
}

/// Why kernels were not loaded.
pub enum Refusal {
    /// They are for other devices, or newer than the driver.
    Unfit(Box<Diagnostic>),
    /// The driver takes them for none.
    Bad(Box<Diagnostic>),
}

/// The library of the driver, from the cache if it is there, or `given`, which was made before.
///
/// # Errors
/// Those of the C compiler and of the cache.
pub fn library(given: Option<&[u8]>) -> Result<build::CompiledLibrary, Box<Diagnostic>> {
    build::library(driver::CUDA_DRIVER, false, given)
}

impl Device {
    /// The device with this number, ready to work; that which the environment names, or the first, without one. `made` is the library of
    /// the driver, if that was made before.
    ///
    /// # Errors
    /// E0803: no driver, E0804: too old a driver, E0805: no device, E0810: the device fails; and those of [`library`].
    pub fn open(number: Option<u32>, made: Option<&[u8]>) -> Result<Device, Box<Diagnostic>> {
        // Nothing has to be compiled to say so.
        Device::look()?;
        let library = load_made(&|| library(made))?;
        // SAFETY: the text of the library declares the functions with these types.
        let driver = unsafe {
            Functions {
                open: library.function(c"remora_driver_open")?,
                load: library.function(c"remora_driver_load")?,
                close: library.function(c"remora_driver_close")?,
                architecture: library.function(c"remora_driver_architecture")?,
                name: library.function(c"remora_driver_name")?,
                number: library.function(c"remora_driver_number")?,
                enter: library.function(c"remora_driver_enter")?,
                leave: library.function(c"remora_driver_leave")?,
                reach: library.function(c"remora_driver_reach")?,
                wait_for: library.function(c"remora_driver_wait_for")?,
                finish: library.function(c"remora_driver_finish")?,
                code: library.function(c"remora_driver_code")?,
                message: library.function(c"remora_driver_message")?,
            }
        };
        // SAFETY: any number may be asked for.
        let table = unsafe { (driver.open)(number.map_or(-1, i64::from)) };
        if table.is_null() { Err(driver.refusal()) } else { Ok(Device { table, driver, _library: library }) }
    }

    /// Looks whether there is a driver at all.
    ///
    /// # Errors
    /// E0803: there is none.
    pub fn look() -> Result<(), Box<Diagnostic>> {
        // SAFETY: only looks whether the driver's library can be loaded.
        match unsafe { cudarc::driver::sys::is_culib_present() } {
            true => Ok(()),
            false => Err(explained(Code::NoDriver, "no CUDA driver: `libcuda.so.1` is not found".into())),
        }
    }

    /// What kernels must be made for: 90 for `sm_90`.
    pub fn architecture(&self) -> i32 {
        // SAFETY: the device is open.
        unsafe { (self.driver.architecture)(self.table) }
    }

    /// Loads kernels: machine code, or PTX, that ends with a zero.
    ///
    /// # Errors
    /// E0804: they need another driver or device, E0810: the driver cannot load them.
    pub fn load(&mut self, code: &[u8]) -> Result<(), Refusal> {
        // SAFETY: the driver looks at the code, whose format says where it ends.
        match unsafe { (self.driver.load)(self.table, code.as_ptr().cast()) } {
            0 => Ok(()),
            UNFIT => Err(Refusal::Unfit(self.driver.refusal())),
            _ => Err(Refusal::Bad(self.driver.refusal())),
        }
    }
}

impl Functions {
    /// Why the last call on this thread failed.
    fn refusal(&self) -> Box<Diagnostic> {
        // SAFETY: a call has failed, so that both are texts.
        let [code, message] = unsafe { [(self.code)(), (self.message)()].map(|text| CStr::from_ptr(text).to_string_lossy().into_owned()) };
        let code = Code::of_number(&code).unwrap_or_else(|| ice!(Span::default(), "driver.c knows a code {code} that is none"));
        explained(code, message)
    }
}

/// What is wrong with the driver or the device, with what may be done about it.
fn explained(code: Code, message: String) -> Box<Diagnostic> {
    let help = match code {
        Code::NoDriver => "install NVIDIA's driver, or use `--backend cpu`, or `--backend interp`, the evaluator",
        Code::OldDriver => "update the driver, or use an older NVRTC, or `--backend cpu`",
        Code::NoDevice => "`nvidia-smi -L` lists devices, CUDA_VISIBLE_DEVICES hides and renumbers them; or use `--backend cpu`",
        _ => "use `--backend cpu`",
    };
    Box::new(Diagnostic::bare(code, message).help(help))
}

impl load::Device for Device {
    fn table(&self) -> *const Table {
        self.table
    }
    fn name(&self) -> String {
        // SAFETY: the device is open, and its name a text.
        unsafe { CStr::from_ptr((self.driver.name)(self.table)) }.to_string_lossy().into_owned()
    }
    fn number(&self) -> i32 {
        // SAFETY: the device is open.
        unsafe { (self.driver.number)(self.table) }
    }
    fn enter(&self) {
        // SAFETY: the device is open.
        unsafe { (self.driver.enter)(self.table) }
    }
    fn leave(&self) {
        // SAFETY: the thread has entered it.
        unsafe { (self.driver.leave)() }
    }
    fn reaches(&self, place: *const u8) -> bool {
        // SAFETY: the driver only looks up what it knows of the address.
        unsafe { (self.driver.reach)(self.table, place.cast()) == 0 }
    }
    fn wait_for(&self, stream: u64) -> bool {
        // SAFETY: whoever gives the number says that it is a stream.
        unsafe { (self.driver.wait_for)(self.table, stream as *mut c_void) == 0 }
    }
    fn finish(&self) -> bool {
        // SAFETY: the device is open.
        unsafe { (self.driver.finish)(self.table) == 0 }
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        // SAFETY: nobody uses the device after this.
        unsafe { (self.driver.close)(self.table) }
    }
}
