//! Profiles as a page for a browser: a flame graph, and the program with what is said of its lines. The page needs nothing else, and no script.

use super::lines::{Line, bytes, lines, summary, with};
use crate::base::SourceMap;
use crate::cli::bench::shown;
use crate::driver::profile::{Report, Timed};
use crate::front::explicit::html::escaped;
use std::fmt::Write;

const STYLE: &str = "\
body { margin: 2em auto; max-width: 72em; padding: 0 1em; font: 14px/1.4 sans-serif; color: #222; background: #fff }
.flame { display: flex; min-width: 0 }
.box { min-width: 0; overflow: hidden; box-sizing: border-box }
.bar { margin: 0 1px 1px 0; padding: .1em .3em; background: hsl(calc(50 - 40 * var(--heat)) 90% 72%); white-space: nowrap; overflow: hidden; text-overflow: ellipsis }
.rest { background: #eee }
.wide { overflow-x: auto }
table { border-collapse: collapse; width: 100%; margin: 1em 0 }
td, th { padding: .1em .8em .1em 0; text-align: left; vertical-align: top }
td.n, th.n { text-align: right; white-space: nowrap }
pre { margin: 0; padding: .15em .5em; background: linear-gradient(90deg, #ffd08a var(--part), #f6f6f4 var(--part)); white-space: pre-wrap }
li { margin: .1em 0; overflow-wrap: anywhere }
pre, p { overflow-wrap: anywhere }
@media screen and (prefers-color-scheme: dark) {
  body { color: #ddd; background: #1b1b1e } .bar { color: #222 } .rest { background: #555; color: #ddd }
  pre { background: linear-gradient(90deg, #6b4a10 var(--part), #26262a var(--part)) }
}
";

/// The whole page.
pub(super) fn write(report: &Report, sources: &SourceMap) -> String {
    let title = escaped(&format!("Profile of {}", report.entry));
    let mut out = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n<title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n"
    );
    let _ = writeln!(out, "<p>{}</p>\n<h2>Time</h2>", escaped(&summary(report)));
    flames(report, &mut out);
    table(report, &mut out);
    let _ = writeln!(out, "<h2>Lines</h2>");
    lines(report, sources).iter().for_each(|l| line(l, &mut out));
    out.push_str("</body>\n</html>\n");
    out
}

/// What is drawn of the time of the run.
struct Flames<'r> {
    report: &'r Report,
}

/// A part of the time of the run, as wide as long.
fn flames(report: &Report, out: &mut String) {
    let flames = Flames { report };
    let own = |nest: &&Timed| nest.parent.is_none() && nest.function == report.entry;
    let _ = writeln!(out, "<div class=\"flame\">");
    let roots: Vec<&Timed> = report.nests.iter().filter(own).collect();
    roots.iter().for_each(|nest| flames.nest(nest, report.seconds, 1.0, 0, out));
    rest("outside of these", report.outside_seconds, report.seconds, out);
    let _ = writeln!(out, "</div>");
}

/// Functions that are called call others; no more of that is drawn than this.
const DEEPEST: usize = 40;

impl Flames<'_> {
    /// A nest with those in it. `part` is the part of what was measured of it that belongs here: a function may be called in several places.
    fn nest(&self, nest: &Timed, whole: f64, part: f64, depth: usize, out: &mut String) {
        let seconds = nest.total_seconds * part;
        let width = 100.0 * seconds / whole.max(1e-12);
        let heat = (seconds / self.report.seconds.max(1e-12)).clamp(0.0, 1.0);
        let label = format!("{}:{}:{} {}", nest.at.file, nest.at.line, nest.at.column, with(nest));
        let title =
            escaped(&format!("{label}\n{}\n{} of {}, run {}×", nest.at.text, shown(seconds), shown(self.report.seconds), nest.calls));
        let _ =
            write!(out, "<div class=\"box\" style=\"width:{width:.3}%\" title=\"{title}\"><div class=\"bar\" style=\"--heat:{heat:.3}\">");
        let _ = writeln!(out, "{} {}</div>", escaped(&shown(seconds)), escaped(&label));
        let inside = self.inside(nest);
        if !inside.is_empty() && depth < DEEPEST && seconds > 0.0 {
            let _ = writeln!(out, "<div class=\"flame\">");
            inside.iter().for_each(|(inner, of)| self.nest(inner, seconds, part * of, depth + 1, out));
            let _ = writeln!(out, "</div>");
        }
        let _ = writeln!(out, "</div>");
    }

    /// What is timed in a nest; for a call what is timed in the function, with the part of it that belongs to this call.
    fn inside(&self, nest: &Timed) -> Vec<(&Timed, f64)> {
        let nests = &self.report.nests;
        let mut out: Vec<(&Timed, f64)> = nests.iter().filter(|inner| inner.parent == Some(nest.id)).map(|inner| (inner, 1.0)).collect();
        if let Some(called) = &nest.called {
            let spent = |call: &Timed| (call.total_seconds - call.self_seconds).max(0.0);
            let all: f64 = nests.iter().filter(|call| call.called.as_ref() == Some(called)).map(spent).sum();
            let part = if all > 0.0 { spent(nest) / all } else { 0.0 };
            out.extend(nests.iter().filter(|inner| inner.parent.is_none() && inner.function == *called).map(|inner| (inner, part)));
        }
        out
    }
}

fn rest(what: &str, seconds: f64, whole: f64, out: &mut String) {
    let width = 100.0 * seconds / whole.max(1e-12);
    let text = escaped(&format!("{} {what}", shown(seconds)));
    let _ = writeln!(out, "<div class=\"box\" style=\"width:{width:.3}%\" title=\"{text}\"><div class=\"bar rest\">{text}</div></div>");
}

fn table(report: &Report, out: &mut String) {
    out.push_str("<div class=\"wide\" tabindex=\"0\">\n<table>\n<tr><th class=\"n\">time</th><th class=\"n\">share</th><th class=\"n\">busy threads</th><th class=\"n\">times</th><th></th></tr>\n");
    for nest in &report.nests {
        let (share, what) = (100.0 * nest.share, format!("{}:{}:{} {}", nest.at.file, nest.at.line, nest.at.column, with(nest)));
        let _ = writeln!(
            out,
            "<tr><td class=\"n\">{}</td><td class=\"n\">{share:.1} %</td><td class=\"n\">{:.1}</td><td class=\"n\">{}</td><td>{}</td></tr>",
            escaped(&shown(nest.self_seconds)),
            nest.busy,
            nest.calls,
            escaped(&what)
        );
    }
    out.push_str("</table>\n</div>\n");
    let sum = |list: &[crate::driver::profile::Memory]| bytes(list.iter().map(|memory| memory.bytes).sum());
    let _ = writeln!(out, "<p>Arrays made: {}. Copies: {}.</p>", escaped(&sum(&report.arrays)), escaped(&sum(&report.copies)));
}

fn line(line: &Line, out: &mut String) {
    let part = 100.0 * line.share.unwrap_or(0.0);
    let share = line.share.map_or_else(String::new, |share| format!(" {:.1} %", 100.0 * share));
    let _ = writeln!(out, "<p>{}:{}{share}</p>", escaped(line.file), line.number);
    let _ = writeln!(out, "<pre style=\"--part:{part:.1}%\">{}</pre>\n<ul>", escaped(line.source));
    line.said.iter().for_each(|said| {
        let _ = writeln!(out, "<li>{}</li>", escaped(said));
    });
    out.push_str("</ul>\n");
}
