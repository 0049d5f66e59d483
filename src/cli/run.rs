//! `remora run FILE [-e ENTRY] [ARG...]`.

use super::build::NOT_STRICT;
use super::native::bundle::Bundle;
use super::output::Console;
use super::program::{Loaded, load_accepted};
use super::values::{self, Signature};
use super::{FAILURE, Outcome, SUCCESS, SourceArg, entries, files, native, plot, unshield};
use crate::base::Symbol;
use crate::base::{Code, FileId};
use crate::diag::Diagnostic;
pub(super) use crate::driver::backends::Backend;
use crate::driver::backends::{self, Facts, Runner};
use crate::driver::{self, Checked, is_apl};
use crate::front::resolve::closest;
use crate::interp::entry::Shape as EntryShape;
use crate::ir::core::{Atom, Define, Type};
use crate::runtime::{Value, data};
use clap::builder::PossibleValue;
use clap::{Args, ValueEnum};
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// What the help of commands and of built programs says of arguments.
macro_rules! arguments_help {
    () => {
        "\
Arguments are literals, .npy files, .png images, tables (.csv, .tsv), or files in Futhark's text or binary format. Without any, values come
from standard input. A table is a matrix, or a record of vectors with the names of its columns; table.csv:NAME is one column. Options may
stand before or after arguments; `-3` is a value. Those of APL scripts are written as in APL: `3`, `'1.5 ¯2 4'`, `\"'text'\"`."
    };
}

/// What stands below the options of a program that was built.
pub(super) const BUILT_HELP: &str = arguments_help!();

/// Run an entry point
#[derive(Debug, Clone, Args)]
#[command(
    after_help = concat!(
        arguments_help!(),
        "

Examples:
  remora run program.rem '[1, 2, 3]' -3
  remora run program.rem -e norm vector.npy
  remora run program.rem a.npy b.npy -o result.npy
  remora run life.apl board.npy 100
  remora run script.apl -e mean '1.5 ¯2 4'
  remora run blur.rem photo.png -o blurred.png
  remora run returns.rem prices.csv:close -o returns.csv
  echo '[1.0, 2.0]' | remora run program.rem -e mean

The C compiler `cc` (or the one named in CC) compiles the program; the options in REMORA_CFLAGS follow those of remora. Compiled programs
are kept in the user's cache folder, or in the folder REMORA_CACHE. When the cache exceeds 1 GiB (or REMORA_CACHE_LIMIT MiB), the entries
that were not used for the longest time are deleted. A cache that belongs to another user, or that others can write to, is not used.

Remora tests each new C compiler with small loops, which takes a second. If the compiled loops compute wrong results, or the compiler fails on
a program, remora uses less optimisation (-O3; -O2 without vectors; -O1; -O0) and prints a note.

`--backend auto` uses the CUDA device of the machine if that is estimated to be faster than the processors. The estimate compares the work
of the program, as far as it follows from the program and the sizes of its arguments, at 1e9 operations per second and thread, with the
time of the device: its start (0.4 s, or the seconds in REMORA_CUDA_START), the transfer of arguments and results (8 GB/s) and the launches
(10 us each). `--time-passes` prints the choice and the reason. Without a device, or if the device fails, processors run the program."
    )
)]
pub(super) struct RunArgs {
    #[command(flatten)]
    what: RunOptions,
    /// Write the result to a .npy, .png, .csv or .tsv file; several results to NAME.0.npy, NAME.1.npy, .., or as the columns of a table;
    /// to a .svg file as `remora plot` draws them
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Write results to standard output in Futhark's binary format
    #[arg(long)]
    binary: bool,
    /// Print the result of an APL script as literals of the surface language
    #[arg(long)]
    values: bool,
}

/// What is run, and on what: the options that `run`, `bench` and `tune` share.
#[derive(Debug, Clone, Args)]
pub(super) struct Subject {
    #[command(flatten)]
    pub source: SourceArg,
    /// Arguments: literals or files
    #[arg(value_name = "ARG")]
    pub args: Vec<String>,
    /// The entry point (default: `main`, or the only one; in core the last expression of the file)
    #[arg(short, long, value_name = "NAME")]
    pub entry: Option<String>,
    /// The back end that runs the program
    #[arg(long, value_enum, default_value = "auto", value_name = "BACKEND")]
    pub backend: Backend,
    /// The number of threads (default: one per processor)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub threads: Option<u16>,
    /// The number of the CUDA device (default: that in REMORA_CUDA_DEVICE, or 0)
    #[arg(long, value_name = "N")]
    pub device: Option<u32>,
}

/// What is run, and how.
#[derive(Debug, Clone, Args)]
pub(super) struct RunOptions {
    #[command(flatten)]
    subject: Subject,
    /// Make results equal to the evaluator's to the last bit (except for cbrt, asinh, acosh, atanh, gamma, lgamma, erf, erfc and inverse functions of complex numbers,
    /// which the C library computes differently)
    #[arg(long)]
    strict_fp: bool,
    /// Print how long each pass and the run took to standard error
    #[arg(long)]
    time_passes: bool,
}

impl ValueEnum for Backend {
    fn value_variants<'a>() -> &'a [Backend] {
        &[Backend::Auto, Backend::Interp, Backend::Cpu, Backend::Cuda]
    }
    fn to_possible_value(&self) -> Option<PossibleValue> {
        let (name, help) = match self {
            Backend::Auto => ("auto", "Compile the program if possible, for processors or a device, whichever is likely to be faster"),
            Backend::Interp => ("interp", "Evaluate core, without compiling it"),
            Backend::Cpu => ("cpu", "Compile the program through C, for all processors"),
            Backend::Cuda => ("cuda", "Compile the program for the CUDA device of this machine"),
        };
        Some(PossibleValue::new(name).help(help))
    }
}

impl RunOptions {
    /// The file of the program.
    pub(super) fn file(&self) -> &Path {
        &self.subject.source.file
    }

    fn options(&self, strict: bool) -> native::Options {
        native::Options { threads: self.subject.threads.map_or(0, usize::from), strict }
    }
}

/// What is done with a result, and with the program and the entry point that it comes from.
type Then<'a> = &'a mut dyn FnMut(&Loaded, &Define, &Value, &mut Console) -> Result<(), Box<Diagnostic>>;

/// What is done with a result alone.
type AndThen<'a> = &'a mut dyn FnMut(&Value, &mut Console) -> Result<(), Box<Diagnostic>>;

pub(super) fn run(args: &RunArgs, console: &mut Console) -> Outcome {
    run_then(&args.what, console, &mut |loaded, entry, result, console| written(args, loaded, entry, result, console))
}

/// Runs an entry point, and does this with its result.
pub(super) fn run_and(args: &RunOptions, console: &mut Console, then: AndThen) -> Outcome {
    run_then(args, console, &mut |_, _, result, console| then(result, console))
}

fn run_then(args: &RunOptions, console: &mut Console, then: Then) -> Outcome {
    if is_apl(&args.subject.source.file.to_string_lossy()) && !args.subject.args.is_empty() {
        let words: Vec<&str> = args.subject.args.iter().map(|arg| unshield(arg)).collect();
        let Some((loaded, words)) = super::apl::load(&args.subject.source.file, name_of(args), &words, console)? else {
            return Ok(FAILURE);
        };
        let subject = Subject { args: words, entry: Some(name_of(args).to_string()), ..args.subject.clone() };
        let given = RunOptions { subject, ..args.clone() };
        return run_loaded(&given, loaded, None, console, then);
    }
    let Some(loaded) = load_accepted(&args.subject.source.file, console)? else { return Ok(FAILURE) };
    run_loaded(args, loaded, None, console, then)
}

/// Runs the program that this one carries.
pub(super) fn run_bundle(args: &RunArgs, bundle: &Bundle, console: &mut Console) -> Outcome {
    let loaded = bundle.load();
    let name = args.what.subject.entry.as_deref().unwrap_or_else(|| default_entry(&loaded));
    if !bundle.entries().iter().any(|entry| loaded.checked.source_name(*entry).as_str() == name) {
        return Err(bundle.unknown(name));
    }
    let then: Then = &mut |loaded, entry, result, console| written(args, loaded, entry, result, console);
    run_loaded(&args.what, loaded, Some(bundle), console, then)
}

fn run_loaded(args: &RunOptions, mut loaded: Loaded, bundle: Option<&Bundle>, console: &mut Console, then: Then) -> Outcome {
    if let Err(diagnostic) = give_numbers(&mut loaded) {
        console.report(&loaded.sources, &diagnostic);
        return Ok(FAILURE);
    }
    match execute(args, &loaded, bundle, console, then) {
        Ok(()) => Ok(SUCCESS),
        Err(diagnostic) => {
            console.report(&loaded.sources, &diagnostic);
            Ok(FAILURE)
        }
    }
}

/// Gives a program of core that reads numbers those on standard input.
pub(super) fn give_numbers(loaded: &mut Loaded) -> Result<(), Box<Diagnostic>> {
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
                return Err(Box::new(
                    Diagnostic::bare(Code::MalformedData, message).help("`read-nums` reads whole numbers with blanks between them"),
                ));
            }
        }
    }
    loaded.checked.give_numbers(numbers);
    Ok(())
}

fn execute(args: &RunOptions, loaded: &Loaded, bundle: Option<&Bundle>, console: &mut Console, then: Then) -> Result<(), Box<Diagnostic>> {
    let checked = &loaded.checked;
    let (entry, signature) = chosen(loaded, args.subject.entry.as_deref())?;
    let values = match args.subject.args.is_empty() && checked.reads_numbers() {
        true => signature.arguments(&[])?,
        false if bundle.is_some() && checked.apl.is_some() => {
            let words: Vec<String> = args.subject.args.iter().map(|arg| unshield(arg).to_string()).collect();
            read_arguments(&super::apl::literals(entry, &words), &signature, console)?
        }
        false => read_arguments(&args.subject.args, &signature, console)?,
    };
    let compiled = compile(args, loaded, bundle, entry, &values, console)?;
    let made = compiled.as_ref().map(|program| program.times().clone()).unwrap_or_default();
    let start = Instant::now();
    let result = match compiled {
        Some(program) => call(args, loaded, entry, &program, values, console)?,
        None => driver::run(checked, entry.name, values, args.subject.threads.map(usize::from))?,
    };
    let seconds = start.elapsed();
    if args.time_passes {
        let steps: Vec<_> = checked.stats.times().into_iter().chain(made).chain([("run", seconds)]).collect();
        console.progress(driver::times_table(&steps).trim_end());
    }
    then(loaded, entry, &result, console)
}

/// Writes a result as was asked for.
fn written(args: &RunArgs, loaded: &Loaded, entry: &Define, result: &Value, console: &mut Console) -> Result<(), Box<Diagnostic>> {
    let checked = &loaded.checked;
    let plain = args.output.is_none() && !args.binary && !args.values;
    if let Some(text) = super::apl::shown(checked, entry.name, result).filter(|_| plain) {
        console.print(text);
        return Ok(());
    }
    write_result(args, result, checked.remc.is_some(), console)
}

/// The entry point of this name, or else `main`, or in core the last expression of the file; and what it takes. It can be run.
pub(super) fn chosen<'a>(loaded: &'a Loaded, name: Option<&str>) -> Result<(&'a Define, Signature), Box<Diagnostic>> {
    let checked = &loaded.checked;
    let entry = match (name, checked.remc.as_ref().and_then(|remc| remc.last)) {
        (None, Some(last)) => {
            find_define(loaded, last).ok_or_else(|| Box::new(Diagnostic::bare(Code::UnknownDefinition, "there is no expression")))?
        }
        (name, _) => find_entry(loaded, name.unwrap_or_else(|| default_entry(loaded)))?,
    };
    let signature = Signature::of(checked, entry)?;
    if checked.remc.is_none() && values::result_shapes(entry).contains(&EntryShape::Other) {
        let called = checked.source_name(entry.name);
        let message = format!("`{called}` cannot be run from outside: its result is, or has in it, a function or an array of boxes");
        return Err(Box::new(
            Diagnostic::error(Code::NotRunnable, entry.span, message)
                .help("return data: scalars, regular arrays, tuples, records or sums of these"),
        ));
    }
    Ok((entry, signature))
}

/// Runs an entry point. Where a device was taken for being the fastest and fails, processors run it.
fn call(
    args: &RunOptions,
    loaded: &Loaded,
    entry: &Define,
    program: &native::Program,
    values: Vec<Value>,
    console: &mut Console,
) -> Result<Value, Box<Diagnostic>> {
    let names = loaded.checked.parameter_names(entry.name);
    // A device that was not asked for may be answered by processors.
    let chosen = args.subject.backend == Backend::Auto && program.device().is_some();
    let again = if chosen { values.clone() } else { Vec::new() };
    let tried = if program.device().is_some() { Runner::Device } else { Runner::Processors };
    let failure = match program.call(entry, &names, values) {
        Err(failure) if chosen => failure,
        other => return other,
    };
    match backends::next(args.subject.backend, tried, &failure) {
        Some((Runner::Processors, note)) => {
            console.progress(&note);
            native::prepare(loaded, &[entry.name], &args.options(args.strict_fp), None)?.call(entry, &names, again)
        }
        Some((Runner::Evaluator | Runner::Device | Runner::Fastest, _)) | None => Err(failure),
    }
}

/// The definition of this name in core.
fn find_define(loaded: &Loaded, name: Symbol) -> Option<&Define> {
    loaded.checked.core.defs.iter().rfind(|define| define.name == name)
}

/// The name of the entry point of a script.
fn name_of(args: &RunOptions) -> &str {
    args.subject.entry.as_deref().unwrap_or("main")
}

/// Whether there are boxes in a type.
fn has_boxes(ty: &Type) -> bool {
    match ty.atom() {
        Atom::Sigma(..) => true,
        Atom::Fun(_, ret) => has_boxes(ret),
        Atom::Forall(_, body) | Atom::Pi(_, body) => has_boxes(body),
        Atom::Tuple(parts) => parts.iter().any(has_boxes),
        Atom::Record(parts) | Atom::Sum(parts) => parts.iter().any(|(_, part)| has_boxes(part)),
        Atom::Prim(_) | Atom::Var(_) => false,
    }
}

/// The compiled program; nothing if the evaluator runs it. [`backends`] decides.
fn compile(
    args: &RunOptions,
    loaded: &Loaded,
    bundle: Option<&Bundle>,
    entry: &Define,
    values: &[Value],
    console: &mut Console,
) -> Result<Option<native::Program>, Box<Diagnostic>> {
    let facts = Facts {
        // The notation of core shows boxes.
        shows_boxes: loaded.checked.remc.is_some() && has_boxes(&entry.ty),
        traced: loaded.checked.core.attributes.traces.iter().any(|(span, _)| span.file == loaded.root),
        built: bundle.map(|bundle| if bundle.cuda() { Runner::Device } else { Runner::Processors }),
    };
    let (runner, note) = backends::first(args.subject.backend, facts);
    if let Some(note) = note {
        console.progress(note);
    }
    let options = args.options(bundle.map_or(args.strict_fp, Bundle::strict));
    let bundle = bundle.filter(|bundle| bundle.cuda() == (runner == Runner::Device));
    let entries = bundle.map_or_else(|| vec![entry.name], Bundle::entries);
    let made = bundle.and_then(Bundle::made).unwrap_or_default();
    let program = match runner {
        Runner::Evaluator => return Ok(None),
        Runner::Device => {
            if args.strict_fp {
                console.progress(NOT_STRICT);
            }
            native::prepare_on(loaded, &entries, args.subject.device, made)
        }
        Runner::Processors => native::prepare(loaded, &entries, &options, made.library),
        Runner::Fastest => fastest(args, loaded, entry, values, &options, console),
    };
    let failure = match program {
        Ok(program) => return Ok(Some(program)),
        Err(failure) => failure,
    };
    match backends::next(args.subject.backend, runner, &failure) {
        Some((Runner::Evaluator, note)) => {
            console.progress(&note);
            Ok(None)
        }
        // A device that was asked for, or that the program was built for, has to be there.
        Some((Runner::Processors | Runner::Device | Runner::Fastest, _)) | None => Err(failure),
    }
}

/// The program for what is likely to be the fastest.
fn fastest(
    args: &RunOptions,
    loaded: &Loaded,
    entry: &Define,
    values: &[Value],
    options: &native::Options,
    console: &mut Console,
) -> Result<native::Program, Box<Diagnostic>> {
    let (program, reason) = native::choice::prepare(loaded, entry, values, options, args.subject.device)?;
    if args.time_passes {
        let taken = program.device().map_or_else(|| "cpu".to_string(), |device| format!("cuda ({device})"));
        console.progress(&format!("backend: {taken}; {}", reason.text));
    } else if reason.warning {
        console.progress(&format!("note: {}", reason.text));
    }
    Ok(program)
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

/// `core` says that the program is core, whose notation shows boxes.
fn write_result(args: &RunArgs, result: &Value, core: bool, console: &mut Console) -> Result<(), Box<Diagnostic>> {
    match (&args.output, args.binary) {
        (Some(path), _) if path.extension().is_some_and(|end| end.eq_ignore_ascii_case("svg")) => plot::save(path, result, console),
        (Some(path), _) => values::save(path, result),
        (None, true) => {
            let bytes = data::binary::write(result);
            let refuse =
                || Box::new(Diagnostic::bare(Code::UnwritableResult, "the binary format holds scalars and arrays of scalars only"));
            console.print(bytes.ok_or_else(refuse)?);
            Ok(())
        }
        (None, false) => {
            console.print(if core { values::show_core(result) } else { values::show(result) });
            Ok(())
        }
    }
}

/// The entry point that runs where none is named: `main`, or the only one of the file.
pub(super) fn default_entry(loaded: &Loaded) -> &str {
    let Loaded { checked, root, .. } = loaded;
    let own = || checked.core.defs.iter().filter(|define| define.span.file == *root);
    let main = own().any(|define| checked.source_name(define.name).as_str() == "main");
    let mut declared = own().filter(|define| checked.declares_entry(define.name));
    match (declared.next(), declared.next()) {
        (Some(only), None) if !main => checked.source_name(only.name).as_str(),
        _ => "main",
    }
}

/// The entry point of this name in the file itself. A definition that is not declared as one may be run as well.
pub(super) fn find_entry<'a>(loaded: &'a Loaded, name: &str) -> Result<&'a Define, Box<Diagnostic>> {
    find_entry_in(&loaded.checked, loaded.root, name)
}

/// `find_entry` for the file `root` of a program.
pub(super) fn find_entry_in<'a>(checked: &'a Checked, root: FileId, name: &str) -> Result<&'a Define, Box<Diagnostic>> {
    let Checked { core, .. } = checked;
    let symbol = Symbol::new(name);
    let own = || core.defs.iter().filter(|define| define.span.file == root);
    let named = |define: &&Define| checked.source_name(define.name) == symbol;
    // An entry point is not hidden by a later definition that is none.
    let declared = |define: &&Define| named(define) && checked.declares_entry(define.name);
    if let Some(define) = own().rfind(declared).or_else(|| own().rfind(named)) {
        return Ok(define);
    }
    let core = checked.remc.is_some();
    let names = |wanted: &dyn Fn(&&Define) -> bool| -> Vec<&str> {
        let mut names: Vec<&str> = own().filter(wanted).map(|d| checked.source_name(d.name).as_str()).collect();
        names.sort_unstable();
        names.dedup();
        names
    };
    // Definitions that help entry points are listed only where there is nothing else.
    let all = names(&|d| d.entry || core);
    let declared = names(&|d| checked.declares_entry(d.name));
    let known = if declared.is_empty() { &all } else { &declared };
    let mut diagnostic = entries::unknown(Code::UnknownDefinition, "entry point", name, known.iter().copied());
    if diagnostic.help.is_empty() {
        diagnostic.help.extend(closest(name, all.iter().copied()).map(|other| format!("did you mean `{other}`?")));
    }
    if name == "main" && !known.is_empty() {
        let help = if let [one] = known.as_slice() { format!("name it: `-e {one}`") } else { "choose one with `-e NAME`".to_string() };
        diagnostic.help.insert(0, help);
    }
    Err(Box::new(diagnostic))
}

/// The folder of a program: paths in it are relative to that.
pub(super) fn folder(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new(""))
}
