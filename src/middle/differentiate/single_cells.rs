//! The return sweep of maps of which a single cell has an adjoint: an element that is chosen as the minimum or the maximum, or that is read at an
//! index. Only the iteration that makes this cell is swept, once more forward and back.
//!
//! Law: an adjoint of 0 hands on 0, so the other iterations add nothing to any adjoint. (Schenck 2024, section 3.4.2 has the rule for minima and maxima;
//! the maps before them are swept as a whole there.)

use super::adjoints::Adjoint;
use super::build::Build;
use super::reverse::Reverse;
use crate::base::PrimType;
use crate::base::mutation::mutated;
use crate::base::scalar::Op;
use crate::ir::soac::visit_mut::{Subst, fresh_body};
use crate::ir::soac::{Body, Exp, Lambda, Operand, Size, Stm, Type, Var};

/// A cell of the results of a map.
pub(super) struct SingleCell {
    /// Its number.
    at: Operand,
    /// Whether that may be -1, for none.
    guarded: bool,
    /// The adjoints of the results there, as far as they have any.
    adjoints: Vec<Option<Operand>>,
}

impl Reverse<'_, '_> {
    /// The cell of the results of a map that has an adjoint, if there is just one: it is taken out.
    pub(super) fn single_cell(&mut self, pat: &[Var]) -> Option<SingleCell> {
        let mut place: Option<(Operand, bool, Vec<Size>)> = None;
        for var in pat {
            let Some(Adjoint { dense, sparse, parts }) = self.adjoints.get(*var) else { continue };
            let ([one], None, []) = (sparse.as_slice(), dense, parts.as_slice()) else { return None };
            let ([at], []) = (one.at.as_slice(), one.frame.as_slice()) else { return None };
            let here = (*at, one.guarded, one.within.clone());
            if *place.get_or_insert_with(|| here.clone()) != here {
                return None;
            }
        }
        place?;
        let (mut at, mut guarded) = (Operand::int(-1), true);
        let mut adjoints = Vec::with_capacity(pat.len());
        for var in pat {
            let sparse = self.adjoints.take(*var).and_then(|mut adjoint| adjoint.sparse.pop());
            let sparse = sparse.map(|sparse| self.build.settled(sparse));
            if let Some(sparse) = &sparse {
                (at, guarded) = (sparse.at[0], sparse.guarded);
            }
            adjoints.push(sparse.map(|sparse| sparse.value));
        }
        Some(SingleCell { at, guarded, adjoints })
    }

    /// The return sweep of the iteration of a map that makes a cell.
    pub(super) fn map_at(&mut self, pat: &[Var], (inputs, lambda): (&[Var], &Lambda), cell: &SingleCell) {
        let body = self.build.iteration(inputs, lambda, mutated!(FirstCellSwept, cell.at, Operand::int(0)));
        if self.wild.is_inner_product(pat) {
            self.wild.are_inner_products(&body);
        }
        if cell.guarded {
            let some = self.build.op(Op::Ge, PrimType::I64, &[cell.at, Operand::int(0)]);
            let types: Vec<Type> = body.result.iter().map(|a| self.build.ty(*a)).collect();
            let none = self.build.body(|build| types.iter().map(|ty| build.zeros(ty)).collect());
            return self.branch(some, [&body, &none], &cell.adjoints);
        }
        let types: Vec<Type> = body.result.iter().map(|a| self.build.ty(*a)).collect();
        self.body(body, |this| {
            let seeds = cell.adjoints.iter().zip(&types);
            seeds.map(|(seed, ty)| seed.map(|seed| this.build.as_type(seed, ty))).collect()
        });
    }
}

impl Build<'_> {
    /// What an iteration of a map does, with variables of its own.
    fn iteration(&mut self, inputs: &[Var], lambda: &Lambda, at: Operand) -> Body {
        let mut subst = Subst::default();
        let mut stms = Vec::with_capacity(inputs.len());
        for (input, param) in inputs.iter().zip(&lambda.params) {
            let cell = self.param(*input);
            subst.operands.insert(*param, Operand::Var(cell));
            let exp = Exp::Index { array: *input, at: vec![at], checked: false };
            stms.push(Stm { pat: vec![cell], exp, span: self.span });
        }
        let body = fresh_body(self.program, &lambda.body, &mut subst);
        stms.extend(body.stms);
        Body { stms, result: body.result }
    }
}
