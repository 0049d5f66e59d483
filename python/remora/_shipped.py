"""Calls the functions of a package that `remora build --target python` made: the same as `remora.Function`, for the declared ranks, without remora.

This file, `_errors.py` and `_support.py` are copied into every such package.
"""

from __future__ import annotations

import ctypes
import inspect
import json
import os
import platform
import threading
from typing import Any

import numpy as np

from ._errors import ArgumentError, RemoraError, make
from ._support import leaf, parts, record, store

# What the processor must be able to do for a variant of the library, the fastest first.
_VARIANTS: tuple[tuple[str, set[str]], ...] = (
    ("avx512", {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl", "avx2", "fma", "bmi2", "movbe"}),
    ("avx2", {"avx", "avx2", "fma", "bmi1", "bmi2", "f16c", "movbe"}),
    ("baseline", set()),
)


def _features() -> set[str]:
    try:
        with open("/proc/cpuinfo", encoding="ascii", errors="replace") as file:
            for line in file:
                if line.startswith("flags"):
                    return set(line.partition(":")[2].split())
    except OSError:
        pass
    return set()


class _Memory:
    """What a result stands in: gives it back to the library when nobody uses it any more."""

    __slots__ = ("_library", "_block", "__array_interface__")

    def __init__(self, library: Library, block: int, data: int, shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
        self._library, self._block = library, block
        self.__array_interface__ = {"version": 3, "shape": shape, "typestr": dtype.str, "data": (data, False)}

    def __del__(self) -> None:
        self._library.release(self._block)


class Library:
    """The compiled program."""

    def __init__(self, folder: str) -> None:
        machine = platform.machine()
        with open(os.path.join(folder, "_description.json"), encoding="utf-8") as file:
            self.description = json.load(file)
        if machine != self.description["machine"]:
            raise ImportError(f"this package was made for {self.description['machine']}, but this is {machine}: build it again here")
        features = _features()
        wanted = os.environ.get("REMORA_VARIANT")
        there = [
            name
            for name, needed in _VARIANTS
            if os.path.exists(os.path.join(folder, f"_{name}.so")) and (name == wanted or wanted is None and needed <= features)
        ]
        if not there:
            raise ImportError(f"there is no variant {wanted!r} of the library in {folder}")
        self.variant = there[0]
        self._c = ctypes.CDLL(os.path.join(folder, f"_{self.variant}.so"))
        pointer, word = ctypes.c_void_p, ctypes.POINTER(ctypes.c_uint64)
        for name, result, arguments in (
            ("remora_context_new", pointer, [ctypes.c_int]),
            ("remora_array_data", pointer, [pointer]),
            ("remora_array_free", None, [pointer, pointer]),
            ("remora_error_code", ctypes.c_char_p, [pointer]),
            ("remora_error_message", ctypes.c_char_p, [pointer]),
            ("remora_error_places", ctypes.c_int32, [pointer, ctypes.POINTER(ctypes.POINTER(ctypes.c_int32))]),
        ):
            function = getattr(self._c, name)
            function.restype, function.argtypes = result, arguments
        for function in self.description["functions"]:
            entry = getattr(self._c, f"remora_entry_{function['entry']}")
            entry.restype, entry.argtypes = ctypes.c_int, [pointer, word, word]
        self._renew()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._renew)

    def _renew(self) -> None:
        """Begins anew: in a process that was forked off nothing is known of what the threads of the other did."""
        self._process = os.getpid()
        self._lock = threading.Lock()
        self._waiting: list[int] = []
        self._context = self._c.remora_context_new(int(os.environ.get("REMORA_THREADS", "0")))
        if not self._context:
            raise MemoryError("no memory for the threads of the library")

    def release(self, block: int) -> None:
        """Gives back the memory of a result, now or, while a function runs, when it has ended."""
        if self._process != os.getpid():
            return
        if self._lock.acquire(blocking=False):
            try:
                self._c.remora_array_free(self._context, block)
            finally:
                self._lock.release()
        else:
            self._waiting.append(block)

    def call(self, entry: int, arguments: list[int], count: int) -> list[int]:
        """Calls a function with words, and returns words."""
        results = (ctypes.c_uint64 * max(count, 1))()
        words = (ctypes.c_uint64 * max(len(arguments), 1))(*arguments)
        with self._lock:
            while self._waiting:
                self._c.remora_array_free(self._context, self._waiting.pop())
            if getattr(self._c, f"remora_entry_{entry}")(self._context, words, results):
                raise self._failure()
        return list(results)

    def array(self, block: int, shape: tuple[int, ...], dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
        """An array that owns a result."""
        return np.asarray(_Memory(self, block, self._c.remora_array_data(block), shape, dtype))

    def _failure(self) -> RemoraError:
        code, message = (getattr(self._c, f"remora_error_{what}")(self._context).decode() for what in ("code", "message"))
        numbers = ctypes.POINTER(ctypes.c_int32)()
        count = self._c.remora_error_places(self._context, ctypes.byref(numbers))
        known = self.description["places"]
        places = [known[numbers[k]] for k in range(count) if numbers[k] < len(known) and known[numbers[k]]]
        text = "\n".join([f"error[{code}]: {message}", *(f" --> {place}" for place in places)])
        data = {"code": code, "severity": "error", "message": message, "spans": [], "help": [], "notes": places}
        return make("RunTimeError", text, [json.dumps(data)])


def _value(terms: list[tuple[int, list[int]]], of: list[int]) -> int:
    """A polynomial of sizes."""
    total = 0
    for factor, atoms in terms:
        for atom in atoms:
            factor *= of[atom]
        total += factor
    return total


class Function:
    """A function of a compiled program. It takes and returns NumPy arrays of the declared ranks, numbers, tuples and records."""

    __slots__ = ("_library", "_of", "_operands", "_results", "__weakref__")

    def __init__(self, library: Library, of: dict[str, Any]) -> None:
        self._library, self._of = library, of
        self._operands = [(np.dtype(operand["dtype"]), operand["extents"], operand["value"]) for operand in of["operands"]]
        self._results = [(np.dtype(result["dtype"]), result["shape"]) for result in of["results"]]

    @property
    def __name__(self) -> str:
        return str(self._of["name"])

    @property
    def __doc__(self) -> str:  # type: ignore[override]
        return "\n".join(filter(None, (f"{self._of['name']} : {self._of['type']}", self._of["doc"])))

    @property
    def __signature__(self) -> inspect.Signature:
        kinds = inspect.Parameter
        params = [kinds(param["name"], kinds.POSITIONAL_OR_KEYWORD) for param in self._of["params"] if param["name"].isidentifier()]
        return inspect.Signature([*params, *(kinds(name, kinds.KEYWORD_ONLY, default=None) for name in ("out", "casting"))])

    def __repr__(self) -> str:
        return f"<function {self._of['name']} : {self._of['type']}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return (_function, (__name__.rpartition(".")[0], self.__name__))

    def __call__(self, *args: Any, out: Any = None, casting: str | None = None, **kwargs: Any) -> Any:
        name, params = self.__name__, self._of["params"]
        if len(args) > len(params):
            raise TypeError(f"{name}() takes {len(params)} arguments, {len(args)} were given")
        values = dict(zip((param["name"] for param in params), args))
        for key, value in kwargs.items():
            if key in values or all(param["name"] != key for param in params):
                raise TypeError(f"{name}() {'got two values for' if key in values else 'has no'} argument `{key}`")
            values[key] = value
        missing = [param["name"] for param in params if param["name"] not in values]
        if missing:
            raise TypeError(f"{name}() needs a value for `{'`, `'.join(missing)}`")
        arrays: list[np.ndarray[Any, Any]] = []
        names: list[str] = []
        for param in params:
            self._collect(param["form"], values[param["name"]], param["name"], casting, arrays, names)
        sizes = self._measure(arrays, names)
        words = [sizes[k] for k in self._of["indices"]]
        words += [array.ctypes.data if array.ndim else int.from_bytes(array.tobytes().ljust(8, b"\0"), "little") for array in arrays]
        found = self._library.call(self._of["entry"], words, len(self._results))
        made: list[Any] = []
        known = [_signed(word) for word in words + found]
        for (dtype, shape), word in zip(self._results, found):
            if shape:
                made.append(self._library.array(word, tuple(_value(terms, known) for terms in shape), dtype))
            else:
                made.append(np.frombuffer(word.to_bytes(8, "little"), dtype, 1)[0])
        result = _assembled(self._of["returned"], iter(made))
        return result if out is None else store(result, out, name)

    def _collect(self, form: Any, value: Any, name: str, casting: str | None, arrays: list[Any], names: list[str]) -> None:
        what = f"{self.__name__}(): argument `{name}`"
        if form[0] == "array":
            _, dtype, rank = form
            array, _ = leaf(value, what, dtype, casting)
            if array.ndim != rank:
                raise ArgumentError(f"{what}: expected an array of rank {rank}, given one of rank {array.ndim}; {self._of['name']} : {self._of['type']}")
            arrays.append(array)
            names.append(name)
            return
        _, labels, _, inner = form
        for k, (part, item) in enumerate(zip(inner, parts(value, what, labels, len(inner)))):
            self._collect(part, item, f"{name}.{labels[k] if labels else k}", casting, arrays, names)

    def _measure(self, arrays: list[np.ndarray[Any, Any]], names: list[str]) -> list[int]:
        sizes = [0] * len(self._of["seen"])
        for array, (_, extents, value) in zip(arrays, self._operands):
            if value is not None:
                sizes[value] = int(array[()])
            for size, (kind, of) in zip(array.shape, extents):
                if kind == "new":
                    sizes[of] = size
        for name, array, (_, extents, _) in zip(names, arrays, self._operands):
            for axis, (size, (kind, of)) in enumerate(zip(array.shape, extents)):
                wanted = size if kind == "new" else sizes[of] if kind == "known" else _value(of, sizes)
                if size != wanted:
                    where = f"{self.__name__}(): argument `{name}`, dimension {axis}"
                    raise ArgumentError(f"{where}: the size is {size}, but {wanted} is needed; {self._of['name']} : {self._of['type']}")
        return sizes


def _signed(word: int) -> int:
    return word - (1 << 64) if word >> 63 else word


def _assembled(form: Any, made: Any) -> Any:
    if form == "leaf":
        return next(made)
    kind, of, inner = form
    if kind == "hidden":
        for _ in range(of):
            next(made)
        return _assembled(inner, made)
    values = tuple(_assembled(part, made) for part in inner)
    return values if of is None else record(tuple(of), values)


def _function(package: str, name: str) -> Any:
    import importlib

    return getattr(importlib.import_module(package), name)


def functions(folder: str) -> tuple[Library, dict[str, Function]]:
    """The library and the functions of a package in a folder."""
    library = Library(folder)
    return library, {of["name"]: Function(library, of) for of in library.description["functions"]}
