"""`np.random.default_rng(seed)`: the numbers of NumPy's generator, one for one."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from .calls import refuse_options, strong
from .context import HELPERS
from .diagnostics import Code, Unread
from .functions import shape_of
from .operators import binary
from .shapes import bound, in_brackets, named, reshaped
from .sizes import Size
from .values import APPLY, ATOM, FLOATS, GENERATOR, INTS, Value, convert, fresh, literal

if TYPE_CHECKING:
    from .expressions import Expressions

HELPERS["shares_of"] = (
    "-- | The sums of probabilities up to each of them, which have to come to 1.\n"
    "def shares_of [n] (p: [n]f64) : [n]f64 =\n"
    '  let _ = assert (and (map (>= 0) p) && f64.abs (f64.sum p - 1) <= 1.4901161193847656e-8) "probabilities that are negative or do not come to 1"\n'
    "  let sums = cumsum p\n"
    "  in map (/ sums[n-1]) sums"
)

READ = "random, uniform, normal, standard_normal, integers, permutation, shuffle, choice"


def made(reader: Expressions, node: ast.Call) -> Value:
    """`np.random.default_rng(seed)`."""
    values, options = reader.arguments(node)
    refuse_options(node, options, ("seed",))
    seeds = [*values, *options.values()]
    if len(seeds) != 1 or seeds[0].dtype not in INTS or seeds[0].rank or seeds[0].dtype == "u64":
        raise Unread(node, Code.ARGUMENT, "a generator without a seed that is an integer", "give a number: `np.random.default_rng(42)`; nothing here is random without one")
    seed = convert(seeds[0], "i64")
    reader.context.imports.add("lib/pcg64")
    return Value(f"pcg64.seed {seed.argument}", APPLY, GENERATOR, memory=frozenset([fresh()]))


def method(reader: Expressions, node: ast.Call, generator: ast.expr, name: str) -> Value:
    """A call of a method of a generator."""
    values, options = reader.arguments(node)
    known = {"random": _random, "uniform": _uniform, "normal": _normal, "standard_normal": _standard, "integers": _integers, "permutation": _permutation, "choice": _choice}
    if name not in known:
        help = "write it as a statement: `rng.shuffle(x)`" if name == "shuffle" else f"{READ} are; other distributions, with other numbers than NumPy's, are in lib/random (docs/library.md)"
        raise Unread(node, Code.NAME, f"the method `{name}` of a generator is not read", help)
    given = _named(node, name, values, options)
    return known[name](reader, node, generator, given)


def _named(node: ast.Call, name: str, values: list[Value], options: dict[str, Value]) -> dict[str, Value]:
    """The arguments by their names."""
    names = {
        "random": ("size",), "uniform": ("low", "high", "size"), "normal": ("loc", "scale", "size"), "standard_normal": ("size",), "integers": ("low", "high", "size"),
        "permutation": ("x",), "choice": ("a", "size", "replace", "p"),
    }[name]  # fmt: skip
    refuse_options(node, options, (*names, *(["endpoint"] if name == "integers" else [])))
    if len(values) > len(names):
        raise Unread(node, Code.FORM, f"`{name}` with these arguments is not read", "use keyword arguments")
    return {key: value for key, value in (dict(zip(names, values)) | options).items() if value.dtype != "none"}


def _many(reader: Expressions, node: ast.Call, generator: ast.expr, size: Value | None, one: str, many: str, dtype: str) -> Value:
    """One number, or an array of them: `one` and `many` are functions of the state; `many` has `{}` where the count stands."""
    if size is None:
        return reader.drawn(node, generator, one, Value("", ATOM, dtype))
    items = shape_of(reader, node, size)
    sizes = [named(reader, node, item) for item in items]
    total = Size.of(1)
    for each in sizes:
        total = total * each
    flat = reader.drawn(node, generator, many.format(in_brackets(total.text())), Value("", ATOM, dtype, (total,)))
    return flat if len(sizes) == 1 else reshaped(reader, node, flat, [replace(literal(0), text=each.text(), prec=ATOM if each.text().isalnum() else 6, const=each.number, size=each) for each in sizes])


def _random(reader: Expressions, node: ast.Call, generator: ast.expr, given: dict[str, Value]) -> Value:
    made = _many(reader, node, generator, given.get("size"), "pcg64.random", "pcg64.randoms {}", "f64")
    return replace(made, weak=not made.rank and "size" not in given)


def _standard(reader: Expressions, node: ast.Call, generator: ast.expr, given: dict[str, Value]) -> Value:
    made = _many(reader, node, generator, given.get("size"), "pcg64.normal", "pcg64.normals {}", "f64")
    return replace(made, weak=not made.rank and "size" not in given)


def _shifted(reader: Expressions, node: ast.Call, generator: ast.expr, given: dict[str, Value], first: Value, factor: Value, names: tuple[str, str]) -> Value:
    """`first + factor * number`, for numbers or arrays."""
    one, many = names
    size = given.get("size")
    if size is None and (first.rank or factor.rank):
        both = binary(reader.context, node, ast.Add, first, factor)
        if len(both.axes) != both.rank:
            raise Unread(node, Code.SHAPE, "arrays with dimensions of size 1", "give a size")
        size = Value("", ATOM, "tuple", items=tuple(reader.size_value(both, k) for k in range(both.rank)))
    numbers = strong(_many(reader, node, generator, size, one, many, "f64"))
    made = binary(reader.context, node, ast.Add, first, binary(reader.context, node, ast.Mult, factor, numbers))
    if numbers.rank and made.rank != numbers.rank:
        raise Unread(node, Code.SHAPE, "a size that does not fit the other arguments", "NumPy raises an error, too")
    return replace(made, weak=not made.rank and given.get("size") is None)


def _reals(reader: Expressions, node: ast.Call, given: dict[str, Value], names: tuple[str, str], defaults: tuple[float, float]) -> tuple[Value, Value]:
    """Two arguments as floats, under names."""
    found = []
    for name, default in zip(names, defaults):
        value = reader.as_array(node, given.get(name, literal(default)))
        if value.dtype not in FLOATS | INTS:
            raise Unread(node, Code.TYPE, f"`{name}` of {value.dtype}", "")
        value = strong(convert(value, "f64") if value.is_literal else reader.as_float(node, value))
        found.append(convert(value, "f64") if not value.rank else value)
    if any(value.dtype != "f64" for value in found):
        raise Unread(node, Code.TYPE, "single precision beside a generator", "convert the array to float64")
    return found[0], found[1]


def _uniform(reader: Expressions, node: ast.Call, generator: ast.expr, given: dict[str, Value]) -> Value:
    low, high = _reals(reader, node, given, ("low", "high"), (0.0, 1.0))
    return _shifted(reader, node, generator, given, low, binary(reader.context, node, ast.Sub, high, low), ("pcg64.random", "pcg64.randoms {}"))


def _normal(reader: Expressions, node: ast.Call, generator: ast.expr, given: dict[str, Value]) -> Value:
    loc, scale = _reals(reader, node, given, ("loc", "scale"), (0.0, 1.0))
    if scale.const is None or scale.const < 0:
        if scale.rank:
            raise Unread(node, Code.SHAPE, "an array of standard deviations", "write `loc + scale * rng.standard_normal(..)`")
        scale = bound(reader, scale)
        reader.context.pending.append(f'let _ = assert ({scale.argument} >= 0) "a negative standard deviation"')
    return _shifted(reader, node, generator, given, loc, scale, ("pcg64.normal", "pcg64.normals {}"))


def _integers(reader: Expressions, node: ast.Call, generator: ast.expr, given: dict[str, Value]) -> Value:
    if "low" not in given:
        raise Unread(node, Code.FORM, "`integers` without a bound", "")
    low, high = (given["low"], given["high"]) if "high" in given else (literal(0), given["low"])
    end = given.get("endpoint", literal(False))
    if any(each.dtype not in INTS - {"u64"} or each.rank for each in (low, high)) or not isinstance(end.const, bool):
        raise Unread(node, Code.TYPE, "bounds of `integers` that are no integers", "arrays of bounds are not read: write a loop")
    low, high = convert(low, "i64"), convert(high, "i64")
    if end.const:
        high = binary(reader.context, node, ast.Add, high, literal(1))
    ends = " ".join(f"({each.text})" if each.text.startswith("-") else each.argument for each in (low, high))
    made = _many(reader, node, generator, given.get("size"), f"(\\s -> let (s, x) = pcg64.integers 1 {ends} s in (s, x[0]))", f"pcg64.integers {{}} {ends}", "i64")
    return replace(made, weak=False)


def _permutation(reader: Expressions, node: ast.Call, generator: ast.expr, given: dict[str, Value]) -> Value:
    value = reader.as_array(node, given["x"]) if "x" in given else literal(0.5)
    if value.dtype in INTS and not value.rank:
        size = named(reader, node, convert(value, "i64"))
        value = Value(f"iota {in_brackets(size.text())}", APPLY, "i64", (size,))
    if value.rank < 1 or len(value.axes) != value.rank or not value.shape[0].known and value.rank < 1:
        raise Unread(node, Code.TYPE, "`permutation` of this is not read", "of a number or an array")
    return reader.drawn(node, generator, f"pcg64.shuffled {value.argument}", replace(value, memory=frozenset(), weak=False))


def _choice(reader: Expressions, node: ast.Call, generator: ast.expr, given: dict[str, Value]) -> Value:
    context, pool, size = reader.context, reader.as_array(node, given["a"]), given.get("size")
    again = given.get("replace", literal(True))
    if not isinstance(again.const, bool) or pool.rank > 1 or pool.rank and pool.axes != (0,) or not pool.rank and pool.dtype not in INTS:
        raise Unread(node, Code.FORM, "`choice` with these arguments is not read", "of a number or a vector")
    pool = bound(reader, pool) if pool.rank else convert(pool, "i64")
    count = reader.size_value(pool, 0) if pool.rank else pool
    if "p" in given:
        shares = reader.as_array(node, given["p"])
        if not again.const or shares.dtype != "f64" or shares.axes != (0,):
            raise Unread(node, Code.FORM, "`choice` with probabilities and without replacement is not read", "")
        context.library("cumsum")
        sums = bound(reader, Value(f"{context.helper('shares_of')} {shares.argument}", APPLY, "f64", shares.shape))
        context.pending.append(f'let _ = assert (length {sums.argument} == {count.argument}) "as many probabilities as elements"')
        numbers = bound(reader, _many(reader, node, generator, size, "pcg64.random", "pcg64.randoms {}", "f64"))
        index = Value(f"{context.library('searchsorted_right')} {sums.argument} {numbers.argument}", APPLY, "i64", numbers.shape, small=True)
    elif again.const:
        index = _integers(reader, node, generator, {"low": count, **({"size": size} if size is not None else {})})
    else:
        if size is None or size.items is not None and len(size.items) != 1:
            raise Unread(node, Code.FORM, "`choice` without replacement needs one size", "")
        number = named(reader, node, shape_of(reader, node, size)[0])
        index = reader.drawn(node, generator, f"pcg64.chosen {count.argument} {in_brackets(number.text())}", Value("", ATOM, "i64", (number,)))
    if not pool.rank:
        return index
    return replace(reader.element(node, pool, [bound(reader, index)]), memory=frozenset(), weak=False)
