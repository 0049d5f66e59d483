"""Python's `sorted` and `sort` of lists, with `key` and `reverse`; the best element by a key; the element that `np.partition` puts in its place."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from .calls import refuse_options
from .diagnostics import Code, Unread
from .others import bound, said
from .values import FLOATS, INTS, Value, literal

if TYPE_CHECKING:
    from .expressions import Expressions


def held(reader: Expressions, node: ast.AST, value: Value) -> ast.expr:
    """A value as an expression."""
    name = reader.context.short()
    reader.locals = reader.locals | {name}
    reader.env[name] = value
    return ast.copy_location(ast.Name(name, ast.Load()), node)


def keys_of(reader: Expressions, node: ast.AST, values: Value, key: Value | None) -> Value:
    """What elements are compared by, of a type whose order is that of the numbers."""
    if key is None or key.dtype == "none":
        keys = values
    else:
        saved, local = dict(reader.env), reader.locals
        own = reader.context.short()
        try:
            call = ast.Call(held(reader, node, key), [ast.Name(own, ast.Load())], [])
            tree: ast.expr = ast.ListComp(call, [ast.comprehension(ast.Name(own, ast.Store()), held(reader, node, values), [], 0)])
            for each in ast.walk(tree):
                if isinstance(each, (ast.expr, ast.comprehension)):
                    ast.copy_location(each, node)
            reader.locals = reader.locals | {own}
            keys = reader.eval(tree)
        finally:
            reader.env, reader.locals = saved, local
    keys = bound(reader, replace(reader.as_array(node, keys) if keys.items is not None else keys, listed=0, weakly=False))
    if keys.rank != 1 or keys.axes != (0,) or keys.dtype not in FLOATS | INTS:
        raise Unread(node, Code.TYPE, "a comparison of what are no integers or floats", "sort by one number; by several with `np.lexsort`")
    if keys.dtype in FLOATS:
        # Python leaves them where its comparisons end up, which is no order.
        reader.context.pending.append(f'let _ = assert (!(or (map {keys.dtype}.isnan {keys.argument}))) "an order of floats of which one is NaN"')
    return keys


def in_order(reader: Expressions, node: ast.AST, values: Value, options: dict[str, Value]) -> Value:
    """The elements of a list or a vector in the order of their keys; equal ones stay as they are."""
    if isinstance(node, ast.Call):
        refuse_options(node, options, ("key", "reverse"))
    if values.items and all(item.items is None and not item.rank and item.dtype == values.items[0].dtype and item.weak == values.items[0].weak for item in values.items):
        values = replace(reader.as_array(node, values), listed=1, weakly=values.items[0].weak)
    if values.rank != 1 or values.axes != (0,):
        raise Unread(node, Code.TYPE, "an order of what are no numbers", "sort places: `order = np.argsort(keys, kind='stable')`")
    backwards = options.get("reverse", literal(False)).const
    if not isinstance(backwards, bool):
        raise Unread(node, Code.FORM, "`reverse` is no constant", "write True or False")
    plain = bound(reader, replace(values, listed=0, weakly=False, memory=frozenset()))
    keys = keys_of(reader, node, replace(plain, listed=max(values.listed, 1), weakly=values.weakly), options.get("key"))
    text = "x[(len(k) - 1 - np.argsort(k[::-1], kind='stable'))[::-1]]" if backwards else "x[np.argsort(k, kind='stable')]"
    made = said(reader, node, text, x=plain, k=keys)
    return replace(made, listed=1, weakly=values.weakly if values.listed else False, memory=frozenset(), shape=values.shape, small=values.small)


def best_by(reader: Expressions, node: ast.Call, name: str, values: list[Value], key: Value) -> Value:
    """`max(xs, key=f)`: the first of the best."""
    if len(values) != 1 or values[0].items is not None or values[0].rank != 1 or values[0].axes != (0,):
        raise Unread(node, Code.FORM, f"`{name}` with `key` is not read here", "of a list or a range")
    weak = values[0].weakly
    plain = bound(reader, replace(values[0], listed=0, weakly=False, memory=frozenset()))
    keys = keys_of(reader, node, replace(plain, listed=1, weakly=weak), key)
    return replace(said(reader, node, f"x[np.arg{name}(k)]", x=plain, k=keys), weak=weak, small=values[0].small)


def of_partition(reader: Expressions, node: ast.Subscript, call: ast.Call) -> Value:
    """`np.partition(x, k)[k]`, which is what a sorted array has there."""
    if len(call.args) == 2 and not call.keywords and ast.dump(node.slice) == ast.dump(call.args[1]):
        x, k = (reader.eval(each) for each in call.args)
        if x.rank == 1 and x.items is None and k.scalar and not k.rank and k.dtype in INTS:
            return said(reader, node, "np.sort(x)[k]", x=x, k=k)
    raise Unread(call, Code.NAME, "an element of `np.partition` that is not the one it puts in its place", "write `np.sort(x)`: what NumPy does with the elements on both sides is open; `np.partition(x, k)[k]` of a vector is read")
