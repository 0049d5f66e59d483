"""Fourier transforms (`lib/fft`) against numpy.fft."""

import numpy as np
from case import Case

LIBRARY = "lib/fft"
IMPORTS = 'import "lib/fft"\nmodule pairs = fft_pairs'
MODULES = {"f64": "fft", "f32": "fft_f32", "i64": "fft"}
# The complex type of each real one.
COMPLEX = {"f64": "c128", "f32": "c64"}
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


def typed(entry, **others):
    """A case for each real type, in whose entry `{c}` is the complex type."""
    return [Case(types={t: tolerance}, entry=entry.replace("{c}", COMPLEX[t]), **others) for t, tolerance in BOTH.items()]


def dims(rank):
    return " ".join(f"[n{i}]" for i in range(rank)), "".join(f"[n{i}]" for i in range(rank))


def complex_to_complex(name, rank, oracle, sizes=None):
    binders, shape = dims(rank)
    make = sizes or (lambda g: tuple(length(g) if i == 0 and rank == 1 else g.integer(1, 9) for i in range(rank)))
    return typed(
        f"entry {{name}} {binders} (x: {shape}{{c}}) = {{m}}.{name} x",
        name=f"fft.{name}",
        inputs=lambda g: complex_array(g, *make(g)),
        oracle=lambda x: oracle(wide(x)) if x.size else wide(x),
        evaluator_tolerance=1e-4,
    )


def real_to_complex(name, rank, oracle, least=1):
    binders, shape = dims(rank)
    return typed(
        f"entry {{name}} {binders} (x: {shape}{{t}}) = {{m}}.{name} x",
        name=f"fft.{name}",
        inputs=lambda g: real_array(g, *(length(g, least) if rank == 1 else g.integer(1, 9) for _ in range(rank))),
        oracle=lambda x: oracle(wide(x)),
        evaluator_tolerance=1e-4,
    )


def halves(g):
    """A length, and elements of a half transform for it: as many as there should be, sometimes fewer or more."""
    n = length(g, 1)
    m = n // 2 + 1 if g.chance(0.7) else g.integer(1, n + 3)
    return n, complex_array(g, m)


def complex_to_real(name, oracle):
    return typed(
        f"entry {{name}} [m] (n: i64) (x: [m]{{c}}) = {{m}}.{name} n x",
        name=f"fft.{name}",
        inputs=halves,
        oracle=lambda n, x: oracle(wide(x), n),
        evaluator_tolerance=1e-4,
    )


def irfft2(m, x):
    return np.fft.irfft2(wide(x), (x.shape[0], m))


shifted = lambda g: g.numbers(g.size(0, 20))
CASES = [
    *complex_to_complex("fft", 1, np.fft.fft),
    *complex_to_complex("ifft", 1, np.fft.ifft),
    *real_to_complex("rfft", 1, np.fft.rfft),
    *complex_to_real("irfft", np.fft.irfft),
    *complex_to_real("hfft", np.fft.hfft),
    *real_to_complex("ihfft", 1, np.fft.ihfft),
    *complex_to_complex("fft_columns", 2, lambda x: np.fft.fft(x, axis=0), lambda g: (min(length(g, 1), 128), g.integer(0, 9))),
    *complex_to_complex("ifft_columns", 2, lambda x: np.fft.ifft(x, axis=0), lambda g: (min(length(g, 1), 128), g.integer(0, 9))),
    *complex_to_complex("fft2", 2, np.fft.fft2),
    *complex_to_complex("ifft2", 2, np.fft.ifft2),
    *real_to_complex("rfft2", 2, np.fft.rfft2),
    *typed(
        "entry {name} [n] [k] (m: i64) (x: [n][k]{c}) = {m}.irfft2 m x",
        name="fft.irfft2",
        inputs=lambda g: (lambda m: (m, complex_array(g, g.integer(1, 9), m // 2 + 1)))(g.integer(1, 9)),
        oracle=irfft2,
        evaluator_tolerance=1e-4,
    ),
    Case("fft.fft", "entry {name} [n] (re: [n]f64) (im: [n]f64) = unzip (pairs.fft (zip re im))", lambda g: complex_array(g, length(g, 1)),
         lambda x: np.fft.fft(wide(x)), types={"f64": 1e-12}, evaluator_tolerance=1e-4),
    *complex_to_complex("fft3", 3, np.fft.fftn),
    *complex_to_complex("ifft3", 3, np.fft.ifftn),
    Case("fft.fftfreq", "entry {name} (n: i64) (d: {t}) = {m}.fftfreq n d", lambda g: (g.size(1, 50), g.array(1, lo=0.1, hi=2)[0]),
         lambda n, d: np.fft.fftfreq(n, np.float64(d)), types={"f64": None, "f32": 1e-6}),
    Case("fft.rfftfreq", "entry {name} (n: i64) (d: {t}) = {m}.rfftfreq n d", lambda g: (g.size(1, 50), g.array(1, lo=0.1, hi=2)[0]),
         lambda n, d: np.fft.rfftfreq(n, np.float64(d)), types={"f64": None, "f32": 1e-6}),
    # The gradients of the sum over k of k |y[k]|^2.
    Case("fft.fft, gradient", "entry {name} [n] (x: [n]c128) = grad (\\x -> f64.sum (f64.i64 (iota n) * c128.abs (fft.fft x) ** 2)) x",
         lambda g: complex_array(g, length(g, 1)), lambda x: 2 * len(x) * np.fft.ifft(np.arange(len(x)) * np.fft.fft(wide(x))), types={"f64": 1e-10}),
    Case("fft.fft2, gradient", "entry {name} [n] [m] (x: [n][m]f64) = grad (\\x -> f64.sum (f64.sum (f64.i64 (iota m) * c128.abs (fft.fft2 (c128.f64 x)) ** 2))) x",
         lambda g: real_array(g, g.integer(1, 9), g.integer(1, 9)),
         lambda x: 2 * x.size * np.fft.ifft2(np.arange(x.shape[1]) * np.fft.fft2(wide(x))).real, types={"f64": 1e-10}),
    Case("fft.fftshift", "entry {name} [n] (x: [n]{t}) = {m}.fftshift x", shifted, np.fft.fftshift, types={"f64": None, "i64": None}),
    Case("fft.ifftshift", "entry {name} [n] (x: [n]{t}) = {m}.ifftshift x", shifted, np.fft.ifftshift, types={"f64": None, "i64": None}),
    Case("fft.fftshift2", "entry {name} [n] [m] (x: [n][m]i64) = {m}.fftshift2 x", lambda g: g.array(g.size(), g.size()), np.fft.fftshift, types={"i64": None}),
    Case("fft.ifftshift2", "entry {name} [n] [m] (x: [n][m]i64) = {m}.ifftshift2 x", lambda g: g.array(g.size(), g.size()), np.fft.ifftshift, types={"i64": None}),
    Case("fft.next_fast_len", "entry {name} (n: i64) = {m}.next_fast_len n", lambda g: g.number,
         lambda n: min(a for a in (2**i * 3**j * 5**k for i in range(9) for j in range(6) for k in range(5)) if a >= max(1, n)), types={"i64": None}),
    Case("fft.fftconvolve", "entry {name} [n] [m] (x: [n]{t}) (y: [m]{t}) = {m}.fftconvolve x y",
         lambda g: (real_array(g, g.size(1, 200)), real_array(g, g.size(1, 30))), lambda x, y: np.convolve(wide(x), wide(y)), types=BOTH, evaluator_tolerance=1e-4),
]  # fmt: skip
