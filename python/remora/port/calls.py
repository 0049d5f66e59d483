"""Calls of NumPy's functions, of methods of arrays, of `math` and of builtins, as tables."""

from __future__ import annotations

import ast
import builtins
import math
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from .diagnostics import Code, Unread
from .either import as_float
from .operators import applied, binary, compare, elementwise, fitted, infix
from .signatures import by_signature
from .sizes import ONE, Size
from .values import APPLY, ATOM, COMPARE, DTYPES, FLOATS, INTS, UNARY, Value, bound_text, convert, literal, result_dtype

if TYPE_CHECKING:
    from .expressions import Expressions

# Elementwise functions of floats that the module of a type has under the same name.
FLOAT_FUNCTIONS = {
    np.sqrt: "sqrt", np.exp: "exp", np.log: "log", np.log2: "log2", np.log10: "log10", np.log1p: "log1p", np.sin: "sin", np.cos: "cos", np.tan: "tan",
    np.arcsin: "asin", np.arccos: "acos", np.arctan: "atan", np.sinh: "sinh", np.cosh: "cosh", np.tanh: "tanh", np.arcsinh: "asinh", np.arccosh: "acosh",
    np.arctanh: "atanh", np.floor: "floor", np.ceil: "ceil", np.trunc: "trunc", np.rint: "round", np.cbrt: "cbrt", np.arctan2: "atan2", np.hypot: "hypot", np.exp2: "exp2", np.expm1: "expm1",
}  # fmt: skip
TESTS = {np.isnan: "isnan", np.isinf: "isinf"}
OPERATORS = {
    np.add: ast.Add, np.subtract: ast.Sub, np.multiply: ast.Mult, np.divide: ast.Div, np.true_divide: ast.Div, np.floor_divide: ast.FloorDiv, np.mod: ast.Mod,
    np.remainder: ast.Mod, np.power: ast.Pow, np.bitwise_and: ast.BitAnd, np.bitwise_or: ast.BitOr, np.bitwise_xor: ast.BitXor,
}  # fmt: skip
COMPARING = {np.less: ast.Lt, np.less_equal: ast.LtE, np.greater: ast.Gt, np.greater_equal: ast.GtE, np.equal: ast.Eq, np.not_equal: ast.NotEq}
MATH = {
    math.sqrt: "sqrt", math.exp: "exp", math.log: "log", math.log2: "log2", math.log10: "log10", math.log1p: "log1p", math.sin: "sin", math.cos: "cos",
    math.tan: "tan", math.asin: "asin", math.acos: "acos", math.atan: "atan", math.sinh: "sinh", math.cosh: "cosh", math.tanh: "tanh", math.asinh: "asinh",
    math.acosh: "acosh", math.atanh: "atanh", math.expm1: "expm1", math.cbrt: "cbrt",
}  # fmt: skip
# Functions from a row to a number: name of `lib/np`, or None for the module of the type; whether no elements are refused; whether integers become floats.
REDUCTIONS: dict[str, tuple[str, bool, bool]] = {
    "sum": ("sum", False, False), "prod": ("product", False, False), "mean": ("mean", False, True), "std": ("std", False, True), "var": ("variance", False, True),
    "max": ("amax", True, False), "min": ("amin", True, False), "amax": ("amax", True, False), "amin": ("amin", True, False), "argmax": ("argmax", True, False),
    "argmin": ("argmin", True, False), "median": ("median", False, True), "any": ("or", False, False), "all": ("and", False, False), "ptp": ("ptp", True, False),
    "count_nonzero": ("count", False, False),
}  # fmt: skip
# Functions from a row to a row of the same length.
ALONG = {"cumsum": "cumsum", "cumprod": "cumprod", "sort": "sort", "argsort": "argsort"}
METHODS = {
    "sum", "prod", "mean", "std", "var", "max", "min", "argmax", "argmin", "any", "all", "cumsum", "cumprod", "argsort", "copy", "astype", "ravel", "flatten",
    "transpose", "dot", "clip", "item", "reshape", "trace", "conj", "tolist",
}  # fmt: skip

MAKERS = {f"{name}{like}" for name in ("zeros", "ones", "empty", "full") for like in ("", "_like")} | {"array", "asarray", "copy", "eye", "identity"}

# What to write for functions that are not read.
INSTEAD = {
    "partition": "write `np.sort(x)`: what NumPy does with the elements on both sides is open; `np.partition(x, k)[k]` is read", "argpartition": "write `np.argsort(x, kind='stable')`: the order on both sides is open",
    "eig": "of symmetric matrices `np.linalg.eigh` is read", "eigvals": "of symmetric matrices `np.linalg.eigvalsh` is read", "dtype": "write the type where it is needed: `dtype=np.float64`; of records use an array for each field", "apply_over_axes": "write `np.sum(x, axis=(0, 1), keepdims=True)`",
    "nanargmax": "write `np.argmax(np.where(np.isnan(x), -np.inf, x))`", "nanargmin": "write `np.argmin(np.where(np.isnan(x), np.inf, x))`",
}  # fmt: skip

Call = Callable[["Expressions", ast.Call, list[Value], dict[str, Value]], Value]
TABLE: dict[str, Call] = {}


def entry(*names: str) -> Callable[[Call], Call]:
    """A function of NumPy's that is read by the one that follows."""

    def put(function: Call) -> Call:
        for name in names:
            TABLE[name] = function
        return function

    return put


def refuse_options(node: ast.Call, options: dict[str, Value], allowed: tuple[str, ...] = ()) -> None:
    """A problem for each keyword argument that is not read."""
    for name in options:
        if name not in allowed:
            raise Unread(node, Code.NAME, f"the keyword argument `{name}` is not read here", "leave it out, or write what it does")


def call_numpy(reader: Expressions, node: ast.Call, function: Any, values: list[Value], options: dict[str, Value]) -> Value:
    """A call of one of NumPy's functions."""
    name = getattr(function, "__name__", str(function))
    if isinstance(function, np.ufunc) and options.keys() & {"where", "out"}:
        return _masked_ufunc(reader, node, function, values, options)
    if function in FLOAT_FUNCTIONS or function in TESTS or function in OPERATORS or function in COMPARING:
        refuse_options(node, options)
        return _ufunc(reader, node, function, values)
    if isinstance(function, type) and issubclass(function, np.generic) and len(values) == 1:
        return cast(reader, node, values[0], function)
    for table in (np, np.linalg, np.fft, np.lib.stride_tricks):
        if getattr(table, name, None) is function:
            key = {np.linalg: f"linalg.{name}", np.fft: f"fft.{name}"}.get(table, name)
            values, options = by_signature(node, function, values, options)
            if name in MAKERS and "order" in options and options["order"].function in ("C", "F", "A", "K"):
                # How the elements lie in memory is no part of the result.
                options = {key: value for key, value in options.items() if key != "order"}
            if table is np and name in REDUCTIONS:
                return reduction(reader, node, name, values[0], values[1:], options)
            if table is np and name in ALONG:
                return along(reader, node, name, values[0], values[1:], options)
            if key in TABLE:
                return TABLE[key](reader, node, values, options)
    if getattr(np.random, name, None) is function:
        raise Unread(node, Code.NAME, f"`{ast.unparse(node.func)}` is not read", "draw from `rng = np.random.default_rng(seed)`, whose numbers are NumPy's here, too; other numbers are in lib/random")
    raise Unread(node, Code.NAME, f"`{ast.unparse(node.func)}` is not read", INSTEAD.get(name, "write it with functions that docs/library.md lists"))


def _masked_ufunc(reader: Expressions, node: ast.Call, function: Any, values: list[Value], options: dict[str, Value]) -> Value:
    """`np.divide(a, b, out=np.zeros_like(a), where=b != 0)`, where the result is made there."""
    refuse_options(node, options, ("where", "out"))
    out, mask = options.get("out"), options.get("where")
    if out is None or out.memory or out.items is not None or any(isinstance(each.value, ast.Name) for each in node.keywords if each.arg == "out"):
        said = "with `where` and no array of its own to write to" if out is None else "that writes to a variable, as a value"
        raise Unread(node, Code.ALIAS, f"`{function.__name__}` {said}", "call it as a statement: `np.add(x, y, out=z)`")
    made = call_numpy(reader, node, function, values, {})
    if made.dtype != out.dtype:
        raise Unread(node, Code.TYPE, f"a result of type {made.dtype} in an array of {out.dtype}", "give both the same type")
    if mask is not None:
        made = elementwise(reader.context, node, [reader.truth(node, reader.as_array(node, mask)), made, out], applied(reader.context.library("where", out.dtype)), out.dtype)
    if made.shape != out.shape:
        raise Unread(node, Code.SHAPE, "a result of another shape than the array that it is written to", "")
    return strong(made)


def _ufunc(reader: Expressions, node: ast.Call, function: Any, values: list[Value]) -> Value:
    context = reader.context
    if len(values) != function.nin:
        raise Unread(node, Code.FORM, f"`{function.__name__}` with {len(values)} arguments is not read", "write the result with `=`")
    if function in OPERATORS:
        # A number of Python's own that a ufunc takes is NumPy's afterwards: it does not fail where Python's operators do.
        return binary(context, node, OPERATORS[function], *(strong(value) if all(v.weak for v in values) else value for value in values))
    if function in COMPARING:
        return compare(context, node, COMPARING[function], *values)
    wanted, dtype = result_dtype(function, values)
    values = [convert(value, want) for value, want in zip(values, wanted)]
    if wanted[0] in ("c64", "c128") and function in (np.exp, np.sqrt, np.log, np.sin, np.cos, np.sinh, np.cosh):
        return replace(elementwise(context, node, values, applied(f"{wanted[0]}.{FLOAT_FUNCTIONS[function]}"), dtype), weak=False)
    if wanted[0] in ("c64", "c128") and function in TESTS:
        from .others import said

        name = function.__name__
        return said(reader, node, f"np.{name}(z.real) | np.{name}(z.imag)", z=values[0])
    if wanted[0] not in FLOATS:
        if function in (np.floor, np.ceil, np.trunc) and wanted[0] in INTS:
            return values[0]
        if function in (np.isnan, np.isinf) and wanted[0] in INTS | {"bool"}:
            # No integer is one.
            return replace(elementwise(context, node, [values[0], values[0]], infix("!=", COMPARE), "bool"), weak=False)
        raise Unread(node, Code.TYPE, f"`{function.__name__}` of {wanted[0]} is not read", "convert the argument to a float")
    name = FLOAT_FUNCTIONS.get(function) or TESTS[function]
    return replace(elementwise(context, node, values, applied(f"{wanted[0]}.{name}"), dtype), weak=False)


def strong(value: Value) -> Value:
    """The value as a number of NumPy's."""
    return replace(value, weak=False)


def cast(reader: Expressions, node: ast.AST, value: Value, kind: Any) -> Value:
    """`astype` and calls of types."""
    dtype = dtype_of(node, kind)
    if value.is_literal and (dtype in FLOATS or dtype in INTS and value.dtype == "i64"):
        # Without its type the number would be one of the compiler's choice.
        fits = fitted(reader.context, node, value, dtype)
        return Value(bound_text(fits), UNARY if fits.text.startswith("-") else ATOM, dtype)
    if value.dtype == dtype:
        return replace(value, weak=False, memory=frozenset())
    if value.dtype in FLOATS and dtype in INTS | {"bool"}:
        if dtype == "bool":
            return elementwise(reader.context, node, [value, literal(0)], infix("!=", COMPARE), "bool")
        return elementwise(reader.context, node, [value], applied(f"{dtype}.{value.dtype}"), dtype)
    if value.dtype in INTS and dtype == "bool":
        return elementwise(reader.context, node, [value, literal(0)], infix("!=", COMPARE), "bool")
    if value.weak and value.dtype == "i64" and dtype in INTS:
        return strong(fitted(reader.context, node, value, dtype))
    if value.dtype in ("c64", "c128") and dtype not in ("c64", "c128"):
        raise Unread(node, Code.TYPE, "a complex number as a real one", "write `.real`")
    made = elementwise(reader.context, node, [value], lambda values: (text := convert(values[0], dtype).text, APPLY if values[0].const is None else UNARY if text.startswith("-") else ATOM), dtype)
    return replace(made, weak=False)


def dtype_of(node: ast.AST, kind: Any) -> str:
    """The name of a type in remora."""
    if kind is None or isinstance(kind, (list, tuple, dict)):
        raise Unread(node, Code.TYPE, "this type is not read", "arrays of records are not read: use an array for each field; other types are written as `np.float64`")
    try:
        return DTYPES[str(np.dtype(kind))]
    except (TypeError, KeyError):
        raise Unread(node, Code.TYPE, f"the type `{kind}` is not read", "use a type of numbers, such as `np.float64`") from None


def _option_dtype(reader: Expressions, node: ast.Call, options: dict[str, Value], default: str) -> str:
    given = options.get("dtype")
    return default if given is None or given.dtype == "none" else dtype_of(node, given.function)


def axis_of(node: ast.AST, value: Value, given: Value | None) -> tuple[int, ...] | None:
    """The dimensions that `axis` names; None for all of them."""
    if given is None or given.const is None and given.text == "None":
        return None
    chosen = [item.const for item in given.items] if given.items is not None else [given.const]
    if any(not isinstance(each, int) for each in chosen):
        raise Unread(node, Code.SHAPE, "`axis` is no constant", "write the number")
    if any(not -value.rank <= each < value.rank for each in chosen):
        raise Unread(node, Code.SHAPE, f"there is no axis {chosen[0]} of {value.rank} dimensions", "")
    return tuple(sorted(each % value.rank for each in chosen))


def under(function: str, depth: int) -> str:
    """A function below the outermost dimensions."""
    for _ in range(depth):
        function = f"map ({function})" if " " in function else f"map {function}"
    return function


def moved_last(value: Value, place: int, last: int) -> Value:
    """The array with one of remora's dimensions moved inwards."""
    for depth in range(place, last):
        value = replace(value, text=f"{under('transpose', depth)} {value.argument}", prec=APPLY)
    return value


def _reduced_axes(node: ast.AST, value: Value, axes: tuple[int, ...] | None) -> tuple[Value, Size]:
    """The array with the dimensions that are reduced as the last one, and the size of that."""
    real = value.axes
    places = [real.index(k) for k in (range(value.rank) if axes is None else axes) if k in real]
    if not places:
        return value, ONE
    count = Size.of(1)
    for place in places:
        count = count * value.shape[real[place]]
    first, last = places[0], len(real) - 1
    if places != list(range(first, first + len(places))):
        from .shapes import permuted

        gone = {real[place] for place in places}
        turned = permuted(node, value, [k for k in range(value.rank) if k not in gone] + sorted(gone))
        # The dimensions keep their places in the shape: only the text has another order.
        value = replace(value, text=turned.text, prec=turned.prec)
        first = len(real) - len(places)
    for _ in range(len(places) - 1):
        value = replace(value, text=f"{under('flatten', first)} {value.argument}", prec=APPLY)
        last -= 1
    return moved_last(value, first, last), count


def reduction(reader: Expressions, node: ast.Call, name: str, value: Value, rest: list[Value], options: dict[str, Value]) -> Value:
    """A reduction of all elements, or over axes."""
    context = reader.context
    value = reader.as_array(node, value)
    if options.keys() & {"where", "initial"}:
        return _partial_reduction(reader, node, name, value, rest, options)
    refuse_options(node, options, ("axis", "keepdims", "ddof", "dtype"))
    if "dtype" in options:
        if name not in ("sum", "prod", "mean") or options["dtype"].function is None:
            raise Unread(node, Code.NAME, f"`dtype` of `{name}` is not read", "convert the array: `x.astype(..)`")
        value = cast(reader, node, value, options["dtype"].function)
        if value.dtype not in ("f64", "f32", "i64") or name == "mean" and value.dtype == "i64":
            raise Unread(node, Code.TYPE, f"`{name}` with this `dtype` is not read", "")
    if len(rest) > 1 or (rest and "axis" in options):
        raise Unread(node, Code.FORM, f"`{name}` with these arguments is not read", "use keyword arguments")
    axes = axis_of(node, value, rest[0] if rest else options.get("axis"))
    shown = name
    if value.dtype == "bool" and name in ("max", "min", "amax", "amin"):
        name = "any" if name in ("max", "amax") else "all"
        function, needs = REDUCTIONS[name][0], True
    else:
        function, needs, _ = REDUCTIONS[name]
    if value.dtype in ("c64", "c128") and name in ("mean", "var", "std") and set(options) <= {"axis"} and (axes is None or len(axes) == 1):
        from .formulas import of_complex

        return of_complex(reader, node, name, value, axes)
    if name in ("argmax", "argmin") and axes is not None and len(axes) > 1:
        raise Unread(node, Code.SHAPE, f"`{name}` over several axes", "")
    rows, count = _reduced_axes(node, value, axes)
    rows, function, dtype = _row_function(reader, node, name, function, rows, options.get("ddof"))
    keep = options.get("keepdims")
    if keep is not None and not isinstance(keep.const, bool):
        raise Unread(node, Code.FORM, "`keepdims` is no constant", "write True or False")
    reduced = set(range(value.rank)) if axes is None else set(axes)
    shape = tuple(ONE if k in reduced else size for k, size in enumerate(value.shape) if (keep is not None and keep.const) or k not in reduced)
    if count == ONE and not (set(value.axes) & reduced):
        if name in ("argmax", "argmin"):
            raise Unread(node, Code.SHAPE, f"`{name}` of one element", "")
        # A row of one: it is made, so that the function says what it means.
        raise_for = {"sum", "prod", "mean", "max", "min", "amax", "amin", "any", "all", "median"}
        if name not in raise_for:
            raise Unread(node, Code.SHAPE, f"`{name}` over a dimension of size 1", "")
        return replace(convert(rows, dtype), shape=shape, weak=False, memory=frozenset(), const=None)
    if needs:
        if count.number == 0:
            raise Unread(node, Code.SHAPE, f"`{shown}` of no elements", "NumPy raises an error, too")
        parts = [value.shape[k] for k in (range(value.rank) if axes is None else axes)]
        if not all([context.assume(size - 1, f"`{shown}` of no elements is an error") for size in parts if size != ONE]):
            rows = replace(rows, text=f"{under(context.helper('nonempty'), len(set(value.axes) - reduced))} {rows.argument}", prec=APPLY)
    return Value(f"{function} {rows.argument}", APPLY, dtype, shape, small=dtype == "i64" and name in ("argmax", "argmin", "count_nonzero"))


# What `where` puts instead of elements that do not count.
NEUTRAL = {"sum": 0, "prod": 1, "any": False, "all": True}


def _partial_reduction(reader: Expressions, node: ast.Call, name: str, value: Value, rest: list[Value], options: dict[str, Value]) -> Value:
    """A reduction of the elements at which a mask is true, or with a value to begin with."""
    context = reader.context
    mask, initial = options.get("where"), options.get("initial")
    plain = {key: each for key, each in options.items() if key not in ("where", "initial")}
    known = NEUTRAL.get(name)
    if name == "mean" and mask is not None and initial is None and value.dtype in ("f64", "i64", "bool"):
        mask = reader.truth(node, reader.as_array(node, mask))
        total = _partial_reduction(reader, node, "sum", reader.as_float(node, value), rest, {**plain, "where": mask})
        whole = elementwise(context, node, [mask, value], lambda v: (v[0].text, v[0].prec), "bool")
        if whole.shape != value.shape:
            raise Unread(node, Code.SHAPE, "a mask of more dimensions than the array", "")
        count = reduction(reader, node, "count_nonzero", whole, rest, plain) if mask.shape == value.shape else None
        if count is None:
            raise Unread(node, Code.SHAPE, "a mask of another shape than the array", "give it the shape of the array: `np.broadcast_to`")
        return strong(binary(context, node, ast.Div, strong(total), strong(count)))
    if name in ("max", "min", "amax", "amin") and initial is not None and not initial.rank and value.dtype != "bool":
        filler = initial
    elif known is not None and (mask is not None or name in ("sum", "prod")) and (initial is None or not initial.rank and name in ("sum", "prod")):
        filler = literal(known)
    else:
        raise Unread(node, Code.FORM, f"`{name}` with `where` or `initial` is not read like this", "of sum, prod, any, all and mean; of max and min with `initial`")
    if mask is not None:
        if value.dtype == "bool" and not isinstance(known, bool):
            value = cast(reader, node, value, np.int64)
        if isinstance(known, bool):
            value = reader.truth(node, value)
        filler = fitted(context, node, filler, value.dtype) if not isinstance(known, bool) else filler
        if filler.dtype != value.dtype:
            raise Unread(node, Code.TYPE, f"`initial` of another type than the array, which is {value.dtype}", "convert it")
        value = elementwise(context, node, [reader.truth(node, reader.as_array(node, mask)), value, filler], applied(context.library("where", value.dtype)), value.dtype)
    if initial is None:
        return reduction(reader, node, name, value, rest, plain)
    if name in ("sum", "prod"):
        made = strong(reduction(reader, node, name, value, rest, plain))
        added = strong(binary(context, node, ast.Add if name == "sum" else ast.Mult, made, fitted(context, node, initial, made.dtype)))
        if added.dtype != made.dtype:
            raise Unread(node, Code.TYPE, f"`initial` of another type than the result, which is {made.dtype}", "convert it")
        return added
    if value.rank != 1 or plain or rest:
        raise Unread(node, Code.SHAPE, f"`{name}` with `initial` over several dimensions", "flatten the array first")
    first = fitted(context, node, initial, value.dtype)
    if first.dtype != value.dtype:
        raise Unread(node, Code.TYPE, f"`initial` of another type than the array, which is {value.dtype}", "convert it")
    function = context.library(REDUCTIONS[name][0], value.dtype)
    return Value(f"{function} ([{bound_text(first)}] ++ {value.at(4)})", APPLY, value.dtype)


def _row_function(reader: Expressions, node: ast.Call, name: str, function: str, rows: Value, ddof: Value | None) -> tuple[Value, str, str]:
    """The argument, the function of a row, and the type of its result."""
    context = reader.context
    if ddof is not None and (name not in ("std", "var") or not isinstance(ddof.const, int)):
        raise Unread(node, Code.FORM, "this `ddof` is not read", "write a number")
    if name in ("any", "all", "count_nonzero"):
        if rows.dtype != "bool":
            rows = compare(context, node, ast.NotEq, rows, literal(0))
        if name == "count_nonzero":
            return rows, context.library("count"), "i64"
        return rows, function, "bool"
    if name in ("sum", "prod"):
        wide = "i64" if rows.dtype in ("bool", "i8", "i16", "i32") else "u64" if rows.dtype in ("u8", "u16", "u32") else rows.dtype
        rows = elementwise(context, node, [rows], lambda values: (convert(values[0], wide).text, APPLY), wide) if wide != rows.dtype else rows
        return rows, f"{wide}.{function}", wide
    if name in ("mean", "std", "var", "median"):
        if rows.dtype in INTS | {"bool"}:
            rows = elementwise(context, node, [rows], lambda values: (convert(values[0], "f64").text, APPLY), "f64")
        if rows.dtype not in FLOATS:
            raise Unread(node, Code.TYPE, f"`{name}` of {rows.dtype} is not read", "")
        function = context.library(function + ("_ddof" if ddof is not None and ddof.const else ""), rows.dtype)
        return rows, function + (f" {ddof.argument}" if ddof is not None and ddof.const else ""), rows.dtype
    if rows.dtype == "bool" and name in ("argmax", "argmin"):
        rows = elementwise(context, node, [rows], lambda values: (convert(values[0], "i64").text, APPLY), "i64")
    if rows.dtype not in FLOATS | INTS:
        raise Unread(node, Code.TYPE, f"`{name}` of {rows.dtype} is not read", "")
    return rows, context.library(function, rows.dtype), "i64" if name in ("argmax", "argmin") else rows.dtype


def along(reader: Expressions, node: ast.Call, name: str, value: Value, rest: list[Value], options: dict[str, Value]) -> Value:
    """A function of rows that makes rows."""
    context = reader.context
    value = reader.as_array(node, value)
    refuse_options(node, options, ("axis", "kind", "dtype") if name[:3] == "cum" else ("axis", "kind"))
    if "dtype" in options:
        value = cast(reader, node, value, options["dtype"].function)
    kind = options.get("kind")
    if name == "argsort" and not (kind is not None and kind.text == "'stable'") and value.dtype != "bool":
        context.notes.add("`argsort` keeps equal elements in order; NumPy's default leaves their order open")
    given = rest[0] if rest else options.get("axis")
    axes = axis_of(node, value, given)
    if axes is None and (given is not None or name not in ("sort", "argsort")) and value.rank > 1:
        value = ravel(reader, node, value)
    axis = (axes or (value.rank - 1,))[0]
    dtype = value.dtype
    if name in ("sort", "argsort") and dtype == "bool":
        made = along(reader, node, name, cast(reader, node, value, np.int64), rest, options)
        return made if name == "argsort" else elementwise(context, node, [made, literal(0)], infix("!=", COMPARE), "bool")
    if name in ("sort", "argsort") and dtype not in FLOATS | INTS:
        raise Unread(node, Code.TYPE, f"`{name}` of {dtype} is not read", "")
    if name in ("cumsum", "cumprod"):
        dtype = "i64" if dtype in ("bool", "i8", "i16", "i32") else "u64" if dtype in ("u8", "u16", "u32") else dtype
        if dtype != value.dtype:
            value = elementwise(context, node, [value], lambda values: (convert(values[0], dtype).text, APPLY), dtype)
    if value.rank == 0 or axis not in value.axes:
        raise Unread(node, Code.SHAPE, f"`{name}` along a dimension of size 1", "")
    place, last = value.axes.index(axis), len(value.axes) - 1
    function = context.library(ALONG[name], dtype)
    if place == last:
        text, prec = f"{function} {value.argument}", APPLY
    elif place == 0 and last == 1:
        text, prec = f"{_plain(context.library, 'along0')} {function} {value.argument}", APPLY
    else:
        from .shapes import permuted

        order = [k for k in range(value.rank) if k != axis] + [axis]
        turned = permuted(node, value, order)
        made = Value(f"{under(function, last)} {turned.argument}", APPLY, "i64" if name == "argsort" else dtype, turned.shape)
        return replace(permuted(node, made, [order.index(k) for k in range(value.rank)]), small=name == "argsort")
    return Value(text, prec, "i64" if name == "argsort" else dtype, value.shape, small=name == "argsort")


def _plain(library: Callable[[str], str], name: str) -> str:
    return library(name)


def ravel(reader: Expressions, node: ast.AST, value: Value) -> Value:
    """The elements in one dimension."""
    count = Size.of(1)
    for size in value.shape:
        count = count * size
    text, prec = value.text, value.prec
    for _ in range(len(value.axes) - 1):
        text, prec = f"flatten {Value(text, prec, '').argument}", APPLY
    if not value.axes:
        raise Unread(node, Code.SHAPE, "the elements of one number", "")
    return replace(value, text=text, prec=prec, shape=(count,))


# Builtins and `math` -------------------------------------------------------------------------------------------------------------


def call_builtin(reader: Expressions, node: ast.Call, function: Any, values: list[Value], options: dict[str, Value]) -> Value:
    """A call of a builtin or a function of `math`."""
    if function in (builtins.sum, builtins.max, builtins.min, builtins.any, builtins.all, builtins.list, builtins.tuple, builtins.sorted):
        from .records import gone_over

        values = [gone_over(values[0]), *values[1:]] if values else values
    if function in (builtins.max, builtins.min) and set(options) == {"default"}:
        from .others import best_or_default

        return best_or_default(reader, node, function.__name__, values, options["default"])
    if function in (builtins.max, builtins.min) and set(options) == {"key"}:
        from .orders import best_by

        return best_by(reader, node, function.__name__, values, options["key"])
    if function is builtins.sorted and len(values) == 1:
        from .orders import in_order

        return in_order(reader, node, values[0], options)
    refuse_options(node, options)
    context = reader.context
    if function is builtins.ord and len(values) == 1 and isinstance(values[0].function, str) and len(values[0].function) == 1:
        return literal(ord(values[0].function))
    if function in MATH and len(values) == 1 and values[0].scalar:
        value = convert(values[0], "f64")
        context.helper("checked")
        return Value(f"{context.helper(f'math_{MATH[function]}')} {value.argument}", APPLY, "f64", weak=True)
    if function is builtins.complex and 1 <= len(values) <= 2 and all(value.scalar and not value.rank and value.dtype in FLOATS | INTS for value in values):
        re, im = (convert(value, "f64") for value in (*values, literal(0.0))[:2])
        return Value(f"c128.mk {re.argument} {im.argument}", APPLY, "c128", weak=True)
    if function is builtins.range:
        from .functions import integers

        return integers(reader, node, values)
    if function in (builtins.list, builtins.tuple, builtins.any, builtins.all, builtins.sum) or function in (builtins.max, builtins.min) and len(values) == 1 and values[0].rank:
        from .pylists import call_of_list

        found = call_of_list(reader, node, function, values)
        if found is not None:
            return found
    if function is builtins.len and len(values) == 1:
        if values[0].items is not None:
            return literal(len(values[0].items))
        if values[0].rank == 0:
            raise Unread(node, Code.SHAPE, "the length of a number", "")
        return reader.size_value(values[0], 0)
    if function is builtins.abs:
        if len(values) == 1 and values[0].is_literal and values[0].weak:
            return literal(abs(values[0].const))
        if len(values) == 1 and values[0].dtype == "bool" and values[0].weak:
            # Python's own are integers.
            return replace(convert(values[0], "i64"), small=True)
        return TABLE["abs"](reader, node, values, {})
    if function in (builtins.int, builtins.float, builtins.bool) and len(values) == 1:
        return _number(reader, node, function, values[0])
    if function in (builtins.max, builtins.min):
        return _best(reader, node, function, values)
    if function is builtins.sum and len(values) == 1:
        if values[0].items is not None:
            total = literal(0)
            for item in values[0].items:
                # The first one is added to 0: truth values become integers.
                total = item if total.const == 0 and total.scalar and item.dtype != "bool" else binary(context, node, ast.Add, total, item)
            return total
        raise Unread(node, Code.NAME, "Python's `sum` of an array", "write `np.sum(x)`, or `x.sum(axis=0)`")
    raise Unread(node, Code.NAME, f"`{ast.unparse(node.func)}` is not read", "")


def _number(reader: Expressions, node: ast.AST, function: Any, value: Value) -> Value:
    if not value.scalar or value.rank > 1:
        raise Unread(node, Code.TYPE, "a number of an array", "index the array")
    if function is builtins.bool:
        return replace(reader.truth(node, value), weak=True)
    if function is builtins.float:
        return replace(convert(value, "f64"), weak=True)
    if value.dtype in FLOATS:
        raise Unread(node, Code.TYPE, "`int` of a float is not read", "use `np.int64(x)` where the number fits into 64 bits, or `//`")
    if value.dtype == "u64":
        raise Unread(node, Code.TYPE, "`int` of `uint64`", "use `np.int64`")
    small = value.small or value.dtype in INTS - {"i64"} or value.dtype == "bool"
    return replace(convert(value, "i64"), weak=True, small=small)


def _best(reader: Expressions, node: ast.Call, function: Any, values: list[Value]) -> Value:
    context = reader.context
    name = function.__name__
    if len(values) == 1 and values[0].items is not None:
        values = list(values[0].items)
    if len(values) < 2 or not all(value.scalar for value in values):
        raise Unread(node, Code.TYPE, f"Python's `{name}` of arrays", f"write `np.{name}imum` for arrays, or `x.{name}()`")
    best = values[0]
    for value in values[1:]:
        weak = best.weak and value.weak
        narrow = any(as_float(a, b) and b.dtype == "f32" for a, b in ((best, value), (value, best)))
        dtype = "f32" if narrow else "f64" if {best.dtype, value.dtype} & {"f64"} else result_dtype(np.add, [best, value])[1] if best.dtype != value.dtype else best.dtype
        lost = dtype == "f32" and any(each.dtype != dtype and not as_float(each, replace(each, dtype=dtype, weak=False)) for each in (best, value))
        if dtype != best.dtype and best.const is None and best.dtype not in INTS and not narrow or lost:
            raise Unread(node, Code.TYPE, f"`{name}` of different types", "convert one of them")
        two = [fitted(context, node, best, dtype), fitted(context, node, value, dtype)]
        if dtype in INTS:
            scalar = applied(f"{dtype}.{name}")
        elif dtype in FLOATS:
            scalar = applied(context.helper(("larger" if name == "max" else "smaller") + ("" if dtype == "f64" else "_f32")))
        else:
            raise Unread(node, Code.TYPE, f"Python's `{name}` of {dtype}", f"write `np.{name}imum`")
        small = best.small and value.small
        best = replace(elementwise(context, node, two, scalar, dtype), weak=weak, small=small)
    return best
