"""A ray tracer with NumPy, every ray against every thing: prints the blocks of expectations."""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from blocks import block


def unit(v):
    return v / np.linalg.norm(v)


def distance(origin, direction, thing):
    if len(thing) == 2:
        centre, radius = thing
        to = centre - origin
        rest = (to @ direction) ** 2 - to @ to + radius**2
        roots = [to @ direction + sign * np.sqrt(rest) for sign in (-1, 1)] if rest >= 0 else []
        return min((d for d in roots if d > 1e-3), default=np.inf)
    a, b, c = thing
    u, v, minus = np.linalg.solve(np.array([b - a, c - a, -direction]).T, origin - a)
    return minus if u >= 0 and v >= 0 and u + v <= 1 and minus > 1e-3 else np.inf


def trace(origin, direction, shapes):
    distances = [distance(origin, direction, shape) for shape in shapes]
    k = int(np.argmin(distances))
    return k, distances[k]


def colour(origin, direction, light, shapes, colours, mirrors):
    seen, share = np.zeros(3), 1.0
    for _ in range(4):
        k, d = trace(origin, direction, shapes)
        if d == np.inf:
            y = (direction[1] + 1) / 2
            return seen + share * ((1 - y) * np.ones(3) + y * np.array([0.4, 0.6, 1]))
        origin, shape = origin + d * direction, shapes[k]
        n = unit(origin - shape[0]) if len(shape) == 2 else unit(np.cross(shape[1] - shape[0], shape[2] - shape[0]))
        n = -n if n @ direction > 0 else n
        lit = max(0, n @ light) if trace(origin, light, shapes)[1] == np.inf else 0
        seen = seen + share * (1 - mirrors[k]) * (0.2 + 0.8 * lit) * colours[k]
        share *= mirrors[k]
        if share <= 0.01:
            break
        direction = direction - 2 * (n @ direction) * n
    return seen


def render(h, w, eye, target, light, centres, radii, c1, m1, corners, c2, m2):
    shapes = [(c, r) for c, r in zip(centres, radii)] + [tuple(t) for t in corners]
    colours, mirrors = np.concatenate([c1, c2]), np.concatenate([m1, m2])
    forward = unit(target - eye)
    right = unit(np.cross(forward, [0, 1, 0]))
    up = np.cross(right, forward)
    image = np.zeros((h, w, 3))
    for i, j in np.ndindex(h, w):
        direction = unit(forward + (2 * j + 1 - w) / h * right + (h - 2 * i - 1) / h * up)
        image[i, j] = colour(eye, direction, unit(light), shapes, colours, mirrors)
    return image.astype(np.float32)


f = lambda x: np.array(x, np.float32)
eye, target, light = f([0.5, 2, 6]), f([0, 0.5, 0]), f([1, 2, 1.5])
random = np.random.default_rng(23)
n = 7
centres = f(np.stack([random.uniform(-2, 2, n), random.uniform(0.3, 1.8, n), random.uniform(-3, 1, n)], axis=1).round(2))
radii, mirrors = f(random.uniform(0.3, 0.8, n).round(2)), f([0, 0.5, 0.9, 0, 0.3, 0, 0.8])
colours = f(random.random((n, 3)).round(2))
floor = f([[[-9, 0, -9], [9, 0, -9], [9, 0, 9]], [[-9, 0, -9], [9, 0, 9], [-9, 0, 9]]])
scene = [eye, target, light, centres, radii, colours, mirrors, floor, f([[0.7, 0.7, 0.6]] * 2), f([0.2, 0.2])]
one = [eye, target, light, centres[:1], radii[:1], colours[:1], mirrors[:1], floor[:0], f(np.zeros((0, 3))), f([])]
block("render", *(([h, w, *s], [render(h, w, *(np.float64(a) for a in s))]) for h, w, s in [(7, 9, scene), (3, 3, one)]))
print()
block("tree_is_right", ([40, 100], [True]), ([1, 4], [True]))
