//! Inserts the copies that make updates in place safe.
//!
//! Contract with the back ends: after this pass every `update`, `update-slice`, `scatter` and `hist` overwrites the memory of its array, and a
//! `copy` of an array is new memory. An array may be overwritten if its memory is not [borrowed](super::alias) and if no array that
//! may share it is read afterwards: in the rest of the body, in the rest of the bodies around it, or in the next iteration of a lambda or
//! loop around it. Else it is copied first. A loop owns the memory of a parameter that is overwritten in its body: its first value may be
//! overwritten or is copied before the loop, and the body returns memory that no other result shares.
//!
//! Kernels are bodies that run several times as well: they write in memory of their own and in that of their results only. What is left of a
//! map when it is distributed over kernels may read an array later than the program says, so copies are inserted after that once more.
//!
//! Law: with copies taken as they are, the program computes the same values as before; with updates in place, too.

use super::alias::Aliases;
use super::fuse::everything;
use crate::base::Span;
use crate::base::mutation::mutated;
use crate::ir::profile::CopyReason;
use crate::ir::soac::visit::{Part, bound_inside, mentioned};
use crate::ir::soac::{Body, Exp, Lambda, LoopForm, Operand, Program, Stm, Var, count_exp, made_exp, single_exp, view_exp};
use rustc_hash::{FxHashMap, FxHashSet};

/// Inserts the copies that are needed.
pub fn in_place(mut program: Program) -> Program {
    let mut pass = Pass {
        program: &mut program,
        aliases: Aliases::default(),
        later: FxHashMap::default(),
        overwritten: FxHashSet::default(),
        given: FxHashMap::default(),
    };
    pass.consts();
    for id in pass.program.fun_ids() {
        let params = pass.program.funs[id].params.clone();
        pass.aliases.fresh(pass.program, &params);
        pass.aliases.borrow(mutated!(BorrowNothing, &params[..], &[]));
        pass.given.extend(params.iter().map(|var| (*var, CopyReason::Argument)));
        let mut body = std::mem::take(&mut pass.program.funs[id].body);
        pass.body(&mut body);
        pass.program.funs[id].body = body;
    }
    program
}

struct Pass<'p> {
    program: &'p mut Program,
    aliases: Aliases,
    /// How many statements that are still to come read a variable, those of the bodies around included.
    later: FxHashMap<Var, usize>,
    /// Roots that are overwritten somewhere.
    overwritten: FxHashSet<Var>,
    /// Arguments and constants.
    given: FxHashMap<Var, CopyReason>,
}

impl Pass<'_> {
    fn consts(&mut self) {
        let stms = std::mem::take(&mut self.program.consts);
        let mut body = Body { stms, result: Vec::new() };
        // Constants are read by every function.
        let all: Vec<Var> = body.stms.iter().flat_map(|stm| stm.pat.clone()).collect();
        self.reads(&all, 1);
        self.body(&mut body);
        self.aliases.borrow(&all);
        self.given.extend(all.iter().map(|var| (*var, CopyReason::Constant)));
        self.program.consts = body.stms;
    }

    fn is_array(&self, var: Var) -> bool {
        self.program.vars[var].ty.rank() > 0
    }
    /// The arrays from outside that a statement reads, without repetitions.
    fn arrays_of(&self, stm: &Stm) -> Vec<Var> {
        let mut arrays = Vec::new();
        mentioned(stm, &mut |var| arrays.push(var));
        arrays.retain(|var| self.is_array(*var));
        arrays.sort_unstable();
        arrays.dedup();
        let mut inner = FxHashSet::default();
        bound_inside(&stm.exp, &mut inner);
        arrays.retain(|var| !inner.contains(var));
        arrays
    }
    fn reads(&mut self, vars: &[Var], by: isize) {
        for var in vars {
            let later = self.later.entry(*var).or_default();
            *later = later.saturating_add_signed(by);
        }
    }
    /// Whether an array that may share memory with this one is read later.
    fn read_later(&self, var: Var) -> bool {
        self.aliases.sharing(var).any(|other| self.later.get(&other).is_some_and(|count| *count > 0))
    }

    fn body(&mut self, body: &mut Body) {
        let read: Vec<Vec<Var>> = body.stms.iter().map(|stm| self.arrays_of(stm)).collect();
        read.iter().for_each(|vars| self.reads(vars, 1));
        let result: Vec<Var> = body.result.iter().filter_map(|a| a.var()).filter(|var| self.is_array(*var)).collect();
        self.reads(&result, 1);
        let mut out = Vec::with_capacity(body.stms.len());
        for (mut stm, read) in std::mem::take(&mut body.stms).into_iter().zip(read) {
            self.reads(&read, -1);
            self.stm(&mut stm, &read, &mut out);
            out.push(stm);
        }
        self.reads(&result, -1);
        body.stms = out;
    }

    fn stm(&mut self, stm: &mut Stm, read: &[Var], out: &mut Vec<Stm>) {
        let span = stm.span;
        match &mut stm.exp {
            Exp::Update { array, value, .. } => {
                if let Operand::Var(value) = value
                    && self.aliases.may_share(*array, *value)
                {
                    *value = self.copy(*value, CopyReason::ReadBeside, span, out);
                }
                *array = self.own(*array, &[], span, out);
            }
            Exp::UpdateSlice { array, value, .. } => {
                if mutated!(SliceOfItself, self.aliases.may_share(*array, *value), false) {
                    *value = self.copy(*value, CopyReason::ReadBeside, span, out);
                }
                *array = self.own(*array, &[], span, out);
            }
            Exp::Scatter { .. } | Exp::Hist { .. } => {
                let others = mutated!(ScatterBesideItself, beside_dests(self.program, &stm.exp), Vec::new());
                if let Exp::Scatter { dests, .. } | Exp::Hist { dests, .. } = &mut stm.exp {
                    let mut others = others;
                    for k in 0..dests.len() {
                        let mut beside = others.clone();
                        beside.extend(&dests[k + 1..]);
                        dests[k] = self.own(dests[k], &beside, span, out);
                        others.push(dests[k]);
                    }
                }
                self.repeated(stm, read);
            }
            Exp::If { then, els, .. } => {
                self.body(then);
                self.body(els);
                for (k, var) in stm.pat.iter().enumerate() {
                    self.aliases.share(self.program, *var, [then.result[k], els.result[k]]);
                }
                return;
            }
            Exp::Loop { .. } => return self.looping(stm, read, out),
            // The array is read nowhere else, so that its copy may be the array itself.
            Exp::Copy(Operand::Var(array)) if self.is_needed_no_more(*array) => stm.exp = Exp::Reshape(*array),
            Exp::Soac(_) | Exp::Filter { .. } | Exp::Rows { .. } | Exp::Seg(_) => self.repeated(stm, read),
            Exp::Copy(_)
            | Exp::Scalar(..)
            | Exp::Size(_)
            | Exp::Index { .. }
            | Exp::Check(_)
            | Exp::Call(..)
            | view_exp!()
            | made_exp!()
            | count_exp!() => {}
        }
        self.aliases.bind(self.program, stm);
    }

    /// Bodies that run several times: what they read they read again.
    fn repeated(&mut self, stm: &mut Stm, read: &[Var]) {
        self.aliases.cells(self.program, &stm.exp);
        let again = mutated!(ForgetOtherIterations, 1, 0);
        self.reads(read, again);
        stm.exp.bodies_mut(&mut |body| self.body(body));
        self.reads(read, -again);
    }

    /// Whether an array is new memory, all of it, and read nowhere else.
    fn is_needed_no_more(&self, array: Var) -> bool {
        self.aliases.roots(array) == [array] && self.aliases.is_owned(array) && !self.read_later(array)
    }
    /// The array itself if it may be overwritten, else a copy. It must not share memory with the others.
    fn own(&mut self, array: Var, others: &[Var], span: Span, out: &mut Vec<Stm>) -> Var {
        let why = if !self.aliases.is_owned(array) {
            Some(self.aliases.roots(array).iter().find_map(|root| self.given.get(root)).copied().unwrap_or(CopyReason::Shared))
        } else if mutated!(UpdateWhatIsReadLater, self.read_later(array), false) {
            Some(CopyReason::ReadLater)
        } else {
            others.iter().any(|other| self.aliases.may_share(array, *other)).then_some(CopyReason::ReadBeside)
        };
        let owned = match why {
            Some(why) => self.copy(array, why, span, out),
            None => array,
        };
        self.overwritten.extend(self.aliases.roots(owned).to_vec());
        owned
    }
    fn copy(&mut self, array: Var, why: CopyReason, span: Span, out: &mut Vec<Stm>) -> Var {
        let info = self.program.vars[array].clone();
        self.program.copies.push((span, info.name, why));
        let var = self.program.vars.alloc(info);
        let stm = Stm { pat: vec![var], exp: Exp::Copy(Operand::Var(array)), span };
        self.aliases.bind(self.program, &stm);
        out.push(stm);
        var
    }

    fn looping(&mut self, stm: &mut Stm, read: &[Var], out: &mut Vec<Stm>) {
        let span = stm.span;
        let Exp::Loop { params, form, body } = &mut stm.exp else { crate::ice!(span, "a loop that is none") };
        let vars: Vec<Var> = params.iter().map(|(var, _)| *var).collect();
        // As if the loop owned the memory of all of its parameters.
        self.aliases.fresh(self.program, &vars);
        self.reads(read, 1);
        if let LoopForm::While(cond) = form {
            // It may overwrite nothing that the loop carries: the body reads it, and it is what the loop returns.
            self.reads(&vars, 1);
            self.body(cond);
            self.reads(&vars, -1);
        }
        self.body(body);
        self.reads(read, -1);
        let owned = self.owned_params(&vars, body);
        self.separate_results(body, &vars, &owned, span);
        self.own_first_values(stm, &owned, read, out);
        self.place_results(stm, &owned);
    }
    /// What the body of a loop returns for an owned parameter is shared with no other result.
    fn separate_results(&mut self, body: &mut Body, vars: &[Var], owned: &FxHashSet<Var>, span: Span) {
        for k in 0..vars.len() {
            let Operand::Var(result) = body.result[k] else { continue };
            if !self.is_array(vars[k]) {
                continue;
            }
            let outside = |pass: &Self| pass.aliases.roots(result).iter().any(|root| !vars.contains(root) && !binds(body, *root));
            // One of two owned results that share memory is copied, and whatever shares that of an owned one.
            let shares_owned = body.result.iter().enumerate().any(|(j, other)| {
                j != k
                    && owned.contains(&vars[j])
                    && (j < k || !owned.contains(&vars[k]))
                    && other.var().is_some_and(|var| self.aliases.may_share(result, var))
            });
            let not_ours = self.aliases.roots(result).iter().any(|root| vars.contains(root) && !owned.contains(root));
            if mutated!(SharedLoopResults, shares_owned, false)
                || (owned.contains(&vars[k]) && (outside(self) || not_ours || !self.aliases.is_owned(result)))
            {
                let mut stms = std::mem::take(&mut body.stms);
                body.result[k] = Operand::Var(self.copy(result, CopyReason::Iteration, span, &mut stms));
                body.stms = stms;
            }
        }
    }
    /// The first values of owned parameters of a loop may be overwritten.
    fn own_first_values(&mut self, stm: &mut Stm, owned: &FxHashSet<Var>, read: &[Var], out: &mut Vec<Stm>) {
        let span = stm.span;
        let Exp::Loop { params, form, body } = &mut stm.exp else { crate::ice!(span, "a loop that is none") };
        let mut inside = FxHashSet::default();
        let mut bodies = vec![&*body];
        if let LoopForm::While(cond) = form {
            bodies.push(cond);
        }
        for body in bodies {
            let mut see = |var| {
                inside.insert(var);
            };
            body.stms.iter().for_each(|stm| everything(self.program, stm, &mut see));
            inside.extend(body.result.iter().filter_map(|a| a.var()));
        }
        let free: Vec<Var> = read.iter().copied().filter(|var| inside.contains(var)).collect();
        for k in 0..params.len() {
            if let (param, Operand::Var(init)) = params[k]
                && owned.contains(&param)
            {
                let mut others = mutated!(LoopTakesWhatIsRead, free.clone(), Vec::new());
                others.extend(params.iter().enumerate().filter(|(j, _)| *j != k).filter_map(|(_, (_, init))| init.var()));
                params[k].1 = Operand::Var(self.own(init, &others, span, out));
            }
        }
    }
    /// Where the results of a loop lie.
    fn place_results(&mut self, stm: &Stm, owned: &FxHashSet<Var>) {
        let Exp::Loop { params, body, .. } = &stm.exp else { crate::ice!(stm.span, "a loop that is none") };
        let results = &body.result;
        for (k, &var) in stm.pat.iter().enumerate() {
            if !self.is_array(var) {
                continue;
            }
            if owned.contains(&params[k].0) {
                self.aliases.put(var, vec![var]);
                continue;
            }
            let roots = self.results_of(k, params, results);
            let (outer, inner): (Vec<Var>, Vec<Var>) = roots.into_iter().partition(|root| self.lies_outside(*root, stm));
            let mut roots = outer;
            if !inner.is_empty() {
                roots.push(var);
            }
            self.aliases.put(var, roots);
            let shared = results[k].var().is_some_and(|result| {
                results.iter().enumerate().any(|(j, other)| j != k && other.var().is_some_and(|var| self.aliases.may_share(result, var)))
            });
            if shared || inner.iter().any(|root| params.iter().any(|(var, _)| var == root) || self.aliases.is_borrowed(*root)) {
                // Memory that is not the program's own, or that another parameter has or had: it is not known who else has it.
                self.aliases.lend(var);
            }
        }
    }
    /// The parameters whose memory is overwritten, and those whose memory becomes that of such a parameter.
    fn owned_params(&self, vars: &[Var], body: &Body) -> FxHashSet<Var> {
        let mut owned: FxHashSet<Var> = vars.iter().copied().filter(|var| self.overwritten.contains(var)).collect();
        loop {
            let before = owned.len();
            for (param, result) in vars.iter().zip(&body.result) {
                if owned.contains(param)
                    && let Operand::Var(result) = result
                {
                    owned.extend(self.aliases.roots(*result).iter().filter(|root| vars.contains(root)));
                }
            }
            if owned.len() == before {
                return owned;
            }
        }
    }
    /// The roots of what a parameter that is not owned may be after the loop.
    fn results_of(&self, k: usize, params: &[(Var, Operand)], results: &[Operand]) -> Vec<Var> {
        let mut seen = vec![k];
        let mut roots = Vec::new();
        let mut at = 0;
        while let Some(&k) = seen.get(at) {
            at += 1;
            for operand in [params[k].1, results[k]] {
                let Operand::Var(var) = operand else { continue };
                for root in self.aliases.roots(var) {
                    match params.iter().position(|(param, _)| param == root) {
                        Some(j) if !seen.contains(&j) => {
                            seen.push(j);
                            roots.push(*root);
                        }
                        _ => roots.push(*root),
                    }
                }
            }
        }
        // The parameter itself is where its values are.
        let itself = params[seen[0]].0;
        roots.retain(|root| *root != itself);
        roots.sort_unstable();
        roots.dedup();
        roots
    }
    fn lies_outside(&self, root: Var, stm: &Stm) -> bool {
        let Exp::Loop { params, form, body } = &stm.exp else { return true };
        let inside = params.iter().any(|(var, _)| *var == root) || binds(body, root);
        !(inside || matches!(form, LoopForm::While(cond) if binds(cond, root)))
    }
}

/// Whether a body binds a variable, in inner bodies too.
fn binds(body: &Body, var: Var) -> bool {
    body.stms.iter().any(|stm| {
        let mut found = stm.pat.contains(&var);
        if let Exp::Loop { params, .. } = &stm.exp {
            found |= params.iter().any(|(param, _)| *param == var);
        }
        stm.exp.parts(&mut |part| {
            if let Part::Body(params, body) = part {
                found = found || params.contains(&var) || binds(body, var);
            }
        });
        found
    })
}

/// The arrays that a scatter or histogram reads besides those that it overwrites.
fn beside_dests(program: &Program, exp: &Exp) -> Vec<Var> {
    let (inputs, lambda, operator): (&[Var], &Lambda, _) = match exp {
        Exp::Scatter { inputs, lambda, .. } => (inputs, lambda, None),
        Exp::Hist { inputs, lambda, operator, .. } => (inputs, lambda, Some(operator)),
        single_exp!()
        | Exp::Check(_)
        | Exp::Soac(_)
        | Exp::Seg(_)
        | Exp::Filter { .. }
        | Exp::Rows { .. }
        | Exp::If { .. }
        | Exp::Loop { .. }
        | Exp::Call(..) => return Vec::new(),
    };
    let mut out = inputs.to_vec();
    let mut body = |body: &Body| {
        body.stms.iter().for_each(|stm| everything(program, stm, &mut |var| out.push(var)));
        out.extend(body.result.iter().filter_map(|a| a.var()));
    };
    body(&lambda.body);
    operator.into_iter().for_each(|operator| body(&operator.lambda.body));
    out.retain(|var| program.vars[*var].ty.rank() > 0);
    out.sort_unstable();
    out.dedup();
    out
}

#[cfg(test)]
mod tests {
    use super::super::testing::{body_becomes, stays};
    use super::in_place;

    #[test]
    fn parameters_and_views_are_copied_before_they_are_overwritten() {
        body_becomes(
            &[in_place],
            "([n i64] [xs [f32 n]]) ([R [f32 n]] [S [f32 n]])",
            "(let ([a [f32 n]]) (update xs (0) 1.0f32))
             (let ([zeros [f32 n]]) (rep 0.0f32))
             (let ([b [f32 n]]) (update zeros (0) 1.0f32))
             (let ([c [f32 n]]) (update b (1) 1.0f32))
             (return a c)",
            "(let ([xs.1 [f32 n]]) (copy xs))
             (let ([a [f32 n]]) (update xs.1 (0) 1.0f32))
             (let ([zeros [f32 n]]) (rep 0.0f32))
             (let ([zeros.1 [f32 n]]) (copy zeros))
             (let ([b [f32 n]]) (update zeros.1 (0) 1.0f32))
             (let ([c [f32 n]]) (update b (1) 1.0f32))
             (return a c)",
        );
    }

    #[test]
    fn what_is_read_later_is_copied_also_through_views() {
        body_becomes(
            &[in_place],
            "([n i64] [xs [f32 n]]) ([R [f32 n]] [S [f32 n]])",
            "(let ([ys [f32 n]]) (soac n ([x f32 xs]) (let ([y f32]) (f32.exp x)) (return y)))
             (let ([last i64]) (i64.- n 1))
             (let ([view [f32 n]]) (slice ys last -1 unchecked))
             (let ([a [f32 n]]) (update ys (0) 1.0f32))
             (return a view)",
            "(let ([ys [f32 n]]) (soac n ([x f32 xs]) (let ([y f32]) (f32.exp x)) (return y)))
             (let ([last i64]) (i64.- n 1))
             (let ([view [f32 n]]) (slice ys last -1 unchecked))
             (let ([ys.1 [f32 n]]) (copy ys))
             (let ([a [f32 n]]) (update ys.1 (0) 1.0f32))
             (return a view)",
        );
    }

    #[test]
    fn a_loop_over_updates_copies_once_before_it() {
        // As in a sieve, or a decomposition.
        body_becomes(
            &[in_place],
            "([n i64] [xs [i64 n]]) ([R [i64 n]])",
            "(let ([r [i64 n]]) (loop ([a [i64 n] xs]) (for i n)
               (let ([x i64]) (index a i unchecked))
               (let ([b [i64 n]]) (update a (i) x unchecked))
               (let ([c [i64 n]]) (loop ([d [i64 n] b]) (for j i)
                 (let ([e [i64 n]]) (update d (j) x unchecked))
                 (return e)))
               (return c)))
             (return r)",
            "(let ([xs.1 [i64 n]]) (copy xs))
             (let ([r [i64 n]]) (loop ([a [i64 n] xs.1]) (for i n)
               (let ([x i64]) (index a i unchecked))
               (let ([b [i64 n]]) (update a (i) x unchecked))
               (let ([c [i64 n]]) (loop ([d [i64 n] b]) (for j i)
                 (let ([e [i64 n]]) (update d (j) x unchecked))
                 (return e)))
               (return c)))
             (return r)",
        );
    }

    #[test]
    fn the_old_value_of_a_loop_parameter_is_kept_by_a_copy() {
        body_becomes(
            &[in_place],
            "([n i64] [xs [i64 n]]) ([R [i64 n]] [S [i64 n]])",
            "(let ([z [i64 n]]) (rep 0))
             (let ([r [i64 n]] [s [i64 n]]) (loop ([a [i64 n] z] [old [i64 n] xs]) (for i n)
               (let ([b [i64 n]]) (update a (i) i unchecked))
               (return b a)))
             (return r s)",
            "(let ([z [i64 n]]) (rep 0))
             (let ([r [i64 n]] [s [i64 n]]) (loop ([a [i64 n] z] [old [i64 n] xs]) (for i n)
               (let ([a.1 [i64 n]]) (copy a))
               (let ([b [i64 n]]) (update a.1 (i) i unchecked))
               (return b a)))
             (return r s)",
        );
    }

    #[test]
    fn two_parameters_that_start_as_one_array() {
        body_becomes(
            &[in_place],
            "([n i64] [xs [i64 n]]) ([R [i64 n]] [S [i64 n]])",
            "(let ([ys [i64 n]]) (soac n ([x i64 xs]) (let ([y i64]) (i64.* x x)) (return y)))
             (let ([r [i64 n]] [s [i64 n]]) (loop ([a [i64 n] ys] [b [i64 n] ys]) (for i n)
               (let ([c [i64 n]]) (update a (i) 0 unchecked))
               (let ([d [i64 n]]) (update b (i) 1 unchecked))
               (return d c)))
             (return r s)",
            "(let ([ys [i64 n]]) (soac n ([x i64 xs]) (let ([y i64]) (i64.* x x)) (return y)))
             (let ([ys.1 [i64 n]]) (copy ys))
             (let ([r [i64 n]] [s [i64 n]]) (loop ([a [i64 n] ys.1] [b [i64 n] ys]) (for i n)
               (let ([c [i64 n]]) (update a (i) 0 unchecked))
               (let ([d [i64 n]]) (update b (i) 1 unchecked))
               (return d c)))
             (return r s)",
        );
    }

    #[test]
    fn iterations_do_not_overwrite_what_others_read() {
        body_becomes(
            &[in_place],
            "([n i64] [xs [i64 n]] [yss [i64 n n]]) ([R [i64 n n]] [S [i64 n n]])",
            "(let ([ys [i64 n]]) (soac n ([x i64 xs]) (let ([y i64]) (i64.* x x)) (return y)))
             (let ([r [i64 n n]] [s [i64 n n]]) (soac n ([x.1 i64 xs] [row [i64 n] yss])
               (let ([a [i64 n]]) (update ys (0) x.1))
               (let ([b [i64 n]]) (update row (0) x.1))
               (return a b)))
             (return r s)",
            "(let ([ys [i64 n]]) (soac n ([x i64 xs]) (let ([y i64]) (i64.* x x)) (return y)))
             (let ([r [i64 n n]] [s [i64 n n]]) (soac n ([x.1 i64 xs] [row [i64 n] yss])
               (let ([ys.1 [i64 n]]) (copy ys))
               (let ([a [i64 n]]) (update ys.1 (0) x.1))
               (let ([row.1 [i64 n]]) (copy row))
               (let ([b [i64 n]]) (update row.1 (0) x.1))
               (return a b)))
             (return r s)",
        );
    }

    #[test]
    fn copies_of_an_array_lie_where_it_lies() {
        body_becomes(
            &[in_place],
            "([n i64] [xs [i64 n]] [two [i64 2]]) ([R [i64 2 n]] [S [i64 n]])",
            "(let ([ys [i64 n]]) (soac n ([x i64 xs]) (let ([y i64]) (i64.* x x)) (return y)))
             (let ([rows [i64 2 n]]) (rep ys))
             (let ([a [i64 n]]) (update ys (0) 1 unchecked))
             (let ([view [i64 n 2]]) (rearrange rows 1 0))
             (let ([b [i64 n 2]]) (update view (0) two unchecked))
             (let ([c [i64 2 n]]) (rearrange b 1 0))
             (return c a)",
            "(let ([ys [i64 n]]) (soac n ([x i64 xs]) (let ([y i64]) (i64.* x x)) (return y)))
             (let ([rows [i64 2 n]]) (rep ys))
             (let ([ys.1 [i64 n]]) (copy ys))
             (let ([a [i64 n]]) (update ys.1 (0) 1 unchecked))
             (let ([view [i64 n 2]]) (rearrange rows 1 0))
             (let ([view.1 [i64 n 2]]) (copy view))
             (let ([b [i64 n 2]]) (update view.1 (0) two unchecked))
             (let ([c [i64 2 n]]) (rearrange b 1 0))
             (return c a)",
        );
    }

    #[test]
    fn conditions_of_loops_overwrite_nothing_that_the_loop_carries() {
        body_becomes(
            &[in_place],
            "([n i64] [xs [i64 n]]) ([R [i64 n]])",
            "(let ([ys [i64 n]]) (soac n ([x i64 xs]) (let ([y i64]) (i64.* x x)) (return y)))
             (let ([r [i64 n]]) (loop ([a [i64 n] ys])
               (while (let ([b [i64 n]]) (update a (0) 7)) (let ([s i64]) (index b 1)) (let ([c bool]) (i64.< s 30)) (return c))
               (let ([t [i64 n]]) (update a (1) 40))
               (return t)))
             (return r)",
            "(let ([ys [i64 n]]) (soac n ([x i64 xs]) (let ([y i64]) (i64.* x x)) (return y)))
             (let ([r [i64 n]]) (loop ([a [i64 n] ys])
               (while (let ([a.1 [i64 n]]) (copy a)) (let ([b [i64 n]]) (update a.1 (0) 7)) (let ([s i64]) (index b 1))
                 (let ([c bool]) (i64.< s 30)) (return c))
               (let ([t [i64 n]]) (update a (1) 40))
               (return t)))
             (return r)",
        );
    }

    #[test]
    fn kernels_write_in_memory_of_their_own() {
        body_becomes(
            &[in_place],
            "([n i64] [m i64] [xs [i64 n]]) ([R [i64 n m]])",
            "(let ([t [i64 n m]]) (seg ([i n] [j m]) (let ([x i64]) (index xs i)) (return x)))
             (let ([u [i64 n m]]) (seg ([i.1 n])
               (let ([row [i64 m]]) (index t i.1 unchecked))
               (let ([a [i64 m]]) (update row (0) 1))
               (let ([b [i64 m]]) (update a (1) 1))
               (return b)))
             (return u)",
            "(let ([t [i64 n m]]) (seg ([i n] [j m]) (let ([x i64]) (index xs i)) (return x)))
             (let ([u [i64 n m]]) (seg ([i.1 n])
               (let ([row [i64 m]]) (index t i.1 unchecked))
               (let ([row.1 [i64 m]]) (copy row))
               (let ([a [i64 m]]) (update row.1 (0) 1))
               (let ([b [i64 m]]) (update a (1) 1))
               (return b)))
             (return u)",
        );
    }

    #[test]
    fn branches_may_overwrite_what_only_they_read() {
        stays(
            &[in_place],
            "([n i64] [xs [i64 n]] [c bool]) ([R [i64 n]])",
            "(let ([ys [i64 n]]) (soac n ([x i64 xs]) (let ([y i64]) (i64.* x x)) (return y)))
             (let ([r [i64 n]]) (if c
               (then (let ([a [i64 n]]) (update ys (0) 1)) (return a))
               (else (return ys))))
             (let ([s [i64 n]]) (update r (1) 2))
             (return s)",
        );
    }
}
