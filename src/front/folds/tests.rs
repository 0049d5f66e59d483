//! What is said of folds, in a few words each; the messages are in `tests/data/reports`.

use crate::front::tests::found;

#[track_caller]
fn fine(body: &str) {
    assert_eq!(found(body), Vec::<String>::new(), "{body}");
}
#[track_caller]
fn wrong(body: &str, what: &str) {
    assert_eq!(found(body), [what], "{body}");
}

#[test]
fn operators_that_are_not_associative() {
    wrong("def t [n] (xs: [n]f64) = reduce (-) 0 xs", "E0319 -");
    wrong("def t [n] (xs: [n]i8) = scan (\\a b -> a - b) 0 xs", "E0319 \\a b -> a - b");
    wrong("def t [n] (xs: [n]f64) = reduce (\\a b -> (a + b) / 2) 0 xs", "E0319 \\a b -> (a + b) / 2");
    wrong("def ema (k: f64) (a: f64) (x: f64) = k * a + (1 - k) * x def t [n] (k: f64) (xs: [n]f64) = scan (ema k) 0 xs", "E0319 ema k");
    wrong("def t [n] (xs: [n]f64) = let k = 0.5 let f = \\a x -> k * a + x in scan f 0 xs", "E0319 f");
    wrong("def t [n] [m] (xs: [n][m]f64) = reduce (map2 (-)) (replicate m 0) xs", "E0319 map2 (-)");
    wrong("def t [n] (is: [n]i64) (xs: [n]f64) = hist (-) 0 10 is xs", "E0319 -");
    wrong("def t [n] (is: [n]i64) (xs: [n]f64) = reduce_by_index [0, 0] (-) 0 is xs", "E0319 -");
    wrong(
        "def t [n] (xs: [n]f64) = reduce (\\(a, b) (c, d) -> (a + c, b - d)) (0, 0) (zip xs xs)",
        "E0319 \\(a, b) (c, d) -> (a + c, b - d)",
    );
    wrong(
        "def t [n] (xs: [n]i64) = reduce (\\a b -> if a > 0 then a + b + a else b) 0 xs",
        "E0319 \\a b -> if a > 0 then a + b + a else b",
    );
    wrong("def t [n] (ks: [n]f64) (xs: [n]f64) = map (\\k -> reduce (\\a b -> k * a + b) 0 xs) ks", "E0319 \\a b -> k * a + b");
    wrong("def t [n] (xs: [n]f64) = reduce_comm (\\_ b -> b) 0 xs", "E0319 \\_ b -> b");
    wrong("def t [n] (xs: [n]f64) = loop a = 0 for x in xs do a + reduce (-) 0 (map (+ x) xs)", "E0319 -");
    wrong("def t [n] (xs: [n]{a: f64}) = reduce (\\x y -> {a = x.a - y.a}) {a = 0} xs", "E0319 \\x y -> {a = x.a - y.a}");
    wrong("def t [n] (xs: [n]bool) = reduce (\\a b -> a && !b) false xs", "E0319 \\a b -> a && !b");
    wrong("def t [n] (xs: [n]c128) = reduce (-) 0 xs", "E0319 -");
}

#[test]
fn starts_that_are_not_neutral() {
    wrong("def t [n] (xs: [n]f64) = reduce (+) 1 xs", "E0320 1");
    wrong("def t [n] (xs: [n]i64) = scan (*) 0x10 xs", "E0320 0x10");
    wrong("def t [n] (is: [n]i64) (xs: [n]f64) = hist (+) 0.5 10 is xs", "E0320 0.5");
    wrong("def one = 1f64 def t [n] (xs: [n]f64) = reduce (+) one xs", "E0320 one");
    wrong("def t [n] (is: [n]i64) (xs: [n]i64) = reduce_by_index [0, 0] i64.max 100 is xs", "E0320 100");
    wrong("def t [n] [m] (xs: [n][m]f64) = reduce (map2 (+)) (replicate m 1) xs", "E0320 replicate m 1");
    for (op, start) in [("(*)", "0"), ("f64.min", "(-f64.inf)"), ("f64.max", "f64.inf"), ("f64.min", "f64.lowest")] {
        let inner = start.trim_start_matches('(').trim_end_matches(')');
        wrong(&format!("def t [n] (xs: [n]f64) = reduce {op} {start} xs"), &format!("E0320 {inner}"));
    }
    // Of some of the values it is tried on there is no quotient.
    wrong("def t [n] (xs: [n]i64) = reduce (\\a b -> a + b + 0 / (b - 2)) 1 xs", "E0320 1");
    wrong("def t [n] (xs: [n]bool) = reduce (&&) false xs", "E0320 false");
    wrong("def t [n] (xs: [n]bool) = reduce (|) true xs", "E0320 true");
}

#[test]
fn operators_that_are_associative() {
    for op in ["(+)", "(*)", "f64.max", "f64.min", "f64.hypot", "(\\a b -> a * b + a + b)", "(\\a _ -> a)", "(\\_ b -> b)"] {
        fine(&format!("def t [n] (xs: [n]f64) = scan {op} (0 * f64.i64 n) xs"));
    }
    for op in ["(&)", "(|)", "(^)", "(+)", "(\\a b -> (a + b) % 7)", "(\\a b -> i8.min 100 (a + b))", "(\\a b -> if a > 0 then a else b)"] {
        fine(&format!("def t [n] (ne: i8) (xs: [n]i8) = reduce {op} ne xs"));
    }
    // Whatever it starts from, the least is found.
    fine("def t [n] (xs: [n]f64) = reduce f64.min 100 xs");
    fine("def t [n] (xs: [n]i64) = (reduce i64.max i64.lowest xs, reduce i64.min i64.highest xs, reduce (*) 1 xs)");
    // Recurrences, matrices of two rows, means with counts, segments, the place of the largest, the largest sum of neighbours.
    fine("def t [n] (xs: [n](f64, f64)) = scan (\\(a, x) (b, y) -> (a * b, b * x + y)) (1, 0) xs");
    fine(
        "def t [n] (xs: [n](i64, i64, i64, i64)) = reduce (\\(a, b, c, d) (e, f, g, h) -> (a * e + b * g, a * f + b * h, c * e + d * g, c * f + d * h)) (1, 0, 0, 1) xs",
    );
    fine("def t [n] (xs: [n](f64, f64)) = reduce (\\(n, m) (k, l) -> (n + k, (n * m + k * l) / (n + k))) (0, 0) xs");
    fine("def t [n] (xs: [n](bool, f64)) = scan (\\(f, v) (g, w) -> (f || g, if g then w else v + w)) (false, 0) xs");
    // Truth values as numbers, small ranges, bounds that are not known.
    fine("def t [n] (xs: [n](i64, i64)) = scan (\\(v, f) (w, g) -> (v * (1 - g) + w, i64.max f g)) (0, 0) xs");
    fine("def t [n] (xs: [n](i64, i64)) = reduce (\\(p, a) (q, b) -> (p | q, (1 - q) * a + b)) (0, 0) xs");
    fine("def t [n] (xs: [n](i64, i64)) = reduce (\\(p, a) (q, b) -> ((p + q) % 2, a + (1 - 2 * p) * b)) (0, 0) xs");
    fine("def t [n] (xs: [n](f64, f64)) = scan (\\(p, a) (q, b) -> (f64.max p q, (1 - q) * a + b)) (0, 0) xs");
    fine("def t [n] (m: i64) (xs: [n]i64) = reduce (\\a b -> let s = a + b in if s >= m then s - m else s) 0 xs");
    fine("def t [n] (low: i64) (high: i64) (xs: [n]i64) = reduce (\\a b -> i64.max low (i64.min high (a + b))) 0 xs");
    fine("def t [n] (xs: [n]i64) = reduce (\\a b -> let s = a + b in if s >= 4 then s - 4 else s) 0 xs");
    fine("def t [n] (xs: [n]f64) = reduce (\\p q -> if f64.sqrt (4 - p * p) >= f64.sqrt (4 - q * q) then p else q) 0 xs");
    fine("def t [n] (xs: [n](i64, f64)) = reduce (\\(i, x) (j, y) -> if x >= y then (i, x) else (j, y)) (-1, -f64.inf) xs");
    fine(
        "def t [n] (xs: [n](i64, i64, i64, i64)) = reduce (\\(a, b, c, d) (e, f, g, h) -> (i64.max (i64.max a e) (c + f), i64.max b (d + f), i64.max g (h + c), d + h)) (0, 0, 0, 0) xs",
    );
    fine(
        "def t [n] (xs: [n](f64, f64)) = reduce (\\(m, s) (k, t) -> let o = f64.max m k in (o, s * f64.exp (m - o) + t * f64.exp (k - o))) (-f64.inf, 0) xs",
    );
}

#[test]
fn what_is_not_judged() {
    // A condition on tuples may hold for all values that there are.
    fine("def t [n] (xs: [n](i64, i64)) = reduce (\\(a, b) (c, d) -> if a == b then (a + c, b - d) else (c, d)) (0, 0) xs");
    // Type parameters, loops, sizes, sums.
    fine("def t 'a [n] (f: a -> a -> a) (ne: a) (xs: [n]a) = reduce f ne xs");
    fine("def t [n] (xs: [n]i64) = reduce (\\a b -> loop r = a for _ < 2 do r - b) 0 xs");
    fine("def t [n] (xs: [n]i64) = reduce (\\a b -> a - b * n) 0 xs");
    fine("def t [n] (xs: [n]i64) = reduce (\\a b -> a / (b - b)) 0 xs");
    // Whoever calls it may give the neutral element.
    fine("def t [n] (ne: i64) (xs: [n]i64) = reduce (+) ne xs");
}

#[test]
fn a_recursion_has_an_end() {
    fine("def f (a: i64) (b: i64) : i64 = if a == 0 then b else f (a + 1) (b - 1) def t [n] (xs: [n]i64) = reduce f 0 xs");
}
