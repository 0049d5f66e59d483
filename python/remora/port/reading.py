"""The source of a Python function, its comments, and the names in it."""

from __future__ import annotations

import ast
import inspect
import io
import textwrap
import tokenize
import types
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .diagnostics import Code, Unread


@dataclass(frozen=True)
class Definition:
    """A function as it is written, with the names that it sees outside of itself."""

    node: ast.FunctionDef | ast.Lambda
    file: str
    lines: tuple[str, ...]
    first_line: int
    comments: dict[int, str]
    outer: dict[str, Any]
    indent: int
    function: Any = None  # the Python function, if there is one yet
    home: Any = None  # of a function inside of another one: the reader of that

    @property
    def everything(self) -> list[ast.AST]:
        """All nodes, those of rewritten statements included."""
        found, todo = [], [self.node, *self.node.__dict__.get("outside", ())]
        while todo:
            top: ast.AST = todo.pop()
            for each in ast.walk(top):
                found.append(each)
                todo += each.__dict__.get("rewritten", {}).values()
        return found


def outer_names(function: types.FunctionType) -> dict[str, Any]:
    """Globals and the values of free variables."""
    names = dict(function.__globals__)
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
        try:
            names[name] = cell.cell_contents
        except ValueError:
            pass
    return names


def comments_of(text: str) -> dict[int, str]:
    """The comments that stand on lines of their own or at the end of one, by line."""
    found: dict[int, str] = {}
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT:
                found[token.start[0]] = token.string.lstrip("#").strip()
    except (tokenize.TokenError, SyntaxError):
        pass
    return found


def read(function: types.FunctionType) -> Definition:
    """The definition of a function."""
    try:
        lines, first = inspect.getsourcelines(function)
    except (OSError, TypeError):
        raise Unread(None, Code.SOURCE, f"the source of `{function.__name__}` is not to be had", "define it in a file or a notebook cell") from None
    text = "".join(lines)
    plain = textwrap.dedent(text)
    try:
        tree = ast.parse(plain)
    except SyntaxError:
        raise Unread(None, Code.SOURCE, f"the source of `{function.__name__}` is no definition on its own", "define it with `def`") from None
    node = tree.body[0] if tree.body else None
    if not isinstance(node, ast.FunctionDef):
        raise Unread(None, Code.FORM, "only functions that are defined with `def` are read", "lambdas and coroutines are not: define it with `def`")
    from .rewriting import plain_forms

    outer = outer_names(function)
    node = plain_forms(node, outer)
    arguments = node.args
    params = [each.arg for each in [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]]
    code = function.__code__
    if node.name != code.co_name or tuple(params) != code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]:
        raise Unread(None, Code.SOURCE, f"the text of the file is not the source of `{function.__name__}`", "import the module again after it was edited")
    indent = len(lines[0]) - len(lines[0].lstrip())
    file = inspect.getsourcefile(function) or "<text>"
    return Definition(node, file, tuple(text.splitlines()), first, comments_of(plain), outer, indent, function)


def definition(function: Any, context: Any) -> Definition:
    """The definition of a function that is called: the same each time, since what its calls write to is kept there."""
    known: dict[Any, Definition] = context.facts.definitions
    if function not in known:
        known[function] = read(function)
    return known[function]


def assigned(nodes: Sequence[ast.AST]) -> set[str]:
    """The names that statements give values to, elements included."""
    names: set[str] = set()
    for top in nodes:
        for node in walk(top):
            names |= annotated(node)
            if isinstance(node, ast.Name) and isinstance(node.ctx, (ast.Store, ast.Del)):
                names.add(node.id)
            elif isinstance(node, (ast.Subscript, ast.Attribute)) and isinstance(node.ctx, ast.Store):
                base: ast.AST = node
                while isinstance(base, (ast.Subscript, ast.Attribute)):
                    base = base.value
                if isinstance(base, ast.Name):
                    names.add(base.id)
            elif isinstance(node, ast.FunctionDef):
                names.add(node.name)
            elif isinstance(node, ast.Call):
                # What a call of a function writes to was found out when it was read.
                names |= getattr(node, "written", set())
            elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and isinstance(node.value.func, ast.Attribute):
                names |= {each.id for each in map(base_of, written_by(node.value)) if isinstance(each, ast.Name)} | getattr(node.value, "written", set())
    return names


def annotated(node: ast.AST | None) -> frozenset[str]:
    """The variables that a statement writes to without naming them: found out when it was read."""
    found: frozenset[str] = getattr(node, "also", frozenset())
    return found


# Functions of NumPy that write to their first argument.
WRITING = ("shuffle", "put", "place", "putmask", "put_along_axis", "fill_diagonal")


def written_by(node: ast.Call) -> list[ast.expr]:
    """What a call that is a statement writes to: `x.sort()`, `np.add.at(x, ..)`, `np.add(.., out=x)`."""
    function = node.func
    assert isinstance(function, ast.Attribute)
    if function.attr in ("at", *WRITING) and (function.attr in ("at", "shuffle") or isinstance(function.value, ast.Name) and function.value.id in ("np", "numpy")):
        return node.args[:1]
    target = out_of(node, getattr(np, function.attr, None))
    if target is not None:
        return [target]
    return [] if isinstance(function.value, ast.Name) and function.value.id in ("np", "numpy") else [function.value]


def out_of(node: ast.Call, function: object) -> ast.expr | None:
    """The array that a call of NumPy's writes its result to."""
    for keyword in node.keywords:
        if keyword.arg == "out":
            return keyword.value
    if isinstance(function, np.ufunc) and len(node.args) == function.nin + 1 and function.nout == 1:
        return node.args[-1]
    return node.args[0] if function is np.copyto and len(node.args) >= 2 else None


def base_of(node: ast.AST) -> ast.AST:
    """What an index is an index of."""
    while isinstance(node, (ast.Subscript, ast.Attribute)):
        node = node.value
    return node


def walk(node: ast.AST) -> Any:
    """All nodes, without those of functions and comprehensions inside."""
    yield node
    if isinstance(node, (ast.FunctionDef, ast.Lambda, ast.ListComp, ast.GeneratorExp, ast.SetComp, ast.DictComp)):
        return
    for child in ast.iter_child_nodes(node):
        yield from walk(child)


def used(nodes: Sequence[ast.AST]) -> set[str]:
    """The names that statements read; what writes to elements reads the array."""
    names: set[str] = set()
    for top in nodes:
        known: frozenset[str] | None = getattr(top, "read_names", None)
        if known is None:
            # A statement is asked about again and again while a function is read.
            found = {node.id for node in ast.walk(top) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
            found |= {node.target.id for node in ast.walk(top) if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name)}
            found = found.union(*(annotated(node) for node in ast.walk(top)))
            known = frozenset(found)
            top.read_names = known  # type: ignore[attr-defined]
        names |= known
    return names


def exposed(nodes: Sequence[ast.stmt]) -> set[str]:
    """The names that statements may read before they give them a value."""
    return _exposed(nodes)[0]


def _exposed(nodes: Sequence[ast.stmt]) -> tuple[set[str], set[str]]:
    """What may be read before it has a value, and what surely has one afterwards."""
    read: set[str] = set()
    given: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.If):
            (one, surely), (two, also) = _exposed(node.body), _exposed(node.orelse)
            read |= (used([node.test]) | one | two) - given
            if not leaves([node], (ast.Return, ast.Break, ast.Continue)):
                given |= surely & also
            continue
        if isinstance(node, (ast.For, ast.While)):
            inner = _exposed(node.body)[0]
            own = assigned([node.target]) if isinstance(node, ast.For) else set()
            head = used([node.iter]) if isinstance(node, ast.For) else used([node.test])
            read |= (head | (inner - own) | used(node.orelse)) - given
            continue
        read |= used([node]) - given
        if isinstance(node, (ast.Assign, ast.AnnAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            given |= {each.id for target in targets for each in walk(target) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)}
    return read, given


def leaves(nodes: list[ast.stmt], kinds: tuple[type, ...]) -> bool:
    """Whether statements have a `return`, `break` or `continue` that leaves them."""
    for node in nodes:
        if isinstance(node, kinds):
            return True
        if isinstance(node, ast.If) and (leaves(node.body, kinds) or leaves(node.orelse, kinds)):
            return True
        if isinstance(node, (ast.For, ast.While)):
            inner = tuple(kind for kind in kinds if kind is ast.Return)
            if inner and leaves(node.body, inner):
                return True
    return False


def times_bound(node: ast.FunctionDef) -> dict[str, int]:
    """How often each name is bound."""
    counts: dict[str, int] = {}
    for each in walk_body(node):
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store):
            counts[each.id] = counts.get(each.id, 0) + 1
        elif isinstance(each, ast.FunctionDef):
            counts[each.name] = counts.get(each.name, 0) + 1
    for argument in [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]:
        counts[argument.arg] = counts.get(argument.arg, 0) + 1
    return counts


def walk_body(node: ast.FunctionDef) -> list[ast.AST]:
    """All nodes of the body."""
    known: list[ast.AST] | None = getattr(node, "nodes", None)
    if known is None:
        known = [inner for each in node.body for inner in walk(each)]
        node.nodes = known  # type: ignore[attr-defined]
    return known
