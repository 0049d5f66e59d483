//! The formatter, for a fuzzing engine; `fuzz/targets.rs` says what is run.
#![no_main]
#[path = "../engine.rs"]
mod engine;

engine::target!(engine::Target::Format);
