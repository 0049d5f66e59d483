//! Processes that test files. What is tested may crash: compiled programs, the C compiler, passes that go too deep, whatever wants more memory
//! than there is. Then the part that was being done is at fault, and another process goes on with the next.

use super::super::files;
use super::super::output::{self, Style};
use super::TestArgs;
use super::parts::{Event, Parts};
use super::report::{Found, Remark, Report, Result};
use super::work::{self, Plan};
use crate::base::Code;
use crate::cli::STARTED;
use crate::diag::Diagnostic;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Bytes that are kept of what a process says.
const SAID: usize = 1 << 16;

/// How many things are done at the same time.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct Share {
    /// Cases of one file that evaluators run at the same time.
    pub inner: usize,
    /// Threads of a program, unless something else was asked for.
    pub threads: usize,
}

/// What a process is asked for.
#[derive(Debug, Serialize, Deserialize)]
struct Request {
    file: PathBuf,
    done: BTreeSet<usize>,
    failed: BTreeSet<usize>,
    share: Share,
    color: bool,
}

/// Tests the files that standard input names, and writes what happens to standard output.
pub fn serve(args: &TestArgs, style: Style) {
    // Where memory ends, this process goes first.
    std::fs::write("/proc/self/oom_score_adj", "800").ok();
    let say = |event: Event| {
        let line = output::json(&event);
        let mut out = std::io::stdout().lock();
        // Who is not heard any more stops.
        if out.write_all(line.as_bytes()).and_then(|()| out.flush()).is_err() {
            std::process::exit(1);
        }
    };
    for line in std::io::stdin().lock().lines() {
        let Some(request) = line.ok().and_then(|line| serde_json::from_str::<Request>(&line).ok()) else { return };
        let Request { file, done, failed, share, color } = request;
        let plan = Plan { args, inner: share.inner, threads: share.threads };
        work::test_file(&plan, &file, &Parts::new(&done, &failed, &say, Style { color, ..style }));
    }
}

/// Tests files, in a process that it starts when there is none.
pub struct Worker<'a> {
    args: &'a TestArgs,
    share: Share,
    style: Style,
    process: Option<Process>,
}

struct Process {
    child: Child,
    asks: ChildStdin,
    events: Receiver<Event>,
    said: Arc<Mutex<Vec<u8>>>,
    /// Who hears what it says.
    listener: Option<std::thread::JoinHandle<()>>,
}

/// A part that is being done.
struct Open {
    name: String,
    backend: Option<String>,
    since: Instant,
}

/// What is known of a file while it is tested.
#[derive(Default)]
struct State {
    results: BTreeMap<usize, Result>,
    done: BTreeSet<usize>,
    failed: BTreeSet<usize>,
    open: BTreeMap<usize, Open>,
    diagnostics: Vec<(String, bool)>,
    entries: Vec<String>,
    remarks: Vec<Remark>,
}

/// How a turn of a process came to its end.
enum Turn {
    Done(bool),
    /// The process has ended, or is to be ended for the sake of a part that takes too long.
    Ended(Option<usize>),
}

impl<'a> Worker<'a> {
    /// No process yet.
    pub fn new(args: &'a TestArgs, share: Share, style: Style) -> Worker<'a> {
        Worker { args, share, style, process: None }
    }

    /// Tests a file, however often a process has to be started for that.
    pub fn test(&mut self, path: &Path) -> Report {
        if path == Path::new("-") {
            return self.here(path);
        }
        let mut state = State::default();
        let mut share = self.share;
        let blocks = loop {
            // What was said in an earlier turn is said again.
            state.diagnostics.clear();
            let turn = match self.turn(path, &mut state, share) {
                Ok(turn) => turn,
                Err(why) => {
                    let diagnostic = Diagnostic::bare(Code::Crash, format!("no process can be started that tests this: {why}"));
                    state.diagnostics.push((self.style.render(&Default::default(), &diagnostic), true));
                    break true;
                }
            };
            match turn {
                Turn::Done(blocks) => break blocks,
                Turn::Ended(late) => {
                    let why = self.end(late.is_some());
                    if state.open.is_empty() {
                        // Nothing was begun: it would be the same again.
                        state.blame(None, &why);
                        break true;
                    }
                    if !state.blame(late, &why) {
                        // Several parts were being done: which of them it was shows when they are done one by one.
                        share.inner = 1;
                    }
                }
            }
        };
        if let Some(process) = &self.process {
            state.remarks.push(Remark::Said(process.take_said()));
        }
        let State { results, diagnostics, entries, remarks, .. } = state;
        Report { name: files::shown(path), diagnostics, results: results.into_values().collect(), blocks, entries, remarks }
    }

    /// Has a process do what is not done.
    fn turn(&mut self, path: &Path, state: &mut State, share: Share) -> std::io::Result<Turn> {
        // Between files it has nothing to do, but somebody else may have ended it.
        if self.process.as_mut().is_some_and(|process| !matches!(process.child.try_wait(), Ok(None))) {
            self.process = None;
        }
        let process = match &mut self.process {
            Some(process) => process,
            none => none.insert(Process::start()?),
        };
        let (done, failed) = (state.done.clone(), state.failed.clone());
        let request = Request { file: path.to_path_buf(), done, failed, share, color: self.style.color };
        let line = serde_json::to_string(&request)? + "\n";
        state.open.clear();
        if process.asks.write_all(line.as_bytes()).and_then(|()| process.asks.flush()).is_err() {
            return Ok(Turn::Ended(None));
        }
        let limit = Duration::from_secs(self.args.time_limit.into());
        loop {
            let oldest = state.open.iter().min_by_key(|(_, open)| open.since).map(|(part, open)| (*part, open.since));
            let left = oldest.map_or(limit, |(_, since)| limit.saturating_sub(since.elapsed()));
            match process.events.recv_timeout(left) {
                Ok(event) => {
                    if let Some(blocks) = state.hear(event) {
                        return Ok(Turn::Done(blocks));
                    }
                }
                Err(RecvTimeoutError::Disconnected) => return Ok(Turn::Ended(None)),
                Err(RecvTimeoutError::Timeout) => {
                    if let Some((part, since)) = oldest
                        && since.elapsed() >= limit
                    {
                        return Ok(Turn::Ended(Some(part)));
                    }
                }
            }
        }
    }

    /// Ends the process; why it is no more, in words.
    fn end(&mut self, late: bool) -> String {
        let Some(mut process) = self.process.take() else { return "it could not be started".into() };
        if late {
            process.child.kill().ok();
            process.child.wait().ok();
            return format!("it took longer than {} s and was stopped (`--time-limit`)", self.args.time_limit);
        }
        let status = process.child.wait().map_or_else(|error| error.to_string(), |status| status.to_string());
        process.listener.take().map(std::thread::JoinHandle::join);
        let said = process.take_said();
        let last: Vec<&str> = said.lines().filter(|line| !line.trim().is_empty()).take(6).collect();
        format!("{}: the process that ran it crashed ({status})\n{}", Code::Crash, last.join("\n"))
    }

    /// Tests a file without another process: standard input is not to be had twice.
    fn here(&self, path: &Path) -> Report {
        let state = Mutex::new((State::default(), false));
        let say = |event: Event| {
            let mut state = state.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            let heard = state.0.hear(event);
            state.1 |= heard == Some(true);
        };
        let plan = Plan { args: self.args, inner: self.share.inner, threads: self.share.threads };
        let none = BTreeSet::new();
        work::test_file(&plan, path, &Parts::new(&none, &none, &say, self.style));
        let (State { results, diagnostics, entries, remarks, .. }, blocks) =
            state.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        Report { name: files::shown(path), diagnostics, results: results.into_values().collect(), blocks, entries, remarks }
    }
}

impl State {
    /// Notes an event; at the end, whether the file has test blocks.
    fn hear(&mut self, event: Event) -> Option<bool> {
        match event {
            Event::Begin { part, name, backend } => {
                self.open.insert(part, Open { name, backend, since: Instant::now() });
            }
            Event::End { part, result } => {
                self.open.remove(&part);
                self.done.insert(part);
                if let Some(result) = result {
                    if matches!(result.found, Found::Failed(..)) {
                        self.failed.insert(part);
                    }
                    self.results.insert(part, result);
                }
            }
            Event::Diagnostic { text, error } => self.diagnostics.push((text, error)),
            Event::Done { blocks, entries, notes } => {
                self.entries = entries;
                self.remarks.extend(notes.into_iter().map(Remark::Note));
                return Some(blocks);
            }
        }
        None
    }

    /// Says of a part that it crashed; whether it is known which.
    fn blame(&mut self, late: Option<usize>, why: &str) -> bool {
        let part = match (late, self.open.len()) {
            (Some(part), _) => part,
            (None, 1) => self.open.keys().next().copied().unwrap_or_default(),
            (None, 0) => self.results.keys().next_back().map_or(0, |last| last + 1),
            _ => return false,
        };
        let (name, backend, seconds) = match self.open.remove(&part) {
            Some(open) => (open.name, open.backend, open.since.elapsed().as_secs_f64()),
            None => ("test".into(), None, 0.0),
        };
        self.done.insert(part);
        self.failed.insert(part);
        self.results.insert(part, Result { name, backend, found: Found::Failed(None, why.to_string()), seconds });
        true
    }
}

/// This program, without arguments.
pub fn own() -> std::io::Result<Command> {
    // The name of the file may have gone in the meantime; the system knows the file.
    let own = Path::new("/proc/self/exe");
    let mut started = STARTED.get().map(|(command, _)| command.iter()).into_iter().flatten();
    let mut command = match started.next() {
        Some(interpreter) => Command::new(interpreter),
        None => Command::new(if own.exists() { own.to_path_buf() } else { std::env::current_exe()? }),
    };
    command.args(started);
    Ok(command)
}

/// This program with the same arguments, as a worker.
pub fn again(command: &str) -> std::io::Result<Command> {
    let mut again = own()?;
    let args = STARTED.get().map_or_else(|| std::env::args_os().skip(1).collect(), |(_, args)| args.clone());
    let mut said = false;
    for arg in args {
        let here = !said && arg == command;
        again.arg(arg);
        if here {
            said = true;
            again.arg("--worker");
        }
    }
    Ok(again)
}

impl Process {
    /// This program again, with the same options.
    fn start() -> std::io::Result<Process> {
        let mut child = again("test")?.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
        let missing = || std::io::Error::other("it has no streams");
        let (asks, out, err) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (asks, out, mut err) = (asks.ok_or_else(missing)?, out.ok_or_else(missing)?, err.ok_or_else(missing)?);
        let (sender, events) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(out).lines() {
                let Some(event) = line.ok().and_then(|line| serde_json::from_str(&line).ok()) else { continue };
                if sender.send(event).is_err() {
                    return;
                }
            }
        });
        let said = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&said);
        let listener = std::thread::spawn(move || {
            let mut chunk = [0; 4096];
            while let Ok(count @ 1..) = err.read(&mut chunk) {
                let mut kept = kept.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                let room = SAID.saturating_sub(kept.len());
                kept.extend_from_slice(&chunk[..count.min(room)]);
            }
        });
        Ok(Process { child, asks, events, said, listener: Some(listener) })
    }

    /// What it has said on standard error since the last time.
    fn take_said(&self) -> String {
        let bytes = std::mem::take(&mut *self.said.lock().unwrap_or_else(std::sync::PoisonError::into_inner));
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}
