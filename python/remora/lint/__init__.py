"""Mistakes of shape, type and memory in NumPy code that stays NumPy code.

>>> from remora.lint import lint
>>> for finding in lint("import numpy as np\\na = np.zeros((3, 4))\\nb = a + np.ones(3)\\n"):
...     print(finding)
<text>:3:5: L01 sizes 4 and 3 cannot agree: (3, 4) with (3,)
"""

from __future__ import annotations

from .findings import Finding, Rule, sarif
from .reader import lint

__all__ = ["Finding", "Rule", "lint", "sarif"]
