//! The `remora` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    remora::cli::main(std::env::args_os().collect())
}
