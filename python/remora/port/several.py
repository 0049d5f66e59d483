"""Functions of NumPy with several results, weights, sets of numbers, products over named dimensions."""

from __future__ import annotations

import ast
import string
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from .shapes import bound, in_brackets, named, one_type, permuted
from .tables import floating, full, instead, same_size
from .calls import TABLE, axis_of, cast, moved_last, ravel, reduction, refuse_options, strong
from .functions import joined_sizes
from .context import HELPERS
from .diagnostics import Code, Unread
from .grids import Plain, extended, text_of, tuple_of
from .operators import applied, binary, compare, elementwise, sized, unknown_size
from .sizes import ONE, Size
from .values import APPLY, ATOM, DTYPES, FLOATS, INTS, NUMPY, Value, convert, literal

if TYPE_CHECKING:
    from .expressions import Expressions


for _name in ("bincount", "unique", "convolve"):
    TABLE[f"plain.{_name}"] = TABLE[_name]


@instead("average")
def _average(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options, ("axis", "weights"))
    weights = values[2] if len(values) > 2 else options.get("weights")
    given = {"axis": values[1]} if len(values) > 1 else {key: value for key, value in options.items() if key == "axis"}
    value = reader.as_array(node, values[0])
    if weights is None or weights.text == "None":
        return reduction(reader, node, "mean", value, [], given)
    weights = floating(reader, node, reader.as_array(node, weights))
    if value.rank != 1 or weights.rank != 1 or value.dtype in ("c64", "c128") or weights.dtype != "f64":
        raise Unread(node, Code.SHAPE, "`average` with these weights is not read", "write the sums")
    weights = bound(reader, weights)
    total = reduction(reader, node, "sum", binary(reader.context, node, ast.Mult, value, weights), [], {})
    return elementwise(reader.context, node, [total, reduction(reader, node, "sum", weights, [], {})], applied(reader.context.helper("divided")), "f64")


@instead("array_equal")
def _array_equal(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options)
    a, b = (reader.as_array(node, value) for value in values)
    if a.rank != b.rank:
        return literal(False)
    if a.rank == 1 and len(a.axes) == len(b.axes) == 1 and a.shape != b.shape:
        (a, b), _ = one_type(reader, node, [a, b])
        return Value(f"{reader.context.helper('same_elements')} (==) {a.argument} {b.argument}", APPLY, "bool", weak=True)
    if a.shape != b.shape:
        raise Unread(node, Code.SHAPE, "arrays whose sizes may differ", "compare the sizes first")
    same = compare(reader.context, node, ast.Eq, a, b)
    return replace(reduction(reader, node, "all", same, [], {}) if same.rank else same, weak=True)


@extended("bincount")
def _bincount(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options, ("minlength", "weights"))
    weights = values[1] if len(values) > 1 else options.get("weights")
    values = [reader.as_array(node, values[0])]
    if weights is None:
        return TABLE["plain.bincount"](reader, node, values, options)
    weights = convert(floating(reader, node, reader.as_array(node, weights)), "f64")
    xs, weights = same_size(reader, node, convert(full(node, values[0], 1), "i64"), full(node, weights, 1))
    least = options.get("minlength", literal(0))
    if values[0].dtype not in INTS - {"u64"} or not least.scalar or least.dtype != "i64":
        raise Unread(node, Code.TYPE, f"`bincount` of {values[0].dtype} is not read", "of integers")
    reader.context.library("bincount_weighted")
    least_text = least.argument if reader.known_nonnegative(least) else f"(i64.max 0 {least.argument})"
    return Value(f"{reader.context.helper('weighed')} {least_text} {weights.argument} {xs.argument}", APPLY, "f64", (unknown_size(),))


def unique_of_vector(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    """`np.unique` of a vector, with counts and places."""
    refuse_options(node, options, ("return_counts", "return_index", "return_inverse"))
    chosen = [key for key, value in options.items() if value.const]
    if not chosen:
        return TABLE["plain.unique"](reader, node, [reader.as_array(node, values[0])], {})
    context = reader.context
    value = ravel(reader, node, full(node, reader.as_array(node, values[0]), 1))
    if value.dtype not in FLOATS | INTS or len(values) > 1:
        raise Unread(node, Code.TYPE, f"`unique` of {value.dtype} is not read", "")
    value = bound(reader, value)
    size, first, counts = context.short("size"), context.short(), context.short()
    context.stable.add(size)
    context.pending.append(f"let [{size}] ({first}: [{size}]{value.dtype}, {counts}: [{size}]i64) = {context.library('unique_counts', value.dtype)} {value.argument}")
    shape = (Size.name(size),)
    found = [Value(first, ATOM, value.dtype, shape)]
    if "return_index" in chosen:
        found.append(Value(f"sized {size} ({context.library('unique_index', value.dtype)} {value.argument})", APPLY, "i64", shape))
    if "return_inverse" in chosen:
        found.append(Value(f"{context.library('unique_inverse', value.dtype)} {value.argument}", APPLY, "i64", value.shape))
    if "return_counts" in chosen:
        found.append(Value(counts, ATOM, "i64", shape))
    return tuple_of(found)


@instead("intersect1d", "union1d", "setdiff1d", "setxor1d")
def _sets(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options)
    parts = [full(node, reader.as_array(node, value), 1) for value in values]
    (a, b), dtype = one_type(reader, node, parts)
    if dtype != parts[0].dtype and reader.called(node) is np.setdiff1d:
        raise Unread(node, Code.TYPE, f"`setdiff1d` of {parts[0].dtype} and {parts[1].dtype} is not read", "give both the same type with `astype`")
    if dtype not in FLOATS | INTS:
        raise Unread(node, Code.TYPE, f"a set of {dtype} is not read", "")
    return Value(f"{reader.context.library(reader.called(node).__name__, dtype)} {a.argument} {b.argument}", APPLY, dtype, (unknown_size(),))


@instead("isin")
def _isin(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options)
    (x, known), dtype = one_type(reader, node, [reader.as_array(node, value) for value in values])
    if dtype not in FLOATS | INTS or len(full(node, known, 1).axes) != 1:
        raise Unread(node, Code.TYPE, f"`isin` of {dtype} is not read", "")
    known = bound(reader, known)
    return elementwise(reader.context, node, [x], applied(f"{reader.context.library('isin', dtype)} {known.argument}"), "bool")


@instead("take", "method.take")
def _take(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options, ("axis",))
    given = values[2] if len(values) > 2 else options.get("axis")
    axes = axis_of(node, values[0], given)
    value = values[0] if axes is not None or values[0].rank == 1 else ravel(reader, node, values[0])
    index = reader.as_array(node, values[1])
    parts = [ast.Slice() for _ in range(value.rank)]
    parts[axes[0] if axes else 0] = index  # type: ignore[call-overload]
    return replace(reader.element(node, value, parts), memory=frozenset())


@extended("atleast_2d")
def _atleast_2d(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options)
    arrays = [reader.as_array(node, value) for value in values]
    made = [value if value.rank > 1 else replace(value, shape=(*[ONE] * (2 - value.rank), *value.shape), weak=False) for value in arrays]
    return made[0] if len(made) == 1 else tuple_of(made)


# Statistics ----------------------------------------------------------------------------------------------------------------------


@instead("histogram")
def _histogram(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options, ("bins", "range", "weights", "density"))
    context = reader.context
    xs = ravel(reader, node, convert(floating(reader, node, reader.as_array(node, values[0])), "f64"))
    bins = values[1] if len(values) > 1 else options.get("bins", literal(10))
    limits = values[2] if len(values) > 2 else options.get("range")
    weights, density = options.get("weights"), options.get("density")
    if bins.rank == 1 and weights is None and limits is None and density is None:
        edges = bound(reader, convert(floating(reader, node, bins), "f64"))
        text = f"{context.library('histogram_between')} {edges.argument} {xs.argument}"
        if not context.assume(edges.shape[0] - 1, "a histogram of no bins"):
            raise Unread(node, Code.SHAPE, "a histogram of what may have no bins", "")
        return tuple_of([Value(text, APPLY, "i64", (edges.shape[0] - 1,)), strong(bins)])
    if not bins.scalar or bins.dtype not in INTS or density is not None and density.const is not False:
        raise Unread(node, Code.FORM, "`histogram` with these arguments is not read", "with a number of bins")
    if values[0].dtype == "f32":
        raise Unread(node, Code.TYPE, "`histogram` of f32 with a number of bins is not read", "convert the array to float64")
    if weights is not None and weights.dtype != "f64":
        raise Unread(node, Code.TYPE, f"`histogram` with weights of {weights.dtype} is not read", "convert the weights to float64")
    xs = bound(reader, xs)
    if limits is None:
        low, high = context.short(), context.short()
        context.pending.append(f"let ({low}, {high}) = {context.helper('bins_from')} {xs.argument}")
    elif limits.items is not None and len(limits.items) == 2:
        low, high = (convert(each, "f64").argument for each in limits.items)
    else:
        raise Unread(node, Code.FORM, "this range of a histogram is not read", "write two numbers")
    count = reader.size_of(bins)
    number = f"{convert(bins, 'i64').argument}"
    if not count.known or bins.const is None and not bins.text.isidentifier():
        own = context.short("size")
        context.stable.add(own)
        context.pending.append(f"let {own} = {convert(bins, 'i64').text}")
        count, number = Size.name(own), own
    edges = Value(f"{context.library('histogram_bin_edges')} {number} {low} {high}", APPLY, "f64", (count + 1,))
    if weights is None:
        return tuple_of([Value(f"{context.library('histogram')} {number} {low} {high} {xs.argument}", APPLY, "i64", (count,)), edges])
    xs, weights = same_size(reader, node, xs, convert(floating(reader, node, full(node, weights, 1)), "f64"))
    return tuple_of([Value(f"{context.library('histogram_weighted')} {number} {low} {high} {weights.argument} {xs.argument}", APPLY, "f64", (count,)), edges])


@instead("cov", "corrcoef")
def _covariances(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options, ("rowvar",))
    rows = options.get("rowvar", literal(True))
    arrays = [convert(floating(reader, node, reader.as_array(node, value)), "f64") for value in values]
    if not isinstance(rows.const, bool) or len(arrays) > 2:
        raise Unread(node, Code.FORM, "this is not read with these arguments", "")
    if len(arrays) == 2:
        one, other = same_size(reader, node, full(node, arrays[0], 1), full(node, arrays[1], 1))
        value = reader.as_array(node, tuple_of([one, other]))
    elif arrays[0].rank == 1:
        from .others import said

        # Of one variable it is a number.
        variance = said(reader, node, "np.var(x, ddof=1)", x=arrays[0])
        return variance if reader.called(node) is np.cov else said(reader, node, "c / c", c=variance)
    else:
        value = full(node, arrays[0], 2)
        value = value if rows.const else permuted(node, value, [1, 0])
    return Value(f"{reader.context.library(reader.called(node).__name__)} {value.argument}", APPLY, "f64", (value.shape[0], value.shape[0]))


@extended("percentile", "quantile", "nanpercentile", "nanquantile")
def _percentiles(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options, ("axis", "q"))
    values = [values[0], values[1] if len(values) > 1 else options["q"]]
    name, context = reader.called(node).__name__, reader.context
    if values[0].dtype == "bool":
        raise Unread(node, Code.TYPE, f"NumPy has no `{name}` of truth values", "convert them: `astype(np.int64)`")
    value = floating(reader, node, reader.as_array(node, values[0]))
    axes = axis_of(node, value, options.get("axis"))
    wanted = reader.as_array(node, values[1])
    if value.dtype == "f32" and not (wanted.scalar and wanted.weak):
        raise Unread(node, Code.TYPE, f"`{name}` of f32 with such percentages is not read", "give one number, or convert the array to float64")
    without_nans = name.startswith("nan")
    if wanted.scalar and axes is None and value.rank == 1 and not without_nans:
        raise Plain
    if axes is not None and (len(axes) > 1 or axes[0] not in value.axes):
        raise Unread(node, Code.SHAPE, f"`{name}` over several dimensions, or one of size 1", "reshape the array first")
    rows = ravel(reader, node, value) if axes is None else moved_last(value, value.axes.index(axes[0]), len(value.axes) - 1)
    sizes = [value.shape[k] for k in (range(value.rank) if axes is None else axes)]
    if not value.axes:
        raise Unread(node, Code.SHAPE, f"`{name}` of dimensions of size 1", "index the array first")
    if not without_nans and not all([context.assume(size - 1, f"`{name}` of no elements is an error") for size in sizes]):
        if rows.rank != 1:
            raise Unread(node, Code.SHAPE, f"`{name}` of what may have no elements", "give the sizes names first: `n = len(x)`")
        rows = replace(rows, text=f"{context.helper('nonempty')} {rows.argument}", prec=APPLY)
    rows = bound(reader, rows)
    shape = () if axes is None else tuple(size for k, size in enumerate(value.shape) if k not in axes)
    function = context.library(name, value.dtype)
    if wanted.scalar:
        return Value(f"{function} {convert(wanted, value.dtype).argument} {rows.argument}", APPLY, value.dtype, shape)
    own = context.short()
    context.names.discard(own)
    wanted = elementwise(context, node, [full(node, wanted, 1)], lambda v: (convert(v[0], value.dtype).text, APPLY), value.dtype) if wanted.dtype != value.dtype else wanted
    return Value(f"map (\\{own} -> {function} {own} {rows.argument}) {wanted.argument}", APPLY, value.dtype, (*wanted.shape, *shape))


# Products and polynomials --------------------------------------------------------------------------------------------------------


@instead("tensordot")
def _tensordot(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options, ("axes",))
    a, b = values[:2]
    given = values[2] if len(values) > 2 else options.get("axes", literal(2))
    if isinstance(given.const, int):
        pairs = [(a.rank - given.const + k, k) for k in range(given.const)]
    elif given.items is not None and len(given.items) == 2:
        sides = [[item.const for item in (side.items if side.items is not None else (side,))] for side in given.items]
        pairs = [(one % a.rank, other % b.rank) for one, other in zip(*sides)]
    else:
        raise Unread(node, Code.FORM, "`axes` is no constant", "")
    letters = iter(string.ascii_letters)
    first = [next(letters) for _ in range(a.rank)]
    second = [next(letters) for _ in range(b.rank)]
    for one, other in pairs:
        second[other] = first[one]
    shared = {first[one] for one, _ in pairs}
    output = [letter for letter in [*first, *second] if letter not in shared]
    text = f"{''.join(first)},{''.join(second)}->{''.join(output)}"
    return TABLE["einsum"](reader, node, [Value(repr(text), ATOM, "text", function=text), a, b], {})


@instead("cross")
def _cross(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options)
    three = Size.of(3)
    arrays, dtype = one_type(reader, node, [full(node, reader.as_array(node, value), 1) for value in values])
    for k, value in enumerate(arrays):
        size, check = joined_sizes(reader, node, three, value.shape[0])
        arrays[k] = sized(reader.context, node, value, 0, three) if check else value
    return Value(f"{reader.context.library('cross', dtype)} {arrays[0].argument} {arrays[1].argument}", APPLY, dtype, (three,))


@instead("polyval")
def _polyval(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options)
    (p, x), dtype = one_type(reader, node, [strong(reader.as_array(node, value)) for value in values])
    p = bound(reader, full(node, p, 1))
    return strong(elementwise(reader.context, node, [x], applied(f"{reader.context.library('polyval', dtype)} {p.argument}"), dtype))


@instead("gradient")
def _gradient(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options)
    if values[0].dtype not in INTS | FLOATS:
        raise Unread(node, Code.TYPE, f"`gradient` of {values[0].dtype} is not read", "convert the array to float64")
    y = floating(reader, node, full(node, values[0], 1))
    if not reader.context.assume(y.shape[0] - 2, "`gradient` of fewer than two elements is an error"):
        raise Unread(node, Code.SHAPE, "`gradient` of what may have fewer than two elements", "")
    h = values[1] if len(values) > 1 else literal(1.0)
    if h.scalar:
        return Value(f"{reader.context.library('gradient', y.dtype)} {convert(h, y.dtype).argument} {y.argument}", APPLY, y.dtype, y.shape)
    if y.dtype != "f64":
        raise Unread(node, Code.TYPE, f"`gradient` of {y.dtype} with places", "convert the array to float64")
    h = elementwise(reader.context, node, [h], lambda v: (convert(v[0], "f64").text, APPLY), "f64") if h.dtype != "f64" else h
    h, y = same_size(reader, node, full(node, h, 1), y)
    return Value(f"{reader.context.library('gradient_at')} {h.argument} {y.argument}", APPLY, "f64", y.shape)


HELPERS["overlapping"] = (
    "-- | The part of a full convolution of n and m elements where the shorter one lies inside of the longer one.\n"
    "def overlapping 't (n: i64) (m: i64) (xs: []t) : *[]t = copy xs[i64.min n m - 1:i64.max n m]"
)
HELPERS["centred"] = (
    "-- | The part of a full convolution of n and m elements that is as long as the longer one, from the middle.\n"
    "def centred 't (n: i64) (m: i64) (xs: []t) : *[]t =\n"
    "  let start = (i64.min n m - 1) / 2\n"
    "  in copy xs[start:start + i64.max n m]"
)
HELPERS["centred_correlation"] = (
    "-- | The part of a full correlation of n and m elements that is as long as the longer one, from the middle as seen from the longer one.\n"
    "def centred_correlation 't (n: i64) (m: i64) (xs: []t) : *[]t =\n"
    "  let start = if n >= m then (m - 1) / 2 else n / 2\n"
    "  in copy xs[start:start + i64.max n m]"
)


@extended("convolve", "correlate")
def _convolve(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options, ("mode",))
    correlates = reader.called(node).__name__ == "correlate"
    mode = text_of(values[2] if len(values) > 2 else options.get("mode"), "valid" if correlates else "full")
    arrays = [full(node, reader.as_array(node, value), 1) for value in values[:2]]
    if mode not in ("full", "same", "valid") or {value.dtype for value in arrays} & {"c64", "c128"}:
        raise Unread(node, Code.NAME, "this mode is not read", "full, same and valid are")
    arrays = [bound(reader, value) for value in arrays]
    if correlates:
        arrays[1] = replace(arrays[1], text=f"reverse {arrays[1].argument}", prec=APPLY)
    whole = TABLE["plain.convolve"](reader, node, arrays, {})
    if mode == "full":
        return whole
    helper = "overlapping" if mode == "valid" else "centred_correlation" if correlates else "centred"
    n, m = (reader.size_value(value, 0).argument for value in arrays)
    return Value(f"{reader.context.helper(helper)} {n} {m} {whole.argument}", APPLY, whole.dtype, (unknown_size(),))


@instead("vander")
def _vander(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options, ("N", "increasing"))
    x = full(node, reader.as_array(node, values[0]), 1)
    wide = DTYPES.get(str(np.promote_types(NUMPY[x.dtype], np.int64)), "")
    if wide != x.dtype:
        x = cast(reader, node, x, NUMPY[wide].type)
    count = values[1] if len(values) > 1 else options.get("N", reader.size_value(x, 0))
    rising = options.get("increasing", literal(False))
    size = named(reader, node, count)
    function = reader.context.library("vander_increasing" if rising.const else "vander", x.dtype)
    return Value(f"{function} {in_brackets(size.text())} {x.argument}", APPLY, x.dtype, (x.shape[0], size))
