"""`for` and `while` as `loop`."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from .diagnostics import Code, Poisoned, Unread
from .either import as_float, either, literal_of, of_two
from .operators import joined
from .reading import assigned, exposed, leaves, used
from .sizes import Size
from .values import ATOM, CALLER, INTS, Value, bound_text, convert, fresh, literal, type_text

from .assignments import only_compared
from .blocks import Flow, Lines, finished, indented, ordered_names, raising, tuple_text
from .iterations import Iterations
from .returns import Flagged


@dataclass
class Leaving:
    """What a loop that a `return` may leave carries for that."""

    found: str  # the name of what says whether it was left
    result: str  # the name of the value returned
    values: list[Value] = field(default_factory=list)  # what is returned, as far as the loop was read
    arrays: bool = False  # whether something else than numbers is returned

    def zero(self) -> str:
        """What the result is before a value was returned."""
        if not self.values:
            return "0i64"
        return tuple_text(["false" if part.dtype == "bool" else f"0{part.dtype}" for part in parts_of(self.values[0])])

    def returned(self) -> Value:
        """The value that was returned."""
        first = self.values[0]
        parts = [Value(f"{self.result}.{k}" if first.items is not None else self.result, ATOM, part.dtype, weak=part.weak) for k, part in enumerate(parts_of(first))]
        for k, part in enumerate(parts):
            kept = next((found for value in self.values if (found := either(parts_of(value)[k])) is not None), None)
            parts[k] = replace(part, origin=kept)
        return replace(first, text="", items=tuple(parts), const=None) if first.items is not None else parts[0]


def parts_of(value: Value) -> tuple[Value, ...]:
    """The numbers of a tuple, or the number itself."""
    return value.items if value.items is not None else (value,)


class Loops(Iterations):
    """Reads loops."""

    only_left: set[str] = set()  # variables that are read only where a loop was left by a `return`
    late: dict[str, list[Value | None]] = {}  # variables that the loop that is tried gives their first value, with what they are after an iteration

    def s_for(self, statement: ast.For) -> Lines:
        return self.loop(self.nested(statement) or statement)

    def s_while(self, statement: ast.While) -> Lines:
        return self.loop(statement)

    def loop(self, statement: ast.For | ast.While, leaving: Leaving | None = None) -> Lines:
        """A loop; with `leaving`, one that a `return` may leave."""
        if isinstance(statement, ast.While) and getattr(statement, "moved", False):
            statement = self.with_test_inside(statement)
        if isinstance(statement, ast.For) and leaving is None:
            short = self.unrolled(statement)
            if short is not None:
                return short
        if isinstance(statement, ast.For) and self.never_runs(statement):
            return [line for each in statement.orelse for line in self.guarded(each)]
        if isinstance(statement, ast.For):
            statement = self.kept_targets(self.plain_source(statement))
        opening, buffered = self.grown(statement)
        opening += self.replaced(statement)
        if opening or buffered:
            lines = opening + self.loop(statement, leaving)
            for name in buffered:
                lines += self.gathered_list(name)
            return lines
        body = list(statement.body)
        changed = [name for name in ordered_names(ast.Module(body, [])) if name in self.env]
        carried = [name for name in changed if name in self.live or name in self.mutated or name in reads_before(statement, name)]
        target_names = assigned([statement.target]) if isinstance(statement, ast.For) else set()
        start = dict(self.env)
        whole = [name for name in carried if (value := start[name]) is not None and value.spread]
        carried = [name for name in carried if name not in target_names and name not in whole]
        for name in carried:
            if start[name] is None:
                raise Poisoned
        if leaving is None:
            carried += self.given_inside(statement, body, carried, start, target_names)
        entry = {name: start[name] for name in carried}
        waiting = list(self.context.pending)  # what the heading needs
        for _ in range(6):
            self.context.pending[:] = waiting
            marks = len(self.context.problems), set(self.commented), dict(self.context.bounds), set(self.context.names), dict(self.instances)
            lines, ends = self.loop_once(statement, body, carried, dict(entry), start, leaving)
            again = False
            ends = settled(statement, ends, {each for value in start.values() if value is not None for each in value.memory})
            if self.exchanged(carried, entry, start, ends):
                # The arrays change places, and stay as many: each name has a memory of its own in every iteration.
                ends = {name: [replace(value, memory=known.memory) if (known := entry[name]) is not None and value.rank else value for value in values] for name, values in ends.items()}
            for name in carried:
                for value in ends.get(name, []):
                    known = entry[name]
                    assert known is not None
                    if any(other.rank != value.rank for other in ends[name]) or any(other.dtype != value.dtype for other in ends[name]) and not only_compared(self.definition.node, name):
                        # An iteration may leave it as it is.
                        known = replace(known, origin=known.origin if either(known) is not None or as_float(known, value) else None)
                    new = self.widened(statement, name, known, value)
                    if new != known or either(new) != either(known) or new.serial != known.serial or new.view is not known.view:
                        entry[name], again = new, True
                    elif new.origin != known.origin:
                        entry[name] = new
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
                final = self.decided_by_a_loop(name, final, ends[name])
                self.env[name] = replace(final, text=self.name_of(name), prec=ATOM, const=None, size=final.size if final.size == start[name].size and final.size is not None and name not in carried else None)  # type: ignore[union-attr]
            elif name not in whole:
                self.env.pop(name, None)
        lines += [line for each in statement.orelse for line in self.guarded(each)]
        return lines

    def exchanged(self, carried: list[str], entry: dict[str, Value | None], start: dict[str, Value | None], ends: dict[str, list[Value]]) -> bool:
        """Whether the arrays of a loop share no memory with each other before it and after an iteration, nor with anything outside."""
        arrays = {name: value for name in carried if (value := entry[name]) is not None and value.rank and value.items is None}
        held = [each for value in arrays.values() for each in value.memory]
        # What consists of other variables has no memory besides theirs.
        outside = {each for name, value in start.items() if name not in arrays and value is not None and not value.spread for item in (value.items or (value,)) for each in item.memory}
        if len(arrays) < 2 or len(held) != len(set(held)) or set(held) & outside or any(each in self.params for each in held):
            return False
        for k in range(min((len(ends[name]) for name in arrays), default=0)):
            after = [each for name in arrays for each in ends[name][k].memory]
            if len(after) != len(set(after)) or set(after) & outside or any(each in self.params for each in after):
                return False
        return any(ends[name] for name in arrays)

    def given_inside(self, statement: ast.For | ast.While, body: list[ast.stmt], carried: list[str], start: dict[str, Value | None], targets: set[str]) -> list[str]:
        """Variables that the loop gives their first value, and that are used after it: they begin with zeros, and the loop has to run."""
        self.late = {name: [] for name in ordered_names(ast.Module(body, [])) if name not in start and name in self.live and name not in targets}
        if isinstance(statement, ast.While):
            # Nothing says how often it runs.
            self.late = {name: values for name, values in self.late.items() if name in self.only_left}
        if not self.late:
            return []
        late = self.late
        context = self.context
        marks = len(context.problems), set(self.commented), dict(context.bounds), set(context.names), dict(self.instances), list(context.pending)
        failed = False
        try:
            self.loop_once(statement, body, carried, {name: start[name] for name in carried}, start, None)
        except (Unread, Poisoned):
            failed = True  # said when the loop is read
        finally:
            failed = failed or len(context.problems) > marks[0]
            del context.problems[marks[0] :]
            self.commented, context.bounds, context.names, self.instances = marks[1], marks[2], marks[3], marks[4]
            context.pending[:] = marks[5]
            self.env, self.late = dict(start), {}
        found = []
        for name, values in late.items():
            if name in self.only_left:
                values = [each for each in values if each is not None]
            first = values[0] if values else None
            if failed or first is None or first.items is not None or first.function is not None or any(each is None or (each.dtype, each.shape) != (first.dtype, first.shape) for each in values):
                continue
            zero = self.zeros(first, start)
            if zero is not None:
                start[name] = zero
                found.append(name)
        needed = [name for name in found if name not in self.only_left]
        if needed and isinstance(statement, ast.For):
            count = self.count_of_loop(statement)
            context.pending.append(f'let _ = assert ({count} > 0) "`{needed[0]}` has no value: the loop does not run"')
        if found:
            context.names |= {self.name_of(name) for name in found}
        return found

    def count_of_loop(self, statement: ast.For) -> str:
        """How often a loop runs."""
        env, pending, bounds = dict(self.env), list(self.context.pending), dict(self.context.bounds)
        count, _, _ = self.iterated(statement)
        self.env, self.context.bounds = env, bounds
        added = self.context.pending[len(pending) :]
        self.context.pending[:] = pending + [line for line in added if line not in pending]
        return count

    def zeros(self, value: Value, start: dict[str, Value | None]) -> Value | None:
        """A value of the same type and shape, made of what is known before the loop; None if its sizes are not."""
        if value.dtype not in INTS | {"f64", "f32", "bool"}:
            return None
        before = self.context.sizes | {self.name_of(name) for name in start}
        text, prec = "false" if value.dtype == "bool" else f"0{value.dtype}", ATOM
        for k in reversed(value.axes):
            if not value.shape[k].known or not value.shape[k].names() <= before:
                return None
            size = value.shape[k].text()
            text, prec = f"replicate {size if size.isalnum() else f'({size})'} {text if prec == ATOM else f'({text})'}", 10
        return Value(text, prec, value.dtype, value.shape, weak=value.weak, memory=frozenset([fresh()]) if value.rank else frozenset())

    def widened(self, node: ast.AST, name: str, known: Value, value: Value) -> Value:
        """What is known of a variable before an iteration, when an iteration may end with a value."""
        if value.items is not None or known.items is not None:
            raise Unread(node, Code.TYPE, f"`{name}` is a tuple that a loop changes", "use a variable for each part")
        if value.rank and not known.rank and type(known.origin) in (int, float) and known.origin == 0 and self.trips is not None:
            # A sum of arrays that begins with Python's 0: an array of zeros, if there is an iteration.
            zero = self.zeros(replace(value, weak=False), self.env)
            if zero is not None and len(value.axes) == value.rank and self.context.assume(self.trips - 1, f"`{name}` is a number where the loop does not run"):
                return zero
        if known.dtype != value.dtype and known.const is None and isinstance(known.origin, int) and value.dtype == "f64":
            if only_compared(self.definition.node, name, known.weak and value.weak):
                # Comparisons do not tell an integer from a float of the same value.
                return replace(self.begun_as(known, "f64"), weak=known.weak and value.weak)
        if known.const is None and as_float(known, value):
            # Python's 0 becomes a float in the first iteration, or later.
            kept = of_two(known, value, value.dtype)
            return replace(self.begun_as(known, value.dtype), weak=known.weak and value.weak, origin=kept)
        dtype, weak = self.join_types(node, known, value)
        if known.rank != value.rank or known.axes != value.axes:
            raise Unread(node, Code.SHAPE, f"the shape of `{name}` changes in the loop", "")
        converted = convert(known, dtype)
        if known.shape != value.shape:
            converted = replace(converted, shape=tuple(self.varying(node, name, k, a, b) for k, (a, b) in enumerate(zip(known.shape, value.shape))))
        serial = known.serial if known.serial == value.serial else f"loop {getattr(node, 'lineno', 0)}:{getattr(node, 'col_offset', 0)} {name}"
        view = known.view if known.view is not None and known.view.same(value.view) else None
        kept = of_two(known, value, dtype)
        origin = kept if kept is not None else known.origin if known.origin == value.origin else None
        return replace(converted, weak=weak, memory=known.memory | value.memory, serial=serial, view=view, origin=origin)

    def begun_as(self, known: Value, dtype: str) -> Value:
        """A variable with another type where a loop begins: the number that it was given, if it is one."""
        number = literal_of(known)
        if number is None:
            return replace(convert(known, dtype), memory=frozenset(), origin=None)
        begun = convert(literal(number), dtype)
        return replace(known, text=bound_text(begun), prec=begun.prec, dtype=dtype, memory=frozenset(), origin=None)

    def decided_by_a_loop(self, name: str, value: Value, ends: list[Value]) -> Value:
        """What is known of a variable after a loop that gives it one type for certain, if it runs; where it does not there is a program of its own."""
        kept = either(value)
        if kept is None or not ends or self.trips is None or any(either(end) is not None or end.dtype != value.dtype for end in ends):
            return value
        matters = kept.integer or value.dtype != "f64"
        runs = self.context.assume(self.trips - 1, f"`{name}` is Python's own where the loop does not run") if matters else self.context.never_negative(self.trips - 1)
        return replace(value, origin=None, weak=all(end.weak for end in ends)) if runs else value

    def varying(self, node: ast.AST, name: str, axis: int, known: Size, value: Size) -> Size:
        """The size of a dimension that may be another one after an iteration."""
        if known == value or known.single is not None and known.single.startswith("?vary"):
            return known
        if known.number is None or value.number is None:
            joined(self.context, node, [known, value])
        return Size.name(f"?vary {name} {getattr(node, 'lineno', 0)} {axis}")

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
        node = statement.iter
        parts = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("items", "keys", "values") and not node.args
        if not isinstance(node, (ast.Tuple, ast.List, ast.Name)) and not parts or leaves(statement.body, (ast.Break, ast.Continue)):
            return None
        value = self.eval(node)
        # A list of the caller stays what it is.
        fixed = value.dtype in ("tuple", "record") or value.dtype == "list" and value.serial == CALLER
        if isinstance(node, ast.Name) and (value.items is None or not fixed or len(value.items) > 16):
            return None
        if value.dtype == "record" and value.kind is None:
            value = replace(value, items=tuple(Value(repr(key), ATOM, "text", function=key) for key in value.keys))
        lines: Lines = []
        outer = self.live
        for item in value.items or ():
            self.live = outer | used(list(statement.body))
            lines += self.assign(statement, statement.target, item)
            lines += self.straight(statement.body)
        self.live = outer
        return lines

    def loop_once(
        self, statement: ast.For | ast.While, body: list[ast.stmt], carried: list[str], entry: dict[str, Value | None], start: dict[str, Value | None],
        leaving: Leaving | None,
    ) -> tuple[Lines, dict[str, list[Value]]]:  # fmt: skip
        """The loop, with what is known of its variables; the values that they have after an iteration."""
        ends: dict[str, list[Value]] = {name: [] for name in carried}
        late, self.late = self.late, {}
        before = [bound_text(value) for value in (entry[name] for name in carried) if value is not None]
        self.env = dict(start)
        for name in carried:
            value = entry[name]
            assert value is not None
            self.env[name] = replace(value, text=self.name_of(name), prec=ATOM, const=None, size=None, small=False)
        early = leaves(body, (ast.Break, ast.Return, ast.Continue)) and leaves(body, (ast.Break, ast.Return)) or leaving is not None
        outer_flow, outer_live, outer_nest = self.flow, self.live, self.nest
        self.live = outer_live | exposed([statement]) | set(carried)
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
            for name, values in late.items():
                values.append(self.env.get(name))
            for name, value in start.items():
                if value is not None and value.spread and name in self.env and self.env[name] is None:
                    raise Poisoned
                if value is not None and value.spread and ((end := self.env.get(name)) is None or end.spread != value.spread or end.dtype != value.dtype):
                    raise Unread(statement, Code.TYPE, f"`{name}` has other parts after an iteration", "give it the same parts everywhere")
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

        idle = [leaving.found, leaving.result] if leaving is not None else []

        def on_return(node: ast.AST, value: Value) -> Lines:
            if leaving is None:
                return outer_flow.on_return(node, value)
            several = value.items is not None and value.dtype == "tuple" and len(value.items) > 1
            parts = parts_of(value) if several else (value,)
            if any(not part.scalar or part.rank or part.items is not None or part.dtype in ("none", "tuple", "list") for part in parts):
                leaving.arrays = True
                raise Unread(node, Code.FORM, "a `return` of what is no number inside of a loop", "assign it to a variable and `break`")
            leaving.values.append(value)
            return state("false", ["true", tuple_text([bound_text(part) for part in parts])])

        self.flow = Flow(on_return, lambda node: state("false", idle), lambda node: state("true", idle))
        self.nest = object()
        try:
            lines = self.block(prefix_of(statement, body), lambda: state("true", idle))
        finally:
            self.flow, self.live, self.nest = outer_flow, outer_live, outer_nest
        self.trips = trips
        names = [self.name_of(name) for name in carried] + ([counter] if counter else []) + ([flag] if early else []) + idle
        initial = before + (["0i64"] if counter else []) + (["true"] if early else [])
        if leaving is not None:
            initial += ["false", leaving.zero()]
        if not names:
            return opening_lines, ends
        types = {self.name_of(name): type_text(known) for name in carried if (known := entry[name]) is not None and any((size.single or "").startswith("?vary") for size in known.shape)}
        typed = [f"{name}: {types[name]}" if name in types else name for name in names]
        pattern = tuple_text(typed) if len(typed) > 1 or not types else f"({typed[0]})"
        opening = f"loop {pattern}" if names == initial and not types else f"loop {pattern} = {tuple_text(initial)}"
        condition = head.replace("GO", flag)
        lines = finished(prefix, lines) if prefix else lines
        shown = tuple_text(["_" if name in (counter, flag) else own for name, own in zip(names, typed)])
        shown = f"({shown})" if types and len(names) == 1 else shown
        return [*opening_lines, f"let {shown} =", f"  {opening} {condition} do", *indented(lines, 4)], ends

    def returning_loop(self, statement: ast.For | ast.While, rest: list[ast.stmt], end: Callable[[], Lines], lets: Lines) -> Lines:
        """A loop that a `return` may leave, and what follows it."""
        outer = self.live
        found, result = self.fresh_name("found"), self.fresh_name("result")
        self.context.names |= {found, result}
        comments = self.comments(statement)
        self.live = outer | exposed(rest)
        try:
            leaving = Leaving(found, result)
            marks = len(self.context.problems), set(self.commented)
            saved = dict(self.env)
            self.loop(statement, leaving)
            del self.context.problems[marks[0] :]
            self.commented, self.env = marks[1], saved
            if leaving.arrays:
                return finished(lets, self.block([*self.flagged(statement), *rest], end))
            kinds = {tuple((part.dtype, part.weak) for part in parts_of(value)) for value in leaving.values}
            if len(kinds) > 1:
                raise Unread(statement, Code.TYPE, "the `return`s in this loop have different types", "")
            lets += comments + self.loop(statement, leaving)
            self.live = outer
            if not leaving.values:
                # Nothing in the loop returns, or what does could not be read, which is reported.
                return finished(lets, ["???"] if len(self.context.problems) > marks[0] else self.block(rest, end))
            failing = raising(rest)
            if failing is not None:
                lets.append(f'let _ = assert {found} "{failing}"')
                return finished(lets, self.flow.on_return(statement, leaving.returned()))
            saved = dict(self.env)
            one = self.flow.on_return(statement, leaving.returned())
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


    def flagged(self, statement: ast.For | ast.While) -> list[ast.stmt]:
        """The statements that stand for a loop that a `return` of arrays leaves."""
        known: dict[str, Any] = statement.__dict__.setdefault("rewritten", {})
        made = statement.__dict__.get("flagged")
        if made is None:
            flag = self.fresh_name("found")
            self.context.names.add(flag)
            made = Flagged(statement, flag, set(self.env), self.locals, self.context.names)
            known["flagged"], statement.__dict__["flagged"] = ast.Module(made.statements, []), made
        self.locals = self.locals | made.only | {made.flag}
        self.only_left = self.only_left | made.only
        self.context.names |= made.only | {made.flag}
        return list(made.statements)


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


def reads_before(statement: ast.For | ast.While, name: str) -> set[str]:
    """The names whose value an iteration may need from the one before."""
    return exposed([statement])
