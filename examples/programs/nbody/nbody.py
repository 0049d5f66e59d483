"""Leapfrog with NumPy: prints what the entry points return."""

import numpy as np


def acceleration(p, m):
    d = p - p[:, None]
    return ((m / ((d ** 2).sum(axis=2) + 0.01) ** 1.5)[:, :, None] * d).sum(axis=1)


def energy(p, v, m):
    near = np.sqrt(((p - p[:, None]) ** 2).sum(axis=2) + 0.01)
    pairs = np.triu(np.outer(m, m) / near, 1).sum()
    return (m * (v ** 2).sum(axis=1)).sum() / 2 - pairs


def simulate(p, v, m):
    for _ in range(5):
        v = v + 0.005 * acceleration(p, m)
        p = p + 0.01 * v
        v = v + 0.005 * acceleration(p, m)
    return p, v


m = np.array([1, 2, 0.5])
p = np.array([[0, 0, 0], [1, 0, 0.5], [0, -2, 1]])
v = np.array([[0, 0.1, 0], [0, 1, 0], [0.5, 0, -0.25]])
p2, v2 = simulate(p, v, m)
print(p2.tolist())
print(v2.tolist())
print(energy(p, v, m), energy(p2, v2, m))
print(simulate(p[:, :2], v[:, :2], m)[0].tolist())
