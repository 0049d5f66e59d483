"""Indices of arrays: elements, slices, and elements at several places."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import Any

import numpy as np

from . import grids, orders, records, shapes
from .calls import ravel, under
from .diagnostics import Code, Unread
from .either import Either, mixed
from .expressions import NONE
from .invocations import Invocations
from .others import said
from .operators import applied, broadcast, elementwise, joined, sized, unknown_size, unstretched
from .sizes import ONE, Size
from .values import APPLY, ATOM, INTS, Value, convert, type_text


class Indices(Invocations):
    """Reads subscripts."""

    def _subscript(self, node: ast.Subscript) -> Value:
        if (grid := self.resolve(node.value)) is np.mgrid or grid is np.ogrid:
            return grids.grid_of_slices(self, node, grid is np.mgrid)
        if grid is np.c_ or grid is np.r_:
            return grids.pieces(self, node, grid is np.c_)
        if isinstance(node.value, ast.Call) and self.resolve(node.value.func) is np.partition:
            return orders.of_partition(self, node, node.value)
        value = self.eval(node.value)
        if value.dtype == "record" and not isinstance(node.slice, ast.Slice):
            key = self.eval(node.slice).function
            if isinstance(key, str) and value.kind is None:
                if key not in value.keys:
                    raise Unread(node, Code.NAME, f"the dictionary has no key `{key}` here", "Python raises an error, too")
                part: Value = (value.items or ())[value.keys.index(key)]
                return part
            if value.kind is None or not hasattr(value.kind, "_fields"):
                raise Unread(node, Code.FORM, "a key of a dictionary that is no constant text", "use arrays, indexed by numbers")
        if value.kind is not None and isinstance(node.slice, ast.Slice):
            value = records.gone_over(value)
        if value.items is not None and isinstance(node.slice, ast.Slice):
            ends = [None if each is None else self.eval(each).const for each in (node.slice.lower, node.slice.upper, node.slice.step)]
            if any(each is None and end is not None for each, end in zip(ends, (node.slice.lower, node.slice.upper, node.slice.step))):
                raise Unread(node, Code.TYPE, "a slice of a tuple whose bounds are no constants", "make an array of it")
            return replace(value, items=value.items[slice(*ends)], serial=object())
        if value.items is not None:
            index = self.eval(node.slice)
            if not isinstance(index.const, int) and value.items and len({(item.dtype, item.weak, item.rank) for item in value.items}) == 1 and index.dtype in INTS and value.items[0].scalar:
                # Numbers of one type: an array of them has the same ones.
                whole = self.as_array(node, value)
                return replace(self.element(node, whole, [index]), weak=value.items[0].weak)
            if not isinstance(index.const, int) and value.items and index.dtype in INTS and index.scalar and not index.rank and all(item.items is None and item.function is None and item.rank for item in value.items):
                # Arrays of one shape: what is written to one of them would be seen there.
                whole = self.as_array(node, value)
                found = self.element(node, whole, [index, *[ast.Slice()] * (whole.rank - 1)])
                return replace(found, memory=frozenset().union(*(item.memory for item in value.items)))
            if not isinstance(index.const, int):
                raise Unread(node, Code.TYPE, "an index of a tuple that is no constant", "make an array of it")
            if not -len(value.items) <= index.const < len(value.items):
                raise Unread(node, Code.SHAPE, "an index outside of the tuple", "")
            item: Value = value.items[index.const]
            return item
        if not value.listed:
            return self.element(node, value, self.index_items(node.slice, value))
        # A list: parts are copies, and an index is a number.
        if isinstance(node.slice, ast.Tuple):
            raise Unread(node, Code.TYPE, "several indices of a list", "write `x[i][j]`, or make an array of it")
        parts = self.index_items(node.slice, value)
        if isinstance(parts[0], Value) and (parts[0].rank or parts[0].dtype not in INTS) or parts[0] is None:
            raise Unread(node, Code.TYPE, "an index of a list that is no integer", "make an array of it")
        if mixed(value) and isinstance(parts[0], Value):
            made = self.element(node, value, parts)
            return replace(made, listed=max(value.listed - 1, 0), weakly=value.weakly, weak=value.weakly and not made.rank, origin=None if made.rank else Either(), kind="mixed" if made.rank else None)
        made = self.element(node, value, parts)
        if isinstance(parts[0], ast.Slice):
            return replace(made, listed=value.listed, weakly=value.weakly, memory=frozenset() if value.rank == 1 else made.memory)
        return replace(made, listed=max(value.listed - 1, 0), weakly=value.weakly, weak=value.weakly and not made.rank)

    def index_items(self, index: ast.expr, value: Value) -> list[Any]:
        """The parts of an index: `None` for a new axis, slices, and values; one for each dimension."""
        nodes = list(index.elts) if isinstance(index, ast.Tuple) else [index]
        parts: list[Any] = []
        for part in nodes:
            if isinstance(part, ast.Slice):
                parts.append(part)
            elif isinstance(part, ast.Constant) and part.value is Ellipsis:
                parts.append(...)
            elif (isinstance(part, ast.Constant) and part.value is None) or (isinstance(part, ast.Attribute) and part.attr == "newaxis"):
                parts.append(None)
            else:
                found = self.eval(part)
                if found.items is not None and found.dtype == "tuple" and len(nodes) == 1:
                    # A tuple is an index for each dimension, a list is an array of integers.
                    parts += [self.as_array(part, item) if item.items is not None else item for item in found.items]
                    continue
                if found.dtype == "bool" and 1 < found.rank < value.rank and found.items is None:
                    # A mask of several dimensions of more: the places where it is true.
                    parts += said(self, part, "np.nonzero(x)", x=found).items or ()
                    continue
                parts.append(self.as_array(part, found) if found.items is not None else found)
        used = sum(1 if not isinstance(part, Value) or part.dtype != "bool" else max(part.rank, 1) for part in parts if part is not None and part is not ...)
        if used > value.rank:
            raise Unread(index, Code.SHAPE, f"{used} indices of {value.rank} dimensions", "")
        full = [ast.Slice()] * (value.rank - used)
        if ... in [part if part is ... else 0 for part in parts]:
            at = next(k for k, part in enumerate(parts) if part is ...)
            return parts[:at] + full + parts[at + 1 :]
        return parts + full

    def position(self, index: Value, size: Size, count: str) -> str:
        """The text of an index into `count` elements."""
        self.context.assume(size - 1, "an element of no elements")
        if index.const is not None:
            if size.number is not None and not -size.number <= index.const < size.number:
                raise Unread(None, Code.SHAPE, f"index {index.const} of {size.number} elements", "NumPy raises an error here, too")
            # Only a number that is written counts from the end, not a name of it.
            return str(index.const) if index.const < 0 else index.text
        index = convert(index, "i64")
        if self.known_nonnegative(index):
            return index.text
        return f"{self.context.helper('wrapped')} {count} {index.argument}"

    def count_text(self, value: Value, axis: int) -> str:
        """The size of a dimension as an argument."""
        size = self.size_value(value, axis)
        return size.argument

    def bounds_of(self, part: ast.Slice, size: Size, count: Value) -> tuple[str, str, Size] | None:
        """The bounds of a slice that surely are in the array, as the program writes them, and the size; None if they may not be."""
        context = self.context
        ends = []
        for node, default in ((part.lower, Size.of(0)), (part.upper, size)):
            if node is None:
                ends.append((default, ""))
                continue
            value = self.eval(node)
            if value is NONE:
                ends.append((default, ""))
                continue
            if not value.scalar or value.dtype not in INTS:
                raise Unread(node, Code.TYPE, "a bound of a slice that is no integer", "")
            if value.const is not None and value.const < 0:
                ends.append((size + value.const, str(value.const)))
            elif (own := value.size or (self.size_of(value) if value.text in context.stable else None)) is not None:
                if not self.context.never_negative(own) and not context.assume(own, "a slice that begins before the array"):
                    return None
                ends.append((own, value.text))
            else:
                return None
        (low, low_text), (high, high_text) = ends
        why = "a slice that is not inside of the array"
        if size.number is not None:
            if low.number is None or high.number is None:
                return None
            a, b, _ = slice(low.number, high.number).indices(size.number)
            if low.number < 0 or high.number < 0:
                a, b, _ = slice(max(low.number, 0), max(high.number, 0)).indices(size.number)
            b = max(a, b)
            return (str(a) if a else ""), (str(b) if b != size.number else ""), Size.of(b - a)
        for each in (low, size - high, high - low, size - low):
            if not context.assume(each, why):
                return None
        return low_text, high_text, high - low

    def element(self, node: ast.expr, value: Value, parts: list[Any]) -> Value:
        """An element, a slice, or elements at several places."""
        arrays = [part for part in parts if isinstance(part, Value) and (part.rank or part.dtype == "bool")]
        if arrays:
            return self.gathered(node, value, parts, arrays)
        texts: list[str] = []
        shape: list[Size] = []
        after: list[tuple[int, str]] = []  # what is done to dimensions of the result
        axis = 0
        for part in parts:
            if part is None:
                shape.append(ONE)
                continue
            size = value.shape[axis]
            if isinstance(part, Value):
                if part.dtype not in INTS:
                    raise Unread(node, Code.TYPE, f"an index of type {part.dtype}", "")
                if size == ONE:
                    if part.const not in (0, -1):
                        raise Unread(node, Code.SHAPE, "an index into a dimension of size 1", "")
                else:
                    texts.append(self.position(part, size, self.count_text(value, axis)))
            else:
                text, new, done = self.sliced(node, part, value, axis, inner=any(each != ONE for each in shape))
                if size != ONE:
                    texts.append(text)
                    after += [(sum(each != ONE for each in shape), each) for each in done]
                shape.append(new)
            axis += 1
        while texts and texts[-1] == ":":
            texts.pop()
        if any(depth for depth, _ in after) and not value.text.isidentifier():
            # What is mapped over the rows has to see that they are rows.
            name = self.context.short()
            self.context.pending.append(f"let ({name}: {type_text(value)}) = {value.text}")
            value = value.named(name)
        text, prec = value.text, value.prec
        if texts:
            text, prec = f"{value.argument}[{', '.join(texts)}]", ATOM
        for depth, function in after:
            text, prec = f"{under(function, depth)} {Value(text, prec, '').argument}", APPLY
        memory = value.memory if shape else frozenset()
        return Value(text, prec, value.dtype, tuple(shape), memory=memory)

    def cut(self, part: ast.Slice, value: Value, axis: int) -> tuple[str, str, Size]:
        """The bounds of a slice that may lie outside of the array, under names, and the size."""
        context, count = self.context, self.count_text(value, axis)
        low, high, size = "", "", value.shape[axis]
        start = Size.of(0)
        if part.lower is not None:
            low = self.named_bound(part.lower, f"{context.helper('within')} {count}")
            start = Size.name(low)
        if part.upper is not None:
            high = self.named_bound(part.upper, f"i64.max {low} (within {count}" if low else f"{context.helper('within')} {count}", ")" if low else "")
            size = Size.name(high)
        return low, high, size - start

    def named_bound(self, node: ast.expr, function: str, end: str = "") -> str:
        """A bound of a slice under a name, in a line of its own."""
        value = self.eval(node)
        if not value.scalar or value.dtype not in INTS:
            raise Unread(node, Code.TYPE, "a bound of a slice that is no integer", "")
        name = self.context.short("size")
        self.context.stable.add(name)
        self.context.pending.append(f"let {name} = {function} {convert(value, 'i64').argument}{end}")
        return name

    def computed_step(self, node: ast.expr) -> str:
        """A name for the step of a slice that only the run knows, which has to be positive; nothing for constants."""
        value = self.eval(node)
        if value.const is not None or not value.scalar or value.dtype not in INTS:
            return ""
        name = self.context.short("size")
        self.context.stable.add(name)
        self.context.pending.append(f"let {name} = {self.context.helper('forwards')} {convert(value, 'i64').argument}")
        return name

    def sliced(self, node: ast.AST, part: ast.Slice, value: Value, axis: int, inner: bool = False) -> tuple[str, Size, list[str]]:
        """A slice of one dimension: what stands in brackets, the size, and what is applied afterwards. Below other dimensions the bounds have names."""
        size, context = value.shape[axis], self.context
        computed = "" if part.step is None else self.computed_step(part.step)
        step: Any = 1 if part.step is None or computed else self.eval(part.step).const
        if not isinstance(step, int) or step == 0:
            raise Unread(node, Code.FORM, "the step of this slice is no integer", "")
        if size == ONE:
            if part.lower is None and part.upper is None:
                return ":", ONE, []
            raise Unread(node, Code.SHAPE, "a slice of a dimension of size 1", "")
        if step < 0:
            return self.backwards(node, part, value, axis, inner, -step)
        done: list[str] = []
        text, new = ":", size
        if part.lower is not None or part.upper is not None:
            found = self.bounds_of(part, size, value)
            if found is None and inner:
                low, high, new = self.cut(part, value, axis)
                text = f"{low}:{high}"
            elif found is None:
                low = convert(self.eval(part.lower), "i64").argument if part.lower is not None else "0"
                high = convert(self.eval(part.upper), "i64").argument if part.upper is not None else self.count_text(value, axis)
                low, high = (f"({each})" if each.startswith("-") else each for each in (low, high))
                done.append(f"{context.helper('clipped')} {low} {high}")
                new = unknown_size()
            else:
                text, new = f"{found[0]}:{found[1]}", found[2]
        if computed:
            done.append(f"{context.helper('every')} {computed}")
            new = unknown_size()
        elif step > 1:
            new, more = self.every(step, new)
            done += more
        return text, new, done

    def every(self, step: int, size: Size) -> tuple[Size, list[str]]:
        """How many of so many elements are left where every `step`-th one is taken, and what is applied."""
        every = f"{self.context.helper('every')} {step}"
        if size.number is None:
            return unknown_size(), [every]
        count = -(-size.number // step)
        return Size.of(count), [every, f"sized {count}"]

    def backwards(self, node: ast.AST, part: ast.Slice, value: Value, axis: int, inner: bool, step: int) -> tuple[str, Size, list[str]]:
        """A slice with a negative step: the slice forwards, turned round."""
        ends = [None if each is None or self.eval(each) is NONE else each for each in (part.lower, part.upper)]
        last, first = (self.after(each) for each in ends)
        stop = None if ends[1] is None else self.eval(ends[1]).const
        start = None if ends[0] is None else self.eval(ends[0]).const
        if (ends[0] is None or last is not None) and (ends[1] is None or first is not None and stop != -1):
            forwards = ast.copy_location(ast.Slice(first if ends[1] is not None else None, last if start != -1 else None, None), node)
            text, size, done = self.sliced(node, forwards, value, axis, inner)
            done.append("reverse")
        else:
            given = [self.eval(each) if each is not None else None for each in ends]
            if any(each is not None and (not each.scalar or each.dtype not in INTS) for each in given):
                raise Unread(node, Code.TYPE, "a bound of a slice that is no integer", "")
            bounds = [f"i64.{word}" if each is None else convert(each, "i64").argument for each, word in zip(given, ("highest", "lowest"))]
            bounds = [f"({each})" if each.startswith("-") else each for each in bounds]
            text, size, done = ":", unknown_size(), [f"{self.context.helper('backwards')} {' '.join(bounds)}"]
        if step > 1:
            size, more = self.every(step, size)
            done += more
        return text, size, done

    def after(self, bound: ast.expr | None) -> ast.expr | None:
        """The place after a bound, if it is known from which end that counts."""
        if bound is None:
            return None
        value = self.eval(bound)
        if isinstance(value.const, int):
            return ast.copy_location(ast.Constant(value.const + 1), bound)
        if not value.scalar or value.dtype != "i64" or not self.known_nonnegative(value):
            return None
        return ast.copy_location(ast.BinOp(bound, ast.Add(), ast.copy_location(ast.Constant(1), bound)), bound)

    def gathered(self, node: ast.expr, value: Value, parts: list[Any], arrays: list[Value]) -> Value:
        """Elements at the places of a mask or of an array of integers."""
        rest = parts[1:]
        if len(arrays) != 1 or parts[0] is not arrays[0] or any(not whole_slice(part) for part in rest):
            return self.picked(node, value, parts)
        (index,) = arrays
        context = self.context
        if len(index.axes) != index.rank or len(value.axes) != value.rank:
            raise Unread(node, Code.SHAPE, "an index with dimensions of size 1", "")
        if index.dtype == "bool":
            if index.rank == 1 and value.rank > 1:
                size, check = joined(context, node, [index.shape[0], value.shape[0]])
                if check and not size.known:
                    raise Unread(node, Code.SHAPE, "a mask whose size may be another", "")
                if check:
                    index, value = (each if each.shape[0] == size else sized(context, node, each, 0, size) for each in (index, value))
                name = context.short()
                context.names.discard(name)
                rows = f"map (\\{name} -> {value.argument}[{name}]) ({context.library('nonzero')} {index.argument})"
                return Value(rows, APPLY, value.dtype, (unknown_size(), *value.shape[1:]))
            if index.rank != value.rank:
                raise Unread(node, Code.SHAPE, "a mask of other dimensions than the array", "")
            _, (index, value) = broadcast(self.context, node, list(unstretched(self.context, node, index, value)))
            flat, mask = ravel(self, node, value) if value.rank > 1 else value, ravel(self, node, index) if index.rank > 1 else index
            return Value(f"{context.library('compress', value.dtype)} {mask.argument} {flat.argument}", APPLY, value.dtype, (unknown_size(),))
        if index.dtype not in INTS:
            raise Unread(node, Code.TYPE, f"an index of type {index.dtype}", "")
        name = context.short()
        one = Value(name, ATOM, index.dtype)
        inside = self.position(one, value.shape[0], self.count_text(value, 0))
        if index.dtype != "i64":
            inside = f"i64.{index.dtype} {name}"
        text, body = index.argument, f"{value.argument}[{inside}]"
        context.names.discard(name)
        function = f"\\{name} -> {body}"
        for _ in range(index.rank - 1):
            function = f"map ({function})"
        return Value(f"map ({function}) {text}", APPLY, value.dtype, (*index.shape, *value.shape[1:]))

    def index_array(self, node: ast.AST, part: Value, value: Value, axis: int) -> Value:
        """An array of integers, or the places where a mask of one dimension is true."""
        if part.dtype in INTS:
            return part
        if part.dtype != "bool" or part.rank != 1 or len(part.axes) != 1 or value.shape[axis] == ONE:
            raise Unread(node, Code.FORM, "this index with arrays is not read", "index one dimension after the other")
        size, check = joined(self.context, node, [part.shape[0], value.shape[axis]])
        if check and (not size.known or value.shape[axis] != size):
            raise Unread(node, Code.SHAPE, "a mask whose size may be another", "")
        part = sized(self.context, node, part, 0, size) if check and part.shape[0] != size else part
        return Value(f"{self.context.library('nonzero')} {part.argument}", APPLY, "i64", (unknown_size(),))

    def picked(self, node: ast.expr, value: Value, parts: list[Any]) -> Value:
        """Elements at the places that arrays of integers in several dimensions, or behind others, say."""
        context = self.context
        if any(part is None for part in parts):
            raise Unread(node, Code.FORM, "a new axis beside an index with arrays", "index first")
        if len(value.axes) != value.rank:
            raise Unread(node, Code.SHAPE, "an index with dimensions of size 1", "")
        indices = [(axis, self.index_array(node, part, value, axis)) for axis, part in enumerate(parts) if isinstance(part, Value)]
        base = value
        if not all(isinstance(part, Value) or whole_slice(part) for part in parts):
            base = self.element(node, value, [ast.Slice() if isinstance(part, Value) else part for part in parts])
        if not base.text.isidentifier():
            name = context.short()
            context.pending.append(f"let {name} = {base.text}")
            base = base.named(name)
        texts, params = [":"] * base.rank, []
        for axis, part in indices:
            own = context.short()
            params.append(f"({own}: {part.dtype})")
            texts[axis] = self.position(Value(own, ATOM, part.dtype), base.shape[axis], self.count_text(base, axis))
        while texts[-1] == ":":
            texts.pop()
        pick = context.short()
        context.pending.append(f"let {pick} {' '.join(params)} = {base.text}[{', '.join(texts)}]")
        made = elementwise(context, node, [part for _, part in indices], applied(pick), base.dtype)
        axes = [axis for axis, _ in indices]
        rest = [axis for axis in range(base.rank) if axis not in axes]
        made = replace(made, shape=(*made.shape, *(base.shape[axis] for axis in rest)), weak=False, size=None)
        before = len([axis for axis in rest if axis < axes[0]]) if axes == list(range(axes[0], axes[-1] + 1)) else 0
        count = made.rank - len(rest)
        order = [*range(count, count + before), *range(count), *range(count + before, made.rank)]
        return made if order == sorted(order) else shapes.permuted(node, made, order)


def whole_slice(part: Any) -> bool:
    """Whether a part of an index is `:`."""
    return isinstance(part, ast.Slice) and part.lower is None and part.upper is None and part.step is None
