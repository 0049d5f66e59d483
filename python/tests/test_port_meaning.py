"""What the reader reads means what NumPy means; what it does not read is refused."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest
from port import meaning, programs

import remora
import remora.port

# How many of the cases are read and agree with NumPy on all arguments.
LEAST_READ = 169


@pytest.fixture(autouse=True)
def evaluator(monkeypatch: pytest.MonkeyPatch):
    made = remora._program.compile_translated
    monkeypatch.setattr(remora._program, "compile_translated", lambda text, *, path, backend: made(text, path=path, backend="interp"))


def outcome(function: Any, arguments: Any) -> programs.Outcome:
    return programs.judge(function, remora.port.jit(function), [list(copy.deepcopy(given)) for given in arguments], remora.port.PortError)


@pytest.mark.parametrize("function, arguments", meaning.CASES, ids=lambda value: getattr(value, "__name__", ""))
def test_means_what_numpy_means(function: Any, arguments: Any):
    found = outcome(function, arguments)
    assert found.what not in ("differs", "crash", "uncompiled"), found.detail


def test_an_array_from_outside_may_change():
    function = remora.port.jit(meaning.arrays_from_outside)
    x = np.array([1.0, 2.0, 3.0])
    before = meaning.KERNEL.copy()
    try:
        function(x, 1)
        meaning.KERNEL[0] = 100
        assert function(x, 1)[0].tolist() == [100.0, 4.0, -3.0]
        shared = remora.port.jit(meaning.writes_what_is_outside)
        with pytest.raises(remora.port.PortError, match="shares its memory with `KERNEL`"):
            shared(meaning.KERNEL)
    finally:
        meaning.KERNEL[:] = before


def test_most_are_read():
    read = [outcome(function, arguments).what for function, arguments in meaning.CASES]
    assert read.count("agrees") >= LEAST_READ
