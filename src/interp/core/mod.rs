//! Evaluation of core: the meaning of every program, which the back ends are compared with.
//!
//! A definition is compiled when it is first needed (`compile`): variables become slots, last uses are marked so that
//! updates happen in place, primitives are looked up. Evaluation is call by value on a stack of frames; maps that turn
//! out to take long run on several threads, with the same results and the same failure as on one.
//!
//! Types are needed at run time for empty arrays only; type parameters are passed as layouts for that.

mod code;
mod compile;
mod depth;
mod derive;
mod entry;
mod live;
mod map;
mod primitives;
mod run;
mod scope;
mod shapes;
pub mod trace;
mod types;

use super::{Failure, Outcome};
use crate::base::{Span, Symbol};
use crate::diag::Diagnostic;
use crate::ir::attributes::Attribute;
use crate::ir::core::names::FreeNames;
use crate::ir::core::{Program, Type, constants};
use crate::runtime::Value;
use code::{Callee, Function};
use run::Run;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::OnceLock;

struct Definition {
    define: crate::ir::core::Define,
    arity: usize,
    function: OnceLock<Outcome<Function>>,
    value: OnceLock<Outcome<Value>>,
    /// The constants that it needs.
    constants: OnceLock<Vec<usize>>,
}

/// A program ready to run.
pub struct Machine {
    definitions: Vec<Definition>,
    names: FxHashMap<Symbol, usize>,
    /// What the parameters of definitions are called, for messages about arguments from outside.
    parameters: FxHashMap<Symbol, Vec<Option<Symbol>>>,
    threads: usize,
    pool: OnceLock<Option<rayon::ThreadPool>>,
    input: Option<Value>,
    /// Expressions whose values are shown, with what stands in front of them.
    traces: FxHashMap<Span, Symbol>,
    /// Conditionals that are their second branch.
    on_processors: FxHashSet<Span>,
}

impl std::fmt::Debug for Machine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Machine").field("definitions", &self.definitions.len()).field("threads", &self.threads).finish()
    }
}

/// Makes a program ready to run on at most `threads` threads, or on one per processor if that is 0.
pub fn load(program: &Program, threads: usize) -> Machine {
    let available = || std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let mut machine = Machine {
        definitions: Vec::with_capacity(program.defs.len()),
        names: FxHashMap::default(),
        parameters: FxHashMap::default(),
        threads: if threads == 0 { available() } else { threads },
        pool: OnceLock::new(),
        input: None,
        traces: program.attributes.traces.iter().copied().collect(),
        on_processors: program.attributes.all(Attribute::OnProcessors).collect(),
    };
    for define in &program.defs {
        machine.names.insert(define.name, machine.definitions.len());
        machine.definitions.push(Definition {
            define: define.clone(),
            arity: compile::arity(&define.body),
            function: OnceLock::new(),
            value: OnceLock::new(),
            constants: OnceLock::new(),
        });
    }
    machine
}

/// Runs a definition on arguments, on at most `threads` threads or on one per processor. Sizes follow from the arguments; boxes in the
/// result are opened.
pub fn run(program: &Program, name: Symbol, arguments: Vec<Value>, threads: Option<usize>) -> Result<Value, Box<Diagnostic>> {
    load(program, threads.unwrap_or(0)).call(name, arguments).map_err(|failure| Box::new(failure.diagnostic()))
}

/// What a definition sees of the others: those before it, and itself if it is recursive.
struct Earlier<'a> {
    machine: &'a Machine,
    than: usize,
}

impl compile::Globals for Earlier<'_> {
    fn find(&self, name: Symbol) -> Option<(usize, &Type)> {
        let id = *self
            .machine
            .names
            .get(&name)
            .filter(|id| **id < self.than || **id == self.than && self.machine.definitions[**id].define.recursive)?;
        Some((id, &self.machine.definitions[id].define.ty))
    }
    fn arity(&self, id: usize) -> usize {
        self.machine.definitions[id].arity
    }
    fn trace(&self, span: Span) -> Option<Symbol> {
        self.machine.traces.get(&span).copied()
    }
    fn is_on_processors(&self, span: Span) -> bool {
        self.machine.on_processors.contains(&span)
    }
}

impl Machine {
    /// The machine with numbers that the program can read (`read_nums`).
    pub fn with_input(self, numbers: Vec<i64>) -> Machine {
        Machine { input: Some(Value::vector(numbers)), ..self }
    }
    fn input(&self) -> Option<&Value> {
        self.input.as_ref()
    }
    fn threads(&self) -> usize {
        self.threads
    }
    /// The threads, started when first needed; `None` where the system gives none with stacks that are large enough.
    fn pool(&self) -> Option<&rayon::ThreadPool> {
        let start = || {
            let stack = depth::stack(self.definitions.iter().map(|definition| &definition.define));
            rayon::ThreadPoolBuilder::new().num_threads(self.threads).stack_size(stack).build().ok()
        };
        self.pool.get_or_init(start).as_ref()
    }
    /// The code of a definition.
    fn function(&self, id: usize) -> Outcome<&Function> {
        let definition = &self.definitions[id];
        let function = definition.function.get_or_init(|| compile::define(&Earlier { machine: self, than: id }, &definition.define.body));
        function.as_ref().map_err(Clone::clone)
    }
    /// Computes the constants that a definition needs.
    fn constants(&self, id: usize) -> Outcome<()> {
        let needed = self.definitions[id].constants.get_or_init(|| {
            let find = |name: Symbol| self.names.get(&name).map(|id| (*id, &self.definitions[*id].define));
            constants::needed(&self.definitions[id].define, &mut FreeNames::default(), &find)
        });
        needed.iter().try_for_each(|constant| self.global(*constant, true).map(|_| ()))
    }
    /// The value of a definition; constants are evaluated once.
    fn global(&self, id: usize, parallel: bool) -> Outcome<Value> {
        let definition = &self.definitions[id];
        if let Some(value) = definition.value.get() {
            return value.clone();
        }
        let value = if definition.arity > 0 {
            Ok(Callee::Global(id, definition.arity).value())
        } else {
            self.function(id).and_then(|function| Run::new(self, parallel).call_values(function, &[], []))
        };
        definition.value.get_or_init(|| value).clone()
    }
}

#[cfg(test)]
mod tests;
