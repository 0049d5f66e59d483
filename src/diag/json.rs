//! Diagnostics for tools: one JSON object per line.

use super::{Diagnostic, Severity};
use crate::base::{SourceMap, Span};
use serde::Serialize;

#[derive(Serialize)]
struct JsonDiagnostic<'a> {
    code: &'a str,
    severity: &'static str,
    message: &'a str,
    spans: Vec<JsonSpan<'a>>,
    help: &'a [String],
    notes: &'a [String],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    readings: Vec<JsonReading<'a>>,
}

#[derive(Serialize)]
struct JsonSpan<'a> {
    file: &'a str,
    line: usize,
    column: usize,
    length: usize,
    label: &'a str,
}

#[derive(Serialize)]
struct JsonReading<'a> {
    source: &'a str,
    fragment: &'a str,
    cost: u32,
    note: &'a str,
}

/// The diagnostic as one line of JSON that ends with a newline. Lines and columns count from 1; columns and lengths count
/// characters.
pub fn render(sources: &SourceMap, diagnostic: &Diagnostic) -> String {
    let spans = diagnostic.labels.iter().map(|label| {
        let (line, column) = sources.line_column(label.span);
        let length = sources.snippet(label.span).chars().count();
        JsonSpan { file: &sources.file(label.span.file).name, line, column, length, label: &label.text }
    });
    let readings =
        diagnostic.readings.iter().map(|r| JsonReading { source: &r.source, fragment: &r.fragment, cost: r.cost, note: &r.note });
    let object = JsonDiagnostic {
        code: diagnostic.code.number(),
        severity: match diagnostic.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        },
        message: &diagnostic.message,
        spans: spans.collect(),
        help: &diagnostic.help,
        notes: &diagnostic.notes,
        readings: readings.collect(),
    };
    let mut text = serde_json::to_string(&object).unwrap_or_else(|error| crate::ice!(Span::default(), "no JSON of a diagnostic: {error}"));
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Code;
    use crate::base::Span;
    use crate::diag::Reading;

    #[test]
    fn one_line_with_everything() {
        let mut sources = SourceMap::default();
        let file = sources.add("f.rem", "ä\ndef ü = x\n");
        let mut diagnostic = Diagnostic::error(Code::Ambiguous, Span::new(file, 7, 9), "two\nlines").here("here").note("n").help("h");
        diagnostic.readings.push(Reading {
            source: "s".into(),
            fragment: "f".into(),
            cost: 2,
            note: "w".into(),
            open: false,
            frames: Vec::new(),
        });
        let text = render(&sources, &diagnostic);
        assert_eq!(text.matches('\n').count(), 1);
        let value: serde_json::Value = serde_json::from_str(&text).expect("valid JSON");
        assert_eq!(value["spans"][0], serde_json::json!({"file": "f.rem", "line": 2, "column": 5, "length": 1, "label": "here"}));
        assert_eq!(value["readings"][0]["cost"], 2);
        assert_eq!(value["message"], "two\nlines");
    }
}
