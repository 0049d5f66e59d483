//! `remora tune FILE -e ENTRY ARGS`: which numbers of the compiler suit this machine, this program and these arguments best.
//!
//! One number after the other is given each of its values (coordinate descent), as far as it changes the compiled program at all. Each
//! measurement is a `remora bench` of its own; a value is taken if it is better twice.

use super::output::{Console, counted, json};
use super::program::{Loaded, load_untuned, tuning_file};
use super::run::{Backend, Subject, default_entry, find_entry};
use super::test::worker::own;
use super::{FAILURE, Outcome, STARTED, SUCCESS, bench, files};
use crate::base::{Code, Symbol};
use crate::diag::Diagnostic;
use crate::driver;
use crate::ir::tuning::{KNOBS, Knob, On, Tuning};
use clap::Args;
use serde::{Deserialize, Serialize};
use std::io::IsTerminal;
use std::process::Stdio;

/// Find the thresholds with which a program is fastest, and keep them beside it
#[derive(Debug, Args)]
#[command(after_help = "The numbers by which the compiler chooses between ways to run something are estimates. This command measures the
entry point with other values of those that matter for it, and writes what is faster to FILE.tuning, which `run`, `build`, `bench`, `profile` and
`dump` then read. Floating-point sums may be rounded differently with other numbers. Without the file the defaults count.

Examples:
  remora tune program.rem -e norm vector.npy
  remora tune program.rem a.npy b.npy --seconds 2
  remora tune program.rem a.npy --number chunk-work --number chunks-each")]
pub(super) struct TuneArgs {
    #[command(flatten)]
    subject: Subject,
    /// The least number of runs of a measurement
    #[arg(long, default_value = "5", value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,
    /// The least time of a measurement
    #[arg(long, default_value = "0.5", value_name = "SECONDS", allow_hyphen_values = true)]
    seconds: String,
    /// Only this number (may be given several times)
    #[arg(long, value_name = "NAME")]
    number: Vec<String>,
    /// Write the results as one JSON object
    #[arg(long)]
    json: bool,
}

/// Less than this part of the time must be left for a value to be taken: differences below come from the machine.
const BETTER: f64 = 0.97;

/// What `remora bench --json` says.
#[derive(Debug, Deserialize)]
struct Measured {
    backend: String,
    threads: usize,
    median_seconds: f64,
}

/// What was found for a number.
#[derive(Debug, Serialize)]
struct Tried {
    #[serde(skip)]
    knob: Knob,
    name: &'static str,
    /// Values with their times in seconds.
    times: Vec<(i64, f64)>,
    chosen: i64,
}

/// What was found.
#[derive(Debug, Serialize)]
struct Report {
    entry: String,
    backend: String,
    threads: usize,
    default_seconds: f64,
    tuned_seconds: f64,
    numbers: Vec<Tried>,
    /// The file, if one was written.
    file: Option<String>,
}

pub(super) fn run(args: &TuneArgs, console: &mut Console) -> Outcome {
    let option = |message: String| Box::new(Diagnostic::bare(Code::OptionValue, message));
    let mut only = Vec::new();
    for name in &args.number {
        only.push(Knob::named(name).map_err(option)?);
    }
    if args.subject.backend == Backend::Interp {
        let diagnostic = Diagnostic::bare(Code::OptionValue, "there is nothing to tune for the evaluator");
        return Err(Box::new(diagnostic.help("leave out `--backend interp`")));
    }
    let Some(mut loaded) = load_untuned(&args.subject.source.file, console)? else { return Ok(FAILURE) };
    let entry = args.subject.entry.clone().unwrap_or_else(|| default_entry(&loaded).to_string());
    let name = match find_entry(&loaded, &entry) {
        Ok(define) => define.name,
        Err(diagnostic) => {
            console.report(&loaded.sources, &diagnostic);
            return Ok(FAILURE);
        }
    };
    // What is wrong with arguments is said by the first measurement.
    let Some(first) = measure(&loaded.checked.tuning, args)? else { return Ok(FAILURE) };
    let on = if first.backend == "cuda" { On::Devices } else { On::Processors };
    let mut search = Search { args, loaded: &mut loaded, name, on, best: first.median_seconds, console };
    let mut numbers = Vec::new();
    for (knob, info) in KNOBS.iter().filter(|(knob, info)| info.on == on && (only.is_empty() || only.contains(knob))) {
        if !search.matters(*knob)? {
            search.progress(&format!("{}: does not matter here", info.name));
            continue;
        }
        let Some(tried) = search.one(*knob)? else { return Ok(FAILURE) };
        numbers.push(tried);
    }
    let Some((default_seconds, tuned_seconds)) = search.compare()? else { return Ok(FAILURE) };
    let tuning = loaded.checked.tuning.clone();
    numbers.iter_mut().for_each(|tried| tried.chosen = tuning.get(tried.knob));
    let path = tuning_file(&args.subject.source.file);
    let changed = tuning != Tuning::default();
    // A file that is there would count still.
    let write = (changed || path.exists()) && args.subject.source.file.as_os_str() != "-";
    let Measured { backend, threads, .. } = first;
    if write {
        let threads = counted(threads, "thread");
        let (default, tuned) = (bench::shown(default_seconds), bench::shown(tuned_seconds));
        let head =
            format!("# Written by `remora tune` for `{entry}` ({backend}, {threads}): {default} with the defaults, {tuned} with these.\n");
        files::write(&path, (head + &tuning.text()).as_bytes())?;
    }
    let file = write.then(|| files::shown(&path));
    let report = Report { entry, backend, threads, default_seconds, tuned_seconds, numbers, file };
    console.print(if args.json { json(&report) } else { text(&report, changed) });
    Ok(SUCCESS)
}

/// The numbers found so far, which are those of the program, and what is needed to find more.
struct Search<'a, 'c> {
    args: &'a TuneArgs,
    loaded: &'a mut Loaded,
    name: Symbol,
    on: On,
    /// The time with them.
    best: f64,
    console: &'c mut Console,
}

impl Search<'_, '_> {
    /// Whether the compiled program depends on a number.
    fn matters(&mut self, knob: Knob) -> Result<bool, Box<Diagnostic>> {
        let info = knob.info();
        let text = self.text()?;
        if let Some((_, call)) = info.mark {
            return Ok(text.contains(call));
        }
        let kept = self.loaded.checked.tuning.clone();
        let mut differs = false;
        for value in [info.tried.first(), info.tried.last()].into_iter().flatten() {
            self.set(knob, *value);
            differs = differs || self.text()? != text;
            self.loaded.checked.tuning = kept.clone();
        }
        Ok(differs)
    }
    /// What is made of the program.
    fn text(&self) -> Result<String, Box<Diagnostic>> {
        let Loaded { sources, checked, .. } = &*self.loaded;
        driver::own_text(sources, checked, &[self.name], self.on)
    }
    /// Changes a number to one of the values that are tried.
    fn set(&mut self, knob: Knob, value: i64) {
        if let Err(why) = self.loaded.checked.tuning.set(knob, value) {
            crate::ice!(crate::base::Span::default(), "{why}");
        }
    }

    /// Tries the values of a number and keeps the best. Nothing if a measurement failed, of which there was a word.
    fn one(&mut self, knob: Knob) -> Result<Option<Tried>, Box<Diagnostic>> {
        let info = knob.info();
        let before = self.loaded.checked.tuning.get(knob);
        let mut times = Vec::new();
        for value in info.tried {
            let time = if *value == before {
                self.best
            } else {
                self.set(knob, *value);
                let Some(time) = self.time()? else { return Ok(None) };
                time
            };
            self.progress(&format!("{} {value}: {}", info.name, bench::shown(time)));
            times.push((*value, time));
        }
        let (value, time) = times.iter().copied().min_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or((before, self.best));
        self.set(knob, before);
        if value != before && time < BETTER * self.best {
            // Once more, side by side.
            let Some(old) = self.time()? else { return Ok(None) };
            self.set(knob, value);
            let Some(new) = self.time()? else { return Ok(None) };
            if new < BETTER * old {
                self.best = new;
            } else {
                self.set(knob, before);
                self.best = old;
            }
        }
        Ok(Some(Tried { knob, name: info.name, times, chosen: self.loaded.checked.tuning.get(knob) }))
    }
    /// The times with the defaults and with what was found, in turns. What is not faster after all is dropped.
    fn compare(&mut self) -> Result<Option<(f64, f64)>, Box<Diagnostic>> {
        let (default, found) = (Tuning::default(), self.loaded.checked.tuning.clone());
        if found == default {
            return Ok(Some((self.best, self.best)));
        }
        let (mut before, mut after) = (f64::INFINITY, f64::INFINITY);
        for _ in 0..3 {
            for (tuning, time) in [(&default, &mut before), (&found, &mut after)] {
                let Some(measured) = measure(tuning, self.args)? else { return Ok(None) };
                *time = time.min(measured.median_seconds);
            }
        }
        if after >= before * BETTER {
            self.loaded.checked.tuning = default;
            after = before;
        }
        Ok(Some((before, after)))
    }
    fn time(&self) -> Result<Option<f64>, Box<Diagnostic>> {
        Ok(measure(&self.loaded.checked.tuning, self.args)?.map(|measured| measured.median_seconds))
    }
    /// A line that the next one replaces, on a terminal.
    fn progress(&mut self, line: &str) {
        if std::io::stderr().is_terminal() && !self.args.json {
            self.console.again(line);
        }
    }
}

/// What `remora bench` measures with these numbers; nothing if it failed, of which there was a word.
fn measure(tuning: &Tuning, args: &TuneArgs) -> Result<Option<Measured>, Box<Diagnostic>> {
    let failed = |why: String| Box::new(Diagnostic::bare(Code::Crash, format!("nothing can be measured: {why}")));
    let mut command = own().map_err(|error| failed(error.to_string()))?;
    command.args(["bench", "--json", "--runs", &args.runs.to_string(), "--seconds"]).arg(&args.seconds);
    for (knob, info) in KNOBS {
        command.args(["--tuned", &format!("{}={}", info.name, tuning.get(*knob))]);
    }
    command.args(given());
    let output = command.stderr(Stdio::inherit()).output().map_err(|error| failed(error.to_string()))?;
    if !output.status.success() {
        return Ok(None);
    }
    let text = String::from_utf8_lossy(&output.stdout);
    serde_json::from_str(&text).map(Some).map_err(|error| failed(format!("{error}: {}", text.trim())))
}

/// The arguments that were given to this command and mean the same to `remora bench`.
fn given() -> Vec<std::ffi::OsString> {
    let args: Vec<_> = STARTED.get().map_or_else(|| std::env::args_os().skip(1).collect(), |(_, args)| args.clone());
    let (mut out, mut said, mut args) = (Vec::new(), false, args.into_iter());
    while let Some(arg) = args.next() {
        match arg.to_str() {
            Some("tune") if !said => said = true,
            Some("--json") => {}
            Some("--number" | "--runs" | "--seconds") => _ = args.next(),
            Some(text) if ["--number=", "--runs=", "--seconds="].iter().any(|option| text.starts_with(option)) => {}
            Some(_) | None => out.push(arg),
        }
    }
    out
}

fn text(report: &Report, changed: bool) -> String {
    let Report { entry, backend, threads, default_seconds, tuned_seconds, numbers, file } = report;
    let threads = counted(*threads, "thread");
    let mut out = format!("{entry} ({backend}, {threads})\n");
    for Tried { knob: _, name, times, chosen } in numbers {
        let times: Vec<String> = times.iter().map(|(value, time)| format!("{value}: {}", bench::shown(*time))).collect();
        out += &format!("  {name} = {chosen}   ({})\n", times.join(", "));
    }
    if numbers.is_empty() {
        out += "  none of the numbers matters for it\n";
    }
    let (default, tuned) = (bench::shown(*default_seconds), bench::shown(*tuned_seconds));
    out += &match changed {
        true => {
            format!("{default} with the defaults, {tuned} with these: {:.2} times as fast\n", default_seconds / tuned_seconds.max(1e-12))
        }
        false => format!("nothing that was tried is faster than the defaults ({default})\n"),
    };
    if let Some(file) = file {
        out += &format!("written: {file}\n");
    }
    out
}
