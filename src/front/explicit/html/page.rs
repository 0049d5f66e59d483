//! A whole page about a file.

use super::{Inserted, STYLE, definition, escaped, readings};
use crate::base::{FileId, SourceMap, Span};
use crate::diag::Diagnostic;
use crate::front::explicit::Printer;
use crate::ir::tables::{DefId, InnerTypes, Tables};
use std::fmt::Write;

/// Definitions in the list of those in which most is inserted.
const MOST_LISTED: usize = 20;
/// Diagnostics that are shown; the rest is counted.
const MOST_SHOWN: usize = 100;

/// A page: what it is about, in the order in which it is added.
#[derive(Debug, Default)]
pub struct Page {
    title: String,
    messages: String,
    costs: Vec<(String, String, Inserted)>,
    definitions: usize,
    refused: usize,
    body: String,
    /// Places of what is wrong, with the names of the elements that say so.
    wrong: Vec<(Span, String)>,
}

impl Page {
    /// An empty page.
    pub fn new(title: &str) -> Page {
        Page { title: title.to_string(), ..Page::default() }
    }

    /// Adds what is said of the program.
    pub fn diagnostics(&mut self, sources: &SourceMap, diagnostics: &[Diagnostic]) {
        for (number, diagnostic) in diagnostics.iter().take(MOST_SHOWN).enumerate() {
            let id = format!("remora-message-{number}");
            self.messages.push_str(&readings::diagnostic(sources, diagnostic, &id));
            self.wrong.extend(diagnostic.labels.first().map(|label| (label.span, id)));
        }
        if let Some(more) = diagnostics.len().checked_sub(MOST_SHOWN).filter(|more| *more > 0) {
            let _ = writeln!(self.messages, "<p>... and {more} more</p>");
        }
    }

    /// Adds a definition.
    pub fn definition(&mut self, printer: &Printer, tables: &Tables, def: DefId, ty: Option<&str>, inner: &InnerTypes) {
        self.definitions += 1;
        self.costs.push((super::name_of(printer, def), printer.program.defs[def].name.to_string(), Inserted::new(printer, tables, def)));
        let _ = write!(
            self.body,
            "<section aria-label=\"{0}\">\n<div class=\"remora-def\"><h3><code>{0}</code></h3></div>\n{1}</section>\n",
            escaped(printer.program.defs[def].name.as_str()),
            definition(printer, tables, def, ty, inner)
        );
    }

    /// Says how many definitions have errors and are shown as they are.
    pub fn refused(&mut self, count: usize) {
        self.refused = count;
    }

    /// Adds a text that is no definition: what stands between them, and what has no reading. What is wrong there is marked.
    pub fn between(&mut self, sources: &SourceMap, file: FileId, start: u32, end: u32) {
        let whole = Span::between(file, start, end);
        let text = sources.snippet(whole);
        if text.trim().is_empty() {
            return;
        }
        // Blank lines around it are no part of it.
        let shift = text.len() - text.trim_start().len();
        let from = start + text[..shift].rfind('\n').map_or(0, |at| at + 1) as u32;
        let (line, _) = sources.line_column(Span::between(file, from, from));
        let mut wrong: Vec<&(Span, String)> = self.wrong.iter().filter(|(span, _)| whole.contains(*span) && span.start >= from).collect();
        wrong.sort_by_key(|(span, _)| *span);
        let (mut out, mut at) = (String::new(), from);
        for (span, id) in wrong {
            if span.start < at || span.start == span.end {
                continue;
            }
            out.push_str(&escaped(sources.snippet(Span::between(file, at, span.start))));
            let _ = write!(out, "<a class=\"remora-wrong\" href=\"#{id}\">{}</a>", escaped(sources.snippet(*span)));
            at = span.end;
        }
        out.push_str(&escaped(sources.snippet(Span::between(file, at, end)).trim_end()));
        let _ = writeln!(self.body, "<div class=\"remora-def\" aria-label=\"from line {line}\" role=\"group\">\n<pre>{out}</pre>\n</div>");
    }

    /// Adds what was made elsewhere.
    pub fn html(&mut self, html: &str) {
        self.body.push_str(html);
    }

    /// The whole page.
    pub fn finish(self) -> String {
        let title = escaped(&self.title);
        let mut out = format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n<title>{title}</title>\n\
             <style>\n{STYLE}{}</style>\n</head>\n<body>\n<a class=\"remora-skip\" href=\"#source\">To the source</a>\n<header>\n<h1>{title}</h1>\n",
            include_str!("page.css")
        );
        out.push_str(&self.summary());
        out.push_str("</header>\n<main>\n");
        if !self.messages.is_empty() {
            let _ = write!(
                out,
                "<section aria-label=\"Messages\">\n<div class=\"remora-def\">\n<h2>Messages</h2>\n{}</div>\n</section>\n",
                self.messages
            );
        }
        out.push_str(&self.costs());
        let _ = write!(
            out,
            "<section id=\"source\" aria-label=\"Source\" tabindex=\"-1\">\n<h2>Source</h2>\n{}</section>\n</main>\n</body>\n</html>\n",
            self.body
        );
        out
    }

    fn summary(&self) -> String {
        if self.definitions + self.refused == 0 {
            return String::new();
        }
        let refused = if self.refused > 0 { format!(", {} more with errors", self.refused) } else { String::new() };
        let sum = |of: &dyn Fn(&Inserted) -> u32| self.costs.iter().map(|(_, _, inserted)| of(inserted)).sum::<u32>();
        let count = |n: u32, what: &str| if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") };
        format!(
            "<div class=\"remora-def\">\n<p>{}{refused}; {} and {} inserted. With the pointer or the keyboard on a mark its frame, cells, ranks and sizes are shown; \
             the mark leads to a drawing.</p>\n<p class=\"remora-legend\"><span class=\"remora-mapped\">mapped</span> the function is applied for each place; \
             <span class=\"remora-repeated\">replicated</span> the same for all places; <span class=\"remora-consumed\">consumed</span> the function gets \
             all of it.</p>\n</div>\n",
            count(self.definitions as u32, "definition"),
            count(sum(&|inserted| inserted.maps), "map"),
            count(sum(&|inserted| inserted.reps), "rep")
        )
    }

    /// The definitions in which most is inserted.
    fn costs(&self) -> String {
        let mut costs: Vec<_> = self.costs.iter().filter(|(_, _, inserted)| inserted.cost() > 0).collect();
        // Those of the same cost in the order of the source.
        costs.sort_by_key(|(_, _, inserted)| std::cmp::Reverse(inserted.cost()));
        let Some((_, _, most)) = costs.first() else { return String::new() };
        let mut out = String::from(
            "<section aria-label=\"Where most is inserted\">\n<div class=\"remora-def\">\n<h2>Where most is inserted</h2>\n<div class=\"remora-scroll\">\n\
             <table class=\"remora-cost\">\n<tr><th scope=\"col\">definition</th><th scope=\"col\">cost</th><th scope=\"col\"></th>\
             <th scope=\"col\">maps</th><th scope=\"col\">reps</th><th scope=\"col\">places</th></tr>\n",
        );
        for (id, name, inserted) in costs.iter().take(MOST_LISTED) {
            let Inserted { applications, maps, reps } = inserted;
            let _ = writeln!(
                out,
                "<tr><th scope=\"row\"><a href=\"#{id}\"><code>{}</code></a></th><td class=\"remora-number\">{}</td>\
                 <td><span class=\"remora-bar\" style=\"width: {:.1}em\"></span></td><td class=\"remora-number\">{maps}</td>\
                 <td class=\"remora-number\">{reps}</td><td class=\"remora-number\">{applications}</td></tr>",
                escaped(name),
                inserted.cost(),
                8.0 * f64::from(inserted.cost()) / f64::from(most.cost())
            );
        }
        out.push_str("</table>\n</div>\n");
        if let Some(more) = costs.len().checked_sub(MOST_LISTED).filter(|more| *more > 0) {
            let _ = writeln!(out, "<p>... and {more} more definitions</p>");
        }
        out.push_str("<p>The cost of a definition is the number of its inserted maps and reps, which inference makes as small as it can.</p>\n</div>\n</section>\n");
        out
    }
}
