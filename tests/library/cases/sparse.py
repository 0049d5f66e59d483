"""`lib/sparse` against dense matrices of NumPy."""

import numpy as np
from case import Case, Fails, edges

LIBRARY = "lib/sparse"
COMPLETE = True
MODULES = {"f64": "sparse", "f32": "sparse_f32"}
TYPES = {"f64": None, "f32": 1e-3}
CASES = []


def case(name, parameters, body, inputs, oracle, types=TYPES, **more):
    CASES.append(Case(name, f"entry {{name}} {parameters} = {body}", inputs, oracle, types=types, **more))


def matrix(g, n=None, m=None):
    """A matrix with zeros, whole rows of them at times."""
    a = g.array(g.size() if n is None else n, g.size() if m is None else m)
    return np.where(g.rng.random(a.shape) < g.pick(0.0, 0.3, 1.0), a, 0).astype(g.dtype)


def elements(g):
    """Places with values, some of them more than once."""
    n, m = g.size(1), g.size(1)
    k = g.size(0, 30)
    return n, m, g.rng.integers(0, n, k), g.rng.integers(0, m, k), g.array(k)


def dense(n, m, rows, columns, values):
    a = np.zeros((n, m), values.dtype)
    np.add.at(a, (rows, columns), values)
    return a


def compressed(a):
    """starts, columns and values of the elements that are not 0."""
    rows, columns = np.nonzero(a)
    return np.concatenate(([0], np.cumsum((a != 0).sum(1)))).astype(np.int64), columns, a[rows, columns]


A = "[n] [m] (a: [n][m]{t})"
CSR = "let b = {m}.csr_of_dense a in "
MATRIX = lambda g: (matrix(g),)
case("coo_of", "[k] (n: i64) (m: i64) (is: [k]i64) (js: [k]i64) (vs: [k]{t}) : [n][m]{t}", "{m}.to_dense m ({m}.csr_of_coo n ({m}.coo_of n m is js vs))", elements, dense)
case("refused.coo_of", "[k] (n: i64) (m: i64) (is: [k]i64) (js: [k]i64) (vs: [k]{t})", "({m}.coo_of n m is js vs).values", lambda g: (2, 2, np.array([2]), np.array([0]), g.array(1)), lambda *a: Fails(506), {"f64": None}, count=1)
case("coo_of_dense", A, "let c = {m}.coo_of_dense a in (c.rows, c.columns, c.values)", MATRIX, lambda a: (*np.nonzero(a), a[np.nonzero(a)]))
case("csr_of_coo", "[k] (n: i64) (m: i64) (is: [k]i64) (js: [k]i64) (vs: [k]{t})", "let c = {m}.csr_of_coo n ({m}.coo_of n m is js vs) in (c.starts, c.columns, map (\\_ -> 1i64) c.values)", elements,
     lambda n, m, i, j, v: (lambda p: (np.searchsorted(p // m, np.arange(n + 1)), p % m, np.ones(len(p), int)))(np.unique(i * m + j)))  # fmt: skip
case("coo_of_csr", A, CSR + "let c = {m}.coo_of_csr b in (c.rows, c.columns, c.values)", MATRIX, lambda a: (*np.nonzero(a), a[np.nonzero(a)]))
case("csr_of_dense", A, CSR + "(b.starts, b.columns, b.values)", MATRIX, compressed)
case("to_dense", A, CSR + "{m}.to_dense m b", MATRIX, lambda a: a)
case("transposed", A, CSR + "let c = {m}.transposed m b in (c.starts, c.columns, c.values)", MATRIX, lambda a: compressed(a.T))
case("csc_of_csr", A, CSR + "let c = {m}.csc_of_csr m b in (c.starts, c.rows, c.values)", MATRIX, lambda a: compressed(a.T))
case("csr_of_csc", A, CSR + "let c = {m}.csr_of_csc n ({m}.csc_of_csr m b) in (c.starts, c.columns, c.values)", MATRIX, compressed)
case("eye", "(n: i64)", "{m}.to_dense n ({m}.eye n)", lambda g: (g.size(),), np.eye)
case("diags", "[n] (xs: [n]{t})", "{m}.to_dense n ({m}.diags xs)", lambda g: (g.array(g.size()),), np.diag)
case("nnz", A, CSR + "{m}.nnz b", MATRIX, np.count_nonzero)
case("diagonal", "[n] (a: [n][n]{t})", CSR + "{m}.diagonal b", lambda g: (lambda n: (matrix(g, n, n),))(g.size()), np.diagonal)
case("map_values", A, CSR + "{m}.to_dense m ({m}.map_values (\\x -> x * x) b)", MATRIX, np.square)
case("scale", "[n] [m] (x: {t}) (a: [n][m]{t})", CSR + "{m}.to_dense m ({m}.scale x b)", lambda g: (g.array(1)[0], matrix(g)), lambda x, a: x * a)
case("add", "[n] [m] (a: [n][m]{t}) (c: [n][m]{t})", CSR + "{m}.to_dense m ({m}.add b ({m}.csr_of_dense c))", lambda g: (lambda a: (a, matrix(g, *a.shape)))(matrix(g)), np.add)
case("matvec", A + " (x: [m]{t})", CSR + "{m}.matvec b x", lambda g: (lambda a: (a, g.array(a.shape[1])))(matrix(g)), np.matmul)
case("vecmat", "[n] [m] (x: [n]{t}) (a: [n][m]{t})", CSR + "{m}.vecmat m x b", lambda g: (lambda a: (g.array(a.shape[0]), a))(matrix(g)), np.matmul)
case("matmul_dense", "[n] [m] [p] (a: [n][m]{t}) (c: [m][p]{t})", CSR + "{m}.matmul_dense b c", lambda g: (lambda a: (a, g.array(a.shape[1], g.size())))(matrix(g)), np.matmul)
case("matmul", "[n] [m] [p] (a: [n][m]{t}) (c: [m][p]{t})", CSR + "{m}.to_dense p ({m}.matmul b ({m}.csr_of_dense c))", lambda g: (lambda a: (a, matrix(g, a.shape[1])))(matrix(g)), np.matmul)
case("row_sums", A, CSR + "{m}.row_sums b", MATRIX, lambda a: a.sum(1))
case("column_sums", A, CSR + "{m}.column_sums m b", MATRIX, lambda a: a.sum(0))
case("row", "[n] [m] (i: i64) (a: [n][m]{t})", CSR + "{m}.row m i b", lambda g: (lambda a: (g.integer(0, a.shape[0] - 1), a))(matrix(g, g.size(1))), lambda i, a: a[i])


def definite(g):
    """Symmetric positive definite and sparse."""
    n = g.size()
    b = matrix(g, n, n).astype(np.float64) / 10
    return b @ b.T + np.eye(n), g.array(n)


solved = lambda a, b: np.linalg.solve(a, b)
case("cg", "[n] (a: [n][n]f64) (x: [n]f64)", CSR + "({m}.cg ({m}.matvec b) 1e-14 1000 x).0", definite, solved, {"f64": 1e-7})
case("pcg", "[n] (a: [n][n]f64) (x: [n]f64)", CSR + "let d = {m}.diagonal b in ({m}.pcg ({m}.matvec b) (\\(y: [n]f64) -> map2 (/) y d) 1e-14 1000 x).0", definite, solved, {"f64": 1e-7})
case("bicgstab", "[n] (a: [n][n]f64) (x: [n]f64)", CSR + "({m}.bicgstab ({m}.matvec b) 1e-13 1000 x).0", lambda g: (lambda n: (matrix(g, n, n) / 20 + np.eye(n) * 8, g.array(n)))(g.size()), solved, {"f64": 1e-7})

# Where values were wrong.
NAN = float("nan")
CASES.append(edges("scaled.cg", {
    "(sparse.cg (\\x -> x) 1e-9 10 [f64.nan, 1]).0[1]": NAN, "(sparse.bicgstab (\\x -> x) 1e-9 10 [f64.nan, 1]).0[1]": NAN, "(sparse.cg (\\x -> x) 1e-9 10 [1, f64.inf]).0[0]": NAN,
    "(sparse.cg (\\x -> x) 1e-9 10 [1e200, 1]).0[0]": 1e200, "(sparse.bicgstab (\\x -> x) 1e-9 10 [1e-200, 0]).0[0]": 1e-200, "(sparse.cg (\\x -> x) 1e-9 10 [0, 0]).0[0]": 0,
}))  # fmt: skip
