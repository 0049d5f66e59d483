//! Producers that are cheaper to run again than to read back.

use super::{Block, Fuser, Item, merge};
use crate::base::Span;
use crate::ir::profile::{Fusion, FusionKind};
use crate::ir::soac::visit_mut::{Subst, fresh_body, rebind_all};
use crate::ir::soac::{Body, Exp, Operand, Program, Soac, Stm, Var, single_exp, view_exp};

/// How many scalar operations are cheap.
const FEW: usize = 2;

/// Whether the lambda of a map consists of views and a few cheap operations that cannot fail.
pub(super) fn is_cheap(program: &Program, soac: &Soac) -> bool {
    let mut operations = 0;
    let fine = soac.lambda.body.stms.iter().all(|stm| {
        if stm.exp.may_fail() {
            return false;
        }
        if let Exp::Scalar(op, _) = &stm.exp {
            operations += 1;
            return op.cost().cheap;
        }
        if let Exp::Index { array, .. } = &stm.exp {
            // A cell that is read may be far away.
            return soac.lambda.params.contains(array) || program.vars[stm.pat[0]].ty.rank() > 0;
        }
        matches!(stm.exp, view_exp!())
    });
    fine && operations <= FEW
}

impl Fuser<'_> {
    /// Computes cells of a cheap array in the statement that reads them.
    pub(super) fn recompute(&mut self, block: &mut Block, c: usize) -> bool {
        match &block.items[c].stm.exp {
            Exp::Soac(Soac { inputs, .. })
            | Exp::Filter { inputs, .. }
            | Exp::Rows { inputs, .. }
            | Exp::Scatter { inputs, .. }
            | Exp::Hist { inputs, .. } => {
                let Some(input) = inputs.iter().copied().find(|var| self.may_recompute(block, *var, c)) else { return false };
                self.recompute_input(block, input, c);
                true
            }
            Exp::Index { array, at, checked: false } if !at.is_empty() && self.may_recompute(block, *array, c) => {
                let (array, at) = (*array, at.clone());
                self.recompute_index(block, array, &at, c)
            }
            single_exp!() | Exp::Check(_) | Exp::Seg(_) | Exp::If { .. } | Exp::Loop { .. } | Exp::Call(..) => false,
        }
    }

    /// Whether an array is cheap and nothing in between may have overwritten what it is made of.
    fn may_recompute(&self, block: &Block, var: Var, c: usize) -> bool {
        let Some((soac, ..)) = self.cheap.get(&var) else { return false };
        let mut read = soac.inputs.clone();
        for stm in &soac.lambda.body.stms {
            super::everything(self.program, stm, &mut |var| read.push(var));
        }
        let start = block.position(var, c).map_or(0, |p| p + 1);
        !block.items[start..=c].iter().any(|item| self.overwrites(item, &read))
    }

    fn again(&mut self, from: Span, into: Span) {
        self.program.fused.push(Fusion { from, into, way: FusionKind::Again });
    }
    fn recompute_input(&mut self, block: &mut Block, input: Var, c: usize) {
        let Some((soac, from, k)) = self.cheap.get(&input).cloned() else { return };
        self.again(from, block.items[c].stm.span);
        block.count(c, -1);
        let mut stm =
            std::mem::replace(&mut block.items[c].stm, Stm { pat: Vec::new(), exp: Exp::Literal(Vec::new()), span: Default::default() });
        let mut copy = (*soac).clone();
        let mut subst = Subst::default();
        rebind_all(self.program, copy.lambda.params.iter_mut(), &mut subst);
        copy.lambda.body = fresh_body(self.program, &soac.lambda.body, &mut subst);
        copy.lambda.body.result = vec![copy.lambda.body.result[k]];
        if let Exp::Soac(Soac { inputs, lambda, .. })
        | Exp::Filter { inputs, lambda, .. }
        | Exp::Rows { inputs, lambda, .. }
        | Exp::Scatter { inputs, lambda, .. }
        | Exp::Hist { inputs, lambda, .. } = &mut stm.exp
        {
            merge::feed(&[input], copy, inputs, lambda, &mut self.subst);
        }
        block.items[c] = self.item(stm);
        block.count(c, 1);
    }

    /// One cell of a cheap array.
    fn recompute_index(&mut self, block: &mut Block, array: Var, at: &[Operand], c: usize) -> bool {
        let Some((soac, from, k)) = self.cheap.get(&array).cloned() else { return false };
        self.again(from, block.items[c].stm.span);
        block.count(c, -1);
        let Item { stm, .. } = block.items.remove(c);
        let span = stm.span;
        let mut subst = Subst::default();
        let mut stms = Vec::new();
        for (param, input) in soac.lambda.params.iter().zip(&soac.inputs) {
            let mut cell = *param;
            rebind_all(self.program, std::iter::once(&mut cell), &mut subst);
            stms.push(Stm { pat: vec![cell], exp: Exp::Index { array: *input, at: vec![at[0]], checked: false }, span });
        }
        let Body { stms: body, result } = fresh_body(self.program, &soac.lambda.body, &mut subst);
        stms.extend(body);
        match (at.get(1..), result[k]) {
            (Some(rest), Operand::Var(row)) if !rest.is_empty() => {
                stms.push(Stm { pat: stm.pat, exp: Exp::Index { array: row, at: rest.to_vec(), checked: false }, span });
            }
            (_, cell) => stms.push(Stm { pat: stm.pat, exp: Exp::Copy(cell), span }),
        }
        for (i, stm) in stms.into_iter().enumerate() {
            let item = self.item(stm);
            block.items.insert(c + i, item);
            block.count(c + i, 1);
        }
        true
    }
}
