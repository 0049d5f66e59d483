"""Linear algebra."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from jaxtyping import Array, Bool, Complex128, Float, Float32, Int, Int32, UInt8


def matrix_vector(a: Float[Array, "n m"], x: Float[Array, "m"]):
    return a @ x


def gram(a: Float[Array, "n m"]):
    return a.T @ a


def power_iteration(a: Float[Array, "n n"], steps: int):
    """The dominant eigenvalue."""
    v = np.ones(a.shape[0])
    for _ in range(steps):
        w = a @ v
        v = w / np.sqrt(np.sum(w * w))
    return v @ a @ v


def forward_substitution(l: Float[Array, "n n"], b: Float[Array, "n"]):
    n = len(b)
    x = np.zeros(n)
    for i in range(n):
        x[i] = (b[i] - np.dot(l[i, :i], x[:i])) / l[i, i]
    return x


def gaussian_elimination(a: Float[Array, "n n"], b: Float[Array, "n"]):
    """Solves with pivoting by rows."""
    a = a.copy()
    b = b.copy()
    n = len(b)
    for k in range(n):
        p = k + np.argmax(np.abs(a[k:, k]))
        if p != k:
            t = a[k].copy()
            a[k] = a[p]
            a[p] = t
            s = b[k]
            b[k] = b[p]
            b[p] = s
        for i in range(k + 1, n):
            f = a[i, k] / a[k, k]
            a[i, k:] -= f * a[k, k:]
            b[i] -= f * b[k]
    x = np.zeros(n)
    for i in range(n - 1, -1, -1):
        x[i] = (b[i] - a[i, i + 1 :] @ x[i + 1 :]) / a[i, i]
    return x


def cholesky(a: Float[Array, "n n"]):
    """The lower factor."""
    n = a.shape[0]
    l = np.zeros((n, n))
    for i in range(n):
        for j in range(i + 1):
            s = a[i, j] - np.sum(l[i, :j] * l[j, :j])
            if i == j:
                l[i, i] = np.sqrt(s)
            else:
                l[i, j] = s / l[j, j]
    return l


def gram_schmidt(a: Float[Array, "n m"]):
    """Orthonormal columns."""
    q = np.zeros_like(a)
    for j in range(a.shape[1]):
        v = a[:, j]
        for i in range(j):
            v = v - np.dot(q[:, i], a[:, j]) * q[:, i]
        q[:, j] = v / np.linalg.norm(v)
    return q


def conjugate_gradient(a: Float[Array, "n n"], b: Float[Array, "n"], steps: int):
    x = np.zeros_like(b)
    r = b - a @ x
    p = r
    rs = r @ r
    for _ in range(steps):
        if rs < 1e-20:
            break
        ap = a @ p
        alpha = rs / (p @ ap)
        x = x + alpha * p
        r = r - alpha * ap
        new = r @ r
        p = r + new / rs * p
        rs = new
    return x


def pairwise_distances(x: Float[Array, "n d"], y: Float[Array, "m d"]):
    """Euclidean distances of all pairs."""
    d = x[:, None, :] - y[None, :, :]
    return np.sqrt((d**2).sum(axis=-1))


def outer_sum(x: Float[Array, "n"], y: Float[Array, "m"]):
    return x[:, np.newaxis] + y


def normalise_rows(a: Float[Array, "n m"]):
    return a / np.linalg.norm(a, axis=1)[:, None]


def rotation(theta: float, points: Float[Array, "n 2"]):
    """Turns points in the plane."""
    c, s = np.cos(theta), np.sin(theta)
    r = np.array([[c, -s], [s, c]])
    return points @ r.T


def trace_of_product(a: Float[Array, "n m"], b: Float[Array, "m n"]):
    return np.trace(a @ b)


def solve_twice(a: Float[Array, "n n"], b: Float[Array, "n"]):
    x = np.linalg.solve(a, b)
    return np.linalg.solve(a, x)


def bilinear_form(x: Float[Array, "n"], a: Float[Array, "n m"], y: Float[Array, "m"]):
    return np.einsum("i,ij,j->", x, a, y)


def batched_product(a: Float[Array, "k n m"], b: Float[Array, "k m p"]):
    return np.einsum("bij,bjk->bik", a, b)


def spectral_radius(a: Float[Array, "n n"]):
    """Needs eigenvalues of a general matrix."""
    return np.max(np.abs(np.linalg.eigvals(a)))
