//! Evaluation of erased core, in one go. It never asks what kind of atoms an array has: an array without atoms is a shape.
//!
//! Plain on purpose: environments of names, arrays as lists of atoms, primitives as [`crate::runtime::block`] defines them. The evaluator of
//! core, which has types to go by and is fast, must agree with it.

mod run;
mod value;

pub use crate::runtime::block::Index;
pub use value::{Boxed, Closure, Value};

use crate::base::{Code, Span, Symbol};
use crate::runtime::block::Fault;
use crate::theory::erased::{Expr, Program};
use run::{Env, Run};
use rustc_hash::FxHashMap;
use std::cell::RefCell;

/// Why a program has no value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// E05xx. E0599 says that the program was malformed, which the erasure of a checked program never is.
    pub code: Code,
    /// Where in the source.
    pub span: Span,
    /// What happened, with the values.
    pub message: String,
}

impl Failure {
    fn at(fault: Fault, span: Span) -> Box<Failure> {
        Box::new(Failure { code: fault.code, span, message: fault.message })
    }
}

/// A value or a failure.
pub type Outcome<T> = Result<T, Box<Failure>>;

/// A program ready to run.
#[derive(Debug)]
pub struct Machine<'p> {
    program: &'p Program,
    names: FxHashMap<Symbol, usize>,
    values: RefCell<FxHashMap<usize, Outcome<Value>>>,
}

/// Makes a program ready to run.
pub fn load(program: &Program) -> Machine<'_> {
    let names = program.defs.iter().enumerate().map(|(id, define)| (define.name, id)).collect();
    Machine { program, names, values: RefCell::default() }
}

/// The value of a closed expression.
pub fn eval(expr: &Expr) -> Outcome<Value> {
    let program = Program::default();
    Run { machine: &load(&program) }.expr(&mut Env::default(), expr)
}

impl Machine<'_> {
    /// Runs a definition on indices and arguments; either may be left out where it takes none.
    pub fn call(&self, name: Symbol, indices: &[Index], args: Vec<Value>) -> Outcome<Value> {
        let span = self.names.get(&name).map_or(Span::default(), |id| self.program.defs[*id].span);
        let Some(function) = self.global(name)? else {
            return Err(Box::new(Failure { code: Code::UnfitArguments, span, message: format!("there is no definition `{name}`") }));
        };
        let run = Run { machine: self };
        let function = if indices.is_empty() { function } else { run.instantiate(&function, indices, span)? };
        if args.is_empty() { Ok(function) } else { run.apply(&function, args, span) }
    }

    /// The value of a definition, which is evaluated once; `None` when there is no such definition.
    fn global(&self, name: Symbol) -> Outcome<Option<Value>> {
        let Some(id) = self.names.get(&name) else { return Ok(None) };
        if let Some(value) = self.values.borrow().get(id) {
            return value.clone().map(Some);
        }
        let value = Run { machine: self }.expr(&mut Env::default(), &self.program.defs[*id].body);
        self.values.borrow_mut().insert(*id, value.clone());
        value.map(Some)
    }
}
