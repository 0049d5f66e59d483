"""What is raised. `CompileError` and `RunTimeError` carry the diagnostics of the compiler."""

from __future__ import annotations

import json
from typing import Any


class Diagnostic:
    """What the compiler says about one thing: with its code, its places, notes, advice and, for an ambiguity, the readings."""

    __slots__ = ("_data",)

    def __init__(self, data: dict[str, Any]) -> None:
        self._data = data

    @property
    def code(self) -> str:
        """The code, such as `E0402`; `remora.explain` explains it."""
        return str(self._data["code"])

    @property
    def severity(self) -> str:
        """`error` or `warning`."""
        return str(self._data["severity"])

    @property
    def message(self) -> str:
        """One sentence."""
        return str(self._data["message"])

    @property
    def spans(self) -> list[dict[str, Any]]:
        """Places, the most important first: `file`, `line`, `column`, `length`, `label`."""
        return list(self._data["spans"])

    @property
    def notes(self) -> list[str]:
        """Further facts."""
        return list(self._data["notes"])

    @property
    def help(self) -> list[str]:
        """What you can do."""
        return list(self._data["help"])

    @property
    def readings(self) -> list[Reading]:
        """For an ambiguity: every reading."""
        return [Reading(reading) for reading in self._data.get("readings", [])]

    def __repr__(self) -> str:
        return f"<{self.severity} {self.code}: {self.message}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return (Diagnostic, (self._data,))


class Reading:
    """One reading of an ambiguous application."""

    __slots__ = ("_data",)

    def __init__(self, data: dict[str, Any]) -> None:
        self._data = data

    @property
    def source(self) -> str:
        """The whole definition, explicit in this reading: valid source."""
        return str(self._data["source"])

    @property
    def fragment(self) -> str:
        """The part that differs between the readings."""
        return str(self._data["fragment"])

    @property
    def cost(self) -> int:
        """The number of insertions."""
        return int(self._data["cost"])

    @property
    def note(self) -> str:
        """In words, how it differs."""
        return str(self._data["note"])

    def __repr__(self) -> str:
        return f"<reading {self.fragment!r}>"


class RemoraError(Exception):
    """Everything that remora raises is one of these."""

    def __init__(self, text: str, diagnostics: list[str] | None = None) -> None:
        super().__init__(text)
        self._json = list(diagnostics or [])

    @property
    def diagnostics(self) -> list[Diagnostic]:
        """What the compiler said, most important first."""
        return [Diagnostic(json.loads(line)) for line in self._json]

    @property
    def codes(self) -> list[str]:
        """The codes of the diagnostics."""
        return [diagnostic.code for diagnostic in self.diagnostics]

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (self.args[0], self._json))


class CompileError(RemoraError):
    """A program, or a call of one of its functions, is refused."""


class RankError(CompileError, TypeError):
    """A function cannot be applied to arguments of these ranks, or can be in several ways: see `readings`."""

    @property
    def readings(self) -> list[Reading]:
        """For an ambiguity: every reading."""
        return [reading for diagnostic in self.diagnostics for reading in diagnostic.readings]


class RunTimeError(RemoraError, RuntimeError):
    """A program failed while it ran: an index out of bounds, a division by zero, no memory, .."""


class ArgumentError(RemoraError, TypeError, ValueError):
    """An argument has the wrong type, or a size that does not fit."""


class InternalError(RemoraError, SystemError):
    """Something is wrong in remora, not in the program."""


class EvaluatorWarning(RuntimeWarning):
    """The evaluator runs a function, slowly, for want of a C compiler or of something that is compiled."""


class ProgramWarning(UserWarning):
    """Something is to be said about a program although it is accepted."""


_CLASSES: dict[str, type[RemoraError]] = {
    kind.__name__: kind for kind in (CompileError, RankError, RunTimeError, ArgumentError, InternalError)
}


def make(kind: str, text: str, diagnostics: list[str]) -> RemoraError:
    """The exception for diagnostics, given as lines of JSON."""
    found = _CLASSES[kind]
    codes = [json.loads(line)["code"] for line in diagnostics]
    if "E0901" in codes:
        found = InternalError
    elif found is RunTimeError and "E0507" in codes:
        found = OutOfMemory
    elif found is CompileError and any("readings" in json.loads(line) for line in diagnostics):
        found = RankError
    return found(text, diagnostics)


class OutOfMemory(RunTimeError, MemoryError):
    """A program asked for more memory than there is."""
