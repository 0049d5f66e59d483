"""Functions of `math` and NumPy that are a formula or a short definition."""

from __future__ import annotations

import ast
import builtins
import math
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from .calls import refuse_options, strong
from .context import HELPERS
from .diagnostics import Code, Unread
from .others import bound, said
from .shapes import count_of
from .tables import also, floating
from .values import APPLY, ATOM, FLOATS, INTS, Value, convert, literal

if TYPE_CHECKING:
    from .expressions import Expressions

HELPERS["factorial"] = (
    "-- | `math.factorial`, which fails beyond 64 bits.\n"
    "def factorial (n: i64) : i64 = let _ = assert (n >= 0) \"a factorial of a negative number\" in loop r = 1i64 for i < n do times r (i + 1)"
)
HELPERS["comb"] = (
    "-- | `math.comb`, which fails beyond 64 bits.\n"
    "def comb (n: i64) (k: i64) : i64 =\n"
    "  let _ = assert (n >= 0 && k >= 0) \"a number of choices of negative numbers\"\n"
    "  in if k > n then 0 else loop r = 1i64 for i < i64.min k (n - k) do times r (n - i) / (i + 1)"
)
HELPERS["isqrt"] = (
    "-- | `math.isqrt`.\n"
    "def isqrt (n: i64) : i64 =\n"
    "  let _ = assert (n >= 0 && n < 1 << 62) \"a root of a negative or very large number\"\n"
    "  let r = i64.f64 (f64.sqrt (f64.i64 n))\n"
    "  in if r * r > n then r - 1 else if (r + 1) * (r + 1) <= n then r + 1 else r"
)
HELPERS["math_pow"] = (
    "-- | `math.pow`, which fails where Python does.\n"
    "def math_pow (x: f64) (y: f64) : f64 = checked (if f64.isnan y || f64.isinf y then y else x) (x ** y)"
)
HELPERS["math_fmod"] = (
    "-- | `math.fmod`, which fails where Python does.\n"
    "def math_fmod (x: f64) (y: f64) : f64 = checked (if f64.isnan y then y else x) (if y == 0 then f64.nan else x % y)"
)
CLOSE = "(a == b) | (np.isfinite(a) & np.isfinite(b) & (np.abs(a - b) <= np.maximum(rel * np.maximum(np.abs(a), np.abs(b)), tol)))"


def _whole_numbers(name: str, *needs: str) -> Callable[[Expressions, ast.Call, list[Value]], Value | None]:
    def read(reader: Expressions, node: ast.Call, values: list[Value]) -> Value | None:
        if any(value.dtype not in INTS for value in values):
            return None
        for each in needs:
            reader.context.helper(each)
        text = " ".join([reader.context.helper(name), *(convert(value, "i64").argument for value in values)])
        return Value(text, APPLY, "i64", weak=True)

    return read


def _floats(name: str, *needs: str) -> Callable[[Expressions, ast.Call, list[Value]], Value | None]:
    def read(reader: Expressions, node: ast.Call, values: list[Value]) -> Value | None:
        for each in needs:
            reader.context.helper(each)
        function = name if name.startswith("f64.") else reader.context.helper(name)
        return Value(" ".join([function, *(convert(value, "f64").argument for value in values)]), APPLY, "f64", weak=True)

    return read


def _log(reader: Expressions, node: ast.Call, values: list[Value]) -> Value:
    helpers = [reader.context.helper(each) for each in ("checked", "math_log", "divided")]
    x, base = (convert(value, "f64").argument for value in values)
    return Value(f"{helpers[2]} ({helpers[1]} {x}) ({helpers[1]} {base})", APPLY, "f64", weak=True)


def _finite(reader: Expressions, node: ast.Call, values: list[Value]) -> Value:
    return replace(said(reader, node, "np.isfinite(x)", x=convert(values[0], "f64")), weak=True)


# How many arguments each function of `math` has, and what reads it.
MATH: dict[Any, tuple[int, Callable[[Expressions, ast.Call, list[Value]], Value | None]]] = {
    math.factorial: (1, _whole_numbers("factorial", "times")), math.comb: (2, _whole_numbers("comb", "times")), math.isqrt: (1, _whole_numbers("isqrt")),
    math.pow: (2, _floats("math_pow", "checked")), math.fmod: (2, _floats("math_fmod", "checked")), math.hypot: (2, _floats("f64.hypot")), math.log: (2, _log),
    math.isfinite: (1, _finite),
}  # fmt: skip


def call_math(reader: Expressions, node: ast.Call, function: Any) -> Value | None:
    """A call of a function of `math`, `len` of a text, `round` to so many digits, `np.uint64` of a large number; None for others."""
    if function is np.uint64 and len(node.args) == 1 and isinstance(node.args[0], ast.Constant) and type(node.args[0].value) is int and 1 << 63 <= node.args[0].value < 1 << 64:
        return Value(f"{node.args[0].value}u64", ATOM, "u64")
    if function is math.isclose:
        return _close(reader, node)
    if function in (builtins.len, builtins.round) and not node.keywords and len(node.args) == (1 if function is builtins.len else 2):
        first = reader.eval(node.args[0])
        if function is builtins.len:
            return literal(len(first.function)) if isinstance(first.function, str) else None
        if first.dtype not in FLOATS or not first.scalar or first.rank:
            return None
        if first.weak:
            raise Unread(node, Code.NAME, "`round` of one of Python's floats to some decimals", "write `np.round(x, 2)`, which rounds in another way where the number lies close to the middle")
        return said(reader, node, "np.round(x, n)", x=first, n=reader.eval(node.args[1]))
    count, read = MATH.get(function, (0, None)) if getattr(function, "__module__", "") == "math" else (0, None)
    if read is None or len(node.args) != count or node.keywords:
        return None
    values = [reader.eval(each) for each in node.args]
    if any(not value.scalar or value.rank or value.dtype not in FLOATS | INTS for value in values):
        return None
    return read(reader, node, values)


def _close(reader: Expressions, node: ast.Call) -> Value:
    values, options = reader.arguments(node)
    refuse_options(node, options, ("rel_tol", "abs_tol"))
    if len(values) != 2 or any(not value.scalar or value.rank for value in [*values, *options.values()]):
        raise Unread(node, Code.FORM, "`isclose` of these is not read", "of two numbers")
    a, b = (strong(convert(value, "f64")) for value in values)
    rel, tol = (strong(convert(options.get(name, literal(default)), "f64")) for name, default in (("rel_tol", 1e-09), ("abs_tol", 0.0)))
    return replace(said(reader, node, CLOSE, a=a, b=b, rel=rel, tol=tol), weak=True)


# NumPy ---------------------------------------------------------------------------------------------------------------------------


# Reductions of complex numbers that are said with others.
COMPLEX = {"mean": "np.sum(x, axis=AXIS) / n", "var": "np.mean((x - MEAN).real ** 2 + (x - MEAN).imag ** 2, axis=AXIS)", "std": "np.sqrt(np.var(x, axis=AXIS))"}


def of_complex(reader: Expressions, node: ast.AST, name: str, value: Value, axes: tuple[int, ...] | None) -> Value:
    """The mean, variance or deviation of complex numbers, of all or along one axis."""
    if axes is None:
        text, number = COMPLEX[name].replace("MEAN", "np.mean(x)").replace("axis=AXIS", ""), said(reader, node, "np.float64(x.size)", x=value)
    else:
        mean = "np.expand_dims(np.mean(x, axis=AXIS), AXIS)"
        text, number = COMPLEX[name].replace("MEAN", mean).replace("AXIS", str(axes[0])), reader.as_float(node, reader.size_value(value, axes[0]))
    number = convert(strong(number), "f32") if value.dtype == "c64" else number
    return strong(said(reader, node, text, x=value, n=number))


@also("signbit")
def _signbit(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options)
    return said(reader, node, "np.copysign(1.0, x) < 0", x=floating(reader, node, values[0]))


@also("modf")
def _modf(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options)
    if values[0].dtype not in FLOATS:
        raise Unread(node, Code.TYPE, f"`modf` of {values[0].dtype} is not read", "convert the argument to a float")
    x = bound(reader, strong(values[0]))
    whole = bound(reader, said(reader, node, "np.trunc(x)", x=x))
    rest = said(reader, node, "np.copysign(np.where(np.isinf(x), 0.0, x - y), x)", x=x, y=whole)
    return Value("", ATOM, "tuple", items=(strong(rest), strong(whole)))


@also("tri")
def _tri(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options, ("M", "k"))
    given = dict(zip(("N", "M", "k"), values)) | options
    n = given["N"]
    m = given.get("M", n)
    return said(reader, node, "np.tril(np.ones((n, m)), k)", n=n, m=n if m.dtype == "none" else m, k=given.get("k", literal(0)))


@also("logspace")
def _logspace(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options, ("num", "base"))
    given = dict(zip(("start", "stop", "num"), values)) | options
    base = given.get("base", literal(10.0))
    if len(values) > 3 or not base.scalar or base.rank:
        raise Unread(node, Code.FORM, "`logspace` with these arguments is not read", "write `10.0 ** np.linspace(a, b, n)`")
    points = {"a": given["start"], "b": given["stop"], "n": given.get("num", literal(50))}
    return said(reader, node, "base ** np.linspace(a, b, n)", base=strong(convert(base, "f64")), **points)


@also("broadcast_to")
def _broadcast_to(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options, ("shape",))
    given = dict(zip(("array", "shape"), values)) | options
    array = reader.as_array(node, given["array"])
    sizes = given["shape"].items or (given["shape"],)
    if len(sizes) < array.rank or array.dtype not in FLOATS | INTS | {"bool"}:
        raise Unread(node, Code.SHAPE, "`broadcast_to` of this is not read", "write the result with `np.full` or `np.tile`")
    for axis, size in enumerate(array.shape):
        wanted = count_of(reader, node, sizes[len(sizes) - array.rank + axis])
        if size.number is not None and size.number != 1 and wanted.number not in (None, size.number):
            raise Unread(node, Code.SHAPE, f"{size.number} elements in a dimension of {wanted.number}", "NumPy raises an error, too")
    mask = said(reader, node, "np.ones(s, dtype=np.bool_)", s=Value("", ATOM, "tuple", items=tuple(sizes)))
    return said(reader, node, "np.where(m, x, x)", m=mask, x=strong(array))


@also("ix_")
def _ix(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options)
    arrays = [bound(reader, reader.as_array(node, value)) for value in values]
    if not 1 <= len(arrays) <= 3 or any(array.axes != (0,) or array.dtype not in INTS for array in arrays):
        raise Unread(node, Code.TYPE, "`ix_` of these is not read", "of vectors of integers; of a mask write `np.flatnonzero(mask)`")
    items = []
    for k, array in enumerate(arrays):
        index = ", ".join(":" if j == k else "None" for j in range(len(arrays)))
        items.append(said(reader, node, f"x[{index}]", x=array))
    return Value("", ATOM, "tuple", items=tuple(items))


@also("polyfit")
def _polyfit(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options)
    if len(values) != 3 or not isinstance(values[2].const, int) or not 0 <= values[2].const < 32:
        raise Unread(node, Code.FORM, "`polyfit` with these arguments is not read", "of two vectors, with a degree that is a number")
    x, y = (bound(reader, floating(reader, node, reader.as_array(node, value))) for value in values[:2])
    if x.dtype != "f64" or y.dtype != "f64" or x.axes != (0,) or y.rank != 1:
        raise Unread(node, Code.TYPE, "`polyfit` of these is not read", "convert the vectors to float64")
    powers = bound(reader, said(reader, node, "np.vander(x, n)", x=x, n=literal(values[2].const + 1)))
    scale = bound(reader, said(reader, node, "np.sqrt((v * v).sum(axis=0))", v=powers))
    reader.context.notes.add("`polyfit` takes the points to determine the polynomial; NumPy warns where they do not")
    return said(reader, node, "np.linalg.lstsq(v / s, y, rcond=None)[0] / s", v=powers, s=scale, y=y)


__all__ = ["call_math", "of_complex"]
