#![no_main]
#[path = "../engine.rs"]
mod engine;

engine::target!(engine::Target::Data);
