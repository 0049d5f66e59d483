"""Mean and variance. Inputs and expected results; see ../common.py."""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import common

SIZES = {"test": 1000, "small": 100_000, "large": 20_000_000}


def generate(n, random):
    return [3 + random.standard_normal(n)]


def reference(x):
    return np.mean(x), np.var(x)


if __name__ == "__main__":
    common.main(SIZES, generate, reference)
