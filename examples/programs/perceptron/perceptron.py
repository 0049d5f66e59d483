"""The network with NumPy, its gradient by backpropagation by hand: prints the block of expectations."""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import blocks


def forward(w, xs):
    hidden = np.tanh(xs @ w[0].T + w[1])
    return hidden, hidden @ w[2].T + w[3]


def gradient(w, xs, classes):
    hidden, scores = forward(w, xs)
    likely = np.exp(scores - scores.max(axis=1, keepdims=True))
    likely /= likely.sum(axis=1, keepdims=True)
    likely[np.arange(len(xs)), classes] -= 1
    likely /= len(xs)
    back = (likely @ w[2]) * (1 - hidden**2)
    return [back.T @ xs, back.sum(axis=0), likely.T @ hidden, likely.sum(axis=0)]


def train(steps, rate, xs, classes, *w):
    w = list(w)
    m, v = [0 * x for x in w], [0 * x for x in w]
    for k in range(1, steps + 1):
        for i, g in enumerate(gradient(w, xs, classes)):
            m[i], v[i] = 0.9 * m[i] + 0.1 * g, 0.999 * v[i] + 0.001 * g**2
            w[i] = w[i] - rate * (m[i] / (1 - 0.9**k)) / (np.sqrt(v[i] / (1 - 0.999**k)) + 1e-8)
    scores = forward(w, xs)[1]
    loss = np.mean(np.log(np.exp(scores).sum(axis=1)) - scores[np.arange(len(xs)), classes])
    return [*w, loss, scores]


random = np.random.default_rng(8)
cases = []
for steps, n, d, h, c in (1, 4, 2, 3, 2), (10, 6, 2, 3, 3), (3, 3, 1, 2, 2):
    weights = [random.standard_normal(shape).round(2) for shape in ((h, d), (h,), (c, h), (c,))]
    arguments = [steps, 0.05, random.standard_normal((n, d)).round(2), random.integers(0, c, n), *weights]
    cases.append((arguments, train(*arguments)))
blocks.block("train", *cases, tags="derivatives")
