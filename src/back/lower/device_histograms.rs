//! Histograms on a device. Values are combined with their bins by atomic operations. How that is done is decided when it is launched: with
//! the bins of the result, or first with some for each block in its shared memory; see `remora_launch_hist` of the host plan.

use super::hist::on_elements;
use super::kernels::scalars;
use super::memory::in_bounds;
use super::soac::simple;
use super::{Cells, Loc, Lower, Mem, Stride};
use crate::base::mutation::mutated;
use crate::base::scalar::ScalarOp;
use crate::base::{PrimType, Span, Symbol};
use crate::ir::imp::{Atomic, Combine, Expr, Hist, Int, Local, Order, Segments, Stmt, Work};
use crate::ir::profile::Role;
use crate::ir::soac::{Body, Exp, Lambda, Operator, Size};

/// The least number of values of a thread, where their order counts; and how many privatised bins are always a few.
const CHUNK: i64 = 16;
const SMALL: i64 = 1 << 12;

/// How values that come at the same time change a bin of scalars.
enum Change {
    /// Each component by an operation of its own.
    Each(Vec<ScalarOp>),
    /// The one component by compare and swap.
    Word,
    /// All components, under the bin's lock.
    Locked(Mem),
}

impl<'p> Lower<'_, 'p> {
    /// Values are combined with their bins by atomic operations where the operator is commutative; else in order.
    pub(super) fn hist_kernel(&mut self, cells: Cells<'p>, operator: &'p Operator, width: Expr, n: Expr, outs: &[Mem]) {
        let (lambda, span) = (cells.lambda, cells.span);
        let scalars = self.is_scalar(operator);
        // What may fail does so for values only, and not for bins that none comes for.
        let may_fail = operator.lambda.body.may_fail();
        if mutated!(AnyHistogramCommutes, !operator.commutative, false) && apart(operator).is_none() && self.on_elements(operator).is_none()
        {
            if scalars && !may_fail {
                return self.hist_in_chunks(cells, operator, width, n, outs);
            }
            self.launch_map(Expr::int(1), span, |this, _| {
                this.write_loop(cells, Some(operator), Expr::int(0), width, &n, outs);
            });
            return;
        }
        if let (Some(op), [out]) = (self.on_elements(operator), outs)
            && lambda.body.stms.iter().all(|stm| !matches!(stm.exp, Exp::Soac(_) | Exp::Loop { .. }))
        {
            return self.hist_of_rows(cells, operator, op, width, n, out);
        }
        if scalars && !may_fail {
            return self.hist_of_scalars(cells, operator, width, n, outs);
        }
        let locks = self.zeros("locks", PrimType::U32, &n, span);
        self.launch_map(width, span, |this, t| {
            let results = this.results_of(cells, &t);
            let at = this.position(cells, &results);
            let (then, ()) = this.block(|this| {
                let (body, ()) = this.block(|this| {
                    let next = this.beside(operator, span);
                    this.combine_cells(operator, outs, &at, &results[1..], &next);
                });
                this.emit(Stmt::Atomic(Box::new(Atomic::Locked(locks.ptr, at.clone(), body))));
            });
            this.emit(Stmt::If(in_bounds(at, n), then, Vec::new()));
        });
    }
    /// A histogram of scalars in order: each thread goes over a chunk of the cells with a privatised copy of the bins, and the copies are
    /// reduced in the order of the threads. There are so many threads that the copies take at most a few times the memory of the values.
    fn hist_in_chunks(&mut self, cells: Cells<'p>, operator: &'p Operator, width: Expr, n: Expr, outs: &[Mem]) {
        let span = cells.span;
        let at_least_one = |e: Expr| Expr::Select(Box::new(Expr::int(1).less(e.clone())), Box::new(e), Box::new(Expr::int(1)));
        let width = self.atom("width", width);
        let bins = self.atom("bins", at_least_one(n.clone()));
        let room = width.clone().times(Expr::int(4)).plus(Expr::int(SMALL));
        let most = self.atom("most", Expr::arith(Int::Min, Expr::arith(Int::Div, room, bins), Expr::Threads));
        let wanted = Expr::arith(Int::Div, width.clone(), Expr::int(CHUNK));
        let chunks = self.atom("pieces", at_least_one(Expr::arith(Int::Min, wanted, most)));
        let length = Expr::arith(Int::Div, width.clone().plus(chunks.clone()).minus(Expr::int(1)), chunks.clone());
        let length = self.atom("stretch", length);
        let mut own = Vec::with_capacity(outs.len());
        for operand in &operator.neutral {
            let elem = self.program.operand_ty(*operand).elem;
            let count = Expr::arith(Int::Count, n.clone(), chunks.clone());
            let (ptr, handle) = self.buffer(Symbol::new("bins"), elem, count, (Role::Partial, span));
            // Neighbouring threads have their copies of a bin in neighbouring elements.
            let strides = [Stride { size: Size::constant(i64::MIN), expr: chunks.clone() }].into();
            own.push(Mem { ptr, offset: Expr::int(0), strides, keep: [handle].into() });
        }
        self.launch_map(chunks.clone(), span, |this, chunk| {
            let mine: Vec<Mem> = own.iter().map(|mem| Mem { offset: chunk.clone(), ..mem.clone() }).collect();
            let neutral = this.start_of_bins(operator);
            let bin = this.local("bin", PrimType::I64);
            let (body, ()) = this.block(|this| this.write_cells(&mine, &Expr::Local(bin), &neutral, &operator.neutral));
            this.emit(Stmt::For { var: bin, from: Expr::int(0), to: n.clone(), order: Order::Any, body });
            let lo = this.atom("lo", chunk.times(length.clone()));
            let width = mutated!(ChunksOfBins, width.clone(), width.clone().minus(Expr::int(1)));
            let hi = this.atom("hi", Expr::arith(Int::Min, lo.clone().plus(length.clone()), width));
            this.write_loop(cells, Some(operator), lo, hi, &n, &mine);
        });
        let [segment, index] = ["bin", "piece"].map(|name| self.local(name, PrimType::I64));
        let neutral: Vec<Expr> = operator.neutral.iter().map(|a| self.int(*a)).collect();
        let (cell, values) = self.in_kernel(|this| {
            let at = Expr::Local(index);
            own.iter().map(|mem| Expr::Load(mem.ptr, Box::new(this.at(mem, &[Expr::Local(segment)]).plus(at.clone())))).collect()
        });
        let combine = self.combined(std::slice::from_ref(operator));
        let sum: Vec<Local> = operator.neutral.iter().map(|a| self.sum_local(*a)).collect();
        let (done, ()) = self.in_kernel(|this| {
            let values: Vec<Loc> = sum.iter().map(|local| Loc::Scalar(Expr::Local(*local))).collect();
            let next = this.beside(operator, span);
            this.combine_cells(operator, outs, &Expr::Local(segment), &values, &next);
        });
        let work = Segments { segments: n, width: chunks, segment, index, cell, values, combine, neutral, sum, done, commutative: false };
        self.launch(Work::Reduce(work), span);
    }
    /// A histogram of scalars: each component by itself if the operator consists of operations on them, or one component as a word, or all
    /// of them under a lock.
    fn hist_of_scalars(&mut self, cells: Cells<'p>, operator: &'p Operator, width: Expr, bins: Expr, outs: &[Mem]) {
        let span = cells.span;
        // Memory changes complex numbers only part by part.
        let swaps = operator.neutral.iter().all(|a| !self.program.operand_ty(*a).elem.is_complex());
        let change = match apart(operator) {
            Some(each) if swaps || each.iter().all(Atomic::in_hardware) => Change::Each(each),
            _ if outs.len() > 1 || !swaps => Change::Locked(self.zeros("locks", PrimType::U32, &bins, span)),
            _ => Change::Word,
        };
        let [index, place] = ["i", "bin"].map(|name| self.local(name, PrimType::I64));
        let neutral = scalars(self.start_of_bins(operator));
        let (cell, (bin, values)) = self.in_kernel(|this| {
            let mut results = this.results_of(cells, &Expr::Local(index));
            let bin = this.position(cells, &results);
            (bin, scalars(results.split_off(1)))
        });
        let combine = self.combined(std::slice::from_ref(operator));
        let sum: Vec<Local> = operator.neutral.iter().map(|a| self.sum_local(*a)).collect();
        let (update, ()) = self.in_kernel(|this| this.update_bin(operator, &change, outs, place, &sum, span));
        let each = if let Change::Each(each) = change { Some(each) } else { None };
        let work = Hist { width, bins, index, cell, bin, values, combine, each, neutral, place, sum, update };
        self.launch(Work::Hist(work), span);
    }
    /// Combines values with a bin of the result.
    fn update_bin(&mut self, operator: &'p Operator, change: &Change, outs: &[Mem], place: Local, sum: &[Local], span: Span) {
        let at = Expr::Local(place);
        if let Change::Locked(locks) = change {
            let (body, ()) = self.block(|this| {
                let values: Vec<Loc> = sum.iter().map(|local| Loc::Scalar(Expr::Local(*local))).collect();
                let next = this.beside(operator, span);
                this.combine_cells(operator, outs, &at, &values, &next);
            });
            return self.emit(Stmt::Atomic(Box::new(Atomic::Locked(locks.ptr, at, body))));
        }
        for (k, (out, local)) in outs.iter().zip(sum).enumerate() {
            let (position, value) = (self.at(out, std::slice::from_ref(&at)), Expr::Local(*local));
            let atomic = match change {
                Change::Each(each) if Atomic::in_hardware(&each[k]) => Atomic::Op(each[k], out.ptr, position, value),
                Change::Each(each) => Atomic::Combine(self.operation(each[k]), out.ptr, position, value),
                Change::Word | Change::Locked(_) => {
                    Atomic::Combine(self.combined(std::slice::from_ref(operator)), out.ptr, position, value)
                }
            };
            self.emit(Stmt::Atomic(Box::new(atomic)));
        }
    }
    /// An operation as an operator.
    fn operation(&mut self, op: ScalarOp) -> Combine {
        let [a, b] = ["a", "b"].map(|name| self.local(name, op.prim));
        let results = vec![Expr::Op(op, vec![Expr::Local(a), Expr::Local(b)])];
        Combine { left: vec![a], right: vec![b], body: Vec::new(), results }
    }
    /// The operation of an operator on arrays that combines their elements, one by one, with an operation that memory can do.
    fn on_elements(&self, operator: &Operator) -> Option<ScalarOp> {
        let soac = operator.as_map()?;
        let both = soac.inputs.len() == 2 && operator.lambda.params.iter().all(|param| soac.inputs.contains(param));
        let rank = self.program.operand_ty(operator.neutral[0]).rank();
        on_elements(soac).filter(Atomic::in_hardware).filter(|_| both && rank == 1 && operator.lambda.params.len() == 2)
    }
    /// A histogram whose bins are rows: a thread for each element of each value.
    fn hist_of_rows(&mut self, cells: Cells<'p>, operator: &Operator, op: ScalarOp, width: Expr, n: Expr, out: &Mem) {
        let (lambda, span) = (cells.lambda, cells.span);
        let row = self.program.operand_ty(operator.neutral[0]);
        let size = self.size(&row.shape[0]);
        let size = self.atom("n", size);
        // Rows without elements have no threads, but what may fail does so for them too.
        if mutated!(RowsOfNothing, lambda.body.may_fail(), false) {
            let (checks, ()) = self.block(|this| {
                this.launch_map(width.clone(), span, |this, t| {
                    this.results_of(cells, &t);
                });
            });
            self.emit(Stmt::If(Expr::arith(Int::Eq, size.clone(), Expr::int(0)), checks, Vec::new()));
        }
        let dims = [width, size];
        let count = self.product(&dims);
        self.launch_map(count, span, |this, t| {
            let indices = this.indices(t, &dims);
            let results = this.results_of(cells, &indices[0]);
            let at = this.position(cells, &results);
            let (then, ()) = this.block(|this| {
                let Some(Loc::Array(array)) = results.get(1) else { return };
                let value = this.element(array, &indices[1..], row.elem);
                let place = this.at(out, &[at.clone(), indices[1].clone()]);
                this.emit(Stmt::Atomic(Box::new(Atomic::Op(op, out.ptr, place, value))));
            });
            this.emit(Stmt::If(in_bounds(at, n), then, Vec::new()));
        });
    }
}

/// The operations that an operator on scalars consists of, one for each component, if it does; they are commutative and associative.
pub(super) fn apart(operator: &Operator) -> Option<Vec<ScalarOp>> {
    let (stms, result) = (&operator.lambda.body.stms, &operator.lambda.body.result);
    let (left, right) = operator.lambda.params.split_at(operator.neutral.len());
    let each = result.iter().zip(left.iter().zip(right)).map(|(result, (a, b))| {
        let stm = stms.iter().find(|stm| stm.pat.first().copied() == result.var())?;
        let one = Operator {
            lambda: Lambda { params: vec![*a, *b], body: Body { stms: vec![stm.clone()], result: vec![*result] } },
            neutral: Vec::new(),
            commutative: true,
        };
        simple(&one)
    });
    each.collect()
}
