"""Arguments by their places and by their names, orders in which elements are gone over, and functions that are said with others."""

from __future__ import annotations

import math

import numpy as np

from .meaning import cases

CASES, case = cases()
X = np.array([0.5, -1.25, 3.0, 2.0, 2.0, -7.5])
Y = np.array([1.0, 2.0, 2.5, 4.0, 8.0, 16.0])
A = np.arange(12.0).reshape(3, 4) ** 2
T = np.arange(24).reshape(2, 3, 4)
I = np.array([5, -3, 0, 7, 2, 2])
HOLES = np.array([[np.nan, 1.0, 2.0], [3.0, np.nan, -4.0]])


# What a place or a name says ------------------------------------------------------------------------------------------------------


@case((A, I), (A[:, :2], I))
def by_place(a, i):
    return np.percentile(a, 50, 0), np.cumsum(i, 0, float), i.cumsum(0, np.float32), np.unique(i, True), np.eye(2, 3, 1, int), np.append(a, a, 0)


@case((X,), (X[:1],))
def more_by_place(x):
    return np.vander(x, 3, True), np.linspace(0, 1, 5, False), np.bincount(np.array([1, 2]), np.array([0.5, 0.25]), 5), np.histogram(x, 4, (0.0, 4.0), True)


@case((X, Y))
def by_name(x, y):
    return np.outer(a=x, b=y), np.roll(x, shift=2), np.full(shape=(2, 2), fill_value=1.5), np.searchsorted(y, v=x, side="right"), np.repeat(x, repeats=2)


@case((I, X), (I.astype(np.int32), X.astype(np.float32)))
def of_floats_and_of_integers(i, x):
    return np.fabs(i), np.fabs(x), np.invert(i), np.logical_not(i), np.bitwise_not(i > 2)


@case((A,), (T,))
def casts(a):
    return a.astype(dtype=np.float32, copy=False), a.astype(float, copy=False) + 1, a.mean(axis=0, dtype=np.float64), a.argmax(axis=0, keepdims=True)


@case((X, Y[:3]))
def grids_in_a_tuple(x, y):
    return np.meshgrid(x, y), np.meshgrid(x, y, indexing="ij")


# Orders ---------------------------------------------------------------------------------------------------------------------------


@case((A,), (T,), (np.asfortranarray(A),), (A[::2, ::-1],))
def in_columns(a):
    return a.ravel(order="F"), a.flatten("F"), np.ravel(a.T, "F"), np.reshape(a, (4, -1), order="F"), a.reshape((2, 2, -1), order="F"), a.copy(order="F")


# Elements of integers -------------------------------------------------------------------------------------------------------------


@case((I.copy(), 0.5), (I.copy(), -7.75), (I.astype(np.int32), 2.5), (I > 2, 0.5), (np.array([100, 3, 1], np.int8), 0.5), (np.array([100, 3, 1], np.int8), 2.5))
def a_float_is_added_to_elements(z, v):
    for k in range(2):
        z[k] += v
        z[k] *= v
    return z


@case((A,), (0 * A,), (A.astype(np.float32),), (T[0],))
def rows_of_length_one(a):
    n = np.linalg.norm(a, axis=1, keepdims=True)
    n[n == 0] = 1
    return a / n


# Functions that are said with others ----------------------------------------------------------------------------------------------


@case((17, 5), (-17, 5), (7.5, -2.0), (7.5, 0.0), (I, 3), (np.int64(7), np.int64(-2)))
def quotients(x, y):
    q, r = divmod(x, y)
    return q, r, np.divmod(x, y)


@case((I, np.array([2, 6, 0, 14, 3, 4])), (I.astype(np.int32), 4), (12, -18), (0, 0))
def divisors(x, y):
    return np.gcd(x, y), np.lcm(x, y)


@case((12, 18), (-4, 6), (0, 0))
def divisors_of_numbers(x, y):
    return math.gcd(x, y), math.lcm(x, y)


@case((X,), (X[:1],), (X[:0],), (np.arange(8),), (A,))
def parts(x):
    a, b, c = np.array_split(x, 3)
    d, e = np.split(x, [-2])
    return a, b, c, d, e


@case((A, A[:1]), (A, T[0, :2]))
def blocks(a, b):
    return np.block([[a, np.ones((3, 2))], [b, np.zeros((b.shape[0], 2))]]), np.append(a, b, axis=0)


@case((X, 2, 7.0), (X, -1, 7.0), (X, 6, 7.0), (X, 9, 7.0), (I, 0, 7))
def inserted(x, k, v):
    return np.insert(x, k, v)


@case((X, Y), (X, Y[::-1].copy()), (I, Y), (X[:0], Y))
def bins(x, y):
    return np.digitize(x, y), np.digitize(x, y, right=True), np.histogram(x, bins=[0, 1, 2, 5], density=True)


@case((X, Y), (np.array([np.nan, 0.0, 3.0, 17.0]), Y), (3, Y))
def limits(x, y):
    return np.interp(x, y, y * 2, left=-1, right=np.nan), np.interp(x, y, y, right=0.5)


@case((HOLES,), (HOLES.astype(np.float32),))
def without_nans(a):
    return np.nansum(a, axis=0, keepdims=True), a - np.nanmean(a, axis=1, keepdims=True), np.nancumsum(a, axis=1), np.nan_to_num(a, nan=0.5), np.nancumprod(a)


@case((A,), (A[:, ::2],))
def slopes(a):
    gy, gx = np.gradient(a, 0.5, 2.0)
    return gy + gx, np.gradient(a, axis=1), np.gradient(a)


@case((A,), (T,), (X,))
def rolled(a):
    return np.roll(a, 5), np.roll(a, (1, 2), axis=0), np.roll(a, 1, -1)


@case((np.array([[2.0, 1.0], [1.0, 3.0]]), np.array([[1, 1], [1, 0]])))
def of_matrices(a, f):
    return np.linalg.matrix_power(f, 11), np.linalg.matrix_power(a, -2), np.linalg.multi_dot([a, a, a[0]]), np.linalg.cond(a), np.linalg.norm(a, 2), np.linalg.norm(a, "nuc")


# Whole functions ------------------------------------------------------------------------------------------------------------------


@case((np.array([9, 1, 5, 5, 0]), 10), (np.array([], int), 1))
def two_sum(x, target):
    order = np.argsort(x, kind="stable")
    i, j = 0, len(x) - 1
    while i < j:
        s = x[order[i]] + x[order[j]]
        if s == target:
            return order[i], order[j]
        if s < target:
            i += 1
        else:
            j -= 1
    return -1, -1


@case((np.array([[True, True, False, True], [False, True, False, True]]),), (np.zeros((2, 2), bool),))
def components(m):
    h, w = m.shape
    labels = np.where(m, np.arange(1, h * w + 1).reshape(h, w), 0)
    while True:
        p = np.pad(labels, 1)
        new = np.maximum.reduce([p[1:-1, 1:-1], p[:-2, 1:-1], p[2:, 1:-1], p[1:-1, :-2], p[1:-1, 2:]])
        new = np.where(m, new, 0)
        if (new == labels).all():
            break
        labels = new
    return labels


@case((np.array([[0, 0, 2, 2], [1, 1, 3, 3], [0, 0, 2, 2.1], [5, 5, 6, 6]], float), np.array([0.9, 0.8, 0.7, 0.6]), 0.3))
def apart(boxes, scores, limit):
    order = scores.argsort()[::-1]
    keep = []
    area = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
    while order.size > 0:
        i = order[0]
        keep.append(i)
        low = np.maximum(boxes[i, :2], boxes[order[1:], :2])
        high = np.minimum(boxes[i, 2:], boxes[order[1:], 2:])
        inside = np.maximum(0, high - low).prod(axis=1)
        order = order[1:][inside / (area[i] + area[order[1:]] - inside) <= limit]
    return np.array(keep)


@case((I, X), (np.array([3, 1, 2, 1, 3]), np.array([0.0, -0.0, 2.0, -1.0])), (I[:1], X[:1]))
def in_order(i, x):
    values = [v * 2 for v in x]
    values.sort(key=lambda v: (v - 1) ** 2)
    nearest = sorted(range(len(x)), key=lambda k: abs(x[k] - 1), reverse=True)
    return values, nearest, sorted(i, reverse=True), sorted(x), sorted(i, key=lambda v: -v), max(i, key=abs), min(range(len(x)), key=lambda k: x[k])


@case((A,), (T[0],))
def diagonals(a):
    return np.diagonal(a, 1), a.diagonal(offset=-1), np.trace(a, offset=1), a.trace(-1)
