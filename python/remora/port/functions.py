"""Functions of NumPy that are read one by one, as a table."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from .calls import _option_dtype, _plain, axis_of, cast, entry, ravel, refuse_options, strong, under
from .diagnostics import Code, Unread
from .operators import applied, binary, elementwise, fitted, named_size, negated, sized, unknown_size
from .sizes import ONE, Size
from .values import APPLY, ATOM, COMPARE, FLOATS, INTS, PRODUCT, UNARY, Value, bound_text, convert, literal, result_dtype

if TYPE_CHECKING:
    from .expressions import Expressions


@entry("abs", "absolute", "fabs")
def _abs(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options)
    (value,) = values
    if reader.called(node) is np.fabs:
        # A function of floats, which integers become; of small ones NumPy makes float16.
        wanted, _ = result_dtype(np.fabs, values)
        value = strong(convert(value, wanted[0]) if value.is_literal or value.dtype == wanted[0] else elementwise(reader.context, node, [value], lambda v: (convert(v[0], wanted[0]).text, APPLY), wanted[0]))
    if value.dtype == "bool":
        return value
    dtype = {"c64": "f32", "c128": "f64"}.get(value.dtype, value.dtype)
    made = elementwise(reader.context, node, [value], applied(f"{value.dtype}.abs"), dtype)
    return replace(made, weak=value.weak)


@entry("square")
def _square(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options)
    if values[0].dtype == "bool":
        raise Unread(node, Code.TYPE, "`square` of truth values is not read", "convert them: `astype(np.int64)`")
    return binary(reader.context, node, ast.Pow, strong(values[0]), literal(2))


@entry("maximum", "minimum", "fmax", "fmin")
def _maximum(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options)
    name = reader.called(node).__name__
    wanted, dtype = result_dtype(getattr(np, name), values)
    values = [fitted(reader.context, node, value, want) for value, want in zip(values, wanted)]
    if dtype in INTS:
        function = f"{dtype}.{name[-3:] if name[0] == 'f' else name[:3]}"
    elif dtype in FLOATS:
        function = reader.context.library(name, dtype) if name[0] == "m" else f"{dtype}.{name[1:]}"
    else:
        raise Unread(node, Code.TYPE, f"`{name}` of {dtype} is not read", "")
    return replace(elementwise(reader.context, node, values, applied(function), dtype), weak=False)


@entry("clip")
def _clip(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options, ("min", "max", "a_min", "a_max"))
    old = len(values) - 1 + len(options.keys() & {"a_min", "a_max"})
    if reader.called(node) is np.clip and old == 1 and not options.keys() & {"min", "max"}:
        raise Unread(node, Code.FORM, "`clip` with one bound", "write `min=`, `max=`, or `None` for the other one: NumPy raises an error here")
    if options:
        low, high = (next((options[key] for key in (name, f"a_{name}") if key in options), Value("None", ATOM, "none")) for name in ("min", "max"))
        values = [values[0], values[1] if len(values) > 1 else low, high]
    if len(values) == 2:
        values = [*values, Value("None", ATOM, "none")]
    bounds = [(word, value) for word, value in zip(("maximum", "minimum"), values[1:]) if value.dtype != "none"]
    if len(values) != 3 or not bounds:
        raise Unread(node, Code.FORM, "`clip` with these arguments is not read", "with a lower and an upper bound")
    if len(bounds) == 1:
        from .others import said

        return said(reader, node, f"np.{bounds[0][0]}(x, b)", x=values[0], b=bounds[0][1])
    x, low, high = values
    wanted, dtype = result_dtype(np.minimum, [x, low])
    wide, dtype = result_dtype(np.minimum, [replace(x, dtype=dtype, weak=x.weak and low.weak), high])
    if dtype not in FLOATS | INTS:
        raise Unread(node, Code.TYPE, f"`clip` of {dtype} is not read", "")
    values = [fitted(reader.context, node, each, dtype) for each in (low, high, x)]
    return replace(elementwise(reader.context, node, values, applied(reader.context.library("clip", dtype)), dtype), weak=False)


@entry("where")
def _where(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options)
    if len(values) != 3:
        raise Unread(node, Code.FORM, "`where` of a condition only", "write `np.flatnonzero(mask)`")
    mask = reader.truth(node, values[0])
    if any(value.dtype == "text" for value in values[1:]):
        raise Unread(node, Code.TYPE, "an array of texts", "return the mask, and choose the texts where the function is called: `np.where(f(x), \"yes\", \"no\")`")
    if values[1].weak and values[2].weak:
        dtype = "f64" if "f64" in (values[1].dtype, values[2].dtype) else values[1].dtype
        if values[1].dtype != values[2].dtype and "bool" in (values[1].dtype, values[2].dtype):
            raise Unread(node, Code.TYPE, "a truth value or a number", "convert one of them")
    else:
        _, dtype = result_dtype(np.add, values[1:]) if values[1].dtype != "bool" or values[2].dtype != "bool" else ([], "bool")
    two = [fitted(reader.context, node, value, dtype) for value in values[1:]]
    made = elementwise(reader.context, node, [mask, *two], applied(reader.context.library("where", dtype)), dtype)
    return replace(made, weak=False, memory=frozenset())


@entry("dot", "matmul")
def _dot(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options)
    if reader.called(node).__name__ == "dot" and any(value.items is None and not value.rank for value in values):
        return strong(binary(reader.context, node, ast.Mult, *(strong(reader.as_array(node, value)) for value in values)))
    return matmul(reader, node, *values)


def matmul(reader: Expressions, node: ast.AST, a: Value, b: Value) -> Value:
    """`a @ b`."""
    context = reader.context
    a, b = reader.as_array(node, a), reader.as_array(node, b)
    if max(a.rank, b.rank) > 2 and min(a.rank, b.rank) > 0 and isinstance(node, (ast.BinOp, ast.Call)):
        return _stacked_product(reader, node, a, b)
    if a.rank == b.rank == 2 and len(a.axes) + len(b.axes) < 4:
        return _narrow_product(reader, node, a, b)
    if a.rank not in (1, 2) or b.rank not in (1, 2) or len(a.axes) != a.rank or len(b.axes) != b.rank:
        raise Unread(node, Code.SHAPE, f"a product of {a.rank} and {b.rank} dimensions (or with a size of 1) is not read", "products of vectors and matrices are")
    _, dtype = result_dtype(np.matmul, [a, b])
    if dtype == "bool":
        raise Unread(node, Code.TYPE, "a product of matrices of truth values", "convert them: `astype(np.int64)`")
    a, b = convert(a, dtype), convert(b, dtype)
    size, check = joined_sizes(reader, node, a.shape[-1], b.shape[-2 if b.rank == 2 else 0])
    if check and not size.known:
        a = named_size(context, a, a.rank - 1)
        size = a.shape[-1]
    if check:
        a = a if a.shape[-1] == size else sized(context, node, a, a.rank - 1, size)
        place = b.rank - 2 if b.rank == 2 else 0
        b = b if b.shape[place] == size else sized(context, node, b, place, size)
    name = {(1, 1): "dot", (2, 1): "matvec", (1, 2): "vecmat", (2, 2): "matmul"}[a.rank, b.rank]
    shape = (*a.shape[:-1], *(b.shape[1:] if b.rank == 2 else ()))
    return Value(f"{context.library(name, dtype)} {a.argument} {b.argument}", APPLY, dtype, shape)


def _narrow_product(reader: Expressions, node: ast.AST, a: Value, b: Value) -> Value:
    """A product of matrices, of which one has one row or one column for certain."""
    if a.shape[1] == ONE and b.shape[0] == ONE:
        # A column and a row: all products of their elements.
        if "bool" in (a.dtype, b.dtype):
            raise Unread(node, Code.TYPE, "a product of matrices of truth values", "convert them: `astype(np.int64)`")
        return replace(binary(reader.context, node, ast.Mult, a, b), memory=frozenset())
    if ONE in (a.shape[1], b.shape[0]):
        raise Unread(node, Code.SHAPE, "a product of matrices whose inner sizes are 1 and another", "NumPy raises an error, too, unless both are 1")
    row, column = a.shape[0] == ONE, b.shape[1] == ONE
    made = matmul(reader, node, replace(a, shape=a.shape[1:]) if row else a, replace(b, shape=b.shape[:1]) if column else b)
    shape = ((ONE,) if row else made.shape[:1]) + ((ONE,) if column else made.shape[-1:])
    return replace(made, shape=shape, weak=False)


def _stacked_product(reader: Expressions, node: ast.AST, a: Value, b: Value) -> Value:
    """A product of more than two dimensions: `@` of stacks of matrices, `np.dot` with a vector or matrix at the end."""
    context = reader.context
    dot = isinstance(node, ast.Call) and reader.called(node).__name__ == "dot"
    _, dtype = result_dtype(np.matmul, [a, b])
    a, b = convert(a, dtype), convert(b, dtype)
    if len(a.axes) != a.rank and b.rank == 2 and a.rank > 2 and a.shape[-2] == ONE and len(a.axes) == a.rank - 1:
        # One row in each matrix.
        rows = replace(a, shape=(*a.shape[:-2], a.shape[-1]))
        made = matmul(reader, node, rows, b) if rows.rank <= 2 else _stacked_product(reader, node, rows, b)
        return replace(made, shape=(*made.shape[:-1], ONE, made.shape[-1]))
    if len(a.axes) != a.rank or len(b.axes) != b.rank or dtype == "bool":
        raise Unread(node, Code.SHAPE, f"a product of {a.rank} and {b.rank} dimensions with a size of 1 is not read", "")
    if b.rank <= 2:
        size, check = joined_sizes(reader, node, a.shape[-1], b.shape[0])
        b = sized(context, node, b, 0, size) if check and b.shape[0] != size else b
        a = sized(context, node, a, a.rank - 1, size) if check and a.shape[-1] != size else a
        name = context.library("matvec" if b.rank == 1 else "matmul", dtype)
        own = context.short()
        context.names.discard(own)
        product = f"\\{own} -> {name} {own} {b.argument}"
        text = f"{under(product, a.rank - 2)} {a.argument}"
        return Value(text, APPLY, dtype, (*a.shape[:-1], *b.shape[1:]))
    if dot or a.rank != b.rank or a.rank > 4:
        raise Unread(node, Code.SHAPE, f"a product of {a.rank} and {b.rank} dimensions is not read", "write it with `np.einsum`")
    for k in range(a.rank - 2):
        size, check = joined_sizes(reader, node, a.shape[k], b.shape[k])
        if check:
            a, b = (each if each.shape[k] == size else sized(context, node, each, k, size) for each in (a, b))
    size, check = joined_sizes(reader, node, a.shape[-1], b.shape[-2])
    if check:
        b = sized(context, node, b, b.rank - 2, size)
    function = context.library("matmul", dtype)
    for _ in range(a.rank - 2):
        function = f"map2 ({function})" if " " in function else f"map2 {function}"
    return Value(f"{function} {a.argument} {b.argument}", APPLY, dtype, (*a.shape[:-1], b.shape[-1]))


def joined_sizes(reader: Expressions, node: ast.AST, a: Size, b: Size) -> tuple[Size, bool]:
    """One size for two that have to be equal; whether that is looked at when the program runs."""
    from .operators import joined

    return joined(reader.context, node, [a, b])


@entry("outer")
def _outer(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options)
    a, b = (ravel(reader, node, reader.as_array(node, value)) if value.rank != 1 else value for value in values)
    return binary(reader.context, node, ast.Mult, replace(a, shape=(*a.shape, ONE)), b)


@entry("linalg.norm")
def _norm(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options)
    (value,) = values
    value = reader.as_float(node, ravel(reader, node, value) if value.rank > 1 else value)
    return Value(f"{reader.context.library('norm', value.dtype)} {value.argument}", APPLY, value.dtype)


@entry("trace")
def _trace(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options)
    (value,) = values
    if value.rank != 2 or len(value.axes) != 2 or value.dtype not in ("f64", "f32", "i64"):
        raise Unread(node, Code.SHAPE, "`trace` of this is not read", "")
    if value.shape[0] != value.shape[1]:
        _, check = joined_sizes(reader, node, *value.shape)
        if check:
            raise Unread(node, Code.SHAPE, "`trace` of a matrix that is not known to be square", "")
    return Value(f"{reader.context.library('trace', value.dtype)} {value.argument}", APPLY, value.dtype)


def shape_of(reader: Expressions, node: ast.AST, given: Value) -> list[Value]:
    """The sizes that a `shape` argument gives."""
    items = list(given.items) if given.items is not None else [given]
    for item in items:
        if not item.scalar or item.dtype not in INTS:
            raise Unread(node, Code.SHAPE, "this is no shape", "give an integer or a tuple of integers")
    return items


def filled(reader: Expressions, node: ast.AST, shape: list[Value], element: Value) -> Value:
    """An array with the same value everywhere."""
    text, prec = bound_text(element), element.prec if element.const is None else ATOM
    sizes: list[Size] = []
    for item in reversed(shape):
        size = item.size
        if size is None:
            size = reader.size_of(item)
        if size.number is not None and size.number < 0:
            raise Unread(node, Code.SHAPE, "a negative size", "")
        sizes.insert(0, size)
        if size == ONE:
            continue
        inner = Value(text, prec, "").argument
        if text.startswith("-"):
            inner = f"({text})"
        count = item.argument
        if size.known and len(size.names()) > 0 and item.text.startswith(("times ", "plus ", "minus ")):
            # The size is written as a polynomial, which types are compared by; whether it fits into 64 bits is looked at beside it.
            reader.context.pending.append(f"let _ = {item.text}")
            count = f"({size.text()})"
        text, prec = f"replicate {count} {inner}", APPLY
    return Value(text, prec, element.dtype, tuple(sizes))


@entry("zeros", "ones", "empty", "full", "zeros_like", "ones_like", "empty_like", "full_like")
def _filled(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options, ("dtype",))
    name = reader.called(node).__name__
    like = name.endswith("_like")
    what = name.split("_")[0]
    value = literal({"zeros": 0, "ones": 1, "empty": 0, "full": 0}[what])
    if what == "full":
        value = values[1]
        if value.rank or value.items is not None or value.function is not None:
            raise Unread(node, Code.SHAPE, f"`{name}` of what is no number", "broadcast it: `np.zeros(shape) + values`")
    default = values[0].dtype if like else ("f64" if what != "full" else value.dtype)
    if len(values) > (2 if what == "full" else 1):
        options = {**options, "dtype": values[-1]}
    dtype = _option_dtype(reader, node, options, default)
    value = literal(bool(value.const)) if dtype == "bool" and value.const is not None else convert(value, dtype)
    shape = [reader.size_value(values[0], k) for k in range(values[0].rank)] if like else shape_of(reader, node, values[0])
    return filled(reader, node, shape, value)


@entry("eye", "identity")
def _eye(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options, ("dtype",))
    if len(values) != 1:
        raise Unread(node, Code.FORM, "`eye` with these arguments is not read", "")
    dtype = _option_dtype(reader, node, options, "f64")
    size = values[0].size or reader.size_of(values[0])
    return Value(f"{reader.context.library('eye', dtype)} {values[0].argument}", APPLY, dtype, (size, size))


@entry("arange")
def _arange(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options)
    if any(value.dtype != "i64" or not value.scalar for value in values):
        raise Unread(node, Code.TYPE, "`arange` of floats is not read", "use `np.linspace`, or `np.arange(n) * step`")
    return integers(reader, node, values)


def integers(reader: Expressions, node: ast.AST, values: list[Value]) -> Value:
    """The integers of a `range` as an array."""
    context = reader.context
    start, stop, step = (literal(0), values[0], literal(1)) if len(values) == 1 else (values[0], values[1], values[2] if len(values) > 2 else literal(1))
    if step.const is None:
        by = context.short("size")
        context.stable.add(by)
        context.pending.append(f"let {by} = {context.helper('forwards')} {step.argument}")
        own = context.short()
        context.names.discard(own)
        count = f"i64.max 0 (({binary(context, node, ast.Sub, stop, start).text} + {by} - 1) / {by})"
        return Value(f"map (\\{own} -> {start.at(PRODUCT)} + {own} * {by}) (iota ({count}))", APPLY, "i64", (unknown_size(),), small=True)
    if step.const == 0:
        raise Unread(node, Code.FORM, "a step of 0", "NumPy raises an error, too")
    if start.const == 0 and step.const == 1:
        size = stop.size or reader.size_of(stop)
        if not context.assume(size, "a range that ends before 0") and not reader.known_nonnegative(stop):
            count = f"i64.max 0 {stop.argument}"
            return Value(f"iota ({count})", APPLY, "i64", (unknown_size(),), small=True)
        return Value(f"iota {stop.argument}", APPLY, "i64", (size,), small=True)
    if step.const == 1:
        low, high = start.size or reader.size_of(start), stop.size or reader.size_of(stop)
        length = high - low
        if context.assume(length, "a range that ends before it begins"):
            return Value(f"range {start.argument} {stop.argument}", APPLY, "i64", (length,), small=True)
        return Value(f"range {start.argument} (i64.max {start.argument} {stop.argument})", APPLY, "i64", (unknown_size(),), small=True)
    arange = context.library("arange", "i64")
    return Value(f"{arange} {start.argument} {stop.argument} {step.argument if step.const > 0 else f'({step.text})'}", APPLY, "i64", (unknown_size(),), small=True)


@entry("linspace")
def _linspace(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options)
    if len(values) != 3 or not all(value.scalar for value in values):
        raise Unread(node, Code.FORM, "`linspace` with these arguments is not read", "give two numbers and a count")
    size = values[2].size or reader.size_of(values[2])
    low, high = (convert(value, "f64") for value in values[:2])
    return Value(f"{reader.context.library('linspace')} {low.argument} {high.argument} {values[2].argument}", APPLY, "f64", (size,))


@entry("array", "asarray", "copy", "ascontiguousarray", "asfortranarray")
def _array(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options, ("dtype",))
    value = values[0]
    if len(values) > 1:
        options = {"dtype": values[1]}
    aliased = value.memory if reader.called(node).__name__ in ("asarray", "ascontiguousarray", "asfortranarray") else frozenset()
    value = replace(reader.as_array(node, value), memory=aliased, weak=False)
    return cast(reader, node, value, options["dtype"].function) if "dtype" in options else value


@entry("roll")
def _roll(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options, ("axis",))
    context = reader.context
    value, shift = reader.as_array(node, values[0]), values[1]
    given = values[2] if len(values) > 2 else options.get("axis")
    if not shift.scalar or shift.dtype != "i64":
        raise Unread(node, Code.FORM, "`roll` by several places", "roll one axis after the other")
    axes = axis_of(node, value, given)
    if axes is None and value.rank != 1:
        raise Unread(node, Code.SHAPE, "`roll` of all elements of a matrix", "name an axis")
    axis = 0 if axes is None else axes[0]
    if axes is not None and len(axes) != 1:
        raise Unread(node, Code.SHAPE, "`roll` of several axes", "roll one axis after the other")
    if axis not in value.axes:
        return replace(value, memory=frozenset())
    if value.shape[axis].number == 0:
        return value
    place = value.axes.index(axis)
    amount = f"({shift.text})" if shift.text.startswith("-") else shift.argument
    if place == len(value.axes) - 1:
        text = f"{context.library('roll', value.dtype)} {amount} {value.argument}"
    else:
        function = f"{_plain(context.library, 'roll_axis0')} {amount}"
        text = f"{under(function, place)} {value.argument}"
    return Value(text, APPLY, value.dtype, value.shape)


@entry("concatenate", "hstack")
def _concatenate(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options)
    parts = list(values[0].items or ())
    if len(values) != 1 or not parts or any(part.rank != 1 for part in parts):
        raise Unread(node, Code.SHAPE, "a concatenation of these is not read", "concatenate vectors along their only axis")
    _, dtype = result_dtype(np.add, [parts[0], parts[-1]]) if len({p.dtype for p in parts}) > 1 else ([], parts[0].dtype)
    if len({p.dtype for p in parts}) > 2:
        raise Unread(node, Code.TYPE, "a concatenation of many types", "convert them first")
    total = parts[0].shape[0]
    for part in parts[1:]:
        total = total + part.shape[0]
    texts = [f"[{part.text}]" if not part.axes else convert(part, dtype).at(PRODUCT) for part in parts]
    return Value(" ++ ".join(texts), LOWER, dtype, (total,))


LOWER = 1


@entry("bincount")
def _bincount(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options, ("minlength",))
    least = options["minlength"].const if "minlength" in options else None
    if values[0].dtype == "u8" and values[0].rank == 1 and len(values[0].axes) == 1 and len(values) == 1 and isinstance(least, int) and least >= 256:
        return Value(f"{_plain(reader.context.library, 'bincount')} {least} {convert(values[0], 'i64').argument}", APPLY, "i64", (Size.of(least),))
    raise Unread(node, Code.SHAPE, "the length of `bincount` depends on its largest element", "write `np.zeros(k, dtype=int)` and a loop that counts, or `np.histogram` with a range")


@entry("flatnonzero")
def _flatnonzero(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options)
    mask = reader.truth(node, ravel(reader, node, reader.as_array(node, values[0])))
    return Value(f"{_plain(reader.context.library, 'nonzero')} {mask.argument}", APPLY, "i64", (unknown_size(),), small=True)


def transposed(node: ast.AST, value: Value) -> Value:
    """`a.T`."""
    if value.rank < 2:
        return value
    if value.rank > 2:
        raise Unread(node, Code.SHAPE, "the transpose of more than two dimensions", "use `np.swapaxes`")
    shape = value.shape[::-1]
    if len(value.axes) < 2:
        return replace(value, shape=shape)
    return replace(value, text=f"transpose {value.argument}", prec=APPLY, shape=shape)


def reshaped(reader: Expressions, node: ast.AST, value: Value, shape: list[Value]) -> Value:
    """The elements in another shape, whose sizes are known."""
    flat = value if value.rank == 1 and value.axes else ravel(reader, node, value)
    if len(shape) == 1 and shape[0].const == -1:
        return flat
    sizes = [reader.size_of(item) for item in shape]
    if not all(size.known and size.number != -1 for size in sizes) or len(sizes) > 2:
        raise Unread(node, Code.SHAPE, "this `reshape` is not read", "give all sizes, at most two of them")
    total = sizes[0]
    for size in sizes[1:]:
        total = total * size
    if total != flat.shape[0]:
        flat = sized(reader.context, node, flat, 0, total)
    if len(sizes) == 1:
        return flat
    return replace(flat, text=f"(unflatten {flat.argument} : [{sizes[0].text()}][{sizes[1].text()}]{value.dtype})", prec=ATOM, shape=tuple(sizes))


@entry("reshape")
def _reshape(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options)
    return reshaped(reader, node, values[0], shape_of(reader, node, values[1]))


@entry("percentile", "quantile")
def _percentile(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options)
    if len(values) != 2 or not values[1].scalar or len(values[0].axes) != 1:
        raise Unread(node, Code.FORM, "this percentile is not read", "of a vector, with one number")
    value = reader.as_float(node, values[0])
    name = reader.called(node).__name__
    if not reader.context.assume(value.shape[0] - 1, f"`{name}` of no elements is an error"):
        value = replace(value, text=f"{reader.context.helper('nonempty')} {value.argument}", prec=APPLY)
    return Value(f"{reader.context.library(name, value.dtype)} {convert(values[1], value.dtype).argument} {value.argument}", APPLY, value.dtype)


@entry("isfinite")
def _isfinite(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options)
    if values[0].dtype in ("c64", "c128"):
        from .others import said

        return said(reader, node, "np.isfinite(z.real) & np.isfinite(z.imag)", z=values[0])
    value = reader.as_float(node, values[0])
    return elementwise(reader.context, node, [value], lambda v: (f"{v[0].dtype}.abs {v[0].argument} < {v[0].dtype}.inf", COMPARE), "bool")


@entry("logical_not", "invert", "bitwise_not")
def _not(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options)
    if reader.called(node) is not np.logical_not and values[0].dtype != "bool":
        if values[0].dtype not in INTS:
            raise Unread(node, Code.TYPE, f"NumPy has no `invert` for {values[0].dtype}", "")
        return strong(elementwise(reader.context, node, [values[0]], lambda v: (f"!{v[0].at(UNARY + 1)}", UNARY), values[0].dtype))
    return elementwise(reader.context, node, [reader.truth(node, values[0])], lambda v: (f"!{v[0].at(UNARY + 1)}", UNARY), "bool")


@entry("logical_and", "logical_or", "logical_xor")
def _logical(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options)
    op = {"logical_and": ast.BitAnd, "logical_or": ast.BitOr, "logical_xor": ast.BitXor}[reader.called(node).__name__]
    return binary(reader.context, node, op, *(strong(reader.truth(node, value)) for value in values))


@entry("negative")
def _negative(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options)
    return strong(negated(reader.context, node, values[0]))


@entry("sign")
def _sign(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options)
    value = values[0]
    if value.dtype not in FLOATS | INTS:
        raise Unread(node, Code.TYPE, f"`sign` of {value.dtype} is not read", "")
    function = reader.context.library("sign", value.dtype) if value.dtype in FLOATS else f"{value.dtype}.sgn"
    return strong(elementwise(reader.context, node, [value], applied(function), value.dtype))
