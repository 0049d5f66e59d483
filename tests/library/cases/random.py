"""`lib/random`: engines against NumPy and against their papers, word by word; distributions against samples of NumPy's generator."""

import re

import numpy as np
from case import Case, Fails, edges

LIBRARY = "lib/random"
MODULES = {"f64": "random", "philox": "by_philox"}
IMPORTS = 'import "lib/random"\nmodule by_philox = distributions philox\nmodule coins = uniform_int i64 philox\nmodule mixed = shuffling philox'
F64 = {"f64": None}
CASES = []
DRAWS = 500


def case(name, parameters, body, inputs, oracle=None, check=None, **more):
    CASES.append(Case(name, f"entry {{name}} {parameters} = {body}", inputs, oracle, types=F64, check=check, **more))


# Engines

WORD = 2**32 - 1


def threefry_block(key, counter):
    """Salmon, Moraes, Dror, Shaw (2011), figure 4 and table 1, with four words of 32 bits and twenty rounds."""
    turn = lambda x, by: ((x << by) | (x >> (32 - by))) & WORD
    turns = [(10, 26), (11, 21), (13, 27), (23, 5), (6, 20), (17, 11), (25, 10), (18, 20)]
    keys = [*key, key[0] ^ key[1] ^ key[2] ^ key[3] ^ 0x1BD11BDA]
    x = [(counter[i] + keys[i]) & WORD for i in range(4)]
    for round in range(20):
        p, q = (1, 3) if round % 2 == 0 else (3, 1)
        first, second = turns[round % 8]
        x[0] = (x[0] + x[p]) & WORD
        x[p] = turn(x[p], first) ^ x[0]
        x[2] = (x[2] + x[q]) & WORD
        x[q] = turn(x[q], second) ^ x[2]
        if round % 4 == 3:
            added = round // 4 + 1
            x = [(x[j] + keys[(added + j) % 5]) & WORD for j in range(4)]
            x[3] = (x[3] + added) & WORD
    return x


def words(g, count, kind):
    if g.number < 2:
        return np.full(count, [0, np.iinfo(kind).max][g.number], kind)
    return g.rng.integers(0, np.iinfo(kind).max, count, dtype=kind, endpoint=True)


case("philox.block", "(k: [2]u64) (c: [4]u64) : [4]u64", "let (a, b, x, y) = philox.block (k[0], k[1]) (c[0], c[1], c[2], c[3]) in [a, b, x, y]",
     lambda g: (words(g, 2, np.uint64), words(g, 4, np.uint64)),
     # NumPy counts before it makes a block.
     lambda k, c: np.random.Philox(key=k, counter=(sum(int(w) << (64 * i) for i, w in enumerate(c)) - 1) % 2**256).random_raw(4))  # fmt: skip
case("philox.nth", "(k: [2]u64) (n: i64) : [n]u64", "philox.nth (philox.of_key k[0] k[1]) (iota n)", lambda g: (words(g, 2, np.uint64), g.size()), lambda k, n: np.random.Philox(key=k).random_raw(n))
case("philox.next", "(k: [2]u64) (n: i64)", "(loop (s, x) = philox.next (philox.of_key k[0] k[1]) for _i < n do philox.next s).1", lambda g: (words(g, 2, np.uint64), g.size()), lambda k, n: np.random.Philox(key=k).random_raw(n + 1)[n])
case("threefry.block", "(k: [4]u32) (c: [4]u32) : [4]u32", "let (a, b, x, y) = threefry.block (k[0], k[1], k[2], k[3]) (c[0], c[1], c[2], c[3]) in [a, b, x, y]",
     lambda g: (words(g, 4, np.uint32), words(g, 4, np.uint32)),
     lambda k, c: np.array(threefry_block([int(w) for w in k], [int(w) for w in c]), np.uint32))  # fmt: skip


def distinct(arguments, results):
    """All words of the children of two keys differ, and about half of all bits are set."""
    (drawn,) = results
    bits = np.unpackbits(drawn.view(np.uint8))
    if len(np.unique(drawn)) != drawn.size:
        return "the same word twice"
    return None if abs(bits.mean() - 0.5) < 6 * 0.5 / np.sqrt(bits.size) else f"{bits.mean()} of the bits are set"


for engine in ("philox", "threefry"):
    body = f"let s = {engine}.seed seed let one = (\\k -> {engine}.nth k (iota 20)) let all = {engine}.split 50 s ++ {engine}.split 50 ({engine}.next s).0 ++ {engine}.split 50 ({engine}.fold_in s 3) ++ [{engine}.join ({engine}.split 3 s), s] in flatten (map one all)"
    case(f"{engine}.split", "(seed: i64) : []u64", body, lambda g: (g.number,), check=distinct, evaluated=1)


# Distributions


def distance(xs, ys):
    """The greatest difference of two empirical distribution functions."""
    xs, ys = np.sort(xs), np.sort(ys)
    at = np.concatenate((xs, ys))
    return np.abs(np.searchsorted(xs, at, "right") / len(xs) - np.searchsorted(ys, at, "right") / len(ys)).max()


def like(xs, ys):
    """Says that two samples are of different distributions (Kolmogorov, Smirnov), by chance once in 10^8."""
    if np.isnan(xs).any():
        return "NaNs"
    allowed = np.sqrt(-np.log(1e-8 / 2) / 2 * (len(xs) + len(ys)) / (len(xs) * len(ys)))
    far = distance(xs, ys)
    return None if far <= allowed else f"distance {far:.3f}, allowed {allowed:.3f}; means {np.mean(xs):.4g} and {np.mean(ys):.4g}"


def distribution(name, parameters, make, sample=None, module="random", entry=None):
    """A function of a key and numbers; `make` makes the numbers, `sample` draws from NumPy's generator."""
    sample = sample or getattr(np.random.Generator, name)
    declared = " ".join(f"({p})" for p in parameters)
    used = " ".join(p.split(":")[0] for p in parameters)

    def check(arguments, results):
        rng = np.random.default_rng(abs(int(arguments[0])) + 1)
        return like(results[0].astype(float), np.asarray(sample(rng, *arguments[1:], size=4 * DRAWS), float))

    CASES.append(Case(name, f"entry {{name}} (seed: i64) {declared} = {module}.{entry or name} ({module}.split {DRAWS} ({module}.key seed)) {used}",
                      lambda g: (g.number * 7919 - 50, *make(g)), None, check=check, types=F64, evaluated=1))  # fmt: skip


# A parameter over several magnitudes.
some = lambda g, lo, hi: float(np.exp(g.rng.uniform(np.log(lo), np.log(hi))))
place = lambda g: float(g.rng.uniform(-5, 5))
distribution("random", [], lambda g: ())
distribution("philox.random", [], lambda g: (), np.random.Generator.random, "by_philox", "random")
distribution("philox.normal", ["m: f64", "d: f64"], lambda g: (place(g), some(g, 0.1, 10)), np.random.Generator.normal, "by_philox", "normal")
distribution("uniform", ["a: f64", "b: f64"], lambda g: (place(g), place(g)), lambda rng, a, b, size: a + (b - a) * rng.random(size))
distribution("integers", ["a: i64", "b: i64"], lambda g: (lambda a: (a, a + g.pick(1, 2, 3, 10, 1000, 2**62 + 1)))(g.integer(-5, 5)))
distribution("normal", ["m: f64", "d: f64"], lambda g: (place(g), g.pick(0.0, some(g, 0.1, 10))))
distribution("standard_normal", [], lambda g: ())
distribution("exponential", ["s: f64"], lambda g: (g.pick(0.0, some(g, 0.1, 10)),))
distribution("standard_exponential", [], lambda g: ())
distribution("gamma", ["a: f64", "s: f64"], lambda g: (g.pick(0.0, 1.0, some(g, 0.01, 100), some(g, 0.1, 10)), some(g, 0.1, 10)))
distribution("standard_gamma", ["a: f64"], lambda g: (some(g, 0.01, 100),))
distribution("beta", ["a: f64", "b: f64"], lambda g: (some(g, 0.01, 50), some(g, 0.01, 50)))
distribution("chisquare", ["d: f64"], lambda g: (some(g, 0.1, 50),))
distribution("noncentral_chisquare", ["d: f64", "n: f64"], lambda g: (some(g, 0.1, 20), g.pick(0.0, some(g, 0.1, 20))))
distribution("f", ["a: f64", "b: f64"], lambda g: (some(g, 0.5, 50), some(g, 0.5, 50)))
distribution("noncentral_f", ["a: f64", "b: f64", "n: f64"], lambda g: (some(g, 0.5, 20), some(g, 0.5, 20), some(g, 0.1, 10)))
distribution("standard_t", ["d: f64"], lambda g: (some(g, 0.3, 50),))
distribution("standard_cauchy", [], lambda g: ())
distribution("lognormal", ["m: f64", "d: f64"], lambda g: (place(g), some(g, 0.1, 2)))
distribution("laplace", ["l: f64", "s: f64"], lambda g: (place(g), some(g, 0.1, 10)))
distribution("logistic", ["l: f64", "s: f64"], lambda g: (place(g), some(g, 0.1, 10)))
distribution("gumbel", ["l: f64", "s: f64"], lambda g: (place(g), some(g, 0.1, 10)))
distribution("pareto", ["a: f64"], lambda g: (some(g, 0.1, 20),))
distribution("power", ["a: f64"], lambda g: (some(g, 0.1, 20),))
distribution("rayleigh", ["s: f64"], lambda g: (some(g, 0.1, 20),))
distribution("weibull", ["a: f64"], lambda g: (g.pick(0.0, some(g, 0.1, 20)),))
distribution("triangular", ["a: f64", "m: f64", "b: f64"], lambda g: (lambda a, w, p: (a, a + p * w, a + w))(place(g), some(g, 0.1, 10), g.pick(0.0, 1.0, 0.3)))
distribution("wald", ["m: f64", "s: f64"], lambda g: (some(g, 0.1, 20), some(g, 0.1, 20)))
distribution("vonmises", ["m: f64", "k: f64"], lambda g: (float(g.rng.uniform(-3, 3)), g.pick(0.0, 1e-6, some(g, 1e-3, 100))))
distribution("poisson", ["m: f64"], lambda g: (g.pick(0.0, some(g, 0.01, 9), some(g, 10, 1e5)),))
distribution("binomial", ["n: i64", "p: f64"], lambda g: (g.pick(0, 1, 5, 50, 1000, 10**6), g.pick(0.0, 1.0, 0.5, g.rng.random(), some(g, 1e-6, 0.1))))
distribution("negative_binomial", ["n: f64", "p: f64"], lambda g: (some(g, 0.1, 50), g.pick(1.0, float(g.rng.uniform(0.05, 1)))))
distribution("geometric", ["p: f64"], lambda g: (g.pick(1.0, some(g, 1e-4, 0.9)),))
distribution("hypergeometric", ["a: i64", "b: i64", "n: i64"], lambda g: (lambda a, b: (a, b, g.integer(0, a + b)))(g.integer(0, 60), g.integer(0, 60)))
distribution("logseries", ["p: f64"], lambda g: (g.pick(float(g.rng.uniform(0.01, 0.99)), 0.999),))
distribution("zipf", ["a: f64"], lambda g: (float(g.rng.uniform(1.2, 6)),))


def refused(name, parameters, arguments):
    used = " ".join(p.split(":")[0] for p in parameters)
    case(f"refused.{name}", " ".join(f"({p})" for p in parameters), f"random.{name} (random.key 1) {used}", lambda g: arguments, lambda *a: Fails(506), count=1)


for name, kinds, arguments in [
    ("normal", ["f64", "f64"], (0.0, -1.0)), ("integers", ["i64", "i64"], (3, 3)), ("gamma", ["f64", "f64"], (-1.0, 1.0)), ("beta", ["f64", "f64"], (0.0, 1.0)),
    ("poisson", ["f64"], (-1.0,)), ("binomial", ["i64", "f64"], (3, 1.5)), ("geometric", ["f64"], (0.0,)), ("hypergeometric", ["i64", "i64", "i64"], (1, 1, 3)),
    ("zipf", ["f64"], (1.0,)), ("logseries", ["f64"], (1.0,)), ("triangular", ["f64", "f64", "f64"], (0.0, 2.0, 1.0)), ("wald", ["f64", "f64"], (0.0, 1.0)),
    ("vonmises", ["f64", "f64"], (0.0, -1.0)), ("chisquare", ["f64"], (0.0,)), ("exponential", ["f64"], (float("nan"),)),
]:  # fmt: skip
    refused(name, [f"p{i}: {kind}" for i, kind in enumerate(kinds)], arguments)


# Vectors: each component is compared


def vectors(name, parameters, body, make, sample, extra=lambda xs, *a: None):
    def check(arguments, results):
        # Rounded, so that parts of one piece are all 1.
        got = np.round(results[0].astype(float), 12)
        want = np.round(np.asarray(sample(np.random.default_rng(int(arguments[0]) + 1), *arguments[1:], size=2 * DRAWS), float), 12)
        if got.shape[1] != want.shape[1]:
            return f"{got.shape[1]} components"
        problems = [like(got[:, i], want[:, i]) for i in range(want.shape[1])]
        # Sums of neighbours say something about dependence.
        problems += [like(got[:, i] + got[:, i + 1], want[:, i] + want[:, i + 1]) for i in range(want.shape[1] - 1)]
        return next((p for p in problems if p), None) or extra(got, *arguments[1:])

    sizes, parameters = re.match(r"((?:\[\w+\] )*)(.*)", parameters).groups()
    CASES.append(Case(name, f"entry {{name}} {sizes}(seed: i64) {parameters} = map (\\k -> {body}) (random.split {DRAWS} (random.key seed))", lambda g: (g.number, *make(g)), None, check=check, types=F64, evaluated=1))


shares = lambda g: g.rng.dirichlet(np.ones(g.size(1, 5)))
vectors("multinomial", "[m] (n: i64) (ps: [m]f64)", "random.multinomial k n ps", lambda g: (g.pick(0, 1, 10, 1000), shares(g)), np.random.Generator.multinomial, lambda xs, n, ps: None if (xs.sum(1) == n).all() else "sums")
vectors("multivariate_hypergeometric", "[m] (cs: [m]i64) (n: i64)", "random.multivariate_hypergeometric k cs n", lambda g: (lambda c: (c, g.integer(0, int(c.sum()))))(g.rng.integers(0, 20, g.size(1, 4))), np.random.Generator.multivariate_hypergeometric, lambda xs, c, n: None if (xs.sum(1) == n).all() else "sums")
vectors("dirichlet", "[m] (as: [m]f64)", "random.dirichlet k as", lambda g: (np.exp(g.rng.uniform(*np.log([0.02, 20] if g.chance(0.7) else [0.01, 0.09]), g.size(1, 4))),), np.random.Generator.dirichlet, lambda xs, a: None if np.allclose(xs.sum(1), 1) else "sums")


def covariances(g):
    k = g.size(1, 4)
    # Of lower rank at times.
    factor = g.rng.normal(size=(k, g.integer(1, k)))
    return g.rng.normal(size=k), factor @ factor.T


vectors("multivariate_normal", "[m] (mu: [m]f64) (c: [m][m]f64)", "random.multivariate_normal k mu c", covariances, np.random.Generator.multivariate_normal)
vectors("choice", "(n: i64) (m: i64)", "random.choice k m (iota n)", lambda g: (g.integer(1, 9), g.integer(1, 4)), lambda rng, n, m, size: rng.integers(0, n, (size, m)))
vectors("bytes", "(n: i64)", "random.bytes k n", lambda g: (g.integer(1, 3),), lambda rng, n, size: rng.integers(0, 256, (size, n)))
once = lambda rng, n, m, size: np.array([rng.choice(n, m, replace=False) for _ in range(size)])
all_differ = lambda xs, *a: None if (np.diff(np.sort(xs, 1), axis=1) > 0).all() else "an element twice"
vectors("choice_without", "(n: i64) (m: i64)", "random.choice_without k m (iota n)", lambda g: (lambda n: (n, g.integer(1, min(n, 4))))(g.integer(1, 9)), once, all_differ)
vectors("permutation", "(n: i64)", "random.permutation k n", lambda g: (g.integer(1, 6),), lambda rng, n, size: np.array([rng.permutation(n) for _ in range(size)]), all_differ)
vectors("shuffle", "(n: i64)", "random.shuffle k (iota n)", lambda g: (g.integer(1, 6),), lambda rng, n, size: np.array([rng.permutation(n) for _ in range(size)]), all_differ)
vectors("choice_weighted", "[n] (ws: [n]f64) (m: i64)", "random.choice_weighted k m ws (iota n)", lambda g: (shares(g), g.integer(1, 3)), lambda rng, p, m, size: rng.choice(len(p), (size, m), p=p))
vectors("choice_weighted_without", "[n] (ws: [n]f64) (m: i64)", "random.choice_weighted_without k m ws (iota n)", lambda g: (lambda p: (p, g.integer(1, len(p))))(shares(g)), lambda rng, p, m, size: np.array([rng.choice(len(p), m, replace=False, p=p) for _ in range(size)]), all_differ)
case("bits64", "(seed: i64) : [500]u64", "random.bits64 (random.split 500 (random.key seed))", lambda g: (g.number,), check=distinct, evaluated=1)

# Where values were wrong.
# Two equal states are joined to one that depends on them.
joined = lambda engine: f"f64.bool (({engine}.next ({engine}.join [{engine}.seed 1, {engine}.seed 1])).1 == ({engine}.next ({engine}.join [{engine}.seed 2, {engine}.seed 2])).1)"
CASES.append(edges("twice.join", {joined(engine): 0 for engine in ("splitmix64", "minstd", "xorshift64", "philox", "threefry")}))
