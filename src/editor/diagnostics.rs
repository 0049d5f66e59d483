//! What is wrong with a document, as editors show it.

use super::Analysis;
use crate::base::{Code, Span};
use crate::diag::{self, Severity};
use lsp_types::{
    CodeDescription, Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, DiagnosticTag, Location, NumberOrString, Range, Uri,
};

/// The diagnostics of a document. What is wrong in a file that it imports is shown at the top, with the place.
pub fn diagnostics(analysis: &Analysis, uri_of: &dyn Fn(&str) -> Option<Uri>) -> Vec<Diagnostic> {
    analysis.checked.diagnostics.iter().map(|found| one(analysis, uri_of, found)).collect()
}

/// The place of a diagnostic in the document.
pub(super) fn place(analysis: &Analysis, found: &diag::Diagnostic) -> Option<Span> {
    found.labels.first().map(|label| label.span).filter(|span| span.file == analysis.file)
}

fn one(analysis: &Analysis, uri_of: &dyn Fn(&str) -> Option<Uri>, found: &diag::Diagnostic) -> Diagnostic {
    let own = place(analysis, found);
    let mut message = found.message.clone();
    if let Some(label) = found.labels.first() {
        if own.is_none() {
            message = format!("{}: {message}", analysis.sources.place(label.span));
        }
        if !label.text.is_empty() {
            message.push_str(&format!("\n{}", label.text));
        }
    }
    for (at, reading) in found.readings.iter().enumerate() {
        message.push_str(&format!("\nreading {}: {}    {}", at + 1, reading.fragment, reading.note));
    }
    found.notes.iter().for_each(|note| message.push_str(&format!("\nnote: {note}")));
    found.help.iter().for_each(|help| message.push_str(&format!("\nhelp: {help}")));
    let related = found.labels.iter().skip(usize::from(own.is_some())).filter(|label| !label.text.is_empty());
    let related = related.filter_map(|label| {
        let uri = uri_of(&analysis.sources.file(label.span.file).name)?;
        let location = Location::new(uri, analysis.range(label.span));
        Some(DiagnosticRelatedInformation { location, message: label.text.clone() })
    });
    let related: Vec<_> = related.collect();
    Diagnostic {
        range: own.map_or_else(Range::default, |span| analysis.range(visible(analysis, span))),
        severity: Some(match found.severity {
            Severity::Error => DiagnosticSeverity::ERROR,
            Severity::Warning => DiagnosticSeverity::WARNING,
        }),
        code: Some(NumberOrString::String(found.code.number().to_string())),
        code_description: None::<CodeDescription>,
        source: Some("remora".to_string()),
        message: diag::visible(&message).into_owned(),
        related_information: (!related.is_empty()).then_some(related),
        tags: matches!(found.code, Code::UnusedName | Code::UnreachableCase).then(|| vec![DiagnosticTag::UNNECESSARY]),
        data: None,
    }
}

/// An empty place is shown by the character before it.
fn visible(analysis: &Analysis, span: Span) -> Span {
    if span.end > span.start {
        return span;
    }
    let before = analysis.text().get(..span.start as usize).and_then(|text| text.char_indices().next_back());
    match before {
        Some((at, c)) if c != '\n' => Span { start: at as u32, ..span },
        Some(_) | None => span,
    }
}
