"""A Python function and the types of its arguments, as a program."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field, replace
from typing import Any

from .arguments import CONTAINERS
from .context import HELPERS, WORDS, Context, Facts, Restart
from .diagnostics import Code, Poisoned, Problem, Unread
from .either import either, mixed
from .reading import Definition, assigned, definition, times_bound, walk_body
from .sizes import ONE, Size
from .blocks import Flow, Lines, finished, indented, tuple_text, without_unread
from .statements import Statements
from .values import ATOM, CALLER, GENERATOR, INTS, NUMPY, Value, bound_text, convert, fresh, literal


@dataclass(frozen=True)
class Argument:
    """What is known of an argument: its type, its sizes where they are fixed (None where any size will do), whether it is one of Python's numbers."""

    dtype: str
    sizes: tuple[int | None, ...] = ()
    weak: bool = False
    names: tuple[str, ...] = ()  # names of sizes, from annotations; keys of the parts of a tuple, a list or a record
    ordered: bool = True  # its elements lie one after the other (C)
    function: Any = None  # a Python function, which is read where it is called; of a text, the text; of a named tuple, its class
    listed: int = 0  # so many of its dimensions are Python's lists
    const: Any = None  # one of Python's integers or truth values that the program has to know


@dataclass(frozen=True)
class Result:
    """How a result of the program becomes what the Python function returns."""

    kind: str  # "array", "number", "tuple", "record", "named", "list", "none", or "argument": the caller's own array
    ones: tuple[int, ...] = ()  # dimensions of size 1 that the program leaves out
    dtype: str = ""
    parts: tuple[Result, ...] = ()
    weak: bool = False  # one of Python's own numbers, or a list of them
    whole: bool = False  # a float that stands for an integer in other cases
    name: str = ""  # of an argument; of a list, how many dimensions are lists; of several values, "list", "tuple" or keys
    type: Any = None  # of a named tuple


@dataclass
class Translation:
    """The program for a function."""

    name: str
    source: str
    problems: list[Problem]
    result: Result | None = None
    mutated: list[str] = field(default_factory=list)
    assumed: list[tuple[Size, str]] = field(default_factory=list)
    ordered: set[str] = field(default_factory=set)  # arguments whose elements have to lie one after the other
    sizes: dict[str, list[Size]] = field(default_factory=dict)  # of each array parameter
    captured: dict[tuple[Any, str], Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)  # where NumPy leaves open what the program fixes
    constants: list[str] = field(default_factory=list)  # arguments that the program has as constants

    def sizes_of(self, given: dict[str, Any]) -> dict[str, int]:
        """The values that arguments give to the names of sizes."""
        values: dict[str, int] = {}
        for name, sizes in self.sizes.items():
            for size, actual in zip(sizes, getattr(given[name], "shape", ())):
                if (single := size.single) is not None:
                    values.setdefault(single, actual)
        return values

    def fit(self, given: dict[str, Any], values: dict[str, int]) -> bool:
        """Whether the sizes of arguments are those of the program, where names have these values."""
        return all(
            not size.names() <= values.keys() or size.value(values) == actual for name, sizes in self.sizes.items() for size, actual in zip(sizes, getattr(given[name], "shape", ()))
        )  # fmt: skip


def translate(definition: Definition, arguments: dict[str, Argument]) -> Translation:
    """The program for arguments of these types. Problems are in the result; what could be read is in its source, with holes."""
    facts = Facts()
    for _ in range(256):
        try:
            return _Function(definition, arguments, facts).run()
        except Restart:
            facts.assumed.clear()
    raise RuntimeError("the sizes of a function do not settle")


def common(one: Result, two: Result) -> Result | None:
    """A result that is the one or the other; None if the program would need to say which."""
    if one == two:
        return one
    if one.kind != two.kind or one.ones != two.ones or one.name != two.name or one.type is not two.type or len(one.parts) != len(two.parts):
        return None
    parts = [common(a, b) for a, b in zip(one.parts, two.parts)]
    if None in parts or one.dtype != two.dtype:
        return None
    return replace(one, parts=tuple(part for part in parts if part is not None), weak=False, whole=one.whole or two.whole)


class _Function:
    def __init__(self, definition: Definition, arguments: dict[str, Argument], facts: Facts) -> None:
        self.definition, self.arguments, self.facts = definition, arguments, facts
        node = definition.node
        assert isinstance(node, ast.FunctionDef)
        self.node = node
        self.context = Context(definition.file, list(definition.lines), definition.first_line, definition.outer, facts)
        self.reader = Statements(self.context, definition)
        self.reader.entry_name = self.context.mangle(node.name)
        names = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)} | set(arguments)
        self.context.python_names = set(names)
        self.context.names = {self.context.mangle(name) for name in names} | names | facts.taken
        self.returned: list[tuple[Value, Result]] = []

    def run(self) -> Translation:
        """One reading."""
        node, reader = self.node, self.reader
        if node.args.vararg or node.args.kwarg:
            reader.report(Unread(node.args.vararg or node.args.kwarg, Code.ARGUMENT, "a parameter that stands for any number of arguments", "name each parameter"), node)
            return Translation(self.context.mangle(node.name), "???\n", self.context.problems)
        counts = times_bound(node)
        self.context.stable = {self.context.mangle(name) for name, count in counts.items() if count == 1} | {self.context.mangle(name) for name in self.arguments if "." in name}
        reader.locals = assigned(list(node.body)) | set(self.arguments)
        sizes = self.parameters(counts)
        try:
            reader.flow = Flow(self.on_return)
            opening = self.constants(counts)
            lines = reader.block(list(node.body), lambda: self.on_return(node, Value("None", ATOM, "none")))
            lines = finished(opening, lines)
        except Unread as problem:
            reader.report(problem, node)
            lines = ["???"]
        except Poisoned:
            lines = ["???"]
        clashing = self.context.called & self.context.given - WORDS - self.facts.clashing
        if clashing:
            self.facts.clashing |= clashing
            raise Restart
        made = Translation(self.context.mangle(node.name), "", self.context.problems)
        if self.returned:
            made.result = self.returned[0][1]
            for _, other in self.returned[1:]:
                made.result = common(made.result, other) if made.result is not None else None
            if made.result is None and not self.facts.floats and all(each.kind == "number" and (each.dtype == "f64" or each.dtype == "i64" and each.weak) for _, each in self.returned):
                self.facts.floats = True
                raise Restart
            if made.result is None:
                kinds = {each.kind for _, each in self.returned}
                at = Unread(node, Code.TYPE, "the `return`s of this function give different types or shapes", "return the same type everywhere")
                if "none" in kinds:
                    at = Unread(node, Code.TYPE, "the function returns a value at one place, and `None` at another or where it ends", "raise an error there: `raise ValueError(..)`")
                reader.report(at, node)
        made.ordered = self.facts.ordered
        made.mutated = [name for name in self.arguments if name in self.facts.mutated]
        made.sizes, made.assumed, made.captured = sizes, list(self.facts.assumed), reader.captured
        made.notes = sorted(self.context.notes)
        made.constants = [name for name, argument in self.arguments.items() if argument.const is not None]
        made.source = self.text(made, lines)
        return made

    def parameters(self, counts: dict[str, int]) -> dict[str, list[Size]]:
        """Gives the parameters their values, and sizes names."""
        wished = self.wished(counts)
        taken = set(self.context.names) - set(wished.values())
        self.context.wished = set(wished.values())
        pool = (name for name in ["n", "m", "k", "l", "h", "d", "o", "c"] + [f"n{k}" for k in range(1, 60)])
        found: dict[str, list[Size]] = {}
        own: dict[tuple[str, int], str] = {}
        for name, argument in self.arguments.items():
            for axis, fixed in enumerate(argument.sizes):
                wish = wished.get((name, axis)) or (argument.names[axis] if axis < len(argument.names) and argument.names[axis].isidentifier() else "")
                if not wish or wish in taken or (wish in own.values() and not argument.names):
                    wish = next(each for each in pool if each not in taken and each not in own.values() and each not in wished.values())
                own[name, axis] = wish
        for name, argument in self.arguments.items():
            sizes = []
            for axis, fixed in enumerate(argument.sizes):
                size = Size.of(fixed) if fixed is not None else Size.name(own[name, axis])
                for _ in range(64):
                    single = size.single
                    if single is None or single not in self.facts.merged:
                        break
                    size = self.facts.merged[single]
                sizes.append(size)
                self.context.sizes |= size.names()
            found[name] = sizes
        for each in self.context.sizes:
            self.context.names.add(each)
            self.context.least.setdefault(each, 0)
        for name, argument in self.arguments.items():
            text = self.context.mangle(name)
            if argument.dtype in CONTAINERS:
                continue
            if argument.const is not None:
                self.reader.env[name] = literal(argument.const)
                continue
            if argument.dtype in ("text", "none"):
                self.reader.env[name] = Value(repr(argument.function), ATOM, argument.dtype, function=argument.function)
                continue
            if argument.function is not None:
                self.reader.env[name] = Value(text, ATOM, "function", function=definition(argument.function, self.context))
                continue
            memory = frozenset([fresh()]) if argument.sizes else frozenset[str]()
            known = Size.name(text) if argument.dtype == "i64" and not argument.sizes and text in self.context.stable else None
            value = Value(text, ATOM, argument.dtype, tuple(found[name]), weak=argument.weak and not argument.listed, memory=memory, size=known, serial=object())
            self.reader.env[name] = replace(value, listed=argument.listed, weakly=bool(argument.listed))
            if argument.listed:
                self.reader.callers |= memory
            if argument.ordered:
                self.reader.ordered[self.reader.env[name].serial] = name  # type: ignore[union-attr]
            else:
                self.reader.apart.add(self.reader.env[name].serial)  # type: ignore[union-attr]
            for own_memory in memory:
                self.reader.params[own_memory] = name
        # The parts of an argument stand behind it.
        for name, argument in reversed(self.arguments.items()):
            if argument.dtype in CONTAINERS:
                items = tuple(self.reader.env[f"{name}.{key}"] for key in argument.names)
                keys = argument.names if argument.dtype == "record" else ()
                self.reader.env[name] = Value("", ATOM, argument.dtype, items=items, keys=keys, kind=argument.function, serial=CALLER if argument.dtype == "list" else object())
        return found

    def constants(self, counts: dict[str, int]) -> Lines:
        """The lines that give constants among the arguments their names, where the function gives those other values, too."""
        changing = [name for name, argument in self.arguments.items() if argument.const is not None and counts.get(name, 1) > 1]
        return [line for name in changing for line in self.reader.bind(self.node, name, literal(self.arguments[name].const))]

    def wished(self, counts: dict[str, int]) -> dict[tuple[str, int], str]:
        """Names that the function itself gives to sizes: `n = len(x)`, `n, m = a.shape`."""
        found: dict[tuple[str, int], str] = {}
        copies = {f"{name} = {name}.copy()" for name in self.arguments}
        kept = {id(each.targets[0]) for each in walk_body(self.node) if isinstance(each, ast.Assign) and len(each.targets) == 1 and isinstance(each.targets[0], ast.Name) and ast.unparse(each) in copies}
        rebound = {each.id for each in walk_body(self.node) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store) and id(each) not in kept}
        for each in walk_body(self.node):
            if not isinstance(each, ast.Assign) or len(each.targets) != 1:
                continue
            target, value = each.targets[0], each.value
            places: list[tuple[ast.expr, tuple[str, int]]] = []
            pairs = list(zip(target.elts, value.elts)) if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) else [(target, value)]
            for one, source in pairs:
                match source:
                    case ast.Call(func=ast.Name(id="len"), args=[ast.Name(id=name)]):
                        places.append((one, (name, 0)))
                    case ast.Subscript(value=ast.Attribute(value=ast.Name(id=name), attr="shape"), slice=ast.Constant(value=int(axis))):
                        places.append((one, (name, axis)))
                    case ast.Attribute(value=ast.Name(id=name), attr="size") if name in self.arguments and len(self.arguments[name].sizes) == 1:
                        places.append((one, (name, 0)))
                    case ast.Attribute(value=ast.Name(id=name), attr="shape") if isinstance(one, ast.Tuple):
                        places += [(part, (name, axis)) for axis, part in enumerate(one.elts)]
            for one, place in places:
                if isinstance(one, ast.Name) and counts.get(one.id) == 1 and place[0] in self.arguments and place[0] not in rebound:
                    if place not in found and self.context.mangle(one.id) == one.id and one.id not in found.values() and one.id not in self.facts.unwished:
                        found[place] = one.id
        return found

    def on_return(self, node: ast.AST, value: Value) -> Lines:
        """The lines of a result, with the arrays of the caller that were written."""
        result, texts = self.result(node, value)
        for name in self.arguments:
            if name in self.facts.mutated:
                current = self.reader.env.get(name)
                if current is None:
                    raise Poisoned
                texts.append(current.text)
        self.returned.append((value, result))
        return [tuple_text(texts) if texts else "()"]

    def result(self, node: ast.AST, value: Value) -> tuple[Result, list[str]]:
        """How a value comes back to Python, and the texts of its parts."""
        if value.dtype == "grid":
            value = self.reader.as_array(node, value)
        if value.items is not None:
            found = [self.result(node, item) for item in value.items]
            if value.dtype == "record" and value.kind is not None and issubclass(value.kind, tuple):
                return Result("named", parts=tuple(each for each, _ in found), type=value.kind), [text for _, texts in found for text in texts]
            if value.dtype == "record" and value.kind is not None:
                raise Unread(node, Code.TYPE, f"an object of `{value.kind.__name__}` as a result", "return its parts")
            keys = "\n".join(value.keys) if value.dtype == "record" else value.dtype
            return Result("record" if value.dtype == "record" else "tuple", parts=tuple(each for each, _ in found), name=keys), [text for _, texts in found for text in texts]
        if value.dtype == "none":
            return Result("none"), []
        if value.function is not None or value.dtype == GENERATOR:
            raise Unread(node, Code.TYPE, "this result is no number and no array", "")
        for memory in value.memory:
            name = self.reader.params.get(memory)
            if name and name in self.facts.mutated:
                if value.text == self.context.mangle(name):
                    return Result("argument", name=name), []
                raise Unread(node, Code.ALIAS, f"this may be a part of the caller's array `{name}`, which is written", "return a copy")
        if value.listed and mixed(value):
            raise Unread(node, Code.TYPE, "a list of integers and floats as a result", "begin the list with a float: `[0.0]`")
        if value.listed:
            return Result("list", dtype=value.dtype, weak=value.weakly, name=f"{value.listed}{'t' if value.kind == 'tuple' else ''}"), [bound_text(value)]
        kept = either(value)
        if kept is not None and value.dtype != "f64":
            raise Unread(node, Code.TYPE, f"a result that is Python's own in one case and {value.dtype} in another", f"convert it: `np.{NUMPY[value.dtype]}(x)`")
        if kept is not None and kept.integer and value.rank:
            raise Unread(node, Code.TYPE, "a result that is one of Python's integers in one case and an array in another", "write the integer as a float: `0.0`")
        # The float that equals an integer stands for it.
        integer = kept is not None and kept.integer
        if self.facts.floats and value.dtype == "i64" and value.weak and not value.rank:
            value, integer = convert(value, "f64"), True
        ones = tuple(k for k, size in enumerate(value.shape) if size == ONE)
        kind = "array" if value.rank else "number"
        return Result(kind, ones, value.dtype, weak=value.weak, whole=integer), [bound_text(value)]

    # Text --------------------------------------------------------------------------------------------------------------------

    def text(self, made: Translation, lines: Lines) -> str:
        """The program."""
        context, node = self.context, self.node
        head = [f'import "{name}"' for name in sorted(context.imports)]
        head += [f"module np_{dtype} = np_{'int' if dtype in INTS else 'float'} {dtype}" for dtype in sorted(context.modules)]
        for name in HELPERS:
            if name in context.helpers:
                head += ([""] if head else []) + HELPERS[name].split("\n")
        for text in context.definitions.values():
            head += ([""] if head else []) + text.split("\n")
        doc = ast.get_docstring(node)
        signature, order = [], []
        for name, argument in self.arguments.items():
            if argument.function is not None or argument.const is not None or argument.dtype == "none" or argument.dtype in CONTAINERS:
                continue
            sizes = made.sizes[name]
            dims = "".join(f"[{size.text()}]" for size in sizes if size != ONE)
            signature.append(f"({context.mangle(name)}: {dims}{argument.dtype})")
            for size in sizes:
                if size.single and size.single not in order:
                    order.append(size.single)
        opening = " ".join(["entry", made.name, "".join(f"[{name}]" for name in order), *signature]).replace("  ", " ") + " ="
        comment = [f"-- | {line}" if k == 0 else f"-- {line}" for k, line in enumerate(doc.split("\n"))] if doc else []
        lines = without_unread(lines)
        body = [f"{opening} {lines[0]}"] if len(lines) == 1 and len(opening) + len(lines[0]) < 140 else [opening, *indented(lines)]
        return "\n".join(head + ([""] if head else []) + [line.rstrip() for line in comment] + body) + "\n"


__all__ = ["Argument", "Result", "Translation", "convert", "translate"]
