"""Numbers of one type here and of another there, writes through shapes, names of the library, and functions that are formulas."""

from __future__ import annotations

import math

import numpy as np

from .meaning import cases

CASES, case = cases()
X, P, E = np.array([1.0, -2.0, 3.0, 0.5]), np.array([1.0, 2.0, 3.0]), np.zeros(0)
F, A = X.astype(np.float32), np.arange(6.0).reshape(2, 3)
APART = np.arange(12.0).reshape(2, 6)[:, ::2]
Z = np.array([1.5, -2.0, np.nan, -0.0, 0.0, np.inf, -np.inf, 2.5])


@case((X,), (P,))
def beside_floats(x):
    a = 1 if x[1] > 0 else 0.5
    return x * -a, -a / 2, np.sqrt(a), math.sqrt(a), np.maximum(x, a), x.clip(0, a), np.where(x > 0, x, a), np.full_like(x, a), np.linspace(0, a, 3), a > 0, float(a)


@case((X,), (P,), (E,))
def halved(x):
    t, n, low, high = 1, 0, 0, 1
    while n < 10 and t > 1e-3:
        t = t / 2
        n += 1
    for _ in range(20):
        middle = (low + high) / 2
        if middle * middle < 0.5:
            low = middle
        else:
            high = middle
    return x * t, n, (low + high) / 2


@case((F,), (X,))
def filtered(z):
    x, p = 0.0, 1.0
    out = np.zeros_like(z)
    for k in range(len(z)):
        p = p + 1e-3
        gain = p / (p + 0.1)
        x = x + gain * (z[k] - x)
        p = (1 - gain) * p
        out[k] = x
    return out, x


@case((F,), (np.array([200, 100, 3], np.uint8),), (np.array([1, 2, 3], np.int32),), (np.array([True, True]),))
def summed(x):
    total = 0
    for v in x:
        total += v
    return total


@case((X,), (E,))
def begun_with_integers(x):
    made = [1, 2]
    y = 1
    steps = [y]
    for v in x:
        if v > 0:
            made.append(v * 2)
        y = y - 0.1 * y
        steps.append(y)
    return np.array(made) * 2, np.array(steps)


@case((3, 4), (0, 1), (-1, 2))
def complex_numbers(a, b):
    z, w = complex(a, b), 0
    for _ in range(2):
        w = w + z
    return w, z * a, z / 2, 3 / z, z == b, z**2, abs(z)


@case((X,))
def lists_of_helpers(x):
    def doubled(a):
        return [v * 2 for v in a]

    def pair(a):
        return [a[0], a[1]]

    return doubled(x) + doubled(x), pair(x) + pair(x)


@case((A,), (np.asfortranarray(A),), (APART,))
def raveled(a):
    b = a.ravel()
    b[0] = 5
    b[1:3] += 1
    return b * 2


@case((A,))
def reshaped(a):
    b = a.reshape(-1)
    b *= 2
    c = b[1:4]
    c[0] = -1
    a.reshape(3, 2)[0, 0] += 3
    y = np.zeros(4)
    m = y.reshape(2, -1)
    m.T[1, 1] = 9
    return a.sum(), y


@case((X,))
def cummax(x):
    vander = np.maximum.accumulate(-x)
    return np.maximum.accumulate(x) + vander, np.vander(x, 3)


@case((X,), (np.array([3, -1]),), (F,))
def by_type(x):
    if x.dtype not in (np.float64, np.float32) or np.issubdtype(x.dtype, np.integer):
        x = x / 2
    return x + x.dtype.itemsize if x.dtype.kind == "f" and x.dtype != "float32" else x * 2


@case((Z,), (Z.astype(np.float32),), (E,))
def signs_and_parts(x):
    return np.signbit(x), np.modf(x), np.exp2(x), np.expm1(x), np.broadcast_to(x, (2, len(x)))


@case((np.array([[1 + 2j, -1j], [3.5, 2], [1, 2]]),))
def complex_means(z):
    return z.mean(), z.mean(axis=0), z.var(axis=1), z.std(), (z.real > 1).max(axis=0), np.min(z.imag == 0)


@case((5, 2), (0, 0), (16, 5))
def whole_numbers(n, k):
    return math.factorial(n), math.comb(n, k), math.isqrt(n), np.tri(n, 3), np.logspace(0, k, 4)


@case((2.0, 3.0), (-7.5, 2.0), (8.0, 0.5))
def formulas(x, y):
    return math.pow(x, y), math.fmod(x, y), math.log(abs(x), y), math.isclose(x, y), math.hypot(x, y), math.expm1(x), math.isfinite(x)


@case((np.arange(12.0).reshape(3, 4), np.array([2, 0]), np.array([1, -1])))
def crossed(a, i, j):
    a[np.ix_(i, j)] = -1
    return a[np.ix_([0, 1], j)], a.ravel()[: len(i) * 2].reshape(-1, 2).sum(axis=1), np.polyfit(a[0], a[1], 1)
