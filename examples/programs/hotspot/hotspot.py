"""The temperature of a chip with NumPy: prints the block of expectations."""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from blocks import block


def hotspot(steps, side, t, power):
    height, width = side / t.shape[0], side / t.shape[1]
    capacity = 0.5 * 1.75e6 * 0.0005 * width * height
    step = 0.001 / (3.0e6 / (0.5 * 0.0005 * 1.75e6)) / capacity
    rx, ry = width / (2 * 100 * 0.0005 * height), height / (2 * 100 * 0.0005 * width)
    rz = 0.0005 / (100 * height * width)
    for _ in range(steps):
        p = np.pad(t, 1, mode="edge")
        vertical = (p[:-2, 1:-1] + p[2:, 1:-1] - 2 * t) / ry
        horizontal = (p[1:-1, :-2] + p[1:-1, 2:] - 2 * t) / rx
        t = t + step * (power + vertical + horizontal + (80 - t) / rz)
    return t


random = np.random.default_rng(5)
cases = []
for shape, steps, side in [((4, 5), 3, 0.0001), ((3, 3), 40, 0.00015), ((1, 2), 1, 0.016), ((2, 2), 0, 0.016)]:
    t = (320 + 20 * random.random(shape)).round(2).astype(np.float32)
    power = (random.random(shape) * 0.1).round(4).astype(np.float32)
    cases.append(([steps, np.float32(side), t, power], [hotspot(steps, side, t.astype(float), power.astype(float)).astype(np.float32)]))
block("hotspot", *cases)
