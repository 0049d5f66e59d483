"""`lib/stats` against formulas written with NumPy: series in place of continued fractions, sums over definitions."""

import math

import numpy as np
from case import Case, Fails, edges

LIBRARY = "lib/stats"
COMPLETE = True
MODULES = {"f64": "stats"}
CASES = []


def case(name, parameters, inputs, oracle, tolerance=1e-9, **more):
    names = " ".join(p.split(":")[0] for p in parameters)
    declared = " ".join(f"({p})" for p in parameters)
    sizes = "".join(f"[{s}] " for s in "nm" if f"[{s}]" in declared)
    CASES.append(Case(name, f"entry {{name}} {sizes}{declared} = stats.{name} {names}", inputs, oracle, types={"f64": tolerance}, **more))


some = lambda g, lo, hi: float(np.exp(g.rng.uniform(np.log(lo), np.log(hi))))


# Special functions


def gammainc(a, x):
    if not a > 0 or not x >= 0:
        return math.nan
    if x == 0:
        return 0.0
    terms, term, k = [1 / a], 1 / a, a
    while term > 1e-18 * terms[0] or k < x:
        k += 1
        term *= x / k
        terms.append(term)
    return min(1.0, math.fsum(terms) * math.exp(a * math.log(x) - x - math.lgamma(a)))


def betainc(a, b, x):
    if not a > 0 or not b > 0 or not 0 <= x <= 1:
        return math.nan
    if x in (0, 1):
        return float(x)
    # The series converges slowly near 1, and the difference has few digits where it is small.
    if x > 0.9:
        return 1 - betainc(b, a, 1 - x)
    terms, term, k = [1.0], 1.0, 0
    while term > 1e-18 * terms[0] or (a + b + k) * x > a + 1 + k:
        term *= (a + b + k) / (a + 1 + k) * x
        k += 1
        terms.append(term)
    return math.fsum(terms) * math.exp(math.lgamma(a + b) - math.lgamma(a + 1) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x))


GAMMA = lambda g: (g.pick(-1.0, 0.0, 0.5, 1.0) if g.number < 8 else some(g, 0.01, 50), g.pick(-1.0, 0.0, 1.0, math.nan) if g.number < 8 else some(g, 1e-3, 100))
case("gammainc", ["a: f64", "x: f64"], GAMMA, gammainc)
case("gammaincc", ["a: f64", "x: f64"], GAMMA, None, check=lambda a, r: (lambda want: None if np.allclose(r[0], want, 1e-9, 1e-13, equal_nan=True) else f"{r[0]}, not {want}")(1 - gammainc(*a)))
BETA = lambda g: (some(g, 0.05, 50), some(g, 0.05, 50), g.pick(0.0, 1.0, -1.0, math.nan) if g.number < 8 else float(g.rng.random()))
case("betainc", ["a: f64", "b: f64", "x: f64"], BETA, betainc)


def inverts(cdf, least=0.0, tolerance=1e-8):
    """The result is where the distribution function has the value."""

    def check(arguments, results):
        p, *rest = arguments
        x = float(np.asarray(results[0]).reshape(()))
        if not 0 <= p <= 1:
            return None if math.isnan(x) else f"{x} in place of NaN"
        if p in (0, 1):
            return None if (x == least if p == 0 else x >= 1e3 or cdf(x, *rest) == 1) else f"{x}"
        got = cdf(x, *rest)
        return None if abs(got - p) <= tolerance * min(p, 1 - p) + 1e-14 else f"at {x} it is {got}, not {p}"

    return check


normal = lambda x, loc=0.0, scale=1.0: 0.5 * math.erfc((loc - x) / (scale * math.sqrt(2)))
PART = lambda g: g.pick(0.0, 1.0, -0.5, math.nan) if g.number < 6 else g.pick(float(g.rng.random()), some(g, 1e-12, 0.1))
case("ndtri", ["p: f64"], lambda g: (PART(g),), None, check=inverts(normal, -math.inf))
case("erfinv", ["y: f64"], lambda g: (float(g.rng.uniform(-1, 1)),), None, check=lambda a, r: None if abs(math.erf(r[0]) - a[0]) < 1e-13 else f"{math.erf(r[0])}")
NORMAL = lambda g: (float(g.rng.normal() * 3), float(g.rng.normal()), some(g, 0.1, 10))
case("norm_pdf", ["x: f64", "m: f64", "s: f64"], NORMAL, lambda x, m, s: math.exp(-(((x - m) / s) ** 2) / 2) / s / math.sqrt(2 * math.pi))
case("norm_cdf", ["x: f64", "m: f64", "s: f64"], NORMAL, normal)
case("norm_sf", ["x: f64", "m: f64", "s: f64"], NORMAL, lambda x, m, s: normal(2 * m - x, m, s))
case("norm_ppf", ["p: f64", "m: f64", "s: f64"], lambda g: (PART(g), float(g.rng.normal()), some(g, 0.1, 10)), None, check=inverts(normal, -math.inf))
POSITIVE = lambda g: g.pick(-1.0, 0.0, some(g, 1e-3, 50))
case("expon_pdf", ["x: f64", "s: f64"], lambda g: (POSITIVE(g), some(g, 0.1, 10)), lambda x, s: 0.0 if x < 0 else math.exp(-x / s) / s)
case("expon_cdf", ["x: f64", "s: f64"], lambda g: (g.pick(-1.0, some(g, 1e-12, 50)), some(g, 0.1, 10)), lambda x, s: 0.0 if x < 0 else -math.expm1(-x / s))
case("expon_ppf", ["p: f64", "s: f64"], lambda g: (float(g.rng.random()), some(g, 0.1, 10)), lambda p, s: -s * math.log1p(-p))
gamma_cdf = lambda x, a, s: gammainc(a, max(x, 0.0) / s)
AB = lambda g: (POSITIVE(g), some(g, 0.1, 30), some(g, 0.1, 10))
case("gamma_pdf", ["x: f64", "a: f64", "s: f64"], lambda g: (g.pick(-1.0, some(g, 1e-3, 50)), some(g, 0.1, 30), some(g, 0.1, 10)), lambda x, a, s: 0.0 if x < 0 else (x / s) ** (a - 1) * math.exp(-x / s) / s / math.gamma(a))
case("gamma_cdf", ["x: f64", "a: f64", "s: f64"], AB, gamma_cdf)
case("gamma_ppf", ["p: f64", "a: f64", "s: f64"], lambda g: (PART(g), some(g, 0.2, 30), some(g, 0.1, 10)), None, check=inverts(gamma_cdf))
chi2_cdf = lambda x, df: gammainc(df / 2, max(x, 0.0) / 2)
DF = lambda g: (POSITIVE(g), some(g, 0.5, 60))
case("chi2_pdf", ["x: f64", "d: f64"], lambda g: (g.pick(-1.0, some(g, 1e-3, 50)), some(g, 0.5, 60)), lambda x, d: 0.0 if x < 0 else x ** (d / 2 - 1) * math.exp(-x / 2) / 2 ** (d / 2) / math.gamma(d / 2))
case("chi2_cdf", ["x: f64", "d: f64"], DF, chi2_cdf)
case("chi2_sf", ["x: f64", "d: f64"], DF, lambda x, d: 1 - chi2_cdf(x, d), 1e-5)
case("chi2_ppf", ["p: f64", "d: f64"], lambda g: (PART(g), some(g, 0.5, 60)), None, check=inverts(chi2_cdf))
case("beta_pdf", ["x: f64", "a: f64", "b: f64"], lambda g: (g.pick(-1.0, 2.0, float(g.rng.random()), float(g.rng.random())), some(g, 0.1, 20), some(g, 0.1, 20)), lambda x, a, b: 0.0 if not 0 <= x <= 1 else x ** (a - 1) * (1 - x) ** (b - 1) * math.gamma(a + b) / math.gamma(a) / math.gamma(b))
beta_cdf = lambda x, a, b: betainc(a, b, min(max(x, 0.0), 1.0))
case("beta_cdf", ["x: f64", "a: f64", "b: f64"], lambda g: (g.pick(-1.0, 2.0, float(g.rng.random()), float(g.rng.random())), some(g, 0.1, 20), some(g, 0.1, 20)), beta_cdf)
case("beta_ppf", ["p: f64", "a: f64", "b: f64"], lambda g: (PART(g), some(g, 0.5, 20), some(g, 0.5, 20)), None, check=inverts(beta_cdf, tolerance=1e-6))
t_tail = lambda x, d: 0.5 * betainc(d / 2, 0.5, d / (d + x * x))
t_cdf = lambda x, d: t_tail(x, d) if x < 0 else 1 - t_tail(x, d)
T = lambda g: (g.pick(0.0, float(g.rng.normal() * 3), float(g.rng.normal() * 100)), some(g, 0.5, 100))
case("t_pdf", ["x: f64", "d: f64"], T, lambda x, d: math.gamma((d + 1) / 2) / math.gamma(d / 2) / math.sqrt(d * math.pi) * (1 + x * x / d) ** (-(d + 1) / 2))
case("t_cdf", ["x: f64", "d: f64"], T, t_cdf)
case("t_sf", ["x: f64", "d: f64"], T, lambda x, d: t_cdf(-x, d))
case("t_ppf", ["p: f64", "d: f64"], lambda g: (PART(g), some(g, 1, 100)), None, check=inverts(t_cdf, -math.inf, 1e-7))
F = lambda g: (POSITIVE(g), some(g, 0.5, 60), some(g, 0.5, 60))
f_cdf = lambda x, a, b: betainc(a / 2, b / 2, a * max(x, 0.0) / (a * max(x, 0.0) + b))
f_pdf = lambda x, a, b: 0.0 if x < 0 else math.gamma((a + b) / 2) / math.gamma(a / 2) / math.gamma(b / 2) * (a / b) ** (a / 2) * x ** (a / 2 - 1) * (1 + a / b * x) ** (-(a + b) / 2)
case("f_pdf", ["x: f64", "a: f64", "b: f64"], lambda g: (g.pick(-1.0, some(g, 1e-3, 50)), some(g, 0.5, 60), some(g, 0.5, 60)), f_pdf)
case("f_cdf", ["x: f64", "a: f64", "b: f64"], F, f_cdf)
case("f_sf", ["x: f64", "a: f64", "b: f64"], F, lambda x, a, b: 1 - f_cdf(x, a, b), 1e-4)
case("f_ppf", ["p: f64", "a: f64", "b: f64"], lambda g: (PART(g) if g.number > 6 else 0.5, some(g, 1, 60), some(g, 1, 60)), None, check=inverts(f_cdf, tolerance=1e-6))
poisson = lambda k, m: 0.0 if k < 0 else math.exp(-m) * m**k / math.factorial(k)
POISSON = lambda g: (g.integer(-2, 30), g.pick(0.0, some(g, 0.1, 30)))
case("poisson_pmf", ["k: i64", "m: f64"], POISSON, poisson)
case("poisson_cdf", ["k: i64", "m: f64"], POISSON, lambda k, m: math.fsum(poisson(i, m) for i in range(k + 1)))
binomial = lambda k, n, p: math.comb(n, k) * p**k * (1 - p) ** (n - k) if 0 <= k <= n else 0.0
BINOMIAL = lambda g: (lambda n: (g.integer(-2, n + 2), n, g.pick(0.0, 1.0, float(g.rng.random()))))(g.integer(0, 40))
case("binom_pmf", ["k: i64", "n: i64", "p: f64"], BINOMIAL, binomial)
case("binom_cdf", ["k: i64", "n: i64", "p: f64"], BINOMIAL, lambda k, n, p: math.fsum(binomial(i, n, p) for i in range(k + 1)))

# Descriptions
ROW = ["xs: [n]f64"]
sample = lambda g, least=2: (g.array(g.size(least, 30)),)
ranks = lambda x: np.array([np.sum(x < v) + (np.sum(x == v) + 1) / 2 for v in x])
m = lambda k, x: np.mean((x - x.mean()) ** k)
case("moment", ["k: i64", *ROW], lambda g: (g.pick(0, 2, 3, 4, 5, 6), *sample(g, 3)), m, 1e-8)
case("skew", ROW, lambda g: sample(g, 3), lambda x: m(3, x) / m(2, x) ** 1.5, 1e-7)
case("kurtosis", ROW, lambda g: sample(g, 3), lambda x: m(4, x) / m(2, x) ** 2 - 3, 1e-7)
case("gmean", ROW, lambda g: (np.array(g.pick([0.0], [0.0, 3.0], [3.0, 0.0], [np.inf, 1.0], [1.0, np.inf])) if g.chance(0.1) else g.array(g.size(1), lo=0.1),), lambda x: np.prod(x) ** (1 / len(x)))
case("hmean", ROW, lambda g: (g.array(g.size(1), lo=0.1),), lambda x: len(x) / np.sum(1 / x))
case("sem", ROW, sample, lambda x: x.std(ddof=1) / np.sqrt(len(x)))
case("zscore", ROW, sample, lambda x: (x - x.mean()) / x.std())
TIED = lambda g: (np.round(g.numbers(g.size(most=30), specials=False) / 2),)
case("rankdata", ROW, TIED, ranks)
case("entropy", ROW, lambda g: (np.where(g.rng.random(n := g.size(1)) < 0.2, 0, g.array(n, lo=0.1)) + np.eye(1, n)[0],), lambda p: -sum(q * math.log(q) for q in p / p.sum() if q > 0))
case("trim_mean", ["p: f64", *ROW], lambda g: (float(g.rng.uniform(0, 0.45)), *sample(g)), lambda p, x: np.sort(x)[int(p * len(x)) : len(x) - int(p * len(x))].mean(), 1e-8)
case("mode", ROW, lambda g: (np.round(g.array(g.size(1, 30)) / 3),), lambda x: (lambda v, c: (v[c.argmax()], c.max()))(*np.unique(x, return_counts=True)))

# Tests
two_sided = lambda t, df: 2 * t_tail(abs(t), df)
ttest = lambda x, mu=0.0: (lambda t: (t, two_sided(t, len(x) - 1)))((x.mean() - mu) / (x.std(ddof=1) / math.sqrt(len(x))))


def ttest_ind(x, y):
    n, k = len(x), len(y)
    s = (((x - x.mean()) ** 2).sum() + ((y - y.mean()) ** 2).sum()) / (n + k - 2)
    t = (x.mean() - y.mean()) / math.sqrt(s / n + s / k)
    return t, two_sided(t, n + k - 2)


def welch(x, y):
    a, b = x.var(ddof=1) / len(x), y.var(ddof=1) / len(y)
    t = (x.mean() - y.mean()) / math.sqrt(a + b)
    return t, two_sided(t, (a + b) ** 2 / (a**2 / (len(x) - 1) + b**2 / (len(y) - 1)))


def oneway(groups):
    k, n = groups.shape
    within = sum(((x - x.mean()) ** 2).sum() for x in groups) / (k * n - k)
    between = n * ((groups.mean(1) - groups.mean()) ** 2).sum() / (k - 1)
    return between / within, 1 - f_cdf(between / within, k - 1, k * n - k)


def contingency(table):
    e = np.outer(table.sum(1), table.sum(0)) / table.sum()
    x = ((table - e) ** 2 / e).sum()
    return x, 1 - chi2_cdf(x, (table.shape[0] - 1) * (table.shape[1] - 1))


def pearson(x, y):
    r = np.corrcoef(x, y)[0, 1]
    df = len(x) - 2
    return r, two_sided(r * math.sqrt(df / (1 - r * r)), df)


def kendall(x, y):
    pairs = [(np.sign(x[i] - x[j]), np.sign(y[i] - y[j])) for i in range(len(x)) for j in range(i)]
    return sum(a * b for a, b in pairs) / math.sqrt(sum(a * a for a, _ in pairs) * sum(b * b for _, b in pairs))


def kolmogorov(x):
    """The alternating series, exact where the other one would be used too, if it is long enough."""
    return 1.0 if x <= 0.04 else min(1.0, math.fsum(2 * (-1) ** k * math.exp(-2 * (k + 1) ** 2 * x * x) for k in range(400)))


def ks(x, y):
    at = np.concatenate((x, y))
    d = max(abs((x <= v).mean() - (y <= v).mean()) for v in at)
    return d, kolmogorov(d * math.sqrt(len(x) * len(y) / (len(x) + len(y))))


def mann_whitney(x, y):
    n, k = len(x), len(y)
    u = float(sum((a > b) + 0.5 * (a == b) for a in x for b in y))
    counts = np.unique(np.concatenate((x, y)), return_counts=True)[1]
    total = n + k
    s = math.sqrt(n * k / 12 * (total + 1 - (counts**3 - counts).sum() / (total * (total - 1))))
    return u, min(1.0, 2 * normal(-((max(u, n * k - u) - n * k / 2 - 0.5) / s)))


def line(x, y):
    slope, intercept = np.linalg.lstsq(np.stack((x, np.ones_like(x)), 1), y)[0]
    r, p = pearson(x, y)
    return slope, intercept, r, p, math.sqrt(((y - slope * x - intercept) ** 2).sum() / (len(x) - 2) / ((x - x.mean()) ** 2).sum())


PAIR = ["xs: [n]f64", "ys: [m]f64"]
SAME = ["xs: [n]f64", "ys: [n]f64"]
two = lambda g, least=3: (g.array(g.size(least, 30)), g.array(g.size(least, 30)) + g.pick(0, 3))
same = lambda g, least=4: (lambda n: (g.array(n), g.array(n)))(g.size(least, 30))
case("ttest_1samp", ["mu: f64", *ROW], lambda g: (float(g.rng.normal()), *sample(g)), lambda mu, x: ttest(x, mu), 1e-7)
case("ttest_ind", PAIR, two, ttest_ind, 1e-7)
case("ttest_welch", PAIR, two, welch, 1e-7)
case("ttest_rel", SAME, same, lambda x, y: ttest(x - y), 1e-7)
case("f_oneway", ["gs: [n][m]f64"], lambda g: (g.array(g.size(2, 5), g.size(2)),), oneway, 1e-6)
case("chisquare", SAME, lambda g: (lambda n: (g.array(n, lo=1), g.array(n, lo=5)))(g.size(2)), lambda o, e: (lambda x: (x, 1 - chi2_cdf(x, len(o) - 1)))(((o - e) ** 2 / e).sum()), 1e-6, check=None)
case("chi2_contingency", ["t: [n][m]f64"], lambda g: (g.array(g.size(2, 4), g.size(2, 4), lo=3).round(),), contingency, 1e-6)
case("pearsonr", SAME, same, pearson, 1e-7)
case("spearmanr", SAME, lambda g: same(g, 5), lambda x, y: pearson(ranks(x), ranks(y)), 1e-6)
case("kendalltau", SAME, lambda g: (lambda x, y: (np.round(x / 2), np.round(y)))(*same(g, 5)), kendall)
case("kolmogorov", ["x: f64"], lambda g: (g.pick(0.0, -1.0, some(g, 0.05, 3)),), kolmogorov, 1e-7)
case("ks_2samp", PAIR, two, ks, 1e-7)
case("mannwhitneyu", PAIR, lambda g: tuple(np.round(x) for x in two(g)), mann_whitney, 1e-8)
case("jarque_bera", ROW, lambda g: sample(g, 3), lambda x: (lambda s: (s, math.exp(-s / 2)))(len(x) / 6 * ((m(3, x) / m(2, x) ** 1.5) ** 2 + (m(4, x) / m(2, x) ** 2 - 3) ** 2 / 4)), 1e-7)
case("linregress", SAME, lambda g: same(g, 5), line, 1e-6)
case("polyfit", ["k: i64", *SAME], lambda g: (lambda n: (g.integer(0, min(5, n - 1)), np.cumsum(g.array(n, lo=0.2, hi=2)) + g.pick(-10, 0), g.array(n)))(g.size(1)) if g.number != 50 else (3, g.array(3), g.array(3)), lambda k, x, y: Fails(506) if k >= len(x) else np.polyfit(x, y, k), 1e-5)

# Where values were wrong: numbers to 20 digits are integrals and closed forms computed with 60 digits.
NAN, INF = math.nan, math.inf
CASES.append(edges("large.gammainc", {
    "stats.gammainc 1e10 1e10": 0.50000132980760133885, "stats.gammainc 1000 1030": 0.82891190388239396086, "stats.gammaincc 1000 1030": 0.17108809611760603914,
    "stats.gammainc f64.inf 1": 0.0, "stats.gammainc 1 f64.inf": 1.0, "stats.betainc 1e8 1e8 0.5": 0.5, "stats.betainc 1e8 1e8 0.5001": 0.99766113269031021078,
    "stats.betainc 50 3000 0.017": 0.62039049022358181074, "stats.binom_cdf 50000000 100000000 0.5": 0.5000398942279404077,
    "stats.poisson_cdf 100000000 1e8": 0.50002659615199277821, "stats.poisson_pmf 100000000 1e8": 0.000039894228006898077774,
    "stats.chi2_sf 100010000 1e8": 0.23974273766123693635, "stats.t_pdf 2 1e8": 0.053990967458029938205, "stats.t_sf 0 f64.inf": 0.5,
    "stats.beta_pdf 0.5 1500 1500": 43.698295547387247448, "stats.gamma_pdf 1010 1000 1": 0.011884515036035110092, "stats.expon_cdf 2000 1": 1.0,
    "stats.erfinv 1e-20": 8.8622692545275796504e-21, "stats.erfinv 1e-10": 8.8622692545275804594e-11, "stats.erfinv 0.9999999": 3.7665625816384708887,
    "stats.t_ppf 1e-20 1": -31830988618379068900.0, "stats.t_ppf 0.5000000001 1": 3.1415929135263349246e-10, "stats.t_ppf 0.5 3": 0.0,
}, 1e-12))  # fmt: skip
# Each function with a NaN in each place, and with parameters that no distribution has.
GOOD = {
    "gammainc": (2, 1), "gammaincc": (2, 1), "betainc": (2, 1, 0.5), "ndtri": (0.5,), "erfinv": (0.5,), "norm_pdf": (0, 0, 1), "norm_cdf": (1, 0, 1), "norm_sf": (1, 0, 1),
    "norm_ppf": (0.5, 0, 1), "expon_pdf": (1, 1), "expon_cdf": (1, 1), "expon_ppf": (0.5, 1), "gamma_pdf": (1, 1, 1), "gamma_cdf": (1, 1, 1), "gamma_ppf": (0.5, 1, 1),
    "chi2_pdf": (1, 1), "chi2_cdf": (1, 1), "chi2_sf": (1, 1), "chi2_ppf": (0.5, 1), "beta_pdf": (1, 1, 1), "beta_cdf": (0.5, 1, 1), "beta_ppf": (0.5, 1, 1), "t_pdf": (1, 1),
    "t_sf": (1, 1), "t_cdf": (1, 1), "t_ppf": (0.5, 1), "f_pdf": (1, 1, 1), "f_cdf": (1, 1, 1), "f_sf": (1, 1, 1), "f_ppf": (0.5, 1, 1), "poisson_pmf": (0, 1),
    "poisson_cdf": (0, 1), "binom_pmf": (0, 1, 0.5), "binom_cdf": (0, 1, 0.5),
}  # fmt: skip
# Locations may be any number, and so may places but for the incomplete functions and parts.
ANY = {("norm_pdf", 1), ("norm_cdf", 1), ("norm_sf", 1), ("norm_ppf", 1)} | {(f, 0) for f in GOOD if f[-4:] in ("_pdf", "_cdf", "_pmf") or f.endswith("_sf")} | {("erfinv", 0)}
INTEGER = {("poisson_pmf", 0), ("poisson_cdf", 0), ("binom_pmf", 0), ("binom_cdf", 0), ("binom_pmf", 1), ("binom_cdf", 1)}


def spoilt(f, arguments, text, places):
    """The function at the arguments, one of them after the other replaced by the text."""
    rows = [[text if i == place else str(a) for i, a in enumerate(arguments)] for place in places]
    columns = ["[" + ", ".join(c) + "]" for c in zip(*rows)]
    return f"f64.sum (map (\\x -> f64.bool (f64.isnan x)) (map{len(columns) if len(columns) > 1 else ''} stats.{f} {' '.join(columns)}))"


def spoilt_all(text, left_out):
    places = {f: [i for i in range(len(a)) if (f, i) not in left_out] for f, a in GOOD.items()}
    return {spoilt(f, a, text, places[f]): len(places[f]) for f, a in GOOD.items() if places[f]}


CASES.append(edges("nan.norm_pdf", spoilt_all("f64.nan", INTEGER), evaluated=0))
CASES.append(edges("bad.norm_pdf", spoilt_all("(-1)", ANY) | {"stats.norm_cdf 1 0 0": NAN, "stats.erfinv 1.5": NAN, "stats.expon_ppf 1.5 1": NAN}, evaluated=0))
both = lambda text, *values: {f"({text}).{i}": v for i, v in enumerate(values)}
CASES.append(edges("same.pearsonr", {
    **both("stats.pearsonr [1, 1, 1] [1, 2, 3]", NAN, NAN), **both("stats.pearsonr [1, f64.nan, 2] [1, 2, 3]", NAN, NAN), **both("stats.pearsonr [0.1, 0.1, 0.1] [1, 2, 3]", NAN, NAN),
    **both("stats.pearsonr [1] [1]", NAN, NAN), **both("stats.pearsonr [1, 3] [2, 1]", -1, 1), **both("stats.spearmanr [1, 1, 1] [1, 2, 3]", NAN, NAN),
    **both("stats.linregress [1, f64.nan, 3] [1, 2, 3]", NAN, NAN, NAN, NAN, NAN), **both("stats.linregress [1, 2, 3] [1, 1, 1]", 0, 1, 0, 1, 0), **both("stats.linregress [1, 2] [1, 3]", 2, -1, 1, 0, 0),
    **both("stats.chisquare [0, 0] [0, 0]", NAN, NAN), **both("stats.chi2_contingency [[0, 0], [0, 0]]", NAN, NAN), **both("stats.chi2_contingency [[1, 2]]", 0, 1), **both("stats.jarque_bera [1, 1]", NAN, NAN),
    **both("stats.mannwhitneyu [1, f64.nan] [1, 2]", NAN, NAN), **both("stats.ks_2samp [] [1]", NAN, NAN), **both("stats.ks_2samp [f64.nan, 1] [1]", NAN, NAN), "stats.kendalltau [1, f64.nan, 2] [1, 2, 3]": NAN,
}))  # fmt: skip
CASES.append(edges("same.skew", {
    "stats.skew [0.1, 0.1, 0.1]": NAN, "stats.kurtosis [0.1, 0.1, 0.1]": NAN, "(stats.zscore [0.1, 0.1, 0.1])[0]": NAN, "(stats.rankdata [1, f64.nan, 1])[0]": NAN,
    "(stats.mode [1, f64.nan, 1]).0": NAN, "stats.hmean [1, -1]": NAN, "stats.trim_mean 0.5 [1, 2]": NAN, "stats.trim_mean (-0.2) [1, 2]": NAN, "stats.moment (-1) [1, 2]": NAN,
}))  # fmt: skip
