//! What came of tests, counted and printed: as text or as one JSON object.

use super::super::output::Console;
use super::{Backend, TestArgs};
use crate::base::{SourceMap, Span};
use crate::diag::Diagnostic;
use serde_json::json;
use std::time::Duration;

/// How a case went.
#[derive(Debug)]
pub enum Verdict {
    /// As expected.
    Passed,
    /// Not run, and why.
    Skipped(String),
    /// Not as expected.
    Failed(Option<Span>, String),
}

/// What came of a case.
#[derive(Debug)]
pub struct Result {
    /// The entry point and the name of the case, or what was looked at.
    pub name: String,
    /// What ran it.
    pub backend: Option<Backend>,
    /// How it went.
    pub verdict: Verdict,
    /// How long it took.
    pub time: Duration,
}

/// What came of a file.
#[derive(Debug, Default)]
pub struct Report {
    /// The file.
    pub name: String,
    /// Texts that places refer to.
    pub sources: SourceMap,
    /// What is wrong with the file and its blocks.
    pub diagnostics: Vec<Diagnostic>,
    /// Its cases.
    pub results: Vec<Result>,
    /// Whether it has test blocks.
    pub blocks: bool,
}

/// Counts and prints.
pub struct Tally<'a> {
    console: &'a mut Console,
    args: &'a TestArgs,
    /// How many files there are, and how many of them are done.
    files: (usize, usize),
    scanned: bool,
    without: usize,
    passed: usize,
    failed: usize,
    skipped: usize,
    json: Vec<serde_json::Value>,
}

impl<'a> Tally<'a> {
    /// Nothing yet, of so many files; `scanned` says that folders were searched for them.
    pub fn new(console: &'a mut Console, args: &'a TestArgs, files: usize, scanned: bool) -> Tally<'a> {
        Tally { console, args, files: (files, 0), scanned, without: 0, passed: 0, failed: 0, skipped: 0, json: Vec::new() }
    }

    /// The next file.
    pub fn file(&mut self, report: Report) {
        self.console.report_all(&report.sources, &report.diagnostics);
        self.without += usize::from(!report.blocks);
        let several = self.args.backends().len() > 1;
        for result in report.results {
            let backend = result.backend.filter(|_| several).map(|backend| format!(" [{}]", backend.name())).unwrap_or_default();
            let name = format!("{}: {}{backend}", report.name, result.name);
            self.count(&report.sources, &report.name, &name, &result);
        }
        self.files.1 += 1;
        let (all, done) = self.files;
        if all > 1 {
            let failed = if self.failed > 0 { format!(", {} failed", self.failed) } else { String::new() };
            self.console.status(&format!("{done} of {all} programs, {} passed{failed}: {}", self.passed, report.name));
        }
    }

    fn count(&mut self, sources: &SourceMap, file: &str, name: &str, result: &Result) {
        let (verdict, line, place, text) = match &result.verdict {
            Verdict::Passed => {
                self.passed += 1;
                let time = format!("ok      {name} ({:.1} ms)\n", result.time.as_secs_f64() * 1e3);
                ("passed", if self.args.verbose { time } else { String::new() }, None, "")
            }
            Verdict::Skipped(why) => {
                self.skipped += 1;
                ("skipped", format!("skipped {name}: {why}\n"), None, why.as_str())
            }
            Verdict::Failed(span, text) => {
                self.failed += 1;
                let place = span.map(|span| sources.place(span));
                let shown = place.as_ref().map(|place| format!(" ({place})")).unwrap_or_default();
                let indented = text.trim_end().replace('\n', "\n        ");
                ("failed", format!("FAILED  {name}{shown}\n        {indented}\n"), place, text.trim_end())
            }
        };
        if self.args.json {
            self.json.push(json!({
                "file": file, "name": result.name, "backend": result.backend.map(Backend::name), "verdict": verdict, "place": place,
                "message": text, "seconds": result.time.as_secs_f64(),
            }));
        } else {
            self.console.print(line);
        }
    }

    /// Prints the numbers; whether all went well.
    pub fn finish(self) -> bool {
        let (passed, failed, skipped) = (self.passed, self.failed, self.skipped);
        if self.scanned && self.without > 0 {
            self.console.progress(&format!("note: {} programs have no test blocks", self.without));
        }
        if passed + failed + skipped == 0 {
            self.console.progress(
                "note: nothing was run: no `-- ==` block fits (an empty line ends a block; names of entry points are those of `entry:`)",
            );
        }
        if self.args.json {
            let all = json!({ "passed": passed, "failed": failed, "skipped": skipped, "tests": self.json });
            self.console.print(format!("{all}\n"));
        } else {
            let skipped = if skipped == 0 { String::new() } else { format!(", {skipped} skipped") };
            self.console.print(format!("{passed} passed, {failed} failed{skipped}\n"));
        }
        failed == 0 && self.console.errors() == 0
    }
}
