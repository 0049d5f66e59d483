"""Functions of `np.fft`: transforms of vectors and along dimensions, their frequencies, and shifts."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from .calls import axis_of, refuse_options, under
from .context import HELPERS
from .diagnostics import Code, Unread
from .operators import elementwise, unknown_size
from .others import bound, said
from .shapes import in_brackets, named, permuted
from .sizes import Size
from .tables import full, instead
from .values import APPLY, FLOATS, INTS, Value, convert, literal

if TYPE_CHECKING:
    from .expressions import Expressions

COMPLEX = {"c64": "f32", "c128": "f64"}

HELPERS["resized"] = (
    "-- | The first n elements; those that are missing are 0.\n"
    "def resized 't [m] (n: i64) (zero: t) (xs: [m]t) : *[n]t = tabulate n (\\i -> if i < m then xs[i] else zero)"
)


def as_complex(reader: Expressions, node: ast.AST, value: Value) -> Value:
    """The array as complex numbers: c64 for f32, c128 for all others."""
    if value.dtype in COMPLEX:
        return value
    if value.dtype not in FLOATS | INTS | {"bool"}:
        raise Unread(node, Code.TYPE, f"a transform of {value.dtype}", "")
    value = reader.as_float(node, value)
    wide = "c64" if value.dtype == "f32" else "c128"
    return elementwise(reader.context, node, [value], lambda v: (convert(v[0], wide).text, APPLY), wide)


def at_least_one(reader: Expressions, node: ast.AST, value: Value, axis: int) -> Value:
    """The array, which has to have an element along a dimension."""
    if reader.context.assume(value.shape[axis] - 1, "a transform of no elements is an error"):
        return value
    if value.rank != 1:
        raise Unread(node, Code.SHAPE, "a transform of what may have no elements", "give the sizes names: `n, m = a.shape`")
    return replace(value, text=f"{reader.context.helper('nonempty')} {value.argument}", prec=APPLY)


def positive(reader: Expressions, node: ast.AST, count: Value) -> Size:
    """A number of elements, which has to be positive, as a size that has a name."""
    if not count.scalar or count.rank or count.dtype not in INTS or count.const is not None and count.const < 1:
        raise Unread(node, Code.FORM, "this number of elements is not read", "give a positive integer")
    size = named(reader, node, convert(count, "i64"))
    if not reader.context.assume(size - 1, "a transform of no elements is an error"):
        reader.context.pending.append(f'let _ = assert ({size.text()} > 0) "a transform of no elements"')
    return size


@instead("fft.fft", "fft.ifft", "fft.rfft", "fft.irfft")
def _transform(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options, ("n", "axis"))
    name, context = reader.called(node).__name__, reader.context
    value = reader.as_array(node, values[0])
    if not value.rank or len(value.axes) != value.rank:
        raise Unread(node, Code.SHAPE, f"`np.fft.{name}` along a dimension of size 1", "index the array first")
    (axis,) = axis_of(node, value, options.get("axis", literal(-1))) or (-1,)
    if axis < 0:
        raise Unread(node, Code.SHAPE, "`axis` is None", "write the number")
    if name == "rfft" and value.dtype in COMPLEX:
        raise Unread(node, Code.TYPE, "`rfft` of complex numbers", "NumPy raises an error, too; `np.fft.fft` is for them")
    value = reader.as_float(node, value) if name == "rfft" else as_complex(reader, node, value)
    last = value.rank - 1
    order = [*(k for k in range(value.rank) if k != axis), axis]
    count = options.get("n")
    wanted = positive(reader, node, count) if count is not None else None
    rows = permuted(node, at_least_one(reader, node, value, axis) if wanted is None or name == "irfft" else value, order)
    if wanted is not None and name != "irfft":
        zero = f"0{value.dtype}" if value.dtype in FLOATS else f"({value.dtype}.{COMPLEX[value.dtype]} 0)"
        resize = f"{context.helper('resized')} {in_brackets(wanted.text())} {zero}"
        rows = Value(f"{under(resize, last)} {rows.argument}", APPLY, value.dtype, (*rows.shape[:-1], wanted))
    single = value.dtype in ("f32", "c64")
    function = f"{'fft_f32' if single else 'fft'}.{name}"
    context.imports.add("lib/fft")
    size = rows.shape[-1]
    dtype = ("f32" if single else "f64") if name == "irfft" else "c64" if single else "c128"
    if name == "irfft":
        if wanted is None:
            rows = bound(reader, rows)
            wanted = positive(reader, node, said(reader, node, "2 * (m - 1)", m=reader.size_value(rows, last)))
        size, function = wanted, f"{function} {in_brackets(wanted.text())}"
    elif name == "rfft":
        size = Size.of(size.number // 2 + 1) if size.number is not None else unknown_size()
    text = f"{function} {rows.argument}"
    if name == "rfft" and size.number is not None:
        text = f"{under(f'sized {size.number}', last)} ({text})"
    made = Value(text, APPLY, dtype, (*rows.shape[:-1], size))
    return permuted(node, made, [order.index(k) for k in range(value.rank)])


@instead("fft.fft2", "fft.ifft2")
def _transform_of_a_matrix(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options)
    name = reader.called(node).__name__
    value = as_complex(reader, node, full(node, reader.as_array(node, values[0]), 2, 3))
    for axis in (-2, -1):
        if not reader.context.assume(value.shape[axis] - 1, "a transform of no elements is an error"):
            raise Unread(node, Code.SHAPE, "a transform of what may have no elements", "give the sizes names: `n, m = a.shape`")
    reader.context.imports.add("lib/fft")
    return Value(f"{'fft_f32' if value.dtype == 'c64' else 'fft'}.{name} {value.argument}", APPLY, value.dtype, value.shape)


@instead("fft.fftshift", "fft.ifftshift")
def _shifted(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options, ("axes",))
    name, value = reader.called(node).__name__, reader.as_array(node, values[0])
    axes = axis_of(node, value, options.get("axes"))
    reader.context.imports.add("lib/fft")
    for axis in range(value.rank) if axes is None else axes:
        if axis in value.axes:
            value = replace(value, text=f"{under(f'fft.{name}', value.axes.index(axis))} {value.argument}", prec=APPLY)
    return replace(value, memory=frozenset())


@instead("fft.fftfreq", "fft.rfftfreq")
def _frequencies(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options, ("d",))
    name, distance = reader.called(node).__name__, options.get("d", literal(1.0))
    if not distance.scalar or distance.rank or distance.dtype not in {"f64"} | INTS:
        raise Unread(node, Code.TYPE, "a distance of samples that is no number of float64", "convert it: `float(d)`")
    size = positive(reader, node, values[0])
    reader.context.imports.add("lib/fft")
    by = convert(distance, "f64")
    checked = f"({reader.context.helper('divisor')} {by.argument})" if distance.weak and not distance.const else by.argument
    text = f"fft.{name} {in_brackets(size.text())} {checked}"
    if name == "fftfreq":
        return Value(text, APPLY, "f64", (size,))
    if size.number is None:
        return Value(text, APPLY, "f64", (unknown_size(),))
    half = size.number // 2 + 1
    return Value(f"sized {half} ({text})", APPLY, "f64", (Size.of(half),))
