//! What nests of maps look like.

use super::support::check;

const PARAMS: &str = "[n][m] (xs: [n]f64) (ys: [n]f64) (zs: [n]f64) (xss: [m][n]f64) (yss: [m][n]f64) (x: f64) (is: [m]i64) (i: i64) \
                      (ps: [n]{x: f64, y: f64}) (pss: [m][n]{x: f64, y: f64}) (bs: [n]bool) (b: bool)";
const BEFORE: &str = "def g2 (a: f64) (b: f64) = a * b
def g3 (a: f64) (b: f64) (c: f64) = a + b * c
def g6 (a: f64) (b: f64) (c: f64) (d: f64) (e: f64) (f: f64) = a + b + c + d + e + f
def dot [n] (a: [n]f64) (b: [n]f64) = f64.sum (a * b)
def scale [n] (s: f64) (v: [n]f64) = v * s
def pair 'b (u: f64) (v: b) : (f64, b) = (u, v)
def both (u: f64) = (u, u)";

/// The explicit form of an expression; checks that it infers to itself.
fn body(expr: &str) -> String {
    let first = match check(&format!("{BEFORE}\ndef t {PARAMS} =\n  {expr}")) {
        Ok(first) => first,
        Err(errors) => return format!("{:?}", errors[0].message),
    };
    let text = first.explicit();
    match check(&text) {
        Ok(second) if second.cost() == 0 && second.explicit() == text && second.types() == first.types() => {}
        Ok(second) => return format!("not a fixed point: {text} {} {:?}", second.explicit(), second.types()),
        Err(errors) => return format!("{text}: {errors:?}"),
    }
    text.rsplit_once("=\n  ").map_or(text.clone(), |(_, body)| body.to_string())
}

/// Expressions with their explicit forms.
const CASES: &[(&str, &str)] = &[
    ("xs + ys", "map2 (+) xs ys"),
    ("xs + x", "map (\\y -> y + x) xs"),
    ("2 * xs", "map (\\x -> 2 * x) xs"),
    ("x - xs", "map (\\y -> x - y) xs"),
    ("xss * yss", "map2 (map2 (*)) xss yss"),
    ("xss * xs", "map (\\ys -> map2 (*) ys xs) xss"),
    ("xs * xss", "map (\\ys -> map2 (*) xs ys) xss"),
    ("xss * x", "map (map (\\y -> y * x)) xss"),
    ("-xs", "map (\\x -> -x) xs"),
    ("-xss", "map (map (\\x -> -x)) xss"),
    ("xs + ys * zs", "map2 (+) xs (map2 (*) ys zs)"),
    ("(xs + ys) * zs", "map2 (*) (map2 (+) xs ys) zs"),
    ("xs < ys && ys < zs", "map2 (&&) (map2 (<) xs ys) (map2 (<) ys zs)"),
    ("bs || b", "map (\\x -> x || b) bs"),
    ("!bs", "map (\\b -> !b) bs"),
    ("f64.sqrt xs", "map f64.sqrt xs"),
    ("f64.sqrt xss", "map (map f64.sqrt) xss"),
    ("xs / f64.sqrt x", "let u = f64.sqrt x in map (\\x -> x / u) xs"),
    ("g2 xs ys", "map2 g2 xs ys"),
    ("g2 xs", "map g2 xs"),
    ("g2 x ys", "map (g2 x) ys"),
    ("g2 xs xss", "map (\\ys -> map2 g2 xs ys) xss"),
    ("g3 xs x ys", "map2 (\\y z -> g3 y x z) xs ys"),
    ("g3 xss ys x", "map (\\xs -> map2 (\\y z -> g3 y z x) xs ys) xss"),
    ("g3 x ys xss", "map (\\xs -> map2 (g3 x) ys xs) xss"),
    ("g3 x (f64.sqrt x) ys", "let u = f64.sqrt x in map (g3 x u) ys"),
    ("g3 xs ys (f64.sqrt xss)", "map (\\zs -> map3 g3 xs ys zs) (map (map f64.sqrt) xss)"),
    ("g6 xs xs ys ys zs zs", "map5 (\\x y z u (v, w) -> g6 x y z u v w) xs xs ys ys (zip zs zs)"),
    ("g6 x xss xss xss xss yss", "map5 (map5 (g6 x)) xss xss xss xss yss"),
    ("xs `g2` ys", "map2 g2 xs ys"),
    ("dot xss xs", "map (\\ys -> dot ys xs) xss"),
    ("dot xss yss", "map2 dot xss yss"),
    ("scale x xss", "map (scale x) xss"),
    ("scale xs ys", "map (\\x -> scale x ys) xs"),
    ("ps.x", "map (.x) ps"),
    ("pss.x + xs", "map (\\ys -> map2 (+) ys xs) (map (map (.x)) pss)"),
    ("xs[is]", "map (\\i -> xs[i]) is"),
    ("xss[is, i]", "map (\\x -> xss[x, i]) is"),
    ("xss[is, is]", "map2 (\\i x -> xss[i, x]) is is"),
    ("(f64.sqrt xs)[is]", "let u = map f64.sqrt xs in map (\\i -> u[i]) is"),
    ("ps[is].x", "map (.x) (map (\\i -> ps[i]) is)"),
    ("map (+ys) xss", "map (\\xs -> map2 (+) xs ys) xss"),
    ("map (ys+) xss", "map (map (+) ys) xss"),
    ("map (+x) xss", "map (map (\\y -> y + x)) xss"),
    ("map (+(f64.sqrt x)) xss", "map (let u = f64.sqrt x in map (\\x -> x + u)) xss"),
    ("map (.x) pss", "map (map (.x)) pss"),
    ("xs |> f64.sqrt |> f64.sum", "map f64.sqrt xs |> f64.sum"),
    ("f64.sum <| xs * xs", "f64.sum <| map2 (*) xs xs"),
    ("xss |> map f64.sum |> f64.sqrt", "map f64.sqrt (xss |> map f64.sum)"),
    ("let g = (+) xs in g ys", "let g = map (+) xs in map2 (\\g' y -> g' y) g ys"),
    ("let g = (+) xs in g x", "let g = map (+) xs in map (\\g' -> g' x) g"),
    ("let k v = v * ys in k xs", "let k v = map2 (*) v ys in k xs"),
    ("let k v = v * x in k xs", "let k v = map (\\y -> y * x) v in k xs"),
    ("(\\p q -> p + q) xs x", "(\\p q -> map (\\x -> x + q) p) xs x"),
    ("map f64.sqrt xss", "map (map f64.sqrt) xss"),
    ("if x < 1 then xs + ys else xs", "if x < 1 then map2 (+) xs ys else xs"),
    ("let (a, b) = (xs + ys, 1.0) in a * b", "let (a, b) = (map2 (+) xs ys, 1.0) in map (\\x -> x * b) a"),
    ("loop acc = xs for j < 10 do acc + ys", "loop acc = xs for j < 10 do map2 (+) acc ys"),
    ("loop acc = xs + ys for r in xss do acc + r", "loop acc = map2 (+) xs ys for r in xss do map2 (+) acc r"),
    ("xs with [i] = f64.sum (xs + ys)", "xs with [i] = f64.sum (map2 (+) xs ys)"),
    ("let a = copy xs let a[0] = f64.sum (xs * ys) in a", "let a = copy xs let a[0] = f64.sum (map2 (*) xs ys) in a"),
    ("[xs + ys, xs]", "[map2 (+) xs ys, xs]"),
    ("{a = xs + 1, b = x}", "{a = map (\\x -> x + 1) xs, b = x}"),
    ("(xs + -- the first\n   ys) -- the second\n  * zs", "map2 (*) (map2 (+) xs ys) zs"),
    ("scatter (copy xs) is x", "scatter (copy xs) is (rep x)"),
    ("if b then id x else xs", "if b then id (rep x) else xs"),
    ("zip x xs", "zip (rep x) xs"),
    ("both xs", "map both xs"),
    ("(both xs).0", "map (.0) (map both xs)"),
    ("#[unsafe] xs[is]", "#[unsafe] map (\\i -> xs[i]) is"),
    ("let map = xs in map + map", "let map' = xs in map2 (+) map' map'"),
    ("\\(map: [n]f64) -> f64.sum (xs * map)", "\\(map': [n]f64) -> f64.sum (map2 (*) xs map')"),
    ("f64.sum (xs + ys) + x", "f64.sum (map2 (+) xs ys) + x"),
    ("reduce (+) 0 xss", "map (reduce (+) 0) xss"),
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
