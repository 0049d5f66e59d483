//! Maps, reductions and scans whose iterations are divided into chunks, which threads run at the same time.

use super::soac::{Collected, Out};
use super::{Array, Loc, Lower, Mem, Stride};
use crate::base::mutation::mutated;
use crate::base::{PrimType, Span, Symbol};
use crate::ir::imp::{Expr, Int, Local, Order, Stmt};
use crate::ir::profile::{CopyReason, Note, Role};
use crate::ir::soac::{Operator, Size, Soac, Type, Var, placed};
use crate::ir::tuning::Knob;

/// A component of what chunks have found.
pub(super) struct Partial {
    /// A cell for each chunk.
    pub(super) mem: Mem,
    /// The type of a cell.
    pub(super) ty: Type,
}

/// What the chunks of a soac exchange.
struct Partials {
    /// What its scans have before each chunk.
    before: Vec<Partial>,
    /// What its reductions find in each.
    found: Vec<Partial>,
}

/// The cells of a long scan that are done together.
struct Block {
    start: Local,
    count: Expr,
}

impl<'p> Lower<'_, 'p> {
    /// A parallel loop.
    pub(super) fn soac_in_chunks(&mut self, soac: &'p Soac, width: Expr, cost: u64, outs: &[Out<'p>], pat: &[Var], span: Span) {
        let collects = !soac.scans.is_empty() || !soac.reduces.is_empty();
        if !collects {
            self.parallel(width, cost, false, &mut |this, lo, hi, _| this.soac_loop(soac, lo, hi, outs, &[], span));
            return;
        }
        let chunks = self.chunks(&width, cost, true);
        let before = self.partials(&soac.scans, &chunks, span);
        let found = self.partials(&soac.reduces, &chunks, span);
        let partials = Partials { before, found };
        if soac.scans.is_empty() {
            self.in_chunks(width, chunks.clone(), &mut |this, lo, hi, chunk| {
                let sums = this.start(&soac.reduces, span);
                this.soac_loop(soac, lo, hi, outs, &sums, span);
                for (sum, partial) in sums.iter().zip(&partials.found) {
                    this.store_partial(sum, partial, &chunk);
                }
            });
        } else {
            self.scan_in_chunks(soac, &width, &chunks, &partials, outs, span);
        }
        let sums = self.sequentially(|this| this.combine_partials(&soac.reduces, &partials.found, &chunks, span));
        let scanned = partials.before.len();
        self.bind_collected(sums, &pat[scanned..]);
    }

    /// One cell for each chunk, for each component of the operators.
    pub(super) fn partials(&mut self, operators: &[Operator], chunks: &Expr, span: Span) -> Vec<Partial> {
        let mut out = Vec::new();
        for operand in operators.iter().flat_map(|op| &op.neutral) {
            let ty = self.program.operand_ty(*operand);
            let cell = self.count(&ty.shape);
            let cell = self.atom("cell", cell);
            let count = Expr::arith(Int::Count, chunks.clone(), cell.clone());
            let (ptr, handle) = self.buffer(Symbol::new("partial"), ty.elem, count, (Role::Partial, span));
            let inner = self.dense(ptr, Expr::int(0), &ty.shape, &[handle]);
            // The stride of the chunks is the size of a cell.
            let size = Size::product(&ty.shape);
            let strides = std::iter::once(Stride { size, expr: cell }).chain(inner.strides.iter().cloned()).collect();
            out.push(Partial { mem: Mem { strides, ..inner }, ty });
        }
        out
    }
    pub(super) fn store_partial(&mut self, sum: &Collected, partial: &Partial, chunk: &Expr) {
        let Partial { mem, ty } = partial;
        let at = self.at(mem, std::slice::from_ref(chunk));
        match sum {
            Collected::Scalar(local) => self.emit(Stmt::Store(mem.ptr, at, Expr::Local(*local))),
            Collected::Array(current, _) => {
                let offset = self.atom("row", at);
                let to = Mem { offset, strides: mem.strides[1..].into(), ..mem.clone() };
                self.copy_into(&to, &ty.shape, &Array::Mem(current.clone()), CopyReason::Collected);
            }
        }
    }
    /// What a chunk has found.
    fn partial_cells(&mut self, found: &[Partial], chunk: &Expr) -> Vec<Loc> {
        let mut cells = Vec::with_capacity(found.len());
        for Partial { mem, ty } in found {
            cells.push(self.cell(&Array::Mem(mem.clone()), std::slice::from_ref(chunk), &ty.framed(&[Size::constant(1)])));
        }
        cells
    }
    /// Combines what the chunks found, in their order. There is always a first one: without cells that is the neutral element, and no
    /// operator runs, which might fail.
    fn combine_partials(&mut self, operators: &'p [Operator], found: &[Partial], chunks: &Expr, span: Span) -> Vec<Collected> {
        let first = self.partial_cells(found, &Expr::int(mutated!(FirstChunkLost, 0, 1)));
        let sums = self.start_with(operators, first, span);
        let var = self.local("p", PrimType::I64);
        let (body, ()) = self.scoped_block(|this| {
            for (operator, places) in placed(operators) {
                let cells = this.partial_cells(&found[places.clone()], &Expr::Local(var));
                this.combine(operator, &sums[places], &cells);
            }
        });
        self.emit(Stmt::For { var, from: Expr::int(1), to: chunks.clone(), order: Order::Sequential, body });
        sums
    }

    /// A scan in three phases: the total of each chunk, a scan of the totals, and the scan of each chunk from there on. Long scans go block
    /// by block, so that what the third phase reads again is still in the caches; a thread has the same chunks in both. Reductions have one
    /// partial result for each chunk of the whole loop, so with them there is one block.
    fn scan_in_chunks(&mut self, soac: &'p Soac, width: &Expr, chunks: &Expr, partials: &Partials, outs: &[Out<'p>], span: Span) {
        let Partials { before, found } = partials;
        self.remark(Note::Twice);
        let one = Expr::arith(Int::Eq, chunks.clone(), Expr::int(1));
        let carried = self.start(&soac.scans, span);
        let several =
            if soac.reduces.is_empty() { chunks.clone().times(Expr::int(self.program.tuning.get(Knob::ScanBlock))) } else { width.clone() };
        let longest = Expr::Select(Box::new(one.clone()), Box::new(width.clone()), Box::new(several));
        let longest = self.atom("longest", longest);
        let start = self.local("start", PrimType::I64);
        self.emit(Stmt::Set(start, Expr::int(0)));
        let more = Expr::Local(start).less(width.clone());
        let (body, ()) = self.block(|this| {
            let rest = this.atom("rest", width.clone().minus(Expr::Local(start)));
            let count = this.atom("count", Expr::arith(Int::Min, rest, longest.clone()));
            let (single, ()) = this.block(|this| {
                for (sum, partial) in carried.iter().zip(before) {
                    this.store_partial(sum, partial, &Expr::int(0));
                }
            });
            let block = Block { start, count: count.clone() };
            let (several, ()) = this.block(|this| {
                this.sequentially(|this| this.scan_totals(soac, &block, chunks, &carried, before, span));
            });
            this.emit(Stmt::If(one.clone(), single, several));
            this.in_chunks(count.clone(), chunks.clone(), &mut |this, lo, hi, chunk| {
                let [lo, hi] = [("from", lo), ("to", hi)].map(|(name, e)| this.atom(name, Expr::Local(start).plus(e)));
                let mut sums = this.start(&soac.scans, span);
                for (sum, partial) in sums.iter().zip(before) {
                    if let (Collected::Scalar(local), Partial { mem, ty }) = (sum, partial) {
                        let value = this.element(&Array::Mem(mem.clone()), std::slice::from_ref(&chunk), ty.elem);
                        this.emit(Stmt::Set(*local, mutated!(ChunksFromNeutral, value, Expr::Local(*local))));
                    }
                }
                sums.extend(this.start(&soac.reduces, span));
                this.soac_loop(soac, lo, hi, outs, &sums, span);
                for (sum, partial) in sums[before.len()..].iter().zip(found) {
                    this.store_partial(sum, partial, &chunk);
                }
            });
            this.emit(Stmt::Set(start, Expr::Local(start).plus(count)));
        });
        // There is at least one block, even without cells.
        self.emit(Stmt::While(body, more, Vec::new()));
    }

    /// The first two phases for a block: the totals of its chunks, and the prefix of each chunk, with that of the blocks before.
    fn scan_totals(&mut self, soac: &'p Soac, block: &Block, chunks: &Expr, carried: &[Collected], before: &[Partial], span: Span) {
        self.in_chunks(block.count.clone(), chunks.clone(), &mut |this, lo, hi, chunk| {
            let [lo, hi] = [("from", lo), ("to", hi)].map(|(name, e)| this.atom(name, Expr::Local(block.start).plus(e)));
            let sums = this.start(&soac.scans, span);
            this.totals_loop(soac, lo, hi, &sums);
            for (sum, partial) in sums.iter().zip(before) {
                this.store_partial(sum, partial, &chunk);
            }
        });
        let var = self.local("p", PrimType::I64);
        let (body, ()) = self.block(|this| {
            let chunk = Expr::Local(var);
            let mut totals = Vec::new();
            for Partial { mem, ty } in before {
                let value = this.element(&Array::Mem(mem.clone()), std::slice::from_ref(&chunk), ty.elem);
                let total = this.local("total", ty.elem);
                this.emit(Stmt::Set(total, value));
                totals.push(Loc::Scalar(Expr::Local(total)));
            }
            for (sum, partial) in carried.iter().zip(before) {
                this.store_partial(sum, partial, &chunk);
            }
            for (operator, places) in placed(&soac.scans) {
                this.combine(operator, &carried[places.clone()], &totals[places]);
            }
        });
        self.emit(Stmt::For { var, from: Expr::int(0), to: chunks.clone(), order: Order::Sequential, body });
    }
    /// The first phase for some cells: only what the scans collect.
    fn totals_loop(&mut self, soac: &'p Soac, lo: Expr, hi: Expr, sums: &[Collected]) {
        let var = self.local("i", PrimType::I64);
        let order = self.order(soac.scans.iter(), sums);
        let (body, ()) = self.scoped_block(|this| {
            let results = this.lambda(soac, Expr::Local(var), &[]);
            for (operator, places) in placed(&soac.scans) {
                this.combine(operator, &sums[places.clone()], &results[places]);
            }
        });
        self.emit(Stmt::For { var, from: lo, to: hi, order, body });
    }
}
