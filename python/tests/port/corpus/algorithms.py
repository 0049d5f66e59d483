"""Linear algebra, dynamic programming, graphs, and text as bytes."""

from __future__ import annotations

import numpy as np


def power_iteration(a: Float64[Array, "n n"], steps: int):
    v = np.ones(a.shape[0])
    for _ in range(steps):
        v = a @ v
        v = v / np.linalg.norm(v)
    return v @ (a @ v)


def gram_schmidt(a: Float64[Array, "n m"]):
    q = a.copy()
    for j in range(a.shape[1]):
        for k in range(j):
            q[:, j] -= (q[:, k] @ q[:, j]) * q[:, k]
        q[:, j] /= np.sqrt(q[:, j] @ q[:, j])
    return q


def lu_in_place(a: Float64[Array, "n n"]):
    n = len(a)
    for k in range(n - 1):
        for i in range(k + 1, n):
            a[i, k] /= a[k, k]
            a[i, k + 1 :] -= a[i, k] * a[k, k + 1 :]
    return a


def cholesky(a: Float64[Array, "n n"]):
    n = a.shape[0]
    l = np.zeros((n, n))
    for i in range(n):
        for j in range(i + 1):
            s = a[i, j]
            for k in range(j):
                s -= l[i, k] * l[j, k]
            if i == j:
                l[i, j] = np.sqrt(s)
            else:
                l[i, j] = s / l[j, j]
    return l


def back_substitution(u: Float64[Array, "n n"], b: Float64[Array, "n"]):
    n = b.shape[0]
    x = np.zeros(n)
    for i in reversed(range(n)):
        x[i] = (b[i] - np.dot(u[i, i + 1 :], x[i + 1 :])) / u[i, i]
    return x


def conjugate_gradient(a: Float64[Array, "n n"], b: Float64[Array, "n"], steps: int):
    x = np.zeros_like(b)
    r = b - a @ x
    p = r
    rs = r @ r
    for _ in range(steps):
        ap = a @ p
        alpha = rs / (p @ ap)
        x = x + alpha * p
        r = r - alpha * ap
        new = r @ r
        p = r + new / rs * p
        rs = new
    return x


def trace_of_product(a: Float64[Array, "n m"], b: Float64[Array, "m n"]):
    return np.sum(a * b.T)


def frobenius(a: Float64[Array, "n m"]):
    return np.sqrt((a * a).sum())


def outer_difference(x: Float64[Array, "n"], y: Float64[Array, "m"]):
    return x[:, np.newaxis] - y


def horner(c: Float64[Array, "k"], x: Float64[Array, "n"]):
    acc = np.zeros_like(x)
    for coefficient in c:
        acc = acc * x + coefficient
    return acc


def matrix_chain(p: Int64[Array, "k"]):
    n = len(p) - 1
    m = np.zeros((n, n), dtype=np.int64)
    for length in range(2, n + 1):
        for i in range(n - length + 1):
            j = i + length - 1
            best = 2**40
            for k in range(i, j):
                cost = m[i, k] + m[k + 1, j] + p[i] * p[k + 1] * p[j + 1]
                if cost < best:
                    best = cost
            m[i, j] = best
    return m[0, n - 1]


def edit_distance(a: UInt8[Array, "n"], b: UInt8[Array, "m"]):
    n, m = len(a), len(b)
    d = np.zeros((n + 1, m + 1), dtype=int)
    for i in range(n + 1):
        d[i, 0] = i
    for j in range(m + 1):
        d[0, j] = j
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            cost = 0 if a[i - 1] == b[j - 1] else 1
            d[i, j] = min(d[i - 1, j] + 1, d[i, j - 1] + 1, d[i - 1, j - 1] + cost)
    return d[n, m]


def longest_common_subsequence(a: UInt8[Array, "n"], b: UInt8[Array, "m"]):
    table = np.zeros((len(a) + 1, len(b) + 1), dtype=np.int64)
    for i in range(len(a)):
        for j in range(len(b)):
            if a[i] == b[j]:
                table[i + 1, j + 1] = table[i, j] + 1
            else:
                table[i + 1, j + 1] = max(table[i, j + 1], table[i + 1, j])
    return table[-1, -1]


def knapsack(weights: Int64[Array, "n"], values: Int64[Array, "n"], capacity: int):
    best = np.zeros(capacity + 1, dtype=np.int64)
    for i in range(len(weights)):
        for c in range(capacity, weights[i] - 1, -1):
            best[c] = max(best[c], best[c - weights[i]] + values[i])
    return best[capacity]


def coin_change(coins: Int64[Array, "k"], amount: int):
    ways = np.zeros(amount + 1, dtype=np.int64)
    ways[0] = 1
    for coin in coins:
        for a in range(coin, amount + 1):
            ways[a] += ways[a - coin]
    return ways[amount]


def max_subarray(x: Float64[Array, "n"]):
    best = here = x[0]
    for v in x[1:]:
        here = max(v, here + v)
        best = max(best, here)
    return best


def floyd_warshall(d: Float64[Array, "n n"]):
    d = d.copy()
    for k in range(d.shape[0]):
        d = np.minimum(d, d[:, k][:, None] + d[k, :][None, :])
    return d


def bellman_ford(src: Int64[Array, "e"], dst: Int64[Array, "e"], w: Float64[Array, "e"], n: int):
    dist = np.full(n, np.inf)
    dist[0] = 0.0
    for _ in range(n - 1):
        for u, v, c in zip(src, dst, w):
            if dist[u] + c < dist[v]:
                dist[v] = dist[u] + c
    return dist


def pagerank(links: Float64[Array, "n n"], steps: int, d=0.85):
    n = links.shape[0]
    rank = np.ones(n) / n
    for _ in range(steps):
        rank = (1 - d) / n + d * (links @ rank)
    return rank


def degree(adj: Int64[Array, "n n"]):
    return adj.sum(axis=0), adj.sum(axis=1)


def triangles(adj: Int64[Array, "n n"]):
    return np.trace(adj @ adj @ adj) // 6


def reachable(adj: Bool[Array, "n n"], start: int):
    n = len(adj)
    seen = np.zeros(n, dtype=bool)
    seen[start] = True
    for _ in range(n):
        seen = seen | (adj & seen[:, None]).any(axis=0)
    return seen


def count_bytes(text: UInt8[Array, "n"]):
    return np.bincount(text, minlength=256)


def upper_case(text: UInt8[Array, "n"]):
    return np.where((text >= 97) & (text <= 122), text - 32, text)


def caesar(text: UInt8[Array, "n"], shift: int):
    out = text.copy()
    for i in range(len(text)):
        c = text[i]
        if 97 <= c and c <= 122:
            out[i] = (int(c) - 97 + shift) % 26 + 97
    return out


def count_words(text: UInt8[Array, "n"]):
    inside = False
    words = 0
    for c in text:
        if c == 32 or c == 10:
            inside = False
        elif not inside:
            inside = True
            words += 1
    return words


def parse_number(text: UInt8[Array, "n"]):
    value = 0
    for c in text:
        if c < 48 or c > 57:
            break
        value = value * 10 + int(c) - 48
    return value


def is_palindrome(text: UInt8[Array, "n"]):
    return bool(np.all(text == text[::-1]))


def run_lengths(x: Int64[Array, "n"]):
    longest = 0
    current = 0
    for i in range(len(x)):
        if i > 0 and x[i] == x[i - 1]:
            current += 1
        else:
            current = 1
        longest = max(longest, current)
    return longest


def hash_bytes(text: UInt8[Array, "n"]):
    h = 5381
    for c in text:
        h = (h * 33 + int(c)) % 4294967296
    return h


def collatz(n: int):
    steps = 0
    while n > 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps


def gcd(a: int, b: int):
    while b:
        a, b = b, a % b
    return a


def is_prime(n: int):
    if n < 2:
        return False
    i = 2
    while i * i <= n:
        if n % i == 0:
            return False
        i += 1
    return True


def sieve(n: int):
    prime = np.ones(n + 1, dtype=bool)
    prime[:2] = False
    for i in range(2, n + 1):
        if prime[i]:
            prime[i * i :: i] = False
    return np.flatnonzero(prime)


def fibonacci(n: int):
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a


def binary_search(x: Float64[Array, "n"], key: float):
    lo, hi = 0, len(x)
    while lo < hi:
        mid = (lo + hi) // 2
        if x[mid] < key:
            lo = mid + 1
        else:
            hi = mid
    return lo


def bubble_sort(x: Float64[Array, "n"]):
    x = x.copy()
    n = len(x)
    for i in range(n):
        for j in range(n - 1 - i):
            if x[j] > x[j + 1]:
                x[j], x[j + 1] = x[j + 1], x[j]
    return x


def insertion_sort(x: Int64[Array, "n"]):
    for i in range(1, len(x)):
        key = x[i]
        j = i - 1
        while j >= 0 and x[j] > key:
            x[j + 1] = x[j]
            j -= 1
        x[j + 1] = key


def positive_part(x: Float64[Array, "n"]):
    return x[x > 0]


def top_two(x: Float64[Array, "n"]):
    order = np.argsort(x)
    return x[order[-1]], x[order[-2]]
