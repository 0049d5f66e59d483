"""Andrew's monotone chain: prints points and the corners of their hull, clockwise from the leftmost."""

import numpy as np


def chain(points):
    out = []
    for p in points:
        while len(out) > 1:
            (ax, ay), (bx, by) = out[-2:]
            if (bx - ax) * (p[1] - ay) - (by - ay) * (p[0] - ax) < 0:
                break
            out.pop()
        out.append(p)
    return out[:-1]


rng = np.random.default_rng(11)
points = [tuple(map(float, p)) for p in rng.integers(-20, 21, (25, 2))]
ordered = sorted(points)
hull = chain(ordered) + chain(ordered[::-1])
for values in zip(*points), zip(*hull):
    for coordinates in values:
        print(list(coordinates))
