"""Forms of Python that are others in disguise: written as those before a function is read."""

from __future__ import annotations

import ast
import collections
import types
import warnings
from typing import Any

import numpy as np

from .loop_else import with_flags
from .reading import walk_body

QUIET = ("ignore", "warn", "print")


def plain_forms(function: ast.FunctionDef, outer: dict[str, Any]) -> ast.FunctionDef:
    """The function without `else` of loops that are left, `with np.errstate(..)`, and variables that are tuples of one length."""
    function = with_flags(function)
    function = _Contexts(outer).visit(function)
    function = _Deques(function, outer).visit(function)
    for each in [node for node in ast.walk(function) if isinstance(node, ast.FunctionDef)]:
        _split_tuples(each)
    return function


class _Rewriter(ast.NodeTransformer):
    def __init__(self, outer: dict[str, Any]) -> None:
        self.outer = outer

    def resolved(self, node: ast.AST) -> Any:
        if isinstance(node, ast.Name):
            return self.outer.get(node.id)
        base = self.resolved(node.value) if isinstance(node, ast.Attribute) else None
        return getattr(base, node.attr, None) if isinstance(node, ast.Attribute) and isinstance(base, types.ModuleType) else None


class _Deques(_Rewriter):
    """A `deque` that the function keeps for itself, as a list."""

    def __init__(self, function: ast.FunctionDef, outer: dict[str, Any]) -> None:
        super().__init__(outer)
        nodes = list(ast.walk(function))
        made = {node.targets[0].id for node in nodes if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name) and self.is_deque(node.value)}
        # Where one is returned or passed on, it has to be a `deque`.
        methods = {id(node.value) for node in nodes if isinstance(node, (ast.Attribute, ast.Subscript))}
        methods |= {id(node.args[0]) for node in nodes if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "len" and len(node.args) == 1}
        methods |= {id(node.test) for node in nodes if isinstance(node, (ast.While, ast.If))} | {id(node.operand) for node in nodes if isinstance(node, ast.UnaryOp)}
        shown = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and id(node) not in methods}
        self.names = made - shown

    def is_deque(self, node: ast.AST) -> bool:
        return isinstance(node, ast.Call) and self.resolved(node.func) is collections.deque and len(node.args) <= 1 and not node.keywords

    def visit_Assign(self, node: ast.Assign) -> Any:  # noqa: N802
        self.generic_visit(node)
        if isinstance(node.value, ast.Call) and self.is_deque(node.value) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name) and node.targets[0].id in self.names:
            given = node.value.args[0] if node.value.args else ast.copy_location(ast.List([], ast.Load()), node.value)
            node.value = given if isinstance(given, (ast.List, ast.ListComp)) else ast.copy_location(ast.Call(ast.copy_location(ast.Name("list", ast.Load()), node), [given], []), node.value)
        return node

    def visit_Call(self, node: ast.Call) -> Any:  # noqa: N802
        self.generic_visit(node)
        function = node.func
        if isinstance(function, ast.Attribute) and function.attr == "popleft" and isinstance(function.value, ast.Name) and function.value.id in self.names and not node.args:
            function.attr = "pop"
            node.args = [ast.copy_location(ast.Constant(0), node)]
        return node


class _Contexts(_Rewriter):
    """`with np.errstate(..)` that silences warnings, as the statements in it: a program gives none."""

    def silent(self, item: ast.withitem) -> bool:
        call = item.context_expr
        if not isinstance(call, ast.Call) or item.optional_vars is not None or call.args:
            return False
        function = self.resolved(call.func)
        if function is warnings.catch_warnings:
            return not call.keywords
        return function is np.errstate and all(isinstance(each.value, ast.Constant) and each.value.value in QUIET for each in call.keywords)

    def ignoring(self, statement: ast.stmt) -> bool:
        """`warnings.simplefilter("ignore")`."""
        call = statement.value if isinstance(statement, ast.Expr) else None
        if not isinstance(call, ast.Call) or self.resolved(call.func) not in (warnings.simplefilter, warnings.filterwarnings) or not call.args:
            return False
        return isinstance(call.args[0], ast.Constant) and call.args[0].value == "ignore"

    def visit_With(self, node: ast.With) -> Any:  # noqa: N802
        self.generic_visit(node)
        if not all(self.silent(item) for item in node.items):
            return node
        return [each for each in node.body if not self.ignoring(each)] or ast.copy_location(ast.Pass(), node)


# Tuples --------------------------------------------------------------------------------------------------------------------------


def _split_tuples(function: ast.FunctionDef) -> None:
    """Variables that are given tuples of one length at several places become a variable for each part."""
    stores: dict[str, list[ast.expr | None]] = {}
    nodes = walk_body(function)
    counted: set[int] = set()
    for node in nodes:
        if isinstance(node, ast.Assign):
            for target, value in _pairs(node):
                stores.setdefault(target.id, []).append(value)
                counted.add(id(target))
    for node in nodes:
        if isinstance(node, ast.Name) and isinstance(node.ctx, (ast.Store, ast.Del)) and id(node) not in counted:
            stores.setdefault(node.id, []).append(None)
    inner = {each.id for node in nodes if isinstance(node, (ast.FunctionDef, ast.Lambda, ast.ListComp, ast.GeneratorExp, ast.SetComp, ast.DictComp)) for each in ast.walk(node) if isinstance(each, ast.Name)}
    taken = {each.id for each in ast.walk(function) if isinstance(each, ast.Name)} | {each.arg for each in ast.walk(function) if isinstance(each, ast.arg)}
    arguments = {each.arg for each in ast.walk(function.args) if isinstance(each, ast.arg)}
    # Where no branch or loop gives them a value the tuples may stay.
    certain = {target.id for each in function.body if isinstance(each, ast.Assign) for target, _ in _pairs(each)}
    inside = {target.id for node in nodes if isinstance(node, ast.Assign) and node not in function.body for target, _ in _pairs(node)}
    names: dict[str, list[str]] = {}
    for name, values in stores.items():
        lengths = {len(value.elts) if isinstance(value, ast.Tuple) else -1 for value in values}
        if name not in certain & inside or name in inner | arguments or len(lengths) > 1 or lengths & {-1, 0}:
            continue
        if any(isinstance(part, (ast.Starred, ast.Tuple, ast.List)) for value in values if isinstance(value, ast.Tuple) for part in value.elts):
            continue
        parts = []
        for k in range(lengths.pop()):
            own = f"{name}_{k}"
            while own in taken:
                own += "_"
            taken.add(own)
            parts.append(own)
        names[name] = parts
    if names:
        _Split(names).generic_visit(function)
        del function.nodes  # type: ignore[attr-defined]


def _pairs(node: ast.Assign) -> list[tuple[ast.Name, ast.expr | None]]:
    """The names that an assignment gives values to, and the expressions that these are, where each has one of its own."""
    if len(node.targets) != 1:
        return [(each, None) for each in node.targets if isinstance(each, ast.Name)]
    target, value = node.targets[0], node.value
    if isinstance(target, ast.Name):
        return [(target, value)]
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts) and not any(isinstance(each, ast.Starred) for each in [*target.elts, *value.elts]):
        return [(one, other) for one, other in zip(target.elts, value.elts) if isinstance(one, ast.Name)]
    return []


class _Split(ast.NodeTransformer):
    def __init__(self, names: dict[str, list[str]]) -> None:
        self.names = names

    def visit_Assign(self, node: ast.Assign) -> Any:  # noqa: N802
        pairs = [(target, value) for target, value in _pairs(node) if target.id in self.names]
        node.value = self.visit(node.value)
        if not pairs:
            node.targets = [self.visit(target) for target in node.targets]
            return node
        whole = node.targets[0]
        targets, values = ([whole], [node.value]) if isinstance(whole, ast.Name) else (list(whole.elts), list(node.value.elts))  # type: ignore[attr-defined]
        stored: list[ast.expr] = []
        given: list[ast.expr] = []
        for target, value in zip(targets, values):
            if isinstance(target, ast.Name) and target.id in self.names and isinstance(value, ast.Tuple):
                stored += [ast.copy_location(ast.Name(own, ast.Store()), target) for own in self.names[target.id]]
                given += value.elts
            else:
                stored.append(self.visit(target))
                given.append(value)
        node.targets = [ast.copy_location(ast.Tuple(stored, ast.Store()), whole)] if len(stored) > 1 else stored
        node.value = ast.copy_location(ast.Tuple(given, ast.Load()), node.value) if len(given) > 1 else given[0]
        return node

    def visit_Subscript(self, node: ast.Subscript) -> Any:  # noqa: N802
        """`t[0]` is the part itself."""
        parts = self.names.get(node.value.id) if isinstance(node.value, ast.Name) else None
        index = node.slice.value if isinstance(node.slice, ast.Constant) else None
        if parts is not None and isinstance(index, int) and 0 <= index < len(parts) and isinstance(node.ctx, ast.Load):
            return ast.copy_location(ast.Name(parts[index], ast.Load()), node)
        self.generic_visit(node)
        return node

    def visit_Name(self, node: ast.Name) -> Any:  # noqa: N802
        parts = self.names.get(node.id)
        if parts is None or not isinstance(node.ctx, ast.Load):
            return node
        return ast.copy_location(ast.Tuple([ast.copy_location(ast.Name(own, ast.Load()), node) for own in parts], ast.Load()), node)
