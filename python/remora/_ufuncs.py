"""Functions as ufuncs of NumPy, and how these reach other processes."""

from __future__ import annotations

import copyreg
from typing import Any

import numpy as np

from . import _remora
from ._program import Function

# The functions that ufuncs were made of. NumPy never lets go of what a ufunc calls, so nothing is kept longer than without this.
_made: dict[np.ufunc, Function] = {}
_of: dict[Function, np.ufunc] = {}
_otherwise: Any = None


def gufunc(function: Function) -> Any:
    """The function as a `numpy.ufunc` with a signature: NumPy broadcasts the dimensions around what the function is written for.

    >>> import remora as rm
    >>> dot = rm.gufunc(rm.compile("entry dot [n] (x: [n]f64) (y: [n]f64) = f64.sum (x * y)").dot)
    >>> dot.signature
    '(n0),(n0)->()'

    It can be pickled, with the text of its program. There is one for each function.
    """
    global _otherwise
    if function in _of:
        return _of[function]
    made = _remora.gufunc(function)
    if _otherwise is None:
        # NumPy writes the name of a ufunc alone, and takes its own ufunc of that name, if there is one, for it when it reads that.
        _otherwise = copyreg.dispatch_table[np.ufunc]
        copyreg.pickle(np.ufunc, _reduced)
    _made[made] = function
    _of[function] = made
    return made


def _reduced(ufunc: np.ufunc) -> Any:
    """How a ufunc is pickled: one of ours by its function, others as NumPy says."""
    function = _made.get(ufunc)
    return _otherwise(ufunc) if function is None else (gufunc, (function,))
