"""A second corpus: functions of eleven fields that were written without looking at the reader."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from port.loading import functions_of

import remora as rm

FOLDER = Path(__file__).resolve().parent / "port" / "fields"

# Functions that are not read, and the reason that is given.
UNREAD = {
    "spectral_radius": "`np.linalg.eigvals` is not read",
}


FUNCTIONS = functions_of(FOLDER)


def definite(r: np.random.Generator, n: int) -> np.ndarray:
    a = r.normal(size=(n, n))
    return a @ a.T + n * np.eye(n)


def graph(r: np.random.Generator) -> tuple[Any, ...]:
    n, e = int(r.integers(1, 6)), int(r.integers(2, 9))
    return r.integers(0, n, e), r.integers(0, n, e), n


# Inputs for functions that make sense for some only.
INPUTS: dict[str, Any] = {
    "gram_schmidt": lambda r: (r.normal(size=(6, 4)),),
    "cholesky": lambda r: (definite(r, 4),),
    "conjugate_gradient": lambda r: (definite(r, 5), r.normal(size=5), int(r.integers(0, 5))),
    "forward_substitution": lambda r: (definite(r, 4), r.normal(size=4)),
    "gaussian_elimination": lambda r: (definite(r, 5), r.normal(size=5)),
    "solve_twice": lambda r: (definite(r, 4), r.normal(size=4)),
    "power_iteration": lambda r: (definite(r, 4), int(r.integers(0, 6))),
    "bellman_ford": lambda r: (*(g := graph(r))[:2], r.uniform(0, 1, len(g[0])), g[2], 0),
    "union_find": graph,
    "out_degrees": lambda r: (r.integers(0, 5, 8), int(r.integers(0, 9))),
    "spmv": lambda r: (r.normal(size=6), r.integers(0, 4, 6), np.array([0, 2, 2, 5, 6]), r.normal(size=4)),
    "bfs_levels": lambda r: (r.integers(0, 3, (5, 5)) == 0, int(r.integers(0, 5))),
    "knapsack": lambda r: (r.integers(1, 5, 4), r.uniform(0, 3, 4), int(r.integers(0, 9))),
    "coin_ways": lambda r: (r.integers(1, 5, 3), int(r.integers(0, 12))),
    "viterbi": lambda r: (r.normal(size=3), r.normal(size=(3, 3)), r.normal(size=(3, 4)), r.integers(0, 4, 5)),
    "confusion": lambda r: (r.integers(0, 3, 9), r.integers(0, 3, 9), 3),
    "black_scholes": lambda r: tuple(r.uniform(0.2, 2, 5)),
    "mandelbrot": lambda r: (r.normal(size=(3, 4)) + 1j * r.normal(size=(3, 4)), 8),
    "bilinear_sample": lambda r: (r.normal(size=(5, 6)), float(r.uniform(0, 3.9)), float(r.uniform(0, 4.9))),
    "block_mean": lambda r: (r.normal(size=(6, 4)), 2),
    "projectile": lambda r: (float(r.uniform(1, 9)), float(r.uniform(0.1, 1.5)), 0.01),
    "autocorrelation": lambda r: (r.normal(size=9), int(r.integers(0, 6))),
    "moving_average": lambda r: (r.normal(size=9), int(r.integers(1, 6))),
    "hann": lambda r: (int(r.integers(2, 9)),),
    "decimate_mean": lambda r: (r.normal(size=11), int(r.integers(1, 5))),
    "goertzel": lambda r: (r.normal(size=8), int(r.integers(0, 5))),
    "trimmed_mean": lambda r: (r.normal(size=9), int(r.integers(0, 4))),
    "histogram_counts": lambda r: (r.normal(size=20), -2.0, 2.0, int(r.integers(1, 7))),
    "moving_crossover": lambda r: (r.uniform(1, 2, 12), 2, 5),
    "loan_balance": lambda r: (float(r.uniform(1, 9)), 0.01, float(r.uniform(0, 1)), int(r.integers(0, 9))),
    "value_at_risk": lambda r: (r.normal(size=9), 0.95),
    "convolve2d": lambda r: (r.normal(size=(6, 5)), r.normal(size=(2, 3))),
    "jacobi": lambda r: (r.normal(size=(5, 6)), r.normal(size=(5, 6)), 1e-3, int(r.integers(0, 20))),
    "thomas": lambda r: (r.normal(size=6), r.uniform(5, 9, 6), r.normal(size=6), r.normal(size=6)),
    "rk4_lorenz": lambda r: (r.normal(size=3), 0.01, int(r.integers(0, 9))),
    "verlet": lambda r: (1.0, float(r.normal()), 0.1, int(r.integers(0, 9))),
    "upwind": lambda r: (r.normal(size=7), 0.3, int(r.integers(0, 6))),
    "heat": lambda r: (r.normal(size=7), 0.3, int(r.integers(0, 6))),
    "pagerank": lambda r: (r.integers(0, 2, (5, 5)).astype(float), 0.85, int(r.integers(0, 9))),
    "box_blur": lambda r: (r.normal(size=(5, 6)),),
    "asian_option": lambda r: (r.normal(size=(4, 6)), 1.0, 0.9, 0.02, 0.3, 0.1),
    "net_present_value": lambda r: (0.05, r.normal(size=7)),
    "metropolis": lambda r: (r.normal(size=9), r.random(9), 0.5),
    "sharpe": lambda r: (r.normal(size=9), 0.01),
    "lennard_jones": lambda r: (r.uniform(0.8, 3, 7).astype(np.float32), 1.0, 1.5),
    "gamma_correct": lambda r: (r.random((3, 4)), 2.2),
    "center_of_mass": lambda r: (r.normal(size=(3, 4)),),
    "leapfrog_wave": lambda r: (r.normal(size=6), r.normal(size=6), 0.5, 3),
    "log_sum_exp": lambda r: (r.normal(size=6),),
}


@pytest.mark.parametrize("name", sorted(set(FUNCTIONS) - set(UNREAD)))
def test_agrees(name: str):
    report = rm.check_port(FUNCTIONS[name], n=16, inputs=INPUTS.get(name), backend="interp")
    assert report, str(report)


@pytest.mark.parametrize("name", sorted(UNREAD))
def test_what_is_not_read_is_said(name: str):
    report = rm.check_port(FUNCTIONS[name], n=4, inputs=INPUTS.get(name), backend="interp")
    assert not report and not report.differences
    assert UNREAD[name] in report.refusal


def test_the_corpus_is_large_enough():
    assert len(FUNCTIONS) >= 120
