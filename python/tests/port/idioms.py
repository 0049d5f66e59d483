"""Functions in the way strangers write them: what leaves loops with arrays, queues, dictionaries that get keys, norms, slices backwards, with arguments."""

from __future__ import annotations

import collections
import warnings
from collections import deque

import numpy as np

from .meaning import cases

R = np.random.default_rng(4)
CASES, case = cases()
V, W, M, Q = R.normal(size=5), R.normal(size=4), R.normal(size=(4, 3)), R.normal(size=(4, 4))
LINKS = R.uniform(size=(6, 6)) < 0.4
NEGATIVE = -2
NEGATIVE_FLOAT = -1.5


# What leaves loops ----------------------------------------------------------------------------------------------------------------


@case((Q + 6 * np.eye(4), W, 30), (Q + 6 * np.eye(4), W, 0), (Q + 6 * np.eye(4), W, 2))
def jacobi(a, b, steps):
    x = np.zeros_like(b)
    d = np.diag(a)
    rest = a - np.diagflat(d)
    for k in range(steps):
        new = (b - rest @ x) / d
        if np.linalg.norm(new - x) < 1e-8:
            return new, k
        x = new
    return x, steps


@case((np.array([1, 5, 2, 4, 3]), 6), (np.array([1, 1]), 6))
def two_of_sum(a, total):
    for i in range(len(a)):
        for j in range(i + 1, len(a)):
            if a[i] + a[j] == total:
                return np.array([i, j])
    return np.array([-1, -1])


@case((np.array([1, 5, 2, 4, 3]), 6))
def part_of_sum(a, total):
    for i in range(len(a)):
        for j in range(i + 1, len(a)):
            if a[i] + a[j] == total:
                return a[i:j]
    raise ValueError("no such part")


@case((V,), (V * 100,))
def halved(x):
    n = 0
    while True:
        x = x / 2
        n += 1
        if np.abs(x).max() < 0.1:
            return x, n
        if n > 5:
            return x + 1, -n


@case((2.5,))
def newton(x, tol=1e-10, most=50):
    for i in range(most):
        dx = (x**3 - 2 * x - 5) / (3 * x**2 - 2)
        x -= dx
        if abs(dx) < tol:
            return x, i + 1
    raise RuntimeError(f"no convergence after {most} steps")


def _sum_of_first(x, k):
    total = 0.0
    for i in range(k):
        total += x[i]
    return total


@case((np.abs(V),))
def calls_in_conditions(x):
    k = 0
    while k < 5 and _sum_of_first(x, k) < 2:
        k += 1
    while _sum_of_first(x, k) > 0.5 and k > 0:
        k -= 1
        if k == 3:
            return k * 10
    return k


# Variables ------------------------------------------------------------------------------------------------------------------------


@case((M,))
def place_of_the_largest(x):
    best, place = -1, (0, 0)
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            if x[i, j] > best:
                best = x[i, j]
                place = (i, j)
    return place, x[place], place[1]


@case((V,))
def threshold(x):
    limit = 255
    if x[0] > 0:
        limit = x[1]
    elif x[0] > -1:
        limit = 7
    return x >= limit


@case((V, 5))
def three_levels(start, steps):
    now, new, old = start.copy(), np.zeros(5), np.zeros(5)
    sums = []
    for _ in range(steps):
        new[1:-1] = -old[1:-1] + 2 * now[1:-1] + (now[:-2] - 2 * now[1:-1] + now[2:])
        old, now, new = now, new, old
        sums.append(now.sum())
    return now, sums


def _bumped(a):
    a[0] += 1
    return a


@case((V,))
def argument_given_back(x):
    for _ in range(3):
        x = _bumped(x)
    return x


@case((V,))
def results(x):
    cache = {}
    cache["double"] = x * 2
    total = cache["double"].sum()
    cache["n"] = len(x)
    cache["double"][0] = 7
    cache["n"] += 1
    return cache, total


@case((0, 2.0), (3, 0.0))
def otherwise(a, b):
    none = None
    return a or 5, b or 2.5, a and 7, none or 3, (b or 1.0) * 2


@case((V,))
def silent(x):
    with np.errstate(divide="ignore", invalid="ignore"):
        y = x / (x - x)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if x[0] > 5:
            return x
    return y


def _scaled(x, k=8.0 / 3, m=-1):
    return x * k + m


@case((V,))
def computed_defaults(x):
    def inner(y, q=2 * 3):
        return y * q

    return _scaled(x) + inner(x), _scaled(x, m=4), _scaled(x, NEGATIVE_FLOAT, NEGATIVE)


# Lists and queues -----------------------------------------------------------------------------------------------------------------


@case((LINKS, 0))
def reached(links, start):
    n = links.shape[0]
    seen = np.zeros(n, dtype=bool)
    order = []
    queue = deque([start])
    seen[start] = True
    while queue:
        u = queue.popleft()
        order.append(u)
        for v in range(n):
            if links[u, v] and not seen[v]:
                seen[v] = True
                queue.append(v)
    return order


@case((R.uniform(size=(5, 6)) < 0.3,))
def distances_in_a_maze(walls):
    h, w = walls.shape
    steps = -np.ones((h, w), dtype=int)
    queue = collections.deque()
    queue.append((0, 0))
    steps[0, 0] = 0
    while len(queue) > 0:
        r, c = queue.popleft()
        for dr, dc in ((0, 1), (1, 0), (0, -1), (-1, 0)):
            y, x = r + dr, c + dc
            if 0 <= y < h and 0 <= x < w and not walls[y, x] and steps[y, x] < 0:
                steps[y, x] = steps[r, c] + 1
                queue.append((y, x))
    return steps


@case((np.array([3, 1, 4, 1, 5, 9]),))
def from_both_ends(a):
    rest = [x for x in a]
    total = 0
    while len(rest) > 1:
        first = rest.pop(0)
        last = rest.pop()
        total += first * last
    return total, rest, max(rest, default=0)


@case((R.normal(size=(7, 2)),))
def lower_hull(points):
    points = points[np.lexsort((points[:, 1], points[:, 0]))]

    def turn(o, a, b):
        return (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0])

    hull = []
    for p in reversed(points):
        while len(hull) >= 2 and turn(hull[-2], hull[-1], p) <= 0:
            hull.pop()
        hull.append(p)
    return np.array(hull)


# Arrays ---------------------------------------------------------------------------------------------------------------------------


@case((V, 3, -4), (V, -1, 0), (V, 9, -9), (V, -7, 2))
def backwards(x, a, b):
    return x[a:b:-1], x[a::-1], x[:b:-1], x[a:b:-2], x[::-2], x[3:0:-1], x[-2:-5:-1], x[4:-3:-1], x[5:-1:-1], x[:2:-1]


@case((Q,))
def backwards_in_loops(x):
    total = 0.0
    for i in range(1, 4):
        total += (x[i, i::-1] * x[0, : i + 1]).sum() + (x[i:0:-1, 2] * i).sum()
    return total, x[3:0:-1, ::-2]


@case((W, V[:3], M))
def columns_and_rows(a, b, m):
    column = a[:, np.newaxis]
    return column @ b[None, :], np.dot(column, b[None]), a[None, :] @ m, m @ b[:, None], a[None, :] @ column, np.column_stack((a, m, np.ones(len(a))))


@case((M, V))
def norms(a, v):
    n = np.linalg.norm
    return n(v, 1), n(v, 2), n(v, np.inf), n(v, 0), n(v, 3), n(a, "fro"), n(a, 1), n(a, np.inf), n(a, 1, axis=0), n(a, ord=2, axis=1), n(a)


@case((np.array([1, 0, 1, 2]), np.array([2, 1, 1, 0]), W, Q > 0))
def orders(a, b, c, m):
    return np.lexsort((c, b, a)), np.allclose(a, b, atol=3), np.isclose(c, c + 0.01, rtol=1.0), np.triu(m, k=1)


@case((V.astype(np.float32), np.array([3, 1, 2])))
def limits(a, b):
    least = np.iinfo(np.int64).max
    for x in b:
        least = min(least, x)
    return np.zeros(2, dtype=np.result_type(a, b)), np.finfo(float).eps, np.finfo(a.dtype).max, least, ord("a")


@case((R.normal(size=(3, 4, 2)), R.uniform(size=(3, 4)) < 0.5))
def masks_of_pixels(image, mask):
    kept = image[mask, :]
    image[mask] = 0
    image[mask, 1] = 5
    image[~mask] += 1
    return kept, image.sum()


@case((V * 400, 2.7))
def cut_off(x, t):
    a, b = np.zeros(5, dtype=np.int32), np.zeros((5, 5), dtype=int)
    for i in range(1, 4):
        a[i] = x[i]
        b[i] = x
        b[i, 0] = t
        b[i, 1] = 2.7
    b[b == 0] = -3.5
    return a, b


@case((R.normal(size=(6, 8)),))
def pooled(x):
    a = x.reshape(1, 3, 2, 2, 2, 2)
    b = x.reshape(3, 2, 2, 2, 2)
    return a.max(axis=3).shape, b.sum(axis=(1, 3)), b.transpose(4, 3, 2, 1, 0).ravel()


@case((M, W))
def least_squares(a, b):
    x, _, rank, s = np.linalg.lstsq(a, b, rcond=None)
    u, t, vt = np.linalg.svd(a, full_matrices=False)
    sign, size = np.linalg.slogdet(a.T @ a)
    return x, rank, s, (u * t) @ vt, np.linalg.pinv(a), sign, size


@case((R.normal(size=(6, 3)), Q[:3, :3]))
def distances(x, inverse):
    return np.einsum("ij,jk,ik->i", x, inverse, x), np.einsum("ij,jk,kl,il->i", x, inverse, inverse, x)


@case((M, V))
def sums_from_zero(a, v):
    total, squares = 0, 0.0
    for row in a:
        total = total + row * 2
        squares += np.outer(row, row)
    return total, squares, v.clip(0), np.clip(v, None, 0.5), v.clip(max=0)


@case((R.normal(size=(4, 6)),))
def parts(a):
    top, bottom = np.split(a, 2)
    left, middle, right = np.split(a, 3, axis=1)
    return top, bottom - 1, left @ right.T, middle, np.hsplit(a, 2)[1]
