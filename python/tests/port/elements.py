"""Functions of NumPy that look for elements, write to places, and are given functions, with arguments."""

from __future__ import annotations

import numpy as np

from .functions import T
from .meaning import A, F32, K, NAN, S, U8, B, X, Y, cases

E = np.zeros(0)
ROWS = np.array([[1, 2], [0, 1], [1, 2], [0, 0]])
ZEROS = np.array([np.nan, 1.0, np.nan, -0.0, 0.0, 1.0])

CASES, case = cases()

# Places --------------------------------------------------------------------------------------------------------------------------


@case((A,), (T,), (K,), (E,))
def places(a):
    return np.argwhere(a > 0), np.flatnonzero(a), np.nonzero(a), np.where(a > 1)


@case((ROWS,), (A,))
def different_rows(a):
    rows, first, inverse, counts = np.unique(a, axis=0, return_index=True, return_inverse=True, return_counts=True)
    return rows, first, inverse, counts, np.unique(a, axis=1), rows[counts > 1]


@case((A,), (B,), (ZEROS,))
def different_elements(a):
    return np.unique(a, return_index=True, return_inverse=True, return_counts=True), np.unique(a)


@case((A, np.array([[0], [3], [1]])), (A[:1], np.array([[2]])))
def along_a_dimension(a, i):
    b, c = a.copy(), np.zeros_like(a)
    np.put_along_axis(b, i, 9.0, axis=1)
    np.put_along_axis(c, np.argsort(a, axis=1), a, axis=1)
    best = np.take_along_axis(a, np.expand_dims(np.argmax(a, axis=1), 1), 1)
    return np.take_along_axis(a, i, axis=1), np.take_along_axis(a, np.argsort(a, axis=0), axis=0), best, b, c


@case((X,), (F32,), (K,))
def choices(x):
    return np.select([x < 0, x < 1], [x, x * 2], default=-1), np.select([x < 0, x > 1], [x, 5]), np.select([x < 0], [1.5])


@case((E,), (X[:1],), (X,), (K,))
def differences(x):
    return np.diff(x), np.diff(x, 2), np.diff(x, n=3), np.diff(x, prepend=0), np.diff(x, append=[1.0]), np.ediff1d(x)


@case((A, B, U8), (A[:1], B, U8))
def differences_along(a, b, u):
    return np.diff(a), np.diff(a, axis=0), np.diff(a, n=2, axis=1), np.diff(b), np.diff(u)


# Methods of ufuncs ---------------------------------------------------------------------------------------------------------------


@case((X, K, np.array([0, 2, 3])), (X, K, np.array([0, 3, 1])))
def reductions_between_places(x, k, i):
    return np.add.reduceat(x, i), np.maximum.reduceat(k, i), np.subtract.reduceat(k, i)


@case((A, np.array([0, 2])))
def reductions_of_rows_between_places(a, i):
    return np.add.reduceat(a, i), np.minimum.reduceat(a, i, axis=1)


@case((X, Y, A, K))
def outer_functions(x, y, a, k):
    return np.maximum.outer(x, y), np.less.outer(x, y), np.power.outer(np.abs(x), y), np.add.outer(a, x), np.bitwise_xor.outer(k, k), np.logical_and.outer(k > 1, x > 1)


@case((B, K, A))
def combined_one_after_the_other(b, k, a):
    cumulative = np.logical_or.accumulate(b), np.bitwise_or.accumulate(k), np.subtract.accumulate(k), np.maximum.accumulate(a), np.subtract.accumulate(a, axis=1)
    return cumulative, np.bitwise_and.reduce(k), np.bitwise_xor.reduce(k), np.logical_xor.reduce(b), np.subtract.reduce(k), np.minimum.reduce(a, axis=1)


@case((X, A, np.array([0, 2, 2]), B))
def changes_at_places(x, a, i, b):
    x, y, a, c = x.copy(), x.copy(), a.copy(), a.copy()
    np.add.at(x, [0, 0, -1], 1)
    np.maximum.at(x, i, 2.0)
    np.multiply.at(x, b, 1.5)
    np.add.at(y, i, [1.0, 2.0, 4.0])
    np.add.at(a, (i, [1, 1, 0]), 1.0)
    np.add.at(a, i, np.ones(4))
    np.subtract.at(c, (slice(None), i), 1.0)
    return x, y, a, c


@case((X, A, Y, K))
def changes_by_calls(x, a, y, k):
    x, z, a, c = x.copy(), x.copy(), a.copy(), a.copy()
    np.put(x, [0, -1], [9.0, 8.0])
    x.put(1, 5)
    np.put(a, k, [0.5, 0.25])
    np.place(a, a < 0, [1, 2])
    np.place(z, z > 0, 7.0)
    np.putmask(z, z > 6, y)
    np.putmask(c, c > 3, [1, 2, 3])
    np.copyto(c, -1.0, where=c < -3)
    np.fill_diagonal(c, 4.0)
    np.copyto(a, c[1], where=a > 2)
    a[:] = a[0]
    c.sort(axis=0)
    c[1].sort()
    return x, z, a, c


@case((A, A > 0))
def parts_of_reductions(a, m):
    return a.mean(axis=0, where=m), a.sum(axis=1, where=m), a.sum(initial=2), np.prod(a, axis=1, initial=2.0), np.max(a.ravel(), initial=30.0), a.sum(where=m[0]), np.any(a > 3, where=m)


@case((X, Y))
def results_in_new_arrays(x, y):
    np.divide(x, y, out=x, where=y > 1)
    return np.divide(x, y, out=np.zeros_like(x), where=y > 0), x


# Sums of products ----------------------------------------------------------------------------------------------------------------


@case((S, A, T, K))
def sums_of_products(s, a, t, k):
    one = np.einsum("ii", s), np.einsum("ii->i", s), np.einsum("ba", s), np.einsum("ij->", a), np.einsum("i,i,i->", k, k, k), np.einsum("ij,jk,kl->il", s, a, a.T)
    dots = np.einsum("...ij->...ji", t), np.einsum("...j,j", a, a[0]), np.einsum("b...,b->...", t, t[:, 0, 0]), np.einsum("ij...,ij...->i...", t, t)
    return one, dots, np.einsum(s, [0, 1], [1, 0]), np.einsum("ij,kj->ik", s[None, 0], s), np.einsum("ijk,ilm->jklm", t, t).sum(), np.einsum("i,j", s[0], a[0])


# Functions that are given functions ----------------------------------------------------------------------------------------------


def spread(row):
    return row.max() - row.min()


@case((A, T))
def of_each_row(a, t):
    return np.apply_along_axis(spread, 0, a), np.apply_along_axis(np.sort, 0, a), np.apply_along_axis(lambda r: r - r.mean(), 1, a), np.apply_along_axis(spread, axis=1, arr=t)


@case((X, Y))
def of_each_element(x, y):
    def signed(t):
        if t > 0:
            return t * 2
        return -t

    f = np.vectorize(lambda a, b: a + b if a > b else a - b)
    return np.vectorize(signed)(x), f(x, y), f(x[:, None], y), np.vectorize(lambda t: t > 1, otypes=[float])(x)


@case((3, 4), (1, 2))
def of_indices(n, m):
    return np.fromfunction(lambda i, j: i + 2 * j, (n, m)), np.fromfunction(lambda i, j: i == j, (n, n), dtype=int), np.fromfunction(lambda i: i * i, (m,))


@case((X,), (A,))
def in_pieces(x):
    return np.piecewise(x, [x < 0, x >= 1], [lambda t: -t, lambda t: t * t, 0.5]), np.piecewise(x, [x < 0], [lambda t: np.exp(t), 7])


@case((NAN,), (A,))
def lists_of_arrays(x):
    return x.tolist(), list(x), x[0].tolist()
