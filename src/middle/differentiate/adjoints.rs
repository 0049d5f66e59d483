//! Adjoints of the variables of a scope while its return sweep is made: sums of contributions that are made when they are needed.
//!
//! What is read at an index contributes to one cell. Such contributions are kept with their indices, through maps as arrays of both, until the
//! adjoint is needed: then they are added to it in place, one by one or as a histogram. So a map with n reads of an array of m elements costs
//! n + m, not n * m, and stays a map.

use super::build::{Build, is_zero};
use crate::base::mutation::mutated;
use crate::base::scalar::Op;
use crate::base::{PrimType, Scalar};
use crate::ir::soac::{Body, Exp, Lambda, Operand, Operator, Size, Type, Var};
use rustc_hash::{FxHashMap, FxHashSet};

/// What is added to an adjoint at some cells.
#[derive(Debug, Clone)]
pub(super) struct Sparse {
    /// How many cells: none for a single one.
    pub frame: Vec<Size>,
    /// The indices, one for each of the outermost dimensions that are given up: numbers, or arrays of them in the frame.
    pub at: Vec<Operand>,
    /// What is added, in the frame.
    pub value: Operand,
    /// Whether indices may be -1, for nothing.
    pub guarded: bool,
    /// The widths of the maps that this comes from, for a single cell: where one of them has no iterations it is nothing, and the cell need
    /// not be there.
    pub within: Vec<Size>,
}

/// What is added to an adjoint at the cells of a slice.
#[derive(Debug, Clone)]
pub(super) struct Part {
    /// The first of the cells.
    pub start: Operand,
    /// How far each is from the one before.
    pub step: Operand,
    /// What is added: an array, as long as the slice.
    pub value: Operand,
    /// The widths of the maps that this comes from: where one of them has no iterations the slice need not be there.
    pub within: Vec<Size>,
}

/// The adjoint of a variable so far.
#[derive(Debug, Clone, Default)]
pub(super) struct Adjoint {
    /// A value of the variable's type.
    pub dense: Option<Operand>,
    /// What is added to it besides, at cells.
    pub sparse: Vec<Sparse>,
    /// What is added to it besides, at slices.
    pub parts: Vec<Part>,
}

/// What is added where maps of these widths all have iterations.
type Group = (Vec<Size>, Vec<Part>, Vec<Sparse>);

/// The adjoints of a scope.
#[derive(Debug, Default)]
pub(super) struct Adjoints {
    of: FxHashMap<Var, Adjoint>,
    /// Their variables in the order in which they came.
    order: Vec<Var>,
}

impl Adjoints {
    fn of(&mut self, var: Var) -> &mut Adjoint {
        if !self.of.contains_key(&var) {
            self.order.push(var);
        }
        self.of.entry(var).or_default()
    }
    /// The adjoint of a variable.
    pub fn get(&self, var: Var) -> Option<&Adjoint> {
        self.of.get(&var)
    }
    /// Takes the adjoint of a variable out.
    pub fn take(&mut self, var: Var) -> Option<Adjoint> {
        let adjoint = self.of.remove(&var)?;
        self.order.retain(|other| *other != var);
        Some(adjoint)
    }
    /// Sets the adjoint of a variable.
    pub fn set(&mut self, var: Var, dense: Operand) {
        *self.of(var) = Adjoint { dense: Some(dense), ..Adjoint::default() };
    }
    /// All that is there, in the order in which it came.
    pub fn take_all(&mut self) -> Vec<(Var, Adjoint)> {
        let order = std::mem::take(&mut self.order);
        order.into_iter().filter_map(|var| Some((var, self.of.remove(&var)?))).collect()
    }
    /// Adds something at some cells.
    pub fn add_sparse(&mut self, var: Var, sparse: Sparse) {
        self.of(var).sparse.push(sparse);
    }
    /// Adds something at a slice.
    pub fn add_part(&mut self, var: Var, part: Part) {
        self.of(var).parts.push(part);
    }
    /// Adds a value.
    pub fn add(&mut self, build: &mut Build, var: Var, value: Operand) {
        if is_zero(value) {
            return;
        }
        let value = build.as_type(value, &build.program.ty(var).clone());
        let old = self.of(var).dense;
        let sum = match old {
            Some(old) => build.add(old, value),
            None => value,
        };
        self.of(var).dense = Some(sum);
    }
}

impl Build<'_> {
    /// The value of an adjoint.
    pub fn dense(&mut self, var: Var, adjoint: Adjoint) -> Operand {
        let mut sum = adjoint.dense.unwrap_or_else(|| self.zeros_like(var));
        // What is added only where the same maps have iterations, is added in one branch.
        let mut groups: Vec<Group> = Vec::new();
        let place = |groups: &mut Vec<Group>, within: Vec<Size>| {
            groups.iter().position(|group| group.0 == within).unwrap_or_else(|| {
                groups.push((within, Vec::new(), Vec::new()));
                groups.len() - 1
            })
        };
        for mut part in adjoint.parts {
            let at = place(&mut groups, std::mem::take(&mut part.within));
            groups[at].1.push(part);
        }
        for mut sparse in adjoint.sparse {
            let at = place(&mut groups, std::mem::take(&mut sparse.within));
            groups[at].2.push(sparse);
        }
        for (within, parts, sparse) in groups {
            let add = |this: &mut Self| {
                let with_parts = parts.into_iter().fold(sum, |sum, part| this.with_part(sum, part));
                sparse.into_iter().fold(with_parts, |sum, sparse| this.with_sparse(sum, sparse))
            };
            sum = match self.all_run(&within) {
                Some(some) => {
                    let then = self.body(|this| vec![add(this)]);
                    self.either("adj", some, then, Body { stms: Vec::new(), result: vec![sum] })[0]
                }
                None => add(self),
            };
        }
        sum
    }
    fn with_part(&mut self, sum: Operand, part: Part) -> Operand {
        let Part { start, step, value, .. } = part;
        let (array, ty) = (self.array(sum), self.ty(value));
        let old = self.bind("adj", ty, Exp::Slice { array, start, step, checked: false });
        let value = mutated!(PartsReplace, self.add(Operand::Var(old), value), value);
        let (ty, value) = (self.program.ty(array).clone(), self.array(value));
        Operand::Var(self.bind("adj", ty, Exp::UpdateSlice { array, start, step, value, checked: false }))
    }
    /// What is added at a slice, as what is added at each of its cells.
    pub fn cells_of(&mut self, part: Part) -> Sparse {
        let Part { start, step, value, within } = part;
        let width = self.ty(value).shape[0].clone();
        let ty = Type { elem: PrimType::I64, shape: vec![width.clone()] };
        let mut at = self.bind("at", ty, Exp::Iota { start, step });
        let some = self.all_run(&within);
        if let Some(some) = some {
            at = self.map(&width, vec![at], |this, cells| vec![this.select(some, Operand::Var(cells[0]), Operand::int(-1))])[0];
        }
        Sparse { frame: vec![width], at: vec![Operand::Var(at)], value, guarded: some.is_some(), within: Vec::new() }
    }
    /// Whether maps of these widths all have iterations; nothing where that is known.
    fn all_run(&mut self, widths: &[Size]) -> Option<Operand> {
        let mut all = None;
        for width in widths.iter().filter(|width| mutated!(SumsOfNothing, width.as_constant().is_none_or(|n| n <= 0), false)) {
            let size = self.size(width);
            let some = self.op(Op::Lt, PrimType::I64, &[Operand::int(0), size]);
            all = Some(all.map_or(some, |before| self.op(Op::And, PrimType::Bool, &[before, some])));
        }
        all
    }
    /// The same with an index that is -1 where this is nothing.
    pub fn settled(&mut self, sparse: Sparse) -> Sparse {
        let Sparse { frame, mut at, value, guarded, within } = sparse;
        let some = self.all_run(&within);
        if let Some(some) = some {
            at[0] = self.select(some, at[0], Operand::int(-1));
        }
        Sparse { frame, at, value, guarded: guarded || some.is_some(), within: Vec::new() }
    }
    /// The same adjoint, whose slices are said by their cells as far as their sizes make sense outside of a scope.
    pub fn spread(&mut self, adjoint: Adjoint, outside: impl Fn(&Size) -> bool) -> Adjoint {
        let Adjoint { dense, sparse, parts } = adjoint;
        let mut sparse: Vec<Sparse> = sparse.into_iter().map(|sparse| self.settled(sparse)).collect();
        let (spread, parts): (Vec<Part>, Vec<Part>) = parts.into_iter().partition(|part| outside(&self.ty(part.value).shape[0]));
        sparse.extend(spread.into_iter().map(|part| self.cells_of(part)));
        Adjoint { dense, sparse, parts }
    }
    fn with_sparse(&mut self, sum: Operand, sparse: Sparse) -> Operand {
        let Sparse { frame, at, value, guarded, .. } = sparse;
        let array = self.array(sum);
        if frame.is_empty() {
            if !guarded {
                return Operand::Var(self.increased(array, &at, value));
            }
            let some = self.op(Op::Ge, PrimType::I64, &[at[0], Operand::int(0)]);
            let then = self.body(|this| vec![Operand::Var(this.increased(array, &at, value))]);
            let els = Body { stms: Vec::new(), result: vec![sum] };
            return self.either("adj", some, then, els)[0];
        }
        let depth = at.len();
        let ty = self.program.ty(array).clone();
        let flat = self.flat(array, depth);
        let inputs: Vec<Var> = at.iter().map(|at| self.array(*at)).chain([self.array(value)]).collect();
        let inputs: Vec<Var> = inputs.into_iter().map(|input| self.flat(input, frame.len())).collect();
        let width = self.program.ty(inputs[0]).shape[0].clone();
        let params: Vec<Var> = inputs.iter().map(|input| self.param(*input)).collect();
        let body = self.body(|this| {
            let mut place = Operand::Var(params[0]);
            for (size, index) in ty.shape[1..depth].iter().zip(&params[1..]) {
                let size = this.size(size);
                let scaled = this.op(Op::Mul, PrimType::I64, &[place, size]);
                place = this.op(Op::Add, PrimType::I64, &[scaled, Operand::Var(*index)]);
            }
            vec![place, Operand::Var(params[depth])]
        });
        let operator = self.plus(&self.program.ty(flat).cell(1));
        let sums = self.histogram(&width, inputs, Lambda { params, body }, vec![flat], operator);
        if depth == 1 { Operand::Var(sums[0]) } else { Operand::Var(self.bind("adj", ty, Exp::Reshape(sums[0]))) }
    }
    /// Arrays with what a histogram adds to them.
    pub fn histogram(&mut self, width: &Size, inputs: Vec<Var>, lambda: Lambda, dests: Vec<Var>, operator: Operator) -> Vec<Var> {
        let pat: Vec<Var> = dests.iter().map(|dest| self.fresh("adj".into(), self.program.ty(*dest).clone())).collect();
        self.push(pat.clone(), Exp::Hist { width: width.clone(), inputs, lambda, dests, operator });
        pat
    }
    /// An array with one cell increased.
    fn increased(&mut self, array: Var, at: &[Operand], value: Operand) -> Var {
        let ty = self.program.ty(array).clone();
        let old = self.cell(array, at);
        let value = self.as_type(value, &ty.cell(at.len()));
        let value = self.add(old, value);
        self.bind("adj", ty, Exp::Update { array, at: at.to_vec(), value, checked: false })
    }
}

/// What leaves a scope: the adjoint of a variable from outside as operands of the scope, and how it goes on outside.
#[derive(Debug, Clone)]
pub(super) enum Leaving {
    /// A value of the type of the variable.
    Dense,
    /// Contributions with their frame, the number of indices, and whether they are guarded.
    Sparse { frame: Vec<Size>, indices: usize, guarded: bool },
}

impl Build<'_> {
    /// Makes operands of an adjoint, all of whose types make sense outside of a scope in which these variables are bound.
    pub fn leave(&mut self, var: Var, adjoint: Adjoint, inside: &FxHashSet<Var>) -> Vec<(Leaving, Vec<Operand>)> {
        let mut out = Vec::new();
        let outside = |size: &Size| !size.vars().any(|var| inside.contains(&var));
        let Adjoint { dense, sparse, parts } = if adjoint.dense.is_none() { self.spread(adjoint, outside) } else { adjoint };
        let whole = dense.is_some() || !parts.is_empty();
        let (kept, lost): (Vec<Sparse>, Vec<Sparse>) = sparse.into_iter().partition(|sparse| !whole && sparse.frame.iter().all(outside));
        if whole || !lost.is_empty() {
            let dense = self.dense(var, Adjoint { dense, sparse: lost, parts });
            out.push((Leaving::Dense, vec![dense]));
        }
        for Sparse { frame, at, value, guarded, .. } in kept {
            let indices = at.len();
            out.push((Leaving::Sparse { frame, indices, guarded }, at.into_iter().chain([value]).collect()));
        }
        out
    }
    /// A number for no place, in a frame.
    pub fn nowhere(&mut self, frame: &[Size]) -> Operand {
        let none = Operand::Const(Scalar::I64(-1));
        let ty = Type { elem: PrimType::I64, shape: frame.to_vec() };
        if frame.is_empty() { none } else { Operand::Var(self.bind("nowhere", ty, Exp::Rep(none))) }
    }
}
