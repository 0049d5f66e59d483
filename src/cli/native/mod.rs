//! Compiled programs: made by the C compiler, kept in the cache, loaded, run.

mod build;
mod load;

use super::program::Loaded;
use crate::base::Symbol;
use crate::diag::Diagnostic;
use crate::driver;
use crate::ir::core::Define;
use crate::runtime::Value;
pub use load::{Prepared, Program};

/// How programs are compiled and run.
#[derive(Debug, Clone, Copy, Default)]
pub struct Options {
    /// The number of threads; 0 for one per processor.
    pub threads: usize,
    /// Whether floating-point results must be the same to the last bit as the evaluator's.
    pub strict: bool,
}

/// Compiles a program for an entry point, or finds it in the cache, and loads it.
pub fn prepare(loaded: &Loaded, entry: Symbol, options: &Options) -> Result<Program, Box<Diagnostic>> {
    let native = driver::compile(&loaded.sources, &loaded.checked, &[entry], options.strict)?;
    let library = build::library(&native.text, options.strict)?;
    Program::load(library, native.program, options.threads)
}

/// Runs an entry point of an accepted program.
pub fn run(loaded: &Loaded, define: &Define, args: Vec<Value>, options: &Options) -> Result<Value, Box<Diagnostic>> {
    let program = prepare(loaded, define.name, options)?;
    program.call(define, args)
}
