//! The corpus of the fuzzer is replayed, and every target is fuzzed a little: without an engine, on mutations of the inputs in
//! the repository that follow from a seed (`PROPTEST_RNG_SEED`), for longer where `FUZZ_SECONDS` says so. An input may take [`MOST_TIME`] and [`MOST_MEMORY`]; one that takes
//! more, or panics, is written to a file and named.

#![allow(clippy::disallowed_methods, reason = "tests read files and the environment")]

#[path = "../fuzz/mutate.rs"]
mod mutate;
#[path = "../fuzz/targets.rs"]
mod targets;

use mutate::{Mutator, Random};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};
use targets::Target;

/// Time for one input.
const MOST_TIME: Duration = Duration::from_secs(30);
/// Memory for one input, in bytes, beyond what the test had before.
const MOST_MEMORY: usize = 2 << 30;
/// How many inputs of each target are tried, unless `FUZZ_SECONDS` says how long: the same ones however busy the machine is.
fn inputs(target: Target) -> u64 {
    match target {
        Target::Syntax | Target::Data | Target::Rank => 300,
        Target::Format => 100,
        Target::Check | Target::Core | Target::Apl => 30,
    }
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz")
}

fn seed() -> u64 {
    let seed = std::env::var("PROPTEST_RNG_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(20240);
    println!("seed {seed}: set PROPTEST_RNG_SEED to try others");
    seed
}

/// Memory of the process, in bytes; 0 where that cannot be found out.
fn memory() -> usize {
    let pages = std::fs::read_to_string("/proc/self/statm").ok().and_then(|line| line.split(' ').nth(1)?.parse::<usize>().ok());
    pages.unwrap_or(0) * 4096
}

/// Tells a watching thread what is being tried.
struct Watch {
    begin: Sender<Vec<u8>>,
}

impl Watch {
    /// Starts the thread.
    fn new(target: Target) -> Watch {
        let (begin, inputs) = channel();
        std::thread::spawn(move || watch(target, &inputs));
        Watch { begin }
    }
    /// Runs a target on an input; the watching thread ends the process if that takes too much.
    fn run(&self, target: Target, input: &[u8]) {
        self.begin.send(input.to_vec()).expect("the watching thread lives as long as this");
        if std::panic::catch_unwind(|| targets::run(target, input)).is_err() {
            panic!("{} fails on {}", target.name(), keep(target, input).display());
        }
    }
}

/// Writes an input down.
fn keep(target: Target, input: &[u8]) -> PathBuf {
    let path = std::env::temp_dir().join(format!("remora-fuzz-{}-{}", target.name(), std::process::id()));
    std::fs::write(&path, input).expect("the folder for temporary files can be written to");
    path
}

fn watch(target: Target, inputs: &Receiver<Vec<u8>>) {
    let Ok(mut input) = inputs.recv() else { return };
    let (mut start, mut before) = (Instant::now(), memory());
    loop {
        match inputs.recv_timeout(Duration::from_millis(100)) {
            Ok(next) => {
                (start, before) = (Instant::now(), memory());
                input = next;
            }
            Err(RecvTimeoutError::Disconnected) => return,
            Err(RecvTimeoutError::Timeout) => {
                let used = memory().saturating_sub(before);
                if start.elapsed() > MOST_TIME || used > MOST_MEMORY {
                    let path = keep(target, &input);
                    eprintln!("{} takes {:?} and {used} bytes on {}", target.name(), start.elapsed(), path.display());
                    std::process::abort();
                }
            }
        }
    }
}

fn replay(target: Target) {
    let watch = Watch::new(target);
    let mut paths = Vec::new();
    targets::files(&folder().join("corpus").join(target.name()), None, &mut paths);
    assert!(!paths.is_empty(), "the corpus of {} is there", target.name());
    for path in paths {
        println!("{}", path.display());
        watch.run(target, &std::fs::read(&path).expect("readable"));
    }
}

fn fuzz(target: Target) {
    let watch = Watch::new(target);
    let mut random = Random::new(seed());
    let mut mutator = Mutator::new(target, targets::seeds(target, &folder()));
    let seconds = std::env::var("FUZZ_SECONDS").ok().and_then(|seconds| seconds.parse().ok()).map(Duration::from_secs);
    let (start, mut tried) = (Instant::now(), 0);
    while seconds.map_or(tried < inputs(target), |seconds| start.elapsed() < seconds) {
        let input = mutator.seed(&mut random).to_vec();
        let input = mutator.mutate(&input, random.next());
        watch.run(target, &input);
        tried += 1;
    }
    println!("{}: {tried} inputs", target.name());
}

macro_rules! tests {
    ($($target:ident $replay:ident $fuzz:ident),*) => {
        $(
            #[test]
            fn $replay() {
                replay(Target::$target);
            }
            #[test]
            fn $fuzz() {
                fuzz(Target::$target);
            }
        )*
    };
}
tests!(
    Syntax replay_syntax fuzz_syntax,
    Format replay_format fuzz_format,
    Check replay_check fuzz_check,
    Core replay_core fuzz_core,
    Rank replay_rank fuzz_rank,
    Data replay_data fuzz_data,
    Apl replay_apl fuzz_apl
);

#[test]
fn the_corpus_is_small() {
    let mut paths = Vec::new();
    targets::files(&folder().join("corpus"), None, &mut paths);
    let bytes: u64 = paths.iter().filter_map(|path| path.metadata().ok()).map(|meta| meta.len()).sum();
    assert!(bytes < 300_000, "{bytes} bytes in {} files", paths.len());
    assert_eq!(targets::ALL.len(), 7);
}
