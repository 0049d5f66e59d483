"""Objects of other libraries as arguments, and functions as arguments of theirs."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import scipy.optimize
import scipy.sparse
import xarray as xr

import remora as rm


@pytest.fixture(scope="module")
def program():
    return rm.compile(
        """
        entry mean [n] (x: [n]f64) = f64.sum x / f64.i64 n
        entry total [n] (x: [n]f32) = f32.sum x
        entry count [n] (x: [n]i64) (m: [n]bool) = i64.sum (x * i64.bool m)
        entry rosenbrock [n] (x: [n]f64) : f64 =
          let (a, b) = (x[:n-1] :> [n-1]f64, x[1:] :> [n-1]f64)
          in f64.sum (100 * (b - a * a) ** 2 + (1 - a) ** 2)
        """
    )


def test_pandas(program):
    frame = pd.DataFrame({"height": [1.0, 2.0, 4.5], "count": [1, 2, 3], "mask": [True, False, True]})
    assert program.mean(frame["height"]) == 2.5
    assert program.count(frame["count"], frame["mask"]) == 4
    assert program.mean(frame[["height", "height"]].T).tolist() == [2.5, 2.5]
    assert program.mean(frame["count"], casting="same_kind") == 2
    with pytest.raises(rm.ArgumentError, match="object"):
        program.mean(pd.Series(["a", "b"], dtype=object))
    # A column with a missing number is one of floats with NaN, as pandas has it; its own types with masks are no plain arrays.
    assert np.isnan(program.mean(pd.Series([1.0, None])))
    with pytest.raises(rm.ArgumentError):
        program.count(pd.Series([1, None], dtype="Int64"), np.array([True, False]))


def test_xarray(program):
    given = xr.DataArray(np.arange(6.0).reshape(2, 3), dims=("a", "b"))
    assert program.mean(given).tolist() == [1.0, 4.0]
    assert program.mean(given.transpose("b", "a")).tolist() == [1.5, 2.5, 3.5]


def test_jax(program):
    assert program.total(jnp.arange(5, dtype=jnp.float32)) == 10
    assert jnp.asarray(program.total(np.ones((2, 3), np.float32))).tolist() == [3, 3]
    with pytest.raises(rm.ArgumentError, match="float32"):
        program.mean(jnp.arange(5, dtype=jnp.float32))


def test_dlpack_without_more(program):
    class Only:
        """What has nothing but the protocol."""

        def __init__(self, array):
            self.array = array

        def __dlpack__(self, **how):
            return self.array.__dlpack__(**how)

        def __dlpack_device__(self):
            return self.array.__dlpack_device__()

    x = np.arange(4.0)
    assert program.mean(Only(x)) == 1.5
    assert program.mean(Only(jnp.arange(4.0).astype(jnp.float32)), casting="safe") == 1.5


def test_arrow(program):
    column = pa.array([1.0, 2.0, 6.0])
    assert program.mean(column.to_numpy()) == 3.0 and program.mean(column) == 3.0


def test_torch(program):
    torch = pytest.importorskip("torch", reason="PyTorch is not installed here: pip install torch")
    assert program.total(torch.arange(5, dtype=torch.float32)) == 10
    assert program.mean(torch.ones((2, 3), dtype=torch.float64)[:, ::2]).tolist() == [1, 1]
    assert torch.from_dlpack(program.mean(np.ones((2, 3)))).tolist() == [1, 1]
    with pytest.raises(rm.ArgumentError):
        program.mean(torch.ones(3, dtype=torch.float64, requires_grad=True))


def test_scipy_minimizes(program):
    start = np.full(6, 1.3)
    found = scipy.optimize.minimize(rm.value_and_grad(program.rosenbrock), start, jac=True, method="BFGS")
    assert found.success
    np.testing.assert_allclose(found.x, 1, atol=1e-4)
    np.testing.assert_allclose(rm.grad(program.rosenbrock)(start), scipy.optimize.rosen_der(start), rtol=1e-12)
    assert program.rosenbrock(start) == pytest.approx(scipy.optimize.rosen(start))
    root = scipy.optimize.root_scalar(rm.compile("entry f (x: f64) = x * x - 2").f, bracket=(0, 2))
    assert root.root == pytest.approx(2**0.5)


def test_scipy_sparse_is_refused(program):
    with pytest.raises(rm.ArgumentError, match="toarray"):
        program.mean(scipy.sparse.eye(3))
