//! Running programs by the evaluators, many of them checked as one.

use super::compare::agree;
use super::tree::Program;
use crate::support::batch::{Batch, Verdict};
use remora::base::{Code, Symbol};
use remora::cli::values::{Signature, show};
use remora::driver::{self, memory};
use remora::interp;
use remora::ir::core::Define;
use remora::ir::soac;
use remora::runtime::Value;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

/// What becomes of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    Value(String),
    /// It fails with this code.
    Failed(String),
    /// The compiler, or what it made, breaks down.
    Broken(String),
}

/// What runs programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    Core,
    Soac,
    Kernel,
    /// The program with memory as each pass makes it, for processors and for devices.
    Imp,
    ImpDevice,
}

impl Stage {
    pub fn name(self) -> &'static str {
        match self {
            Stage::Core => "core",
            Stage::Soac => "soac",
            Stage::Kernel => "kernel",
            Stage::Imp => "imp",
            Stage::ImpDevice => "imp-device",
        }
    }
}

thread_local! {
    static PANIC: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// What a piece of work panics with instead of its result.
pub fn caught<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        std::panic::set_hook(Box::new(|info| {
            let place = info.location().map_or(String::new(), |at| format!("{}:{}", at.file(), at.line()));
            let text = info.payload().downcast_ref::<&str>().map(|text| (*text).to_string());
            let text = text.or_else(|| info.payload().downcast_ref::<String>().cloned()).unwrap_or_default();
            PANIC.with(|panic| *panic.borrow_mut() = Some(format!("panic at {place}: {text}")));
        }));
    });
    catch_unwind(AssertUnwindSafe(work)).map_err(|_| PANIC.with(|panic| panic.borrow_mut().take()).unwrap_or_else(|| "panic".into()))
}

/// The outcome of a run that may panic.
pub fn outcome(run: impl FnOnce() -> Result<Value, (Code, String)>) -> Outcome {
    match caught(|| run().map(|value| shown(&value))) {
        Ok(Ok(text)) => Outcome::Value(text),
        Ok(Err((code, message))) if code == Code::MalformedCore => Outcome::Broken(format!("{code}: {message}")),
        Ok(Err((code, _))) => Outcome::Failed(code.to_string()),
        Err(panic) => Outcome::Broken(panic),
    }
}

fn shown(value: &Value) -> String {
    show(value).trim_end().replace('\n', " ")
}

/// Programs that were checked together.
pub struct Checked {
    batch: Batch,
    /// Why programs are not run, by their numbers.
    pub refused: Vec<Option<String>>,
}

impl Checked {
    /// Checks programs. Where that panics they are checked one by one by whoever asks.
    pub fn new(programs: &[Program]) -> Result<Checked, String> {
        let texts: Vec<String> = programs.iter().enumerate().map(|(at, program)| program.text(&format!("_{at}"))).collect();
        let batch = caught(|| Batch::new(&texts))?;
        let refused = (0..programs.len()).map(|at| why(&batch, at)).collect();
        Ok(Checked { batch, refused })
    }

    fn define(&self, at: usize) -> Option<&Define> {
        let name = self.name(at)?;
        self.batch.checked.core.defs.iter().rfind(|define| define.name == name)
    }

    /// The name in core of the entry point of a program.
    pub fn name(&self, at: usize) -> Option<Symbol> {
        Some(self.batch.def(self.batch.entry(at)?).unique)
    }

    /// The arguments of the runs of a program.
    pub fn arguments(&self, at: usize, program: &Program) -> Result<Vec<Vec<Value>>, String> {
        let define = self.define(at).ok_or("no definition")?;
        let signature = Signature::of(&self.batch.checked, define).map_err(|d| d.code.to_string())?;
        let read = |text: String| signature.stream("the input", text.as_bytes()).map_err(|d| format!("{} {}: {text}", d.code, d.message));
        program.inputs.iter().map(|input| read(input.text())).collect()
    }

    /// Runs accepted programs.
    pub fn run(&self, stage: Stage, at: usize, arguments: &[Vec<Value>], machine: &interp::core::Machine) -> Vec<Outcome> {
        let Some(define) = self.define(at) else { return vec![Outcome::Broken("no definition".into()); arguments.len()] };
        let name = define.name;
        let code = |failure: Box<interp::Failure>| (failure.code, failure.message);
        if matches!(stage, Stage::Imp | Stage::ImpDevice) {
            return self.with_memory(stage == Stage::ImpDevice, name, arguments);
        }
        if stage == Stage::Core {
            return arguments.iter().map(|values| outcome(|| machine.call(name, values.clone()).map_err(code))).collect();
        }
        let program = match caught(|| self.program(stage, name)) {
            Ok(Ok(program)) => program,
            Ok(Err(code)) | Err(code) => return vec![Outcome::Broken(code); arguments.len()],
        };
        let call = if stage == Stage::Soac { interp::soac::call_in_place } else { interp::soac::call };
        arguments.iter().map(|values| outcome(|| call(&program, &define.ty, name, values.clone(), &[]).map_err(code))).collect()
    }

    /// Runs the programs with memory that the passes make, those behind the first in one order or the other: they agree.
    fn with_memory(&self, device: bool, name: Symbol, arguments: &[Vec<Value>]) -> Vec<Outcome> {
        let (sources, checked) = (&self.batch.sources, &self.batch.checked);
        let stages = match caught(|| memory::stages(sources, checked, &[name], device)) {
            Ok(Ok(stages)) => stages.patient(),
            Ok(Err(d)) => return vec![Outcome::Broken(format!("{}: {}", d.code, d.message)); arguments.len()],
            Err(panic) => return vec![Outcome::Broken(panic); arguments.len()],
        };
        let once = |stage: usize, order: memory::Order, values: &[Value]| {
            outcome(|| memory::run_stage(checked, &stages, stage, order, name, values).map_err(|d| (d.code, d.message)))
        };
        let run = |values: &Vec<Value>| {
            let first = once(0, memory::Order::FIRST, values);
            for (stage, order) in stages.runs() {
                let next = once(stage, order, values);
                if !agree(&first, &next) {
                    return match next {
                        Outcome::Broken(_) => next,
                        _ => Outcome::Broken(format!("{}: `{}` changes {first:?} to {next:?}", Code::MalformedCore, stages.pass(stage))),
                    };
                }
            }
            first
        };
        arguments.iter().map(run).collect()
    }

    fn program(&self, stage: Stage, name: Symbol) -> Result<soac::Program, String> {
        let (sources, checked) = (&self.batch.sources, &self.batch.checked);
        let made = match stage {
            Stage::Kernel => driver::kernels(sources, checked, &[name]),
            _ => driver::optimise(sources, checked, &[name]),
        };
        made.map_err(|d| format!("{}: {}", d.code, d.message))
    }

    pub fn machine(&self) -> interp::core::Machine {
        interp::core::load(&self.batch.checked.core, 1)
    }
}

fn why(batch: &Batch, at: usize) -> Option<String> {
    match batch.verdict(at) {
        Verdict::Accepted => None,
        Verdict::Ambiguous => Some("E0402".into()),
        Verdict::Rejected(code) => {
            let message = batch.errors(at).next().map_or(String::new(), |error| error.message.clone());
            Some(format!("{} {message}", code.number()))
        }
        Verdict::Unchecked => Some("not checked".into()),
    }
}
