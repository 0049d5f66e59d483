//! Computes single elements of arrays without materialising them: what picks or computes an element, from its indices.

use super::Flatten;
use crate::base::mutation::mutated;
use crate::base::scalar::{Op, ScalarOp};
use crate::base::{PrimType, Span, Symbol};
use crate::ir::soac::visit_mut::{Subst, fresh_body};
use crate::ir::soac::{Body, Exp, Lambda, Operand, Size, Soac, Stm, Type, Var, count_exp, parallel_exp, view_exp};
use rustc_hash::FxHashMap;

/// How a thread gets at elements of arrays that are not made.
pub(super) struct Cells<'a> {
    /// What would make them.
    pub inlined: FxHashMap<Var, &'a Exp>,
    /// Where the parts of a concatenation but the last end; how many cells of an array are replaced.
    pub ends: FxHashMap<Var, Vec<Operand>>,
}

/// Parts of a concatenation, the index where they begin, and where each but the last ends.
#[derive(Clone, Copy)]
struct Parts<'a> {
    arrays: &'a [Var],
    start: Operand,
    ends: &'a [Operand],
}

/// Computes an element from its indices.
type Element<'a> = dyn FnMut(&mut Flatten, &[Operand], &mut Vec<Stm>) -> Operand + 'a;

impl Flatten {
    /// An element of an array.
    pub(super) fn cell(&mut self, cells: &Cells<'_>, var: Var, at: Vec<Operand>, span: Span, stms: &mut Vec<Stm>) -> Operand {
        match cells.inlined.get(&var) {
            Some(exp) => self.defined(cells, (var, exp), &at, span, stms),
            None => self.element(Exp::Index { array: var, at, checked: false }, self.ty(var).elem, span, stms),
        }
    }

    /// An element of the array that an expression makes.
    pub(super) fn defined(
        &mut self,
        cells: &Cells<'_>,
        (var, exp): (Var, &Exp),
        at: &[Operand],
        span: Span,
        stms: &mut Vec<Stm>,
    ) -> Operand {
        match exp {
            Exp::Copy(Operand::Var(array)) | Exp::Coerce(array) => self.cell(cells, *array, at.to_vec(), span, stms),
            Exp::Index { array, at: outer, .. } => self.cell(cells, *array, [outer, at].concat(), span, stms),
            Exp::Slice { array, start, step, .. } => {
                let far = if *step == Operand::int(1) { at[0] } else { self.integer(Op::Mul, at[0], *step, span, stms) };
                let first = if *start == Operand::int(0) { far } else { self.integer(Op::Add, *start, far, span, stms) };
                self.cell(cells, *array, [&[first], &at[1..]].concat(), span, stms)
            }
            Exp::Rearrange { array, perm } => {
                let mut turned = at.to_vec();
                perm.iter().zip(at).for_each(|(k, index)| turned[*k] = *index);
                self.cell(cells, *array, turned, span, stms)
            }
            Exp::Concat(arrays) => {
                let parts = Parts { arrays, start: Operand::int(0), ends: &cells.ends[&var] };
                self.of_parts(cells, parts, at, span, stms)
            }
            Exp::Update { array, at: outer, value, .. } => {
                let same = outer.iter().zip(at).map(|(a, b)| self.compare(Op::Eq, *a, *b, span, stms)).collect();
                let here = self.all(same, span, stms);
                let inner = &at[outer.len()..];
                self.either(
                    here,
                    &mut |this, stms| match value {
                        Operand::Var(value) if !inner.is_empty() => this.cell(cells, *value, inner.to_vec(), span, stms),
                        scalar @ (Operand::Const(_) | Operand::Var(_)) => *scalar,
                    },
                    &mut |this, stms| this.cell(cells, *array, at.to_vec(), span, stms),
                    span,
                    stms,
                )
            }
            Exp::UpdateSlice { array, start, step, value, .. } => {
                let (from, to) = if *step == Operand::int(1) { (*start, at[0]) } else { (at[0], *start) };
                let nth = if from == Operand::int(0) { to } else { self.integer(Op::Sub, to, from, span, stms) };
                let count = cells.ends[&var][0];
                let after = self.compare(Op::Le, Operand::int(0), nth, span, stms);
                let before = self.compare(mutated!(PartsTooLong, Op::Lt, Op::Le), nth, count, span, stms);
                let here = self.all(vec![after, before], span, stms);
                self.either(
                    here,
                    &mut |this, stms| this.cell(cells, *value, [&[nth], &at[1..]].concat(), span, stms),
                    &mut |this, stms| this.cell(cells, *array, at.to_vec(), span, stms),
                    span,
                    stms,
                )
            }
            Exp::Soac(soac) => {
                let mut subst = Subst::default();
                for (input, param) in soac.inputs.iter().zip(&soac.lambda.params) {
                    let cell = self.cell(cells, *input, at.to_vec(), span, stms);
                    subst.operands.insert(*param, cell);
                }
                let body = fresh_body(&mut self.program, &soac.lambda.body, &mut subst);
                stms.extend(body.stms);
                body.result[0]
            }
            Exp::Copy(Operand::Const(_))
            | Exp::Scalar(..)
            | Exp::Size(_)
            | Exp::Literal(_)
            | Exp::Stack(_)
            | Exp::Rotate { .. }
            | Exp::Reshape(_)
            | Exp::Rep(_)
            | Exp::Iota { .. }
            | count_exp!()
            | Exp::Check(_)
            | Exp::Seg(_)
            | Exp::Filter { .. }
            | Exp::Rows { .. }
            | Exp::Scatter { .. }
            | Exp::Hist { .. }
            | Exp::If { .. }
            | Exp::Loop { .. }
            | Exp::Call(..) => crate::ice!(span, "no element of this is computed: {exp:?}"),
        }
    }

    /// What the elements of an array are chosen by, if it is one that is put together: numbers that are the same for all of them.
    pub(super) fn ends(&mut self, cells: &mut Cells<'_>, stm: &Stm, out: &mut Vec<Stm>) {
        let known = |this: &mut Self, size: &Size, out: &mut Vec<Stm>| match size.as_constant() {
            Some(n) => Operand::int(n),
            None => {
                let known = this.program.fresh(Symbol::new("end"), Type::scalar(PrimType::I64));
                out.push(Stm { pat: vec![known], exp: Exp::Size(size.clone()), span: stm.span });
                Operand::Var(known)
            }
        };
        let ends = match &stm.exp {
            Exp::Concat(arrays) => {
                let mut end = Size::default();
                let mut ends = Vec::with_capacity(arrays.len());
                for part in &arrays[..arrays.len() - 1] {
                    end = end.add(&self.ty(*part).shape[0]);
                    ends.push(known(self, &end, out));
                }
                ends
            }
            Exp::UpdateSlice { value, .. } => {
                let count = self.ty(*value).shape[0].clone();
                vec![known(self, &count, out)]
            }
            view_exp!()
            | parallel_exp!()
            | count_exp!()
            | Exp::Copy(_)
            | Exp::Scalar(..)
            | Exp::Size(_)
            | Exp::Index { .. }
            | Exp::Literal(_)
            | Exp::Stack(_)
            | Exp::Rotate { .. }
            | Exp::Rep(_)
            | Exp::Iota { .. }
            | Exp::Update { .. }
            | Exp::Check(_)
            | Exp::If { .. }
            | Exp::Loop { .. }
            | Exp::Call(..) => return,
        };
        cells.ends.insert(stm.pat[0], ends);
    }

    /// An element of the part in which it is.
    fn of_parts(&mut self, cells: &Cells<'_>, parts: Parts<'_>, at: &[Operand], span: Span, stms: &mut Vec<Stm>) -> Operand {
        let here = |this: &mut Self, stms: &mut Vec<Stm>| {
            let mut at = at.to_vec();
            if parts.start != Operand::int(0) {
                at[0] = this.integer(mutated!(PartsNotMoved, Op::Sub, Op::Max), at[0], parts.start, span, stms);
            }
            this.cell(cells, parts.arrays[0], at, span, stms)
        };
        let (Some((end, ends)), [_, arrays @ ..]) = (parts.ends.split_first(), parts.arrays) else {
            return here(self, stms);
        };
        let before = self.compare(Op::Lt, at[0], *end, span, stms);
        let rest = Parts { arrays, start: *end, ends };
        self.either(before, &mut { here }, &mut |this, stms| this.of_parts(cells, rest, at, span, stms), span, stms)
    }

    /// One of two values.
    fn either(
        &mut self,
        cond: Operand,
        then: &mut dyn FnMut(&mut Flatten, &mut Vec<Stm>) -> Operand,
        els: &mut dyn FnMut(&mut Flatten, &mut Vec<Stm>) -> Operand,
        span: Span,
        stms: &mut Vec<Stm>,
    ) -> Operand {
        let (mut here, mut there) = (Vec::new(), Vec::new());
        let (a, b) = (then(self, &mut here), els(self, &mut there));
        let elem = self.program.operand_ty(a).elem;
        let (then, els) = (Body { stms: here, result: vec![a] }, Body { stms: there, result: vec![b] });
        self.element(Exp::If { cond, then, els }, elem, span, stms)
    }
    /// Whether all of these hold; there is at least one.
    fn all(&mut self, conditions: Vec<Operand>, span: Span, stms: &mut Vec<Stm>) -> Operand {
        let and = |a, b| self.element(Exp::Scalar(ScalarOp::new(Op::And, PrimType::Bool), vec![a, b]), PrimType::Bool, span, stms);
        conditions.into_iter().reduce(and).unwrap_or(Operand::Const(crate::base::Scalar::Bool(true)))
    }
    fn compare(&mut self, op: Op, a: Operand, b: Operand, span: Span, stms: &mut Vec<Stm>) -> Operand {
        self.element(Exp::Scalar(ScalarOp::new(op, PrimType::I64), vec![a, b]), PrimType::Bool, span, stms)
    }
    fn integer(&mut self, op: Op, a: Operand, b: Operand, span: Span, stms: &mut Vec<Stm>) -> Operand {
        self.element(Exp::Scalar(ScalarOp::new(op, PrimType::I64), vec![a, b]), PrimType::I64, span, stms)
    }
    /// A new variable for an element.
    fn element(&mut self, exp: Exp, elem: PrimType, span: Span, stms: &mut Vec<Stm>) -> Operand {
        let element = self.program.fresh(Symbol::new("x"), Type::scalar(elem));
        stms.push(Stm { pat: vec![element], exp, span });
        Operand::Var(element)
    }

    /// Binds `var` to the array of these elements, by a map for each dimension.
    pub(super) fn elements(&mut self, var: Var, ty: &Type, span: Span, out: &mut Vec<Stm>, element: &mut Element<'_>) {
        self.dimension(var, ty, &mut Vec::with_capacity(ty.rank()), span, out, element);
    }
    /// `elements` for the cells at these indices of the outer dimensions.
    fn dimension(&mut self, var: Var, ty: &Type, at: &mut Vec<Operand>, span: Span, out: &mut Vec<Stm>, element: &mut Element<'_>) {
        let width = ty.shape[at.len()].clone();
        let numbers = self.program.fresh(Symbol::new("numbers"), Type { elem: PrimType::I64, shape: vec![width.clone()] });
        out.push(Stm { pat: vec![numbers], exp: Exp::Iota { start: Operand::int(0), step: Operand::int(1) }, span });
        let index = self.program.fresh(Symbol::new("i"), Type::scalar(PrimType::I64));
        at.push(Operand::Var(index));
        let mut stms = Vec::new();
        let result = if at.len() == ty.rank() {
            element(self, at, &mut stms)
        } else {
            let cell = self.like(var, ty.cell(at.len()));
            self.dimension(cell, ty, at, span, &mut stms, element);
            Operand::Var(cell)
        };
        at.pop();
        let lambda = Lambda { params: vec![index], body: Body { stms, result: vec![result] } };
        let soac = Soac { width, inputs: vec![numbers], lambda, scans: Vec::new(), reduces: Vec::new() };
        out.push(Stm { pat: vec![var], exp: Exp::Soac(soac), span });
    }
}
