"""`z[mask] = z[mask] ** 2 + c[mask]`: a formula of the elements that one mask chooses is a formula of all elements, and a choice."""

from __future__ import annotations

import ast
import copy
from typing import TYPE_CHECKING

import numpy as np

from .diagnostics import Unread
from .values import FLOATS

if TYPE_CHECKING:
    from .indices import Indices

# Functions of single numbers, which may be computed where the mask is false.
FUNCTIONS = {np.sqrt, np.exp, np.log, np.log1p, np.sin, np.cos, np.tan, np.tanh, np.abs, np.maximum, np.minimum, np.conj, np.square}
# What a mask may be made of, so that it is the same wherever it stands.
PLAIN = (ast.Name, ast.Constant, ast.Compare, ast.cmpop, ast.BinOp, ast.operator, ast.UnaryOp, ast.unaryop, ast.expr_context)
OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow, ast.USub)


class _Whole(ast.NodeTransformer):
    """An expression in which `x[mask]` is `x`."""

    def __init__(self, reader: Indices, mask: str) -> None:
        self.reader, self.mask = reader, mask
        self.parts, self.sound = 0, True

    def visit(self, node: ast.AST) -> ast.AST:
        reader = self.reader
        if isinstance(node, ast.Subscript):
            if isinstance(node.value, ast.Name) and ast.dump(node.slice) == self.mask:
                self.parts += 1
                return node.value
            self.sound = False
        elif isinstance(node, ast.Name):
            known = reader.env.get(node.id) if node.id in reader.locals else None
            self.sound = self.sound and known is not None and known.scalar and not known.rank
        elif isinstance(node, ast.Call):
            self.sound = self.sound and reader.resolve(node.func) in FUNCTIONS and not node.keywords
            node.args = [self.visit(each) for each in node.args]  # type: ignore[misc]
        elif isinstance(node, (ast.BinOp, ast.UnaryOp)):
            self.sound = self.sound and isinstance(node.op, OPERATORS)
            return self.generic_visit(node)
        elif not isinstance(node, (ast.Constant, ast.expr_context, ast.operator, ast.unaryop)):
            self.sound = False
        return node


def chosen(reader: Indices, target: ast.expr, value: ast.expr) -> ast.expr | None:
    """What an array is after `target = value`, if that is a formula of elements that a mask chooses; None for other assignments."""
    if not isinstance(target, ast.Subscript) or not isinstance(target.value, ast.Name) or isinstance(value, ast.Constant):
        return None
    if any(not isinstance(each, PLAIN) for each in ast.walk(target.slice)) or ast.dump(target.slice) not in ast.dump(value):
        return None
    array = reader.env.get(target.value.id) if target.value.id in reader.locals else None
    if array is None or array.items is not None or not array.rank:
        return None
    waiting = list(reader.context.pending)
    mask = reader.eval(target.slice)
    if mask.items is not None or len(reader.context.pending) != len(waiting) or mask.dtype != "bool" or not mask.rank or mask.shape != array.shape or array.view is not None or array.listed or mask.listed or len(mask.axes) != mask.rank:
        return None
    if array.dtype not in FLOATS | {"c64", "c128"} or any(not size.known for size in mask.shape):
        return None
    whole = _Whole(reader, ast.dump(target.slice))
    formula = whole.visit(copy.deepcopy(value))
    if not whole.sound or not whole.parts or not isinstance(formula, ast.expr):
        return None
    try:
        made = reader.eval(formula)
    except Unread:
        return None
    finally:
        reader.context.pending[:] = waiting
    return formula if made.dtype == array.dtype and made.shape == array.shape else None
