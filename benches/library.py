#!/usr/bin/env python3
"""Prints how fast functions of the library are beside NumPy, compiled and called as a library in C is: linear algebra, transforms.

  benches/library.py [--remora PATH] [--only TEXT] [--threads N] [--cpu]

Times are the best of several calls without the copies that Python makes; results are allocated inside. `--cpu` measures processor time, all threads together,
which is steadier on a machine that does something else at the same time (set OPENBLAS_NUM_THREADS=1 and `--threads 1` with it: threads of OpenBLAS
wait by spinning). The last column is NumPy's time over remora's, and what it should be at least.
"""

import argparse
import ctypes
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "library"))

from foreign import Library  # noqa: E402

N = 1000


def definite(a):
    return a @ a.T + len(a) * np.eye(len(a))


def square(rng):
    return (rng.uniform(-1, 1, (N, N)),)


def positive(rng):
    return (definite(rng.uniform(-1, 1, (N, N))),)


def many(rng):
    a = rng.uniform(-1, 1, (100_000, 4, 4))
    return (a @ a.transpose(0, 2, 1) + np.eye(4),)


def signal(*shape):
    return lambda rng: (rng.uniform(-1, 1, shape) + 1j * rng.uniform(-1, 1, shape),)


def samples(*shape):
    return lambda rng: (rng.uniform(-1, 1, shape),)


def plain(f):
    return lambda *arguments: lambda: f(*arguments)


STACK = "(a: [k][4][4]f64)"
CASES = [  # name, parameters, body, inputs, NumPy, at least
    ("matmul", "[n] (a: [n][n]f64)", "linalg.matmul a a", square, plain(lambda a: a @ a), 0.9),
    ("lu_factor", "[n] (a: [n][n]f64)", "linalg.lu_factor a", square, plain(np.linalg.slogdet), 0.5),
    ("solve", "[n] (a: [n][n]f64)", "linalg.solve a a[0]", square, plain(lambda a: np.linalg.solve(a, a[0])), 0.5),
    ("inv", "[n] (a: [n][n]f64)", "linalg.inv a", square, plain(np.linalg.inv), 0.5),
    ("cholesky", "[n] (a: [n][n]f64)", "linalg.cholesky a", positive, plain(np.linalg.cholesky), 0.5),
    ("qr", "[n] (a: [n][n]f64)", "linalg.qr a", square, plain(np.linalg.qr), 0.5),
    ("eigvalsh", "[n] (a: [n][n]f64)", "linalg.eigvalsh a", positive, plain(np.linalg.eigvalsh), 0.2),
    ("eigh", "[n] (a: [n][n]f64)", "linalg.eigh a", positive, plain(np.linalg.eigh), 0.2),
    ("svdvals", "[n] (a: [n][n]f64)", "linalg.svdvals a", square, plain(np.linalg.svdvals), 0.2),
    ("svd", "[n] (a: [n][n]f64)", "linalg.svd a", square, plain(np.linalg.svd), 0.2),
    ("solve, 10^5 of 4 x 4", f"[k] {STACK}", "linalg.solve a a[:, 0]", many, plain(lambda a: np.linalg.solve(a, a[:, 0, :, None])), 10),
    ("inv, 10^5 of 4 x 4", f"[k] {STACK}", "linalg.inv a", many, plain(np.linalg.inv), 10),
    ("det, 10^5 of 4 x 4", f"[k] {STACK}", "linalg.det a", many, plain(np.linalg.det), 10),
    ("cholesky, 10^5 of 4 x 4", f"[k] {STACK}", "linalg.cholesky a", many, plain(np.linalg.cholesky), 10),
    ("eigh, 10^5 of 4 x 4", f"[k] {STACK}", "linalg.eigh a", many, plain(np.linalg.eigh), 10),
    ("fft of 1024", "[n] (a: [n]c128)", "fft.fft a", signal(1024), plain(np.fft.fft), 0.5),
    ("fft of 2^20", "[n] (a: [n]c128)", "fft.fft a", signal(1 << 20), plain(np.fft.fft), 0.5),
    ("fft of 10^6", "[n] (a: [n]c128)", "fft.fft a", signal(1_000_000), plain(np.fft.fft), 0.3),
    ("fft of 1021", "[n] (a: [n]c128)", "fft.fft a", signal(1021), plain(np.fft.fft), 0.3),
    ("rfft of 2^20", "[n] (a: [n]f64)", "fft.rfft a", samples(1 << 20), plain(np.fft.rfft), 0.5),
    ("fft of 1000 rows of 1024", "[k] [n] (a: [k][n]c128)", "fft.fft a", signal(1000, 1024), plain(np.fft.fft), 1.0),
    ("fft2 of 1000 x 1000", "[k] [n] (a: [k][n]c128)", "fft.fft2 a", signal(1000, 1000), plain(np.fft.fft2), 0.3),
]


def best(clock, call, least=3, seconds=2.0):
    """The shortest of at least `least` calls, and of as many as there is time for."""
    times = []
    while len(times) < least or (sum(times) < seconds and len(times) < 50):
        begun = clock()
        call()
        times.append(clock() - begun)
    return min(times)


def raw(library, function, arguments):
    """A call of a compiled function that gives the results back at once."""
    arguments = [np.ascontiguousarray(a) for a in arguments]
    parameters = function.inputs[len(function.inputs) - len(arguments) :]
    sizes = function.inputs[: len(function.inputs) - len(arguments)]
    known = {}
    for parameter, argument in zip(parameters, arguments):
        known.update(zip(parameter.shape, argument.shape))
    passed = [ctypes.c_int64(known[s.name]) for s in sizes] + [ctypes.c_void_p(a.ctypes.data) for a in arguments]
    release = library.function("release")

    def call():
        outputs = [library.output(o.type) for o in function.outputs]
        if function.call(library.context, *passed, *map(ctypes.byref, outputs)):
            raise RuntimeError(library.error())
        for output in outputs:
            if isinstance(output, ctypes.Structure):
                release(library.context, ctypes.c_void_p(output.owner))

    return call


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--remora", default="target/release/remora")
    parser.add_argument("--only", default="", metavar="TEXT", help="only functions whose name contains this")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--cpu", action="store_true", help="processor time instead of time")
    options = parser.parse_args()
    clock = time.process_time if options.cpu else time.perf_counter
    print(f"| function | remora | NumPy | ratio | at least |\n| --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as directory:
        for number, (name, parameters, body, inputs, numpy, least) in enumerate(CASES):
            if options.only not in name:
                continue
            # A program of its own: large functions take the C compiler long.
            program = Path(directory) / f"bench{number}.rem"
            program.write_text(f'import "lib/linalg"\nimport "lib/fft"\nentry f {parameters} = {body}\n')
            shared = program.with_name(f"libbench{number}.so")
            subprocess.run([options.remora, "build", "--lib", str(program), "-o", str(shared)], check=True)
            library = Library(shared, options.threads)
            arguments = inputs(np.random.default_rng(1))
            ours = best(clock, raw(library, library.functions["f"], arguments))
            theirs = best(clock, numpy(*arguments))
            print(f"| {name} | {ours * 1e3:.3g} ms | {theirs * 1e3:.3g} ms | {theirs / ours:.2f} | {least} |", flush=True)


if __name__ == "__main__":
    main()
