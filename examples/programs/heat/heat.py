"""The descent with the adjoint of the scheme by hand, which is its transposed matrix: prints the block of expectations."""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import blocks


def heat(rate, steps, known, descents):
    n = len(known)
    matrix = np.eye(n)
    for i in range(1, n - 1):
        matrix[i, i - 1 : i + 2] += rate * np.array([1, -2, 1])
    matrix = np.linalg.matrix_power(matrix, steps)
    u = np.zeros(n)
    slope = lambda u: matrix.T @ (matrix @ u - known)
    for _ in range(descents):
        u = u - slope(u)
    return u, slope(u)


random = np.random.default_rng(4)
cases = []
for rate, steps, n, descents in (0.25, 4, 7, 0), (0.25, 6, 9, 5), (0.1, 0, 4, 2), (0.4, 3, 2, 3):
    arguments = [rate, steps, random.standard_normal(n).round(2), descents]
    cases.append((arguments, heat(*arguments)))
blocks.block("heat", *cases, tags="derivatives")
