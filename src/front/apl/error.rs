//! What is wrong with a script, as a diagnostic.

use crate::base::{Code, Span};
use crate::diag::Diagnostic;

/// A diagnostic on its way out.
pub type Trouble = Box<Diagnostic>;

/// A result, or what is wrong.
pub type Result<T> = std::result::Result<T, Trouble>;

/// A diagnostic that is being put together.
pub struct Draft(Diagnostic);

/// A diagnostic at a glyph.
pub fn at(code: Code, span: Span, what: impl Into<String>) -> Draft {
    Draft(Diagnostic::error(code, span, what))
}

/// The same as the result of something.
pub fn fail<T>(code: Code, span: Span, what: impl Into<String>, help: impl Into<String>) -> Result<T> {
    Err(at(code, span, what).help(help).boxed())
}

impl Draft {
    /// With advice; none if it is empty.
    pub fn help(mut self, text: impl Into<String>) -> Draft {
        let text = text.into();
        if !text.is_empty() {
            self.0 = self.0.help(text);
        }
        self
    }
    /// With a place and what is to be said of it.
    pub fn label(mut self, span: Span, text: impl Into<String>) -> Draft {
        self.0 = self.0.label(span, text);
        self
    }
    /// The diagnostic.
    pub fn boxed(self) -> Trouble {
        Box::new(self.0)
    }
}
