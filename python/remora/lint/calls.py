"""Calls: NumPy's functions and methods by name, Python's own, and functions of the program."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from .einsum import einsum
from .findings import Rule
from .guesses import reduced_axis
from .shapes import ONE, UNKNOWN, Axis, Size, Value, wider

if TYPE_CHECKING:
    from .reader import Reader, Scope

REDUCTIONS = {"sum": "", "prod": "", "max": "", "min": "", "amax": "", "amin": "", "mean": "float", "std": "float", "var": "float", "median": "float", "any": "bool", "all": "bool", "argmax": "int", "argmin": "int", "ptp": "", "nansum": "", "nanmean": "float", "nanmax": "", "nanmin": "", "nanstd": "float", "norm": "float", "count_nonzero": "int", "average": "float"}
FLOATING = {"sqrt", "exp", "log", "log2", "log10", "log1p", "expm1", "sin", "cos", "tan", "arcsin", "arccos", "arctan", "sinh", "cosh", "tanh", "arctanh", "deg2rad", "rad2deg", "cbrt", "hypot", "arctan2", "true_divide", "sinc"}
SAME = {"abs", "absolute", "floor", "ceil", "round", "rint", "trunc", "around", "sign", "negative", "square", "sort", "flip", "roll", "cumsum", "cumprod", "copy", "conj", "nan_to_num", "clip", "flipud", "fliplr", "fftshift", "ascontiguousarray"}
TRUTHS = {"isnan", "isinf", "isfinite", "logical_not"}
BINARY = {"add", "subtract", "multiply", "divide", "maximum", "minimum", "fmax", "fmin", "power", "mod", "fmod", "floor_divide", "logaddexp", "logical_and", "logical_or", "equal", "less", "greater", "hypot", "arctan2", "true_divide"}
MADE = {"zeros": "float", "ones": "float", "empty": "float", "full": "", "identity": "float", "eye": "float"}
RANDOM = {"random", "normal", "uniform", "standard_normal", "rand", "randn", "integers", "randint", "poisson", "exponential", "binomial"}


def keyword(node: ast.Call, name: str, position: int | None = None) -> ast.expr | None:
    """An argument by its name or its place."""
    for item in node.keywords:
        if item.arg == name:
            return item.value
    return node.args[position] if position is not None and position < len(node.args) else None


def dtype(node: ast.expr | None, otherwise: str | None) -> str | None:
    """The kind that `dtype=` names."""
    if node is None:
        return otherwise
    name = node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", getattr(node, "value", ""))
    return {"int": "int", "int64": "int", "int32": "int", "intp": "int", "float": "float", "float64": "float", "float32": "float32", "uint8": "uint8", "bool": "bool", "bool_": "bool", "complex": "complex", "complex128": "complex"}.get(str(name))


def call(reader: Reader, node: ast.Call, scope: Scope) -> Value:
    """The result of a call, with what is wrong about it."""
    function = node.func
    if isinstance(function, ast.Name):
        return plain_call(reader, node, function.id, scope)
    if not isinstance(function, ast.Attribute):
        return arguments(reader, node, scope)
    root = function.value
    while isinstance(root, ast.Attribute):
        root = root.value
    if isinstance(root, ast.Name) and root.id in reader.numpy:
        return numpy_call(reader, node, function.attr, scope)
    base = reader.value(function.value, scope)
    if function.attr in RANDOM and base.axes is None:
        arguments(reader, node, scope)
        return sized(reader, node, keyword(node, "size", 0 if function.attr in ("random", "standard_normal") else 2), "int" if function.attr in ("integers", "randint", "poisson", "binomial") else "float", scope)
    return method_call(reader, node, function.attr, base, scope)


def arguments(reader: Reader, node: ast.Call, scope: Scope) -> Value:
    """Looks at the arguments of a call of which nothing else is known."""
    for item in [*node.args, *(item.value for item in node.keywords)]:
        reader.value(item.value if isinstance(item, ast.Starred) else item, scope)
    return UNKNOWN


def plain_call(reader: Reader, node: ast.Call, name: str, scope: Scope) -> Value:
    values = [reader.value(item.value if isinstance(item, ast.Starred) else item, scope) for item in node.args]
    for item in node.keywords:
        reader.value(item.value, scope)
    if name == "len" and len(values) == 1 and values[0].array:
        assert values[0].axes is not None
        return Value("int", (), number=values[0].axes[0].size)
    if name in ("int", "float") and len(values) == 1:
        return Value(name, (), number=values[0].number if name == "int" else None, extra={"weak": True})
    if name == "abs" and len(values) == 1:
        return values[0].but(memory=frozenset(), number=None)
    if name in reader.functions and name not in scope and not any(isinstance(item, ast.Starred) for item in node.args) and not node.keywords:
        reader.called.add(name)
        function = reader.functions[name]
        outer = {key: value for key, value in reader.globals.items() if key != "return"}
        return reader.function(function, values, outer)
    return UNKNOWN


def sized(reader: Reader, node: ast.Call, size: ast.expr | None, kind: str | None, scope: Scope) -> Value:
    """A new array of a shape that an argument gives."""
    if size is None:
        return Value(kind, ())
    value = reader.value(size, scope)
    if value.parts is not None:
        return reader.fresh(kind, tuple(Axis(part.number) for part in value.parts))
    if value.axes == ():
        return reader.fresh(kind, (Axis(value.number),))
    return reader.fresh(kind, None)


def numpy_call(reader: Reader, node: ast.Call, name: str, scope: Scope) -> Value:
    values = [reader.value(item, scope) for item in node.args if not isinstance(item, ast.Starred)]
    if any(isinstance(item, ast.Starred) for item in node.args) or not node.args:
        return UNKNOWN
    for item in node.keywords:
        reader.value(item.value, scope)
    first = values[0]
    if name in ("zeros", "ones", "empty") and len(values) > 1 and values[1].kind == "int" and values[1].axes == ():
        reader.report(node, Rule.AGREE, f"a shape of several sizes is a tuple: `np.{name}(({', '.join(map(ast.unparse, node.args))}))`; the second argument is the type")
        return reader.fresh(None, None)
    if name in MADE:
        kind = dtype(keyword(node, "dtype", None if name in ("full", "eye", "identity") else 1), MADE[name] or (values[1].kind if len(values) > 1 else None))
        if name in ("eye", "identity"):
            return reader.fresh(kind, (Axis(first.number), Axis((values[1] if len(values) > 1 and name == "eye" else first).number)))
        return sized(reader, node, node.args[0], kind, scope)
    if name in RANDOM:
        return reader.fresh("float", tuple(Axis(value.number) for value in values)) if name in ("rand", "randn") else sized(reader, node, keyword(node, "size", 0 if name == "random" else 2), "int" if name == "randint" else "float", scope)
    if name.endswith("_like"):
        return reader.fresh(dtype(keyword(node, "dtype"), first.kind), first.axes)
    if name == "arange":
        made = reader.fresh("int" if all(value.kind == "int" for value in values) else "float", (Axis(first.number if len(values) == 1 else None),))
        return made.but(extra={"indices": True})
    if name == "linspace":
        return reader.fresh("float", (Axis(values[2].number if len(values) > 2 else Size.of(50)),))
    if name == "meshgrid" and len(values) == 2 and all(value.axes is not None and len(value.axes) == 1 for value in values):
        order = keyword(node, "indexing")
        sizes = [(value.axes or ())[0].size for value in values]
        sizes = sizes if isinstance(order, ast.Constant) and order.value == "ij" else sizes[::-1]
        return Value(parts=tuple(reader.fresh(value.kind, tuple(Axis(size) for size in sizes)) for value in values))
    if name in REDUCTIONS:
        return reduced(reader, node, name, first, keyword(node, "axis", 2 if name == "norm" else 1), scope)
    if name in BINARY and len(values) == 2:
        axes = reader.broadcast(node, first, values[1], node.args[0], node.args[1])
        weak = bool(first.extra.get("weak")), bool(values[1].extra.get("weak"))
        kind = wider(first.kind, values[1].kind, *weak)
        return Value("float" if name in FLOATING and kind in ("int", "bool", "uint8") else kind, axes)
    if name in FLOATING or name in SAME or name in TRUTHS:
        kind = "bool" if name in TRUTHS else "float" if name in FLOATING and first.kind in ("int", "bool", "uint8") else "float" if first.kind == "complex" and name in ("abs", "absolute") else first.kind
        flat = name in ("cumsum", "cumprod") and keyword(node, "axis", 1) is None and first.axes is not None and len(first.axes) != 1
        return Value(kind, (Axis(),) if flat else first.axes, extra={"integral": name in ("floor", "ceil", "round", "rint", "trunc")})
    if name == "where" and len(values) == 3:
        kept = Value(wider(values[1].kind, values[2].kind, bool(values[1].extra.get("weak")), bool(values[2].extra.get("weak"))), reader.broadcast(node, values[1], values[2], None, None))
        return kept.but(axes=reader.broadcast(node, first, kept, None, None))
    if name in ("dot", "matmul") and len(values) == 2:
        if name == "dot" and (first.axes == () or values[1].axes == ()):
            return reader.operation(node, ast.Mult(), first, values[1], node.args[0], node.args[1])
        return reader.product(node, first, values[1])
    if name == "outer" and len(values) == 2 and all(value.axes is not None and len(value.axes) == 1 for value in values):
        return Value(wider(first.kind, values[1].kind), (first.axes or ()) + (values[1].axes or ()))
    if name in ("concatenate", "vstack", "hstack", "stack") and first.parts is not None:
        return joined(reader, node, name, first.parts, scope)
    if name == "einsum":
        return einsum(reader, node, values)
    if name == "reshape" and len(values) == 2:
        return reshaped(reader, node, first, list(values[1].parts) if values[1].parts is not None else [values[1]])
    if name in ("array", "asarray"):
        return literal(reader, node, name, first)
    if name in ("transpose", "diag", "trace", "solve", "inv", "det"):
        return linear(reader, node, name, values)
    return UNKNOWN


def literal(reader: Reader, node: ast.Call, name: str, first: Value) -> Value:
    if first.parts is None:
        kind = dtype(keyword(node, "dtype", 1), first.kind)
        return reader.fresh(kind, first.axes) if name == "array" else first.but(kind=kind)
    kinds = {part.kind if part.parts is None else "?" for part in first.parts}
    if all(part.axes == () for part in first.parts):
        order = ["bool", "int", "float", "complex"]
        kind = max(kinds, key=lambda item: order.index(str(item)) if item in order else 9) if kinds else "float"
        return reader.fresh(dtype(keyword(node, "dtype", 1), kind if kind in order else None), (Axis(Size.of(len(first.parts))),))
    if all(part.parts is not None for part in first.parts):
        lengths = {len(part.parts or ()) for part in first.parts}
        if len(lengths) > 1:
            reader.report(node, Rule.AGREE, "the rows of the array have different lengths")
        flat = [item for part in first.parts for item in part.parts or ()]
        kind = "int" if flat and all(item.kind == "int" for item in flat) else "float" if flat and all(item.kind in ("int", "float") for item in flat) else None
        return reader.fresh(dtype(keyword(node, "dtype", 1), kind), (Axis(Size.of(len(first.parts))), Axis(Size.of(lengths.pop()))))
    return reader.fresh(dtype(keyword(node, "dtype", 1), None), None)


def linear(reader: Reader, node: ast.Call, name: str, values: list[Value]) -> Value:
    first = values[0]
    if first.axes is None:
        return UNKNOWN
    if name == "transpose" and len(values) == 1:
        return first.but(axes=first.axes[::-1], part_of_memory=True)
    if name in ("solve", "inv", "det") and len(first.axes) >= 2:
        n, m = first.axes[-2].size, first.axes[-1].size
        if n is not None and m is not None and n.differs(m):
            reader.report(node, Rule.AGREE, f"a square matrix is needed, not one of shape {first.shape}")
        if name == "solve" and len(values) > 1 and values[1].array:
            b = (values[1].axes or ())[0].size
            if n is not None and b is not None and n.differs(b):
                reader.report(node, Rule.AGREE, f"sizes {n} and {b} cannot agree: {first.shape} with {values[1].shape}".replace("'", ""))
            return Value("float", values[1].axes)
        if name == "solve":
            return UNKNOWN
        return Value("float", first.axes if name == "inv" else first.axes[:-2])
    if name == "diag":
        return Value(first.kind, (first.axes[0],) * (2 if len(first.axes) == 1 else 1)) if len(node.args) == 1 else Value(first.kind)
    return Value(first.kind, ()) if name == "trace" else UNKNOWN


def method_call(reader: Reader, node: ast.Call, name: str, base: Value, scope: Scope) -> Value:
    values = [reader.value(item, scope) for item in node.args if not isinstance(item, ast.Starred)]
    for item in node.keywords:
        reader.value(item.value, scope)
    length = base.extra.get("length")
    if name == "reshape" and isinstance(length, Size) and [value.number.plus if value.number is not None and value.number.name is None else None for value in values] == [-1, 1]:
        return reader.fresh(base.kind, (Axis(length), Axis(ONE)))
    if base.axes is None and base.parts is None and name in REDUCTIONS and isinstance(node.func, ast.Attribute):
        return Value(extra=reduced_axis(node.func.value, keyword(node, "axis", 0), keyword(node, "keepdims")))
    if base.axes is None:
        return UNKNOWN
    if name in REDUCTIONS:
        return reduced(reader, node, name, base, keyword(node, "axis", 0), scope)
    if name == "reshape":
        parts = list(values[0].parts) if len(values) == 1 and values[0].parts is not None else values
        return reshaped(reader, node, base, parts)
    if name == "astype":
        return reader.fresh(dtype(node.args[0] if node.args else None, None), base.axes).but(axes=base.axes)
    if name in ("copy", "round", "clip", "conj", "cumsum", "cumprod"):
        flat = name.startswith("cum") and keyword(node, "axis", 0) is None and len(base.axes) != 1
        return Value(base.kind, (Axis(),) if flat else base.axes)
    if name == "transpose" and not values:
        return base.but(axes=base.axes[::-1], part_of_memory=True)
    if name in ("ravel", "flatten"):
        return Value(base.kind, (Axis(),) if len(base.axes) != 1 else base.axes, base.memory if name == "ravel" else frozenset(), part_of_memory=name == "ravel")
    if name in ("sort", "fill") and isinstance(node.func, ast.Attribute):
        statement = ast.Expr(value=node, lineno=node.lineno, col_offset=node.col_offset)
        reader.written(statement, node.func.value, base, scope)
        return UNKNOWN
    if name == "dot" and len(values) == 1:
        return reader.product(node, base, values[0])
    return Value("int", (Axis(),)) if name in ("argsort", "nonzero") and len(base.axes) == 1 else UNKNOWN


def reduced(reader: Reader, node: ast.Call, name: str, base: Value, axis: ast.expr | None, scope: Scope) -> Value:
    """A reduction over all axes, or the ones that are named."""
    kind = REDUCTIONS[name] or ("int" if base.kind in ("bool", "uint8") and name in ("sum", "prod") else base.kind)
    if kind == "float" and base.kind == "float32":
        kind = "float32"
    keep = keyword(node, "keepdims")
    kept = isinstance(keep, ast.Constant) and keep.value is True
    if base.axes is None:
        return Value(kind, () if axis is None and not kept else None, extra=reduced_axis(node.args[0], axis, keep))
    if axis is None or isinstance(axis, ast.Constant) and axis.value is None:
        return Value(kind, (Axis(ONE),) * len(base.axes) if kept else ())
    items = axis.elts if isinstance(axis, ast.Tuple) else [axis]
    numbers = [reader.value(item, scope).number for item in items]
    gone: set[int] = set()
    for number in numbers:
        if number is None or number.name is not None:
            return Value(kind)
        if not -len(base.axes) <= number.plus < len(base.axes):
            reader.report(node, Rule.AXIS, f"there is no axis {number.plus} in an array of shape {base.shape}".replace("'", ""))
            return Value(kind)
        gone.add(number.plus % len(base.axes))
    axes = tuple(Axis(ONE) if k in gone else item for k, item in enumerate(base.axes) if kept or k not in gone)
    return Value(kind, axes)


def joined(reader: Reader, node: ast.Call, name: str, parts: tuple[Value, ...], scope: Scope) -> Value:
    kind = parts[0].kind if parts and all(part.kind == parts[0].kind for part in parts) else None
    if not parts or any(part.axes is None for part in parts):
        return Value(kind)
    shapes = [part.axes or () for part in parts]
    if name == "vstack":
        shapes = [shape if len(shape) > 1 else (Axis(ONE), *shape) for shape in shapes]
    if name == "hstack":
        shapes = [shape if shape else (Axis(ONE),) for shape in shapes]
    ranks = {len(shape) for shape in shapes}
    if len(ranks) > 1:
        reader.report(node, Rule.AGREE, f"arrays of {' and '.join(map(str, sorted(ranks)))} dimensions cannot be joined")
        return Value(kind)
    rank = ranks.pop()
    number = reader.value(given, scope).number if (given := keyword(node, "axis", 1)) is not None else Size.of(0)
    if number is None or number.name is not None or rank == 0 and name != "stack":
        return Value(kind)
    if name == "stack":
        for shape in shapes[1:]:
            if any(one.size is not None and other.size is not None and one.size.differs(other.size) for one, other in zip(shapes[0], shape)):
                reader.report(node, Rule.AGREE, f"arrays of shapes {parts[0].shape} and {Value(axes=shape).shape} cannot be stacked".replace("'", ""))
        at = number.plus % (rank + 1)
        return Value(kind, (*shapes[0][:at], Axis(Size.of(len(parts))), *shapes[0][at:]))
    along = (number.plus if name == "concatenate" else 0 if name == "vstack" or rank == 1 else 1) % rank
    for shape in shapes[1:]:
        for k in range(rank):
            x, y = shapes[0][k].size, shape[k].size
            if k != along and x is not None and y is not None and x.differs(y):
                reader.report(node, Rule.AGREE, f"sizes {x} and {y} of axis {k} cannot agree where arrays are joined along axis {along}".replace("'", ""))
    sizes = [shape[along].size for shape in shapes]
    total = Size.of(sum(size.value for size in sizes if size and size.value is not None)) if all(size is not None and size.value is not None for size in sizes) else None
    return Value(kind, tuple(Axis(total) if k == along else axis for k, axis in enumerate(shapes[0])))


def reshaped(reader: Reader, node: ast.Call, base: Value, sizes: list[Value]) -> Value:
    """`a.reshape(..)`: the number of elements stays the same."""
    if any(size.axes != () for size in sizes):
        return Value(base.kind, None, base.memory, part_of_memory=True)
    numbers = [size.number for size in sizes]
    free = [k for k, number in enumerate(numbers) if number is not None and number.name is None and number.plus == -1]
    total = 1
    whole = base.axes is not None
    for axis in base.axes or ():
        whole = whole and axis.size is not None and axis.size.value is not None
        total *= (axis.size.value or 0) if axis.size is not None else 0
    product, known = 1, True
    for k, number in enumerate(numbers):
        if k not in free:
            known = known and number is not None and number.value is not None
            product *= (number.value or 0) if number is not None else 0
    axes = [Axis(None if k in free else number) for k, number in enumerate(numbers)]
    long = [axis for axis in base.axes or () if not axis.one]
    if free and base.axes is not None and len(long) == 1 and known and product == 1:
        axes[free[0]] = long[0]
    elif whole and known:
        if product == 0 and total or product and total % product or not free and product != total:
            reader.report(node, Rule.AGREE, f"{total} numbers of shape {base.shape} do not fit into ({', '.join(map(str, axes))})".replace("'", ""))
        elif free:
            axes[free[0]] = Axis(Size.of(total // product if product else 0))
    return Value(base.kind, tuple(axes), base.memory, part_of_memory=True)
