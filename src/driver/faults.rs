//! Faults that tests plant: what a step of the pipeline has made is broken on purpose, to see that it is found and the step blamed. Only
//! builds with the feature `mutations` have them.

use crate::base::Span;
use crate::ir::{imp, soac};
use std::sync::OnceLock;

static STEP: OnceLock<String> = OnceLock::new();

/// Plants a fault in what the step with this name makes, for the rest of the process.
pub fn plant(step: String) {
    STEP.get_or_init(|| step);
}

/// Stops in a step of checking, which makes nothing that could be broken, if that was asked for.
pub(super) fn stop(step: &str) {
    if STEP.get().is_some_and(|name| name == step) {
        crate::ice!(Span::default(), "a test has planted a fault here");
    }
}

/// Programs that can be broken.
pub(super) trait Breakable {
    /// Takes out statements that others need.
    fn damage(&mut self);
}

impl Breakable for soac::Program {
    fn damage(&mut self) {
        for k in 0..self.funs.len() {
            self.funs[soac::FunId::new(k)].body.stms.clear();
        }
    }
}

impl Breakable for imp::Program {
    fn damage(&mut self) {
        for k in 0..self.funs.len() {
            self.funs[imp::FunId::new(k)].body.clear();
        }
    }
}

/// What a step has made, broken if that was asked for.
pub(super) fn planted<P: Breakable>(step: &str, mut made: P) -> P {
    if STEP.get().is_some_and(|name| name == step) {
        made.damage();
    }
    made
}
