//! What fuzzing tries: one function per target, called by libFuzzer (`fuzz_targets/`) and by ordinary tests
//! (`tests/fuzz_corpus.rs`). A target fails by a panic; where an input is accepted, laws that hold for every accepted input
//! are checked too.

use remora::base::{FileId, PrimType, SourceMap, with_big_stack};
use remora::diag::{self, Diagnostic};
use remora::driver;
use remora::front::explicit;
use remora::front::format;
use remora::front::resolve::Loader;
use remora::front::syntax::print::Printer;
use remora::front::syntax::{self, validate::validate};
use remora::ir::core;
use remora::ir::surface::Ast;
use remora::rank::{self, Options, RankOutcome, System};
use remora::runtime::{Value, data};
use std::path::{Path, PathBuf};

/// What is fuzzed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// Lexer and parser: trees are well formed, what is printed is read back.
    Syntax,
    /// The formatter: a program that can be read stays what it is, and is not changed twice.
    Format,
    /// The whole checker, with its validators, and every way in which its findings are shown.
    Check,
    /// The reader of core, its checker and its printer, and the front end for core that people write.
    Core,
    /// The reader of rank systems, and the solver on small ones.
    Rank,
    /// The readers of data, and the writers on what they have read.
    Data,
    /// APL scripts: what is accepted is core that the checker accepts.
    Apl,
}

/// All targets.
pub const ALL: [Target; 7] = [Target::Syntax, Target::Format, Target::Check, Target::Core, Target::Rank, Target::Data, Target::Apl];

impl Target {
    /// Its name: that of its binary and of its folder in the corpus.
    pub fn name(self) -> &'static str {
        match self {
            Target::Syntax => "syntax",
            Target::Format => "format",
            Target::Check => "check",
            Target::Core => "core",
            Target::Rank => "rank",
            Target::Data => "data",
            Target::Apl => "apl",
        }
    }
    /// Folders of the repository that hold more inputs for it, with the endings of their names.
    fn folders(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Target::Syntax | Target::Format | Target::Check => {
                &[("tests/data/corpus", "rem"), ("tests/data/reports", "rem"), ("stdlib", "rem")]
            }
            Target::Core => &[("tests/data/core", "remc"), ("tests/data/remc", "remc"), ("stdlib/core", "remc"), ("src/ir/core", "remc")],
            Target::Rank => &[("solver-fixtures", "rank")],
            Target::Data => &[],
            Target::Apl => &[("examples/apl", "apl")],
        }
    }
}

/// The inputs that the repository holds for a target (of each folder that is named above some); `fuzz` is the path of this folder.
pub fn seeds(target: Target, fuzz: &Path) -> Vec<Vec<u8>> {
    let mut paths = Vec::new();
    files(&fuzz.join("corpus").join(target.name()), None, &mut paths);
    for (folder, ending) in target.folders() {
        let before = paths.len();
        files(&fuzz.join("..").join(folder), Some(ending), &mut paths);
        assert!(paths.len() > before, "{folder} has no files that end in .{ending}");
    }
    paths.iter().filter_map(|path| std::fs::read(path).ok()).collect()
}

/// The files under a folder, in order of path.
pub fn files(folder: &Path, ending: Option<&str>, out: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let mut entries: Vec<PathBuf> = entries.filter_map(|entry| entry.ok()).map(|entry| entry.path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            files(&path, ending, out);
        } else if ending.is_none_or(|ending| path.extension().is_some_and(|found| found == ending)) {
            out.push(path);
        }
    }
}

/// Runs a target on an input.
pub fn run(target: Target, input: &[u8]) {
    with_big_stack(|| match target {
        Target::Syntax => parse(&String::from_utf8_lossy(input)),
        Target::Format => format(&String::from_utf8_lossy(input)),
        Target::Check => check(&String::from_utf8_lossy(input), "input.rem"),
        Target::Core => {
            read_core(&String::from_utf8_lossy(input));
            check(&String::from_utf8_lossy(input), "input.remc");
        }
        Target::Rank => rank_system(input),
        Target::Data => read_data(input),
        Target::Apl => check(&String::from_utf8_lossy(input), "input.apl"),
    });
}

/// Every diagnostic can be shown.
fn show(sources: &SourceMap, diagnostics: &[Diagnostic]) {
    for diagnostic in diagnostics.iter().take(20) {
        diag::text::render(sources, diagnostic, true);
        diag::json::render(sources, diagnostic);
        assert!(diag::explain::explanation(diagnostic.code).is_some(), "{} has no explanation", diagnostic.code);
    }
}

fn printed(text: &str) -> (String, Vec<Diagnostic>, SourceMap) {
    let mut sources = SourceMap::default();
    let file = sources.add("input.rem", text);
    let mut ast = Ast::default();
    let (unit, diagnostics) = syntax::parse(&mut ast, file, text);
    if let Err(problem) = validate(&ast, &unit) {
        panic!("{problem}");
    }
    let printer = Printer::new(&ast);
    (unit.decls.iter().map(|decl| printer.decl(decl) + "\n").collect(), diagnostics, sources)
}

fn parse(text: &str) {
    let (once, diagnostics, sources) = printed(text);
    show(&sources, &diagnostics);
    if diagnostics.is_empty() {
        let (twice, diagnostics, _) = printed(&once);
        assert!(diagnostics.is_empty(), "what was printed cannot be read: {}\n{once}", diagnostics[0].message);
        assert_eq!(once, twice, "printing is not stable");
    }
}

/// That the program is the same is checked by the formatter itself.
fn format(text: &str) {
    let Ok(once) = format::format(FileId(0), text, false) else { return };
    let twice = format::format(FileId(0), &once, false).expect("what was formatted can be read");
    assert_eq!(once, twice, "formatting is not stable");
    let lines = text.lines().count();
    let some = format::edits(FileId(0), text, false, Some(lines / 3..lines / 2 + 1)).expect("it can be read");
    format::apply(text, &some);
}

/// There are no other files.
struct Alone;

impl Loader for Alone {
    fn load(&self, _: &str) -> Result<String, String> {
        Err("there is no such file".into())
    }
}

fn check(text: &str, name: &str) {
    let mut sources = SourceMap::default();
    let root = sources.add(name, text);
    let checked = driver::check(&mut sources, &Alone, root);
    show(&sources, &checked.diagnostics);
    let printer = explicit::Printer::new(&checked.program, &sources);
    for (def, info) in checked.program.defs.iter().filter(|(_, info)| info.file == root) {
        if checked.accepted(def) {
            assert!(checked.type_of(def).is_some(), "`{}` has no type", info.name);
            printer.pretty(&checked.tables, def, None);
        }
    }
    driver::rank_systems(&sources, &checked, root);
    if let Err(problem) = driver::core_problem(&sources, &checked) {
        panic!("{problem}");
    }
    let own =
        core::Program { defs: checked.core.defs.iter().filter(|define| define.span.file == root).cloned().collect(), ..Default::default() };
    let text = core::print::program(&own);
    // What is too large as a tree is cut off.
    if !text.contains("...") {
        let (again, diagnostics) = core::read::program(FileId::default(), &text);
        assert!(diagnostics.is_empty(), "core that was printed cannot be read: {}\n{text}", diagnostics[0].message);
        assert_eq!(core::print::program(&again), text, "core is printed otherwise when it has been read");
    }
}

fn read_core(text: &str) {
    let mut sources = SourceMap::default();
    let file = sources.add("input.remc", text);
    let (program, diagnostics) = core::read::program(file, text);
    show(&sources, &diagnostics);
    let checked = core::check::check(&program);
    if let Err(errors) = &checked {
        let errors: Vec<Diagnostic> = errors.iter().map(|error| error.diagnostic()).collect();
        show(&sources, &errors);
    }
    let once = core::print::program(&program);
    if once.contains("...") {
        return;
    }
    let (again, diagnostics) = core::read::program(FileId::default(), &once);
    assert!(diagnostics.is_empty(), "core that was printed cannot be read: {}\n{once}", diagnostics[0].message);
    assert_eq!(core::print::program(&again), once, "core is printed otherwise when it has been read");
    assert_eq!(core::check::check(&again).is_ok(), checked.is_ok(), "reading what was printed changes the verdict:\n{once}");
}

/// Systems of at most this size are solved.
const SMALL: usize = 12;

fn rank_system(input: &[u8]) {
    let Ok(fixture) = rank::text::parse_bytes(input) else { return };
    let text = rank::text::print(&fixture);
    match rank::text::parse(&text) {
        Ok(again) => assert_eq!(rank::text::print(&again), text, "printing is not stable"),
        Err(error) => panic!("what was printed cannot be read: {error}\n{text}"),
    }
    let System { kinds, equations, sites, .. } = &fixture.system;
    let modest = |n: i64| n.abs() <= 100;
    let small = kinds.len() <= SMALL
        && equations.len() <= SMALL
        && sites.len() <= SMALL
        && equations.iter().all(|e| modest(e.expr.constant) && e.expr.terms.iter().all(|(_, n)| modest(*n)));
    if small && let RankOutcome::Solved(solution) = rank::solve(&fixture.system, &Options::default()) {
        assert!(rank::verify(&fixture.system, &solution.values), "a solution that does not hold");
    }
}

/// What the first byte of an input asks for, so that one target tries every type and rank.
fn expectation(byte: u8) -> data::Expected {
    let prims = PrimType::ALL;
    data::Expected::new("the input", prims[usize::from(byte) % prims.len()], usize::from(byte) / prims.len() % 5)
}

fn read_data(input: &[u8]) {
    let Some((first, bytes)) = input.split_first() else { return };
    let expected = expectation(*first);
    let mut stream = data::Stream::new("the input", bytes);
    let mut values = 0;
    while values < 3
        && !stream.at_end()
        && let Ok(value) = stream.next(&expected)
    {
        values += 1;
        write_data(&value, &expected);
    }
    if let Err(problem) = stream.finish(values) {
        show(&SourceMap::default(), &[*problem]);
    }
    if let Err(problem) = data::read("the input", bytes, &expected) {
        show(&SourceMap::default(), &[*problem]);
    }
}

/// What has been read can be written in every format that can hold it, and is then read back.
fn write_data(value: &Value, expected: &data::Expected) {
    let back = |bytes: &[u8], format: &str| match data::read("what was written", bytes, expected) {
        // Text has one NaN only.
        Ok(again) => assert!(
            again == *value || format == "text" && data::text::write(&again).as_bytes() == bytes,
            "{format}: {value:?} becomes {again:?}"
        ),
        Err(problem) => panic!("{format}: {}", problem.message),
    };
    let count: usize = value.dims().iter().fold(1, |n, d| n.saturating_mul(*d));
    if count <= 1 << 20 {
        back(data::text::write(value).as_bytes(), "text");
        back(&data::binary::write(value).expect("arrays of scalars can be written"), "binary");
        back(&data::npy::write(value).expect("arrays of scalars can be written"), "npy");
    }
    if let Ok(image) = data::image::write(value) {
        back(&image, "png");
    }
}
