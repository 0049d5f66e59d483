"""Air around a wing with NumPy: prints the block of expectations. A state is a vector of five numbers."""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from blocks import block


def derived(u):
    v = u[..., 1:4] / u[..., :1]
    speed2 = (v**2).sum(axis=-1)
    p = 0.4 * (u[..., 4] - 0.5 * u[..., 0] * speed2)
    return v, p, np.sqrt(speed2) + np.sqrt(1.4 * p / u[..., 0])


def flux(normal, u):
    v, p, _ = derived(u)
    result = (normal * v).sum(axis=-1)[..., None] * u
    result[..., 1:4] += p[..., None] * normal
    result[..., 4] += p * (normal * v).sum(axis=-1)
    return result


def euler(steps, mach, angle, volumes, behind, normals):
    a = np.radians(angle)
    v = mach * np.array([np.cos(a), np.sin(a), 0])
    far = np.array([1.4, *(1.4 * v), 0.7 * mach**2 + 1 / 0.4])
    u = np.tile(far, (len(volumes), 1))
    for _ in range(steps):
        old = u
        dt = 0.5 / (np.sqrt(volumes) * derived(u)[2])
        for stage in range(3):
            own, other = u[:, None].repeat(behind.shape[1], axis=1), u[np.maximum(behind, 0)]
            length = np.linalg.norm(normals, axis=-1)
            viscosity = 0.1 * length * (derived(own)[2] + derived(other)[2])
            inner = (flux(normals, own) + flux(normals, other)) / 2 + viscosity[..., None] * (other - own)
            wing = np.zeros_like(own)
            wing[..., 1:4] = derived(own)[1][..., None] * normals
            outer = (flux(normals, own) + flux(normals, far)) / 2
            into = np.where((behind >= 0)[..., None], inner, np.where((behind == -1)[..., None], wing, outer))
            u = old + (dt / (3 - stage))[:, None] * into.sum(axis=1)
    return u[:, 0].astype(np.float32), u[:, 1:4].astype(np.float32), u[:, 4].astype(np.float32)


# A ring of cells: each has its two neighbours, and the wing and the far field at the other faces.
random = np.random.default_rng(19)
n = 6
behind = np.array([[(i + 1) % n, (i - 1) % n, -1 if i < 3 else -2, -2] for i in range(n)])
side = random.standard_normal((n, 3)).round(2) / 4
last = random.standard_normal((n, 3)).round(2) / 4
normals = np.stack([-side, np.roll(side, 1, axis=0), last, side - np.roll(side, 1, axis=0) - last], axis=1).astype(np.float32)
volumes = (0.5 + random.random(n)).round(2).astype(np.float32)
block(
    "euler",
    *(
        ([steps, np.float32(mach), np.float32(angle), volumes, behind, normals], euler(steps, mach, angle, volumes, behind, normals))
        for steps, mach, angle in [(3, 1.2, 0), (1, 0.5, 20)]
    ),
)
