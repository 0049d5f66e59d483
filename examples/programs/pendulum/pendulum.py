"""Gauss and Newton's method for the pendulum with NumPy, its Jacobian by complex steps: prints the block of expectations."""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import blocks


def angles(n, h, p):
    change = lambda s: np.array([s[1], -p[0] * np.sin(s[0]) - p[1] * s[1]])
    s, swung = np.array([p[2], 0]), []
    for _ in range(n):
        k1 = change(s)
        k2 = change(s + h / 2 * k1)
        k3 = change(s + h / 2 * k2)
        k4 = change(s + h * k3)
        s = s + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        swung.append(s[0])
    return np.array(swung)


def pendulum(h, measured, start, steps):
    n, p = len(measured), start
    for _ in range(steps):
        jacobian = np.array([blocks.gradient(lambda p, i=i: angles(n, h, p)[i], p)[0] for i in range(n)])
        p = p - np.linalg.solve(jacobian.T @ jacobian, jacobian.T @ (angles(n, h, p) - measured))
    return p, ((angles(n, h, p) - measured) ** 2).sum()


random = np.random.default_rng(12)
cases = []
for n, h, truth, start, steps in (10, 0.2, [6.0, 0.3, 1.0], [5.5, 0.2, 0.9], 1), (20, 0.15, [4.0, 0.1, -0.7], [4.3, 0.3, -0.6], 4):
    measured = (angles(n, h, np.array(truth)) + 0.02 * random.standard_normal(n)).round(3)
    arguments = [h, measured, np.array(start), steps]
    cases.append((arguments, pendulum(*arguments)))
blocks.block("pendulum", *cases, tags="derivatives")
