"""NumPy code becomes source: `jit`, `check_port`, and `python -m remora port`.

`arguments` are those of `jit` that have parts, `reading` has the source of functions and comments in it, `rewriting` (with `loop_else`) and `returns` write forms as others before they are read. `expressions`, `operators`, `invocations`, `indices` and the tables of functions (`calls`, `functions`,
`shapes`, `products`, `einsum`, `arrays`, `searches`, `selections`, `ufuncs`, `functional`, `grids`, `several`, `draws`, `transforms`, `others`) make values with types, sizes and memory; `pylists` and
`records` are about lists, dictionaries and objects as values. `blocks` and `assignments` make `let` and `if`; `writes`, `places`, `views` and `in_place` are about
elements, `lists` and `parts` about variables that hold lists and records, `iterations` and `loops` make `loop`, `calling` and `recursion` functions, `statements` the
rest; `translate` translates one function, with helpers, imports and assumptions in a `context`.
"""

import importlib
import sys

# The files that enter functions into the tables, in order: a later one may take the place of an earlier one, or ask it where it has nothing
# to say. They enter them when they are imported, which is here and nowhere else first.
TABLES = (
    "functions", "shapes", "arrays", "einsum", "products", "grids", "several", "searches", "selections", "others", "further", "formulas", "functional", "transforms",
)  # fmt: skip

_before = set(sys.modules)
for _name in TABLES:
    if f"{__name__}.{_name}" in sys.modules.keys() - _before:
        raise ImportError(f"`{_name}` is imported by a file that comes before it in TABLES")
    importlib.import_module(f".{_name}", __name__)

from .check import Report, check_port
from .diagnostics import PortError, Problem
from .jit import JitFunction, jit

__all__ = ["JitFunction", "PortError", "Problem", "Report", "check_port", "jit"]
