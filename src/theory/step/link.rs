//! Programs as closed expressions.

use super::{Step, Stuck, typed};
use crate::base::{PrimType, Span, Symbol};
use crate::ir::core::closing::{Closing, rename_primitives};
use crate::ir::core::free::FreeVars;
use crate::ir::core::{Atom, Expr, ExprKind, Index, LoopForm, Program};
use rustc_hash::FxHashSet;

/// The body of a definition with the values of the definitions it uses put in, a state of the machine.
///
/// Definitions are evaluated in order, before the result is: one that fails makes the whole fail, whether or not its value is
/// ever needed. `fuel` is the number of steps that all of them together may take; `None` when they take more, when there is no such
/// definition, or when one that is used calls itself: states are closed, and what a definition is to itself is no expression.
pub fn close(program: &Program, name: Symbol, mut fuel: usize) -> Result<Option<Expr>, Stuck> {
    let Some(last) = program.defs.iter().position(|define| define.name == name) else { return Ok(None) };
    let used = used_by(program, last);
    if used.iter().any(|at| program.defs[*at].recursive) {
        return Ok(None);
    }
    let names: FxHashSet<Symbol> = program.defs.iter().map(|define| define.name).collect();
    let mut closing = Closing::default();
    let mut free = FreeVars::default();
    for (at, define) in program.defs.iter().enumerate().take(last + 1).filter(|(at, _)| used.contains(at)) {
        let too_large = Stuck::too_large(define.span);
        let body = rename_primitives(&mut free, &define.body, &|name| names.contains(&name)).map_err(&too_large)?;
        let mut state = closing.expr(&mut free, &body).map_err(&too_large)?;
        if at == last {
            return Ok(Some(state));
        }
        loop {
            match typed::step(&state) {
                Step::Value => break,
                Step::Stuck(stuck) => return Err(stuck),
                Step::Next(next, _) => state = next,
            }
            match fuel.checked_sub(1) {
                Some(left) => fuel = left,
                None => return Ok(None),
            }
        }
        closing.term(define.name, state);
    }
    Ok(None)
}

/// An expression instantiated with indices and applied to arguments, either of which may be none.
pub fn applied(fun: Expr, indices: Vec<Index>, args: Vec<Expr>) -> Expr {
    let span = Span::default();
    let fun = if indices.is_empty() { fun } else { Expr::new(ExprKind::Inst { fun, types: Vec::new(), indices }, span) };
    if args.is_empty() { fun } else { Expr::new(ExprKind::App { fun, args }, span) }
}

/// The definitions that one needs: those it mentions, and all numbers, which sizes may mention.
fn used_by(program: &Program, last: usize) -> FxHashSet<usize> {
    let number = |at: &usize| {
        let ty = &program.defs[*at].ty;
        ty.shape().is_scalar() && *ty.atom() == Atom::Prim(PrimType::I64)
    };
    let mut used: FxHashSet<usize> = (0..last).filter(number).chain([last]).collect();
    for at in (0..=last).rev() {
        if used.contains(&at) {
            let mut names = FxHashSet::default();
            variables(&program.defs[at].body, &mut names);
            used.extend((0..at).filter(|earlier| names.contains(&program.defs[*earlier].name)));
        }
    }
    used
}

/// All names of term variables in an expression.
fn variables(expr: &Expr, out: &mut FxHashSet<Symbol>) {
    let mut all = |exprs: &[&Expr]| exprs.iter().for_each(|expr| variables(expr, out));
    match expr.kind() {
        ExprKind::Var(name) => {
            out.insert(*name);
        }
        ExprKind::Lit(_) | ExprKind::Array { .. } | ExprKind::ReifyDim(_) | ExprKind::ReifyShape(_) => {}
        ExprKind::Frame { cells, .. } => cells.iter().for_each(|cell| variables(cell, out)),
        ExprKind::Tuple(parts) => parts.iter().for_each(|part| variables(part, out)),
        ExprKind::App { fun, args } => {
            all(&[fun]);
            args.iter().for_each(|arg| variables(arg, out));
        }
        ExprKind::Inst { fun, .. } => all(&[fun]),
        ExprKind::Fn { body, .. } | ExprKind::IFn { body, .. } | ExprKind::TFn { body, .. } | ExprKind::Box { body, .. } => all(&[body]),
        ExprKind::Let { rhs, body, .. } => all(&[rhs, body]),
        ExprKind::If { cond, then, els } => all(&[cond, then, els]),
        ExprKind::Loop { params, form, body } => {
            let (LoopForm::For(_, inner) | LoopForm::While(inner)) = form;
            all(&[inner, body]);
            params.iter().for_each(|param| variables(&param.init, out));
        }
        ExprKind::Map { args, body, .. } => {
            all(&[body]);
            args.iter().for_each(|(_, arg)| variables(arg, out));
        }
        ExprKind::Rep { arg, .. } => all(&[arg]),
        ExprKind::Proj(_, inner)
        | ExprKind::Field(_, inner)
        | ExprKind::Inject { payload: inner, .. }
        | ExprKind::Is(_, inner)
        | ExprKind::Payload(_, inner) => all(&[inner]),
        ExprKind::Record(fields) => fields.iter().for_each(|(_, field)| variables(field, out)),
        ExprKind::Unbox { boxed, body, .. } => all(&[boxed, body]),
        ExprKind::Coerce { expr, .. } => all(&[expr]),
        ExprKind::Assert { cond, expr, .. } => all(&[cond, expr]),
    }
}
