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
        let place = Place { name: *name, atom, operator, neutral, scope };
        let found = self.judge(&fold, place);
        self.errors.extend(found);
    }

    fn judge(&mut self, fold: &Fold, place: Place) -> Option<Error> {
        let ty = Type::new(place.atom.clone(), Shape::default());
        self.evaluator.begin(MOST_STEPS);
        let operator = self.evaluator.eval(place.operator, place.scope)?;
        let mut found = self.difference(fold, &operator, &samples(&ty)?, &place)?;
        let scalar = matches!(place.atom, Atom::Prim(_));
        // Values of a program may be such that a condition is as it has to be: truth values written as numbers, of tuples others, too.
        if self.evaluator.branched {
            found = if scalar { self.difference(fold, &operator, &truths(&ty)?, &place)? } else { return None };
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
        // Histograms are combined in order, whatever their documentation asks for.
        let commutes = fold.prim == Prim::ReduceComm;
        let found = self.first_difference(operator, values, commutes);
        found.or_else(|| self.not_neutral(fold, operator, values, place))?.ok()
    }

    /// Values for which an operator is not associative, or does not commute; an error where it is not evaluated.
    fn first_difference(&mut self, operator: &Val, values: &[Val], commutes: bool) -> Option<Result<Difference, Unjudged>> {
        for (at, [a, b]) in pairs(values) {
            let swapped = |evaluator: &mut Evaluator<'a>| Some([evaluator.apply2(operator, a, b)?, evaluator.apply2(operator, b, a)?]);
            let found = if commutes { self.compare(Assumption::Commutative, &[a, b], swapped) } else { None };
            let found = found.or_else(|| {
                cyclic(values, at + 1).find_map(|c| {
                    self.compare(Assumption::Associative, &[a, b, c], |evaluator| {
                        let left = evaluator.apply2(operator, a, b)?;
                        let right = evaluator.apply2(operator, b, c)?;
                        Some([evaluator.apply2(operator, &left, c)?, evaluator.apply2(operator, a, &right)?])
                    })
                })
            });
            if found.is_some() {
                return found;
            }
        }
        None
    }

    /// Values that come out differently when two groups start from what is given as neutral.
    fn not_neutral(&mut self, fold: &Fold, operator: &Val, values: &[Val], place: &Place) -> Option<Result<Difference, Unjudged>> {
        let before = self.evaluator.uses;
        self.evaluator.failed = false;
        let start = self.evaluator.eval(place.neutral, place.scope)?;
        // Whoever passes it may well pass the right one.
        if self.evaluator.uses > before || self.evaluator.failed {
            return None;
        }
        let found = pairs(values).find_map(|(_, [a, b])| {
            self.compare(Assumption::Neutral, &[a, b], |evaluator| {
                let second = evaluator.apply2(operator, &start, b)?;
                let first = match fold.prim {
                    Prim::ReduceByIndex => a.clone(),
                    _ => evaluator.apply2(operator, &start, a)?,
                };
                Some([evaluator.apply2(operator, &first, b)?, evaluator.apply2(operator, &first, &second)?])
            })
        });
        found.or_else(|| self.never_leaves(fold, operator, values, start, place).map(Ok))
    }

    /// A start with which whatever it is combined with comes out as the start.
    fn never_leaves(&mut self, fold: &Fold, operator: &Val, values: &[Val], start: Val, place: &Place) -> Option<Difference> {
        let all = extremes(&Type::new(place.atom.clone(), Shape::default()))?;
        let stays = all.iter().all(|value| self.evaluator.apply2(operator, &start, value).is_some_and(|result| swallows(&start, &result)));
        if !stays || fold.prim == Prim::ReduceByIndex {
            return None;
        }
        // Unless the operator takes its first operand, whatever that is.
        let takes_first = values.iter().all(|a| self.evaluator.apply2(operator, a, &start).is_some_and(|result| swallows(a, &result)));
        let results = [start.clone(), start];
        (!takes_first).then_some(Difference { assumption: Assumption::Leaves, of: Vec::new(), results })
    }

    fn compare(
        &mut self,
        assumption: Assumption,
        of: &[&Val],
        make: impl FnOnce(&mut Evaluator<'a>) -> Option<[Val; 2]>,
    ) -> Option<Result<Difference, Unjudged>> {
        self.evaluator.failed = false;
        match make(&mut self.evaluator) {
            Some([one, other]) if agree(&one, &other) => None,
            Some(results) => Some(Ok(Difference { assumption, of: of.iter().map(|value| (*value).clone()).collect(), results })),
            None if self.evaluator.failed => None,
            None => Some(Err(Unjudged)),
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

/// An operator that is not evaluated.
struct Unjudged;

/// Values for which something does not hold.
struct Difference {
    assumption: Assumption,
    of: Vec<Val>,
    results: [Val; 2],
}

/// A fold in a program.
#[derive(Clone, Copy)]
struct Place<'e> {
    name: Symbol,
    /// The type of elements.
    atom: &'e Atom,
    operator: &'e Expr,
    neutral: &'e Expr,
    scope: Scope,
}
