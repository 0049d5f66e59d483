//! Mistakes that are put into the compiler (`src/base/mutation.rs`) are found by its tests.
//!
//! `cargo test --features mutations --test mutations` tries some of them, drawn by `SEED`, with what found them before. `make mutations` tries
//! all of them (`ONLY=Name,Name` or parts of names or files) with all nets, cheapest first, each for `MINUTES` (10) at most: what is written in
//! `tests/mutations/found.txt` first, unless `FRESH=1`; `NETS=generated` names nets. `WRITE=1` rewrites the list. What is found by nothing, and
//! not listed as such with a reason, is an error; so is what is listed, but found.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "tests read files and start processes")]
#![allow(dead_code, reason = "other tests use more of these modules")]

#[path = "automap/batch.rs"]
mod batch;
mod generate;
#[path = "mutations/mod.rs"]
mod mutations;
mod programs;
mod shim;
#[path = "torture/mod.rs"]
mod torture;

use std::process::ExitCode;

fn main() -> ExitCode {
    mutations::main()
}
