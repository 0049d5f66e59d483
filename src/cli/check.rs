//! `remora check FILE...`.

use super::output::Console;
use super::program::{Loaded, load};
use super::{FAILURE, Outcome, SUCCESS};
use clap::Args;
use std::path::PathBuf;

/// Check names, types, ranks and sizes; print nothing if there are no errors
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  remora check program.rem
  remora check --stats a.rem b.rem
  remora check program.rem --message-format json 2> messages.jsonl")]
pub(super) struct CheckArgs {
    /// Programs (`-` for standard input); each is checked on its own
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Print solver statistics and times for each program
    #[arg(long)]
    stats: bool,
    /// Check again whenever a program, or what it imports, changes
    #[arg(long)]
    watch: bool,
}

pub(super) fn run(args: &CheckArgs, console: &mut Console) -> Outcome {
    if args.watch { super::watch::run(&args.files, console, |console| once(args, console)) } else { once(args, console) }
}

fn once(args: &CheckArgs, console: &mut Console) -> Outcome {
    let mut code = SUCCESS;
    for file in &args.files {
        let loaded = match load(file) {
            Ok(loaded) => loaded,
            Err(diagnostic) => {
                console.report(&Default::default(), &diagnostic);
                code = FAILURE;
                continue;
            }
        };
        let Loaded { sources, checked, .. } = &loaded;
        console.report_all(sources, &checked.diagnostics);
        if checked.failed() {
            code = FAILURE;
        }
        if args.stats {
            console.print(format!("{}\n{}", super::files::shown(file), checked.stats.table()));
        }
    }
    Ok(code)
}
