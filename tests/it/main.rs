//! Tests of the compiler, a module for each part of it.
//!
//! They are one program: each test binary links the whole compiler again, and tests of one binary run beside each other.
//! Programs with their expectations are tested by `tests/suites`; what needs a process of its own is a binary of its own.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "tests read files and start programs")]

mod back;
mod cli;
mod diag;
mod driver;
mod front;
mod interp;
mod ir;
mod layers;
mod middle;
mod rank;
mod theory;

#[path = "../support/mod.rs"]
mod support;
