//! From core to what is run: each language in between, and the texts for C compilers and devices.

use super::Checked;
use super::failures::{FailurePlace, failure_diagnostic, failure_places, place};
use super::pipeline::{DEVICE, PROCESSOR, Pipeline, Steps};
use super::validate::validating;
use crate::back::{c, cuda, text};
use crate::base::{Code, SourceMap, Span, Symbol};
use crate::diag::Diagnostic;
use crate::interp;
use crate::ir::core;
use crate::ir::tuning::On;
use crate::ir::{imp, soac};
use crate::runtime::Value;

/// The first-order program for these entry points of an accepted program (all that are declared, if none are given).
///
/// # Errors
/// E0801: what cannot be compiled.
pub fn specialise(sources: &SourceMap, checked: &Checked, entries: &[Symbol]) -> Result<soac::Program, Box<Diagnostic>> {
    Pipeline::new(sources).specialise(checked, entries)
}

/// The optimised first-order program for these entry points.
///
/// # Errors
/// Those of [`specialise()`].
pub fn optimise(sources: &SourceMap, checked: &Checked, entries: &[Symbol]) -> Result<soac::Program, Box<Diagnostic>> {
    Pipeline::new(sources).soac(&PROCESSOR, checked, entries)
}

/// The program for these entry points whose parallelism is in kernels.
///
/// # Errors
/// Those of [`specialise()`].
pub fn kernels(sources: &SourceMap, checked: &Checked, entries: &[Symbol]) -> Result<soac::Program, Box<Diagnostic>> {
    Pipeline::new(sources).soac(&DEVICE, checked, entries)
}

/// Runs an entry point by way of the program whose parallelism is in kernels.
///
/// # Errors
/// Those of [`specialise()`], and what the program fails with.
pub fn run_kernels(sources: &SourceMap, checked: &Checked, entry: Symbol, arguments: Vec<Value>) -> Result<Value, Box<Diagnostic>> {
    evaluate(checked, &kernels(sources, checked, &[entry])?, validating(), entry, arguments)
}

/// Runs an entry point by way of the optimised first-order program.
///
/// # Errors
/// Those of [`specialise()`], and what the program fails with.
pub fn run_soac(sources: &SourceMap, checked: &Checked, entry: Symbol, arguments: Vec<Value>) -> Result<Value, Box<Diagnostic>> {
    evaluate(checked, &optimise(sources, checked, &[entry])?, validating(), entry, arguments)
}

/// Runs a first-order program by its evaluator; with `regions` as one whose updates are done in place.
pub(super) fn evaluate(
    checked: &Checked,
    program: &soac::Program,
    regions: bool,
    entry: Symbol,
    arguments: Vec<Value>,
) -> Result<Value, Box<Diagnostic>> {
    let define = checked.core.defs.iter().rfind(|define| define.name == entry);
    let Some(define) = define else {
        return Err(Box::new(Diagnostic::bare(Code::UnfitArguments, format!("there is no definition `{entry}`"))));
    };
    let names = checked.parameter_names(entry);
    let call = if regions { interp::soac::call_in_place } else { interp::soac::call };
    call(program, &define.ty, entry, arguments, &names).map_err(|failure| Box::new(failure_diagnostic(checked, &failure)))
}

/// The program with explicit memory for these entry points, as C is made of it.
///
/// # Errors
/// Those of [`specialise()`].
pub fn memory(sources: &SourceMap, checked: &Checked, entries: &[Symbol]) -> Result<imp::Program, Box<Diagnostic>> {
    memory_for(&PROCESSOR, sources, checked, entries)
}

/// The program with explicit memory and launches of kernels for these entry points.
///
/// # Errors
/// Those of [`compile_cuda()`].
pub fn launches(sources: &SourceMap, checked: &Checked, entries: &[Symbol]) -> Result<imp::Program, Box<Diagnostic>> {
    memory_for(&DEVICE, sources, checked, entries)
}

pub(super) fn memory_for(
    target: &Steps,
    sources: &SourceMap,
    checked: &Checked,
    entries: &[Symbol],
) -> Result<imp::Program, Box<Diagnostic>> {
    let pipeline = Pipeline::new(sources);
    let program = pipeline.soac(target, checked, entries)?;
    Ok(pipeline.imp(target, &program, false))
}

/// A program as C, with the types of its entry points.
#[derive(Debug, Clone)]
pub struct Native {
    /// The text of the C program.
    pub text: String,
    /// The first-order program that it was made from: entry point number `k` is function number `k`.
    pub program: soac::Program,
    /// The places that failures name by their numbers.
    pub places: Vec<FailurePlace>,
    /// How long the steps took.
    pub times: super::pipeline::Times,
}

/// The C program for these entry points of an accepted program (all that are declared, if none are given). With `strict`, results are to
/// be the same to the last bit as those of the evaluator, except for functions of the C library.
///
/// # Errors
/// E0801: what cannot be compiled.
pub fn compile(sources: &SourceMap, checked: &Checked, entries: &[Symbol], strict: bool) -> Result<Native, Box<Diagnostic>> {
    let pipeline = Pipeline::new(sources);
    let program = pipeline.soac(&PROCESSOR, checked, entries)?;
    let imp = pipeline.imp(&PROCESSOR, &program, strict);
    let (text, places) = pipeline.step(PROCESSOR.print, || c::emit(&imp, strict));
    let places = failure_places(checked, &program, places.iter());
    Ok(Native { text, program, places, times: pipeline.times() })
}

/// A program for CUDA, with the types of its entry points.
#[derive(Debug, Clone)]
pub struct CudaProgram {
    /// The texts of the kernels and of the host plan.
    pub text: cuda::Cuda,
    /// The first-order program that it was made from: entry point number `k` is function number `k`.
    pub program: soac::Program,
    /// The places that failures name by their numbers.
    pub places: Vec<FailurePlace>,
    /// How long the steps took.
    pub times: super::pipeline::Times,
}

/// The program for CUDA for these entry points of an accepted program (all that are declared, if none are given).
///
/// # Errors
/// E0801: what cannot be compiled.
pub fn compile_cuda(sources: &SourceMap, checked: &Checked, entries: &[Symbol]) -> Result<CudaProgram, Box<Diagnostic>> {
    let pipeline = Pipeline::new(sources);
    let program = pipeline.soac(&DEVICE, checked, entries)?;
    let imp = pipeline.imp(&DEVICE, &program, false);
    let text = pipeline.step(DEVICE.print, || cuda::emit(&imp));
    let places = failure_places(checked, &program, text.places.iter());
    Ok(CudaProgram { text, program, places, times: pipeline.times() })
}

/// What is made of these entry points, without the run-time system: two such texts differ if what runs differs.
///
/// # Errors
/// E0801: what cannot be compiled.
pub fn own_text(sources: &SourceMap, checked: &Checked, entries: &[Symbol], on: On) -> Result<String, Box<Diagnostic>> {
    Ok(match on {
        On::Processors => c::own_part(&compile(sources, checked, entries, false)?.text).to_string(),
        On::Devices => {
            let made = compile_cuda(sources, checked, entries)?.text;
            cuda::own_part(&made.host).to_string() + &made.kernels
        }
    })
}

/// The library for CUDA devices of these entry points of an accepted program, its names beginning with `prefix`. Compiling it, and those
/// who use it, need nothing of CUDA.
///
/// # Errors
/// E0801: what cannot be compiled.
pub fn cuda_library(
    sources: &SourceMap,
    checked: &Checked,
    entries: &[Symbol],
    prefix: &str,
) -> Result<cuda::LibraryText, Box<Diagnostic>> {
    let made = compile_cuda(sources, checked, entries)?;
    let names = entry_names(checked, &made.program);
    let interface = interface(checked, entries);
    Ok(cuda::library(&made.program, &interface, &made.text, prefix, &names, &shown(sources, checked, &made.program)))
}

/// The C library for these entry points of an accepted program, its names beginning with `prefix`.
///
/// # Errors
/// E0801: what cannot be compiled.
pub fn library(
    sources: &SourceMap,
    checked: &Checked,
    entries: &[Symbol],
    prefix: &str,
    strict: bool,
) -> Result<c::LibraryText, Box<Diagnostic>> {
    let pipeline = Pipeline::new(sources);
    let program = pipeline.soac(&PROCESSOR, checked, entries)?;
    let imp = pipeline.imp(&PROCESSOR, &program, strict);
    let names = entry_names(checked, &program);
    let interface = interface(checked, entries);
    Ok(c::library(&program, &interface, &imp, prefix, &names, strict, &shown(sources, checked, &program)))
}

/// What the functions of a first-order program are called in the source.
pub(super) fn entry_names(checked: &Checked, program: &soac::Program) -> Vec<Symbol> {
    program.funs.iter().map(|(_, fun)| checked.source_name(fun.name)).collect()
}

/// What entry points take and return.
pub(super) fn interface(checked: &Checked, entries: &[Symbol]) -> text::Interface {
    let chosen = |define: &&core::Define| if entries.is_empty() { define.entry } else { entries.contains(&define.name) };
    text::Interface::new(checked.core.defs.iter().filter(chosen).map(|define| (define.name, &define.ty)))
}

/// The same in words.
pub(super) fn shown<'a>(sources: &'a SourceMap, checked: &'a Checked, program: &'a soac::Program) -> impl Fn(Span) -> text::Shown + 'a {
    let text = |span: Span| if span.is_none() { String::new() } else { sources.place(span) };
    move |span| {
        let place = place(checked, program, span);
        text::Shown { text: text(place.span), own: place.own.map(text).unwrap_or_default() }
    }
}
