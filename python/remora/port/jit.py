"""`remora.jit`: a Python function that runs as the program it is translated to."""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .. import _program
from .._errors import ArgumentError, CompileError
from .arguments import Listed, Parts, spread
from .diagnostics import Code, PortError, Problem, Unread
from .reading import Definition, outer_names, read
from .sizes import ONE
from .translate import Argument, Result, Translation, translate
from .values import DTYPES

# Python's integers have no bounds: larger ones are refused, so that sums in a loop stay within 64 bits.
LARGEST_INTEGER = 1 << 40

# Sizes that the general program leaves out have programs of their own: so many at most.
MOST_INSTANCES = 256


@dataclass
class Instance:
    """A translation for some types, and what runs it."""

    translation: Translation
    program: Any
    entry: Any


class JitFunction:
    """A Python function that is translated when it is first called, once for each combination of types and ranks."""

    def __init__(self, function: types.FunctionType, backend: str = "auto") -> None:
        functools.update_wrapper(self, function)
        self.__port__ = function
        self.backend = backend
        self._signature = inspect.signature(function)
        self._definition: Definition | None = None
        self._instances: dict[Any, Instance] = {}
        self._constants: dict[Any, frozenset[str]] = {}  # numbers that have to be known where the program is written, for arguments of these types
        self._last: Instance | None = None

    @property
    def definition(self) -> Definition:
        """The function as it is written."""
        if self._definition is None:
            try:
                self._definition = read(self.__port__)
            except Unread as problem:
                code = self.__port__.__code__
                raise PortError([Problem(problem.code, problem.message, problem.help, code.co_filename, code.co_firstlineno, 0, "", 1)]) from None
        return self._definition

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        bound = self._signature.bind(*args, **kwargs)
        bound.apply_defaults()
        given: dict[str, Any] = {}
        for name, value in bound.arguments.items():
            spread(given, name, value, self._value, self.refuse)
        instance = self.instance_for(given)
        return self._run(instance, given)

    # Arguments ---------------------------------------------------------------------------------------------------------------

    def refuse(self, name: str, message: str, help: str = "") -> PortError:
        """A problem with an argument."""
        code = self.__port__.__code__
        return PortError([Problem(Code.ARGUMENT, f"{self.__port__.__name__}(): argument `{name}`: {message}", help, code.co_filename, code.co_firstlineno, 0, f"def {self.__port__.__name__}(..)", 3)])

    def _value(self, name: str, value: Any) -> Any:
        if isinstance(value, (bool, float)) and not isinstance(value, np.generic):
            return value
        if isinstance(value, int) and not isinstance(value, np.generic):
            if abs(value) > LARGEST_INTEGER:
                raise self.refuse(name, f"{value} is too large for one of Python's own integers", "pass `np.int64(..)`, which wraps around as in NumPy")
            return value
        if isinstance(value, (np.random.Generator, np.random.RandomState)):
            raise self.refuse(name, f"a {type(value).__name__} is not read", "pass a seed, and make the generator in the function: `rng = np.random.default_rng(seed)`")
        if isinstance(value, (np.ndarray, np.generic)) and value.dtype.names is not None:
            raise self.refuse(name, "an array of records is not read", "pass an array for each field, such as `x['" + str(value.dtype.names[0]) + "']`")
        if isinstance(value, np.ndarray) and type(value) is np.ndarray or isinstance(value, np.generic):
            if str(value.dtype) not in DTYPES:
                raise self.refuse(name, f"the type {value.dtype} is not read", "convert it, for example with `x.astype(np.float64)`")
            return value
        if isinstance(value, str) or value is None:
            return value
        if isinstance(value, types.FunctionType) or isinstance(value, JitFunction):
            return getattr(value, "__port__", value)
        raise self.refuse(name, f"a {type(value).__name__} is not read", "pass a NumPy array, a number, or a function")

    def kind(self, value: Any, fixed: dict[int, int]) -> Argument:
        """What is known of an argument."""
        if isinstance(value, Parts):
            return Argument(value.dtype, names=value.keys, function=value.kind)
        if isinstance(value, Listed):
            listed = value.array
            return Argument(DTYPES[str(listed.dtype)], tuple(fixed.get(k) for k in range(listed.ndim)), weak=True, listed=listed.ndim)
        if isinstance(value, types.FunctionType):
            return Argument("function", function=value)
        if isinstance(value, str) or value is None:
            return Argument("none" if value is None else "text", function=value)
        if isinstance(value, bool):
            return Argument("bool", weak=True)
        if isinstance(value, (np.ndarray, np.generic)):
            return Argument(DTYPES[str(value.dtype)], tuple(fixed.get(k, 1 if size == 1 else None) for k, size in enumerate(value.shape)))
        return Argument("i64" if isinstance(value, int) else "f64", weak=True)

    # Instances ---------------------------------------------------------------------------------------------------------------

    def instance_for(self, given: dict[str, Any]) -> Instance:
        """The instance for arguments; made if there is none."""
        fixed, loose = False, set[str]()
        while True:
            arguments = {name: self.kind(value, dict(enumerate(getattr(value, "shape", ()))) if fixed else {}) for name, value in given.items()}
            instance = self._instance({name: replace(each, ordered=name not in loose) for name, each in arguments.items()}, given)
            # Sizes that the program for all sizes leaves out have a program of their own, and so have arrays whose elements lie apart, where that matters.
            apart = {name for name in instance.translation.ordered if not given[name].flags.c_contiguous} - loose
            values = {} if fixed else instance.translation.sizes_of(given)
            if not fixed and not all(size.value(values) >= 0 for size, _ in instance.translation.assumed):
                fixed = True
            elif not fixed and not instance.translation.fit(given, values):
                return self._last_resort(instance, given)
            elif apart:
                loose |= apart
            else:
                break
        self._last = instance
        return instance

    def _last_resort(self, instance: Instance, given: dict[str, Any]) -> Instance:
        """The instance for just these sizes, which the one for all does not take: branches that they decide are left out. That one again, which says so, if there is none."""
        try:
            arguments = {name: self.kind(value, dict(enumerate(getattr(value, "shape", ())))) for name, value in given.items()}
            instance = self._instance({name: replace(each, ordered=not isinstance(given[name], np.ndarray) or given[name].flags.c_contiguous) for name, each in arguments.items()}, given)
        except PortError:
            pass
        self._last = instance
        return instance

    def _instance(self, arguments: dict[str, Argument], given: dict[str, Any]) -> Instance:
        """The instance for arguments of these types; some numbers are constants of the program, if it has to know them."""
        types_of = tuple(arguments.items())
        known = self._constants.get(types_of, frozenset())
        try:
            return self._translated(arguments, given, known)
        except PortError as error:
            problem = error
            numbers = {name for name, value in given.items() if type(value) in (bool, int)}
            defaults = {name for name, each in self._signature.parameters.items() if type(each.default) in (bool, int)}
            for names in dict.fromkeys((frozenset(numbers & defaults), frozenset(numbers))):
                if not names > known:
                    continue
                try:
                    made = self._translated(arguments, given, names)
                except PortError as error:
                    problem = error
                    continue
                self._constants[types_of] = names
                return made
            raise problem from None

    def _translated(self, arguments: dict[str, Argument], given: dict[str, Any], constants: frozenset[str]) -> Instance:
        arguments = {name: replace(each, const=given[name]) if name in constants else each for name, each in arguments.items()}
        key = tuple((name, each, type(each.const)) for name, each in arguments.items())
        if len(self._instances) >= MOST_INSTANCES and key not in self._instances:
            raise self.refuse("..", f"there are {MOST_INSTANCES} translations for other types and sizes already", "use fewer combinations of small sizes")
        found = self._instances.get(key)
        if found is not None and all(_same(*key, value) for key, value in found.translation.captured.items()):
            return found
        # Names outside of the function have the values that they have now.
        current = replace(self.definition, outer=outer_names(self.__port__))
        translation = translate(current, arguments)
        if translation.problems:
            raise PortError(translation.problems)
        try:
            program = _program.compile_translated(translation.source, path=f"<{self.__port__.__name__}>", backend=self.backend)
            entry = program[translation.name]
        except CompileError as error:
            raise self._refused(error) from None
        made = Instance(translation, program, entry)
        self._instances[key] = made
        return made

    def _refused(self, error: CompileError) -> PortError:
        """What the compiler says of a translation, as a problem of the function."""
        said = f"the compiler refuses the translation of `{self.__port__.__name__}`, which is a fault of the reader:\n{error}"
        help = "write it in another way"
        if any(each.code == "E0613" for each in error.diagnostics):
            # Rows that are made one by one, each with a size of its own.
            said, help = "rows of the result may have different sizes, for all that is known of them", "make the array first, and write the rows to it: `z = np.zeros((n, k))`, `z[i] = ..`"
        code = self.__port__.__code__
        return PortError([Problem(Code.FORM, said, help, code.co_filename, code.co_firstlineno, 0, f"def {self.__port__.__name__}(..)", 3)])

    def _run(self, instance: Instance, given: dict[str, Any]) -> Any:
        translation = instance.translation
        self._check_memory(translation, given)
        passed = []
        for name, value in given.items():
            if isinstance(value, (types.FunctionType, str, Parts)) or value is None or name in translation.constants:
                continue
            value = value.array if isinstance(value, Listed) else value
            sizes = translation.sizes[name]
            if any(size == ONE for size in sizes):
                value = value.reshape([actual for size, actual in zip(sizes, value.shape) if size != ONE])
                value = value[()] if value.ndim == 0 else value
            passed.append(value)
        if translation.result is None or (translation.result.kind == "none" and not translation.mutated):
            return None
        try:
            outcome = instance.entry(*passed)
        except CompileError as error:
            raise self._refused(error) from None
        except ArgumentError as error:
            if translation.fit(given, translation.sizes_of(given)):
                raise
            raise ArgumentError(f"{error}\n  help: the function brings these arrays together, and their sizes have to fit also where that is in a branch or a loop which does not run") from None
        flat = list(outcome) if isinstance(outcome, tuple) else [outcome]
        written = dict(zip(translation.mutated, flat[len(flat) - len(translation.mutated) :]))
        for name, array in written.items():
            given[name][...] = array
        return _rebuilt(translation.result, flat, given)

    def _check_memory(self, translation: Translation, given: dict[str, Any]) -> None:
        for name in translation.mutated:
            array = given[name]
            if not array.flags.writeable:
                raise self.refuse(name, "the function writes to an array that is read-only")
            for other, value in given.items():
                if other != name and isinstance(value, np.ndarray) and np.may_share_memory(array, value):
                    raise self.refuse(name, f"the function writes to it, and it shares its memory with `{other}`", "pass a copy of one of them")
            for (function, outer), value in translation.captured.items():
                if isinstance(value, np.ndarray) and np.may_share_memory(array, _current(outer_names(function), outer)):
                    raise self.refuse(name, f"the function writes to it, and it shares its memory with `{outer}`, which the function reads", "pass a copy of it")

    @property
    def returned(self) -> Result | None:
        """What the program of the last call returns."""
        return None if self._last is None else self._last.translation.result

    # What was made -----------------------------------------------------------------------------------------------------------

    def _shown(self) -> Instance:
        if self._last is None:
            raise ValueError(f"{self.__port__.__name__} was not called yet: its types are those of the arguments of a call")
        return self._last

    @property
    def source(self) -> str:
        """The program for the types of the last call."""
        return self._shown().translation.source

    def infer(self) -> Any:
        """The explicit program for the types of the last call, with every map that was inserted."""
        return self._shown().entry.infer()

    def explain(self) -> str:
        """What the translation takes for granted, for the types of the last call."""
        translation = self._shown().translation
        lines = [f"{translation.name}: {len(self._instances)} instance(s)"]
        for size, why in translation.assumed:
            lines.append(f"- this program is for arrays with {size.text()} >= 0 ({why}); smaller ones have a program of their own")
        for name in translation.mutated:
            lines.append(f"- the elements of the argument `{name}` are written: the program returns the new array, and it is copied to the caller's")
        for (_, name), value in translation.captured.items():
            said = f"the constant {value!r}" if isinstance(value, (bool, int, float, np.generic)) else "an array" if isinstance(value, np.ndarray) else "a function"
            lines.append(f"- `{name}` is {said}; if it changes, the function is translated again")
        for name in translation.constants:
            lines.append(f"- the argument `{name}` is a constant of this program; other values have programs of their own")
        lines += [f"- {note}" for note in translation.notes]
        lines.append("- sums may be added in another order than NumPy's")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<remora.jit of {self.__port__.__name__}>"

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else functools.partial(self, instance)


def _current(names: dict[str, Any], name: str) -> Any:
    """What a name stands for at present among those that a function sees."""
    current: Any = None
    for k, part in enumerate(name.split(".")):
        current = names.get(part) if k == 0 else getattr(current, part, None)
    return current


def _same(function: types.FunctionType, name: str, value: Any) -> bool:
    """Whether a name that a function sees still has a value; a builtin, and what the function itself imports, has the one that it had."""
    names = outer_names(function)
    if name.split(".")[0] not in names:
        return True
    current = _current(names, name)
    if isinstance(value, np.ndarray):
        # Its elements may have changed, so a copy was kept.
        return type(current) is np.ndarray and current.dtype == value.dtype and current.shape == value.shape and current.tobytes() == value.tobytes()
    return current is value or (type(current) is type(value) and isinstance(value, (bool, int, float, np.generic)) and (current == value or current != current))


def _rebuilt(result: Result, flat: list[Any], given: dict[str, Any]) -> Any:
    if result.kind == "none":
        return None
    if result.kind == "argument":
        return given[result.name]
    if result.kind == "tuple":
        parts = [_rebuilt(part, flat, given) for part in result.parts]
        return parts if result.name == "list" else tuple(parts)
    if result.kind == "named":
        return result.type(*(_rebuilt(part, flat, given) for part in result.parts))
    if result.kind == "record":
        return {key: _rebuilt(part, flat, given) for key, part in zip(result.name.split("\n") if result.name else [], result.parts)}
    value = flat.pop(0)
    if result.kind == "list":
        made = listed(np.asarray(value), int(result.name.rstrip("t")), result.weak)
        return [tuple(each) for each in made] if result.name.endswith("t") else made
    if result.kind == "array":
        value = np.asarray(value)
        return np.expand_dims(value, result.ones) if result.ones else value
    return value.item() if result.weak else value


def listed(array: Any, depth: int, weak: bool) -> Any:
    """An array as a list whose elements are Python's own numbers, NumPy's, or arrays."""
    if weak:
        return array.tolist()
    return list(array) if depth == 1 else [listed(row, depth - 1, weak) for row in array]


def jit(function: Callable[..., Any] | None = None, *, backend: str = "auto") -> Any:
    """Translates a Python function of NumPy arrays to a program when it is called, and runs that.

    `f.source` is the program, `f.infer()` the maps that were inserted, `f.explain()` what was taken for granted. What cannot be read
    raises `PortError`, with the places in the Python source: nothing falls back to Python.

    `backend`: as for `compile`.
    """
    if function is None:
        return lambda inner: jit(inner, backend=backend)
    if not isinstance(function, types.FunctionType):
        raise TypeError(f"`jit` takes a function that is defined with `def`, not a {type(function).__name__}")
    return JitFunction(function, backend)
