"""SGEMM with NumPy: prints the blocks of expectations."""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from blocks import block

f = np.float32
a = (np.arange(12).reshape(3, 4) % 7 - 2).astype(f) / f(2)
b = (np.arange(8).reshape(4, 2) * 3 % 5 - 1).astype(f)
c = np.array([[1, -1], [0.5, 2], [3, -0.25]], f)
alpha, beta = f(1.5), f(-2)
result = alpha * (a @ b) + beta * c
block("sgemm_nn", ([alpha, a, b, beta, c], [result]), ([f(1), np.eye(2, dtype=f), c.T, f(0), c.T], [c.T]))
block("sgemm_tn", ([alpha, a.T, b, beta, c], [result]))
block("sgemm_nt", ([alpha, a, b.T, beta, c], [result]))
block("sgemm_tt", ([alpha, a.T, b.T, beta, c], [result]))
