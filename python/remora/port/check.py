"""`remora.check_port`: a function by NumPy and by its translation, on generated inputs."""

from __future__ import annotations

import ast
import copy
import inspect
import types
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .._errors import RemoraError
from .annotations import Kind, kinds_of
from .diagnostics import PortError
from .jit import JitFunction
from .translate import Result

# How the elements of an input are chosen, how it lies in memory, how large it is; ordinary ones are the most frequent.
ELEMENTS = ["ordinary"] * 8 + ["nan", "zeros", "huge", "equal", "infinite", "small"]
LAYOUTS = ["rows"] * 5 + ["columns", "strided", "reversed"]
SIZES = [[3, 4, 5, 6, 7, 9]] * 8 + [[0], [1], [2], [1, 4], [0, 3], [17, 33]]


@dataclass
class Report:
    """What `check_port` found. True if nothing differs and something was compared."""

    name: str
    agreed: int = 0
    both_raise: int = 0
    refused: int = 0
    refusal: str = ""
    differences: list[str] = field(default_factory=list)

    def __bool__(self) -> bool:
        return not self.differences and self.agreed > 0

    def __str__(self) -> str:
        text = f"{self.name}: {self.agreed} agree, {self.both_raise} raise errors in both, {self.refused} refused only here, {len(self.differences)} differ"
        if self.refusal:
            text += f"\nfirst refusal: {self.refusal}"
        if self.differences:
            text += f"\nfirst difference: {self.differences[0]}"
        return text

    __repr__ = __str__


def check_port(
    f: Callable[..., Any], n: int = 200, *, seed: int = 0, inputs: Callable[[np.random.Generator], tuple[Any, ...]] | None = None, backend: str = "auto"
) -> Report:
    """Runs a function by NumPy and translated, on n inputs that fit its annotations: some empty, of size 1, with NaNs, infinities, negative zeros and
    huge numbers, in Fortran's order and with strides. `inputs` makes them instead, from a generator of random numbers.

    Results and the elements of arguments afterwards are compared: types and shapes exactly, floats up to rounding (sums may be added in another order).
    An input for which NumPy gives a value and the translation raises an error is counted apart: it is no wrong value, but a gap.
    """
    jitted = f if isinstance(f, JitFunction) else JitFunction(f, backend)  # type: ignore[arg-type]
    function = jitted.__port__
    kinds = None if inputs is not None else kinds_of(function)
    report = Report(function.__name__)
    random = np.random.default_rng(seed)
    for k in range(n):
        scale = "ordinary"
        if inputs is not None:
            given = inputs(random)
        else:
            assert kinds is not None
            scale = str(random.choice(ELEMENTS)) if k else "ordinary"
            given = generated(random, kinds, scale, SIZES[int(random.integers(len(SIZES)))] if k else [5])
        _compare_once(report, function, jitted, given, scale)
    return report


def generated(random: np.random.Generator, kinds: list[Kind], elements: str, sizes: list[int]) -> tuple[Any, ...]:
    """Arguments of these kinds."""
    named: dict[str, int] = {}
    out: list[Any] = []
    for kind in kinds:
        shape = []
        for name in kind.sizes:
            size = int(name) if name.isdigit() else named.setdefault(name, int(random.choice(sizes)))
            shape.append(size)
        dtype = str(random.choice(kind.dtypes))
        if kind.scalar:
            out.append(_number(random, dtype))
            continue
        array = _elements(random, dtype, tuple(shape), elements)
        out.append(_laid_out(array, str(random.choice(LAYOUTS))))
    return tuple(out)


def _number(random: np.random.Generator, dtype: str) -> Any:
    if dtype == "bool":
        return bool(random.integers(2))
    if dtype == "int":
        return int(random.choice([0, 1, 2, 3, 4, 5, 7, 12, -1, 20]))
    return float(random.choice([0.0, 1.0, 0.5, -1.5, 2.0, float(random.normal()), float(random.uniform(0, 1)), 100.25]))


def _elements(random: np.random.Generator, dtype: str, shape: tuple[int, ...], how: str) -> np.ndarray:
    kind = np.dtype(dtype)
    if kind == np.bool_:
        return random.integers(0, 2, shape).astype(bool)
    if kind == np.uint8:
        letters = np.frombuffer(b"abcxyzAZ  \n0123456789", np.uint8) if how != "huge" else np.arange(256, dtype=np.uint8)
        return random.choice(letters, shape).astype(np.uint8)
    if kind.kind in "iu":
        low, high = {"small": (0, 2), "huge": (-(2**20), 2**20), "equal": (2, 3), "nan": (-5, 6)}.get(how, (0, 4))
        if kind.kind == "u":
            low = max(low, 0)
        return random.integers(low, high, shape).astype(kind)
    array = random.normal(size=shape)
    if how == "small":
        array = random.integers(-2, 3, shape).astype(float)
    if how == "huge":
        array = array * 10.0 ** (12 if kind == np.float32 else 100)
    if how == "equal":
        array = np.full(shape, 1.5)
    if how in ("nan", "zeros", "infinite"):
        special = {"nan": [np.nan], "zeros": [0.0, -0.0], "infinite": [np.inf, -np.inf]}[how]
        array = np.where(random.uniform(size=shape) < 0.3, random.choice(special, shape), array)
    return array.astype(kind)


def _laid_out(array: np.ndarray, how: str) -> np.ndarray:
    if how == "columns":
        return np.asfortranarray(array)
    if not array.ndim or not array.size:
        return array
    if how == "strided":
        wide = np.zeros((*array.shape[:-1], array.shape[-1] * 2), array.dtype)
        wide[..., ::2] = array
        return wide[..., ::2]
    if how == "reversed":
        return array[::-1].copy()[::-1]
    return array


def _run(function: Callable[..., Any], given: tuple[Any, ...]) -> tuple[Any, Exception | None]:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return function(*given), None
        except Exception as error:  # whatever the function raises
            return None, error


def _copied(given: tuple[Any, ...]) -> tuple[Any, ...]:
    """Copies that lie in memory as the arguments do."""
    return tuple(_laid_out_like(value) if isinstance(value, np.ndarray) else copy.deepcopy(value) for value in given)


def _laid_out_like(value: np.ndarray) -> np.ndarray:
    if value.flags.c_contiguous or not value.size:
        return value.copy()
    if value.flags.f_contiguous:
        return value.copy(order="F")
    return _laid_out(value, "reversed" if value.strides[0] < 0 else "strided")


def _compare_once(report: Report, function: types.FunctionType, jitted: JitFunction, given: tuple[Any, ...], how: str) -> None:
    theirs, ours = _copied(given), _copied(given)
    expected, error = _run(function, theirs)
    result, own_error = _run(jitted, ours)
    if own_error is not None and not isinstance(own_error, RemoraError):
        report.differences.append(f"the translation raises {type(own_error).__name__}: {own_error} for {_shown(given)}")
        return
    if error is not None and own_error is not None:
        report.both_raise += 1
        return
    if own_error is not None:
        report.refused += 1
        report.refusal = report.refusal or f"{str(own_error)[:600]}\n  for {_shown(given)}"
        if isinstance(own_error, PortError) and not report.agreed and not report.both_raise:
            return
        return
    if error is not None:
        report.differences.append(f"Python raises {type(error).__name__}: {error}; the translation gives {result!r}, for {_shown(given)}")
        return
    size = max([1.0, *(float(np.max(np.abs(v[np.isfinite(v)]), initial=0)) for v in theirs if isinstance(v, np.ndarray) and v.dtype.kind == "f")])
    # Sums of single precision are rounded in another order, whatever the type of what is made of them.
    digits = 1e-4 if any(getattr(value, "dtype", None) == np.float32 for value in theirs) else 1e-9
    # Sums of huge numbers overflow or not, depending on their order.
    expected = settled(expected, jitted.returned)
    found = difference(expected, result, min(size, 1e150) ** 2 if how == "huge" else size, "result", finite=how == "huge", digits=digits)
    for k, (one, two) in enumerate(zip(theirs, ours)):
        found = found or (difference(one, two, size, f"argument {k}, afterwards,", finite=how == "huge") if isinstance(one, np.ndarray) else "")
    if found:
        report.differences.append(f"{found}, for {_shown(given)}")
    else:
        report.agreed += 1


def settled(expected: Any, result: Result | None) -> Any:
    """A result of Python's with floats in the place of integers that the translation returns as floats, since they are floats in other cases."""
    if result is None:
        return expected
    if result.kind == "tuple" and isinstance(expected, (tuple, list)) and len(expected) == len(result.parts):
        parts = [settled(one, part) for one, part in zip(expected, result.parts)]
        return tuple(parts) if isinstance(expected, tuple) else parts
    return float(expected) if result.whole and type(expected) is int else expected


def difference(expected: Any, result: Any, size: float, what: str, finite: bool = False, digits: float = 1e-9) -> str:
    """The first difference of two results; nothing if there is none."""
    if isinstance(expected, (tuple, list)):
        if not isinstance(result, (tuple, list)) or len(result) != len(expected):
            return f"{what}: {expected!r} by NumPy, {result!r} here"
        return next(filter(None, (difference(a, b, size, f"{what}[{k}]", finite, digits) for k, (a, b) in enumerate(zip(expected, result)))), "")
    if isinstance(expected, dict):
        if not isinstance(result, dict) or list(expected) != list(result):
            return f"{what}: {expected!r} by NumPy, {result!r} here"
        return next(filter(None, (difference(value, result[key], size, f"{what}[{key!r}]", finite, digits) for key, value in expected.items())), "")
    if expected is None or result is None:
        return "" if expected is result else f"{what}: {expected!r} by NumPy, {result!r} here"
    a, b = np.asarray(expected), np.asarray(result)
    if a.dtype != b.dtype or a.shape != b.shape:
        return f"{what}: {a.dtype}{list(a.shape)} by NumPy, {b.dtype}{list(b.shape)} here"
    if a.dtype.kind in "fc":
        scale = max(size, float(np.max(np.abs(a[np.isfinite(a)]), initial=0)))
        with np.errstate(all="ignore"):
            close = np.isclose(a, b, rtol=0, atol=scale * (1e-4 if a.dtype.itemsize // (2 if a.dtype.kind == "c" else 1) == 4 else digits), equal_nan=True)
        if finite:
            close = close | ~np.isfinite(a) | ~np.isfinite(b)
    else:
        close = a == b
    if np.all(close):
        return ""
    place = tuple(int(k) for k in np.argwhere(~close)[0]) if a.ndim else ()
    where = f"{what}[{', '.join(map(str, place))}]" if place else what
    return f"{where}: {a[place]!r} by NumPy, {b[place]!r} here"


def _shown(given: tuple[Any, ...]) -> str:
    return ", ".join(np.array2string(value, threshold=20, separator=", ").replace("\n", "") if isinstance(value, np.ndarray) else repr(value) for value in given)


__all__ = ["Report", "ast", "check_port", "inspect"]
