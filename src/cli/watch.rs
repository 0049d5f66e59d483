//! `--watch`: a command again whenever one of its files changes.

use super::output::Console;
use super::{Outcome, SUCCESS, files};
use crate::base::{FileId, SourceMap};
use crate::front::syntax::lexer::{Tok, lex};
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// How often files are looked at.
const PERIOD: Duration = Duration::from_millis(200);

/// Runs a command now and after each change of the programs, and of what they import, until the process ends.
pub(super) fn run(programs: &[PathBuf], console: &mut Console, mut once: impl FnMut(&mut Console) -> Outcome) -> Outcome {
    loop {
        // What changes while the command runs is seen afterwards.
        let before = state(programs);
        let outcome = once(console);
        if let Err(diagnostic) = &outcome {
            console.report(&SourceMap::default(), diagnostic);
        }
        // A check that finds nothing says nothing: that it was made is news here.
        console.progress(if outcome.is_ok_and(|code| code == SUCCESS) {
            "no errors; watching, Ctrl-C ends"
        } else {
            "watching, Ctrl-C ends"
        });
        console.flush();
        while state(programs) == before {
            std::thread::sleep(PERIOD);
            if console.is_closed() {
                return Ok(SUCCESS);
            }
        }
        if std::io::stdout().is_terminal() {
            console.print("\x1b[2J\x1b[H");
        }
    }
}

/// The files, each with its length and time.
fn state(programs: &[PathBuf]) -> Vec<(PathBuf, Option<(u64, SystemTime)>)> {
    let mut files = Vec::new();
    for program in programs {
        if program.is_dir() {
            below(program, &mut files);
        } else {
            with_imports(program, &mut files);
        }
    }
    let stamp = |path: &PathBuf| std::fs::metadata(path).ok().and_then(|data| Some((data.len(), data.modified().ok()?)));
    files.into_iter().map(|path| (path.clone(), stamp(&path))).collect()
}

fn below(folder: &Path, out: &mut Vec<PathBuf>) {
    // What cannot be read is seen once it can be.
    let mut entries = files::entries(folder).unwrap_or_default();
    entries.sort();
    for path in entries {
        if path.is_dir() && !path.is_symlink() {
            below(&path, out);
        } else if path.is_file() {
            out.push(path);
        }
    }
}

/// A program and the files that it imports, as far as they can be read.
fn with_imports(path: &Path, out: &mut Vec<PathBuf>) {
    if out.iter().any(|known| known == path) {
        return;
    }
    out.push(path.to_path_buf());
    let Ok(text) = std::fs::read_to_string(path) else { return };
    let folder = path.parent().unwrap_or(Path::new(""));
    for import in imports(&text) {
        for ending in ["rem", "fut"] {
            let file = folder.join(format!("{import}.{ending}"));
            if file.is_file() {
                with_imports(&file, out);
            }
        }
    }
}

fn imports(text: &str) -> Vec<&str> {
    let tokens = lex(FileId(0), text).tokens;
    let path = |pair: &[crate::front::syntax::lexer::Token]| match pair {
        [word, path] if word.tok == Tok::Import && path.tok == Tok::Str => text.get(path.start as usize + 1..path.end as usize - 1),
        _ => None,
    };
    tokens.windows(2).filter_map(path).collect()
}

#[cfg(test)]
mod tests {
    use super::imports;

    #[test]
    fn imports_are_found() {
        assert_eq!(imports("import \"a\"\n-- import \"b\"\nlocal open import \"../c\"\n"), ["a", "../c"]);
    }
}
