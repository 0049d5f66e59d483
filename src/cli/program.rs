//! Reading a program and everything that it imports from disk, and checking it.

use super::files;
use super::output::Console;
use crate::base::{Code, FileId, SourceMap, Span};
use crate::diag::Diagnostic;
use crate::driver::{self, Checked};
use crate::front::apl::Request;
use crate::front::resolve::Loader;
use crate::ir::tuning::Tuning;
use std::ops::Range;
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
    /// What stands behind the text of the file, if anything does.
    pub behind: Behind,
}

/// Entry points behind the text of a file, for expressions that are written in its comments.
#[derive(Debug, Default, Clone)]
pub struct Behind {
    /// The length of the file; 0 if nothing stands behind it.
    pub length: usize,
    /// For each entry point where its expression is in the text that was checked, and where it was written.
    pub places: Vec<(Range<usize>, Range<usize>)>,
}

impl Behind {
    /// Adds the entry point `name` for an expression that is written at `at`, to what stands behind a text of this length so far.
    pub fn entry(&mut self, more: &mut String, name: &str, expression: &str, at: Range<usize>) {
        *more += &format!("entry {name} = ");
        let start = self.length + more.len();
        *more += expression;
        self.places.push((start..self.length + more.len(), at));
        more.push('\n');
    }
    /// The number of the entry point that a place of the file is about. What stands between two expressions is about the second.
    pub fn number(&self, root: FileId, span: Span) -> Option<usize> {
        if self.places.is_empty() || span.file != root || span.end as usize <= self.length {
            return None;
        }
        self.places.iter().position(|(here, _)| span.start as usize <= here.end)
    }
    /// A place, in the comment where the expression was written if it is in one.
    pub fn place(&self, root: FileId, span: Span) -> Span {
        let Some(number) = self.number(root, span) else { return span };
        let (here, written) = &self.places[number];
        let moved = |at: u32| (written.start + (at as usize).clamp(here.start, here.end) - here.start).min(written.end);
        Span::new(root, moved(span.start), moved(span.end))
    }
    /// A message with its places where the expressions were written.
    pub fn moved(&self, root: FileId, diagnostic: &Diagnostic) -> Diagnostic {
        let mut diagnostic = diagnostic.clone();
        for label in &mut diagnostic.labels {
            label.span = self.place(root, label.span);
        }
        diagnostic
    }
}

/// Reads and checks a program. An error is about the file itself; what is wrong with the program is in the result.
pub fn load(path: &Path) -> Result<Loaded, Box<Diagnostic>> {
    load_with(path, &mut |_, _| String::new())
}

/// [`load`] with something behind the text.
pub fn load_with(path: &Path, more: &mut dyn FnMut(&str, &mut Behind) -> String) -> Result<Loaded, Box<Diagnostic>> {
    let mut text = files::read_source(path)?;
    let mut behind = Behind { length: text.len(), places: Vec::new() };
    text += &more(&text, &mut behind);
    let mut sources = SourceMap::default();
    let root = sources.add(files::shown(path), text);
    let checked = driver::check(&mut sources, &Disk, root);
    Ok(Loaded { sources, root, checked, behind })
}

/// Reads and checks an APL script, with one of its functions as an entry point.
pub fn load_apl(path: &Path, request: &Request) -> Result<Loaded, Box<Diagnostic>> {
    let text = files::read_source(path)?;
    let mut sources = SourceMap::default();
    let root = sources.add(files::shown(path), text);
    let checked = driver::check_apl(&mut sources, &Disk, root, request);
    Ok(Loaded { sources, root, checked, behind: Behind::default() })
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

/// `load_accepted` with the defaults, whatever it was tuned to.
pub(super) fn load_untuned(path: &Path, console: &mut Console) -> Result<Option<Loaded>, Box<Diagnostic>> {
    let loaded = load(path)?;
    console.report_all(&loaded.sources, &loaded.checked.diagnostics);
    Ok(if loaded.checked.failed() { None } else { Some(loaded) })
}
