"""Luby's algorithm with sets: prints which nodes are chosen."""

MASK = (1 << 64) - 1


def mix(x):
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 & MASK
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB & MASK
    return x ^ (x >> 31)


n = 12
edges = list(zip([0, 0, 1, 2, 2, 3, 4, 5, 5, 6, 7, 8, 9], [1, 2, 3, 3, 4, 5, 6, 6, 7, 8, 9, 9, 10]))
beside = {v: {b for a, b in edges + [(b, a) for a, b in edges] if a == v} for v in range(n)}
left, chosen, rounds = set(range(n)), set(), 0
while left:
    number = {v: (mix(rounds * n + v + 1) >> 34) * n + v for v in left}
    new = {v for v in left if all(number[v] < number[u] for u in beside[v] & left)}
    chosen |= new
    left -= new | {u for v in new for u in beside[v]}
    rounds += 1
print([v in chosen for v in range(n)])
