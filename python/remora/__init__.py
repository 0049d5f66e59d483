"""Array programs written for one number or one row, called with whole NumPy arrays.

>>> import remora as rm
>>> program = rm.compile("entry norm [n] (v: [n]f64) = f64.sqrt (f64.sum (v * v))")
>>> program.norm([3.0, 4.0])
np.float64(5.0)
"""

from __future__ import annotations

import os as _os
from typing import Any as _Any

from . import _remora
from ._remora import DeviceArray
from ._derivatives import grad, value_and_grad
from ._errors import (
    ArgumentError,
    CompileError,
    Diagnostic,
    EvaluatorWarning,
    InternalError,
    OutOfMemory,
    ProgramWarning,
    RankError,
    Reading,
    RemoraError,
    RunTimeError,
)
from ._program import Function, Inferred, Program, compile, load
from ._support import Variant
from ._ufuncs import gufunc
from .port import PortError, check_port, jit

# An extension that is there already is not initialised again.
_remora.only_once()
# Wheels for other machines bring the solver along.
_remora.look_for_solver_in(_os.path.join(_os.path.dirname(__file__), "_solver"))

__version__: str = _remora.__version__

__all__ = [
    "ArgumentError",
    "CompileError",
    "DeviceArray",
    "Diagnostic",
    "EvaluatorWarning",
    "Function",
    "Inferred",
    "InternalError",
    "OutOfMemory",
    "PortError",
    "Program",
    "ProgramWarning",
    "RankError",
    "Reading",
    "RemoraError",
    "RunTimeError",
    "Variant",
    "check_port",
    "compile",
    "grad",
    "gufunc",
    "jit",
    "load",
    "value_and_grad",
]

if hasattr(_os, "register_at_fork"):
    # No thread is in the middle of the compiler when the process is copied.
    _os.register_at_fork(
        before=_remora.before_fork,
        after_in_parent=lambda: _remora.after_fork(False),
        after_in_child=lambda: _remora.after_fork(True),
    )


def load_ipython_extension(shell: _Any) -> None:
    """What `%load_ext remora` calls."""
    from ._notebook import load

    load(shell)
