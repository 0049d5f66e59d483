//! Branches, loops, and results.

use super::blame::Blame;
use super::error::{Consumer, Consumption};
use super::mode::{self, Mode};
use super::roots::{GiftId, Origin, Root};
use super::value::{self, Value};
use super::{Checker, Frame, FrameKind, bind::Binds};
use crate::base::Span;
use crate::ir::surface::view;
use crate::ir::surface::{ExprId, ExprKind, LoopForm, PatId, TypeId};
use rustc_hash::{FxHashMap, FxHashSet};

/// A part of a loop variable.
#[derive(Debug, Clone, Copy)]
struct Slot {
    /// Its memory in the body.
    variable: Root,
    /// That of its first value.
    first: Option<Root>,
    /// That of its next value.
    next: Option<Root>,
    /// Which of the loop's variables it is, or is a part of.
    at: usize,
}

impl Checker<'_> {
    pub(super) fn conditional(&mut self, cond: ExprId, then: ExprId, els: ExprId) -> Value {
        self.expr(cond);
        let mark = self.roots.mark();
        let a = self.expr(then);
        let dead = self.roots.revive(mark);
        let b = self.expr(els);
        self.roots.bury(dead);
        let joined = a.join(&mut self.roots, &b);
        self.survived(&joined)
    }
    pub(super) fn cases(&mut self, scrutinee: ExprId, cases: &[(PatId, ExprId)]) -> Value {
        let value = self.expr(scrutinee);
        let mark = self.roots.mark();
        let mut dead: Vec<(Root, GiftId)> = Vec::new();
        let mut known: FxHashSet<Root> = FxHashSet::default();
        let mut all: Option<Value> = None;
        for (pat, body) in cases {
            self.bind(*pat, value.clone());
            let this = self.expr(*body);
            dead.extend(self.roots.revive(mark).into_iter().filter(|(root, _)| known.insert(*root)));
            all = Some(match all {
                Some(all) => all.join(&mut self.roots, &this),
                None => this,
            });
        }
        self.roots.bury(dead);
        self.survived(&all.unwrap_or(Value::Scalar))
    }
    /// The value of a branch, although another branch gave its memory away: in this one nobody else has it now.
    fn survived(&mut self, value: &Value) -> Value {
        if value.root().is_none_or(|root| self.roots.dead(root).is_none()) {
            return value.clone();
        }
        match value {
            Value::Scalar => Value::Scalar,
            Value::Leaf(root) => {
                let mut alive = self.roots.ancestors(*root, 0);
                alive.retain(|root| self.roots.dead(*root).is_none());
                Value::Leaf(self.roots.make(Origin::Made, &alive))
            }
            Value::Parts(parts) => {
                let parts = parts.parts.iter().map(|part| self.survived(part)).collect();
                Value::parts(&mut self.roots, parts)
            }
            Value::Fun(fun) => {
                let root = fun.root.map(|_| self.roots.make(Origin::Made, &[]));
                Value::fun(fun.mode.clone(), root, fun.once)
            }
        }
    }

    /// A loop. Variables that its body consumes are transferred to it, and the next ones must be its own.
    pub(super) fn iteration(&mut self, at: ExprId, pat: PatId, init: ExprId, form: &LoopForm, body: ExprId) -> Value {
        let span = self.program.ast.exprs[at].span;
        let first = self.expr(init);
        let gifts = self.gifts.len();
        let over = match form {
            LoopForm::For { bound, .. } => self.expr(*bound),
            LoopForm::ForIn { array, .. } => self.expr(*array),
            LoopForm::While(_) => Value::Scalar,
        };
        if gifts != self.gifts.len() {
            self.used(init, &first);
        }
        self.frames.push(Frame { floor: self.roots.len(), kind: FrameKind::Loop(span), captured: FxHashSet::default() });
        let variable = self.param(pat, None, Binds::Loop);
        match form {
            LoopForm::For { var, .. } => drop(self.locals.insert(*var, Value::Scalar)),
            LoopForm::ForIn { pat, .. } => self.element(*pat, &over),
            LoopForm::While(cond) => drop(self.expr(*cond)),
        }
        let next = self.expr(body);
        for (expr, value) in [(init, &first), (body, &next)] {
            self.ordinary_functions(expr, value);
        }
        let mut slots = Vec::new();
        slots_of(&mut self.roots, &variable, &first, &next, None, &mut slots);
        let taken = self.next_values(&slots, pat, body);
        if let LoopForm::ForIn { array, .. } = form {
            self.used(*array, &over);
        }
        self.frames.pop();
        self.first_values(&slots, &taken, init, span);
        for slot in slots.iter().filter(|slot| !taken.contains_key(&slot.variable)) {
            let others: Vec<Root> = slot.first.into_iter().chain(slot.next).filter(|root| *root != slot.variable).collect();
            self.roots.share(slot.variable, &others);
        }
        match self.ty(at) {
            Some(ty) => self.outcome(&variable, &taken, ty),
            None => Value::Scalar,
        }
    }
    /// The element of an array that a loop goes through lies in the array.
    fn element(&mut self, pat: PatId, array: &Value) {
        let value = match (self.tables.pats.get(pat), array) {
            (_, Value::Fun(_)) => array.clone(),
            (Some(ty), array) => match array.root() {
                Some(root) => value::of_type(&mut self.roots, ty, &mut |_| root),
                None => Value::Scalar,
            },
            (None, _) => Value::Scalar,
        };
        self.bind(pat, value);
    }
    /// Loop variables hold functions that may be applied any number of times.
    fn ordinary_functions(&mut self, expr: ExprId, value: &Value) {
        let mut functions = Vec::new();
        value.functions(&mut functions);
        for function in functions {
            if function.once.is_some() {
                self.report_often(expr);
            } else if let Err(misfit) = mode::fits(&function.mode, &Mode::Plain) {
                self.report_misfit(expr, misfit, None);
            }
        }
    }
    /// The end of an iteration: which variables are consumed, with what consumed them in the body, if it was not their annotation.
    fn next_values(&mut self, slots: &[Slot], pat: PatId, body: ExprId) -> FxHashMap<Root, Option<GiftId>> {
        let mut taken: FxHashMap<Root, Option<GiftId>> = FxHashMap::default();
        loop {
            let before = taken.len();
            for slot in slots {
                if taken.contains_key(&slot.variable) {
                    continue;
                }
                let given = self.roots.origin(slot.variable) == Origin::Given;
                let opened = self.opened.get(&slot.variable).copied();
                if !given && opened.is_none() {
                    continue;
                }
                taken.insert(slot.variable, opened);
                if let Some(next) = slot.next
                    && let Err(blame) = self.give(next, self.gift(self.tail(body), Consumer::Next))
                {
                    self.report_next(body, pat, next, blame, opened);
                }
            }
            if taken.len() == before {
                break;
            }
        }
        if !taken.is_empty() {
            for slot in slots.iter().filter(|slot| !taken.contains_key(&slot.variable)) {
                if let Some(gift) = slot.next.and_then(|next| self.roots.dead(next)) {
                    self.report_next(body, pat, slot.variable, Blame::Dead(gift), None);
                }
            }
        }
        taken
    }
    /// The beginning of a loop: first values of variables that are consumed are transferred to it.
    fn first_values(&mut self, slots: &[Slot], taken: &FxHashMap<Root, Option<GiftId>>, init: ExprId, span: Span) {
        if taken.is_empty() {
            return;
        }
        for slot in slots {
            let (Some(inside), Some(root)) = (taken.get(&slot.variable), slot.first) else { continue };
            let place = self.item(init, slot.at);
            let by = Consumer::Loop(span, inside.map(|gift| self.gift_span(gift)));
            if let Err(blame) = self.give(root, self.gift(place, by)) {
                self.report_gift(place, by, blame);
            }
        }
        for slot in slots.iter().filter(|slot| !taken.contains_key(&slot.variable)) {
            if let Some(root) = slot.first {
                let place = self.item(init, slot.at);
                self.used(place, &Value::Leaf(root));
            }
        }
    }
    fn outcome(&mut self, variable: &Value, taken: &FxHashMap<Root, Option<GiftId>>, ty: &crate::ir::tables::RType) -> Value {
        match variable {
            Value::Scalar => Value::Scalar,
            Value::Leaf(root) if taken.contains_key(root) => {
                value::of_type(&mut self.roots, ty, &mut |roots| roots.make(Origin::Made, &[]))
            }
            Value::Leaf(root) => {
                let root = *root;
                let mut known = None;
                value::of_type(&mut self.roots, ty, &mut |roots| *known.get_or_insert_with(|| roots.make(Origin::Made, &[root])))
            }
            Value::Parts(parts) => match value::part_types(ty) {
                Some(types) if types.len() == parts.parts.len() => {
                    let values = parts.parts.iter().zip(types).map(|(part, ty)| self.outcome(part, taken, ty)).collect();
                    Value::parts(&mut self.roots, values)
                }
                _ => Value::leaf(parts.parts.first().and_then(Value::root)),
            },
            Value::Fun(_) => variable.clone(),
        }
    }

    /// The expression that gives an expression its value.
    pub(super) fn tail(&self, mut expr: ExprId) -> ExprId {
        loop {
            expr = view::strip(&self.program.ast, expr);
            match &self.program.ast.exprs[expr].kind {
                ExprKind::Let { body, .. } | ExprKind::LetUpdate { body, .. } => expr = *body,
                ExprKind::LetFun(fun) => expr = fun.body,
                ExprKind::Open { expr: inner, .. } | ExprKind::Assert { expr: inner, .. } => expr = *inner,
                _ => return expr,
            }
        }
    }
    /// One item of a written tuple, or all of another expression.
    fn item(&self, expr: ExprId, at: usize) -> ExprId {
        let tail = self.tail(expr);
        match &self.program.ast.exprs[tail].kind {
            ExprKind::Tuple(items) => items.get(at).copied().unwrap_or(tail),
            _ => tail,
        }
    }

    /// The result of a function has the mode that its annotation says.
    pub(super) fn result(&mut self, body: ExprId, value: &Value, mode: &Mode, ret: TypeId) {
        let tail = self.tail(body);
        self.promise(tail, value, mode, ret);
        if mode.takes() {
            self.kept_parts(tail, value, mode, ret);
        }
    }
    fn promise(&mut self, expr: ExprId, value: &Value, mode: &Mode, ret: TypeId) {
        let items = self.items(expr, value);
        match (mode, value) {
            (_, Value::Fun(fun)) => {
                if fun.once.is_some() {
                    self.report_often(expr);
                } else if let Err(misfit) = mode::fits(&fun.mode, mode) {
                    self.report_promised_function(expr, misfit);
                }
            }
            (_, Value::Parts(parts)) if matches!(mode, Mode::Unique | Mode::Parts(_)) => {
                for (at, part) in parts.parts.iter().enumerate() {
                    self.promise(items.get(at).copied().unwrap_or(expr), part, &mode.part(at), ret);
                }
            }
            (mode, Value::Leaf(root)) if mode.takes() => {
                if let Err(blame) = self.give(*root, self.gift(expr, Consumer::Result)) {
                    self.report_result(expr, *root, blame, ret);
                }
            }
            _ => self.ordinary_functions(expr, value),
        }
    }
    /// Parts of a result without `*` share nothing with those that have one.
    fn kept_parts(&mut self, expr: ExprId, value: &Value, mode: &Mode, ret: TypeId) {
        let items = self.items(expr, value);
        match (mode, value) {
            (Mode::Parts(_), Value::Parts(parts)) => {
                for (at, part) in parts.parts.iter().enumerate() {
                    self.kept_parts(items.get(at).copied().unwrap_or(expr), part, &mode.part(at), ret);
                }
            }
            (Mode::Plain | Mode::Scalar, value) => {
                if let Some((root, gift)) = value.root().and_then(|root| Some((root, self.roots.dead(root)?))) {
                    self.report_result(expr, root, Blame::Dead(gift), ret);
                }
            }
            _ => {}
        }
    }
    fn items(&self, expr: ExprId, value: &Value) -> Vec<ExprId> {
        match (&self.program.ast.exprs[expr].kind, value) {
            (ExprKind::Tuple(items), Value::Parts(parts)) if items.len() == parts.parts.len() => {
                items.iter().map(|item| view::strip(&self.program.ast, *item)).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Consumes what a mode takes of a value.
    pub(super) fn take(&mut self, value: &Value, mode: &Mode, expr: ExprId, by: Consumer) {
        match (mode, value) {
            (Mode::Plain | Mode::Scalar | Mode::Fun(_), _) | (_, Value::Scalar) => {}
            (Mode::Unique | Mode::Parts(_), Value::Parts(parts)) => {
                for (at, part) in parts.parts.iter().enumerate() {
                    let items = self.items(view::strip(&self.program.ast, expr), value);
                    self.take(part, &mode.part(at), items.get(at).copied().unwrap_or(expr), by);
                }
            }
            (Mode::Unique | Mode::Parts(_), _) => {
                let Some(root) = value.root().filter(|_| mode.takes()) else { return };
                if let Err(blame) = self.give(root, self.gift(expr, by)) {
                    self.report_gift(expr, by, blame);
                }
            }
        }
    }
    /// Gives memory away, with all that may share it.
    pub(super) fn give(&mut self, root: Root, gift: Consumption) -> Result<(), Blame> {
        if let Some(earlier) = self.roots.dead(root) {
            return Err(Blame::Dead(earlier));
        }
        let (floor, kind) = self.frames.last().map_or((0, FrameKind::Definition), |frame| (frame.floor, frame.kind));
        let ancestors = self.roots.ancestors(root, floor);
        for ancestor in &ancestors {
            match self.roots.origin(*ancestor) {
                Origin::Global(def) => return Err(Blame::Global(def)),
                Origin::Kept(pat) if ancestor.raw() >= floor => return Err(Blame::Kept(pat)),
                _ if ancestor.raw() < floor => return Err(Blame::Around(kind, *ancestor)),
                _ => {}
            }
        }
        let id = self.gifts.len() as GiftId;
        for ancestor in &ancestors {
            if matches!(self.roots.origin(*ancestor), Origin::Open(_)) {
                self.opened.entry(*ancestor).or_insert(id);
            }
        }
        let returned = ancestors.iter().find_map(|ancestor| self.roots.origin(*ancestor).lender());
        self.gifts.push(Consumption { returned, ..gift });
        self.roots.kill(ancestors, id);
        Ok(())
    }
}

/// The parts of loop variables beside those of their first and next values.
fn slots_of(roots: &mut super::Roots, variable: &Value, first: &Value, next: &Value, at: Option<usize>, out: &mut Vec<Slot>) {
    let leaf = |root: Root| Slot { variable: root, first: first.root(), next: next.root(), at: at.unwrap_or(0) };
    match variable {
        Value::Scalar => {}
        Value::Leaf(root) => out.push(leaf(*root)),
        Value::Fun(fun) => out.extend(fun.root.map(leaf)),
        Value::Parts(parts) => {
            for (k, part) in parts.parts.iter().enumerate() {
                let (first, next) = (first.part(roots, k, None), next.part(roots, k, None));
                slots_of(roots, part, &first, &next, at.or(Some(k)), out);
            }
        }
    }
}
