"""The algorithm of Barnes and Hut with a recursive tree: prints masses, positions and accelerations."""

import numpy as np


def tree(codes, at, mass, corner, depth=0):
    """A cell of bodies with the same highest bits: mass, centre, depth, children."""
    total = mass.sum()
    cell = (total, (mass[:, None] * at).sum(axis=0) / total, depth, [])
    if len(mass) > 1 and depth < 20:
        octant = (codes >> (19 - depth)) & 1
        for number in np.ndindex(2, 2, 2):
            inside = (octant == number).all(axis=1)
            if inside.any():
                cell[3].append(tree(codes[inside], at[inside], mass[inside], corner, depth + 1))
    return cell


def walk(cell, p, theta, side):
    mass, centre, depth, children = cell
    d = centre - p
    if side * 0.5 ** depth < theta * np.sqrt((d ** 2).sum()) or not children:
        return mass * ((d ** 2).sum() + 0.0025) ** -1.5 * d
    return sum(walk(child, p, theta, side) for child in children)


rng = np.random.default_rng(7)
mass = rng.integers(1, 9, 12) / 8
at = np.concatenate([rng.integers(0, 64, (6, 3)) / 64, rng.integers(200, 264, (6, 3)) / 64])
corner = at.min(axis=0)
side = (at.max(axis=0) - corner).max()
codes = np.minimum(1048575, np.floor((at - corner) / side * 1048576)).astype(int)
root = tree(codes, at, mass, corner)
print(mass.tolist())
print(at.tolist())
for theta in (0, 0.7):
    print([walk(root, p, theta, side).tolist() for p in at])
