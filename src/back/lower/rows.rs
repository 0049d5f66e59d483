//! Arrays of different sizes one after the other: each iteration writes a row to its own place.

use super::destinations::Overlap;
use super::soac::cost;
use super::{Array, Cells, Loc, Lower, Mem, same_place};
use crate::base::PrimType;
use crate::ir::imp::{Expr, Order, Stmt};
use crate::ir::profile::{CopyReason, SequentialReason};
use crate::ir::soac::{Operand, Size, Var};

impl<'p> Lower<'_, 'p> {
    pub(super) fn ragged(&mut self, width: &Size, cells: Cells<'p>, pat: &[Var]) {
        let span = cells.span;
        if self.is_host() {
            crate::ice!(span, "ragged arrays are refused before kernels are made");
        }
        let width = self.size(width);
        let width = self.atom("width", width);
        let outs: Vec<Mem> = pat.iter().map(|var| self.alloc_var(*var, span)).collect();
        if self.is_parallel() {
            let cost = cost(&cells.lambda.body);
            self.parallel(width, cost, false, &mut |this, lo, hi, _| this.ragged_loop(cells, lo, hi, &outs));
        } else {
            self.alone(SequentialReason::Attribute);
            self.ragged_loop(cells, Expr::int(0), width, &outs);
        }
        pat.iter().zip(outs).for_each(|(var, mem)| self.bind_mem(*var, mem));
    }

    /// The rows from `lo` to `hi`.
    fn ragged_loop(&mut self, cells: Cells<'p>, lo: Expr, hi: Expr, outs: &[Mem]) {
        let var = self.local("i", PrimType::I64);
        let body = &cells.lambda.body;
        let (stmts, ()) = self.scoped_block(|this| {
            this.bind_cells(cells.inputs, &cells.lambda.params, &Expr::Local(var));
            // Where a row begins is mostly a cell of an input: then the row is made in its place.
            let mut dests = Vec::with_capacity(body.result.len());
            for (row, out) in body.result.chunks(2).zip(outs) {
                let known = row[0].var().is_none_or(|start| cells.lambda.params.contains(&start));
                dests.push(None);
                dests.push(known.then(|| this.place_of_row(row[0], out)));
            }
            let results = this.body_with(body, &dests, Overlap::None);
            for (k, (row, out)) in body.result.chunks(2).zip(outs).enumerate() {
                if dests[2 * k + 1].is_some() {
                    continue;
                }
                let to = this.place_of_row(row[0], out);
                if let Loc::Array(array) = &results[2 * k + 1]
                    && !matches!(array, Array::Mem(from) if same_place(from, &to))
                {
                    this.copy_into(&to, &this.program.operand_ty(row[1]).shape, array, CopyReason::Part);
                }
            }
        });
        self.emit(Stmt::For { var, from: lo, to: hi, order: Order::Any, body: stmts });
    }
    fn place_of_row(&mut self, start: Operand, out: &Mem) -> Mem {
        let start = self.int(start);
        let offset = self.at(out, std::slice::from_ref(&start));
        let offset = self.atom("row", offset);
        Mem { offset, keep: [].into(), ..out.clone() }
    }
}
