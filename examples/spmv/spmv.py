"""A sparse matrix in compressed rows times a vector. Inputs and expected results; see ../common.py."""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import common

SIZES = {"test": 100, "small": 10_000, "large": 1_000_000}


def generate(n, random):
    start = np.zeros(n + 1, np.int64)
    start[1:] = np.cumsum(random.integers(0, 16, n))
    count = start[-1]
    return [start, random.integers(0, n, count), random.standard_normal(count), random.standard_normal(n)]


def reference(start, col, val, x):
    row = np.repeat(np.arange(len(start) - 1), np.diff(start))
    return np.bincount(row, weights=val * x[col], minlength=len(start) - 1)


if __name__ == "__main__":
    common.main(SIZES, generate, reference)
