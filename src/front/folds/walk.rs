//! The walk over core: finds the folds, and judges each.

use super::error::{Assumption, Error};
use super::evaluate::{Bound, Evaluator, Val};
use super::samples::{agree, extremes, samples, swallows, truths};
use super::{Fold, MOST_STEPS, fold};
use crate::base::{PrimType, Symbol};
use crate::ir::core::{Atom, Expr, ExprKind, ExprNode, LoopForm, Prim, Shape, Type};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

pub(super) use super::evaluate::Scope;

/// A walk over a definition.
pub(super) struct Walk<'a> {
    pub evaluator: Evaluator<'a>,
    pub errors: Vec<Error>,
    /// Expressions are shared.
    seen: FxHashSet<*const ExprNode>,
}

impl<'a> Walk<'a> {
    pub fn new(definitions: &'a FxHashMap<Symbol, Expr>) -> Walk<'a> {
        Walk { evaluator: Evaluator::new(definitions), errors: Vec::new(), seen: FxHashSet::default() }
    }

    /// Looks at an expression and all of its parts.
    pub fn expr(&mut self, expr: &Expr, scope: Scope) {
        if !self.seen.insert(Arc::as_ptr(&expr.0)) {
            return;
        }
        match expr.kind() {
            ExprKind::Var(_) | ExprKind::Lit(_) | ExprKind::Array { .. } | ExprKind::ReifyDim(_) | ExprKind::ReifyShape(_) => {}
            ExprKind::Frame { cells: parts, .. } | ExprKind::Tuple(parts) => parts.iter().for_each(|part| self.expr(part, scope)),
            ExprKind::App { fun, args } => {
                self.application(fun, args, scope);
                self.expr(fun, scope);
                args.iter().for_each(|arg| self.expr(arg, scope));
            }
            ExprKind::Inst { fun: inner, .. }
            | ExprKind::IFn { body: inner, .. }
            | ExprKind::TFn { body: inner, .. }
            | ExprKind::Rep { arg: inner, .. }
            | ExprKind::Proj(_, inner)
            | ExprKind::Field(_, inner)
            | ExprKind::Inject { payload: inner, .. }
            | ExprKind::Is(_, inner)
            | ExprKind::Payload(_, inner)
            | ExprKind::Box { body: inner, .. }
            | ExprKind::Coerce { expr: inner, .. } => self.expr(inner, scope),
            ExprKind::Fn { params, body, .. } => {
                let inner = params.iter().fold(scope, |scope, (name, ty)| self.evaluator.bind(*name, Bound::Any(ty.clone()), scope));
                self.expr(body, inner);
            }
            ExprKind::Let { name, ty, rhs, body } => {
                self.expr(rhs, scope);
                let inner = self.evaluator.bind(*name, Bound::Later(rhs.clone(), scope, ty.clone()), scope);
                self.expr(body, inner);
            }
            ExprKind::If { cond, then, els } => [cond, then, els].into_iter().for_each(|part| self.expr(part, scope)),
            ExprKind::Loop { params, form, body } => {
                params.iter().for_each(|param| self.expr(&param.init, scope));
                let mut inner = scope;
                for param in params {
                    inner = self.evaluator.bind(param.name, Bound::Any(param.ty.clone()), inner);
                }
                match form {
                    LoopForm::For(var, count) => {
                        self.expr(count, scope);
                        let ty = Type::prim(PrimType::I64);
                        inner = self.evaluator.bind(*var, Bound::Any(ty), inner);
                    }
                    LoopForm::While(cond) => self.expr(cond, inner),
                }
                self.expr(body, inner);
            }
            ExprKind::Map { args, body, .. } => {
                let mut inner = scope;
                for (name, arg) in args {
                    self.expr(arg, scope);
                    inner = self.evaluator.bind(*name, Bound::Later(arg.clone(), scope, None), inner);
                }
                self.expr(body, inner);
            }
            ExprKind::Record(fields) => fields.iter().for_each(|(_, part)| self.expr(part, scope)),
            ExprKind::Unbox { boxed, value, body, .. } => {
                self.expr(boxed, scope);
                let inner = self.evaluator.bind(*value, Bound::Unknown, scope);
                self.expr(body, inner);
            }
            ExprKind::Assert { cond, expr, .. } => [cond, expr].into_iter().for_each(|part| self.expr(part, scope)),
        }
    }

    fn application(&mut self, fun: &Expr, args: &[Expr], scope: Scope) {
        let ExprKind::Inst { fun: primitive, types, .. } = fun.kind() else { return };
        let (ExprKind::Var(name), [atom, ..]) = (primitive.kind(), types.as_slice()) else { return };
        let Some(fold) = fold(*name) else { return };
        let (Some(operator), Some(neutral)) = (args.get(fold.operator), args.get(fold.neutral)) else { return };
        let ty = Type::new(atom.clone(), Shape::default());
        let found = self.judge(&fold, &Place { name: *name, ty, operator, neutral, scope });
        self.errors.extend(found);
    }

    fn judge(&mut self, fold: &Fold, place: &Place) -> Option<Error> {
        self.evaluator.begin(MOST_STEPS);
        let operator = self.evaluator.eval(place.operator, place.scope)?;
        let mut found = self.difference(fold, &operator, &samples(&place.ty)?, place)?;
        let scalar = matches!(place.ty.atom(), Atom::Prim(_));
        // Values of a program may be such that a condition is as it has to be: truth values written as numbers, of tuples others, too.
        if self.evaluator.branched {
            found = if scalar { self.difference(fold, &operator, &truths(&place.ty)?, place)? } else { return None };
        }
        // Nor is it known how they compare with other variables.
        if self.evaluator.uses > 0 && (self.evaluator.branched || self.evaluator.delicate) {
            return None;
        }
        let at = if matches!(found.assumption, Assumption::Neutral | Assumption::Leaves) { place.neutral } else { place.operator };
        Some(Error {
            at: at.0.span,
            fold: place.name,
            assumption: found.assumption,
            of: found.of.iter().map(Val::to_string).collect(),
            results: found.results.map(|value| value.to_string()),
            given: self.evaluator.shown.iter().map(|(name, value)| (*name, value.to_string())).collect(),
        })
    }

    /// Values for which something does not hold.
    fn difference(&mut self, fold: &Fold, operator: &Val, values: &[Val], place: &Place) -> Option<Difference> {
        let outcome = self.groups(fold, operator, values).and_then(|()| self.start(fold, operator, values, place));
        match outcome {
            Err(Stop::Differs(found)) => Some(found),
            Ok(()) | Err(Stop::Unjudged) => None,
        }
    }

    /// Whether elements may be grouped in any way, and change places where they do.
    fn groups(&mut self, fold: &Fold, operator: &Val, values: &[Val]) -> Result<(), Stop> {
        for (at, [a, b]) in pairs(values) {
            // Histograms are combined in order, whatever their documentation asks for.
            if fold.prim == Prim::ReduceComm {
                self.compare(Assumption::Commutative, &[a, b], |evaluator| {
                    Some([evaluator.apply2(operator, a, b)?, evaluator.apply2(operator, b, a)?])
                })?;
            }
            for c in cyclic(values, at + 1) {
                self.compare(Assumption::Associative, &[a, b, c], |evaluator| {
                    let left = evaluator.apply2(operator, a, b)?;
                    let right = evaluator.apply2(operator, b, c)?;
                    Some([evaluator.apply2(operator, &left, c)?, evaluator.apply2(operator, a, &right)?])
                })?;
            }
        }
        Ok(())
    }

    /// Whether what is given as neutral makes no difference where two groups start from it, and is not all that comes out.
    fn start(&mut self, fold: &Fold, operator: &Val, values: &[Val], place: &Place) -> Result<(), Stop> {
        let before = self.evaluator.uses;
        self.evaluator.failed = false;
        let start = self.evaluator.eval(place.neutral, place.scope).ok_or(Stop::Unjudged)?;
        // Whoever passes it may well pass the right one.
        if self.evaluator.uses > before || self.evaluator.failed {
            return Ok(());
        }
        for (_, [a, b]) in pairs(values) {
            self.compare(Assumption::Neutral, &[a, b], |evaluator| {
                let second = evaluator.apply2(operator, &start, b)?;
                let first = match fold.prim {
                    Prim::ReduceByIndex => a.clone(),
                    _ => evaluator.apply2(operator, &start, a)?,
                };
                Some([evaluator.apply2(operator, &first, b)?, evaluator.apply2(operator, &first, &second)?])
            })?;
        }
        if fold.prim == Prim::ReduceByIndex || !self.never_leaves(operator, values, &start, place) {
            return Ok(());
        }
        Err(Stop::Differs(Difference { assumption: Assumption::Leaves, of: Vec::new(), results: [start.clone(), start] }))
    }

    /// Whether what is combined with a start comes out as the start, whatever it is.
    fn never_leaves(&mut self, operator: &Val, values: &[Val], start: &Val, place: &Place) -> bool {
        let Some(all) = extremes(&place.ty) else { return false };
        let stays = all.iter().all(|value| self.evaluator.apply2(operator, start, value).is_some_and(|result| swallows(start, &result)));
        // Unless the operator takes its first operand, whatever that is.
        stays && !values.iter().all(|a| self.evaluator.apply2(operator, a, start).is_some_and(|result| swallows(a, &result)))
    }

    /// Whether two ways come to the same, or one of them fails.
    fn compare(
        &mut self,
        assumption: Assumption,
        of: &[&Val],
        make: impl FnOnce(&mut Evaluator<'a>) -> Option<[Val; 2]>,
    ) -> Result<(), Stop> {
        self.evaluator.failed = false;
        match make(&mut self.evaluator) {
            Some([one, other]) if agree(&one, &other) => Ok(()),
            Some(results) => Err(Stop::Differs(Difference { assumption, of: of.iter().map(|value| (*value).clone()).collect(), results })),
            None if self.evaluator.failed => Ok(()),
            None => Err(Stop::Unjudged),
        }
    }
}

/// All pairs of values, different ones first, each with the place of its second value.
fn pairs(values: &[Val]) -> impl Iterator<Item = (usize, [&Val; 2])> {
    let count = values.len();
    (0..count * count).map(move |at| {
        let first = at % count;
        let second = (first + 1 + at / count) % count;
        (second, [&values[first], &values[second]])
    })
}

/// All values, beginning with this one.
fn cyclic(values: &[Val], from: usize) -> impl Iterator<Item = &Val> {
    values.iter().cycle().skip(from).take(values.len())
}

/// Why no more values are tried.
enum Stop {
    /// The operator is not evaluated.
    Unjudged,
    Differs(Difference),
}

/// Values for which something does not hold.
struct Difference {
    assumption: Assumption,
    of: Vec<Val>,
    results: [Val; 2],
}

/// A fold in a program.
struct Place<'e> {
    name: Symbol,
    /// The type of elements, without the shape of rows.
    ty: Type,
    operator: &'e Expr,
    neutral: &'e Expr,
    scope: Scope,
}
