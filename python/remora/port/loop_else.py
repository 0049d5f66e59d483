"""`else` of loops that a `break` leaves: what follows them asks a variable."""

from __future__ import annotations

import ast
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
        name = "broken"
        while name in self.names:
            name += "_"
        self.names.add(name)
        body, orelse = _marked(node.body, name), node.orelse
        node.body, node.orelse = body, []
        test = ast.copy_location(ast.UnaryOp(ast.Not(), ast.copy_location(ast.Name(name, ast.Load()), node)), node)
        return [_set(name, False, node), node, ast.copy_location(ast.If(test, orelse, []), node)]


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
