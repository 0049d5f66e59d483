"""A matrix and its transpose, each times a vector. Inputs and expected results; see ../common.py."""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import common

SIZES = {"test": 50, "small": 500, "large": 4000}


def generate(n, random):
    return [random.random((n, n), np.float32), random.random(n, np.float32)]


def reference(a, x):
    return a.dot(x), a.T.dot(x)


if __name__ == "__main__":
    common.main(SIZES, generate, reference)
