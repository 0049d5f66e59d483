"""Jacobi steps with a fixed border. Inputs and expected results; see ../common.py."""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import common

SIZES = {"test": 16, "small": 128, "large": 1024}


def generate(n, random):
    return [random.random((n, n), np.float32), np.int64({16: 10, 128: 50}.get(n, 100))]


def reference(a, steps):
    for _ in range(steps):
        inner = a[1:-1, 1:-1] + a[:-2, 1:-1] + a[2:, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:]
        a = a.copy()
        a[1:-1, 1:-1] = np.float32(0.2) * inner
    return a


if __name__ == "__main__":
    common.main(SIZES, generate, reference)
