"""Long short-term memory with NumPy, its gradient by complex steps: prints the block of expectations."""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import blocks

sigmoid = lambda x: 1 / (1 + np.exp(-x))


def loss(xs, inputs, back, offset, out, bias):
    hidden = memory = np.zeros(len(offset[0]))
    error = 0
    for now, following in zip(xs, xs[1:]):
        forget, enter, leave, new = inputs @ now + back @ hidden + offset
        memory = sigmoid(forget) * memory + sigmoid(enter) * np.tanh(new)
        hidden = sigmoid(leave) * np.tanh(memory)
        error = error + ((out @ hidden + bias - following) ** 2).sum()
    return error / (xs[1:].size)


random = np.random.default_rng(9)
cases = []
for t, d, h in (4, 2, 2), (6, 1, 3):
    xs = random.standard_normal((t, d)).round(2)
    weights = [random.standard_normal(shape).round(2) for shape in ((4, h, d), (4, h, h), (4, h), (d, h), (d,))]
    f = lambda *w: loss(xs, *w)
    cases.append(([xs, *weights], [f(*weights), *blocks.gradient(f, *weights)]))
blocks.block("lstm", *cases, tags="derivatives")
