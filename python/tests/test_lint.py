"""Mistakes in NumPy code: those that were planted are found, and code without mistakes is left alone."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from remora.lint import Rule, lint, sarif
from remora.lint.__main__ import main as command

HERE = Path(__file__).resolve().parent
PLANTED = HERE / "lint" / "planted.py"
CORPUS = sorted((HERE / "port" / "corpus").glob("*.py"))


def codes(body: str) -> list[str]:
    return [finding.code for finding in lint("import numpy as np\n" + body)]


def test_planted_mistakes_are_found_and_nothing_else():
    text = PLANTED.read_text()
    wanted = {(number, match[1]) for number, line in enumerate(text.splitlines(), 1) if (match := re.search(r"# (L\d\d)$", line))}
    assert len(wanted) >= 10
    assert {(finding.line, finding.code) for finding in lint(text)} == wanted


def test_functions_without_mistakes_are_left_alone():
    found = [finding for file in CORPUS for finding in lint(file.read_text(), file.name)]
    assert [finding for finding in found if finding.rule is not Rule.VIEW] == []
    # Functions whose point is a write through a view.
    assert len(found) <= 3


@pytest.mark.parametrize(
    "body, wanted",
    [
        ("a = np.zeros((3, 4))\na + np.ones(3)", ["L01"]),
        ("a = np.zeros((3, 4))\na + np.ones((3, 1))", []),
        ("a = np.zeros((3, 4))\na @ np.ones(3)", ["L01"]),
        ("a = np.zeros((3, 4))\na.T @ np.ones(3)", []),
        ("a = np.zeros((3, 4)).reshape(5, 2)", ["L01"]),
        ("a = np.zeros((3, 4)).reshape(2, -1) + np.ones(6)", []),
        ("np.concatenate((np.zeros((2, 3)), np.zeros((2, 4))))", ["L01"]),
        ("np.concatenate((np.zeros((2, 3)), np.zeros((2, 4))), axis=1) + np.ones(7)", []),
        ("x = np.zeros(5)\nx[1:] - x[:-1]", []),
        ("x = np.zeros(5)\nx[1:] - x", ["L01"]),
        ("x = np.zeros(5)\nx[7]", ["L01"]),
        ("n = 4\nx = np.zeros(n)\nc = x.reshape(-1, 1)\nc * x", ["L02"]),
        ("def f(x):\n    n, d = x.shape\n    return x.T @ x + np.eye(n)", ["L01"]),
        ("def f(x):\n    n, d = x.shape\n    return x.T @ x + np.eye(d)", []),
        ("def f(x):\n    n, d = x.shape\n    assert n == d\n    return x.T @ x + np.eye(n)", []),
        ("def f(x, y):\n    n, k = x.shape\n    k2, m = y.shape\n    return x @ y + np.zeros((n, m))", []),
        ("def f(u):\n    return u[1:, :] - 2 * (u[1:, :] - u[:-2, :])", ["L01"]),
        ("def f(u):\n    return u[1:-1] - (u[2:] + u[:-2])", []),
        ("def f(p):\n    q = np.zeros((len(p), p.k))\n    return q / q.sum(axis=1)", ["L03"]),
        ("def f(y):\n    n = len(y)\n    return y.reshape(-1, 1) - np.zeros(n)", ["L02"]),
        ("def f(n):\n    k = np.arange(n)\n    return k.reshape((n, 1)) * k", []),
        ("X, Y = np.meshgrid(np.zeros(3), np.zeros(4))\n(X * Y) @ np.zeros(4)", ["L01"]),
        ("def f(a, b):\n    return np.linalg.solve(np.eye(3), b)\nnp.zeros((3, 3)) @ f(1, 2)", []),
        ("for p in reversed(np.zeros((3, 2))):\n    p[1]", []),
        ("n = 4\nx = np.zeros(n)\nx[:, None] * x", []),
        ("n = 4\nm = 4\nnp.zeros((n, m)) + np.zeros(n)", ["L03"]),
        ("n = 4\nm = 4\nnp.zeros((n, m)) + np.zeros(m)", []),
        ("a = np.zeros((4, 4))\na / a.sum(axis=1)", ["L03"]),
        ("a = np.zeros((4, 4))\na / a.sum(axis=0)", []),
        ("a = np.zeros((4, 4))\na / a.sum(axis=1, keepdims=True)", []),
        ("np.zeros((3, 4)).sum(axis=2)", ["L04"]),
        ("k = np.arange(5)\nk[0] = 0.5", ["L05"]),
        ("k = np.arange(5)\nk += 0.5", ["L05"]),
        ("k = np.arange(5)\nk ** -1", ["L05"]),
        ("x = np.zeros(5)\nx == np.nan", ["L07"]),
        ("def f(x: 'Float[Array, \"n m\"]', y: 'Float[Array, \"n\"]'):\n    return x + y", ["L01"]),
        ("def f(x: 'Float[Array, \"n n\"]', y: 'Float[Array, \"n\"]'):\n    return x + y", []),
        ("def f(x: 'Float[Array, \"n\"]'):\n    y = x[1:]\n    y += 1\n    return x", ["L06"]),
        ("def f(x: 'Float[Array, \"n\"]'):\n    y = x[1:].copy()\n    y += 1\n    return x", []),
        ("def f(a):\n    n, m = a.shape\n    return a + np.zeros((n, m)) + np.zeros(m)", []),
        ("np.ones(3, 4)", ["L01"]),
        ("np.ones(3, int) + np.zeros(3, dtype=int) + np.full(3, 4)", []),
        ("np.stack((np.zeros(3), np.zeros(4)))", ["L01"]),
        ("np.stack((np.zeros(3), np.zeros(3)), axis=1) + np.zeros(2)", []),
        ("np.stack((np.zeros(3), np.zeros(3)), axis=1) @ np.zeros(3)", ["L01"]),
        ("np.einsum('ij,jk->ik', np.zeros((3, 4)), np.zeros((5, 2)))", ["L01"]),
        ("np.einsum('ij,jk->ik', np.zeros((3, 4)), np.zeros((4, 2))) + np.zeros(3)", ["L01"]),
        ("np.einsum('ij,j', np.zeros((3, 4)), np.zeros(4)) + np.zeros(3)", []),
        ("np.einsum('ijk->i', np.zeros((3, 4)))", ["L04"]),
        ("np.einsum('ij->k', np.zeros((3, 4)))", ["L01"]),
        ("x = np.zeros(5)\nfor i in range(5):\n    x[i] = x[i + 1]", ["L01"]),
        ("x = np.zeros(5)\nfor i in range(4):\n    x[i] = x[i + 1]", []),
        ("x = np.zeros(5)\nfor i in range(5):\n    if i < 4:\n        x[i] = x[i + 1]", []),
        ("x = np.zeros(5)\nfor i in range(5):\n    if i == 4:\n        break\n    x[i] = x[i + 1]", []),
        ("def f(x):\n    n = len(x)\n    for i in range(n):\n        x[i] += x[i + 1]\n    return x", ["L01"]),
        ("def f(x):\n    n = len(x)\n    for i in range(1, n):\n        x[i] += x[i - 1]\n    return x", []),
        ("def f(a):\n    n, m = a.shape\n    for i in range(n):\n        for j in range(m + 1):\n            a[i, j] = 0\n    return a", ["L01"]),
        ("c = np.zeros(3, dtype=int)\nc[:] = [0.5, 1, 2]", ["L05"]),
        ("c = np.zeros(3, dtype=int)\nc[:] = [5, 1, 2]", []),
        ("def f(a):\n    return a / a.sum(axis=1)", ["L03"]),
        ("def f(a):\n    m = np.mean(a, axis=1)\n    return a - m", ["L03"]),
        ("def f(a):\n    m = np.mean(a, axis=1)\n    a = a.T\n    return a - m", []),
        ("def f(a):\n    return a - a.mean(axis=1)[:, None] - a.mean(axis=0) - a.mean(axis=1, keepdims=True) - a.mean(axis=-1)", []),
        ("def f(p: 'Float[Array, \"a b\"]'):\n    out = np.empty((5, *p.shape))\n    return out.sum(axis=2)", []),
        ("def f(x: 'Float[Array, \"m\"]'):\n    n = len(x)\n    y = np.zeros(n)\n    x = x[1:]\n    n = len(x)\n    return y[1:] - np.zeros(n)", []),
        ("def f(:", ["L00"]),
        ("x = " + "(" * 5000 + ")" * 5000, ["L00"]),
    ],
)
def test_rules(body: str, wanted: list[str]):
    assert codes(body) == wanted


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    clean = tmp_path / "clean.py"
    clean.write_text("import numpy as np\nx = np.zeros(3) + 1\n")
    assert command([str(clean)]) == 0
    assert command([str(PLANTED), "--format", "sarif"]) == 1
    report = json.loads(capsys.readouterr().out)
    assert report["version"] == "2.1.0" and len(report["runs"][0]["results"]) >= 10
    assert command([str(tmp_path / "missing.py")]) == 2
    assert json.loads(sarif([]))["runs"][0]["results"] == []


@pytest.mark.parametrize(
    "text, rules",
    [
        ("def data(n=100, d=5):\n    return np.ones((n, d)), np.ones(n)\ndef normal(X, y):\n    return X @ y\nX, y = data()\nnormal(X, y)\n", ["L01"]),
        ("n = 40\ngain = np.ones(n)\ncolumn = gain[:, None].reshape(-1, 1)\nerror = gain - column\n", ["L02"]),
        ("x = np.zeros(10, dtype=np.uint8)\nx[3] = 300\nx[4] = 200\n", ["L05"]),
    ],
)  # fmt: skip
def test_mistakes_of_other_scripts(text: str, rules: list[str]):
    assert [Rule(finding.rule).value for finding in lint("import numpy as np\n" + text, "script.py")] == rules
