//! Rows that a thread would write cell after cell become maps, so that each cell has a thread.
//!
//! Law: an array is the map that picks its elements. Threads next to each other then write cells next to each other, and there are as many
//! as there are cells. Parts that are made by maps are computed where they go. Only what a map returns, and what is put together in it, is
//! written: views are read where they are.

use super::context::{Context, cheap, parallel_body};
use super::{FEW, Flatten};
use crate::base::scalar::{Op, ScalarOp};
use crate::base::{PrimType, Span, Symbol};
use crate::ir::soac::visit_mut::{Subst, fresh_body};
use crate::ir::soac::{Body, Exp, Lambda, Operand, Size, Soac, Stm, Type, Var, count_exp, parallel_exp, view_exp};
use rustc_hash::{FxHashMap, FxHashSet};

impl Flatten {
    /// The body of a map with maps for concatenations, and for results that are parts of other arrays, whose sizes are the same for all
    /// threads.
    pub(super) fn rows_as_maps(&mut self, context: &Context, body: &Body) -> Body {
        let bound: FxHashSet<Var> = body.stms.iter().flat_map(|stm| stm.pat.iter().copied()).collect();
        let wide: Vec<bool> =
            body.stms.iter().map(|stm| matches!(stm.exp, Exp::Concat(_)) && self.is_wide(context, &bound, stm.pat[0])).collect();
        let made = self.made_for_concatenations(body, &wide);
        let mut stms = Vec::with_capacity(body.stms.len());
        for (stm, wide) in body.stms.iter().zip(wide) {
            if let (Exp::Concat(arrays), true) = (&stm.exp, wide) {
                self.concatenated(Parts { arrays, start: Operand::int(0), made: &made }, stm, &mut stms);
            } else if !stm.pat.iter().any(|var| made.contains_key(var)) {
                stms.push(stm.clone());
            }
        }
        let mut result = Vec::with_capacity(body.result.len());
        for operand in &body.result {
            let made = |var: Var| body.stms.iter().find(|stm| stm.pat.contains(&var));
            let copied = operand.var().filter(|var| self.is_wide(context, &bound, *var)).map(|var| (var, made(var)));
            match copied {
                Some((var, stm)) if stm.is_none_or(|stm| is_picked(&stm.exp)) => {
                    let span = stm.map_or(Span::default(), |stm| stm.span);
                    let ty = self.ty(var).clone();
                    let copy = self.like(var, ty.clone());
                    self.elements(copy, &ty, span, &mut stms, &mut |this, at, stms| {
                        this.element(Exp::Index { array: var, at: at.to_vec(), checked: false }, ty.elem, span, stms)
                    });
                    result.push(Operand::Var(copy));
                }
                _ => result.push(*operand),
            }
        }
        Body { stms, result }
    }

    /// Whether an array has more than a few elements, as many for all threads.
    fn is_wide(&self, context: &Context, bound: &FxHashSet<Var>, var: Var) -> bool {
        let ty = self.ty(var);
        let known = |size: &Size| context.regular(size) && size.vars().all(|var| !bound.contains(&var));
        let count = ty.shape.iter().fold(Size::constant(1), |n, m| n.mul(m));
        ty.rank() > 0 && ty.shape.iter().all(known) && count.as_constant().is_none_or(|n| n > FEW)
    }

    /// The maps of scalars that nothing but one of these concatenations reads: their cells are computed where they go.
    fn made_for_concatenations(&self, body: &Body, wide: &[bool]) -> FxHashMap<Var, Soac> {
        let mut made = FxHashMap::default();
        for (k, stm) in body.stms.iter().enumerate().filter(|(k, _)| wide[*k]) {
            let Exp::Concat(parts) = &stm.exp else { continue };
            for part in parts {
                let Some(at) = body.stms[..k].iter().position(|stm| stm.pat.as_slice() == [*part]) else { continue };
                let Exp::Soac(soac) = &body.stms[at].exp else { continue };
                let scalars = self.ty(*part).rank() == 1 && soac.inputs.iter().all(|input| self.ty(*input).rank() == 1);
                let map = soac.scans.is_empty() && soac.reduces.is_empty() && !parallel_body(&soac.lambda.body);
                // Nothing in between may write to what the map reads.
                let still = body.stms[at + 1..k].iter().all(|stm| cheap(&stm.exp) || matches!(stm.exp, Exp::Soac(_) | Exp::Concat(_)));
                if scalars && map && still && body.uses(*part) == 1 {
                    made.insert(*part, soac.clone());
                }
            }
        }
        made
    }

    /// Binds the variable of a statement to arrays one after the other.
    fn concatenated(&mut self, parts: Parts<'_>, stm: &Stm, out: &mut Vec<Stm>) {
        let (var, span) = (stm.pat[0], stm.span);
        let ty = self.ty(var).clone();
        // Where each part but the last ends.
        let mut ends = Vec::with_capacity(parts.arrays.len());
        let mut end = Size::default();
        for part in &parts.arrays[..parts.arrays.len() - 1] {
            end = end.add(&self.ty(*part).shape[0]);
            ends.push(match end.as_constant() {
                Some(n) => Operand::int(n),
                None => {
                    let known = self.program.fresh(Symbol::new("end"), Type::scalar(PrimType::I64));
                    out.push(Stm { pat: vec![known], exp: Exp::Size(end.clone()), span });
                    Operand::Var(known)
                }
            });
        }
        self.elements(var, &ty, span, out, &mut |this, at, stms| this.chosen(parts, &ends, Place { at, elem: ty.elem, span }, stms));
    }

    /// An element of the part in which it is.
    fn chosen(&mut self, parts: Parts<'_>, ends: &[Operand], place: Place<'_>, stms: &mut Vec<Stm>) -> Operand {
        let (Some((end, later)), [first, rest @ ..]) = (ends.split_first(), parts.arrays) else {
            return self.moved(parts.arrays[0], parts, place, stms);
        };
        let Place { at, elem, span } = place;
        let before = self.program.fresh(Symbol::new("before"), Type::scalar(PrimType::Bool));
        stms.push(Stm { pat: vec![before], exp: Exp::Scalar(ScalarOp::new(Op::Lt, PrimType::I64), vec![at[0], *end]), span });
        let (mut then, mut els) = (Vec::new(), Vec::new());
        let here = self.moved(*first, parts, place, &mut then);
        let there = self.chosen(Parts { arrays: rest, start: *end, ..parts }, later, place, &mut els);
        let then = Body { stms: then, result: vec![here] };
        let els = Body { stms: els, result: vec![there] };
        self.element(Exp::If { cond: Operand::Var(before), then, els }, elem, span, stms)
    }
    /// An element of an array that begins where the parts do.
    fn moved(&mut self, array: Var, parts: Parts<'_>, place: Place<'_>, stms: &mut Vec<Stm>) -> Operand {
        let Place { at, elem, span } = place;
        let mut at = at.to_vec();
        if parts.start != Operand::int(0) {
            let row = self.program.fresh(Symbol::new("row"), Type::scalar(PrimType::I64));
            let minus = ScalarOp::new(Op::Sub, PrimType::I64);
            stms.push(Stm { pat: vec![row], exp: Exp::Scalar(minus, vec![at[0], parts.start]), span });
            at[0] = Operand::Var(row);
        }
        let Some(soac) = parts.made.get(&array) else {
            return self.element(Exp::Index { array, at, checked: false }, elem, span, stms);
        };
        let mut subst = Subst::default();
        for (input, param) in soac.inputs.iter().zip(&soac.lambda.params) {
            let elem = self.ty(*input).elem;
            let cell = self.element(Exp::Index { array: *input, at: at.clone(), checked: false }, elem, span, stms);
            subst.operands.insert(*param, cell);
        }
        let body = fresh_body(&mut self.program, &soac.lambda.body, &mut subst);
        stms.extend(body.stms);
        body.result[0]
    }
    /// A new variable for an element.
    fn element(&mut self, exp: Exp, elem: PrimType, span: Span, stms: &mut Vec<Stm>) -> Operand {
        let element = self.program.fresh(Symbol::new("x"), Type::scalar(elem));
        stms.push(Stm { pat: vec![element], exp, span });
        Operand::Var(element)
    }

    /// Binds `var` to the array of these elements, by a map for each dimension.
    fn elements(&mut self, var: Var, ty: &Type, span: Span, out: &mut Vec<Stm>, element: &mut Element<'_>) {
        self.dimension(var, ty, &mut Vec::with_capacity(ty.rank()), span, out, element);
    }
    /// The same for the cells at these indices of the outer dimensions.
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

/// Computes an element from its indices.
type Element<'a> = dyn FnMut(&mut Flatten, &[Operand], &mut Vec<Stm>) -> Operand + 'a;

/// The parts of a concatenation from the one that begins at a row, and the maps that make some of them.
#[derive(Clone, Copy)]
struct Parts<'a> {
    arrays: &'a [Var],
    start: Operand,
    made: &'a FxHashMap<Var, Soac>,
}

/// The indices of an element, and its type.
#[derive(Clone, Copy)]
struct Place<'a> {
    at: &'a [Operand],
    elem: PrimType,
    span: Span,
}

/// Whether an array is one that is there already, in another order or only some of it, or is computed from its indices.
fn is_picked(exp: &Exp) -> bool {
    match exp {
        view_exp!() | Exp::Index { .. } | Exp::Rotate { .. } | Exp::Rep(_) | Exp::Iota { .. } => true,
        parallel_exp!()
        | count_exp!()
        | Exp::Copy(_)
        | Exp::Scalar(..)
        | Exp::Size(_)
        | Exp::Literal(_)
        | Exp::Stack(_)
        | Exp::Concat(_)
        | Exp::Update { .. }
        | Exp::UpdateSlice { .. }
        | Exp::Check(_)
        | Exp::If { .. }
        | Exp::Loop { .. }
        | Exp::Call(..) => false,
    }
}
