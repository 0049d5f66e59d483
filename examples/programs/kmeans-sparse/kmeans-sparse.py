"""k-means by Newton's method on dense points, with the derivatives by hand: prints the block of expectations."""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import blocks


def newton(steps, points, centres):
    for _ in range(steps):
        near = ((points[:, None] - centres) ** 2).sum(axis=2).argmin(axis=1)
        centres = np.array([points[near == j].mean(axis=0) if (near == j).any() else c for j, c in enumerate(centres)])
    return centres, ((points[:, None] - centres) ** 2).sum(axis=2).min(axis=1).sum()


random = np.random.default_rng(19)
cases = []
for steps, n, k, d in (1, 6, 2, 4), (3, 9, 3, 5):
    points = np.where(random.random((n, d)) < 0.4, random.uniform(0.5, 3, (n, d)).round(2), 0)
    points[0] = 0
    centres = random.uniform(0, 1, (k, d)).round(2)
    rows, columns = points.nonzero()
    starts = np.searchsorted(rows, np.arange(n + 1))
    cases.append(([steps, starts, columns, points[rows, columns], centres], newton(steps, points, centres)))
blocks.block("newton", *cases, tags="derivatives")
