"""The scene with NumPy, normals by hand, derivatives of the error by complex steps: prints the block of expectations."""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import blocks

norm = lambda a: np.sqrt((a**2).sum())


def least(a, b):
    return a if a.real <= b.real else b


def distance(s, p):
    """The distance, and its gradient."""
    (left, right, radii, floor), k = s, 0.3
    a, b = norm(p - left) - radii[0], norm(p - right) - radii[1]
    da, db = (p - left) / norm(p - left), (p - right) / norm(p - right)
    sign = 1 if a.real >= b.real else -1
    near = k - sign * (a - b)
    value, slope = (a, da) if a.real <= b.real else (b, db)
    if near.real > 0:
        value = value - near**2 / k / 4
        slope = slope + sign * near * (da - db) / k / 2
    if value.real <= (p[1] - floor).real:
        return value, slope
    return p[1] - floor, np.array([0, 1, 0])


def shade(steps, s, ray):
    eye, light = np.array([0, 0.2, -2.5]), np.array([0.4, 0.8, -0.5])
    far = 0
    for _ in range(steps):
        far = far + distance(s, eye + far * ray)[0]
    slope = distance(s, eye + far * ray)[1]
    bright = (slope / norm(slope)) @ (light / norm(light))
    return (0.2 + 0.8 * (bright if bright.real > 0 else 0)) * np.exp(-0.1 * far)


def drawn(h, w, steps, s):
    picture = []
    for i in range(h):
        for j in range(w):
            ray = np.array([(j + 0.5 - w / 2) / h, -0.1 - (i + 0.5 - h / 2) / h, 1.2])
            picture.append(shade(steps, s, ray / norm(ray)))
    return np.array(picture).reshape(h, w)


random = np.random.default_rng(15)
cases = []
for h, w, steps in (3, 4, 12), (2, 2, 1), (1, 5, 30):
    s = [np.array([-0.5, 0, 0]), np.array([0.45, 0.1, 0.2]), np.array([0.5, 0.4]), np.float64(-0.6)]
    other = random.uniform(0, 1, (h, w)).round(2)
    error = lambda *s: ((drawn(h, w, steps, s) - other) ** 2).sum() / 2
    cases.append(([steps, *s, other], [drawn(h, w, steps, s), error(*s), *blocks.gradient(error, *s)]))
blocks.block("raymarcher", *cases, tags="derivatives")
