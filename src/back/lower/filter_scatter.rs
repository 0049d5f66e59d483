//! Filters and scatters.

use super::memory::in_bounds;
use super::soac::cost;
use super::{Array, Cells, Loc, Lower, Mem, same_place};
use crate::base::mutation::mutated;
use crate::base::{PrimType, Symbol};
use crate::ir::imp::{Expr, Int, Local, Order, Stmt};
use crate::ir::profile::{CopyReason, Role, SequentialReason};
use crate::ir::soac::{Operand, Operator, Size, Var};

impl<'p> Lower<'_, 'p> {
    /// Each chunk writes the elements that it keeps to the beginning of its part of a buffer; then the parts are compacted.
    pub(super) fn filter(&mut self, width: &Size, cells: Cells<'p>, pat: &[Var]) {
        let span = cells.span;
        if self.is_host() {
            return self.filter_kernel(width, cells, pat);
        }
        let program = self.program;
        let w = self.size(width);
        let w = self.atom("width", w);
        let (count, arrays) = (pat[0], &pat[1..]);
        let wide = |var: Var| {
            let ty = program.ty(var);
            ty.cell(1).framed(std::slice::from_ref(width))
        };
        let kept = self.local_of(count);
        self.locs.insert(count, Loc::Scalar(Expr::Local(kept)));
        let name = |var: Var| program.vars[var].name;
        if !self.is_parallel() {
            self.alone(SequentialReason::Attribute);
            let outs: Vec<Mem> = arrays.iter().map(|var| self.alloc(name(*var), &wide(*var), span)).collect();
            self.emit(Stmt::Set(kept, Expr::int(0)));
            self.filter_loop(cells, Expr::int(0), w, &outs, kept);
            arrays.iter().zip(outs).for_each(|(var, mem)| self.bind_mem(*var, mem));
            return;
        }
        let parts: Vec<Mem> = arrays.iter().map(|var| self.alloc(Symbol::new("part"), &wide(*var), span)).collect();
        let chunks = self.chunks(&w, cost(&cells.lambda.body), true);
        // How many are kept in each chunk, then how many before it.
        let (counts, _) = self.buffer(Symbol::new("counts"), PrimType::I64, chunks.clone(), (Role::Partial, span));
        self.in_chunks(w.clone(), chunks.clone(), &mut |this, lo, hi, chunk| {
            let found = this.local("found", PrimType::I64);
            this.emit(Stmt::Set(found, Expr::int(0)));
            this.filter_loop(cells, lo, hi, &parts, found);
            this.emit(Stmt::Store(counts, chunk, Expr::Local(found)));
        });
        self.emit(Stmt::Set(kept, Expr::int(0)));
        let p = self.local("p", PrimType::I64);
        let (body, ()) = self.block(|this| {
            let here = this.local("here", PrimType::I64);
            this.emit(Stmt::Set(here, Expr::Load(counts, Box::new(Expr::Local(p)))));
            this.emit(Stmt::Store(counts, Expr::Local(p), Expr::Local(kept)));
            this.emit(Stmt::Set(kept, Expr::Local(kept).plus(Expr::Local(here))));
        });
        self.emit(Stmt::For { var: p, from: Expr::int(0), to: chunks.clone(), order: Order::Sequential, body });
        let outs: Vec<Mem> = arrays.iter().map(|var| self.alloc_var(*var, span)).collect();
        let sizes: Vec<Expr> = arrays
            .iter()
            .map(|var| {
                let cell = self.count(&program.ty(*var).shape[1..]);
                self.atom("cell", cell)
            })
            .collect();
        self.in_chunks(w, chunks.clone(), &mut |this, lo, _, chunk| {
            let from = this.atom("before", Expr::Load(counts, Box::new(chunk.clone())));
            let next = chunk.plus(Expr::int(mutated!(FilterChunks, 1, 0)));
            let last = Expr::arith(Int::Eq, next.clone(), chunks.clone());
            let end = this.local("after", PrimType::I64);
            let (at_end, ()) = this.block(|this| this.emit(Stmt::Set(end, Expr::Local(kept))));
            let (inside, ()) = this.block(|this| this.emit(Stmt::Set(end, Expr::Load(counts, Box::new(next)))));
            this.emit(Stmt::If(last, at_end, inside));
            for ((out, part), cell) in outs.iter().zip(&parts).zip(&sizes) {
                let count = Expr::Local(end).minus(from.clone()).times(cell.clone());
                this.copies(out, Some(part.ptr), count.clone(), CopyReason::Kept, true);
                let to = out.offset.clone().plus(from.clone().times(cell.clone()));
                this.emit(Stmt::Copy { to: (out.ptr, to), from: (part.ptr, lo.clone().times(cell.clone())), count });
            }
        });
        arrays.iter().zip(outs).for_each(|(var, mem)| self.bind_mem(*var, mem));
    }

    /// Writes the cells from `lo` to `hi` that are kept, the first of them at `lo`, and counts them in `found`.
    fn filter_loop(&mut self, cells: Cells<'p>, lo: Expr, hi: Expr, outs: &[Mem], found: Local) {
        let var = self.local("i", PrimType::I64);
        let (body, ()) = self.scoped_block(|this| {
            let results = this.results_of(cells, &Expr::Local(var));
            let keep = first_scalar(cells, &results);
            let at = lo.clone().plus(Expr::Local(found));
            if results.iter().all(|cell| matches!(cell, Loc::Scalar(_))) {
                // There is room for all, so processors need not guess what is kept: the next one is written over what is not.
                this.write_cells(outs, &at, &results[1..], &cells.lambda.body.result[1..]);
                let one = Expr::Select(Box::new(keep), Box::new(Expr::int(1)), Box::new(Expr::int(0)));
                this.emit(Stmt::Set(found, Expr::Local(found).plus(one)));
                return;
            }
            let (then, ()) = this.block(|this| {
                this.write_cells(outs, &at, &results[1..], &cells.lambda.body.result[1..]);
                this.emit(Stmt::Set(found, Expr::Local(found).plus(Expr::int(1))));
            });
            this.emit(Stmt::If(keep, then, Vec::new()));
        });
        self.emit(Stmt::For { var, from: lo, to: hi, order: Order::Sequential, body });
    }
    /// What the function makes of element `i` of the inputs.
    pub(super) fn results_of(&mut self, cells: Cells<'p>, i: &Expr) -> Vec<Loc> {
        self.bind_cells(cells.inputs, &cells.lambda.params, i);
        self.body(&cells.lambda.body, &[])
    }

    /// Sequential, so that of several writes to a cell the last one counts.
    pub(super) fn scatter(&mut self, width: &Size, cells: Cells<'p>, dests: &[Var], pat: &[Var]) {
        let outs: Vec<Mem> = pat.iter().zip(dests).map(|(var, dest)| self.writable(*var, *dest, cells.span)).collect();
        let n = self.size(&self.program.ty(dests[0]).shape[0]);
        let n = self.atom("n", n);
        let width = self.size(width);
        if self.is_host() {
            self.scatter_kernels(cells, width, n, &outs);
        } else {
            self.alone(SequentialReason::LastWrite);
            self.write_loop(cells, None, Expr::int(0), width, &n, &outs);
        }
        pat.iter().zip(outs).for_each(|(var, mem)| self.bind_mem(*var, mem));
    }

    /// Writes cells at indices, those out of bounds left out; combined with what is there if there is an operator.
    pub(super) fn write_loop(&mut self, cells: Cells<'p>, operator: Option<&'p Operator>, lo: Expr, hi: Expr, n: &Expr, outs: &[Mem]) {
        self.sequentially(|this| {
            let next = operator.map_or(Vec::new(), |operator| this.beside(operator, cells.span));
            let var = this.local("i", PrimType::I64);
            let (body, ()) = this.block(|this| this.write_one(cells, operator, &Expr::Local(var), n, outs, &next));
            this.emit(Stmt::For { var, from: lo, to: hi, order: Order::Sequential, body });
        });
    }
    /// Writes the cells of one iteration.
    pub(super) fn write_one(
        &mut self,
        cells: Cells<'p>,
        operator: Option<&'p Operator>,
        i: &Expr,
        n: &Expr,
        outs: &[Mem],
        next: &[Option<Mem>],
    ) {
        self.scoped(|this| {
            let results = this.results_of(cells, i);
            let at = this.position(cells, &results);
            let (then, ()) = this.scoped_block(|this| match operator {
                None => this.write_cells(outs, &at, &results[1..], &cells.lambda.body.result[1..]),
                Some(operator) => this.combine_cells(operator, outs, &at, &results[1..], next),
            });
            let inside = in_bounds(at, mutated!(ScatterUnchecked, n.clone(), n.clone().plus(Expr::int(1))));
            this.emit(Stmt::If(inside, then, Vec::new()));
        });
    }

    /// Where the cells of an iteration go: its first result.
    pub(super) fn position(&mut self, cells: Cells<'p>, results: &[Loc]) -> Expr {
        self.atom("at", first_scalar(cells, results))
    }
    /// Writes cells at an index.
    pub(super) fn write_cells(&mut self, outs: &[Mem], at: &Expr, values: &[Loc], operands: &[Operand]) {
        for ((value, operand), out) in values.iter().zip(operands).zip(outs) {
            let position = self.at(out, std::slice::from_ref(at));
            match value {
                Loc::Scalar(e) => self.emit(Stmt::Store(out.ptr, position, e.clone())),
                Loc::Array(array) => {
                    let offset = self.atom("row", position);
                    let to = Mem { offset, strides: out.strides[1..].into(), ..out.clone() };
                    if !matches!(array, Array::Mem(from) if same_place(from, &to)) {
                        self.copy_into(&to, &self.program.operand_ty(*operand).shape, array, CopyReason::Part);
                    }
                }
            }
        }
    }
}

/// Whether the other results of an iteration are kept, or where they go.
pub(super) fn first_scalar(cells: Cells, results: &[Loc]) -> Expr {
    match results.first() {
        Some(Loc::Scalar(e)) => e.clone(),
        Some(Loc::Array(_)) | None => crate::ice!(cells.span, "the first result of an iteration is no scalar"),
    }
}
