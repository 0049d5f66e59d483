//! Views: elements, cells and parts of arrays, and arrays that are others in another order or several times. Most are other strides of the
//! same memory.

use super::exp::{wrapping, zero};
use super::{Array, Loc, Lower, Mem, Stride};
use crate::base::mutation::mutated;
use crate::base::scalar::Op;
use crate::base::{Code, PrimType, Span};
use crate::ir::imp::{Expr, Int, Stmt};
use crate::ir::profile::CopyReason;
use crate::ir::soac::{Operand, Size, Var};

impl Lower<'_, '_> {
    pub(super) fn index(&mut self, var: Var, array: Var, at: &[Operand], checked: bool, span: Span) {
        let (source, old) = (self.array(array), self.ty(array));
        let at: Vec<Expr> = at.iter().map(|i| self.int(*i)).collect();
        if checked {
            for (i, n) in at.iter().zip(&old.shape) {
                self.check_index(i.clone(), n, span);
            }
        }
        match self.cell(&source, &at, old) {
            Loc::Scalar(e) => {
                self.ghost_read(array, &e);
                self.set_scalar(var, e);
            }
            cell => {
                self.locs.insert(var, cell);
            }
        }
    }

    /// A stride times a step.
    pub(super) fn stepped(&mut self, stride: &Stride, step: Expr) -> Stride {
        match step.as_int() {
            Some(1) => stride.clone(),
            Some(k) => self.stride(stride.size.scale(k)),
            None => {
                let e = stride.expr.clone().times(step);
                // A size that is equal to no other: only its expression is used.
                Stride { size: Size::constant(i64::MIN), expr: self.atom("stride", e) }
            }
        }
    }

    pub(super) fn slice(&mut self, var: Var, array: Var, start: Operand, step: Operand, checked: bool, span: Span) {
        let (start, step) = (self.int(start), self.int(step));
        let (old, new) = (self.ty(array), self.ty(var));
        if checked {
            let (n, count) = (self.size(&old.shape[0]), self.size(&new.shape[0]));
            let (n, count) = (self.atom("n", n), self.atom("n", count));
            let end = self.atom("end", wrapping(Op::Add, start.clone(), count.clone()));
            let good = is_part(start.clone(), end.clone(), count, n.clone());
            let message = "slice [{}:{}] is out of bounds for an array of size {}";
            self.require(good, Code::OutOfBounds, message, vec![start.clone(), end, n], span);
        }
        let loc = match self.array(array) {
            Array::Fill(value) => Array::Fill(value),
            Array::Iota(first, distance) => {
                let first = self.element(&Array::Iota(first, distance.clone()), &[start], old.elem);
                let first = if old.elem == PrimType::I64 { self.atom("first", first) } else { first };
                let distance = match step.as_int() {
                    Some(1) => distance,
                    _ => self.element(&Array::Iota(zero(old.elem), distance), &[step], old.elem),
                };
                Array::Iota(first, distance)
            }
            Array::Mem(mem) => {
                let offset = self.at(&mem, &[start]);
                let offset = self.atom("offset", offset);
                let mut strides = mem.strides.to_vec();
                strides[0] = self.stepped(&strides[0], step);
                Array::Mem(Mem { offset, strides: strides.into(), ..mem })
            }
        };
        self.locs.insert(var, Loc::Array(loc));
    }

    pub(super) fn rotate(&mut self, var: Var, array: Var, by: Operand, span: Span) {
        let ty = self.ty(var);
        let source = self.array(array);
        if let Array::Fill(_) = source {
            self.locs.insert(var, Loc::Array(source));
            return;
        }
        let by = self.int(by);
        let n = self.size(&ty.shape[0]);
        let n = self.atom("n", n);
        // The remainder of a division by 0 does not matter: then there are no elements.
        let divisor = Expr::Select(Box::new(Expr::arith(Int::Eq, n.clone(), Expr::int(0))), Box::new(Expr::int(1)), Box::new(n.clone()));
        let divisor = self.atom("n", divisor);
        let by = wrapping(Op::Mod, by, divisor);
        let by = self.atom("by", by);
        let mem = self.alloc_var(var, span);
        let width = n.clone();
        let elem = ty.elem;
        self.nest(&ty.shape, &mut |this: &mut Self, indices| {
            let i = indices[0].clone().plus(by.clone());
            let wrapped = Expr::Select(
                Box::new(i.clone().less(width.clone().plus(Expr::int(mutated!(RotateWraps, 0, 1))))),
                Box::new(i.clone()),
                Box::new(i.minus(width.clone())),
            );
            let wrapped = this.atom("i", wrapped);
            let from: Vec<Expr> = std::iter::once(wrapped).chain(indices[1..].iter().cloned()).collect();
            let value = this.element(&source, &from, elem);
            let at = this.at(&mem, indices);
            this.emit(Stmt::Store(mem.ptr, at, value));
        });
        self.bind_mem(var, mem);
    }

    pub(super) fn rearrange(&mut self, var: Var, array: Var, perm: &[usize]) {
        let loc = match self.array(array) {
            Array::Mem(mem) => {
                let strides = perm.iter().map(|k| mem.strides[*k].clone()).collect();
                Array::Mem(Mem { strides, ..mem })
            }
            other @ (Array::Iota(..) | Array::Fill(_)) => other,
        };
        self.locs.insert(var, Loc::Array(loc));
    }

    pub(super) fn reshape(&mut self, var: Var, array: Var, span: Span) {
        let ty = self.ty(var);
        let (source, old) = (self.array(array), self.ty(array));
        let loc = match source {
            Array::Fill(value) => Array::Fill(value),
            Array::Iota(start, step) if ty.rank() == 1 => Array::Iota(start, step),
            other @ (Array::Mem(_) | Array::Iota(..)) => {
                let mem = self.in_rows(&other, old, (CopyReason::Reshaped, span));
                Array::Mem(self.dense(mem.ptr, mem.offset.clone(), &ty.shape, &mem.keep))
            }
        };
        self.locs.insert(var, Loc::Array(loc));
    }

    pub(super) fn coerce(&mut self, var: Var, array: Var) {
        let ty = self.ty(var);
        // Strides are compared by the sizes of the type.
        let loc = match self.array(array) {
            Array::Mem(mem) if self.is_dense(&mem, &self.ty(array).shape) => {
                Array::Mem(self.dense(mem.ptr, mem.offset.clone(), &ty.shape, &mem.keep))
            }
            other @ (Array::Mem(_) | Array::Iota(..) | Array::Fill(_)) => other,
        };
        self.locs.insert(var, Loc::Array(loc));
    }

    pub(super) fn rep(&mut self, var: Var, cell: Operand, span: Span) {
        let mem = match self.loc(cell) {
            Loc::Scalar(e) | Loc::Array(Array::Fill(e)) => {
                self.locs.insert(var, Loc::Array(Array::Fill(e)));
                return;
            }
            Loc::Array(Array::Mem(mem)) => mem,
            Loc::Array(iota @ Array::Iota(..)) => {
                let ty = self.program.operand_ty(cell);
                self.copied(&iota, &ty, (CopyReason::Repeated, span))
            }
        };
        let depth = self.ty(var).rank() - mem.strides.len();
        let none = Stride { size: Size::constant(0), expr: Expr::int(0) };
        let strides = std::iter::repeat_n(none, depth).chain(mem.strides.iter().cloned()).collect();
        self.locs.insert(var, Loc::Array(Array::Mem(Mem { strides, ..mem })));
    }
}

/// Whether `start..end`, so many cells, is a part of `n`. The end is computed modulo 2^64.
fn is_part(start: Expr, end: Expr, count: Expr, n: Expr) -> Expr {
    let le = |a: Expr, b: Expr| Expr::arith(Int::Le, a, b);
    let low = le(Expr::int(0), start.clone());
    match count.as_int() {
        Some(0..) => low.and(le(start, n.minus(count))),
        _ => low.and(le(start, end.clone())).and(le(end, n)),
    }
}
