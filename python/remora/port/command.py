"""`python -m remora port script.py`: the programs for the annotated functions of a script, without running it."""

from __future__ import annotations

import argparse
import ast
import importlib
import sys
from pathlib import Path
from typing import Any

import numpy as np

from .annotations import kind_of_node
from .diagnostics import Code, Problem
from .reading import Definition, comments_of
from .translate import Argument, translate
from .values import DTYPES

MODULES = {"numpy", "math"}


def outer_of(tree: ast.Module) -> dict[str, Any]:
    """The names of a script that its functions may use: NumPy, `math`, and constants. Nothing of the script is run."""
    names: dict[str, Any] = {}
    for node in tree.body:
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.split(".")[0] in MODULES:
                    names[alias.asname or alias.name.split(".")[0]] = importlib.import_module(alias.name if alias.asname else alias.name.split(".")[0])
        elif isinstance(node, ast.ImportFrom) and node.module in MODULES and not node.level:
            module = importlib.import_module(node.module)
            names.update({alias.asname or alias.name: getattr(module, alias.name) for alias in node.names if hasattr(module, alias.name)})
        elif isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            try:
                value = constant_array(node.value, names)
                if value is None:
                    value = ast.literal_eval(node.value)
            except (ValueError, TypeError, SyntaxError, RecursionError):
                names.pop(node.targets[0].id, None)
                continue
            if isinstance(value, (bool, int, float, np.ndarray)):
                names[node.targets[0].id] = value
    return names


def constant_array(node: ast.expr, names: dict[str, Any]) -> Any:
    """The array that `np.array([1, 2], dtype=np.int32)` stands for; None for anything else."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name)):
        return None
    if names.get(node.func.value.id) is not np or node.func.attr not in ("array", "asarray") or len(node.args) != 1:
        return None
    dtype = None
    for keyword in node.keywords:
        kind = keyword.value
        if keyword.arg != "dtype" or not (isinstance(kind, ast.Attribute) and isinstance(kind.value, ast.Name) and names.get(kind.value.id) is np):
            return None
        dtype = getattr(np, kind.attr, None)
    return np.array(ast.literal_eval(node.args[0]), dtype)


def argument_of(node: ast.arg, default: ast.expr | None) -> Argument | None:
    """What the annotation of a parameter says; None if it says no type."""
    annotation = node.annotation
    kind = kind_of_node(node.arg, annotation)
    if kind is None:
        if annotation is None and isinstance(default, ast.Constant) and type(default.value) in (bool, int, float):
            return Argument({bool: "bool", int: "i64", float: "f64"}[type(default.value)], weak=True)
        return None
    if kind.scalar:
        return Argument({"bool": "bool", "int": "i64", "float": "f64"}[kind.dtypes[0]], weak=True)
    sizes = tuple(int(name) if name.isdigit() else None for name in kind.sizes)
    return Argument(DTYPES[kind.dtypes[0]], sizes, names=kind.sizes)


def port_text(text: str, file: str, wanted: list[str]) -> tuple[dict[str, str], list[Problem]]:
    """The programs for the functions of a script, and what could not be read."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError) as error:
        line = getattr(error, "lineno", None) or 1
        return {}, [Problem(Code.SOURCE, f"this is no Python that this version reads: {error}", "", file, line, (getattr(error, "offset", None) or 1) - 1, (getattr(error, "text", None) or "").rstrip(), 1)]
    outer, lines, comments = outer_of(tree), tuple(text.splitlines()), comments_of(text)
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    for node in functions:
        outer[node.name] = Definition(node, file, lines, 1, comments, outer, 0)
    sources: dict[str, str] = {}
    problems: list[Problem] = []
    for node in functions:
        if wanted and node.name not in wanted:
            continue
        arguments: dict[str, Argument] = {}
        params = node.args.posonlyargs + node.args.args
        defaults: list[ast.expr | None] = [*[None] * (len(params) - len(node.args.defaults)), *node.args.defaults]
        found = []
        for each, default in [*zip(params, defaults), *zip(node.args.kwonlyargs, node.args.kw_defaults)]:
            argument = argument_of(each, default)
            if argument is None:
                found.append(Problem(Code.ARGUMENT, f"the annotation of `{each.arg}` does not say a type", 'annotate it: `x: Float64[Array, "n m"]`, `k: int`', file, each.lineno, each.col_offset, lines[each.lineno - 1], len(each.arg)))
            else:
                arguments[each.arg] = argument
        if found:
            problems += found
            continue
        made = translate(outer[node.name], arguments)
        sources[node.name] = made.source
        problems += made.problems
    return sources, problems


def main(arguments: list[str]) -> int:
    """The command. Exit codes: 0 all was read, 1 something was not, 2 wrong usage."""
    parser = argparse.ArgumentParser(prog="remora port", description="Writes the remora program of each annotated function of a Python script.")
    parser.add_argument("script")
    parser.add_argument("functions", nargs="*", help="only these functions")
    parser.add_argument("--write", action="store_true", help="writes SCRIPT.FUNCTION.rem beside the script")
    given = parser.parse_args(arguments)
    path = Path(given.script)
    try:
        text = path.read_text()
    except (OSError, UnicodeDecodeError) as error:
        print(f"error: {given.script} cannot be read: {error}", file=sys.stderr)
        return 2
    sources, problems = port_text(text, given.script, given.functions)
    missing = [name for name in given.functions if name not in sources and not problems]
    for name in missing:
        print(f"error: {given.script} has no function `{name}`", file=sys.stderr)
    for name, source in sources.items():
        if given.write:
            target = path.with_name(f"{path.stem}.{name}.rem")
            target.write_text(source)
            print(f"wrote {target}")
        else:
            print(source)
    for problem in problems:
        print(problem.render() + "\n", file=sys.stderr)
    return 2 if missing else 1 if problems else 0
