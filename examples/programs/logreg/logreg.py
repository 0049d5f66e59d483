"""Logistic regression by Newton's method with NumPy, derivatives by hand: prints the block of expectations."""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import blocks


def regression(steps, penalty, x, y):
    n, m = x.shape
    w = np.zeros(m)
    for _ in range(steps):
        p = 1 / (1 + np.exp(-x @ w))
        gradient = x.T @ (p - y) / n + 2 * penalty * w
        hessian = (x.T * (p * (1 - p))) @ x / n + 2 * penalty * np.eye(m)
        w = w - np.linalg.solve(hessian, gradient)
    z = x @ w
    return w, np.mean(np.logaddexp(0, z) - y * z) + penalty * (w @ w)


random = np.random.default_rng(11)
cases = []
for steps, n, m in (1, 8, 2), (6, 12, 3), (3, 5, 1):
    x = random.standard_normal((n, m)).round(2)
    y = (x.sum(axis=1) + random.standard_normal(n) > 0).astype(float)
    cases.append(([steps, 0.05, x, y], regression(steps, 0.05, x, y)))
blocks.block("regression", *cases, tags="derivatives")
