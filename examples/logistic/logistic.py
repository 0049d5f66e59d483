"""The loss of logistic regression. Inputs and expected results; see ../common.py."""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import common

SIZES = {"test": 40, "small": 400, "large": 20_000}


def generate(n, random):
    labels = random.integers(0, 2, n).astype(np.float64)
    return [random.standard_normal((n, 30)), labels, 0.1 * random.standard_normal(30)]


def reference(x, y, w):
    z = x @ w
    return np.mean(np.logaddexp(0, z) - y * z)


if __name__ == "__main__":
    common.main(SIZES, generate, reference)
