"""Runs every example on the inputs of its NumPy program and compares the results.

  check.py [--remora PATH] [--size test|small|large|N] [NAME...]
"""

import argparse
import shlex
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent


def check(name, remora, size):
    """Runs one example and returns what went wrong, or None, and the seconds that the run took."""
    with tempfile.TemporaryDirectory() as directory:
        numpy_program = [sys.executable, str(HERE / name / f"{name}.py")]
        subprocess.run([*numpy_program, "generate", directory, size], check=True)
        arguments = sorted(Path(directory).glob("arg*.npy"))
        begin = time.perf_counter()
        run = subprocess.run(
            [*remora, "run", str(HERE / name / f"{name}.rem"), "-e", name, *map(str, arguments), "-o", f"{directory}/got.npy"],
            capture_output=True,
            text=True,
        )
        seconds = time.perf_counter() - begin
        if run.returncode != 0:
            return run.stderr.strip() or f"exit status {run.returncode}", seconds
        results = sorted(Path(directory).glob("got*.npy"))
        compared = subprocess.run([*numpy_program, "compare", directory, *map(str, results)], capture_output=True, text=True)
        return (compared.stdout + compared.stderr).strip() if compared.returncode else None, seconds


def main():
    every = sorted(path.parent.name for path in HERE.glob("*/*.py") if path.stem == path.parent.name)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--remora", default="remora", help="the command to run (default: remora)")
    parser.add_argument("--size", default="test")
    parser.add_argument("names", nargs="*", default=every, metavar="NAME")
    options = parser.parse_args()
    failed = 0
    for name in options.names:
        problem, seconds = check(name, shlex.split(options.remora), options.size)
        failed += problem is not None
        print(f"{name:13} {seconds:8.3f} s  {'ok' if problem is None else problem}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
