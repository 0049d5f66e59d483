//! Evaluation of [`Node`].

use super::Machine;
use super::code::{Atom, Callee, Closure, Dim, Function, Item, Layout, Loop, Node, PrimCall, Slot, Type};
use super::compile::empty_array;
use super::derive::{Operators, as_i64, primal};
use super::primitives::sized;
use crate::base::{Code, Scalar, Span};
use crate::interp::arrays::{HOLE, natural};
use crate::interp::failure::{DEPTH, Failure, Outcome, broken, misfit, op_failure, out_of_bounds, too_deep};
use crate::interp::interrupt;
use crate::ir::core::Prim;
use crate::runtime::block::Fault;
use crate::runtime::value::Sum;
use crate::runtime::{Boxed, Builder, Value, dims};
use std::sync::Arc;

/// An evaluation: a stack of frames, of which the topmost begins at `base`.
pub(super) struct Run<'m> {
    pub machine: &'m Machine,
    pub stack: Vec<Value>,
    pub base: usize,
    /// Whether this is the thread that may start others.
    pub parallel: bool,
    /// The operators for derivatives that are at work.
    pub operators: Operators,
    /// How many calls of recursive definitions there are that have not returned.
    pub depth: usize,
}

/// The function that a value is.
fn closure(value: &Value) -> Option<&Closure> {
    if let Value::Opaque(opaque) = value { opaque.downcast_ref() } else { None }
}

impl<'m> Run<'m> {
    pub fn new(machine: &'m Machine, parallel: bool) -> Run<'m> {
        Run { machine, stack: Vec::new(), base: 0, parallel, operators: Operators::default(), depth: 0 }
    }
    #[inline]
    pub fn set(&mut self, slot: Slot, value: Value) {
        let at = self.base + slot as usize;
        self.stack[at] = value;
    }
    #[inline]
    fn get(&self, slot: Slot) -> &Value {
        &self.stack[self.base + slot as usize]
    }
    /// Takes the value of a variable for the last time. Scalars stay: sizes may still refer to them.
    #[inline]
    fn take(&mut self, slot: Slot) -> Value {
        let at = self.base + slot as usize;
        match &mut self.stack[at] {
            Value::Scalar(scalar) => Value::Scalar(*scalar),
            Value::Opaque(number) if self.operators.follow() => Value::Opaque(number.clone()),
            other @ (Value::Array(_) | Value::Tuple(_) | Value::Cells(_) | Value::Box(_) | Value::Sum(_) | Value::Opaque(_)) => {
                std::mem::replace(other, HOLE)
            }
        }
    }

    /// Evaluates an expression.
    #[expect(clippy::too_many_lines, reason = "the evaluator's inner loop: one match over all forms, a few lines each")]
    pub fn value(&mut self, mut code: &Node) -> Outcome<Value> {
        loop {
            match code {
                Node::Const(value) => return Ok(value.clone()),
                Node::Local(slot, true) => return Ok(self.take(*slot)),
                Node::Local(slot, false) => return Ok(self.get(*slot).clone()),
                Node::Op1(..) | Node::Op2(..) | Node::Op3(..) if self.operators.follow() => return self.operation(code),
                Node::Op1(..) | Node::Op2(..) | Node::Op3(..) => return Ok(Value::Scalar(self.plain(code)?)),
                Node::Dim(dim) => return Ok(Value::Scalar(Scalar::I64(self.dim(dim)))),
                Node::If(parts) => {
                    let [cond, then, els] = &**parts;
                    code = if self.truth(cond)? { then } else { els };
                }
                Node::Let(slot, parts) => {
                    let value = self.value(&parts[0])?;
                    self.set(*slot, value);
                    code = &parts[1];
                }
                Node::Loop(it) => return self.repeat(it),
                Node::Global(id) => return self.machine.global(*id, self.parallel),
                Node::Call(id, args, span) => {
                    let result = match self.machine.definitions[*id].define.recursive {
                        false => self.call(self.machine.function(*id)?, &[], args),
                        true => self.recursive_call(*id, args, *span),
                    };
                    return result.map_err(|failure| failure.called_at(*span));
                }
                Node::Apply(function, args, span) => {
                    let function = self.value(function)?;
                    let mut values = vec![HOLE; args.len()];
                    for variables in [false, true] {
                        for (place, arg) in values.iter_mut().zip(args) {
                            if matches!(arg, Node::Local(..)) == variables {
                                *place = self.value(arg)?;
                            }
                        }
                    }
                    return self.apply(&function, values, *span);
                }
                Node::Prim(call) => return self.prim_call(call),
                Node::PrimValue(prim, indices) => {
                    let indices = indices.iter().map(|index| self.value(index)).collect::<Outcome<_>>()?;
                    return Ok(Callee::Prim(*prim, indices).value());
                }
                Node::Generic(code, indices, types) => {
                    let value = self.value(code)?;
                    let Some(closure) = closure(&value) else { return Err(broken("a function was expected")) };
                    return Ok(Callee::Generic(Box::new(closure.callee.clone()), *indices, *types).value());
                }
                Node::Closure(function, captures) => {
                    let captures = captures.iter().map(|(slot, last)| if *last { self.take(*slot) } else { self.get(*slot).clone() });
                    let captures: Vec<Value> = captures.collect();
                    if function.arity == 0 {
                        return self.call(function, &captures, &[]);
                    }
                    return Ok(Callee::Function(function.clone(), captures).value());
                }
                Node::Map(map) => return self.map(map),
                Node::Rep(frame, arg, span) => {
                    let arg = self.value(arg)?;
                    let frame = self.shape(frame, *span)?;
                    return arg.replicated(&frame).map_err(|s| Failure::shortage(s, *span));
                }
                Node::Tuple(labels, parts) => {
                    let parts = parts.iter().map(|part| self.value(part)).collect::<Outcome<_>>()?;
                    return Ok(Value::tuples(Vec::new(), labels.clone(), parts));
                }
                Node::Proj(k, tuple) => return self.project(*k, tuple),
                Node::Box(indices, body) => {
                    let indices = indices.iter().map(|index| self.value(index)).collect::<Outcome<_>>()?;
                    return Ok(Value::Box(Arc::new(Boxed { indices, value: self.value(body)? })));
                }
                Node::Unbox(unbox) => {
                    let Value::Box(boxed) = self.value(&unbox.boxed)? else { return Err(broken("unbox of what is no box")) };
                    let Boxed { indices, value } = Arc::try_unwrap(boxed).unwrap_or_else(|shared| (*shared).clone());
                    for (slot, index) in unbox.indices.iter().zip(indices) {
                        self.set(*slot, index);
                    }
                    self.set(unbox.value, value);
                    code = &unbox.body;
                }
                Node::BoxedShape(items) => {
                    let mut sizes = Vec::with_capacity(items.len());
                    self.sizes(items, &mut sizes);
                    return sized(Value::vector(sizes));
                }
                Node::Shape(items) => {
                    let mut sizes = Vec::with_capacity(items.len());
                    self.sizes(items, &mut sizes);
                    return Ok(Value::vector(sizes));
                }
                Node::Type(atom) => return Ok(Value::Opaque(Arc::new(self.layout(atom)))),
                Node::Coerce(ty, expr, span) => {
                    let value = self.value(expr)?;
                    self.coerce(ty, &value, 0, *span)?;
                    return Ok(value);
                }
                Node::Inject(label, payload) => {
                    let payload = self.value(payload)?;
                    return Ok(Value::Sum(Arc::new(Sum { label: *label, payload })));
                }
                Node::Is(label, sum) => {
                    let Value::Sum(sum) = self.value(sum)? else { return Err(broken("a constructor of what is no sum")) };
                    return Ok(Value::Scalar(Scalar::Bool(sum.label == *label)));
                }
                Node::Payload(label, sum, span) => {
                    let Value::Sum(sum) = self.value(sum)? else { return Err(broken("the payload of what is no sum")) };
                    if sum.label != *label {
                        return Err(Failure::fault(Fault::payload(*label, sum.label), *span));
                    }
                    return Ok(sum.payload.clone());
                }
                Node::Trace(place, inner) => {
                    let value = self.value(inner)?;
                    super::trace::show(
                        place.as_str(),
                        &if self.operators.follow() { primal(&value, Span::default())? } else { value.clone() },
                    );
                    return Ok(value);
                }
                Node::Assert(parts, message, span) => {
                    if !self.truth(&parts[0])? {
                        return Err(Failure::new(Code::AssertionFailed, *span, format!("assertion failed: {message}")));
                    }
                    code = &parts[1];
                }
                Node::Frame(frame) => {
                    let mut builder = Builder::new(frame.cells.len());
                    for cell in &frame.cells {
                        let cell = self.value(cell)?;
                        builder.push(&cell).map_err(|m| misfit(m, frame.span))?;
                    }
                    if frame.cells.is_empty() {
                        return self.empty(&frame.cell, &frame.dims, frame.span);
                    }
                    return builder.finish(&frame.dims).ok_or_else(|| broken("frame with the wrong number of cells"));
                }
            }
        }
    }

    /// Evaluates a scalar operation while derivatives are taken.
    #[expect(clippy::wildcard_enum_match_arm, reason = "called for operations only")]
    fn operation(&mut self, code: &Node) -> Outcome<Value> {
        let (op, operands, span) = match code {
            Node::Op1(op, operand, span) => (op, std::slice::from_ref(&**operand), span),
            Node::Op2(op, operands, span) => (op, &operands[..], span),
            Node::Op3(op, operands, span) => (op, &operands[..], span),
            _ => return Err(broken("an operation was expected")),
        };
        let operands = operands.iter().map(|operand| self.value(operand)).collect::<Outcome<Vec<_>>>()?;
        self.operators.apply_values(*op, &operands, *span)
    }

    /// Evaluates an expression whose value is a scalar; where derivatives are taken, its value without them.
    #[inline]
    pub fn scalar(&mut self, code: &Node) -> Outcome<Scalar> {
        if self.operators.follow() {
            let value = self.value(code)?;
            return primal(&value, Span::default())?.as_scalar().ok_or_else(|| broken("a scalar was expected"));
        }
        self.plain(code)
    }

    /// Evaluates an expression whose value is a scalar, where no derivatives are taken.
    #[expect(clippy::wildcard_enum_match_arm, reason = "shortcuts of what `value` does with all forms")]
    pub fn plain(&mut self, mut code: &Node) -> Outcome<Scalar> {
        loop {
            match code {
                Node::Const(Value::Scalar(scalar)) => return Ok(*scalar),
                Node::Local(slot, _) => {
                    return match self.get(*slot) {
                        Value::Scalar(scalar) => Ok(*scalar),
                        other
                        @ (Value::Array(_) | Value::Tuple(_) | Value::Cells(_) | Value::Box(_) | Value::Sum(_) | Value::Opaque(_)) => {
                            Err(broken(&format!("a scalar was expected, not {other:?}")))
                        }
                    };
                }
                Node::Op1(op, a, span) => {
                    let a = self.plain(a)?;
                    return op.apply1(a).map_err(|e| op_failure(*op, e, &[a], *span));
                }
                Node::Op2(op, operands, span) => {
                    let a = self.plain(&operands[0])?;
                    let b = self.plain(&operands[1])?;
                    return op.apply2(a, b).map_err(|e| op_failure(*op, e, &[a, b], *span));
                }
                Node::Op3(op, operands, span) => {
                    let a = self.plain(&operands[0])?;
                    let b = self.plain(&operands[1])?;
                    let c = self.plain(&operands[2])?;
                    return op.apply3(a, b, c).map_err(|e| op_failure(*op, e, &[a, b, c], *span));
                }
                Node::If(parts) => {
                    let [cond, then, els] = &**parts;
                    code = if self.truth(cond)? { then } else { els };
                }
                Node::Let(slot, parts) => {
                    let value = self.value(&parts[0])?;
                    self.set(*slot, value);
                    code = &parts[1];
                }
                Node::Dim(dim) => return Ok(Scalar::I64(self.dim(dim))),
                Node::Prim(call) if call.prim == Prim::Index => {
                    if let Some(found) = self.element(call)? {
                        return Ok(found);
                    }
                    return self.prim_call(call)?.as_scalar().ok_or_else(|| broken("a scalar was expected"));
                }
                Node::Proj(k, tuple) => {
                    if let Node::Local(slot, _) = &**tuple
                        && let Value::Tuple(tuple) = self.get(*slot)
                        && let Some(Value::Scalar(scalar)) = tuple.parts.get(*k)
                    {
                        return Ok(*scalar);
                    }
                    return self.project(*k, tuple)?.as_scalar().ok_or_else(|| broken("a scalar was expected"));
                }
                _ => return self.value(code)?.as_scalar().ok_or_else(|| broken("a scalar was expected")),
            }
        }
    }
    #[inline]
    fn truth(&mut self, code: &Node) -> Outcome<bool> {
        let Scalar::Bool(truth) = self.scalar(code)? else { return Err(broken("a truth value was expected")) };
        Ok(truth)
    }
    fn project(&mut self, k: usize, tuple: &Node) -> Outcome<Value> {
        if let Node::Local(slot, false) = tuple
            && let Value::Tuple(tuple) = self.get(*slot)
        {
            return tuple.parts.get(k).cloned().ok_or_else(|| broken("no such component"));
        }
        let Value::Tuple(tuple) = self.value(tuple)? else { return Err(broken("a tuple was expected")) };
        let part = match Arc::try_unwrap(tuple) {
            Ok(mut tuple) if k < tuple.parts.len() => Some(tuple.parts.swap_remove(k)),
            Ok(_) => None,
            Err(shared) => shared.parts.get(k).cloned(),
        };
        part.ok_or_else(|| broken("no such component"))
    }

    /// An element of a variable that is an array of scalars, without making values of the arrays between: `xs[i][j]`. `None` when the
    /// expression has another form, and then nothing has been evaluated.
    fn element(&mut self, call: &PrimCall) -> Outcome<Option<Scalar>> {
        let mut path: [Option<&PrimCall>; 4] = [None; 4];
        let mut depth = 0;
        let mut at = call;
        let (slot, last) = loop {
            let Some(entry) = path.get_mut(depth) else { return Ok(None) };
            *entry = Some(at);
            depth += 1;
            match at.args.first() {
                Some(Node::Local(slot, last)) => break (*slot, *last),
                Some(Node::Prim(inner)) if inner.prim == Prim::Index => at = inner,
                _ => return Ok(None),
            }
        };
        match self.get(slot) {
            Value::Array(array) if array.dims().len() == depth => {}
            Value::Scalar(_) | Value::Array(_) | Value::Tuple(_) | Value::Cells(_) | Value::Box(_) | Value::Sum(_) | Value::Opaque(_) => {
                return Ok(None);
            }
        }
        // An index may be what takes the array, which then stays here.
        let held = (!last && !path[..depth].iter().flatten().all(|call| is_plain(&call.args[1]))).then(|| self.get(slot).clone());
        let mut position = 0;
        for (axis, call) in path[..depth].iter().rev().flatten().enumerate() {
            let Scalar::I64(i) = self.scalar(&call.args[1])? else { return Err(broken("an index was expected")) };
            let Some(array) = held.as_ref().unwrap_or_else(|| self.get(slot)).as_array() else {
                return Err(broken("an array was expected"));
            };
            let size = array.dims()[axis];
            if i < 0 || i as u64 >= size as u64 {
                return Err(out_of_bounds(i, size, call.span));
            }
            position = position * size + i as usize;
        }
        let array = held.as_ref().unwrap_or_else(|| self.get(slot));
        array.as_array().and_then(|array| array.at(position)).map(Some).ok_or_else(|| broken("an element was expected"))
    }

    fn repeat(&mut self, it: &Loop) -> Outcome<Value> {
        for (slot, init) in &it.params {
            let value = self.value(init)?;
            self.set(*slot, value);
        }
        let several = it.params.len() != 1;
        let next = |this: &mut Self| -> Outcome<()> {
            interrupt::check()?;
            if !several {
                let value = this.value(&it.body)?;
                this.set(it.params[0].0, value);
                return Ok(());
            }
            this.next(&it.body, &it.params)
        };
        if let Some((counter, bound)) = &it.count {
            let Scalar::I64(bound) = self.scalar(bound)? else { return Err(broken("a loop bound was expected")) };
            for i in 0..bound {
                self.set(*counter, Value::Scalar(Scalar::I64(i)));
                next(self)?;
            }
        } else if let Some(cond) = &it.cond {
            while self.truth(cond)? {
                next(self)?;
            }
        }
        match &it.params[..] {
            [(slot, _)] => Ok(self.take(*slot)),
            several => Ok(Value::tuple(several.iter().map(|(slot, _)| self.take(*slot)).collect())),
        }
    }
    /// One round of a loop with several parameters; no tuple is made where the body writes one down.
    #[expect(clippy::wildcard_enum_match_arm, reason = "shortcuts of what `value` does with all forms")]
    fn next(&mut self, mut body: &Node, params: &[(Slot, Node)]) -> Outcome<()> {
        loop {
            match body {
                Node::Let(slot, parts) => {
                    let value = self.value(&parts[0])?;
                    self.set(*slot, value);
                    body = &parts[1];
                }
                Node::If(parts) => {
                    let [cond, then, els] = &**parts;
                    body = if self.truth(cond)? { then } else { els };
                }
                Node::Tuple(_, parts) if parts.len() == params.len() => {
                    // The parts may use the old values: they go to the top of the stack first.
                    let top = self.stack.len();
                    for part in parts {
                        let value = self.value(part)?;
                        self.stack.push(value);
                    }
                    for (slot, _) in params.iter().rev() {
                        let value = self.stack.pop().unwrap_or(HOLE);
                        self.set(*slot, value);
                    }
                    self.stack.truncate(top);
                    return Ok(());
                }
                _ => {
                    let Value::Tuple(tuple) = self.value(body)? else { return Err(broken("a tuple was expected")) };
                    let parts = Arc::try_unwrap(tuple).map_or_else(|shared| shared.parts.clone(), |tuple| tuple.parts);
                    for ((slot, _), value) in params.iter().zip(parts) {
                        self.set(*slot, value);
                    }
                    return Ok(());
                }
            }
        }
    }

    /// Calls a function with exactly as many arguments as it has parameters. Here as for primitives, arguments that are
    /// variables are read last, as [`super::live`] expects.
    fn call(&mut self, function: &Function, captures: &[Value], args: &[Node]) -> Outcome<Value> {
        let start = self.arguments(args)?;
        self.enter(function, captures, start)
    }
    /// Calls a definition that may call itself.
    fn recursive_call(&mut self, id: usize, args: &[Node], span: Span) -> Outcome<Value> {
        let start = self.arguments(args)?;
        self.enter_recursive(id, start, span)
    }
    /// Runs a definition that may call itself, whose arguments are on the stack from `start` on.
    fn enter_recursive(&mut self, id: usize, start: usize, span: Span) -> Outcome<Value> {
        if self.depth >= DEPTH {
            let define = &self.machine.definitions[id].define;
            // In front are indices and types.
            let given = &self.stack[start..];
            let count = define.ty.interface().0.len().min(given.len());
            return Err(too_deep(define.name, self.depth, &given[given.len() - count..], span));
        }
        self.depth += 1;
        let result = self.enter(self.machine.function(id)?, &[], start)?;
        self.depth -= 1;
        Ok(result)
    }
    /// Puts arguments on the stack; returns where they begin.
    fn arguments(&mut self, args: &[Node]) -> Outcome<usize> {
        let start = self.stack.len();
        self.stack.resize(start + args.len(), HOLE);
        for variables in [false, true] {
            for (i, arg) in args.iter().enumerate() {
                if matches!(arg, Node::Local(..)) == variables {
                    let value = self.value(arg)?;
                    self.stack[start + i] = value;
                }
            }
        }
        Ok(start)
    }
    /// Calls a function with these values.
    pub fn call_values(&mut self, function: &Function, captures: &[Value], args: impl IntoIterator<Item = Value>) -> Outcome<Value> {
        let start = self.stack.len();
        self.stack.extend(args);
        self.enter(function, captures, start)
    }
    /// Runs a function whose arguments are on the stack from `start` on.
    fn enter(&mut self, function: &Function, captures: &[Value], start: usize) -> Outcome<Value> {
        self.stack.resize(start + function.frame, HOLE);
        let before = std::mem::replace(&mut self.base, start);
        for (slot, value) in function.captures.iter().zip(captures) {
            self.set(*slot, value.clone());
        }
        let result = self.value(&function.body)?;
        self.base = before;
        self.stack.truncate(start);
        Ok(result)
    }
    /// Applies a function value to any number of arguments.
    pub fn apply(&mut self, function: &Value, args: Vec<Value>, span: Span) -> Outcome<Value> {
        let Some(closure) = closure(function) else { return Err(broken("a function was expected")) };
        let arity = closure.callee.arity();
        let mut all = closure.args.clone();
        all.extend(args);
        if all.len() < arity {
            return Ok(Value::Opaque(Arc::new(Closure { callee: closure.callee.clone(), args: all })));
        }
        let more = all.split_off(arity);
        let result = self.invoke(&closure.callee, all, span).map_err(|failure| failure.called_at(span))?;
        if more.is_empty() { Ok(result) } else { self.apply(&result, more, span) }
    }
    fn invoke(&mut self, callee: &Callee, mut args: Vec<Value>, span: Span) -> Outcome<Value> {
        match callee {
            Callee::Function(function, captures) => self.call_values(function, captures, args),
            Callee::Global(id, _) if self.machine.definitions[*id].define.recursive => {
                let start = self.stack.len();
                self.stack.extend(args);
                self.enter_recursive(*id, start, span)
            }
            Callee::Global(id, _) => self.call_values(self.machine.function(*id)?, &[], args),
            Callee::Op(op) => {
                let operands = args.iter().map(Value::as_scalar).collect::<Option<Vec<_>>>();
                if operands.is_none() && self.operators.follow() {
                    return self.operators.apply_values(*op, &args, span);
                }
                let operands = operands.ok_or_else(|| broken("scalars were expected"))?;
                let result = op.apply(&operands).map_err(|e| op_failure(*op, e, &operands, span))?;
                Ok(Value::Scalar(result))
            }
            Callee::Fold(fold) => self.fold(*fold, &args[0]),
            Callee::Prim(prim, indices) => self.prim(*prim, indices, &mut args, span),
            Callee::Generic(callee, indices, types) => {
                let rest = args.split_off((indices + types).min(args.len()));
                match &**callee {
                    Callee::Prim(prim, given) => {
                        let given = if prim.needs_indices() { given.as_slice() } else { &[] };
                        let all = given.iter().cloned().chain(args.into_iter().take(*indices)).collect();
                        self.invoke(&Callee::Prim(*prim, all), rest, span)
                    }
                    other @ (Callee::Function(..) | Callee::Global(..) | Callee::Op(_) | Callee::Fold(_) | Callee::Generic(..)) => {
                        self.invoke(other, rest, span)
                    }
                }
            }
        }
    }
    /// Applies a function value to two arguments, as reductions do again and again.
    pub fn apply2(&mut self, function: &Value, a: Value, b: Value, span: Span) -> Outcome<Value> {
        if let Value::Opaque(opaque) = function
            && let Some(closure) = opaque.downcast_ref::<Closure>()
            && closure.args.is_empty()
        {
            match (&closure.callee, &a, &b) {
                (Callee::Function(function, captures), ..) if function.arity == 2 => {
                    return self.call_values(function, captures, [a, b]).map_err(|failure| failure.called_at(span));
                }
                (Callee::Op(op), Value::Scalar(a), Value::Scalar(b)) => {
                    return op.apply2(*a, *b).map(Value::Scalar).map_err(|e| op_failure(*op, e, &[*a, *b], span));
                }
                _ => {}
            }
        }
        self.apply(function, vec![a, b], span)
    }

    /// The value of a size.
    #[inline]
    pub fn dim(&self, dim: &Dim) -> i64 {
        match dim {
            Dim::Const(n) => *n,
            Dim::Slot(slot) => self.size_in(*slot),
            Dim::Sum(terms) => terms.iter().fold(0i64, |sum, (c, monomial)| {
                let product = monomial.iter().fold(*c, |p, slot| p.wrapping_mul(self.size_in(*slot)));
                sum.wrapping_add(product)
            }),
        }
    }
    #[inline]
    fn size_in(&self, slot: Slot) -> i64 {
        match as_i64(self.get(slot)) {
            Some(size) => size,
            None => crate::ice!(Span::default(), "a size was expected"),
        }
    }
    fn sizes(&self, items: &[Item], out: &mut Vec<i64>) {
        for item in items {
            match item {
                Item::Dim(dim) => out.push(self.dim(dim)),
                Item::Shape(slot) => match self.get(*slot).as_array().and_then(|array| array.items::<i64>()) {
                    Some(shape) => out.extend_from_slice(shape),
                    None => crate::ice!(Span::default(), "a shape was expected"),
                },
            }
        }
    }
    /// The sizes of a shape; none may be negative.
    pub fn shape(&self, items: &[Item], span: Span) -> Outcome<Vec<usize>> {
        let mut sizes = Vec::with_capacity(items.len());
        self.sizes(items, &mut sizes);
        sizes.into_iter().map(|n| natural(n, span)).collect()
    }
    fn layout(&self, atom: &Atom) -> Layout {
        match atom {
            Atom::Prim(prim) => Layout::Prim(*prim),
            Atom::Opaque => Layout::Opaque,
            Atom::Var(slot) => {
                let value = self.get(*slot);
                let layout = if let Value::Opaque(opaque) = value { opaque.downcast_ref::<Layout>() } else { None };
                layout.cloned().unwrap_or_else(|| crate::ice!(Span::default(), "a type was expected"))
            }
            Atom::Tuple(labels, parts) => {
                let parts = parts.iter().map(|part| self.type_layout(part)).collect();
                Layout::Tuple(labels.clone(), parts)
            }
        }
    }
    /// The layout of the elements and the shape, which may have sizes that no array has: [`Run::empty`] looks at them.
    fn type_layout(&self, ty: &Type) -> (Layout, Vec<i64>) {
        let mut sizes = Vec::new();
        self.sizes(&ty.shape, &mut sizes);
        (self.layout(&ty.atom), sizes)
    }
    /// The array of shape `frame` without cells of this type.
    pub fn empty(&self, cell: &Type, frame: &[usize], span: Span) -> Outcome<Value> {
        let (layout, inner) = self.type_layout(cell);
        empty_array(&layout, frame, &inner, span)?
            .ok_or_else(|| Failure::new(Code::ImpossibleSize, span, format!("an array of shape {frame:?} without cells cannot be made")))
    }
    /// Checks the sizes of a value; its first `skip` dimensions belong to a tuple around it.
    fn coerce(&self, ty: &Type, value: &Value, skip: usize, span: Span) -> Outcome<()> {
        let mut wanted = Vec::new();
        self.sizes(&ty.shape, &mut wanted);
        let found = value.dims().get(skip..).unwrap_or(&[]);
        if wanted.len() != found.len() || wanted.iter().zip(found).any(|(w, f)| usize::try_from(*w) != Ok(*f)) {
            let wanted = wanted.iter().map(|n| format!("[{n}]")).collect::<String>();
            let message = format!("the value has shape {}, the type says {wanted}", dims::Dims::new(found));
            return Err(Failure::new(Code::SizesDiffer, span, message));
        }
        if let (Atom::Tuple(_, parts), Value::Tuple(tuple)) = (&ty.atom, value) {
            for (ty, part) in parts.iter().zip(&tuple.parts) {
                self.coerce(ty, part, tuple.frame.len(), span)?;
            }
        }
        Ok(())
    }
    fn prim_call(&mut self, call: &PrimCall) -> Outcome<Value> {
        let mut indices = [HOLE; 4];
        for (place, index) in indices.iter_mut().zip(&call.indices) {
            *place = self.value(index)?;
        }
        let mut args = [HOLE; 5];
        for variables in [false, true] {
            for (place, arg) in args.iter_mut().zip(&call.args) {
                if matches!(arg, Node::Local(..)) == variables {
                    *place = self.value(arg)?;
                }
            }
        }
        self.prim(call.prim, &indices[..call.indices.len().min(4)], &mut args[..call.args.len().min(5)], call.span)
    }
}

/// Whether code takes no array.
fn is_plain(code: &Node) -> bool {
    if let Node::Op1(_, operand, _) = code {
        is_plain(operand)
    } else if let Node::Op2(_, operands, _) = code {
        operands.iter().all(is_plain)
    } else {
        matches!(code, Node::Const(_) | Node::Local(..) | Node::Dim(_))
    }
}
