//! What is found wrong in programs, in a few words each; the messages are in `tests/data/reports`.

use crate::front::tests;
use std::fmt::Write;
use std::time::Instant;

const BUMP: &str = "def bump [n] (xs: *[n]i32) : *[n]i32 = xs with [0] = xs[0] + 1\n";

/// What is said of a program with a function that consumes its argument.
fn found(text: &str) -> Vec<String> {
    tests::found(&format!("{BUMP}{text}\n"))
}
#[track_caller]
fn fine(text: &str) {
    assert_eq!(found(text), Vec::<String>::new(), "{text}");
}
#[track_caller]
fn wrong(text: &str, what: &str) {
    assert_eq!(found(text), [what], "{text}");
}

#[test]
fn updates_take_nothing() {
    fine("def t [n] (xs: [n]i32) : *[n]i32 = xs with [0] = 1");
    fine("def t [n] (xs: [n]i32) = let ys = xs with [0] = 1 in (xs, bump ys)");
    fine("def t [n] (xs: *[n]i32) = let ys = xs let xs[0] = 1 in (bump xs, bump ys)");
    fine("def t [n] (xs: [n]i32) = (bump (scatter xs [0] [1]), bump (reduce_by_index xs (+) 0 [0] [1]), xs)");
}

#[test]
fn memory_is_shared_through_names_parts_and_functions() {
    wrong("def t [n] (xs: *[n]i32) = let ys = (xs, 1) in (bump xs, ys.0)", "E0651 ys.0");
    wrong("def t [n] (xs: *[n]i32) = let ys = [xs, xs] let zs = ys[0] in (bump zs, ys)", "E0651 ys");
    fine("def t [n] (xs: *[n]i32) = let ys = [xs, xs] let zs = ys[0] in (bump zs, xs)");
    wrong("def t [n] (xs: *[n]i32) = let f = \\(i: i64) -> xs[i] in (bump xs, f)", "E0651 f");
    wrong("def t [n] (xs: *[n]i32) = let f = \\(i: i64) -> xs[i] let g = \\i -> f i in (bump xs, g 1)", "E0651 g");
    wrong("def t [n] (xs: *[n]i32) = (bump (id xs), xs)", "E0651 xs");
    wrong("def t [n] (xs: *[n]i32) (ys: [n]i32) = let zs = const ys xs in (bump zs, 1)", "E0652 zs");
    fine("def t [n] (xs: *[n]i32) (ys: [n]i32) = let zs = const xs ys in (bump zs, 1)");
    fine("def t [n] (xs: *[n]i32) (ys: [n]i32) = let zs = map2 (+) xs ys in (bump zs, ys, xs)");
    wrong("def t (xss: *[2][2]i32) = let a = flatten xss in (map bump xss, a)", "E0651 a");
}

#[test]
fn parts_are_told_apart() {
    fine("def t [n] (p: (*[n]i32, *[n]i32)) = (bump p.0, bump p.1)");
    fine("def t [n] (p: *([n]i32, [n]i32)) = let (a, b) = p in (bump a, b)");
    wrong("def t [n] (p: (*[n]i32, *[n]i32)) = (bump p.0, bump p.0)", "E0651 p.0");
    fine("def t [n] (r: {a: *[n]i32, b: {c: *[n]i32}}) = let x = bump r.b.c in (bump r.a, x)");
    fine("def t [n] (r: {a: *[n]i32, b: {c: *[n]i32}}) = let x = bump r.b.c in (r with b.c = x)");
    wrong("def t [n] (r: {a: *[n]i32, b: {c: *[n]i32}}) = let x = bump r.b.c in (r with a = x)", "E0651 r");
    fine("type s [n] = #a ([n]i32) ([n]i32) | #b\ndef t [n] (s: *s [n]) = match s case #a x y -> (bump x, y) case #b -> (rep 0, rep 1)");
}

#[test]
fn branches_are_joined() {
    fine("def t [n] (c: bool) (xs: *[n]i32) = if c then bump xs else xs");
    fine("def t [n] (c: bool) (xs: *[n]i32) = let ys = if c then bump xs else xs in bump ys");
    wrong("def t [n] (c: bool) (xs: *[n]i32) (zs: [n]i32) = let ys = if c then bump xs else zs in bump ys", "E0652 ys");
    wrong("def t [n] (c: bool) (xs: *[n]i32) = let ys = if c then bump xs else xs in (ys, xs)", "E0651 xs");
    wrong("def t [n] (c: bool) (xs: *[n]i32) = let f = if c then bump else \\ys -> ys in (f xs, xs)", "E0651 xs");
}

#[test]
fn loops_take_what_their_bodies_take() {
    fine("def t [n] (xs: *[n]i32) = loop (a, b) = (xs, 0) for i < n do (bump a, b + 1)");
    wrong("def t [n] (xs: *[n]i32) = loop (a, b) = (xs, xs) for i < n do (bump a, b)", "E0651 xs");
    fine("def t [n] (xs: *[n]i32) (ys: *[n]i32) = loop (a, b) = (xs, ys) for i < n do (b, bump a)");
    wrong("def t [n] (xs: *[n]i32) (ys: [n]i32) = loop (a, b) = (xs, ys) for i < n do (b, bump a)", "E0652 ys");
    wrong(
        "def t [n] (xs: *[n]i32) (ys: *[n]i32) = (loop (a, b) = (xs, ys) for i < n do (b, a), bump ys).0",
        "E0651 loop (a, b) = (xs, ys) for i < n do (b, a)",
    );
    wrong("def t [n] (xs: *[n]i32) = loop a = xs while (bump a)[0] > 1 do a", "E0651 a");
    fine("def t [n] (xs: [n]i32) = loop a = xs for i < n do a with [i] = 1");
}

#[test]
fn functions_say_what_they_take() {
    fine("def t (f: *[2]i32 -> i32) (xs: *[2]i32) = f xs\ndef u (xs: *[2]i32) = t (\\(a: [2]i32) -> a[0]) xs");
    fine("def t (f: (*[2]i32 -> i32) -> i32) = f (\\a -> (bump a)[0])");
    wrong("def t (f: ([2]i32 -> i32) -> i32) = f (\\a -> (bump a)[0])", "E0656 (\\a -> (bump a)[0])");
    wrong("def t (xs: *[2]i32) (f: *[2]i32 -> i32 -> i32) = let g = f xs in g 1 + g 2", "E0651 g");
    fine("def t (xs: *[2]i32) (f: *[2]i32 -> i32 -> i32) = let g = f xs in g 1");
    fine("def f (xs: *[2]i32) = \\i -> xs[i]\ndef t (xs: *[2]i32) = let g = f xs in g 0 + g 1");
    wrong("def t (p: (*[2]i32 -> i32, i32)) (xs: *[2]i32) = p.0 xs + xs[0]", "E0651 xs");
    fine("type f = *[2]i32 -> *[2]i32\ndef t (f: f) (xs: *[2]i32) : *[2]i32 = f (f xs)");
    wrong("type f 'a = *a -> a\ndef t (f: f ([2]i32)) (xs: *[2]i32) = (f xs, xs)", "E0651 xs");
}

#[test]
fn insertions_take_whole_arrays() {
    fine("def t [n] (xss: *[n][n]i32) : *[n][n]i32 = bump xss");
    fine("def put (xs: *[2]i32) (x: i32) : *[2]i32 = xs with [0] = x\ndef t [n] (xs: [2]i32) (ys: [n]i32) = (put (rep xs) ys, xs)");
    wrong("def put (xs: *[2]i32) (x: i32) : *[2]i32 = xs with [0] = x\ndef t [n] (xs: *[2]i32) (ys: [n]i32) = ys |> put xs", "E0657 xs");
    wrong("def t [n] (xss: [n][n]i32) = map bump xss", "E0652 xss");
    fine("def t [n] (xss: [n][n]i32) = map bump (copy xss)");
}

#[test]
fn promises_of_results() {
    fine("def t [n] (xs: *[n]i32) : *[n]i32 = xs");
    fine("def t [n] (xs: *[n]i32) : (*[n]i32, *[n]i32) = (xs, xs with [0] = 1)");
    wrong("def t [n] (c: bool) (xs: *[n]i32) (ys: [n]i32) : *[n]i32 = if c then xs else ys", "E0655 if c then xs else ys");
    wrong("def t [n] (xs: *[n]i32) : ([n]i32, *[n]i32) = (xs, xs)", "E0655 xs");
    fine("type pair = (i32, i32)\ndef t (p: pair) : *pair = p");
    fine("def t [n] (a: [][n]i32) : *[n]i32 = reduce (\\x y -> map2 (+) x y) (replicate n 0) a");
    fine("def t [n] (a: [][n]i32) : *[n]i32 = reduce_comm (map2 (+)) (replicate n 0) a");
    fine("def t [n] (a: [][n]i32) (ne: *[n]i32) : *[n]i32 = foldl (map2 (+)) ne a");
    fine("def t [n] (a: [n]i32) : *[n]i32 = iterate 3 (map (+ 1)) (copy a)");
    fine("def t [n] (a: []([n]i32, i32)) : *[n]i32 = (reduce (\\(x, c) (y, d) -> (map2 (+) x y, c + d)) (replicate n 0, 0) a).0");
    wrong("def t [n] (a: [][n]i32) : *[n]i32 = reduce (\\x _ -> x) (replicate n 0) a", "E0655 reduce (\\x _ -> x) (replicate n 0) a");
    wrong("def t [n] (a: [][n]i32) (ne: [n]i32) : *[n]i32 = reduce (map2 (+)) ne a", "E0655 reduce (map2 (+)) ne a");
    wrong("def t [n] (a: [n]i32) : *[n]i32 = iterate 3 (map (+ 1)) a", "E0655 iterate 3 (map (+ 1)) a");
    wrong("def t [n] (a: *[n]i32) = let b = iterate 3 (map (+ 1)) a in (bump a, b)", "E0651 b");
}

/// Programs with one long or deep construct are checked, and in a time that grows as they do.
#[test]
fn large_programs() {
    let chain = |n: usize| {
        (0..n).fold("def t [n] (x0: *[n]i32) =\n".to_string(), |mut text, k| {
            let _ = writeln!(text, "  let x{} = {} x{k}", k + 1, if k % 2 == 0 { "bump" } else { "id" });
            text
        }) + &format!("  in x{n}")
    };
    let branches = |n: usize| format!("def t [n] (c: bool) (xs: *[n]i32) = {}xs", "if c then bump xs else ".repeat(n));
    let nested = |n: usize| {
        let (before, after) = ("(\\(ys: [n]i32) -> bump (".repeat(n), ")) (replicate n 0)".repeat(n));
        format!("def t [n] (xs: *[n]i32) = {before}xs{after}")
    };
    let tuple = |n: usize| format!("def t (xs: *[2]i32) (ys: [2]i32) = let p = ({}) in (p.0, bump xs)", vec!["ys"; n].join(", "));
    let doubled = |n: usize| {
        (0..n).fold("def t (x0: *[2]i32) =\n".to_string(), |mut text, k| {
            let _ = writeln!(text, "  let x{} = (x{k}, x{k})", k + 1);
            text
        }) + &format!("  let _y = if true then x{n} else x{n} in (bump x0, 1)")
    };
    for (name, make, size) in [
        ("chain", &chain as &dyn Fn(usize) -> String, 1000),
        ("branches", &branches, 300),
        ("nested", &nested, 60),
        ("tuple", &tuple, 2000),
        ("doubled", &doubled, 18),
    ] {
        let start = Instant::now();
        let all = found(&make(size));
        assert!(all.iter().all(|d| d.starts_with("E065")), "{name}: {}", all.concat().chars().take(500).collect::<String>());
        println!("{name}: {:?}", start.elapsed());
    }
}
