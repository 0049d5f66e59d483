//! Calls from outside.

use super::run::Run;
use super::{Failure, Machine, Outcome};
use crate::base::{Code, Scalar, Span, Symbol, ice};
use crate::interp::entry::{measured, opened};
use crate::ir::core::{Param, Type};
use crate::runtime::Value;

impl Machine {
    /// The parameters of a definition without its index parameters, and its result; `None` when there is no such definition.
    pub fn signature(&self, name: Symbol) -> Option<(Vec<Param>, Type)> {
        let id = *self.names.get(&name)?;
        let (params, ret) = self.definitions[id].define.ty.interface();
        Some((params.to_vec(), ret.clone()))
    }
    /// Says what the parameters of a definition are called, for messages.
    pub fn name_parameters(&mut self, definition: Symbol, names: Vec<Option<Symbol>>) {
        self.parameters.insert(definition, names);
    }
    /// The names of all entry points, in order.
    pub fn entries(&self) -> Vec<Symbol> {
        self.definitions.iter().filter(|d| d.define.entry).map(|d| d.define.name).collect()
    }
    fn find(&self, name: Symbol) -> Outcome<usize> {
        let missing = || Failure::new(Code::UnfitArguments, Span::default(), format!("there is no definition `{name}`"));
        self.names.get(&name).copied().ok_or_else(missing)
    }
    /// The sizes that the index parameters of a definition get when it is run on these arguments.
    pub fn indices(&self, name: Symbol, args: &[Value]) -> Outcome<Vec<i64>> {
        let define = &self.definitions[self.find(name)?].define;
        let called = self.parameters.get(&name).map_or(&[][..], |names| names);
        measured(&define.ty, name, args, called, define.span).map(|(sizes, _)| sizes)
    }
    /// Runs a definition on these arguments. Index parameters get the sizes of the arguments; boxes in the result are opened.
    pub fn call(&self, name: Symbol, args: Vec<Value>) -> Outcome<Value> {
        self.call_closed(name, args).map(opened)
    }
    /// `call` with the boxes in the result left as they are.
    pub fn call_closed(&self, name: Symbol, args: Vec<Value>) -> Outcome<Value> {
        ice::named("evaluate", || {
            let id = self.find(name)?;
            let span = self.definitions[id].define.span;
            let indices = self.indices(name, &args)?;
            let all: Vec<Value> = indices.into_iter().map(|size| Value::Scalar(Scalar::I64(size))).chain(args).collect();
            self.constants(id)?;
            let value = self.global(id, true)?;
            if all.is_empty() { Ok(value) } else { Run::new(self, true).apply(&value, all, span) }
        })
    }
}
