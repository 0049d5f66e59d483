"""Two-dimensional convolution without padding. Inputs and expected results; see ../common.py."""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import common

SIZES = {"test": 20, "small": 128, "large": 1024}


def generate(n, random):
    return [random.random((n, n), np.float32), random.random((5, 5), np.float32)]


def reference(a, k):
    rows, columns = len(a) - len(k) + 1, len(a[0]) - len(k[0]) + 1
    total = np.zeros((rows, columns), np.float32)
    for (i, j), weight in np.ndenumerate(k):
        total += weight * a[i : i + rows, j : j + columns]
    return total


if __name__ == "__main__":
    common.main(SIZES, generate, reference)
