"""Functions in the style of published code: exercises, benchmarks, cookbooks, with arguments."""

from __future__ import annotations

import numpy as np

from .meaning import cases

R = np.random.default_rng(1)
CASES, case = cases()


@case((R.random((6, 6)),))
def game_of_life(Z):
    Z = (Z > 0.5).astype(int)
    for _ in range(3):
        N = Z[0:-2, 0:-2] + Z[0:-2, 1:-1] + Z[0:-2, 2:] + Z[1:-1, 0:-2] + Z[1:-1, 2:] + Z[2:, 0:-2] + Z[2:, 1:-1] + Z[2:, 2:]
        birth = (N == 3) & (Z[1:-1, 1:-1] == 0)
        survive = ((N == 2) | (N == 3)) & (Z[1:-1, 1:-1] == 1)
        Z[...] = 0
        Z[1:-1, 1:-1][birth | survive] = 1
    return Z


@case((np.array([3.0, 1, 2]), np.array([[1.0, 0], [0, 1], [2, 2]])))
def kmeans(w, pts):
    centers = pts[:2].copy()
    history = []
    for it in range(4):
        d = ((pts[:, None, :] - centers[None]) ** 2).sum(axis=2)
        lab = d.argmin(axis=1)
        for k in range(2):
            m = lab == k
            if m.any():
                centers[k] = pts[m].mean(axis=0)
        history.append(d.min(axis=1).sum())
    return centers, lab, np.array(history)


@case((R.random((5, 5)),))
def jacobi_1d(A):
    A = A.copy()
    B = A.copy()
    for t in range(1, 4):
        B[1:-1, 1:-1] = 0.2 * (A[1:-1, 1:-1] + A[1:-1, :-2] + A[1:-1, 2:] + A[2:, 1:-1] + A[:-2, 1:-1])
        A[1:-1, 1:-1] = 0.2 * (B[1:-1, 1:-1] + B[1:-1, :-2] + B[1:-1, 2:] + B[2:, 1:-1] + B[:-2, 1:-1])
    return A


@case((R.random((4, 4)) + 4 * np.eye(4),))
def ludcmp(A):
    A = A.copy()
    n = A.shape[0]
    for i in range(n):
        for j in range(i):
            A[i, j] -= A[i, :j] @ A[:j, j]
            A[i, j] /= A[j, j]
        for j in range(i, n):
            A[i, j] -= A[i, :i] @ A[:i, j]
    return A


@case((R.random((4, 3)),))
def gramschmidt(A):
    m, n = A.shape
    Q = np.zeros_like(A)
    R = np.zeros((n, n))
    A = A.copy()
    for k in range(n):
        nrm = np.dot(A[:, k], A[:, k])
        R[k, k] = np.sqrt(nrm)
        Q[:, k] = A[:, k] / R[k, k]
        for j in range(k + 1, n):
            R[k, j] = np.dot(Q[:, k], A[:, j])
            A[:, j] -= Q[:, k] * R[k, j]
    return Q, R


@case((np.array([0, 1, 1, 2, 3, 0, 2, 1]),))
def nussinov(seq):
    N = len(seq)
    table = np.zeros((N, N), np.int32)
    for i in range(N - 1, -1, -1):
        for j in range(i + 1, N):
            if j - 1 >= 0:
                table[i, j] = max(table[i, j], table[i, j - 1])
            if i + 1 < N:
                table[i, j] = max(table[i, j], table[i + 1, j])
            for k in range(i + 1, j):
                table[i, j] = max(table[i, j], table[i, k] + table[k + 1, j])
    return table


@case((np.array([5, 3, 8, 1, 9, 2]),))
def merge_sort_it(a):
    a = a.copy()
    n = len(a)
    w = 1
    while w < n:
        i = 0
        while i < n:
            left = a[i:i + w].copy()
            right = a[i + w:i + 2 * w].copy()
            out = []
            p = 0
            q = 0
            while p < len(left) and q < len(right):
                if left[p] <= right[q]:
                    out.append(left[p])
                    p += 1
                else:
                    out.append(right[q])
                    q += 1
            while p < len(left):
                out.append(left[p])
                p += 1
            while q < len(right):
                out.append(right[q])
                q += 1
            for k in range(len(out)):
                a[i + k] = out[k]
            i += 2 * w
        w *= 2
    return a


@case((20,))
def sieve_list(n):
    comp = [False] * (n + 1)
    primes = []
    for i in range(2, n + 1):
        if not comp[i]:
            primes.append(i)
            for j in range(i * i, n + 1, i):
                comp[j] = True
    return primes


@case((8,))
def nqueens(n):
    cols = [-1] * n
    count = 0
    row = 0
    while row >= 0:
        cols[row] += 1
        while cols[row] < n:
            ok = True
            for r in range(row):
                if cols[r] == cols[row] or abs(cols[r] - cols[row]) == row - r:
                    ok = False
                    break
            if ok:
                break
            cols[row] += 1
        if cols[row] < n:
            if row == n - 1:
                count += 1
            else:
                row += 1
                cols[row] = -1
        else:
            row -= 1
    return count


@case((np.array([1, 5, 10, 25]), 63))
def coins(coins, amount):
    best = [0] + [10 ** 6] * amount
    for a in range(1, amount + 1):
        for c in coins:
            if c <= a and best[a - c] + 1 < best[a]:
                best[a] = best[a - c] + 1
    return best[amount]


@case((np.array([1.0, 2, 3, 4, 5, 6, 7]), 3))
def moving_stats(x, w):
    means = []
    stds = []
    for i in range(len(x) - w + 1):
        window = x[i:i + w]
        means.append(window.mean())
        stds.append(window.std(ddof=1))
    return np.array(means), np.array(stds)


@case((1.0, 20))
def euler(y0, n):
    ts = [0.0]
    ys = [y0]
    h = 0.1
    for k in range(n):
        ys.append(ys[-1] + h * (-2 * ys[-1] + ts[-1]))
        ts.append(ts[-1] + h)
    return np.array(ts), np.array(ys)


def rk4(f, y, t, h):
    k1 = f(t, y)
    k2 = f(t + h / 2, y + h / 2 * k1)
    k3 = f(t + h / 2, y + h / 2 * k2)
    k4 = f(t + h, y + h * k3)
    return y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


@case((np.array([1.0, 0.0]), 10))
def pendulum(y0, n):
    params = {'g': 9.81, 'l': 2.0}

    def f(t, y):
        return np.array([y[1], -params['g'] / params['l'] * np.sin(y[0])])
    traj = [y0]
    y = y0
    for k in range(n):
        y = rk4(f, y, k * 0.1, 0.1)
        traj.append(y)
    return np.array(traj)


@case((R.random((10, 3)),))
def pca(X):
    Xc = X - X.mean(axis=0)
    C = np.einsum('ij,ik->jk', Xc, Xc) / (len(X) - 1)
    w = np.linalg.eigvalsh(C)
    return w[::-1], np.trace(C)


@case((np.array([0, 2, 1, 0, 2, 2]), np.array([1.0, 2, 3, 4, 5, 6])))
def groupby_sum(keys, vals):
    order = np.argsort(keys, kind='stable')
    k = keys[order]
    v = vals[order]
    starts = np.flatnonzero(np.concatenate(([True], k[1:] != k[:-1])))
    return k[starts], np.add.reduceat(v, starts), np.maximum.reduceat(v, starts)


@case((np.array([[0.0, 3, 1000000000.0, 7], [8, 0, 2, 1000000000.0], [5, 1000000000.0, 0, 1], [2, 1000000000.0, 1000000000.0, 0]]),))
def floyd(d):
    d = d.copy()
    n = len(d)
    for k in range(n):
        d = np.minimum(d, np.add.outer(d[:, k], d[k]))
    return d


@case((np.array([2.0, -1, 3, -4, 5]),))
def kadane(x):
    best = cur = x[0]
    s = e = t = 0
    for i in range(1, len(x)):
        if cur < 0:
            cur = x[i]
            t = i
        else:
            cur += x[i]
        if cur > best:
            best = cur
            s, e = (t, i)
    return best, s, e


@case((np.array([72, 101, 108, 108, 111]),))
def rle(codes):
    vals = [codes[0]]
    runs = [1]
    for c in codes[1:]:
        if c == vals[-1]:
            runs[-1] += 1
        else:
            vals.append(c)
            runs.append(1)
    return np.array(vals), np.array(runs)


@case((np.array([0.5, 0.2, 0.9, 0.1]),))
def heap_sort(x):
    h = x.copy()
    n = len(h)

    def sift(a, start, end):
        root = start
        while 2 * root + 1 <= end:
            child = 2 * root + 1
            if child + 1 <= end and a[child] < a[child + 1]:
                child += 1
            if a[root] < a[child]:
                t = a[root]
                a[root] = a[child]
                a[child] = t
                root = child
            else:
                break
    for start in range(n // 2 - 1, -1, -1):
        sift(h, start, n - 1)
    for end in range(n - 1, 0, -1):
        h[0], h[end] = (h[end], h[0])
        sift(h, 0, end - 1)
    return h


@case((np.array([[2.0, 1, -1, 8], [-3, -1, 2, -11], [-2, 1, 2, -3]]),))
def gauss_jordan(M):
    M = M.copy()
    n = M.shape[0]
    for i in range(n):
        p = i + np.argmax(np.abs(M[i:, i]))
        M[[i, p]] = M[[p, i]]
        M[i] /= M[i, i]
        for j in range(n):
            if j != i:
                M[j] -= M[j, i] * M[i]
    return M[:, -1]


@case((np.array([1, 2, 3]),))
def perms_count(a):
    res = []
    for i in range(len(a)):
        for j in range(len(a)):
            for k in range(len(a)):
                if i != j and j != k and (i != k):
                    res.append([a[i], a[j], a[k]])
    return np.array(res)


@case((np.array([3, 1, 4, 1, 5, 9, 2, 6]),))
def lis(a):
    best = [1] * len(a)
    for i in range(len(a)):
        for j in range(i):
            if a[j] < a[i]:
                best[i] = max(best[i], best[j] + 1)
    return max(best)


@case((np.array([1.0, 2, 3, 4]), 2))
def chunks(x, k):
    return [x[i:i + k].sum() for i in range(0, len(x), k)]


@case((np.array([[1, 1, 0], [0, 1, 0], [0, 0, 1]]),))
def flood(grid):
    n, m = grid.shape
    label = np.zeros((n, m), dtype=int)
    cur = 0
    for i in range(n):
        for j in range(m):
            if grid[i, j] and label[i, j] == 0:
                cur += 1
                stack = [(i, j)]
                label[i, j] = cur
                while stack:
                    a, b = stack.pop()
                    for da, db in ((0, 1), (1, 0), (0, -1), (-1, 0)):
                        u, v = (a + da, b + db)
                        if 0 <= u < n and 0 <= v < m and grid[u, v] and (label[u, v] == 0):
                            label[u, v] = cur
                            stack.append((u, v))
    return label, cur


@case((7,))
def binary(n):
    digits = []
    while n > 0:
        digits.append(n % 2)
        n //= 2
    return digits[::-1]
