//! The lines of a program with what is said of them, in words.

use crate::base::SourceMap;
use crate::cli::bench::shown;
use crate::cli::output::counted;
use crate::driver::profile::{At, Memory, Remark, Report, Timed};
use std::collections::BTreeMap;

/// A line of the program that something is said of.
pub(super) struct Line<'r> {
    /// The file.
    pub file: &'r str,
    /// Its number, from 1.
    pub number: usize,
    /// What stands there.
    pub source: &'r str,
    /// The part of the time that it took; nothing if nothing there was timed.
    pub share: Option<f64>,
    /// What is said.
    pub said: Vec<String>,
}

#[derive(Default)]
struct Parts<'r> {
    nests: Vec<&'r Timed>,
    memory: Vec<&'r Memory>,
    notes: Vec<&'r Remark>,
}

/// The lines in the order of the program.
pub(super) fn lines<'r>(report: &'r Report, sources: &'r SourceMap) -> Vec<Line<'r>> {
    let mut lines: BTreeMap<(&str, usize), Parts> = BTreeMap::new();
    report.nests.iter().for_each(|nest| of(&mut lines, &nest.at).nests.push(nest));
    report.arrays.iter().chain(&report.copies).for_each(|memory| of(&mut lines, &memory.at).memory.push(memory));
    // Small arrays take no time, and there may be many.
    report.notes.iter().filter(|said| said.kind != "in-frame").for_each(|said| of(&mut lines, &said.at).notes.push(said));
    let line = |((file, number), parts): ((&'r str, usize), Parts)| {
        let source = sources.files().find(|(_, source)| source.name == file);
        let source = source.and_then(|(_, source)| source.text.lines().nth(number - 1)).unwrap_or_default().trim();
        let share = (!parts.nests.is_empty()).then(|| parts.nests.iter().map(|nest| nest.share).sum());
        Line { file, number, source, share, said: sentences(&parts) }
    };
    lines.into_iter().map(line).collect()
}

fn of<'m, 'r>(lines: &'m mut BTreeMap<(&'r str, usize), Parts<'r>>, at: &'r At) -> &'m mut Parts<'r> {
    lines.entry((at.file.as_str(), at.line)).or_default()
}

/// Whether a note says how something runs that was timed.
fn is_about(said: &Remark, nest: &Timed) -> bool {
    said.id == Some(nest.id) && ["one-thread", "no-tiles", "tiles", "twice"].contains(&said.kind)
}

/// What was timed with how it runs, then memory, then the rest.
fn sentences(parts: &Parts) -> Vec<String> {
    let mut out = Vec::new();
    for nest in &parts.nests {
        let how: Vec<&str> = parts.notes.iter().filter(|said| is_about(said, nest)).map(|said| said.text.as_str()).collect();
        let place = nest.at.library.as_ref().map_or_else(String::new, |place| format!(" in {place}"));
        let colon = if how.is_empty() { "" } else { ": " };
        out.push(format!("{} {}{place}{colon}{}", shown(nest.self_seconds), nest.what, how.join("; ")));
    }
    for Memory { what, times, bytes: all, largest_bytes, .. } in &parts.memory {
        let often = if *times == 1 { String::new() } else { format!(", {times} times, up to {} each", bytes(*largest_bytes)) };
        out.push(format!("{}{often}: {what}", bytes(*all)));
    }
    for said in parts.notes.iter().filter(|said| !parts.nests.iter().any(|nest| is_about(said, nest))) {
        if !out.contains(&said.text) {
            out.push(said.text.clone());
        }
    }
    out
}

/// A number of bytes.
pub(super) fn bytes(bytes: i64) -> String {
    match bytes as f64 {
        b if b < 1e4 => format!("{bytes} bytes"),
        b if b < 1e6 => format!("{:.1} kB", b / 1e3),
        b if b < 1e9 => format!("{:.1} MB", b / 1e6),
        b => format!("{:.2} GB", b / 1e9),
    }
}

/// The first line: how long it took, how it was run.
pub(super) fn summary(report: &Report) -> String {
    let threads = counted(report.threads, "thread");
    let runs = if report.runs == 1 { "1 run".to_string() } else { format!("median of {} runs", report.runs) };
    let mut out =
        format!("{}: {} ({runs}, {threads}), at most {} of arrays", report.entry, shown(report.seconds), bytes(report.peak_bytes));
    if report.measuring_seconds > 0.02 * report.seconds {
        let part = 100.0 * report.measuring_seconds / report.seconds.max(1e-12);
        out += &format!("\nof that, measuring took about {} ({part:.0} %)", shown(report.measuring_seconds));
    }
    out
}

/// What was timed, and where the rest comes from that it does.
pub(super) fn with(nest: &Timed) -> String {
    let places: Vec<String> = nest.fused.iter().map(|at| format!("{}:{}", at.line, at.column)).collect();
    if places.is_empty() { nest.what.clone() } else { format!("{}, with what is at {}", nest.what, places.join(", ")) }
}
