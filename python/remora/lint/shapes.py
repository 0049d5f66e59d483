"""Sizes and shapes as far as they are known from the text of a program."""

from __future__ import annotations

from dataclasses import dataclass, field, replace


@dataclass(frozen=True)
class Size:
    """A size: a name with an offset, and its value where that is known. Without a name it is a number."""

    name: str | None = None
    plus: int = 0
    value: int | None = None
    group: int | None = None  # the line of `n, m = a.shape` that gave the name

    @staticmethod
    def of(value: int) -> Size:
        """A number."""
        return Size(None, value, value)

    def add(self, amount: int) -> Size:
        """The size with another offset."""
        return Size(self.name, self.plus + amount, None if self.value is None else self.value + amount, self.group)

    def __str__(self) -> str:
        if self.name is None:
            return str(self.plus)
        return self.name if not self.plus else f"{self.name} {'+' if self.plus > 0 else '-'} {abs(self.plus)}"

    def same(self, other: Size) -> bool:
        """Whether both are written as the same size."""
        return (self.name, self.plus) == (other.name, other.plus)

    def differs(self, other: Size) -> bool:
        """Whether they differ for certain. Names of annotations stand for any sizes, so that different ones differ."""
        if self.value is not None and other.value is not None:
            return self.value != other.value
        if self.name is not None and self.name == other.name:
            return self.plus != other.plus
        if self.group is not None and self.group == other.group:
            # Two axes of one array, to which the writer gave two names.
            return self.plus == other.plus
        return self.declared and other.declared

    @property
    def declared(self) -> bool:
        """Whether an annotation gave the name."""
        return self.name is not None and self.name.startswith("'")

    def chance(self, other: Size) -> bool:
        """Whether they are equal, but are different sizes for the writer."""
        return self.value is not None and self.value == other.value and self.name != other.name and None not in (self.name, other.name)


ONE = Size.of(1)


@dataclass(frozen=True)
class Axis:
    """A dimension: its size, if that is known, and which axes of which arrays it came from."""

    size: Size | None = None
    origins: frozenset[tuple[int, int]] = frozenset()

    @property
    def one(self) -> bool:
        return self.size is not None and self.size.value == 1

    def __str__(self) -> str:
        return "?" if self.size is None else str(self.size).replace("'", "")


@dataclass(frozen=True)
class Value:
    """What is known of a value: the type of its elements, its axes, the arrays whose memory it is, and parts of tuples."""

    kind: str | None = None
    axes: tuple[Axis, ...] | None = None
    memory: frozenset[int] = frozenset()
    number: Size | None = None
    parts: tuple[Value, ...] | None = None
    part_of_memory: bool = False
    note: str = ""
    extra: dict[str, object] = field(default_factory=dict, compare=False)

    @property
    def array(self) -> bool:
        return self.axes is not None and len(self.axes) > 0

    @property
    def shape(self) -> str:
        if self.axes is None:
            return "?"
        inner = ", ".join(map(str, self.axes))
        return f"({inner},)" if len(self.axes) == 1 else f"({inner})"

    def but(self, **changes: object) -> Value:
        """The value with other properties."""
        return replace(self, **changes)  # type: ignore[arg-type]


UNKNOWN = Value()
RANKS = {"bool": 0, "uint8": 1, "int": 2, "float32": 3, "float": 4, "complex": 5}


def wider(a: str | None, b: str | None, weak_a: bool = False, weak_b: bool = False) -> str | None:
    """The type of a result. Python's own numbers do not widen types of their kind."""
    if a is None or b is None:
        return None
    if weak_b and not weak_a:
        return a if RANKS.get(b, 9) <= 2 and RANKS.get(a, 9) >= 1 or b == "float" and a in ("float32", "float", "complex") else wider(a, b)
    if weak_a and not weak_b:
        return wider(b, a, weak_b, weak_a)
    if {a, b} == {"int", "float32"}:
        return "float"
    return a if RANKS.get(a, 9) >= RANKS.get(b, 9) else b
