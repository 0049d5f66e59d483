//! Generated programs (`tests/support/torture`) with a mutation, in a process of their own.

use super::nets::{Caught, Net, finish};
use crate::support::torture::run::{Options, Way};
use crate::support::torture::{self, worker};
use remora::base::with_big_stack;
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

/// The variable with the ways.
const WAYS: &str = "REMORA_MUTATION_WAYS";
/// The variable with the seed.
const SEED: &str = "REMORA_MUTATION_SEED";
/// The variable with the seconds.
const SECONDS: &str = "REMORA_MUTATION_SECONDS";

/// Programs that are made together.
const TOGETHER: u64 = 25;

/// Whether this process has been started here, or by `tests/support/torture/worker.rs`.
pub fn is_child() -> bool {
    std::env::var_os(WAYS).is_some() || std::env::args().any(|argument| argument == "torture_worker")
}

fn number(name: &str) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(0)
}

/// The work of such a process.
pub fn child() -> ExitCode {
    if std::env::args().any(|argument| argument == "torture_worker") {
        with_big_stack(worker::work);
        return ExitCode::SUCCESS;
    }
    let ways = std::env::var(WAYS).unwrap_or_default();
    let options = Options {
        seed: number(SEED),
        cases: 1 << 30,
        time: Duration::from_secs(number(SECONDS)),
        ways: ways.split(',').filter_map(Way::named).collect(),
        together: TOGETHER,
        shrinking: Duration::ZERO,
        texts: None,
        enough: 1,
        folder: None,
    };
    let report = with_big_stack(|| torture::run::torture(&options));
    match report.findings.first() {
        Some(finding) => {
            // The group of programs that it was found in begins here.
            println!("seed {}", finding.program.seed - (finding.program.seed - options.seed) % TOGETHER);
            println!("failed: {}", finding.signature());
            ExitCode::FAILURE
        }
        None => ExitCode::SUCCESS,
    }
}

/// Looks until a time, from a seed on.
pub fn run(net: Net, mutation: &str, end: Instant, seed: Option<u64>) -> Option<Caught> {
    let ways = match net {
        Net::GeneratedEvaluators => "soac,kernel",
        Net::GeneratedCpu => "cpu",
        Net::GeneratedDevice => "device",
        _ => "sanitized",
    };
    let left = end.saturating_duration_since(Instant::now()).as_secs();
    if left == 0 {
        return None;
    }
    let seconds = if seed.is_some() { 1 } else { left };
    let mut command = Command::new(std::env::current_exe().expect("a program"));
    command.env("REMORA_MUTATION", mutation).env(WAYS, ways).env(SECONDS, seconds.to_string());
    command.env(SEED, seed.unwrap_or(1 << 40).to_string());
    command.stdin(Stdio::null());
    let said = finish(command, Duration::from_secs(seconds + 180)).err()?;
    let first = said.lines().find_map(|line| line.strip_prefix("seed ")).map(str::to_string);
    Some(Caught { program: first.unwrap_or_else(|| (1u64 << 40).to_string()), what: super::nets::telling(&said) })
}
