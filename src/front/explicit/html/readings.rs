//! The readings of an ambiguous application side by side, with what differs marked.

use super::{drawing, escaped};
use crate::base::SourceMap;
use crate::diag::{Diagnostic, Reading, Severity, text};
use similar::{Algorithm, DiffTag, capture_diff_slices};
use std::fmt::Write;

/// Longer texts are not compared.
const MOST_TOKENS: usize = 2_000;

/// A diagnostic; `id` is the name of its element.
pub(super) fn diagnostic(sources: &SourceMap, diagnostic: &Diagnostic, id: &str) -> String {
    let severity = match diagnostic.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    let plain = Diagnostic { readings: Vec::new(), ..diagnostic.clone() };
    let shown = text::render(sources, &plain, false);
    // The message itself is the heading.
    let shown = shown.split_once('\n').map_or("", |(_, rest)| rest).trim_end();
    let mut out = format!(
        "<section class=\"remora-message\" id=\"{id}\" tabindex=\"-1\">\n<h3>{severity} {}: {}</h3>\n",
        diagnostic.code.number(),
        escaped(&diagnostic.message)
    );
    if !shown.is_empty() {
        let _ = writeln!(out, "<pre tabindex=\"0\">{}</pre>", escaped(shown));
    }
    if !diagnostic.readings.is_empty() {
        readings(&mut out, sources, &diagnostic.readings);
    }
    out.push_str("</section>\n");
    out
}

fn readings(out: &mut String, sources: &SourceMap, readings: &[Reading]) {
    let fragments: Vec<&str> = readings.iter().map(|reading| reading.fragment.as_str()).collect();
    let wholes: Vec<&str> = readings.iter().map(|reading| reading.source.trim_end()).collect();
    let (fragments, wholes) = (compared(&fragments), compared(&wholes));
    out.push_str("<div class=\"remora-readings\">\n");
    for (number, ((reading, fragment), whole)) in readings.iter().zip(fragments).zip(wholes).enumerate() {
        let plural = if reading.cost == 1 { "" } else { "s" };
        let _ = write!(
            out,
            "<article class=\"remora-reading\" aria-label=\"reading {0} of {1}\">\n<h3>Reading {0}</h3>\n<p>{2}; {3} insertion{plural} in all.</p>\n<pre>{fragment}</pre>\n",
            number + 1,
            readings.len(),
            escaped(&reading.note),
            reading.cost
        );
        for frames in &reading.frames {
            let (line, column) = sources.line_column(frames.place);
            out.push_str(&drawing::application(frames, line, column, ""));
        }
        let _ = writeln!(out, "<details><summary>The whole definition</summary><pre>{whole}</pre></details>\n</article>");
    }
    out.push_str("</div>\n");
}

/// Texts with what is not the same in all of them marked.
fn compared(texts: &[&str]) -> Vec<String> {
    let tokens: Vec<Vec<&str>> = texts.iter().map(|text| tokens(text)).collect();
    let Some(first) = tokens.first() else { return Vec::new() };
    let mut differ: Vec<Vec<bool>> = tokens.iter().map(|tokens| vec![false; tokens.len()]).collect();
    for (index, other) in tokens.iter().enumerate().skip(1) {
        if first.len() > MOST_TOKENS || other.len() > MOST_TOKENS {
            continue;
        }
        for change in capture_diff_slices(Algorithm::Myers, first, other) {
            if change.tag() != DiffTag::Equal {
                differ[0][change.old_range()].fill(true);
                differ[index][change.new_range()].fill(true);
            }
        }
    }
    tokens.iter().zip(&differ).map(|(tokens, differ)| marked(tokens, differ)).collect()
}

fn marked(tokens: &[&str], differ: &[bool]) -> String {
    let mut out = String::new();
    let mut open = false;
    for (token, differs) in tokens.iter().zip(differ) {
        // Blanks alone are no difference worth showing.
        let differs = *differs && (open || !token.trim().is_empty());
        if differs != open {
            out.push_str(if differs { "<mark>" } else { "</mark>" });
            open = differs;
        }
        out.push_str(&escaped(token));
    }
    out.push_str(if open { "</mark>" } else { "" });
    out
}

/// Words, blanks, and every other character by itself.
fn tokens(text: &str) -> Vec<&str> {
    let kind = |c: char| match c {
        c if c.is_alphanumeric() || c == '_' || c == '\'' => 0,
        c if c.is_whitespace() => 1,
        _ => 2,
    };
    let mut out = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let same = |c: char| kind(first) < 2 && kind(c) == kind(first);
        let end = rest.char_indices().skip(1).find(|(_, c)| !same(*c)).map_or(rest.len(), |(at, _)| at);
        let (token, after) = rest.split_at(end);
        out.push(token);
        rest = after;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_is_marked() {
        assert_eq!(tokens("map (f') xs"), ["map", " ", "(", "f'", ")", " ", "xs"]);
        let out = compared(&["sum (map f xs)", "sum (rep (f xs))"]);
        assert_eq!(out[0], "sum (<mark>map</mark> f xs)");
        assert_eq!(out[1], "sum (<mark>rep</mark> <mark>(</mark>f xs)<mark>)</mark>");
        assert_eq!(compared(&["a < b", "a < b"]), ["a &lt; b", "a &lt; b"]);
        assert!(compared(&[]).is_empty());
    }
}
