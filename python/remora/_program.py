"""Programs and their functions."""

from __future__ import annotations

import inspect
import os
import threading
import warnings
from collections.abc import Iterator
from typing import Any

from . import _remora
from ._compiler import provide
from ._errors import ProgramWarning
from ._support import Variant


class Function(_remora.FunctionBase):
    """A function of a program. It takes and returns NumPy arrays, Python's numbers, tuples and records.

    Called with arrays of more dimensions than its parameters have, it is mapped: the compiler makes an instance for the ranks and types
    of the arguments, by the same inference as in programs, and keeps it. Keyword arguments besides the names of the parameters:

    `out`: an array, or a tuple of arrays, that the result is copied to;
    `casting`: which conversions of arguments are made (`"same_kind"`, `"unsafe"`, .., as in NumPy); none without it;
    `device`: with `backend="cuda"`, whether results stay on the device; without it, where an array among the arguments is there.
    """

    __slots__ = ("_program", "__weakref__")
    _program: Program

    @classmethod
    def _of(cls, program: Program, name: str) -> Function:
        base = program._function(name)
        if base is None:
            raise AttributeError(f"the program has no function {name!r}")
        made = cls(base)
        made._program = program
        return made

    @property
    def __doc__(self) -> str:  # type: ignore[override]
        return "\n".join(filter(None, (f"{self.__name__} : {self.type}", self.comment)))

    @property
    def __signature__(self) -> inspect.Signature:
        keyword = inspect.Parameter.KEYWORD_ONLY
        params = [
            inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=_annotation(form))
            for name, form in self.parameters()
            if name.isidentifier()
        ]
        params += [inspect.Parameter(name, keyword, default=None) for name in ("out", "casting", "device")]
        try:
            return inspect.Signature(params)
        except ValueError:
            return inspect.Signature([inspect.Parameter("args", inspect.Parameter.VAR_POSITIONAL), *params[-3:]])

    @property
    def program(self) -> Program:
        """The program that it is part of."""
        return self._program

    @property
    def stats(self) -> dict[str, Any]:
        """How it was used: `calls`, `copied_arguments` and `copied_bytes`, what was inserted for each of its `instances`, whether the
        evaluator runs one of them (`evaluated`), and `peak_bytes`, the most memory that the program took since this was last asked for."""
        calls, copies, copied, instances = self.usage()
        return {
            "calls": calls,
            "copied_arguments": copies,
            "copied_bytes": copied,
            "instances": instances,
            "evaluated": self.evaluated(),
            "peak_bytes": self.peak_bytes(),
        }

    def infer(self, *examples: Any) -> Inferred:
        """The definition with its type and every map that was inserted; for example arguments, what applies it to those."""
        program, name = self._program, self.__name__
        if not examples:
            return Inferred(program.infer(name), program.explicit(name) or "", program.html(name))
        text, html = self.instance(_kinds(self, examples))
        source = "\n".join(line for line in text.splitlines()[1:] if not line.startswith("--"))
        return Inferred(text, source, html)

    def _repr_html_(self) -> str:
        return self.infer()._repr_html_()

    def __repr__(self) -> str:
        return f"<remora function {self.__name__} : {self.type}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return (_function, (self._program, self.__name__))


class Inferred(str):
    """Text of the compiler about insertions: a `str`, with the explicit source as `source`. Notebooks show it with what was inserted marked."""

    source: str
    html: str

    def __new__(cls, text: str, source: str, html: str) -> Inferred:
        made = super().__new__(cls, text.rstrip("\n"))
        made.source, made.html = source, html
        return made

    def _repr_html_(self) -> str:
        return f"<style>{_remora.STYLE}</style>{self.html}"

    def __repr__(self) -> str:
        return str(self)


class Program(_remora.ProgramBase):
    """A checked program: its functions are attributes.

    Those that are declared with `entry`, or all of them if there are none.
    """

    # The class has no slots: functions are kept where attributes are.
    def __getattr__(self, name: str) -> Function:
        if name.startswith("__") or name not in self.names():
            names = ", ".join(self.names())
            raise AttributeError(f"the program has no function {name!r}; it has: {names}")
        found = self[name]
        self.__dict__[name] = found
        return found

    def __getitem__(self, name: str) -> Function:
        """The function with this name, also where Python could not write it: `program["f'"]`."""
        if name not in self.names():
            raise KeyError(name)
        # One object for each: what was compiled for it is kept with it. Not all names may be attributes.
        made: dict[str, Function] = self.__dict__.setdefault("_made", {})
        found = made.get(name)
        return found if found is not None else made.setdefault(name, Function._of(self, name))

    def __iter__(self) -> Iterator[Function]:
        return (self[name] for name in self.names())

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self.names()})

    def __repr__(self) -> str:
        return f"<remora program {self.path}: {', '.join(self.names())}>"

    def _repr_html_(self) -> str:
        return f"<style>{_remora.STYLE}</style>{self.html()}"

    def __reduce__(self) -> tuple[Any, ...]:
        threads, strict, backend = self.settings
        return (_unpickled, (self.path, self.text, self.imports(), threads, strict, backend))

    @property
    def variants(self) -> Variants:
        """Constructors of sum types by name: `program.variants.rect(2.0, 3.0)` is `#rect 2.0 3.0`."""
        return Variants()


class Variants:
    """Makes variants, and is matched against them."""

    def __getattr__(self, label: str) -> Any:
        if label.startswith("__"):
            raise AttributeError(label)
        return _constructor(label)


class _ConstructorMeta(type):
    label: str

    def __instancecheck__(cls, value: object) -> bool:
        return isinstance(value, Variant) and type.__instancecheck__(Variant, value) and value.label == cls.label

    def __call__(cls, *payload: Any) -> Variant:
        return Variant(cls.label, *payload)


def _constructor(label: str) -> Any:
    names = tuple(f"_{k}" for k in range(16))
    return _ConstructorMeta(label, (), {"label": label, "__match_args__": names, "__slots__": ()})


def _annotation(form: tuple[Any, ...]) -> str:
    if form[0] == "array":
        _, dtype, rank = form
        return f"{dtype}[{', '.join(':' * rank)}]" if rank else dtype
    if form[0] == "tuple":
        _, labels, rank, parts = form
        inner = [_annotation(part) for part in parts]
        if labels is not None:
            return "{" + ", ".join(f"{label}: {part}" for label, part in zip(labels, inner)) + "}"
        return f"({', '.join(inner)})"
    return form[1] if form[0] == "sum" else "array"


def _kinds(function: Function, examples: tuple[Any, ...]) -> list[list[tuple[str, int]]]:
    """The types and ranks of example arguments."""
    from ._support import leaf, parts

    def add(form: tuple[Any, ...], value: Any, what: str, out: list[tuple[str, int]]) -> None:
        if form[0] == "tuple":
            for part, item in zip(form[3], parts(value, what, form[1], len(form[3]))):
                add(part, item, what, out)
        elif form[0] != "sum":
            array, _ = leaf(value, what, form[1] if form[0] == "array" else None, None)
            out.append((str(array.dtype), array.ndim))

    params = function.parameters()
    if len(params) != len(examples):
        raise TypeError(f"{function.__name__}() takes {len(params)} arguments, {len(examples)} were given")
    kinds: list[list[tuple[str, int]]] = []
    for (name, form), value in zip(params, examples):
        kinds.append([])
        add(form, value, f"{function.__name__}(): argument `{name}`", kinds[-1])
    return kinds


def _function(program: Program, name: str) -> Function:
    return program[name]


def _silent(path: str, text: str | None, imports: dict[str, str] | None, threads: int, strict: bool, backend: str) -> Program:
    """A program whose warnings nobody sees."""
    provide()
    return Program(path, text, imports, threads, strict, backend)


def _program(path: str, text: str | None, imports: dict[str, str] | None, threads: int, strict: bool, backend: str) -> Program:
    made = _silent(path, text, imports, threads, strict, backend)
    for warning in made.warnings:
        warnings.warn(warning, ProgramWarning, stacklevel=3)
    return made


# Programs that were unpickled, the latest last. A cluster sends the same program with every task: it is checked and compiled once, and what
# it keeps for further results is there once.
_kept: dict[tuple[Any, ...], Program] = {}
_KEPT = 16
_keeping = threading.Lock()


def _unpickled(path: str, text: str, imports: dict[str, str], threads: int, strict: bool, backend: str) -> Program:
    """A program that was pickled: the same object for the same program."""
    key = (path, text, tuple(sorted(imports.items())), threads, strict, backend)
    with _keeping:
        made = _kept.pop(key, None) or _program(path, text, imports, threads, strict, backend)
        _kept[key] = made
        while len(_kept) > _KEPT:
            del _kept[next(iter(_kept))]
    return made


def load(path: str | os.PathLike[str], *, threads: int = 0, strict: bool = False, backend: str = "auto") -> Program:
    """Reads a program (`.rem`) from a file and checks it.

    `threads`: how many threads its functions use; one for each processor if that is 0.
    `strict`: floating-point results are the same to the last bit as the evaluator's.
    `backend`: "auto" compiles functions when they are first called, and the evaluator runs those that cannot be compiled; "cpu" refuses
    those, "interp" evaluates all, and "cuda" runs all on the CUDA device: arrays that are there already are taken where they are (by DLPack
    or `__cuda_array_interface__`) and give results that stay there, arrays of NumPy's are brought there and give arrays of NumPy's.

    Raises `CompileError` with the diagnostics if the program is refused.
    """
    return _program(os.fspath(path), None, None, _count(threads), strict, backend)


def compile(text: str, *, path: str = "<text>", threads: int = 0, strict: bool = False, backend: str = "auto") -> Program:
    """Checks the program with this text: as `load` for a file. `path` says where the text would stand, for imports and messages."""
    if not isinstance(text, str):
        raise TypeError(f"the text of a program is a `str`, not {type(text).__name__!r}")
    return _program(path, text, None, _count(threads), strict, backend)


def compile_translated(text: str, *, path: str, backend: str) -> Program:
    """As `compile`, for a program that was written by `port`: its warnings are about lines that the caller did not write."""
    return _silent(path, text, None, 0, False, backend)


def _count(threads: int) -> int:
    if not 0 <= threads < 1 << 16:
        raise ValueError(f"there cannot be {threads} threads")
    return threads

