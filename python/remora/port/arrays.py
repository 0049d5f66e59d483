"""Further functions of NumPy, `math` and methods of arrays: elementwise ones, functions of rows, methods of ufuncs.

They are looked for after those of `calls` and `functions`; `TABLE` has all.
"""

from __future__ import annotations

import ast
import builtins
import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from .calls import TABLE, axis_of, moved_last, ravel, reduction, refuse_options, strong
from .context import HELPERS
from .diagnostics import Code, Unread
from .operators import applied, binary, elementwise, fitted, unknown_size
from .shapes import one_type
from .sizes import ONE
from .tables import also, floating, full, instead, same_size
from .values import APPLY, FLOATS, INTS, Value, convert, literal, result_dtype

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
for _name in ("sin", "cos", "tan"):
    HELPERS.setdefault(f"math_{_name}", f"-- | `math.{_name}`.\ndef math_{_name} (x: f64) : f64 = checked x (f64.{_name} x)")


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
        value = floating(reader, node, values[0])
        if name not in ("nan_to_num", "sinc"):
            value = fitted(context, node, values[0], result_dtype(getattr(np, name), values)[1])
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


def close_enough(reader: Expressions, node: ast.AST, x: Value, y: Value) -> Value:
    """`isclose` of floats with NumPy's own tolerances."""
    return strong(elementwise(reader.context, node, [x, y], applied(reader.context.library("isclose")), "bool"))


@also("real", "imag", "conj", "conjugate", "angle", "method.conj", "method.conjugate")
def _complex(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options)
    return part_of_complex(reader, node, values[0], reader.called(node).__name__)


def part_of_complex(reader: Expressions, node: ast.AST, value: Value, name: str) -> Value:
    """The real part and so on."""
    if value.items is not None or value.function is not None:
        raise Unread(node, Code.TYPE, "this is no array of numbers", "")
    if value.dtype not in ("c64", "c128"):
        if value.dtype == "bool" and name[:4] == "conj":
            raise Unread(node, Code.TYPE, f"`{name}` of truth values", "NumPy makes them int8")
        if name in ("real", "conj", "conjugate"):
            return value if name == "real" else strong(replace(value, memory=frozenset()))
        from .others import said

        return strong(said(reader, node, "np.arctan2(0, x)" if name == "angle" else "np.zeros_like(x)", x=value))
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
    side = options["side"].function if "side" in options else "left"
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
    x, xp, fp = (convert(floating(reader, node, reader.as_array(node, value)), "f64") for value in values)
    xp, fp = same_size(reader, node, full(node, xp, 1), full(node, fp, 1))
    if not reader.context.assume(xp.shape[0] - 1, "`interp` of no points is an error"):
        xp = replace(xp, text=f"{reader.context.helper('nonempty')} {xp.argument}", prec=APPLY)
    return Value(f"{reader.context.library('interp')} {xp.argument} {fp.argument} {x.argument}", APPLY, "f64", x.shape)


@also("trapezoid", "trapz")
def _trapezoid(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options, ("dx", "x"))
    y, x, dx = full(node, values[0], 1), values[1] if len(values) > 1 else options.get("x"), options.get("dx", literal(1.0))
    if x is None and not dx.scalar:
        raise Unread(node, Code.SHAPE, "`dx` is no number", "")
    if x is not None:
        x, y = same_size(reader, node, full(node, x, 1), y)
    if y.dtype not in ("f64", "i64") or x is not None and x.dtype not in ("f64", "i64"):
        # As NumPy has it: other integers wrap around where neighbours are added, and f32 stays what it is.
        from .others import said

        return said(reader, node, "(d * (y[1:] + y[:-1]) / 2.0).sum()", d=dx if x is None else said(reader, node, "np.diff(x)", x=x), y=y)
    y = convert(floating(reader, node, y), "f64")
    if x is None:
        return Value(f"{reader.context.library('trapezoid')} {convert(dx, 'f64').argument} {y.argument}", APPLY, "f64")
    x = convert(floating(reader, node, x), "f64")
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


# `math` and builtins -------------------------------------------------------------------------------------------------------------


def _whole(reader: Expressions, value: Value, function: str) -> Value:
    if function == "trunc" and value.prec == APPLY and value.text.split(" ")[0] in ("f64.floor", "f64.ceil", "f64.trunc", "f64.round"):
        function = ""
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
        if function is builtins.round and len(values) == 1 and values[0].dtype in INTS - {"u64"} and not values[0].weak:
            return replace(convert(values[0], "i64"), weak=True)
        if len(values) != 1 or values[0].dtype not in FLOATS:
            return values[0] if len(values) == 1 and values[0].weak and values[0].dtype == "i64" else None
        return _whole(reader, convert(values[0], "f64"), rounding[function])
    values = [convert(value, "f64") for value in values]
    if len(values) != (2 if function in (math.atan2, math.copysign) else 1):
        return None
    name = f"f64.{plain[function]}" if plain[function] else reader.context.library(function.__name__)
    return Value(f"{name} {' '.join(value.argument for value in values)}", APPLY, "bool" if plain[function].startswith("is") else "f64", weak=True)


__all__ = ["call_more", "close_enough", "part_of_complex"]
