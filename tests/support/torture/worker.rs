//! Compiled programs run in a process of their own: what crashes there is known by the run that had begun, and the others go on.
//!
//! The process is this test binary again, with the folder of its work in the environment. In the folder are `texts` and `inputs`;
//! `results` is written line by line. Leaks are found when the process ends. Where it crashes another one does the rest, which runs programs in
//! children of its own.

#![allow(unsafe_code, reason = "children of processes")]

use super::evaluate::{Outcome, caught, outcome};
use super::tree::Program;
use crate::support::batch::{Batch, Verdict};
use crate::support::{sanitizers, shim};
use remora::base::Symbol;
use remora::cli::native;
use remora::cli::program::Loaded;
use remora::cli::values::Signature;
use remora::diag::Diagnostic;
use remora::driver;
use std::fmt::Write as _;
use std::io::Write as _;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

/// The variable with the folder.
const FOLDER: &str = "REMORA_TORTURE_WORK";
/// The variable with the stage.
const STAGE: &str = "REMORA_TORTURE_STAGE";
/// What stands between texts.
const LINE: &str = "-- ====\n";

/// A way to compile and run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Native {
    /// As users do, with 1, 2 and 7 threads.
    Cpu,
    /// The same with the sanitizers for addresses and undefined behaviour.
    Sanitized,
    /// For a device that the processor plays.
    Device,
}

impl Native {
    pub fn name(self) -> &'static str {
        match self {
            Native::Cpu => "cpu",
            Native::Sanitized => "sanitized",
            Native::Device => "device",
        }
    }
}

/// Runs all inputs of accepted programs.
pub fn run(stage: Native, programs: &[&Program]) -> Result<Vec<Vec<Outcome>>, String> {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let unique = format!("torture-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(unique);
    let io = |error: std::io::Error| format!("{}: {error}", folder.display());
    std::fs::create_dir_all(&folder).map_err(io)?;
    let texts: Vec<String> = programs.iter().enumerate().map(|(at, program)| program.text(&format!("_{at}"))).collect();
    std::fs::write(folder.join("texts"), texts.join(LINE)).map_err(io)?;
    let mut inputs = String::new();
    for (at, program) in programs.iter().enumerate() {
        for (k, input) in program.inputs.iter().enumerate() {
            writeln!(inputs, "{at} {k} {}", input.text()).expect("strings take everything");
        }
    }
    std::fs::write(folder.join("inputs"), inputs).map_err(io)?;
    let results = Runs { stage, folder: folder.clone(), counts: programs.iter().map(|program| program.inputs.len()).collect() }.all();
    std::fs::remove_dir_all(&folder).ok();
    results
}

struct Runs {
    stage: Native,
    folder: PathBuf,
    counts: Vec<usize>,
}

/// What a process left behind.
struct Left {
    status: String,
    success: bool,
    stderr: String,
    results: String,
}

impl Runs {
    /// Starts processes until each run has an outcome.
    fn all(&self) -> Result<Vec<Vec<Outcome>>, String> {
        let mut outcomes: Vec<Vec<Option<Outcome>>> = self.counts.iter().map(|count| vec![None; *count]).collect();
        loop {
            let left = self.process(&outcomes)?;
            let mut begun = None;
            for line in left.results.lines() {
                let mut words = line.splitn(4, ' ');
                let (Some(at), Some(k), Some(kind)) = (words.next(), words.next(), words.next()) else { continue };
                let (Ok(at), Ok(k)) = (at.parse::<usize>(), k.parse::<usize>()) else { continue };
                let rest = words.next().unwrap_or("").to_string();
                let made = match kind {
                    "begin" => {
                        begun = Some((at, k));
                        continue;
                    }
                    "value" => Outcome::Value(rest),
                    "failed" => Outcome::Failed(rest),
                    _ => Outcome::Broken(rest),
                };
                outcomes[at][k] = Some(made);
                begun = None;
            }
            let missing = outcomes.iter().flatten().any(Option::is_none);
            match begun {
                Some((at, k)) => outcomes[at][k] = Some(Outcome::Broken(format!("{} {}", left.status, telling(&left.stderr)))),
                None if missing => return Err(format!("the process ended with {} before it began\n{}", left.status, left.stderr)),
                None if !left.success => return self.after_all(&left, outcomes),
                None => (),
            }
            if outcomes.iter().flatten().all(Option::is_some) {
                return Ok(outcomes.into_iter().map(|all| all.into_iter().flatten().collect()).collect());
            }
        }
    }

    /// Something is wrong at the end, a leak perhaps: nobody knows of which program. All of them are said to have it if there is one only.
    fn after_all(&self, left: &Left, outcomes: Vec<Vec<Option<Outcome>>>) -> Result<Vec<Vec<Outcome>>, String> {
        let what = format!("at the end: {} {}", left.status, telling(&left.stderr));
        if outcomes.len() > 1 {
            return Err(what);
        }
        Ok(outcomes.into_iter().map(|all| all.into_iter().map(|_| Outcome::Broken(what.clone())).collect()).collect())
    }

    fn process(&self, known: &[Vec<Option<Outcome>>]) -> Result<Left, String> {
        let io = |error: std::io::Error| format!("{}: {error}", self.folder.display());
        let mut done = String::new();
        for (at, all) in known.iter().enumerate() {
            for (k, _) in all.iter().enumerate().filter(|(_, outcome)| outcome.is_some()) {
                writeln!(done, "{at} {k}").expect("strings take everything");
            }
        }
        std::fs::write(self.folder.join("done"), done).map_err(io)?;
        std::fs::write(self.folder.join("results"), "").map_err(io)?;
        let exe = std::env::current_exe().map_err(io)?;
        let mut command = Command::new("timeout");
        command.args(["-s", "KILL", "900"]).arg(exe).args(["torture_worker", "--exact", "--nocapture"]);
        command.env(FOLDER, &self.folder).env(STAGE, self.stage.name());
        command.env("REMORA_CACHE", self.folder.join("cache")).env_remove("REMORA_DEVICE");
        self.environment(&mut command)?;
        let output = command.stdout(Stdio::null()).stderr(Stdio::piped()).output().map_err(io)?;
        Ok(Left {
            status: output.status.to_string(),
            success: output.status.success(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
            results: std::fs::read_to_string(self.folder.join("results")).map_err(io)?,
        })
    }

    fn environment(&self, command: &mut Command) -> Result<(), String> {
        match self.stage {
            Native::Cpu => (),
            Native::Sanitized => sanitizers::prepare(command, "-O1")?,
            Native::Device => {
                let root = Path::new(env!("CARGO_MANIFEST_DIR"));
                let kept = self.folder.join("device");
                std::fs::create_dir_all(&kept).map_err(|error| error.to_string())?;
                command.env("REMORA_CFLAGS", "-O0").env("REMORA_DEVICE", shim::device()?).env("REMORA_SHIM_LIBRARY", shim::runtime()?);
                command.env("REMORA_SHIM_HEADER", root.join("tests/support/shim/shim.h")).env("REMORA_SHIM_FOLDER", kept);
            }
        }
        Ok(())
    }
}

/// What is worth knowing of what a process said.
fn telling(stderr: &str) -> String {
    let words = ["ERROR: AddressSanitizer", "runtime error", "LeakSanitizer", "SUMMARY", "overflowed its stack", "shim:"];
    let lines: Vec<&str> = stderr.lines().filter(|line| words.iter().any(|word| line.contains(word))).take(4).collect();
    let last: Vec<&str> = stderr.lines().rev().take(3).collect();
    if lines.is_empty() { last.join(" | ") } else { lines.join(" | ") }
}

/// The work of the process, if this is one.
pub fn work() {
    let Some(folder) = std::env::var_os(FOLDER).map(PathBuf::from) else { return };
    let stage = match std::env::var(STAGE).as_deref() {
        Ok("device") => Native::Device,
        Ok("sanitized") => Native::Sanitized,
        _ => Native::Cpu,
    };
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).expect("the work is there");
    let texts: Vec<String> = read("texts").split(LINE).map(str::to_string).collect();
    let done: Vec<String> = read("done").lines().map(str::to_string).collect();
    let results = std::fs::File::options().append(true).open(folder.join("results")).expect("the file is there");
    let batch = Batch::new(&texts);
    let accepted = |at: usize| batch.verdict(at) == Verdict::Accepted;
    let names: Vec<Option<Symbol>> = (0..texts.len()).map(|at| Some(batch.def(batch.entry(at).filter(|_| accepted(at))?).unique)).collect();
    let loaded = Loaded { sources: batch.sources, root: batch.file, checked: batch.checked, behind: Default::default() };
    let mut worker = Worker { stage, forks: !done.is_empty(), folder: folder.clone(), loaded, names, results };
    let mut cases = Vec::new();
    for line in read("inputs").lines() {
        let mut words = line.splitn(3, ' ');
        let (at, k) = (words.next().unwrap_or("0"), words.next().unwrap_or("0"));
        if !done.contains(&format!("{at} {k}")) {
            cases.push((at.parse().unwrap_or(0), k.parse().unwrap_or(0), words.next().unwrap_or("").to_string()));
        }
    }
    worker.all(&cases);
}

/// A run: the program, the number of the input, the input.
type Case = (usize, usize, String);

/// What is compiled.
#[allow(clippy::large_enum_variant, reason = "one of each at a time")]
enum Built {
    Cpu(native::Built),
    Device(native::Program),
    /// What is made for a device by the process that runs it: these entry points.
    Later(Vec<Symbol>),
}

#[allow(clippy::boxed_local, reason = "errors come in boxes")]
fn said(d: Box<Diagnostic>) -> String {
    format!("{}: {}", d.code, d.message)
}

unsafe extern "C" {
    fn fork() -> i32;
    fn waitpid(process: i32, status: *mut i32, options: i32) -> i32;
    fn dup2(from: i32, to: i32) -> i32;
    fn alarm(seconds: u32) -> u32;
    fn _exit(status: i32) -> !;
}

struct Worker {
    stage: Native,
    folder: PathBuf,
    /// Whether runs are done by children of the process.
    forks: bool,
    loaded: Loaded,
    /// The entry points of the programs.
    names: Vec<Option<Symbol>>,
    results: std::fs::File,
}

impl Worker {
    fn say(&mut self, at: usize, k: usize, kind: &str, rest: &str) {
        let rest: String = rest.chars().map(|c| if c == '\n' { ' ' } else { c }).collect();
        writeln!(self.results, "{at} {k} {kind} {rest}").and_then(|()| self.results.flush()).expect("the file can be written");
    }

    fn tell(&mut self, at: usize, k: usize, outcome: &Outcome) {
        match outcome {
            Outcome::Value(text) => self.say(at, k, "value", text),
            Outcome::Failed(code) => self.say(at, k, "failed", code),
            Outcome::Broken(what) => self.say(at, k, "broken", what),
        }
    }

    fn all(&mut self, cases: &[Case]) {
        let mut programs: Vec<usize> = cases.iter().map(|(at, ..)| *at).collect();
        programs.dedup();
        self.group(&programs, cases);
    }

    /// Compiles programs together; in halves where that fails.
    fn group(&mut self, programs: &[usize], cases: &[Case]) {
        let entries: Vec<Symbol> = programs.iter().filter_map(|at| self.names[*at]).collect();
        match caught(|| self.built(&entries)).unwrap_or_else(Err) {
            Ok(built) => {
                let cases: Vec<&Case> = cases.iter().filter(|(at, ..)| programs.contains(at)).collect();
                if self.forks { self.in_children(&built, &cases) } else { self.each(&built, &cases) }
            }
            Err(what) if programs.len() < 2 => {
                let own = cases.iter().filter(|(at, ..)| programs.contains(at));
                own.for_each(|(at, k, _)| self.tell(*at, *k, &Outcome::Broken(what.clone())));
            }
            Err(_) => {
                let (a, b) = programs.split_at(programs.len() / 2);
                self.group(a, cases);
                self.group(b, cases);
            }
        }
    }

    /// What is common to all contexts. Where devices are played it is made once to see that it can be, and once more where it runs.
    fn built(&self, entries: &[Symbol]) -> Result<Built, String> {
        if self.stage == Native::Device {
            if !self.forks {
                return Ok(Built::Device(native::prepare_cuda(&self.loaded, entries).map_err(said)?));
            }
            driver::compile_cuda(&self.loaded.sources, &self.loaded.checked, entries).map_err(said)?;
            return Ok(Built::Later(entries.to_vec()));
        }
        Ok(Built::Cpu(native::Built::new(&self.loaded, entries, false).map_err(said)?))
    }

    /// Runs in this process.
    fn each(&mut self, built: &Built, cases: &[&Case]) {
        let own;
        let compiled: Vec<&native::Program> = match built {
            Built::Device(program) => vec![program],
            Built::Later(entries) => match native::prepare_cuda(&self.loaded, entries) {
                Ok(program) => {
                    own = vec![program];
                    own.iter().collect()
                }
                Err(d) => return self.all_broken(cases, &said(d)),
            },
            Built::Cpu(built) => match [1, 2, 7].into_iter().map(|threads| built.load(threads)).collect::<Result<Vec<_>, _>>() {
                Ok(programs) => {
                    own = programs;
                    own.iter().collect()
                }
                Err(d) => return self.all_broken(cases, &said(d)),
            },
        };
        for (at, k, text) in cases {
            self.case(&compiled, *at, *k, text);
        }
    }

    fn all_broken(&mut self, cases: &[&Case], what: &str) {
        cases.iter().for_each(|(at, k, _)| self.tell(*at, *k, &Outcome::Broken(what.into())));
    }

    /// Runs in children of this process, one after the other: each goes on until it crashes.
    fn in_children(&mut self, built: &Built, cases: &[&Case]) {
        let mut rest = cases;
        while !rest.is_empty() {
            let log = self.folder.join("child");
            let before = self.written();
            // SAFETY: the child uses what this thread has, which is all that it needs; it ends without returning.
            let child = unsafe { fork() };
            if child == 0 {
                if let Ok(file) = std::fs::File::create(&log) {
                    // SAFETY: both are open.
                    unsafe { dup2(file.as_raw_fd(), 2) };
                }
                // SAFETY: whatever takes longer is ended.
                unsafe { alarm(120) };
                let done = caught(|| self.each(built, rest));
                // SAFETY: nothing is left to be done.
                unsafe { _exit(i32::from(done.is_err())) };
            }
            let mut status = 0;
            // SAFETY: the child is ours.
            unsafe { waitpid(child, &mut status, 0) };
            let said = self.written()[before.len()..].to_string();
            let ended = said.lines().filter(|line| !line.contains(" begin")).count();
            rest = &rest[ended.min(rest.len())..];
            if status != 0
                && let Some((at, k, _)) = rest.first()
            {
                let stderr = std::fs::read(&log).unwrap_or_default();
                let what = format!("ended with {status:#x}: {}", telling(&String::from_utf8_lossy(&stderr)));
                self.tell(*at, *k, &Outcome::Broken(what));
                rest = &rest[1..];
            }
        }
    }

    fn written(&self) -> String {
        std::fs::read_to_string(self.folder.join("results")).unwrap_or_default()
    }

    /// One run with each number of threads: all come to the same.
    fn case(&mut self, compiled: &[&native::Program], at: usize, k: usize, text: &str) {
        self.say(at, k, "begin", "");
        let made = self.outcomes(compiled, at, text);
        let first = made.first().cloned().unwrap_or_else(|| Outcome::Broken("no program".into()));
        let other = made.iter().find(|other| !super::compare::agree(&first, other));
        match other {
            Some(other) => self.tell(at, k, &Outcome::Broken(format!("threads differ: {first:?} and {other:?}"))),
            None => self.tell(at, k, &first),
        }
    }

    fn outcomes(&self, compiled: &[&native::Program], at: usize, text: &str) -> Vec<Outcome> {
        let checked = &self.loaded.checked;
        let name = self.names[at];
        let Some(define) = checked.core.defs.iter().rfind(|define| Some(define.name) == name) else { return Vec::new() };
        let values = Signature::of(checked, define).and_then(|signature| signature.stream("the input", text.as_bytes()));
        let Ok(values) = values else { return vec![Outcome::Broken("the input cannot be read".into())] };
        let names = checked.parameter_names(define.name);
        let run = |program: &&native::Program| {
            outcome(|| program.call(define, &names, values.clone()).map_err(|diagnostic| (diagnostic.code, diagnostic.message)))
        };
        compiled.iter().map(run).collect()
    }
}
