//! Evaluation of first-order programs ([`ir::soac`](crate::ir::soac)): what the passes between core and the back ends are tested with.
//! It does what the statements say, one after the other.

mod parallel;
mod regions;
mod rows;
mod single;

use super::arrays::{HOLE, natural};
use super::components::{operands, result};
use super::failure::{DEPTH, Failure, Outcome, broken, too_deep};
use crate::base::Code;
use crate::base::{Scalar, Span, Symbol};
use crate::ir::core;
use crate::ir::soac::visit::Part;
use crate::ir::soac::{Body, Exp, Fun, FunId, Lambda, LoopForm, Operand, Operator, Program, Size, Stm, Type, Var, single_exp};
use crate::runtime::{Array, Value};
use regions::Regions;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// Runs an entry point of a program that was made from a definition of this type.
///
/// Messages call the arguments by the names in `called`, where they have names.
///
/// # Errors
/// What the program fails with; arguments that the type does not take.
pub fn call(program: &Program, ty: &core::Type, name: Symbol, args: Vec<Value>, called: &[Option<Symbol>]) -> Outcome<Value> {
    run(program, ty, name, args, called, None)
}

/// [`call`] for a program whose updates are to be done in place. The result is the same; it fails (E0599) where doing them in place would
/// make it another.
///
/// # Errors
/// Those of [`call`], and E0599.
pub fn call_in_place(program: &Program, ty: &core::Type, name: Symbol, args: Vec<Value>, called: &[Option<Symbol>]) -> Outcome<Value> {
    run(program, ty, name, args, called, Some(Regions::new(program)))
}

fn run(
    program: &Program,
    ty: &core::Type,
    name: Symbol,
    args: Vec<Value>,
    called: &[Option<Symbol>],
    regions: Option<Regions>,
) -> Outcome<Value> {
    let Some(fun) = program.entry(name) else {
        return Err(Failure::new(Code::UnfitArguments, Span::default(), format!("there is no definition `{name}`")));
    };
    let (operands, measured) = operands(ty, name, &args, called, fun.span)?;
    let mut run = Run {
        program,
        slots: vec![HOLE; program.vars.len()],
        waiting: FxHashMap::default(),
        regions,
        depth: 0,
        bound: FxHashMap::default(),
    };
    run.stms(&program.consts).map_err(|failure| failure.through(&program.chains))?;
    if let Some(regions) = &mut run.regions {
        regions.fresh(program, &fun.params, false);
        program.consts.iter().for_each(|stm| regions.fresh(program, &stm.pat, false));
    }
    let mut results = run.call(fun, operands).map_err(|failure| failure.through(&program.chains))?.into_iter();
    result(ty, &mut results, &measured)
}

/// Whether an expression makes an array in a way that cannot fail, of elements that need not be computed.
fn may_wait(exp: &Exp) -> bool {
    matches!(exp, Exp::Rep(_) | Exp::Iota { .. } | Exp::Reshape(_) | Exp::Rearrange { .. } | Exp::Rotate { .. })
}

struct Run<'p> {
    program: &'p Program,
    slots: Vec<Value>,
    /// Arrays that nothing has used yet. A program may mention huge ones that it never looks at: those of a loop that is never run, for example.
    waiting: FxHashMap<Var, &'p Stm>,
    /// Where arrays lie, if updates in place are checked.
    regions: Option<Regions>,
    /// How many calls of functions that call themselves have not returned.
    depth: usize,
    /// The variables of these functions.
    bound: FxHashMap<FunId, Rc<[Var]>>,
}

/// The parameters of a function and all variables that are bound in it.
fn bound_in(fun: &Fun) -> Rc<[Var]> {
    let mut bound: FxHashSet<Var> = fun.params.iter().copied().collect();
    crate::ir::soac::visit::bound_by(&fun.body.stms, &mut bound);
    bound.into_iter().collect()
}

impl<'p> Run<'p> {
    fn call(&mut self, fun: &'p Fun, args: Vec<Value>) -> Outcome<Vec<Value>> {
        for (param, arg) in fun.params.iter().zip(args) {
            self.set(*param, arg);
        }
        self.body(&fun.body)
    }
    /// Calls a function that may be running already: then its variables are kept.
    fn call_again(&mut self, id: FunId, operands: &[Operand], span: Span) -> Outcome<Vec<Value>> {
        let program = self.program;
        let fun = &program.funs[id];
        let args: Vec<Value> = operands.iter().map(|a| self.operand(*a)).collect();
        if !fun.recursive {
            return self.call(fun, args);
        }
        if self.depth >= DEPTH {
            return Err(too_deep(fun.name, self.depth, &args, span));
        }
        let own = self.bound.entry(id).or_insert_with(|| bound_in(fun)).clone();
        let values: Vec<Value> = own.iter().map(|var| std::mem::replace(&mut self.slots[var.raw()], HOLE)).collect();
        let waiting: Vec<(Var, &Stm)> = own.iter().filter_map(|var| self.waiting.remove_entry(var)).collect();
        let kept = self.regions.as_ref().map(|regions| regions.keep(&own));
        self.regions.iter_mut().for_each(|regions| regions.pass(&fun.params, operands));
        self.depth += 1;
        let results = self.call(fun, args)?;
        self.depth -= 1;
        if let (Some(regions), Some(kept)) = (&mut self.regions, kept) {
            regions.put_back(&own, kept);
        }
        for var in own.iter() {
            self.waiting.remove(var);
        }
        self.waiting.extend(waiting);
        own.iter().zip(values).for_each(|(var, value)| self.slots[var.raw()] = value);
        Ok(results)
    }
    fn set(&mut self, var: Var, value: Value) {
        self.slots[var.raw()] = value;
    }
    fn get(&self, var: Var) -> &Value {
        &self.slots[var.raw()]
    }
    fn operand(&self, operand: Operand) -> Value {
        match operand {
            Operand::Const(scalar) => Value::Scalar(scalar),
            Operand::Var(var) => self.get(var).clone(),
        }
    }
    fn int(&self, operand: Operand) -> Outcome<i64> {
        self.operand(operand).as_i64().ok_or_else(|| broken("an i64 was expected"))
    }
    fn scalar(&self, operand: Operand) -> Outcome<Scalar> {
        self.operand(operand).as_scalar().ok_or_else(|| broken("a scalar was expected"))
    }
    fn truth(&self, operand: Operand) -> Outcome<bool> {
        self.operand(operand).as_bool().ok_or_else(|| broken("a truth value was expected"))
    }
    fn size(&self, size: &Size) -> Outcome<i64> {
        size.evaluate(&mut |var| self.get(var).as_i64()).ok_or_else(|| broken("a size was expected"))
    }
    fn natural(&self, size: &Size, span: Span) -> Outcome<usize> {
        natural(self.size(size)?, span)
    }
    fn shape(&self, sizes: &[Size], span: Span) -> Outcome<Vec<usize>> {
        sizes.iter().map(|size| self.natural(size, span)).collect()
    }
    /// The array without elements of a type. Inner sizes that are negative belong to arrays that do not exist.
    fn empty(&self, ty: &Type) -> Outcome<Value> {
        let sizes = ty.shape.iter().map(|size| Ok(usize::try_from(self.size(size)?).unwrap_or(0))).collect::<Outcome<Vec<_>>>()?;
        Array::empty(&sizes, ty.elem).map(Value::Array).ok_or_else(|| broken("an empty array that has elements"))
    }
    /// Computes an array that waits.
    fn force(&mut self, var: Var) -> Outcome<()> {
        let Some(stm) = self.waiting.remove(&var) else { return Ok(()) };
        self.force_parts(&stm.exp)?;
        let value = self.single(&stm.exp, self.program.ty(var), stm.span)?;
        self.set(var, value);
        Ok(())
    }
    /// Computes what an expression needs that waits.
    fn force_parts(&mut self, exp: &Exp) -> Outcome<()> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        let mut needed = Vec::new();
        exp.parts(&mut |part| match part {
            Part::Operand(Operand::Var(var)) | Part::Array(var) => needed.push(var),
            Part::Operand(Operand::Const(_)) | Part::Size(_) | Part::Body(..) => {}
        });
        needed.into_iter().try_for_each(|var| self.force(var))
    }
    fn body(&mut self, body: &'p Body) -> Outcome<Vec<Value>> {
        self.stms(&body.stms)?;
        body.result.iter().filter_map(|a| a.var()).try_for_each(|var| self.force(var))?;
        if let Some(regions) = &mut self.regions {
            regions.returns(self.program, &body.result)?;
        }
        Ok(body.result.iter().map(|a| self.operand(*a)).collect())
    }
    fn stms(&mut self, stms: &'p [Stm]) -> Outcome<()> {
        for stm in stms {
            if let Some(regions) = &mut self.regions {
                regions.before(self.program, stm)?;
            }
            if let ([var], true) = (stm.pat.as_slice(), may_wait(&stm.exp)) {
                self.waiting.insert(*var, stm);
                if let Some(regions) = &mut self.regions {
                    regions.after(self.program, stm)?;
                }
                continue;
            }
            self.force_parts(&stm.exp)?;
            let values = self.exp(stm)?;
            if let Some(regions) = &mut self.regions {
                regions.after(self.program, stm)?;
            }
            if values.len() != stm.pat.len() {
                return Err(broken("a statement with the wrong number of results"));
            }
            for (var, value) in stm.pat.iter().zip(values) {
                self.set(*var, value);
            }
        }
        Ok(())
    }
    fn lambda(&mut self, lambda: &'p Lambda, args: impl Iterator<Item = Value>) -> Outcome<Vec<Value>> {
        for (param, arg) in lambda.params.iter().zip(args) {
            self.slots[param.raw()] = arg;
        }
        self.body(&lambda.body)
    }
    /// Applies a lambda to the cells with this number.
    fn cell(&mut self, lambda: &'p Lambda, inputs: &[Value], i: usize) -> Outcome<Vec<Value>> {
        let cells = inputs.iter().map(|input| input.cell(i).ok_or_else(|| broken("an input is too short"))).collect::<Outcome<Vec<_>>>()?;
        self.lambda(lambda, cells.into_iter())
    }
    fn combine(&mut self, operator: &'p Operator, a: Vec<Value>, b: Vec<Value>) -> Outcome<Vec<Value>> {
        self.lambda(&operator.lambda, a.into_iter().chain(b))
    }

    fn exp(&mut self, stm: &'p Stm) -> Outcome<Vec<Value>> {
        let span = stm.span;
        match &stm.exp {
            Exp::Check(check) => self.check(check, span).map(|()| Vec::new()),
            Exp::Soac(soac) => self.soac(soac, &stm.pat, span),
            Exp::Seg(seg) => self.seg(seg, &stm.pat, span),
            Exp::Filter { width, inputs, lambda } => self.filter(width, inputs, lambda, &stm.pat, span),
            Exp::Rows { width, inputs, lambda } => self.rows(width, inputs, lambda, &stm.pat, span),
            Exp::Scatter { width, inputs, lambda, dests } => self.write(width, inputs, lambda, dests, None, span),
            Exp::Hist { width, inputs, lambda, dests, operator } => self.write(width, inputs, lambda, dests, Some(operator), span),
            Exp::If { cond, then, els } => {
                let cond = self.truth(*cond)?;
                self.body(if cond { then } else { els })
            }
            Exp::Loop { params, form, body } => self.looping(params, form, body),
            Exp::Call(fun, args) => self.call_again(*fun, args, span).map_err(|mut failure| {
                failure.calls.push(span);
                failure
            }),
            exp @ single_exp!() => match stm.pat.as_slice() {
                [var] => {
                    let program = self.program;
                    Ok(vec![self.single(exp, program.ty(*var), span)?])
                }
                _ => Err(broken("a statement with the wrong number of results")),
            },
        }
    }

    fn looping(&mut self, params: &[(Var, Operand)], form: &'p LoopForm, body: &'p Body) -> Outcome<Vec<Value>> {
        let mut values: Vec<Value> = params.iter().map(|(_, init)| self.operand(*init)).collect();
        let count = match form {
            LoopForm::For(_, n) => self.int(*n)?,
            LoopForm::While(_) => i64::MAX,
        };
        let (vars, inits): (Vec<Var>, Vec<Operand>) = params.iter().copied().unzip();
        if let Some(regions) = &mut self.regions {
            regions.returns(self.program, &inits)?;
        }
        let mut i = 0;
        while i < count {
            if let Some(regions) = &mut self.regions {
                regions.pass_returned(&vars);
            }
            for ((var, _), value) in params.iter().zip(std::mem::take(&mut values)) {
                self.set(*var, value);
            }
            match form {
                LoopForm::For(counter, _) => self.set(*counter, Value::Scalar(Scalar::I64(i))),
                LoopForm::While(cond) => {
                    let again = self.body(cond)?.first().and_then(Value::as_bool);
                    if !again.ok_or_else(|| broken("a truth value was expected"))? {
                        if let Some(regions) = &mut self.regions {
                            regions.returns(self.program, &vars.iter().copied().map(Operand::Var).collect::<Vec<_>>())?;
                        }
                        return Ok(params.iter().map(|(var, _)| self.get(*var).clone()).collect());
                    }
                }
            }
            values = self.body(body)?;
            i += 1;
        }
        Ok(values)
    }
}
