//! What patterns and functions bind, with the arrays that each name may share memory with.

use super::mode::Mode;
use super::roots::{Origin, Root};
use super::value::{self, Value};
use super::{Checker, Frame, FrameKind};
use crate::ir::surface::{ExprId, PatId, PatKind, TypeId};
use crate::ir::tables::{RBase, RType};
use rustc_hash::{FxHashMap, FxHashSet};

/// Leaves of a result of which it is found out whether they share memory.
const MOST_LEAVES: usize = 1 << 8;

/// What binds a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Binds {
    /// A function: what has an annotation without `*` stays with the caller.
    Function,
    /// A loop: what has no `*` is consumed if the body consumes it.
    Loop,
}

impl<'a> Checker<'a> {
    /// Binds the names of a pattern to the parts of a value.
    pub(super) fn bind(&mut self, pat: PatId, value: Value) {
        let program = self.program;
        let ty: Option<&'a RType> = self.tables.pats.get(pat);
        match &program.ast.pats[pat].kind {
            PatKind::Name(_) => {
                let value = if ty.is_some_and(value::is_scalar) { Value::Scalar } else { value };
                self.locals.insert(pat, value);
            }
            PatKind::Error | PatKind::Wild | PatKind::Lit(_) => {}
            PatKind::Paren(inner) | PatKind::Ascribe(inner, _) => self.bind(*inner, value),
            PatKind::Tuple(parts) => parts.iter().enumerate().for_each(|(at, part)| self.bind_part(*part, at, &value)),
            PatKind::Record(fields) => {
                for (label, part) in fields {
                    if let Some(at) = ty.and_then(|ty| value::field_at(ty, label.name)) {
                        self.bind_part(*part, at, &value);
                    }
                }
            }
            PatKind::Constr(name, args) => {
                let Some((at, _)) = ty.and_then(|ty| value::payload_at(ty, name.name)) else { return };
                args.iter().enumerate().for_each(|(k, arg)| self.bind_part(*arg, at + k, &value));
            }
        }
    }
    fn bind_part(&mut self, pat: PatId, at: usize, value: &Value) {
        let part = value.part(&mut self.roots, at, self.tables.pats.get(pat));
        self.bind(pat, part);
    }

    /// Binds the names of a parameter, and returns the whole of it. `mode` is what is known of it without its own annotation.
    pub(super) fn param(&mut self, pat: PatId, mode: Option<Mode>, binds: Binds) -> Value {
        let program = self.program;
        let ty: Option<&'a RType> = self.tables.pats.get(pat);
        match &program.ast.pats[pat].kind {
            PatKind::Paren(inner) => self.param(*inner, mode, binds),
            PatKind::Ascribe(inner, annotated) => {
                let mode = self.modes.types.mode(program, self.def, *annotated);
                self.param(*inner, Some(mode), binds)
            }
            PatKind::Tuple(parts) => {
                let part = |at| mode.as_ref().map(|mode| mode.part(at));
                let parts = parts.iter().enumerate().map(|(at, pat)| self.param(*pat, part(at), binds)).collect();
                Value::parts(&mut self.roots, parts)
            }
            PatKind::Record(fields) => {
                let count = ty.and_then(value::part_types).map_or(0, |parts| parts.len());
                let placed = fields.iter().filter_map(|(label, part)| Some((value::field_at(ty?, label.name)?, *part))).collect();
                self.placed(count, placed, mode.as_ref(), binds)
            }
            PatKind::Constr(name, args) => {
                let count = ty.and_then(value::part_types).map_or(0, |parts| parts.len());
                let at = ty.and_then(|ty| value::payload_at(ty, name.name)).map_or(count, |(at, _)| at);
                let placed = args.iter().enumerate().map(|(k, arg)| (at + k, *arg)).collect();
                self.placed(count, placed, mode.as_ref(), binds)
            }
            PatKind::Name(_) | PatKind::Wild | PatKind::Error | PatKind::Lit(_) => {
                let value = ty.map_or(Value::Scalar, |ty| self.param_value(pat, ty, mode.as_ref(), binds));
                self.locals.insert(pat, value.clone());
                value
            }
        }
    }
    fn placed(&mut self, count: usize, placed: Vec<(usize, PatId)>, mode: Option<&Mode>, binds: Binds) -> Value {
        let mut parts = vec![Value::Scalar; count];
        for (at, pat) in placed {
            let value = self.param(pat, mode.map(|mode| mode.part(at)), binds);
            if let Some(part) = parts.get_mut(at) {
                *part = value;
            }
        }
        Value::parts(&mut self.roots, parts)
    }
    fn param_value(&mut self, pat: PatId, ty: &RType, mode: Option<&Mode>, binds: Binds) -> Value {
        let origin = match mode {
            None => Origin::Open(pat),
            Some(Mode::Parts(modes)) => {
                if let Some(types) = value::part_types(ty)
                    && types.len() == modes.len()
                {
                    let parts =
                        types.into_iter().zip(modes.iter()).map(|(ty, mode)| self.param_value(pat, ty, Some(mode), binds)).collect();
                    return Value::parts(&mut self.roots, parts);
                }
                if mode.is_some_and(Mode::takes) { Origin::Given } else { Origin::Kept(pat) }
            }
            Some(Mode::Unique) => Origin::Given,
            Some(Mode::Plain | Mode::Scalar | Mode::Fun(_)) if binds == Binds::Loop => Origin::Open(pat),
            Some(Mode::Plain | Mode::Scalar | Mode::Fun(_)) => Origin::Kept(pat),
        };
        if matches!(&*ty.base, RBase::Arrow(..)) {
            let root = self.roots.make(Origin::Kept(pat), &[]);
            let mode = mode.filter(|mode| matches!(mode, Mode::Fun(_))).cloned();
            return Value::fun(mode.unwrap_or(Mode::Plain), Some(root), None);
        }
        value::of_type(&mut self.roots, ty, &mut |roots| roots.make(origin, &[]))
    }

    /// A function: what its type says, and what it captures. `wanted` is the mode that the place where it stands gives it.
    pub(super) fn function(
        &mut self,
        params: &[PatId],
        ret: Option<TypeId>,
        body: ExprId,
        kind: FrameKind,
        wanted: &Mode,
    ) -> (Mode, Option<Root>) {
        let floor = self.roots.len();
        self.frames.push(Frame { floor, kind, captured: FxHashSet::default() });
        let mut wanted = wanted.clone();
        let mut values = Vec::with_capacity(params.len());
        for pat in params {
            let (param, result, _) = wanted.arrow();
            values.push(self.param(*pat, (param != Mode::Plain).then_some(param), Binds::Function));
            wanted = result;
        }
        let value = self.expr(body);
        let mut mode = match ret {
            Some(ret) => {
                let mode = self.modes.types.mode(self.program, self.def, ret);
                // Nobody can take a constant, so that `*` says nothing of it.
                if kind != FrameKind::Definition || !params.is_empty() || matches!(value, Value::Fun(_)) {
                    self.result(body, &value, &mode, ret);
                }
                mode
            }
            None => self.inferred(&value, floor),
        };
        for (at, value) in values.iter().enumerate().rev() {
            mode = Mode::fun(self.given(value), mode, at + 1 == params.len());
        }
        (mode, self.leave())
    }
    /// Leaves a function or loop; returns what it captures.
    pub(super) fn leave(&mut self) -> Option<Root> {
        let Frame { captured, .. } = self.frames.pop()?;
        let mut captured: Vec<Root> = captured.into_iter().collect();
        captured.sort_unstable();
        for root in &captured {
            self.remember(*root);
        }
        self.roots.join(captured)
    }
    /// Memory is used in the frames around.
    pub(super) fn remember(&mut self, root: Root) {
        let function = self.frames.iter_mut().rev().find(|frame| !matches!(frame.kind, FrameKind::Loop(_)));
        if let Some(frame) = function.filter(|frame| root.raw() < frame.floor) {
            frame.captured.insert(root);
        }
    }

    /// What of a parameter is consumed.
    fn given(&self, value: &Value) -> Mode {
        match value {
            Value::Scalar => Mode::Scalar,
            Value::Leaf(root) => match self.roots.origin(*root) {
                Origin::Given => Mode::Unique,
                Origin::Open(_) if self.opened.contains_key(root) => Mode::Unique,
                _ => Mode::Plain,
            },
            Value::Parts(parts) => Mode::parts(parts.parts.iter().map(|part| self.given(part)).collect()),
            Value::Fun(fun) => fun.mode.clone(),
        }
    }

    /// The mode of a result without annotation: what shares memory with nothing is unique.
    fn inferred(&mut self, value: &Value, floor: usize) -> Mode {
        let mut leaves = Vec::new();
        self.leaves(value, &mut leaves);
        if leaves.len() > MOST_LEAVES {
            return Mode::Plain;
        }
        let mut owners: FxHashMap<Root, usize> = FxHashMap::default();
        let mut fresh = vec![true; leaves.len()];
        for (at, leaf) in leaves.iter().enumerate() {
            for root in self.roots.ancestors(*leaf, floor) {
                let own = root.raw() >= floor && matches!(self.roots.origin(root), Origin::Made | Origin::Returned { .. } | Origin::Given);
                fresh[at] &= own;
                if let Some(other) = owners.insert(root, at) {
                    fresh[other] = false;
                    fresh[at] = false;
                }
            }
        }
        self.unique(value, &mut fresh.into_iter())
    }
    fn leaves(&self, value: &Value, found: &mut Vec<Root>) {
        match value {
            Value::Leaf(root) => found.push(*root),
            Value::Parts(parts) if found.len() <= MOST_LEAVES => parts.parts.iter().for_each(|part| self.leaves(part, found)),
            Value::Parts(_) | Value::Scalar | Value::Fun(_) => {}
        }
    }
    fn unique(&self, value: &Value, fresh: &mut impl Iterator<Item = bool>) -> Mode {
        match value {
            Value::Scalar => Mode::Scalar,
            Value::Leaf(_) => match fresh.next() {
                Some(true) => Mode::Unique,
                _ => Mode::Plain,
            },
            Value::Parts(parts) => Mode::parts(parts.parts.iter().map(|part| self.unique(part, fresh)).collect()),
            Value::Fun(fun) => fun.mode.clone(),
        }
    }
}
