"""Functions of NumPy that are given functions: `apply_along_axis`, `vectorize`, `fromfunction`, `piecewise`."""

from __future__ import annotations

import ast
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any


from .calls import axis_of, cast, dtype_of, moved_last, ravel, refuse_options, strong, under
from .diagnostics import Code, Unread
from .functions import shape_of
from .grids import grid
from .operators import applied, elementwise, fitted
from .shapes import as_shape, bound, in_brackets, named, permuted
from .sizes import ONE
from .tables import full, instead
from .values import APPLY, ATOM, FLOATS, INTS, NUMPY, Value, convert, literal

if TYPE_CHECKING:
    from .expressions import Expressions


@dataclass(frozen=True)
class Vectorized:
    """What `np.vectorize(f)` gives."""

    function: Value
    kind: Any = None  # the type of its results, if it is said


def function_of(reader: Expressions, node: ast.AST, value: Value) -> Value:
    """An argument that has to be a function."""
    if value.dtype != "function":
        raise Unread(node, Code.TYPE, "this is no function that is read", "define it with `def`, or write a lambda")
    return value


@instead("apply_along_axis")
def _apply_along(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    names = ("func1d", "axis", "arr")
    given = dict(zip(names, values[:3])) | {key: options[key] for key in names if key in options}
    if set(given) != set(names):
        raise Unread(node, Code.FORM, "`apply_along_axis` with these arguments is not read", "give the function, the axis and the array")
    function, value = function_of(reader, node, given["func1d"]), reader.as_array(node, given["arr"])
    axes = axis_of(node, full(node, value, 1, 2, 3, 4), given["axis"])
    if axes is None or len(axes) != 1:
        raise Unread(node, Code.SHAPE, "`axis` is no constant", "write the number")
    (axis,) = axes
    more = {key: each for key, each in options.items() if key not in names}
    lead = [k for k in range(value.rank) if k != axis]
    for k in lead:
        if not reader.context.assume(value.shape[k] - 1, "`apply_along_axis` over no rows is an error"):
            raise Unread(node, Code.SHAPE, "`apply_along_axis` over what may be no rows", "NumPy raises an error there")
    row = Value("", ATOM, value.dtype, (value.shape[axis],))
    if not lead:
        return replace(reader.call_value(node, function, [value, *values[3:]], more), weak=False, memory=frozenset())
    name, made = reader.local_function(node, [row], lambda rows: reader.as_array(node, reader.call_value(node, function, [*rows, *values[3:]], more)))
    rows = moved_last(value, axis, value.rank - 1)
    whole = Value(f"{under(name, len(lead))} {rows.argument}", APPLY, made.dtype, (*(value.shape[k] for k in lead), *made.shape))
    order = [*range(axis), *range(len(lead), whole.rank), *range(axis, len(lead))]
    return whole if order == sorted(order) else permuted(node, whole, order)


@instead("vectorize")
def _vectorize(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options, ("otypes", "doc", "cache"))
    kinds = options.get("otypes")
    items = None if kinds is None else (kinds.items if kinds.items is not None else (kinds,))
    if len(values) != 1 or items is not None and len(items) != 1:
        raise Unread(node, Code.FORM, "`vectorize` with these arguments is not read", "of a function with one result")
    kind = None if items is None else items[0].function
    return Value("vectorize", ATOM, "function", function=Vectorized(function_of(reader, node, values[0]), kind))


def call_vectorized(reader: Expressions, node: ast.Call, function: Vectorized, values: list[Value], options: dict[str, Value]) -> Value:
    """A call of `np.vectorize(f)`: f of each element, as one of Python's own numbers."""
    refuse_options(node, options)
    arrays = []
    for value in values:
        value = reader.as_array(node, value)
        wide = "bool" if value.dtype == "bool" else "i64" if value.dtype in INTS - {"u64"} else "f64" if value.dtype in FLOATS else ""
        if not wide:
            raise Unread(node, Code.TYPE, f"`vectorize` over {value.dtype} is not read", "convert the array")
        arrays.append(value if value.dtype == wide else elementwise(reader.context, node, [value], lambda v, wide=wide: (convert(v[0], wide).text, APPLY), wide))  # type: ignore[misc]
    for value in arrays if function.kind is None else []:
        if not all([reader.context.assume(size - 1, "`vectorize` over no elements has no type") for size in value.shape if size != ONE]):
            raise Unread(node, Code.SHAPE, "`vectorize` over what may have no elements", "say the type of the results: `otypes=[float]`")
    params = [Value("", ATOM, value.dtype, weak=True) for value in arrays]
    name, made = reader.local_function(node, params, lambda numbers: reader.call_value(node, function.function, numbers, {}))
    if made.rank or made.items is not None or made.dtype not in NUMPY:
        raise Unread(node, Code.TYPE, "`vectorize` of a function whose result is no number", "write a loop")
    found = strong(elementwise(reader.context, node, arrays, applied(name), made.dtype))
    return found if function.kind is None else cast(reader, node, found, function.kind)


@instead("fromfunction")
def _fromfunction(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    kind = options.get("dtype")
    dtype = "f64" if kind is None else dtype_of(node, kind.function)
    more = {key: each for key, each in options.items() if key != "dtype"}
    if len(values) != 2:
        raise Unread(node, Code.FORM, "`fromfunction` with these arguments is not read", "give the function and the shape")
    sizes = [named(reader, node, size) for size in shape_of(reader, node, values[1])]
    axes = [bound(reader, cast(reader, node, Value(f"iota {in_brackets(size.text())}", APPLY, "i64", (size,), small=True), NUMPY[dtype].type)) for size in sizes]
    places = list(grid(reader, axes, True).items or ()) if len(axes) > 1 else axes
    return strong(reader.call_value(node, function_of(reader, node, values[0]), places, more))


@instead("piecewise")
def _piecewise(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    context, x = reader.context, bound(reader, reader.as_array(node, values[0]))
    if len(values) < 3 or values[2].items is None or x.dtype not in FLOATS | INTS or not x.rank or len(x.axes) != x.rank:
        raise Unread(node, Code.FORM, "`piecewise` with these arguments is not read", "write an array, a list of conditions and a list of functions")
    conditions = list(values[1].items) if values[1].items is not None and values[1].items[:1] and values[1].items[0].rank else [reader.as_array(node, values[1])]
    functions = list(values[2].items)
    conditions = [bound(reader, strong(reader.truth(node, each))) for each in conditions]
    if any(each.shape != x.shape for each in conditions) or not 0 <= len(functions) - len(conditions) <= 1:
        raise Unread(node, Code.SHAPE, "conditions that do not fit the array or the functions of `piecewise`", "as many functions as conditions, or one more")
    if len(functions) > len(conditions):
        rest = elementwise(context, node, conditions, lambda v: (f"!({' || '.join(each.at(3) for each in v)})", ATOM), "bool")
        conditions.append(bound(reader, rest))
    made = convert(literal(0), x.dtype)
    for condition, function in zip(conditions, functions):
        if function.dtype != "function":
            value = fitted(context, node, function, x.dtype) if function.scalar and (function.weak or function.dtype == x.dtype) else None
            if value is None or value.dtype != x.dtype:
                raise Unread(node, Code.TYPE, f"a value of `piecewise` that is no {x.dtype}", "NumPy cuts it off to the type of the array: say so")
            new = elementwise(context, node, [condition, value, made], applied(context.library("where", x.dtype)), x.dtype)
        else:
            new = _where_true(reader, node, condition, function, [x, *values[3:]], made, options)
        made = replace(bound(reader, new), shape=x.shape, weak=False)
    return made


def _where_true(reader: Expressions, node: ast.Call, condition: Value, function: Value, values: list[Value], old: Value, options: dict[str, Value]) -> Value:
    """`y[condition] = f(x[condition])`."""
    context, x = reader.context, values[0]
    flat = [bound(reader, ravel(reader, node, each) if each.rank > 1 else each) for each in (condition, x)]
    chosen = bound(reader, reader.element(node, flat[1], [flat[0]]))
    made = reader.call_value(node, function, [chosen, *values[1:]], options)
    if made.dtype != x.dtype and not (made.weak and made.dtype == "i64" and x.dtype in FLOATS):
        raise Unread(node, Code.TYPE, f"a function of `piecewise` that gives {made.dtype} for {x.dtype}", "NumPy cuts it off to the type of the array: say so")
    made = convert(made, x.dtype)
    if not made.rank:
        return elementwise(context, node, [condition, made, old], applied(context.library("where", x.dtype)), x.dtype)
    if made.rank != 1 or made.axes != (0,):
        raise Unread(node, Code.SHAPE, "a function of `piecewise` that gives another shape than it is given", "")
    count = f"({context.library('count')} {flat[0].argument})"
    zeros = Value(f"map (\\_ -> 0{x.dtype}) {flat[1].argument}", APPLY, x.dtype, flat[1].shape)
    before = zeros if not old.rank else ravel(reader, node, old) if old.rank > 1 else old
    placed = Value(f"{context.library('place', x.dtype)} {flat[0].argument} (sized {count} {made.argument}) {before.argument}", APPLY, x.dtype, flat[1].shape)
    if x.rank == 1:
        return placed
    return as_shape(node, bound(reader, placed), x)
