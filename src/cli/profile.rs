//! `remora profile FILE -e ENTRY ARGS`: where time and memory go, and why.

mod lines;
mod page;
mod text;

use super::native;
use super::output::{Console, json};
use super::program::{Loaded, load_accepted};
use super::run::{chosen, give_numbers, read_arguments};
use super::{FAILURE, Outcome, SUCCESS, SourceArg, files, unshield};
use crate::diag::Diagnostic;
use crate::driver::profile::{MeasuredRun, Report, report};
use crate::driver::{self, is_apl};
use crate::interp;
use clap::{Args, ValueEnum};
use std::path::PathBuf;
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
  remora profile program.rem a.npy --threads 1 --runs 10
  remora profile program.rem a.npy --format html -o profile.html"
)]
pub(super) struct ProfileArgs {
    #[command(flatten)]
    source: SourceArg,
    /// Arguments: literals or files
    #[arg(value_name = "ARG")]
    args: Vec<String>,
    /// The entry point (default: `main`, or the only one; in core the last expression of the file)
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
    /// How the profile is written
    #[arg(long, value_enum, default_value = "text", value_name = "FORMAT")]
    format: Format,
    /// Write one JSON object, as `--format json` does
    #[arg(long, conflicts_with = "format")]
    json: bool,
    /// Write it to this file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// What took the time, and the lines of the program with what is said of them
    Text,
    /// One JSON object
    Json,
    /// A page for a browser: a flame graph, and the program with what is said of its lines
    Html,
}

pub(super) fn run(args: &ProfileArgs, console: &mut Console) -> Outcome {
    if let Some(path) = &args.output {
        files::apart(path, &args.source.file)?;
    }
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
            let text = match args.format {
                _ if args.json => json(&report),
                Format::Json => json(&report),
                Format::Text => text::write(&report, &loaded.sources),
                Format::Html => page::write(&report, &loaded.sources),
            };
            match &args.output {
                Some(path) => files::write(path, text.as_bytes())?,
                None => console.print(text),
            }
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
    let measured = MeasuredRun {
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
