//! Reduction of erased core.

mod prims;
mod values;

use super::sizes::{constants, literal_dims, size, sizes, usizes};
use super::{Rule, Step, Stuck};
use crate::base::scalar::Member;
use crate::base::{Code, Scalar, Span, Symbol};
use crate::ir::core::Primitive;
use crate::ir::core::subst::fresh_symbol;
use crate::ir::core::{Index, Shape};
use crate::runtime::block::{Block, Fault};
use crate::theory::erased::subst::Closing;
use crate::theory::erased::{Expr, ExprKind, LoopForm};
use values::{block_of, from_block, lit};

/// One step.
pub fn step(expr: &Expr) -> Step<Expr> {
    Step::of(reduce(expr))
}

/// Whether a closed expression is a value.
pub fn is_value(expr: &Expr) -> bool {
    matches!(step(expr), Step::Value)
}

type Stepped<T> = Result<Option<(T, Rule)>, Stuck>;

/// A primitive with what it has been given so far.
struct Spine {
    primitive: Primitive,
    /// What it is instantiated with, one list for each instantiation.
    indices: Vec<Vec<Index>>,
    args: Vec<Expr>,
}

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
        ExprKind::Var(name) => Some(Spine { primitive: Primitive::find(*name)?, indices: Vec::new(), args: Vec::new() }),
        ExprKind::Inst { fun, indices } => {
            let mut spine = spine(fun)?;
            spine.indices.push(indices.clone());
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

/// The next state; `None` for a value.
#[expect(clippy::too_many_lines, reason = "the rules of reduction, one for each form, as the paper lists them")]
fn reduce(expr: &Expr) -> Stepped<Expr> {
    let span = expr.span();
    let make = |kind: ExprKind| Expr::new(kind, span);
    match expr.kind() {
        ExprKind::Var(name) => match Primitive::find(*name) {
            Some(Primitive::Member(Member::Constant(value))) => Ok(Some((lit(value, span), Rule::Constant))),
            Some(_) => Ok(None),
            None => Err(Stuck::malformed(format!("the variable `{name}` is free"), span)),
        },
        ExprKind::Lit(_) | ExprKind::Fn { .. } | ExprKind::IFn { .. } => Ok(None),
        ExprKind::Array { dims, atoms } => {
            if let Some((atoms, rule)) = first(atoms)? {
                return Ok(Some((make(ExprKind::Array { dims: dims.clone(), atoms }), rule)));
            }
            match (dims.as_slice(), atoms.as_slice()) {
                ([], [only]) => Ok(Some((only.clone(), Rule::Collapse))),
                _ => Ok(None),
            }
        }
        ExprKind::Frame { dims, cell, cells } => {
            if let Some((cells, rule)) = first(cells)? {
                return Ok(Some((Expr::frame(dims.clone(), cell.clone(), cells, span), rule)));
            }
            if let ([], [only]) = (dims.as_slice(), cells.as_slice()) {
                return Ok(Some((only.clone(), Rule::Collapse)));
            }
            let inner = sizes(cell, span)?;
            let whole = Block::collapsed(&usizes(dims), &inner, cells.iter().map(block_of)).map_err(|f| Stuck::at(f, span))?;
            Ok(Some((from_block(whole, span), Rule::Collapse)))
        }
        ExprKind::App { fun, args } => {
            if let Some((fun, rule)) = reduce(fun)? {
                return Ok(Some((make(ExprKind::App { fun, args: args.clone() }), rule)));
            }
            if let Some((args, rule)) = first(args)? {
                return Ok(Some((make(ExprKind::App { fun: fun.clone(), args }), rule)));
            }
            apply(expr, fun, args)
        }
        ExprKind::Inst { fun, indices } => {
            if let Some((fun, rule)) = reduce(fun)? {
                return Ok(Some((make(ExprKind::Inst { fun, indices: indices.clone() }), rule)));
            }
            match fun.kind() {
                ExprKind::IFn { params, body } => {
                    let mut closing = Closing::default();
                    params.iter().zip(indices).for_each(|(name, index)| closing.index(*name, index.clone()));
                    close(&closing, body).map(|body| Some((body, Rule::IBeta)))
                }
                _ => match spine(expr) {
                    Some(spine) if arity(&spine.primitive) > 0 => Ok(None),
                    Some(spine) => prims::delta(&spine, span).map(|result| Some((result, Rule::Delta))),
                    None => Err(Stuck::malformed("an index abstraction was expected", span)),
                },
            }
        }
        ExprKind::Let { name, rhs, body } => {
            if let Some((rhs, rule)) = reduce(rhs)? {
                return Ok(Some((make(ExprKind::Let { name: *name, rhs, body: body.clone() }), rule)));
            }
            put([(*name, rhs.clone())], body).map(|body| Some((body, Rule::Let)))
        }
        ExprKind::If { cond, then, els } => {
            if let Some((cond, rule)) = reduce(cond)? {
                return Ok(Some((make(ExprKind::If { cond, then: then.clone(), els: els.clone() }), rule)));
            }
            let branch = if truth(cond)? { then } else { els };
            Ok(Some((branch.clone(), Rule::If)))
        }
        ExprKind::Loop { params, form, body } => looping(params, form, body, span),
        ExprKind::Map { frame, args, body, cell } => {
            let values: Vec<Expr> = args.iter().map(|(_, arg)| arg.clone()).collect();
            if let Some((values, rule)) = first(&values)? {
                let args = args.iter().map(|(name, _)| *name).zip(values).collect();
                return Ok(Some((make(ExprKind::Map { frame: frame.clone(), args, body: body.clone(), cell: cell.clone() }), rule)));
            }
            map(frame, args, body, cell, span)
        }
        ExprKind::Rep { frame, arg } => {
            if let Some((arg, rule)) = reduce(arg)? {
                return Ok(Some((make(ExprKind::Rep { frame: frame.clone(), arg }), rule)));
            }
            let dims = sizes(frame, span)?;
            let cells = Block::atom(arg.clone()).replicated(&dims).map_err(|f| Stuck::at(f, span))?.atoms;
            let cell = Shape::dims(block_of(arg).dims.iter().map(|n| size(*n)));
            Ok(Some((Expr::frame(literal_dims(&dims), cell, cells, span), Rule::Rep)))
        }
        ExprKind::Tuple(parts) => Ok(first(parts)?.map(|(parts, rule)| (make(ExprKind::Tuple(parts)), rule))),
        ExprKind::Record(fields) => {
            let parts: Vec<Expr> = fields.iter().map(|(_, part)| part.clone()).collect();
            let record = |parts: Vec<Expr>| make(ExprKind::Record(fields.iter().map(|(label, _)| *label).zip(parts).collect()));
            Ok(first(&parts)?.map(|(parts, rule)| (record(parts), rule)))
        }
        ExprKind::Proj(at, tuple) => {
            if let Some((tuple, rule)) = reduce(tuple)? {
                return Ok(Some((make(ExprKind::Proj(*at, tuple)), rule)));
            }
            let part = if let ExprKind::Tuple(parts) = tuple.kind() { parts.get(*at) } else { None };
            let part = part.ok_or_else(|| Stuck::malformed("a tuple with this component was expected", span))?;
            Ok(Some((part.clone(), Rule::Proj)))
        }
        ExprKind::Field(label, record) => {
            if let Some((record, rule)) = reduce(record)? {
                return Ok(Some((make(ExprKind::Field(*label, record)), rule)));
            }
            let field = if let ExprKind::Record(fields) = record.kind() { fields.iter().find(|(l, _)| l == label) } else { None };
            let (_, field) = field.ok_or_else(|| Stuck::malformed("a record with this field was expected", span))?;
            Ok(Some((field.clone(), Rule::Field)))
        }
        ExprKind::Inject(label, payload) => Ok(reduce(payload)?.map(|(payload, rule)| (make(ExprKind::Inject(*label, payload)), rule))),
        ExprKind::Is(label, sum) => {
            if let Some((sum, rule)) = reduce(sum)? {
                return Ok(Some((make(ExprKind::Is(*label, sum)), rule)));
            }
            let (made, _) = injected(sum, span)?;
            Ok(Some((lit(Scalar::Bool(made == *label), span), Rule::Is)))
        }
        ExprKind::Payload(label, sum) => {
            if let Some((sum, rule)) = reduce(sum)? {
                return Ok(Some((make(ExprKind::Payload(*label, sum)), rule)));
            }
            match injected(sum, span)? {
                (made, payload) if made == *label => Ok(Some((payload.clone(), Rule::Payload))),
                (made, _) => Err(Stuck::at(Fault::payload(*label, made), span)),
            }
        }
        ExprKind::Box { indices, body } => {
            Ok(reduce(body)?.map(|(body, rule)| (make(ExprKind::Box { indices: indices.clone(), body }), rule)))
        }
        ExprKind::Unbox { boxed, value, indices, body } => {
            if let Some((boxed, rule)) = reduce(boxed)? {
                let kind = ExprKind::Unbox { boxed, value: *value, indices: indices.clone(), body: body.clone() };
                return Ok(Some((make(kind), rule)));
            }
            let ExprKind::Box { indices: hidden, body: content } = boxed.kind() else {
                return Err(Stuck::malformed("a box was expected", span));
            };
            let mut closing = Closing::default();
            indices.iter().zip(hidden).for_each(|(name, index)| closing.index(*name, index.clone()));
            closing.term(*value, content.clone());
            close(&closing, body).map(|body| Some((body, Rule::Unbox)))
        }
        ExprKind::ReifyDim(dim) => {
            let size = dim.as_constant().ok_or_else(|| Stuck::malformed("a size with variables", span))?;
            Ok(Some((lit(Scalar::I64(size), span), Rule::Reify)))
        }
        ExprKind::ReifyShape(shape) => {
            let atoms: Vec<Expr> = constants(shape, span)?.into_iter().map(|n| lit(Scalar::I64(n), span)).collect();
            Ok(Some((make(ExprKind::Array { dims: vec![atoms.len() as u64], atoms }), Rule::Reify)))
        }
        ExprKind::Coerce { checks, expr } => {
            if let Some((expr, rule)) = reduce(expr)? {
                return Ok(Some((make(ExprKind::Coerce { checks: checks.clone(), expr }), rule)));
            }
            match checks.iter().all(|(from, to)| from == to) {
                true => Ok(Some((expr.clone(), Rule::Coerce))),
                false => Err(Stuck::at(Fault::new(Code::SizesDiffer, "the value has other sizes than the type says"), span)),
            }
        }
        ExprKind::Assert { cond, message, expr } => {
            if let Some((cond, rule)) = reduce(cond)? {
                return Ok(Some((make(ExprKind::Assert { cond, message: *message, expr: expr.clone() }), rule)));
            }
            match truth(cond)? {
                true => Ok(Some((expr.clone(), Rule::Assert))),
                false => Err(Stuck::at(Fault::new(Code::AssertionFailed, format!("assertion failed: {message}")), span)),
            }
        }
    }
}

/// The expressions with the first of them that is no value stepped.
fn first(exprs: &[Expr]) -> Stepped<Vec<Expr>> {
    for (at, expr) in exprs.iter().enumerate() {
        if let Some((next, rule)) = reduce(expr)? {
            let mut exprs = exprs.to_vec();
            exprs[at] = next;
            return Ok(Some((exprs, rule)));
        }
    }
    Ok(None)
}

fn close(closing: &Closing, body: &Expr) -> Result<Expr, Stuck> {
    closing.expr(body).map_err(Stuck::too_large(body.span()))
}

/// The body with values in the place of variables.
fn put(values: impl IntoIterator<Item = (Symbol, Expr)>, body: &Expr) -> Result<Expr, Stuck> {
    let mut closing = Closing::default();
    values.into_iter().for_each(|(name, value)| closing.term(name, value));
    close(&closing, body)
}

/// The constructor and payload of a value of a sum type.
fn injected(sum: &Expr, span: Span) -> Result<(Symbol, &Expr), Stuck> {
    match sum.kind() {
        ExprKind::Inject(label, payload) => Ok((*label, payload)),
        _ => Err(Stuck::malformed("a sum was expected", span)),
    }
}

fn truth(cond: &Expr) -> Result<bool, Stuck> {
    match cond.kind() {
        ExprKind::Lit(Scalar::Bool(truth)) => Ok(*truth),
        _ => Err(Stuck::malformed("a truth value was expected", cond.span())),
    }
}

fn apply(whole: &Expr, fun: &Expr, args: &[Expr]) -> Stepped<Expr> {
    let span = whole.span();
    let more = |result: Expr, rest: &[Expr]| {
        if rest.is_empty() { result } else { Expr::new(ExprKind::App { fun: result, args: rest.to_vec() }, span) }
    };
    if let ExprKind::Fn { params, body } = fun.kind() {
        let values = params.iter().copied().zip(args.iter().cloned());
        if let Some(rest @ [_, ..]) = params.get(args.len()..) {
            let rest = Expr::new(ExprKind::Fn { params: rest.to_vec(), body: body.clone() }, span);
            return put(values, &rest).map(|rest| Some((rest, Rule::Beta)));
        }
        let body = put(values, body)?;
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

fn map(frame: &Shape, args: &[(Symbol, Expr)], body: &Expr, cell: &Shape, span: Span) -> Stepped<Expr> {
    let dims = sizes(frame, span)?;
    if dims.is_empty() {
        return put(args.iter().cloned(), body).map(|body| Some((body, Rule::Let)));
    }
    let mut columns = Vec::with_capacity(args.len());
    for (_, arg) in args {
        let cells = block_of(arg).cells(dims.len()).map_err(|f| Stuck::at(f, span))?;
        columns.push(cells.into_iter().map(|cell| from_block(cell, span)).collect::<Vec<_>>());
    }
    let mut cells = Vec::new();
    for i in 0..crate::runtime::dims::count(&dims) {
        cells.push(put(args.iter().zip(&columns).map(|((name, _), cells)| (*name, cells[i].clone())), body)?);
    }
    Ok(Some((Expr::frame(literal_dims(&dims), cell.clone(), cells, span), Rule::Map)))
}

fn looping(params: &[(Symbol, Expr)], form: &LoopForm, body: &Expr, span: Span) -> Stepped<Expr> {
    let make = |kind: ExprKind| Expr::new(kind, span);
    let names: Vec<Symbol> = params.iter().map(|(name, _)| *name).collect();
    let inits: Vec<Expr> = params.iter().map(|(_, init)| init.clone()).collect();
    let from = |inits: &[Expr], form: LoopForm| {
        make(ExprKind::Loop { params: names.iter().copied().zip(inits.iter().cloned()).collect(), form, body: body.clone() })
    };
    if let Some((inits, rule)) = first(&inits)? {
        return Ok(Some((from(&inits, form.clone()), rule)));
    }
    let result = |inits: &[Expr]| if let [only] = inits { only.clone() } else { make(ExprKind::Tuple(inits.to_vec())) };
    match form {
        LoopForm::For(counter, bound) => {
            if let Some((bound, rule)) = reduce(bound)? {
                return Ok(Some((from(&inits, LoopForm::For(*counter, bound)), rule)));
            }
            let ExprKind::Lit(Scalar::I64(n)) = bound.kind() else { return Err(Stuck::malformed("a bound was expected", span)) };
            if *n <= 0 {
                return Ok(Some((result(&inits), Rule::For)));
            }
            let last = lit(Scalar::I64(n - 1), bound.span());
            let before = from(&inits, LoopForm::For(*counter, last.clone()));
            Ok(Some((opened(&names, before, put([(*counter, last)], body)?, span), Rule::For)))
        }
        LoopForm::While(cond) => {
            let values = || names.iter().copied().zip(inits.iter().cloned());
            let cond_now = put(values(), cond)?;
            let next = put(values(), body)?;
            let variables: Vec<Expr> = names.iter().map(|name| make(ExprKind::Var(*name))).collect();
            let again = opened(&names, next, from(&variables, form.clone()), span);
            Ok(Some((make(ExprKind::If { cond: cond_now, then: again, els: result(&inits) }), Rule::While)))
        }
    }
}

/// `body` with the loop parameters bound to the value of `rhs`, which is a tuple of them unless there is just one.
fn opened(names: &[Symbol], rhs: Expr, body: Expr, span: Span) -> Expr {
    let bind = |name, rhs, body| Expr::new(ExprKind::Let { name, rhs, body }, span);
    if let [name] = names {
        return bind(*name, rhs, body);
    }
    let all = fresh_symbol(Symbol::new("next"), |name| names.contains(&name));
    let part = |at| Expr::new(ExprKind::Proj(at, Expr::new(ExprKind::Var(all), span)), span);
    let body = names.iter().enumerate().rev().fold(body, |body, (at, name)| bind(*name, part(at), body));
    bind(all, rhs, body)
}
