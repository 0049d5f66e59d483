"""More functions of NumPy, most of them said with others: quotients and remainders, divisors, parts, blocks, bins, NaNs, powers of matrices."""

from __future__ import annotations

import ast
import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from . import arrays
from .calls import TABLE, Call, axis_of, ravel, refuse_options, strong, under
from .diagnostics import Code, Unread
from .grids import tuple_of
from .operators import applied, binary, elementwise, fitted
from .others import bound, said
from .shapes import permuted
from .sizes import ONE, Size
from .tables import full, instead
from .values import APPLY, ATOM, FLOATS, INTS, Value, bound_text, convert, literal, result_dtype

if TYPE_CHECKING:
    from .expressions import Expressions


# Whole numbers -------------------------------------------------------------------------------------------------------------------


def divided(reader: Expressions, node: ast.AST, values: list[Value], numpy: bool) -> Value:
    """`divmod(x, y)`."""
    if len(values) != 2 or any(value.items is not None for value in values):
        raise Unread(node, Code.FORM, "`divmod` with these arguments is not read", "of two numbers or arrays")
    if numpy and all(value.weak for value in values):
        values = [strong(value) if value.const is None else replace(value, text=bound_text(value), weak=False, const=None) for value in values]
    one, other = (bound(reader, value) for value in values)
    found = [binary(reader.context, node, op, one, other) for op in (ast.FloorDiv, ast.Mod)]
    return tuple_of([strong(each) for each in found] if numpy else found)


@instead("divmod")
def _divmod(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options)
    return divided(reader, node, values, True)


@instead("gcd", "lcm")
def _divisor(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options)
    name = reader.called(node).__name__
    wanted, dtype = result_dtype(getattr(np, name), values)
    if dtype not in INTS:
        raise Unread(node, Code.TYPE, f"`{name}` of {dtype} is not read", "of integers")
    two = [fitted(reader.context, node, value, want) for value, want in zip(values, wanted)]
    return strong(elementwise(reader.context, node, two, applied(reader.context.library(name, dtype)), dtype))


def whole_function(reader: Expressions, node: ast.AST, function: Any, values: list[Value]) -> Value | None:
    """`math.gcd` and `math.lcm`; None for other functions."""
    if function not in (math.gcd, math.lcm) or len(values) != 2:
        return None
    if any(value.dtype not in INTS - {"u64"} or value.rank or not value.scalar for value in values):
        raise Unread(node, Code.TYPE, f"`math.{function.__name__}` of what is no integer", "NumPy's are for arrays: `np.gcd`")
    two = [convert(value, "i64") for value in values]
    return replace(elementwise(reader.context, node, two, applied(reader.context.library(function.__name__, "i64")), "i64"), weak=True)


# Parts and blocks ----------------------------------------------------------------------------------------------------------------

_first_split: Call = TABLE["split"]


@instead("split", "hsplit", "vsplit", "array_split")
def _split(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    """Parts that end at given places, or as many parts as a constant says."""
    refuse_options(node, options, ("axis",))
    name, x = reader.called(node).__name__, reader.as_array(node, values[0])
    given = values[1]
    if given.items is None and given.const is not None and name != "array_split":
        return _first_split(reader, node, [x, given], options)
    axis = options.get("axis", literal(1 if name == "hsplit" and x.rank > 1 else 0)).const
    if not isinstance(axis, int) or x.rank not in (1, 2) or not -x.rank <= axis < x.rank:
        raise Unread(node, Code.FORM, f"`{name}` with these arguments is not read", "slice the array: `x[:k]`, `x[k:]`")
    x = bound(reader, x)
    if given.items is not None and all(each.scalar and not each.rank and each.dtype in INTS for each in given.items):
        places: list[Value | None] = [None, *(bound(reader, each) for each in given.items), None]
    elif isinstance(given.const, int) and 0 < given.const <= 16:
        size, count = bound(reader, reader.size_value(x, axis)), literal(given.const)
        inner = [bound(reader, said(reader, node, "j * (n // k) + min(j, n % k)", j=literal(j), n=size, k=count)) for j in range(1, given.const)]
        places = [None, *inner, None]
    else:
        raise Unread(node, Code.FORM, f"`{name}` with these arguments is not read", "with a constant number of parts, or a list of places")
    parts = []
    for low, high in zip(places, places[1:]):
        ends = {key: value for key, value in (("a", low), ("b", high)) if value is not None}
        index = f"{'a' if low is not None else ''}:{'b' if high is not None else ''}"
        parts.append(said(reader, node, f"x[:, {index}]" if axis % x.rank == 1 else f"x[{index}]", x=x, **ends))
    return Value("", ATOM, "list", items=tuple(parts))


@instead("block")
def _block(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options)
    (given,) = values
    if given.items is None:
        return replace(given, memory=frozenset())
    nested = any(each.items is not None for each in given.items)
    rows = [list(each.items or ()) for each in given.items] if nested else [list(given.items)]
    if any(each.items is not None or not each.rank or each.rank > 2 for row in rows for each in row):
        raise Unread(node, Code.FORM, "these blocks are not read", "of vectors and matrices: `[[a, b], [c, d]]`")
    flat = not nested and all(each.rank == 1 for row in rows for each in row)
    made = []
    for row in rows:
        parts = [each if flat or each.rank == 2 else replace(each, shape=(ONE, *each.shape)) for each in row]
        names = {f"x{k}": part for k, part in enumerate(parts)}
        made.append(said(reader, node, f"np.concatenate(({', '.join(names)},), axis={0 if flat else 1})", **names))
    names = {f"x{k}": part for k, part in enumerate(made)}
    return made[0] if len(made) == 1 else said(reader, node, f"np.concatenate(({', '.join(names)},), axis=0)", **names)


@instead("insert")
def _insert(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options)
    x, at, new = reader.as_array(node, values[0]), *values[1:]
    if x.rank != 1 or at.rank or at.items is not None or at.dtype not in INTS or new.rank or new.items is not None:
        raise Unread(node, Code.FORM, "`insert` with these arguments is not read", "of one number into a vector; concatenate the parts: `np.concatenate((x[:k], new, x[k:]))`")
    if new.dtype != x.dtype and not (new.weak and new.const is not None and x.dtype in FLOATS):
        if not (new.weak and new.dtype == "i64" and x.dtype in INTS):
            raise Unread(node, Code.TYPE, f"`insert` of {new.dtype} into {x.dtype}", "convert the number: NumPy makes it one of the array's type")
    element = replace(fitted(reader.context, node, new, x.dtype), weak=False)
    row = Value(f"[{bound_text(element)}]", ATOM, x.dtype, (Size.of(1),))
    x, at = bound(reader, x), bound(reader, at)
    if at.const == 0:
        return said(reader, node, "np.concatenate((v, x))", x=x, v=row)
    size = reader.size_value(x, 0)
    inside = Value(f"{bound_text(at)} <= {size.text} && {bound_text(at)} >= -{size.argument}", 3, "bool")
    reader.context.pending.append(f'let _ = assert ({inside.text}) "an insertion outside of the array"')
    return said(reader, node, "np.concatenate((x[:k], v, x[k:]))", x=x, k=at, v=row)


_first_append: Call = TABLE["append"]


@instead("append")
def _append(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options, ("axis",))
    if "axis" not in options:
        return _first_append(reader, node, values, {})
    names = {f"x{k}": reader.as_array(node, value) for k, value in enumerate(values)}
    return said(reader, node, "np.concatenate((x0, x1), axis=axis)", axis=options["axis"], **names)


_first_roll: Call = TABLE["roll"]


@instead("roll")
def _roll(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    """Of several axes, one after the other; of all elements, in the order in which they lie."""
    refuse_options(node, options, ("axis",))
    x, shift = reader.as_array(node, values[0]), values[1]
    axis = options.get("axis")
    if axis is None and x.rank > 1 and shift.scalar and len(x.axes) == x.rank:
        flat = _first_roll(reader, node, [ravel(reader, node, x), shift], {})
        return TABLE["reshape"](reader, node, [flat, tuple_of([reader.size_value(x, k) for k in range(x.rank)])], {})
    shifts = list(shift.items) if shift.items is not None else [shift]
    axes = list(axis.items) if axis is not None and axis.items is not None else [axis]
    if len(shifts) == len(axes) == 1 and axis is not None and axes[0] is not None and x.rank == 3:
        place = axis_of(node, x, axes[0])
        if place == (1,):
            order = [0, 2, 1]
            return permuted(node, _first_roll(reader, node, [permuted(node, x, order), shifts[0]], {"axis": literal(2)}), order)
    if axis is None and len(shifts) > 1 and x.rank == 1:
        axes = [literal(0)]
    if len(shifts) != len(axes) and 1 not in (len(shifts), len(axes)):
        raise Unread(node, Code.SHAPE, "other numbers of places and axes", "NumPy raises an error, too")
    count = max(len(shifts), len(axes))
    for one, along in zip(shifts * (count if len(shifts) == 1 else 1), axes * (count if len(axes) == 1 else 1)):
        x = _first_roll(reader, node, [x, one], {} if along is None else {"axis": along})
    return x


# Bins and places -----------------------------------------------------------------------------------------------------------------


@instead("digitize")
def _digitize(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options, ("right",))
    right = options.get("right", literal(False)).const
    if not isinstance(right, bool):
        raise Unread(node, Code.FORM, "`right` is no constant", "write True or False")
    x, bins = (reader.as_array(node, value) for value in values)
    _, dtype = result_dtype(np.add, [strong(x), strong(bins)])
    if dtype not in FLOATS | INTS or full(node, bins, 1).dtype not in FLOATS | INTS:
        raise Unread(node, Code.TYPE, f"`digitize` of {dtype} is not read", "")
    x, bins = convert(x, dtype), bound(reader, convert(bins, dtype))
    function = reader.context.library("digitize_right" if right else "digitize", dtype)
    test = f"and (map2 (<=) (init {bins.argument}) (tail {bins.argument})) || and (map2 (>=) (init {bins.argument}) (tail {bins.argument}))"
    if reader.context.assume(bins.shape[0] - 1, "bins without bounds"):
        reader.context.pending.append(f'let _ = assert ({test}) "bounds of bins that neither ascend nor descend"')
    return strong(elementwise(reader.context, node, [x], applied(f"{function} {bins.argument}"), "i64"))


_first_searchsorted: Call = TABLE["searchsorted"]


@instead("searchsorted")
def _searchsorted(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options, ("side", "sorter"))
    plain = {key: value for key, value in options.items() if key != "sorter"}
    if "sorter" in options:
        values = [said(reader, node, "x[order]", x=reader.as_array(node, values[0]), order=options["sorter"]), values[1]]
    return _first_searchsorted(reader, node, values, plain)


_first_interp: Call = TABLE["interp"]


@instead("interp")
def _interp(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options, ("left", "right"))
    if not options:
        return _first_interp(reader, node, values, {})
    if any(value.rank or value.items is not None for value in options.values()):
        raise Unread(node, Code.TYPE, "`left` and `right` are numbers", "")
    x, xp, fp = (bound(reader, reader.as_array(node, value)) for value in values)
    inside = _first_interp(reader, node, [x, xp, fp], {})
    left, right = options.get("left"), options.get("right")
    text = "y" if right is None else "np.where(x > xp[-1], right, y)"
    text = text if left is None else f"np.where(x < xp[0], left, {text})"
    made = said(reader, node, text, x=x, xp=xp, y=bound(reader, inside), **{key: convert(value, "f64") for key, value in options.items()})
    return strong(made)


_first_histogram: Call = TABLE["histogram"]


@instead("histogram")
def _histogram(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    density = options.get("density", literal(False)).const
    if not isinstance(density, bool):
        raise Unread(node, Code.FORM, "`density` is no constant", "write True or False")
    given = {key: reader.as_array(node, value) if key == "bins" else value for key, value in options.items() if key != "density"}
    found = _first_histogram(reader, node, values, given)
    if not density:
        return found
    counts, edges = (bound(reader, each) for each in found.items or ())
    return tuple_of([said(reader, node, "h / np.diff(e) / h.sum()", h=counts, e=edges), edges])


# NaNs ----------------------------------------------------------------------------------------------------------------------------

_nan_reduction: Call = TABLE["nansum"]


@instead(*arrays.NAN_REDUCTIONS)
def _without_nans(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options, ("axis", "keepdims"))
    keep = options.get("keepdims", literal(False)).const
    if not isinstance(keep, bool):
        raise Unread(node, Code.FORM, "`keepdims` is no constant", "write True or False")
    x = reader.as_array(node, values[0])
    axes = axis_of(node, x, options.get("axis"))
    made = _nan_reduction(reader, node, [x], {key: value for key, value in options.items() if key == "axis"})
    if not keep:
        return made
    return replace(made, shape=tuple(ONE if axes is None or k in axes else size for k, size in enumerate(x.shape)), weak=False)


@instead("nancumsum", "nancumprod")
def _running(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options, ("axis",))
    name, x = reader.called(node).__name__, reader.as_array(node, values[0])
    axis = options.get("axis", Value("None", ATOM, "none"))
    text = "x" if x.dtype not in FLOATS else f"np.where(np.isnan(x), {0 if name == 'nancumsum' else 1}, x)"
    return said(reader, node, f"np.{name[3:]}({text}{'' if axis.dtype == 'none' else ', axis=axis'})", x=x, **({} if axis.dtype == "none" else {"axis": axis}))


_first_nan_to_num: Call = TABLE["nan_to_num"]


@instead("nan_to_num")
def _nan_to_num(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options, ("nan", "posinf", "neginf", "copy"))
    if options.get("copy", literal(True)).const is not True:
        raise Unread(node, Code.ALIAS, "`nan_to_num` that may write to its argument", "leave `copy` out")
    x = bound(reader, reader.as_array(node, values[0]))
    made = _first_nan_to_num(reader, node, [x], {})
    tests = {"nan": "np.isnan(x)", "posinf": "x == np.inf", "neginf": "x == -np.inf"}
    for key, test in tests.items():
        if key in options and x.dtype in FLOATS:
            if options[key].rank or not options[key].weak:
                raise Unread(node, Code.TYPE, f"`{key}` is no number of Python's own", "write the number")
            made = said(reader, node, f"np.where({test}, v, y)", x=x, v=options[key], y=made)
    return strong(made)


# Matrices ------------------------------------------------------------------------------------------------------------------------


@instead("linalg.multi_dot")
def _products(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options)
    factors = values[0].items or ()
    if len(values) != 1 or len(factors) < 2:
        raise Unread(node, Code.FORM, "`multi_dot` of these is not read", "of a list of at least two matrices")
    names = {f"x{k}": factor for k, factor in enumerate(factors)}
    return said(reader, node, " @ ".join(names), **names)


_first_power: Call = TABLE["linalg.matrix_power"]


@instead("linalg.matrix_power")
def _matrix_power(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options)
    x, power = reader.as_array(node, values[0]), values[1].const
    if isinstance(power, int) and power < 0:
        return _matrix_power(reader, node, [said(reader, node, "np.linalg.inv(x)", x=x), literal(-power)], {})
    if x.dtype != "i64" or not isinstance(power, int) or not 0 < power <= 1 << 16:
        return _first_power(reader, node, [x, values[1]], {})
    made: Value | None = None
    x = bound(reader, x)
    while power:
        if power & 1:
            made = x if made is None else bound(reader, said(reader, node, "y @ x", x=x, y=made))
        power >>= 1
        x = bound(reader, said(reader, node, "x @ x", x=x)) if power else x
    assert made is not None
    return replace(made, memory=frozenset())


@instead("linalg.cond")
def _condition(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options, ("p",))
    if "p" in options and options["p"].const not in (2, -2):
        raise Unread(node, Code.FORM, "`cond` in this norm is not read", "write `np.linalg.norm(x, p) * np.linalg.norm(np.linalg.inv(x), p)`")
    s = bound(reader, said(reader, node, "np.linalg.svdvals(x)", x=values[0]))
    return said(reader, node, "s[-1] / s[0]" if "p" in options and options["p"].const == -2 else "s[0] / s[-1]", s=s)


_first_diagonal, _first_trace = TABLE["diagonal"], TABLE["trace"]


@instead("diagonal", "method.diagonal", "trace")
def _diagonal(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    traced = isinstance(node.func, ast.Attribute) and node.func.attr == "trace" or reader.called(node) is np.trace
    offset = options.get("offset", literal(0))
    if offset.const == 0 or len(values) != 1:
        return (_first_trace if traced else _first_diagonal)(reader, node, values, {key: value for key, value in options.items() if key != "offset"})
    refuse_options(node, options, ("offset",))
    x = full(node, reader.as_array(node, values[0]), 2)
    if not isinstance(offset.const, int) or x.dtype not in FLOATS | INTS:
        raise Unread(node, Code.FORM, "a diagonal whose number is no constant", "write the number")
    return said(reader, node, "np.sum(np.diag(x, k))" if traced else "np.diag(x, k)", x=x, k=offset)


_first_norm: Call = TABLE["linalg.norm"]


@instead("linalg.norm")
def _norm(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    x, order = reader.as_array(node, values[0]), options.get("ord")
    if x.scalar and not x.rank and order is None and "axis" not in options:
        return said(reader, node, "np.fabs(x)", x=x)
    if order is not None and x.rank == 2 and "axis" not in options and "keepdims" not in options and (order.const in (2, -2) or order.function == "nuc"):
        s = said(reader, node, "np.linalg.svdvals(x)", x=x)
        return said(reader, node, "np.sum(s)" if order.function == "nuc" else "s[0]" if order.const == 2 else "s[-1]", s=s)
    if order is not None and order.function == "fro" and "axis" not in options and x.rank != 2:
        raise Unread(node, Code.FORM, "the norm `fro` of a vector", "NumPy raises an error, too")
    return _first_norm(reader, node, [x, *values[1:]], options)


_first_gradient: Call = TABLE["gradient"]


@instead("gradient")
def _gradient(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    """Along all axes, with a distance for each of them or one for all."""
    refuse_options(node, options, ("axis",))
    x = reader.as_array(node, values[0])
    given, steps = options.get("axis"), values[1:]
    if x.dtype not in INTS | {"f64"} and not (x.dtype == "f32" and x.rank == 1):
        raise Unread(node, Code.TYPE, f"`gradient` of {x.dtype} is not read", "convert the array to float64")
    chosen = axis_of(node, x, given) if given is None or given.items is None else tuple(axis_of(node, x, each)[0] for each in given.items)  # type: ignore[index]
    axes = tuple(range(x.rank)) if chosen is None else chosen
    if x.rank == 1:
        return _first_gradient(reader, node, [x, *steps], {})
    if len(steps) not in (0, 1, len(axes)) or any(step.rank or step.items is not None for step in steps) or x.rank > 3:
        raise Unread(node, Code.FORM, "`gradient` with these distances is not read", "with a number for each dimension")
    x = bound(reader, full(node, reader.as_float(node, x), 2, 3))
    found = []
    for k, axis in enumerate(axes):
        step = literal(1.0) if not steps else convert(steps[k if len(steps) > 1 else 0], "f64")
        if not reader.context.assume(x.shape[axis] - 2, "`gradient` of fewer than two elements is an error"):
            raise Unread(node, Code.SHAPE, "`gradient` of what may have fewer than two elements", "")
        order = [j for j in range(x.rank) if j != axis] + [axis]
        turned = permuted(node, x, order)
        function = f"{reader.context.library('gradient')} {step.argument}"
        made = Value(f"{under(function, x.rank - 1)} {turned.argument}", APPLY, "f64", turned.shape)
        found.append(permuted(node, made, [order.index(j) for j in range(x.rank)]))
    if len(found) == 1:
        return found[0]
    return tuple_of(found, type(np.gradient(np.zeros((2, 2)))).__name__)


__all__ = ["divided", "products", "searches", "selections", "several", "whole_function"]
