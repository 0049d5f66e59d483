//! `remora core FILE`.

use super::output::Console;
use super::program::load_untuned;
use super::{FAILURE, Outcome, SUCCESS, SourceArg};
use crate::ir::core;
use clap::Args;

/// Print the explicit Remora core
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  remora core program.rem\n  remora core program.rem > program.remc\n  remora core program.rem --own")]
pub(super) struct CoreArgs {
    #[command(flatten)]
    source: SourceArg,
    /// Print only the definitions of the file, not those that it uses from the standard library and from imports
    #[arg(long)]
    own: bool,
}

pub(super) fn run(args: &CoreArgs, console: &mut Console) -> Outcome {
    let Some(loaded) = load_untuned(&args.source.file, console)? else { return Ok(FAILURE) };
    let mut program = loaded.checked.core;
    if args.own {
        program.defs.retain(|define| define.span.file == loaded.root);
    }
    console.print(format!("(use core)\n\n{}", core::print::program(&program)));
    Ok(SUCCESS)
}
