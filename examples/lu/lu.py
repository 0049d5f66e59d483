"""LU decomposition without pivoting. Inputs and expected results; see ../common.py."""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import common

SIZES = {"test": 12, "small": 100, "large": 400}


def generate(n, random):
    return [random.random((n, n)) + np.diag(np.full(n, float(n)))]


def reference(a):
    a = a.copy()
    for k in range(len(a) - 1):
        below = slice(k + 1, None)
        a[below, k] /= a[k, k]
        a[below, below] -= a[below, k, None] * a[k, below]
    return a


if __name__ == "__main__":
    common.main(SIZES, generate, reference)
