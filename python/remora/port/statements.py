"""Statements of Python as `let`, `if` and `loop`."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .calls import filled
from .context import Context, Restart
from .diagnostics import Code, Poisoned, Problem, Unread
from .expressions import NONE, Expressions
from .operators import binary, elementwise, fitted, unknown_size
from .reading import Definition, assigned, leaves, used
from .sizes import ONE, Size
from .values import APPLY, ATOM, FLOATS, INTS, Value, bound_text, convert, fresh, literal

Lines = list[str]


@dataclass
class Flow:
    """What happens where statements end: the lines of the result for a `return`, `break`, `continue`."""

    on_return: Callable[[ast.AST, Value], Lines]
    on_break: Callable[[ast.AST], Lines] | None = None
    on_continue: Callable[[ast.AST], Lines] | None = None


def indented(lines: Lines, by: int = 2) -> Lines:
    """Lines further to the right."""
    return [" " * by + line if line else line for line in lines]


def finished(lets: Lines, result: Lines) -> Lines:
    """An expression: `let`s, and what they are for."""
    if not lets or all(line.startswith("--") for line in lets) or result[0].startswith(("let ", "--")):
        return lets + result
    last = max(k for k, line in enumerate(lets) if line[:1] not in (" ", ""))
    if len(result) == 1 and lets[last].startswith(f"let {result[0]} ="):
        # The value itself is the result.
        first = lets[last][len(f"let {result[0]} =") :].strip()
        kept = [first] if first else []
        return finished(lets[:last], kept + [line[2:] for line in lets[last + 1 :]])
    return lets + ["in " + result[0], *indented(result[1:], 3)]


def tuple_text(texts: list[str]) -> str:
    """Several values."""
    return texts[0] if len(texts) == 1 else f"({', '.join(texts)})"


class Statements(Expressions):
    """Reads the statements of one function."""

    def __init__(self, context: Context, definition: Definition) -> None:
        super().__init__(context, definition.outer)
        self.definition = definition
        self.flow: Flow
        self.live: set[str] = set()
        self.params: dict[str, str] = {}  # memory of array parameters: the name of each
        self.instances: dict[str, dict[str, Value | None]] = {}  # functions that are defined already, and the variables that they use
        self.changing: set[str] = set()
        self.trips: Size | None = None  # how often the loop that was read last runs, if that is known
        self.commented: set[int] = set()

    # Problems ----------------------------------------------------------------------------------------------------------------

    def report(self, problem: Unread, statement: ast.AST) -> None:
        """Keeps a problem with its place."""
        node = problem.node if problem.node is not None and hasattr(problem.node, "lineno") else statement
        definition = self.definition
        row = node.lineno  # type: ignore[attr-defined]
        line = definition.lines[row - 1] if row <= len(definition.lines) else ""
        column = node.col_offset + definition.indent  # type: ignore[attr-defined]
        end = node.end_col_offset + definition.indent if getattr(node, "end_lineno", row) == row else len(line)  # type: ignore[attr-defined]
        self.context.problems.append(
            Problem(problem.code, problem.message, problem.help, definition.file, definition.first_line + row - 1, column, line, end - column)
        )

    def comments(self, statement: ast.stmt) -> Lines:
        """The comments that stand before a statement or at its end."""
        found: Lines = []
        table = self.definition.comments
        row = statement.lineno - 1
        above = []
        while row in table and row not in self.commented and self.definition.lines[row - 1].lstrip().startswith("#"):
            above.append(row)
            row -= 1
        for row in [*reversed(above), statement.lineno]:
            if row in table and row not in self.commented:
                self.commented.add(row)
                found.append(f"-- {table[row]}")
        return found

    # Blocks ------------------------------------------------------------------------------------------------------------------

    def block(self, statements: list[ast.stmt], end: Callable[[], Lines]) -> Lines:
        """Statements as one expression; `end` is what comes after them."""
        lets: Lines = []
        for k, statement in enumerate(statements):
            rest = statements[k + 1 :]
            if isinstance(statement, (ast.Return, ast.Break, ast.Continue)):
                comments = self.comments(statement)
                result = self.leave(statement, lets)
                return finished(lets + comments, result)
            if isinstance(statement, ast.If) and leaves([statement], (ast.Return, ast.Break, ast.Continue)):
                comments = self.comments(statement)
                result = self.branches(statement, rest, end, lets)
                return finished(lets + comments, result)
            if isinstance(statement, (ast.For, ast.While)) and leaves(statement.body, (ast.Return,)):
                return self.returning_loop(statement, rest, end, lets)
            outer = self.live
            self.live = outer | used(rest)
            lets += self.guarded(statement)
            self.live = outer
        return finished(lets, end())

    def leave(self, statement: ast.stmt, lets: Lines) -> Lines:
        """The result at a `return`, `break` or `continue`."""
        try:
            if isinstance(statement, ast.Return):
                value = NONE if statement.value is None else self.eval(statement.value)
                lets += self.flush()
                return self.flow.on_return(statement, value)
            action = self.flow.on_break if isinstance(statement, ast.Break) else self.flow.on_continue
            if action is None:
                raise Unread(statement, Code.FORM, "a `break` or `continue` outside of a loop", "")
            return action(statement)
        except Unread as problem:
            self.report(problem, statement)
        except (Poisoned, Restart) as event:
            if isinstance(event, Restart):
                raise
        except Exception as fault:
            self.report(fault_of(statement, fault), statement)
        return ["???"]

    def branches(self, statement: ast.If, rest: list[ast.stmt], end: Callable[[], Lines], lets: Lines) -> Lines:
        """An `if` of which a branch leaves: each branch goes on with what follows."""
        try:
            test = self.condition(statement.test)
            lets += self.flush()
        except (Unread, Poisoned) as problem:
            if isinstance(problem, Unread):
                self.report(problem, statement)
            return ["???"]
        self.context.depth += 1
        if self.context.depth > 24:
            raise Unread(statement, Code.FORM, "too many branches that leave", "write fewer")
        if isinstance(test.const, bool):
            self.context.depth -= 1
            return self.block([*(statement.body if test.const else statement.orelse), *rest], end)
        saved, instances = dict(self.env), dict(self.instances)
        one = self.block([*statement.body, *rest], end)
        self.env, self.instances = dict(saved), dict(instances)
        two = self.block([*statement.orelse, *rest], end)
        self.env, self.instances = saved, instances
        self.context.depth -= 1
        return self.choice(test, one, two)

    def choice(self, test: Value, one: Lines, two: Lines) -> Lines:
        """A conditional expression."""
        if len(one) == 1 and len(two) == 1 and len(one[0]) + len(two[0]) + len(test.text) < 110:
            return [f"if {test.text} then {one[0]} else {two[0]}"]
        if len(two) > 1 and two[0].startswith("if ") or len(two) == 1:
            return [f"if {test.text} then", *indented(one), f"else {two[0]}", *two[1:]]
        return [f"if {test.text} then", *indented(one), "else", *indented(two)]

    def flush(self) -> Lines:
        """The lines that have to stand before the current statement."""
        lines = list(self.context.pending)
        self.context.pending.clear()
        return lines

    def guarded(self, statement: ast.stmt) -> Lines:
        """The lines of one statement; a hole where it cannot be read."""
        comments = self.comments(statement)
        try:
            method = getattr(self, f"s_{type(statement).__name__.lower()}", None)
            if method is None:
                raise Unread(statement, Code.FORM, f"a statement of this form ({type(statement).__name__}) is not read", "")
            lines: Lines = method(statement)
            return comments + self.flush() + lines
        except Unread as problem:
            self.report(problem, statement)
        except (Poisoned, Restart) as event:
            if isinstance(event, Restart):
                raise
        except Exception as fault:
            self.report(fault_of(statement, fault), statement)
        self.context.pending.clear()
        names = sorted(assigned([statement]))
        for name in names:
            self.env[name] = None
        return comments + [f"let {self.context.mangle(name)} = ???" for name in names]

    # Assignments -------------------------------------------------------------------------------------------------------------

    def s_pass(self, statement: ast.Pass) -> Lines:
        return []

    def s_expr(self, statement: ast.Expr) -> Lines:
        if isinstance(statement.value, ast.Constant):
            return []
        raise Unread(statement, Code.FORM, "an expression whose value is not used", "leave it out, or assign it")

    def s_import(self, statement: ast.Import) -> Lines:
        raise Unread(statement, Code.FORM, "an import inside of a function", "move it to the top of the file")

    def s_functiondef(self, statement: ast.FunctionDef) -> Lines:
        definition = self.definition
        made = replace_definition(definition, statement)
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
        value = self.eval(statement.value)
        if len(statement.targets) > 1 and value.rank:
            if not all(isinstance(target, ast.Name) for target in statement.targets):
                raise Unread(statement, Code.ALIAS, "one array under two names", "copy it: `b = a.copy()`")
        lines: Lines = []
        for target in statement.targets:
            lines += self.assign(statement, target, value)
            if isinstance(target, ast.Name) and len(statement.targets) > 1 and self.env.get(target.id) is not None:
                value = self.env[target.id]  # type: ignore[assignment]
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

    def name_of(self, name: str) -> str:
        """The name in the written program."""
        return self.context.mangle(name)

    def check_rebound(self, statement: ast.AST, name: str) -> None:
        """A parameter whose elements are written keeps its name."""
        if name in self.context.facts.mutated and name in self.params.values() and self.live is not None:
            raise Unread(statement, Code.ALIAS, f"the elements of the argument `{name}` are written, and the name is given to something else", "use another name")

    def bind(self, statement: ast.AST, name: str, value: Value) -> Lines:
        """A name for a value."""
        self.check_rebound(statement, name)
        if value.dtype in ("none", "text", "type") or value.function is not None:
            if value.dtype == "none":
                raise Unread(statement, Code.TYPE, "`None` as the value of a variable", "")
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

    def unpack(self, statement: ast.AST, target: ast.Tuple | ast.List, value: Value) -> Lines:
        """Several targets at once: all values are made before any name is bound."""
        if value.items is None:
            if value.rank and value.shape[0].number == len(target.elts):
                value = replace(value, items=tuple(self.element(target, value, [literal(k), *[ast.Slice()] * (value.rank - 1)]) for k in range(len(target.elts))))
            else:
                raise Unread(target, Code.SHAPE, "the number of values is not known", "index the array")
        assert value.items is not None
        if len(value.items) != len(target.elts):
            raise Unread(target, Code.SHAPE, f"{len(value.items)} values for {len(target.elts)} names", "")
        if not all(isinstance(each, ast.Name) for each in target.elts):
            return self.unpack_elements(statement, target, value)
        names = [each.id for each in target.elts if isinstance(each, ast.Name)]
        lines: Lines = []
        plain = [(name, item) for name, item in zip(names, value.items)]
        simple = [(name, item) for name, item in plain if item.items is None and item.function is None]
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
        lines: Lines = []
        kept = []
        for item in value.items or ():
            if item.const is not None:
                kept.append(item)
                continue
            if item.rank:
                raise Unread(statement, Code.ALIAS, "an exchange of parts of arrays, which are views", "copy one of them first: `t = x[i].copy()`")
            name = self.context.short()
            lines.append(f"let {name} = {bound_text(item)}")
            kept.append(replace(item, text=name, prec=ATOM))
        for each, item in zip(target.elts, kept):
            lines += self.assign(statement, each, item)
        return lines

    # Writing to elements -----------------------------------------------------------------------------------------------------

    def owned(self, node: ast.AST, name: str) -> Value:
        """An array whose elements are written: nothing else may see it."""
        value = self.env.get(name)
        if value is None:
            if name in self.env:
                raise Poisoned
            raise Unread(node, Code.BOUND, f"`{name}` may have no value here", "")
        if value.items is not None or value.function is not None or not value.rank:
            raise Unread(node, Code.TYPE, "only elements of arrays can be written", "make an array of it")
        if value.shape and len(value.axes) != value.rank:
            raise Unread(node, Code.SHAPE, "a write to an array with a dimension of size 1", "")
        for other, known in self.env.items():
            if other != name and known is not None and shares(known, value) and other in self.live:
                raise Unread(
                    node, Code.ALIAS, f"`{name}` may share its memory with `{other}`, which is used later and would see this write",
                    f"copy it first (`{name} = {name}.copy()`), or write to `{other}` itself",
                )  # fmt: skip
        for memory in value.memory:
            param = self.params.get(memory)
            if param is None:
                continue
            if not param:
                raise Unread(node, Code.ALIAS, f"a function that is called writes to its argument `{name}`", "return a new array instead")
            whole = self.context.mangle(param)
            if name != param or value.text != whole or value.memory != frozenset([memory]):
                raise Unread(node, Code.ALIAS, f"this writes to the caller's array `{param}` under another name", f"write to `{param}` itself, or copy it first")
            if param not in self.context.facts.mutated:
                self.context.facts.mutated.add(param)
                raise Restart
        return value

    def written(self, name: str, value: Value) -> None:
        """The array is another one from here on, in the same memory."""
        self.env[name] = replace(value, text=self.name_of(name), prec=ATOM)

    def write(self, statement: ast.AST, target: ast.Subscript, value: Value) -> Lines:
        """`a[..] = v`."""
        if not isinstance(target.value, ast.Name):
            raise Unread(target, Code.ALIAS, "a write to a part of a part", "write `a[i, j] = ..` in one index")
        name = target.value.id
        array = self.owned(target, name)
        if value.items is not None:
            value = self.as_array(statement, value)
        parts = self.index_items(target.slice, array)
        value = self.as_element(statement, array, value)
        text = self.name_of(name)
        arrays = [part for part in parts if isinstance(part, Value) and (part.rank or part.dtype == "bool")]
        if arrays:
            if len(arrays) != 1 or arrays[0].dtype != "bool" or arrays[0].rank != array.rank or value.rank:
                raise Unread(target, Code.FORM, "a write to the places of arrays of integers is not read", "write a loop over the places; a mask of the same shape can be written with a number")
            made = elementwise(self.context, target, [arrays[0], value, array], lambda v: (" ".join([self.context.library("where", array.dtype), *(e.argument for e in v)]), APPLY), array.dtype)
            self.written(name, array)
            return [f"let {text} = {made.text}"]
        return self.write_slices(statement, target, name, array, parts, value)

    def as_element(self, node: ast.AST, array: Value, value: Value) -> Value:
        """A value as the type of the array that it is written to."""
        if value.function is not None or value.dtype in ("none", "text", "type"):
            raise Unread(node, Code.TYPE, "this is no element of an array", "")
        if value.dtype == array.dtype:
            return value
        if value.weak and array.dtype in INTS and value.dtype == "i64":
            return fitted(self.context, node, value, array.dtype)
        if value.dtype in ("c64", "c128") and array.dtype not in ("c64", "c128"):
            raise Unread(node, Code.TYPE, "a complex number in an array of real ones", "write `.real`")
        if value.dtype in FLOATS and array.dtype in INTS:
            raise Unread(node, Code.TYPE, "a float in an array of integers: NumPy cuts it off", f"say so: `.astype(np.{ {'i64': 'int64'}.get(array.dtype, array.dtype) })`, or make the array of floats")
        if array.dtype == "bool":
            return self.truth(node, value)
        if value.const is not None:
            return convert(literal(int(value.const)) if isinstance(value.const, bool) else value, array.dtype)
        return elementwise(self.context, node, [value], lambda v: (convert(v[0], array.dtype).text, APPLY), array.dtype)

    def write_slices(self, statement: ast.AST, target: ast.Subscript, name: str, array: Value, parts: list[Any], value: Value) -> Lines:
        """A write to one element or a part of an array."""
        texts: list[str] = []
        shape: list[Size] = []
        for axis, part in enumerate(parts):
            if part is None:
                raise Unread(target, Code.FORM, "a new axis in what is written", "")
            size = array.shape[axis]
            if isinstance(part, Value):
                if part.dtype not in INTS:
                    raise Unread(target, Code.TYPE, f"an index of type {part.dtype}", "")
                texts.append(self.position(part, size, self.count_text(array, axis)))
                continue
            text, new, after = self.sliced(target, part, array, axis)
            if after:
                raise Unread(target, Code.FORM, "a write to a slice with a step, or whose bounds may lie outside of the array", "write a loop, or use bounds that are seen to be inside")
            texts.append(text)
            shape.append(new)
        while len(texts) > 1 and texts[-1] == ":":
            texts.pop()
        value = self.fit_shape(target, value, tuple(shape))
        text = self.name_of(name)
        self.written(name, array)
        if all(each == ":" for each in texts):
            if not value.rank:
                made = filled(self, target, [self.size_value(array, k) for k in range(array.rank)], value)
                return [f"let {text} = {made.text}"]
            if value.rank < len(shape):
                raise Unread(target, Code.FORM, "a write of a row to all rows", "write `a = np.zeros_like(a) + row`")
            return [f"let {text} = {value.text}"]
        return [f"let {text}[{', '.join(texts)}] = {value.text}"]

    def fit_shape(self, node: ast.AST, value: Value, shape: tuple[Size, ...]) -> Value:
        """A value that is broadcast to a shape."""
        from .operators import joined, sized

        if value.rank > len(shape):
            raise Unread(node, Code.SHAPE, f"{value.rank} dimensions are written to {len(shape)}", "")
        offset = len(shape) - value.rank
        real = [k + offset for k in value.axes]
        wanted = [k for k, size in enumerate(shape) if size != ONE]
        if real and (real != [k for k in wanted if k >= real[0]] or any(shape[k] == ONE for k in real)):
            raise Unread(node, Code.SHAPE, "this broadcast in a write is not read", "give the value all dimensions")
        for k in value.axes:
            size, check = joined(self.context, node, [shape[k + offset], value.shape[k]])
            if check:
                if shape[k + offset].known:
                    value = sized(self.context, node, value, k, shape[k + offset])
                # Where the size of the part is not known, the write itself looks at it.
        if len(wanted) != len(shape) and value.axes:
            raise Unread(node, Code.SHAPE, "a write to a part of size 1", "write the element")
        if any(size == ONE for size in shape) and not value.axes and value.rank == 0:
            return value
        return value

    def s_augassign(self, statement: ast.AugAssign) -> Lines:
        target = statement.target
        value = self.eval(statement.value)
        op = type(statement.op)
        if isinstance(target, ast.Subscript):
            if not isinstance(target.value, ast.Name):
                raise Unread(target, Code.ALIAS, "a write to a part of a part", "write `a[i, j] += ..` in one index")
            array = self.owned(target, target.value.id)
            old = self.eval(as_load(target))
            made = self.in_place(statement, op, replace(old, weak=False), value, array.dtype)
            if any(isinstance(each, Value) and (each.rank or each.dtype == "bool") for each in self.index_items(target.slice, array)):
                raise Unread(target, Code.FORM, "`+=` at the places of an array", "write `a = np.where(mask, .., a)`")
            return self.write(statement, target, made)
        if not isinstance(target, ast.Name):
            raise Unread(target, Code.FORM, "this target is not read", "")
        old = self._name(ast.copy_location(ast.Name(target.id, ast.Load()), target))
        if not old.rank:
            if value.rank:
                # A number of NumPy's becomes an array.
                return self.bind(statement, target.id, binary(self.context, statement, op, old, value))
            made = self.operation(statement, op, old, value)
            return self.bind(statement, target.id, made)
        old = self.owned(target, target.id)
        made = self.in_place(statement, op, old, value, old.dtype)
        if made.rank != old.rank or [a for a in made.axes] != [a for a in old.axes]:
            raise Unread(statement, Code.SHAPE, "the result has other dimensions than the array", "")
        self.written(target.id, old)
        return [f"let {self.name_of(target.id)} = {made.text}"]

    def operation(self, statement: ast.AST, op: type, old: Value, value: Value) -> Value:
        """An operator, matrix products included."""
        if op is ast.MatMult:
            raise Unread(statement, Code.FORM, "`@=` is not read", "write `a = a @ b`")
        return binary(self.context, statement, op, old, value)

    def in_place(self, statement: ast.AST, op: type, old: Value, value: Value, dtype: str) -> Value:
        """An operator whose result has to go into the array."""
        made = self.operation(statement, op, old, value)
        if made.dtype != dtype:
            from .values import NUMPY

            if not np.can_cast(NUMPY[made.dtype], NUMPY[dtype], "same_kind"):
                raise Unread(statement, Code.TYPE, f"{made.dtype} in an array of {dtype}", "NumPy raises an error here; convert the array first")
            made = elementwise(self.context, statement, [replace(made, weak=False)], lambda v: (convert(v[0], dtype).text, APPLY), dtype)
        if made.rank > old.rank:
            raise Unread(statement, Code.SHAPE, "the result has more dimensions than the array", "")
        return made

    # Branches ----------------------------------------------------------------------------------------------------------------

    def s_if(self, statement: ast.If) -> Lines:
        test = self.condition(statement.test)
        if isinstance(test.const, bool):
            lines: Lines = []
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
        names = [name for name in ordered_names(statement) if name in self.live or name in self.context.facts.mutated]
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
        for name in assigned([statement]) - set(names):
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

    def straight(self, statements: list[ast.stmt]) -> Lines:
        """Statements that do not leave."""
        lines: Lines = []
        outer = self.live
        for k, each in enumerate(statements):
            self.live = outer | used(statements[k + 1 :])
            lines += self.guarded(each)
        self.live = outer
        return lines

    def join(self, node: ast.AST, name: str, a: Value, b: Value) -> Value:
        """What is known of a variable that comes from two places."""
        if a.items is not None or b.items is not None or a.function is not None or b.function is not None:
            raise Unread(node, Code.TYPE, f"`{name}` is a tuple or function that differs between branches", "use a variable for each part")
        dtype, weak = self.join_types(node, a, b)
        if a.rank != b.rank or a.axes != b.axes:
            raise Unread(node, Code.SHAPE, f"`{name}` has {a.rank} dimensions in one case and {b.rank} in another (or a size of 1)", "")
        shape = tuple(x if x == y else unknown_size() for x, y in zip(a.shape, b.shape))
        if any(x != y for x, y in zip(a.shape, b.shape)):
            raise Unread(node, Code.SHAPE, f"`{name}` has different sizes in different cases", "")
        text = self.name_of(name)
        size = a.size if a.size == b.size else Size.name(text) if dtype == "i64" and not shape and text in self.context.stable else None
        return Value(text, ATOM, dtype, shape, weak=weak, memory=a.memory | b.memory, size=size, small=a.small and b.small)

    # Loops -------------------------------------------------------------------------------------------------------------------

    def s_for(self, statement: ast.For) -> Lines:
        return self.loop(statement)

    def s_while(self, statement: ast.While) -> Lines:
        return self.loop(statement)

    def loop(self, statement: ast.For | ast.While, returns: list[Value] | None = None, found: str = "", result: str = "") -> Lines:
        """A loop; with `returns`, one that a `return` may leave, whose values are collected there."""
        if isinstance(statement, ast.For) and returns is None:
            short = self.unrolled(statement)
            if short is not None:
                return short
        if isinstance(statement, ast.For) and self.never_runs(statement):
            return [line for each in statement.orelse for line in self.guarded(each)]
        if statement.orelse and leaves(statement.body, (ast.Break,)):
            raise Unread(statement, Code.FORM, "`else` of a loop with a `break`", "use a variable that says whether the loop was left")
        body = list(statement.body)
        changed = [name for name in ordered_names(ast.Module(body, [])) if name in self.env]
        carried = [name for name in changed if name in self.live or name in self.context.facts.mutated or name in reads_before(statement, name)]
        target_names = assigned([statement.target]) if isinstance(statement, ast.For) else set()
        carried = [name for name in carried if name not in target_names]
        start = dict(self.env)
        for name in carried:
            if start[name] is None:
                raise Poisoned
        entry = {name: start[name] for name in carried}
        for _ in range(6):
            marks = len(self.context.problems), set(self.commented), dict(self.context.bounds), set(self.context.names), dict(self.instances)
            lines, ends = self.loop_once(statement, body, carried, dict(entry), start, returns, found, result)
            again = False
            ends = settled(statement, ends, {each for value in start.values() if value is not None for each in value.memory})
            for name in carried:
                for value in ends.get(name, []):
                    known = entry[name]
                    assert known is not None
                    if any(other.dtype != value.dtype for other in ends[name]):
                        known = replace(known, origin=None)  # an iteration may leave it as it is
                    new = self.widened(statement, name, known, value)
                    if new != known:
                        entry[name], again = new, True
            if not again:
                break
            del self.context.problems[marks[0] :]
            self.commented, self.context.bounds, self.context.names, self.instances = marks[1], marks[2], marks[3], marks[4]
        else:
            raise Unread(statement, Code.TYPE, "the types of the variables of this loop do not settle", "give them their types before the loop")
        self.env = dict(start)
        self.instances = marks[4]
        for name in assigned(body) | target_names:
            if name in carried:
                final = entry[name]
                assert final is not None
                self.env[name] = replace(final, text=self.name_of(name), prec=ATOM, const=None, size=final.size if final.size == start[name].size and final.size is not None and name not in carried else None)  # type: ignore[union-attr]
            else:
                self.env.pop(name, None)
        lines += [line for each in statement.orelse for line in self.guarded(each)]
        return lines

    def widened(self, node: ast.AST, name: str, known: Value, value: Value) -> Value:
        """What is known of a variable before an iteration, when an iteration may end with a value."""
        if value.items is not None or known.items is not None:
            raise Unread(node, Code.TYPE, f"`{name}` is a tuple that a loop changes", "use a variable for each part")
        if known.dtype != value.dtype and known.const is None and isinstance(known.origin, int) and value.dtype == "f64" and self.trips is not None:
            # Python's 0 becomes a float in the first iteration; without one it stays what it is, in a program of its own.
            if self.context.assume(self.trips - 1, f"`{name}` is an integer where the loop does not run"):
                return replace(convert(replace(known, origin=None), "f64"), weak=known.weak and value.weak, memory=frozenset())
        dtype, weak = self.join_types(node, known, value)
        if known.rank != value.rank or known.shape != value.shape:
            raise Unread(node, Code.SHAPE, f"the shape of `{name}` changes in the loop", "")
        converted = convert(known, dtype)
        return replace(converted, weak=weak, memory=known.memory | value.memory)

    def never_runs(self, statement: ast.For) -> bool:
        """Whether a loop surely goes over nothing."""
        source = statement.iter
        if isinstance(source, ast.Call):
            if self.resolve(source.func) is range:
                found = [self.eval(each) for each in source.args]
                return all(isinstance(each.const, int) for each in found) and len(range(*(each.const for each in found))) == 0
            if self.resolve(source.func) in (enumerate, zip):
                return any(value.rank and value.shape[0].number == 0 for value in [self.eval(each) for each in source.args if not isinstance(each, ast.Call)])
            return False
        value = self.eval(source)
        return value.items == () or bool(value.rank) and value.shape[0].number == 0

    def unrolled(self, statement: ast.For) -> Lines | None:
        """A loop over a tuple, written out."""
        if not isinstance(statement.iter, (ast.Tuple, ast.List)) or leaves(statement.body, (ast.Break, ast.Continue)):
            return None
        lines: Lines = []
        outer = self.live
        for item in self.eval(statement.iter).items or ():
            self.live = outer | used(list(statement.body))
            lines += self.assign(statement, statement.target, item)
            lines += self.straight(statement.body)
        self.live = outer
        return lines

    def loop_once(
        self, statement: ast.For | ast.While, body: list[ast.stmt], carried: list[str], entry: dict[str, Value | None], start: dict[str, Value | None],
        returns: list[Value] | None, found: str, result: str,
    ) -> tuple[Lines, dict[str, list[Value]]]:  # fmt: skip
        """The loop, with what is known of its variables; the values that they have after an iteration."""
        ends: dict[str, list[Value]] = {name: [] for name in carried}
        before = [bound_text(value) for value in (entry[name] for name in carried) if value is not None]
        self.env = dict(start)
        for name in carried:
            value = entry[name]
            assert value is not None
            self.env[name] = replace(value, text=self.name_of(name), prec=ATOM, const=None, size=None, small=False)
        early = leaves(body, (ast.Break, ast.Return, ast.Continue)) and leaves(body, (ast.Break, ast.Return)) or returns is not None
        outer_flow, outer_live = self.flow, self.live
        self.live = outer_live | used([statement]) | set(carried)
        flag = self.fresh_name("go") if early else ""
        self.changing = {self.name_of(name) for name in assigned(body)}
        self.trips = None
        before_loop = list(self.context.pending)
        self.context.pending.clear()
        head, prefix, counter = self.heading(statement, early)
        opening_lines = before_loop + self.flush()
        trips = self.trips

        def state(go: str, extra: list[str]) -> Lines:
            texts = []
            for name in carried:
                value = self.env.get(name)
                if value is None:
                    if name in self.env:
                        raise Poisoned
                    raise Unread(statement, Code.BOUND, f"`{name}` may have no value after an iteration", "")
                ends[name].append(value)
                target = entry[name]
                assert target is not None
                texts.append(bound_text(convert(value, target.dtype)) if value.dtype == target.dtype or value.const is not None else value.text)
            if counter:
                texts.append(f"{counter} + 1")
            return [tuple_text(texts + ([go] if early else []) + extra)] if texts or early else ["()"]

        idle = [found, result] if returns is not None else []

        def on_return(node: ast.AST, value: Value) -> Lines:
            if returns is None:
                return outer_flow.on_return(node, value)
            if not value.scalar or value.rank or value.dtype in ("none", "tuple"):
                raise Unread(node, Code.FORM, "a `return` of what is no number inside of a loop", "assign it to a variable and `break`")
            returns.append(value)
            return state("false", ["true", bound_text(value)])

        self.flow = Flow(on_return, lambda node: state("false", idle), lambda node: state("true", idle))
        try:
            lines = self.block(prefix_of(statement, body), lambda: state("true", idle))
        finally:
            self.flow, self.live = outer_flow, outer_live
        self.trips = trips
        names = [self.name_of(name) for name in carried] + ([counter] if counter else []) + ([flag] if early else []) + idle
        initial = before + (["0i64"] if counter else []) + (["true"] if early else [])
        if returns is not None:
            zero = "false" if returns and returns[0].dtype == "bool" else f"0{returns[0].dtype}" if returns else "0i64"
            initial += ["false", zero]
        if not names:
            return opening_lines, ends
        pattern = tuple_text(names)
        opening = f"loop {pattern}" if names == initial and len(names) == 1 else f"loop {pattern} = {tuple_text(initial)}"
        condition = head.replace("GO", flag)
        lines = finished(prefix, lines) if prefix else lines
        whole = tuple_text([name for name in names if name != counter and name != flag]) if (counter or early) else pattern
        shown = tuple_text(["_" if name in (counter, flag) else name for name in names])
        del whole
        return [*opening_lines, f"let {shown} =", f"  {opening} {condition} do", *indented(lines, 4)], ends

    def fresh_name(self, name: str) -> str:
        """A name that the function does not have."""
        while name in self.context.names:
            name += "_"
        return name

    def heading(self, statement: ast.For | ast.While, early: bool) -> tuple[str, Lines, str]:
        """What stands between the variables of a loop and `do`; the lines that its body begins with; the name of a counter, if there is one."""
        if isinstance(statement, ast.While):
            test = self.condition(statement.test)
            if self.context.pending:
                self.context.pending.clear()
                raise Unread(statement, Code.FORM, "a call of a function in the condition of `while`", "assign it to a variable")
            return (f"while GO && {test.at(4)}" if early else f"while {test.text}"), [], ""
        names = sorted(assigned([statement.target]))
        count, lines, single = self.iterated(statement)
        if early:
            counter = single or self.fresh_name("i")
            return f"while GO && {counter} < {count}", lines, counter
        used_here = any(name in used(list(statement.body)) for name in names)
        counter = single or (self.fresh_name("i") if used_here or lines else "_")
        if single and not used_here:
            counter = "_i" if single == "_" else single
        return f"for {counter} < {count}", lines if used_here else [], ""

    def iterated(self, statement: ast.For) -> tuple[str, Lines, str]:
        """How often a loop runs; how its target follows from the counter; the name of the counter if it is the target."""
        target, source = statement.target, statement.iter
        if isinstance(source, ast.Call) and not source.keywords:
            function = self.resolve(source.func)
            if function is range:
                return self.over_range(target, [self.eval(each) for each in source.args], False)
            if function is reversed and isinstance(source.args[0], ast.Call) and self.resolve(source.args[0].func) is range:
                return self.over_range(target, [self.eval(each) for each in source.args[0].args], True)
            if function in (enumerate, zip):
                return self.over_several(statement, target, source, function)
        array = self.eval(source)
        return self.over_arrays(statement, [(target, array)], self.fresh_name("i"))

    def over_several(self, statement: ast.For, target: ast.expr, source: ast.Call, function: Any) -> tuple[str, Lines, str]:
        if not isinstance(target, ast.Tuple) or len(target.elts) != (2 if function is enumerate else len(source.args)):
            raise Unread(target, Code.FORM, "this target is not read", "name each part")
        if function is enumerate:
            index = target.elts[0]
            if len(source.args) != 1 or not isinstance(index, ast.Name):
                raise Unread(source, Code.FORM, "`enumerate` from another number", "add it in the loop")
            name = self.name_of(index.id)
            inner = source.args[0]
            if isinstance(inner, ast.Call) and self.resolve(inner.func) is zip and isinstance(target.elts[1], ast.Tuple):
                pairs = [(each, self.eval(argument)) for each, argument in zip(target.elts[1].elts, inner.args)]
            else:
                pairs = [(target.elts[1], self.eval(inner))]
            count, lines, _ = self.over_arrays(statement, pairs, name)
            self.env[index.id] = self.counter_value(name, Size.of(0), None)
            return count, lines, name
        pairs = [(each, self.eval(argument)) for each, argument in zip(target.elts, source.args)]
        return self.over_arrays(statement, pairs, self.fresh_name("i"))

    def over_arrays(self, statement: ast.For, pairs: list[tuple[ast.expr, Value]], counter: str) -> tuple[str, Lines, str]:
        lines: Lines = []
        counts = []
        trips: list[Size] = []
        changed = {self.name_of(name) for name in assigned(list(statement.body))}
        for target, array in pairs:
            if array.items is not None:
                array = self.as_array(statement, array)
            if not array.rank or array.shape[0] == ONE or not isinstance(target, ast.Name):
                raise Unread(statement, Code.FORM, "a loop over this is not read", "loop over `range(len(x))`")
            if words(array.text) & changed:
                raise Unread(statement, Code.ALIAS, "the loop changes the array that it goes over", "copy the array first")
            counts.append(self.size_value(array, 0))
            trips.append(array.shape[0])
            index = self.counter_value(counter, Size.of(0), array.shape[0] - 1)
            item = self.element(target, array, [index, *[ast.Slice()] * (array.rank - 1)])
            if target.id in used(list(statement.body)):
                lines += self.bind(statement, target.id, item)
        if all(each == trips[0] for each in trips):
            self.trips = trips[0]
        count = counts[0].text if counts[0].prec >= 8 else counts[0].argument
        for other in counts[1:]:
            if other.text != counts[0].text:
                count = f"(i64.min {count} {other.argument})"
        return count, lines, ""

    def counter_value(self, name: str, low: Size | None, high: Size | None) -> Value:
        """The index of a loop."""
        # A name that is bound several times is no name for a size: its value changes.
        own = name if name in self.context.stable or name not in {self.name_of(each) for each in self.locals} else fresh()
        self.context.bounds.pop(own, None)
        self.context.bounds[own] = (low, high)
        return Value(name, ATOM, "i64", weak=True, size=Size.name(own), small=True)

    def unchanged(self, value: Value) -> Value:
        """The bound of a loop whose body changes what it was made from: it keeps the value that it had before."""
        if not words(value.text) & self.changing:
            return value
        name = self.context.short()
        self.context.pending.append(f"let {name} = {bound_text(value)}")
        return replace(value, text=name, prec=ATOM)

    def over_range(self, target: ast.expr, values: list[Value], backwards: bool) -> tuple[str, Lines, str]:
        if not isinstance(target, ast.Name):
            raise Unread(target, Code.FORM, "this target is not read", "")
        for value in values:
            if not value.scalar or value.dtype not in INTS:
                raise Unread(target, Code.TYPE, "a bound of `range` that is no integer", "")
        values = [self.unchanged(replace(convert(value, "i64"), weak=True)) for value in values]
        start, stop = (literal(0), values[0]) if len(values) == 1 else (values[0], values[1])
        step = values[2] if len(values) > 2 else literal(1)
        if not isinstance(step.const, int) or step.const == 0:
            raise Unread(target, Code.FORM, "a step of `range` that is no constant", "use `while`")
        name = self.name_of(target.id)
        own = name if name != "_" else "_i"
        stable = self.context.stable | self.context.sizes
        low, high = (self.size_of(each) for each in (start, stop))

        def usable(size: Size) -> Size | None:
            return size if size.known and size.names() <= stable | set(self.context.bounds) else None

        if step.const == 1 and usable(low) is not None and usable(high) is not None:
            self.trips = high - low
        if start.const == 0 and step.const == 1 and not backwards:
            self.env[target.id] = self.counter_value(own, Size.of(0), (usable(high) or unknown_size()) - 1 if usable(high) else None)
            return stop.at(6) if stop.prec < 6 else stop.text, [], own
        # The counter goes from 0; the variable follows from it.
        counter = self.fresh_name("k" if own != "k" else "l")
        self.context.names.add(counter)
        span = binary(self.context, target, ast.Sub, replace(stop, small=True), replace(start, small=True))
        distance = span.text if step.const > 0 else binary(self.context, target, ast.Sub, replace(start, small=True), replace(stop, small=True)).text
        size = abs(step.const)
        if stop.size is not None and start.size is not None and (d := (stop.size - start.size if step.const > 0 else start.size - stop.size)).known:
            distance = d.text()
        count = distance if size == 1 else f"({distance} + {size - 1}) / {size}"
        if backwards:
            if step.const != 1:
                raise Unread(target, Code.FORM, "`reversed` of a range with a step", "write the range backwards")
            text = f"{stop.at(6)} - 1 - {counter}"
            bounds = (usable(low), usable(high - 1))
        elif step.const > 0:
            part = counter if size == 1 else f"{size} * {counter}"
            text = f"{start.at(6)} + {part}"
            bounds = (usable(low), usable(high - 1))
        else:
            part = counter if size == 1 else f"{size} * {counter}"
            text = f"{start.at(6)} - {part}"
            bounds = (usable(high + 1), usable(low))
        self.env[target.id] = self.counter_value(own, *bounds)
        return count if count.isidentifier() else f"({count})", [f"let {own} = {text}"], counter

    def returning_loop(self, statement: ast.For | ast.While, rest: list[ast.stmt], end: Callable[[], Lines], lets: Lines) -> Lines:
        """A loop that a `return` may leave, and what follows it."""
        found, result = self.fresh_name("found"), self.fresh_name("result")
        self.context.names |= {found, result}
        comments = self.comments(statement)
        outer = self.live
        self.live = outer | used(rest)
        try:
            returns: list[Value] = []
            marks = len(self.context.problems), set(self.commented)
            saved = dict(self.env)
            self.loop(statement, returns, found, result)
            del self.context.problems[marks[0] :]
            self.commented, self.env = marks[1], saved
            kinds = {(value.dtype, value.weak) for value in returns}
            if len(kinds) > 1:
                raise Unread(statement, Code.TYPE, "the `return`s in this loop have different types", "")
            lets += comments + self.loop(statement, returns, found, result)
            self.live = outer
            value = Value(result, ATOM, returns[0].dtype, weak=returns[0].weak)
            saved = dict(self.env)
            one = self.flow.on_return(statement, value)
            self.env = saved
            if isinstance(statement, ast.While) and isinstance(statement.test, ast.Constant) and statement.test.value and not leaves(statement.body, (ast.Break,)):
                return finished(lets, one)
            two = self.block(rest, end)
            return finished(lets, self.choice(Value(found, ATOM, "bool"), one, two))
        except Unread as problem:
            self.report(problem, statement)
        except Poisoned:
            pass
        finally:
            self.live = outer
        return finished(lets, ["???"])

    # Calls of functions that are read as well -----------------------------------------------------------------------------------

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
            given.setdefault(name, self.eval(default))
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


def fault_of(statement: ast.stmt, fault: Exception) -> Unread:
    """A fault of the reader itself, said as a problem of the place where it happened."""
    return Unread(statement, Code.FORM, f"the reader fails here, which is a fault of its own ({type(fault).__name__}: {fault})", "write the statement in another way")


def settled(statement: ast.stmt, ends: dict[str, list[Value]], outside: set[str]) -> dict[str, list[Value]]:
    """The values after an iteration, with names for the memory that it made: the same in each reading."""
    holders: dict[str, set[str]] = {}
    for name, values in ends.items():
        for value in values:
            for each in value.memory - outside:
                holders.setdefault(each, set()).add(name)
    place = f"{statement.lineno}:{statement.col_offset}"

    def renamed(name: str, value: Value) -> Value:
        memory = {each for each in value.memory if each in outside}
        for each in value.memory - outside:
            memory.add(f"made:{place}:{' '.join(sorted(holders[each]))}")
        return replace(value, memory=frozenset(memory))

    return {name: [renamed(name, value) for value in values] for name, values in ends.items()}


def prefix_of(statement: ast.For | ast.While, body: list[ast.stmt]) -> list[ast.stmt]:
    """The statements of an iteration."""
    return body


def replace_definition(definition: Definition, node: ast.FunctionDef) -> Definition:
    """A function that is defined inside of another one."""
    return Definition(node, definition.file, definition.lines, definition.first_line, definition.comments, definition.outer, definition.indent)


def shares(known: Value, value: Value) -> bool:
    """Whether two values may share memory."""
    if known.items is not None:
        return any(shares(item, value) for item in known.items if isinstance(item, Value))
    return bool(known.memory & value.memory)


def as_load(target: ast.Subscript) -> ast.Subscript:
    """A target as an expression."""
    return ast.copy_location(ast.Subscript(target.value, target.slice, ast.Load()), target)


def words(text: str) -> set[str]:
    """The names in a text."""
    found, word = set(), ""
    for c in text + " ":
        if c.isalnum() or c in "_'":
            word += c
        elif word:
            found.add(word)
            word = ""
    return found


def ordered_names(node: ast.AST) -> list[str]:
    """The names that a statement gives values to, in the order in which they stand there."""
    wanted = assigned([node])
    places: dict[str, tuple[int, int]] = {}
    for each in ast.walk(node):
        if isinstance(each, ast.Name) and each.id in wanted:
            place = (each.lineno, each.col_offset)
            places[each.id] = min(places.get(each.id, place), place)
    return sorted(places, key=lambda name: places[name])


def reads_before(statement: ast.For | ast.While, name: str) -> set[str]:
    """The names whose value an iteration may need from the one before."""
    return used([statement])


def type_text(value: Value) -> str:
    """The type of a value as the program writes it."""
    dims = "".join(f"[{size.text()}]" if size.known else "[]" for size in (value.shape[k] for k in value.axes))
    return dims + value.dtype
