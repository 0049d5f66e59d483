"""Products by names of axes, convolutions, windows and linear algebra."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from .calls import TABLE, reduction, refuse_options
from .context import HELPERS
from .diagnostics import Code, Unread
from .functions import joined_sizes, matmul
from .operators import applied, binary, elementwise, sized
from .shapes import count_of, in_brackets, one_type
from .tables import also, floating, full, instead, square
from .values import APPLY, FLOATS, INTS, Value, literal

if TYPE_CHECKING:
    from .expressions import Expressions


HELPERS["convolved"] = (
    "-- | The convolution wherever the arrays overlap; nothing stands beyond their ends, so that infinite elements stay where they are.\n"
    "def convolved [n][m] (xs: [n]f64) (ys: [m]f64) : *[n+m-1]f64 =\n"
    "  let at (i: i64) : f64 =\n"
    "    let start = i64.max 0 (i - m + 1)\n"
    "    in loop total = 0.0 for k < i64.min n (i + 1) - start do total + xs[start+k] * ys[i-start-k]\n"
    "  in tabulate (n+m-1) at"
)
HELPERS["convolved_f32"] = HELPERS["convolved"].replace("f64", "f32").replace("def convolved", "def convolved_f32").replace("0.0 for", "0f32 for")
HELPERS["regular"] = (
    "-- | A result of linear algebra, which fails where it has a NaN: the matrix is singular or not positive definite.\n"
    "def regular [n] (x: [n]f64) : [n]f64 = let _ = assert (!(any f64.isnan x)) \"a singular matrix\" in x"
)
HELPERS["regular_2d"] = (
    "-- | A matrix that linear algebra made, which fails where it has a NaN: the argument is singular or not positive definite.\n"
    "def regular_2d [n][m] (x: [n][m]f64) : [n][m]f64 = let _ = assert (!(any f64.isnan (flatten x))) \"a singular matrix\" in x"
)




@also("inner", "vdot")
def _inner(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options)
    x, y = (full(node, value, 1) for value in values)
    if {x.dtype, y.dtype} & {"c64", "c128"} and reader.called(node).__name__ == "vdot":
        raise Unread(node, Code.TYPE, "`vdot` of complex numbers", "write `np.dot(np.conj(x), y)`")
    return matmul(reader, node, x, y)


@also("kron")
def _kron(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options)
    (x, y), dtype = one_type(reader, node, values)
    full(node, x, 2), full(node, y, 2)
    return Value(f"{reader.context.library('kron', dtype)} {x.argument} {y.argument}", APPLY, dtype, (x.shape[0] * y.shape[0], x.shape[1] * y.shape[1]))


@also("convolve")
def _convolve(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options)
    if len(values) != 2:
        raise Unread(node, Code.FORM, "`convolve` with a mode is not read", "slice the full convolution")
    (x, y), dtype = one_type(reader, node, [full(node, value, 1) for value in values])
    if dtype == "bool":
        raise Unread(node, Code.SHAPE, "`convolve` of these is not read", "")
    x, y = (
        value if reader.context.assume(value.shape[0] - 1, "`convolve` of no elements is an error")
        else replace(value, text=f"{reader.context.helper('nonempty')} {value.argument}", prec=APPLY) for value in (x, y)
    )  # fmt: skip
    if dtype not in FLOATS | INTS:
        raise Unread(node, Code.TYPE, f"`convolve` of {dtype} is not read", "convert the arrays to float64")
    function = reader.context.helper("convolved" if dtype == "f64" else "convolved_f32") if dtype in FLOATS else reader.context.library("convolve", dtype)
    return Value(f"{function} {x.argument} {y.argument}", APPLY, dtype, (x.shape[0] + y.shape[0] - 1,))


@also("hanning", "hamming", "blackman", "bartlett")
def _window(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options)
    (count,) = values
    size = count_of(reader, node, count)
    return Value(f"{reader.context.library(reader.called(node).__name__)} {in_brackets(size.text())}", APPLY, "f64", (size,))


# Linear algebra ------------------------------------------------------------------------------------------------------------------


@instead("linalg.solve", "linalg.inv", "linalg.det", "linalg.cholesky", "linalg.eigvalsh", "linalg.matrix_power")
def _linear(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options)
    context, name = reader.context, reader.called(node).__name__
    if any(value.dtype not in ("f64", "f32", "i64", "i32", "bool") for value in values) or values[0].dtype == "f32":
        raise Unread(node, Code.TYPE, f"`np.linalg.{name}` of this type is not read", "convert the matrix to float64")
    a = square(reader, node, floating(reader, node, values[0]))
    context.imports.add("lib/linalg")
    if name == "matrix_power":
        if len(values) != 2 or not isinstance(values[1].const, int) or values[1].const < 0 or values[0].dtype != "f64":
            raise Unread(node, Code.FORM, "this power of a matrix is not read", "of floats, with a number that is not negative")
        return Value(f"linalg.matrix_power {a.argument} {values[1].argument}", APPLY, "f64", a.shape)
    if name != "solve":
        if len(values) != 1:
            raise Unread(node, Code.FORM, f"`np.linalg.{name}` with these arguments is not read", "")
        text = f"linalg.{name} {a.argument}"
        if name == "det":
            return Value(text, APPLY, "f64")
        vector = name == "eigvalsh"
        return Value(f"{context.helper('regular' if vector else 'regular_2d')} ({text})", APPLY, "f64", a.shape[:1] if vector else a.shape)
    b = full(node, floating(reader, node, values[1]), 1, 2)
    size, check = joined_sizes(reader, node, a.shape[0], b.shape[0])
    if check:
        b = sized(context, node, b, 0, size)
    if b.dtype != "f64":
        raise Unread(node, Code.TYPE, "`np.linalg.solve` of this type is not read", "convert it to float64")
    function, helper = ("linalg.solve", "regular") if b.rank == 1 else ("linalg.solve_many", "regular_2d")
    return Value(f"{context.helper(helper)} ({function} {a.argument} {b.argument})", APPLY, "f64", b.shape)


_first_norm = TABLE["linalg.norm"]


def euclidean(reader: Expressions, node: ast.Call, value: Value, options: dict[str, Value]) -> Value:
    """`linalg.norm` without `ord`."""
    if options:
        squares = binary(reader.context, node, ast.Pow, floating(reader, node, value), literal(2))
        total = reduction(reader, node, "sum", squares, [], options)
        return elementwise(reader.context, node, [total], applied(f"{total.dtype}.sqrt"), total.dtype)
    if value.dtype in ("c64", "c128"):
        raise Unread(node, Code.TYPE, "the norm of complex numbers is not read", "write `np.sqrt(np.sum(np.abs(x) ** 2))`")
    return _first_norm(reader, node, [value], options)
