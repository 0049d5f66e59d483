//! Diagnostics for whoever embeds the compiler: as text, and as data.

use crate::base::{Code, SourceMap};
use crate::diag::{Diagnostic, Severity, json, text};

/// A diagnostic, rendered.
#[derive(Debug, Clone)]
pub struct Report {
    /// The code.
    pub code: Code,
    /// The message alone.
    pub message: String,
    /// As on the command line.
    pub text: String,
    /// As `--message-format json` writes it.
    pub json: String,
}

impl Report {
    /// A diagnostic about these sources.
    pub fn new(sources: &SourceMap, diagnostic: &Diagnostic) -> Report {
        Report {
            code: diagnostic.code,
            message: diagnostic.message.clone(),
            text: text::render(sources, diagnostic, false),
            json: json::render(sources, diagnostic),
        }
    }
}

/// Why there is no program, no instance or no result.
#[derive(Debug, Clone)]
pub struct Refused {
    /// What is wrong, most important first. Never empty.
    pub reports: Vec<Report>,
}

impl Refused {
    /// All errors among diagnostics.
    pub(super) fn new(sources: &SourceMap, diagnostics: &[Diagnostic]) -> Refused {
        let errors = diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error);
        Refused { reports: errors.map(|diagnostic| Report::new(sources, diagnostic)).collect() }
    }
    /// One diagnostic.
    pub(super) fn one(sources: &SourceMap, diagnostic: &Diagnostic) -> Refused {
        Refused { reports: vec![Report::new(sources, diagnostic)] }
    }
    /// One without a place.
    pub(super) fn said(code: Code, message: &str) -> Refused {
        Refused::one(&SourceMap::default(), &Diagnostic::bare(code, message))
    }
    /// Everything as text.
    pub fn text(&self) -> String {
        let texts: Vec<&str> = self.reports.iter().map(|report| report.text.trim_end()).collect();
        texts.join("\n\n")
    }
}
