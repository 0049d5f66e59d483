"""Assignments to names, and branches that are joined."""

from __future__ import annotations

import ast
import importlib
from dataclasses import replace
from typing import Any

from .context import Restart
from .diagnostics import Code, Unread
from .either import as_float, of_two
from .operators import sized, unknown_size
from .reading import assigned
from .records import gone_over
from .sizes import ONE, Size
from .values import ATOM, UNARY, Value, bound_text, convert, fresh, literal

from .blocks import Blocks, Lines, finished, indented, ordered_names, raising, replace_definition, tuple_text, words


class Assignments(Blocks):
    """Reads assignments and branches."""

    def write(self, statement: ast.AST, target: ast.Subscript, value: Value) -> Lines:
        """`a[..] = v`."""
        raise NotImplementedError

    def s_pass(self, statement: ast.Pass) -> Lines:
        return []

    def s_expr(self, statement: ast.Expr) -> Lines:
        if isinstance(statement.value, ast.Constant):
            return []
        call = statement.value
        called = self.resolve(call.func) if isinstance(call, ast.Call) else None
        if isinstance(call, ast.Call) and ast.unparse(call.func).startswith(("np.random.", "numpy.random.")):
            raise Unread(statement, Code.NAME, f"`{ast.unparse(statement.value)}`: NumPy's older random numbers are not read", "draw from `rng = np.random.default_rng(seed)`, whose numbers are NumPy's here, too")
        if called is print:
            raise Unread(statement, Code.FORM, "`print` is not read", "leave it out, or return what it shows")
        base = call.func.value if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) else None
        known = self.env.get(base.id) if isinstance(base, ast.Name) and base.id in self.locals else None
        if known is not None and known.dtype == "record" and known.kind is not None:
            raise Unread(statement, Code.FORM, "a method that changes its object", "return the new values from it, and assign them: `p.x = p.moved()`")
        raise Unread(statement, Code.FORM, "an expression whose value is not used", "leave it out, or assign it")

    def s_import(self, statement: ast.Import) -> Lines:
        for each in statement.names:
            module = self.imported(statement, each.name)
            first = each.name.split(".")[0]
            self.outer = {**self.outer, each.asname or first: module if each.asname else importlib.import_module(first)}
        return []

    def s_importfrom(self, statement: ast.ImportFrom) -> Lines:
        module = self.imported(statement, "." * statement.level + (statement.module or ""))
        for each in statement.names:
            if not hasattr(module, each.name):
                raise Unread(statement, Code.NAME, f"`{statement.module}` has no `{each.name}` to import", "name each function: `from math import pi, sqrt`")
            self.outer = {**self.outer, each.asname or each.name: getattr(module, each.name)}
        return []

    def imported(self, statement: ast.stmt, name: str) -> Any:
        """A module of NumPy's, or `math`."""
        if name.split(".")[0] not in ("numpy", "math"):
            raise Unread(statement, Code.FORM, f"an import of `{name}` inside of a function", "move it to the top of the file; `numpy` and `math` may be imported anywhere")
        try:
            return importlib.import_module(name)
        except ImportError:
            raise Unread(statement, Code.NAME, f"there is no module `{name}`", "") from None

    def s_functiondef(self, statement: ast.FunctionDef) -> Lines:
        definition = self.definition
        made = replace_definition(definition, statement, self)
        self.env[statement.name] = Value(statement.name, ATOM, "function", function=made)
        return []

    def s_assert(self, statement: ast.Assert) -> Lines:
        test = self.condition(statement.test)
        message = statement.msg.value if isinstance(statement.msg, ast.Constant) and isinstance(statement.msg.value, str) else "assert"
        clean = "".join(c for c in message if c.isalnum() or c in " .,:()<>=-+*/'")
        return [f'let _ = assert {test.argument} "{clean}"']

    def s_annassign(self, statement: ast.AnnAssign) -> Lines:
        if statement.value is None:
            return []
        return self.assign(statement, statement.target, self.eval(statement.value))

    def s_assign(self, statement: ast.Assign) -> Lines:
        self.whole = statement.value
        if isinstance(statement.value, ast.Lambda) and len(statement.targets) == 1 and isinstance(statement.targets[0], ast.Name):
            return self.s_functiondef(named_lambda(statement.targets[0].id, statement.value))
        value = self.eval(statement.value)
        if len(statement.targets) > 1 and value.items is not None and any(isinstance(target, ast.Subscript) for target in statement.targets):
            value = self.as_array(statement, value)
        if len(statement.targets) > 1 and value.items is None and value.const is None and value.function is None and any(isinstance(target, ast.Subscript) for target in statement.targets):
            # The value is made once, before the first of them is written.
            return self.assign_parts(statement, value)
        if len(statement.targets) > 1 and value.rank:
            if not all(isinstance(target, ast.Name) for target in statement.targets):
                return self.assign_parts(statement, value)
        lines: Lines = []
        for target in statement.targets:
            lines += self.assign(statement, target, value)
            if isinstance(target, ast.Name) and len(statement.targets) > 1 and self.env.get(target.id) is not None:
                value = self.env[target.id]  # type: ignore[assignment]
        return lines

    def assign_parts(self, statement: ast.Assign, value: Value) -> Lines:
        """`a[i] = b[j] = v` of an array: each part gets a copy; a name gets the array itself."""
        if value.rank and sum(isinstance(target, ast.Name) for target in statement.targets) > 1:
            raise Unread(statement, Code.ALIAS, "one array under two names", "copy it: `b = a.copy()`")
        own = self.context.short()
        lines = [*self.flush(), f"let {own} = {bound_text(value)}"]
        value = replace(value, text=own, prec=ATOM, const=None)
        for target in statement.targets:
            made = self.assign(statement, target, value)
            lines += self.flush() + made
        return lines

    def assign(self, statement: ast.AST, target: ast.expr, value: Value) -> Lines:
        """One target of an assignment."""
        if isinstance(target, ast.Name):
            return self.bind(statement, target.id, value)
        if isinstance(target, (ast.Tuple, ast.List)):
            return self.unpack(statement, target, value)
        if isinstance(target, ast.Subscript):
            return self.write(statement, target, value)
        raise Unread(target, Code.FORM, "this target of an assignment is not read", "assign to a name or to elements of an array")

    def check_rebound(self, statement: ast.AST, name: str) -> None:
        """A parameter whose elements are written keeps its name."""
        if name in self.mutated and name in self.params.values() and self.live is not None:
            raise Unread(statement, Code.ALIAS, f"the elements of the argument `{name}` are written, and the name is given to something else", "use another name")

    def bind(self, statement: ast.AST, name: str, value: Value) -> Lines:
        """A name for a value."""
        known = self.env.get(name)
        if known is not None and value.rank and value.items is None and value.text == self.name_of(name) and value.memory and value.memory == known.memory and value.shape == known.shape:
            return []  # the array that it stands for already
        self.check_rebound(statement, name)
        if value.dtype in ("none", "text", "type") or value.function is not None:
            self.env[name] = value
            return []
        if value.items is not None:
            # A tuple: its parts get names.
            lines: Lines = []
            items = []
            for k, item in enumerate(value.items):
                if item.items is not None or item.function is not None or (item.const is not None) or item.prec == ATOM and item.text.isidentifier():
                    items.append(item)
                    continue
                own = self.context.mangle(f"{name}_{k}")
                while own in self.context.names:
                    own += "_"
                lines.append(f"let {own} = {bound_text(item)}")
                items.append(replace(item, text=own, prec=ATOM))
            self.env[name] = replace(value, items=tuple(items))
            return lines
        text = self.name_of(name)
        if text in self.context.sizes:
            if value.size is not None and value.size.single == text:
                self.env[name] = value
                return []
            self.context.facts.unwished.add(text)
            raise Restart
        self.env[name] = self.remembered(name, text, value)
        return self.let(text, value)

    def remembered(self, name: str, text: str, value: Value) -> Value:
        """What is known of a variable with this value."""
        size = value.size
        if value.dtype == "i64" and not value.rank and size is None and text in self.context.stable:
            size = Size.name(text)
        if size is not None and not size.names() <= self.context.sizes | self.context.stable:
            size = None
        memory = value.memory
        if value.rank and not memory:
            memory = frozenset([fresh()])
        if value.rank:
            if value.rank == 1 and not value.memory:
                self.ordered[serial := object()] = ""
            value = replace(value, serial=serial if value.rank == 1 and not value.memory else object(), view=None)
        # A literal keeps its value only where nothing gives the name another one.
        value = replace(value, origin=value.const if value.is_literal else value.origin)
        const = value.const if text in self.context.stable else None
        return replace(value, text=text, prec=ATOM, size=size, memory=memory, const=None, small=value.small) if const is None else replace(value, text=text, prec=ATOM, size=size)

    def let(self, text: str, value: Value) -> Lines:
        """The line that binds a name."""
        if value.text == text:
            return []
        lines = bound_text(value).split("\n")
        if len(lines) == 1:
            return [f"let {text} = {lines[0]}"]
        return [f"let {text} =", *indented(lines)]

    def part_of(self, target: ast.expr, value: Value, k: int) -> Value:
        """An element of an array or list that is taken apart."""
        made = self.element(target, value, [literal(k), *[ast.Slice()] * (value.rank - 1)])
        return replace(made, listed=max(value.listed - 1, 0), weakly=value.weakly, weak=value.weakly and not made.rank) if value.listed else made

    def unpack(self, statement: ast.AST, target: ast.Tuple | ast.List, value: Value) -> Lines:
        """Several targets at once: all values are made before any name is bound."""
        value = gone_over(value)
        if value.items is None:
            if value.rank and value.shape[0].number == len(target.elts):
                value = replace(value, items=tuple(self.part_of(target, value, k) for k in range(len(target.elts))))
            elif value.rank and value.shape[0] != ONE and value.shape[0].number is None and not any(isinstance(each, ast.Starred) for each in target.elts):
                # The size is looked at when the program runs.
                count = Size.of(len(target.elts))
                whole = sized(self.context, target, value, 0, count)
                name = self.context.short()
                self.context.pending.append(f"let {name} = {whole.text}")
                whole = whole.named(name)
                value = replace(whole, items=tuple(self.part_of(target, whole, k) for k in range(len(target.elts))))
            else:
                raise Unread(target, Code.SHAPE, "the number of values is not known", "index the array")
        assert value.items is not None
        if len(value.items) != len(target.elts):
            raise Unread(target, Code.SHAPE, f"{len(value.items)} values for {len(target.elts)} names", "")
        if any(isinstance(each, (ast.Tuple, ast.List)) for each in target.elts):
            raise Unread(target, Code.FORM, "names in parentheses within names", "take the tuple apart in a statement of its own")
        if not all(isinstance(each, ast.Name) for each in target.elts):
            return self.unpack_elements(statement, target, value)
        names = [each.id for each in target.elts if isinstance(each, ast.Name)]
        lines: Lines = []
        plain = [(name, item) for name, item in zip(names, value.items)]
        simple = [(name, item) for name, item in plain if item.items is None and item.function is None]
        made = f"let ({', '.join(item.text for item in value.items)}) = "
        if self.context.pending and self.context.pending[-1].startswith(made) and len(set(names)) == len(simple) == len(names) and not {self.name_of(name) for name in names} & self.context.sizes:
            # What a function returns gets its names at once.
            self.context.pending[-1] = f"let ({', '.join(self.name_of(name) for name in names)}) = {self.context.pending[-1][len(made) :]}"
            for name, item in simple:
                self.check_rebound(statement, name)
                self.env[name] = self.remembered(name, self.name_of(name), item)
            return []
        used_names = {self.name_of(name) for name, _ in simple}
        # One after the other, where no value needs a name that is bound before it.
        ordered = all(not any(word in words(item.text) for word in [self.name_of(n) for n, _ in simple[:k]]) for k, (_, item) in enumerate(simple))
        if ordered or len(used_names) < 2:
            for name, item in plain:
                lines += self.bind(statement, name, item)
            return lines
        texts = []
        for name, item in plain:
            if item.items is not None or item.function is not None:
                raise Unread(statement, Code.FORM, "an exchange of tuples", "")
            self.check_rebound(statement, name)
            texts.append(bound_text(item))
        for name, item in plain:
            self.env[name] = self.remembered(name, self.name_of(name), item)
        return [f"let ({', '.join(self.name_of(name) for name in names)}) = ({', '.join(texts)})"]

    def unpack_elements(self, statement: ast.AST, target: ast.Tuple | ast.List, value: Value) -> Lines:
        """`x[i], x[j] = x[j], x[i]`."""
        lines = self.flush()
        kept = []
        for item in value.items or ():
            if item.const is not None:
                kept.append(item)
                continue
            if item.rank and item.memory:
                raise Unread(statement, Code.ALIAS, "an exchange of parts of arrays, which are views", "copy them: `x[i], x[j] = x[j].copy(), x[i].copy()`, or `x[[i, j]] = x[[j, i]]`")
            name = self.context.short()
            lines.append(f"let {name} = {bound_text(item)}")
            kept.append(replace(item, text=name, prec=ATOM))
        # Later targets are looked at after the earlier ones are written: what their indices read is still needed.
        outer = self.live
        for k, (each, item) in enumerate(zip(target.elts, kept)):
            self.live = outer | {node.id for later in target.elts[k + 1 :] for node in ast.walk(later) if isinstance(node, ast.Name)}
            lines += self.assign(statement, each, item)
        self.live = outer
        return lines

    def s_raise(self, statement: ast.Raise) -> Lines:
        raise Unread(statement, Code.FORM, "an error is raised here for these arguments", "")

    def s_if(self, statement: ast.If) -> Lines:
        test = self.condition(statement.test)
        lines: Lines = []
        for failing, other, text in ((statement.body, statement.orelse, f"!{test.at(UNARY + 1)}"), (statement.orelse, statement.body, test.text)):
            if not isinstance(test.const, bool) and raising(failing) is not None:
                lines = [*self.flush(), f'let _ = assert ({text}) "{raising(failing)}"']
                return lines + [line for each in other for line in self.guarded(each)]
        if isinstance(test.const, bool):
            for each in statement.body if test.const else statement.orelse:
                lines += self.guarded(each)
            return lines
        before = self.flush()
        saved, instances = dict(self.env), dict(self.instances)
        one = self.straight(statement.body)
        env_one = self.env
        self.env, self.instances = dict(saved), dict(instances)
        two = self.straight(statement.orelse)
        env_two = self.env
        self.env, self.instances = dict(saved), instances
        whole = {name for name, value in saved.items() if value is not None and value.spread}
        for name in whole:
            one_end, two_end = env_one.get(name), env_two.get(name)
            if name in env_one and one_end is None or name in env_two and two_end is None:
                self.env[name] = None
                continue
            if one_end is None or two_end is None or (one_end.spread, one_end.dtype, one_end.keys) != (two_end.spread, two_end.dtype, two_end.keys):
                raise Unread(statement, Code.TYPE, f"`{name}` has other parts in one case than in another", "give it the same parts in both")
            self.env[name] = one_end
        names = [name for name in ordered_names(statement) if (name in self.live or name in self.mutated) and name not in whole]
        kept = []
        for name in names:
            if name not in env_one or name not in env_two:
                self.env.pop(name, None)
            elif env_one[name] is None or env_two[name] is None:
                self.env[name] = None
            else:
                kept.append(name)
        ends: list[list[str]] = [[], []]
        for name in kept:
            a, b = env_one[name], env_two[name]
            assert a is not None and b is not None
            if a == b and a.items is not None:
                self.env[name] = a
                continue
            joined_value = self.join(statement, name, a, b)
            for texts, value in zip(ends, (a, b)):
                texts.append(bound_text(convert(value, joined_value.dtype)))
            self.env[name] = joined_value
        for name in assigned([statement]) - set(names) - whole:
            self.env.pop(name, None)
        bound = [self.name_of(name) for name in kept if ends[0]]
        if not bound:
            # Nothing of it is needed, but it may fail.
            return before + ([f"let _ = {test.text}"] if "[" in test.text else [])
        result = self.choice(test, finished(one, [tuple_text(ends[0])]), finished(two, [tuple_text(ends[1])]))
        pattern = tuple_text(bound)
        if len(result) == 1:
            return before + [f"let {pattern} = {result[0]}"]
        return before + [f"let {pattern} =", *indented(result)]

    def as_compared(self, name: str, a: Value, b: Value) -> tuple[Value, Value] | None:
        """The values as floats where one is a literal that is an integer, the other a float, and nothing tells them apart."""
        if "f64" not in (a.dtype, b.dtype) or not any(each.dtype == "i64" and not each.rank and isinstance(each.const if each.const is not None else each.origin, int) for each in (a, b)):
            return None
        return (convert(a, "f64"), convert(b, "f64")) if only_compared(self.definition.node, name, a.weak and b.weak) else None

    def join(self, node: ast.AST, name: str, a: Value, b: Value) -> Value:
        """What is known of a variable that comes from two places."""
        if a.items is not None or b.items is not None or a.function is not None or b.function is not None:
            raise Unread(node, Code.TYPE, f"`{name}` is a tuple or function that differs between branches", "use a variable for each part")
        kept = of_two(a, b, b.dtype if as_float(a, b) else a.dtype)
        if a.dtype != b.dtype and (made := self.as_compared(name, a, b)) is not None:
            (a, b), kept = made, None
        elif as_float(a, b) or as_float(b, a):
            dtype = b.dtype if as_float(a, b) else a.dtype
            a, b = convert(a, dtype), convert(b, dtype)
        dtype, weak = self.join_types(node, a, b)
        if a.rank != b.rank or a.axes != b.axes:
            raise Unread(node, Code.SHAPE, f"`{name}` has {a.rank} dimensions in one case and {b.rank} in another (or a size of 1)", "")
        shape = tuple(x if x == y else unknown_size() for x, y in zip(a.shape, b.shape))
        text = self.name_of(name)
        size = a.size if a.size == b.size else Size.name(text) if dtype == "i64" and not shape and text in self.context.stable else None
        view = a.view if a.view is not None and a.view.same(b.view) else None
        serial = a.serial if a.serial == b.serial else object()
        literals = [each.const if each.const is not None else each.origin for each in (a, b)]
        origin = kept if kept is not None else literals[0] if type(literals[0]) is type(literals[1]) is int and dtype == "i64" and only_compared(self.definition.node, name) else None
        return Value(text, ATOM, dtype, shape, weak=weak, memory=a.memory | b.memory, size=size, small=a.small and b.small, view=view, serial=serial, listed=a.listed, weakly=a.weakly and b.weakly, origin=origin)


def only_compared(function: ast.FunctionDef | ast.Lambda, name: str, weak: bool = True) -> bool:
    """Whether a variable is read only where an integer and a float of the same value do the same: in comparisons, and, if both are
    Python's own, in quotients and beside floats (one of NumPy's would make f32 wider)."""
    alike: set[int] = set()
    nodes = [node for each in (function.body if isinstance(function, ast.FunctionDef) else [function.body]) for node in ast.walk(each)]
    for node in nodes:
        if isinstance(node, ast.Compare) and not any(isinstance(op, (ast.Is, ast.IsNot, ast.In, ast.NotIn)) for op in node.ops):
            alike |= {id(operand) for operand in (node.left, *node.comparators)}
        elif isinstance(node, ast.BinOp) and weak:
            floats = any(isinstance(each, ast.Constant) and isinstance(each.value, float) for each in (node.left, node.right))
            if isinstance(node.op, ast.Div) or floats and isinstance(node.op, (ast.Add, ast.Sub, ast.Mult)):
                alike |= {id(node.left), id(node.right)}
        elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name) and node.target.id == name:
            return False
    return all(id(node) in alike for node in nodes if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load))


def named_lambda(name: str, node: ast.Lambda) -> ast.FunctionDef:
    """`f = lambda x: ..` as a definition."""
    made = ast.FunctionDef(name, node.args, [ast.copy_location(ast.Return(node.body), node)], [], None)
    made.type_params = []  # type: ignore[attr-defined]
    return ast.copy_location(made, node)
