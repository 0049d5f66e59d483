"""Games of life with NumPy: prints the blocks of expectations."""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from blocks import block


def life(born, survives, generations, world):
    for _ in range(generations):
        near = sum(np.roll(world.astype(int), (i, j), (0, 1)) for i in (-1, 0, 1) for j in (-1, 0, 1)) - world
        world = np.where(world, np.isin(near, survives), np.isin(near, born))
    return world


def world(text):
    return np.array([[c == "#" for c in row] for row in text.split("/")])


random = np.random.default_rng(29)
conway, high = (np.array([3]), np.array([2, 3])), (np.array([3, 6]), np.array([2, 3]))
glider = world(".#....../..#...../###...../......../......../......../......../........")
soup = random.random((9, 7)) < 0.4
block("life", *(([*r, g, w], [life(*r, g, w)]) for r, g, w in [(conway, 4, glider), (conway, 32, glider), (high, 6, soup), (conway, 0, soup)]))
blinker, block_of_four = world("...../..#../..#../..#../....."), world("...../.##../.##../...../.....")
worlds = np.stack([blinker, block_of_four, random.random((5, 5)) < 0.5])
counts = np.array([[life(*conway, g, w).sum() for w in worlds] for g in range(6)])
print()
block("census", ([6, worlds], [counts, int(sum((life(*conway, 6, w) == w).all() for w in worlds))]))
