"""The programs in Numba: loops as one writes them for `njit(parallel=True, fastmath=True)`, products of matrices by BLAS.

`mandelbrot` goes without fast mathematics because its counts are compared exactly.
"""

import math

import numpy as np
from numba import get_num_threads, njit, prange

PROGRAMS = {}


def program(parallel=True, **options):
    """Compiles a function and enters it under its name."""

    def enter(function):
        PROGRAMS[function.__name__] = njit(parallel=parallel, **options)(function)
        return PROGRAMS[function.__name__]

    return enter


def prepare(name, arguments):
    """The function, its arguments, and what has to be done to its result before it is there."""
    return PROGRAMS[name], arguments, lambda result: result


@program(fastmath=True)
def chain(x, y, a):
    out = np.empty_like(x)
    one = np.float32(1)
    for i in prange(len(x)):
        out[i] = math.sqrt(x[i] * x[i] + y[i] * y[i]) * a + (one - a) * abs(x[i] - y[i]) / (one + x[i])
    return out


@njit(fastmath=True, inline="always")
def normal(d):
    q = 1 / (1 + 0.2316419 * abs(d))
    p = q * (0.31938153 + q * (-0.356563782 + q * (1.781477937 + q * (-1.821255978 + q * 1.330274429))))
    w = 1 - 0.39894228040143267794 * math.exp(-0.5 * d * d) * p
    return 1 - w if d < 0 else w


@program(fastmath=True)
def blackscholes(s, k, t, rate, vol):
    call, put = np.empty_like(s), np.empty_like(s)
    for i in prange(len(s)):
        spread = vol * math.sqrt(t[i])
        d1 = (math.log(s[i] / k[i]) + (rate + 0.5 * vol * vol) * t[i]) / spread
        paid = k[i] * math.exp(-rate * t[i])
        c = s[i] * normal(d1) - paid * normal(d1 - spread)
        call[i] = c
        put[i] = c - s[i] + paid
    return call, put


@program(fastmath=True)
def meanvar(x):
    total = 0.0
    for i in prange(len(x)):
        total += x[i]
    mean = total / len(x)
    squares = 0.0
    for i in prange(len(x)):
        squares += (x[i] - mean) ** 2
    return mean, squares / len(x)


@program(fastmath=True)
def softmax(x):
    n, m = x.shape
    out = np.empty_like(x)
    for i in prange(n):
        top = x[i, 0]
        for j in range(1, m):
            top = max(top, x[i, j])
        total = np.float32(0)
        for j in range(m):
            out[i, j] = math.exp(x[i, j] - top)
            total += out[i, j]
        scale = np.float32(1) / total
        for j in range(m):
            out[i, j] *= scale
    return out


@program(parallel=False)
def matmul(a, b):
    return np.dot(a, b)


@program(parallel=False)
def atax(a, x):
    return np.dot(a, x), np.dot(a.T, x)


@program(fastmath=True)
def kmeans(points, centres):
    n, d = points.shape
    k = len(centres)
    teams = get_num_threads()
    near = np.empty(n, np.int64)
    sums, members = np.zeros((teams, k, d), np.float32), np.zeros((teams, k), np.float32)
    for team in prange(teams):
        for i in range(n * team // teams, n * (team + 1) // teams):
            least, best = np.float32(np.inf), 0
            for c in range(k):
                square = np.float32(0)
                for j in range(d):
                    square += (points[i, j] - centres[c, j]) ** 2
                if square < least:
                    least, best = square, c
            near[i] = best
            members[team, best] += 1
            for j in range(d):
                sums[team, best, j] += points[i, j]
    moved = centres.copy()
    for c in range(k):
        count = members[:, c].sum()
        if count > 0:
            for j in range(d):
                moved[c, j] = sums[:, c, j].sum() / count
    return near, moved


@program(fastmath=True)
def mriq(kx, ky, kz, x, y, z, phi_r, phi_i):
    magnitude = phi_r * phi_r + phi_i * phi_i
    real, imaginary = np.empty_like(x), np.empty_like(x)
    turn = np.float32(2 * np.pi)
    for i in prange(len(x)):
        c = s = np.float32(0)
        for k in range(len(kx)):
            angle = turn * (x[i] * kx[k] + y[i] * ky[k] + z[i] * kz[k])
            c += math.cos(angle) * magnitude[k]
            s += math.sin(angle) * magnitude[k]
        real[i] = c
        imaginary[i] = s
    return real, imaginary


@program(fastmath=True)
def nbody(p, v, m, dt):
    n = len(p)
    xs, ys, zs = p[:, 0].copy(), p[:, 1].copy(), p[:, 2].copy()
    place, speed = np.empty_like(p), np.empty_like(v)
    for i in prange(n):
        ax = ay = az = 0.0
        for j in range(n):
            dx, dy, dz = xs[j] - xs[i], ys[j] - ys[i], zs[j] - zs[i]
            square = dx * dx + dy * dy + dz * dz + 0.01
            pull = m[j] / (square * math.sqrt(square))
            ax += dx * pull
            ay += dy * pull
            az += dz * pull
        speed[i, 0] = v[i, 0] + dt * ax
        speed[i, 1] = v[i, 1] + dt * ay
        speed[i, 2] = v[i, 2] + dt * az
        for c in range(3):
            place[i, c] = p[i, c] + dt * speed[i, c]
    return place, speed


@program(fastmath=True)
def jacobi(a, steps):
    n, m = a.shape
    old, new = a.copy(), a.copy()
    fifth = np.float32(0.2)
    for _ in range(steps):
        for i in prange(1, n - 1):
            for j in range(1, m - 1):
                new[i, j] = fifth * (old[i, j] + old[i - 1, j] + old[i + 1, j] + old[i, j - 1] + old[i, j + 1])
        old, new = new, old
    return old


@program()
def mandelbrot(n, limit):
    counts = np.empty((n, n), np.int32)
    for i in prange(n):
        cy = 3 * i / n - 1.5
        for j in range(n):
            cx = 3 * j / n - 2
            x = y = 0.0
            count = 0
            while count < limit:
                x, y = x * x - y * y + cx, 2 * x * y + cy
                if x * x + y * y > 4:
                    break
                count += 1
            counts[i, j] = count
    return counts


@program(fastmath=True)
def histogram(x):
    teams = get_num_threads()
    counts = np.zeros((teams, 256), np.int64)
    n = len(x)
    for team in prange(teams):
        for i in range(n * team // teams, n * (team + 1) // teams):
            counts[team, x[i]] += 1
    return counts.sum(axis=0)


@program(fastmath=True)
def prefix(x):
    n, teams = len(x), get_num_threads()
    sums, maxima = np.empty_like(x), np.empty_like(x)
    total, top = np.zeros(teams + 1), np.full(teams + 1, -np.inf)
    for team in prange(teams):
        s, t = 0.0, -np.inf
        for i in range(n * team // teams, n * (team + 1) // teams):
            s += x[i]
            t = max(t, x[i])
        total[team + 1] = s
        top[team + 1] = t
    for team in range(teams):
        total[team + 1] += total[team]
        top[team + 1] = max(top[team], top[team + 1])
    for team in prange(teams):
        s, t = total[team], top[team]
        for i in range(n * team // teams, n * (team + 1) // teams):
            s += x[i]
            t = max(t, x[i])
            sums[i] = s
            maxima[i] = t
    return sums, maxima


@program(fastmath=True)
def floyd(a):
    a = a.copy()
    n = len(a)
    for k in range(n):
        for i in prange(n):
            first = a[i, k]
            for j in range(n):
                a[i, j] = min(a[i, j], first + a[k, j])
    return a


@program(fastmath=True)
def conv2d(a, k):
    p, q = k.shape
    rows, columns = a.shape[0] - p + 1, a.shape[1] - q + 1
    out = np.zeros((rows, columns), np.float32)
    for i in prange(rows):
        for r in range(p):
            for c in range(q):
                weight = k[r, c]
                for j in range(columns):
                    out[i, j] += weight * a[i + r, j + c]
    return out


@program(fastmath=True)
def spmv(start, col, value, x):
    n = len(start) - 1
    out = np.empty(n)
    for i in prange(n):
        total = 0.0
        for j in range(start[i], start[i + 1]):
            total += value[j] * x[col[j]]
        out[i] = total
    return out


@program(fastmath=True)
def lu(a):
    a = a.copy()
    n = len(a)
    for k in range(n - 1):
        inverse = 1 / a[k, k]
        for i in prange(k + 1, n):
            factor = a[i, k] * inverse
            a[i, k] = factor
            for j in range(k + 1, n):
                a[i, j] -= factor * a[k, j]
    return a


@program(fastmath=True)
def logistic(x, y, w):
    n, m = x.shape
    loss = 0.0
    for i in prange(n):
        z = 0.0
        for j in range(m):
            z += x[i, j] * w[j]
        loss += max(z, 0.0) + math.log1p(math.exp(-abs(z))) - y[i] * z
    return loss / n
