"""Complex numbers as pairs (`lib/complex`)."""

import numpy as np
from case import Case, joined, scalar

LIBRARY = "lib/complex"
IMPORTS = 'import "lib/complex"\nmodule c_f64 = complex f64\nmodule c_f32 = complex f32'
MODULES = {"f64": "c_f64", "f32": "c_f32"}
BOTH = {"f64": 1e-12, "f32": 1e-5}


def numbers(g):
    n = g.size(0, 20)
    return g.numbers(n, specials=False), g.numbers(n, specials=False)


def unary(name, function):
    return Case(
        f"complex.{name}",
        f"entry {{name}} [n] (re: [n]{{t}}) (im: [n]{{t}}) = let zs = {{m}}.{name} (map2 {{m}}.mk re im) in (map {{m}}.re zs, map {{m}}.im zs)",
        numbers,
        lambda re, im: function(joined(re, im)),
        types=BOTH,
    )


CASES = [
    unary("sqrt", np.sqrt),
    unary("exp", np.exp),
    unary("conj", np.conj),
    Case(
        "complex.mag",
        "entry {name} [n] (re: [n]{t}) (im: [n]{t}) = map {m}.mag (map2 {m}.mk re im)",
        numbers,
        lambda re, im: np.abs(joined(re, im)),
        types=BOTH,
    ),
    Case(
        "complex.sum",
        "entry {name} [n] (re: [n]{t}) (im: [n]{t}) = let z = {m}.sum (map2 {m}.mk re im) in (z.0, z.1)",
        numbers,
        lambda re, im: (scalar(re.sum(dtype=np.float64)), scalar(im.sum(dtype=np.float64))),
        types={"f64": 1e-9, "f32": 1e-3},
    ),
]
