"""What files of cases are made of: `Case`, the generator of inputs, and what an oracle may say.

A file in `cases` has

  LIBRARY   the path of the library, "lib/linalg": its doc comments are searched for examples
  MODULES   what `{m}` stands for in entries, by the type that `{t}` stands for: {"f64": "linalg", "f32": "linalg_f32"}
  IMPORTS   (optional) lines that the programs begin with: imports, modules. Default: an import of LIBRARY
  CASES     a list of `Case`
"""

from dataclasses import dataclass
from typing import Callable, Optional

import numpy as np

DTYPES = {
    "f16": np.float16, "f32": np.float32, "f64": np.float64, "c64": np.complex64, "c128": np.complex128,
    "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64,
    "u8": np.uint8, "u16": np.uint16, "u32": np.uint32, "u64": np.uint64, "bool": np.bool_,
}  # fmt: skip

# Allowed error, relative to the largest finite magnitude in the expected array. Other types must be equal.
TOLERANCE = {"f16": 1e-2, "f32": 1e-4, "f64": 1e-9, "c64": 1e-4, "c128": 1e-9}


@dataclass
class Case:
    """One function: how it is called, with what, and what it has to return."""

    # The function as documents and tables call it: `linalg.solve`.
    name: str
    # `entry {name} [n] (a: [n][n]{t}) (b: [n]{t}) = {m}.solve a b`: in it `{name}`, `{t}` and `{m}` are replaced. Complex arguments are two
    # arrays, of real and of imaginary parts, where the type is no complex scalar.
    entry: str
    # From a `Generator` to the tuple of arguments: NumPy arrays, and numbers for scalars.
    inputs: Callable
    # From the arguments to the expected result, or a tuple of results. Complex results are compared with two arrays or one.
    oracle: Optional[Callable] = None
    # Where results may differ in more than rounding: from the tuple of arguments and the tuple of results to a message, or None.
    check: Optional[Callable] = None
    # The types that the case is for, and the tolerance for each (None: that of `TOLERANCE`).
    types: dict = None
    # How many inputs are generated.
    count: int = 100
    # How many of the smallest ones go to the evaluator too.
    evaluated: int = 4
    # The tolerance of the evaluator against compiled code (None: that of `TOLERANCE`).
    evaluator_tolerance: Optional[float] = None


def edges(name, values, tolerance=1e-14, **more):
    """A case for expressions that are numbers at the edges of functions: from the text of each to its value."""
    texts, wanted = ", ".join(values), np.array(list(values.values()), float)

    def check(_, results):
        got = results[0]
        same = (got == wanted) | (np.isnan(got) & np.isnan(wanted)) | (np.abs(got - wanted) <= tolerance * np.abs(wanted))
        return None if same.all() else "\n".join(f"{text} is {g!r}, not {w!r}" for text, g, w, s in zip(values, got.tolist(), wanted.tolist(), same) if not s)

    return Case(name, f"entry {{name}} : [{len(values)}]f64 = [{texts}]", lambda g: (), check=check, count=1, **{"evaluated": 1, **more})


@dataclass
class Fails:
    """The expected result where the call has to fail: the number of the error's code, 501 for E0501."""

    code: int


class Generator:
    """Makes the arguments of one call. The first calls get edge cases: see `size` and `numbers`."""

    def __init__(self, dtype, number, seed):
        self.dtype = DTYPES[dtype]
        # Which input this is, from 0.
        self.number = number
        self.rng = np.random.default_rng(seed)
        self.sizes_made = 0

    def size(self, least=0, most=12):
        """A size: the least for the first inputs, then the next ones, then random ones."""
        self.sizes_made += 1
        if self.sizes_made == 1:
            small = self.number // 2
            return least + small if self.number < 6 and least + small <= most else int(self.rng.integers(least, most + 1))
        # Sizes after the first are sometimes the least one too.
        return least if self.rng.random() < 0.05 else int(self.rng.integers(least, most + 1))

    def integer(self, lo, hi):
        """An integer from lo to hi, both included."""
        return int(self.rng.integers(lo, hi, endpoint=True))

    def pick(self, *values):
        """One of the values."""
        return values[int(self.rng.integers(len(values)))]

    def chance(self, p):
        return bool(self.rng.random() < p)

    def array(self, *shape, lo=-10.0, hi=10.0):
        """Random numbers without specials: uniform for floats and complex numbers, integers for others."""
        dtype = np.dtype(self.dtype)
        if dtype.kind == "c":
            parts = self.rng.uniform(lo, hi, shape) + 1j * self.rng.uniform(lo, hi, shape)
            return parts.astype(dtype)
        if dtype.kind == "f":
            return self.rng.uniform(lo, hi, shape).astype(dtype)
        if dtype.kind == "b":
            return self.rng.random(shape) < 0.5
        lo = max(int(lo), 0) if dtype.kind == "u" else int(lo)
        return self.rng.integers(lo, int(hi), shape, endpoint=True).astype(dtype)

    def numbers(self, *shape, lo=-10.0, hi=10.0, specials=True):
        """As `array`, and sometimes with ties, all elements equal, zeros of both signs, and (`specials`, for floats) NaNs and infinities."""
        values = self.array(*shape, lo=lo, hi=hi)
        if values.size == 0:
            return values
        kind = np.dtype(self.dtype).kind
        style = self.number % 8
        if style == 3:
            values = np.round(values / 4) if kind in "fc" else values // 4
        elif style == 5:
            values = np.full_like(values, values.flat[0])
        elif style == 6 and kind == "f":
            self.strew(values, [0.0, -0.0])
        elif style == 7 and kind == "f" and specials:
            self.strew(values, self.pick([np.nan], [np.inf, -np.inf], [np.nan, np.inf, -np.inf], [np.nan, 0.0, -0.0]))
        return np.asarray(values, self.dtype)

    def strew(self, values, specials):
        """Writes specials to some places of an array."""
        places = self.rng.random(values.shape) < 0.3
        values[places] = self.rng.choice(specials, int(places.sum()))


def scalar(values):
    """An array of no dimensions as a number, for parameters that are scalars."""
    return values.reshape(())[()]


def joined(real, imaginary):
    """Complex numbers from their parts. (`real + 1j * imaginary` loses signs of zeros, and makes NaNs of infinities.)"""
    values = np.empty(np.shape(real), np.complex128)
    values.real, values.imag = real, imaginary
    return values


def close(want, got, tolerance):
    """Says how two arrays differ, or returns None. The tolerance is relative to the largest finite magnitude that is expected."""
    want, got = np.asarray(want), np.asarray(got)
    if want.shape != got.shape:
        return f"has shape {got.shape}, expected {want.shape}"
    if want.dtype.kind not in "fc":
        return None if np.array_equal(want, got) else "differs"
    if want.dtype.kind == "c" and not np.isfinite(want).all():
        return close(want.real, got.real, tolerance) or close(want.imag, got.imag, tolerance)
    return within(want, got, tolerance)


def within(want, got, tolerance):
    finite = np.isfinite(want)
    if not np.array_equal(got[~finite], want[~finite], equal_nan=True) or not np.isfinite(got[finite]).all():
        return "differs in which elements are finite"
    if not finite.any():
        return None
    wide = np.complex128 if want.dtype.kind == "c" else np.float64
    error = np.abs(got[finite].astype(wide) - want[finite].astype(wide)).max()
    allowed = tolerance * np.abs(want[finite].astype(wide)).max()
    # What is below every normal number is no difference.
    return None if error <= max(allowed, np.finfo(want.real.dtype).tiny) else f"error {error:.3g}, allowed {allowed:.3g}"
