//! Words, lines, quoted names and braces in the text of a test block.

use super::blocks::{Error, ErrorKind};
use crate::base::{FileId, Span};

/// What is read, or what is wrong at its place.
pub type Result<T> = std::result::Result<T, Error>;

/// Where reading has come to.
#[derive(Debug, Clone)]
pub struct Reader<'a> {
    file: FileId,
    text: &'a str,
    at: usize,
    /// Where the text stands in the file.
    base: usize,
}

impl<'a> Reader<'a> {
    /// At the start of `text`, which stands at `base` in a file.
    pub fn new(file: FileId, text: &'a str, base: usize) -> Reader<'a> {
        Reader { file, text, at: 0, base }
    }

    /// A reader of a part of the same text.
    pub fn at(&self, span: Span) -> Reader<'a> {
        let place = |at: u32| (at as usize).saturating_sub(self.base).min(self.text.len());
        let text = self.text.get(place(span.start)..place(span.end)).unwrap_or("");
        Reader { file: self.file, text, at: 0, base: span.start as usize }
    }

    /// Skips blanks; where the next word starts.
    pub fn start(&mut self) -> usize {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
        self.at
    }

    /// From a position up to here.
    pub fn span_from(&self, start: usize) -> Span {
        self.span(start, self.at)
    }

    fn span(&self, start: usize, end: usize) -> Span {
        Span::new(self.file, self.base + start, self.base + end)
    }

    /// The next word and its place, without reading it.
    pub fn peek(&mut self) -> Option<(&'a str, Span)> {
        let at = self.at;
        let word = self.word();
        self.at = at;
        (!word.0.is_empty()).then_some(word)
    }

    /// The next word: up to white space, a brace or a bracket, which are words of their own. Empty at the end.
    pub fn word(&mut self) -> (&'a str, Span) {
        let start = self.start();
        let rest = &self.text[start..];
        let end = rest.find(|c: char| c.is_whitespace() || "{}[]@".contains(c)).unwrap_or(rest.len());
        let end = if end == 0 { rest.chars().next().map_or(0, char::len_utf8) } else { end };
        self.at += end;
        (&rest[..end], self.span(start, start + end))
    }

    /// The rest of the line, trimmed.
    pub fn line(&mut self) -> (&'a str, Span) {
        let line = self.text[self.at..].split('\n').next().unwrap_or("");
        let start = self.at + line.len() - line.trim_start().len();
        self.at += line.len();
        let text = line.trim();
        (text, self.span(start, start + text.len()))
    }

    /// The words on the rest of the line.
    pub fn words_of_line(&mut self) -> Vec<(&'a str, Span)> {
        let from = self.at;
        let line = self.text[from..].split('\n').next().unwrap_or("");
        self.at += line.len();
        let offset = |word: &str| from + (word.as_ptr() as usize - line.as_ptr() as usize);
        line.split_whitespace().map(|word| (word, self.span(offset(word), offset(word) + word.len()))).collect()
    }

    /// The name of a file on this line: up to white space.
    pub fn file_name(&mut self) -> (&'a str, Span) {
        let line = self.text[self.at..].split('\n').next().unwrap_or("");
        let start = self.at + line.len() - line.trim_start().len();
        let name = line.split_whitespace().next().unwrap_or("");
        self.at = start + name.len();
        (name, self.span(start, start + name.len()))
    }

    /// A text in quotes on one line, if there is one here.
    pub fn quoted(&mut self, unclosed: ErrorKind) -> Result<Option<String>> {
        let start = self.start();
        let Some(rest) = self.text[start..].strip_prefix('"') else { return Ok(None) };
        let Some(end) = rest.find(['"', '\n']).filter(|end| rest.as_bytes()[*end] == b'"') else {
            return Err(error(self.span(start, start + 1), unclosed));
        };
        self.at += end + 2;
        Ok(Some(rest[..end].to_string()))
    }

    /// The text between braces and its place.
    pub fn braces(&mut self) -> Result<(&'a str, Span)> {
        let start = self.start();
        let rest = &self.text[start..];
        if !rest.starts_with('{') {
            let end = start + rest.chars().next().map_or(0, char::len_utf8);
            return Err(error(self.span(start, end), ErrorKind::NoBrace));
        }
        let (mut depth, mut quoted, mut escaped) = (0usize, false, false);
        for (offset, c) in rest.char_indices() {
            match c {
                _ if escaped => escaped = false,
                '\\' if quoted => escaped = true,
                '"' => quoted = !quoted,
                '{' if !quoted => depth += 1,
                '}' if !quoted => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                self.at = start + offset + 1;
                return Ok((&self.text[start + 1..start + offset], self.span(start + 1, start + offset)));
            }
        }
        Err(error(self.span(start, start + 1), ErrorKind::UnclosedBrace))
    }

    /// A reader of what is between braces.
    pub fn inside(&mut self) -> Result<Reader<'a>> {
        let (_, span) = self.braces()?;
        Ok(self.at(span))
    }
}

/// What is wrong at a place.
pub fn error(at: Span, mistake: ErrorKind) -> Error {
    Error { at, mistake }
}
