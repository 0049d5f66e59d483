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


def block(entry, *cases):
    """The block for an entry point; a case is a list of arguments and a list of results."""
    lines = ["-- ==", f"-- entry: {entry}"]
    for arguments, results in cases:
        lines.append("-- input { " + " ".join(map(literal, arguments)) + " }")
        lines.append("-- output { " + " ".join(map(literal, results)) + " }")
    print("\n".join(lines))
