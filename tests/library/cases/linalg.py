"""Linear algebra (`lib/linalg`) against numpy.linalg."""

import numpy as np
from case import Case, edges

LIBRARY = "lib/linalg"
MODULES = {"f64": "linalg", "f32": "linalg_f32", "c64": "linalg_c64", "c128": "linalg_c128"}
COMPLETE = True
ALL = {"f64": 1e-9, "f32": 1e-3, "c128": 1e-9}
REAL = {"f64": 1e-9, "f32": 1e-3}
EVERY = {**ALL, "c64": 1e-3}


def Entry(sizes, parameters, body):
    """The text of an entry with parameters of these types."""
    given = " ".join(f"({name}: {kind})" for name, kind in parameters.items())
    return f"entry {{name}} {sizes} {given} = {body}"


CASES = []


def add(name, entry, inputs, oracle=None, check=None, types=None, **others):
    CASES.append(Case(f"linalg.{name}", entry, inputs, oracle, check, types or ALL, **others))


def wide(a):
    """In double precision: oracles are more precise than what they judge."""
    return np.asarray(a, np.complex128 if np.iscomplexobj(a) else np.float64)


def square(g, most=12, least=0):
    n = g.size(least, most)
    return g.array(n, n, lo=-1, hi=1)


def sometimes_large(g, usual=12, large=90):
    """Sizes of one block and, sometimes, of several."""
    return g.integer(usual, large) if g.number % 10 == 9 else g.size(0, usual)


def well_conditioned(g, n):
    """A random matrix whose condition is small enough for comparisons."""
    return g.array(n, n, lo=-1, hi=1) + (2 * np.sqrt(n + 1) * np.eye(n))[:, g.rng.permutation(n)].astype(g.dtype)


def positive_definite(g, n):
    a = g.array(n, n, lo=-1, hi=1)
    return (a @ a.conj().T + n * np.eye(n)).astype(g.dtype)


def hermitian(g, n):
    a = g.array(n, n, lo=-1, hi=1)
    return (a + a.conj().T).astype(g.dtype)


def nan_like(*shape, dtype=np.float64):
    values = np.full(shape, np.nan, dtype)
    return values + 1j * np.nan if np.dtype(dtype).kind == "c" else values


def singular(g, n):
    """A matrix of small integers that is singular, exactly: a column is 0, or all."""
    a = np.round(g.array(n, n, lo=-3, hi=3))
    a[:, g.integer(0, n - 1)] = 0
    return a if g.chance(0.8) else a * 0


# Products --------------------------------------------------------------------------------------------------------------


def two_matrices(g):
    n, m, p = g.size(), g.size(), g.size()
    return g.array(n, m), g.array(m, p)


add("matmul", Entry("[n] [m] [p]", {"a": "[n][m]{t}", "b": "[m][p]{t}"}, "{m}.matmul a b"), two_matrices, lambda a, b: wide(a) @ wide(b))
add("vecdot", Entry("[n]", {"x": "[n]{t}", "y": "[n]{t}"}, "{m}.vecdot x y"),
    lambda g: (lambda n: (g.array(n), g.array(n)))(g.size(0, 40)), lambda x, y: np.vdot(wide(x), wide(y)),
    types={"f64": 1e-8, "f32": 1e-1, "c128": 1e-8})  # fmt: skip
add("matvec", Entry("[n] [m]", {"a": "[n][m]{t}", "x": "[m]{t}"}, "{m}.matvec a x"),
    lambda g: (lambda n, m: (g.array(n, m), g.array(m)))(g.size(), g.size()), lambda a, x: wide(a) @ wide(x))  # fmt: skip
add("vecmat", Entry("[n] [m]", {"x": "[n]{t}", "a": "[n][m]{t}"}, "{m}.vecmat x a"),
    lambda g: (lambda n, m: (g.array(n), g.array(n, m)))(g.size(), g.size()), lambda x, a: wide(x).conj() @ wide(a))  # fmt: skip
add("outer", Entry("[n] [m]", {"x": "[n]{t}", "y": "[m]{t}"}, "{m}.outer x y"),
    lambda g: (g.array(g.size()), g.array(g.size())), lambda x, y: np.outer(wide(x), wide(y)))  # fmt: skip
add("matrix_transpose", Entry("[n] [m]", {"a": "[n][m]{t}"}, "{m}.matrix_transpose a"), lambda g: g.array(g.size(), g.size()), lambda a: wide(a).T)
add("adjoint", Entry("[n] [m]", {"a": "[n][m]{t}"}, "{m}.adjoint a"), lambda g: g.array(g.size(), g.size()), lambda a: wide(a).conj().T)
add("diagonal", Entry("[n] [m]", {"a": "[n][m]{t}"}, "{m}.diagonal a"), lambda g: g.array(g.size(), g.size()), lambda a: wide(a).diagonal())
add("trace", Entry("[n] [m]", {"a": "[n][m]{t}"}, "{m}.trace a"), lambda g: g.array(g.size(), g.size()), lambda a: wide(a).trace(), types={"f64": 1e-9, "f32": 1e-1, "c128": 1e-9})
add("eye", Entry("", {"n": "i64"}, "{m}.eye n"), lambda g: g.size(0, 20), lambda n: np.eye(n), types=REAL)
add("cross", Entry("", {"x": "[3]{t}", "y": "[3]{t}"}, "{m}.cross x y"), lambda g: (g.array(3), g.array(3)), lambda x, y: np.cross(wide(x), wide(y)))
add("kron", Entry("[n] [m] [p] [q]", {"a": "[n][m]{t}", "b": "[p][q]{t}"}, "{m}.kron a b"),
    lambda g: (g.array(g.size(0, 5), g.size(0, 5)), g.array(g.size(0, 5), g.size(0, 5))), lambda a, b: np.kron(wide(a), wide(b)))  # fmt: skip

# Norms -----------------------------------------------------------------------------------------------------------------

add("norm", Entry("[n]", {"x": "[n]{t}"}, "{m}.norm x"), lambda g: g.numbers(g.size(0, 40)), lambda x: np.linalg.norm(wide(x)))


def vector_norm(p, x):
    if x.size == 0:
        return 0.0
    if np.isinf(p) and np.isnan(x).any():
        return np.nan
    return np.linalg.norm(wide(x), p)


add("vector_norm", Entry("[n]", {"p": "f64", "x": "[n]{t}"}, "{m}.vector_norm p x"),
    lambda g: (g.pick(0.0, 1.0, 2.0, 3.0, 2.5, np.inf, -np.inf), g.numbers(g.size())), vector_norm, types={"f64": 1e-9, "c128": 1e-9})  # fmt: skip
matrix = Entry("[n] [m]", {"a": "[n][m]{t}"}, "{m}.matrix_norm a")
any_matrix = lambda g: g.numbers(g.size(), g.size())
add("matrix_norm", matrix, any_matrix, lambda a: np.linalg.norm(wide(a)))
add("matrix_norm_1", Entry("[n] [m]", {"a": "[n][m]{t}"}, "{m}.matrix_norm_1 a"), any_matrix,
    lambda a: np.linalg.norm(wide(a), 1) if a.size else 0.0)  # fmt: skip
add("matrix_norm_inf", Entry("[n] [m]", {"a": "[n][m]{t}"}, "{m}.matrix_norm_inf a"), any_matrix,
    lambda a: np.linalg.norm(wide(a), np.inf) if a.size else 0.0)  # fmt: skip

# Triangular systems ----------------------------------------------------------------------------------------------------


def triangular(g, columns):
    """A triangular matrix, the other triangle of which is noise that must not matter, and right-hand sides."""
    n = sometimes_large(g)
    a = (g.array(n, n, lo=-1, hi=1) / max(1, n) + np.diag(g.array(n, lo=1, hi=2))).astype(g.dtype)
    if n and g.number % 7 == 6:
        a[g.integer(0, n - 1), :] = 0
    return a, g.array(n, g.size(0, 5)) if columns else g.array(n)


def solved(a, b):
    return np.linalg.solve(a, b) if (np.diagonal(a) != 0).all() else nan_like(*b.shape, dtype=wide(a).dtype)


for name, part, many in [("lower", np.tril, 0), ("upper", np.triu, 0), ("lower", np.tril, 1), ("upper", np.triu, 1)]:
    add(f"solve_{name}" + many * "_many",
        Entry("[n]" + many * " [m]", {"a": "[n][n]{t}", "b": "[n]" + many * "[m]" + "{t}"}, "{m}.solve_" + name + many * "_many" + " a b"),
        lambda g, many=many: triangular(g, many), lambda a, b, part=part: solved(part(wide(a)), wide(b)))  # fmt: skip

# LU --------------------------------------------------------------------------------------------------------------------


def system(g, columns=None):
    n = sometimes_large(g)
    a = singular(g, n) if n and g.number % 7 == 6 else well_conditioned(g, n)
    if columns is None:
        return a
    return a, g.array(n, g.size(0, 5)) if columns else g.array(n)


def is_singular(a):
    return a.shape[0] > 0 and (wide(a) == 0).all(axis=0).any()


def solve(a, b):
    return nan_like(*b.shape, dtype=wide(a).dtype) if is_singular(a) else np.linalg.solve(wide(a), wide(b))


def determinant(a):
    with np.errstate(all="ignore"):
        return np.linalg.det(wide(a))


def slogdet(a):
    sign, log = np.linalg.slogdet(wide(a))
    return sign, np.float64(log)


def lu_of(arguments, results):
    """Whether p, l and u are what they have to be: p l u is a, triangles, no element of l greater than pivots allow."""
    (a,), (p, l, u) = arguments, results
    n = a.shape[0]
    if not (np.array_equal(l, np.tril(l)) and np.array_equal(u, np.triu(u)) and np.array_equal(np.diagonal(l), np.ones(n))):
        return "not triangular"
    if not np.array_equal(p @ p.T, np.eye(n)) or (np.abs(l.real) + np.abs(l.imag) > (2 if np.iscomplexobj(l) else 1) + 1e-6).any():
        return "no permutation, or wrong pivots"
    return small(wide(p) @ wide(l) @ wide(u) - wide(a), a)


def small(difference, like, factor=1.0):
    """Whether a residual is small beside a matrix, with regard to its precision."""
    scale = np.finfo(np.asarray(like).dtype).eps * max(1e-300, np.linalg.norm(like)) * (10 + max(np.shape(like))) * factor
    error = np.abs(difference).max(initial=0)
    return None if error <= scale else f"residual {error:.3g}, allowed {scale:.3g}"


def lu_factor_of(arguments, results):
    (a,), (lu, rows) = arguments, results
    l, u = np.tril(wide(lu), -1) + np.eye(len(a)), np.triu(wide(lu))
    return small(l @ u - wide(a)[rows], a) if sorted(rows) == list(range(len(a))) else "no permutation"


add("lu_factor", Entry("[n]", {"a": "[n][n]{t}"}, "{m}.lu_factor a"), system, check=lu_factor_of)
add("lu", Entry("[n]", {"a": "[n][n]{t}"}, "{m}.lu a"), system, check=lu_of)
add("lu_solve", Entry("[n]", {"a": "[n][n]{t}", "b": "[n]{t}"}, "(let (lu, rows) = {m}.lu_factor a in {m}.lu_solve lu rows b)"), lambda g: system(g, 0), solve)
add("solve", Entry("[n]", {"a": "[n][n]{t}", "b": "[n]{t}"}, "{m}.solve a b"), lambda g: system(g, 0), solve, types=EVERY)
add("solve_many", Entry("[n] [m]", {"a": "[n][n]{t}", "b": "[n][m]{t}"}, "{m}.solve_many a b"), lambda g: system(g, 1), solve)
add("inv", Entry("[n]", {"a": "[n][n]{t}"}, "{m}.inv a"), system, lambda a: solve(a, np.eye(len(a))))
add("det", Entry("[n]", {"a": "[n][n]{t}"}, "{m}.det a"), lambda g: well_conditioned(g, g.size(0, 14)) if g.number % 7 else singular(g, g.size(1)), determinant)
add("slogdet", Entry("[n]", {"a": "[n][n]{t}"}, "{m}.slogdet a"), system, slogdet, types={"f64": 1e-9, "f32": 1e-2, "c128": 1e-9})

# Cholesky --------------------------------------------------------------------------------------------------------------


def definite_or_not(g):
    n = sometimes_large(g)
    a = positive_definite(g, n)
    if n and g.number % 7 == 6:
        i = g.integer(0, n - 1)
        a[i, i] = g.pick(-1, 0)
    if g.chance(0.5):
        # The upper triangle must not matter.
        a += np.triu(g.array(n, n), 1)
    return a.astype(g.dtype)


def cholesky(a):
    low = np.tril(wide(a))
    whole = low + np.tril(low, -1).conj().T
    try:
        return np.linalg.cholesky(whole)
    except np.linalg.LinAlgError:
        return nan_like(*a.shape, dtype=whole.dtype)


add("cholesky", Entry("[n]", {"a": "[n][n]{t}"}, "{m}.cholesky a"), definite_or_not, cholesky, types=EVERY)

# QR, eigenvalues, singular values --------------------------------------------------------------------------------------


def any_shape(g):
    """A matrix, sometimes of several blocks, of low rank, with equal columns, or of zeros."""
    n, m = sometimes_large(g), sometimes_large(g)
    a = g.array(n, m, lo=-1, hi=1)
    style = g.number % 8
    if style == 3 and m > 1:
        a[:, 1:] = a[:, :1]
    elif style == 5 and min(n, m) > 2:
        a = (g.array(n, 2, lo=-1, hi=1) @ g.array(2, m, lo=-1, hi=1)).astype(g.dtype)
    elif style == 6:
        a = np.round(a)
    elif style == 7 and g.chance(0.5):
        a *= 0
    elif style == 4:
        a *= a.dtype.type(extreme(g))
    return a


def extreme(g):
    """A factor that leaves no room for cubes."""
    return g.pick(1e14, 1e-14) if g.dtype in (np.float32, np.complex64) else g.pick(1e140, 1e-140)


def unitary(q, like):
    """Whether the columns are orthonormal."""
    return small(q.conj().T @ q - np.eye(q.shape[1]), like[:0] if like.size == 0 else like * 0 + 1)


def qr_of(complete):
    def check(arguments, results):
        (a,), (q, r) = arguments, map(wide, results)
        n, m = a.shape
        k = n if complete else min(n, m)
        if q.shape != (n, k) or r.shape != (k, m) or not np.array_equal(r, np.triu(r)):
            return "wrong shapes, or no triangle"
        want = np.linalg.qr(wide(a), mode="complete" if complete else "reduced")[1]
        problem = small(np.abs(want) - np.abs(r), a, 10) if a.size and np.linalg.cond(wide(a)) < 100 else None
        return problem or unitary(q, a) or small(q @ r - wide(a), a)

    return check


add("qr", Entry("[n] [m]", {"a": "[n][m]{t}"}, "{m}.qr a"), any_shape, check=qr_of(False), types=EVERY, evaluator_tolerance=1e-5)
add("qr_complete", Entry("[n] [m]", {"a": "[n][m]{t}"}, "{m}.qr_complete a"), any_shape, check=qr_of(True), evaluator_tolerance=1e-5)


def symmetric(g):
    """Hermitian matrices, sometimes diagonal, with multiple eigenvalues, or already tridiagonal; noise in the upper triangle."""
    n = sometimes_large(g)
    a = hermitian(g, n)
    style = g.number % 8
    if style == 3:
        a = np.diag(np.round(np.diagonal(a))).astype(g.dtype)
    elif style == 5 and n:
        v = g.array(n, 1)
        a = (v @ v.conj().T).astype(g.dtype)
    elif style == 6:
        a = np.triu(np.tril(a, 1), -1)
    elif style == 7 and g.chance(0.5):
        a = np.eye(n).astype(g.dtype)
    elif style == 4:
        a *= a.dtype.type(extreme(g))
    return np.tril(a) + (np.triu(g.array(n, n), 1) if g.chance(0.5) else np.tril(a, -1).conj().T).astype(g.dtype)


def from_lower(a):
    low = np.tril(wide(a), -1)
    return low + low.conj().T + np.diag(np.diagonal(wide(a)).real)


def eigh_of(arguments, results):
    (a,) = arguments
    w, v = results[0], wide(results[1])
    whole = from_lower(a)
    return (
        small(np.linalg.eigvalsh(whole) - w, a)
        or ("not ascending" if (np.diff(w) < 0).any() else None)
        or unitary(v, a)
        or small(whole @ v - v * w, a)
    )


def general(g):
    """Matrices, sometimes triangular, defective, of a permutation, of zeros, of low rank, or with elements of any magnitude."""
    n = sometimes_large(g, large=50)
    a = g.array(n, n, lo=-1, hi=1)
    style = g.number % 8
    if style == 3:
        a = np.triu(np.round(a))
    elif style == 5 and n:
        a = (g.array(n, 1) @ g.array(1, n)).astype(g.dtype)
    elif style == 6:
        a = np.eye(n, dtype=g.dtype)[g.rng.permutation(n)]
    elif style == 7:
        a = np.eye(n, dtype=g.dtype) + np.eye(n, k=1, dtype=g.dtype) if g.chance(0.5) else a * 0
    elif style == 4:
        a *= a.dtype.type(extreme(g))
    return a


def eigenvalues_of(a, w):
    """Whether numbers are the eigenvalues: their sum, and each of them where the matrix of eigenvectors is far from singular."""
    if w.shape != (len(a),):
        return "wrong shape"
    problem = small(w.sum() - np.trace(wide(a)), a, 10)
    want, vectors = np.linalg.eig(wide(a))
    if problem or not len(a) or np.linalg.cond(vectors) > 100:
        return problem
    left = list(w)
    gaps = [abs(left.pop(int(np.argmin(np.abs(np.array(left) - x)))) - x) for x in want]
    return small(np.array(gaps), a, 100)


def eig_of(arguments, results):
    (a,) = arguments
    w, v = map(wide, results)
    if v.shape != a.shape:
        return "wrong shape"
    return eigenvalues_of(a, w) or small(np.linalg.norm(v, axis=0) - 1, a * 0 + 1) or small(wide(a) @ v - v * w, a, 10)


def eigvals_of(arguments, results):
    (a,), w = arguments, wide(results[0])
    if not np.isfinite(wide(a)).all():
        return None if np.isnan(w).all() else "not all NaN"
    return eigenvalues_of(a, w)


def with_roots(g):
    """Coefficients of a polynomial with these roots or near it, sometimes with zeros in front or behind."""
    c = np.poly(g.array(g.size(0, 6), lo=-2, hi=2)) if g.chance(0.5) else g.array(g.size(0, 8), lo=-1, hi=1)
    return np.concatenate([np.zeros(g.pick(0, 0, 1, 2)), np.atleast_1d(c), np.zeros(g.pick(0, 0, 1))])


def roots_of(arguments, results):
    (c,), w = arguments, wide(results[0])
    if w.shape != np.roots(c).shape:
        return f"{len(w)} roots"
    # Each is near a root of coefficients that are almost the same.
    sizes = np.polyval(np.abs(c), np.abs(w))
    return None if (np.abs(np.polyval(c, w)) <= 1e-11 * sizes).all() else "no roots"


def svd_of(arguments, results):
    (a,) = arguments
    u, w, vh = wide(results[0]), results[1], wide(results[2])
    k = min(a.shape)
    if u.shape != (a.shape[0], k) or vh.shape != (k, a.shape[1]):
        return "wrong shapes"
    return (
        small(np.linalg.svd(wide(a), compute_uv=False) - w, a)
        or ("not descending, or negative" if (np.diff(w) > 0).any() or (w < 0).any() else None)
        or unitary(u, a)
        or unitary(vh.conj().T, a)
        or small((u * w) @ vh - wide(a), a)
    )


def spoilt(make):
    """Matrices, one element of some of which is a NaN."""

    def inputs(g):
        a = make(g)
        if a.size and g.number % 10 == 4:
            a[g.integer(0, a.shape[0] - 1), 0] = np.nan
        return a

    return inputs


MATRIX = {"a": "[n][m]{t}"}
SQUARE = {"a": "[n][n]{t}"}
ONCE = dict(evaluator_tolerance=1e-5)
add("eigh", Entry("[n]", SQUARE, "{m}.eigh a"), symmetric, check=eigh_of, types=EVERY, **ONCE)
add("eigvalsh", Entry("[n]", SQUARE, "{m}.eigvalsh a"), spoilt(symmetric),
    lambda a: np.linalg.eigvalsh(from_lower(a)) if np.isfinite(np.tril(a)).all() else np.full(len(a), np.nan), **ONCE)  # fmt: skip
add("eig", Entry("[n]", SQUARE, "{m}.eig a"), general, check=eig_of, types=EVERY, **ONCE)
add("eigvals", Entry("[n]", SQUARE, "{m}.eigvals a"), spoilt(general), check=eigvals_of, **ONCE)
add("roots", Entry("[n]", {"c": "[n]{t}"}, "{m}.roots c"), with_roots, check=roots_of, types={"f64": 1e-9}, **ONCE)
add("svd", Entry("[n] [m]", MATRIX, "{m}.svd a"), any_shape, check=svd_of, types=EVERY, **ONCE)


def svdvals(a):
    return np.linalg.svd(wide(a), compute_uv=False) if np.isfinite(wide(a)).all() else np.full(min(a.shape), np.nan)


add("svdvals", Entry("[n] [m]", MATRIX, "{m}.svdvals a"), spoilt(any_shape), svdvals, **ONCE)
add("matrix_norm_2", Entry("[n] [m]", MATRIX, "{m}.matrix_norm_2 a"), spoilt(any_shape), lambda a: svdvals(a).max(initial=0), **ONCE)
add("matrix_norm_nuc", Entry("[n] [m]", MATRIX, "{m}.matrix_norm_nuc a"), spoilt(any_shape), lambda a: svdvals(a).sum(), **ONCE)
add("cond", Entry("[n]", SQUARE, "{m}.cond a"), lambda g: well_conditioned(g, sometimes_large(g)), lambda a: np.linalg.cond(wide(a)) if len(a) else np.nan, **ONCE)
add("matrix_rank", Entry("[n] [m]", MATRIX, "{m}.matrix_rank a"), any_shape, lambda a: int(np.linalg.matrix_rank(a)) if a.size else 0)


def limit(a):
    return np.finfo(a.dtype).eps * max(a.shape)


add("pinv", Entry("[n] [m]", MATRIX, "{m}.pinv a"), any_shape, lambda a: np.linalg.pinv(wide(a), rcond=limit(a)), types={"f64": 1e-6, "f32": 1e-1, "c128": 1e-6}, **ONCE)


def overdetermined(columns):
    def inputs(g):
        a = any_shape(g)
        return a, g.array(a.shape[0], g.size(0, 4)) if columns else g.array(a.shape[0])

    return inputs


def lstsq(a, b):
    return np.linalg.pinv(wide(a), rcond=limit(a)) @ wide(b)


LOOSE = {"f64": 1e-6, "f32": 1e-1, "c128": 1e-6}
add("lstsq", Entry("[n] [m]", {**MATRIX, "b": "[n]{t}"}, "{m}.lstsq a b"), overdetermined(False), lstsq, types=LOOSE, **ONCE)
add("lstsq_many", Entry("[n] [m] [p]", {**MATRIX, "b": "[n][p]{t}"}, "{m}.lstsq_many a b"), overdetermined(True), lstsq, types=LOOSE, **ONCE)

# Functions of matrices -------------------------------------------------------------------------------------------------


def power(g):
    n = g.size(0, 6)
    return well_conditioned(g, n) if n else g.array(0, 0), g.integer(-3, 6)


add("matrix_power", Entry("[n]", {**SQUARE, "k": "i64"}, "{m}.matrix_power a k"), power, lambda a, k: np.linalg.matrix_power(wide(a), k) if len(a) else wide(a))
add("multi_dot", Entry("[k] [n]", {"a": "[k][n][n]{t}"}, "{m}.multi_dot a"),
    lambda g: (lambda k, n: g.array(k, n, n))(g.size(1, 5), g.size(1, 6)),
    lambda a: np.linalg.multi_dot(list(wide(a))) if len(a) > 1 else wide(a)[0])  # fmt: skip
add("multi_dot3", Entry("[n] [m] [p] [q]", {"a": "[n][m]{t}", "b": "[m][p]{t}", "c": "[p][q]{t}"}, "{m}.multi_dot3 a b c"),
    lambda g: (lambda n, m, p, q: (g.array(n, m), g.array(m, p), g.array(p, q)))(g.size(), g.size(), g.size(), g.size()),
    lambda a, b, c: wide(a) @ wide(b) @ wide(c), types={"f64": 1e-9, "f32": 1e-2, "c128": 1e-9})  # fmt: skip


def expm(a):
    """By the Taylor series after many halvings, which is slow and simple."""
    a = wide(a)
    halvings = max(0, int(np.ceil(np.log2(max(1e-300, np.linalg.norm(a, 1)))) + 6)) if a.size else 0
    small_one, term = a / 2.0**halvings, np.eye(len(a), dtype=a.dtype)
    total = term.copy()
    for k in range(1, 20):
        term = term @ small_one / k
        total = total + term
    for _ in range(halvings):
        total = total @ total
    return total


add("expm", Entry("[n]", SQUARE, "{m}.expm a"),
    lambda g: (lambda n: g.array(n, n, lo=-1, hi=1) * g.pick(0.1, 1, 5))(g.size(0, 8)),
    expm, types={"f64": 1e-8, "f32": 1e-2, "c128": 1e-8})  # fmt: skip

# A NaN in a matrix ------------------------------------------------------------------------------------------------------


def with_nan(g):
    n = g.size(1, 40 if g.number % 10 == 9 else 8)
    a = positive_definite(g, n)
    i, j = sorted((g.integer(0, n - 1), g.integer(0, n - 1)))
    a[j, i] = np.nan
    return a


def some_nan(arguments, results):
    return None if any(np.isnan(r).any() for r in results) else "no NaN"


def all_nan(arguments, results):
    return None if all(np.isnan(r).all() for r in results) else "not only NaNs"


for name, check in [("inv", some_nan), ("det", all_nan), ("cholesky", all_nan), ("eigvalsh", all_nan), ("svdvals", all_nan)]:
    add(name, Entry("[n]", SQUARE, "{m}." + name + " a"), with_nan, check=check, types={"f64": None})

# Matrices of very different numbers; the eigenvalues of the last one are those of [[1, 1], [1, 2]].
CASES.append(edges("graded.qr", {
    "let (q, r) = linalg.qr [[1e-160, 0], [1e-160, 1]] in q[1, 0] + 1e160 * r[0, 0]": -np.sqrt(4.5), "(linalg.lstsq [[1e-320]] [1e-320])[0]": 1.0,
    "c128.re (linalg.roots [1e-20, 1, 1])[1]": -1.0, "c128.re (linalg.roots [1, 1e20, 1])[1]": -1e-20, "c128.re (linalg.eigvals [[1, 1e160], [1e-160, 2]])[0]": (3 - np.sqrt(5)) / 2,
}, 1e-13, evaluated=0))  # fmt: skip
