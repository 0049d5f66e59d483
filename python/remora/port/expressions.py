"""Expressions of Python as values."""

from __future__ import annotations

import ast
import builtins
import operator
import types
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from . import arrays, others, pylists, records, shapes
from .calls import ravel
from .functions import matmul, transposed
from .context import Context
from .diagnostics import Code, Poisoned, Unread
from .either import decided, of_two, plain
from .operators import binary, compare, elementwise, joined, negated, sized, unknown_size
from .sizes import Size
from .values import APPLY, ATOM, COMPARE, DTYPES, FLOATS, INTS, LOW, OUTSIDE, UNARY, Value, bound_text, convert, literal, result_dtype

NONE = Value("None", ATOM, "none")
# Comparisons of constants.
FOLDED: dict[type, Any] = {ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge, ast.Eq: operator.eq, ast.NotEq: operator.ne}
# What NumPy had, and has under another name.
REMOVED = {
    "in1d": "isin(x.ravel(), y)", "trapz": "trapezoid(..)", "product": "prod(..)", "cumproduct": "cumprod(..)", "sometrue": "any(..)", "alltrue": "all(..)", "row_stack": "vstack(..)",
    "float_": "float64", "complex_": "complex128", "float": "float64", "int": "int64", "bool": "bool_", "complex": "complex128", "object": "object_", "NaN": "nan", "Inf": "inf", "infty": "inf", "round_": "round(..)", "asfarray": "asarray(x, dtype=float)",
}  # fmt: skip


def is_read(function: Any) -> bool:
    """Whether an object is a function whose definition is read where it is called."""
    return isinstance(function, types.FunctionType) and not (getattr(function, "__module__", "") or "").startswith("numpy") or hasattr(function, "__port__")


# Elements of an array from outside of a function that becomes a definition of the program.
MOST_ELEMENTS = 1000


def _written(value: Any, dtype: str) -> str:
    """Numbers, in lists, as the program writes them."""
    if isinstance(value, list):
        return f"[{', '.join(_written(each, dtype) for each in value)}]"
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return f"{dtype}.nan" if value != value else f"{dtype}.inf" if value > 0 else f"-{dtype}.inf"
    return literal(value).text


class Long(Exception):
    """Raised where a comprehension cannot be written out."""


class Expressions:
    """Reads expressions where names have the values of `env`."""

    def __init__(self, context: Context, outer: dict[str, Any]) -> None:
        self.context = context
        self.outer = outer
        self.env: dict[str, Value | None] = {}  # None: reported already
        self.locals: set[str] = set()
        self.function: Any = None
        self.uncertain = 0  # inside of so many expressions that may not be evaluated, or more than once
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
        found = getattr(node, "means", None) or self.resolve(node.func)
        return found if found is not None else types.SimpleNamespace(__name__=node.func.attr if isinstance(node.func, ast.Attribute) else "")

    def look_up(self, node: ast.Attribute) -> None:
        """Refuses an attribute that a module does not have."""
        module = self.resolve(node.value)
        if isinstance(module, types.ModuleType) and not hasattr(module, node.attr):
            instead = f"write `{ast.unparse(node.value)}.{REMOVED[node.attr]}`" if node.attr in REMOVED and module is np else ""
            raise Unread(node, Code.NAME, f"`{ast.unparse(node.value)}` has no `{node.attr}`", instead)

    def eval(self, node: ast.expr) -> Value:
        """The value of an expression."""
        method = getattr(self, f"_{type(node).__name__.lower()}", None)
        if method is None:
            if isinstance(node, ast.JoinedStr):
                raise Unread(node, Code.FORM, "a text that is made of values", "return the values, and write the text where the function is called")
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
        if callable(value):
            self.captured[self.function, name] = value
            return Value(name, ATOM, "function", function=value)
        if isinstance(value, np.ndarray):
            return self.array_of(node, value, name)
        raise Unread(node, Code.NAME, f"`{name}` is no number", "pass it as an argument")

    def array_of(self, node: ast.AST, value: Any, name: str) -> Value:
        """A small array from outside of the function: a definition of the program."""
        dtype = DTYPES.get(str(value.dtype))
        if dtype is None or dtype in ("c64", "c128") or not 0 < value.size <= MOST_ELEMENTS or type(value) is not np.ndarray:
            raise Unread(node, Code.NAME, f"`{name}` is an array of {value.size} elements of {value.dtype}", f"pass it as an argument: arrays from outside have from 1 to {MOST_ELEMENTS} numbers")
        if 1 in value.shape or value.ndim == 0:
            raise Unread(node, Code.NAME, f"`{name}` is an array of shape {value.shape}", "pass it as an argument: of arrays from outside no dimension has size 1")
        self.captured[self.function, name] = value.copy()
        context, own = self.context, self.context.mangle(name)
        written = f"{''.join(f'[{size}]' for size in value.shape)}{dtype} = {_written(value.tolist(), dtype)}"
        while own in context.definitions and not context.definitions[own].endswith(f" : {written}"):
            own += "_"
        context.definitions[own] = f"def {own} : {written}"
        return Value(own, ATOM, dtype, tuple(Size.of(size) for size in value.shape), memory=frozenset([OUTSIDE + name]))

    def _attribute(self, node: ast.Attribute) -> Value:
        found = self.resolve(node)
        if found is not None:
            return self.constant_of(node, found, ast.unparse(node))
        self.look_up(node)
        if node.attr == "newaxis" and self.resolve(node.value) is np:
            return NONE
        limit = others.limits(self, node)
        if limit is not None:
            return limit
        value = self.eval(node.value)
        if value.dtype == "grid":
            value = self.as_array(node, value)
        if value.dtype == "record" and value.kind is not None and node.attr in value.keys:
            part: Value = (value.items or ())[value.keys.index(node.attr)]
            return part
        if value.dtype == "type" and isinstance(value.function, np.dtype) and node.attr in ("kind", "char", "name", "itemsize"):
            return self.constant_of(node, found, "") if isinstance(found := getattr(value.function, node.attr), int) else Value(repr(found), ATOM, "text", function=found)
        if value.listed or value.items is not None or value.function is not None:
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
        if isinstance(node, ast.BoolOp):
            return self.decided(node, self.condition)
        value = self.eval(node)
        if value.listed or value.items is not None and value.dtype in ("list", "tuple"):
            return literal(bool(value.items)) if value.items is not None else compare(self.context, node, ast.Gt, self.size_value(value, 0), literal(0))
        if not value.scalar or value.rank:
            raise Unread(node, Code.TYPE, "the truth value of an array", "use `.any()`, `.all()` or `len(..) > 0`")
        return self.truth(node, value)

    def as_array(self, node: ast.AST, value: Value) -> Value:
        """A tuple or list of numbers or arrays as one array."""
        if value.dtype == "record":
            value = records.gone_over(value) if value.kind is not None else value
        if value.dtype == "record":
            raise Unread(node, Code.TYPE, "a record is no array", "make an array of its parts")
        if value.items is None:
            if value.dtype in ("none", "text", "type") or value.function is not None:
                raise Unread(node, Code.TYPE, "this is no array", "")
            return pylists.array_of(self, node, value) if value.listed else value
        items = [self.as_array(node, item) for item in value.items]
        if not items:
            return Value("([] : [0]f64)", ATOM, "f64", (Size.of(0),))
        dtype = items[0].dtype
        for item in items[1:]:
            if item.dtype != dtype:
                # In a list, a number of Python's own is `int64` or `float64` for NumPy: NEP 50 is not about lists.
                _, dtype = result_dtype(np.add, [replace(items[0], dtype=dtype, weak=False), replace(item, weak=False)])
        decided(node, items)
        items = self.of_one_shape(node, items)
        shape = items[0].shape
        texts = [convert(item, dtype) for item in items]
        parts = [bound_text(text) if k == 0 else text.text for k, text in enumerate(texts)]
        return Value(f"[{', '.join(parts)}]", ATOM, dtype, (Size.of(len(items)), *shape))

    def of_one_shape(self, node: ast.AST, items: list[Value]) -> list[Value]:
        """Rows of one array: sizes are made one, or looked at when the program runs."""
        if any(item.rank != items[0].rank or item.axes != items[0].axes for item in items):
            raise Unread(node, Code.SHAPE, "rows of different sizes", "")
        for axis in items[0].axes:
            size, check = joined(self.context, node, [item.shape[axis] for item in items])
            if check and not size.known:
                raise Unread(node, Code.SHAPE, "rows whose sizes may differ", "give the sizes names: `k = len(x)`")
            items = [item if item.shape[axis] == size else sized(self.context, node, item, axis, size) for item in items] if check else items
        return items

    def as_float(self, node: ast.AST, value: Value) -> Value:
        """As floats."""
        if value.dtype in FLOATS:
            return value
        return elementwise(self.context, node, [value], lambda values: (convert(values[0], "f64").text, APPLY), "f64")

    # Operators ---------------------------------------------------------------------------------------------------------------

    def _binop(self, node: ast.BinOp) -> Value:
        left, right = (records.gone_over(each) if each.kind is not None else each for each in (self.eval(node.left), self.eval(node.right)))
        if left.listed or right.listed or isinstance(node.op, ast.Mult) and "list" in (left.dtype, right.dtype):
            joined_list = pylists.operated(self, node, node.op, left, right)
            if joined_list is not None:
                return joined_list
        if isinstance(node.op, ast.MatMult):
            return matmul(self, node, left, right)
        if isinstance(node.op, ast.Add) and left.items is not None and right.items is not None and left.dtype == right.dtype != "record":
            return replace(left, items=(*left.items, *right.items), serial=object())
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
        if len(operands) == 2 and isinstance(node.ops[0], (ast.In, ast.NotIn)):
            return pylists.contained(self, node, operands[0], operands[1], isinstance(node.ops[0], ast.In))
        if all(isinstance(operand.function, str) for operand in operands) and all(isinstance(op, (ast.Eq, ast.NotEq)) for op in node.ops):
            texts = [operand.function for operand in operands]
            return literal(all((one == two) == isinstance(op, ast.Eq) for op, one, two in zip(node.ops, texts, texts[1:])))
        if len(operands) == 2 and "type" in (operands[0].dtype, operands[1].dtype) and {each.dtype for each in operands} <= {"type", "text"} and isinstance(node.ops[0], (ast.Eq, ast.NotEq)):
            return literal(others.same_type(node, operands[0].function, operands[1].function) == isinstance(node.ops[0], ast.Eq))
        if any(operand.listed for operand in operands) and not any(operand.rank and not operand.listed for operand in operands):
            raise Unread(node, Code.TYPE, "a comparison of lists", "compare arrays: `np.array_equal(x, y)`")
        if operands[0].items is not None and len(operands) == 2 and operands[1].items is not None and "record" not in (operands[0].dtype, operands[1].dtype):
            one, two = ([item.const for item in operand.items or ()] for operand in operands)
            if None not in one + two and isinstance(node.ops[0], (ast.Eq, ast.NotEq)):
                return literal((one == two) == isinstance(node.ops[0], ast.Eq))
        parts = []
        for op, left, right in zip(node.ops, operands, operands[1:]):
            if left.is_literal and right.is_literal and type(op) in FOLDED:
                parts.append(literal(bool(FOLDED[type(op)](left.const, right.const))))
                continue
            if isinstance(op, (ast.Is, ast.IsNot)) and "none" in (left.dtype, right.dtype):
                return literal((left.dtype == right.dtype) == isinstance(op, ast.Is))
            parts.append(compare(self.context, node, type(op), left, right))
        if len(parts) > 1 and not all(part.scalar for part in parts):
            raise Unread(node, Code.FORM, "a chain of comparisons of arrays", "write `(a < b) & (b < c)`")
        if len(parts) > 1 and all(isinstance(part.const, bool) for part in parts):
            return literal(all(part.const for part in parts))
        return self.all_of(parts, "&&", LOW + 2) if len(parts) > 1 else parts[0]

    def all_of(self, parts: list[Value], symbol: str, prec: int) -> Value:
        return Value(f" {symbol} ".join(part.at(prec + 1) for part in parts), prec, "bool", weak=all(part.weak for part in parts))

    def _boolop(self, node: ast.BoolOp) -> Value:
        first = self.eval(node.values[0]) if len(node.values) == 2 and isinstance(node.values[0], ast.Name) else None
        if first is not None and first.items is None and first.dtype != "bool" and (first.dtype in ("none", "text") or first.scalar and first.dtype in FLOATS | INTS):
            return self.one_of_two(node, first)
        return self.decided(node, self.truth_value)

    def one_of_two(self, node: ast.BoolOp, first: Value) -> Value:
        """`x or y`, `x and y` of numbers and of `None`: one of them, whichever x says."""
        other = isinstance(node.op, ast.And)  # whether it is the second one where x is no zero
        if first.dtype in ("none", "text") or first.const is not None:
            truth = bool(first.const if first.const is not None else first.function)
            return self.eval(node.values[1]) if truth == other else first
        self.uncertain += 1
        try:
            second = self.eval(node.values[1])
        finally:
            self.uncertain -= 1
        if not second.scalar or second.rank or second.dtype not in FLOATS | INTS:
            raise Unread(node, Code.TYPE, "`and` or `or` of different things", "write `y if x != 0 else x`")
        dtype, weak = self.join_types(node, first, second)
        one, two = (bound_text(convert(each, dtype)) for each in ((second, first) if other else (first, second)))
        return Value(f"if {first.at(COMPARE + 1)} != 0 then {one} else {two}", LOW, dtype, weak=weak, origin=of_two(first, second, dtype))

    def truth_value(self, node: ast.expr) -> Value:
        """An operand of `and` or `or`, whose value is one of them."""
        part = self.eval(node)
        if part.dtype != "bool" or not part.scalar:
            raise Unread(node, Code.TYPE, "`and` or `or` of what are no truth values", "compare them: `x != 0 and ..`; for arrays use `&` and `|`")
        return part

    def decided(self, node: ast.BoolOp, read: Callable[[ast.expr], Value]) -> Value:
        """`a and b`, `a or b`: what is decided already is not looked at beyond."""
        both = isinstance(node.op, ast.And)
        kept: list[Value] = []
        self.uncertain += 1
        try:
            for k, each in enumerate(node.values):
                self.uncertain -= k == 0
                part = read(each)
                self.uncertain += k == 0
                if part.const is (not both) and not kept:
                    return literal(not both)
                if part.const is not both:
                    kept.append(part)
        finally:
            self.uncertain -= 1
        if not kept:
            return literal(both)
        return (self.all_of(kept, "&&", LOW + 2) if both else self.all_of(kept, "||", LOW + 1)) if len(kept) > 1 else kept[0]

    def _ifexp(self, node: ast.IfExp) -> Value:
        test = self.condition(node.test)
        if isinstance(test.const, bool):
            return self.eval(node.body if test.const else node.orelse)
        self.uncertain += 1
        ends = [self.end_of(each) for each in (node.body, node.orelse)]
        self.uncertain -= 1
        if ends[0] is None or ends[1] is None:
            # Of a function that calls itself one of them says the type.
            found = ends[0] if ends[0] is not None else ends[1]
            if found is None:
                raise Poisoned
            return found
        one, two = ends[0], ends[1]
        dtype, weak = self.join_types(node, one, two)
        if one.items is not None or two.items is not None or one.rank != two.rank or one.axes != two.axes:
            raise Unread(node, Code.SHAPE, "branches with different shapes", "")
        shape = tuple(a if a == b else unknown_size() for a, b in zip(one.shape, two.shape))
        either = of_two(one, two, dtype)
        one, two = convert(one, dtype), convert(two, dtype)
        text = f"if {test.text} then {bound_text(one)} else {two.text}"
        return Value(text, LOW, dtype, shape, weak=weak, small=one.small and two.small, memory=one.memory | two.memory, origin=either)

    def end_of(self, node: ast.expr) -> Value | None:
        """The value of a branch; None for a call of a function by itself before its type is known."""
        try:
            return self.eval(node)
        except Poisoned:
            if any(entry.open and entry.result is None for entry in self.context.recursions):
                return None
            raise

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
            value = records.gone_over(self.eval(each.value)) if isinstance(each, ast.Starred) else self.eval(each)
            if isinstance(each, ast.Starred) and value.items is None:
                raise Unread(each, Code.FORM, "`*` before what is no tuple or list", "write the parts")
            found += value.items or () if isinstance(each, ast.Starred) else [value]
        return tuple(found)

    def _list(self, node: ast.List) -> Value:
        return Value("", ATOM, "list", items=self.parts_of(node.elts), serial=object())

    def _generatorexp(self, node: ast.GeneratorExp | ast.ListComp) -> Value:
        mapped = self.mapped(node, node.generators[0]) if len(node.generators) == 1 else None
        if mapped is not None:
            return mapped
        saved, saved_locals, waiting = dict(self.env), set(self.locals), list(self.context.pending)
        self.uncertain += 1
        try:
            return Value("", ATOM, "list", items=tuple(self.written_out(node, 0)), serial=object())
        except Long:
            self.context.pending[:] = waiting
        finally:
            self.env, self.locals = saved, saved_locals
            self.uncertain -= 1
        return self.looped(node)

    def written_out(self, node: ast.GeneratorExp | ast.ListComp, k: int) -> list[Value]:
        """The values of a comprehension over tuples and short ranges, one by one."""
        if k == len(node.generators):
            return [self.eval(node.elt)]
        generator = node.generators[k]
        numbers = self.constant_range(generator.iter)
        values = records.gone_over(self.eval(generator.iter)).items if numbers is None else tuple(map(literal, numbers))
        if values is None or not isinstance(generator.target, ast.Name):
            raise Long
        self.locals.add(generator.target.id)
        found: list[Value] = []
        for item in values:
            self.env[generator.target.id] = item
            tests = [self.condition(each) for each in generator.ifs]
            if any(not isinstance(test.const, bool) for test in tests):
                raise Long
            if all(test.const for test in tests):
                found += self.written_out(node, k + 1)
        return found

    def looped(self, node: ast.GeneratorExp | ast.ListComp) -> Value:
        """A comprehension as loops that append to a list."""
        raise NotImplementedError

    _listcomp = _generatorexp

    def _dict(self, node: ast.Dict) -> Value:
        keys = [each.value if isinstance(each, ast.Constant) and isinstance(each.value, str) else None for each in node.keys]
        if None in keys:
            raise Unread(node, Code.FORM, "a dictionary whose keys are no constant texts", "use arrays, indexed by numbers")
        return records.dictionary(self, node, [str(key) for key in keys], node.values)

    def _lambda(self, node: ast.Lambda) -> Value:
        raise NotImplementedError

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

    def element(self, node: ast.expr, value: Value, parts: list[Any]) -> Value:
        """An element, a slice, or elements at several places."""
        raise NotImplementedError

    # Calls -------------------------------------------------------------------------------------------------------------------

    def arguments(self, node: ast.Call) -> tuple[list[Value], dict[str, Value]]:
        """The values of the arguments."""
        return [self.eval(each) for each in node.args], {str(each.arg): self.eval(each.value) for each in node.keywords}

    def call_value(self, node: ast.Call, called: Value, values: list[Value], options: dict[str, Value]) -> Value:
        """A call of the function that a value is."""
        raise NotImplementedError

    def local_function(self, node: ast.AST, params: list[Value], body: Callable[[list[Value]], Value]) -> tuple[str, Value]:
        """Defines a function of values of these types before the current statement; its name, and what its result is."""
        raise NotImplementedError

    def drawn(self, node: ast.Call, generator: ast.expr, call: str, made: Value) -> Value:
        """What a function of a generator's state gives, which has another state afterwards."""
        raise NotImplementedError

    def call_local(self, node: ast.Call, function: Any, values: list[Value], options: dict[str, Value]) -> Value:
        """A call of a function that is read as well."""
        raise NotImplementedError


__all__ = ["NONE", "Expressions", "einsum", "further", "grids", "products", "searches", "selections", "several"]
