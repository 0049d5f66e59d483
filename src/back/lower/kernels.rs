//! What the device does: operators over thread spaces, and all that moves elements.

use super::filter_scatter::first_scalar;
use super::memory::in_bounds;
use super::soac::simple;
use super::{Cells, Loc, Lower, Mem, Stride};
use crate::base::mutation::mutated;
use crate::base::scalar::{Op, ScalarOp};
use crate::base::{PrimType, Scalar, Span, Symbol};
use crate::ir::imp::variants::Variants;
use crate::ir::imp::{Atomic, Combine, Expr, Int, Launch, Local, Segments, Stmt, Transpose, Work};
use crate::ir::profile::Role;
use crate::ir::soac::{Body, Operand, Operator, Seg, SegKind, Size, Var};

/// Planes in each of which two groups of dimensions have changed places: the dimensions before `p` are those of the planes, those from `p` to
/// before `q` are the first group, and the rest, which come before these in memory, the second.
#[derive(Clone, Copy)]
pub(super) struct Split {
    p: usize,
    q: usize,
}

impl<'p> Lower<'_, 'p> {
    /// The code of a kernel.
    pub(super) fn in_kernel<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> (Vec<Stmt>, T) {
        let frame = std::mem::replace(&mut self.out.frame, 0);
        let made = self.block(|this| this.sequentially(|this| this.scoped(work)));
        self.out.frame = frame;
        made
    }
    pub(super) fn launch(&mut self, work: Work, span: Span) {
        self.emit(Stmt::Launch(Box::new(Launch {
            name: self.out.name,
            span,
            threads: None,
            heap: false,
            work,
            variants: Variants::default(),
        })));
    }
    /// A kernel that does something for each number below `width`.
    pub(super) fn launch_map(&mut self, width: Expr, span: Span, work: impl FnOnce(&mut Self, Expr)) {
        let index = self.local("t", PrimType::I64);
        let (body, ()) = self.in_kernel(|this| work(this, Expr::Local(index)));
        self.launch(Work::Map { width, index, body }, span);
    }

    /// The indices of element number `flat` in row-major order.
    pub(super) fn indices(&mut self, flat: Expr, dims: &[Expr]) -> Vec<Expr> {
        let mut out = vec![flat.clone(); dims.len()];
        let mut rest = flat;
        for (k, n) in dims.iter().enumerate().skip(1).rev() {
            out[k] = self.atom("i", Expr::arith(Int::Rem, rest.clone(), n.clone()));
            rest = self.atom("rest", Expr::arith(Int::Div, rest, n.clone()));
        }
        if let Some(first) = out.first_mut() {
            *first = rest;
        }
        out
    }
    /// The product of sizes.
    pub(super) fn product(&mut self, dims: &[Expr]) -> Expr {
        self.atom("count", super::counted(dims.iter().cloned()))
    }

    /// Runs `visit` in a thread for each index of a shape.
    pub(super) fn kernel_nest(&mut self, shape: &[Size], visit: &mut dyn FnMut(&mut Self, &[Expr])) {
        let dims = self.dims(shape);
        let width = self.product(&dims);
        self.launch_map(width, Span::default(), |this, t| {
            let indices = this.indices(t, &dims);
            visit(this, &indices);
        });
    }
    /// Scalars next to each other, written by one thread.
    pub(super) fn kernel_stack(&mut self, mem: &Mem, cells: &[Operand], sizes: &[i64], span: Span) {
        let values: Vec<Expr> = cells.iter().map(|cell| self.int(*cell)).collect();
        self.launch_map(Expr::int(1), span, |this, _| {
            for (k, value) in values.into_iter().enumerate() {
                let at = this.at(mem, &super::exp::unravelled(k as i64, sizes));
                this.emit(Stmt::Store(mem.ptr, at, value));
            }
        });
    }

    /// How an array is split if it lies in memory as planes that are transposed.
    pub(super) fn turned(&self, mem: &Mem, shape: &[Size]) -> Option<Split> {
        let row_major = |strides: &[Stride], dims: &[Size], least: Size| {
            let mut size = least;
            strides.iter().zip(dims).rev().all(|(stride, n)| {
                let fits = stride.size == size || n.as_constant() == Some(1);
                size = size.mul(n);
                fits
            })
        };
        let splits = (0..shape.len()).flat_map(|p| (p + 1..shape.len()).map(move |q| Split { p, q }));
        splits.into_iter().find(|&Split { p, q }| {
            let (front, back) = (Size::product(&shape[p..q]), Size::product(&shape[q..]));
            row_major(&mem.strides[p..q], &shape[p..q], Size::constant(1))
                && row_major(&mem.strides[q..], &shape[q..], front.clone())
                && row_major(&mem.strides[..p], &shape[..p], front.mul(&back))
        })
    }
    /// A copy in row-major order of an array that is split like this.
    pub(super) fn transpose_kernel(&mut self, to: &Mem, from: &Mem, shape: &[Size], split: Split) {
        let Split { p, q } = split;
        let [planes, columns, rows] = [&shape[..p], &shape[p..q], &shape[q..]].map(|dims| self.count(dims));
        let [planes, columns, rows] = [planes, columns, rows].map(|e| self.atom("n", e));
        let (from, to) = ((from.ptr, from.offset.clone()), (to.ptr, to.offset.clone()));
        let (rows, columns) = mutated!(TransposeTurned, (rows, columns), (columns, rows));
        self.launch(Work::Transpose(Transpose { planes, rows, columns, from, to }), Span::default());
    }

    pub(super) fn seg(&mut self, seg: &'p Seg, pat: &[Var], span: Span) {
        let dims = self.dims(&seg.sizes);
        let mut outs = Vec::with_capacity(pat.len());
        for &var in pat {
            let rank = self.program.ty(var).rank();
            outs.push(if rank == 0 { self.one(var, span) } else { self.alloc_var(var, span) });
        }
        match &seg.kind {
            SegKind::Map => {
                let width = self.product(&dims);
                self.launch_map(width, span, |this, t| {
                    let indices = this.indices(t, &dims);
                    this.bind_space(&seg.space, &indices);
                    this.cell_of(&seg.body, 0, &outs, &indices);
                });
            }
            SegKind::Reduce(operators) | SegKind::Scan(operators) => self.segments(seg, operators, &dims, &outs, span),
        }
        for (&var, out) in pat.iter().zip(outs) {
            if self.program.ty(var).rank() == 0 {
                self.set_scalar(var, Expr::Load(out.ptr, Box::new(Expr::int(0))));
            } else {
                self.bind_mem(var, out);
            }
        }
    }
    /// Memory for a scalar.
    fn one(&mut self, var: Var, span: Span) -> Mem {
        let info = &self.program.vars[var];
        let (ptr, handle) = self.buffer(info.name, info.ty.elem, Expr::int(1), (Role::Value, span));
        Mem { ptr, offset: Expr::int(0), strides: [].into(), keep: [handle].into() }
    }
    fn bind_space(&mut self, space: &[Var], indices: &[Expr]) {
        for (var, index) in space.iter().zip(indices) {
            self.locs.insert(*var, Loc::Scalar(index.clone()));
        }
    }
    /// Runs a body and writes its results from number `skip` on to their places in `outs`; returns those before.
    fn cell_of(&mut self, body: &'p Body, skip: usize, outs: &[Mem], indices: &[Expr]) -> Vec<Loc> {
        let mut dests = Vec::with_capacity(outs.len());
        for (k, (out, operand)) in outs.iter().zip(&body.result).enumerate() {
            dests.push(match self.program.operand_ty(*operand).rank() {
                0 => None,
                _ if k < skip => None,
                _ => {
                    let offset = self.at(out, indices);
                    let offset = self.atom("row", offset);
                    Some(Mem { offset, strides: out.strides[indices.len()..].into(), keep: [].into(), ..out.clone() })
                }
            });
        }
        let mut results = self.body(body, &dests);
        for (result, out) in results.iter().zip(outs).skip(skip) {
            if let Loc::Scalar(e) = result {
                let at = self.at(out, indices);
                self.emit(Stmt::Store(out.ptr, at, e.clone()));
            }
        }
        results.truncate(skip);
        results
    }

    fn segments(&mut self, seg: &'p Seg, operators: &'p [Operator], dims: &[Expr], outs: &[Mem], span: Span) {
        let Some((width, outer)) = dims.split_last() else { return };
        let scan = seg.kind.keeps_inner_dimension();
        let combined: usize = operators.iter().map(|op| op.neutral.len()).sum();
        let segments = self.product(outer);
        let [segment, index] = ["segment", "i"].map(|name| self.local(name, PrimType::I64));
        let neutral: Vec<Expr> = operators.iter().flat_map(|op| &op.neutral).map(|a| self.int(*a)).collect();
        let place = |this: &mut Self| {
            let mut indices = match outer {
                [] => Vec::new(),
                outer => this.indices(Expr::Local(segment), outer),
            };
            indices.push(Expr::Local(index));
            indices
        };
        let (cell, values) = self.in_kernel(|this| {
            let indices = place(this);
            this.bind_space(&seg.space, &indices);
            let given = this.cell_of(&seg.body, combined, outs, &indices);
            scalars(given)
        });
        let combine = self.combined(operators);
        let sum: Vec<Local> = operators.iter().flat_map(|op| &op.neutral).map(|a| self.sum_local(*a)).collect();
        let (done, ()) = self.in_kernel(|this| {
            let mut indices = place(this);
            if !scan {
                indices.pop();
            }
            for (local, out) in sum.iter().zip(outs) {
                let at = this.at(out, &indices);
                this.emit(Stmt::Store(out.ptr, at, Expr::Local(*local)));
            }
        });
        let commutative = mutated!(EverythingCommutes, operators.iter().all(|op| op.commutative || simple(op).is_some()), true);
        let work = Segments { segments, width: width.clone(), segment, index, cell, values, combine, neutral, sum, done, commutative };
        let work = match seg.kind {
            SegKind::Scan(_) => Work::Scan(work),
            SegKind::Reduce(_) => Work::Reduce(work),
            SegKind::Map => crate::ice!(span, "a map has no operators"),
        };
        self.launch(work, span);
    }
    pub(super) fn sum_local(&mut self, neutral: Operand) -> Local {
        let prim = self.program.operand_ty(neutral).elem;
        self.local("sum", prim)
    }
    /// Operators side by side as one.
    pub(super) fn combined(&mut self, operators: &'p [Operator]) -> Combine {
        let (mut left, mut right) = (Vec::new(), Vec::new());
        let (body, results) = self.in_kernel(|this| {
            let mut results = Vec::new();
            for operator in operators {
                let count = operator.neutral.len();
                for (k, param) in operator.lambda.params.iter().enumerate() {
                    let local = this.local_of(*param);
                    if k < count {
                        left.push(local)
                    } else {
                        right.push(local)
                    }
                    this.locs.insert(*param, Loc::Scalar(Expr::Local(local)));
                }
                results.extend(scalars(this.body(&operator.lambda.body, &[])));
            }
            results
        });
        Combine { left, right, body, results }
    }

    /// A scan of the flags says how many cells are kept before each, which is where it is written.
    pub(super) fn filter_kernel(&mut self, width: &Size, cells: Cells<'p>, pat: &[Var]) {
        let span = cells.span;
        let program = self.program;
        let (count, arrays) = (pat[0], &pat[1..]);
        let wide = self.size(width);
        let wide = self.atom("width", wide);
        let kept = self.local_of(count);
        let mut outs = Vec::with_capacity(arrays.len());
        for var in arrays {
            let ty = program.ty(*var).cell(1).framed(std::slice::from_ref(width));
            outs.push(self.alloc(program.vars[*var].name, &ty, span));
        }
        let total = self.one(count, span);
        let [segment, index, sum, left, right] = ["segment", "i", "sum", "a", "b"].map(|name| self.local(name, PrimType::I64));
        let (cell, flag) = self.in_kernel(|this| {
            let results = this.results_of(cells, &Expr::Local(index));
            Expr::Select(Box::new(first_scalar(cells, &results)), Box::new(Expr::int(1)), Box::new(Expr::int(0)))
        });
        let (done, ()) = self.in_kernel(|this| {
            let last = Expr::arith(Int::Eq, Expr::Local(index).plus(Expr::int(1)), wide.clone());
            this.emit(Stmt::If(last, vec![Stmt::Store(total.ptr, Expr::int(0), Expr::Local(sum))], Vec::new()));
            let results = this.results_of(cells, &Expr::Local(index));
            let at = Expr::Local(sum).minus(Expr::int(1));
            let (then, ()) = this.block(|this| {
                this.write_cells(&outs, &at, &results[1..], &cells.lambda.body.result[1..]);
            });
            this.emit(Stmt::If(first_scalar(cells, &results), then, Vec::new()));
        });
        let results = vec![Expr::Local(left).plus(Expr::Local(right))];
        let work = Segments {
            segments: Expr::int(1),
            width: wide.clone(),
            segment,
            index,
            cell,
            values: vec![flag],
            combine: Combine { left: vec![left], right: vec![right], body: Vec::new(), results },
            neutral: vec![Expr::int(0)],
            sum: vec![sum],
            done,
            commutative: true,
        };
        self.launch(Work::Scan(work), span);
        let load = Stmt::Set(kept, Expr::Load(total.ptr, Box::new(Expr::int(0))));
        self.emit(Stmt::If(Expr::arith(Int::Lt, Expr::int(0), wide), vec![load], vec![Stmt::Set(kept, Expr::int(0))]));
        self.locs.insert(count, Loc::Scalar(Expr::Local(kept)));
        arrays.iter().zip(outs).for_each(|(var, mem)| self.bind_mem(*var, mem));
    }

    /// A buffer of zeros.
    pub(super) fn zeros(&mut self, name: &str, prim: PrimType, count: &Expr, span: Span) -> Mem {
        let (ptr, handle) = self.buffer(Symbol::new(name), prim, count.clone(), (Role::Partial, span));
        let zero = Expr::Const(Scalar::from_i128(prim, 0));
        self.launch_map(count.clone(), span, |this, t| this.emit(Stmt::Store(ptr, t, zero)));
        Mem { ptr, offset: Expr::int(0), strides: [].into(), keep: [handle].into() }
    }

    /// Of several writes to a cell the last one counts: one kernel finds it, another makes only that one.
    pub(super) fn scatter_kernels(&mut self, cells: Cells<'p>, width: Expr, n: Expr, outs: &[Mem]) {
        let span = cells.span;
        let width = self.atom("width", width);
        let owners = self.zeros("owner", PrimType::I64, &n, span);
        let max = ScalarOp::new(Op::Max, PrimType::I64);
        self.launch_map(width.clone(), span, |this, t| {
            let results = this.results_of(cells, &t);
            let at = this.position(cells, &results);
            let number = t.plus(Expr::int(1));
            let claim = Stmt::Atomic(Box::new(Atomic::Op(max, owners.ptr, at.clone(), number)));
            this.emit(Stmt::If(in_bounds(at, n.clone()), vec![claim], Vec::new()));
        });
        self.launch_map(width, span, |this, t| {
            let results = this.results_of(cells, &t);
            let at = this.position(cells, &results);
            let (then, ()) = this.block(|this| {
                let owner = Expr::Load(owners.ptr, Box::new(at.clone()));
                let (write, ()) = this.block(|this| this.write_cells(outs, &at, &results[1..], &cells.lambda.body.result[1..]));
                let own = Expr::arith(
                    mutated!(ScatterAnyWins, Int::Eq, Int::Ne),
                    owner,
                    t.clone().plus(Expr::int(mutated!(ScatterAnyWins, 1, -1))),
                );
                this.emit(Stmt::If(own, write, Vec::new()));
            });
            this.emit(Stmt::If(in_bounds(at, n.clone()), then, Vec::new()));
        });
    }
}

/// Results that are scalars.
pub(super) fn scalars(results: Vec<Loc>) -> Vec<Expr> {
    results.into_iter().filter_map(|loc| if let Loc::Scalar(e) = loc { Some(e) } else { None }).collect()
}
