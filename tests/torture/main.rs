//! Random programs of views and updates mean the same everywhere (`tests/support/torture` makes and compares them).
//!
//! `CASES=N` asks for so many programs, `SEED=N` for others, `MINUTES=N` bounds the time instead, `STAGES=soac,kernel,imp,imp-device,cpu,sanitized,device` says what
//! runs them, `TOGETHER=N` how many are compiled as one, `SHRINK=N` for how many seconds a finding is made smaller, `FINDINGS=FOLDER` where
//! findings are written, `ENOUGH=N` after how many findings it ends, `TEXTS=FOLDER` where all programs are written, `FORMS=all` for recursive functions and derivatives too. The test fails if there
//! are findings.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "tests write files and start processes")]

#[path = "../support/mod.rs"]
mod support;

use crate::support::torture::compare::{agree, agree_but_for_zeros, close};
use crate::support::torture::evaluate::Outcome;
use crate::support::torture::run::{Options, Way, torture as run};
use crate::support::torture::worker;
use remora::base::with_big_stack;
use std::time::Duration;

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// What the environment asks for; otherwise so many programs in these ways.
fn options(cases: u64, ways: &str) -> Options {
    let minutes = number("MINUTES", 0);
    let stages = std::env::var("STAGES").ok().filter(|text| !text.is_empty()).unwrap_or_else(|| ways.into());
    let named = |name: &str| Way::named(name).unwrap_or_else(|| panic!("there is no stage `{name}`"));
    Options {
        seed: number("SEED", 0) << 32,
        cases: number("CASES", if minutes > 0 { u64::from(u32::MAX) } else { cases }),
        time: Duration::from_secs(if minutes > 0 { 60 * minutes } else { 24 * 3600 }),
        ways: stages.split(',').map(named).collect(),
        together: number("TOGETHER", 50),
        shrinking: Duration::from_secs(number("SHRINK", 60)),
        enough: number("ENOUGH", if minutes > 0 { 1000 } else { 1 }) as usize,
        folder: std::env::var_os("FINDINGS").map(Into::into),
        texts: std::env::var_os("TEXTS").map(Into::into),
    }
}

fn nothing_is_found(options: &Options) {
    let report = with_big_stack(|| run(options));
    println!("{}", report.text());
    assert!(report.accepted * 10 >= report.made * 9, "the generator degenerated: {:#?}", report.refused);
    assert!(report.findings.is_empty(), "{} findings", report.findings.len());
}

#[test]
fn evaluators_agree() {
    nothing_is_found(&options(200, "soac,kernel,imp,imp-device"));
}

/// The process that runs compiled programs (`tests/support/torture/worker.rs`); otherwise nothing.
#[test]
fn torture_worker() {
    with_big_stack(worker::work);
}

#[test]
fn compiled_programs_agree() {
    nothing_is_found(&options(40, "cpu,sanitized,device"));
}

#[test]
fn rounding_is_no_difference() {
    assert!(close("[1.0f64, 2.5f64]", "[1.0000000000000002f64, 2.5f64]"));
    assert!(!close("[1.0f64, 2.5f64]", "[1.1f64, 2.5f64]"));
    let value = |text: &str| Outcome::Value(text.to_string());
    assert!(agree_but_for_zeros(&value("[-0.0f64, 1.0-0.0jc128]"), &value("[0.0f64, 1.0+0.0jc128]")));
    assert!(!agree_but_for_zeros(&value("[-0.05f64]"), &value("[0.05f64]")) && !agree(&value("-0.0f64"), &value("0.0f64")));
    assert!(!close("[1i64]", "[2i64]") && !close("[1i64]", "[1i64, 1i64]") && !close("0.0f32", "-0.0f32"));
}
