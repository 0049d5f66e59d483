"""Shortest paths between all pairs of nodes. Inputs and expected results; see ../common.py."""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import common

SIZES = {"test": 24, "small": 100, "large": 512}


def generate(n, random):
    """Three edges in ten, of whole lengths below 100."""
    edges = random.integers(1, 100, (n, n)).astype(np.float32)
    edges[random.random((n, n)) < 0.7] = 1e9
    edges[np.arange(n), np.arange(n)] = 0
    return [edges]


def reference(a):
    for k in range(len(a)):
        a = np.minimum(a, np.add.outer(a[:, k], a[k]))
    return a


if __name__ == "__main__":
    common.main(SIZES, generate, reference)
