"""Further functions of NumPy, `math` and methods of arrays: other shapes, diagonals, joins, products by names of axes, windows, linear algebra.

They are looked for after those of `calls`; `TABLE` has both.
"""

from __future__ import annotations

import ast
import builtins
import math
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from .calls import TABLE, Call, axis_of, joined_sizes, matmul, moved_last, ravel, reduction, refuse_options, strong, under
from .context import HELPERS
from .diagnostics import Code, Unread
from .operators import applied, binary, elementwise, fitted, infix, named_size, sized, unknown_size
from .sizes import ONE, Size
from .values import APPLY, ATOM, FLOATS, INTS, LOW, PRODUCT, Value, convert, literal, result_dtype

if TYPE_CHECKING:
    from .expressions import Expressions

HELPERS["whole"] = (
    "-- | A float as one of Python's own integers, which fails where it is none of 64 bits.\n"
    'def whole (x: f64) : i64 = let _ = assert (f64.abs x < 9e18) "a float that is no integer of 64 bits" in i64.f64 x'
)
HELPERS["counted"] = (
    "-- | How often each number occurs, at least the first `least` of them; negative numbers are an error.\n"
    "def counted [n] (least: i64) (xs: [n]i64) : *[]i64 =\n"
    '  let _ = assert (and (map (>= 0) xs)) "a negative number is counted"\n'
    "  in bincount (i64.max least (1 + i64.maximum xs)) xs"
)
HELPERS["convolved"] = (
    "-- | The convolution wherever the arrays overlap; nothing stands beyond their ends, so that infinite elements stay where they are.\n"
    "def convolved [n][m] (xs: [n]f64) (ys: [m]f64) : *[n+m-1]f64 =\n"
    "  let at (i: i64) : f64 =\n"
    "    let start = i64.max 0 (i - m + 1)\n"
    "    in loop total = 0.0 for k < i64.min n (i + 1) - start do total + xs[start+k] * ys[i-start-k]\n"
    "  in tabulate (n+m-1) at"
)
HELPERS["regular"] = (
    "-- | A result of linear algebra, which fails where it has a NaN: the matrix is singular or not positive definite.\n"
    "def regular [n] (x: [n]f64) : [n]f64 = let _ = assert (!(any f64.isnan x)) \"a singular matrix\" in x"
)
HELPERS["regular_2d"] = (
    "-- | A matrix that linear algebra made, which fails where it has a NaN: the argument is singular or not positive definite.\n"
    "def regular_2d [n][m] (x: [n][m]f64) : [n][m]f64 = let _ = assert (!(any f64.isnan (flatten x))) \"a singular matrix\" in x"
)
for _name in ("sin", "cos", "tan"):
    HELPERS.setdefault(f"math_{_name}", f"-- | `math.{_name}`.\ndef math_{_name} (x: f64) : f64 = checked x (f64.{_name} x)")


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


# Shapes --------------------------------------------------------------------------------------------------------------------------


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
    if len(real) > 4:
        raise Unread(node, Code.SHAPE, "more than four dimensions", "")
    if len(real) > 1:
        if not all(size.known for size in real):
            raise Unread(node, Code.SHAPE, "the sizes of this shape have no names", "give them names: `k = len(x)`")
        function = {2: "unflatten", 3: "unflatten_3d", 4: "unflatten_4d"}[len(real)]
        dims = "".join(f"[{size.text()}]" for size in real)
        text, prec = f"({function} {Value(text, prec, '').argument} :> {dims}{value.dtype})", ATOM
    return Value(text, prec, value.dtype, shape, memory=value.memory)


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
    return text if text.isalnum() else f"({text})"


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
    refuse_options(node, options)
    value, *rest = values
    items = list(rest[0].items) if len(rest) == 1 and rest[0].items is not None else rest
    try:
        return _first_reshape(reader, node, [value, Value("", ATOM, "tuple", items=tuple(items))], {})
    except Unread:
        return reshaped(reader, node, reader.as_array(node, value), items)


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
        if axes is None and any(size.number is None and not reader.context.never_negative(size - 2) for size in value.shape if size != ONE):
            raise Unread(node, Code.SHAPE, "`squeeze` of dimensions whose size may be 1", "name the axis")
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
    parts = [reader.as_array(node, part) for part in values[0].items or ()]
    if not parts:
        raise Unread(node, Code.SHAPE, "a concatenation of these is not read", "write a tuple of arrays")
    if name == "vstack":
        parts = [part if part.rank > 1 else replace(part, shape=(ONE, *part.shape)) for part in parts]
    rank = parts[0].rank
    if any(part.rank != rank for part in parts) or rank not in (1, 2):
        raise Unread(node, Code.SHAPE, "a concatenation of these is not read", "of vectors, or of matrices")
    given = values[1] if len(values) > 1 else options.get("axis")
    axis = (axis_of(node, parts[0], given) or (0,))[0] if name == "concatenate" else 0 if name == "vstack" or rank == 1 else 1
    if rank == 1:
        return _first_concatenate(reader, node, [Value("", ATOM, "tuple", items=tuple(parts))], {})
    parts, dtype = one_type(reader, node, parts)
    other = 1 - axis
    size = parts[0].shape[other]
    for k, part in enumerate(parts[1:], 1):
        size, check = joined_sizes(reader, node, size, part.shape[other])
        if check and size == ONE or check and not size.known:
            raise Unread(node, Code.SHAPE, "these sizes may differ", "")
        if check and part.shape[other] != size:
            parts[k] = sized(reader.context, node, part, other, size)
    if size == ONE:
        raise Unread(node, Code.SHAPE, "matrices with one row or column", "concatenate vectors")
    total = Size.of(0)
    for part in parts:
        total = total + part.shape[axis]
    texts = []
    for part in parts:
        texts.append(f"[{part.text}]" if part.shape[axis] == ONE and axis == 0 else f"(map (\\x -> [x]) {part.argument})" if part.shape[axis] == ONE else part.argument)
    if axis == 0:
        return Value(" ++ ".join(texts), LOW + 1, dtype, (total, size))
    text = texts[0]
    for each in texts[1:]:
        text = f"(map2 (\\x y -> x ++ y) {text} {each})"
    return Value(text[1:-1] if len(texts) > 1 else text, APPLY, dtype, (size, total))


@also("stack", "column_stack")
def _stack(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options, ("axis",))
    if values[0].items is None:
        raise Unread(node, Code.SHAPE, "a stack of these is not read", "write a tuple of arrays")
    parts = [reader.as_array(node, part) for part in values[0].items]
    if reader.called(node).__name__ == "column_stack":
        if any(part.rank != 1 for part in parts):
            raise Unread(node, Code.SHAPE, "`column_stack` of matrices", "concatenate them with `axis=1`")
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
    value = full(node, values[0], 1, 2)
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
    if not k.scalar or k.dtype != "i64" or value.dtype == "bool":
        raise Unread(node, Code.FORM, f"`{name}` of this is not read", "")
    amount = f"({k.text})" if k.text.startswith("-") else k.argument
    return Value(f"{reader.context.library(name, value.dtype)} {amount} {value.argument}", APPLY, value.dtype, value.shape)


# Products ------------------------------------------------------------------------------------------------------------------------


@also("einsum")
def _einsum(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options)
    text = node.args[0].value if isinstance(node.args[0], ast.Constant) else None
    if not isinstance(text, str) or "." in text:
        raise Unread(node, Code.FORM, "the subscripts of `einsum` are no constant without `...`", "write them")
    inputs, arrow, output = text.replace(" ", "").partition("->")
    names = inputs.split(",")
    if not arrow:
        letters = "".join(names)
        output = "".join(sorted(letter for letter in set(letters) if letters.count(letter) == 1))
    arrays = values[1:]
    if len(names) != len(arrays) or any(len(name) != value.rank for name, value in zip(names, arrays)) or len(set(output)) != len(output):
        raise Unread(node, Code.SHAPE, "these subscripts do not fit the arrays", "NumPy raises an error, too")
    arrays, dtype = one_type(reader, node, [full(node, value, value.rank) for value in arrays])
    if dtype == "bool":
        raise Unread(node, Code.TYPE, "`einsum` of truth values", "convert them: `astype(np.int64)`")
    sizes: dict[str, Size] = {}
    for number, (name, value) in enumerate(zip(names, arrays)):
        for axis, letter in enumerate(name):
            size, check = joined_sizes(reader, node, sizes.setdefault(letter, value.shape[axis]), arrays[number].shape[axis])
            if check:
                arrays[number] = sized(reader.context, node, arrays[number], axis, size)
            sizes[letter] = size
    if output and set(output) - set(sizes) or any(not size.known for size in sizes.values()):
        raise Unread(node, Code.SHAPE, "the sizes of `einsum` are not known", "")
    plain = _known_product(reader, node, names, output, arrays)
    return plain if plain is not None else _tabulated(reader, names, output, arrays, sizes, dtype)


def _known_product(reader: Expressions, node: ast.AST, names: list[str], output: str, arrays: list[Value]) -> Value | None:
    """A product of vectors and matrices by its name."""
    if len(names) != 2 or any(len(set(name)) != len(name) for name in names):
        return None
    (a, b), (x, y) = names, arrays
    shared = set(a) & set(b)
    if len(shared) == 1 and a[-1] in shared and b[0] in shared and output == a[:-1] + b[1:] and len(a) <= 2 and len(b) <= 2:
        return matmul(reader, node, x, y)
    if not shared and len(a) == len(b) == 1 and output == a + b:
        return binary(reader.context, node, ast.Mult, replace(x, shape=(*x.shape, ONE)), y)
    return None


def _tabulated(reader: Expressions, names: list[str], output: str, arrays: list[Value], sizes: dict[str, Size], dtype: str) -> Value:
    """Each element as a sum of products."""
    context = reader.context
    taken: dict[str, str] = {}
    for letter in sizes:
        taken[letter] = letter if letter.islower() and letter not in context.names and letter not in context.sizes else context.short()
    factors = []
    for name, value in zip(names, arrays):
        factors.append(f"{value.argument}[{', '.join(taken[letter] for letter in name)}]" if name else value.argument)
    text, prec = " * ".join(factors), PRODUCT if len(factors) > 1 else ATOM
    for letter in reversed([letter for letter in sizes if letter not in output]):
        text, prec = f"{dtype}.sum (tabulate {in_brackets(sizes[letter].text())} (\\{taken[letter]} -> {text}))", APPLY
    for letter in reversed(output):
        text, prec = f"tabulate {in_brackets(sizes[letter].text())} (\\{taken[letter]} -> {text})", APPLY
    return Value(text, prec, dtype, tuple(sizes[letter] for letter in output))


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
    if dtype not in ("f64", "i64", "i32"):
        raise Unread(node, Code.TYPE, f"`convolve` of {dtype} is not read", "convert the arrays to float64")
    function = reader.context.helper("convolved") if dtype == "f64" else reader.context.library("convolve", dtype)
    return Value(f"{function} {x.argument} {y.argument}", APPLY, dtype, (x.shape[0] + y.shape[0] - 1,))


@also("hanning", "hamming", "blackman", "bartlett")
def _window(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options)
    (count,) = values
    size = count_of(reader, node, count)
    return Value(f"{reader.context.library(reader.called(node).__name__)} {in_brackets(size.text())}", APPLY, "f64", (size,))


# Elementwise functions -----------------------------------------------------------------------------------------------------------

LIBRARY_1 = {"radians": "radians", "deg2rad": "radians", "degrees": "degrees", "rad2deg": "degrees", "sinc": "sinc", "nan_to_num": "nan_to_num"}
LIBRARY_2 = {"fmod": "fmod", "logaddexp": "logaddexp", "logaddexp2": "logaddexp2"}


@also(*LIBRARY_1, *LIBRARY_2, "copysign", "heaviside", "reciprocal")
def _elementwise(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options)
    context, name = reader.context, reader.called(node).__name__
    wanted = 1 if name in LIBRARY_1 or name == "reciprocal" else 2
    if len(values) != wanted:
        raise Unread(node, Code.FORM, f"`{name}` with {len(values)} arguments is not read", "")
    if name == "reciprocal" and values[0].dtype not in FLOATS:
        raise Unread(node, Code.TYPE, f"`reciprocal` of {values[0].dtype} is not read", "NumPy's is an integer; convert the argument to a float")
    if name == "reciprocal":
        return strong(binary(context, node, ast.Div, replace(literal(1), weak=True), floating(reader, node, values[0])))
    if name == "nan_to_num" and values[0].dtype in INTS | {"bool"}:
        return replace(strong(values[0]), memory=frozenset())
    if wanted == 1:
        if name not in ("nan_to_num", "sinc"):
            result_dtype(getattr(np, name), values)
        value = floating(reader, node, values[0])
        return strong(elementwise(context, node, [value], applied(context.library(LIBRARY_1[name], value.dtype)), value.dtype))
    kinds, dtype = result_dtype(getattr(np, name), values)
    if dtype not in FLOATS:
        raise Unread(node, Code.TYPE, f"`{name}` of {dtype} is not read", "convert the arguments to floats")
    two = [fitted(context, node, value, dtype) for value in values]
    if name == "heaviside":
        two.reverse()
    function = f"{dtype}.copysign" if name == "copysign" else context.library(LIBRARY_2.get(name, name), dtype)
    return strong(elementwise(context, node, two, applied(function), dtype))


@also("round", "around", "method.round")
def _round(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options, ("decimals",))
    value = values[0]
    decimals = values[1] if len(values) > 1 else options.get("decimals", literal(0))
    if not isinstance(decimals.const, int):
        raise Unread(node, Code.FORM, "the number of decimals is no constant", "write the number")
    if value.dtype in INTS and decimals.const >= 0:
        return strong(value)
    if value.dtype not in FLOATS:
        raise Unread(node, Code.TYPE, f"`round` of {value.dtype} is not read", "")
    function = f"{value.dtype}.round" if decimals.const == 0 else f"{reader.context.library('around', value.dtype)} {decimals.argument if decimals.const >= 0 else f'({decimals.text})'}"
    return strong(elementwise(reader.context, node, [value], applied(function), value.dtype))


@also("isclose", "allclose")
def _isclose(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options)
    if len(values) != 2:
        raise Unread(node, Code.FORM, "tolerances are not read", "compare the difference")
    two = [convert(floating(reader, node, value), "f64") for value in values]
    close = elementwise(reader.context, node, two, applied(reader.context.library("isclose")), "bool")
    if reader.called(node).__name__ == "isclose" or not close.rank:
        return strong(close)
    return reduction(reader, node, "all", close, [], {})


@also("real", "imag", "conj", "conjugate", "angle", "method.conj", "method.conjugate")
def _complex(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options)
    return part_of_complex(reader, node, values[0], reader.called(node).__name__)


def part_of_complex(reader: Expressions, node: ast.AST, value: Value, name: str) -> Value:
    """The real part and so on."""
    if value.items is not None or value.function is not None:
        raise Unread(node, Code.TYPE, "this is no array of numbers", "")
    if value.dtype not in ("c64", "c128"):
        if name in ("real", "conj", "conjugate"):
            return value if name == "real" else strong(replace(value, memory=frozenset()))
        raise Unread(node, Code.TYPE, f"`{name}` of real numbers", "it is 0 everywhere")
    part = {"real": "re", "imag": "im", "angle": "arg"}.get(name)
    dtype = value.dtype if part is None else "f32" if value.dtype == "c64" else "f64"
    made = elementwise(reader.context, node, [value], applied(f"{value.dtype}.{part or 'conj'}"), dtype)
    return replace(made, memory=value.memory if part in ("re", "im") and value.rank else frozenset())


# Rows ----------------------------------------------------------------------------------------------------------------------------

NAN_REDUCTIONS = {"nansum": False, "nanprod": False, "nanmean": False, "nanstd": False, "nanvar": False, "nanmax": True, "nanmin": True, "nanmedian": False}


@also(*NAN_REDUCTIONS)
def _nan_reduction(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options, ("axis",))
    name = reader.called(node).__name__
    value = reader.as_array(node, values[0])
    if value.dtype in INTS | {"bool"} and name in ("nansum", "nanprod", "nanmax", "nanmin"):
        return reduction(reader, node, name[3:], value, values[1:], options)
    value = floating(reader, node, value)
    axes = axis_of(node, value, values[1] if len(values) > 1 else options.get("axis"))
    if not value.axes or axes is not None and (len(axes) != 1 or axes[0] not in value.axes):
        raise Unread(node, Code.SHAPE, f"`{name}` over these dimensions is not read", "")
    rows = ravel(reader, node, value) if axes is None else moved_last(value, value.axes.index(axes[0]), len(value.axes) - 1)
    shape = () if axes is None else tuple(size for k, size in enumerate(value.shape) if k not in axes)
    count = [value.shape[k] for k in (range(value.rank) if axes is None else axes)]
    if NAN_REDUCTIONS[name] and not all(reader.context.assume(size - 1, f"`{name}` of no elements is an error") for size in count if size != ONE):
        raise Unread(node, Code.SHAPE, f"`{name}` of what may have no elements", "")
    return Value(f"{reader.context.library(name, value.dtype)} {rows.argument}", APPLY, value.dtype, shape)


@also("unique")
def _unique(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options)
    value = ravel(reader, node, full(node, values[0], 1, 2))
    if value.dtype not in FLOATS | INTS:
        raise Unread(node, Code.TYPE, f"`unique` of {value.dtype} is not read", "")
    return Value(f"{reader.context.library('unique', value.dtype)} {value.argument}", APPLY, value.dtype, (unknown_size(),))


@also("searchsorted")
def _searchsorted(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options, ("side",))
    side = next((item.value.value for item in node.keywords if item.arg == "side" and isinstance(item.value, ast.Constant)), "left")
    if len(values) != 2 or side not in ("left", "right"):
        raise Unread(node, Code.FORM, "`searchsorted` with these arguments is not read", "")
    (xs, x), dtype = one_type(reader, node, [reader.as_array(node, value) for value in values])
    if dtype not in FLOATS | INTS:
        raise Unread(node, Code.TYPE, f"`searchsorted` of {dtype} is not read", "")
    full(node, xs, 1)
    function = reader.context.library("searchsorted" if side == "left" else "searchsorted_right", dtype)
    return Value(f"{function} {xs.argument} {x.argument}", APPLY, "i64", x.shape, small=True)


@also("interp")
def _interp(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options)
    if len(values) != 3:
        raise Unread(node, Code.FORM, "`interp` with these arguments is not read", "")
    x, xp, fp = (convert(floating(reader, node, value), "f64") for value in values)
    full(node, xp, 1), full(node, fp, 1)
    size, check = joined_sizes(reader, node, xp.shape[0], fp.shape[0])
    if check:
        if not size.known:
            raise Unread(node, Code.SHAPE, "these sizes may differ", "")
        xp, fp = (value if value.shape[0] == size else sized(reader.context, node, value, 0, size) for value in (xp, fp))
    if not reader.context.assume(size - 1, "`interp` of no points is an error"):
        xp = replace(xp, text=f"{reader.context.helper('nonempty')} {xp.argument}", prec=APPLY)
    return Value(f"{reader.context.library('interp')} {xp.argument} {fp.argument} {x.argument}", APPLY, "f64", x.shape)


@also("trapezoid", "trapz")
def _trapezoid(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options, ("dx", "x"))
    if values[0].dtype not in ("f64", "i64"):
        # Of other integers NumPy adds neighbours, which wraps around; of f32 the result is f32, unless `x` has another type.
        raise Unread(node, Code.TYPE, f"`trapezoid` of {values[0].dtype} is not read", "convert the array to float64")
    y = convert(floating(reader, node, full(node, values[0], 1)), "f64")
    x = values[1] if len(values) > 1 else options.get("x")
    if x is None:
        dx = convert(options.get("dx", literal(1.0)), "f64")
        if not dx.scalar:
            raise Unread(node, Code.SHAPE, "`dx` is no number", "")
        return Value(f"{reader.context.library('trapezoid')} {dx.argument} {y.argument}", APPLY, "f64")
    x = convert(floating(reader, node, full(node, x, 1)), "f64")
    size, check = joined_sizes(reader, node, x.shape[0], y.shape[0])
    if check:
        raise Unread(node, Code.SHAPE, "these sizes may differ", "")
    return Value(f"{reader.context.library('trapezoid_at')} {x.argument} {y.argument}", APPLY, "f64")


_first_bincount = TABLE["bincount"]


@instead("bincount")
def _bincount(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    try:
        return _first_bincount(reader, node, values, options)
    except Unread:
        refuse_options(node, options, ("minlength",))
    if len(values) != 1:
        raise Unread(node, Code.FORM, "`bincount` with weights is not read", "write a loop that adds")
    value = full(node, values[0], 1)
    least = options.get("minlength", literal(0))
    if value.dtype not in INTS - {"u64"} or not least.scalar or least.dtype != "i64":
        raise Unread(node, Code.TYPE, f"`bincount` of {value.dtype} is not read", "of integers")
    if not reader.known_nonnegative(least):
        least = Value(f"i64.max 0 {least.argument}", APPLY, "i64")
    reader.context.library("bincount")
    return Value(f"{reader.context.helper('counted')} {least.argument} {convert(value, 'i64').argument}", APPLY, "i64", (unknown_size(),))


@also("nonzero", "method.nonzero")
def _nonzero(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options)
    context, value = reader.context, full(node, reader.as_array(node, values[0]), 1, 2, 3)
    flat = TABLE["flatnonzero"](reader, node, [value], {})
    if value.rank == 1:
        return Value("", ATOM, "tuple", items=(flat,))
    # The places of all elements, and what they are in each dimension.
    size, name = context.short("size"), context.short()
    context.stable.add(size)
    context.pending.append(f"let [{size}] ({name}: [{size}]i64) = {flat.text}")
    rest = Value(name, ATOM, "i64", (Size.name(size),), small=True)
    items: list[Value] = []
    for k in reversed(range(1, value.rank)):
        count = reader.size_value(value, k)
        items.insert(0, strong(binary(context, node, ast.Mod, rest, count)))
        rest = strong(binary(context, node, ast.FloorDiv, rest, count))
    return Value("", ATOM, "tuple", items=(rest, *items))


_first_where = TABLE["where"]


@instead("where")
def _where(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    return _nonzero(reader, node, values, options) if len(values) == 1 else _first_where(reader, node, values, options)


# Methods of ufuncs ---------------------------------------------------------------------------------------------------------------


def call_ufunc_method(reader: Expressions, node: ast.Call, ufunc: Any, method: str) -> Value:
    """`np.maximum.accumulate(x)` and so on."""
    values, options = reader.arguments(node)
    name = ufunc.__name__
    if method == "outer" and len(values) == 2 and ufunc in _outer_operators():
        refuse_options(node, options)
        x, y = (full(node, value, 1) for value in values)
        return binary(reader.context, node, _outer_operators()[ufunc], replace(x, shape=(*x.shape, ONE)), y)
    if method == "reduce" and name in ("add", "multiply", "maximum", "minimum", "logical_and", "logical_or", "bitwise_or", "bitwise_and"):
        known = {"add": "sum", "multiply": "prod", "maximum": "max", "minimum": "min", "logical_and": "all", "logical_or": "any"}.get(name, "")
        value = reader.as_array(node, values[0])
        if known and value.rank:
            refuse_options(node, options, ("axis", "keepdims"))
            given = {"axis": literal(0), **options} if len(values) < 2 else options
            return reduction(reader, node, known, value, values[1:], given)
    if method == "accumulate" and name in ("add", "multiply", "maximum", "minimum"):
        return _accumulated(reader, node, {"add": "cumsum", "multiply": "cumprod", "maximum": "cummax", "minimum": "cummin"}[name], values, options)
    raise Unread(node, Code.NAME, f"`{ast.unparse(node.func)}` is not read", "write it with functions that docs/library.md lists")


def _outer_operators() -> dict[Any, type]:
    return {np.add: ast.Add, np.subtract: ast.Sub, np.multiply: ast.Mult, np.divide: ast.Div}


def _accumulated(reader: Expressions, node: ast.Call, function: str, values: list[Value], options: dict[str, Value]) -> Value:
    from .calls import along

    if function in ("cumsum", "cumprod"):
        given = options if len(values) > 1 or "axis" in options else {**options, "axis": literal(0)}
        return along(reader, node, function, values[0], values[1:], given)
    refuse_options(node, options, ("axis",))
    value = values[0]
    axis = (axis_of(node, value, values[1] if len(values) > 1 else options.get("axis", literal(0))) or (0,))[0]
    if value.dtype not in FLOATS | INTS or axis not in value.axes or len(value.axes) != value.rank or value.rank > 2:
        raise Unread(node, Code.SHAPE, "`accumulate` of this is not read", "")
    name = reader.context.library(function, value.dtype)
    text = f"{name} {value.argument}" if axis == value.rank - 1 else f"{reader.context.library('along0')} {name} {value.argument}"
    return Value(text, APPLY, value.dtype, value.shape)


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


@instead("linalg.norm")
def _norm(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    if len(values) == 1 and set(options) <= {"axis", "keepdims"} and options:
        squares = binary(reader.context, node, ast.Pow, floating(reader, node, values[0]), literal(2))
        total = reduction(reader, node, "sum", squares, [], options)
        return elementwise(reader.context, node, [total], applied(f"{total.dtype}.sqrt"), total.dtype)
    if len(values) != 1 or options or values[0].dtype in ("c64", "c128"):
        raise Unread(node, Code.FORM, "this norm is not read", "without `ord`, of real numbers; other norms are sums and maxima of `np.abs(x)`")
    return _first_norm(reader, node, values, options)


# `math` and builtins -------------------------------------------------------------------------------------------------------------


def _whole(reader: Expressions, value: Value, function: str) -> Value:
    text = value.argument if not function else f"(f64.{function} {value.argument})"
    return Value(f"{reader.context.helper('whole')} {text}", APPLY, "i64", weak=True)


def call_more(reader: Expressions, node: ast.Call, function: Any) -> Value | None:
    """Calls of `math` and builtins that `calls` does not read; None for others."""
    rounding: dict[Any, str] = {math.floor: "floor", math.ceil: "ceil", math.trunc: "trunc", builtins.round: "round", builtins.int: "trunc"}
    plain: dict[Any, str] = {math.erf: "erf", math.erfc: "erfc", math.fabs: "abs", math.isnan: "isnan", math.isinf: "isinf", math.atan2: "atan2", math.copysign: "copysign", math.radians: "", math.degrees: ""}
    if not isinstance(function, (type(math.erf), type)) or function not in rounding and function not in plain:
        return None
    values, options = reader.arguments(node)
    if options or not values or any(not value.scalar or value.rank or value.dtype not in FLOATS | INTS | {"bool"} for value in values):
        return None
    if function in rounding:
        if len(values) != 1 or values[0].dtype not in FLOATS:
            return values[0] if len(values) == 1 and values[0].weak and values[0].dtype == "i64" else None
        if function is builtins.round and not values[0].weak:
            return None
        return _whole(reader, convert(values[0], "f64"), rounding[function])
    values = [convert(value, "f64") for value in values]
    if len(values) != (2 if function in (math.atan2, math.copysign) else 1):
        return None
    name = f"f64.{plain[function]}" if plain[function] else reader.context.library(function.__name__)
    return Value(f"{name} {' '.join(value.argument for value in values)}", APPLY, "bool" if plain[function].startswith("is") else "f64", weak=True)


__all__ = ["call_more", "call_ufunc_method", "infix", "named_size", "part_of_complex"]
