"""Breadth-first search with a queue: prints the distances that every variant has to find."""

from collections import deque


def distances(offsets, targets, source):
    found = [-1] * (len(offsets) - 1)
    found[source] = 0
    queue = deque([source])
    while queue:
        u = queue.popleft()
        for v in targets[offsets[u]:offsets[u + 1]]:
            if found[v] < 0:
                found[v] = found[u] + 1
                queue.append(v)
    return found


edges = [[1, 2], [3, 2], [3, 4, 5], [6], [6, 7], [5, 8], [9], [9], [0], [], [11], [10]]
offsets = [0]
for out in edges:
    offsets.append(offsets[-1] + len(out))
targets = [v for out in edges for v in out]
first, degree = offsets[:-1], [b - a for a, b in zip(offsets, offsets[1:])]
print(first, degree, targets, distances(offsets, targets, 0))
print(distances([0, 1, 2, 3], [1, 0, 2], 2))
