//! Programs with their expectations in them: every `.rem` file under `tests/corpus` and the examples pass `remora test`.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "tests read files and start the program")]

use libtest_mimic::{Arguments, Trial};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

fn programs(dir: &Path, out: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(dir).expect("a folder").map(|e| e.expect("readable").path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            programs(&path, out);
        } else if path.extension().is_some_and(|e| e == "rem" || e == "fut") {
            out.push(path);
        }
    }
}

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut paths = Vec::new();
    programs(&root.join("tests/corpus"), &mut paths);
    programs(&root.join("examples"), &mut paths);
    let trials = paths.into_iter().map(|path| {
        let name = path.strip_prefix(root).expect("inside the project").display().to_string();
        Trial::test(name.clone(), move || {
            let output = Command::new(env!("CARGO_BIN_EXE_remora")).current_dir(root).args(["test", &name]).output()?;
            if output.status.success() {
                return Ok(());
            }
            Err(format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr)).into())
        })
    });
    libtest_mimic::run(&arguments, trials.collect()).exit_code()
}
