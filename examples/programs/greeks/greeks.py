"""Option prices and their derivatives by the formulas that books give: prints the block of expectations."""

import sys
from math import erfc
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import blocks

below = np.vectorize(lambda x: erfc(-x / np.sqrt(2)) / 2)


def sensitivities(s, k, t, r, sigma):
    spread = sigma * np.sqrt(t)
    d1 = (np.log(s / k) + (r + sigma**2 / 2) * t) / spread
    d2 = d1 - spread
    density = np.exp(-(d1**2) / 2) / np.sqrt(2 * np.pi)
    later = k * np.exp(-r * t)
    gamma, vega = density / (s * spread), s * density * np.sqrt(t)
    second = [vega, gamma, -density * d2 / sigma, vega * d1 * d2 / sigma]
    decay = -s * density * sigma / (2 * np.sqrt(t))
    call = [below(d1), decay - r * later * below(d2), t * later * below(d2), *second]
    put = [below(d1) - 1, decay + r * later * below(-d2), -t * later * below(-d2), *second]
    return s * below(d1) - later * below(d2), np.stack(call, axis=1), np.stack(put, axis=1)


random = np.random.default_rng(2)
shares, strikes = random.uniform(50, 150, (2, 5)).round(1)
times, sigmas = random.uniform(0.1, 2, 5).round(2), random.uniform(0.1, 0.6, 5).round(2)
arguments = [shares, strikes, times, 0.03, sigmas]
blocks.block("sensitivities", (arguments, sensitivities(*arguments)), tags="derivatives")
