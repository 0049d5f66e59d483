//! A map over statements is a map over each of them.
//!
//! Statements that are cheap are repeated by every kernel that needs them; inner soacs and loops with soacs in them become kernels over the
//! whole space; what is between them becomes kernels of its own, whose results are kept in arrays.

use super::Flatten;
use super::context::{Context, cheap, parallel};
use super::nest::Kernel;
use crate::base::Span;
use crate::base::mutation::mutated;
use crate::ir::soac::{Body, Exp, LoopForm, Operand, SegKind, Stm, Var, single_exp};
use rustc_hash::{FxHashMap, FxHashSet};

/// A body that is being distributed.
struct Distribution {
    context: Context,
    /// Statements that have no kernel yet, in order.
    waiting: Vec<Stm>,
    /// What the waiting statements bind.
    bound: FxHashSet<Var>,
    /// Cells that are in arrays of the whole space.
    arrays: FxHashMap<Var, Var>,
    /// Where results are wanted.
    wanted: FxHashMap<Var, Var>,
}

/// What of a body comes from a statement on.
#[derive(Clone, Copy)]
struct Rest<'a> {
    stms: &'a [Stm],
    result: &'a [Operand],
}

impl Flatten {
    /// Distributes the body of a map. `pat` are arrays of the whole space for its results. Returns whether that is possible and there is
    /// anything to be distributed.
    pub(super) fn distribute(&mut self, context: &Context, body: &Body, pat: &[Var], span: Span, out: &mut Vec<Stm>) -> bool {
        let mut wanted = FxHashMap::default();
        for (result, var) in body.result.iter().zip(pat) {
            if let Operand::Var(result) = result
                && body.stms.iter().any(|stm| stm.pat.contains(result))
            {
                wanted.entry(*result).or_insert(*var);
            }
        }
        let mut work = Distribution {
            context: context.clone(),
            waiting: Vec::new(),
            bound: FxHashSet::default(),
            arrays: FxHashMap::default(),
            wanted,
        };
        let mut distributed = false;
        for (k, stm) in body.stms.iter().enumerate() {
            let rest = Rest { stms: &body.stms[k..], result: &body.result };
            if parallel(&stm.exp) && self.regular(&work, stm, rest) {
                let mut kernels = Vec::new();
                let saved = (work.context.clone(), work.waiting.clone(), work.bound.clone(), work.arrays.clone());
                self.settle(&mut work, rest, span, &mut kernels);
                if self.inner(&mut work, stm, &mut kernels) {
                    out.extend(kernels);
                    distributed = true;
                    continue;
                }
                (work.context, work.waiting, work.bound, work.arrays) = saved;
            }
            let mut waits = !cheap(&stm.exp);
            self.program.mentioned(stm, &mut |var| waits = waits || work.bound.contains(&var));
            // What is known comes before what waits.
            let after_checks = || mutated!(KnownBeforeChecks, work.waiting.iter().any(|stm| stm.exp.may_fail()), false);
            if waits || (after_checks() && self.program.relies(stm, &self.given)) {
                work.bound.extend(&stm.pat);
                work.waiting.push(stm.clone());
            } else {
                work.context.know(stm.clone());
            }
        }
        distributed && self.results(work, body, pat, span, out)
    }

    /// Whether the sizes of what a statement binds are the same for all threads, when what waits has a kernel.
    fn regular(&self, work: &Distribution, stm: &Stm, rest: Rest) -> bool {
        let mut types = stm.pat.iter().map(|var| self.ty(*var));
        let known = |var: &Var| !work.bound.contains(var) && !stm.pat.contains(var);
        types.all(|ty| work.context.regular_type(ty) && ty.shape.iter().flat_map(|size| size.vars()).all(|var| known(&var)))
            && self.kept(work, rest).iter().all(|var| {
                let ty = self.ty(*var);
                work.context.regular_type(ty) && ty.shape.iter().flat_map(|size| size.vars()).all(|var| !work.bound.contains(&var))
            })
    }

    /// What of the waiting statements the rest, or a cheap one of them, needs to find in arrays.
    fn kept(&self, work: &Distribution, rest: Rest) -> Vec<Var> {
        let mut used: FxHashSet<Var> = rest.result.iter().filter_map(|a| a.var()).collect();
        let use_of = |stm: &Stm, used: &mut FxHashSet<Var>| {
            self.program.mentioned(stm, &mut |var| {
                used.insert(var);
            });
        };
        rest.stms.iter().for_each(|stm| use_of(stm, &mut used));
        for stm in work.waiting.iter().rev() {
            if cheap(&stm.exp) && stm.pat.iter().any(|var| used.contains(var)) {
                use_of(stm, &mut used);
            }
        }
        let heavy = work.waiting.iter().filter(|stm| !cheap(&stm.exp));
        heavy.flat_map(|stm| &stm.pat).filter(|var| used.contains(var)).copied().collect()
    }

    /// Gives the waiting statements a kernel.
    fn settle(&mut self, work: &mut Distribution, rest: Rest, span: Span, out: &mut Vec<Stm>) {
        if work.waiting.is_empty() {
            return;
        }
        let kept = self.kept(work, rest);
        let stms = std::mem::take(&mut work.waiting);
        work.bound.clear();
        if stms.iter().any(|stm| !cheap(&stm.exp)) {
            let arrays: Vec<Var> = kept.iter().map(|var| self.whole(work, *var)).collect();
            let result = kept.iter().map(|var| Operand::Var(*var)).collect();
            let kernel = Kernel { stms: stms.clone(), result, kind: SegKind::Map };
            self.kernel(&work.context, kernel, arrays.clone(), span, out);
            for (var, array) in kept.iter().zip(arrays) {
                work.arrays.insert(*var, array);
                work.context.know_cell(*var, array, span);
            }
        }
        stms.into_iter().filter(|stm| cheap(&stm.exp)).for_each(|stm| work.context.know(stm));
    }
    /// An array of the whole space for a variable: the one that is wanted, or new.
    fn whole(&mut self, work: &mut Distribution, var: Var) -> Var {
        match work.wanted.remove(&var) {
            Some(array) => array,
            None => self.like(var, self.ty(var).framed(&work.context.sizes)),
        }
    }

    /// A statement with parallelism. Nothing waits.
    fn inner(&mut self, work: &mut Distribution, stm: &Stm, out: &mut Vec<Stm>) -> bool {
        let wanted = work.wanted.clone();
        let arrays: Vec<Var> = stm.pat.iter().map(|var| self.whole(work, *var)).collect();
        let done = match &stm.exp {
            Exp::Soac(soac) => self.nest(&work.context, soac, &arrays, stm.span, out),
            Exp::Loop { form: LoopForm::For(..), .. } => self.turned(&work.context, stm, &arrays, out),
            single_exp!()
            | Exp::Check(_)
            | Exp::Seg(_)
            | Exp::Filter { .. }
            | Exp::Rows { .. }
            | Exp::Scatter { .. }
            | Exp::Hist { .. }
            | Exp::If { .. }
            | Exp::Loop { .. }
            | Exp::Call(..) => false,
        };
        if !done {
            work.wanted = wanted;
            return false;
        }
        for (var, array) in stm.pat.iter().zip(arrays) {
            work.arrays.insert(*var, array);
            work.context.know_cell(*var, array, stm.span);
        }
        true
    }

    /// A loop whose count is the same for all threads, with its body distributed: the loop of the maps.
    fn turned(&mut self, context: &Context, stm: &Stm, pat: &[Var], out: &mut Vec<Stm>) -> bool {
        let span = stm.span;
        let Exp::Loop { params, form: LoopForm::For(i, n), body } = &stm.exp else { return false };
        let (i, n) = (*i, *n);
        let vars: Vec<Var> = params.iter().map(|(var, _)| *var).collect();
        let regular = vars.iter().all(|var| {
            let ty = self.ty(*var);
            context.regular_type(ty) && ty.shape.iter().all(|size| size.vars().all(|v| !vars.contains(&v)))
        });
        if !regular || mutated!(LoopCountVaries, n.var().is_some_and(|var| !context.invariant(var)), false) {
            return false;
        }
        let mut inner = context.clone();
        let mut carried = Vec::with_capacity(params.len());
        for (var, init) in params {
            let array = self.like(*var, self.ty(*var).framed(&context.sizes));
            let first = self.like(*var, self.ty(*var).framed(&context.sizes));
            match init {
                Operand::Var(init) if !context.invariant(*init) => {
                    let kernel = Kernel { stms: Vec::new(), result: vec![Operand::Var(*init)], kind: SegKind::Map };
                    self.kernel(context, kernel, vec![first], span, out);
                }
                same @ (Operand::Const(_) | Operand::Var(_)) => out.push(Stm { pat: vec![first], exp: Exp::Rep(*same), span }),
            }
            inner.know_cell(*var, array, span);
            carried.push((array, Operand::Var(first)));
        }
        let results: Vec<Var> = params.iter().map(|(var, _)| self.like(*var, self.ty(*var).framed(&context.sizes))).collect();
        let mut stms = Vec::new();
        if !self.distribute(&inner, body, &results, span, &mut stms) {
            return false;
        }
        let body = Body { stms, result: results.into_iter().map(Operand::Var).collect() };
        out.push(Stm { pat: pat.to_vec(), exp: Exp::Loop { params: carried, form: LoopForm::For(i, n), body }, span });
        true
    }

    /// The results: arrays that are there, and a kernel for the others.
    fn results(&mut self, work: Distribution, body: &Body, pat: &[Var], span: Span, out: &mut Vec<Stm>) -> bool {
        let Distribution { context, waiting, arrays, .. } = work;
        let (mut result, mut rest) = (Vec::new(), Vec::new());
        for (a, var) in body.result.iter().zip(pat) {
            match a.var().and_then(|a| arrays.get(&a)) {
                Some(array) if array == var => {}
                Some(array) => out.push(Stm { pat: vec![*var], exp: Exp::Coerce(*array), span }),
                None => {
                    result.push(*a);
                    rest.push(*var);
                }
            }
        }
        if !rest.is_empty() || mutated!(WaitingChecksDropped, waiting.iter().any(|stm| stm.exp.may_fail()), false) {
            self.kernel(&context, Kernel { stms: waiting, result, kind: SegKind::Map }, rest, span, out);
        }
        true
    }
}
