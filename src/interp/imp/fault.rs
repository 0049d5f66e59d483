//! Why a run ends early.

use super::Machine;
use crate::base::{Code, Span};
use crate::interp::Failure;
use crate::ir::imp::{Fun, Stmt, print};

/// Why a run ends early.
#[derive(Debug)]
pub(super) enum Stop {
    /// The program fails, as it is meant to.
    Failure(Box<Failure>),
    /// It exceeds its number of statements.
    Long,
    /// A fault.
    Fault(Box<Fault>),
}

/// What a program must not do.
#[derive(Debug)]
pub(super) struct Fault {
    what: String,
    /// The innermost statement, and the place in the source, once they are known.
    place: Option<(String, Span)>,
}

pub(super) type Run<T = ()> = Result<T, Stop>;

/// A fault whose place is not known yet.
#[cold]
pub(super) fn fault<T>(what: impl Into<String>) -> Run<T> {
    Err(Stop::Fault(Box::new(Fault { what: what.into(), place: None })))
}

impl Stop {
    /// As a failure of the program.
    pub fn failure(self, pass: &str) -> Box<Failure> {
        match self {
            Stop::Failure(failure) => failure,
            Stop::Long => {
                Failure::new(Code::LongEvaluation, Span::default(), "the run takes too long for the evaluator of programs with memory")
            }
            Stop::Fault(fault) => {
                let (at, span) = fault.place.unwrap_or_default();
                Failure::new(Code::MalformedCore, span, format!("the program that `{pass}` made is wrong: {}{at}", fault.what))
            }
        }
    }
}

impl<'p> Machine<'p> {
    /// A fault with the statement in which it happened, unless it has one.
    #[cold]
    pub fn located(&self, stop: Stop, fun: &Fun, stmt: &Stmt) -> Stop {
        match stop {
            Stop::Fault(mut fault) => {
                if fault.place.is_none() {
                    let line = print::stmt(self.program, fun, stmt);
                    let writer = self.memory.raced.map(|by| format!("\n  it was written by: {}", self.writer(by))).unwrap_or_default();
                    fault.place = Some((format!("\n  in `{}`: {}{writer}", fun.name, line.trim()), self.place));
                }
                Stop::Fault(fault)
            }
            failure @ (Stop::Failure(_) | Stop::Long) => failure,
        }
    }
    /// The statement with this number, for messages.
    pub fn writer(&self, number: u32) -> String {
        match self.writers.get((number as usize).wrapping_sub(1)) {
            Some((stmt, fun)) => {
                let fun = &self.program.funs[crate::base::Idx::new(*fun)];
                print::stmt(self.program, fun, stmt).trim().to_string()
            }
            None => "the caller".to_string(),
        }
    }
}
