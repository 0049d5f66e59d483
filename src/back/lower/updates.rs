//! Arrays that are made of parts, and arrays of which parts are written over.

use super::exp::unravelled;
use super::{Array, Loc, Lower, Mem};
use crate::base::Span;
use crate::base::mutation::mutated;
use crate::ir::imp::{Expr, Stmt};
use crate::ir::profile::CopyReason;
use crate::ir::soac::{Operand, Size, Var};

impl Lower<'_, '_> {
    /// The memory of an array that is written to: its own, or a copy that becomes that of `var`.
    pub(super) fn writable(&mut self, var: Var, array: Var, span: Span) -> Mem {
        let source = self.array(array);
        if let Array::Mem(mem) = &source
            && mutated!(WriteReplicated, mem.strides.iter().all(|stride| stride.size != Size::constant(0)), true)
        {
            self.in_place_here(array);
            return mem.clone();
        }
        let mem = self.alloc_var(var, span);
        self.copy_into(&mem, &self.ty(var).shape, &source, CopyReason::Replicated);
        mem
    }

    pub(super) fn stack(&mut self, var: Var, cells: &[Operand], span: Span) {
        let ty = self.ty(var);
        let mem = self.alloc_var(var, span);
        let cell_rank = cells.first().map_or(0, |a| self.program.operand_ty(*a).rank());
        let depth = ty.rank() - cell_rank;
        let constant = |size: &Size| size.as_constant().unwrap_or_else(|| crate::ice!(span, "a stack of a size that is not known"));
        let sizes: Vec<i64> = ty.shape[..depth].iter().map(constant).collect();
        if self.is_host() && cell_rank == 0 {
            self.kernel_stack(&mem, cells, &sizes, span);
            return self.bind_mem(var, mem);
        }
        for (k, cell) in cells.iter().enumerate() {
            let indices = unravelled(k as i64, &sizes);
            let position = self.at(&mem, &indices);
            match self.loc(*cell) {
                Loc::Scalar(e) => self.emit(Stmt::Store(mem.ptr, position, e)),
                Loc::Array(array) => {
                    let offset = self.atom("row", position);
                    let to = Mem { offset, strides: mem.strides[depth..].into(), ..mem.clone() };
                    self.copy_into(&to, &ty.shape[depth..], &array, CopyReason::Stacked);
                }
            }
        }
        self.bind_mem(var, mem);
    }

    pub(super) fn concat(&mut self, var: Var, arrays: &[Var], span: Span) {
        let mem = self.alloc_var(var, span);
        let mut at = Size::default();
        for array in arrays {
            let part = self.ty(*array);
            if self.is_placed(*array) {
                at = at.add(&mutated!(ConcatPlaced, part.shape[0].clone(), Size::default()));
                continue;
            }
            let start = self.size(&at);
            let offset = self.at(&mem, &[start]);
            let offset = self.atom("offset", offset);
            let to = Mem { offset, ..mem.clone() };
            let source = self.array(*array);
            self.copy_into(&to, &part.shape, &source, CopyReason::Part);
            at = at.add(&part.shape[0]);
        }
        self.bind_mem(var, mem);
    }

    pub(super) fn update(&mut self, var: Var, array: Var, at: &[Operand], value: Operand, checked: bool, span: Span) {
        let ty = self.ty(var);
        let at: Vec<Expr> = at.iter().map(|i| self.int(*i)).collect();
        if checked {
            for (i, n) in at.iter().zip(&ty.shape) {
                self.check_index(i.clone(), n, span);
            }
        }
        let value = self.loc(value);
        let mem = self.writable(var, array, span);
        match value {
            Loc::Scalar(e) => {
                let position = self.at(&mem, &at);
                self.emit(Stmt::Store(mem.ptr, position, e));
            }
            Loc::Array(cell) => {
                let to = self.cell_in(&mem, &at);
                self.copy_into(&to, &ty.shape[at.len()..], &cell, CopyReason::Written);
            }
        }
        self.bind_mem(var, mem);
    }

    /// Writes rows at `start` and every `step` after it, all of which are there.
    pub(super) fn update_slice(&mut self, var: Var, array: Var, start: Expr, step: Expr, value: Var, span: Span) {
        let cells = self.ty(value);
        let source = self.array(value);
        let mem = self.writable(var, array, span);
        if !self.is_placed(value) {
            let offset = self.at(&mem, std::slice::from_ref(&start));
            let offset = self.atom("offset", offset);
            let mut strides = mem.strides.to_vec();
            strides[0] = self.stepped(&strides[0], step);
            let to = Mem { offset, strides: strides.into(), ..mem.clone() };
            self.copy_into(&to, &cells.shape, &source, CopyReason::Written);
        }
        self.bind_mem(var, mem);
    }
}
