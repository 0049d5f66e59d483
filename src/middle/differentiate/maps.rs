//! The return sweep of maps: what iterations add to arrays from outside, to single cells of them, and to what they are mapped over.

use super::adjoints::{Adjoint, Leaving, Part, Sparse};
use super::build::Build;
use super::reverse::{Reverse, bound_in};
use crate::base::Scalar;
use crate::ir::soac::visit_mut::{Subst, fresh_body};
use crate::ir::soac::{Lambda, Operand, Size, Var};
use rustc_hash::FxHashSet;

/// What a map adds to cells of arrays, the same ones in all iterations.
type Cells = Vec<Same>;

/// What a map adds to a cell or a slice that is the same in all iterations.
struct Same {
    array: Var,
    place: Place,
    /// The widths of the maps inside that it comes from.
    within: Vec<Size>,
    /// What one iteration adds.
    value: Operand,
}

/// Where in an array something is added.
#[derive(PartialEq)]
enum Place {
    /// At the cell with these indices.
    Cell(Vec<Operand>),
    /// At the slice with this start and step.
    Slice([Operand; 2]),
}

impl Build<'_> {
    /// Whether a place in an array is one of its cells or slices for certain.
    fn is_there(&self, array: Var, place: &Place, value: Operand) -> bool {
        let constant = |a: &Operand| if let Operand::Const(Scalar::I64(n)) = a { Some(*n) } else { None };
        let has = |size: &Size, at: i64| size.as_constant().is_some_and(|n| (0..n).contains(&at));
        let shape = &self.program.ty(array).shape;
        match place {
            Place::Cell(at) => at.iter().zip(shape).all(|(at, size)| constant(at).is_some_and(|at| has(size, at))),
            Place::Slice([start, step]) => {
                let count = self.ty(value).shape[0].as_constant();
                let (Some(start), Some(step), Some(count)) = (constant(start), constant(step), count) else { return false };
                let last = step.checked_mul(count - 1).and_then(|way| start.checked_add(way));
                count == 0 || has(&shape[0], start) && last.is_some_and(|last| has(&shape[0], last))
            }
        }
    }
}

impl Reverse<'_, '_> {
    /// A map of the return sweep over arrays; what it adds to adjoints of variables from outside leaves it. Returns what it maps to.
    pub fn adjoint_map(&mut self, width: &Size, inputs: Vec<Var>, make: impl FnOnce(&mut Self, &[Var]) -> Vec<Operand>) -> Vec<Var> {
        let outer = std::mem::take(&mut self.adjoints);
        let params: Vec<Var> = inputs.iter().map(|input| self.build.param(*input)).collect();
        self.origins.enter(&params);
        let (mut own, mut plan, mut cells) = (0, Vec::new(), Cells::new());
        let body = self.block(|this| {
            let mut result = make(this, &params);
            own = result.len();
            let inside = bound_in(&this.build.stms, &params);
            for (var, adjoint) in this.adjoints.take_all() {
                let adjoint = this.split_cells(var, adjoint, &inside, &mut cells);
                for (how, operands) in this.build.leave(var, adjoint, &inside) {
                    plan.push((var, how, operands.len()));
                    result.extend(operands);
                }
            }
            result.extend(cells.iter().map(|same| same.value));
            result
        });
        self.origins.exit();
        self.adjoints = outer;
        let mut mapped = self.build.mapped(width, inputs, Lambda { params, body });
        let mut outs = mapped.split_off(own).into_iter();
        for (var, how, count) in plan {
            let arrays: Vec<Var> = outs.by_ref().take(count).collect();
            self.gather(width, var, how, &arrays);
        }
        for (Same { array, place, mut within, .. }, values) in cells.into_iter().zip(outs) {
            let value = self.build.sum(values);
            // Without iterations nothing says that the place is there, unless constants do.
            if self.build.is_there(array, &place, value) {
                within.clear();
            } else if !within.contains(width) {
                within.push(width.clone());
            }
            match place {
                Place::Cell(at) => self.adjoints.add_sparse(array, Sparse { frame: Vec::new(), at, value, guarded: false, within }),
                Place::Slice([start, step]) => self.adjoints.add_part(array, Part { start, step, value, within }),
            }
        }
        mapped
    }
    /// Takes out of an adjoint what goes to cells that are the same in all iterations: it is summed over these, where a histogram would
    /// write one cell over and over.
    fn split_cells(&mut self, var: Var, adjoint: Adjoint, inside: &FxHashSet<Var>, cells: &mut Cells) -> Adjoint {
        let outside = |at: &Operand| !matches!(at, Operand::Var(var) if inside.contains(var));
        let sizes_outside = |sizes: &[Size]| !sizes.iter().flat_map(Size::vars).any(|var| inside.contains(&var));
        let (same, sparse): (Vec<Sparse>, Vec<Sparse>) = adjoint.sparse.into_iter().partition(|sparse| {
            sparse.frame.is_empty() && !sparse.guarded && sparse.at.iter().all(outside) && sizes_outside(&sparse.within)
        });
        for Sparse { at, value, within, .. } in same {
            let cell = self.build.program.ty(var).cell(at.len());
            let value = self.build.as_type(value, &cell);
            self.add_same(cells, Same { array: var, place: Place::Cell(at), within, value });
        }
        let known = |build: &Build, part: &Part| {
            let sizes = build.ty(part.value).shape;
            outside(&part.start) && outside(&part.step) && sizes_outside(&sizes) && sizes_outside(&part.within)
        };
        let (same, parts): (Vec<Part>, Vec<Part>) = adjoint.parts.into_iter().partition(|part| known(self.build, part));
        for Part { start, step, value, within } in same {
            self.add_same(cells, Same { array: var, place: Place::Slice([start, step]), within, value });
        }
        Adjoint { dense: adjoint.dense, sparse, parts }
    }
    fn add_same(&mut self, cells: &mut Cells, new: Same) {
        let ty = self.build.ty(new.value);
        let alike = |old: &Same| old.array == new.array && old.place == new.place && old.within == new.within;
        match cells.iter_mut().find(|old| alike(old) && self.build.ty(old.value) == ty) {
            Some(old) => old.value = self.build.add(old.value, new.value),
            None => cells.push(new),
        }
    }
    /// What iterations add to the adjoint of a variable from outside of them.
    fn gather(&mut self, width: &Size, var: Var, how: Leaving, arrays: &[Var]) {
        match how {
            Leaving::Dense => {
                let sum = self.build.sum(arrays[0]);
                self.contribute(Operand::Var(var), sum);
            }
            Leaving::Sparse { mut frame, indices, guarded } => {
                frame.insert(0, width.clone());
                let at = arrays[..indices].iter().map(|at| Operand::Var(*at)).collect();
                self.adjoints.add_sparse(var, Sparse { frame, at, value: Operand::Var(arrays[indices]), guarded, within: Vec::new() });
            }
        }
    }

    /// The return sweep of a map, which binds these variables.
    pub fn map(&mut self, pat: &[Var], width: &Size, (inputs, lambda): (&[Var], &Lambda), adjoints: &[Option<Operand>]) {
        let mut all = inputs.to_vec();
        all.extend(adjoints.iter().flatten().map(|adjoint| self.build.array(*adjoint)));
        // A parameter's contributions to single cells become those to the array, with the number of the iteration in front.
        let mut sparse: Vec<(usize, Leaving, usize)> = Vec::new();
        let mut dense: Vec<usize> = Vec::new();
        let outside: Vec<bool> = inputs.iter().map(|input| self.origins.is_from_outside(*input)).collect();
        let numbers = self.build.iota(width);
        all.push(numbers);
        let mapped = self.adjoint_map(width, all, |this, params| {
            let (cells, rest) = params.split_at(inputs.len());
            let (seeds, number) = rest.split_at(rest.len() - 1);
            let mut subst = Subst::default();
            for (param, cell) in lambda.params.iter().zip(cells) {
                subst.operands.insert(*param, Operand::Var(*cell));
            }
            this.activate(inputs, cells);
            let body = fresh_body(this.build.program, &lambda.body, &mut subst);
            if this.wild.is_inner_product(pat) {
                this.wild.are_inner_products(&body);
            }
            let mut seeds = seeds.iter();
            let seeds = adjoints.iter().map(|a| a.and_then(|_| seeds.next()).map(|var| Operand::Var(*var))).collect();
            this.body(body, |_| seeds);
            let inside = bound_in(&this.build.stms, params);
            let mut result = Vec::new();
            for (k, cell) in cells.iter().enumerate() {
                let Some(mut adjoint) = this.adjoints.take(*cell) else { continue };
                // Each iteration has a cell of its own, which costs no more than what is mapped over, unless that is a view of which other
                // cells are read each time.
                let moves = outside[k] && adjoint.parts.iter().any(|part| this.moves(part));
                if !adjoint.parts.is_empty() && !moves {
                    adjoint = Adjoint { dense: Some(this.build.dense(*cell, adjoint)), ..Adjoint::default() };
                }
                for (how, operands) in this.build.leave(*cell, adjoint, &inside) {
                    match how {
                        Leaving::Dense => dense.push(k),
                        Leaving::Sparse { ref frame, guarded, .. } => {
                            let guard = guarded.then(|| operands[0]);
                            result.push(this.number(Operand::Var(number[0]), frame, guard));
                            sparse.push((k, how, operands.len()));
                        }
                    }
                    result.extend(operands);
                }
            }
            result
        });
        self.contribute_to_inputs(width, inputs, &mapped, (&dense, &sparse));
    }
    /// Whether a slice is another one in iterations of the maps around, or a few cells of who knows how many.
    fn moves(&self, part: &Part) -> bool {
        let varies = |place: Operand| place.var().is_some_and(|var| self.origins.varies(var));
        varies(part.start) || varies(part.step) || self.build.ty(part.value).shape[0].as_constant().is_some()
    }
    /// What a map hands on to its inputs: for each in turn first the value, then what is added to single cells.
    fn contribute_to_inputs(
        &mut self,
        width: &Size,
        inputs: &[Var],
        mapped: &[Var],
        (dense, sparse): (&[usize], &[(usize, Leaving, usize)]),
    ) {
        let mut at = 0;
        for (k, input) in inputs.iter().enumerate() {
            if dense.contains(&k) {
                self.contribute(Operand::Var(*input), Operand::Var(mapped[at]));
                at += 1;
            }
            for (_, how, count) in sparse.iter().filter(|(of, ..)| *of == k) {
                let arrays = &mapped[at..at + 1 + count];
                at += arrays.len();
                if let Leaving::Sparse { frame, indices, guarded } = how {
                    let how = Leaving::Sparse { frame: frame.clone(), indices: indices + 1, guarded: *guarded };
                    self.gather(width, *input, how, arrays);
                }
            }
        }
    }
}
