//! A part of what a map makes is a map over that part of its inputs, if nothing else of it is needed.

use super::{Block, Fuser};
use crate::base::Symbol;
use crate::ir::soac::{Exp, Soac, Stm, Type};

impl Fuser<'_> {
    /// Turns a slice (or rotation) of what a map makes into a map over slices; says where the first of what replaces it is. There are as
    /// many slices as the map has inputs, which may be none, so the map itself may stand before or behind where the slice was.
    pub(super) fn cells_of_slice(&mut self, block: &mut Block, c: usize) -> Option<usize> {
        let item = &block.items[c].stm;
        let (&[var], Exp::Slice { array, checked: false, .. } | Exp::Rotate { array, .. }) = (item.pat.as_slice(), &item.exp) else {
            return None;
        };
        let array = *array;
        let p = block.position(array, c)?;
        let producer = &block.items[p];
        let Exp::Soac(soac) = &producer.stm.exp else { return None };
        let whole = soac.combined() == 0 && !soac.lambda.body.may_fail();
        let alone = producer.stm.pat.iter().all(|var| block.uses(*var) == usize::from(*var == array));
        if !whole || !alone || block.items[p + 1..c].iter().any(|item| self.overwrites(item, &producer.reads)) {
            return None;
        }
        let k = producer.stm.pat.iter().position(|other| *other == array)?;
        block.count(p, -1);
        block.count(c, -1);
        let stm = block.items.remove(c).stm;
        let Exp::Soac(soac) = block.items.remove(p).stm.exp else { return None };
        let first = c - 1;
        let mut at = first;
        let width = self.program.vars[var].ty.shape[0].clone();
        let mut inputs = Vec::with_capacity(soac.inputs.len());
        for input in soac.inputs {
            let info = &self.program.vars[input];
            let (name, ty): (Symbol, Type) = (info.name, info.ty.cell(1).framed(std::slice::from_ref(&width)));
            let part = self.program.fresh(name, ty);
            let exp = if let Exp::Slice { start, step, .. } = &stm.exp {
                Exp::Slice { array: input, start: *start, step: *step, checked: false }
            } else if let Exp::Rotate { by, .. } = &stm.exp {
                Exp::Rotate { array: input, by: *by }
            } else {
                crate::ice!(stm.span, "{:?} is no part of an array", stm.exp)
            };
            self.insert(block, at, Stm { pat: vec![part], exp, span: stm.span });
            inputs.push(part);
            at += 1;
        }
        let mut lambda = soac.lambda;
        lambda.body.result = vec![lambda.body.result[k]];
        let soac = Soac { width, inputs, lambda, scans: Vec::new(), reduces: Vec::new() };
        self.insert(block, at, Stm { pat: vec![var], exp: Exp::Soac(soac), span: stm.span });
        Some(first)
    }
    fn insert(&mut self, block: &mut Block, at: usize, stm: Stm) {
        let item = self.item(stm);
        block.items.insert(at, item);
        block.count(at, 1);
    }
}
