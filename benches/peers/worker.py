"""Runs one program of a Python library for bench.py: reads commands from standard input, answers each with a line of JSON.

  worker.py numpy|numba|jax|cupy NAME ARG.npy...

  measure RUNS SECONDS LIMIT   times, after a warm-up (which compiles)
  results DIRECTORY            writes the results as .npy files, answers with their paths
"""

import importlib.util
import json
import os
import statistics
import sys
import time
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent


def load(path):
    """Imports a Python file."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


def program(peer, name, arguments):
    """A function without arguments that runs the program to its end and returns its results."""
    if peer == "numpy":
        faster = load(HERE / "numpy_peer.py").PROGRAMS.get(name)
        function = faster or load(HERE.parent.parent / "examples" / name / f"{name}.py").reference
        return lambda: function(*arguments)
    function, arguments, wait = load(HERE / f"{peer}_peer.py").prepare(name, arguments)
    return lambda: wait(function(*arguments))


def measure(run, runs, seconds, limit):
    times, begin = [], time.perf_counter()
    while True:
        start = time.perf_counter()
        run()
        end = time.perf_counter()
        times.append(end - start)
        if (len(times) >= runs and end - begin >= seconds) or end - begin >= limit:
            break
    return {
        "runs": len(times),
        "median_seconds": statistics.median(times),
        "min_seconds": min(times),
        "max_seconds": max(times),
    }


def results(run, peer, directory):
    values = run()
    paths = []
    for number, value in enumerate(values if isinstance(values, tuple) else (values,)):
        paths.append(f"{directory}/{peer}{number}.npy")
        np.save(paths[-1], np.asarray(value.get() if hasattr(value, "get") else value))
    return {"results": paths}


def main():
    answers = os.fdopen(os.dup(1), "w")  # what a library prints must not come between
    os.dup2(2, 1)
    peer, name, *paths = sys.argv[1:]
    run = None
    for line in sys.stdin:
        command, *words = line.split()
        try:
            if run is None:
                arguments = [np.load(path) for path in paths]
                arguments = [a[()] if a.ndim == 0 else a for a in arguments]
                run = program(peer, name, arguments)
                run()
            if command == "measure":
                answer = measure(run, int(words[0]), float(words[1]), float(words[2]))
            elif command == "results":
                answer = results(run, peer, words[0])
            else:
                answer = {}
        except Exception as problem:  # whatever a library raises is a reason to leave this program out, and is reported
            answer = {"unable": f"{type(problem).__name__}: {problem}".splitlines()[0]}
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
