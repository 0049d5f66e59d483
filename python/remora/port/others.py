"""Functions of NumPy that are said with other ones: each is read as the expression that it stands for."""

from __future__ import annotations

import ast
import builtins
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from .arrays import close_enough
from .calls import refuse_options
from .diagnostics import Code, Unread
from .products import euclidean
from .functions import joined_sizes
from .operators import named_array, named_size, sized, unknown_size
from .shapes import in_brackets
from .sizes import ONE, Size
from .tables import also, floating, full, instead, square
from .values import APPLY, ATOM, DTYPES, NUMPY, WEAK, Value, convert, literal, type_text

if TYPE_CHECKING:
    from .expressions import Expressions

# What the expressions call, under names that no function has.
SEEN = {"?np": np, "?max": builtins.max, "?min": builtins.min, "?len": builtins.len}


def said(reader: Expressions, node: ast.AST, text: str, **given: Value) -> Value:
    """The value of an expression, in which `np` is NumPy and other names stand for the values that are given."""
    tree = ast.parse(text, mode="eval").body
    for each in ast.walk(tree):
        if isinstance(each, ast.Name):
            each.id = f"?{each.id}"
        if isinstance(each, ast.expr):
            ast.copy_location(each, node)
    uses = [each.id for each in ast.walk(tree) if isinstance(each, ast.Name)]
    outer, env, local = reader.outer, dict(reader.env), reader.locals
    try:
        reader.outer = {**outer, **SEEN}
        reader.locals = local | {f"?{name}" for name in given}
        for name, value in given.items():
            reader.env[f"?{name}"] = bound(reader, value) if uses.count(f"?{name}") > 1 else value
        return reader.eval(tree)
    finally:
        reader.outer, reader.locals = outer, local
        reader.env = env


def bound(reader: Expressions, value: Value) -> Value:
    """The value under a name, so that it is made once."""
    if value.items is not None or value.function is not None or value.const is not None or value.dtype in ("none", "type"):
        return value
    return named_array(reader.context, value)


@instead("isclose", "allclose")
def _isclose(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options, ("rtol", "atol", "equal_nan"))
    given = dict(zip(("a", "b", "rtol", "atol", "equal_nan"), values)) | options
    if not {"a", "b"} <= set(given):
        raise Unread(node, Code.FORM, "`isclose` of one value", "NumPy raises an error, too")
    x, y = (convert(floating(reader, node, reader.as_array(node, given[name])), "f64") for name in ("a", "b"))
    rtol, atol = given.get("rtol", literal(1e-05)), given.get("atol", literal(1e-08))
    nans = given.get("equal_nan", literal(False)).const
    if not rtol.scalar or not atol.scalar or not isinstance(nans, bool):
        raise Unread(node, Code.TYPE, "a tolerance that is no number", "write a number")
    if "rtol" not in given and "atol" not in given and not nans:
        close = close_enough(reader, node, x, y)
    else:
        text = "(np.abs(x - y) <= atol + rtol * np.abs(y)) & np.isfinite(y) | (x == y)"
        close = said(reader, node, text + (" | np.isnan(x) & np.isnan(y)" if nans else ""), x=x, y=y, rtol=rtol, atol=atol)
    return said(reader, node, "np.all(x)", x=close) if reader.called(node).__name__ == "allclose" and close.rank else close


VECTOR = {
    0: "np.sum((x != 0).astype(x.dtype), axis=axis)", 1: "np.sum(np.abs(x), axis=axis)", 2: "np.sqrt(np.sum(x ** 2, axis=axis))",
    np.inf: "np.max(np.abs(x), axis=axis)", -np.inf: "np.min(np.abs(x), axis=axis)",
}  # fmt: skip
MATRIX = {
    "fro": "np.sqrt(np.sum(x ** 2))", 1: "np.max(np.sum(np.abs(x), axis=0))", -1: "np.min(np.sum(np.abs(x), axis=0))",
    np.inf: "np.max(np.sum(np.abs(x), axis=1))", -np.inf: "np.min(np.sum(np.abs(x), axis=1))",
}  # fmt: skip


@instead("linalg.norm")
def _norm(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options, ("ord", "axis", "keepdims"))
    given = dict(zip(("x", "ord", "axis", "keepdims"), values)) | options
    order = order_of(reader, node, given.get("ord"))
    rest: dict[str, Value] = {name: given[name] for name in ("axis", "keepdims") if name in given and given[name].dtype != "none"}
    x = reader.as_array(node, given["x"])
    if order is None or order == 2 and x.rank == 1 and not rest:
        return euclidean(reader, node, x, rest)
    x = floating(reader, node, x)
    axis = rest.get("axis")
    if rest.keys() & {"keepdims"}:
        raise Unread(node, Code.FORM, "`norm` with `ord` and `keepdims` is not read", "write it with sums and maxima of `np.abs(x)`")
    if axis is None and x.rank == 2 and order in MATRIX:
        return said(reader, node, MATRIX[order], x=x)
    if axis is None and x.rank == 1 or axis is not None and isinstance(axis.const, int):
        axis = literal(0) if axis is None else axis
        if order in VECTOR:
            return said(reader, node, VECTOR[order], x=x, axis=axis)
        if isinstance(order, (int, float)):
            return said(reader, node, "np.sum(np.abs(x) ** p, axis=axis) ** (1 / p)", x=x, axis=axis, p=literal(order))
    raise Unread(node, Code.FORM, "this norm is not read", "write it with sums and maxima of `np.abs(x)`; norms of singular values are in lib/linalg")


def order_of(reader: Expressions, node: ast.Call, value: Value | None) -> Any:
    """The constant that says which norm."""
    if value is None or value.dtype == "none":
        return None
    if value.dtype == "text" or value.const is not None:
        return value.function if value.dtype == "text" else value.const
    infinite = {"f64.inf": np.inf, "-f64.inf": -np.inf}.get(value.text)
    if infinite is None:
        raise Unread(node, Code.FORM, "which norm is no constant", "write the number")
    return infinite


# Linear algebra of singular values and eigenvalues. Vectors are those of the library: NumPy leaves their signs open.
SIGNS = "signs of the vectors of `eigh`, `svd` and `qr` are open: NumPy's may be others"


@instead("linalg.pinv", "linalg.matrix_rank", "linalg.slogdet", "linalg.lstsq", "linalg.svd", "linalg.eigh", "linalg.qr", "linalg.svdvals")
def _decomposed(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    context, name = reader.context, reader.called(node).__name__
    refuse_options(node, options, {"lstsq": ("rcond",), "svd": ("full_matrices", "compute_uv")}.get(name, ()))
    if any(value.dtype not in ("f64", "i64", "i32", "bool") for value in values if value.dtype != "none"):
        raise Unread(node, Code.TYPE, f"`np.linalg.{name}` of this type is not read", "convert the matrix to float64")
    rcond = options.get("rcond", values[2] if name == "lstsq" and len(values) == 3 else None)
    if len(values) > (3 if name == "lstsq" else 1) or rcond is not None and rcond.dtype != "none":
        raise Unread(node, Code.FORM, f"`np.linalg.{name}` with these arguments is not read", "without a tolerance: `rcond=None`")
    a = bound(reader, convert(floating(reader, node, full(node, reader.as_array(node, values[0]), 2)), "f64"))
    a = square(reader, node, a) if name in ("slogdet", "eigh") else a
    if not all(size.known for size in a.shape):
        a = named_size(context, named_size(context, a, 0), 1)
    if not all([context.assume(size - 1, f"`np.linalg.{name}` of no elements") for size in a.shape]):
        a = replace(a, text=f"{context.helper('nonempty')} {a.argument}", prec=APPLY)
    context.imports.add("lib/linalg")
    (n, m), call = a.shape, f"linalg.{name} {a.argument}"
    if name == "pinv":
        return Value(call, APPLY, "f64", (m, n))
    if name == "matrix_rank":
        return Value(call, APPLY, "i64")
    if name == "lstsq":
        return _least_squares(reader, node, a, values[1])
    return _vectors(reader, node, name, a, options)


def _least_squares(reader: Expressions, node: ast.Call, a: Value, b: Value) -> Value:
    """What `lstsq` returns. The residuals are there or not, which depends on the rank, so they are not read."""
    b = convert(floating(reader, node, full(node, reader.as_array(node, b), 1, 2)), "f64")
    size, check = joined_sizes(reader, node, a.shape[0], b.shape[0])
    if check:
        b = sized(reader.context, node, b, 0, a.shape[0])
    a = bound(reader, a)
    x = Value(f"linalg.{'lstsq' if b.rank == 1 else 'lstsq_many'} {a.argument} {b.argument}", APPLY, "f64", (a.shape[1], *b.shape[1:]))
    rank = Value(f"i32.i64 (linalg.matrix_rank {a.argument})", APPLY, "i32")
    values = Value(f"linalg.svdvals {a.argument}", APPLY, "f64", (unknown_size(),))
    return Value("", ATOM, "tuple", items=(x, Value("residuals", ATOM, "function", function="residuals of `lstsq`"), rank, values))


def _vectors(reader: Expressions, node: ast.Call, name: str, a: Value, options: dict[str, Value]) -> Value:
    """The parts of a decomposition, under names."""
    context, (n, m) = reader.context, a.shape
    least = n
    flags = {key: value.const for key, value in options.items()}
    if name == "svdvals" or flags.get("compute_uv") is False:
        return Value(f"linalg.svdvals {a.argument}", APPLY, "f64", (n if n == m else unknown_size(),))
    if name == "svd" and n != m and flags.get("full_matrices") is not False:
        context.pending.append(f'let _ = assert ({n.text()} == {m.text()}) "svd of a matrix that is not square: write full_matrices=False"')
        a, m = sized(context, node, a, 1, n), n
    if n != m:
        # The smaller one has a name.
        own = context.short("size")
        context.stable.add(own)
        context.pending.append(f"let {own} = i64.min {in_brackets(n.text())} {in_brackets(m.text())}")
        least = Size.name(own)
    if name in ("svd", "eigh", "qr"):
        context.notes.add(SIGNS)
    shapes: dict[str, list[tuple[Size, ...]]] = {"svd": [(n, least), (least,), (least, m)], "eigh": [(n,), (n, n)], "qr": [(n, least), (least, m)], "slogdet": [(), ()]}
    parts = [Value(context.short(), ATOM, "f64", shape) for shape in shapes[name]]
    context.pending.append(f"let ({', '.join(part.text for part in parts)}) = linalg.{name} {a.argument}")
    if name in ("svd", "qr"):
        # Of a square matrix, too, the library says that the one size is the smaller of two.
        parts = [replace(part, text=f"({part.text} :> {type_text(part)})") for part in parts]
    return Value("", ATOM, "tuple", items=tuple(parts))


@also("lexsort")
def _lexsort(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options)
    keys = values[0].items if values else None
    if not keys or len(values) != 1 or any(key.rank != 1 for key in keys):
        raise Unread(node, Code.FORM, "`lexsort` of these is not read", "of a tuple of vectors, the most important one last")
    order = said(reader, node, "np.argsort(x, kind='stable')", x=keys[0])
    for key in keys[1:]:
        order = said(reader, node, "order[np.argsort(x[order], kind='stable')]", x=key, order=order)
    return order


@also("issubdtype")
def _issubdtype(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options)
    if len(values) != 2 or any(value.dtype != "type" for value in values):
        raise Unread(node, Code.TYPE, "`issubdtype` of what is no type", "write `np.issubdtype(x.dtype, np.floating)`")
    return literal(bool(np.issubdtype(values[0].function, values[1].function)))


def same_type(node: ast.AST, one: Any, other: Any) -> bool:
    """Whether two types, or names of types, are one for NumPy."""
    try:
        return bool(np.dtype(one) == np.dtype(other))
    except TypeError:
        raise Unread(node, Code.TYPE, "a comparison of a type with what is none", "compare it with a type: `x.dtype == np.float64`") from None


@also("result_type", "promote_types")
def _result_type(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options)
    given: list[Any] = []
    for value in values:
        if value.dtype == "type":
            given.append(value.function)
        elif value.dtype in NUMPY:
            # Values of Python's own numbers do not count, only their kinds.
            given.append(WEAK[value.dtype](0) if value.weak and value.dtype in ("i64", "f64", "c128") else NUMPY[value.dtype])
        else:
            raise Unread(node, Code.TYPE, "the type of what is no array of numbers", "make an array of it: `np.array([..])`")
    found = np.result_type(*given)
    if str(found) not in DTYPES:
        raise Unread(node, Code.TYPE, f"the type {found} is not read", "convert the arrays, for example with `x.astype(np.float64)`")
    return Value(str(found), 11, "type", function=found)


def limits(reader: Expressions, node: ast.Attribute) -> Value | None:
    """`np.finfo(float).eps`, `np.iinfo(np.int64).max`; None for other attributes."""
    call = node.value
    function = reader.resolve(call.func) if isinstance(call, ast.Call) and len(call.args) == 1 and not call.keywords else None
    if not isinstance(call, ast.Call) or function not in (np.finfo, np.iinfo):
        return None
    kind = reader.eval(call.args[0])
    dtype = kind.function if kind.dtype == "type" else NUMPY.get(kind.dtype)
    try:
        found = getattr(function(dtype), node.attr)
    except (TypeError, ValueError, AttributeError):
        raise Unread(node, Code.TYPE, f"`{ast.unparse(node)}` has no value", "NumPy raises an error, too") from None
    if found == -(1 << 63):
        return Value("i64.lowest", 11, "i64", weak=True)
    if isinstance(found, (bool, int)) and abs(int(found)) < 1 << 63:
        return literal(int(found))
    if str(getattr(found, "dtype", "")) not in ("float64", "float32"):
        raise Unread(node, Code.TYPE, f"`{ast.unparse(node)}` is no number of a type that is read", "write the number")
    return reader.constant_of(node, found, ast.unparse(node))


@also("split", "hsplit", "vsplit")
def _split(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    """Equal parts, whose number is a constant."""
    refuse_options(node, options, ("axis",))
    name = reader.called(node).__name__
    x = reader.as_array(node, values[0])
    given = values[2] if len(values) > 2 else options.get("axis", literal(1 if name == "hsplit" and x.rank > 1 else 0))
    if len(values) < 2 or not isinstance(values[1].const, int) or not 0 < values[1].const <= 16 or not isinstance(given.const, int) or x.rank not in (1, 2):
        raise Unread(node, Code.FORM, f"`{name}` with these arguments is not read", "slice the array: `x[:k]`, `x[k:]`")
    axis, count = given.const % x.rank, literal(values[1].const)
    if axis == 1:
        text = "np.reshape(x, (x.shape[0], n, -1))"
    else:
        text = "np.reshape(x, (n, -1))" if x.rank == 1 else "np.reshape(x, (n, -1, x.shape[1]))"
    whole = bound(reader, said(reader, node, text, x=x, n=count))
    part = "x[:, k]" if axis == 1 else "x[k]"
    return Value("", ATOM, "list", items=tuple(said(reader, node, part, x=whole, k=literal(k)) for k in range(values[1].const)))


@also("shape", "size", "ndim")
def _attribute(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options)
    name = reader.called(node).__name__
    if len(values) != 1 or not values[0].rank:
        raise Unread(node, Code.FORM, f"`{name}` of this is not read", "of an array, without an axis: `x.shape[k]`")
    return said(reader, node, f"x.{name}", x=values[0])


def best_or_default(reader: Expressions, node: ast.Call, name: str, values: list[Value], default: Value) -> Value:
    """`max(xs, default=d)`."""
    if len(values) != 1 or values[0].items is None and values[0].rank != 1:
        raise Unread(node, Code.FORM, f"`{name}` with these arguments is not read", "of a list, with a `default`")
    if values[0].items is not None:
        return said(reader, node, f"{name}(x)", x=values[0]) if values[0].items else default
    return said(reader, node, f"d if len(x) == 0 else {name}(x)", x=values[0], d=default)


def columns(reader: Expressions, node: ast.Call, parts: list[Value]) -> Value:
    """`column_stack` of vectors and matrices: vectors are columns."""
    parts = [replace(part, shape=(*part.shape, ONE)) if part.rank == 1 else part for part in parts]
    if any(part.rank != 2 for part in parts):
        raise Unread(node, Code.SHAPE, "`column_stack` of more than two dimensions", "concatenate them with `axis=1`")
    names = [f"x{k}" for k in range(len(parts))]
    return said(reader, node, f"np.concatenate(({', '.join(names)},), axis=1)", **dict(zip(names, parts)))


__all__ = ["best_or_default", "columns", "limits", "said"]
