//! Definitions for people who look at them in a browser: the explicit source with what was inserted marked, and for each application a
//! drawing of how the arrays are taken apart into frames and cells.

use super::{ApplicationReport, Printer, applications};
use crate::ir::tables::{DefId, Tables};
use std::fmt::Write;
use std::ops::Range;

/// How it looks; the classes begin with `remora`, so that pages of others stay as they are.
pub const STYLE: &str = "\
.remora-def { margin: 0 0 1em; font-family: sans-serif; font-size: 14px }
.remora-def pre { margin: .3em 0; padding: .6em .8em; background: #f6f6f4; color: #222; white-space: pre-wrap; line-height: 1.5 }
.remora-def .remora-type { color: #555; background: none; padding: 0 .8em }
.remora-def mark { background: #ffe3a3; color: #663c00; border-radius: 3px; padding: 0 .15em }
.remora-def table { border-collapse: collapse; margin: .3em .8em }
.remora-def td, .remora-def th { padding: .15em .8em .15em 0; text-align: left; font-weight: normal; border: none; background: none }
.remora-def th { color: #777 }
.remora-def svg { vertical-align: middle }
@media (prefers-color-scheme: dark) { .remora-def pre { background: #26262a; color: #ddd } .remora-def mark { background: #5a4310; color: #ffdf9e } }
";

/// A whole page with these definitions.
pub fn page(title: &str, definitions: &[String]) -> String {
    let title = escaped(title);
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>{title}</title>\n<style>\nbody {{ margin: 2em auto; max-width: 60em }}\n{STYLE}</style>\n\
         </head>\n<body>\n<h1>{title}</h1>\n{}</body>\n</html>\n",
        definitions.concat()
    )
}

/// A definition: its type, its explicit source, what was inserted where.
pub fn definition(printer: &Printer, tables: &Tables, def: DefId, ty: Option<&str>) -> String {
    let (source, inserted) = printer.marked(tables, def);
    let name = &printer.program.defs[def].name;
    let ty = ty.map_or_else(|| printer.type_of(tables, def), str::to_string);
    let mut out = format!("<div class=\"remora-def\">\n<pre class=\"remora-type\">{} : {}</pre>\n", escaped(name.as_str()), escaped(&ty));
    let _ = writeln!(out, "<pre>{}</pre>", highlighted(source.trim_end(), &inserted));
    let found = applications(printer.program, printer.sources, tables, def);
    if found.is_empty() {
        out.push_str("<p>Nothing was inserted.</p>\n");
    } else {
        out.push_str("<table>\n<tr><th>where</th><th>function</th><th>frame and cell</th><th></th></tr>\n");
        found.iter().for_each(|report| row(&mut out, report));
        out.push_str("</table>\n");
    }
    out.push_str("</div>\n");
    out
}

/// Text as it is.
pub fn text(text: &str) -> String {
    format!("<div class=\"remora-def\">\n<pre>{}</pre>\n</div>\n", escaped(text.trim_end()))
}

fn row(out: &mut String, report: &ApplicationReport) {
    let ApplicationReport { function, line, column, maps, reps, induced } = report;
    let count = |n: u32, what: &str| if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") };
    let mut said = Vec::new();
    if *maps > 0 {
        said.push(format!("mapped over {}", count(*maps, "dimension")));
    }
    if reps > induced {
        said.push(format!("replicated {}", count(reps - induced, "time")));
    }
    if *induced > 0 {
        said.push(format!("the same for {} that other arguments have", count(*induced, "dimension")));
    }
    let _ = writeln!(
        out,
        "<tr><td>{line}:{column}</td><td><code>{}</code></td><td>{}</td><td>{}</td></tr>",
        escaped(function),
        drawing(*maps, *reps),
        said.join(", ")
    );
}

/// An array as its frame, a box for each dimension that is mapped over, dashed for those that are replicated, around a cell.
fn drawing(maps: u32, reps: u32) -> String {
    const STEP: u32 = 7;
    // More boxes than that are no drawing.
    let (maps, reps) = (maps.min(5), reps.min(5));
    let levels = maps + reps;
    let (width, height) = (2 * STEP * levels + 22, 2 * STEP * levels + 14);
    let mut out =
        format!("<svg width=\"{}\" height=\"{}\" role=\"img\" aria-label=\"{maps} mapped, {reps} replicated\">", width + 2, height + 2);
    for level in 0..levels {
        let inset = level * STEP;
        let dashes = if level < reps { " stroke-dasharray=\"3 2\"" } else { "" };
        let _ = write!(
            out,
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"#b8860b\"{dashes}/>",
            inset + 1,
            inset + 1,
            width - 2 * inset,
            height - 2 * inset
        );
    }
    let inset = levels * STEP + 1;
    let _ = write!(out, "<rect x=\"{inset}\" y=\"{inset}\" width=\"22\" height=\"14\" fill=\"#4a78a8\"/></svg>");
    out
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

/// Text as a page has it, in elements and in attributes.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
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
    fn drawings_have_a_box_for_each_dimension() {
        assert_eq!(drawing(2, 1).matches("<rect").count(), 4);
        assert_eq!(drawing(2, 1).matches("dasharray").count(), 1);
        assert_eq!(drawing(100, 0).matches("<rect").count(), 6);
    }
}
