//! Destination passing: arrays that end up as parts of others are computed there.
//!
//! * **A part of a concatenation** that nothing else mentions is made in its place there.
//! * **What is computed element by element** from an array that nothing else needs is written over it: the array is made where the
//!   result goes.
//! * **New cells for a range of an array**, computed cell by cell from the old ones (`a[s:e] = f a[s:e]`), are written over them.
//!
//! The third is allowed where no cell is read after it has been overwritten. That holds if the operator reads nothing of the array
//! but its own cell and what is not in the range, and is done with its own cell when it begins to write. Whether arrays are in the
//! same memory is seen from their roots: what views and updates in place lead to. The array is one that may be overwritten, so whatever may
//! share its memory and is not derived from it here is not read here (see `optimise::in_place`).

use super::{Array, Loc, Lower, Mem};
use crate::base::PrimType;
use crate::base::mutation::mutated;
use crate::base::scalar::Op;
use crate::ir::soac::cells::{reads_first, view_of};
use crate::ir::soac::visit::{Part, mentioned};
use crate::ir::soac::{Body, Check, Exp, Lambda, Operand, Program, SegKind, Size, Soac, Stm, Var, count_exp, made_exp, view_exp};
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;

/// Where a variable is made.
#[derive(Debug, Clone)]
pub(super) enum Destination {
    /// In a concatenation, from this cell on.
    Part { whole: Var, first: Size },
    /// Where another variable is made later.
    Same(Var),
    /// Over the cells of this view, from which it is computed.
    Over(Var),
}

/// Where variables are made.
#[derive(Default)]
pub(super) struct Destinations {
    /// Memory that is there already.
    pub(super) mems: FxHashMap<Var, Mem>,
    /// Memory that is found when the variable is made.
    pub(super) parts: FxHashMap<Var, Destination>,
    /// Those of `parts` that have been made there.
    pub(super) placed: FxHashSet<Var>,
}

/// What the destinations of a body's results hold when it begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Overlap {
    /// Nothing that it reads.
    None,
    /// What it still reads: nothing but the results themselves is made there.
    Inputs,
}

/// The definitions of variables: the statements that bind them, and the inputs whose cells parameters stand for.
#[derive(Default)]
pub(super) struct Defs<'p> {
    pub(super) stms: FxHashMap<Var, &'p Stm>,
    pub(super) inputs: FxHashMap<Var, Var>,
}

impl<'p> Defs<'p> {
    /// Adds a statement and those in it.
    pub(super) fn note(&mut self, stm: &'p Stm) {
        stm.pat.iter().for_each(|var| {
            self.stms.insert(*var, stm);
        });
        if let Exp::Soac(Soac { inputs, lambda, .. })
        | Exp::Filter { inputs, lambda, .. }
        | Exp::Rows { inputs, lambda, .. }
        | Exp::Scatter { inputs, lambda, .. }
        | Exp::Hist { inputs, lambda, .. } = &stm.exp
        {
            self.inputs.extend(lambda.params.iter().copied().zip(inputs.iter().copied()));
        }
        stm.exp.parts(&mut |part| {
            if let Part::Body(_, body) = part {
                body.stms.iter().for_each(|stm| self.note(stm));
            }
        });
    }

    /// The array that an array is a view or an updated version of, whatever part of it.
    fn root(&self, mut var: Var) -> Option<Var> {
        loop {
            if let Some(input) = self.inputs.get(&var) {
                var = *input;
                continue;
            }
            let Some(stm) = self.stms.get(&var) else { return Some(var) };
            var = match self.above(stm, var) {
                Above::Array(array) => array,
                Above::Fresh => return Some(var),
                Above::Unknown => return None,
            };
        }
    }
    /// What a statement takes the memory of a variable from.
    fn above(&self, stm: &Stm, var: Var) -> Above {
        if let Some(array) = view_of(&stm.exp) {
            return Above::Array(array);
        }
        match &stm.exp {
            Exp::Scatter { dests, .. } | Exp::Hist { dests, .. } => {
                stm.pat.iter().position(|v| *v == var).and_then(|k| dests.get(k)).map_or(Above::Unknown, |dest| Above::Array(*dest))
            }
            Exp::Soac(_) | Exp::Filter { .. } | Exp::Rows { .. } | Exp::Copy(_) | made_exp!() => Above::Fresh,
            Exp::Scalar(..)
            | Exp::Size(_)
            | Exp::Index { .. }
            | Exp::Update { .. }
            | Exp::UpdateSlice { .. }
            | Exp::Check(_)
            | Exp::Seg(_)
            | Exp::If { .. }
            | Exp::Loop { .. }
            | Exp::Call(..)
            | view_exp!()
            | count_exp!() => Above::Unknown,
        }
    }
    /// The array that an array is an updated version of, all of it.
    fn whole(&self, mut var: Var) -> Var {
        while let Some(stm) = self.stms.get(&var) {
            let (Exp::Update { array, .. } | Exp::UpdateSlice { array, .. }) = &stm.exp else { return var };
            var = *array;
        }
        var
    }
    /// The cells of `whole` that an array is made of, from the first to the end, if they lie in a row.
    fn range(&self, program: &Program, mut var: Var, whole: Var) -> Option<Range<Size>> {
        let mut found = None;
        loop {
            if self.whole(var) == whole {
                return found;
            }
            if let Some(input) = self.inputs.get(&var) {
                // A parameter stands for some cell.
                var = *input;
                continue;
            }
            let stm = self.stms.get(&var)?;
            if let Exp::Index { array, at, .. } = &stm.exp {
                let first = self.size(*at.first()?);
                found = Some(first.clone()..first.add(&Size::constant(1)));
                var = *array;
            } else if let Exp::Slice { array, start, step: Operand::Const(step), .. } = &stm.exp
                && step.as_i128() == Some(1)
            {
                let first = self.size(*start);
                let end = first.add(&program.ty(var).shape[0]);
                found = Some(first..end);
                var = *array;
            } else {
                return None;
            }
        }
    }
    /// An operand as a size.
    fn size(&self, operand: Operand) -> Size {
        match operand {
            constant @ Operand::Const(_) => constant.as_size(),
            Operand::Var(var) => match self.stms.get(&var).map(|stm| &stm.exp) {
                Some(Exp::Scalar(op, args)) if op.prim == PrimType::I64 => match (op.op, args.as_slice()) {
                    (Op::Add, [a, b]) => self.size(*a).add(&self.size(*b)),
                    (Op::Sub, [a, b]) => self.size(*a).sub(&self.size(*b)),
                    _ => Size::var(var),
                },
                Some(Exp::Size(size)) => size.clone(),
                Some(Exp::Copy(a)) => self.size(*a),
                _ => Size::var(var),
            },
        }
    }
}

/// Whether an operator can write its results anywhere: one that reads what it has written, as scans do, cannot.
fn is_made_anywhere(exp: &Exp) -> bool {
    if let Exp::Seg(seg) = exp {
        return matches!(seg.kind, SegKind::Map);
    }
    matches!(exp, Exp::Soac(soac) if soac.scans.is_empty())
}

/// An update of a slice.
#[derive(Clone, Copy)]
struct SliceUpdate {
    array: Var,
    start: Operand,
    step: Operand,
    value: Var,
}

enum Above {
    Array(Var),
    Fresh,
    Unknown,
}

impl<'p> Lower<'_, 'p> {
    /// Finds the destinations of what a body makes.
    pub(super) fn find_destinations(&mut self, body: &'p Body, overlap: Overlap) {
        for (i, stm) in body.stms.iter().enumerate() {
            let taken = overlap == Overlap::Inputs && stm.pat.iter().any(|var| self.destinations.mems.contains_key(var));
            if let (Exp::Soac(soac), false) = (&stm.exp, taken) {
                if let Some(input) = self.dies_in(body, i, soac) {
                    self.destinations.parts.insert(input, Destination::Same(stm.pat[0]));
                }
            } else if let (Exp::Concat(parts), false) = (&stm.exp, taken) {
                let mut at = Size::default();
                for part in parts {
                    if mutated!(PartNeededTwice, body.uses(*part) == 1, true)
                        && let Some(k) = body.stms[..i].iter().position(|stm| stm.pat.contains(part))
                        && is_made_anywhere(&body.stms[k].exp)
                        && self.sizes_known(&at, stm.pat[0], &body.stms[k..i])
                        && mutated!(PartsOfAnySize, self.parts_fit(parts, &body.stms, k), true)
                    {
                        self.destinations.parts.insert(*part, Destination::Part { whole: stm.pat[0], first: at.clone() });
                    }
                    at = at.add(&self.program.ty(*part).shape[0]);
                }
            } else if let Exp::UpdateSlice { array, start, step, value, .. } = &stm.exp
                && let Some(view) =
                    self.overwrites(&body.stms[..i], body, SliceUpdate { array: *array, start: *start, step: *step, value: *value })
            {
                self.destinations.parts.insert(*value, Destination::Over(view));
            }
        }
    }
    /// An input of a map of scalars that was made for it alone and has the type of its result.
    fn dies_in(&self, body: &'p Body, i: usize, soac: &Soac) -> Option<Var> {
        let ([result], true) = (body.stms[i].pat.as_slice(), soac.scans.is_empty() && soac.reduces.is_empty()) else { return None };
        let scalars = soac.lambda.params.iter().all(|param| self.program.ty(*param).rank() == 0);
        soac.inputs.iter().copied().find(|input| {
            let made = body.stms[..i].iter().position(|stm| stm.pat.contains(input));
            let by_map = made.is_some_and(|k| {
                matches!(&body.stms[k].exp, Exp::Soac(soac) if soac.scans.is_empty())
                    && self.sizes_known(&Size::default(), *result, &body.stms[k..i])
                    // Nothing else is made at the destination of the result meanwhile.
                    && !body.stms[k..i].iter().any(|stm| matches!(stm.exp, Exp::Loop { .. } | Exp::If { .. }))
            });
            scalars && by_map && self.program.ty(*input) == self.program.ty(*result) && mutated!(StillNeeded, body.uses(*input) == 1, true)
        })
    }
    /// Whether the sizes that the destination of an array depends on are bound before these statements.
    fn sizes_known(&self, at: &Size, whole: Var, stms: &[Stm]) -> bool {
        let bound: FxHashSet<Var> = stms.iter().flat_map(|stm| stm.pat.iter().copied()).collect();
        at.vars().chain(self.program.ty(whole).shape.iter().flat_map(Size::vars)).all(|var| !bound.contains(&var))
    }

    /// Whether the memory of a concatenation has room for the part that statement `k` makes before the other parts are made: none of those
    /// that are made later may turn out to have a negative number of rows, which would make the sum too small, and this part's place wrong.
    fn parts_fit(&self, parts: &[Var], stms: &[Stm], k: usize) -> bool {
        let rows = |var: Var| self.program.ty(var).shape.first();
        let there = arrays_there(self.program, stms, k);
        let known = |size: &Size| match size.as_constant() {
            Some(size) => size >= 0,
            None => {
                there.iter().any(|var| rows(*var) == Some(size))
                    || stms[..k].iter().any(|stm| matches!(&stm.exp, Exp::Check(Check::NonNegative(checked)) if checked == size))
            }
        };
        let later = |part: &Var| stms[k + 1..].iter().any(|stm| stm.pat.contains(part));
        parts.iter().filter(|part| later(part)).all(|part| rows(*part).is_some_and(known))
    }

    /// The memory of a variable, if it is a part of other memory.
    pub(super) fn part(&mut self, var: Var, span: crate::base::Span) -> Option<Mem> {
        match self.destinations.parts.get(&var)?.clone() {
            Destination::Same(other) if matches!(self.destinations.parts.get(&other), Some(Destination::Over(_))) => None,
            Destination::Same(other) => {
                let mem = self.alloc_var(other, span);
                self.destinations.mems.insert(other, mem.clone());
                Some(mem)
            }
            Destination::Over(view) => {
                if let Array::Mem(mem) = self.array(view) {
                    Some(mem)
                } else {
                    None
                }
            }
            Destination::Part { whole, first } => {
                let mem = self.alloc_var(whole, span);
                self.destinations.mems.insert(whole, mem.clone());
                let start = self.size(&first);
                let offset = self.at(&mem, std::slice::from_ref(&start));
                let offset = self.atom("offset", offset);
                Some(Mem { offset, ..mem })
            }
        }
    }
    /// Whether a variable has been computed at its destination.
    pub(super) fn is_placed(&self, var: Var) -> bool {
        self.destinations.placed.contains(&var)
    }

    /// The view that new cells may be written over.
    fn overwrites(&self, before: &'p [Stm], body: &Body, update: SliceUpdate) -> Option<Var> {
        let SliceUpdate { array, start, step, value } = update;
        let one = |step: Operand| matches!(step, Operand::Const(step) if step.as_i128() == Some(1));
        let program = self.program;
        let same = |a: Operand, b: Operand| self.defs.size(a) == self.defs.size(b);
        if !one(step) || body.uses(value) != 1 {
            return None;
        }
        let made = before.iter().position(|stm| stm.pat.as_slice() == [value])?;
        let Exp::Soac(soac) = &before[made].exp else { return None };
        // The cells are written earlier than the program says: no statement in between reads the array, or changes it.
        let root = self.defs.root(array)?;
        let mut elsewhere = true;
        before[made + 1..].iter().for_each(|stm| {
            mentioned(stm, &mut |var| {
                let apart = program.ty(var).rank() == 0 || self.defs.root(var).is_some_and(|other| other != root);
                elsewhere = elsewhere && apart;
            });
        });
        if !elsewhere {
            return None;
        }
        let k = soac.inputs.iter().position(|input| match self.defs.stms.get(input).map(|stm| &stm.exp) {
            Some(Exp::Slice { array: of, start: from, step, .. }) => {
                *of == array && one(*step) && same(*from, start) && program.ty(*input).shape == program.ty(value).shape
            }
            _ => false,
        })?;
        let view = soac.inputs[k];
        let plain = soac.scans.is_empty() && soac.reduces.is_empty() && soac.inputs.iter().filter(|input| **input == view).count() == 1;
        let first = self.defs.size(start);
        let range = first.clone()..first.add(&program.ty(value).shape[0]);
        let safe = plain
            && self.apart(&before[made], soac, k, array, &range)
            && mutated!(NeighboursFirst, reads_first(program, &soac.lambda, soac.lambda.params[k]), true);
        safe.then_some(view)
    }
    /// Whether an operator reads nothing of a range of an array but its cells of input `k`.
    fn apart(&self, stm: &Stm, soac: &Soac, k: usize, array: Var, range: &Range<Size>) -> bool {
        let program = self.program;
        let Some(root) = self.defs.root(array) else { return false };
        let mut inside: FxHashSet<Var> = FxHashSet::default();
        bound(&soac.lambda, &mut inside);
        let mut others: Vec<Var> = Vec::new();
        let mut views = 0;
        mentioned(stm, &mut |var| {
            if var == soac.inputs[k] {
                views += 1;
            } else if program.ty(var).rank() > 0 && !inside.contains(&var) {
                others.push(var);
            }
        });
        let before = |a: &Size, b: &Size| b.sub(a).as_constant().is_some_and(|n| n >= mutated!(BlocksOverlap, 0, -1));
        views == 1
            && others.iter().all(|other| match self.defs.root(*other) {
                Some(other_root) if mutated!(AnyRootIsApart, other_root != root, true) => true,
                Some(_) => match self.defs.range(program, *other, self.defs.whole(array)) {
                    Some(other) => before(&other.end, &range.start) || before(&range.end, &other.start),
                    None => false,
                },
                None => false,
            })
    }
}

/// The arrays that statements mention and that are bound before statement `k`.
fn arrays_there(program: &Program, stms: &[Stm], k: usize) -> FxHashSet<Var> {
    fn inside(stm: &Stm, out: &mut FxHashSet<Var>) {
        if let Exp::Loop { params, .. } = &stm.exp {
            out.extend(params.iter().map(|(param, _)| *param));
        }
        stm.exp.parts(&mut |part| {
            if let Part::Body(params, body) = part {
                out.extend(params);
                for stm in &body.stms {
                    out.extend(&stm.pat);
                    inside(stm, out);
                }
            }
        });
    }
    let mut later: FxHashSet<Var> = stms[k..].iter().flat_map(|stm| stm.pat.iter().copied()).collect();
    let mut there = FxHashSet::default();
    for stm in stms {
        inside(stm, &mut later);
        mentioned(stm, &mut |var| {
            there.insert(var);
        });
    }
    there.retain(|var| !later.contains(var) && program.ty(*var).rank() > 0);
    there
}

/// What a lambda binds.
fn bound(lambda: &Lambda, out: &mut FxHashSet<Var>) {
    fn of(body: &Body, out: &mut FxHashSet<Var>) {
        for stm in &body.stms {
            out.extend(&stm.pat);
            stm.exp.parts(&mut |part| {
                if let Part::Body(params, body) = part {
                    out.extend(params);
                    of(body, out);
                }
            });
            if let Exp::Loop { params, .. } = &stm.exp {
                out.extend(params.iter().map(|(param, _)| *param));
            }
        }
    }
    out.extend(&lambda.params);
    of(&lambda.body, out);
}

/// The memory of a parameter.
pub(super) fn cell_of(loc: Option<&Loc>) -> Option<Mem> {
    if let Some(Loc::Array(Array::Mem(mem))) = loc { Some(mem.clone()) } else { None }
}
