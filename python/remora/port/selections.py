"""Functions of NumPy that make indices of parts of matrices, and that leave elements out."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from .calls import TABLE, axis_of, ravel, refuse_options
from .context import HELPERS
from .diagnostics import Code, Unread
from .grids import grid, tuple_of
from .operators import binary, compare, unknown_size
from .shapes import bound, count_of, in_brackets
from .tables import full, instead
from .values import APPLY, ATOM, INTS, Value, literal, type_text

if TYPE_CHECKING:
    from .expressions import Expressions

HELPERS["kept_by_deletion"] = (
    "-- | Which of `n` elements are not at one of the places; negative ones count from the end.\n"
    "def kept_by_deletion [k] (n: i64) (places: [k]i64) : [n]bool =\n"
    '  let _ = assert (and (map (\\i -> i >= -n && i < n) places)) "an index of `delete` is out of bounds"\n'
    "  in scatter (replicate n true) (map (\\i -> if i < 0 then i + n else i) places) (replicate k false)"
)


# Places in matrices --------------------------------------------------------------------------------------------------------------


def _numbers(reader: Expressions, node: ast.Call, count: Value) -> Value:
    """The numbers below another one, under a name."""
    size = count_of(reader, node, count)
    return bound(reader, Value(f"iota {in_brackets(size.text())}", APPLY, "i64", (size,), small=True))


def _sides(reader: Expressions, node: ast.Call, sizes: list[Value], k: Value, upper: bool) -> Value:
    """The places of the elements on one side of a diagonal, row by row."""
    if not k.scalar or k.dtype != "i64":
        raise Unread(node, Code.TYPE, "the number of this diagonal is no integer", "")
    rows, columns = grid(reader, [_numbers(reader, node, size) for size in sizes], True).items or ()
    beside = binary(reader.context, node, ast.Sub, columns, rows)
    return TABLE["nonzero"](reader, node, [compare(reader.context, node, ast.GtE if upper else ast.LtE, beside, k)], {})


@instead("triu_indices", "tril_indices")
def _triangle_indices(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options, ("k", "m"))
    given = dict(zip(("n", "k", "m"), values)) | options
    rows = given["n"]
    columns = given.get("m")
    columns = rows if columns is None or columns.text == "None" else columns
    return _sides(reader, node, [rows, columns], given.get("k", literal(0)), reader.called(node).__name__ == "triu_indices")


@instead("triu_indices_from", "tril_indices_from")
def _triangle_of(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options, ("k",))
    value = full(node, reader.as_array(node, values[0]), 2)
    sizes = [reader.size_value(value, axis) for axis in (0, 1)]
    k = values[1] if len(values) > 1 else options.get("k", literal(0))
    return _sides(reader, node, sizes, k, reader.called(node).__name__ == "triu_indices_from")


@instead("diag_indices")
def _diagonal_indices(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options, ("ndim",))
    count = values[1] if len(values) > 1 else options.get("ndim", literal(2))
    if not isinstance(count.const, int) or not 1 <= count.const <= 4:
        raise Unread(node, Code.FORM, "the number of dimensions is no constant", "write the number, up to 4")
    return tuple_of([_numbers(reader, node, values[0])] * count.const)


# Elements that are left out ------------------------------------------------------------------------------------------------------


@instead("delete")
def _delete(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options, ("axis",))
    if len(node.args) < 2 or len(values) < 2:
        raise Unread(node, Code.FORM, "what `delete` leaves out is no array of indices", "write slices, and concatenate them")
    value = reader.as_array(node, values[0])
    axes = axis_of(node, value, values[2] if len(values) > 2 else options.get("axis"))
    if axes is None:
        value, axes = ravel(reader, node, value) if value.rank > 1 else value, (0,)
    if len(axes) != 1 or len(value.axes) != value.rank:
        raise Unread(node, Code.SHAPE, "`delete` in a dimension of size 1", "")
    value, (axis,) = bound(reader, value), axes
    places = values[1] if values[1].items is None else reader.as_array(node, values[1])
    size = reader.size_value(value, axis)
    if places.dtype == "bool":
        raise Unread(node, Code.TYPE, "`delete` by truth values", "write `a[~mask]`")
    if places.dtype not in INTS or places.rank > 1:
        raise Unread(node, Code.TYPE, "what `delete` leaves out is no vector of indices", "write slices, and concatenate them")
    if places.scalar and axis == 0:
        return _without_one(reader, value, places, size)
    given = f"[{places.text}]" if places.scalar else f"({places.text})"
    if places.dtype != "i64":
        given = f"(map i64.{places.dtype} {given})"
    name = reader.context.short("kept")
    reader.context.pending.append(f"let {name} = {reader.context.helper('kept_by_deletion')} {size.argument} {given}")
    mask = Value(name, ATOM, "bool", (value.shape[axis],))
    return reader.element(node, value, [mask if k == axis else ast.Slice() for k in range(value.rank)])


def _without_one(reader: Expressions, value: Value, place: Value, size: Value) -> Value:
    """An array without one element, row, ..: its size is one less."""
    context = reader.context
    if place.const is None or place.const < 0:
        written = bound(reader, place) if place.const is None else Value(f"({place.const})", ATOM, "i64")
        at = context.short("size")
        number = written.text if place.dtype in ("i64",) or place.const is not None else f"i64.{place.dtype} {written.argument}"
        context.pending.append(f"let {at} = let i = {number} in if i < 0 then i + {size.argument} else i")
    else:
        at = str(place.const)
    context.pending.append(f'let _ = assert ({at} >= 0 && {at} < {size.argument}) "an index of `delete` is out of bounds"')
    left = value.shape[0] - 1
    text = f"{value.argument}[:{at}] ++ {value.argument}[{at} + 1:]"
    if not left.known:
        return Value(f"({text})", ATOM, value.dtype, (unknown_size(), *value.shape[1:]))
    made = Value("", ATOM, value.dtype, (left, *value.shape[1:]))
    return Value(f"({text} :> {type_text(made)})", ATOM, value.dtype, made.shape)


