"""`lib/ad` against derivatives by hand."""

import numpy as np
from case import Case

LIBRARY = "lib/ad"
COMPLETE = True
MODULES = {"f64": "ad", "f32": "ad_f32"}
CASES = []
BOTH = {"f64": 1e-10, "f32": 1e-4}


def case(name, parameters, body, inputs, oracle=None, types=BOTH, **more):
    CASES.append(Case(name, f"entry {{name}} {parameters} = {body}", inputs, oracle, types=types, **more))


def point(g):
    return (g.array(g.size(0, 8), lo=-2, hi=2),)


number = lambda g: (g.dtype(g.rng.uniform(-3, 3)),)
case("ad.derivative", "(x: {t})", "{m}.derivative (\\x -> {t}.sin x * x) x", number, lambda x: np.cos(x) * x + np.sin(x))
case("twice.derivative", "(x: {t})", "{m}.derivative ({m}.derivative (\\x -> x * x * x)) x", number, lambda x: 6 * x)

# Result i is x_i times the sum of the squares of all, and the last one a product of two.
WIDE = "(\\(x: [n]{t}) -> let s = {t}.sum (map2 (*) x x) in map (\\a -> a * s) x)"
wide = lambda x: np.eye(len(x)) * (x @ x) + 2 * np.outer(x, x)
case("ad.jacobian", "[n] (x: [n]{t})", f"{{m}}.jacobian {WIDE} x", point, lambda x: wide(x).astype(x.dtype))
case("ad.jacobian_reverse", "[n] (x: [n]{t})", f"{{m}}.jacobian_reverse {WIDE} x", point, lambda x: wide(x).astype(x.dtype))

# More results than arguments, and fewer.
two = lambda g: (g.array(2, lo=-2, hi=2),)
TALL = "(\\(x: [2]{t}) -> [x[0] * x[1], x[0] * x[0], x[1], {t}.exp x[0], {t}.i32 7])"
tall = lambda x: np.array([[x[1], x[0]], [2 * x[0], 0], [0, 1], [np.exp(x[0]), 0], [0, 0]], x.dtype)
case("tall.jacobian", "(x: [2]{t})", f"{{m}}.jacobian {TALL} x", two, tall)
case("tall.jacobian_reverse", "(x: [2]{t})", f"{{m}}.jacobian_reverse {TALL} x", two, tall)
case("flat.jacobian", "[n] (x: [n]{t})", "{m}.jacobian (\\(x: [n]{t}) -> [{t}.sum (map {t}.sin x)]) x", point, lambda x: np.cos(x)[None])

# Chains: sum of x_i^3 x_{i+1}.
CHAIN = "(\\(x: [n]{t}) -> {t}.sum (map (\\i -> x[i] * x[i] * x[i] * x[(i + 1) % n]) (iota n)))"


def chain(x):
    n = len(x)
    h = np.zeros((n, n), x.dtype)
    for i in range(n):
        j = (i + 1) % n
        # One element is its own neighbour: x ** 4.
        h[i, i] += 6 * x[i] * x[j]
        h[i, j] += 3 * x[i] ** 2
        h[j, i] += 3 * x[i] ** 2
    return h


case("ad.hessian", "[n] (x: [n]{t})", f"{{m}}.hessian {CHAIN} x", point, chain)
directed = lambda g: (lambda n: (g.array(n, lo=-2, hi=2), g.array(n, lo=-2, hi=2)))(g.size(0, 8))
case("ad.hvp", "[n] (x: [n]{t}) (v: [n]{t})", f"{{m}}.hvp {CHAIN} x v", directed, lambda x, v: chain(x) @ v)
case("ad.laplacian", "[n] (x: [n]{t})", f"{{m}}.laplacian {CHAIN} x", point, lambda x: np.trace(chain(x)))

# What is right passes, and a derivative that is wrong by a tenth does not.
small = lambda most: lambda a, r: None if 0 <= r[0] <= (most if a[0].dtype == np.float64 else 5e-2) else f"{r[0]}"
apart = lambda a, r: None if len(a[0]) == 0 or np.isclose(r[0], np.abs(0.2 * a[0]).max(), 0.1, 5e-2) else f"{r[0]}"
case("ad.check_grad", "[n] (x: [n]{t})", f"{{m}}.check_grad {CHAIN} x", point, check=small(1e-7), evaluated=0)
WRONG = "(\\(x: [n]{t}) -> with_vjp (\\(x: [n]{t}) -> {t}.sum (map2 (*) x x)) (\\_ a -> map (\\x -> {t}.f64 2.2 * a * x) x) x)"
case("wrong.check_grad", "[n] (x: [n]{t})", f"{{m}}.check_grad {WRONG} x", point, check=apart, evaluated=0)
case("ad.check_jacobian", "[n] (x: [n]{t})", f"{{m}}.check_jacobian {WIDE} x", point, check=small(1e-7), evaluated=0)
TWICE = "(\\(x: [n]{t}) -> map (\\x -> with_vjp (\\x -> x * x) (\\_ a -> {t}.f64 2.2 * a * x) x) x)"
case("wrong.check_jacobian", "[n] (x: [n]{t})", f"{{m}}.check_jacobian {TWICE} x", point, check=apart, evaluated=0)
