//! Mistakes that are put into the compiler (`src/base/mutation.rs`) are found by its tests.
//!
//! `cargo test --features mutations --test mutations` tries some of them, drawn by `SEED`, with what found them before. `make mutations` tries
//! all of them (`ONLY=Name,Name` or parts of names or files) with all nets, cheapest first, each for `MINUTES` (10) at most: what is written in
//! `tests/data/mutations/found.txt` first, unless `FRESH=1`; `NETS=generated` names nets. `WRITE=1` rewrites the list. What is found by nothing, and
//! not listed as such with a reason, is an error; so is what is listed, but found.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "tests read files and start processes")]

mod generated;
mod list;
mod nets;
mod texts;

#[path = "../support/mod.rs"]
mod support;

use list::{Entry, List};
use nets::{Caught, Net};
use remora::base::mutation::{self, ALL, Info};
use std::collections::BTreeMap;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// Mutations that ordinary tests try.
const SOME: usize = 4;

fn text(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|text| !text.is_empty())
}
fn number(name: &str) -> Option<u64> {
    text(name)?.parse().ok()
}

/// What the command line and the environment ask for.
fn main() -> ExitCode {
    if let Some(name) = text("REMORA_MUTATION") {
        mutation::switch_on(mutation::find(&name).expect("a mutation"));
    }
    if generated::is_child() {
        return generated::child();
    }
    if std::env::args().any(|argument| argument == "--list") {
        println!("mutations: test");
        return ExitCode::SUCCESS;
    }
    let list = List::read();
    let mut problems = texts::problems();
    let writes = number("WRITE").is_some();
    if !writes && !list.is_documented() {
        problems.push("docs/testing-the-compiler.md has another table: make mutations WRITE=1 ONLY=none".into());
    }
    let known = |name: &String| ALL.iter().any(|info| info.name == name);
    let unknown = list.found.keys().chain(list.survivors.keys()).filter(|name| !known(name));
    problems.extend(unknown.map(|name| format!("there is no mutation {name}")));
    if !problems.is_empty() {
        eprintln!("{}", problems.join("\n"));
        return ExitCode::FAILURE;
    }
    if number("ALL").is_some() || text("ONLY").is_some() { all(list) } else { some(&list) }
}

/// Some mutations that were found before are found again by what found them.
fn some(list: &List) -> ExitCode {
    let seed = number("SEED").or(number("PROPTEST_RNG_SEED")).unwrap_or(0);
    let quick: Vec<&Entry> = list.found.values().filter(|entry| entry.is_quick()).collect();
    let drawn = draw(quick.len(), SOME, seed).into_iter().map(|k| quick[k]);
    let mut missed = Vec::new();
    for entry in drawn {
        let (net, program) = entry.finder().expect("found before");
        match net.again(&entry.name, program) {
            Some(caught) => println!("{}: {}", entry.name, caught.line()),
            None => missed.push(format!("{}: {} with {program} does not find it any more", entry.name, net.name())),
        }
    }
    println!("{} mutations, {} missed (seed {seed})", SOME.min(quick.len()), missed.len());
    missed.iter().for_each(|line| eprintln!("{line}"));
    if missed.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// So many different numbers below `n`.
fn draw(n: usize, count: usize, seed: u64) -> Vec<usize> {
    let mut left: Vec<usize> = (0..n).collect();
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut out = Vec::new();
    while out.len() < count && !left.is_empty() {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        out.push(left.swap_remove((state >> 33) as usize % left.len()));
    }
    out
}

fn chosen() -> Vec<&'static Info> {
    let only: Vec<String> = text("ONLY").map(|only| only.split(',').map(str::to_string).collect()).unwrap_or_default();
    let wanted = |info: &&Info| only.is_empty() || only.iter().any(|part| info.name == part || info.file.starts_with(part.as_str()));
    ALL.iter().filter(wanted).collect()
}

/// Every mutation, until a net finds it.
fn all(mut list: List) -> ExitCode {
    let limit = Duration::from_secs(60 * number("MINUTES").unwrap_or(10));
    let fresh = number("FRESH").is_some();
    let only = text("NETS");
    let chosen = chosen();
    let mut wrong = Vec::new();
    // Programs that have found much are tried first.
    let mut hits: BTreeMap<String, usize> = BTreeMap::new();
    for info in &chosen {
        let start = Instant::now();
        let nets: Vec<Net> =
            Net::of(info.file).into_iter().filter(|net| only.as_ref().is_none_or(|only| net.name().contains(only.as_str()))).collect();
        let before = list.found.get(info.name).and_then(Entry::finder).filter(|(net, _)| !fresh && nets.contains(net));
        let again = before.and_then(|(net, program)| Some((net, net.again(info.name, program)?)));
        let caught = again.or_else(|| search(info, &nets, start + limit, &hits));
        let seconds = start.elapsed().as_secs_f64();
        match &caught {
            Some((net, caught)) => {
                *hits.entry(caught.program.clone()).or_default() += 1;
                println!("{:24} {:8.1} s  {:10} {}  {}", info.name, seconds, net.name(), caught.program, caught.what);
                list.note(info.name, *net, caught, seconds);
                if list.survivors.contains_key(info.name) {
                    wrong.push(format!("{} is listed as not found, but it is", info.name));
                }
            }
            None => {
                println!("{:24} {:8.1} s  SURVIVES ({})", info.name, seconds, info.what);
                if !list.survivors.contains_key(info.name) {
                    wrong.push(format!("{} is not found ({}: {})", info.name, info.file, info.what));
                }
            }
        }
        if number("WRITE").is_some() {
            list.write();
        }
    }
    if number("WRITE").is_some() {
        list.write();
    }
    println!("{} mutations, {} of them not as listed", chosen.len(), wrong.len());
    wrong.iter().for_each(|line| eprintln!("{line}"));
    if wrong.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The first net that finds it.
fn search(info: &Info, nets: &[Net], end: Instant, hits: &BTreeMap<String, usize>) -> Option<(Net, Caught)> {
    nets.iter().find_map(|net| Some((*net, net.run(info.name, end, hits)?)))
}
