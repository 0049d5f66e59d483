"""`np.einsum`: sums of products over named dimensions, with `...`, letters that occur twice, and several operands."""

from __future__ import annotations

import ast
import string
from dataclasses import replace
from typing import TYPE_CHECKING

from .calls import refuse_options
from .diagnostics import Code, Unread
from .functions import joined_sizes, matmul
from .operators import binary, first_of, named_size, sized
from .shapes import bound, in_brackets, one_type, permuted
from .sizes import ONE, Size
from .tables import instead
from .values import APPLY, ATOM, PRODUCT, Value

if TYPE_CHECKING:
    from .expressions import Expressions


@instead("einsum")
def _einsum(reader: Expressions, node: ast.Call, values: list[Value], options: dict[str, Value]) -> Value:
    refuse_options(node, options, ("optimize",))
    names, output, arrays = _subscripts(reader, node, values)
    arrays = [reader.as_array(node, value) for value in arrays]
    names, output = _without_dots(node, names, output, arrays)
    if len(names) != len(arrays) or any(len(name) != value.rank for name, value in zip(names, arrays)) or len(set(output)) != len(output):
        raise Unread(node, Code.SHAPE, "these subscripts do not fit the arrays", "NumPy raises an error, too")
    if set(output) - set("".join(names)):
        raise Unread(node, Code.SHAPE, "a letter of the result that no array has", "NumPy raises an error, too")
    arrays, dtype = one_type(reader, node, arrays)
    if dtype == "bool":
        raise Unread(node, Code.TYPE, "`einsum` of truth values", "convert them: `astype(np.int64)`")
    arrays, sizes = _one_size(reader, node, names, arrays)
    return _product(reader, node, names, output, arrays, sizes)


def _subscripts(reader: Expressions, node: ast.Call, values: list[Value]) -> tuple[list[str], str, list[Value]]:
    """The letters of each array, those of the result, and the arrays."""
    text = values[0].function if values and values[0].dtype == "text" else None
    if isinstance(text, str):
        inputs, arrow, output = text.replace(" ", "").partition("->")
        names = inputs.split(",")
        if any(c not in string.ascii_letters + "." for c in inputs.replace(",", "") + output):
            raise Unread(node, Code.FORM, "subscripts with other signs than letters and `...`", "NumPy raises an error, too")
        return names, output if arrow else _implicit(names), values[1:]
    # `np.einsum(a, [0, 1], b, [1, 2], [0, 2])`
    if len(values) < 2:
        raise Unread(node, Code.FORM, "the subscripts of `einsum` are no constant", "write them as a text")
    lists = [*values[1::2], *([values[-1]] if len(values) % 2 else [])]
    letters = [[item.const for item in each.items or ()] for each in lists]
    if any(each.items is None for each in lists) or any(not isinstance(k, int) or not 0 <= k < 52 for each in letters for k in each):
        raise Unread(node, Code.FORM, "the subscripts of `einsum` are no constant without `...`", "write them as a text")
    texts = ["".join(string.ascii_letters[k] for k in each if isinstance(k, int)) for each in letters]
    names = texts[: len(values) // 2]
    return names, texts[-1] if len(values) % 2 else _implicit(names), values[: 2 * len(names) : 2]


def _implicit(names: list[str]) -> str:
    """The letters of the result where nothing says them: those that occur once, in their order, behind `...`."""
    letters = "".join(names).replace(".", "")
    once = "".join(sorted(letter for letter in set(letters) if letters.count(letter) == 1))
    return ("..." if any("..." in name for name in names) else "") + once


def _without_dots(node: ast.AST, names: list[str], output: str, arrays: list[Value]) -> tuple[list[str], str]:
    """Letters instead of `...`: the last dimensions that it stands for are the same ones everywhere."""
    free = [letter for letter in reversed(string.ascii_letters) if letter not in "".join(names) + output]
    made, most = [], 0
    for name, value in zip(names, arrays):
        before, dots, after = name.partition("...")
        if "." in before + after:
            raise Unread(node, Code.FORM, "`.` in subscripts", "write `...`")
        count = value.rank - len(before) - len(after) if dots else 0
        if count < 0 or count > len(free):
            raise Unread(node, Code.SHAPE, "these subscripts do not fit the arrays", "NumPy raises an error, too")
        most = max(most, count)
        made.append(before + "".join(reversed(free[:count])) + after)
    before, dots, after = output.partition("...")
    if most and not dots:
        raise Unread(node, Code.SHAPE, "`...` of the arrays is not in the result", "write it there, too")
    return [*made, *names[len(made) :]], before + ("".join(reversed(free[:most])) if dots else "") + after


def _one_size(reader: Expressions, node: ast.AST, names: list[str], arrays: list[Value]) -> tuple[list[Value], dict[str, Size]]:
    """The arrays with one size for each letter, which has a name. A dimension of one element goes with any size."""
    arrays, sizes = list(arrays), {letter: ONE for name in names for letter in name}
    large = {letter for name, value in zip(names, arrays) for axis, letter in enumerate(name) if value.shape[axis].number != 1}
    for number, name in enumerate(names):
        for axis, letter in enumerate(name):
            if arrays[number].shape[axis] == ONE:
                continue
            if arrays[number].shape[axis].number == 1 and letter in large:
                arrays[number] = first_of(arrays[number], axis)
                continue
            if not arrays[number].shape[axis].known:
                arrays[number] = named_size(reader.context, arrays[number], axis)
            own = arrays[number].shape[axis]
            if sizes[letter] == ONE:
                sizes[letter] = own
                continue
            size, check = joined_sizes(reader, node, sizes[letter], own)
            if check:
                arrays[number] = sized(reader.context, node, arrays[number], axis, sizes[letter])
                size = sizes[letter]
            sizes[letter] = size
    return arrays, sizes


def _product(reader: Expressions, node: ast.AST, names: list[str], output: str, arrays: list[Value], sizes: dict[str, Size]) -> Value:
    plain = _known_product(reader, node, names, output, arrays)
    if plain is not None:
        return plain
    if len(names) > 2:
        # Two at a time, where that does not make a larger array than any of them.
        kept = set(output) | set("".join(names[2:]))
        middle = "".join(letter for letter in dict.fromkeys(names[0] + names[1]) if letter in kept)
        if len(middle) <= max(len(name) for name in names):
            two = _product(reader, node, names[:2], middle, arrays[:2], sizes)
            name = reader.context.short()
            reader.context.pending.append(f"let {name} = {two.text}")
            return _product(reader, node, [middle, *names[2:]], output, [two.named(name), *arrays[2:]], sizes)
    return _tabulated(reader, names, output, arrays, sizes)


def _known_product(reader: Expressions, node: ast.AST, names: list[str], output: str, arrays: list[Value]) -> Value | None:
    """A product of vectors and matrices by its name, or an exchange of dimensions."""
    if any(len(set(name)) != len(name) for name in names):
        return None
    if len(names) == 1 and set(names[0]) == set(output):
        return permuted(node, arrays[0], [names[0].index(letter) for letter in output])
    if len(names) != 2 or any(len(value.axes) != value.rank for value in arrays):
        return None
    (a, b), (x, y) = names, arrays
    shared = set(a) & set(b)
    if len(shared) == 1 and a[-1:] in shared and b[0] in shared and output == a[:-1] + b[1:] and len(a) <= 2 and len(b) <= 2:
        return matmul(reader, node, x, y)
    if not shared and len(a) == len(b) == 1 and output == a + b:
        return binary(reader.context, node, ast.Mult, replace(x, shape=(*x.shape, ONE)), y)
    return None


def _tabulated(reader: Expressions, names: list[str], output: str, arrays: list[Value], sizes: dict[str, Size]) -> Value:
    """Each element as a sum of products."""
    context, dtype = reader.context, arrays[0].dtype
    # Elements are taken of what is computed once.
    arrays = [bound(reader, value) if value.axes else value for value in arrays]
    # What a former product of two has summed over is in `sizes` still.
    real = [letter for letter in sizes if sizes[letter] != ONE and any(letter in name for name in names)]
    taken: dict[str, str] = {}
    for letter in real:
        taken[letter] = letter if letter.islower() and letter not in context.names and letter not in context.sizes else context.short()
    factors, prec = [], PRODUCT
    for name, value in zip(names, arrays):
        index = [taken[letter] for axis, letter in enumerate(name) if axis in value.axes]
        factors.append(f"{value.argument}[{', '.join(index)}]" if index else value.at(PRODUCT + 1))
    text, prec = " * ".join(factors), PRODUCT if len(factors) > 1 else ATOM
    for letter in reversed([letter for letter in real if letter not in output]):
        text, prec = f"{dtype}.sum (tabulate {in_brackets(sizes[letter].text())} (\\{taken[letter]} -> {text}))", APPLY
    for letter in reversed([letter for letter in output if letter in real]):
        text, prec = f"tabulate {in_brackets(sizes[letter].text())} (\\{taken[letter]} -> {text})", APPLY
    # Without a sum, what one array gives is a view in NumPy.
    memory = arrays[0].memory if len(arrays) == 1 and set(names[0]) == set(output) else frozenset[str]()
    return Value(text, prec, dtype, tuple(sizes[letter] for letter in output), memory=memory)
