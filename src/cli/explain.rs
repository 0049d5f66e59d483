//! `remora explain CODE`.

use super::output::Console;
use super::{Outcome, SUCCESS, USAGE};
use crate::base::Code;
use crate::diag::explain;
use clap::Args;

/// Explain a diagnostic, with a wrong program and a corrected one
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  remora explain E0402\n  remora explain           # all codes with their titles")]
pub(super) struct ExplainArgs {
    /// A code such as E0402; without one, all codes are listed
    #[arg(value_name = "CODE")]
    code: Option<String>,
}

pub(super) fn run(args: &ExplainArgs, console: &mut Console) -> Outcome {
    let Some(code) = &args.code else {
        for explanation in explain::all() {
            console.print(format!("{}  {}\n", explanation.code, explanation.title));
        }
        return Ok(SUCCESS);
    };
    // `e402` and `402` are `E0402`.
    let digits = code.trim_start_matches(['e', 'E']);
    let full = digits.parse::<u16>().map_or(code.clone(), |number| format!("E{number:04}"));
    match Code::of_number(&full).and_then(explain::explanation) {
        Some(explanation) => {
            console.print(explanation.plain());
            Ok(SUCCESS)
        }
        None => {
            console.progress(&format!("error: there is no diagnostic `{}`; `remora explain` lists all", code.escape_debug()));
            Ok(USAGE)
        }
    }
}
