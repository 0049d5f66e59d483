"""Forms of Python: views with names, lists, dictionaries, classes, recursion, texts, random numbers, with arguments."""

from __future__ import annotations

from collections import namedtuple
from dataclasses import dataclass

import numpy as np

from .meaning import A, K, S, X, Y, cases

E = np.zeros(0)

CASES, case = cases()

# Views that have names -----------------------------------------------------------------------------------------------------------


@case((A, X, 3), (A, X, 0))
def views(a, x, k):
    a = a.copy()
    r, c, d = a[1], a[:, 1], a[1:, 1:]
    r[:] = 0
    c += 10
    d[0, 0] = -1
    t = a.T
    t[0] = 3
    x[0] = 2.0
    y = x[:k]
    y += 1
    z = x[::-1]
    z[1:2] = 8
    a.flat[::5] = 0.5
    return a, r, c, d, t, x.copy(), y.copy(), z.copy()


@case((A,))
def views_in_loops(a):
    a = a.copy()
    for i in range(a.shape[0]):
        r = a[i]
        r[0] = 5
        r += i
    for row in a:
        row *= 2
        row[1] = row[0]
    u, v = a[1:], a[:-1]
    u[:] = v * 2
    return a, u, v


def raised(z):
    z += 1


@case((X,))
def views_that_others_see(x):
    a = x.copy()
    b, c = a[1:], a
    c[0] = 7
    d = b[1:][::-1]

    def first(t):
        return t + b[0]

    raised(a)
    d[0] = 77
    a[1] = 50.0
    b *= 2
    return a, b, c, d, first(1.0)


@case((A,))
def views_in_while_loops(a):
    a, i = a.copy(), 0
    while i < 3:
        r = a[i]
        r *= 2
        c = r[:2]
        c[1] = 0
        i += 1
    return a


# Lists ---------------------------------------------------------------------------------------------------------------------------


@case((X,), (-np.abs(X),), (E,))
def lists_that_grow(x):
    every, some, rest = [], [], []
    for v in x:
        every.append(v * v)
        if v > 0:
            some.append(v)
        elif len(some) > 1:
            some.pop()
        else:
            rest.append(-v)
    return np.array(every), some, np.array(rest), len(rest)


@case((A, 3), (A, 1))
def lists_of_rows(a, n):
    halves, pairs = [], []
    for row in a:
        halves.append(row / 2)
    for i in range(n):
        for v in a[0]:
            if v < i:
                pairs.append((v, v * i))
    return np.array(halves), np.vstack(halves), pairs


@case((27,), (1,))
def lists_of_unknown_length(n):
    seen = [n]
    while seen[-1] != 1:
        last = seen[-1]
        seen.append(last // 2 if last % 2 == 0 else 3 * last + 1)
    return seen, len(seen), max(seen), sum(seen)


@case((X,), (X[:2],))
def stacks_of_numbers(x):
    stack = []
    for v in x:
        while stack and stack[-1] > v:
            stack.pop()
        stack.append(v)
    stack.extend([1.0, 2.0])
    last = stack.pop()
    return np.array(stack), last


@case((X, K, 4))
def comprehensions(x, k, n):
    some = np.array([v * 2 for v in x if v > 0]), np.array([i for i in range(len(x)) if x[i] > 0]), np.array([i * j for i in range(1, n) for j in range(i)])
    return some, sum(v for v in k if v % 2), sum(1 for v in x if v > 0), any(v > 2 for v in x), max([v * 2 for v in x]), [v for v in k if v in (3, 5)], sorted([v for v in k])


@case((6,), (3,))
def lists_of_a_length(n):
    squares, table, row = [0] * n, [[0.0] * 3 for _ in range(n)], [1]
    for i in range(n):
        squares[i] = i * i
        table[i][1] = i * 0.5
    for i in range(1, n):
        new = [1] * (i + 1)
        for j in range(1, i):
            new[j] = row[j - 1] + row[j]
        row = new
    return squares, np.array(table), row


@case((X, 3), (X, 1))
def lists_in_branches(x, n):
    one, ints, far = [1.0], [0], []
    if n > 2:
        one.append(1.5)
    for v in x:
        ints.append(v)
        if v < 0:
            continue
        if len(far) == 2:
            break
        far.append(v)
    for v in x:
        far.append(v)
    else:
        far.append(9.0)
    for i in range(n):
        for j in range(i, n):
            if x[i] < x[j]:
                for k in range(2):
                    far.append(x[i] * k)
    return one, len(one), np.array(ints), far, far[1:], [1, 2] * n, n * [7]


# Dictionaries and classes --------------------------------------------------------------------------------------------------------


def scaled(x, scale=1.0, shift=0.0):
    return x * scale + shift


def with_options(x, *more, **options):
    for each in more:
        x = x + each
    return scaled(x, **options) * options.get("times", 1.0)


@case((X, Y))
def dictionaries(z, r):
    state = {"x": 0.0, "p": 1.0, "all": z.copy()}
    found = []
    for k in range(len(z)):
        gain = state["p"] / (state["p"] + r[k] ** 2)
        state["x"] += gain * (z[k] - state["x"])
        state["p"] *= 1 - gain
        if gain > 0.5:
            state["all"][k] = gain
        found.append(state["x"])
    options = dict(scale=2.0, shift=state["p"])
    args = (z, 3.0)
    return np.array(found), state["all"], scaled(z, **options), scaled(*args), with_options(z, 1.0, r, scale=2.0), scaled(shift=1.0, x=z), {"a": z, "b": 1.5}["b"]


def first_and_five(t):
    x = 5.0
    return t[0] + x


def next_state(s, k):
    y = s["a"] + k
    return {"a": y, "b": s["b"] * 2}


def total(xs):
    return sum(xs)


@case((X, 3.0))
def parts_as_arguments(x, y):
    t, numbers, ints = (x, y), [0.0, 1.0, 2.0], [1, 2, 3]
    s = {"a": 0.0, "b": y}
    for k in range(3):
        s = next_state(s, 1.0 * k)
        ints[k] = ints[k] * 2
    numbers[0] = 5.0
    numbers[-1] += 1.0
    return first_and_five(t), s, numbers, ints, total(numbers), total([v for v in x]), total((x[0], x[1]))


class Account:
    def __init__(self, balance, rate=0.05):
        self.balance = balance
        self.rate = rate

    def after(self, years):
        return self.balance * (1 + self.rate) ** years

    def doubled(self):
        return Account(self.balance * 2, self.rate)


@dataclass
class Body:
    mass: float
    speed: float = 0.0

    def energy(self):
        return 0.5 * self.mass * self.speed**2


Point = namedtuple("Point", "x y")


@case((X,), (-X,))
def dictionaries_in_branches(x):
    p = {"a": x[0], "n": 0}
    q = {"a": 2.0, "b": p["a"]}
    if x[0] > 0:
        p["a"] = 5.0
    else:
        p["n"] = 3
    for k in range(3):
        if k % 2:
            p["n"] += 1
        p["a"] *= 1.5
    q["a"], q["b"] = q["b"], q["a"]
    return p, q["a"], [p["a"], q["b"]]


@case((100.0, 3))
def objects(b, n):
    account, body, point = Account(b), Body(b, speed=2.0), Point(b, 3.0)
    for y in range(n):
        account.balance = account.balance + 10.0
        body.speed += 1
    return account.after(n), account.doubled().balance, body.energy(), point.x + point[1]


# Texts and errors ----------------------------------------------------------------------------------------------------------------


def kernel(x, kind="linear", scale=None):
    if scale is None:
        scale = 2.0
    if kind == "linear":
        return x * scale
    elif kind in ("square", "quadratic"):
        return x * x
    raise ValueError(f"unknown kind {kind}")


@case((X, "mean"), (X, "max"), (X, None), (E, "mean"))
def texts(x, how):
    if len(x) < 1:
        raise ValueError("no elements")
    if how is None or how == "":
        return kernel(x)
    return kernel(x, kind="square", scale=3.0) + (x.mean() if how == "mean" else x.max())


@case((2, 3), (2, 0), (-3, 1))
def powers_of_integers(x, n):
    total = 0.0
    for i in range(n):
        total += x**-i + 10 ** -(i + 1) + (-1) ** i
    return total, 1.0 * x ** (n - 1), x**-1, x**-2


# Recursion -----------------------------------------------------------------------------------------------------------------------


def factorial(n):
    if n <= 1:
        return 1
    return n * factorial(n - 1)


def divisor(a, b):
    return a if b == 0 else divisor(b, a % b)


def quick(x):
    if len(x) <= 1:
        return x
    p = x[len(x) // 2]
    return np.concatenate([quick(x[x < p]), x[x == p], quick(x[x > p])])


def transform(x):
    n = len(x)
    if n == 1:
        return x
    e, o = transform(x[::2]), transform(x[1::2])
    t = np.exp(-2j * np.pi * np.arange(n // 2) / n) * o
    return np.concatenate([e + t, e - t])


def integral(f, a, b, eps):
    c = (a + b) / 2
    one = (b - a) * (f(a) + 4 * f(c) + f(b)) / 6
    d, e = (a + c) / 2, (c + b) / 2
    two = (b - a) * (f(a) + 4 * f(d) + 2 * f(c) + 4 * f(e) + f(b)) / 12
    if abs(two - one) < eps:
        return two
    return integral(f, a, c, eps / 2) + integral(f, c, b, eps / 2)


def wave(x):
    return np.sin(x) * x


@case((5, X), (0, X[:1]))
def recursion(n, x):
    def triangle(k):
        if k == 0:
            return 0
        return k + triangle(k - 1)

    return factorial(n), divisor(48, 36), quick(x), triangle(n), integral(wave, 0.0, 2.0, 1e-8), transform(np.arange(8) + 0j)


# Random numbers ------------------------------------------------------------------------------------------------------------------


def sample_mean(rng, n):
    return rng.normal(size=n).mean()


@case((5, 42), (0, 0), (2, 2**35 + 1))
def random_numbers(n, seed):
    rng = np.random.default_rng(seed)
    first = rng.random(n), rng.random(), rng.random((2, n)), rng.integers(0, 10, n), rng.integers(5, size=(2, 2)), rng.integers(1, 6, endpoint=True)
    normal = rng.normal(1.0, 2.0, (n, 2)), rng.normal(), rng.standard_normal(n), rng.uniform(-1, 1, n), rng.uniform(), rng.standard_normal(300).sum()
    order = rng.permutation(n), rng.permutation(np.arange(6.0).reshape(3, 2)), rng.choice(7, 3), rng.choice(7, size=4, replace=False), rng.choice(3, size=n, p=np.array([0.2, 0.5, 0.3]))
    return first, normal, order, rng.integers(-5, 2**40, 3), rng.random()


@case((X, 4), (X, 1))
def random_walks(x, n):
    rng = np.random.default_rng(3)
    x = x.copy()
    rng.shuffle(x)
    for k in range(n):
        i = rng.integers(0, len(x))
        d = rng.normal()
        if rng.random() < np.exp(-abs(d)):
            x[i] += d
    return x, sample_mean(rng, 3) * 2 if False else x.sum(), rng.normal(x, 2.0)


@case((4,))
def random_numbers_of_functions(n):
    rng = np.random.default_rng(7)
    a = sample_mean(rng, n)
    b = sample_mean(rng, 2 * n)
    return a, b, rng.random()


@case((S,))
def matrices_that_functions_make(s):
    def minor_sum(a, total):
        if a.shape[0] == 1:
            return total + a[0, 0]
        return minor_sum(a[1:, 1:], total + a[0, 0])

    return minor_sum(s, 0.0), np.concatenate([[1.0], s[0]]), [row.sum() for row in s]


# Loops that are left -------------------------------------------------------------------------------------------------------------


@case((X, -2.5), (X, 9.0), (X, 1.0))
def left_or_not(x, v):
    for i in range(len(x)):
        if x[i] == v:
            break
    else:
        return -1, 0.0
    return i, x[i] * 2


@case((X, -1.0), (X, 100.0))
def found_in_a_loop(x, v):
    for i in range(len(x)):
        for j in range(i + 1, len(x)):
            if x[i] + x[j] < v:
                return i, j, x[i] * x[j]
    return -1, -1, 0.0


@case((30,), (3,))
def primes(n):
    found = []
    for k in range(2, n):
        for p in found:
            if k % p == 0:
                break
        else:
            found.append(k)
    return np.array(found, dtype=np.int64)


@case((X,), (X[:1],))
def targets_stay(x):
    for k, v in enumerate(x):
        if v < 0:
            break
    s = 0.0
    for w in x:
        s += w
    n = len(x)
    while n > 0:
        if x[n - 1] > 2:
            break
        n -= 1
    else:
        n = -5
    return k, v, s * w, n


@case((X, Y, 2))
def lists_of_pairs(x, y, n):
    s = 0.0
    for i, (a, b) in enumerate(zip(x, y), start=1):
        s += i * a * b
    for i, a in enumerate(x, n):
        s -= i * a
    for k, v in list(enumerate(y)):
        s += k * v
    for a, b in list(zip(x, y)):
        s = s / 2 + a - b
    for v in reversed(x):
        s = s / 2 + v
    return s, i


@case((20,), (1,))
def a_stack(n):
    todo, out = [n], []
    while len(todo) > 0:
        k = todo.pop()
        out.append(k * 0.5)
        if k > 1:
            todo.append(k // 2)
            todo.append(k - 1 - k // 2)
    return np.array(out), len(todo)


@case((A, 3), (A, 1))
def rows_while(a, n):
    out, k = [], 0
    while k < n:
        if a[k % 3, 0] < 3:
            out.append(a[k % 3] * k)
        k += 1
    return np.array(out), len(out)
