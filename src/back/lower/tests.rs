//! Where arrays are put: small programs and the copies and buffers that they must, or must not, have.

use super::{Options, lower};
use crate::base::{SourceMap, with_big_stack};
use crate::ir::imp::Stmt;
use crate::ir::soac::read;
use crate::middle::optimise::{concat_updates, in_place};

/// How many buffers and copies of several elements a program has.
fn memory(text: &str) -> (usize, usize) {
    with_big_stack(|| {
        let mut sources = SourceMap::default();
        let file = sources.add("test.soac", text.to_owned());
        let program = in_place(concat_updates(read::program(file, text).expect("a program")));
        let program = lower(&program, Options { strict: false, device: false });
        let mut found = (0, 0);
        program.funs.iter().for_each(|(_, fun)| count(&fun.body, &mut found));
        found
    })
}

fn count(list: &[Stmt], found: &mut (usize, usize)) {
    for stmt in list {
        match stmt {
            Stmt::Alloc { .. } => found.0 += 1,
            Stmt::Copy { .. } => found.1 += 1,
            Stmt::For { body, .. } => count(body, found),
            Stmt::While(first, _, second) => {
                count(first, found);
                count(second, found);
            }
            Stmt::If(_, then, els) => {
                count(then, found);
                count(els, found);
            }
            Stmt::Parallel(parallel) => count(&parallel.body, found),
            _ => {}
        }
    }
}

/// A loop that changes all but the first element of a vector.
fn step(body: &str) -> String {
    format!(
        "(entry f ([n i64] [xs [f32 (+ 1 n n)]]) ([R [f32 (+ 1 n n)]])
           (let ([r [f32 (+ 1 n n)]]) (loop ([a [f32 (+ 1 n n)] xs]) (for k n)
             {body}
             (let ([c [f32 (+ 1 n n)]]) (update-slice a 1 1 new unchecked))
             (return c)))
           (return r))"
    )
}

#[test]
fn cells_are_written_over_those_they_come_from() {
    let own = step(
        "(let ([x f32]) (index a 0 unchecked))
         (let ([v [f32 n]]) (slice a 1 1 unchecked))
         (let ([new [f32 n]]) (soac n ([y f32 v]) (let ([t f32]) (f32.+ x y)) (return t)))",
    );
    // One copy of the argument, in a buffer for all iterations.
    assert_eq!(memory(&own), (1, 1));
}

#[test]
fn cells_that_others_need_are_not() {
    let neighbours = step(
        "(let ([v [f32 n]]) (slice a 1 1 unchecked))
         (let ([w [f32 n]]) (slice a 0 1 unchecked))
         (let ([new [f32 n]]) (soac n ([x f32 v] [y f32 w]) (let ([t f32]) (f32.+ x y)) (return t)))",
    );
    let (buffers, copies) = memory(&neighbours);
    assert!(buffers == 2 && copies >= 2, "{buffers} {copies}");
}

#[test]
fn parts_of_concatenations_are_made_in_their_places() {
    let text = "(entry f ([n i64] [xs [f32 n]]) ([R [f32 (+ n n)]])
           (let ([a [f32 n]]) (soac n ([x f32 xs]) (let ([t f32]) (f32.+ x x)) (return t)))
           (let ([b [f32 n]]) (soac n ([y f32 xs]) (let ([u f32]) (f32.* y y)) (return u)))
           (let ([r [f32 (+ n n)]]) (concat a b))
           (return r))";
    assert_eq!(memory(text).1, 0);
}

#[test]
fn what_dies_in_a_map_is_overwritten() {
    let text = "(entry f ([n i64] [xs [f32 n]]) ([R [f32 n]])
           (let ([a [f32 n]] [s f32]) (soac n ([x f32 xs])
             (let ([t f32]) (f32.+ x x)) (return t t)
             (reduce commutative (0.0f32) ([u f32] [v f32]) (let ([w f32]) (f32.+ u v)) (return w))))
           (let ([r [f32 n]]) (soac n ([y f32 a]) (let ([z f32]) (f32./ y s)) (return z)))
           (return r))";
    let text = text.replace("([a [f32 n]] [s f32])", "([s f32] [a [f32 n]])");
    // The result, what the chunks have added up, and a copy for the case that the result is not made here, which is never run.
    assert_eq!(memory(&text).0, 2);
}
