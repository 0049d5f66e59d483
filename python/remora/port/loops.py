"""`for` and `while` as `loop`."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from .diagnostics import Code, Poisoned, Unread
from .operators import binary, joined, unknown_size
from .reading import assigned, base_of, exposed, leaves, used, written_by
from .sizes import ONE, Size
from .values import ATOM, INTS, Value, bound_text, convert, fresh, literal, type_text

from .blocks import Flow, Lines, finished, indented, ordered_names, tuple_text, words
from .parts import Parts


@dataclass
class Leaving:
    """What a loop that a `return` may leave carries for that."""

    found: str  # the name of what says whether it was left
    result: str  # the name of the value returned
    values: list[Value] = field(default_factory=list)  # what is returned, as far as the loop was read

    def zero(self) -> str:
        """What the result is before a value was returned."""
        if not self.values:
            return "0i64"
        return "false" if self.values[0].dtype == "bool" else f"0{self.values[0].dtype}"


class Loops(Parts):
    """Reads loops."""

    late: dict[str, list[Value | None]] = {}  # variables that the loop that is tried gives their first value, with what they are after an iteration

    def s_for(self, statement: ast.For) -> Lines:
        return self.loop(self.nested(statement) or statement)

    def nested(self, statement: ast.For) -> ast.For | None:
        """A loop over `np.ndindex` or `np.ndenumerate` as loops over ranges; None for others."""
        node = statement.iter
        function = self.resolve(node.func) if isinstance(node, ast.Call) else None
        if not isinstance(node, ast.Call) or function not in (np.ndindex, np.ndenumerate):
            return None
        if leaves(statement.body, (ast.Break, ast.Return, ast.Continue)) or statement.orelse or node.keywords:
            raise Unread(statement, Code.FORM, "a loop over all indices that something leaves", "write a loop for each dimension")
        body = list(statement.body)
        target = statement.target
        if function is np.ndenumerate:
            array = self.eval(node.args[0])
            sizes: list[ast.expr] = [ast.Subscript(ast.Attribute(node.args[0], "shape", ast.Load()), ast.Constant(k), ast.Load()) for k in range(array.rank)]
            if not isinstance(target, ast.Tuple) or len(target.elts) != 2 or not isinstance(node.args[0], ast.Name):
                raise Unread(target, Code.FORM, "this target is not read", "name the index and the element")
            target, element = target.elts
        else:
            given = self.eval(node.args[0]) if len(node.args) == 1 else None
            if given is not None and given.items is not None:
                sizes = [ast.Subscript(node.args[0], ast.Constant(k), ast.Load()) for k in range(len(given.items))]
            else:
                sizes = list(node.args)
        names = [each.id for each in target.elts if isinstance(each, ast.Name)] if isinstance(target, ast.Tuple) else [self.fresh_name(f"i{k}") for k in range(len(sizes))]
        if len(names) != len(sizes) or not sizes:
            raise Unread(target, Code.FORM, "this target is not read", "name each index")
        self.locals = self.locals | set(names)
        index = ast.Tuple([ast.Name(name, ast.Load()) for name in names], ast.Load())
        if function is np.ndenumerate:
            body.insert(0, ast.Assign([element], ast.Subscript(node.args[0], index, ast.Load())))
        if isinstance(target, ast.Name):
            body.insert(0, ast.Assign([target], index))
        for name, size in reversed(list(zip(names, sizes))):
            body = [ast.For(ast.Name(name, ast.Store()), ast.Call(ast.Name("range", ast.Load()), [size], []), body, [])]
        for each in ast.walk(body[0]):
            if not hasattr(each, "lineno"):
                ast.copy_location(each, statement)
        found = body[0]
        assert isinstance(found, ast.For)
        return found

    def s_while(self, statement: ast.While) -> Lines:
        return self.loop(statement)

    def loop(self, statement: ast.For | ast.While, leaving: Leaving | None = None) -> Lines:
        """A loop; with `leaving`, one that a `return` may leave."""
        if isinstance(statement, ast.For) and leaving is None:
            short = self.unrolled(statement)
            if short is not None:
                return short
        if isinstance(statement, ast.For) and self.never_runs(statement):
            return [line for each in statement.orelse for line in self.guarded(each)]
        opening, buffered = self.grown(statement)
        opening += self.replaced(statement)
        if opening or buffered:
            lines = opening + self.loop(statement, leaving)
            for name in buffered:
                lines += self.gathered_list(name)
            return lines
        if statement.orelse and leaves(statement.body, (ast.Break,)):
            raise Unread(statement, Code.FORM, "`else` of a loop with a `break`", "use a variable that says whether the loop was left")
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
        if isinstance(statement, ast.For) and leaving is None:
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
                    if any(other.dtype != value.dtype for other in ends[name]):
                        known = replace(known, origin=None)  # an iteration may leave it as it is
                    new = self.widened(statement, name, known, value)
                    if new != known or new.serial != known.serial or new.view is not known.view:
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
            elif name not in whole:
                self.env.pop(name, None)
        lines += [line for each in statement.orelse for line in self.guarded(each)]
        return lines

    def exchanged(self, carried: list[str], entry: dict[str, Value | None], start: dict[str, Value | None], ends: dict[str, list[Value]]) -> bool:
        """Whether the arrays of a loop share no memory with each other before it and after an iteration, nor with anything outside."""
        arrays = {name: value for name in carried if (value := entry[name]) is not None and value.rank and value.items is None}
        held = [each for value in arrays.values() for each in value.memory]
        outside = {each for name, value in start.items() if name not in arrays and value is not None for item in (value.items or (value,)) for each in item.memory}
        if len(arrays) < 2 or len(held) != len(set(held)) or set(held) & outside or any(each in self.params for each in held):
            return False
        for k in range(min((len(ends[name]) for name in arrays), default=0)):
            after = [each for name in arrays for each in ends[name][k].memory]
            if len(after) != len(set(after)) or set(after) & outside or any(each in self.params for each in after):
                return False
        return any(ends[name] for name in arrays)

    def given_inside(self, statement: ast.For, body: list[ast.stmt], carried: list[str], start: dict[str, Value | None], targets: set[str]) -> list[str]:
        """Variables that the loop gives their first value, and that are used after it: they begin with zeros, and the loop has to run."""
        self.late = {name: [] for name in ordered_names(ast.Module(body, [])) if name not in start and name in self.live and name not in targets}
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
            first = values[0] if values else None
            if failed or first is None or first.items is not None or first.function is not None or any(each is None or (each.dtype, each.shape) != (first.dtype, first.shape) for each in values):
                continue
            zero = self.zeros(first, start)
            if zero is not None:
                start[name] = zero
                found.append(name)
        if found:
            count = self.count_of_loop(statement)
            context.pending.append(f'let _ = assert ({count} > 0) "`{found[0]}` has no value: the loop does not run"')
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
        if known.dtype != value.dtype and known.const is None and isinstance(known.origin, int) and value.dtype == "f64":
            if isinstance(node, ast.While) and name not in self.live and only_compared(node, name):
                # Comparisons do not tell an integer from a float of the same value.
                return replace(convert(replace(known, origin=None), "f64"), weak=known.weak and value.weak, memory=frozenset())
            # Python's 0 becomes a float in the first iteration; without one it stays what it is, in a program of its own.
            if self.trips is not None and self.context.assume(self.trips - 1, f"`{name}` is an integer where the loop does not run"):
                return replace(convert(replace(known, origin=None), "f64"), weak=known.weak and value.weak, memory=frozenset())
        dtype, weak = self.join_types(node, known, value)
        if known.rank != value.rank or known.axes != value.axes:
            raise Unread(node, Code.SHAPE, f"the shape of `{name}` changes in the loop", "")
        converted = convert(known, dtype)
        if known.shape != value.shape:
            converted = replace(converted, shape=tuple(self.varying(node, name, k, a, b) for k, (a, b) in enumerate(zip(known.shape, value.shape))))
        serial = known.serial if known.serial == value.serial else f"loop {getattr(node, 'lineno', 0)}:{getattr(node, 'col_offset', 0)} {name}"
        view = known.view if known.view is not None and known.view.same(value.view) else None
        return replace(converted, weak=weak, memory=known.memory | value.memory, serial=serial, view=view)

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
        outer_flow, outer_live = self.flow, self.live
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
            if not value.scalar or value.rank or value.dtype in ("none", "tuple", "list"):
                raise Unread(node, Code.FORM, "a `return` of what is no number inside of a loop", "assign it to a variable and `break`")
            leaving.values.append(value)
            return state("false", ["true", bound_text(value)])

        self.flow = Flow(on_return, lambda node: state("false", idle), lambda node: state("true", idle))
        try:
            lines = self.block(prefix_of(statement, body), lambda: state("true", idle))
        finally:
            self.flow, self.live = outer_flow, outer_live
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
        opening = f"loop {pattern}" if names == initial and len(names) == 1 and not types else f"loop {pattern} = {tuple_text(initial)}"
        condition = head.replace("GO", flag)
        lines = finished(prefix, lines) if prefix else lines
        shown = tuple_text(["_" if name in (counter, flag) else own for name, own in zip(names, typed)])
        shown = f"({shown})" if types and len(names) == 1 else shown
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
            if not array.rank or array.shape[0] == ONE or not isinstance(target, (ast.Name, ast.Tuple)):
                raise Unread(statement, Code.FORM, "a loop over this is not read", "loop over `range(len(x))`")
            if words(array.text) & changed and not self.read_where_it_is(statement, array):
                array = self.kept(statement, array)
            counts.append(self.size_value(array, 0))
            trips.append(array.shape[0])
            index = self.counter_value(counter, Size.of(0), array.shape[0] - 1)
            item = self.element(target, array, [index, *[ast.Slice()] * (array.rank - 1)])
            if array.listed:
                item = replace(item, listed=array.listed - 1, weakly=array.weakly, weak=array.weakly and not item.rank)
            if isinstance(target, ast.Tuple):
                waiting = list(self.context.pending)
                self.context.pending.clear()
                made = self.unpack(statement, target, item)
                lines += self.flush() + made
                self.context.pending[:] = waiting
            elif target.id in used(list(statement.body)):
                lines += self.bind_row(statement, target.id, item, array, index)
        if all(each == trips[0] for each in trips):
            self.trips = trips[0]
        count = counts[0].text if counts[0].prec >= 8 else counts[0].argument
        for other in counts[1:]:
            if other.text != counts[0].text:
                count = f"(i64.min {count} {other.argument})"
        return count, lines, ""

    def read_where_it_is(self, statement: ast.For, array: Value) -> bool:
        """Whether a loop goes over a whole array with a name that keeps it: each iteration reads what the earlier ones wrote, as in NumPy."""
        name = next((name for name, value in self.env.items() if value is not None and value.rank and self.name_of(name) == array.text), None)
        inside = [node for each in statement.body for node in ast.walk(each)]
        in_place = {id(node.target) for node in inside if isinstance(node, ast.AugAssign)}
        return name is not None and not any(isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store) and id(node) not in in_place for node in inside)

    def kept(self, statement: ast.For, array: Value) -> Value:
        """The array that a loop goes over, under a name of its own: what the body does with the names that it was made from does not change it."""
        written = {base.id for node in ast.walk(statement) if isinstance(node, (ast.Subscript, ast.AugAssign, ast.Call)) for base in written_bases(node)}
        known = [self.env.get(name) for name in written] + [None] * bool(written and array.memory and self.aliases(statement, array))
        if array.memory and any(value is None or value.rank and value.memory & array.memory for value in known):
            raise Unread(statement, Code.ALIAS, "the loop changes the array that it goes over", "copy the array first")
        name = self.context.short()
        self.context.pending.append(f"let {name} = {array.text}")
        return array.named(name)

    def aliases(self, statement: ast.For, array: Value) -> bool:
        """Whether the body gives another name to the array that the loop goes over."""
        holders = {name for name, value in self.env.items() if value is not None and value.rank and value.memory & array.memory}
        return any(isinstance(node, ast.Assign) and used([node.value]) & holders for node in ast.walk(statement))

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
        if step.const is None and not backwards:
            return self.over_steps(target.id, start, stop, step)
        if not isinstance(step.const, int) or step.const == 0:
            raise Unread(target, Code.FORM, "this step of `range` is not read", "write a number that is not 0")
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

    def over_steps(self, target: str, start: Value, stop: Value, step: Value) -> tuple[str, Lines, str]:
        """A range whose step only the run knows; it has to be positive."""
        name, counter, size = self.name_of(target), self.fresh_name("k" if target != "k" else "l"), self.context.short()
        self.context.names.add(counter)
        self.context.pending.append(f"let {size} = {self.context.helper('forwards')} {step.argument}")
        span = binary(self.context, None, ast.Sub, replace(stop, small=True), replace(start, small=True))
        self.env[target] = self.counter_value(name, start.size if start.size is not None and start.size.number is not None else None, None)
        return f"(({span.text} + {size} - 1) / {size})", [f"let {name} = {start.at(6)} + {size} * {counter}"], counter

    def returning_loop(self, statement: ast.For | ast.While, rest: list[ast.stmt], end: Callable[[], Lines], lets: Lines) -> Lines:
        """A loop that a `return` may leave, and what follows it."""
        found, result = self.fresh_name("found"), self.fresh_name("result")
        self.context.names |= {found, result}
        comments = self.comments(statement)
        outer = self.live
        self.live = outer | exposed(rest)
        try:
            leaving = Leaving(found, result)
            marks = len(self.context.problems), set(self.commented)
            saved = dict(self.env)
            self.loop(statement, leaving)
            del self.context.problems[marks[0] :]
            self.commented, self.env = marks[1], saved
            kinds = {(value.dtype, value.weak) for value in leaving.values}
            if len(kinds) > 1:
                raise Unread(statement, Code.TYPE, "the `return`s in this loop have different types", "")
            lets += comments + self.loop(statement, leaving)
            self.live = outer
            if not leaving.values:
                # Nothing in the loop returns, or what does could not be read, which is reported.
                return finished(lets, ["???"] if len(self.context.problems) > marks[0] else self.block(rest, end))
            value = Value(result, ATOM, leaving.values[0].dtype, weak=leaving.values[0].weak)
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


def written_bases(node: ast.AST) -> list[ast.Name]:
    """The names whose elements a node writes."""
    if isinstance(node, ast.Subscript):
        bases = [base_of(node)] if isinstance(node.ctx, ast.Store) else []
    elif isinstance(node, ast.AugAssign):
        bases = [base_of(node.target)]
    else:
        assert isinstance(node, ast.Call)
        bases = [base_of(each) for each in written_by(node)] if isinstance(node.func, ast.Attribute) else []
        bases += [ast.Name(each, ast.Load()) for each in getattr(node, "written", ())]
    return [base for base in bases if isinstance(base, ast.Name)]


def only_compared(statement: ast.While, name: str) -> bool:
    """Whether a loop reads a variable in comparisons only."""
    compared = {id(operand) for node in ast.walk(statement) if isinstance(node, ast.Compare) for operand in (node.left, *node.comparators)}
    reads = [node for node in ast.walk(statement) if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load)]
    return all(id(node) in compared for node in reads) and not any(isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name) and node.target.id == name for node in ast.walk(statement))


def prefix_of(statement: ast.For | ast.While, body: list[ast.stmt]) -> list[ast.stmt]:
    """The statements of an iteration."""
    return body


def reads_before(statement: ast.For | ast.While, name: str) -> set[str]:
    """The names whose value an iteration may need from the one before."""
    return exposed([statement])
