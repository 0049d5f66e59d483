//! Rules of simplification on texts. Statements that are not needed any more stay: `dead` removes them.

use super::super::testing::{body_becomes, stays};
use super::super::{Pass, dead, simplify};

const BOTH: &[Pass] = &[simplify, dead];

#[test]
fn constants_are_folded_but_not_failures() {
    body_becomes(
        BOTH,
        "() ([R i64] [S f32] [T i64])",
        "(let ([a i64]) (i64.+ 2 3))
         (let ([b f32]) (f32.sqrt 4.0f32))
         (let ([c i64]) (i64./ 1 0))
         (return a b c)",
        "(let ([c i64]) (i64./ 1 0))
         (return 5 2.0f32 c)",
    );
}

#[test]
fn identities_of_integers() {
    body_becomes(
        BOTH,
        "([x i32] [y i32]) ([A i32] [B i32] [C i32] [D i32] [E bool])",
        "(let ([a i32]) (i32.+ x 0i32))
         (let ([b i32]) (i32.* 1i32 a))
         (let ([c i32]) (i32.- b x))
         (let ([d i32]) (i32.min y y))
         (let ([e bool]) (i32.< x x))
         (return a b c d e)",
        "(return x x 0i32 y false)",
    );
}

#[test]
fn identities_of_floats_are_exact() {
    body_becomes(
        BOTH,
        "([x f64]) ([A f64] [B f64] [C f64] [D f64])",
        "(let ([a f64]) (f64.* x 1.0))
         (let ([b f64]) (f64.- a 0.0))
         (let ([c f64]) (f64.+ -0.0 b))
         (let ([d f64]) (f64./ c 1.0))
         (return a b c d)",
        "(return x x x x)",
    );
    // -0.0 + 0.0 is 0.0, 0.0 * inf is nan, nan - nan is nan, and so is nan / nan.
    for kept in ["(f64.+ x 0.0)", "(f64.* x 0.0)", "(f64.- x x)", "(f64./ x x)", "(f64.- 0.0 x)"] {
        stays(BOTH, "([x f64]) ([R f64])", &format!("(let ([a f64]) {kept}) (return a)"));
    }
    stays(BOTH, "([x f64]) ([R bool])", "(let ([a bool]) (f64.== x x)) (return a)");
}

#[test]
fn sizes_are_polynomials() {
    body_becomes(
        BOTH,
        "([n i64] [xs [f32 n]]) ([R [f32 n]] [S i64])",
        "(let ([a i64]) (i64.- n 1))
         (let ([b i64]) (i64.+ a 1))
         (let ([c i64]) (i64.- b n))
         (let ([v [f32 b]]) (slice xs c 1))
         (let ([w [f32 n]]) (coerce v))
         (return w b)",
        "(return xs n)",
    );
}

#[test]
fn checks_are_proved_by_counters() {
    body_becomes(
        BOTH,
        "([n i64] [xs [f32 n]]) ([R f32])",
        "(let ([s.1 f32]) (loop ([s.2 f32 0.0f32]) (for i n)
           (let ([x f32]) (index xs i))
           (let ([last i64]) (i64.- n 1))
           (let ([j i64]) (i64.- last i))
           (let ([y f32]) (index xs j))
           (let ([a f32]) (f32.* x y))
           (let ([t f32]) (f32.+ s.2 a))
           (return t)))
         (return s.1)",
        "(let ([s.1 f32]) (loop ([s.2 f32 0.0f32]) (for i n)
           (let ([x f32]) (index xs i unchecked))
           (let ([last i64]) (i64.- n 1))
           (let ([j i64]) (i64.- last i))
           (let ([y f32]) (index xs j unchecked))
           (let ([a f32]) (f32.* x y))
           (let ([t f32]) (f32.+ s.2 a))
           (return t)))
         (return s.1)",
    );
    // Not one more.
    stays(
        BOTH,
        "([n i64] [xs [f32 n]]) ([R f32])",
        "(let ([s.1 f32]) (loop ([s.2 f32 0.0f32]) (for i n)
           (let ([j i64]) (i64.+ i 1))
           (let ([x f32]) (index xs j))
           (return x)))
         (return s.1)",
    );
}

#[test]
fn a_check_that_did_not_fail_holds() {
    body_becomes(
        BOTH,
        "([n i64] [xs [f32 n]] [i i64] [m i64]) ([R f32] [S [f32 m]])",
        "(let ([a f32]) (index xs i))
         (let ([b f32]) (index xs i))
         (let ([c f32]) (f32.+ a b))
         (let ([ys [f32 m]]) (slice xs 0 1))
         (let () (check natural m))
         (let ([zs [f32 m]]) (slice xs 0 1))
         (let ([v [f32 m]]) (soac m ([y f32 ys] [z f32 zs]) (let ([t f32]) (f32.+ y z)) (return t)))
         (return c v)",
        "(let ([a f32]) (index xs i))
         (let ([b f32]) (index xs i unchecked))
         (let ([c f32]) (f32.+ a b))
         (let ([ys [f32 m]]) (slice xs 0 1))
         (let ([zs [f32 m]]) (slice xs 0 1 unchecked))
         (let ([v [f32 m]]) (soac m ([y f32 ys] [z f32 zs]) (let ([t f32]) (f32.+ y z)) (return t)))
         (return c v)",
    );
}

#[test]
fn elements_of_known_arrays() {
    body_becomes(
        BOTH,
        "([n i64] [x f32] [i i64] [xss [f32 n n]]) ([A i64] [B f32] [C i32] [D f32] [E f32])",
        "(let ([is [i64 n]]) (iota 5 2))
         (let ([a i64]) (index is i))
         (let ([xs [f32 n]]) (rep x))
         (let ([b f32]) (index xs i))
         (let ([table [i32 3]]) (literal 7i32 8i32 9i32))
         (let ([c i32]) (index table 2))
         (let ([t [f32 n n]]) (rearrange xss 1 0))
         (let ([row [f32 n]]) (index t i))
         (let ([d f32]) (index row 0))
         (let ([s [f32 2]]) (stack x d))
         (let ([e f32]) (index s 1))
         (return a b c d e)",
        "(let () (check bounds i n))
         (let ([t.1 i64]) (i64.* i 2))
         (let ([t.2 i64]) (i64.+ 5 t.1))
         (let ([d f32]) (index xss 0 i unchecked))
         (return t.2 x 9i32 d d)",
    );
}

#[test]
fn slices_of_slices_and_reverse_twice() {
    body_becomes(
        BOTH,
        "([n i64] [xs [f32 n]]) ([A [f32 n]] [B f32])",
        "(let ([last i64]) (i64.- n 1))
         (let ([r.1 [f32 n]]) (slice xs last -1 unchecked))
         (let ([r.2 [f32 n]]) (slice r.1 last -1 unchecked))
         (let () (check bounds 0 n))
         (let ([x f32]) (index r.1 0 unchecked))
         (return r.2 x)",
        "(let ([last i64]) (i64.- n 1))
         (let () (check bounds 0 n))
         (let ([x f32]) (index xs last unchecked))
         (return xs x)",
    );
}

#[test]
fn branches() {
    body_becomes(
        BOTH,
        "([c bool] [x f32] [y f32]) ([R f32] [S f32] [T bool] [U f32])",
        "(let ([r f32]) (if true (then (return x)) (else (return y))))
         (let ([s f32] [t bool]) (if c (then (return x true)) (else (return x false))))
         (let ([u f32]) (if c
           (then (let ([v f32]) (if c (then (return x)) (else (return y)))) (return v))
           (else (return y))))
         (return r s t u)",
        "(let ([u f32]) (if c (then (return x)) (else (return y))))
         (return x x c u)",
    );
}

#[test]
fn loops_that_run_never_or_once_and_parameters_that_stay() {
    body_becomes(
        BOTH,
        "([n i64] [x i64]) ([A i64] [B i64] [C i64] [D i64])",
        "(let ([a i64]) (loop ([p.1 i64 x]) (for i.1 0) (let ([q i64]) (i64.* p.1 2)) (return q)))
         (let ([b i64]) (loop ([p.2 i64 x]) (for i.2 1) (let ([q.2 i64]) (i64.* p.2 3)) (return q.2)))
         (let ([c i64] [d i64]) (loop ([p.3 i64 x] [k i64 n]) (for i.3 n) (let ([q.3 i64]) (i64.* p.3 k)) (return q.3 k)))
         (return a b c d)",
        "(let ([q.2 i64]) (i64.* x 3))
         (let ([c i64]) (loop ([p.3 i64 x]) (for i.3 n) (let ([q.3 i64]) (i64.* p.3 n)) (return q.3)))
         (return x q.2 c n)",
    );
}

#[test]
fn results_of_maps_that_are_known() {
    body_becomes(
        BOTH,
        "([n i64] [xs [f32 n]] [c f32]) ([A [f32 n]] [B [f32 n]] [D [f32 n]])",
        "(let ([ones [f32 n]]) (rep 1.0f32))
         (let ([a [f32 n]] [b [f32 n]] [d [f32 n]]) (soac n ([x f32 xs] [y f32 ones] [z f32 xs])
           (let ([p f32]) (f32.* x y))
           (let ([q f32]) (f32.+ p z))
           (return p c q)))
         (return a b d)",
        "(let ([b [f32 n]]) (rep c))
         (let ([d [f32 n]]) (soac n ([x f32 xs])
           (let ([q f32]) (f32.+ x x))
           (return q)))
         (return xs b d)",
    );
}

#[test]
fn a_few_operations_instead_of_a_branch() {
    body_becomes(
        BOTH,
        "([c bool] [x f64] [y f64]) ([R bool] [S bool])",
        "(let ([r bool]) (if c
           (then (let ([s f64]) (f64.* x y)) (let ([t bool]) (f64.< s 4.0)) (return t))
           (else (return false))))
         (let ([u bool]) (if c
           (then (return true))
           (else (let ([v f64]) (f64.exp x)) (let ([w bool]) (f64.< v 4.0)) (return w))))
         (return r u)",
        "(let ([s f64]) (f64.* x y))
         (let ([t bool]) (f64.< s 4.0))
         (let ([r bool]) (bool.&& c t))
         (let ([u bool]) (if c
           (then (return true))
           (else (let ([v f64]) (f64.exp x)) (let ([w bool]) (f64.< v 4.0)) (return w))))
         (return r u)",
    );
}

#[test]
fn remainders_are_in_bounds() {
    body_becomes(
        BOTH,
        "([n i64] [xs [f32 n]] [i i64]) ([R f32])",
        "(let ([j i64]) (i64.% i n)) (let ([x f32]) (index xs j)) (return x)",
        "(let ([j i64]) (i64.% i n)) (let ([x f32]) (index xs j unchecked)) (return x)",
    );
    // The remainder that truncates may be negative.
    stays(BOTH, "([n i64] [xs [f32 n]] [i i64]) ([R f32])", "(let ([j i64]) (i64.%% i n)) (let ([x f32]) (index xs j)) (return x)");
}

#[test]
fn updates_of_cells_are_updates_of_the_whole() {
    body_becomes(
        BOTH,
        "([n i64] [xs [f32 n n n]] [i i64] [j i64]) ([R [f32 n n n]])",
        "(let ([a [f32 n n]]) (index xs i))
         (let ([row [f32 n]]) (index a j unchecked))
         (let ([b [f32 n]]) (update row (i) 1.0f32))
         (let ([c [f32 n n]]) (update a (j) b unchecked))
         (let ([d [f32 n n n]]) (update xs (i) c unchecked))
         (return d)",
        "(let ([a [f32 n n]]) (index xs i))
         (let ([d [f32 n n n]]) (update xs (i j i) 1.0f32 unchecked))
         (return d)",
    );
}

#[test]
fn updates_of_other_cells_stay() {
    stays(
        BOTH,
        "([n i64] [xs [f32 n n]] [i i64] [j i64]) ([R [f32 n n]])",
        "(let ([row [f32 n]]) (index xs i))
         (let ([b [f32 n]]) (update row (j) 1.0f32))
         (let ([d [f32 n n]]) (update xs (j) b unchecked))
         (return d)",
    );
}
