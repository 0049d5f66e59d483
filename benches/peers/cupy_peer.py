"""The NumPy programs of the examples with CuPy in the place of NumPy: arrays on the device, one kernel for each operation. Arguments are put
on the device before the measurement, and a result is waited for."""

from pathlib import Path

import cupy
import numpy as np

EXAMPLES = Path(__file__).resolve().parent.parent.parent / "examples"


def wait(values):
    cupy.cuda.runtime.deviceSynchronize()
    return values


def prepare(name, arguments):
    """The function, its arguments, and what has to be done to its result before it is there."""
    import worker

    module = worker.load(EXAMPLES / name / f"{name}.py")
    module.np = cupy
    placed = [cupy.asarray(value) if np.ndim(value) else value for value in arguments]
    return module.reference, placed, wait
