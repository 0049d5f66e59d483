//! The tests of one file: which of them are run, on which back end, and what comes of them.

use super::super::native;
use super::super::program::{Behind, Loaded, load, load_with};
use super::blocks::{self, Block, Case, Shape};
use super::parts::{Event, Parts};
use super::report::Verdict;
use super::subject::{Subject, mark, rendered};
use super::{Executor, TestArgs, property, structure};
use crate::base::{SourceMap, Span, Symbol};
use crate::diag::{Diagnostic, Severity};
use crate::driver;
use crate::editor::document;
use crate::ir::core::Define;
use regex::Regex;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How the work is done.
pub struct Plan<'a> {
    /// What was asked for.
    pub args: &'a TestArgs,
    /// Cases of one file that evaluators run at the same time.
    pub inner: usize,
    /// Threads of a program, unless something else was asked for.
    pub threads: usize,
}

/// Tests a file, part by part.
pub fn test_file(plan: &Plan, path: &Path, parts: &Parts) {
    let done = |blocks: bool, entries| (parts.say)(Event::Done { blocks, entries, notes: native::notes::take() });
    let say = |sources: &SourceMap, diagnostic: &Diagnostic| {
        let error = diagnostic.severity == Severity::Error;
        (parts.say)(Event::Diagnostic { text: parts.style.render(sources, diagnostic), error });
    };
    let mut refused = Vec::new();
    let loaded = match parts.step("check", None, || if plan.args.examples { with_examples(path, &mut refused) } else { load(path) }) {
        Some(Ok(loaded)) => loaded,
        Some(Err(diagnostic)) => {
            say(&SourceMap::default(), &diagnostic);
            return done(false, Vec::new());
        }
        None => return done(true, Vec::new()),
    };
    let text = loaded.sources.file(loaded.root).text.clone();
    let (blocks, diagnostics) = blocks::blocks(loaded.root, &text, mark(&loaded));
    diagnostics.iter().for_each(|diagnostic| say(&loaded.sources, &loaded.behind.moved(loaded.root, diagnostic)));
    let file = File { plan, path, loaded: &loaded, parts };
    for (line, why) in refused {
        file.note(&format!("example_{line}"), None, Verdict::Failed(None, format!("the example is refused:\n{why}")));
    }
    file.test(&blocks);
    done(!blocks.is_empty() || !diagnostics.is_empty(), blocks::entries(&blocks));
}

/// Reads and checks a program with the examples in its documentation. Those that are refused are left out, with their lines and why.
fn with_examples(path: &Path, refused: &mut Vec<(usize, String)>) -> Result<Loaded, Box<Diagnostic>> {
    loop {
        let out: Vec<usize> = refused.iter().map(|(line, _)| *line).collect();
        let mut lines = Vec::new();
        let loaded = load_with(path, &mut |text, behind| examples(text, &out, behind, &mut lines))?;
        let mut bad: Vec<(usize, String)> = Vec::new();
        for diagnostic in loaded.checked.diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error) {
            let about = diagnostic.labels.first().and_then(|label| loaded.behind.number(loaded.root, label.span));
            let Some(line) = about.and_then(|number| lines.get(number)) else { continue };
            let text = rendered(&loaded, std::slice::from_ref(diagnostic));
            match bad.iter_mut().find(|(other, _)| other == line) {
                Some((_, why)) => *why += &text,
                None => bad.push((*line, text)),
            }
        }
        if bad.is_empty() {
            return Ok(loaded);
        }
        refused.extend(bad);
    }
}

/// Entry points for the examples in the documentation of a text, with blocks that say what comes out. Those without results must not fail.
fn examples(text: &str, without: &[usize], behind: &mut Behind, lines: &mut Vec<usize>) -> String {
    let mut out = String::from("\n");
    for (line, expression, results) in document::examples(text).into_iter().filter(|(line, ..)| !without.contains(line)) {
        let output = if results.is_empty() { String::new() } else { format!(" output {{ {results} }}") };
        out += &format!("\n-- The example in line {line}.\n-- ==\n-- entry: example_{line}\n-- input {{ }}{output}\n");
        let start = text.split_inclusive('\n').take(line - 1).map(str::len).sum::<usize>();
        let at = start + text[start..].find(&expression).unwrap_or(0);
        behind.entry(&mut out, &format!("example_{line}"), &expression, at..at + expression.len());
        lines.push(line);
    }
    out
}

struct File<'a> {
    plan: &'a Plan<'a>,
    path: &'a Path,
    loaded: &'a Loaded,
    parts: &'a Parts<'a>,
}

/// A case with the entry point that it is for.
struct Job<'a> {
    entry: (&'a str, Span),
    case: &'a Case,
    number: u64,
}

impl Job<'_> {
    fn name(&self) -> String {
        format!("{} {}", self.entry.0, self.case.name)
    }
}

impl File<'_> {
    fn note(&self, name: &str, backend: Option<Executor>, verdict: Verdict) {
        self.part(self.parts.number(), name, backend, || verdict);
    }

    fn part(&self, number: usize, name: &str, backend: Option<Executor>, work: impl FnOnce() -> Verdict) {
        let Loaded { sources, root, behind, .. } = self.loaded;
        // What is expected of an example stands behind the text; people look for it where it is written.
        let written = || match work() {
            Verdict::Failed(Some(span), text) => Verdict::Failed(Some(behind.place(*root, span)), text),
            other => other,
        };
        self.parts.run(number, (name, backend.map(Executor::name)), sources, written);
    }

    fn test(&self, blocks: &[Block]) {
        let args = self.plan.args;
        // Tags of the first block are about the program (futhark-test(1)).
        let off = |tag: &&String| ["disable", "notest"].contains(&tag.as_str());
        if let Some(tag) = blocks.first().and_then(|block| block.tags.iter().find(off)) {
            return self.note("all tests", None, Verdict::Skipped(format!("the program has the tag `{tag}`")));
        }
        let wanted: Vec<&Block> = blocks
            .iter()
            .filter(|block| block.cases.iter().any(|case| chosen(args, block, Some(case))) || chosen(args, block, None))
            .collect();
        let refusals: Vec<(&Block, &Regex)> = wanted.iter().filter_map(|block| Some((*block, block.refused.as_ref()?))).collect();
        let failed = self.loaded.checked.failed();
        if refusals.is_empty() && failed {
            let text = rendered(self.loaded, &self.loaded.checked.diagnostics);
            let name = "check";
            return self.note(name, None, Verdict::Failed(None, format!("the program is refused:\n{text}")));
        }
        for (block, pattern) in refusals {
            self.note("refused", None, refused(self.loaded, block, pattern, args.exact));
        }
        for (pattern, span) in wanted.iter().flat_map(|block| &block.warnings) {
            self.note("warned", None, warned(self.loaded, pattern, *span));
        }
        if failed {
            return;
        }
        for shape in wanted.iter().flat_map(|block| &block.structures) {
            self.part(self.parts.number(), "structure", None, || self.structure(shape));
        }
        for (backend, needed) in args.backends() {
            self.backend(backend, needed, &wanted);
        }
    }

    /// Everything on one back end.
    fn backend(&self, backend: Executor, needed: bool, blocks: &[&Block]) {
        let args = self.plan.args;
        let without = |tags: &[String]| {
            let tag = tags.iter().find(|tag| tag.strip_prefix("no_").is_some_and(|name| backend.names().contains(&name)));
            tag.map(|tag| format!("it has the tag `{tag}`"))
        };
        let mut jobs = Vec::new();
        let program = blocks.first().and_then(|block| without(&block.tags));
        for block in blocks {
            for (number, case) in block.cases.iter().enumerate().filter(|(_, case)| chosen(args, block, Some(case))) {
                let compiled = (!backend.is_compiled() && case.tags.iter().any(|tag| tag == "compiled"))
                    .then(|| "`compiled` cases are not for evaluators".to_string());
                let why = program.clone().or_else(|| without(&block.tags)).or_else(|| without(&case.tags)).or(compiled);
                for (entry, span) in case.entries.iter().filter(|(entry, _)| args.entry.is_empty() || args.entry.contains(entry)) {
                    match &why {
                        Some(why) => self.note(&format!("{entry} {}", case.name), Some(backend), Verdict::Skipped(why.clone())),
                        None => jobs.push(Job { entry: (entry, *span), case, number: number as u64 }),
                    }
                }
            }
        }
        let properties: Vec<&(String, Span)> =
            blocks.iter().filter(|block| chosen(args, block, None)).flat_map(|b| &b.properties).collect();
        let properties = properties.into_iter().filter(|(name, _)| args.entry.is_empty() || args.entry.contains(name)).collect::<Vec<_>>();
        if jobs.is_empty() && properties.is_empty() {
            return;
        }
        let subject = Subject::new(self.plan, self.path, self.loaded, backend, needed);
        if backend.is_compiled() {
            let cases = jobs.iter().map(|job| (job.entry.0, &job.case.input));
            let mut names: Vec<String> = cases.flat_map(|(entry, input)| subject.needs(entry, input)).collect();
            properties.iter().for_each(|(name, _)| names.extend(property::functions(self.loaded, name)));
            let Some(compiled) = self.parts.step("compile", Some(backend.name()), || subject.compile(&names)) else {
                let name = format!("{} tests", jobs.len() + properties.len());
                return self.note(&name, Some(backend), Verdict::Skipped("the program could not be compiled".into()));
            };
            if let Some(why) = compiled.first().and_then(|compiled| subject.absent(compiled)) {
                let name = format!("{} tests", jobs.len() + properties.len());
                return self.note(&name, Some(backend), Verdict::Skipped(why));
            }
            let first = self.parts.numbers(jobs.len());
            for (at, job) in jobs.iter().enumerate() {
                // The first verdict that is not as good as the others is that of all numbers of threads.
                let run = |compiled| subject.run(Some(compiled), job.entry, job.case, job.number);
                let all = || {
                    let mut verdicts = compiled.iter().map(run);
                    let first = verdicts.next().unwrap_or(Verdict::Passed);
                    if matches!(first, Verdict::Passed) {
                        verdicts.find(|next| !matches!(next, Verdict::Passed)).unwrap_or(first)
                    } else {
                        first
                    }
                };
                self.part(first + at, &job.name(), Some(backend), all);
            }
            for compiled in &compiled {
                self.properties(backend, &properties, &|name, values| subject.call(Some(compiled), name, values));
            }
        } else {
            let first = self.parts.numbers(jobs.len());
            let run = |at: usize| {
                let job = &jobs[at];
                self.part(first + at, &job.name(), Some(backend), || subject.run(None, job.entry, job.case, job.number));
            };
            parallel(self.plan.inner, jobs.len(), &run);
            self.properties(backend, &properties, &|name, values| subject.call(None, name, values));
        }
    }

    fn properties(&self, backend: Executor, properties: &[&(String, Span)], call: property::Call) {
        for (name, span) in properties {
            let check = || property::check(self.loaded, name, *span, call);
            self.part(self.parts.number(), &format!("property {name}"), Some(backend), check);
        }
    }

    /// What the optimised program consists of.
    fn structure(&self, shape: &Shape) -> Verdict {
        if !structure::is_own(shape) && !self.plan.args.structure {
            return Verdict::Skipped("it names Futhark's operators; --structure compares them with those here".into());
        }
        if shape.pipeline.ends_with("-mem") {
            return Verdict::Skipped(format!("there is no pipeline like `{}` here", shape.pipeline));
        }
        let Loaded { sources, root, checked, .. } = self.loaded;
        let own = checked.core.defs.iter().filter(|define| define.span.file == *root);
        let called = |define: &Define| checked.source_name(define.name);
        // Futhark's numbers are those of the whole program.
        let named = |define: &Define| shape.entries.iter().any(|name| called(define).as_str() == name);
        let all = shape.entries.is_empty() || !structure::is_own(shape);
        let wanted = |define: &&Define| if all { define.entry || called(define).as_str() == "main" } else { named(define) };
        let entries: Vec<Symbol> = own.filter(wanted).map(|define| define.name).collect();
        if entries.is_empty() {
            return Verdict::Failed(Some(shape.span), "the program has no entry point, so nothing is optimised".into());
        }
        let gpu = matches!(shape.pipeline.as_str(), "gpu" | "kernels" | "distributed");
        let made = if gpu { driver::kernels(sources, checked, &entries) } else { driver::optimise(sources, checked, &entries) };
        let program = match made {
            Ok(program) => program,
            Err(diagnostic) => return Verdict::Failed(Some(shape.span), rendered(self.loaded, &[*diagnostic])),
        };
        let mut unknown = Vec::new();
        for (name, want, span) in &shape.counts {
            if let Some(part) = structure::unknown(name) {
                unknown.push(part.to_string());
                continue;
            }
            let got = structure::count(&program, name);
            if got != *want {
                let meaning = structure::NAMES.iter().find(|(known, _)| known == name).map(|(_, what)| format!(" ({what})"));
                let text = format!("the optimised program has {got} `{name}`{}, expected {want}", meaning.unwrap_or_default());
                return Verdict::Failed(Some(*span), text);
            }
        }
        if unknown.is_empty() {
            return Verdict::Passed;
        }
        let plural = if unknown.len() == 1 { "has" } else { "have" };
        let names = unknown.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        Verdict::Skipped(format!("{names} {plural} no counterpart here; the other numbers are right"))
    }
}

/// Whether a case (or what a block says about the whole program) is wanted by its tags.
fn chosen(args: &TestArgs, block: &Block, case: Option<&Case>) -> bool {
    let tags = || block.tags.iter().chain(case.into_iter().flat_map(|case| &case.tags));
    (args.tag.is_empty() || tags().any(|tag| args.tag.contains(tag))) && !tags().any(|tag| args.exclude.contains(tag))
}

/// Runs jobs, some at the same time.
fn parallel(threads: usize, jobs: usize, run: &(dyn Fn(usize) + Sync)) {
    let threads = threads.min(jobs);
    if threads < 2 {
        return (0..jobs).for_each(run);
    }
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                crate::base::with_big_stack(|| {
                    loop {
                        let number = next.fetch_add(1, Ordering::Relaxed);
                        if number >= jobs {
                            return;
                        }
                        run(number);
                    }
                });
            });
        }
    });
}

/// Whether the program is refused with a matching message.
fn refused(loaded: &Loaded, block: &Block, pattern: &Regex, exact: bool) -> Verdict {
    if !loaded.checked.failed() {
        return Verdict::Failed(Some(block.span), format!("accepted, expected an error that matches `{pattern}`"));
    }
    matches(pattern, &rendered(loaded, &loaded.checked.diagnostics), block.span, exact)
}

/// Whether a warning about the program matches.
fn warned(loaded: &Loaded, pattern: &Regex, span: Span) -> Verdict {
    let warnings: Vec<Diagnostic> = loaded.checked.diagnostics.iter().filter(|d| d.severity == Severity::Warning).cloned().collect();
    let text = rendered(loaded, &warnings);
    if pattern.is_match(&text) {
        return Verdict::Passed;
    }
    let found = if warnings.is_empty() { "there is no warning at all".to_string() } else { format!("the warnings are:\n{text}") };
    Verdict::Failed(Some(span), format!("no warning matches `{pattern}`; {found}"))
}

/// Whether a message is as expected. One that names no code may be in the words of another compiler: then it is enough that there is an error,
/// which is counted apart, unless messages are to be `exact`.
pub fn matches(pattern: &Regex, text: &str, span: Span, exact: bool) -> Verdict {
    if pattern.is_match(text) {
        return Verdict::Passed;
    }
    if !exact && !pattern.as_str().contains("E0") {
        return Verdict::OtherWords(format!("it fails, but in other words than `{pattern}`"));
    }
    Verdict::Failed(Some(span), format!("the error does not match `{pattern}`:\n{text}"))
}
