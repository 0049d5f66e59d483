//! Programs with their expectations in them: every `.rem` file under `tests/corpus` and the examples passes `remora test` on every back end.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "tests read files and start the program")]

mod programs;

use libtest_mimic::{Arguments, Trial};
use programs::programs;
use std::path::Path;
use std::process::{Command, ExitCode};

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut paths = Vec::new();
    programs(&root.join("tests/corpus"), &mut paths);
    programs(&root.join("examples"), &mut paths);
    let runs = paths.into_iter().flat_map(|path| ["interp", "soac"].map(|backend| (path.clone(), backend)));
    let trials = runs.map(|(path, backend)| {
        let name = path.strip_prefix(root).expect("inside the project").display().to_string();
        Trial::test(format!("{backend} {name}"), move || {
            let output =
                Command::new(env!("CARGO_BIN_EXE_remora")).current_dir(root).args(["test", "--backend", backend, &name]).output()?;
            if output.status.success() {
                return Ok(());
            }
            Err(format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr)).into())
        })
    });
    libtest_mimic::run(&arguments, trials.collect()).exit_code()
}
