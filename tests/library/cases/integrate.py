"""`lib/integrate` against NumPy and integrals and solutions that are known."""

import numpy as np
from case import Case, Fails, edges

LIBRARY = "lib/integrate"
COMPLETE = True
MODULES = {"f64": "integrate"}
CASES = []


def case(name, parameters, body, inputs, oracle, tolerance=1e-8, **more):
    CASES.append(Case(name, f"entry {{name}} {parameters} = {body}", inputs, oracle, types={"f64": tolerance}, **more))


case("cumulative_trapezoid", "[n] (h: f64) (ys: [n]f64)", "integrate.cumulative_trapezoid h ys", lambda g: (float(g.array(1)[0]), g.array(g.size(1))), lambda h, y: np.cumsum(h * (y[1:] + y[:-1]) / 2))


def simpson(x, y):
    """Parabolas through three points each, integrated as polynomials; over the last interval of an even number of points the one of the last three."""
    n, total = len(x), 0.0
    if n < 3:
        return np.trapezoid(y, x)
    area = lambda i, lo, hi: np.diff(np.polyval(np.polyint(np.polyfit(x[i : i + 3] - x[i], y[i : i + 3], 2)), np.array([lo, hi]) - x[i]))[0]
    for i in range(0, n - 2, 2):
        total += area(i, x[i], x[i + 2])
    return total + (area(n - 3, x[-2], x[-1]) if n % 2 == 0 else 0.0)


PLACES = lambda g: (lambda n: (np.cumsum(g.array(n, lo=0.3, hi=2)), g.array(n)))(g.size())
case("simpson", "[n] (xs: [n]f64) (ys: [n]f64)", "integrate.simpson xs ys", PLACES, simpson, 1e-6)
case("leggauss", "(n: i64)", "integrate.leggauss n", lambda g: (g.size(1, 60),), np.polynomial.legendre.leggauss)
power = lambda a, b, p: (b ** (p + 1) - a ** (p + 1)) / (p + 1)
case("fixed_quad", "(a: f64) (b: f64) (p: i64)", "integrate.fixed_quad (\\x -> x ** f64.i64 p) a b 12", lambda g: (*map(float, g.array(2)), g.integer(0, 9)), power, 1e-7)
case("fixed_quad_2d", "(a: f64) (b: f64) (c: f64) (d: f64) (p: i64)", "integrate.fixed_quad_2d (\\x y -> x ** f64.i64 p * y) a b c d 8", lambda g: (*map(float, g.array(4, lo=-2, hi=2)), g.integer(0, 5)), lambda a, b, c, d, p: power(a, b, p) * power(c, d, 1), 1e-7)
QUAD = "(a: f64) (b: f64) (p: f64)"
some = lambda g, lo=0.1, hi=5.0: float(np.exp(g.rng.uniform(np.log(lo), np.log(hi))))
inf = float("inf")
case("quad", QUAD, "(integrate.quad (\\x -> f64.cos (p * x)) a b).0", lambda g: (*map(float, g.array(2)), g.pick(some(g), 40.0)), lambda a, b, p: (np.sin(p * b) - np.sin(p * a)) / p, 1e-6)
case("root.quad", QUAD, "(integrate.quad (\\x -> f64.sqrt x) a (b + p)).0", lambda g: (0.0, some(g), g.pick(0.0, some(g))), lambda a, b, p: 2 / 3 * (b + p) ** 1.5, 1e-6)
case("half.quad", QUAD, "(integrate.quad (\\x -> f64.exp (-p * x)) a b).0", lambda g: (float(g.rng.normal()), inf, some(g)), lambda a, b, p: np.exp(-p * a) / p, 1e-6)
case("left.quad", QUAD, "(integrate.quad (\\x -> f64.exp (p * x)) a b).0", lambda g: (-inf, float(g.rng.normal()), some(g)), lambda a, b, p: np.exp(p * b) / p, 1e-6)
case("whole.quad", QUAD, "(integrate.quad (\\x -> 1 / (1 + p * p * x * x)) a b).0", lambda g: g.pick((-inf, inf, some(g)), (inf, -inf, some(g))), lambda a, b, p: np.sign(b) * np.pi / p, 1e-6)


def flow(a, t, y):
    """The solution of y' = a y."""
    values, vectors = np.linalg.eig(a)
    return np.real(vectors @ (np.exp(values * t) * np.linalg.solve(vectors, y.astype(complex))))


def linear(g):
    n = g.size(1, 4)
    return g.rng.normal(size=(n, n)), g.array(n)


case("rk4", "[n] (a: [n][n]f64) (y: [n]f64)", "integrate.rk4 (\\_ (z: [n]f64) -> map (\\row -> f64.sum (map2 (*) row z)) a) 0 1 400 y", linear, lambda a, y: flow(a, 1, y), 1e-6)
case("solve_ivp", "[n] [k] (a: [n][n]f64) (y: [n]f64) (ts: [k]f64)", "integrate.solve_ivp (\\_ (z: [n]f64) -> map (\\row -> f64.sum (map2 (*) row z)) a) 1e-9 1e-11 ts y", lambda g: (*linear(g), np.cumsum(g.rng.uniform(0, 0.5, g.size(0, 6)))), lambda a, y, ts: np.array([flow(a, t - ts[0], y) for t in ts]).reshape(len(ts), len(y)), 1e-6)
case("time.solve_ivp", "[k] (ts: [k]f64)", "integrate.solve_ivp (\\t z -> map (\\_ -> f64.cos t) z) 1e-9 1e-11 ts [0]", lambda g: (np.cumsum(g.rng.uniform(0, 3, g.size(1, 6))),), lambda ts: (np.sin(ts) - np.sin(ts[0]))[:, None], 1e-6)
# The solution goes to infinity at time 1.
case("breakdown.solve_ivp", "(t: f64)", "f64.isnan (integrate.solve_ivp (\\_ z -> map (\\x -> x * x) z) 1e-6 1e-9 [0, t] [1])[1, 0]", lambda g: (2.0,), lambda t: True, count=1)

# Where values were wrong.
CASES.append(edges("back.solve_ivp", {f"(integrate.solve_ivp (\\t y -> map (\\x -> -x * t) y) 1e-10 1e-12 [1, 0.5, 0] [1])[{i}, 0]": np.exp((1 - t * t) / 2) for i, t in enumerate((1, 0.5, 0))}, 1e-8))
CASES.append(Case("refused.solve_ivp", "entry {name} = integrate.solve_ivp (\\_ y -> y) 1e-6 1e-6 [0, 1, 0.5] [1]", lambda g: (), lambda: Fails(506), count=1))
