//! `remora profile FILE -e ENTRY ARGS`: where time and memory go, and why.

use super::bench::shown;
use super::native;
use super::output::Console;
use super::program::{Loaded, load_accepted};
use super::run::{chosen, give_numbers, read_arguments};
use super::{FAILURE, Outcome, SUCCESS, SourceArg, unshield};
use crate::base::SourceMap;
use crate::diag::Diagnostic;
use crate::driver::profile::{At, Measured, Memory, Report, Said, Timed, report};
use crate::driver::{self, is_apl};
use crate::interp;
use clap::Args;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Duration;

/// Say where an entry point spends time and memory, and why
#[derive(Debug, Args)]
#[command(
    after_help = "The program is compiled for processors with counters and looks at the clock between its loops, not in them. It runs once to warm up, then
as often as `--runs` says; what is shown is the run with the median time. Shown are

  - what took the time: maps, reductions, products, loops, calls, each with its place, how often it ran and how many threads were busy;
  - the lines of the program, each with the arrays that are made there, the copies with their reasons, what was fused into what,
    what one thread runs and why, and the products that are not computed in tiles.

Arguments are those of `remora run`.

Examples:
  remora profile program.rem -e norm vector.npy
  remora profile program.rem a.npy b.npy --json
  remora profile program.rem a.npy --threads 1 --runs 10"
)]
pub(super) struct ProfileArgs {
    #[command(flatten)]
    source: SourceArg,
    /// Arguments: literals or files
    #[arg(value_name = "ARG")]
    args: Vec<String>,
    /// The entry point (default: `main`; in core the last expression of the file)
    #[arg(short, long, value_name = "NAME")]
    entry: Option<String>,
    /// The number of threads (default: one per processor)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
    /// The number of runs after the first
    #[arg(short = 'n', long, default_value = "3", value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,
    /// Make results equal to the evaluator's to the last bit, as with `remora run`
    #[arg(long)]
    strict_fp: bool,
    /// Write one JSON object
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &ProfileArgs, console: &mut Console) -> Outcome {
    let mut words = args.args.clone();
    let loaded = match is_apl(&args.source.file.to_string_lossy()) && !words.is_empty() {
        true => {
            let given: Vec<&str> = args.args.iter().map(|arg| unshield(arg)).collect();
            let name = args.entry.as_deref().unwrap_or("main");
            super::apl::load(&args.source.file, name, &given, console)?.map(|(loaded, read)| {
                words = read;
                loaded
            })
        }
        false => load_accepted(&args.source.file, console)?,
    };
    let Some(mut loaded) = loaded else { return Ok(FAILURE) };
    let made = give_numbers(&mut loaded).and_then(|()| profile(args, &words, &loaded, console));
    match made {
        Ok(report) => {
            console.print(if args.json { json(&report) } else { text(&report, &loaded.sources) });
            Ok(SUCCESS)
        }
        Err(diagnostic) => {
            console.report(&loaded.sources, &diagnostic);
            Ok(FAILURE)
        }
    }
}

fn profile(args: &ProfileArgs, words: &[String], loaded: &Loaded, console: &mut Console) -> Result<Report, Box<Diagnostic>> {
    let (define, signature) = chosen(loaded, args.entry.as_deref())?;
    let values = match words.is_empty() && loaded.checked.reads_numbers() {
        true => signature.arguments(&[])?,
        false => read_arguments(words, &signature, console)?,
    };
    let threads = args.threads.map_or_else(|| std::thread::available_parallelism().map_or(1, usize::from), usize::from);
    let options = native::Options { threads, strict: args.strict_fp };
    let (program, recorded) = native::prepare_profiled(loaded, &[define.name], &options)?;
    let fail = |failure: Box<interp::Failure>| Box::new(driver::failed(&failure));
    let names = loaded.checked.parameter_names(define.name);
    let (operands, _) = interp::components::operands(&define.ty, define.name, &values, &names, define.span).map_err(fail)?;
    let prepared = program.prepare(define, operands)?;
    prepared.time()?;
    program.peak_bytes();
    let mut runs: Vec<(Duration, Vec<_>)> = Vec::new();
    for _ in 0..args.runs {
        program.forget_measurements()?;
        let time = prepared.time()?;
        runs.push((time, program.measurements(recorded.sites())?));
    }
    runs.sort_by_key(|(time, _)| *time);
    let (time, rows) = runs.swap_remove((runs.len() - 1) / 2);
    let measured = Measured {
        entry: loaded.checked.source_name(define.name).to_string(),
        threads,
        runs: args.runs as usize,
        seconds: time.as_secs_f64(),
        peak_bytes: program.peak_bytes(),
        probe: program.cost_of_measuring()?,
        rows,
    };
    Ok(report(&loaded.sources, &recorded, &measured))
}

fn json(report: &Report) -> String {
    serde_json::to_string(report).map(|text| text + "\n").unwrap_or_default()
}

fn text(report: &Report, sources: &SourceMap) -> String {
    let mut out = String::new();
    let plural = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
    let runs = if report.runs == 1 { "1 run".to_string() } else { format!("median of {} runs", report.runs) };
    let _ = writeln!(
        out,
        "{}: {} ({runs}, {}), at most {} of arrays",
        report.entry,
        shown(report.seconds),
        plural(report.threads, "thread"),
        bytes(report.peak_bytes)
    );
    if report.measuring_seconds > 0.02 * report.seconds {
        let part = 100.0 * report.measuring_seconds / report.seconds.max(1e-12);
        let _ = writeln!(out, "of that, measuring took about {} ({part:.0} %)", shown(report.measuring_seconds));
    }
    let _ = writeln!(out, "\n{:>10}  {:>6}  {:>5}  {:>8}", "time", "share", "busy", "times");
    for nest in &report.nests {
        let _ = writeln!(out, "{}  {} {}", figures(nest.self_seconds, nest.share, Some((nest.busy, nest.calls))), label(&nest.at), with(nest));
    }
    let share = report.outside_seconds / report.seconds.max(1e-12);
    let _ = writeln!(out, "{}  outside of these", figures(report.outside_seconds, share, None));
    lines(report, sources, &mut out);
    out
}

fn figures(seconds: f64, share: f64, more: Option<(f64, i64)>) -> String {
    let (busy, calls) = more.map_or_else(Default::default, |(busy, calls)| (format!("{busy:.1}"), calls.to_string()));
    format!("{:>10}  {:>4.1} %  {busy:>5}  {calls:>8}", shown(seconds), 100.0 * share)
}

fn label(at: &At) -> String {
    format!("{}:{}:{}", at.file, at.line, at.column)
}

fn bytes(bytes: i64) -> String {
    match bytes as f64 {
        b if b < 1e4 => format!("{bytes} bytes"),
        b if b < 1e6 => format!("{:.1} kB", b / 1e3),
        b if b < 1e9 => format!("{:.1} MB", b / 1e6),
        b => format!("{:.2} GB", b / 1e9),
    }
}

/// What a site is, and where the rest comes from that it does.
fn with(nest: &Timed) -> String {
    let places: Vec<String> = nest.fused.iter().map(|at| format!("{}:{}", at.line, at.column)).collect();
    if places.is_empty() { nest.what.clone() } else { format!("{}, with what is at {}", nest.what, places.join(", ")) }
}

/// What is said of a line.
#[derive(Default)]
struct Line<'r> {
    nests: Vec<&'r Timed>,
    memory: Vec<&'r Memory>,
    notes: Vec<&'r Said>,
}

/// Whether a note says how something runs that was timed.
fn is_about(said: &Said, nest: &Timed) -> bool {
    said.id == Some(nest.id) && said.kind != "in-place"
}

/// The lines of the program that something is said of, in order.
fn lines(report: &Report, sources: &SourceMap, out: &mut String) {
    let mut lines: BTreeMap<(&str, usize), Line> = BTreeMap::new();
    fn of<'m, 'r>(lines: &'m mut BTreeMap<(&'r str, usize), Line<'r>>, at: &'r At) -> &'m mut Line<'r> {
        lines.entry((at.file.as_str(), at.line)).or_default()
    }
    report.nests.iter().for_each(|nest| of(&mut lines, &nest.at).nests.push(nest));
    report.arrays.iter().chain(&report.copies).for_each(|memory| of(&mut lines, &memory.at).memory.push(memory));
    report.notes.iter().for_each(|said| of(&mut lines, &said.at).notes.push(said));
    for ((file, number), mut line) in lines {
        let source = sources.files().find(|(_, source)| source.name == file);
        let source = source.and_then(|(_, source)| source.text.lines().nth(number - 1)).unwrap_or_default().trim();
        let share: f64 = line.nests.iter().map(|nest| nest.share).sum();
        let share = if line.nests.is_empty() { String::new() } else { format!("  {:.1} %", 100.0 * share) };
        let _ = writeln!(out, "\n{file}:{number}{share}\n    {source}");
        for nest in &line.nests {
            let said: Vec<&str> = line.notes.iter().filter(|said| is_about(said, nest)).map(|said| said.text.as_str()).collect();
            let _ = writeln!(out, "  {} {}{}{}", shown(nest.self_seconds), nest.what, if said.is_empty() { "" } else { ": " }, said.join("; "));
        }
        line.notes.retain(|said| !line.nests.iter().any(|nest| is_about(said, nest)));
        for Memory { what, times, bytes: all, largest_bytes, .. } in line.memory {
            let often = if *times == 1 { String::new() } else { format!(", {times} times, up to {} each", bytes(*largest_bytes)) };
            let _ = writeln!(out, "  {}{often}: {what}", bytes(*all));
        }
        let mut said: Vec<&str> = line.notes.iter().map(|said| said.text.as_str()).collect();
        said.dedup();
        said.iter().for_each(|text| {
            let _ = writeln!(out, "  {text}");
        });
    }
}
