//! The programs of a folder, for the tests that run all of them.

use std::path::{Path, PathBuf};

/// Adds the programs under `dir`, folders included, in order of path.
pub fn programs(dir: &Path, out: &mut Vec<PathBuf>) {
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
