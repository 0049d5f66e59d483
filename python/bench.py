"""What calls, imports and a second process cost: differences within one run.

All is measured in processor time, the smallest over rounds, so that other programs on the machine count little.
"""

from __future__ import annotations

import ctypes
import os
import resource
import subprocess
import sys
import tempfile
import time

import numpy as np

import remora as rm


def best(call, *args, count=5_000, rounds=15):
    """Microseconds per call."""
    times = []
    for _ in range(rounds):
        start = time.process_time()
        for _ in range(count):
            call(*args)
        times.append((time.process_time() - start) / count * 1e6)
    return min(times)


def process(code, rounds=9):
    """Milliseconds of processor time that an interpreter takes for some code: the smallest over rounds."""

    def used():
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime

    times = []
    for _ in range(rounds):
        start = used()
        subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.DEVNULL)
        times.append((used() - start) * 1e3)
    return min(times)


def main():
    program = rm.compile("entry inc (x: f64) = x + 1\nentry add [n] (x: [n]f64) (y: [n]f64) = x + y")
    libm = ctypes.CDLL(None)
    libm.sqrt.restype, libm.sqrt.argtypes = ctypes.c_double, [ctypes.c_double]
    x, y = np.ones(8), np.ones(8)
    program.inc(1.0), program.add(x, y)
    scalar, foreign = best(program.inc, 1.0), best(libm.sqrt, 1.0)
    pair, ufunc = best(program.add, x, y), best(np.add, x, y)
    print(f"scalar function      {scalar:6.2f} us, ctypes {foreign:.2f} us: {scalar - foreign:+.2f} us (at most +2)")
    print(f"two arrays           {pair:6.2f} us, np.add {ufunc:.2f} us: {pair - ufunc:+.2f} us (at most +3)")
    big = np.ones(1 << 25)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    kept = program.add(big, big)
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    print(f"a result of {kept.nbytes >> 20} MiB: memory grows by {grown:.0f} MiB; copied arguments: {program.add.stats['copied_arguments']}")
    numpy, remora = process("import numpy"), process("import remora")
    print(f"import numpy {numpy:.0f} ms, import remora {remora:.0f} ms: {remora - numpy:+.0f} ms (at most +100)")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["REMORA_CACHE"] = folder
        use = "import numpy as np, remora as rm; rm.compile('entry f [n] (x: [n]f64) = f64.sum (x * x)').f(np.ones(3))"
        first = process(use, 1)
        again = process(use)
        print(f"a program's first process {first:.0f} ms, later ones {again:.0f} ms: {again - numpy:+.0f} ms above NumPy (at most +50)")


if __name__ == "__main__":
    main()
