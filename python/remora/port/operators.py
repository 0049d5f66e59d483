"""Elementwise operations and broadcasting: NumPy aligns dimensions on the right, which is what the compiler inserts; only other alignments are written out."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .context import Context, Restart
from .diagnostics import Code, Unread
from .either import beside, either, plain
from .sizes import ONE, Size
from .values import (
    NUMPY,
    APPLY, ATOM, BITS, COMPARE, FLOATS, INTS, LOW, POWER, PRODUCT, SHIFT, SUM, UNARY, Value, convert, fresh, literal, result_dtype,
)  # fmt: skip

# A scalar operation: it is given texts of its operands, and returns a text and how tightly that binds.
Scalar = Callable[[list[Value]], tuple[str, int]]

BINARY: dict[type, tuple[Any, str, int]] = {
    ast.Add: (np.add, "+", SUM), ast.Sub: (np.subtract, "-", SUM), ast.Mult: (np.multiply, "*", PRODUCT), ast.Div: (np.true_divide, "/", PRODUCT),
    ast.FloorDiv: (np.floor_divide, "/", PRODUCT), ast.Mod: (np.remainder, "%", PRODUCT), ast.Pow: (np.power, "**", POWER),
    ast.LShift: (np.left_shift, "<<", SHIFT), ast.RShift: (np.right_shift, ">>", SHIFT),
    ast.BitAnd: (np.bitwise_and, "&", BITS), ast.BitOr: (np.bitwise_or, "|", BITS), ast.BitXor: (np.bitwise_xor, "^", BITS),
}  # fmt: skip
COMPARISONS: dict[type, tuple[Any, str]] = {
    ast.Lt: (np.less, "<"), ast.LtE: (np.less_equal, "<="), ast.Gt: (np.greater, ">"), ast.GtE: (np.greater_equal, ">="),
    ast.Eq: (np.equal, "=="), ast.NotEq: (np.not_equal, "!="),
}  # fmt: skip


def infix(symbol: str, prec: int) -> Scalar:
    """An operator that groups from the left."""
    left = prec + 1 if prec in (COMPARE, POWER, BITS, SHIFT) else prec
    return lambda values: (f"{values[0].at(left)} {symbol} {values[1].at(prec + 1)}", prec)


def applied(name: str) -> Scalar:
    """A function."""
    return lambda values: (" ".join([name, *(value.argument for value in values)]), APPLY)


def joined(context: Context, node: ast.AST | None, sizes: list[Size]) -> tuple[Size, bool]:
    """The size of a dimension of a result from those of the operands that have it, and whether a check at run time is needed."""
    first = sizes[0]
    for other in sizes[1:]:
        if other == first:
            continue
        a, b = first.number, other.number
        if a is not None and b is not None:
            raise Unread(node, Code.SHAPE, f"sizes {a} and {b} do not fit", "NumPy raises an error, too, where this runs for such arguments; here the sizes have to fit also in branches and loops that do not run")
        pairs = [(other, first), (first, other)]
        if other.single in context.wished and first.single not in context.wished:
            pairs.reverse()
        for one, two in pairs:
            name = one.single
            if name in context.sizes and (two.number is not None or two.single in context.sizes):
                assert name is not None
                context.facts.merged[name] = two
                raise Restart
        return first if first.known else other, True
    return first, False


def broadcast(context: Context, node: ast.AST | None, values: list[Value]) -> tuple[tuple[Size, ...], list[Value]]:
    """NumPy's shape of an elementwise operation; the operands, with sizes looked at where the compiler could not know that they agree."""
    rank = max(value.rank for value in values)
    shape: list[Size] = []
    values = list(values)
    for k in range(rank):
        having = [(j, value.shape[k - rank + value.rank]) for j, value in enumerate(values) if k - rank + value.rank >= 0]
        sizes = [size for _, size in having if size != ONE]
        if not sizes:
            shape.append(ONE)
            continue
        if any(size.number != 1 for size in sizes):
            # What has one element in this dimension is stretched.
            for j, own in having:
                if own != ONE and own.number == 1:
                    values[j] = first_of(values[j], k - rank + values[j].rank)
            sizes = [size for size in sizes if size.number != 1]
        size, check = joined(context, node, sizes)
        shape.append(size)
        if check and not size.known:
            first = next(j for j, own in having if own != ONE)
            values[first] = named_size(context, values[first], k - rank + values[first].rank)
            size = shape[-1] = values[first].shape[k - rank + values[first].rank]
        if check:
            for j, own in having:
                own = values[j].shape[k - rank + values[j].rank]
                if own not in (ONE, size):
                    values[j] = sized(context, node, values[j], k - rank + values[j].rank, size)
    return tuple(shape), values


def unstretched(context: Context, node: ast.AST | None, one: Value, other: Value) -> tuple[Value, Value]:
    """Two arrays whose sizes have to be equal, where one of them may be 1: what only the run knows is looked at, nothing is stretched."""
    for k in range(one.rank):
        a, b = one.shape[k], other.shape[k]
        if a == b or ONE in (a, b):
            continue
        if a.number is not None and b.number is None:
            other = sized(context, node, other, k, a)
        elif b.number is not None and a.number is None:
            one = sized(context, node, one, k, b)
    return one, other


def first_of(value: Value, axis: int) -> Value:
    """The only element of a dimension, which broadcasting stretches."""
    place = value.axes.index(axis)
    shape = tuple(ONE if k == axis else each for k, each in enumerate(value.shape))
    index = value.text[value.text.rfind("[") + 1 : -1].split(", ") if value.text.endswith("]") and value.text[:1] != "[" and value.text.count("[") == 1 else []
    low, _, high = index[place].partition(":") if place < len(index) and all(":" in each for each in index) else ("", "", "")
    if (low or "0").isalnum() and high in (f"{low} + 1", "1" if low in ("", "0") else ""):
        index[place] = low or "0"
        return replace(value, text=f"{value.text[: value.text.find('[')]}[{', '.join(index)}]", prec=ATOM, shape=shape)
    return replace(value, text=f"{value.argument}[{':, ' * place}0]", prec=ATOM, shape=shape)


def named_size(context: Context, value: Value, axis: int) -> Value:
    """The value under a name, with a name for the size of a dimension that only the run knows."""
    size, name = context.short("size"), context.short()
    shape = tuple(Size.name(size) if k == axis else each for k, each in enumerate(value.shape))
    dims = "".join(f"[{shape[k].text()}]" if shape[k].known else "[]" for k in value.axes)
    context.stable.add(size)
    context.pending.append(f"let [{size}] ({name}: {dims}{value.dtype}) = {value.text}")
    return replace(value, text=name, prec=ATOM, shape=shape)


def named_array(context: Context, value: Value) -> Value:
    """The array under a name, in a line of its own."""
    if value.text.isidentifier():
        return value
    name = context.short()
    context.pending.append(f"let {name} = {value.text}")
    return value.named(name)


def sized(context: Context, node: ast.AST | None, value: Value, axis: int, size: Size) -> Value:
    """The value with the size of a dimension looked at when the program runs."""
    place = value.axes.index(axis)
    shape = tuple(size if k == axis else each for k, each in enumerate(value.shape))
    if not size.known:
        raise Unread(node, Code.SHAPE, "these sizes are known only when the program runs, and it cannot be said that they are equal", "compute both from one mask, or give the size a name: `k = len(x)`")
    text = size.text()
    if place == 0:
        return replace(value, text=f"sized {text if text.isalnum() or text.isidentifier() else f'({text})'} {value.argument}", prec=APPLY, shape=shape)
    dims = "".join("[]" if k != place else f"[{text}]" for k in range(len(value.axes)))
    return replace(value, text=f"({value.text} :> {dims}{value.dtype})", prec=ATOM, shape=shape)


def elementwise(context: Context, node: ast.AST | None, values: list[Value], scalar: Scalar, dtype: str) -> Value:
    """A scalar operation on whole arrays."""
    for value in values:
        if value.items is not None or value.function is not None:
            raise Unread(node, Code.TYPE, "this is no number and no array of numbers", "make an array of it: `np.array([..])`")
    shape, values = broadcast(context, node, values)
    rank = len(shape)
    places = [tuple(k + rank - value.rank for k in value.axes) for value in values]
    text, prec = _spread(context, values, places, scalar)
    weak = all(value.weak for value in values) and not shape
    return Value(text, prec, dtype, shape, weak=weak, memory=frozenset())


def _spread(context: Context, values: list[Value], places: list[tuple[int, ...]], scalar: Scalar) -> tuple[str, int]:
    union = sorted({k for place in places for k in place})
    whole = any(list(place) == union for place in places)
    if whole and all(not place or list(place) == union[-len(place) :] for place in places):
        return scalar(values)
    # Inside of a map an array whose size only the run knows would have another size each time: it is made before.
    values = [named_array(context, value) if any(not size.known for size in value.shape) else value for value in values]
    # The outermost dimension is written out: what has it is mapped over.
    outer = union[0]
    mapped = [j for j, place in enumerate(places) if outer in place]
    inner, arguments, params = list(values), [], []
    for j in mapped:
        rank = len(places[j]) - 1
        name = context.short()
        inner[j] = replace(values[j], text=name, prec=ATOM, const=None)
        params.append(f"({name}: {'[]' * rank}{values[j].dtype})" if rank else name)
        arguments.append(values[j].argument)
    rest = [tuple(k for k in place if k != outer) for place in places]
    body, _ = _spread(context, inner, rest, scalar)
    for j in mapped:
        context.names.discard(inner[j].text)
    function = "map" if len(mapped) == 1 else f"map{len(mapped)}"
    return f"{function} (\\{' '.join(params)} -> {body}) {' '.join(arguments)}", APPLY


def fitted(context: Context, node: ast.AST | None, value: Value, dtype: str) -> Value:
    """An operand as the type that NEP 50 gives it: one of Python's integers has to be one of the type's values."""
    if value.weak and value.dtype == "i64" and dtype in INTS and dtype != "i64":
        info = np.iinfo(dtype.replace("u", "uint").replace("i", "int") if dtype[0] == "i" else dtype.replace("u", "uint"))
        if value.const is not None:
            if not info.min <= value.const <= info.max:
                raise Unread(node, Code.TYPE, f"{value.const} is no {np.dtype(info.dtype)}", "NumPy raises `OverflowError` here")
            return convert(value, dtype)
        if dtype == "u64":
            raise Unread(node, Code.TYPE, "one of Python's integers beside `uint64`", "convert it: `np.uint64(n)`")
        return replace(value, text=f"{context.helper(f'fits_{dtype}')} {value.argument}", prec=APPLY, dtype=dtype, weak=False)
    return convert(value, dtype)


def binary(context: Context, node: ast.AST | None, op: Any, left: Value, right: Value) -> Value:
    """An operator of Python's on numbers and arrays."""
    made = _binary(context, node, op, plain(left), plain(right)) if either(left) or either(right) else _binary(context, node, op, left, right)
    kept = made.origin
    for value, other in ((left, right), (right, left)):
        if either(value) is not None and (kept is None or value is left):
            kept = beside(node, value, other, op is ast.Div)
    return replace(made, origin=kept)


def _binary(context: Context, node: ast.AST | None, op: Any, left: Value, right: Value) -> Value:
    if op not in BINARY:
        raise Unread(node, Code.FORM, f"the operator `{op.__name__}` is not read", "")
    ufunc, symbol, prec = BINARY[op]
    for value in (left, right):
        if value.items is not None or value.function is not None:
            raise Unread(node, Code.TYPE, "arithmetic with a tuple or list", "make an array of it: `np.array([..])`")
    left, right = beside_float(left, right, op), beside_float(right, left, op)
    if isinstance(left.origin, Power) and isinstance(right.origin, Power) and right.dtype == "f64":
        # The second one has to be a float; then the first one may be what it is.
        left = beside_float(left, replace(right, origin=None), op)
    if left.weak and right.weak:
        return _python_numbers(context, node, op, left, right, symbol, prec)
    if op in (ast.LShift, ast.RShift):
        return _shift(context, node, ufunc, left, right, symbol)
    if op is ast.Pow and left.dtype == "bool" and right.const is not None:
        raise Unread(node, Code.TYPE, "a power of truth values", "convert them: `astype(np.int64)`")
    if op is ast.Pow and right.const in (2, 3) and not isinstance(right.const, bool) and left.dtype in INTS:
        (a, _), dtype = result_dtype(ufunc, [left, right])
        left = fitted(context, node, left, a)
        return elementwise(context, node, [left, convert(right, a)], infix("**", POWER), dtype)
    try:
        wanted, dtype = result_dtype(ufunc, [left, right])
    except Unread:
        raise Unread(node, Code.TYPE, f"NumPy has no `{symbol}` for {left.dtype} and {right.dtype} that is read", "convert one of them with `astype`") from None
    if left.dtype == "bool" and right.dtype == "bool" and op in (ast.Add, ast.Mult):
        op, symbol, prec = (ast.BitOr, "||", LOW + 1) if op is ast.Add else (ast.BitAnd, "&&", LOW + 2)
    elif dtype == "bool":
        if op is ast.BitXor:
            return elementwise(context, node, [left, right], infix("!=", COMPARE), "bool")
        symbol, prec = {ast.BitAnd: ("&&", LOW + 2), ast.BitOr: ("||", LOW + 1)}[op]
    values = [fitted(context, node, value, want) for value, want in zip((left, right), wanted)]
    if op in (ast.FloorDiv, ast.Mod) and dtype in FLOATS:
        return elementwise(context, node, values, applied(context.library("floor_divide" if op is ast.FloorDiv else "mod", dtype)), dtype)
    if op is ast.Pow and dtype in FLOATS and right.const in (2, 2.0):
        values[1] = replace(values[1], text="2")
    if op in (ast.FloorDiv, ast.Mod) and not right.const:
        # By 0 NumPy gives 0.
        return elementwise(context, node, values, applied(context.helper(f"{'quotient' if op is ast.FloorDiv else 'remainder'}_{dtype}")), dtype)
    made = elementwise(context, node, values, infix(symbol, prec), dtype)
    size = _size(op, left, right) if dtype == "i64" and not made.shape else None
    return replace(made, size=size, small=left.small and right.small and op in (ast.Add, ast.Sub))


@dataclass(frozen=True)
class Power:
    """What is kept of a number that is a float in some cases only, such as a power of Python's own integers: the text that makes a float in all of them."""

    text: str


def beside_float(value: Value, other: Value, op: Any) -> Value:
    """A power of integers beside a float: there it is one, too, whatever the exponent is."""
    power = value.origin
    if not isinstance(power, Power) or not (other.dtype in FLOATS and not isinstance(other.origin, Power) or op is ast.Div and not isinstance(other.origin, Power)):
        return value
    return replace(value, text=power.text, prec=APPLY, dtype="f64", origin=None, size=None, small=False)


def _shift(context: Context, node: ast.AST | None, ufunc: Any, left: Value, right: Value, symbol: str) -> Value:
    """`x << k` and `x >> k` of integers, by a constant that is less than the number of bits."""
    try:
        wanted, dtype = result_dtype(ufunc, [left, right])
    except Unread:
        raise Unread(node, Code.TYPE, f"NumPy has no `{symbol}` for {left.dtype} and {right.dtype}", "convert one of them with `astype`") from None
    if dtype not in INTS or not isinstance(right.const, int) or not 0 <= right.const < np.iinfo(str(NUMPY[dtype])).bits:
        raise Unread(node, Code.TYPE, f"`{symbol}` by what may be more than the number of bits", "shift by a constant")
    values = [fitted(context, node, value, want) for value, want in zip((left, right), wanted)]
    return elementwise(context, node, values, infix(symbol, SHIFT), dtype)


def _size(op: Any, left: Value, right: Value) -> Size | None:
    if left.size is None or right.size is None:
        return None
    if op is ast.Add:
        return left.size + right.size
    if op is ast.Sub:
        return left.size - right.size
    return left.size * right.size if op is ast.Mult else None


def _python_numbers(context: Context, node: ast.AST | None, op: Any, left: Value, right: Value, symbol: str, prec: int) -> Value:
    """Numbers of Python's own: integers of any size, floats that fail where NumPy's are infinite."""
    literals = all(value.is_literal or isinstance(value.const, bool) for value in (left, right))
    if literals and not (op in (ast.Pow, ast.LShift) and abs(right.const) > 64):
        import operator

        function = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv, ast.FloorDiv: operator.floordiv,
                    ast.Mod: operator.mod, ast.Pow: operator.pow, ast.LShift: operator.lshift, ast.RShift: operator.rshift, ast.BitAnd: operator.and_, ast.BitOr: operator.or_, ast.BitXor: operator.xor}[op]  # fmt: skip
        try:
            result = function(left.const, right.const)
        except (ArithmeticError, TypeError, ValueError) as error:
            raise Unread(node, Code.TYPE, f"this fails: {error}", "") from None
        if isinstance(result, (int, float)) and abs(result) < 2**63:
            whole = literal(result)
            exact = isinstance(result, int) or len(whole.text) <= 8
            if exact:
                return whole if isinstance(result, (bool, float)) or result >= 0 else replace(whole, prec=UNARY)
            kept = elementwise(context, node, [_as_float(left), _as_float(right)] if isinstance(result, float) else [left, right], infix(symbol, prec), "f64")
            return replace(kept, weak=True)
    if literals and op in (ast.Pow, ast.LShift, ast.Mult) and isinstance(left.const, int) and isinstance(right.const, int) and abs(left.const) > 1 and right.const > 0:
        raise Unread(node, Code.TYPE, "an integer beyond 64 bits", "use a float")
    dtypes = {left.dtype, right.dtype}
    if "c128" in dtypes and op in (ast.Add, ast.Sub, ast.Mult) and "bool" not in dtypes:
        return replace(elementwise(context, node, [_complex(left), _complex(right)], infix(symbol, prec), "c128"), weak=True)
    if "c128" in dtypes and op is ast.Div and "bool" not in dtypes:
        return replace(elementwise(context, node, [_complex(left), _complex(right)], applied(context.helper("divided_complex")), "c128"), weak=True)
    if left.dtype == "c128" and op is ast.Pow and right.const == 2 and type(right.const) is int and left.text.isidentifier():
        return replace(elementwise(context, node, [left, left], infix("*", PRODUCT), "c128"), weak=True)
    if "c128" in dtypes or dtypes == {"bool"}:
        raise Unread(node, Code.TYPE, f"`{symbol}` of Python's own {' and '.join(sorted(dtypes))} is not read", "")
    if op in (ast.BitAnd, ast.BitOr, ast.BitXor):
        return replace(elementwise(context, node, [convert(left, "i64"), convert(right, "i64")], infix(symbol, prec), "i64"), weak=True)
    if "f64" not in dtypes and op is not ast.Div:
        return _python_integers(context, node, op, convert(left, "i64"), convert(right, "i64"), symbol, prec)
    values = [_as_float(left), _as_float(right)]
    scalar = infix(symbol, prec)
    if op is ast.Div and not right.const:
        scalar = applied(context.helper("divided"))
    elif op in (ast.FloorDiv, ast.Mod):
        quotient = context.library("floor_divide" if op is ast.FloorDiv else "mod")
        if right.const == 0:
            raise Unread(node, Code.TYPE, "a division by zero", "Python raises an error, too")
        divisor = "" if right.const else context.helper("divisor")
        scalar = (lambda v: (f"{quotient} {v[0].argument} ({divisor} {v[1].argument})", APPLY)) if divisor else applied(quotient)
    elif op is ast.Pow:
        plain = isinstance(right.const, int) and right.const in (0, 1)
        scalar = infix(symbol, prec) if plain else applied(context.helper("power"))
    return replace(elementwise(context, node, values, scalar, "f64"), weak=True)


def _complex(value: Value) -> Value:
    return value if value.dtype == "c128" else convert(convert(value, "f64"), "c128") if not value.is_literal else replace(value, text=f"c128.f64 {value.argument}", prec=APPLY, dtype="c128", const=None)


def _as_float(value: Value) -> Value:
    return convert(value, "f64")


def _python_integers(context: Context, node: ast.AST | None, op: Any, left: Value, right: Value, symbol: str, prec: int) -> Value:
    scalar = infix(symbol, prec)
    small = left.small and right.small
    if op is ast.Mult and not small:
        scalar = applied(context.helper("times"))
    elif op in (ast.Add, ast.Sub) and not (left.small or right.small):
        scalar = applied(context.helper("plus" if op is ast.Add else "minus"))
    elif op in (ast.LShift, ast.RShift):
        scalar = applied(context.helper("shifted_left" if op is ast.LShift else "shifted_right"))
    elif op is ast.Pow and not (left.small and right.const in (0, 1)):
        if right.const == 2:
            return _python_integers(context, node, ast.Mult, left, left, "*", PRODUCT)
        if isinstance(right.const, int) and right.const >= 0:
            context.helper("times")
            scalar = applied(context.helper("raised"))
        else:
            return _power(context, left, right)
    made = elementwise(context, node, [left, right], scalar, "i64")
    size = _size(op, left, right)
    keep_small = (small and op in (ast.Add, ast.Sub, ast.FloorDiv)) or (op is ast.Mod and right.small) or (op is ast.FloorDiv and left.small)
    nonnegative = op is ast.Mod and isinstance(right.const, int) and right.const > 0
    if size is None and nonnegative:
        pass
    return replace(made, weak=True, size=size, small=keep_small)


def _power(context: Context, left: Value, right: Value) -> Value:
    """A power of Python's own integers whose exponent only the run knows: by its form it is taken to be negative, or not."""
    floats = [_as_float(each).argument for each in (left, right)]
    both = f"{context.helper('power')} {' '.join(floats)}"
    if right.text.startswith("-"):
        return Value(f"{context.helper('inverse_power')} {left.argument} {right.argument}", APPLY, "f64", weak=True, origin=Power(both))
    context.helper("times")
    return Value(f"{context.helper('raised')} {left.argument} {right.argument}", APPLY, "i64", weak=True, origin=Power(both))


def compare(context: Context, node: ast.AST | None, op: Any, left: Value, right: Value) -> Value:
    """A comparison of numbers or arrays."""
    left, right = beside_float(left, right, ast.Sub), beside_float(right, left, ast.Sub)
    if op not in COMPARISONS:
        raise Unread(node, Code.FORM, f"the comparison `{op.__name__}` is not read", "compare numbers with `==`, `<`, ..")
    ufunc, symbol = COMPARISONS[op]
    if left.dtype == right.dtype:
        values = [left, right]
    elif left.weak and right.weak:
        wide = next((dtype for dtype in ("c128", "f64") if dtype in (left.dtype, right.dtype)), "i64")
        values = [_complex(each) if wide == "c128" else convert(each, wide) for each in (left, right)]
    elif {left.dtype, right.dtype} <= INTS and (left.weak or right.weak):
        # NumPy compares one of Python's integers with any integer by its value.
        values = [left, right]
        for j, (one, other) in enumerate(((left, right), (right, left))):
            if one.weak and one.const is not None:
                info = np.iinfo(np.dtype({v: k for k, v in _names()}[other.dtype]))
                if info.min <= one.const <= info.max:
                    values[j] = convert(one, other.dtype)
        if values[0].dtype != values[1].dtype:
            if "u64" in (left.dtype, right.dtype):
                raise Unread(node, Code.TYPE, "one of Python's integers beside `uint64`", "convert it: `np.uint64(n)`")
            values = [convert(each, "i64") for each in values]
    else:
        wanted, _ = result_dtype(ufunc, [left, right])
        if wanted[0] != wanted[1]:
            # `uint64` beside a signed type: NumPy compares the numbers, which no type here holds.
            raise Unread(node, Code.TYPE, f"a comparison of {left.dtype} and {right.dtype}", "convert one of them with `astype`")
        values = [convert(value, want) for value, want in zip((left, right), wanted)]
    if values[0].dtype in ("c64", "c128") and symbol not in ("==", "!="):
        values = [value if value.dtype == "c128" else elementwise(context, node, [value], lambda v: (convert(v[0], "c128").text, APPLY), "c128") for value in values]
        order = values if symbol[0] == ">" else values[::-1]
        return elementwise(context, node, order, applied(context.helper("complex_more_or_same" if "=" in symbol else "complex_more")), "bool")
    return elementwise(context, node, values, infix(symbol, COMPARE), "bool")


def _names() -> list[tuple[str, str]]:
    from .values import DTYPES

    return list(DTYPES.items())


def negated(context: Context, node: ast.AST, value: Value) -> Value:
    """`-x`."""
    if value.is_literal:
        if value.text.startswith("-"):
            return literal(-value.const)
        return replace(value, text=f"-{value.text}", const=-value.const, size=Size.of(-value.const) if isinstance(value.const, int) else None)
    if value.dtype == "bool":
        raise Unread(node, Code.TYPE, "the negative of a truth value", "use `~` or `not`")
    made = elementwise(context, node, [value], lambda values: (f"-{values[0].at(UNARY + 1)}", UNARY), value.dtype)
    return replace(made, weak=value.weak, size=-value.size if value.size is not None else None, small=value.small, origin=either(value))


def unknown_size() -> Size:
    """A size that only the run knows."""
    return Size.name(fresh())


__all__ = ["APPLY", "ATOM", "BINARY", "LOW", "applied", "binary", "broadcast", "compare", "elementwise", "fitted", "infix", "joined", "negated", "sized", "unknown_size", "unstretched"]
