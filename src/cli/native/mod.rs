//! Compiled programs: made by the C compiler, kept in the cache, loaded, run.

pub mod build;
pub mod bundle;
mod load;

use super::program::Loaded;
use crate::base::Symbol;
use crate::diag::Diagnostic;
use crate::driver;
pub use load::{Prepared, Program};

/// How programs are compiled and run.
#[derive(Debug, Clone, Copy, Default)]
pub struct Options {
    /// The number of threads; 0 for one per processor.
    pub threads: usize,
    /// Whether floating-point results must be the same to the last bit as the evaluator's.
    pub strict: bool,
}

/// Compiles a program for some entry points, or finds it in the cache, and loads it.
pub fn prepare(loaded: &Loaded, entries: &[Symbol], options: &Options) -> Result<Program, Box<Diagnostic>> {
    let native = driver::compile(&loaded.sources, &loaded.checked, entries, options.strict)?;
    let library = build::library(&native.text, options.strict)?;
    Program::load(library, native.program, options.threads)
}
