"""Gradients of functions of programs, as functions of programs: an entry point is added that calls `grad` of the language."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from ._program import Function, Program, _program

_NAME = re.compile(r"[A-Za-z_][\w']*\Z")
_DIMENSION = re.compile(r"\[([A-Za-z_][\w']*)\]")


def grad(function: Function, argnums: int | Sequence[int] = 0) -> Function:
    """The gradient of a function that returns one number, by the arguments with these numbers: an array like the argument, a tuple for several.

    It is a function of a program, like the one that it is made of: compiled when it is first called, mapped over arrays of more dimensions, and `grad` may
    be applied to it again if it returns a number. The other arguments, and integers inside of records, are constant.

    >>> import numpy as np, remora as rm
    >>> norm = rm.compile("entry norm [n] (v: [n]f64) = f64.sqrt (f64.sum (v * v))").norm
    >>> rm.grad(norm)(np.array([3.0, 4.0]))
    array([0.6, 0.8])
    """
    return _derived(function, argnums, "grad")


def value_and_grad(function: Function, argnums: int | Sequence[int] = 0) -> Function:
    """As `grad`, for a function that returns the result and the gradient. That costs less than both apart.

    >>> import remora as rm
    >>> square = rm.compile("entry square (x: f64) = x * x").square
    >>> rm.value_and_grad(square)(3.0)
    (np.float64(9.0), np.float64(6.0))
    """
    return _derived(function, argnums, "value_and_grad")


def _derived(function: Function, argnums: int | Sequence[int], operator: str) -> Function:
    if not isinstance(function, Function):
        raise TypeError(f"{operator} is of a function of a program (`rm.compile(..).f`), not of {type(function).__name__!r}")
    numbers = _numbers(function, argnums)
    program = function.program
    made: dict[Any, Function] = program.__dict__.setdefault("_derived", {})
    key = (operator, function.__name__, numbers)
    if key not in made:
        made[key] = _made(program, function, numbers, operator)
    return made[key]


def _numbers(function: Function, argnums: int | Sequence[int]) -> tuple[int, ...]:
    """The numbers of the arguments, counted from 0."""
    given = (argnums,) if isinstance(argnums, int) else tuple(argnums)
    params = function.parameters()
    for number in given:
        if not isinstance(number, int) or isinstance(number, bool):
            raise TypeError(f"`argnums` are the numbers of arguments, not {number!r}")
        if not -len(params) <= number < len(params):
            raise ValueError(f"{function.__name__}() has no argument number {number}: it takes {len(params)}")
    numbers = tuple(number % len(params) for number in given)
    if not numbers or len(set(numbers)) < len(numbers):
        raise ValueError(f"`argnums` has to name different arguments, and at least one: {argnums!r}")
    for number in numbers:
        name, form = params[number]
        if form[0] == "array" and form[1][:1] not in ("f", "c"):
            raise TypeError(f"argument `{name}` of {function.__name__}() is {form[1]}, which has no derivative")
    return numbers


def _made(program: Program, function: Function, numbers: tuple[int, ...], operator: str) -> Function:
    name = _unused(f"{operator}_{function.__name__}", program.text)
    text = f"{program.text.rstrip()}\n\n-- | {_sentence(function, operator)}\n{_entry(function, name, numbers, operator)}\n"
    threads, strict, backend = program.settings
    return _program(program.path, text, program.imports(), threads, strict, backend)[name]


def _sentence(function: Function, operator: str) -> str:
    return f"The {'gradient' if operator == 'grad' else 'result and the gradient'} of `{function.__name__}`."


def _entry(function: Function, name: str, numbers: tuple[int, ...], operator: str) -> str:
    """The definition of the entry point. What a function consumes is copied: its type does not say so."""
    types = _parameters(function.type)
    renamed = {}
    names: list[str] = []
    values: list[str] = []
    for number, (param, form) in enumerate(function.parameters()):
        new = param if _NAME.match(param) and param != "_" else f"x{number}"
        while new in (function.__name__, name) or new in names:
            new += "'"
        renamed[param] = new
        names.append(new)
        # A copy of a size is no size any more.
        values.append(f"(copy {new})" if _holds_arrays(form) else new)
    types = [_DIMENSION.sub(lambda size: f"[{renamed.get(size[1], size[1])}]", type_) for type_ in types]
    sizes = dict.fromkeys(size for type_ in types for size in _DIMENSION.findall(type_) if size not in names)
    varied = f"({', '.join(names[number] for number in numbers)})"
    called = " ".join(values)
    params = " ".join(f"({param}: {type_})" for param, type_ in zip(names, types))
    pattern = varied if len(numbers) > 1 else f"({names[numbers[0]]}: {types[numbers[0]]})"
    bound = "".join(f" [{size}]" for size in sizes)
    return f"entry {name}{bound} {params} = {operator} (\\{pattern} -> {function.__name__} {called}) {varied}"


def _holds_arrays(form: tuple[Any, ...]) -> bool:
    if form[0] == "tuple":
        return bool(form[2]) or any(map(_holds_arrays, form[3]))
    return form[0] != "array" or bool(form[2])


def _parameters(type_: str) -> list[str]:
    """The types of the parameters of a function with this type."""
    parts, depth, start = [], 0, 0
    for at, letter in enumerate(type_):
        depth += (letter in "([{") - (letter in ")]}")
        if depth == 0 and type_.startswith(" -> ", at):
            parts.append(type_[start:at])
            start = at + 4
    # A parameter that is a size has its name there.
    return [re.sub(r"\A\(([A-Za-z_][\w']*): (.*)\)\Z", r"\2", part.strip()) for part in parts]


def _unused(name: str, text: str) -> str:
    while re.search(rf"(?<![\w']){re.escape(name)}(?![\w'])", text):
        name += "'"
    return name
