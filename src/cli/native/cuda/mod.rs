//! Programs for CUDA: the host plan is compiled and loaded like programs for processors, its kernels by NVRTC; what it asks of the device
//! goes to the driver.
//!
//! Neither the driver nor NVRTC is linked: they are looked for when a program needs them, and what is missing is said.

mod device;
mod kernels;

use super::load::{Library, Program};
use super::{Loaded, build, load_made};
use crate::base::Symbol;
use crate::diag::Diagnostic;
use crate::driver;
use device::Device;

/// Compiles a program for some entry points for the CUDA device of this machine, or finds it in the cache, and loads it.
///
/// # Errors
/// E0803: no driver, E0804: too old a driver, E0805: no device, E0806: no NVRTC, E0807: NVRTC refuses the kernels, E0810: the device fails;
/// and those of compilation for processors.
pub fn prepare(loaded: &Loaded, entries: &[Symbol]) -> Result<Program, Box<Diagnostic>> {
    let mut device = Device::open()?;
    let cuda = driver::compile_cuda(&loaded.sources, &loaded.checked, entries)?;
    let code = kernels::compile(&cuda.text.kernels, device.architecture())?;
    if device.load(&code.bytes).is_err() {
        // Something is wrong with the entry of the cache.
        code.discard();
        let code = kernels::compile(&cuda.text.kernels, device.architecture())?;
        device.load(&code.bytes)?;
    }
    let library: Library = load_made(&|| build::library(&cuda.text.host, false, None))?;
    Program::on_device(library, cuda.program, Box::new(device))
}
