//! Profiles as text.

use super::lines::{lines, summary, with};
use crate::base::SourceMap;
use crate::cli::bench::shown;
use crate::driver::profile::Report;
use std::fmt::Write;

/// A table of what took the time, then the lines of the program with what is said of them.
pub(super) fn write(report: &Report, sources: &SourceMap) -> String {
    let mut out = summary(report);
    let _ = writeln!(out, "\n\n{:>10}  {:>6}  {:>5}  {:>8}", "time", "share", "busy", "times");
    for nest in &report.nests {
        let at = &nest.at;
        let row = row(nest.self_seconds, nest.share, &format!("{:.1}", nest.busy), &nest.calls.to_string());
        let _ = writeln!(out, "{row}  {}:{}:{} {}", at.file, at.line, at.column, with(nest));
    }
    let share = report.outside_seconds / report.seconds.max(1e-12);
    let _ = writeln!(out, "{}  outside of these", row(report.outside_seconds, share, "", ""));
    for line in lines(report, sources) {
        let share = line.share.map_or_else(String::new, |share| format!("  {:.1} %", 100.0 * share));
        let _ = writeln!(out, "\n{}:{}{share}\n    {}", line.file, line.number, line.source);
        line.said.iter().for_each(|said| {
            let _ = writeln!(out, "  {said}");
        });
    }
    out
}

fn row(seconds: f64, share: f64, busy: &str, calls: &str) -> String {
    format!("{:>10}  {:>4.1} %  {busy:>5}  {calls:>8}", shown(seconds), 100.0 * share)
}
