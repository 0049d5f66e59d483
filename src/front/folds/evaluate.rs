//! Evaluates operators on single values. Maps and replications are left out: of arrays there is one element, and what looks at several, or
//! at sizes, is not evaluated.

use super::samples;
use crate::base::scalar::{Member, Op, OpError, ScalarOp};
use crate::base::{PrimType, Scalar, Symbol};
use crate::ir::core::{Expr, ExprKind, Primitive, Type};
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt;
use std::rc::Rc;

/// Calls within calls that are evaluated.
const MOST_CALLS: usize = 100;

/// A value.
#[derive(Debug, Clone)]
pub enum Val {
    Scalar(Scalar),
    Tuple(Vec<Val>),
    Record(Vec<(Symbol, Val)>),
    /// An operation with its first arguments.
    Op(ScalarOp, Vec<Scalar>),
    /// A function with its first arguments.
    Fun(Rc<Function>, Vec<Val>),
    /// An argument that is not evaluated; the function may do without it.
    Unknown,
}

/// A function with what it sees.
#[derive(Debug)]
pub struct Function {
    params: Vec<Symbol>,
    body: Expr,
    scope: Scope,
}

/// The innermost variable, if there is one; the others are outside of it.
#[derive(Debug, Clone, Copy, Default)]
pub struct Scope(Option<usize>);

/// What a variable is.
#[derive(Debug, Clone)]
pub enum Bound {
    Value(Val),
    /// What this is, where it stands, if it can be evaluated; else something of the type.
    Later(Expr, Scope, Option<Type>),
    /// Any value of the type.
    Any(Type),
    Unknown,
}

/// Evaluates; all scopes belong to one evaluator.
pub struct Evaluator<'a> {
    definitions: &'a FxHashMap<Symbol, Expr>,
    variables: Vec<(Symbol, Bound, Scope)>,
    steps: usize,
    /// Calls around what is evaluated.
    calls: usize,
    /// An operation had no result for its operands: these say nothing.
    pub failed: bool,
    /// A condition was looked at.
    pub branched: bool,
    /// An operation whose result depends on which operand is the greater one, or that rounds.
    pub delicate: bool,
    /// Values taken for variables of the surroundings, by place.
    given: FxHashMap<usize, Val>,
    /// How often one of them was used.
    pub uses: usize,
    /// What was used, by the names next to the operator.
    pub shown: Vec<(Symbol, Val)>,
    /// What variables were found to be, and whether that goes by values taken.
    known: FxHashMap<usize, (Val, bool)>,
    /// Definitions whose bodies were evaluated.
    pub evaluated: FxHashSet<Symbol>,
}

impl<'a> Evaluator<'a> {
    pub fn new(definitions: &'a FxHashMap<Symbol, Expr>) -> Evaluator<'a> {
        Evaluator {
            definitions,
            variables: Vec::new(),
            steps: 0,
            calls: 0,
            failed: false,
            branched: false,
            delicate: false,
            given: FxHashMap::default(),
            uses: 0,
            shown: Vec::new(),
            known: FxHashMap::default(),
            evaluated: FxHashSet::default(),
        }
    }
    /// Forgets what was noted, for another judgement that takes so many steps.
    pub fn begin(&mut self, steps: usize) {
        (self.steps, self.failed, self.branched, self.delicate, self.uses) = (steps, false, false, false, 0);
        self.given.clear();
        self.shown.clear();
        self.known.clear();
    }
    /// A scope with another variable.
    pub fn bind(&mut self, name: Symbol, bound: Bound, scope: Scope) -> Scope {
        self.variables.push((name, bound, scope));
        Scope(Some(self.variables.len() - 1))
    }

    fn find(&self, name: Symbol, scope: Scope) -> Option<usize> {
        let mut at = scope;
        while let Scope(Some(index)) = at {
            let (other, _, outer) = &self.variables[index];
            if *other == name {
                return Some(index);
            }
            at = *outer;
        }
        None
    }

    fn variable(&mut self, name: Symbol, scope: Scope) -> Option<Val> {
        let Some(index) = self.find(name, scope) else { return self.global(name) };
        if let Some((value, given)) = self.known.get(&index) {
            self.uses += usize::from(*given);
            return Some(value.clone());
        }
        match self.variables[index].1.clone() {
            Bound::Value(value) => Some(value),
            Bound::Any(ty) => self.outside(name, index, &ty),
            Bound::Unknown => None,
            Bound::Later(expr, scope, ty) => {
                let (uses, shown) = (self.uses, self.shown.len());
                let Some(value) = self.eval(&expr, scope) else { return self.outside(name, index, &ty?) };
                let given = self.uses > uses;
                if given && is_part(&expr) {
                    self.shown.truncate(shown);
                    self.shown.push((name, value.clone()));
                }
                self.known.insert(index, (value.clone(), given));
                Some(value)
            }
        }
    }

    /// Any value of the type.
    fn outside(&mut self, name: Symbol, index: usize, ty: &Type) -> Option<Val> {
        self.uses += 1;
        if let Some(value) = self.given.get(&index) {
            return Some(value.clone());
        }
        let value = samples::outside(ty, self.given.len())?;
        self.given.insert(index, value.clone());
        self.shown.push((name, value.clone()));
        Some(value)
    }

    fn global(&mut self, name: Symbol) -> Option<Val> {
        if let Some(body) = self.definitions.get(&name).cloned() {
            self.evaluated.insert(name);
            return self.eval(&body, Scope::default());
        }
        match Primitive::find(name)? {
            Primitive::Member(Member::Op(op)) => Some(Val::Op(op, Vec::new())),
            Primitive::Member(Member::Constant(value)) => Some(Val::Scalar(value)),
            Primitive::Member(Member::Fold(_)) | Primitive::Prim(_) => None,
        }
    }

    /// The value of an expression; `None` where it is not one that is evaluated, or an operation failed.
    pub fn eval(&mut self, expr: &Expr, scope: Scope) -> Option<Val> {
        self.steps = self.steps.checked_sub(1)?;
        match expr.kind() {
            ExprKind::Var(name) => self.variable(*name, scope),
            ExprKind::Lit(value) => Some(Val::Scalar(*value)),
            ExprKind::App { fun, args } => {
                let mut value = self.eval(fun, scope)?;
                for arg in args {
                    let arg = self.eval(arg, scope);
                    if self.failed {
                        return None;
                    }
                    value = self.apply(value, arg.unwrap_or(Val::Unknown))?;
                }
                Some(value)
            }
            ExprKind::Inst { fun: inner, .. }
            | ExprKind::IFn { body: inner, .. }
            | ExprKind::TFn { body: inner, .. }
            | ExprKind::Rep { arg: inner, .. }
            | ExprKind::Coerce { expr: inner, .. } => self.eval(inner, scope),
            ExprKind::Fn { params, body, .. } => {
                let params = params.iter().map(|(name, _)| *name).collect();
                Some(Val::Fun(Rc::new(Function { params, body: body.clone(), scope }), Vec::new()))
            }
            ExprKind::Let { name, rhs, body, .. } => {
                let bound = self.eval(rhs, scope).map_or(Bound::Unknown, Bound::Value);
                let inner = self.bind(*name, bound, scope);
                self.eval(body, inner)
            }
            ExprKind::If { cond, then, els } => {
                self.branched = true;
                match self.eval(cond, scope)? {
                    Val::Scalar(Scalar::Bool(true)) => self.eval(then, scope),
                    Val::Scalar(Scalar::Bool(false)) => self.eval(els, scope),
                    _ => None,
                }
            }
            ExprKind::Map { args, body, .. } => {
                let mut inner = scope;
                for (name, arg) in args {
                    let value = self.eval(arg, scope)?;
                    inner = self.bind(*name, Bound::Value(value), inner);
                }
                self.eval(body, inner)
            }
            ExprKind::Tuple(parts) => parts.iter().map(|part| self.eval(part, scope)).collect::<Option<_>>().map(Val::Tuple),
            ExprKind::Proj(at, inner) => match self.eval(inner, scope)? {
                Val::Tuple(mut parts) if *at < parts.len() => Some(parts.swap_remove(*at)),
                _ => None,
            },
            ExprKind::Record(fields) => {
                fields.iter().map(|(label, part)| Some((*label, self.eval(part, scope)?))).collect::<Option<_>>().map(Val::Record)
            }
            ExprKind::Field(label, inner) => match self.eval(inner, scope)? {
                Val::Record(fields) => fields.into_iter().find(|(other, _)| other == label).map(|(_, value)| value),
                _ => None,
            },
            ExprKind::Assert { cond, expr, .. } => match self.eval(cond, scope)? {
                Val::Scalar(Scalar::Bool(true)) => self.eval(expr, scope),
                _ => self.fail(),
            },
            ExprKind::Array { .. }
            | ExprKind::Frame { .. }
            | ExprKind::Loop { .. }
            | ExprKind::Inject { .. }
            | ExprKind::Is(..)
            | ExprKind::Payload(..)
            | ExprKind::Box { .. }
            | ExprKind::Unbox { .. }
            | ExprKind::ReifyDim(_)
            | ExprKind::ReifyShape(_) => None,
        }
    }

    fn fail(&mut self) -> Option<Val> {
        self.failed = true;
        None
    }

    /// A function applied to one argument more.
    pub fn apply(&mut self, function: Val, arg: Val) -> Option<Val> {
        match (function, arg) {
            (Val::Op(op, mut given), Val::Scalar(arg)) => {
                given.push(arg);
                if given.len() < op.params.len() {
                    return Some(Val::Op(op, given));
                }
                self.delicate |= is_delicate(op);
                match op.apply(&given) {
                    // What a condition says of NaN, it says of no number.
                    Ok(Scalar::Bool(_)) if given.iter().any(|operand| operand.as_f64().is_some_and(f64::is_nan)) => self.fail(),
                    Ok(value) => Some(Val::Scalar(value)),
                    Err(OpError::Operands) => None,
                    Err(_) => self.fail(),
                }
            }
            (Val::Fun(function, mut given), arg) => {
                given.push(arg);
                if given.len() < function.params.len() {
                    return Some(Val::Fun(function, given));
                }
                let mut scope = function.scope;
                for (name, value) in function.params.iter().zip(given) {
                    let bound = if matches!(value, Val::Unknown) { Bound::Unknown } else { Bound::Value(value) };
                    scope = self.bind(*name, bound, scope);
                }
                self.calls += 1;
                let value = if self.calls <= MOST_CALLS { self.eval(&function.body, scope) } else { None };
                self.calls -= 1;
                value
            }
            _ => None,
        }
    }

    /// A function applied to two arguments.
    pub fn apply2(&mut self, function: &Val, a: &Val, b: &Val) -> Option<Val> {
        let partial = self.apply(function.clone(), a.clone())?;
        self.apply(partial, b.clone())
    }
}

/// Whether an expression is a variable, or a part of one.
fn is_part(expr: &Expr) -> bool {
    match expr.kind() {
        ExprKind::Var(_) => true,
        ExprKind::Proj(_, inner) | ExprKind::Field(_, inner) => is_part(inner),
        _ => false,
    }
}

/// Whether an operation is smooth in pieces only: of other operands the result may be another formula.
fn is_delicate(op: ScalarOp) -> bool {
    let rounds =
        op.result.is_int() && matches!(op.op, Op::Div | Op::Quot | Op::Mod | Op::Rem | Op::Shl | Op::Shr | Op::UShr | Op::Convert(_));
    rounds
        || op.result == PrimType::Bool
        || matches!(op.op, Op::Min | Op::Max | Op::Abs | Op::Sgn | Op::Floor | Op::Ceil | Op::Round | Op::Trunc)
}

impl fmt::Display for Val {
    /// As results are printed, without the types of numbers.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Val::Scalar(value) => f.write_str(value.to_string().trim_end_matches(value.prim().name())),
            Val::Tuple(parts) => {
                let parts: Vec<String> = parts.iter().map(Val::to_string).collect();
                write!(f, "({})", parts.join(", "))
            }
            Val::Record(fields) => {
                let fields: Vec<String> = fields.iter().map(|(label, value)| format!("{label} = {value}")).collect();
                write!(f, "{{{}}}", fields.join(", "))
            }
            Val::Op(..) | Val::Fun(..) | Val::Unknown => f.write_str(".."),
        }
    }
}
