"""The functions that `remora.port.arrays` reads give what NumPy gives."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from port import functions, programs

import remora
import remora.port


@pytest.fixture(autouse=True)
def evaluator(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(remora._program, "_evaluates", lambda backend: True)


@pytest.mark.parametrize("function, arguments", functions.CASES, ids=lambda value: getattr(value, "__name__", ""))
def test_gives_what_numpy_gives(function: Any, arguments: Any):
    for given in arguments:
        found = programs.judge(function, remora.jit(function), [list(copy.deepcopy(given))], remora.port.PortError)
        assert found.what == "agrees", f"{found.what}: {found.detail}"
