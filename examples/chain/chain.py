"""A fused chain of elementwise operations. Inputs and expected results; see ../common.py."""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import common

SIZES = {"test": 1000, "small": 100_000, "large": 10_000_000}


def generate(n, random):
    return [random.random(n, np.float32), random.random(n, np.float32), np.float32(0.5)]


def reference(x, y, a):
    return np.sqrt(x * x + y * y) * a + (1 - a) * np.abs(x - y) / (1 + x)


if __name__ == "__main__":
    common.main(SIZES, generate, reference)
