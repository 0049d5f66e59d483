//! The programs of the corpus and the examples, for the tests that run all of them.

use std::path::{Path, PathBuf};

/// A program.
#[derive(Clone)]
pub struct Source {
    /// Its path below the project's folder.
    pub name: String,
    /// Its path.
    pub path: PathBuf,
}

/// Programs with expectations of every kind, and the examples.
pub const ALL: &[&str] = &["tests/data/corpus", "examples"];

/// Whether it is another program with its maps written out: nearly the same core, so that the costlier tests run one of the two.
pub fn is_explicit(name: &str) -> bool {
    name.ends_with("/explicit.rem")
}

/// The programs under folders of the project, in order of path.
pub fn programs(folders: &[&str]) -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut paths = Vec::new();
    for folder in folders {
        below(&root.join(folder), &mut paths);
    }
    let name = |path: &PathBuf| path.strip_prefix(root).expect("inside the project").display().to_string();
    paths.into_iter().map(|path| Source { name: name(&path), path }).collect()
}

/// The programs that no test block expects to be refused.
pub fn accepted(folders: &[&str]) -> Vec<Source> {
    let mut all = programs(folders);
    all.retain(|source| std::fs::read_to_string(&source.path).is_ok_and(|text| !text.contains("-- error:")));
    all
}

fn below(dir: &Path, out: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(dir).expect("a folder").map(|e| e.expect("readable").path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            below(&path, out);
        } else if path.extension().is_some_and(|e| e == "rem" || e == "fut") {
            out.push(path);
        }
    }
}
