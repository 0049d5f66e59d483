"""Dictionaries with constant keys, and objects of simple classes: values with named parts."""

from __future__ import annotations

import ast
import copy
import dataclasses
import inspect
import types
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from .diagnostics import Code, Unread
from .reading import definition
from .values import ATOM, Value, literal

if TYPE_CHECKING:
    from .expressions import Expressions


def dictionary(reader: Expressions, node: ast.AST, keys: list[str], nodes: list[ast.expr]) -> Value:
    """`{"a": x, "b": y}`."""
    if len(set(keys)) != len(keys):
        raise Unread(node, Code.FORM, "a key twice", "leave one out")
    return Value("", ATOM, "record", items=tuple(reader.eval(each) for each in nodes), keys=tuple(keys), serial=object())


def gone_over(value: Value) -> Value:
    """A tuple of what a loop goes over: the keys of a dictionary, the parts of a named tuple. Other values are what they are."""
    if value.dtype != "record" or value.items is None:
        return value
    if value.kind is None:
        return Value("", ATOM, "tuple", items=tuple(Value(repr(key), ATOM, "text", function=key) for key in value.keys))
    return Value("", ATOM, "tuple", items=value.items) if issubclass(value.kind, tuple) else value


def method(reader: Expressions, node: ast.Call, value: Value, name: str) -> Value:
    """A call of a method of a dictionary or of an object."""
    values, options = reader.arguments(node)
    items = value.items or ()
    if value.kind is not None:
        function = inspect.getattr_static(value.kind, name, None)
        if not isinstance(function, types.FunctionType):
            raise Unread(node, Code.NAME, f"the method `{name}` is not read", "")
        return reader.call_value(node, Value("", ATOM, "function", function=function), [value, *values], options)
    key = values[0].function if values else None
    if name == "get" and isinstance(key, str) and len(values) in (1, 2) and not options:
        if key in value.keys:
            found: Value = items[value.keys.index(key)]
            return found
        return values[1] if len(values) == 2 else Value("None", ATOM, "none")
    if name in ("keys", "values", "items") and not values and not options:
        texts = gone_over(value).items or ()
        pairs = tuple(Value("", ATOM, "tuple", items=pair) for pair in zip(texts, items))
        return Value("", ATOM, "tuple", items={"keys": texts, "values": items, "items": pairs}[name])
    if name == "copy" and not values:
        return replace(value, serial=object())
    raise Unread(node, Code.NAME, f"the method `{name}` of a dictionary is not read", "`get`, `keys`, `values`, `items` and `copy` are")


# Objects -------------------------------------------------------------------------------------------------------------------------


def is_record(kind: type) -> bool:
    """Whether a class is read: a named tuple, a data class, or a class without bases whose `__init__` assigns its parts."""
    own = set(kind.__dict__)
    if issubclass(kind, tuple):
        return hasattr(kind, "_fields") and (kind.__bases__ == (tuple,) or "__new__" not in own)
    if own & {"__new__", "__setattr__", "__getattribute__", "__getattr__"} and not getattr(getattr(kind, "__dataclass_params__", None), "frozen", False):
        return False
    return kind.__bases__ == (object,) and kind.__module__ != "builtins" and isinstance(kind.__dict__.get("__init__"), types.FunctionType) and not kind.__module__.startswith("numpy")


def made(reader: Expressions, node: ast.Call, kind: Any, values: list[Value], options: dict[str, Value]) -> Value:
    """A call of a class."""
    reader.captured[reader.function, ast.unparse(node.func)] = kind
    if issubclass(kind, tuple) or dataclasses.is_dataclass(kind):
        names = list(kind._fields) if issubclass(kind, tuple) else [each.name for each in dataclasses.fields(kind)]
        defaults = dict(kind._field_defaults) if issubclass(kind, tuple) else {each.name: each.default for each in dataclasses.fields(kind) if each.default is not dataclasses.MISSING}
        given = dict(zip(names, values)) | options
        for name in names:
            if name not in given and isinstance(defaults.get(name), (bool, int, float)):
                given[name] = literal(defaults[name])
        if set(given) != set(names) or len(values) > len(names) or hasattr(kind, "__post_init__"):
            raise Unread(node, Code.FORM, f"these arguments of `{kind.__name__}` are not read", "give a value for each part")
        return Value("", ATOM, "record", items=tuple(given[name] for name in names), keys=tuple(names), kind=kind, serial=object())
    found = definition(kind.__init__, reader.context)
    known = found.node.__dict__.get("constructor")
    if known is None:
        known = _constructor(node, found.node)
        found.node.__dict__["constructor"] = known
    assert isinstance(known, ast.FunctionDef)
    result = reader.call_local(node, replace(found, node=known), values, options)
    keys = tuple(known.__dict__["parts"])
    items = result.items if len(keys) != 1 else (result,)
    return Value("", ATOM, "record", items=items, keys=keys, kind=kind, serial=object())


def _constructor(node: ast.AST, init: ast.AST) -> ast.FunctionDef:
    """`__init__` as a function that returns the parts of the object."""
    assert isinstance(init, ast.FunctionDef)
    changed = copy.deepcopy(init)
    own = changed.args.args.pop(0).arg
    names: dict[str, None] = {}

    class Parts(ast.NodeTransformer):
        """`self.x` as a variable."""

        def visit_Attribute(self, each: ast.Attribute) -> ast.AST:
            if isinstance(each.value, ast.Name) and each.value.id == own:
                if isinstance(each.ctx, ast.Store):
                    names[each.attr] = None
                return ast.copy_location(ast.Name(f"{each.attr}_of_{own}", each.ctx), each)
            self.generic_visit(each)
            return each

    for statement in changed.body:
        Parts().visit(statement)
    if not names or any(isinstance(each, ast.Name) and each.id == own for top in changed.body for each in ast.walk(top)) or any(isinstance(each, ast.Return) for each in ast.walk(changed)):
        raise Unread(node, Code.FORM, "a class whose `__init__` does more than assign parts", "assign numbers and arrays: `self.x = x`")
    parts = [ast.Name(f"{name}_of_{own}", ast.Load()) for name in names]
    end = ast.Return(ast.Tuple(list(parts), ast.Load()) if len(parts) > 1 else parts[0])
    for each in ast.walk(end):
        if isinstance(each, (ast.stmt, ast.expr)):
            ast.copy_location(each, changed.body[-1])
    changed.body.append(end)
    changed.name = f"make_{init.name.strip('_')}"
    changed.__dict__["parts"] = list(names)
    return changed
