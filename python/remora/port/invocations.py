"""Calls of all that can be called, and methods."""

from __future__ import annotations

import ast
import builtins
from dataclasses import replace

import numpy as np

from . import arrays, draws, formulas, functional, further, records, ufuncs
from .calls import ALONG, MATH, METHODS, REDUCTIONS, TABLE, along, call_builtin, call_numpy, cast, dtype_of, reduction, refuse_options
from .diagnostics import Code, Unread
from .either import Either, as_arguments, of_builtin
from .expressions import Expressions, is_read
from .functions import matmul
from .reading import Definition, definition
from .signatures import by_signature
from .values import ATOM, GENERATOR, Value, literal

# Methods that have the parameters of NumPy's functions, and those that are read as these.
SIGNED = {"sum", "prod", "mean", "std", "var", "max", "min", "argmax", "argmin", "any", "all", "cumsum", "cumprod", "argsort", "trace", "repeat", "take", "round", "squeeze", "ravel"}
METHOD_ONLY = {"searchsorted", "diagonal"}


class Invocations(Expressions):
    """Reads calls."""

    def _call(self, node: ast.Call) -> Value:
        if any(isinstance(each, ast.Starred) for each in node.args) or any(keyword.arg is None for keyword in node.keywords):
            node = self.unpacked(node)
        function = self.resolve(node.func)
        if function is None and isinstance(node.func, ast.Attribute):
            ufunc = self.resolve(node.func.value)
            if isinstance(ufunc, np.ufunc):
                return ufuncs.call_ufunc_method(self, node, ufunc, node.func.attr)
            self.look_up(node.func)
            return self.method(node, node.func)
        more = formulas.call_math(self, node, function) or arrays.call_more(self, node, function)
        if more is not None:
            return more
        if function is None and not isinstance(node.func, ast.Attribute):
            # A function that a variable or an expression stands for.
            found = self.eval(node.func)
            if found.dtype != "function":
                raise Unread(node, Code.NAME, f"`{ast.unparse(node.func)}` is no function that is read", "")
            return self.call_value(node, found, *self.arguments(node))
        if is_read(function) or isinstance(function, np.vectorize):
            self.captured[self.function, ast.unparse(node.func)] = function
        if is_read(function) or isinstance(function, (np.vectorize, Definition)):
            return self.call_value(node, Value("", ATOM, "function", function=function), *self.arguments(node))
        if function is builtins.dict and not node.args:
            return records.dictionary(self, node, [str(each.arg) for each in node.keywords], [each.value for each in node.keywords])
        if function is np.random.default_rng:
            return draws.made(self, node)
        if isinstance(function, type) and records.is_record(function):
            return records.made(self, node, function, *self.arguments(node))
        if function is builtins.map and len(node.args) == 2 and not node.keywords:
            return self.each(node)
        values, options = self.arguments(node)
        native = function in MATH or getattr(builtins, getattr(function, "__name__", ""), None) is function
        kept = None
        if native:
            values, kept = of_builtin(node, function, values)
        elif any(isinstance(value.origin, Either) for value in (*values, *options.values())):
            values, options = as_arguments(node, function, values, options)
        if function is builtins.divmod and not options:
            return further.divided(self, node, values, False)
        if (whole := further.whole_function(self, node, function, values)) is not None and not options:
            return whole
        if native:
            made = call_builtin(self, node, function, values, options)
            return made if kept is None or made.dtype in ("bool", "i64") else replace(made, origin=kept)
        values, options = [self.unlisted(node, each) for each in values], {key: self.unlisted(node, each) for key, each in options.items()}
        return call_numpy(self, node, function, values, options)

    def unpacked(self, node: ast.Call) -> ast.Call:
        """A call with the arguments that `*` and `**` put there, as variables of no name of Python's."""

        def held(value: Value) -> ast.expr:
            name = self.context.short()
            self.locals = self.locals | {name}
            self.env[name] = value
            return ast.copy_location(ast.Name(name, ast.Load()), node)

        arguments: list[ast.expr] = []
        for each in node.args:
            if not isinstance(each, ast.Starred):
                arguments.append(each)
                continue
            value = records.gone_over(self.eval(each.value))
            if value.items is None and value.rank and value.shape[0].number is not None:
                value = replace(value, items=tuple(self.element(each.value, value, [literal(k), *[ast.Slice()] * (value.rank - 1)]) for k in range(value.shape[0].number)))
            if value.items is None or value.dtype == "record":
                raise Unread(each, Code.FORM, "`*` before what has no known number of parts", "write the arguments")
            arguments += [held(item) for item in value.items]
        keywords = [each for each in node.keywords if each.arg is not None]
        for keyword in node.keywords:
            if keyword.arg is None:
                value = self.eval(keyword.value)
                if value.dtype != "record":
                    raise Unread(keyword.value, Code.FORM, "`**` before what is no dictionary of constant keys", "write the arguments")
                keywords += [ast.keyword(key, held(item)) for key, item in zip(value.keys, value.items or ())]
        return ast.copy_location(ast.Call(node.func, arguments, keywords), node)

    def one_row(self, node: ast.AST) -> Value:
        """Refuses a list of one element that broadcasting made."""
        raise Unread(node, Code.SHAPE, "a list of an array with a dimension of size 1", "index the array")

    def unlisted(self, node: ast.AST, value: Value) -> Value:
        """A list as the array that NumPy makes of it."""
        return self.as_array(node, value) if value.listed else value

    def call_value(self, node: ast.Call, called: Value, values: list[Value], options: dict[str, Value]) -> Value:
        """A call of the function that a value is."""
        function = called.function
        if isinstance(function, functional.Vectorized):
            return functional.call_vectorized(self, node, function, values, options)
        if isinstance(function, np.vectorize):
            inner = Value("", ATOM, "function", function=function.pyfunc)
            if function.signature is not None or function.excluded:
                raise Unread(node, Code.FORM, "`vectorize` with a signature is not read", "write a loop")
            kind = function.otypes if function.otypes is None else np.dtype(function.otypes[0])
            return functional.call_vectorized(self, node, functional.Vectorized(inner, kind), values, options)
        if is_read(function):
            return self.call_local(node, definition(getattr(function, "__port__", function), self.context), values, options)
        if isinstance(function, Definition):
            return self.call_local(node, function, values, options)
        call = ast.copy_location(ast.Call(ast.copy_location(ast.Name(called.text.split(".")[-1], ast.Load()), node), [], []), node)
        call.means = function  # type: ignore[attr-defined]
        if function in MATH or getattr(builtins, getattr(function, "__name__", ""), None) is function:
            return call_builtin(self, call, function, values, options)
        return call_numpy(self, call, function, values, options)

    def each(self, node: ast.Call) -> Value:
        """`map(f, [a, b])`."""
        items = records.gone_over(self.eval(node.args[1])).items
        if items is None:
            raise Unread(node, Code.FORM, "`map` over what is no tuple or list", "call the function with the array")
        saved, saved_locals = dict(self.env), set(self.locals)
        found = []
        try:
            for item in items:
                name = self.context.short()
                self.locals = self.locals | {name}
                self.env[name] = item
                found.append(self.eval(ast.copy_location(ast.Call(node.args[0], [ast.copy_location(ast.Name(name, ast.Load()), node)], []), node)))
        finally:
            self.env, self.locals = saved, saved_locals
        return Value("", ATOM, "tuple", items=tuple(found))

    def method(self, node: ast.Call, function: ast.Attribute) -> Value:
        """A call of a method of an array."""
        value = self.eval(function.value)
        if value.dtype == "grid":
            value = self.as_array(node, value)
        name = function.attr
        if value.dtype == "record":
            return records.method(self, node, value, name)
        if value.dtype == GENERATOR:
            return draws.method(self, node, function.value, name)
        if value.listed and name == "copy":
            return replace(value, memory=frozenset())
        if value.listed:
            raise Unread(node, Code.NAME, f"the method `{name}` of a list is not read here", "write it as a statement, or make an array of the list")
        values, options = self.arguments(node)
        if any(isinstance(each.origin, Either) for each in (value, *values, *options.values())):
            (value, *values), options = as_arguments(node, getattr(np, name, None), [value, *values], options)
        plain = value.items is None and value.function is None
        if plain and name in SIGNED | METHOD_ONLY:
            (_, *values), options = by_signature(node, getattr(np, name), [value, *values], options)
        if plain and f"method.{name}" in TABLE:
            return TABLE[f"method.{name}"](self, node, [value, *values], options)
        if plain and name in METHOD_ONLY:
            call = ast.copy_location(ast.Call(function, [], []), node)
            call.means = getattr(np, name)  # type: ignore[attr-defined]
            return TABLE[name](self, call, [value, *values], options)
        if value.items is not None or value.function is not None or name not in METHODS:
            raise Unread(node, Code.NAME, f"the method `{name}` is not read", "")
        if name in ALONG:
            return along(self, node, name, value, values, options)
        if name in REDUCTIONS:
            return reduction(self, node, name, value, values, options)
        if name == "astype":
            kind, copied = options.get("dtype", values[0] if values else None), options.get("copy", literal(True)).const
            refuse_options(node, options, ("dtype", "copy"))
            if len(values) + ("dtype" in options) != 1 or kind is None or kind.function is None or not isinstance(copied, bool):
                raise Unread(node, Code.TYPE, "this type is not read", "")
            return value if value.rank and not copied and dtype_of(node, kind.function) == value.dtype else cast(self, node, value, kind.function)
        if name == "copy" and not values:
            refuse_options(node, options, ("order",))
            return replace(value, memory=frozenset())
        refuse_options(node, options, {"clip": ("min", "max"), "trace": ("offset",)}.get(name, ()))
        if name == "tolist" and not values and not options:
            return replace(value, weak=True) if not value.rank else replace(value, listed=value.rank, weakly=True, memory=frozenset()) if len(value.axes) == value.rank else self.one_row(node)
        if name == "trace":
            return TABLE["trace"](self, node, [value, *values], options)
        if name == "item" and not values and not value.rank:
            return replace(value, weak=True)
        if name == "dot":
            return matmul(self, node, value, *values)
        if name == "clip":
            return TABLE["clip"](self, node, [value, *values], options)
        raise Unread(node, Code.NAME, f"the method `{name}` is not read here", "")
