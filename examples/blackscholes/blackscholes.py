"""Prices of European call and put options. Inputs and expected results; see ../common.py."""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import common

SIZES = {"test": 500, "small": 100_000, "large": 4_000_000}


def generate(n, random):
    spot, strike = random.uniform(10, 50, (2, n))
    return [spot, strike, random.uniform(0.1, 2, n), np.float64(0.03), np.float64(0.3)]


def normal(d):
    """The cumulative distribution function of the normal distribution (Abramowitz and Stegun, 26.2.17)."""
    q = 1 / (1 + 0.2316419 * np.abs(d))
    poly = np.polyval([1.330274429, -1.821255978, 1.781477937, -0.356563782, 0.31938153, 0], q)
    tail = 0.39894228040143267794 * np.exp(-d * d / 2) * poly
    return np.where(d < 0, tail, 1 - tail)


def reference(s, k, t, rate, vol):
    spread = vol * np.sqrt(t)
    d1 = (np.log(s / k) + (rate + vol**2 / 2) * t) / spread
    paid = k * np.exp(-rate * t)
    call = s * normal(d1) - paid * normal(d1 - spread)
    return call, call - s + paid


if __name__ == "__main__":
    common.main(SIZES, generate, reference)
