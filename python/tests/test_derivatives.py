"""Gradients of functions of programs."""

from __future__ import annotations

import doctest
import pickle

import numpy as np
import pytest

import remora as rm
from remora import _derivatives

TEXT = """
-- | The mean squared error of a linear model.
entry loss [n][m] (x: [n][m]f64) (y: [n]f64) (w: [m]f64) : f64 = f64.sum ((f64.sum (x * w) - y) ** 2) / f64.i64 n
entry cube (x: f64) : f64 = x ** 3
entry scaled (n: i64) (xs: [n]f64) (k: f64) : f64 = k * f64.sum (xs * xs) / f64.i64 n
entry first [n] (xs: *[n]f64) (first: f64) : f64 = let xs[0] = first * first in f64.sum xs
entry vector (x: f64) : [2]f64 = [x, x]
entry count (n: i64) (x: f32) : f32 = f32.i64 n * x
type weights = { slope: f64, offsets: [2]f64, steps: i64 }
entry record (w: weights) (x: f64) : f64 = (w.slope * x + f64.sum w.offsets) ** 2
entry length (z: c128) : f64 = c128.abs z
entry pair (a: f64, b: f64) (_: f64) : f64 = a * b
"""


@pytest.fixture(scope="module")
def program() -> rm.Program:
    return rm.compile(TEXT)


@pytest.fixture
def data():
    random = np.random.default_rng(0)
    return random.standard_normal((5, 3)), random.standard_normal(5), random.standard_normal(3)


def gradient_of_loss(x, y, w):
    missed = x @ w - y
    return 2 / len(y) * np.outer(missed, w), -2 / len(y) * missed, 2 / len(y) * x.T @ missed


def test_one_argument(program, data):
    slope = rm.grad(program.loss, 2)
    found = slope(*data)
    assert found.shape == (3,) and found.dtype == np.float64
    np.testing.assert_allclose(found, gradient_of_loss(*data)[2], rtol=1e-12)
    np.testing.assert_allclose(rm.grad(program.loss, argnums=(2,))(*data), found)
    np.testing.assert_allclose(rm.grad(program.loss, -1)(*data), found)
    np.testing.assert_allclose(rm.grad(program.loss)(*data), gradient_of_loss(*data)[0], rtol=1e-12)


def test_several_arguments(program, data):
    found = rm.grad(program.loss, argnums=(2, 0))(*data)
    want = gradient_of_loss(*data)
    assert type(found) is tuple
    np.testing.assert_allclose(found[0], want[2], rtol=1e-12)
    np.testing.assert_allclose(found[1], want[0], rtol=1e-12)


def test_with_the_value(program, data):
    value, found = rm.value_and_grad(program.loss, argnums=2)(*data)
    np.testing.assert_allclose(value, program.loss(*data))
    np.testing.assert_allclose(found, gradient_of_loss(*data)[2], rtol=1e-12)
    value, (dy, dw) = rm.value_and_grad(program.loss, argnums=(1, 2))(*data)
    np.testing.assert_allclose(dy, gradient_of_loss(*data)[1], rtol=1e-12)
    np.testing.assert_allclose(dw, gradient_of_loss(*data)[2], rtol=1e-12)


def test_many_at_once(program, data):
    x, y, w = data
    ws = np.stack([w, 2 * w, 0 * w])
    found = rm.grad(program.loss, 2)(x, y, ws)
    np.testing.assert_allclose(found, [gradient_of_loss(x, y, w)[2] for w in ws], rtol=1e-12)
    np.testing.assert_allclose(rm.grad(program.cube)(np.arange(4.0)), 3 * np.arange(4.0) ** 2)


def test_again(program):
    twice = rm.grad(rm.grad(program.cube))
    assert twice(5.0) == 30.0
    assert rm.grad(twice)(5.0) == 6.0


def test_it_is_made_once(program):
    assert rm.grad(program.cube) is rm.grad(program.cube, (0,))
    assert rm.grad(program.cube) is not rm.value_and_grad(program.cube)
    assert rm.grad(program.cube).__name__ == "grad_cube"
    assert "gradient of `cube`" in (rm.grad(program.cube).__doc__ or "")
    # The program is what it was.
    assert "grad_cube" not in program.names()


def test_sizes_and_names(program):
    np.testing.assert_allclose(rm.grad(program.scaled, 1)(2, np.array([1.0, 3.0]), 4.0), [4.0, 12.0])
    assert rm.grad(program.scaled, 2)(2, np.array([1.0, 3.0]), 4.0) == 5.0
    xs = np.array([1.0, 3.0])
    dxs, dfirst = rm.grad(program.first, (0, 1))(xs, 5.0)
    np.testing.assert_array_equal(dxs, [0.0, 1.0])
    assert dfirst == 10.0
    np.testing.assert_array_equal(xs, [1.0, 3.0])
    assert rm.grad(program.count, 1)(7, np.float32(2)) == np.float32(7)


def test_records_and_tuples(program):
    found = rm.grad(program.record)({"slope": 2.0, "offsets": np.array([1.0, 3.0]), "steps": 9}, 5.0)
    assert found.slope == 140.0 and found.steps == 0
    np.testing.assert_array_equal(found.offsets, [28.0, 28.0])
    assert rm.grad(program.pair)((2.0, 3.0), 1.0) == (3.0, 2.0)


def test_complex_numbers(program):
    np.testing.assert_allclose(rm.grad(program.length)(3 + 4j), 0.6 + 0.8j)


def test_pickled(program):
    again = pickle.loads(pickle.dumps(rm.grad(program.cube)))
    assert again(2.0) == 12.0


def test_the_evaluator():
    cube = rm.compile("entry cube (x: f64) : f64 = x ** 3", backend="interp").cube
    slope = rm.grad(cube)
    assert slope(2.0) == 12.0 and slope.evaluated()


def test_names_that_are_taken():
    program = rm.compile("def grad_f (x: f64) : f64 = 100 * x\nentry f (x: f64) : f64 = grad_f x * x")
    assert rm.grad(program.f)(2.0) == 400.0


def test_files(tmp_path):
    (tmp_path / "library.rem").write_text("def twice (x: f64) : f64 = 2 * x\n")
    (tmp_path / "main.rem").write_text('import "library"\nentry main (x: f64) = twice x * x\n')
    assert rm.grad(rm.load(tmp_path / "main.rem").main)(3.0) == 12.0


def test_what_has_no_gradient(program):
    with pytest.raises(rm.CompileError, match="E0954"):
        rm.grad(program.vector)
    with pytest.raises(TypeError, match="argument `n` of count.* is int64"):
        rm.grad(program.count)
    with pytest.raises(TypeError, match="of a function of a program"):
        rm.grad(np.sin)
    with pytest.raises(ValueError, match="no argument number 3"):
        rm.grad(program.loss, 3)
    with pytest.raises(ValueError, match="different arguments"):
        rm.grad(program.loss, (0, -3))
    with pytest.raises(ValueError, match="at least one"):
        rm.grad(program.loss, ())
    with pytest.raises(TypeError, match="numbers of arguments"):
        rm.grad(program.loss, ("x",))


def test_the_examples():
    assert doctest.testmod(_derivatives) == (0, 6)
