"""Functions of NumPy that look for elements: places, different rows, elements along a dimension, choices, differences of neighbours."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from . import several
from .calls import TABLE, Call, axis_of, cast, ravel, refuse_options, strong
from .diagnostics import Code, Unread
from .grids import tuple_of
from .operators import applied, binary, compare, elementwise, fitted, named_size
from .shapes import as_shape, bound, permuted
from .sizes import ONE, Size
from .tables import full, instead
from .values import APPLY, FLOATS, INTS, Value, literal, result_dtype

if TYPE_CHECKING:
    from .expressions import Expressions


@instead("nonzero", "method.nonzero")
def _nonzero(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options)
    context, value = reader.context, full(node, reader.as_array(node, values[0]), 1, 2, 3, 4)
    flat = TABLE["flatnonzero"](reader, node, [value], {})
    if value.rank == 1:
        return tuple_of([flat])
    # The places of all elements, and what they are in each dimension.
    rest = named_size(context, flat, 0)
    items: list[Value] = []
    for k in reversed(range(1, value.rank)):
        count = reader.size_value(value, k)
        items.insert(0, strong(binary(context, node, ast.Mod, rest, count)))
        rest = strong(binary(context, node, ast.FloorDiv, rest, count))
    return tuple_of([rest, *items])


_first_where: Call = TABLE["where"]


@instead("where")
def _where(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    read = _nonzero if len(values) == 1 else _first_where
    return read(reader, node, values, options)


@instead("argwhere")
def _argwhere(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options)
    found = _nonzero(reader, node, values, {})
    items = found.items or ()
    if len(items) == 1:
        places: Value = items[0]
        return replace(places, shape=(places.shape[0], ONE))
    return permuted(node, reader.as_array(node, found), [1, 0])


TABLE["counted.unique"] = several.unique_of_vector


@instead("unique")
def _unique(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options, ("return_counts", "return_index", "return_inverse", "axis"))
    given, value = options.get("axis"), reader.as_array(node, values[0])
    chosen = {key: each for key, each in options.items() if key != "axis"}
    if any(not isinstance(each.const, bool) for each in chosen.values()):
        raise Unread(node, Code.FORM, "a `return_..` of `unique` that is no constant", "write True or False")
    wants = [key for key, each in chosen.items() if each.const]
    if value.dtype == "bool":
        # NumPy sorts truth values; so does this, as integers.
        made = _unique(reader, node, [cast(reader, node, value, np.uint8), *values[1:]], options)
        items = [made] if made.items is None else list(made.items)
        items[0] = cast(reader, node, items[0], np.bool_)
        return items[0] if made.items is None else tuple_of(items)
    axes = axis_of(node, value, given)
    if axes is None or value.rank == 1:
        if value.rank > 1 and "return_inverse" in wants:
            # The places have the shape of the array.
            flat = _unique(reader, node, [bound(reader, ravel(reader, node, full(node, value, 2, 3, 4)))], chosen)
            items = list(flat.items or ())
            place = 1 + ("return_index" in wants)
            items[place] = as_shape(node, items[place], value)
            return tuple_of(items)
        return _unique_plain(reader, node, [ravel(reader, node, value) if value.rank > 1 else value], chosen)
    return _unique_rows(reader, node, value, axes[0], wants)


def _unique_plain(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    if not any(each.const for each in options.values()):
        return TABLE["plain.unique"](reader, node, values, {})
    return TABLE["counted.unique"](reader, node, values, options)


def _unique_rows(reader: Expressions, node: ast.Call, value: Value, axis: int, wants: list[str]) -> Value:
    """`np.unique` of rows or columns of a matrix."""
    context, value = reader.context, full(node, value, 2)
    if value.dtype not in FLOATS | INTS:
        raise Unread(node, Code.TYPE, f"`unique` of rows of {value.dtype} is not read", "convert the array")
    rows = bound(reader, permuted(node, value, [1, 0]) if axis == 1 else value)
    first = named_size(context, Value(f"{context.library('unique_rows_index', value.dtype)} {rows.argument}", APPLY, "i64", (Size.name("?rows"),)), 0)
    parts: list[Any] = [first, ast.Slice()]
    made = reader.element(node, rows, parts)
    found = [replace(permuted(node, made, [1, 0]) if axis == 1 else made, memory=frozenset())]
    if "return_index" in wants:
        found.append(first)
    if "return_inverse" in wants or "return_counts" in wants:
        inverse = Value(f"{context.library('unique_rows_inverse', value.dtype)} {rows.argument}", APPLY, "i64", rows.shape[:1])
        if "return_inverse" in wants:
            inverse = bound(reader, inverse)
            found.append(inverse)
        if "return_counts" in wants:
            found.append(Value(f"{context.library('bincount')} {first.shape[0].text()} {inverse.argument}", APPLY, "i64", first.shape))
    return found[0] if len(found) == 1 else tuple_of(found)


# Elements along a dimension ------------------------------------------------------------------------------------------------------


def places_along(reader: Expressions, node: ast.AST, value: Value, index: Value, axis: int) -> list[Any]:
    """The index of `np.take_along_axis`: the given places in one dimension, all places in the others."""
    if index.dtype not in INTS or index.rank != value.rank:
        raise Unread(node, Code.SHAPE, "places with other dimensions than the array", "NumPy raises an error, too")
    parts: list[Any] = []
    for k in range(value.rank):
        if k == axis:
            parts.append(index)
            continue
        count = reader.size_value(value, k)
        shape = tuple(value.shape[k] if j == k else ONE for j in range(value.rank))
        parts.append(Value(f"iota {count.argument}", APPLY, "i64", shape, small=True))
    return parts


@instead("take_along_axis")
def _take_along(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options, ("axis", "indices", "arr"))
    given = values[2] if len(values) > 2 else options.get("axis", literal(-1))
    value = reader.as_array(node, values[0] if values else options["arr"])
    index = reader.as_array(node, values[1] if len(values) > 1 else options["indices"])
    axes = axis_of(node, value, given)
    if axes is None:
        value, axes = ravel(reader, node, value), (0,)
    if len(axes) != 1:
        raise Unread(node, Code.SHAPE, "`take_along_axis` along several dimensions", "")
    if len(value.axes) != value.rank:
        raise Unread(node, Code.SHAPE, "an array with a dimension of size 1", "index it first")
    return replace(reader.element(node, bound(reader, value), places_along(reader, node, value, index, axes[0])), memory=frozenset())


# Choices -------------------------------------------------------------------------------------------------------------------------


@instead("select")
def _select(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options, ("default", "condlist", "choicelist"))
    values = [*values, *(options[key] for key in ("condlist", "choicelist") if key in options)]
    default = values[2] if len(values) > 2 else options.get("default", literal(0))
    conditions, choices = values[0].items, values[1].items
    if not conditions or choices is None or len(conditions) != len(choices):
        raise Unread(node, Code.FORM, "`select` with these arguments is not read", "write lists of conditions and choices, as many of them")
    if any(condition.dtype != "bool" for condition in conditions):
        raise Unread(node, Code.TYPE, "a condition of `select` that is no array of truth values", "NumPy raises an error, too")
    every = [each if each.items is None else reader.as_array(node, each) for each in (*choices, default)]
    dtype, weak = every[0].dtype, every[0].weak
    for each in every[1:]:
        if (each.dtype, each.weak) != (dtype, weak):
            if "bool" in (each.dtype, dtype) and (weak or each.weak):
                raise Unread(node, Code.TYPE, "a truth value or a number", "convert one of them")
            _, dtype = result_dtype(np.add, [replace(each, dtype=dtype, weak=weak, const=None), each])
            weak = weak and each.weak
    every = [strong(fitted(reader.context, node, each, dtype)) for each in every]
    made = every[-1]
    for condition, choice in reversed(list(zip(conditions, every))):
        made = elementwise(reader.context, node, [condition, choice, made], applied(reader.context.library("where", dtype)), dtype)
    return replace(made, weak=False, memory=frozenset())


# Differences of neighbours -------------------------------------------------------------------------------------------------------


@instead("diff")
def _diff(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options, ("n", "axis", "prepend", "append"))
    value = reader.as_array(node, values[0])
    times = values[1] if len(values) > 1 else options.get("n", literal(1))
    if not value.rank:
        raise Unread(node, Code.SHAPE, "`diff` of a number", "NumPy raises an error, too")
    if not isinstance(times.const, int) or not 0 <= times.const <= 16:
        raise Unread(node, Code.FORM, "how often `diff` is taken is no constant", "write the number, up to 16")
    if times.const == 0:
        return value
    axes = axis_of(node, value, values[2] if len(values) > 2 else options.get("axis", literal(-1)))
    if axes is None or len(axes) != 1:
        raise Unread(node, Code.SHAPE, "`diff` along several dimensions", "")
    axis = axes[0]
    if axis not in value.axes:
        raise Unread(node, Code.SHAPE, "`diff` along a dimension of size 1", "the result has no elements")
    if value.dtype not in FLOATS | INTS | {"bool", "c64", "c128"}:
        raise Unread(node, Code.TYPE, f"`diff` of {value.dtype} is not read", "")
    for key in ("prepend", "append"):
        if key in options and value.rank != 1:
            raise Unread(node, Code.SHAPE, f"`{key}` for several dimensions is not read", "concatenate the arrays")
    if "prepend" in options or "append" in options:
        parts = [reader.as_array(node, options[key]) if key in options else value for key in ("prepend", "", "append") if key in options or not key]
        # A number beside the array is NumPy's own here: it may change the type.
        value = TABLE["append"](reader, node, [replace(part, weak=False) for part in parts], {})
    for _ in range(times.const):
        value = _neighbours(reader, node, value, axis)
    return value


def _neighbours(reader: Expressions, node: ast.Call, value: Value, axis: int) -> Value:
    """The difference of each element and the one before it."""
    size = value.shape[axis]
    if size.number in (0, 1):
        empty = Size.of(0)
        return replace(reader.element(node, value, [_part(node, 1, None) if k == axis else ast.Slice() for k in range(value.rank)]),
                       memory=frozenset(), shape=tuple(empty if k == axis else each for k, each in enumerate(value.shape))) if size.number else replace(value, memory=frozenset())  # fmt: skip
    if value.rank == 1 and value.dtype in FLOATS | INTS and reader.context.assume(size - 1, "`diff` of no elements"):
        return Value(f"{reader.context.library('diff', value.dtype)} {value.argument}", APPLY, value.dtype, (size - 1,))
    value = bound(reader, value) if not value.text.isidentifier() else value
    later, earlier = (
        reader.element(node, value, [_part(node, *ends) if k == axis else ast.Slice() for k in range(value.rank)]) for ends in ((1, None), (None, -1))
    )  # fmt: skip
    if value.dtype == "bool":
        return compare(reader.context, node, ast.NotEq, later, earlier)
    return binary(reader.context, node, ast.Sub, later, earlier)


def _part(node: ast.AST, low: int | None, high: int | None) -> ast.Slice:
    ends = [None if each is None else ast.copy_location(ast.Constant(each), node) for each in (low, high)]
    return ast.copy_location(ast.Slice(*ends), node)


@instead("ediff1d")
def _ediff1d(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options)
    value = reader.as_array(node, values[0])
    if len(values) != 1:
        raise Unread(node, Code.FORM, "`ediff1d` with these arguments is not read", "concatenate the arrays")
    if value.dtype == "bool":
        raise Unread(node, Code.TYPE, "`ediff1d` of truth values", "NumPy raises an error, too: compare neighbours with `!=`")
    return _diff(reader, node, [ravel(reader, node, value) if value.rank > 1 else value], {})
