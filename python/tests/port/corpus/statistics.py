"""Statistics, learning and finance."""

from __future__ import annotations

import numpy as np
import math


def zscore(x: Float64[Array, "n"]):
    return (x - np.mean(x)) / np.std(x)


def standardise(x: Float64[Array, "n k"]):
    mu = x.mean(axis=0)
    sd = x.std(axis=0)
    return (x - mu) / sd


def covariance(x: Float64[Array, "n k"]):
    c = x - x.mean(axis=0, keepdims=True)
    return c.T @ c / (x.shape[0] - 1)


def pearson(x: Float64[Array, "n"], y: Float64[Array, "n"]):
    dx, dy = x - x.mean(), y - y.mean()
    return (dx * dy).sum() / np.sqrt((dx**2).sum() * (dy**2).sum())


def softmax(x: Float64[Array, "n k"]):
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def log_sum_exp(x: Float64[Array, "n"]):
    m = np.max(x)
    return m + np.log(np.sum(np.exp(x - m)))


def weighted_mean(x: Float64[Array, "n"], w: Float64[Array, "n"]):
    return np.sum(x * w) / np.sum(w)


def mad(x: Float64[Array, "n"]):
    return np.median(np.abs(x - np.median(x)))


def linear_fit(x: Float64[Array, "n"], y: Float64[Array, "n"]):
    n = x.size
    sx, sy = x.sum(), y.sum()
    slope = (n * (x * y).sum() - sx * sy) / (n * (x * x).sum() - sx**2)
    return slope, (sy - slope * sx) / n


def logistic_loss(w: Float64[Array, "k"], x: Float64[Array, "n k"], y: Float64[Array, "n"]):
    p = 1 / (1 + np.exp(-(x @ w)))
    return -np.mean(y * np.log(p + 1e-12) + (1 - y) * np.log(1 - p + 1e-12))


def gradient_descent(w: Float64[Array, "k"], x: Float64[Array, "n k"], y: Float64[Array, "n"], rate: float, steps: int):
    for _ in range(steps):
        grad = x.T @ (x @ w - y) / len(y)
        w = w - rate * grad
    return w


def nearest_centre(p: Float64[Array, "n d"], c: Float64[Array, "k d"]):
    d2 = ((p[:, None, :] - c[None, :, :]) ** 2).sum(axis=-1)
    return np.argmin(d2, axis=1)


def mlp(x: Float64[Array, "n k"], w1: Float64[Array, "k h"], b1: Float64[Array, "h"], w2: Float64[Array, "h o"], b2: Float64[Array, "o"]):
    h = np.maximum(x @ w1 + b1, 0)
    return h @ w2 + b2


def batch_norm(x: Float32[Array, "n k"], gamma: Float32[Array, "k"], beta: Float32[Array, "k"], eps=1e-5):
    mu = x.mean(axis=0)
    var = x.var(axis=0)
    return gamma * (x - mu) / np.sqrt(var + eps) + beta


def accuracy(pred: Int64[Array, "n"], truth: Int64[Array, "n"]):
    return (pred == truth).mean()


def one_hot(labels: Int64[Array, "n"], k: int):
    out = np.zeros((len(labels), k))
    out[np.arange(len(labels)), labels] = 1
    return out


def welford(x: Float64[Array, "n"]):
    mean = 0.0
    m2 = 0.0
    count = 0
    for v in x:
        count += 1
        delta = v - mean
        mean += delta / count
        m2 += delta * (v - mean)
    if count < 2:
        return mean, 0.0
    return mean, m2 / (count - 1)


def running_max(x: Float64[Array, "n"]):
    best = x[0]
    out = np.empty_like(x)
    for i in range(len(x)):
        if x[i] > best:
            best = x[i]
        out[i] = best
    return out


def max_drawdown(prices: Float64[Array, "n"]):
    peak = prices[0]
    worst = 0.0
    for p in prices:
        peak = max(peak, p)
        worst = max(worst, (peak - p) / peak)
    return worst


def log_returns(p: Float64[Array, "n"]):
    return np.log(p[1:] / p[:-1])


def sharpe(r: Float64[Array, "n"], free: float):
    excess = r - free / 252
    return np.sqrt(252) * excess.mean() / excess.std(ddof=1)


def discount(cash: Float64[Array, "n"], rate: float):
    t = np.arange(1, len(cash) + 1)
    return np.sum(cash / (1 + rate) ** t)


def binomial_option(s: float, k: float, u: float, r: float, n: int):
    d = 1 / u
    p = (math.exp(r) - d) / (u - d)
    price = s * u ** np.arange(n, -n - 1, -2)
    value = np.maximum(price - k, 0)
    for _ in range(n):
        value = math.exp(-r) * (p * value[:-1] + (1 - p) * value[1:])
    return value[0]


def newton_sqrt(x: float, tol=1e-10):
    guess = x / 2
    steps = 0
    while abs(guess * guess - x) > tol:
        guess = 0.5 * (guess + x / guess)
        steps += 1
        if steps >= 50:
            break
    return guess


def bisect_cos(lo: float, hi: float):
    for _ in range(40):
        mid = (lo + hi) / 2
        if math.cos(mid) - mid > 0:
            lo = mid
        else:
            hi = mid
    return (lo + hi) / 2


def portfolio_variance(w: Float64[Array, "n"], cov: Float64[Array, "n n"]):
    return w @ cov @ w


def loan_balance(principal: float, rate: float, payment: float):
    months = 0
    while principal > 0 and months < 600:
        principal = principal * (1 + rate / 12) - payment
        months += 1
    return months


def percentile_clip(x: Float64[Array, "n"]):
    lo, hi = np.percentile(x, 5), np.percentile(x, 95)
    return np.clip(x, lo, hi)


def brownian_paths(z: Float64[Array, "n k"], s0: float, mu: float, sigma: float, dt: float):
    steps = (mu - 0.5 * sigma**2) * dt + sigma * np.sqrt(dt) * z
    return s0 * np.exp(np.cumsum(steps, axis=1))


def monte_carlo_pi(x: Float64[Array, "n"], y: Float64[Array, "n"]):
    return 4 * np.count_nonzero(x * x + y * y <= 1) / len(x)


def trapezoid(y: Float64[Array, "n"], x: Float64[Array, "n"]):
    return np.sum((x[1:] - x[:-1]) * (y[1:] + y[:-1])) / 2


def simpson(a: float, b: float, n: int):
    h = (b - a) / (2 * n)
    total = math.sin(a) + math.sin(b)
    for i in range(1, 2 * n):
        total += (4 if i % 2 == 1 else 2) * math.sin(a + i * h)
    return total * h / 3
