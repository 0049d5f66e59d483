"""NumPy programs that are faster than the ones beside the examples, which are written to be read. Used where there is one."""

import numpy as np

PROGRAMS = {}


def program(function):
    PROGRAMS[function.__name__] = function
    return function


def normal(d):
    q = 1 / (1 + 0.2316419 * np.abs(d))
    p = q * (0.31938153 + q * (-0.356563782 + q * (1.781477937 + q * (-1.821255978 + q * 1.330274429))))
    w = 0.39894228040143267794 * np.exp(-0.5 * d * d) * p
    return np.where(d < 0, w, 1 - w)


@program
def blackscholes(s, k, t, rate, vol):
    spread = vol * np.sqrt(t)
    d1 = (np.log(s / k) + (rate + 0.5 * vol * vol) * t) / spread
    paid = k * np.exp(-rate * t)
    call = s * normal(d1) - paid * normal(d1 - spread)
    return call, call - s + paid


@program
def kmeans(points, centres):
    # exact for the coordinates of the example; distances and sums as products of matrices
    squares = np.einsum("cj,cj->c", centres, centres) - 2 * (points @ centres.T)
    near = np.argmin(squares, axis=1)
    members = np.bincount(near, minlength=len(centres)).astype(np.float32)[:, None]
    mine = np.zeros((len(centres), len(points)), np.float32)
    mine[near, np.arange(len(points))] = 1
    return near.astype(np.int64), np.where(members > 0, (mine @ points) / np.maximum(members, 1), centres)


@program
def mandelbrot(n, limit):
    # only the points that have not left yet
    t = 3 * np.arange(n) / n
    cx, cy = (c.ravel() for c in np.meshgrid(t - 2, t - 1.5))
    x, y, counts, here = np.zeros(n * n), np.zeros(n * n), np.zeros(n * n, np.int32), np.arange(n * n)
    for step in range(limit):
        x, y = x * x - y * y + cx, 2 * x * y + cy
        live = x * x + y * y <= 4
        if not live.all():
            counts[here[~live]] = step
            here, x, y, cx, cy = (values[live] for values in (here, x, y, cx, cy))
    counts[here] = limit
    return counts.reshape(n, n)
