//! What test blocks may read: files of the project that the program belongs to.
//!
//! A program under test may come from somebody else, and what a case fails with shows the beginning of what it read.

use super::super::files;
use super::super::run::folder;
use crate::base::Code;
use crate::diag::Diagnostic;
use std::path::{Path, PathBuf};

/// What says that a folder is that of a project.
const MARKS: [&str; 2] = [".git", ".remora-project"];

/// The bytes of a file that a block of a program names, decompressed if it is a gzip file.
///
/// # Errors
/// E0601: it cannot be read, is no regular file or lies outside of the project and of the folders that are allowed; and those of
/// [`files::read_data`].
pub fn read(program: &Path, name: &str, allowed: &[PathBuf]) -> Result<Vec<u8>, Box<Diagnostic>> {
    let asked = folder(program).join(name);
    let fail = |why: &str| Diagnostic::bare(Code::UnreadableFile, format!("`{}` cannot be read: {why}", name.escape_debug()));
    // Links are followed first: where they lead counts. What is not there may be said only of what may be asked for.
    let outside = || {
        let help = "test blocks read files of the program's project: the nearest folder above it with `.git` or `.remora-project`, or else \
                    its own folder; `--allow-read DIR` allows another";
        Box::new(fail("it is outside of the project").help(help))
    };
    let Ok(whole) = std::fs::canonicalize(&asked) else {
        let climbs = Path::new(name).is_absolute() || Path::new(name).components().any(|part| part == std::path::Component::ParentDir);
        return Err(if climbs { outside() } else { Box::new(fail("no such file or directory")) });
    };
    let within = |folder: &Path| std::fs::canonicalize(folder).is_ok_and(|folder| whole.starts_with(folder));
    if !within(&project(program)) && !allowed.iter().any(|folder| within(folder)) {
        return Err(outside());
    }
    if !whole.is_file() {
        return Err(Box::new(fail(if whole.is_dir() { "it is a directory" } else { "it is no regular file" })));
    }
    files::read_data(&whole)
}

/// The folder of the project of a program.
fn project(program: &Path) -> PathBuf {
    let own = folder(program);
    let own = if own.as_os_str().is_empty() { Path::new(".") } else { own };
    let Ok(own) = std::fs::canonicalize(own) else { return own.to_path_buf() };
    own.ancestors().find(|folder| MARKS.iter().any(|mark| folder.join(mark).exists())).unwrap_or(&own).to_path_buf()
}
