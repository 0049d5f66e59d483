//! Tests that are made of files: each program of the corpus, each golden file, each example is a test.
//!
//! A test is called `SUITE::FILE`, so that `cargo test --test suites -- reports::` runs one suite and `-- optimise::read tests/data/corpus/np`
//! a part of it.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "tests read files and start the program")]

mod corpus;
mod cuda;
mod erasure;
mod fixed_point;
mod optimise;
mod programs_of_size;
mod reports;

#[path = "../support/mod.rs"]
mod support;

use libtest_mimic::{Arguments, Trial};
use std::process::ExitCode;

/// The suites; each names its tests.
const SUITES: &[fn() -> Vec<Trial>] =
    &[corpus::trials, cuda::trials, programs_of_size::trials, erasure::trials, fixed_point::trials, optimise::trials, reports::trials];

/// What takes longest: of these a run may do a part.
const SHARED: [&str; 9] = [
    "corpus::evaluators ",
    "corpus::sanitized ",
    "corpus::strict ",
    "corpus::plain ",
    "cuda::",
    "erasure::",
    "fixed_point::",
    "programs_of_size::",
    "optimise::",
];
/// Programs that are about memory and compiled code are in every third part.
const IN_MORE_PARTS: [&str; 3] = ["tests/data/corpus/compiled/", "tests/data/corpus/traps/", "tests/data/corpus/updates/"];

/// `SUITES_PART=0/2`: the first of two parts.
fn part() -> Option<(u64, u64)> {
    let text = std::env::var("SUITES_PART").ok().filter(|text| !text.is_empty())?;
    let (part, parts) = text.split_once('/').expect("SUITES_PART is PART/PARTS");
    Some((part.parse().expect("a number"), parts.parse().expect("a number")))
}

/// Whether a test is in a part.
fn is_in(name: &str, (part, parts): (u64, u64)) -> bool {
    let parts = if IN_MORE_PARTS.iter().any(|folder| name.contains(folder)) { parts.min(3) } else { parts };
    let sum = name.bytes().fold(0, |sum: u64, byte| sum.wrapping_mul(31).wrapping_add(byte.into()));
    !SHARED.iter().any(|suite| name.starts_with(suite)) || sum % parts == part % parts
}

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let mut trials: Vec<Trial> = SUITES.iter().flat_map(|trials| trials()).collect();
    let (all, part) = (trials.len(), part());
    if let Some(part) = part {
        trials.retain(|trial| is_in(trial.name(), part));
        println!("SUITES_PART: {} of {all} tests are in other parts", all - trials.len());
    }
    let conclusion = libtest_mimic::run(&arguments, trials);
    let is_all = arguments.filter.is_none() && arguments.skip.is_empty() && !arguments.list && part.is_none();
    if is_all && !conclusion.has_failed() && !erasure::has_stepped_enough() {
        return ExitCode::FAILURE;
    }
    conclusion.exit_code()
}
