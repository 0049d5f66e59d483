//! What an iteration changes in an array, so that it can be undone.
//!
//! Law: an array that an iteration changes by updates only is what it was before when what was overwritten is written back, in the reverse order. So a
//! loop keeps as many cells as it writes, not all of the array for each iteration.

use super::build::Build;
use crate::base::PrimType;
use crate::base::mutation::mutated;
use crate::base::scalar::Op;
use crate::ir::soac::visit::bound_by;
use crate::ir::soac::{Body, Exp, LoopForm, Operand, Program, Size, Stm, Type, Var, parallel_exp, single_exp};
use rustc_hash::FxHashSet;

/// A change of an array. What is kept for it are its leaves, in order.
#[derive(Debug, Clone)]
pub(super) enum Change {
    /// A cell: the indices that are no constants, and what stood there.
    Cell(Vec<Index>),
    /// Cells that are so far apart: where they start and their distance, if they are no constants, and what stood there.
    Slice([Index; 2], Type),
    /// Changes in each of so many iterations: arrays of what is kept for them.
    Loop(Operand, Vec<Change>),
}

/// An index of a change.
#[derive(Debug, Clone, Copy)]
pub(super) enum Index {
    /// It is known.
    Known(Operand),
    /// It is kept.
    Kept,
}

/// The changes that make a variable of a body from another one, in order; none if there are other changes. `inside` is what iterations bind.
fn changes(program: &Program, body: &Body, from: Var, to: Operand, inside: &FxHashSet<Var>) -> Option<Vec<Change>> {
    let mut out = Vec::new();
    let mut current = to.var()?;
    while current != from {
        let at = body.stms.iter().position(|stm| stm.pat.contains(&current))?;
        let index = |operand: &Operand| match operand {
            Operand::Const(_) => Index::Known(*operand),
            Operand::Var(var) if !inside.contains(var) => Index::Known(*operand),
            Operand::Var(_) => Index::Kept,
        };
        let fixed = |size: &Size| !size.vars().any(|var| inside.contains(&var));
        match &body.stms[at].exp {
            Exp::Update { array, at: indices, .. } if !indices.is_empty() => {
                out.push(Change::Cell(indices.iter().map(index).collect()));
                current = *array;
            }
            // Slices with other steps are not checked, so what they replace cannot be read before.
            Exp::UpdateSlice { step, checked: true, .. } if *step != Operand::int(1) => return None,
            Exp::UpdateSlice { array, start, step, value, .. } if fixed(&program.ty(*value).shape[0]) => {
                out.push(Change::Slice([index(start), index(step)], program.ty(*value).clone()));
                current = *array;
            }
            Exp::Loop { params, form: LoopForm::For(_, count), body: inner } => {
                if count.var().is_some_and(|var| inside.contains(&var)) {
                    return None;
                }
                let k = body.stms[at].pat.iter().position(|var| *var == current)?;
                let (param, init) = params[k];
                out.push(Change::Loop(*count, changes(program, inner, param, inner.result[k], inside)?));
                current = init.var()?;
            }
            parallel_exp!() | Exp::If { .. } | Exp::Loop { .. } | Exp::Check(_) | Exp::Call(..) | single_exp!() => return None,
        }
    }
    out.reverse();
    (!out.is_empty()).then_some(out)
}

/// For each variable of a loop that is an array its changes, if it has no others.
pub(super) fn changes_of(program: &Program, params: &[(Var, Operand)], form: &LoopForm, body: &Body) -> Vec<Option<Vec<Change>>> {
    let mut inside: FxHashSet<Var> = params.iter().map(|(var, _)| *var).collect();
    if let LoopForm::For(counter, _) = form {
        inside.insert(*counter);
    }
    bound_by(&body.stms, &mut inside);
    let of = |((var, _), to): (&(Var, Operand), &Operand)| {
        let array = program.ty(*var).rank() > 0;
        array.then(|| changes(program, body, *var, *to, &inside)).flatten()
    };
    params.iter().zip(&body.result).map(of).collect()
}

impl Build<'_> {
    /// A body with what is kept of the changes that end with `to` as further results. Loops inside keep theirs too.
    pub fn keeping(&mut self, body: Body, to: Operand, changes: &[Change]) -> Body {
        let Body { stms, mut result } = body;
        // From the last change to the first: the way back is the one that was found. With the place which variable of a loop it is.
        let mut places: Vec<(usize, usize)> = Vec::new();
        let mut current = to;
        for _ in changes {
            let at = current.var().and_then(|var| stms.iter().position(|stm| stm.pat.contains(&var)));
            let Some(at) = at else { crate::ice!(self.span, "a change is lost") };
            let Some(k) = stms[at].pat.iter().position(|var| current.var() == Some(*var)) else {
                crate::ice!(self.span, "a changed variable is lost")
            };
            places.push((at, k));
            current = if let Exp::Update { array, .. } | Exp::UpdateSlice { array, .. } = &stms[at].exp {
                Operand::Var(*array)
            } else if let Exp::Loop { params, .. } = &stms[at].exp {
                params[k].1
            } else {
                crate::ice!(self.span, "another change was found")
            };
        }
        places.reverse();
        let outer = std::mem::take(&mut self.stms);
        for (at, mut stm) in stms.into_iter().enumerate() {
            if let Some(which) = places.iter().position(|(place, _)| *place == at) {
                let leaves = self.kept_of(&mut stm, places[which].1, &changes[which]);
                result.extend(leaves);
            }
            self.stms.push(stm);
        }
        Body { stms: std::mem::replace(&mut self.stms, outer), result }
    }
    /// What is kept of a statement's change: before it, or as further results of it.
    fn kept_of(&mut self, stm: &mut Stm, k: usize, change: &Change) -> Vec<Operand> {
        let indices = |operands: &[Operand], indices: &[Index]| -> Vec<Operand> {
            operands.iter().zip(indices).filter(|(_, index)| matches!(index, Index::Kept)).map(|(operand, _)| *operand).collect()
        };
        match (&mut stm.exp, change) {
            // What is read before a statement is in bounds only if the statement is.
            (Exp::Update { array, at, checked, .. }, Change::Cell(of)) => {
                let mut out = indices(at, of);
                let ty = self.program.ty(*array).cell(at.len());
                let old = Exp::Index { array: *array, at: at.clone(), checked: *checked };
                out.push(Operand::Var(self.bind("old", ty, old)));
                out
            }
            (Exp::UpdateSlice { array, start, step, checked, .. }, Change::Slice(of, part)) => {
                let mut out = indices(&[*start, *step], of);
                let old = Exp::Slice { array: *array, start: *start, step: *step, checked: *checked };
                out.push(Operand::Var(self.bind("old", part.clone(), old)));
                out
            }
            (Exp::Loop { params, form: LoopForm::For(counter, count), body }, Change::Loop(_, changes)) => {
                let to = body.result[k];
                *body = self.keeping(std::mem::take(body), to, changes);
                let own = params.len();
                let leaves = body.result.split_off(own);
                let size = self.op(Op::Max, PrimType::I64, &[*count, Operand::int(0)]);
                let mut out = Vec::new();
                for leaf in leaves {
                    let ty = self.ty(leaf).framed(&[size.as_size()]);
                    let zeros = self.zeros(&ty);
                    let (log, result) = (self.fresh("old_log".into(), ty.clone()), self.fresh("old_log".into(), ty.clone()));
                    let updated = self.fresh("log".into(), ty);
                    let update = Exp::Update { array: log, at: vec![Operand::Var(*counter)], value: leaf, checked: false };
                    body.stms.push(Stm { pat: vec![updated], exp: update, span: stm.span });
                    body.result.push(Operand::Var(updated));
                    params.push((log, zeros));
                    stm.pat.push(result);
                    out.push(Operand::Var(result));
                }
                out
            }
            _ => crate::ice!(self.span, "another change was found"),
        }
    }
    /// An array before these changes of it, of which this was kept.
    pub fn undone(&mut self, array: Operand, changes: &[Change], kept: &[Operand]) -> Operand {
        let mut ends = Vec::new();
        let mut at = 0;
        for change in changes {
            let from = at;
            at += leaves(change);
            ends.push((change, from..at));
        }
        let mut current = array;
        mutated!(UndoneInOrder, (), ends.reverse());
        for (change, range) in ends.into_iter().rev() {
            current = self.undo(current, change, &kept[range]);
        }
        current
    }
    fn undo(&mut self, current: Operand, change: &Change, kept: &[Operand]) -> Operand {
        let array = self.array(current);
        let ty = self.program.ty(array).clone();
        let mut rest = kept.iter().copied();
        let mut index = |index: &Index| match index {
            Index::Known(operand) => Some(*operand),
            Index::Kept => rest.next(),
        };
        match change {
            Change::Cell(indices) => {
                let at: Vec<Operand> = indices.iter().filter_map(&mut index).collect();
                let Some(value) = rest.next() else { crate::ice!(self.span, "what was overwritten is lost") };
                Operand::Var(self.bind("before", ty, Exp::Update { array, at, value, checked: false }))
            }
            Change::Slice([start, step], _) => {
                let (Some(start), Some(step)) = (index(start), index(step)) else { crate::ice!(self.span, "an index is lost") };
                let Some(Operand::Var(value)) = rest.next() else { crate::ice!(self.span, "what was overwritten is lost") };
                Operand::Var(self.bind("before", ty, Exp::UpdateSlice { array, start, step, value, checked: false }))
            }
            Change::Loop(count, changes) => {
                let size = self.op(Op::Max, PrimType::I64, &[*count, Operand::int(0)]);
                let (param, result) = (self.fresh("before".into(), ty.clone()), self.fresh("before".into(), ty));
                let counter = self.fresh("i".into(), Type::scalar(PrimType::I64));
                let body = self.body(|build| {
                    let last = build.op(Op::Sub, PrimType::I64, &[size, Operand::int(1)]);
                    let number = mutated!(
                        LoopUndoneInOrder,
                        build.op(Op::Sub, PrimType::I64, &[last, Operand::Var(counter)]),
                        Operand::Var(counter)
                    );
                    let kept: Vec<Operand> = kept
                        .iter()
                        .map(|log| {
                            let log = build.array(*log);
                            build.cell(log, &[number])
                        })
                        .collect();
                    vec![build.undone(Operand::Var(param), changes, &kept)]
                });
                self.push(vec![result], Exp::Loop { params: vec![(param, current)], form: LoopForm::For(counter, size), body });
                Operand::Var(result)
            }
        }
    }
}

/// How many values are kept for a change.
pub(super) fn leaves(change: &Change) -> usize {
    let kept = |indices: &[Index]| indices.iter().filter(|index| matches!(index, Index::Kept)).count();
    match change {
        Change::Cell(indices) => kept(indices) + 1,
        Change::Slice(indices, _) => kept(indices) + 1,
        Change::Loop(_, changes) => changes.iter().map(leaves).sum(),
    }
}
