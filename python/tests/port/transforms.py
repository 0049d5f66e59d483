"""`np.fft`: lengths, types, dimensions, frequencies and shifts."""

from __future__ import annotations

import numpy as np

from .meaning import A, K, X, cases

CASES, case = cases()
F = np.array([0.5, -1.25, 3.0, 2.0], dtype=np.float32)
Z = np.array([1 + 2j, -3j, 0.5])
T = np.arange(24.0).reshape(2, 3, 4)


@case((X,), (X[:4],), (X[:2],), (K,))
def of_real_numbers(x):
    y = np.fft.rfft(x)
    return y, np.fft.irfft(y), np.fft.irfft(y, n=len(x)), np.fft.irfft(y, 3), np.fft.rfft(x, 8), np.fft.rfft(x, n=2)


@case((X, 3.0), (X[:4], 0.5))
def filtered(x, rate):
    y = np.fft.rfft(x)
    frequencies = np.fft.rfftfreq(len(x), 1 / rate)
    power = np.abs(y) ** 2 / len(x)
    y[frequencies > 1] = 0
    return np.fft.irfft(y, len(x)), power * frequencies, frequencies[np.argmax(power[1:]) + 1]


@case((F,), (F > 1,), (F[:1],))
def of_other_types(x):
    z = np.fft.fft(x)
    return z, np.fft.ifft(x), np.abs(z), np.fft.fftshift(x), np.fft.rfft(x)


@case((F,))
def of_single_precision_and_back(x):
    return np.fft.irfft(np.fft.rfft(x)), np.fft.irfft(np.fft.rfft(x), n=3)


@case((Z,))
def of_complex_numbers(z):
    return np.fft.fft(z), np.fft.ifft(z, 4), np.fft.fft(z, n=2), np.fft.irfft(z), np.fft.fft(z[np.abs(z) > 1])


@case((A,), (T,))
def along_dimensions(a):
    return np.fft.fft(a), np.fft.fft(a, axis=0), np.fft.ifft(a, axis=1), np.fft.rfft(a), np.fft.rfft(a, axis=0), np.fft.fft(a, 5, 0), np.fft.rfft(a, n=2, axis=1)


@case((A,), (T,))
def of_matrices(a):
    z = np.fft.fft2(a)
    return z, np.fft.ifft2(z).real, np.fft.fftshift(z), np.fft.ifftshift(a, axes=0), np.fft.fftshift(a, axes=(1,)), np.fft.ifftshift(np.fft.fftshift(a))


@case((6, 0.1), (5, 2.0), (1, 1.0))
def frequencies(n, d):
    return np.fft.fftfreq(n), np.fft.fftfreq(n, d), np.fft.rfftfreq(n, d=d), np.fft.fftfreq(8), np.fft.rfftfreq(5)


@case((0, 1.0), (4, 0.0), (-1, 1.0))
def no_frequencies(n, d):
    return np.fft.fftfreq(n, d)


@case((X, 0), (X, 3))
def of_so_many(x, n):
    return np.fft.fft(x, n)
