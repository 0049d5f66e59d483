"""Functions that call themselves: definitions of the written program, with the types of their parameters and results."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field, replace

from .blocks import Flow, Lines, indented, tuple_text, words
from .calling import Calling
from .context import Restart
from .diagnostics import Code, Poisoned, Unread
from .operators import unknown_size
from .reading import Definition, assigned
from .sizes import ONE, Size
from .values import APPLY, ATOM, NUMPY, Value, bound_text, convert, fresh, type_text


@dataclass
class Recursive:
    """A function that calls itself, for arguments of some types."""

    node: ast.AST
    name: str
    params: dict[str, Value]  # what is known of its parameters
    result: Value | None = None  # what is known of its result
    open: bool = True  # it is read at present
    fixed: dict[str, Value] = field(default_factory=dict)  # parameters that are texts or functions


class Recursion(Calling):
    """Reads functions that call themselves."""

    def calls_itself(self, function: Definition) -> bool:
        """Whether a function calls the one of its name, which is itself."""
        node = function.node
        if not isinstance(node, ast.FunctionDef) or node.name in assigned(list(node.body)):
            return False
        known = function.outer.get(node.name)
        inside = self.env.get(node.name) if node.name in self.locals else None
        same = inside is not None and isinstance(inside.function, Definition) and inside.function.node is node or known is not None and getattr(known, "__port__", known) is function.function
        return same and any(isinstance(each, ast.Call) and isinstance(each.func, ast.Name) and each.func.id == node.name for top in node.body for each in ast.walk(top))

    def recursive(self, node: ast.Call, function: Definition, given: dict[str, Value], more: dict[str, Value]) -> Value | None:
        """A call of a function that calls itself; None for others."""
        if not self.calls_itself(function):
            return None
        if more:
            raise Unread(node, Code.FORM, "a function with `*` among its parameters that calls itself", "name each parameter")
        fixed = {name: value for name, value in given.items() if value.function is not None or value.dtype == "none"}
        plain = {name: value for name, value in given.items() if name not in fixed}
        for value in plain.values():
            if value.items is not None or value.dtype not in NUMPY or len(value.axes) != value.rank:
                raise Unread(node, Code.TYPE, "an argument of a function that calls itself that is no number and no array", "give it numbers and arrays")
        for name, value in plain.items():
            # Python's own numbers at first, which calls inside are given NumPy's for.
            if (function.node, name) in self.context.facts.strong:
                plain[name] = replace(value, weak=False, const=None) if value.const is None else replace(value, text=bound_text(value), weak=False, const=None)
        for entry in self.context.recursions:
            if entry.node is function.node and {key: value.function for key, value in entry.fixed.items()} == {key: value.function for key, value in fixed.items()}:
                arguments = [self.fits(entry.params[name], plain[name]) for name in entry.params]
                if None not in arguments:
                    return self.recursive_call(node, entry, [each for each in arguments if each is not None])
                if entry.open:
                    for name, value in plain.items():
                        known = entry.params[name]
                        if known.weak and not value.weak and known.dtype == value.dtype and known.rank == value.rank == 0:
                            self.context.facts.strong.add((function.node, name))
                            raise Restart
                    raise Unread(node, Code.TYPE, f"`{entry.name}` calls itself with arguments of other types", "convert them: `1.0` instead of `1`, for example")
        entry = self.define(node, function, plain, fixed)
        arguments = [self.fits(entry.params[name], plain[name]) for name in entry.params]
        return self.recursive_call(node, entry, [each for each in arguments if each is not None])

    def fits(self, param: Value, value: Value) -> Value | None:
        """The argument as what a parameter is; None if it is something else."""
        if value.rank != param.rank:
            return None
        if value.dtype == param.dtype and (value.weak == param.weak or value.rank):
            return value
        if value.dtype == param.dtype and not value.rank and not param.weak:
            return replace(value, weak=False)
        if value.const is not None and not isinstance(value.const, bool) and param.dtype in ("f64", "i64") and (param.dtype == "f64" or isinstance(value.const, int)):
            return replace(convert(value, param.dtype), weak=param.weak)
        return None

    def recursive_call(self, node: ast.Call, entry: Recursive, arguments: list[Value]) -> Value:
        """The value of a call."""
        if entry.result is None:
            # Nothing is known of it before the ends of the recursion were read.
            raise Poisoned
        texts = [f"({bound_text(each)})" if bound_text(each).startswith("-") or each.prec < ATOM and each.const is None else bound_text(each) for each in arguments]
        call = " ".join([entry.name, *texts])

        def anew(value: Value) -> Value:
            return replace(value, shape=tuple(unknown_size() for _ in value.shape), memory=frozenset([fresh()]) if value.rank else frozenset())

        if entry.result.items is None:
            return replace(anew(entry.result), text=call, prec=APPLY)
        parts = [replace(anew(item), text=self.context.short(), prec=ATOM) for item in entry.result.items]
        self.context.pending.append(f"let ({', '.join(part.text for part in parts)}) = {call}")
        return replace(entry.result, items=tuple(parts))

    def define(self, node: ast.Call, function: Definition, plain: dict[str, Value], fixed: dict[str, Value]) -> Recursive:
        """Reads a function until what its calls of itself give is what it gives."""
        context, body = self.context, function.node
        assert isinstance(body, ast.FunctionDef)
        own_names = {context.mangle(each) for each in assigned(list(body.body)) | set(plain)}
        if own_names & context.sizes - context.facts.taken:
            # Inside of the function the name would stand for its own variable.
            context.facts.taken |= own_names
            context.facts.unwished |= own_names
            raise Restart
        name = context.mangle(body.name)
        while name in context.definitions or name in context.names and name not in context.python_names or name == self.entry_name:
            name += "_"
        sizes: list[str] = []
        params: dict[str, Value] = {}
        for key, value in plain.items():
            own = [context.short("size") for _ in value.shape]
            sizes += own
            shape = tuple(Size.name(each) for each in own)
            params[key] = Value(context.mangle(key), ATOM, value.dtype, shape, weak=value.weak and not value.rank, memory=frozenset([fresh()]) if value.rank else frozenset(), serial=object())
        entry = Recursive(body, name, params, fixed=fixed)
        context.recursions.append(entry)
        waiting, stable, marks, depth = list(context.pending), set(context.stable), len(context.problems), context.depth
        context.depth = 0
        commented = set(self.commented)
        context.names |= {context.mangle(each.id) for each in ast.walk(body) if isinstance(each, ast.Name)} | {context.mangle(key) for key in plain}
        for _ in range(6):
            del context.problems[marks:]
            context.pending.clear()
            self.commented = set(commented)
            context.stable = (stable - {context.mangle(each) for each in assigned(list(body.body))}) | set(sizes)
            lines, found = self.ends_of(node, function, entry, {**params, **fixed})
            if entry.result is not None and same_type(entry.result, found):
                break
            entry.result = found
        else:
            raise Unread(node, Code.TYPE, f"the type of the result of `{body.name}` does not settle", "return the same type everywhere")
        context.pending[:], context.stable, context.depth, entry.open = waiting, stable, depth, False
        seen = words("\n".join(lines)) - {context.mangle(each) for each in assigned(list(body.body))} - {context.mangle(key) for key in plain}
        outside = {context.mangle(key) for key, value in self.env.items() if value is not None and value.function is None} | context.sizes
        if body.name in self.locals and seen & outside:
            raise Unread(node, Code.FORM, f"`{body.name}` calls itself, and sees variables of the function around it", "pass them as arguments")
        types = f"({', '.join(map(plain_type, found.items))})" if found.items is not None else plain_type(found)
        head = " ".join(["def", name, *(f"[{each}]" for each in sizes), *(f"({value.text}: {type_text(value)})" for value in params.values())])
        context.definitions[name] = "\n".join([f"{head} : {types} =", *indented(lines)])
        return entry

    def ends_of(self, node: ast.Call, function: Definition, entry: Recursive, params: dict[str, Value]) -> tuple[Lines, Value]:
        """One reading of the body: its lines, and what it gives."""
        body = function.node
        assert isinstance(body, ast.FunctionDef)
        inner = type(self)(self.context, function)
        inner.entry_name = self.entry_name
        inner.locals = assigned(list(body.body)) | set(params)
        if body.name in self.locals:
            # Functions around it are seen, as it is itself.
            functions = {key: value for key, value in (function.home or self).env.items() if value is not None and isinstance(value.function, Definition)}
            inner.locals |= set(functions)
            inner.env = dict(functions)
        inner.env |= params
        inner.captured = self.captured
        inner.called_as = (function.file, function.first_line, body.lineno, body.name)
        inner.params = {memory: key for key, value in params.items() for memory in value.memory}
        inner.live = set(inner.env)
        returned: list[Value] = []

        def on_return(at: ast.AST, value: Value) -> Lines:
            items = [value] if value.items is None else list(value.items)
            if any(each.items is not None or each.dtype not in NUMPY or any(size == ONE for size in each.shape) for each in items):
                raise Unread(at, Code.TYPE, "a result of a function that calls itself that is no number, no array and no tuple of them", "")
            returned.append(value)
            known = entry.result
            wanted = items if known is None else [known] if known.items is None else list(known.items)
            if len(wanted) != len(items):
                raise Unread(at, Code.TYPE, f"`{body.name}` returns values of different types", "")
            return [tuple_text([bound_text(convert(each, like.dtype)) for each, like in zip(items, wanted)])]

        def missing() -> Lines:
            raise Unread(body, Code.TYPE, "a function without a result", "return what it computes")

        inner.flow = Flow(on_return)
        lines = inner.block(list(body.body), missing)
        if inner.mutated:
            raise Unread(node, Code.ALIAS, f"`{body.name}` calls itself, and writes to its argument `{sorted(inner.mutated)[0]}`", "return a new array, or write a loop")
        if not returned:
            if any(True for _ in self.context.problems):
                raise Poisoned
            raise Unread(node, Code.FORM, f"`{body.name}` calls itself whatever its arguments are", "begin with the case that ends it")
        found = returned[0]
        for other in returned[1:]:
            found = self.either(node, body.name, found, other)
        return lines, stripped(found)

    def either(self, node: ast.AST, name: str, one: Value, two: Value) -> Value:
        """What is known of a result that is the one or the other."""
        if (one.items is None) != (two.items is None) or len(one.items or ()) != len(two.items or ()) or one.rank != two.rank:
            raise Unread(node, Code.TYPE, f"`{name}` returns values of different types", "")
        if one.items is not None and two.items is not None:
            return replace(one, items=tuple(self.either(node, name, a, b) for a, b in zip(one.items, two.items)))
        dtype, weak = self.join_types(node, one, two)
        const = one.const if one.const is not None and two.const is not None else None
        return replace(one, dtype=dtype, weak=weak, const=const)


def stripped(value: Value) -> Value:
    """What is known of a result, without what makes it."""
    items = None if value.items is None else tuple(stripped(item) for item in value.items)
    return Value("", ATOM, value.dtype, value.shape, weak=value.weak and not value.rank, items=items)


def same_type(one: Value, two: Value) -> bool:
    """Whether two results have the same type."""
    if one.items is not None and two.items is not None:
        return len(one.items) == len(two.items) and all(same_type(a, b) for a, b in zip(one.items, two.items))
    return (one.items is None) == (two.items is None) and (one.dtype, one.rank, one.weak) == (two.dtype, two.rank, two.weak)


def plain_type(value: Value) -> str:
    """The type of a result, whose sizes the call finds out."""
    return "[]" * value.rank + value.dtype
