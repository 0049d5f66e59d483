//! Maps that fold arrays for each cell, and then go on with an array or another one in a branch, become two: derivatives of minima are such maps,
//! of which the first half finds the element, and the second one hands on to it.
//!
//! Law: a map of several statements is several maps of some of them each, with what they need of each other as arrays between them.
//!
//! ```text
//! map (\x -> let i = place (map (f x) ys) in if i >= 0 then g x ys[i] else zeros) xs
//! ==>
//! let is = map (\x -> place (map (f x) ys)) xs
//! in map (\x i -> if i >= 0 then g x ys[i] else zeros) xs is
//! ```
//!
//! SIMD lanes do the first map for several cells at a time, and it becomes one with what else folds the same arrays; the second one becomes a part of
//! the operator that reads it. Nothing that may fail is moved before anything else.

use super::product_fission::{Given, wanted_of};
use crate::ir::soac::{Exp, Program, Soac, Stm, Var, single_exp};

/// More numbers than this for each cell are not written to memory.
const FEW: usize = 4;

/// Rewrites such maps that are statements of functions and loops.
pub fn choice_fission(mut program: Program) -> Program {
    program.each_body(|program, body| visit(program, &mut body.stms));
    program
}

fn visit(program: &mut Program, stms: &mut Vec<Stm>) {
    let mut at = 0;
    while at < stms.len() {
        if let Some((k, between)) = find(program, &stms[at]) {
            let stm = stms.remove(at);
            let new = divide(program, stm, k, between);
            stms.splice(at..at, new);
            at += 1;
        } else if let Exp::Loop { body, .. } = &mut stms[at].exp {
            visit(program, &mut body.stms);
        }
        at += 1;
    }
}

/// Whether the lambda of an operator returns arrays from a branch.
pub(super) fn chooses_arrays(program: &Program, exp: &Exp) -> bool {
    let lambda = match exp {
        Exp::Soac(Soac { lambda, .. }) | Exp::Hist { lambda, .. } | Exp::Scatter { lambda, .. } => lambda,
        single_exp!()
        | Exp::Check(_)
        | Exp::Seg(_)
        | Exp::Filter { .. }
        | Exp::Rows { .. }
        | Exp::If { .. }
        | Exp::Loop { .. }
        | Exp::Call(..) => return false,
    };
    lambda.body.stms.iter().any(|stm| is_choice(program, stm))
}

/// A branch between arrays.
fn is_choice(program: &Program, stm: &Stm) -> bool {
    matches!(stm.exp, Exp::If { .. }) && stm.pat.iter().any(|var| program.ty(*var).rank() > 0)
}

/// The first statement of the second half of a map, and what it needs of the first half.
fn find(program: &Program, stm: &Stm) -> Option<(usize, Vec<Var>)> {
    let Exp::Soac(Soac { lambda, scans, reduces, .. }) = &stm.exp else { return None };
    let stms = &lambda.body.stms;
    if !scans.is_empty() || !reduces.is_empty() || stms.iter().any(|stm| stm.exp.may_fail()) {
        return None;
    }
    (1..stms.len()).filter(|k| is_choice(program, &stms[*k])).find_map(|k| {
        let (first, second) = stms.split_at(k);
        let made: Vec<Var> = first.iter().flat_map(|stm| stm.pat.iter().copied()).collect();
        let later: Vec<&Stm> = second.iter().collect();
        let between = wanted_of(program, &made, &later, &lambda.body.result);
        let scalars = between.iter().all(|var| program.ty(*var).rank() == 0);
        let folds = first.iter().any(|stm| matches!(&stm.exp, Exp::Soac(_)));
        (folds && scalars && !between.is_empty() && between.len() <= FEW).then_some((k, between))
    })
}

/// The two maps.
fn divide(program: &mut Program, stm: Stm, k: usize, between: Vec<Var>) -> Vec<Stm> {
    let Stm { pat, exp: Exp::Soac(mut outer), span } = stm else { crate::ice!(stm.span, "the statement is no map") };
    let second = outer.lambda.body.stms.split_off(k);
    let first = std::mem::replace(&mut outer.lambda.body.stms, second);
    let mut given = Given { inputs: outer.inputs, params: outer.lambda.params };
    let before = given.map(program, first, between, &outer.width, span);
    outer.inputs = given.inputs;
    outer.lambda.params = given.params;
    vec![before, Stm { pat, exp: Exp::Soac(outer), span }]
}

#[cfg(test)]
mod tests {
    use super::super::testing::{body_becomes, stays};
    use super::choice_fission;

    #[test]
    fn what_is_found_and_what_is_done_with_it() {
        body_becomes(
            &[choice_fission],
            "([n i64] [m i64] [xs [f64 n]] [ys [f64 m]]) ([R [f64 n m]])",
            "(let ([r [f64 n m]]) (soac n ([x f64 xs])
               (let ([s f64]) (soac m ([y f64 ys]) (let ([p f64]) (f64.* x y)) (return p)
                 (reduce (0.0f64) ([a f64] [b f64]) (let ([t f64]) (f64.+ a b)) (return t))))
               (let ([c bool]) (f64.< s x))
               (let ([q [f64 m]]) (if c (then (return ys)) (else (let ([z [f64 m]]) (rep x)) (return z))))
               (return q)))
             (return r)",
            "(let ([c.2 [bool n]]) (soac n ([x.1 f64 xs])
               (let ([s f64]) (soac m ([y f64 ys]) (let ([p f64]) (f64.* x.1 y)) (return p)
                 (reduce (0.0f64) ([a f64] [b f64]) (let ([t f64]) (f64.+ a b)) (return t))))
               (let ([c.1 bool]) (f64.< s x.1))
               (return c.1)))
             (let ([r [f64 n m]]) (soac n ([x f64 xs] [c bool c.2])
               (let ([q [f64 m]]) (if c (then (return ys)) (else (let ([z [f64 m]]) (rep x)) (return z))))
               (return q)))
             (return r)",
        );
    }

    #[test]
    fn what_needs_an_array_of_the_first_half_stays() {
        stays(
            &[choice_fission],
            "([n i64] [m i64] [xs [f64 n]] [ys [f64 m]]) ([R [f64 n m]])",
            "(let ([r [f64 n m]]) (soac n ([x f64 xs])
               (let ([s [f64 m]]) (soac m ([y f64 ys]) (let ([p f64]) (f64.* x y)) (return p)))
               (let ([c bool]) (f64.< x 0.0f64))
               (let ([q [f64 m]]) (if c (then (return ys)) (else (return s))))
               (return q)))
             (return r)",
        );
    }
}
