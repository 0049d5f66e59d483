//! Properties of AUTOMAP on generated programs (Schenck et al., *AUTOMAP*, OOPSLA 2024, section 4.2.3 of the thesis version).
//!
//! Programs come from `generate`; seeds are consecutive numbers, so a run is reproducible. `CASES=N` asks for so many cases of
//! each property, `SEED=N` for other programs; `make properties CASES=1000000` is the long run.

#[path = "automap/batch.rs"]
mod batch;
#[path = "rank/brute.rs"]
mod brute;
#[path = "automap/determinism.rs"]
mod determinism;
#[path = "automap/examine.rs"]
mod examine;
mod generate;
#[path = "rank/shared.rs"]
mod shared;
#[path = "automap/variants.rs"]
mod variants;

use examine::{BACKWARDS, DETERMINISM, DISAMBIGUATION, FIXED_POINT, FORWARDS, SAME_VALUES, Scope, Tally, WELL_TYPED, examine, report};
use generate::helpers::{Style, case};
use remora::base::with_big_stack;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// Programs that are checked together.
const TOGETHER: u64 = 400;
/// Failures that are reported in full.
const REPORTED: usize = 3;

fn number(name: &str, default: usize) -> usize {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// Examines programs of a style until each of the properties had enough cases.
fn until(style: Style, scope: Scope, properties: &[&'static str]) -> Tally {
    let (cases, first) = (number("CASES", 2_000), number("SEED", 0) as u64);
    let next = AtomicU64::new(0);
    let total = Mutex::new(Tally::default());
    let work = || loop {
        let enough = |tally: &Tally| properties.iter().all(|property| tally.count(property) >= cases) || tally.failures.len() > REPORTED;
        if enough(&total.lock().unwrap_or_else(PoisonError::into_inner)) {
            return;
        }
        let turn = next.fetch_add(1, Ordering::Relaxed);
        let seeds = first.wrapping_mul(1 << 32) + turn * TOGETHER..;
        let programs: Vec<_> = seeds.take(TOGETHER as usize).map(|seed| case(seed, style)).collect();
        let t0 = std::time::Instant::now();
        let mut tally = examine(&programs, turn, scope);
        if std::env::var("PANICS").is_ok() {
            println!("TURN {turn} {:?} {:?}", t0.elapsed(), tally.cases);
        }
        if std::env::var("PANICS").is_ok() {
            for f in &tally.failures {
                if f.why.starts_with("panic") {
                    println!("PANIC seed {}", turn * TOGETHER + f.at as u64);
                }
            }
            tally.failures.clear();
        }
        let left = REPORTED.saturating_sub(total.lock().unwrap_or_else(PoisonError::into_inner).failures.len());
        for failure in tally.failures.iter_mut().take(left) {
            failure.why =
                format!("seed {}: {}", first.wrapping_mul(1 << 32) + turn * TOGETHER + failure.at as u64, report(&programs, failure, 300));
        }
        total.lock().unwrap_or_else(PoisonError::into_inner).add(tally);
    };
    let threads = number("THREADS", 1);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| with_big_stack(work));
        }
    });
    total.into_inner().unwrap_or_else(PoisonError::into_inner)
}

fn conclude(tally: &Tally) {
    println!("{:#?}\n{:#?}", tally.cases, tally.notes);
    let failures: Vec<&str> = tally.failures.iter().take(REPORTED).map(|failure| failure.why.as_str()).collect();
    assert!(failures.is_empty(), "{} failures\n{}", tally.failures.len(), failures.join("\n"));
}

/// A share of the programs, in percent.
fn share(tally: &Tally, prefix: &str) -> usize {
    let count = |prefix: &str| tally.notes.iter().filter(|(note, _)| note.starts_with(prefix)).map(|(_, n)| n).sum::<usize>();
    let verdicts = tally.notes.get("accepted").unwrap_or(&0) + tally.notes.get("ambiguous").unwrap_or(&0) + count("rejected");
    100 * count(prefix) / verdicts.max(1)
}

#[test]
fn accepted_programs() {
    let tally = until(Style::Usual, Scope::Some, &[WELL_TYPED, DETERMINISM, FORWARDS, BACKWARDS, FIXED_POINT, SAME_VALUES]);
    conclude(&tally);
}

#[test]
fn ambiguous_programs() {
    let scope = if number("CASES", 0) > 0 { Scope::Some } else { Scope::Readings };
    let tally = until(Style::Wild, scope, &[DISAMBIGUATION]);
    conclude(&tally);
    assert!(share(&tally, "ambiguous") >= 10 && share(&tally, "rejected") >= 10, "the generator degenerated");
}

#[test]
fn one() {
    with_big_stack(|| {
        let seed = number("ONE", 0) as u64;
        let programs = [case(seed, if std::env::var("WILD").is_ok() { Style::Wild } else { Style::Usual })];
        println!("{}", programs[0].print("").text);
        let tally = examine(&programs, 1, Scope::All);
        for f in &tally.failures {
            println!("{} {}", f.property, f.why);
        }
        println!("{:?}", tally.notes);
    });
}
