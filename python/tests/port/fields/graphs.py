"""Graphs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from jaxtyping import Array, Bool, Complex128, Float, Float32, Int, Int32, UInt8


def floyd_warshall(d: Float[Array, "n n"]):
    """All shortest paths."""
    d = d.copy()
    for k in range(d.shape[0]):
        d = np.minimum(d, d[:, k, None] + d[k, :])
    return d


def out_degrees(sources: Int[Array, "e"], n: int):
    return np.bincount(sources, minlength=n)


def pagerank(adjacency: Float[Array, "n n"], damping: float, steps: int):
    """Ranks by repeated multiplication."""
    n = adjacency.shape[0]
    out = adjacency.sum(axis=1)
    transition = adjacency / np.where(out > 0, out, 1.0)[:, None]
    rank = np.ones(n) / n
    for _ in range(steps):
        rank = (1 - damping) / n + damping * (transition.T @ rank)
    return rank


def bfs_levels(adjacency: Bool[Array, "n n"], start: int):
    """Distances in steps, -1 where nothing leads."""
    n = len(adjacency)
    level = np.full(n, -1)
    level[start] = 0
    frontier = np.zeros(n, dtype=bool)
    frontier[start] = True
    depth = 0
    while frontier.any():
        depth += 1
        reached = adjacency[frontier].any(axis=0) & (level < 0)
        level[reached] = depth
        frontier = reached
    return level


def bellman_ford(sources: Int[Array, "e"], targets: Int[Array, "e"], weights: Float[Array, "e"], n: int, start: int):
    """Shortest paths from one node."""
    dist = np.full(n, np.inf)
    dist[start] = 0
    for _ in range(n - 1):
        changed = False
        for s, t, w in zip(sources, targets, weights):
            if dist[s] + w < dist[t]:
                dist[t] = dist[s] + w
                changed = True
        if not changed:
            break
    return dist


def triangle_count(adjacency: Int[Array, "n n"]):
    return np.trace(adjacency @ adjacency @ adjacency) // 6


def union_find(a: Int[Array, "e"], b: Int[Array, "e"], n: int):
    """The representative of each node's component."""
    parent = np.arange(n)
    for i in range(len(a)):
        x = a[i]
        while parent[x] != x:
            x = parent[x]
        y = b[i]
        while parent[y] != y:
            y = parent[y]
        if x != y:
            parent[x] = y
    for i in range(n):
        x = i
        while parent[x] != x:
            x = parent[x]
        parent[i] = x
    return parent


def is_symmetric(a: Float[Array, "n n"]):
    for i in range(a.shape[0]):
        for j in range(i):
            if a[i, j] != a[j, i]:
                return False
    return True


def laplacian_matrix(a: Float[Array, "n n"]):
    return np.diag(a.sum(axis=1)) - a


def edges_above(w: Float[Array, "n n"], bound: float):
    """How many edges are heavier than a bound, each counted once."""
    upper = np.triu(w, k=1)
    return np.count_nonzero(upper > bound)


def spmv(values: Float[Array, "e"], columns: Int[Array, "e"], starts: Int[Array, "r"], x: Float[Array, "m"]):
    """A sparse matrix by rows times a vector."""
    n = len(starts) - 1
    y = np.zeros(n)
    for i in range(n):
        total = 0.0
        for k in range(starts[i], starts[i + 1]):
            total += values[k] * x[columns[k]]
        y[i] = total
    return y
