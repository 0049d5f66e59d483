"""PageRank with a dense matrix: prints what the entry points return."""

import numpy as np

n, source, target = 5, [0, 0, 1, 2, 2, 3], [1, 2, 2, 0, 3, 0]


def ranks(jump, tolerance, limit):
    matrix = np.zeros((n, n))
    for u, v in zip(source, target):
        matrix[v, u] = 1 / source.count(u)
    for u in set(range(n)) - set(source):
        matrix[:, u] = jump
    rank, change, steps = jump, np.inf, 0
    while change > tolerance and steps < limit:
        new = 0.85 * matrix @ rank + 0.15 * jump
        change, rank, steps = np.abs(new - rank).sum(), new, steps + 1
    return rank.tolist(), steps


print(*ranks(np.full(n, 1 / n), 1e-12, 200))
print([ranks(np.array(jump), 0, 60)[0] for jump in ([1, 0, 0, 0, 0], [0, 0, 0.5, 0, 0.5])])
