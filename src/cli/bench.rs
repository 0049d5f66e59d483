//! `remora bench FILE -e ENTRY ARGS`: how long an entry point takes, files and conversions not counted.

use super::native::{self, Prepared};
use super::output::{Console, counted, json};
use super::program::{Loaded, load_accepted, load_untuned};
use super::run::{Backend, Subject, default_entry, find_entry, read_arguments};
use super::test::worker::again;
use super::values::Signature;
use super::{FAILURE, Outcome, SUCCESS, files};
use crate::base::Code;
use crate::diag::Diagnostic;
use crate::driver;
use crate::interp;
use crate::ir::core::Define;
use crate::runtime::Value;
use clap::Args;
use serde::Serialize;
use std::io::IsTerminal;
use std::time::{Duration, Instant};

/// Measure how long an entry point takes
#[derive(Debug, Args)]
#[command(
    after_help = "The entry point runs once to warm up, then at least 10 times and for at least 2 seconds. The measured time includes allocating the results,
but not reading arguments and writing results; with `--backend cuda` arguments and results stay on the device. `--backend auto` chooses as
in `remora run`.

Examples:
  remora bench program.rem -e norm vector.npy
  remora bench program.rem a.npy b.npy --json
  remora bench program.rem a.npy --threads 1 --runs 100"
)]
pub(super) struct BenchArgs {
    #[command(flatten)]
    subject: Subject,
    /// The least number of runs
    #[arg(long, default_value = "10", value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,
    /// The least time to measure
    #[arg(long, default_value = "2", value_name = "SECONDS", value_parser = seconds, allow_hyphen_values = true)]
    seconds: f64,
    /// Make results equal to the evaluator's to the last bit (except for cbrt, asinh, acosh, atanh, gamma, lgamma, erf, erfc and inverse functions of complex numbers,
    /// which the C library computes differently)
    #[arg(long)]
    strict_fp: bool,
    /// Write the results as one JSON object
    #[arg(long)]
    json: bool,
    /// Numbers that take the place of those in the program's tuning
    #[arg(long, hide = true, value_name = "NAME=VALUE")]
    tuned: Vec<String>,
    /// Measures, for another process
    #[arg(long, hide = true)]
    worker: bool,
}

/// Any number; those without a meaning are refused with a code.
fn seconds(text: &str) -> Result<f64, String> {
    super::unshield(text).parse().map_err(|_| "a number of seconds is needed".to_string())
}

/// The longest time that is measured: a day.
const MOST_SECONDS: f64 = 86_400.0;

/// What is measured, and how.
struct Measured<'a> {
    args: &'a BenchArgs,
    entry: &'a str,
}

/// What was measured.
#[derive(Debug, Serialize)]
struct Report {
    entry: String,
    backend: &'static str,
    threads: usize,
    runs: usize,
    median_seconds: f64,
    min_seconds: f64,
    max_seconds: f64,
    bytes_per_second: f64,
    peak_bytes: i64,
}

pub(super) fn run(args: &BenchArgs, console: &mut Console) -> Outcome {
    if !(args.seconds >= 0.0 && args.seconds <= MOST_SECONDS) {
        let message = format!("`--seconds {}`: a number of seconds from 0 to {MOST_SECONDS} is expected", args.seconds);
        return Err(Box::new(Diagnostic::bare(Code::OptionValue, message)));
    }
    if !args.worker {
        return apart(args);
    }
    let load = if args.tuned.is_empty() { load_accepted } else { load_untuned };
    let Some(mut loaded) = load(&args.subject.source.file, console)? else { return Ok(FAILURE) };
    for setting in &args.tuned {
        loaded.checked.tuning.setting(setting).map_err(|why| Box::new(Diagnostic::bare(Code::OptionValue, why)))?;
    }
    let entry = args.subject.entry.clone().unwrap_or_else(|| default_entry(&loaded).to_string());
    match measure(&Measured { args, entry: &entry }, &loaded, console) {
        Ok(report) => {
            console.print(if args.json { json(&report) } else { text(&report) });
            Ok(SUCCESS)
        }
        Err(diagnostic) => {
            console.report(&loaded.sources, &diagnostic);
            Ok(FAILURE)
        }
    }
}

/// Measures in a process of its own, so that there is a word about a program that crashes.
fn apart(args: &BenchArgs) -> Outcome {
    let crashed = |why: String| Box::new(Diagnostic::bare(Code::Crash, why));
    let status = again("bench").and_then(|mut command| command.status());
    let status = status.map_err(|error| crashed(format!("no process can be started that measures: {error}")))?;
    match status.code().and_then(|code| u8::try_from(code).ok()) {
        Some(code) if code <= super::USAGE => Ok(code),
        _ => {
            let entry = args.subject.entry.as_deref().map_or(String::new(), |name| format!("`{name}` of "));
            Err(crashed(format!("the process that ran {entry}`{}` crashed ({status})", files::shown(&args.subject.source.file))))
        }
    }
}

fn text(report: &Report) -> String {
    let Report { entry, backend, .. } = report;
    let (runs, threads) = (counted(report.runs, "run"), counted(report.threads, "thread"));
    format!(
        "{entry}: median {}, min {}, max {} ({runs}, {backend}, {threads})\n{:.2} GB/s of arguments and results, at most {:.1} MB of arrays\n",
        shown(report.median_seconds),
        shown(report.min_seconds),
        shown(report.max_seconds),
        report.bytes_per_second / 1e9,
        report.peak_bytes as f64 / 1e6
    )
}

/// A time with three digits or so.
pub(super) fn shown(seconds: f64) -> String {
    match seconds {
        s if s < 1e-3 => format!("{:.2} us", s * 1e6),
        s if s < 1.0 => format!("{:.3} ms", s * 1e3),
        s => format!("{s:.3} s"),
    }
}

fn measure(measured: &Measured, loaded: &Loaded, console: &mut Console) -> Result<Report, Box<Diagnostic>> {
    let args = measured.args;
    let define = find_entry(loaded, measured.entry)?;
    let signature = Signature::of(&loaded.checked, define)?;
    let values = read_arguments(&args.subject.args, &signature, console)?;
    let threads = args.subject.threads.map_or_else(|| std::thread::available_parallelism().map_or(1, usize::from), usize::from);
    if args.subject.backend == Backend::Interp {
        return interpreted(measured, loaded, define, values, threads, console);
    }
    let options = native::Options { threads, strict: args.strict_fp };
    let program = match args.subject.backend {
        Backend::Cuda => native::prepare_on(loaded, &[define.name], args.subject.device, native::Made::default())?,
        Backend::Auto => native::choice::prepare(loaded, define, &values, &options, args.subject.device)?.0,
        _ => native::prepare(loaded, &[define.name], &options, None)?,
    };
    let fail = |failure: Box<interp::Failure>| Box::new(driver::failed(&failure));
    let names = loaded.checked.parameter_names(define.name);
    let (operands, _) = interp::components::operands(&define.ty, define.name, &values, &names, define.span).map_err(fail)?;
    let prepared: Prepared = program.prepare(define, operands)?;
    let bytes = prepared.measure_bytes()?;
    program.peak_bytes();
    let times = repeat(measured, console, &mut || prepared.time())?;
    let backend = if program.device().is_some() { "cuda" } else { "cpu" };
    Ok(report(measured.entry, backend, threads, times, bytes, program.peak_bytes()))
}

fn interpreted(
    measured: &Measured,
    loaded: &Loaded,
    define: &Define,
    values: Vec<Value>,
    threads: usize,
    console: &mut Console,
) -> Result<Report, Box<Diagnostic>> {
    let arrays = |value: &Value| value.as_array().map_or(0, |array| (array.count() * array.prim().bytes()) as u64);
    let call = || {
        let start = Instant::now();
        let result = driver::run(&loaded.checked, define.name, values.clone(), Some(threads))?;
        Ok((start.elapsed(), result))
    };
    let (_, result): (Duration, Value) = call()?;
    let bytes = values.iter().chain(&crate::runtime::data::results(&result)).map(arrays).sum();
    let times = repeat(measured, console, &mut || call().map(|(time, _)| time))?;
    Ok(report(measured.entry, "interp", threads, times, bytes, 0))
}

/// Times of the runs after the first.
fn repeat(
    Measured { args, entry }: &Measured,
    console: &mut Console,
    once: &mut dyn FnMut() -> Result<Duration, Box<Diagnostic>>,
) -> Result<Vec<f64>, Box<Diagnostic>> {
    once()?;
    let show = std::io::stderr().is_terminal() && !args.json;
    let start = Instant::now();
    let mut times = Vec::new();
    let mut shown = Instant::now();
    while times.len() < args.runs as usize || start.elapsed().as_secs_f64() < args.seconds {
        times.push(once()?.as_secs_f64());
        if show && shown.elapsed() > Duration::from_millis(250) {
            shown = Instant::now();
            console.again(&format!("{entry}: {} runs, {:.1} s", times.len(), start.elapsed().as_secs_f64()));
        }
        if times.len() >= 1_000_000 {
            break;
        }
    }
    Ok(times)
}

fn report(entry: &str, backend: &'static str, threads: usize, mut times: Vec<f64>, bytes: u64, peak_bytes: i64) -> Report {
    times.sort_by(f64::total_cmp);
    let median = times[times.len() / 2];
    Report {
        entry: entry.to_string(),
        backend,
        threads,
        runs: times.len(),
        median_seconds: median,
        min_seconds: times[0],
        max_seconds: times[times.len() - 1],
        bytes_per_second: bytes as f64 / median.max(1e-12),
        peak_bytes,
    }
}
