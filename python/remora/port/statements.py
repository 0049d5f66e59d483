"""The statements of one function, with calls of functions that are read as well."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from .context import Restart
from .diagnostics import Code, Poisoned, Unread
from .operators import joined, named_size, unknown_size
from .reading import Definition, annotated, assigned, used
from .sizes import ONE
from .values import APPLY, ATOM, GENERATOR, LOW, Value, bound_text, fresh, type_text

from .assignments import named_lambda
from .blocks import Flow, Lines, finished, indented, replace_definition, shares, tuple_text, words
from .expressions import is_read
from .functions import integers
from .loops import Loops


class Statements(Loops):
    """Reads the statements of one function."""

    def call_local(self, node: ast.Call, function: Any, values: list[Value], options: dict[str, Value]) -> Value:
        if not isinstance(function, Definition) or not isinstance(function.node, ast.FunctionDef):
            raise Unread(node, Code.NAME, "a call of this is not read", "")
        if self.context.depth > 12:
            raise Unread(node, Code.FORM, "a recursive function", "write a loop")
        arguments = function.node.args
        params = [each.arg for each in [*arguments.posonlyargs, *arguments.args]]
        given: dict[str, Value] = dict(zip(params, values))
        more: dict[str, Value] = {}  # what `*` and `**` among the parameters stand for
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
            if each.arg not in given and isinstance(keyword_default, ast.Constant):
                given[each.arg] = self.eval(keyword_default)
        positional, params = params, named
        for name, default in zip(positional[len(positional) - len(arguments.defaults) :], arguments.defaults):
            if name not in given:
                if not isinstance(default, ast.Constant):
                    raise Unread(node, Code.FORM, f"a default of `{function.node.name}` that is no constant", "pass the argument")
                given[name] = self.eval(default)
        if set(given) != set(params) or len(values) > len(positional):
            raise Unread(node, Code.FORM, f"the arguments do not fit `{function.node.name}`", "")
        for name, value in more.items():
            # Each has a parameter of its own in the written program.
            items = tuple(f"{name}.{key}" for key in value.keys or map(str, range(len(value.items or ()))))
            given |= dict(zip(items, value.items or ()))
            params = [*params, *items]
        inner = Statements(self.context, function)
        inside = function.file == self.definition.file and function.lines is self.definition.lines
        mine = assigned(list(function.node.body)) | set(params) | set(more)
        inner.locals = (self.locals | mine) if inside else mine
        if inside:
            inner.env = {name: value for name, value in self.env.items() if name not in mine}
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
                inner.env[name] = value
                continue
            own = self.context.mangle(name)
            memory = frozenset([fresh()])
            inner.env[name] = replace(value, text=own, prec=ATOM, const=None, memory=memory if value.rank or value.dtype == GENERATOR else frozenset(), size=None, view=None, serial=object())
            inner.params[next(iter(memory))] = name
            memories[next(iter(memory))] = value.memory
            declared.append(f"({own}: {type_text(value)})")
            texts.append(bound_text(value) if value.const is not None and value.text[0] != "-" else f"({bound_text(value)})" if value.prec < ATOM else value.text)
        for name, value in more.items():
            parts = [inner.env[f"{name}.{key}"] for key in value.keys or map(str, range(len(value.items or ())))]
            inner.env[name] = replace(value, items=tuple(parts))
        inner.live = set(inner.env)
        returned: list[Value] = []
        # The caller's lines and names are none of the function's.
        waiting = list(self.context.pending)
        self.context.pending.clear()
        self.context.names |= {self.context.mangle(each.id) for each in ast.walk(function.node) if isinstance(each, ast.Name)} | {self.context.mangle(name) for name in params}
        depth = self.context.depth
        self.context.depth += 4

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
        lines = inner.block(list(function.node.body), missing)
        self.context.pending[:0] = waiting
        self.context.stable = stable
        self.context.depth = depth
        if not returned:
            raise Poisoned
        first = returned[0]
        for other in returned[1:]:
            if (other.dtype, other.shape, other.weak) != (first.dtype, first.shape, first.weak) or other.items is not None:
                raise Unread(node, Code.TYPE, f"`{function.node.name}` returns values of different types", "")
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
        sees = {key: value for key, value in self.env.items() if self.context.mangle(key) in seen}
        key = "\n".join(text)
        if self.instances.get(key) != sees:
            self.context.pending += text
            self.instances[key] = sees
        return self.result_of(node, " ".join([name, *texts]), first, memories, self.written_arguments(node, function, params, given, inner))

    def written_arguments(self, node: ast.Call, function: Definition, params: list[str], given: dict[str, Value], inner: Statements) -> list[str]:
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
            return Value(call, APPLY, first.dtype, first.shape, weak=first.weak, memory=memory)
        parts: list[Value] = []
        for item in [first] if first.items is None else first.items:
            if item.items is not None:
                raise Unread(node, Code.TYPE, "a tuple in a tuple as a result", "")
            if item.dtype != "none":
                parts.append(Value(self.context.short(), ATOM, item.dtype, item.shape, weak=item.weak, memory=memory_of(item)))
        names = [self.name_of(each) if each else "_" for each in written]
        self.context.pending.append(f"let {tuple_text([part.text for part in parts] + names)} = {call}")
        for each in written:
            known = self.env.get(each) if each else None
            if known is not None:
                self.written(each, known)
        if first.items is not None:
            if first.dtype == "record":
                return replace(first, items=tuple(parts), serial=object())
            return Value("", ATOM, "tuple", items=tuple(parts))
        return parts[0] if parts else Value("None", ATOM, "none")

    def mapped(self, node: ast.GeneratorExp | ast.ListComp, generator: ast.comprehension) -> Value | None:
        if self.constant_range(generator.iter):
            return None
        pairs = self.mapped_over(generator)
        if pairs is None:
            return None
        if generator.ifs:
            pairs = self.chosen(node, generator, pairs)
        context = self.context
        params = [self.item_of(array) for _, array in pairs]
        depth = [0, False]
        parts: set[str] = set()  # of what a list of views is made

        def body(items: list[Value]) -> Value:
            self.live = self.live | used([node.elt])
            for (name, _), item in zip(pairs, items):
                self.locals = self.locals | {name}
                self.env[name] = item
            made = self.eval(node.elt)
            if made.dtype == "tuple":
                raise Unread(node.elt, Code.TYPE, "tuples in a list", "make a list of each part")
            if made.rank and made.memory:
                parts.update(*(array.memory for _, array in pairs))
            depth[:] = [made.listed, made.weakly] if made.listed else [made.dtype == "list", all(item.weak for item in made.items or ())] if made.items is not None else [0, made.weak]
            return self.as_array(node, made)

        function, result = self.local_function(node, params, body, [name for name, _ in pairs])
        arrays = [array for _, array in pairs]
        size, check = joined(context, node, [array.shape[0] for array in arrays])
        if check:
            raise Unread(node, Code.SHAPE, "these sizes may differ", "")
        word = "map" if len(arrays) == 1 else f"map{len(arrays)}"
        text = f"{word} {function} {' '.join(array.argument for array in arrays)}"
        return Value(text, APPLY, result.dtype, (size, *result.shape), listed=1 + int(depth[0]), weakly=bool(depth[1]), memory=frozenset(parts))

    def looped(self, node: ast.GeneratorExp | ast.ListComp) -> Value:
        """A comprehension as loops that append to a list."""
        known: dict[str, Any] = node.__dict__.setdefault("rewritten", {})
        if not known:
            name = f"list{node.lineno}_{node.col_offset}"
            body: ast.stmt = ast.Expr(ast.Call(ast.Attribute(ast.Name(name, ast.Load()), "append", ast.Load()), [node.elt], []))
            for generator in reversed(node.generators):
                for test in reversed(generator.ifs):
                    body = ast.If(test, [body], [])
                body = ast.For(generator.target, generator.iter, [body], [])
            for each in ast.walk(body):
                if not hasattr(each, "lineno") and isinstance(each, (ast.stmt, ast.expr)):
                    ast.copy_location(each, node)
            known[name] = body
        ((name, loop),) = known.items()
        targets = assigned([generator.target for generator in node.generators])
        saved, locals_, live, waiting = {key: self.env.get(key) for key in targets}, set(self.locals), self.live, list(self.context.pending)
        self.context.pending.clear()
        try:
            self.locals = self.locals | targets | {name}
            self.live = (self.live - targets) | {name}
            self.env[name] = Value("", ATOM, "list", items=())
            lines = self.loop(loop)
            made = self.env.pop(name)
        finally:
            for key, value in saved.items():
                self.env.pop(key, None)
                if value is not None:
                    self.env[key] = value
            self.locals, self.live = locals_, live
        if made is None:
            raise Poisoned
        self.context.pending[:] = [*waiting, *lines, *self.context.pending]
        return made

    def chosen(self, node: ast.AST, generator: ast.comprehension, pairs: list[tuple[str, Value]]) -> list[tuple[str, Value]]:
        """The elements that the conditions of a comprehension let through."""
        context = self.context
        size, check = joined(context, node, [array.shape[0] for _, array in pairs])
        if check:
            raise Unread(node, Code.SHAPE, "these sizes may differ", "")
        arrays = []
        for _, array in pairs:
            if not array.text.isidentifier():
                own = context.short()
                context.pending.append(f"let {own} = {array.text}")
                array = array.named(own)
            arrays.append(array)

        def body(items: list[Value]) -> Value:
            self.live = self.live | used(generator.ifs)
            for (name, _), item in zip(pairs, items):
                self.locals = self.locals | {name}
                self.env[name] = item
            tests = [self.condition(each) for each in generator.ifs]
            return tests[0] if len(tests) == 1 else self.all_of(tests, "&&", LOW + 2)

        params = [self.item_of(array) for array in arrays]
        function, _ = self.local_function(node, params, body, [name for name, _ in pairs])
        word = "map" if len(arrays) == 1 else f"map{len(arrays)}"
        mask = f"({word} {function} {' '.join(array.argument for array in arrays)})"
        index = named_size(context, Value(f"{context.library('nonzero')} {mask}", APPLY, "i64", (unknown_size(),), small=True), 0)
        found = []
        for (name, _), array in zip(pairs, arrays):
            own = context.short()
            context.names.discard(own)
            text = f"map (\\{own} -> {array.text}[{own}]) {index.argument}"
            found.append((name, replace(array, text=text, prec=APPLY, shape=(index.shape[0], *array.shape[1:]), memory=frozenset())))
        return found

    def item_of(self, array: Value) -> Value:
        """An element of what a comprehension goes over."""
        inner = array.shape[1:]
        return Value("", ATOM, array.dtype, inner, small=array.small, weak=(array.weakly or array.weak) and not inner, listed=max(array.listed - 1, 0), weakly=array.weakly)

    def local_function(self, node: ast.AST, params: list[Value], body: Callable[[list[Value]], Value], names: list[str] | None = None) -> tuple[str, Value]:
        """Defines a function of values of these types before the current statement; its name, and what its result is."""
        context = self.context
        saved, locals_, live, waiting, instances = dict(self.env), set(self.locals), self.live, list(context.pending), dict(self.instances)
        context.pending.clear()
        declared: list[str] = []
        self.uncertain += 1
        try:
            items = []
            for number, param in enumerate(params):
                own = context.mangle(names[number]) if names else context.short()
                context.names.add(own)
                item = replace(param, text=own, prec=ATOM, memory=frozenset([fresh()]) if param.rank else frozenset())
                items.append(item)
                declared.append(f"({own}: {type_text(item)})")
            result = body(items)
            lines = self.flush()
        finally:
            self.uncertain -= 1
            self.env, self.locals, self.live, self.instances = saved, locals_, live, instances
            context.pending[:] = waiting
        if result.items is not None or result.function is not None:
            raise Unread(node, Code.TYPE, "a function whose result is no number and no array", "")
        function = context.short()
        lines = finished(lines, [bound_text(result)])
        head = f"let {function} {' '.join(declared)}"
        context.pending += [f"{head} = {lines[0]}"] if len(lines) == 1 else [f"{head} =", *indented(lines)]
        return function, replace(result, memory=frozenset(), const=None, size=None)

    def draws_from(self, node: ast.AST, name: str) -> Value:
        """A generator whose state changes in the current statement."""
        known = self.env.get(name)
        if known is None:
            raise Poisoned
        if self.uncertain or isinstance(self.current, (ast.For, ast.While)):
            raise Unread(node, Code.FORM, "a random number where it is not certain how often it is drawn", "draw it in a statement of its own first: `r = rng.random(n)`")
        seen = self.live | (used([self.current]) if self.current is not None else set())
        for other, value in self.env.items():
            if other != name and value is not None and other in seen and shares(value, known):
                raise Unread(node, Code.ALIAS, f"`{name}` and `{other}` are one generator", "use one name")
        if not {name} <= annotated(self.current):
            self.touches({name})
        for memory in known.memory:
            param = self.params.get(memory)
            if param is not None and param not in self.mutated:
                self.writes_to(param)
                raise Restart
        return known

    def drawn(self, node: ast.Call, generator: ast.expr, call: str, made: Value) -> Value:
        """What a function of a generator's state gives, which has another state afterwards."""
        if not isinstance(generator, ast.Name) or generator.id not in self.locals:
            raise Unread(node, Code.FORM, "a generator without a name", "give it one: `rng = np.random.default_rng(42)`")
        known = self.draws_from(node, generator.id)
        before = self.draws.get(id(node))
        if before is not None:
            return before
        own = self.context.short()
        self.context.pending.append(f"let ({known.text}, {own}) = {call} {known.argument}")
        found = replace(made, text=own, prec=ATOM, const=None, size=None)
        self.draws[id(node)] = found
        return found

    def _namedexpr(self, node: ast.NamedExpr) -> Value:
        lines = self.bind(node, node.target.id, self.eval(node.value))
        self.context.pending += lines
        return self._name(ast.copy_location(ast.Name(node.target.id, ast.Load()), node))

    def _lambda(self, node: ast.Lambda) -> Value:
        return Value("lambda", ATOM, "function", function=replace_definition(self.definition, named_lambda(self.fresh_name("f"), node)))

    def mapped_over(self, generator: ast.comprehension) -> list[tuple[str, Value]] | None:
        """The names of a comprehension and the arrays that they go over; None if it goes over something else."""
        source, targets = generator.iter, [generator.target]
        function = self.resolve(source.func) if isinstance(source, ast.Call) else None
        arrays: list[Value]
        if isinstance(source, ast.Call) and function is range and not source.keywords:
            arrays = [integers(self, source, [self.eval(each) for each in source.args])]
        elif isinstance(source, ast.Call) and function in (zip, enumerate) and isinstance(generator.target, ast.Tuple):
            targets = list(generator.target.elts)
            arrays = [self.eval(each) for each in source.args]
            if function is enumerate and len(arrays) == 1 and arrays[0].rank:
                arrays.insert(0, Value(f"iota {self.size_value(arrays[0], 0).argument}", APPLY, "i64", arrays[0].shape[:1], small=True))
        else:
            arrays = [self.eval(source)]
        if any(not array.rank or array.items is not None or array.shape[0] == ONE for array in arrays) or len(targets) != len(arrays):
            return None
        names = [each.id for each in targets if isinstance(each, ast.Name)]
        return list(zip(names, arrays)) if len(names) == len(targets) and len(names) <= 5 else None

    def s_expr(self, statement: ast.Expr) -> Lines:
        node = statement.value
        if isinstance(node, ast.Call) and self.is_read(node):
            self.whole = node
            value = self.eval(node)
            if value.dtype == "none" or value.text.isidentifier() or value.items is not None:
                return []
            return [f"let _ = {value.text}"]
        return super().s_expr(statement)

    def is_read(self, node: ast.Call) -> bool:
        """Whether a function is called whose definition is read."""
        function = self.resolve(node.func)
        if isinstance(node.func, ast.Name) and node.func.id in self.locals:
            known = self.env.get(node.func.id)
            return known is not None and known.function is not None
        return is_read(function)
