"""What loops go over: ranges, arrays, several at once, and other forms of these."""

from __future__ import annotations

import ast
import copy
from dataclasses import replace
from typing import Any

import numpy as np

from .blocks import Lines, closing, words
from .context import Restart
from .diagnostics import Code, Unread
from .either import Either, mixed
from .operators import binary, unknown_size
from .parts import Parts
from .reading import assigned, base_of, leaves, used, written_by
from .sizes import ONE, Size
from .values import ATOM, INTS, Value, bound_text, convert, fresh, literal


class Iterations(Parts):
    """Reads the headings of loops."""

    def fresh_name(self, name: str) -> str:
        """A name that the function does not have."""
        while name in self.context.names:
            name += "_"
        return name

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

    def plain_source(self, statement: ast.For) -> ast.For:
        """The loop over what `list(zip(..))` has in it, and with `enumerate` from 0."""
        source = statement.iter
        # A list has the elements of before; they are those of the arrays if nothing writes to arrays.
        still = not self.writes_elements(statement.body)
        while still and isinstance(source, ast.Call) and self.resolve(source.func) in (list, tuple) and len(source.args) == 1 and not source.keywords:
            inner = source.args[0]
            if not isinstance(inner, ast.Call) or self.resolve(inner.func) not in (zip, enumerate, range, reversed):
                break
            source = inner
        if still and isinstance(source, ast.Call) and self.resolve(source.func) is reversed and len(source.args) == 1 and isinstance(source.args[0], ast.Name):
            back = ast.copy_location(ast.Slice(None, None, ast.copy_location(ast.Constant(-1), source)), source)
            source = ast.copy_location(ast.Subscript(source.args[0], back, ast.Load()), source)
        target, sets = statement.target, []
        if isinstance(source, ast.Call) and self.resolve(source.func) is enumerate and isinstance(target, ast.Tuple) and len(target.elts) == 2:
            starts = [*source.args[1:], *(each.value for each in source.keywords if each.arg == "start")]
            if len(starts) == 1 and len(source.args) + len(source.keywords) == 2 and isinstance(target.elts[0], ast.Name) and settled_number(starts[0], statement):
                name = self.fresh_name(f"{target.elts[0].id}_")
                self.locals = self.locals | {name}
                number = ast.copy_location(ast.BinOp(ast.copy_location(ast.Name(name, ast.Load()), source), ast.Add(), starts[0]), source)
                sets = [ast.copy_location(ast.Assign([target.elts[0]], number), statement.target)]
                target = ast.copy_location(ast.Tuple([ast.copy_location(ast.Name(name, ast.Store()), target), target.elts[1]], ast.Store()), target)
                source = ast.copy_location(ast.Call(source.func, source.args[:1], []), source)
        if source is statement.iter:
            return statement
        return ast.copy_location(ast.For(target, source, [*sets, *statement.body], statement.orelse), statement)

    def writes_elements(self, body: list[ast.stmt]) -> bool:
        """Whether statements may write to elements of arrays."""
        for node in (each for top in body for each in ast.walk(top)):
            if isinstance(node, (ast.Subscript, ast.Attribute)) and isinstance(node.ctx, ast.Store):
                return True
            if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name) and ((value := self.env.get(node.target.id)) is None or value.rank):
                return True
            if isinstance(node, ast.Expr) and not (isinstance(node.value, ast.Call) and isinstance(node.value.func, ast.Attribute) and node.value.func.attr in ("append", "extend", "pop", "clear")):
                return True
        return False

    def kept_targets(self, statement: ast.For) -> ast.For:
        """The loop, in which targets that are read after it are variables like others."""
        kept = {name: self.fresh_name(f"{name}_") for name in sorted(assigned([statement.target]) & set(self.live))}
        if not kept or any(not isinstance(each, (ast.Name, ast.Tuple, ast.List, ast.Store)) for each in ast.walk(statement.target)):
            return statement
        self.locals = self.locals | set(kept.values())
        target = copy.deepcopy(statement.target)
        for each in ast.walk(target):
            if isinstance(each, ast.Name) and each.id in kept:
                each.id = kept[each.id]
        sets: list[ast.stmt] = []
        for name, own in kept.items():
            stored, read = ast.copy_location(ast.Name(name, ast.Store()), statement.target), ast.copy_location(ast.Name(own, ast.Load()), statement.target)
            sets.append(ast.copy_location(ast.Assign([stored], read), statement.target))
        return ast.copy_location(ast.For(target, statement.iter, [*sets, *statement.body], statement.orelse), statement)

    def with_test_inside(self, statement: ast.While) -> ast.While:
        """`while True: if not test: break; ..`, where the condition needs lines of its own."""
        known: dict[str, ast.While] = statement.__dict__.setdefault("rewritten", {})
        if "test" not in known:
            left = ast.copy_location(ast.UnaryOp(ast.Not(), statement.test), statement.test)
            first = ast.copy_location(ast.If(left, [ast.copy_location(ast.Break(), statement.test)], []), statement.test)
            always = ast.copy_location(ast.Constant(True), statement.test)
            known["test"] = ast.copy_location(ast.While(always, [first, *statement.body], statement.orelse), statement)
        return known["test"]

    def heading(self, statement: ast.For | ast.While, early: bool) -> tuple[str, Lines, str]:
        """What stands between the variables of a loop and `do`; the lines that its body begins with; the name of a counter, if there is one."""
        if isinstance(statement, ast.While):
            test = self.condition(statement.test)
            if self.context.pending:
                # What the condition needs stands in each iteration.
                statement.moved = True  # type: ignore[attr-defined]
                raise Restart
            return ("while GO" if test.const is True else f"while GO && {test.at(4)}") if early else f"while {test.text}", [], ""
        names = sorted(assigned([statement.target]))
        count, lines, single = self.iterated(statement)
        if count[0] == "(" and closing(count) == len(count) - 1:
            count = count[1:-1]
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
            base, _, first = array.text[:-2].partition("[")
            if base.isidentifier() and first.isdigit() and array.text == f"{base}[{first}:]" and item.text == f"{array.text}[{counter}]":
                item = replace(item, text=f"{base}[{counter} + {first}]")
            if mixed(array) and not item.rank:
                item = replace(item, origin=Either())
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
        names = self.context.names | self.context.sizes
        counter = next((each for each in ("k", "l", "p", "q") if each != own and each not in names), "") or self.fresh_name("k")
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
            text = f"{part} + {start.text}" if start.is_literal and not start.text.startswith("-") else f"{start.at(6)} + {part}"
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


def settled_number(number: ast.expr, statement: ast.For) -> bool:
    """Whether an expression is a number that is the same in each iteration."""
    if isinstance(number, ast.UnaryOp):
        number = number.operand
    return isinstance(number, ast.Constant) or isinstance(number, ast.Name) and number.id not in assigned([statement])
