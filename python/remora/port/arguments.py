"""Arguments of `jit` that have parts: tuples, lists, dictionaries and named tuples, each part being an argument of its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

# The types that such arguments have for the reader.
CONTAINERS = {"tuple", "list", "record"}

# So many parts are arguments of their own; of longer lists of numbers an array is made.
MOST_PARTS = 64


@dataclass(frozen=True)
class Parts:
    """An argument whose parts follow it under their own names."""

    dtype: str
    keys: tuple[str, ...]
    kind: Any = None  # the class of a named tuple


@dataclass(frozen=True)
class Listed:
    """A list of Python's own numbers, or of such lists, as an array."""

    array: np.ndarray

    @property
    def shape(self) -> tuple[int, ...]:
        """Of the array."""
        return self.array.shape

    @property
    def flags(self) -> Any:
        """How the array lies in memory."""
        return self.array.flags


def numbers_of(value: list[Any]) -> np.ndarray | None:
    """A list of floats or of integers, or of such lists of one length, as an array; None for others, and where a length is less than 2."""
    if len(value) < 2:
        return None
    if all(type(each) is list for each in value):
        rows = [numbers_of(each) for each in value]
        if any(row is None for row in rows) or len({(row.shape, row.dtype) for row in rows if row is not None}) != 1:
            return None
        return np.array(rows)
    kinds = {type(each) for each in value}
    return np.array(value) if kinds in ({float}, {int}) else None


def spread(given: dict[str, Any], name: str, value: Any, one: Callable[[str, Any], Any], refuse: Callable[[str, str, str], Exception]) -> None:
    """Enters an argument and its parts; `one` says what an argument without parts is."""
    kind = type(value)
    named = isinstance(value, tuple) and hasattr(kind, "_fields")
    if kind in (tuple, list) or named:
        if kind is list and (array := numbers_of(value)) is not None:
            for number in array.ravel().tolist():
                one(name, number)
            given[name] = Listed(array)
            return
        items = dict(zip(kind._fields if named else map(str, range(len(value))), value))
        given[name] = Parts("record" if named else kind.__name__, tuple(items) if named else tuple(map(str, range(len(value)))), kind if named else None)
    elif kind is dict:
        if not all(isinstance(key, str) for key in value):
            raise refuse(name, "a dictionary whose keys are no texts is not read", "pass arrays, indexed by numbers")
        items = value
        given[name] = Parts("record", tuple(items))
    else:
        given[name] = one(name, value)
        return
    if len(items) > MOST_PARTS:
        raise refuse(name, f"{len(items)} parts, each of which would be an argument of its own", "pass one array: `np.array(x)`, or `np.stack(x)` of arrays of one shape")
    for key, item in items.items():
        spread(given, f"{name}.{key}", item, one, refuse)
