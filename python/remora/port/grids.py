"""Functions of NumPy that make grids, windows, histograms and borders, and others with several results or options.

They are looked for before those of `calls` and `arrays`, which read the plain forms of some.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from .shapes import bound, count_of, in_brackets, named, permuted
from .tables import full, instead
from .calls import TABLE, Call, axis_of, cast, dtype_of, ravel, refuse_options, strong, under
from .functions import filled, integers, joined_sizes, shape_of
from .context import HELPERS
from .diagnostics import Code, Unread
from .operators import applied, binary, elementwise, fitted, sized, unknown_size
from .sizes import ONE, Size
from .values import APPLY, ATOM, FLOATS, INTS, Value, bound_text, convert, literal, result_dtype, type_text

if TYPE_CHECKING:
    from .expressions import Expressions

HELPERS["same_elements"] = (
    "-- | Whether two vectors have the same length and elements.\n"
    "def same_elements 't [n][m] (same: t -> t -> bool) (xs: [n]t) (ys: [m]t) : bool =\n"
    "  if n == m then and (map2 same xs (sized n ys)) else false"
)
HELPERS["weighed"] = (
    "-- | The sums of the weights of each number, at least the first `least` of them; negative numbers are an error.\n"
    "def weighed [n] (least: i64) (ws: [n]f64) (xs: [n]i64) : *[]f64 =\n"
    '  let _ = assert (and (map (>= 0) xs)) "a negative number is counted"\n'
    "  in bincount_weighted (i64.max least (1 + i64.maximum xs)) ws xs"
)
HELPERS["bins_from"] = (
    "-- | Where the bins of a histogram begin and end if nothing is said: at the least and the largest element.\n"
    "def bins_from [n] (xs: [n]f64) : (f64, f64) =\n"
    '  let _ = assert (!(any (\\x -> f64.isnan x || f64.isinf x) xs)) "the range of a histogram is not finite"\n'
    "  in if n == 0 then (0, 1) else (f64.minimum xs, f64.maximum xs)"
)
HELPERS["steps"] = (
    "-- | The numbers of `np.arange(a, b, d)`.\n"
    "def steps (a: f64) (b: f64) (d: f64) : *[]f64 =\n"
    '  let _ = assert (d != 0) "a step of 0"\n'
    "  let delta = (a + d) - a\n"
    "  in map (\\i -> if i == 0 then a else if i == 1 then a + d else a + f64.i64 i * delta) (iota (i64.max 0 (i64.f64 (f64.ceil ((b - a) / d)))))"
)


def extended(*names: str) -> Callable[[Call], Call]:
    """A function whose plain form another one reads: that is asked where this one has nothing to say (it raises `Plain`)."""

    def put(function: Call) -> Call:
        for name in names:
            earlier = TABLE.get(name)

            def read(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value], earlier: Call | None = earlier) -> Value:
                try:
                    return function(reader, node, values, options)
                except Plain:
                    if earlier is None:
                        raise Unread(node, Code.NAME, f"`{ast.unparse(node.func)}` with these arguments is not read", "") from None
                    return earlier(reader, node, values, options)

            TABLE[name] = read
        return function

    return put


class Plain(Exception):
    """The plain form of a function, which another one reads."""


def text_of(value: Value | None, default: str) -> str:
    """A constant text among the arguments."""
    return value.function if value is not None and isinstance(value.function, str) else default


def tuple_of(items: list[Value], kind: str = "tuple") -> Value:
    """Several values."""
    return Value("", ATOM, kind, items=tuple(items))


# Grids ---------------------------------------------------------------------------------------------------------------------------


def grid(reader: Expressions, axes: list[Value], whole: bool) -> Value:
    """A tuple of arrays: each goes along one dimension; `whole` repeats it along the others."""
    found = []
    for k, axis in enumerate(axes):
        value = axis
        if not whole:
            found.append(replace(axis, shape=tuple(axis.shape[0] if j == k else ONE for j in range(len(axes))), memory=frozenset()))
            continue
        text, prec = value.text, value.prec
        # Dimensions that follow are inside of each element, those before are outside.
        if k + 1 < len(axes):
            name = reader.context.short()
            inner = name
            for other in reversed(axes[k + 1 :]):
                inner = f"(replicate {reader.size_value(other, 0).argument} {inner})"
            reader.context.names.discard(name)
            text, prec = f"map (\\{name} -> {inner[1:-1]}) {Value(text, prec, '').argument}", APPLY
        for other in reversed(axes[:k]):
            text, prec = f"replicate {reader.size_value(other, 0).argument} {Value(text, prec, '').argument}", APPLY
        value = Value(text, prec, axis.dtype, tuple(each.shape[0] for each in axes))
        name = reader.context.short()
        reader.context.pending.append(f"let ({name}: {type_text(value)}) = {value.text}")
        found.append(value.named(name))
    return tuple_of(found)


# NumPy's result was a list before 2.0.
GRID = type(np.meshgrid([0])).__name__


@instead("meshgrid")
def _meshgrid(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options, ("indexing", "sparse"))
    axes = [bound(reader, full(node, reader.as_array(node, value), 1)) for value in values]
    order = text_of(options.get("indexing"), "xy")
    sparse = options.get("sparse")
    if order == "xy" and len(axes) > 1:
        if len(axes) > 2:
            raise Unread(node, Code.FORM, "`meshgrid` of more than two vectors", "with `indexing='ij'`")
        y, x = grid(reader, axes[::-1], not (sparse is not None and sparse.const)).items or ()
        return tuple_of([x, y], GRID)
    return replace(grid(reader, axes, not (sparse is not None and sparse.const)), dtype=GRID)


def grid_of_slices(reader: Expressions, node: ast.Subscript, whole: bool) -> Value:
    """`np.mgrid[a:b, c:d]` and `np.ogrid`."""
    parts = list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]
    axes = []
    for part in parts:
        if not isinstance(part, ast.Slice) or part.upper is None:
            raise Unread(node, Code.FORM, "this index of a grid is not read", "write slices with two bounds")
        ends = [literal(0) if part.lower is None else reader.eval(part.lower), reader.eval(part.upper)]
        count = imaginary(part.step)
        if count is not None:
            size = reader.eval(count)
            axes.append(bound(reader, TABLE["linspace"](reader, ast.Call(node.value, [], []), [*ends, size], {})))
            continue
        steps = [reader.eval(part.step)] if part.step is not None else []
        if any(each.dtype != "i64" for each in [*ends, *steps]):
            raise Unread(node, Code.TYPE, "a grid of floats with a step", "use `np.linspace`")
        axes.append(bound(reader, integers(reader, node, [*ends, *steps])))
    if len(axes) == 1:
        return axes[0]
    if whole and len({axis.dtype for axis in axes}) > 1:
        axes = [bound(reader, convert(axis, "f64")) for axis in axes]
    made = grid(reader, axes, whole)
    return replace(made, dtype="grid") if whole else made


def imaginary(step: ast.expr | None) -> ast.expr | None:
    """The count that `5j` or `n * 1j` as a step stands for."""
    if isinstance(step, ast.Constant) and isinstance(step.value, complex) and step.value.imag == int(step.value.imag):
        return ast.copy_location(ast.Constant(int(step.value.imag)), step)
    if isinstance(step, ast.BinOp) and isinstance(step.op, ast.Mult):
        for one, other in ((step.left, step.right), (step.right, step.left)):
            if isinstance(other, ast.Constant) and other.value == 1j:
                return one
    return None


@instead("indices")
def _indices(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options)
    axes = [bound(reader, integers(reader, node, [size])) for size in shape_of(reader, node, values[0])]
    return replace(grid(reader, axes, True), dtype="grid")


@instead("unravel_index")
def _unravel_index(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options)
    sizes = shape_of(reader, node, values[1])
    if values[0].const is not None and all(size.const is not None for size in sizes):
        numbers = np.unravel_index(values[0].const, [size.const for size in sizes])
        return tuple_of([Value(f"{int(number)}i64", ATOM, "i64") for number in numbers])
    rest = strong(bound(reader, values[0]))
    found: list[Value] = []
    for size in reversed(sizes[1:]):
        found.insert(0, strong(binary(reader.context, node, ast.Mod, rest, size)))
        rest = strong(binary(reader.context, node, ast.FloorDiv, rest, size))
    return tuple_of([rest, *found])


@extended("linspace")
def _linspace(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options, ("num", "endpoint", "dtype"))
    values = [*values, options["num"]] if len(values) == 2 and "num" in options else [*values, literal(50)] if len(values) == 2 else values
    endpoint = options.get("endpoint", literal(True))
    if len(values) != 3 or not isinstance(endpoint.const, bool) or values[2].dtype not in INTS or not all(value.scalar for value in values):
        raise Unread(node, Code.FORM, "`linspace` with these arguments is not read", "give two numbers and a count")
    dtype = "f32" if {value.dtype for value in values[:2] if not value.weak} == {"f32"} else "f64"
    if any(value.dtype not in FLOATS | INTS for value in values[:2]):
        raise Unread(node, Code.TYPE, f"`linspace` of {' and '.join(value.dtype for value in values[:2])} is not read", "convert the numbers to float64")
    low, high = (convert(value, dtype).argument for value in values[:2])
    size = named(reader, node, replace(convert(values[2], "i64"), weak=True))
    function = reader.context.library("linspace" if endpoint.const else "linspace_open", dtype)
    made = Value(f"{function} {low} {high} {in_brackets(size.text())}", APPLY, dtype, (size,))
    if "dtype" in options and dtype_of(node, options["dtype"].function) in INTS:
        made = elementwise(reader.context, node, [made], applied(f"{dtype}.floor"), dtype)
    return cast(reader, node, made, options["dtype"].function) if "dtype" in options else made


@extended("arange")
def _arange(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options, ("dtype",))
    plain = {key: value for key, value in options.items() if key != "dtype"}
    if all(value.dtype in INTS and value.scalar for value in values):
        values = [replace(convert(value, "i64"), weak=True) for value in values]
        if "dtype" not in options:
            raise Plain
        return cast(reader, node, integers(reader, node, values), options["dtype"].function)
    if any(value.dtype not in FLOATS | INTS or not value.scalar for value in values) or plain:
        raise Plain
    if len(values) == 1:
        values = [literal(0.0), *values]
    a, b, d = (convert(value, "f64").argument for value in (*values, literal(1.0))[:3])
    made = Value(f"{reader.context.helper('steps')} {a} {b} {d}", APPLY, "f64", (unknown_size(),))
    return cast(reader, node, made, options["dtype"].function) if "dtype" in options else made


# Copies and borders --------------------------------------------------------------------------------------------------------------


@extended("tile")
def _tile(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options)
    value = reader.as_array(node, values[0])
    if len(values) != 2 or values[1].items is None or len(value.axes) != value.rank or value.rank not in (1, 2):
        raise Plain
    counts = [count_of(reader, node, each) for each in values[1].items]
    if len(counts) != 2:
        raise Plain
    a, b = (in_brackets(each.text()) for each in counts)
    if value.rank == 2:
        text = f"{reader.context.library('tile_2d', value.dtype)} {a} {b} {value.argument}"
        return Value(text, APPLY, value.dtype, (counts[0] * value.shape[0], counts[1] * value.shape[1]))
    row = value.argument if counts[1].number == 1 else f"({reader.context.library('tile', value.dtype)} {b} {value.argument})"
    return Value(f"replicate {a} {row}", APPLY, value.dtype, (counts[0], counts[1] * value.shape[0]))


@extended("repeat", "method.repeat")
def _repeat(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options, ("axis",))
    context, value = reader.context, reader.as_array(node, values[0])
    given = values[2] if len(values) > 2 else options.get("axis")
    if len(values) < 2 or not value.rank:
        raise Plain
    counts = values[1] if values[1].items is None else reader.as_array(node, values[1])
    if counts.rank == 1 and value.rank == 1 and counts.dtype in INTS and len(value.axes) == len(counts.axes) == 1:
        size, check = joined_sizes(reader, node, value.shape[0], counts.shape[0])
        if check and not size.known:
            raise Unread(node, Code.SHAPE, "these sizes may differ", "")
        value, counts = (each if each.shape[0] == size else sized(context, node, each, 0, size) for each in (value, convert(counts, "i64")))
        return Value(f"{context.library('repeat_each', value.dtype)} {counts.argument} {value.argument}", APPLY, value.dtype, (unknown_size(),))
    axes = axis_of(node, value, given)
    if axes is None or not counts.scalar:
        raise Plain
    axis = axes[0]
    size = named(reader, node, counts)
    function = f"{context.library('repeat', value.dtype)} {in_brackets(size.text())}"
    if axis not in value.axes:
        # One element in this dimension: all copies are alike.
        place = len([k for k in value.axes if k < axis])
        name = context.short()
        context.names.discard(name)
        copies = f"\\{name} -> replicate {in_brackets(size.text())} {name}"
        text = f"{under(copies, place) if place else f'replicate {in_brackets(size.text())}'} {value.argument}"
        return Value(text, APPLY, value.dtype, tuple(size if k == axis else each for k, each in enumerate(value.shape)))
    order = [k for k in range(value.rank) if k != axis] + [axis]
    turned = permuted(node, value, order)
    made = Value(f"{under(function, len(value.axes) - 1)} {turned.argument}", APPLY, value.dtype, (*turned.shape[:-1], size * value.shape[axis]))
    return permuted(node, made, [order.index(k) for k in range(value.rank)])


@instead("pad")
def _pad(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options, ("mode", "constant_values", "pad_width"))
    context, value = reader.context, full(node, reader.as_array(node, values[0]), 1, 2, 3, 4)
    width = values[1] if len(values) > 1 else options["pad_width"]
    mode = text_of(values[2] if len(values) > 2 else options.get("mode"), "constant")
    functions = {"constant": "pad", "edge": "pad_edge", "reflect": "pad_reflect", "symmetric": "pad_symmetric", "wrap": "pad_wrap"}
    if mode not in functions:
        raise Unread(node, Code.NAME, f"`pad` with the mode `{mode}` is not read", "")
    element = options.get("constant_values", literal(0))
    if not element.scalar:
        raise Unread(node, Code.FORM, "several values of a border", "")
    filler = f" {convert(strong(element) if element.const is None else element, value.dtype).argument}" if mode == "constant" else ""
    if value.dtype == "bool" and mode == "constant":
        filler = f" {'true' if element.const else 'false'}"
    for axis in range(value.rank):
        before, after = widths(node, width, axis, value.rank)
        sizes = [count_of(reader, node, each) for each in (before, after)]
        if all(size.number == 0 for size in sizes):
            continue
        if mode != "constant" and not context.assume(value.shape[axis] - 1, "a border of no elements"):
            raise Unread(node, Code.SHAPE, "a border of what may have no elements", "")
        function = f"{context.library(functions[mode], value.dtype)} {' '.join(in_brackets(size.text()) for size in sizes)}{filler}"
        order = [k for k in range(value.rank) if k != axis] + [axis]
        turned = permuted(node, value, order)
        made = Value(f"{under(function, value.rank - 1)} {turned.argument}", APPLY, value.dtype, (*turned.shape[:-1], sizes[0] + value.shape[axis] + sizes[1]))
        value = permuted(node, made, [order.index(k) for k in range(value.rank)])
    return replace(value, memory=frozenset())


def widths(node: ast.AST, width: Value, axis: int, rank: int) -> tuple[Value, Value]:
    """How much is added before and after a dimension."""
    if width.items is None:
        return width, width
    own = width.items[axis] if len(width.items) == rank and any(each.items is not None for each in width.items) else width
    if own.items is None and len(width.items) == 1:
        return own, own
    if own.items is None or len(own.items) != 2 or any(each.items is not None for each in own.items):
        raise Unread(node, Code.FORM, "this width of a border is not read", "write a pair for each dimension")
    return own.items[0], own.items[1]


@extended("diag", "diagflat")
def _diag(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    k = values[1] if len(values) > 1 else options.get("k")
    value = reader.as_array(node, values[0])
    if reader.called(node).__name__ == "diagflat":
        value = ravel(reader, node, value)
        return TABLE["diag"](reader, ast.Call(ast.Attribute(ast.Name("np", ast.Load()), "diag", ast.Load()), [], []), [value, *values[1:]], options)
    if k is None or k.const == 0 or not isinstance(k.const, int) or value.dtype == "bool":
        raise Plain
    amount = f"({k.const})" if k.const < 0 else str(k.const)
    full(node, value, 1, 2)
    if value.rank == 1:
        size = value.shape[0] + abs(k.const)
        if not size.known:
            raise Unread(node, Code.SHAPE, "a diagonal of what has no known size", "give the size a name")
        text = f"({reader.context.library('diag_of', value.dtype)} {amount} {value.argument} :> [{size.text()}][{size.text()}]{value.dtype})"
        return Value(text, ATOM, value.dtype, (size, size))
    return Value(f"{reader.context.library('diagonal_of', value.dtype)} {amount} {value.argument}", APPLY, value.dtype, (unknown_size(),))


@extended("eye")
def _eye(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options, ("dtype", "k", "M"))
    if len(values) == 1 and not {"k", "M"} & set(options):
        raise Plain
    k = values[2] if len(values) > 2 else options.get("k", literal(0))
    other = values[1] if len(values) > 1 else options.get("M", values[0])
    dtype = dtype_of(node, options["dtype"].function) if "dtype" in options else "f64"
    n, m = (named(reader, node, each) for each in (values[0], other))
    amount = f"({k.text})" if k.text.startswith("-") else k.argument
    return Value(f"{reader.context.library('eye_2d', dtype)} {in_brackets(n.text())} {in_brackets(m.text())} {amount}", APPLY, dtype, (n, m))


@instead("ndarray")
def _ndarray(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options, ("shape", "dtype"))
    shape = shape_of(reader, node, options["shape"] if "shape" in options else values[0])
    kind = values[1] if len(values) > 1 else options.get("dtype")
    dtype = dtype_of(node, kind.function) if kind is not None else "f64"
    return filled(reader, node, shape, literal(False) if dtype == "bool" else convert(literal(0), dtype) if dtype in FLOATS | INTS else Value(f"{dtype}.f64 0.0", APPLY, dtype))


@instead("append")
def _append(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options)
    parts = [reader.as_array(node, value) for value in values]
    parts = [ravel(reader, node, part) if part.rank > 1 else part if part.rank else Value(f"[{convert(part, part.dtype).text}]", ATOM, part.dtype, (Size.of(1),)) for part in parts]
    return TABLE["concatenate"](reader, node, [tuple_of(parts)], {})


@instead("sliding_window_view")
def _windows(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options, ("window_shape",))
    value = full(node, values[0], 1, 2)
    shape = shape_of(reader, node, values[1] if len(values) > 1 else options["window_shape"])
    if len(shape) != value.rank:
        raise Unread(node, Code.SHAPE, "windows of other dimensions than the array", "")
    sizes = [named(reader, node, each) for each in shape]
    for own, size in zip(value.shape, sizes):
        if not reader.context.assume(own - size, "windows that are larger than the array"):
            if not own.known:
                raise Unread(node, Code.SHAPE, "windows that may be larger than the array", "give the size of the array a name")
            reader.context.pending.append(f'let _ = assert ({size.text()} <= {own.text()}) "windows that are larger than the array"')
    function = reader.context.library("sliding_window" if value.rank == 1 else "sliding_window_2d", value.dtype)
    counts = [own - size + 1 for own, size in zip(value.shape, sizes)]
    return Value(f"{function} {' '.join(in_brackets(size.text()) for size in sizes)} {value.argument}", APPLY, value.dtype, (*counts, *sizes), memory=value.memory)


def pieces(reader: Expressions, node: ast.Subscript, columns: bool) -> Value:
    """`np.c_[a, b]` and `np.r_[a, b]`."""
    parts = [reader.as_array(node, reader.eval(each)) for each in (node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]) if not isinstance(each, ast.Slice)]
    if not parts or len(parts) != (len(node.slice.elts) if isinstance(node.slice, ast.Tuple) else 1) or any(part.rank > 2 for part in parts):
        raise Unread(node, Code.FORM, "this index is not read", "concatenate the arrays")
    dtype, weak = parts[0].dtype, parts[0].weak
    for part in parts[1:]:
        if (part.dtype, part.weak) != (dtype, weak):
            _, dtype = result_dtype(np.add, [replace(parts[0], dtype=dtype, weak=weak), part])
            weak = weak and part.weak
    # Numbers between arrays have types as in arithmetic, not as in lists.
    parts = [fitted(reader.context, node, part, dtype) if part.weak and not part.rank else part for part in parts]
    parts = [part if part.rank else Value(f"[{bound_text(part)}]", ATOM, part.dtype, (Size.of(1),)) for part in parts]
    if columns:
        parts = [part if part.rank == 2 else replace(part, shape=(*part.shape, ONE)) for part in parts]
    call = ast.copy_location(ast.Call(ast.Attribute(ast.Name("np", ast.Load()), "concatenate", ast.Load()), [], []), node)
    return TABLE["concatenate"](reader, call, [tuple_of(parts)], {"axis": literal(1)} if columns else {})
