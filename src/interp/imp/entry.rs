//! Entry points: values from outside become buffers, and buffers values.

use super::fault::{Run, fault};
use super::memory::{Kind, Memory};
use super::stmt::Passed;
use super::{Machine, Plan};
use crate::base::{Code, PrimType, Scalar, Span, Symbol};
use crate::interp::components::{operands, result};
use crate::interp::{Failure, Outcome};
use crate::ir::imp::{FunId, Program, Table};
use crate::ir::{core, soac};
use crate::runtime::{Array, Buffer, Value};
use rustc_hash::FxHashMap;

/// Runs an entry point of a program with memory that was made from a first-order program, which is made from a definition of this type.
///
/// # Errors
/// What the program fails with; arguments that the type does not take; faults (E0599).
pub fn call(
    program: &Program,
    source: &soac::Program,
    plan: Plan,
    ty: &core::Type,
    name: Symbol,
    args: &[Value],
    called: &[Option<Symbol>],
) -> Outcome<Value> {
    let found = source.funs.iter().find(|(_, fun)| fun.entry && fun.name == name);
    let Some((id, fun)) = found else {
        return Err(Failure::new(Code::UnfitArguments, Span::default(), format!("there is no definition `{name}`")));
    };
    let (operands, measured) = operands(ty, name, args, called, fun.span)?;
    let values = Machine::new(program, plan)
        .and_then(|machine| machine.enter(source, FunId::new(id.raw()), operands))
        .map_err(|stop| stop.failure(plan.pass).through(&source.chains))?;
    result(ty, &mut values.into_iter(), &measured)
}

impl<'p> Machine<'p> {
    fn new(program: &'p Program, plan: Plan<'p>) -> Run<Machine<'p>> {
        let mut memory = Memory::default();
        let mut tables = Vec::with_capacity(program.tables.len());
        for Table { elem, items } in &program.tables {
            let name = Symbol::new("table");
            let id = memory.filled(name, *elem, items.len(), &mut |k| items.get(k).copied());
            tables.push(id.map_or_else(|| fault("no memory for a constant array"), Ok)?);
        }
        Ok(Machine {
            program,
            plan,
            memory,
            writers: Vec::new(),
            numbers: FxHashMap::default(),
            tables,
            divided: false,
            steps: 0,
            depth: 0,
            looked: std::cell::Cell::new(0),
            place: Span::default(),
        })
    }

    /// Runs an entry point on its operands.
    fn enter(mut self, source: &soac::Program, id: FunId, operands: Vec<Value>) -> Run<Vec<Value>> {
        let fun = &source.funs[soac::FunId::new(id.raw())];
        let mut sizes: FxHashMap<soac::Var, i64> = FxHashMap::default();
        let (mut passed, mut lent) = (Vec::new(), Vec::new());
        for (var, value) in fun.params.iter().zip(&operands) {
            match value {
                Value::Scalar(scalar) => {
                    if let Scalar::I64(n) = scalar {
                        sizes.insert(*var, *n);
                    }
                    let parts = scalar.parts().map_or_else(|| vec![*scalar], |(re, im)| vec![re, im]);
                    passed.extend(parts.into_iter().map(|part| Passed::Scalar(Some(part))));
                }
                Value::Array(array) => {
                    let name = source.vars[*var].name;
                    let buffer = match array.prim().part() {
                        Some(part) => {
                            let item = &mut |k: usize| array.at(k / 2)?.parts().map(|(re, im)| if k.is_multiple_of(2) { re } else { im });
                            self.memory.filled(name, part, 2 * array.count(), item)
                        }
                        None => self.memory.filled(name, array.prim(), array.count(), &mut |k| array.at(k)),
                    };
                    let Some(buffer) = buffer else { return fault("no memory for an argument") };
                    lent.push(buffer);
                    passed.push(Passed::Array(buffer));
                }
                Value::Tuple(_) | Value::Cells(_) | Value::Box(_) | Value::Sum(_) | Value::Opaque(_) => {
                    return fault("an argument that is no data");
                }
            }
        }
        let starts = vec![0; passed.len()];
        let results = self.function(id, passed, &starts)?;
        let mut results = results.into_iter();
        let mut of_vars = Vec::with_capacity(fun.results.len());
        for var in &fun.results {
            let words: Vec<Passed> = results.by_ref().take(source.ty(*var).words()).collect();
            if let [Passed::Scalar(Some(Scalar::I64(n)))] = words[..] {
                sizes.insert(*var, n);
            }
            of_vars.push((*var, words));
        }
        let mut values = Vec::with_capacity(of_vars.len());
        for (var, words) in of_vars {
            values.push(self.value(source.ty(var), &words, &sizes)?);
        }
        match self.memory.owned().next() {
            Some(buffer) => fault(format!("a leak: the buffer `{}` is not released", buffer.name)),
            None => Ok(values),
        }
    }

    /// A result; its buffer is released.
    fn value(&mut self, ty: &soac::Type, passed: &[Passed], sizes: &FxHashMap<soac::Var, i64>) -> Run<Value> {
        let undefined = "a result is undefined: it depends on memory that was never written";
        let buffer = match *passed {
            [Passed::Scalar(Some(scalar))] => return Ok(Value::Scalar(scalar)),
            [Passed::Scalar(Some(re)), Passed::Scalar(Some(im))] => {
                return Scalar::complex(re, im).map_or_else(|| fault("parts of a complex number that are none"), |z| Ok(Value::Scalar(z)));
            }
            [Passed::Array(buffer)] => buffer,
            _ => return fault(undefined),
        };
        let shape = ty.shape.iter().map(|size| size.evaluate(&mut |v| sizes.get(&v).copied()).and_then(|n| usize::try_from(n).ok()));
        let Some(shape) = shape.collect::<Option<Vec<usize>>>() else { return fault("a result has no shape") };
        let count = shape.iter().product();
        let Ok(mut data) = Buffer::with_capacity(ty.elem, count) else { return fault("no memory for a result") };
        let element = |this: &mut Self, k: usize| {
            this.memory.position(buffer, k as i64, "returned")?;
            this.memory.peek(buffer, k).map_or_else(|| fault(undefined), Ok)
        };
        for k in 0..count {
            let scalar = if ty.elem.is_complex() {
                let (re, im) = (element(self, 2 * k)?, element(self, 2 * k + 1)?);
                Scalar::complex(re, im).map_or_else(|| fault("parts of a complex number that are none"), Ok)?
            } else {
                element(self, k)?
            };
            data.push(scalar);
        }
        self.memory.release(buffer)?;
        match Array::new(&shape, data) {
            Some(array) => Ok(Value::Array(array)),
            None => fault("a result does not have the elements of its type"),
        }
    }
}

impl Memory {
    /// A buffer that the caller has filled.
    fn filled(
        &mut self,
        name: Symbol,
        elem: PrimType,
        count: usize,
        item: &mut dyn FnMut(usize) -> Option<Scalar>,
    ) -> Option<super::memory::BufferId> {
        let id = self.alloc(name, elem, count, Kind::Owned)?;
        for k in 0..count {
            self.store(id, k as i64, item(k), 0).ok()?;
        }
        self.lend(id);
        Some(id)
    }
}
