"""Arguments of NumPy's functions in the places that NumPy's own signatures give them."""

from __future__ import annotations

import ast
import inspect
from typing import Any

import numpy as np

from .diagnostics import Code, Unread
from .values import Value

POSITIONAL, KEYWORD = inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD
# So many arguments that have defaults are read from their places, too.
MORE = {np.cov: 1, np.corrcoef: 1, np.clip: 2}


def by_signature(node: ast.Call, function: Any, values: list[Value], options: dict[str, Value]) -> tuple[list[Value], dict[str, Value]]:
    """The arguments with those that NumPy requires by their places, and the others by their names, so that none is overlooked.

    Functions whose arguments have no such places (ufuncs, `np.where`, any number of arrays) stay what they are.
    """
    if isinstance(function, (np.ufunc, type)) or not callable(function):
        return values, options
    try:
        found = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return values, options
    placed = [each for each in found if each.kind in (POSITIONAL, KEYWORD)]
    optional = [each for each in placed if each.default is not inspect.Parameter.empty]
    if any(each.kind is inspect.Parameter.VAR_POSITIONAL for each in found) or any(each.kind is POSITIONAL for each in optional) or function is np.arange:
        return values, options
    if len(values) > len(placed):
        raise Unread(node, Code.FORM, f"`{function.__name__}` with {len(values)} arguments", f"NumPy takes {len(placed)} of them")
    count = len(placed) - len(optional) + MORE.get(function, 0)
    moved, named = list(values[:count]), dict(options)
    for each in placed[len(moved) : count]:
        if each.name not in named:
            break
        moved.append(named.pop(each.name))
    for each, value in zip(placed[count:], values[count:]):
        if each.name in named:
            raise Unread(node, Code.FORM, f"`{each.name}` is given twice", "NumPy raises an error, too")
        named[each.name] = value
    if len(moved) < len(placed) - len(optional):
        raise Unread(node, Code.FORM, f"`{function.__name__}` needs `{placed[len(moved)].name}`", "NumPy raises an error, too")
    nothing = {each.name for each in found if each.default is None}
    return moved, {key: value for key, value in named.items() if value.dtype != "none" or key not in nothing}
