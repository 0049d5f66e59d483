"""What the NumPy program beside each example has in common: inputs as .npy files, and comparison of results.

An example's NAME.py calls `main` with
  sizes      a dictionary of named sizes ("test", "small", "large")
  generate   a function of a size and a random generator that returns the list of arguments
  reference  a function of the arguments that returns the result, or a tuple of results

and then understands
  NAME.py generate DIR [SIZE] [--seed N]   write DIR/arg0.npy, .. and the expected results DIR/out0.npy, ..
  NAME.py compare DIR FILE...              compare results with DIR/out0.npy, ..; exit status 1 when they differ
"""

import argparse
import sys
from pathlib import Path

import numpy as np

# Allowed error, relative to the largest magnitude in the array. Integers must be equal.
TOLERANCE = {"float32": 1e-4, "float64": 1e-9}


def difference(want, got):
    """Says how two arrays differ, or returns None when they agree."""
    if got.dtype != want.dtype:
        return f"has type {got.dtype}, expected {want.dtype}"
    if got.shape != want.shape:
        return f"has shape {got.shape}, expected {want.shape}"
    if want.dtype.name not in TOLERANCE:
        wrong = np.count_nonzero(got != want)
        return f"{wrong} of {want.size} elements differ" if wrong else None
    finite = np.isfinite(want)
    if not np.array_equal(got[~finite], want[~finite], equal_nan=True) or not np.isfinite(got[finite]).all():
        return "differs in which elements are finite"
    if not finite.any():
        return None
    error = np.abs(got[finite].astype(np.float64) - want[finite]).max()
    allowed = TOLERANCE[want.dtype.name] * max(np.abs(want[finite]).max(), 1e-30)
    return None if error <= allowed else f"error {error:.3g}, allowed {allowed:.3g}"


def write(directory, stem, values):
    """Writes values to DIR/STEM0.npy, DIR/STEM1.npy, .."""
    for number, value in enumerate(values):
        np.save(directory / f"{stem}{number}.npy", np.asarray(value))


def compare(directory, files):
    """Compares files with the expected results in the directory and returns the exit status."""
    expected = sorted(directory.glob("out*.npy"))
    if len(files) != len(expected):
        print(f"{len(files)} results, expected {len(expected)}")
        return 1
    status = 0
    for want, got in zip(expected, files):
        problem = difference(np.load(want), np.load(got))
        if problem:
            print(f"{got} {problem}")
            status = 1
    return status


def main(sizes, generate, reference):
    """The command line of an example's NumPy program."""
    parser = argparse.ArgumentParser(description="Inputs and expected results of this example, by NumPy.")
    commands = parser.add_subparsers(dest="command", required=True)
    make = commands.add_parser("generate", help="write inputs and expected results")
    make.add_argument("directory", type=Path)
    make.add_argument("size", nargs="?", default="test", help=f"a number or one of {', '.join(sizes)} (default: test)")
    make.add_argument("--seed", type=int, default=1)
    check = commands.add_parser("compare", help="compare results with the expected ones")
    check.add_argument("directory", type=Path)
    check.add_argument("files", nargs="+", type=Path)
    options = parser.parse_args()
    if options.command == "compare":
        sys.exit(compare(options.directory, options.files))
    size = sizes[options.size] if options.size in sizes else int(options.size)
    arguments = generate(size, np.random.default_rng(options.seed))
    results = reference(*arguments)
    options.directory.mkdir(parents=True, exist_ok=True)
    write(options.directory, "arg", arguments)
    write(options.directory, "out", results if isinstance(results, tuple) else [results])
