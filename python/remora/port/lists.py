"""Python's lists: arrays whose outermost dimensions are lists. Those that grow in a loop are a buffer and a count while it runs, where it is known how long they get."""

from __future__ import annotations

import ast
from dataclasses import replace

from .blocks import Lines, as_load, closing, shares
from .context import HELPERS, Restart
from .diagnostics import Code, Poisoned, Unread
from .either import Begun, either, literal_of
from .in_place import InPlace
from .operators import unknown_size
from .reading import annotated, assigned, used, walk
from .sizes import Size
from .values import APPLY, ATOM, CALLER, FLOATS, INTS, PRODUCT, Value, bound_text, convert, literal, type_text


HELPERS["with_room"] = (
    "-- | A buffer with room for one more element than it has, twice as large if it is full.\n"
    "def with_room 't [n] (count: i64) (fill: t) (buffer: [n]t) : []t =\n"
    "  if count < n then buffer else buffer ++ replicate (i64.max 8 n) fill"
)


class Lists(InPlace):
    """Reads lists that grow."""

    fills: dict[str, str] = {}  # the buffers that grow themselves, with what they are filled with

    # Elements --------------------------------------------------------------------------------------------------------------------

    def element_of(self, name: str) -> Value | None:
        """What is known of the elements of a list that grows."""
        found, merged = self.context.facts.lists.get((self.definition.file, self.definition.first_line, name), (None, 0))
        # What was learned before sizes turned out to be one may be about others.
        return found if merged == len(self.context.facts.merged) else None

    def learn(self, node: ast.AST, name: str, element: Value, begins: int = 0) -> None:
        """Keeps what the elements of a list are, or what it begins with, where it begins with so many."""
        key = (self.definition.file, self.definition.first_line, name)
        known = self.element_of(name)
        new = Value("", ATOM, element.dtype, element.shape, weak=element.weak and (not element.rank or bool(element.listed)), listed=element.listed, const=element.const if element.items is not None else literal_of(element), kind=element.kind if either(element) is None else "mixed", size=Size.of(begins) if begins else None)
        if known is not None:
            if known.shape != new.shape:
                raise Unread(node, Code.SHAPE, f"the elements of the list `{name}` have different shapes", "lists of arrays of one shape are read")
            dtype, weak = self.join_types(node, known, new)
            kind = "mixed" if known.dtype != new.dtype or "mixed" in (known.kind, new.kind) else known.kind
            if kind == "mixed" and known.kind != "mixed" and new.dtype == "f64" and new.kind is None and known.size is not None:
                kind = Begun(known.size.number or 0)
            elif begins and isinstance(known.kind, Begun) and new.dtype == "i64":
                kind = Begun(max(known.kind.count, begins))
            new = replace(new, dtype=dtype, kind=kind, weak=weak, const=known.const if known.const is not None and new.const is not None and known.dtype == new.dtype else None)
            if known.dtype == new.dtype and known.size is not None and new.size is not None:
                new = replace(new, size=Size.of(max(known.size.number or 0, new.size.number or 0)))
            if (known.dtype, known.weak, known.const is None, known.kind) == (new.dtype, new.weak, new.const is None, new.kind):
                return
        self.context.facts.lists[key] = new, len(self.context.facts.merged)
        raise Restart

    def as_item(self, node: ast.AST, item: Value) -> Value:
        """An element of a list: a number, an array, or a tuple of numbers of one type as an array."""
        if item.items is None:
            return item
        parts = item.items
        if item.dtype not in ("tuple", "list") or not parts or any(part.dtype != parts[0].dtype or part.weak != parts[0].weak or part.rank or part.items is not None for part in parts):
            raise Unread(node, Code.TYPE, "tuples of different types in a list that grows", "append each part to a list of its own")
        return replace(self.as_array(node, item), listed=1, weak=parts[0].weak, kind=item.dtype)

    def as_list(self, node: ast.AST, name: str) -> Lines:
        """The list of a variable as an array, so that it can grow: the line that makes it one."""
        value = self.env[name]
        assert value is not None
        if value.items is None or value.dtype != "list":
            return []
        self.own_list(node, name, value)
        items = [self.as_item(node, item) for item in value.items]
        for item in items:
            if item.function is not None or item.dtype in ("none", "text", "type", "record"):
                raise Unread(node, Code.TYPE, f"the list `{name}` has elements that are no numbers", "lists of numbers and arrays grow")
        known = self.element_of(name)
        for item in items if known is not None else items[:1]:
            if known is None or either(item) is not None and known.kind != "mixed" or (known.dtype, known.weak) != (item.dtype, item.weak and (not item.rank or bool(item.listed))) or known.shape != item.shape:
                self.learn(node, name, item, len(items))
        known = self.element_of(name) or Value("", ATOM, "f64")
        if any(not size.known for size in known.shape):
            raise Unread(node, Code.SHAPE, f"the size of the arrays in the list `{name}` is not known", "give it a name: `k = len(x)`")
        dims = type_text(known)
        text = f"([] : [0]{dims})" if not items else f"[{', '.join(bound_text(convert(item, known.dtype)) if k == 0 else convert(item, known.dtype).text for k, item in enumerate(items))}]"
        memory = frozenset().union(*(item.memory for item in items)) if items else frozenset()
        made = Value(text, ATOM, known.dtype, (Size.of(len(items)), *known.shape), listed=1 + known.listed, weakly=known.weak, memory=memory, kind=known.kind)
        return self.bind(node, name, made)

    def own_list(self, node: ast.AST, name: str, value: Value) -> None:
        """Looks whether a list that changes is seen by others."""
        seen = self.live | (used([self.current]) if self.current is not None else set())
        for other, known in self.env.items():
            if other == name or other in value.spread or known is None or other not in seen:
                continue
            if known.listed and value.memory and shares(known, value) or value.serial is not None and same_list(known, value):
                raise Unread(node, Code.ALIAS, f"the list `{name}` may be that of `{other}`, too", f"copy it: `{name} = {name}[:]`")
        if value.serial == CALLER or value.memory & self.callers:
            raise Unread(node, Code.ALIAS, f"this changes the list `{name}` of the caller", "return the new list")

    def s_if(self, statement: ast.If) -> Lines:
        lines: Lines = []
        for name in self.growing(statement):
            value = self.env[name]
            if value is not None and not value.spread and not isinstance(self.condition(statement.test).const, bool):
                lines += [*self.flush(), *self.as_list(statement, name)]
                now = self.env[name]
                assert now is not None
                self.env[name] = replace(now, shape=(unknown_size(), *now.shape[1:]))
        return lines + super().s_if(statement)

    # Growing in loops ------------------------------------------------------------------------------------------------------------

    def growing(self, statement: ast.For | ast.While | ast.If) -> list[str]:
        """The lists that a loop or a branch appends to."""
        body = [*statement.body, *(statement.orelse if isinstance(statement, ast.If) else [])]
        names = dict.fromkeys(changed.id for each in body for node in walk(each) if (changed := changed_list(node)) is not None)
        return [name for name in names if (value := self.env.get(name)) is not None and (value.dtype == "list" and value.items is not None or value.listed)]

    def grown(self, statement: ast.For | ast.While) -> tuple[Lines, list[str]]:
        """What stands before a loop that appends to lists, and the lists that are buffers in it."""
        lines: Lines = []
        buffered: list[str] = []
        for name in self.growing(statement):
            value = self.env[name]
            assert value is not None
            if value.spread:
                continue
            lines += [*self.flush(), *self.as_list(statement, name)]
            bound = self.most(statement, list(statement.body), name) if isinstance(statement, ast.For) and not statement.orelse else None
            if bound is None and only_at_end(statement, name) and all(size.known for size in value_of(self.env[name]).shape[1:]):
                lines += self.growing_buffer(name)
                buffered.append(name)
                continue
            if bound is None:
                # How long it is changes in the loop.
                now = self.env[name]
                assert now is not None
                self.env[name] = replace(now, shape=(unknown_size(), *now.shape[1:]))
                continue
            assert isinstance(statement, ast.For)
            lines += self.buffer(statement, name, self.count_of_loop(statement), bound)
            buffered.append(name)
        return lines, buffered

    def replaced(self, statement: ast.For | ast.While) -> Lines:
        """Lists of numbers that the body gives other elements, or a new list: arrays from the beginning."""
        lines: Lines = []
        for name in sorted(assigned(list(statement.body))):
            value = self.env.get(name) if name in self.locals else None
            if value is None or value.dtype != "list" or not value.items or any(not item.scalar or item.rank or item.dtype not in INTS | FLOATS | {"bool"} for item in value.items):
                continue
            if len({(item.dtype, item.weak) for item in value.items}) == 1:
                lines += [*self.flush(), *self.as_list(statement, name)]
                now = self.env[name]
                assert now is not None
                self.env[name] = replace(now, shape=(unknown_size(), *now.shape[1:]))
        return lines

    def most(self, statement: ast.For, body: list[ast.stmt], name: str) -> int | None:
        """How many elements an iteration appends at most, if that is a number."""
        total = 0
        for each in body:
            if isinstance(each, ast.If):
                counts = [self.most(statement, part, name) for part in (each.body, each.orelse)]
                if None in counts:
                    return None
                total += max(count or 0 for count in counts)
            elif isinstance(each, (ast.For, ast.While)):
                inside = [node for node in walk(each) if (changed := changed_list(node)) is not None and changed.id == name and not pops(node)]
                trips = self.constant_range(each.iter) if isinstance(each, ast.For) and isinstance(each.iter, ast.Call) and all(isinstance(a, ast.Constant) for a in each.iter.args) else None
                if inside and trips is None:
                    return None
                total += len(trips or ()) * (self.most(statement, each.body, name) or 0)
            elif name in assigned([each]) and not all(isinstance(target, ast.Subscript) for target in targets_of(each)):
                changed = changed_list(each)
                called = each.value.func if isinstance(each, ast.Expr) and isinstance(each.value, ast.Call) else None
                if changed is None or not isinstance(called, ast.Attribute) or called.attr not in ("append", "pop") or pops_first(each):
                    return None
                total += called.attr == "append"
        return total

    def buffer(self, statement: ast.AST, name: str, count: str, most: int) -> Lines:
        """A buffer for a list, with room for all that a loop appends, and how many elements it has."""
        value = self.env[name]
        assert value is not None
        count = count if count.isalnum() or count[0] == "(" and closing(count) == len(count) - 1 else f"({count})"
        room = f"i64.max 0 {count}" if most == 1 else f"{most} * i64.max 0 {count}"
        text = fill_of(value)
        size = self.context.short("size")
        self.context.stable.add(size)
        start = value.shape[0]
        length = self.size_value(value, 0).argument
        own, number = f"{name}.buffer", f"{name}.count"
        self.locals = self.locals | {own, number}
        element = type_text(replace(value, shape=value.shape[1:]))
        lines = [f"let {size} = {'' if start.number == 0 else length + ' + '}{room}"]
        zeros = f"replicate {size} {text}" if start.number == 0 else f"{value.argument} ++ replicate ({size} - {length}) {text}"
        lines.append(f"let ({self.name_of(own)}: [{size}]{element}) = {zeros}" if start.number == 0 else f"let {self.name_of(own)} = ({zeros} :> [{size}]{element})")
        lines.append(f"let {self.name_of(number)} = {length if start.number != 0 else '0i64'}")
        self.hold(name, own, number, Size.name(size))
        return lines

    def growing_buffer(self, name: str) -> Lines:
        """A buffer for a list that grows when it is full, and how many elements it has."""
        value = value_of(self.env[name])
        own, number = f"{name}.buffer", f"{name}.count"
        self.locals = self.locals | {own, number}
        self.fills = {**self.fills, own: fill_of(value)}
        element = type_text(replace(value, shape=value.shape[1:]))
        count = self.size_value(value, 0).argument if value.shape[0].number != 0 else "0i64"
        lines = [f"let {self.name_of(number)} = {count}", f"let {self.name_of(own)}: []{element} = {value.text}"]
        self.hold(name, own, number, unknown_size())
        return lines

    def hold(self, name: str, own: str, number: str, size: Size) -> None:
        """From here on a list is a buffer of this size and a count."""
        value = value_of(self.env[name])
        self.env[own] = Value(self.name_of(own), ATOM, value.dtype, (size, *value.shape[1:]), memory=value.memory, serial=object())
        self.env[number] = Value(self.name_of(number), ATOM, "i64", weak=True, small=True)
        self.env[name] = Value(name, ATOM, value.dtype, (unknown_size(), *value.shape[1:]), listed=value.listed, weakly=value.weakly, spread=(own, number), memory=value.memory, kind=value.kind)

    def gathered_list(self, name: str) -> Lines:
        """The list that a buffer holds, after the loop."""
        value = self.assembled(name)
        own, number = self.env[name].spread  # type: ignore[union-attr]
        self.fills = {key: text for key, text in self.fills.items() if key != own}
        del self.env[own], self.env[number]
        self.env[name] = replace(value, text=self.name_of(name), prec=ATOM, spread=(), serial=object())
        return [f"let {self.name_of(name)} = {value.text}"]

    def assembled(self, name: str) -> Value:
        """The value of a variable that consists of others."""
        value = self.env[name]
        assert value is not None
        parts = [self.env.get(each) for each in value.spread]
        if None in parts:
            raise Poisoned
        if value.dtype == "record":
            return replace(value, items=tuple(parts), spread=())
        array, count = parts
        assert array is not None and count is not None
        return replace(value, text=f"{array.argument}[:{count.text}]", prec=ATOM, spread=(), memory=array.memory)

    def _name(self, node: ast.Name) -> Value:
        found = super()._name(node)
        return self.assembled(node.id) if found.spread else found

    def in_buffer(self, target: ast.Subscript) -> ast.Subscript | None:
        """An element of a list that is a buffer at present, as an element of that; None for others."""
        base = target.value
        known = self.env.get(base.id) if isinstance(base, ast.Name) and base.id in self.locals else None
        if known is None or not known.listed or not known.spread:
            return None
        own, number = known.spread
        self.needs(target, {own})
        index, count = self.eval(target.slice), self.env[number]
        assert count is not None
        if not index.scalar or index.rank or index.dtype not in INTS:
            raise Unread(target, Code.FORM, "a part of a list that grows in this loop", "write its elements one by one")
        inside = f"{self.context.helper('wrapped')} {count.text} {f'({index.text})' if index.text.startswith('-') else convert(index, 'i64').argument}"
        name = self.context.short()
        self.context.pending.append(f'let {name} = let {name} = {inside} in let _ = assert ({name} >= 0 && {name} < {count.text}) "an index of a list" in {name}')
        self.locals = self.locals | {name}
        self.env[name] = Value(name, ATOM, "i64", small=True, size=Size.name(name))
        self.context.least[name] = 0
        buffer = ast.copy_location(ast.Name(own, ast.Load()), target)
        return ast.copy_location(ast.Subscript(buffer, ast.copy_location(ast.Name(name, ast.Load()), target), target.ctx), target)

    def write(self, statement: ast.AST, target: ast.Subscript, value: Value) -> Lines:
        """`x[i] = v`, also of a list that is a buffer."""
        inner = self.in_buffer(target)
        base = target.value
        known = self.env.get(base.id) if isinstance(base, ast.Name) and base.id in self.locals else None
        if isinstance(base, ast.Name) and known is not None and known.dtype == "list" and known.items is not None:
            index = self.eval(target.slice).const
            if not isinstance(index, int) or not -len(known.items) <= index < len(known.items):
                return [*self.as_list(statement, base.id), *self.write(statement, target, value)]
            self.own_list(statement, base.id, known)
            items = list(known.items)
            items[index] = value
            return self.bind(statement, base.id, replace(known, items=tuple(items)))
        if inner is None:
            return super().write(statement, target, value)
        lines = self.flush()
        return lines + self.write(statement, inner, value)

    def s_augassign(self, statement: ast.AugAssign) -> Lines:
        target = statement.target
        base = target.value if isinstance(target, ast.Subscript) else None
        known = self.env.get(base.id) if isinstance(base, ast.Name) and base.id in self.locals else None
        if isinstance(target, ast.Subscript) and known is not None and known.dtype == "list" and known.items is not None:
            old = self.eval(as_load(target))
            made = self.operation(statement, type(statement.op), old, self.eval(statement.value))
            return self.write(statement, target, made)
        inner = self.in_buffer(target) if isinstance(target, ast.Subscript) else None
        if inner is None:
            return super().s_augassign(statement)
        lines = self.flush()
        return lines + self.s_augassign(ast.copy_location(ast.AugAssign(inner, statement.op, statement.value), statement))

    # Methods ---------------------------------------------------------------------------------------------------------------------

    def s_expr(self, statement: ast.Expr) -> Lines:
        changed = changed_list(statement)
        value = self.env.get(changed.id) if changed is not None and changed.id in self.locals else None
        if changed is None or value is None or not (value.dtype == "list" and value.items is not None or value.listed):
            return super().s_expr(statement)
        node = statement.value
        assert isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
        method, name = node.func.attr, changed.id
        if node.keywords or method not in ("append", "extend", "pop", "reverse", "clear") or len(node.args) != (method in ("append", "extend")) and not pops_first(statement):
            raise Unread(node, Code.NAME, f"the method `{method}` of a list with these arguments is not read", "`append`, `extend`, `pop()`, `pop(0)`, `clear` and `reverse` are")
        self.own_list(node, name, value)
        given = self.eval(node.args[0]) if node.args else None
        if method == "append" and given is not None:
            return self.append(statement, name, value, given)
        if value.items is not None:
            return self.change_items(statement, name, value, method, given)
        if method == "extend" and given is not None and given.items is not None:
            return [line for item in given.items for line in [*self.flush(), *self.append(statement, name, self.env[name] or value, item)]]
        if value.spread:
            own, number = value.spread
            self.needs(statement, {own, number})
            if method == "clear":
                return self.bind(statement, number, replace(literal(0), const=None, text="0i64", size=None))
            if method == "pop":
                return self.popped(statement, name, value)
            raise Unread(node, Code.FORM, f"`{method}` of a list that grows in this loop", "write it after the loop")
        if method == "extend" and given is not None:
            more = self.as_array(node, given)
            if more.rank != value.rank or more.dtype != value.dtype:
                raise Unread(node, Code.TYPE, "a list that is extended by other elements", "append them one by one")
            return self.bind(statement, name, replace(value, text=f"{value.at(PRODUCT)} ++ {more.at(PRODUCT)}", prec=1, shape=(unknown_size(), *value.shape[1:]), memory=value.memory | more.memory))
        if method == "reverse":
            return self.bind(statement, name, replace(value, text=f"reverse {value.argument}", prec=APPLY))
        if method == "clear":
            return self.bind(statement, name, replace(value, text=f"{value.argument}[:0]", prec=ATOM, shape=(Size.of(0), *value.shape[1:])))
        return self.popped(statement, name, value)

    def change_items(self, statement: ast.Expr, name: str, value: Value, method: str, given: Value | None) -> Lines:
        """A method of a list whose elements are known one by one."""
        items = list(value.items or ())
        if method == "extend" and given is not None:
            if given.items is None:
                return self.as_list(statement, name) + self.s_expr(statement)
            items += given.items
        elif method == "pop":
            if not items:
                raise Unread(statement, Code.SHAPE, "`pop` of an empty list", "Python raises an error, too")
            items.pop(0 if pops_first(statement) else -1)
        else:
            items = items[::-1] if method == "reverse" else []
        return self.bind(statement, name, replace(value, items=tuple(items)))

    def needs(self, statement: ast.AST, names: set[str]) -> None:
        """Keeps that the current statement writes to variables of no name of Python's."""
        if not names <= annotated(self.current):
            self.touches(names)

    def append(self, statement: ast.stmt, name: str, value: Value, item: Value) -> Lines:
        """`x.append(v)`."""
        if value.items is not None:
            return self.bind(statement, name, replace(value, items=(*value.items, item)))
        item = self.as_item(statement, item)
        if item.function is not None or item.dtype in ("none", "text", "type"):
            raise Unread(statement, Code.TYPE, "this is no element of a list that is read", "lists of numbers and arrays grow")
        known = self.element_of(name)
        if known is None or either(item) is not None and known.kind != "mixed" or (known.dtype, known.weak, known.shape) != (item.dtype, item.weak and (not item.rank or bool(item.listed)), item.shape):
            self.learn(statement, name, item)
        item = convert(item, value.dtype)
        if item.shape != value.shape[1:] or item.dtype != value.dtype or item.axes != tuple(range(item.rank)):
            raise Unread(statement, Code.SHAPE, f"this is no element like the others of `{name}`", "lists of numbers, and of arrays of one shape, grow")
        if not value.spread:
            made = replace(value, text=f"{value.at(PRODUCT)} ++ [{bound_text(item)}]", prec=1, shape=(unknown_size(), *value.shape[1:]), memory=value.memory | item.memory)
            return self.bind(statement, name, made)
        own, number = value.spread
        self.needs(statement, {own, number})
        array, count = self.env[own], self.env[number]
        assert array is not None and count is not None
        lines = self.flush()
        if own in self.fills:
            lines.append(f"let {array.text} = {self.context.helper('with_room')} {count.text} {self.fills[own]} {array.text}")
            array = replace(array, shape=(unknown_size(), *array.shape[1:]))
        lines += [f"let {array.text}[{count.text}] = {item.text if item.const is None else bound_text(item)}", f"let {count.text} = {count.text} + 1"]
        self.env[own] = replace(array, memory=array.memory | item.memory)
        return lines

    def popped(self, statement: ast.stmt, name: str, value: Value) -> Lines:
        """`x.pop()`, without its value."""
        if value.spread:
            self.needs(statement, set(value.spread))
            number = self.env[value.spread[1]]
            assert number is not None
            return [f"let {number.text} = let _ = assert ({number.text} > 0) \"`pop` of an empty list\" in {number.text} - 1"]
        count = self.size_value(value, 0)
        kept = f"let _ = assert ({count.argument} > 0) \"`pop` of an empty list\""
        made = replace(value, text=f"{value.argument}[{'1:' if pops_first(statement) else f':{count.argument} - 1'}]", prec=ATOM, shape=(unknown_size(), *value.shape[1:]))
        return [kept, *self.bind(statement, name, made)]

    def s_assign(self, statement: ast.Assign) -> Lines:
        changed = changed_list(statement)
        value = self.env.get(changed.id) if changed is not None and changed.id in self.locals else None
        if changed is None or value is None or not (value.listed or value.dtype == "list" and value.items):
            return super().s_assign(statement)
        # `v = x.pop()`, `v = x.pop(0)`: an element, and the list without it.
        name = changed.id
        self.needs(statement, {name})
        self.own_list(statement, name, value)
        place = ast.copy_location(ast.Constant(0 if pops_first(statement) else -1), statement)
        last = self.eval(ast.copy_location(ast.Subscript(ast.copy_location(ast.Name(name, ast.Load()), statement), place, ast.Load()), statement))
        if last.rank and value.kind != "tuple":
            raise Unread(statement, Code.ALIAS, "`pop` of a list of arrays", "index the list")
        lines = self.flush()
        if last.const is None and last.items is None:
            own = self.context.short()
            lines.append(f"let {own} = {last.text}")
            last = replace(last, text=own, prec=ATOM)
        lines += self.change_items(ast.Expr(statement.value), name, value, "pop", None) if value.items is not None else self.popped(statement, name, value)
        for target in statement.targets:
            made = self.assign(statement, target, last)
            lines += self.flush() + made
        return lines


def value_of(value: Value | None) -> Value:
    """What is known of a variable that has a value."""
    assert value is not None
    return value


def fill_of(value: Value) -> str:
    """What the places of a buffer hold that have no element yet."""
    text = "false" if value.dtype == "bool" else f"0{value.dtype}" if value.dtype in INTS | FLOATS else f"({value.dtype}.f64 0.0)"
    for k in reversed(range(1, value.rank)):
        size = value.shape[k].text()
        text = f"(replicate {size if size.isalnum() else f'({size})'} {text})"
    return text


def only_at_end(statement: ast.For | ast.While, name: str) -> bool:
    """Whether a loop changes a list only by `append`, `pop` and `clear`."""
    for node in (each for top in statement.body for each in walk(top)):
        if isinstance(node, ast.Name) and node.id == name and not isinstance(node.ctx, ast.Load):
            return False
        changed = changed_list(node)
        if changed is not None and changed.id == name:
            call = node.value if isinstance(node, (ast.Expr, ast.Assign)) else None
            if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute) or call.func.attr not in ("append", "pop", "clear") or pops_first(node):
                return False
    return True


def same_list(known: Value, value: Value) -> bool:
    """Whether a value is the same list as another, or has it among its parts."""
    return known.serial is value.serial and known.dtype == "list" or any(same_list(item, value) for item in known.items or () if isinstance(item, Value))


def targets_of(node: ast.stmt) -> list[ast.expr]:
    """What an assignment gives values to; of other statements themselves, which are no elements."""
    if isinstance(node, ast.Assign):
        return list(node.targets)
    return [node.target] if isinstance(node, ast.AugAssign) else [ast.Constant(None)]


def pops(node: ast.AST) -> bool:
    """Whether a statement that changes a list makes it shorter."""
    return isinstance(node, (ast.Expr, ast.Assign)) and isinstance(node.value, ast.Call) and isinstance(node.value.func, ast.Attribute) and node.value.func.attr == "pop"


def changed_list(node: ast.AST) -> ast.Name | None:
    """The list that a statement changes by a method."""
    if not isinstance(node, (ast.Expr, ast.Assign)) or not isinstance(node.value, ast.Call) or not isinstance(node.value.func, ast.Attribute):
        return None
    function = node.value.func
    methods = ("append", "extend", "pop", "reverse", "clear", "insert", "remove") if isinstance(node, ast.Expr) else ("pop",)
    return function.value if function.attr in methods and isinstance(function.value, ast.Name) and (isinstance(node, ast.Expr) or not node.value.args or pops_first(node)) else None


def pops_first(node: ast.stmt) -> bool:
    """Whether a statement takes the first element of a list: `x.pop(0)`."""
    call = node.value if isinstance(node, (ast.Expr, ast.Assign)) else None
    return pops(node) and isinstance(call, ast.Call) and len(call.args) == 1 and isinstance(call.args[0], ast.Constant) and call.args[0].value == 0 and type(call.args[0].value) is int

