//! What is printed infers to itself.

use super::support::check;
use crate::base::with_big_stack;
use crate::front::explicit::{Printer, applications};

/// Programs that need insertions, with their explicit form where it is interesting.
const PROGRAMS: &[(&str, &str)] = &[
    (
        "def f [n][m] (a: [n][m]f64) (v: [m]f64) (s: f64) = (a * v + s) / f64.sqrt (f64.sum (v * v))",
        "def f [n][m] (a: [n][m]f64) (v: [m]f64) (s: f64) = let t = f64.sqrt (f64.sum (map2 (*) v v)) in \
         map (map (\\x -> x / t)) (map (map (\\x -> x + s)) (map (\\xs -> map2 (*) xs v) a))",
    ),
    ("def amap 'a 'b [n] (g: a -> b) (as: [n]a) : [n]b = g as", "def amap 'a 'b [n] (g: a -> b) (as: [n]a) : [n]b = map g as"),
    (
        "def t [n] (map: [n]i32) (rep: i32) = map * {map}.map + rep",
        "def t [n] (map': [n]i32) (rep': i32) = map (\\x -> x + rep') (map2 (*) map' {map = map'}.map)",
    ),
    (
        "def t [n] (map: [n]i64) = let p = {map} let {map} = p in loop map for i < 3 do map + i",
        "def t [n] (map': [n]i64) = let p = {map = map'} let {map = map'} = p in loop map' for i < 3 do map (\\x -> x + i) map'",
    ),
    (
        "def map (x: i32) = x\ndef t [n] (xs: [n]i32) (y: i32) = (xs + y) * xs",
        "def map (x: i32) = x\ndef t [n] (xs: [n]i32) (y: i32) = map2 (*) ((\\as0 -> map2 (\\a0 _ -> (\\x -> x + y) a0) as0 as0) xs) xs",
    ),
    (
        "def map (x: i32) = x\ndef map2 (x: i32) = x\ndef map4 (x: i32) = x\ndef map5 (x: i32) = x\ndef t [n] (xs: [n]i32) (y: i32) = (xs + y) * xs",
        "def map (x: i32) = x\ndef map2 (x: i32) = x\ndef map4 (x: i32) = x\ndef map5 (x: i32) = x\ndef t [n] (xs: [n]i32) (y: i32) = (\\as0 as1 -> map3 (\\a0 a1 _ -> (*) a0 a1) as0 as1 as0) ((\\as0 -> map3 (\\a0 _ _ -> (\\x -> x + y) a0) as0 as0 as0) xs) xs",
    ),
    (
        "def map2 (x: i32) = x\ndef map3 (x: i32) = x\ndef map4 (x: i32) = x\ndef map5 (x: i32) = x\n\
         def f (a: i32) (b: i32) (c: i32) = a + b + c\ndef t [n] (xs: [n]i32) (xss: [n][n]i32) = f xs xs xss",
        "def map2 (x: i32) = x\ndef map3 (x: i32) = x\ndef map4 (x: i32) = x\ndef map5 (x: i32) = x\ndef f (a: i32) (b: i32) (c: i32) = a + b + c\ndef t [n] (xs: [n]i32) (xss: [n][n]i32) = map (\\ys -> (\\as0 as1 as2 -> map (\\(a0, (a1, a2)) -> f a0 a1 a2) (zip as0 (zip as1 as2))) xs xs ys) xss",
    ),
    (
        "def (+++) (x: i32) (y: i32) = x + y\ndef t [n] (xs: [n]i32) = xs +++ xs + 1",
        "def (+++) (x: i32) (y: i32) = x + y\ndef t [n] (xs: [n]i32) = map (\\x -> x + 1) (map2 (+++) xs xs)",
    ),
    (
        "def t [n] (xs: [n]{p: [n]{q: i32}}) = (map (.p.q) [xs, xs], map (.[0]) [xs], xs.p.q)",
        "def t [n] (xs: [n]{p: [n]{q: i32}}) = (map (map (\\x -> map (.q) x.p)) [xs, xs], map (.[0]) [xs], map (map (.q)) (map (.p) xs))",
    ),
    (
        "def t [n] (xs: [n][n]i32) (is: [n]i64) = map (.[is, 0]) [xs]",
        "def t [n] (xs: [n][n]i32) (is: [n]i64) = map (\\xss -> map (\\i -> xss[i, 0]) is) [xs]",
    ),
    (
        "def t (xs: [][2]i32) = xs |> map (+ [1, 2]) |> i32.sum",
        "def t (xs: [][2]i32) = map i32.sum (xs |> map (let u = [1, 2] in \\xs -> map2 (+) xs u))",
    ),
    (
        "def t [n] (xs: [n]i32) = let g = map (+) xs in (g 1, g xs)",
        "def t [n] (xs: [n]i32) = let g = map (+) xs in (map (\\g' -> g' 1) g, map2 (\\g' x -> g' x) g xs)",
    ),
];

#[test]
fn explicit_programs_are_fixed_points() {
    let mut failures = String::new();
    for (text, expected) in PROGRAMS {
        let first = match check(text) {
            Ok(first) => first,
            Err(errors) => {
                failures += &format!("{text}: {errors:?}\n\n");
                continue;
            }
        };
        let printed = first.explicit();
        match check(&printed) {
            Ok(second) => {
                if second.cost() != 0 || second.explicit() != printed || second.types() != first.types() {
                    failures += &format!("{printed}\n{}\n{:?}\n{:?}\n\n", second.explicit(), first.types(), second.types());
                }
            }
            Err(errors) => failures += &format!("{text}\n{printed}: {errors:?}\n\n"),
        }
        if printed != *expected {
            failures += &format!("{printed}\n\n");
        }
    }
    assert!(failures.is_empty(), "\n{failures}");
}

#[test]
fn pretty_and_data() {
    let text = "def f [n][m] (a: [n][m]f64) (v: [m]f64) (s: f64) =\n  (a * v + s) / f64.sqrt (f64.sum (v * v))";
    let checked = check(text).unwrap_or_else(|e| panic!("{e:?}"));
    let def = checked.own[0].0;
    let pretty = Printer::new(&checked.program, &checked.sources).pretty(&checked.tables, def, None);
    let lines: Vec<&str> = pretty.lines().collect();
    assert_eq!(lines[0], "f : [][]f64 -> []f64 -> f64 -> [][]f64");
    assert_eq!(lines[3], "-- 7 maps: * at 2:6 (2 maps), + at 2:10 (2 maps), / at 2:15 (2 maps), * at 2:38 (1 map)");
    let data = applications(&checked.program, &checked.sources, &checked.tables, def);
    let of = |column| -> Vec<(u32, u32, u32)> { data.iter().filter(|a| a.column == column).map(|a| (a.maps, a.reps, a.induced)).collect() };
    assert_eq!(of(6), [(2, 0, 0), (0, 1, 1)]);
    assert_eq!(of(15), [(2, 0, 0), (0, 2, 2)]);
}

#[test]
fn long_chains() {
    with_big_stack(|| {
        for length in [1_000, 20_000] {
            let terms = vec!["xs"; length].join(" + ");
            let checked = check(&format!("def t [n] (xs: [n]f64) = {terms}")).unwrap_or_else(|e| panic!("{e:?}"));
            let printed = checked.explicit();
            assert_eq!(printed.matches("map2 (+)").count(), length - 1);
        }
    });
}
