"""NumPy code becomes source: `jit`, `check_port`, and `python -m remora port`.

`reading` has the source of functions and comments in it; `expressions`, `operators` and the tables of functions (`calls`, `functions`,
`shapes`, `products`, `arrays`, `grids`, `several`) make values with types, sizes and memory; `writes` and `places` are about elements; `blocks` to `statements` make `let`, `if` and
`loop`; `translate` translates one function, with helpers, imports and assumptions in a `context`.
"""

from .check import Report, check_port
from .diagnostics import PortError, Problem
from .jit import JitFunction, jit

__all__ = ["JitFunction", "PortError", "Problem", "Report", "check_port", "jit"]
