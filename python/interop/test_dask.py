"""Dask and xarray: blocks of arrays in threads and in processes come to what one process computes, also where a process dies."""

from __future__ import annotations

import os
import signal
import threading
import time

import dask
import dask.array as da
import numpy as np
import pytest
import xarray as xr
from distributed import Client, LocalCluster

import remora as rm

TEXT = """
entry zscore [n] (x: [n]f64) : [n]f64 =
  let mean = f64.sum x / f64.i64 n
  in (x - mean) / f64.sqrt (f64.sum ((x - mean) * (x - mean)) / f64.i64 n)
entry dot [n] (x: [n]f64) (y: [n]f64) = f64.sum (x * y)
entry diffuse [n][m] (a: [n][m]f64) : [n][m]f64 =
  tabulate_2d n m (\\i j -> if i == 0 || j == 0 || i == n - 1 || j == m - 1 then a[i, j]
                           else (a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1]) / 4)
"""


@pytest.fixture(scope="module")
def program():
    return rm.compile(TEXT, threads=1)


@pytest.fixture(scope="module")
def client():
    with LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, memory_limit="1GB") as cluster:
        with Client(cluster) as client:
            yield client


def zscore(x):
    return (x - x.mean(-1, keepdims=True)) / x.std(-1, keepdims=True)


def diffused(a):
    out = a.copy()
    out[1:-1, 1:-1] = (a[:-2, 1:-1] + a[2:, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:]) / 4
    return out


def test_gufuncs_on_blocks_in_threads(program):
    x, y = np.random.default_rng(0).standard_normal((2, 60, 50))
    a, b = (da.from_array(of, chunks=(16, -1)) for of in (x, y))
    dot = rm.gufunc(program.dot)
    with dask.config.set(scheduler="threads"):
        np.testing.assert_allclose(da.apply_gufunc(dot, dot.signature, a, b, output_dtypes=float).compute(), (x * y).sum(-1))
        np.testing.assert_allclose(dot(a, y[0]).compute(), (x * y[0]).sum(-1))


def test_gufuncs_and_functions_in_processes(program, client):
    x, y = np.random.default_rng(1).standard_normal((2, 60, 50))
    blocks = da.from_array(x, chunks=(16, -1))
    dot = rm.gufunc(program.dot)
    far = da.apply_gufunc(dot, dot.signature, blocks, da.from_array(y, chunks=(16, -1)), output_dtypes=float)
    np.testing.assert_allclose(far.compute(), (x * y).sum(-1))
    far = da.apply_gufunc(program.zscore, "(n)->(n)", blocks, output_dtypes=float)
    np.testing.assert_allclose(far.compute(), zscore(x))
    np.testing.assert_allclose(client.gather(client.map(program.zscore, list(x))), zscore(x))


def test_a_stencil_across_blocks(program, client):
    a = np.random.default_rng(2).standard_normal((50, 40))
    blocks = da.from_array(a, chunks=(20, 15))
    far = da.map_overlap(program.diffuse, blocks, depth=1, boundary="none", dtype=float)
    np.testing.assert_array_equal(far.compute(), program.diffuse(a))
    np.testing.assert_allclose(program.diffuse(a), diffused(a))


def test_xarray_in_processes(program, client):
    x = np.random.default_rng(3).standard_normal((40, 30))
    here = xr.DataArray(x, dims=("time", "place"), coords={"place": np.arange(30)}, name="height")
    score = dict(input_core_dims=[["time"]], output_core_dims=[["time"]], output_dtypes=[float])
    want = zscore(x.T)
    np.testing.assert_allclose(xr.apply_ufunc(program.zscore, here, **score), want)
    far = xr.apply_ufunc(rm.gufunc(program.zscore), here.chunk({"place": 8}), dask="parallelized", **score)
    assert far.dims == ("place", "time") and far.name == "height"
    np.testing.assert_allclose(far.compute(), want)


def test_a_worker_that_is_killed(program):
    def slow(block):
        time.sleep(0.2)
        return program.zscore(block)

    x = np.random.default_rng(4).standard_normal((64, 500))
    with dask.config.set({"distributed.scheduler.allowed-failures": 10}):
        with LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster, Client(cluster) as client:
            pids = list(client.run(os.getpid).values())
            killer = threading.Timer(0.6, os.kill, (pids[0], signal.SIGKILL))
            killer.start()
            far = da.map_blocks(slow, da.from_array(x, chunks=(4, -1)), dtype=float)
            np.testing.assert_allclose(client.compute(far).result(timeout=120), zscore(x))
            killer.join()
            assert pids[0] not in client.run(os.getpid).values()


def test_an_array_larger_than_the_memory_of_its_processes(program, client):
    # 4 GiB for two processes of 1 GB.
    n, rows = 1 << 29, 1 << 15
    whole = da.arange(n, chunks=1 << 21, dtype=float).reshape((rows, n // rows))
    score = da.map_blocks(program.zscore, whole, dtype=float)
    dot = rm.gufunc(program.dot)
    squares = da.apply_gufunc(dot, dot.signature, score, score, output_dtypes=float)
    np.testing.assert_allclose(squares.compute(), n // rows)
    assert all(used < 1e9 for used in client.run(lambda dask_worker: dask_worker.monitor.recent()["memory"]).values())
