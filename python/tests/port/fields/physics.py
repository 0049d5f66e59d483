"""Physics and Monte Carlo."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from jaxtyping import Array, Bool, Complex128, Float, Float32, Int, Int32, UInt8

G = 6.674e-11


def kinetic_energy(m: Float[Array, "n"], v: Float[Array, "n 3"]):
    return 0.5 * np.sum(m * np.sum(v**2, axis=1))


def accelerations(p: Float[Array, "n 3"], m: Float[Array, "n"]):
    """Gravity of all bodies on all bodies."""
    d = p[None, :, :] - p[:, None, :]
    r2 = (d**2).sum(axis=2) + 0.01
    return (d * (m / r2**1.5)[:, :, None]).sum(axis=1)


def verlet(x: float, v: float, dt: float, steps: int):
    """A harmonic oscillator."""
    out = np.zeros(steps)
    a = -x
    for i in range(steps):
        x = x + v * dt + 0.5 * a * dt * dt
        new = -x
        v = v + 0.5 * (a + new) * dt
        a = new
        out[i] = x
    return out


def rk4_lorenz(state: Float[Array, "3"], dt: float, steps: int):
    """The Lorenz system by the method of Runge and Kutta."""

    def f(s):
        x, y, z = s[0], s[1], s[2]
        return np.array([10.0 * (y - x), x * (28.0 - z) - y, x * y - 8.0 / 3.0 * z])

    for _ in range(steps):
        k1 = f(state)
        k2 = f(state + dt / 2 * k1)
        k3 = f(state + dt / 2 * k2)
        k4 = f(state + dt * k3)
        state = state + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return state


def ising_energy(s: Int[Array, "n m"]):
    """The energy of spins on a torus."""
    return -np.sum(s * (np.roll(s, 1, axis=0) + np.roll(s, 1, axis=1)))


def gravity_force(m1: float, m2: float, r: Float[Array, "n"]):
    return G * m1 * m2 / r**2


def pi_estimate(x: Float[Array, "n"], y: Float[Array, "n"]):
    """The part of the points that lies in the circle."""
    inside = x * x + y * y <= 1
    return 4.0 * np.mean(inside)


def random_walk(steps: Float[Array, "n"]):
    """How far a walk gets, and when."""
    path = np.cumsum(np.where(steps < 0.5, -1, 1))
    return np.max(np.abs(path)), np.argmax(np.abs(path))


def metropolis(proposals: Float[Array, "n"], uniforms: Float[Array, "n"], x0: float):
    """Samples of a normal distribution."""
    x = x0
    out = np.zeros(len(proposals))
    accepted = 0
    for i in range(len(proposals)):
        candidate = x + proposals[i]
        ratio = np.exp(-0.5 * (candidate**2 - x**2))
        if uniforms[i] < ratio:
            x = candidate
            accepted += 1
        out[i] = x
    return out, accepted


def monte_carlo_integral(n: int, seed: int):
    """Draws numbers itself."""
    rng = np.random.default_rng(seed)
    x = rng.random(n)
    return np.mean(np.sin(x))


def mandelbrot(c: Complex128[Array, "n m"], limit: int):
    """When points leave the circle of radius 2."""
    z = np.zeros_like(c)
    count = np.zeros(c.shape, dtype=np.int64)
    for _ in range(limit):
        alive = np.abs(z) <= 2
        z = np.where(alive, z * z + c, z)
        count += alive
    return count


def projectile(v: float, angle: float, dt: float):
    """Where a stone comes down."""
    x, y = 0.0, 0.0
    vx, vy = v * np.cos(angle), v * np.sin(angle)
    n = 0
    while True:
        x += vx * dt
        y += vy * dt
        vy -= 9.81 * dt
        n += 1
        if y < 0 or n > 1000:
            break
    return x


def lennard_jones(r: Float32[Array, "n"], epsilon: float, sigma: float):
    """Single precision stays single precision."""
    s6 = (sigma / r) ** 6
    return 4 * epsilon * (s6 * s6 - s6)
