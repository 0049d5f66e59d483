"""Finite differences and simulation of physical fields."""

from __future__ import annotations

import numpy as np


def heat_step(u: Float64[Array, "n"], alpha: float):
    # The ends stay as they are.
    new = u.copy()
    new[1:-1] = u[1:-1] + alpha * (u[2:] - 2 * u[1:-1] + u[:-2])
    return new


def heat(u: Float64[Array, "n"], alpha: float, steps: int):
    u = u.copy()
    for _ in range(steps):
        u[1:-1] += alpha * (u[2:] - 2 * u[1:-1] + u[:-2])
    return u


def laplacian(u: Float64[Array, "n m"]):
    out = np.zeros_like(u)
    out[1:-1, 1:-1] = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4.0 * u[1:-1, 1:-1]
    return out


def upwind(q: Float64[Array, "n"], c: float):
    # Periodic advection; the speed is positive.
    return q - c * (q - np.roll(q, 1))


def lax_friedrichs(u: Float64[Array, "n"], dt: float, dx: float):
    f = 0.5 * u**2
    left, right = np.roll(u, 1), np.roll(u, -1)
    return 0.5 * (left + right) - dt / (2 * dx) * (np.roll(f, -1) - np.roll(f, 1))


def central_difference(y: Float64[Array, "n"], h: float):
    d = np.empty_like(y)
    d[1:-1] = (y[2:] - y[:-2]) / (2 * h)
    d[0] = (y[1] - y[0]) / h
    d[-1] = (y[-1] - y[-2]) / h
    return d


def total_variation(u: Float64[Array, "n"]):
    return np.abs(np.diff(u)).sum()


def wave(u: Float64[Array, "n"], v: Float64[Array, "n"], c: float, steps: int):
    prev, cur = u, v
    for _ in range(steps):
        nxt = 2 * cur - prev + c * c * (np.roll(cur, 1) - 2 * cur + np.roll(cur, -1))
        prev, cur = cur, nxt
    return cur


def divergence(vx: Float64[Array, "n m"], vy: Float64[Array, "n m"], h: float):
    return (np.roll(vx, -1, axis=1) - np.roll(vx, 1, axis=1)) / (2 * h) + (np.roll(vy, -1, axis=0) - np.roll(vy, 1, axis=0)) / (2 * h)


def thomas(a: Float64[Array, "n"], b: Float64[Array, "n"], c: Float64[Array, "n"], d: Float64[Array, "n"]):
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
    x[n - 1] = dp[n - 1]
    for i in range(n - 2, -1, -1):
        x[i] = dp[i] - cp[i] * x[i + 1]
    return x


def gauss_seidel(u: Float64[Array, "n m"], sweeps: int):
    u = u.copy()
    n, m = u.shape
    for _ in range(sweeps):
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                u[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])
    return u


def advance_in_place(x: Float64[Array, "n"], v: Float64[Array, "n"], dt: float):
    x += v * dt
    v *= 0.99


def leapfrog(x: float, v: float, dt: float, steps: int):
    for _ in range(steps):
        v = v - 0.5 * dt * x
        x = x + dt * v
        v = v - 0.5 * dt * x
    return x, v


def runge_kutta(y: Float64[Array, "n"], dt: float):
    def f(s):
        return -s + np.sin(s)

    k1 = f(y)
    k2 = f(y + 0.5 * dt * k1)
    k3 = f(y + 0.5 * dt * k2)
    k4 = f(y + dt * k3)
    return y + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


def lorenz(x: float, y: float, z: float, steps: int, dt=0.01, sigma=10.0, rho=28.0):
    beta = 8 / 3
    for _ in range(steps):
        dx = sigma * (y - x)
        dy = x * (rho - z) - y
        dz = x * y - beta * z
        x, y, z = x + dt * dx, y + dt * dy, z + dt * dz
    return np.array([x, y, z])


def n_body_forces(pos: Float64[Array, "n 3"], mass: Float64[Array, "n"]):
    d = pos[None, :, :] - pos[:, None, :]
    r2 = (d**2).sum(axis=2) + 1e-3
    return (mass[None, :, None] * d / r2[:, :, None] ** 1.5).sum(axis=1)


def kinetic_energy(v: Float64[Array, "n k"], m: Float64[Array, "n"]):
    return 0.5 * np.sum(m * np.sum(v**2, axis=1))


def centre_of_mass(p: Float64[Array, "n k"], m: Float64[Array, "n"]):
    return (p * m[:, None]).sum(axis=0) / m.sum()


def lennard_jones(r: Float64[Array, "n"], eps: float, sigma: float):
    s6 = (sigma / r) ** 6
    return 4 * eps * (s6 * s6 - s6)


def ising_energy(spins: Int64[Array, "n m"]):
    return -np.sum(spins * np.roll(spins, 1, axis=0)) - np.sum(spins * np.roll(spins, 1, axis=1))
