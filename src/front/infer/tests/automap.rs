//! The cases of AUTOMAP's rules: cost, insertions and number of readings, before readings are compared by meaning.

use super::{infer, infer_mode};
use crate::base::Code;

/// Names with types, free in the cases.
const FREE: &str = "
type b = bool
def scal (x: i32) : i32 = x + 1
def sqrt (x: f32) : f32 = f32.sqrt x
def cos (x: f32) : f32 = f32.cos x
def sum [m] (v: [m]i32) : i32 = i32.sum v
def pair2 'b (u: i32) (v: b) : (i32, b) = (u, v)
def grow (x: i32) : [2][2][2]i32 = [[[x, x], [x, x]], [[x, x], [x, x]]]
def lerp = \\v w (t: f64) -> v + (w - v) * t
def xmat [n] 'a (a: [n]a) : [n][n]bool = replicate n (replicate n true)
";
const PARAMS: &str = "[n] (xs: [n]i32) (ys: [n]i32) (zs: [n]i32) (xss: [n][n]i32) (yss: [n][n]i32) (x: i32) (y: i32) (c: i32) \
                      (is: [n]i64) (c64: i64) (fs: [n]f32) (fss: [n][n]f32) (b: bool) (ds: [n]f64) (d: f64)";

struct Case {
    name: &'static str,
    term: &'static str,
    cost: u32,
    /// The insertions of each reading; the first is the canonical one. In the order of the applications in the source.
    readings: &'static [&'static str],
}

const CASES: &[Case] = &[
    Case { name: "sqrt-vector", term: "sqrt fs", cost: 1, readings: &["1:M1"] },
    Case { name: "vector-scalar", term: "xs + y", cost: 1, readings: &["1:M1 2:R1(1)"] },
    Case { name: "matrix-vector", term: "xss + ys", cost: 2, readings: &["1:M2 2:R1(1)"] },
    Case { name: "vector-matrix", term: "ys + xss", cost: 2, readings: &["1:M1 2:M1"] },
    Case { name: "scalar-vector-matrix", term: "x + ys + xss", cost: 3, readings: &["1:M1 2:M1 2:M1"] },
    Case { name: "lambda-two", term: "(\\p q -> p + q) xs y", cost: 1, readings: &["1:M1 2:R1(1)", "1:M1 2:R1(1)"] },
    Case { name: "sum-length", term: "i64.sum (length xss)", cost: 1, readings: &["1:M1", "1:R1"] },
    Case { name: "sum-cos-times", term: "f32.sum (cos fss * fs)", cost: 5, readings: &["1:M1 1:M2 2:R1(1) 1:M2"] },
    Case { name: "map-lambda-induced", term: "map (\\v -> xs * v) ys", cost: 1, readings: &["1:M1 2:R1(1)"] },
    Case { name: "outer-half", term: "(\\v -> v * ys) xs", cost: 1, readings: &["1:M1"] },
    Case { name: "pipe-scalar", term: "xs |> scal", cost: 1, readings: &["1:M1"] },
    Case { name: "pipe-chain", term: "xs |> (+1) |> (+1) |> (+1)", cost: 3, readings: &["1:M1 2:R1(1) 1:M1 2:R1(1) 1:M1 2:R1(1)"] },
    Case { name: "pipe-sum-matrix", term: "xss |> sum", cost: 1, readings: &["1:M1"] },
    Case { name: "section", term: "(+1) xs", cost: 1, readings: &["1:M1 2:R1(1)"] },
    Case { name: "section-unapplied", term: "map (+ys) xss", cost: 1, readings: &["1:M1"] },
    Case { name: "hist-rep", term: "hist (+) 0 c64 is 1", cost: 1, readings: &["5:R1"] },
    Case { name: "zip-rep", term: "zip 0i32 xs", cost: 1, readings: &["1:R1"] },
    Case { name: "pair-induced", term: "pair2 xs ys", cost: 1, readings: &["1:M1", "1:M1 2:R1(1)"] },
    Case {
        name: "local-at-frame-2",
        term: "let dot as bs = sum (as * bs) in dot (transpose (replicate n xss)) (replicate n (transpose yss))",
        cost: 3,
        readings: &["1:M1 1:M2"],
    },
    Case { name: "lerp-definition", term: "\\v w (t: f64) -> v + (w - v) * t", cost: 0, readings: &[""] },
    Case { name: "lerp-vector-vector-scalar", term: "lerp ds ds d", cost: 1, readings: &["1:M1 3:R1(1)"] },
    Case { name: "lerp-scalar-scalar-vector", term: "lerp d d ds", cost: 1, readings: &["3:M1"] },
    Case { name: "map-scalar-matrix", term: "map scal xss", cost: 1, readings: &["2:M1", "1:R1"] },
    Case { name: "map-id-matrix", term: "map id xss", cost: 0, readings: &[""] },
    Case { name: "id-hatch", term: "if b then id 1 else xs", cost: 1, readings: &["1:R1"] },
    Case { name: "gather", term: "xs[is]", cost: 1, readings: &["1:M1"] },
    Case { name: "sum-unannotated", term: "\\a b -> sum (a * b)", cost: 1, readings: &["1:M1", "2:M1", "1:R1", "1:M1 2:R1(1)"] },
    Case {
        name: "sum-lambda-matrix",
        term: "(\\a b -> sum (a * b)) xss ys",
        cost: 2,
        readings: &["1:M1 2:R1(1) 1:M1", "1:M1 1:M1 2:R1(1)"],
    },
    Case { name: "matvec-lambda", term: "(\\row -> sum (row * ys)) xss", cost: 2, readings: &["1:M1 1:M1"] },
    Case { name: "scatter-rep", term: "scatter (copy xs) is 1", cost: 1, readings: &["3:R1"] },
    Case {
        name: "check-unannotated",
        term: "\\a -> xmat a == (a != 0i32) |> flatten |> and",
        cost: 3,
        readings: &["1:M2 2:R1(1) 1:M1 2:R1(1)", "1:M2 2:R2(2) 1:R1"],
    },
    Case {
        name: "check-annotated",
        term: "\\(a: [n][n]i32) -> xmat a == (a != 0i32) |> flatten |> and",
        cost: 4,
        readings: &["1:M2 1:M2 2:R2(2)"],
    },
    Case { name: "equality-elementwise", term: "and (xs == ys)", cost: 1, readings: &["1:M1"] },
    Case { name: "growing-ranks", term: "scal (grow (grow (grow (grow 1))))", cost: 30, readings: &["1:M12 1:M9 1:M6 1:M3"] },
];

#[test]
fn cases() {
    let mut failures = String::new();
    for case in CASES {
        for local in [true, false] {
            let text = format!("{FREE}\ndef t {PARAMS} = {}", case.term);
            let checked = match infer_mode(&text, local) {
                Ok(checked) => checked,
                Err(errors) => {
                    failures += &format!("{}: {errors:?}\n", case.name);
                    continue;
                }
            };
            let mut readings = checked.readings();
            if readings.is_empty() {
                readings = vec![checked.canonical()];
            }
            if checked.cost() != case.cost || readings != case.readings {
                failures += &format!("{} (local {local}): cost {} {readings:?} {:?}\n", case.name, checked.cost(), checked.optima());
            }
        }
    }
    assert!(failures.is_empty(), "\n{failures}");
}

#[test]
fn refused() {
    for term in ["if b then 1 else xs", "[x, xs]", "xs[i, j]"] {
        let text = format!("{FREE}\ndef t {PARAMS} (i: i64) (j: i64) = {term}");
        let errors = infer(&text).err().expect(term);
        assert_eq!(errors.iter().map(|e| e.code).collect::<Vec<_>>(), [Code::RankConflict], "{term}: {errors:?}");
    }
}

#[test]
fn defines_map() {
    let checked = infer("def amap 'a 'b [n] (g: a -> b) (as: [n]a) : [n]b = g as").expect("accepted");
    assert_eq!((checked.canonical().as_str(), checked.cost()), ("1:M1", 1));
}

#[test]
fn frames_survive_let() {
    let direct = infer("def t (xs: []i32) (y: i32) = (+) xs y").expect("accepted");
    let bound = infer("def t (xs: []i32) (y: i32) = let g = (+) xs in g y").expect("accepted");
    assert_eq!((direct.cost(), bound.cost()), (1, 1));
    assert_eq!(bound.canonical(), "1:M1 1:R1(1)");
}
