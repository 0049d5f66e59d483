#!/usr/bin/env python3
"""Writes the programs in tests/data/corpus/derivatives, whose expected derivatives are central differences of NumPy functions.

A case is a function in the language with the same function in NumPy, an argument, and what is expected follows: its tangents for a tangent of the
argument (the entry point NAME_forward), its adjoints for an adjoint of the result (NAME_reverse). Complex numbers count as pairs of floats with the
inner product re (u * conj v). Integers and truth values have derivatives 0. What differences cannot say (kinks, failures, functions that
write several times to one place) is in `cases.py` by hand, as text.

    python3 tests/derivatives/make.py          rewrites the programs
    python3 tests/derivatives/make.py --check  says whether they are as it would write them
"""

import pathlib
import sys

import numpy as np

# What stands in the programs that it writes.
MARK = "-- The expected numbers are made by tests/derivatives/make.py."

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "data" / "corpus" / "derivatives"

# Exact in single precision.
SEEDS = [0.75, -1.25, 0.375, 1.125, -0.625, 0.875, -0.25, 1.75, -0.875, 0.5, 1.25]

# Points, and weights, of a difference whose error is of sixth order.
STENCIL = [(1, 3 / 4), (2, -3 / 20), (3, 1 / 60)]
STEP = 2e-3


def parts(value):
    """The components of an argument or a result, as arrays."""
    return [np.asarray(part) for part in (value if isinstance(value, tuple) else (value,))]


def inexact(part):
    return part.dtype.kind in "fc"


def reals(value):
    """All floats of a value in a row."""
    rows = [np.ravel(part) for part in parts(value) if inexact(part)]
    rows = [row.view(np.float64) if row.dtype == np.complex128 else row.astype(np.float64) for row in rows]
    return np.concatenate(rows) if rows else np.zeros(0)


def rebuilt(value, row):
    """The value with other floats; its integers become 0 if `row` are derivatives."""
    out, at = [], 0
    for part in parts(value):
        if not inexact(part):
            out.append(part)
            continue
        size = part.size * (2 if part.dtype == np.complex128 else 1)
        piece = np.array(row[at : at + size], dtype=np.float64)
        piece = piece.view(np.complex128) if part.dtype == np.complex128 else piece
        out.append(piece.reshape(part.shape))
        at += size
    return tuple(out)


def derivative(value, row):
    return tuple(part if inexact(part) else np.zeros_like(part) for part in rebuilt(value, row))


def seed(value, start):
    """Some numbers for each float of a value."""
    count = reals(value).size
    return np.array([SEEDS[(start + k) % len(SEEDS)] for k in range(count)])


def jacobian(function, argument):
    x = reals(argument)
    columns = []
    for k in range(x.size):
        column = 0
        for distance, weight in STENCIL:
            for sign in (1, -1):
                moved = x.copy()
                moved[k] += sign * distance * STEP
                column = column + sign * weight * reals(function(*rebuilt(argument, moved)))
        columns.append(column / STEP)
    return np.array(columns).T.reshape(-1, x.size)


def number(x):
    if isinstance(x, (bool, np.bool_)):
        return "true" if x else "false"
    if isinstance(x, (int, np.integer)):
        return str(int(x))
    if isinstance(x, (complex, np.complexfloating)):
        im = number(float(x.imag))
        return f"{number(float(x.real))}{'' if im.startswith('-') else '+'}{im}jc128"
    if np.isnan(x):
        return "f64.nan"
    if np.isinf(x):
        return "f64.inf" if x > 0 else "-f64.inf"
    return repr(float(f"{x:.10g}") if abs(x) > 1e-9 else 0.0)


def literal(part):
    part = np.asarray(part)
    if part.ndim == 0:
        return number(part[()])
    if part.size == 0:
        kind = {"f": "f64", "i": "i64", "c": "c128", "b": "bool"}[part.dtype.kind]
        return "empty(" + "".join(f"[{n}]" for n in part.shape) + kind + ")"
    return "[" + ", ".join(literal(item) for item in part) + "]"


def data(value):
    return " ".join(literal(part) for part in value)


def case(name, argument_type, result_type, body, function, *argument, words="x"):
    """The text of a function with its two tests. `body` is an expression of `x`."""
    argument = tuple(np.asarray(part) for part in argument)
    result = tuple(parts(function(*argument)))
    dx, ay = seed(argument, len(name)), seed(result, len(name) + 3)
    columns = jacobian(function, argument)
    assert np.all(np.isfinite(columns)), name
    tangent, adjoint = columns @ dx, columns.T @ ay
    fields = {
        "x": data(argument),
        "dx": data(derivative(argument, dx)),
        "ay": data(derivative(result, ay)),
        "dy": data(derivative(result, tangent)),
        "ax": data(derivative(argument, adjoint)),
    }
    return f"""
def {name} ({words}: {argument_type}) : {result_type} =
{indented(body)}

-- ==
-- entry: {name}_forward
-- tags {{ derivatives }}
-- input {{ {fields['x']} {fields['dx']} }} output {{ {fields['dy']} }}
entry {name}_forward (x: {argument_type}) (dx: {argument_type}) = jvp {name} x dx

-- ==
-- entry: {name}_reverse
-- tags {{ derivatives }}
-- input {{ {fields['x']} {fields['ay']} }} output {{ {fields['ax']} }}
entry {name}_reverse (x: {argument_type}) (ay: {result_type}) = vjp {name} x ay
"""


def indented(text):
    return "\n".join("  " + line if line else line for line in text.strip("\n").split("\n"))


def main():
    import cases

    different = []
    written = set()
    for file, description, body in cases.files():
        path = FOLDER / f"{file}.rem"
        written.add(path)
        text = f"-- {description}\n{MARK}\n" + body
        if "--check" in sys.argv:
            if not path.exists() or path.read_text() != text:
                different.append(path.name)
        else:
            FOLDER.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
    different += [path.name for path in FOLDER.glob("*.rem") if path not in written and MARK in path.read_text()]
    if different:
        sys.exit("not what make.py writes: " + ", ".join(sorted(different)))


if __name__ == "__main__":
    main()
