//! Programs with memory as each pass makes them, and their evaluation: lowering and vectorisation are tested with it.

use super::pipeline::{DEVICE, PROCESSOR, Pipeline};
use super::{Checked, failure_diagnostic};
use crate::back::{lower, vectorise};
use crate::base::{Code, SourceMap, Symbol};
use crate::diag::Diagnostic;
use crate::interp::imp::{Plan, call};
use crate::ir::{imp, soac};
use crate::runtime::Value;

/// Statements that a run may take, unless it is `patient`: what a program does that never ends.
const MOST: u64 = 1 << 24;

/// A program with memory after each pass that has changed it.
#[derive(Debug)]
pub struct Stages {
    /// What it was lowered from.
    source: soac::Program,
    /// The names of the passes with what they made.
    stages: Vec<(&'static str, imp::Program)>,
    /// How many statements a run may take.
    most: u64,
}

impl Stages {
    /// How many there are.
    pub fn count(&self) -> usize {
        self.stages.len()
    }
    /// These stages, with runs that may take any time.
    #[must_use]
    pub fn patient(mut self) -> Stages {
        self.most = u64::MAX;
        self
    }
    /// Stages and orders to run them in: the first stage in each of the others, those of later passes in one of them.
    pub fn runs(&self) -> impl Iterator<Item = (usize, Order)> {
        let first = Order::ALL[1..].iter().map(|order| (0, *order));
        let others = (1..self.count()).map(|stage| (stage, Order::ALL[stage % Order::ALL.len()]));
        first.chain(others)
    }
    /// The pass that made one of them.
    pub fn pass(&self, stage: usize) -> &'static str {
        self.stages.get(stage).map_or("?", |(pass, _)| pass)
    }
}

/// The stages of the program for these entry points, for processors or for a device.
///
/// # Errors
/// Those of [`super::specialise()`].
pub fn stages(sources: &SourceMap, checked: &Checked, entries: &[Symbol], device: bool) -> Result<Stages, Box<Diagnostic>> {
    let pipeline = Pipeline::new(sources);
    if device {
        let source = pipeline.soac(&DEVICE, checked, entries)?;
        let ghosts = lower::with_ghosts(&source, lower::Options { strict: false, device: true });
        pipeline.contract("lower kernels", || same(&ghosts, &lower::lower_kernels(&source)));
        // Variants of kernels mean what the kernels mean; that they fit is what their validator says.
        pipeline.imp(&DEVICE, &source, false);
        return Ok(Stages { source, stages: vec![("lower kernels", ghosts)], most: MOST });
    }
    let source = pipeline.soac(&PROCESSOR, checked, entries)?;
    let options = lower::Options { strict: false, device: false };
    let (ghosts, program) = (lower::with_ghosts(&source, options), lower::lower(&source, options));
    pipeline.contract("lower", || imp::check::validate(&program));
    pipeline.contract("lower", || same(&ghosts, &program));
    let mut stages = vec![("lower", ghosts)];
    let mut text = imp::print::program(&program);
    vectorise::vectorise_by(program, &mut |pass, program| {
        let new = imp::print::program(program);
        if new != text {
            pipeline.contract(pass, || imp::check::validate(program));
            stages.push((pass, program.clone()));
            text = new;
        }
    });
    Ok(Stages { source, stages, most: MOST })
}

/// Whether a program with ghosts is the other one without them.
fn same(ghosts: &imp::Program, program: &imp::Program) -> Result<(), String> {
    let (a, b) = (imp::print::program(&imp::ghost::without(ghosts.clone())), imp::print::program(program));
    let differ = a.lines().zip(b.lines()).find(|(a, b)| a != b);
    if a == b { Ok(()) } else { Err(format!("with ghosts it is another program: {differ:?}")) }
}

/// In how many threads a program runs, and whether what may be done in any order is done from the last to the first. What a program does
/// with few rows and with many depends on the number of threads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Order {
    threads: i64,
    backwards: bool,
}

impl Order {
    /// The order that the others are compared with.
    pub const FIRST: Order = Order { threads: 3, backwards: false };
    const ALL: [Order; 3] = [Order::FIRST, Order { threads: 2, backwards: true }, Order { threads: 1, backwards: false }];
}

impl std::fmt::Display for Order {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (s, backwards) = (if self.threads == 1 { "" } else { "s" }, if self.backwards { ", backwards" } else { "" });
        write!(f, "in {} thread{s}{backwards}", self.threads)
    }
}

/// Runs an entry point of one of the stages.
///
/// # Errors
/// What the program fails with; E0599 where it does what no program must do; E0620 where it takes more statements than the stages allow.
pub fn run_stage(
    checked: &Checked,
    stages: &Stages,
    stage: usize,
    order: Order,
    entry: Symbol,
    arguments: &[Value],
) -> Result<Value, Box<Diagnostic>> {
    let missing = || Box::new(Diagnostic::bare(Code::UnfitArguments, format!("there is no definition `{entry}`")));
    let define = checked.core.defs.iter().rfind(|define| define.name == entry).ok_or_else(missing)?;
    let (pass, program) = stages.stages.get(stage).ok_or_else(missing)?;
    let names = checked.parameter_names(entry);
    let plan = Plan { pass, threads: order.threads, backwards: order.backwards, most: stages.most };
    let result = call(program, &stages.source, plan, &define.ty, entry, arguments, &names);
    result.map_err(|failure| Box::new(failure_diagnostic(checked, &failure)))
}
