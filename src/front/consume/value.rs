//! What is known of the value of an expression: where its parts lie.

use super::mode::Mode;
use super::roots::{Root, Roots};
use crate::base::Symbol;
use crate::ir::tables::{RBase, RType};
use std::sync::Arc;

/// Parts of a value that are told apart; a larger value is one piece of memory.
const MOST_PARTS: usize = 1 << 12;
/// [`MOST_PARTS`] where the parts would have to be made of a type.
const MOST_PARTS_OF_TYPE: usize = 1 << 9;

/// Where the parts of a value lie.
#[derive(Debug, Clone)]
pub(super) enum Value {
    /// It has no memory: a scalar.
    Scalar,
    /// All of it lies in this memory.
    Leaf(Root),
    /// A tuple, a record (labels in ascending order) or a sum (constructors in ascending order, one payload after the other).
    Parts(Arc<Parts>),
    /// A function.
    Fun(Arc<FunValue>),
}

/// A value with parts.
#[derive(Debug)]
pub(super) struct Parts {
    /// The parts.
    pub(super) parts: Vec<Value>,
    /// All their memory.
    all: Option<Root>,
    size: usize,
}

/// A function as a value.
#[derive(Debug)]
pub(super) struct FunValue {
    /// What its type says.
    pub(super) mode: Mode,
    /// What it captures.
    pub(super) root: Option<Root>,
    /// What its application consumes, if it can be called only once, since it captures a consumed value.
    pub(super) once: Option<Root>,
}

impl Value {
    /// All in one place, if there is any memory.
    pub(super) fn leaf(root: Option<Root>) -> Value {
        root.map_or(Value::Scalar, Value::Leaf)
    }
    /// A function.
    pub(super) fn fun(mode: Mode, root: Option<Root>, once: Option<Root>) -> Value {
        Value::Fun(Arc::new(FunValue { mode, root, once }))
    }
    /// A compound.
    pub(super) fn parts(roots: &mut Roots, parts: Vec<Value>) -> Value {
        let size = parts.iter().map(Value::size).fold(1, usize::saturating_add);
        let all = roots.join(parts.iter().filter_map(Value::root).collect());
        let functions = parts.iter().any(|part| matches!(part, Value::Fun(_)));
        if size > MOST_PARTS && !functions {
            return Value::leaf(all);
        }
        Value::Parts(Arc::new(Parts { parts, all, size }))
    }
    /// All its memory.
    pub(super) fn root(&self) -> Option<Root> {
        match self {
            Value::Scalar => None,
            Value::Leaf(root) => Some(*root),
            Value::Parts(parts) => parts.all,
            Value::Fun(fun) => fun.root,
        }
    }
    fn size(&self) -> usize {
        match self {
            Value::Parts(parts) => parts.size,
            Value::Scalar | Value::Leaf(_) | Value::Fun(_) => 1,
        }
    }
    /// One of its parts, of the given type.
    pub(super) fn part(&self, roots: &mut Roots, at: usize, ty: Option<&RType>) -> Value {
        match self {
            Value::Parts(parts) => parts.parts.get(at).cloned().unwrap_or(Value::Scalar),
            Value::Leaf(root) => match ty {
                Some(ty) => of_type(roots, ty, &mut |_| *root),
                None => self.clone(),
            },
            Value::Scalar | Value::Fun(_) => Value::Scalar,
        }
    }
    /// A value that is the one or the other.
    pub(super) fn join(&self, roots: &mut Roots, other: &Value) -> Value {
        match (self, other) {
            (Value::Parts(a), Value::Parts(b)) if Arc::ptr_eq(a, b) => self.clone(),
            (Value::Parts(a), Value::Parts(b)) if a.parts.len() == b.parts.len() => {
                let parts = a.parts.iter().zip(&b.parts).map(|(a, b)| a.join(roots, b)).collect();
                Value::parts(roots, parts)
            }
            (Value::Fun(a), Value::Fun(b)) => {
                let root = roots.join(a.root.into_iter().chain(b.root).collect());
                let once = roots.join(a.once.into_iter().chain(b.once).collect());
                Value::fun(either(&a.mode, &b.mode), root, once)
            }
            (Value::Scalar, other) => other.clone(),
            (this, Value::Scalar) => this.clone(),
            _ => Value::leaf(roots.join(self.root().into_iter().chain(other.root()).collect())),
        }
    }
    /// The functions in it.
    pub(super) fn functions(&self, found: &mut Vec<Arc<FunValue>>) {
        match self {
            Value::Fun(fun) => found.push(fun.clone()),
            Value::Parts(parts) if parts.size <= MOST_PARTS => parts.parts.iter().for_each(|part| part.functions(found)),
            Value::Parts(_) | Value::Scalar | Value::Leaf(_) => {}
        }
    }
}

/// The mode of a function that is one of two: it takes what one of them takes, and its result is new if both results are.
fn either(a: &Mode, b: &Mode) -> Mode {
    match (a, b) {
        (Mode::Fun(x), _) | (_, Mode::Fun(x)) => {
            let ((p, r, _), (q, s, _)) = (a.arrow(), b.arrow());
            let param = if matches!((&p, &q), (Mode::Fun(_), _) | (_, Mode::Fun(_))) { both(&p, &q) } else { any(&p, &q) };
            let result = if matches!((&r, &s), (Mode::Fun(_), _) | (_, Mode::Fun(_))) { either(&r, &s) } else { both(&r, &s) };
            Mode::fun(param, result, x.last)
        }
        _ => both(a, b),
    }
}

/// Unique where one of them is.
fn any(a: &Mode, b: &Mode) -> Mode {
    match (a, b) {
        (Mode::Plain | Mode::Scalar, mode) | (mode, Mode::Plain | Mode::Scalar) => mode.clone(),
        (Mode::Parts(parts), _) | (_, Mode::Parts(parts)) => {
            Mode::parts((0..parts.len()).map(|at| any(&a.part(at), &b.part(at))).collect())
        }
        (Mode::Unique, _) | (_, Mode::Unique) => Mode::Unique,
        (Mode::Fun(_), Mode::Fun(_)) => either(a, b),
    }
}

/// Unique where both are.
fn both(a: &Mode, b: &Mode) -> Mode {
    match (a, b) {
        (Mode::Scalar, mode) | (mode, Mode::Scalar) => mode.clone(),
        (Mode::Parts(parts), _) | (_, Mode::Parts(parts)) => {
            Mode::parts((0..parts.len()).map(|at| both(&a.part(at), &b.part(at))).collect())
        }
        (Mode::Unique, Mode::Unique) => Mode::Unique,
        (Mode::Fun(_), Mode::Fun(_)) => either(a, b),
        _ => Mode::Plain,
    }
}

/// The types of the parts of a type, if it has parts: those of sums one payload after the other.
pub(super) fn part_types(ty: &RType) -> Option<Vec<&RType>> {
    if ty.rank > 0 {
        return None;
    }
    match &*ty.base {
        RBase::Tuple(parts) => Some(parts.iter().collect()),
        RBase::Record(fields) => Some(fields.iter().map(|(_, part)| part).collect()),
        RBase::Sum(clauses) => Some(clauses.iter().flat_map(|(_, payload)| payload).collect()),
        RBase::Prim(_) | RBase::Param(_) | RBase::Arrow(..) | RBase::Abstract { .. } => None,
    }
}

/// Whether something in a type is of this kind; nothing if the type is too large to look.
pub(super) fn mentions(ty: &RType, kind: &dyn Fn(&RBase) -> bool) -> Option<bool> {
    fn find(ty: &RType, kind: &dyn Fn(&RBase) -> bool, left: &mut usize) -> Option<bool> {
        *left = left.checked_sub(1)?;
        if kind(&ty.base) {
            return Some(true);
        }
        let parts: Vec<&RType> = match &*ty.base {
            RBase::Prim(_) | RBase::Param(_) => return Some(false),
            RBase::Arrow(from, to) => vec![from, to],
            RBase::Tuple(parts) | RBase::Abstract { args: parts, .. } => parts.iter().collect(),
            RBase::Record(fields) => fields.iter().map(|(_, part)| part).collect(),
            RBase::Sum(clauses) => clauses.iter().flat_map(|(_, payload)| payload).collect(),
        };
        for part in parts {
            if find(part, kind, left)? {
                return Some(true);
            }
        }
        Some(false)
    }
    find(ty, kind, &mut { MOST_PARTS })
}

/// Whether the parts of values of a type are told apart.
pub(super) fn is_told_apart(ty: &RType) -> bool {
    fits(ty, &mut { MOST_PARTS_OF_TYPE })
}

/// Where a field of a tuple or record stands among its parts.
pub(super) fn field_at(ty: &RType, field: Symbol) -> Option<usize> {
    match &*ty.base {
        RBase::Tuple(_) => field.as_str().parse().ok(),
        RBase::Record(fields) => fields.iter().position(|(label, _)| *label == field),
        _ => None,
    }
}

/// Where the payload of a constructor begins among the parts of its sum, and how long it is.
pub(super) fn payload_at(ty: &RType, constructor: Symbol) -> Option<(usize, usize)> {
    let RBase::Sum(clauses) = &*ty.base else { return None };
    let at = clauses.iter().position(|(label, _)| *label == constructor)?;
    Some((clauses[..at].iter().map(|(_, payload)| payload.len()).sum(), clauses[at].1.len()))
}

/// Whether values of the type have no memory and are no functions.
pub(super) fn is_scalar(ty: &RType) -> bool {
    ty.rank == 0 && matches!(&*ty.base, RBase::Prim(_))
}

/// A value of a type, whose parts lie where `root` says.
pub(super) fn of_type(roots: &mut Roots, ty: &RType, root: &mut dyn FnMut(&mut Roots) -> Root) -> Value {
    if is_scalar(ty) {
        return Value::Scalar;
    }
    if matches!(&*ty.base, RBase::Arrow(..)) {
        return Value::fun(Mode::Plain, Some(root(roots)), None);
    }
    let mut left = MOST_PARTS_OF_TYPE;
    match part_types(ty) {
        Some(parts) if fits(ty, &mut left) => {
            let parts = parts.into_iter().map(|part| of_type(roots, part, root)).collect();
            Value::parts(roots, parts)
        }
        _ => Value::Leaf(root(roots)),
    }
}

fn fits(ty: &RType, left: &mut usize) -> bool {
    let Some(rest) = left.checked_sub(1) else { return false };
    *left = rest;
    part_types(ty).is_none_or(|parts| parts.into_iter().all(|part| fits(part, left)))
}
