"""One step of k-means clustering. Inputs and expected results; see ../common.py."""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import common

SIZES = {"test": 100, "small": 2000, "large": 200_000}


def generate(n, random):
    """Points and 32 centres. Coordinates are sixteenths: distances are exact, so that ties are ties."""
    return [(random.integers(0, 16, (count, 16)) / 16).astype(np.float32) for count in (n, 32)]


def reference(points, centres):
    squares = [np.square(points - centre).sum(axis=1) for centre in centres]
    near = np.argmin(squares, axis=0)
    moved = [points[near == i].mean(axis=0) if (near == i).any() else centre for i, centre in enumerate(centres)]
    return near.astype(np.int64), np.array(moved, np.float32)


if __name__ == "__main__":
    common.main(SIZES, generate, reference)
