//! The evaluator of expressions.

use super::value::Callee;
use super::{Boxed, Closure, Failure, Index, Machine, Outcome, Value};
use crate::base::scalar::Member;
use crate::base::{Code, Scalar, Span, Symbol};
use crate::ir::core::{self, Dim, DimAtom, Shape, ShapeItem};
use crate::ir::core::{Prim, Primitive};
use crate::runtime::block::{self, Atomic, Block, Fault, Made};
use crate::runtime::dims::count;
use crate::theory::erased::{Expr, ExprKind, LoopForm};
use std::borrow::Cow;
use std::sync::Arc;

/// Variables in scope, the innermost last.
#[derive(Debug, Clone, Default)]
pub struct Env {
    terms: Vec<(Symbol, Value)>,
    indices: Vec<(Symbol, Index)>,
}

/// An evaluation.
pub(super) struct Run<'m> {
    pub(super) machine: &'m Machine<'m>,
}

fn broken(what: impl std::fmt::Display, span: Span) -> Box<Failure> {
    Failure::at(Fault::malformed(what), span)
}

fn fault(span: Span) -> impl Fn(Fault) -> Box<Failure> {
    move |fault| Failure::at(fault, span)
}

fn block_of(value: &Value) -> Cow<'_, Block<Value>> {
    match value {
        Value::Array(block) => Cow::Borrowed(&**block),
        atom => Cow::Owned(Block::atom(atom.clone())),
    }
}

fn usizes(dims: &[u64]) -> Vec<usize> {
    dims.iter().map(|n| usize::try_from(*n).unwrap_or(usize::MAX)).collect()
}

/// A box that hides the outermost size.
fn sized(block: Block<Value>, span: Span) -> Outcome<Value> {
    let size = block.outer().map_err(fault(span))? as i64;
    Ok(Value::Box(Arc::new(Boxed { indices: vec![Index::Dim(size)], value: Value::from_block(block) })))
}

impl Run<'_> {
    /// The value of an expression.
    pub(super) fn expr(&self, env: &mut Env, expr: &Expr) -> Outcome<Value> {
        let span = expr.span();
        match expr.kind() {
            ExprKind::Var(name) => self.variable(env, *name, span),
            ExprKind::Lit(scalar) => Ok(Value::Scalar(*scalar)),
            ExprKind::Array { dims, atoms } => {
                let cells = self.all(env, atoms)?;
                self.join(&usizes(dims), &[], cells, span)
            }
            ExprKind::Frame { dims, cell, cells } => {
                let cells = self.all(env, cells)?;
                let inner = self.sizes(env, cell, span)?;
                self.join(&usizes(dims), &inner, cells, span)
            }
            ExprKind::App { fun, args } => {
                let fun = self.expr(env, fun)?;
                let args = self.all(env, args)?;
                self.apply(&fun, args, span)
            }
            ExprKind::Inst { fun, indices } => {
                let fun = self.expr(env, fun)?;
                let indices = indices.iter().map(|index| self.index(env, index, span)).collect::<Outcome<Vec<_>>>()?;
                self.instantiate(&fun, &indices, span)
            }
            ExprKind::Fn { .. } | ExprKind::IFn { .. } => Ok(Callee::Code(expr.clone(), Arc::new(env.clone())).into()),
            ExprKind::Let { name, rhs, body } => {
                let value = self.expr(env, rhs)?;
                self.below(env, [(*name, value)], [], body)
            }
            ExprKind::If { cond, then, els } => {
                let branch = if self.truth(env, cond)? { then } else { els };
                self.expr(env, branch)
            }
            ExprKind::Loop { params, form, body } => self.repeat(env, params, form, body, span),
            ExprKind::Map { frame, args, body, cell } => self.map(env, frame, args, body, cell, span),
            ExprKind::Rep { frame, arg } => {
                let value = self.expr(env, arg)?;
                let frame = self.sizes(env, frame, span)?;
                block_of(&value).replicated(&frame).map(Value::from_block).map_err(fault(span))
            }
            ExprKind::Tuple(parts) => Ok(Value::Tuple(self.all(env, parts)?.into())),
            ExprKind::Proj(at, tuple) => match self.expr(env, tuple)? {
                Value::Tuple(parts) => parts.get(*at).cloned().ok_or_else(|| broken("no such component", span)),
                _ => Err(broken("a tuple was expected", span)),
            },
            ExprKind::Record(fields) => {
                let fields = fields.iter().map(|(label, field)| Ok((*label, self.expr(env, field)?))).collect::<Outcome<Vec<_>>>()?;
                Ok(Value::Record(fields.into()))
            }
            ExprKind::Field(label, record) => match self.expr(env, record)? {
                Value::Record(fields) => {
                    let field = fields.iter().find(|(name, _)| name == label);
                    field.map(|(_, field)| field.clone()).ok_or_else(|| broken("no such field", span))
                }
                _ => Err(broken("a record was expected", span)),
            },
            ExprKind::Inject(label, payload) => Ok(Value::Sum(*label, Arc::new(self.expr(env, payload)?))),
            ExprKind::Is(label, sum) => match self.expr(env, sum)? {
                Value::Sum(made, _) => Ok(Value::Scalar(Scalar::Bool(made == *label))),
                _ => Err(broken("a sum was expected", span)),
            },
            ExprKind::Payload(label, sum) => match self.expr(env, sum)? {
                Value::Sum(made, payload) if made == *label => Ok((*payload).clone()),
                Value::Sum(made, _) => Err(Failure::at(Fault::payload(*label, made), span)),
                _ => Err(broken("a sum was expected", span)),
            },
            ExprKind::Box { indices, body } => {
                let indices = indices.iter().map(|index| self.index(env, index, span)).collect::<Outcome<_>>()?;
                Ok(Value::Box(Arc::new(Boxed { indices, value: self.expr(env, body)? })))
            }
            ExprKind::Unbox { boxed, value, indices, body } => {
                let Value::Box(boxed) = self.expr(env, boxed)? else { return Err(broken("a box was expected", span)) };
                let indices = indices.iter().copied().zip(boxed.indices.iter().cloned());
                self.below(env, [(*value, boxed.value.clone())], indices, body)
            }
            ExprKind::ReifyDim(dim) => Ok(Value::Scalar(Scalar::I64(self.dim(env, dim, span)?))),
            ExprKind::ReifyShape(shape) => {
                let items: Vec<Value> = self.shape(env, shape, span)?.into_iter().map(|n| Value::Scalar(Scalar::I64(n))).collect();
                let vector = Block { dims: vec![items.len()], atoms: items };
                let open = shape.items.iter().any(|item| matches!(item, ShapeItem::Var(_)));
                if open { sized(vector, span) } else { Ok(Value::Array(Arc::new(vector))) }
            }
            ExprKind::Coerce { checks, expr } => {
                let value = self.expr(env, expr)?;
                for (from, to) in checks {
                    let (found, wanted) = (self.shape(env, from, span)?, self.shape(env, to, span)?);
                    if found != wanted {
                        let message = format!("the value has shape {found:?}, the type says {wanted:?}");
                        return Err(Failure::at(Fault::new(Code::SizesDiffer, message), span));
                    }
                }
                Ok(value)
            }
            ExprKind::Assert { cond, message, expr } => {
                if !self.truth(env, cond)? {
                    return Err(Failure::at(Fault::new(Code::AssertionFailed, format!("assertion failed: {message}")), span));
                }
                self.expr(env, expr)
            }
        }
    }

    fn all(&self, env: &mut Env, exprs: &[Expr]) -> Outcome<Vec<Value>> {
        exprs.iter().map(|expr| self.expr(env, expr)).collect()
    }

    fn truth(&self, env: &mut Env, cond: &Expr) -> Outcome<bool> {
        match self.expr(env, cond)? {
            Value::Scalar(Scalar::Bool(truth)) => Ok(truth),
            _ => Err(broken("a truth value was expected", cond.span())),
        }
    }

    /// An expression with more variables in scope.
    fn below(
        &self,
        env: &mut Env,
        terms: impl IntoIterator<Item = (Symbol, Value)>,
        indices: impl IntoIterator<Item = (Symbol, Index)>,
        body: &Expr,
    ) -> Outcome<Value> {
        let depths = (env.terms.len(), env.indices.len());
        env.terms.extend(terms);
        env.indices.extend(indices);
        let result = self.expr(env, body);
        env.terms.truncate(depths.0);
        env.indices.truncate(depths.1);
        result
    }

    fn variable(&self, env: &Env, name: Symbol, span: Span) -> Outcome<Value> {
        if let Some((_, value)) = env.terms.iter().rev().find(|(bound, _)| *bound == name) {
            return Ok(value.clone());
        }
        if let Some(value) = self.machine.global(name)? {
            return Ok(value);
        }
        match Primitive::find(name) {
            Some(Primitive::Member(Member::Constant(scalar))) => Ok(Value::Scalar(scalar)),
            Some(Primitive::Member(Member::Op(op))) => Ok(Callee::Op(op).into()),
            Some(Primitive::Member(Member::Fold(fold))) => Ok(Callee::Fold(fold).into()),
            Some(Primitive::Prim(prim)) => Ok(Callee::Prim(prim, Vec::new()).into()),
            None => Err(broken(format!("`{name}` is not bound"), span)),
        }
    }

    fn dim(&self, env: &Env, dim: &Dim, span: Span) -> Outcome<i64> {
        let mut sum = 0i64;
        for (monomial, coefficient) in dim.terms() {
            let mut product = coefficient;
            for atom in monomial {
                let factor = match atom {
                    DimAtom::Var(name) => match env.indices.iter().rev().find(|(bound, _)| bound == name) {
                        Some((_, Index::Dim(n))) => *n,
                        _ => return Err(broken(format!("the size `{name}` is not bound"), span)),
                    },
                    DimAtom::Size(name) => match self.variable(env, *name, span)? {
                        Value::Scalar(Scalar::I64(n)) => n,
                        _ => return Err(broken("a size was expected", span)),
                    },
                    DimAtom::Meta(_) => return Err(broken("a size that is not known", span)),
                };
                product = product.wrapping_mul(factor);
            }
            sum = sum.wrapping_add(product);
        }
        Ok(sum)
    }

    fn shape(&self, env: &Env, shape: &Shape, span: Span) -> Outcome<Vec<i64>> {
        let mut sizes = Vec::with_capacity(shape.items.len());
        for item in &shape.items {
            match item {
                ShapeItem::Dim(dim) => sizes.push(self.dim(env, dim, span)?),
                ShapeItem::Var(name) => match env.indices.iter().rev().find(|(bound, _)| bound == name) {
                    Some((_, Index::Shape(inner))) => sizes.extend_from_slice(inner),
                    _ => return Err(broken(format!("the shape `{name}` is not bound"), span)),
                },
            }
        }
        Ok(sizes)
    }

    /// The sizes of a shape; none may be negative.
    fn sizes(&self, env: &Env, shape: &Shape, span: Span) -> Outcome<Vec<usize>> {
        block::sizes(&self.shape(env, shape, span)?).map_err(fault(span))
    }

    fn index(&self, env: &Env, index: &core::Index, span: Span) -> Outcome<Index> {
        Ok(match index {
            core::Index::Dim(dim) => Index::Dim(self.dim(env, dim, span)?),
            core::Index::Shape(shape) => Index::Shape(self.shape(env, shape, span)?),
        })
    }

    /// Cells of shape `inner` as one array.
    fn join(&self, frame: &[usize], inner: &[usize], cells: Vec<Value>, span: Span) -> Outcome<Value> {
        let cells = cells.iter().map(|cell| block_of(cell).into_owned());
        Block::collapsed(frame, inner, cells).map(Value::from_block).map_err(fault(span))
    }

    fn map(&self, env: &mut Env, frame: &Shape, args: &[(Symbol, Expr)], body: &Expr, cell: &Shape, span: Span) -> Outcome<Value> {
        let mut arrays = Vec::with_capacity(args.len());
        for (name, arg) in args {
            arrays.push((*name, self.expr(env, arg)?));
        }
        let frame = self.sizes(env, frame, span)?;
        if frame.is_empty() {
            return self.below(env, arrays, [], body);
        }
        let inner = self.sizes(env, cell, span)?;
        let mut columns = Vec::with_capacity(arrays.len());
        for (name, array) in &arrays {
            let block = block_of(array);
            if !block.dims.starts_with(&frame) {
                return Err(broken(format!("an array of shape {:?} is mapped over the frame {frame:?}", block.dims), span));
            }
            columns.push((*name, block.cells(frame.len()).map_err(fault(span))?));
        }
        let mut cells = Vec::new();
        for i in 0..count(&frame) {
            let bound: Vec<(Symbol, Value)> = columns.iter().map(|(name, cells)| (*name, Value::from_block(cells[i].clone()))).collect();
            cells.push(self.below(env, bound, [], body)?);
        }
        self.join(&frame, &inner, cells, span)
    }

    fn repeat(&self, env: &mut Env, params: &[(Symbol, Expr)], form: &LoopForm, body: &Expr, span: Span) -> Outcome<Value> {
        let mut values = Vec::with_capacity(params.len());
        for (_, init) in params {
            values.push(self.expr(env, init)?);
        }
        let names: Vec<Symbol> = params.iter().map(|(name, _)| *name).collect();
        let next = |value: Value| match (names.len(), value) {
            (1, value) => Ok(vec![value]),
            (n, Value::Tuple(parts)) if parts.len() == n => Ok(parts.to_vec()),
            _ => Err(broken("a tuple was expected", span)),
        };
        match form {
            LoopForm::For(counter, bound) => {
                let Value::Scalar(Scalar::I64(bound)) = self.expr(env, bound)? else { return Err(broken("a bound was expected", span)) };
                for i in 0..bound {
                    let bound = names.iter().copied().zip(values).chain([(*counter, Value::Scalar(Scalar::I64(i)))]);
                    values = next(self.below(env, bound, [], body)?)?;
                }
            }
            LoopForm::While(cond) => loop {
                let bound = || names.iter().copied().zip(values.iter().cloned());
                match self.below(env, bound(), [], cond)? {
                    Value::Scalar(Scalar::Bool(true)) => values = next(self.below(env, bound(), [], body)?)?,
                    Value::Scalar(Scalar::Bool(false)) => break,
                    _ => return Err(broken("a truth value was expected", span)),
                }
            },
        }
        Ok(match <[Value; 1]>::try_from(values) {
            Ok([value]) => value,
            Err(values) => Value::Tuple(values.into()),
        })
    }

    /// Puts indices into an index abstraction or a primitive. More indices than parameters go to what comes out.
    pub(super) fn instantiate(&self, function: &Value, indices: &[Index], span: Span) -> Outcome<Value> {
        let Value::Function(closure) = function else { return Err(broken("an index abstraction was expected", span)) };
        match &closure.callee {
            Callee::Code(code, env) => {
                let ExprKind::IFn { params, body } = code.kind() else { return Err(broken("an index abstraction was expected", span)) };
                let (now, later) = indices.split_at(params.len().min(indices.len()));
                let mut env = (**env).clone();
                env.indices.extend(params.iter().copied().zip(now.iter().cloned()));
                let value = self.expr(&mut env, body)?;
                if later.is_empty() { Ok(value) } else { self.instantiate(&value, later, span) }
            }
            Callee::Prim(prim, known) => {
                let indices: Vec<Index> = known.iter().chain(indices).cloned().collect();
                match prim.arity() {
                    0 => self.prim(*prim, &indices, &[], span),
                    _ => Ok(Callee::Prim(*prim, indices).into()),
                }
            }
            Callee::Op(_) | Callee::Fold(_) => Ok(function.clone()),
        }
    }

    /// Applies a function to any number of arguments.
    pub(super) fn apply(&self, function: &Value, args: Vec<Value>, span: Span) -> Outcome<Value> {
        let Value::Function(closure) = function else { return Err(broken("a function was expected", span)) };
        let arity = match &closure.callee {
            Callee::Code(code, _) => match code.kind() {
                ExprKind::Fn { params, .. } => params.len(),
                _ => return Err(broken("a function was expected", span)),
            },
            Callee::Op(op) => op.params.len(),
            Callee::Fold(_) => 1,
            Callee::Prim(prim, _) => prim.arity(),
        };
        let mut all = closure.args.clone();
        all.extend(args);
        if all.len() < arity {
            return Ok(Value::Function(Arc::new(Closure { callee: closure.callee.clone(), args: all })));
        }
        let more = all.split_off(arity);
        let result = match &closure.callee {
            Callee::Code(code, env) => match code.kind() {
                ExprKind::Fn { params, body } => {
                    let mut env = (**env).clone();
                    env.terms.extend(params.iter().copied().zip(all));
                    self.expr(&mut env, body)?
                }
                _ => return Err(broken("a function was expected", span)),
            },
            Callee::Op(op) => {
                let operands: Vec<Scalar> = all.iter().filter_map(Atomic::scalar).collect();
                Value::Scalar(op.apply(&operands).map_err(|error| Failure::at(Fault::operation(*op, error, &operands), span))?)
            }
            Callee::Fold(fold) => Value::Scalar(block_of(&all[0]).fold(*fold).map_err(fault(span))?),
            Callee::Prim(prim, indices) => self.prim(*prim, indices, &all, span)?,
        };
        if more.is_empty() { Ok(result) } else { self.apply(&result, more, span) }
    }

    fn prim(&self, prim: Prim, indices: &[Index], args: &[Value], span: Span) -> Outcome<Value> {
        if block::higher_order(prim) {
            return self.higher_order(prim, args, span);
        }
        let blocks: Vec<Cow<'_, Block<Value>>> = args.iter().map(block_of).collect();
        let blocks: Vec<&Block<Value>> = blocks.iter().map(|block| &**block).collect();
        match block::delta(prim, indices, &blocks).map_err(fault(span))? {
            Made::Array(block) => Ok(Value::from_block(block)),
            Made::Boxed(block) => sized(block, span),
            Made::Lifted(block) => {
                let indices = vec![Index::Shape(block.dims.iter().map(|n| *n as i64).collect())];
                Ok(Value::Box(Arc::new(Boxed { indices, value: Value::from_block(block) })))
            }
        }
    }

    fn higher_order(&self, prim: Prim, args: &[Value], span: Span) -> Outcome<Value> {
        let cells = |value: &Value| -> Outcome<Vec<Value>> {
            let cells = block_of(value).cells(1).map_err(fault(span))?;
            Ok(cells.into_iter().map(Value::from_block).collect())
        };
        match (prim, args) {
            (Prim::Reduce | Prim::ReduceComm, [f, init, xs]) => {
                cells(xs)?.into_iter().try_fold(init.clone(), |sum, x| self.apply(f, vec![sum, x], span))
            }
            (Prim::Scan, [f, init, xs]) => {
                let (mut sum, mut sums) = (init.clone(), Vec::new());
                for x in cells(xs)? {
                    sum = self.apply(f, vec![sum, x], span)?;
                    sums.push(sum.clone());
                }
                let dims = &block_of(xs).dims;
                let (frame, inner) = dims.split_at(dims.len().min(1));
                self.join(frame, inner, sums, span)
            }
            (Prim::Filter, [f, xs]) => {
                let mut kept = Vec::new();
                for x in cells(xs)? {
                    match self.apply(f, vec![x.clone()], span)? {
                        Value::Scalar(Scalar::Bool(true)) => kept.push(block_of(&x).into_owned()),
                        Value::Scalar(Scalar::Bool(false)) => {}
                        _ => return Err(broken("a truth value was expected", span)),
                    }
                }
                let inner = block_of(xs).dims.get(1..).unwrap_or(&[]).to_vec();
                sized(Block::collapsed(&[kept.len()], &inner, kept).map_err(fault(span))?, span)
            }
            (Prim::Hist, [f, init, k, is, xs]) => {
                let k = block_of(k).int().map_err(fault(span))?;
                let bins = block_of(init).replicated(&block::sizes(&[k]).map_err(fault(span))?).map_err(fault(span))?;
                self.accumulate(bins, f, is, xs, span)
            }
            (Prim::ReduceByIndex, [bins, f, _, is, xs]) => self.accumulate(block_of(bins).into_owned(), f, is, xs, span),
            (prim, args) => Err(broken(format!("{prim:?} with {} arguments", args.len()), span)),
        }
    }

    /// Combines elements into bins; those whose index is out of range are ignored.
    fn accumulate(&self, mut bins: Block<Value>, f: &Value, is: &Value, xs: &Value, span: Span) -> Outcome<Value> {
        let (is, xs) = (block_of(is), block_of(xs));
        for (t, i) in is.atoms.iter().enumerate() {
            let Some(Scalar::I64(i)) = i.scalar() else { return Err(broken("an index was expected", span)) };
            let bin = usize::try_from(i).ok().and_then(|i| bins.cell(i).transpose());
            let Some(old) = bin.transpose().map_err(fault(span))? else { continue };
            let Some(new) = xs.cell(t).map_err(fault(span))? else { return Err(broken("an element is missing", span)) };
            let sum = self.apply(f, vec![Value::from_block(old), Value::from_block(new)], span)?;
            let position = Block::atom(Value::Scalar(Scalar::I64(i)));
            match block::delta(Prim::Update, &[], &[&bins, &position, &block_of(&sum)]).map_err(fault(span))? {
                Made::Array(updated) | Made::Boxed(updated) | Made::Lifted(updated) => bins = updated,
            }
        }
        Ok(Value::from_block(bins))
    }
}
