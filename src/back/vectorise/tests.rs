//! Loops with known lanes, their text before and after; how indices move from one iteration to the next.

use super::affine::{Defs, Step, Steps};
use super::vectorise;
use crate::back::lower::{Options, lower};
use crate::base::{Idx, SourceMap, with_big_stack};
use crate::ir::imp::{Expr, Fun, Int, Local, Order, Program, Stmt, check, visit};
use crate::ir::soac::read;

/// What the loops of a program are like.
#[derive(Debug, Default, PartialEq)]
struct Loops {
    /// Over lanes.
    lanes: usize,
    /// Those of them that have a loop inside.
    kept: usize,
    /// Reductions of several sums side by side.
    side_by_side: usize,
    /// Loops that end when all lanes have.
    masked: usize,
    /// Copies of what lies apart.
    copies: usize,
    /// Reciprocals that are computed for loops.
    reciprocals: usize,
    /// Blocks of which the last begins before the one before it has ended.
    overlapping: usize,
}

/// A program lowered and rewritten.
fn vectorised(text: &str, strict: bool) -> Program {
    with_big_stack(|| {
        let mut sources = SourceMap::default();
        let file = sources.add("test.soac", text.to_owned());
        let program = read::program(file, text).expect("a program");
        let program = vectorise(lower(&program, Options { strict, device: false }));
        check::validate(&program).expect("a valid program");
        program
    })
}

fn loops(text: &str, strict: bool) -> Loops {
    let mut found = Loops::default();
    for (_, fun) in vectorised(text, strict).funs.iter() {
        count(fun, &fun.body, &mut found);
    }
    found
}

fn count(fun: &Fun, list: &[Stmt], found: &mut Loops) {
    for stmt in list {
        match stmt {
            Stmt::For { var, order, body, .. } => {
                if fun.locals[*var].name.as_str() == "lane" {
                    found.lanes += 1;
                    found.kept += usize::from(body.iter().any(|stmt| matches!(stmt, Stmt::For { .. })));
                }
                let together = matches!(order, Order::Reduce(sums) if sums.len() == 4);
                // Sums that share the registers: each lane reads them, and adds to them.
                let stores = body.iter().filter(|stmt| matches!(stmt, Stmt::Store(..))).count();
                let adds = *order == Order::Any && matches!(body.first(), Some(Stmt::Set(..)));
                found.side_by_side += usize::from(together || adds && stores == 4);
                count(fun, body, found);
            }
            Stmt::While(first, _, second) => {
                let lanes = second.iter().any(|stmt| matches!(stmt, Stmt::For { var, .. } if fun.locals[*var].name.as_str() == "lane"));
                found.masked += usize::from(lanes);
                count(fun, first, found);
                count(fun, second, found);
            }
            Stmt::If(_, then, els) => {
                count(fun, then, found);
                count(fun, els, found);
            }
            Stmt::Parallel(parallel) => count(fun, &parallel.body, found),
            Stmt::Set(local, e) => {
                found.reciprocals += usize::from(fun.locals[*local].name.as_str() == "reciprocal");
                found.overlapping += usize::from(matches!(e, Expr::Int(Int::Min, ..)));
            }
            Stmt::Alloc { handle, .. } => found.copies += usize::from(fun.handles[*handle].name.as_str() == "packed"),
            _ => {}
        }
    }
}

const SUM: &str = "(reduce commutative (0.0f32) ([a f32] [b f32]) (let ([c f32]) (f32.+ a b)) (return c))";

/// A function of the rows of a matrix, with a vector of the size of the rows.
fn of_rows(body: &str) -> String {
    format!(
        "(entry f ([n i64] [m i64] [xs [f32 n m]] [w [f32 m]]) ([R [f32 n]])
           (let ([r [f32 n]]) (soac n ([row [f32 m] xs]) {body}))
           (return r))"
    )
}

#[test]
fn short_sums_are_made_side_by_side() {
    let text = format!(
        "(entry f ([n i64] [p i64] [xs [f32 (+ n p)]] [k [f32 p]]) ([R [f32 n]])
           (let ([is [i64 n]]) (iota 0 1))
           (let ([r [f32 n]]) (soac n ([i i64 is])
             (let ([v [f32 p]]) (slice xs i 1 unchecked))
             (let ([s f32]) (soac p ([x f32 v] [y f32 k]) (let ([t f32]) (f32.* x y)) (return t) {SUM}))
             (return s)))
           (return r))"
    );
    let found = loops(&text, false);
    assert!(found.lanes >= 6 && found.kept == 0 && found.overlapping > 0, "{found:?}");
    // Lanes change no sum, so they may be used where sums are made in order.
    assert!(loops(&text, true).lanes >= 6);
}

#[test]
fn sums_along_rows_stay_in_their_lanes() {
    let row = format!("(let ([s f32]) (soac m ([x f32 row] [y f32 w]) (let ([t f32]) (f32.* x y)) (return t) {SUM})) (return s)");
    let found = loops(&of_rows(&row), false);
    assert!(found.side_by_side == 1 && found.overlapping == 0, "{found:?}");
}

#[test]
fn rows_that_are_added_to_the_same_sums_are_done_several_at_a_time() {
    let text = "(entry f ([n i64] [m i64] [a [f32 n m]] [x [f32 m]] [y [f32 n]]) ([R [f32 n]] [S [f32 m]])
           (let ([none [f32 m]]) (rep 0.0f32))
           (let ([all [f32 m]] [each [f32 n]]) (soac n ([row [f32 m] a] [w f32 y])
             (let ([s f32] [v [f32 m]]) (soac m ([b f32 row] [z f32 x])
               (let ([t f32]) (f32.* b z))
               (let ([u f32]) (f32.* b w))
               (return t u)
               (reduce commutative (0.0f32) ([c f32] [d f32]) (let ([e f32]) (f32.+ c d)) (return e))))
             (return v s)
             (reduce commutative (none) ([g [f32 m]] [h [f32 m]])
               (let ([k [f32 m]]) (soac m ([o f32 g] [p f32 h]) (let ([q f32]) (f32.+ o p)) (return q)))
               (return k))))
           (return each all))";
    assert_eq!(loops(text, false).side_by_side, 1);
}

#[test]
fn maps_of_maps_and_what_may_fail_stay() {
    let map = "(entry f ([n i64] [m i64] [xs [f32 n m]]) ([R [f32 n m]])
           (let ([r [f32 n m]]) (soac n ([row [f32 m] xs])
             (let ([s [f32 m]]) (soac m ([x f32 row]) (let ([t f32]) (f32.* x x)) (return t)))
             (return s)))
           (return r))";
    assert_eq!(loops(map, false), Loops::default());
    let fails = "(entry f ([n i64] [p i64] [xs [i64 n]] [k [i64 p]]) ([R [i64 n]])
           (let ([r [i64 n]]) (soac n ([x i64 xs])
             (let ([s i64]) (soac p ([y i64 k])
               (let ([t i64]) (i64./ x y)) (return t)
               (reduce commutative (0) ([a i64] [b i64]) (let ([c i64]) (i64.+ a b)) (return c))))
             (return s)))
           (return r))";
    assert_eq!(loops(fails, false), Loops::default());
}

#[test]
fn loops_of_different_lengths_end_together() {
    let text = "(entry f ([n i64] [xs [i64 n]]) ([R [i64 n]])
           (let ([r [i64 n]]) (soac n ([x i64 xs])
             (let ([y i64]) (loop ([z i64 x]) (while (let ([c bool]) (i64.< z 1000)) (return c))
               (let ([w i64]) (i64.+ z z))
               (return w)))
             (return y)))
           (return r))";
    assert!(loops(text, false).masked >= 1);
}

/// How many variables lanes that have left a loop keep, for each loop that ends when it has in all lanes; and whether they end together.
fn kept(text: &str) -> Vec<(usize, bool)> {
    fn blends(e: &Expr) -> usize {
        let mut found = usize::from(matches!(e, Expr::Blend(..)));
        e.parts(&mut |e| found += blends(e));
        found
    }
    fn walk(list: &[Stmt], out: &mut Vec<(usize, bool)>) {
        for stmt in list {
            if let Stmt::While(_, cond, second) = stmt {
                let body = second.iter().find_map(|stmt| if let Stmt::For { body, .. } = stmt { Some(body) } else { None });
                if let Some(body) = body {
                    let values = body.iter().filter_map(|stmt| match stmt {
                        Stmt::Set(_, e) | Stmt::Store(_, _, e) => Some(e),
                        _ => None,
                    });
                    // One is what says which lanes are in the loop.
                    out.push((values.map(blends).sum::<usize>() - 1, matches!(cond, Expr::Int(Int::And, ..))));
                }
            }
            visit::inside(stmt.clone(), &mut |body| {
                walk(&body, out);
                body
            });
        }
    }
    let mut out = Vec::new();
    for (_, fun) in vectorised(text, false).funs.iter() {
        walk(&fun.body, &mut out);
    }
    out
}

/// A loop with a counter and a limit, and what is computed of its results `y` and `k` behind it.
fn limited(limit: &str, behind: &str) -> String {
    format!(
        "(entry f ([n i64] [m i32] [xs [f64 n]]) ([R [f64 n]])
           (let ([r [f64 n]]) (soac n ([x f64 xs])
             (let ([t i32]) (i32.f64 x))
             (let ([y f64] [k i32]) (loop ([z f64 x] [i i32 0i32])
               (while (let ([a bool]) (i32.< i {limit})) (let ([b bool]) (f64.< z 9.0f64)) (let ([c bool]) (bool.&& a b)) (return c))
               (let ([w f64]) (f64.* z 2.0f64))
               (let ([j i32]) (i32.+ i 1i32))
               (return w j)))
             {behind}))
           (return r))"
    )
}

#[test]
fn lanes_keep_what_is_read_behind_a_loop() {
    let all = |text: &str, keeps: usize, together: bool| {
        let found = kept(text);
        assert!(!found.is_empty() && found.iter().all(|one| *one == (keeps, together)), "{found:?}");
    };
    let number = "(let ([s f64]) (f64.i32 k)) (return s)";
    all(&limited("m", number), 1, true);
    all(&limited("t", number), 1, false);
    all(&limited("m", "(return y)"), 1, true);
    let both = "(let ([s f64]) (f64.i32 k)) (let ([u f64]) (f64.+ s y)) (return u)";
    all(&limited("m", both), 2, true);
    // What the test has found out is known.
    let asked = "(let ([d bool]) (f64.< y 9.0f64)) (let ([s f64]) (f64.bool d)) (return s)";
    all(&limited("m", asked), 0, true);
    let other = "(let ([d bool]) (f64.< y 8.0f64)) (let ([s f64]) (f64.bool d)) (return s)";
    all(&limited("m", other), 1, true);
}

#[test]
fn long_functions_begin_early() {
    let text = "(entry f ([n i64] [xs [f64 n]] [ys [f64 n]]) ([R [f64 n]])
           (let ([r [f64 n]]) (soac n ([x f64 xs] [y f64 ys])
             (let ([q f64]) (f64./ x y))
             (let ([a f64]) (f64.log q))
             (let ([b f64]) (f64.cos a))
             (let ([c f64]) (f64.exp x))
             (let ([d f64]) (f64.+ b c))
             (return d)))
           (return r))";
    fn names(list: &[Stmt], out: &mut Vec<String>) {
        for stmt in list {
            if let Stmt::Set(_, Expr::Op(op, _)) = stmt {
                out.push(op.name());
            }
            visit::inside(stmt.clone(), &mut |body| {
                names(&body, out);
                body
            });
        }
    }
    let mut found = Vec::new();
    for (_, fun) in vectorised(text, false).funs.iter() {
        names(&fun.body, &mut found);
    }
    assert_eq!(found, ["f64.exp", "f64./", "f64.log", "f64.cos", "f64.+"]);
}

#[test]
fn what_lies_apart_is_copied_if_it_is_read_again() {
    let text = format!(
        "(entry f ([n i64] [k i64] [m i64] [xs [f32 n m]] [ys [f32 k m]]) ([R [f32 n]])
           (let ([r [f32 n]]) (soac n ([row [f32 m] xs])
             (let ([s f32]) (soac k ([other [f32 m] ys])
               (let ([d f32]) (soac m ([x f32 row] [y f32 other]) (let ([t f32]) (f32.* x y)) (return t) {SUM}))
               (return d)
               (reduce commutative (0.0f32) ([u f32] [v f32]) (let ([w f32]) (f32.max u v)) (return w))))
             (return s)))
           (return r))"
    );
    let found = loops(&text, false);
    assert!(found.copies >= 1 && found.kept >= 1, "{found:?}");
}

#[test]
fn divisors_that_stay_have_reciprocals() {
    let by = |divisor: &str, width: &str| {
        format!(
            "(entry f ([n i64] [x f32] [xs [f32 {width}]] [ys [f32 {width}]]) ([R [f32 {width}]])
               (let ([r [f32 {width}]]) (soac {width} ([a f32 xs] [b f32 ys]) (let ([q f32]) (f32./ {divisor})) (return q)))
               (return r))"
        )
    };
    assert_eq!(loops(&by("a x", "n"), false).reciprocals, 1);
    assert_eq!(loops(&by("a b", "n"), false).reciprocals, 0);
    assert_eq!(loops(&by("x a", "n"), false).reciprocals, 0);
    assert_eq!(loops(&by("a x", "8"), false).reciprocals, 0);
}

#[test]
fn steps_of_indices() {
    let [i, n, row, odd]: [Local; 4] = [0, 1, 2, 3].map(Idx::new);
    let (i_, n_) = (Expr::Local(i), Expr::Local(n));
    let mut defs = Defs::default();
    defs.insert(row, Some(i_.clone().times(n_.clone())));
    defs.insert(odd, None);
    let steps = Steps::new(&defs, i);
    assert_eq!(steps.of(&i_.clone().plus(n_.clone())), Step::By(1));
    assert_eq!(steps.of(&n_.clone().minus(i_.clone().times(Expr::int(3)))), Step::By(-3));
    assert_eq!(steps.of(&Expr::Local(row).plus(i_.clone())), Step::Even);
    assert_eq!(steps.of(&Expr::Local(odd)), Step::Uneven);
    assert_eq!(steps.of(&Expr::arith(Int::Min, i_, n_.clone())), Step::Uneven);
    assert_eq!(steps.of(&n_), Step::By(0));
}
