"""What the text of a function says of arrays of which nothing else is known."""

from __future__ import annotations

import ast
import re

from .shapes import UNKNOWN, Size, Value

ANNOTATION = re.compile(r"(Float|Float64|Float32|Int|Int64|Int32|UInt8|Bool|Complex|Complex128)$")
KINDS = {"Float": "float", "Float64": "float", "Float32": "float32", "Int": "int", "Int64": "int", "Int32": "int", "UInt8": "uint8", "Bool": "bool", "Complex": "complex", "Complex128": "complex"}


def may_be_equal(function: ast.FunctionDef | None, names: list[str]) -> bool:
    """Whether the names of the sizes of an array may stand for the same size: the function compares them, or gives one to something else."""
    if function is None or len(set(names)) < len(names):
        return True
    stores = [node for node in ast.walk(function) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id in names]
    asked = [node for node in ast.walk(function) if isinstance(node, ast.Compare) and len({name.id for name in ast.walk(node) if isinstance(name, ast.Name)} & set(names)) > 1]
    return len(stores) > len(names) or bool(asked)


def default_of(function: ast.FunctionDef, k: int, called: bool = False) -> Value:
    """What the default of a parameter says of it: a float is one, an integer may be any number, unless a call leaves it out."""
    params = [*function.args.posonlyargs, *function.args.args]
    at = k - (len(params) - len(function.args.defaults))
    default = function.args.defaults[at] if at >= 0 else None
    value = default.value if isinstance(default, ast.Constant) else None
    if called and type(value) is int and value > 1:
        return Value("int", (), number=Size(params[k].arg, 0, value), extra={"weak": True})
    return Value("float", (), extra={"weak": True}) if isinstance(value, float) else UNKNOWN


def extent(node: ast.expr) -> tuple[str, list[int | None]] | None:
    """The array that an expression takes slices of, and how much shorter each axis is; None for others."""
    if isinstance(node, ast.UnaryOp):
        return extent(node.operand)
    if isinstance(node, ast.BinOp) and not isinstance(node.op, ast.MatMult):
        return extent(node.left) or extent(node.right)
    if not isinstance(node, ast.Subscript) or not isinstance(node.value, (ast.Name, ast.Attribute)):
        return None
    items = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    if not all(isinstance(item, ast.Slice) for item in items):
        return None
    return ast.unparse(node.value), [shorter(item) for item in items if isinstance(item, ast.Slice)]


def shorter(item: ast.Slice) -> int | None:
    """By how much a slice is shorter than the axis, as a number that is not positive; None where the bounds do not say."""
    try:
        low, high = (0 if bound is None else ast.literal_eval(bound) for bound in (item.lower, item.upper))
    except ValueError:
        return None
    if item.step is not None or type(low) is not int or type(high) is not int or low < 0 or high > 0 or high == 0 and item.upper is not None:
        return None
    return high - low


def reduced_axis(base: ast.expr, axis: ast.expr | None, keep: ast.expr | None) -> dict[str, object]:
    """What is kept of a reduction of an array of which nothing is known: the array, where it is over an axis behind the first one, which is gone."""
    kept = keep is not None and not (isinstance(keep, ast.Constant) and not keep.value)
    if kept or not isinstance(base, ast.Name) or not isinstance(axis, ast.Constant) or type(axis.value) is not int or axis.value < 1:
        return {}
    return {"reduced": base.id, "axis": axis.value}


def measured(node: ast.expr) -> str | None:
    """The array of `len(x)` and `x.shape[0]`; None for other expressions."""
    match node:
        case ast.Call(func=ast.Name(id="len"), args=[ast.Name(id=name)]):
            return name
        case ast.Subscript(value=ast.Attribute(value=ast.Name(id=name), attr="shape"), slice=ast.Constant(value=0)):
            return name
    return None


def is_nan(node: ast.expr) -> bool:
    """Whether an expression is `np.nan`."""
    return isinstance(node, ast.Attribute) and node.attr == "nan"
