"""Calls that write to arrays: `x.sort()`, `np.add.at(x, i, v)`, `np.put(x, i, v)`, `np.add(a, b, out=x)` and their relatives."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from .blocks import Lines, as_load, words
from .calls import along, axis_of, ravel
from .diagnostics import Code, Unread
from .functions import filled
from .orders import in_order
from .operators import applied, elementwise, joined, named_size, sized, unknown_size
from .reading import out_of
from .searches import places_along
from .sizes import Size
from .ufuncs import operated
from .values import APPLY, ATOM, GENERATOR, INTS, NUMPY, Value, bound_text, convert
from .views import Views


class InPlace(Views):
    """Reads calls that write to arrays."""

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
        """`x.sort()`, `x.fill(v)`, `np.add.at(x, i, v)`, `np.put(x, i, v)` and `np.add(.., out=x)`; None for other calls."""
        what = self.resolve(function)
        target = out_of(node, what)
        if target is not None:
            return self.write_result(statement, node, target)
        if self.is_read(node):
            return None
        if function.attr == "shuffle" and what is None and (generator := self.eval(function.value)).dtype == GENERATOR:
            if len(node.args) != 1 or node.keywords:
                raise Unread(node, Code.FORM, "`shuffle` with these arguments is not read", "along the first axis")
            return self.change_array(statement, node.args[0], lambda name: self.shuffled(node, name, function.value))
        ufunc = self.resolve(function.value)
        if isinstance(ufunc, np.ufunc) and function.attr == "at" and node.args:
            return self.change_array(statement, node.args[0], lambda name: self.changed_at(node, name, ufunc))
        known = {np.put: self.put, np.place: self.placed, np.putmask: self.put_mask, np.put_along_axis: self.put_along, np.fill_diagonal: self.fill_diagonal}
        if what in known and node.args:
            call = known[what]
            values, options = [self.eval(each) for each in node.args[1:]], {str(each.arg): self.eval(each.value) for each in node.keywords}
            return self.change_array(statement, self.in_order(node, node.args[0]) if what in (np.put, np.place, np.putmask) else node.args[0], lambda name: call(node, name, values, options))
        if what is not None or function.attr not in ("sort", "fill", "put") or self.eval(function.value).items is not None:
            return None
        values, options = self.arguments(node)
        call = {"sort": self.sort, "fill": self.fill, "put": self.put}[function.attr]
        return self.change_array(statement, self.in_order(node, function.value) if function.attr == "put" else function.value, lambda name: call(node, name, values, options))

    def in_order(self, node: ast.AST, array: ast.expr) -> ast.expr:
        """The elements of an array in one dimension, as a part that can be written."""
        return array if self.eval(array).rank == 1 else ast.copy_location(ast.Attribute(array, "flat", ast.Load()), node)

    def change_array(self, statement: ast.AST, target: ast.expr, change: Callable[[str], Lines]) -> Lines:
        """What changes an array, or a part of one; `change` is given the name of a variable that owns its array."""
        if isinstance(target, ast.Name):
            view = self.shared(target.id)
            if view is None:
                lines = change(target.id)
                return self.flush() + lines + self.refreshed(target.id)
            return self.change_array(statement, view.path, change)
        part = self.eval(target)
        if not part.rank or not part.memory or not isinstance(target, (ast.Subscript, ast.Attribute, ast.Call)):
            raise Unread(target, Code.ALIAS, "a write to what is no part of an array that has a name", "give the array a name")
        lines = self.flush()
        own = self.own_array(part, lines)
        made = change(own)
        lines += self.flush() + made
        written = self.env.pop(own)
        assert written is not None
        return lines + self.put_back(statement, target, written)

    def shuffled(self, node: ast.Call, name: str, generator: ast.expr) -> Lines:
        """`rng.shuffle(x)`."""
        array = self.owned(node, name)
        return self.let_array(name, array, self.drawn(node, generator, f"pcg64.shuffled {array.argument}", array))

    def let_array(self, name: str, array: Value, made: Value) -> Lines:
        """The line that gives an array new elements."""
        self.written(name, array)
        return [*self.flush(), f"let {self.name_of(name)} = {made.text}"]

    def sort(self, node: ast.Call, name: str, values: list[Value], options: dict[str, Value]) -> Lines:
        """`x.sort(axis)`."""
        array = self.owned(node, name)
        if array.listed:
            if values:
                raise Unread(node, Code.FORM, "`sort` of a list with these arguments is not read", "NumPy has `axis`, lists have not")
            return self.let_array(name, array, in_order(self, node, array, options))
        return self.let_array(name, array, along(self, node, "sort", array, values, options))

    def fill(self, node: ast.Call, name: str, values: list[Value], options: dict[str, Value]) -> Lines:
        """`x.fill(v)`."""
        if len(values) != 1 or options or values[0].rank:
            raise Unread(node, Code.FORM, "`fill` with these arguments is not read", "with one number")
        array = self.owned(node, name)
        value = self.as_element(node, array, values[0])
        return self.let_array(name, array, filled(self, node, [self.size_value(array, k) for k in range(array.rank)], value))

    def repeated(self, node: ast.AST, value: Value, count: str, size: Size) -> Value:
        """So many elements of a vector, which begins again at its end."""
        value = self.bound(ravel(self, node, value) if value.rank > 1 else value)
        if value.axes != (0,):
            raise Unread(node, Code.SHAPE, "one value in an array of size 1", "write the number")
        own = self.context.short()
        self.context.names.discard(own)
        return Value(f"map (\\{own} -> {value.text}[{own} % length {value.text}]) (iota {count})", APPLY, value.dtype, (size,))

    def bound(self, value: Value) -> Value:
        """The value under a name, in a line of its own."""
        if value.prec == ATOM and value.text.isidentifier():
            return value
        own = self.context.short()
        self.context.pending.append(f"let {own} = {bound_text(value)}")
        return replace(value, text=own, prec=ATOM, const=None)

    def put(self, node: ast.Call, name: str, values: list[Value], options: dict[str, Value]) -> Lines:
        """`np.put(x, i, v)`: elements in the order in which they lie."""
        if len(values) != 2 or options:
            raise Unread(node, Code.FORM, "`put` with these arguments is not read", "without `mode`")
        array = self.owned(node, name)
        index, value = (self.as_array(node, each) for each in values)
        index = ravel(self, node, index) if index.rank > 1 else index
        if index.dtype not in INTS or index.rank and index.axes != (0,):
            raise Unread(node, Code.TYPE, "places that are no integers", "")
        if not index.rank:
            index = Value(f"[{bound_text(index)}]", ATOM, index.dtype, (Size.of(1),))
        index = self.bound(index)
        value = self.as_element(node, array, value)
        if value.rank and not (value.rank == 1 and value.shape == index.shape and index.shape[0].known):
            index = index if index.shape[0].known else named_size(self.context, index, 0)
            value = self.repeated(node, value, index.shape[0].text() if index.shape[0].text().isalnum() else f"({index.shape[0].text()})", index.shape[0])
        lines = self.flush()
        made = self.write_places(node, name, array, [index], value)
        return lines + self.flush() + made

    def mask_of(self, node: ast.AST, array: Value, mask: Value) -> tuple[Value, Value]:
        """A mask of a vector, in one dimension, and the vector, of one size."""
        mask = self.truth(node, self.as_array(node, mask))
        mask = self.bound(ravel(self, node, mask) if mask.rank > 1 else mask)
        if mask.axes != (0,) or array.axes != (0,):
            raise Unread(node, Code.SHAPE, "a mask of another shape than the array", "")
        size, check = joined(self.context, node, [array.shape[0], mask.shape[0]])
        if check and not array.shape[0].known:
            array = named_size(self.context, array, 0)
        if check:
            mask = sized(self.context, node, mask, 0, array.shape[0])
        return mask, array

    def masked(self, node: ast.Call, name: str, function: str, values: list[Value], options: dict[str, Value]) -> tuple[Value, Value, Value, Value]:
        """The arguments of a function that writes where a mask is true: the array, the mask and the array of one size, the values."""
        if len(values) != 2 or options:
            raise Unread(node, Code.FORM, f"`{function}` with these arguments is not read", "")
        array = self.owned(node, name)
        mask, own = self.mask_of(node, array, values[0])
        return array, mask, own, self.as_element(node, array, self.as_array(node, values[1]))

    def placed(self, node: ast.Call, name: str, values: list[Value], options: dict[str, Value]) -> Lines:
        """`np.place(x, mask, v)`: the values one after the other where the mask is true."""
        array, mask, own, value = self.masked(node, name, "place", values, options)
        if not value.rank:
            made = elementwise(self.context, node, [mask, value, own], applied(self.context.library("where", array.dtype)), array.dtype)
            return self.let_array(name, array, made)
        count = f"({self.context.library('count')} {mask.argument})"
        value = self.repeated(node, value, count, unknown_size())
        return self.let_array(name, array, Value(f"{self.context.library('place', array.dtype)} {mask.argument} (sized {count} {value.argument}) {own.argument}", APPLY, array.dtype, array.shape))

    def put_mask(self, node: ast.Call, name: str, values: list[Value], options: dict[str, Value]) -> Lines:
        """`np.putmask(x, mask, v)`: the value at the same place, of values that begin again at their end."""
        array, mask, own, value = self.masked(node, name, "putmask", values, options)
        if value.rank and not (value.rank == 1 and value.shape == array.shape and array.shape[0].known):
            value = self.repeated(node, value, f"(length {mask.argument})", mask.shape[0])
        return self.let_array(name, array, elementwise(self.context, node, [mask, value, own], applied(self.context.library("where", array.dtype)), array.dtype))

    def put_along(self, node: ast.Call, name: str, values: list[Value], options: dict[str, Value]) -> Lines:
        """`np.put_along_axis(x, i, v, axis)`."""
        given = dict(zip(("indices", "values", "axis"), values)) | options
        array = self.owned(node, name)
        axes = axis_of(node, array, given.get("axis"))
        if set(given) != {"indices", "values", "axis"} or axes is None or len(axes) != 1:
            raise Unread(node, Code.FORM, "`put_along_axis` with these arguments is not read", "name the axis")
        index = self.bound(self.as_array(node, given["indices"]))
        value = self.bound(self.as_element(node, array, self.as_array(node, given["values"])))
        lines = self.flush()
        made = self.write_places(node, name, array, places_along(self, node, array, index, axes[0]), value)
        return lines + self.flush() + made

    def fill_diagonal(self, node: ast.Call, name: str, values: list[Value], options: dict[str, Value]) -> Lines:
        """`np.fill_diagonal(a, v)`."""
        array = self.owned(node, name)
        if len(values) != 1 or options or values[0].rank or array.rank != 2:
            raise Unread(node, Code.FORM, "`fill_diagonal` with these arguments is not read", "of a matrix, with one number")
        counts = [self.size_value(array, k) for k in range(2)]
        count = counts[0] if array.shape[0] == array.shape[1] else Value(f"i64.min {counts[0].argument} {counts[1].argument}", APPLY, "i64")
        places = named_size(self.context, Value(f"iota {count.argument}", APPLY, "i64", (unknown_size(),), small=True), 0)
        value = self.as_element(node, array, values[0])
        lines = self.flush()
        made = self.write_places(node, name, array, [places, places], value)
        return lines + self.flush() + made

    def changed_at(self, node: ast.Call, name: str, ufunc: Any) -> Lines:
        """`np.add.at(x, i, v)`: each place as often as it occurs."""
        if len(node.args) != 3 or node.keywords or ufunc.nin != 2 or ufunc.nout != 1:
            raise Unread(node, Code.FORM, "this form of `at` is not read", "write a loop over the places")
        array = self.owned(node, name)
        parts = self.index_items(slices_of(node.args[1]), array)
        value = self.as_array(node, self.eval(node.args[2]))

        def change(old: Value, new: Value) -> Value:
            made = operated(self, node, ufunc, [replace(old, weak=False), new])
            if made.dtype != array.dtype and not np.can_cast(NUMPY[made.dtype], NUMPY[array.dtype], "same_kind"):
                raise Unread(node, Code.TYPE, f"{made.dtype} in an array of {array.dtype}", "NumPy raises an error here; convert the array first")
            return made if made.dtype == array.dtype else elementwise(self.context, node, [replace(made, weak=False)], lambda v: (convert(v[0], array.dtype).text, APPLY), array.dtype)

        op = {np.add: ast.Add, np.subtract: ast.Sub, np.multiply: ast.Mult}.get(ufunc)
        place = parts[0] if isinstance(parts[0], Value) else None
        one_by_one = place is not None and place.rank == 1 and place.axes == (0,) and place.dtype in INTS
        if op is not None and array.rank == 1 and place is not None and one_by_one and (not value.rank or value.shape == place.shape and value.axes == (0,)):
            return self.combined_at(node, name, op, place, value)
        return self.scattered(node, name, array, [replace(each, memory=frozenset()) if isinstance(each, Value) else each for each in parts], value, change)

    def write_result(self, statement: ast.Expr, node: ast.Call, target: ast.expr) -> Lines:
        """`np.add(a, b, out=x)` and `np.copyto(x, a)` as a write to all elements."""
        arguments = [each for each in node.args if each is not target]
        keywords = [each for each in node.keywords if each.arg not in ("out", "where")]
        mask = next((self.eval(each.value) for each in node.keywords if each.arg == "where"), None)
        copied = self.resolve(node.func) is np.copyto
        value = self.eval(arguments[0] if copied else ast.copy_location(ast.Call(node.func, arguments, keywords), node))
        if isinstance(target, ast.Name):
            target = ast.copy_location(ast.Subscript(target, ast.copy_location(ast.Constant(...), target), ast.Store()), target)
        if not isinstance(target, ast.Subscript):
            raise Unread(target, Code.FORM, "this is no array that a result can be written to", "write the result with `=`")
        if mask is not None:
            old = self.eval(as_load(target))
            value = value if value.items is None else self.as_array(statement, value)
            value = elementwise(self.context, node, [self.truth(node, mask), self.as_element(statement, old, value), old], applied(self.context.library("where", old.dtype)), old.dtype)
            if value.shape != old.shape:
                raise Unread(node, Code.SHAPE, "a result of another shape than the array that it is written to", "")
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


def slices_of(index: ast.expr) -> ast.expr:
    """An index with `a:b` instead of `slice(a, b)`."""
    if isinstance(index, ast.Tuple):
        return ast.copy_location(ast.Tuple([slices_of(each) for each in index.elts], ast.Load()), index)
    if isinstance(index, ast.Call) and isinstance(index.func, ast.Name) and index.func.id == "slice" and 1 <= len(index.args) <= 3 and not index.keywords:
        ends = [None if isinstance(each, ast.Constant) and each.value is None else each for each in index.args]
        ends = [None, *ends] if len(ends) == 1 else ends
        return ast.copy_location(ast.Slice(*ends), index)
    return index
