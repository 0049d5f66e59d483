//! What the tests of several passes share.

use super::resolve::Loader;
use crate::base::{SourceMap, with_big_stack};
use crate::diag::Diagnostic;
use crate::driver;

/// A program without imports.
pub struct NoFiles;

impl Loader for NoFiles {
    fn load(&self, path: &str) -> Result<String, String> {
        Err(format!("no file {path}"))
    }
}

/// The codes of what is said of a program, with the text at the first place of each.
pub fn found(text: &str) -> Vec<String> {
    with_big_stack(|| {
        let mut sources = SourceMap::default();
        let file = sources.add("test.rem", text.to_string());
        let checked = driver::check(&mut sources, &NoFiles, file);
        let place = |d: &Diagnostic| d.labels.first().map_or("", |label| sources.snippet(label.span)).to_string();
        checked.diagnostics.iter().map(|d| format!("{} {}", d.code, place(d))).collect()
    })
}
