//! `remora run FILE [-e ENTRY] [ARG...]`.

use super::native::bundle::Bundle;
use super::output::Console;
use super::program::{Loaded, load_accepted};
use super::values::{self, Signature};
use super::{FAILURE, Outcome, SUCCESS, SourceArg, entries, files, native, unshield};
use crate::base::Symbol;
use crate::diag::Diagnostic;
use crate::driver::{self, Checked};
use crate::ir::core::Define;
use crate::runtime::{Value, data};
use clap::{Args, ValueEnum};
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Run an entry point
#[derive(Debug, Args)]
#[command(
    after_help = "Arguments are literals, .npy files, .png images, or files in Futhark's text or binary format. Without any, values come
from standard input. Options may stand before or after arguments; `-3` is a value.

Examples:
  remora run program.rem '[1, 2, 3]' -3
  remora run program.rem -e norm vector.npy
  remora run program.rem a.npy b.npy -o result.npy
  remora run blur.rem photo.png -o blurred.png
  echo '[1.0, 2.0]' | remora run program.rem -e mean"
)]
pub(super) struct RunArgs {
    #[command(flatten)]
    source: SourceArg,
    /// Arguments: literals or files
    #[arg(value_name = "ARG")]
    args: Vec<String>,
    /// The entry point
    #[arg(short, long, default_value = "main", value_name = "NAME")]
    entry: String,
    /// What runs the program
    #[arg(long, value_enum, default_value = "auto", value_name = "BACKEND")]
    backend: Backend,
    /// Results that are the same to the last bit as the evaluator's
    #[arg(long)]
    strict_fp: bool,
    /// Threads (default: one per processor)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
    /// Write the result to a .npy or .png file; several results to NAME.0.npy, NAME.1.npy, ..
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Write results to standard output in Futhark's binary format
    #[arg(long)]
    binary: bool,
    /// Print how long each pass and the run took to standard error
    #[arg(long)]
    time_passes: bool,
}

/// What runs a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Backend {
    /// Compiled where that is possible
    Auto,
    /// The evaluator of core
    Interp,
    /// Compiled by way of C, on all processors
    Cpu,
    /// CUDA (not in this version)
    Cuda,
}

pub(super) fn run(args: &RunArgs, console: &mut Console) -> Outcome {
    if args.backend == Backend::Cuda {
        return Err(no_cuda());
    }
    let Some(loaded) = load_accepted(&args.source.file, console)? else { return Ok(FAILURE) };
    run_loaded(args, &loaded, None, console)
}

/// Runs the program that this one carries.
pub(super) fn run_bundle(args: &RunArgs, bundle: &Bundle, console: &mut Console) -> Outcome {
    if args.backend == Backend::Cuda {
        return Err(no_cuda());
    }
    let loaded = bundle.load()?;
    if !bundle.entries().iter().any(|name| loaded.checked.source_name(*name).as_str() == args.entry) {
        return Err(bundle.unknown(&args.entry));
    }
    run_loaded(args, &loaded, Some(bundle), console)
}

fn run_loaded(args: &RunArgs, loaded: &Loaded, bundle: Option<&Bundle>, console: &mut Console) -> Outcome {
    let report = |console: &mut Console, diagnostic: Box<Diagnostic>| {
        console.report(&loaded.sources, &diagnostic);
        Ok(FAILURE)
    };
    match execute(args, loaded, bundle, console) {
        Ok(()) => Ok(SUCCESS),
        Err(diagnostic) => report(console, diagnostic),
    }
}

fn execute(args: &RunArgs, loaded: &Loaded, bundle: Option<&Bundle>, console: &mut Console) -> Result<(), Box<Diagnostic>> {
    let checked = &loaded.checked;
    let entry = find_entry(loaded, &args.entry)?;
    let signature = Signature::new(entry, &checked.parameter_names(entry.name))?;
    let values = read_arguments(&args.args, &signature, console)?;
    let compiled = match args.backend {
        Backend::Interp => None,
        _ => compile(args, loaded, bundle, entry, console)?,
    };
    let start = Instant::now();
    let result = match compiled {
        Some(program) => program.call(entry, values, &checked.parameter_names(entry.name))?,
        None => driver::run(checked, entry.name, values, args.threads.map(usize::from))?,
    };
    let seconds = start.elapsed();
    if args.time_passes {
        let run = format!("{:<12} {:>10.3} ms", "run", seconds.as_secs_f64() * 1e3);
        console.progress(&format!("{}{run}", checked.stats.times()));
    }
    write_result(args, &result, console)
}

/// The compiled program. Where it cannot be made and nothing but the best was asked for, a note says why the evaluator runs it.
fn compile(
    args: &RunArgs,
    loaded: &Loaded,
    bundle: Option<&Bundle>,
    entry: &Define,
    console: &mut Console,
) -> Result<Option<native::Program>, Box<Diagnostic>> {
    let strict = bundle.map_or(args.strict_fp, Bundle::strict);
    let options = native::Options { threads: args.threads.map_or(0, usize::from), strict };
    let entries = bundle.map_or_else(|| vec![entry.name], Bundle::entries);
    match native::prepare(loaded, &entries, &options) {
        Ok(program) => Ok(Some(program)),
        Err(diagnostic) if args.backend == Backend::Auto && ["E0801", "E0615"].contains(&diagnostic.code) => {
            console.progress(&format!("note: the evaluator runs this program, slowly: {} ({})", diagnostic.message, diagnostic.code));
            Ok(None)
        }
        Err(diagnostic) => Err(diagnostic),
    }
}

/// What is said to those who ask for CUDA.
pub(super) fn no_cuda() -> Box<Diagnostic> {
    let message = "this version of remora has no back end `cuda`";
    Box::new(Diagnostic::bare("E0614", message).help("use `--backend cpu`, or `--backend interp`, the evaluator"))
}

/// Arguments from the command line, or from standard input if there are none.
pub(super) fn read_arguments(args: &[String], signature: &Signature, console: &mut Console) -> Result<Vec<Value>, Box<Diagnostic>> {
    let words: Vec<String> = args.iter().map(|arg| unshield(arg).to_string()).collect();
    if !words.is_empty() || signature.is_empty() {
        return signature.arguments(&words);
    }
    if std::io::stdin().is_terminal() {
        console.progress("reading the arguments from standard input");
    }
    signature.stream("standard input", &files::read_stdin()?)
}

fn write_result(args: &RunArgs, result: &Value, console: &mut Console) -> Result<(), Box<Diagnostic>> {
    match (&args.output, args.binary) {
        (Some(path), _) => values::save(path, result),
        (None, true) => {
            let bytes = data::binary::write(result);
            let refuse = || Box::new(Diagnostic::bare("E0603", "the binary format holds scalars and arrays of scalars only"));
            console.print(bytes.ok_or_else(refuse)?);
            Ok(())
        }
        (None, false) => {
            console.print(values::show(result));
            Ok(())
        }
    }
}

/// The entry point of this name in the file itself. A definition that is not declared as one may be run as well.
pub(super) fn find_entry<'a>(loaded: &'a Loaded, name: &str) -> Result<&'a Define, Box<Diagnostic>> {
    let Checked { core, .. } = &loaded.checked;
    let symbol = Symbol::new(name);
    let own = || core.defs.iter().filter(|define| define.span.file == loaded.root);
    let named = |define: &&Define| loaded.checked.source_name(define.name) == symbol;
    if let Some(define) = own().rfind(named) {
        return Ok(define);
    }
    let mut known: Vec<&str> = own().filter(|d| d.entry).map(|d| loaded.checked.source_name(d.name).as_str()).collect();
    known.sort_unstable();
    known.dedup();
    let mut diagnostic = entries::unknown("E0611", "entry point", name, known.iter().copied());
    if name == "main" && !known.is_empty() {
        diagnostic.help.insert(0, format!("choose one with `-e {}`", known[0]));
    }
    Err(Box::new(diagnostic))
}

/// The folder of a program: paths in it are relative to that.
pub(super) fn folder(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new(""))
}
