//! How much stack the threads of the evaluator need: evaluation, and compilation before it, recurses as deeply as expressions nest.

use crate::ir::core::{Define, Expr, ExprKind, LoopForm};
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// Stack of a thread that evaluates flat expressions.
const BASE: usize = 16 << 20;
/// Bytes for each node of the program. A level of nesting has several nodes; frames without optimisation are larger.
const NODE: usize = if cfg!(debug_assertions) { 4 << 10 } else { 1 << 10 };
/// No thread gets more than this, unless definitions call themselves.
const MOST: usize = 1 << 30;

/// Stack of a thread that evaluates recursive definitions.
const RECURSIVE: usize = 4 << 30;

/// Bytes of stack that suffice for evaluating these definitions: no path through them is longer than they have nodes together, but for
/// those that call themselves.
pub(super) fn stack<'a>(definitions: impl Iterator<Item = &'a Define>) -> usize {
    let mut seen = FxHashSet::default();
    let mut recursive = false;
    let mut open: Vec<&Expr> = definitions
        .map(|define| {
            recursive |= define.recursive;
            &define.body
        })
        .collect();
    if recursive {
        return RECURSIVE;
    }
    while let Some(expr) = open.pop() {
        if seen.insert(Arc::as_ptr(&expr.0)) && BASE + seen.len() * NODE < MOST {
            parts(expr, &mut |part| open.push(part));
        }
    }
    (BASE + seen.len() * NODE).min(MOST)
}

/// The expressions that an expression consists of.
fn parts<'a>(expr: &'a Expr, see: &mut dyn FnMut(&'a Expr)) {
    match expr.kind() {
        ExprKind::Var(_) | ExprKind::Lit(_) | ExprKind::Array { .. } | ExprKind::ReifyDim(_) | ExprKind::ReifyShape(_) => {}
        ExprKind::Frame { cells: parts, .. } | ExprKind::Tuple(parts) => parts.iter().for_each(see),
        ExprKind::App { fun, args } => std::iter::once(fun).chain(args).for_each(see),
        ExprKind::Inst { fun: part, .. }
        | ExprKind::Fn { body: part, .. }
        | ExprKind::IFn { body: part, .. }
        | ExprKind::TFn { body: part, .. }
        | ExprKind::Rep { arg: part, .. }
        | ExprKind::Proj(_, part)
        | ExprKind::Field(_, part)
        | ExprKind::Inject { payload: part, .. }
        | ExprKind::Is(_, part)
        | ExprKind::Payload(_, part)
        | ExprKind::Box { body: part, .. }
        | ExprKind::Coerce { expr: part, .. } => see(part),
        ExprKind::Let { rhs: a, body: b, .. } | ExprKind::Unbox { boxed: a, body: b, .. } | ExprKind::Assert { cond: a, expr: b, .. } => {
            [a, b].into_iter().for_each(see);
        }
        ExprKind::If { cond, then, els } => [cond, then, els].into_iter().for_each(see),
        ExprKind::Loop { params, form: LoopForm::For(_, bound) | LoopForm::While(bound), body } => {
            params.iter().map(|param| &param.init).chain([bound, body]).for_each(see);
        }
        ExprKind::Map { args, body, .. } => args.iter().map(|(_, arg)| arg).chain([body]).for_each(see),
        ExprKind::Record(fields) => fields.iter().map(|(_, field)| field).for_each(see),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::scalar::Op;
    use crate::base::{PrimType, Scalar, Span, Symbol};
    use crate::ir::core::Type;

    fn define(levels: usize) -> Define {
        let literal = || Expr::new(ExprKind::Lit(Scalar::I64(1)), Span::default());
        let add = || Expr::op(Op::Add, PrimType::I64, Span::default());
        let body =
            (0..levels).fold(literal(), |sum, _| Expr::new(ExprKind::App { fun: add(), args: vec![sum, literal()] }, Span::default()));
        Define { name: Symbol::new("f"), ty: Type::prim(PrimType::I64), body, entry: false, recursive: false, span: Span::default() }
    }

    #[test]
    fn stacks_grow_with_programs() {
        crate::base::with_big_stack(|| {
            assert!(stack([define(10)].iter()) < 2 * BASE);
            assert!(stack([define(10_000)].iter()) > BASE + 10_000 * NODE);
            assert_eq!(stack([define(400_000)].iter()), MOST);
        });
    }
}
