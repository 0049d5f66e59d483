"""Hand tracking with NumPy, its derivatives by complex steps: prints the blocks of expectations."""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import blocks


def rotation(axis):
    """The exponential of the matrix of the cross product, as a series."""
    k = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    term = total = np.eye(3)
    for i in range(1, 60):
        term = k @ term / i
        total = total + term
    return total


def pose(theta, bones):
    """The angles of the bones about the axes x, z and y, handed out one after the other."""
    rest = list(theta[6:])
    angles = [[0, 0, 0] for _ in range(22)]
    for finger in range(5):
        for joint in range(3):
            angles[2 + 4 * finger + joint][0] = rest.pop(0)
            if joint == 0:
                angles[2 + 4 * finger][1] = rest.pop(0)
    return angles[:bones]


def vertices(theta, parents, relatives, inverses, positions, weights):
    angles = pose(theta, len(parents))

    def absolute(bone):
        x, z, y = angles[bone]
        turn = np.eye(4, dtype=complex)
        turn[:3, :3] = rotation([0, 0, z]) @ rotation([0, y, 0]) @ rotation([x, 0, 0])
        before = absolute(parents[bone]) if parents[bone] >= 0 else np.eye(4)
        return before @ relatives[bone] @ turn

    transforms = [absolute(bone) @ inverses[bone] for bone in range(len(parents))]
    # The transforms are blended, not the places where they move a vertex to.
    blended = np.einsum("vb,bij->vij", weights, transforms)
    local = np.einsum("vij,vj->vi", blended, positions)[:, :3]
    return local @ rotation(theta[:3]).T + theta[3:6]


def model(random, bones, count):
    parents = np.array([-1, 0] + [0 if i % 4 == 2 else i - 1 for i in range(2, bones)])
    relatives, inverses = np.tile(np.eye(4), (2, bones, 1, 1))
    for matrices in relatives, inverses:
        matrices[:, :3] = (matrices[:, :3] + random.uniform(-0.3, 0.3, (bones, 3, 4))).round(1) + 0.0
    positions = np.column_stack([random.uniform(-1, 1, (count, 3)).round(2), np.ones(count)])
    weights = np.zeros((count, bones))
    for i in range(count):
        # The tip of a finger, and two others.
        tip = (5 + 4 * i) % bones
        weights[i, [tip, *random.choice(np.delete(np.arange(bones), tip), 2, replace=False)]] = [0.5, 0.3, 0.2]
    return parents, relatives, inverses, positions, weights


def derivatives(f, x):
    """Row i has the derivatives of all results by number i."""
    return np.array([np.imag(f(x + 1e-30j * unit)) / 1e-30 for unit in np.eye(len(x))])


random = np.random.default_rng(14)
simple = []
for bones, count, points in (22, 6, 5), (4, 2, 2):
    shape = model(random, bones, count)
    theta = random.uniform(-0.6, 0.6, 26).round(2)
    if bones < 22:
        theta[:3] = 0
    which = random.permutation(points)
    found = random.uniform(-1, 1, (points, 3)).round(2)
    errors = lambda theta: found - vertices(theta, *shape)[which]
    half = lambda theta: (errors(theta) ** 2).sum() / 2
    results = [errors(theta).real, derivatives(errors, theta), *blocks.gradient(half, theta)]
    simple.append(([*shape, theta, which, found], results))

shape = model(random, 7, 4)
theta = random.uniform(-0.6, 0.6, 26).round(2)
triangles = np.array([random.choice(4, 3, replace=False) for _ in range(2)])
places = random.uniform(0.1, 0.5, (2, 2)).round(2)
found = random.uniform(-1, 1, (2, 3)).round(2)


def apart(parameters):
    # The last two are steps from the places within the triangles, for all points.
    u, v = (places + parameters[26:]).T
    corners = vertices(parameters[:26], *shape)[triangles]
    return found - np.einsum("cn,ncx->nx", np.array([u, v, 1 - u - v]), corners)


parameters = np.append(theta, [0, 0])
complicated = ([*shape, theta, triangles, places, found], [apart(parameters).real, derivatives(apart, parameters)])
blocks.block("hand", *simple, tags="derivatives")
print()
blocks.block("surface", complicated, tags="derivatives")
