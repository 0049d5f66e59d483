"""Writes to the places of masks and of arrays of integers, and calls that write to arrays."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import Any

import numpy as np

from .blocks import Lines, as_load
from .calls import along
from .diagnostics import Code, Unread
from .operators import applied, broadcast, elementwise, joined, named_size, sized
from .values import ATOM, INTS, Value
from .writes import Writes


class Places(Writes):
    """Reads what writes to several elements at once."""

    def write(self, statement: ast.AST, target: ast.Subscript, value: Value) -> Lines:
        """`a[..] = v`."""
        if isinstance(target.value, ast.Name) and self.places(target):
            array = self.owned(target, target.value.id)
            value = self.as_array(statement, value) if value.items is not None else value
            return self.write_places(target, target.value.id, array, self.index_items(target.slice, array), self.as_element(statement, array, value))
        return super().write(statement, target, value)

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
        if not isinstance(place, Value) or not place.rank or any(not isinstance(part, ast.Slice) or part.lower or part.upper or part.step for part in parts[1:]):
            raise Unread(target, Code.FORM, "a write to places of several dimensions is not read", "write a loop over the places")
        if place.dtype == "bool":
            if place.rank != array.rank or value.rank > 1 or value.rank and array.rank != 1:
                raise Unread(target, Code.FORM, "a write under this mask is not read", "a mask of the same shape can be written with a number")
            if value.rank:
                if len(value.axes) != 1:
                    raise Unread(target, Code.SHAPE, "a write of an array of one element under a mask", "write the element")
                _, (place, array) = broadcast(context, target, [place, array])
                count = f"({context.library('count')} {place.argument})"
                made = f"{context.library('place', array.dtype)} {place.argument} (sized {count} {value.argument}) {array.argument}"
            else:
                made = elementwise(context, target, [place, value, array], applied(context.library("where", array.dtype)), array.dtype).text
            self.written(name, array)
            return [f"let {text} = {made}"]
        if place.dtype not in INTS or place.rank != 1 or len(place.axes) != 1 or len(value.axes) != value.rank or value.rank > array.rank:
            raise Unread(target, Code.FORM, "a write to the places of these integers is not read", "write a loop over the places")
        return self.write_in_order(target, name, array, place, value)

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
            if value.prec < ATOM:
                own = context.short()
                lines.append(f"let {own} = {value.text}")
                value = value.named(own)
        else:
            value = self.fit_shape(target, value, array.shape[1:])
        if place.prec < ATOM:
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
            raise Unread(target, Code.FORM, "`+=` under this mask is not read", "write `a = np.where(mask, .., a)`")
        # The other elements stay what they are.
        made = self.in_place(statement, type(statement.op), array, value, array.dtype)
        chosen = elementwise(self.context, target, [places[0], made, array], applied(self.context.library("where", array.dtype)), array.dtype)
        self.written(name, array)
        return [f"let {self.name_of(name)} = {chosen.text}"]

    def s_expr(self, statement: ast.Expr) -> Lines:
        if isinstance(statement.value, ast.Call) and isinstance(statement.value.func, ast.Attribute):
            lines = self.in_place_call(statement, statement.value, statement.value.func)
            if lines is not None:
                return lines
        return super().s_expr(statement)

    def in_place_call(self, statement: ast.Expr, node: ast.Call, function: ast.Attribute) -> Lines | None:
        """`x.sort()`, `x.fill(v)` and `np.add.at(x, i, v)`; None for other calls."""
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
            if each.prec < ATOM:
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
