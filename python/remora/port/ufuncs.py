"""Methods of ufuncs: `np.add.outer(x, y)`, `np.maximum.accumulate(x)`, `np.add.reduceat(x, places)` and their relatives."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from .calls import along, axis_of, call_numpy, cast, moved_last, reduction, refuse_options, strong, under
from .context import HELPERS
from .diagnostics import Code, Unread
from .shapes import permuted
from .sizes import ONE
from .values import APPLY, ATOM, FLOATS, INTS, NUMPY, Value, bound_text

if TYPE_CHECKING:
    from .expressions import Expressions

HELPERS["folded"] = (
    "-- | The elements combined from the left; there has to be one.\n"
    "def folded 't [n] (op: t -> t -> t) (xs: [n]t) : t =\n"
    '  let _ = assert (n > 0) "a reduction of no elements"\n'
    "  in loop total = xs[0] for i < n - 1 do op total xs[i+1]"
)

# Reductions that have functions of their own, and cumulative functions.
REDUCED = {"add": "sum", "multiply": "prod", "maximum": "max", "minimum": "min", "logical_and": "all", "logical_or": "any"}
CUMULATIVE = {"add": "cumsum", "multiply": "cumprod", "maximum": "cummax", "minimum": "cummin"}
# What no elements come to.
NOTHING = {"bitwise_or": "0", "bitwise_xor": "0", "bitwise_and": "-1", "logical_xor": "false"}
LOGICAL = ("logical_and", "logical_or", "logical_xor")


def operated(reader: Expressions, node: ast.Call, ufunc: Any, values: list[Value]) -> Value:
    """A ufunc of values."""
    function = node.func.value if isinstance(node.func, ast.Attribute) and reader.resolve(node.func.value) is ufunc else node.func
    call = ast.copy_location(ast.Call(function, [], []), node)
    call.means = ufunc  # type: ignore[attr-defined]
    return call_numpy(reader, call, ufunc, values, {})


def call_ufunc_method(reader: Expressions, node: ast.Call, ufunc: Any, method: str) -> Value:
    """`np.maximum.accumulate(x)` and so on."""
    values, options = reader.arguments(node)
    name = ufunc.__name__
    if ufunc.nin != 2 or ufunc.nout != 1 or ufunc.signature is not None:
        raise Unread(node, Code.NAME, f"`{ast.unparse(node.func)}` is not read", "the methods of functions of two numbers are")
    if method == "outer" and len(values) == 2:
        refuse_options(node, options)
        x, y = (reader.as_array(node, value) for value in values)
        return operated(reader, node, ufunc, [replace(x, shape=(*x.shape, *[ONE] * y.rank)), y])
    if method in ("reduce", "accumulate") and values:
        value = reader.as_array(node, values[0])
        if not value.rank:
            raise Unread(node, Code.SHAPE, f"`{method}` of a number", "")
        if method == "reduce":
            return _reduced(reader, node, ufunc, [value, *values[1:]], options)
        return _accumulated(reader, node, ufunc, [value, *values[1:]], options)
    if method == "reduceat" and len(values) in (2, 3):
        return _reduced_at(reader, node, ufunc, values, options)
    help = f"call it as a statement: `{ast.unparse(node.func)}(x, places, values)`" if method == "at" else "write it with functions that docs/library.md lists"
    raise Unread(node, Code.NAME, f"`{ast.unparse(node.func)}` of `{name}` is not read here", help)


def scalar_function(reader: Expressions, node: ast.Call, ufunc: Any, dtype: str) -> tuple[str, str]:
    """The ufunc as a function of two numbers of a type, and the type of its result."""
    context = reader.context
    names = [context.short(), context.short()]
    made = operated(reader, node, ufunc, [Value(name, ATOM, dtype) for name in names])
    context.names -= set(names)
    return f"(\\({names[0]}: {dtype}) ({names[1]}: {dtype}) -> {bound_text(made)})", made.dtype


def combined(reader: Expressions, node: ast.Call, ufunc: Any, value: Value) -> tuple[Value, str]:
    """The elements as what a ufunc combines without changing their type, and the function."""
    if ufunc.__name__ in LOGICAL:
        value = strong(reader.truth(node, value))
    elif ufunc.__name__ in ("add", "multiply"):
        wide = "i64" if value.dtype in ("bool", "i8", "i16", "i32") else "u64" if value.dtype in ("u8", "u16", "u32") else value.dtype
        if wide != value.dtype:
            value = cast(reader, node, value, NUMPY[wide].type)
    function, dtype = scalar_function(reader, node, ufunc, value.dtype)
    if dtype != value.dtype:
        raise Unread(node, Code.TYPE, f"`{ufunc.__name__}` of {value.dtype} gives {dtype}, which is not combined further here", f"convert the array: `astype` of {dtype}")
    return value, function


def rows_of(reader: Expressions, node: ast.Call, value: Value, axis: int) -> Value:
    """The array with a dimension as the last one."""
    if axis not in value.axes:
        raise Unread(node, Code.SHAPE, "a dimension of size 1", "leave the function out: the result is the array itself")
    return moved_last(value, value.axes.index(axis), len(value.axes) - 1)


def mapped_rows(function: str, value: Value) -> str:
    """A function of the last dimension below the others."""
    return f"{under(function, len(value.axes) - 1)} {value.argument}" if len(value.axes) > 1 else f"{function} {value.argument}"


def _axis(node: ast.Call, value: Value, rest: list[Value], options: dict[str, Value], at: int) -> tuple[int, ...] | None:
    given = rest[at] if len(rest) > at else options.get("axis")
    return (0,) if given is None else axis_of(node, value, given)


def _reduced(reader: Expressions, node: ast.Call, ufunc: Any, values: list[Value], options: dict[str, Value]) -> Value:
    name, value = ufunc.__name__, values[0]
    if name in REDUCED:
        refuse_options(node, options, ("axis", "keepdims"))
        given = {"axis": Value("0", ATOM, "i64", weak=True, const=0), **options} if len(values) < 2 else options
        return reduction(reader, node, REDUCED[name], value, values[1:], given)
    refuse_options(node, options, ("axis",))
    axes = _axis(node, value, values[1:], options, 0)
    axes = tuple(range(value.rank)) if axes is None and value.rank == 1 else axes
    if axes is None or len(axes) != 1:
        raise Unread(node, Code.SHAPE, f"`np.{name}.reduce` over several dimensions", "flatten the array first: `x.ravel()`")
    value, function = combined(reader, node, ufunc, value)
    rows = rows_of(reader, node, value, axes[0])
    shape = tuple(size for k, size in enumerate(value.shape) if k != axes[0])
    zero = NOTHING.get(name)
    if zero is not None and value.dtype in INTS | {"bool"}:
        if value.dtype == "bool":
            zero = {"0": "false", "-1": "true"}.get(zero, zero)
        elif zero == "-1":
            zero = f"(-1{value.dtype})" if value.dtype[0] == "i" else f"{value.dtype}.highest"
        else:
            zero += value.dtype
        return Value(mapped_rows(f"reduce {function} {zero}", rows), APPLY, value.dtype, shape)
    return Value(mapped_rows(f"{reader.context.helper('folded')} {function}", rows), APPLY, value.dtype, shape)


def _accumulated(reader: Expressions, node: ast.Call, ufunc: Any, values: list[Value], options: dict[str, Value]) -> Value:
    name, value = ufunc.__name__, values[0]
    refuse_options(node, options, ("axis",))
    axes = _axis(node, value, values[1:], options, 0)
    if axes is None or len(axes) != 1:
        raise Unread(node, Code.SHAPE, "`accumulate` needs one axis", "write the number")
    if name in ("add", "multiply"):
        given = {"axis": Value(str(axes[0]), ATOM, "i64", weak=True, const=axes[0])}
        return along(reader, node, CUMULATIVE[name], value, [], given)
    rows = rows_of(reader, node, value, axes[0])
    if name in CUMULATIVE and value.dtype in FLOATS | INTS:
        text = mapped_rows(reader.context.library(CUMULATIVE[name], value.dtype), rows)
    else:
        rows, function = combined(reader, node, ufunc, rows)
        text = mapped_rows(f"{reader.context.library('accumulated')} {function}", rows)
    return turned_back(node, Value(text, APPLY, rows.dtype, value.shape), axes[0])


def turned_back(node: ast.AST, made: Value, axis: int) -> Value:
    """The array whose last dimension belongs at another place; the shape says that already."""
    order = [k for k in range(made.rank) if k != axis] + [axis]
    turned = replace(made, shape=tuple(made.shape[k] for k in order))
    return permuted(node, turned, [order.index(k) for k in range(made.rank)])


def _reduced_at(reader: Expressions, node: ast.Call, ufunc: Any, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options, ("axis",))
    value, places = (reader.as_array(node, each) for each in values[:2])
    if places.rank != 1 or len(places.axes) != 1 or places.dtype not in INTS or not value.rank:
        raise Unread(node, Code.TYPE, "places that are no vector of integers", "")
    axes = _axis(node, value, values, options, 2)
    if axes is None or len(axes) != 1:
        raise Unread(node, Code.SHAPE, "`reduceat` needs one axis", "write the number")
    if places.dtype != "i64":
        places = cast(reader, node, places, np.int64)
    value, function = combined(reader, node, ufunc, value)
    rows = rows_of(reader, node, value, axes[0])
    text = mapped_rows(f"{reader.context.library('reduceat')} {function} {places.argument}", rows)
    shape = tuple(places.shape[0] if k == axes[0] else size for k, size in enumerate(value.shape))
    return turned_back(node, Value(text, APPLY, value.dtype, shape), axes[0])
