"""Expectations of a program as its comments have them: what the NumPy program beside a program prints."""

import numpy as np

NAMES = {"float32": "f32", "float64": "f64", "bool": ""}


def scalar(value, name):
    """A number as a literal of the type with this name in NumPy."""
    if name == "bool":
        return str(bool(value)).lower()
    suffix = NAMES.get(name) or name.replace("uint", "u").replace("int", "i")
    if not name.startswith("float"):
        return f"{int(value)}{suffix}"
    if not np.isfinite(value):
        return f"{suffix}.nan" if np.isnan(value) else f"{'-' if value < 0 else ''}{suffix}.inf"
    return np.format_float_positional(value, unique=True, trim="-") + suffix


def literal(value):
    """A NumPy array, or a scalar, as a literal. Python's integers are of type i64, and its floats of type f64."""
    value = np.asarray(value)
    if value.ndim == 0:
        return scalar(value[()], value.dtype.name)
    if 0 in value.shape:
        kind = scalar(value.dtype.type(0), value.dtype.name).lstrip("0") or "bool"
        return "empty(" + "".join(f"[{n}]" for n in value.shape) + kind + ")"
    return "[" + ", ".join(literal(part) for part in value) + "]"


def block(entry, *cases, tags=""):
    """The block for an entry point; a case is a list of arguments and a list of results."""
    lines = ["-- ==", f"-- entry: {entry}", *([f"-- tags {{ {tags} }}"] if tags else [])]
    for arguments, results in cases:
        lines.append("-- input { " + " ".join(map(literal, arguments)) + " }")
        lines.append("-- output { " + " ".join(map(literal, results)) + " }")
    print("\n".join(lines))


def gradient(f, *arguments):
    """The derivatives of a number by each element of each argument, by steps along the imaginary axis (Squire and Trapp, "Using complex variables to
    estimate derivatives of real functions", SIAM Review, 1998): nothing is subtracted, so they are right to the last digits. f has to be analytic."""
    slopes = []
    for place, argument in enumerate(arguments):
        argument = np.asarray(argument, float)
        slope = np.zeros(argument.shape)
        for index in np.ndindex(argument.shape):
            moved = argument.astype(complex)
            moved[index] += 1e-30j
            slope[index] = np.imag(f(*arguments[:place], moved, *arguments[place + 1 :])) / 1e-30
        slopes.append(slope)
    return slopes
