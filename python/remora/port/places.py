"""Writes to the places of masks and of arrays of integers, and calls that write to arrays."""

from __future__ import annotations

import ast
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .blocks import Lines, as_load, words
from .calls import along, ravel
from .diagnostics import Code, Unread
from .indices import whole_slice
from .reading import out_of
from .operators import applied, broadcast, elementwise, joined, named_size, sized, unstretched
from .sizes import ONE, Size
from .values import APPLY, ATOM, INTS, Value, bound_text, fresh, type_text
from .writes import Writes


@dataclass(frozen=True)
class Loop:
    """A loop over places: how many there are, and the name of the counter."""

    size: Size
    counter: str


class Places(Writes):
    """Reads what writes to several elements at once."""

    def write(self, statement: ast.AST, target: ast.Subscript, value: Value) -> Lines:
        """`a[..] = v`."""
        if isinstance(target.value, ast.Subscript):
            return self.write_inside(statement, target, target.value, value)
        if isinstance(target.value, ast.Name) and self.places(target):
            array = self.owned(target, target.value.id)
            value = self.as_array(statement, value) if value.items is not None else value
            return self.write_places(target, target.value.id, array, self.index_items(target.slice, array), self.as_element(statement, array, value))
        return super().write(statement, target, value)

    def write_inside(self, statement: ast.AST, target: ast.Subscript, outer: ast.Subscript, value: Value) -> Lines:
        """`a[i][j] = v`: a write to a view of a part, which is made, written, and put back."""
        one_index = self.one_index(target, outer)
        if one_index is not None:
            return self.write(statement, one_index, value)
        part = self.eval(as_load(outer))
        base: ast.expr = outer
        while isinstance(base, ast.Subscript):
            base = base.value
        if not isinstance(base, ast.Name) or not part.rank or part.items is not None:
            raise Unread(target, Code.ALIAS, "a write to a part of a part", "write `a[i, j] = ..` in one index")
        array = self.owned(target, base.id)
        if not part.memory & array.memory:
            raise Unread(target, Code.ALIAS, "a write to a copy: an index with arrays makes one", "write to the array itself")
        lines: Lines = []
        if value.prec < ATOM:
            own = self.context.short()
            lines.append(f"let {own} = {value.text}")
            value = value.named(own)
        name = self.context.short()
        self.locals = self.locals | {name}
        lines.append(f"let {name} = {part.text}")
        self.env[name] = replace(part, text=name, prec=ATOM, memory=frozenset([fresh()]))
        inner = ast.copy_location(ast.Subscript(ast.copy_location(ast.Name(name, ast.Load()), target), target.slice, target.ctx), target)
        lines = self.flush() + lines + self.write(statement, inner, value)
        written = self.env.pop(name)
        assert written is not None
        lines = lines[:-1] + self.flush() + lines[-1:]
        return lines + self.write(statement, outer, written)

    def one_index(self, target: ast.Subscript, outer: ast.Subscript) -> ast.Subscript | None:
        """`a[i, j]` for `a[i][j]`, where the first index has numbers only."""
        parts = list(outer.slice.elts) if isinstance(outer.slice, ast.Tuple) else [outer.slice]
        if any(isinstance(each, ast.Slice) or isinstance(each, ast.Constant) and not isinstance(each.value, int) for each in parts):
            return None
        values = [self.eval(each) for each in parts]
        if not all(each.scalar and not each.rank and each.dtype in INTS for each in values):
            return None
        more = list(target.slice.elts) if isinstance(target.slice, ast.Tuple) else [target.slice]
        index = ast.copy_location(ast.Tuple([*parts, *more], ast.Load()), target.slice)
        return ast.copy_location(ast.Subscript(outer.value, index, target.ctx), target)

    def places(self, target: ast.Subscript) -> list[Value]:
        """The arrays in an index of what is written."""
        assert isinstance(target.value, ast.Name)
        array = self.env.get(target.value.id)
        if array is None or array.items is not None or array.function is not None or not array.rank:
            return []
        return [each for each in self.index_items(target.slice, array) if isinstance(each, Value) and (each.rank or each.dtype == "bool")]

    def write_places(self, target: ast.Subscript, name: str, array: Value, parts: list[Any], value: Value) -> Lines:
        """A write where a mask is true, or to the places of an array of integers, in their order."""
        context, text = self.context, self.name_of(name)
        place = parts[0]
        if not isinstance(place, Value) or not place.rank or any(not whole_slice(part) for part in parts[1:]):
            return self.scattered(target, name, array, parts, value)
        if place.dtype == "bool":
            if place.rank != array.rank:
                return self.scattered(target, name, array, parts, value)
            place, array = unstretched(context, target, place, array)
            if value.rank > 1:
                raise Unread(target, Code.FORM, "a write under this mask is not read", "a mask of the same shape can be written with a number, or a vector")
            if value.rank:
                if len(value.axes) != 1:
                    raise Unread(target, Code.SHAPE, "a write of an array of one element under a mask", "write the element")
                _, (place, array) = broadcast(context, target, [place, array])
                lines: Lines = []
                if array.rank > 1:
                    rows = array
                    place, array = (self.in_line(lines, ravel(self, target, each)) for each in (place, array))
                count = f"({context.library('count')} {place.argument})"
                made = f"{context.library('place', array.dtype)} {place.argument} (sized {count} {value.argument}) {array.argument}"
                if lines:
                    if rows.rank > 4:
                        raise Unread(target, Code.SHAPE, "more than four dimensions", "")
                    array, made = rows, f"({ {2: 'unflatten', 3: 'unflatten_3d', 4: 'unflatten_4d'}[rows.rank] } ({made}) :> {type_text(rows)})"
                self.written(name, array)
                return [*lines, f"let {text} = {made}"]
            made = elementwise(context, target, [place, value, array], applied(context.library("where", array.dtype)), array.dtype).text
            self.written(name, array)
            return [f"let {text} = {made}"]
        if place.dtype not in INTS or place.rank != 1 or len(place.axes) != 1 or len(value.axes) != value.rank or value.rank > array.rank:
            return self.scattered(target, name, array, parts, value)
        return self.write_in_order(target, name, array, place, value)

    def in_line(self, lines: Lines, value: Value) -> Value:
        """The value under a name with its type, in a line of its own."""
        name = self.context.short()
        lines.append(f"let ({name}: {type_text(value)}) = {value.text}")
        return value.named(name)

    def scattered(self, target: ast.Subscript, name: str, array: Value, parts: list[Any], value: Value) -> Lines:
        """A write to places that are no block of the array, one after the other: where a place occurs twice the last one stays."""
        context, text = self.context, self.name_of(name)
        if any(part is None for part in parts):
            raise Unread(target, Code.FORM, "a new axis in what is written", "")
        lines: Lines = []
        indices = {axis: self.index_array(target, part, array, axis) for axis, part in enumerate(parts) if isinstance(part, Value)}
        for axis, part in indices.items():
            for k in part.axes:
                if not part.shape[k].known:
                    part = named_size(context, part, k)
            if part.prec < ATOM and part.rank or text in words(part.text):
                own = context.short()
                lines.append(f"let {own} = {bound_text(part)}")
                part = part.named(own)
            indices[axis] = part
        common = broadcast(context, target, list(indices.values()))[0] if indices else ()
        if any(size == ONE for size in common):
            raise Unread(target, Code.SHAPE, "a write to places with a dimension of size 1", "")
        whole = [Loop(size, context.short("index")) for size in common]
        texts, shape, loops = self.places_of(target, array, parts, indices, whole)
        value = self.fit_shape(target, value, tuple(size for size, _ in shape))
        lines = self.flush() + lines
        if value.prec < ATOM or text in words(value.text):
            own = context.short()
            lines.append(f"let {own} = {value.text}")
            value = value.named(own)
        counters = [counter for _, counter in shape][len(shape) - value.rank :]
        while counters and counters[-1] == ":":
            counters.pop()
        new = f"{value.text}[{', '.join(counters)}]" if counters else value.argument
        self.written(name, array)
        lines.append(f"let {text} =")
        for depth, each in enumerate(loops):
            lines.append(f"{'  ' * (depth + 1)}loop {text} = {text} for {each.counter} < {each.size.text()} do")
        return [*lines, f"{'  ' * (len(loops) + 1)}{text} with [{', '.join(texts)}] = {new}"]

    def places_of(
        self, target: ast.Subscript, array: Value, parts: list[Any], indices: dict[int, Value], whole: list[Loop]
    ) -> tuple[list[str], list[tuple[Size, str]], list[Loop]]:
        """The index of one write, the dimensions of what is written with what stands for them in an index, and the loops."""
        texts: list[str] = []
        shape: list[tuple[Size, str]] = []
        loops = list(whole)
        axes = sorted(indices)
        first = axes[0] if axes and axes == list(range(axes[0], axes[-1] + 1)) else 0
        for axis, part in enumerate(parts):
            if axis == first:
                shape += [(each.size, each.counter) for each in whole]
            if axis in indices:
                own = indices[axis]
                at = [whole[k + len(whole) - own.rank].counter for k in own.axes]
                one = Value(f"{own.text}[{', '.join(at)}]", ATOM, own.dtype) if at else own
                texts.append(self.position(one, array.shape[axis], self.count_text(array, axis)))
                continue
            text, new, after = self.sliced(target, part, array, axis, inner=True)
            if not after:
                texts.append(text)
                shape.append((new, ":"))
                continue
            low, _, high = text.partition(":")
            counter = self.context.short("index")
            if after[-1] == "reverse":
                texts.append(f"{self.count_text(array, axis)} - 1 - {counter}")
            else:
                step = after[-1].split()[-1]
                count = self.context.short("size")
                self.context.stable.add(count)
                end = high if high and not high.startswith("-") else f"{self.count_text(array, axis)}{f' - {high[1:]}' if high else ''}"
                self.context.pending.append(f"let {count} = ({end}{f' - {low}' if low else ''} + {int(step) - 1 if step.isdigit() else f'{step} - 1'}) / {step}")
                new = new if new.number is not None else Size.name(count)
                texts.append(f"{low + ' + ' if low else ''}{counter} * {step}")
            loops.append(Loop(new, counter))
            shape.append((new, counter))
        return texts, shape, loops

    def write_in_order(self, target: ast.AST, name: str, array: Value, place: Value, value: Value) -> Lines:
        """One write after the other: where a place occurs twice the last one stays."""
        context, text, lines = self.context, self.name_of(name), []
        if value.rank == array.rank:
            size, check = joined(context, target, [place.shape[0], value.shape[0]])
            if check and not size.known:
                # A gather of the same places has their size.
                place = named_size(context, place, 0)
                size = place.shape[0]
            if check:
                place = place if place.shape[0] == size else sized(context, target, place, 0, size)
                value = value if value.shape[0] == size else sized(context, target, value, 0, size)
            value = self.fit_shape(target, value, (size, *array.shape[1:]))
            if value.prec < ATOM or text in words(value.text):
                own = context.short()
                lines.append(f"let {own} = {value.text}")
                value = value.named(own)
        else:
            value = self.fit_shape(target, value, array.shape[1:])
            if text in words(value.text):
                own = context.short()
                lines.append(f"let {own} = {bound_text(value)}")
                value = value.named(own)
        if place.prec < ATOM or text in words(place.text):
            own = context.short()
            lines.append(f"let {own} = {place.text}")
            place = place.named(own)
        counter = context.short("index")
        index = self.position(Value(f"{place.text}[{counter}]", ATOM, place.dtype), array.shape[0], self.count_text(array.named(text), 0))
        new = f"{value.text}[{counter}]" if value.rank == array.rank else value.text
        self.written(name, array)
        return [*lines, f"let {text} =", f"  loop {text} = {text} for {counter} < length {place.argument} do", f"    {text} with [{index}] = {new}"]

    def s_augassign(self, statement: ast.AugAssign) -> Lines:
        target = statement.target
        if isinstance(target, ast.Subscript) and isinstance(target.value, ast.Subscript):
            one_index = self.one_index(target, target.value)
            if one_index is None:
                old = self.eval(as_load(target))
                return self.write(statement, target, self.in_place(statement, type(statement.op), replace(old, weak=False), self.eval(statement.value), old.dtype))
            statement = ast.copy_location(ast.AugAssign(one_index, statement.op, statement.value), statement)
            target = one_index
        places = self.places(target) if isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name) else []
        if not places:
            return super().s_augassign(statement)
        assert isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name)
        name, value = target.value.id, self.eval(statement.value)
        array = self.owned(target, name)
        if all(each.dtype != "bool" for each in places):
            old = self.eval(as_load(target))
            return self.write(statement, target, self.in_place(statement, type(statement.op), replace(old, weak=False), value, array.dtype))
        if value.rank or value.items is not None or len(places) != 1 or places[0].rank != array.rank:
            old = self.eval(as_load(target))
            return self.write(statement, target, self.in_place(statement, type(statement.op), replace(old, weak=False), value, array.dtype))
        # The other elements stay what they are.
        made = self.in_place(statement, type(statement.op), array, value, array.dtype)
        mask, array = unstretched(self.context, target, places[0], array)
        chosen = elementwise(self.context, target, [mask, made, array], applied(self.context.library("where", array.dtype)), array.dtype)
        self.written(name, array)
        return [f"let {self.name_of(name)} = {chosen.text}"]

    def is_read(self, node: ast.Call) -> bool:
        """Whether a function is called whose definition is read."""
        raise NotImplementedError

    def s_expr(self, statement: ast.Expr) -> Lines:
        if isinstance(statement.value, ast.Call) and isinstance(statement.value.func, ast.Attribute):
            lines = self.in_place_call(statement, statement.value, statement.value.func)
            if lines is not None:
                return lines
        return super().s_expr(statement)

    def in_place_call(self, statement: ast.Expr, node: ast.Call, function: ast.Attribute) -> Lines | None:
        """`x.sort()`, `x.fill(v)`, `np.add.at(x, i, v)` and `np.add(.., out=x)`; None for other calls."""
        target = out_of(node, self.resolve(function))
        if target is not None:
            return self.write_result(statement, node, target)
        if self.is_read(node):
            return None
        values, options = self.arguments(node)
        if isinstance(self.resolve(function.value), np.ufunc):
            ufunc = self.resolve(function.value)
            if function.attr != "at" or len(values) != 3 or options or not isinstance(node.args[0], ast.Name) or ufunc not in (np.add, np.subtract, np.multiply):
                return None
            op = {np.add: ast.Add, np.subtract: ast.Sub, np.multiply: ast.Mult}[ufunc]
            return self.combined_at(statement, node.args[0].id, op, values[1], values[2])
        if not isinstance(function.value, ast.Name) or self.resolve(function.value) is not None or options:
            return None
        name = function.value.id
        if function.attr == "sort" and not values:
            array = self.owned(function.value, name)
            made = along(self, node, "sort", array, [], {})
            self.written(name, array)
            return [f"let {self.name_of(name)} = {made.text}"]
        if function.attr == "fill" and len(values) == 1 and not values[0].rank:
            array = self.owned(function.value, name)
            value = self.as_element(statement, array, values[0])
            self.written(name, array)
            return [f"let {self.name_of(name)}[:] = {value.text}"]
        return None

    def write_result(self, statement: ast.Expr, node: ast.Call, target: ast.expr) -> Lines:
        """`np.add(a, b, out=x)` and `np.copyto(x, a)` as a write to all elements."""
        arguments = [each for each in node.args if each is not target]
        keywords = [each for each in node.keywords if each.arg != "out"]
        copied = self.resolve(node.func) is np.copyto
        value = self.eval(arguments[0] if copied else ast.copy_location(ast.Call(node.func, arguments, keywords), node))
        if isinstance(target, ast.Name):
            target = ast.copy_location(ast.Subscript(target, ast.copy_location(ast.Constant(...), target), ast.Store()), target)
        if not isinstance(target, ast.Subscript):
            raise Unread(target, Code.FORM, "this is no array that a result can be written to", "write the result with `=`")
        lines = self.flush()
        return lines + self.write(statement, target, value)

    def combined_at(self, statement: ast.AST, name: str, op: type, place: Value, value: Value) -> Lines:
        """`np.add.at`: each place as often as it occurs."""
        array = self.owned(statement, name)
        if array.rank != 1 or place.rank != 1 or len(place.axes) != 1 or place.dtype not in INTS or value.rank > 1 or len(value.axes) != value.rank:
            raise Unread(statement, Code.FORM, "this form of `at` is not read", "write a loop over the places")
        context, text, lines = self.context, self.name_of(name), []
        if value.rank:
            size, check = joined(context, statement, [place.shape[0], value.shape[0]])
            if check:
                raise Unread(statement, Code.SHAPE, "the sizes of the places and the values may differ", "")
        bound: list[Value] = []
        for each in (place, value):
            if each.prec < ATOM or text in words(each.text):
                own = context.short()
                lines.append(f"let {own} = {each.text}")
                each = each.named(own)
            bound.append(each)
        place, value = bound
        counter = context.short("index")
        index = self.position(Value(f"{place.text}[{counter}]", ATOM, place.dtype), array.shape[0], self.count_text(array.named(text), 0))
        own = context.short()
        one = replace(value, text=f"{value.text}[{counter}]", shape=(), prec=ATOM) if value.rank else value
        made = self.in_place(statement, op, Value(f"{text}[{own}]", ATOM, array.dtype), one, array.dtype)
        self.written(name, array)
        head = f"  loop {text} = {text} for {counter} < length {place.argument} do"
        return [*lines, f"let {text} =", head, f"    let {own} = {index}", f"    in {text} with [{own}] = {made.text}"]
