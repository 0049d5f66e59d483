use super::super::testing::becomes;
use super::recursion_to_loops;

#[test]
fn a_call_at_the_end_is_a_loop() {
    becomes(
        &[recursion_to_loops],
        "(fun-rec g ([a i64] [b i64]) ([R i64])
           (let ([c bool]) (i64.== b 0i64))
           (let ([x i64]) (if c (then (return a)) (else (let ([d i64]) (i64.% a b)) (let ([r i64]) (call g.0 b d)) (return r))))
           (return x))",
        "",
    );
}
