//! `remora test FILE...`: runs the expectations in the comments of programs.

pub mod blocks;
pub mod compare;
mod confine;
mod parts;
mod property;
mod random;
mod reader;
mod report;
mod script;
mod structure;
mod subject;
mod work;
pub(super) mod worker;

use super::output::Console;
use super::{FAILURE, Outcome, SUCCESS, files};
use crate::diag::Diagnostic;
use clap::{Args, ValueEnum};
use report::Tally;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

pub use subject::{Run, runs};

/// Run the tests in the comments of programs (`-- ==` blocks, in core `; ==`)
#[derive(Debug, Args)]
#[command(after_help = "A block is a comment:
  -- ==
  -- tags { fast }
  -- entry: f g
  -- input { [1, 2, 3] 2i64 } output { [2, 4, 6] }
  -- \"too far\" input { [1] 5i64 } error: out of bounds
  -- compiled random input { [1000]f32 10i64 } auto output
  -- script input { make 10 } output @ data/made.out.gz
  -- input @ data/a.in
  -- structure { map 1 reduce 1 }
  -- property: associative

`error: regex` without `input` expects that the compiler refuses the program with a matching message, `warning: regex` that it warns.
Blocks with the tags `disable`, `notest` or `no_BACKEND` are skipped. A script applies a function of the program to literals, tuples,
records and arrays, with `let`, `$loaddata \"file\"` and `$loadbytes \"file\"`. `auto output` expects the evaluator's result (for `compiled`
cases: that of the compiled program on one thread). Blocks may read files of the program's project only: of the nearest folder above the
program with `.git` or `.remora-project`, or else of its own folder. A case that crashes or takes too long fails; the others still run.
`structure` with Futhark's names (Screma, SegMap, ..) describes what Futhark's optimiser makes, so it is checked with --structure only.

Examples:
  remora test program.rem
  remora test tests/ --exclude slow --backend interp,cpu
  remora test program.rem --entry f --backend all")]
pub(super) struct TestArgs {
    /// Programs, or folders that contain programs (.rem and .fut)
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Test again whenever a program, or what it imports, changes
    #[arg(long)]
    watch: bool,
    /// Test only this entry point (may be repeated)
    #[arg(long, alias = "entry-point", value_name = "NAME")]
    entry: Vec<String>,
    /// Run only cases with this tag (may be repeated)
    #[arg(long, alias = "only", value_name = "TAG")]
    tag: Vec<String>,
    /// Skip cases with this tag (may be repeated)
    #[arg(long, value_name = "TAG")]
    exclude: Vec<String>,
    /// The back ends that run the programs, separated by commas
    #[arg(long, value_enum, default_value = "interp", value_name = "BACKEND", value_delimiter = ',')]
    backend: Vec<Executor>,
    /// How many programs are tested at the same time (default: one per processor)
    #[arg(short, long, alias = "concurrency", value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    jobs: Option<u16>,
    /// The number of threads of a program (default: the processors divided among the jobs); compiled programs run on each of several, `1,7`
    #[arg(long, value_name = "N", value_delimiter = ',', value_parser = clap::value_parser!(u16).range(1..))]
    threads: Vec<u16>,
    /// Compile with --strict-fp, and check that floating-point results equal the evaluator's to the last bit (except for cbrt, asinh,
    /// acosh, atanh, gamma, lgamma, erf, erfc and inverse functions of complex numbers, which the C library computes differently)
    #[arg(long)]
    strict_fp: bool,
    /// Allowed error of floats, relative to the largest expected number (default: 0.002, for f16 0.01, in .fut files at least this much)
    #[arg(long, value_name = "X", value_parser = tolerance, conflicts_with = "exact")]
    tolerance: Option<f64>,
    /// Allow errors of floats of 1e-2, 1e-4, 1e-9 (f16, f32, f64) only, and fail where an error has other words than `error:` says
    #[arg(long)]
    exact: bool,
    /// The time limit of a case, and of the compilation of a program
    #[arg(long, value_name = "SECONDS", default_value = "300", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    time_limit: u32,
    /// Let test blocks also read files in this folder (may be repeated)
    #[arg(long, value_name = "DIR")]
    allow_read: Vec<PathBuf>,
    /// Tests what standard input names, for another process
    #[arg(long, hide = true)]
    worker: bool,
    /// Also test the examples in documentation comments (`-- > expression`, with the results on the lines after it)
    #[arg(long)]
    examples: bool,
    /// Check `structure` blocks with Futhark's names too
    #[arg(long)]
    structure: bool,
    /// Write one JSON object with all results to standard output
    #[arg(long)]
    json: bool,
    /// Also list cases that pass
    #[arg(short, long)]
    verbose: bool,
}

impl TestArgs {
    fn allowed(&self, program: &Path) -> compare::Tolerance {
        match self.tolerance {
            Some(error) => compare::Tolerance::Given(error),
            None if self.exact => compare::Tolerance::Exact,
            None if program.extension().is_some_and(|extension| extension == "fut") => compare::Tolerance::Futhark,
            None => compare::Tolerance::Usual,
        }
    }
}

fn tolerance(text: &str) -> Result<f64, String> {
    text.parse().ok().filter(|x: &f64| x.is_finite() && *x >= 0.0).ok_or_else(|| "a number that is not negative is needed".to_string())
}

/// What runs programs under test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Executor {
    /// The evaluator of core
    Interp,
    /// The evaluator of specialised programs
    Soac,
    /// The evaluator of programs after flattening into kernels
    Kernel,
    /// The evaluator of programs with memory, for processors
    #[value(hide = true)]
    Imp,
    /// The same for a device
    #[value(hide = true)]
    ImpDevice,
    /// Compiled through C, for processors
    #[value(alias = "c", alias = "multicore")]
    Cpu,
    /// Compiled for the CUDA device
    Cuda,
    /// All of these; `cuda` only if there is a device
    All,
}

impl Executor {
    fn name(self) -> &'static str {
        match self {
            Executor::Interp => "interp",
            Executor::Soac => "soac",
            Executor::Kernel => "kernel",
            Executor::Imp => "imp",
            Executor::ImpDevice => "imp-device",
            Executor::Cpu => "cpu",
            Executor::Cuda => "cuda",
            Executor::All => "all",
        }
    }
    /// What Futhark's tags `no_..` call it.
    fn names(self) -> &'static [&'static str] {
        match self {
            Executor::Interp => &["interp", "interpreter"],
            Executor::Soac => &["soac"],
            Executor::Kernel => &["kernel"],
            Executor::Imp => &["imp", "cpu", "c", "multicore"],
            Executor::ImpDevice => &["imp", "cuda", "gpu"],
            Executor::Cpu => &["cpu", "c", "multicore"],
            Executor::Cuda => &["cuda", "gpu"],
            Executor::All => &[],
        }
    }
    /// Whether it runs machine code.
    fn is_compiled(self) -> bool {
        matches!(self, Executor::Cpu | Executor::Cuda)
    }
}

impl TestArgs {
    /// The back ends that were asked for, each once, with whether it must be there.
    fn backends(&self) -> Vec<(Executor, bool)> {
        let mut out: Vec<(Executor, bool)> = Vec::new();
        for backend in &self.backend {
            let each: &[(Executor, bool)] = match backend {
                Executor::All => &[
                    (Executor::Interp, true),
                    (Executor::Soac, true),
                    (Executor::Kernel, true),
                    (Executor::Cpu, true),
                    (Executor::Cuda, false),
                ],
                one => &[(*one, true)],
            };
            for new in each {
                match out.iter_mut().find(|old| old.0 == new.0) {
                    Some(old) => old.1 |= new.1,
                    None => out.push(*new),
                }
            }
        }
        out
    }
}

pub(super) fn run(args: &TestArgs, console: &mut Console) -> Outcome {
    if args.worker {
        worker::serve(args, console.style());
        return Ok(SUCCESS);
    }
    if args.watch {
        return super::watch::run(&args.files, console, |console| once(args, console));
    }
    once(args, console)
}

fn once(args: &TestArgs, console: &mut Console) -> Outcome {
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let jobs = args.jobs.map_or(processors, usize::from);
    let (files, scanned) = expand(&args.files)?;
    let workers = jobs.min(files.len()).max(1);
    let share = worker::Share { inner: (jobs / workers).max(1), threads: (processors / workers).max(1) };
    let style = console.style();
    let mut tally = Tally::new(console, args, files.len(), scanned);
    let next = AtomicUsize::new(0);
    let (sender, receiver) = mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 0..workers {
            let (sender, next, files) = (sender.clone(), &next, &files);
            let mut worker = worker::Worker::new(args, share, style);
            scope.spawn(move || {
                crate::base::with_big_stack(move || {
                    loop {
                        let number = next.fetch_add(1, Ordering::Relaxed);
                        let Some(path) = files.get(number) else { return };
                        // Nobody listens any more when printing has failed.
                        if sender.send((number, worker.test(path))).is_err() {
                            return;
                        }
                    }
                });
            });
        }
        drop(sender);
        // Reports are printed in the order of the files.
        let mut waiting = BTreeMap::new();
        let mut printed = 0;
        for (number, report) in receiver {
            waiting.insert(number, report);
            while let Some(report) = waiting.remove(&printed) {
                tally.file(report);
                printed += 1;
            }
        }
    });
    Ok(if tally.finish() { SUCCESS } else { FAILURE })
}

/// The programs themselves and those in folders, in order, and whether there was a folder.
fn expand(given: &[PathBuf]) -> Result<(Vec<PathBuf>, bool), Box<Diagnostic>> {
    let (mut out, mut scanned) = (Vec::new(), false);
    for path in given {
        if path.is_dir() {
            scanned = true;
            programs(path, &mut out)?;
        } else {
            out.push(path.clone());
        }
    }
    Ok((out, scanned))
}

fn programs(folder: &Path, out: &mut Vec<PathBuf>) -> Result<(), Box<Diagnostic>> {
    let mut entries = files::entries(folder)?;
    entries.sort();
    for path in entries {
        // A link to a folder may lead back to it.
        if path.is_dir() && !path.is_symlink() {
            programs(&path, out)?;
        } else if path.extension().is_some_and(|e| e == "rem" || e == "fut") {
            out.push(path);
        }
    }
    Ok(())
}
