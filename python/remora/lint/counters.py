"""Indices that a loop counts: how far they reach."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from .findings import Rule
from .shapes import Axis, Size

if TYPE_CHECKING:
    from .reader import Reader, Scope

LEAVING = (ast.Break, ast.Continue, ast.Return, ast.Raise)


def end_of(reader: Reader, node: ast.For, scope: Scope) -> Size | None:
    """Where the `range` of a loop ends, if every number before it is reached and the body gives the counter no other value; None for others."""
    source = node.iter
    if not isinstance(source, ast.Call) or getattr(source.func, "id", "") != "range" or source.keywords or not isinstance(node.target, ast.Name):
        return None
    step = source.args[2] if len(source.args) == 3 else ast.Constant(1)
    if not 1 <= len(source.args) <= 3 or not isinstance(step, ast.Constant) or step.value != 1:
        return None
    stored = [each for part in node.body for each in ast.walk(part) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)]
    if any(each.id == node.target.id for each in stored):
        return None
    return reader.value(source.args[min(len(source.args), 2) - 1], scope).number


def leaves(node: ast.stmt) -> bool:
    """Whether a statement may leave the iteration it is in."""
    return any(isinstance(each, LEAVING) for each in ast.walk(node))


def last_of(item: ast.expr, counters: dict[str, Size]) -> Size | None:
    """The largest value of an index such as `i`, `i + 1`, `i - 1`."""
    if isinstance(item, ast.Name) and item.id in counters:
        return counters[item.id].add(-1)
    if isinstance(item, ast.BinOp) and isinstance(item.op, (ast.Add, ast.Sub)) and isinstance(item.right, ast.Constant) and type(item.right.value) is int:
        inner = last_of(item.left, counters)
        return None if inner is None else inner.add(item.right.value if isinstance(item.op, ast.Add) else -item.right.value)
    return None


def look_at(reader: Reader, item: ast.expr, axis: Axis) -> None:
    """Reports an index whose last value is beyond the end of an axis."""
    last = last_of(item, reader.counters)
    if last is None or axis.size is None:
        return
    by_value = last.value is not None and axis.size.value is not None and last.value >= axis.size.value
    if by_value or last.name is not None and last.name == axis.size.name and last.plus >= axis.size.plus:
        reader.report(item, Rule.AGREE, f"index `{ast.unparse(item)}` reaches {last}, which is out of bounds for size {axis}".replace("'", ""))
