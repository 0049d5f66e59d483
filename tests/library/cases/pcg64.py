"""`lib/pcg64` against NumPy's default generator: the same numbers, bit for bit."""

import numpy as np
from case import Case

LIBRARY = "lib/pcg64"
MODULES = {"f64": "pcg64"}
CASES = []
SEEDS = (0, 1, 42, 2**31, 2**32 + 5, 2**62 + 3)


def case(name, parameters, body, inputs, oracle, **more):
    CASES.append(Case(name, f"entry {{name}} {parameters} = {body}", inputs, oracle, types={"f64": None}, evaluated=3, **more))


def drawn(name, body, oracle):
    """Many numbers for a seed."""
    case(name, "(seed: i64) (n: i64)", f"({body} (pcg64.seed seed)).1", lambda g: (g.pick(*SEEDS), g.pick(0, 1, 2, 5, 1000)), lambda seed, n: oracle(np.random.default_rng(seed), n))


def after_halves(rng, n):
    """Halves of words that are left over stay for the next whole number."""
    rng.integers(0, 3)
    return rng.integers(0, 2**32, n)


drawn("randoms", "pcg64.randoms n", lambda rng, n: rng.random(n))
drawn("normals", "pcg64.normals (n * 20)", lambda rng, n: rng.standard_normal(n * 20))
drawn("shuffled", "pcg64.shuffled (iota n)", lambda rng, n: rng.permutation(n))
drawn("chosen", "pcg64.chosen n (n / 2)", lambda rng, n: rng.choice(n, n // 2, replace=False) if n else np.zeros(0, np.int64))
drawn("chosen.many", "pcg64.chosen (n + 20000) 900", lambda rng, n: rng.choice(n + 20000, 900, replace=False))
drawn("halves", "(\\s -> pcg64.integers n 0 4294967296 (pcg64.integers 1 0 3 s).0)", after_halves)
for low, high in ((0, 1), (0, 10), (-5, 2**31), (0, 2**32), (-3, 2**33 + 7), (-(2**63), 2**63 - 1)):
    text = f"({low})" if low > -(2**63) else "i64.lowest"
    drawn(f"integers.{low}.{high}", f"pcg64.integers n {text} {high}", lambda rng, n, low=low, high=high: rng.integers(low, high, n))
