//! The run: programs by the hundred, compared stage by stage, findings made smaller.

use super::compare::{agree, agree_but_for_zeros};
use super::evaluate::{Checked, Outcome, Stage};
use super::shrink::smaller;
use super::tree::Program;
use super::{make, worker};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::{Mutex, Once, PoisonError};
use std::time::{Duration, Instant};

/// How long a program may take.
const PATIENCE: Duration = Duration::from_secs(120);

/// What is run and compared with the evaluator of core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    Evaluator(Stage),
    Compiled(worker::Native),
}

impl Way {
    pub fn name(self) -> &'static str {
        match self {
            Way::Evaluator(stage) => stage.name(),
            Way::Compiled(native) => native.name(),
        }
    }
    /// The way with a name.
    pub fn named(name: &str) -> Option<Way> {
        use worker::Native::{Cpu, Device, Sanitized};
        let evaluators = [Stage::Soac, Stage::Kernel, Stage::Imp, Stage::ImpDevice].map(Way::Evaluator);
        let compiled = [Cpu, Sanitized, Device].map(Way::Compiled);
        evaluators.into_iter().chain(compiled).find(|way| way.name() == name)
    }
}

/// How long and what.
#[derive(Clone, Debug)]
pub struct Options {
    /// The first seed; the others follow.
    pub seed: u64,
    /// So many programs at most.
    pub cases: u64,
    /// Not longer than this.
    pub time: Duration,
    pub ways: Vec<Way>,
    /// Programs that are checked and compiled together.
    pub together: u64,
    /// How long a finding is made smaller.
    pub shrinking: Duration,
    /// Findings after which it ends.
    pub enough: usize,
    /// Where findings are written.
    pub folder: Option<PathBuf>,
    /// Where the accepted programs are written with their results, those that are checked together as one file (`tests/texts.sh` compares
    /// what compilers make of them, `tests/gpu.sh` runs them on a device).
    pub texts: Option<PathBuf>,
}

/// A program that does not do the same everywhere.
#[derive(Clone, Debug)]
pub struct Finding {
    pub way: Way,
    pub program: Program,
    /// What the evaluator of core says, and what the other does.
    pub expected: Outcome,
    pub got: Outcome,
}

/// What was done and found.
#[derive(Debug, Default)]
pub struct Report {
    /// Programs that were made, and those that were accepted.
    pub made: u64,
    pub accepted: u64,
    pub refused: BTreeMap<String, u64>,
    /// Runs by what the evaluator of core says.
    pub outcomes: BTreeMap<String, u64>,
    /// Accepted programs with a feature.
    pub features: BTreeMap<&'static str, u64>,
    /// Programs and time for each way.
    pub ways: BTreeMap<&'static str, (u64, Duration)>,
    pub findings: Vec<Finding>,
    /// How often what was found before was found again.
    pub again: BTreeMap<String, u64>,
}

impl Finding {
    /// What findings of the same mistake have in common, as far as one can see.
    pub fn signature(&self) -> String {
        signature(self.way, &self.got, &self.expected)
    }

    /// As a program for the corpus.
    pub fn text(&self) -> String {
        let block =
            self.program.inputs.first().map_or(String::new(), |input| block(&self.program.entry.name, &input.text(), &self.expected));
        let what = described(&self.got);
        format!("-- Seed {}, {}: {what}\n\n-- ==\n{block}{}", self.program.seed, self.way.name(), self.program.text(""))
    }
}

/// A case as the corpus has it.
fn block(entry: &str, input: &str, expected: &Outcome) -> String {
    let wanted = match expected {
        Outcome::Value(value) => format!("output {{ {value} }}"),
        Outcome::Failed(code) => format!("error: {code}"),
        Outcome::Broken(what) => format!("(the evaluator of core: {what})"),
    };
    format!("-- entry: {entry}\n-- input {{ {input} }}\n-- {wanted}\n")
}

/// A program, renamed, with what core makes of its inputs: one that `remora test` takes.
fn with_results(program: &Program, suffix: &str, expected: &[Outcome]) -> String {
    let name = format!("{}{suffix}", program.entry.name);
    let cases = program.inputs.iter().zip(expected).filter(|(_, outcome)| !matches!(outcome, Outcome::Broken(_)));
    let blocks: String = cases.map(|(input, outcome)| format!("\n-- ==\n{}", block(&name, &input.text(), outcome))).collect();
    program.text(suffix) + &blocks
}

fn described(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Value(value) => value.clone(),
        Outcome::Failed(code) => format!("fails with {code}"),
        Outcome::Broken(what) => what.replace('\n', " "),
    }
}

fn signature(way: Way, got: &Outcome, expected: &Outcome) -> String {
    let short = |what: &str| -> String {
        what.split(": ").take(2).collect::<Vec<_>>().join(": ").chars().filter(|c| !c.is_ascii_digit()).take(90).collect()
    };
    match (got, expected) {
        (Outcome::Broken(what), _) if what.starts_with("panic at") => what.split(": ").next().unwrap_or("").to_string(),
        (Outcome::Broken(what), _) => format!("{} {}", way.name(), short(what)),
        (_, Outcome::Broken(what)) => format!("core {}", short(what)),
        (Outcome::Failed(code), Outcome::Value(_)) => format!("{} fails with {code}", way.name()),
        (Outcome::Value(_), Outcome::Failed(code)) => format!("{} does not fail with {code}", way.name()),
        _ => format!("{} another value", way.name()),
    }
}

/// The outcomes of a program: those of core, then those of each way.
type Outcomes = Vec<Vec<Outcome>>;

/// Runs programs: for each its outcomes, or why it is refused.
fn run(programs: &[Program], ways: &[Way], report: &mut Report) -> Vec<Result<Outcomes, String>> {
    let start = Instant::now();
    let checked = match Checked::new(programs) {
        Ok(checked) => checked,
        Err(panic) if programs.len() == 1 => return vec![Ok(vec![vec![Outcome::Broken(panic)]; ways.len() + 1])],
        Err(_) => return programs.iter().flat_map(|program| run(std::slice::from_ref(program), ways, report)).collect(),
    };
    note(report, "check", programs.len(), start);
    let machine = checked.machine();
    let mut found: Vec<Result<Outcomes, String>> = Vec::new();
    let mut arguments = Vec::new();
    for (at, program) in programs.iter().enumerate() {
        let read = match &checked.refused[at] {
            Some(why) => Err(why.clone()),
            None => checked.arguments(at, program),
        };
        found.push(read.as_ref().map(|_| Vec::new()).map_err(Clone::clone));
        arguments.push(read.unwrap_or_default());
    }
    let accepted: Vec<usize> = (0..programs.len()).filter(|at| found[*at].is_ok()).collect();
    let evaluators = ways.iter().filter_map(|way| match way {
        Way::Evaluator(stage) => Some(*stage),
        Way::Compiled(_) => None,
    });
    for stage in std::iter::once(Stage::Core).chain(evaluators) {
        let start = Instant::now();
        for &at in &accepted {
            watch(&programs[at]);
            let outcomes = checked.run(stage, at, &arguments[at], &machine);
            found[at].as_mut().expect("accepted").push(outcomes);
        }
        rest();
        note(report, stage.name(), accepted.len(), start);
    }
    for way in ways {
        let Way::Compiled(native) = way else { continue };
        let start = Instant::now();
        let chosen: Vec<&Program> = accepted.iter().map(|at| &programs[*at]).collect();
        for (at, outcomes) in accepted.iter().zip(compiled(*native, &chosen)) {
            found[*at].as_mut().expect("accepted").push(outcomes);
        }
        note(report, way.name(), accepted.len(), start);
    }
    found
}

/// Runs compiled programs, in halves where nobody can say which one is to blame.
fn compiled(native: worker::Native, programs: &[&Program]) -> Vec<Vec<Outcome>> {
    if programs.is_empty() {
        return Vec::new();
    }
    match worker::run(native, programs) {
        Ok(outcomes) => outcomes,
        Err(what) if programs.len() == 1 => vec![vec![Outcome::Broken(what); programs[0].inputs.len()]],
        Err(what) => {
            println!("{} programs in halves: {what}", programs.len());
            let (a, b) = programs.split_at(programs.len() / 2);
            [compiled(native, a), compiled(native, b)].concat()
        }
    }
}

fn note(report: &mut Report, name: &'static str, programs: usize, start: Instant) {
    let (count, time) = report.ways.entry(name).or_default();
    *count += programs as u64;
    *time += start.elapsed();
}

/// The first way that is not as core, with the number of the input.
fn difference(program: &Program, ways: &[Way], outcomes: &Outcomes) -> Option<(Way, usize, Outcome, Outcome)> {
    let core = outcomes.first()?;
    let text = program.text("");
    let agree = if ["jvp", "vjp", "grad"].iter().any(|word| text.contains(word)) { agree_but_for_zeros } else { agree };
    // The evaluators come first, as in `run`.
    let (evaluators, compiled): (Vec<Way>, Vec<Way>) = ways.iter().partition(|way| matches!(way, Way::Evaluator(_)));
    for (way, got) in evaluators.into_iter().chain(compiled).zip(&outcomes[1..]) {
        for (k, (expected, got)) in core.iter().zip(got).enumerate() {
            if !agree(expected, got) && !is_limit(got) {
                return Some((way, k, expected.clone(), got.clone()));
            }
        }
    }
    None
}

/// Whether a program is refused by name for what the documents say is not compiled: recursion that is no loop, on devices, and derivatives of it; in reverse loops whose arrays
/// grow.
fn is_limit(outcome: &Outcome) -> bool {
    let Outcome::Broken(text) = outcome else { return false };
    let limits = [
        "calls itself in a way that is no loop",
        "the derivative of a recursive function is not compiled",
        "the reverse of a loop whose arrays change their size is not compiled",
    ];
    text.contains("E0801") && limits.iter().any(|limit| text.contains(limit))
}

/// Makes a finding smaller as long as it stays one of the same kind.
fn shrink(mut finding: Finding, time: Duration) -> Finding {
    let start = Instant::now();
    let kind = finding.signature();
    let together = if matches!(finding.way, Way::Compiled(_)) { 60 } else { 25 };
    'again: while start.elapsed() < time {
        for group in smaller(&finding.program).chunks(together) {
            let found = run(group, &[finding.way], &mut Report::default());
            for (program, outcomes) in group.iter().zip(found) {
                let Ok(outcomes) = outcomes else { continue };
                let Some((way, k, expected, got)) = difference(program, &[finding.way], &outcomes) else { continue };
                if signature(way, &got, &expected) == kind {
                    let inputs = vec![program.inputs[k].clone()];
                    finding = Finding { way, program: Program { inputs, ..program.clone() }, expected, got };
                    continue 'again;
                }
            }
            if start.elapsed() > time {
                break 'again;
            }
        }
        break;
    }
    finding
}

/// Runs programs until there are enough, or time is up, or enough was found.
pub fn torture(options: &Options) -> Report {
    let (start, mut report) = (Instant::now(), Report::default());
    let mut next = options.seed;
    let end = options.seed + options.cases;
    while next < end && start.elapsed() < options.time && report.findings.len() < options.enough {
        let until = end.min(next + options.together);
        let made = Instant::now();
        let programs: Vec<Program> = (next..until).map(make::program).collect();
        note(&mut report, "make", programs.len(), made);
        let found = run(&programs, &options.ways, &mut report);
        if let Some(folder) = &options.texts {
            let accepted =
                programs.iter().zip(&found).enumerate().filter_map(|(at, (program, found))| Some((at, program, found.as_ref().ok()?)));
            let text: String = accepted.map(|(at, program, outcomes)| with_results(program, &format!("_{at}"), &outcomes[0])).collect();
            let written = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(folder.join(format!("{next}.rem")), text));
            written.unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        }
        next = until;
        for (program, outcomes) in programs.iter().zip(found) {
            report.made += 1;
            match outcomes {
                Err(why) => *report.refused.entry(why.chars().take(70).collect()).or_insert(0) += 1,
                Ok(outcomes) => examine(program, &outcomes, options, &mut report),
            }
        }
    }
    report
}

fn examine(program: &Program, outcomes: &Outcomes, options: &Options, report: &mut Report) {
    report.accepted += 1;
    let mut features = program.features.clone();
    features.sort_unstable();
    features.dedup();
    features.into_iter().for_each(|feature| *report.features.entry(feature).or_insert(0) += 1);
    for outcome in &outcomes[0] {
        let kind = match outcome {
            Outcome::Value(_) => "value",
            Outcome::Failed(code) => code,
            Outcome::Broken(_) => "broken",
        };
        *report.outcomes.entry(kind.to_string()).or_insert(0) += 1;
    }
    let Some((way, k, expected, got)) = difference(program, &options.ways, outcomes) else { return };
    let kind = signature(way, &got, &expected);
    let known = report.again.entry(kind.clone()).or_insert(0);
    *known += 1;
    // Different mistakes may look alike: where a value is wrong, and where something breaks in one place.
    if *known > if kind.starts_with("panic") { 1 } else { 4 } {
        return;
    }
    let inputs = vec![program.inputs[k].clone()];
    let finding = shrink(Finding { way, program: Program { inputs, ..program.clone() }, expected, got }, options.shrinking);
    if let Some(folder) = &options.folder {
        std::fs::create_dir_all(folder).ok();
        std::fs::write(folder.join(format!("{}-{}.rem", way.name(), program.seed)), finding.text()).ok();
    }
    println!("{kind}\n{}\n", finding.text());
    report.findings.push(finding);
}

/// What is run now, and since when.
static NOW: Mutex<Option<(Instant, String)>> = Mutex::new(None);

/// Ends the process when a program takes too long, which is said on the way.
fn watch(program: &Program) {
    static START: Once = Once::new();
    START.call_once(|| {
        std::thread::spawn(|| {
            loop {
                std::thread::sleep(Duration::from_secs(5));
                if let Some((since, text)) = &*NOW.lock().unwrap_or_else(PoisonError::into_inner)
                    && since.elapsed() > PATIENCE
                {
                    println!("this program takes longer than two minutes:\n{text}");
                    std::process::exit(3);
                }
            }
        });
    });
    *NOW.lock().unwrap_or_else(PoisonError::into_inner) = Some((Instant::now(), format!("-- seed {}\n{}", program.seed, program.text(""))));
}

/// Nothing is watched until the next program.
fn rest() {
    *NOW.lock().unwrap_or_else(PoisonError::into_inner) = None;
}

impl Report {
    /// As text.
    pub fn text(&self) -> String {
        let mut out = format!("{} programs, {} accepted, {} findings\n", self.made, self.accepted, self.findings.len());
        for (name, (count, time)) in &self.ways {
            let seconds = time.as_secs_f64();
            writeln!(out, "  {name}: {count} programs in {seconds:.1} s, {:.1} per second", *count as f64 / seconds.max(1e-9))
                .expect("written");
        }
        writeln!(out, "runs: {:?}\nrefused: {:#?}\nfeatures: {:?}\nfound: {:#?}", self.outcomes, self.refused, self.features, self.again)
            .expect("written");
        out
    }
}
