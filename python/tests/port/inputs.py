"""Inputs for functions of the corpus that make sense for some inputs only."""

from __future__ import annotations

from typing import Any

import numpy as np


def _tall(random: np.random.Generator) -> tuple[Any, ...]:
    m = int(random.integers(0, 5))
    return (random.normal(size=(m + int(random.integers(0, 3)), m)),)


def _definite(random: np.random.Generator) -> tuple[Any, ...]:
    n = int(random.integers(2, 6))
    a = random.normal(size=(n, n))
    return a @ a.T + n * np.eye(n), random.normal(size=n), int(random.integers(0, 3))


def _edges(random: np.random.Generator) -> tuple[Any, ...]:
    n, e = int(random.integers(1, 7)), int(random.integers(0, 12))
    return random.integers(0, n, e), random.integers(0, n, e), random.uniform(-0.1, 2, e), n


def _digits(random: np.random.Generator) -> tuple[Any, ...]:
    return (random.choice(np.frombuffer(b"0123456789", np.uint8), int(random.integers(0, 17))),)


INPUTS = {"gram_schmidt": _tall, "conjugate_gradient": _definite, "bellman_ford": _edges, "parse_number": _digits}
