"""Types of arguments from annotations: `Float64[Array, "n m"]` as `jaxtyping` has it, `NDArray[np.float64]`, `float`, `int`, `bool`."""

from __future__ import annotations

import ast
import inspect
import types
from dataclasses import dataclass
from typing import Any

from .diagnostics import Code, PortError, Problem

ARRAYS = {
    "Float": ["float64", "float32"], "Float64": ["float64"], "Float32": ["float32"], "Int": ["int64", "int32"], "Int64": ["int64"], "Int32": ["int32"],
    "Int16": ["int16"], "Int8": ["int8"], "UInt8": ["uint8"], "UInt16": ["uint16"], "UInt32": ["uint32"], "UInt64": ["uint64"], "Bool": ["bool"],
    "Complex128": ["complex128"], "Complex64": ["complex64"],
}  # fmt: skip


@dataclass(frozen=True)
class Kind:
    """The types that an argument may have, and the names or numbers of its sizes."""

    name: str
    dtypes: tuple[str, ...]
    sizes: tuple[str, ...] = ()
    scalar: bool = False


def kinds_of(function: types.FunctionType) -> list[Kind]:
    """The kinds of all parameters; raises `PortError` where an annotation does not say one."""
    found, problems = [], []
    for name, parameter in inspect.signature(function).parameters.items():
        kind = _kind(name, parameter)
        if kind is None:
            code = function.__code__
            said = "" if parameter.annotation is parameter.empty else f": {parameter.annotation}"
            problems.append(
                Problem(Code.ARGUMENT, f"the annotation of `{name}` does not say a type", 'annotate it: `x: Float64[Array, "n m"]`, `k: int`, or give example inputs', code.co_filename, code.co_firstlineno, 0, f"{name}{said}", len(name))
            )
        else:
            found.append(kind)
    if problems:
        raise PortError(problems)
    return found


def _kind(name: str, parameter: inspect.Parameter) -> Kind | None:
    annotation = parameter.annotation
    if annotation is parameter.empty:
        if isinstance(parameter.default, (bool, int, float)):
            return Kind(name, (type(parameter.default).__name__,), scalar=True)
        return None
    if isinstance(annotation, type):
        annotation = annotation.__name__
    text = annotation if isinstance(annotation, str) else str(annotation)
    try:
        node = ast.parse(text, mode="eval").body
    except SyntaxError:
        return None
    return kind_of_node(name, node)


def kind_of_node(name: str, node: ast.expr | None) -> Kind | None:
    """The kind that an annotation says."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        try:
            node = ast.parse(node.value, mode="eval").body
        except SyntaxError:
            return None
    if isinstance(node, ast.Name) and node.id in ("int", "float", "bool"):
        return Kind(name, (node.id,), scalar=True)
    if isinstance(node, ast.Subscript):
        base: Any = node.value
        called = base.attr if isinstance(base, ast.Attribute) else getattr(base, "id", "")
        if called in ARRAYS and isinstance(node.slice, ast.Tuple) and isinstance(node.slice.elts[-1], ast.Constant):
            return Kind(name, tuple(ARRAYS[called]), tuple(str(node.slice.elts[-1].value).split()))
    return None
