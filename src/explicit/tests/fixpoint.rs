//! What is printed infers to itself.

use super::support::check;
use crate::base::with_big_stack;
use crate::explicit::{Printer, applications};

/// Programs that need insertions, with their explicit form where it is interesting.
const PROGRAMS: &[(&str, &str)] = &[
    (
        "def f [n][m] (a: [n][m]f64) (v: [m]f64) (s: f64) = (a * v + s) / f64.sqrt (f64.sum (v * v))",
        "def f [n][m] (a: [n][m]f64) (v: [m]f64) (s: f64) = let t = f64.sqrt (f64.sum (map2 (*) v v)) in \
         map (map (\\x -> x / t)) (map (map (\\x -> x + s)) (map (\\xs -> map2 (*) xs v) a))",
    ),
    ("def amap 'a 'b [n] (g: a -> b) (as: [n]a) : [n]b = g as", "def amap 'a 'b [n] (g: a -> b) (as: [n]a) : [n]b = map g as"),
    ("def t [n] (map: [n]i32) (rep: i32) = map * {map}.map + rep", ""),
    ("def t [n] (map: [n]i64) = let p = {map} let {map} = p in loop map for i < 3 do map + i", ""),
    ("def map (x: i32) = x\ndef t [n] (xs: [n]i32) (y: i32) = (xs + y) * xs", ""),
    (
        "def map (x: i32) = x\ndef map2 (x: i32) = x\ndef map4 (x: i32) = x\ndef map5 (x: i32) = x\ndef t [n] (xs: [n]i32) (y: i32) = (xs + y) * xs",
        "",
    ),
    (
        "def map2 (x: i32) = x\ndef map3 (x: i32) = x\ndef map4 (x: i32) = x\ndef map5 (x: i32) = x\n\
         def f (a: i32) (b: i32) (c: i32) = a + b + c\ndef t [n] (xs: [n]i32) (xss: [n][n]i32) = f xs xs xss",
        "",
    ),
    ("def (+++) (x: i32) (y: i32) = x + y\ndef t [n] (xs: [n]i32) = xs +++ xs + 1", ""),
    ("def t [n] (xs: [n]{p: [n]{q: i32}}) = (map (.p.q) [xs, xs], map (.[0]) [xs], xs.p.q)", ""),
    ("def t [n] (xs: [n][n]i32) (is: [n]i64) = map (.[is, 0]) [xs]", ""),
    ("def t xs = xs |> map (+ [1, 2]) |> i32.sum", ""),
    ("def t [n] (xs: [n]i32) = let g = map (+) xs in (g 1, g xs)", ""),
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
    println!("{pretty}");
    let lines: Vec<&str> = pretty.lines().collect();
    assert_eq!(lines[0], "f : [][]f64 -> []f64 -> f64 -> [][]f64");
    assert_eq!(lines[3], "-- 7 maps: * at 2:6 (2 maps), + at 2:10 (2 maps), / at 2:15 (2 maps), * at 2:37 (1 map)");
    let data = applications(&checked.program, &checked.sources, &checked.tables, def);
    let of = |column| -> Vec<(u32, u32, u32)> { data.iter().filter(|a| a.column == column).map(|a| (a.maps, a.reps, a.induced)).collect() };
    assert_eq!(of(6), [(2, 0, 0), (0, 1, 1)]);
    assert_eq!(of(15), [(2, 0, 0), (0, 2, 2)]);
}

#[test]
fn long_chains_are_linear() {
    with_big_stack(|| {
        let terms = vec!["xs"; 20_000].join(" + ");
        let checked = check(&format!("def t [n] (xs: [n]f64) = {terms}")).unwrap_or_else(|e| panic!("{e:?}"));
        let start = std::time::Instant::now();
        let printed = checked.explicit();
        println!("chain: {:?}", start.elapsed());
        assert_eq!(printed.matches("map2 (+)").count(), 19_999);
    });
}
