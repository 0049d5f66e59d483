//! Core written by hand.

use super::{Checked, validate_core};
use crate::base::{FileId, SourceMap, Symbol};
use crate::front::{derive, remc};
use crate::ir::core::{ExprKind, Program};
use std::time::Instant;

/// Whether a file of this name is core.
pub fn is_core(name: &str) -> bool {
    name.ends_with(".remc")
}

/// Makes a file explicit.
pub(super) fn check(sources: &mut SourceMap, root: FileId) -> Checked {
    let start = Instant::now();
    let mut elaborated = super::step("remc", || remc::program(sources, root));
    let core = std::mem::take(&mut elaborated.program);
    let mut diagnostics = std::mem::take(&mut elaborated.diagnostics);
    let mut demands = derive::Demands::default();
    for error in core.defs.iter().flat_map(|define| demands.check(define)).collect::<Vec<_>>() {
        diagnostics.push(error.report(elaborated.names.get(&error.operator).unwrap_or(&error.operator).as_str()));
    }
    let mut checked = Checked { core, diagnostics, remc: Some(elaborated), ..Checked::default() };
    checked.stats.times.elaborate = start.elapsed();
    validate_core(sources, &checked);
    checked
}

/// The names of the parameters of a definition, as far as it is a function by its form.
#[expect(clippy::wildcard_enum_match_arm, reason = "abstractions; anything else is the body")]
pub(super) fn parameter_names(program: &Program, name: Symbol) -> Vec<Option<Symbol>> {
    let Some(define) = program.defs.iter().find(|define| define.name == name) else { return Vec::new() };
    let mut body = &define.body;
    loop {
        match body.kind() {
            ExprKind::IFn { body: inner, .. } | ExprKind::TFn { body: inner, .. } => body = inner,
            ExprKind::Fn { params, .. } => return params.iter().map(|(name, _)| Some(*name)).collect(),
            _ => return Vec::new(),
        }
    }
}

impl Checked {
    /// Whether the program reads numbers, which [`Checked::give_numbers`] supplies.
    pub fn reads_numbers(&self) -> bool {
        self.remc.as_ref().is_some_and(|remc| remc.reads_numbers)
    }

    /// Makes these the numbers that the program reads.
    pub fn give_numbers(&mut self, numbers: Vec<i64>) {
        self.numbers = numbers;
    }
}
