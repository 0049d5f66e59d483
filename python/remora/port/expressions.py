"""Expressions of Python as values."""

from __future__ import annotations

import ast
import builtins
import operator
import types
from dataclasses import replace
from typing import Any

import numpy as np

from . import arrays, grids, products, several, shapes
from .calls import METHODS, MATH, TABLE, along, call_builtin, call_numpy, cast, ravel, reduction, under, ALONG, REDUCTIONS
from .functions import matmul, transposed
from .context import Context
from .diagnostics import Code, Poisoned, Unread
from .operators import applied, binary, compare, elementwise, infix, joined, negated, sized, unknown_size, unstretched
from .sizes import ONE, Size
from .values import APPLY, ATOM, COMPARE, FLOATS, INTS, LOW, UNARY, Value, bound_text, convert, literal, result_dtype, type_text

NONE = Value("None", ATOM, "none")
# Comparisons of constants.
FOLDED: dict[type, Any] = {ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge, ast.Eq: operator.eq, ast.NotEq: operator.ne}


class Expressions:
    """Reads expressions where names have the values of `env`."""

    def __init__(self, context: Context, outer: dict[str, Any]) -> None:
        self.context = context
        self.outer = outer
        self.env: dict[str, Value | None] = {}  # None: reported already
        self.locals: set[str] = set()
        self.function: Any = None
        # What was taken from outside, by the function that sees it and its name there.
        self.captured: dict[tuple[Any, str], Any] = {}

    # Names -------------------------------------------------------------------------------------------------------------------

    def resolve(self, node: ast.AST) -> Any:
        """The Python object that a name outside of the function, or an attribute of one, stands for; None if it is none."""
        if isinstance(node, ast.Name) and node.id not in self.locals:
            if node.id in self.outer:
                return self.outer[node.id]
            return getattr(builtins, node.id, None)
        if isinstance(node, ast.Attribute):
            base = self.resolve(node.value)
            if isinstance(base, (types.ModuleType, type)) and not isinstance(base, type(None)):
                return getattr(base, node.attr, None)
        return None

    def called(self, node: ast.Call) -> Any:
        """What a call calls."""
        found = self.resolve(node.func)
        return found if found is not None else types.SimpleNamespace(__name__=node.func.attr if isinstance(node.func, ast.Attribute) else "")

    def eval(self, node: ast.expr) -> Value:
        """The value of an expression."""
        method = getattr(self, f"_{type(node).__name__.lower()}", None)
        if method is None:
            raise Unread(node, Code.FORM, f"this form ({type(node).__name__}) is not read", "")
        try:
            found: Value = method(node)
            return found
        except Unread as problem:
            if problem.node is None:
                problem.node = node
            raise

    def _constant(self, node: ast.Constant) -> Value:
        value = node.value
        if value is None:
            return NONE
        if isinstance(value, (bool, int, float)):
            if isinstance(value, int) and abs(value) >= 2**63:
                raise Unread(node, Code.TYPE, "an integer beyond 64 bits", "use a float")
            return literal(value)
        if isinstance(value, complex):
            return literal(value)
        if isinstance(value, str):
            return Value(repr(value), ATOM, "text", function=value)
        raise Unread(node, Code.TYPE, f"the constant {value!r} is not read", "")

    def _name(self, node: ast.Name) -> Value:
        if node.id in self.locals:
            if node.id not in self.env:
                raise Unread(node, Code.BOUND, f"`{node.id}` may have no value here", "give it a value before the branch or the loop")
            found = self.env[node.id]
            if found is None:
                raise Poisoned
            return found
        return self.constant_of(node, self.resolve(node), node.id)

    def constant_of(self, node: ast.AST, value: Any, name: str) -> Value:
        """A constant from outside of the function."""
        if isinstance(value, (bool, int, float)) and not isinstance(value, np.generic):
            self.captured[self.function, name] = value
            return literal(value)
        if isinstance(value, (np.bool_, np.integer, np.floating)):
            self.captured[self.function, name] = value
            return replace(convert(literal(value.item()), str(np.dtype(type(value))).replace("uint", "u").replace("int", "i").replace("float", "f")), weak=False)
        if isinstance(value, type) or isinstance(value, np.dtype):
            return Value(name, ATOM, "type", function=value)
        if value is None:
            raise Unread(node, Code.NAME, f"`{name}` is not known", "")
        raise Unread(node, Code.NAME, f"`{name}` is no number", "pass it as an argument")

    def _attribute(self, node: ast.Attribute) -> Value:
        found = self.resolve(node)
        if found is not None:
            return self.constant_of(node, found, ast.unparse(node))
        value = self.eval(node.value)
        if value.dtype == "grid":
            value = self.as_array(node, value)
        if value.items is not None or value.function is not None:
            raise Unread(node, Code.NAME, f"the attribute `{node.attr}` of what is no array", "make an array of it: `np.array([..])`")
        if node.attr == "T":
            return shapes.permuted(node, value, list(range(value.rank))[::-1]) if value.rank > 2 else transposed(node, value)
        if node.attr == "shape":
            return Value("", ATOM, "tuple", items=tuple(self.size_value(value, k) for k in range(value.rank)))
        if node.attr == "ndim":
            return literal(value.rank)
        if node.attr == "dtype":
            from .values import NUMPY

            return Value("", ATOM, "type", function=NUMPY[value.dtype])
        if node.attr == "size":
            total = literal(1)
            for k in range(value.rank):
                total = binary(self.context, node, ast.Mult, total, self.size_value(value, k)) if total.const != 1 else self.size_value(value, k)
            return replace(total, small=True)
        if node.attr == "flat" and value.rank:
            return ravel(self, node, value)
        if node.attr in ("real", "imag"):
            return arrays.part_of_complex(self, node, value, node.attr)
        raise Unread(node, Code.NAME, f"the attribute `{node.attr}` is not read", "")

    # Sizes -------------------------------------------------------------------------------------------------------------------

    def size_value(self, value: Value, k: int) -> Value:
        """The size of a dimension as a number."""
        size = value.shape[k]
        if size.number is not None:
            return literal(size.number)
        if size.known:
            text = size.text()
            return Value(text, ATOM if text.isidentifier() else LOW + 5 if len(size.terms) > 1 else LOW + 7, "i64", weak=True, size=size, small=True)
        place = value.axes.index(k)
        text = value.argument + "[0]" * place
        return Value(f"length {text}", APPLY, "i64", weak=True, size=size, small=True)

    def size_of(self, value: Value) -> Size:
        """A number as a size."""
        if value.size is not None:
            return value.size
        if value.text in self.context.stable and value.text.isidentifier():
            return Size.name(value.text)
        return unknown_size()

    def known_nonnegative(self, value: Value) -> bool:
        """Whether an integer cannot be negative."""
        if value.dtype in ("u8", "u16", "u32", "u64", "bool"):
            return True
        if value.const is not None:
            return bool(value.const >= 0)
        return value.size is not None and self.context.never_negative(value.size)

    def truth(self, node: ast.AST, value: Value) -> Value:
        """As a truth value, elementwise."""
        if value.items is not None or value.function is not None:
            raise Unread(node, Code.TYPE, "the truth value of this is not read", "compare it with something")
        if value.dtype == "bool":
            return value
        return compare(self.context, node, ast.NotEq, value, replace(literal(0), weak=True))

    def condition(self, node: ast.expr) -> Value:
        """A condition of `if` or `while`."""
        value = self.eval(node)
        if not value.scalar or value.rank:
            raise Unread(node, Code.TYPE, "the truth value of an array", "use `.any()`, `.all()` or `len(..) > 0`")
        return self.truth(node, value)

    def as_array(self, node: ast.AST, value: Value) -> Value:
        """A tuple or list of numbers or arrays as one array."""
        if value.items is None:
            if value.dtype in ("none", "text", "type") or value.function is not None:
                raise Unread(node, Code.TYPE, "this is no array", "")
            return value
        items = [self.as_array(node, item) for item in value.items]
        if not items:
            return Value("([] : [0]f64)", ATOM, "f64", (Size.of(0),))
        dtype = items[0].dtype
        for item in items[1:]:
            if item.dtype != dtype:
                # In a list, a number of Python's own is `int64` or `float64` for NumPy: NEP 50 is not about lists.
                _, dtype = result_dtype(np.add, [replace(items[0], dtype=dtype, weak=False), replace(item, weak=False)])
        shapes = {item.shape for item in items}
        if len(shapes) != 1:
            raise Unread(node, Code.SHAPE, "rows of different sizes", "")
        shape = items[0].shape
        texts = [convert(item, dtype) for item in items]
        parts = [bound_text(text) if k == 0 else text.text for k, text in enumerate(texts)]
        return Value(f"[{', '.join(parts)}]", ATOM, dtype, (Size.of(len(items)), *shape))

    def as_float(self, node: ast.AST, value: Value) -> Value:
        """As floats."""
        if value.dtype in FLOATS:
            return value
        return elementwise(self.context, node, [value], lambda values: (convert(values[0], "f64").text, APPLY), "f64")

    # Operators ---------------------------------------------------------------------------------------------------------------

    def _binop(self, node: ast.BinOp) -> Value:
        left, right = self.eval(node.left), self.eval(node.right)
        if isinstance(node.op, ast.MatMult):
            return matmul(self, node, left, right)
        if isinstance(node.op, ast.Add) and left.items is not None and right.items is not None and left.dtype == right.dtype:
            return replace(left, items=(*left.items, *right.items))
        return binary(self.context, node, type(node.op), left, right)

    def _unaryop(self, node: ast.UnaryOp) -> Value:
        value = self.eval(node.operand)
        if isinstance(node.op, ast.USub):
            return negated(self.context, node, value)
        if isinstance(node.op, ast.UAdd):
            if value.dtype == "bool":
                raise Unread(node, Code.TYPE, "`+` before a truth value", "leave it out")
            return value
        if isinstance(node.op, ast.Not):
            value = self.condition(node.operand)
            return Value(f"!{value.at(UNARY + 1)}", UNARY, "bool", weak=True)
        if (value.dtype != "bool" and value.dtype not in INTS) or value.weak and value.dtype != "i64":
            raise Unread(node, Code.TYPE, "`~` of what is no array of truth values", "")
        return elementwise(self.context, node, [value], lambda values: (f"!{values[0].at(UNARY + 1)}", UNARY), value.dtype)

    def _compare(self, node: ast.Compare) -> Value:
        operands = [self.eval(each) for each in (node.left, *node.comparators)]
        if operands[0].items is not None and len(operands) == 2 and operands[1].items is not None:
            one, two = ([item.const for item in operand.items or ()] for operand in operands)
            if None not in one + two and isinstance(node.ops[0], (ast.Eq, ast.NotEq)):
                return literal((one == two) == isinstance(node.ops[0], ast.Eq))
        parts = []
        for op, left, right in zip(node.ops, operands, operands[1:]):
            if left.is_literal and right.is_literal and type(op) in FOLDED:
                parts.append(literal(bool(FOLDED[type(op)](left.const, right.const))))
                continue
            if isinstance(op, (ast.Is, ast.IsNot)) and (left is NONE or right is NONE):
                return literal((left is right) == isinstance(op, ast.Is))
            parts.append(compare(self.context, node, type(op), left, right))
        if len(parts) > 1 and not all(part.scalar for part in parts):
            raise Unread(node, Code.FORM, "a chain of comparisons of arrays", "write `(a < b) & (b < c)`")
        if len(parts) > 1 and all(isinstance(part.const, bool) for part in parts):
            return literal(all(part.const for part in parts))
        return self._all(parts, "&&", LOW + 2) if len(parts) > 1 else parts[0]

    def _all(self, parts: list[Value], symbol: str, prec: int) -> Value:
        return Value(f" {symbol} ".join(part.at(prec + 1) for part in parts), prec, "bool", weak=all(part.weak for part in parts))

    def _boolop(self, node: ast.BoolOp) -> Value:
        parts = [self.eval(each) for each in node.values]
        if not all(part.dtype == "bool" and part.scalar for part in parts):
            raise Unread(node, Code.TYPE, "`and` or `or` of what are no truth values", "compare them: `x != 0 and ..`; for arrays use `&` and `|`")
        known = [part.const for part in parts]
        if None not in known:
            return literal(all(known) if isinstance(node.op, ast.And) else any(known))
        return self._all(parts, "&&", LOW + 2) if isinstance(node.op, ast.And) else self._all(parts, "||", LOW + 1)

    def _ifexp(self, node: ast.IfExp) -> Value:
        test = self.condition(node.test)
        if isinstance(test.const, bool):
            return self.eval(node.body if test.const else node.orelse)
        one, two = self.eval(node.body), self.eval(node.orelse)
        dtype, weak = self.join_types(node, one, two)
        if one.items is not None or two.items is not None or one.shape != two.shape:
            raise Unread(node, Code.SHAPE, "branches with different shapes", "")
        one, two = convert(one, dtype), convert(two, dtype)
        text = f"if {test.text} then {bound_text(one)} else {two.text}"
        return Value(text, LOW, dtype, one.shape, weak=weak, small=one.small and two.small, memory=one.memory | two.memory)

    def join_types(self, node: ast.AST, one: Value, two: Value) -> tuple[str, bool]:
        """The type of a value that comes from two places."""
        weak = one.weak and two.weak
        if one.dtype == two.dtype:
            return one.dtype, weak
        for a, b in ((one, two), (two, one)):
            # A literal takes the type of the other: the value is the same.
            if a.const is not None and not isinstance(a.const, bool) and b.dtype in FLOATS | INTS and (isinstance(a.const, int) or b.dtype in FLOATS):
                if b.dtype == "f32" and float(np.float32(a.const)) != a.const:
                    continue
                if b.dtype in INTS and not np.iinfo(b.dtype.replace("u", "uint") if b.dtype[0] == "u" else b.dtype.replace("i", "int")).min <= a.const <= 127:
                    continue
                return b.dtype, weak
        raise Unread(node, Code.TYPE, f"this is {one.dtype} in one case and {two.dtype} in another", "give both the same type, for example with `0.0` instead of `0`")

    def _tuple(self, node: ast.Tuple) -> Value:
        return Value("", ATOM, "tuple", items=self.parts_of(node.elts))

    def parts_of(self, nodes: list[ast.expr]) -> tuple[Value, ...]:
        """The values of a tuple or list, with those that `*` puts there."""
        found: list[Value] = []
        for each in nodes:
            value = self.eval(each.value if isinstance(each, ast.Starred) else each)
            if isinstance(each, ast.Starred) and value.items is None:
                raise Unread(each, Code.FORM, "`*` before what is no tuple or list", "write the parts")
            found += value.items or () if isinstance(each, ast.Starred) else [value]
        return tuple(found)

    def _list(self, node: ast.List) -> Value:
        return Value("", ATOM, "list", items=self.parts_of(node.elts))

    def _generatorexp(self, node: ast.GeneratorExp | ast.ListComp) -> Value:
        items: list[Value] = []
        saved, saved_locals = dict(self.env), set(self.locals)
        if len(node.generators) == 1 and not node.generators[0].ifs:
            mapped = self.mapped(node, node.generators[0])
            if mapped is not None:
                return mapped

        def unrolled(k: int) -> None:
            if k == len(node.generators):
                items.append(self.eval(node.elt))
                return
            generator = node.generators[k]
            values = self.eval(generator.iter) if not self.constant_range(generator.iter) else Value("", ATOM, "tuple", items=tuple(map(literal, self.constant_range(generator.iter) or ())))
            if values.items is None or not isinstance(generator.target, ast.Name):
                raise Unread(node, Code.FORM, "a comprehension over an array", "write it with whole arrays, or as a loop")
            self.locals.add(generator.target.id)
            for item in values.items:
                self.env[generator.target.id] = item
                tests = [self.condition(each) for each in generator.ifs]
                if any(not isinstance(test.const, bool) for test in tests):
                    raise Unread(node, Code.FORM, "a condition in a comprehension that is no constant", "use a mask")
                if all(test.const for test in tests):
                    unrolled(k + 1)

        try:
            unrolled(0)
        finally:
            self.env, self.locals = saved, saved_locals
        return Value("", ATOM, "list", items=tuple(items))

    _listcomp = _generatorexp

    def mapped(self, node: ast.GeneratorExp | ast.ListComp, generator: ast.comprehension) -> Value | None:
        """A comprehension over arrays or a range whose size only the run knows, as an array; None for one that can be written out."""
        raise NotImplementedError

    def constant_range(self, node: ast.expr) -> list[int] | None:
        """The integers of a short `range` of constants."""
        if isinstance(node, ast.Call) and self.resolve(node.func) is range and not node.keywords:
            arguments = [self.eval(each).const for each in node.args]
            if all(isinstance(each, int) for each in arguments) and len(found := range(*arguments)) <= 16:
                return list(found)
        return None

    # Subscripts --------------------------------------------------------------------------------------------------------------

    def _subscript(self, node: ast.Subscript) -> Value:
        if (grid := self.resolve(node.value)) is np.mgrid or grid is np.ogrid:
            return grids.grid_of_slices(self, node, grid is np.mgrid)
        if grid is np.c_ or grid is np.r_:
            return grids.pieces(self, node, grid is np.c_)
        value = self.eval(node.value)
        if value.items is not None and isinstance(node.slice, ast.Slice):
            ends = [None if each is None else self.eval(each).const for each in (node.slice.lower, node.slice.upper, node.slice.step)]
            if any(each is None and end is not None for each, end in zip(ends, (node.slice.lower, node.slice.upper, node.slice.step))):
                raise Unread(node, Code.TYPE, "a slice of a tuple whose bounds are no constants", "make an array of it")
            return replace(value, items=value.items[slice(*ends)])
        if value.items is not None:
            index = self.eval(node.slice)
            if not isinstance(index.const, int):
                raise Unread(node, Code.TYPE, "an index of a tuple that is no constant", "make an array of it")
            if not -len(value.items) <= index.const < len(value.items):
                raise Unread(node, Code.SHAPE, "an index outside of the tuple", "")
            item: Value = value.items[index.const]
            return item
        return self.element(node, value, self.index_items(node.slice, value))

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
            if step != -1 or part.lower is not None or part.upper is not None:
                raise Unread(node, Code.FORM, "a slice with this negative step is not read", "write `x[::-1]`, and slice that")
            return ":", size, ["reverse"]
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
            done.append(f"{context.helper('every')} {step}")
            new = Size.of(-(-new.number // step)) if new.number is not None else unknown_size()
        return text, new, done

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
            _, (index, value) = _broadcast(self, node, list(unstretched(self.context, node, index, value)))
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

    # Calls -------------------------------------------------------------------------------------------------------------------

    def _call(self, node: ast.Call) -> Value:
        for argument in node.args:
            if isinstance(argument, ast.Starred):
                raise Unread(node, Code.FORM, "`*` in a call is not read", "write the arguments")
        if any(keyword.arg is None for keyword in node.keywords):
            raise Unread(node, Code.FORM, "`**` in a call is not read", "write the arguments")
        function = self.resolve(node.func)
        if function is None and isinstance(node.func, ast.Attribute):
            ufunc = self.resolve(node.func.value)
            if isinstance(ufunc, np.ufunc):
                return arrays.call_ufunc_method(self, node, ufunc, node.func.attr)
            return self.method(node, node.func)
        more = arrays.call_more(self, node, function)
        if more is not None:
            return more
        if function is None and isinstance(node.func, ast.Name) and node.func.id in self.locals:
            found = self._name(node.func)
            return self.call_local(node, found.function, *self.arguments(node))
        from .reading import Definition

        if isinstance(function, Definition):
            return self.call_local(node, function, *self.arguments(node))
        if isinstance(function, types.FunctionType) and not (getattr(function, "__module__", "") or "").startswith("numpy") or hasattr(function, "__port__"):
            from .reading import definition

            target = getattr(function, "__port__", function)
            self.captured[self.function, ast.unparse(node.func)] = function
            return self.call_local(node, definition(target, self.context), *self.arguments(node))
        if function is builtins.map and len(node.args) == 2 and not node.keywords:
            return self.each(node)
        values, options = self.arguments(node)
        if function in MATH or getattr(builtins, getattr(function, "__name__", ""), None) is function:
            return call_builtin(self, node, function, values, options)
        return call_numpy(self, node, function, values, options)

    def each(self, node: ast.Call) -> Value:
        """`map(f, [a, b])`."""
        items = self.eval(node.args[1]).items
        if items is None:
            raise Unread(node, Code.FORM, "`map` over what is no tuple or list", "call the function with the array")
        saved, saved_locals = dict(self.env), set(self.locals)
        found = []
        try:
            for item in items:
                name = self.context.short()
                self.locals = self.locals | {name}
                self.env[name] = item
                found.append(self.eval(ast.copy_location(ast.Call(node.args[0], [ast.copy_location(ast.Name(name, ast.Load()), node)], []), node)))
        finally:
            self.env, self.locals = saved, saved_locals
        return Value("", ATOM, "tuple", items=tuple(found))

    def arguments(self, node: ast.Call) -> tuple[list[Value], dict[str, Value]]:
        """The values of the arguments."""
        return [self.eval(each) for each in node.args], {str(each.arg): self.eval(each.value) for each in node.keywords}

    def call_local(self, node: ast.Call, function: Any, values: list[Value], options: dict[str, Value]) -> Value:
        """A call of a function that is read as well."""
        raise NotImplementedError

    def method(self, node: ast.Call, function: ast.Attribute) -> Value:
        """A call of a method of an array."""
        value = self.eval(function.value)
        if value.dtype == "grid":
            value = self.as_array(node, value)
        name = function.attr
        values, options = self.arguments(node)
        if value.items is None and value.function is None and f"method.{name}" in TABLE:
            return TABLE[f"method.{name}"](self, node, [value, *values], options)
        if value.items is not None or value.function is not None or name not in METHODS:
            raise Unread(node, Code.NAME, f"the method `{name}` is not read", "")
        if name in ALONG:
            return along(self, node, name, value, values, options)
        if name in REDUCTIONS:
            return reduction(self, node, name, value, values, options)
        if name == "astype":
            if len(values) != 1 or values[0].function is None:
                raise Unread(node, Code.TYPE, "this type is not read", "")
            return cast(self, node, value, values[0].function)
        if name == "copy" and not values:
            return replace(value, memory=frozenset())
        if name in ("ravel", "flatten") and not values:
            made = ravel(self, node, value)
            return replace(made, memory=frozenset()) if name == "flatten" else made
        if name == "item" and not values and not value.rank:
            return replace(value, weak=True)
        if name == "dot":
            return matmul(self, node, value, *values)
        if name == "clip":
            return TABLE["clip"](self, node, [value, *values], options)
        raise Unread(node, Code.NAME, f"the method `{name}` is not read here", "")


def whole_slice(part: Any) -> bool:
    """Whether a part of an index is `:`."""
    return isinstance(part, ast.Slice) and part.lower is None and part.upper is None and part.step is None


def _broadcast(reader: Expressions, node: ast.AST, values: list[Value]) -> tuple[tuple[Size, ...], list[Value]]:
    from .operators import broadcast

    return broadcast(reader.context, node, values)


__all__ = ["NONE", "Expressions", "several", "whole_slice", "UNARY", "COMPARE", "applied", "filled", "infix", "joined", "sized"]
