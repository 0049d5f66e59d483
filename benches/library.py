#!/usr/bin/env python3
"""Prints how fast functions of the library are beside NumPy, compiled and called as a library in C is: linear algebra, transforms, sorting.

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


def numbers(kind, dtype, n):
    """Random numbers of all sizes, random ones in order, or with few different values."""

    def make(rng):
        if kind == "few":
            return rng.integers(0, 10, n).astype(dtype)
        if np.dtype(dtype).kind == "f":
            x = rng.uniform(-1, 1, n).astype(dtype)
        else:
            x = rng.integers(np.iinfo(dtype).min, np.iinfo(dtype).max, n, dtype, endpoint=True)
        return np.sort(x) if kind == "sorted" else x

    return make


def sorting():
    """Rows for what orders elements."""
    million, many, few = 1_000_000, 10_000_000, 1000
    stable = lambda a: np.argsort(a, kind="stable")  # noqa: E731
    rows = [("sort", np.sort, kind, t, million) for t in ("f64", "i64") for kind in ("random", "sorted", "few")]
    rows += [("sort", np.sort, "random", t, million) for t in ("f32", "i32", "u8")]
    rows += [("sort", np.sort, "random", "f64", n) for n in (few, 100_000, many)]
    rows += [("argsort", stable, "random", t, million) for t in ("f64", "i64", "i32", "u8")] + [("argsort", stable, "sorted", "f64", million)]
    rows += [("argsort", stable, "random", "f64", n) for n in (few, many)]
    rows += [("unique", np.unique, kind, t, million) for t in ("f64", "i64") for kind in ("random", "few")]
    rows += [("median", np.median, "random", "f64", n) for n in (million, many)]
    names = {"f": "float", "i": "int", "u": "uint"}
    for function, numpy, kind, t, n in rows:
        make = numbers(kind, f"{names[t[0]]}{t[1:]}", n)
        yield (f"{function} of {n:.0e} {t}, {kind}".replace("e+0", "e"), f"(a: []{t})", f"np_{t}.{function} a", one(make), plain(numpy), 0.5)
    for t in ("f64", "i64"):
        make = numbers("random", f"{names[t[0]]}64", million)
        of_two = lambda rng, make=make: (make(rng), make(rng))  # noqa: E731
        for kind, queries in (("random", lambda a: a), ("sorted", np.sort)):
            ordered = lambda rng, make=make, queries=queries: (np.sort(make(rng)), queries(make(rng)))  # noqa: E731
            yield (f"searchsorted of 1e6 {t}, {kind}", f"(a: []{t}) (b: []{t})", f"np_{t}.searchsorted a b", ordered, plain(np.searchsorted), 1)
        stack = lambda rng, of_two=of_two: (np.stack(of_two(rng)).round(1),)  # noqa: E731
        yield (f"lexsort of 2 x 1e6 {t}", f"[n] (a: [2][n]{t})", f"np_{t}.lexsort a", stack, plain(np.lexsort), 1)
        middle = lambda a: lambda: np.argpartition(a, len(a) // 2)  # noqa: E731
        yield (f"argpartition of 1e6 {t}", f"[n] (a: [n]{t})", f"np_{t}.argpartition (n / 2) a", one(make), middle, 0.5)
    rows_of = one(lambda rng: rng.uniform(-1, 1, (N, N)))
    yield ("sort of 1000 rows of 1000 f64", "[n] (a: [n][n]f64)", "np_f64.sort a", rows_of, plain(np.sort), 0.5)


def one(make):
    return lambda rng: (make(rng),)


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
    *sorting(),
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
            program.write_text(f'import "lib/linalg"\nimport "lib/fft"\nimport "lib/np"\nmodule np_u8 = np_int u8\nentry f {parameters} = {body}\n')
            shared = program.with_name(f"libbench{number}.so")
            subprocess.run([options.remora, "build", "--lib", str(program), "-o", str(shared)], check=True)
            library = Library(shared, options.threads)
            arguments = inputs(np.random.default_rng(1))
            ours = best(clock, raw(library, library.functions["f"], arguments))
            theirs = best(clock, numpy(*arguments))
            print(f"| {name} | {ours * 1e3:.3g} ms | {theirs * 1e3:.3g} ms | {theirs / ours:.2f} | {least} |", flush=True)


if __name__ == "__main__":
    main()
