"""The likelihood of a Gaussian mixture with NumPy, its gradient by complex steps: prints the block of expectations."""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import blocks


def logsumexp(x, axis=-1):
    top = x.real.max(axis=axis, keepdims=True)
    return np.log(np.exp(x - top).sum(axis=axis)) + top.squeeze(axis)


def likelihood(points, gamma, m, weights, means, diagonals, belows):
    d = points.shape[1]
    terms = []
    for w, mean, diagonal, below in zip(weights, means, diagonals, belows):
        q = np.zeros((d, d), complex)
        q[np.tril_indices(d, -1)] = below
        q += np.diag(np.exp(diagonal))
        terms.append(w + diagonal.sum() - (((points - mean) @ q.T) ** 2).sum(axis=1) / 2)
    prior = gamma**2 / 2 * ((np.exp(diagonals) ** 2).sum() + (belows**2).sum()) - m * diagonals.sum()
    return logsumexp(np.array(terms), axis=0).sum() - len(points) * logsumexp(weights) + prior


random = np.random.default_rng(5)
cases = []
for n, d, k in (6, 3, 2), (5, 2, 3), (1, 1, 1):
    points = random.standard_normal((n, d)).round(2)
    parameters = [random.standard_normal(shape).round(2) for shape in ((k,), (k, d), (k, d), (k, d * (d - 1) // 2))]
    f = lambda *p: likelihood(points, 0.5, 2.0, *p)
    cases.append(([points, 0.5, 2.0, *parameters], [f(*parameters).real, *blocks.gradient(f, *parameters)]))
blocks.block("gmm", *cases, tags="derivatives")
