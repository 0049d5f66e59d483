"""What a reader of Python cannot read, or must not translate: one problem for each place, with what to write instead."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from enum import Enum

from .._errors import RemoraError


class Code(Enum):
    """The kinds of problems."""

    FORM = "P01"  # a form of Python that is not read
    NAME = "P02"  # a function or attribute that is not known
    TYPE = "P03"  # a type that changes, or has no translation
    SHAPE = "P04"  # sizes or ranks that do not fit
    ALIAS = "P05"  # a write through memory that has several names
    BOUND = "P06"  # a name that may have no value
    SOURCE = "P07"  # no source text
    ARGUMENT = "P08"  # an argument of a call

    @property
    def explanation(self) -> str:
        """What the code means."""
        return _EXPLANATIONS[self]


_EXPLANATIONS = {
    Code.FORM: "This form of Python has no translation yet. The help says what to write instead where something is known.",
    Code.NAME: "The reader knows the functions of NumPy that remora's library has, `math`, some builtins, and functions defined inside of the one that is read.",
    Code.TYPE: "A variable of a compiled function has one type. Where a loop or a branch gives it another one, the reader refuses.",
    Code.SHAPE: "The number of dimensions of each value is known when a function is translated, and sizes have to agree as NumPy's broadcasting has it.",
    Code.ALIAS: "`b = a[1:]; b += 1` writes to `a`. Where a write may be seen under another name the reader refuses: copy the array first, or write to `a[1:]`.",
    Code.BOUND: "A variable that only one branch assigns has no value after the other.",
    Code.SOURCE: "The reader needs the text of the function, from a file or a notebook cell.",
    Code.ARGUMENT: "Arguments are arrays of numbers, numbers and truth values.",
}


@dataclass(frozen=True)
class Problem:
    """One problem at one place of the Python source."""

    code: Code
    message: str
    help: str
    file: str
    line: int
    column: int
    text: str
    length: int

    def render(self) -> str:
        """As the command line prints it."""
        margin = " " * len(str(self.line))
        lines = [
            f"error[{self.code.value}]: {self.message}",
            f"{margin}--> {self.file}:{self.line}:{self.column + 1}",
            f"{margin} |",
            f"{self.line} | {self.text}",
            f"{margin} | {' ' * self.column}{'^' * max(1, self.length)}",
        ]
        if self.help:
            lines.append(f"{margin} = help: {self.help}")
        return "\n".join(lines)


class PortError(RemoraError, TypeError):
    """A Python function cannot be translated: see `problems`."""

    def __init__(self, problems: list[Problem]) -> None:
        super().__init__("\n\n".join(problem.render() for problem in problems))
        self.problems = problems

    def __reduce__(self) -> tuple[object, ...]:
        return (PortError, (self.problems,))


class Unread(Exception):
    """Raised inside of the reader at the place that cannot be read."""

    def __init__(self, node: ast.AST | None, code: Code, message: str, help: str = "") -> None:
        super().__init__(message)
        self.node, self.code, self.message, self.help = node, code, message, help


class Poisoned(Exception):
    """Raised where a value is used whose making was reported already."""
