//! Statements that are the same for all iterations move in front of the lambda or loop.
//!
//! Law: what moves cannot fail, so it does no harm where the body would not have run. Nothing leaves a branch. Replicated arrays stay: they cost
//! nothing where they are, and may be overwritten there.

use super::fuse::everything;
use crate::base::mutation::mutated;
use crate::ir::soac::visit_mut::PartMut;
use crate::ir::soac::{Body, Exp, LoopForm, Program, Stm, Var};
use rustc_hash::FxHashMap;

/// Hoists.
pub fn hoist(mut program: Program) -> Program {
    program.each_body(|program, body| Hoister { program, levels: FxHashMap::default() }.body(body, 1));
    program
}

struct Hoister<'p> {
    program: &'p Program,
    /// How many lambdas and loops are around what binds a variable, plus 1; parameters and constants have none.
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
            self.bind(&stm, level);
            out.push(stm);
        }
        body.stms = out;
    }
    fn bind(&mut self, stm: &Stm, level: u32) {
        stm.pat.iter().for_each(|var| {
            self.levels.insert(*var, level);
        });
    }
    /// Handles the bodies of a statement; what leaves them is added to `out`, bound at this level.
    fn stm(&mut self, stm: &mut Stm, level: u32, out: &mut Vec<Stm>) {
        if let Exp::If { then, els, .. } = &mut stm.exp {
            self.body(then, level);
            self.body(els, level);
            return;
        }
        let inner = level + 1;
        if let Exp::Loop { params, form, .. } = &stm.exp {
            params.iter().for_each(|(var, _)| {
                self.levels.insert(*var, inner);
            });
            if let LoopForm::For(counter, _) = form {
                self.levels.insert(*counter, inner);
            }
        }
        stm.exp.parts_mut(&mut |part| match part {
            PartMut::Bound(var) => {
                self.levels.insert(*var, inner);
            }
            PartMut::Body(body) => {
                self.body(body, inner);
                let (leaving, staying) = self.split(std::mem::take(&mut body.stms), inner);
                body.stms = staying;
                for stm in leaving {
                    self.bind(&stm, level);
                    out.push(stm);
                }
            }
            _ => {}
        });
    }
    /// Which statements of a body at this level need nothing of it.
    fn split(&mut self, stms: Vec<Stm>, level: u32) -> (Vec<Stm>, Vec<Stm>) {
        let (mut leaving, mut staying) = (Vec::new(), Vec::new());
        for stm in stms {
            let mut free = worthwhile(&stm.exp) && mutated!(HoistWhatMayFail, !stm.exp.may_fail(), true);
            if free {
                let inside: Vec<Var> = stm.pat.clone();
                everything(self.program, &stm, &mut |var| {
                    // What is bound inside of the statement has a deeper level, or is its own.
                    free = free
                        && (mutated!(HoistTooFar, self.level(var) < level, self.level(var) <= level)
                            || inside.contains(&var)
                            || self.level(var) > level);
                });
            }
            if free {
                self.bind(&stm, level - 1);
                leaving.push(stm);
            } else {
                staying.push(stm);
            }
        }
        (leaving, staying)
    }
}

/// What takes time where it is.
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
