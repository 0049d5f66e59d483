//! Compiled programs: made by the C compiler and by NVRTC, kept in the cache, loaded, run.

pub mod build;
pub mod bundle;
pub mod cuda;
mod load;

use super::program::Loaded;
use crate::base::Symbol;
use crate::diag::Diagnostic;
use crate::driver;
use load::Library;
pub use load::{Machine, Prepared, Program};

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
