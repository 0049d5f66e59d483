"""Speckle reducing anisotropic diffusion with NumPy: prints the block of expectations."""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from blocks import block


def srad(steps, lam, image):
    j = np.exp(image / 255)
    for _ in range(steps):
        q0 = j.var() / j.mean() ** 2
        p = np.pad(j, 1, mode="edge")
        d = p[:-2, 1:-1] - j, p[2:, 1:-1] - j, p[1:-1, :-2] - j, p[1:-1, 2:] - j
        gradient2, laplacian = sum(x * x for x in d) / j**2, sum(d) / j
        q = (gradient2 / 2 - laplacian**2 / 16) / (1 + laplacian / 4) ** 2
        c = np.clip(1 / (1 + (q - q0) / (q0 * (1 + q0))), 0, 1)
        south, east = np.pad(c, ((0, 1), (0, 0)), mode="edge")[1:], np.pad(c, ((0, 0), (0, 1)), mode="edge")[:, 1:]
        j = j + lam / 4 * (c * d[0] + south * d[1] + c * d[2] + east * d[3])
    return 255 * np.log(j)


random = np.random.default_rng(7)
cases = []
for shape, steps, lam in [((4, 6), 2, 0.5), ((5, 3), 10, 0.25), ((3, 4), 0, 0.5)]:
    image = random.integers(1, 255, shape).astype(np.float32)
    cases.append(([steps, np.float32(lam), image], [srad(steps, lam, image.astype(float)).astype(np.float32)]))
block("srad", *cases)
