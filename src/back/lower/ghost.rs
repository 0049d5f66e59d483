//! Ghosts: what the evaluator of programs with memory is told about where arrays are ([`imp::ghost`](crate::ir::imp::ghost)).

use super::{Array, Loc, Lower, Mem};
use crate::ir::imp::ghost::{Ghost, Name, Origin, View};
use crate::ir::imp::{Expr, Ptr, Stmt};
use crate::ir::soac::{Body, Exp, Operand, Size, Stm, Var, count_exp, made_exp, parallel_exp, view_exp};

impl<'p> Lower<'_, 'p> {
    fn ghost(&mut self, ghost: Ghost) {
        self.emit(Stmt::Ghost(Box::new(ghost)));
    }
    fn ghost_name(&self, var: Var) -> Name {
        Name { number: var.raw(), name: self.program.vars[var].name }
    }
    /// The cells of an array in memory. Nothing is computed for it.
    fn ghost_view(&self, mem: &Mem, shape: &[Size]) -> View {
        let dims = shape.iter().zip(mem.strides.iter()).map(|(n, stride)| (self.size(n), stride.expr.clone())).collect();
        View { ptr: mem.ptr, offset: mem.offset.clone(), dims }
    }
    /// The cells that a pointer points at, in row-major order.
    fn ghost_rows(&self, ptr: Ptr, shape: &[Size]) -> View {
        let mut size = Size::constant(1);
        let mut dims = Vec::with_capacity(shape.len());
        for n in shape.iter().rev() {
            dims.push((self.size(n), self.size(&size)));
            size = size.mul(n);
        }
        dims.reverse();
        View { ptr, offset: Expr::int(0), dims }
    }

    /// Says where a variable is from here on.
    pub(super) fn ghost_at(&mut self, var: Var, origin: Origin) {
        if self.ghosts.is_none() || self.program.ty(var).rank() == 0 {
            return;
        }
        let name = self.ghost_name(var);
        let known = !self.shared.done.contains(&var);
        match self.locs.get(&var) {
            Some(Loc::Array(Array::Mem(mem))) if known => {
                let view = self.ghost_view(mem, &self.program.ty(var).shape);
                self.ghost(Ghost::Array(name, view, origin));
            }
            _ => self.ghost(Ghost::Forget(name)),
        }
    }
    /// A variable is a view of another, unless it was copied.
    pub(super) fn ghost_of(&mut self, var: Var, array: Var) {
        if self.ghosts.is_none() {
            return;
        }
        let ptr = |var: Var| if let Some(Loc::Array(Array::Mem(mem))) = self.locs.get(&var) { Some(mem.ptr) } else { None };
        let origin = if ptr(var) == ptr(array) { Origin::Of(self.ghost_name(array)) } else { Origin::New };
        self.ghost_at(var, origin);
    }
    /// An element of an array is read next, if the expression is one.
    pub(super) fn ghost_read(&mut self, array: Var, element: &Expr) {
        if let (true, Expr::Load(ptr, index)) = (self.ghosts.is_some(), element) {
            let name = self.ghost_name(array);
            self.ghost(Ghost::Read(name, *ptr, index.as_ref().clone()));
        }
    }

    /// What a statement uses as a whole. Elements that are read one by one are told of where they are read.
    pub(super) fn ghosts_before(&mut self, stm: &'p Stm) {
        if self.ghosts.is_none() {
            return;
        }
        let mut used: Vec<Operand> = Vec::new();
        let mut vars = |vars: &[Var]| used.extend(vars.iter().copied().map(Operand::Var));
        match &stm.exp {
            Exp::Rotate { array, .. } => vars(&[*array]),
            Exp::Concat(arrays) => vars(arrays),
            Exp::Scatter { dests, .. } | Exp::Hist { dests, .. } => vars(dests),
            Exp::Update { array, value, .. } => {
                vars(&[*array]);
                used.push(*value);
            }
            Exp::UpdateSlice { array, start, step, value, .. } => {
                vars(&[*value]);
                self.ghost_rest(*array, *start, *step, *value, stm);
            }
            Exp::Copy(operand) => used.push(*operand),
            Exp::Stack(operands) | Exp::Call(_, operands) => used.extend(operands),
            Exp::Loop { params, .. } => used.extend(params.iter().map(|(_, init)| *init)),
            Exp::Scalar(..)
            | Exp::Size(_)
            | Exp::Literal(_)
            | Exp::Index { .. }
            | Exp::Rep(_)
            | Exp::Iota { .. }
            | Exp::Check(_)
            | Exp::Soac(_)
            | Exp::Seg(_)
            | Exp::Filter { .. }
            | Exp::Rows { .. }
            | Exp::If { .. }
            | view_exp!()
            | count_exp!() => {}
        }
        self.ghost_use(&used, stm.span);
    }
    fn ghost_use(&mut self, operands: &[Operand], span: crate::base::Span) {
        let arrays = operands.iter().filter_map(|a| a.var()).filter(|var| self.program.ty(*var).rank() > 0);
        let names: Vec<Name> = arrays.map(|var| self.ghost_name(var)).collect();
        if !names.is_empty() {
            self.ghost(Ghost::Use(names, span));
        }
    }
    /// An array of which some cells are replaced, perhaps already: the new ones may be made over the old ones.
    fn ghost_rest(&mut self, array: Var, start: Operand, step: Operand, value: Var, stm: &Stm) {
        let Some(Loc::Array(Array::Mem(mem))) = self.locs.get(&array).cloned() else { return };
        let name = self.ghost_name(array);
        let (start, step) = (self.int(start), self.int(step));
        let mut view = self.ghost_view(&mem, &self.program.ty(array).shape);
        if let Some((n, stride)) = view.dims.first_mut() {
            view.offset = view.offset.plus(start.times(stride.clone()));
            *n = self.size(&self.program.ty(value).shape[0]);
            *stride = stride.clone().times(step);
        }
        self.ghost(Ghost::UseRest(name, view, stm.span));
    }

    /// What a statement has made.
    pub(super) fn ghosts_after(&mut self, stm: &'p Stm) {
        if self.ghosts.is_none() {
            return;
        }
        // What is read as a whole while something is written is not what is written.
        match &stm.exp {
            Exp::Rotate { array, .. } => self.ghost_use(&[Operand::Var(*array)], stm.span),
            Exp::Concat(arrays) => self.ghost_use(&arrays.iter().copied().map(Operand::Var).collect::<Vec<_>>(), stm.span),
            Exp::Stack(operands) | Exp::Call(_, operands) => self.ghost_use(operands, stm.span),
            Exp::Copy(operand) => self.ghost_use(&[*operand], stm.span),
            Exp::Scalar(..)
            | Exp::Size(_)
            | Exp::Literal(_)
            | Exp::Index { .. }
            | Exp::Rep(_)
            | Exp::Iota { .. }
            | Exp::Update { .. }
            | Exp::UpdateSlice { .. }
            | Exp::Check(_)
            | Exp::If { .. }
            | Exp::Loop { .. }
            | view_exp!()
            | count_exp!()
            | parallel_exp!() => {}
        }
        match &stm.exp {
            Exp::Index { array, .. }
            | Exp::Slice { array, .. }
            | Exp::Rearrange { array, .. }
            | Exp::Reshape(array)
            | Exp::Coerce(array)
            | Exp::Rep(Operand::Var(array)) => self.ghost_of(stm.pat[0], *array),
            Exp::Loop { params, .. } => {
                for (var, (param, _)) in stm.pat.iter().zip(params) {
                    let origin = Origin::Same(self.ghost_name(*param));
                    self.ghost_at(*var, origin);
                }
            }
            Exp::Copy(_)
            | Exp::Scalar(..)
            | Exp::Size(_)
            | Exp::Update { .. }
            | Exp::UpdateSlice { .. }
            | Exp::Check(_)
            | Exp::If { .. }
            | Exp::Call(..)
            | made_exp!()
            | count_exp!()
            | parallel_exp!() => stm.pat.iter().for_each(|var| self.ghost_at(*var, Origin::New)),
        }
    }

    /// The results of a body, which have been put where they belong: names for them there.
    pub(super) fn ghost_results(&mut self, body: &Body, out: &[Loc]) {
        let Some(mut ghosts) = self.ghosts.take() else { return };
        let mut slots = Vec::with_capacity(out.len());
        for (operand, loc) in body.result.iter().zip(out) {
            let (Some(var), Loc::Array(Array::Mem(mem))) = (operand.var(), loc) else {
                slots.push(None);
                continue;
            };
            ghosts.named += 1;
            let slot = Name { number: self.program.vars.len() + ghosts.named, name: self.program.vars[var].name };
            let view = self.ghost_view(mem, &self.program.ty(var).shape);
            let origin = if self.shared.done.contains(&var) { Origin::New } else { Origin::Same(self.ghost_name(var)) };
            self.ghost(Ghost::Array(slot, view, origin));
            slots.push(Some((slot, var)));
        }
        ghosts.results = slots;
        self.ghosts = Some(ghosts);
    }
    /// A result of the last body was moved to where a pointer points.
    pub(super) fn ghost_moved(&mut self, slot: Option<(Name, Var)>, ptr: Ptr) {
        if let Some((slot, var)) = slot {
            let view = self.ghost_rows(ptr, &self.program.ty(var).shape);
            self.ghost(Ghost::Array(slot, view, Origin::Same(slot)));
        }
    }
    /// A parameter of a loop is what a result of its body, or its first value, was.
    pub(super) fn ghost_param(&mut self, param: Var, place: &super::control::Held<'_>, origin: Option<Name>) {
        if self.ghosts.is_none() {
            return;
        }
        let shape = &self.program.ty(param).shape;
        let view = match place {
            super::control::Held::Mem(mem) => self.ghost_view(mem, shape),
            super::control::Held::Ptr(ptr) => self.ghost_rows(*ptr, shape),
        };
        let name = self.ghost_name(param);
        self.ghost(Ghost::Array(name, view, origin.map_or(Origin::New, Origin::Same)));
    }
    /// The name of the first value of a parameter.
    pub(super) fn ghost_init(&self, init: Operand) -> Option<Name> {
        init.var().map(|var| self.ghost_name(var))
    }
    /// The last body's results.
    pub(super) fn ghost_slots(&mut self) -> Slots {
        self.ghosts.as_mut().map_or(Vec::new(), |ghosts| std::mem::take(&mut ghosts.results))
    }
}

/// Names of results.
pub(super) type Slots = Vec<Option<(Name, Var)>>;

/// The names that ghosts have for results of bodies.
#[derive(Default)]
pub(super) struct Ghosts {
    /// How many there are.
    named: usize,
    /// Those of the last body.
    results: Slots,
}
