//! The parts of a program that is a document: text, code, and what is to be shown.

use std::ops::Range;

/// A part of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Segment {
    /// What comments say, in Markdown.
    Text(String),
    /// Declarations.
    Code(String),
    /// Something that is computed or looked up.
    Shown(Directive),
}

/// `-- > :how what`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Directive {
    /// What is shown of it.
    pub how: How,
    /// An expression, or the name of a definition.
    pub what: String,
    /// Where that stands in the file.
    pub at: Range<usize>,
}

/// What is shown of an expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// Its value.
    Value,
    /// Its value as a table.
    Table,
    /// Its value as a picture of what fits it best.
    Plot,
    /// Its value as a line.
    Line,
    /// Its value as points.
    Points,
    /// Its value as an image.
    Image,
    /// How often its elements lie where.
    Histogram,
    /// The definition with all insertions written out.
    Infer,
    /// The type of the definition.
    Type,
}

impl How {
    /// All of them, with their words; the last two are Futhark's.
    pub const WORDS: [(&str, How); 10] = [
        ("table", How::Table),
        ("plot", How::Plot),
        ("line", How::Line),
        ("points", How::Points),
        ("image", How::Image),
        ("histogram", How::Histogram),
        ("infer", How::Infer),
        ("type", How::Type),
        ("img", How::Image),
        ("plot2d", How::Plot),
    ];
}

/// A directive with a word that is none: the word, and where it stands.
#[derive(Debug, PartialEq, Eq)]
pub struct UnknownWord(pub String, pub Range<usize>);

/// Takes a program apart. Blocks of tests are left out; of an example in a documentation comment the results that are written there are, too.
pub fn segments(text: &str) -> Result<Vec<Segment>, UnknownWord> {
    let mut out = Vec::new();
    // Editors of other systems begin files with a mark.
    let mut lines = Lines { text, at: if text.starts_with('\u{feff}') { 3 } else { 0 } };
    while let Some((start, line)) = lines.peek() {
        if line.starts_with("--") {
            comment(&mut lines, &mut out)?;
            continue;
        }
        // Code goes on until the next comment that begins a line.
        while lines.peek().is_some_and(|(_, line)| !line.starts_with("--")) {
            lines.next();
        }
        let code = text[start..lines.at].trim_matches(['\n', '\r']).trim_end();
        if !code.trim().is_empty() {
            out.push(Segment::Code(code.to_string()));
        }
    }
    Ok(out)
}

/// The lines that follow.
struct Lines<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Lines<'a> {
    fn peek(&self) -> Option<(usize, &'a str)> {
        let rest = &self.text[self.at..];
        (!rest.is_empty()).then(|| (self.at, rest.split('\n').next().unwrap_or(rest).trim_end_matches('\r')))
    }
    fn next(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.find('\n').map_or(rest.len(), |end| end + 1);
    }
}

/// A comment of one or several lines.
fn comment(lines: &mut Lines<'_>, out: &mut Vec<Segment>) -> Result<(), UnknownWord> {
    let mut text = String::new();
    let (mut tests, mut results, mut doc, mut fenced) = (false, false, false, false);
    while let Some((start, line)) = lines.peek().filter(|(_, line)| line.starts_with("--")) {
        lines.next();
        let begins = line.starts_with("-- |");
        let content = line.trim_start_matches('-');
        let content = content.strip_prefix(" |").unwrap_or(content);
        let content = content.strip_prefix(' ').unwrap_or(content);
        // A block of tests ends where documentation begins.
        tests = !begins && (tests || content.trim() == "==");
        doc = begins || doc;
        if tests {
            continue;
        }
        // Blocks of code in the text are shown as they are.
        fenced ^= content.trim_start().starts_with("```");
        if let Some(shown) = content.strip_prefix("> ").filter(|_| !fenced) {
            flush(&mut text, out);
            let at = start + line.len() - shown.len();
            out.push(Segment::Shown(directive(shown, at)?));
            results = doc;
        } else if content.trim().is_empty() && !fenced {
            results = false;
            text.push('\n');
        } else if !results {
            text.push_str(content);
            text.push('\n');
        }
    }
    flush(&mut text, out);
    Ok(())
}

fn flush(text: &mut String, out: &mut Vec<Segment>) {
    let whole = std::mem::take(text);
    let whole = whole.trim_matches('\n');
    if !whole.trim().is_empty() {
        out.push(Segment::Text(whole.to_string()));
    }
}

fn directive(shown: &str, at: usize) -> Result<Directive, UnknownWord> {
    let begin = |what: &str| at + shown.len() - what.len();
    let whole = |how, what: &str| {
        let what = what.trim_start();
        let start = begin(what);
        let what = what.trim_end();
        Directive { how, what: what.to_string(), at: start..start + what.len() }
    };
    let Some(rest) = shown.trim_start().strip_prefix(':') else { return Ok(whole(How::Value, shown)) };
    let (word, what) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    match How::WORDS.iter().find(|(known, _)| *known == word) {
        Some((_, how)) => Ok(whole(*how, what)),
        None => {
            let start = begin(rest) - 1;
            Err(UnknownWord(word.to_string(), start..start + word.len() + 1))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_text_code_and_what_is_shown() {
        let text = "-- # Waves\n--\n-- Text.\n\ndef f x = x -- a comment of the code\n  -- and more\n\n-- > :plot f 1\n-- | Doc.\n-- > f 2\n-- 2\n--\n-- After.\n-- ==\n-- input { 1 }\ndef g = 1\n";
        let shown = |how, what: &str| {
            let at = text.find(&format!("> {what}")).map_or_else(|| text.find(what).expect("it is there"), |at| at + 2);
            Segment::Shown(Directive { how, what: what.into(), at: at..at + what.len() })
        };
        let expected = [
            Segment::Text("# Waves\n\nText.".into()),
            Segment::Code("def f x = x -- a comment of the code\n  -- and more".into()),
            shown(How::Plot, "f 1"),
            Segment::Text("Doc.".into()),
            shown(How::Value, "f 2"),
            Segment::Text("After.".into()),
            Segment::Code("def g = 1".into()),
        ];
        assert_eq!(segments(text), Ok(expected.to_vec()));
        assert_eq!(segments("-- > :draw f\n"), Err(UnknownWord("draw".into(), 5..10)));
        assert_eq!(segments(""), Ok(Vec::new()));
        assert_eq!(segments("\u{feff}-- ```\n-- > 1 + 1\n-- ```\n"), Ok(vec![Segment::Text("```\n> 1 + 1\n```".into())]));
    }
}
