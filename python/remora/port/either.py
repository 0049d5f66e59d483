"""Numbers whose type Python decides when it runs: an integer in one case and a float in another, or Python's own number in one and NumPy's in another.

The program has one type for them. Beside what decides the type of the result they are numbers like others; anything else is refused."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .diagnostics import Code, Unread
from .values import FLOATS, INTS, NUMPY, Value

COMPLEX = {"c64", "c128"}

# What gives the same for an integer and a float of the same value; `floor` and its relatives do not, and have one name with floats only.
ALIKE = {
    np.sqrt, np.exp, np.log, np.log2, np.log10, np.log1p, np.expm1, np.sin, np.cos, np.tan, np.arcsin, np.arccos, np.arctan, np.sinh, np.cosh, np.tanh, np.arcsinh, np.arccosh,
    np.arctanh, np.cbrt, np.arctan2, np.hypot, np.isnan, np.isinf, np.isfinite, np.linspace, np.isclose, np.allclose,
}  # fmt: skip
# Operators look at their operands themselves.
OPERATORS = {
    np.add, np.subtract, np.multiply, np.divide, np.floor_divide, np.remainder, np.power, np.less, np.less_equal, np.greater, np.greater_equal, np.equal, np.not_equal,
}  # fmt: skip


@dataclass(frozen=True)
class Either:
    """What is kept of such a number, as the origin of a value."""

    integer: bool = True  # an integer in one case; otherwise it is a float in all of them


@dataclass(frozen=True)
class Begun:
    """The kind of a list that begins with at most so many integers, and gets floats."""

    count: int


def mixed(value: Value) -> bool:
    """Whether a list may have integers and floats."""
    return value.kind == "mixed" or isinstance(value.kind, Begun)


def either(value: Value) -> Either | None:
    """What is kept of a value that is one thing in one case and another in another."""
    return value.origin if isinstance(value.origin, Either) else None


def refused(node: ast.AST | None, value: Value) -> Unread:
    """The problem with such a number where its type matters."""
    if isinstance(value.origin, Either) and value.origin.integer:
        return Unread(node, Code.TYPE, "the type of this depends on a number that is one of Python's integers in one case and a float in another", "write the integer as a float: `0.0`")
    return Unread(node, Code.TYPE, f"the type of this depends on a number that is Python's own in one case and {value.dtype} in another", "convert it, for example with `np.float64(x)`")


def of_two(one: Value, two: Value, dtype: str) -> Either | None:
    """What is kept of a value that is the one or the other, and has this type in the program."""
    kept = [either(value) for value in (one, two)]
    if dtype in ("bool", "i64") or one.rank or two.rank:
        return None
    if any(each is not None and each.integer for each in kept) or dtype in FLOATS | COMPLEX and any(value.dtype in INTS for value in (one, two)):
        return Either()
    if any(kept) or one.weak != two.weak:
        return Either(False)
    return None


def literal_of(value: Value) -> Any:
    """The number that a value is, or was given as a variable; None for others."""
    found = value.const if value.const is not None else value.origin
    return found if type(found) in (int, float) and value.weak and not value.rank else None


def as_float(value: Value, other: Value) -> bool:
    """Whether a literal can have the type of another number, with the same value."""
    number = literal_of(value)
    if number is None or other.rank or value.dtype == other.dtype:
        return False
    if other.dtype in INTS:
        return isinstance(number, int) and not other.weak and np.iinfo(NUMPY[other.dtype]).min <= number <= np.iinfo(NUMPY[other.dtype]).max
    return other.dtype == "c128" or other.dtype == "f64" and isinstance(number, int) or other.dtype == "f32" and not other.weak and float(np.float32(number)) == number


def beside(node: ast.AST | None, value: Value, other: Value, divided: bool) -> Either | None:
    """What is kept of the result of an operator on such a number and another one."""
    kept = value.origin
    assert isinstance(kept, Either)
    floating = other.dtype in FLOATS | COMPLEX
    more = either(other)
    if value.dtype in COMPLEX:
        return None if other.dtype in COMPLEX and more is None else kept
    if value.dtype != "f64":
        if (floating if value.dtype == "f32" else other.dtype == value.dtype) and not other.weak and more is None:
            return None
        raise refused(node, value)
    if not value.weak and other.dtype in ("f32", "c64"):
        raise refused(node, value)
    if floating and not (more is not None and more.integer) or divided:
        return more if value.weak and more is not None and not more.integer else None if value.weak or not other.weak else Either(False)
    if kept.integer and other.rank:
        raise refused(node, value)
    return kept if other.weak or kept.integer else None


def decided(node: ast.AST, values: Iterable[Value]) -> None:
    """Looks whether numbers that become one array have one type together, whatever some of them are."""
    found = list(values)
    open_ = [value for value in found if either(value) is not None]
    certain = [value for value in found if either(value) is None and value.dtype in FLOATS | COMPLEX]
    for value in open_:
        if value.dtype != "f64" or value.origin.integer and not certain:
            raise refused(node, value)


def plain(value: Value) -> Value:
    """The value, where it makes no difference what it is."""
    if value.items is not None:
        return replace(value, items=tuple(plain(item) for item in value.items))
    return replace(value, origin=None) if isinstance(value.origin, Either) else replace(value, kind=None) if value.listed and mixed(value) else value


def as_arguments(node: ast.Call, function: Any, values: list[Value], options: dict[str, Value]) -> tuple[list[Value], dict[str, Value]]:
    """The arguments of a function of NumPy's, where it makes no difference what they are."""
    if function in OPERATORS:
        return values, options
    if function in ALIKE and all(value.dtype == "f64" or either(value) is None for value in values) or isinstance(function, type) and issubclass(function, np.generic) or "dtype" in options:
        return [plain(value) for value in values], options
    given = [*values, *options.values()]
    for value in given:
        if either(value) is None:
            continue
        strong = {other.dtype for other in given[function is np.where :] if either(other) is None and not other.weak and other.items is None and other.function is None}
        if value.dtype != "f64" or not value.weak and strong & {"f32", "c64"} or value.origin.integer and not strong & (FLOATS | COMPLEX):
            raise refused(node, value)
    return [plain(value) for value in values], {key: plain(value) for key, value in options.items()}


def of_builtin(node: ast.AST, function: Any, values: list[Value]) -> tuple[list[Value], Either | None]:
    """The arguments of a builtin or a function of `math`, and what is kept of its result."""
    kept = [found for value in values if (found := either(value)) is not None]
    integers = any(found.integer for found in kept)
    if function in (builtins.max, builtins.min) and len(values) > 1 and all(value.items is None and not value.rank for value in values):
        types = {value.dtype for value in values}
        if kept or len(types) > 1 or len({value.weak for value in values}) > 1 and types != {"i64"}:
            return [plain(value) for value in values], Either(integers or any(value.dtype in INTS for value in values))
    if function is builtins.abs and kept:
        return [plain(value) for value in values], kept[0]
    if kept and function in (builtins.float, builtins.bool, builtins.complex) or getattr(function, "__module__", "") == "math":
        return [plain(value) for value in values], None
    if kept and function not in (builtins.sum, builtins.any, builtins.all, builtins.len):
        raise refused(node, next(value for value in values if either(value) is not None))
    return values, None
