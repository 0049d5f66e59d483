"""Values of a Python function as the reader knows them: the text that makes them in remora, their types, sizes and memory."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from .diagnostics import Code, Unread
from .sizes import ONE, Size

# How tightly the outermost form of a text binds.
LOW, OR, AND, COMPARE, BITS, SHIFT, SUM, PRODUCT, POWER, UNARY, APPLY, ATOM = range(12)

DTYPES = {
    "bool": "bool", "int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64", "uint8": "u8", "uint16": "u16", "uint32": "u32",
    "uint64": "u64", "float32": "f32", "float64": "f64", "complex64": "c64", "complex128": "c128",
}  # fmt: skip
NUMPY = {ours: np.dtype(theirs) for theirs, ours in DTYPES.items()}
INTS = {"i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"}
FLOATS = {"f32", "f64"}
GENERATOR = "pcg64.state"  # the type of a generator of random numbers
WEAK = {"bool": bool, "i64": int, "f64": float, "c128": complex}

_FRESH = itertools.count()


# How the memory of an array from outside of the function is called: this, and its name there.
OUTSIDE = "outside "
# What a list of the caller's is known by in a function that is called.
CALLER = "of the caller"


def fresh() -> str:
    """A name for something that has none."""
    return f"?{next(_FRESH)}"


@dataclass(frozen=True)
class Value:
    """A value. `shape` is NumPy's; dimensions that `None` or `keepdims` made are not there in remora (`axes` leaves them out)."""

    text: str
    prec: int
    dtype: str
    shape: tuple[Size, ...] = ()
    weak: bool = False  # a number of Python's own: NEP 50
    const: Any = None  # a literal: an int, float, bool
    size: Size | None = None  # an integer whose value is known as a polynomial
    small: bool = False  # an integer far from 2**63: a size, an index, an element count
    memory: frozenset[str] = frozenset()
    items: tuple[Any, ...] | None = None  # a tuple or list of values
    function: Any = field(default=None, compare=False)
    origin: Any = field(default=None, compare=False)  # the literal that a variable was given, and has had since
    serial: Any = field(default=None, compare=False)  # of the array of a variable: what it stands for, until the name is given to something else
    listed: int = field(default=0, compare=False)  # so many of the outermost dimensions are Python's lists
    weakly: bool = field(default=False, compare=False)  # of a list: its elements are numbers of Python's own
    keys: tuple[str, ...] = ()  # of a record: the names of its parts
    kind: Any = field(default=None, compare=False)  # of a record: the class that it is an instance of
    spread: tuple[str, ...] = ()  # variables of no name of Python's that this one consists of
    view: Any = field(default=None, compare=False)  # what the variable is a part of: see `views`

    @property
    def rank(self) -> int:
        """NumPy's number of dimensions."""
        return len(self.shape)

    @property
    def axes(self) -> tuple[int, ...]:
        """The dimensions that are there in remora."""
        return tuple(k for k, size in enumerate(self.shape) if size != ONE)

    @property
    def scalar(self) -> bool:
        """Whether it is a number in remora."""
        return not self.axes and self.items is None and self.function is None

    def named(self, name: str) -> Value:
        """The same value under a name."""
        return replace(self, text=name, prec=ATOM)

    def at(self, prec: int) -> str:
        """The text where something binds as tightly as `prec`."""
        if self.is_literal and self.prec >= UNARY:
            text = self.text
            return f"({text})" if text.startswith("-") and prec > PRODUCT else text
        return self.text if self.prec >= prec else f"({self.text})"

    @property
    def is_literal(self) -> bool:
        """Whether the text is a number without a type."""
        return self.const is not None and not isinstance(self.const, bool) and not self.text[:1].isalpha() and self.text[:1] != "_"

    @property
    def argument(self) -> str:
        """The text as an argument of a function."""
        return self.at(ATOM)


def literal(value: Any, dtype: str | None = None) -> Value:
    """A number of Python's."""
    if isinstance(value, bool):
        return Value("true" if value else "false", ATOM, "bool", weak=True, const=value)
    if isinstance(value, int):
        return Value(str(value), ATOM, "i64", weak=True, const=value, size=Size.of(value), small=abs(value) < 1 << 32)
    if isinstance(value, complex):
        return Value(f"{abs(value.imag)!r}jc128", ATOM, "c128", weak=True)
    if value != value or value in (float("inf"), float("-inf")):
        text = "f64.nan" if value != value else ("f64.inf" if value > 0 else "-f64.inf")
        return Value(text, UNARY if text[0] == "-" else ATOM, "f64", weak=True)
    text = repr(value)
    if "e" in text and "." not in text.split("e")[0]:
        text = text.replace("e", ".0e")
    return Value(text, ATOM, "f64", weak=True, const=value)


def convert(value: Value, dtype: str) -> Value:
    """The value with another type: literals are written as the type wants them."""
    if value.dtype == dtype:
        return value
    if value.is_literal:
        if dtype in FLOATS and isinstance(value.const, (int, float)):
            return replace(value, dtype=dtype)
        if dtype in INTS and isinstance(value.const, int):
            return replace(value, dtype=dtype)
    if value.dtype in ("c64", "c128") and dtype in FLOATS | INTS:
        raise Unread(None, Code.TYPE, "a complex number as a real one", "write `.real`")
    if dtype in ("c64", "c128") and value.dtype in INTS:
        value = convert(value, "f64")
    return replace(value, text=f"{dtype}.{value.dtype} {value.argument}", prec=APPLY, dtype=dtype, const=None, memory=frozenset())


def bound_text(value: Value) -> str:
    """The text where nothing else says the type of a literal."""
    if value.is_literal:
        integral = isinstance(value.const, int)
        if value.dtype in FLOATS:
            return (value.text + (".0" if integral else "")) + ("" if value.dtype == "f64" else value.dtype)
        return value.text + value.dtype
    return value.text


def type_text(value: Value) -> str:
    """The type of a value as the program writes it."""
    dims = "".join(f"[{size.text()}]" if size.known else "[]" for size in (value.shape[k] for k in value.axes))
    return dims + value.dtype


def result_dtype(ufunc: Any, values: list[Value]) -> tuple[list[str], str]:
    """The types that a ufunc of NumPy converts its operands to, and that of its result: NEP 50, by NumPy itself."""
    given: list[Any] = []
    for value in values:
        if value.dtype not in NUMPY:
            raise Unread(None, Code.TYPE, f"`{ufunc.__name__}` of what is no array of numbers", "make an array of it: `np.array([..])`")
        given.append(WEAK[value.dtype] if value.weak and value.dtype in ("i64", "f64", "c128") else NUMPY[value.dtype])
    if all(isinstance(each, type) for each in given):
        given = [np.dtype(each) for each in given]
    try:
        found = ufunc.resolve_dtypes((*given, *[None] * ufunc.nout))
    except TypeError:
        raise Unread(None, Code.TYPE, f"NumPy has no `{ufunc.__name__}` for {' and '.join(value.dtype for value in values)}", "convert one of them with `astype`") from None
    other = next((str(each) for each in found if str(each) not in DTYPES), None)
    if other is not None:
        raise Unread(None, Code.TYPE, f"NumPy's result of `{ufunc.__name__}` of {values[0].dtype} is {other}, which is not read", "convert the argument, for example with `x.astype(np.float64)`")
    names = [DTYPES[str(each)] for each in found]
    return names[: len(values)], names[len(values)]
