"""Functions as ufuncs of NumPy."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import remora as rm


@pytest.fixture(scope="module")
def program():
    return rm.compile(
        """
        entry dot [n] (x: [n]f64) (y: [n]f64) = f64.sum (x * y)
        entry matvec [n][m] (a: [n][m]f32) (x: [m]f32) : [n]f32 = f32.sum (a * x)
        entry both (x: f64) (y: f64) = (x + y, x < y)
        entry at [n] (x: [n]i64) (i: i64) = x[i]
        entry not (x: bool) = !x
        entry evens [n] (x: [n]f64) = filter (> 0) x
        """
    )


def test_a_real_ufunc_with_a_signature(program):
    dot = rm.gufunc(program.dot)
    assert isinstance(dot, np.ufunc) and dot.signature == "(n0),(n0)->()" and dot.types == ["dd->d"] and dot.__name__ == "dot"
    x, y = np.random.default_rng(0).standard_normal((2, 4, 5, 6))
    np.testing.assert_allclose(dot(x, y), (x * y).sum(-1))
    np.testing.assert_allclose(dot(x, y[0, 0]), (x * y[0, 0]).sum(-1))
    np.testing.assert_allclose(dot(x[:, None], y[None]), (x[:, None] * y[None]).sum(-1))
    np.testing.assert_allclose(dot(x, y, axis=0), (x * y).sum(0))
    np.testing.assert_allclose(dot(x[..., ::2], y[..., ::2]), (x[..., ::2] * y[..., ::2]).sum(-1))
    assert dot(x[0, 0], y[0, 0]) == pytest.approx((x[0, 0] * y[0, 0]).sum())
    out = np.zeros((4, 5))
    assert dot(x, y, out=out) is out and out[0, 0] != 0
    assert dot(np.zeros((0, 3)), np.zeros(3)).shape == (0,)
    np.testing.assert_allclose(dot(np.arange(3), np.arange(3)), 5)
    with pytest.raises(ValueError):
        dot(np.zeros(3), np.zeros(4))


def test_several_dimensions_and_results(program):
    a, x = np.arange(24, dtype=np.float32).reshape(2, 3, 4), np.ones(4, dtype=np.float32)
    np.testing.assert_allclose(rm.gufunc(program.matvec)(a, x), a @ x)
    np.testing.assert_allclose(rm.gufunc(program.matvec)(np.asfortranarray(a), x), a @ x)
    total, less = rm.gufunc(program.both)(np.arange(3.0)[:, None], np.arange(2.0))
    assert total.tolist() == [[0, 1], [1, 2], [2, 3]] and less.tolist() == [[False, True], [False, False], [False, False]]
    odd = np.array([0, 1, 2], dtype=np.uint8).view(bool)
    assert rm.gufunc(program["not"])(odd).tolist() == [True, False, False]


def test_pickling(python, tmp_path):
    # NumPy alone writes the name, and finds a ufunc of its own by it.
    add = rm.gufunc(rm.compile("entry add (x: f64) (y: f64) = x + 2 * y").add)
    assert pickle.loads(pickle.dumps(add))(1.0, 2.0) == 5
    assert pickle.loads(pickle.dumps(np.add)) is np.add
    (tmp_path / "add").write_bytes(pickle.dumps(add))
    text = f"import pickle\nwith open({str(tmp_path / 'add')!r}, 'rb') as file:\n    print(pickle.load(file)([1.0, 2.0], 1.0))"
    assert python(text).strip() == "[3. 4.]"


def test_failures_are_exceptions(program):
    at = rm.gufunc(program.at)
    assert at(np.arange(3), np.array([0, 2])).tolist() == [0, 2]
    with pytest.raises(Exception) as caught:
        at(np.arange(3), np.array([0, 5]))
    error = caught.value if isinstance(caught.value, rm.RunTimeError) else caught.value.__cause__
    assert isinstance(error, rm.RunTimeError) and "index 5" in str(error)
    with pytest.raises(rm.ArgumentError, match="cannot be a gufunc"):
        rm.gufunc(program.evens)
