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

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let conclusion = libtest_mimic::run(&arguments, SUITES.iter().flat_map(|trials| trials()).collect());
    let is_all = arguments.filter.is_none() && arguments.skip.is_empty() && !arguments.list;
    if is_all && !conclusion.has_failed() && !erasure::has_stepped_enough() {
        return ExitCode::FAILURE;
    }
    conclusion.exit_code()
}
