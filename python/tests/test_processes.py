"""Processes and threads: pickling, fork, spawn, threads, interrupts, exit; no compiler, no cache."""

from __future__ import annotations

import asyncio
import os
import pickle
import stat
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import remora as rm

TEXT = "entry norm [n] (v: [n]f64) = f64.sqrt (f64.sum (v * v))\n"


@pytest.fixture(scope="module")
def program():
    return rm.compile(TEXT)


def test_pickling(program, tmp_path):
    (tmp_path / "library.rem").write_text("def twice x = 2 * x : f64\n")
    (tmp_path / "main.rem").write_text('import "library"\nentry main (x: f64) = twice x\n')
    loaded = rm.load(tmp_path / "main.rem", threads=1)
    text = pickle.dumps(loaded.main)
    # What it imports goes with it.
    (tmp_path / "library.rem").unlink()
    again = pickle.loads(text)
    assert again(4.0) == 8 and again.program.settings == (1, False, "auto")
    assert pickle.loads(pickle.dumps(program)).norm(np.array([3.0, 4.0])) == 5


def test_what_is_unpickled_again_is_there_already(program):
    # Clusters send a function with every task: it has one instance, and what that keeps for further results is kept once.
    text, ufunc = pickle.dumps(program.norm), pickle.dumps(rm.gufunc(program.norm))
    first = pickle.loads(text)
    before = first.stats["calls"]
    first(np.ones(3))
    again = pickle.loads(text)
    assert again is first and again.stats["calls"] == before + 1 and pickle.loads(ufunc) is pickle.loads(ufunc)
    assert program["norm"] is program["norm"] is program.norm and rm.gufunc(program.norm) is rm.gufunc(program.norm)
    other = rm.compile(TEXT, threads=1)
    assert pickle.loads(pickle.dumps(other.norm)) is not first
    odd = rm.compile("def infer (x: i64) = x + 1\ndef text (x: i64) = x + 2\n")
    assert (odd["infer"](1), odd["text"](1)) == (2, 3) and "infer" in odd.infer("infer") and odd.text.startswith("def infer")


def test_threads(program):
    x = np.random.default_rng(0).standard_normal((64, 1000))
    want = np.linalg.norm(x, axis=1)
    fresh = rm.compile(TEXT)
    with ThreadPoolExecutor(8) as pool:
        np.testing.assert_allclose(list(pool.map(fresh.norm, x)), want)
        np.testing.assert_allclose(list(pool.map(lambda k: fresh.norm(x[: k + 1])[k], range(64))), want)
    assert fresh.norm.stats["calls"] == 128


def test_the_interpreter_goes_on_meanwhile(python):
    script = """
    import threading, time
    import remora as rm
    slow = rm.compile("entry slow (n: i64) = loop x = 1.0 for i < n do f64.sin x + 1", threads=1).slow
    slow(1)
    thread = threading.Thread(target=slow, args=(20_000_000,))
    thread.start()
    ticks = 0
    while thread.is_alive():
        time.sleep(0.01)
        ticks += 1
    print("ticks", ticks)
    """
    ticks = int(python(script).split("ticks")[1])
    assert ticks > 3


def test_asyncio(program):
    async def main():
        return await asyncio.gather(*(asyncio.to_thread(program.norm, np.full(4, float(k))) for k in range(4)))

    assert asyncio.run(main()) == [0, 2, 4, 6]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_fork(python):
    script = """
    import multiprocessing, os, threading, warnings
    import numpy as np
    import remora as rm
    warnings.simplefilter("ignore", DeprecationWarning)
    program = rm.compile("entry norm [n] (v: [n]f64) = f64.sqrt (f64.sum (v * v))")
    x = np.ones((8, 200_000))
    kept = program.norm(x)
    stop = threading.Event()
    def busy():
        while not stop.is_set():
            program.norm(x)
    def compiling():
        k = 0
        while not stop.is_set():
            rm.compile(f"entry f (x: f64) = x + {k}")
            k += 1
    threads = [threading.Thread(target=busy), threading.Thread(target=compiling)]
    [thread.start() for thread in threads]
    for _ in range(5):
        child = os.fork()
        if not child:
            fine = np.allclose(program.norm(x), kept) and np.allclose(program.norm(x[0]), kept[0])
            fine = fine and rm.compile("entry f (x: f64) = 2 * x").f(2.0) == 4
            del kept
            os._exit(0 if fine else 1)
        assert os.waitpid(child, 0)[1] == 0
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert np.allclose(pool.map(program.norm, list(x)), kept)
    stop.set()
    [thread.join() for thread in threads]
    print("fine")
    """
    assert "fine" in python(script, timeout=240)


def test_spawn(python, tmp_path):
    (tmp_path / "p.rem").write_text(TEXT)
    script = f"""
    import multiprocessing
    import numpy as np
    import remora as rm
    if __name__ == "__main__":
        program = rm.load({str(tmp_path / "p.rem")!r})
        with multiprocessing.get_context("spawn").Pool(2) as pool:
            print(pool.map(program.norm, [np.array([3.0, 4.0]), np.ones((2, 4))]))
    """
    assert "[np.float64(5.0), array([2., 2.])]" in python(script)


def test_interrupts(python):
    script = """
    import os, signal, threading, time
    import numpy as np
    import remora as rm
    # Where a script is started in the background, interrupts are ignored.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    program = rm.compile(
        "entry slow (n: i64) = loop x = 1.0 for i < n do f64.sin x + 1\\n"
        "entry forever (x: i64) = loop (x, k) = (x, 0i64) while x > 0 do (x, k + 1)\\n"
        "entry wide [n] (v: [n]f64) (m: i64) = map (\\\\x -> loop x for i < m do f64.sin x + 1) v"
    )
    program.slow(1), program.forever(0), program.wide(np.ones(100_000), 1)
    def interrupt(after=0.3):
        threading.Timer(after, os.kill, (os.getpid(), signal.SIGINT)).start()
    for call in (lambda: program.slow(1 << 40), lambda: program.forever(1), lambda: program.wide(np.ones(100_000), 100_000)):
        interrupt()
        start = time.monotonic()
        try:
            call()
        except KeyboardInterrupt:
            print("interrupted", time.monotonic() - start < 30)
    assert program.slow(1) > 1
    # A handler that raises nothing lets the call go on.
    seen = []
    signal.signal(signal.SIGINT, lambda *_: seen.append(1))
    want = program.slow(5_000_000)
    interrupt(0.05)
    assert program.slow(50_000_000) > 0 and program.slow(5_000_000) == want
    time.sleep(0.1)
    assert seen
    """
    assert python(script).count("interrupted True") == 3


def test_exit_while_a_thread_computes(python):
    script = """
    import threading, time
    import remora as rm
    slow = rm.compile("entry slow (n: i64) = loop x = 1.0 for i < n do f64.sin x + 1").slow
    slow(1)
    threading.Thread(target=slow, args=(1 << 40,), daemon=True).start()
    time.sleep(0.2)
    kept = rm.compile("entry f (n: i64) = iota n").f(1000)
    print("bye")
    """
    assert "bye" in python(script)


def test_no_compiler(python, tmp_path):
    script = """
    import warnings
    import numpy as np
    import remora as rm
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        program = rm.compile("entry f [n] (x: [n]f64) = (f64.sum x, x + 1)\\nentry g (p: (f64, i64)) = p.1")
        total, more = program.f(np.arange(3.0))
        again = program.f(np.ones((2, 2)))[0]
        assert program.g((1.0, 2)) == 2 and program.g((np.ones(2), np.arange(2))).tolist() == [0, 1]
    assert total == 3 and more.tolist() == [1, 2, 3] and again.tolist() == [2, 2]
    assert program.f.stats["evaluated"]
    try:
        program.f("x")
    except rm.ArgumentError:
        pass
    print(len(said), said[0].category.__name__, said[0].message)
    """
    env = {"CC": "/no/such/compiler", "REMORA_CACHE": str(tmp_path / "cache")}
    said = python(script, env=env)
    assert "1 EvaluatorWarning f: the evaluator runs this program, slowly" in said and "E0615" in said


def test_the_compiler_of_the_extra_cc(python, tmp_path):
    pytest.importorskip("ziglang", reason="the extra `cc` is not installed")
    script = """
    import warnings
    warnings.simplefilter("error")
    import numpy as np
    import remora as rm
    program = rm.compile("entry f [n] (x: [n]f64) = (f64.sum (f64.exp x), map f64.sin x)")
    x = np.linspace(0, 1, 1001)
    total, sines = program.f(x)
    print(np.isclose(total, np.exp(x).sum()), np.allclose(sines, np.sin(x)), program.f.stats["evaluated"])
    """
    env = {"PATH": str(tmp_path), "CC": "", "REMORA_CACHE": str(tmp_path / "cache")}
    assert "True True False" in python(script, env=env, timeout=300)


def test_two_versions(python, tmp_path):
    """Two copies of the package in one process: each with its own library."""
    import shutil
    from pathlib import Path

    shutil.copytree(Path(rm.__file__).parent, tmp_path / "other" / "remora")
    script = f"""
    import sys
    import numpy as np
    import remora as one
    found = {{name: sys.modules.pop(name) for name in list(sys.modules) if name.split(".")[0] == "remora"}}
    sys.path.insert(0, {str(tmp_path / "other")!r})
    import remora as other
    assert one.__file__ != other.__file__
    text = "entry f [n] (x: [n]f64) = x + 1"
    a, b = one.compile(text).f(np.zeros(3)), other.compile(text).f(np.ones(3))
    print(a.tolist(), b.tolist())
    """
    assert "[1.0, 1.0, 1.0] [2.0, 2.0, 2.0]" in python(script)


def test_a_cache_that_cannot_be_written(python, tmp_path):
    folder = tmp_path / "file"
    folder.write_text("no folder")
    script = """
    import warnings
    warnings.simplefilter("ignore")
    import remora as rm
    print(rm.compile("entry f (x: f64) = x + 1").f(1.0))
    """
    assert "2.0" in python(script, env={"REMORA_CACHE": str(folder / "below")})
    assert "2.0" in python(script, env={"REMORA_CACHE": "/proc/none"})


def test_strict_results_are_the_evaluators():
    text = "entry f [n] (x: [n]f64) = f64.sum (x * x + 0.1)"
    x = np.random.default_rng(1).standard_normal(1001)
    assert rm.compile(text, strict=True).f(x) == rm.compile(text, backend="interp").f(x)


def test_sub_interpreters_are_refused(python):
    script = """
    try:
        import _xxsubinterpreters as interpreters
    except ImportError:
        import _interpreters as interpreters
    import remora
    inside = "import warnings; warnings.simplefilter('ignore')\\ntry:\\n  import remora\\nexcept ImportError as error:\\n  print(error, flush=True)"
    interpreters.run_string(interpreters.create(), inside)
    """
    assert "remora does not work in sub-interpreters" in python(script, options=())
