"""Statistics."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from jaxtyping import Array, Bool, Complex128, Float, Float32, Int, Int32, UInt8


def standardise(x: Float[Array, "n m"]):
    """Columns with mean 0 and standard deviation 1."""
    return (x - x.mean(axis=0)) / x.std(axis=0)


def weighted_mean(x: Float[Array, "n"], w: Float[Array, "n"]):
    return np.sum(w * x) / np.sum(w)


def covariance(x: Float[Array, "n k"]):
    """The covariance matrix of columns."""
    centred = x - np.mean(x, axis=0, keepdims=True)
    return centred.T @ centred / (x.shape[0] - 1)


def softmax(x: Float[Array, "n m"]):
    """Rows that sum to one."""
    shifted = x - x.max(axis=1, keepdims=True)
    e = np.exp(shifted)
    return e / e.sum(axis=1, keepdims=True)


def log_sum_exp(x: Float[Array, "n"]):
    m = x.max()
    return m + np.log(np.exp(x - m).sum())


def welford(x: Float[Array, "n"]):
    """Mean and variance in one pass."""
    mean = 0.0
    m2 = 0.0
    count = 0
    for v in x:
        count += 1
        delta = v - mean
        mean += delta / count
        m2 += delta * (v - mean)
    return mean, m2 / count


def histogram_counts(x: Float[Array, "n"], lo: float, hi: float, bins: int):
    """Counts by hand; what lies outside is dropped."""
    counts = np.zeros(bins, dtype=np.int64)
    width = (hi - lo) / bins
    for v in x:
        if v < lo or v >= hi:
            continue
        k = int((v - lo) / width)
        if k >= bins:
            k = bins - 1
        counts[k] += 1
    return counts


def quartiles(x: Float[Array, "n"]):
    """Three quantiles of a vector."""
    return np.quantile(x, 0.25), np.median(x), np.quantile(x, 0.75)


def trimmed_mean(x: Float[Array, "n"], k: int):
    s = np.sort(x)
    return s[k : len(x) - k].mean()


def correlation(x: Float[Array, "n"], y: Float[Array, "n"]):
    """Pearson's coefficient."""
    dx = x - x.mean()
    dy = y - y.mean()
    return (dx * dy).sum() / np.sqrt((dx**2).sum() * (dy**2).sum())


def linear_fit(x: Float[Array, "n"], y: Float[Array, "n"]):
    """Slope and intercept by least squares."""
    mx, my = x.mean(), y.mean()
    slope = np.sum((x - mx) * (y - my)) / np.sum((x - mx) ** 2)
    return slope, my - slope * mx


def ranks(x: Float[Array, "n"]):
    """The rank of each element, ties in order."""
    order = np.argsort(x, kind="stable")
    out = np.zeros(len(x), dtype=np.int64)
    out[order] = np.arange(len(x))
    return out


def rowwise_argmax(x: Float[Array, "n m"]):
    return np.argmax(x, axis=1)


def masked_mean(x: Float[Array, "n"], lo: float):
    """The mean of what is above a bound; 0 of nothing."""
    chosen = x[x > lo]
    if chosen.size == 0:
        return 0.0
    return chosen.mean()


def entropy(p: Float[Array, "n"]):
    q = p / p.sum()
    return -np.sum(np.where(q > 0, q * np.log(q), 0.0))


def running_max(x: Float[Array, "n"]):
    return np.maximum.accumulate(x)


def confusion(truth: Int[Array, "n"], guess: Int[Array, "n"], k: int):
    """A table of counts."""
    out = np.zeros((k, k), dtype=np.int64)
    for t, g in zip(truth, guess):
        out[t, g] += 1
    return out


def clip_outliers(x: Float[Array, "n"], z: float):
    m, s = np.mean(x), np.std(x)
    return np.clip(x, m - z * s, m + z * s)
