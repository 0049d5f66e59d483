"""The parameters of a damped oscillation, fitted by Adam with derivatives by hand. Inputs and expected results; see ../common.py."""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import common

SIZES = {"test": 40, "small": 4_000, "large": 1_000_000}


def generate(n, random):
    times = np.sort(random.uniform(0, 10, n))
    heights = 1.6 * np.exp(-0.25 * times) * np.cos(2.4 * times - 0.6) + 0.3 + 0.08 * random.standard_normal(n)
    return [np.stack([times, heights], axis=1), np.int64(50)]


def curve(p, t):
    return p[0] * np.exp(-p[1] * t) * np.cos(p[2] * t + p[3]) + p[4]


def slopes(p, t):
    """The derivatives of the curve by each parameter."""
    decay, angle = np.exp(-p[1] * t), p[2] * t + p[3]
    wave, turn = decay * np.cos(angle), -p[0] * decay * np.sin(angle)
    return np.stack([wave, -t * p[0] * wave, t * turn, turn, np.ones_like(t)])


def reference(points, steps):
    t, y = points.T
    p = np.array([0.5, 0, 2, 0, 0])
    m = v = np.zeros(5)
    for k in range(1, steps + 1):
        g = 2 * slopes(p, t) @ (curve(p, t) - y) / len(t)
        m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g**2
        p = p - 0.02 * (m / (1 - 0.9**k)) / (np.sqrt(v / (1 - 0.999**k)) + 1e-8)
    return p, np.mean((curve(p, t) - y) ** 2)


if __name__ == "__main__":
    common.main(SIZES, generate, reference)
