#!/usr/bin/env python3
"""Programs of the APL front end beside their ports in the ML front end, NumPy, and C by hand, in one run on the same data.

  benches/apl.py [--remora PATH] [--seconds S] [--small] [--threads N] [NAME ..]

Each table row has medians; APL and ML take turns, so that both see the same machine. The last line is the least ratio of the speed of APL to
that of ML, with the bar of 0.95. Results of all four are compared first. `apl/NAME.apl`, `apl/NAME.rem` and `apl/hand.c` are the programs;
`apl/examples/NAME.apl` are those of `examples/apl` for data of any size, which have no port.
"""
import argparse
import ctypes
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
BAR = 0.95
ROUNDS = 5


def life(times, board):
    for _ in range(times):
        rows = board + np.roll(board, 1, 1) + np.roll(board, -1, 1)
        sums = rows + np.roll(rows, 1, 0) + np.roll(rows, -1, 0)
        board = ((sums == 3) | (board == 1) & (sums == 4)).astype(np.int64)
    return board


def heat(times, a):
    for _ in range(times):
        a = a + 0.1 * (np.roll(a, -1, 1) + np.roll(a, 1, 1) + np.roll(a, -1, 0) + np.roll(a, 1, 0) - 4 * a)
    return a


def cdf(x):
    k = 1 / (1 + 0.2316419 * np.abs(x))
    w = k * (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))))
    t = w * np.exp(-0.5 * x * x) / np.sqrt(2 * np.pi)
    return np.where(x < 0, t, 1 - t)


def options(s, t):
    d = (np.log(s / 65) + t * (0.02 + 0.5 * 0.3**2)) / (0.3 * np.sqrt(t))
    return s * cdf(d) - 65 * np.exp(-0.02 * t) * cdf(d - 0.3 * np.sqrt(t))


def softmax(a):
    e = np.exp(a - a.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


def primes(n):
    x = np.arange(1, n + 1)
    return np.int64(((x[:, None] % x == 0).sum(1) == 2).sum())


def pi(n):
    return 4 * (1 / (1 + ((np.arange(n) + 0.5) / n) ** 2)).sum() / n


def easter(y):
    g, c = 1 + y % 19, 1 + y // 100
    x, z = 3 * c // 4 - 12, (5 + 8 * c) // 25 - 5
    d = 5 * y // 4 - x - 10
    a = (11 * g + 20 + z - x) % 30
    a += (a == 24) | (a == 25) & (g > 11)
    n = 44 - a
    n += 30 * (n < 21)
    n += 7 - (d + n) % 7
    return 10000 * y + 100 * (3 + (n > 31)) + n - 31 * (n > 31)


def sobol(n):
    k = np.arange(n)
    x = sum((k >> bit & 1) << (21 - bit) for bit in range(22)) / 2**22
    return 4 * (x * x + (k / n) ** 2 <= 1).sum() / n


def mandelbrot(times, grid):
    z, n = 0 * grid, np.zeros(grid.shape, np.int64)
    for _ in range(times):
        inside = z.real**2 + z.imag**2 < 4
        z, n = np.where(inside, grid + z * z, z), n + inside
    return n


def hotspot(times, plate):
    chip, t = plate > 0.9, plate
    for _ in range(times):
        up, down = np.concatenate([t[1:], t[-1:]]), np.concatenate([t[:1], t[:-1]])
        left, right = np.concatenate([t[:, 1:], t[:, -1:]], 1), np.concatenate([t[:, :1], t[:, :-1]], 1)
        t = t + 0.1 * (up + down + left + right - 4 * t) + chip - 0.02 * (t - 20)
    return t


def shallow(times, h):
    m, l, r = 0 * h, lambda x: np.roll(x, -1), lambda x: np.roll(x, 1)
    for _ in range(times):
        f, g = m, m * m / h + 4.905 * h * h
        h, m = 0.5 * (l(h) + r(h)) - 0.05 * (l(f) - r(f)), 0.5 * (l(m) + r(m)) - 0.05 * (l(g) - r(g))
    return h


def kmeans(times, points):
    centres = points[:4]
    for _ in range(times):
        own = ((points[:, None] - centres) ** 2).sum(2).argmin(1) == np.arange(4)[:, None]
        centres = own @ points / np.maximum(1, own.sum(1))[:, None]
    return centres


def queens(n):
    boards = np.arange(n)[:, None]
    for k in range(1, n):
        boards = np.column_stack([np.repeat(boards, n, 0), np.tile(np.arange(n), len(boards))])
        apart = np.abs(boards[:, :k] - boards[:, k:])
        boards = boards[((apart != 0) & (apart != np.arange(k, 0, -1))).all(1)]
    return np.int64(len(boards))


def examples(small, r, n, side):
    """The same for `apl/examples`."""
    few = side // 2
    times = 3 if small else 50
    grid = np.linspace(-2, 1, few) + 1j * np.linspace(-1, 1, few)[:, None]
    return {
        "easter": ([r.integers(1583, 9999, n)], easter),
        "sobol": ([n], sobol),
        "mandelbrot": ([times, grid], mandelbrot),
        "hotspot": ([times, r.random((few, few))], hotspot),
        "shallow": ([times, 1 + 0.1 * r.random(n // 20)], shallow),
        "kmeans": ([20, r.random((n // 20, 2))], kmeans),
        "inverse": ([r.random((few, few)) + few * np.eye(few)], np.linalg.inv),
        "sorting": ([r.integers(0, n, n // 4)], lambda x: np.sort(x, kind="stable")),
        "text": ([r.integers(65, 97, n).astype(np.uint32)], lambda x: np.bincount(x, minlength=128)[65:91]),
        "queens": ([8], queens),
        "fft": ([r.random((n // 100, 64)) + 1j * r.random((n // 100, 64))], lambda x: np.fft.fft(x, axis=1)),
    }


def programs(small):
    """For each program its arguments, and what NumPy does with them."""
    r = np.random.default_rng(1)
    n, side = (20_000, 64) if small else (4_000_000, 768)
    vector = lambda: r.random(n)
    square = lambda: r.random((side, side))
    board = (r.random((side, side)) < 0.3).astype(np.int64)
    times = 3 if small else 20
    return {
        "signal": ([vector()], lambda x: np.clip(50 * ((x - np.concatenate([[0], x[:-1]])) / (0.01 + x)), -50, 50)),
        "dot": ([vector(), vector()], lambda a, b: a @ b),
        "product": ([square(), square()], lambda a, b: a @ b),
        "variance": ([vector()], np.var),
        "life": ([times, board], life),
        "primes": ([200 if small else 5000], primes),
        "options": ([50 + 30 * vector(), 0.1 + vector()], options),
        "heat": ([times, square()], heat),
        "softmax": ([r.random((side * 4, side))], softmax),
        "chosen": ([vector()], lambda x: (x[x > 0.5] ** 2).sum()),
        "pi": ([n], pi),
        **examples(small, r, n, side),
    }


def by_hand(folder):
    """The C programs as a library."""
    made = f"{folder}/hand.so"
    command = [os.environ.get("CC", "cc"), "-O3", "-march=native", "-fopenmp", "-ffast-math", "-shared", "-fPIC", str(HERE / "apl/hand.c"), "-o", made, "-lm"]
    subprocess.run(command, check=True)
    return ctypes.CDLL(made)


def c_call(library, name, arguments, like):
    """A call of the C program: sizes, arguments, the result."""
    out = np.empty_like(like)
    arrays = [a for a in arguments if isinstance(a, np.ndarray)]
    words = [a for a in arguments if not isinstance(a, np.ndarray)]
    if arrays:
        words += arrays[0].shape if name == "softmax" else arrays[0].shape[:1]
    values = [ctypes.c_int64(int(w)) for w in words] + [ctypes.c_void_p(a.ctypes.data) for a in [*arrays, out]]
    function = getattr(library, "c_" + name)
    return lambda: (function(*values), out)[1]


def measured(action, seconds):
    """The median time of an action in this process."""
    action()
    taken, end = [], time.perf_counter() + seconds
    while len(taken) < 3 or time.perf_counter() < end:
        begin = time.perf_counter()
        action()
        taken.append(time.perf_counter() - begin)
    return statistics.median(taken)


def bench(remora, program, name, words, options):
    command = [remora, "bench", program, "-e", name, *words, "--backend", "cpu", "--json", "--runs", "5", "--seconds", str(options.seconds)]
    if options.threads:
        command += ["--threads", str(options.threads)]
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode != 0:
        sys.exit(f"{program}: {run.stderr}")
    return json.loads(run.stdout)


def result(remora, program, name, words, folder):
    subprocess.run([remora, "run", program, "-e", name, *words, "--backend", "cpu", "-o", f"{folder}/out.npy"], check=True, capture_output=True)
    return np.load(f"{folder}/out.npy")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--remora", default=str(HERE.parent / "target/release/remora"))
    parser.add_argument("--seconds", type=float, default=0.5)
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--threads", type=int)
    options = parser.parse_args()
    if options.threads:
        os.environ["OMP_NUM_THREADS"] = str(options.threads)
    print("| program | APL, ms | ML, ms | NumPy, ms | C, ms | ML / APL | NumPy / APL | C / APL |\n| --- | --: | --: | --: | --: | --: | --: | --: |")
    ratios = {}
    with tempfile.TemporaryDirectory() as folder:
        library = by_hand(folder)
        for name, (arguments, numpy) in programs(options.small).items():
            if options.names and name not in options.names:
                continue
            words = []
            for at, argument in enumerate(arguments):
                words.append(str(argument) if isinstance(argument, int) else f"{folder}/{at}.npy")
                if not isinstance(argument, int):
                    np.save(words[-1], argument)
            files = [str(HERE / f"apl/{name}.{kind}") for kind in ("apl", "rem")]
            if not os.path.exists(files[0]):
                files = [str(HERE / f"apl/examples/{name}.apl")]
            want = np.asarray(numpy(*arguments))
            hand = c_call(library, name, arguments, want)
            for who, got in [("C", hand()), *((file, result(options.remora, file, name, words, folder)) for file in files)]:
                if not np.allclose(got, want, rtol=1e-9, atol=1e-9):
                    sys.exit(f"{name}: the results of {who} are not those of NumPy")
            times = [[] for _ in files]
            for turn in range(ROUNDS):
                for which in range(len(files)) if turn % 2 == 0 else reversed(range(len(files))):
                    times[which].append(bench(options.remora, files[which], name, words, options)["median_seconds"])
            apl, *ports = (statistics.median(t) for t in times)
            np_time, c_time = measured(lambda: numpy(*arguments), options.seconds), measured(hand, options.seconds)
            others = [*(ports or [None]), np_time, c_time]
            if ports:
                ratios[name] = ports[0] / apl
            cells = [*("" if t is None else f"{1e3 * t:.3f}" for t in (apl, *others)), *("" if t is None else f"{t / apl:.2f}" for t in others)]
            print(f"| {name} | {' | '.join(cells)} |", flush=True)
    if not ratios:
        return
    worst = min(ratios, key=ratios.get)
    print(f"\nleast ratio to the ML front end: {ratios[worst]:.2f} ({worst}), the bar is {BAR}")


if __name__ == "__main__":
    main()
