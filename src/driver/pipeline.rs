//! The pipelines from core to text, one for each target, and what runs them: each step is timed, validated and blamed.

use super::Checked;
use crate::back::{lower, variants, vectorise};
use crate::base::{Code, SourceMap, Span, Symbol, ice};
use crate::diag::Diagnostic;
use crate::ir::pass::{self, Label, Step, Step::Last, Step::Run};
use crate::ir::{imp, kernel, soac};
use crate::middle::{flatten, optimise, specialise};
use std::cell::RefCell;
use std::time::{Duration, Instant};

/// The steps between core and a text, for one target. The first one is `specialise`, from core to soac; the last one prints.
#[derive(Debug)]
pub struct Steps {
    /// From soac to soac.
    pub optimise: &'static [Step<soac::Program>],
    /// From soac to kernels. None for processors.
    pub flatten: &'static [Step<soac::Program>],
    /// Whether it runs kernels on a device.
    pub device: bool,
    /// The name of the step from there to programs with memory.
    pub lower: &'static str,
    /// From programs with memory to such programs: loops for SIMD lanes, or variants of kernels.
    pub improve: &'static [Step<imp::Program>],
    /// The name of the step that prints it.
    pub print: &'static str,
}

/// For processors, by way of C.
pub const PROCESSOR: Steps =
    Steps { optimise: optimise::FOR_PROCESSORS, flatten: &[], device: false, lower: "lower", improve: vectorise::STEPS, print: "print C" };

/// For devices, by way of CUDA C++.
pub const DEVICE: Steps = Steps {
    optimise: optimise::FOR_DEVICES,
    flatten: KERNELS,
    device: true,
    lower: "lower kernels",
    improve: variants::STEPS,
    print: "print CUDA",
};

const KERNELS: &[Step<soac::Program>] = &[
    Run("flatten", flatten::flatten),
    Run("sink", flatten::sink),
    Run("in place", optimise::in_place),
    Last("coalesce", flatten::coalesce),
];

impl Steps {
    /// The names of all steps, in order; those in brackets are for some programs only.
    pub fn steps(&self) -> Vec<String> {
        let mut names = vec!["specialise".to_string()];
        names.extend(pass::names(self.optimise));
        names.extend(pass::names(self.flatten));
        names.push(self.lower.into());
        names.extend(pass::names(self.improve));
        names.push(self.print.into());
        names
    }
}

/// What steps make.
#[cfg(feature = "mutations")]
use super::faults::Breakable as Program;
/// What steps make.
#[cfg(not(feature = "mutations"))]
trait Program {}
#[cfg(not(feature = "mutations"))]
impl<P> Program for P {}

/// How long the steps of a run took, in the order in which each came first.
pub type Times = Vec<(&'static str, Duration)>;

/// One run of a pipeline.
pub(super) struct Pipeline<'s> {
    sources: &'s SourceMap,
    times: RefCell<Times>,
}

impl<'s> Pipeline<'s> {
    /// A run that begins.
    pub(super) fn new(sources: &'s SourceMap) -> Pipeline<'s> {
        Pipeline { sources, times: RefCell::default() }
    }
    /// How long its steps took.
    pub(super) fn times(self) -> Times {
        self.times.into_inner()
    }

    /// Runs a step.
    pub(super) fn step<R>(&self, name: &'static str, work: impl FnOnce() -> R) -> R {
        let start = Instant::now();
        let result = ice::in_pass(name, |span| self.sources.place(span), work);
        let mut times = self.times.borrow_mut();
        match times.iter_mut().find(|(other, _)| *other == name) {
            Some((_, time)) => *time += start.elapsed(),
            None => times.push((name, start.elapsed())),
        }
        result
    }
    /// Runs a step whose result must satisfy a validator.
    fn validated<P: Program>(&self, label: Label, validate: fn(&P) -> Result<(), String>, work: impl FnOnce() -> P) -> P {
        let Label { name, always } = label;
        let made = self.step(name, work);
        #[cfg(feature = "mutations")]
        let made = super::faults::planted(name, made);
        if always || super::validating() {
            self.contract(name, || validate(&made));
        }
        made
    }
    /// Stops with an internal error that blames a step if its validator refuses what it made.
    pub(super) fn contract(&self, name: &'static str, validate: impl FnOnce() -> Result<(), String>) {
        if let Err(problem) = ice::in_pass(name, |span| self.sources.place(span), validate) {
            ice::in_pass(name, |span| self.sources.place(span), || crate::ice!(Span::default(), "it broke its contract: {problem}"));
        }
    }

    /// Core as a first-order program.
    pub(super) fn specialise(&self, checked: &Checked, entries: &[Symbol]) -> Result<soac::Program, Box<Diagnostic>> {
        let program = self.step("specialise", || specialise::specialise(&checked.core, entries))?;
        #[cfg(feature = "mutations")]
        let program = super::faults::planted("specialise", program);
        self.contract("specialise", || soac::check::validate(&program));
        Ok(program)
    }
    /// The first-order program as the target's memory is planned for it.
    pub(super) fn soac(&self, target: &Steps, checked: &Checked, entries: &[Symbol]) -> Result<soac::Program, Box<Diagnostic>> {
        let mut program = self.specialise(checked, entries)?;
        program.tuning = checked.tuning.clone();
        let run = |label, program, pass: pass::Pass<_>| self.validated(label, soac::check::validate, || pass(program));
        let program = pass::run(target.optimise, program, &mut { run });
        if target.device
            && let Some((_, fun)) = program.funs.iter().find(|(_, fun)| fun.recursive)
        {
            return Err(Box::new(on_device(checked, fun)));
        }
        let run = |label, program, pass: pass::Pass<_>| self.validated(label, kernel::validate, || pass(program));
        Ok(pass::run(target.flatten, program, &mut { run }))
    }
    /// The program with memory that the target's text is printed from. With `strict`, floats are rounded as the evaluator rounds them.
    pub(super) fn imp(&self, target: &Steps, program: &soac::Program, strict: bool) -> imp::Program {
        self.lowered(target, || match target.device {
            true => lower::lower_kernels(program),
            false => lower::lower(program, lower::Options { strict, device: false }),
        })
    }
    /// The program for processors that measures itself.
    pub(super) fn profiled(&self, program: &soac::Program, strict: bool) -> imp::Program {
        self.lowered(&PROCESSOR, || lower::profiled(program, strict))
    }
    fn lowered(&self, target: &Steps, lower: impl FnOnce() -> imp::Program) -> imp::Program {
        let label = Label { name: target.lower, always: true };
        let imp = self.validated(label, imp::check::validate, lower);
        let run = |label, program, pass: pass::Pass<_>| self.validated(label, imp::check::validate, || pass(program));
        pass::run(target.improve, imp, &mut { run })
    }
}

/// Devices run no calls: of functions that call themselves only those that became loops.
fn on_device(checked: &Checked, fun: &soac::Fun) -> Diagnostic {
    let name = checked.source_name(fun.name);
    Diagnostic::error(Code::NotCompiled, fun.span, format!("`{name}` calls itself in a way that is no loop: devices do not run it"))
        .help("`--backend cpu` and `--backend auto` run it on the processor")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pipelines_begin_and_end_alike() {
        let (cpu, device) = (PROCESSOR.steps(), DEVICE.steps());
        assert_eq!((cpu[0].as_str(), cpu.last().map(String::as_str)), ("specialise", Some("print C")));
        assert!(cpu.contains(&"lower".to_string()) && cpu.contains(&"[unroll]".to_string()), "{cpu:?}");
        assert!(cpu.contains(&"hoist".to_string()) && cpu.contains(&"renumber".to_string()), "{cpu:?}");
        // The last step of each language is validated in release builds too.
        for target in [PROCESSOR, DEVICE] {
            assert!(pass::ends_validated(target.optimise) && pass::ends_validated(target.improve), "{target:?}");
            assert!(target.flatten.is_empty() || pass::ends_validated(target.flatten), "{target:?}");
        }
        assert!(device.contains(&"flatten".to_string()) && !device.contains(&"lower".to_string()), "{device:?}");
    }
}
