//! A program under test on one back end: its inputs, its results, and how these differ from what is expected.

use super::super::native;
use super::super::program::Loaded;
use super::super::run::find_entry;
use super::super::values::{self, Signature};
use super::blocks::{self, Case, Data, ErrorKind, Expect, Random};
use super::report::Verdict;
use super::work::{Plan, matches};
use super::{Executor, compare, confine, random, script};
use crate::base::{Code, PrimType, SourceMap, Span, Symbol};
use crate::diag::{self, Diagnostic};
use crate::driver::{self, memory};
use crate::interp::entry::Shape;
use crate::ir::core::Define;
use crate::runtime::{Value, data};
use memory::Stages;
use rustc_hash::FxHashMap;
use std::cell::OnceCell;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

type Result<T> = std::result::Result<T, Box<Diagnostic>>;

/// A program on a back end.
pub struct Subject<'a> {
    plan: &'a Plan<'a>,
    path: &'a Path,
    loaded: &'a Loaded,
    backend: Executor,
    /// Whether a back end that this machine does not have is an error.
    needed: bool,
    /// Programs with memory by their entry points, for their evaluator.
    stages: Mutex<FxHashMap<Symbol, Arc<Stages>>>,
}

/// Compiled programs: each with its entry points, or why there is none.
pub struct Compiled {
    programs: Vec<(Vec<Symbol>, Result<native::Program>)>,
    /// What `auto output` is compared with for `compiled` cases: the same on one thread, with the evaluator's order of operations.
    oracle: OnceCell<Result<native::Program>>,
}

impl<'a> Subject<'a> {
    /// The program on the back end.
    pub fn new(plan: &'a Plan<'a>, path: &'a Path, loaded: &'a Loaded, backend: Executor, needed: bool) -> Subject<'a> {
        Subject { plan, path, loaded, backend, needed, stages: Mutex::default() }
    }

    fn threads(&self) -> usize {
        self.plan.args.threads.first().map_or(self.plan.threads, |threads| usize::from(*threads))
    }

    /// The entry points that a case needs: its own and those of its script.
    pub fn needs(&self, entry: &str, input: &Data) -> Vec<String> {
        let mut names = vec![entry.to_string()];
        if let Ok(Some((text, ..))) = self.script_text(input) {
            names.extend(script::functions(&text));
        }
        names
    }

    /// One compiled program with all these entry points, as far as there are such, for each number of threads.
    pub fn compile(&self, names: &[String]) -> Vec<Compiled> {
        let mut entries: Vec<Symbol> = names.iter().filter_map(|name| Some(find_entry(self.loaded, name).ok()?.name)).collect();
        entries.sort_by_key(|name| name.as_str());
        entries.dedup();
        let made = |program: Result<native::Program>| Compiled { programs: vec![(entries.clone(), program)], oracle: OnceCell::new() };
        if self.backend != Executor::Cpu {
            return vec![made(native::prepare_cuda(self.loaded, &entries))];
        }
        match native::Built::new(self.loaded, &entries, self.plan.args.strict_fp) {
            Ok(built) => {
                let others = self.plan.args.threads.iter().skip(1).map(|threads| usize::from(*threads));
                std::iter::once(self.threads()).chain(others).map(|threads| made(built.load(threads))).collect()
            }
            Err(diagnostic) => vec![made(Err(diagnostic))],
        }
    }

    /// Runs a definition of the program.
    pub fn call(&self, compiled: Option<&Compiled>, name: &str, values: Vec<Value>) -> Result<Value> {
        let Loaded { sources, checked, .. } = self.loaded;
        let define = find_entry(self.loaded, name)?;
        let threads = Some(self.threads());
        match self.backend {
            Executor::Interp | Executor::All => driver::run(checked, define.name, values, threads),
            Executor::Soac => driver::run_soac(sources, checked, define.name, values),
            Executor::Kernel => driver::run_kernels(sources, checked, define.name, values),
            Executor::Imp | Executor::ImpDevice => self.call_with_memory(define.name, &values),
            Executor::Cpu | Executor::Cuda => {
                let programs = compiled.map_or(&[][..], |compiled| &compiled.programs);
                match programs.iter().find(|(entries, _)| entries.contains(&define.name)).map(|(_, program)| program) {
                    Some(Ok(program)) => program.call(define, &checked.parameter_names(define.name), values),
                    Some(Err(diagnostic)) => Err(diagnostic.clone()),
                    None => Err(Box::new(Diagnostic::bare(Code::CCompiler, format!("`{name}` was not compiled")))),
                }
            }
        }
    }

    /// Runs the program with memory as each pass makes it. All results must be the same.
    fn call_with_memory(&self, entry: Symbol, values: &[Value]) -> Result<Value> {
        let Loaded { sources, checked, .. } = self.loaded;
        let known = self.stages.lock().ok().and_then(|known| known.get(&entry).cloned());
        let stages = match known {
            Some(stages) => stages,
            None => {
                let made = Arc::new(memory::stages(sources, checked, &[entry], self.backend == Executor::ImpDevice)?);
                if let Ok(mut known) = self.stages.lock() {
                    known.insert(entry, Arc::clone(&made));
                }
                made
            }
        };
        let first = memory::run_stage(checked, &stages, 0, memory::Order::FIRST, entry, values);
        if first.as_ref().is_err_and(|d| d.code == Code::LongEvaluation) {
            return first;
        }
        for (stage, order) in stages.runs() {
            let next = memory::run_stage(checked, &stages, stage, order, entry, values);
            let wrong = match (&first, &next) {
                (_, Err(next)) if next.code == Code::LongEvaluation => None,
                (Ok(first), Ok(next)) => {
                    let allowed = self.plan.args.tolerance.map_or(compare::Tolerance::Exact, compare::Tolerance::Given);
                    compare::difference(first, next, allowed)
                }
                (Err(first), Err(next)) if first.code == next.code && first.message == next.message => None,
                (Err(_), _) => return first,
                (_, Err(_)) => return next,
            };
            if let Some(text) = wrong {
                let message = format!("the program that `{}` made, run {order}, has another result: {text}", stages.pass(stage));
                return Err(Box::new(Diagnostic::bare(Code::MalformedCore, message)));
            }
        }
        first
    }

    /// Runs one case and compares.
    pub fn run(&self, compiled: Option<&Compiled>, entry: (&str, Span), case: &Case, seed: u64) -> Verdict {
        self.attempt(compiled, entry, case, seed).unwrap_or_else(|verdict| verdict)
    }

    fn attempt(&self, compiled: Option<&Compiled>, entry: (&str, Span), case: &Case, seed: u64) -> std::result::Result<Verdict, Verdict> {
        let Subject { loaded, .. } = *self;
        let wrong = |span: Span| move |text: String| Verdict::Failed(Some(span), text);
        let says = |diagnostic: Box<Diagnostic>| rendered(loaded, &[*diagnostic]);
        let define = find_entry(loaded, entry.0).map_err(|d| wrong(entry.1)(says(d)))?;
        let signature = Signature::of(&loaded.checked, define).map_err(|d| wrong(entry.1)(says(d)))?;
        let values = self.input(compiled, &signature, &case.input, seed).map_err(|d| wrong(case.span)(says(d)))?;
        let strict = self.backend == Executor::Cpu && self.plan.args.strict_fp;
        let oracle = strict.then(|| driver::run(&loaded.checked, define.name, values.clone(), Some(self.threads())));
        let expected = matches!(case.expect, Expect::Auto).then(|| self.automatic(compiled, entry.0, case, values.clone()));
        let result = self.call(compiled, entry.0, values);
        if let (Some(Ok(want)), Ok(got)) = (&oracle, &result) {
            let (want, got) = (values::show(want), values::show(got));
            if want != got {
                return Err(wrong(case.span)(format!("not the same to the last bit: {got}the evaluator's result is\n{want}")));
            }
        }
        Ok(match (&case.expect, result) {
            (_, Err(d)) if d.code == Code::LongEvaluation => Verdict::Skipped(d.message),
            (Expect::Success, Ok(_)) => Verdict::Passed,
            (Expect::Success | Expect::Values(_) | Expect::Auto, Err(d)) => wrong(case.span)(format!("it fails:\n{}", says(d))),
            (Expect::Failure(pattern), Err(d)) => matches(pattern, &says(d), case.span, self.plan.args.exact),
            (Expect::Failure(pattern), Ok(value)) => {
                wrong(case.span)(format!("expected an error that matches `{pattern}`, got\n{}", values::show(&value)))
            }
            (Expect::Values(want), Ok(got)) => self.compare(define, want, &got).map_or_else(wrong(case.span), |()| Verdict::Passed),
            (Expect::Auto, Ok(got)) => match expected {
                Some(Ok(want)) => compare::difference(&want, &got, self.plan.args.allowed(self.path))
                    .map_or(Verdict::Passed, |text| wrong(case.span)(format!("`auto output`: the result is {text}"))),
                Some(Err(d)) => wrong(case.span)(format!("`auto output`: what it is compared with fails:\n{}", says(d))),
                None => Verdict::Passed,
            },
        })
    }

    /// What `auto output` stands for.
    fn automatic(&self, compiled: Option<&Compiled>, name: &str, case: &Case, values: Vec<Value>) -> Result<Value> {
        let Loaded { checked, .. } = self.loaded;
        let define = find_entry(self.loaded, name)?;
        match compiled {
            Some(compiled) if case.tags.iter().any(|tag| tag == "compiled") => {
                let entries: Vec<Symbol> = compiled.programs.iter().flat_map(|(entries, _)| entries.iter().copied()).collect();
                let options = native::Options { threads: 1, strict: true };
                let program = compiled.oracle.get_or_init(|| native::prepare(self.loaded, &entries, &options, None));
                let program = program.as_ref().map_err(Clone::clone)?;
                program.call(define, &checked.parameter_names(define.name), values)
            }
            _ => driver::run(checked, define.name, values, Some(self.threads())),
        }
    }

    /// Why nothing can be run, if this machine lacks the back end and it was not asked for by name.
    pub fn absent(&self, compiled: &Compiled) -> Option<String> {
        let codes = [Code::NoDriver, Code::OldDriver, Code::NoDevice, Code::NoNvrtc];
        let mut failures = compiled.programs.iter().filter_map(|(_, program)| program.as_ref().err());
        failures.find(|d| !self.needed && codes.contains(&d.code)).map(|d| d.message.clone())
    }

    /// The text of a script with its place; nothing for other inputs.
    fn script_text(&self, input: &Data) -> Result<Option<(String, Span)>> {
        script_text(self.path, input, &self.plan.args.allow_read)
    }

    fn input(&self, compiled: Option<&Compiled>, signature: &Signature, data: &Data, seed: u64) -> Result<Vec<Value>> {
        let call = |name: &str, values| self.call(compiled, name, values);
        input((self.path, &self.plan.args.allow_read), self.loaded, signature, data, seed, &call)
    }

    /// Compares results with those in a block: read with the types that the results have.
    fn compare(&self, define: &Define, want: &Data, got: &Value) -> std::result::Result<(), String> {
        let says = |diagnostic: Box<Diagnostic>| diag::text::render(&SourceMap::default(), &diagnostic, false);
        let (source, bytes) = match want {
            Data::File(name, _) => (format!("`{name}`"), confine::read(self.path, name, &self.plan.args.allow_read).map_err(says)?),
            Data::Text(text, _) | Data::Script(text, _) | Data::ScriptFile(text, _) => {
                ("the expected output".to_string(), text.clone().into_bytes())
            }
            Data::Random(..) => return Err("an output cannot be random".into()),
        };
        let mut stream = data::Stream::new(&source, &bytes);
        let results = data::results(got);
        let shapes = values::result_shapes(define);
        let mut wrong = Vec::new();
        for (i, got) in results.iter().enumerate() {
            let what = if results.len() == 1 { "the result".to_string() } else { format!("result {i}") };
            let want = match (element(got), shapes.get(i)) {
                (Some(prim), _) => stream.next(&data::Expected::new(&what, prim, got.dims().len())),
                (None, Some(shape @ (Shape::Sum(..) | Shape::Rows(..)))) => stream.next_sum(&what, shape),
                _ => return Err(format!("{what} cannot be compared: {got:?}")),
            };
            let want = want.map_err(says)?;
            wrong.extend(
                compare::difference(&want, got, self.plan.args.allowed(self.path)).map(|difference| format!("{what} is {difference}")),
            );
        }
        stream.finish(results.len()).map_err(says)?;
        if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) }
    }
}

fn script_text(path: &Path, input: &Data, allowed: &[PathBuf]) -> Result<Option<(String, Span)>> {
    match input {
        Data::Script(text, span) => Ok(Some((text.clone(), *span))),
        Data::ScriptFile(name, span) => {
            let bytes = confine::read(path, name, allowed)?;
            let text = String::from_utf8(bytes)
                .map_err(|_| Box::new(Diagnostic::error(Code::TestScript, *span, format!("the script `{name}` is not a text in UTF-8"))))?;
            Ok(Some((text, *span)))
        }
        Data::Text(..) | Data::File(..) | Data::Random(..) => Ok(None),
    }
}

/// Calls definitions of the program.
type Call<'a> = &'a dyn Fn(&str, Vec<Value>) -> Result<Value>;

/// What scripts see of a program.
struct Host<'a> {
    path: &'a Path,
    allowed: &'a [PathBuf],
    loaded: &'a Loaded,
    call: Call<'a>,
}

impl script::Host for Host<'_> {
    fn signature(&self, name: &str) -> Result<Signature> {
        let define = find_entry(self.loaded, name)?;
        Signature::of(&self.loaded.checked, define)
    }
    fn call(&self, name: &str, arguments: Vec<Value>) -> Result<Value> {
        (self.call)(name, arguments)
    }
    fn file(&self, name: &str) -> Result<Vec<u8>> {
        confine::read(self.path, name, self.allowed)
    }
}

fn input(
    (path, allowed): (&Path, &[PathBuf]),
    loaded: &Loaded,
    signature: &Signature,
    data: &Data,
    seed: u64,
    call: Call,
) -> Result<Vec<Value>> {
    match data {
        Data::Text(text, _) => signature.stream("the input", text.as_bytes()),
        Data::File(name, _) => signature.stream(&format!("`{name}`"), &confine::read(path, name, allowed)?),
        Data::Random(values, span) => {
            let room = || Box::new(blocks::report(&blocks::Error { at: *span, mistake: ErrorKind::OutOfMemory }));
            let mut bytes = Vec::new();
            for (i, value) in values.iter().enumerate() {
                let made = match value {
                    Random::Constant(text) => format!("{text}\n").into_bytes(),
                    Random::Of(dims, prim) => random::random(dims, *prim, seed * 1000 + i as u64).ok_or_else(room)?,
                };
                bytes.try_reserve(made.len()).map_err(|_| room())?;
                bytes.extend(made);
            }
            signature.stream("the random input", &bytes)
        }
        Data::Script(..) | Data::ScriptFile(..) => {
            let Some((text, span)) = script_text(path, data, allowed)? else { return Ok(Vec::new()) };
            let host = Host { path, allowed, loaded, call };
            let inline = matches!(data, Data::Script(..));
            let base = span.start as usize;
            script::arguments(&text, span.file, base, signature, &host).map_err(|mut diagnostic| {
                if !inline {
                    // Places are those of the program: a script in a file has one place there.
                    diagnostic.labels.iter_mut().filter(|label| label.span.file == span.file).for_each(|label| label.span = span);
                }
                diagnostic
            })
        }
    }
}

/// How comments begin in the language of the program.
pub fn mark(loaded: &Loaded) -> &'static str {
    match (&loaded.checked.remc, &loaded.checked.apl) {
        (Some(_), _) => ";",
        (None, Some(_)) => "⍝",
        (None, None) => "--",
    }
}

/// Diagnostics about a program as text.
pub fn rendered(loaded: &Loaded, diagnostics: &[Diagnostic]) -> String {
    let moved = |diagnostic| loaded.behind.moved(loaded.root, diagnostic);
    diagnostics.iter().map(|diagnostic| diag::text::render(&loaded.sources, &moved(diagnostic), false)).collect()
}

/// A run that a program's blocks ask for.
#[derive(Debug)]
pub struct Run {
    /// The definition of core.
    pub name: Symbol,
    /// Its arguments.
    pub arguments: Vec<Value>,
}

/// All runs that the blocks of an accepted program ask for, for tests that compare evaluators.
pub fn runs(path: &Path, loaded: &Loaded) -> Result<Vec<Run>> {
    let text = loaded.sources.file(loaded.root).text.clone();
    let (blocks, _) = blocks::blocks(loaded.root, &text, mark(loaded));
    let mut runs = Vec::new();
    let call = |name: &str, values| driver::run(&loaded.checked, find_entry(loaded, name)?.name, values, None);
    for block in &blocks {
        for (number, case) in block.cases.iter().enumerate() {
            for (entry, _) in &case.entries {
                let define = find_entry(loaded, entry)?;
                let signature = Signature::of(&loaded.checked, define)?;
                let arguments = input((path, &[]), loaded, &signature, &case.input, number as u64, &call)?;
                runs.push(Run { name: define.name, arguments });
            }
        }
    }
    Ok(runs)
}

/// The element type of a scalar or an array of scalars.
fn element(value: &Value) -> Option<PrimType> {
    match value {
        Value::Scalar(scalar) => Some(scalar.prim()),
        Value::Array(array) => Some(array.prim()),
        _ => None,
    }
}
