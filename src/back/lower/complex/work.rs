//! Kernels on complex numbers.

use super::{Split, part_op};
use crate::base::scalar::ScalarOp;
use crate::base::{PrimType, Span, Symbol};
use crate::ir::imp::{Atomic, Combine, Expr, Hist, Int, Place, Segments, Stmt, Transpose, Work};

impl Split<'_> {
    pub(super) fn place(&mut self, place: Place, out: &mut Vec<Stmt>) -> Place {
        match place {
            Place::Ptr(base, offset) => {
                let offset = self.real(&offset, out);
                Place::Ptr(base, self.at(base, offset))
            }
            Place::Table(_) => place,
        }
    }

    pub(super) fn work(&mut self, work: Work, out: &mut Vec<Stmt>) -> Work {
        match work {
            Work::Map { width, index, body } => Work::Map { width: self.real(&width, out), index, body: self.stmts(body) },
            Work::Reduce(segments) => Work::Reduce(self.segments(segments, out)),
            Work::Scan(segments) => Work::Scan(self.segments(segments, out)),
            Work::Hist(hist) => Work::Hist(self.hist(hist, out)),
            Work::Transpose(transpose) => self.transpose(transpose, out),
        }
    }

    fn segments(&mut self, segments: Segments, out: &mut Vec<Stmt>) -> Segments {
        let mut cell = self.stmts(segments.cell);
        Segments {
            segments: self.real(&segments.segments, out),
            width: self.real(&segments.width, out),
            segment: segments.segment,
            index: segments.index,
            values: self.reals(&segments.values, &mut cell),
            cell,
            combine: self.combine(segments.combine),
            neutral: self.reals(&segments.neutral, out),
            sum: self.parts_of(&segments.sum),
            done: self.stmts(segments.done),
            commutative: segments.commutative,
        }
    }

    fn hist(&mut self, hist: Hist, out: &mut Vec<Stmt>) -> Hist {
        let mut cell = self.stmts(hist.cell);
        Hist {
            width: self.real(&hist.width, out),
            bins: self.real(&hist.bins, out),
            index: hist.index,
            bin: self.real(&hist.bin, &mut cell),
            values: self.reals(&hist.values, &mut cell),
            cell,
            combine: self.combine(hist.combine),
            each: hist.each.map(|each| each_part(&each)),
            neutral: self.reals(&hist.neutral, out),
            place: hist.place,
            sum: self.parts_of(&hist.sum),
            update: self.stmts(hist.update),
        }
    }

    fn combine(&mut self, combine: Combine) -> Combine {
        let mut body = self.stmts(combine.body);
        Combine {
            left: self.parts_of(&combine.left),
            right: self.parts_of(&combine.right),
            results: self.reals(&combine.results, &mut body),
            body,
        }
    }

    /// Planes of complex numbers: a thread moves the parts of one.
    fn transpose(&mut self, work: Transpose, out: &mut Vec<Stmt>) -> Work {
        let [planes, rows, columns] = [&work.planes, &work.rows, &work.columns].map(|e| self.real(e, out));
        let [from, to] = [work.from, work.to].map(|(ptr, offset)| {
            let offset = self.real(&offset, out);
            (ptr, self.at(ptr, offset))
        });
        if !self.is_complex(to.0) {
            return Work::Transpose(Transpose { planes, rows, columns, from, to });
        }
        let [rows, columns] = [rows, columns].map(|e| self.atom(e, out));
        let index = self.local(Symbol::new("i"), PrimType::I64);
        let i = || Expr::Local(index);
        let [row, rest] = [Int::Rem, Int::Div].map(|op| Expr::arith(op, i(), rows.clone()));
        let [column, plane] = [Int::Rem, Int::Div].map(|op| Expr::arith(op, rest.clone(), columns.clone()));
        let source = plane.times(rows.clone()).plus(row).times(columns.clone()).plus(column).times(Expr::int(2)).plus(from.1);
        let mut body = Vec::with_capacity(3);
        let source = self.bound(source, &mut body);
        let target = self.bound(i().times(Expr::int(2)).plus(to.1), &mut body);
        for part in 0..2 {
            let value = Expr::Load(from.0, Box::new(source.clone().plus(Expr::int(part))));
            body.push(Stmt::Store(to.0, target.clone().plus(Expr::int(part)), value));
        }
        Work::Map { width: planes.times(rows).times(columns), index, body }
    }

    pub(super) fn atomic(&mut self, atomic: Atomic, out: &mut Vec<Stmt>) {
        let atomic = match atomic {
            Atomic::Op(op, ptr, index, value) => {
                let index = self.real(&index, out);
                if self.is_complex(ptr) {
                    let op = part_op(op);
                    let (re, im) = self.pair(&value, out);
                    let first = index.times(Expr::int(2));
                    out.push(Stmt::Atomic(Box::new(Atomic::Op(op, ptr, first.clone(), re))));
                    Atomic::Op(op, ptr, first.plus(Expr::int(1)), im)
                } else {
                    Atomic::Op(op, ptr, index, self.real(&value, out))
                }
            }
            Atomic::Combine(combine, ptr, index, value) => {
                if self.is_complex(ptr) {
                    crate::ice!(Span::default(), "complex numbers are combined without a lock");
                }
                let (index, value) = (self.real(&index, out), self.real(&value, out));
                Atomic::Combine(self.combine(combine), ptr, index, value)
            }
            Atomic::Locked(ptr, index, body) => {
                let index = self.real(&index, out);
                Atomic::Locked(ptr, index, self.stmts(body))
            }
        };
        out.push(Stmt::Atomic(Box::new(atomic)));
    }
}

/// The operations on the parts.
fn each_part(each: &[ScalarOp]) -> Vec<ScalarOp> {
    each.iter().flat_map(|op| if op.prim.is_complex() { vec![part_op(*op); 2] } else { vec![*op] }).collect()
}
