"""Cross-sections with NumPy, derivatives by complex steps: prints the block of expectations."""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import blocks


def rate(grids, tables, densities, energies):
    total = 0
    for energy in energies:
        sections = 0
        for grid, table, density in zip(grids, tables, densities):
            i = min(max(np.searchsorted(grid, np.real(energy), side="right") - 1, 0), len(grid) - 2)
            part = (energy - grid[i]) / (grid[i + 1] - grid[i])
            sections = sections + density * (table[i] + part * (table[i + 1] - table[i]))
        total = total + sections[0] * sections[1] / sections[2:].sum()
    return total / len(energies)


random = np.random.default_rng(14)
cases = []
for n, k, g in (4, 2, 5), (3, 3, 2):
    grids = np.sort(random.permuted(np.arange(1, 40), axis=0)[: k * g].reshape(k, g) / 40, axis=1)
    tables, densities = random.uniform(0.5, 2, (k, g, 5)).round(2), random.uniform(0.1, 1, k).round(2)
    energies = random.uniform(0.1, 0.9, n).round(3)
    f = lambda e, d, t: rate(grids, t, d, e)
    cases.append(([grids, tables, densities, energies], [f(energies, densities, tables), *blocks.gradient(f, energies, densities, tables)]))
blocks.block("lookup", *cases, tags="derivatives")
