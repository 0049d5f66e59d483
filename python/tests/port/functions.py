"""One function for each function of NumPy that `remora.port.arrays` reads, with arguments."""

from __future__ import annotations

import math

import numpy as np

from .meaning import A, F32, I32, K, NAN, S, TIES, U8, B, X, Y, cases

T = np.arange(24.0).reshape(2, 3, 4)
D = np.array([[4.0, 1.0, 0.5], [1.0, 3.0, -1.0], [0.5, -1.0, 5.0]])
Z = X + 1j * Y
P = np.array([0.0, 1.0, 2.5, 4.0])

CASES, case = cases()


@case((T,))
def reshapes(t):
    return t.reshape(6, 4), t.reshape(-1), np.reshape(t, (4, 6)), t.reshape(2, 12), t.reshape(4, 3, 2), t.reshape((-1, 4))


@case((A, 3, 4), (A, 2, 6))
def reshaped_by_numbers(a, p, q):
    return a.reshape(p, q), a.T.reshape(q, p)


@case((A, 5, 2))
def reshaped_to_too_few(a, p, q):
    return a.reshape(p, q)


@case((A, 3), (A, 6), (A, 5))
def reshaped_with_a_free_size(a, p):
    return a.reshape(p, -1)


@case((S[:2],))
def reshaped_and_back(a):
    n, m = a.shape
    return a.reshape(n * m).reshape(n, m), a.reshape(m, n)


@case((T,))
def permuted(t):
    return t.transpose(2, 0, 1), np.transpose(t, (1, 0, 2)), t.T, np.swapaxes(t, 0, 2), t.swapaxes(1, 2), np.moveaxis(t, 0, 2), np.moveaxis(t, 2, 0)


@case((A,))
def squeezed(a):
    return np.squeeze(a[:1], axis=0), a[:1].squeeze(axis=0), np.squeeze(a[:, :1], axis=1), np.expand_dims(a, 0).shape[0], np.expand_dims(a[0], axis=1) + a[0]


@case((A,))
def flips(a):
    return np.flip(a), np.flip(a, axis=0), np.flip(a, 1), np.flipud(a), np.fliplr(a), np.rot90(a)


@case((A, A * 2, X[:4], Y[:3]))
def joins(a, b, x, y):
    return (
        np.concatenate((a, b)), np.concatenate((a, b), axis=1), np.vstack((a, x)), np.hstack((a, b)), np.vstack((x, x)),
        np.concatenate((x, y)), np.hstack((x, y)), np.concatenate((a, y[:, None]), axis=1), np.concatenate((a[:1], b, a)),
    )  # fmt: skip


@case((X, Y, K))
def stacks(x, y, k):
    return np.stack((x, y)), np.stack([x, y], axis=1), np.column_stack((x, y)), np.stack((x, k), axis=-1), np.stack((x, y, x))


@case((X, 3), (X, 0), (X, 1))
def copies(x, k):
    return np.tile(x, 2), np.repeat(x, 3), x.repeat(2)


@case((X, 2), (X, 0), (X, -1))
def copies_of_a_number(x, k):
    return np.tile(x, k)


@case((S, X, K))
def diagonals(a, x, k):
    return np.diag(a), np.diag(x), np.diag(k), np.diagonal(a), np.trace(a)


@case((A, 1), (A, -1), (A, 0))
def triangles(a, k):
    return np.triu(a), np.tril(a), np.triu(a, k), np.tril(a, k=-1), np.triu(a, 1)


@case((S, A, X[:3], X[:4]))
def einsums(s, a, x, y):
    return (
        np.einsum("ij,jk->ik", s, a), np.einsum("ij,j->i", a, y), np.einsum("i,ij,j->", x, a, y), np.einsum("ii->", s), np.einsum("ii->i", s),
        np.einsum("ij->ji", a), np.einsum("i,j->ij", x, y), np.einsum("ij,ij->", a, a), np.einsum("ij->", a), np.einsum("ij,kj->ik", a, a),
        np.einsum("ij,i->j", a, x), np.einsum("ij,jk", s, a), np.einsum("ij,ij->i", s, s.T),
    )  # fmt: skip


@case((K, K))
def einsum_of_integers(i, j):
    return np.einsum("i,i->", i, j), np.einsum("i,j->ji", i, j)


@case((X, Y, K, S, S.T))
def products(x, y, k, a, b):
    return np.inner(x, y), np.vdot(x, y), np.inner(x, k), np.kron(a, b), np.add.outer(x, y), np.subtract.outer(x, k)


@case((X, Y[:2]), (X[:2], Y), (X, Y), (K, K[:2]))
def convolutions(x, y):
    return np.convolve(x, y)


@case((0,), (1,), (2,), (7,))
def windows(n):
    return np.hanning(n), np.hamming(n), np.blackman(n), np.bartlett(n)


@case((X, Y, K), (NAN, Y, K))
def elementwise(x, y, k):
    return np.radians(x), np.rad2deg(x), np.sinc(x), np.fmod(x, y), np.logaddexp(x, y), np.copysign(x, y), np.heaviside(x, 0.5), np.nan_to_num(x), np.copysign(y, k)


@case((np.array([1.0, -0.25, 3.0]),))
def reciprocals(x):
    return np.reciprocal(x)


@case((np.array([0.5, 1.5, -2.5, 1.23456, -7.7]), K))
def rounds(x, k):
    return np.round(x), np.round(x, 2), np.around(x), x.round(1), np.round(k)


@case((F32,))
def rounds_of_float32(x):
    return np.round(x), np.radians(x), np.nansum(x)


@case((X, X + 1e-12), (X, Y), (NAN, NAN))
def closeness(x, y):
    return np.isclose(x, y), np.allclose(x, y), np.isclose(x[0], y[0])


@case((Z,))
def parts(z):
    return np.real(z), np.imag(z), np.conj(z), np.angle(z), z.real, z.imag, z.conj()


@case((X,))
def parts_of_real_numbers(x):
    return x.real + 1, np.conj(x)


@case((NAN,), (X,))
def nan_reductions(x):
    return np.nansum(x), np.nanmean(x), np.nanmax(x), np.nanmin(x), np.nanstd(x), np.nanvar(x), np.nanprod(x)


@case((np.array([[np.nan, 1.0, 2.0], [3.0, np.nan, np.nan]]),))
def nan_reductions_of_axes(a):
    return np.nansum(a, axis=0), np.nanmean(a, axis=1), np.nanmax(a), np.nanmin(a, axis=1), np.nanmedian(a)


@case((TIES, K, U8, A))
def uniques(x, k, u, a):
    return np.unique(x), np.unique(k), np.unique(u), np.unique(a)


@case((P, X, 1.0), (P, NAN, 2.5))
def searches(p, x, v):
    return np.searchsorted(p, x), np.searchsorted(p, x, side="right"), np.searchsorted(p, v)


@case((X, P, P**2), (np.array([[0.5, 9.0], [-1.0, 2.5]]), P, P * 2))
def interpolations(x, xp, fp):
    return np.interp(x, xp, fp)


@case((X, P, P**2))
def integrals(y, x, f):
    return np.trapezoid(y), np.trapezoid(y, dx=0.5), np.trapezoid(f, x), np.trapezoid(f, x=x)


@case((np.array([0, 3, 3, 1]), 2), (np.array([0, 3, 3, 1]), 10), (np.array([0, 3, -3, 1]), 2))
def counts(k, least):
    return np.bincount(k), np.bincount(k, minlength=6), np.bincount(k, minlength=least)


@case((np.zeros(0, dtype=np.int64),), (np.array([0]),), (np.array([5, 5]),))
def counts_of_few(k):
    return np.bincount(k)


@case((U8, I32 % 7))
def counts_of_other_types(u, i):
    return np.bincount(u, minlength=256), np.bincount(i)


@case((X, B))
def places(x, b):
    return np.where(x > 0)[0], np.nonzero(b)[0], b.nonzero()[0], np.flatnonzero(x)


@case((X, K, A), (NAN, K, A))
def accumulated(x, k, a):
    return np.maximum.accumulate(x), np.minimum.accumulate(k), np.add.accumulate(x), np.maximum.accumulate(a, axis=1), np.maximum.accumulate(a), np.add.reduce(x), np.maximum.reduce(x)


@case((D, X[:3], A))
def linear_algebra(d, x, a):
    return np.linalg.solve(d, x), np.linalg.solve(d, a), np.linalg.inv(d), np.linalg.det(d), np.linalg.cholesky(d), np.linalg.eigvalsh(d), np.linalg.matrix_power(d, 3)


@case((np.ones((3, 3)), X[:3]))
def singular_matrix(d, x):
    return np.linalg.solve(d, x)


@case((-D,))
def not_positive_definite(d):
    return np.linalg.cholesky(d)


@case((A,))
def not_square(a):
    return np.linalg.det(a)


@case((A, X))
def norms(a, x):
    return np.linalg.norm(a, axis=1), np.linalg.norm(a, axis=0), np.linalg.norm(x), np.linalg.norm(a), np.linalg.norm(a, axis=1, keepdims=True)


@case((2.5,), (-2.5,), (0.0,), (math.nan,), (3.5,))
def whole_numbers(x):
    return math.floor(x), math.ceil(x), int(x), round(x), math.trunc(x)


@case((0.5, -2.0), (-1.0, 3.0))
def functions_of_math(x, y):
    return math.erf(x), math.erfc(x), math.fabs(x), math.atan2(x, y), math.copysign(x, y), math.radians(x), math.degrees(y), math.isnan(x), math.isinf(y)


@case((5,), (0,))
def whole_numbers_of_integers(n):
    return int(n), math.floor(n), round(n)


@case((X, np.array([1, 1, 3, -1])))
def writes_to_places(x, k):
    x = x.copy()
    x[k] = 7.0
    x[k] += 1
    x[k] = x[k] * 2
    y = np.zeros(len(x))
    np.add.at(y, k, 2.0)
    np.add.at(y, k, x[k])
    np.subtract.at(y, k, 1)
    return x, y


@case((A, np.array([2, 0, 2]), X[:4]))
def writes_of_rows(a, k, row):
    a = a.copy()
    a[k] = row
    a[k] += 1
    a[k] = a[k][:, ::-1]
    return a


@case((X, K))
def writes_under_masks(x, k):
    x, k = x.copy(), k.copy()
    x[x > 0] += 1
    x[x > 1] = x[x > 1] * 2
    k[k == 2] *= 5
    k[k < 0] = 0
    return x, k


@case((X, np.array([5.0, 6.0])), (X, np.array([5.0, 6.0, 7.0])))
def writes_of_values_under_masks(x, v):
    x = x.copy()
    x[x > 0] = v
    return x


@case((TIES, A))
def sorts_in_place(x, a):
    x, a = x.copy(), a.copy()
    x.sort()
    a.sort()
    for i in range(2):
        x.fill(x[0] + i)
        a[0] = x[0]
    return x, a


@case((X, 3))
def fills_in_loops(x, n):
    x = x.copy()
    s = 0.0
    for i in range(n):
        np.add.at(x, np.array([0, 0, 1]), 1.0)
        x.sort()
        s += x[-1]
        x[:] = x[0]
    return x, s


@case((U8, K))
def complements(u, k):
    return ~u, ~k, ~(k > 0)


@case((X,))
def slices_of_one(x):
    return x[:1], np.concatenate((x[1:], x[:1])), x[-1:] + x, x[2:3] * 2, x[:1].sum(), len(x[1:2])


@case((A,))
def slices_of_one_row(a):
    return a[:1], a[:, :1], a[1:2] + a, a[:, -1:] * a, np.concatenate((a[-1:], a[:-1])), a[:1, 1:]


@case((A, np.array([[3, -1], [0, 7]])))
def all_elements_in_order(a, k):
    return np.sort(a, axis=None), np.sort(k, None), np.cumsum(a, axis=None), a[::-1].cumprod(axis=None)


@case((np.array([3, -1, 2], np.int8),), (np.array([3, 1, 2], np.uint8),), (np.array([3, -1, 2]),))
def types_of_integers(k):
    made = np.array([k[0], 1]), np.array([k[0], 1.5]), np.polyval(k, 2), np.vander(k, 2), np.r_[0, k], np.r_[k, 1.5]
    return made, np.nanmax(k), np.nansum(k), np.nanprod(k), np.nan_to_num(k), np.searchsorted([0, 2, 5], k)


@case((np.array([0.5, -1.0, 2.0], np.float32),))
def types_of_short_floats(x):
    return np.array([x[0], 1.5]), np.polyval(x, 2.0), np.vander(x, 2), np.r_[0, x], np.r_[x, 1.5], np.nanmax(x), np.percentile(x, 30)


@case((2, 3))
def grids_are_arrays(n, m):
    x, y = np.indices((n, m))
    g = np.mgrid[0:n, 0:m]
    return x + y, g, g[0] * g[1], np.mgrid[0:2, 0:3].shape, np.indices((n, m)).sum()


@case((X, 2), (S, 1))
def names_of_negative_numbers(x, k):
    i, last = -2, -1
    x = x.copy()
    x[last] += x[i]
    x[i:] *= 2
    t = np.stack([x, x * k])
    return x[last], x[i - 1 + k], x[i:], x[:last], x[i:last], t[last, 0], t[:, last]


# Other types and dimensions ------------------------------------------------------------------------------------------------------

T = np.arange(24.0).reshape(2, 3, 4)
SINGLE = np.array([0.5, -1.25, 3.0, 2.0], dtype=np.float32)
MISSING = np.array([[1.0, np.nan, 3.0, 5.0], [2.0, 3.0, np.nan, np.nan], [np.nan] * 4])


@case((np.array([250, 3, 0], dtype=np.uint8),), (np.array([2**63, 2**63 + 1], dtype=np.uint64),), (np.array([True, False, True]),), (np.array([-100, 100], dtype=np.int8),))
def running_sums_of_other_types(x):
    return np.cumsum(x), x.cumprod(), x.sum(), np.prod(x), np.cumsum(x, dtype=np.float64)


@case((np.array([True, False, True, False]),), (np.array([[True, False], [False, True], [False, False]]),))
def sorted_truth_values(b):
    c = b.copy()
    c.sort()
    return np.sort(b), np.argsort(b, kind="stable"), c, np.sort(b, axis=0)


@case((T, T[:, :2] + 0.5))
def joined_along_the_middle(t, u):
    return np.concatenate([t, u], axis=1), np.concatenate([t, t * 2], axis=2), np.concatenate([t, t], axis=-1), np.append(t, u, axis=1), np.hstack([t, u]), np.vstack([t, t]), np.dstack([t, t])


@case((T[0], T[1]))
def joined_matrices(a, b):
    return np.dstack([a, b]), np.concatenate([a[:, None], b[:, None]], axis=1), np.concatenate([a, b, a], axis=1)


@case((T, 2), (T.astype(int), -1))
def rolled_along_several(t, k):
    return np.roll(t, (1, k), axis=(0, 1)), np.roll(t, k, axis=(1, 2)), np.roll(t, k, axis=1), np.roll(t, (1, 1, k), axis=(0, 1, 2)), np.roll(t, k, axis=0)


@case((SINGLE, SINGLE[:3]), (SINGLE[:2], SINGLE), (np.array([1, 2, -3, 4]), np.array([2, 1])), (np.array([1, 2], dtype=np.int8), np.array([100, 100, 3], dtype=np.int8)))
def convolutions_of_other_types(x, y):
    return np.convolve(x, y), np.convolve(x, y, "same"), np.convolve(x, y, "valid"), np.correlate(x, y), np.correlate(x, y, "same"), np.correlate(x, y, "full")


@case((X, X[:2]), (X[:2], X), (X[:3], X[:4]), (X[:4], X[:3]), (X, X))
def correlations(x, y):
    return np.correlate(x, y), np.correlate(x, y, "same"), np.correlate(x, y, "full"), np.convolve(x, y, "same")


@case((SINGLE,), (np.array([250, 100, 3], dtype=np.uint8),), (np.array([2, 5, 3]),))
def areas_of_other_types(y):
    return np.trapezoid(y), np.trapezoid(y, dx=0.5), np.trapezoid(y, x=np.arange(len(y)))


@case((SINGLE, 0.5), (np.array([250, 100, 3], dtype=np.uint8), 2))
def slopes_of_other_types(y, h):
    return np.gradient(y), np.gradient(y, h)


@case((SINGLE, 5))
def steps_of_single_precision(x, n):
    return np.linspace(x[0], x[2], n), np.linspace(0, x[2], 3), np.linspace(x[1], 1.5, n, endpoint=False)


@case((MISSING,), (MISSING[:, 1:],))
def percentiles_without_nans(a):
    return np.nanpercentile(a, 30), np.nanpercentile(a, 30, axis=1), np.nanpercentile(a, [25, 75], axis=0), np.nanquantile(a, 0.5), np.nanmedian(a, axis=0), np.nanquantile(a[0], [0.1, 0.9])


@case((X, 2), (X, -1), (X, 0))
def an_element_in_its_place(x, k):
    return np.partition(x, k)[k], np.partition(x, 1)[1]


@case((X, np.array([1.0, 2.0, np.nan, 4.0])), (X, np.array([np.nan, 2.0, np.nan, 4.0])))
def interpolated_gaps(x, y):
    known, t = ~np.isnan(y), np.arange(len(y))
    y[~known] = np.interp(t[~known], t[known], y[known])
    return y, np.interp(x, t[known], y[known]), np.trapezoid(y[known], t[known])


@case((X, 0), (X, 1))
def rounded_numbers(x, i):
    return round(x[i]), round(x[i], 1), round(np.float32(2.5)), round(np.int64(7))


@case((X,), (X[:1],))
def covariance_of_one(x):
    return np.cov(x), np.corrcoef(x), np.cov(x * 2, x)


@case((np.array([1 + 2j, complex(np.nan, 0), complex(1, np.inf)]), X), (np.array([0j]), np.array([-0.0, 0.0, -2.0, np.nan])))
def tests_and_angles(z, x):
    return np.isnan(z), np.isinf(z), np.isfinite(z), np.angle(x), np.angle(z), np.imag(x), x.imag


@case((A, 0, 2), (A, 1, 1))
def rows_exchanged(a, i, j):
    a[i], a[j] = a[j].copy(), a[i].copy()
    a[[i, j]] = a[[j, i]]
    a[:, 0], a[:, 1] = a[:, 1] * 2, a[:, 0] + 1
    return a


@case((X, 3.0), (X, 100.0))
def found_or_not(x, v):
    for i in range(len(x)):
        if x[i] == v:
            k, twice = i, 2 * v
            break
    else:
        k = -1
        twice = 0.5
    return k, twice
