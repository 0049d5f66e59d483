"""Sizes that only some code knows, sizes of one, divisions by zero, numbers that the program has to know, and arguments with parts."""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from .meaning import A, K, U8, X, cases

CASES, case = cases()

T = np.arange(24.0).reshape(2, 3, 4)
ONE_BY_ONE = np.array([[2.0]])
TWO_BY_TWO = np.array([[4.0, 1.0], [2.0, 3.0]])


# Sizes that have names in one function only --------------------------------------------------------------------------------------


@case((X, 2), (X, 5))
def moving_average_inside(x, n):
    def average(a, k):
        c = np.cumsum(a)
        return (c[k:] - c[:-k]) / k

    short = lambda a: a[n:] - a[:-n]  # noqa: E731
    return average(x, n) + 1, short(x), short(x * 2)


@case((A, 1))
def parts_of_a_matrix_inside(a, n):
    def differences(b, k):
        return b[:, k:] - b[:, :-k]

    def corner(b, k):
        return b[k:, k:], b[k:] * 2

    c, d = corner(a, n)
    return differences(a, n).sum(axis=0), c * 2, d


@case((X,), (-X,))
def one_of_two_sizes(x):
    def some(a):
        if a[0] > 0:
            return a[1:]
        return a

    return some(x) * 2


@case((X,), (np.array([5.0]),), (np.array([1.0]),))
def writes_backwards_to_a_selection(b):
    v = b[b > 2]
    v[::-1] += 1
    w = b[b > 0]
    w[::-1] = v.sum()
    w[::2] += 1
    w[-2:] = 0
    return v, w


@case((X, np.array([1.0, 2.0, 3.0]), np.array([True, False, True])))
def products_of_selections(a, b, m):
    return np.outer(a, b[m]), np.outer(a[a > 0], a[a < 0]), np.outer(a[a > 0], a), np.subtract.outer(b[m], a[a > 0])


# Sizes of one --------------------------------------------------------------------------------------------------------------------


@case((ONE_BY_ONE,), (TWO_BY_TWO,))
def factors(a):
    n = len(a)
    lower, upper = np.eye(n), a.copy()
    for k in range(n - 1):
        lower[k + 1 :, k] = upper[k + 1 :, k] / upper[k, k]
        upper[k + 1 :] -= np.outer(lower[k + 1 :, k], upper[k])
    return lower, upper


@case((ONE_BY_ONE, np.array([3.0])), (TWO_BY_TWO, np.array([1.0, 2.0])))
def elimination(a, b):
    a, b, n = a.copy(), b.copy(), len(b)
    for k in range(n):
        for i in range(k + 1, n):
            f = a[i, k] / a[k, k]
            a[i, k:] -= f * a[k, k:]
            b[i] -= f * b[k]
    x = np.zeros(n)
    for i in range(n - 1, -1, -1):
        x[i] = (b[i] - a[i, i + 1 :] @ x[i + 1 :]) / a[i, i]
    return x


@case((np.array([1.0]),), (np.array([1.0, 2.0]),), (np.arange(5.0),))
def every_second(x):
    y = x[::2]
    x = x.copy()
    x[::2] = 7
    return y + 1, x[1::2], x[::-2], x[::2].sum(), x


@case((np.array([[1.0]]),), (np.array([[1.0, 2.0]]),))
def every_second_of_a_matrix(a):
    return a[::2, ::2], a[:, ::-1] * 2


# Sizes that do not matter where they are not reached -----------------------------------------------------------------------------


@case((np.array([1.0, 2.0]), np.array([1.0, 2.0, 5.0])), (np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 3.0, 4.0])))
def written_for_two_only(a, b):
    if len(a) == 2:
        b[1:3] -= a
    return b


@case((X, np.array([2, 0, 1]), 0), (X, np.array([2, 0, 1, 4, 3]), 3))
def permuted_so_often(x, p, n):
    for _ in range(n):
        x = x[p]
    return x


# Divisions by zero ---------------------------------------------------------------------------------------------------------------


@case((K, np.array([0, 2, 0, -3, 0]), 0), (np.array([-(2**63), 5]), np.array([-1, 0]), 3))
def divided_by_zero(a, b, n):
    c = a.copy()
    c //= b
    return a // b, a % b, a // 0, 7 // a, 7 % b, a // n, np.mod(a, a), np.divmod(a, b), a[0] // b[1], c


@case((U8, np.array([1, 0, 2, 0], dtype=np.uint8)))
def bytes_divided_by_zero(a, b):
    return a // b, a % b


# Numbers that the program has to know --------------------------------------------------------------------------------------------


@case((A,), (A, 1), (A, -1, True))
def along_an_axis(a, axis=0, keepdims=False):
    return a.sum(axis=axis, keepdims=keepdims), np.diff(a, axis=axis)


@case((A, 1, 2), (A, 2, 3))
def differences_so_often(a, k, n):
    while n > 1:
        n -= 1
    return np.diff(a, k), n


@case((A,))
def axes_of_functions_inside(a):
    def centred(x, axis=0):
        return x - x.mean(axis=axis, keepdims=True)

    return centred(a), centred(a, axis=1), centred(a, 1)


# Arguments with parts ------------------------------------------------------------------------------------------------------------


Pair = namedtuple("Pair", "x y")


@case(((X, 2),), ([X, 3.0],))
def of_two_parts(p):
    a, k = p
    return a * k, p[0] + len(p)


@case(({"a": X, "b": K},))
def of_a_dictionary(d):
    total = 0.0
    for key in d:
        total += d[key].sum()
    return d["a"].sum() + d["b"], total


@case(({"rate": 0.5, "count": 3},))
def keys_of_a_dictionary(d):
    first, second = d
    return d[first] + d[second], [d[key] for key in d][0], d[[*d][1]], list(map(len, d)), [v for v in d.values()], len(d)


@case((Pair(X, 2.0),), (Pair(1.0, 3.0),))
def named_tuples_as_results(p):
    q = Pair(p.x * 2, y=1.0)
    for _ in range(2):
        q = Pair(q.x + 1, q.y)
    a, b = p
    return p, q, a + b, p[::-1], p + q, [v * 2 for v in q]


@case((Pair(1.0, 3.0),))
def sums_of_a_named_tuple(p):
    total = 0.0
    for v in p:
        total += v
    return total, sum(p), max(p), np.array(p), list(p)


@case((Pair(X, (X * 3, 2)),))
def of_a_named_tuple(p):
    return p.x + p.y[0] * p.y[1]


@case(([1.0, 2.0, 3.5],), ([4, 2],), ([1.0, 2],), ([7],), ([],))
def of_a_list_of_numbers(xs):
    return np.array(xs) * 2, len(xs)


@case(([[1.0, 2.0], [3.0, 4.0]],))
def of_a_list_of_lists(rows):
    total = 0.0
    for row in rows:
        total += row[0]
    return np.array(rows) @ np.array(rows), total, rows[1][0]


@case(([X, X * 2, -X], 1), ([X, X * 2], -1))
def of_a_list_of_arrays(xs, i):
    total = np.zeros(len(xs[0]))
    for x in xs:
        total += x
    sums = [x.sum() for x in xs]
    for k in range(len(xs)):
        total[0] += xs[k][0]
    return total, sums, xs[i], np.array(xs).mean(axis=0), np.concatenate(xs), np.stack(xs, axis=1)


@case(([X, X[:2], K],))
def of_a_list_of_different_arrays(xs):
    total = 0.0
    for x in xs:
        total += x.sum()
    return total, xs[1] * 2


@case(([3.0, 1.0, 2.0],))
def of_a_list_that_is_copied(xs):
    ys = xs[:]
    ys.append(1.0)
    ys[0] = 7.0
    ys.sort()
    return ys, xs


@case(((3, 4), A), ((2, 6), A), ((5, 2), A))
def of_a_shape(shape, a):
    n, m = shape
    b = np.zeros(shape)
    for i in range(shape[0]):
        b[i] = i
    return b + np.ones((n, m)), a.reshape(shape) + b, np.ones(shape[0])


# Imports -------------------------------------------------------------------------------------------------------------------------


@case((X,))
def imports_inside(x):
    import math
    import numpy.linalg as linear
    from math import pi
    from numpy import abs as size, sqrt

    def inside(y):
        return sqrt(size(y)) * pi

    return inside(x) * math.e, linear.norm(x)


@case((0,), (3,), (-2,))
def a_list_that_may_be_empty(amount):
    best = [0] + [7] * amount
    return best[max(amount, 0)], len(best)
