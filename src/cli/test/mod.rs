//! `remora test FILE...`: runs the expectations in the comments of programs.

pub mod blocks;
pub mod compare;

use super::output::Console;
use super::program::{Loaded, load};
use super::run::{find_entry, folder};
use super::values::{self, Signature};
use super::{FAILURE, Outcome, SUCCESS, files, native};
use crate::base::{SourceMap, Span, Symbol};
use crate::diag::{self, Diagnostic};
use crate::driver;
use crate::runtime::{Value, data};
use blocks::{Block, Case, Data, Expect};
use clap::{Args, ValueEnum};
use regex::Regex;
use std::path::{Path, PathBuf};

/// Run the expectations in the programs' comments (`-- ==` blocks, in core `; ==`)
#[derive(Debug, Args)]
#[command(after_help = "A block is a comment:
  -- ==
  -- entry: f
  -- input { [1, 2, 3] 2i64 } output { [2, 4, 6] }
  -- \"too far\" input { [1] 5i64 } error: out of bounds

Without `input`, `error: regex` says how the program is refused. `tags { slow }` marks a block.

Examples:
  remora test program.rem
  remora test tests/*.rem --exclude slow
  remora test program.rem --entry f")]
pub(super) struct TestArgs {
    /// Programs
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Only this entry point (may be repeated)
    #[arg(long, value_name = "NAME")]
    entry: Vec<String>,
    /// Only blocks with this tag (may be repeated)
    #[arg(long, value_name = "TAG")]
    tag: Vec<String>,
    /// No blocks with this tag (may be repeated)
    #[arg(long, value_name = "TAG")]
    exclude: Vec<String>,
    /// What runs the programs
    #[arg(long, value_enum, default_value = "interp", value_name = "BACKEND")]
    backend: Backend,
    /// Threads of the evaluator (default: one per processor)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
    /// Compile so that floating-point results are the same to the last bit as the evaluator's, and check that they are
    #[arg(long)]
    strict_fp: bool,
    /// Name every case that passes
    #[arg(short, long)]
    verbose: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Backend {
    /// The evaluator of core
    Interp,
    /// The evaluator of specialised programs
    Soac,
    /// The evaluator of programs whose parallelism is in kernels
    Kernel,
    /// Compiled by way of C
    Cpu,
    /// Compiled for a device
    Cuda,
}

/// What is wrong with a case.
struct Problem {
    /// Where it is written.
    span: Option<Span>,
    text: String,
}

/// Counts and prints.
struct Tally<'a> {
    console: &'a mut Console,
    verbose: bool,
    passed: usize,
    failed: usize,
    skipped: usize,
}

/// How a case went that has no problem.
enum Ran {
    /// It passed.
    Passed,
    /// The back end cannot run it, and says so.
    Skipped(String),
}

impl Tally<'_> {
    fn note(&mut self, sources: &SourceMap, name: &str, result: Result<Ran, Problem>) {
        match result {
            Ok(Ran::Skipped(why)) => {
                self.skipped += 1;
                self.console.print(format!("skipped {name}: {why}\n"));
            }
            Ok(Ran::Passed) => {
                self.passed += 1;
                if self.verbose {
                    self.console.print(format!("ok      {name}\n"));
                }
            }
            Err(problem) => {
                self.failed += 1;
                let place = problem.span.map(|span| format!(" ({})", sources.place(span))).unwrap_or_default();
                let text = problem.text.trim_end().replace('\n', "\n        ");
                self.console.print(format!("FAILED  {name}{place}\n        {text}\n"));
            }
        }
    }
}

pub(super) fn run(args: &TestArgs, console: &mut Console) -> Outcome {
    let mut tally = Tally { console, verbose: args.verbose, passed: 0, failed: 0, skipped: 0 };
    for file in &args.files {
        run_file(args, file, &mut tally)?;
    }
    let (passed, failed, skipped) = (tally.passed, tally.failed, tally.skipped);
    if passed + failed + skipped == 0 {
        console.progress(
            "note: nothing was run: no `-- ==` block fits (an empty line ends a block; names of entry points are those of `entry:`)",
        );
    }
    let skipped = if skipped == 0 { String::new() } else { format!(", {skipped} skipped") };
    console.print(format!("{passed} passed, {failed} failed{skipped}\n"));
    Ok(if failed == 0 && console.errors() == 0 { SUCCESS } else { FAILURE })
}

fn run_file(args: &TestArgs, path: &Path, tally: &mut Tally) -> Result<(), Box<Diagnostic>> {
    let loaded = match load(path) {
        Ok(loaded) => loaded,
        Err(diagnostic) => {
            tally.console.report(&SourceMap::default(), &diagnostic);
            return Ok(());
        }
    };
    let text = loaded.sources.file(loaded.root).text.clone();
    let (blocks, problems) = blocks::blocks(loaded.root, &text, mark(&loaded));
    tally.console.report_all(&loaded.sources, &problems);
    let wanted = |block: &&Block| {
        (args.tag.is_empty() || block.tags.iter().any(|tag| args.tag.contains(tag)))
            && !block.tags.iter().any(|tag| args.exclude.contains(tag))
    };
    let name = files::shown(path);
    let mut refusals = blocks.iter().filter(wanted).filter_map(|block| Some((block, block.refused.as_deref()?))).peekable();
    if refusals.peek().is_none() && loaded.checked.failed() {
        let text = rendered(&loaded, &loaded.checked.diagnostics);
        tally.note(&loaded.sources, &name, Err(Problem { span: None, text: format!("the program is refused:\n{text}") }));
        return Ok(());
    }
    for (block, pattern) in refusals {
        tally.note(&loaded.sources, &format!("{name}: refused"), refused(&loaded, block, pattern).map(|()| Ran::Passed));
    }
    if loaded.checked.failed() {
        return Ok(());
    }
    let wanted: Vec<&Block> = blocks.iter().filter(wanted).collect();
    let native = if matches!(args.backend, Backend::Cpu | Backend::Cuda) { compile(args, &loaded, &wanted) } else { Vec::new() };
    for block in wanted {
        run_block(args, &Subject { path, loaded: &loaded, native: &native }, block, tally);
    }
    Ok(())
}

/// A program under test.
struct Subject<'a> {
    path: &'a Path,
    loaded: &'a Loaded,
    native: &'a [Compiled],
}

/// A compiled program with these entry points, or why there is none.
type Compiled = (Vec<Symbol>, Result<native::Program, Box<Diagnostic>>);

/// One compiled program with all entry points that are wanted. If one of them cannot be compiled for a device, each by itself.
fn compile(args: &TestArgs, loaded: &Loaded, blocks: &[&Block]) -> Vec<Compiled> {
    let names = blocks.iter().filter(|block| !block.cases.is_empty()).flat_map(|block| {
        let own: Vec<&str> = block.entries.iter().map(|(name, _)| name.as_str()).collect();
        if own.is_empty() { vec!["main"] } else { own }
    });
    let mut entries: Vec<Symbol> = names.filter_map(|name| Some(find_entry(loaded, name).ok()?.name)).collect();
    entries.sort_by_key(|name| name.as_str());
    entries.dedup();
    let options = native::Options { threads: args.threads.map_or(0, usize::from), strict: args.strict_fp };
    if args.backend == Backend::Cpu {
        let program = native::prepare(loaded, &entries, &options, None);
        return vec![(entries, program)];
    }
    match native::prepare_cuda(loaded, &entries) {
        Err(diagnostic) if diagnostic.code == "E0802" && entries.len() > 1 => {
            entries.into_iter().map(|entry| (vec![entry], native::prepare_cuda(loaded, &[entry]))).collect()
        }
        program => vec![(entries, program)],
    }
}

fn rendered(loaded: &Loaded, diagnostics: &[Diagnostic]) -> String {
    diagnostics.iter().map(|diagnostic| diag::text::render(&loaded.sources, diagnostic, false)).collect()
}

/// Whether the program is refused with a matching message.
fn refused(loaded: &Loaded, block: &Block, pattern: &str) -> Result<(), Problem> {
    if !loaded.checked.failed() {
        return Err(Problem { span: Some(block.span), text: format!("accepted, expected an error that matches `{pattern}`") });
    }
    matches(pattern, &rendered(loaded, &loaded.checked.diagnostics), block.span)
}

fn matches(pattern: &str, text: &str, span: Span) -> Result<(), Problem> {
    let regex = Regex::new(pattern).map_err(|error| Problem { span: Some(span), text: error.to_string() })?;
    if regex.is_match(text) {
        return Ok(());
    }
    Err(Problem { span: Some(span), text: format!("the error does not match `{pattern}`:\n{text}") })
}

fn run_block(args: &TestArgs, subject: &Subject, block: &Block, tally: &mut Tally) {
    let main = [("main".to_string(), block.span)];
    let entries = if block.entries.is_empty() { &main[..] } else { &block.entries };
    for (entry, span) in entries.iter().filter(|(entry, _)| args.entry.is_empty() || args.entry.contains(entry)) {
        for (number, case) in block.cases.iter().enumerate() {
            let name = format!("{}: {entry} {}", files::shown(subject.path), case.name);
            let result = run_case(args, subject, (entry, *span), case, number as u64);
            tally.note(&subject.loaded.sources, &name, result);
        }
    }
}

/// Runs one case and compares.
fn run_case(args: &TestArgs, subject: &Subject, entry: (&str, Span), case: &Case, seed: u64) -> Result<Ran, Problem> {
    let Subject { path, loaded, native } = *subject;
    let wrong = |span: Span| move |text: String| Problem { span: Some(span), text };
    let says = |diagnostic: Box<Diagnostic>| rendered(loaded, &[*diagnostic]);
    let define = find_entry(loaded, entry.0).map_err(|d| wrong(entry.1)(says(d)))?;
    let names = loaded.checked.parameter_names(define.name);
    let signature = Signature::new(define, &names).map_err(|d| wrong(entry.1)(says(d)))?;
    let values = input(path, &signature, &case.input, seed).map_err(|d| wrong(case.span)(says(d)))?;
    let oracle = (args.backend == Backend::Cpu && args.strict_fp)
        .then(|| driver::run(&loaded.checked, define.name, values.clone(), args.threads.map(usize::from)));
    let result = match args.backend {
        Backend::Interp => driver::run(&loaded.checked, define.name, values, args.threads.map(usize::from)),
        Backend::Soac => driver::run_soac(&loaded.sources, &loaded.checked, define.name, values),
        Backend::Kernel => driver::run_kernels(&loaded.sources, &loaded.checked, define.name, values),
        Backend::Cpu | Backend::Cuda => match native.iter().find(|(entries, _)| entries.contains(&define.name)).map(|(_, program)| program)
        {
            Some(Ok(program)) => program.call(define, &names, values),
            Some(Err(diagnostic)) if diagnostic.code == "E0802" => return Ok(Ran::Skipped(diagnostic.message.clone())),
            Some(Err(diagnostic)) => Err(diagnostic.clone()),
            None => Err(Box::new(Diagnostic::bare("E0615", "nothing was compiled"))),
        },
    };
    if let (Some(Ok(want)), Ok(got)) = (&oracle, &result) {
        let (want, got) = (values::show(want), values::show(got));
        if want != got {
            return Err(wrong(case.span)(format!("not the same to the last bit: {got}the evaluator's result is\n{want}")));
        }
    }
    let met = match (&case.expect, result) {
        (Expect::Success, Ok(_)) => Ok(()),
        (Expect::Success | Expect::Values(_), Err(d)) => Err(wrong(case.span)(format!("it fails:\n{}", says(d)))),
        (Expect::Failure(pattern), Err(d)) => matches(pattern, &says(d), case.span),
        (Expect::Failure(pattern), Ok(value)) => {
            Err(wrong(case.span)(format!("expected an error that matches `{pattern}`, got\n{}", values::show(&value))))
        }
        (Expect::Values(want), Ok(got)) => expected(path, want, &got).map_err(wrong(case.span)),
    };
    met.map(|()| Ran::Passed)
}

fn input(path: &Path, signature: &Signature, input: &Data, seed: u64) -> Result<Vec<Value>, Box<Diagnostic>> {
    match input {
        Data::Text(text, _) => signature.stream("the input", text.as_bytes()),
        Data::File(name, _) => signature.stream(&format!("`{name}`"), &files::read(&folder(path).join(name))?),
        Data::Random(types, _) => {
            let values = types.iter().enumerate().map(|(i, ty)| {
                let bad =
                    || Box::new(Diagnostic::bare("E0610", format!("no random value of the type `{}` can be made", ty.escape_debug())));
                values::random(ty, seed * 1000 + i as u64).ok_or_else(bad)
            });
            let text = values.collect::<Result<Vec<_>, _>>()?.join("\n");
            signature.stream("the random input", text.as_bytes())
        }
    }
}

/// How comments begin in the language of the program.
fn mark(loaded: &Loaded) -> &'static str {
    if loaded.checked.remc.is_some() { ";" } else { "--" }
}

/// A run that a program's blocks ask for.
#[derive(Debug)]
pub struct Run {
    /// The definition of core.
    pub name: Symbol,
    /// Its arguments.
    pub arguments: Vec<Value>,
}

/// All runs that the blocks of an accepted program ask for, for tests that compare evaluators.
pub fn runs(path: &Path, loaded: &Loaded) -> Result<Vec<Run>, Box<Diagnostic>> {
    let text = loaded.sources.file(loaded.root).text.clone();
    let (blocks, _) = blocks::blocks(loaded.root, &text, mark(loaded));
    let mut runs = Vec::new();
    for block in &blocks {
        let main = [("main".to_string(), block.span)];
        for (entry, _) in if block.entries.is_empty() { &main[..] } else { &block.entries } {
            for (number, case) in block.cases.iter().enumerate() {
                let define = find_entry(loaded, entry)?;
                let signature = Signature::new(define, &loaded.checked.parameter_names(define.name))?;
                runs.push(Run { name: define.name, arguments: input(path, &signature, &case.input, number as u64)? });
            }
        }
    }
    Ok(runs)
}

/// Compares results with those in a block: read with the types that the results have.
fn expected(path: &Path, want: &Data, got: &Value) -> Result<(), String> {
    let says = |diagnostic: Box<Diagnostic>| diag::text::render(&SourceMap::default(), &diagnostic, false);
    let (source, bytes) = match want {
        Data::Text(text, _) => ("the expected output".to_string(), text.clone().into_bytes()),
        Data::File(name, _) => (format!("`{name}`"), files::read(&folder(path).join(name)).map_err(says)?),
        Data::Random(..) => return Err("an output cannot be random".into()),
    };
    let mut stream = data::Stream::new(&source, &bytes);
    let results = data::results(got);
    for (i, got) in results.iter().enumerate() {
        let what = if results.len() == 1 { "the result".to_string() } else { format!("result {i}") };
        let Some(prim) = element(got) else { return Err(format!("{what} cannot be compared: {got:?}")) };
        let want = stream.next(&data::Expected::new(&what, prim, got.dims().len())).map_err(says)?;
        if let Some(difference) = compare::difference(&want, got) {
            return Err(format!("{what} is {difference}"));
        }
    }
    stream.finish(results.len()).map_err(says)
}

/// The element type of a scalar or an array of scalars.
fn element(value: &Value) -> Option<crate::base::PrimType> {
    match value {
        Value::Scalar(scalar) => Some(scalar.prim()),
        Value::Array(array) => Some(array.prim()),
        _ => None,
    }
}
