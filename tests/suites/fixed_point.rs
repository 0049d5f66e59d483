//! The explicit program is a fixed point: for every program of the corpus and every example, what `infer --format source`
//! prints infers to itself with nothing inserted and passes the same expectations.

use crate::support::programs::{ALL, Source, accepted};
use libtest_mimic::{Failed, Trial};
use serde_json::Value;
use std::path::Path;
use std::process::Command;

fn remora(dir: &Path, args: &[&str]) -> Result<std::process::Output, Failed> {
    Ok(Command::new(env!("CARGO_BIN_EXE_remora")).current_dir(dir).args(args).output()?)
}

/// Copies files, and what they may import from folders beside them.
fn copy_folder(from: &Path, to: &Path) -> Result<(), Failed> {
    for entry in std::fs::read_dir(from)? {
        let entry = entry?.path();
        let target = to.join(entry.file_name().ok_or("a name")?);
        if entry.is_file() {
            std::fs::copy(&entry, target)?;
        } else {
            std::fs::create_dir(&target)?;
            copy_folder(&entry, &target)?;
        }
    }
    Ok(())
}

/// The whole folder is copied, so that imports and data of the explicit program are where they were.
fn check(path: &Path) -> Result<(), Failed> {
    let (dir, name) = (path.parent().ok_or("in a folder")?, path.file_name().ok_or("a file")?.to_string_lossy().into_owned());
    let source = remora(dir, &["infer", "--format", "source", &name])?;
    if !source.status.success() {
        return Err(String::from_utf8_lossy(&source.stderr).into_owned().into());
    }
    let copy = tempfile::tempdir()?;
    copy_folder(dir, copy.path())?;
    std::fs::write(copy.path().join(&name), &source.stdout)?;
    let report = remora(copy.path(), &["infer", "--format", "json", &name])?;
    let report: Value = serde_json::from_slice(&report.stdout)?;
    for definition in report["definitions"].as_array().ok_or("no definitions")? {
        if definition["cost"] != 0 || definition["applications"].as_array().is_none_or(|a| !a.is_empty()) {
            return Err(format!("something is still inserted: {definition}").into());
        }
    }
    let again = remora(copy.path(), &["infer", "--format", "source", &name])?;
    if again.stdout != source.stdout {
        return Err(format!("its explicit form is another:\n{}", String::from_utf8_lossy(&again.stdout)).into());
    }
    let test = remora(copy.path(), &["test", "--exact", &name])?;
    if test.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&test.stdout).into_owned().into()) }
}

pub fn trials() -> Vec<Trial> {
    // Programs that are to be refused have no explicit form.
    let trial = |source: Source| Trial::test(format!("fixed_point::{}", source.name), move || check(&source.path));
    accepted(ALL).into_iter().map(trial).collect()
}
