//! Definitions for people who look at them in a browser: the source with what is inserted marked, and for each application a drawing of how
//! the arrays are taken apart into frames and cells. A page needs nothing but itself: no scripts, no fonts, no requests.

mod drawing;
mod page;
mod readings;
mod source;

pub use page::Page;

use super::frames::frames;
use super::insertions::applications;
use super::{ApplicationReport, Printer};
use crate::ir::tables::{DefId, InnerTypes, Tables};
use std::fmt::Write;
use std::hash::Hasher;
use std::ops::Range;

/// How it looks; the classes begin with `remora`, so that pages of others stay as they are.
pub const STYLE: &str = include_str!("style.css");

/// What was inserted in a definition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Inserted {
    /// Applications and updates with insertions.
    pub applications: usize,
    /// Maps.
    pub maps: u32,
    /// Replications that are not induced by maps.
    pub reps: u32,
}

impl Inserted {
    /// Counts what was inserted in a definition.
    pub fn new(printer: &Printer, tables: &Tables, def: DefId) -> Inserted {
        let found = applications(printer.program, printer.sources, tables, def);
        let mut places: Vec<(usize, usize)> = found.iter().map(|report| (report.line, report.column)).collect();
        places.dedup();
        let mut inserted = Inserted { applications: places.len(), ..Inserted::default() };
        for ApplicationReport { maps, reps, induced, .. } in found {
            inserted.maps += maps;
            inserted.reps += reps - induced;
        }
        inserted
    }

    /// Maps and replications.
    pub fn cost(self) -> u32 {
        self.maps + self.reps
    }
}

/// A definition: its type, its source, what was inserted where. The type is printed from the tables, without sizes, unless the caller has a
/// better text; `inner` has the types in it.
pub fn definition(printer: &Printer, tables: &Tables, def: DefId, ty: Option<&str>, inner: &InnerTypes) -> String {
    let id = name_of(printer, def);
    let (explicit, inserted) = printer.marked(tables, def);
    let name = &printer.program.defs[def].name;
    let ty = ty.map_or_else(|| printer.type_of(tables, def), str::to_string);
    let frames = frames(printer, tables, inner, def);
    let mut out =
        format!("<div class=\"remora-def\" id=\"{id}\">\n<pre class=\"remora-type\">{} : {}</pre>\n", escaped(name.as_str()), escaped(&ty));
    let _ = writeln!(out, "<pre>{}</pre>", source::written(printer, tables, inner, def, &frames, &id));
    if frames.is_empty() {
        out.push_str("<p>Nothing was inserted.</p>\n");
    } else {
        let _ = writeln!(
            out,
            "<details><summary>With everything written out</summary><pre>{}</pre></details>",
            highlighted(explicit.trim_end(), &inserted)
        );
    }
    for (number, (_, frames)) in frames.iter().enumerate() {
        let (line, column) = printer.sources.line_column(frames.place);
        out.push_str(&drawing::application(frames, line, column, &format!("{id}-{number}")));
    }
    out.push_str("</div>\n");
    out
}

/// The name of a definition's element: the same for the same definition, another one for others that stand on one page.
fn name_of(printer: &Printer, def: DefId) -> String {
    let (span, mut hasher) = (printer.program.defs[def].decl_span(), rustc_hash::FxHasher::default());
    let file = printer.sources.file(span.file);
    file.name.bytes().chain(printer.sources.snippet(span).bytes()).for_each(|byte| hasher.write_u8(byte));
    hasher.write_u32(span.start);
    format!("remora-{:012x}", hasher.finish() & 0xffff_ffff_ffff)
}

/// Text as it is.
pub fn text(text: &str) -> String {
    format!("<div class=\"remora-def\">\n<pre>{}</pre>\n</div>\n", escaped(text.trim_end()))
}

/// Text with some of it marked.
fn highlighted(text: &str, marks: &[Range<usize>]) -> String {
    let mut marks = marks.to_vec();
    marks.sort_by_key(|mark| mark.start);
    let (mut out, mut at) = (String::new(), 0);
    for mark in marks.into_iter().filter(|mark| mark.end <= text.len()) {
        let (Some(before), Some(inside)) = (text.get(at..mark.start), text.get(mark.clone())) else { continue };
        let _ = write!(out, "{}<mark>{}</mark>", escaped(before), escaped(inside));
        at = mark.end;
    }
    out.push_str(&escaped(text.get(at..).unwrap_or_default()));
    out
}

/// A text that means itself, in elements and in attributes. Characters that change the direction of others are written by their numbers.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' | '\t' => out.push(c),
            // They would hide or reorder what is written.
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}' => {
                let _ = write!(out, "[U+{:04X}]", u32::from(c));
            }
            c if c.is_control() => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_where_names_are() {
        assert_eq!(highlighted("map (f < g) xs", std::slice::from_ref(&(0..3))), "<mark>map</mark> (f &lt; g) xs");
        assert_eq!(highlighted("a map b rep", &[8..11, 2..5]), "a <mark>map</mark> b <mark>rep</mark>");
        assert_eq!(highlighted("short", std::slice::from_ref(&(3..9))), "short");
    }

    #[test]
    fn text_means_itself() {
        assert_eq!(escaped("<script a='b'>\"&\n"), "&lt;script a=&#39;b&#39;&gt;&quot;&amp;\n");
        assert_eq!(escaped("a\u{0}b\u{202e}c"), "a\u{fffd}b[U+202E]c");
    }
}
