//! Stopping an evaluation from outside, as Ctrl-C does: the evaluator of core asks in every round of a loop and for every cell of a map.

use super::failure::{Failure, Outcome};
use crate::base::{Code, Span};
use std::sync::atomic::{AtomicBool, Ordering};

static ASKED: AtomicBool = AtomicBool::new(false);

/// Asks all evaluations of this process to stop.
pub fn ask() {
    ASKED.store(true, Ordering::Relaxed);
}

/// Takes back what was asked; true if something was.
pub fn clear() -> bool {
    ASKED.swap(false, Ordering::Relaxed)
}

/// Fails once an evaluation is to stop.
#[inline]
pub(super) fn check() -> Outcome<()> {
    if ASKED.load(Ordering::Relaxed) { Err(Failure::new(Code::Interrupted, Span::default(), "interrupted")) } else { Ok(()) }
}
