//! Properties of AUTOMAP on generated programs (Schenck et al., *AUTOMAP*, OOPSLA 2024, section 4.2.3 of the thesis version).
//!
//! Programs come from `generate`; seeds are consecutive numbers, so a run is reproducible. `CASES=N` asks for so many cases of
//! each property, `SEED=N` for other programs, `THREADS=N` for so many at once; `make properties CASES=1000000` is the long
//! run. A failure is printed with the seed of its program and with a smaller program. What exactly each property says, and where
//! it is weaker than in the paper, is in `docs/theory.md`.

mod determinism;
mod examine;
mod variants;

use self::examine::{
    BACKWARDS, DETERMINISM, DISAMBIGUATION, FIXED_POINT, FORWARDS, SAME_VALUES, Scope, Tally, WELL_TYPED, examine, report,
};
use crate::support::batch::{Batch, Verdict};
use crate::support::generate::Random;
use crate::support::generate::helpers::{Style, case};
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
        let enough: Vec<&str> = {
            let tally = total.lock().unwrap_or_else(PoisonError::into_inner);
            let enough = properties.iter().copied().filter(|property| tally.count(property) >= cases).collect::<Vec<_>>();
            if enough.len() == properties.len() || tally.failures.len() > REPORTED {
                return;
            }
            enough
        };
        let turn = next.fetch_add(1, Ordering::Relaxed);
        let seeds = first.wrapping_mul(1 << 32) + turn * TOGETHER..;
        let programs: Vec<_> = seeds.take(TOGETHER as usize).map(|seed| case(seed, style)).collect();
        let mut tally = examine(&programs, turn, scope, &enough);
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
fn share(tally: &Tally, verdict: &str) -> usize {
    let count = |verdict: &str| {
        let own = |note: &str| note == verdict || verdict == "rejected" && note.starts_with("rejected ");
        tally.notes.iter().filter(|(note, _)| own(note)).map(|(_, n)| n).sum::<usize>()
    };
    let all: usize = ["accepted", "ambiguous", "rejected"].map(count).iter().sum();
    100 * count(verdict) / all.max(1)
}

/// Whether the verdicts are spread such that the properties have something to say.
fn spread(tally: &Tally, ambiguous: usize, rejected: usize) {
    let shares = ["accepted", "ambiguous", "rejected"].map(|verdict| (verdict, share(tally, verdict)));
    println!("{shares:?}");
    let least = [50, ambiguous, rejected];
    assert!(shares.iter().zip(least).all(|((_, share), least)| *share >= least), "the generator degenerated: {shares:?}");
}

/// How many of a thousand cases of a property have a note.
fn per_mille(tally: &Tally, property: &str, note: &str) -> usize {
    let count: usize = tally.notes.iter().filter(|(text, _)| text.starts_with(note)).map(|(_, n)| n).sum();
    1000 * count / tally.count(property).max(1)
}

#[test]
fn accepted_programs() {
    let tally = until(Style::Usual, Scope::Some, &[WELL_TYPED, DETERMINISM, FORWARDS, BACKWARDS, FIXED_POINT, SAME_VALUES]);
    conclude(&tally);
    spread(&tally, 4, 4);
    // Most have insertions and run; few steps lead to something else than the same program.
    assert!(per_mille(&tally, WELL_TYPED, "accepted with insertions") > 500 && per_mille(&tally, WELL_TYPED, "runs") > 500);
    assert!(per_mille(&tally, FORWARDS, "forwards:") < 20);
    assert!(per_mille(&tally, FORWARDS, "forwards: refused because of sizes") < 2);
    assert!(per_mille(&tally, FORWARDS, "forwards: the same, with other sizes") < 2);
    assert!(per_mille(&tally, BACKWARDS, "backwards: the same") > 850);
    // What the theorems do not speak of is rare.
    assert!(per_mille(&tally, BACKWARDS, "backwards: the same, with other sizes") < 20);
    assert!(per_mille(&tally, BACKWARDS, "backwards: a cheaper definition") < 20);
    assert!(per_mille(&tally, FIXED_POINT, "fixed point: sizes") < 20);
}

/// Functions of several parameters as arguments: what is decided on the spot is what the whole system says.
#[test]
fn curried_arguments() {
    let texts = [
        "entry t0 (m: i64) : [m][m]i32 = scan (+) 0 ((const 6 5) * 1)",
        "entry t1 [n] [m] (m0: [m][n]i32) : [m][m]i32 = reduce (+) 0 (i32.bool ((\\p -> true) (replicate m m0)))",
        "entry t2 [n] [m] (x: [n][m]i32) : [m]i32 = reduce (rep (+)) (rep 0) x",
        "entry t3 [n] [m] (x: [n][m]i32) : [m]i32 = reduce (\\a b -> a + b) (rep 0) x",
        "def t4 [n] [m] (f: [m]i32 -> [m]i32 -> [m]i32) (x: [n][m]i32) : [m]i32 = reduce f (replicate m 0) x\n\
         entry t5 [n] [m] (x: [n][m]i32) : [m]i32 = t4 (+) x",
    ];
    let batch = Batch::new(&texts);
    let mut random = Random::new(7);
    for (at, text) in texts.iter().enumerate() {
        let id = batch.entry(at).expect("an entry");
        assert_eq!(batch.verdict(at), Verdict::Accepted, "{text}");
        assert_eq!(determinism::check(&batch, id, &mut random), Some(Ok(())), "{text}");
    }
    assert_eq!(batch.cost(2), 0);
}

#[test]
fn ambiguous_programs() {
    let scope = if number("CASES", 0) > 0 { Scope::Some } else { Scope::Readings };
    let tally = until(Style::Wild, scope, &[DISAMBIGUATION]);
    conclude(&tally);
    spread(&tally, 8, 8);
}
