"""Edges of an image with NumPy: prints the block of expectations. Strong edges spread by a search from pixel to pixel."""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from blocks import block


def correlate(kernel, image, axis):
    radius = len(kernel) // 2
    p = np.pad(image, [(radius, radius) if a == axis else (0, 0) for a in (0, 1)], mode="edge")
    return sum(w * p.take(range(i, i + image.shape[axis]), axis) for i, w in enumerate(kernel))


def canny(sigma, low, high, image):
    x = np.arange(-2, 3)
    kernel = np.exp(-(x**2) / (2 * sigma**2))
    smooth = correlate(kernel / kernel.sum(), correlate(kernel / kernel.sum(), image, 1), 0)
    dx = correlate([1, 2, 1], correlate([-1, 0, 1], smooth, 1), 0)
    dy = correlate([1, 2, 1], correlate([-1, 0, 1], smooth, 0), 1)
    magnitude = np.hypot(dx, dy)
    edges = np.zeros(image.shape, int)
    for (i, j), here in np.ndenumerate(magnitude):
        degrees = np.degrees(np.arctan2(dy[i, j], dx[i, j])) % 180
        k, l = [(0, 1), (1, 1), (1, 0), (1, -1)][int((degrees + 22.5) // 45) % 4]
        at = lambda i, j: magnitude[i, j] if 0 <= i < image.shape[0] and 0 <= j < image.shape[1] else 0
        if here >= at(i + k, j + l) and here > at(i - k, j - l):
            edges[i, j] = 2 if here >= high else 1 if here >= low else 0
    found, todo = edges == 2, list(np.argwhere(edges == 2))
    while todo:
        i, j = todo.pop()
        for k, l in np.ndindex(3, 3):
            near = i + k - 1, j + l - 1
            if 0 <= near[0] < image.shape[0] and 0 <= near[1] < image.shape[1] and edges[near] == 1 and not found[near]:
                found[near] = True
                todo.append(near)
    return magnitude.astype(np.float32), found


random = np.random.default_rng(11)
cases = []
for shape in [(9, 12), (6, 5)]:
    y, x = np.mgrid[: shape[0], : shape[1]]
    image = np.where((x - shape[1] / 2) ** 2 + (y - 3) ** 2 < 9, 180.0, 40.0) + 6 * x
    image = (image + random.integers(-12, 13, shape)).astype(np.float32)
    sigma, low, high = np.float32(1.2), np.float32(60), np.float32(250)
    cases.append(([sigma, low, high, image], canny(1.2, low, high, image.astype(float))))
assert all(0 < edges.sum() < edges.size // 2 for _, (_, edges) in cases)
block("canny", *cases)
