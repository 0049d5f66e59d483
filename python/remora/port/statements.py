"""The statements of one function, with calls of functions that are read as well."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from .context import Restart
from .diagnostics import Code, Poisoned, Unread
from .either import Either, either, mixed
from .operators import joined, named_size, unknown_size
from .reading import annotated, assigned, used
from .sizes import ONE
from .values import APPLY, ATOM, LOW, Value, bound_text, fresh, type_text

from .assignments import named_lambda
from .blocks import Lines, finished, indented, replace_definition, shares
from .calling import without_names
from .expressions import is_read
from .functions import integers
from .recursion import Recursion


class Statements(Recursion):
    """Reads the statements of one function."""

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
        kind = "mixed" if either(result) is not None or mixed(result) else None
        return Value(text, APPLY, result.dtype, (size, *result.shape), listed=1 + int(depth[0]), weakly=bool(depth[1]), memory=frozenset(parts), kind=kind)

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
        return Value("", ATOM, array.dtype, inner, small=array.small, weak=(array.weakly or array.weak) and not inner, listed=max(array.listed - 1, 0), weakly=array.weakly, origin=Either() if mixed(array) and not inner else None)

    def local_function(self, node: ast.AST, params: list[Value], body: Callable[[list[Value]], Value], names: list[str] | None = None) -> tuple[str, Value]:
        """Defines a function of values of these types before the current statement; its name, and what its result is."""
        context = self.context
        saved, locals_, live, waiting, instances = dict(self.env), set(self.locals), self.live, list(context.pending), dict(self.instances)
        context.pending.clear()
        declared: list[str] = []
        stable = set(context.stable)
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
        result = without_names(result, {name: unknown_size() for name in context.stable - stable})
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
        if self.uncertain:
            raise Unread(node, Code.FORM, "`:=` where it is not certain that it is evaluated", "assign in a statement of its own first")
        # A condition may be looked at several times; the assignment happens once in a statement.
        before = self.draws.get(id(node))
        if before is not None:
            return before
        lines = self.bind(node, node.target.id, self.eval(node.value))
        self.context.pending += lines
        found = self._name(ast.copy_location(ast.Name(node.target.id, ast.Load()), node))
        self.draws[id(node)] = found
        return found

    def _lambda(self, node: ast.Lambda) -> Value:
        return Value("lambda", ATOM, "function", function=replace_definition(self.definition, named_lambda(self.fresh_name("f"), node), self))

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
