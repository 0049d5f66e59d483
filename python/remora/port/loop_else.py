"""`else` of loops that a `break` leaves: what follows them asks a variable, or what it gives is there before the loop."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any, TypeVar

from .reading import leaves

Loop = TypeVar("Loop", ast.For, ast.While)


def with_flags(function: ast.FunctionDef) -> ast.FunctionDef:
    """The function, in which `for .. else` with a `break` is `broken = False`, a loop that sets it before each `break`, and `if not broken`."""
    names = {node.id for node in ast.walk(function) if isinstance(node, ast.Name)} | {node.arg for node in ast.walk(function) if isinstance(node, ast.arg)}
    found: ast.FunctionDef = _Flags(names).visit(function)
    return found


class _Flags(ast.NodeTransformer):
    def __init__(self, names: set[str]) -> None:
        self.names = names

    def visit_For(self, node: ast.For) -> Any:  # noqa: N802
        return self.loop(node)

    def visit_While(self, node: ast.While) -> Any:  # noqa: N802
        return self.loop(node)

    def loop(self, node: Loop) -> list[ast.stmt] | ast.stmt:
        self.generic_visit(node)
        if not node.orelse or not leaves(node.body, (ast.Break,)):
            return node
        if _gives_what_breaks_give(node):
            before: list[ast.stmt] = node.orelse
            node.orelse = []
            return [*before, node]
        name = "broken"
        while name in self.names:
            name += "_"
        self.names.add(name)
        body, orelse = _marked(node.body, name), node.orelse
        node.body, node.orelse = body, []
        test = ast.copy_location(ast.UnaryOp(ast.Not(), ast.copy_location(ast.Name(name, ast.Load()), node)), node)
        return [_set(name, False, node), node, ast.copy_location(ast.If(test, orelse, []), node)]


def _gives_what_breaks_give(node: Loop) -> bool:
    """Whether `else` only gives constants to variables that are written before each `break`, and nowhere else in the loop: they may have these from the beginning."""
    names = set()
    for each in node.orelse:
        target = each.targets[0] if isinstance(each, ast.Assign) and len(each.targets) == 1 else None
        value = each.value if isinstance(each, ast.Assign) else None
        value = value.operand if isinstance(value, ast.UnaryOp) else value
        if not isinstance(target, ast.Name) or not isinstance(value, ast.Constant):
            return False
        names.add(target.id)
    left = list(_leaving(node.body))
    given = [{each.id for statement in statements for each in ast.walk(statement) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)} for statements in left]
    everywhere = [each for each in ast.walk(node) if isinstance(each, ast.Name) and each.id in names]
    before_breaks = [each for statements in left for statement in statements for each in ast.walk(statement) if isinstance(each, ast.Name) and each.id in names]
    in_orelse = [each for statement in node.orelse for each in ast.walk(statement) if isinstance(each, ast.Name) and each.id in names]
    stored = all(isinstance(each.ctx, ast.Store) for each in before_breaks)
    plain = all(isinstance(statement, (ast.Assign, ast.Break)) for statements in left for statement in statements)
    return all(names <= each for each in given) and plain and stored and len(everywhere) == len(before_breaks) + len(in_orelse)


def _leaving(statements: list[ast.stmt]) -> Iterator[list[ast.stmt]]:
    """The lists of statements that end with a `break` of the loop they are in."""
    for statement in statements:
        if isinstance(statement, ast.Break):
            yield statements
        elif isinstance(statement, ast.If):
            yield from _leaving(statement.body)
            yield from _leaving(statement.orelse)


def _set(name: str, value: bool, at: ast.stmt) -> ast.stmt:
    target, constant = ast.copy_location(ast.Name(name, ast.Store()), at), ast.copy_location(ast.Constant(value), at)
    return ast.copy_location(ast.Assign([target], constant), at)


def _marked(statements: list[ast.stmt], name: str) -> list[ast.stmt]:
    """The statements, which say so before they leave their loop."""
    found: list[ast.stmt] = []
    for statement in statements:
        if isinstance(statement, ast.Break):
            found.append(_set(name, True, statement))
        elif isinstance(statement, ast.If):
            statement.body, statement.orelse = _marked(statement.body, name), _marked(statement.orelse, name)
        found.append(statement)
    return found
