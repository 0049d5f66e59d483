//! The return sweep of maps: what iterations add to arrays from outside, to single cells of them, and to what they are mapped over.

use super::adjoints::{Adjoint, Leaving, Sparse};
use super::reverse::{Reverse, bound_in};
use crate::base::PrimType;
use crate::base::scalar::Op;
use crate::ir::soac::visit_mut::{Subst, fresh_body};
use crate::ir::soac::{Exp, Lambda, Operand, Size, Type, Var};
use rustc_hash::FxHashSet;

/// What a map adds to single cells of arrays, the same ones in all iterations: the array, the indices, the operand that one iteration adds.
type Cells = Vec<(Var, Vec<Operand>, Operand)>;

impl Reverse<'_, '_> {
    /// A map of the return sweep over arrays; what it adds to adjoints of variables from outside leaves it. Returns what it maps to.
    pub fn adjoint_map(&mut self, width: &Size, inputs: Vec<Var>, make: impl FnOnce(&mut Self, &[Var]) -> Vec<Operand>) -> Vec<Var> {
        let outer = std::mem::take(&mut self.adjoints);
        let params: Vec<Var> = inputs.iter().map(|input| self.build.param(*input)).collect();
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
            result.extend(cells.iter().map(|(.., value)| *value));
            result
        });
        self.adjoints = outer;
        let mut mapped = self.build.mapped(width, inputs, Lambda { params, body });
        let mut outs = mapped.split_off(own).into_iter();
        for (var, how, count) in plan {
            let arrays: Vec<Var> = outs.by_ref().take(count).collect();
            self.gather(width, var, how, &arrays);
        }
        for ((var, at, _), values) in cells.into_iter().zip(outs) {
            let value = self.build.sum(values);
            self.adjoints.add_sparse(var, Sparse { frame: Vec::new(), at, value, guarded: false });
        }
        mapped
    }
    /// Takes out of an adjoint what goes to cells that are the same in all iterations: it is summed over these, where a histogram would
    /// write one cell over and over.
    fn split_cells(&mut self, var: Var, adjoint: Adjoint, inside: &FxHashSet<Var>, cells: &mut Cells) -> Adjoint {
        let outside = |at: &Operand| !matches!(at, Operand::Var(var) if inside.contains(var));
        let (same, sparse): (Vec<Sparse>, Vec<Sparse>) =
            adjoint.sparse.into_iter().partition(|sparse| sparse.frame.is_empty() && !sparse.guarded && sparse.at.iter().all(outside));
        for Sparse { at, value, .. } in same {
            let cell = self.build.program.ty(var).cell(at.len());
            let value = self.build.as_type(value, &cell);
            match cells.iter_mut().find(|(of, other, _)| *of == var && *other == at) {
                Some((.., sum)) => *sum = self.build.add(*sum, value),
                None => cells.push((var, at, value)),
            }
        }
        Adjoint { dense: adjoint.dense, sparse }
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
                self.adjoints.add_sparse(var, Sparse { frame, at, value: Operand::Var(arrays[indices]), guarded });
            }
        }
    }

    /// The return sweep of a map.
    pub fn map(&mut self, width: &Size, inputs: &[Var], lambda: &Lambda, adjoints: &[Option<Operand>]) {
        let mut all = inputs.to_vec();
        all.extend(adjoints.iter().flatten().map(|adjoint| self.build.array(*adjoint)));
        // A parameter's contributions to single cells become those to the array, with the number of the iteration in front.
        let mut sparse: Vec<(usize, Leaving, usize)> = Vec::new();
        let mut dense: Vec<usize> = Vec::new();
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
            let mut seeds = seeds.iter();
            let seeds = adjoints.iter().map(|a| a.and_then(|_| seeds.next()).map(|var| Operand::Var(*var))).collect();
            this.body(body, |_| seeds);
            let inside = bound_in(&this.build.stms, params);
            let mut result = Vec::new();
            for (k, cell) in cells.iter().enumerate() {
                let Some(adjoint) = this.adjoints.take(*cell) else { continue };
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
    /// The number of an iteration for each cell of a frame: -1 where the index is.
    fn number(&mut self, number: Operand, frame: &[Size], guard: Option<Operand>) -> Operand {
        match (frame, guard) {
            ([], None) => number,
            ([], Some(at)) => {
                let some = self.build.op(Op::Ge, PrimType::I64, &[at, Operand::int(0)]);
                self.build.select(some, number, Operand::int(-1))
            }
            (_, None) => {
                let ty = Type { elem: PrimType::I64, shape: frame.to_vec() };
                Operand::Var(self.build.bind("number", ty, Exp::Rep(number)))
            }
            ([outer, inner @ ..], Some(at)) => {
                let at = self.build.array(at);
                let params = vec![self.build.param(at)];
                let body = self.block(|this| vec![this.number(number, inner, Some(Operand::Var(params[0])))]);
                Operand::Var(self.build.mapped(outer, vec![at], Lambda { params, body })[0])
            }
        }
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
