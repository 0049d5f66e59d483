//! Inputs that are views of the cells of another array: mapping over column `c` of a matrix is mapping over the matrix and taking
//! element `c` of each row.

use super::{Block, Fuser};
use crate::base::Symbol;
use crate::ir::soac::{Exp, Operand, Stm, Type, Var};

/// What is done with each cell of the array below: its dimensions are put in this order, then it is indexed.
struct CellView {
    perm: Vec<usize>,
    at: Vec<Operand>,
}

impl Fuser<'_> {
    /// The array whose cells an input is a view of.
    pub(super) fn peel_base(&self, block: &Block, input: Var, c: usize) -> Option<Var> {
        self.cell_view(block, input, c).map(|(base, _)| base)
    }
    fn view_of<'a>(&'a self, block: &'a Block, var: Var, end: usize) -> Option<&'a Exp> {
        match block.position(var, end) {
            Some(p) => Some(&block.items[p].stm.exp),
            None => self.defs.get(&var),
        }
    }
    fn cell_view(&self, block: &Block, input: Var, c: usize) -> Option<(Var, CellView)> {
        let Exp::Index { array, at, checked: false } = self.view_of(block, input, c)? else { return None };
        let Exp::Rearrange { array: base, perm } = self.view_of(block, *array, c)? else { return None };
        if perm.get(at.len()) != Some(&0) {
            return None;
        }
        let inner = perm.iter().filter(|dim| **dim != 0).map(|dim| dim - 1).collect();
        Some((*base, CellView { perm: inner, at: at.clone() }))
    }

    /// Lets the statement map over the array below.
    pub(super) fn peel(&mut self, block: &mut Block, input: Var, c: usize) {
        let Some((base, view)) = self.cell_view(block, input, c) else { return };
        block.count(c, -1);
        let mut stm =
            std::mem::replace(&mut block.items[c].stm, Stm { pat: Vec::new(), exp: Exp::Literal(Vec::new()), span: Default::default() });
        let span = stm.span;
        let cell_ty = self.program.vars[base].ty.cell(1);
        if let Exp::Soac(crate::ir::soac::Soac { inputs, lambda, .. })
        | Exp::Filter { inputs, lambda, .. }
        | Exp::Rows { inputs, lambda, .. }
        | Exp::Scatter { inputs, lambda, .. }
        | Exp::Hist { inputs, lambda, .. } = &mut stm.exp
            && let Some(k) = inputs.iter().position(|var| *var == input)
        {
            let param = lambda.params[k];
            let cell = self.program.fresh(Symbol::new("cell"), cell_ty.clone());
            inputs[k] = base;
            lambda.params[k] = cell;
            let mut new = Vec::new();
            let CellView { perm, at } = view;
            let identity = perm.iter().enumerate().all(|(k, dim)| k == *dim);
            let mut array = cell;
            if !identity {
                let shape = perm.iter().map(|dim| cell_ty.shape[*dim].clone()).collect();
                array = self.program.fresh(Symbol::new("view"), Type { elem: cell_ty.elem, shape });
                new.push(Stm { pat: vec![array], exp: Exp::Rearrange { array: cell, perm }, span });
            }
            new.push(Stm { pat: vec![param], exp: Exp::Index { array, at, checked: false }, span });
            new.append(&mut lambda.body.stms);
            lambda.body.stms = new;
        }
        block.items[c] = self.item(stm);
        block.count(c, 1);
    }
}
