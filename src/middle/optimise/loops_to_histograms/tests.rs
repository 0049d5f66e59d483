//! Loops before and after.

use super::super::testing::{body_becomes, stays};
use super::super::{dead, simplify};
use super::loops_to_histograms;

#[test]
fn one_write_in_each_iteration() {
    body_becomes(
        &[loops_to_histograms, simplify, dead],
        "([n i64] [h [i32 n]] [k i64] [is [i64 k]]) ([R [i32 n]])",
        "(let ([r [i32 n]]) (loop ([a [i32 n] h]) (for j k)
           (let ([i i64]) (index is j unchecked))
           (let ([b [i32 n]]) (hist (a) 1 () (return i 1i32) (with commutative (0i32) ([x i32] [y i32]) (let ([s i32]) (i32.+ x y)) (return s))))
           (return b)))
         (return r)",
        "(let ([numbers [i64 k]]) (iota 0 1))
         (let ([log [i64 k]]) (soac k ([j i64 numbers])
           (let ([i i64]) (index is j unchecked))
           (return i)))
         (let ([r [i32 n]]) (hist (h) k ([w i64 log])
           (return w 1i32)
           (with commutative (0i32) ([x i32] [y i32]) (let ([s i32]) (i32.+ x y)) (return s))))
         (return r)",
    );
}

#[test]
fn branches_and_loops_write_logs_of_one_length() {
    body_becomes(
        &[loops_to_histograms, dead],
        "([n i64] [h [i32 n]] [cs [bool 5]]) ([R [i32 n]])",
        "(let ([r [i32 n]]) (loop ([a [i32 n] h]) (for j 5i64)
           (let ([c bool]) (index cs j unchecked))
           (let ([b [i32 n]]) (if c
             (then
               (let ([d [i32 n]]) (loop ([e [i32 n] a]) (for q 3i64)
                 (let ([f [i32 n]]) (scatter (e) 1 () (return q 1i32)))
                 (return f)))
               (return d))
             (else (return a))))
           (return b)))
         (return r)",
        "(let ([numbers [i64 5]]) (iota 0 1))
         (let ([log [i64 5 3]] [log.1 [i32 5 3]]) (soac 5 ([j i64 numbers])
           (let ([c bool]) (index cs j unchecked))
           (let ([log.2 [i64 3]] [log.3 [i32 3]]) (if c
             (then
               (let ([numbers.1 [i64 3]]) (iota 0 1))
               (let ([log.4 [i64 3]] [log.5 [i32 3]]) (soac 3 ([q i64 numbers.1]) (return q 1i32)))
               (return log.4 log.5))
             (else
               (let ([none [i64 3]]) (rep -1i64))
               (let ([none.1 [i32 3]]) (rep 0i32))
               (return none none.1))))
           (return log.2 log.3)))
         (let ([log.6 [i64 15]]) (reshape log))
         (let ([log.7 [i32 15]]) (reshape log.1))
         (let ([r [i32 n]]) (scatter (h) 15 ([w i64 log.6] [w.1 i32 log.7]) (return w w.1)))
         (return r)",
    );
}

#[test]
fn arrays_that_are_read_and_counts_of_the_iteration_stay() {
    stays(
        &[loops_to_histograms],
        "([n i64] [h [i64 n]] [k i64]) ([R [i64 n]] [S [i64 n]] [T [i64 n]])",
        "(let ([r [i64 n]]) (loop ([a [i64 n] h]) (for j k)
           (let ([x i64]) (index a j))
           (let ([b [i64 n]]) (scatter (a) 1 () (return x j)))
           (return b)))
         (let ([s [i64 n]] [t [i64 n]]) (loop ([c [i64 n] h] [d [i64 n] h]) (for i k)
           (let ([e [i64 n]]) (scatter (c) 1 () (return i i)))
           (return d e)))
         (return r s t)",
    );
    stays(
        &[loops_to_histograms],
        "([n i64] [h [i64 n]] [k i64]) ([R [i64 n]] [S [i64 n]])",
        "(let ([r [i64 n]]) (loop ([a [i64 n] h]) (for j k)
           (let ([b [i64 n]] [c i64]) (loop ([d [i64 n] a] [m i64 j]) (while (let ([x bool]) (i64.> m 0)) (return x))
             (let ([e [i64 n]]) (scatter (d) 1 () (return m j)))
             (let ([h2 i64]) (i64./ m 2))
             (return e h2)))
           (return b)))
         (let ([s [i64 n]]) (loop ([f [i64 n] h]) (for i k)
           (let ([g [i64 n]]) (hist (f) 1 () (return i i) (with (0) ([x.1 i64] [y.1 i64]) (let ([u i64]) (i64.+ x.1 y.1)) (return u))))
           (let ([l [i64 n]]) (hist (g) 1 () (return i i) (with (0) ([x.2 i64] [y.2 i64]) (let ([v i64]) (i64.max x.2 y.2)) (return v))))
           (return l)))
         (return r s)",
    );
}
