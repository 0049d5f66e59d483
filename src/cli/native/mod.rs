//! Compiled programs: made by the C compiler and by NVRTC, kept in the cache, loaded, run.

pub mod build;
pub mod bundle;
mod cuda;
mod load;
mod standin;
mod table;

use super::program::Loaded;
use crate::base::Symbol;
use crate::diag::Diagnostic;
use crate::driver;
use load::Device;
use load::Library;
pub use load::{Prepared, Program};

/// How programs are compiled and run.
#[derive(Debug, Clone, Copy, Default)]
pub struct Options {
    /// The number of threads; 0 for one per processor.
    pub threads: usize,
    /// Whether floating-point results must be the same to the last bit as the evaluator's.
    pub strict: bool,
}

/// Compiles a program for some entry points, or finds it in the cache, and loads it. `given` is a library that was made before from the
/// same program.
pub fn prepare(loaded: &Loaded, entries: &[Symbol], options: &Options, given: Option<&[u8]>) -> Result<Program, Box<Diagnostic>> {
    let native = driver::compile(&loaded.sources, &loaded.checked, entries, options.strict)?;
    let library = load_made(&|| build::library(&native.text, options.strict, given))?;
    Program::new(library, native.program, options.threads)
}

/// Loads what is made, or was made before.
fn load_made(make: &dyn Fn() -> Result<build::Library, Box<Diagnostic>>) -> Result<Library, Box<Diagnostic>> {
    let file = make()?;
    match Library::load(&file) {
        Ok(library) => Ok(library),
        // Something is wrong with the entry of the cache, or another program has just replaced it.
        Err(_) => {
            file.discard();
            Library::load(&make()?)
        }
    }
}

/// Compiles a program for some entry points for the CUDA device of this machine (or for what the environment names instead of one), or
/// finds it in the cache, and loads it.
///
/// # Errors
/// E0803: no driver, E0804: too old a driver, E0805: no device, E0806: no NVRTC, E0807: NVRTC refuses the kernels, E0810: the device fails;
/// E0801, E0802: what cannot be compiled; and those of the C compiler and the cache.
pub fn prepare_cuda(loaded: &Loaded, entries: &[Symbol]) -> Result<Program, Box<Diagnostic>> {
    // What is missing on the machine is said before anything is compiled.
    let found = if standin::wanted() { None } else { Some(cuda::open()?) };
    let made = driver::compile_cuda(&loaded.sources, &loaded.checked, entries)?;
    let device: Box<dyn Device> = match found {
        None => standin::open(&made.text.kernels)?,
        Some(device) => cuda::load(device, &made.text.kernels)?,
    };
    let library = load_made(&|| build::library(&made.text.host, false, None))?;
    Program::on_device(library, made.program, device)
}
