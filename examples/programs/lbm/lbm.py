"""A fluid in a box whose lid moves with NumPy: prints the block of expectations. Walls are treated direction by direction."""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from blocks import block

C = [(x, y, z) for x in (-1, 0, 1) for y in (-1, 0, 1) for z in (-1, 0, 1) if abs(x) + abs(y) + abs(z) < 3]
W = [{0: 1 / 3, 1: 1 / 18, 2: 1 / 36}[abs(x) + abs(y) + abs(z)] for x, y, z in C]


def moments(f):
    rho = sum(f)
    return rho, sum(part[..., None] * np.array(c) for part, c in zip(f, C)) / rho[..., None]


def cavity(n, m, l, steps, omega, lid):
    wall, speed = np.ones((n, m, l), bool), np.zeros((n, m, l, 3))
    wall[1:-1, 1:-1, 1:-1] = False
    speed[:, :, -1] = lid
    f = [np.full((n, m, l), w) for w in W]
    for _ in range(steps):
        rho, u = moments(f)
        for q, (c, w) in enumerate(zip(C, W)):
            along = u @ np.array(c)
            f[q] = f[q] + omega * (w * rho * (1 + 3 * along + 4.5 * along**2 - 1.5 * (u**2).sum(axis=-1)) - f[q])
        new = []
        for q, (c, w) in enumerate(zip(C, W)):
            back = C.index((-c[0], -c[1], -c[2]))
            moved, from_wall, from_speed = (np.roll(a, c, axis=(0, 1, 2)) for a in (f[q], wall, speed))
            new.append(np.where(wall, f[q], np.where(from_wall, f[back] + 6 * w * from_speed @ np.array(c), moved)))
        f = new
    return tuple(part.astype(np.float32) for part in moments(f))


lid = np.array([0.1, -0.05, 0], np.float32)
cases = []
for n, m, l, steps, omega in [(4, 5, 6, 8, 1.25), (3, 4, 3, 2, 0.75)]:
    cases.append(([n, m, l, steps, np.float32(omega), lid], cavity(n, m, l, steps, omega, lid)))
block("cavity", *cases)
