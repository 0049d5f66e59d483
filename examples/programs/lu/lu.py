"""LU decomposition without blocks, in exact fractions: prints the matrix and the results."""

from fractions import Fraction

import numpy as np

rng = np.random.default_rng(3)
n = 5
a = rng.integers(-4, 5, (n, n)) + 9 * np.eye(n, dtype=int)
rights = rng.integers(-4, 5, (2, n))
lu = [[Fraction(int(x)) for x in row] for row in a]
for k in range(n):
    for i in range(k + 1, n):
        lu[i][k] /= lu[k][k]
        for j in range(k + 1, n):
            lu[i][j] -= lu[i][k] * lu[k][j]
det = Fraction(1)
for k in range(n):
    det *= lu[k][k]
print(a.astype(float).tolist())
print([[float(x) for x in row] for row in lu])
print(rights.astype(float).tolist())
print(np.linalg.solve(a, rights.T).T.tolist())
print(float(det))
