"""Images."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from jaxtyping import Array, Bool, Complex128, Float, Float32, Int, Int32, UInt8


def grey(rgb: Float[Array, "n m 3"]):
    return 0.299 * rgb[:, :, 0] + 0.587 * rgb[:, :, 1] + 0.114 * rgb[:, :, 2]


def grey_dot(rgb: Float[Array, "n m 3"]):
    return rgb @ np.array([0.299, 0.587, 0.114])


def invert(a: UInt8[Array, "n m"]):
    return 255 - a


def threshold(a: Float[Array, "n m"], t: float):
    return np.where(a > t, 1.0, 0.0)


def box_blur(a: Float[Array, "n m"]):
    """A mean of nine on the inner points."""
    n, m = a.shape
    total = np.zeros((n - 2, m - 2))
    for i in range(3):
        for j in range(3):
            total += a[i : n - 2 + i, j : m - 2 + j]
    return total / 9


def sobel_magnitude(a: Float[Array, "n m"]):
    gx = a[:-2, 2:] + 2 * a[1:-1, 2:] + a[2:, 2:] - a[:-2, :-2] - 2 * a[1:-1, :-2] - a[2:, :-2]
    gy = a[2:, :-2] + 2 * a[2:, 1:-1] + a[2:, 2:] - a[:-2, :-2] - 2 * a[:-2, 1:-1] - a[:-2, 2:]
    return np.hypot(gx, gy)


def convolve2d(a: Float[Array, "n m"], k: Float[Array, "p q"]):
    """The valid part of a correlation."""
    n, m = a.shape
    p, q = k.shape
    out = np.zeros((n - p + 1, m - q + 1))
    for i in range(n - p + 1):
        for j in range(m - q + 1):
            out[i, j] = np.sum(a[i : i + p, j : j + q] * k)
    return out


def flip_and_turn(a: Float[Array, "n m"]):
    return a[::-1].T, a[:, ::-1], np.rot90(a)


def integral_image(a: Float[Array, "n m"]):
    return a.cumsum(axis=0).cumsum(axis=1)


def gamma_correct(a: Float[Array, "n m"], gamma: float):
    return np.clip(a, 0, 1) ** gamma


def equalise(a: UInt8[Array, "n m"]):
    """Grey values by their ranks."""
    counts = np.bincount(a.ravel(), minlength=256)
    cdf = np.cumsum(counts) / a.size
    return cdf[a]


def life(board: Int[Array, "n m"]):
    """Conway's game on a torus."""
    around = np.zeros_like(board)
    for dy in (-1, 0, 1):
        for dx in (-1, 0, 1):
            if dy != 0 or dx != 0:
                around += np.roll(np.roll(board, dy, axis=0), dx, axis=1)
    return ((around == 3) | ((board == 1) & (around == 2))).astype(np.int64)


def bilinear_sample(a: Float[Array, "n m"], y: float, x: float):
    """A value between four cells."""
    i = int(np.floor(y))
    j = int(np.floor(x))
    v = y - i
    u = x - j
    top = a[i, j] * (1 - u) + a[i, j + 1] * u
    bottom = a[i + 1, j] * (1 - u) + a[i + 1, j + 1] * u
    return top * (1 - v) + bottom * v


def dilate(a: Bool[Array, "n m"]):
    out = a.copy()
    out[1:] |= a[:-1]
    out[:-1] |= a[1:]
    out[:, 1:] |= a[:, :-1]
    out[:, :-1] |= a[:, 1:]
    return out


def brighten_view(a: Float[Array, "n m"]):
    """Writes through a view."""
    inner = a[1:-1, 1:-1]
    inner += 1.0
    return a


def block_mean(a: Float[Array, "n m"], k: int):
    n, m = a.shape
    return a.reshape(n // k, k, m // k, k).mean(axis=(1, 3))


def center_of_mass(a: Float[Array, "n m"]):
    n, m = a.shape
    total = a.sum()
    y = (a * np.arange(n)[:, None]).sum() / total
    x = (a * np.arange(m)).sum() / total
    return y, x
