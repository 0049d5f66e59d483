"""Writes to elements of arrays: nothing else may see them."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import Any

import numpy as np

from .functions import filled
from .context import Restart
from .diagnostics import Code, Poisoned, Unread
from .operators import applied, binary, elementwise, fitted, sized
from .sizes import ONE, Size
from .values import APPLY, ATOM, FLOATS, INTS, OUTSIDE, Value, convert, literal

from .blocks import Lines, as_load, shares
from .assignments import Assignments


class Writes(Assignments):
    """Reads what writes to elements."""

    def follows(self, other: str, name: str) -> bool:
        """Whether a variable is a view of an array that is written, which is made anew afterwards."""
        raise NotImplementedError

    def owned(self, node: ast.AST, name: str, ones: bool = False) -> Value:
        """An array whose elements are written: nothing else may see it. `ones`: dimensions of size 1 may be there."""
        value = self.env.get(name)
        if value is None:
            if name in self.env:
                raise Poisoned
            raise Unread(node, Code.BOUND, f"`{name}` may have no value here", "")
        if value.items is not None and value.dtype in ("tuple", "list"):
            raise Unread(node, Code.ALIAS, f"a write to an array that is a part of `{name}`", "give the part a name where it is made; of an argument copy it, and return it: `a = p[0].copy()`")
        if value.items is not None or value.function is not None or not value.rank:
            raise Unread(node, Code.TYPE, "only elements of arrays can be written", "make an array of it")
        if value.shape and len(value.axes) != value.rank and not ones:
            raise Unread(node, Code.SHAPE, "a write to an array with a dimension of size 1", "")
        for other, known in self.env.items():
            if other != name and known is not None and shares(known, value) and other in self.live and not self.follows(other, name):
                raise Unread(
                    node, Code.ALIAS, f"`{name}` may share its memory with `{other}`, which is used later and would see this write",
                    f"copy it first (`{name} = {name}.copy()`), or write to `{other}` itself",
                )  # fmt: skip
        for memory in value.memory:
            if memory.startswith(OUTSIDE):
                raise Unread(node, Code.ALIAS, f"this writes to the array `{memory[len(OUTSIDE):]}` from outside of the function", "copy it first, or pass it as an argument")
            param = self.params.get(memory)
            if param is None:
                continue
            if memory in self.callers and self.called_as is None:
                raise Unread(node, Code.ALIAS, f"this changes the list `{param}` of the caller", f"copy it first: `{param} = {param}[:]`, and return the new list")
            whole = self.context.mangle(param)
            if name != param or value.text != whole or value.memory != frozenset([memory]):
                raise Unread(node, Code.ALIAS, f"this writes to the caller's array `{param}` under another name", f"write to `{param}` itself, or copy it first")
            if param not in self.mutated:
                self.writes_to(param)
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

    def cut_off(self, node: ast.AST, array: Value, value: Value) -> Value:
        """A float as an element of an array of integers: NumPy cuts it off, and refuses a number that is no integer then."""
        if value.rank:
            return elementwise(self.context, node, [replace(value, weak=False)], applied(f"{array.dtype}.{value.dtype}"), array.dtype)
        if isinstance(value.const, (int, float)) and abs(value.const) < 100:
            return fitted(self.context, node, literal(int(value.const)), array.dtype)
        text = f"{self.context.helper('whole')} {convert(value, 'f64').argument}"
        if array.dtype == "i64":
            return Value(text, APPLY, "i64")
        fits = value.weak or array.dtype not in ("u8", "u16")
        return Value(f"{self.context.helper(f'fits_{array.dtype}') if fits else f'{array.dtype}.i64'} ({text})", APPLY, array.dtype)

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
        if value.dtype in FLOATS and array.dtype in INTS - {"u64"} and isinstance(node, ast.Assign) and not array.listed and not any(isinstance(each, ast.keyword) and each.arg == "out" for each in ast.walk(node)):
            return self.cut_off(node, array, value)
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
            text, new, after = self.sliced(target, part, array, axis, inner=True)
            if after:
                return self.scattered(target, name, array, parts, value)
            texts.append(text)
            shape.append(new)
        while len(texts) > 1 and texts[-1] == ":":
            texts.pop()
        value = self.fit_shape(target, value, tuple(shape))
        if shape and value.scalar and not value.rank and value.text.startswith("("):
            # Which of its dimensions an application is mapped over has to be clear where the element is repeated.
            own = self.context.short()
            self.context.pending.append(f"let ({own}: {value.dtype}) = {value.text}")
            value = value.named(own)
        text = self.name_of(name)
        self.written(name, array)
        lines = self.flush()
        if all(each == ":" for each in texts):
            if not value.rank:
                made = filled(self, target, [self.size_value(array, k) for k in range(array.rank)], value)
                return [*lines, f"let {text} = {made.text}"]
            for k in reversed(range(len(shape) - value.rank)):
                value = Value(f"replicate {self.count_text(array, k)} {value.argument}", APPLY, value.dtype, (shape[k], *value.shape))
            return [*lines, f"let {text} = {value.text}"]
        return [*lines, f"let {text}[{', '.join(texts)}] = {value.text}"]

    def scattered(self, target: ast.AST, name: str, array: Value, parts: list[Any], value: Value, change: Any = None) -> Lines:
        """A write to places that are no block of the array, one after the other."""
        raise NotImplementedError

    def fit_shape(self, node: ast.AST, value: Value, shape: tuple[Size, ...], ones: bool = False) -> Value:
        """A value that is broadcast to a shape."""
        from .operators import joined

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
        if len(wanted) != len(shape) and value.axes and not ones:
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
        for k in made.axes:
            # An array of one element is not stretched by what is put into it.
            if made.shape[k] != old.shape[k] and old.shape[k].known:
                made = sized(self.context, statement, made, k, old.shape[k])
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
                # One element is a number, whose result `=` stores; an array would be written by the ufunc itself, which refuses.
                target = getattr(statement, "target", None)
                known = self.env.get(target.value.id) if isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name) else None
                if known is not None and known.listed:
                    raise Unread(statement, Code.TYPE, f"{made.dtype} in a list of {dtype}", "begin the list with floats: `[0.0]`")
                if not old.rank and not made.rank and dtype in INTS - {"u64"} and made.dtype in FLOATS:
                    return self.cut_off(statement, Value("", ATOM, dtype), replace(made, weak=False))
                if not old.rank and not made.rank and dtype == "bool":
                    return self.truth(statement, replace(made, weak=False))
                raise Unread(statement, Code.TYPE, f"{made.dtype} in an array of {dtype}", "NumPy raises `UFuncTypeError` here; convert the array first: `x = x.astype(float)`")
            made = elementwise(self.context, statement, [replace(made, weak=False)], lambda v: (convert(v[0], dtype).text, APPLY), dtype)
        if made.rank > old.rank:
            raise Unread(statement, Code.SHAPE, "the result has more dimensions than the array", "")
        return made
