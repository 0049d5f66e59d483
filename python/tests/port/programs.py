"""Random NumPy functions, that a reader of Python either reads as NumPy means them or refuses.

`python tests/port/programs.py --count 1000 --seed 7` runs such functions under `remora.jit` and shows the first difference. Numbers are small
multiples of a half, so that sums and products are exact, in whatever order they are made.
"""

from __future__ import annotations

import argparse
import copy
import random
import sys
import textwrap
import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

FLOATS = ("float64", "float32")
INTS = ("int64", "int32", "uint8", "int16")


@dataclass(frozen=True)
class Kind:
    """What a variable is: `py` for Python's own numbers, a dtype, and names of its sizes."""

    dtype: str
    sizes: tuple[str, ...] = ()

    @property
    def rank(self) -> int:
        return len(self.sizes)

    @property
    def real(self) -> bool:
        return self.dtype in FLOATS or self.dtype == "pyfloat"

    @property
    def whole(self) -> bool:
        return self.dtype in INTS or self.dtype == "pyint"

    @property
    def python(self) -> bool:
        return self.dtype.startswith("py")


class Generator:
    """Writes one function. Sizes are the letters n and m; `n-1` is that of a slice."""

    def __init__(self, seed: int) -> None:
        self.choose = random.Random(seed)
        self.kinds: dict[str, Kind] = {}
        self.fresh = 0
        self.depth = 0
        self.indices: list[str] = []

    def pick(self, items: Any) -> Any:
        return self.choose.choice(list(items))

    def chance(self, p: float) -> bool:
        return self.choose.random() < p

    def name(self, kind: Kind) -> str:
        self.fresh += 1
        made = f"{ {0: 's', 1: 'x', 2: 'a'}[kind.rank] }{self.fresh}"
        self.kinds[made] = kind
        return made

    def having(self, test: Callable[[Kind], bool]) -> list[str]:
        return [name for name, kind in self.kinds.items() if test(kind)]

    # Expressions

    def number(self, kind: Kind) -> str:
        if kind.dtype in ("bool", "pybool"):
            return self.pick(["True", "False"])
        if kind.real:
            return self.pick(["0.5", "2.0", "-1.5", "1.0", "3.0", "0.0"])
        return self.pick(["0", "1", "2", "3", "5"]) if kind.dtype == "uint8" else self.pick(["0", "1", "2", "3", "-1", "-2"])

    def expression(self, kind: Kind, depth: int = 2) -> str:
        """Text of an expression of this kind."""
        names = self.having(lambda other: other == kind)
        if depth <= 0 or self.chance(0.15):
            if names and self.chance(0.85):
                return self.pick(names)
            return self.constant(kind)
        makers: list[Callable[[Kind, int], str | None]]
        if kind.dtype in ("bool", "pybool"):
            makers = [self.comparison, self.comparison, self.logic]
        else:
            makers = [self.arithmetic, self.arithmetic, self.arithmetic, self.function, self.choice, self.reduction]
            makers += [self.slice_of, self.converted] if kind.rank else [self.element, self.element]
            if kind.rank == 2:
                makers += [self.broadcast, self.broadcast, self.transposed]
            if kind.rank == 1:
                makers += [self.row, self.moved, self.moved, self.joined]
        for _ in range(6):
            made = self.pick(makers)(kind, depth)
            if made is not None:
                return made
        return self.pick(names) if names else self.constant(kind)

    def constant(self, kind: Kind) -> str:
        if kind.rank == 0:
            return self.number(kind) if kind.python else f"np.{kind.dtype if kind.dtype != 'bool' else 'bool_'}({self.number(kind)})"
        if kind.dtype == "bool" and (names := self.having(lambda other: other.sizes == kind.sizes and other.dtype != "bool")):
            return f"({self.pick(names)} {self.pick(['>', '<=', '!='])} {self.pick(['0', '1'])})"
        safe = [dtype for dtype in ("bool", *INTS) if np.can_cast(dtype, kind.dtype, "same_kind") or kind.real]
        if names := self.having(lambda other: other.sizes == kind.sizes and other.dtype in safe):
            return f"{self.pick(names)}.astype(np.{kind.dtype})"
        return f"np.full({self.shape(kind)}, {self.number(kind)}, dtype=np.{kind.dtype if kind.dtype != 'bool' else 'bool_'})"

    def shape(self, kind: Kind) -> str:
        return kind.sizes[0] if kind.rank == 1 else f"({', '.join(kind.sizes)})"

    def arithmetic(self, kind: Kind, depth: int) -> str | None:
        operator = self.pick(["+", "-", "*", "+", "-", "//", "%"])
        if operator in ("//", "%"):
            divisor = self.pick(["2", "3"]) if kind.whole else self.pick(["2.0", "0.5", "1.5"])
            if kind.dtype not in ("uint8",) and self.chance(0.4):
                divisor = f"-{divisor}"
            return f"({self.expression(kind, depth - 1)} {operator} {divisor})" if not (kind.rank == 0 and kind.python) else None
        left = self.expression(kind, depth - 1)
        if kind.rank and self.chance(0.4):
            lower = Kind(kind.dtype, kind.sizes[1:]) if self.chance(0.6) else Kind("pyint" if kind.whole else "pyfloat")
            right = self.expression(lower, depth - 1) if lower.dtype == kind.dtype or kind.dtype in ("float64", "int64") else self.number(kind)
        else:
            right = self.expression(kind, depth - 1)
        if kind.dtype == "pyint" and operator == "*":
            right = self.number(kind)
        return f"({left} {operator} {right})" if self.chance(0.7) else f"({right} {operator} {left})"

    def function(self, kind: Kind, depth: int) -> str | None:
        inner = self.expression(kind, depth - 1)
        if kind.rank == 0:
            if kind.python:
                return self.pick([f"abs({inner})", f"max({inner}, {self.expression(kind, depth - 1)})", f"min({inner}, {self.expression(kind, depth - 1)})"])
            return self.pick([f"abs({inner})", f"max({inner}, {self.expression(kind, depth - 1)})"])
        texts = [f"np.abs({inner})", f"np.maximum({inner}, {self.expression(kind, depth - 1)})", f"np.minimum({self.expression(kind, depth - 1)}, {inner})"]
        texts += [f"np.clip({inner}, {self.pick(['0', '1'])}, {self.pick(['2', '3'])})"]
        if kind.real:
            texts += [f"np.floor({inner})", f"np.sign({inner})", f"(-{inner})"]
        elif kind.dtype != "uint8":
            texts += [f"(-{inner})", f"(~{inner})"]
        return self.pick(texts)

    def choice(self, kind: Kind, depth: int) -> str | None:
        a, b = self.expression(kind, depth - 1), self.expression(kind, depth - 1)
        if kind.rank:
            condition = self.expression(Kind("bool", kind.sizes if self.chance(0.7) else kind.sizes[1:]), depth - 1)
            return f"np.where({condition}, {a}, {b})"
        return f"({a} if {self.expression(Kind('pybool'), depth - 1)} else {b})"

    def reduction(self, kind: Kind, depth: int) -> str | None:
        if kind.python or kind.dtype not in ("float64", "float32", "int64"):
            return None
        call = self.pick(["sum", "max", "min"] + (["mean"] if kind.real else []))
        if kind.rank == 0:
            source = Kind(kind.dtype, self.pick([("n",), ("m",), ("n", "m")]))
            return f"{self.expression(source, depth - 1)}.{call}()" if self.chance(0.5) else f"np.{call}({self.expression(source, depth - 1)})"
        if kind.rank == 1 and kind.sizes[0] in "nm":
            axis = 0 if kind.sizes == ("m",) else self.pick([1, -1])
            return f"np.{call}({self.expression(Kind(kind.dtype, ('n', 'm')), depth - 1)}, axis={axis})"
        if kind.sizes == ("n", "m"):
            inner = self.expression(kind, depth - 1)
            return f"({inner} - np.{call}({self.expression(kind, depth - 1)}, axis={self.pick([0, 1])}, keepdims=True))"
        return None

    def slice_of(self, kind: Kind, depth: int) -> str | None:
        if kind.rank == 1 and kind.sizes[0].endswith("-1"):
            whole = self.expression(Kind(kind.dtype, (kind.sizes[0][:-2],)), depth - 1)
            return f"{whole}{self.pick(['[1:]', '[:-1]'])}"
        if kind.rank == 1:
            return f"{self.expression(kind, depth - 1)}[::-1]"
        if kind.sizes == ("n", "m"):
            return f"{self.expression(kind, depth - 1)}{self.pick(['[::-1]', '[:, ::-1]'])}"
        return None

    def converted(self, kind: Kind, depth: int) -> str | None:
        source = {"float64": ["float32", "int64", "bool"], "int64": ["bool", "int32", "uint8"], "float32": ["bool"], "int32": ["bool", "int16"]}.get(kind.dtype)
        if not source:
            return None
        other = Kind(self.pick(source), kind.sizes)
        inner = self.expression(other, depth - 1)
        if kind.dtype == "float64" and other.dtype == "int64" and self.chance(0.5):
            return f"({inner} * {self.pick(['0.5', '1.0'])})"
        return f"{inner}.astype(np.{kind.dtype})"

    def element(self, kind: Kind, depth: int) -> str | None:
        if kind.python:
            return self.pick(self.indices) if kind.dtype == "pyint" and self.indices else None
        names = self.having(lambda other: other.rank > 0 and other.dtype == kind.dtype)
        if not names:
            return None
        name = self.pick(names)
        return f"{name}[{', '.join(self.index(size) for size in self.kinds[name].sizes)}]"

    def index(self, size: str) -> str:
        texts = ["0", "-1"] + ([f"i_{size}", f"i_{size} - 1", f"-i_{size}", f"(i_{size} + 1) % {size}"] if f"i_{size}" in self.indices else [])
        return self.pick(texts)

    def broadcast(self, kind: Kind, depth: int) -> str | None:
        n, m = kind.sizes
        if n != "n" or m != "m":
            return None
        column, row = Kind(kind.dtype, (n,)), Kind(kind.dtype, (m,))
        operator = self.pick(["+", "-", "*"])
        return self.pick(
            [
                f"({self.expression(column, depth - 1)}[:, None] {operator} {self.expression(row, depth - 1)})",
                f"({self.expression(kind, depth - 1)} {operator} {self.expression(column, depth - 1)}[:, np.newaxis])",
                f"({self.expression(row, depth - 1)}[None, :] {operator} {self.expression(kind, depth - 1)})",
                f"({self.expression(column, depth - 1)}.reshape(-1, 1) {operator} {self.expression(kind, depth - 1)})",
            ]
        )

    def transposed(self, kind: Kind, depth: int) -> str | None:
        return f"{self.expression(kind, depth - 1)}.T.copy().T"

    def row(self, kind: Kind, depth: int) -> str | None:
        names = self.having(lambda other: other.rank == 2 and other.dtype == kind.dtype)
        if not names or kind.sizes[0] not in ("n", "m"):
            return None
        name = self.pick(names)
        return f"{name}[{self.index('n')}]" if kind.sizes == ("m",) else f"{name}[:, {self.index('m')}]"

    def moved(self, kind: Kind, depth: int) -> str | None:
        inner = self.expression(kind, depth - 1)
        texts = [f"np.roll({inner}, {self.pick(['1', '-1', '2'])})", f"np.sort({inner})"]
        if kind.dtype in ("float64", "int64"):
            texts += [f"np.cumsum({inner})", f"np.maximum.accumulate({inner})"]
        if kind.dtype == "int64":
            texts += [f"np.argsort({inner}, kind='stable')", f"{inner}[np.argsort({inner}, kind='stable')]"]
        return self.pick(texts)

    def joined(self, kind: Kind, depth: int) -> str | None:
        if not kind.sizes[0] in ("n", "m"):
            return None
        rest = self.expression(Kind(kind.dtype, (f"{kind.sizes[0]}-1",)), depth - 1)
        names = self.having(lambda other: other == kind)
        return f"np.concatenate(({rest}, {self.pick(names)}[:1]))" if names else None

    def comparison(self, kind: Kind, depth: int) -> str | None:
        if kind.rank:
            dtype = self.pick(["float64", "int64", "float32", "int32", "uint8"])
            left = self.expression(Kind(dtype, kind.sizes), depth - 1)
            right = self.expression(Kind(dtype, kind.sizes), depth - 1) if self.chance(0.4) else self.number(Kind(dtype))
            return f"({left} {self.pick(['<', '<=', '>', '>=', '==', '!='])} {right})"
        other = self.pick([Kind("pyint"), Kind("float64"), Kind("int64")])
        return f"({self.expression(other, depth - 1)} {self.pick(['<', '<=', '>', '>=', '==', '!='])} {self.expression(other, depth - 1)})"

    def logic(self, kind: Kind, depth: int) -> str | None:
        a, b = self.expression(kind, depth - 1), self.expression(kind, depth - 1)
        if kind.rank:
            return self.pick([f"({a} & {b})", f"({a} | {b})", f"(~{a})", f"({a} ^ {b})"])
        return self.pick([f"({a} and {b})", f"({a} or {b})", f"(not {a})"])

    # Statements

    def block(self, count: int, margin: str) -> list[str]:
        lines: list[str] = []
        for _ in range(count):
            lines += [margin + line for line in self.statement()]
        return lines or [f"{margin}pass"]

    def statement(self) -> list[str]:
        makers = [self.assign, self.assign, self.assign, self.write, self.write, self.masked, self.augmented, self.view, self.view_write, self.changed, self.record]
        if self.depth < 2:
            makers += [self.branch, self.counted, self.counted, self.over, self.repeat, self.grown, self.chosen]
        for _ in range(8):
            made = self.pick(makers)()
            if made:
                return made
        return self.assign()

    def some_kind(self) -> Kind:
        dtype = self.pick(["float64", "float64", "float64", "int64", "int64", "float32", "int32", "uint8", "bool"])
        sizes = self.pick([(), ("n",), ("n",), ("m",), ("n", "m"), ("n", "m"), ("n-1",)])
        if not sizes:
            dtype = self.pick(["float64", "int64", "pyint", "pyfloat"])
        return Kind(dtype, sizes)

    def assign(self) -> list[str]:
        if self.chance(0.35) and self.kinds:
            name = self.pick(self.kinds)
            return [f"{name} = {self.expression(self.kinds[name])}"]
        kind = self.some_kind()
        text = self.expression(kind)
        if self.depth:
            names = self.having(lambda other: other == kind)
            return [f"{self.pick(names)} = {text}"] if names else []
        return [f"{self.name(kind)} = {text}"]

    def place(self, kind: Kind) -> tuple[str, Kind]:
        """A part of an array that is written to."""
        if kind.rank == 1:
            size = kind.sizes[0]
            if self.chance(0.5):
                return f"[{self.index(size) if size in ('n', 'm') else '0'}]", Kind(kind.dtype)
            if size in ("n", "m"):
                return self.pick(["[1:]", "[:-1]"]), Kind(kind.dtype, (f"{size}-1",))
            return self.pick(["[:]", "[::-1]", "[...]"]), kind
        if kind.sizes != ("n", "m"):
            return "[:]", kind
        return self.pick(
            [
                (f"[{self.index('n')}, {self.index('m')}]", Kind(kind.dtype)),
                (f"[{self.index('n')}]", Kind(kind.dtype, ("m",))),
                (f"[:, {self.index('m')}]", Kind(kind.dtype, ("n",))),
                ("[1:, 0]", Kind(kind.dtype, ("n-1",))),
                ("[:]", kind),
            ]
        )

    def write(self) -> list[str]:
        names = self.having(lambda kind: kind.rank > 0)
        if not names:
            return []
        name = self.pick(names)
        place, part = self.place(self.kinds[name])
        if part.rank and self.chance(0.25):
            part = Kind(part.dtype)
        value = self.expression(part) if part.rank or not self.chance(0.3) else self.number(part)
        operator = "=" if part.dtype == "bool" else self.pick(["=", "=", "+=", "-=", "*="])
        return [f"{name}{place} {operator} {value}"]

    def masked(self) -> list[str]:
        names = self.having(lambda kind: kind.rank > 0 and kind.dtype != "bool")
        if not names:
            return []
        name = self.pick(names)
        kind = self.kinds[name]
        mask = self.expression(Kind("bool", kind.sizes), 1)
        value = self.number(kind)
        if kind.rank == 1 and self.chance(0.3):
            places = self.having(lambda other: other == Kind("int64", ("n",)) or other == Kind("int64", ("m",)))
            if places:
                index = f"{self.pick(places)} % {kind.sizes[0] if kind.sizes[0] in 'nm' else '1'}"
                forms = [f"{name}[{index}] = {value}", f"{name}[{index}] += {value}", f"{name}[{index}] = {name}[{index}] * 2", f"np.add.at({name}, {index}, {value})"]
                return [self.pick(forms[: 4 if kind.dtype in ("float64", "int64") else 2])]
        if self.chance(0.25):
            return [f"{name}[{mask}] = {name}[{mask}] + {value}"]
        return [f"{name}[{mask}] {self.pick(['=', '+='])} {value}"]

    def augmented(self) -> list[str]:
        names = self.having(lambda kind: kind.dtype != "bool")
        if not names:
            return []
        name = self.pick(names)
        kind = self.kinds[name]
        value = self.expression(kind, 1) if self.chance(0.6) else self.number(kind)
        if kind.dtype == "pyint":
            return [f"{name} {self.pick(['+=', '-='])} {self.number(kind)}"]
        if kind.rank and self.chance(0.2):
            return [self.pick([f"{name}.sort()", f"{name}.fill({self.number(kind)})", f"{name}[:] = {self.number(kind)}"])]
        return [f"{name} {self.pick(['+=', '-=', '*='])} {value}"]

    def view(self) -> list[str]:
        names = self.having(lambda kind: kind.rank > 0)
        if not names or self.depth:
            return []
        name = self.pick(names)
        kind = self.kinds[name]
        forms: list[tuple[str, Kind]] = [("", kind), ("[:]", kind), ("[::-1]", kind), (".view()", kind), (".copy()", kind)]
        if kind.rank == 1 and kind.sizes[0] in ("n", "m"):
            forms += [("[1:]", Kind(kind.dtype, (f"{kind.sizes[0]}-1",))), ("[:-1]", Kind(kind.dtype, (f"{kind.sizes[0]}-1",)))]
        if kind.sizes == ("n", "m"):
            forms += [("[0]", Kind(kind.dtype, ("m",))), ("[:, -1]", Kind(kind.dtype, ("n",))), (".T", Kind(kind.dtype, ("m", "n")))]
        form, made = self.pick(forms)
        return [f"{self.name(made)} = {name}{form}"]

    def view_write(self) -> list[str]:
        """A view, and a write to one of the two names."""
        made = self.view()
        if not made:
            return []
        name = list(self.kinds)[-1]
        base = made[0].split(" = ")[1].split("[")[0].split(".")[0]
        written = self.pick([name, base])
        kind = self.kinds[written]
        if kind.dtype == "bool":
            return [*made, f"{written}[0] = True"]
        return [*made, self.pick([f"{written}[0] = {self.number(kind)}", f"{written} += {self.number(kind)}", f"{written}[:] = {self.number(kind)}"])]

    def branch(self) -> list[str]:
        self.depth += 1
        lines = [f"if {self.expression(Kind('pybool'))}:", *self.block(self.pick([1, 2]), "    ")]
        if self.chance(0.15):
            lines.append(f"    return {self.result()}")
        elif self.chance(0.5):
            lines += ["else:", *self.block(self.pick([1, 2]), "    ")]
        self.depth -= 1
        return lines

    def counted(self) -> list[str]:
        size = self.pick(["n", "m"])
        if f"i_{size}" in self.indices:
            return []
        self.depth += 1
        self.indices.append(f"i_{size}")
        ranges = [f"range({size})", f"range({size} - 1, -1, -1)", f"range(1, {size})", f"reversed(range({size}))", f"range(0, {size}, 2)", f"range({size} - 1)"]
        lines = [f"for i_{size} in {self.pick(ranges)}:", *self.block(self.pick([1, 2, 3]), "    ")]
        if self.chance(0.25):
            lines += [f"    if {self.expression(Kind('pybool'), 1)}:", f"        {self.pick(['break', 'continue'])}", *self.block(1, "    ")]
        self.indices.pop()
        self.depth -= 1
        return lines

    def over(self) -> list[str]:
        """A loop over elements or rows."""
        names = self.having(lambda kind: kind.rank > 0 and kind.dtype in ("float64", "int64"))
        if not names:
            return []
        name = self.pick(names)
        kind = self.kinds[name]
        inner = Kind(kind.dtype, kind.sizes[1:])
        self.depth += 1
        item = self.name(inner)
        head = f"for {item} in {name}:" if self.chance(0.6) else f"for k{self.depth}, {item} in enumerate({name}):"
        lines = [head, *self.block(self.pick([1, 2]), "    ")]
        del self.kinds[item]
        self.depth -= 1
        return lines

    def repeat(self) -> list[str]:
        self.fresh += 1
        counter = f"c{self.fresh}"
        self.depth += 1
        lines = [f"{counter} = 0", f"while {counter} < {self.pick([2, 3])}:", f"    {counter} += 1", *self.block(self.pick([1, 2]), "    ")]
        if self.chance(0.3):
            lines += [f"    if {self.expression(Kind('pybool'), 1)}:", "        break"]
        if self.chance(0.15):
            lines += ["else:", *self.block(1, "    ")]
        self.depth -= 1
        return lines

    def number_name(self, kind: Kind) -> str:
        """A variable for a number: inside of loops and branches one that there is."""
        if not self.depth:
            return self.name(kind)
        names = self.having(lambda other: other == kind)
        return self.pick(names) if names else ""

    def grown(self) -> list[str]:
        """A list that grows in a loop."""
        names = self.having(lambda kind: kind.rank > 0 and kind.dtype in ("float64", "int64"))
        target = self.number_name(Kind("pyint"))
        if not names or not target:
            return []
        name = self.pick(names)
        self.fresh += 1
        out, item = f"l{self.fresh}", f"v{self.fresh}"
        row = self.kinds[name].rank == 2
        element = self.pick([f"{item}.sum()", f"{item}[0] * 2", f"{item}.copy()", f"{item} * 0.5"]) if row else self.pick([item, f"{item} * 2", f"{item} + {self.fresh}", "1"])
        test = f"{item}.sum() > {self.pick([0, 1, -1])}" if row else f"{item} > {self.pick([0, 1, -1])}"
        add = f"{out}.append({element})"
        scalar = not (".copy" in element or "* 0.5" in element)
        bodies = [[add], [f"if {test}:", f"    {add}"], [f"if {test}:", f"    {add}", "else:", f"    {out}.append({element})"], [f"if {test}:", f"    {add}", f"elif len({out}) > 1:", f"    {out}.pop()"]]
        if scalar:
            bodies += [[f"while {out} and {out}[-1] > {element}:", f"    {out}.pop()", add], [add, f"{out}[-1] += {out}[0]"], [add, f"if len({out}) > 2:", "    break"]]
        self.depth += 1
        more = self.block(self.pick([0, 1]), "    ") if self.chance(0.4) else []
        self.depth -= 1
        lines = [f"{out} = []", f"for {item} in {name}:", *more, *(f"    {line}" for line in self.pick(bodies))]
        return [*lines, f"{target} = len({out}){self.pick(['', ' * 2', ' - 1'])}", *([f"{self.name(Kind('float64'))} = np.sum(np.array({out}) * 1.0)"] if not self.depth else [])]

    def chosen(self) -> list[str]:
        """A comprehension with a condition."""
        names = self.having(lambda kind: kind.rank == 1 and kind.dtype in ("float64", "int64"))
        target = self.number_name(Kind("pyint"))
        if not names or not target:
            return []
        name = self.pick(names)
        test = self.pick(["v > 0", "v > 0 and v < 2", "v != 1", "v > 9"])
        forms = [f"len([v * 2 for v in {name} if {test}])", f"sum(1 for v in {name} if {test})", f"len([k for k, v in enumerate({name}) if {test}])", f"len([v * w for v in {name} for w in {name} if {test}])", f"len([k for k in range(len({name})) if {name}[k] > 0])"]
        return [f"{target} = {self.pick(forms)}"]

    def changed(self) -> list[str]:
        """A call that writes to an array."""
        names = self.having(lambda kind: kind.rank > 0 and kind.dtype in ("float64", "int64") and all(size in "nm" for size in kind.sizes))
        if not names:
            return []
        name = self.pick(names)
        kind = self.kinds[name]
        value, mask = self.number(kind), self.expression(Kind("bool", kind.sizes), 1)
        forms = [
            f"np.put({name}, [0, -1], {value})", f"np.put({name}, [1, 0], [{value}, {self.number(kind)}])", f"np.putmask({name}, {mask}, {value})", f"np.place({name}, {mask}, [{value}, {self.number(kind)}])",
            f"np.copyto({name}, {value}, where={mask})", f"np.add.at({name}, [0, 0, -1], {value})", f"np.maximum.at({name}, [0, 1], {value})", f"{name}.sort(axis=0)", f"np.subtract.at({name}, ([0, 1], ...), {value})",
        ]  # fmt: skip
        if kind.rank == 2:
            forms += [f"np.put_along_axis({name}, np.argmax({name}, axis=1)[:, None], {value}, axis=1)", f"np.fill_diagonal({name}, {value})", f"{name}[0].sort()", f"{name}.T[0] = {value}", f"{name}.flat[1] = {value}", f"np.add.at({name}, (slice(None), [0, 0]), {value})"]
        return [self.pick(forms)]

    def record(self) -> list[str]:
        """A dictionary whose parts change."""
        numbers = self.having(lambda kind: kind == Kind("pyint"))
        arrays = self.having(lambda kind: kind.rank > 0 and kind.dtype == "float64")
        target = self.number_name(Kind("pyint"))
        if not numbers or not arrays or not target:
            return []
        self.fresh += 1
        own = f"p{self.fresh}"
        lines = [f'{own} = {{"a": {self.pick(numbers)}, "x": {self.pick(arrays)}.copy(), "k": 2}}', f'{own}["a"] {self.pick(["=", "+=", "-="])} {self.number(Kind("pyint"))}', f'{own}["x"][0] += 1']
        if self.chance(0.4):
            lines += [f"for k{self.fresh} in range(2):", f'    {own}["a"] += k{self.fresh} * {own}["k"]', f'    {own}["x"] = {own}["x"] * 0.5']
        return [*lines, f'{target} = {own}["a"]', *([f"{self.name(Kind('float64'))} = {own}[\"x\"].sum()"] if not self.depth else [])]

    def result(self) -> str:
        return ", ".join(self.returned) if self.returned else "0"

    def write_function(self) -> tuple[str, list[Kind]]:
        """The text of a function, and the kinds of its parameters."""
        kinds = [Kind("float64", ("n",)), Kind("float64", ("n", "m")), Kind(self.pick(["int64", "float32", "int32", "uint8"]), (self.pick("nm"),)), Kind("pyint")]
        kinds += [Kind("int64", self.pick([("n",), ("m",), ("n", "m")])), Kind("bool", self.pick([("n",), ("m",)]))][: self.pick([0, 1, 2])]
        names = [self.name(kind) for kind in kinds]
        head = f"def f({', '.join(names)}):"
        base = [names[0], names[1]]
        arrays = [name for name, kind in zip(names, kinds) if kind.rank]
        self.returned: list[str] = list(base)
        lines = [f"n, m = {names[1]}.shape", *(f"{name} = {name}.copy()" for name in arrays if self.chance(0.75))]
        lines += self.block(self.pick([2, 3, 4, 5]), "")
        results = sorted({*base, *self.choose.sample(sorted(self.kinds), min(3, len(self.kinds)))})
        lines.append(f"return {', '.join(results)}")
        return "\n".join([head, *(f"    {line}" for line in lines)]) + "\n", kinds


def inputs(kinds: list[Kind], seed: int, small: bool = False) -> list[Any]:
    """Arguments of these kinds."""
    draw = np.random.default_rng(seed)
    sizes = {"n": int(draw.integers(1 if small else 2, 6)), "m": int(draw.integers(1 if small else 2, 5))}
    made: list[Any] = []
    for kind in kinds:
        if kind.dtype == "pyint":
            made.append(int(draw.integers(-2, 4)))
            continue
        shape = tuple(sizes[size] for size in kind.sizes)
        if kind.dtype == "bool":
            made.append(draw.integers(0, 2, shape) == 1)
        elif kind.real:
            made.append((draw.integers(-6, 7, shape) / 2).astype(kind.dtype))
        else:
            made.append(draw.integers(0 if kind.dtype == "uint8" else -3, 5, shape).astype(kind.dtype))
    return made


def same(one: Any, other: Any) -> bool:
    """Equal types of elements, sizes and values; NaN is NaN. Python's own numbers may come as NumPy's."""
    if isinstance(one, dict):
        return isinstance(other, dict) and list(one) == list(other) and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list) != isinstance(other, list):
        return False
    if isinstance(one, (tuple, list)):
        return isinstance(other, type(one)) and len(one) == len(other) and all(map(same, one, other))
    a, b = np.asarray(one), np.asarray(other)
    if a.shape != b.shape or (a.ndim and a.dtype != b.dtype) or a.dtype.kind != b.dtype.kind:
        return False
    if a.dtype.kind in "fc":
        with np.errstate(all="ignore"):
            return bool(np.allclose(a, b, rtol=1e-5 if a.dtype in (np.float32, np.complex64) else 1e-9, atol=1e-12, equal_nan=True))
    return bool(np.array_equal(a, b))


@dataclass
class Outcome:
    """What became of a function: `agrees`, `refused`, `fails` (an error where NumPy has a value), `uncompiled` (the written program is wrong), `crash`, `differs`."""

    what: str
    detail: str = ""


def judge(function: Any, jitted: Any, arguments: list[list[Any]], refusal: type[Exception]) -> Outcome:
    """Runs both on all arguments."""
    import remora
    from remora.port.check import settled

    expected: Any
    seen = "nothing"
    for given in arguments:
        mine, theirs = copy.deepcopy(given), copy.deepcopy(given)
        try:
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                expected = function(*mine)
        except Exception as error:
            expected = error
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found = jitted(*theirs)
        except refusal as error:
            return Outcome("uncompiled" if "fault of the reader" in str(error) else "refused", str(error))
        except (remora.RunTimeError, remora.ArgumentError) as error:
            if isinstance(expected, Exception):
                seen = "agrees"
                continue
            return Outcome("fails", str(error))
        except remora.CompileError as error:
            return Outcome("uncompiled", str(error))
        except Exception as error:
            return Outcome("crash", f"{type(error).__name__}: {error}")
        if isinstance(expected, Exception):
            return Outcome("differs", f"arguments {given}\nNumPy raises {type(expected).__name__}: {expected}\nremora {found}")
        # A float stands for an integer of Python's where the result is a float in other cases.
        expected = settled(expected, jitted.returned)
        if not same(expected, found):
            return Outcome("differs", f"arguments {given}\nNumPy  {expected}\nremora {found}")
        if not all(map(same, mine, theirs)):
            return Outcome("differs", f"arguments {given} afterwards\nNumPy  {mine}\nremora {theirs}")
        seen = "agrees"
    return Outcome(seen)


def evaluate_all() -> None:
    """The evaluator runs everything: what is tested is the reader, not the C compiler."""
    import remora._program

    made = remora._program.compile_translated
    remora._program.compile_translated = lambda text, *, path, backend: made(text, path=path, backend="interp")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--folder", type=Path, default=None, help="where functions are written; a temporary one otherwise")
    parser.add_argument("--show", default="differs,crash", help="which outcomes are shown")
    options = parser.parse_args()
    import tempfile

    from loading import module_of

    import remora
    import remora.port

    evaluate_all()
    refusal = remora.port.PortError
    folder = options.folder or Path(tempfile.mkdtemp())
    folder.mkdir(exist_ok=True)
    counts: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    shown = set(options.show.split(","))
    for seed in range(options.seed, options.seed + options.count):
        text, kinds = Generator(seed).write_function()
        file = folder / f"random_{seed}.py"
        file.write_text("import numpy as np\n\n\n" + text)
        module = module_of(file, f"random_{seed}")
        arguments = [inputs(kinds, seed * 8 + k, small=k == 3) for k in range(4)]
        jitted = remora.port.jit(module.f)
        outcome = judge(module.f, jitted, arguments, refusal)
        counts[outcome.what] += 1
        if outcome.what in ("refused", "fails", "uncompiled"):
            reasons[outcome.what + ": " + outcome.detail.splitlines()[0][:110]] += 1
        if outcome.what in shown:
            print(f"--- {seed}: {outcome.what}\n{text}{textwrap.indent(outcome.detail, '  ')}")
            if outcome.what in ("differs", "uncompiled") and jitted._last is not None:
                print(textwrap.indent(str(jitted.source), "  | "))
    print(dict(counts))
    for reason, count in reasons.most_common(25):
        print(f"{count:6} {reason}")
    return 1 if counts["differs"] or counts["crash"] else 0


if __name__ == "__main__":
    sys.exit(main())
