#!/usr/bin/env python3
"""Compiles the C of a program for aarch64 and runs it under qemu, beside the same compiled for this machine: integers are the same, floats
within rounding. Installs the compiler and qemu where they are missing (Debian packages gcc-aarch64-linux-gnu, libc6-dev-arm64-cross,
qemu-user). Not a part of `make test`.

  aarch64.py [--remora PATH]
"""

import argparse
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = ROOT / "tests" / "data" / "aarch64.rem"
FLAGS = "-O3 -fopenmp-simd -fwrapv -fno-math-errno -fno-trapping-math -w -pthread".split()
PACKAGES = ["gcc-aarch64-linux-gnu", "libc6-dev-arm64-cross", "qemu-user"]
# Sizes that the entries are called with; those whose work grows faster get the last one smaller.
SIZES = [0, 1, 7, 100, 5000]
SQUARE = {"products": 150, "solved": 150}


def run(*command, **options):
    return subprocess.run([str(part) for part in command], check=True, text=True, **options)


def main_of(header):
    """A C program that calls each function of the header, all of which take a size and return a number."""
    calls = []
    for name, kind in re.findall(r"int prog_(\w+)\(prog_context \*context, int64_t n, (\w+) \*out0\)", header):
        form = "%.17g" if kind == "double" else "%ld"
        for n in SIZES:
            n = min(n, SQUARE.get(name, n))
            calls.append(
                f'{{ {kind} r; if (prog_{name}(c, {n}, &r)) printf("{name} {n} fails: %s\\n", prog_error(c)); '
                f'else printf("{name} {n} {form}\\n", r); }}'
            )
    lines = "\n  ".join(calls)
    return f'#include <stdio.h>\n#include "prog.h"\n\nint main(void) {{\n  prog_context *c = prog_new(2);\n  {lines}\n  prog_free(c);\n  return 0;\n}}\n'


def same(a, b):
    # Of NaNs neither the sign counts nor the payload.
    if a == b or a.lstrip("-") == b.lstrip("-") == "nan":
        return True
    try:
        return math.isclose(float(a), float(b), rel_tol=1e-9, abs_tol=1e-9) and ("." in a or "e" in a or "." in b or "e" in b)
    except ValueError:
        return False


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--remora", default=str(ROOT / "target" / "release" / "remora"))
    arguments = parser.parse_args()
    if not (shutil.which("aarch64-linux-gnu-gcc") and shutil.which("qemu-aarch64") and Path("/usr/aarch64-linux-gnu/include/stdio.h").exists()):
        root = [] if os.geteuid() == 0 else ["sudo", "-n"]
        print("installing", *PACKAGES)
        run(*root, "apt-get", "install", "-y", "-qq", "--no-install-recommends", *PACKAGES, stdout=subprocess.DEVNULL)
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        run(Path(arguments.remora).resolve(), "build", PROGRAM, "--lib", "--source", "-o", folder / "prog")
        (folder / "main.c").write_text(main_of((folder / "prog.h").read_text()))
        sources = [folder / "prog.c", folder / "main.c"]
        run("cc", "-march=native", *FLAGS, *sources, "-o", folder / "here", "-lm")
        run("aarch64-linux-gnu-gcc", "-static", *FLAGS, *sources, "-o", folder / "there", "-lm")
        here = run(folder / "here", stdout=subprocess.PIPE).stdout.splitlines()
        there = run("qemu-aarch64", folder / "there", stdout=subprocess.PIPE).stdout.splitlines()
    wrong = [(a, b) for a, b in zip(here, there, strict=True) if a.split()[:2] != b.split()[:2] or not same(a.split(" ", 2)[2], b.split(" ", 2)[2])]
    for a, b in wrong:
        print(f"here:    {a}\naarch64: {b}")
    print(f"{len(here)} results, {len(wrong)} differ")
    return 1 if wrong or not here else 0


if __name__ == "__main__":
    sys.exit(main())
