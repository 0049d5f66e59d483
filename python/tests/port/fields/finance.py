"""Finance."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from jaxtyping import Array, Bool, Complex128, Float, Float32, Int, Int32, UInt8

from math import erf, exp, log, sqrt


def returns(prices: Float[Array, "n"]):
    return prices[1:] / prices[:-1] - 1


def max_drawdown(prices: Float[Array, "n"]):
    peak = np.maximum.accumulate(prices)
    return np.max((peak - prices) / peak)


def norm_cdf(x: float):
    return 0.5 * (1 + erf(x / sqrt(2)))


def black_scholes(s: float, k: float, t: float, r: float, sigma: float):
    """The price of a call."""
    d1 = (log(s / k) + (r + sigma**2 / 2) * t) / (sigma * sqrt(t))
    d2 = d1 - sigma * sqrt(t)
    return s * norm_cdf(d1) - k * exp(-r * t) * norm_cdf(d2)


def binomial_option(s: float, k: float, r: float, sigma: float, t: float, n: int):
    """An American put on a tree."""
    dt = t / n
    u = np.exp(sigma * np.sqrt(dt))
    d = 1 / u
    p = (np.exp(r * dt) - d) / (u - d)
    i = np.arange(n + 1)
    values = np.maximum(k - s * u ** (n - 2.0 * i), 0)
    for step in range(n - 1, -1, -1):
        j = np.arange(step + 1)
        hold = np.exp(-r * dt) * (p * values[:-1] + (1 - p) * values[1:])
        values = np.maximum(hold, k - s * u ** (step - 2.0 * j))
    return values[0]


def net_present_value(rate: float, flows: Float[Array, "n"]):
    return np.sum(flows / (1 + rate) ** np.arange(len(flows)))


def moving_crossover(prices: Float[Array, "n"], short: int, long: int):
    """1 where the short mean is above the long one."""
    n = len(prices)
    out = np.zeros(n, dtype=np.int64)
    for i in range(long, n):
        a = prices[i - short : i].mean()
        b = prices[i - long : i].mean()
        out[i] = 1 if a > b else 0
    return out


def portfolio_variance(w: Float[Array, "n"], cov: Float[Array, "n n"]):
    return w @ cov @ w


def sharpe(r: Float[Array, "n"], free: float = 0.0):
    excess = r - free
    return excess.mean() / excess.std(ddof=1) * np.sqrt(252)


def loan_balance(principal: float, rate: float, payment: float, months: int):
    """What is left of a loan each month."""
    balances = np.empty(months)
    balance = principal
    for m in range(months):
        balance = balance * (1 + rate) - payment
        if balance < 0:
            balance = 0.0
        balances[m] = balance
    return balances


def value_at_risk(r: Float[Array, "n"], level: float):
    return -np.percentile(r, 100 * (1 - level))


def asian_option(normals: Float[Array, "p n"], s0: float, k: float, r: float, sigma: float, dt: float):
    """A mean over paths."""
    steps = (r - 0.5 * sigma**2) * dt + sigma * np.sqrt(dt) * normals
    paths = s0 * np.exp(np.cumsum(steps, axis=1))
    payoff = np.maximum(paths.mean(axis=1) - k, 0.0)
    return payoff.mean()


def ewma_volatility(r: Float[Array, "n"], decay: float):
    var = r[0] ** 2
    for x in r[1:]:
        var = decay * var + (1 - decay) * x**2
    return np.sqrt(var)
