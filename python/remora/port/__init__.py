"""NumPy code becomes source: `jit`, `check_port`, and `python -m remora port`."""

from .check import Report, check_port
from .diagnostics import PortError, Problem
from .jit import JitFunction, jit

__all__ = ["JitFunction", "PortError", "Problem", "Report", "check_port", "jit"]
