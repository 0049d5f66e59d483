//! Histograms. Each thread has a privatised copy of the bins, where there are not too many of them, and those are added up afterwards. Where
//! there are few bins, it has several copies for as many parts of its values: a processor that begins to load a bin before an earlier store
//! to it has been done must start again, which happens less often. Copies of two threads are never in the same page. An operator on
//! rows that is a map of scalars works on the row where it is: element `k` of what it returns depends on elements `k` alone. An operator that
//! may fail has no privatised bins: it would run, and might fail, for bins that no value comes for.

use super::destinations::Overlap;
use super::device_histograms::apart;
use super::soac::{cost, simple};
use super::{Array, Cells, Loc, Lower, Mem};
use crate::base::mutation::mutated;
use crate::base::scalar::{FoldOp, ScalarOp};
use crate::base::{PrimType, Span, Symbol};
use crate::ir::imp::{Expr, Int, Order, Place, Stmt};
use crate::ir::profile::SequentialReason;
use crate::ir::soac::{Body, Exp, Operator, Program, Size, Soac, Var};

/// Privatised copies of the bins that a thread has, if there are at most [`SMALL`] bins.
const COPIES: i64 = 4;
/// See [`COPIES`].
const SMALL: i64 = 2048;
/// Bytes between the copies of two threads: prefetchers fetch neighbouring lines up to the end of a page, which would be false sharing.
const PAGE: i64 = 4096;
/// How many bytes ahead values are prefetched: dependent updates of bins keep a processor from reaching the next loads by itself.
const AHEAD: i64 = 2048;

/// The privatised copies of the bins.
struct Copies {
    /// Chunks of the values.
    chunks: Expr,
    /// Bins from the first one of a chunk to the first one of the next.
    stride: Expr,
    /// Copies of a chunk.
    copies: Expr,
    /// Bins of a copy.
    n: Expr,
}

/// Whether an operator on vectors is elementwise.
fn is_elementwise(program: &Program, operator: &Operator) -> bool {
    fn scalars(body: &Body) -> bool {
        body.stms.iter().all(|stm| {
            if let Exp::If { then, els, .. } = &stm.exp {
                scalars(then) && scalars(els)
            } else {
                matches!(stm.exp, Exp::Scalar(..) | Exp::Copy(_))
            }
        })
    }
    // With several results that are rows one could be written over an operand of another.
    let alone = |map: &Soac| map.lambda.body.result.len() == 1 || map.lambda.params.iter().all(|param| program.ty(*param).rank() == 0);
    operator.as_map().is_some_and(|map| scalars(&map.lambda.body) && alone(map))
}

/// The operation that a map combines elements of two arrays with.
pub(super) fn on_elements(map: &Soac) -> Option<ScalarOp> {
    simple(&Operator { lambda: map.lambda.clone(), neutral: Vec::new(), commutative: true })
}

impl<'p> Lower<'_, 'p> {
    pub(super) fn hist(&mut self, width: &Size, cells: Cells<'p>, dests: &[Var], operator: &'p Operator, pat: &[Var]) {
        let outs: Vec<Mem> = pat.iter().zip(dests).map(|(var, dest)| self.writable(*var, *dest, cells.span)).collect();
        let n = self.size(&self.program.ty(dests[0]).shape[0]);
        let n = self.atom("n", n);
        let width = self.size(width);
        let width = self.atom("width", width);
        let scalars = self.is_scalar(operator);
        let combined = scalars || is_elementwise(self.program, operator);
        let may_fail = mutated!(BinsOfWhatMayFail, operator.lambda.body.may_fail(), false);
        if self.is_host() {
            self.hist_kernel(cells, operator, width, n, &outs);
        } else if self.is_parallel() && combined && !may_fail && !self.ordered(operator) {
            self.privatised_bins(cells, operator, &width, &n, &outs);
        } else {
            self.alone(match (combined, may_fail) {
                (false, _) => SequentialReason::RowsCombined,
                (true, true) => SequentialReason::MayFail,
                (true, false) => SequentialReason::Strict,
            });
            self.write_loop(cells, Some(operator), Expr::int(0), width, &n, &outs);
        }
        pat.iter().zip(outs).for_each(|(var, mem)| self.bind_mem(*var, mem));
    }

    /// Destinations for the arrays that an operator makes, unless it works in place.
    pub(super) fn beside(&mut self, operator: &Operator, span: Span) -> Vec<Option<Mem>> {
        let in_place = is_elementwise(self.program, operator);
        let types: Vec<_> = operator.neutral.iter().map(|a| self.program.operand_ty(*a)).collect();
        types.iter().map(|ty| (ty.rank() > 0 && !in_place).then(|| self.alloc(Symbol::new("next"), ty, span))).collect()
    }
    /// Combines the cells at an index with others.
    pub(super) fn combine_cells(&mut self, operator: &'p Operator, outs: &[Mem], at: &Expr, values: &[Loc], next: &[Option<Mem>]) {
        let program = self.program;
        let (left, right) = operator.lambda.params.split_at(outs.len());
        let mut dests = next.to_vec();
        for (k, (a, b)) in left.iter().zip(right).enumerate() {
            let ty = program.ty(*a).framed(&[Size::constant(1)]);
            match self.cell(&Array::Mem(outs[k].clone()), std::slice::from_ref(at), &ty) {
                Loc::Scalar(e) => self.set_scalar(*a, e),
                cell => {
                    if let (Loc::Array(Array::Mem(mem)), None) = (&cell, &dests[k]) {
                        dests[k] = Some(mem.clone());
                    }
                    self.locs.insert(*a, cell);
                }
            }
            self.locs.insert(*b, values[k].clone());
        }
        let values = self.body_with(&operator.lambda.body, &dests, Overlap::Inputs);
        self.write_cells(outs, at, &values, &operator.lambda.body.result);
    }

    /// Privatised bins for each chunk, added up in the order of the chunks; where there are many bins for few values, those of the result.
    fn privatised_bins(&mut self, cells: Cells<'p>, operator: &'p Operator, width: &Expr, n: &Expr, outs: &[Mem]) {
        let (lambda, span) = (cells.lambda, cells.span);
        let chunks = self.chunks(width, cost(&lambda.body).saturating_add(4), true);
        let scalars = self.is_scalar(operator);
        let small = Expr::arith(Int::Le, n.clone(), Expr::int(SMALL));
        let copies = Expr::Select(Box::new(small), Box::new(Expr::int(COPIES)), Box::new(Expr::int(1)));
        // Of several failures that of the first value counts.
        let several = scalars && !lambda.body.may_fail();
        let copies = if several { self.atom("tables", copies) } else { Expr::int(1) };
        let all = self.atom("all", chunks.clone().times(copies.clone()));
        let bytes = operator.neutral.iter().map(|a| self.program.operand_ty(*a).elem.bytes() as i64).min().unwrap_or(8);
        let apart = if scalars { PAGE / bytes } else { 0 };
        let stride = self.atom("each", copies.clone().times(n.clone()).plus(Expr::int(apart)));
        let few = Expr::arith(Int::Le, all.clone().times(n.clone()), width.clone()).and(Expr::arith(Int::Lt, Expr::int(1), all.clone()));
        let (alone, ()) = self.block(|this| this.write_loop(cells, Some(operator), Expr::int(0), width.clone(), n, outs));
        let (divided, ()) = self.scoped_block(|this| {
            let count = Expr::arith(Int::Count, chunks.clone(), stride.clone());
            let bins: Vec<Mem> =
                this.partials(std::slice::from_ref(operator), &count, span).into_iter().map(|partial| partial.mem).collect();
            this.in_chunks(width.clone(), chunks.clone(), &mut |this, lo, hi, chunk| {
                let count = mutated!(BinsNotNeutral, copies.clone().times(n.clone()), n.clone());
                let own = this.own_copies(&bins, &chunk.times(stride.clone()));
                let i = this.local("b", PrimType::I64);
                let neutral = this.start_of_bins(operator);
                let (body, ()) = this.block(|this| this.write_cells(&own, &Expr::Local(i), &neutral, &operator.neutral));
                this.emit(Stmt::For { var: i, from: Expr::int(0), to: count, order: Order::Any, body });
                if !several {
                    return this.write_loop(cells, Some(operator), lo, hi, n, &own);
                }
                let (all_copies, ()) = this.block(|this| this.in_copies(cells, operator, &lo, &hi, n, &own));
                let (one, ()) = this.block(|this| this.write_loop(cells, Some(operator), lo, hi, n, &own));
                this.emit(Stmt::If(Expr::int(1).less(copies.clone()), all_copies, one));
            });
            let copies = Copies { chunks, stride, copies, n: n.clone() };
            this.sequentially(|this| this.add_up_bins(operator, &bins, &copies, outs, span));
        });
        self.emit(Stmt::If(few, divided, alone));
    }
    /// What the bins of a copy start from. It must change nothing of a bin of the result that no value comes for, where the operator's own neutral element
    /// is one for values only: infinity is not neutral beside a NaN, nor 0 beside -0.
    pub(super) fn start_of_bins(&self, operator: &Operator) -> Vec<Loc> {
        let start = |op: ScalarOp| Expr::Const(FoldOp { op: op.op, prim: op.prim }.neutral());
        if let Some(each) = apart(operator) {
            return mutated!(BinsStartFromGiven, each.into_iter().map(|op| Loc::Scalar(start(op))).collect(), self.given(operator));
        }
        match operator.as_map().and_then(on_elements) {
            Some(op) if operator.neutral.len() == 1 => vec![Loc::Array(Array::Fill(start(op)))],
            Some(_) | None => self.given(operator),
        }
    }
    /// The neutral element of an operator.
    fn given(&self, operator: &Operator) -> Vec<Loc> {
        operator.neutral.iter().map(|a| self.loc(*a)).collect()
    }
    /// The copies of a chunk, which begin with bin `first`, as arrays of their own: those of constant sizes are at constant distances.
    fn own_copies(&mut self, bins: &[Mem], first: &Expr) -> Vec<Mem> {
        let mut own = Vec::with_capacity(bins.len());
        for mem in bins {
            let ptr = self.ptr(Symbol::new("own"), self.out.ptrs[mem.ptr].elem, None);
            let offset = self.at(mem, std::slice::from_ref(first));
            self.emit(Stmt::Point(ptr, Place::Ptr(mem.ptr, offset)));
            own.push(Mem { ptr, offset: Expr::int(0), ..mem.clone() });
        }
        own
    }
    /// Copy number `copy` of the bins of a chunk.
    fn copy_of_bins(&mut self, own: &[Mem], copy: i64, n: &Expr) -> Vec<Mem> {
        let first = n.clone().times(Expr::int(copy));
        let mut one = Vec::with_capacity(own.len());
        for mem in own {
            let offset = self.at(mem, std::slice::from_ref(&first));
            one.push(Mem { offset: self.atom("base", offset), ..mem.clone() });
        }
        one
    }
    /// Prefetches the values [`AHEAD`] bytes after those at an index.
    fn prefetch(&mut self, inputs: &[Var], at: &Expr) {
        for input in inputs {
            let ty = self.program.ty(*input);
            if let (Array::Mem(mem), 1) = (self.array(*input), ty.rank()) {
                let ahead = at.clone().plus(Expr::int(AHEAD / ty.elem.bytes() as i64));
                self.emit(Stmt::Prefetch(mem.ptr, self.at(&mem, &[ahead])));
            }
        }
    }
    /// Parts of the values from `lo` to `hi` side by side, each in a copy of its own; what is left over comes last.
    fn in_copies(&mut self, cells: Cells<'p>, operator: &'p Operator, lo: &Expr, hi: &Expr, n: &Expr, copies: &[Mem]) {
        let next = vec![None; copies.len()];
        let length = Expr::arith(Int::Div, hi.clone().minus(lo.clone()), Expr::int(COPIES));
        let length = self.atom("length", length);
        let mut starts = Vec::new();
        for t in 0..COPIES {
            let own = self.copy_of_bins(copies, t, n);
            let start = self.atom("start", lo.clone().plus(length.clone().times(Expr::int(t))));
            starts.push((own, start));
        }
        let [i, rest] = ["i", "i"].map(|name| self.local(name, PrimType::I64));
        let (body, ()) = self.block(|this| {
            for (own, start) in &starts {
                let at = this.atom("i", start.clone().plus(Expr::Local(i)));
                this.prefetch(cells.inputs, &at);
                this.write_one(cells, Some(operator), &at, n, own, &next);
            }
        });
        self.emit(Stmt::For { var: i, from: Expr::int(0), to: length.clone(), order: Order::Sequential, body });
        let from = self.atom("from", lo.clone().plus(length.times(Expr::int(COPIES))));
        let Some((own, _)) = starts.last() else { return };
        let (body, ()) = self.block(|this| this.write_one(cells, Some(operator), &Expr::Local(rest), n, own, &next));
        let first = mutated!(HistRestLost, from, hi.clone());
        self.emit(Stmt::For { var: rest, from: first, to: hi.clone(), order: Order::Sequential, body });
    }
    /// Combines the bins of all copies with those of the result.
    fn add_up_bins(&mut self, operator: &'p Operator, bins: &[Mem], all: &Copies, outs: &[Mem], span: Span) {
        let Copies { chunks, stride, copies, n } = all;
        let next = self.beside(operator, span);
        let [p, t, b] = ["p", "t", "b"].map(|name| self.local(name, PrimType::I64));
        let types: Vec<_> = operator.neutral.iter().map(|a| self.program.operand_ty(*a).framed(&[Size::constant(1)])).collect();
        let (copy, ()) = self.block(|this| {
            let (body, ()) = this.scoped_block(|this| {
                let first = Expr::Local(p).times(stride.clone()).plus(Expr::Local(t).times(n.clone()));
                let at = first.plus(Expr::Local(b));
                let at = this.atom("at", at);
                let values: Vec<Loc> =
                    bins.iter().zip(&types).map(|(mem, ty)| this.cell(&Array::Mem(mem.clone()), std::slice::from_ref(&at), ty)).collect();
                this.combine_cells(operator, outs, &Expr::Local(b), &values, &next);
            });
            this.emit(Stmt::For { var: b, from: Expr::int(0), to: n.clone(), order: Order::Sequential, body });
        });
        let body = vec![Stmt::For { var: t, from: Expr::int(0), to: copies.clone(), order: Order::Sequential, body: copy }];
        self.emit(Stmt::For { var: p, from: Expr::int(0), to: chunks.clone(), order: Order::Sequential, body });
    }
}
