//! Reduction of core.

mod prims;
mod values;

use super::sizes::{constant, constants, literal_dims, sizes};
use super::{Rule, Step, Stuck};
use crate::base::scalar::Member;
use crate::base::{Code, PrimType, Scalar, Span, Symbol};
use crate::ir::core::Primitive;
use crate::ir::core::check::{TypeEnv, infer_type};
use crate::ir::core::closing::Closing;
use crate::ir::core::equal::equal;
use crate::ir::core::free::FreeVars;
use crate::ir::core::subst::fresh_symbol;
use crate::ir::core::{Atom, Expr, ExprKind, Index, LoopForm, LoopParam, Shape, Type};
use crate::runtime::block::{Block, Fault};
use values::{block_of, from_block, lit};

/// One step.
pub fn step(expr: &Expr) -> Step<Expr> {
    Step::of(Machine::default().step(expr))
}

/// Whether a closed expression is a value.
pub fn is_value(expr: &Expr) -> bool {
    matches!(step(expr), Step::Value)
}

type Stepped<T> = Result<Option<(T, Rule)>, Stuck>;

#[derive(Default)]
struct Machine {
    free: FreeVars,
}

/// A primitive with what it has been given so far.
struct Spine {
    primitive: Primitive,
    types: Vec<Atom>,
    indices: Vec<Index>,
    args: Vec<Expr>,
}

/// The number of arguments that a primitive waits for.
fn arity(primitive: &Primitive) -> usize {
    match primitive {
        Primitive::Member(Member::Op(op)) => op.params.len(),
        Primitive::Member(Member::Fold(_)) => 1,
        Primitive::Member(Member::Constant(_)) => 0,
        Primitive::Prim(prim) => prim.arity(),
    }
}

fn spine(expr: &Expr) -> Option<Spine> {
    match expr.kind() {
        ExprKind::Var(name) => Some(Spine { primitive: Primitive::find(*name)?, types: Vec::new(), indices: Vec::new(), args: Vec::new() }),
        ExprKind::Inst { fun, types, indices } => {
            let mut spine = spine(fun)?;
            spine.types.extend_from_slice(types);
            spine.indices.extend_from_slice(indices);
            Some(spine)
        }
        ExprKind::App { fun, args } => {
            let mut spine = spine(fun)?;
            spine.args.extend_from_slice(args);
            Some(spine)
        }
        _ => None,
    }
}

impl Machine {
    /// The next state; `None` for a value.
    #[expect(clippy::too_many_lines, reason = "the rules of reduction, one for each form, as the paper lists them")]
    fn step(&mut self, whole: &Expr) -> Stepped<Expr> {
        let span = whole.span();
        let make = |kind: ExprKind| Expr::new(kind, span);
        let fault = |fault: Fault| Stuck::at(fault, span);
        match whole.kind() {
            ExprKind::Var(name) => match Primitive::find(*name) {
                Some(Primitive::Member(Member::Constant(value))) => Ok(Some((lit(value, span), Rule::Constant))),
                Some(_) => Ok(None),
                None => Err(Stuck::malformed(format!("the variable `{name}` is free"), span)),
            },
            ExprKind::Array { dims, items, .. } => match (dims.as_slice(), items.as_slice()) {
                ([], [item]) => Ok(Some((lit(*item, span), Rule::Collapse))),
                _ => Ok(None),
            },
            ExprKind::Lit(_) | ExprKind::Fn { .. } | ExprKind::IFn { .. } | ExprKind::TFn { .. } => Ok(None),
            ExprKind::Frame { dims, cell, cells } => {
                if let Some((cells, rule)) = self.first(cells)? {
                    return Ok(Some((make(ExprKind::Frame { dims: dims.clone(), cell: cell.clone(), cells }), rule)));
                }
                match (dims.as_slice(), cells.as_slice()) {
                    ([], [only]) => Ok(Some((only.clone(), Rule::Collapse))),
                    _ if cell.shape().is_scalar() => Ok(None),
                    _ => self.collapse(dims, cell, cells, span).map(|whole| Some((whole, Rule::Collapse))),
                }
            }
            ExprKind::App { fun, args } => {
                if let Some((fun, rule)) = self.step(fun)? {
                    return Ok(Some((make(ExprKind::App { fun, args: args.clone() }), rule)));
                }
                if let Some((args, rule)) = self.first(args)? {
                    return Ok(Some((make(ExprKind::App { fun: fun.clone(), args }), rule)));
                }
                self.apply(whole, fun, args)
            }
            ExprKind::Inst { fun, types, indices } => {
                if let Some((fun, rule)) = self.step(fun)? {
                    return Ok(Some((make(ExprKind::Inst { fun, types: types.clone(), indices: indices.clone() }), rule)));
                }
                self.instantiate(whole, fun, types, indices)
            }
            ExprKind::Let { name, ty, rhs, body } => {
                if let Some((rhs, rule)) = self.step(rhs)? {
                    return Ok(Some((make(ExprKind::Let { name: *name, ty: ty.clone(), rhs, body: body.clone() }), rule)));
                }
                self.put([(*name, rhs.clone())], body).map(|body| Some((body, Rule::Let)))
            }
            ExprKind::If { cond, then, els } => {
                if let Some((cond, rule)) = self.step(cond)? {
                    return Ok(Some((make(ExprKind::If { cond, then: then.clone(), els: els.clone() }), rule)));
                }
                let branch = if truth(cond)? { then } else { els };
                Ok(Some((branch.clone(), Rule::If)))
            }
            ExprKind::Loop { params, form, body } => self.looping(params, form, body, span),
            ExprKind::Map { frame, args, body } => {
                let values: Vec<Expr> = args.iter().map(|(_, arg)| arg.clone()).collect();
                if let Some((values, rule)) = self.first(&values)? {
                    let args = args.iter().map(|(name, _)| *name).zip(values).collect();
                    return Ok(Some((make(ExprKind::Map { frame: frame.clone(), args, body: body.clone() }), rule)));
                }
                self.map(frame, args, body, span)
            }
            ExprKind::Rep { frame, arg } => {
                if let Some((arg, rule)) = self.step(arg)? {
                    return Ok(Some((make(ExprKind::Rep { frame: frame.clone(), arg }), rule)));
                }
                let dims = sizes(frame, span)?;
                let cells = Block::atom(arg.clone()).replicated(&dims).map_err(fault)?.atoms;
                let cell = self.type_of(arg)?;
                Ok(Some((make(ExprKind::Frame { dims: literal_dims(&dims), cell, cells }), Rule::Rep)))
            }
            ExprKind::Tuple(parts) => Ok(self.first(parts)?.map(|(parts, rule)| (make(ExprKind::Tuple(parts)), rule))),
            ExprKind::Record(fields) => {
                let parts: Vec<Expr> = fields.iter().map(|(_, part)| part.clone()).collect();
                let next = self.first(&parts)?;
                let record = |parts: Vec<Expr>| make(ExprKind::Record(fields.iter().map(|(label, _)| *label).zip(parts).collect()));
                Ok(next.map(|(parts, rule)| (record(parts), rule)))
            }
            ExprKind::Proj(at, tuple) => {
                if let Some((tuple, rule)) = self.step(tuple)? {
                    return Ok(Some((make(ExprKind::Proj(*at, tuple)), rule)));
                }
                let part = if let ExprKind::Tuple(parts) = tuple.kind() { parts.get(*at) } else { None };
                let part = part.ok_or_else(|| Stuck::malformed("a tuple with this component was expected", span))?;
                Ok(Some((part.clone(), Rule::Proj)))
            }
            ExprKind::Field(label, record) => {
                if let Some((record, rule)) = self.step(record)? {
                    return Ok(Some((make(ExprKind::Field(*label, record)), rule)));
                }
                let field = if let ExprKind::Record(fields) = record.kind() { fields.iter().find(|(l, _)| l == label) } else { None };
                let (_, field) = field.ok_or_else(|| Stuck::malformed("a record with this field was expected", span))?;
                Ok(Some((field.clone(), Rule::Field)))
            }
            ExprKind::Inject { label, ty, payload } => {
                let next = self.step(payload)?;
                Ok(next.map(|(payload, rule)| (make(ExprKind::Inject { label: *label, ty: ty.clone(), payload }), rule)))
            }
            ExprKind::Is(label, sum) => {
                if let Some((sum, rule)) = self.step(sum)? {
                    return Ok(Some((make(ExprKind::Is(*label, sum)), rule)));
                }
                let (made, _) = injected(sum, span)?;
                Ok(Some((lit(Scalar::Bool(made == *label), span), Rule::Is)))
            }
            ExprKind::Payload(label, sum) => {
                if let Some((sum, rule)) = self.step(sum)? {
                    return Ok(Some((make(ExprKind::Payload(*label, sum)), rule)));
                }
                match injected(sum, span)? {
                    (made, payload) if made == *label => Ok(Some((payload.clone(), Rule::Payload))),
                    (made, _) => Err(fault(Fault::payload(*label, made))),
                }
            }
            ExprKind::Box { indices, ty, body } => {
                let next = self.step(body)?;
                Ok(next.map(|(body, rule)| (make(ExprKind::Box { indices: indices.clone(), ty: ty.clone(), body }), rule)))
            }
            ExprKind::Unbox { boxed, value, indices, body } => {
                if let Some((boxed, rule)) = self.step(boxed)? {
                    let (value, indices, body) = (*value, indices.clone(), body.clone());
                    return Ok(Some((make(ExprKind::Unbox { boxed, value, indices, body }), rule)));
                }
                let ExprKind::Box { indices: hidden, body: content, .. } = boxed.kind() else {
                    return Err(Stuck::malformed("a box was expected", span));
                };
                let mut closing = Closing::default();
                for (name, (_, index)) in indices.iter().zip(hidden) {
                    closing.index(*name, index.clone());
                }
                closing.term(*value, content.clone());
                self.close(&closing, body).map(|body| Some((body, Rule::Unbox)))
            }
            ExprKind::ReifyDim(dim) => {
                let size = constant(dim).ok_or_else(|| Stuck::malformed("a size with variables", span))?;
                Ok(Some((lit(Scalar::I64(size), span), Rule::Reify)))
            }
            ExprKind::ReifyShape(shape) => {
                let items: Vec<Scalar> = constants(shape, span)?.into_iter().map(Scalar::I64).collect();
                let dims = vec![items.len() as u64];
                Ok(Some((make(ExprKind::Array { dims, elem: PrimType::I64, items }), Rule::Reify)))
            }
            ExprKind::Coerce { ty, expr } => {
                if let Some((expr, rule)) = self.step(expr)? {
                    return Ok(Some((make(ExprKind::Coerce { ty: ty.clone(), expr }), rule)));
                }
                if !equal(&self.type_of(expr)?, &self.type_of(whole)?) {
                    return Err(fault(Fault::new(Code::SizesDiffer, "the value has other sizes than the type says")));
                }
                Ok(Some((expr.clone(), Rule::Coerce)))
            }
            ExprKind::Assert { cond, message, expr } => {
                if let Some((cond, rule)) = self.step(cond)? {
                    return Ok(Some((make(ExprKind::Assert { cond, message: *message, expr: expr.clone() }), rule)));
                }
                match truth(cond)? {
                    true => Ok(Some((expr.clone(), Rule::Assert))),
                    false => Err(fault(Fault::new(Code::AssertionFailed, format!("assertion failed: {message}")))),
                }
            }
        }
    }

    /// The expressions with the first of them that is no value stepped.
    fn first(&mut self, exprs: &[Expr]) -> Stepped<Vec<Expr>> {
        for (at, expr) in exprs.iter().enumerate() {
            if let Some((next, rule)) = self.step(expr)? {
                let mut exprs = exprs.to_vec();
                exprs[at] = next;
                return Ok(Some((exprs, rule)));
            }
        }
        Ok(None)
    }

    fn close(&mut self, closing: &Closing, body: &Expr) -> Result<Expr, Stuck> {
        closing.expr(&mut self.free, body).map_err(Stuck::too_large(body.span()))
    }

    /// The body with values in the place of variables.
    fn put(&mut self, values: impl IntoIterator<Item = (Symbol, Expr)>, body: &Expr) -> Result<Expr, Stuck> {
        let mut closing = Closing::default();
        values.into_iter().for_each(|(name, value)| closing.term(name, value));
        self.close(&closing, body)
    }

    /// The type of an expression that is closed but for `variables`: the annotation that the paper's rules find on it.
    fn type_below(&self, variables: &[(Symbol, Type)], expr: &Expr) -> Result<Type, Stuck> {
        let mut env = TypeEnv::default();
        for (name, ty) in variables {
            env.variable(*name, ty.clone());
        }
        infer_type(&mut env, expr).map_err(|error| Stuck::malformed(error.message(), error.span))
    }

    fn type_of(&self, value: &Expr) -> Result<Type, Stuck> {
        self.type_below(&[], value)
    }

    fn collapse(&mut self, dims: &[u64], cell: &Type, cells: &[Expr], span: Span) -> Result<Expr, Stuck> {
        let inner = sizes(cell.shape(), span)?;
        let frame: Vec<usize> = dims.iter().map(|n| usize::try_from(*n).unwrap_or(usize::MAX)).collect();
        let whole = Block::collapsed(&frame, &inner, cells.iter().map(block_of)).map_err(|fault| Stuck::at(fault, span))?;
        Ok(from_block(whole, cell.atom(), span))
    }

    fn apply(&mut self, whole: &Expr, fun: &Expr, args: &[Expr]) -> Stepped<Expr> {
        let span = whole.span();
        let more = |result: Expr, rest: &[Expr]| {
            if rest.is_empty() { result } else { Expr::new(ExprKind::App { fun: result, args: rest.to_vec() }, span) }
        };
        if let ExprKind::Fn { params, ret, body } = fun.kind() {
            let mut closing = Closing::default();
            params.iter().zip(args).for_each(|((name, _), arg)| closing.term(*name, arg.clone()));
            if let Some(rest @ [_, ..]) = params.get(args.len()..) {
                let rest = Expr::new(ExprKind::Fn { params: rest.to_vec(), ret: ret.clone(), body: body.clone() }, span);
                return self.close(&closing, &rest).map(|rest| Some((rest, Rule::Beta)));
            }
            let body = self.close(&closing, body)?;
            return Ok(Some((more(body, &args[params.len()..]), Rule::Beta)));
        }
        let Some(mut spine) = spine(whole) else { return Err(Stuck::malformed("a function was expected", span)) };
        let arity = arity(&spine.primitive);
        if spine.args.len() < arity {
            return Ok(None);
        }
        let rest = spine.args.split_off(arity);
        let result = prims::delta(&spine, span)?;
        Ok(Some((more(result, &rest), Rule::Delta)))
    }

    fn instantiate(&mut self, whole: &Expr, fun: &Expr, types: &[Atom], indices: &[Index]) -> Stepped<Expr> {
        let span = whole.span();
        let mut closing = Closing::default();
        match fun.kind() {
            ExprKind::IFn { params, body } if !indices.is_empty() => {
                params.iter().zip(indices).for_each(|(name, index)| closing.index(*name, index.clone()));
                let body = self.close(&closing, body)?;
                let rest = |fun| Expr::new(ExprKind::Inst { fun, types: types.to_vec(), indices: Vec::new() }, span);
                Ok(Some((if types.is_empty() { body } else { rest(body) }, Rule::IBeta)))
            }
            ExprKind::TFn { params, body } if indices.is_empty() => {
                params.iter().zip(types).for_each(|(name, atom)| closing.atom(*name, atom.clone()));
                self.close(&closing, body).map(|body| Some((body, Rule::TBeta)))
            }
            _ => match spine(whole) {
                Some(spine) if arity(&spine.primitive) > 0 => Ok(None),
                Some(spine) => prims::delta(&spine, span).map(|result| Some((result, Rule::Delta))),
                None => Err(Stuck::malformed("a polymorphic value was expected", span)),
            },
        }
    }

    fn map(&mut self, frame: &Shape, args: &[(Symbol, Expr)], body: &Expr, span: Span) -> Stepped<Expr> {
        let dims = sizes(frame, span)?;
        if dims.is_empty() {
            return self.put(args.iter().cloned(), body).map(|body| Some((body, Rule::Let)));
        }
        let mut variables = Vec::with_capacity(args.len());
        let mut columns = Vec::with_capacity(args.len());
        for (name, arg) in args {
            let ty = self.type_of(arg)?;
            let inner = Shape { items: ty.shape().items.get(dims.len()..).unwrap_or(&[]).to_vec() };
            variables.push((*name, Type::new(ty.atom().clone(), inner)));
            let cells = block_of(arg).cells(dims.len()).map_err(|fault| Stuck::at(fault, span))?;
            columns.push(cells.into_iter().map(|cell| from_block(cell, ty.atom(), span)).collect::<Vec<_>>());
        }
        let cell = self.type_below(&variables, body)?;
        let mut cells = Vec::new();
        for i in 0..crate::runtime::dims::count(&dims) {
            let values: Vec<(Symbol, Expr)> = args.iter().zip(&columns).map(|((name, _), cells)| (*name, cells[i].clone())).collect();
            cells.push(self.put(values, body)?);
        }
        Ok(Some((Expr::new(ExprKind::Frame { dims: literal_dims(&dims), cell, cells }, span), Rule::Map)))
    }

    fn looping(&mut self, params: &[LoopParam], form: &LoopForm, body: &Expr, span: Span) -> Stepped<Expr> {
        let make = |kind: ExprKind| Expr::new(kind, span);
        let from = |inits: &[Expr], form: LoopForm| {
            let params = params.iter().zip(inits).map(|(param, init)| LoopParam { init: init.clone(), ..param.clone() }).collect();
            make(ExprKind::Loop { params, form, body: body.clone() })
        };
        let inits: Vec<Expr> = params.iter().map(|param| param.init.clone()).collect();
        if let Some((inits, rule)) = self.first(&inits)? {
            return Ok(Some((from(&inits, form.clone()), rule)));
        }
        let result = |inits: &[Expr]| if let [only] = inits { only.clone() } else { make(ExprKind::Tuple(inits.to_vec())) };
        match form {
            LoopForm::For(counter, bound) => {
                if let Some((bound, rule)) = self.step(bound)? {
                    return Ok(Some((from(&inits, LoopForm::For(*counter, bound)), rule)));
                }
                let ExprKind::Lit(Scalar::I64(n)) = bound.kind() else { return Err(Stuck::malformed("a bound was expected", span)) };
                if *n <= 0 {
                    return Ok(Some((result(&inits), Rule::For)));
                }
                let last = lit(Scalar::I64(n - 1), bound.span());
                let before = from(&inits, LoopForm::For(*counter, last.clone()));
                let body = self.put([(*counter, last)], body)?;
                Ok(Some((opened(params, before, body, span), Rule::For)))
            }
            LoopForm::While(cond) => {
                let values = || params.iter().map(|param| param.name).zip(inits.iter().cloned());
                let cond_now = self.put(values(), cond)?;
                let next = self.put(values(), body)?;
                let variables: Vec<Expr> = params.iter().map(|param| make(ExprKind::Var(param.name))).collect();
                let again = opened(params, next, from(&variables, form.clone()), span);
                Ok(Some((make(ExprKind::If { cond: cond_now, then: again, els: result(&inits) }), Rule::While)))
            }
        }
    }
}

/// `body` with the loop parameters bound to the value of `rhs`, which is a tuple of them unless there is just one.
fn opened(params: &[LoopParam], rhs: Expr, body: Expr, span: Span) -> Expr {
    let bind = |name, ty, rhs, body| Expr::new(ExprKind::Let { name, ty: Some(ty), rhs, body }, span);
    if let [param] = params {
        return bind(param.name, param.ty.clone(), rhs, body);
    }
    let all = fresh_symbol(Symbol::new("next"), |name| params.iter().any(|param| param.name == name));
    let part = |at| Expr::new(ExprKind::Proj(at, Expr::new(ExprKind::Var(all), span)), span);
    let body = params.iter().enumerate().rev().fold(body, |body, (at, param)| bind(param.name, param.ty.clone(), part(at), body));
    let ty = Type::scalar(Atom::Tuple(params.iter().map(|param| param.ty.clone()).collect()));
    bind(all, ty, rhs, body)
}

/// The constructor and payload of a value of a sum type.
fn injected(sum: &Expr, span: Span) -> Result<(Symbol, &Expr), Stuck> {
    match sum.kind() {
        ExprKind::Inject { label, payload, .. } => Ok((*label, payload)),
        _ => Err(Stuck::malformed("a sum was expected", span)),
    }
}

fn truth(cond: &Expr) -> Result<bool, Stuck> {
    match cond.kind() {
        ExprKind::Lit(Scalar::Bool(truth)) => Ok(*truth),
        _ => Err(Stuck::malformed("a truth value was expected", cond.span())),
    }
}
