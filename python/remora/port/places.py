"""Writes to the places of masks and of arrays of integers, and calls that write to arrays."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from . import masks
from .blocks import Lines, as_load, words
from .calls import ravel
from .diagnostics import Code, Unread
from .indices import whole_slice
from .operators import applied, broadcast, elementwise, joined, named_size, sized, unstretched
from .sizes import ONE, Size
from .values import APPLY, ATOM, INTS, Value, bound_text, fresh, type_text
from .writes import Writes


# What is written to a place, from what stands there and the value.
Change = Callable[[Value, Value], Value]


@dataclass(frozen=True)
class Loop:
    """A loop over places: how many there are, and the name of the counter."""

    size: Size
    counter: str


class Places(Writes):
    """Reads what writes to several elements at once."""

    def s_assign(self, statement: ast.Assign) -> Lines:
        formula = masks.chosen(self, statement.targets[0], statement.value) if len(statement.targets) == 1 else None
        if formula is None:
            return super().s_assign(statement)
        (target,) = statement.targets
        assert isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name)
        lines = self.write_chosen(target, formula)
        return lines + self.refreshed(target.value.id)

    def refreshed(self, root: str) -> Lines:
        """The views of an array that was written, anew."""
        raise NotImplementedError

    def write_chosen(self, target: ast.expr, formula: ast.expr) -> Lines:
        """`z[mask] = ..` of a formula of all elements."""
        assert isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name)
        array, mask = self.owned(target, target.value.id), self.eval(target.slice)
        made = elementwise(self.context, target, [mask, self.eval(formula), array], applied(self.context.library("where", array.dtype)), array.dtype)
        lines = self.flush()
        self.written(target.value.id, array)
        return [*lines, f"let {self.name_of(target.value.id)} = {made.text}"]

    def write(self, statement: ast.AST, target: ast.Subscript, value: Value) -> Lines:
        """`a[..] = v`."""
        if isinstance(target.value, ast.Subscript):
            return self.write_inside(statement, target, target.value, value)
        if isinstance(target.value, ast.Name) and self.places(target):
            mask = self.places(target)[0]
            flat = not value.rank and value.items is None and mask.dtype == "bool" and mask.shape == self.named_array(target.value.id).shape
            array = self.owned(target, target.value.id, ones=flat)
            if len(array.axes) != array.rank:
                # As many elements as the mask has, and no others: what a condition chooses.
                chosen = elementwise(self.context, target, [mask, self.as_element(statement, array, value), array], applied(self.context.library("where", array.dtype)), array.dtype)
                self.written(target.value.id, array)
                return [f"let {self.name_of(target.value.id)} = {chosen.text}"]
            value = self.as_array(statement, value) if value.items is not None else value
            return self.write_places(target, target.value.id, array, self.index_items(target.slice, array), self.as_element(statement, array, value))
        return super().write(statement, target, value)

    def named_array(self, name: str) -> Value:
        """The array of a variable that has one."""
        found = self.env[name]
        assert found is not None
        return found

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
        made = f"let {name} = "
        if len(lines) >= 2 and lines[-2] == f"{made}{part.text}" and lines[-1].startswith(made) and lines[-1].split().count(name) == 2:
            # The part is read once.
            lines[-2:] = [made + " ".join(part.argument if word == name else word for word in lines[-1][len(made) :].split(" "))]
        put = self.write(statement, outer, written)
        if put and lines and lines[-1].startswith(made) and put[-1].endswith(f"= {name}") and "\n" not in lines[-1]:
            return [*lines[:-1], *put[:-1], put[-1][: -len(name)] + lines[-1][len(made) :]]
        return lines + put

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

    def write_places(self, target: ast.AST, name: str, array: Value, parts: list[Any], value: Value) -> Lines:
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
                    array, made = rows, f"({ {2: 'unflatten', 3: 'unflatten_3d', 4: 'unflatten_4d'}[rows.rank] } ({made}) : {type_text(rows)})"
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

    def scattered(self, target: ast.AST, name: str, array: Value, parts: list[Any], value: Value, change: Change | None = None) -> Lines:
        """A write to places that are no block of the array, one after the other: where a place occurs twice the last one stays.

        `change` makes what is written from what stands there and the value.
        """
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
        whole = [Loop(size, context.short("index") if size != ONE else "") for size in common]
        texts, shape, loops = self.places_of(target, array, parts, indices, whole)
        loops = [each for each in loops if each.counter]
        value = self.fit_shape(target, value, tuple(size for size, _ in shape), ones=True)
        lines = self.flush() + lines
        if value.prec < ATOM or text in words(value.text):
            own = context.short()
            lines.append(f"let {own} = {value.text}")
            value = value.named(own)
        counters = [shape[len(shape) - value.rank + k][1] for k in value.axes]
        while counters and counters[-1] == ":":
            counters.pop()
        new = f"{value.text}[{', '.join(counters)}]" if counters else value.argument
        self.written(name, array)
        lines.append(f"let {text} =")
        for depth, each in enumerate(loops):
            lines.append(f"{'  ' * (depth + 1)}loop {text} = {text} for {each.counter} < {each.size.text()} do")
        inner = "  " * (len(loops) + 1)
        if change is not None:
            rest = tuple(size for size, counter in shape if counter == ":")
            old = Value(f"{text}[{', '.join(texts)}]", ATOM, array.dtype, rest)
            kept = value.shape[value.rank - len([k for k in value.axes if shape[len(shape) - value.rank + k][1] == ":"]) :] if value.rank else ()
            new = change(old, replace(value, text=new, prec=ATOM, shape=kept, const=value.const if not value.rank else None)).text
            lines += [inner + line for line in self.flush()]
            new = f"({new})" if not loops else new
        return [*lines, f"{inner}{text} with [{', '.join(texts)}] = {new}"]

    def places_of(
        self, target: ast.AST, array: Value, parts: list[Any], indices: dict[int, Value], whole: list[Loop]
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
            after = [each for each in after if not each.startswith("sized ")]
            low, _, high = text.partition(":")
            counter = self.context.short("index")
            if after == ["reverse"] and text == ":":
                if not new.known:
                    count = self.context.short("size")
                    self.context.stable.add(count)
                    self.context.pending.append(f"let {count} = {self.size_value(array, axis).text}")
                    new = Size.name(count)
                texts.append(f"{self.count_text(array, axis)} - 1 - {counter}")
            elif len(after) > 1 or not after[0].startswith(f"{self.context.helper('every')} ") or low.startswith("-"):
                # The places are what the same slice of all places is.
                places, count = self.context.short("places"), self.context.short("size")
                made = Value(f"iota {self.count_text(array, axis)}", APPLY, "i64")
                if text != ":":
                    made = Value(f"{made.argument}[{text}]", ATOM, "i64")
                for function in after:
                    made = Value(f"{function} {made.argument}", APPLY, "i64")
                self.context.pending += [f"let {places} = {made.text}", f"let {count} = length {places}"]
                self.context.stable.add(count)
                new = new if new.number is not None else Size.name(count)
                texts.append(f"{places}[{counter}]")
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
        formula = None
        if isinstance(statement.target, ast.Subscript):
            formula = masks.chosen(self, statement.target, ast.copy_location(ast.BinOp(as_load(statement.target), statement.op, statement.value), statement))
        if formula is not None:
            return self.write_chosen(statement.target, formula)
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
