//! Diagnostics: raised as data, rendered late.

pub mod explain;
pub mod frames;
pub mod json;
pub mod suggest;
pub mod text;
mod visible;

pub use suggest::closest;
pub use visible::{visible, visible_name};

use crate::base::{Code, Span};

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Nothing comes out.
    Error,
    /// Something comes out.
    Warning,
}

/// A message about the user's input.
#[derive(Debug, Clone, PartialEq)]
pub struct Diagnostic {
    /// The code, such as `E0402`; explained by `remora explain`.
    pub code: Code,
    /// How bad it is.
    pub severity: Severity,
    /// One sentence without a full stop.
    pub message: String,
    /// Places, the most important first. None for messages about data or the command line.
    pub labels: Vec<Label>,
    /// Further facts, a line each.
    pub notes: Vec<String>,
    /// What the user can do, a line each.
    pub help: Vec<String>,
    /// For an ambiguity: every reading.
    pub readings: Vec<Reading>,
    /// Help that is an exact change of the text, for editors.
    pub fixes: Vec<Fix>,
}

/// A change of the text that may be what the user means.
#[derive(Debug, Clone, PartialEq)]
pub struct Fix {
    /// What it does, in words.
    pub title: String,
    /// The change.
    pub change: Change,
}

/// How a text is changed.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// The places, which do not overlap, with their new text; an empty place is one before which text is put.
    Replace(Vec<(Span, String)>),
    /// A `*` is put before the type of the parameter that stands here.
    Consume(Span),
}

/// A place with what is to be said about it.
#[derive(Debug, Clone, PartialEq)]
pub struct Label {
    /// The place.
    pub span: Span,
    /// What is there; may be empty.
    pub text: String,
}

/// One reading of an ambiguous definition.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    /// The whole definition made explicit in this reading: valid source.
    pub source: String,
    /// The part that differs between the readings, made explicit.
    pub fragment: String,
    /// Number of insertions that are not induced.
    pub cost: u32,
    /// In words, how it differs.
    pub note: String,
    /// Whether nothing determines how often it replicates something, so that it would be refused.
    pub open: bool,
    /// How the applications that differ take their arguments apart.
    pub frames: Vec<frames::Frames>,
}

impl Diagnostic {
    /// An error at a place.
    pub fn error(code: Code, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic { labels: vec![Label { span, text: String::new() }], ..Diagnostic::bare(code, message) }
    }
    /// An error without a place.
    pub fn bare(code: Code, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            code,
            severity: Severity::Error,
            message: message.into(),
            labels: Vec::new(),
            notes: Vec::new(),
            help: Vec::new(),
            readings: Vec::new(),
            fixes: Vec::new(),
        }
    }
    /// The same as a warning.
    pub fn warning(mut self) -> Diagnostic {
        self.severity = Severity::Warning;
        self
    }
    /// Sets the text of the first label.
    pub fn here(mut self, text: impl Into<String>) -> Diagnostic {
        if let Some(label) = self.labels.first_mut() {
            label.text = text.into();
        }
        self
    }
    /// Adds a place.
    pub fn label(mut self, span: Span, text: impl Into<String>) -> Diagnostic {
        self.labels.push(Label { span, text: text.into() });
        self
    }
    /// Adds a fact.
    pub fn note(mut self, text: impl Into<String>) -> Diagnostic {
        self.notes.push(text.into());
        self
    }
    /// Adds a change of the text at one place.
    pub fn fix(mut self, title: impl Into<String>, span: Span, text: impl Into<String>) -> Diagnostic {
        self.fixes.push(Fix { title: title.into(), change: Change::Replace(vec![(span, text.into())]) });
        self
    }
    /// Asks whether another name was meant, and offers to write it where the name stands alone at its place.
    pub fn did_you_mean(self, name: &str, near: &str, at: Span) -> Diagnostic {
        let help = self.help(format!("did you mean `{near}`?"));
        if (at.end - at.start) as usize == name.len() { help.fix(format!("change it to `{near}`"), at, near) } else { help }
    }
    /// Adds a change that puts text around a place.
    pub fn fix_around(mut self, title: impl Into<String>, span: Span, before: impl Into<String>, after: impl Into<String>) -> Diagnostic {
        let (start, end) = (Span { end: span.start, ..span }, Span { start: span.end, ..span });
        self.fixes.push(Fix { title: title.into(), change: Change::Replace(vec![(start, before.into()), (end, after.into())]) });
        self
    }
    /// Adds advice.
    pub fn help(mut self, text: impl Into<String>) -> Diagnostic {
        self.help.push(text.into());
        self
    }
}
