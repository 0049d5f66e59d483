"""Fourier transforms (`lib/fft`) against numpy.fft."""

import numpy as np
from case import Case

LIBRARY = "lib/fft"
IMPORTS = 'import "lib/fft"\nimport "lib/complex"\nmodule z_f64 = complex f64\nmodule z_f32 = complex f32'
MODULES = {"f64": "fft", "f32": "fft_f32", "i64": "fft"}
COMPLETE = True
BOTH = {"f64": 1e-12, "f32": 1e-4}


def length(g, least=0):
    """All small lengths, and some that are products of many factors, prime, or powers of two."""
    if g.number < 45:
        return max(least, g.number)
    return g.pick(64, 97, 100, 121, 125, 128, 143, 210, 243, 251, 256, 343, 360, 512, 1000, 1024, 1021, 2 * 499, 37 * 41)


def complex_array(g, *shape):
    return (g.rng.uniform(-1, 1, shape) + 1j * g.rng.uniform(-1, 1, shape)).astype(np.complex64 if g.dtype == np.float32 else np.complex128)


def real_array(g, *shape):
    return g.rng.uniform(-1, 1, shape).astype(g.dtype)


def wide(a):
    return np.asarray(a, np.complex128 if np.iscomplexobj(a) else np.float64)


def over(rank, function):
    return "(map " * rank + function + ")" * rank


def into(rank, name="x"):
    """The parameters of a complex argument, and the argument."""
    dims = "".join(f"[n{i}]" for i in range(rank))
    sizes = " ".join(f"[n{i}]" for i in range(rank))
    maps = "(map2 " * rank + "z_{t}.mk" + ")" * rank
    return sizes, f"(re: {dims}{{t}}) (im: {dims}{{t}})", f"({maps} re im)"


def out_of(rank, expression):
    return f"let y = {expression} in ({over(rank, 'z_{t}.re')} y, {over(rank, 'z_{t}.im')} y)"


def complex_to_complex(name, rank, oracle, sizes=None):
    binders, parameters, argument = into(rank)
    make = sizes or (lambda g: tuple(length(g) if i == 0 and rank == 1 else g.integer(1, 9) for i in range(rank)))
    return Case(
        f"fft.{name}",
        f"entry {{name}} {binders} {parameters} = {out_of(rank, f'{{m}}.{name} {argument}')}",
        lambda g: complex_array(g, *make(g)),
        lambda x: oracle(wide(x)) if x.size else wide(x),
        types=BOTH,
        evaluator_tolerance=1e-4,
    )


def real_to_complex(name, rank, oracle, least=1):
    dims = "".join(f"[n{i}]" for i in range(rank))
    binders = " ".join(f"[n{i}]" for i in range(rank))
    return Case(
        f"fft.{name}",
        f"entry {{name}} {binders} (x: {dims}{{t}}) = {out_of(rank, f'{{m}}.{name} x')}",
        lambda g: real_array(g, *(length(g, least) if rank == 1 else g.integer(1, 9) for _ in range(rank))),
        lambda x: oracle(wide(x)),
        types=BOTH,
        evaluator_tolerance=1e-4,
    )


def halves(g):
    """A length, and elements of a half transform for it: as many as there should be, sometimes fewer or more."""
    n = length(g, 1)
    m = n // 2 + 1 if g.chance(0.7) else g.integer(1, n + 3)
    return n, complex_array(g, m)


def complex_to_real(name, oracle):
    binders, parameters, argument = into(1)
    return Case(
        f"fft.{name}",
        f"entry {{name}} {binders} (n: i64) {parameters} = {{m}}.{name} n {argument}",
        halves,
        lambda n, x: oracle(wide(x), n),
        types=BOTH,
        evaluator_tolerance=1e-4,
    )


def irfft2(m, x):
    return np.fft.irfft2(wide(x), (x.shape[0], m))


binders, parameters, argument = into(2)
shifted = lambda g: g.numbers(g.size(0, 20))
CASES = [
    complex_to_complex("fft", 1, np.fft.fft),
    complex_to_complex("ifft", 1, np.fft.ifft),
    real_to_complex("rfft", 1, np.fft.rfft),
    complex_to_real("irfft", np.fft.irfft),
    complex_to_real("hfft", np.fft.hfft),
    real_to_complex("ihfft", 1, np.fft.ihfft),
    complex_to_complex("fft_columns", 2, lambda x: np.fft.fft(x, axis=0), lambda g: (min(length(g, 1), 128), g.integer(0, 9))),
    complex_to_complex("ifft_columns", 2, lambda x: np.fft.ifft(x, axis=0), lambda g: (min(length(g, 1), 128), g.integer(0, 9))),
    complex_to_complex("fft2", 2, np.fft.fft2),
    complex_to_complex("ifft2", 2, np.fft.ifft2),
    real_to_complex("rfft2", 2, np.fft.rfft2),
    Case(
        "fft.irfft2",
        f"entry {{name}} {binders} (m: i64) {parameters} = {{m}}.irfft2 m {argument}",
        lambda g: (lambda m: (m, complex_array(g, g.integer(1, 9), m // 2 + 1)))(g.integer(1, 9)),
        irfft2,
        types=BOTH,
        evaluator_tolerance=1e-4,
    ),
    complex_to_complex("fft3", 3, np.fft.fftn),
    complex_to_complex("ifft3", 3, np.fft.ifftn),
    Case("fft.fftfreq", "entry {name} (n: i64) (d: {t}) = {m}.fftfreq n d", lambda g: (g.size(1, 50), g.array(1, lo=0.1, hi=2)[0]),
         lambda n, d: np.fft.fftfreq(n, np.float64(d)), types={"f64": None, "f32": 1e-6}),
    Case("fft.rfftfreq", "entry {name} (n: i64) (d: {t}) = {m}.rfftfreq n d", lambda g: (g.size(1, 50), g.array(1, lo=0.1, hi=2)[0]),
         lambda n, d: np.fft.rfftfreq(n, np.float64(d)), types={"f64": None, "f32": 1e-6}),
    Case("fft.fftshift", "entry {name} [n] (x: [n]{t}) = {m}.fftshift x", shifted, np.fft.fftshift, types={"f64": None, "i64": None}),
    Case("fft.ifftshift", "entry {name} [n] (x: [n]{t}) = {m}.ifftshift x", shifted, np.fft.ifftshift, types={"f64": None, "i64": None}),
    Case("fft.fftshift2", "entry {name} [n] [m] (x: [n][m]i64) = {m}.fftshift2 x", lambda g: g.array(g.size(), g.size()), np.fft.fftshift, types={"i64": None}),
    Case("fft.ifftshift2", "entry {name} [n] [m] (x: [n][m]i64) = {m}.ifftshift2 x", lambda g: g.array(g.size(), g.size()), np.fft.ifftshift, types={"i64": None}),
    Case("fft.next_fast_len", "entry {name} (n: i64) = {m}.next_fast_len n", lambda g: g.number,
         lambda n: min(a for a in (2**i * 3**j * 5**k for i in range(9) for j in range(6) for k in range(5)) if a >= max(1, n)), types={"i64": None}),
    Case("fft.fftconvolve", "entry {name} [n] [m] (x: [n]{t}) (y: [m]{t}) = {m}.fftconvolve x y",
         lambda g: (real_array(g, g.size(1, 200)), real_array(g, g.size(1, 30))), lambda x, y: np.convolve(wide(x), wide(y)), types=BOTH, evaluator_tolerance=1e-4),
]  # fmt: skip
