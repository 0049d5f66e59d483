//! Compiled programs: made by the C compiler, kept in the cache, loaded, run.

pub mod build;
pub mod bundle;
mod load;
mod standin;

use super::program::Loaded;
use crate::base::Symbol;
use crate::diag::Diagnostic;
use crate::driver;
use load::Library;
pub use load::{Device, Prepared, Program};

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
    let file = build::library(&native.text, options.strict, given)?;
    let library = match Library::load(&file) {
        Ok(library) => library,
        // Something is wrong with the entry of the cache, or another program has just replaced it.
        Err(_) => {
            file.discard();
            Library::load(&build::library(&native.text, options.strict, given)?)?
        }
    };
    Program::new(library, native.program, options.threads)
}

/// Compiles a program for a device and loads its host plan.
pub fn prepare_cuda(loaded: &Loaded, entries: &[Symbol]) -> Result<Program, Box<Diagnostic>> {
    let cuda = driver::compile_cuda(&loaded.sources, &loaded.checked, entries)?;
    let device = standin::open(&cuda.text.kernels)?;
    let file = build::library(&cuda.text.host, false, None)?;
    Program::on_device(Library::load(&file)?, cuda.program, device)
}
