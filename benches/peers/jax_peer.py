"""The programs in JAX on the processor: whole arrays under `jit`, loops by `lax`. Arguments are put on the device before the
measurement, and a result is waited for."""

import os

os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax
import jax.numpy as jnp
from jax import lax

jax.config.update("jax_enable_x64", True)

PROGRAMS = {}
STATIC = {"mandelbrot": (0, 1)}  # arguments that decide about shapes


def program(function):
    PROGRAMS[function.__name__] = jax.jit(function, static_argnums=STATIC.get(function.__name__, ()))
    return function


def prepare(name, arguments):
    """The function, its arguments, and what has to be done to its result before it is there."""
    static = STATIC.get(name, ())
    placed = [int(a) if i in static else jax.device_put(jnp.asarray(a)) for i, a in enumerate(arguments)]
    return PROGRAMS[name], jax.block_until_ready(placed), jax.block_until_ready


@program
def chain(x, y, a):
    return jnp.sqrt(x * x + y * y) * a + (1 - a) * jnp.abs(x - y) / (1 + x)


def normal(d):
    q = 1 / (1 + 0.2316419 * jnp.abs(d))
    p = q * (0.31938153 + q * (-0.356563782 + q * (1.781477937 + q * (-1.821255978 + q * 1.330274429))))
    w = 1 - 0.39894228040143267794 * jnp.exp(-0.5 * d * d) * p
    return jnp.where(d < 0, 1 - w, w)


@program
def blackscholes(s, k, t, rate, vol):
    spread = vol * jnp.sqrt(t)
    d1 = (jnp.log(s / k) + (rate + 0.5 * vol * vol) * t) / spread
    paid = k * jnp.exp(-rate * t)
    call = s * normal(d1) - paid * normal(d1 - spread)
    return call, call - s + paid


@program
def meanvar(x):
    mean = jnp.mean(x)
    return mean, jnp.mean((x - mean) ** 2)


@program
def softmax(x):
    return jax.nn.softmax(x, axis=1)


@program
def matmul(a, b):
    return a @ b


@program
def atax(a, x):
    return a @ x, x @ a


@program
def kmeans(points, centres):
    # exact in these coordinates, and a product of matrices
    squares = (points**2).sum(1)[:, None] + (centres**2).sum(1)[None, :] - 2 * (points @ centres.T)
    near = jnp.argmin(squares, axis=1)
    mine = jax.nn.one_hot(near, len(centres), dtype=points.dtype)
    members = mine.sum(0)[:, None]
    return near, jnp.where(members > 0, (mine.T @ points) / jnp.maximum(members, 1), centres)


@program
def mriq(kx, ky, kz, x, y, z, phi_r, phi_i):
    magnitude = phi_r**2 + phi_i**2

    def voxel(x, y, z):
        angle = jnp.float32(2 * jnp.pi) * (x * kx + y * ky + z * kz)
        return (jnp.cos(angle) * magnitude).sum(), (jnp.sin(angle) * magnitude).sum()

    return jax.vmap(voxel)(x, y, z)


@program
def nbody(p, v, m, dt):
    def pull(here):
        d = p - here
        square = (d * d).sum(1) + 0.01
        return (m / (square * jnp.sqrt(square))) @ d

    v = v + dt * jax.vmap(pull)(p)
    return p + dt * v, v


@program
def jacobi(a, steps):
    def step(_, a):
        inner = a[1:-1, 1:-1] + a[:-2, 1:-1] + a[2:, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:]
        return a.at[1:-1, 1:-1].set(jnp.float32(0.2) * inner)

    return lax.fori_loop(0, steps, step, a)


@program
def mandelbrot(n, limit):
    t = 3 * jnp.arange(n) / n
    cx, cy = t[None, :] - 2, t[:, None] - 1.5

    def step(_, state):
        x, y, count, live = state
        x, y = jnp.where(live, x * x - y * y + cx, x), jnp.where(live, 2 * x * y + cy, y)
        live &= x * x + y * y <= 4
        return x, y, count + live, live

    zero = jnp.zeros((n, n))
    return lax.fori_loop(0, limit, step, (zero, zero, jnp.zeros((n, n), jnp.int32), jnp.ones((n, n), bool)))[2]


@program
def histogram(x):
    return jnp.bincount(x, length=256)


@program
def prefix(x):
    return jnp.cumsum(x), lax.cummax(x)


@program
def floyd(a):
    return lax.fori_loop(0, len(a), lambda k, a: jnp.minimum(a, a[:, k, None] + a[k, None, :]), a)


@program
def conv2d(a, k):
    return lax.conv_general_dilated(a[None, None], k[None, None], (1, 1), "VALID")[0, 0]


@program
def spmv(start, col, value, x):
    n = len(start) - 1
    row = jnp.repeat(jnp.arange(n), jnp.diff(start), total_repeat_length=len(col))
    return jax.ops.segment_sum(value * x[col], row, num_segments=n, indices_are_sorted=True)


@program
def lu(a):
    n = len(a)
    index = jnp.arange(n)

    def step(k, a):
        below = index > k
        column = jnp.where(below, a[:, k] / a[k, k], 0)
        a = a - column[:, None] * jnp.where(below, a[k], 0)[None, :]
        return a.at[:, k].set(jnp.where(below, column, a[:, k]))

    return lax.fori_loop(0, n - 1, step, a)


@program
def logistic(x, y, w):
    z = x @ w
    return jnp.mean(jnp.logaddexp(0, z) - y * z)
