"""How functions are entered into the tables, and what most of them ask of their arguments."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from .calls import Call, TABLE
from .diagnostics import Code, Unread
from .functions import joined_sizes
from .operators import named_size, sized
from .values import FLOATS, INTS, Value

if TYPE_CHECKING:
    from .expressions import Expressions


def also(*names: str) -> Callable[[Call], Call]:
    """A function that is read by the one that follows, where the other tables do not have it."""

    def put(function: Call) -> Call:
        for name in names:
            TABLE.setdefault(name, function)
        return function

    return put


def instead(*names: str) -> Callable[[Call], Call]:
    """A function that is read by the one that follows, whatever the other tables say."""

    def put(function: Call) -> Call:
        for name in names:
            TABLE[name] = function
        return function

    return put


def full(node: ast.AST, value: Value, *ranks: int) -> Value:
    """The array, if it has one of these numbers of dimensions, none of which is 1 for certain."""
    if value.items is not None or value.rank not in ranks or len(value.axes) != value.rank:
        raise Unread(node, Code.SHAPE, "this is not read for arrays of such a shape", f"it is for {' or '.join(map(str, ranks))} dimensions that are not of size 1")
    return value


def floating(reader: Expressions, node: ast.AST, value: Value) -> Value:
    """The value as f64 or f32."""
    if value.dtype not in FLOATS | INTS | {"bool"} and value.items is None:
        raise Unread(node, Code.TYPE, f"this is not read for {value.dtype}", "")
    return reader.as_float(node, value)


def square(reader: Expressions, node: ast.AST, value: Value) -> Value:
    """A square matrix: its sizes are made one, or looked at when the program runs."""
    full(node, value, 2)
    if value.shape[0] != value.shape[1]:
        size, check = joined_sizes(reader, node, *value.shape)
        if check and not size.known:
            raise Unread(node, Code.SHAPE, "a matrix that is not known to be square", "")
        for axis in (0, 1):
            if value.shape[axis] != size:
                value = sized(reader.context, node, value, axis, size)
    return value


def same_size(reader: Expressions, node: ast.AST, one: Value, other: Value) -> tuple[Value, Value]:
    """Two vectors whose sizes are made one, or looked at when the program runs."""
    size, check = joined_sizes(reader, node, one.shape[0], other.shape[0])
    if check and not size.known:
        one = named_size(reader.context, one, 0)
        size = one.shape[0]
    made = [each if each.shape[0] == size else sized(reader.context, node, each, 0, size) for each in (one, other)]
    return made[0], made[1]
