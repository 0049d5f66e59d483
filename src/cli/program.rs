//! Reading a program and everything that it imports from disk, and checking it.

use super::files;
use super::output::Console;
use crate::base::{Code, FileId, SourceMap};
use crate::diag::Diagnostic;
use crate::driver::{self, Checked};
use crate::front::apl::Request;
use crate::front::resolve::Loader;
use crate::ir::tuning::Tuning;
use std::path::{Path, PathBuf};

/// Reads imported files.
pub(super) struct Disk;

impl Loader for Disk {
    fn load(&self, path: &str) -> Result<String, String> {
        files::read_import(Path::new(path)).map_err(|diagnostic| diagnostic.message)
    }
}

/// A checked program with its sources.
pub struct Loaded {
    /// All texts.
    pub sources: SourceMap,
    /// The file that was asked for.
    pub root: FileId,
    /// What the compiler found.
    pub checked: Checked,
}

/// Reads and checks a program. An error is about the file itself; what is wrong with the program is in the result.
pub fn load(path: &Path) -> Result<Loaded, Box<Diagnostic>> {
    load_with(path, &mut |_| String::new())
}

/// The same with something behind the text.
pub fn load_with(path: &Path, more: &mut dyn FnMut(&str) -> String) -> Result<Loaded, Box<Diagnostic>> {
    let mut text = files::read_source(path)?;
    text += &more(&text);
    let mut sources = SourceMap::default();
    let root = sources.add(files::shown(path), text);
    let checked = driver::check(&mut sources, &Disk, root);
    Ok(Loaded { sources, root, checked })
}

/// Reads and checks an APL script, with one of its functions as an entry point.
pub fn load_apl(path: &Path, request: &Request) -> Result<Loaded, Box<Diagnostic>> {
    let text = files::read_source(path)?;
    let mut sources = SourceMap::default();
    let root = sources.add(files::shown(path), text);
    let checked = driver::check_apl(&mut sources, &Disk, root, request);
    Ok(Loaded { sources, root, checked })
}

/// The file beside a program that has what it was tuned to.
pub(super) fn tuning_file(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_os_string();
    name.push(".tuning");
    name.into()
}

/// What the file beside a program says, or the defaults where there is none.
fn tuning(path: &Path) -> Result<Tuning, Box<Diagnostic>> {
    let file = tuning_file(path);
    if path == Path::new("-") || !file.exists() {
        return Ok(Tuning::default());
    }
    let text = files::read_source(&file)?;
    Tuning::read(&text).map_err(|(line, why)| {
        let message = format!("`{}`, line {line}: {why}", files::shown(&file));
        Box::new(Diagnostic::bare(Code::MalformedData, message).help("`remora tune` writes this file; without it the defaults count"))
    })
}

/// Reads and checks a program, with what it was tuned to, and reports everything; `None` when there are errors.
pub fn load_accepted(path: &Path, console: &mut Console) -> Result<Option<Loaded>, Box<Diagnostic>> {
    let tuning = tuning(path)?;
    let mut loaded = load_untuned(path, console)?;
    loaded.iter_mut().for_each(|loaded| loaded.checked.tuning = tuning.clone());
    Ok(loaded)
}

/// The same with the defaults, whatever it was tuned to.
pub(super) fn load_untuned(path: &Path, console: &mut Console) -> Result<Option<Loaded>, Box<Diagnostic>> {
    let loaded = load(path)?;
    console.report_all(&loaded.sources, &loaded.checked.diagnostics);
    Ok(if loaded.checked.failed() { None } else { Some(loaded) })
}
