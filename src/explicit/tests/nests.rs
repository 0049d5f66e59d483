//! What nests of maps look like.

use super::support::explicit;

const PARAMS: &str = "[n][m] (xs: [n]f64) (ys: [n]f64) (zs: [n]f64) (xss: [m][n]f64) (yss: [m][n]f64) (x: f64) (is: [m]i64) (i: i64) \
                      (ps: [n]{x: f64, y: f64}) (pss: [m][n]{x: f64, y: f64}) (bs: [n]bool) (b: bool)";
const BEFORE: &str = "def g2 (a: f64) (b: f64) = a * b
def g3 (a: f64) (b: f64) (c: f64) = a + b * c
def g6 (a: f64) (b: f64) (c: f64) (d: f64) (e: f64) (f: f64) = a + b + c + d + e + f
def dot [n] (a: [n]f64) (b: [n]f64) = f64.sum (a * b)
def scale [n] (s: f64) (v: [n]f64) = v * s
def pair 'b (u: f64) (v: b) : (f64, b) = (u, v)
def both (u: f64) = (u, u)";

/// The explicit form of an expression.
fn body(expr: &str) -> String {
    let text = explicit(&format!("{BEFORE}\ndef t {PARAMS} =\n  {expr}"));
    text.rsplit_once("=\n  ").map_or(text.clone(), |(_, body)| body.to_string())
}

/// Expressions with their explicit forms.
const CASES: &[(&str, &str)] = &[
    ("xs + ys", ""),
    ("xs + x", ""),
    ("2 * xs", ""),
    ("x - xs", ""),
    ("xss * yss", ""),
    ("xss * xs", ""),
    ("xs * xss", ""),
    ("xss * x", ""),
    ("-xs", ""),
    ("-xss", ""),
    ("xs + ys * zs", ""),
    ("(xs + ys) * zs", ""),
    ("xs < ys && ys < zs", ""),
    ("bs || b", ""),
    ("!bs", ""),
    ("f64.sqrt xs", ""),
    ("f64.sqrt xss", ""),
    ("xs / f64.sqrt x", ""),
    ("g2 xs ys", ""),
    ("g2 xs", ""),
    ("g2 x ys", ""),
    ("g2 xs xss", ""),
    ("g3 xs x ys", ""),
    ("g3 xss ys x", ""),
    ("g3 x ys xss", ""),
    ("g3 x (f64.sqrt x) ys", ""),
    ("g3 xs ys (f64.sqrt xss)", ""),
    ("g6 xs xs ys ys zs zs", ""),
    ("g6 x xss xss xss xss yss", ""),
    ("xs `g2` ys", ""),
    ("dot xss xs", ""),
    ("dot xss yss", ""),
    ("scale x xss", ""),
    ("scale xs ys", ""),
    ("ps.x", ""),
    ("pss.x + xs", ""),
    ("xs[is]", ""),
    ("xss[is, i]", ""),
    ("xss[is, is]", ""),
    ("(f64.sqrt xs)[is]", ""),
    ("ps[is].x", ""),
    ("map (+ys) xss", ""),
    ("map (ys+) xss", ""),
    ("map (+x) xss", ""),
    ("map (+(f64.sqrt x)) xss", ""),
    ("map (.x) pss", ""),
    ("xs |> f64.sqrt |> f64.sum", ""),
    ("f64.sum <| xs * xs", ""),
    ("xss |> map f64.sum |> f64.sqrt", ""),
    ("let g = (+) xs in g ys", ""),
    ("let g = (+) xs in g x", ""),
    ("let k v = v * ys in k xs", ""),
    ("let k v = v * x in k xs", ""),
    ("(\\p q -> p + q) xs x", ""),
    ("map f64.sqrt xss", ""),
    ("if x < 1 then xs + ys else xs", ""),
    ("let (a, b) = (xs + ys, 1.0) in a * b", ""),
    ("loop acc = xs for j < 10 do acc + ys", ""),
    ("loop acc = xs + ys for r in xss do acc + r", ""),
    ("xs with [i] = f64.sum (xs + ys)", ""),
    ("let a = copy xs let a[0] = f64.sum (xs * ys) in a", ""),
    ("[xs + ys, xs]", ""),
    ("{a = xs + 1, b = x}", ""),
    ("(xs + -- the first\n   ys) -- the second\n  * zs", ""),
    ("scatter (copy xs) is x", ""),
    ("if b then id x else xs", ""),
    ("zip x xs", ""),
    ("both xs", ""),
    ("(both xs).0", ""),
    ("#[unsafe] xs[is]", ""),
    ("let map = xs in map + map", ""),
    ("\\map -> f64.sum (xs * map)", ""),
    ("f64.sum (xs + ys) + x", ""),
    ("reduce (+) 0 xss", ""),
    ("map2 (\\u v -> u * v) xss xs", ""),
];

#[test]
fn cases() {
    let mut failures = String::new();
    for (expr, expected) in CASES {
        let found = body(expr);
        if found.trim() != *expected {
            failures += &format!("    ({expr:?}, {:?}),\n", found.trim());
        }
    }
    assert!(failures.is_empty(), "\n{failures}");
}
