//! What is refused, and with which words.

use super::{errors, infer};

#[track_caller]
fn check(program: &str, expected: &str) {
    let all = errors(program);
    let heads: Vec<&str> = all.lines().filter(|line| !line.starts_with("  ")).collect();
    assert_eq!(heads.join("\n"), expected, "{program}");
}

#[track_caller]
fn ty(program: &str, expected: &str) {
    assert_eq!(infer(program).expect("accepted").ty(), expected, "{program}");
}

#[test]
fn types() {
    ty("def t x = x", "a -> a");
    ty("def t f x = f (f x)", "(a -> a) -> a -> a");
    ty("def t = 1 + 2", "i32");
    ty("def t = 1.5", "f64");
    ty("def t x y = x == y", "i32 -> i32 -> bool");
    ty("def t = [[1, 2], [3, 4i64]]", "[][]i64");
    ty("def t (p: {x: f32, y: i32}) = (p.y, p.x)", "{x: f32, y: i32} -> (i32, f32)");
    ty("def t (ps: []{x: f32, y: i32}) = ps.x", "[]{x: f32, y: i32} -> []f32");
    ty("def t (ps: [](f32, i32)) = map (\\p -> p.0 + f32.i32 p.1) ps", "[](f32, i32) -> []f32");
    ty("def t (xs: []f64) = loop s = 0 for x in xs do s + x", "[]f64 -> f64");
    ty("def t (n: i64) = loop (a, b) = (0, 1) for _i < n do (b, a + b)", "i64 -> (i32, i32)");
    ty("def t (xss: [][]f64) = xss[1:3, 0]", "[][]f64 -> []f64");
    ty("def t (xss: [][]f64) (i: i64) = xss with [i, 0] = 3", "[][]f64 -> i64 -> [][]f64");
    ty("def t = let twice 'a (f: a -> a) (x: a) : a = f (f x) in (twice (+1) 2i64, twice (\\b -> !b) true)", "(i64, bool)");
    ty("type pair 'a = (a, a)\ndef t (p: pair i32) : pair i32 = (p.1, p.0)", "(i32, i32) -> (i32, i32)");
    ty("def t (r: {a: i32, b: []f64}) = r with b = [1]", "{a: i32, b: []f64} -> {a: i32, b: []f64}");
    ty("def t (xs: []i32) = let g = (+) xs in g", "[]i32 -> [](i32 -> i32)");
    ty("def t (fs: [](i32 -> i32)) (x: i32) = fs x", "[](i32 -> i32) -> i32 -> []i32");
    ty("def t (x: i64) = 0..<x", "i64 -> []i64");
    ty("def t (xs: [](i32, bool)) = map (.0) xs", "[](i32, bool) -> []i32");
    ty("def t (xss: [][]i64) = map (.[0]) xss", "[][]i64 -> []i64");
}

#[test]
fn different_types() {
    check("def t (x: i32) (y: f32) = x + y", "E0301 argument 2 of `+` has the type `f32`, but `i32` is expected");
    check("def t = if true then 1i32 else 2.5", "E0301 second branch has the type `float`, but `i32` is expected");
    check("def t = 1 + true", "E0303 argument 2 of `+` has the type `bool`, but a numeric type is needed");
    check("def t : (i32, i32) = (1, 2, 3)", "E0301 result has the type `(number, number, number)`, but `(i32, i32)` is expected");
    check("def t (x: i32) = x 1", "E0302 `x` is not a function");
    check("def t = f32.sqrt 1 2", "E0302 `sqrt` takes 1 argument, but 2 are given");
    check("def t x = x x", "E0304 this type would contain itself");
    check("def t p = p.x", "E0305 the type of the record with the field `x` is not known");
    check("def t (p: {x: i32}) = p.y", "E0306 `{x: i32}` has no field `y`");
    check(
        "def t (f: i32 -> i32) = f == f",
        "E0303 argument 1 of `==` has the type `i32 -> i32`, but a type without functions is needed\n\
         E0303 argument 2 of `==` has the type `i32 -> i32`, but a type without functions is needed",
    );
    check("def t 'a (x: a) : i32 = x", "E0301 result has the type `a`, but `i32` is expected");
    check(
        "def t (x: i32) = (x + true) + ???",
        "E0301 argument 2 of `+` has the type `bool`, but `i32` is expected\n\
        E0307 a hole is left in the program",
    );
    check("def t = match 1 case #a -> 2", "E0301 `#a` makes a value of a sum type, but a numeric type is expected");
    check("def t y = let f 'a (x: a) = if true then x else y in f 1", "E0308 the type parameter `'a` of a local function escapes from it");
    check(
        "def t (x: i32) = (x + true, x == false)",
        "E0301 argument 2 of `+` has the type `bool`, but `i32` is expected\n\
        E0301 argument 2 of `==` has the type `bool`, but `i32` is expected",
    );
}

/// The whole report.
#[track_caller]
fn report(program: &str, expected: &[&str]) {
    let all = errors(program);
    assert_eq!(all.lines().collect::<Vec<_>>(), expected, "{program}");
}

#[test]
fn ranks() {
    report(
        "def t (xs: []i32) : i32 = let y = 1 in xs + y",
        &[
            "E0401 ranks cannot agree: result of rank 1 does not fit declared result of rank 0",
            "  [xs + y] rank 1: `[]i32`",
            "  [i32] declared result, rank 0: `i32`",
            "  [xs] argument 1 of `+` has rank 1, parameter of `+` rank 0",
        ],
    );
    report(
        "def t (b: bool) (xs: []i32) = if b then 1 else xs",
        &[
            "E0401 ranks cannot agree: second branch of rank 1 does not fit first branch of rank 0",
            "  [xs] rank 1: `[]i32`",
            "  [1] first branch, rank 0: `i32`",
            "  help: only applications are mapped or replicated, and this is none: `id e` is one",
        ],
    );
    report(
        "def t (xs: []i32) (i: i64) = xs[i, i]",
        &[
            "E0401 ranks cannot agree: indexed expression of rank 1 does not fit index of rank 2",
            "  [xs] rank 1: `[]i32`",
            "  [xs[i, i]] index, rank 2: `[][]i32`",
        ],
    );
    check("def t (x: i32) = let f y = y + 1 in (f x : i32, f [x] : []i32)", "");
    check("def t x = x + 1 == x && [x] == x", "");
}

#[test]
fn several_rank_errors() {
    check(
        "def t (xs: []i32) (b: []bool) = (if b then 1 else 2, [1, xs])",
        "E0401 ranks cannot agree: a condition is one truth value, this one is an array of rank 1\n\
         E0401 ranks cannot agree: array element of rank 1 does not fit first element of rank 0",
    );
}
