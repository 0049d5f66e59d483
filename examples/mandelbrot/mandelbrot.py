"""Iteration counts of the Mandelbrot set. Inputs and expected results; see ../common.py."""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import common

SIZES = {"test": 40, "small": 200, "large": 1000}


def generate(n, random):
    return [np.int64(n), np.int64(200)]


def reference(n, limit):
    t = 3 * np.arange(n) / n
    cx, cy = np.meshgrid(t - 2, t - 1.5)
    x, y, count = np.zeros((n, n)), np.zeros((n, n)), np.zeros((n, n), np.int32)
    live = np.ones((n, n), bool)
    for _ in range(limit):
        x, y = np.where(live, x * x - y * y + cx, x), np.where(live, 2 * x * y + cy, y)
        live &= x * x + y * y <= 4
        count += live
    return count


if __name__ == "__main__":
    common.main(SIZES, generate, reference)
