//! Fusion: array operators over the same cells become one.
//!
//! * Vertical: where an operator maps over what another one has mapped, the cell is computed in its lambda. If the array is used elsewhere
//!   too, the new operator returns it. Producers of arrays that are read through a transposition or a column are found as well.
//! * Horizontal: independent operators over cells of the same arrays become one.
//! * Cheap producers (views and a few scalar operations) are computed again wherever that is needed: as inputs, or at an index.
//!
//! Law: every cell is computed from the same values as before, once, or again where that costs next to nothing. The earlier operator moves
//! down to the later one, and what needs it moves behind both; nothing moves over a statement that overwrites what it reads. Whatever may
//! fail still runs, and before what relies on it, so that the program fails if and only if it did.

mod cheap;
mod merge;
mod peel;
mod slices;

pub(super) use merge::feed;

use crate::base::Span;
use crate::base::mutation::mutated;
use crate::ir::profile::{Fusion, FusionKind};
use crate::ir::soac::visit::{Part, mentioned};
use crate::ir::soac::visit_mut::Subst;
use crate::ir::soac::{Body, Exp, Operand, Program, Size, Soac, Stm, Var, count_exp, made_exp, single_exp, view_exp};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// How many earlier operators are tried as partners for horizontal fusion.
const PARTNERS: usize = 12;

/// Fuses the operators of a program.
pub fn fuse(mut program: Program) -> Program {
    let given = program.given_sizes();
    let mut fuser =
        Fuser { program: &mut program, given, subst: Subst::default(), cheap: FxHashMap::default(), defs: FxHashMap::default() };
    for id in fuser.program.fun_ids() {
        let mut body = std::mem::take(&mut fuser.program.funs[id].body);
        fuser.body(&mut body);
        fuser.program.funs[id].body = body;
    }
    let subst = fuser.subst;
    subst.program(&mut program);
    program
}

struct Fuser<'p> {
    program: &'p mut Program,
    /// Sizes that are at least 0.
    given: FxHashSet<Var>,
    subst: Subst,
    /// Arrays in scope whose cells are cheap, with their operator, its place and the number of the result.
    cheap: FxHashMap<Var, (Rc<Soac>, Span, usize)>,
    /// Views in scope.
    defs: FxHashMap<Var, Exp>,
}

/// A statement with the variables that it reads, in order without repetitions.
struct Item {
    stm: Stm,
    reads: Vec<Var>,
}

impl Item {
    fn reads(&self, var: Var) -> bool {
        self.reads.binary_search(&var).is_ok()
    }
    fn reads_any(&self, vars: &FxHashSet<Var>) -> bool {
        self.reads.iter().any(|var| vars.contains(var))
    }
}

/// A body that is being worked on.
struct Block {
    items: Vec<Item>,
    /// How many statements read a variable; the result of the body counts as one.
    uses: FxHashMap<Var, usize>,
    result: Vec<Operand>,
}

impl Block {
    fn count(&mut self, k: usize, by: isize) {
        for var in &self.items[k].reads {
            let uses = self.uses.entry(*var).or_default();
            *uses = uses.saturating_add_signed(by);
        }
    }
    fn uses(&self, var: Var) -> usize {
        self.uses.get(&var).copied().unwrap_or(0)
    }
    /// The statement before `end` that binds a variable.
    fn position(&self, var: Var, end: usize) -> Option<usize> {
        self.items[..end].iter().rposition(|item| item.stm.pat.contains(&var))
    }
}

impl Fuser<'_> {
    fn body(&mut self, body: &mut Body) {
        let mut block = Block { items: Vec::new(), uses: FxHashMap::default(), result: std::mem::take(&mut body.result) };
        for stm in std::mem::take(&mut body.stms) {
            let item = self.item(stm);
            block.items.push(item);
            block.count(block.items.len() - 1, 1);
        }
        block.result.iter_mut().for_each(|a| *a = self.subst.operand(*a));
        for var in block.result.iter().filter_map(|a| a.var()) {
            *block.uses.entry(var).or_default() += 1;
        }
        self.vertical(&mut block);
        self.horizontal(&mut block);
        let mut added = Vec::new();
        for item in &mut block.items {
            self.register(&item.stm, &mut added);
            item.stm.exp.bodies_mut(&mut |body| self.body(body));
        }
        for var in added {
            self.cheap.remove(&var);
            self.defs.remove(&var);
        }
        body.stms = block.items.into_iter().map(|item| item.stm).collect();
        body.result = block.result;
    }

    fn item(&self, mut stm: Stm) -> Item {
        self.subst.stm(&mut stm);
        let mut reads = Vec::new();
        everything(self.program, &stm, &mut |var| reads.push(var));
        reads.sort_unstable();
        reads.dedup();
        Item { stm, reads }
    }

    /// Makes what a statement binds known to inner bodies.
    fn register(&mut self, stm: &Stm, added: &mut Vec<Var>) {
        if let Exp::Soac(soac) = &stm.exp
            && soac.combined() == 0
            && cheap::is_cheap(self.program, soac)
        {
            let soac = Rc::new(soac.clone());
            for (k, var) in stm.pat.iter().enumerate() {
                self.cheap.insert(*var, (soac.clone(), stm.span, k));
                added.push(*var);
            }
        }
        if let (Exp::Rearrange { .. } | Exp::Index { .. } | Exp::Slice { .. }, [var]) = (&stm.exp, stm.pat.as_slice()) {
            self.defs.insert(*var, stm.exp.clone());
            added.push(*var);
        }
    }

    /// Fuses producers into consumers until nothing changes.
    fn vertical(&mut self, block: &mut Block) {
        let mut added = Vec::new();
        let mut c = 0;
        while c < block.items.len() {
            let mut changed = true;
            while changed {
                changed = false;
                if let Some(to) = self.absorb(block, c).or_else(|| self.cells_of_slice(block, c)) {
                    c = to;
                    changed = true;
                } else if self.recompute(block, c) {
                    changed = true;
                }
            }
            self.register(&block.items[c].stm, &mut added);
            c += 1;
        }
        for var in added {
            self.cheap.remove(&var);
            self.defs.remove(&var);
        }
    }

    /// Fuses one producer of an input into the statement; says where the result is.
    fn absorb(&mut self, block: &mut Block, c: usize) -> Option<usize> {
        let inputs = inputs(&block.items[c].stm.exp)?.to_vec();
        for input in inputs {
            if let Some(p) = block.position(input, c)
                && let Exp::Soac(_) = block.items[p].stm.exp
                && self.may_join(block, p, c, true)
                && !self.stays_apart(&block.items[p].stm, &block.items[c].stm)
            {
                return Some(self.join(block, p, c));
            }
            if let Some(base) = self.peel_base(block, input, c)
                && let Some(p) = block.position(base, c)
                && let Exp::Soac(soac) = &block.items[p].stm.exp
                && width(&block.items[c].stm.exp) == Some(&soac.width)
                && block.items[p].stm.pat.iter().position(|var| *var == base).is_some_and(|k| k >= soac.combined())
            {
                self.peel(block, input, c);
                return Some(c);
            }
        }
        None
    }

    /// Fuses independent operators over the same arrays.
    fn horizontal(&mut self, block: &mut Block) {
        let mut c = 0;
        while c < block.items.len() {
            let mut partner = None;
            if let Exp::Soac(soac) = &block.items[c].stm.exp {
                let candidates = (0..c).rev().filter(|p| matches!(block.items[*p].stm.exp, Exp::Soac(_))).take(PARTNERS);
                for p in candidates {
                    if let Exp::Soac(other) = &block.items[p].stm.exp
                        && self.shares(soac, other)
                        && block.items[p].stm.pat.len() + block.items[c].stm.pat.len() <= 8
                        && self.may_join(block, p, c, false)
                    {
                        partner = Some(p);
                        break;
                    }
                }
            }
            match partner {
                Some(p) => c = self.join(block, p, c),
                None => c += 1,
            }
        }
    }
    /// Whether it pays to run two operators together: they read the same arrays.
    fn shares(&self, a: &Soac, b: &Soac) -> bool {
        if a.width != b.width {
            return false;
        }
        let roots: FxHashSet<Var> = a.inputs.iter().map(|var| self.root(*var)).collect();
        b.inputs.iter().any(|var| roots.contains(&self.root(*var)))
    }

    /// Whether a producer folds other arrays for each of its cells, which are scalars, and the consumer goes on with arrays in one branch: SIMD lanes
    /// can do the former for several cells at a time, but not both together.
    fn stays_apart(&self, producer: &Stm, consumer: &Stm) -> bool {
        let Exp::Soac(first) = &producer.exp else { return false };
        let folds = first.lambda.body.stms.iter().any(|stm| matches!(&stm.exp, Exp::Soac(_)));
        let scalars = producer.pat[first.combined()..].iter().all(|var| self.program.ty(*var).rank() == 1);
        folds && scalars && super::choice_fission::chooses_arrays(self.program, &consumer.exp)
    }

    /// The array that a view is of.
    fn root(&self, mut var: Var) -> Var {
        while let Some(Exp::Index { array, .. } | Exp::Slice { array, .. } | Exp::Rearrange { array, .. }) = self.defs.get(&var) {
            var = *array;
        }
        var
    }

    /// Whether the operator at `p` can be run together with the statement at `c`, at its place.
    fn may_join(&self, block: &Block, p: usize, c: usize, vertical: bool) -> bool {
        let (producer, consumer) = (&block.items[p], &block.items[c]);
        let Exp::Soac(first) = &producer.stm.exp else { return false };
        let Some(width) = width(&consumer.stm.exp) else { return false };
        // What is to be sequential stays by itself.
        let sequential = |span| self.program.is_sequential(span) || self.program.is_outer_sequential(span);
        if sequential(producer.stm.span) != sequential(consumer.stm.span) {
            return false;
        }
        if mutated!(FuseWidths, first.width != *width, false) {
            return false;
        }
        let mapped = &producer.stm.pat[first.combined()..];
        // The consumer reads nothing of the producer but cells of mapped arrays.
        if !vertical {
            if producer.stm.pat.iter().any(|var| consumer.reads(*var)) {
                return false;
            }
        } else if !only_inputs(self.program, &consumer.stm, &producer.stm.pat, mapped) {
            return false;
        }
        match &consumer.stm.exp {
            Exp::Soac(_) => {}
            // These return nothing of the producer.
            single_exp!()
            | Exp::Check(_)
            | Exp::Seg(_)
            | Exp::Filter { .. }
            | Exp::Rows { .. }
            | Exp::Scatter { .. }
            | Exp::Hist { .. }
            | Exp::If { .. }
            | Exp::Loop { .. }
            | Exp::Call(..) => {
                let elsewhere = producer.stm.pat.iter().any(|var| block.uses(*var) > usize::from(consumer.reads(*var)));
                if elsewhere || first.combined() > 0 {
                    return false;
                }
            }
        }
        // What needs the producer moves behind the consumer, which must not need it.
        let mut moved: FxHashSet<Var> = producer.stm.pat.iter().copied().collect();
        let mut behind: FxHashSet<Var> = FxHashSet::default();
        // Nothing that relies on a check comes before it.
        let mut fails = false;
        for item in &block.items[p + 1..c] {
            if item.reads_any(&moved) {
                moved.extend(&item.stm.pat);
                behind.extend(&item.stm.pat);
                fails = fails || mutated!(FuseOverChecks, item.stm.exp.may_fail(), false);
            } else if self.overwrites(item, &producer.reads) || (fails && self.program.relies(&item.stm, &self.given)) {
                return false;
            }
        }
        if fails && self.program.relies(&consumer.stm, &self.given) {
            return false;
        }
        if mutated!(FuseAcross, consumer.reads_any(&behind), false) {
            return false;
        }
        // A consumer that overwrites what the producer reads would overwrite it too early.
        mutated!(FuseOverWrites, !self.overwrites(consumer, &producer.reads), true)
    }

    /// Whether a statement may overwrite one of these arrays.
    fn overwrites(&self, item: &Item, arrays: &[Var]) -> bool {
        let mut written = Vec::new();
        overwritten(&item.stm.exp, &mut written);
        if written.is_empty() {
            return false;
        }
        let written: Vec<Var> = written.into_iter().map(|var| self.root(var)).collect();
        arrays.iter().any(|var| self.program.vars[*var].ty.rank() > 0 && written.contains(&self.root(*var)))
    }

    /// Merges the operator at `p` into the statement at `c`; says where the result is.
    fn join(&mut self, block: &mut Block, p: usize, c: usize) -> usize {
        block.count(p, -1);
        block.count(c, -1);
        let tail = block.items.split_off(c + 1);
        let mut between = block.items.split_off(p);
        let (Some(consumer), producer) = (between.pop(), between.remove(0)) else { return c };
        let mut moved: FxHashSet<Var> = producer.stm.pat.iter().copied().collect();
        let mut behind = Vec::new();
        for item in between {
            if item.reads_any(&moved) {
                moved.extend(&item.stm.pat);
                behind.push(item);
            } else {
                block.items.push(item);
            }
        }
        let way = match inputs(&consumer.stm.exp) {
            Some(inputs) if inputs.iter().any(|input| producer.stm.pat.contains(input)) => FusionKind::Cells,
            Some(_) | None => FusionKind::Together,
        };
        self.program.fused.push(Fusion { from: producer.stm.span, into: consumer.stm.span, way });
        let uses = &block.uses;
        let merged = merge::merge(producer.stm, consumer.stm, &mut self.subst, &mut |var| uses.get(&var).copied().unwrap_or(0) > 0);
        let item = self.item(merged);
        block.items.push(item);
        let at = block.items.len() - 1;
        block.count(at, 1);
        block.items.extend(behind);
        block.items.extend(tail);
        at
    }
}

/// The inputs of statements that map over cells.
fn inputs(exp: &Exp) -> Option<&[Var]> {
    match exp {
        Exp::Soac(Soac { inputs, .. })
        | Exp::Filter { inputs, .. }
        | Exp::Rows { inputs, .. }
        | Exp::Scatter { inputs, .. }
        | Exp::Hist { inputs, .. } => Some(inputs),
        single_exp!() | Exp::Check(_) | Exp::Seg(_) | Exp::If { .. } | Exp::Loop { .. } | Exp::Call(..) => None,
    }
}
fn width(exp: &Exp) -> Option<&Size> {
    match exp {
        Exp::Soac(Soac { width, .. })
        | Exp::Filter { width, .. }
        | Exp::Rows { width, .. }
        | Exp::Scatter { width, .. }
        | Exp::Hist { width, .. } => Some(width),
        single_exp!() | Exp::Check(_) | Exp::Seg(_) | Exp::If { .. } | Exp::Loop { .. } | Exp::Call(..) => None,
    }
}

/// Whether a statement reads of these variables only some, and those only as inputs that it maps over.
fn only_inputs(program: &Program, stm: &Stm, vars: &[Var], mapped: &[Var]) -> bool {
    let mut fine = true;
    let mut see = |var: Var| fine = fine && !vars.contains(&var);
    let inputs = inputs(&stm.exp).unwrap_or_default();
    let mut at = 0;
    stm.exp.parts(&mut |part| match part {
        Part::Operand(a) => a.var().into_iter().for_each(&mut see),
        Part::Array(var) => {
            // Inputs come before other arrays.
            let is_input = at < inputs.len();
            at += 1;
            if !(is_input && mapped.contains(&var)) {
                see(var);
            }
        }
        Part::Size(size) => size.vars().for_each(&mut see),
        Part::Body(params, body) => {
            params.iter().for_each(|var| program.vars[*var].ty.shape.iter().flat_map(Size::vars).for_each(&mut see));
            body.stms.iter().for_each(|stm| everything(program, stm, &mut see));
            body.result.iter().filter_map(|a| a.var()).for_each(&mut see);
        }
    });
    stm.pat.iter().for_each(|var| program.vars[*var].ty.shape.iter().flat_map(Size::vars).for_each(&mut see));
    fine
}

/// All variables that a statement mentions, sizes in the types of what it binds included.
pub(super) fn everything(program: &Program, stm: &Stm, see: &mut dyn FnMut(Var)) {
    fn types(program: &Program, stm: &Stm, see: &mut dyn FnMut(Var)) {
        let mut of = |var: &Var| program.vars[*var].ty.shape.iter().flat_map(Size::vars).for_each(&mut *see);
        stm.pat.iter().for_each(&mut of);
        if let Exp::Loop { params, .. } = &stm.exp {
            params.iter().for_each(|(var, _)| of(var));
        }
        stm.exp.parts(&mut |part| {
            if let Part::Body(params, body) = part {
                params.iter().for_each(|var| program.vars[*var].ty.shape.iter().flat_map(Size::vars).for_each(&mut *see));
                body.stms.iter().for_each(|stm| types(program, stm, see));
            }
        });
    }
    mentioned(stm, see);
    types(program, stm, see);
}

/// Arrays that an expression may overwrite.
fn overwritten(exp: &Exp, out: &mut Vec<Var>) {
    match exp {
        Exp::Update { array, .. } | Exp::UpdateSlice { array, .. } => out.push(*array),
        Exp::Scatter { dests, .. } | Exp::Hist { dests, .. } => out.extend(dests),
        Exp::Loop { params, .. } => out.extend(params.iter().filter_map(|(_, init)| init.var())),
        Exp::Copy(_)
        | Exp::Scalar(..)
        | Exp::Size(_)
        | Exp::Index { .. }
        | Exp::Check(_)
        | Exp::Soac(_)
        | Exp::Seg(_)
        | Exp::Filter { .. }
        | Exp::Rows { .. }
        | Exp::If { .. }
        | Exp::Call(..)
        | view_exp!()
        | made_exp!()
        | count_exp!() => {}
    }
    exp.parts(&mut |part| {
        if let Part::Body(_, body) = part {
            body.stms.iter().for_each(|stm| overwritten(&stm.exp, out));
        }
    });
}

#[cfg(test)]
mod tests;
