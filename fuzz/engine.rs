//! What the targets have in common under libFuzzer: its mutations are those of `mutate.rs`, half of the time, else its own.

#[path = "mutate.rs"]
pub mod mutate;
#[path = "targets.rs"]
pub mod targets;

pub use targets::Target;

use mutate::Mutator;
use std::path::Path;
use std::sync::{Mutex, OnceLock};

/// Mutations that know the target's language; libFuzzer's own every other time.
pub fn mutated(target: Target, data: &mut [u8], size: usize, max: usize, seed: u32) -> usize {
    static MUTATOR: OnceLock<Mutex<Mutator>> = OnceLock::new();
    if seed.is_multiple_of(2) {
        return libfuzzer_sys::fuzzer_mutate(data, size, max);
    }
    let new = || Mutex::new(Mutator::new(target, targets::seeds(target, Path::new(env!("CARGO_MANIFEST_DIR")))));
    let mut mutator = MUTATOR.get_or_init(new).lock().expect("one thread");
    let out = mutator.mutate(&data[..size], u64::from(seed));
    let length = out.len().min(max);
    data[..length].copy_from_slice(&out[..length]);
    length
}

/// The entry points of libFuzzer for a target.
macro_rules! target {
    ($target:expr) => {
        libfuzzer_sys::fuzz_target!(|data: &[u8]| engine::targets::run($target, data));
        libfuzzer_sys::fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
            engine::mutated($target, data, size, max_size, seed)
        });
    };
}
pub(crate) use target;
