"""Signals, filters and images."""

from __future__ import annotations

import numpy as np


def moving_average(x: Float64[Array, "n"], k: int):
    c = np.cumsum(x)
    out = c[k:] - c[:-k]
    return out / k


def exponential_smoothing(x: Float64[Array, "n"], alpha: float):
    y = np.empty(len(x))
    y[0] = x[0]
    for t in range(1, len(x)):
        y[t] = alpha * x[t] + (1 - alpha) * y[t - 1]
    return y


def biquad(x: Float64[Array, "n"], b0: float, b1: float, b2: float, a1: float, a2: float):
    y = np.zeros_like(x)
    x1 = x2 = y1 = y2 = 0.0
    for i, s in enumerate(x):
        out = b0 * s + b1 * x1 + b2 * x2 - a1 * y1 - a2 * y2
        x2, x1 = x1, s
        y2, y1 = y1, out
        y[i] = out
    return y


def rms(x: Float64[Array, "n"]):
    return np.sqrt(np.mean(x**2))


def zero_crossings(x: Float64[Array, "n"]):
    return int(np.sum(x[1:] * x[:-1] < 0))


def clip_signal(x: Float64[Array, "n"], lim: float):
    return np.clip(x, -lim, lim)


def autocorrelation(x: Float64[Array, "n"], lags: int):
    x = x - x.mean()
    r = np.zeros(lags)
    for k in range(lags):
        r[k] = np.dot(x[: len(x) - k], x[k:])
    return r


def hann_window(x: Float64[Array, "n"]):
    n = x.shape[0]
    w = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(n) / n)
    return x * w


def dft_power(x: Float64[Array, "n"]):
    n = len(x)
    k = np.arange(n)
    angle = 2 * np.pi * k[:, None] * k[None, :] / n
    re = np.cos(angle) @ x
    im = np.sin(angle) @ x
    return re**2 + im**2


def envelope(x: Float64[Array, "n"], release: float):
    env = np.zeros(x.size)
    level = 0.0
    for i in range(x.size):
        a = abs(x[i])
        if a > level:
            level = a
        else:
            level *= release
        env[i] = level
    return env


def pre_emphasis(x: Float64[Array, "n"], c=0.97):
    return np.concatenate([x[:1], x[1:] - c * x[:-1]])


def decimate(x: Float64[Array, "n"]):
    return x[::2]


def median_filter3(x: Float64[Array, "n"]):
    a, b, c = x[:-2], x[1:-1], x[2:]
    out = x.copy()
    out[1:-1] = np.maximum(np.minimum(a, b), np.minimum(np.maximum(a, b), c))
    return out


def box_blur(img: Float64[Array, "n m"]):
    acc = np.zeros_like(img)
    for dy in range(-1, 2):
        for dx in range(-1, 2):
            acc += np.roll(np.roll(img, dy, axis=0), dx, axis=1)
    return acc / 9


def sobel(img: Float64[Array, "n m"]):
    gx = img[:-2, 2:] + 2 * img[1:-1, 2:] + img[2:, 2:] - img[:-2, :-2] - 2 * img[1:-1, :-2] - img[2:, :-2]
    gy = img[2:, :-2] + 2 * img[2:, 1:-1] + img[2:, 2:] - img[:-2, :-2] - 2 * img[:-2, 1:-1] - img[:-2, 2:]
    return np.hypot(gx, gy)


def threshold(img: Float64[Array, "n m"], level: float):
    return np.where(img > level, 1.0, 0.0)


def grayscale(rgb: Float64[Array, "n m 3"]):
    return 0.299 * rgb[:, :, 0] + 0.587 * rgb[:, :, 1] + 0.114 * rgb[:, :, 2]


def normalise_image(img: Float64[Array, "n m"]):
    lo, hi = img.min(), img.max()
    return (img - lo) / (hi - lo)


def gamma_correct(img: Float32[Array, "n m"], gamma: float):
    return np.clip(img, 0, 1) ** gamma


def integral_image(img: Float64[Array, "n m"]):
    return img.cumsum(axis=0).cumsum(axis=1)


def downsample(img: Float64[Array, "n m"]):
    return img[::2, ::2]


def flip_and_rotate(img: Float64[Array, "n m"]):
    return img[::-1, :].T


def histogram_equalise(img: Int64[Array, "n m"]):
    counts = np.bincount(img.ravel(), minlength=256)
    cdf = np.cumsum(counts)
    return cdf[img] * 255 // img.size


def game_of_life(board: Int64[Array, "n m"]):
    neighbours = sum(
        np.roll(np.roll(board, dy, 0), dx, 1) for dy in (-1, 0, 1) for dx in (-1, 0, 1) if (dy, dx) != (0, 0)
    )
    return ((neighbours == 3) | ((board == 1) & (neighbours == 2))).astype(np.int64)


def mandelbrot(cr: Float64[Array, "n m"], ci: Float64[Array, "n m"], limit: int):
    zr = np.zeros_like(cr)
    zi = np.zeros_like(ci)
    count = np.zeros(cr.shape, dtype=np.int64)
    for _ in range(limit):
        inside = zr * zr + zi * zi <= 4.0
        zr, zi = np.where(inside, zr * zr - zi * zi + cr, zr), np.where(inside, 2 * zr * zi + ci, zi)
        count += inside
    return count


def image_mask(img: Float64[Array, "n m"], mask: Bool[Array, "n m"]):
    out = img.copy()
    out[mask] = 0.0
    return out
