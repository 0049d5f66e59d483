//! Buffers, views and copies.

use super::{Array, Loc, Lower, Mem, Site, Stride};
use crate::base::mutation::mutated;
use crate::base::scalar::{Op, ScalarOp};
use crate::base::{PrimType, Span, Symbol};
use crate::ir::imp::{Expr, Handle, Int, Order, Parallel, Ptr, Stmt};
use crate::ir::profile::{CopyReason, Note, Role};
use crate::ir::soac::{Size, Type, Var};

/// Arrays of known size up to this many bytes lie in the frame of the function.
const STACK_BYTES: u64 = 2048;
/// All of them together take at most this many: threads of other programs may have small stacks.
const FRAME_BYTES: u64 = 64 << 10;

impl Lower<'_, '_> {
    /// An array in row-major order.
    pub(super) fn dense(&mut self, ptr: Ptr, offset: Expr, shape: &[Size], keep: &[Handle]) -> Mem {
        let strides = self.row_major(shape);
        Mem { ptr, offset, strides: strides.into(), keep: keep.into() }
    }
    fn row_major(&mut self, shape: &[Size]) -> Vec<Stride> {
        let mut size = Size::constant(1);
        let mut strides = Vec::with_capacity(shape.len());
        for n in shape.iter().rev() {
            let expr = self.size(&size);
            let expr = self.atom("stride", expr);
            strides.push(Stride { size: size.clone(), expr });
            size = size.mul(n);
        }
        strides.reverse();
        strides
    }
    /// Whether neighbours in row-major order are neighbours in memory.
    pub(super) fn is_dense(&self, mem: &Mem, shape: &[Size]) -> bool {
        let mut size = Size::constant(1);
        for (stride, n) in mem.strides.iter().zip(shape).rev() {
            if mutated!(DenseAnyhow, stride.size != size, shape.len() > 1 && stride.size != size) && n.as_constant() != Some(1) {
                return false;
            }
            size = size.mul(n);
        }
        true
    }

    /// A new buffer for an array of this type.
    pub(super) fn alloc(&mut self, name: Symbol, ty: &Type, span: Span) -> Mem {
        self.alloc_as(name, ty, (Role::Value, span))
    }
    fn alloc_as(&mut self, name: Symbol, ty: &Type, (role, span): (Role, Span)) -> Mem {
        let elements = ty.shape.iter().try_fold(1u64, |n, size| n.checked_mul(u64::try_from(size.as_constant()?).ok()?));
        let bytes = |count: u64| count.saturating_mul(ty.elem.bytes() as u64);
        let on_stack = elements.filter(|_| !self.is_host());
        if let Some(count) = on_stack.filter(|count| bytes(*count) <= STACK_BYTES && self.out.frame + bytes(*count) <= FRAME_BYTES) {
            self.out.frame += bytes(count.max(1));
            let ptr = self.ptr(name, ty.elem, Some(count.max(1)));
            self.emit(Stmt::Stack(ptr));
            self.remark(Note::InFrame(name, bytes(count)));
            return self.dense(ptr, Expr::int(0), &ty.shape, &[]);
        }
        let count = self.count(&ty.shape);
        let (ptr, handle) = self.buffer(name, ty.elem, count, (role, span));
        self.dense(ptr, Expr::int(0), &ty.shape, &[handle])
    }
    /// A new buffer of so many elements, which is released at the end of the scope.
    pub(super) fn buffer(&mut self, name: Symbol, elem: PrimType, count: Expr, (role, span): (Role, Span)) -> (Ptr, Handle) {
        let ptr = self.ptr(name, elem, None);
        let handle = self.scoped_handle(name.as_str());
        self.emit_alloc(handle, ptr, count, role, span);
        (ptr, handle)
    }
    /// Makes a buffer.
    pub(super) fn emit_alloc(&mut self, handle: Handle, ptr: Ptr, count: Expr, role: Role, span: Span) {
        let made = count.clone();
        self.emit(Stmt::Alloc { handle, ptr, count, span });
        self.made(ptr, &made, role, span);
    }
    /// Memory for a variable: its destination, or a new buffer.
    pub(super) fn alloc_var(&mut self, var: Var, span: Span) -> Mem {
        if let Some(dest) = self.destinations.mems.get(&var) {
            return dest.clone();
        }
        if let Some(mem) = self.part(var, span) {
            self.destinations.placed.insert(var);
            return mem;
        }
        let program = self.program;
        self.alloc(program.vars[var].name, program.ty(var), span)
    }
    pub(super) fn bind_mem(&mut self, var: Var, mem: Mem) {
        self.locs.insert(var, Loc::Array(Array::Mem(mem)));
    }

    /// The position of a cell.
    pub(super) fn at(&self, mem: &Mem, indices: &[Expr]) -> Expr {
        indices.iter().zip(mem.strides.iter()).fold(mem.offset.clone(), |at, (i, stride)| at.plus(i.clone().times(stride.expr.clone())))
    }
    /// An element, all indices given.
    pub(super) fn element(&self, array: &Array, indices: &[Expr], elem: PrimType) -> Expr {
        match array {
            Array::Mem(mem) => Expr::Load(mem.ptr, Box::new(self.at(mem, indices))),
            Array::Fill(value) => value.clone(),
            Array::Iota(start, step) => {
                let [i] = indices else { crate::ice!(Span::default(), "an element of a range at {} indices", indices.len()) };
                let i = i.clone();
                progression(start, step, i, elem)
            }
        }
    }
    /// The cell of an array in memory at these indices.
    pub(super) fn cell_in(&mut self, mem: &Mem, indices: &[Expr]) -> Mem {
        let offset = self.at(mem, indices);
        let offset = self.atom("row", offset);
        Mem { offset, strides: mem.strides[indices.len()..].into(), ..mem.clone() }
    }
    /// The cell at these indices.
    pub(super) fn cell(&mut self, array: &Array, indices: &[Expr], ty: &Type) -> Loc {
        if ty.rank() == indices.len() {
            return Loc::Scalar(self.element(array, indices, ty.elem));
        }
        match array {
            Array::Mem(mem) => Loc::Array(Array::Mem(self.cell_in(mem, indices))),
            other @ (Array::Iota(..) | Array::Fill(_)) => Loc::Array(other.clone()),
        }
    }

    /// The array in row-major order: itself or a copy.
    pub(super) fn in_rows(&mut self, array: &Array, ty: &Type, why: (CopyReason, Span)) -> Mem {
        match array {
            Array::Mem(mem) if self.is_dense(mem, &ty.shape) => mem.clone(),
            Array::Mem(_) | Array::Iota(..) | Array::Fill(_) => self.copied(array, ty, why),
        }
    }
    /// A copy in a buffer of its own.
    pub(super) fn copied(&mut self, array: &Array, ty: &Type, (why, span): (CopyReason, Span)) -> Mem {
        let mem = self.alloc_as(Symbol::new("copy"), ty, (Role::Copy, span));
        self.copy_into(&mem, &ty.shape, array, why);
        mem
    }

    /// Writes an array over another of the same shape, for this reason. The two do not overlap.
    pub(super) fn copy_into(&mut self, to: &Mem, shape: &[Size], from: &Array, why: CopyReason) {
        let elem = self.out.ptrs[to.ptr].elem;
        if let Array::Mem(source) = from
            && self.is_dense(source, shape)
            && self.is_dense(to, shape)
        {
            let count = self.count(shape);
            let small = count.as_int().is_some_and(|n| n <= 64);
            if !small {
                self.copies(to, Some(source.ptr), count.clone(), why, true);
                if self.site == Site::Processor {
                    self.copy_in_chunks(to, source, count);
                } else {
                    self.emit(Stmt::Copy { to: (to.ptr, to.offset.clone()), from: (source.ptr, source.offset.clone()), count });
                }
                return;
            }
        }
        if let (true, Array::Mem(source)) = (self.is_host(), from)
            && self.is_dense(to, shape)
            && let Some(split) = self.turned(source, shape)
        {
            return self.transpose_kernel(to, source, shape, split);
        }
        self.copies_one_by_one(to, shape, from, why);
        let ty = Type { elem, shape: shape.to_vec() };
        self.nest(shape, &mut |this: &mut Self, indices| {
            let value = this.element(from, indices, ty.elem);
            let at = this.at(to, indices);
            this.emit(Stmt::Store(to.ptr, at, value));
        });
    }
    /// A copy in parallel.
    fn copy_in_chunks(&mut self, to: &Mem, from: &Mem, count: Expr) {
        let count = self.atom("count", count);
        let (to, from) = (to.clone(), from.clone());
        self.parallel(count, 1, false, &mut |this, lo, hi, _| {
            let (start, at) =
                (from.offset.clone().plus(mutated!(ChunkOfCopy, lo.clone(), Expr::int(0))), to.offset.clone().plus(lo.clone()));
            this.emit(Stmt::Copy { to: (to.ptr, at), from: (from.ptr, start), count: hi.minus(lo) });
        });
    }

    /// Runs `visit` for all indices of a shape, the outermost dimension in parallel where that is possible.
    pub(super) fn nest(&mut self, shape: &[Size], visit: &mut dyn FnMut(&mut Self, &[Expr])) {
        if self.is_host() {
            return self.kernel_nest(shape, visit);
        }
        let Some((outer, inner)) = shape.split_first() else { return visit(self, &[]) };
        let sizes: Vec<Expr> = inner
            .iter()
            .map(|size| {
                let e = self.size(size);
                self.atom("n", e)
            })
            .collect();
        let width = self.size(outer);
        let width = self.atom("n", width);
        let cost = sizes.iter().fold(2u64, |cost, n| cost.saturating_mul(n.as_int().map_or(64, |n| n.max(1) as u64)));
        if self.is_parallel() && width.as_int().is_none_or(|n| n > 64) {
            self.parallel(width, cost, false, &mut |this, lo, hi, _| this.nested(lo, hi, &sizes, &mut Vec::new(), visit));
        } else {
            self.nested(Expr::int(0), width, &sizes, &mut Vec::new(), visit);
        }
    }
    fn nested(&mut self, from: Expr, to: Expr, inner: &[Expr], indices: &mut Vec<Expr>, visit: &mut dyn FnMut(&mut Self, &[Expr])) {
        let var = self.local("i", PrimType::I64);
        let (body, ()) = self.block(|this| {
            indices.push(Expr::Local(var));
            match inner.split_first() {
                None => visit(this, indices),
                Some((n, rest)) => this.nested(Expr::int(0), n.clone(), rest, indices, visit),
            }
            indices.pop();
        });
        self.emit(Stmt::For { var, from, to, order: Order::Any, body });
    }

    /// Into how many chunks a loop is divided whose iterations cost about so many operations.
    pub(super) fn chunks(&mut self, width: &Expr, cost: u64, at_most_threads: bool) -> Expr {
        self.atom("pieces", Expr::Chunks { width: Box::new(width.clone()), cost, at_most_threads })
    }
    /// A loop in chunks. `work` gets the bounds and the number of the chunk.
    pub(super) fn parallel(&mut self, width: Expr, cost: u64, at_most_threads: bool, work: &mut dyn FnMut(&mut Self, Expr, Expr, Expr)) {
        let chunks = self.chunks(&width, cost, at_most_threads);
        self.in_chunks(width, chunks, work);
    }
    /// A loop in this many chunks.
    pub(super) fn in_chunks(&mut self, width: Expr, chunks: Expr, work: &mut dyn FnMut(&mut Self, Expr, Expr, Expr)) {
        let [lo, hi, chunk] = ["lo", "hi", "piece"].map(|name| self.local(name, PrimType::I64));
        let (body, ()) = self.block(|this| {
            this.sequentially(|this| this.scoped(|this| work(this, Expr::Local(lo), Expr::Local(hi), Expr::Local(chunk))));
        });
        self.emit(Stmt::Parallel(Box::new(Parallel { width, chunks, lo, hi, chunk, body })));
    }

    /// Sizes as variables or numbers.
    pub(super) fn dims(&mut self, shape: &[Size]) -> Vec<Expr> {
        let mut dims = Vec::with_capacity(shape.len());
        for size in shape {
            let e = self.size(size);
            dims.push(self.atom("n", e));
        }
        dims
    }
    /// A size as a stride.
    pub(super) fn stride(&mut self, size: Size) -> Stride {
        let e = self.size(&size);
        Stride { expr: self.atom("stride", e), size }
    }
}

/// `start + i * step` in the type of the elements.
fn progression(start: &Expr, step: &Expr, i: Expr, elem: PrimType) -> Expr {
    if elem == PrimType::I64 {
        return start.clone().plus(i.times(step.clone()));
    }
    let [add, mul, convert] = [Op::Add, Op::Mul, Op::Convert(PrimType::I64)].map(|op| ScalarOp::new(op, elem));
    let i = Expr::Op(convert, vec![i]);
    Expr::Op(add, vec![start.clone(), Expr::Op(mul, vec![i, step.clone()])])
}

/// Whether an index is in bounds.
pub(super) fn in_bounds(i: Expr, n: Expr) -> Expr {
    Expr::arith(Int::Le, Expr::int(0), i.clone()).and(mutated!(CheckOffByOne, i.less(n), Expr::arith(Int::Le, i, n)))
}
