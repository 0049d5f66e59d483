"""The matrix Q of an MRI reconstruction with NumPy: prints the block of expectations."""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from blocks import block

random = np.random.default_rng(3)
k = (random.random((3, 6)) - 0.5).round(3).astype(np.float32)
x = random.random((3, 4)).round(3).astype(np.float32)
phi = random.random((2, 6)).round(3).astype(np.float32)
q = np.exp(2j * np.pi * (x.T.astype(float) @ k)) @ (phi.astype(float) ** 2).sum(axis=0)
block("mriq", ([*k, *x, *phi], [q.real.astype(np.float32), q.imag.astype(np.float32)]))
