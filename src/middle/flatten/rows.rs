//! Rows that a thread would write cell after cell become maps, so that each cell has a thread.
//!
//! Law: an array is the map that picks its elements. Threads next to each other then write cells next to each other, and there are as many
//! as there are cells. Only what a map returns, and what is put together or updated in it, is written: views are read where they are.
//!
//! What nothing but such maps read is never made: its elements are computed where they are read (`cells`). That are parts made by maps,
//! and all arrays but the last of those that are updated one after the other.

use super::cells::Cells;
use super::context::{Context, parallel_body};
use super::{FEW, Flatten};
use crate::base::Span;
use crate::ir::soac::visit::{Part, mentioned};
use crate::ir::soac::{Body, Exp, Operand, Size, Soac, Stm, Var, count_exp, made_exp, parallel_exp, single_exp, view_exp};
use rustc_hash::{FxHashMap, FxHashSet};

/// What computes an element consists of at most as many expressions.
const MOST: usize = 100;

/// What becomes of the statements of a body.
struct Plan {
    /// Statements whose arrays are made by maps.
    made: Vec<bool>,
    /// Statements that bind arrays that are not made, or elements of them.
    left_out: Vec<bool>,
    /// Results that are copied by maps.
    copied: FxHashSet<Var>,
}

impl Flatten {
    /// The body of a map with maps for concatenations, for arrays that are updated, and for results that are parts of other arrays, whose
    /// sizes are the same for all threads.
    pub(super) fn rows_as_maps(&mut self, context: &Context, body: &Body) -> Body {
        let plan = self.plan(context, body);
        let inlined = body.stms.iter().zip(&plan.left_out).filter(|(_, left_out)| **left_out).map(|(stm, _)| (stm.pat[0], &stm.exp));
        let mut cells = Cells { inlined: inlined.collect(), ends: FxHashMap::default() };
        let mut stms = Vec::with_capacity(body.stms.len());
        for (k, stm) in body.stms.iter().enumerate() {
            let (var, span) = (stm.pat.first().copied(), stm.span);
            match var {
                Some(var) if plan.made[k] => {
                    self.ends(&mut cells, stm, &mut stms);
                    let ty = self.ty(var).clone();
                    self.elements(var, &ty, span, &mut stms, &mut |this, at, stms| this.defined(&cells, (var, &stm.exp), at, span, stms));
                }
                Some(var) if plan.left_out[k] => {
                    self.ends(&mut cells, stm, &mut stms);
                    if self.ty(var).rank() == 0 {
                        let element = self.defined(&cells, (var, &stm.exp), &[], span, &mut stms);
                        name(var, element, span, &mut stms);
                    }
                }
                _ => stms.push(stm.clone()),
            }
        }
        let mut result = Vec::with_capacity(body.result.len());
        for operand in &body.result {
            match operand.var().filter(|var| plan.copied.contains(var)) {
                Some(var) => {
                    let span = body.stms.iter().find(|stm| stm.pat.contains(&var)).map_or(Span::default(), |stm| stm.span);
                    let ty = self.ty(var).clone();
                    let copy = self.like(var, ty.clone());
                    self.elements(copy, &ty, span, &mut stms, &mut |this, at, stms| this.cell(&cells, var, at.to_vec(), span, stms));
                    result.push(Operand::Var(copy));
                }
                None => result.push(*operand),
            }
        }
        Body { stms, result }
    }

    /// From the last statement to the first: what is read as a whole is made, of everything else elements are computed where they are read.
    fn plan(&self, context: &Context, body: &Body) -> Plan {
        let bound: FxHashSet<Var> = body.stms.iter().flat_map(|stm| stm.pat.iter().copied()).collect();
        let Candidates { arrays, mut whole } = self.candidates(context, &bound, body);
        let count = body.stms.len();
        let mut plan = Plan { made: vec![false; count], left_out: vec![false; count], copied: FxHashSet::default() };
        let mut read: FxHashMap<Var, Reads> = FxHashMap::default();
        for var in body.result.iter().filter_map(|a| a.var()) {
            let stm = body.stms.iter().find(|stm| stm.pat.contains(&var));
            if self.is_wide(context, &bound, var) && stm.is_none_or(|stm| is_picked(&stm.exp)) {
                plan.copied.insert(var);
                read.entry(var).or_default().add(count, true);
            } else {
                whole.insert(var);
            }
        }
        for (k, stm) in body.stms.iter().enumerate().rev() {
            let var = arrays[k].then(|| stm.pat[0]);
            let reads = var.and_then(|var| read.get(&var).copied().filter(|_| !whole.contains(&var)));
            let still = |until: usize| (k + 1..until).all(|k| arrays[k] || writes_nothing(&body.stms[k].exp));
            // Elements that are read by themselves are computed where they stand.
            let element = var.is_some_and(|var| self.ty(var).rank() == 0);
            plan.left_out[k] = element
                || reads.is_some_and(|reads| {
                    let once = |soac: &Soac| reads.times == 1 && (reads.all || !soac.lambda.body.may_fail()) && body.uses(stm.pat[0]) == 1;
                    still(reads.until) && if let Exp::Soac(soac) = &stm.exp { once(soac) } else { true }
                });
            plan.made[k] = !plan.left_out[k] && var.is_some() && is_put_together(&stm.exp);
            if plan.made[k] || plan.left_out[k] {
                let until = reads.filter(|_| plan.left_out[k] && !element).map_or(k, |reads| reads.until);
                self.read_by(stm, &mut whole, &mut |array, all| read.entry(array).or_default().add(until, all && plan.made[k]));
            } else {
                self.program.mentioned(stm, &mut |var| {
                    whole.insert(var);
                });
            }
        }
        plan
    }

    /// Which statements bind an array, or an element of one, that need not be made.
    fn candidates(&self, context: &Context, bound: &FxHashSet<Var>, body: &Body) -> Candidates {
        let found = self.candidates_if(context, bound, body, true);
        let quiet = body.stms.iter().zip(&found.arrays).all(|(stm, candidate)| *candidate || writes_nothing(&stm.exp));
        if quiet { found } else { self.candidates_if(context, bound, body, false) }
    }
    /// `candidates`, if nothing but updates of arrays with maps for them writes to memory, or else without updates.
    fn candidates_if(&self, context: &Context, bound: &FxHashSet<Var>, body: &Body, updates: bool) -> Candidates {
        let mut found = Candidates { arrays: Vec::with_capacity(body.stms.len()), whole: FxHashSet::default() };
        // Of how many expressions an element consists where the array is not made.
        let mut sizes: FxHashMap<Var, usize> = FxHashMap::default();
        for stm in &body.stms {
            let size = |var: Var| sizes.get(&var).copied();
            let (own, parts) = match &stm.exp {
                Exp::Concat(parts) if self.is_wide(context, bound, stm.pat[0]) => (2, parts.iter().map(|part| size(*part)).collect()),
                Exp::Copy(Operand::Var(array)) if updates && self.is_wide(context, bound, stm.pat[0]) => (0, vec![size(*array)]),
                Exp::Update { array, value, checked: false, .. } if updates && size(*array).is_some() => {
                    (2, vec![size(*array), value.var().and_then(size)])
                }
                Exp::UpdateSlice { array, value, step, checked: false, .. } if updates && size(*array).is_some() && by_one(*step) => {
                    (4, vec![size(*array), size(*value)])
                }
                Exp::Index { array, checked: false, .. } | Exp::Slice { array, checked: false, .. } if size(*array).is_some() => {
                    (1, vec![size(*array)])
                }
                Exp::Rearrange { array, .. } | Exp::Coerce(array) if size(*array).is_some() => (0, vec![size(*array)]),
                Exp::Soac(soac) if self.maps_scalars(soac, &stm.pat) => {
                    (soac.lambda.body.stms.len(), soac.inputs.iter().map(|input| size(*input)).collect())
                }
                single_exp!() | parallel_exp!() | Exp::Check(_) | Exp::If { .. } | Exp::Loop { .. } | Exp::Call(..) => {
                    found.arrays.push(false);
                    continue;
                }
            };
            found.arrays.push(true);
            let size = parts.iter().map(|part| part.unwrap_or(1)).sum::<usize>() + own;
            if size > MOST {
                found.whole.insert(stm.pat[0]);
            }
            sizes.insert(stm.pat[0], if size > MOST { 1 } else { size });
        }
        found
    }

    /// Whether a soac is a map of elements of vectors without parallelism of its own.
    fn maps_scalars(&self, soac: &Soac, pat: &[Var]) -> bool {
        let vector = |var: &Var| self.ty(*var).rank() == 1;
        let map = soac.scans.is_empty() && soac.reduces.is_empty() && pat.len() == 1 && !parallel_body(&soac.lambda.body);
        map && pat.iter().chain(&soac.inputs).all(vector)
    }

    /// Whether an array has more than a few elements, as many for all threads.
    fn is_wide(&self, context: &Context, bound: &FxHashSet<Var>, var: Var) -> bool {
        let ty = self.ty(var);
        let known = |size: &Size| context.regular(size) && size.vars().all(|var| !bound.contains(&var));
        let count = Size::product(&ty.shape);
        ty.rank() > 0 && ty.shape.iter().all(known) && count.as_constant().is_none_or(|n| n > FEW)
    }

    /// The arrays of which the elements of a candidate are computed, with whether all of theirs are; the others that it mentions are read as
    /// a whole.
    fn read_by(&self, stm: &Stm, whole: &mut FxHashSet<Var>, read: &mut dyn FnMut(Var, bool)) {
        match &stm.exp {
            Exp::Concat(parts) => parts.iter().for_each(|part| read(*part, true)),
            Exp::Copy(Operand::Var(array))
            | Exp::Coerce(array)
            | Exp::Index { array, .. }
            | Exp::Slice { array, .. }
            | Exp::Rearrange { array, .. } => read(*array, false),
            Exp::Update { array, value, .. } => {
                read(*array, false);
                value.var().into_iter().for_each(|value| read(value, true));
            }
            Exp::UpdateSlice { array, value, .. } => {
                read(*array, false);
                read(*value, true);
            }
            Exp::Soac(soac) => {
                soac.inputs.iter().for_each(|input| read(*input, false));
                let body = &soac.lambda.body;
                whole.extend(body.result.iter().filter_map(|a| a.var()));
                body.stms.iter().for_each(|stm| {
                    mentioned(stm, &mut |var| {
                        whole.insert(var);
                    })
                });
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
            | Exp::Call(..) => crate::ice!(stm.span, "no element of this is computed: {:?}", stm.exp),
        }
    }
}

/// What of a body need not be made.
struct Candidates {
    /// For each statement whether it binds such an array, or an element of one.
    arrays: Vec<bool>,
    /// Those that are made all the same, since what computes an element is long.
    whole: FxHashSet<Var>,
}

/// Where elements of an array are read that is not read as a whole.
#[derive(Debug, Clone, Copy, Default)]
struct Reads {
    /// Before which statement the last time.
    until: usize,
    /// By how many.
    times: usize,
    /// Whether each of them reads all elements.
    all: bool,
}

impl Reads {
    fn add(&mut self, until: usize, all: bool) {
        self.all = all && (self.all || self.times == 0);
        self.until = self.until.max(until);
        self.times += 1;
    }
}

/// Binds a variable to what was computed last.
fn name(var: Var, element: Operand, span: Span, stms: &mut Vec<Stm>) {
    match stms.last_mut() {
        Some(last) if last.pat.len() == 1 && element.var() == last.pat.first().copied() => last.pat = vec![var],
        _ => stms.push(Stm { pat: vec![var], exp: Exp::Copy(element), span }),
    }
}

/// Whether a slice takes all cells from one to another.
fn by_one(step: Operand) -> bool {
    step == Operand::int(1) || step == Operand::int(-1)
}

/// Whether an array is made of others.
fn is_put_together(exp: &Exp) -> bool {
    matches!(exp, Exp::Concat(_) | Exp::Update { .. } | Exp::UpdateSlice { .. })
}

/// Whether no array that was there before is written to.
fn writes_nothing(exp: &Exp) -> bool {
    match exp {
        Exp::Update { .. } | Exp::UpdateSlice { .. } | Exp::Scatter { .. } | Exp::Hist { .. } | Exp::Call(..) => false,
        Exp::If { .. } | Exp::Loop { .. } => {
            let mut nothing = true;
            exp.parts(&mut |part| {
                if let Part::Body(_, body) = part {
                    nothing = nothing && body.stms.iter().all(|stm| writes_nothing(&stm.exp));
                }
            });
            nothing
        }
        view_exp!()
        | made_exp!()
        | count_exp!()
        | Exp::Copy(_)
        | Exp::Scalar(..)
        | Exp::Size(_)
        | Exp::Index { .. }
        | Exp::Check(_)
        | Exp::Soac(_)
        | Exp::Seg(_)
        | Exp::Filter { .. }
        | Exp::Rows { .. } => true,
    }
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
