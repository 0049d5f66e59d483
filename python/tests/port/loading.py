"""Functions of files, as tests take them."""

from __future__ import annotations

import importlib.util
import sys
import types
from pathlib import Path


def module_of(file: Path, name: str) -> types.ModuleType:
    """The module that a file is, under a name of its own."""
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def functions_of(folder: Path) -> dict[str, types.FunctionType]:
    """The functions that the files of a folder define, by name, in order."""
    found: dict[str, types.FunctionType] = {}
    for file in sorted(folder.glob("*.py")):
        module = module_of(file, f"{folder.name}_{file.stem}")
        own = {name: value for name, value in vars(module).items() if isinstance(value, types.FunctionType)}
        found.update({name: value for name, value in own.items() if value.__module__ == module.__name__})
    return found
