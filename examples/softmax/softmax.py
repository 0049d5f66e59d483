"""Softmax of each row. Inputs and expected results; see ../common.py."""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import common

SIZES = {"test": 16, "small": 256, "large": 4096}


def generate(n, random):
    return [random.standard_normal((n, 1024)).astype(np.float32)]


def reference(x):
    e = np.exp(x - np.max(x, axis=1, keepdims=True))
    return e / np.sum(e, axis=1, keepdims=True)


if __name__ == "__main__":
    common.main(SIZES, generate, reference)
