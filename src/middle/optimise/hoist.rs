//! Statements that are the same for all iterations move in front of the lambda or loop.
//!
//! Law: what moves cannot fail, and reads only what is there, so it does no harm where the body would not have run. A number that may not be
//! there is read if it is. A check, a call or a loop that may fail moves if nothing in front of it can fail; it is made if the body runs. Nothing leaves a branch. Replicated arrays stay: they cost nothing where they are, and may be overwritten there.

use super::fuse::everything;
use super::simplify::Simplifier;
use crate::base::mutation::mutated;
use crate::ir::soac::{Body, Exp, Lambda, LoopForm, Operator, Program, Size, Stm, Var, parallel_exp, single_exp};
use rustc_hash::FxHashMap;

/// Hoists the loop-invariant statements of a program.
pub fn hoist(mut program: Program) -> Program {
    let mut hoister = Hoister { known: Simplifier::new(&mut program), levels: FxHashMap::default() };
    for stm in hoister.known.program.consts.clone() {
        hoister.known.observe(&stm);
    }
    for id in hoister.known.program.fun_ids() {
        let mut body = std::mem::take(&mut hoister.known.program.funs[id].body);
        let mark = hoister.known.facts.mark();
        hoister.known.function(id);
        hoister.body(&mut body, 1);
        hoister.known.facts.forget(mark);
        hoister.known.program.funs[id].body = body;
    }
    program
}

struct Hoister<'p> {
    known: Simplifier<'p>,
    /// How many lambdas, loops and branches are around what binds a variable, plus 1; parameters and constants have none.
    levels: FxHashMap<Var, u32>,
}

impl Hoister<'_> {
    fn level(&self, var: Var) -> u32 {
        self.levels.get(&var).copied().unwrap_or(0)
    }
    fn body(&mut self, body: &mut Body, level: u32) {
        let mut out = Vec::with_capacity(body.stms.len());
        for mut stm in std::mem::take(&mut body.stms) {
            self.stm(&mut stm, level, &mut out);
            self.put(stm, level, &mut out);
        }
        body.stms = out;
    }
    /// A statement has its place.
    fn put(&mut self, stm: Stm, level: u32, out: &mut Vec<Stm>) {
        self.bind(&stm.pat, level);
        self.known.observe(&stm);
        out.push(stm);
    }
    fn bind(&mut self, vars: &[Var], level: u32) {
        vars.iter().for_each(|var| {
            self.levels.insert(*var, level);
        });
    }
    /// Handles the bodies of a statement; what leaves them is added to `out`, bound at this level.
    fn stm(&mut self, stm: &mut Stm, level: u32, out: &mut Vec<Stm>) {
        match &mut stm.exp {
            Exp::If { cond, then, els } => {
                for (body, truth) in [(then, true), (els, false)] {
                    let mark = self.known.facts.mark();
                    self.known.learn_truth(*cond, truth);
                    self.body(body, level + 1);
                    self.known.facts.forget(mark);
                }
            }
            Exp::Soac(soac) => {
                self.lambda(&soac.width, &soac.inputs, &mut soac.lambda, level, out);
                soac.scans.iter_mut().chain(&mut soac.reduces).for_each(|operator| self.operator(operator, level, out));
            }
            Exp::Filter { width, inputs, lambda } | Exp::Rows { width, inputs, lambda } | Exp::Scatter { width, inputs, lambda, .. } => {
                self.lambda(width, inputs, lambda, level, out);
            }
            Exp::Hist { width, inputs, lambda, operator, .. } => {
                self.lambda(width, inputs, lambda, level, out);
                self.operator(operator, level, out);
            }
            Exp::Loop { params, form, body } => {
                let vars: Vec<Var> = params.iter().map(|(var, _)| *var).collect();
                match form {
                    LoopForm::For(counter, n) => {
                        let bound = [&vars[..], &[*counter]].concat();
                        let times = self.known.size_of(*n);
                        self.inner(&bound, body, Place { level, times: Some(times), out }, |known| {
                            known.bound(&vars);
                            known.counts(*counter, *n);
                        });
                    }
                    LoopForm::While(cond) => {
                        self.inner(&vars, cond, Place { level, times: None, out }, |known| known.bound(&vars));
                        self.inner(&vars, body, Place { level, times: None, out }, |known| known.bound(&vars));
                    }
                }
            }
            single_exp!() | Exp::Check(_) | Exp::Seg(_) | Exp::Call(..) => {}
        }
    }
    fn lambda(&mut self, width: &Size, inputs: &[Var], lambda: &mut Lambda, level: u32, out: &mut Vec<Stm>) {
        let place = Place { level, times: Some(width.clone()), out };
        self.inner(&lambda.params, &mut lambda.body, place, |known| known.maps(width, inputs, &lambda.params));
    }
    fn operator(&mut self, operator: &mut Operator, level: u32, out: &mut Vec<Stm>) {
        let lambda = &mut operator.lambda;
        self.inner(&lambda.params, &mut lambda.body, Place { level, times: None, out }, |known| known.bound(&lambda.params));
    }
    /// A body inside of a statement, in which these variables are bound.
    fn inner(&mut self, bound: &[Var], body: &mut Body, mut place: Place, enter: impl FnOnce(&mut Simplifier)) {
        let level = place.level + 1;
        self.bind(bound, level);
        let mark = self.known.facts.mark();
        enter(&mut self.known);
        self.body(body, level);
        self.known.facts.forget(mark);
        body.stms = self.split(std::mem::take(&mut body.stms), &mut place);
    }
    /// Which statements of a body stay; the others need nothing of it and go where it is.
    fn split(&mut self, stms: Vec<Stm>, place: &mut Place) -> Vec<Stm> {
        let mut staying = Vec::new();
        let mut fails = false;
        for stm in stms {
            let free = self.is_free(&stm, place.level + 1);
            if free && !fails && is_check(&stm.exp) && place.times.is_some() {
                self.if_it_runs(stm, place);
            } else if free && mutated!(HoistWhatMayFail, !stm.exp.may_fail(), true) && worthwhile(&stm.exp) && self.known.stands(&stm) {
                self.put(stm, place.level, place.out);
            } else if free && !fails && is_work(&stm.exp) && place.times.is_some() && self.known.has_known_sizes(&stm) {
                self.if_it_runs(stm, place);
            } else if free && self.known.can_ask(&stm) {
                self.known.asked(stm).into_iter().for_each(|stm| self.put(stm, place.level, place.out));
            } else {
                fails = fails || stm.exp.may_fail();
                staying.push(stm);
            }
        }
        staying
    }
    /// Does a check or work in front of a body, if that runs.
    fn if_it_runs(&mut self, stm: Stm, place: &mut Place) {
        let Some(times) = &place.times else { return };
        let runs = mutated!(HoistUnasked, self.known.facts.less(&Size::default(), &self.known.facts.form(times)), true);
        if runs {
            return self.put(stm, place.level, place.out);
        }
        let (some, cond) = self.known.positive(times, stm.span);
        some.into_iter().for_each(|stm| self.put(stm, place.level, place.out));
        let stm = self.known.if_or_zeros(cond, stm);
        self.put(stm, place.level, place.out);
    }
    /// Whether a statement of a body at this level needs nothing of it.
    fn is_free(&self, stm: &Stm, level: u32) -> bool {
        let mut free = true;
        everything(self.known.program, stm, &mut |var| {
            // What is bound inside of the statement has a deeper level, or is its own.
            free = free && (mutated!(HoistTooFar, self.level(var) != level, true) || stm.pat.contains(&var));
        });
        free
    }
}

/// Where what leaves a body goes.
struct Place<'o> {
    level: u32,
    /// How often the body is run, if that is known there.
    times: Option<Size>,
    out: &'o mut Vec<Stm>,
}

/// Whether all that an expression does is to fail or not.
fn is_check(exp: &Exp) -> bool {
    match exp {
        Exp::Check(_) => true,
        Exp::If { then, els, .. } => {
            let checks = |body: &Body| body.result.is_empty() && body.stms.iter().all(|stm| is_check(&stm.exp));
            checks(then) && checks(els)
        }
        single_exp!() | parallel_exp!() | Exp::Loop { .. } | Exp::Call(..) => false,
    }
}

/// Whether an expression that may fail takes so long that it is worth a branch to do it once.
fn is_work(exp: &Exp) -> bool {
    match exp {
        Exp::Call(..) | Exp::Loop { .. } => true,
        Exp::If { then, els, .. } => [then, els].iter().any(|body| body.stms.iter().any(|stm| is_work(&stm.exp))),
        parallel_exp!() => !matches!(exp, Exp::Scatter { .. } | Exp::Hist { .. }),
        single_exp!() | Exp::Check(_) => false,
    }
}

/// Whether hoisting an expression saves work: what costs nothing, and updates in place, stay.
fn worthwhile(exp: &Exp) -> bool {
    !matches!(
        exp,
        Exp::Copy(_) | Exp::Rep(_) | Exp::Update { .. } | Exp::UpdateSlice { .. } | Exp::Scatter { .. } | Exp::Hist { .. } | Exp::Check(_)
    )
}

#[cfg(test)]
mod tests {
    use super::super::testing::body_becomes;
    use super::hoist;

    #[test]
    fn what_is_the_same_for_all_iterations_moves_out() {
        body_becomes(
            &[hoist],
            "([n i64] [xs [f32 n]] [yss [f32 n n]] [c f32]) ([R [f32 n n]])",
            "(let ([r [f32 n n]]) (soac n ([x f32 xs])
               (let ([t [f32 n n]]) (rearrange yss 1 0))
               (let ([s [f32 n]]) (soac n ([row [f32 n] t])
                 (let ([d f32]) (f32.* c c))
                 (let ([e f32]) (f32.* d x))
                 (let ([y f32]) (index row 0))
                 (let ([z f32]) (f32.+ y e))
                 (return z)))
               (return s)))
             (return r)",
            "(let ([t [f32 n n]]) (rearrange yss 1 0))
             (let ([d f32]) (f32.* c c))
             (let ([r [f32 n n]]) (soac n ([x f32 xs])
               (let ([e f32]) (f32.* d x))
               (let ([s [f32 n]]) (soac n ([row [f32 n] t])
                 (let ([y f32]) (index row 0))
                 (let ([z f32]) (f32.+ y e))
                 (return z)))
               (return s)))
             (return r)",
        );
    }

    #[test]
    fn a_branch_is_the_same_for_all_iterations_with_what_is_in_it() {
        let branch = "(let ([a i64]) (if c
                 (then (let ([b i64]) (i64.* m m)) (let ([d i64]) (i64.+ b 1)) (return d))
                 (else (let ([e i64]) (i64.- m 1)) (let ([f i64]) (i64.* e e)) (return f))))";
        let map = "(let ([r [i64 n]]) (soac n ([x i64 q])";
        let rest = "(let ([y i64]) (i64.- x a)) (return y))) (return r)";
        let params = "([n i64] [m i64] [c bool] [q [i64 n]]) ([R [i64 n]])";
        body_becomes(&[hoist], params, &format!("{map} {branch} {rest}"), &format!("{branch} {map} {rest}"));
    }

    #[test]
    fn what_may_not_be_there_is_asked_for() {
        body_becomes(
            &[hoist],
            "([n i64] [q [i64 n]]) ([R [i64 n]])",
            "(let ([r [i64 n]]) (soac n ([x i64 q])
               (let ([a i64]) (index q 0 unchecked))
               (let ([y i64]) (i64.- x a))
               (return y)))
             (return r)",
            "(let ([inside bool]) (i64.< 0 n))
             (let ([a i64]) (if inside
               (then (let ([a.1 i64]) (index q 0 unchecked)) (return a.1))
               (else (return 0))))
             (let ([r [i64 n]]) (soac n ([x i64 q])
               (let ([y i64]) (i64.- x a))
               (return y)))
             (return r)",
        );
    }

    #[test]
    fn what_follows_a_check_stays_behind_it() {
        let body = "(let ([r [i64 n]]) (soac n ([x i64 q])
               (let () (check coerce [m] [n]))
               (let ([a [i64 n]]) (coerce p))
               (let ([b i64]) (soac n ([y i64 a])
                 (return y)
                 (reduce commutative (0) ([c i64] [d i64]) (let ([e i64]) (i64.+ c d)) (return e))))
               (let ([z i64]) (i64.- x b))
               (return z)))
             (return r)";
        let expected = body.replace("(let () (check coerce [m] [n]))", "");
        let check = "(let ([inside bool]) (i64.< 0 n))
             (let () (if inside (then (let () (check coerce [m] [n])) (return)) (else (return))))";
        body_becomes(&[hoist], "([n i64] [m i64] [q [i64 n]] [p [i64 m]]) ([R [i64 n]])", body, &format!("{check} {expected}"));
    }

    #[test]
    fn what_may_fail_or_is_in_a_branch_stays() {
        let body = "(let ([r i64]) (loop ([p i64 0]) (for i n)
               (let ([a i64]) (i64./ x n))
               (let ([c bool]) (i64.> p 9))
               (let ([q i64]) (if c
                 (then (let ([b i64]) (i64.* x x)) (return b))
                 (else (return a))))
               (return q)))
             (return r)";
        super::super::testing::stays(&[hoist], "([n i64] [x i64]) ([R i64])", body);
    }
}
