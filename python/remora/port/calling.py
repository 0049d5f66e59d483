"""Calls of functions whose definitions are read: each becomes a function of the written program."""

from __future__ import annotations

import ast
import inspect
import types
from dataclasses import replace
from typing import Any

from .blocks import Flow, Lines, indented, tuple_text, words
from .context import Restart
from .diagnostics import Code, Poisoned, Unread
from .either import either
from .loops import Loops
from .operators import unknown_size
from .reading import Definition, assigned, times_bound, used
from .sizes import Size
from .values import APPLY, ATOM, CALLER, GENERATOR, Value, bound_text, fresh, literal, type_text


class Calling(Loops):
    """Reads calls of functions that are read as well."""

    def recursive(self, node: ast.Call, function: Definition, given: dict[str, Value], more: dict[str, Value]) -> Value | None:
        """A call of a function that calls itself; None for others."""
        raise NotImplementedError

    def draws_from(self, node: ast.AST, name: str) -> Value:
        """A generator whose state changes in the current statement."""
        raise NotImplementedError

    def given(self, node: ast.Call, function: Definition, values: list[Value], options: dict[str, Value]) -> tuple[list[str], dict[str, Value], dict[str, Value]]:
        """The names of the parameters, the arguments, and what `*` and `**` among the parameters stand for."""
        assert isinstance(function.node, ast.FunctionDef)
        arguments = function.node.args
        params = [each.arg for each in [*arguments.posonlyargs, *arguments.args]]
        given: dict[str, Value] = dict(zip(params, values))
        more: dict[str, Value] = {}
        if arguments.vararg is not None:
            more[arguments.vararg.arg] = Value("", ATOM, "tuple", items=tuple(values[len(params) :]))
            values = values[: len(params)]
        named = [*params, *(each.arg for each in arguments.kwonlyargs)]
        if set(options) & set(given):
            raise Unread(node, Code.FORM, f"an argument of `{function.node.name}` that is given twice", "Python raises an error, too")
        if arguments.kwarg is not None:
            extra = {key: value for key, value in options.items() if key not in named}
            options = {key: value for key, value in options.items() if key in named}
            more[arguments.kwarg.arg] = Value("", ATOM, "record", items=tuple(extra.values()), keys=tuple(extra))
        given.update(options)
        for each, keyword_default in zip(arguments.kwonlyargs, arguments.kw_defaults):
            if each.arg not in given and keyword_default is not None:
                given[each.arg] = self.default(node, function, each.arg, keyword_default)
        positional, params = params, named
        for name, default in zip(positional[len(positional) - len(arguments.defaults) :], arguments.defaults):
            if name not in given:
                given[name] = self.default(node, function, name, default)
        if set(given) != set(params) or len(values) > len(positional):
            raise Unread(node, Code.FORM, f"the arguments do not fit `{function.node.name}`", "")
        return params, given, more

    def default(self, node: ast.Call, function: Definition, name: str, default: ast.expr) -> Value:
        """The value of a parameter that no argument is given for: it was made where the function was defined."""
        if isinstance(default, ast.Constant):
            return self.eval(default)
        made = inspect.signature(function.function).parameters.get(name) if isinstance(function.function, types.FunctionType) and function.home is None else None
        if made is not None and type(made.default) in (bool, int, float):
            return literal(made.default)
        if made is None and all(isinstance(each, (ast.Constant, ast.UnaryOp, ast.BinOp, ast.operator, ast.unaryop)) for each in ast.walk(default)):
            return self.eval(default)
        raise Unread(node, Code.FORM, f"a default of `{getattr(function.node, 'name', 'the function')}` that is no constant", "pass the argument")

    def call_local(self, node: ast.Call, function: Any, values: list[Value], options: dict[str, Value]) -> Value:
        if not isinstance(function, Definition) or not isinstance(function.node, ast.FunctionDef):
            raise Unread(node, Code.NAME, "a call of this is not read", "")
        if any(function.node is other for other, _, _ in self.context.calling) and not any(entry.node is function.node for entry in self.context.recursions):
            raise Unread(node, Code.FORM, "functions that call each other", "a function that calls itself is read")
        params, given, more = self.given(node, function, values, options)
        again = self.recursive(node, function, given, more)
        if again is not None:
            return again
        # The parts of tuples, lists and records are parameters of their own, too.
        more |= {name: value for name, value in given.items() if value.items is not None}
        for name, value in more.items():
            # Each has a parameter of its own in the written program.
            items = tuple(f"{name}.{key}" for key in value.keys or map(str, range(len(value.items or ()))))
            given |= dict(zip(items, value.items or ()))
            params = [each for each in params if each != name] + list(items)
        inner = type(self)(self.context, function)
        inner.entry_name = self.entry_name
        home = function.home if isinstance(function.home, Calling) else None
        mine = assigned(list(function.node.body)) | set(params) | set(more)
        inner.locals = mine if home is None else home.locals | mine
        if home is not None:
            inner.env = {name: value for name, value in home.env.items() if name not in mine}
            inner.outer = {**inner.outer, **home.outer}
            if home is not self:
                self.check_names(node, function, home, mine)
        inner.captured = self.captured
        inner.called_as = (function.file, function.first_line, function.node.lineno, function.node.name)
        memories: dict[str, frozenset[str]] = {}  # of the arguments, by those that the function sees
        own_names = {self.context.mangle(name) for name in mine}
        shapes = {name for value in given.values() if value.items is None for size in value.shape for name in size.names()}
        if own_names & (self.context.sizes | shapes) - self.context.facts.taken:
            # Inside of the function the name would stand for its own variable.
            self.context.facts.taken |= own_names
            self.context.facts.unwished |= own_names
            raise Restart
        texts, declared = [], []
        for name in params:
            value = given[name]
            if value.items is not None or value.function is not None or value.dtype == "none":
                if words(" ".join(texts_of(value))) & own_names:
                    raise Unread(node, Code.FORM, "an argument with parts of parts, whose names are those of variables of the function", "pass the parts as arguments of their own")
                inner.env[name] = value
                continue
            own = self.context.mangle(name)
            memory = frozenset([fresh()])
            # A constant stays one where the function gives its name nothing else: it may be an axis.
            kept = value.const if value.weak and type(value.const) in (bool, int) and times_bound(function.node).get(name) == 1 else None
            inner.env[name] = replace(value, text=own, prec=ATOM, const=kept, memory=memory if value.rank or value.dtype == GENERATOR else frozenset(), size=None, view=None, serial=object())
            inner.params[next(iter(memory))] = name
            if value.listed:
                inner.callers |= memory
            memories[next(iter(memory))] = value.memory
            declared.append(f"({own}: {type_text(value)})")
            texts.append(f"({bound_text(value)})" if value.prec < ATOM or value.text.startswith("-") else bound_text(value) if value.const is not None else value.text)
        for name, value in more.items():
            parts = [inner.env[f"{name}.{key}"] for key in value.keys or map(str, range(len(value.items or ())))]
            inner.env[name] = replace(value, items=tuple(parts), spread=(), serial=CALLER if value.dtype == "list" else value.serial)
        inner.live = set(inner.env)
        returned: list[Value] = []
        # The caller's lines and names are none of the function's.
        waiting = list(self.context.pending)
        self.context.pending.clear()
        self.context.names |= {self.context.mangle(each.id) for each in ast.walk(function.node) if isinstance(each, ast.Name)} | {self.context.mangle(name) for name in params}
        depth, self.context.depth = self.context.depth, 0
        self.context.calling.append((function.node, {self.context.mangle(each) for each in mine}, home))

        def on_return(at: ast.AST, value: Value) -> Lines:
            returned.append(value)
            written = [known.text for known in (inner.env.get(each) for each in params if each in inner.mutated) if known is not None]
            if value.items is not None:
                return [tuple_text([bound_text(item) for item in value.items] + written)]
            if value.dtype in ("text", "type") or value.dtype == "none" and not written:
                raise Unread(at, Code.TYPE, "a function without a result", "return what it computes")
            return [tuple_text(([] if value.dtype == "none" else [bound_text(value)]) + written)]

        def missing() -> Lines:
            if not inner.mutated:
                raise Unread(function.node, Code.TYPE, "a function without a result", "return what it computes")
            return on_return(function.node, Value("None", ATOM, "none"))

        inner.flow = Flow(on_return)
        stable = set(self.context.stable)
        self.context.stable -= {self.context.mangle(name) for name in mine}
        try:
            lines = inner.block(list(function.node.body), missing)
        finally:
            self.context.calling.pop()
        self.context.pending[:0] = waiting
        hidden, self.context.stable = self.context.stable - stable, stable
        self.context.depth = depth
        if not returned:
            raise Poisoned
        first = without_names(returned[0], {name: unknown_size() for name in hidden})
        kept = [found for value in returned if value.items is None and (found := either(value)) is not None]
        first = replace(first, origin=max(kept, key=lambda found: found.integer)) if kept else first
        for other in returned[1:]:
            if (other.dtype, other.rank, other.axes, other.weak, other.listed, other.weakly) != (first.dtype, first.rank, first.axes, first.weak, first.listed, first.weakly) or other.items is not None:
                raise Unread(node, Code.TYPE, f"`{function.node.name}` returns values of different types", "")
            first = replace(first, shape=tuple(a if a == b else unknown_size() for a, b in zip(first.shape, other.shape)))
        name = self.context.mangle(function.node.name)
        end = [f"= {lines[0]}"] if len(lines) == 1 else ["=", *indented(lines)]
        head = "".join(f"{each} " for each in declared)
        # A second version, for other types or constants, has a name of its own: one expression may call both.
        version = 1
        while any(other.startswith(f"let {name} ") and other != "\n".join([f"let {name} {head}{end[0]}", *end[1:]]) for other in self.instances):
            version += 1
            name = f"{self.context.mangle(function.node.name)}_{version}"
        text = [f"let {name} {head}{end[0]}", *end[1:]]
        seen = words("\n".join(text)) - {self.context.mangle(each) for each in mine}
        sees = {key: value for key, value in (home or self).env.items() if self.context.mangle(key) in seen}
        key = "\n".join(text)
        if self.instances.get(key) != sees:
            self.context.pending += text
            self.instances[key] = sees
        made = self.result_of(node, " ".join([name, *texts]), first, memories, self.written_arguments(node, function, params, given, inner))
        return self.same_argument(node, params, inner, returned) or made

    def same_argument(self, node: ast.Call, params: list[str], inner: Calling, returned: list[Value]) -> Value | None:
        """The caller's variable, if a function writes to the array that it is, and returns it."""
        for param in params:
            known = inner.env.get(param)
            if param not in inner.mutated or known is None or any(each.items is not None or each.text != self.context.mangle(param) or each.memory != known.memory for each in returned):
                continue
            argument = {**dict(zip(params, node.args)), **{str(each.arg): each.value for each in node.keywords}}.get(param)
            return self.env.get(argument.id) if isinstance(argument, ast.Name) else None
        return None

    def check_names(self, node: ast.AST, function: Definition, home: Calling, mine: set[str]) -> None:
        """Looks whether what a function sees around it has its name also where it is called."""
        hidden: set[str] = set()
        for _, names, where in reversed(self.context.calling):
            hidden |= names
            if where is home:
                break
        for name in used(list(function.node.body) if isinstance(function.node, ast.FunctionDef) else []) - mine:
            value = home.env.get(name) if name in home.locals else None
            for each in [value, *(home.env.get(part) for part in (value.spread if value is not None else ()))]:
                if each is not None and each.function is None and words(each.text) & hidden:
                    raise Unread(node, Code.FORM, f"a function that sees `{name}` is called where that name stands for something else", "use another name, or pass it as an argument")

    def written_arguments(self, node: ast.Call, function: Definition, params: list[str], given: dict[str, Value], inner: Calling) -> list[str]:
        """What a call writes to: names of the caller's, or `_` for what nobody else sees."""
        body = function.node
        assert isinstance(body, ast.FunctionDef)
        nodes: dict[str, ast.expr] = {**dict(zip(params, node.args)), **{str(each.arg): each.value for each in node.keywords}}
        names: list[str] = []
        for param in params:
            if param not in inner.mutated:
                continue
            argument, value = nodes.get(param), given[param]
            if not isinstance(argument, ast.Name):
                if value.memory:
                    raise Unread(node, Code.ALIAS, f"`{body.name}` writes to its argument `{param}`, which is a part of an array", "give the part a name, and put it back")
                names.append("")
                continue
            if self.whole is not node:
                what = "draws from" if value.dtype == GENERATOR else "writes to"
                raise Unread(node, Code.ALIAS, f"`{body.name}` {what} its argument `{param}`, inside of an expression", "call it in a statement of its own")
            if value.dtype == GENERATOR:
                self.draws_from(node, argument.id)
                names.append(argument.id)
                continue
            array = self.owned(node, argument.id)
            seen = [known for key, known in inner.env.items() if key not in params and known is not None and known.rank and key in used(list(body.body))]
            others = [value for other, value in given.items() if other != param and value.items is None]
            if any(other.memory & array.memory for other in [*others, *seen]):
                raise Unread(node, Code.ALIAS, f"`{body.name}` writes to its argument `{param}`, and sees that array under another name, too", "pass a copy of one of them")
            names.append(argument.id)
        written = {name for name in names if name}
        if not written <= getattr(node, "written", set()):
            node.written = written | getattr(node, "written", set())  # type: ignore[attr-defined]
            raise Restart
        return names

    def result_of(self, node: ast.Call, call: str, first: Value, memories: dict[str, frozenset[str]], written: list[str]) -> Value:
        """The value of a call; what it writes to has another value afterwards."""

        def memory_of(value: Value) -> frozenset[str]:
            outside = {each for known in self.env.values() if known is not None for each in known.memory}
            found = {each for own in value.memory for each in memories.get(own, frozenset([own] if own in outside else []))}
            return frozenset(found or [fresh()]) if value.rank else frozenset()

        if first.items is None and not written:
            memory = memory_of(first) if first.memory else frozenset()
            return Value(call, APPLY, first.dtype, first.shape, weak=first.weak, memory=memory, origin=either(first), listed=first.listed, weakly=first.weakly, kind=first.kind)
        parts: list[Value] = []
        for item in [first] if first.items is None else first.items:
            if item.items is not None:
                raise Unread(node, Code.TYPE, "a tuple in a tuple as a result", "")
            if item.dtype != "none":
                parts.append(Value(self.context.short(), ATOM, item.dtype, item.shape, weak=item.weak, memory=memory_of(item), origin=either(item), listed=item.listed, weakly=item.weakly, kind=item.kind))
        names = [self.name_of(each) if each else "_" for each in written]
        self.context.pending.append(f"let {tuple_text([part.text for part in parts] + names)} = {call}")
        for each in written:
            known = self.env.get(each) if each else None
            if known is not None:
                self.written(each, known)
                if known.rank:
                    self.context.pending += self.refreshed(each)
        if first.items is not None:
            if first.dtype == "record":
                return replace(first, items=tuple(parts), serial=object())
            return Value("", ATOM, first.dtype, items=tuple(parts), serial=object())
        return parts[0] if parts else Value("None", ATOM, "none")


def without_names(value: Value, unknown: dict[str, Size]) -> Value:
    """A result, in whose shape other sizes stand for those that have names only inside of a function."""
    shape = value.shape
    for name, size in unknown.items():
        shape = tuple(own.substitute(name, size) if name in own.names() else own for own in shape)
    items = None if value.items is None else tuple(without_names(item, unknown) for item in value.items)
    return replace(value, shape=shape, items=items)


def texts_of(value: Value) -> list[str]:
    """The texts of a value and of its parts."""
    return [text for item in value.items for text in texts_of(item)] if value.items is not None else [value.text] if value.function is None else []
