"""Packages that `remora build --target python` makes: they work without remora and without a compiler."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

TEXT = """
type point = {x: f64, y: f64}
-- | The Euclidean norm.
entry norm [n] (v: [n]f64) = f64.sqrt (f64.sum (v * v))
entry scaled [n][m] (a: [n][m]f32) (s: f32) = a * s
entry flip (p: point) : point = {x = p.y, y = p.x}
entry both [n] (x: [n]i64) = (i64.sum x, filter (> 0) x)
entry join [n][m] (x: [n]i64) (y: [m]i64) : [n+m]i64 = x ++ y
entry at [n] (x: [n]i64) (i: i64) = x[i]
entry turn (z: c128) (v: []c64) = (z * z, v, c128.re z)
entry sized (n: i64) (x: [n]f64) = f64.sum x
type wave = {k: i64, z: c128, w: []c64}
entry wave (s: c64) (n: i64) (p: wave) (x: [n]c128) : (c64, [n]c128, wave) = (s * s, p.z * x, p with k = n)
"""

USE = """
import os, pickle, sys, threading
import numpy as np
assert "remora" not in sys.modules
import shippedtest as s
assert "remora" not in sys.modules
assert s.norm(np.array([3.0, 4.0])) == 5 and s.norm([3, 4]) == 5
big = np.arange(1e6).reshape(1000, 1000).astype(np.float32)
np.testing.assert_array_equal(s.scaled(big, 2), big * 2)
np.testing.assert_array_equal(s.scaled(np.asfortranarray(big), 2.0), big * 2)
kept = [s.scaled(big, k) for k in range(5)]
assert [k[0, 1] for k in kept] == [0, 1, 2, 3, 4]
del kept
assert s.flip({"x": 1.0, "y": 2.0}).x == 2
total, positive = s.both(np.array([1, -2, 3]))
assert total == 2 and positive.tolist() == [1, 3]
assert s.join([1], [2, 3]).tolist() == [1, 2, 3]
square, same, re = s.turn(1 + 2j, np.array([1j], dtype=np.complex64))
assert square == (1 + 2j) ** 2 and same.tolist() == [1j] and re == 1
assert type(square) is np.complex128 and same.dtype == np.complex64 and type(re) is np.float64
x = np.arange(12).reshape(3, 4)[:, ::2] * (1 + 1j)
first, column, wave = s.wave(np.complex64(2j), 3, {"k": 1, "z": 1j, "w": [1, 2j]}, x[:, 1])
assert type(first) is np.complex64 and first == -4 and column.dtype == np.complex128 and column.tolist() == [z * 1j for z in x[:, 1]]
assert wave.k == 3 and wave.z == 1j and wave.w.dtype == np.complex64 and wave.w.tolist() == [1, 2j]
into = (np.empty((), np.complex128), np.empty(1, np.complex64), np.empty(()))
assert s.turn(2, [1], out=into)[0] is into[0] and into[0] == 4 and into[2] == 2
assert s.turn(np.float32(2), np.array([2.0]), casting="same_kind")[0] == 4
out = np.empty(2)
assert s.sized(2, np.ones(2)) == 2 and s.norm(v=np.ones(4)) == 2
for call, error, text in (
    (lambda: s.at(np.arange(3), 7), s.RunTimeError, "E0501"),
    (lambda: s.norm(np.ones((2, 2))), s.ArgumentError, "expected an array of rank 1, given one of rank 2"),
    (lambda: s.norm(np.arange(3)), s.ArgumentError, "expected float64, given int64"),
    (lambda: s.sized(3, np.ones(2)), s.ArgumentError, "the size is 2, but 3 is needed"),
    (lambda: s.norm(np.array([1j])), s.ArgumentError, "expected float64, given complex128[1]; pass `x.real`"),
    (lambda: s.turn(np.complex64(1j), [1j]), s.ArgumentError, "expected complex128, given complex64"),
    (lambda: s.norm(), TypeError, "needs a value for `v`"),
):
    try:
        call()
    except error as caught:
        assert text in str(caught), caught
    else:
        raise AssertionError(text)
assert pickle.loads(pickle.dumps(s.norm))(np.ones(4)) == 2
results = []
threads = [threading.Thread(target=lambda k=k: results.append(s.norm(np.full(4, float(k))))) for k in range(8)]
[thread.start() for thread in threads], [thread.join() for thread in threads]
assert sorted(results) == [2 * k for k in range(8)]
child = os.fork()
if not child:
    os._exit(0 if s.norm(np.array([3.0, 4.0])) == 5 else 1)
assert os.waitpid(child, 0)[1] == 0
assert s.norm.__doc__.splitlines() == ["norm : [n]f64 -> f64", "The Euclidean norm."]
print("fine", s._library.variant)
"""


def command(*arguments: str, code: int = 0) -> str:
    done = subprocess.run([sys.executable, "-m", "remora", *arguments], capture_output=True, text=True, env={**os.environ})
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("shipped")
    (folder / "p.rem").write_text(TEXT)
    command("build", str(folder / "p.rem"), "--target", "python", "-o", str(folder / "shippedtest"))
    return folder / "shippedtest"


def use(folder: Path, **env: str) -> str:
    # No remora and no compiler.
    clean = {"PATH": "/nonexistent", "PYTHONPATH": str(folder), **env}
    done = subprocess.run([sys.executable, "-W", "ignore::DeprecationWarning", "-X", "dev", "-c", USE], capture_output=True, text=True, env=clean, cwd=folder)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_package_needs_nothing(package: Path):
    assert "fine" in use(package)
    assert "fine baseline" in use(package, REMORA_VARIANT="baseline")
    assert "fine" in use(package, REMORA_THREADS="1")


def test_its_files(package: Path):
    inside = {file.name for file in (package / "shippedtest").iterdir()} - {"__pycache__"}
    assert {"__init__.py", "__init__.pyi", "py.typed", "_description.json", "_errors.py", "_shipped.py", "_support.py", "_baseline.so"} <= inside
    assert {file.name for file in package.iterdir()} == {"shippedtest", "pyproject.toml", "setup.py"}


def test_the_stubs_are_typed(package: Path, tmp_path: Path):
    file = tmp_path / "use.py"
    file.write_text(
        "import numpy as np\nimport numpy.typing as npt\nfrom typing_extensions import assert_type\nimport shippedtest as s\n"
        "assert_type(s.norm(np.ones(3)), np.float64)\nassert_type(s.both([1]), tuple[np.int64, npt.NDArray[np.int64]])\n"
        "assert_type(s.turn(1j, np.ones(2)), tuple[np.complex128, npt.NDArray[np.complex64], np.float64])\n"
        "s.turn(1, [1j]), s.turn(2.5, [1]), s.turn(np.complex128(1j), [])\n"
    )
    environment = {**os.environ, "MYPYPATH": str(package)}
    done = subprocess.run([sys.executable, "-m", "mypy", "--strict", str(file)], capture_output=True, text=True, env=environment, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr


def test_what_cannot_be_shipped(tmp_path: Path):
    (tmp_path / "sum.rem").write_text("type t = #a f64 | #b\nentry f (x: t) = match x case #a y -> y case #b -> 0\n")
    assert "E0613" in command("build", str(tmp_path / "sum.rem"), "--target", "python", "-o", str(tmp_path / "x"), code=1)
    (tmp_path / "odd-name.rem").write_text("entry f (x: f64) = x\n")
    assert "no name for a package" in command("build", str(tmp_path / "odd-name.rem"), "--target", "python", code=1)
    assert not (tmp_path / "x").exists()


def test_commands_that_start_themselves_again(tmp_path: Path):
    (tmp_path / "p.rem").write_text("-- ==\n-- input { 2 }\n-- output { 4 }\nentry main (n: i64) = n * n\n")
    assert "median" in command("bench", str(tmp_path / "p.rem"), "3")
    assert "1" in command("test", str(tmp_path / "p.rem"))
    assert "makes no executables" in command("build", str(tmp_path / "p.rem"), "-o", str(tmp_path / "p"), code=1)
