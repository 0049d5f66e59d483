"""Bundle adjustment with NumPy, its derivatives by complex steps: prints the block of expectations."""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import blocks


def turned(axis, x):
    angle = np.sqrt((axis**2).sum())
    if angle == 0:
        return x + np.cross(axis, x)
    # The exponential of the matrix of the cross product, as a series.
    k = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    term, total = x, x
    for i in range(1, 60):
        term = k @ term / i
        total = total + term
    return total


def error(found, cam, x, weight):
    y = turned(cam[:3], x - cam[3:6])
    flat = y[:2] / y[2]
    square = (flat**2).sum()
    return weight * (cam[6] * flat * (1 + cam[9] * square + cam[10] * square**2) + cam[7:9] - found)


random = np.random.default_rng(6)
cases = []
for cameras, points, pairs in (2, 3, ((0, 0), (0, 2), (1, 1), (1, 0))), (1, 1, ((0, 0),)):
    cams = np.column_stack([
        random.uniform(-0.5, 0.5, (cameras, 3)), random.uniform(-0.5, 0.5, (cameras, 3)), random.uniform(0.8, 1.2, cameras),
        random.uniform(-0.1, 0.1, (cameras, 2)), random.uniform(-0.1, 0.1, (cameras, 2)),
    ]).round(2)  # fmt: skip
    if cameras == 1:
        cams[:, :3] = 0
    xs = np.column_stack([random.uniform(-1, 1, (points, 2)), random.uniform(3, 5, points)]).round(2)
    weights = random.uniform(0.5, 1, len(pairs)).round(2)
    found = random.uniform(-0.3, 0.3, (len(pairs), 2)).round(2)
    which, what = np.array(pairs).T
    errors, by_camera, by_point, by_weight = [], [], [], []
    for f, c, x, w in zip(found, which, what, weights):
        errors.append(error(f, cams[c], xs[x], w))
        rows = [blocks.gradient(lambda *p, i=i: error(f, *p)[i], cams[c], xs[x], w) for i in range(2)]
        for out, part in zip((by_camera, by_point, by_weight), zip(*rows)):
            out.append(part)
    half = lambda cams: sum((error(f, cams[c], xs[x], w) ** 2).sum() for f, c, x, w in zip(found, which, what, weights)) / 2
    arguments = [cams, xs, weights, which, what, found]
    cases.append((arguments, [errors, by_camera, by_point, by_weight, 1 - weights**2, -2 * weights, *blocks.gradient(half, cams)]))
blocks.block("bundle", *cases, tags="derivatives")
