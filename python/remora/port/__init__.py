"""NumPy code becomes source: `jit`, `check_port`, and `python -m remora port`.

`reading` has the source of functions and comments in it, `rewriting` (with `loop_else`) and `returns` write forms as others before they are read. `expressions`, `operators`, `invocations`, `indices` and the tables of functions (`calls`, `functions`,
`shapes`, `products`, `einsum`, `arrays`, `searches`, `selections`, `ufuncs`, `functional`, `grids`, `several`, `draws`, `others`) make values with types, sizes and memory; `pylists` and
`records` are about lists, dictionaries and objects as values. `blocks` and `assignments` make `let` and `if`; `writes`, `places`, `views` and `in_place` are about
elements, `lists` and `parts` about variables that hold lists and records, `iterations` and `loops` make `loop`, `calling` and `recursion` functions, `statements` the
rest; `translate` translates one function, with helpers, imports and assumptions in a `context`.
"""

from .check import Report, check_port
from .diagnostics import PortError, Problem
from .jit import JitFunction, jit

__all__ = ["JitFunction", "PortError", "Problem", "Report", "check_port", "jit"]
