"""The matrix Q of an MRI reconstruction: n voxels, n/8 samples. Inputs and expected results; see ../common.py."""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import common

SIZES = {"test": 64, "small": 1024, "large": 16_384}


def generate(n, random):
    samples = max(4, n // 8)
    k = [random.random(samples, np.float32) - np.float32(0.5) for _ in "xyz"]
    voxels = [random.random(n, np.float32) for _ in "xyz"]
    return k + voxels + [random.random(samples, np.float32) for _ in "ri"]


def reference(kx, ky, kz, x, y, z, phi_r, phi_i):
    angle = np.float32(2 * np.pi) * (np.stack([x, y, z], axis=1) @ np.stack([kx, ky, kz]))
    magnitude = phi_r**2 + phi_i**2
    return np.cos(angle) @ magnitude, np.sin(angle) @ magnitude


if __name__ == "__main__":
    common.main(SIZES, generate, reference)
