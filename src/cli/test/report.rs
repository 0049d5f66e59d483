//! What came of tests, counted and printed: as text or as one JSON object.

use super::super::output::Console;
use super::TestArgs;
use crate::base::{Code, SourceMap, Span};
use crate::diag::{Diagnostic, visible, visible_name};
use crate::front::resolve::closest;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::BTreeSet;

/// How a case went.
#[derive(Debug)]
pub enum Verdict {
    /// As expected.
    Passed,
    /// Not run, and why.
    Skipped(String),
    /// It fails as expected, in other words.
    OtherWords(String),
    /// Not as expected.
    Failed(Option<Span>, String),
}

/// The same, with the place in words.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Found {
    /// As expected.
    Passed,
    /// Not run, and why.
    Skipped(String),
    /// It fails as expected, in other words.
    OtherWords(String),
    /// Not as expected: where, and how.
    Failed(Option<String>, String),
}

/// What came of a case.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Result {
    /// The entry point and the name of the case, or what was looked at.
    pub name: String,
    /// What ran it.
    pub backend: Option<String>,
    /// How it went.
    pub found: Found,
    /// How long it took, in seconds.
    pub seconds: f64,
}

/// What came of a file.
#[derive(Debug, Default)]
pub struct Report {
    /// The file.
    pub name: String,
    /// What is wrong with the file and its blocks, rendered, and whether it is an error.
    pub diagnostics: Vec<(String, bool)>,
    /// Its cases.
    pub results: Vec<Result>,
    /// Whether it has test blocks.
    pub blocks: bool,
    /// The entry points that they are about.
    pub entries: Vec<String>,
    /// What was said besides.
    pub remarks: Vec<Remark>,
}

/// What is said besides results.
#[derive(Debug)]
pub enum Remark {
    /// A note about the machine, which is shown once for all files.
    Note(String),
    /// What a process wrote to standard error.
    Said(String),
}

/// Counts and prints.
pub struct Tally<'a> {
    console: &'a mut Console,
    args: &'a TestArgs,
    /// How many files there are, and how many of them are done.
    files: (usize, usize),
    scanned: bool,
    /// Files without test blocks, the first of them by name.
    without: (usize, String),
    /// The entry points that test blocks are about.
    entries: BTreeSet<String>,
    passed: usize,
    failed: usize,
    skipped: usize,
    /// Errors in other words than expected.
    words: usize,
    json: Vec<serde_json::Value>,
    /// Notes that were printed; they are about the machine, not about a program.
    notes: Vec<String>,
}

impl<'a> Tally<'a> {
    /// Nothing yet, of so many files; `scanned` says that folders were searched for them.
    pub fn new(console: &'a mut Console, args: &'a TestArgs, files: usize, scanned: bool) -> Tally<'a> {
        let (json, notes) = (Vec::new(), Vec::new());
        let (without, entries) = ((0, String::new()), BTreeSet::new());
        Tally { console, args, files: (files, 0), scanned, without, entries, passed: 0, failed: 0, skipped: 0, words: 0, json, notes }
    }

    /// The next file.
    pub fn file(&mut self, report: Report) {
        for (text, error) in &report.diagnostics {
            self.console.rendered(text, *error);
        }
        self.remarks(&report.remarks);
        if !report.blocks {
            self.without.0 += 1;
            if self.without.0 == 1 {
                self.without.1.clone_from(&report.name);
            }
        }
        self.entries.extend(report.entries);
        let several = self.args.backends().len() > 1;
        for result in &report.results {
            let backend = result.backend.as_ref().filter(|_| several).map(|backend| format!(" [{backend}]")).unwrap_or_default();
            let name = visible_name(&format!("{}: {}{backend}", report.name, result.name)).into_owned();
            self.count(&report.name, &name, result);
        }
        self.files.1 += 1;
        let (all, done) = self.files;
        if all > 1 {
            let failed = if self.failed > 0 { format!(", {} failed", self.failed) } else { String::new() };
            self.console.status(&format!("{done} of {all} programs, {} passed{failed}: {}", self.passed, report.name));
        }
    }

    fn remarks(&mut self, remarks: &[Remark]) {
        for remark in remarks {
            match remark {
                Remark::Note(note) if self.notes.contains(note) => {}
                Remark::Note(note) => {
                    note.lines().for_each(|line| self.console.progress(line));
                    self.notes.push(note.clone());
                }
                Remark::Said(text) => text.lines().for_each(|line| self.console.progress(line)),
            }
        }
    }

    fn count(&mut self, file: &str, name: &str, result: &Result) {
        let (verdict, line, place, text) = match &result.found {
            Found::Passed => {
                self.passed += 1;
                let time = format!("ok      {name} ({:.1} ms)\n", result.seconds * 1e3);
                ("passed", if self.args.verbose { time } else { String::new() }, &None, "")
            }
            Found::Skipped(why) => {
                self.skipped += 1;
                ("skipped", format!("skipped {name}: {}\n", visible_name(why)), &None, why.as_str())
            }
            Found::OtherWords(text) => {
                self.words += 1;
                let line = if self.args.verbose { format!("words   {name}: {}\n", visible_name(text)) } else { String::new() };
                ("other words", line, &None, text.as_str())
            }
            Found::Failed(place, text) => {
                self.failed += 1;
                let shown = place.as_ref().map(|place| format!(" ({})", visible_name(place))).unwrap_or_default();
                let indented = visible(text.trim_end()).replace('\n', "\n        ");
                ("failed", format!("FAILED  {name}{shown}\n        {indented}\n"), place, text.trim_end())
            }
        };
        if self.args.json {
            self.json.push(json!({
                "file": file, "name": result.name, "backend": result.backend, "verdict": verdict, "place": place,
                "message": text, "seconds": result.seconds,
            }));
        } else {
            self.console.print(line);
        }
    }

    /// Refuses names of `--entry` that no test block has.
    fn unknown_entries(&mut self) {
        // Of programs that cannot be read or checked the blocks are not known.
        if self.console.errors() > 0 || self.entries.is_empty() && self.failed > 0 {
            return;
        }
        for name in self.args.entry.iter().filter(|name| !self.entries.contains(*name)) {
            let message = format!("there is no test block for an entry point `{}`", name.escape_debug());
            let close = closest(name, self.entries.iter().map(String::as_str)).map(|close| format!("did you mean `{close}`?"));
            let names: Vec<&str> = self.entries.iter().map(String::as_str).collect();
            let note = match names.as_slice() {
                [] => "no test block is for an entry point".to_string(),
                names => format!("test blocks are for: {}", names.join(", ")),
            };
            let diagnostic = Diagnostic::bare(Code::UnknownDefinition, message).note(note);
            self.console.report(&SourceMap::default(), &close.into_iter().fold(diagnostic, Diagnostic::help));
        }
    }

    /// Prints the numbers; whether all went well.
    pub fn finish(mut self) -> bool {
        self.unknown_entries();
        let (passed, failed, skipped, words) = (self.passed, self.failed, self.skipped, self.words);
        let (all, (without, name)) = (self.files.0, &self.without);
        let nothing = passed + failed + skipped + words == 0 && self.console.errors() == 0;
        if *without > 0 && (self.scanned || all > 1) {
            let have = if *without == 1 { "program has" } else { "programs have" };
            self.console.progress(&format!("note: {without} {have} no test blocks"));
        }
        if nothing && all == 1 && *without == 1 {
            self.console.progress(&format!("note: no tests: `{}` has no `-- ==` block", visible_name(name)));
        } else if nothing {
            self.console.progress(
                "note: nothing was run: no `-- ==` block fits (an empty line ends a block; names of entry points are those of `entry:`)",
            );
        }
        if self.args.json {
            let all = json!({ "passed": passed, "failed": failed, "skipped": skipped, "other_words": words, "tests": self.json });
            self.console.print(format!("{all}\n"));
        } else {
            let skipped = if skipped == 0 { String::new() } else { format!(", {skipped} skipped") };
            let words = if words == 0 { String::new() } else { format!(", {words} refused in other words") };
            self.console.print(format!("{passed} passed, {failed} failed{skipped}{words}\n"));
        }
        failed == 0 && self.console.errors() == 0
    }
}
