"""The two-point angular correlation function with NumPy: prints the block of expectations."""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from blocks import block


def directions(ascension, declination):
    a, d = np.radians(ascension), np.radians(declination)
    return np.stack([np.cos(a) * np.cos(d), np.sin(a) * np.cos(d), np.sin(d)], axis=-1)


def count(cosines):
    minutes = np.degrees(np.arccos(np.clip(cosines, -1, 1))) * 60
    return np.histogram(minutes, 10 ** (np.arange(21) / 5))[0] / len(cosines)


def tpacf(data, random):
    d, r = directions(*data), directions(*random)
    pairs = lambda x: (x @ x.T)[np.triu_indices(len(x), 1)]
    dd = count(pairs(d))
    dr = count(np.concatenate([(d @ x.T).ravel() for x in r]))
    rr = count(np.concatenate([pairs(x) for x in r]))
    return np.where(rr == 0, 0, (dd - 2 * dr + rr) / np.where(rr == 0, 1, rr))


random = np.random.default_rng(17)
data = np.stack([30 + 3 * random.standard_normal(12), 10 + 3 * random.standard_normal(12)]).round(3)
uniform = np.stack([30 + 40 * random.random((3, 10)), 10 + 40 * random.random((3, 10))]).round(3)
block("tpacf", ([*data, *uniform], [tpacf(data, uniform)]))
