//! Fusion on texts. Statements that are not needed any more are removed for reading.

use super::super::testing::{after, body_becomes, stays};
use super::super::{Pass, dead, fuse, simplify};
use crate::base::Symbol;
use crate::ir::soac::structure::Structure;

const ALL: &[Pass] = &[fuse, simplify, dead];

/// Numbers of operators after fusion.
fn structure(signature: &str, body: &str) -> String {
    let program = after(ALL, &format!("(entry f {signature} {body})"));
    Structure::of(&program, Symbol::new("f")).expect("there is one").to_string()
}

#[test]
fn a_chain_of_maps_and_a_sum_are_one() {
    body_becomes(
        ALL,
        "([n i64] [xs [f32 n]]) ([R f32])",
        "(let ([ys [f32 n]]) (soac n ([x f32 xs]) (let ([y f32]) (f32.sqrt x)) (return y)))
         (let ([zs [f32 n]]) (soac n ([y.1 f32 ys] [x.1 f32 xs]) (let ([z f32]) (f32.* y.1 x.1)) (return z)))
         (let ([s f32]) (soac n ([z.1 f32 zs]) (return z.1)
           (reduce (0.0f32) ([a f32] [b f32]) (let ([t f32]) (f32.+ a b)) (return t))))
         (return s)",
        "(let ([s f32]) (soac n ([x f32 xs])
           (let ([y f32]) (f32.sqrt x))
           (let ([z f32]) (f32.* y x))
           (return z)
           (reduce (0.0f32) ([a f32] [b f32]) (let ([t f32]) (f32.+ a b)) (return t))))
         (return s)",
    );
}

#[test]
fn an_array_that_is_used_twice_is_computed_once() {
    body_becomes(
        ALL,
        "([n i64] [xs [f32 n]]) ([R f32] [S [f32 n]])",
        "(let ([ys [f32 n]]) (soac n ([x f32 xs]) (let ([y f32]) (f32.exp x)) (return y)))
         (let ([s f32]) (soac n ([z f32 ys]) (return z)
           (reduce (0.0f32) ([a f32] [b f32]) (let ([t f32]) (f32.+ a b)) (return t))))
         (return s ys)",
        "(let ([s f32] [ys [f32 n]]) (soac n ([x f32 xs])
           (let ([y f32]) (f32.exp x))
           (return y y)
           (reduce (0.0f32) ([a f32] [b f32]) (let ([t f32]) (f32.+ a b)) (return t))))
         (return s ys)",
    );
}

#[test]
fn consumers_of_all_kinds() {
    let found = structure(
        "([n i64] [xs [f32 n]] [is [i64 n]] [d [f32 n]]) ([K i64] [R [f32 K]] [S [f32 n]] [T [f32 n]] [U [f32 n]])",
        "(let ([a [f32 n]]) (soac n ([x.1 f32 xs]) (let ([y.1 f32]) (f32.exp x.1)) (return y.1)))
         (let ([k i64] [r [f32 k]]) (filter n ([x.2 f32 a]) (let ([c bool]) (f32.> x.2 2.0f32)) (return c x.2)))
         (let ([b [f32 n]]) (soac n ([x.3 f32 xs]) (let ([y.3 f32]) (f32.log x.3)) (return y.3)))
         (let ([s [f32 n]]) (scatter (d) n ([i.1 i64 is] [x.4 f32 b]) (return i.1 x.4)))
         (let ([e [f32 n]]) (soac n ([x.5 f32 xs]) (let ([y.5 f32]) (f32.sin x.5)) (return y.5)))
         (let ([t [f32 n]]) (hist (s) n ([i.2 i64 is] [x.6 f32 e]) (return i.2 x.6)
           (with (0.0f32) ([p f32] [q f32]) (let ([o f32]) (f32.+ p q)) (return o))))
         (let ([g [f32 n]]) (soac n ([x.7 f32 xs]) (let ([y.7 f32]) (f32.cos x.7)) (return y.7)))
         (let ([u [f32 n]]) (soac n ([x.8 f32 g]) (return x.8)
           (scan (0.0f32) ([p.1 f32] [q.1 f32]) (let ([o.1 f32]) (f32.+ p.1 q.1)) (return o.1))))
         (return k r s t u)",
    );
    assert_eq!(found, "scan 1 filter 1 scatter 1 hist 1");
}

#[test]
fn operators_over_the_same_arrays_run_together() {
    let found = structure(
        "([n i64] [xs [f64 n]]) ([R f64] [S f64] [T [f64 n]])",
        "(let ([r f64]) (soac n ([x.1 f64 xs]) (return x.1)
           (reduce (0.0) ([a.1 f64] [b.1 f64]) (let ([t.1 f64]) (f64.+ a.1 b.1)) (return t.1))))
         (let ([s f64]) (soac n ([x.2 f64 xs]) (let ([y f64]) (f64.* x.2 x.2)) (return y)
           (reduce (0.0) ([a.2 f64] [b.2 f64]) (let ([t.2 f64]) (f64.+ a.2 b.2)) (return t.2))))
         (let ([t [f64 n]]) (soac n ([x.3 f64 xs]) (let ([z f64]) (f64.exp x.3)) (return z)))
         (return r s t)",
    );
    assert_eq!(found, "reduce 1");
}

#[test]
fn what_needs_a_result_in_between_prevents_it() {
    let text = "(let ([r f64]) (soac n ([x.1 f64 xs]) (return x.1)
           (reduce (0.0) ([a.1 f64] [b.1 f64]) (let ([t.1 f64]) (f64.+ a.1 b.1)) (return t.1))))
         (let ([m f64]) (f64./ r 2.0))
         (let ([t [f64 n]]) (soac n ([x.3 f64 xs]) (let ([z f64]) (f64.- x.3 m)) (return z)))
         (return r t)";
    stays(ALL, "([n i64] [xs [f64 n]]) ([R f64] [T [f64 n]])", text);
}

#[test]
fn nothing_moves_over_an_update_of_what_it_reads() {
    let text = "(let ([as [f64 n]]) (soac n ([x.1 f64 xs]) (let ([y.1 f64]) (f64.exp x.1)) (return y.1)))
         (let ([us [f64 n]]) (update xs (0) 1.0))
         (let ([bs [f64 n]]) (soac n ([x.2 f64 as]) (let ([y.2 f64]) (f64.log x.2)) (return y.2)))
         (return us bs)";
    stays(ALL, "([n i64] [xs [f64 n]]) ([R [f64 n]] [S [f64 n]])", text);
    let scatter = "(let ([as [f64 n]]) (soac n ([x.1 f64 xs]) (let ([y.1 f64]) (f64.exp x.1)) (return y.1)))
         (let ([us [f64 n]]) (scatter (xs) n ([i i64 is] [x.2 f64 as]) (return i x.2)))
         (return us)";
    stays(ALL, "([n i64] [xs [f64 n]] [is [i64 n]]) ([R [f64 n]])", scatter);
}

#[test]
fn columns_of_what_is_mapped() {
    // A column of a matrix that is made row by row: element 1 of each row.
    body_becomes(
        ALL,
        "([n i64] [xs [f32 n]]) ([R f32])",
        "(let ([yss [f32 n 2]]) (soac n ([x f32 xs])
           (let ([a f32]) (f32.exp x))
           (let ([b f32]) (f32.sin x))
           (let ([row [f32 2]]) (stack a b))
           (return row)))
         (let ([t [f32 2 n]]) (rearrange yss 1 0))
         (let ([column [f32 n]]) (index t 1 unchecked))
         (let ([s f32]) (soac n ([y f32 column]) (return y)
           (reduce (0.0f32) ([p f32] [q f32]) (let ([o f32]) (f32.+ p q)) (return o))))
         (return s)",
        "(let ([s f32]) (soac n ([x f32 xs])
           (let ([b f32]) (f32.sin x))
           (return b)
           (reduce (0.0f32) ([p f32] [q f32]) (let ([o f32]) (f32.+ p q)) (return o))))
         (return s)",
    );
}

#[test]
fn cheap_arrays_are_computed_again_and_costly_ones_are_not() {
    let signature = "([n i64] [m i64] [xs [f32 n]] [is [i64 m]]) ([R [f32 m]])";
    let body = |op: &str| {
        format!(
            "(let ([ys [f32 n]]) (soac n ([x f32 xs]) (let ([y f32]) (f32.{op} x)) (return y)))
             (let ([r [f32 m]]) (soac m ([i i64 is])
               (let () (check bounds i n))
               (let ([z f32]) (index ys i unchecked))
               (return z)))
             (return r)"
        )
    };
    assert_eq!(structure(signature, &body("neg")), "map 1 check 1");
    assert_eq!(structure(signature, &body("exp")), "map 2 check 1");
}

#[test]
fn fusion_happens_in_lambdas_and_loops() {
    let found = structure(
        "([n i64] [xss [f32 n n]]) ([R [f32 n n]])",
        "(let ([r [f32 n n]]) (loop ([a [f32 n n] xss]) (for k n)
           (let ([s [f32 n n]]) (soac n ([row [f32 n] a])
             (let ([u [f32 n]]) (soac n ([x.1 f32 row]) (let ([y.1 f32]) (f32.exp x.1)) (return y.1)))
             (let ([v [f32 n]]) (soac n ([x.2 f32 u]) (let ([y.2 f32]) (f32.sin x.2)) (return y.2)))
             (return v)))
           (return s)))
         (return r)",
    );
    assert_eq!(found, "map 2 loop 1");
}

#[test]
fn parts_of_what_is_mapped() {
    body_becomes(
        ALL,
        "([n i64] [xs [f32 n]] [ys [f32 n]]) ([R [f32 n]])",
        "(let ([as [f32 n]]) (soac n ([x f32 xs] [y f32 ys]) (let ([a f32]) (f32.** x y)) (return a)))
         (let ([last i64]) (i64.- n 1))
         (let ([bs [f32 n]]) (slice as last -1 unchecked))
         (let ([cs [f32 n]]) (soac n ([b f32 bs]) (let ([c f32]) (f32.exp b)) (return c)))
         (return cs)",
        "(let ([last i64]) (i64.- n 1))
         (let ([xs.1 [f32 n]]) (slice xs last -1 unchecked))
         (let ([ys.1 [f32 n]]) (slice ys last -1 unchecked))
         (let ([cs [f32 n]]) (soac n ([x f32 xs.1] [y f32 ys.1])
           (let ([a f32]) (f32.** x y))
           (let ([c f32]) (f32.exp a))
           (return c)))
         (return cs)",
    );
}
