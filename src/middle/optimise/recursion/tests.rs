//! Which functions that call themselves become loops, and which loops they become.

use super::super::testing::after;
use super::recursion_to_loops;
use crate::base::with_big_stack;
use crate::ir::soac::{Exp, LoopForm, Program, structure::Structure};

/// The functions that are still called by themselves, and the loops of the others.
fn made(text: &str) -> (usize, usize) {
    let program: Program = with_big_stack(|| after(&[recursion_to_loops], text));
    let recursive = program.funs.iter().filter(|(_, fun)| fun.recursive).count();
    let whiles = |stm: &crate::ir::soac::Stm| matches!(&stm.exp, Exp::Loop { form: LoopForm::While(_), .. });
    let loops = program.funs.iter().map(|(_, fun)| fun.body.stms.iter().filter(|stm| whiles(stm)).count()).sum();
    (recursive, loops)
}

/// A function of these parameters and this result with a branch, with what it returns at its exit and else.
fn function(params: &str, result: &str, cond: &str, exit: &str, els: &str) -> String {
    let ty = result.trim_start_matches("([R ").trim_end_matches("])");
    format!("(fun-rec g {params} {result} (let ([c bool]) {cond}) (let ([x {ty}]) (if c (then {exit}) (else {els}))) (return x))")
}

#[test]
fn calls_at_the_end_and_sums_are_loops() {
    let number = |els: &str| function("([a i64] [b i64])", "([R i64])", "(i64.== b 0i64)", "(return a)", els);
    assert_eq!(made(&number("(let ([d i64]) (i64.% a 7i64)) (let ([r i64]) (call g.0 b d)) (return r)")), (0, 1));
    assert_eq!(made(&number("(let ([r i64]) (call g.0 b a)) (let ([s i64]) (i64.+ a r)) (return s)")), (0, 1));
    assert_eq!(made(&number("(let ([r i64]) (call g.0 b a)) (let ([s i64]) (i64.* r 2i64)) (return s)")), (0, 1));
    // Differences depend on the order, two calls are no loop, and what is looked at on the way has to be there.
    assert_eq!(made(&number("(let ([r i64]) (call g.0 b a)) (let ([s i64]) (i64.- a r)) (return s)")), (1, 0));
    assert_eq!(
        made(&number("(let ([r i64]) (call g.0 b a)) (let ([q i64]) (call g.0 a r)) (let ([s i64]) (i64.+ q r)) (return s)")),
        (1, 0)
    );
    let looked = "(let ([r i64]) (call g.0 b a)) (let ([s i64]) (i64.+ a r)) (let () (check natural s)) (return s)";
    assert_eq!(made(&number(looked)), (1, 0));
}

#[test]
fn floats_keep_their_order() {
    let text = function(
        "([n i64] [y f64])",
        "([R f64])",
        "(i64.== n 0i64)",
        "(return y)",
        "(let ([m i64]) (i64.- n 1i64)) (let ([r f64]) (call g.0 m y)) (let ([s f64]) (f64.+ y r)) (return s)",
    );
    assert_eq!(made(&text), (1, 0));
}

const REVERSED: &str = "(let ([v [i64 (+ -1 d)]]) (slice xs 1i64 1i64)) (let ([m i64]) (size (+ -1 d)))
    (let ([r [i64 (+ -1 d)]]) (call g.0 m v)) (let ([e i64]) (index xs 0i64)) (let ([p [i64 1]]) (stack e))
    (let ([j [i64 d]]) (concat r p)) (return j)";

#[test]
fn joins_write_into_one_array() {
    let params = "([d i64] [xs [i64 d]])";
    let text = function(params, "([R [i64 d]])", "(i64.<= d 1i64)", "(return xs)", REVERSED);
    assert_eq!(made(&text), (0, 1));
    let entry = format!("{text} (entry f ([n i64] [ys [i64 n]]) ([Q [i64 n]]) (let ([q [i64 n]]) (call g.0 n ys)) (return q))");
    let program = with_big_stack(|| after(&[recursion_to_loops], &entry));
    let structure = Structure::of(&program, "f".into()).expect("it is there");
    assert_eq!((structure.loops, structure.calls, structure.copies), (1, 0, 0));
    // What is made of the joined array on the way needs it.
    let looked = REVERSED.replace("(return j)", "(let ([h i64]) (index j 0i64)) (let () (check natural h)) (return j)");
    assert_eq!(made(&function(params, "([R [i64 d]])", "(i64.<= d 1i64)", "(return xs)", &looked)), (1, 0));
}
