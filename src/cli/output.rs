//! Standard output and standard error: buffered results, diagnostics in the chosen format.

use super::{Color, FAILURE, MessageFormat, SUCCESS};
use crate::base::{Code, SourceMap, Span};
use crate::diag::{self, Diagnostic, Severity};
use serde::Serialize;
use std::io::{self, BufWriter, IsTerminal, Write};

/// Diagnostics of one severity printed at most; the rest is counted.
const MOST: usize = 200;

/// `1 thread`, `2 threads`.
pub fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

/// Where a command writes to.
pub struct Console {
    out: BufWriter<io::Stdout>,
    format: MessageFormat,
    color: bool,
    errors: usize,
    /// The first failure to write results that is not a closed pipe.
    failed: Option<io::Error>,
    /// What is printed where a file is to have it.
    collected: Option<Vec<u8>>,
    /// Whoever read standard output has gone: further output is dropped in silence.
    closed: bool,
    /// Whether a line that says how far things are stands on the terminal.
    status: bool,
}

/// How diagnostics are written.
#[derive(Debug, Clone, Copy)]
pub struct Style {
    /// As text or JSON.
    pub format: MessageFormat,
    /// With colours.
    pub color: bool,
}

impl Style {
    /// A diagnostic in this style.
    pub fn render(self, sources: &SourceMap, diagnostic: &Diagnostic) -> String {
        match self.format {
            MessageFormat::Text => diag::text::render(sources, diagnostic, self.color),
            MessageFormat::Json => diag::json::render(sources, diagnostic),
        }
    }
}

/// A value as a line of JSON.
pub fn json(value: &impl Serialize) -> String {
    let text = serde_json::to_string(value);
    text.unwrap_or_else(|error| crate::ice!(Span::default(), "a value has no JSON: {error}")) + "\n"
}

impl Console {
    /// The process's own streams.
    pub fn new(format: MessageFormat, color: Color) -> Console {
        let color = match color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty()),
        };
        Console { out: BufWriter::new(io::stdout()), format, color, errors: 0, failed: None, collected: None, closed: false, status: false }
    }

    /// Says how far things are on a line of the terminal that the next output replaces. Nothing where standard error is no terminal.
    pub fn status(&mut self, text: &str) {
        if self.format == MessageFormat::Text && io::stderr().is_terminal() {
            self.flush();
            let line: String = diag::visible_name(text).chars().take(100).collect();
            io::stderr().lock().write_all(format!("\r\x1b[K{line}").as_bytes()).unwrap_or_default();
            self.status = true;
        }
    }

    fn clear_status(&mut self) {
        if self.status {
            self.status = false;
            io::stderr().lock().write_all(b"\r\x1b[K").unwrap_or_default();
        }
    }

    /// Writes to standard output. Failures are kept for [`Console::finish`].
    pub fn print(&mut self, text: impl AsRef<[u8]>) {
        if let Some(collected) = &mut self.collected {
            return collected.extend_from_slice(text.as_ref());
        }
        if !text.as_ref().is_empty() {
            self.clear_status();
        }
        if self.failed.is_none() && !self.closed {
            let result = self.out.write_all(text.as_ref());
            self.note(result);
        }
    }

    /// Keeps what is printed from now on, until [`Console::collected`].
    pub fn collect(&mut self) {
        self.collected = Some(Vec::new());
    }

    /// What was printed since [`Console::collect`].
    pub fn collected(&mut self) -> Vec<u8> {
        self.collected.take().unwrap_or_default()
    }

    /// Hands what was printed to the reader now.
    pub fn flush(&mut self) {
        if self.failed.is_none() && !self.closed {
            let result = self.out.flush();
            self.note(result);
        }
    }

    fn note(&mut self, result: io::Result<()>) {
        match result {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => self.closed = true,
            Err(error) => self.failed = Some(error),
        }
    }

    /// Writes a line for people to standard error, in text format only.
    pub fn progress(&mut self, text: &str) {
        if self.format == MessageFormat::Text {
            self.complain(&format!("{}\n", diag::visible(text)));
        }
    }

    /// Writes a line over the last one, which was written in the same way.
    pub fn again(&mut self, text: &str) {
        if self.format == MessageFormat::Text {
            self.complain(&format!("\x1b[1A\x1b[2K{}\n", diag::visible_name(text)));
        }
    }

    /// How diagnostics are written.
    pub fn style(&self) -> Style {
        Style { format: self.format, color: self.color }
    }

    /// Writes a diagnostic that was rendered in the style of this console.
    pub fn rendered(&mut self, text: &str, error: bool) {
        self.errors += usize::from(error);
        self.complain(text);
    }

    /// Writes a diagnostic to standard error.
    pub fn report(&mut self, sources: &SourceMap, diagnostic: &Diagnostic) {
        if diagnostic.severity == Severity::Error {
            self.errors += 1;
        }
        self.complain(&self.style().render(sources, diagnostic));
    }

    /// Writes several diagnostics, and how many were left out where there are very many.
    pub fn report_all(&mut self, sources: &SourceMap, diagnostics: &[Diagnostic]) {
        let shown = if self.format == MessageFormat::Json { diagnostics.len() } else { MOST };
        for diagnostic in diagnostics.iter().take(shown) {
            self.report(sources, diagnostic);
        }
        if let Some(more) = diagnostics.len().checked_sub(shown).filter(|more| *more > 0) {
            self.progress(&format!("... and {more} more"));
        }
    }

    /// Whether nobody reads standard output any more.
    pub fn is_closed(&self) -> bool {
        self.closed
    }

    /// How many errors were reported.
    pub fn errors(&self) -> usize {
        self.errors
    }

    /// Nothing can be done about a standard error that cannot be written to.
    fn complain(&mut self, text: &str) {
        self.clear_status();
        self.flush();
        io::stderr().lock().write_all(text.as_bytes()).unwrap_or_default();
    }

    /// Writes out what is buffered; the exit code says when that failed.
    pub fn finish(mut self, code: u8) -> u8 {
        self.clear_status();
        for note in super::native::notes::take() {
            self.progress(&note);
        }
        self.flush();
        match self.failed.take() {
            None => code,
            Some(error) => {
                self.report(
                    &SourceMap::default(),
                    &Diagnostic::bare(Code::UnwritableResult, format!("standard output cannot be written: {error}")),
                );
                if code == SUCCESS { FAILURE } else { code }
            }
        }
    }
}
