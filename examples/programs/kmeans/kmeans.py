"""Lloyd's algorithm with NumPy: prints the block of expectations."""

import numpy as np

points = np.array([[0, 0], [1, 0], [0, 2], [9, 9], [8, 9], [10, 6], [-4, 7], [-5, 8]], dtype=float)
centres = np.array([[1, 1], [2, 3], [-1, 9]], dtype=float)
steps, moved = 0, np.inf
while moved > 1e-9 and steps < 20:
    near = ((points[:, None] - centres) ** 2).sum(axis=2).argmin(axis=1)
    new = np.array([points[near == j].mean(axis=0) if (near == j).any() else centres[j] for j in range(len(centres))])
    moved = ((new - centres) ** 2).sum(axis=1).max()
    centres, steps = new, steps + 1
near = ((points[:, None] - centres) ** 2).sum(axis=2).argmin(axis=1)
print(near.tolist(), centres.tolist(), steps, ((points - centres[near]) ** 2).sum())
