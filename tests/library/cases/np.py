"""`lib/np` against NumPy."""

import numpy as np
from case import Case, Fails, edges

LIBRARY = "lib/np"
COMPLETE = True
MODULES = {"c128": "np_c128", "c64": "np_c64", "f64": "np_f64", "f32": "np_f32", "i64": "np_i64", "i32": "np_i32", "bool": "np_bool"}
FLOATS = {"f64": None, "f32": None}
NUMBERS = {"f64": None, "f32": None, "i64": None}
INTEGERS = {"i64": None, "i32": None}
ANY = {"f64": None, "i64": None, "bool": None}
F64 = {"f64": None}
# Sums of numbers that cancel.
SUMS = {"f64": 1e-9, "f32": 1e-2, "i64": None}
FSUMS = {"f64": 1e-8, "f32": 1e-2}

CASES = []


def case(name, parameters, body, inputs, oracle, types=NUMBERS, **more):
    """`{m}.` in front of what depends on the type."""
    CASES.append(Case(name, f"entry {{name}} {parameters} = {body}", inputs, oracle, types=types, **more))


def scalar(g, **more):
    return g.numbers(1, **more)[0]


def row(g, **more):
    return (g.numbers(g.size(**{k: more.pop(k) for k in ("least", "most") if k in more}), **more),)


def two(g, **more):
    n = g.size()
    return g.numbers(n, **more), g.numbers(n, **more)


def matrix(g, least=0, **more):
    return (g.numbers(g.size(least), g.size(least), **more),)


def cube(g, **more):
    return (g.numbers(g.size(most=4), g.size(most=4), g.size(most=4), **more),)


def full(g, *shape):
    """Without specials."""
    return g.array(*shape)


ROW = "[n] (xs: [n]{t})"
ROWS = "[n] (xs: [n]{t}) (ys: [n]{t})"
PAIR = "[n] [m] (xs: [n]{t}) (ys: [m]{t})"
MATRIX = "[n] [m] (a: [n][m]{t})"
CUBE = "[n] [m] [k] (a: [n][m][k]{t})"
SQUARE = "[n] (a: [n][n]{t})"


def plain(name, oracle, types=NUMBERS, inputs=row, **more):
    """A function of a row."""
    case(name, ROW, f"{{m}}.{name} xs", inputs, oracle, types, **more)


def elementwise(name, oracle, types=NUMBERS, inputs=row, **more):
    case(name, ROW, f"{{m}}.{name} xs", inputs, oracle, types, **more)


def binary(name, oracle, types=NUMBERS, inputs=two, **more):
    case(name, ROWS, f"{{m}}.{name} xs ys", inputs, oracle, types, **more)


# Axes
FINITE = lambda g: cube(g, specials=False)
case("axis0", MATRIX, "axis0 {m}.median a", lambda g: (g.numbers(g.size(1), g.size(1)),), lambda a: np.median(a, axis=0), FLOATS)
case("axis1", MATRIX, "axis1 {m}.median a", lambda g: (g.numbers(g.size(1), g.size(1)),), lambda a: np.median(a, axis=1), FLOATS)
case("axis0_3d", CUBE, "axis0_3d {m}.sum a", FINITE, lambda a: np.sum(a, axis=0), SUMS)
case("axis1_3d", CUBE, "axis1_3d {m}.sum a", FINITE, lambda a: np.sum(a, axis=1), SUMS)
case("axis2_3d", CUBE, "axis2_3d {m}.sum a", FINITE, lambda a: np.sum(a, axis=2), SUMS)
case("along0", MATRIX, "along0 {m}.sort a", matrix, lambda a: np.sort(a, axis=0))
case("along1", MATRIX, "along1 {m}.sort a", matrix, lambda a: np.sort(a, axis=1))
case("along0_3d", CUBE, "along0_3d {m}.sort a", cube, lambda a: np.sort(a, axis=0))
case("along1_3d", CUBE, "along1_3d {m}.sort a", cube, lambda a: np.sort(a, axis=1))
case("along2_3d", CUBE, "along2_3d {m}.sort a", cube, lambda a: np.sort(a, axis=2))
case("swapaxes_1_2", CUBE, "swapaxes_1_2 a", cube, lambda a: np.swapaxes(a, 1, 2), ANY)
case("swapaxes_0_2", CUBE, "swapaxes_0_2 a", cube, lambda a: np.swapaxes(a, 0, 2), ANY)
case("moveaxis_0_2", CUBE, "moveaxis_0_2 a", cube, lambda a: np.moveaxis(a, 0, 2), ANY)
case("moveaxis_2_0", CUBE, "moveaxis_2_0 a", cube, lambda a: np.moveaxis(a, 2, 0), ANY)
case("roll_axis0", "[n] [m] (k: i64) (a: [n][m]{t})", "roll_axis0 k a", lambda g: (g.integer(-20, 20), *matrix(g)), lambda k, a: np.roll(a, k, axis=0), ANY)
case("roll_2d", "[n] [m] (k: i64) (l: i64) (a: [n][m]{t})", "roll_2d k l a", lambda g: (g.integer(-20, 20), g.integer(-20, 20), *matrix(g)), lambda k, l, a: np.roll(a, (k, l), (0, 1)), ANY)
case("flipud", MATRIX, "flipud a", matrix, np.flipud, ANY)
case("fliplr", MATRIX, "fliplr a", matrix, np.fliplr, ANY)
case("rot90", MATRIX, "rot90 a", matrix, np.rot90, ANY)
case("vstack", "[n] [m] [p] (a: [n][p]{t}) (b: [m][p]{t})", "vstack a b", lambda g: (lambda p: (g.numbers(g.size(), p), g.numbers(g.size(), p)))(g.size()), lambda a, b: np.vstack((a, b)), ANY)


def blocks(g):
    n, m, p, q = g.size(), g.size(), g.size(), g.size()
    return g.numbers(n, p), g.numbers(n, q), g.numbers(m, p), g.numbers(m, q)


case("block", "[n] [m] [p] [q] (a: [n][p]{t}) (b: [n][q]{t}) (c: [m][p]{t}) (d: [m][q]{t})", "block a b c d", blocks, lambda a, b, c, d: np.block([[a, b], [c, d]]), ANY)


def places_in(g):
    a = g.numbers(g.size(1), g.size(1))
    return g.rng.integers(0, a.shape[0], g.size()), g.rng.integers(0, a.shape[1], g.size()), a


case("ix_", "[n] [m] [k] [l] (is: [k]i64) (js: [l]i64) (a: [n][m]{t})", "ix_ is js a", places_in, lambda i, j, a: a[np.ix_(i, j)], ANY)
SIZES2 = lambda g: (g.size(), g.size())
case("mgrid", "(n: i64) (m: i64)", "mgrid n m", SIZES2, lambda n, m: tuple(np.mgrid[0:n, 0:m]), F64)
case("mgrid_3d", "(n: i64) (m: i64) (k: i64)", "mgrid_3d n m k", lambda g: (g.size(most=5), g.size(most=5), g.size(most=5)), lambda n, m, k: tuple(np.mgrid[0:n, 0:m, 0:k]), F64)
case("ogrid", "(n: i64) (m: i64)", "ogrid n m", SIZES2, lambda n, m: tuple(np.ogrid[0:n, 0:m]), F64)
case("outer_with", PAIR, "outer_with {m}.maximum xs ys", lambda g: (g.numbers(g.size()), g.numbers(g.size())), np.maximum.outer)

# Places
BOOLS = lambda g: (g.rng.random(g.size()) < g.pick(0, 0.3, 0.7, 1),)
case("count", "[n] (bs: [n]bool)", "count bs", BOOLS, np.count_nonzero, F64)
case("nonzero", "[n] (bs: [n]bool)", "nonzero bs", BOOLS, lambda b: np.flatnonzero(b), F64)
case("argwhere", "[n] [m] (bs: [n][m]bool)", "argwhere bs", lambda g: (g.rng.random((g.size(), g.size())) < 0.4,), np.argwhere, F64)
case("bincount", "[n] (k: i64) (xs: [n]i64)", "bincount k xs", lambda g: (10, g.rng.integers(0, 10, g.size())), lambda k, x: np.bincount(x, minlength=k), F64)
case("unravel_index", "(m: i64) (i: i64)", "unravel_index m i", lambda g: (g.integer(1, 9), g.integer(0, 80)), lambda m, i: tuple(np.unravel_index(i, (100, m))), F64)
case("ravel_multi_index", "(m: i64) (i: i64) (j: i64)", "ravel_multi_index m i j", lambda g: (lambda m: (m, g.integer(0, 9), g.integer(0, m - 1)))(g.integer(1, 9)), lambda m, i, j: np.ravel_multi_index((i, j), (100, m)), F64)
case("tril_indices", "(n: i64) (k: i64)", "tril_indices n k", lambda g: (g.size(), g.integer(-4, 4)), lambda n, k: np.tril_indices(n, k), F64)
case("triu_indices", "(n: i64) (k: i64)", "triu_indices n k", lambda g: (g.size(), g.integer(-4, 4)), lambda n, k: np.triu_indices(n, k), F64)
case("argbest", "[n] (xs: [n]i64)", "argbest (\\a b -> i64.abs a > i64.abs b) xs", lambda g: (g.rng.integers(-3, 4, g.size()),), lambda x: np.argmax(np.abs(x)) if x.size else 0, F64)
case("argbest_from", "[n] (xs: [n]i64)", "argbest_from (>) i64.lowest xs", lambda g: (g.rng.integers(-3, 4, g.size()),), lambda x: np.argmax(x) if x.size else 0, F64)
case("argsort_u64", "[n] (xs: [n]u64)", "argsort_u64 xs", lambda g: (g.rng.integers(0, g.pick(3, 1000, 2**64 - 1), g.size(), dtype=np.uint64),), lambda x: np.argsort(x, stable=True), F64)

# Any type
case("where", "[n] (cs: [n]bool) (xs: [n]{t}) (ys: [n]{t})", "{m}.where cs xs ys", lambda g: (lambda n: (g.rng.random(n) < 0.5, g.numbers(n), g.numbers(n)))(g.size()), np.where, ANY)


def selection(g):
    k, n = g.size(most=4), g.size()
    return g.rng.random((k, n)) < 0.4, g.numbers(k, n), scalar(g)


case("select", "[k] [n] (cs: [k][n]bool) (xs: [k][n]{t}) (x: {t})", "{m}.select cs xs x", selection, lambda c, x, d: np.select(list(c), list(x), d) if len(c) else np.full(c.shape[1], d), ANY)


def placed(mask, vals, xs):
    xs = xs.copy()
    if mask.any() and not len(vals):
        return Fails(505)
    np.place(xs, mask, vals)
    return xs


case("place", "[n] [k] (mask: [n]bool) (vals: [k]{t}) (xs: [n]{t})", "{m}.place mask vals xs", lambda g: (lambda n: (g.rng.random(n) < 0.5, g.numbers(g.size(1)), g.numbers(n)))(g.size()), placed, ANY)
case("compress", "[n] (mask: [n]bool) (xs: [n]{t})", "{m}.compress mask xs", lambda g: (lambda n: (g.rng.random(n) < 0.5, g.numbers(n)))(g.size()), lambda c, x: x[c], ANY)
case("roll", "[n] [m] (k: i64) (a: [n][m]{t})", "{m}.roll k a", lambda g: (g.integer(-20, 20), *matrix(g)), lambda k, a: np.roll(a, k, axis=-1), ANY)
case("flipped", MATRIX, "{m}.flipped a", matrix, lambda a: np.flip(a, -1), ANY)
case("tile", "[n] (k: i64) (xs: [n]{t})", "{m}.tile k xs", lambda g: (g.integer(0, 4), *row(g)), lambda k, x: np.tile(x, k), ANY)
case("tile_2d", "[n] [m] (k: i64) (l: i64) (a: [n][m]{t})", "{m}.tile_2d k l a", lambda g: (g.integer(0, 4), g.integer(0, 4), *matrix(g)), lambda k, l, x: np.tile(x, (k, l)), ANY)
case("repeat", "[n] (k: i64) (xs: [n]{t})", "{m}.repeat k xs", lambda g: (g.integer(0, 4), *row(g)), lambda k, x: np.repeat(x, k), ANY)
case("repeat_each", "[n] (ks: [n]i64) (xs: [n]{t})", "{m}.repeat_each ks xs", lambda g: (lambda n: (g.rng.integers(-1 if g.number == 30 else 0, 4, n), g.numbers(n)))(g.size()), lambda k, x: Fails(506) if (k < 0).any() else np.repeat(x, k), ANY)
case("hstack", "[n] [m] [p] (a: [n][m]{t}) (b: [n][p]{t})", "{m}.hstack a b", lambda g: (lambda n: (g.numbers(n, g.size()), g.numbers(n, g.size())))(g.size()), lambda a, b: np.hstack((a, b)), ANY)
case("column_stack", ROWS, "{m}.column_stack xs ys", two, lambda a, b: np.column_stack((a, b)), ANY)
case("split_at", "[n] (i: i64) (xs: [n]{t})", "{m}.split_at i xs", lambda g: (lambda n: (g.integer(0, n), g.numbers(n)))(g.size()), lambda i, x: tuple(np.split(x, [i])), ANY)
case("split_into", "[n] (k: i64) (xs: [n]{t})", "{m}.split_into k xs", lambda g: (lambda k, w: (k, g.numbers(k * w + (g.number == 40 and k > 1))))(g.integer(1, 5), g.size(most=5)), lambda k, x: Fails(506) if len(x) % k else np.array(np.split(x, k)), ANY)
case("delete", "[n] (i: i64) (xs: [n]{t})", "{m}.delete i xs", lambda g: (lambda n: (g.integer(0, n - 1 + (g.number == 9)), g.numbers(n)))(g.size(1)), lambda i, x: np.delete(x, i) if i < len(x) else Fails(506), ANY)
case("insert", "[n] (i: i64) (x: {t}) (xs: [n]{t})", "{m}.insert i x xs", lambda g: (lambda n: (g.integer(0, n), scalar(g), g.numbers(n)))(g.size()), lambda i, v, x: np.insert(x, i, v), ANY)
case("take_along", "[n] [m] [k] (is: [n][k]i64) (a: [n][m]{t})", "{m}.take_along is a", lambda g: (lambda a: (g.rng.integers(0, a.shape[1], (a.shape[0], g.size())), a))(g.numbers(g.size(), g.size(1))), lambda i, a: np.take_along_axis(a, i, -1), ANY)
PADS = lambda g, least: (g.integer(0, 9), g.integer(0, 9), g.numbers(g.size(least)))
case("pad", "[n] (b: i64) (a: i64) (x: {t}) (xs: [n]{t})", "{m}.pad b a x xs", lambda g: (g.integer(0, 9), g.integer(0, 9), scalar(g), g.numbers(g.size())), lambda b, a, v, x: np.concatenate([np.full(b, v, x.dtype), x, np.full(a, v, x.dtype)]), ANY)
case("pad_2d", "[n] [m] (k: i64) (x: {t}) (a: [n][m]{t})", "{m}.pad_2d k x a", lambda g: (g.integer(0, 4), scalar(g), *matrix(g)), lambda k, v, a: np.pad(a, k, constant_values=v), ANY)
case("pad_edge", "[n] (b: i64) (a: i64) (xs: [n]{t})", "{m}.pad_edge b a xs", lambda g: PADS(g, 1), lambda b, a, x: np.pad(x, (b, a), "edge"), ANY)
case("pad_reflect", "[n] (b: i64) (a: i64) (xs: [n]{t})", "{m}.pad_reflect b a xs", lambda g: PADS(g, 1), lambda b, a, x: np.pad(x, (b, a), "reflect"), ANY)
case("pad_symmetric", "[n] (b: i64) (a: i64) (xs: [n]{t})", "{m}.pad_symmetric b a xs", lambda g: PADS(g, 1), lambda b, a, x: np.pad(x, (b, a), "symmetric"), ANY)
case("pad_wrap", "[n] (b: i64) (a: i64) (xs: [n]{t})", "{m}.pad_wrap b a xs", lambda g: PADS(g, 1), lambda b, a, x: np.pad(x, (b, a), "wrap"), ANY)
windows = np.lib.stride_tricks.sliding_window_view
case("sliding_window", "[n] (k: i64) (xs: [n]{t})", "{m}.sliding_window k xs", lambda g: (lambda n: (g.integer(1, n), g.numbers(n)))(g.size(1)), lambda k, x: windows(x, k), ANY)
case("sliding_window_2d", "[n] [m] (k: i64) (l: i64) (a: [n][m]{t})", "{m}.sliding_window_2d k l a", lambda g: (lambda n, m: (g.integer(1, n), g.integer(1, m), g.numbers(n, m)))(g.size(1, 6), g.size(1, 6)), lambda k, l, x: windows(x, (k, l)), ANY)
case("meshgrid", PAIR, "{m}.meshgrid xs ys", lambda g: (g.numbers(g.size()), g.numbers(g.size())), lambda x, y: tuple(np.meshgrid(x, y)), ANY)
case("diagonal", SQUARE, "{m}.diagonal a", lambda g: (lambda n: (g.numbers(n, n),))(g.size()), lambda a: np.diagonal(a), ANY)
case("diagonal_of", "[n] [m] (k: i64) (a: [n][m]{t})", "{m}.diagonal_of k a", lambda g: (g.integer(-6, 6), *matrix(g)), lambda k, a: np.diagonal(a, k), ANY)

# Numbers
case("zeros", "(n: i64)", "{m}.zeros n", lambda g: (g.size(),), np.zeros)
case("ones", "(n: i64)", "{m}.ones n", lambda g: (g.size(),), np.ones)
case("full", "(n: i64) (x: {t})", "{m}.full n x", lambda g: (g.size(), scalar(g)), np.full)
case("zeros_2d", "(n: i64) (m: i64)", "{m}.zeros_2d n m", SIZES2, lambda n, m: np.zeros((n, m)))
case("ones_2d", "(n: i64) (m: i64)", "{m}.ones_2d n m", SIZES2, lambda n, m: np.ones((n, m)))
case("full_2d", "(n: i64) (m: i64) (x: {t})", "{m}.full_2d n m x", lambda g: (g.size(), g.size(), scalar(g)), lambda n, m, x: np.full((n, m), x))
elementwise("square", np.square)
case("eye", "(n: i64)", "{m}.eye n", lambda g: (g.size(),), np.eye)
case("eye_2d", "(n: i64) (m: i64) (k: i64)", "{m}.eye_2d n m k", lambda g: (g.size(), g.size(), g.integer(-5, 5)), np.eye)
case("tri", "(n: i64) (m: i64) (k: i64)", "{m}.tri n m k", lambda g: (g.size(), g.size(), g.integer(-5, 5)), np.tri)
plain("diag", np.diag)
case("diag_of", "[n] (s: i64) (k: i64) (xs: [n]{t}) : [s][s]{t}", "{m}.diag_of k xs :> [s][s]{t}", lambda g: (lambda k, x: (len(x) + abs(k), k, x))(g.integer(-4, 4), *row(g)), lambda s, k, x: np.diag(x, k))
case("outer", PAIR, "{m}.outer xs ys", lambda g: (g.numbers(g.size()), g.numbers(g.size())), np.outer)
plain("sum", np.sum, SUMS)
plain("prod", np.prod)
case("sum_axis0", MATRIX, "{m}.sum_axis0 a", matrix, lambda a: a.sum(0), SUMS)
case("sum_axis1", MATRIX, "{m}.sum_axis1 a", matrix, lambda a: a.sum(1), SUMS)
plain("cumsum", np.cumsum, SUMS)
plain("cumprod", np.cumprod)
plain("diff", np.diff, inputs=lambda g: (g.numbers(g.size(1)),))
case("diff_n", "[n] (k: i64) (xs: [n]{t})", "{m}.diff_n k xs", lambda g: (lambda n: (g.integer(0, min(n, 5)), g.numbers(n)))(g.size()), lambda k, x: np.diff(x, k))
binary("dot", np.dot, SUMS)


def product(g, specials=False):
    n, m, p = g.size(), g.size(), g.size()
    return g.numbers(n, m, specials=specials), g.numbers(m, p, specials=specials)


case("matvec", "[n] [m] (a: [n][m]{t}) (x: [m]{t})", "{m}.matvec a x", lambda g: (lambda a: (a, g.array(a.shape[1])))(*matrix(g, specials=False)), lambda a, x: a @ x, SUMS)
case("vecmat", "[n] [m] (x: [n]{t}) (a: [n][m]{t})", "{m}.vecmat x a", lambda g: (lambda a: (g.array(a.shape[0]), a))(*matrix(g, specials=False)), lambda x, a: x @ a, SUMS)
case("matmul", "[n] [m] [p] (a: [n][m]{t}) (b: [m][p]{t})", "{m}.matmul a b", product, np.matmul, SUMS)
case("inner", "[n] [m] [k] (a: [n][k]{t}) (b: [m][k]{t})", "{m}.inner a b", lambda g: (lambda a, b: (a, b.T.copy()))(*product(g)), np.inner, SUMS)
case("vdot_2d", "[n] [m] (a: [n][m]{t}) (b: [n][m]{t})", "{m}.vdot_2d a b", lambda g: (lambda a: (a, g.array(*a.shape)))(*matrix(g, specials=False)), np.vdot, SUMS)


def tensors(g, shared):
    shape = [g.size(most=5) for _ in range(shared)]
    return g.array(g.size(most=5), *([g.size(most=5)] if shared == 1 else []), *shape), g.array(*shape, g.size(most=5))


case("tensordot1", "[n] [m] [k] [l] (a: [n][m][k]{t}) (b: [k][l]{t})", "{m}.tensordot1 a b", lambda g: tensors(g, 1), lambda a, b: np.tensordot(a, b, 1), SUMS)
case("tensordot2", "[n] [m] [k] [l] (a: [n][m][k]{t}) (b: [m][k][l]{t})", "{m}.tensordot2 a b", lambda g: tensors(g, 2), lambda a, b: np.tensordot(a, b, 2), SUMS)
case("bilinear", "[n] [m] (x: [n]{t}) (a: [n][m]{t}) (y: [m]{t})", "{m}.bilinear x a y", lambda g: (lambda a: (g.array(a.shape[0]), a, g.array(a.shape[1])))(*matrix(g, specials=False)), lambda x, a, y: x @ a @ y, SUMS)
case("matmul_batched", "[k] [n] [m] [p] (a: [k][n][m]{t}) (b: [k][m][p]{t})", "{m}.matmul_batched a b", lambda g: (lambda k, n, m, p: (g.array(k, n, m), g.array(k, m, p)))(*(g.size(most=5) for _ in range(4))), np.matmul, SUMS)
case("cross", "(x: [3]{t}) (y: [3]{t})", "{m}.cross x y", lambda g: (g.numbers(3), g.numbers(3)), np.cross, SUMS)
case("trace", SQUARE, "{m}.trace a", lambda g: (lambda n: (g.numbers(n, n),))(g.size()), np.trace, SUMS)
case("tril", "[n] [m] (k: i64) (a: [n][m]{t})", "{m}.tril k a", lambda g: (g.integer(-5, 5), *matrix(g)), lambda k, a: np.tril(a, k))
case("triu", "[n] [m] (k: i64) (a: [n][m]{t})", "{m}.triu k a", lambda g: (g.integer(-5, 5), *matrix(g)), lambda k, a: np.triu(a, k))
SMALL2 = lambda g: (g.numbers(g.size(most=4), g.size(most=4)), g.numbers(g.size(most=4), g.size(most=4)))
case("kron", "[n] [m] [p] [q] (a: [n][m]{t}) (b: [p][q]{t})", "{m}.kron a b", SMALL2, np.kron)
case("kron_1d", PAIR, "{m}.kron_1d xs ys", lambda g: (g.numbers(g.size()), g.numbers(g.size())), np.kron)
case("vander", "[n] (k: i64) (xs: [n]{t})", "{m}.vander k xs", lambda g: (g.size(most=6), *row(g)), lambda k, x: np.vander(x, k))
case("vander_increasing", "[n] (k: i64) (xs: [n]{t})", "{m}.vander_increasing k xs", lambda g: (g.size(most=6), *row(g)), lambda k, x: np.vander(x, k, increasing=True))
WITH_ROW = "[n] [m] (a: [n][m]{t}) (xs: [n]{t})"
case("add_columns", WITH_ROW, "{m}.add_columns a xs", lambda g: (lambda a: (a, g.numbers(a.shape[0])))(*matrix(g)), lambda a, x: a + x[:, None])
case("scale_rows", WITH_ROW, "{m}.scale_rows a xs", lambda g: (lambda a: (a, g.numbers(a.shape[0])))(*matrix(g)), lambda a, x: a * x[:, None])
case("polyval", PAIR, "{m}.polyval xs ys", lambda g: (g.array(g.size(most=6)), g.array(g.size())), np.polyval, SUMS)
case("polyadd", PAIR, "{m}.polyadd xs ys", lambda g: (g.numbers(g.size(1)), g.numbers(g.size(1))), np.polyadd)
plain("polyder", np.polyder, inputs=lambda g: (g.numbers(g.size(1)),))


def signals(g, shorter=True):
    a, b = g.array(g.size(1)), g.array(g.size(1))
    return (b, a) if shorter and len(a) < len(b) else (a, b)


case("correlate", PAIR, "{m}.correlate xs ys", signals, np.correlate, SUMS)
case("convolve", PAIR, "{m}.convolve xs ys", lambda g: signals(g, False), np.convolve, SUMS)
case("convolve_valid", PAIR, "{m}.convolve_valid xs ys", signals, lambda a, b: np.convolve(a, b, "valid"), SUMS)
case("convolve_same", PAIR, "{m}.convolve_same xs ys", signals, lambda a, b: np.convolve(a, b, "same"), SUMS)
case("bincount_weighted", "[n] (k: i64) (ws: [n]{t}) (xs: [n]i64)", "{m}.bincount_weighted k ws xs", lambda g: (lambda n: (8, g.array(n), g.rng.integers(0, 8, n)))(g.size()), lambda k, w, x: np.bincount(x, w, k), SUMS)


def added(i, v, x):
    x = x.copy()
    np.add.at(x, i, v)
    return x


case("add_at", "[n] [k] (is: [k]i64) (vs: [k]{t}) (xs: [n]{t})", "{m}.add_at is vs xs", lambda g: (lambda n, k: (g.rng.integers(0, n, k), g.array(k), g.array(n)))(g.size(1), g.size()), added, SUMS)

# Numbers with an order
binary("minimum", np.minimum)
binary("maximum", np.maximum)
case("clip", "[n] (lo: {t}) (hi: {t}) (xs: [n]{t})", "{m}.clip lo hi xs", lambda g: (scalar(g, specials=False), scalar(g, specials=False), *row(g)), lambda lo, hi, x: np.clip(x, lo, hi))
plain("cummax", np.maximum.accumulate)
plain("cummin", np.minimum.accumulate)
case("array_equal", ROWS, "{m}.array_equal xs ys", lambda g: (lambda x: (x, x.copy() if g.chance(0.5) else g.numbers(len(x))))(*row(g)), np.array_equal)
plain("count_nonzero", np.count_nonzero, inputs=lambda g: (lambda x: (np.where(g.rng.random(len(x)) < 0.3, x.dtype.type(0), x),))(*row(g)))
plain("argsort", lambda x: np.argsort(x, stable=True))
plain("sort", np.sort)


def partitions(arguments, results):
    (k, x), (order,) = arguments, results
    if sorted(order.tolist()) != list(range(len(x))):
        return "not a permutation"
    want, got = np.sort(x), x[order]
    same = np.array_equal(got[k], want[k], equal_nan=x.dtype.kind == "f")
    return None if same and np.array_equal(np.sort(got[:k]), want[:k], equal_nan=x.dtype.kind == "f") else f"element {k} of {got}"


case("argpartition", "[n] (k: i64) (xs: [n]{t})", "{m}.argpartition k xs", lambda g: (lambda n: (g.integer(0, n - 1), g.numbers(n)))(g.size(1)), None, NUMBERS, check=partitions)
case("lexsort", "[m] [n] (keys: [m][n]{t})", "{m}.lexsort keys", lambda g: (g.array(g.size(1, 4), g.size(), lo=0, hi=3).round(),), lambda k: np.lexsort(k))
SORTED = lambda g: (np.sort(g.numbers(g.size())), g.numbers(g.size()))
case("searchsorted", PAIR, "{m}.searchsorted xs ys", SORTED, np.searchsorted)
case("searchsorted_right", PAIR, "{m}.searchsorted_right xs ys", SORTED, lambda a, x: np.searchsorted(a, x, "right"))
BINS = lambda g: (lambda b: (b[::-1].copy() if g.chance(0.4) else b, g.numbers(g.size())))(np.sort(g.numbers(g.size(), specials=False)))
case("digitize", PAIR, "{m}.digitize xs ys", BINS, lambda b, x: np.digitize(x, b))
case("digitize_right", PAIR, "{m}.digitize_right xs ys", BINS, lambda b, x: np.digitize(x, b, right=True))
FEW = lambda g: (np.round(g.numbers(g.size()) / 3).astype(g.dtype), np.round(g.numbers(g.size()) / 3).astype(g.dtype))
case("isin", PAIR, "{m}.isin xs ys", FEW, lambda v, x: np.isin(x, v))
ONE = lambda g: (FEW(g)[0],)
plain("unique", np.unique, inputs=ONE)
plain("unique_counts", lambda x: np.unique(x, return_counts=True), inputs=ONE)
plain("unique_index", lambda x: np.unique(x, return_index=True)[1], inputs=ONE)
plain("unique_inverse", lambda x: np.unique(x, return_inverse=True)[1], inputs=ONE)
FEW_ROWS = lambda g: (np.round(g.array(g.size(), g.size(1, 4)) / 6).astype(g.dtype),)
case("unique_rows_index", "[n] [m] (a: [n][m]{t})", "{m}.unique_rows_index a", FEW_ROWS, lambda a: np.unique(a, axis=0, return_index=True)[1])
case("unique_rows_inverse", "[n] [m] (a: [n][m]{t})", "{m}.unique_rows_inverse a", FEW_ROWS, lambda a: np.unique(a, axis=0, return_inverse=True)[1])
BETWEEN = lambda g: (lambda n: (g.rng.integers(0, n, g.size()), g.array(n)))(g.size(1))
case("reduceat", "[n] [k] (is: [k]i64) (xs: [n]{t})", "reduceat (+) is xs", BETWEEN, lambda i, x: np.add.reduceat(x, i), SUMS)
case("accumulated", "[n] (xs: [n]{t})", "accumulated (-) xs", lambda g: (g.array(g.size()),), np.subtract.accumulate, SUMS)
case("union1d", PAIR, "{m}.union1d xs ys", FEW, np.union1d)
case("intersect1d", PAIR, "{m}.intersect1d xs ys", FEW, np.intersect1d)
case("setdiff1d", PAIR, "{m}.setdiff1d xs ys", FEW, np.setdiff1d)
case("setxor1d", PAIR, "{m}.setxor1d xs ys", FEW, np.setxor1d)

# Integers and floats have their own
empty = lambda f, value: lambda x: f(x) if x.size else value
limits = lambda f, which: lambda x: f(x) if x.size else (which(np.iinfo(x.dtype).min, np.iinfo(x.dtype).max) if x.dtype.kind == "i" else which(-np.inf, np.inf))
plain("amax", limits(np.max, lambda lo, hi: lo))
plain("amin", limits(np.min, lambda lo, hi: hi))
plain("ptp", np.ptp, inputs=lambda g: (g.numbers(g.size(1)),))
plain("argmin", empty(np.argmin, 0))
plain("argmax", empty(np.argmax, 0))
case("arange", "(a: {t}) (b: {t}) (s: {t})", "{m}.arange a b s", lambda g: (g.dtype(g.integer(-20, 20)), g.dtype(g.integer(-20, 20)), g.dtype(g.pick(-3, -2, -1, 1, 2, 3, 7))), np.arange)
NONZERO = lambda g: (lambda x, y: (x, np.where(y == 0, y.dtype.type(1), y)))(*two(g))
FLOAT_OR = lambda g: NONZERO(g) if np.dtype(g.dtype).kind == "i" else two(g)
ALL = {"f64": None, "f32": None, "i64": None, "i32": None}
binary("floor_divide", np.floor_divide, ALL, FLOAT_OR)
binary("mod", np.mod, ALL, FLOAT_OR)
binary("fmod", np.fmod, ALL, FLOAT_OR)
binary("divmod", np.divmod, ALL, FLOAT_OR)
binary("gcd", np.gcd, INTEGERS)
binary("lcm", np.lcm, INTEGERS)

# Floats
case("lerp", "[n] (a: [n]{t}) (b: [n]{t}) (w: {t})", "{m}.lerp a b w", lambda g: (*two(g), scalar(g, lo=0, hi=1, specials=False)), lambda a, b, w: a + (b - a) * w, FSUMS)
elementwise("radians", np.radians, FLOATS)
elementwise("degrees", np.degrees, FLOATS)
elementwise("sigmoid", lambda x: 1 / (1 + np.exp(-x)), FLOATS)
WIDE = lambda g: (lambda n: (g.numbers(n, lo=-1000, hi=1000), g.numbers(n, lo=-1000, hi=1000)))(g.size())
binary("logaddexp", np.logaddexp, FLOATS, WIDE)
binary("logaddexp2", np.logaddexp2, FLOATS, WIDE)
NEAR = lambda g: (lambda x: (x, (x * g.pick(1, 1 + 1e-6, 1.1)).astype(x.dtype)))(*row(g))
binary("isclose", np.isclose, FLOATS, NEAR)
case("isclose_within", "[n] (r: {t}) (a: {t}) (xs: [n]{t}) (ys: [n]{t})", "{m}.isclose_within r a xs ys", lambda g: (g.dtype(g.pick(0, 0.5)), g.dtype(g.pick(0, 1, 1e-3)), *NEAR(g)), lambda r, a, x, y: np.isclose(x, y, r, a), F64)
binary("allclose", np.allclose, FLOATS, NEAR)
elementwise("nan_to_num", np.nan_to_num, FLOATS)
elementwise("sign", np.sign, FLOATS)
case("heaviside", "[n] (h: {t}) (xs: [n]{t})", "{m}.heaviside h xs", lambda g: (scalar(g), *row(g)), lambda h, x: np.heaviside(x, h), FLOATS)
elementwise("sinc", np.sinc, FLOATS)
case("around", "[n] (d: i64) (xs: [n]{t})", "{m}.around d xs", lambda g: (g.integer(-2, 6), *row(g)), lambda d, x: np.around(x, d), FLOATS)
elementwise("i0", np.i0, {"f64": 1e-7, "f32": 1e-4}, lambda g: (g.numbers(g.size(1), lo=-g.pick(1, 30, 300), hi=30, specials=False),) if g.dtype == np.float64 else (g.numbers(g.size(1), specials=False),))
plain("polyint", np.polyint, FLOATS)
ENDS = lambda g: (scalar(g, specials=False), scalar(g, specials=False), g.size())
case("linspace", "(a: {t}) (b: {t}) (n: i64)", "{m}.linspace a b n", ENDS, lambda a, b, n: np.linspace(a, b, n), FLOATS)
case("linspace_open", "(a: {t}) (b: {t}) (n: i64)", "{m}.linspace_open a b n", ENDS, lambda a, b, n: np.linspace(a, b, n, endpoint=False), FLOATS)
case("logspace", "(a: {t}) (b: {t}) (n: i64)", "{m}.logspace a b n", ENDS, lambda a, b, n: np.logspace(a, b, n), FLOATS)
case("geomspace", "(a: {t}) (b: {t}) (n: i64)", "{m}.geomspace a b n", lambda g: (abs(scalar(g, specials=False)) + g.dtype(0.1), abs(scalar(g, specials=False)) + g.dtype(0.1), g.size()), lambda a, b, n: np.geomspace(a, b, n), FLOATS)
for name in ("bartlett", "hanning", "hamming", "blackman"):
    # Of two points all are about 0.
    case(name, "(n: i64)", f"{{m}}.{name} n", lambda g: (g.pick(0, 1) if g.number < 10 else g.size(3, 40),), getattr(np, name), {"f64": None, "f32": 1e-3})
case("kaiser", "(n: i64) (b: {t})", "{m}.kaiser n b", lambda g: (g.size(most=40), g.dtype(g.integer(0, 20))), np.kaiser, {"f64": 1e-7, "f32": 1e-3})
plain("mean", np.mean, FSUMS)
case("mean_axis0", MATRIX, "{m}.mean_axis0 a", matrix, lambda a: a.mean(0), FSUMS)
case("mean_axis1", MATRIX, "{m}.mean_axis1 a", matrix, lambda a: a.mean(1), FSUMS)
case("average", "[n] (ws: [n]{t}) (xs: [n]{t})", "{m}.average ws xs", lambda g: (lambda n: (g.array(n, lo=0.1), g.numbers(n)))(g.size(1)), lambda w, x: np.average(x, weights=w), FSUMS)


def varied(g):
    """A row whose elements are not all equal: what the variance of equal ones should be is 0, what it is depends on rounding."""
    (x,) = row(g)
    return (g.array(len(x)) if len(x) and (x == x[0]).all() else x,)


plain("variance", np.var, FSUMS, varied)
DDOF = lambda g: (g.integer(0, 2), *varied(g))
case("variance_ddof", "[n] (d: i64) (xs: [n]{t})", "{m}.variance_ddof d xs", DDOF, lambda d, x: np.var(x, ddof=d), FSUMS)
plain("std", np.std, FSUMS, varied)
case("std_ddof", "[n] (d: i64) (xs: [n]{t})", "{m}.std_ddof d xs", DDOF, lambda d, x: np.std(x, ddof=d), FSUMS)
binary("covariance", lambda x, y: np.mean((x - x.mean()) * (y - y.mean())), FSUMS)
binary("correlation", lambda x, y: np.mean((x - x.mean()) * (y - y.mean())) / (x.std() * y.std()), FSUMS, lambda g: (lambda n: (g.array(n), g.array(n)))(g.size(2)))
case("cov", MATRIX, "{m}.cov a", lambda g: (g.array(g.size(1, 5), g.size(2)),), lambda a: np.atleast_2d(np.cov(a)), FSUMS)
case("corrcoef", MATRIX, "{m}.corrcoef a", lambda g: (g.array(g.size(1, 5), g.size(2)),), lambda a: np.atleast_2d(np.corrcoef(a)), FSUMS)
NONE_EMPTY = lambda g: (g.numbers(g.size(1), g.size(1)),)
case("max_axis0", MATRIX, "{m}.max_axis0 a", NONE_EMPTY, lambda a: a.max(0), FLOATS)
case("max_axis1", MATRIX, "{m}.max_axis1 a", NONE_EMPTY, lambda a: a.max(1), FLOATS)
case("min_axis0", MATRIX, "{m}.min_axis0 a", NONE_EMPTY, lambda a: a.min(0), FLOATS)
case("min_axis1", MATRIX, "{m}.min_axis1 a", NONE_EMPTY, lambda a: a.min(1), FLOATS)
plain("norm", np.linalg.norm, FLOATS)
plain("norm1", lambda x: np.linalg.norm(x, 1), FLOATS)
plain("norm_inf", lambda x: np.max(np.abs(x), initial=0), FLOATS)
case("norm_fro", MATRIX, "{m}.norm_fro a", matrix, np.linalg.norm, FLOATS)
case("trapezoid", "[n] (dx: {t}) (ys: [n]{t})", "{m}.trapezoid dx ys", lambda g: (scalar(g, specials=False), *row(g)), lambda dx, y: np.trapezoid(y, dx=dx), FSUMS)
case("trapezoid_at", ROWS, "{m}.trapezoid_at xs ys", two, lambda x, y: np.trapezoid(y, x), FSUMS)
case("gradient", "[n] (h: {t}) (ys: [n]{t})", "{m}.gradient h ys", lambda g: (abs(scalar(g, specials=False)) + g.dtype(0.1), g.numbers(g.size(2))), lambda h, y: np.gradient(y, h), FSUMS)
PLACES = lambda g: (lambda n: (np.cumsum(g.array(n, lo=0.1, hi=3)).astype(g.dtype), g.array(n)))(g.size(2))
case("gradient_at", ROWS, "{m}.gradient_at xs ys", PLACES, lambda x, y: np.gradient(y, x), FSUMS)
plain("unwrap", np.unwrap, {"f64": 1e-9, "f32": 1e-3}, lambda g: (g.array(g.size(), lo=-30, hi=30),))
plain("median", empty(np.median, np.nan), FLOATS)
PART = lambda g: (g.dtype(g.pick(0, 1, 0.5, 0.25, g.rng.random())), *row(g))


def quantile(method):
    return lambda q, x: np.quantile(x, q, method=method) if x.size else np.nan


QUANTILE = "[n] (q: {t}) (xs: [n]{t})"
FINITE_PART = lambda g: (g.dtype(g.pick(0, 1, 0.5, 0.25, g.rng.random())), *row(g, specials=False))
case("quantile", QUANTILE, "{m}.quantile q xs", FINITE_PART, quantile("linear"), FSUMS)
for number, (alpha, method) in enumerate([(0.0, "weibull"), (0.5, "hazen"), (1 / 3, "median_unbiased"), (3 / 8, "normal_unbiased")]):
    case("quantile_by" if number == 0 else f"{method}.quantile_by", QUANTILE, f"let a = {{t}}.f64 {alpha!r} in {{m}}.quantile_by a a q xs", FINITE_PART, quantile(method), F64)
case("quantile_lower", QUANTILE, "{m}.quantile_lower q xs", PART, quantile("lower"), F64)
case("quantile_higher", QUANTILE, "{m}.quantile_higher q xs", PART, quantile("higher"), F64)
case("percentile", QUANTILE, "{m}.percentile q xs", lambda g: (g.dtype(g.integer(0, 100)), *row(g, specials=False)), lambda q, x: np.percentile(x, q) if x.size else np.nan, FSUMS)
POINTS = lambda g: (lambda n: (np.sort(g.numbers(n, specials=False)), g.numbers(n), g.numbers(g.size())))(g.size(1))
case("interp", "[n] [m] (xp: [n]{t}) (fp: [n]{t}) (xs: [m]{t})", "{m}.interp xp fp xs", POINTS, lambda xp, fp, x: np.interp(x, xp, fp), {"f64": None})
case("interp_within", "[n] [m] (l: {t}) (r: {t}) (xp: [n]{t}) (fp: [n]{t}) (xs: [m]{t})", "{m}.interp_within l r xp fp xs", lambda g: (scalar(g), scalar(g), *POINTS(g)), lambda l, r, xp, fp, x: np.interp(x, xp, fp, l, r), F64)


def ranged(g):
    lo, hi = sorted(np.round(g.array(2), 1)) if g.number % 9 else (g.dtype(1), g.dtype(1))
    return g.integer(1, 12), lo, hi


HIST = "[n] (k: i64) (lo: {t}) (hi: {t}) (xs: [n]{t})"
ROUND = lambda g: np.round(g.numbers(g.size()), 1)
case("histogram_bin_edges", "(k: i64) (lo: {t}) (hi: {t})", "{m}.histogram_bin_edges k lo hi", ranged, lambda k, lo, hi: np.histogram_bin_edges([], k, (lo, hi)), F64)
case("histogram", HIST, "{m}.histogram k lo hi xs", lambda g: (*ranged(g), ROUND(g)), lambda k, lo, hi, x: np.histogram(x, k, (lo, hi))[0], F64)
case("histogram_weighted", "[n] (k: i64) (lo: {t}) (hi: {t}) (ws: [n]{t}) (xs: [n]{t})", "{m}.histogram_weighted k lo hi ws xs", lambda g: (lambda x: (*ranged(g), g.array(len(x)), x))(ROUND(g)), lambda k, lo, hi, w, x: np.histogram(x, k, (lo, hi), weights=w)[0], {"f64": 1e-8})
case("histogram_density", HIST, "{m}.histogram_density k lo hi xs", lambda g: (*ranged(g), ROUND(g)), lambda k, lo, hi, x: np.histogram(x, k, (lo, hi), density=True)[0], F64)
case("histogram_between", PAIR, "{m}.histogram_between xs ys", lambda g: (np.sort(np.round(g.array(g.size(2)))), np.round(g.numbers(g.size()))), lambda e, x: np.histogram(x, e)[0], F64)


def points(g):
    n = g.size()
    return g.rng.random(n) * 4 - 1, np.round(g.rng.random(n) * 4 - 1, 1)


case("histogram2d", "[n] (k: i64) (l: i64) (xs: [n]{t}) (ys: [n]{t})", "{m}.histogram2d k l (0, 2) (-1, 1) xs ys", lambda g: (g.integer(1, 5), g.integer(1, 5), *points(g)), lambda k, l, x, y: np.histogram2d(x, y, (k, l), ((0, 2), (-1, 1)))[0].astype(int), F64)
case("histogram2d_weighted", "[n] (k: i64) (l: i64) (ws: [n]{t}) (xs: [n]{t}) (ys: [n]{t})", "{m}.histogram2d_weighted k l (0, 2) (-1, 1) ws xs ys", lambda g: (lambda x, y: (g.integer(1, 5), g.integer(1, 5), g.array(len(x)), x, y))(*points(g)), lambda k, l, w, x, y: np.histogram2d(x, y, (k, l), ((0, 2), (-1, 1)), weights=w)[0], {"f64": 1e-8})
plain("nansum", np.nansum, FSUMS)
plain("nanprod", np.nanprod, FLOATS)
plain("nancumsum", np.nancumsum, FSUMS)
plain("nancumprod", np.nancumprod, FLOATS)
plain("nanmean", np.nanmean, FSUMS)
plain("nanvar", np.nanvar, FSUMS, varied)
plain("nanstd", np.nanstd, FSUMS, varied)
plain("nanmax", empty(np.nanmax, np.nan), FLOATS)
plain("nanmin", empty(np.nanmin, np.nan), FLOATS)
plain("nanargmax", lambda x: 0 if np.isnan(x).all() else np.nanargmax(x), FLOATS)
plain("nanargmin", lambda x: 0 if np.isnan(x).all() else np.nanargmin(x), FLOATS)
plain("nanmedian", empty(np.nanmedian, np.nan), FLOATS)
NANS = lambda g: (lambda q, x: (q, np.where(g.rng.random(len(x)) < 0.3, np.nan, x).astype(g.dtype)))(*FINITE_PART(g))
case("nanquantile", QUANTILE, "{m}.nanquantile q xs", NANS, lambda q, x: np.nanquantile(x, q) if x.size else np.nan, FSUMS)
case("nanpercentile", QUANTILE, "{m}.nanpercentile q xs", lambda g: (lambda q, x: (q * 100, x))(*NANS(g)), lambda q, x: np.nanpercentile(x, q) if x.size else np.nan, FSUMS)
case("solve", "[n] (a: [n][n]{t}) (b: [n]{t})", "{m}.solve a b", lambda g: (lambda n: (g.array(n, n) + (np.eye(n) * 12).astype(g.dtype), g.array(n)))(g.size()), np.linalg.solve, {"f64": 1e-8, "f32": 1e-2})

# Complex numbers
ZROWS = "[n] (x: [n]{t}) (y: [n]{t})"
ZROW = "[n] (x: [n]{t})"
ZMATRIX = "[n] [m] (a: [n][m]{t})"
X, Y, M = "x", "y", "a"
COMPLEX = {"c128": 1e-8, "c64": 1e-3}
ROWC = lambda g: (g.array(g.size()),)
TWOC = lambda g: (lambda n: (g.array(n), g.array(n)))(g.size())
parts = parts_2d = lambda body: body


for name, oracle in [("real", np.real), ("imag", np.imag), ("angle", np.angle), ("absolute", np.abs)]:
    case(f"complex.{name}", ZROW, f"map {{m}}.{name} {X}", ROWC, oracle, COMPLEX)
case("complex.conj", ZROW, parts(f"map {{m}}.conj ({X})"), ROWC, np.conj, COMPLEX)
for name, oracle in [("sum", np.sum), ("prod", np.prod), ("mean", np.mean)]:
    case(f"complex.{name}", ZROW, f"{{m}}.{name} ({X})", lambda g: (g.array(g.size(1)),), oracle, COMPLEX)
for name, oracle in [("variance", np.var), ("std", np.std), ("norm", np.linalg.norm)]:
    case(f"complex.{name}", ZROW, f"{{m}}.{name} ({X})", lambda g: (g.array(g.size(2)),), oracle, COMPLEX)
for name, oracle in [("cumsum", np.cumsum), ("cumprod", np.cumprod), ("flipped", np.flip)]:
    case(f"complex.{name}", ZROW, parts(f"{{m}}.{name} ({X})"), ROWC, oracle, COMPLEX)
case("complex.roll", "[n] (k: i64) (x: [n]{t})", parts(f"{{m}}.roll k ({X})"), lambda g: (g.integer(-5, 5), *ROWC(g)), lambda k, x: np.roll(x, k), COMPLEX)
case("complex.dot", ZROWS, f"{{m}}.dot ({X}) ({Y})", TWOC, np.dot, COMPLEX)
case("complex.vdot", ZROWS, f"{{m}}.vdot ({X}) ({Y})", TWOC, np.vdot, COMPLEX)
case("complex.isclose", ZROWS, f"{{m}}.isclose ({X}) ({Y})", lambda g: (lambda x: (x, x * g.pick(1, 1 + 1e-6j, 1.1)))(*ROWC(g)), np.isclose, COMPLEX)
case("complex.allclose", ZROWS, f"{{m}}.allclose ({X}) ({Y})", lambda g: (lambda x: (x, x * g.pick(1, 1 + 1e-6j, 1.1)))(*ROWC(g)), np.allclose, COMPLEX)
case("complex.array_equal", ZROWS, f"{{m}}.array_equal ({X}) ({Y})", lambda g: (lambda x: (x, x * g.pick(1, 2)))(*ROWC(g)), np.array_equal, COMPLEX)
case("complex.count_nonzero", ZROW, f"{{m}}.count_nonzero ({X})", lambda g: (np.round(g.array(g.size()) / 10),), np.count_nonzero, COMPLEX)
case("complex.correlate", "[n] [m] (x: [n]{t}) (y: [m]{t})", parts(f"{{m}}.correlate ({X}) ({Y})"), signals, np.correlate, COMPLEX)
case("complex.convolve", "[n] [m] (x: [n]{t}) (y: [m]{t})", parts(f"{{m}}.convolve ({X}) ({Y})"), signals, np.convolve, COMPLEX)
case("complex.cov", ZMATRIX, parts_2d(f"{{m}}.cov ({M})"), lambda g: (g.array(g.size(1, 4), g.size(2)),), lambda a: np.atleast_2d(np.cov(a)), COMPLEX)
case("complex.adjoint", ZMATRIX, parts_2d(f"{{m}}.adjoint ({M})"), lambda g: (g.array(g.size(1), g.size(1)),), lambda a: a.conj().T, COMPLEX)

# Short, longer and long arrays are sorted by different algorithms, which go by samples, by bits in which elements differ, and by their order.
def long(g):
    x = g.numbers(g.pick(31, 33, 500, 20000, 40001, 70000))
    shape = g.pick("any", "sorted", "few", "equal", "skewed")
    if shape == "sorted":
        x = np.sort(x)
    elif shape == "few":
        x = (x / 40).round().astype(x.dtype)
    elif shape == "equal":
        x = x[:1].repeat(len(x))
    elif shape == "skewed" and x.dtype.kind == "f":
        x = (x * 10.0 ** g.rng.integers(-9, 9, len(x))).astype(x.dtype)
    return (x,)


LONG = long
case("long.sort", ROW, "{m}.sort xs", LONG, np.sort, {"f64": None, "f32": None, "i64": None, "i32": None}, evaluated=0)
case("long.argsort", ROW, "{m}.argsort xs", LONG, lambda x: np.argsort(x, stable=True), {"f64": None, "i64": None}, evaluated=0)
case("long.median", ROW, "{m}.median xs", LONG, np.median, FLOATS, evaluated=0)
case("long.unique", ROW, "{m}.unique xs", LONG, np.unique, NUMBERS, evaluated=0)
case("long.argpartition", "[n] (k: i64) (xs: [n]{t})", "{m}.argpartition k xs", lambda g: (lambda x: (g.integer(0, len(x) - 1), x))(long(g)[0]), None, NUMBERS, check=partitions, evaluated=0)
case("long.quantile", ROW, "{m}.quantile 0.3 xs", LONG, lambda x: np.quantile(x, x.dtype.type(0.3)), FSUMS, evaluated=0)
case("long.searchsorted", PAIR, "{m}.searchsorted xs ys", lambda g: (np.sort(long(g)[0]), long(g)[0]), np.searchsorted, NUMBERS, evaluated=0)

# Where values were wrong.
CASES.append(edges("ends.quantile_by", {"np_f64.quantile_by 0 0 0.3 [f64.inf, 1]": 1.0, "np_f64.quantile 0 [1, f64.inf]": 1.0, "np_f64.quantile 1 [1, f64.inf]": np.inf, "np_f64.median [f64.nan, 1]": np.nan}))
