"""Operators and builtins of Python's lists."""

from __future__ import annotations

import ast
import builtins
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from .calls import reduction
from .context import HELPERS
from .diagnostics import Code, Unread
from .either import Begun, Either, mixed
from .operators import Power, binary, compare
from .shapes import count_of, in_brackets
from .sizes import Size
from .values import APPLY, ATOM, FLOATS, INTS, LOW, UNARY, Value, bound_text, literal

if TYPE_CHECKING:
    from .expressions import Expressions

HELPERS["typed"] = (
    "-- | The list itself, if it has elements: what is made of an empty one has another type.\n"
    "def typed 't [n] (xs: [n]t) : [n]t = let _ = assert (n > 0) \"an empty list, which has no type\" in xs"
)
HELPERS["with_floats"] = (
    "-- | A list that begins with so many integers, and has floats, too: one without is an array of integers.\n"
    "def with_floats [n] (begins: i64) (xs: [n]f64) : [n]f64 = let _ = assert (n > begins) \"a list without floats, which is an array of integers\" in xs"
)
HELPERS["total"] = (
    "-- | The sum of Python's own integers, which fails beyond 64 bits.\n"
    "def total [n] (xs: [n]i64) : i64 = loop s = 0 for i < n do plus s xs[i]"
)
for _word, _test in (("largest", ">"), ("smallest", "<")):
    HELPERS[_word] = (
        f"-- | Python's `{'max' if _test == '>' else 'min'}` of floats: the first of the best, where comparisons with NaN do not hold.\n"
        f"def {_word} [n] (xs: [n]f64) : f64 =\n"
        '  let _ = assert (n > 0) "the best of no elements"\n'
        f"  in loop best = xs[0] for i < n - 1 do if xs[i+1] {_test} best then xs[i+1] else best"
    )


def array_of(reader: Expressions, node: ast.AST, value: Value) -> Value:
    """The array that NumPy makes of a list."""
    plain = replace(value, listed=0, weakly=False, memory=frozenset(), kind=None)
    if isinstance(value.kind, Begun):
        plain = replace(plain, kind=None, text=f"{reader.context.helper('with_floats')} {value.kind.count} {value.argument}", prec=APPLY)
    elif value.kind == "mixed":
        raise Unread(node, Code.TYPE, "an array of a list of integers and floats, which NumPy makes one of integers if it has no floats", "write the integers as floats: `0.0`")
    if value.rank == 1 and value.dtype == "f64":
        return plain
    if value.shape[0].number == 0:
        return Value("([] : [0]f64)", ATOM, "f64", (Size.of(0),))
    for k in range(max(value.listed, 1)):
        if k == 0 and not reader.context.assume(value.shape[0] - 1, "a list of no elements has no type and no shape"):
            plain = replace(plain, text=f"{reader.context.helper('typed')} {plain.argument}", prec=APPLY)
    return plain


def elements_of(reader: Expressions, node: ast.AST, value: Value) -> Value:
    """A list for a part of another one: the type of the elements is that of both, also where one has none."""
    if value.listed != 1 or value.kind is not None:
        return reader.as_array(node, value)
    return replace(value, listed=0, weakly=False, memory=frozenset())


def no_list(node: ast.AST) -> Value:
    """Refuses an operator of a list."""
    raise Unread(node, Code.TYPE, "arithmetic with a list", "make an array of it: `np.array(x)`")


def call_of_list(reader: Expressions, node: ast.Call, function: Any, values: list[Value]) -> Value | None:
    """`sum`, `max`, `min`, `any`, `all`, `sorted`, `list` of a list or a vector; None for what is read elsewhere."""
    (value,) = values if len(values) == 1 else (literal(0),)
    if function is builtins.sum and len(values) == 2 and values[0].items is None and values[0].rank == 1:
        total = call_of_list(reader, node, function, values[:1])
        return None if total is None else binary(reader.context, node, ast.Add, total, values[1])
    if len(values) != 1 or value.function is not None:
        return None
    context, name = reader.context, function.__name__
    if value.items is not None:
        if function in (builtins.list, builtins.tuple) and value.dtype != "record":
            return replace(value, dtype=name, serial=object())
        tests = [item for item in value.items] if function in (builtins.any, builtins.all) else []
        if tests and all(item.dtype == "bool" and not item.rank for item in tests):
            return reader.all_of(tests, "||" if name == "any" else "&&", LOW + (1 if name == "any" else 2)) if len(tests) > 1 else tests[0]
        return None
    if value.rank != 1 or value.axes != (0,):
        if function is builtins.list and value.rank and len(value.axes) == value.rank:
            return replace(value, listed=1, weakly=False)
        return None
    weak = value.weakly if value.listed else False
    plain = replace(value, listed=0, weakly=False)
    if function is builtins.list:
        return replace(value, listed=max(value.listed, 1), weakly=weak, memory=frozenset())
    if function in (builtins.any, builtins.all):
        return replace(reduction(reader, node, name, reader.truth(node, plain), [], {}), weak=True)
    if function is builtins.sum:
        if plain.dtype == "bool":
            return Value(f"{context.library('count')} {plain.argument}", APPLY, "i64", weak=weak, small=True)
        if plain.dtype == "i64" and weak and not value.small:
            context.helper("plus")
            return Value(f"{context.helper('total')} {plain.argument}", APPLY, "i64", weak=True)
        if plain.dtype not in ("f64", "i64"):
            raise Unread(node, Code.NAME, f"Python's `sum` of {plain.dtype}", "write `np.sum(x)`, or `x.sum(axis=0)`")
        if plain.dtype == "f64" and not context.assume(plain.shape[0] - 1, "the sum of no elements is an integer"):
            if plain.shape[0].number == 0:
                return literal(0)
            if mixed(value):
                raise Unread(node, Code.TYPE, "Python's `sum` of what may be an empty list of integers and floats", "write the integers as floats: `0.0`")
            # Of no elements it is the integer 0; beside a float that is no difference.
            exact = f"f64.sum ({context.helper('typed')} {plain.argument})"
            return Value(exact, APPLY, "f64", weak=weak, origin=Power(f"f64.sum {plain.argument}"))
        return Value(f"{plain.dtype}.sum {plain.argument}", APPLY, plain.dtype, weak=weak, origin=Either() if mixed(value) else None)
    if function in (builtins.max, builtins.min):
        if plain.dtype == "f64":
            return Value(f"{context.helper('largest' if name == 'max' else 'smallest')} {plain.argument}", APPLY, "f64", weak=weak, origin=Either() if mixed(value) else None)
        if plain.dtype in INTS:
            return replace(reduction(reader, node, name, plain, [], {}), weak=weak, small=value.small)
    return None


def operated(reader: Expressions, node: ast.AST, op: ast.operator, left: Value, right: Value) -> Value | None:
    """`x + y` and `x * n` of lists; None for arithmetic with an array, which makes arrays of them."""
    if isinstance(op, ast.Mult):
        left, right = (left, right) if left.listed or left.dtype == "list" else (right, left)
        if right.rank or right.dtype != "i64" or not right.weak or right.items is not None:
            return None if right.rank and not right.listed or not right.weak and right.dtype in FLOATS else no_list(node)
        weak = left.weakly if left.listed else all(item.weak for item in left.items or ())
        if left.items is not None and any(item.items is not None or item.rank for item in left.items):
            raise Unread(node, Code.ALIAS, "a list with the same list or array several times", "write a comprehension: `[[0] * m for _ in range(n)]`")
        array = reader.as_array(node, left)
        if left.listed > 1 or array.rank != 1:
            raise Unread(node, Code.ALIAS, "a list with the same list or array several times", "write a comprehension")
        size = count_of(reader, node, right)
        count = in_brackets(size.text())
        if array.shape[0].number == 1 and left.items is not None:
            (item,) = left.items
            return Value(f"replicate {count} {bound_text(item) if item.const is None or item.const >= 0 else f'({bound_text(item)})'}", APPLY, array.dtype, (size,), listed=1, weakly=weak)
        return Value(f"{reader.context.library('tile', array.dtype)} {count} {array.argument}", APPLY, array.dtype, (size * array.shape[0],), listed=1, weakly=weak)
    if isinstance(op, ast.Add) and all(value.listed or value.dtype == "list" for value in (left, right)):
        if () in (left.items, right.items):
            return replace(right if left.items == () else left, serial=object())
        both = [value.weakly if value.listed else all(item.weak for item in value.items or ()) for value in (left, right)]
        one, other = (elements_of(reader, node, value) for value in (left, right))
        if one.dtype != other.dtype or one.rank != other.rank or one.shape[1:] != other.shape[1:]:
            raise Unread(node, Code.TYPE, "a list with elements of different types", "convert them")
        return Value(f"{one.at(LOW + 7)} ++ {other.at(LOW + 7)}", LOW + 1, one.dtype, (one.shape[0] + other.shape[0], *one.shape[1:]), listed=1, weakly=all(both))
    if any(value.rank and not value.listed for value in (left, right)):
        return None
    return no_list(node)


def contained(reader: Expressions, node: ast.AST, value: Value, among: Value, wanted: bool) -> Value:
    """`x in (a, b)`."""
    if among.dtype == "record" and isinstance(value.function, str):
        return literal((value.function in among.keys) == wanted)
    if among.items is None and among.rank == 1 and value.scalar and not value.rank:
        found = reduction(reader, ast.Call(ast.Name("any", ast.Load()), [], []), "any", compare(reader.context, node, ast.Eq, reader.as_array(node, among), value), [], {})
        return replace(found, weak=True) if wanted else Value(f"!{found.at(UNARY + 1)}", UNARY, "bool", weak=True)
    if among.items is None or among.dtype == "record":
        raise Unread(node, Code.TYPE, "`in` of what is no tuple or list of numbers or texts", "")
    from .others import same_type

    tests = []
    for item in among.items:
        if isinstance(item.function, str) or isinstance(value.function, str):
            tests.append(literal(isinstance(item.function, str) and item.function == value.function))
        elif "type" in (item.dtype, value.dtype):
            tests.append(literal(same_type(node, value.function, item.function)))
        else:
            same = compare(reader.context, node, ast.Eq, value, item)
            tests.append(literal(bool(value.const == item.const)) if value.is_literal and item.is_literal else same)
    if any(not test.scalar or test.rank for test in tests):
        raise Unread(node, Code.TYPE, "`in` of arrays", "use `np.isin`")
    tests = [test for test in tests if test.const is not False]
    if not tests or any(test.const is True for test in tests):
        return literal(bool(tests) == wanted)
    found = reader.all_of(tests, "||", LOW + 1) if len(tests) > 1 else tests[0]
    return replace(found, weak=True) if wanted else Value(f"!{found.at(UNARY + 1)}", UNARY, "bool", weak=True)
