//! The `remora` command.

use std::process::ExitCode;

#[allow(clippy::disallowed_methods, reason = "the one place that reads the arguments")]
fn main() -> ExitCode {
    remora::cli::main(std::env::args_os().collect())
}
