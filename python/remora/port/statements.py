"""The statements of one function, with calls of functions that are read as well."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import Any


from .diagnostics import Code, Poisoned, Unread
from .reading import Definition, assigned
from .values import APPLY, ATOM, Value, bound_text, fresh

from .blocks import Flow, Lines, indented, tuple_text, words
from .loops import Loops


class Statements(Loops):
    """Reads the statements of one function."""

    def call_local(self, node: ast.Call, function: Any, values: list[Value], options: dict[str, Value]) -> Value:
        if not isinstance(function, Definition) or not isinstance(function.node, ast.FunctionDef):
            raise Unread(node, Code.NAME, "a call of this is not read", "")
        if self.context.depth > 12:
            raise Unread(node, Code.FORM, "a recursive function", "write a loop")
        arguments = function.node.args
        if arguments.vararg or arguments.kwarg or arguments.kwonlyargs or arguments.posonlyargs:
            raise Unread(node, Code.FORM, "a function with `*` among its parameters", "")
        params = [each.arg for each in arguments.args]
        given: dict[str, Value] = dict(zip(params, values))
        given.update(options)
        for name, default in zip(params[len(params) - len(arguments.defaults) :], arguments.defaults):
            if name not in given:
                if not isinstance(default, ast.Constant):
                    raise Unread(node, Code.FORM, f"a default of `{function.node.name}` that is no constant", "pass the argument")
                given[name] = self.eval(default)
        if set(given) != set(params) or len(values) > len(params):
            raise Unread(node, Code.FORM, f"the arguments do not fit `{function.node.name}`", "")
        inner = Statements(self.context, function)
        inside = function.file == self.definition.file and function.lines is self.definition.lines
        mine = assigned(list(function.node.body)) | set(params)
        inner.locals = (self.locals | mine) if inside else mine
        if inside:
            inner.env = {name: value for name, value in self.env.items() if name not in mine}
        inner.captured = self.captured
        texts, declared = [], []
        for name in params:
            value = given[name]
            if value.items is not None or value.function is not None:
                inner.env[name] = value
                continue
            own = self.context.mangle(name)
            memory = frozenset([fresh()])
            inner.env[name] = replace(value, text=own, prec=ATOM, const=None, memory=memory if value.rank else frozenset(), size=None)
            inner.params[next(iter(memory))] = ""
            declared.append(f"({own}: {type_text(value)})")
            texts.append(bound_text(value) if value.const is not None and value.text[0] != "-" else f"({bound_text(value)})" if value.prec < ATOM else value.text)
        inner.live = set(inner.env)
        returned: list[Value] = []
        depth = self.context.depth
        self.context.depth += 4

        def on_return(at: ast.AST, value: Value) -> Lines:
            returned.append(value)
            if value.items is not None:
                return [tuple_text([bound_text(item) for item in value.items])]
            if value.dtype in ("none", "text", "type"):
                raise Unread(at, Code.TYPE, "a function without a result", "return what it computes")
            return [bound_text(value)]

        def missing() -> Lines:
            raise Unread(function.node, Code.TYPE, "a function without a result", "return what it computes")

        inner.flow = Flow(on_return)
        stable = set(self.context.stable)
        self.context.stable -= {self.context.mangle(name) for name in mine}
        lines = inner.block(list(function.node.body), missing)
        self.context.stable = stable
        self.context.depth = depth
        if not returned:
            raise Poisoned
        first = returned[0]
        for other in returned[1:]:
            if (other.dtype, other.shape, other.weak) != (first.dtype, first.shape, first.weak) or other.items is not None:
                raise Unread(node, Code.TYPE, f"`{function.node.name}` returns values of different types", "")
        if not declared:
            raise Unread(node, Code.FORM, "a call of a function without parameters", "use its result as a constant")
        name = self.context.mangle(function.node.name)
        opening = f"let {name} {' '.join(declared)}"
        text = [f"{opening} = {lines[0]}"] if len(lines) == 1 else [f"{opening} =", *indented(lines)]
        seen = words("\n".join(text)) - {self.context.mangle(each) for each in mine}
        sees = {key: value for key, value in self.env.items() if self.context.mangle(key) in seen}
        key = "\n".join(text)
        if self.instances.get(key) != sees or any(other != key and other.startswith(f"let {name} ") for other in self.instances):
            self.instances = {other: value for other, value in self.instances.items() if not other.startswith(f"let {name} ")}
            self.context.pending += text
            self.instances[key] = sees
        call = f"{name} {' '.join(texts)}"
        if first.items is not None:
            parts = []
            bound = []
            for item in first.items:
                if item.items is not None:
                    raise Unread(node, Code.TYPE, "a tuple in a tuple as a result", "")
                own = self.context.short()
                bound.append(own)
                parts.append(Value(own, ATOM, item.dtype, item.shape, weak=item.weak, memory=frozenset([fresh()]) if item.rank else frozenset()))
            self.context.pending.append(f"let ({', '.join(bound)}) = {call}")
            return Value("", ATOM, "tuple", items=tuple(parts))
        memory = frozenset().union(*(value.memory for value in values)) if first.rank else frozenset()
        return Value(call, APPLY, first.dtype, first.shape, weak=first.weak, memory=memory)


def type_text(value: Value) -> str:
    """The type of a value as the program writes it."""
    dims = "".join(f"[{size.text()}]" if size.known else "[]" for size in (value.shape[k] for k in value.axes))
    return dims + value.dtype
