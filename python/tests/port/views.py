"""Functions with writes to parts of arrays, calls that write to their arguments, grids and windows, with arguments."""

from __future__ import annotations

import numpy as np

from .meaning import A, K, NAN, S, U8, B, X, Y, cases

T = np.arange(24.0).reshape(2, 3, 4)
R = np.array([[0.5, -1.0, 2.0, 0.25], [3.0, 0.0, -0.5, 1.5], [1.0, 4.0, -2.0, 0.75]])
L = np.array([2, 0, 3])

CASES, case = cases()

# Writes to parts -----------------------------------------------------------------------------------------------------------------


@case((A, X, 1), (A, X, 9), (A, X, -2), (A, X, 0))
def bounds_that_may_lie_outside(a, x, k):
    x, a = x.copy(), a.copy()
    x[k : k + 2] = 7.0
    x[:k] += 1
    a[1:k, 0] = x[0]
    a[:, k:] *= 2
    return x, a


@case((X, 2), (X, 1), (X, 7))
def slices_with_steps(x, k):
    x = x.copy()
    x[::2] = 3.0
    x[1::3] *= 2
    x[::k] -= 1
    x[::-1] = x.copy()
    return x


@case((A,))
def slices_with_steps_inside(a):
    a = a.copy()
    a[1::2, ::2] = 1
    a[::2, 1::2] += a[::2, ::2]
    return a


@case((A, X), (A, X + 2))
def several_targets(a, x):
    a, x = a.copy(), x.copy()
    a[0] = a[-1] = a[1] + 1
    x[0] = x[-1] = np.sum(x)
    y = x[1] = x[2] * 2
    x[1] += 1
    return a, x, y


@case((A,))
def parts_of_parts(a):
    a = a.copy()
    a[1][0] += 3
    a[0][1:] = a[1, 1:]
    a[1:][:, 0] -= 1
    a[1:, 1:][a[1:, 1:] > 1] = 0
    return a


@case((X, np.array([2, 3, 1])), (X, np.array([0, 0, 4])))
def values_of_the_array_that_is_written(x, i):
    x, k = x.copy(), i.copy()
    x[i] = x[1:4]
    np.add.at(x, i, x[1:4])
    k[np.array([0, 1])] = k[1:3]
    return x, k


# Indices with arrays -------------------------------------------------------------------------------------------------------------


@case((R, L), (R, L[::-1]))
def elements_of_several_dimensions(a, j):
    n = len(j)
    return a[np.arange(n), j], a[:, j], a[:, [0, -1]], a[j % 3, 0], a[1:, j], a[(j % 3)[:, None], j], a[np.arange(n)[:, None], j[:2]]


@case((T, np.array([1, 0])), (T, np.array([-1, 1])))
def elements_between_others(t, i):
    return t[:, i, i], t[i, :, i], t[0, i], t[:, :, i], t[i, 1:, 0]


@case((R, L))
def writes_of_several_dimensions(a, j):
    a = a.copy()
    n = a.shape[0]
    a[np.arange(n), j] = 9
    a[np.arange(n), j] -= 1
    a[:, [0, -1]] = a[:, [-1, 0]]
    a[[0, -1], 1:] = 5.0
    a[j % 3] = a[0]
    return a


@case((R, np.array([1, 0, 1])), (R, np.array([0, 0, 0])))
def masks_of_rows_and_columns(a, y):
    a = a.copy()
    a[y == 1, 0] = 3.0
    a[y == 0] -= 1.0
    a[:, a[0] > 0] *= 2
    a[a > 1] = a[a > 1] ** 2
    return a, a[y == 1, 1], a[:, a[1] > 0]


@case((A, 2), (A, 0))
def a_tuple_is_no_list(a, k):
    place = k, 1
    return a[place], a[[k, 1]]


# Calls that write ----------------------------------------------------------------------------------------------------------------


def _halved(x, y, c):
    y[1:-1] = x[1:-1] * c


def _counted(x):
    x += 1
    return x.sum()


def _exchanged(x, i, j):
    x[i], x[j] = x[j], x[i]


def _relaxed(p, b, n):
    for _ in range(n):
        q = p.copy()
        p[1:-1] = 0.5 * (q[2:] + q[:-2]) - b[1:-1]
        _halved(p, b, 0.25)


def _same(x, k):
    return x, k


@case((X, Y))
def procedures(x, y):
    x, y = x.copy(), y.copy()
    b = np.zeros_like(x)
    for _ in range(3):
        _halved(x, b, 0.1)
        _relaxed(y, b, 2)
        x[1:-1] += y[1:-1]
    _counted(b * 2)
    return x, y, b


@case((X,))
def results_of_procedures(x):
    a = x.copy()
    s = _counted(a)
    t = _counted(x)
    return s, t, a, x


@case((X,), (np.array([3.0, 1.0, 2.0]),))
def sorts_by_exchanges(x):
    x = x.copy()
    for i in range(len(x)):
        for j in range(0, len(x) - i - 1):
            if x[j] > x[j + 1]:
                _exchanged(x, j, j + 1)
    return x


@case((X, Y))
def results_go_to_arrays(x, y):
    x, y = x.copy(), y.copy()
    np.add(x, y, out=y)
    np.negative(x, x)
    np.multiply(x, y, out=x[:])
    np.copyto(y, 3.0)
    return x, y


def _named_like_the_caller(pos):
    x = pos[:, 0:1]
    return x.T - x


@case((R,))
def names_of_called_functions(x):
    return _named_like_the_caller(x) + x[0, 0]


@case((X, 2), (X, 0))
def calls_in_bounds(x, r):
    def low(i, r):
        if r > i:
            return 0
        return i - r

    total = 0.0
    for i in range(len(x)):
        for j in range(low(i, r), i):
            total += x[j]
    return total


# Loops ---------------------------------------------------------------------------------------------------------------------------


@case((X, 3), (X, 0), (X, 1))
def sizes_that_change(x, n):
    y, z = x, np.zeros(0)
    for i in range(n):
        y = y[1:] - y[:-1]
        z = np.append(z, x[i])
    return y, z


@case((X,), (X[:1],))
def sizes_until_one(x):
    while len(x) > 1:
        x = x[::2]
    return x


@case((X, 3), (X, 1))
def first_values_in_a_loop(x, n):
    for i in range(n):
        y = x * i
        for j in range(2):
            t = y.sum() + j
    return y, t


@case((X,))
def goes_over_what_was_there(x):
    t = x.copy()
    for v in x:
        x = x + v
    for v in np.sort(t):
        t[0] += v
    return x, t


@case((X, A))
def goes_over_what_it_writes(x, a):
    x, a = x.copy(), a.copy()
    s = 0.0
    for i, v in enumerate(x):
        x[-1] += v
        x[i] = 0
        s += v
    for v in x:
        x += v
        s += v
    for row in a:
        a[-1] += row
    return x, s, a


@case((X,), (X * 1e-9,))
def compared_only(x):
    change = 1
    n = 0
    while change > 1e-3:
        y = x * 0.5
        change = np.abs(x - y).max()
        x = y
        n += 1
    return n, x


@case((R,))
def over_all_indices(a):
    s = 0.0
    for i, j in np.ndindex(a.shape):
        s += a[i, j] * i
    for place in np.ndindex(a.shape):
        s = s * 0.5 + a[place]
    for (i, j), v in np.ndenumerate(a):
        s += v * j
    for x, y, z, w in a:
        s += x * y - z * w
    return s


@case((X, Y))
def comprehensions(x, y):
    f = lambda t: t**2 - 2  # noqa: E731
    n = len(x)
    return (
        np.array([np.sum((x - v) ** 2) for v in y]), np.array([[i * j for j in range(n)] for i in range(n)]), np.array([a * b for a, b in zip(x, y)]),
        np.array([i * v for i, v in enumerate(x)]), f(x), np.array(list(map(np.abs, [1.5, -2.5]))),
    )  # fmt: skip


@case((B, ~B))
def sums_of_truth_values(b, c):
    return sum([b, c]), sum(np.roll(b, i) for i in (-1, 0, 1) if i != 0)


@case((X, 3), (X, 4), (X, 0))
def arrays_that_change_places(x, n):
    u, w, c = x.copy(), np.zeros_like(x), x * 3
    for _ in range(n):
        w[1:-1] = 0.5 * (u[2:] + u[:-2])
        u, w = w, u
    a, b = u.copy(), u * 2
    for _ in range(n):
        c[1:-1] = 2 * b[1:-1] - a[1:-1]
        a, b, c = b, c, a
    return u, w, a, b, c


@case((R, 2), (R, 1))
def windows_as_rows(a, k):
    h, w = a.shape
    out = np.zeros(((h - k + 1) * (w - k + 1), k * k))
    r = 0
    for i in range(h - k + 1):
        for j in range(w - k + 1):
            out[r] = a[i : i + k, j : j + k].ravel()
            r += 1
    return out


@case((R,), (R - 9,))
def places_of_a_matrix(a):
    i, j = np.where(a > 0.5)
    return i, j, a[i, j], len(np.nonzero(a > 0.3)[0]), a[np.where(a > 0.7)], complex(a[0, 0], 1.0)


# Grids and borders ---------------------------------------------------------------------------------------------------------------


@case((X, Y[:3]))
def grids(x, y):
    i, j = np.mgrid[0:3, 1:5]
    p, q = np.ogrid[-1:1:3j, 0:2]
    return (*np.meshgrid(x, y), *np.meshgrid(x, y, indexing="ij"), i, j, p * q, np.unravel_index(7, (3, 4)), *np.indices((2, 3)))


@case((R, 1), (R[:, :3], -1), (R[:1], 0))
def triangles_by_index(a, k):
    b = a.copy()
    i, j = np.tril_indices(3, -1, 4)
    b[np.triu_indices_from(a, k)] = 0.0
    return a[np.triu_indices(len(a), k)], np.tril_indices_from(a, k), i * 10 + j, b, np.triu_indices(k), a[:1, :1][np.diag_indices(1)]


@case((X, R, 1, np.array([0, -1])), (X, R, -2, np.array([], dtype=np.int64)), (X, R, 0, np.array([1, 1, 0], dtype=np.int32)))
def left_out(x, a, k, places):
    return np.delete(x, k), np.delete(x, 2), np.delete(x, -1), np.delete(x, places), np.delete(a, k, 0), np.delete(a, places, axis=1), np.delete(a, k, axis=1), np.delete(a, 5)


@case((X, R))
def borders(x, a):
    return (
        np.pad(x, 2), np.pad(x, (1, 2), mode="edge"), np.pad(a, 1, mode="reflect"), np.pad(a, ((1, 0), (0, 2)), constant_values=7), np.pad(x, 2, "wrap"),
        np.tile(x, (2, 1)), np.tile(a, (2, 3)), np.repeat(a, 2, axis=0), np.repeat(a, 2, axis=1), np.repeat(x, [0, 1, 2, 1, 0]), np.append(x, 1.0),
        np.diag(x, 1), np.diag(x, k=-2), np.diag(a, 1), np.eye(2, 4, k=1), np.lib.stride_tricks.sliding_window_view(x, 3), np.r_[x, 2.0], np.c_[x, x],
    )  # fmt: skip


@case((2.0, 5), (-1.5, 1))
def numbers_at_distances(a, n):
    return (
        np.linspace(0, a, n), np.linspace(0, 1, num=4, endpoint=False), np.linspace(0, a, 3, dtype=np.int64), np.arange(0.0, 1.0, 0.3), np.arange(5, dtype=float),
        np.arange(1, a, 0.5), len(np.linspace(1, a)),
    )  # fmt: skip


# Statistics, sets, products ------------------------------------------------------------------------------------------------------


@case((X, Y, K))
def statistics(x, y, k):
    h, e = np.histogram(x, 4)
    w, _ = np.histogram(x, bins=3, range=(-1, 2), weights=y)
    u, c = np.unique(k, return_counts=True)
    _, inverse = np.unique(k, return_inverse=True)
    return (
        h, e, w, u, c, inverse, np.histogram(x, np.array([-3.0, 0.0, 1.0, 4.0]))[0], np.average(x), np.average(x, weights=np.abs(y)), np.percentile(x, [10, 50]),
        np.bincount(np.abs(k), weights=x), np.cov(x, y), np.corrcoef(x, y), np.argmax(x > 1),
    )  # fmt: skip


@case((K, np.array([3, 3, 7, 0])))
def sets(k, j):
    return np.intersect1d(k, j), np.union1d(k, j), np.setdiff1d(k, j), np.isin(k, j), np.array_equal(k, j), np.array_equal(k, k + 0), np.take(k, [0, -1])


@case((T, R, X[:4], S))
def products_of_more_dimensions(t, a, x, s):
    return (
        t @ x, t @ a.T, t @ np.swapaxes(t, 1, 2), np.dot(t, [1.0, 2.0, 3.0, 4.0]), np.tensordot(t, a, axes=2), np.tensordot(t, a, axes=([1, 2], [0, 1])), np.dot(x, 2.0),
        t.sum(axis=(0, 2)), t.max(axis=(0, 2)), np.sort(t, axis=0), np.cumsum(t, axis=1), np.cumsum([1, 2], dtype=float), np.cross(x[:3], s[0]), np.polyval(x, 2.0),
        np.logical_and.reduce(a > -1, axis=-1), np.add.reduce(a), np.vander(x, 3), np.gradient(x),
    )  # fmt: skip


@case((X, Y))
def convolutions_with_modes(x, y):
    return np.convolve(x, y[:3], "same"), np.convolve(x[:2], y, mode="valid"), np.correlate(x, y[:3]), np.correlate(x, y, "full")


@case((X,))
def transforms(x):
    z = np.fft.fft(x)
    return np.abs(z), np.fft.ifft(z).real, np.exp(-2j * np.pi * np.arange(4) / 4), z * np.conj(z) > 1.0, z <= z[::-1]


# Integers ------------------------------------------------------------------------------------------------------------------------


@case((K, U8, 5, 3), (K, U8, -7, 0))
def shifts(k, u, n, j):
    return k << 2, k >> 1, u << 1, u >> 3, n << j, n >> j, ~n & 0xFF, (n >> 1) ^ 21


@case((3, 4), (-2, 5), (7, 0))
def powers(a, b):
    return a**b, 2**b


@case((NAN, X))
def choices(x, y):
    return np.select([np.isnan(x), x > 1], [y, x], -1.0), x.flat[2], np.atleast_2d(y) * 2, y.reshape(y.shape[:-1] + (-1,))
