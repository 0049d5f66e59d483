//! The parts that testing a file consists of. They have the same numbers whenever the file is tested, so that what crashed is not begun again
//! and what is done is not done twice; and whoever listens knows at any time what is being done.

use super::super::output::Style;
use super::report::{Found, Result, Verdict};
use crate::base::SourceMap;
use crate::base::ice;
use crate::driver;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// What happens while a file is tested.
#[derive(Debug, Serialize, Deserialize)]
pub enum Event {
    /// A part is begun.
    Begin {
        /// Its number.
        part: usize,
        /// Its name.
        name: String,
        /// What runs it.
        backend: Option<String>,
    },
    /// A part has come to its end; what is no case has no result if all went well.
    End {
        /// Its number.
        part: usize,
        /// What came of it.
        result: Option<Result>,
    },
    /// Something is wrong with the file or its blocks.
    Diagnostic {
        /// Rendered.
        text: String,
        /// Whether it is an error.
        error: bool,
    },
    /// The file is done.
    Done {
        /// Whether it has test blocks.
        blocks: bool,
        /// The entry points that they are about.
        entries: Vec<String>,
        /// Notes about the machine.
        notes: Vec<String>,
    },
}

/// Gives parts their numbers, and runs those that are not done.
pub struct Parts<'a> {
    next: AtomicUsize,
    done: &'a BTreeSet<usize>,
    /// Those that are begun again, since others need what they make.
    failed: &'a BTreeSet<usize>,
    /// Who is told.
    pub say: &'a (dyn Fn(Event) + Sync),
    /// How diagnostics are rendered.
    pub style: Style,
}

impl<'a> Parts<'a> {
    /// All parts but those that are done; those that failed are among these.
    pub fn new(done: &'a BTreeSet<usize>, failed: &'a BTreeSet<usize>, say: &'a (dyn Fn(Event) + Sync), style: Style) -> Parts<'a> {
        Parts { next: AtomicUsize::new(0), done, failed, say, style }
    }

    /// The next number.
    pub fn number(&self) -> usize {
        self.numbers(1)
    }

    /// The first of the next numbers.
    pub fn numbers(&self, count: usize) -> usize {
        self.next.fetch_add(count, Ordering::Relaxed)
    }

    /// Runs a part, unless that is done.
    pub fn run(&self, part: usize, (name, backend): (&str, Option<&str>), sources: &SourceMap, work: impl FnOnce() -> Verdict) {
        if self.done.contains(&part) {
            return;
        }
        let start = self.begin(part, name, backend);
        let found = match caught(work) {
            Ok(Verdict::Passed) => Found::Passed,
            Ok(Verdict::Skipped(why)) => Found::Skipped(why),
            Ok(Verdict::OtherWords(text)) => Found::OtherWords(text),
            Ok(Verdict::Failed(span, text)) => Found::Failed(span.map(|span| sources.place(span)), text),
            Err(panic) => Found::Failed(None, panic),
        };
        self.end(part, Some(result(name, backend, found, start)));
    }

    /// Does what other parts need, and is no case: there is a result only of what fails. Nothing if it has failed before.
    pub fn step<T>(&self, name: &str, backend: Option<&str>, work: impl FnOnce() -> T) -> Option<T> {
        let part = self.number();
        if self.failed.contains(&part) {
            return None;
        }
        let start = self.begin(part, name, backend);
        match caught(work) {
            Ok(made) => {
                self.end(part, None);
                Some(made)
            }
            Err(panic) => {
                self.end(part, Some(result(name, backend, Found::Failed(None, panic), start)));
                None
            }
        }
    }

    fn begin(&self, part: usize, name: &str, backend: Option<&str>) -> Instant {
        (self.say)(Event::Begin { part, name: name.into(), backend: backend.map(str::to_string) });
        Instant::now()
    }
    fn end(&self, part: usize, result: Option<Result>) {
        (self.say)(Event::End { part, result });
    }
}

fn result(name: &str, backend: Option<&str>, found: Found, start: Instant) -> Result {
    Result { name: name.into(), backend: backend.map(str::to_string), found, seconds: start.elapsed().as_secs_f64() }
}

/// What work comes to, or what the compiler panicked with.
fn caught<T>(work: impl FnOnce() -> T) -> std::result::Result<T, String> {
    ice::catch(work).map_err(|bug| driver::internal(&bug).message)
}
