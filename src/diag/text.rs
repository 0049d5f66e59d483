//! Diagnostics for people: the message, the source lines with labels, then facts, readings and advice.
//!
//! Only the labelled lines and what lies between close ones reach the renderer, long lines are cut around their labels, and
//! a label that spans several lines marks its first; so the cost depends on what is shown, not on the size of the file.

use super::{Diagnostic, Label, Severity};
use crate::base::{SourceMap, Span};
use annotate_snippets::{Annotation, AnnotationKind, Element, Group, Level, Renderer, Snippet, normalize_untrusted_str};
use std::ops::Range;

/// Labelled lines with at most this many lines between them are shown in one piece.
const NEAR: usize = 8;
/// Lines of more characters than this are cut.
const WIDE: usize = 120;
/// Characters kept in front of the first label of a cut line.
const BEFORE: usize = 24;
/// Messages and notes are cut after this many characters: types can be huge.
const LONG_TEXT: usize = 4_000;

/// The diagnostic as text that ends with a newline; with terminal colours if `color`.
pub fn render(sources: &SourceMap, diagnostic: &Diagnostic, color: bool) -> String {
    let (level, renderer) = (level(diagnostic.severity), if color { Renderer::styled().hyperlink(false) } else { Renderer::plain() });
    let mut group =
        Group::with_title(level.primary_title(super::visible(&clip(&diagnostic.message)).into_owned()).id(diagnostic.code.number()));
    let pieces = pieces(sources, &diagnostic.labels);
    for piece in &pieces {
        group = group.element(piece.snippet());
    }
    for message in footer(diagnostic) {
        group = group.element(message);
    }
    let mut text = renderer.term_width(WIDE * 2).render(&[group]);
    for piece in &pieces {
        text = piece.true_place(&text);
    }
    text.push_str("\n\n");
    text
}

fn level(severity: Severity) -> Level<'static> {
    match severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    }
}

/// Notes, readings and help lines, in this order.
fn footer(diagnostic: &Diagnostic) -> Vec<Element<'static>> {
    let note = |text: &String| Element::from(Level::NOTE.message(normalize_untrusted_str(&clip(text))));
    let help = |text: &String| Element::from(Level::HELP.message(normalize_untrusted_str(&clip(text))));
    let width = diagnostic.readings.iter().map(|r| r.fragment.chars().count()).max().unwrap_or(0).min(60);
    let readings = diagnostic.readings.iter().enumerate().map(|(i, reading)| {
        let plural = if reading.cost == 1 { "" } else { "s" };
        let name = format!("reading {} ({} insertion{plural})", i + 1, reading.cost);
        let text = format!("{:width$}    {}", clip(&reading.fragment), reading.note);
        Element::from(Level::NOTE.with_name(name).message(normalize_untrusted_str(text.trim_end())))
    });
    diagnostic.notes.iter().map(note).chain(readings).chain(diagnostic.help.iter().map(help)).collect()
}

/// The text, cut where it is very long.
fn clip(text: &str) -> String {
    match text.char_indices().nth(LONG_TEXT) {
        Some((end, _)) => format!("{} ..", &text[..end]),
        None => text.to_string(),
    }
}

/// Some lines of one file with their labels.
struct Piece<'a> {
    name: &'a str,
    /// Stands for the name until the text is rendered: occurs nowhere else.
    path: String,
    line: usize,
    column: usize,
    first_line: usize,
    text: String,
    /// Byte range in `text`, label, whether it is the first label of the diagnostic.
    marks: Vec<(Range<usize>, &'a str, bool)>,
}

impl Piece<'_> {
    fn snippet(&self) -> Snippet<'_, Annotation<'_>> {
        let marks = self.marks.iter().map(|(range, text, primary)| {
            let kind = if *primary { AnnotationKind::Primary } else { AnnotationKind::Context };
            let annotation = kind.span(range.clone());
            if text.is_empty() { annotation } else { annotation.label(clip(text)) }
        });
        Snippet::source(self.text.as_str()).path(self.path.as_str()).line_start(self.first_line).annotations(marks)
    }
    /// The rendered text with the name and place of this piece's main label; the renderer knows only the cut line.
    fn true_place(&self, text: &str) -> String {
        let Some((before, after)) = text.split_once(&self.path) else {
            debug_assert!(false, "the place of a label is lost in the rendered text");
            return text.to_string();
        };
        let after = after.trim_start_matches(|c: char| c == ':' || c.is_ascii_digit());
        format!("{before}{}:{}:{}{after}", super::visible_name(self.name), self.line, self.column)
    }
}

/// A label with the line (from 1) that it starts on and its number.
struct Placed<'a> {
    line: usize,
    label: &'a Label,
    number: usize,
}

/// The labels grouped into pieces of source: the piece of the first label first, then by place.
fn pieces<'a>(sources: &'a SourceMap, labels: &'a [Label]) -> Vec<Piece<'a>> {
    let place = |(number, label): (usize, &'a Label)| Placed { line: sources.line_column(label.span).0, label, number };
    let mut placed: Vec<Placed> = labels.iter().enumerate().map(place).collect();
    placed.sort_by_key(|p| (p.label.span.file, p.line, p.label.span.start, p.number));
    let far = |a: &Placed, b: &Placed| a.label.span.file == b.label.span.file && b.line - a.line <= NEAR;
    let mut groups: Vec<&[Placed]> = placed.chunk_by(far).collect();
    groups.sort_by_key(|group| !group.iter().any(|p| p.number == 0));
    groups.into_iter().map(|group| piece(sources, group)).collect()
}

/// The lines that a group of labels (sorted by line) covers.
fn piece<'a>(sources: &'a SourceMap, group: &[Placed<'a>]) -> Piece<'a> {
    let file = sources.file(group[0].label.span.file);
    let main = group.iter().min_by_key(|p| p.number).unwrap_or(&group[0]);
    let (line, column) = sources.line_column(main.label.span);
    let (name, first_line, path) = (&file.name, group[0].line, format!("\u{E000}{}\u{E001}", main.number));
    let mut piece = Piece { name, path, line, column, first_line, text: String::new(), marks: Vec::new() };
    let mut start = line_start(&file.text, group[0].label.span);
    let last = group[group.len() - 1].line;
    let mut rest = group;
    for number in group[0].line..=last {
        let whole = file.text[start..].split('\n').next().unwrap_or("");
        let here = rest.iter().take_while(|p| p.line == number).count();
        let (on_line, after) = rest.split_at(here);
        rest = after;
        push_line(&mut piece, whole.strip_suffix('\r').unwrap_or(whole), start, on_line);
        start = (start + whole.len() + 1).min(file.text.len());
    }
    piece
}

/// Byte position of the start of the line in which a span starts.
fn line_start(text: &str, span: Span) -> usize {
    let upto = text.get(..span.start as usize).unwrap_or(text);
    upto.rfind('\n').map_or(0, |newline| newline + 1)
}

/// Adds a line that starts at byte `start` of its file, cut around its labels where it is long.
fn push_line<'a>(piece: &mut Piece<'a>, line: &str, start: usize, labels: &[Placed<'a>]) {
    let inside = |position: u32| line.floor_char_boundary((position as usize).saturating_sub(start));
    let first = labels.iter().map(|p| inside(p.label.span.start)).min().unwrap_or(0);
    let window = window(line, first);
    let (dots_before, dots_after) = (if window.start > 0 { "..." } else { "" }, if window.end < line.len() { "..." } else { "" });
    let base = piece.text.len() + dots_before.len();
    for placed in labels {
        let (from, to) = (inside(placed.label.span.start), inside(placed.label.span.end));
        let clamp = |at: usize| base + at.clamp(window.start, window.end) - window.start;
        piece.marks.push((clamp(from)..clamp(to).max(clamp(from)), placed.label.text.as_str(), placed.number == 0));
    }
    piece.text.push_str(dots_before);
    piece.text.push_str(&line[window]);
    piece.text.push_str(dots_after);
    piece.text.push('\n');
}

/// The bytes of a line that are shown when `first` must be among them.
fn window(line: &str, first: usize) -> Range<usize> {
    if line.len() <= WIDE || line.char_indices().nth(WIDE).is_none() {
        return 0..line.len();
    }
    let from = if line[..first].chars().count() <= WIDE / 2 {
        0
    } else {
        line[..first].char_indices().rev().take(BEFORE).last().map_or(first, |(at, _)| at)
    };
    let to = line[from..].char_indices().nth(WIDE).map_or(line.len(), |(at, _)| from + at);
    from..to
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Code;
    use crate::diag::Reading;
    use pretty_assertions::assert_eq;

    fn span_of(sources: &SourceMap, text: &str) -> Span {
        let (id, file) = sources.files().next().expect("one file");
        let start = file.text.find(text).expect("the text occurs");
        Span::new(id, start, start + text.len())
    }

    #[test]
    fn ambiguity_with_readings() {
        let mut sources = SourceMap::default();
        sources.add("example.rem", "\n\ndef f (xss: [][]i64) = i64.sum (length xss)\n");
        let mut diagnostic =
            Diagnostic::error(Code::Ambiguous, span_of(&sources, "i64.sum"), "ambiguous application: 2 equally small readings")
                .label(span_of(&sources, "length"), "maps over the rows?")
                .note("a fact")
                .help("write the `map` or the `rep` that you mean");
        diagnostic.readings = vec![
            Reading {
                source: String::new(),
                fragment: "i64.sum (map length xss)".into(),
                cost: 1,
                note: "sums the lengths of the rows".into(),
                open: false,
                frames: Vec::new(),
            },
            Reading {
                source: String::new(),
                fragment: "i64.sum (rep (length xss))".into(),
                cost: 1,
                note: "sums copies of the number of rows".into(),
                open: false,
                frames: Vec::new(),
            },
        ];
        let expected = "\
error[E0402]: ambiguous application: 2 equally small readings
 --> example.rem:3:24
  |
3 | def f (xss: [][]i64) = i64.sum (length xss)
  |                        ^^^^^^^  ------ maps over the rows?
  |
  = note: a fact
  = reading 1 (1 insertion): i64.sum (map length xss)      sums the lengths of the rows
  = reading 2 (1 insertion): i64.sum (rep (length xss))    sums copies of the number of rows
  = help: write the `map` or the `rep` that you mean

";
        assert_eq!(render(&sources, &diagnostic, false), expected);
    }

    #[test]
    fn long_lines_are_cut_and_far_labels_are_separate() {
        let mut sources = SourceMap::default();
        let items = vec!["1"; 100_000].join(", ");
        sources.add("long.rem", format!("def a = [{items}, oops, 1, {items}]\n{}def b = a\n", "\n".repeat(50)));
        let diagnostic =
            Diagnostic::error(Code::UnknownName, span_of(&sources, "oops"), "unknown name").label(span_of(&sources, "def b"), "used here");
        let expected = "\
error[E0201]: unknown name
  --> long.rem:1:300010
   |
 1 | ...1, 1, 1, 1, 1, 1, 1, 1, oops, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, ...
   |                            ^^^^
   |
  ::: long.rem:52:1
   |
52 | def b = a
   | ----- used here

";
        assert_eq!(render(&sources, &diagnostic, false), expected);
    }

    #[test]
    fn spans_of_several_lines_mark_the_first_and_odd_spans_do_no_harm() {
        let mut sources = SourceMap::default();
        let file = sources.add("ä.rem", "def a =\r\n  (ä\r\n  + 1)\r\n");
        let many = Diagnostic::error(Code::TypeMismatch, Span::new(file, 11, 21), "types differ").here("ä");
        assert!(render(&sources, &many, false).contains("2 |   (ä\n  |   ^^ ä\n"), "{}", render(&sources, &many, false));
        for (start, end) in [(0, 0), (12, 13), (13, 12), (23, 23), (22, 900), (800, 900)] {
            let odd = Diagnostic::error(Code::TypeMismatch, Span::new(file, start, end), "m\u{1b}[0m").here("x");
            assert!(render(&sources, &odd, false).starts_with("error[E0301]: m"));
        }
        assert_eq!(
            render(&sources, &Diagnostic::bare(Code::UnreadableFile, "no such file").warning(), false),
            "warning[E0601]: no such file\n\n"
        );
    }
}
