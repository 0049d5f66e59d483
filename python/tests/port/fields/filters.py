"""Filters and signals."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from jaxtyping import Array, Bool, Complex128, Float, Float32, Int, Int32, UInt8


def moving_average(x: Float[Array, "n"], k: int):
    """Means of k neighbours by sums of prefixes."""
    total = np.cumsum(np.concatenate((np.zeros(1), x)))
    return (total[k:] - total[:-k]) / k


def exponential_smoothing(x: Float[Array, "n"], alpha: float):
    out = np.empty_like(x)
    out[0] = x[0]
    for i in range(1, x.shape[0]):
        out[i] = alpha * x[i] + (1 - alpha) * out[i - 1]
    return out


def fir(x: Float[Array, "n"], h: Float[Array, "k"]):
    """A finite impulse response."""
    return np.convolve(x, h)


def iir_biquad(x: Float[Array, "n"], b: Float[Array, "3"], a: Float[Array, "3"]):
    """Direct form II, transposed."""
    y = np.zeros(len(x))
    z1 = 0.0
    z2 = 0.0
    for i, value in enumerate(x):
        out = b[0] * value + z1
        z1 = b[1] * value - a[1] * out + z2
        z2 = b[2] * value - a[2] * out
        y[i] = out
    return y


def median3(x: Float[Array, "n"]):
    """The median of three, ends unchanged."""
    out = x.copy()
    a, b, c = x[:-2], x[1:-1], x[2:]
    out[1:-1] = np.maximum(np.minimum(a, b), np.minimum(np.maximum(a, b), c))
    return out


def zero_crossings(x: Float[Array, "n"]):
    return np.sum(np.sign(x[1:]) != np.sign(x[:-1]))


def rms(x: Float[Array, "n"]):
    return np.sqrt(np.mean(x**2))


def hann(n: int):
    """A window of cosines."""
    i = np.arange(n)
    return 0.5 - 0.5 * np.cos(2 * np.pi * i / (n - 1))


def windowed_power(x: Float[Array, "n"]):
    """The power spectrum under a window."""
    w = np.hanning(len(x))
    spectrum = np.fft.rfft(x * w)
    return np.abs(spectrum) ** 2


def autocorrelation(x: Float[Array, "n"], lags: int):
    centred = x - x.mean()
    out = np.zeros(lags)
    for k in range(lags):
        out[k] = np.sum(centred[: len(x) - k] * centred[k:])
    return out / np.sum(centred * centred)


def envelope_follower(x: Float[Array, "n"], attack: float, release: float):
    """Rises and falls at different rates."""
    level = 0.0
    out = np.zeros(x.size)
    for i in range(x.size):
        v = abs(x[i])
        rate = attack if v > level else release
        level = level + rate * (v - level)
        out[i] = level
    return out


def decimate_mean(x: Float[Array, "n"], k: int):
    """Means of blocks; what is left over is dropped."""
    blocks = len(x) // k
    return x[: blocks * k].reshape(blocks, k).mean(axis=1)


def goertzel(x: Float[Array, "n"], k: int):
    """The power of one frequency."""
    w = 2 * np.pi * k / len(x)
    coefficient = 2 * np.cos(w)
    s1, s2 = 0.0, 0.0
    for v in x:
        s1, s2 = v + coefficient * s1 - s2, s1
    return s1**2 + s2**2 - coefficient * s1 * s2


def demean_inplace(x: Float[Array, "n"]):
    """The caller's array changes."""
    x -= x.mean()
