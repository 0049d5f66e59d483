//! Evaluation of first-order programs ([`ir::soac`](crate::ir::soac)): what the passes between core and the back ends are tested with.
//! It does what the statements say, one after the other.

mod regions;

use super::arrays::{HOLE, bad_slice, concat, gather, length, natural, outer, range_steps, slice_steps};
use super::components::{operands, result};
use super::failure::{DEPTH, Failure, Outcome, broken, misfit, negative, op_failure, out_of_bounds, too_deep};
use crate::base::Code;
use crate::base::{Scalar, Span, Symbol};
use crate::ir::core;
use crate::ir::core::Prim;
use crate::ir::soac::visit::Part;
use crate::ir::soac::{
    Body, Check, Exp, Fun, FunId, Lambda, LoopForm, Operand, Operator, Program, RangeKind, Seg, Size, Soac, Stm, Type, Var, parallel_exp,
    single_exp,
};
use crate::runtime::{Array, Buffer, Builder, Value, dims};
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

/// The same for a program whose updates are to be done in place. The result is the same; it fails (E0599) where doing them in place would
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

    fn single(&mut self, exp: &Exp, ty: &Type, span: Span) -> Outcome<Value> {
        let shortage = |s| Failure::shortage(s, span);
        let shapeless = || broken("an array whose elements do not fit its shape");
        Ok(match exp {
            Exp::Copy(a) => self.operand(*a),
            Exp::Scalar(op, args) => {
                let args = args.iter().map(|a| self.scalar(*a)).collect::<Outcome<Vec<_>>>()?;
                Value::Scalar(op.apply(&args).map_err(|error| op_failure(*op, error, &args, span))?)
            }
            Exp::Size(size) => Value::Scalar(Scalar::I64(self.size(size)?)),
            Exp::Literal(items) => {
                let mut data = Buffer::with_capacity(ty.elem, items.len()).map_err(shortage)?;
                items.iter().for_each(|item| {
                    data.push(*item);
                });
                if items.is_empty() {
                    return self.empty(ty);
                }
                Value::Array(Array::new(&self.shape(&ty.shape, span)?, data).ok_or_else(shapeless)?)
            }
            Exp::Stack(cells) => {
                let mut builder = Builder::new(cells.len());
                for cell in cells {
                    builder.push(&self.operand(*cell)).map_err(|m| misfit(m, span))?;
                }
                let cell = cells.first().ok_or_else(|| broken("an array without cells"))?;
                let cell = self.program.operand_ty(*cell).rank();
                let frame = self.shape(&ty.shape[..ty.rank().saturating_sub(cell)], span)?;
                builder.finish(&frame).ok_or_else(shapeless)?
            }
            Exp::Index { array, at, checked } => {
                let mut value = self.get(*array).clone();
                for i in at {
                    let i = self.int(*i)?;
                    let n = outer(&value)?;
                    value =
                        usize::try_from(i).ok().and_then(|i| value.cell(i)).ok_or_else(|| unless(*checked, out_of_bounds(i, n, span)))?;
                }
                value
            }
            Exp::Slice { array, start, step, checked } => self.slice(*array, *start, *step, *checked, ty, span)?,
            Exp::Rotate { array, by } => {
                let (value, by) = (self.get(*array).clone(), self.int(*by)?);
                let n = outer(&value)?;
                if n == 0 {
                    return Ok(value);
                }
                let by = by.rem_euclid(n as i64) as usize;
                let (Some(back), Some(front)) = (value.slice(by, n), value.slice(0, by)) else { return Err(shapeless()) };
                concat(&back, &front, span)?
            }
            Exp::Rearrange { array, perm } => self.rearrange(*array, perm, ty, span)?,
            Exp::Reshape(array) | Exp::Coerce(array) => {
                let rank = self.program.ty(*array).rank();
                let sizes = self.shape(&ty.shape, span)?;
                self.get(*array).reframed(rank, &sizes).ok_or_else(shapeless)?
            }
            Exp::Rep(a) => {
                let value = self.operand(*a);
                let frame = self.shape(&ty.shape[..ty.rank().saturating_sub(value.dims().len())], span)?;
                value.replicated(&frame).map_err(shortage)?
            }
            Exp::Iota { start, step } => self.iota(*start, *step, ty, span)?,
            Exp::Concat(arrays) => {
                let mut parts = arrays.iter().map(|array| self.get(*array).clone());
                let first = parts.next().ok_or_else(|| broken("nothing to join"))?;
                parts.try_fold(first, |a, b| concat(&a, &b, span))?
            }
            Exp::Update { array, at, value, checked } => {
                let (array, value) = (self.get(*array).clone(), self.operand(*value));
                let at = at.iter().map(|i| self.int(*i)).collect::<Outcome<Vec<_>>>()?;
                updated(array, &at, &value, span).map_err(|failure| unless(*checked, failure))?
            }
            Exp::UpdateSlice { array, start, step, value, checked } => self.update_slice(*array, *start, *step, *value, *checked, span)?,
            Exp::RangeCount { kind, start, step, end } => {
                let prim = match kind {
                    RangeKind::Upto => Prim::RangeUpto,
                    RangeKind::Downto => Prim::RangeDownto,
                    RangeKind::Through => Prim::RangeThrough,
                };
                let (_, _, count) = range_steps(prim, self.scalar(*start)?, self.scalar(*step)?, self.scalar(*end)?, span)?;
                Value::Scalar(Scalar::I64(count as i64))
            }
            Exp::SliceCount { start, end, step, size } => {
                let n = self.natural(size, span)?;
                let steps = slice_steps(self.int(*start)?, self.int(*end)?, self.int(*step)?, n, span)?;
                Value::Scalar(Scalar::I64(steps.count as i64))
            }
            parallel_exp!() | Exp::Check(_) | Exp::If { .. } | Exp::Loop { .. } | Exp::Call(..) => {
                return Err(broken("an expression with several results"));
            }
        })
    }

    fn slice(&mut self, array: Var, start: Operand, step: Operand, checked: bool, ty: &Type, span: Span) -> Outcome<Value> {
        let (value, start, step) = (self.get(array).clone(), self.int(start)?, self.int(step)?);
        let (count, n) = (self.size(&ty.shape[0])?, outer(&value)?);
        if checked || step == 1 {
            let end = start.wrapping_add(count);
            let bounds = usize::try_from(start).ok().zip(usize::try_from(end).ok());
            return bounds.and_then(|(i, j)| value.slice(i, j)).ok_or_else(|| unless(checked, bad_slice(start, end, n, span)));
        }
        let Ok(cells @ 1..) = usize::try_from(count) else { return self.empty(ty) };
        // No array has a cell with the largest number: a place that does not exist stays one.
        let at = move |t: i64| usize::try_from(i128::from(start) + i128::from(t) * i128::from(step)).unwrap_or(usize::MAX);
        gather(&value, cells, (0..count).map(at), span)
    }

    fn update_slice(&mut self, array: Var, start: Operand, step: Operand, value: Var, checked: bool, span: Span) -> Outcome<Value> {
        let shortage = |s| Failure::shortage(s, span);
        let shapeless = || broken("an array whose elements do not fit its shape");
        let (mut array, start, step) = (self.get(array).clone(), self.int(start)?, self.int(step)?);
        let value = self.get(value).clone();
        let (n, k) = (outer(&array)?, outer(&value)?);
        if step == 0 && k > 1 {
            let message = format!("updating {k} elements from {start} in steps of 0 writes one place");
            return Err(unless(checked, Failure::new(Code::OutOfBounds, span, message)));
        }
        for t in 0..k {
            let at = i128::from(start) + t as i128 * i128::from(step);
            let cell = value.cell(t).ok_or_else(shapeless)?;
            let Some(position) = usize::try_from(at).ok().filter(|at| *at < n) else {
                let message = format!("updating {k} elements from {start} in steps of {step} leaves the bounds of an array of size {n}");
                return Err(unless(checked, Failure::new(Code::OutOfBounds, span, message)));
            };
            if !array.set_cell(position, &cell).map_err(shortage)? {
                return Err(shapeless());
            }
        }
        Ok(array)
    }

    fn iota(&mut self, start: Operand, step: Operand, ty: &Type, span: Span) -> Outcome<Value> {
        let count = self.natural(&ty.shape[0], span)?;
        let (Some(start), Some(step)) = (self.scalar(start)?.as_i128(), self.scalar(step)?.as_i128()) else {
            return Err(broken("integers were expected"));
        };
        let mut data = Buffer::with_capacity(ty.elem, count).map_err(|s| Failure::shortage(s, span))?;
        for t in 0..count as i128 {
            data.push(Scalar::from_i128(ty.elem, start.wrapping_add(t.wrapping_mul(step))));
        }
        Ok(Value::Array(Array::new(&[count], data).ok_or_else(|| broken("a range that does not fit its shape"))?))
    }

    fn rearrange(&self, array: Var, perm: &[usize], ty: &Type, span: Span) -> Outcome<Value> {
        let old = self.get(array);
        let sizes = old.dims().to_vec();
        let new: Vec<usize> = perm.iter().map(|k| sizes[*k]).collect();
        let total = dims::count(&new);
        if total == 0 {
            return Array::empty(&new, ty.elem).map(Value::Array).ok_or_else(|| broken("an empty array that has elements"));
        }
        // The distance of neighbours along each dimension of the result, in elements of the old array.
        let mut strides = vec![1usize; sizes.len()];
        for k in (0..sizes.len().saturating_sub(1)).rev() {
            strides[k] = strides[k + 1] * sizes[k + 1];
        }
        let flat = old.reframed(sizes.len(), &[total]).ok_or_else(|| broken("an array was expected"))?;
        let position = |i: usize| {
            let (mut rest, mut at) = (i, 0);
            for (size, k) in new.iter().zip(perm).rev() {
                at += rest % size * strides[*k];
                rest /= size;
            }
            at
        };
        gather(&flat, total, (0..total).map(position), span)?.reframed(1, &new).ok_or_else(|| broken("a shape"))
    }

    fn check(&self, check: &Check, span: Span) -> Outcome<()> {
        match check {
            Check::Bounds(i, n) => {
                let (i, n) = (self.int(*i)?, self.natural(n, span)?);
                match usize::try_from(i) {
                    Ok(index) if index < n => Ok(()),
                    _ => Err(out_of_bounds(i, n, span)),
                }
            }
            Check::Coerce(found, wanted) => {
                let show = |sizes: &[Size]| sizes.iter().map(|size| Ok(format!("[{}]", self.size(size)?))).collect::<Outcome<String>>();
                let (found, wanted) = (show(found)?, show(wanted)?);
                if found == wanted {
                    return Ok(());
                }
                Err(Failure::new(Code::SizesDiffer, span, format!("the value has shape {found}, the type says {wanted}")))
            }
            Check::NonNegative(size) => self.natural(size, span).map(|_| ()),
            Check::Range(a, b) => {
                let (a, b) = (self.int(*a)?, self.int(*b)?);
                match usize::try_from(i128::from(b) - i128::from(a)) {
                    Ok(count) => length(Some(count), span).map(|_| ()),
                    Err(_) => Err(negative(b.saturating_sub(a), span)),
                }
            }
            Check::Product(n, m) => {
                let product = i128::from(self.size(n)?) * i128::from(self.size(m)?);
                length(usize::try_from(product).ok(), span).map(|_| ())
            }
            Check::Unflatten(found, n, m) => {
                let (found, n, m) = (self.natural(found, span)?, self.natural(n, span)?, self.natural(m, span)?);
                if n.checked_mul(m) == Some(found) {
                    return Ok(());
                }
                Err(Failure::new(Code::SizesDiffer, span, format!("an array of size {found} does not make {n} rows of {m}")))
            }
            Check::Assert(cond, message) => {
                if self.truth(*cond)? {
                    return Ok(());
                }
                Err(Failure::new(Code::AssertionFailed, span, format!("assertion failed: {message}")))
            }
        }
    }

    fn inputs(&self, inputs: &[Var]) -> Vec<Value> {
        inputs.iter().map(|input| self.get(*input).clone()).collect()
    }
    /// The arrays of what was collected, with the types of the variables; empty ones by their types.
    fn collected(&self, builders: Vec<Builder>, count: usize, vars: &[Var]) -> Outcome<Vec<Value>> {
        let arrays = builders.into_iter().zip(vars).map(|(builder, var)| {
            if count == 0 {
                return self.empty(self.program.ty(*var));
            }
            builder.finish(&[count]).ok_or_else(|| broken("an array without cells"))
        });
        arrays.collect()
    }

    fn soac(&mut self, soac: &'p Soac, pat: &[Var], span: Span) -> Outcome<Vec<Value>> {
        let n = self.natural(&soac.width, span)?;
        let inputs = self.inputs(&soac.inputs);
        let operators: Vec<&'p Operator> = soac.scans.iter().chain(&soac.reduces).collect();
        let mut sums: Vec<Vec<Value>> = operators.iter().map(|op| op.neutral.iter().map(|a| self.operand(*a)).collect()).collect();
        let combined: usize = operators.iter().map(|op| op.neutral.len()).sum();
        let scanned: usize = soac.scans.iter().map(|op| op.neutral.len()).sum();
        let mut scans: Vec<Builder> = (0..scanned).map(|_| Builder::new(n)).collect();
        let mut maps: Vec<Builder> = (combined..pat.len()).map(|_| Builder::new(n)).collect();
        for i in 0..n {
            let mut results = self.cell(&soac.lambda, &inputs, i)?;
            let mapped = results.split_off(combined);
            let mut results = results.into_iter();
            let mut scan = scans.iter_mut();
            for (k, operator) in operators.iter().enumerate() {
                let cell: Vec<Value> = results.by_ref().take(operator.neutral.len()).collect();
                let sum = std::mem::take(&mut sums[k]);
                sums[k] = self.combine(operator, sum, cell)?;
                if k < soac.scans.len() {
                    for value in &sums[k] {
                        let builder = scan.next().ok_or_else(|| broken("more sums than results"))?;
                        builder.push(value).map_err(|m| misfit(m, span))?;
                    }
                }
            }
            for (builder, value) in maps.iter_mut().zip(&mapped) {
                builder.push(value).map_err(|m| misfit(m, span))?;
            }
        }
        let mut out = self.collected(scans, n, &pat[..scanned])?;
        out.extend(sums.into_iter().skip(soac.scans.len()).flatten());
        out.extend(self.collected(maps, n, &pat[combined..])?);
        Ok(out)
    }

    /// One index after the other, in row-major order.
    fn seg(&mut self, seg: &'p Seg, pat: &[Var], span: Span) -> Outcome<Vec<Value>> {
        let mut sizes = Vec::with_capacity(seg.sizes.len());
        for size in &seg.sizes {
            let n = self.size(size)?;
            // Inner sizes of what does not exist may be negative.
            let none = sizes.contains(&0);
            sizes.push(if none { usize::try_from(n).unwrap_or(0) } else { self.natural(size, span)? });
        }
        let scan = seg.kind.keeps_inner_dimension();
        let operators = seg.kind.operators();
        let (inner, outer) = sizes.split_last().ok_or_else(|| broken("a space without dimensions"))?;
        let segments: usize = outer.iter().product();
        let combined: usize = operators.iter().map(|op| op.neutral.len()).sum();
        let cells = segments * inner;
        // A reduction of everything returns no array.
        let mut whole: Vec<Value> = Vec::new();
        let mut builders: Vec<Builder> =
            (0..pat.len()).map(|k| Builder::new(if k < combined && !scan { segments } else { cells })).collect();
        for segment in 0..segments {
            let mut sums: Vec<Vec<Value>> = operators.iter().map(|op| op.neutral.iter().map(|a| self.operand(*a)).collect()).collect();
            for j in 0..*inner {
                let mut rest = segment * inner + j;
                for (var, n) in seg.space.iter().zip(&sizes).rev() {
                    self.set(*var, Value::Scalar(Scalar::I64((rest % n) as i64)));
                    rest /= n;
                }
                let mut results = self.body(&seg.body)?.into_iter();
                let mut at = 0;
                for (operator, sum) in operators.iter().zip(&mut sums) {
                    let cell: Vec<Value> = results.by_ref().take(operator.neutral.len()).collect();
                    *sum = self.combine(operator, std::mem::take(sum), cell)?;
                    for value in sum.iter().filter(|_| scan) {
                        builders[at].push(value).map_err(|m| misfit(m, span))?;
                        at += 1;
                    }
                }
                for (builder, value) in builders[combined..].iter_mut().zip(results) {
                    builder.push(&value).map_err(|m| misfit(m, span))?;
                }
            }
            if !scan && outer.is_empty() {
                whole = sums.into_iter().flatten().collect();
            } else if !scan {
                for (builder, value) in builders.iter_mut().zip(sums.iter().flatten()) {
                    builder.push(value).map_err(|m| misfit(m, span))?;
                }
            }
        }
        let mut whole = whole.into_iter();
        let results = builders.into_iter().zip(pat).enumerate().map(|(k, (builder, var))| {
            if let Some(value) = whole.next() {
                return Ok(value);
            }
            let (frame, count) = if k < combined && !scan { (outer, segments) } else { (&sizes[..], cells) };
            match count {
                0 => self.empty(self.program.ty(*var)),
                _ => builder.finish(frame).ok_or_else(|| broken("an array without cells")),
            }
        });
        results.collect()
    }

    fn filter(&mut self, width: &Size, inputs: &[Var], lambda: &'p Lambda, pat: &[Var], span: Span) -> Outcome<Vec<Value>> {
        let n = self.natural(width, span)?;
        let inputs = self.inputs(inputs);
        let mut builders: Vec<Builder> = pat.iter().skip(1).map(|_| Builder::new(0)).collect();
        let mut count = 0;
        for i in 0..n {
            let results = self.cell(lambda, &inputs, i)?;
            if results.first().and_then(Value::as_bool).ok_or_else(|| broken("a truth value was expected"))? {
                count += 1;
                for (builder, value) in builders.iter_mut().zip(&results[1..]) {
                    builder.push(value).map_err(|m| misfit(m, span))?;
                }
            }
        }
        let kept = Value::Scalar(Scalar::I64(count as i64));
        self.set(pat[0], kept.clone());
        let mut out = vec![kept];
        out.extend(self.collected(builders, count, &pat[1..])?);
        Ok(out)
    }

    /// Scatter, and histogram where there is an operator.
    fn write(
        &mut self,
        width: &Size,
        inputs: &[Var],
        lambda: &'p Lambda,
        dests: &[Var],
        operator: Option<&'p Operator>,
        span: Span,
    ) -> Outcome<Vec<Value>> {
        let n = self.natural(width, span)?;
        let inputs = self.inputs(inputs);
        let mut arrays = self.inputs(dests);
        for i in 0..n {
            let mut results = self.cell(lambda, &inputs, i)?.into_iter();
            let at = results.next().and_then(|v| v.as_i64()).ok_or_else(|| broken("an index was expected"))?;
            let size = outer(arrays.first().ok_or_else(|| broken("nothing to write to"))?)?;
            let Some(at) = usize::try_from(at).ok().filter(|at| *at < size) else { continue };
            let mut values: Vec<Value> = results.collect();
            if let Some(operator) = operator {
                let old = arrays.iter().map(|array| array.cell(at).ok_or_else(|| broken("a bin"))).collect::<Outcome<Vec<_>>>()?;
                values = self.combine(operator, old, values)?;
            }
            for (array, value) in arrays.iter_mut().zip(&values) {
                if !array.set_cell(at, value).map_err(|s| Failure::shortage(s, span))? {
                    return Err(broken("a cell does not fit"));
                }
            }
        }
        Ok(arrays)
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

/// The failure of an access. Where its check was left out, because it cannot fail, the pass that left it out was wrong.
fn unless(checked: bool, failure: Box<Failure>) -> Box<Failure> {
    if checked || failure.code != Code::OutOfBounds {
        return failure;
    }
    Failure::new(Code::MalformedCore, failure.span, format!("a check was left out that fails: {}", failure.message))
}

/// The array with the cell at these indices replaced.
fn updated(mut array: Value, at: &[i64], value: &Value, span: Span) -> Outcome<Value> {
    let Some((first, rest)) = at.split_first() else { return Ok(value.clone()) };
    let n = outer(&array)?;
    let position = usize::try_from(*first).ok().filter(|i| *i < n).ok_or_else(|| out_of_bounds(*first, n, span))?;
    let cell = if rest.is_empty() {
        value.clone()
    } else {
        let old = array.cell(position).ok_or_else(|| broken("a cell is missing"))?;
        updated(old, rest, value, span)?
    };
    if !array.set_cell(position, &cell).map_err(|s| Failure::shortage(s, span))? {
        return Err(broken("a cell does not fit"));
    }
    Ok(array)
}
