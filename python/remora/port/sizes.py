"""Sizes of dimensions: polynomials with integer coefficients over names of the written program."""

from __future__ import annotations

from collections.abc import Mapping

Monomial = tuple[str, ...]


class Size:
    """A polynomial. Names that begin with `?` stand for sizes that only the run knows."""

    __slots__ = ("terms",)

    def __init__(self, terms: Mapping[Monomial, int]) -> None:
        self.terms = {key: value for key, value in terms.items() if value}

    @staticmethod
    def of(value: int) -> Size:
        """A number."""
        return Size({(): value})

    @staticmethod
    def name(name: str) -> Size:
        """A name."""
        return Size({(name,): 1})

    def __add__(self, other: Size | int) -> Size:
        other = other if isinstance(other, Size) else Size.of(other)
        terms = dict(self.terms)
        for key, value in other.terms.items():
            terms[key] = terms.get(key, 0) + value
        return Size(terms)

    def __neg__(self) -> Size:
        return Size({key: -value for key, value in self.terms.items()})

    def __sub__(self, other: Size | int) -> Size:
        return self + (-(other if isinstance(other, Size) else Size.of(other)))

    def __mul__(self, other: Size) -> Size:
        terms: dict[Monomial, int] = {}
        for a, x in self.terms.items():
            for b, y in other.terms.items():
                key = tuple(sorted(a + b))
                terms[key] = terms.get(key, 0) + x * y
        return Size(terms)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Size) and not isinstance(other, _New) and self.terms == other.terms

    def __hash__(self) -> int:
        return hash(frozenset(self.terms.items()))

    @property
    def number(self) -> int | None:
        """The value, if it is a number."""
        if not self.terms:
            return 0
        return self.terms[()] if set(self.terms) == {()} else None

    @property
    def single(self) -> str | None:
        """The name, if it is one."""
        if len(self.terms) == 1:
            ((key, value),) = self.terms.items()
            if len(key) == 1 and value == 1:
                return key[0]
        return None

    def names(self) -> set[str]:
        """The names in it."""
        return {name for key in self.terms for name in key}

    @property
    def known(self) -> bool:
        """Whether the written program can say it."""
        return not any(name.startswith("?") for name in self.names())

    def substitute(self, name: str, by: Size) -> Size:
        """With another size for a name."""
        total = Size({})
        for key, value in self.terms.items():
            part = Size.of(value)
            for each in key:
                part = part * (by if each == name else Size.name(each))
            total = total + part
        return total

    def value(self, of: Mapping[str, int]) -> int:
        """The number that it is where names have these values."""
        total = 0
        for key, value in self.terms.items():
            for each in key:
                value *= of[each]
            total += value
        return total

    def text(self) -> str:
        """As the written program says it."""
        out = ""
        ordered = sorted(self.terms.items(), key=lambda item: (item[0] == (), item[1] < 0, item[0]))
        if ordered and ordered[0][1] < 0 and self.terms.get((), 0) > 0:
            ordered.insert(0, ordered.pop())  # `1 - k`: the compiler takes `-k + 1` for another size
        for key, value in ordered:
            size = abs(value)
            part = "*".join(key) if key and size == 1 else "*".join([str(size), *key])
            out += (("-" if value < 0 else "") if not out else (" - " if value < 0 else " + ")) + part
        return out or "0"

    __repr__ = text


class _New(Size):
    """The size of a dimension that `None` or `keepdims` makes: 1, and there is no such dimension in the written program."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _New)

    def __hash__(self) -> int:
        return 1


# Other dimensions of size 1 are like all others, and are not equal to it.
ONE: Size = _New({(): 1})


def lowest(size: Size, bounds: Mapping[str, tuple[Size | None, Size | None]]) -> Size | None:
    """A size that is never more, without the indices of loops, by their bounds (inclusive)."""
    for _ in range(8):
        indices = [name for name in size.names() if name in bounds]
        if not indices:
            return size
        # The innermost first: its bounds may mention the others.
        name = max(indices, key=lambda each: list(bounds).index(each))
        low, high = bounds[name]
        signs = {value > 0 for key, value in size.terms.items() if name in key}
        if len(signs) != 1 or any(len(key) > 1 for key in size.terms if name in key):
            return None
        bound = low if signs == {True} else high
        if bound is None:
            return None
        size = size.substitute(name, bound)
    return None


def at_least_zero(size: Size, least: Mapping[str, int]) -> bool:
    """Whether a size is never negative, by the least values of names."""
    total = 0
    for key, value in size.terms.items():
        smallest = value
        for each in key:
            if each not in least or value < 0:
                return False
            smallest *= least[each]
        total += smallest
    return total >= 0
