"""`np.einsum`: whether its letters fit the arrays."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from .findings import Rule
from .shapes import Axis, Value, wider

if TYPE_CHECKING:
    from .reader import Reader


def einsum(reader: Reader, node: ast.Call, values: list[Value]) -> Value:
    """The result, with what is wrong about the arguments."""
    text = node.args[0].value if isinstance(node.args[0], ast.Constant) else None
    if not isinstance(text, str) or "." in text:
        return Value()
    given, arrow, output = text.replace(" ", "").partition("->")
    terms, arrays = given.split(","), values[1:]
    if len(terms) != len(arrays):
        reader.report(node, Rule.AGREE, f"{len(terms)} terms of subscripts for {len(arrays)} arrays")
        return Value()
    sizes: dict[str, Axis] = {}
    for letters, array in zip(terms, arrays):
        if array.axes is None:
            sizes.update({letter: Axis() for letter in letters if letter not in sizes})
            continue
        if len(letters) != len(array.axes):
            reader.report(node, Rule.AXIS, f"{len(letters)} subscripts, `{letters}`, for an array of shape {array.shape}".replace("'", ""))
            return Value()
        for letter, axis in zip(letters, array.axes):
            known = sizes.get(letter, axis)
            if known.size is not None and axis.size is not None and not known.one and not axis.one and known.size.differs(axis.size):
                reader.report(node, Rule.AGREE, f"sizes {known} and {axis} of `{letter}` cannot agree in `{text}`")
                return Value()
            sizes[letter] = axis if known.size is None or known.one else known
    if not arrow:
        output = "".join(letter for letter in sorted(sizes) if given.count(letter) == 1)
    if not set(output) <= set(sizes):
        reader.report(node, Rule.AGREE, f"`{''.join(sorted(set(output) - set(sizes)))}` stands in the result of `{text}` only")
        return Value()
    kind = arrays[0].kind
    for array in arrays[1:]:
        kind = wider(kind, array.kind)
    return Value(kind, tuple(sizes[letter] for letter in output))
