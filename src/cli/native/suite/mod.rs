//! The C compiler is tested before it is trusted: small loops of the kinds that programs consist of, compiled with the options of programs and
//! run, once for a compiler; the verdict is kept in the cache.

mod expected;

use super::build::{Files, Problem, obtain};
use super::compiler::{Compiler, STEPS, first_line, name_of};
use super::notes;
use crate::diag::Diagnostic;
use crate::driver;
use std::collections::HashMap;
use std::hash::{Hash, Hasher};
use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// What the program is compiled of.
const SOURCE: &str = include_str!("loops.c");
const HEADERS: &str =
    "#include <math.h>\n#include <stdbool.h>\n#include <stdint.h>\n#include <stdio.h>\n#include <string.h>\n#include <unistd.h>\n";
/// An entry of the cache.
const FILES: Files = Files { text: "loops.c", made: "verdict" };
/// The loops take milliseconds.
const PATIENCE: Duration = Duration::from_secs(20);
/// Cases that are named at most.
const NAMED: usize = 3;

fn text() -> String {
    format!("{HEADERS}{}{SOURCE}", driver::LOOPS)
}

/// A number for the suite: what was compiled after other tests is compiled again.
pub(super) fn number() -> u64 {
    let mut hasher = rustc_hash::FxHasher::default();
    text().hash(&mut hasher);
    hasher.finish()
}

/// On which step of the ladder a compiler makes what it should, and what it did on those before.
#[derive(Debug, Clone, PartialEq)]
struct Verdict {
    step: usize,
    faults: Vec<String>,
}

/// The step on which programs are compiled; a note says so if it is not the first.
///
/// # Errors
/// E0615: there is none. A compiler that makes nothing at all is tried with the program, whose error says more.
pub(super) fn first_step(compiler: &Compiler) -> Result<usize, Box<Diagnostic>> {
    static KNOWN: Mutex<Option<HashMap<String, Verdict>>> = Mutex::new(None);
    let mut known = KNOWN.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let known = known.get_or_insert_default();
    let identity = compiler.identity();
    let verdict = match known.get(&identity) {
        Some(verdict) => verdict.clone(),
        None => {
            let verdict = kept(compiler, &identity);
            known.insert(identity, verdict.clone());
            verdict
        }
    };
    if verdict.step >= STEPS {
        return Err(compiler.wrong(&verdict.faults));
    }
    if !verdict.faults.is_empty() {
        let (cc, step, faults) = (compiler.called(), name_of(verdict.step), verdict.faults.join("; "));
        notes::keep(format!("note: the C compiler `{cc}` was tested: {faults}; programs are compiled with {step}"));
    }
    Ok(verdict.step)
}

/// The verdict from the cache, or a new one.
fn kept(compiler: &Compiler, identity: &str) -> Verdict {
    let test = |folder: &Path| {
        let verdict = test(compiler, folder)?;
        Ok(std::fs::write(folder.join(FILES.made), written(&verdict))?)
    };
    let found = obtain(FILES, &text(), identity, &test);
    let read = found.ok().and_then(|entry| std::fs::read_to_string(entry.path()).ok()).and_then(|text| read(&text));
    // What cannot be tested is not known to be wrong.
    read.unwrap_or_else(|| Verdict { step: 0, faults: vec!["the test could not be made".into()] })
}

fn written(verdict: &Verdict) -> String {
    format!("{}\n{}\n", verdict.step, verdict.faults.join("\n"))
}

fn read(text: &str) -> Option<Verdict> {
    let mut lines = text.lines();
    let step = lines.next()?.parse().ok()?;
    Some(Verdict { step, faults: lines.filter(|line| !line.is_empty()).map(str::to_string).collect() })
}

/// Goes down the ladder. A compiler that compiles on no step gives no verdict.
fn test(compiler: &Compiler, folder: &Path) -> Result<Verdict, Problem> {
    let mut verdict = Verdict { step: 0, faults: Vec::new() };
    let (mut ran, program) = (false, folder.join("loops"));
    while verdict.step < STEPS {
        let found = look(compiler, verdict.step, folder, &program, &mut ran)?;
        std::fs::remove_file(&program).ok();
        match &found {
            Found::Good => break,
            Found::Bad(fault) | Found::Unknown(fault) => verdict.faults.push(format!("with {} {fault}", name_of(verdict.step))),
        }
        if matches!(found, Found::Unknown(_)) {
            break;
        }
        verdict.step += 1;
    }
    // A compiler that makes nothing is not wrong; its own error is to be seen.
    Ok(if ran || verdict.step < STEPS { verdict } else { Verdict { step: 0, faults: Vec::new() } })
}

/// What comes of a step.
enum Found {
    Good,
    Bad(String),
    /// What it makes cannot be run here.
    Unknown(String),
}

/// Tries a step.
fn look(compiler: &Compiler, step: usize, folder: &Path, program: &Path, ran: &mut bool) -> Result<Found, Problem> {
    let output = compiler.program_of(step, &folder.join(FILES.text), program).map_err(Problem::Compiler)?;
    if !output.status.success() || !program.is_file() {
        let line = first_line(&output);
        return if line.contains("No space left") { Err(Problem::Space(line)) } else { Ok(Found::Bad(format!("it fails ({line})"))) };
    }
    *ran = true;
    // With sanitizers: looking for leaks attaches to the process, which is not possible everywhere, and is not what is tested.
    let sanitizer = [std::env::var("ASAN_OPTIONS").unwrap_or_default(), "detect_leaks=0".to_string()].join(":");
    let mut command = Command::new(program);
    command.env("ASAN_OPTIONS", sanitizer.trim_start_matches(':'));
    let started = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let child = match started {
        Ok(child) => child,
        Err(error) => return Ok(Found::Unknown(format!("a test program cannot be started: {error}"))),
    };
    let fault = match said(child) {
        Ok(text) => difference(&text),
        Err(why) => Some(format!("a test program {why}")),
    };
    Ok(fault.map_or(Found::Good, Found::Bad))
}

/// The cases that compute something else than they should.
fn difference(said: &str) -> Option<String> {
    let mut lines = said.lines();
    let wrong: Vec<String> = expected::expected()
        .into_iter()
        .filter(|(name, sum)| lines.next() != Some(&format!("{name} {sum:016x}")))
        .map(|(name, _)| format!("`{name}`"))
        .collect();
    let more = if wrong.len() > NAMED { format!(" and {} more", wrong.len() - NAMED) } else { String::new() };
    (!wrong.is_empty()).then(|| format!("loops compute something wrong: {}{more}", wrong[..wrong.len().min(NAMED)].join(", ")))
}

/// What a program writes, which may run for so long.
fn said(mut child: Child) -> Result<String, String> {
    let (output, errors) = (child.stdout.take(), child.stderr.take());
    // The program writes less than a pipe holds, so that it ends without being listened to.
    let status = wait(&mut child)?;
    let mut text = String::new();
    if let Some(mut output) = output {
        output.read_to_string(&mut text).map_err(|error| error.to_string())?;
    }
    if status.success() {
        return Ok(text);
    }
    let mut why = Vec::new();
    if let Some(mut errors) = errors {
        errors.read_to_end(&mut why).map_err(|error| error.to_string())?;
    }
    let why = String::from_utf8_lossy(&why);
    let line = why.lines().find(|line| line.chars().any(char::is_alphabetic)).map(|line| format!(" ({})", line.trim()));
    Err(format!("ends with {status}{}", line.unwrap_or_default()))
}

fn wait(child: &mut Child) -> Result<std::process::ExitStatus, String> {
    let begun = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Ok(status),
            Ok(None) if begun.elapsed() < PATIENCE => std::thread::sleep(Duration::from_millis(1)),
            _ => {
                child.kill().ok();
                child.wait().ok();
                return Err("does not end".into());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sums that a compiler which makes no mistake came to, on the day when the suite was written.
    #[test]
    fn what_is_expected_stays() {
        let all = expected::expected();
        assert_eq!(all.len(), 54);
        let said: String = all.iter().map(|(name, sum)| format!("{name} {sum:016x}\n")).collect();
        assert_eq!(difference(&said), None);
        let other = said.replacen("power_i32 ", "power_i32 0", 1);
        assert_eq!(difference(&other).as_deref(), Some("loops compute something wrong: `power_i32`"));
        assert!(difference("").is_some_and(|text| text.contains("and 51 more")));
    }

    #[test]
    fn verdicts_are_read_back() {
        for faults in [vec![], vec!["with -O3 it fails".to_string()]] {
            let verdict = Verdict { step: faults.len(), faults };
            assert_eq!(read(&written(&verdict)), Some(verdict));
        }
        assert_eq!(read("x\n"), None);
    }
}
