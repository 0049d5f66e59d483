"""The lattice Boltzmann method with NumPy, its gradient by complex steps: prints the block of expectations."""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import blocks

C = np.array([[0, 0], [1, 0], [-1, 0], [0, 1], [0, -1], [1, 1], [-1, -1], [1, -1], [-1, 1]])
W = np.array([4 / 9] + [1 / 9] * 4 + [1 / 36] * 4)
OPPOSITE = [0, 2, 1, 4, 3, 6, 5, 8, 7]


def flow(steps, omega, force, solid):
    f = np.broadcast_to(W, (*solid.shape, 9)).astype(complex)
    for _ in range(steps):
        rho = f.sum(axis=2, keepdims=True)
        u = f @ C / rho
        along = u @ C.T
        pushed = f + omega * (rho * W * (1 + 3 * along + 4.5 * along**2 - 1.5 * (u**2).sum(axis=2, keepdims=True)) - f)
        pushed = pushed + 3 * force * W * C[:, 0]
        f = pushed + solid[:, :, None] * (f[:, :, OPPOSITE] - pushed)
        f = np.stack([np.roll(f[:, :, q], C[q], axis=(0, 1)) for q in range(9)], axis=2)
    return f @ C / f.sum(axis=2, keepdims=True)


random = np.random.default_rng(17)
cases = []
for n, m, steps in (4, 3, 5), (3, 5, 2), (2, 3, 4):
    solid, wanted = random.uniform(0, 0.5, (n, m)).round(2), random.uniform(-0.1, 0.1, (n, m, 2)).round(2)
    miss = lambda solid: ((flow(steps, 1.2, 0.01, solid) - wanted) ** 2).sum() / 2
    cases.append(([steps, 1.2, 0.01, solid, wanted], [flow(steps, 1.2, 0.01, solid).real, miss(solid).real, *blocks.gradient(miss, solid)]))
blocks.block("control", *cases, tags="derivatives")
