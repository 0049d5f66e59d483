//! Positions of the protocol, lines and UTF-16 units from 0, and offsets in bytes.

use crate::base::Span;
use lsp_types::{Position, Range, TextDocumentContentChangeEvent};

/// Where the lines of a text begin. Lines end with `\n`, `\r\n` or `\r`.
#[derive(Debug, Clone)]
pub struct Lines {
    starts: Vec<u32>,
    length: u32,
    /// Whether a unit is a byte everywhere.
    ascii: bool,
}

impl Lines {
    /// The lines of a text.
    pub fn new(text: &str) -> Lines {
        let bytes = text.as_bytes();
        let ends = |at: usize| bytes[at] == b'\n' || bytes[at] == b'\r' && bytes.get(at + 1) != Some(&b'\n');
        let starts = std::iter::once(0).chain((0..bytes.len()).filter(|at| ends(*at)).map(|at| at as u32 + 1)).collect();
        Lines { starts, length: text.len() as u32, ascii: text.is_ascii() }
    }

    /// How many lines there are.
    pub fn count(&self) -> usize {
        self.starts.len()
    }

    /// The bytes of a line, without those that end it.
    fn line(&self, text: &str, line: usize) -> (usize, usize) {
        let start = self.starts[line] as usize;
        let mut end = self.starts.get(line + 1).copied().unwrap_or(self.length) as usize;
        if line + 1 < self.starts.len() {
            while end > start && matches!(text.as_bytes()[end - 1], b'\n' | b'\r') {
                end -= 1;
            }
        }
        (start, end)
    }

    /// The offset of a position. What is beyond the end of a line is its end, what is beyond the last line is the end of the text, and what
    /// is in the middle of a character is its start.
    pub fn offset(&self, text: &str, position: Position) -> usize {
        let line = position.line as usize;
        if line >= self.starts.len() {
            return text.len();
        }
        let (start, end) = self.line(text, line);
        let wanted = position.character as usize;
        if self.ascii {
            return start.saturating_add(wanted).min(end);
        }
        let mut units = 0;
        for (at, c) in text[start..end].char_indices() {
            units += c.len_utf16();
            if units > wanted {
                return start + at;
            }
        }
        end
    }

    /// The position of an offset.
    pub fn position(&self, text: &str, offset: usize) -> Position {
        let offset = offset.min(text.len());
        let line = self.starts.partition_point(|start| *start as usize <= offset) - 1;
        let start = self.starts[line] as usize;
        let units = if self.ascii { offset - start } else { text.get(start..offset).map_or(0, |text| text.encode_utf16().count()) };
        Position::new(line as u32, units as u32)
    }

    /// The range of a span of this text.
    pub fn range(&self, text: &str, span: Span) -> Range {
        Range::new(self.position(text, span.start as usize), self.position(text, span.end as usize))
    }
}

/// A text with its lines.
#[derive(Debug, Clone)]
pub struct Document {
    /// The text.
    pub text: String,
    /// Its lines.
    pub lines: Lines,
}

impl Document {
    /// A text.
    pub fn new(text: String) -> Document {
        Document { lines: Lines::new(&text), text }
    }

    /// Applies a change: of a range, or of everything.
    pub fn change(&mut self, change: TextDocumentContentChangeEvent) {
        match change.range {
            None => self.text = change.text,
            Some(range) => {
                let start = self.lines.offset(&self.text, range.start);
                let end = self.lines.offset(&self.text, range.end);
                self.text.replace_range(start.min(end)..end.max(start), &change.text);
            }
        }
        self.lines = Lines::new(&self.text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_units() {
        let text = "aé\r\n𝄞b\rc\n";
        let lines = Lines::new(text);
        assert_eq!(lines.count(), 4);
        let offset = |line, character| lines.offset(text, Position::new(line, character));
        assert_eq!([offset(0, 0), offset(0, 1), offset(0, 2), offset(0, 9)], [0, 1, 3, 3]);
        // In the middle of a pair of surrogates.
        assert_eq!([offset(1, 0), offset(1, 1), offset(1, 2), offset(1, 3), offset(1, 4)], [5, 5, 9, 10, 10]);
        assert_eq!([offset(2, 0), offset(2, 1), offset(3, 0), offset(7, 7), offset(u32::MAX, u32::MAX)], [11, 12, 13, 13, 13]);
        for at in (0..=text.len()).filter(|at| text.is_char_boundary(*at) && *at != 4) {
            assert_eq!(lines.offset(text, lines.position(text, at)), at, "{at}");
        }
    }

    #[test]
    fn changes_are_applied_in_order() {
        let change = |from: (u32, u32), to: (u32, u32), text: &str| TextDocumentContentChangeEvent {
            range: Some(Range::new(Position::new(from.0, from.1), Position::new(to.0, to.1))),
            range_length: None,
            text: text.into(),
        };
        let mut document = Document::new("ab\ncd\n".into());
        document.change(change((0, 1), (1, 1), "é\n"));
        assert_eq!(document.text, "aé\nd\n");
        // Backwards, and beyond the end.
        document.change(change((9, 9), (1, 0), ""));
        assert_eq!(document.text, "aé\n");
        document.change(TextDocumentContentChangeEvent { range: None, range_length: None, text: "x".into() });
        assert_eq!(document.text, "x");
    }
}
