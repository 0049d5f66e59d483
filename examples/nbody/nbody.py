"""One step of a gravitational simulation. Inputs and expected results; see ../common.py."""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import common

SIZES = {"test": 30, "small": 300, "large": 3000}


def generate(n, random):
    places, speeds = random.standard_normal((n, 3)), 0.1 * random.standard_normal((n, 3))
    return [places, speeds, random.uniform(0.5, 1.5, n), np.float64(0.01)]


def reference(p, v, m, dt):
    pull = np.empty_like(p)
    for i, here in enumerate(p):
        d = p - here
        pull[i] = (m / (np.square(d).sum(axis=1) + 0.01) ** 1.5) @ d
    v = v + dt * pull
    return p + dt * v, v


if __name__ == "__main__":
    common.main(SIZES, generate, reference)
