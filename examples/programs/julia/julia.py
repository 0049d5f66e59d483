"""An animation of Julia sets with NumPy: prints the blocks of expectations."""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from blocks import block


def frame(h, w, limit, c):
    image = np.zeros((h, w, 3))
    for i, j in np.ndindex(h, w):
        z, k = complex(-1.6 + 3.2 * (j + 0.5) / w, 1.2 - 2.4 * (i + 0.5) / h), 0
        while k < limit and abs(z) < 10:
            z, k = z * z + c, k + 1
        if k < limit:
            at = k + 1 - np.log2(np.log(abs(z)) / np.log(10))
            image[i, j] = 0.5 - 0.5 * np.cos(2 * np.pi * (at / 20 + np.array([0, 0.15, 0.3])))
    return image


def circle(radius, frames):
    return [radius * np.exp(2j * np.pi * k / frames) for k in range(frames)]


images = np.stack([frame(4, 5, 60, c) for c in circle(0.7885, 3)])
block("animation", ([3, 4, 5, 60], [np.rint(images * 255).astype(np.uint8)]))
print()
block("inside", ([4, 12, 16, 50], [np.array([(frame(12, 16, 50, c).sum(axis=2) == 0).mean() for c in circle(0.4, 4)])]))
