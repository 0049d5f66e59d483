//! Validators of what checking makes: trees and core.

use super::Checked;
use crate::base::{SourceMap, Span, ice};
use crate::ir::core::{self, check::CoreError};

/// The validators run in debug builds and tests only.
pub(super) fn validating() -> bool {
    cfg!(debug_assertions)
}

pub(super) fn validate_trees(checked: &Checked) {
    if validating() {
        for unit in &checked.program.units {
            if let Err(problem) = crate::front::syntax::validate::validate(&checked.program.ast, &unit.source) {
                crate::ice!(Span::default(), "the parser broke its contract: {problem}");
            }
        }
    }
}

pub(super) fn validate_core(sources: &SourceMap, checked: &Checked) {
    if validating()
        && let Err(problem) = core_problem(sources, checked)
    {
        let pass = match (&checked.remc, &checked.apl) {
            (Some(_), _) => "remc",
            (None, Some(_)) => "apl",
            (None, None) => "elaborate",
        };
        let stop = || crate::ice!(Span::default(), "it made core that is not well typed:\n{problem}");
        ice::in_pass(pass, |span| sources.place(span), stop);
    }
}

/// What the core checker says against the elaborated program.
pub fn core_problem(sources: &SourceMap, checked: &Checked) -> Result<(), String> {
    core::check::check(&checked.core).map_err(|errors| {
        let line = |e: &CoreError| format!("{}: {}\n", sources.place(e.span), e.message());
        errors.iter().take(5).map(line).collect()
    })
}
