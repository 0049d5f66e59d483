"""The finite differences of localvol.rem with dense matrices: prints what the entry points return."""

import numpy as np

STRIKES, QUOTES = np.array([0.8, 1, 1.3]), np.array([0.22, 0.09, 0.02])


def operator(step, drift, variance):
    n = len(drift)
    out = np.zeros((n, n))
    for i in range(1, n - 1):
        spread, slope = variance[i] / (2 * step * step), drift[i] / (2 * step)
        out[i, i - 1:i + 2] = spread - slope, -2 * spread, spread + slope
    return out


def call(n, m, steps, end, level, skew, factor, strike):
    x, y = np.linspace(-1.5, 1.5, n), np.linspace(-1, 1, m)
    dt = end / steps
    variance = [(level * np.exp(v + skew * x)) ** 2 for v in y]
    along_x = [operator(x[1] - x[0], -v / 2, v) for v in variance]
    along_y = operator(y[1] - y[0], np.zeros(m), np.full(m, factor ** 2))
    u = np.repeat(np.maximum(0, np.exp(x) - strike)[:, None], m, axis=1)
    for _ in range(steps):
        explicit_y = u @ along_y.T
        right = np.column_stack([u[:, j] + dt / 2 * along_x[j] @ u[:, j] for j in range(m)]) + dt * explicit_y
        half = np.column_stack([np.linalg.solve(np.eye(n) - dt / 2 * along_x[j], right[:, j]) for j in range(m)])
        u = np.linalg.solve(np.eye(m) - dt / 2 * along_y, (half - dt / 2 * explicit_y).T).T
    return u[n // 2, m // 2]


print([float(call(11, 5, 4, 1, 0.2, -0.5, 0.3, k)) for k in STRIKES])
found = []
for level in (0.1, 0.2, 0.3):
    for skew in (-0.5, 0.5):
        prices = np.array([call(11, 5, 4, 1, level, skew, 0.3, k) for k in STRIKES])
        found.append((float(((prices - QUOTES) ** 2).sum()), level, skew))
miss, level, skew = min(found)
print(level, skew, miss)
low = np.array([[0, 1, -2, 0.5], [0, 1, 1, 1]])
mid = np.array([[4, 5, 6, 3], [-3, 4, 5, 6]])
high = np.array([[1, 2, 1, 0], [1, 1, -1, 0]])
right = np.array([[1, 2, 3, 4], [4, 3, 2, 1]])
matrices = [np.diag(b) + np.diag(a[1:], -1) + np.diag(c[:-1], 1) for a, b, c in zip(low, mid, high)]
print([np.linalg.solve(a, r).tolist() for a, r in zip(matrices, right)])
