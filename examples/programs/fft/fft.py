"""Fourier transforms with NumPy: prints the blocks of expectations."""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from blocks import block

random = np.random.default_rng(13)


def numbers(*shape):
    return random.integers(-50, 51, shape) / 8


cases = []
for n in (8, 16, 1):
    re, im = numbers(n), numbers(n)
    z = np.fft.fft(re + 1j * im)
    cases.append(([re, im], [z.real, z.imag]))
block("fft", *cases)
print()
block("round_trip", ([numbers(32)], [True]))
signals = numbers(3, 8)
print()
block("spectra", ([signals], [np.abs(np.fft.fft(signals)) ** 2]))
x, y = numbers(4, 8), numbers(4, 8)
shifted = [[np.roll(np.roll(y[::-1, ::-1], i + 1, 0), j + 1, 1) for j in range(8)] for i in range(4)]
print()
block("convolve", ([x, y], [np.array([[(x * s).sum() for s in row] for row in shifted])]))
