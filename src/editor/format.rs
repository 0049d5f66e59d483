//! The style of programs, for editors.

use super::Analysis;
use crate::base::Span;
use crate::diag::Severity;
use crate::driver;
use crate::front::format;
use lsp_types::{Range, TextEdit};

/// The edits that bring a document, or the lines that a range touches, into the style of `remora fmt`: whole lines each.
///
/// # Errors
/// Why there is no style for it: a message of one line.
pub fn edits(analysis: &Analysis, within: Option<Range>) -> Result<Vec<TextEdit>, String> {
    let (file, text) = (analysis.file, analysis.text());
    let name = &analysis.sources.file(file).name;
    if analysis.is_core() || driver::is_apl(name) {
        return Err("there is a style for .rem and .fut files only".into());
    }
    // A range that ends at the beginning of a line has nothing of that line.
    let lines = within.map(|range| {
        let end = range.end.line as usize + usize::from(range.end.character > 0);
        range.start.line as usize..end.max(range.start.line as usize + 1)
    });
    let edits = format::edits(file, text, name.ends_with(".fut"), lines).map_err(|diagnostics| {
        let first = diagnostics.into_iter().find(|diagnostic| diagnostic.severity == Severity::Error);
        first.map_or_else(|| "the file cannot be read".into(), |diagnostic| format!("nothing is formatted: {}", diagnostic.message))
    })?;
    let edit = |edit: format::Edit| {
        let span = Span::new(file, edit.range.start, edit.range.end);
        TextEdit { range: analysis.range(span), new_text: edit.text }
    };
    Ok(edits.into_iter().map(edit).collect())
}
