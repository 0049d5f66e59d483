"""`lib/interpolate` against the equations that define the polynomials, solved with NumPy."""

import numpy as np
from case import Case, Fails, edges

LIBRARY = "lib/interpolate"
COMPLETE = True
MODULES = {"f64": "interpolate"}
CASES = []


def case(name, parameters, inputs, oracle, tolerance=1e-8, body=None, **more):
    names = " ".join(p.split(":")[0] for p in parameters)
    declared = " ".join(f"({p})" for p in parameters)
    sizes = "".join(f"[{s}] " for s in "nmk" if f"[{s}]" in declared)
    CASES.append(Case(name, f"entry {{name}} {sizes}{declared} = {body or f'interpolate.{name} {names}'}", inputs, oracle, types={"f64": tolerance}, **more))


def points(g, least=2, most=12):
    n = g.size(least, most)
    return np.cumsum(g.array(n, lo=0.3, hi=2)) - 5, g.array(n)


def pieces(xs, ys, ends):
    """The coefficients of a cubic spline as the solution of one system for all of them; `ends` says which two equations are added."""
    n, h = len(xs), np.diff(xs)
    if n == 2 and ends is not_a_knot:
        return np.array([[0, 0, (ys[1] - ys[0]) / h[0], ys[0]]])
    if n == 3 and ends is not_a_knot:
        p = np.polyfit(xs - xs[0], ys, 2)
        return np.array([[0, *p], [0, p[0], np.polyval(np.polyder(p), h[0]), ys[1]]])
    size = 4 * (n - 1)
    rows, right = [], []

    def equation(terms, value):
        row = np.zeros(size)
        for piece, coefficients in terms:
            row[4 * piece : 4 * piece + 4] += coefficients
        rows.append(row)
        right.append(value)

    value = lambda d: np.array([d**3, d**2, d, 1])
    slope = lambda d: np.array([3 * d**2, 2 * d, 1, 0])
    bend = lambda d: np.array([6 * d, 2, 0, 0])
    for i in range(n - 1):
        equation([(i, value(0))], ys[i])
        equation([(i, value(h[i]))], ys[i + 1])
    for i in range(n - 2):
        equation([(i, slope(h[i])), (i + 1, -slope(0))], 0)
        equation([(i, bend(h[i])), (i + 1, -bend(0))], 0)
    for terms, v in ends(n, h, slope, bend):
        equation(terms, v)
    return np.linalg.solve(np.array(rows), np.array(right)).reshape(n - 1, 4)


natural = lambda n, h, slope, bend: [([(0, bend(0))], 0), ([(n - 2, bend(h[-1]))], 0)]
not_a_knot = lambda n, h, slope, bend: [([(0, np.eye(4)[0]), (1, -np.eye(4)[0])], 0), ([(n - 3, np.eye(4)[0]), (n - 2, -np.eye(4)[0])], 0)]
clamped = lambda a, b: lambda n, h, slope, bend: [([(0, slope(0))], a), ([(n - 2, slope(h[-1]))], b)]
XY = ["xs: [n]f64", "ys: [n]f64"]
case("hermite", [*XY, "ds: [n]f64"], lambda g: (lambda x, y: (x, y, g.array(len(x))))(*points(g)), lambda x, y, d: np.array([np.linalg.solve([[0, 0, 0, 1], [h**3, h**2, h, 1], [0, 0, 1, 0], [3 * h**2, 2 * h, 1, 0]], [y[i], y[i + 1], d[i], d[i + 1]]) for i, h in enumerate(np.diff(x))]))
case("cubic_spline_natural", XY, points, lambda x, y: pieces(x, y, natural), 1e-7)
case("cubic_spline_clamped", ["a: f64", "b: f64", *XY], lambda g: (*g.array(2), *points(g)), lambda a, b, x, y: pieces(x, y, clamped(a, b)), 1e-7)
case("cubic_spline", XY, points, lambda x, y: pieces(x, y, not_a_knot), 1e-7)
for name in ("cubic_spline", "pchip", "akima"):
    case(f"refused.{name}", XY, lambda g: (np.array([0.0, 0.0, 1.0]), g.array(3)) if g.number else (np.zeros(1), np.zeros(1)), lambda x, y: Fails(506), count=2, body=f"interpolate.{name} xs ys")


def hermite(x, y, d):
    h, s = np.diff(x), np.diff(y) / np.diff(x)
    return np.stack([(d[:-1] + d[1:] - 2 * s) / h**2, (3 * s - 2 * d[:-1] - d[1:]) / h, d[:-1], y[:-1]], 1)


def pchip(x, y):
    h, s = np.diff(x), np.diff(y) / np.diff(x)
    n = len(x)
    if n == 2:
        return hermite(x, y, np.full(2, s[0]))
    d = np.zeros(n)
    for i in range(1, n - 1):
        if s[i - 1] * s[i] > 0:
            u, v = 2 * h[i] + h[i - 1], h[i] + 2 * h[i - 1]
            d[i] = (u + v) / (u / s[i - 1] + v / s[i])
    for i, (h0, h1, s0, s1) in ((0, (h[0], h[1], s[0], s[1])), (n - 1, (h[-1], h[-2], s[-1], s[-2]))):
        e = ((2 * h0 + h1) * s0 - h0 * s1) / (h0 + h1)
        if np.sign(e) != np.sign(s0):
            e = 0
        elif np.sign(s0) != np.sign(s1) and abs(e) > abs(3 * s0):
            e = 3 * s0
        d[i] = e
    return hermite(x, y, d)


def akima(x, y):
    s = np.diff(y) / np.diff(x)
    n = len(x)
    if n == 2:
        return hermite(x, y, np.full(2, s[0]))
    m = np.concatenate(([3 * s[0] - 2 * s[1], 2 * s[0] - s[1]], s, [2 * s[-1] - s[-2], 3 * s[-1] - 2 * s[-2]]))
    w = np.abs(np.diff(m))
    a, b = w[2:], w[:-2]
    d = np.where(a + b > 1e-9 * (a + b).max(), (a * m[1:-2] + b * m[2:-1]) / np.where(a + b == 0, 1, a + b), (m[1:-2] + m[2:-1]) / 2)
    return hermite(x, y, d)


STEPS = lambda g: (lambda x, y: (x, np.round(y / 3)) if g.chance(0.5) else (x, y))(*points(g))
case("pchip", XY, STEPS, pchip)
case("akima", XY, STEPS, akima)


def polynomial(g):
    x, y = points(g)
    return x, g.array(len(x) - 1, 4), float(g.rng.uniform(x[0] - 1, x[-1] + 1))


def evaluated(derivative):
    def at(x, c, t):
        i = min(max(np.searchsorted(x, t, "right") - 1, 0), len(x) - 2)
        return np.polyval(np.polyder(c[i], derivative), t - x[i])

    return at


def integral(x, c, a, b):
    """By Gauss's rule on every piece between the bounds."""
    if a > b:
        return -integral(x, c, b, a)
    cuts = np.concatenate(([a], x[(x > a) & (x < b)], [b]))
    u, w = np.polynomial.legendre.leggauss(3)
    return sum((q - p) / 2 * wi * evaluated(0)(x, c, (q - p) / 2 * ui + (p + q) / 2) for p, q in zip(cuts, cuts[1:]) for ui, wi in zip(u, w))


PIECES = ["xs: [n]f64", "c: [m][4]f64", "x: f64"]
at = lambda name: f"interpolate.{name} xs (c :> [n-1][4]f64) x"
case("ppoly_value", PIECES, polynomial, evaluated(0), body=at("ppoly_value"))
case("ppoly_slope", PIECES, polynomial, evaluated(1), body=at("ppoly_slope"))
case("ppoly_bend", PIECES, polynomial, evaluated(2), body=at("ppoly_bend"))
case("ppoly_integral", [*PIECES, "y: f64"], lambda g: (lambda x, c, a: (x, c, a, float(g.rng.uniform(x[0], x[-1]))))(*polynomial(g)), integral, 1e-7, body=at("ppoly_integral") + " y")
case("nearest", [*XY, "x: f64"], lambda g: (lambda x, y: (x, y, g.pick(float(x[0]), float(g.rng.uniform(x[0] - 1, x[-1] + 1)))))(*points(g, 1)), lambda x, y, t: y[np.argmin(np.abs(x - t))])
case("previous", [*XY, "x: f64"], lambda g: (lambda x, y: (x, y, g.pick(float(x[0]), float(g.rng.uniform(x[0] - 1, x[-1] + 1)))))(*points(g, 1)), lambda x, y, t: y[max(np.searchsorted(x, t, "right") - 1, 0)])
case("barycentric", [*XY, "x: f64"], lambda g: (lambda x, y: (x, y, g.pick(float(x[0]), float(g.rng.uniform(x[0], x[-1])))))(*points(g, 1, 7)), lambda x, y, t: sum(y[i] * np.prod([(t - x[j]) / (x[i] - x[j]) for j in range(len(x)) if j != i]) for i in range(len(x))), 1e-6)
case("bilinear", ["xs: [n]f64", "ys: [m]f64", "zs: [n][m]f64", "x: f64", "y: f64"], lambda g: (lambda x, y: (x, y, g.array(len(x), len(y)), float(g.rng.uniform(x[0], x[-1])), float(g.rng.uniform(y[0], y[-1]))))(points(g)[0], points(g)[0]), lambda x, y, z, a, b: np.interp(a, x, [np.interp(b, y, row) for row in z]))


def bspline(knots, c, k, x):
    """By the recurrence of the basis functions."""

    def basis(i, k):
        if k == 0:
            return 1.0 if knots[i] <= x < knots[i + 1] else 0.0
        left = (x - knots[i]) / (knots[i + k] - knots[i]) * basis(i, k - 1) if knots[i + k] > knots[i] else 0.0
        right = (knots[i + k + 1] - x) / (knots[i + k + 1] - knots[i + 1]) * basis(i + 1, k - 1) if knots[i + k + 1] > knots[i + 1] else 0.0
        return left + right

    return sum(c[i] * basis(i, k) for i in range(len(c)))


def bsplines(g):
    k = g.integer(0, 4)
    n = g.size(k + 1)
    knots = np.sort(np.round(g.array(n + k + 1), 1)) if g.chance(0.5) else np.concatenate((np.zeros(k), np.linspace(0, 1, n - k + 1), np.ones(k)))
    lo, hi = knots[k], knots[n]
    return knots, g.array(n), k, float(lo + (hi - lo) * g.rng.uniform(0, 0.999))


case("bspline", ["t: [k]f64", "c: [n]f64", "d: i64", "x: f64"], bsplines, bspline)

# Where values were wrong.
CASES.append(edges("nan.nearest", {
    "interpolate.nearest [0, 1] [5, 6] f64.nan": np.nan, "interpolate.previous [0, 1] [5, 6] f64.nan": np.nan, "interpolate.bspline [0, 1] [5] 0 f64.nan": np.nan,
}))  # fmt: skip
