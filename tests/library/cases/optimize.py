"""`lib/optimize` against roots and minima that are known."""

import numpy as np
from case import Case, Fails, edges

LIBRARY = "lib/optimize"
COMPLETE = True
MODULES = {"f64": "optimize"}
CASES = []


def case(name, parameters, body, inputs, oracle=None, tolerance=1e-7, **more):
    CASES.append(Case(name, f"entry {{name}} {parameters} = {body}", inputs, oracle, types={"f64": tolerance}, **more))


some = lambda g, lo=0.1, hi=5.0: float(np.exp(g.rng.uniform(np.log(lo), np.log(hi))))

# The cube root of p by several equations, and brackets without a root.
CUBE = lambda g: (p := float(g.rng.uniform(-8, 8)), *((-3.0, 3.0) if g.number % 10 else (p + 10, p + 20)))
bracketed = lambda p, a, b: np.cbrt(p) if a <= np.cbrt(p) <= b else np.nan
case("bisect", "(p: f64) (a: f64) (b: f64)", "optimize.bisect (\\x -> x * x * x - p) a b", CUBE, bracketed, 1e-12)
case("brentq", "(p: f64) (a: f64) (b: f64)", "optimize.brentq (\\x -> x * x * x - p) a b 1e-12", CUBE, bracketed, 1e-9)
case("flat.brentq", "(p: f64)", "optimize.brentq (\\x -> let d = x - p in d * d * d * d * d) (-4) 5 1e-13", lambda g: (float(g.rng.uniform(-3, 3)),), check=lambda a, r: None if abs(r[0] - a[0]) < 1e-2 else f"{r}")
case("newton", "(p: f64) (x: f64)", "optimize.newton (\\x -> (f64.exp x - p, f64.exp x)) x 1e-12", lambda g: (some(g), float(g.rng.uniform(-1, 3))), lambda p, x: np.log(p), check=lambda a, r: None if abs(r[0] - np.log(a[0])) < 1e-9 else f"{r}")
case("lost.newton", "(x: f64)", "optimize.newton (\\x -> (x * x + 1, 2 * x)) x 1e-12", lambda g: (float(g.rng.uniform(0.1, 3)),), lambda x: np.nan)
case("secant", "(p: f64)", "optimize.secant (\\x -> x * x - p) p (p + 1) 1e-12", lambda g: (some(g, 0.5, 50),), lambda p: np.sqrt(p), 1e-9)


def circle(g):
    a = g.rng.normal(size=2)
    return (a, a + 0.3 * g.rng.normal(size=2))


case("root", "(p: [2]f64) (x: [2]f64)", "optimize.root (\\(v: [2]f64) -> [v[0] + 0.1 * v[1] ** 3 - (p[0] + 0.1 * p[1] ** 3), v[1] + 0.2 * f64.sin v[0] - (p[1] + 0.2 * f64.sin p[0])]) (\\(v: [2]f64) -> [[1, 0.3 * v[1] ** 2], [0.2 * f64.cos v[0], 1]]) x", circle, lambda p, x: (p, True))

MINIMUM = lambda g: (float(g.rng.uniform(-2, 2)), float(g.pick(2, 4)))
near = lambda far: lambda a, r: None if abs(r[0] - a[0]) < far else f"{r[0]}, not {a[0]}"
case("golden", "(p: f64) (k: f64)", "optimize.golden (\\x -> f64.abs (x - p) ** k) (-3) 4 1e-9", MINIMUM, check=near(1e-3))
case("fminbound", "(p: f64) (k: f64)", "optimize.fminbound (\\x -> f64.abs (x - p) ** k) (-3) 4 1e-9", MINIMUM, check=near(1e-3))
case("cosine.fminbound", "(p: f64)", "optimize.fminbound (\\x -> -(f64.cos (x - p))) (p - 2) (p + 1) 1e-9", lambda g: (float(g.rng.normal()),), check=near(1e-6))


def bowl(g, most=4):
    """A quadratic form and a start."""
    n = g.size(0, most)
    b = g.rng.normal(size=(n, n))
    return b @ b.T + np.eye(n), g.rng.normal(size=n), g.rng.normal(size=n)


def minimised(far):
    def check(arguments, results):
        a, p, _ = arguments
        x, value, found = results
        if not found:
            return "not found"
        return None if np.abs(x - p).max(initial=0) < far and abs(value) < far else f"{x} with {value}, not {p}"

    return check


FORM = "let f = (\\(v: [n]f64) -> let d = map2 (-) v p in f64.sum (map2 (\\row y -> y * f64.sum (map2 (*) row d)) a d)) in "
GRADIENT = "(\\(v: [n]f64) -> let d = map2 (-) v p in map (\\row -> 2 * f64.sum (map2 (*) row d)) a)"
case("nelder_mead", "[n] (a: [n][n]f64) (p: [n]f64) (x: [n]f64)", FORM + "optimize.nelder_mead f x 1e-10", bowl, check=minimised(1e-4))
case("bfgs", "[n] (a: [n][n]f64) (p: [n]f64) (x: [n]f64)", FORM + f"optimize.bfgs f {GRADIENT} x 1e-8", lambda g: bowl(g, 8), check=minimised(1e-6))
case("rosenbrock.bfgs", "(x: [2]f64)", "optimize.bfgs (\\(v: [2]f64) -> 100 * (v[1] - v[0] * v[0]) ** 2 + (1 - v[0]) ** 2) (\\(v: [2]f64) -> [-400 * v[0] * (v[1] - v[0] * v[0]) - 2 * (1 - v[0]), 200 * (v[1] - v[0] * v[0])]) x 1e-7", lambda g: (2 * g.rng.normal(size=2),), check=lambda a, r: None if r[2] and np.abs(r[0] - 1).max() < 1e-4 else f"{r}")


def overdetermined(g):
    n = g.size(1, 4)
    a = g.rng.normal(size=(n + g.size(1, 6), n))
    return a, g.rng.normal(size=len(a)), g.rng.normal(size=n)


def fitted(arguments, results):
    a, b, _ = arguments
    x, value, found = results
    want = np.linalg.lstsq(a, b)[0]
    return None if found and np.allclose(x, want, 1e-5, 1e-6) and np.isclose(value, ((a @ want - b) ** 2).sum()) else f"{x} {found}, not {want}"


case("least_squares", "[n] [m] (a: [m][n]f64) (b: [m]f64) (x: [n]f64)", "optimize.least_squares (\\(v: [n]f64) -> map2 (\\row y -> f64.sum (map2 (*) row v) - y) a b) (\\_ -> a) x", overdetermined, check=fitted)
case("curve_fit", "[m] (p: [2]f64) (xs: [m]f64)", "optimize.curve_fit (\\(p: [2]f64) x -> p[0] * f64.exp (p[1] * x)) (\\(p: [2]f64) x -> [f64.exp (p[1] * x), p[0] * x * f64.exp (p[1] * x)]) [1, 0] xs (map (\\x -> p[0] * f64.exp (p[1] * x)) xs)", lambda g: (np.array([some(g), float(g.rng.uniform(-1, 1))]), np.linspace(0, 2, g.size(3, 20))), check=lambda a, r: None if np.allclose(r[0], a[0], 1e-5) and r[1] < 1e-8 else f"{r}")

# Where values were wrong.
NAN = float("nan")
flag = lambda text: f"f64.bool ({text})"
CASES.append(edges("lost.secant", {
    "optimize.newton (\\x -> (x * x + 1, 2 * x)) 1 1e-9": NAN, "optimize.newton (\\x -> (x, 0)) 1 1e-9": NAN, "optimize.secant (\\x -> 1 / (1 + x * x)) 1 2 1e-9": NAN,
    "optimize.bisect (\\x -> if f64.abs x < 0.6 then f64.nan else x) (-1) 2": NAN,
    flag("(optimize.bfgs (\\_ -> f64.nan) (\\_ -> [0]) [1] 1e-8).2"): 0, flag("(optimize.bfgs (\\v -> v[0]) (\\_ -> [f64.nan]) [1] 1e-8).2"): 0,
    flag("(optimize.least_squares (\\_ -> [f64.nan]) (\\_ -> [[1]]) [1]).2"): 0, flag("(optimize.least_squares (\\p -> [p[0]]) (\\_ -> [[f64.nan]]) [1]).2"): 0,
    flag("(optimize.nelder_mead (\\_ -> f64.nan) [1] 1e-8).2"): 0,
}))  # fmt: skip
case("refused.fminbound", "", "optimize.fminbound (\\x -> x * x) 2 0 1e-9", lambda g: (), lambda: Fails(506), count=1)
