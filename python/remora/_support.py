"""What calls need that is not done where it is fast: conversions of arguments, tuples, variants, `out=`. The extension calls this."""

from __future__ import annotations

import collections
import functools
import sys
import warnings
from typing import Any

import numpy as np

from ._errors import ArgumentError, EvaluatorWarning

# NumPy's names of the types of the language, with the type whose values they take from Python's own numbers.
_KINDS = "biufc"
_TYPES = {
    name: np.dtype(name)
    for name in (
        "bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "float32", "float64", "complex64", "complex128",
    )
}  # fmt: skip


def _shown(array: np.ndarray[Any, Any]) -> str:
    return f"{array.dtype}[{', '.join(map(str, array.shape))}]" if array.ndim else f"{array.dtype}"


def _as_array(value: Any, what: str) -> np.ndarray[Any, Any]:
    """Whatever NumPy takes for an array, but nothing that would be guessed."""
    kind = type(value)
    masked = sys.modules.get("numpy.ma")
    if masked is not None and isinstance(value, masked.MaskedArray):
        raise ArgumentError(
            f"{what} is a masked array, whose mask would be ignored: pass `x.filled(value)`, or the data and the mask as two arrays"
        )
    sparse = sys.modules.get("scipy.sparse")
    if sparse is not None and sparse.issparse(value):
        raise ArgumentError(f"{what} is a sparse matrix: pass its parts, or `x.toarray()`")
    if value is None or isinstance(value, (str, bytes, dict, set)):
        raise ArgumentError(f"{what} is {kind.__name__!r}, which is no number and no array")
    if not isinstance(value, np.ndarray) and _is_on_device(value):
        raise ArgumentError(
            f"{what} is in the memory of a device: copy it with `.get()` or `.cpu()` first, or load the program with `backend=\"cuda\"`"
        )
    if not isinstance(value, np.ndarray) and not hasattr(value, "__array__") and hasattr(value, "__dlpack__"):
        try:
            return np.from_dlpack(value)
        except (BufferError, RuntimeError, TypeError) as error:
            raise ArgumentError(f"{what} cannot be had by DLPack: {error}") from error
    try:
        array = np.asarray(value)
    except (ValueError, TypeError, RuntimeError) as error:
        raise ArgumentError(f"{what} is no array: {error}") from error
    if array.dtype == object:
        hint = "the rows have different lengths" if isinstance(value, (list, tuple)) else "convert it with `x.astype(float)`"
        raise ArgumentError(f"{what} has elements of type `object`, which can be anything: {hint}")
    return array


def _is_on_device(value: Any) -> bool:
    if hasattr(value, "__cuda_array_interface__"):
        return True
    if not hasattr(value, "__dlpack_device__"):
        return False
    kind, _ = value.__dlpack_device__()
    # Processors, and memory of theirs that devices reach too.
    return int(kind) not in (1, 3, 11)


def device_interface(found: Any, what: str) -> tuple[int, tuple[int, ...], str, int | None]:
    """What `__cuda_array_interface__` says (version 3): address, sizes, type, and the stream that has to be waited for."""
    if found.get("mask") is not None:
        raise ArgumentError(f"{what} has a mask, which would be ignored")
    dtype = np.dtype(found["typestr"])
    shape = tuple(int(size) for size in found["shape"])
    strides = found.get("strides")
    if strides is not None and 0 not in shape:
        step = dtype.itemsize
        for size, stride in zip(reversed(shape), reversed(strides)):
            if size != 1 and stride != step:
                raise ArgumentError(
                    f"{what} is on the device, but not in row-major order: make a copy that is, such as `cupy.ascontiguousarray(x)`"
                )
            step *= size
    if not dtype.isnative:
        raise ArgumentError(f"{what} is on the device in another order of bytes")
    # Without a word about streams somebody may still write to it in the default one.
    stream = found.get("stream", None if found.get("version", 0) >= 3 else 1)
    return int(found["data"][0]), shape, dtype.name, None if stream is None else int(stream)


def fetched(result: Any) -> Any:
    """A result with arrays of NumPy's in place of those on the device."""
    if isinstance(result, tuple):
        parts = [fetched(part) for part in result]
        return type(result)(*parts) if hasattr(result, "_fields") else tuple(parts)
    return result if isinstance(result, (np.ndarray, np.generic)) else result.get()


def _number(value: Any, what: str, wanted: np.dtype[Any]) -> np.ndarray[Any, Any] | None:
    """One of Python's own numbers as the wanted type, if that loses nothing but digits."""
    if type(value) is bool:
        if wanted.kind != "b":
            raise ArgumentError(f"{what}: expected {wanted}, given a truth value; pass `int(x)`")
    elif type(value) is int:
        if wanted.kind == "b":
            raise ArgumentError(f"{what}: expected bool, given the number {value}; pass `bool(x)`")
        if wanted.kind in "iu":
            limits = np.iinfo(wanted)
            if not limits.min <= value <= limits.max:
                raise ArgumentError(f"{what}: the number {value} is none of {wanted}, which goes from {limits.min} to {limits.max}")
        else:
            try:
                value = float(value)
            except OverflowError:
                raise ArgumentError(f"{what}: the number {value} is too large for {wanted}") from None
    elif type(value) is float:
        if wanted.kind not in "fc":
            raise ArgumentError(f"{what}: expected {wanted}, given the float {value}; pass `int(x)`")
    elif type(value) is complex:
        if wanted.kind != "c":
            raise ArgumentError(f"{what}: expected {wanted}, given the complex number {value}; pass `x.real`")
    else:
        return None
    return np.asarray(value, dtype=wanted)


def _is_weak(value: Any) -> bool:
    """Whether a list consists of Python's own numbers, which have no type of their own in NumPy either."""
    if isinstance(value, (list, tuple)):
        return all(_is_weak(item) for item in value)
    return type(value) in (bool, int, float, complex)


def leaf(value: Any, what: str, name: str | None, casting: str | None) -> tuple[np.ndarray[Any, Any], int]:
    """An argument as an array in row-major order of the type with this name, and how many bytes were copied for that."""
    wanted = None if name is None else _TYPES[name]
    if wanted is not None:
        number = _number(value, what, wanted)
        if number is not None:
            return number, 0
    array = _as_array(value, what)
    if wanted is None:
        # The type of the argument decides; `long long` is `long` by another name.
        wanted = next((dtype for dtype in _TYPES.values() if dtype == array.dtype.newbyteorder("=")), None)
        if wanted is None:
            raise ArgumentError(f"{what} has elements of type {array.dtype}, which the language does not have")
    native = array.dtype.newbyteorder("=")
    if native != wanted:
        weak = isinstance(value, (list, tuple)) and _is_weak(value)
        rule: Any = casting or ("same_kind" if weak and array.dtype.kind in "iufc" and wanted.kind in "iufc" else "equiv")
        if not array.size and isinstance(value, (list, tuple)):
            rule = "unsafe"
        if weak and rule == "same_kind" and wanted.kind in "iu" and array.size and array.dtype.kind in "iu":
            limits = np.iinfo(wanted)
            if int(array.min()) < limits.min or int(array.max()) > limits.max:
                raise ArgumentError(f"{what}: there are numbers in it that are none of {wanted}")
        if not np.can_cast(native, wanted, rule):
            raise ArgumentError(_refusal(what, array, wanted, casting))
    truths = wanted.kind == "b"
    if array.dtype == wanted and array.flags.c_contiguous and array.flags.aligned and not truths:
        # Subclasses and arrays of `long long` are seen as what they are.
        return array.view(wanted) if type(array) is np.ndarray else np.asarray(array).view(wanted), 0
    if truths and array.dtype == wanted:
        made = np.ascontiguousarray(array).view(np.uint8) != 0
        return made.reshape(array.shape), made.nbytes
    try:
        made = np.array(array, dtype=wanted, order="C", copy=True, subok=False)
    except MemoryError as error:
        raise MemoryError(f"{what} is not in row-major order, and there is no memory for a copy of {array.nbytes} bytes") from error
    return made, made.nbytes


def _refusal(what: str, array: np.ndarray[Any, Any], wanted: np.dtype[Any], casting: str | None) -> str:
    text = f"{what}: expected {wanted}, given {_shown(array)}; "
    if array.dtype.kind == "c" and wanted.kind != "c" and casting != "unsafe":
        return f"{text}pass `x.real`, `x.imag` or `abs(x)`, or `casting='unsafe'`, which drops imaginary parts"
    rules: tuple[tuple[Any, str], ...] = (("safe", "same_kind"), ("same_kind", "same_kind"), ("unsafe", "unsafe"))
    for rule, name in rules:
        if np.can_cast(array.dtype, wanted, rule) and casting != name:
            loses = "" if rule == "safe" else ", which may lose digits" if rule == "same_kind" else ", which changes values"
            return f"{text}convert it with `x.astype(np.{wanted})`, or pass `casting={name!r}`{loses}"
    return f"{text}there is no conversion"


def parts(value: Any, what: str, labels: list[str] | None, count: int) -> list[Any]:
    """The parts of a tuple or record: from a tuple, a mapping, an object with attributes, or a structured array."""
    if isinstance(value, (np.ndarray, np.void)) and value.dtype.names is not None:
        names = value.dtype.names
        if labels is not None and set(labels) == set(names):
            return [value[label] for label in labels]
        if labels is None and len(names) == count:
            return [value[name] for name in names]
        wanted = f"the fields {', '.join(labels)}" if labels is not None else f"{count} fields"
        raise ArgumentError(f"{what}: expected {wanted}, given the fields {', '.join(names)}")
    if labels is not None:
        if isinstance(value, collections.abc.Mapping):
            if set(value) != set(labels):
                raise ArgumentError(f"{what}: expected the fields {', '.join(labels)}, given {', '.join(map(str, value))}")
            return [value[label] for label in labels]
        if all(hasattr(value, label) for label in labels):
            return [getattr(value, label) for label in labels]
        raise ArgumentError(
            f"{what}: expected a record with the fields {', '.join(labels)}, given {type(value).__name__!r}; pass a dict or a named tuple"
        )
    if isinstance(value, (tuple, list)) and len(value) == count:
        return list(value)
    given = f"{len(value)} values" if isinstance(value, (tuple, list)) else f"{type(value).__name__!r}"
    raise ArgumentError(f"{what}: expected a tuple of {count} values, given {given}")


def store(result: Any, out: Any, name: str) -> Any:
    """Copies a result to the array, or the tuple of arrays, that `out=` names."""
    if isinstance(result, tuple):
        if not isinstance(out, tuple) or len(out) != len(result):
            raise ArgumentError(f"{name}(): `out` must be a tuple of {len(result)} arrays, one for each result")
        made = [store(part, into, name) for part, into in zip(result, out)]
        return type(result)(*made) if hasattr(result, "_fields") else tuple(made)
    if isinstance(out, tuple) and len(out) == 1:
        (out,) = out
    if not isinstance(out, np.ndarray) or type(out).__name__ == "MaskedArray":
        raise ArgumentError(f"{name}(): `out` must be an array, not {type(out).__name__!r}")
    found = np.asarray(result)
    if out.shape != found.shape or out.dtype != found.dtype:
        raise ArgumentError(f"{name}(): the result is {_shown(found)}, but `out` is {_shown(out)}")
    if not out.flags.writeable:
        raise ArgumentError(f"{name}(): `out` cannot be written to")
    out[...] = found
    return out


@functools.lru_cache(maxsize=None)
def _record_class(labels: tuple[str, ...]) -> Any:
    # Words of Python, and names that begin with `_`, are no fields of named tuples: they are numbered.
    return collections.namedtuple("Record", labels, rename=True)  # type: ignore[misc, unused-ignore]


def record(labels: tuple[str, ...], values: tuple[Any, ...]) -> Any:
    """A named tuple."""
    return _record_class(labels)(*values)


class Variant:
    """A value of a sum type: the name of its constructor, and what it was made of.

    `Variant("rect", 2.0, 3.0)` is `#rect 2.0 3.0`. In a `match` statement, a class of `Program.variants` is a pattern.
    """

    __slots__ = ("label", "payload")
    __match_args__ = ("label", "payload")
    label: str
    payload: tuple[Any, ...]

    def __init__(self, label: str, *payload: Any) -> None:
        object.__setattr__(self, "label", label)
        object.__setattr__(self, "payload", payload)

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError("a variant does not change")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Variant):
            return NotImplemented
        same = self.label == other.label and len(self.payload) == len(other.payload)
        return same and all(np.array_equal(a, b) for a, b in zip(self.payload, other.payload))

    def __hash__(self) -> int:
        return hash((self.label, len(self.payload)))

    def __repr__(self) -> str:
        return f"Variant({', '.join(map(repr, (self.label, *self.payload)))})"

    def __reduce__(self) -> tuple[Any, ...]:
        return (Variant, (self.label, *self.payload))


def variant(label: str, payload: tuple[Any, ...]) -> Variant:
    return Variant(label, *payload)


def objects(dims: tuple[int, ...], items: list[Any]) -> np.ndarray[Any, Any]:
    """An array of variants."""
    made = np.empty(len(items), dtype=object)
    for k, item in enumerate(items):
        made[k] = item
    return made.reshape(dims)


def cells(value: Any, rank: int, what: str) -> tuple[list[int], list[Any]]:
    """The sizes and the elements of an array, or of nested lists, of variants."""
    if isinstance(value, np.ndarray):
        if value.ndim != rank:
            raise ArgumentError(f"{what}: expected {rank} dimensions, given {value.ndim}")
        return list(value.shape), list(value.reshape(-1))
    if not isinstance(value, (list, tuple)):
        raise ArgumentError(f"{what}: expected a list of variants, given {type(value).__name__!r}")
    if rank == 1:
        return [len(value)], list(value)
    rows = [cells(row, rank - 1, what) for row in value]
    if any(row[0] != rows[0][0] for row in rows):
        raise ArgumentError(f"{what}: the rows have different lengths")
    inner = rows[0][0] if rows else [0] * (rank - 1)
    return [len(rows), *inner], [item for row in rows for item in row[1]]


_SAID: set[str] = set()


def notes(name: str, texts: list[str]) -> None:
    """Says once what the compiler wants to be known about how functions are run."""
    for text in texts:
        text = text.removeprefix("note: ")
        if text not in _SAID:
            _SAID.add(text)
            slow = "evaluator" in text
            warnings.warn(f"{name}: {text}", EvaluatorWarning if slow else RuntimeWarning, stacklevel=3)
