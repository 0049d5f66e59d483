//! `remora doctor`: what this machine has of what remora can use.

use super::output::Console;
use super::{FAILURE, Outcome, SUCCESS, native};
use crate::rank;
use clap::Args;

/// Look for what is needed to compile and run programs, and say what is missing
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  remora doctor\n\nThe exit code is 1 if programs cannot be compiled. A device is no necessity.")]
pub(super) struct DoctorArgs {}

/// The solver of rank systems is loaded when the first program needs it, so this is where it is missed first.
fn solver() -> native::doctor::Part {
    let found = rank::solver_version().map(|version| format!("CBC {version}"));
    native::doctor::Part { name: "solver", found, needed: true, install: vec!["apt-get install coinor-libcbc-dev".into()] }
}

pub(super) fn run(_: &DoctorArgs, console: &mut Console) -> Outcome {
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let version = format!("{} ({} {})", env!("CARGO_PKG_VERSION"), std::env::consts::OS, std::env::consts::ARCH);
    let mut lines = vec![("remora", Ok(version)), ("processors", Ok(threads.to_string()))];
    let mut failed = false;
    for native::doctor::Part { name, found, needed, install } in std::iter::once(solver()).chain(native::doctor::parts()) {
        match found {
            Ok(text) => lines.push((name, Ok(text))),
            Err(why) => {
                failed |= needed;
                lines.push((name, Err((why, needed, install))));
            }
        }
    }
    for (name, found) in lines {
        match found {
            Ok(text) => console.print(format!("ok       {name}: {text}\n")),
            Err((why, needed, install)) => {
                let word = if needed { "missing" } else { "absent " };
                console.print(format!("{word}  {name}: {why}\n"));
                for line in install {
                    console.print(format!("         {line}\n"));
                }
            }
        }
    }
    Ok(if failed { FAILURE } else { SUCCESS })
}
