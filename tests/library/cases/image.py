"""`lib/image` against NumPy: padded images and their windows."""

import numpy as np
from case import Case, Fails

LIBRARY = "lib/image"
COMPLETE = True
MODULES = {"f64": "image"}
CASES = []
# The modes with the names that NumPy's `pad` has for them.
MODES = {"#reflect": "symmetric", "#mirror": "reflect", "#nearest": "edge", "#wrap": "wrap", "#constant 1.5": "constant"}


def case(name, parameters, body, inputs, oracle, tolerance=1e-9, **more):
    CASES.append(Case(name, f"entry {{name}} {parameters} = {body}", inputs, oracle, types={"f64": tolerance}, **more))


def moded(name, parameters, arguments, inputs, oracle, **more):
    """A case for each mode; what `oracle` gets first pads."""
    for number, (mode, numpy) in enumerate(MODES.items()):
        pad = lambda a, *widths, numpy=numpy: np.pad(a, widths, numpy, **({"constant_values": 1.5} if numpy == "constant" else {}))
        shown = name if number == 0 else f"{numpy}.{name}"
        case(shown, parameters, f"image.{name} ({mode}) {arguments}", inputs, lambda *a, pad=pad: oracle(pad, *a), **more)


windows = np.lib.stride_tricks.sliding_window_view
A = "[n] [m] (a: [n][m]f64)"
picture = lambda g, least=1: g.array(g.size(least), g.size(least))
# So much is added in front of and behind k elements.
around = lambda k: (k // 2, k - 1 - k // 2)


def correlate(pad, kernel, a):
    k, l = kernel.shape
    return (windows(pad(a, around(k), around(l)), (k, l)) * kernel).sum((2, 3))


def convolve(pad, kernel, a):
    k, l = kernel.shape
    behind = lambda k: around(k)[::-1]
    return (windows(pad(a, behind(k), behind(l)), (k, l)) * kernel[::-1, ::-1]).sum((2, 3))


KERNEL = "[n] [m] [k] [l] (w: [k][l]f64) (a: [n][m]f64)"
kernels = lambda g: (g.array(g.size(1, 5), g.size(1, 5)), picture(g))
moded("correlate", KERNEL, "w a", kernels, correlate)
moded("convolve", KERNEL, "w a", kernels, convolve)
moded("correlate1d", "[n] [k] (w: [k]f64) (xs: [n]f64)", "w xs", lambda g: (g.array(g.size(1, 5)), g.array(g.size(1))), lambda pad, w, x: (windows(pad(x, around(len(w))), len(w)) * w).sum(1))


def gaussian(pad, sigma, a):
    radius = int(4 * sigma + 0.5)
    w = np.exp(-((np.arange(-radius, radius + 1) / sigma) ** 2) / 2)
    w /= w.sum()
    return correlate(pad, np.outer(w, w), a)


moded("gaussian_filter", "[n] [m] (s: f64) (a: [n][m]f64)", "s a", lambda g: (float(g.rng.uniform(0.3, 2)), picture(g)), gaussian)
SIZED = "[n] [m] (k: i64) (a: [n][m]f64)"
sizes = lambda g: (g.integer(1, 5), picture(g))
moded("uniform_filter", SIZED, "k a", sizes, lambda pad, k, a: correlate(pad, np.full((k, k), 1 / k**2), a))
for axis in (0, 1):
    for name, side in (("sobel", [1, 2, 1]), ("prewitt", [1, 1, 1])):
        # One direction after the other, as in SciPy: a constant lies beyond the border of what is between, too.
        passes = [np.array([[-1], [0], [1]]), np.array([side])]
        passes = [w.T for w in passes] if axis == 1 else passes
        moded(f"{name}{axis}", A, "a", lambda g: (picture(g).round(),), lambda pad, a, passes=passes: correlate(pad, passes[1], correlate(pad, passes[0], a)))
moded("laplace", A, "a", lambda g: (picture(g).round(),), lambda pad, a: correlate(pad, np.array([[0, 1, 0], [1, -4, 1], [0, 1, 0]]), a))
near = lambda pad, k, a: windows(pad(a, around(k), around(k)), (k, k)).reshape(*a.shape, k * k)
moded("minimum_filter", SIZED, "k a", sizes, lambda pad, k, a: near(pad, k, a).min(2))
moded("maximum_filter", SIZED, "k a", sizes, lambda pad, k, a: near(pad, k, a).max(2))
moded("morphological_gradient", SIZED, "k a", sizes, lambda pad, k, a: np.ptp(near(pad, k, a), axis=2))
moded("rank_filter", "[n] [m] (r: i64) (k: i64) (a: [n][m]f64)", "r k a", lambda g: (lambda k: (g.integer(-k * k, k * k - 1), k, picture(g).round()))(g.integer(1, 4)), lambda pad, r, k, a: np.sort(near(pad, k, a), 2)[:, :, r])
moded("median_filter", SIZED, "k a", lambda g: (g.integer(1, 4), picture(g)), lambda pad, k, a: np.sort(near(pad, k, a), 2)[:, :, k * k // 2])


def sample(pad, a, y, x):
    a = pad(a, (9, 9), (9, 9))
    i, j = int(np.floor(y)), int(np.floor(x))
    u, v = y - i, x - j
    # The weights of what lies beyond the last element are 0.
    b = a[i + 9 : i + 11, j + 9 : j + 11]
    return np.array([1 - u, u]) @ b @ np.array([1 - v, v])


SAMPLE = lambda g: (lambda a: (a, float(g.rng.uniform(-3, a.shape[0] + 2)), float(g.pick(0.0, g.rng.uniform(-3, a.shape[1] + 2)))))(g.array(g.size(2, 8), g.size(2, 8)))
moded("sample", A + " (y: f64) (x: f64)", "a y x", SAMPLE, sample)
edge = lambda a, *widths: np.pad(a, widths, "edge")


def resize(k, l, a):
    n, m = a.shape
    at = lambda i, n, k: (i + 0.5) * n / k - 0.5
    along = lambda rows, n, k: np.stack([np.interp(at(np.arange(k), n, k), np.arange(n), row) for row in rows])
    return along(along(a, m, l).T, n, k).T


case("resize", "[n] [m] (k: i64) (l: i64) (a: [n][m]f64)", "image.resize k l a", lambda g: (g.size(1), g.size(1), picture(g)), resize)
case("resize_nearest", "[n] [m] (k: i64) (l: i64) (a: [n][m]f64)", "image.resize_nearest k l a", lambda g: (g.size(1), g.size(1), picture(g)), lambda k, l, a: a[((2 * np.arange(k) + 1) * a.shape[0]) // (2 * k)][:, ((2 * np.arange(l) + 1) * a.shape[1]) // (2 * l)])
case("block_mean", "[n] [m] (k: i64) (l: i64) (a: [n][m]f64)", "image.block_mean k l a", lambda g: (lambda k, l: (k, l, g.array(k * g.size(1, 4) + (g.number == 50), l * g.size(1, 4))))(g.integer(2, 4), g.integer(1, 4)), lambda k, l, a: Fails(506) if a.shape[0] % k else a.reshape(a.shape[0] // k, k, -1, l).mean((1, 3)))


def affine(pad, matrix, offset, a):
    return np.array([[sample(pad, a, *(matrix @ (i, j) + offset)) for j in range(a.shape[1])] for i in range(a.shape[0])])


small = lambda g: g.array(g.size(2, 6), g.size(2, 6))
moded("affine_transform", "[n] [m] (w: [2][2]f64) (o: [2]f64) (a: [n][m]f64)", "w o a", lambda g: (g.rng.uniform(-0.6, 0.6, (2, 2)), g.rng.uniform(-0.5, 1, 2), small(g)), affine)


def rotate(pad, angle, a):
    turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    centre = (np.array(a.shape) - 1) / 2
    return affine(pad, turn, centre - turn @ centre, a)


# A quarter turn is not compared: rounding decides which elements it meets.
moded("rotate", "[n] [m] (t: f64) (a: [n][m]f64)", "t a", lambda g: (float(g.rng.uniform(-3, 3)), small(g)), rotate)
case("quarter.rotate", "[n] (a: [n][n]f64)", "image.rotate #nearest (f64.pi / 2) a", lambda g: (lambda n: (g.array(n, n),))(g.size(1)), np.rot90, 1e-7)

# Morphology
BOOLS = lambda g: g.rng.random((g.size(1), g.size(1))) < g.pick(0.0, 0.4, 0.7, 1.0)
STRUCTURE = "[n] [m] [k] [l] (s: [k][l]bool) (a: [n][m]bool)"
structures = lambda g: (g.rng.random((g.size(1, 4), g.size(1, 4))) < 0.7, BOOLS(g))


def erosion(s, a):
    k, l = s.shape
    return (windows(np.pad(a, (around(k), around(l))), (k, l)) | ~s).all((2, 3))


def dilation(s, a):
    k, l = s.shape
    return (windows(np.pad(a, (around(k)[::-1], around(l)[::-1])), (k, l)) & s[::-1, ::-1]).any((2, 3))


case("binary_erosion", STRUCTURE, "image.binary_erosion s a", structures, erosion)
case("binary_dilation", STRUCTURE, "image.binary_dilation s a", structures, dilation)
case("binary_opening", STRUCTURE, "image.binary_opening s a", structures, lambda s, a: dilation(s, erosion(s, a)))
case("binary_closing", STRUCTURE, "image.binary_closing s a", structures, lambda s, a: erosion(s, dilation(s, a)))


def label(a):
    parts, count = np.zeros(a.shape, np.int64), 0
    for start in zip(*np.nonzero(a)):
        if parts[start]:
            continue
        count += 1
        todo = [start]
        while todo:
            i, j = todo.pop()
            if 0 <= i < a.shape[0] and 0 <= j < a.shape[1] and a[i, j] and not parts[i, j]:
                parts[i, j] = count
                todo += [(i + 1, j), (i - 1, j), (i, j + 1), (i, j - 1)]
    return parts, count


def filled(a):
    return ~(label(~np.pad(a, 1))[0] == 1)[1:-1, 1:-1]


B = "[n] [m] (a: [n][m]bool)"
case("label", B, "image.label a", lambda g: (BOOLS(g),), label)
case("binary_fill_holes", B, "image.binary_fill_holes a", lambda g: (BOOLS(g),), filled)


def distances(a):
    off = np.argwhere(~a)
    places = np.indices(a.shape).transpose(1, 2, 0)
    return np.sqrt(((places[:, :, None] - off) ** 2).sum(3).min(2, initial=2**40)) if len(off) else np.full(a.shape, np.inf)


case("distance_transform_edt", B, "image.distance_transform_edt a", lambda g: (BOOLS(g),), distances)

# Grey values
case("integral_image", A, "image.integral_image a", lambda g: (picture(g),), lambda a: a.cumsum(0).cumsum(1))
case("grey", "(rgb: [3]f64)", "image.grey rgb", lambda g: (g.rng.random(3),), lambda c: c @ [0.299, 0.587, 0.114])
VALUES = lambda g: (g.rng.random((g.size(2), g.size(2))),)


def otsu(a):
    counts, edges = np.histogram(a, 256, (0, 1))
    centres = (edges[1:] + edges[:-1]) / 2
    best, found = -1.0, 0.0
    for i in range(255):
        w0, w1 = counts[: i + 1].sum(), counts[i + 1 :].sum()
        if w0 and w1:
            d = (counts[: i + 1] @ centres[: i + 1]) / w0 - (counts[i + 1 :] @ centres[i + 1 :]) / w1
            # The first of those that differ in rounding only.
            if w0 * w1 * d * d > best * (1 + 1e-9):
                best, found = w0 * w1 * d * d, centres[i]
    return found


case("threshold_otsu", A, "image.threshold_otsu a", VALUES, otsu, check=lambda a, r: None if abs(r[0] - otsu(*a)) < 1e-9 or np.histogram(a[0], [0, min(r[0], otsu(*a)) + 1 / 512, max(r[0], otsu(*a)) + 1 / 512, 1])[0][1] == 0 else f"{r[0]}, not {otsu(*a)}")
case("equalise", A, "image.equalise a", VALUES, lambda a: np.array([[(np.floor(a * 256) <= np.floor(x * 256)).mean() for x in row] for row in a]))
