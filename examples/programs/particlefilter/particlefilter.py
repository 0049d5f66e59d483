"""A particle filter with NumPy: prints the blocks of expectations. The random numbers are those of lib/random: SplitMix64 and Box and Muller's."""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from blocks import block

MASK, GOLDEN = (1 << 64) - 1, 0x9E3779B97F4A7C15


def mix(x):
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & MASK
    x = (x ^ x >> 27) * 0x94D049BB133111EB & MASK
    return x ^ x >> 31


class Engine:
    def __init__(self, state):
        self.state = state

    def split(self, n):
        return [Engine(mix(mix(self.state + GOLDEN * (i + 1) & MASK) + GOLDEN & MASK)) for i in range(n)]

    def unit(self):
        self.state = self.state + GOLDEN & MASK
        return (mix(self.state) >> 11) / 2**53

    def normals(self):
        u, v = self.unit(), self.unit()
        return np.sqrt(-2 * np.log(1 - u)) * np.array([np.cos(2 * np.pi * v), np.sin(2 * np.pi * v)])


def video(t, h, w, seed, radius, x, y):
    frames = np.zeros((t, h, w))
    for k, i, j in np.ndindex(t, h, w):
        inside = (j - x - (k + 1)) ** 2 + (i - y + 2 * (k + 1)) ** 2 < radius**2
        frames[k, i, j] = (228 if inside else 100) + 5 * Engine(mix(seed + (k * h + i) * w + j)).normals()[0]
    return frames.round().clip(0, 255).astype(np.uint8)


def follow(seed, n, radius, x, y, frames):
    square = range(-radius + 1, radius)
    disk = [(i, j) for i in square for j in square if i * i + j * j < radius * radius]
    engines, common = Engine(mix(seed)).split(n), Engine(mix(seed + 1))
    at = np.tile([float(x), float(y)], (n, 1))
    results = []
    for frame in frames:
        at = at + [1, -2] + [5, 2] * np.array([engine.normals() for engine in engines])
        logarithms = np.zeros(n)
        for p, (i, j) in ((p, d) for p in range(n) for d in disk):
            i, j = int(np.rint(at[p, 1] + i)), int(np.rint(at[p, 0] + j))
            pixel = float(frame[i, j]) if 0 <= i < frame.shape[0] and 0 <= j < frame.shape[1] else 164
            logarithms[p] += ((pixel - 100) ** 2 - (pixel - 228) ** 2) / 50 / len(disk)
        weights = np.exp(logarithms - logarithms.max())
        weights /= weights.sum()
        results.append([*(weights @ at), 1 / (weights**2).sum()])
        u = (common.unit() + np.arange(n)) / n
        at = at[np.minimum(n - 1, np.searchsorted(np.cumsum(weights), u))]
    return list(np.transpose(results))


frames = video(3, 12, 10, 5, 3, 3, 9)
block("video", ([3, 12, 10, 5, 3, 3.0, 9.0], [frames]))
print()
block("follow", ([1, 24, 3, 3.0, 9.0, frames], follow(1, 24, 3, 3, 9, frames)))
