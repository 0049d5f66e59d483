"""Finite differences and partial differential equations."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from jaxtyping import Array, Bool, Complex128, Float, Float32, Int, Int32, UInt8


def first_difference(x: Float[Array, "n"]):
    """Differences of neighbours."""
    return x[1:] - x[:-1]


def second_derivative(u: Float[Array, "n"], h: float):
    """The second derivative at the inner points."""
    return (u[2:] - 2 * u[1:-1] + u[:-2]) / h**2


def heat_step(u: Float[Array, "n"], k: float):
    """One explicit step of the heat equation; the ends stay."""
    new = u.copy()
    # inner points only
    new[1:-1] = u[1:-1] + k * (u[2:] - 2 * u[1:-1] + u[:-2])
    return new


def heat(u: Float[Array, "n"], k: float, steps: int):
    """A number of steps in place."""
    u = u.copy()
    for _ in range(steps):
        u[1:-1] = u[1:-1] + k * (u[2:] - 2 * u[1:-1] + u[:-2])
    return u


def laplacian(a: Float[Array, "n m"]):
    """The five-point Laplacian with zeros at the border."""
    out = np.zeros_like(a)
    out[1:-1, 1:-1] = a[2:, 1:-1] + a[:-2, 1:-1] + a[1:-1, 2:] + a[1:-1, :-2] - 4.0 * a[1:-1, 1:-1]
    return out


def jacobi(a: Float[Array, "n m"], b: Float[Array, "n m"], tolerance: float, limit: int):
    """Jacobi iteration until the largest change is small."""
    n_iter = 0
    change = np.inf
    while change > tolerance and n_iter < limit:
        new = a.copy()
        new[1:-1, 1:-1] = 0.25 * (a[2:, 1:-1] + a[:-2, 1:-1] + a[1:-1, 2:] + a[1:-1, :-2] - b[1:-1, 1:-1])
        change = np.max(np.abs(new - a))
        a = new
        n_iter += 1
    return a, n_iter


def gauss_seidel_sweep(a: Float[Array, "n m"]):
    """One sweep, which uses new values as soon as they are there."""
    a = a.copy()
    n, m = a.shape
    for i in range(1, n - 1):
        for j in range(1, m - 1):
            a[i, j] = 0.25 * (a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1])
    return a


def periodic_gradient(u: Float[Array, "n"], dx: float):
    """Central differences on a circle."""
    return (np.roll(u, -1) - np.roll(u, 1)) / (2 * dx)


def upwind(u: Float[Array, "n"], c: float, steps: int):
    """Advection on a circle."""
    for _ in range(steps):
        u = u - c * (u - np.roll(u, 1))
    return u


def divergence(u: Float[Array, "n m"], v: Float[Array, "n m"]):
    """The divergence of a vector field at inner points."""
    du = (u[2:, 1:-1] - u[:-2, 1:-1]) / 2
    dv = (v[1:-1, 2:] - v[1:-1, :-2]) / 2
    return du + dv


def thomas(a: Float[Array, "n"], b: Float[Array, "n"], c: Float[Array, "n"], d: Float[Array, "n"]):
    """A tridiagonal system."""
    n = len(d)
    cp = np.zeros(n)
    dp = np.zeros(n)
    cp[0] = c[0] / b[0]
    dp[0] = d[0] / b[0]
    for i in range(1, n):
        m = b[i] - a[i] * cp[i - 1]
        cp[i] = c[i] / m
        dp[i] = (d[i] - a[i] * dp[i - 1]) / m
    x = np.zeros(n)
    x[-1] = dp[-1]
    for i in range(n - 2, -1, -1):
        x[i] = dp[i] - cp[i] * x[i + 1]
    return x


def leapfrog_wave(u: Float[Array, "n"], v: Float[Array, "n"], c: float, steps: int):
    """The wave equation, three levels of time."""
    before = u
    now = v
    for _ in range(steps):
        after = np.zeros(len(u))
        after[1:-1] = 2 * now[1:-1] - before[1:-1] + c**2 * (now[2:] - 2 * now[1:-1] + now[:-2])
        before, now = now, after
    return now
