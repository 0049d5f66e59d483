"""Functions of NumPy and methods of arrays that change shapes: other sizes, orders of dimensions, joins, diagonals."""

from __future__ import annotations

import ast
import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from .calls import TABLE, axis_of, ravel, refuse_options, under
from .diagnostics import Code, Unread
from .functions import joined_sizes
from .operators import named_array, named_size, sized
from .sizes import ONE, Size
from .tables import also, full, instead, square
from .values import APPLY, ATOM, LOW, Value, convert, literal, result_dtype

if TYPE_CHECKING:
    from .expressions import Expressions


def reshaped(reader: Expressions, node: ast.AST, value: Value, wanted: list[Value]) -> Value:
    """The elements in another shape."""
    context = reader.context
    count = Size.of(1)
    for size in value.shape:
        count = count * size
    free = [k for k, item in enumerate(wanted) if item.const == -1]
    sizes: list[Size | None] = []
    for k, item in enumerate(wanted):
        if not item.scalar or item.dtype != "i64" or (isinstance(item.const, int) and item.const < 0 and k not in free):
            raise Unread(node, Code.SHAPE, "this is no shape", "give integers")
        sizes.append(None if k in free else named(reader, node, item))
    if len(free) > 1:
        raise Unread(node, Code.SHAPE, "several sizes of -1", "")
    product = Size.of(1)
    for own in sizes:
        product = product * (own if own is not None else ONE)
    if free and not count.known and value.axes == (0,) and value.rank == 1:
        value = named_size(context, value, 0)
        count = value.shape[0]
    if free:
        sizes[free[0]] = quotient(reader, node, value, count, product)
        product = product * (sizes[free[0]] or ONE)
    # A size that is written as 1 can be stretched.
    shape = tuple(ONE if size.number == 1 else size for size in sizes if size is not None)
    flat = ravel(reader, node, value) if value.axes else replace(value, text=f"[{value.text}]", prec=ATOM, shape=(Size.of(1),))
    real = [size for size in shape if size != ONE]
    if not real and count.number != 1:
        raise Unread(node, Code.SHAPE, "one element of several", "index the array")
    if not real:
        return replace(value, text=f"{flat.argument}[0]" if value.axes else value.text, prec=ATOM if value.axes else value.prec, shape=shape)
    if count != product:
        if not product.known:
            raise Unread(node, Code.SHAPE, "the sizes of this shape have no names", "give them names: `k = len(x)`")
        flat = replace(flat, text=f"sized {in_brackets(product.text())} {flat.argument}", prec=APPLY)
    text, prec = flat.text, flat.prec
    if len(real) > 6:
        raise Unread(node, Code.SHAPE, "more than six dimensions", "")
    if len(real) > 1:
        if not all(size.known for size in real):
            raise Unread(node, Code.SHAPE, "the sizes of this shape have no names", "give them names: `k = len(x)`")
        first = min(len(real), 4)
        for many in range(first, len(real) + 1):
            # Beyond four dimensions the first ones are split one by one.
            function = {2: "unflatten", 3: "unflatten_3d", 4: "unflatten_4d"}[first] if many == first else "unflatten"
            dims = "".join(f"[{size.text()}]" for size in first_joined(real, many))
            text, prec = f"({function} {Value(text, prec, '').argument} : {dims}{value.dtype})", ATOM
    return Value(text, prec, value.dtype, shape, memory=value.memory)


def first_joined(sizes: list[Size], count: int) -> list[Size]:
    """So many sizes, of which the first is the product of several."""
    joined = list(sizes)
    while len(joined) > count:
        joined[:2] = [joined[0] * joined[1]]
    return joined


def as_shape(node: ast.AST, flat: Value, like: Value) -> Value:
    """The elements of a vector in the shape of an array, which has as many."""
    if like.rank == 1:
        return replace(flat, shape=like.shape)
    if like.rank > 4 or len(like.axes) != like.rank or not all(size.known for size in like.shape):
        raise Unread(node, Code.SHAPE, "an array whose sizes have no names, or of more than four dimensions", "give the sizes names: `n, m = a.shape`")
    function = {2: "unflatten", 3: "unflatten_3d", 4: "unflatten_4d"}[like.rank]
    dims = "".join(f"[{size.text()}]" for size in like.shape)
    product = math.prod(like.shape, start=ONE)
    if flat.shape[0] != product:
        flat = replace(flat, text=f"sized {in_brackets(product.text())} {flat.argument}", prec=APPLY)
    return Value(f"({function} {flat.argument} : {dims}{flat.dtype})", ATOM, flat.dtype, like.shape)


def bound(reader: Expressions, value: Value) -> Value:
    """The value under a name."""
    return named_array(reader.context, value)


def named(reader: Expressions, node: ast.AST, item: Value) -> Size:
    """A number as a size that has a name."""
    size = reader.size_of(item)
    if size.known:
        return size
    name = reader.context.short("size")
    reader.context.stable.add(name)
    reader.context.pending.append(f"let {name} = {item.text}")
    return Size.name(name)


def count_of(reader: Expressions, node: ast.AST, item: Value) -> Size:
    """A number as a size that has a name; 0 where it is negative, as NumPy takes it for numbers of copies and lengths of windows."""
    if item.dtype != "i64" or not item.scalar:
        raise Unread(node, Code.TYPE, "this is no number of elements", "give an integer")
    if item.const is not None:
        return Size.of(max(0, item.const))
    if reader.known_nonnegative(item):
        return named(reader, node, item)
    name = reader.context.short("size")
    reader.context.stable.add(name)
    reader.context.pending.append(f"let {name} = i64.max 0 {item.argument}")
    return Size.name(name)


def in_brackets(text: str) -> str:
    """As an argument."""
    return text if text.isalnum() or text.isidentifier() else f"({text})"


def quotient(reader: Expressions, node: ast.AST, value: Value, count: Size, product: Size) -> Size:
    """The size that -1 stands for."""
    if product.number == 1:
        return count
    if count.number is not None and product.number:
        if count.number % product.number:
            raise Unread(node, Code.SHAPE, f"{count.number} elements do not fit into this shape", "NumPy raises an error, too")
        return Size.of(count.number // product.number)
    if len(product.terms) == 1:
        ((names, factor),) = product.terms.items()
        left: dict[tuple[str, ...], int] = {}
        for own, amount in count.terms.items():
            rest = list(own)
            if amount % factor or any(rest.count(name) < names.count(name) for name in names):
                break
            for name in names:
                rest.remove(name)
            left[tuple(rest)] = amount // factor
        else:
            return Size(left)
    if not count.known or not product.known:
        raise Unread(node, Code.SHAPE, "the size that -1 stands for has no name", "give it a name")
    name = reader.context.short("size")
    reader.context.stable.add(name)
    reader.context.pending.append(f"let {name} = {in_brackets(count.text())} / {in_brackets(product.text())}")
    return Size.name(name)


_first_reshape = TABLE["reshape"]


@instead("reshape", "method.reshape")
def _reshape(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options, ("order",))
    value, *rest = values
    items = list(rest[0].items) if len(rest) == 1 and rest[0].items is not None else rest
    if in_columns(node, options.get("order")):
        value = reader.as_array(node, value)
        turned = reshaped(reader, node, permuted(node, value, list(range(value.rank))[::-1]), items[::-1])
        return permuted(node, turned, list(range(turned.rank))[::-1])
    try:
        return _first_reshape(reader, node, [value, Value("", ATOM, "tuple", items=tuple(items))], {})
    except Unread:
        return reshaped(reader, node, reader.as_array(node, value), items)


def in_columns(node: ast.AST, order: Value | None) -> bool:
    """Whether elements are gone over as Fortran does, the first index fastest."""
    said = "C" if order is None else order.function if order.dtype == "text" else None
    if said not in ("C", "F"):
        raise Unread(node, Code.FORM, "the order in which the elements lie in memory", "write `order='C'` or `order='F'`: the program does not know the memory of arrays")
    return said == "F"


@instead("ravel", "method.ravel", "method.flatten")
def _ravel(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options, ("order",))
    value, *rest = [reader.as_array(node, values[0]), *values[1:]]
    if len(rest) > 1:
        raise Unread(node, Code.FORM, "too many arguments", "NumPy raises an error, too")
    if in_columns(node, rest[0] if rest else options.get("order")):
        value = permuted(node, value, list(range(value.rank))[::-1])
    made = ravel(reader, node, value)
    return replace(made, memory=frozenset()) if isinstance(node.func, ast.Attribute) and node.func.attr == "flatten" else made


def permuted(node: ast.AST, value: Value, order: list[int]) -> Value:
    """The dimensions in another order, by exchanges of neighbours."""
    real = [k for k in order if k in value.axes]
    text, prec = value.text, value.prec
    current = list(value.axes)
    for place, wanted in enumerate(real):
        at = current.index(wanted)
        while at > place:
            text, prec = f"{under('transpose', at - 1)} {Value(text, prec, '').argument}", APPLY
            current[at - 1], current[at] = current[at], current[at - 1]
            at -= 1
    return Value(text, prec, value.dtype, tuple(value.shape[k] for k in order), memory=value.memory)


def places(node: ast.AST, value: Value, given: list[Value]) -> list[int]:
    """Numbers of dimensions."""
    numbers = [item.const for item in given]
    if any(not isinstance(number, int) or not -value.rank <= number < value.rank for number in numbers):
        raise Unread(node, Code.SHAPE, "these are no dimensions of the array", "write numbers")
    return [number % value.rank for number in numbers]


@instead("transpose", "method.transpose", "permute_dims")
def _transpose(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options, ("axes",))
    value, *rest = [*values, options["axes"]] if "axes" in options else values
    given = list(rest[0].items) if len(rest) == 1 and rest[0].items is not None else rest
    order = places(node, value, given) if given else list(range(value.rank))[::-1]
    if sorted(order) != list(range(value.rank)):
        raise Unread(node, Code.SHAPE, "this is no order of the dimensions", "")
    return permuted(node, value, order)


@also("swapaxes", "method.swapaxes", "moveaxis")
def _swapaxes(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options)
    value, *rest = values
    if len(rest) != 2:
        raise Unread(node, Code.FORM, "this is not read", "give two dimensions")
    one, other = places(node, value, rest)
    order = list(range(value.rank))
    if reader.called(node).__name__ == "moveaxis":
        order.remove(one)
        order.insert(other, one)
    else:
        order[one], order[other] = order[other], order[one]
    return permuted(node, value, order)


@also("squeeze", "method.squeeze", "expand_dims", "atleast_1d")
def _ones(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options, ("axis",))
    value, name = values[0], reader.called(node).__name__
    given = values[1] if len(values) > 1 else options.get("axis")
    if name == "squeeze":
        axes = axis_of(node, value, given)
        for axis, size in enumerate(value.shape):
            if axes is None and size != ONE and size.number is None and not reader.context.never_negative(size - 2):
                # Where it turns out to be 1 the result would have another rank.
                if not size.known:
                    value = named_size(reader.context, value, axis)
                reader.context.pending.append(f'let _ = assert ({value.shape[axis].text()} != 1) "squeeze of a dimension whose size is 1 when the program runs"')
        gone = [k for k, size in enumerate(value.shape) if (axes is None or k in axes) and (size == ONE or size.number == 1)]
        if axes is not None and len(gone) != len(axes):
            raise Unread(node, Code.SHAPE, "a dimension that is not of size 1", "NumPy raises an error, too, where its size is another")
        index = [("0" if k in gone else ":") for k in value.axes]
        text = f"{value.argument}[{', '.join(index)}]" if "0" in index else value.text
        return replace(value, text=text, prec=ATOM if "0" in index else value.prec, shape=tuple(size for k, size in enumerate(value.shape) if k not in gone))
    if name == "atleast_1d":
        return value if value.rank else replace(value, shape=(ONE,), weak=False)
    if given is None or not isinstance(given.const, int) or not -value.rank - 1 <= given.const <= value.rank:
        raise Unread(node, Code.SHAPE, "`axis` is no constant", "write `x[:, None]`")
    shape = list(value.shape)
    shape.insert(given.const % (value.rank + 1), ONE)
    return replace(value, shape=tuple(shape), weak=False)


@also("flip", "flipud", "fliplr", "rot90")
def _flip(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options, ("axis",))
    name = reader.called(node).__name__
    value = values[0]
    if name == "rot90":
        if len(values) != 1:
            raise Unread(node, Code.FORM, "`rot90` with these arguments is not read", "")
        turned = permuted(node, full(node, value, 2), [1, 0])
        return replace(turned, text=f"reverse {turned.argument}", prec=APPLY)
    given = values[1] if len(values) > 1 else options.get("axis")
    if value.rank < (2 if name == "fliplr" else 1):
        raise Unread(node, Code.SHAPE, f"`{name}` of {value.rank} dimensions", "NumPy raises an error, too")
    axes = {"flipud": (0,), "fliplr": (1,)}.get(name) or axis_of(node, value, given) or tuple(range(value.rank))
    for axis in axes:
        if axis in value.axes:
            value = replace(value, text=f"{under('reverse', value.axes.index(axis))} {value.argument}", prec=APPLY)
    return value


@also("method.view")
def _view(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options)
    if len(values) != 1:
        raise Unread(node, Code.TYPE, "the bytes of an array as another type", "")
    return values[0]


# Joins ---------------------------------------------------------------------------------------------------------------------------


def one_type(reader: Expressions, node: ast.AST, parts: list[Value]) -> tuple[list[Value], str]:
    """Arrays with the type that NumPy gives all of them."""
    dtype = parts[0].dtype
    for part in parts[1:]:
        if part.dtype != dtype:
            _, dtype = result_dtype(np.add, [replace(parts[0], dtype=dtype, weak=False, const=None), part])
    return [convert(part, dtype) for part in parts], dtype


_first_concatenate = TABLE["concatenate"]


@instead("concatenate", "hstack", "vstack")
def _concatenate(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options, ("axis",))
    name = reader.called(node).__name__
    if values[0].items is None and values[0].rank > 1 and len(values[0].axes) == values[0].rank and not options and len(values) == 1 and (name != "hstack" or values[0].rank == 2):
        # The rows of an array, or a list of arrays.
        whole = reader.as_array(node, values[0])
        if name == "vstack" and whole.rank == 2:
            return replace(whole, memory=frozenset())
        return replace(reshaped(reader, node, whole, [Value("-1", ATOM, "i64", const=-1), *(reader.size_value(whole, k) for k in range(2, whole.rank))]), memory=frozenset())
    parts = [reader.as_array(node, part) for part in values[0].items or ()]
    if not parts:
        raise Unread(node, Code.SHAPE, "a concatenation of these is not read", "write a tuple of arrays")
    if name == "vstack":
        parts = [part if part.rank > 1 else replace(part, shape=(ONE, *part.shape)) for part in parts]
    rank = parts[0].rank
    if any(part.rank != rank for part in parts) or not rank:
        raise Unread(node, Code.SHAPE, "a concatenation of arrays of different dimensions, or of numbers", "NumPy raises an error, too")
    given = values[1] if len(values) > 1 else options.get("axis")
    axis = (axis_of(node, parts[0], given) or (0,))[0] if name == "concatenate" else 0 if name == "vstack" or rank == 1 else 1
    if rank == 1:
        return _first_concatenate(reader, node, [Value("", ATOM, "tuple", items=tuple(parts))], {})
    parts, dtype = one_type(reader, node, parts)
    shape = list(parts[0].shape)
    for other in (k for k in range(rank) if k != axis):
        for k, part in enumerate(parts[1:], 1):
            size, check = joined_sizes(reader, node, shape[other], part.shape[other])
            if check and size == ONE:
                raise Unread(node, Code.SHAPE, "these sizes may differ", "")
            if check and not size.known:
                parts[0] = named_size(reader.context, parts[0], other)
                size = parts[0].shape[other]
            if check and part.shape[other] != size:
                parts[k] = sized(reader.context, node, parts[k], other, size)
            shape[other] = size
        if shape[other] == ONE:
            raise Unread(node, Code.SHAPE, "a concatenation of arrays with a dimension of size 1", "concatenate arrays without it")
    total = Size.of(0)
    for part in parts:
        total = total + part.shape[axis]
    shape[axis] = total
    if axis == 0:
        return Value(" ++ ".join(f"[{part.text}]" if part.shape[0] == ONE else part.argument for part in parts), LOW + 1, dtype, tuple(shape))
    inner = f"{under('map', axis - 1)} (\\x -> [x])" if axis > 1 else "map (\\x -> [x])"
    texts = [f"({inner} {part.argument})" if part.shape[axis] == ONE else part.argument for part in parts]
    function = "map2 (\\x y -> x ++ y)"
    for _ in range(axis - 1):
        function = f"map2 ({function})"
    text = texts[0]
    for each in texts[1:]:
        text = f"({function} {text} {each})"
    return Value(text[1:-1] if len(texts) > 1 else text, APPLY, dtype, tuple(shape))


@also("dstack")
def _dstack(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options)
    parts = [reader.as_array(node, part) for part in values[0].items or ()]
    if not parts or {part.rank for part in parts} not in ({2}, {3}):
        raise Unread(node, Code.SHAPE, "`dstack` of these is not read", "of matrices, or of arrays of three dimensions; `np.stack(xs, axis=-1)` is for others")
    from .others import said

    names = {f"x{k}": part for k, part in enumerate(parts)}
    function = "stack" if parts[0].rank == 2 else "concatenate"
    return said(reader, node, f"np.{function}(({', '.join(names)},), axis=2)", **names)


@also("stack", "column_stack")
def _stack(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options, ("axis",))
    if values[0].items is None and values[0].rank > 1 and reader.called(node).__name__ == "stack" and not options and len(values) == 1:
        return replace(reader.as_array(node, values[0]), memory=frozenset())
    if values[0].items is None:
        raise Unread(node, Code.SHAPE, "a stack of these is not read", "write a tuple of arrays")
    parts = [reader.as_array(node, part) for part in values[0].items]
    if reader.called(node).__name__ == "column_stack":
        if any(part.rank != 1 for part in parts):
            from .others import columns

            return columns(reader, node, parts)
        axis = 1
    else:
        given = values[1] if len(values) > 1 else options.get("axis")
        rank = parts[0].rank + 1
        axis = 0 if given is None else given.const % rank if isinstance(given.const, int) and -rank <= given.const < rank else -1
        if axis < 0:
            raise Unread(node, Code.SHAPE, "`axis` is no constant", "write the number")
    for axis_ in range(parts[0].rank):
        if any(part.rank != parts[0].rank for part in parts):
            raise Unread(node, Code.SHAPE, "arrays of different dimensions in a stack", "NumPy raises an error, too")
        for k, part in enumerate(parts[1:], 1):
            size, check = joined_sizes(reader, node, parts[0].shape[axis_], part.shape[axis_])
            if check and size.known and ONE not in (part.shape[axis_], parts[0].shape[axis_]):
                parts[k] = part if part.shape[axis_] == size else sized(reader.context, node, part, axis_, size)
                parts[0] = parts[0] if parts[0].shape[axis_] == size else sized(reader.context, node, parts[0], axis_, size)
    whole = reader.as_array(node, Value("", ATOM, "tuple", items=tuple(parts)))
    order = list(range(1, whole.rank))
    order.insert(axis, 0)
    return replace(permuted(node, whole, order), memory=frozenset())


@also("tile", "repeat", "method.repeat")
def _tile(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options)
    name = reader.called(node).__name__
    value = full(node, values[0], 1)
    if len(values) != 2 or not values[1].scalar or values[1].dtype != "i64":
        raise Unread(node, Code.FORM, f"`{name}` with these arguments is not read", "of a vector, with one number")
    # A negative number is an error when the program runs, as in NumPy.
    size = named(reader, node, values[1])
    return Value(f"{reader.context.library(name, value.dtype)} {in_brackets(size.text())} {value.argument}", APPLY, value.dtype, (size * value.shape[0],))


# Diagonals and triangles ---------------------------------------------------------------------------------------------------------


@also("diag", "diagonal", "method.diagonal")
def _diag(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options)
    name = reader.called(node).__name__
    if len(values) != 1 or name != "diag" and values[0].rank != 2:
        raise Unread(node, Code.FORM, f"`{name}` with these arguments is not read", "the main diagonal is")
    value = full(node, reader.as_array(node, values[0]), 1, 2)
    if value.rank == 2:
        value = square(reader, node, value)
        return Value(f"{reader.context.library('diagonal', value.dtype)} {value.argument}", APPLY, value.dtype, value.shape[:1], memory=value.memory)
    if value.dtype == "bool":
        raise Unread(node, Code.TYPE, "`diag` of truth values", "")
    return Value(f"{reader.context.library('diag', value.dtype)} {value.argument}", APPLY, value.dtype, value.shape * 2)


@also("triu", "tril")
def _triangle(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options, ("k",))
    name = reader.called(node).__name__
    value = full(node, values[0], 2)
    k = values[1] if len(values) > 1 else options.get("k", literal(0))
    if not k.scalar or k.dtype != "i64":
        raise Unread(node, Code.FORM, f"`{name}` from a diagonal that is no integer", "")
    if value.dtype == "bool":
        from .others import said

        return said(reader, node, f"np.{name}(x.astype(np.int64), k) != 0", x=value, k=k)
    amount = f"({k.text})" if k.text.startswith("-") else k.argument
    return Value(f"{reader.context.library(name, value.dtype)} {amount} {value.argument}", APPLY, value.dtype, value.shape)
