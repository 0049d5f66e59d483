"""k-means by Newton's method with the derivatives by hand: prints the block of expectations."""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import blocks


def newton(steps, points, centres):
    for _ in range(steps):
        near = ((points[:, None] - centres) ** 2).sum(axis=2).argmin(axis=1)
        for j in range(len(centres)):
            mine = points[near == j]
            if len(mine):
                # The gradient is 2 * (c - x) for each point, its derivative 2.
                centres = centres.copy()
                centres[j] -= 2 * (centres[j] - mine).sum(axis=0) / (2 * len(mine))
    return centres, ((points[:, None] - centres) ** 2).sum(axis=2).min(axis=1).sum()


random = np.random.default_rng(3)
cases = []
for steps, n, k, d in (1, 8, 2, 2), (4, 12, 3, 2), (2, 5, 4, 3):
    points, centres = random.standard_normal((n, d)).round(2), random.standard_normal((k, d)).round(2)
    # One centre is far from everything.
    centres[-1] += 10 * (k == 4)
    cases.append(([steps, points, centres], newton(steps, points, centres)))
blocks.block("newton", *cases, tags="derivatives")
