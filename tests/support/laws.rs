//! The theorems, as checks of one term.

use remora::base::{FileId, Span, Symbol};
use remora::interp;
use remora::ir::core::check::{TypeEnv, infer_type};
use remora::ir::core::equal::equal;
use remora::ir::core::{Atom, Define, Expr, ExprKind, Program, Type, print, read};
use remora::theory::erased;
use remora::theory::eval::Value;
use remora::theory::step::{Rule, Step, Stuck, typed};
use remora::theory::{self, erase, step};
use std::collections::BTreeMap;

/// How a run ended.
#[derive(Debug)]
pub enum End {
    /// In this value.
    Value(Expr),
    /// In an operation outside of its domain.
    Stuck(Stuck),
    /// It was given up.
    Unfinished,
}

/// A run of both machines.
#[derive(Debug)]
pub struct Walk {
    pub steps: usize,
    pub rules: BTreeMap<Rule, usize>,
    pub end: End,
}

/// The most steps that a term may take.
pub const FUEL: usize = 400;

pub fn type_of(term: &Expr) -> Result<Type, String> {
    infer_type(&mut TypeEnv::default(), term).map_err(|error| format!("{}:\n{}", error.message(), print::expr(term)))
}

pub fn erased(term: &Expr) -> Result<erased::Expr, String> {
    erase::expr(term).map_err(|error| format!("erasure: {}:\n{}", error.message, print::expr(term)))
}

/// Runs both machines side by side. Lockstep: they take the same steps, and each erased state is the erasure of the typed one. With `preserve`,
/// each typed state is checked to have the type of the first. Progress: what does not step is a value or an operation outside of its domain.
pub fn lockstep(term: &Expr, preserve: bool) -> Result<Walk, String> {
    steps(term, preserve, FUEL)
}

/// [`lockstep`] for at most `fuel` steps.
pub fn steps(term: &Expr, preserve: bool, fuel: usize) -> Result<Walk, String> {
    let ty = type_of(term)?;
    let (mut state, mut shadow) = (term.clone(), erased(term)?);
    erased::validate::validate_expr(&shadow).map_err(|problem| format!("{problem}:\n{}", print::expr(term)))?;
    let mut eraser = erase::Eraser::default();
    let mut walk = Walk { steps: 0, rules: BTreeMap::new(), end: End::Unfinished };
    while walk.steps < fuel {
        match (typed::step(&state), step::erased::step(&shadow)) {
            (Step::Next(next, rule), Step::Next(below, rule_below)) => {
                let expected = if rule == Rule::TBeta { Rule::IBeta } else { rule };
                if expected != rule_below {
                    return Err(format!("the rules differ, {rule:?} and {rule_below:?}, on\n{}", print::expr(&state)));
                }
                if preserve {
                    let found =
                        type_of(&next).map_err(|error| format!("{rule:?} makes this ill typed:\n{}\n{error}", print::expr(&state)))?;
                    if !equal(&ty, &found) {
                        let (old, new) = (print::ty(&ty), print::ty(&found));
                        return Err(format!("{rule:?} changes the type from {old} to {new}, on\n{}", print::expr(&state)));
                    }
                }
                let expected = eraser.closed(&next).map_err(|error| format!("{}:\n{}", error.message, print::expr(&next)))?;
                if !erased::equal::equal(&expected, &below) {
                    let (expected, below) = (erased::print::expr(&expected), erased::print::expr(&below));
                    let before = print::expr(&state);
                    return Err(format!("{rule:?} and erasure do not commute on\n{before}:\n{expected}\nand\n{below}"));
                }
                *walk.rules.entry(rule).or_default() += 1;
                walk.steps += 1;
                (state, shadow) = (next, below);
            }
            (Step::Value, Step::Value) => {
                walk.end = End::Value(state);
                break;
            }
            (Step::Stuck(a), Step::Stuck(b)) if a.code == b.code && a.code.number() != "E0599" => {
                walk.end = End::Stuck(a);
                break;
            }
            (a, b) => return Err(format!("with types {a:?}, without {b:?}, on\n{}", print::expr(&state))),
        }
    }
    Ok(walk)
}

/// The result of evaluating a closed term in one go, with types. Boxes are opened, as entry points do.
pub fn with_types(term: &Expr, ty: &Type) -> Result<Result<Value, &'static str>, String> {
    let name = Symbol::new("main");
    let define = Define { name, ty: ty.clone(), body: term.clone(), entry: true, recursive: false, span: Span::default() };
    let machine = interp::core::load(&Program { defs: vec![define], ..Program::default() }, 1);
    // A function that is the whole program is not called but looked at.
    let has_parameters = machine.signature(name).is_some_and(|(params, _)| !params.is_empty());
    if has_parameters {
        return Ok(Err("function"));
    }
    match machine.call(name, Vec::new()) {
        Ok(value) => Value::from_runtime(&value).map(Ok).ok_or_else(|| format!("a value that is none: {value:?}")),
        Err(failure) if failure.code.number() == "E0599" => Err(failure.message.clone()),
        Err(failure) => Ok(Err(failure.code.number())),
    }
}

/// The value that a run ended in, or the code of what it is stuck at; `None` if it was given up.
pub fn outcome(walk: &Walk) -> Result<Option<Result<Value, &'static str>>, String> {
    Ok(match &walk.end {
        End::Unfinished => None,
        End::Stuck(stuck) => Some(Err(stuck.code.number())),
        End::Value(value) => {
            let value = theory::eval::eval(&erased(value)?).map_err(|failure| format!("a value that fails: {failure:?}"))?;
            Some(Ok(value))
        }
    })
}

/// The end of a run is what both evaluators say.
pub fn agreement(term: &Expr, walk: &Walk) -> Result<(), String> {
    let ty = type_of(term)?;
    let show = || print::expr(term);
    let without = theory::eval::eval(&erased(term)?).map_err(|failure| failure.code.number());
    let Some(stepped) = outcome(walk)? else { return Ok(()) };
    match (&stepped, &without) {
        (Ok(a), Ok(b)) if a.agrees(b) => {}
        (Err(a), Err(b)) if a == b => {}
        _ => return Err(format!("in steps {stepped:?}, in one go without types {without:?}:\n{}", show())),
    }
    match (&stepped, &with_types(term, &ty).map_err(|error| format!("{error}:\n{}", show()))?) {
        (_, Err("function")) => Ok(()),
        (Ok(a), Ok(b)) if a.opened().agrees(b) => Ok(()),
        (Err(a), Err(b)) if a == b => Ok(()),
        (_, with) => Err(format!("in steps {stepped:?}, in one go with types {with:?}:\n{}", show())),
    }
}

/// A closed value has the form that its type says.
pub fn canonical(value: &Expr, ty: &Type) -> Result<(), String> {
    let wrong = |what: &str| Err(format!("{what}: a value of type {}:\n{}", print::ty(ty), print::expr(value)));
    if !ty.shape().is_scalar() {
        return match (value.kind(), ty.atom()) {
            (ExprKind::Array { dims, elem, .. }, Atom::Prim(prim)) if !dims.is_empty() && elem == prim => Ok(()),
            (ExprKind::Frame { dims, cell, cells }, _) if !dims.is_empty() && cell.shape().is_scalar() => {
                cells.iter().try_for_each(|cell_value| canonical(cell_value, cell))
            }
            _ => wrong("no array"),
        };
    }
    match (ty.atom(), value.kind()) {
        (Atom::Prim(prim), ExprKind::Lit(scalar)) if scalar.prim() == *prim => Ok(()),
        (Atom::Fun(..), ExprKind::Fn { .. } | ExprKind::Var(_) | ExprKind::Inst { .. } | ExprKind::App { .. }) => Ok(()),
        (Atom::Pi(..), ExprKind::IFn { .. } | ExprKind::Var(_)) => Ok(()),
        (Atom::Forall(..), ExprKind::TFn { .. } | ExprKind::Inst { .. }) => Ok(()),
        (Atom::Tuple(types), ExprKind::Tuple(parts)) if types.len() == parts.len() => {
            types.iter().zip(parts).try_for_each(|(ty, part)| canonical(part, ty))
        }
        (Atom::Record(types), ExprKind::Record(parts)) if types.len() == parts.len() => {
            types.iter().zip(parts).try_for_each(|((_, ty), (_, part))| canonical(part, ty))
        }
        (Atom::Sum(payloads), ExprKind::Inject { label, payload, .. }) => match payloads.iter().find(|(l, _)| l == label) {
            Some((_, ty)) => canonical(payload, ty),
            None => wrong("another constructor"),
        },
        (Atom::Sigma(names, _), ExprKind::Box { indices, body, .. }) if names.len() == indices.len() => canonical(body, &type_of(body)?),
        _ => wrong("another form"),
    }
}

/// Types are unique: erasure, which computes types on its own, finds the type that the checker finds, and so does the checker
/// for what is read back from print.
pub fn unique_type(term: &Expr) -> Result<(), String> {
    let ty = type_of(term)?;
    let (_, other) = erase::with_type(term).map_err(|error| error.message)?;
    if !equal(&ty, &other) {
        return Err(format!("the checker says {}, erasure {}:\n{}", print::ty(&ty), print::ty(&other), print::expr(term)));
    }
    let (again, diagnostics) = read::expr(FileId::default(), &print::expr(term));
    let again = again.filter(|_| diagnostics.is_empty()).ok_or_else(|| format!("{diagnostics:?}:\n{}", print::expr(term)))?;
    let read = type_of(&again)?;
    if equal(&ty, &read) { Ok(()) } else { Err(format!("{} is read back as {}", print::ty(&ty), print::ty(&read))) }
}
