"""The product of two matrices. Inputs and expected results; see ../common.py."""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import common

SIZES = {"test": 17, "small": 200, "large": 1024}


def generate(n, random):
    return [random.random((n, n), np.float32), random.random((n, n), np.float32)]


def reference(a, b):
    return np.matmul(a, b)


if __name__ == "__main__":
    common.main(SIZES, generate, reference)
