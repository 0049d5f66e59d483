//! `remora run FILE [-e ENTRY] [ARG...]`.

use super::output::Console;
use super::program::{Loaded, load_accepted};
use super::values::{self, Signature};
use super::{FAILURE, Outcome, SUCCESS, SourceArg, entries, files, unshield};
use crate::base::Symbol;
use crate::diag::Diagnostic;
use crate::driver::{self, Checked};
use crate::ir::core::Define;
use crate::runtime::data;
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
    /// The entry point (default: `main`; in core the last expression of the file)
    #[arg(short, long, value_name = "NAME")]
    entry: Option<String>,
    /// What runs the program
    #[arg(long, value_enum, default_value = "auto", value_name = "BACKEND")]
    backend: Backend,
    /// Threads of the evaluator (default: one per processor)
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

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Backend {
    /// The best that is there
    Auto,
    /// The evaluator of core
    Interp,
    /// Multicore C (not in this version)
    Cpu,
    /// CUDA (not in this version)
    Cuda,
}

pub(super) fn run(args: &RunArgs, console: &mut Console) -> Outcome {
    if let Backend::Cpu | Backend::Cuda = args.backend {
        let name = if args.backend == Backend::Cpu { "cpu" } else { "cuda" };
        let message = format!("this version of remora has no back end `{name}`");
        return Err(Box::new(Diagnostic::bare("E0614", message).help("use `--backend interp`, the evaluator")));
    }
    let Some(mut loaded) = load_accepted(&args.source.file, console)? else { return Ok(FAILURE) };
    if let Err(diagnostic) = give_numbers(&mut loaded) {
        console.report(&loaded.sources, &diagnostic);
        return Ok(FAILURE);
    }
    let report = |console: &mut Console, diagnostic: Box<Diagnostic>| {
        console.report(&loaded.sources, &diagnostic);
        Ok(FAILURE)
    };
    match execute(args, &loaded, console) {
        Ok(()) => Ok(SUCCESS),
        Err(diagnostic) => report(console, diagnostic),
    }
}

/// Gives a program of core that reads numbers those on standard input.
fn give_numbers(loaded: &mut Loaded) -> Result<(), Box<Diagnostic>> {
    if !loaded.checked.reads_numbers() {
        return Ok(());
    }
    let bytes = files::read_stdin()?;
    let text = String::from_utf8_lossy(&bytes);
    let mut numbers = Vec::new();
    for (at, word) in text.split_whitespace().enumerate() {
        match word.parse() {
            Ok(number) => numbers.push(number),
            Err(_) => {
                let shown = word.chars().take(40).collect::<String>();
                let message = format!("standard input: word {}, `{}`, is not an i64", at + 1, shown.escape_debug());
                return Err(Box::new(Diagnostic::bare("E0604", message).help("`read-nums` reads whole numbers with blanks between them")));
            }
        }
    }
    loaded.checked.give_numbers(numbers);
    Ok(())
}

fn execute(args: &RunArgs, loaded: &Loaded, console: &mut Console) -> Result<(), Box<Diagnostic>> {
    let checked = &loaded.checked;
    let entry = match (&args.entry, checked.remc.as_ref().and_then(|remc| remc.last)) {
        (None, Some(last)) => find_define(loaded, last).ok_or_else(|| Box::new(Diagnostic::bare("E0611", "there is no expression")))?,
        (name, _) => find_entry(loaded, name.as_deref().unwrap_or("main"))?,
    };
    let signature = Signature::new(entry, &checked.parameter_names(entry.name))?;
    let words: Vec<String> = args.args.iter().map(|arg| unshield(arg).to_string()).collect();
    let values = if words.is_empty() && !signature.is_empty() && !checked.reads_numbers() {
        if std::io::stdin().is_terminal() {
            console.progress("reading the arguments from standard input");
        }
        signature.stream("standard input", &files::read_stdin()?)?
    } else {
        signature.arguments(&words)?
    };
    let start = Instant::now();
    let result = driver::run(checked, entry.name, values, args.threads.map(usize::from))?;
    let seconds = start.elapsed();
    if args.time_passes {
        let run = format!("{:<12} {:>10.3} ms", "run", seconds.as_secs_f64() * 1e3);
        console.progress(&format!("{}{run}", checked.stats.times()));
    }
    write_result(args, &result, checked.remc.is_some(), console)
}

/// The definition of this name in core.
fn find_define(loaded: &Loaded, name: Symbol) -> Option<&Define> {
    loaded.checked.core.defs.iter().rfind(|define| define.name == name)
}

/// `core` says that the program is core, whose notation shows boxes.
fn write_result(args: &RunArgs, result: &crate::runtime::Value, core: bool, console: &mut Console) -> Result<(), Box<Diagnostic>> {
    match (&args.output, args.binary) {
        (Some(path), _) => values::save(path, result),
        (None, true) => {
            let bytes = data::binary::write(result);
            let refuse = || Box::new(Diagnostic::bare("E0603", "the binary format holds scalars and arrays of scalars only"));
            console.print(bytes.ok_or_else(refuse)?);
            Ok(())
        }
        (None, false) => {
            console.print(if core { values::show_core(result) } else { values::show(result) });
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
    let core = loaded.checked.remc.is_some();
    let mut known: Vec<&str> = own().filter(|d| d.entry || core).map(|d| loaded.checked.source_name(d.name).as_str()).collect();
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
