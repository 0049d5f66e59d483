"""Option pricing with NumPy, one point and one dimension after the other: prints what the entry points return."""

from statistics import NormalDist

import numpy as np

quantile = NormalDist().inv_cdf
TABLE = [(1, 0, [1]), (2, 1, [1, 3]), (3, 1, [1, 3, 1]), (3, 2, [1, 1, 1]), (4, 1, [1, 1, 3, 3]), (4, 4, [1, 3, 5, 13]), (5, 2, [1, 1, 5, 5, 17])]


def directions(degree, inner, first):
    m = list(first)
    for k in range(degree, 32):
        new = m[k - degree] ^ (m[k - degree] << degree)
        for j in range(1, degree):
            if inner >> (degree - 1 - j) & 1:
                new ^= m[k - j] << j
        m.append(new)
    return [x << (31 - k) for k, x in enumerate(m)]


ALL = [[1 << (31 - k) for k in range(32)]] + [directions(*row) for row in TABLE]


def points(n):
    x = [0] * 8
    for i in range(1, n + 1):
        zero = (i & -i).bit_length() - 1
        x = [a ^ v[zero] for a, v in zip(x, ALL)]
        yield x


def bridge(z, end):
    n = len(z)
    w = {0: 0.0, n: end ** 0.5 * z[0]}
    used, step = 1, n
    while step > 1:
        for left in range(0, n, step):
            middle = left + step // 2
            w[middle] = (w[left] + w[left + step]) / 2 + (step / 4 * end / n) ** 0.5 * z[used]
            used += 1
        step //= 2
    return [w[i] for i in range(1, n + 1)]


price, volatility, growth = np.array([100, 110.0]), np.array([0.2, 0.3]), np.array([0.03, 0.01])
mix = np.linalg.cholesky(np.array([[1, 0.4], [0.4, 1]]))
time = np.arange(1, 5) / 4
total = np.zeros(3)
for x in points(64):
    z = np.array([quantile((a + 0.5) / 2 ** 32) for a in x]).reshape(4, 2)
    w = mix @ np.array([bridge(z[:, a], 1.0) for a in range(2)])
    s = price[:, None] * np.exp((growth - volatility ** 2 / 2)[:, None] * time + volatility[:, None] * w)
    basket = s.mean(axis=0)
    total += [max(0, basket[-1] - 100), max(0, basket.mean() - 100), max(0, s[:, -1].max() - 100) if s.min() > 80 else 0]
print((np.exp(-0.05) * total / 64).tolist())
print([[a / 2 ** 32 for a in x] for x in points(6)])
print([quantile(p) if p != 0.5 else 0.0 for p in (1e-14, 0.001, 0.2, 0.5, 0.6, 0.99)])
