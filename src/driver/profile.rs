//! Programs that measure themselves, and what comes of that: times, arrays and copies by site, with reasons, as data.
//!
//! Lowering records sites and reasons ([`ir::profile`](crate::ir::profile)), fusion and updates in place say what they did to the first-order program, and the compiled
//! program counts. A [`Report`] puts these together: sites with their places in the user's files, and what only a run can say (a loop that
//! had too little work for several threads, a product with too few rows for tiles).

mod words;

use super::failures::{failure_places, place};
use super::pipeline::{PROCESSOR, Pipeline};
use super::{Checked, FailurePlace, Native};
use crate::back::c;
use crate::base::{SourceMap, Span, Symbol};
use crate::diag::Diagnostic;
use crate::ir::profile::{Case, Fusion, FusionKind, Nest, Note, Profile, Site, SiteId, SiteKind};
use crate::ir::soac;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::Serialize;

/// What was measured at a site, in the order of `profile.c`.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub struct Row {
    /// How often it ran.
    pub calls: i64,
    /// Nanoseconds without the sites inside.
    pub own: i64,
    /// Nanoseconds with the sites inside.
    pub total: i64,
    /// Elements that were made or copied.
    pub elements: i64,
    /// Their bytes.
    pub bytes: i64,
    /// The bytes of the largest array.
    pub largest_bytes: i64,
    /// Parallel loops of several pieces.
    pub parallel_loops: i64,
    /// Parallel loops of one piece.
    pub undivided_loops: i64,
    /// Nanoseconds that threads were in parallel loops.
    pub busy: i64,
    /// How many threads were in them.
    pub threads: i64,
    /// Calls outside of parallel loops.
    pub timed: i64,
    /// Those of them whose time was taken.
    pub sampled: i64,
}

/// What is known of a program that measures itself.
#[derive(Debug)]
pub struct Recorded {
    profile: Profile,
    /// What the places stand for.
    places: FxHashMap<Span, FailurePlace>,
    /// What was fused into what is there in the end.
    fused: Vec<Fusion>,
    /// What functions are called in the source.
    names: FxHashMap<Symbol, Symbol>,
}

impl Recorded {
    /// How many sites there are.
    pub fn sites(&self) -> usize {
        self.profile.sites.len()
    }
}

/// One run of a program that measures itself.
#[derive(Debug)]
pub struct MeasuredRun {
    /// The entry point.
    pub entry: String,
    /// The number of threads.
    pub threads: usize,
    /// How many runs there were; this is the one with the median time.
    pub runs: usize,
    /// How long it took.
    pub seconds: f64,
    /// The most bytes that arrays took.
    pub peak_bytes: i64,
    /// How many nanoseconds it takes to measure a site, and how many of them are taken for the site's own.
    pub probe: [f64; 2],
    /// What was measured at each site.
    pub rows: Vec<Row>,
}

/// The C program for processors of these entry points that measures itself, and what it measures.
///
/// # Errors
/// E0801: what cannot be compiled.
pub fn compile_profiled(
    sources: &SourceMap,
    checked: &Checked,
    entries: &[Symbol],
    strict: bool,
) -> Result<(Native, Recorded), Box<Diagnostic>> {
    let pipeline = Pipeline::new(sources);
    let program = pipeline.soac(&PROCESSOR, checked, entries)?;
    let mut imp = pipeline.profiled(&program, strict);
    let (text, failures) = pipeline.step(PROCESSOR.print, || c::emit(&imp, strict));
    let profile = imp.profile.take().unwrap_or_default();
    let fused = ends(&program, &profile);
    let spans = profile.sites.iter().map(|(_, site)| site.span);
    let spans = spans.chain(profile.remarks.iter().map(|remark| remark.span)).chain(fused.iter().flat_map(|f| [f.from, f.into]));
    let places = spans.map(|span| (span, place(checked, &program, span))).collect();
    let calls =
        profile.sites.iter().filter_map(|(_, site)| if let SiteKind::Nest(Nest::Call(name)) = site.what { Some(name) } else { None });
    let functions = profile.sites.iter().map(|(_, site)| site.function).chain(calls);
    let names = functions.map(|name| (name, checked.source_name(name))).collect();
    let failures = failure_places(checked, &program, failures.iter());
    let native = Native { text, program, places: failures, times: pipeline.times() };
    Ok((native, Recorded { profile, places, fused, names }))
}

/// What was fused, with the place where it ended up: what it was fused into may have been fused into something else later.
fn ends(program: &soac::Program, profile: &Profile) -> Vec<Fusion> {
    let there: FxHashSet<Span> = profile.sites.iter().map(|(_, site)| site.span).collect();
    let mut out: Vec<Fusion> = Vec::new();
    for (k, fusion) in program.fused.iter().enumerate() {
        let mut into = fusion.into;
        for later in &program.fused[k + 1..] {
            if later.from == into && later.from != later.into && !there.contains(&into) {
                into = later.into;
            }
        }
        let ended = Fusion { into, ..*fusion };
        if ended.from != ended.into && !out.contains(&ended) {
            out.push(ended);
        }
    }
    out
}

/// A place in the source.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct At {
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1.
    pub column: usize,
    /// What stands there, shortened.
    pub text: String,
    /// For code of a library: its own place. The rest is the call in the user's file through which it was reached.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub library: Option<String>,
    /// The place as bytes of its file.
    #[serde(skip)]
    pub span: Span,
}

impl At {
    /// Whether both are the same place in the user's files.
    fn is_at(&self, other: &At) -> bool {
        (&self.file, self.line, self.column) == (&other.file, other.line, other.column)
    }
}

/// Something that was timed.
#[derive(Debug, Clone, Serialize)]
pub struct Timed {
    /// Its number.
    pub id: usize,
    /// The number of what was timed around it in the same function.
    pub parent: Option<usize>,
    /// The function that it is in.
    pub function: String,
    /// What it is: `map`, `reduce`, `loop`, ..
    pub kind: &'static str,
    /// Its kind in words, with the function that is called.
    pub what: String,
    /// For a call: the function.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub called: Option<String>,
    /// The place of its expression.
    pub at: At,
    /// How often it ran.
    pub calls: i64,
    /// How long, without what was timed inside.
    pub self_seconds: f64,
    /// How long, with that.
    pub total_seconds: f64,
    /// The part of the time of the whole run that `self_seconds` is.
    pub share: f64,
    /// How many threads took part in its parallel loops; 1 if it has none.
    pub threads: i64,
    /// How many were busy on the average.
    pub busy: f64,
    /// Parallel loops that were divided, and that were not.
    pub parallel_loops: i64,
    /// See `parallel_loops`.
    pub undivided_loops: i64,
    /// How often it ran outside of parallel loops.
    #[serde(skip)]
    pub timed: i64,
    /// How often its time was taken. Where that is less often, its times are estimates.
    pub sampled: i64,
    /// The places of what was fused into it.
    pub fused: Vec<At>,
}

/// Memory that was made or written.
#[derive(Debug, Clone, Serialize)]
pub struct Memory {
    /// The number of what was timed around it.
    pub parent: Option<usize>,
    /// The function that it is in.
    pub function: String,
    /// What it is for, or why it was copied.
    pub kind: &'static str,
    /// The array, if the program has a name for it.
    pub name: Option<String>,
    /// Type of the elements of an array.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub elem: Option<&'static str>,
    /// What was made or copied, and why, in words.
    pub what: String,
    /// The place of what made or copied it.
    pub at: At,
    /// How often it was made or copied.
    pub times: i64,
    /// All elements.
    pub elements: i64,
    /// All bytes.
    pub bytes: i64,
    /// The bytes of the largest.
    pub largest_bytes: i64,
}

/// What is said of a place.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Remark {
    /// The place that it is about.
    pub at: At,
    /// The number of what was timed there, if it is about that.
    pub id: Option<usize>,
    /// What it is about: `one-thread`, `no-tiles`, `tiles`, `in-place`, `fused`, `twice` (a scan in several
    /// pieces), `copied-inside` (by iterations, which nobody counts), `in-frame`
    /// (small arrays, which take no time to make).
    pub kind: &'static str,
    /// Why it is so: a short name of the reason.
    pub reason: &'static str,
    /// Kind and reason as a sentence.
    pub text: String,
}

/// Where time and memory went.
#[derive(Debug, Serialize)]
pub struct Report {
    /// The entry point.
    pub entry: String,
    /// The number of threads.
    pub threads: usize,
    /// How many runs there were; this is the one with the median time.
    pub runs: usize,
    /// How long it took.
    pub seconds: f64,
    /// What of that was spent outside of all that is timed.
    pub outside_seconds: f64,
    /// About how much of that measuring itself took.
    pub measuring_seconds: f64,
    /// The most bytes that arrays took at a time.
    pub peak_bytes: i64,
    /// What was timed, what took longest first.
    pub nests: Vec<Timed>,
    /// Arrays that were made, the most bytes first.
    pub arrays: Vec<Memory>,
    /// Copies, the most bytes first.
    pub copies: Vec<Memory>,
    /// What is said of the program, by place.
    pub notes: Vec<Remark>,
}

/// Puts together what is known of a program and what was measured.
pub fn report(sources: &SourceMap, recorded: &Recorded, measured: &MeasuredRun) -> Report {
    let make = ReportBuilder { sources, recorded, measured };
    let nests = make.nests();
    let inside: f64 = nests.iter().map(|nest| nest.self_seconds).sum();
    // Where the time is not taken, that is found out in two nanoseconds or so.
    let sampled: i64 = nests.iter().map(|nest| nest.sampled).sum();
    let timed: i64 = nests.iter().map(|nest| nest.timed).sum();
    let measuring = sampled as f64 * measured.probe[0] + (timed - sampled) as f64 * 2.0;
    let (arrays, copies) = (make.arrays(), make.copies());
    Report {
        entry: measured.entry.clone(),
        threads: measured.threads,
        runs: measured.runs,
        seconds: measured.seconds,
        outside_seconds: (measured.seconds - inside).max(0.0),
        measuring_seconds: measuring * 1e-9,
        peak_bytes: measured.peak_bytes,
        notes: make.notes(&nests),
        nests,
        arrays,
        copies,
    }
}

struct ReportBuilder<'a> {
    sources: &'a SourceMap,
    recorded: &'a Recorded,
    measured: &'a MeasuredRun,
}

impl ReportBuilder<'_> {
    fn sites(&self) -> impl Iterator<Item = (usize, &Site, Row)> {
        let rows = self.measured.rows.iter().copied().chain(std::iter::repeat(Row::default()));
        self.recorded.profile.sites.iter().zip(rows).map(|((id, site), row)| (id.raw(), site, row))
    }
    fn name(&self, function: Symbol) -> String {
        self.recorded.names.get(&function).unwrap_or(&function).to_string()
    }
    /// The name of an array that is made, if the line in the user's file has it: others are names of the compiler or of a library.
    fn named(&self, name: Symbol, span: Span) -> Option<String> {
        let place = self.recorded.places.get(&span)?;
        let line = self.sources.line_column(place.own?).0;
        is_in(name, self.sources.file(place.own?.file).text.lines().nth(line - 1)?)
    }
    /// The name of an array that is there already, if the file has it.
    fn named_in_file(&self, name: Symbol, span: Span) -> Option<String> {
        let place = self.recorded.places.get(&span)?;
        is_in(name, &self.sources.file(place.own.filter(|own| *own == place.span)?.file).text)
    }
    fn at(&self, span: Span) -> At {
        let place = self.recorded.places.get(&span).copied().unwrap_or(FailurePlace { span, own: Some(span), counting: None });
        let shown = place.own.unwrap_or(place.span);
        let (line, column) = self.sources.line_column(shown);
        let library = (shown != place.span).then(|| self.sources.place(place.span));
        At {
            file: self.sources.file(shown.file).name.clone(),
            line,
            column,
            text: short(self.sources.snippet(shown)),
            library,
            span: shown,
        }
    }

    fn nests(&self) -> Vec<Timed> {
        let seconds = |nanoseconds: i64| nanoseconds as f64 * 1e-9;
        let mut out = Vec::new();
        for (id, site, row) in self.sites() {
            let SiteKind::Nest(nest) = site.what else { continue };
            let Row { calls, own, total, parallel_loops, undivided_loops, busy, threads, timed, sampled, .. } = row;
            if calls == 0 {
                continue;
            }
            let called = if let Nest::Call(name) = nest { Some(self.name(name)) } else { None };
            out.push(Timed {
                id,
                parent: site.parent.map(SiteId::raw),
                function: self.name(site.function),
                kind: words::kind(nest),
                what: words::nest(nest, called.as_deref().unwrap_or_default()),
                called,
                at: self.at(site.span),
                calls,
                self_seconds: (seconds(own) - sampled as f64 * self.measured.probe[1] * 1e-9).max(0.0),
                total_seconds: seconds(total),
                share: 0.0,
                threads: threads.max(1),
                busy: (busy as f64 / own.max(1) as f64).clamp(1.0, threads.max(1) as f64),
                parallel_loops,
                undivided_loops,
                timed,
                sampled,
                fused: self.fused_into(site.span),
            });
        }
        settle(&mut out, self.measured.seconds);
        out.iter_mut().for_each(|nest| nest.share = nest.self_seconds / self.measured.seconds.max(1e-12));
        out.sort_by(|a, b| b.self_seconds.total_cmp(&a.self_seconds).then(a.id.cmp(&b.id)));
        out
    }

    /// The places, other than its own, of what was fused into what is at a place.
    fn fused_into(&self, into: Span) -> Vec<At> {
        let own = self.at(into);
        let fused = self.recorded.fused.iter().filter(|fusion| fusion.into == into && fusion.way != FusionKind::Again);
        let mut out: Vec<At> = fused.map(|fusion| self.at(fusion.from)).filter(|at| !at.is_at(&own)).collect();
        out.sort();
        out.dedup_by(|a, b| a.is_at(b));
        out
    }

    /// Arrays that were made.
    fn arrays(&self) -> Vec<Memory> {
        self.memory(|site| {
            let SiteKind::Array { name, elem, role } = site.what else { return None };
            let name = self.named(name, site.span);
            let what = words::role(role, name.as_deref(), elem.name());
            Some((words::role_kind(role), name, Some(elem.name()), what))
        })
    }
    /// Copies of arrays.
    fn copies(&self) -> Vec<Memory> {
        self.memory(|site| {
            let SiteKind::Copy { array, why } = site.what else { return None };
            let name = self.named_in_file(array, site.span);
            let what = words::copied(why, name.as_deref());
            Some((words::copied_kind(why), name, None, what))
        })
    }
    /// Sites of which `of` says kind, name, type of elements and words, the most bytes first.
    fn memory(&self, of: impl Fn(&Site) -> Option<(&'static str, Option<String>, Option<&'static str>, String)>) -> Vec<Memory> {
        let mut out = Vec::new();
        for (_, site, row) in self.sites() {
            let Row { calls: times, elements, bytes, largest_bytes, .. } = row;
            let Some((kind, name, elem, what)) = of(site).filter(|_| times > 0) else { continue };
            let (parent, function) = (site.parent.map(SiteId::raw), self.name(site.function));
            let at = self.at(site.span);
            out.push(Memory { parent, function, kind, name, elem, what, at, times, elements, bytes, largest_bytes });
        }
        out.sort_by(|a, b| b.bytes.cmp(&a.bytes).then_with(|| a.at.cmp(&b.at)));
        out
    }

    fn notes(&self, nests: &[Timed]) -> Vec<Remark> {
        let mut out: Vec<Remark> = Vec::new();
        let mut alone: FxHashSet<usize> = FxHashSet::default();
        for remark in &self.recorded.profile.remarks {
            let id = remark.site.map(SiteId::raw);
            let (kind, reason, text) = match remark.note {
                Note::OneThread(why) => {
                    alone.extend(id);
                    ("one-thread", words::alone_kind(why), words::alone(why))
                }
                Note::Twice => ("twice", "scan", words::TWICE.to_string()),
                Note::NoTiles(why) => ("no-tiles", words::no_tiles_kind(why), words::no_tiles(why)),
                Note::CopiedInside(array, why) => {
                    let array = self.named_in_file(array, remark.span);
                    ("copied-inside", words::copied_kind(why), words::copied_inside(why, array.as_deref()))
                }
                Note::InFrame(name, bytes) => ("in-frame", "small", words::in_frame(self.named(name, remark.span).as_deref(), bytes)),
                Note::InPlace(array) => ("in-place", "own", words::in_place(self.named_in_file(array, remark.span).as_deref())),
            };
            out.push(Remark { at: self.at(remark.span), id, kind, reason, text });
        }
        for nest in nests.iter().filter(|nest| self.measured.threads > 1 && !alone.contains(&nest.id)) {
            if nest.parallel_loops == 0 && nest.undivided_loops > 0 && !["loop", "call"].contains(&nest.kind) {
                let (at, id, text) = (nest.at.clone(), Some(nest.id), words::TOO_LITTLE.to_string());
                out.push(Remark { at, id, kind: "one-thread", reason: "too-little-work", text });
            }
        }
        for (_, site, row) in self.sites() {
            if let (SiteKind::Case(case), times) = (site.what, row.calls)
                && times > 0
            {
                let (kind, reason) = match case {
                    Case::Tiles => ("tiles", "product"),
                    Case::FewForTiles => ("no-tiles", "few"),
                };
                let (at, id) = (self.at(site.span), site.parent.map(SiteId::raw));
                out.push(Remark { at, id, kind, reason, text: words::case(case, times) });
            }
        }
        for Fusion { from, into, way } in &self.recorded.fused {
            let (from, into) = (self.at(*from), self.at(*into));
            // Where something runs still, it has been parted again.
            if !from.is_at(&into) && !nests.iter().any(|nest| nest.kind == "product" && from.span.contains(nest.at.span)) {
                let text = words::fused(*way, &from, &into);
                out.push(Remark { at: from, id: None, kind: "fused", reason: words::way_kind(*way), text });
            }
        }
        out.sort();
        out.dedup();
        out
    }
}

/// A name, if a text has it. Copies of a name are numbered.
fn is_in(name: Symbol, text: &str) -> Option<String> {
    let name = name.as_str().split('.').next().unwrap_or_default();
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '\'';
    text.split(|c| !is_word(c)).any(|word| word == name).then(|| name.to_string())
}

/// Gives nests whose time was not taken each time what they took otherwise, as far as it is there: it was counted as that of the nest around
/// them, of the calls of their function, or of none.
fn settle(nests: &mut [Timed], whole: f64) {
    let skipped = |nest: &Timed| match nest.sampled {
        1.. => nest.self_seconds * (nest.timed - nest.sampled) as f64 / nest.sampled as f64,
        _ => 0.0,
    };
    for k in 0..nests.len() {
        let missing = skipped(&nests[k]);
        if missing <= 0.0 {
            continue;
        }
        let around = |nest: &Timed| match nests[k].parent {
            Some(parent) => nest.id == parent,
            None => nest.called.as_ref() == Some(&nests[k].function),
        };
        let around: Vec<usize> = (0..nests.len()).filter(|j| around(&nests[*j])).collect();
        let there: f64 = match around.is_empty() {
            true => whole - nests.iter().map(|nest| nest.self_seconds).sum::<f64>(),
            false => around.iter().map(|j| nests[*j].self_seconds).sum(),
        };
        let moved = missing.min(there.max(0.0));
        around.iter().for_each(|j| nests[*j].self_seconds *= 1.0 - moved / there.max(1e-12));
        nests[k].self_seconds += moved;
        nests[k].total_seconds = nests[k].self_seconds;
    }
}

/// The beginning of a text, on one line.
fn short(text: &str) -> String {
    const MOST: usize = 60;
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(MOST) {
        Some((at, _)) => format!("{}..", &line[..at]),
        None => line,
    }
}
