"""Dynamic programming and text as bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from jaxtyping import Array, Bool, Complex128, Float, Float32, Int, Int32, UInt8


def edit_distance(s: UInt8[Array, "n"], t: UInt8[Array, "m"]):
    """Levenshtein's distance of two texts."""
    n, m = len(s), len(t)
    d = np.zeros((n + 1, m + 1), dtype=np.int64)
    d[:, 0] = np.arange(n + 1)
    d[0, :] = np.arange(m + 1)
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            cost = 0 if s[i - 1] == t[j - 1] else 1
            d[i, j] = min(d[i - 1, j] + 1, d[i, j - 1] + 1, d[i - 1, j - 1] + cost)
    return d[n, m]


def longest_common_subsequence(s: Int[Array, "n"], t: Int[Array, "m"]):
    n = s.shape[0]
    m = t.shape[0]
    table = np.zeros((n + 1, m + 1), dtype=int)
    for i in range(n):
        for j in range(m):
            if s[i] == t[j]:
                table[i + 1, j + 1] = table[i, j] + 1
            else:
                table[i + 1, j + 1] = max(table[i, j + 1], table[i + 1, j])
    return table[n, m]


def knapsack(weights: Int[Array, "n"], values: Float[Array, "n"], capacity: int):
    """The best value of a knapsack."""
    best = np.zeros(capacity + 1)
    for i in range(len(weights)):
        w = weights[i]
        for c in range(capacity, w - 1, -1):
            best[c] = max(best[c], best[c - w] + values[i])
    return best[capacity]


def maximum_subarray(x: Float[Array, "n"]):
    """Kadane."""
    best = x[0]
    current = x[0]
    for v in x[1:]:
        current = max(v, current + v)
        best = max(best, current)
    return best


def coin_ways(coins: Int[Array, "n"], total: int):
    ways = np.zeros(total + 1, dtype=np.int64)
    ways[0] = 1
    for c in coins:
        for t in range(c, total + 1):
            ways[t] += ways[t - c]
    return ways


def viterbi(start: Float[Array, "k"], trans: Float[Array, "k k"], emit: Float[Array, "k o"], seen: Int[Array, "n"]):
    """The logarithm of the probability of the best path."""
    score = start + emit[:, seen[0]]
    for t in range(1, len(seen)):
        score = np.max(score[:, None] + trans, axis=0) + emit[:, seen[t]]
    return np.max(score)


def dtw(x: Float[Array, "n"], y: Float[Array, "m"]):
    """Dynamic time warping."""
    n, m = len(x), len(y)
    cost = np.full((n + 1, m + 1), np.inf)
    cost[0, 0] = 0.0
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            d = abs(x[i - 1] - y[j - 1])
            cost[i, j] = d + min(cost[i - 1, j], cost[i, j - 1], cost[i - 1, j - 1])
    return cost[n, m]


def count_byte(text: UInt8[Array, "n"], what: int):
    return np.count_nonzero(text == what)


def byte_histogram(text: UInt8[Array, "n"]):
    """How often each byte occurs."""
    return np.bincount(text, minlength=256)


def caesar(text: UInt8[Array, "n"], shift: int):
    """Moves lower-case letters."""
    lower = (text >= 97) & (text <= 122)
    moved = (text.astype(np.int64) - 97 + shift) % 26 + 97
    return np.where(lower, moved, text).astype(np.uint8)


def word_starts(text: UInt8[Array, "n"]):
    """Where words begin: a letter behind a blank."""
    space = text == 32
    before = np.concatenate((np.array([True]), space[:-1]))
    return np.flatnonzero(~space & before)


def fnv_hash(text: UInt8[Array, "n"]):
    """A hash of 32 bits."""
    h = 2166136261
    for b in text:
        h = ((h ^ int(b)) * 16777619) % 4294967296
    return h


def is_palindrome(text: UInt8[Array, "n"]):
    return np.all(text == text[::-1])


def longest_run(x: Int[Array, "n"]):
    best = 1
    run = 1
    for i in range(1, len(x)):
        if x[i] == x[i - 1]:
            run += 1
            if run > best:
                best = run
        else:
            run = 1
    return best
